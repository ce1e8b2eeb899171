"""Undo: what makes sessions wait for its segments, its reads and its neighbours.

Source of the reasoning: document 3, "Undo Tablespace Writes", figures 16 to 21.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.policy import Threshold
from awrlens.rules.base import Facts, rule

if TYPE_CHECKING:
    from awrlens.model import Finding

SEGMENT_WAIT_PCT: Final = Threshold(
    "undo.segment_wait_pct", 1.0, "%",
    "waits for the header of a rollback segment in its gets from which there are too few segments",
    "Oracle 8i Designing and Tuning for Performance, rollback segments: below 1 %",
)  # fmt: skip
BUSY_SHARE_PCT: Final = Threshold(
    "undo.busy_share_pct", 50.0, "%",
    "share of undo in the writes to a place from which it is what the place is busy with",
    "document 3, figure 17 (34,298 of 48,775 writes: 70 %)",
)  # fmt: skip
POISONED_MS: Final = Threshold(
    "undo.poisoned_read_ms", 32.0, "ms",
    "read time of data files beside busy undo from which the reads suffer",
    "document 3, figure 18 (28.6 to 31.9 ms without the undo load)",
)  # fmt: skip
POISONED_RATIO: Final = Threshold(
    "undo.poisoned_ratio", 2.0, "ratio",
    "read time of data files beside undo in that of others, from which undo is the difference",
    "awrlens: twice; figures 17 and 18 of document 3 differ by 126 to 1",
)  # fmt: skip
KEPT_MARGIN: Final = Threshold(
    "undo.kept_for_query_ratio", 1.0, "ratio",
    "time that undo was kept in that of the longest query below which the query is at risk",
    "Oracle Database Reference, V$UNDOSTAT.TUNED_UNDORETENTION: kept for the longest query",
)  # fmt: skip

THRESHOLDS: Final = (SEGMENT_WAIT_PCT, BUSY_SHARE_PCT, POISONED_MS, POISONED_RATIO, KEPT_MARGIN)


@rule(
    "UNDO005",
    "undo-segment-waits",
    needs=("undo.us_enqueue_wait_s", "undo.segment_growth_wait_s", "load.response_s"),
    wants=("undo.expected_segments",),
)
def undo_segment_waits(f: Facts) -> Finding | None:
    """Sessions wait for undo segments to be brought online or to grow.

    What it tells you:
        Transactions begin faster than undo segments are there for them, or segments are added,
        extended and shrunk all the time.
    Why it matters:
        A transaction cannot change anything before it has a segment and space in it.
    How it is computed:
        `enq: US - contention` and all events that begin `undo segment`, summed.
    Threshold:
        impact.info_pct of DB time.
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
    if not f.felt(enqueue + growth):
        return None
    return f.finding(
        undo_segment_waits,
        f"Sessions waited {enqueue + growth:,.0f} s for undo segments",
        f.severity(enqueue + growth),
        f.impact(enqueue + growth, "US enqueues and undo segment events"),
        f"{enqueue:,.0f} s to bring segments online, {growth:,.0f} s while they grew.",
        "undo.us_enqueue_wait_s",
        "undo.segment_growth_wait_s",
        related=("UNDO003",),
    )


