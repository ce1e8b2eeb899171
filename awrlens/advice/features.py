"""What a release of Oracle has: parameters, views and clauses of commands, and features.

One table for all advice. A command that uses a later word of it cannot run in an earlier release,
so advice chooses among commands by this table. Also whether FAST_START_MTTR_TARGET applies to a
database: its release, role and edition.

Sources: Oracle8i Reference (8.1.6), Oracle9i Database Reference and SQL Reference, Oracle Database
Reference of later releases; Oracle Database Licensing Information (fast-start fault recovery is
part of Enterprise Edition).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from awrlens.oracle.checkpoints import PARAMETERS, redo_limits

if TYPE_CHECKING:
    from collections.abc import Mapping

    from awrlens.model import Fact

#: Words of commands, and names of features, with the first release (major, minor) that has them.
#: 8.1 is the first release of Statspack; what it has may be older.
SINCE: Final[Mapping[str, tuple[int, int]]] = {
    # features
    "self-tuned checkpoints": (10, 1),
    "pluggable databases": (12, 1),
    "local undo": (12, 2),
    "move datafile": (12, 1),
    # clauses of SQL
    "default temporary tablespace": (9, 0),
    " join ": (9, 0),
    "drop tempfile": (10, 2),
    "scope=": (9, 0),
    "size unlimited": (10, 2),
    "values source_row": (9, 2),  # to insert a record
    "undo tablespace": (9, 0),
    "standby logfile": (9, 0),
    # parameters
    "archive_lag_target": (9, 0),
    "db_block_checking": (8, 1),
    "db_block_checking=full": (10, 2),
    "db_block_checking=low": (10, 2),
    "db_block_checking=medium": (10, 2),
    "db_block_checksum": (8, 1),
    "db_block_checksum=off": (10, 2),
    "db_block_checksum=typical": (10, 2),
    "db_block_max_dirty_target": (8, 1),
    "db_lost_write_protect": (11, 1),
    "disk_asynch_io": (8, 1),
    "fast_start_io_target": (8, 1),
    "fast_start_mttr_target": (9, 0),
    "fast_start_parallel_rollback": (8, 1),
    "filesystemio_options": (9, 0),
    "hash_area_size": (8, 1),
    "log_checkpoint_interval": (8, 1),
    "log_checkpoint_timeout": (8, 1),
    "pga_aggregate_target": (9, 0),
    "rollback_segments": (8, 1),
    "sort_area_size": (8, 1),
    "temp_undo_enabled": (12, 1),
    "timed_statistics": (8, 1),
    "undo_retention": (9, 0),
    "undo_tablespace": (9, 0),
    "workarea_size_policy": (9, 0),
    # views, and columns that came later than their view
    "cdb_tablespaces": (12, 1),
    "awr_diff_report_": (10, 2),
    "awr_global_": (11, 2),
    "dba_data_files": (8, 1),
    "dba_hist_snapshot": (10, 1),
    "dba_rollback_segs": (8, 1),
    "dba_temp_files": (8, 1),
    "dbms_db_version": (9, 2),
    "dbms_session.sleep": (18, 1),
    "elapsed_time": (9, 0),
    "gv$sysstat": (8, 1),
    "gv$sort_segment": (8, 1),
    "v$archive_dest": (8, 1),
    "v$bgprocess": (8, 1),
    "v$database": (8, 1),
    "v$datafile": (8, 1),
    "transmit_mode": (9, 0),
    "v$event_name": (8, 1),
    "v$eventmetric": (10, 1),
    "v$fast_start_transactions": (8, 1),
    "v$filestat": (8, 1),
    "v$instance": (8, 1),
    "v$instance_recovery": (8, 1),
    "optimal_logfile_size": (10, 1),
    "target_mttr": (9, 0),
    "v$log": (8, 1),
    "v$log_history": (8, 1),
    "v$logfile": (8, 1),
    "v$mttr_target_advice": (9, 2),
    "v$osstat": (10, 1),
    "v$parameter": (8, 1),
    "v$pga_target_advice": (9, 2),
    "v$process": (8, 1),
    "v$recovery_file_dest": (10, 1),
    "v$session": (8, 1),
    "v$session_event": (8, 1),
    "sql_id": (10, 1),
    "v$sesstat": (8, 1),
    "v$sort_usage": (8, 1),
    "v$sql": (8, 1),
    "v$sql_workarea": (9, 0),
    "last_tempseg_size": (9, 2),
    "v$statname": (8, 1),
    "v$sysstat": (8, 1),
    "v$system_event": (8, 1),
    "v$tempfile": (8, 1),
    "v$tempseg_usage": (9, 0),
    "v$tempstat": (8, 1),
    "v$undostat": (9, 0),
    "x$estimated_mttr": (9, 0),
    "x$ksppcv": (8, 1),
    "x$ksppi": (8, 1),
    # scripts
    "awrlens sql redo-placement": (9, 0),
}
#: Parameters that take effect at the next start only.
STATIC: Final = ("disk_asynch_io", "filesystemio_options", "rollback_segments")
#: Parameters that ALTER SYSTEM changes in 8i for new sessions only. # Oracle8i Reference
_DEFERRED: Final = ("db_block_checking",)


def has(facts: Mapping[str, Fact], word: str) -> bool | None:
    """Whether the report's release has a word of the table; None if the release is not known."""
    found = re.match(r"(\d+)(?:\.(\d+))?", str(facts["database.release"].value or ""))
    return (int(found[1]), int(found[2] or 0)) >= SINCE[word] if found else None


