"""Log switches: waits and their causes, time between switches, size of redo logs.

Sources: "Fast-Start Checkpointing Best Practices", "Upper Bound on MTTR" (redo behind the
checkpoint; later releases: ``awrlens.oracle.checkpoints``); "Write Accelerator", figures 4 and 5;
Oracle Database Reference, the `log file switch` events.
"""

from __future__ import annotations

from typing import Final

from awrlens.facts.answers import Answer, as_input, needed, text_fact
from awrlens.facts.checkpoint import parameter
from awrlens.facts.counters import kept
from awrlens.facts.figures import Figures, formula
from awrlens.facts.formula import Figure, Missing, Number
from awrlens.facts.histograms import slower_than
from awrlens.facts.redo import block_size, bytes_per_write
from awrlens.facts.sections import BG, BLOCK_SIZE, DB_TIME, ELAPSED, FG, RECOVERY, STATS, THREAD
from awrlens.facts.waits import per_instance, wait_count, wait_ms, waited_s
from awrlens.model.fact_table import fact
from awrlens.oracle.checkpoints import ALL_BUT_ONE_11G, limit_of


@kept
def log_switches(f: Figures) -> Number:
    """Log switches of this thread, with a note if another count replaces them.

    Without `log switches (derived)`, the checkpoints that log switches start are counted.
    """
    row = "log switches (derived)"
    printed = f.row_figure("instance_activity_thread", row, "total", "switches")
    if f.tables.get("instance_activity_thread") is not None:
        return printed
    note = "no log switches in the report: `background checkpoints started`, one per switch"
    started = f.stat("background checkpoints started", "switches").estimated(note)
    return printed.otherwise(started).otherwise(printed)


def _at_least(f: Figures) -> Number:
    """Log switches, at least 1 where Oracle derives 0 but sessions waited for one."""
    counted = log_switches(f)
    if isinstance(counted, Figure) and not counted.value and f.is_of_one:
        waits = f.of_sessions("waits", "log file switch completion")
        if isinstance(waits, Missing):
            return waits  # a 0 that nothing confirms
        if waits.value:
            least = Figure(1, "switch", (*counted.evidence, *waits.evidence))
            return least.estimated("at least 1: sessions waited for the completion of one")
    return counted


formula("redo.log_switches_per_hour", "1/h", (THREAD, ELAPSED),
    "Log switches per hour of a thread; a cluster report adds up those of all instances.",
    lambda f: per_instance(f, _at_least(f) * 3600 / f.elapsed),
    better="lower", title="Log switches")  # fmt: skip
formula("redo.switch_commands", "count", FG, "Waits for log switches that a command started.",
    lambda f: Missing("a comparison rounds their number") if f.is_compared
    else f.foreground("switch logfile command").waits, kind="total")  # fmt: skip
formula("redo.space_wait_s", "s", STATS,
    "Seconds that sessions waited for space in the redo log or the log buffer.",
    lambda f: f.stat("redo log space wait time", "cs") / 100)  # fmt: skip
formula("redo.space_requests", "count", STATS,
    "Number of requests that found no space in the current redo log.",
    lambda f: f.stat("redo log space requests", "requests"),
    kind="total", better="lower over time")  # fmt: skip
wait_count("redo.log_switch_waits", "of sessions for a log switch, whatever the cause",
    "log file switch")  # fmt: skip
formula("redo.log_switch_stalls", "count", "event_histogram",
    "Waits for log switches that took longer than 32 ms, from their histograms.",
    lambda f: slower_than(f, ("log file switch",), 32), kind="total")  # fmt: skip
wait_ms("redo.log_switch_wait_ms", "for a log switch in ms", "log file switch")
waited_s("redo.log_switch_wait_s", "for log switches, whatever their cause", "log file switch")
formula("redo.sync_pct_db_time", "%", (FG, DB_TIME), "Share of commit waits in DB time.",
    lambda f: f.foreground("log file sync").total_s * 100 / f.db_time,
    better="lower", title="Commit waits in DB time")  # fmt: skip
formula("redo.write_count", "count", STATS, "Number of redo writes.",
    lambda f: f.stat("redo writes", "writes"), kind="total")  # fmt: skip
