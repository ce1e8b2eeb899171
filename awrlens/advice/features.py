"""What a release of Oracle has: parameters, views and clauses of commands, and features.

Advice chooses among commands by this table: one with a later word cannot run in an earlier release.

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

#: Words of commands, and names of features, by the first release (major, minor) that has them.
#: 8.1 is the first release of Statspack; what it has may be older.
_NEW_IN: Final = {
    (8, 1): (
        "db_block_checking", "db_block_checksum", "db_block_max_dirty_target", "disk_asynch_io",
        "fast_start_io_target", "fast_start_parallel_rollback", "hash_area_size",
        "log_checkpoint_interval", "log_checkpoint_timeout", "rollback_segments", "sort_area_size",
        "timed_statistics", "dba_data_files", "dba_rollback_segs", "dba_temp_files",
        "gv$sort_segment", "gv$sysstat", "v$archive_dest", "v$bgprocess", "v$database",
        "v$datafile", "v$event_name", "v$fast_start_transactions", "v$filestat", "v$instance",
        "v$instance_recovery", "v$log", "v$log_history", "v$logfile", "v$parameter", "v$process",
        "v$sesstat", "v$session", "v$session_event", "v$sort_usage", "v$sql", "v$statname",
        "v$sysstat", "v$system_event", "v$tempfile", "v$tempstat", "x$ksppcv", "x$ksppi",
    ),
    (9, 0): (
        " join ", "default temporary tablespace", "scope=", "standby logfile", "undo tablespace",
        "archive_lag_target", "fast_start_mttr_target", "filesystemio_options",
        "pga_aggregate_target", "undo_retention", "undo_tablespace", "workarea_size_policy",
        "elapsed_time", "target_mttr", "transmit_mode", "v$sql_workarea", "v$tempseg_usage",
        "v$undostat", "x$estimated_mttr", "awrlens sql redo-placement",
    ),
    (9, 2): (
        "values source_row",  # to insert a record
        "dbms_db_version", "last_tempseg_size", "v$mttr_target_advice", "v$pga_target_advice",
    ),
    (10, 1): (
        "self-tuned checkpoints", "dba_hist_snapshot", "optimal_logfile_size", "sql_id",
        "v$eventmetric", "v$osstat", "v$recovery_file_dest",
    ),
    (10, 2): (
        "drop tempfile", "size unlimited", "db_block_checking=full", "db_block_checking=low",
        "db_block_checking=medium", "db_block_checksum=off", "db_block_checksum=typical",
        "awr_diff_report_",
    ),
    (11, 1): ("db_lost_write_protect",),
    (11, 2): ("awr_global_",),
    (12, 1): (
        "pluggable databases", "move datafile", "temp_undo_enabled", "cdb_tablespaces",
    ),
    (12, 2): ("local undo",),
    (18, 1): ("dbms_session.sleep",),
}  # fmt: skip
SINCE: Final = {word: release for release, words in _NEW_IN.items() for word in words}
#: Parameters that take effect at the next start only.
STATIC: Final = ("disk_asynch_io", "filesystemio_options", "rollback_segments")


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
    deferred = " DEFERRED" if name == "db_block_checking" else ""
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
