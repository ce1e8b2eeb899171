"""Which code wrote a row: a stamp of the code that reads reports, and one of that which judges.

A stamp is a hash of the files of the package, not a number that somebody must remember to raise.
Rules, advice and what they alone use judge; commands, pages and servers do neither; all the rest
reads, so that a new module is never forgotten.
"""

from __future__ import annotations

import hashlib
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Final

from awrlens import __version__
from awrlens.grammar.catalogue import SOURCES
from awrlens.records import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator
    from importlib.resources.abc import Traversable

#: Folders and modules that turn facts into findings and advice.
JUDGES: Final = frozenset({
    "advice", "backup.py", "budgets", "config", "judging.py", "own_checks.py", "profiles.py",
    "recommendations.py", "reliability.py", "rules", "series", "simulate", "wait_severity.py",
})  # fmt: skip
#: Folders and modules that do neither. The name of a version says nothing about its code.
APART: Final = frozenset({
    "__init__.py", "__main__.py", "bulk.py", "checks", "cli", "fleet", "interval_series.py",
    "recovery", "redact", "render", "scripts", "serve", "sqlserver", "store",
})  # fmt: skip
#: Modules of these folders that make rows, and those that call rules and advice.
_ROWS: Final = ("document.py", "plain_data.py", "rows.py", "schema.py")
_CALLS: Final = ("analyze.py", "ingest.py", "own_rules.py")
_DIGITS: Final = 12


class Stamps(NamedTuple):
    """The code that read a report, and the code that judged it."""

    reading: str
    judging: str


@cache
def stamps() -> Stamps:
    """Those of this awrlens; its version where its files are not at hand."""
    package = files("awrlens")
    top = list(package.iterdir())
    judges = [each for each in top if each.name in JUDGES]
    judges += (package.joinpath("cli", name) for name in _CALLS)
    reads = [each for each in top if each.name not in JUDGES | APART]
    reads += (package.joinpath("store", name) for name in _ROWS)
    reads += (each for each in map(Path, SOURCES[1:]) if each.is_dir())  # of a checkout
    return Stamps(_stamp(reads), _stamp(judges))


def _stamp(top: list[Traversable]) -> str:
    found = dict(each for one in top for each in _content(one, one.name))
    if not any(name.endswith(".py") for name in found):
        return __version__
    whole = hashlib.sha256()
    for name in sorted(found):
        whole.update(f"{name}\0{len(found[name])}\0".encode())
        whole.update(found[name])
    return whole.hexdigest()[:_DIGITS]


def _content(each: Traversable, name: str) -> Iterator[tuple[str, bytes]]:
    if each.is_file():
        yield name, each.read_bytes()
    elif not name.endswith("__pycache__"):
        for below in each.iterdir():
            yield from _content(below, f"{name}/{below.name}")
