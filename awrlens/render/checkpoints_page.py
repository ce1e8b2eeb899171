"""The page of SQL Server checkpoints before and after a change, as blocks."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, Final

from awrlens.render import present
from awrlens.render.blocks import Block, Column, Heading, Page, Paragraph, Row, Table

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_MEASURES: Final = {
    "checkpoints": "checkpoints", "per_hour": "per hour", "mean_s": "average, s",
    "median_s": "median, s", "p95_s": "p95, s", "max_s": "max, s", "total_s": "total, s",
}  # fmt: skip
_COLUMNS: Final = (Column("measure"), Column("before", "number"), Column("after", "number"))


def page(data: Mapping[str, Any]) -> Page:
    """A sentence and numbers per database, and the limits of the comparison."""
    found = data["databases"]
    headline = f"{found[0]['said']}." if found else "Neither side has a checkpoint."
    return Page(
        _side("before", data), (_side("after", data),), headline, "info", tuple(_blocks(data))
    )


def _side(name: str, data: Mapping[str, Any]) -> str:
    log = data[name]
    span = " to ".join(str(log[end]).replace("T", " ") for end in ("begin_time", "end_time"))
    times = f", {span}" if log["begin_time"] else ""
    source = PurePosixPath(str(log["source"]).replace("\\", "/")).name
    return f"{name}: {source} ({present.KINDS.get(log['kind'], log['kind'])}{times})"


def _blocks(data: Mapping[str, Any]) -> Iterator[Block]:
    for text in data["unfair"]:
        yield Paragraph(text, "warning", "note")
    for number, each in enumerate(data["databases"]):
        if number:  # the headline has the sentence of the first
            yield Heading(f"{each['said']}.")
        rows = (
            Row((title, *(_shown(each[side][measure]) for side in ("before", "after"))))
            for measure, title in _MEASURES.items()
        )
        yield Table(each["said"], _COLUMNS, tuple(rows))


def _shown(value: float | None) -> str:
    return "-" if value is None else present.number(value)
