"""Redo: slow writes, occasional very slow writes, and writes that are mostly padding.

Module ``redo_commit`` judges commits; ``redo_logs`` judges log switches and redo log size.
Source of the reasoning: Write Accelerator, "Redo Log Writes".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.policy import Threshold
from awrlens.rules import shared_waits
from awrlens.rules.base import WEIGHED, Facts, rule
from awrlens.rules.shared_waits import CAN_BE_BEHIND, COMMIT_PATH, around, commit_path, consequences
from awrlens.rules.writes import SLOW_READ_MS, slow_reads
from awrlens.units import ms_words, plain

if TYPE_CHECKING:
    from awrlens.model import Finding
    from awrlens.wait_severity import Weighed

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


def slow_write(f: Facts) -> bool:
    """Whether the log write itself is slow for its size."""
    write = f.get("redo.local_write_ms")
    if write is None or write < f.limit(SLOW_WRITE_MS):
        return False
    return f.slower_than(SLOW_WRITE_MS, write, f.get("redo.bytes_per_write"))


def _sentence(f: Facts, weighed: Weighed) -> str:
    """The waits for LGWR in a sentence: few or many, slow or fast."""
    commit, sync = f.get("redo.commit_ms"), f.get("redo.sync_wait_s") or 0.0
    buffer, busy = f.get("redo.buffer_wait_s") or 0.0, f.get("redo.lgwr_busy_pct")
    parts = []
    if sync:
        each = "" if commit is None else f", {ms_words(commit)} per commit"
        waited = f"{sync:,.0f}" if sync >= 1 else plain(sync)
        parts.append(f"Sessions waited {waited} s at commit{each}.")
    if buffer >= 1:
        parts.append(f"They waited {buffer:,.0f} s for space in the log buffer.")
    if busy is not None:
        queues = sync and weighed.many > 1 and busy > 50  # noqa: PLR2004 - the majority
        queue = ", so commits queue" if queues else ""
        share = f"{busy:.0f}" if round(busy) else "less than 1"
        parts.append(f"LGWR was writing {share} % of the time{queue}.")
    return " ".join(parts) or "The report does not show a wait at commit."


@rule(
    "REDO001",
    "slow-redo-write",
    needs=("redo.local_write_ms", "redo.sync_wait_s", WEIGHED),
    wants=(*COMMIT_PATH, "redo.parallel_write_ms", "redo.write_ms", "redo.write_count",
           "io.data_read_ms", "redo.commit_waits", *CAN_BE_BEHIND),
    thresholds=(SLOW_WRITE_MS, SLOW_READ_MS, shared_waits.SYNC_RATIO),
)  # fmt: skip
def slow_redo_write(f: Facts) -> Finding | None:
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
        redo.sync_ratio (3) times the write and the queue for it waits for something else.
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
    if not slow_write(f):
        return None
    write, commit = f.number("redo.local_write_ms"), f.get("redo.commit_ms")
    weighed = commit_path(f)
    title = f"A redo write takes {ms_words(write)}"
    if weighed.matters and commit and commit > write:
        title += f" and a commit {ms_words(commit)}"
    elif not weighed.matters:
        waits = f.total("redo.sync_wait_s", "redo.buffer_wait_s")
        if not waits:
            title += ", but no session waits for it"
        elif weighed.many > 1:
            title += ", and the waits for it are short"
        else:
            title += ", but few sessions wait for it"
    return f.finding(
        slow_redo_write,
        title,
        weighed,
        f.impact(
            f.total("redo.sync_wait_s", "redo.buffer_wait_s"),
            "`log file sync` and `log buffer space`",
        ),
        f"{_sentence(f, weighed)}{_both(f)}{slow_reads(f, 'redo')}{around(f, weighed)}",
        "redo.local_write_ms",
        "redo.write_ms",
        "redo.sync_wait_s",
        "redo.commit_ms",
        "redo.buffer_wait_s",
        "redo.lgwr_busy_pct",
        *consequences(f, weighed),
        waits=f.get("redo.write_count") or f.get("redo.commit_waits"),
        related=("REDO002", "REDO004"),
    )


def _both(f: Facts) -> str:
    """Both times of the write if they are far apart; or that a wait is not a whole write."""
    event, counter = f.get("redo.parallel_write_ms"), f.get("redo.write_ms")
    if not event or not counter or max(event, counter) < _APART * min(event, counter):
        return ""
    write = f.number("redo.local_write_ms")
    if write != counter and write >= _APART * event:
        return (
            f" A write takes {write / event:.0f} waits for `log file parallel write` of "
            f"{ms_words(event)} on average."
        )
    return (
        f" `log file parallel write` takes {ms_words(event)}; LGWR's own counter shows "
        f"{ms_words(counter)} per write."
    )


@rule(
    "REDO010",
    "slow-write-tail",
    gate=("redo.sync_wait_s",),
    needs=(
        "redo.write_slower_16ms_pct",
        "redo.local_write_ms",
        "redo.sync_wait_s",
        WEIGHED,
    ),
    wants=(
        *COMMIT_PATH,
        "redo.parallel_write_ms",
        "redo.write_p50_ms",
        "redo.write_p99_ms",
        "redo.sync_slower_16ms_pct",
        "redo.sync_count",
        "redo.write_count",
    ),
    thresholds=(TAIL_PCT, SLOW_WRITE_MS),
)
def slow_write_tail(f: Facts) -> Finding | None:
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
        redo.tail_pct (1 % of the writes), while the average is below redo.slow_write_ms (above it
        REDO001 applies). The severity follows from the waits of the slow commits.
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
    share = f.number("redo.write_slower_16ms_pct")
    average, waited = f.number("redo.local_write_ms"), f.number("redo.sync_wait_s")
    if slow_write(f) or share < f.limit(TAIL_PCT):
        return None
    commits, late = f.get("redo.sync_count"), f.get("redo.sync_slower_16ms_pct")
    if commits is None or late is None:
        return None
    least = min(waited, commits * late / 100 * _TAIL_MS / 1000)
    weighed = f.weigh_seconds(least, _TAIL_MS)
    if not weighed.matters:
        return None
    half, bound = f.get("redo.write_p50_ms"), f.get("redo.write_p99_ms")
    wait = f.get("redo.parallel_write_ms")
    if wait and average >= _APART * wait:
        half = bound = None  # the histogram has waits, several of which are one write
    middle = "" if half is None else f"Half of the writes end within {half:g} ms"
    last = "" if bound is None else f" and 99 % within {bound:g} ms"
    shown = f"{middle}{last}. " if middle else ""
    return f.finding(
        slow_write_tail,
        f"Redo writes average {ms_words(average)}, but {plain(share, 2)} % take over 16 ms",
        weighed,
        f.impact(least, "`log file sync` waits above 16 ms × 16 ms: the minimum of their time"),
        f"{shown}Every commit that meets a slow write waits for all of it.",
        "redo.write_slower_16ms_pct",
        "redo.local_write_ms",
        "redo.write_p99_ms",
        "redo.sync_slower_16ms_pct",
        waits=f.get("redo.write_count"),
        related=("REDO001", "REDO009"),
    )


@rule(
    "REDO008",
    "redo-mostly-wastage",
    gate=("redo.sync_wait_s",),
    needs=("redo.wastage_pct", "redo.sync_wait_s", WEIGHED),
    wants=(
        *COMMIT_PATH,
        "redo.wastage_per_write",
        "redo.write_count",
        "redo.log_switches_per_hour",
    ),
    thresholds=(WASTAGE_PCT, RARE_SWITCHES),
)
def redo_mostly_wastage(f: Facts) -> Finding | None:
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
    share = f.number("redo.wastage_pct")
    seconds = f.number("redo.sync_wait_s")
    weighed = commit_path(f)
    if share < f.limit(WASTAGE_PCT) or not weighed.matters:
        return None
    rate = f.get("redo.log_switches_per_hour")
    if rate is None:
        logs = "This may indicate oversized redo logs; the report does not count log switches."
    elif rate < f.limit(RARE_SWITCHES):
        logs = f"The redo logs are probably oversized: {plain(rate, 2)} switches per hour."
    else:
        logs = (
            f"The redo logs are not oversized ({plain(rate, 3)} switches per hour): commits are "
            "small."
        )
    return f.finding(
        redo_mostly_wastage,
        f"{share:.0f} % of what LGWR writes is wastage",
        weighed._replace(severity="info"),
        f.impact(seconds, "`log file sync`: the waits for these small writes"),
        f"LGWR makes many small writes and pads each to a full block. {logs}",
        "redo.wastage_pct",
        "redo.wastage_per_write",
        "redo.log_switches_per_hour",
        waits=f.get("redo.write_count"),
        related=("REDO006",),
    )
