"""Redo: slow writes that are felt, commit waits that are not I/O, log switches, wastage.

Source of the reasoning: document 3, "Redo Log Writes".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.policy import Threshold
from awrlens.rules.base import Facts, rule

if TYPE_CHECKING:
    from awrlens.model import Finding

SLOW_WRITE_MS: Final = Threshold(
    "redo.slow_write_ms", 10.0, "ms",
    "a redo write that takes longer is slow",
    "document 3, figure 4 (18.68 ms on disks, called the problem); peers say 10 to 20 ms",
)  # fmt: skip
QUICK_WRITE_MS: Final = Threshold(
    "redo.quick_write_ms", 1.0, "ms",
    "a redo write that takes less cannot be the reason of slow commits",
    "document 3, figure 2 (`yielding 1 millisecond per write, indicating a good portion of our "
    "wait time is being taken up with other non-IO operations`)",
)  # fmt: skip
SYNC_RATIO: Final = Threshold(
    "redo.sync_ratio", 3.0, "ratio",
    "commit wait over log write from which most of the wait is not the write",
    "awrlens: at 3, two thirds of the commit wait are outside `log file parallel write`",
)  # fmt: skip
OUTSIDE_RATIO: Final = Threshold(
    "redo.outside_write_ratio", 3.0, "ratio",
    "LGWR's time per write over the write itself from which most of it is outside the write",
    "awrlens, on reports of 12.2 and later with 44 ms by the counter and 1 ms by the event",
)  # fmt: skip
BUSY_LOAD: Final = Threshold(
    "redo.busy_load_per_cpu", 1.0, "ratio",
    "run queue for each CPU from which LGWR may have to wait for a CPU",
    "document 3 (`what are the run queue numbers for the time period in question?`)",
)  # fmt: skip
SWITCHES_PER_HOUR: Final = Threshold(
    "redo.switches_per_hour", 12.0, "1/h",
    "log switches per hour from which logs are small for the load",
    "Oracle Database Performance Tuning Guide: size logs to switch at most every 20 minutes; "
    "awrlens tolerates one each 5 minutes before it speaks",
)  # fmt: skip
WASTAGE_PCT: Final = Threshold(
    "redo.wastage_pct", 30.0, "%",
    "share of wastage in what is written from which writes are mostly padding",
    "document 3 (`If this value is large in ratio to the number of redo write events`); "
    "its two tests show 0.5 % and 6.3 %",
)  # fmt: skip
SMALL_COMMIT_B: Final = Threshold(
    "redo.small_commit_bytes", 2048.0, "B",
    "redo per commit below which commits are small and frequent",
    "awrlens: four redo blocks of 512 bytes",
)  # fmt: skip

THRESHOLDS: Final = (
    SLOW_WRITE_MS, QUICK_WRITE_MS, SYNC_RATIO, OUTSIDE_RATIO, BUSY_LOAD, SWITCHES_PER_HOUR,
    WASTAGE_PCT, SMALL_COMMIT_B,
)  # fmt: skip

_LATENCY: Final = ("redo.write_ms", "redo.parallel_write_ms")


def redo_wait_s(f: Facts) -> float:
    """Seconds that sessions waited for redo: commits, log switches, the log buffer."""
    parts = ("redo.sync_wait_s", "redo.log_switch_wait_s", "redo.buffer_wait_s")
    return sum(f.get(name) or 0.0 for name in parts)


@rule(
    "REDO001",
    "slow-redo-write",
    needs=("redo.write_ms", "redo.sync_wait_s", "redo.log_switch_wait_s", "load.response_s"),
    wants=("redo.parallel_write_ms", "redo.write_count", "redo.buffer_wait_s"),
    thresholds=(SLOW_WRITE_MS,),
)
def slow_redo_write(f: Facts) -> Finding | None:
    """Redo writes are slow and sessions wait for them.

    What it tells you:
        LGWR needs long for each write, and commits, log switches or the log buffer make
        sessions wait. When nobody waits, the finding has severity ok and says so.
    Why it matters:
        A commit cannot return before its redo is on disk; everything that commits queues here.
    How it is computed:
        `redo write time` (cs) × 10 / `redo writes` = ms per write, and the average of
        `log file parallel write` beside it. Felt seconds = `log file sync` + all
        `log file switch` events + `log buffer space`.
    Threshold:
        redo.slow_write_ms (10 ms), and impact.info_pct of DB time for the waits.
    What to do:
        Place redo logs apart from data files, on devices that acknowledge writes from cache or
        flash; see the redo storage verdict for what that can save.
    How to verify:
        Compare `redo write time` / `redo writes` and `log file parallel write` of the next
        report with the same load.
    When it is wrong:
        `redo write time` also counts synchronous standby transport and LGWR workers (12c and
        later); then `log file parallel write` is far below it and REDO003 speaks.
    Sources:
        document 3, "Redo Log Writes", figures 4 and 5.
    """
    per_write = f.number("redo.write_ms")
    event = f.get("redo.parallel_write_ms")
    device = per_write if event is None else min(per_write, event)
    if device < f.limit(SLOW_WRITE_MS):
        return None
    seconds = redo_wait_s(f)
    felt = f.felt(seconds)
    return f.finding(
        slow_redo_write,
        f"A redo write takes {per_write:.4g} ms" + ("" if felt else ", but nobody waits for it"),
        f.severity(seconds) if felt else "ok",
        f.impact(seconds, "`log file sync`, `log file switch …` and `log buffer space` waits"),
        "Sessions wait for redo and each write is slow."
        if felt
        else "A slow thing that nobody waits for is not a problem: leave it.",
        "redo.write_ms",
        "redo.parallel_write_ms",
        "redo.sync_wait_s",
        "redo.log_switch_wait_s",
        waits=f.get("redo.write_count"),
        related=("REDO002", "REDO004"),
    )


@rule(
    "REDO002",
    "commit-wait-not-io",
    needs=("redo.sync_to_write_ratio", "redo.sync_wait_s", "load.response_s"),
    wants=(
        "redo.parallel_write_ms",
        "host.load_per_cpu_begin",
        "host.load_per_cpu_end",
        "redo.sync_count",
    ),
    thresholds=(SYNC_RATIO, BUSY_LOAD, SLOW_WRITE_MS),
)
def commit_wait_not_io(f: Facts) -> Finding | None:
    """Commits wait much longer than the log write takes.

    What it tells you:
        Most of `log file sync` is spent outside the write: LGWR or the session waits for a CPU,
        for posting, or for LGWR's other work.
    Why it matters:
        Faster storage would not shorten that part; processors and scheduling would.
    How it is computed:
        average `log file sync` / average `log file parallel write`, each total wait / waits;
        load average for each CPU beside it.
    Threshold:
        redo.sync_ratio (3), redo.busy_load_per_cpu (1) for the reason given. From
        redo.slow_write_ms (10 ms) on the commits that queue behind slow writes make the ratio, and
        REDO001 speaks.
    What to do:
        Look at the run queue; give LGWR a higher priority (`_high_priority_processes` holds it
        since 11.2 through Oracle Support only; renice on old releases); stop what burns CPU;
        commit less often.
    How to verify:
        The ratio falls towards 1 while the log write stays the same.
    When it is wrong:
        A handful of commits; a synchronous standby, whose answer is part of the commit wait.
    Sources:
        document 3, "Redo Log Writes" (CPU wait is added to the `log file sync` timing).
    """
    ratio = f.number("redo.sync_to_write_ratio")
    seconds = f.number("redo.sync_wait_s")
    outside = seconds * (1 - 1 / ratio) if ratio else 0.0
    slow = (f.get("redo.parallel_write_ms") or 0.0) >= f.limit(SLOW_WRITE_MS)
    if slow or ratio < f.limit(SYNC_RATIO) or not f.felt(outside):
        return None
    loads = [f.get("host.load_per_cpu_begin"), f.get("host.load_per_cpu_end")]
    load = max((each for each in loads if each is not None), default=None)
    busy = load is not None and load >= f.limit(BUSY_LOAD)
    reason = (
        f"The run queue is {load:.1f} for each CPU: LGWR waits for a processor."
        if busy
        else "The run queue does not explain it; look at LGWR's priority, posting and commit rate."
    )
    return f.finding(
        commit_wait_not_io,
        f"Commits wait {ratio:.1f} times as long as the log write takes",
        f.severity(outside),
        f.impact(outside, "the part of `log file sync` above `log file parallel write`"),
        reason,
        "redo.sync_to_write_ratio",
        "redo.sync_wait_s",
        "host.load_per_cpu_end",
        waits=f.get("redo.sync_count"),
        doubt="" if load is not None else "the report prints no load average",
        related=("REDO001", "REDO006"),
    )


@rule(
    "REDO003",
    "lgwr-time-outside-write",
    needs=("redo.write_ms", "redo.parallel_write_ms", "redo.sync_wait_s", "load.response_s"),
    wants=("redo.write_count",),
    thresholds=(OUTSIDE_RATIO,),
)
def lgwr_time_outside_write(f: Facts) -> Finding | None:
    """LGWR spends most of its write time outside the local write.

    What it tells you:
        `redo write time` is far above `log file parallel write`: the time goes to synchronous
        standby transport, to LGWR workers or to waiting for a CPU, not to the local disk.
    Why it matters:
        Moving the local redo logs would change nothing about it.
    How it is computed:
        (`redo write time` × 10 / `redo writes`) / average `log file parallel write`.
    Threshold:
        redo.outside_write_ratio (3), and impact.info_pct of DB time for `log file sync`.
    What to do:
        Look for `SYNC Remote Write`, `LGWR-LNS wait`, `LGWR all worker groups` and `LGWR worker
        group ordering` among the background events; check the standby's network and disks.
    How to verify:
        The two figures come together once the standby or the workers are out of the way.
    When it is wrong:
        Where the event is missing a part of its waits because it is cut by the snapshot.
    Sources:
        Oracle Database Reference, statistic `redo write time` and event `log file parallel
        write`; reports of 12.2 and 19c.
    """
    counter, event = f.number("redo.write_ms"), f.number("redo.parallel_write_ms")
    seconds = f.number("redo.sync_wait_s")
    if event <= 0 or counter / event < f.limit(OUTSIDE_RATIO):
        return None
    outside = seconds * (1 - event / counter)
    if not f.felt(outside):
        return None
    return f.finding(
        lgwr_time_outside_write,
        f"LGWR takes {counter:.4g} ms a write, the local disk only {event:.4g} ms",
        f.severity(outside),
        f.impact(outside, "`log file sync` in the proportion of LGWR's time outside the write"),
        "The difference is not local storage: standby transport, LGWR workers or CPU.",
        "redo.write_ms",
        "redo.parallel_write_ms",
        "redo.sync_wait_s",
        waits=f.get("redo.write_count"),
        related=("REDO002",),
    )


@rule(
    "REDO004",
    "log-switch-waits",
    needs=("redo.log_switch_wait_s", "load.response_s"),
    wants=("redo.log_switches_per_hour", "checkpoint.incomplete_wait_s", "redo.archive_wait_s"),
)
def log_switch_waits(f: Facts) -> Finding | None:
    """Sessions wait for log switches.

    What it tells you:
        The next redo log was not free when it was needed, or the switch itself took long.
    Why it matters:
        Every session that makes redo stands still meanwhile.
    How it is computed:
        Sum of all foreground events that begin with `log file switch`.
    Threshold:
        impact.info_pct, impact.warning_pct and impact.critical_pct of DB time.
    What to do:
        Checkpoint incomplete: more or larger log groups, and a checkpoint target that keeps
        DBWR writing. Archiving needed: more archiver processes or faster archive disks.
        Completion: larger logs, so that switches are fewer.
    How to verify:
        The events disappear from the foreground list at the same redo rate.
    When it is wrong:
        A single deliberate `ALTER SYSTEM SWITCH LOGFILE` storm, for instance by a backup.
    Sources:
        document 3, figures 4, 5 and 13; Oracle Database Reference, `log file switch` events.
    """
    seconds = f.number("redo.log_switch_wait_s")
    if not f.felt(seconds):
        return None
    incomplete = f.get("checkpoint.incomplete_wait_s") or 0.0
    archive = f.get("redo.archive_wait_s") or 0.0
    if incomplete >= max(seconds / 2, archive):
        cause = f"{incomplete:,.0f} s of it because the checkpoint of the next log was incomplete."
    elif archive >= seconds / 2:
        cause = f"{archive:,.0f} s of it because the next log was not archived."
    else:
        cause = "Most of it is the switch itself."
    return f.finding(
        log_switch_waits,
        f"Sessions wait {seconds:,.0f} s for log switches",
        f.severity(seconds),
        f.impact(seconds, "all foreground `log file switch` events"),
        cause,
        "redo.log_switch_wait_s",
        "checkpoint.incomplete_wait_s",
        "redo.log_switches_per_hour",
        related=("CKPT001", "REDO005"),
    )


@rule(
    "REDO005",
    "log-space-waits",
    needs=("redo.space_wait_s", "redo.space_requests", "load.response_s"),
    wants=("redo.log_switch_wait_s",),
)
def log_space_waits(f: Facts) -> Finding | None:
    """Redo finds no space in the current log.

    What it tells you:
        Sessions asked for space in a log file and had to wait for a switch.
    Why it matters:
        It is the same standstill as log switch waits, counted by statistics, which 8i and
        shortened reports print where the events are missing.
    How it is computed:
        `redo log space wait time` / 100 seconds over `redo log space requests`.
    Threshold:
        impact.info_pct, impact.warning_pct and impact.critical_pct of DB time.
    What to do:
        As for log switch waits: larger or more log groups, faster checkpoints.
    How to verify:
        `redo log space requests` near 0 at the same redo rate.
    When it is wrong:
        It is never added to REDO004: both count the same waits, so the rule keeps silent where
        the events already tell it.
    Sources:
        document 3, figures 4 and 5 (`redo log space requests`, `redo log space wait time`).
    """
    seconds = f.number("redo.space_wait_s")
    if not f.felt(seconds) or f.felt(f.get("redo.log_switch_wait_s")):
        return None
    return f.finding(
        log_space_waits,
        f"Sessions wait {seconds:,.0f} s for space in the redo log",
        f.severity(seconds),
        f.impact(seconds, "`redo log space wait time`"),
        f"{f.number('redo.space_requests'):,.0f} requests found the log full.",
        "redo.space_wait_s",
        "redo.space_requests",
        waits=f.number("redo.space_requests"),
        related=("REDO004",),
    )


@rule(
    "REDO006",
    "small-frequent-commits",
    needs=("redo.commits_per_s", "redo.bytes_per_s", "redo.sync_wait_s", "load.response_s"),
    wants=("redo.sync_count",),
    thresholds=(SMALL_COMMIT_B,),
)
def small_frequent_commits(f: Facts) -> Finding | None:
    """Sessions commit small amounts of work often, and wait for it.

    What it tells you:
        Each commit carries little redo, and the waits at commit are felt.
    Why it matters:
        Fewer commits of the same work cost nothing and need no hardware.
    How it is computed:
        `redo size` / `user commits` bytes for each commit.
    Threshold:
        redo.small_commit_bytes (2,048 B) and impact.warning_pct of DB time for `log file sync`.
    What to do:
        Commit once per unit of work, not per row; batch in the application; where a loss of the
        last commits can be borne, `COMMIT WRITE BATCH NOWAIT` for those transactions.
    How to verify:
        `user commits` falls while the work done (executions of the main statements) does not.
    When it is wrong:
        Independent short transactions of many users, which cannot be joined.
    Sources:
        document 3, figure 3 (a commit for every ten rows); Oracle ADDM, "Commits and Rollbacks".
    """
    seconds, commits = f.number("redo.sync_wait_s"), f.number("redo.commits_per_s")
    if commits <= 0 or f.severity(seconds) in ("ok", "info"):
        return None
    size = f.number("redo.bytes_per_s") / commits
    if size >= f.limit(SMALL_COMMIT_B):
        return None
    return f.finding(
        small_frequent_commits,
        f"{commits:,.0f} commits per second of only {size:,.0f} bytes each",
        f.severity(seconds),
        f.impact(seconds, "`log file sync`: what fewer commits could save at most"),
        "The waits at commit are felt, and each commit carries little work.",
        "redo.commits_per_s",
        "redo.bytes_per_s",
        "redo.sync_wait_s",
        waits=f.get("redo.sync_count"),
        related=("REDO001", "REDO002"),
    )


@rule(
    "REDO007",
    "frequent-log-switches",
    needs=("redo.log_switches_per_hour", "redo.log_switch_wait_s", "load.response_s"),
    wants=("checkpoint.optimal_log_mb", "checkpoint.log_size_redo_blocks"),
    thresholds=(SWITCHES_PER_HOUR,),
)
def frequent_log_switches(f: Facts) -> Finding | None:
    """Redo logs switch too often for the load.

    What it tells you:
        The logs are small for the amount of redo, and switching is felt.
    Why it matters:
        Each switch asks for a checkpoint and stops whoever makes redo.
    How it is computed:
        `log switches (derived)` for an hour.
    Threshold:
        redo.switches_per_hour (12), and impact.info_pct of DB time for log switch waits.
    What to do:
        Larger logs; Instance Recovery Stats prints an optimal size when a target is set.
    How to verify:
        Fewer switches at the same redo rate, and no `log file switch` waits.
    When it is wrong:
        `archive_lag_target` or a backup forces switches on purpose.
    Sources:
        document 3, "Redo Log Writes" (sizing); Oracle Database Performance Tuning Guide.
    """
    rate = f.number("redo.log_switches_per_hour")
    seconds = f.number("redo.log_switch_wait_s")
    if rate < f.limit(SWITCHES_PER_HOUR) or not f.felt(seconds):
        return None
    size = f.get("checkpoint.optimal_log_mb")
    return f.finding(
        frequent_log_switches,
        f"Redo logs switch {rate:,.0f} times per hour",
        f.severity(seconds),
        f.impact(seconds, "all foreground `log file switch` events"),
        f"Oracle reckons {size:,.0f} MB as optimal log size." if size else "The logs are small.",
        "redo.log_switches_per_hour",
        "redo.log_switch_wait_s",
        "checkpoint.optimal_log_mb",
        related=("REDO004", "CKPT001"),
    )


@rule(
    "REDO008",
    "redo-mostly-wastage",
    needs=("redo.wastage_pct", "redo.sync_wait_s", "load.response_s"),
    wants=("redo.wastage_per_write", "redo.write_count"),
    thresholds=(WASTAGE_PCT,),
)
def redo_mostly_wastage(f: Facts) -> Finding | None:
    """Much of what LGWR writes is padding.

    What it tells you:
        Writes are flushed long before their last block is full.
    Why it matters:
        It marks many tiny writes; document 3 reads it as a sign of oversized logs.
    How it is computed:
        `redo wastage` / (`redo size` + `redo wastage`), and bytes of wastage for each write.
    Threshold:
        redo.wastage_pct (30 %), and impact.info_pct of DB time for `log file sync`.
    What to do:
        Commit in larger units; do not enlarge logs further.
    How to verify:
        The share falls at the same redo rate.
    When it is wrong:
        On quiet systems every commit is a write of its own: nobody waits, and the rule keeps
        silent.
    Sources:
        document 3, "Redo Log Writes" (redo wastage).
    """
    share = f.number("redo.wastage_pct")
    seconds = f.number("redo.sync_wait_s")
    if share < f.limit(WASTAGE_PCT) or not f.felt(seconds):
        return None
    return f.finding(
        redo_mostly_wastage,
        f"{share:.0f} % of what LGWR writes is wastage",
        "info",
        f.impact(seconds, "`log file sync`: the waits of these small writes"),
        "Many small writes, each padded to a full block.",
        "redo.wastage_pct",
        "redo.wastage_per_write",
        waits=f.get("redo.write_count"),
        related=("REDO006",),
    )


@rule(
    "REDO009",
    "commits-wait-for-log-write",
    needs=("redo.parallel_write_ms", "redo.sync_ms", "redo.sync_count", "load.response_s"),
    wants=("redo.sync_wait_s",),
    thresholds=(QUICK_WRITE_MS, SYNC_RATIO),
)
def commits_wait_for_log_write(f: Facts) -> Finding | None:
    """Commits wait for the log write itself.

    What it tells you:
        Sessions wait at commit, and the larger part of that wait is the write to the log.
    Why it matters:
        This is the part that faster log storage would shorten, and the only one.
    How it is computed:
        `log file sync` waits × average `log file parallel write`, at most the whole wait.
    Threshold:
        redo.quick_write_ms (1 ms): a quicker write is not the reason; redo.sync_ratio (3): above
        it REDO002 speaks instead; impact.info_pct of DB time.
    What to do:
        Processor and priority first (REDO002), then commit less often (REDO006), then the redo
        storage verdict.
    How to verify:
        Both averages fall together.
    When it is wrong:
        Group commit: one write serves several commits, whose waits overlap it only in part.
    Sources:
        document 3, "Redo Log Writes", figures 1 and 2.
    """
    write, sync = f.number("redo.parallel_write_ms"), f.number("redo.sync_ms")
    if write < f.limit(QUICK_WRITE_MS) or sync > write * f.limit(SYNC_RATIO):
        return None
    seconds = f.number("redo.sync_count") * min(write, sync) / 1000
    if not f.felt(seconds):
        return None
    return f.finding(
        commits_wait_for_log_write,
        f"Commits wait {sync:.4g} ms each, "
        + (f"{write:.4g} ms of it" if write < sync else "all of it")
        + " for the log write",
        f.severity(seconds),
        f.impact(seconds, "`log file sync` waits × the average log write"),
        "Most of the commit wait is the write to the log.",
        "redo.sync_ms",
        "redo.parallel_write_ms",
        "redo.sync_wait_s",
        waits=f.number("redo.sync_count"),
        related=("REDO001", "REDO006"),
    )
