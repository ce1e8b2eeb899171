"""Redo: commit waits outside the log write: LGWR's other work, CPU and scheduling.

The seconds are parts of `log file sync` as ``awrlens.facts.commits`` splits it, so REDO002,
REDO003 and REDO009 never count the same second twice.
Source of the reasoning: Write Accelerator, "Redo Log Writes".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.lgwr_queue import queued_ms
from awrlens.policy import Threshold
from awrlens.rules.base import WEIGHED, Facts, rule
from awrlens.rules.redo import OUTSIDE_RATIO, SLOW_WRITE_MS, slow_write
from awrlens.rules.shared_waits import COMMIT_PATH, LMS, SYNC_RATIO, commit_path, lms_behind
from awrlens.units import ms_words

if TYPE_CHECKING:
    from awrlens.model import Finding

BUSY_LOAD: Final = Threshold(
    "redo.busy_load_per_cpu", 1.0, "ratio",
    "run queue per CPU above which LGWR may have to wait for a CPU",
    "Write Accelerator (`what are the run queue numbers for the time period in question?`)",
)  # fmt: skip
IDLE_CPU_PCT: Final = Threshold(
    "redo.idle_cpu_pct", 50.0, "%",
    "idle CPU time in the interval above which a long run queue at a snapshot is doubtful",
    "awrlens: the majority; the run queue is from two moments, and on Linux includes disk waits",
)  # fmt: skip

ACK_PCT: Final = Threshold(
    "redo.ack_pct", 30.0, "%",
    "share of the commit wait above which the acknowledgement of other instances, or LGWR's time "
    "outside the write, matters",
    "awrlens: nearly a third; the rest is the write and its queue",
)  # fmt: skip
POLLING_PCT: Final = Threshold(
    "redo.polling_pct", 90.0, "%",
    "share of commits that poll above which adaptive log file sync no longer uses posting",
    "awrlens: nearly all; `_use_adaptive_log_file_sync` is TRUE since 11.2.0.3",
)  # fmt: skip

QUEUE_PCT: Final = Threshold(
    "redo.queue_pct", 10.0, "%",
    "share of the commit wait above which the queue for LGWR is shown",
    "awrlens: a tenth; a smaller part explains nothing",
)  # fmt: skip

_LOADS: Final = ("host.load_per_cpu_begin", "host.load_per_cpu_end")


def _busier_load(f: Facts) -> float | None:
    """Run queue per CPU at the busier snapshot."""
    loads = (f.get(name) for name in _LOADS)
    return max((each for each in loads if each is not None), default=None)


def _run_queue(f: Facts) -> tuple[str, str]:
    """The run queue as a reason for waits outside the write, and the doubt about it, if any."""
    load, idle = _busier_load(f), f.get("host.idle_pct")
    if load is None:
        return "Run-queue length is not in the report; check OS statistics for this period.", (
            "load average is not in the report"
        )
    if load < f.limit(BUSY_LOAD):
        return (
            f"The run queue ({load:.1f} per CPU) does not explain it; check LGWR's priority, "
            "posting and commit rate."
        ), ""
    said = f"The run queue is {load:.1f} per CPU: LGWR and the sessions it posts wait for CPU"
    if idle is None or idle < f.limit(IDLE_CPU_PCT):
        return f"{said}.", ""
    return (
        f"The run queue is {load:.1f} per CPU at a snapshot, but {idle:.0f} % of CPU was idle over "
        "the interval: on Linux, it also counts processes that wait for a disk or for memory."
    ), ("CPUs were busier at the snapshot of the run queue than in the interval")


@rule(
    "REDO002",
    "commit-wait-not-io",
    gate=("redo.sync_wait_s",),
    needs=(
        "redo.commit_ms",
        "redo.local_write_ms",
        "redo.sync_wait_s",
        "redo.commit_unexplained_s",
        WEIGHED,
    ),
    wants=(
        *COMMIT_PATH,
        "redo.write_ms",
        "redo.commit_scheduling_s",
        "redo.commit_storage_s",
        "redo.commit_lgwr_s",
        *_LOADS,
        "host.idle_pct",
        "redo.sync_count",
        "redo.sync_p95_ms",
        "redo.commit_waits",
        "redo.lgwr_busy_pct",
        "redo.log_switch_wait_s",
        "redo.log_switch_wait_ms",
        LMS,
    ),
    thresholds=(SYNC_RATIO, BUSY_LOAD, IDLE_CPU_PCT, SLOW_WRITE_MS, QUEUE_PCT),
)
def commit_wait_not_io(f: Facts) -> Finding | None:
    """Commits wait much longer than the log write takes.

    What it means:
        Most of `log file sync` is neither the write nor the rest of LGWR's own counter. LGWR or the
        session waits for a CPU, for posting, or for writes in progress.
    Why it matters:
        Faster storage would not shorten that part; more CPU and better scheduling would.
    How it is computed:
        redo.commit_ms / redo.local_write_ms. `log file sync` minus log write time and other LGWR
        time (REDO003) is redo.commit_scheduling_s + redo.commit_unexplained_s. Of this, the wait
        for the writes ahead of one's own is the log write × b / (1 − b) per commit, where b is
        redo.lgwr_busy_pct / 100. The finding also shows load average per CPU, waits for log
        switches, and whether the average is above the 95th percentile (then it is due to a few
        stalls).
    Example:
        With `redo.commit_ms` = 4.8, `redo.local_write_ms` = 0.8, `redo.sync_wait_s` = 1200.0,
        `redo.commit_unexplained_s` = 0.0, `load.response_s` = 9000.0, `redo.write_ms` = 1.2,
        `redo.commit_scheduling_s` = 950.0, `redo.commit_storage_s` = 160.0,
        `redo.commit_lgwr_s` = 90.0, `host.load_per_cpu_begin` = 0.4, `host.load_per_cpu_end` =
        2.5, `redo.sync_count` = 250000.0: info, "A commit takes 4.8 ms, 6.0 times the log write".
    Threshold:
        redo.sync_ratio (3). redo.busy_load_per_cpu (1) decides the reason given, which is doubtful
        above redo.idle_cpu_pct (50 %). Above redo.slow_write_ms (8 ms) the commits that queue for
        the write raise the ratio, and REDO001 applies. The finding shows the queue for LGWR from
        redo.queue_pct (10 %) of the waits on. The severity follows from all waits at commit.
    What to do:
        Check the run queue. Give LGWR a higher priority (`_high_priority_processes` includes it;
        since 11.2 only with Oracle Support; on old releases use renice). Stop unnecessary CPU load.
        Commit less often.
    How to verify:
        The ratio falls towards 1 while the log write time stays the same.
    When it is wrong:
        Very few commits, or a synchronous standby, whose response is part of the commit wait. The
        run queue is from two moments, and on Linux it includes processes that wait for a disk. A
        commit that arrives during a write waits for that write too, so up to twice the log write
        time is normal.
    Sources:
        Write Accelerator, "Redo Log Writes" (CPU wait is added to the `log file sync` timing; a run
        queue due to I/O waits does not count).
    """
    commit, write = f.number("redo.commit_ms"), f.number("redo.local_write_ms")
    weighed = commit_path(f)
    if slow_write(f) or commit < write * f.limit(SYNC_RATIO) or not weighed.matters:
        return None
    outside = f.total("redo.commit_scheduling_s", "redo.commit_unexplained_s")
    reason, doubt = _run_queue(f)
    lms = lms_behind(f) if (_busier_load(f) or 0.0) >= f.limit(BUSY_LOAD) else ""
    return f.finding(
        commit_wait_not_io,
        f"A commit takes {ms_words(commit)}, {commit / write:.1f} times the log write",
        weighed,
        f.impact(f.number("redo.sync_wait_s"), "`log file sync`"),
        f"{_parts(f, outside)} {reason}{_switches(f, commit)}{_stalls(f)}{lms}",
        "redo.commit_ms",
        "redo.local_write_ms",
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
    """The parts of the wait in a sentence."""
    queued, busy = _queued_s(f, outside), f.get("redo.lgwr_busy_pct") or 0.0
    parts = {
        "the log write": f.get("redo.commit_storage_s"),
        "LGWR's other work": f.get("redo.commit_lgwr_s"),
        f"the queue for LGWR, which wrote {busy:.0f} % of the time": queued,
        "none of them" if queued else "neither": outside - queued,
    }
    shown = [f"{seconds:,.0f} s is {name}" for name, seconds in parts.items() if seconds]
    waited = f"Sessions waited {f.number('redo.sync_wait_s'):,.0f} s at commit"
    return f"{waited}: {', '.join(shown)}." if shown else f"{waited}."


def _queued_s(f: Facts, outside: float) -> float:
    """The part of the rest that is the wait for writes ahead; 0 below a tenth of all waits."""
    busy, waits = f.get("redo.lgwr_busy_pct"), f.get("redo.commit_waits")
    if busy is None or waits is None:
        return 0.0
    each = queued_ms(f.number("redo.commit_ms"), f.number("redo.local_write_ms"), busy / 100)
    queued = min(waits * each / 1000, outside)
    return queued if queued * 100 >= f.number("redo.sync_wait_s") * f.limit(QUEUE_PCT) else 0.0


def _switches(f: Facts, commit: float) -> str:
    """Log switches, if sessions wait for them, longer than for a commit."""
    each, waited = f.get("redo.log_switch_wait_ms"), f.get("redo.log_switch_wait_s")
    if each is None or each <= commit or not f.significant(waited):
        return ""
    return (
        f" A commit during a log switch waits for its end; a wait for a log switch takes "
        f"{ms_words(each)} on average."
    )


def _stalls(f: Facts) -> str:
    """Whether a few long waits dominate the average, which is then above the 95th percentile."""
    average, bound = f.get("redo.commit_ms"), f.get("redo.sync_p95_ms")
    if average is None or bound is None or average <= bound:
        return ""
    return f" 95 % of commits end within {bound:g} ms: a few long stalls raise the average."


@rule(
    "REDO003",
    "lgwr-time-outside-write",
    gate=("redo.sync_wait_s",),
    needs=(
        "redo.write_ms",
        "redo.local_write_ms",
        "redo.commit_lgwr_s",
        "redo.sync_wait_s",
        WEIGHED,
    ),
    wants=(
        *COMMIT_PATH,
        "redo.write_count",
        "redo.standby_wait_s",
        "redo.lgwr_worker_wait_s",
        "redo.lgwr_copy_wait_s",
        "redo.lgwr_outside_ms",
        *_LOADS,
        "host.idle_pct",
    ),
    thresholds=(OUTSIDE_RATIO, BUSY_LOAD, IDLE_CPU_PCT, ACK_PCT, SLOW_WRITE_MS),
)
def lgwr_time_outside_write(f: Facts) -> Finding | None:
    """LGWR spends most of its write time outside the local write.

    What it means:
        `redo write time` is far above `log file parallel write`. The time goes to synchronous
        standby transport, to LGWR workers or to waiting for CPU, not to the local disk.
    Why it matters:
        Moving the local redo logs would not change this.
    How it is computed:
        (`redo write time` × 10 / `redo writes`) / average `log file parallel write`; seconds =
        redo.commit_lgwr_s, the difference of both per commit wait. The finding also shows the waits
        for a standby (`SYNC Remote Write`, `LGWR-LNS wait on channel`), of LGWR workers and for
        sessions that copy redo.
    Example:
        With `redo.write_ms` = 44.0, `redo.local_write_ms` = 1.0, `redo.commit_lgwr_s` = 860.0,
        `redo.sync_wait_s` = 900.0, `load.response_s` = 9000.0, `redo.commit_ms` = 47.0,
        `redo.write_count` = 50000.0: warning, "LGWR takes 44 ms per write, 1 ms of it on the local
        disk".
    Threshold:
        redo.outside_write_ratio (3), if LGWR's part is at least redo.ack_pct (30 %) of the waits at
        commit. Above redo.slow_write_ms (8 ms) the write is slow, and REDO001 applies. The severity
        follows from all waits at commit. Above redo.busy_load_per_cpu (1) the finding also shows
        the run queue; with idle CPU above redo.idle_cpu_pct (50 %) it is in doubt.
    What to do:
        Standby: check its network and standby redo logs, or the protection mode. Workers: if they
        coordinate longer than they write, test single log writer mode
        (`_use_single_log_writer`=TRUE, with Oracle Support). Otherwise, and if the run queue is
        long: CPU capacity and LGWR's priority.
    How to verify:
        The two times converge once the standby or the workers no longer delay LGWR.
    When it is wrong:
        The snapshot may cut off a part of the event's waits. 8i and 9i reports show three to seven
        times the event without a standby or workers; there it is LGWR's CPU time or waiting for
        CPU.
    Sources:
        Oracle Database Reference, statistic `redo write time` and event `log file parallel
        write`; reports of 12.2 and 19c.
    """
    counter, write = f.number("redo.write_ms"), f.number("redo.local_write_ms")
    seconds, waited = f.number("redo.commit_lgwr_s"), f.number("redo.sync_wait_s")
    weighed = commit_path(f)
    if slow_write(f) or counter < write * f.limit(OUTSIDE_RATIO) or not weighed.matters:
        return None
    if seconds * 100 < waited * f.limit(ACK_PCT):
        return None
    return f.finding(
        lgwr_time_outside_write,
        f"LGWR takes {ms_words(counter)} per write, {ms_words(write)} of it on the local disk",
        weighed,
        f.impact(waited, "`log file sync`"),
        f"{seconds:,.0f} of the {waited:,.0f} s at commit are LGWR's time outside the write. "
        f"{_lgwr_waits_for(f)}",
        "redo.write_ms",
        "redo.local_write_ms",
        "redo.commit_lgwr_s",
        "redo.standby_wait_s",
        "redo.lgwr_worker_wait_s",
        "redo.lgwr_copy_wait_s",
        waits=f.get("redo.write_count"),
        related=("REDO002",),
    )


def _lgwr_waits_for(f: Facts) -> str:
    """LGWR's other time, as far as events and the run queue explain it."""
    listed = {
        "waiting for a synchronous standby": f.get("redo.standby_wait_s"),
        "LGWR worker coordination": f.get("redo.lgwr_worker_wait_s"),
        "waiting for sessions that copy redo": f.get("redo.lgwr_copy_wait_s"),
    }
    waits = sorted(((s, name) for name, s in listed.items() if s), reverse=True)
    shown = ", ".join(f"{seconds:,.0f} s is {name}" for seconds, name in waits)
    writes, each = f.get("redo.write_count"), f.get("redo.lgwr_outside_ms")
    whole = f"{writes * each / 1000:,.0f} s" if writes is not None and each is not None else "time"
    load = _busier_load(f)
    queue = ""
    if load is not None and load >= f.limit(BUSY_LOAD):
        said, doubt = _run_queue(f)
        slows = f"The run queue is {load:.1f} per CPU, which slows all of it."
        queue = f" {said if doubt else slows}"
    rest = f"Of this, up to {shown}; the rest is LGWR CPU time or waiting for CPU."
    if not shown:
        rest = "No standby or worker is listed, so this is LGWR CPU time or waiting for CPU."
    return f"LGWR spent {whole} outside the local write. {rest}{queue}"
