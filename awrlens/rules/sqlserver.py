"""SQL Server's checkpoints: how long they take, what holds them, where they fall behind.

Source of the reasoning: document 5. A log tells of no session's waits: what counts is how long a
recovery would take and how much of the time a checkpoint runs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.policy import Threshold
from awrlens.rules.base import Facts, rule
from awrlens.units import plain

if TYPE_CHECKING:
    from awrlens.model import Finding, Impact, Severity

LONG_S: Final = Threshold(
    "sqlserver.long_checkpoint_s", 30.0, "s",
    "a checkpoint from this length on is long",
    "document 5 (checkpoints averaging 30 seconds before the change); SQL Server itself logs those "
    "that exceed the recovery interval, a minute by default",
)  # fmt: skip
MANY: Final = Threshold(
    "sqlserver.many", 10.0, "count",
    "events below this number are single events and no state",
    "awrlens: document 5 speaks of an alarming number of entries, not of one",
)  # fmt: skip
TIME_PCT: Final = Threshold(
    "sqlserver.checkpoint_time_pct", 5.0, "%",
    "share of the time in which long checkpoints run that makes them a warning",
    "awrlens: more than an hour of a day",
)  # fmt: skip
MOST_TIME_PCT: Final = Threshold(
    "sqlserver.most_time_pct", 50.0, "%",
    "share of the time in which long checkpoints run that makes them critical",
    "awrlens: half of the time; a checkpoint follows upon the other",
)  # fmt: skip
AT_TARGET: Final = Threshold(
    "sqlserver.saturations_per_write", 1.0, "ratio",
    "how often a write finds the target of outstanding writes reached before it holds the "
    "checkpoint",
    "awrlens: 0.19 in document 5, whose storage is fast; 1.5 in Microsoft's example of a slow "
    "subsystem (FlushCache: New in SQL Server 2012)",
)  # fmt: skip
SLOW_MS: Final = Threshold(
    "sqlserver.slow_write_ms", 20.0, "ms",
    "latency of checkpoint writes from which SQL Server itself writes less at a time",
    "Microsoft, SQL Server I/O Basics, Chapter 2, and How It Works: SQL Server Checkpoint "
    "(FlushCache) Outstanding I/O Target: 20 ms",
)  # fmt: skip
THRESHOLDS: Final = (LONG_S, MANY, TIME_PCT, MOST_TIME_PCT, AT_TARGET, SLOW_MS)


def no_seconds(f: Facts) -> Impact:
    """An impact without seconds."""
    return f.impact(None, "recovery time and writes, not waits: the log tells of no waits")


def _are_long(f: Facts) -> bool:
    """Whether checkpoints that no snapshot explains are long enough to matter."""
    return f.number("sqlserver.unfrozen_max_s") >= f.limit(LONG_S)


def few(f: Facts, count: float) -> str:
    """The doubt about a state that few events speak of."""
    return f"it rests on {count:.0f} only" if count < f.limit(MANY) else ""


def times(count: float, singular: str, plural: str) -> str:
    """A number of things in words."""
    return f"{count:,.0f} {singular if count == 1 else plural}"


@rule(
    "SQLS001",
    "long-checkpoints",
    some=("sqlserver.unfrozen_checkpoints",),
    needs=("sqlserver.unfrozen_checkpoints", "sqlserver.unfrozen_max_s"),
    wants=("sqlserver.unfrozen_time_pct", "sqlserver.checkpoint_median_s",
           "sqlserver.worst_database", "sqlserver.io_warnings_beside"),
    thresholds=(LONG_S, MANY, TIME_PCT, MOST_TIME_PCT),
)  # fmt: skip
def long_checkpoints(f: Facts) -> Finding | None:
    """Checkpoints take long.

    What it tells you:
        Checkpoints of a database run for half a minute and more: the dirty pages of a large
        memory are looked for and written in one go (automatic checkpoints).
    Why it matters:
        A crash recovery takes longer than the recovery interval says, and processors are busy
        with the search; the load of busy instances dropped within the hour of the change.
    How it is computed:
        `FlushCache: cleaned up … in N ms`, or the time from `checkpoint_begin` to
        `checkpoint_end`; those that a snapshot's freeze explains are left out.
    Example:
        With `sqlserver.unfrozen_checkpoints` = 41, `sqlserver.unfrozen_max_s` = 121.0,
        `sqlserver.unfrozen_time_pct` = 12.0: warning, "41 checkpoints, the longest of 121 s".
    Threshold:
        sqlserver.long_checkpoint_s (30 s) for the longest. A warning from sqlserver.many (10) of
        them or from sqlserver.checkpoint_time_pct (5 %) of the time on, critical where there are
        many and they run for sqlserver.most_time_pct (50 %) of it, else information.
    What to do:
        Indirect checkpoints: TARGET_RECOVERY_TIME = 60 SECONDS for the databases concerned
        (`awrlens sql target-recovery-time` prints a script with its guards and its rollback).
    How to verify:
        Record `checkpoint_begin` and `checkpoint_end` before and after, export both and call
        `awrlens sqlserver compare BEFORE AFTER`; in the published case the average fell from 30 s
        to less than a tenth of a second.
    When it is wrong:
        Trace flag 3504 logs every checkpoint; manual checkpoints, backups and a shutdown write
        everything whatever the setting; where the storage is slow, see SQLS003 first.
    Sources:
        document 5; Microsoft, How It Works: When is the FlushCache message added to SQL Server
        Error Log? (long: longer than the recovery interval).
    """
    longest = f.number("sqlserver.unfrozen_max_s")
    count = f.number("sqlserver.unfrozen_checkpoints")
    share = f.get("sqlserver.unfrozen_time_pct") or 0.0
    if not _are_long(f):
        return None
    many = count >= f.limit(MANY)
    severity: Severity = "warning" if many or share >= f.limit(TIME_PCT) else "info"
    if many and share >= f.limit(MOST_TIME_PCT):
        severity = "critical"
    beside = f.get("sqlserver.io_warnings_beside")
    worst = f["sqlserver.worst_database"].value
    return f.finding(
        long_checkpoints,
        f"{times(count, 'checkpoint', 'checkpoints')}, the longest of {longest:.0f} s"
        if count > 1
        else f"A checkpoint took {longest:.0f} s",
        severity,
        no_seconds(f),
        (f"A checkpoint runs for {plain(share, 3)} % of the time. " if share else "")
        + (f"Most of it is of {worst}. " if worst else "")
        + ("No request longer than 15 s was logged: the time probably goes to the search for dirty "
           "pages rather than to storage." if beside == 0 else
           "Recovery after a crash takes accordingly."),
        "sqlserver.unfrozen_checkpoints",
        "sqlserver.unfrozen_max_s",
        "sqlserver.checkpoint_median_s",
        "sqlserver.unfrozen_time_pct",
        doubt=few(f, count),
        related=("SQLS003",),
    )  # fmt: skip


@rule(
    "SQLS002",
    "checkpoints-at-write-target",
    some=("sqlserver.unfrozen_checkpoints",),
    needs=("sqlserver.unfrozen_checkpoints", "sqlserver.unfrozen_max_s",
           "sqlserver.saturations_per_write"),
    wants=("sqlserver.last_target_outstanding", "sqlserver.write_latency_ms"),
    thresholds=(LONG_S, AT_TARGET),
)  # fmt: skip
def checkpoints_at_write_target(f: Facts) -> Finding | None:
    """Long checkpoints are held by their own target of outstanding writes.

    What it tells you:
        A checkpoint has as many writes under way as its target allows, and waits for one to end
        before it issues the next.
    Why it matters:
        Its length then follows the storage: more or faster writes shorten it. Where the target
        is not reached, the time goes into the search for dirty pages.
    How it is computed:
        `I/O saturation` (how often the target was reached) / writes, over the checkpoints that
        print it, outside snapshots; `last target outstanding` is the target at their end.
    Example:
        With `sqlserver.unfrozen_checkpoints` = 12, `sqlserver.unfrozen_max_s` = 97.0,
        `sqlserver.saturations_per_write` = 1.57, `sqlserver.last_target_outstanding` = 4:
        warning, "Checkpoints wait for their own writes: the target of outstanding writes is
        reached 1.57 times a write".
    Threshold:
        sqlserver.saturations_per_write (1) with a checkpoint of sqlserver.long_checkpoint_s
        (30 s) and more.
    What to do:
        See what the data files' storage does while checkpoints run (sys.dm_io_virtual_file_stats);
        spread the writes by indirect checkpoints once it keeps up.
    How to verify:
        Later messages print a lower I/O saturation, or none appear.
    When it is wrong:
        Startup option -k throttles checkpoints by intent.
    Sources:
        Microsoft, How It Works: SQL Server Checkpoint (FlushCache) Outstanding I/O Target (at the
        target a checkpoint waits); document 5 (the message).
    """
    ratio = f.number("sqlserver.saturations_per_write")
    if not _are_long(f) or ratio < f.limit(AT_TARGET):
        return None
    target = f.get("sqlserver.last_target_outstanding")
    return f.finding(
        checkpoints_at_write_target,
        "Checkpoints wait for their own writes: the target of outstanding writes is reached "
        f"{plain(ratio, 3)} times a write",
        "warning",
        no_seconds(f),
        "The storage of the data files sets their length."
        + ("" if target is None else f" A target was as low as {target:,.0f} outstanding writes."),
        "sqlserver.saturations_per_write",
        "sqlserver.last_target_outstanding",
        "sqlserver.write_latency_ms",
        doubt=few(f, f.number("sqlserver.unfrozen_checkpoints")),
        related=("SQLS003",),
    )


@rule(
    "SQLS003",
    "slow-checkpoint-writes",
    some=("sqlserver.unfrozen_checkpoints",),
    needs=("sqlserver.unfrozen_checkpoints", "sqlserver.unfrozen_max_s",
           "sqlserver.write_latency_ms"),
    wants=("sqlserver.mb_per_s", "sqlserver.writes_per_s"),
    thresholds=(LONG_S, SLOW_MS),
)  # fmt: skip
def slow_checkpoint_writes(f: Facts) -> Finding | None:
    """Writes of long checkpoints are slow.

    What it tells you:
        The storage of the data files answers checkpoint writes late.
    Why it matters:
        SQL Server writes less at a time when latency rises, so that the checkpoint takes longer;
        readers and the log feel the same storage.
    How it is computed:
        `avgWriteLatency` of each message, weighted by its writes, outside snapshots.
    Example:
        With `sqlserver.unfrozen_checkpoints` = 12, `sqlserver.unfrozen_max_s` = 97.0,
        `sqlserver.write_latency_ms` = 32.0: warning, "Checkpoint writes take 32 ms".
    Threshold:
        sqlserver.slow_write_ms (20 ms) with a checkpoint of sqlserver.long_checkpoint_s (30 s)
        and more.
    What to do:
        Look at the storage first: path, queue depth, what else uses it at these hours. Indirect
        checkpoints write more evenly, but not less.
    How to verify:
        Write latency in sys.dm_io_virtual_file_stats; later messages print a lower avgWriteLatency.
    When it is wrong:
        The printed latency is whole milliseconds and an average of one checkpoint. Checkpoints of
        few writes say little.
    Sources:
        Microsoft, SQL Server I/O Basics, Chapter 2 (checkpoints throttle above 20 ms); document 5
        (1 ms: the storage was not the reason there).
    """
    latency = f.number("sqlserver.write_latency_ms")
    if not _are_long(f) or latency < f.limit(SLOW_MS):
        return None
    rate = f.get("sqlserver.mb_per_s")
    return f.finding(
        slow_checkpoint_writes,
        f"Checkpoint writes take {plain(latency, 3)} ms",
        "warning",
        no_seconds(f),
        "SQL Server holds checkpoints back at such latencies."
        + ("" if rate is None else f" They write {plain(rate, 3)} MB/s."),
        "sqlserver.write_latency_ms",
        "sqlserver.mb_per_s",
        doubt=few(f, f.number("sqlserver.unfrozen_checkpoints")),
        related=("SQLS002", "SQLS005"),
    )


@rule(
    "SQLS006",
    "indirect-checkpoint-falls-behind",
    some=("sqlserver.forced_catchups",),
    needs=("sqlserver.forced_catchups",),
    thresholds=(MANY,),
)
def indirect_checkpoint_falls_behind(f: Facts) -> Finding | None:
    """An indirect checkpoint falls behind its target.

    What it tells you:
        The background writer of an indirect checkpoint did not keep the dirty pages below what
        the target recovery time allows; SQL Server forced it to catch up.
    Why it matters:
        Recovery would have taken longer than TARGET_RECOVERY_TIME, and the forced writing comes in
        bulk, which indirect checkpoints are to avoid.
    How it is computed:
        Messages `DirtyPageMgr::ForceCatchupOrFlushCache`.
    Example:
        With `sqlserver.forced_catchups` = 14: warning, "An indirect checkpoint had to be forced 14
        times".
    Threshold:
        One message; a warning from sqlserver.many (10) on.
    What to do:
        See whether the storage keeps up at these times (SQLS003, SQLS005); a longer
        TARGET_RECOVERY_TIME asks for fewer writes.
    How to verify:
        The messages end.
    When it is wrong:
        One bulk load that dirties pages faster than any storage writes them.
    Sources:
        Microsoft, Change the target recovery time of a database (the writer flushes aggressively
        where many pages become dirty); document 5 (the setting).
    """
    count = f.number("sqlserver.forced_catchups")
    if not count:
        return None
    return f.finding(
        indirect_checkpoint_falls_behind,
        f"An indirect checkpoint had to be forced {times(count, 'time', 'times')}",
        "warning" if count >= f.limit(MANY) else "info",
        no_seconds(f),
        "Dirty pages grew faster than the background writer wrote them.",
        "sqlserver.forced_catchups",
        doubt=few(f, count),
        related=("SQLS003",),
    )
