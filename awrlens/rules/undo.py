"""Undo: its writes and reads, its disks, its segments and retention, rollbacks, failed queries.

Source of the reasoning: Write Accelerator, "Undo Tablespace Writes", figures 15 to 21.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.policy import Threshold
from awrlens.rules.base import Diagnosis, of, rule
from awrlens.severity import FEW_WAITS
from awrlens.units import ms_words

if TYPE_CHECKING:
    from awrlens.rules.base import Facts, Gate, Late, Number, Shown


DOMINANT_PCT: Final = Threshold(
    "undo.dominant_write_pct", 50.0, "%",
    "share of undo blocks in DBWR writes above which undo is most of its work",
    "Write Accelerator, figure 15 (`a majority of our write IO`: 35.4 of 38.1 physical writes per "
    "second, which include direct writes)",
)  # fmt: skip
ROLLBACKS: Final = Threshold(
    "undo.rollbacks_per_1000_executes", 1.0, "ratio",
    "rollbacks per 1,000 executions above which there are too many",
    "Write Accelerator (`look for about 1 rollback per 1000 insert executions`)",
)  # fmt: skip
ROLLBACK_RATE: Final = Threshold(
    "undo.rollbacks_per_s", 1.0, "1/s",
    "rollbacks per second below which their number does not matter",
    'awrlens; the test of "Write Accelerator" has 4 per second',
)  # fmt: skip
ROLLBACK_WORK: Final = Threshold(
    "undo.records_per_rollback", 10.0, "count",
    "undo records applied per rollback below which rollbacks are nearly empty",
    'awrlens: connection pools roll back empty transactions; the test of "Write Accelerator" '
    "applies 999 records per rollback",
)  # fmt: skip
BUFFER_WAIT_MS: Final = Threshold(
    "undo.buffer_wait_ms", 10.0, "ms",
    "wait for an undo buffer above which it is slow",
    "Write Accelerator (345 ms before, 6 ms after the undo tablespace was moved)",
)  # fmt: skip


FOREIGN_PCT: Final = Threshold(
    "undo.foreign_pct", 50.0, "%",
    "share of undo's buffer waits for undo of other instances from which the finding names them",
    "awrlens: the majority",
)  # fmt: skip


#: The average of each wait that undo writes can cause.
_EACH: Final = {
    "undo.buffer_wait_s": "undo.buffer_wait_ms",
    "undo.read_wait_s": "undo.read_ms",
    "checkpoint.buffer_wait_s": "checkpoint.buffer_wait_ms",
    "checkpoint.incomplete_wait_s": "checkpoint.incomplete_wait_ms",
}


@rule("UNDO001", weighs=True, wants=(*_EACH, *_EACH.values()), thresholds=(DOMINANT_PCT,))
def undo_dominates_writes(
    f: Facts, undo_block_write_pct: float, _undo_tablespace_write_pct: Shown,
    _undo_io_rank: Shown, _undo_blocks_per_write: Shown,
    *, checkpoint_buffer_wait_s: float | None,
) -> Diagnosis | None:  # fmt: skip
    """Most blocks that DBWR writes are undo, and sessions wait for DBWR or for undo.

    What it means:
        Undo is the main source of writes.
    Why it matters:
        Undo writes compete with reads of data on the same disks. "Write Accelerator" calls them
        single-block writes; by its figures 15 and 16 DBWR writes 12.8 undo blocks at a time.
    How it is computed:
        `DBWR undo block writes` / `physical writes from cache`; waits: undo buffers and undo reads,
        `free buffer waits`, `write complete waits` and incomplete checkpoints.
    Example:
        With `undo.block_write_pct` = 94.4, `load.response_s` = 5000.0, `undo.buffer_wait_s` =
        300.0, `undo.read_wait_s` = 16.7, `checkpoint.buffer_wait_s` = 0.0,
        `checkpoint.incomplete_wait_s` = 0.0: warning, "94 % of the blocks that DBWR writes are
        undo".
    Threshold:
        undo.dominant_write_pct (50 %), and how many sessions wait and how long.
    What to do:
        Fewer rollbacks and larger units of work first; then separate disks for undo.
    How to verify:
        The share or the waits fall.
    When it is wrong:
        A load of inserts with a large buffer cache: DBWR writes data blocks later than undo.
    Sources:
        Write Accelerator, "Undo Tablespace Writes", figures 15 to 19.
    """
    if undo_block_write_pct < f.limit(DOMINANT_PCT):
        return None
    seconds, longest = f.total(*_EACH), max(_EACH, key=lambda name: f.get(name) or 0.0)
    dbwr = checkpoint_buffer_wait_s or 0.0
    return Diagnosis(
        f"{undo_block_write_pct:.0f} % of the blocks that DBWR writes are undo",
        f.weigh(*_EACH, each_ms=f.get(_EACH[longest])),
        f.impact(seconds, "waits for undo blocks, free buffers and incomplete checkpoints"),
        f"Sessions waited {seconds:,.0f} s for undo blocks and for DBWR"
        + (f", {dbwr:,.0f} s of it for free buffers and writes." if dbwr >= 1 else "."),
        also=("undo.buffer_wait_s", "undo.read_wait_s"),
        related=("CKPT005", "CKPT008", "CKPT010", "UNDO002", "UNDO003"),
    )


def _few_rollbacks(f: Facts, undo_rollbacks_per_1000_executes: float | None) -> bool:
    return (undo_rollbacks_per_1000_executes or 0.0) < f.limit(ROLLBACKS)


@rule("UNDO002", thresholds=(ROLLBACKS, ROLLBACK_RATE, ROLLBACK_WORK))
def many_rollbacks(
    f: Facts, undo_rollbacks_per_1000_executes: float, load_rollbacks_per_s: float,
    undo_rollback_records_applied: float, undo_records_per_rollback: Late,
    _undo_rollback_pct: Shown, *, load_elapsed_s: float,
    few: bool = of(_few_rollbacks, ends=bool),
) -> Diagnosis | None:  # fmt: skip
    """Transactions roll back often, with real changes.

    What it means:
        Work is done, written to redo and undo, and rolled back.
    Why it matters:
        A rollback costs as much as the change: it writes redo, reads undo and changes the blocks.
    How it is computed:
        `user rollbacks` × 1000 / `execute count`; undo records applied per rollback distinguish
        real work from the empty rollbacks of connection pools.
    Example:
        With `undo.rollbacks_per_1000_executes` = 1.027, `load.rollbacks_per_s` = 4.0,
        `undo.rollback_records_applied` = 48219732.0, `load.elapsed_s` = 12358.0,
        `undo.block_write_pct` = 94.4: info, "1.03 rollbacks per 1,000 executions, 4.0 per second".
    Threshold:
        undo.rollbacks_per_1000_executes (1), undo.rollbacks_per_s (1) and undo.records_per_rollback
        (10). The severity is info, because no wait shows the cost. If sessions wait for undo,
        UNDO001 has the severity, and this is its cause.
    What to do:
        Find the module that rolls back: failed batches, inserts as unique-key checks, timeouts.
    How to verify:
        `rollback changes - undo records applied` falls.
    When it is wrong:
        A single large batch was cancelled.
    Sources:
        Write Accelerator, "Undo Tablespace Writes" (about 1 rollback per 1000 executions).
    """
    rate, per_second = undo_rollbacks_per_1000_executes, load_rollbacks_per_s
    records, rollbacks = undo_rollback_records_applied, per_second * load_elapsed_s
    if per_second < f.limit(ROLLBACK_RATE):
        return None
    if rollbacks <= 0 or records / rollbacks < f.limit(ROLLBACK_WORK):
        return None
    real = undo_records_per_rollback()
    each = records / rollbacks if real is None else real
    return Diagnosis(
        f"{rate:.2f} rollbacks per 1,000 executions, {per_second:,.1f} per second",
        "info",
        f.impact(None, "its cost is spread over redo, undo and CPU; no single wait shows it"),
        f"They applied {records:,.0f} undo records, {each:,.0f} per rollback with changes.",
        waits=rollbacks,
        related=("UNDO001",),
    )


@rule("UNDO003", thresholds=(BUFFER_WAIT_MS, FOREIGN_PCT))
def slow_undo_buffers(
    f: Facts, undo_buffer_wait_ms: float, undo_buffer_wait_s: Gate,
    _undo_header_wait_ms: Shown, _undo_block_wait_ms: Shown,
    undo_foreign_buffer_wait_pct: float | None,
    *, undo_header_wait_s: float | None, undo_block_wait_s: float | None,
) -> Diagnosis | None:  # fmt: skip
    """Sessions wait long for buffers of undo blocks and headers.

    What it means:
        Several sessions need the same undo blocks, or the blocks are being written or read.
    Why it matters:
        Both changes and consistent reads wait.
    How it is computed:
        Buffer Wait Statistics, classes of undo blocks and headers; without it, buffer waits of undo
        tablespaces × their average.
    Example:
        With `undo.buffer_wait_ms` = 345.0, `undo.buffer_wait_s` = 345.0, `load.response_s` =
        5000.0: warning, "Undo buffer waits average 345 ms".
    Threshold:
        How many sessions wait and how long. Waits shorter than undo.buffer_wait_ms (10 ms) are a
        remark, if so many sessions wait that they would be a warning. The finding names undo of
        other instances from undo.foreign_pct (50 %) of the waits on.
    What to do:
        Headers: use automatic undo management with enough space, so that there are many segments.
        Blocks: faster storage for undo, or fewer queries on data that is being changed. Undo of
        other instances: find their long transactions, and the queries here that read their data.
    How to verify:
        `Av Buf Wt(ms)` of the undo tablespace falls ("Write Accelerator": from 345 to 6 ms).
    When it is wrong:
        There were very few waits.
    Sources:
        Write Accelerator, "Undo Tablespace Writes", figure 19 and the text above it. No figure
        shows its 345 ms: figure 16 has 2 waits of 0.0 ms.
    """
    latency, seconds = undo_buffer_wait_ms, undo_buffer_wait_s
    weighed = f.weigh(seconds, each_ms=latency)
    slow = latency >= f.limit(BUFFER_WAIT_MS)
    if not weighed.matters or (not slow and weighed.severity == "info"):
        return None
    if not slow:  # contention of many, not a slow device
        weighed = weighed._replace(severity="info")
    # starting and ending transactions contend for headers, reads and writes for blocks
    headers, blocks = undo_header_wait_s, undo_block_wait_s
    why = "Sessions contend for undo blocks, or their reads and writes are slow."
    if headers is not None and blocks is not None and headers + blocks >= seconds / 2:
        which = "segment headers" if headers >= blocks else "undo blocks"
        why = (
            f"Most waits are for {which}: {headers:,.0f} s for headers, {blocks:,.0f} s for blocks."
        )
    share = undo_foreign_buffer_wait_pct
    if share is not None and share >= f.limit(FOREIGN_PCT):
        why += (
            f" {share:.0f} % of the buffer waits of undo are for undo of other instances: queries "
            "read blocks that transactions there changed."
        )
    return Diagnosis(
        f"Undo buffer waits average {ms_words(latency)}"
        if slow
        else f"Sessions waited {seconds:,.0f} s for undo buffers, {ms_words(latency)} each",
        weighed,
        f.impact(seconds, "buffer waits for undo blocks and headers"),
        why,
        waits=seconds * 1000 / latency,
        related=("UNDO001",),
    )


@rule("UNDO004")
def undo_too_small(
    f: Facts, undo_snapshot_too_old: float, undo_out_of_space: float, undo_max_query_s: float | None
) -> Diagnosis | None:
    """Queries or transactions failed because undo space was too small.

    What it means:
        ORA-01555 (snapshot too old), or the undo tablespace ran out of space.
    Why it matters:
        Work was lost and users saw an error.
    How it is computed:
        Sums of the columns of Undo Segment Summary.
    Example:
        With `undo.snapshot_too_old` = 4.0, `undo.out_of_space` = 0.0, `undo.max_query_s` = 17994.0:
        warning, "4 queries failed with ORA-01555; 0 transactions ran out of undo space".
    Threshold:
        More than 0.
    What to do:
        Size the undo tablespace for the longest query and the undo rate (undo_retention × undo
        blocks per second × block size).
    How to verify:
        Both counts are 0.
    When it is wrong:
        ORA-01555 on a LOB, or because of delayed block cleanout.
    Sources:
        Write Accelerator, figure 21; Oracle Database Reference, V$UNDOSTAT.
    """
    old, full, longest = undo_snapshot_too_old, undo_out_of_space, undo_max_query_s
    if old + full <= 0:
        return None
    return Diagnosis(
        f"{old:,.0f} queries failed with ORA-01555; {full:,.0f} transactions ran out of undo space",
        "critical" if full > 0 else "warning",
        f.impact(None, "errors, not waits"),
        f"The longest query ran {longest:,.0f} s."
        if longest
        else "Undo was overwritten too early.",
    )


BUSY_SHARE_PCT: Final = Threshold(
    "undo.busy_share_pct", 50.0, "%",
    "share of undo in the writes to a location above which undo is its main load",
    "Write Accelerator, figure 17 (34,298 of 55,035 writes: 62 %)",
)  # fmt: skip
POISONED_MS: Final = Threshold(
    "undo.poisoned_read_ms", 32.0, "ms",
    "read time of data files next to busy undo above which the reads are slow",
    "Write Accelerator, figure 18 (28.6 to 31.9 ms without the undo load)",
)  # fmt: skip
POISONED_RATIO: Final = Threshold(
    "undo.poisoned_ratio", 2.0, "ratio",
    "read time of data files next to undo divided by that of others, above which undo is why",
    'awrlens: twice; figures 17 and 18 of "Write Accelerator" differ by a factor of 126',
)  # fmt: skip


@rule("UNDO007")
def undo_read_from_disk(
    f: Facts, undo_read_wait_s: Gate, undo_read_ms: float | None,
    undo_consistent_read_records_applied: float | None,
    undo_transaction_table_records_applied: float | None,
    undo_rollback_records_applied: float | None,
) -> Diagnosis | None:  # fmt: skip
    """Sessions read undo back from disk, with a significant share of DB time.

    What it means:
        Undo was no longer in the buffer cache when a rollback or a query needed it.
    Why it matters:
        These are single-block reads, one after the other.
    How it is computed:
        Reads of undo tablespaces × their average. Undo records applied by consistent reads and by
        rollbacks show who needed them.
    Example:
        With `undo.read_wait_s` = 600.0, `load.response_s` = 9000.0, `undo.read_ms` = 28.6,
        `undo.consistent_read_records_applied` = 65299.0, `undo.rollback_records_applied` = 708.0:
        warning, "Undo reads took 600 s, 28.6 ms per read".
    Threshold:
        How many sessions wait, and how long each wait takes; at least confidence.few_waits (100)
        reads, as checkpoints read the headers of files.
    What to do:
        Queries: run long ones when few changes are made, and look for cursors that stay open.
        Rollbacks: see UNDO002. A larger buffer cache keeps undo longer.
    How to verify:
        Reads of the undo tablespace fall.
    When it is wrong:
        SMON or parallel slaves read undo of a dead transaction; sessions do not wait for that.
    Sources:
        Write Accelerator, "Undo Tablespace Writes" (the statistics that show undo activity).
    """
    # a checkpoint reads and writes the header of every file, also where nobody reads undo
    if not undo_read_ms or undo_read_wait_s * 1000 / undo_read_ms < f.limit(FEW_WAITS):
        return None
    queries = (undo_consistent_read_records_applied or 0.0) + (
        undo_transaction_table_records_applied or 0.0
    )
    rollbacks = undo_rollback_records_applied or 0.0
    more = "queries" if queries >= rollbacks else "rollbacks"
    return Diagnosis(
        f"Undo reads took {undo_read_wait_s:,.0f} s, {ms_words(undo_read_ms)} per read",
        f.weigh(undo_read_wait_s, each_ms=undo_read_ms),
        f.impact(undo_read_wait_s, "reads of undo tablespaces × their average"),
        f"Most undo records were applied for {more}: {queries:,.0f} for queries, {rollbacks:,.0f} "
        "for rollbacks."
        if queries + rollbacks
        else "The undo was no longer in the buffer cache.",
        waits=undo_read_wait_s * 1000 / undo_read_ms,
        related=("UNDO001", "UNDO002"),
    )


@rule("UNDO009")
def cross_process_call_waits(
    f: Facts, undo_ci_enqueue_wait_s: Gate, *, undo_ci_enqueue_wait_ms: float | None
) -> Diagnosis | None:
    """Sessions wait for calls to background processes.

    What it means:
        Calls to background processes queue (enqueue CI): object checkpoints, switches of undo
        tablespaces and similar, one at a time.
    Why it matters:
        Such a call waits in the queue of DBWR and SMON, whatever fills it, for example undo.
    How it is computed:
        `enq: CI - contention`; before 10g, Enqueue Activity.
    Example:
        With `undo.ci_enqueue_wait_s` = 1500.0, `load.response_s` = 60000.0: warning, "Sessions
        waited 1,500 s for calls to background processes".
    Threshold:
        How many sessions wait, and how long each wait takes.
    What to do:
        Fewer truncates and drops of tables just filled; less undo for DBWR to write.
    How to verify:
        The event is no longer in the list.
    When it is wrong:
        A single TRUNCATE of a large table in a batch without users waiting.
    Sources:
        Write Accelerator, "Undo Tablespace Writes", figure 20 (enqueues under high undo load);
        Oracle Database Reference, enqueue CI (cross-instance call invocation).
    """
    return Diagnosis(
        f"Sessions waited {undo_ci_enqueue_wait_s:,.0f} s for calls to background processes",
        f.weigh(undo_ci_enqueue_wait_s, each_ms=undo_ci_enqueue_wait_ms),
        f.impact(undo_ci_enqueue_wait_s, "CI enqueues"),
        "Background processes execute these calls one at a time.",
        related=("CKPT009",),
    )


def _little_undo(f: Facts, undo_shared_place_write_pct: float | None) -> bool:
    """Whether no disk has undo for most of its writes."""
    share = undo_shared_place_write_pct
    return share is None or share < f.limit(BUSY_SHARE_PCT)


@rule("UNDO010", thresholds=(BUSY_SHARE_PCT, POISONED_MS, POISONED_RATIO))
def slow_reads_beside_undo(
    f: Facts, _undo_shared_places: tuple[str, ...], undo_neighbour_read_ms: float | None,
    undo_elsewhere_read_ms: float | None,
    *, undo_shared_place_write_pct: float | None, undo_neighbour_wait_s: Number | None,
    _load_data_read_wait_s: Gate | None, little: bool = of(_little_undo, ends=bool),
) -> Diagnosis | None:  # fmt: skip
    """Data files on the disks of busy undo files are slow, and sessions wait for them.

    What it means:
        Undo is most of the writes to the disks that it shares with these data files.
    Why it matters:
        Reads queue behind the writes; "Write Accelerator" calls it poisoning.
    How it is computed:
        File IO Stats by disk group, directory or drive: undo's share of the writes, and read time
        of data files there and elsewhere, weighted by reads. The seconds are the waits for data
        reads, times the share of reads on these disks.
    Example:
        With `undo.shared_places` = ["+DATA2"], `load.response_s` = 29659.0, `load.data_read_wait_s`
        = 3100.0, `undo.shared_place_write_pct` = 62.3, `undo.neighbour_read_ms` = 500.0,
        `undo.neighbour_wait_s` = 3000.0: warning, "Data file reads take 500 ms on the disks of
        undo".
    Threshold:
        undo.busy_share_pct (50 %), undo.poisoned_read_ms (32 ms), undo.poisoned_ratio (2) if data
        files are elsewhere too, and the weight of the waits; at most a warning.
    What to do:
        Less undo first (rollbacks, units of work), then separate disks for undo.
    How to verify:
        `Av Rd(ms)` of the data files falls after undo is moved.
    When it is wrong:
        Large asynchronous reads are slow in any case: in figure 17 the reads of two files take
        4,042 to 4,076 ms, but sessions waited 4 s for direct path reads (figure 13).
    Sources:
        Write Accelerator, figures 13, 17 and 18.
    """
    elsewhere = undo_elsewhere_read_ms
    if undo_neighbour_read_ms is None or undo_neighbour_read_ms < f.limit(POISONED_MS):
        return None  # no data file there, or none that sessions read
    if elsewhere is not None and undo_neighbour_read_ms < elsewhere * f.limit(POISONED_RATIO):
        return None
    weighed = f.weigh(undo_neighbour_wait_s, each_ms=undo_neighbour_read_ms)
    than = "" if elsewhere is None else f", {ms_words(elsewhere)} on other disks"
    return Diagnosis(
        f"Data file reads take {ms_words(undo_neighbour_read_ms)} on the disks of undo{than}",
        weighed.at_most_a_warning,
        f.impact(
            undo_neighbour_wait_s,
            "waits for data reads, times the share of reads on the disks of undo",
        ),
        f"Undo is {undo_shared_place_write_pct:.0f} % of the writes there.",
        related=("UNDO001",),
    )


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


@rule("UNDO005")
def undo_segment_waits(
    f: Facts, undo_us_enqueue_wait_s: Gate, undo_row_cache_wait_s: Gate | None,
    undo_segment_growth_wait_s: Gate, *, undo_us_enqueue_wait_ms: float | None,
) -> Diagnosis | None:  # fmt: skip
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
    enqueue, growth = undo_us_enqueue_wait_s, undo_segment_growth_wait_s
    cache = undo_row_cache_wait_s or 0.0
    # the enqueue's average does not apply to the others
    each = undo_us_enqueue_wait_ms if enqueue > growth + cache else None
    seconds = enqueue + growth + cache
    looked_up = f" and {cache:,.0f} s for their dictionary cache entries" if cache else ""
    return Diagnosis(
        f"Sessions waited {seconds:,.0f} s for undo segments",
        f.weigh(enqueue, growth, undo_row_cache_wait_s, each_ms=each),
        f.impact(seconds, "US enqueues, undo segment events and their dictionary cache"),
        f"{enqueue:,.0f} s to bring segments online, {growth:,.0f} s for their growth{looked_up}.",
        related=("UNDO003",),
    )


@rule("UNDO006", needs=("undo.management",), thresholds=(SEGMENT_WAIT_PCT,))
def few_rollback_segments(
    f: Facts, undo_rollback_segment_wait_pct: float | None, undo_header_wait_s: Gate,
    undo_rollback_segments: float | None,
    *, undo_management: str, undo_header_wait_ms: float | None,
) -> Diagnosis | None:  # fmt: skip
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
    share, count = undo_rollback_segment_wait_pct, undo_rollback_segments
    if undo_management != "manual" or share is None or share < f.limit(SEGMENT_WAIT_PCT):
        return None
    return Diagnosis(
        f"Rollback segment header waits: {share:.1f} % of gets",
        f.weigh(undo_header_wait_s, each_ms=undo_header_wait_ms),
        f.impact(undo_header_wait_s, "buffer waits of class undo header"),
        f"{count:,.0f} rollback segments are online."
        if count
        else "There are too few rollback segments for the transactions.",
        related=("UNDO003",),
    )


@rule(
    "UNDO008",
    needs=("undo.unexpired_steals", "undo.snapshot_too_old", "undo.out_of_space"),
    thresholds=(KEPT_MARGIN,),
)
def unexpired_undo_taken(
    f: Facts, undo_unexpired_steals: float, undo_max_query_s: float,
    undo_min_tuned_retention_s: Late, undo_retention_s: Late,
    *, undo_snapshot_too_old: float, undo_out_of_space: float,
) -> Diagnosis | None:  # fmt: skip
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
    taken, longest = undo_unexpired_steals, undo_max_query_s
    if taken <= 0 or undo_snapshot_too_old > 0 or undo_out_of_space > 0:
        return None
    tuned = undo_min_tuned_retention_s()
    kept = undo_retention_s() if tuned is None else tuned
    if kept is None or kept >= longest * f.limit(KEPT_MARGIN):
        return None
    return Diagnosis(
        f"{taken:,.0f} unexpired undo blocks were reused",
        "info",
        f.impact(None, "a risk of errors, not waits"),
        f"The longest query ran {longest:,.0f} s, but minimum undo retention was {kept:,.0f} s.",
        related=("UNDO004",),
    )


@rule("UNDO011")
def parallel_rollback_waits(
    f: Facts, undo_parallel_rollback_wait_s: Gate, _undo_parallel_rollback: Shown
) -> Diagnosis | None:
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
    seconds = undo_parallel_rollback_wait_s
    weighed = f.weigh(seconds).at_most_a_warning
    return Diagnosis(
        f"Parallel rollback processes waited {seconds:,.0f} s for each other",
        weighed._replace(weight=weighed.weight._replace(share_pct=None)),
        f.impact(seconds, "waits of recovery slaves, not of users")._replace(pct_db_time=None),
        "A large transaction died, or its instance; parallel processes rolled it back.",
        related=("UNDO002",),
    )


@rule("UNDO012")
def file_header_waits(
    f: Facts, undo_file_header_wait_s: Gate, undo_file_extensions: float | None,
    undo_file_header_wait_ms: float | None, _undo_hw_enqueue_wait_s: Shown,
) -> Diagnosis | None:  # fmt: skip
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
    seconds, grown = undo_file_header_wait_s, undo_file_extensions
    return Diagnosis(
        f"Sessions waited {seconds:,.0f} s for file headers",
        f.weigh(seconds, each_ms=undo_file_header_wait_ms),
        f.impact(seconds, "buffer waits of class file header block"),
        f"Files of undo were extended {f'{grown:,.0f} times' if grown > 1 else 'once'} while "
        "sessions needed space."
        if grown
        else "Files of a tablespace, often undo, grow while sessions need space.",
        related=("UNDO005",),
    )


APPLIED_PCT: Final = Threshold(
    "undo.applied_read_pct", 8.0, "%",
    "undo records applied per 100 logical reads above which they are a significant part of CPU",
    "awrlens: about a tenth; real reports have 9.3 % (10.2, RAC) and 40 % (12.2), and 105 others "
    "at most 5.8 %",
)  # fmt: skip


#: Larger counts are given in millions.
_MILLIONS: Final = 10_000_000


@rule("UNDO013", thresholds=(APPLIED_PCT,), since="1.0")
def undo_takes_cpu(
    f: Facts, undo_applied_read_pct: float, undo_apply_cpu_s: float,
    undo_consistent_read_records_applied: float, undo_rollback_records_applied: float,
    undo_records_per_cr_block: float | None, undo_max_query_s: float | None,
) -> Diagnosis | None:  # fmt: skip
    """Applying undo takes a significant part of CPU.

    What it means:
        Queries rebuild blocks as of the time when they began, record by record, or rollbacks undo
        much work.
    Why it matters:
        It is CPU time that no wait shows. The undo is in memory, so faster disks do not reduce it.
    How it is computed:
        Undo records applied for consistent reads and by rollbacks / `session logical reads`; this
        share of CPU time, because applying a record takes about as long as a logical read.
    Example:
        With `undo.applied_read_pct` = 9.3, `undo.apply_cpu_s` = 834.0, `load.response_s` = 15600.0,
        `load.elapsed_s` = 28800.0, `undo.consistent_read_records_applied` = 28415275.0,
        `undo.rollback_records_applied` = 792.0: info, "28 million undo records were applied, mostly
        by queries, 9.3 % of logical reads".
    Threshold:
        undo.applied_read_pct (8 %), and CPU time that is significant. The severity is info, because
        no session waits.
    What to do:
        Run long queries when few changes are made, close cursors that stay open, and commit sooner.
        Rollbacks: see UNDO002.
    How to verify:
        `data blocks consistent reads - undo records applied` falls.
    When it is wrong:
        A record may take less time than a logical read that waits for a latch.
    Sources:
        Write Accelerator, "Undo Tablespace Writes" (the statistics that show undo activity); Oracle
        Database Reference, statistics descriptions.
    """
    if undo_applied_read_pct < f.limit(APPLIED_PCT) or not f.scale.significant(undo_apply_cpu_s):
        return None
    queries = undo_consistent_read_records_applied >= undo_rollback_records_applied
    share = f.scale.share(undo_apply_cpu_s) or 0.0
    why = f"This is about {undo_apply_cpu_s:,.0f} s of CPU, {share:.1f} % of {f.scale.base}"
    if queries and undo_records_per_cr_block is not None:
        why += f"; a query applied {undo_records_per_cr_block:,.0f} records per rebuilt block"
    if queries and undo_max_query_s:
        why += f". The longest query ran {undo_max_query_s:,.0f} s"
    applied = undo_consistent_read_records_applied + undo_rollback_records_applied
    number = f"{applied / 1e6:,.0f} million" if applied >= _MILLIONS else f"{applied:,.0f}"
    return Diagnosis(
        f"{number} undo records were applied, mostly by "
        f"{'queries' if queries else 'rollbacks'}, {undo_applied_read_pct:.1f} % of logical reads",
        "info",
        f.impact(undo_apply_cpu_s, "CPU time in proportion to logical reads"),
        f"{why}. Faster disks do not reduce it: the undo is in memory.",
        related=("UNDO002", "UNDO007"),
    )
