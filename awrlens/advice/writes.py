"""Writes of data files: the storage as a whole, asynchronous I/O, and a DBWR that is behind.

Source: Oracle Database Performance Tuning Guide, asynchronous I/O and DBWR; document 1 for why a
higher recovery target makes the bursts of such a DBWR worse.
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
    """What to do about slow writes before any one of redo, temp and undo is moved."""
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
    """Processors, where LGWR and those it posts wait for them."""
    case = Case(facts, findings, policy)
    starved = case.starved()
    if not starved or not case.at_least("warning", *COMMIT_RULES):
        return []
    return [
        Recommendation(
            id="free-processors",
            title="Free processors: LGWR waits for a CPU",
            action=f"On the host {starved}. A process that has to wait for a CPU makes every write "
            "and every commit look slow. Find what takes the CPUs, or add some; then judge the "
            "writes again.",
            status="apply",
            commands=("ps -eo pcpu,pri,comm,args --sort=-pcpu | head -20",),
            benefit=Impact(None, None, "not quantified"),
            risks=("None: this is a reading.",),
            validate=("idle CPU rises, `log file sync` and `log file parallel write` fall", AFTER),
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
            title="Have the write path of the storage checked",
            action="Look at the write cache (off, full, battery), at synchronous replication and "
            "snapshots behind it, at the paths, and at what else writes there. Several kinds of "
            "writes are slow, so it is one problem below the database.",
            status="apply",
            commands=(_DBWR_IO,),
            benefit=Impact(None, None, "not quantified"),
            risks=("None: these are readings.",),
            validate=("all write events fall together", AFTER),
            findings=found,
        )
    ]


def log_device(
    facts: Mapping[str, Fact], findings: tuple[Finding, ...], verdict: Verdict
) -> list[Recommendation]:
    """Slow log writes that new storage is not worth: look at what shares the device."""
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
            title="Find what slows down the device of the redo logs",
            action=f"A log write takes {plain(write)} ms. See whether data files, archived logs or "
            "backups share the devices of the redo logs, and whether their write cache is on; give "
            "the logs devices of their own.",
            status="apply",
            commands=("SELECT group#, member FROM v$logfile ORDER BY group#;",),
            benefit=Impact(None, None, "not quantified"),
            risks=("None: this is a reading.",),
            validate=("`log file parallel write` falls", AFTER),
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
            title="Turn asynchronous I/O on",
            action="DBWR writes synchronously and sessions wait for it. The setting holds from the "
            "next start; with direct I/O give the freed file system cache to the buffer cache.",
            status="apply",
            commands=tuple(commands),
            rollback=tuple(rollback),
            benefit=impact(findings, *found),
            prerequisites=("a restart",),
            risks=("Without the file system's cache reads go to the disk: size the buffer cache.",),
            validate=("`db file parallel write` falls", AFTER),
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
        f"DBWR's writes take {plain(latency)} ms: faster storage for data files, or fewer writes "
        "(larger redo logs, a relaxed recovery target)."
        if slow
        else "DBWR's writes are not slow: more DBWR processes (DB_WRITER_PROCESSES) or a larger "
        "buffer cache."
    )
    return [
        Recommendation(
            id="relieve-dbwr",
            title="Relieve DBWR: sessions wait for free buffers",
            action=action,
            status="apply",
            commands=(_DBWR_IO, "SHOW PARAMETER db_writer_processes"),
            benefit=impact(findings, *found),
            risks=("A larger cache takes memory; more DBWR processes take CPU.",),
            validate=("`free buffer waits` and `write complete waits` fall", AFTER),
            findings=found,
        )
    ]


#: A batch of DBWR's writes from which the storage is the reason.
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
            title="Give undo disks of its own",
            action=f"Undo shares its place{where} with data files whose reads queue behind undo's "
            "writes. Create an undo tablespace on other disks and switch to it.",
            status="apply",
            commands=(
                "CREATE UNDO TABLESPACE <new undo> DATAFILE '<path on other disks>' SIZE <size>;",
                "ALTER SYSTEM SET undo_tablespace=<new undo> SCOPE=BOTH;",
            ),
            rollback=("ALTER SYSTEM SET undo_tablespace=<old undo> SCOPE=BOTH;",),
            benefit=impact(findings, *found),
            prerequisites=("disks that no data file uses",),
            risks=("The old tablespace must stay until its transactions have ended.",),
            validate=("`Av Rd(ms)` of the data files falls", AFTER),
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
            title="Size growing files up front",
            action="Sessions wait for file headers while files of a tablespace grow, often those "
            "of undo. Give the files their size at once, or a larger NEXT.",
            status="apply",
            commands=(_GROWING,),
            benefit=impact(findings, *found),
            risks=("Files take their space at once.",),
            validate=("buffer busy waits of class `file header block` are gone", AFTER),
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
            title="Give flashback logs quicker disks",
            action="RVWR writes the flashback logs into the recovery area. Give it disks that take "
            "sequential writes quickly, apart from archived logs and backups, and a larger "
            "LOG_BUFFER; without a restore point that needs it, turn Flashback Database off.",
            status="apply",
            commands=("SELECT name, space_limit, space_used FROM v$recovery_file_dest;",),
            benefit=impact(findings, *found),
            risks=("Without Flashback Database a point in time is restored from a backup.",),
            validate=("`flashback log file sync` is gone from the foreground events", AFTER),
            findings=found,
        )
    ]
