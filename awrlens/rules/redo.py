"""Redo: writes that are slow, slow now and then, or mostly padding.

Commits are judged in ``redo_commit``, log switches and the size of logs in ``redo_logs``.
Source of the reasoning: document 3, "Redo Log Writes".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.policy import Threshold
from awrlens.rules.base import WEIGHED, Facts, rule
from awrlens.rules.weighed import COMMIT_PATH, commit_path
from awrlens.units import plain

if TYPE_CHECKING:
    from awrlens.model import Finding
    from awrlens.weigh import Weighed

SLOW_WRITE_MS: Final = Threshold(
    "redo.slow_write_ms", 8.0, "ms",
    "a redo write that takes longer is slow; raised by what its size takes at impact.size_mb_s",
    "awrlens: a seek and a turn of a disk; document 3, figure 4, calls 18.68 ms the problem, peers "
    "say 10 to 20 ms without a look at the size",
)  # fmt: skip
OUTSIDE_RATIO: Final = Threshold(
    "redo.outside_write_ratio", 3.0, "ratio",
    "LGWR's time per write over the write itself from which most of it is outside the write",
    "awrlens, on reports of 12.2 and later with 44 ms by the counter and 1 ms by the event",
)  # fmt: skip
TAIL_PCT: Final = Threshold(
    "redo.tail_pct", 1.0, "%",
    "share of redo writes that take longer than 16 ms from which the average hides a bad tail",
    "awrlens: one write in a hundred, which every commit that meets it waits for; 16 ms is the "
    "first bound of all histograms above redo.slow_write_ms",
)  # fmt: skip
WASTAGE_PCT: Final = Threshold(
    "redo.wastage_pct", 30.0, "%",
    "share of wastage in what is written from which writes are mostly padding",
    "document 3 (`If this value is large in ratio to the number of redo write events`); "
    "its two tests show 0.5 % and 6.3 %",
)  # fmt: skip
RARE_SWITCHES: Final = Threshold(
    "redo.rare_switches_per_hour", 1.0, "1/h",
    "log switches per hour below which logs are large for the load",
    "awrlens: a third of what Oracle's guide to log sizes (a switch each 20 minutes) comes to",
)  # fmt: skip

THRESHOLDS: Final = (SLOW_WRITE_MS, OUTSIDE_RATIO, TAIL_PCT, WASTAGE_PCT, RARE_SWITCHES)

#: The tail that `redo.tail_pct` is a share of; # awrlens: see that threshold's source
_TAIL_MS: Final = 16
#: How slow a commit is that others may wait behind: from impact.slower_ms on, for its size.
_SLOW: Final = 2

#: The event and LGWR's counter are both told where one is so many times the other.
_APART: Final = 1.5


def slow_write(f: Facts) -> bool:
    """Whether the log write itself is slow for its size."""
    return f.slower_than(SLOW_WRITE_MS, f.get("redo.local_write_ms"), f.get("redo.bytes_per_write"))


#: What waits behind a slow commit: a row lock is released and a block shipped to another
#: instance only after its redo is on disk.
_BEHIND: Final = {
    "load.row_lock_wait_s": "`enq: TX`",
    "load.gc_busy_wait_s": "`gc … busy`",
    "load.buffer_busy_wait_s": "`buffer busy waits`",
}


def _behind(f: Facts, weighed: Weighed) -> str:
    """Waits that can be a consequence of slow commits, with their seconds; never added."""
    if weighed.slow < _SLOW or not weighed.matters:
        return ""
    found = [f"{name} {f.get(fact):,.0f} s" for fact, name in _BEHIND.items()
             if f.felt(f.get(fact)) and (f.share(f.get(fact)) or 0.0) >= 1]  # fmt: skip
    if not found:
        return ""
    return (
        f" Waits that can be a consequence, as locks and blocks are held until the redo is on "
        f"disk: {', '.join(found)} (not counted here)."
    )


def _sentence(f: Facts, weighed: Weighed) -> str:
    """What the waits for LGWR come to, by case: few or many, slow or quick."""
    commit, sync = f.get("redo.commit_ms"), f.get("redo.sync_wait_s") or 0.0
    buffer, busy = f.get("redo.buffer_wait_s") or 0.0, f.get("redo.lgwr_busy_pct")
    parts = []
    if sync:
        each = "" if commit is None else f", {plain(commit)} ms for each commit"
        parts.append(f"Sessions waited {sync:,.0f} s at commit{each}.")
    if buffer >= 1:
        parts.append(f"They waited {buffer:,.0f} s for space in the log buffer.")
    if busy is not None:
        queues = sync and weighed.many > 1 and busy > 50  # noqa: PLR2004 - the majority
        queue = ": commits queue behind each other" if queues else ""
        share = f"{busy:.0f}" if round(busy) else "less than 1"
        parts.append(f"LGWR was writing {share} % of the time{queue}.")
    return " ".join(parts) or "No wait at commit is printed."


@rule(
    "REDO001",
    "slow-redo-write",
    needs=("redo.local_write_ms", "redo.sync_wait_s", WEIGHED),
    wants=(*COMMIT_PATH, "redo.parallel_write_ms", "redo.write_ms", "redo.write_count", *_BEHIND),
    thresholds=(SLOW_WRITE_MS,),
)
def slow_redo_write(f: Facts) -> Finding | None:
    """Redo writes are slow for their size, and sessions wait for LGWR.

    What it tells you:
        LGWR needs long for each write, and commits or the log buffer make sessions wait. When
        few sessions wait, the finding has severity ok and says so.
    Why it matters:
        A commit cannot return before its redo is on disk; everything that commits queues here,
        and row locks and blocks are held until then.
    How it is computed:
        redo.local_write_ms: `log file parallel write`, or `redo write time` (cs) × 10 / `redo
        writes` where the event does not hold the write. Waits: `log file sync` + `log buffer
        space`, over elapsed time × instances. How busy LGWR is: its writes in all of the interval.
    Example:
        With `redo.local_write_ms` = 75.8, `redo.sync_wait_s` = 3414.0, `load.response_s` =
        2269545.0, `load.elapsed_s` = 2221.0, `redo.commit_ms` = 340.7, `redo.bytes_per_write` =
        7400.0, `redo.lgwr_busy_pct` = 92.0: critical, "A redo write takes 75.8 ms and a commit
        340.7 ms".
    Threshold:
        redo.slow_write_ms (8 ms), raised by what the size takes at impact.size_mb_s. The severity
        is what the waits weigh: how many sessions wait and how slow each wait is; LGWR busy from
        impact.busy_pct (80 %) on counts like several waiting sessions. Where sessions wait for LGWR
        at least as long as for log switches, both are weighed together.
    What to do:
        Place redo logs apart from data files, on devices that acknowledge writes from cache or
        flash; see the redo storage verdict for what that can save.
    How to verify:
        Compare `log file parallel write` and `log file sync` of the next report with the same
        load.
    When it is wrong:
        A host whose CPUs are all taken makes writes look slow: then LGWR waits for a CPU to see
        that its write has ended. Waits for log switches have findings of their own: a quicker
        write alone does not end them.
    Sources:
        document 3, "Redo Log Writes", figures 4 and 5.
    """
    if not slow_write(f):
        return None
    write, commit = f.number("redo.local_write_ms"), f.get("redo.commit_ms")
    weighed = commit_path(f)
    title = f"A redo write takes {plain(write)} ms"
    if weighed.matters and commit and commit > write:
        title += f" and a commit {plain(commit)} ms"
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
        f"{_sentence(f, weighed)}{_both(f)}{_behind(f, weighed)}",
        "redo.local_write_ms",
        "redo.write_ms",
        "redo.sync_wait_s",
        "redo.commit_ms",
        "redo.buffer_wait_s",
        "redo.lgwr_busy_pct",
        waits=f.get("redo.write_count"),
        related=("REDO002", "REDO004"),
    )


def _both(f: Facts) -> str:
    """Both figures of the write where they are far apart: the write is between them."""
    event, counter = f.get("redo.parallel_write_ms"), f.get("redo.write_ms")
    if not event or not counter or max(event, counter) < _APART * min(event, counter):
        return ""
    return (
        f" `log file parallel write` takes {plain(event)} ms, by LGWR's own counter a write takes "
        f"{plain(counter)} ms."
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
        "redo.write_p50_ms",
        "redo.write_p99_ms",
        "redo.sync_slower_16ms_pct",
        "redo.sync_count",
        "redo.write_count",
    ),
    thresholds=(TAIL_PCT, SLOW_WRITE_MS),
)
def slow_write_tail(f: Facts) -> Finding | None:
    """The average redo write is quick, but some are very slow.

    What it tells you:
        Most writes are quick, and one in a hundred or more takes longer than 16 ms.
    Why it matters:
        Every session that commits during such a write waits for all of it. Users notice these
        writes, and the average does not show them.
    How it is computed:
        Share of `log file parallel write` above 16 ms in the event's histogram. Its seconds are
        the least that slow commits took: `log file sync` waits above 16 ms × 16 ms.
    Example:
        With `redo.write_slower_16ms_pct` = 2.4, `redo.local_write_ms` = 3.1,
        `redo.sync_wait_s` = 400.0, `load.response_s` = 9000.0, `redo.write_p50_ms` = 2.0,
        `redo.write_p99_ms` = 64.0, `redo.sync_slower_16ms_pct` = 8.0, `redo.sync_count` =
        90000.0, `redo.write_count` = 80000.0: info, "Redo writes take 3.1 ms on average, but 2.4
        % of them over 16 ms".
    Threshold:
        redo.tail_pct (1 % of the writes), while the average is below redo.slow_write_ms (from there
        on REDO001 speaks). The severity is what the slow commits weigh.
    What to do:
        Look for what shares the device at those moments: backups, archiving, RMAN, data files
        on the same spindles, a write cache that overflows, a path failing over. LGWR's trace file
        names each write above 500 ms with its time.
    How to verify:
        The histogram's upper buckets are empty at the same load.
    When it is wrong:
        Large writes of bulk loads take long because they are large; then few sessions commit.
    Sources:
        document 3, "Redo Log Writes" (time per write tells whether I/O is the problem); Oracle
        Database Reference, V$EVENT_HISTOGRAM.
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
    middle = "" if half is None else f"Half of the writes end within {half:g} ms"
    last = "" if bound is None else f", 99 % of them within {bound:g} ms"
    return f.finding(
        slow_write_tail,
        f"Redo writes take {plain(average)} ms on average, but {plain(share, 2)} % of them "
        "over 16 ms",
        weighed,
        f.impact(least, "`log file sync` waits above 16 ms × 16 ms: the least that they took"),
        f"{middle}{last}: every commit that meets a slow write waits for all of it."
        if middle
        else "Every commit that meets a slow write waits for all of it.",
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

    What it tells you:
        Writes are flushed long before their last block is full. Document 3 reads wastage that is
        large in ratio to the number of writes as a sign of oversized logs; the finding says
        whether the log switches agree.
    Why it matters:
        It marks many tiny writes, each of which costs as much as one that carries more.
    How it is computed:
        `redo wastage` / (`redo size` + `redo wastage`), and bytes of wastage for each write
        (at most one block of each write is padded, so it never exceeds the block).
    Example:
        With `redo.wastage_pct` = 45.0, `redo.sync_wait_s` = 300.0, `load.response_s` = 9653.0,
        `redo.write_count` = 90000.0: info, "45 % of what LGWR writes is wastage".
    Threshold:
        redo.wastage_pct (30 %), where the waits at commit weigh at least info; it is no more than
        info itself. Below redo.rare_switches_per_hour (1) the logs are called large for the load.
    What to do:
        Commit in larger units. Do not enlarge logs; where they hardly ever switch, smaller ones
        serve as well (and archive what is in them sooner).
    How to verify:
        The share falls at the same redo rate.
    When it is wrong:
        On quiet systems every commit is a write of its own: nobody waits, and the rule keeps
        silent. Wastage comes of flushing early, not of the log's size itself: logs that switch
        often are not oversized, however much is wasted.
    Sources:
        document 3, "Redo Log Writes" (`If this value is large in ratio to the number of redo
        write events then your logs are probably oversized`).
    """
    share = f.number("redo.wastage_pct")
    seconds = f.number("redo.sync_wait_s")
    weighed = commit_path(f)
    if share < f.limit(WASTAGE_PCT) or not weighed.matters:
        return None
    rate = f.get("redo.log_switches_per_hour")
    if rate is None:
        logs = "It is taken for a sign of oversized logs; the report counts no switches."
    elif rate < f.limit(RARE_SWITCHES):
        logs = f"The logs are probably oversized: they switch {plain(rate, 2)} times per hour."
    else:
        logs = (
            f"The logs are not oversized ({plain(rate, 3)} switches per hour): commits are small."
        )
    return f.finding(
        redo_mostly_wastage,
        f"{share:.0f} % of what LGWR writes is wastage",
        weighed._replace(severity="info"),
        f.impact(seconds, "`log file sync`: the waits of these small writes"),
        f"Many small writes, each padded to a full block. {logs}",
        "redo.wastage_pct",
        "redo.wastage_per_write",
        "redo.log_switches_per_hour",
        waits=f.get("redo.write_count"),
        related=("REDO006",),
    )
