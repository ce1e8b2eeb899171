"""The script for SQL Server that sets the target recovery time, and commands for one database."""

from __future__ import annotations

from typing import Final

from awrlens.lazy import beside

#: The default in a database created before SQL Server 2016.
AUTOMATIC_S: Final = 0
#: # Indirect Checkpoints: from 0 (the old default) to 60 seconds (the new default)
INDIRECT_S: Final = 60


def target_recovery_time(seconds: int = INDIRECT_S, database: str | None = None) -> str:
    """The script for a target, for all databases or for one."""
    text = beside(__file__, "target_recovery_time.sql")
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
