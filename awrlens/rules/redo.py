"""Redo: slow writes, log switches and redo logs that are too small, waits for the log buffer.

Sources of the reasoning: Write Accelerator, "Redo Log Writes" and figures 4 and 5; Fast-Start
Checkpointing Best Practices for the cost of larger redo logs.
"""

from __future__ import annotations

from operator import not_
from typing import TYPE_CHECKING, Final

from awrlens.model import SEVERITIES
from awrlens.oracle import host
from awrlens.oracle.write_path import (
    extent,
    is_several_waits,
    lacks_throughput,
)
from awrlens.rules.base import Diagnosis, of, rule, unnoticed
from awrlens.rules.shared_waits import (
    FLUSHES,
    behind,
    behind_flushes,
    commit_path,
    consequences,
    flushes,
    held_by_redo,
    redo_waits,
)
from awrlens.rules.writes import judged_read, quick_kinds, slow_reads
from awrlens.units import first_of, io_size, ms_words, plain

if TYPE_CHECKING:
    from awrlens.model.finding import Extent
    from awrlens.rules.base import Facts, Gate, Late, Number, Shown, Some
    from awrlens.rules.shared_waits import RedoWaits
    from awrlens.severity import Weighed


#: Bound of the slow writes that `redo.tail_pct` counts; # awrlens: see that threshold's source
_TAIL_MS: Final = 16

#: Ratio of the event to LGWR's counter above which the finding shows both.
_APART: Final = 1.5
#: LGWR counts as no busier than this share of the interval. # awrlens: a limit of the model
_BUSIEST_PCT: Final = 95


def slow_write(
    f: Facts, redo_local_write_ms: float | None, redo_bytes_per_write: float | None,
    redo_write_p50_ms: float | None, redo_parallel_write_ms: float | None,
) -> bool:  # fmt: skip
    """Whether the log write itself is slow for its size: by its median, if the report has it."""
    slow = f.slower_than("redo.slow_write_ms", redo_local_write_ms, redo_bytes_per_write)
    several = is_several_waits(redo_local_write_ms or 0.0, redo_parallel_write_ms)
    stalls = f.scale.stalls(redo_local_write_ms, redo_write_p50_ms, redo_bytes_per_write)
    return slow and (several or not stalls)


