"""Redo: writes that are slow, slow now and then, or mostly padding.

Commits are judged in ``redo_commit``, log switches and the size of logs in ``redo_logs``.
Source of the reasoning: document 3, "Redo Log Writes".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.policy import Threshold
from awrlens.rules.base import Facts, rule
from awrlens.weigh import LEAST_WRITE_MS

if TYPE_CHECKING:
    from awrlens.model import Finding

SLOW_WRITE_MS: Final = Threshold(
    "redo.slow_write_ms", 10.0, "ms",
    "a redo write that takes longer is slow",
    "document 3, figure 4 (18.68 ms on disks, called the problem); peers say 10 to 20 ms",
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

THRESHOLDS: Final = (
    SLOW_WRITE_MS, OUTSIDE_RATIO, LEAST_WRITE_MS, TAIL_PCT, WASTAGE_PCT, RARE_SWITCHES,
)  # fmt: skip

#: The tail that `redo.tail_pct` is a share of; # awrlens: see that threshold's source
_TAIL_MS: Final = 16


def redo_wait_s(f: Facts) -> float:
    """Seconds that sessions waited for redo: commits, log switches, the log buffer."""
    parts = ("redo.sync_wait_s", "redo.log_switch_wait_s", "redo.buffer_wait_s")
    return sum(f.get(name) or 0.0 for name in parts)


def event_holds_write(f: Facts) -> bool:
    """Whether `log file parallel write` is printed and long enough to be a write."""
    event = f.get("redo.parallel_write_ms")
    return event is not None and event >= f.limit(LEAST_WRITE_MS)


def local_write_ms(f: Facts) -> float | None:
    """The local write: the lower of event and counter, as either may hold more than the write."""
    both = [f.get("redo.write_ms")]
    if event_holds_write(f):
        both.append(f.get("redo.parallel_write_ms"))
    return min((each for each in both if each is not None), default=None)


@rule(
    "REDO001",
    "slow-redo-write",
    needs=("redo.write_ms", "redo.sync_wait_s", "load.response_s"),
    wants=(
        "redo.log_switch_wait_s",
        "redo.parallel_write_ms",
        "redo.write_count",
        "redo.buffer_wait_s",
        "redo.lgwr_busy_pct",
    ),
    thresholds=(SLOW_WRITE_MS, OUTSIDE_RATIO, LEAST_WRITE_MS),
)
def slow_redo_write(f: Facts) -> Finding | None:
    """Redo writes are slow and sessions wait for them.

    What it tells you:
        LGWR needs long for each write, and commits, log switches or the log buffer make
        sessions wait. When these waits are not felt, the finding has severity ok and says so.
    Why it matters:
        A commit cannot return before its redo is on disk; everything that commits queues here.
    How it is computed:
        `redo write time` (cs) × 10 / `redo writes` = ms per write, and the average of
        `log file parallel write` beside it; the lower of both is the local write. Felt seconds =
        `log file sync` + all `log file switch` events + `log buffer space`. How busy LGWR is:
        `log file parallel write` in all of the interval.
    Example:
        With `redo.write_ms` = 18.68, `redo.sync_wait_s` = 0.0, `load.response_s` = 9653.0,
        `redo.log_switch_wait_s` = 507.0, `redo.parallel_write_ms` = 17.86: warning, "A redo write
        takes 18.68 ms".
    Threshold:
        redo.slow_write_ms (10 ms), and impact.info_pct of DB time for the waits. From
        redo.outside_write_ratio (3) on the event alone is shown, as the counter holds more than
        the write, and REDO003 speaks of that. Below redo.least_write_ms (0.02) the event is no
        write, and the counter alone is taken.
    What to do:
        Place redo logs apart from data files, on devices that acknowledge writes from cache or
        flash; see the redo storage verdict for what that can save.
    How to verify:
        Compare `redo write time` / `redo writes` and `log file parallel write` of the next
        report with the same load.
    When it is wrong:
        `redo write time` also counts synchronous standby transport and LGWR workers (12c and
        later); then `log file parallel write` is far below it and REDO003 speaks. Waits for log
        switches (REDO004) are felt here too, but a quicker write alone does not end them:
        the accelerated test of document 3 waited longer for them than its test on disks.
    Sources:
        document 3, "Redo Log Writes", figures 4 and 5.
    """
    counter, local = f.number("redo.write_ms"), local_write_ms(f) or 0.0
    if local < f.limit(SLOW_WRITE_MS):
        return None
    outside = counter / local >= f.limit(OUTSIDE_RATIO) if local else False
    seconds = redo_wait_s(f)
    impact = f.impact(seconds, "`log file sync`, `log file switch …` and `log buffer space` waits")
    felt = f.felt(seconds)
    little = "" if felt or not seconds else f" ({impact.pct_db_time:.2g} % of DB time)"
    return f.finding(
        slow_redo_write,
        f"A {'local ' if outside else ''}redo write takes {local if outside else counter:.4g} ms"
        + ("" if felt else ", but nobody waits for it" if not seconds else ", but few wait for it"),
        f.severity(seconds) if felt else "ok",
        impact,
        _slow_because(f, seconds)
        if felt
        else f"A slow thing that nobody waits for{little} is not a problem: leave it.",
        "redo.write_ms",
        "redo.parallel_write_ms",
        "redo.sync_wait_s",
        "redo.log_switch_wait_s",
        "redo.buffer_wait_s",
        "redo.lgwr_busy_pct",
        waits=f.get("redo.write_count"),
        related=("REDO002", "REDO004"),
    )


def _slow_because(f: Facts, seconds: float) -> str:
    """What waits for the slow writes, and how busy LGWR is with them."""
    waits = {
        "at commit": f.number("redo.sync_wait_s"),
        "for log switches": f.get("redo.log_switch_wait_s") or 0.0,
        "for space in the log buffer": f.get("redo.buffer_wait_s") or 0.0,
    }
    most = max(waits, key=lambda name: waits[name])
    busy = f.get("redo.lgwr_busy_pct")
    told = (
        ""
        if busy is None or not event_holds_write(f)
        else f" LGWR is writing {busy:.0f} % of the time."
    )
    return (
        f"Each write is slow, and sessions wait {seconds:,.0f} s for redo, most of it {most} "
        f"({waits[most]:,.0f} s).{told}"
    )


@rule(
    "REDO010",
    "slow-write-tail",
    gate=("redo.sync_wait_s",),
    needs=(
        "redo.write_slower_16ms_pct",
        "redo.parallel_write_ms",
        "redo.sync_wait_s",
        "load.response_s",
    ),
    wants=(
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
        Every session that commits during such a write waits for all of it. Users feel these
        writes, and the average does not show them.
    How it is computed:
        Share of `log file parallel write` above 16 ms in the event's histogram. Its seconds are
        the least that slow commits took: `log file sync` waits above 16 ms × 16 ms.
    Example:
        With `redo.write_slower_16ms_pct` = 2.4, `redo.parallel_write_ms` = 3.1,
        `redo.sync_wait_s` = 400.0, `load.response_s` = 9000.0, `redo.write_p50_ms` = 2.0,
        `redo.write_p99_ms` = 64.0, `redo.sync_slower_16ms_pct` = 3.0, `redo.sync_count` =
        90000.0, `redo.write_count` = 80000.0: info, "Redo writes take 3.1 ms on average, but 2.4
        % of them over 16 ms".
    Threshold:
        redo.tail_pct (1 % of the writes), while the average is below redo.slow_write_ms (10 ms;
        from there on REDO001 speaks), and impact.info_pct of DB time for `log file sync`.
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
    average = f.number("redo.parallel_write_ms")
    waited = f.number("redo.sync_wait_s")
    slow = average >= f.limit(SLOW_WRITE_MS)
    if slow or share < f.limit(TAIL_PCT) or not f.felt(waited):
        return None
    commits, late = f.get("redo.sync_count"), f.get("redo.sync_slower_16ms_pct")
    least = None
    if commits is not None and late is not None:
        least = min(waited, commits * late / 100 * _TAIL_MS / 1000)
    severity = f.severity(least)
    half, bound = f.get("redo.write_p50_ms"), f.get("redo.write_p99_ms")
    middle = "" if half is None else f"Half of the writes end within {half:g} ms"
    last = "" if bound is None else f", 99 % of them only within {bound:g} ms"
    return f.finding(
        slow_write_tail,
        f"Redo writes take {average:.3g} ms on average, but {share:.2g} % of them over 16 ms",
        "info" if severity == "ok" else severity,
        f.impact(least, "`log file sync` waits above 16 ms × 16 ms: the least that they took"),
        f"{middle}{last}: what commits meanwhile waits for all of it."
        if middle
        else "What commits during such a write waits for all of it.",
        "redo.write_slower_16ms_pct",
        "redo.parallel_write_ms",
        "redo.write_p99_ms",
        "redo.sync_slower_16ms_pct",
        waits=f.get("redo.write_count"),
        related=("REDO001", "REDO009"),
    )


@rule(
    "REDO008",
    "redo-mostly-wastage",
    gate=("redo.sync_wait_s",),
    needs=("redo.wastage_pct", "redo.sync_wait_s", "load.response_s"),
    wants=("redo.wastage_per_write", "redo.write_count", "redo.log_switches_per_hour"),
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
        redo.wastage_pct (30 %), and impact.info_pct of DB time for `log file sync`. Below
        redo.rare_switches_per_hour (1) the logs are called large for the load.
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
    if share < f.limit(WASTAGE_PCT) or not f.felt(seconds):
        return None
    rate = f.get("redo.log_switches_per_hour")
    if rate is None:
        logs = "It is taken for a sign of oversized logs; the report counts no switches."
    elif rate < f.limit(RARE_SWITCHES):
        logs = f"The logs are probably oversized: they switch {rate:.2g} times per hour."
    else:
        logs = f"The logs are not oversized ({rate:.3g} switches per hour): commits are small."
    return f.finding(
        redo_mostly_wastage,
        f"{share:.0f} % of what LGWR writes is wastage",
        "info",
        f.impact(seconds, "`log file sync`: the waits of these small writes"),
        f"Many small writes, each padded to a full block. {logs}",
        "redo.wastage_pct",
        "redo.wastage_per_write",
        "redo.log_switches_per_hour",
        waits=f.get("redo.write_count"),
        related=("REDO006",),
    )
