"""Redo: slow writes, log switches and redo logs that are too small, waits for the log buffer.

Sources of the reasoning: Write Accelerator, "Redo Log Writes" and figures 4 and 5; Fast-Start
Checkpointing Best Practices for the cost of larger redo logs.
"""

from __future__ import annotations

from operator import not_
from typing import TYPE_CHECKING, Final

from awrlens.model import SEVERITIES
from awrlens.oracle.checkpoints import LAG_SHARE_PCT
from awrlens.oracle.write_path import (
    THROUGHPUT_BYTES,
    extent,
    is_several_waits,
    lacks_throughput,
)
from awrlens.policy import Threshold
from awrlens.rules.base import Diagnosis, of, rule, unnoticed
from awrlens.rules.shared_waits import (
    FLUSHES,
    SYNC_RATIO,
    behind,
    behind_flushes,
    commit_path,
    consequences,
    flushes,
    held_by_redo,
    redo_waits,
)
from awrlens.rules.writes import SLOW_READ_MS, judged_read, slow_reads
from awrlens.severity import SLOWEST_MS
from awrlens.units import first_of, io_size, ms_words, plain

if TYPE_CHECKING:
    from awrlens.rules.base import Facts, Gate, Late, Number, Shown, Some
    from awrlens.rules.shared_waits import RedoWaits
    from awrlens.severity import Weighed


SLOW_WRITE_MS: Final = Threshold(
    "redo.slow_write_ms", 8.0, "ms",
    "time of a redo write above which it is slow; plus its size divided by impact.size_mb_s",
    "awrlens: one seek and one rotation of a disk; Write Accelerator, figure 4, calls 18.68 ms the "
    "problem; others say 10 to 20 ms regardless of size",
)  # fmt: skip
OUTSIDE_RATIO: Final = Threshold(
    "redo.outside_write_ratio", 3.0, "ratio",
    "LGWR time per write divided by the write itself, above which most of it is outside the write",
    "awrlens, from reports of 12.2 and later with 44 ms by the counter and 1 ms by the event",
)  # fmt: skip
TAIL_PCT: Final = Threshold(
    "redo.tail_pct", 1.0, "%",
    "share of redo writes longer than 16 ms above which the average hides slow writes",
    "awrlens: one write in a hundred, and every commit that meets it waits for it; 16 ms is the "
    "first bound of all histograms above redo.slow_write_ms",
)  # fmt: skip
WASTAGE_PCT: Final = Threshold(
    "redo.wastage_pct", 30.0, "%",
    "share of wastage in the bytes written above which writes are mostly padding",
    "Write Accelerator (`If this value is large in ratio to the number of redo write events`); "
    "its two tests show 0.5 % and 6.3 %",
)  # fmt: skip
RARE_SWITCHES: Final = Threshold(
    "redo.rare_switches_per_hour", 1.0, "1/h",
    "log switches per hour below which redo logs are large for the load",
    "awrlens: a third of Oracle's guideline for redo log size (a switch every 20 minutes)",
)  # fmt: skip

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
    slow = f.slower_than(SLOW_WRITE_MS, redo_local_write_ms, redo_bytes_per_write)
    several = is_several_waits(redo_local_write_ms or 0.0, redo_parallel_write_ms)
    stalls = f.scale.stalls(redo_local_write_ms, redo_write_p50_ms, redo_bytes_per_write)
    return slow and (several or not stalls)


