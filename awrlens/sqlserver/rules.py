"""SQL Server's checkpoints: how long they take, what limits them, when they fall behind.

Source of the reasoning: Indirect Checkpoints. A log has no waits of sessions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.policy import Threshold
from awrlens.rules.base import Diagnosis, rule
from awrlens.units import ms_words, plain

if TYPE_CHECKING:
    from awrlens.model import Impact, Severity
    from awrlens.rules.base import Facts, Shown, Some


LONG_S: Final = Threshold(
    "sqlserver.long_checkpoint_s", 30.0, "s",
    "length of a checkpoint above which it is long",
    "Indirect Checkpoints (checkpoints averaging 30 seconds before the change); SQL Server itself "
    "logs those that exceed the recovery interval, by default one minute",
)  # fmt: skip
MANY: Final = Threshold(
    "sqlserver.many", 10.0, "count",
    "number of events below which they are isolated events",
    'awrlens: "Indirect Checkpoints" mentions an alarming number of entries, not one',
)  # fmt: skip
TIME_PCT: Final = Threshold(
    "sqlserver.checkpoint_time_pct", 5.0, "%",
    "share of time with long checkpoints above which they are a warning",
    "awrlens: more than an hour of a day",
)  # fmt: skip
MOST_TIME_PCT: Final = Threshold(
    "sqlserver.most_time_pct", 50.0, "%",
    "share of time with long checkpoints above which they are critical",
    "awrlens: half of the time; checkpoints follow each other closely",
)  # fmt: skip
AT_TARGET: Final = Threshold(
    "sqlserver.saturations_per_write", 1.0, "ratio",
    "saturations (target of outstanding writes reached) per write above which they delay the "
    "checkpoint",
    'awrlens: 0.19 in "Indirect Checkpoints", whose storage is fast; 1.5 for a slow '
    "subsystem in Microsoft's example (FlushCache: New in SQL Server 2012)",
)  # fmt: skip
SLOW_MS: Final = Threshold(
    "sqlserver.slow_write_ms", 20.0, "ms",
    "latency of checkpoint writes above which SQL Server itself writes less at a time",
    "Microsoft, SQL Server I/O Basics, Chapter 2, and How It Works: SQL Server Checkpoint "
    "(FlushCache) Outstanding I/O Target: 20 ms",
)  # fmt: skip


def no_seconds(f: Facts) -> Impact:
    """An impact without seconds."""
    return f.impact(None, "recovery time and writes, not waits: the log has no waits")


def few(f: Facts, count: float) -> str:
    """The doubt about a conclusion from few events."""
    events = times(count, "event was", "events were")
    return f"only {events} counted" if count < f.limit(MANY) else ""


def times(count: float, singular: str, plural: str) -> str:
    """A number with its noun."""
    return f"{count:,.0f} {singular if count == 1 else plural}"


@rule(
    "SQLS001",
    "long-checkpoints",
    engine="sqlserver",
    thresholds=(LONG_S, MANY, TIME_PCT, MOST_TIME_PCT, AT_TARGET, SLOW_MS),
)
def long_checkpoints(
    f: Facts, sqlserver_unfrozen_checkpoints: Some, sqlserver_unfrozen_max_s: float,
    _sqlserver_checkpoint_median_s: Shown, sqlserver_unfrozen_time_pct: float | None,
    sqlserver_memory_mb: float | None,
    *, sqlserver_worst_database: str | None, sqlserver_io_warnings_beside: float | None,
    sqlserver_saturations_per_write: float | None, sqlserver_write_latency_ms: float | None,
    sqlserver_numa_nodes: float | None,
) -> Diagnosis | None:  # fmt: skip
    """Checkpoints take long.

    What it means:
        Checkpoints of a database run for half a minute or longer. Automatic checkpoints search a
        large memory for dirty pages and write them all at once. Databases that were created before
        SQL Server 2016 keep automatic checkpoints (a target of 0) after every upgrade and restore.
    Why it matters:
        Crash recovery takes longer than the recovery interval, and the search uses CPU. In the
        published case the CPU load of busy instances dropped within the hour of the change.
    How it is computed:
        `FlushCache: cleaned up … in N ms`, or the time from `checkpoint_begin` to `checkpoint_end`;
        checkpoints explained by the freeze of a snapshot are excluded.
    Example:
        With `sqlserver.unfrozen_checkpoints` = 41, `sqlserver.unfrozen_max_s` = 121.0,
        `sqlserver.unfrozen_time_pct` = 12.0: warning, "41 checkpoints, the longest 121 s".
    Threshold:
        sqlserver.long_checkpoint_s (30 s) for the longest. A warning above sqlserver.many (10)
        checkpoints or above sqlserver.checkpoint_time_pct (5 %) of the time; critical if there are
        many and they run for sqlserver.most_time_pct (50 %) of it; otherwise info. The time does
        not go to the storage below sqlserver.saturations_per_write (1) and sqlserver.slow_write_ms
        (20 ms), and if no I/O over 15 s was logged.
    What to do:
        Use indirect checkpoints: TARGET_RECOVERY_TIME = 60 SECONDS for the databases concerned
        (`awrlens sql target-recovery-time` prints a script with its checks and its rollback).
    How to verify:
        Record `checkpoint_begin` and `checkpoint_end` before and after, export both and run
        `awrlens sqlserver compare BEFORE AFTER`. In the published case the average fell from 30 s
        to less than 0.1 s.
    When it is wrong:
        Trace flag 3504 logs every checkpoint. Manual checkpoints, backups and a shutdown write all
        dirty pages whatever the setting. If the storage is slow, see SQLS003 first.
    Sources:
        Indirect Checkpoints; Microsoft, How It Works: When is the FlushCache message added to SQL
        Server Error Log? (long: longer than the recovery interval).
    """
    count, longest = sqlserver_unfrozen_checkpoints, sqlserver_unfrozen_max_s
    share, worst = sqlserver_unfrozen_time_pct or 0.0, sqlserver_worst_database
    if longest < f.limit(LONG_S):
        return None
    many = count >= f.limit(MANY)
    severity: Severity = "warning" if many or share >= f.limit(TIME_PCT) else "info"
    if many and share >= f.limit(MOST_TIME_PCT):
        severity = "critical"
    # how much memory is searched, and how many lazy writers may hold the search up
    memory, nodes, searched = sqlserver_memory_mb, sqlserver_numa_nodes, ""
    if memory is not None:
        writers = "" if nodes is None else f", with {times(nodes, 'lazy writer', 'lazy writers')}"
        searched = f": the machine has {plain(memory / 1024)} GB of memory{writers}"
    at_storage = (  # what SQLS002, SQLS003 and SQLS005 report
        (sqlserver_saturations_per_write or 0.0) >= f.limit(AT_TARGET)
        or (sqlserver_write_latency_ms or 0.0) >= f.limit(SLOW_MS)
        or sqlserver_io_warnings_beside != 0
    )
    return Diagnosis(
        f"{times(count, 'checkpoint', 'checkpoints')}, the longest {longest:.0f} s"
        if count > 1
        else f"A checkpoint took {longest:.0f} s",
        severity,
        no_seconds(f),
        (f"Checkpoints run {plain(share)} % of the time. " if share else "")
        + (f"Most of this time is in {worst}. " if worst else "")
        + ("Crash recovery takes correspondingly long." if at_storage
           else "No I/O over 15 s was logged, so the time probably goes to scanning the buffer "
           f"pool for dirty pages rather than to storage{searched}."),
        doubt=few(f, count),
        related=("SQLS003",),
    )  # fmt: skip


@rule(
    "SQLS002",
    "checkpoints-at-write-target",
    needs=("sqlserver.unfrozen_checkpoints", "sqlserver.unfrozen_max_s"),
    engine="sqlserver",
    thresholds=(LONG_S, AT_TARGET),
)
def checkpoints_at_write_target(
    f: Facts, sqlserver_saturations_per_write: float,
    sqlserver_last_target_outstanding: float | None, _sqlserver_write_latency_ms: Shown,
    *, sqlserver_unfrozen_checkpoints: Some, sqlserver_unfrozen_max_s: float,
) -> Diagnosis | None:  # fmt: skip
    """Long checkpoints are limited by their own target of outstanding writes.

    What it means:
        A checkpoint has as many outstanding writes as its target allows, and waits for one to end
        before it issues the next.
    Why it matters:
        Its length then depends on the storage: more or faster writes shorten it. If it does not
        reach the target, the time goes to the search for dirty pages.
    How it is computed:
        `I/O saturation` (how often the target was reached) / writes, over the checkpoints with that
        value, without snapshots; `last target outstanding` is the target at their end.
    Example:
        With `sqlserver.unfrozen_checkpoints` = 12, `sqlserver.unfrozen_max_s` = 97.0,
        `sqlserver.saturations_per_write` = 1.57, `sqlserver.last_target_outstanding` = 4: warning,
        "Checkpoints wait for their own writes: they reach the target of outstanding writes 1.57
        times per write".
    Threshold:
        sqlserver.saturations_per_write (1) and a checkpoint longer than sqlserver.long_checkpoint_s
        (30 s).
    What to do:
        Check the storage of the data files while checkpoints run (sys.dm_io_virtual_file_stats).
        Once it keeps up, spread the writes with indirect checkpoints.
    How to verify:
        Later messages show a lower I/O saturation, or there are none.
    When it is wrong:
        Startup option -k throttles checkpoints on purpose.
    Sources:
        Microsoft, How It Works: SQL Server Checkpoint (FlushCache) Outstanding I/O Target (at the
        target a checkpoint waits); Indirect Checkpoints (the message).
    """
    ratio, target = sqlserver_saturations_per_write, sqlserver_last_target_outstanding
    if sqlserver_unfrozen_max_s < f.limit(LONG_S) or ratio < f.limit(AT_TARGET):
        return None
    return Diagnosis(
        "Checkpoints wait for their own writes: they reach the target of outstanding writes "
        f"{plain(ratio)} times per write",
        "warning",
        no_seconds(f),
        "The storage of the data files determines their length."
        + ("" if target is None else f" The target fell to {target:,.0f} outstanding writes."),
        doubt=few(f, sqlserver_unfrozen_checkpoints),
        related=("SQLS003",),
    )


@rule(
    "SQLS003",
    "slow-checkpoint-writes",
    needs=("sqlserver.unfrozen_checkpoints", "sqlserver.unfrozen_max_s"),
    engine="sqlserver",
    thresholds=(LONG_S, SLOW_MS),
)
def slow_checkpoint_writes(
    f: Facts, sqlserver_write_latency_ms: float, sqlserver_mb_per_s: float | None,
    *, sqlserver_unfrozen_checkpoints: Some, sqlserver_unfrozen_max_s: float,
) -> Diagnosis | None:  # fmt: skip
    """Writes of long checkpoints are slow.

    What it means:
        The storage of the data files is slow for checkpoint writes.
    Why it matters:
        SQL Server writes less at a time when latency rises, so the checkpoint takes longer. Reads
        and log writes use the same storage.
    How it is computed:
        `avgWriteLatency` of each message, weighted by its writes, without snapshots.
    Example:
        With `sqlserver.unfrozen_checkpoints` = 12, `sqlserver.unfrozen_max_s` = 97.0,
        `sqlserver.write_latency_ms` = 32.0: warning, "Checkpoint writes take 32 ms".
    Threshold:
        sqlserver.slow_write_ms (20 ms) and a checkpoint longer than sqlserver.long_checkpoint_s (30
        s).
    What to do:
        Check the storage first: path, queue depth, other load at these hours. Indirect checkpoints
        spread the writes, but do not reduce them.
    How to verify:
        Write latency in sys.dm_io_virtual_file_stats falls; later messages show a lower
        avgWriteLatency.
    When it is wrong:
        The latency is in whole milliseconds and an average of one checkpoint. Checkpoints with few
        writes are not representative.
    Sources:
        Microsoft, SQL Server I/O Basics, Chapter 2 (checkpoints throttle above 20 ms); Indirect
        Checkpoints (1 ms: the storage was not the reason there).
    """
    latency, rate = sqlserver_write_latency_ms, sqlserver_mb_per_s
    if sqlserver_unfrozen_max_s < f.limit(LONG_S) or latency < f.limit(SLOW_MS):
        return None
    return Diagnosis(
        f"Checkpoint writes take {ms_words(latency)}",
        "warning",
        no_seconds(f),
        "SQL Server throttles checkpoints at this latency."
        + ("" if rate is None else f" They write {plain(rate)} MB/s."),
        doubt=few(f, sqlserver_unfrozen_checkpoints),
        related=("SQLS002", "SQLS005"),
    )


@rule("SQLS006", "indirect-checkpoint-falls-behind", engine="sqlserver", thresholds=(MANY,))
def indirect_checkpoint_falls_behind(f: Facts, sqlserver_forced_catchups: Some) -> Diagnosis | None:
    """An indirect checkpoint falls behind its target.

    What it means:
        The background writer of an indirect checkpoint did not keep the dirty pages within the
        target recovery time; SQL Server forced it to catch up.
    Why it matters:
        Recovery would have taken longer than TARGET_RECOVERY_TIME. The forced writes come in bulk,
        which indirect checkpoints should avoid.
    How it is computed:
        Messages `DirtyPageMgr::ForceCatchupOrFlushCache`.
    Example:
        With `sqlserver.forced_catchups` = 14: warning, "SQL Server forced an indirect checkpoint to
        catch up 14 times".
    Threshold:
        One message; a warning above sqlserver.many (10).
    What to do:
        Check whether the storage keeps up at these times (SQLS003, SQLS005). A longer
        TARGET_RECOVERY_TIME needs fewer writes.
    How to verify:
        There are no new messages.
    When it is wrong:
        One bulk load dirtied pages faster than any storage could write them.
    Sources:
        Microsoft, Change the target recovery time of a database (the writer flushes aggressively if
        many pages become dirty); Indirect Checkpoints (the setting).
    """
    count = sqlserver_forced_catchups
    if not count:
        return None
    return Diagnosis(
        f"SQL Server forced an indirect checkpoint to catch up {times(count, 'time', 'times')}",
        "warning" if count >= f.limit(MANY) else "info",
        no_seconds(f),
        "Dirty pages grew faster than the background writer wrote them.",
        doubt=few(f, count),
        related=("SQLS003",),
    )


FREEZE_S: Final = Threshold(
    "sqlserver.long_freeze_s", 10.0, "s",
    "length of a freeze above which it delays sessions that write",
    "Microsoft, Volume Shadow Copy Service: writes are frozen for at most 10 seconds",
)  # fmt: skip
SLEPT_S: Final = Threshold(
    "sqlserver.slept_s", 3600.0, "s",
    "time of a request above which the machine was suspended or moved, rather than storage slow",
    "awrlens: no storage responds after an hour; real logs of notebooks show days",
)  # fmt: skip


@rule("SQLS004", "checkpoints-under-snapshots", engine="sqlserver", thresholds=(FREEZE_S,))
def checkpoints_under_snapshots(
    f: Facts, sqlserver_snapshot_checkpoints: Some, sqlserver_longest_freeze_s: float | None
) -> Diagnosis | None:
    """Long checkpoints are due to a snapshot, not to the storage.

    What it means:
        A snapshot (of the volume, of the virtual machine, of a backup) froze the database's I/O
        while the checkpoint ran.
    Why it matters:
        The length of such a checkpoint does not indicate a storage problem and is not a reason to
        change the recovery target. The freeze itself delays sessions that write.
    How it is computed:
        Messages that end between `I/O is frozen on database` and `I/O was resumed`, or that were
        frozen for half of their time. If the log does not name the database, any freeze counts.
    Example:
        With `sqlserver.snapshot_checkpoints` = 4, `sqlserver.longest_freeze_s` = 2.5: info, "4
        checkpoints ran while a snapshot froze I/O: not a storage problem".
    Threshold:
        One such checkpoint. A warning if a freeze is longer than sqlserver.long_freeze_s (10 s).
    What to do:
        No action for the checkpoints. Long freezes: fewer databases per snapshot, another time,
        another backup method.
    How to verify:
        The messages appear only at the times of the snapshots.
    When it is wrong:
        Slow storage may also lengthen the freeze: see SQLS003.
    Sources:
        Indirect Checkpoints (the usual meaning of the messages); Microsoft, messages 3197 and 3198;
        Volume Shadow Copy Service (10 seconds).
    """
    count, freeze = sqlserver_snapshot_checkpoints, sqlserver_longest_freeze_s
    if not count:
        return None
    lasting = freeze is not None and freeze >= f.limit(FREEZE_S)
    ran = f"{times(count, 'checkpoint', 'checkpoints')} ran while a snapshot froze I/O"
    return Diagnosis(
        f"{ran}, for up to {plain(freeze)} s"
        if freeze is not None and lasting
        else f"{ran}: not a storage problem",
        "warning" if lasting else "info",
        no_seconds(f),
        "Other rules exclude such checkpoints."
        + (" Sessions cannot write while I/O is frozen." if lasting else ""),
    )


@rule(
    "SQLS005",
    "io-warnings-beside-checkpoints",
    engine="sqlserver",
    thresholds=(MANY, SLEPT_S),
)
def io_warnings_beside_checkpoints(
    f: Facts, sqlserver_io_warning_requests: Some, sqlserver_io_warnings_beside: float,
    sqlserver_longest_io_s: float | None,
) -> Diagnosis | None:  # fmt: skip
    """I/O requests took longer than 15 seconds.

    What it means:
        SQL Server warned of reads or writes that took longer than 15 seconds, during or just after
        checkpoints of the same database, or at other times.
    Why it matters:
        Sessions wait for such requests. Near checkpoints, the burst of checkpoint writes may be the
        reason; at other times it is not.
    How it is computed:
        Message 833 and its occurrences; near: during a checkpoint of the database or up to five
        minutes after it, without snapshots.
    Example:
        With `sqlserver.io_warning_requests` = 57, `sqlserver.io_warnings_beside` = 12: critical,
        "57 I/O requests took longer than 15 s; 12 warnings are near checkpoints".
    Threshold:
        One such warning. Info if no warning is near a checkpoint, a warning if one is, critical
        above sqlserver.many (10). Above sqlserver.slept_s (1 h) the machine is doubtful, not the
        storage.
    What to do:
        Check the storage first: path, drivers, filter drivers (scanners), other load. Then spread
        the writes with indirect checkpoints.
    How to verify:
        There are no new warnings.
    When it is wrong:
        A machine that was suspended, paused or moved logs such warnings although its storage is
        healthy.
    Sources:
        Microsoft, MSSQLSERVER_833; Indirect Checkpoints (none of the messages was paired with such
        warnings: there the storage was not the reason).
    """
    requests, near = sqlserver_io_warning_requests, sqlserver_io_warnings_beside
    if not requests:
        return None
    longest = sqlserver_longest_io_s or 0.0
    slept = longest >= f.limit(SLEPT_S)
    severity: Severity = "warning" if near else "info"
    if near >= f.limit(MANY) and not slept:
        severity = "critical"
    took = f"{times(requests, 'I/O request', 'I/O requests')} took longer than 15 s"
    return Diagnosis(
        f"{took}; {times(near, 'warning is', 'warnings are')} near checkpoints"
        if near
        else f"{took}, none of them near a checkpoint",
        severity,
        no_seconds(f),
        (f"The longest took {longest:,.0f} s. " if longest else "")
        + ("Checkpoints and other I/O slow each other down." if near
           else "Checkpoints are not the reason; the storage or the machine is."),
        doubt=f"a request of {longest / 3600:,.0f} h: the machine was suspended or moved"
        if slept else "",
        related=("SQLS003",),
    )  # fmt: skip


@rule("SQLS007", "buffer-pool-without-free-buffers", engine="sqlserver", thresholds=(MANY,))
def no_free_buffers(
    f: Facts, sqlserver_lazy_writer_warnings: float, sqlserver_paged_out: float,
    sqlserver_memory_mb: float | None, _sqlserver_numa_nodes: Shown,
) -> Diagnosis | None:  # fmt: skip
    """The lazy writer found no free buffers, or memory was paged out.

    What it means:
        The lazy writer writes dirty pages to keep buffers free. It had none left, or Windows took
        memory from SQL Server.
    Why it matters:
        Sessions wait for a free buffer. The lazy writer and checkpoints write the same pages, so
        long checkpoints may wait for the lazy writer; there is one per NUMA node.
    How it is computed:
        Messages `LazyWriter: warning, no free buffers found` and message 17890, `A significant part
        of sql server process memory has been paged out`.
    Example:
        With `sqlserver.lazy_writer_warnings` = 12, `sqlserver.paged_out` = 0: warning, "The lazy
        writer found no free buffers 12 times".
    Threshold:
        One message of either kind; a warning above sqlserver.many (10) messages.
    What to do:
        Set `max server memory` so that the machine has memory left, and look for other processes
        that use it. Enough memory: check whether writes to the data files are slow (SQLS003).
    How to verify:
        There are no new messages. `Lazy writes/sec` of the Buffer Manager is near 0.
    When it is wrong:
        Paging during the start of the machine or of another large process ends by itself.
    Sources:
        Microsoft, KB 177545 (no free buffers), KB 918483 (memory paged out); Indirect Checkpoints
        (checkpoints potentially wait for the lazy writer).
    """
    starved, paged = sqlserver_lazy_writer_warnings, sqlserver_paged_out
    if not starved and not paged:
        return None
    parts = (
        f"the lazy writer found no free buffers {times(starved, 'time', 'times')}"
        if starved
        else "",
        f"Windows paged out memory of SQL Server {times(paged, 'time', 'times')}" if paged else "",
    )
    title, memory = "; ".join(filter(None, parts)), sqlserver_memory_mb
    return Diagnosis(
        f"{title[0].upper()}{title[1:]}",
        "warning" if starved + paged >= f.limit(MANY) else "info",
        no_seconds(f),
        "Dirty pages must be written before their buffers can be used again."
        + ("" if memory is None else f" The machine has {plain(memory / 1024)} GB of memory."),
        doubt=few(f, starved + paged),
        related=("SQLS001", "SQLS003"),
    )