def runs(facts: Mapping[str, Fact], command: str) -> bool:
    """Whether the report's release has all words of a command; an unknown release has them."""
    said = command.lower()
    return all(has(facts, word) is not False for word in SINCE if word in said)


def change(
    facts: Mapping[str, Fact], name: str, value: object, scope: str = "BOTH", everywhere: str = ""
) -> str:
    """The command that sets a parameter, in the way of the report's release.

    8i has no spfile: what ALTER SYSTEM sets is lost at the next start, and a static parameter is
    set in the parameter file.
    """
    if has(facts, "scope=") is not False:
        of = "SPFILE" if name in STATIC else scope
        return f"ALTER SYSTEM SET {name}={value} SCOPE={of}{everywhere};"
    if name in STATIC:
        return f"{name}={value} # in the parameter file, from the next start"
    deferred = " DEFERRED" if name in _DEFERRED else ""
    kept = "" if scope == "MEMORY" else " -- and in the parameter file, for the next start"
    return f"ALTER SYSTEM SET {name}={value}{deferred};{kept}"


def refused(facts: Mapping[str, Fact]) -> str:
    """Why FAST_START_MTTR_TARGET does not apply, in words; empty if it applies."""
    role = str(facts["database.role"].value or "")
    edition = str(facts["database.edition"].value or "")
    if has(facts, "fast_start_mttr_target") is False:
        return (
            "FAST_START_MTTR_TARGET was introduced in Oracle9i. In this release, "
            "FAST_START_IO_TARGET (Enterprise Edition), DB_BLOCK_MAX_DIRTY_TARGET, "
            "LOG_CHECKPOINT_INTERVAL and LOG_CHECKPOINT_TIMEOUT limit recovery, in blocks and "
            "seconds of redo. Time a crash test, then lower them until recovery takes the desired "
            "time. After an upgrade, FAST_START_MTTR_TARGET replaces all of them." + _now(facts)
        )
    if "STANDBY" in role.upper():
        return (
            f"This is a {role.lower()}. The apply lag determines how soon it can open, not "
            "FAST_START_MTTR_TARGET. Calculate the target from a report of the primary."
        )
    if edition.upper().startswith(("SE", "STD", "STANDARD")):
        return (
            "Fast-start fault recovery requires Enterprise Edition. In this edition, the size of "
            "the redo logs and LOG_CHECKPOINT_TIMEOUT limit recovery." + _now(facts)
        )
    return ""


def _now(facts: Mapping[str, Fact]) -> str:
    """What limits recovery in this report: the redo of a log switch, and the parameters."""
    found = [each.words for each in redo_limits(lambda name: facts[name].number)]
    found += [
        f"{name}={blocks:.0f}"
        for name in ("FAST_START_IO_TARGET", "DB_BLOCK_MAX_DIRTY_TARGET")
        if (blocks := facts[PARAMETERS[name]].number)
    ]
    if switched := facts["redo.mb_per_switch"].number:
        found.append(f"a log switch every {switched:,.0f} MB of redo")
    return f" In this report: {', '.join(found)}." if found else ""
