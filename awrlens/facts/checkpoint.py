"""Checkpoints: targets, limits and parameters, why DBWR writes, how much, and how busy it is.

Sources: "Fast-Start Checkpointing Best Practices"; V$INSTANCE_RECOVERY (its WRITES_* are
Checkpoint Activity, in AWR since 11.2) in Oracle's Reference. Statistics cannot replace these: in
one interval, `DBWR thread checkpoint buffers written` was the sum of Thread Ckpt Writes and Log
Size Writes. DBWR is busy while it waits for `db file parallel write` or, since 11.2, to submit
writes; its capacity is what it wrote, divided by its busy share, at the latency of the interval.
"""

from __future__ import annotations

from typing import Final

from awrlens.facts.answers import Answer, as_input, needed, text_fact
from awrlens.facts.counters import SINCE_10G, kept
from awrlens.facts.figures import Figures, formula, several
from awrlens.facts.formula import Figure, Missing, Number, add, joined, readable
from awrlens.facts.placement import place
from awrlens.facts.redo import timed
from awrlens.facts.sections import BG, BLOCK_SIZE, ELAPSED, FG, PARAMETERS, RECOVERY, STATS
from awrlens.facts.tablespaces import owners, temporary, torn
from awrlens.facts.temp import block_size
from awrlens.facts.waits import average, wait_count, wait_ms, waited_s
from awrlens.model.fact_table import fact
from awrlens.oracle import checkpoints
from awrlens.units import parse_setting

#: Limits of Instance Recovery Stats and the names that `checkpoint.binding_limit` gives them.
_LIMITS: Final = (
    ("log_size_redo_blocks", "log_size"),
    ("timeout_redo_blocks", "timeout"),
    ("interval_redo_blocks", "interval"),
)
#: The section reads every limit at another moment, so equal limits may differ by this share.
_SAME: Final = 0.01


def _at(f: Figures, column: str, row: str = "E") -> Number:
    """A cell of Instance Recovery Stats at the end (E) or begin (B) snapshot."""
    return f.row_figure("instance_recovery", row, column, "")


@several("count", RECOVERY)
def recovery(f: Figures, column: str, snapshot: str = "end") -> Answer:
    """Instance Recovery Stats, {snapshot} snapshot: {column}."""
    return _at(f, column, snapshot[0].upper())


recovery("checkpoint.estimated_ios", "estimated_ios")
recovery("checkpoint.actual_redo_blocks", "actual_redo_blocks")
recovery("checkpoint.begin_redo_blocks", "actual_redo_blocks", "begin")
recovery("checkpoint.target_redo_blocks", "target_redo_blocks")
recovery("checkpoint.log_size_redo_blocks", "log_size_redo_blocks")
recovery("checkpoint.timeout_redo_blocks", "timeout_redo_blocks")
recovery("checkpoint.interval_redo_blocks", "interval_redo_blocks")
recovery.but(unit="MB")("checkpoint.optimal_log_mb", "optimal_log_mb")
recovery.but(unit="s", better="lower over time")("checkpoint.rac_available_s", "rac_available_s")


@fact("checkpoint.target_mttr_s", "s", RECOVERY, title="Recovery target")
def target_mttr_s(f: Figures) -> Answer:
    """The recovery target in force, in seconds; 0 if none is set."""
    target = _at(f, "target_mttr_s")
    unset = "0 means that FAST_START_MTTR_TARGET is 0 or not set"
    return target.noted(unset) if target.value == 0 else target


@fact("checkpoint.binding_limit", "name", RECOVERY)
def binding_limit(f: Figures) -> Answer:
    """The limit that sets the target redo blocks."""
    target = needed(_at(f, "target_redo_blocks"))
    cells = {name: _at(f, column) for column, name in _LIMITS}
    if lost := next((cell for cell in cells.values() if cell.lost), None):
        return lost
    limits = {name: x for name, x in cells.items() if isinstance(x, Figure) and x.value > 0}
    mttr = _at(f, "target_mttr_s")
    # a limit that is not set is blank, but every database has redo logs
    unread = [x for x in (cells["log_size"], mttr) if isinstance(x, Missing)]
    proof = list(target.evidence)
    close = [n for n, x in limits.items() if abs(x.value - target.value) <= _SAME * x.value]
    if close and target.value > 0:
        name = min(close, key=lambda n: abs(limits[n].value - target.value))
        proof += limits[name].evidence
        note = f"target {target.shown} redo blocks, {name} limit {limits[name].shown}"
    elif any(cell.blank or cell.lost for cell in unread):
        return joined(*unread)
    elif isinstance(mttr, Figure) and mttr.value > 0:
        name, note = "mttr", f"target {target.shown} redo blocks, below every other limit"
        proof += mttr.evidence
    else:
        name, note = "none", "no MTTR target, and no limit equals the target redo blocks"
    return text_fact(name, tuple(proof), "derived", note)


