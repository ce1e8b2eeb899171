"""The facts that a trend shows by default."""

from __future__ import annotations

from typing import Final

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
