"""Recovery time: its range, its fixed part, and the writes at other targets.

Sources: "Fast-Start Checkpointing Best Practices"; V$INSTANCE_RECOVERY and V$MTTR_TARGET_ADVICE in
Oracle's Reference. MTTR Advisory shows the dirty blocks that every target allows. They grow
linearly with the target, so two rows give the recovery time with 0 dirty blocks (startup and
opening of the files) and with the minimum that Oracle uses, 1,000.

Oracle's PGA advisory as a curve (the MTTR advisory is in facts).

Read only for what-if questions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.facts.cells import twice
from awrlens.facts.formula import (
    Answer,
    Figure,
    Missing,
    Number,
    joined,
    largest,
    readable,
    smallest,
    text_fact,
)
from awrlens.facts.sections import RECOVERY
from awrlens.model.curves import Curves, PgaPoint
from awrlens.model.fact_table import fact
from awrlens.oracle.checkpoints import CONTRADICT, LEAST_START_S, NOT_ESTIMATED
from awrlens.units import plain

if TYPE_CHECKING:
    from collections.abc import Sequence

    from awrlens.facts.figures import Figures
    from awrlens.model import Evidence
    from awrlens.report.table import Row


#: Minimum of dirty blocks; # Fast-Start Checkpointing Best Practices, "Lower Bound on MTTR"
_MIN_DIRTY: Final = 1000
_SECTION: Final = ("instance_recovery",)
#: Two estimates contradict each other if the higher is this many times what more redo or more dirty
#: blocks explain. In real reports others differ at most by 1.5; three idle ones by 2, 13 and 165.
_CONTRADICT: Final = 2.0
#: They are not a contradiction if they differ by fewer seconds.
_CONTRADICT_S: Final = 10.0
#: Estimates are whole seconds.
_ROUNDED_S: Final = 0.5
_ABSENT: Final = Missing("MTTR Advisory has no such column", ("mttr_advisory",))


def estimated_at(f: Figures, row: str) -> Number:
    """The estimated recovery time at a snapshot (B or E); 0 means that there is no estimate.

    Instances without FAST_START_MTTR_TARGET may show 0 although recovery needs redo and I/O.
    """
    found = f.row_figure("instance_recovery", row, "estimated_mttr_s", "s")
    if isinstance(found, Figure) and not found.value:
        return Missing(NOT_ESTIMATED, _SECTION)
    return found


def contradiction(f: Figures) -> Missing | None:
    """Why the estimates of both snapshots cannot be compared: nothing explains the higher one.

    Oracle's estimate grows with the dirty blocks and with the redo after the checkpoint. One that
    grows much more than either of them is not a recovery time.
    """
    times = [f.row_figure("instance_recovery", row, "estimated_mttr_s", "") for row in ("B", "E")]
    seconds = [each.value for each in times if isinstance(each, Figure)]
    if len(seconds) < len(times) or max(seconds) - min(seconds) < _CONTRADICT_S:
        return None
    cells = {
        row: [time, *(f.row_figure("instance_recovery", row, column, "")
                      for column in ("estimated_ios", "actual_redo_blocks"))]
        for row, time in zip(("B", "E"), times, strict=True)
    }  # fmt: skip
    read = {row: [each for each in found if isinstance(each, Figure)]
            for row, found in cells.items()}  # fmt: skip
    if any(len(each) < len(cells[row]) for row, each in read.items()):
        return None
    low, high = sorted(read.values(), key=lambda each: each[0].value)
    spread = (high[0].value - _ROUNDED_S) / (low[0].value + _ROUNDED_S)
    if any(not each.value for each in low[1:]):
        return None
    grown = (more.value / less.value for less, more in zip(low[1:], high[1:], strict=True))
    if spread <= _CONTRADICT * max(1.0, *grown):
        return None
    begin, end = (
        f"{time.value:,.0f} s with {dirty.value:,.0f} dirty blocks"
        for time, dirty, _ in read.values()
    )
    return Missing(f"{CONTRADICT}: {begin}, {end}", _SECTION)


@fact(
    "checkpoint.estimated_mttr_s",
    "s",
    RECOVERY,
    better="lower over time",
    title="Estimated recovery time",
)
def estimated_mttr_s(f: Figures) -> Answer:
    """Estimated recovery time at the end snapshot (V$INSTANCE_RECOVERY.ESTIMATED_MTTR).

    Not available if it contradicts that of the begin snapshot.
    """
    return contradiction(f) or estimated_at(f, "E")


@fact("checkpoint.estimated_mttr_low_s", "s", RECOVERY)
def estimated_mttr_low_s(f: Figures) -> Number:
    """Estimated recovery time, the minimum of the snapshots in the report."""
    return smallest(_estimates(f))


@fact("checkpoint.estimated_mttr_high_s", "s", RECOVERY)
def estimated_mttr_high_s(f: Figures) -> Number:
    """Estimated recovery time, the maximum of the snapshots in the report."""
    return largest(_estimates(f))


def _estimates(f: Figures) -> list[Figure] | Missing:
    """The estimates of the snapshots, at least one."""
    table = f.tables.get("instance_recovery")
    if table is not None and any(table.unread((f"{row} ",)) for row in ("B", "E")):
        why = f"a line of {table.title} cannot be split into columns"
        return Missing(why, ("instance_recovery",))
    times = [estimated_at(f, row) for row in ("B", "E")]
    present = readable(times)
    if isinstance(present, Missing) or not present:
        return joined(*(each for each in times if isinstance(each, Missing)))
    return present


@fact("checkpoint.lowest_mttr_s", "s", "mttr_advisory")
def lowest_mttr_s(f: Figures) -> Answer:
    """The lowest target that Oracle can meet: that of MTTR Advisory for 1,000 dirty blocks."""
    if (table := f.tables.get("mttr_advisory")) is None:
        return f.missing("mttr_advisory")
    for row in table.rows:
        if (row.number("dirty_limit") or _MIN_DIRTY + 1) <= _MIN_DIRTY:
            seconds = f.figure(row.cell("target_mttr_s"), "s", _ABSENT)
            return _without_start(seconds, f"{_MIN_DIRTY:,}") or seconds
    fixed = fixed_mttr_s(f)
    if fixed.value is None:
        return fixed
    note = "extrapolated from two rows of MTTR Advisory to 1,000 dirty blocks"
    return _at_dirty(f, _MIN_DIRTY).estimated(note)


@fact("checkpoint.fixed_mttr_s", "s", "mttr_advisory")
def fixed_mttr_s(f: Figures) -> Answer:
    """Startup and opening of the files: MTTR Advisory's estimate with 0 dirty blocks.

    Not available if that is less than an instance needs: then the estimate does not include them.
    """
    seconds = _at_dirty(f, 0)
    return _without_start(seconds, "0") or seconds.estimated(
        "extrapolated from two rows of MTTR Advisory to 0 dirty blocks"
    )


def _without_start(seconds: Number, blocks: str) -> Missing | None:
    """The reason if a time of MTTR Advisory is less than an instance needs to start."""
    if seconds.value is None or seconds.value >= LEAST_START_S:
        return None
    why = (
        "MTTR Advisory does not include start-up and opening of the files: its rows leave "
        f"{plain(seconds.value, 2)} s for {blocks} dirty blocks"
    )
    return Missing(why, ("mttr_advisory",))


@fact("checkpoint.mttr_per_block_ms", "ms", "mttr_advisory")
def mttr_per_block_ms(f: Figures) -> Number:
    """Recovery time per dirty block by MTTR Advisory, with the redo that belongs to it."""
    if isinstance(line := _line(f), Missing):
        return line
    low_s, high_s, low_dirty, high_dirty = line
    slope = (high_s - low_s) * 1000 / (high_dirty - low_dirty)
    return slope.citing(*line).estimated("the slope of two rows of MTTR Advisory")


def _at_dirty(f: Figures, blocks: int) -> Number:
    """The recovery time with a number of dirty blocks, on the advisory's straight line."""
    if isinstance(line := _line(f), Missing):
        return line
    low_s, high_s, low_dirty, high_dirty = line
    beyond = low_dirty - blocks if blocks else low_dirty
    return (low_s - beyond * (high_s - low_s) / (high_dirty - low_dirty)).citing(*line)


