"""Undo: its writes and reads, its disks, its segments and retention, rollbacks, failed queries.

Source of the reasoning: Write Accelerator, "Undo Tablespace Writes", figures 15 to 21.
"""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING, Final

from awrlens.rules.base import Diagnosis, of, rule
from awrlens.units import first_of, ms_words

if TYPE_CHECKING:
    from awrlens.rules.base import Facts, Gate, Late, Number, Shown


#: The average of each wait that undo writes can cause.
_EACH: Final = {
    "undo.buffer_wait_s": "undo.buffer_wait_ms",
    "undo.read_wait_s": "undo.read_ms",
    "checkpoint.buffer_wait_s": "checkpoint.buffer_wait_ms",
    "checkpoint.incomplete_wait_s": "checkpoint.incomplete_wait_ms",
}


@rule("UNDO001", weighs=True, wants=(*_EACH, *_EACH.values()))
def undo_dominates_writes(
    f: Facts, undo_block_write_pct: float, _undo_tablespace_write_pct: Shown,
    _undo_io_rank: Shown, _undo_blocks_per_write: Shown,
    *, checkpoint_buffer_wait_s: float | None,
) -> Diagnosis | None:  # fmt: skip
    """Most blocks that DBWR writes are undo, and sessions wait for DBWR or for undo."""
    if undo_block_write_pct < f.limit("undo.dominant_write_pct"):
        return None
    waits = [name for name in _EACH if name != "undo.read_wait_s" or not _few_reads(f)]
    seconds, longest = f.total(*waits), max(waits, key=lambda name: f.get(name) or 0.0)
    dbwr = checkpoint_buffer_wait_s or 0.0
    return Diagnosis(
        f"{undo_block_write_pct:.0f} % of the blocks that DBWR writes are undo",
        f.weigh(*waits, each_ms=f.get(_EACH[longest])),
        f.impact(seconds, "waits for undo blocks, free buffers and incomplete checkpoints"),
        f"Sessions waited {seconds:,.0f} s for undo blocks and for DBWR"
        + (f", {dbwr:,.0f} s of it for free buffers and writes." if dbwr >= 1 else "."),
        also=("undo.buffer_wait_s", "undo.read_wait_s"),
        related=("CKPT005", "CKPT008", "CKPT010", "UNDO002", "UNDO003"),
    )


def _few_reads(f: Facts) -> bool:
    """Whether nobody may read undo: a checkpoint reads the header of every file, too."""
    seconds, ms = f.get("undo.read_wait_s") or 0.0, f.get("undo.read_ms") or 0.0
    return seconds * 1000 < ms * f.limit("confidence.few_waits")


def _few_rollbacks(f: Facts, undo_rollbacks_per_1000_executes: float | None) -> bool:
    return (undo_rollbacks_per_1000_executes or 0.0) < f.limit("undo.rollbacks_per_1000_executes")


@rule("UNDO002")
def many_rollbacks(
    f: Facts, undo_rollbacks_per_1000_executes: float, load_rollbacks_per_s: float,
    undo_rollback_records_applied: float, undo_records_per_rollback: Late,
    _undo_rollback_pct: Shown, *, load_elapsed_s: float,
    few: bool = of(_few_rollbacks, ends=bool),
) -> Diagnosis | None:  # fmt: skip
    """Transactions roll back often, with real changes."""
    rate, per_second = undo_rollbacks_per_1000_executes, load_rollbacks_per_s
    records, rollbacks = undo_rollback_records_applied, per_second * load_elapsed_s
    if per_second < f.limit("undo.rollbacks_per_s"):
        return None
    if rollbacks <= 0 or records / rollbacks < f.limit("undo.records_per_rollback"):
        return None
    real = undo_records_per_rollback()
    per_rollback = records / rollbacks if real is None else real
    return Diagnosis(
        f"{rate:.2f} rollbacks per 1,000 executions, {per_second:,.1f} per second",
        "info",
        f.impact(None, "its cost is spread over redo, undo and CPU; no single wait shows it"),
        f"They applied {records:,.0f} undo records, {per_rollback:,.0f} per rollback with changes.",
        waits=rollbacks,
        related=("UNDO001",),
    )


