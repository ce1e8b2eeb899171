"""Redo: waits for log switches, redo logs that are too small, a log buffer that is full.

Sources of the reasoning: Write Accelerator, figures 4 and 5; Fast-Start Checkpointing Best
Practices for the cost of larger redo logs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.checkpoints import LAG_SHARE_PCT
from awrlens.policy import Threshold
from awrlens.rules.base import WEIGHED, Facts, rule
from awrlens.rules.shared_waits import (
    CAN_BE_BEHIND,
    COMMIT_PATH,
    behind,
    consequences,
    weigh_redo,
)
from awrlens.units import ms_words

if TYPE_CHECKING:
    from awrlens.model import Finding

SWITCHES_PER_HOUR: Final = Threshold(
    "redo.switches_per_hour", 12.0, "1/h",
    "log switches per hour above which redo logs are too small",
    "Oracle Database Performance Tuning Guide: size redo logs to switch at most once every 20 "
    "minutes; awrlens accepts one switch every 5 minutes",
)  # fmt: skip

STALLS: Final = Threshold(
    "redo.stalls", 20.0, "count",
    "waits for log switches longer than redo.stall_ms, per interval or per day of a longer one, "
    "above which they are reported whatever their share",
    "awrlens: each of them stops all sessions that generate redo",
)  # fmt: skip
STALL_MS: Final = Threshold(
    "redo.stall_ms", 30.0, "ms",
    "average wait for a log switch above which it is a stall",
    "awrlens: above the 16 to 32 ms that the control file and header writes of a switch take on "
    "disks",
)  # fmt: skip
FORCED_RATIO: Final = Threshold(
    "redo.forced_switch_ratio", 0.5, "ratio",
    "redo between two switches divided by the redo log size, below which switches are forced",
    "awrlens: half; ARCHIVE_LAG_TARGET, a backup or another thread switches before a redo log is "
    "full",
)  # fmt: skip

#: With fewer switches, one more or less changes the rate by a quarter. # awrlens: an assumption
_FEW_SWITCHES: Final = 5
#: Maximum number of redo logs of a thread in addition to the current one.
_MOST_OTHERS: Final = 10

#: Reasons for waits at a switch, by fact.
_CAUSES: Final = {
    "checkpoint.incomplete_wait_s": "because the checkpoint of the next redo log was incomplete",
    "redo.archive_wait_s": "because the next redo log was not archived",
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
           *_CAUSES, *CAN_BE_BEHIND),
    thresholds=(STALLS, STALL_MS),
)  # fmt: skip
def log_switch_waits(f: Facts) -> Finding | None:
    """Sessions wait for log switches.

    What it means:
        The next redo log was not free when it was needed, or the switch itself took long. If most
        of the time is for incomplete checkpoints, CKPT001 reports all of it.
    Why it matters:
        All sessions that generate redo wait during this time.
    How it is computed:
        Sum of all foreground events that begin with `log file switch`, and each cause separately:
        checkpoint incomplete, archiving needed, private strand flush incomplete, completion.
    Example:
        With `redo.log_switch_wait_s` = 507.0, `load.response_s` = 9653.0,
        `checkpoint.incomplete_wait_s` = 385.0, `redo.archive_wait_s` = 0.0,
        `redo.switch_strand_wait_s` = 0.0, `redo.switch_completion_wait_s` = 122.0: warning,
        "Sessions waited 507 s for log switches".
    Threshold:
        How many sessions wait, and how long each wait takes. If sessions wait longer for log
        switches than for LGWR, both are weighed together. At least info above redo.stalls (20)
        waits longer than 32 ms by the histogram or, without a histogram, longer than redo.stall_ms
        (30 ms) on average; in an interval of several days, that many per day.
    What to do:
        Checkpoint incomplete: add redo log groups or enlarge them, and set a checkpoint target that
        keeps DBWR writing. Archiving needed: more archiver processes or faster archive disks.
        Private strand flush incomplete, completion: larger redo logs, so that switches are rarer.
        If every switch takes long: check the devices of the control files and redo logs.
    How to verify:
        The events are no longer in the foreground list at the same redo rate.
    When it is wrong:
        A series of deliberate `ALTER SYSTEM SWITCH LOGFILE` commands, for example by a backup.
    Sources:
        Write Accelerator, figures 4, 5 and 13; Oracle Database Reference, `log file switch` events.
    """
    seconds = f.number("redo.log_switch_wait_s")
    each = f.get("redo.log_switch_wait_ms")
    weighed = weigh_redo(f, switches=True, each_ms=each)
    if not weighed.matters and not _stalls(f):
        return None
    waits = f.get("redo.log_switch_waits")
    causes = {name: f.get(name) or 0.0 for name in _CAUSES}
    most = sorted((name for name in causes if causes[name] >= 1), key=lambda n: -causes[n])
    shown = [f"{causes[name]:,.0f} s {_CAUSES[name]}" for name in most]
    if not shown:  # less than a second for each
        most = [name for name in causes if causes[name] > 0]
        shown = [_CAUSES[name] for name in most]
    times = f"{waits:,.0f} times, {ms_words(each)} per wait" if waits and each else ""
    # CKPT001 names what waits behind them if it has most of the waits
    named = causes["checkpoint.incomplete_wait_s"] * 2 < seconds
    return f.finding(
        log_switch_waits,
        f"Sessions waited {seconds:,.0f} s for log switches"
        if seconds >= 1
        else "Sessions waited for log switches",
        weighed if weighed.matters else weighed._replace(severity="info"),
        f.impact(seconds, "foreground `log file switch` events"),
        (f"They waited {times}: " if times else "They waited ")
        + (f"{', '.join(shown)}." if shown else "the report does not separate the causes.")
        + (behind(f, weighed) if named else ""),
        "redo.log_switch_wait_s",
        "redo.log_switch_waits",
        "redo.log_switch_wait_ms",
        *most,
        "redo.log_switches_per_hour",
        *(consequences(f, weighed) if named else ()),
        related=("CKPT001", "REDO007"),
    )


def _stalls(f: Facts) -> bool:
    """Whether log switches stop sessions often enough to be reported, whatever the share.

    By the histogram, otherwise by the average; per day, as an interval of weeks always has some.
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
    """The current redo log has no space for redo.

    What it means:
        Sessions requested space in a redo log and had to wait for a log switch.
    Why it matters:
        These are the same waits as log switch waits, counted by statistics. 8i and shortened
        reports have the statistics where the events are missing.
    How it is computed:
        `redo log space wait time` / 100 seconds over `redo log space requests`.
    Example:
        With `redo.space_wait_s` = 510.83, `redo.space_requests` = 25142.0, `load.response_s` =
        9653.0, `redo.log_switch_wait_s` = 0.0: warning, "Sessions waited 511 s for space in the
        redo log".
    Threshold:
        How many sessions wait, and how long each wait takes.
    What to do:
        As for log switch waits: larger or more redo log groups, faster checkpoints.
    How to verify:
        `redo log space requests` is near 0 at the same redo rate.
    When it is wrong:
        It is never added to REDO004, because both count the same waits. If the events are in the
        report, the rule does not report it.
    Sources:
        Write Accelerator, figures 4 and 5 (`redo log space requests`, `redo log space wait time`).
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
        f"{f.number('redo.space_requests'):,.0f} requests found the redo log full.",
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
        "load.elapsed_s",
        "load.instances",
        "redo.lag_share_pct",
    ),
    thresholds=(SWITCHES_PER_HOUR, FORCED_RATIO, LAG_SHARE_PCT),
)
def frequent_log_switches(f: Facts) -> Finding | None:
    """Redo logs switch too often for the load.

    What it means:
        The redo logs are small for the amount of redo. If sessions wait for the switches, this is
        the cause of those waits and is listed under them. Otherwise it is a remark: larger redo
        logs only cost disk space.
    Why it matters:
        Each switch requests a checkpoint and stops sessions that generate redo. At peak load the
        next redo log may not be free.
    How it is computed:
        `log switches (derived)` per hour, otherwise log switch checkpoints started; `redo blocks
        written` × block size per switch is the redo in a redo log when it switches.
    Example:
        With `redo.log_switches_per_hour` = 205.0, `redo.log_switch_wait_s` = 507.0,
        `redo.mb_per_switch` = 45.0: info, "Redo logs switch 205 times per hour".
    Threshold:
        redo.switches_per_hour (12). Not if the redo log switches with less than
        redo.forced_switch_ratio (0.5) of its size used, or if the time between switches is
        redo.lag_share_pct (80 %) of ARCHIVE_LAG_TARGET: such switches are forced.
    What to do:
        Use larger redo logs; Instance Recovery Stats shows an optimal size if a target is set.
        Larger redo logs can lengthen recovery: see the risks of the recommendation.
    How to verify:
        Fewer switches at the same redo rate, and no `log file switch` waits.
    When it is wrong:
        A backup or a job forces switches on purpose. The redo logs then switch before they are
        full, which is visible only if the redo log size is known.
    Sources:
        Write Accelerator, "Redo Log Writes" (sizing); Oracle Database Performance Tuning Guide.
    """
    rate = f.number("redo.log_switches_per_hour")
    if rate < f.limit(SWITCHES_PER_HOUR):
        return None
    filled, size = f.get("redo.mb_per_switch"), f.get("redo.log_mb")
    others = f.get("redo.other_logs_mb")
    # the smallest redo log is at least a tenth of all others: nobody has more than eleven groups
    least = size or (others / _MOST_OTHERS if others else None)
    early = bool(filled and least and filled < least * f.limit(FORCED_RATIO))
    if early or (f.get("redo.lag_share_pct") or 0.0) >= f.limit(LAG_SHARE_PCT):
        return None
    optimal, elapsed = f.get("checkpoint.optimal_log_mb"), f.get("load.elapsed_s")
    count = None if elapsed is None else round(rate * elapsed / 3600)
    few = f"only {count} switches in the interval" if count and count < _FEW_SWITCHES else ""
    each = "of each instance " if (f.get("load.instances") or 1) > 1 else ""
    why = f"One switch every {_every(3600 / rate)}."
    if filled is not None:
        of = "" if size is None else f" of {size:,.0f} MB"
        why = f"Redo logs{of} switch after {filled:,.0f} MB of redo, every {_every(3600 / rate)}."
    if optimal:
        why += f" Oracle's optimal redo log size is {optimal:,.0f} MB."
    return f.finding(
        frequent_log_switches,
        f"Redo logs {each}switch {rate:,.0f} times per hour",
        "info",
        f.impact(f.get("redo.log_switch_wait_s"), "all foreground `log file switch` events"),
        why,
        "redo.log_switches_per_hour",
        "redo.minutes_per_switch",
        "redo.mb_per_switch",
        "checkpoint.optimal_log_mb",
        doubt=few,
        related=("REDO004", "CKPT001"),
    )


def _every(seconds: float) -> str:
    """A time span in words."""
    return f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.1f} minutes"  # noqa: PLR2004