waited_s("checkpoint.incomplete_wait_s", "to reuse a redo log whose checkpoint was not complete",
    "log file switch (checkpoint")  # fmt: skip


@several("s", PARAMETERS)
def parameter(f: Figures, name: str, unit: str = "s", since: tuple[int, int] = (0, 0)) -> Answer:
    """Initialization parameter `{name}`; reports list only non-default values."""
    f.table("parameters")
    printed = f.parameter(name)
    if printed is None:
        has_it = f.release is None or f.release >= since
        why = "it has its default value" if has_it else "this release does not have it"
        return Missing(f"parameter {name} is not in the report: {why}")
    return f.setting(name, "", unit) or Missing(f"{name} is shown as `{printed[0]}`")


parameter("checkpoint.fast_start_mttr_target_s", "fast_start_mttr_target", since=(9, 0))
parameter("checkpoint.log_checkpoint_timeout_s", "log_checkpoint_timeout")
parameter.but(unit="count")("checkpoint.log_checkpoint_interval", "log_checkpoint_interval",
    "count")  # fmt: skip
parameter.but(unit="count")("checkpoint.fast_start_io_target", "fast_start_io_target", "count")
parameter.but(unit="count")("checkpoint.db_block_max_dirty_target", "db_block_max_dirty_target",
    "count")  # fmt: skip


@fact("checkpoint.limit_before_9i", "name", PARAMETERS, STATS, ELAPSED)
def limit_before_9i(f: Figures) -> Answer:
    """What limits recovery in releases before 9i, which have no FAST_START_MTTR_TARGET."""
    if (f.release or _TARGETS) >= _TARGETS:
        return Missing("FAST_START_MTTR_TARGET exists since 9i")
    none = Missing("no parameter that limits recovery is in the report")
    values = {checkpoints.PARAMETERS[n]: f.setting(n.lower()) or none for n in _REDO_LIMITS}
    needed(next((value for value in values.values() if value is not none), none))
    values["redo.bytes_per_s"] = f.stat("redo size", "B") / f.elapsed
    said = "no target before 9i"
    for limit in checkpoints.redo_limits(lambda name: values.get(name, none).value)[:1]:
        said += f"; {limit.setting.partition('=')[0]} allows {limit.size} of redo"
    proof = [cell for value in values.values() for cell in value.evidence]
    return text_fact(said, tuple(proof), "derived", "FAST_START_MTTR_TARGET came with 9i")


#: The first release with FAST_START_MTTR_TARGET.
_TARGETS: Final = (9, 0)
_REDO_LIMITS: Final = ("LOG_CHECKPOINT_INTERVAL", "LOG_CHECKPOINT_TIMEOUT")
wait_count("checkpoint.incomplete_waits", "to reuse a redo log whose checkpoint was not complete",
    "log file switch (checkpoint")  # fmt: skip
wait_ms(
    "checkpoint.incomplete_wait_ms",
    "in ms to reuse a redo log whose checkpoint was not complete",
    "log file switch (checkpoint",
)


_DBWR_WAITS: Final = ("free buffer waits", "write complete waits")


wait_ms("checkpoint.buffer_wait_ms", "of sessions for DBWR in ms", *_DBWR_WAITS)


