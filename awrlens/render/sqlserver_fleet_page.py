"""The page of many SQL Server logs, as blocks."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

from awrlens.render import present
from awrlens.render.blocks import (
    BarRow,
    Bars,
    Block,
    Code,
    Column,
    Fold,
    Heading,
    Item,
    Items,
    Page,
    Piece,
    Row,
    Table,
)
from awrlens.render.quantity import seconds

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_COLUMNS = (
    Column("server"), Column("release"), Column("databases", "number"), Column("long", "number"),
    Column("longest", "number"), Column("% of time", "number", narrow=False),
    Column("I/O > 15 s", "number", narrow=False), Column("memory, GB", "number", narrow=False),
    Column("advice"),
)  # fmt: skip


_VERDICTS = {**present.VERDICTS, "need-data": "not known", "not-applicable": "not applicable"}


def page(data: Mapping[str, Any]) -> Page:
    """A row per log, the worst first."""
    counted = (
        f"{_count(data['logs'], 'log')}, {_count(data['databases'], 'database')} with checkpoints "
        "or warnings in them"
    )
    long = data["long_databases"]
    headline = (
        f"{_count(long, 'database')} with long checkpoints: {_count(data['commands'], 'command')} "
        "to review."
        if long
        else "No database has long checkpoints."
    )
    severity = data["rows"][0]["severity"] if data["rows"] else "info"
    return Page("SQL Server checkpoints", (f"{counted}.",), headline, severity,
                tuple(_blocks(data)))  # fmt: skip


def _blocks(data: Mapping[str, Any]) -> Iterator[Block]:
    yield Table(
        "Logs", _COLUMNS,
        tuple(
            Row((
                _name(row), row["release"] or "-", str(row["databases"]),
                str(row["long_databases"]), _s(row["longest_s"]), _number(row["time_pct"]),
                _number(row["slow_requests"]), _number(row["memory_gb"]),
                _VERDICTS[row["verdict"]],
            ), row["severity"])
            for row in data["rows"]
        ),
    )  # fmt: skip
    longest = [row for row in data["rows"] if row["longest_s"]]
    if longest:
        yield Heading("Longest checkpoint", anchor="longest")
        yield Bars(
            "Longest checkpoint of every log", "s", 0.0, max(row["longest_s"] for row in longest),
            tuple(
                BarRow(_name(row), (Piece(0.0, row["longest_s"], row["severity"]),),
                       _s(row["longest_s"]))
                for row in longest
            ),
            legend=False,
        )  # fmt: skip
    doing = [row for row in data["rows"] if row["commands"]]
    for row in doing:
        yield Fold(f"{_name(row)}: {row['title']}", (Code("Commands", tuple(row["commands"])),))
    if data["skipped"]:
        yield Heading("Not read")
        yield Items(tuple(Item(text) for text in data["skipped"]))


def _name(row: Mapping[str, Any]) -> str:
    return row["server"] or PurePosixPath(str(row["source"]).replace("\\", "/")).name


def _s(value: float | None) -> str:
    return "-" if value is None else seconds(value)


def _number(value: float | None) -> str:
    return "-" if value is None else present.number(value)


def _count(count: int, what: str) -> str:
    return f"{count:,} {what}{'' if count == 1 else 's'}"