def _line(f: Figures) -> tuple[Number, Number, Number, Number] | Missing:
    """The ends of the advisory's straight line: its rows above the minimum of dirty blocks.

    Seconds and dirty blocks of the lower and of the higher end.
    """
    if (table := f.tables.get("mttr_advisory")) is None:
        return f.missing("mttr_advisory")
    free = [row for row in table.rows if (row.number("dirty_limit") or 0) > _MIN_DIRTY]
    if len(free) < 2:  # noqa: PLR2004 - a line has two ends
        return Missing("MTTR Advisory lacks two rows above 1,000 dirty blocks", ("mttr_advisory",))
    if again := _same_limit(free):
        return again
    low, high = free[0], free[-1]
    return (
        f.figure(low.cell("target_mttr_s"), "s", _ABSENT),
        f.figure(high.cell("target_mttr_s"), "s", _ABSENT),
        f.figure(low.cell("dirty_limit"), "blocks", _ABSENT),
        f.figure(high.cell("dirty_limit"), "blocks", _ABSENT),
    )


def _same_limit(rows: Sequence[Row]) -> Missing | None:
    """The reason if two targets have the same dirty limit: one of the rows is damaged."""
    limits = [text for row in rows if (text := row.text("dirty_limit"))]
    if len(set(limits)) == len(limits):
        return None
    return Missing("two targets of MTTR Advisory have the same dirty limit", ("mttr_advisory",))