#: Checkpoints of single objects: direct-path reads and truncates (KO, RO), reuse of the blocks of
#: dropped or truncated segments and LOBs (CR).
_OBJECT_WAITS: Final = (
    "enq: KO - fast object", "enq: RO - fast object", "enq: CR - block range",
)  # fmt: skip
waited_s("checkpoint.object_wait_s", "for DBWR to write the blocks of one object", *_OBJECT_WAITS)
wait_ms("checkpoint.object_wait_ms", "in ms for the checkpoint of one object", *_OBJECT_WAITS)
# a session that truncates or drops waits for the write of its own buffers, one by one
waited_s("checkpoint.local_write_wait_s", "until DBWR had written buffers for a truncate or drop",
    "local write wait")  # fmt: skip
formula("checkpoint.local_write_wait_ms", "ms", FG, "Average `local write wait` in ms.",
    lambda f: average(f, "local write wait"))  # fmt: skip


@several("name", PARAMETERS)
def setting(f: Figures, name: str, default: str) -> Answer:
    """Initialization parameter `{name}`; {default} is its default."""
    f.table("parameters")
    printed = f.parameter(name)
    if printed is not None:
        value = printed[0].strip().upper()
        blank = Missing(f"{name} is blank")
        return text_fact(value, (printed[1],), "measured") if value else blank
    if not f.complete:
        return Missing(f"the excerpt has no {name}")
    return text_fact(default, (), "estimated", f"{name} has its default value (not listed)")


setting("checkpoint.disk_asynch_io", "disk_asynch_io", "TRUE")
setting("checkpoint.filesystemio_options", "filesystemio_options", "DEFAULT")


@fact("checkpoint.asm", "name", "file_io|parameters")
def asm(f: Figures) -> Answer:
    """Whether data files are in ASM (`yes`, `no`), by file names in File IO Stats or parameters."""
    if (table := f.tables.get("file_io")) is not None:
        rows = zip(table.texts("filename"), table.texts("reads"), strict=True)
        # a row without figures is one of the headings of a torn table
        if first := next((name for name, reads in rows if reads and place(name)), ""):
            return text_fact("yes" if first.startswith("+") else "no", (), "derived")
    printed = f.parameter("control_files") or f.parameter("db_create_file_dest")
    if printed is None or not printed[0]:
        return f.missing("file_io")
    is_asm = printed[0].lstrip("'\" ").startswith("+")
    return text_fact("yes" if is_asm else "no", (printed[1],), "estimated")


#: The first release with automatic checkpoint tuning.
#: # Oracle Database Performance Tuning Guide 10g
_SELF_TUNED: Final = (10, 1)


@fact("checkpoint.target_set", "name", PARAMETERS)
def target_set(f: Figures) -> Answer:
    """Whether FAST_START_MTTR_TARGET is set: `yes`, `no`, or `off`: since 10.1, set to 0.

    Its default is 0, too. Reports list it only if it was set: then 0 turns automatic checkpoint
    tuning off, which is on while it is not set. Compare-period reports list all parameters, also
    those that were not set (10.2), so a 0 in them may be the default.
    """
    f.table("parameters")
    printed = f.parameter("fast_start_mttr_target")
    if printed is None and not f.complete:
        return Missing("the excerpt has no such parameter")
    if printed is None:
        return text_fact("no", (), "estimated", "it has its default value, 0 (not listed)")
    text = printed[0].strip()
    value = parse_setting(text, "s")
    if value is None:
        shown = f"shown as `{text}`" if text else "blank"
        return Missing(f"fast_start_mttr_target is {shown}")
    if value:
        return text_fact("yes", (printed[1],), "measured")
    if f.release is None or f.release < _SELF_TUNED:
        return text_fact("no", (printed[1],), "measured")
    if f.is_compared:
        return text_fact("no", (printed[1],), "estimated", "0, which is probably its default")
    note = "set to 0, which turns automatic checkpoint tuning off"
    return text_fact("off", (printed[1],), "measured", note)


waited_s("checkpoint.buffer_wait_s", "for DBWR: no free buffer, or the buffer was being written",
    *_DBWR_WAITS)  # fmt: skip


@fact("checkpoint.datafiles", "count", "file_io")
def datafiles(f: Figures) -> Answer:
    """Number of data files (without tempfiles) in File IO Stats."""
    table = f.table("file_io")
    needed(torn(f, "file_io"))
    temp = {space.name for space in temporary(f)}
    pairs = zip(owners(f, table), table.texts("filename"), strict=True)
    files = {filename for owner, filename in pairs if filename and owner not in temp}
    note = "files without I/O in the interval are not listed, so there may be more"
    return text_fact(len(files), (), "derived" if f.complete else "estimated", note)