formula("redo.parallel_write_wait_s", "s", BG, "Seconds that LGWR waited for its writes.",
    lambda f: f.background("log file parallel write").total_s)  # fmt: skip
waited_s("redo.sync_wait_s", "at commit; 0 if a complete list lacks the event", "log file sync")
formula("redo.sync_count", "count", FG, "Number of waits of sessions at commit.",
    lambda f: f.foreground("log file sync").waits, kind="total")  # fmt: skip
waited_s("redo.buffer_wait_s", "for space in the log buffer", "log buffer space")
wait_ms("redo.buffer_wait_ms", "for space in the log buffer in ms", "log buffer space")
waited_s("redo.archive_wait_s", "because a redo log was not archived yet",
    "log file switch (archiving")  # fmt: skip


#: LGWR also writes headers of redo logs and data files, and MB are rounded: the quotient may be
#: off by this part of a member. Fewer bytes are not enough; more members are implausible.
#: # awrlens: an assumption; real reports of 11.2 to 19c are off by 0.05 at most from 20 MB on
_OFF: Final = 0.15
_LEAST_B: Final = 10 * 2**20
_MOST_MEMBERS: Final = 4


#: LGWR writes by itself at this size or at a third of the buffer.
#: # Write Accelerator, "Redo Log Writes"
_FULL_B: Final = 2**20
_PART_OF_BUFFER: Final = 3


@fact("redo.write_fill_pct", "%", STATS, BLOCK_SIZE, beyond=True)
def write_fill_pct(f: Figures) -> Answer:
    """Bytes per redo write as a share of the size at which LGWR writes by itself.

    That is a third of the log buffer, at most 1 MB. A small share means that commits and other
    processes, not a full buffer, make LGWR write.
    """
    limit = needed(f.row_figure("cache_sizes", "log_buffer", "value", "B"))
    third = limit.value / _PART_OF_BUFFER
    what = "B, a third of the log buffer" if third < _FULL_B else "B"
    limit = Figure(min(third, _FULL_B), what, limit.evidence)
    return as_input(bytes_per_write(f), "B per write") * 100 / limit


@fact("redo.log_buffer_mb", "MB", "cache_sizes|cache_sizes_by_instance|sga_breakdown",
      kind="setting")  # fmt: skip
def log_buffer_mb(f: Figures) -> Answer:
    """Size of the log buffer; its redo strands need space in a redo log at the switch.

    AWR prints the memory that was allocated (a comparison only in its SGA breakdown), Statspack the
    parameter LOG_BUFFER.
    """
    buffer = f.row_figure("cache_sizes", "log_buffer", "value", "B")
    if not isinstance(buffer, Missing) or buffer.lost:
        return buffer / 1024 / 1024
    if f.is_compared and (breakdown := f.tables.get("sga_breakdown")) is not None:
        for row in breakdown:
            if row.text("name") == "log_buffer":
                return f.figure(row.cell("end_mb"), "MB", breakdown)
    return f.of_instance("cache_sizes_by_instance", "log_buffer_mb", "MB", buffer)


waited_s("redo.switch_strand_wait_s", "at log switches for the flush of private strands",
    "log file switch (private strand")  # fmt: skip
waited_s("redo.switch_completion_wait_s",
    "for the log switch itself, or for a redo log to be cleared",
    "log file switch completion", "log file switch (clearing")  # fmt: skip


@fact("redo.minutes_per_switch", "min", THREAD, ELAPSED, better="higher over time")
def minutes_per_switch(f: Figures) -> Answer:
    """Average time between log switches of a thread in minutes."""
    elapsed = f.elapsed if f.is_of_one else f.elapsed * f.instances
    return elapsed / 60 / log_switches(f)


archive_lag_target_s = parameter("redo.archive_lag_target_s", "archive_lag_target", since=(9, 0))
parameter.but(unit="B")("redo.recovery_area_b", "db_recovery_file_dest_size", "B", since=(10, 1))