@fact("checkpoint.advised_writes", "names", "mttr_advisory")
def advised_writes(f: Figures) -> Answer:
    """Cache writes at other targets as a ratio to those at the current one, by MTTR Advisory.

    The ratio uses the counts, not the factor, which text reports round to one decimal. Total
    writes include direct writes, which no target changes, and are not in every row. The evidence
    has the cell of the target and the cell of the writes for every target, in pairs.
    """
    if (table := f.tables.get("mttr_advisory")) is None:
        return f.missing("mttr_advisory")
    rows = [r for r in table.rows if r.number("target_mttr_s") and r.number("cache_writes")]
    if len(rows) < 2:  # noqa: PLR2004 - a curve has two points
        return Missing("MTTR Advisory lacks two rows with writes", ("mttr_advisory",))
    disputed = next((row for row in rows if row.key in table.disputes), None)
    if disputed is not None:
        return twice(table, disputed)
    targets = [row.number("target_mttr_s") or 0 for row in rows]
    if targets != sorted(targets):
        why = "the targets of MTTR Advisory are not in ascending order"
        return Missing(why, ("mttr_advisory",))
    if again := _same_limit(rows):
        return again
    if isinstance(now := _current(f, rows), Missing):
        return now
    base = now.number("cache_writes") or 1.0
    proof: list[Evidence] = []
    shown = []
    for row in rows:
        cells = (row.cell("target_mttr_s"), row.cell("cache_writes"))
        proof += [f.evidence(cell) for cell in cells if cell is not None]
        ratio = (row.number("cache_writes") or 0.0) / base
        shown.append(f"{row.number('target_mttr_s'):.0f} s: ×{ratio:.2f}")
    note = f"the row of {now.number('target_mttr_s'):.0f} s represents the target in force"
    return text_fact(tuple(shown), tuple(proof), "derived", note)


@fact("checkpoint.advised_now_s", "s", "mttr_advisory")
def advised_now_s(f: Figures) -> Answer:
    """Target of the row of MTTR Advisory that represents the setting in force."""
    table = f.tables.get("mttr_advisory")
    if table is None or not table.rows:
        return f.missing("mttr_advisory")
    if isinstance(now := _current(f, table.rows), Missing):
        return now
    return f.figure(now.cell("target_mttr_s"), "s", _ABSENT)


def _current(f: Figures, rows: Sequence[Row]) -> Row | Missing:
    """The row nearest to the target in force; if that is not in the report, nearest to factor 1."""
    target = f.row_figure("instance_recovery", "E", "target_mttr_s", "")
    if isinstance(target, Figure) and target.value:
        return min(rows, key=lambda row: abs((row.number("target_mttr_s") or 0) - target.value))
    factors = [row.number("cache_write_factor") for row in rows]
    if None in factors:
        why = (
            "a factor of MTTR Advisory cannot be read, and the target in force is not in the report"
        )
        return Missing(why, ("mttr_advisory",), lost=True)
    return min(rows, key=lambda row: abs((row.number("cache_write_factor") or 0) - 1))


def read(f: Figures) -> Curves:
    """The advisories of a report; rows that lack a figure are left out."""
    return Curves(_pga(f))


def _pga(f: Figures) -> tuple[PgaPoint, ...]:
    table = f.tables.get("pga_advisory")
    found = []
    for row in table.rows if table else ():
        target, extra = row.number("target_mb"), row.number("extra_mb")
        if target is not None and extra is not None:
            over = row.number("overallocations")
            found.append(PgaPoint(target, extra, over, row.number("size_factor") == 1))
    return tuple(sorted(found))
