"""Scripts for the DBA to review and run: what each does, needs and changes; awrlens prints them.

Oracle's scripts take their settings from DEFINE statements at their beginning. A script that
changes data does nothing until the variable named there confirms it.
"""

from __future__ import annotations

from functools import cache
from itertools import chain
from pathlib import Path
from typing import Final, Literal

from awrlens.extensions import load, registered
from awrlens.lazy import NamedTuple


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
    #: The command that prints it with options, as ``module:name``.
    command: str = ""

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
        return (Path(__file__).parent.parent / self.file).read_text(encoding="utf-8")


NOTHING: Final = "nothing"

SCRIPTS: Final = (
    Script(
        "reports", "Oracle",
        "write AWR reports of every instance, of the cluster, or of two ranges compared",
        "the license of the Diagnostics Pack; SELECT_CATALOG_ROLE, EXECUTE on "
        "DBMS_WORKLOAD_REPOSITORY",
        NOTHING, "awrlens analyze FOLDER", "scripts/awr_reports.sql", "10.1",
    ),
    Script(
        "statspack-reports", "Oracle",
        "write Statspack reports of every instance; no license needed", "the user PERFSTAT",
        NOTHING, "awrlens analyze FOLDER", "scripts/statspack_reports.sql", "8.1",
    ),
    Script(
        "redo-placement", "Oracle",
        "the run queue, redo logs on devices of their own, the process of LGWR",
        "SELECT on V$ views", NOTHING,
        "awrlens analyze REPORT --placement awrlens_redo_placement.lst",
        "scripts/redo_placement.sql", "9.0",
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
)  # fmt: skip


@cache
def by_name() -> dict[str, Script]:
    """Our scripts and those of the satellites, by engine: what `awrlens sql` lists."""
    added = (load(each.scripts) for each in registered() if each.scripts)
    scripts = sorted((*chain(*added), *SCRIPTS), key=lambda script: script.engine)
    return {script.name: script for script in scripts}
