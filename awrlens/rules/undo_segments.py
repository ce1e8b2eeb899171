"""Undo: its segments, the time it is kept, and the rollback of dead transactions.

Source of the reasoning: document 3, "Undo Tablespace Writes", figures 20 and 21.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.policy import Threshold
from awrlens.rules.base import WEIGHED, Facts, rule

if TYPE_CHECKING:
    from awrlens.model import Finding

SEGMENT_WAIT_PCT: Final = Threshold(
    "undo.segment_wait_pct", 1.0, "%",
    "waits for the header of a rollback segment in its gets from which there are too few segments",
    "Oracle 8i Designing and Tuning for Performance, rollback segments: below 1 %",
)  # fmt: skip
KEPT_MARGIN: Final = Threshold(
    "undo.kept_for_query_ratio", 1.0, "ratio",
    "time that undo was kept in that of the longest query below which the query is at risk",
    "Oracle Database Reference, V$UNDOSTAT.TUNED_UNDORETENTION: kept for the longest query",
)  # fmt: skip

THRESHOLDS: Final = (SEGMENT_WAIT_PCT, KEPT_MARGIN)


@rule(
    "UNDO005",
    "undo-segment-waits",
    gate=("undo.us_enqueue_wait_s", "undo.segment_growth_wait_s", "undo.row_cache_wait_s"),
    needs=("undo.us_enqueue_wait_s", "undo.segment_growth_wait_s", WEIGHED),
    wants=("undo.expected_segments", "undo.us_enqueue_wait_ms", "undo.row_cache_wait_s"),
)
def undo_segment_waits(f: Facts) -> Finding | None:
    """Sessions wait for undo segments to be brought online or to grow.

    What it tells you:
        Transactions begin faster than undo segments are there for them, or segments are added,
        extended and shrunk all the time.
    Why it matters:
        A transaction cannot change anything before it has a segment and space in it.
    How it is computed:
        `enq: US - contention` and all events that begin `undo segment`, summed; with them `row
        cache lock`, where most gets of the dictionary cache are for `dc_rollback_segments`.
    Example:
        With `undo.us_enqueue_wait_s` = 36.0, `undo.segment_growth_wait_s` = 564.0,
        `load.response_s` = 9000.0: warning, "Sessions waited 600 s for undo segments".
    Threshold:
        What the waits weigh: how many sessions wait, and how long each wait takes.
    What to do:
        Keep undo segments online between peaks (longer retention, a fixed-size undo tablespace);
        before 9i more rollback segments.
    How to verify:
        Both events leave the list.
    When it is wrong:
        The first minutes after a start, or after a switch to another undo tablespace.
    Sources:
        document 3, "Undo Tablespace Writes" (US enqueue; each segment added, grown or shrunk
        results in waits). Its figure 20 prints no US enqueue.
    """
    enqueue, growth = f.number("undo.us_enqueue_wait_s"), f.number("undo.segment_growth_wait_s")
    each, cache = f.get("undo.us_enqueue_wait_ms"), f.get("undo.row_cache_wait_s") or 0.0
    waits = ("undo.us_enqueue_wait_s", "undo.segment_growth_wait_s", "undo.row_cache_wait_s")
    # the enqueue's average says nothing of the others
    weighed = f.weigh(*waits, each_ms=each if enqueue > growth + cache else None)
    if not weighed.matters:
        return None
    seconds = enqueue + growth + cache
    looked_up = f", {cache:,.0f} s for their entries in the dictionary cache" if cache else ""
    return f.finding(
        undo_segment_waits,
        f"Sessions waited {seconds:,.0f} s for undo segments",
        weighed,
        f.impact(seconds, "US enqueues, undo segment events and their dictionary cache"),
        f"{enqueue:,.0f} s to bring segments online, {growth:,.0f} s while they grew{looked_up}.",
        "undo.us_enqueue_wait_s",
        "undo.row_cache_wait_s",
        "undo.segment_growth_wait_s",
        related=("UNDO003",),
    )


@rule(
    "UNDO006",
    "few-rollback-segments",
    gate=("undo.header_wait_s",),
    needs=("undo.management", "undo.header_wait_s", WEIGHED),
    wants=("undo.rollback_segment_wait_pct", "undo.rollback_segments", "undo.expected_segments",
           "undo.rollback_segment_extends", "undo.rollback_segment_shrinks",
           "undo.header_wait_ms"),
    thresholds=(SEGMENT_WAIT_PCT,),
)  # fmt: skip
def few_rollback_segments(f: Facts) -> Finding | None:
    """Transactions share too few rollback segments and wait for their headers.

    What it tells you:
        Undo is managed by hand, and the transaction tables in segment headers are contended.
    Why it matters:
        Each transaction must change a header when it begins and when it ends.
    How it is computed:
        `Pct Waits` of the segment waited for most; buffer waits of class `undo header`.
    Example:
        With `undo.management` = "manual", `undo.header_wait_s` = 600.0, `load.response_s` =
        9000.0, `undo.rollback_segment_wait_pct` = 3.0, `undo.rollback_segments` = 4.0: warning,
        "Rollback segment header waits: 3.0 % of gets".
    Threshold:
        undo.segment_wait_pct (1 %), and what the header's buffer waits weigh.
    What to do:
        Add rollback segments; from 9i on use automatic undo.
    How to verify:
        `Pct Waits` is 0 in each row.
    When it is wrong:
        One transaction that is directed to one segment on purpose.
    Sources:
        document 3, "Undo Tablespace Writes" (transactions_per_rollback_segment); Oracle 8i
        Designing and Tuning for Performance.
    """
    share, seconds = f.get("undo.rollback_segment_wait_pct"), f.number("undo.header_wait_s")
    by_hand = f["undo.management"].value == "manual"
    weighed = f.weigh("undo.header_wait_s", each_ms=f.get("undo.header_wait_ms"))
    if not by_hand or share is None or share < f.limit(SEGMENT_WAIT_PCT) or not weighed.matters:
        return None
    count = f.get("undo.rollback_segments")
    shared = f"{count:,.0f} rollback segments are online." if count else ""
    return f.finding(
        few_rollback_segments,
        f"Rollback segment header waits: {share:.1f} % of gets",
        weighed,
        f.impact(seconds, "buffer waits of class undo header"),
        shared or "Rollback segments are too few for the transactions.",
        "undo.rollback_segment_wait_pct",
        "undo.header_wait_s",
        "undo.rollback_segments",
        related=("UNDO003",),
    )


@rule(
    "UNDO008",
    "unexpired-undo-taken",
    needs=("undo.unexpired_steals", "undo.snapshot_too_old", "undo.out_of_space",
           "undo.max_query_s"),
    wants=("undo.min_tuned_retention_s", "undo.retention_s", "undo.needed_mb"),
    thresholds=(KEPT_MARGIN,),
)  # fmt: skip
def unexpired_undo_taken(f: Facts) -> Finding | None:
    """Undo was overwritten before its time, and a query ran longer than undo was kept.

    What it tells you:
        The undo tablespace is full: transactions took blocks that were still to be kept.
    Why it matters:
        The next query of that length can fail with ORA-01555; so can flashback queries.
    How it is computed:
        uS + uR + uU of the undo sections; the longest query against the shortest tuned retention,
        or against `undo_retention` before 10g.
    Example:
        With `undo.unexpired_steals` = 42.0, `undo.snapshot_too_old` = 0.0, `undo.out_of_space` =
        0.0, `undo.max_query_s` = 11467.0, `undo.min_tuned_retention_s` = 1176.0: info, "42
        undo blocks were taken before their time".
    Threshold:
        At least one block taken, and undo kept for less than undo.kept_for_query_ratio (1) of the
        longest query. UNDO004 speaks where errors were counted.
    What to do:
        Enlarge the undo tablespace, or let it extend.
    How to verify:
        uS, uR and uU are 0.
    When it is wrong:
        The longest query reads tables that nobody changes.
    Sources:
        document 3, figure 21 (whose steals are all of expired undo, 259 and 768, which is normal);
        Oracle Database Reference, V$UNDOSTAT.
    """
    taken, longest = f.number("undo.unexpired_steals"), f.number("undo.max_query_s")
    kept = f.get("undo.min_tuned_retention_s")
    kept = f.get("undo.retention_s") if kept is None else kept
    if taken <= 0 or kept is None or f.number("undo.snapshot_too_old") > 0:
        return None
    if f.number("undo.out_of_space") > 0 or kept >= longest * f.limit(KEPT_MARGIN):
        return None
    return f.finding(
        unexpired_undo_taken,
        f"{taken:,.0f} undo blocks were taken before their time",
        "info",
        f.impact(None, "a risk of errors, not waits"),
        f"The longest query ran {longest:,.0f} s, and undo was kept for {kept:,.0f} s at times.",
        "undo.unexpired_steals",
        "undo.max_query_s",
        "undo.min_tuned_retention_s",
        "undo.retention_s",
        related=("UNDO004",),
    )


@rule(
    "UNDO011",
    "parallel-rollback-waits",
    gate=("undo.parallel_rollback_wait_s",),
    needs=("undo.parallel_rollback_wait_s", WEIGHED),
    wants=("undo.parallel_rollback",),
)
def parallel_rollback_waits(f: Facts) -> Finding | None:
    """Processes that roll back a dead transaction wait for each other.

    What it tells you:
        A session was killed, or the instance crashed, within a large transaction, and SMON's
        slaves roll it back in parallel.
    Why it matters:
        Locks of the dead transaction are held until it ends; slaves that wait for each other's
        undo may be slower than one process.
    How it is computed:
        `wait for a undo record` and `wait for stopper event to be increased`, summed.
    Example:
        With `undo.parallel_rollback_wait_s` = 2500.0, `load.response_s` = 23000.0: warning,
        "Processes that roll back in parallel waited 2,500 s for each other".
    Threshold:
        What the waits weigh by how many processes wait, as their average is not printed; a warning
        at most.
    What to do:
        Watch V$FAST_START_TRANSACTIONS; where it hardly moves, set
        FAST_START_PARALLEL_ROLLBACK=FALSE until it is done.
    How to verify:
        V$FAST_START_TRANSACTIONS has no transaction in state RECOVERING.
    When it is wrong:
        The slaves are idle at the end of a recovery; users may not wait for any of it.
    Sources:
        Oracle Database Reference, FAST_START_PARALLEL_ROLLBACK; document 3, "Undo Tablespace
        Writes" (undo restores the blocks when a transaction is aborted).
    """
    seconds = f.number("undo.parallel_rollback_wait_s")
    weighed = f.weigh("undo.parallel_rollback_wait_s")
    if not weighed.matters:
        return None
    return f.finding(
        parallel_rollback_waits,
        f"Processes that roll back in parallel waited {seconds:,.0f} s for each other",
        weighed._replace(severity="info" if weighed.severity == "info" else "warning"),
        f.impact(seconds, "waits of recovery slaves, not of users"),
        "A large transaction died and is being rolled back.",
        "undo.parallel_rollback_wait_s",
        "undo.parallel_rollback",
        related=("UNDO002",),
    )


@rule(
    "UNDO012",
    "file-header-waits",
    gate=("undo.file_header_wait_s",),
    needs=("undo.file_header_wait_s", WEIGHED),
    wants=("undo.file_header_wait_ms", "undo.hw_enqueue_wait_s"),
)
def file_header_waits(f: Facts) -> Finding | None:
    """Sessions wait for file headers while files grow, often those of undo.

    What it tells you:
        A tablespace that grows by AUTOEXTEND changes its file header again and again; these waits
        are not waits for undo blocks.
    Why it matters:
        Whoever needs the space waits until the file is larger and formatted.
    How it is computed:
        Buffer Wait Statistics, class `file header block`; `enq: HW - contention` beside it.
    Example:
        With `undo.file_header_wait_s` = 600.0, `load.response_s` = 9000.0,
        `undo.file_header_wait_ms` = 488.0: warning, "Sessions waited 600 s for file headers".
    Threshold:
        What the waits weigh: how many sessions wait, and how long each wait takes.
    What to do:
        Size the files of undo and of growing tablespaces up front.
    How to verify:
        The class is gone from Buffer Wait Statistics.
    When it is wrong:
        Another tablespace than undo's may grow: the class does not tell which.
    Sources:
        Oracle Database Reference, V$WAITSTAT; document 3, "Undo Tablespace Writes" (segments that
        grow result in waits).
    """
    seconds, each = f.number("undo.file_header_wait_s"), f.get("undo.file_header_wait_ms")
    weighed = f.weigh("undo.file_header_wait_s", each_ms=each)
    if not weighed.matters:
        return None
    return f.finding(
        file_header_waits,
        f"Sessions waited {seconds:,.0f} s for file headers",
        weighed,
        f.impact(seconds, "buffer waits of class file header block"),
        "Files of a tablespace grow while sessions need space, often those of undo.",
        "undo.file_header_wait_s",
        "undo.file_header_wait_ms",
        "undo.hw_enqueue_wait_s",
        related=("UNDO005",),
    )