_CHECKPOINTS: Final = "checkpoint_activity"
#: Columns of Checkpoint Activity and the cause that each counts, in words.
CAUSES: Final = {
    "mttr_writes": "the recovery target",
    "log_size_writes": "the size of the redo logs",
    "log_ckpt_writes": "LOG_CHECKPOINT_INTERVAL or LOG_CHECKPOINT_TIMEOUT",
    "other_settings_writes": "other settings (FAST_START_IO_TARGET)",
    "autotune_writes": "automatic checkpoint tuning",
    "thread_writes": "thread checkpoints (log switches, ALTER SYSTEM CHECKPOINT)",
}
_NOT_PRINTED: Final = "(no Checkpoint Activity section)"
_BUFFERS: Final = "DBWR checkpoint buffers written"
_WHOLE_PCT: Final = 100.0
_ABOVE_ALL: Final = "above 100 %: Oracle counts the two separately, so they need not agree"


@kept
def _caused(f: Figures, column: str) -> Number:
    return f.single(_CHECKPOINTS, column, column.replace("_", " "))


@kept
def _all_caused(f: Figures) -> Number:
    figures = [_caused(f, column) for column in CAUSES]
    present = needed(readable(figures))
    return add(present, "checkpoint writes") if present else figures[0]


@kept
def written(f: Figures) -> Number:
    """Blocks that DBWR wrote; if the statistics are cut off, an estimate."""
    cache = from_cache(f)
    if isinstance(cache, Figure) or cache.lost or (f.complete and not cache.never):
        return cache
    table = f.tables.get(_CHECKPOINTS)
    note = table.note("total_physical_writes") if table is not None and table.rows else None
    if note is not None:
        return f.figure(note, "physical writes", f.table(_CHECKPOINTS)).estimated()
    buffered = _not_direct(f)
    if buffered.lost:
        return buffered
    return buffered.otherwise(f.stat("physical writes", "physical writes")).estimated()


@kept
def from_cache(f: Figures) -> Number:
    """Blocks written from the cache: counted since 10g, before it all that are not direct."""
    cache = f.stat("physical writes from cache", "writes from cache")
    is_counted = f.release is not None and f.release >= SINCE_10G
    return cache if isinstance(cache, Figure) or cache.lost or is_counted else _not_direct(f)


@kept
def _not_direct(f: Figures) -> Number:
    """Physical writes without direct writes, which sessions do themselves."""
    # Oracle Database Reference, "physical writes": direct ones and those of the buffer cache
    writes = needed(f.stat("physical writes", "physical writes"))
    direct = needed(f.stat("physical writes direct", "direct writes"))
    return add([writes], "writes from cache", less=[direct]) if direct.value else writes


def share_of_written(f: Figures, part: Number, note: str = "") -> Number:
    """Share of some blocks in all that DBWR wrote; a note explains more than 100 %."""
    share = part * 100 / written(f)
    if isinstance(share, Figure) and share.value > _WHOLE_PCT:
        return share.noted("; ".join(filter(None, (note, _ABOVE_ALL))))
    return share.noted(note)


@fact(
    "checkpoint.write_pct",
    "%",
    f"{_CHECKPOINTS}|{STATS}",
    better="lower over time",
    title="Checkpoints in DBWR's writes",
)
def write_pct(f: Figures) -> Answer:
    """Share of checkpoint writes in all that DBWR wrote from the cache (before 10g: all writes).

    They are in Checkpoint Activity, otherwise in DBWR's count of checkpoint buffers: 1 to 5 points
    apart in 22 real reports. All physical writes but `physical writes non checkpoint` are another
    quantity: up to 91 points apart, in 75 of 80 reports more than 5.
    """
    caused = _all_caused(f)
    if isinstance(caused, Figure) or caused.lost:
        return share_of_written(f, caused)
    buffers = f.stat(_BUFFERS, "checkpoint buffers")
    if isinstance(buffers, Figure):
        return share_of_written(f, buffers, f"DBWR's own count {_NOT_PRINTED}")
    writes, direct = (f.stat(name, name) for name in ("physical writes", "physical writes direct"))
    if writes.value and direct.value and 0 < writes.value <= direct.value:
        why = "the report has no writes of DBWR: those for a pluggable database are not its own"
        return Missing(why)
    return joined(caused, buffers)