@rule(
    "REDO001", weighs=True, thresholds=(SLOW_WRITE_MS, SLOW_READ_MS, SYNC_RATIO, THROUGHPUT_BYTES)
)
def slow_redo_write(
    f: Facts, redo_local_write_ms: float, redo_write_ms: float | None, redo_sync_wait_s: Number,
    redo_commit_ms: float | None, redo_buffer_wait_s: Number | None,
    redo_lgwr_busy_pct: float | None,
    *, redo_parallel_write_ms: float | None, redo_write_count: float | None,
    redo_commit_waits: float | None, redo_bytes_per_write: float | None,
    io_slow_places: str | None, read: float | None = of(judged_read),
    slow: bool = of(slow_write, ends=not_), weighed: Weighed = of(commit_path),
    held: tuple[Number, ...] = of(held_by_redo), flushed: dict[str, float] = of(flushes),
) -> Diagnosis | None:  # fmt: skip
    """Redo writes are slow for their size, and sessions wait for LGWR.

    What it means:
        LGWR takes long for each write, and sessions wait for commits or for the log buffer. If few
        sessions wait, the finding has severity ok and says so.
    Why it matters:
        A commit returns only after its redo is on disk. All commits queue here, and row locks and
        blocks are held until then.
    How it is computed:
        redo.local_write_ms: `log file parallel write`, or `redo write time` (cs) × 10 / `redo
        writes` if the event does not cover the write. Waits: `log file sync` + `log buffer space`,
        divided by elapsed time × instances. LGWR busy: the time of its writes as a share of the
        interval.
    Example:
        With `redo.local_write_ms` = 75.8, `redo.sync_wait_s` = 3414.0, `load.response_s` =
        2269545.0, `load.elapsed_s` = 2221.0, `redo.commit_ms` = 340.7, `redo.bytes_per_write` =
        7400.0, `redo.lgwr_busy_pct` = 92.0: critical, "A redo write takes 75.8 ms and a commit 341
        ms".
    Threshold:
        redo.slow_write_ms (8 ms) plus the size of the write divided by impact.size_mb_s. The
        severity follows from how many sessions wait and how slow each wait is. LGWR busy above
        impact.busy_pct (80 %) counts like several waiting sessions. If sessions wait for LGWR at
        least as long as for log switches, both are weighed together. From writes.slow_read_ms (15
        ms) on, single-block reads are slow, too, and the finding says so; likewise that a commit of
        redo.sync_ratio (3) times the write and the queue for it waits for something else. Above
        storage.throughput_bytes (1 MB) per write, the size can be the reason: then the device lacks
        throughput.
    What to do:
        Place redo logs apart from data files, on devices that acknowledge writes from a cache or
        flash. The redo storage verdict shows the possible savings.
    How to verify:
        Compare `log file parallel write` and `log file sync` in the next report of the same load.
    When it is wrong:
        If all CPUs of the host are busy, writes look slow because LGWR waits for a CPU after each
        write. Waits for log switches have separate findings: a faster write alone does not remove
        them.
    Sources:
        Write Accelerator, "Redo Log Writes", figures 4 and 5.
    """
    write, commit, sync = redo_local_write_ms, redo_commit_ms or 0.0, redo_sync_wait_s
    buffer, busy = redo_buffer_wait_s, redo_lgwr_busy_pct
    seconds = f.total(sync, buffer)
    but = first_of(
        (weighed.matters and commit > write, f" and a commit {ms_words(commit)}"),
        (weighed.matters, ""),
        (not seconds, ", but no session waits for it"),
        (weighed.many > 1, ", and the waits for it are short"),
        (True, ", but few sessions wait for it"),
    )
    waits = []
    if sync:
        each = "" if redo_commit_ms is None else f", {ms_words(redo_commit_ms)} per commit"
        waited = f"{sync:,.0f}" if sync >= 1 else plain(sync)
        waits.append(f"Sessions waited {waited} s at commit{each}.")
    if buffer is not None and buffer >= 1:
        waits.append(f"They waited {buffer:,.0f} s for space in the log buffer.")
    if busy is not None:
        queues = sync and weighed.many > 1 and busy > 50  # noqa: PLR2004 - the majority
        queue = ", so commits queue" if queues else ""
        share = f"{busy:.0f}" if round(busy) else "less than 1"
        waits.append(f"LGWR was writing {share} % of the time{queue}.")
    # a write that is very slow comes first, however long a commit is
    ahead = 1 - min(busy or 0.0, _BUSIEST_PCT) / 100
    far = commit >= f.limit(SYNC_RATIO) * write / ahead and write < f.limit(SLOWEST_MS)
    other = (
        f" Only {ms_words(write)} of a commit is the log write: find out what else LGWR waits for, "
        "such as control file writes, a standby, or CPU."
        if far and weighed.matters
        else ""
    )
    said = " ".join(waits) or "The report does not show a wait at commit."
    title = f"A redo write takes {ms_words(write)}{but}"
    whole = slow_reads(f, read, io_slow_places, "redo")
    if whole and read is not None and weighed.matters:
        title = f"{extent(io_slow_places)}: a{title[1:]}, a single-block read {ms_words(read)}"
    size, explained = redo_bytes_per_write, f.scale.explained_ms
    if weighed.matters and lacks_throughput(size, write, explained, f.limit):
        busy_of = f"LGWR writes {busy:.0f} % of the time, " if busy else ""
        title = (
            f"The redo log device lacks throughput: {busy_of}{ms_words(write)} per write of "
            f"{io_size(size or 0.0)}{f', and a commit takes {ms_words(commit)}' * (commit > write)}"
        )
    also = consequences(weighed, held)
    flushed = flushed if also else {}
    return Diagnosis(
        title,
        weighed,
        f.impact(seconds, "`log file sync` and `log buffer space`"),
        f"{said}{_both(write, redo_parallel_write_ms, redo_write_ms)}"
        f"{whole}{other}{behind(weighed, held)}{behind_flushes(flushed)}",
        also=(*also, *(FLUSHES[block] for block in flushed)),
        waits=redo_write_count or redo_commit_waits,
        related=("REDO002", "REDO004"),
        even_ok=True,
    )


