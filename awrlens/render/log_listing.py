"""Checkpoints of SQL Server before and after, as lines."""

from __future__ import annotations

from textwrap import wrap
from typing import TYPE_CHECKING, Any, Final

from awrlens.render import present
from awrlens.render.lines import Line, Span

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_HEADINGS: Final = {
    "checkpoints": "checkpoints", "per_hour": "per hour", "mean_s": "average, s",
    "median_s": "median, s", "p95_s": "p95, s", "max_s": "max, s", "total_s": "total, s",
}  # fmt: skip
_WIDTH: Final = 14


def checkpoints_page(data: Mapping[str, Any], width: int) -> Iterator[Line]:
    """A sentence and numbers per database, and the limits of the comparison."""
    for side in ("before", "after"):
        log = data[side]
        span = " to ".join(str(log[end]).replace("T", " ") for end in ("begin_time", "end_time"))
        times = f", {span}" if log["begin_time"] else ""
        kind = present.KINDS.get(log["kind"], log["kind"])
        yield (Span(present.safe(f"{side:<6} {log['source']} ({kind}{times})"), "dim"),)
    for text in data["unfair"]:
        for line in wrap(f"! {present.safe(text)}", width, break_on_hyphens=False):
            yield (Span(line, "warning"),)
    if not data["databases"]:
        yield ()
        yield (Span("Neither side has a checkpoint.", "title"),)
    for each in data["databases"]:
        yield ()
        for line in wrap(f"{present.safe(each['said'])}.", width, break_on_hyphens=False):
            yield (Span(line, "title"),)
        yield (Span(f"  {'':<{_WIDTH}}{'before':>{_WIDTH}}{'after':>{_WIDTH}}", "dim"),)
        for measure, heading in _HEADINGS.items():
            cells = [_shown(each[side][measure]) for side in ("before", "after")]
            yield (Span(f"  {heading:<{_WIDTH}}" + "".join(f"{c:>{_WIDTH}}" for c in cells)),)


def _shown(value: float | None) -> str:
    return "-" if value is None else present.number(value)