@rule("UNDO003")
def slow_undo_buffers(
    f: Facts, undo_buffer_wait_ms: float, undo_buffer_wait_s: Gate,
    _undo_header_wait_ms: Shown, _undo_block_wait_ms: Shown,
    undo_foreign_buffer_wait_pct: float | None,
    *, undo_header_wait_s: float | None, undo_block_wait_s: float | None,
    redo_gc_cr_flush_ms: float | None,
) -> Diagnosis | None:  # fmt: skip
    """Sessions wait long for buffers of undo blocks and headers."""
    latency, seconds = undo_buffer_wait_ms, undo_buffer_wait_s
    weighed = f.weigh(seconds, each_ms=latency)
    slow = latency >= f.limit("undo.buffer_wait_ms")
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
    share, flushed = undo_foreign_buffer_wait_pct, False
    if share is not None and share >= f.limit("undo.foreign_pct"):
        why += (
            f" {share:.0f} % of the buffer waits of undo are for undo of other instances: queries "
            "read blocks that transactions there changed."
        )
        flush = redo_gc_cr_flush_ms or 0.0
        flushed = flush >= latency
        if flushed:  # a consequence of slow log writes, which have a finding of their own
            weighed = weighed._replace(severity="info")
            why += (
                f" Before such a block is sent, its redo is flushed: this instance needs "
                f"{ms_words(flush)} for that. These waits end with slow log writes."
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
        also=("redo.gc_cr_flush_ms",) * flushed,
    )


@rule("UNDO004")
def undo_too_small(
    f: Facts, undo_snapshot_too_old: float, undo_out_of_space: float,
    undo_max_query_s: float | None, undo_retention_s: float | None,
    *, undo_min_tuned_retention_s: float | None,
) -> Diagnosis | None:  # fmt: skip
    """Queries or transactions failed because undo space was too small."""
    old, full, longest = undo_snapshot_too_old, undo_out_of_space, undo_max_query_s
    counts = (old, "queries failed with ORA-01555"), (full, "transactions ran out of undo space")
    failed = [f"{count:,.0f} {what}" for count, what in counts if count > 0]
    if not failed:
        return None
    ran = f"the longest query ran {longest:,.0f} s" if longest else ""
    kept = undo_retention_s if undo_min_tuned_retention_s is None else undo_min_tuned_retention_s
    short = old > 0 and (longest or 0.0) > (kept or inf)
    return Diagnosis(
        "; ".join(failed) + (f": {ran}, but undo was kept for {kept:,.0f} s" if short else ""),
        "critical" if full > 0 else "warning",
        f.impact(None, "errors, not waits"),
        first_of(
            (short, "A query needs the undo since its start."),
            (ran, f"T{ran[1:]}."),
            (True, "Undo was overwritten too early."),
        ),
    )


@rule("UNDO007")
def undo_read_from_disk(
    f: Facts, undo_read_wait_s: Gate, undo_read_ms: float | None,
    undo_consistent_read_records_applied: float | None,
    undo_transaction_table_records_applied: float | None,
    undo_rollback_records_applied: float | None,
) -> Diagnosis | None:  # fmt: skip
    """Sessions read undo back from disk, with a significant share of DB time."""
    if not undo_read_ms or _few_reads(f):
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
    """Sessions wait for calls to background processes."""
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
    return share is None or share < f.limit("undo.busy_share_pct")


@rule("UNDO010")
def slow_reads_beside_undo(
    f: Facts, _undo_shared_places: tuple[str, ...], undo_neighbour_read_ms: float | None,
    undo_elsewhere_read_ms: float | None,
    *, undo_shared_place_write_pct: float | None, undo_neighbour_wait_s: Number | None,
    _load_data_read_wait_s: Gate | None, little: bool = of(_little_undo, ends=bool),
) -> Diagnosis | None:  # fmt: skip
    """Data files on the disks of busy undo files are slow, and sessions wait for them."""
    elsewhere = undo_elsewhere_read_ms
    if undo_neighbour_read_ms is None or undo_neighbour_read_ms < f.limit("undo.poisoned_read_ms"):
        return None  # no data file there, or none that sessions read
    ratio = f.limit("undo.poisoned_ratio")
    if elsewhere is not None and undo_neighbour_read_ms < elsewhere * ratio:
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


@rule("UNDO005")
def undo_segment_waits(
    f: Facts, undo_us_enqueue_wait_s: Gate, undo_segment_growth_wait_s: Gate,
    *, undo_us_enqueue_wait_ms: float | None,
) -> Diagnosis | None:  # fmt: skip
    """Sessions wait for undo segments to be brought online or to grow."""
    enqueue, growth = undo_us_enqueue_wait_s, undo_segment_growth_wait_s
    # the enqueue's average does not apply to the others
    enqueue_ms = undo_us_enqueue_wait_ms if enqueue > growth else None
    seconds = enqueue + growth
    return Diagnosis(
        f"Sessions waited {seconds:,.0f} s for undo segments",
        f.weigh(enqueue, growth, each_ms=enqueue_ms),
        f.impact(seconds, "US enqueues and undo segment events"),
        f"{enqueue:,.0f} s to bring segments online, {growth:,.0f} s for their growth.",
        related=("UNDO003",),
    )