def _both(write: float, event: float | None, counter: float | None) -> str:
    """Both times of the write if they are far apart; or that a wait is not a whole write."""
    if not event or not counter or max(event, counter) < _APART * min(event, counter):
        return ""
    if write != counter and is_several_waits(write, event):
        return (
            f" A write takes {write / event:.0f} waits for `log file parallel write` of "
            f"{ms_words(event)} on average."
        )
    return (
        f" `log file parallel write` takes {ms_words(event)}; LGWR's own counter shows "
        f"{ms_words(counter)} per write."
    )


def _short_tail(f: Facts, redo_write_slower_16ms_pct: float) -> bool:
    return redo_write_slower_16ms_pct < f.limit(TAIL_PCT)


@rule("REDO010", thresholds=(TAIL_PCT, SLOW_WRITE_MS))
def slow_write_tail(
    f: Facts, redo_write_slower_16ms_pct: float, redo_local_write_ms: float,
    redo_write_p99_ms: float | None, redo_sync_slower_16ms_pct: float | None,
    *, redo_sync_wait_s: Gate, redo_parallel_write_ms: float | None,
    redo_write_p50_ms: float | None, redo_sync_count: float | None, redo_write_count: float | None,
    redo_bytes_per_write: float | None, slow: bool = of(slow_write, ends=bool),
    short: bool = of(_short_tail, ends=bool),
) -> Diagnosis | None:  # fmt: skip
    """The average redo write is fast, but some writes are very slow.

    What it means:
        Most writes are fast, but at least one in a hundred takes longer than 16 ms.
    Why it matters:
        Every session that commits during such a write waits for all of it. Users notice these
        writes, but the average does not show them.
    How it is computed:
        Share of `log file parallel write` above 16 ms in the event's histogram. The seconds are a
        minimum for the slow commits: `log file sync` waits above 16 ms × 16 ms.
    Example:
        With `redo.write_slower_16ms_pct` = 2.4, `redo.local_write_ms` = 3.1, `redo.sync_wait_s` =
        400.0, `load.response_s` = 9000.0, `redo.write_p50_ms` = 2.0, `redo.write_p99_ms` = 64.0,
        `redo.sync_slower_16ms_pct` = 8.0, `redo.sync_count` = 90000.0, `redo.write_count` =
        80000.0: info, "Redo writes average 3.1 ms, but 2.4 % take over 16 ms".
    Threshold:
        redo.tail_pct (1 % of the writes), while the average is below redo.slow_write_ms, or half
        of the writes are and the average is at least twice as long (above it REDO001 applies). The
        severity follows from the waits of the slow commits.
    What to do:
        Find what else uses the device at those times: backups, archiving, RMAN, data files on the
        same disks, a full write cache, a path failover. LGWR's trace file lists every write above
        500 ms with its time.
    How to verify:
        The upper buckets of the histogram are empty at the same load.
    When it is wrong:
        Large writes of bulk loads take long because of their size; few sessions commit then.
    Sources:
        Write Accelerator, "Redo Log Writes" (time per write shows whether I/O is the problem);
        Oracle Database Reference, V$EVENT_HISTOGRAM.
    """
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
    if f.slower_than(SLOW_WRITE_MS, average, redo_bytes_per_write):  # but half of them are not
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


