"""Checkpoints: the recovery target, its limits, waits of sessions, parameters.

Sources: "Fast-Start Checkpointing Best Practices"; V$INSTANCE_RECOVERY in Oracle's Reference.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.fact_table import fact
from awrlens.facts.formula import (
    Figure,
    Missing,
    measured,
    text_fact,
    unavailable,
)
from awrlens.facts.numbers import average, counted, waited
from awrlens.facts.placement import place
from awrlens.facts.sections import FG, PARAMETERS, RECOVERY
from awrlens.facts.tablespace_tables import owners
from awrlens.facts.tablespaces import temporary
from awrlens.units import parse_number

if TYPE_CHECKING:
    from collections.abc import Callable

    from awrlens.facts.numbers import Figures
    from awrlens.model import Fact

#: Limits of Instance Recovery Stats and the names that `checkpoint.binding_limit` gives them.
_LIMITS: Final = (
    ("log_size_redo_blocks", "log_size"),
    ("timeout_redo_blocks", "timeout"),
    ("interval_redo_blocks", "interval"),
)
#: The section reads every limit at another moment, so equal limits may differ by this share.
_SAME: Final = 0.01


def _end(f: Figures, column: str, label: str = "") -> Figure | Missing:
    """A cell of Instance Recovery Stats at the end snapshot."""
    return f.row_figure("instance_recovery", "E", column, label)


def recovery(column: str, row: str = "E") -> Callable[[Figures], Fact]:
    """A fact that is one cell of Instance Recovery Stats at a snapshot."""

    def fact(f: Figures) -> Fact:
        return measured(f.row_figure("instance_recovery", row, column, ""))

    snapshot = "end" if row == "E" else "begin"
    fact.__doc__ = f"Instance Recovery Stats, {snapshot} snapshot: {column}."
    return fact


fact("checkpoint.estimated_ios", "count", RECOVERY, kind="level", better="neither")(
    recovery("estimated_ios")
)
fact("checkpoint.actual_redo_blocks", "count", RECOVERY, kind="level", better="neither")(
    recovery("actual_redo_blocks")
)
fact("checkpoint.begin_redo_blocks", "count", RECOVERY, kind="level", better="neither")(
    recovery("actual_redo_blocks", "B")
)
fact("checkpoint.target_redo_blocks", "count", RECOVERY, kind="level", better="neither")(
    recovery("target_redo_blocks")
)
fact("checkpoint.log_size_redo_blocks", "count", RECOVERY, kind="level", better="neither")(
    recovery("log_size_redo_blocks")
)
fact("checkpoint.timeout_redo_blocks", "count", RECOVERY, kind="level", better="neither")(
    recovery("timeout_redo_blocks")
)
fact("checkpoint.interval_redo_blocks", "count", RECOVERY, kind="level", better="neither")(
    recovery("interval_redo_blocks")
)
fact("checkpoint.optimal_log_mb", "MB", RECOVERY, kind="level", better="neither")(
    recovery("optimal_log_mb")
)
fact("checkpoint.rac_available_s", "s", RECOVERY, kind="level", better="lower over time")(
    recovery("rac_available_s")
)


@fact("checkpoint.target_mttr_s", "s", RECOVERY, kind="level", better="neither")
def target_mttr_s(f: Figures) -> Fact:
    """The recovery target in force, in seconds; 0 if none is set."""
    fact = measured(_end(f, "target_mttr_s"))
    if fact.value == 0:
        return fact._replace(note="0 means that FAST_START_MTTR_TARGET is 0 or not set")
    return fact


@fact("checkpoint.binding_limit", "name", RECOVERY, kind="level", better="neither")
def binding_limit(f: Figures) -> Fact:
    """The limit that sets the target redo blocks.

    `TARGET_REDO_BLKS` is the minimum of the limits by redo log size, timeout and interval. If it
    is below all of them, the MTTR target (or, without one, automatic checkpoint tuning) sets it.
    """
    target = _end(f, "target_redo_blocks")
    if isinstance(target, Missing):
        return unavailable(target)
    limits = {}
    for column, name in _LIMITS:
        figure = _end(f, column)
        if isinstance(figure, Missing) and figure.lost:
            return unavailable(figure)
        if isinstance(figure, Figure) and figure.value > 0:
            limits[name] = figure
    mttr = _end(f, "target_mttr_s")
    # a limit that is not set is blank, but every database has redo logs
    unread = [x for x in (_end(f, _LIMITS[0][0]), mttr) if isinstance(x, Missing)]
    proof = list(target.evidence)
    close = [n for n, x in limits.items() if abs(x.value - target.value) <= _SAME * x.value]
    if close and target.value > 0:
        name = min(close, key=lambda n: abs(limits[n].value - target.value))
        proof += limits[name].evidence
        note = f"target {target.shown} redo blocks, {name} limit {limits[name].shown}"
    elif any(each.blank or each.lost for each in unread):
        return unavailable(*unread)
    elif isinstance(mttr, Figure) and mttr.value > 0:
        name, note = "mttr", f"target {target.shown} redo blocks, below every other limit"
        proof += mttr.evidence
    else:
        name, note = "none", "no MTTR target, and no limit equals the target redo blocks"
    return text_fact(name, tuple(proof), "derived", note)


@fact("checkpoint.incomplete_wait_s", "s", FG, kind="total", better="lower")
def incomplete_wait_s(f: Figures) -> Fact:
    """Seconds that sessions waited to reuse a redo log whose checkpoint was not complete."""
    return waited(f, "log file switch (checkpoint")


def parameter(name: str, unit: str, since: tuple[int, int] = (0, 0)) -> Callable[[Figures], Fact]:
    """An initialization parameter that is a number; unavailable if it is not in the report."""

    def fact(f: Figures) -> Fact:
        if f.tables.get("parameters") is None:
            return unavailable(f.missing("parameters"))
        found = f.parameter(name)
        if found is None:
            known = f.release is None or f.release >= since
            why = "it has its default value" if known else "this release does not have it"
            why = f"parameter {name} is not in the report: {why}"
            return unavailable(Missing(why, ("parameters",)))
        value = parse_number(found[0], unit)
        if value is None:
            return unavailable(Missing(f"{name} is shown as `{found[0]}`", ("parameters",)))
        return text_fact(value, (found[1],), "measured")

    fact.__doc__ = f"Initialization parameter `{name}`; reports list only non-default values."
    return fact


fact("checkpoint.fast_start_mttr_target_s", "s", PARAMETERS, kind="setting", better="neither")(
    parameter("fast_start_mttr_target", "s", since=(9, 0))
)
fact("checkpoint.log_checkpoint_timeout_s", "s", PARAMETERS, kind="setting", better="neither")(
    parameter("log_checkpoint_timeout", "s")
)
fact("checkpoint.log_checkpoint_interval", "count", PARAMETERS, kind="setting", better="neither")(
    parameter("log_checkpoint_interval", "count")
)
fact("checkpoint.fast_start_io_target", "count", PARAMETERS, kind="setting", better="neither")(
    parameter("fast_start_io_target", "count")
)
fact("checkpoint.db_block_max_dirty_target", "count", PARAMETERS, kind="setting", better="neither")(
    parameter("db_block_max_dirty_target", "count")
)


@fact("checkpoint.incomplete_waits", "count", FG, kind="total", better="neither")
def incomplete_waits(f: Figures) -> Fact:
    """Number of waits to reuse a redo log whose checkpoint was not complete."""
    return counted(f, "log file switch (checkpoint")


@fact("checkpoint.incomplete_wait_ms", "ms", FG, kind="level", better="lower")
def incomplete_wait_ms(f: Figures) -> Fact:
    """Average wait in ms to reuse a redo log whose checkpoint was not complete."""
    return average(f, "log file switch (checkpoint")


_DBWR_WAITS: Final = ("free buffer waits", "write complete waits")


@fact("checkpoint.buffer_wait_ms", "ms", FG, kind="level", better="lower")
def buffer_wait_ms(f: Figures) -> Fact:
    """Average wait of sessions for DBWR in ms."""
    return average(f, *_DBWR_WAITS)


#: Checkpoints of single objects: direct-path reads and truncates (KO, RO), reuse of the blocks of
#: dropped or truncated segments and LOBs (CR).
_OBJECT_WAITS: Final = (
    "enq: KO - fast object", "enq: RO - fast object", "enq: CR - block range",
)  # fmt: skip


#: A session that truncates or drops waits for the write of its own buffers, one by one.
_LOCAL_WRITE: Final = ("local write wait",)


@fact("checkpoint.object_wait_s", "s", FG, kind="total", better="lower")
def object_wait_s(f: Figures) -> Fact:
    """Seconds that sessions waited for DBWR to write the blocks of one object."""
    return waited(f, *_OBJECT_WAITS)


@fact("checkpoint.object_wait_ms", "ms", FG, kind="level", better="lower")
def object_wait_ms(f: Figures) -> Fact:
    """Average wait in ms for the checkpoint of one object."""
    return average(f, *_OBJECT_WAITS)


@fact("checkpoint.local_write_wait_s", "s", FG, kind="total", better="lower")
def local_write_wait_s(f: Figures) -> Fact:
    """Seconds that sessions waited until DBWR had written buffers for a truncate or drop."""
    return waited(f, *_LOCAL_WRITE)


@fact("checkpoint.local_write_wait_ms", "ms", FG, kind="level", better="lower")
def local_write_wait_ms(f: Figures) -> Fact:
    """Average `local write wait` in ms."""
    return average(f, *_LOCAL_WRITE)


def setting(name: str, default: str) -> Callable[[Figures], Fact]:
    """An initialization parameter in upper case; its default if the report does not list it."""

    def fact(f: Figures) -> Fact:
        if f.tables.get("parameters") is None:
            return unavailable(f.missing("parameters"))
        found = f.parameter(name)
        if found is not None and not found[0].strip():
            return unavailable(Missing(f"{name} is blank", ("parameters",)))
        if found is not None:
            return text_fact(found[0].strip().upper(), (found[1],), "measured")
        if not f.complete:
            return unavailable(Missing(f"the excerpt has no {name}", ("parameters",)))
        return text_fact(default, (), "estimated", f"{name} has its default value (not listed)")

    fact.__doc__ = f"Initialization parameter `{name}`; {default} is its default."
    return fact


fact("checkpoint.disk_asynch_io", "name", PARAMETERS, kind="setting", better="neither")(
    setting("disk_asynch_io", "TRUE")
)
fact("checkpoint.filesystemio_options", "name", PARAMETERS, kind="setting", better="neither")(
    setting("filesystemio_options", "DEFAULT")
)


@fact("checkpoint.asm", "name", "file_io|parameters", kind="level", better="neither")
def asm(f: Figures) -> Fact:
    """Whether data files are in ASM (`yes`, `no`), by file names in File IO Stats or parameters."""
    table = f.tables.get("file_io")
    names = []
    if table is not None:  # a row without figures is one of the headings of a torn table
        rows = zip(table.texts("filename"), table.texts("reads"), strict=True)
        names = [name for name, reads in rows if reads and place(name)]
    if names:
        return text_fact("yes" if names[0].startswith("+") else "no", (), "derived")
    found = f.parameter("control_files") or f.parameter("db_create_file_dest")
    if found is None or not found[0]:
        return unavailable(f.missing("file_io"))
    return text_fact(
        "yes" if found[0].lstrip("'\" ").startswith("+") else "no", (found[1],), "estimated"
    )


#: The first release with automatic checkpoint tuning.
#: # Oracle Database Performance Tuning Guide 10g
_SELF_TUNED: Final = (10, 1)


@fact("checkpoint.target_set", "name", PARAMETERS, kind="setting", better="neither")
def target_set(f: Figures) -> Fact:
    """Whether FAST_START_MTTR_TARGET is set: `yes`, `no`, or `off`: since 10.1, set to 0.

    Its default is 0, too. Reports list it only if it was set: then 0 turns automatic checkpoint
    tuning off, which is on while it is not set. Compare-period reports list all parameters, also
    those that were not set (10.2), so a 0 in them may be the default.
    """
    if f.tables.get("parameters") is None:
        return unavailable(f.missing("parameters"))
    found = f.parameter("fast_start_mttr_target")
    if found is None:
        if not f.complete:
            return unavailable(Missing("the excerpt has no such parameter", ("parameters",)))
        return text_fact("no", (), "estimated", "it has its default value, 0 (not listed)")
    text = found[0].strip()
    value = parse_number(text, "s")
    if value is None:
        shown = f"shown as `{text}`" if text else "blank"
        return unavailable(Missing(f"fast_start_mttr_target is {shown}", ("parameters",)))
    if value:
        return text_fact("yes", (found[1],), "measured")
    if f.release is None or f.release < _SELF_TUNED:
        return text_fact("no", (found[1],), "measured")
    if f.is_compared:
        return text_fact("no", (found[1],), "estimated", "0, which is probably its default")
    note = "set to 0, which turns automatic checkpoint tuning off"
    return text_fact("off", (found[1],), "measured", note)


@fact("checkpoint.buffer_wait_s", "s", FG, kind="total", better="lower")
def buffer_wait_s(f: Figures) -> Fact:
    """Seconds that sessions waited for DBWR: no free buffer, or the buffer was being written."""
    return waited(f, *_DBWR_WAITS)


@fact("checkpoint.datafiles", "count", "file_io", kind="level", better="neither")
def datafiles(f: Figures) -> Fact:
    """Number of data files (without tempfiles) in File IO Stats."""
    table = f.tables.get("file_io")
    if table is None:
        return unavailable(f.missing("file_io"))
    temp = {each.name for each in temporary(f)}
    pairs = zip(owners(f, table), table.texts("filename"), strict=True)
    files = {filename for owner, filename in pairs if filename and owner not in temp}
    note = "files without I/O in the interval are not listed, so there may be more"
    return text_fact(len(files), (), "derived" if f.complete else "estimated", note)
