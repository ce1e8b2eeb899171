"""Which facts a trend shows unless told otherwise, and in which direction each one hurts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from awrlens.trends import Bad

#: The story of the write path: redo, temp, undo, recovery, load, host.
DEFAULT: Final = (
    "load.average_active_sessions", "redo.write_ms", "redo.parallel_write_ms", "redo.sync_ms",
    "redo.sync_pct_db_time", "redo.writes_per_s", "redo.bytes_per_s",
    "redo.log_switches_per_hour", "temp.read_ms", "temp.reads_per_s", "temp.io_share_pct",
    "undo.read_ms", "undo.block_write_pct", "undo.rollbacks_per_1000_executes",
    "checkpoint.write_pct", "checkpoint.estimated_mttr_s", "checkpoint.data_write_ms",
    "load.transactions_per_s", "load.executes_per_s", "load.physical_writes_per_s",
    "load.physical_reads_per_s", "host.load_per_cpu_end", "host.iowait_pct", "host.idle_pct",
)  # fmt: skip

#: How facts begin that a family of rules is about.
FAMILIES: Final = {
    "REDO": "redo", "TEMP": "temp", "UNDO": "undo", "CKPT": "checkpoint", "RECO": "checkpoint",
    "INTG": "integrity",
}  # fmt: skip

#: Facts that count or add up something, yet not over the interval: largest values, ranks, states.
_NO_TOTALS: Final = frozenset({
    "temp.io_rank", "undo.io_rank", "undo.records_per_rollback", "undo.rollback_segments",
    "undo.max_query_s", "undo.min_tuned_retention_s", "checkpoint.datafiles",
})  # fmt: skip

_LOW_IS_BAD: Final = frozenset({"host.idle_pct", "pga.optimal_pct", "redo.minutes_per_switch"})
#: Beside latencies and waits, which hurt by their nature.
_HIGH_IS_BAD: Final = frozenset({
    "load.average_active_sessions", "redo.sync_pct_db_time", "redo.log_switches_per_hour",
    "redo.wastage_pct", "redo.lgwr_busy_pct", "redo.sync_to_write_ratio", "redo.space_requests",
    "temp.io_share_pct", "temp.read_time_share_pct", "temp.sorts_disk", "temp.sorts_disk_pct",
    "pga.onepass", "pga.multipass", "pga.over_allocations", "pga.temp_share_pct",
    "undo.block_write_pct", "undo.rollbacks_per_1000_executes", "undo.rollback_pct",
    "undo.snapshot_too_old", "undo.out_of_space", "undo.unexpired_steals",
    "checkpoint.write_pct", "checkpoint.estimated_mttr_s", "checkpoint.rac_available_s",
    "host.load_per_cpu_begin", "host.load_per_cpu_end", "host.iowait_pct",
    "load.rollbacks_per_s",
})  # fmt: skip


def is_total(name: str, unit: str, *, state: bool) -> bool:
    """Whether a fact adds up over the interval; ``state``: it is read at a snapshot."""
    return unit in ("count", "s") and not state and name not in _NO_TOTALS


def bad_direction(name: str, unit: str) -> Bad:
    """In which direction a fact hurts; more load is no harm by itself."""
    if name in _LOW_IS_BAD:
        return "low"
    slower = name.endswith("ms_pct")  # the share of waits beyond a bound
    return "high" if unit == "ms" or slower or "wait" in name or name in _HIGH_IS_BAD else "neither"
