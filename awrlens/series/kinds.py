"""The kind of every fact, and whether higher or lower is better.

A total grows with the interval and is divided by time, transactions or executes. A rate is a load,
neither good nor bad. Levels (latencies, shares, sizes, estimates) and settings are compared as they
are; any difference of a setting counts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

if TYPE_CHECKING:
    from awrlens.contrast import Movement

Kind = Literal["total", "rate", "level", "setting", "none"]

#: Facts that add up over the interval, in addition to waits (``…_wait_s``, ``redo.commit_…_s``).
TOTALS: Final = frozenset({
    "redo.space_requests", "redo.write_count", "redo.sync_count", "redo.commit_waits",
    "redo.log_switch_waits", "redo.log_switch_stalls", "redo.broadcast_ack_s",
    "checkpoint.incomplete_waits", "temp.reads", "temp.writes", "temp.sorts_disk", "temp.direct_mb",
    "pga.onepass", "pga.multipass", "pga.extra_mb", "pga.remaining_extra_mb",
    "undo.tablespace_writes", "undo.rollback_records_applied",
    "undo.consistent_read_records_applied", "undo.transaction_table_records_applied",
    "undo.rollback_segment_extends", "undo.rollback_segment_shrinks", "undo.snapshot_too_old",
    "undo.out_of_space", "undo.unexpired_steals", "undo.expired_steals",
    "checkpoint.thread_buffers", "checkpoint.started", "checkpoint.completed",
    "load.db_time_s", "load.response_s", "load.db_cpu_s",
})  # fmt: skip
#: Counts, seconds and megabytes that do not add up: sizes, estimates at a snapshot.
LEVELS: Final = frozenset({
    "redo.log_mb", "redo.other_logs_mb", "redo.mb_per_switch",
    "undo.records_per_rollback",
    "pga.over_allocations", "pga.largest_spill_mb", "pga.recommended_target_mb",
    "pga.allocated_mb", "pga.work_area_bound_mb", "pga.work_area_bound_begin_mb",
    "undo.rollback_segments", "undo.max_query_s",
    "undo.min_tuned_retention_s", "undo.needed_mb", "checkpoint.target_mttr_s",
    "checkpoint.estimated_mttr_s", "checkpoint.estimated_ios", "checkpoint.actual_redo_blocks",
    "checkpoint.target_redo_blocks", "checkpoint.log_size_redo_blocks",
    "checkpoint.timeout_redo_blocks", "checkpoint.interval_redo_blocks",
    "checkpoint.optimal_log_mb", "checkpoint.rac_available_s", "checkpoint.lowest_mttr_s",
    "checkpoint.datafiles", "checkpoint.estimated_mttr_low_s", "checkpoint.estimated_mttr_high_s",
    "checkpoint.fixed_mttr_s", "checkpoint.advised_now_s", "load.sessions",
    "load.buffer_cache_mb", "load.instances",
})  # fmt: skip
#: Settings: any difference counts.
SETTINGS: Final = frozenset({
    "redo.members",
    "pga.target_mb", "pga.host_memory_mb", "pga.sort_area_size_b", "pga.hash_area_size_b",
    "pga.bitmap_merge_area_size_b", "pga.create_bitmap_area_size_b", "undo.expected_segments",
    "undo.retention_s", "checkpoint.fast_start_mttr_target_s",
    "checkpoint.log_checkpoint_timeout_s", "checkpoint.log_checkpoint_interval",
    "checkpoint.fast_start_io_target", "checkpoint.db_block_max_dirty_target",
})  # fmt: skip
#: Not compared: the divisor, and ranks, because shares say more.
_LEFT_OUT: Final = frozenset({"load.elapsed_s", "temp.io_rank", "undo.io_rank"})
#: Levels and totals that are better when lower, in addition to waits and latencies.
_LOWER: Final = frozenset({
    "pga.onepass", "pga.multipass", "pga.over_allocations", "undo.snapshot_too_old",
    "undo.out_of_space", "undo.unexpired_steals", "undo.rollbacks_per_1000_executes",
    "undo.rollback_pct", "load.db_time_s", "load.response_s",
    "redo.lgwr_busy_pct", "redo.sync_pct_db_time", "redo.log_switches_per_hour",
})  # fmt: skip
#: Facts that are better when higher.
_HIGHER: Final = frozenset({"pga.optimal_pct"})

_RATES: Final = frozenset({"1/s", "B/s", "MB/s"})
_WAIT: Final = "_wait_s"
_COMMIT: Final = "redo.commit_"
_TAIL: Final = "ms_pct"  # the share of operations slower than a bound


def kind(name: str, unit: str) -> Kind:
    """The kind of a fact; ``none`` if it is not compared."""
    if name in _LEFT_OUT:
        return "none"
    if name in TOTALS or name.endswith(_WAIT) or (name.startswith(_COMMIT) and unit == "s"):
        return "total"
    if name in SETTINGS:
        return "setting"
    return "rate" if unit in _RATES else "level"


def judged(name: str, unit: str, *, rose: bool) -> Movement:
    """Whether a change is better, worse, or neutral."""
    if name in _HIGHER:
        return "better" if rose else "worse"
    latency = unit == "ms"
    if latency or name in _LOWER or name.endswith((_WAIT, _TAIL)) or name.startswith(_COMMIT):
        return "worse" if rose else "better"
    return "changed"
