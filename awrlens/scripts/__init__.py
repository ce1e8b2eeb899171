"""Scripts for the DBA to review and run: what each does, needs and changes; awrlens prints them.

Oracle's scripts take their settings from DEFINE statements at their beginning. A script that
changes data does nothing until the variable named there confirms it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final, Literal

from awrlens.records import NamedTuple

_PACKAGE: Final = Path(__file__).parent.parent


class Script(NamedTuple):
    """One script: its file in the package, and what to know before it is run."""

    name: str
    engine: Literal["Oracle", "SQL Server"]
    purpose: str
    needs: str
    changes: str
    #: The awrlens command that reads its output.
    reader: str
    file: str
    #: The first release of Oracle that can run it (``awrlens.advice.features.SINCE``).
    since: str = ""

    @property
    def requirements(self) -> str:
        """The release and the privileges."""
        return f"{self.engine} {self.since} or later; {self.needs}" if self.since else self.needs

    @property
    def read_only(self) -> bool:
        """Whether it changes nothing in the database."""
        return self.changes == NOTHING

    def text(self) -> str:
        """The script as it is printed."""
        return (_PACKAGE / self.file).read_text(encoding="utf-8")


NOTHING: Final = "nothing"

#: In the order of the list that `awrlens sql` prints.
SCRIPTS: Final = (
    Script(
        "recovery", "Oracle", "spool recovery estimates and settings",
        "SYS for X$ESTIMATED_MTTR, SELECT on V$ views for the rest", NOTHING,
        "awrlens mttr --from awrlens_recovery.lst --desired-mttr 120", "lab/recovery.sql",
        "9.0",
    ),
    Script(
        "redo-placement", "Oracle",
        "the run queue, redo logs on devices of their own, the process of LGWR",
        "SELECT on V$ views", NOTHING, "", "scripts/redo_placement.sql", "9.0",
    ),
    Script(
        "io-timing", "Oracle", "reads and writes of every file over minutes, with their times",
        "SELECT on V$ views, DBA_DATA_FILES and DBA_TEMP_FILES; TIMED_STATISTICS", NOTHING,
        "awrlens facts awrlens_io_timing.lst undo", "scripts/io_timing.sql", "10.2",
    ),
    Script(
        "force-redo", "Oracle", "force redo writes on a test system, to compare devices",
        "CREATE TABLE, SELECT on V$SYSSTAT and a large table",
        "creates and drops the table awrlens_redo, writes redo; after confirm is set to YES",
        "awrlens compare BEFORE AFTER", "scripts/force_redo.sql", "9.2",
    ),
    Script(
        "force-undo", "Oracle", "force undo writes on a test system, to compare devices",
        "CREATE TABLE, SELECT on V$SYSSTAT and a large table",
        "creates and drops the table awrlens_undo, writes undo; after confirm is set to YES",
        "awrlens compare BEFORE AFTER", "scripts/force_undo.sql", "9.2",
    ),
    Script(
        "statement-mix", "Oracle", "the mix of SQL by elapsed time, for the cost of block checking",
        "SELECT on V$SQL", NOTHING,
        "awrlens integrity --mix select=52,insert=31,update=5,delete=12",
        "scripts/statement_mix.sql", "9.0",
    ),
    Script(
        "block-checking", "Oracle", "measure the cost of block checking and checksums on a clone",
        "ALTER SYSTEM, CREATE TABLE, SELECT on V$PARAMETER",
        "creates and drops tables, sets DB_BLOCK_CHECKSUM and DB_BLOCK_CHECKING in memory; after "
        "clone_name is set to the name of the clone",
        "awrlens integrity --measured awrlens_block_checking.lst", "scripts/block_checking.sql",
        "10.2",
    ),
    Script(
        "target-recovery-time", "SQL Server",
        "indirect checkpoints for user databases, with guards and rollback",
        "ALTER on the databases",
        "TARGET_RECOVERY_TIME, after @apply is set to 1",
        "awrlens sqlserver compare before.csv after.csv", "sqlserver/target_recovery_time.sql",
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
BY_NAME: Final = {script.name: script for script in SCRIPTS}