@several("%", _CHECKPOINTS)
def cause_pct(f: Figures, column: str, _cause: str) -> Answer:
    """Share of DBWR's block writes caused by {_cause}."""
    return share_of_written(f, _caused(f, column))


cause_pct("checkpoint.mttr_write_pct", "mttr_writes", CAUSES["mttr_writes"])
cause_pct("checkpoint.log_size_write_pct", "log_size_writes", CAUSES["log_size_writes"])
cause_pct("checkpoint.log_ckpt_write_pct", "log_ckpt_writes", CAUSES["log_ckpt_writes"])
cause_pct("checkpoint.other_settings_write_pct", "other_settings_writes",
    CAUSES["other_settings_writes"])  # fmt: skip
cause_pct("checkpoint.autotune_write_pct", "autotune_writes", CAUSES["autotune_writes"])
cause_pct("checkpoint.thread_write_pct", "thread_writes", CAUSES["thread_writes"])


@fact("checkpoint.main_cause", "name", _CHECKPOINTS)
def main_cause(f: Figures) -> Answer:
    """The cause of most checkpoint writes: the largest column of Checkpoint Activity."""
    figures = {column: _caused(f, column) for column in CAUSES}
    present = {name: figure for name, figure in figures.items() if isinstance(figure, Figure)}
    if not needed(readable(figures.values())):
        return f.missing(_CHECKPOINTS)
    name = max(present, key=lambda column: present[column].value)
    total = sum(figure.value for figure in present.values())
    if not total:
        return text_fact("none", present[name].evidence, "derived", "checkpoints wrote no blocks")
    share = present[name].value * 100 / total
    note = f"{share:.0f} % of all checkpoint writes are for {CAUSES[name]}"
    return text_fact(name.removesuffix("_writes"), present[name].evidence, "derived", note)


@fact("checkpoint.writes_per_s", "1/s", f"{_CHECKPOINTS}|{STATS}", ELAPSED)
def writes_per_s(f: Figures) -> Answer:
    """Blocks that checkpoints wrote per second (otherwise DBWR's count of checkpoint buffers)."""
    caused = _all_caused(f)
    if isinstance(caused, Figure) or caused.lost:
        return caused / f.elapsed
    return (f.stat(_BUFFERS, "checkpoint buffers") / f.elapsed).noted(
        f"DBWR's own count {_NOT_PRINTED}"
    )


formula("checkpoint.cache_writes_per_s", "1/s", (STATS, ELAPSED),
    "Blocks that DBWR wrote from the buffer cache per second.",
    lambda f: from_cache(f) / f.elapsed)  # fmt: skip


data_write_ms = formula("checkpoint.data_write_ms", "ms", BG,
    "Average time of DBWR's write batches: event `db file parallel write`.",
    lambda f: timed(f, f.background("db file parallel write").each_ms),
    title="db file parallel write")  # fmt: skip
formula("checkpoint.data_write_wait_s", "s", BG,
    "Seconds that DBWR waited for its write batches: event `db file parallel write`.",
    lambda f: f.background("db file parallel write").total_s)  # fmt: skip


@several("ms", BG)
def background_ms(f: Figures, event: str) -> Answer:
    """Average wait of background processes for `{event}`."""
    return f.background(event).each_ms


background_ms("checkpoint.async_submit_ms", "db file async I/O submit")
background_ms("io.control_write_ms", "control file parallel write")
formula("io.control_write_wait_s", "s", BG,
    "Seconds that background processes waited for writes to the control files.",
    lambda f: f.background("control file parallel write").total_s)  # fmt: skip


formula("checkpoint.async_submit_wait_s", "s", BG,
    "Seconds that DBWR waited to submit writes; it blocks there under full load (from 11.2).",
    lambda f: f.background("db file async I/O submit").total_s)  # fmt: skip
