"""Short titles of facts for people: ``redo.write_ms`` is the redo write time, in ms."""

from __future__ import annotations

from typing import Final

from awrlens.units import UNIT_SIGNS

_TITLES: Final = {
    "load.average_active_sessions": "Average active sessions",
    "load.db_time_s": "DB time",
    "load.transactions_per_s": "Transactions",
    "load.executes_per_s": "Executions",
    "load.physical_reads_per_s": "Physical reads",
    "load.physical_writes_per_s": "Physical writes",
    "redo.write_ms": "Redo write time",
    "redo.parallel_write_ms": "log file parallel write",
    "redo.sync_ms": "Commit time (log file sync)",
    "redo.sync_pct_db_time": "Commit waits in DB time",
    "redo.writes_per_s": "Redo writes",
    "redo.bytes_per_s": "Redo size",
    "redo.log_switches_per_hour": "Log switches",
    "temp.read_ms": "Temp read time",
    "temp.reads_per_s": "Temp reads",
    "temp.io_share_pct": "Temp in all I/O",
    "undo.read_ms": "Undo read time",
    "undo.block_write_pct": "Undo in DBWR's writes",
    "undo.rollbacks_per_1000_executes": "Rollbacks per 1,000 executions",
    "checkpoint.write_pct": "Checkpoints in DBWR's writes",
    "checkpoint.estimated_mttr_s": "Estimated recovery time",
    "checkpoint.data_write_ms": "db file parallel write",
    "host.load_per_cpu_end": "Load per CPU",
    "host.iowait_pct": "CPU waiting for I/O",
    "host.idle_pct": "Idle CPU",
}


def title(name: str) -> str:
    """The title of a fact; other facts keep their name in words."""
    family, _, rest = name.partition(".")
    return _TITLES.get(name) or f"{family} {rest}".replace("_", " ")


def with_unit(name: str, unit: str) -> str:
    """The title with the unit: ``Redo write time, ms``."""
    sign = UNIT_SIGNS.get(unit, unit)
    return f"{title(name)}, {sign}" if sign and unit != "ratio" else title(name)
