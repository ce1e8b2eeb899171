"""Redo: log switches that sessions wait for, logs that are too small, a log buffer that is full.

Sources of the reasoning: document 3, figures 4 and 5; document 1 for what larger logs cost.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.model import SEVERITIES
from awrlens.policy import Threshold
from awrlens.rules.base import WEIGHED, Facts, rule
from awrlens.rules.redo import SLOW_WRITE_MS, slow_write
from awrlens.rules.weighed import COMMIT_PATH, commit_path, weigh_redo
from awrlens.units import plain

if TYPE_CHECKING:
    from awrlens.model import Finding

SWITCHES_PER_HOUR: Final = Threshold(
    "redo.switches_per_hour", 12.0, "1/h",
    "log switches per hour from which logs are small for the load",
    "Oracle Database Performance Tuning Guide: size logs to switch at most every 20 minutes; "
    "awrlens tolerates one each 5 minutes before it speaks",
)  # fmt: skip

STALLS: Final = Threshold(
    "redo.stalls", 20.0, "count",
    "waits for log switches from redo.stall_ms on, in the interval or in each day of it, that are "
    "mentioned whatever their share",
    "awrlens: each of them stops whatever makes redo",
)  # fmt: skip
STALL_MS: Final = Threshold(
    "redo.stall_ms", 30.0, "ms",
    "average wait for a log switch from which it is a stall",
    "awrlens: above the 16 to 32 ms that a switch of control file and headers takes on disks",
)  # fmt: skip
FORCED_RATIO: Final = Threshold(
    "redo.forced_switch_ratio", 0.5, "ratio",
    "redo between two switches over the size of the log below which switches are forced",
    "awrlens: half; ARCHIVE_LAG_TARGET, a backup or another thread switches before a log is full",
)  # fmt: skip

THRESHOLDS: Final = (SWITCHES_PER_HOUR, STALLS, STALL_MS, FORCED_RATIO)

#: Logs of a thread beside the one that is written, at most.
_MOST_OTHERS: Final = 10

#: What sessions wait for at a switch, by fact, and what it means.
_CAUSES: Final = {
    "checkpoint.incomplete_wait_s": "because the checkpoint of the next log was incomplete",
    "redo.archive_wait_s": "because the next log was not archived",
    "redo.switch_strand_wait_s": "until sessions' private redo was written",
    "redo.switch_completion_wait_s": "for the switch itself",
}


@rule(
    "REDO004",
    "log-switch-waits",
    some=("redo.log_switch_wait_s",),
    needs=("redo.log_switch_wait_s", WEIGHED),
    wants=(*COMMIT_PATH, "redo.log_switches_per_hour", "redo.minutes_per_switch",
           "redo.log_switch_waits", "redo.log_switch_stalls", "redo.log_switch_wait_ms",
           *_CAUSES),
    thresholds=(STALLS, STALL_MS),
)  # fmt: skip
def log_switch_waits(f: Facts) -> Finding | None:
    """Sessions wait for log switches.

    What it tells you:
        The next redo log was not free when it was needed, or the switch itself took long. Where
        most of it is for incomplete checkpoints, CKPT001 speaks for all of it.
    Why it matters:
        Every session that makes redo stands still meanwhile.
    How it is computed:
        Sum of all foreground events that begin with `log file switch`, and each cause by itself:
        checkpoint incomplete, archiving needed, private strand flush incomplete, completion.
    Example:
        With `redo.log_switch_wait_s` = 507.0, `load.response_s` = 9653.0,
        `checkpoint.incomplete_wait_s` = 385.0, `redo.archive_wait_s` = 0.0,
        `redo.switch_strand_wait_s` = 0.0, `redo.switch_completion_wait_s` = 122.0: warning,
        "Sessions waited 507 s for log switches".
    Threshold:
        What the waits weigh: how many sessions wait, and how long each wait takes; where sessions
        wait longer for log switches than for LGWR, both are weighed together. At least info from
        redo.stalls (20) waits on that take longer than 32 ms by their histogram or, where none is
        printed, redo.stall_ms (30 ms) on average; in an interval of days, so many in each day.
    What to do:
        Checkpoint incomplete: more or larger log groups, and a checkpoint target that keeps
        DBWR writing. Archiving needed: more archiver processes or faster archive disks.
        Private strand flush incomplete, completion: larger logs, so that switches are fewer; a
        switch that takes long each time: the control files' and logs' devices.
    How to verify:
        The events disappear from the foreground list at the same redo rate.
    When it is wrong:
        A single deliberate `ALTER SYSTEM SWITCH LOGFILE` storm, for instance by a backup.
    Sources:
        document 3, figures 4, 5 and 13; Oracle Database Reference, `log file switch` events.
    """
    seconds = f.number("redo.log_switch_wait_s")
    waits, each = f.get("redo.log_switch_waits"), f.get("redo.log_switch_wait_ms")
    weighed = weigh_redo(f, switches=True, each_ms=each)
    if not weighed.matters and not _stalls(f):
        return None
    causes = {name: f.get(name) or 0.0 for name in _CAUSES}
    most = sorted((name for name in causes if causes[name] >= 1), key=lambda n: -causes[n])
    shown = [f"{causes[name]:,.0f} s {_CAUSES[name]}" for name in most]
    if not shown:  # less than a second of each
        most = [name for name in causes if causes[name] > 0]
        shown = [_CAUSES[name] for name in most]
    times = f"{waits:,.0f} times, {plain(each)} ms each" if waits and each else ""
    return f.finding(
        log_switch_waits,
        f"Sessions waited {seconds:,.0f} s for log switches"
        if seconds >= 1
        else "Sessions waited for log switches",
        weighed if weighed.matters else weighed._replace(severity="info"),
        f.impact(seconds, "foreground `log file switch` events"),
        (f"They waited {times}: " if times else "They waited ")
        + (f"{', '.join(shown)}." if shown else "the causes are not listed apart."),
        "redo.log_switch_wait_s",
        "redo.log_switch_waits",
        "redo.log_switch_wait_ms",
        *most,
        "redo.log_switches_per_hour",
        related=("CKPT001", "REDO007"),
    )


def _stalls(f: Facts) -> bool:
    """Whether log switches stop sessions often enough to be mentioned, whatever the share.

    By the histogram, else by the average; within a day, as an interval of weeks has some anyway.
    """
    counted, each = f.get("redo.log_switch_stalls"), f.get("redo.log_switch_wait_ms")
    if counted is None:
        counted = f.get("redo.log_switch_waits") if (each or 0.0) >= f.limit(STALL_MS) else 0
    days = max(1.0, (f.get("load.elapsed_s") or 0.0) / _DAY_S)
    return (counted or 0) / days >= f.limit(STALLS)


_DAY_S: Final = 86_400


@rule(
    "REDO005",
    "log-space-waits",
    gate=("redo.space_wait_s",),
    needs=("redo.space_wait_s", "redo.space_requests", WEIGHED),
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
    Example:
        With `redo.space_wait_s` = 510.83, `redo.space_requests` = 25142.0, `load.response_s` =
        9653.0, `redo.log_switch_wait_s` = 0.0: warning, "Sessions waited 511 s for space in the
        redo log".
    Threshold:
        What the waits weigh: how many sessions wait, and how long each wait takes.
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
    seconds, requests = f.number("redo.space_wait_s"), f.number("redo.space_requests")
    weighed = f.weigh("redo.space_wait_s", each_ms=seconds * 1000 / requests if requests else None)
    if not weighed.matters or f.get("redo.log_switch_wait_s"):
        return None
    return f.finding(
        log_space_waits,
        f"Sessions waited {seconds:,.0f} s for space in the redo log",
        weighed,
        f.impact(seconds, "`redo log space wait time`"),
        f"{f.number('redo.space_requests'):,.0f} requests found the log full.",
        "redo.space_wait_s",
        "redo.space_requests",
        waits=f.number("redo.space_requests"),
        related=("REDO004",),
    )


@rule(
    "REDO007",
    "frequent-log-switches",
    needs=("redo.log_switches_per_hour",),
    wants=(
        "checkpoint.optimal_log_mb",
        "redo.minutes_per_switch",
        "redo.mb_per_switch",
        "redo.log_mb",
        "redo.other_logs_mb",
        "redo.log_switch_wait_s",
    ),
    thresholds=(SWITCHES_PER_HOUR, FORCED_RATIO),
)
def frequent_log_switches(f: Facts) -> Finding | None:
    """Redo logs switch too often for the load.

    What it tells you:
        The logs are small for the amount of redo. Where sessions wait for the switches, it is the
        reason of those waits and stands under them; otherwise it is a remark: larger logs cost
        disk space only.
    Why it matters:
        Each switch asks for a checkpoint and stops whoever makes redo; at a peak the next log may
        not be free.
    How it is computed:
        `log switches (derived)` for an hour, else log switch checkpoints that were started; `redo
        blocks written` × block size for each switch is what a log holds when it switches.
    Example:
        With `redo.log_switches_per_hour` = 205.0, `redo.log_switch_wait_s` = 507.0,
        `redo.mb_per_switch` = 45.0: info, "Redo logs switch 205 times an hour".
    Threshold:
        redo.switches_per_hour (12). Not where a log is left with less than
        redo.forced_switch_ratio (0.5) of its size: such switches are forced.
    What to do:
        Larger logs; Instance Recovery Stats prints an optimal size when a target is set. What
        larger logs cost is time of recovery: see the recommendation's risks.
    How to verify:
        Fewer switches at the same redo rate, and no `log file switch` waits.
    When it is wrong:
        `archive_lag_target` or a backup forces switches on purpose: then the logs are left
        before they are full, which shows only where the size of the log is known.
    Sources:
        document 3, "Redo Log Writes" (sizing); Oracle Database Performance Tuning Guide.
    """
    rate = f.number("redo.log_switches_per_hour")
    filled, size = f.get("redo.mb_per_switch"), f.get("redo.log_mb")
    others = f.get("redo.other_logs_mb")
    # of all logs but one the smallest is a tenth at least: nobody has more than eleven groups
    least = size or (others / _MOST_OTHERS if others else None)
    forced = bool(filled and least and filled < least * f.limit(FORCED_RATIO))
    if rate < f.limit(SWITCHES_PER_HOUR) or forced:
        return None
    optimal = f.get("checkpoint.optimal_log_mb")
    why = f"One switch every {_every(3600 / rate)}."
    if filled is not None:
        of = "" if size is None else f" of {size:,.0f} MB"
        why = f"A log{of} holds {filled:,.0f} MB of redo when it switches, {_every(3600 / rate)} "
        why += "after the one before."
    if optimal:
        why += f" Oracle's optimal log size is {optimal:,.0f} MB."
    return f.finding(
        frequent_log_switches,
        f"Redo logs switch {rate:,.0f} times an hour",
        "info",
        f.impact(f.get("redo.log_switch_wait_s"), "all foreground `log file switch` events"),
        why,
        "redo.log_switches_per_hour",
        "redo.minutes_per_switch",
        "redo.mb_per_switch",
        "checkpoint.optimal_log_mb",
        related=("REDO004", "CKPT001"),
    )


def _every(seconds: float) -> str:
    """A span of time as one says it."""
    return f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.1f} minutes"  # noqa: PLR2004


@rule(
    "REDO011",
    "log-buffer-waits",
    gate=("redo.buffer_wait_s",),
    needs=("redo.buffer_wait_s", WEIGHED),
    wants=(*COMMIT_PATH, "redo.buffer_wait_ms"),
    thresholds=(SLOW_WRITE_MS,),
)
def log_buffer_waits(f: Facts) -> Finding | None:
    """Sessions wait for space in the log buffer.

    What it tells you:
        Sessions make redo faster than LGWR empties the buffer, and its writes are not slow.
    Why it matters:
        Whatever changes data stands still until LGWR has written.
    How it is computed:
        Total wait of `log buffer space`; the share of the interval in which LGWR wrote beside it.
    Example:
        With `redo.buffer_wait_s` = 600.0, `load.response_s` = 9000.0, `redo.local_write_ms` = 1.9,
        `redo.buffer_wait_ms` = 42.0, `redo.lgwr_busy_pct` = 71.4: warning, "Sessions waited 600 s
        for space in the log buffer".
    Threshold:
        What the waits weigh: how many sessions wait, and how long each wait takes; where all waits
        for LGWR weigh more, those. From redo.slow_write_ms (8 ms) on the write is the reason, and
        REDO001 counts these waits.
    What to do:
        Where LGWR is mostly idle, bursts fill the buffer: a larger LOG_BUFFER. Where it writes
        most of the time: less redo (direct-path loads, fewer indexes), or storage that takes
        more of it.
    How to verify:
        `log buffer space` is gone from the foreground events at the same redo rate.
    When it is wrong:
        Log switches hold LGWR up and sessions wait for the buffer meanwhile: then REDO004 comes
        first.
    Sources:
        document 3, "Redo Log Writes" (LGWR writes when the buffer is a third full); Oracle
        Database Reference, event `log buffer space`.
    """
    seconds, each = f.number("redo.buffer_wait_s"), f.get("redo.buffer_wait_ms")
    busy = f.get("redo.lgwr_busy_pct")
    own = f.weigh("redo.buffer_wait_s", each_ms=each, busy_pct=busy)
    if slow_write(f) or not own.matters:
        return None
    whole = commit_path(f)
    worse = max(own, whole, key=lambda weighed: SEVERITIES.index(weighed.severity))
    return f.finding(
        log_buffer_waits,
        f"Sessions waited {seconds:,.0f} s for space in the log buffer",
        worse,
        f.impact(seconds, "`log buffer space`"),
        "They make redo faster than LGWR writes it."
        + ("" if busy is None else f" LGWR was writing {busy:.0f} % of the time."),
        "redo.buffer_wait_s",
        "redo.buffer_wait_ms",
        "redo.lgwr_busy_pct",
        related=("REDO001", "REDO004"),
    )


@rule(
    "REDO015",
    "flashback-log-waits",
    gate=("redo.flashback_wait_s",),
    needs=("redo.flashback_wait_s", WEIGHED),
    wants=("redo.flashback_wait_ms",),
)
def flashback_log_waits(f: Facts) -> Finding | None:
    """Sessions wait for flashback logs.

    What it tells you:
        Flashback Database is on, and RVWR does not write its logs as fast as sessions change data.
    Why it matters:
        A change waits for the block's image to be in the flashback log, as a commit waits for
        redo; the redo logs may be quick meanwhile.
    How it is computed:
        Total wait of `flashback log file sync` and `flashback buf free by RVWR`.
    Example:
        With `redo.flashback_wait_s` = 600.0, `load.response_s` = 9000.0,
        `redo.flashback_wait_ms` = 30.0: warning, "Sessions waited 600 s for flashback logs".
    Threshold:
        What the waits weigh: how many sessions wait, and how long each wait takes.
    What to do:
        Put the recovery area's flashback logs on disks that take sequential writes quickly, apart
        from archived logs and backups; a larger LOG_BUFFER enlarges RVWR's buffer too.
    How to verify:
        The events leave the list at the same rate of changes.
    When it is wrong:
        A guaranteed restore point was set for a single change.
    Sources:
        Oracle Database Backup and Recovery User's Guide, performance of Flashback Database.
    """
    seconds, each = f.number("redo.flashback_wait_s"), f.get("redo.flashback_wait_ms")
    weighed = f.weigh("redo.flashback_wait_s", each_ms=each)
    if not weighed.matters:
        return None
    return f.finding(
        flashback_log_waits,
        f"Sessions waited {seconds:,.0f} s for flashback logs",
        weighed,
        f.impact(seconds, "`flashback log file sync` and `flashback buf free by RVWR`"),
        "RVWR does not write flashback logs as fast as sessions change data"
        + ("." if each is None else f": {plain(each)} ms for each wait."),
        "redo.flashback_wait_s",
        "redo.flashback_wait_ms",
        related=("REDO001",),
    )