formula("checkpoint.submitted_write_ms", "ms", (BG, STATS),
    "Time of `db file async I/O submit` per block that DBWR wrote: a submit has many writes.",
    lambda f: f.background("db file async I/O submit").total_s * 1000 / from_cache(f))  # fmt: skip
formula("io.direct_write_ms", "ms", FG, "Average wait of sessions for `direct path write`.",
    lambda f: f.foreground("direct path write").each_ms)  # fmt: skip


@fact("io.direct_write_wait_s", "s", FG)
def direct_write_wait_s(f: Figures) -> Answer:
    """Seconds that sessions waited for direct path writes to data files (not to tempfiles)."""
    total_s = f.foreground("direct path write").total_s
    none = Figure(0, "s").noted("`direct path write` is not in the list of waits")
    return total_s.otherwise(none) if f.lacks("direct path write") else total_s


@fact("io.direct_write_b", "B", STATS, FG, BLOCK_SIZE)
def direct_write_b(f: Figures) -> Answer:
    """Average bytes per direct path write to data files: blocks written directly over waits."""
    temp = f.stat("physical writes direct temporary tablespace", "temp blocks")
    blocks = f.stat("physical writes direct", "blocks") - temp
    return blocks * block_size(f) / f.foreground("direct path write").waits


waited_s("checkpoint.free_buffer_wait_s", "for `free buffer waits`", "free buffer waits")
waited_s("checkpoint.write_complete_wait_s", "for `write complete waits`", "write complete waits")


#: CPUs for each DBWR by default. # Oracle Database Reference, DB_WRITER_PROCESSES
_CPUS_PER_WRITER: Final = 8


@kept
def _writers(f: Figures) -> Number:
    """Number of DBWR processes: DB_WRITER_PROCESSES, or its default by the number of CPUs."""
    printed = f.parameter("db_writer_processes")
    if printed is not None:
        number = f.setting("db_writer_processes", "DBWR processes")
        bad = Missing(f"db_writer_processes is shown as `{printed[0]}`")
        return number if number and number.value > 0 else bad
    f.table("parameters")
    by_cpus = f.release is None or f.release >= SINCE_10G  # before, the default is one process
    if by_cpus and f.header.cpus is None:
        return Missing("the report has no number of CPUs for the default")
    cpus = int((f.header.cpus or 0) // (f.instances.value or 1))
    default = max(1, cpus // _CPUS_PER_WRITER) if by_cpus else 1
    return Figure(default, "DBWR processes (default)", (), "", "estimated")


@kept
def _written_s(f: Figures) -> Number:
    """Seconds that DBWR waited for its writes, and to submit them."""
    writes = f.background("db file parallel write").total_s
    submits = f.background("db file async I/O submit").total_s
    if isinstance(lost := readable((writes, submits)), Missing) and lost.lost:
        return lost
    times = [time for time in (writes, submits) if isinstance(time, Figure)]
    proof = tuple(item for time in times for item in time.evidence)
    total_s = sum(time.value for time in times)
    if not total_s and isinstance(writes, Missing):
        return writes  # nothing was submitted that is not in it
    return Figure(total_s, "seconds of writing", proof)


formula("checkpoint.dbwr_busy_pct", "%", (BG, ELAPSED, PARAMETERS),
    "Share of the time of all DBWR processes that they spent on writes.",
    lambda f: _written_s(f) * 100 / (f.elapsed * _writers(f) * f.instances),
    better="lower")  # fmt: skip
formula("checkpoint.dbwr_capacity_per_s", "1/s", (BG, STATS, PARAMETERS),
    "Blocks per second that DBWR could write if it did nothing else, at the present latency.",
    lambda f: (from_cache(f) * _writers(f) * f.instances / _written_s(f)).noted(
        "at the latency of this interval, which rises if the storage comes near its own limit"),
    better="higher")  # fmt: skip


formula("checkpoint.dbwr_capacity_least_per_s", "1/s", (BG, PARAMETERS),
    "Blocks per second that DBWR can write at least: its batches have one block or more.",
    lambda f: (1000 * _writers(f) * f.instances / as_input(data_write_ms(f), "ms per batch")).noted(
        "a batch has at least one block; at the latency of this interval"),
    better="higher")  # fmt: skip