@rule("REDO001", weighs=True, wants=host.WITHOUT_HOST)
def slow_redo_write(
    f: Facts, redo_local_write_ms: float, redo_write_ms: float | None, redo_sync_wait_s: Number,
    redo_commit_ms: float | None, redo_buffer_wait_s: Number | None,
    redo_lgwr_busy_pct: float | None,
    *, redo_parallel_write_ms: float | None, redo_write_count: float | None,
    redo_commit_waits: float | None, redo_bytes_per_write: float | None,
    io_slow_places: Late, redo_log_reads: str | None, read: float | None = of(judged_read),
    slow: bool = of(slow_write, ends=not_), weighed: Weighed = of(commit_path),
    others: str = of(quick_kinds), held: tuple[Number, ...] = of(held_by_redo),
    flushed: dict[str, float] = of(flushes),
) -> Diagnosis | None:  # fmt: skip
    """Redo writes are slow for their size, and sessions wait for LGWR."""
    write, commit, sync = redo_local_write_ms, redo_commit_ms or 0.0, redo_sync_wait_s
    buffer, busy = redo_buffer_wait_s, redo_lgwr_busy_pct
    seconds = f.total(sync, buffer)
    ahead = 1 - min(busy or 0.0, _BUSIEST_PCT) / 100
    but = first_of(
        (weighed.matters and commit > 2 * write / ahead and write < f.limit("impact.slowest_ms"),
         f" of a commit of {ms_words(commit)}"),
        (weighed.matters and commit > write, f" and a commit {ms_words(commit)}"),
        (weighed.matters, ""),
        (not seconds, ", but no session waits for it"),
        (weighed.many > 1, ", and the waits for it are short"),
        (True, ", but few sessions wait for it"),
    )  # fmt: skip
    waits = []
    if sync:
        per_commit = "" if redo_commit_ms is None else f", {ms_words(redo_commit_ms)} per commit"
        waited = f"{sync:,.0f}" if sync >= 1 else plain(sync)
        waits.append(f"Sessions waited {waited} s at commit{per_commit}.")
    if buffer is not None and buffer >= 1:
        waits.append(f"They waited {buffer:,.0f} s for space in the log buffer.")
    if busy is not None:
        queues = sync and weighed.many > 1 and busy > 50  # noqa: PLR2004 - the majority
        queue = ", so commits queue" if queues else ""
        share = f"{busy:.0f}" if round(busy) else "less than 1"
        waits.append(f"LGWR was writing {share} % of the time{queue}.")
    if redo_log_reads:
        waits.append(f"{redo_log_reads[0].upper()}{redo_log_reads[1:]}.")
    # a write that is very slow comes first, however long a commit is
    longer = commit >= f.limit("redo.sync_ratio") * write / ahead
    far = longer and write < f.limit("impact.slowest_ms")
    other = (
        f" Only {ms_words(write)} of a commit is the log write: find out what else LGWR waits for, "
        "such as control file writes, a standby, or CPU."
        if far and weighed.matters
        else ""
    )
    said = " ".join(waits) or "The report does not show a wait at commit."
    over = f.scale.overtimed
    perhaps = f" as printed, perhaps {ms_words(float(f'{write / over:.1g}'))}" if over else ""
    title = f"A redo write takes {ms_words(write)}{perhaps}{but}"
    slowness: Extent = ""
    whole = slow_reads(f, read, io_slow_places, "redo", others)
    if whole and read is not None and weighed.matters and not over:
        places, suspect = io_slow_places(), host.suspect(f.get, f.limit)
        which = extent(places, suspect, others)
        title = f"{which}: a{title[1:]}, a single-block read {ms_words(read)}"
        slowness = "part" if places else "whole"
        whole += suspect
    size, explained = redo_bytes_per_write, f.scale.explained_ms
    if weighed.matters and lacks_throughput(size, write, explained, f.limit):
        slowness = ""
        busy_of = f"LGWR writes {busy:.0f} % of the time, " if busy else ""
        title = (
            f"The redo log device lacks throughput: {busy_of}{ms_words(write)} per write of "
            f"{io_size(size or 0.0)}{f', and a commit takes {ms_words(commit)}' * (commit > write)}"
        )
    also = consequences(weighed, held)
    flushed = flushed if also else {}
    return Diagnosis(
        title,
        weighed._replace(weight=weighed.weight._replace(slow=slowness)),
        f.impact(seconds, "`log file sync` and `log buffer space`"),
        f"{said}{_both(write, redo_parallel_write_ms, redo_write_ms)}"
        f"{whole}{other}{behind(weighed, held)}{behind_flushes(flushed)}",
        also=(
            *also,
            *(FLUSHES[block] for block in flushed),
            *("redo.log_reads",) * bool(redo_log_reads),
        ),
        waits=redo_write_count or redo_commit_waits,
        related=("REDO002", "REDO004"),
        even_ok=True,
    )


def _both(write: float, event: float | None, counter: float | None) -> str:
    """Both times of the write if they are far apart; or that a wait is not a whole write."""
    if not event or not counter or max(event, counter) < _APART * min(event, counter):
        return ""
    if write != counter and is_several_waits(write, event):
        return (f" A write takes {write / event:.0f} waits for `log file parallel write` of "
                f"{ms_words(event)} on average.")  # fmt: skip
    return (f" `log file parallel write` takes {ms_words(event)}; LGWR's own counter shows "
            f"{ms_words(counter)} per write.")  # fmt: skip


def _short_tail(f: Facts, redo_write_slower_16ms_pct: float) -> bool:
    return redo_write_slower_16ms_pct < f.limit("redo.tail_pct")


