"""Undo: its reads, its neighbours on disk, and calls to other processes.

Source of the reasoning: document 3, "Undo Tablespace Writes", figures 16 to 21.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.policy import Threshold
from awrlens.rules.base import WEIGHED, Facts, rule

if TYPE_CHECKING:
    from awrlens.model import Finding

BUSY_SHARE_PCT: Final = Threshold(
    "undo.busy_share_pct", 50.0, "%",
    "share of undo in the writes to a place from which it is what the place is busy with",
    "document 3, figure 17 (34,298 of 55,035 writes: 62 %)",
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
    """Undo is read back from disk, and that takes a share of DB time.

    What it tells you:
        Undo left the buffer cache before a rollback or a query asked for it.
    Why it matters:
        These are single-block reads, one after the other.
    How it is computed:
        Reads of undo tablespaces × their average; undo records applied by consistent reads and by
        rollbacks tell who asked.
    Example:
        With `undo.read_wait_s` = 600.0, `load.response_s` = 9000.0, `undo.read_ms` = 28.6,
        `undo.consistent_read_records_applied` = 65299.0, `undo.rollback_records_applied` = 708.0:
        warning, "Reading undo takes 600 s, 28.6 ms for each read".
    Threshold:
        What the waits weigh: how many sessions wait, and how long each wait takes.
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
    seconds, latency = f.number("undo.read_wait_s"), f.get("undo.read_ms")
    weighed = f.weigh("undo.read_wait_s", each_ms=latency)
    if not latency or not weighed.matters:
        return None
    queries = (f.get("undo.consistent_read_records_applied") or 0.0) + (
        f.get("undo.transaction_table_records_applied") or 0.0
    )
    rollbacks = f.get("undo.rollback_records_applied") or 0.0
    more = "Queries" if queries >= rollbacks else "Rollbacks"
    said = f"{more} need most of it: {queries:,.0f} records for queries, {rollbacks:,.0f} rolled"
    return f.finding(
        undo_read_from_disk,
        f"Reading undo takes {seconds:,.0f} s, {latency:,.1f} ms for each read",
        weighed,
        f.impact(seconds, "reads of undo tablespaces × their average"),
        f"{said} back." if queries + rollbacks else "Undo had left the buffer cache.",
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
    """Sessions wait until other processes have done what they were asked for.

    What it tells you:
        Calls to background processes queue up (enqueue CI): checkpoints of objects, switches of
        undo tablespaces and the like, one at a time.
    Why it matters:
        What calls here waits for DBWR's and SMON's queue, whatever fills it: undo, too.
    How it is computed:
        `enq: CI - contention`; Enqueue Activity before 10g.
    Example:
        With `undo.ci_enqueue_wait_s` = 1500.0, `load.response_s` = 60000.0: warning, "Sessions
        waited 1,500 s for calls to other processes".
    Threshold:
        What the waits weigh: how many sessions wait, and how long each wait takes.
    What to do:
        Fewer truncates and drops of tables just filled; less undo for DBWR to write.
    How to verify:
        The event leaves the list.
    When it is wrong:
        A single TRUNCATE of a large table within a batch that nobody waits for.
    Sources:
        document 3, "Undo Tablespace Writes", figure 20 (enqueues under high undo load); Oracle
        Database Reference, enqueue CI (cross-instance call invocation).
    """
    seconds, each = f.number("undo.ci_enqueue_wait_s"), f.get("undo.ci_enqueue_wait_ms")
    weighed = f.weigh("undo.ci_enqueue_wait_s", each_ms=each)
    if not weighed.matters:
        return None
    return f.finding(
        cross_process_call_waits,
        f"Sessions waited {seconds:,.0f} s for calls to other processes",
        weighed,
        f.impact(seconds, "CI enqueues"),
        "What they asked for is done one at a time.",
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
    """Data files beside busy undo files answer slowly, and sessions wait for them.

    What it tells you:
        Undo is most of the writing to the disks that these data files share with it.
    Why it matters:
        Reads queue behind the writes: document 3 calls it poisoning.
    How it is computed:
        File IO Stats by disk group, directory or drive: undo's share of the writes, read time of
        data files there and elsewhere, weighted by reads; the seconds are those that sessions
        waited for data reads, in the share of reads beside undo.
    Example:
        With `undo.shared_places` = ["+DATA2"], `load.response_s` = 29659.0,
        `load.data_read_wait_s` = 3100.0,
        `undo.shared_place_write_pct` = 62.3, `undo.neighbour_read_ms` = 500.0,
        `undo.neighbour_wait_s` = 3000.0: warning, "Reads of data files beside undo take 500.0
        ms".
    Threshold:
        undo.busy_share_pct (50 %), undo.poisoned_read_ms (32 ms), undo.poisoned_ratio (2) where
        data files are elsewhere too, and what the waits weigh; a warning at most.
    What to do:
        Less undo first (rollbacks, units of work), then undo on disks of its own.
    How to verify:
        `Av Rd(ms)` of the data files falls when undo is moved.
    When it is wrong:
        Large asynchronous reads are slow by themselves: in figure 17 two files take 4,042 to 4,076
        ms a read, but sessions waited 4 s for direct path reads (figure 13).
    Sources:
        document 3, figures 13, 17 and 18.
    """
    share, beside = f.get("undo.shared_place_write_pct"), f.get("undo.neighbour_read_ms")
    seconds, elsewhere = f.get("undo.neighbour_wait_s"), f.get("undo.elsewhere_read_ms")
    if share is None or beside is None:
        return None  # no data file beside them, or none that is read
    weighed = f.weigh("undo.neighbour_wait_s", each_ms=beside)
    if share < f.limit(BUSY_SHARE_PCT) or beside < f.limit(POISONED_MS) or not weighed.matters:
        return None
    if elsewhere is not None and beside < elsewhere * f.limit(POISONED_RATIO):
        return None
    than = "" if elsewhere is None else f", {elsewhere:,.1f} ms on other disks"
    return f.finding(
        slow_reads_beside_undo,
        f"Reads of data files beside undo take {beside:,.1f} ms{than}",
        weighed._replace(severity="info" if weighed.severity == "info" else "warning"),
        f.impact(seconds, "waits for data reads, in the share of those beside undo"),
        f"Undo is {share:.0f} % of the writes there.",
        "undo.shared_places",
        "undo.neighbour_read_ms",
        "undo.elsewhere_read_ms",
        related=("UNDO001",),
    )