@rule("UNDO006", needs=("undo.management",))
def few_rollback_segments(
    f: Facts, undo_rollback_segment_wait_pct: float | None, undo_header_wait_s: Gate,
    undo_rollback_segments: float | None,
    *, undo_management: str, undo_header_wait_ms: float | None,
) -> Diagnosis | None:  # fmt: skip
    """Transactions share too few rollback segments and wait for their headers."""
    share, count = undo_rollback_segment_wait_pct, undo_rollback_segments
    if undo_management != "manual" or share is None or share < f.limit("undo.segment_wait_pct"):
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


@rule("UNDO008", needs=("undo.unexpired_steals", "undo.snapshot_too_old", "undo.out_of_space"))
def unexpired_undo_taken(
    f: Facts, undo_unexpired_steals: float, undo_max_query_s: float,
    undo_min_tuned_retention_s: Late, undo_retention_s: Late,
    *, undo_snapshot_too_old: float, undo_out_of_space: float,
) -> Diagnosis | None:  # fmt: skip
    """Undo was overwritten before it expired, and a query ran longer than the undo retention."""
    taken, longest = undo_unexpired_steals, undo_max_query_s
    if taken <= 0 or undo_snapshot_too_old > 0 or undo_out_of_space > 0:
        return None
    tuned = undo_min_tuned_retention_s()
    kept = undo_retention_s() if tuned is None else tuned
    if kept is None or kept >= longest * f.limit("undo.kept_for_query_ratio"):
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
    """Processes that roll back a dead transaction wait for each other."""
    seconds = undo_parallel_rollback_wait_s
    weighed = f.weigh(seconds).at_most_a_warning
    return Diagnosis(
        f"A dead transaction's rollback waited {seconds:,.0f} s",
        weighed._replace(weight=weighed.weight._replace(share_pct=None)),
        f.impact(seconds, "waits of recovery slaves, not of users")._replace(pct_db_time=None),
        "Its session was killed, or its instance crashed; SMON's parallel slaves waited.",
        related=("UNDO002",),
    )


@rule("UNDO012")
def file_header_waits(
    f: Facts, undo_file_header_wait_s: Gate, undo_file_extensions: float | None,
    undo_file_header_wait_ms: float | None, _undo_hw_enqueue_wait_s: Shown,
) -> Diagnosis | None:  # fmt: skip
    """Sessions wait for file headers while files grow, often those of undo."""
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


#: Larger counts are given in millions.
_MILLIONS: Final = 10_000_000


@rule("UNDO013", since="1.0")
def undo_takes_cpu(
    f: Facts, undo_applied_read_pct: float, undo_apply_cpu_s: float,
    undo_consistent_read_records_applied: float, undo_rollback_records_applied: float,
    undo_records_per_cr_block: float | None, undo_max_query_s: float | None,
) -> Diagnosis | None:  # fmt: skip
    """Applying undo takes a significant part of CPU."""
    few = undo_applied_read_pct < f.limit("undo.applied_read_pct")
    if few or not f.scale.significant(undo_apply_cpu_s):
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
        f"{'queries' if queries else 'rollbacks'}: {undo_applied_read_pct:.1f} % of logical reads",
        "info",
        f.impact(undo_apply_cpu_s, "CPU time in proportion to logical reads"),
        f"{why}. Faster disks do not reduce it: the undo is in memory.",
        related=("UNDO002", "UNDO007"),
    )


@rule("UNDO014", since="1.0", needs=("undo.retention_cuts|undo.snapshot_too_old",))
def undo_space_pressure(
    f: Facts, undo_retention_cuts: float | None, undo_useless_cuts: float | None,
    undo_file_extensions: float | None, undo_retention_s: float | None,
) -> Diagnosis | None:  # fmt: skip
    """Undo space ran short, so that undo was kept for a shorter time than was set."""
    useless, grown = undo_useless_cuts or 0.0, undo_file_extensions or 0.0
    if not undo_retention_cuts:
        return None
    asked = f" (UNDO_RETENTION is {undo_retention_s:,.0f} s)" if undo_retention_s else ""
    in_vain = f"; in {useless:,.0f} cases this freed no space" if useless else ""
    files = f" Files of undo were extended {grown:,.0f} times." if grown else ""
    return Diagnosis(
        f"Undo space ran short: retention cut {undo_retention_cuts:,.0f} times",
        "warning" if useless else "info",
        f.impact(None, "a risk of errors, not waits"),
        f"Unexpired undo was given up{asked}{in_vain}. Long queries can fail with ORA-01555, "
        f"transactions with ORA-30036 where files cannot grow.{files}",
        related=("UNDO005", "UNDO012"),
    )