@rule("REDO010")
def slow_write_tail(
    f: Facts, redo_write_slower_16ms_pct: float, redo_local_write_ms: float,
    redo_write_p99_ms: float | None, redo_sync_slower_16ms_pct: float | None,
    *, redo_sync_wait_s: Gate, redo_parallel_write_ms: float | None,
    redo_write_p50_ms: float | None, redo_sync_count: float | None, redo_write_count: float | None,
    redo_bytes_per_write: float | None, slow: bool = of(slow_write, ends=bool),
    short: bool = of(_short_tail, ends=bool),
) -> Diagnosis | None:  # fmt: skip
    """The average redo write is fast, but some writes are very slow."""
    average, share = redo_local_write_ms, redo_write_slower_16ms_pct
    commits, late = redo_sync_count, redo_sync_slower_16ms_pct
    if commits is None or late is None:
        return None
    least = min(redo_sync_wait_s, commits * late / 100 * _TAIL_MS / 1000)
    half, bound = redo_write_p50_ms, redo_write_p99_ms
    last, shown = "" if bound is None else f" and 99 % within {bound:g} ms", ""
    if half is not None and not is_several_waits(average, redo_parallel_write_ms):
        shown = f"Half of the writes end within {half:g} ms{last}. "
    title = f"Redo writes average {ms_words(average)}, but {plain(share, 2)} % take over 16 ms"
    # but half of them are not
    if f.slower_than("redo.slow_write_ms", average, redo_bytes_per_write):
        title = (
            f"Half of the redo writes end within {half:g} ms, but {plain(share, 2)} % take over 16 "
            f"ms and raise the average to {ms_words(average)}"
        )
        shown = "This points to stalls (CPU, memory, log switches), not to a slow device. "
    return Diagnosis(
        title,
        f.scale.weigh(least, _TAIL_MS),
        f.impact(least, "`log file sync` waits above 16 ms × 16 ms: the minimum of their time"),
        f"{shown}Every commit that meets a slow write waits for all of it.",
        waits=redo_write_count,
        related=("REDO001", "REDO009"),
    )


@rule("REDO008")
def redo_mostly_wastage(
    f: Facts, redo_wastage_pct: float, _redo_wastage_per_write: Shown,
    redo_log_switches_per_hour: float | None,
    *, redo_sync_wait_s: Gate, redo_write_count: float | None,
    weighed: Weighed = of(commit_path, ends=unnoticed),
) -> Diagnosis | None:  # fmt: skip
    """Much of what LGWR writes is padding."""
    if redo_wastage_pct < f.limit("redo.wastage_pct"):
        return None
    counted, rate = redo_log_switches_per_hour is not None, redo_log_switches_per_hour or 0.0
    logs = first_of(
        (not counted,
         "This may indicate oversized redo logs; the report does not count log switches."),
        (rate < f.limit("redo.rare_switches_per_hour"),
         f"The redo logs are probably oversized: {plain(rate, 2)} switches per hour."),
        (True,
         f"The redo logs are not oversized ({plain(rate, 3)} switches per hour): commits are "
         "small."),
    )  # fmt: skip
    return Diagnosis(
        f"{redo_wastage_pct:.0f} % of what LGWR writes is wastage",
        weighed._replace(severity="info"),
        f.impact(redo_sync_wait_s, "`log file sync`: the waits for these small writes"),
        f"LGWR makes many small writes and pads each to a full block. {logs}",
        waits=redo_write_count,
        related=("REDO006",),
    )


#: With fewer switches, one more or less changes the rate by a tenth; then they are counted, and
#: below half of it the rate is doubtful. # awrlens: an assumption
_FEW_SWITCHES: Final = 10
#: Maximum number of redo logs of a thread in addition to the current one.
_MOST_OTHERS: Final = 10

#: Reasons for waits at a switch, by fact.
_CAUSES: Final = {
    "checkpoint.incomplete_wait_s": "because the checkpoint of the next redo log was incomplete",
    "redo.archive_wait_s": "because the next redo log was not archived",
    "redo.switch_strand_wait_s": "until sessions' private redo was written",
    "redo.switch_completion_wait_s": "for the switch itself",
}


