"""Recovery time: its range, its fixed part, and the writes at other targets.

Sources: "Fast-Start Checkpointing Best Practices"; V$INSTANCE_RECOVERY and V$MTTR_TARGET_ADVICE in
Oracle's Reference. The dirty blocks that MTTR Advisory allows grow linearly with the target, so two
rows give the recovery time with 0 dirty blocks (startup and opening of the files) and with the
minimum that Oracle uses, 1,000.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.facts.answers import Answer, needed, text_fact
from awrlens.facts.figures import formula, several
from awrlens.facts.formula import Figure, Missing, Number, joined, readable, twice, value_of
from awrlens.facts.sections import RECOVERY
from awrlens.model.fact_table import fact
from awrlens.oracle.checkpoints import CONTRADICT, LEAST_START_S, MB, NOT_ESTIMATED, REDO_BLOCK_B
from awrlens.units import plain

if TYPE_CHECKING:
    from collections.abc import Sequence

    from awrlens.facts.figures import Figures
    from awrlens.report.table import Row


#: Minimum of dirty blocks; # Fast-Start Checkpointing Best Practices, "Lower Bound on MTTR"
_MIN_DIRTY: Final = 1000
#: Two estimates contradict each other if the higher is this many times what more redo or more dirty
#: blocks explain. In real reports others differ at most by 1.5; three idle ones by 2, 13 and 165.
_CONTRADICT: Final = 2.0
#: They are not a contradiction if they differ by fewer seconds.
_CONTRADICT_S: Final = 10.0
#: Estimates are whole seconds.
_ROUNDED_S: Final = 0.5


#: The estimate, and what it is of.
_COLUMNS: Final = ("estimated_mttr_s", "estimated_ios", "actual_redo_blocks")


def estimated_at(f: Figures, row: str) -> Number:
    """The estimated recovery time at a snapshot (B or E); 0 means that there is no estimate.

    Instances without FAST_START_MTTR_TARGET may show 0 although recovery needs redo and I/O.
    """
    estimate, ios, redo = (f.row_figure("instance_recovery", row, name, "") for name in _COLUMNS)
    if isinstance(estimate, Figure) and not estimate.value:
        if row == "B" or redo.value is None or ios.value is None:
            return Missing(NOT_ESTIMATED)
        read = f"{plain(redo.value * REDO_BLOCK_B / MB, 2)} MB of redo, {ios.value:,.0f} I/Os"
        return Missing(f"{NOT_ESTIMATED}: {read} at the end snapshot")
    return estimate.labelled("s")


def contradiction(f: Figures) -> Missing | None:
    """Why the estimates of both snapshots cannot be compared: nothing explains the higher one.

    Oracle's estimate grows with the dirty blocks and with the redo after the checkpoint. One that
    grows much more than either of them is not a recovery time.
    """
    begin, end = (
        [f.row_figure("instance_recovery", row, name, "").value for name in _COLUMNS]
        for row in ("B", "E")
    )
    shown = [value for value in (*begin, *end) if value is not None]
    if len(shown) < 2 * len(_COLUMNS):
        return None
    low, high = sorted((shown[:3], shown[3:]), key=lambda snapshot: snapshot[0])
    if high[0] - low[0] < _CONTRADICT_S or not (low[1] and low[2]):
        return None
    spread = (high[0] - _ROUNDED_S) / (low[0] + _ROUNDED_S)
    if spread <= _CONTRADICT * max(1.0, high[1] / low[1], high[2] / low[2]):
        return None
    begun, ended = (
        f"{time:,.0f} s with {dirty:,.0f} dirty blocks" for time, dirty, _ in (shown[:3], shown[3:])
    )
    return Missing(f"{CONTRADICT}: {begun}, {ended}")


formula("checkpoint.estimated_mttr_s", "s", RECOVERY,
    "Estimated recovery time at the end snapshot (V$INSTANCE_RECOVERY.ESTIMATED_MTTR).",
    lambda f: contradiction(f) or estimated_at(f, "E"),
    better="lower over time", title="Estimated recovery time")  # fmt: skip


@several("s", RECOVERY)
def estimate_s(f: Figures, which: str) -> Answer:
    """Estimated recovery time, the {which} of the snapshots in the report."""
    return (min if which == "minimum" else max)(_estimates(f), key=value_of)


estimate_s("checkpoint.estimated_mttr_low_s", "minimum")
estimate_s("checkpoint.estimated_mttr_high_s", "maximum")


def _estimates(f: Figures) -> list[Figure]:
    table = f.table("instance_recovery")
    if any(table.unread((f"{row} ",)) for row in ("B", "E")):
        return needed(Missing(f"a line of {table.title} cannot be split into columns"))
    times = [estimated_at(f, row) for row in ("B", "E")]
    if f.complete and None in (table.row("B"), table.row("E")):
        needed(next(time for time in times if isinstance(time, Missing)))
    lacking = [time for time in times if isinstance(time, Missing)]
    present = readable(times)
    return needed(joined(*lacking) if isinstance(present, Missing) or not present else present)


@fact("checkpoint.lowest_mttr_s", "s", f"mttr_advisory|{RECOVERY}")
def lowest_mttr_s(f: Figures) -> Answer:
    """The lowest target that Oracle can meet: MTTR Advisory's for 1,000 dirty blocks, or raised.

    A target in force above the parameter is one that Oracle has raised to the lowest.
    """
    for row in f.tables.get("mttr_advisory") or ():
        if (row.number("dirty_limit") or _MIN_DIRTY + 1) <= _MIN_DIRTY:
            lowest = f.figure(row.cell("target_mttr_s"), "s", f.table("mttr_advisory"))
            return _with_start(lowest, f"{_MIN_DIRTY:,}")
    asked = f.setting("fast_start_mttr_target")
    kept = f.row_figure("instance_recovery", "E", "target_mttr_s", "s")
    if asked and isinstance(kept, Figure) and 0 < asked.value < kept.value:
        return kept.noted(f"Oracle raised it from {asked.value:.0f} s")
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
    note = "extrapolated from two rows of MTTR Advisory to 0 dirty blocks"
    return _with_start(_at_dirty(f, 0).estimated(note), "0")


def _with_start(seconds: Number, blocks: str) -> Number:
    """A time of MTTR Advisory, unless it is less than an instance needs to start."""
    if seconds.value is None or seconds.value >= LEAST_START_S:
        return seconds
    return Missing(
        "MTTR Advisory does not include start-up and opening of the files: its rows leave "
        f"{plain(seconds.value, 2)} s for {blocks} dirty blocks"
    )


@fact("checkpoint.mttr_per_block_ms", "ms", "mttr_advisory")
def mttr_per_block_ms(f: Figures) -> Number:
    """Recovery time per dirty block by MTTR Advisory, with the redo that belongs to it."""
    low_s, high_s, low_dirty, high_dirty = line = _line(f)
    slope = (high_s - low_s) * 1000 / (high_dirty - low_dirty)
    return slope.citing(*line).estimated("the slope of two rows of MTTR Advisory")


def _at_dirty(f: Figures, blocks: int) -> Number:
    """The recovery time with a number of dirty blocks, on the advisory's straight line."""
    low_s, high_s, low_dirty, high_dirty = line = _line(f)
    beyond = low_dirty - blocks if blocks else low_dirty
    return (low_s - beyond * (high_s - low_s) / (high_dirty - low_dirty)).citing(*line)


