"""Checkpoints and recovery: what the instance aims at, what limits it, why DBWR writes.

Sources: document 1; V$INSTANCE_RECOVERY and V$MTTR_TARGET_ADVICE in Oracle's Reference.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.facts.figures import waited
from awrlens.facts.formula import (
    Figure,
    Missing,
    add,
    derive,
    measured,
    text_fact,
    unavailable,
)
from awrlens.facts.tablespaces import temporary
from awrlens.units import parse_number

if TYPE_CHECKING:
    from collections.abc import Callable

    from awrlens.facts.figures import Figures
    from awrlens.model import Fact

#: Checkpoint Activity: why DBWR wrote, column by column.
CAUSES: Final = (
    "mttr_writes",
    "log_size_writes",
    "log_ckpt_writes",
    "other_settings_writes",
    "autotune_writes",
    "thread_writes",
)
#: Limits of Instance Recovery Stats and the names that `checkpoint.binding_limit` gives them.
_LIMITS: Final = (
    ("log_size_redo_blocks", "log_size"),
    ("timeout_redo_blocks", "timeout"),
    ("interval_redo_blocks", "interval"),
)
#: The section prints each limit at its own instant, so equal ones may differ by this share.
_SAME: Final = 0.01
#: The low limit of dirty blocks; # document 1, "Lower Bound on MTTR"
_MIN_DIRTY: Final = 1000


def _end(f: Figures, column: str, label: str = "") -> Figure | Missing:
    """A cell of Instance Recovery Stats at the end snapshot."""
    return f.row_figure("instance_recovery", "E", column, label)


def recovery(column: str) -> Callable[[Figures], Fact]:
    """A fact that is one cell of Instance Recovery Stats at the end snapshot."""

    def fact(f: Figures) -> Fact:
        return measured(_end(f, column))

    fact.__doc__ = f"Instance Recovery Stats, end snapshot: {column}."
    return fact


def target_mttr_s(f: Figures) -> Fact:
    """The target that the instance keeps to, in seconds; 0 where none is set."""
    fact = measured(_end(f, "target_mttr_s"))
    if fact.value == 0:
        return fact._replace(note="0 means that FAST_START_MTTR_TARGET is not set")
    return fact


def binding_limit(f: Figures) -> Fact:
    """Which limit sets the target redo blocks.

    `TARGET_REDO_BLKS` is the least of the limits set by log size, timeout and interval; where it
    is below all of them, the MTTR target (or, without one, self-tuned checkpointing) drives.
    """
    target = _end(f, "target_redo_blocks")
    if isinstance(target, Missing):
        return unavailable(target)
    limits = {}
    for column, name in _LIMITS:
        figure = _end(f, column)
        if isinstance(figure, Figure) and figure.value > 0:
            limits[name] = figure
    mttr = _end(f, "target_mttr_s")
    proof = list(target.evidence)
    close = [n for n, x in limits.items() if abs(x.value - target.value) <= _SAME * x.value]
    if close and target.value > 0:
        name = min(close, key=lambda n: abs(limits[n].value - target.value))
        proof += limits[name].evidence
        note = f"target {target.shown} redo blocks, {name} limit {limits[name].shown}"
    elif isinstance(mttr, Figure) and mttr.value > 0:
        name, note = "mttr", f"target {target.shown} redo blocks is below every other limit"
        proof += mttr.evidence
    else:
        name, note = "none", "no MTTR target, and no limit equals the target redo blocks"
    return text_fact(name, tuple(proof), "derived", note)


def write_pct(f: Figures) -> Fact:
    """Checkpoint-caused writes in all physical writes."""
    table = f.tables.get("checkpoint_activity")
    if table is not None and table.rows:
        row = table.rows[0]
        absent = Missing("Checkpoint Activity has no such column", ("checkpoint_activity",))
        figures = [f.figure(row.cell(column), "", absent) for column in CAUSES]
        present = [figure for figure in figures if isinstance(figure, Figure)]
        note = table.note("total_physical_writes")
        writes = (
            f.figure(note, "physical writes", absent)
            if note is not None
            else f.stat("physical writes", "physical writes")
        )
        if present:
            caused = add(present, "checkpoint writes")
            return derive("caused * 100 / writes", caused=caused, writes=writes)
    return derive(
        "(writes - other) * 100 / writes",
        "Checkpoint Activity is not printed: reckoned from `physical writes non checkpoint`",
        writes=f.stat("physical writes", "physical writes"),
        other=f.stat("physical writes non checkpoint", "non checkpoint"),
    )


def incomplete_wait_s(f: Figures) -> Fact:
    """Seconds waited because a log could not be reused before its checkpoint was complete."""
    return waited(f, "log file switch (checkpoint")


def parameter(name: str, unit: str) -> Callable[[Figures], Fact]:
    """An initialization parameter that is a number; unavailable where it is not printed."""

    def fact(f: Figures) -> Fact:
        if f.tables.get("parameters") is None:
            return unavailable(f.missing("parameters"))
        found = f.parameter(name)
        if found is None:
            return unavailable(
                Missing(f"parameter {name} is not printed: it has its default", ("parameters",))
            )
        value = parse_number(found[0], unit)
        if value is None:
            return unavailable(Missing(f"{name} prints `{found[0]}`", ("parameters",)))
        return text_fact(value, (found[1],), "measured")

    fact.__doc__ = f"Initialization parameter `{name}`; only those not default are printed."
    return fact


def buffer_wait_s(f: Figures) -> Fact:
    """Seconds that sessions waited for DBWR: no free buffer, or one being written."""
    return waited(f, "free buffer waits", "write complete waits")


def lowest_mttr_s(f: Figures) -> Fact:
    """The lowest target that can be kept: MTTR Advisory's row for 1,000 dirty blocks."""
    table = f.tables.get("mttr_advisory")
    if table is None:
        return unavailable(f.missing("mttr_advisory"))
    rows = [r for r in table.rows if (r.number("dirty_limit") or _MIN_DIRTY + 1) <= _MIN_DIRTY]
    if not rows:
        return unavailable(
            Missing("MTTR Advisory has no row for 1,000 dirty blocks", ("mttr_advisory",))
        )
    absent = Missing("MTTR Advisory has no such column", ("mttr_advisory",))
    return measured(f.figure(rows[0].cell("target_mttr_s"), "s", absent))


def datafiles(f: Figures) -> Fact:
    """Number of data files (without temporary files) in File IO Stats."""
    table = f.tables.get("file_io")
    if table is None:
        return unavailable(f.missing("file_io"))
    temp = {each.name for each in temporary(f)}
    files = {
        row.text("filename")
        for row in table.rows
        if row.text("filename") and row.text("tablespace") not in temp
    }
    note = "files without I/O in the interval are not printed, so there may be more"
    return text_fact(len(files), (), "derived", note)
