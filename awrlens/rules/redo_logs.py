"""Redo: log switches that sessions wait for, logs that are too small, a log buffer that is full.

Sources of the reasoning: document 3, figures 4 and 5; document 1 for what larger logs cost.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.policy import Threshold
from awrlens.rules.base import Facts, rule
from awrlens.rules.redo import SLOW_WRITE_MS, local_write_ms

if TYPE_CHECKING:
    from awrlens.model import Finding

SWITCHES_PER_HOUR: Final = Threshold(
    "redo.switches_per_hour", 12.0, "1/h",
    "log switches per hour from which logs are small for the load",
    "Oracle Database Performance Tuning Guide: size logs to switch at most every 20 minutes; "
    "awrlens tolerates one each 5 minutes before it speaks",
)  # fmt: skip

THRESHOLDS: Final = (SWITCHES_PER_HOUR,)

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
    gate=("redo.log_switch_wait_s",),
    needs=("redo.log_switch_wait_s", "load.response_s"),
    wants=("redo.log_switches_per_hour", "redo.minutes_per_switch", *_CAUSES),
)
def log_switch_waits(f: Facts) -> Finding | None:
    """Sessions wait for log switches.

    What it tells you:
        The next redo log was not free when it was needed, or the switch itself took long. What is
        waited because a checkpoint is incomplete is left to CKPT001 where that speaks.
    Why it matters:
        Every session that makes redo stands still meanwhile.
    How it is computed:
        Sum of all foreground events that begin with `log file switch`, and each cause by itself:
        checkpoint incomplete, archiving needed, private strand flush incomplete, completion.
    Example:
        With `redo.log_switch_wait_s` = 507.0, `load.response_s` = 9653.0,
        `checkpoint.incomplete_wait_s` = 385.0, `redo.archive_wait_s` = 0.0,
        `redo.switch_strand_wait_s` = 0.0, `redo.switch_completion_wait_s` = 122.0: info,
        "Sessions wait 122 s for log switches, beside those for checkpoints".
    Threshold:
        impact.info_pct, impact.warning_pct and impact.critical_pct of DB time.
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
    causes = {name: f.get(name) or 0.0 for name in _CAUSES}
    incomplete, beside = causes["checkpoint.incomplete_wait_s"], ""
    if f.felt(incomplete):  # CKPT001 tells these
        del causes["checkpoint.incomplete_wait_s"]
        seconds, beside = max(0.0, seconds - incomplete), ", beside those for checkpoints"
    if not f.felt(seconds):
        return None
    most = sorted((name for name in causes if causes[name] > 0), key=lambda n: -causes[n])
    told = [f"{causes[name]:,.0f} s {_CAUSES[name]}" for name in most]
    return f.finding(
        log_switch_waits,
        f"Sessions wait {seconds:,.0f} s for log switches{beside}",
        f.severity(seconds),
        f.impact(seconds, f"foreground `log file switch` events{beside}"),
        f"They wait {', '.join(told)}." if told else "The causes are not listed apart.",
        "redo.log_switch_wait_s",
        *most,
        "redo.log_switches_per_hour",
        related=("CKPT001", "REDO007"),
    )


