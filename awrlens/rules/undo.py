"""Undo: its share of the writes, rollbacks, waits for undo buffers, queries that fail.

Source of the reasoning: Write Accelerator, "Undo Tablespace Writes".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.policy import Threshold
from awrlens.rules.base import WEIGHED, Facts, rule
from awrlens.units import ms_words

if TYPE_CHECKING:
    from awrlens.model import Finding

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


@rule(
    "UNDO001",
    "undo-dominates-writes",
    needs=("undo.block_write_pct", WEIGHED),
    wants=("undo.tablespace_write_pct", "undo.buffer_wait_s", "undo.read_wait_s",
           "undo.buffer_wait_ms", "undo.read_ms", "checkpoint.buffer_wait_ms",
           "checkpoint.incomplete_wait_ms", "checkpoint.buffer_wait_s",
           "checkpoint.incomplete_wait_s", "undo.vector_bytes_per_s",
           "undo.io_rank", "undo.blocks_per_write"),
    thresholds=(DOMINANT_PCT,),
)  # fmt: skip
def undo_dominates_writes(f: Facts) -> Finding | None:
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
    share = f.number("undo.block_write_pct")
    if share < f.limit(DOMINANT_PCT):
        return None
    names = ("undo.buffer_wait_s", "undo.read_wait_s", "checkpoint.buffer_wait_s",
             "checkpoint.incomplete_wait_s")  # fmt: skip
    seconds, longest = f.total(*names), max(names, key=lambda name: f.get(name) or 0.0)
    weighed = f.weigh(*names, each_ms=f.get(_EACH[longest]))
    if not weighed.matters:
        return None
    dbwr = f.get("checkpoint.buffer_wait_s") or 0.0
    return f.finding(
        undo_dominates_writes,
        f"{share:.0f} % of the blocks that DBWR writes are undo",
        weighed,
        f.impact(seconds, "waits for undo blocks, free buffers and incomplete checkpoints"),
        f"Sessions waited {seconds:,.0f} s for undo blocks and for DBWR"
        + (f", {dbwr:,.0f} s of it for free buffers and writes." if dbwr >= 1 else "."),
        "undo.block_write_pct",
        "undo.tablespace_write_pct",
        "undo.io_rank",
        "undo.blocks_per_write",
        "undo.buffer_wait_s",
        "undo.read_wait_s",
        related=("CKPT005", "CKPT008", "CKPT010", "UNDO002", "UNDO003"),
    )


@rule(
    "UNDO002",
    "many-rollbacks",
    needs=("undo.rollbacks_per_1000_executes", "load.rollbacks_per_s",
           "undo.rollback_records_applied", "load.elapsed_s"),
    wants=("undo.block_write_pct", "undo.records_per_rollback", "undo.rollback_pct",
           "undo.tx_enqueue_wait_s"),
    thresholds=(ROLLBACKS, ROLLBACK_RATE, ROLLBACK_WORK),
)  # fmt: skip
def many_rollbacks(f: Facts) -> Finding | None:
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
    rate, per_second = (
        f.number("undo.rollbacks_per_1000_executes"),
        f.number("load.rollbacks_per_s"),
    )
    records = f.number("undo.rollback_records_applied")
    rollbacks = per_second * f.number("load.elapsed_s")
    if rate < f.limit(ROLLBACKS) or per_second < f.limit(ROLLBACK_RATE):
        return None
    if rollbacks <= 0 or records / rollbacks < f.limit(ROLLBACK_WORK):
        return None
    real = f.get("undo.records_per_rollback")
    each = records / rollbacks if real is None else real
    return f.finding(
        many_rollbacks,
        f"{rate:.2f} rollbacks per 1,000 executions, {per_second:,.1f} per second",
        "info",
        f.impact(None, "its cost is spread over redo, undo and CPU; no single wait shows it"),
        f"They applied {records:,.0f} undo records, {each:,.0f} per rollback with changes.",
        "undo.rollbacks_per_1000_executes",
        "load.rollbacks_per_s",
        "undo.rollback_records_applied",
        "undo.records_per_rollback",
        "undo.rollback_pct",
        waits=rollbacks,
        related=("UNDO001",),
    )


@rule(
    "UNDO003",
    "slow-undo-buffers",
    gate=("undo.buffer_wait_s",),
    needs=("undo.buffer_wait_ms", "undo.buffer_wait_s", WEIGHED),
    wants=("undo.read_ms", "undo.header_wait_s", "undo.block_wait_s", "undo.header_wait_ms",
           "undo.block_wait_ms", "undo.foreign_buffer_wait_pct"),
    thresholds=(BUFFER_WAIT_MS, FOREIGN_PCT),
)  # fmt: skip
def slow_undo_buffers(f: Facts) -> Finding | None:
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
    latency, seconds = f.number("undo.buffer_wait_ms"), f.number("undo.buffer_wait_s")
    weighed = f.weigh("undo.buffer_wait_s", each_ms=latency)
    slow = latency >= f.limit(BUFFER_WAIT_MS)
    if not weighed.matters or (not slow and weighed.severity == "info"):
        return None
    if not slow:  # contention of many, not a slow device
        weighed = weighed._replace(severity="info")
    return f.finding(
        slow_undo_buffers,
        f"Undo buffer waits average {ms_words(latency)}"
        if slow
        else f"Sessions waited {seconds:,.0f} s for undo buffers, {ms_words(latency)} each",
        weighed,
        f.impact(seconds, "buffer waits for undo blocks and headers"),
        f"{_which_buffers(f)}{_whose(f)}",
        "undo.buffer_wait_ms",
        "undo.buffer_wait_s",
        "undo.header_wait_ms",
        "undo.block_wait_ms",
        "undo.foreign_buffer_wait_pct",
        waits=seconds * 1000 / latency,
        related=("UNDO001",),
    )


def _whose(f: Facts) -> str:
    """That most waits are for undo of other instances: their transactions, and queries here."""
    share = f.get("undo.foreign_buffer_wait_pct")
    if share is None or share < f.limit(FOREIGN_PCT):
        return ""
    return (
        f" {share:.0f} % of the buffer waits of undo are for undo of other instances: queries read "
        "blocks that transactions there changed."
    )


def _which_buffers(f: Facts) -> str:
    """Starting and ending transactions contend for headers, reads and writes for blocks."""
    headers, blocks = f.get("undo.header_wait_s"), f.get("undo.block_wait_s")
    most = f.number("undo.buffer_wait_s") / 2
    if headers is None or blocks is None or headers + blocks < most:
        return "Sessions contend for undo blocks, or their reads and writes are slow."
    which = "segment headers" if headers >= blocks else "undo blocks"
    return f"Most waits are for {which}: {headers:,.0f} s for headers, {blocks:,.0f} s for blocks."


@rule(
    "UNDO004",
    "undo-too-small",
    needs=("undo.snapshot_too_old", "undo.out_of_space"),
    wants=("undo.max_query_s",),
)
def undo_too_small(f: Facts) -> Finding | None:
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
    old, full = f.number("undo.snapshot_too_old"), f.number("undo.out_of_space")
    if old + full <= 0:
        return None
    longest = f.get("undo.max_query_s")
    return f.finding(
        undo_too_small,
        f"{old:,.0f} queries failed with ORA-01555; {full:,.0f} transactions ran out of undo space",
        "critical" if full > 0 else "warning",
        f.impact(None, "errors, not waits"),
        f"The longest query ran {longest:,.0f} s."
        if longest
        else "Undo was overwritten too early.",
        "undo.snapshot_too_old",
        "undo.out_of_space",
        "undo.max_query_s",
    )
