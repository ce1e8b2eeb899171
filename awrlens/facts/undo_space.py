"""Undo retention: its time, the space it needs, and errors from lack of space.

Source: "Write Accelerator", figure 21 (Undo Segment Summary and Undo Segment Stats); Oracle
Database Reference, V$UNDOSTAT.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.fact_table import fact
from awrlens.facts import numbers
from awrlens.facts.formula import (
    Figure,
    Missing,
    add,
    derive,
    measured,
    readable,
    summed,
    unavailable,
)
from awrlens.facts.sections import BLOCK_SIZE, PARAMETERS
from awrlens.facts.temp_waits import block_size
from awrlens.units import parse_number

if TYPE_CHECKING:
    from collections.abc import Iterable

    from awrlens.facts.numbers import Figures
    from awrlens.model import Fact
    from awrlens.report.table_rows import Row

#: A row of V$UNDOSTAT covers ten minutes (Oracle Database Reference).
_SLICE_S: Final = 600
_UNEXPIRED: Final = ("unexpired_stolen", "unexpired_released", "unexpired_reused")
_EXPIRED: Final = ("expired_stolen", "expired_released", "expired_reused")


@fact("undo.max_query_s", "s", "undo_summary", kind="level", better="neither")
def max_query_s(f: Figures) -> Fact:
    """Longest query in seconds."""
    cells = _summary(f, "max_query_s")
    if isinstance(cells, Missing):
        return unavailable(cells)
    top = max(cells, key=lambda figure: figure.value)
    return measured(top)


@fact("undo.snapshot_too_old", "count", "undo_summary", kind="total", better="lower")
def snapshot_too_old(f: Figures) -> Fact:
    """Queries that failed with ORA-01555."""
    return _summary_total(f, "snapshot_too_old")


@fact("undo.out_of_space", "count", "undo_summary", kind="total", better="lower")
def out_of_space(f: Figures) -> Fact:
    """Number of times that a transaction found no undo space."""
    return _summary_total(f, "out_of_space")


def _summary(f: Figures, column: str) -> list[Figure] | Missing:
    table = f.tables.get("undo_summary")
    if table is None:
        return f.missing("undo_summary")
    absent = Missing("Undo Segment Summary has no such column", ("undo_summary",))
    rows = f.once(_rows)
    if isinstance(rows, Missing):
        return rows
    found = numbers.column(f, table, rows, column, "")
    readings = readable(found)
    if not readings:
        return next((each for each in found if isinstance(each, Missing)), absent)
    return readings


def _rows(f: Figures) -> list[Row] | Missing:
    """The rows of Undo Segment Summary, one for each tablespace."""
    table = f.tables.get("undo_summary")
    rows = list(table.rows) if table is not None else []
    used = [tuple(row.names_and_figures[1]) for row in rows if row.number("undo_blocks")]
    if len(set(used)) == len(used):
        return rows
    why = "two tablespaces of Undo Segment Summary have the same figures"
    return Missing(why, ("undo_summary",), lost=True)


def _summary_total(f: Figures, column: str) -> Fact:
    figures = _summary(f, column)
    if isinstance(figures, Missing):
        return unavailable(figures)
    return summed(add(figures, ""))


@fact("undo.retention_s", "s", PARAMETERS, kind="setting", better="neither")
def retention_s(f: Figures) -> Fact:
    """Undo retention that is set (initialization parameter undo_retention)."""
    found = _retention(f)
    return measured(found)


def _retention(f: Figures) -> Figure | Missing:
    printed = f.parameter("undo_retention")
    seconds = parse_number(printed[0]) if printed else None
    if printed is not None and seconds is None:
        shown = f"is shown as `{printed[0]}`" if printed[0] else "is blank"
        return Missing(f"`undo_retention` {shown}", ("parameters",), lost=True)
    if printed is None or seconds is None:
        return Missing("`undo_retention` is not listed (non-default parameters only)",
                       ("parameters",))  # fmt: skip
    return Figure(seconds, "s", (printed[1],))


@fact("undo.min_tuned_retention_s", "s", "undo_summary", kind="level", better="neither")
def min_tuned_retention_s(f: Figures) -> Fact:
    """Minimum undo retention in the interval, as tuned by the instance (10g and later)."""
    cells = _summary(f, "min_tuned_retention_min")
    if isinstance(cells, Missing):
        return unavailable(cells)
    least = min(cells, key=lambda figure: figure.value)
    return derive("minutes * 60", minutes=least._replace(label="min"))


def _steals(f: Figures, columns: tuple[str, ...]) -> Fact:
    figures: list[Figure] = []
    for column in columns:
        cells = _summary(f, column)
        if isinstance(cells, Missing):
            return unavailable(cells)
        figures += cells
    return summed(add(figures, ""))


@fact("undo.unexpired_steals", "count", "undo_summary", kind="total", better="lower")
def unexpired_steals(f: Figures) -> Fact:
    """Undo blocks taken before they expired (uS + uR + uU)."""
    return _steals(f, _UNEXPIRED)


@fact("undo.expired_steals", "count", "undo_summary", kind="total", better="neither")
def expired_steals(f: Figures) -> Fact:
    """Expired undo blocks taken from other segments (eS + eR + eU): normal reuse."""
    return _steals(f, _EXPIRED)


def _peak(f: Figures) -> Figure | Missing:
    table = f.tables.get("undo_stats")
    if table is None or not table.rows:
        return f.missing("undo_stats")
    rows: Iterable[Row] = table.rows
    if table.is_plain("undo_blocks") and not table.disputes:  # no other row needs to be looked at
        blocks = table.numbers("undo_blocks")
        rows = [table.rows[blocks.index(max(blocks))]]
    cells = numbers.column(f, table, rows, "undo_blocks", "undo blocks")
    found = readable(cells)
    if isinstance(found, Missing):
        return found
    if not found:
        return next(each for each in cells if isinstance(each, Missing))
    return max(found, key=lambda figure: figure.value)


@fact("undo.peak_blocks_per_s", "1/s", "undo_stats", kind="rate", better="neither")
def peak_blocks_per_s(f: Figures) -> Fact:
    """Undo blocks per second in the busiest ten minutes (Undo Segment Stats)."""
    return derive(f"blocks / {_SLICE_S}", blocks=f.once(_peak))


@fact(
    "undo.needed_mb",
    "MB",
    "undo_stats",
    "undo_summary",
    PARAMETERS,
    BLOCK_SIZE,
    kind="level",
    better="neither",
)
def needed_mb(f: Figures) -> Fact:
    """Undo for the longest query and the retention that is set, at the peak rate of ten minutes."""
    found = _summary(f, "max_query_s")
    if isinstance(found, Missing):
        return unavailable(found)
    retention = _retention(f)
    if f.tables.get("parameters") is None:
        return unavailable(f.missing("parameters"))
    if isinstance(retention, Missing) and retention.lost:
        return unavailable(retention)
    times = [*found, *([retention] if isinstance(retention, Figure) else [])]
    return derive(
        f"kept * blocks / {_SLICE_S} * block / 1024 / 1024",
        kept=max(times, key=lambda figure: figure.value)._replace(label="s"),
        blocks=f.once(_peak),
        block=block_size(f),
    )