@rule(
    "REDO005",
    "log-space-waits",
    gate=("redo.space_wait_s",),
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
    Example:
        With `redo.space_wait_s` = 510.83, `redo.space_requests` = 25142.0, `load.response_s` =
        9653.0, `redo.log_switch_wait_s` = 0.0: warning, "Sessions wait 511 s for space in the
        redo log".
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
    "REDO007",
    "frequent-log-switches",
    gate=("redo.log_switch_wait_s",),
    needs=("redo.log_switches_per_hour", "redo.log_switch_wait_s", "load.response_s"),
    wants=(
        "checkpoint.optimal_log_mb",
        "redo.minutes_per_switch",
        "redo.mb_per_switch",
        "redo.log_mb",
    ),
    thresholds=(SWITCHES_PER_HOUR,),
)
def frequent_log_switches(f: Facts) -> Finding | None:
    """Redo logs switch too often for the load.

    What it tells you:
        The logs are small for the amount of redo, and switching is felt: the reason of REDO004's
        waits, which is why it adds no severity of its own to them.
    Why it matters:
        Each switch asks for a checkpoint and stops whoever makes redo.
    How it is computed:
        `log switches (derived)` for an hour; `redo blocks written` × block size for each switch
        is what a log holds when it is left.
    Example:
        With `redo.log_switches_per_hour` = 205.0, `redo.log_switch_wait_s` = 507.0,
        `load.response_s` = 9653.0: info, "Redo logs switch 205 times per hour".
    Threshold:
        redo.switches_per_hour (12), and impact.info_pct of DB time for log switch waits.
    What to do:
        Larger logs; Instance Recovery Stats prints an optimal size when a target is set. What
        larger logs cost is time of recovery: see the recommendation's risks.
    How to verify:
        Fewer switches at the same redo rate, and no `log file switch` waits.
    When it is wrong:
        `archive_lag_target` or a backup forces switches on purpose: then the logs are left
        before they are full.
    Sources:
        document 3, "Redo Log Writes" (sizing); Oracle Database Performance Tuning Guide.
    """
    rate = f.number("redo.log_switches_per_hour")
    seconds = f.number("redo.log_switch_wait_s")
    if rate < f.limit(SWITCHES_PER_HOUR) or not f.felt(seconds):
        return None
    filled, size = f.get("redo.mb_per_switch"), f.get("redo.log_mb")
    optimal = f.get("checkpoint.optimal_log_mb")
    why = "The logs are small."
    if filled is not None:
        of = "" if size is None else f" of {size:,.0f} MB"
        why = f"A log{of} holds {filled:,.0f} MB of redo when it is left, little for this load."
    if optimal:
        why += f" Oracle reckons {optimal:,.0f} MB as optimal log size."
    return f.finding(
        frequent_log_switches,
        f"Redo logs switch {rate:,.0f} times per hour",
        "info",
        f.impact(seconds, "all foreground `log file switch` events, as in REDO004"),
        why,
        "redo.log_switches_per_hour",
        "redo.minutes_per_switch",
        "redo.mb_per_switch",
        "redo.log_switch_wait_s",
        "checkpoint.optimal_log_mb",
        related=("REDO004", "CKPT001"),
    )


@rule(
    "REDO011",
    "log-buffer-waits",
    gate=("redo.buffer_wait_s",),
    needs=("redo.buffer_wait_s", "load.response_s"),
    wants=("redo.write_ms", "redo.parallel_write_ms", "redo.lgwr_busy_pct"),
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
        With `redo.buffer_wait_s` = 600.0, `load.response_s` = 9000.0, `redo.write_ms` = 2.0,
        `redo.parallel_write_ms` = 1.9, `redo.lgwr_busy_pct` = 71.4: warning, "Sessions wait 600 s
        for space in the log buffer".
    Threshold:
        impact.info_pct, impact.warning_pct and impact.critical_pct of DB time. From
        redo.slow_write_ms (10 ms) on the write is the reason, and REDO001 counts these waits.
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
    seconds = f.number("redo.buffer_wait_s")
    if (local_write_ms(f) or 0.0) >= f.limit(SLOW_WRITE_MS) or not f.felt(seconds):
        return None
    busy = f.get("redo.lgwr_busy_pct")
    return f.finding(
        log_buffer_waits,
        f"Sessions wait {seconds:,.0f} s for space in the log buffer",
        f.severity(seconds),
        f.impact(seconds, "`log buffer space`"),
        "They make redo faster than LGWR writes it."
        + ("" if busy is None else f" LGWR is writing {busy:.0f} % of the time."),
        "redo.buffer_wait_s",
        "redo.lgwr_busy_pct",
        related=("REDO001", "REDO004"),
    )
