"""Redo: commit waits that are not the log write: LGWR's other work, processors, scheduling.

The seconds are parts of `log file sync` as ``awrlens.facts.redo_commit`` splits it, so no second
is told by two of REDO002, REDO003 and REDO009.
Source of the reasoning: document 3, "Redo Log Writes".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.policy import Threshold
from awrlens.rules.base import Facts, rule
from awrlens.rules.redo import (
    OUTSIDE_RATIO,
    SLOW_WRITE_MS,
    event_holds_write,
    local_write_ms,
)
from awrlens.weigh import LEAST_WRITE_MS

if TYPE_CHECKING:
    from awrlens.model import Finding

SYNC_RATIO: Final = Threshold(
    "redo.sync_ratio", 3.0, "ratio",
    "commit wait over log write from which most of the wait is not the write",
    "awrlens: at 3, two thirds of the commit wait are outside `log file parallel write`",
)  # fmt: skip
BUSY_LOAD: Final = Threshold(
    "redo.busy_load_per_cpu", 1.0, "ratio",
    "run queue for each CPU from which LGWR may have to wait for a CPU",
    "document 3 (`what are the run queue numbers for the time period in question?`)",
)  # fmt: skip
IDLE_CPU_PCT: Final = Threshold(
    "redo.idle_cpu_pct", 50.0, "%",
    "idle CPU time over the interval from which a long run queue at a snapshot is doubted",
    "awrlens: the majority; the run queue is that of two moments, and on Linux holds disk waits",
)  # fmt: skip

THRESHOLDS: Final = (SYNC_RATIO, BUSY_LOAD, IDLE_CPU_PCT)

_LOADS: Final = ("host.load_per_cpu_begin", "host.load_per_cpu_end")


def _busier_load(f: Facts) -> float | None:
    """Run queue for each CPU at the busier snapshot."""
    loads = (f.get(name) for name in _LOADS)
    return max((each for each in loads if each is not None), default=None)


def _run_queue(f: Facts) -> tuple[str, str]:
    """What the run queue says of waits outside the write, and the doubt about that, if any."""
    load, idle = _busier_load(f), f.get("host.idle_pct")
    if load is None:
        return "The report prints no run queue: ask for that of the time.", (
            "the report prints no load average"
        )
    if load < f.limit(BUSY_LOAD):
        return (
            f"The run queue ({load:.1f} for each CPU) does not explain it; look at LGWR's "
            "priority, posting and commit rate."
        ), ""
    said = f"The run queue is {load:.1f} for each CPU: LGWR and whom it posts wait for a processor"
    if idle is None or idle < f.limit(IDLE_CPU_PCT):
        return f"{said}.", ""
    return f"{said} at that snapshot, though over the interval {idle:.0f} % of CPU was idle.", (
        "the run queue is that of a moment in which the CPUs were busier than in the interval"
    )


@rule(
    "REDO002",
    "commit-wait-not-io",
    gate=("redo.sync_wait_s",),
    needs=(
        "redo.sync_to_write_ratio",
        "redo.parallel_write_ms",
        "redo.sync_wait_s",
        "redo.commit_unexplained_s",
        "load.response_s",
    ),
    wants=(
        "redo.write_ms",
        "redo.commit_scheduling_s",
        "redo.commit_storage_s",
        "redo.commit_lgwr_s",
        *_LOADS,
        "host.idle_pct",
        "redo.sync_count",
        "redo.sync_ms",
        "redo.sync_p95_ms",
    ),
    thresholds=(SYNC_RATIO, BUSY_LOAD, IDLE_CPU_PCT, SLOW_WRITE_MS, LEAST_WRITE_MS),
)
def commit_wait_not_io(f: Facts) -> Finding | None:
    """Commits wait much longer than the log write takes.

    What it tells you:
        Most of `log file sync` is neither the write nor what LGWR's own counter tells: LGWR or
        the session waits for a CPU, for posting, or behind writes that are under way.
    Why it matters:
        Faster storage would not shorten that part; processors and scheduling would.
    How it is computed:
        average `log file sync` / average `log file parallel write`, each total wait / waits;
        seconds = redo.commit_scheduling_s + redo.commit_unexplained_s, which are what is left of
        `log file sync` after its storage part and LGWR's (REDO003). Load average for each CPU
        beside it, and whether the average is above the 95th percentile (then a few stalls make
        it).
    Example:
        With `redo.sync_to_write_ratio` = 6.0, `redo.parallel_write_ms` = 0.8, `redo.sync_wait_s`
        = 1200.0, `redo.commit_unexplained_s` = 0.0, `load.response_s` = 9000.0, `redo.write_ms` =
        1.2, `redo.commit_scheduling_s` = 950.0, `redo.commit_storage_s` = 160.0,
        `redo.commit_lgwr_s` = 90.0, `host.load_per_cpu_begin` = 0.4, `host.load_per_cpu_end` =
        2.5, `redo.sync_count` = 40000.0: warning, "Commits wait 6.0 times as long as the log
        write takes".
    Threshold:
        redo.sync_ratio (3), redo.busy_load_per_cpu (1) for the reason given, which is doubted
        from redo.idle_cpu_pct (50 %) on. From redo.slow_write_ms (10 ms) on the commits that
        queue behind slow writes make the ratio, and REDO001 speaks; below redo.least_write_ms
        (0.02 ms) the event is no write and the ratio means nothing.
    What to do:
        Look at the run queue; give LGWR a higher priority (`_high_priority_processes` holds it
        since 11.2 through Oracle Support only; renice on old releases); stop what burns CPU;
        commit less often.
    How to verify:
        The ratio falls towards 1 while the log write stays the same.
    When it is wrong:
        A handful of commits; a synchronous standby, whose answer is part of the commit wait. The
        run queue is that of two moments, and on Linux it counts processes that wait for a disk.
        A commit that comes while a write is under way waits for that one too, so up to twice
        the log write is normal.
    Sources:
        document 3, "Redo Log Writes" (CPU wait is added to the `log file sync` timing; a run
        queue that is due to I/O waits does not count).
    """
    ratio = f.number("redo.sync_to_write_ratio")
    outside = (f.get("redo.commit_scheduling_s") or 0.0) + f.number("redo.commit_unexplained_s")
    slow = (local_write_ms(f) or 0.0) >= f.limit(SLOW_WRITE_MS)
    queued = ratio >= f.limit(SYNC_RATIO) and event_holds_write(f)
    if slow or not queued or not f.felt(outside):
        return None
    reason, doubt = _run_queue(f)
    return f.finding(
        commit_wait_not_io,
        f"Commits wait {ratio:.1f} times as long as the log write takes",
        f.severity(outside),
        f.impact(outside, "`log file sync` less its log writes and LGWR's time outside them"),
        f"{_parts(f, outside)} {reason}{_stalls(f)}",
        "redo.sync_to_write_ratio",
        "redo.sync_wait_s",
        "redo.commit_storage_s",
        "redo.commit_lgwr_s",
        "redo.commit_scheduling_s",
        *_LOADS,
        "host.idle_pct",
        waits=f.get("redo.sync_count"),
        doubt=doubt,
        related=("REDO003", "REDO006"),
    )


def _parts(f: Facts, outside: float) -> str:
    """The split in words."""
    parts = {"the log write": f.get("redo.commit_storage_s"),
             "LGWR's other work": f.get("redo.commit_lgwr_s"), "neither": outside}  # fmt: skip
    told = [f"{seconds:,.0f} s are {name}" for name, seconds in parts.items() if seconds]
    return f"Of {f.number('redo.sync_wait_s'):,.0f} s at commit, {', '.join(told)}."


def _stalls(f: Facts) -> str:
    """Whether a few long waits make the average: it is above what 95 % of the waits took."""
    average, bound = f.get("redo.sync_ms"), f.get("redo.sync_p95_ms")
    if average is None or bound is None or average <= bound:
        return ""
    return f" 95 % of the commits end within {bound:g} ms: a few long stalls make the average."


@rule(
    "REDO003",
    "lgwr-time-outside-write",
    gate=("redo.sync_wait_s",),
    needs=(
        "redo.write_ms",
        "redo.parallel_write_ms",
        "redo.commit_lgwr_s",
        "redo.sync_wait_s",
        "load.response_s",
    ),
    wants=(
        "redo.commit_storage_s",
        "redo.write_count",
        "redo.lgwr_outside_ms",
        "redo.standby_wait_s",
        "redo.lgwr_worker_wait_s",
        "redo.lgwr_copy_wait_s",
        *_LOADS,
    ),
    thresholds=(OUTSIDE_RATIO, LEAST_WRITE_MS, BUSY_LOAD),
)
def lgwr_time_outside_write(f: Facts) -> Finding | None:
    """LGWR spends most of its write time outside the local write.

    What it tells you:
        `redo write time` is far above `log file parallel write`: the time goes to synchronous
        standby transport, to LGWR workers or to waiting for a CPU, not to the local disk.
    Why it matters:
        Moving the local redo logs would change nothing about it.
    How it is computed:
        (`redo write time` × 10 / `redo writes`) / average `log file parallel write`; seconds =
        redo.commit_lgwr_s, the difference of both for each commit wait. Beside it the waits that
        are listed for a standby (`SYNC Remote Write`, `LGWR-LNS wait on channel`), of LGWR
        workers and for sessions that copy redo.
    Example:
        With `redo.write_ms` = 44.0, `redo.parallel_write_ms` = 1.0, `redo.commit_lgwr_s` = 860.0,
        `redo.sync_wait_s` = 900.0, `load.response_s` = 9000.0, `redo.commit_storage_s` = 20.0,
        `redo.write_count` = 50000.0: warning, "LGWR takes 44 ms a write, 1 ms of it on the local
        disk".
    Threshold:
        redo.outside_write_ratio (3), and impact.info_pct of DB time for all of `log file sync`
        that is not the local write; the severity is that of LGWR's part of it, at least info.
        Below redo.least_write_ms (0.02 ms) the event is no write. redo.busy_load_per_cpu (1):
        from there on the run queue is named beside it.
    What to do:
        Standby: look at its network and its standby redo logs, or at the protection mode.
        Workers: LGWR as one process (`_use_single_log_writer`, through Oracle Support) where
        they wait for each other more than they write. Otherwise, and where the run queue is
        long: processors, and LGWR's priority.
    How to verify:
        The two figures come together once the standby or the workers are out of the way.
    When it is wrong:
        Where the event lacks a part of its waits because the snapshot cuts it. 8i and 9i reports
        show three to seven times the event without standby or workers; there it is LGWR's CPU
        and its wait for one.
    Sources:
        Oracle Database Reference, statistic `redo write time` and event `log file parallel
        write`; reports of 12.2 and 19c.
    """
    counter, event = f.number("redo.write_ms"), f.number("redo.parallel_write_ms")
    seconds = f.number("redo.commit_lgwr_s")
    not_local = f.number("redo.sync_wait_s") - (f.get("redo.commit_storage_s") or 0.0)
    outside = event_holds_write(f) and counter / event >= f.limit(OUTSIDE_RATIO)
    if not outside or not f.felt(not_local):
        return None
    severity = f.severity(seconds)
    return f.finding(
        lgwr_time_outside_write,
        f"LGWR takes {counter:.4g} ms a write, {event:.4g} ms of it on the local disk",
        "info" if severity == "ok" else severity,
        f.impact(seconds, "commit waits × LGWR's time outside each write"),
        _lgwr_waits_for(f),
        "redo.write_ms",
        "redo.parallel_write_ms",
        "redo.commit_lgwr_s",
        "redo.standby_wait_s",
        "redo.lgwr_worker_wait_s",
        "redo.lgwr_copy_wait_s",
        waits=f.get("redo.write_count"),
        related=("REDO002",),
    )


def _lgwr_waits_for(f: Facts) -> str:
    """What the listed events and the run queue say of LGWR's other time."""
    listed = {
        "for a synchronous standby": f.get("redo.standby_wait_s"),
        "of LGWR and its workers for each other": f.get("redo.lgwr_worker_wait_s"),
        "for sessions that copy redo": f.get("redo.lgwr_copy_wait_s"),
    }
    waits = sorted(((s, name) for name, s in listed.items() if s), reverse=True)
    told = ", ".join(f"{seconds:,.0f} s {name}" for seconds, name in waits)
    writes, each = f.get("redo.write_count"), f.get("redo.lgwr_outside_ms")
    whole = "" if writes is None or each is None else f" {writes * each / 1000:,.0f} s"
    load = _busier_load(f)
    queue = ""
    if load is not None and load >= f.limit(BUSY_LOAD):
        queue = f" The run queue is {load:.1f} for each CPU, which slows all of it."
    if not told:
        told = "no standby or worker is listed, so it is LGWR's CPU and its wait for one"
        return f"LGWR spent{whole} outside the local write: {told}.{queue}"
    return (
        f"LGWR spent{whole} outside the local write. Listed waits that can be in it: {told}; "
        f"what they leave is LGWR's CPU and its wait for one.{queue}"
    )
