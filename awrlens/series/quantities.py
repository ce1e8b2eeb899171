"""The facts that a trend shows by default, and the direction in which every fact is bad."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.series.kinds import judged, kind

if TYPE_CHECKING:
    from awrlens.trends import Bad

#: The write path: redo, temp, undo, recovery, load, host.
DEFAULT: Final = (
    "load.average_active_sessions", "redo.write_ms", "redo.parallel_write_ms", "redo.sync_ms",
    "redo.sync_pct_db_time", "redo.writes_per_s", "redo.bytes_per_s",
    "redo.log_switches_per_hour", "temp.read_ms", "temp.reads_per_s", "temp.io_share_pct",
    "undo.read_ms", "undo.block_write_pct", "undo.rollbacks_per_1000_executes",
    "checkpoint.write_pct", "checkpoint.estimated_mttr_s", "checkpoint.data_write_ms",
    "load.transactions_per_s", "load.executes_per_s", "load.physical_writes_per_s",
    "load.physical_reads_per_s", "host.load_per_cpu_end", "host.iowait_pct", "host.idle_pct",
)  # fmt: skip

#: Families of rules, and the prefix of their facts.
FAMILIES: Final = {
    "REDO": "redo", "TEMP": "temp", "UNDO": "undo", "CKPT": "checkpoint", "RECO": "checkpoint",
    "INTG": "integrity",
}  # fmt: skip

_LOW_IS_BAD: Final = frozenset({"host.idle_pct", "redo.minutes_per_switch"})
#: In addition to facts that are worse when higher in a comparison: shares and states. Between two
#: systems they only show a different mix; above the usual value of one system they are bad.
_HIGH_IS_BAD: Final = frozenset({
    "load.average_active_sessions", "load.rollbacks_per_s", "redo.space_requests",
    "redo.sync_to_write_ratio", "temp.io_share_pct", "temp.read_time_share_pct",
    "temp.sorts_disk", "temp.sorts_disk_pct", "pga.temp_share_pct", "undo.block_write_pct",
    "checkpoint.write_pct", "checkpoint.estimated_mttr_s", "checkpoint.rac_available_s",
    "host.load_per_cpu_begin", "host.load_per_cpu_end", "host.iowait_pct",
})  # fmt: skip


def is_total(name: str, unit: str) -> bool:
    """Whether a fact adds up over the interval, so that a longer interval has more of it."""
    return kind(name, unit) == "total"


def bad_direction(name: str, unit: str) -> Bad:
    """The direction in which a fact is bad; more load is not bad in itself."""
    movement = judged(name, unit, rose=True)
    if movement == "worse" or name in _HIGH_IS_BAD:
        return "high"
    return "low" if movement == "better" or name in _LOW_IS_BAD else "neither"