@rule("REDO008", thresholds=(WASTAGE_PCT, RARE_SWITCHES))
def redo_mostly_wastage(
    f: Facts, redo_wastage_pct: float, _redo_wastage_per_write: Shown,
    redo_log_switches_per_hour: float | None,
    *, redo_sync_wait_s: Gate, redo_write_count: float | None,
    weighed: Weighed = of(commit_path, ends=unnoticed),
) -> Diagnosis | None:  # fmt: skip
    """Much of what LGWR writes is padding.

    What it means:
        LGWR writes long before the last block is full. "Write Accelerator" reads high wastage per
        write as a sign of oversized redo logs; the finding shows whether the log switches agree.
    Why it matters:
        It indicates many very small writes. Each costs as much as a larger one.
    How it is computed:
        `redo wastage` / (`redo size` + `redo wastage`), and bytes of wastage per write (at most one
        block of each write is padded, so it never exceeds the block size).
    Example:
        With `redo.wastage_pct` = 45.0, `redo.sync_wait_s` = 300.0, `load.response_s` = 9653.0,
        `redo.write_count` = 90000.0: info, "45 % of what LGWR writes is wastage".
    Threshold:
        redo.wastage_pct (30 %), if the waits at commit are at least info; the severity is never
        above info. Below redo.rare_switches_per_hour (1) the redo logs are called large for the
        load.
    What to do:
        Commit in larger units. Do not enlarge the redo logs. If they rarely switch, smaller ones
        are sufficient and are archived sooner.
    How to verify:
        The share falls at the same redo rate.
    When it is wrong:
        On quiet systems every commit is a separate write: sessions do not wait, and the rule does
        not report it. Early writes cause wastage, not the redo log size: redo logs that switch
        often are not oversized, however high the wastage.
    Sources:
        Write Accelerator, "Redo Log Writes" (`If this value is large in ratio to the number of redo
        write events then your logs are probably oversized`).
    """
    if redo_wastage_pct < f.limit(WASTAGE_PCT):
        return None
    counted, rate = redo_log_switches_per_hour is not None, redo_log_switches_per_hour or 0.0
    logs = first_of(
        (not counted,
         "This may indicate oversized redo logs; the report does not count log switches."),
        (rate < f.limit(RARE_SWITCHES),
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


@rule(
    "REDO004",
    weighs=True,
    wants=("redo.log_switches_per_hour", *_CAUSES),
    thresholds=(STALLS, STALL_MS),
)
def log_switch_waits(
    f: Facts, redo_log_switch_wait_s: Some, redo_log_switch_waits: float | None,
    redo_log_switch_wait_ms: float | None,
    *, redo_log_switch_stalls: Late, load_elapsed_s: float | None,
    waits_for_redo: RedoWaits = of(redo_waits), held: tuple[Number, ...] = of(held_by_redo),
) -> Diagnosis | None:  # fmt: skip
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
    seconds, waits, each = redo_log_switch_wait_s, redo_log_switch_waits, redo_log_switch_wait_ms
    weighed = waits_for_redo.weigh(f, switches=True, each_ms=each)
    if not weighed.matters:
        # whatever their share: by the histogram, otherwise by the average; per day, as an interval
        # of weeks always has some
        days = max(1.0, (load_elapsed_s or 0.0) / _DAY_S)
        if seconds * 1000 / f.limit(STALL_MS) / days < f.limit(STALLS):
            return None  # too short for so many of them
        long, stalls = waits if (each or 0.0) >= f.limit(STALL_MS) else 0, redo_log_switch_stalls()
        if ((long if stalls is None else stalls) or 0) / days < f.limit(STALLS):
            return None
    causes = {name: f.get(name) or 0.0 for name in _CAUSES}
    most = sorted((name for name in causes if causes[name] >= 1), key=lambda n: -causes[n])
    shown = [f"{causes[name]:,.0f} s {_CAUSES[name]}" for name in most]
    if not shown:  # less than a second for each
        most = [name for name in causes if causes[name] > 0]
        shown = [_CAUSES[name] for name in most]
    times = f" {waits:,.0f} times, {ms_words(each)} per wait:" if waits and each else ""
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


def _rare(f: Facts, redo_log_switches_per_hour: float | None) -> bool:
    return (redo_log_switches_per_hour or 0.0) < f.limit(SWITCHES_PER_HOUR)


@rule("REDO007", thresholds=(SWITCHES_PER_HOUR, FORCED_RATIO, LAG_SHARE_PCT))
def frequent_log_switches(
    f: Facts, redo_log_switches_per_hour: float, _redo_minutes_per_switch: Shown,
    redo_mb_per_switch: float | None, checkpoint_optimal_log_mb: float | None,
    *, redo_log_mb: float | None, redo_other_logs_mb: float | None,
    redo_log_switch_wait_s: float | None, load_elapsed_s: float | None,
    load_instances: float | None, redo_lag_share_pct: float | None,
    rare: bool = of(_rare, ends=bool),
) -> Diagnosis | None:  # fmt: skip
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
    rate, filled, size = redo_log_switches_per_hour, redo_mb_per_switch, redo_log_mb
    # the smallest redo log is at least a tenth of all others: nobody has more than eleven groups
    least = size or (redo_other_logs_mb / _MOST_OTHERS if redo_other_logs_mb else None)
    early = bool(filled and least and filled < least * f.limit(FORCED_RATIO))
    if early or (redo_lag_share_pct or 0.0) >= f.limit(LAG_SHARE_PCT):
        return None
    count = round(rate * (load_elapsed_s or 0.0) / 3600)
    each = "of each instance " if (load_instances or 1) > 1 else ""
    every_s = 3600 / rate
    every = f"{every_s:.0f} s" if every_s < 120 else f"{every_s / 60:.1f} minutes"  # noqa: PLR2004
    why = f"One switch every {every}."
    if filled is not None:
        of_size = "" if size is None else f" of {size:,.0f} MB"
        why = f"Redo logs{of_size} switch after {filled:,.0f} MB of redo, every {every}."
    if checkpoint_optimal_log_mb:
        why += f" Oracle's optimal redo log size is {checkpoint_optimal_log_mb:,.0f} MB."
    few, often = 0 < count < _FEW_SWITCHES, f"switch {rate:,.0f} times per hour"
    if few:
        often = f"switched {count} times ({rate:,.0f} per hour)".replace("1 times", "once")
    return Diagnosis(
        f"Redo logs {each}{often}",
        "info",
        f.impact(redo_log_switch_wait_s, "all foreground `log file switch` events"),
        why,
        doubt=f"only {count} switches in the interval" if few and count < _FEW_SWITCHES / 2 else "",
        related=("REDO004", "CKPT001"),
    )


@rule("REDO011", thresholds=(SLOW_WRITE_MS,))
def log_buffer_waits(
    f: Facts, redo_buffer_wait_s: Gate, redo_buffer_wait_ms: float | None,
    redo_lgwr_busy_pct: float | None, redo_write_fill_pct: float | None,
    *, slow: bool = of(slow_write), whole: Weighed = of(commit_path),
) -> Diagnosis | None:  # fmt: skip
    """Sessions wait for space in the log buffer.

    What it means:
        Sessions generate redo faster than LGWR empties the buffer, but its writes are not slow.
    Why it matters:
        Sessions that change data wait until LGWR has written.
    How it is computed:
        Total wait of `log buffer space`; in addition, the share of the interval in which LGWR was
        writing, and the size of its writes over a third of LOG_BUFFER or 1 MB, at which it writes
        by itself.
    Example:
        With `redo.buffer_wait_s` = 600.0, `load.response_s` = 9000.0, `redo.local_write_ms` = 1.9,
        `redo.buffer_wait_ms` = 42.0, `redo.lgwr_busy_pct` = 71.4: warning, "Sessions waited 600 s
        for space in the log buffer".
    Threshold:
        How many sessions wait, and how long each wait takes; if all waits for LGWR together weigh
        more, those. Above redo.slow_write_ms (8 ms) the write is the reason, and REDO001 counts
        these waits.
    What to do:
        If LGWR is mostly idle, bursts fill the buffer: enlarge LOG_BUFFER. If LGWR writes most of
        the time: generate less redo (direct-path loads, fewer indexes), or use storage with more
        throughput.
    How to verify:
        `log buffer space` is no longer in the foreground events at the same redo rate.
    When it is wrong:
        Log switches may block LGWR while sessions wait for the buffer: then resolve REDO004 first.
    Sources:
        Write Accelerator, "Redo Log Writes" (LGWR writes when the buffer is a third full); Oracle
        Database Reference, event `log buffer space`.
    """
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
    """Sessions wait for flashback logs.

    What it means:
        Flashback Database is on, and RVWR writes flashback logs more slowly than sessions change
        data.
    Why it matters:
        A change waits until the block's image is in the flashback log, as a commit waits for redo.
        The redo logs may be fast at the same time.
    How it is computed:
        Total wait of `flashback log file sync` and `flashback buf free by RVWR`.
    Example:
        With `redo.flashback_wait_s` = 600.0, `load.response_s` = 9000.0,
        `redo.flashback_wait_ms` = 30.0: warning, "Sessions waited 600 s for flashback logs".
    Threshold:
        How many sessions wait, and how long each wait takes.
    What to do:
        Put the flashback logs of the recovery area on disks with fast sequential writes, apart from
        archived logs and backups. A larger LOG_BUFFER also enlarges RVWR's buffer.
    How to verify:
        The events are no longer in the list at the same rate of changes.
    When it is wrong:
        A guaranteed restore point was set for a single change.
    Sources:
        Oracle Database Backup and Recovery User's Guide, performance of Flashback Database.
    """
    seconds, each = redo_flashback_wait_s, redo_flashback_wait_ms
    return Diagnosis(
        f"Sessions waited {seconds:,.0f} s for flashback logs",
        f.weigh(seconds, each_ms=each),
        f.impact(seconds, "`flashback log file sync` and `flashback buf free by RVWR`"),
        "RVWR writes flashback logs more slowly than sessions change data"
        + ("." if each is None else f": {ms_words(each)} per wait."),
        related=("REDO001",),
    )