@rule("REDO004", weighs=True, wants=("redo.log_switches_per_hour", *_CAUSES))
def log_switch_waits(
    f: Facts, redo_log_switch_wait_s: Some, redo_log_switch_waits: float | None,
    redo_log_switch_wait_ms: float | None,
    *, redo_log_switch_stalls: Late, load_elapsed_s: float | None,
    waits_for_redo: RedoWaits = of(redo_waits), held: tuple[Number, ...] = of(held_by_redo),
) -> Diagnosis | None:  # fmt: skip
    """Sessions wait for log switches."""
    seconds, waits, ms = redo_log_switch_wait_s, redo_log_switch_waits, redo_log_switch_wait_ms
    weighed = waits_for_redo.weigh(f, switches=True, each_ms=ms)
    if not weighed.matters:
        # whatever their share: by the histogram, otherwise by the average; per day, as an interval
        # of weeks always has some
        days = max(1.0, (load_elapsed_s or 0.0) / _DAY_S)
        if seconds * 1000 / f.limit("redo.stall_ms") / days < f.limit("redo.stalls"):
            return None  # too short for so many of them
        stalls = redo_log_switch_stalls()
        long = waits if (ms or 0.0) >= f.limit("redo.stall_ms") else 0
        if ((long if stalls is None else stalls) or 0) / days < f.limit("redo.stalls"):
            return None
    causes = {name: f.get(name) or 0.0 for name in _CAUSES}
    most = sorted((name for name in causes if causes[name] >= 1), key=lambda n: -causes[n])
    shown = [f"{causes[name]:,.0f} s {_CAUSES[name]}" for name in most]
    if not shown:  # less than a second for each
        most = [name for name in causes if causes[name] > 0]
        shown = [_CAUSES[name] for name in most]
    times = f" {waits:,.0f} times, {ms_words(ms)} per wait:" if waits and ms else ""
    # CKPT001 names what waits behind them if it has most of the waits
    named = causes["checkpoint.incomplete_wait_s"] * 2 < seconds
    return Diagnosis(
        f"Sessions waited {f'{seconds:,.0f} s ' if seconds >= 1 else ''}for log switches",
        weighed if weighed.matters else weighed._replace(severity="info"),
        f.impact(seconds, "foreground `log file switch` events"),
        f"They waited{times} "
        + (f"{', '.join(shown)}." if shown else "the report does not separate the causes.")
        + (behind(weighed, held) if named else ""),
        also=(*most, "redo.log_switches_per_hour", *(consequences(weighed, held) * named)),
        related=("CKPT001", "REDO007"),
    )


_DAY_S: Final = 86_400


@rule("REDO005")
def log_space_waits(
    f: Facts, redo_space_wait_s: Gate, redo_space_requests: float,
    *, redo_log_switch_wait_s: float | None,
) -> Diagnosis | None:  # fmt: skip
    """The current redo log has no space for redo."""
    seconds, requests = redo_space_wait_s, redo_space_requests
    if redo_log_switch_wait_s:
        return None
    return Diagnosis(
        f"Sessions waited {seconds:,.0f} s for space in the redo log",
        f.weigh(seconds, each_ms=seconds * 1000 / requests if requests else None),
        f.impact(seconds, "`redo log space wait time`"),
        f"{requests:,.0f} requests found the redo log full.",
        waits=requests,
        related=("REDO004",),
    )


def _commanded(
    _f: Facts, redo_log_switches_per_hour: float | None, redo_switch_commands: float | None,
    load_elapsed_s: float | None, load_instances: float | None,
) -> float:  # fmt: skip
    """Log switches per hour of an instance that a command started, whatever the redo log size.

    Statspack 8.1.7 report 01: 4 of 11. A command may wait several times (9.2.0.1.0 01: 819 waits).
    """
    rate, hours = redo_log_switches_per_hour or 0.0, (load_elapsed_s or 0.0) / 3600
    commands = (redo_switch_commands or 0.0) / (load_instances or 1)
    return commands / hours if hours and commands <= round(rate * hours) else 0.0


def _rare(
    f: Facts, redo_log_switches_per_hour: float | None, load_elapsed_s: float | None,
    commanded: float = of(_commanded),
) -> bool:  # fmt: skip
    """Whether switches are rare, or too few in a short interval to have a rate."""
    rate = (redo_log_switches_per_hour or 0.0) - commanded
    few = load_elapsed_s and round(rate * load_elapsed_s / 3600) < f.limit("redo.rate_switches")
    return bool(few) or rate < f.limit("redo.switches_per_hour")


