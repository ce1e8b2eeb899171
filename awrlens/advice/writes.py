"""Data file writes: the storage as a whole, asynchronous I/O, and a DBWR that is behind.

Source: Oracle Database Performance Tuning Guide, asynchronous I/O and DBWR; Fast-Start
Checkpointing Best Practices for why a higher recovery target makes the write bursts of such a DBWR
worse.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.advice.parts import AFTER, ids, impact
from awrlens.advice.storage import COMMIT_RULES
from awrlens.advice.storage_case import Case
from awrlens.model import Impact, Recommendation, with_parts
from awrlens.units import plain

if TYPE_CHECKING:
    from collections.abc import Mapping

    from awrlens.model import Fact, Finding, Verdict
    from awrlens.policy import Policy

_DBWR_IO: Final = (
    "SELECT event, total_waits, ROUND(time_waited_micro/total_waits/1000, 2) ms FROM "
    "v$system_event WHERE event IN ('db file parallel write', 'db file async I/O submit') AND "
    "total_waits > 0;"
)


def writes(
    facts: Mapping[str, Fact], findings: tuple[Finding, ...], policy: Policy
) -> list[Recommendation]:
    """What to do about slow writes before moving redo, temp or undo."""
    return [
        *_processors(facts, findings, policy),
        *_storage(findings),
        *_asynchronous(facts, findings),
        *_behind(facts, findings),
        *_isolate(facts, findings),
        *_growth(findings),
        *_flashback(findings),
    ]


def _processors(
    facts: Mapping[str, Fact], findings: tuple[Finding, ...], policy: Policy
) -> list[Recommendation]:
    """CPU, if LGWR and the sessions it posts wait for it."""
    case = Case(facts, findings, policy)
    starved = case.starved()
    if not starved or not case.at_least("warning", *COMMIT_RULES):
        return []
    return [
        Recommendation(
            id="free-processors",
            title="Free CPU for LGWR",
            action=f"On the host, {starved}. If processes wait for CPU, every write and every "
            "commit looks slow. Find what uses the CPU, or add CPUs, then reassess the writes.",
            status="apply",
            commands=("ps -eo pcpu,pri,comm,args --sort=-pcpu | head -20",),
            benefit=Impact(None, None, "not quantified"),
            risks=("None: a read-only check.",),
            validate=(
                "idle CPU increases, `log file sync` and `log file parallel write` decrease",
                AFTER,
            ),
            findings=case.of(*COMMIT_RULES),
        )
    ]


def _storage(findings: tuple[Finding, ...]) -> list[Recommendation]:
    found = ids(findings, "REDO014")
    if not found:
        return []
    return [
        Recommendation(
            id="repair-write-path",
            title="Check the storage's write path",
            action="Several kinds of writes are slow, so the cause is probably below the database. "
            "Check the write cache (off, full, battery), synchronous replication, snapshots, the "
            "I/O paths, and other load on the same storage.",
            status="apply",
            commands=(_DBWR_IO,),
            benefit=Impact(None, None, "not quantified"),
            risks=("None: read-only checks.",),
            validate=("all write events decrease together", AFTER),
            findings=found,
        )
    ]


def log_device(
    facts: Mapping[str, Fact], findings: tuple[Finding, ...], verdict: Verdict
) -> list[Recommendation]:
    """Slow log writes that do not justify new storage: check what shares the device."""
    found = ids(findings, "REDO001")
    pressing = any(
        f.severity in ("critical", "warning") and f.id == "REDO001" for f in with_parts(findings)
    )
    if verdict != "no-benefit" or not pressing or ids(findings, "REDO014"):
        return []
    write = facts["redo.local_write_ms"].number or 0.0
    return [
        Recommendation(
            id="relieve-log-device",
            title="Find what slows down the redo log device",
            action=f"A log write takes {plain(write, 3)} ms. Check whether data files, archived "
            "logs or backups share the devices of the redo logs, and whether the write cache is "
            "on. Move the redo logs to their own devices.",
            status="apply",
            commands=(
                "SELECT group#, member FROM v$logfile ORDER BY group#;",
                "awrlens sql redo-placement > redo_placement.sql",
            ),
            benefit=Impact(None, None, "not quantified"),
            risks=("None: a read-only check.",),
            validate=("`log file parallel write` decreases", AFTER),
            findings=found,
        )
    ]


def _asynchronous(facts: Mapping[str, Fact], findings: tuple[Finding, ...]) -> list[Recommendation]:
    found = ids(findings, "CKPT010")
    if not found:
        return []
    disk = facts["checkpoint.disk_asynch_io"].value == "FALSE"
    options = facts["checkpoint.filesystemio_options"].value
    commands, rollback = [], []
    if disk:
        commands.append("ALTER SYSTEM SET disk_asynch_io=TRUE SCOPE=SPFILE;")
        rollback.append("ALTER SYSTEM SET disk_asynch_io=FALSE SCOPE=SPFILE;")
    if facts["checkpoint.asm"].value != "yes" and options not in ("SETALL", "ASYNCH"):
        commands.append("ALTER SYSTEM SET filesystemio_options=SETALL SCOPE=SPFILE;")
        rollback.append(
            "ALTER SYSTEM RESET filesystemio_options SCOPE=SPFILE;"
            if options == "DEFAULT"
            else f"ALTER SYSTEM SET filesystemio_options={options} SCOPE=SPFILE;"
        )
    return [
        Recommendation(
            id="asynchronous-io",
            title="Enable asynchronous I/O",
            action="DBWR writes synchronously and sessions wait for it. The change takes effect at "
            "the next start. With direct I/O, give the memory of the file system cache to the "
            "buffer cache.",
            status="apply",
            commands=tuple(commands),
            rollback=tuple(rollback),
            benefit=impact(findings, *found),
            prerequisites=("a restart",),
            risks=("Without the file system cache, reads go to disk: enlarge the buffer cache.",),
            validate=("`db file parallel write` decreases", AFTER),
            findings=found,
        )
    ]


def _behind(facts: Mapping[str, Fact], findings: tuple[Finding, ...]) -> list[Recommendation]:
    found = ids(findings, "CKPT008", "CKPT005")
    if not found or ids(findings, "REDO014"):
        return []
    names = ("checkpoint.data_write_ms", "checkpoint.async_submit_ms")
    latency = max((facts[name].number or 0.0 for name in names), default=0.0)
    slow = latency >= _SLOW_BATCH_MS
    action = (
        f"DBWR's writes take {plain(latency, 3)} ms. Use faster storage for data files, or reduce "
        "the writes (larger redo logs, a higher recovery target)."
        if slow
        else "DBWR's writes are not slow. Add DBWR processes (DB_WRITER_PROCESSES) or enlarge the "
        "buffer cache."
    )
    return [
        Recommendation(
            id="relieve-dbwr",
            title="Speed up DBWR: faster or fewer data file writes"
            if slow
            else "Speed up DBWR: more processes or a larger buffer cache",
            action=action,
            status="apply",
            commands=(_DBWR_IO, "SHOW PARAMETER db_writer_processes"),
            benefit=impact(findings, *found),
            risks=("A larger cache takes memory; more DBWR processes take CPU.",),
            validate=("`free buffer waits` and `write complete waits` decrease", AFTER),
            findings=found,
        )
    ]


#: A batch of DBWR's writes above this time is slow because of the storage.
_SLOW_BATCH_MS: Final = 8.0  # awrlens: as impact.slower_ms


def _isolate(facts: Mapping[str, Fact], findings: tuple[Finding, ...]) -> list[Recommendation]:
    found = ids(findings, "UNDO010")
    if not found:
        return []
    places = facts["undo.shared_places"].value
    where = f" ({', '.join(places)})" if isinstance(places, tuple) else ""
    return [
        Recommendation(
            id="isolate-undo",
            title="Move undo to separate disks",
            action=f"Undo shares disks{where} with data files, whose reads queue behind undo "
            "writes. Create an undo tablespace on other disks and switch to it.",
            status="apply",
            commands=(
                "CREATE UNDO TABLESPACE <new undo> DATAFILE '<path on other disks>' SIZE <size>;",
                "ALTER SYSTEM SET undo_tablespace=<new undo> SCOPE=BOTH;",
            ),
            rollback=("ALTER SYSTEM SET undo_tablespace=<old undo> SCOPE=BOTH;",),
            benefit=impact(findings, *found),
            prerequisites=("disks that no data file uses",),
            risks=("Keep the old tablespace until its transactions have ended.",),
            validate=("`Av Rd(ms)` of the data files decreases", AFTER),
            findings=found,
        )
    ]


_GROWING: Final = (
    "SELECT tablespace_name, file_name, bytes/1048576 mb, increment_by FROM dba_data_files "
    "WHERE autoextensible = 'YES';"
)


def _growth(findings: tuple[Finding, ...]) -> list[Recommendation]:
    found = ids(findings, "UNDO012")
    if not found:
        return []
    return [
        Recommendation(
            id="size-files-up-front",
            title="Preallocate the files that grow",
            action="Sessions wait for file header blocks while files are extended, often those of "
            "undo. Allocate the full size at once, or set a larger NEXT.",
            status="apply",
            commands=(_GROWING,),
            benefit=impact(findings, *found),
            risks=("The files take their full space at once.",),
            validate=("buffer busy waits of class `file header block` disappear", AFTER),
            findings=found,
        )
    ]


def _flashback(findings: tuple[Finding, ...]) -> list[Recommendation]:
    found = ids(findings, "REDO015")
    if not found:
        return []
    return [
        Recommendation(
            id="speed-up-flashback-logs",
            title="Move the flashback logs to faster disks",
            action="RVWR writes the flashback logs to the recovery area. Put it on disks with fast "
            "sequential writes, separate from archived logs and backups, and increase LOG_BUFFER. "
            "If no restore point needs Flashback Database, turn it off.",
            status="apply",
            commands=("SELECT name, space_limit, space_used FROM v$recovery_file_dest;",),
            benefit=impact(findings, *found),
            risks=("Without Flashback Database, point-in-time recovery needs a backup.",),
            validate=("`flashback log file sync` disappears from the foreground events", AFTER),
            findings=found,
        )
    ]
