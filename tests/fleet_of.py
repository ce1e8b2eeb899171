"""A tree of small reports: databases by day, calm or with slow commits."""

from __future__ import annotations

import contextlib
import io
import json
import re
from datetime import datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any

import samples

from awrlens import cli
from awrlens.fleet import index

#: The samples behind the reports: one without slow commits, one with.
CALM, SLOW = "redo-accelerator.statspack-9.2.lst", "busy-commit.statspack-9.2.lst"
BEGIN = datetime(2026, 3, 2, 8)  # noqa: DTZ001 - reports have no zone
_WHO = re.compile(r"^(TMSORCL|HEART) {2,9}(\d{10}) (\w+) +(?=1 9\.2)", re.M)
_SNAP = re.compile(r"^( *(?:Begin|End) Snap: +)(\d+) (\S+ \S+)", re.M)
#: The snapshots in the titles of sections; an advisory names the last one only.
_TITLE = re.compile(r"(?<=Snaps: )(\d+)( ?-)(\d+)|(?<=End Snap: )(\d+)$", re.M)


@cache
def _text(name: str) -> str:
    return samples.path(name).read_text(encoding="utf-8")


def report(database: str = "ORCL", day: int = 0, *, slow: bool = False) -> str:
    """The report of a database and a day."""
    text = _text(SLOW if slow else CALM)
    number = 1_000_000_000 + sum(map(ord, database)) * 7919
    who = f"{database:<12}  {number} {database.lower():<12} "
    text = _WHO.sub(lambda _: who, text)
    stamps = [datetime.strptime(found[3], "%d-%b-%y %H:%M:%S") for found in _SNAP.finditer(text)]  # noqa: DTZ007
    shift = BEGIN + timedelta(days=day) - stamps[0]
    first = int(next(_SNAP.finditer(text))[2])

    def snap(printed: str) -> int:
        return int(printed) - first + 100 + day * 10

    def moved(found: re.Match[str]) -> str:
        stamp = datetime.strptime(found[3], "%d-%b-%y %H:%M:%S") + shift  # noqa: DTZ007
        return f"{found[1]}{snap(found[2]):>{len(found[2])}} {stamp:%d-%b-%y %H:%M:%S}"

    def renamed(found: re.Match[str]) -> str:
        begin, dash, end, last = found.groups()
        return str(snap(last)) if last else f"{snap(begin)}{dash}{snap(end)}"

    return _TITLE.sub(renamed, _SNAP.sub(moved, text))


def tree(folder: Path, databases: int = 2, days: int = 3) -> Path:
    """A folder per database with a report per day."""
    for number in range(databases):
        name = f"DB{number:04}"
        (folder / name).mkdir(parents=True, exist_ok=True)
        for day in range(days):
            (folder / name / f"sp_{day:03}.lst").write_text(report(name, day), encoding="utf-8")
    return folder


def call(*args: str | Path) -> tuple[int, str, str]:
    """Status, standard output and standard error of a call."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        status = cli.run([str(each) for each in args])
    return status, out.getvalue(), err.getvalue()


def done(*args: str | Path) -> str:
    """The standard output of a call that succeeds."""
    status, out, err = call(*args)
    assert status == 0, err or out
    return out


def ask(store: Path, sql: str) -> list[dict[str, Any]]:
    """The rows of a query."""
    found: list[dict[str, Any]] = json.loads(done("query", sql, "--store", store, "-f", "json"))
    return found


def _records(store: index.Store, name: str) -> list[dict[str, Any]]:
    result = store.database.execute(f"FROM {name}")
    names = [column[0] for column in result.description]
    return [dict(zip(names, row, strict=True)) for row in result.fetchall()]


def rows(store: Path) -> dict[str, list[Any]]:
    """All that a store has of its reports, in an order of its own."""
    tables = ("reports", "facts", "waits", "activity", "tablespaces", "parameters", "findings",
              "recommendations", "sources", "problems")  # fmt: skip
    with index.opened_store(str(store)) as opened:
        return {
            name: sorted(repr(sorted(e.items())) for e in _records(opened, name)) for name in tables
        }