@fact("redo.lag_share_pct", "%", THREAD, ELAPSED, "parameters", beyond=True)
def lag_share_pct(f: Figures) -> Answer:
    """Time between log switches as a share of ARCHIVE_LAG_TARGET, which forces a switch after it.

    Near 100 %, redo logs switch because of it, whatever their size.
    """
    target = archive_lag_target_s(f)
    if not target.number:
        return Missing("archive_lag_target is not set")
    return as_input(minutes_per_switch(f), "min") * 60 * 100 / as_input(target, "s")


@fact("redo.mb_per_switch", "MB", THREAD, STATS)
def mb_per_switch(f: Figures) -> Answer:
    """Redo written to one member between two log switches: the content of a redo log at the switch.

    It is below the size of the redo log if `archive_lag_target` or a backup forces switches.
    """
    return f.stat("redo blocks written", "blocks") * block_size(f) / 1024 / 1024 / log_switches(f)


formula("redo.log_mb", "MB", RECOVERY,
    "Size of the smallest redo log, from the limit that it sets for checkpoints (up to 9.2).",
    lambda f: _size_by_limit(f, of_all_but_one=False))  # fmt: skip
formula("redo.other_logs_mb", "MB", RECOVERY,
    "Size of all redo logs but one: room before a checkpoint must be complete (10g and later).",
    lambda f: _size_by_limit(f, of_all_but_one=True))  # fmt: skip


def _size_by_limit(f: Figures, *, of_all_but_one: bool) -> Number:
    blocks = f.row_figure("instance_recovery", "E", "log_size_redo_blocks", "redo blocks")
    limit, columns = needed(blocks), f.table("instance_recovery").columns
    if limit.value <= 0:
        return Missing("Instance Recovery Stats has no log size limit")
    rule = limit_of(f.header.release)
    if rule is None and any(column.name == "optimal_log_mb" for column in columns):
        rule = ALL_BUT_ONE_11G
    if rule is None:
        return Missing("the release is unknown, so it is unclear for which redo logs the limit is")
    if rule.of_all_but_one and not of_all_but_one:
        why = "from 10g on, the limit in Instance Recovery Stats is for all redo logs but one "
        return Missing(f"{why}(redo.other_logs_mb): the size of one is not in the report")
    if of_all_but_one and not rule.of_all_but_one:
        why = "up to 9.2, the limit in Instance Recovery Stats is for one redo log"
        return Missing(f"{why} (redo.log_mb)")
    block_b = block_size(f)
    if block_b.status == "estimated":
        why = "the redo block size is not known: it follows from `redo size`, `redo wastage` and "
        return Missing(f"{why}`redo blocks written`")
    size = limit * block_b / rule.share / 1024 / 1024
    if of_all_but_one:
        note = f"the limit is {rule.share * 100:.0f} % of them, as in reports of 10.1 to 19c"
        size = size.estimated(note)
    # n switches leave redo in n + 1 redo logs
    switches, written = log_switches(f).value, mb_per_switch(f).number
    if size.value is None or switches is None or written is None:
        return size
    least_mb = written * switches / (switches + 1)
    if size.value >= least_mb:
        return size
    return Missing(
        f"the limit of {limit.shown} implies {size.value:,.0f} MB, but redo logs held at least "
        f"{least_mb:,.0f} MB at a switch: the limit has another meaning"
    )


@fact("redo.members", "count", "io_by_function|io_by_function_filetype", STATS, kind="setting")
def members(f: Figures) -> Answer:
    """Members per redo log group: writes of LGWR over writes to one member, a whole number."""
    first, second = (
        f.row_figure(f"io_by_function{of}", "LGWR", "write_data_b", "B by LGWR")
        for of in ("", "_filetype")
    )
    written = first.otherwise(second).otherwise(first)
    times = written / (f.stat("redo blocks written", "blocks") * block_size(f))
    times, written = needed(times), needed(written)
    count = round(times.value)
    if written.value < _LEAST_B:
        why = f"LGWR wrote {written.digits} B: too little to compute the number of members"
    elif not 1 <= count <= _MOST_MEMBERS or abs(times.value - count) > _OFF:
        why = f"LGWR wrote {times.value:.2f} times the redo of one member: not a whole number"
    else:
        note = f"{times.shown} = {times.value:.2f}; {times.note}"
        return text_fact(count, times.evidence, times.status, note)
    return Missing(why)
