"""The scripts for SQL Server, of which the one that sets the target recovery time has options."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from awrlens.scripts import NOTHING, Script

_FILE: Final = Path(__file__).with_name("target_recovery_time.sql")
#: The default in a database created before SQL Server 2016.
AUTOMATIC_S: Final = 0
#: # Indirect Checkpoints: from 0 (the old default) to 60 seconds (the new default)
INDIRECT_S: Final = 60

SCRIPTS: Final = (
    Script(
        "target-recovery-time", "SQL Server",
        "indirect checkpoints for user databases, with guards and rollback",
        "ALTER on the databases",
        "TARGET_RECOVERY_TIME, after @apply is set to 1",
        "awrlens sqlserver compare before.csv after.csv", "sqlserver/target_recovery_time.sql",
        command="awrlens.sqlserver.command:target_recovery_time",
    ),
    Script(
        "target-recovery-check", "SQL Server",
        "new and restored databases without the target, also as a job that fails",
        "VIEW ANY DEFINITION, SELECT on msdb.dbo.restorehistory", NOTHING, "",
        "sqlserver/target_recovery_check.sql",
    ),
    Script(
        "checkpoint-inventory", "SQL Server",
        "the number of databases with automatic checkpoints and the version, over all instances",
        "VIEW SERVER STATE, VIEW ANY DEFINITION, SELECT on msdb.dbo.restorehistory", NOTHING, "",
        "sqlserver/checkpoint_inventory.sql",
    ),
    Script(
        "checkpoint-events", "SQL Server", "an Extended Events session that records checkpoints",
        "ALTER ANY EVENT SESSION",
        "creates and starts the session CheckpointTracking, after @apply is set to 1",
        "awrlens sql checkpoint-read", "sqlserver/checkpoint_events.sql",
    ),
    Script(
        "checkpoint-read", "SQL Server", "the recorded checkpoints, to save as CSV",
        "VIEW SERVER STATE", NOTHING, "awrlens sqlserver compare checkpoints.csv --changed TIME",
        "sqlserver/checkpoint_read.sql",
    ),
)  # fmt: skip


def target_recovery_time(seconds: int = INDIRECT_S, database: str | None = None) -> str:
    """The script for a target, for all databases or for one."""
    text = _FILE.read_text(encoding="utf-8")
    text = text.replace("@seconds int = 60;", f"@seconds int = {seconds:d};")
    if database is not None:
        text = text.replace(
            "@only nvarchar(128) = NULL;", f"@only nvarchar(128) = {literal(database)};"
        )
    return text


def literal(text: str) -> str:
    """A text as a T-SQL literal, with quotes escaped."""
    return "N'" + text.replace("'", "''") + "'"


def quoted(name: str) -> str:
    """A name quoted as by QUOTENAME."""
    return "[" + name.replace("]", "]]") + "]"


def alter(name: str, seconds: int) -> str:
    """The command for one database."""
    return f"ALTER DATABASE {quoted(name)} SET TARGET_RECOVERY_TIME = {seconds:d} SECONDS;"