@rule("REDO007")
def frequent_log_switches(
    f: Facts, redo_log_switches_per_hour: float, _redo_minutes_per_switch: Shown,
    redo_mb_per_switch: float | None, checkpoint_optimal_log_mb: float | None,
    *, redo_log_mb: float | None, redo_other_logs_mb: float | None,
    redo_log_switch_wait_s: float | None, load_elapsed_s: float | None,
    load_instances: float | None, redo_lag_share_pct: float | None,
    commanded: float = of(_commanded), rare: bool = of(_rare, ends=bool),
) -> Diagnosis | None:  # fmt: skip
    """Redo logs switch too often for the load."""
    rate, filled, size = redo_log_switches_per_hour, redo_mb_per_switch, redo_log_mb
    # the smallest redo log is at least a tenth of all others: nobody has more than eleven groups
    least = size or (redo_other_logs_mb / _MOST_OTHERS if redo_other_logs_mb else None)
    early = bool(filled and least and filled < least * f.limit("redo.forced_switch_ratio"))
    if early or (redo_lag_share_pct or 0.0) >= f.limit("redo.lag_share_pct"):
        return None
    hours = (load_elapsed_s or 0.0) / 3600
    commands, count = (round(per_hour * hours) for per_hour in (commanded, rate - commanded))
    of_instance = "of each instance " if (load_instances or 1) > 1 else ""
    every_s = 3600 / rate
    every = f"{every_s:.0f} s" if every_s < 120 else f"{every_s / 60:.1f} minutes"  # noqa: PLR2004
    why = f"One switch every {every}."
    if filled is not None:
        of_size = "" if size is None else f" of {size:,.0f} MB"
        why = f"Redo logs{of_size} switch after {filled:,.0f} MB of redo, every {every}."
    if checkpoint_optimal_log_mb:
        why += f" Oracle's optimal redo log size is {checkpoint_optimal_log_mb:,.0f} MB."
    rate -= commanded
    few, often = 0 < count < _FEW_SWITCHES, f"switch {rate:,.0f} times per hour"
    if few:
        often = f"switched {count} times, {rate:,.0f} per hour".replace("1 times", "once")
    if commands:
        often += f", not counting {commands} by command"
        why += f" {commands} of {commands + count} log switches were by command."
    return Diagnosis(
        f"Redo logs {of_instance}{often}",
        "info",
        f.impact(redo_log_switch_wait_s, "all foreground `log file switch` events"),
        why,
        doubt=f"only {count} switches in the interval" if few and count < _FEW_SWITCHES / 2 else "",
        related=("REDO004", "CKPT001"),
    )


@rule("REDO011")
def log_buffer_waits(
    f: Facts, redo_buffer_wait_s: Gate, redo_buffer_wait_ms: float | None,
    redo_lgwr_busy_pct: float | None, redo_write_fill_pct: float | None,
    *, slow: bool = of(slow_write), whole: Weighed = of(commit_path),
) -> Diagnosis | None:  # fmt: skip
    """Sessions wait for space in the log buffer."""
    busy, fill = redo_lgwr_busy_pct, redo_write_fill_pct
    own = f.weigh(redo_buffer_wait_s, each_ms=redo_buffer_wait_ms, busy_pct=busy)
    if slow or not own.matters:
        return None
    worse = max(own, whole, key=lambda weighed: SEVERITIES.index(weighed.severity))
    return Diagnosis(
        f"Sessions waited {redo_buffer_wait_s:,.0f} s for space in the log buffer",
        worse,
        f.impact(redo_buffer_wait_s, "`log buffer space`"),
        "Sessions generate redo faster than LGWR writes it."
        + ("" if busy is None else f" LGWR was writing {busy:.0f} % of the time.")
        + ("" if fill is None else f" Its writes have {fill:.0f} % of the size at which it writes "
           "without a commit (a third of LOG_BUFFER, at most 1 MB)."),
        related=("REDO001", "REDO004"),
    )  # fmt: skip


@rule("REDO015")
def flashback_log_waits(
    f: Facts, redo_flashback_wait_s: Gate, redo_flashback_wait_ms: float | None
) -> Diagnosis | None:
    """Sessions wait for flashback logs."""
    seconds, wait_ms = redo_flashback_wait_s, redo_flashback_wait_ms
    return Diagnosis(
        f"Sessions waited {seconds:,.0f} s for flashback logs",
        f.weigh(seconds, each_ms=wait_ms),
        f.impact(seconds, "`flashback log file sync` and `flashback buf free by RVWR`"),
        "RVWR writes flashback logs more slowly than sessions change data"
        + ("." if wait_ms is None else f": {ms_words(wait_ms)} per wait."),
        related=("REDO001",),
    )
