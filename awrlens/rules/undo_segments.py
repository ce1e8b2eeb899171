"""Undo: its segments, its retention, and the rollback of dead transactions.

Source of the reasoning: Write Accelerator, "Undo Tablespace Writes", figures 20 and 21.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.policy import Threshold
from awrlens.rules.base import WEIGHED, Facts, rule

if TYPE_CHECKING:
    from awrlens.model import Finding

SEGMENT_WAIT_PCT: Final = Threshold(
    "undo.segment_wait_pct", 1.0, "%",
    "waits for rollback segment headers in percent of gets, above which there are too few segments",
    "Oracle 8i Designing and Tuning for Performance, rollback segments: below 1 %",
)  # fmt: skip
KEPT_MARGIN: Final = Threshold(
    "undo.kept_for_query_ratio", 1.0, "ratio",
    "undo retention divided by the length of the longest query, below which the query is at risk",
    "Oracle Database Reference, V$UNDOSTAT.TUNED_UNDORETENTION: kept for the longest query",
)  # fmt: skip


@rule(
    "UNDO005",
    "undo-segment-waits",
    gate=("undo.us_enqueue_wait_s", "undo.segment_growth_wait_s", "undo.row_cache_wait_s"),
    needs=("undo.us_enqueue_wait_s", "undo.segment_growth_wait_s", WEIGHED),
    wants=("undo.expected_segments", "undo.us_enqueue_wait_ms", "undo.row_cache_wait_s"),
)
def undo_segment_waits(f: Facts) -> Finding | None:
    """Sessions wait for undo segments to be brought online or to grow.

    What it means:
        Transactions start faster than undo segments are available, or segments are frequently
        added, extended and shrunk.
    Why it matters:
        A transaction cannot change data until it has a segment with free space.
    How it is computed:
        Sum of `enq: US - contention` and all events that begin with `undo segment`; plus `row cache
        lock`, if most gets of the dictionary cache are for `dc_rollback_segments`.
    Example:
        With `undo.us_enqueue_wait_s` = 36.0, `undo.segment_growth_wait_s` = 564.0,
        `load.response_s` = 9000.0: warning, "Sessions waited 600 s for undo segments".
    Threshold:
        How many sessions wait, and how long each wait takes.
    What to do:
        Keep undo segments online between peaks (longer retention, a fixed-size undo tablespace).
        Before 9i, add rollback segments.
    How to verify:
        Both events are no longer in the list.
    When it is wrong:
        The first minutes after startup, or after a switch to another undo tablespace.
    Sources:
        Write Accelerator, "Undo Tablespace Writes" (US enqueue; every segment that is added, grows
        or shrinks causes waits). Its figure 20 has no US enqueue.
    """
    enqueue, growth = f.number("undo.us_enqueue_wait_s"), f.number("undo.segment_growth_wait_s")
    each, cache = f.get("undo.us_enqueue_wait_ms"), f.get("undo.row_cache_wait_s") or 0.0
    waits = ("undo.us_enqueue_wait_s", "undo.segment_growth_wait_s", "undo.row_cache_wait_s")
    # the enqueue's average does not apply to the others
    weighed = f.weigh(*waits, each_ms=each if enqueue > growth + cache else None)
    if not weighed.matters:
        return None
    seconds = enqueue + growth + cache
    looked_up = f" and {cache:,.0f} s for their dictionary cache entries" if cache else ""
    return f.finding(
        undo_segment_waits,
        f"Sessions waited {seconds:,.0f} s for undo segments",
        weighed,
        f.impact(seconds, "US enqueues, undo segment events and their dictionary cache"),
        f"{enqueue:,.0f} s to bring segments online, {growth:,.0f} s for their growth{looked_up}.",
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

    What it means:
        Undo management is manual, and sessions contend for the transaction tables in segment
        headers.
    Why it matters:
        Every transaction changes a header at its start and at its end.
    How it is computed:
        `Pct Waits` of the segment with the most waits; buffer waits of class `undo header`.
    Example:
        With `undo.management` = "manual", `undo.header_wait_s` = 600.0, `load.response_s` =
        9000.0, `undo.rollback_segment_wait_pct` = 3.0, `undo.rollback_segments` = 4.0: warning,
        "Rollback segment header waits: 3.0 % of gets".
    Threshold:
        undo.segment_wait_pct (1 %), and the weight of the header's buffer waits.
    What to do:
        Add rollback segments; since 9i, use automatic undo management.
    How to verify:
        `Pct Waits` is 0 in every row.
    When it is wrong:
        One transaction uses a specific segment on purpose.
    Sources:
        Write Accelerator, "Undo Tablespace Writes" (transactions_per_rollback_segment); Oracle 8i
        Designing and Tuning for Performance.
    """
    share, seconds = f.get("undo.rollback_segment_wait_pct"), f.number("undo.header_wait_s")
    manual = f["undo.management"].value == "manual"
    weighed = f.weigh("undo.header_wait_s", each_ms=f.get("undo.header_wait_ms"))
    if not manual or share is None or share < f.limit(SEGMENT_WAIT_PCT) or not weighed.matters:
        return None
    count = f.get("undo.rollback_segments")
    shared = f"{count:,.0f} rollback segments are online." if count else ""
    return f.finding(
        few_rollback_segments,
        f"Rollback segment header waits: {share:.1f} % of gets",
        weighed,
        f.impact(seconds, "buffer waits of class undo header"),
        shared or "There are too few rollback segments for the transactions.",
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
    """Undo was overwritten before it expired, and a query ran longer than the undo retention.

    What it means:
        The undo tablespace is full: transactions reused blocks with unexpired undo.
    Why it matters:
        The next query of that length can fail with ORA-01555; so can flashback queries.
    How it is computed:
        uS + uR + uU of the undo sections; the longest query compared with the shortest tuned
        retention, or before 10g with `undo_retention`.
    Example:
        With `undo.unexpired_steals` = 42.0, `undo.snapshot_too_old` = 0.0, `undo.out_of_space` =
        0.0, `undo.max_query_s` = 11467.0, `undo.min_tuned_retention_s` = 1176.0: info, "42
        unexpired undo blocks were reused".
    Threshold:
        At least one reused block, and a retention below undo.kept_for_query_ratio (1) of the
        longest query. If there were errors, UNDO004 applies.
    What to do:
        Enlarge the undo tablespace, or let it autoextend.
    How to verify:
        uS, uR and uU are 0.
    When it is wrong:
        The longest query reads tables without changes.
    Sources:
        Write Accelerator, figure 21 (all of its steals are of expired undo, 259 and 768, which is
        normal); Oracle Database Reference, V$UNDOSTAT.
    """
    taken, longest = f.number("undo.unexpired_steals"), f.number("undo.max_query_s")
    if taken <= 0 or f.number("undo.snapshot_too_old") > 0:
        return None
    kept = f.get("undo.min_tuned_retention_s")
    kept = f.get("undo.retention_s") if kept is None else kept
    if kept is None:
        return None
    if f.number("undo.out_of_space") > 0 or kept >= longest * f.limit(KEPT_MARGIN):
        return None
    return f.finding(
        unexpired_undo_taken,
        f"{taken:,.0f} unexpired undo blocks were reused",
        "info",
        f.impact(None, "a risk of errors, not waits"),
        f"The longest query ran {longest:,.0f} s, but minimum undo retention was {kept:,.0f} s.",
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

    What it means:
        A session was killed, or the instance crashed, during a large transaction, and SMON's slaves
        roll it back in parallel.
    Why it matters:
        The locks of the dead transaction are held until the rollback ends. Slaves that wait for
        each other's undo may be slower than one process.
    How it is computed:
        Sum of `wait for a undo record` and `wait for stopper event to be increased`.
    Example:
        With `undo.parallel_rollback_wait_s` = 2500.0, `load.response_s` = 23000.0: warning,
        "Parallel rollback processes waited 2,500 s for each other".
    Threshold:
        How many processes wait, because the report does not show the average; at most a warning.
    What to do:
        Watch V$FAST_START_TRANSACTIONS. If there is hardly any progress, set
        FAST_START_PARALLEL_ROLLBACK=FALSE until the rollback is complete.
    How to verify:
        V$FAST_START_TRANSACTIONS has no transaction in state RECOVERING.
    When it is wrong:
        The slaves are idle at the end of a recovery; users may not wait for any of it.
    Sources:
        Oracle Database Reference, FAST_START_PARALLEL_ROLLBACK; Write Accelerator, "Undo Tablespace
        Writes" (undo restores the blocks when a transaction is aborted).
    """
    seconds = f.number("undo.parallel_rollback_wait_s")
    weighed = f.weigh("undo.parallel_rollback_wait_s")
    if not weighed.matters:
        return None
    return f.finding(
        parallel_rollback_waits,
        f"Parallel rollback processes waited {seconds:,.0f} s for each other",
        weighed._replace(severity="info" if weighed.severity == "info" else "warning"),
        f.impact(seconds, "waits of recovery slaves, not of users"),
        "A large transaction died, and its changes are being rolled back.",
        "undo.parallel_rollback_wait_s",
        "undo.parallel_rollback",
        related=("UNDO002",),
    )


@rule(
    "UNDO012",
    "file-header-waits",
    gate=("undo.file_header_wait_s",),
    needs=("undo.file_header_wait_s", WEIGHED),
    wants=("undo.file_header_wait_ms", "undo.hw_enqueue_wait_s", "undo.file_extensions"),
)
def file_header_waits(f: Facts) -> Finding | None:
    """Sessions wait for file headers while files grow, often those of undo.

    What it means:
        A tablespace with AUTOEXTEND changes its file header repeatedly as it grows. These waits are
        not waits for undo blocks.
    Why it matters:
        Sessions that need the space wait until the file is larger and formatted.
    How it is computed:
        Buffer Wait Statistics, class `file header block`; in addition, `enq: HW - contention`.
    Example:
        With `undo.file_header_wait_s` = 600.0, `load.response_s` = 9000.0,
        `undo.file_header_wait_ms` = 488.0: warning, "Sessions waited 600 s for file headers".
    Threshold:
        How many sessions wait, and how long each wait takes.
    What to do:
        Create the files of undo and of growing tablespaces at full size.
    How to verify:
        The class is no longer in Buffer Wait Statistics.
    When it is wrong:
        Another tablespace than undo may grow: the class does not show which.
    Sources:
        Oracle Database Reference, V$WAITSTAT; Write Accelerator, "Undo Tablespace Writes" (segments
        that grow cause waits).
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
        f"Files of undo were extended {grown:,.0f} times while sessions needed space."
        if (grown := f.get("undo.file_extensions"))
        else "Files of a tablespace, often undo, grow while sessions need space.",
        "undo.file_header_wait_s",
        "undo.file_extensions",
        "undo.file_header_wait_ms",
        "undo.hw_enqueue_wait_s",
        related=("UNDO005",),
    )
