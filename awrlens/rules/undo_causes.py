"""Undo: its reads, the data files on the same disks, and calls to background processes.

Source of the reasoning: Write Accelerator, "Undo Tablespace Writes", figures 16 to 21.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.policy import Threshold
from awrlens.rules.base import WEIGHED, Facts, rule
from awrlens.rules.doubts import FEW_WAITS
from awrlens.units import ms_words

if TYPE_CHECKING:
    from awrlens.model import Finding

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

THRESHOLDS: Final = (BUSY_SHARE_PCT, POISONED_MS, POISONED_RATIO)


@rule(
    "UNDO007",
    "undo-read-from-disk",
    gate=("undo.read_wait_s",),
    needs=("undo.read_wait_s", WEIGHED),
    wants=("undo.read_ms", "undo.consistent_read_records_applied", "undo.rollback_records_applied",
           "undo.transaction_table_records_applied"),
)  # fmt: skip
def undo_read_from_disk(f: Facts) -> Finding | None:
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
    seconds, latency = f.number("undo.read_wait_s"), f.get("undo.read_ms")
    weighed = f.weigh("undo.read_wait_s", each_ms=latency)
    # a checkpoint reads and writes the header of every file, also where nobody reads undo
    if not latency or not weighed.matters or seconds * 1000 / latency < f.limit(FEW_WAITS):
        return None
    queries = (f.get("undo.consistent_read_records_applied") or 0.0) + (
        f.get("undo.transaction_table_records_applied") or 0.0
    )
    rollbacks = f.get("undo.rollback_records_applied") or 0.0
    more = "queries" if queries >= rollbacks else "rollbacks"
    return f.finding(
        undo_read_from_disk,
        f"Undo reads took {seconds:,.0f} s, {ms_words(latency)} per read",
        weighed,
        f.impact(seconds, "reads of undo tablespaces × their average"),
        f"Most undo records were applied for {more}: {queries:,.0f} for queries, {rollbacks:,.0f} "
        "for rollbacks."
        if queries + rollbacks
        else "The undo was no longer in the buffer cache.",
        "undo.read_wait_s",
        "undo.read_ms",
        "undo.consistent_read_records_applied",
        "undo.transaction_table_records_applied",
        "undo.rollback_records_applied",
        waits=seconds * 1000 / latency,
        related=("UNDO001", "UNDO002"),
    )


@rule(
    "UNDO009",
    "cross-process-call-waits",
    gate=("undo.ci_enqueue_wait_s",),
    needs=("undo.ci_enqueue_wait_s", WEIGHED),
    wants=("undo.ci_enqueue_wait_ms",),
)
def cross_process_call_waits(f: Facts) -> Finding | None:
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
    seconds, each = f.number("undo.ci_enqueue_wait_s"), f.get("undo.ci_enqueue_wait_ms")
    weighed = f.weigh("undo.ci_enqueue_wait_s", each_ms=each)
    if not weighed.matters:
        return None
    return f.finding(
        cross_process_call_waits,
        f"Sessions waited {seconds:,.0f} s for calls to background processes",
        weighed,
        f.impact(seconds, "CI enqueues"),
        "Background processes execute these calls one at a time.",
        "undo.ci_enqueue_wait_s",
        related=("CKPT009",),
    )


@rule(
    "UNDO010",
    "slow-reads-beside-undo",
    gate=("load.data_read_wait_s",),
    needs=("undo.shared_places", WEIGHED),
    wants=("undo.shared_place_write_pct", "undo.neighbour_read_ms", "undo.neighbour_wait_s",
           "undo.elsewhere_read_ms", "load.data_read_wait_s"),
    thresholds=(BUSY_SHARE_PCT, POISONED_MS, POISONED_RATIO),
)  # fmt: skip
def slow_reads_beside_undo(f: Facts) -> Finding | None:
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
    share = f.get("undo.shared_place_write_pct")
    if share is None or share < f.limit(BUSY_SHARE_PCT):
        return None
    read, elsewhere = f.get("undo.neighbour_read_ms"), f.get("undo.elsewhere_read_ms")
    if read is None or read < f.limit(POISONED_MS):
        return None  # no data file there, or none that sessions read
    if elsewhere is not None and read < elsewhere * f.limit(POISONED_RATIO):
        return None
    weighed = f.weigh("undo.neighbour_wait_s", each_ms=read)
    if not weighed.matters:
        return None
    than = "" if elsewhere is None else f", {ms_words(elsewhere)} on other disks"
    return f.finding(
        slow_reads_beside_undo,
        f"Data file reads take {ms_words(read)} on the disks of undo{than}",
        weighed._replace(severity="info" if weighed.severity == "info" else "warning"),
        f.impact(
            f.get("undo.neighbour_wait_s"),
            "waits for data reads, times the share of reads on the disks of undo",
        ),
        f"Undo is {share:.0f} % of the writes there.",
        "undo.shared_places",
        "undo.neighbour_read_ms",
        "undo.elsewhere_read_ms",
        related=("UNDO001",),
    )