def _line(f: Figures) -> list[Number]:
    """Both ends of the advisory's straight line above the minimum: seconds, then dirty blocks."""
    table = f.table("mttr_advisory")
    free = [row for row in table.rows if (row.number("dirty_limit") or 0) > _MIN_DIRTY]
    if len(free) < 2:  # noqa: PLR2004 - a line has two ends
        needed(Missing("MTTR Advisory lacks two rows above 1,000 dirty blocks"))
    _check_limits(free)
    return [
        f.figure(row.cell(name), label, table)
        for name, label in (("target_mttr_s", "s"), ("dirty_limit", "blocks"))
        for row in (free[0], free[-1])
    ]


def _check_limits(rows: Sequence[Row]) -> None:
    """If two targets have the same dirty limit, one of the rows is damaged."""
    limits = [text for row in rows if (text := row.text("dirty_limit"))]
    if len(set(limits)) < len(limits):
        needed(Missing("two targets of MTTR Advisory have the same dirty limit"))


@fact("checkpoint.advised_writes", "names", "mttr_advisory")
def advised_writes(f: Figures) -> Answer:
    """Cache writes at other targets as a ratio to those at the current one, by MTTR Advisory.

    The ratio uses the counts, not the factor, which text reports round to one decimal. Total
    writes include direct writes, which no target changes, and are not in every row. The evidence
    has the cell of the target and the cell of the writes for every target, in pairs.
    """
    table = f.table("mttr_advisory")
    rows = [r for r in table.rows if r.number("target_mttr_s") and r.number("cache_writes")]
    if len(rows) < 2:  # noqa: PLR2004 - a curve has two points
        return Missing("MTTR Advisory lacks two rows with writes")
    disputed = next((row for row in rows if row.key in table.disputes), None)
    if disputed is not None:
        return twice(table, disputed.key)
    targets = [row.number("target_mttr_s") or 0 for row in rows]
    if targets != sorted(targets):
        return Missing("the targets of MTTR Advisory are not in ascending order")
    _check_limits(rows)
    now = _current(f, rows)
    base = now.number("cache_writes") or 1.0
    proof = f.proof(*(row.cell(name) for row in rows for name in ("target_mttr_s", "cache_writes")))
    shown = tuple(
        f"{row.number('target_mttr_s'):.0f} s: ×{(row.number('cache_writes') or 0.0) / base:.2f}"
        for row in rows
    )
    note = f"the row of {now.number('target_mttr_s'):.0f} s represents the target in force"
    return text_fact(shown, proof, "derived", note)


@fact("checkpoint.advised_now_s", "s", "mttr_advisory")
def advised_now_s(f: Figures) -> Answer:
    """Target of the row of MTTR Advisory that represents the setting in force."""
    table = f.table("mttr_advisory")
    if not table.rows:
        return f.missing("mttr_advisory")
    return f.figure(_current(f, table.rows).cell("target_mttr_s"), "s", table)


def _current(f: Figures, rows: Sequence[Row]) -> Row:
    """The row nearest to the target in force; if that is not in the report, nearest to factor 1."""
    target = f.row_figure("instance_recovery", "E", "target_mttr_s", "")
    if isinstance(target, Figure) and target.value:
        return min(rows, key=lambda row: abs((row.number("target_mttr_s") or 0) - target.value))
    if None in [row.number("cache_write_factor") for row in rows]:
        unread = "a factor of MTTR Advisory cannot be read"
        needed(Missing(f"{unread}, and the target in force is not in the report", lost=True))
    return min(rows, key=lambda row: abs((row.number("cache_write_factor") or 0) - 1))