@rule(
    "UNDO006",
    "few-rollback-segments",
    needs=("undo.management", "undo.rollback_segment_wait_pct", "undo.header_wait_s",
           "load.response_s"),
    wants=("undo.rollback_segments", "undo.expected_segments", "undo.rollback_segment_extends",
           "undo.rollback_segment_shrinks"),
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
    Threshold:
        undo.segment_wait_pct (1 %), and impact.info_pct of DB time for the header's buffer waits.
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
    share, seconds = f.number("undo.rollback_segment_wait_pct"), f.number("undo.header_wait_s")
    by_hand = f["undo.management"].value == "manual"
    if not by_hand or share < f.limit(SEGMENT_WAIT_PCT) or not f.felt(seconds):
        return None
    count = f.get("undo.rollback_segments")
    shared = f"{count:,.0f} rollback segments are online." if count else ""
    return f.finding(
        few_rollback_segments,
        f"{share:.1f} % of the gets of a rollback segment's header have to wait",
        f.severity(seconds),
        f.impact(seconds, "buffer waits of class undo header"),
        shared or "Rollback segments are too few for the transactions.",
        "undo.rollback_segment_wait_pct",
        "undo.header_wait_s",
        "undo.rollback_segments",
        related=("UNDO003",),
    )


@rule(
    "UNDO007",
    "undo-read-from-disk",
    needs=("undo.read_wait_s", "undo.read_ms", "load.response_s"),
    wants=("undo.consistent_read_records_applied", "undo.rollback_records_applied",
           "undo.transaction_table_records_applied"),
)  # fmt: skip
def undo_read_from_disk(f: Facts) -> Finding | None:
    """Undo is read back from disk, and that takes a share of DB time.

    What it tells you:
        Undo left the buffer cache before a rollback or a query asked for it.
    Why it matters:
        These are single-block reads, one after the other.
    How it is computed:
        Reads of undo tablespaces × their average; undo records applied by consistent reads and by
        rollbacks tell who asked.
    Threshold:
        impact.info_pct of DB time.
    What to do:
        Queries: run long ones when little is changed, look for cursors that stay open. Rollbacks:
        see UNDO002. A larger cache keeps undo longer.
    How to verify:
        Reads of the undo tablespace fall.
    When it is wrong:
        SMON or parallel slaves read undo of a dead transaction: sessions do not wait for that.
    Sources:
        document 3, "Undo Tablespace Writes" (the statistics that show undo activity).
    """
    seconds = f.number("undo.read_wait_s")
    if not f.felt(seconds):
        return None
    queries = (f.get("undo.consistent_read_records_applied") or 0.0) + (
        f.get("undo.transaction_table_records_applied") or 0.0
    )
    rollbacks = f.get("undo.rollback_records_applied") or 0.0
    more = "Queries" if queries >= rollbacks else "Rollbacks"
    said = f"{more} ask for most of it: {queries:,.0f} records for queries, {rollbacks:,.0f} rolled"
    return f.finding(
        undo_read_from_disk,
        f"Reading undo takes {seconds:,.0f} s, {f.number('undo.read_ms'):.1f} ms for each read",
        f.severity(seconds),
        f.impact(seconds, "reads of undo tablespaces × their average"),
        f"{said} back." if queries + rollbacks else "Undo had left the buffer cache.",
        "undo.read_wait_s",
        "undo.read_ms",
        "undo.consistent_read_records_applied",
        "undo.transaction_table_records_applied",
        "undo.rollback_records_applied",
        waits=seconds * 1000 / max(f.number("undo.read_ms"), 0.001),
        related=("UNDO001", "UNDO002"),
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
        "warning",
        f.impact(None, "a risk of errors, not waits"),
        f"The longest query ran {longest:,.0f} s, and undo was kept for {kept:,.0f} s at times.",
        "undo.unexpired_steals",
        "undo.max_query_s",
        "undo.min_tuned_retention_s",
        "undo.retention_s",
        related=("UNDO004",),
    )


@rule(
    "UNDO009",
    "object-checkpoint-waits",
    needs=("undo.ko_enqueue_wait_s", "undo.ci_enqueue_wait_s", "load.response_s"),
)
def object_checkpoint_waits(f: Facts) -> Finding | None:
    """Sessions wait until all dirty blocks of an object are written.

    What it tells you:
        Direct path reads, TRUNCATE and DROP first ask DBWR to write the object's changed blocks.
    Why it matters:
        The wait is as long as DBWR's queue, whatever fills it: undo, too.
    How it is computed:
        `enq: KO - fast object checkpoint` and `enq: CI - contention` (the call to other
        processes), summed; Enqueue Activity before 10g.
    Threshold:
        impact.info_pct of DB time.
    What to do:
        Fewer truncates of tables just filled; no parallel query or serial direct reads on tables
        under change; then DBWR's writes.
    How to verify:
        The events leave the list.
    When it is wrong:
        A single TRUNCATE of a large table within a batch that nobody waits for.
    Sources:
        document 3, "Undo Tablespace Writes" (KO shows the checkpoint load), figure 20: one wait of
        30 ms, which nobody felt.
    """
    objects, calls = f.number("undo.ko_enqueue_wait_s"), f.number("undo.ci_enqueue_wait_s")
    if not f.felt(objects + calls):
        return None
    return f.finding(
        object_checkpoint_waits,
        f"Sessions waited {objects + calls:,.0f} s for checkpoints of objects",
        f.severity(objects + calls),
        f.impact(objects + calls, "KO and CI enqueues"),
        f"{objects:,.0f} s for the checkpoint (KO), {calls:,.0f} s for calls to others (CI).",
        "undo.ko_enqueue_wait_s",
        "undo.ci_enqueue_wait_s",
        related=("CKPT005",),
    )


@rule(
    "UNDO010",
    "slow-reads-beside-undo",
    needs=("undo.shared_places", "undo.shared_place_write_pct", "undo.neighbour_read_ms",
           "undo.neighbour_wait_s", "load.response_s"),
    wants=("undo.elsewhere_read_ms",),
    thresholds=(BUSY_SHARE_PCT, POISONED_MS, POISONED_RATIO),
)  # fmt: skip
def slow_reads_beside_undo(f: Facts) -> Finding | None:
    """Data files beside busy undo files answer slowly, and sessions wait for them.

    What it tells you:
        Undo is most of the writing to the disks that these data files share with it.
    Why it matters:
        Reads queue behind the writes: document 3 calls it poisoning.
    How it is computed:
        File IO Stats by disk group, directory or drive: undo's share of the writes, read time of
        data files there and elsewhere, weighted by reads; the seconds are those that sessions
        waited for data reads, in the share of reads beside undo.
    Threshold:
        undo.busy_share_pct (50 %), undo.poisoned_read_ms (32 ms), undo.poisoned_ratio (2) where
        data files stand elsewhere too, and impact.info_pct of DB time.
    What to do:
        Less undo first (rollbacks, units of work), then undo on disks of its own.
    How to verify:
        `Av Rd(ms)` of the data files falls when undo is moved.
    When it is wrong:
        Large asynchronous reads are slow by themselves: in figure 17 two files take 4,042 to 4,076
        ms a read, but sessions waited 4 s for direct path reads (figure 13): nobody felt it.
    Sources:
        document 3, figures 13, 17 and 18.
    """
    share, beside = f.number("undo.shared_place_write_pct"), f.number("undo.neighbour_read_ms")
    seconds, elsewhere = f.number("undo.neighbour_wait_s"), f.get("undo.elsewhere_read_ms")
    if share < f.limit(BUSY_SHARE_PCT) or beside < f.limit(POISONED_MS) or not f.felt(seconds):
        return None
    if elsewhere is not None and beside < elsewhere * f.limit(POISONED_RATIO):
        return None
    than = "" if elsewhere is None else f", {elsewhere:.1f} ms on other disks"
    return f.finding(
        slow_reads_beside_undo,
        f"Reads of data files beside undo take {beside:.1f} ms{than}",
        "info" if f.severity(seconds) == "info" else "warning",
        f.impact(seconds, "waits for data reads, in the share of those beside undo"),
        f"Undo is {share:.0f} % of the writes there.",
        "undo.shared_places",
        "undo.neighbour_read_ms",
        "undo.elsewhere_read_ms",
        related=("UNDO001",),
    )


@rule(
    "UNDO011",
    "parallel-rollback-waits",
    needs=("undo.parallel_rollback_wait_s", "load.response_s"),
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
    Threshold:
        impact.info_pct of DB time.
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
    if not f.felt(seconds):
        return None
    return f.finding(
        parallel_rollback_waits,
        f"Processes that roll back in parallel waited {seconds:,.0f} s for each other",
        "info" if f.severity(seconds) == "info" else "warning",
        f.impact(seconds, "waits of recovery slaves, not of users"),
        "A large transaction died and is being rolled back.",
        "undo.parallel_rollback_wait_s",
        "undo.parallel_rollback",
        related=("UNDO002",),
    )
