"""What to do about SQL Server's checkpoints: indirect checkpoints, or the storage.

awrlens prints commands but does not run them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.model import Impact, Recommendation, Verdicts, worst
from awrlens.records import NamedTuple
from awrlens.sqlserver.events import SYSTEM
from awrlens.sqlserver.script import AUTOMATIC_S, INDIRECT_S, alter
from awrlens.sqlserver.target_change import changes

if TYPE_CHECKING:
    from collections.abc import Mapping

    from awrlens.model import Fact, Finding, Verdict
    from awrlens.sqlserver.events import Log
    from awrlens.sqlserver.target_change import Change

TARGET: Final = "target-recovery-time"
STORAGE: Final = "checkpoint-storage"
#: First release with indirect checkpoints (Indirect Checkpoints).
_INDIRECT_SINCE: Final = 11
#: Releases whose earlier builds KB 4497928 affects: 2016 and 2017 (Indirect Checkpoints waits for
#: the latest cumulative update of 2017 before changing tempdb).
_TEMPDB_AT_RISK: Final = (13, 14)
_SCRIPT: Final = "awrlens sql target-recovery-time"


def has_target(release: str | None) -> bool:
    """Whether a release has TARGET_RECOVERY_TIME; so does one that is not in the log."""
    return release is None or _major(release) >= _INDIRECT_SINCE


class Advice(NamedTuple):
    """Recommendations and verdicts for a log."""

    recommendations: tuple[Recommendation, ...]
    verdicts: Verdicts


def advise(
    log: Log, facts: Mapping[str, Fact], findings: tuple[Finding, ...], long: tuple[str, ...]
) -> Advice:
    """Recommendations and verdicts; ``long`` are the databases with long checkpoints."""
    found = {finding.id: finding for finding in findings if finding.severity != "ok"}
    steps = [_target(log, facts, found, long)]
    slow = _slow_storage(found)
    if slow:
        steps.insert(0, _storage(slow))
    verdicts = Verdicts(
        worst([finding.severity for finding in findings]),
        "need-data", "need-data", "need-data", None,
    )  # fmt: skip
    return Advice(tuple(steps), verdicts)


def _slow_storage(found: Mapping[str, Finding]) -> tuple[str, ...]:
    """Findings that indicate slow storage of the data files."""
    return tuple(
        each for each in ("SQLS002", "SQLS003", "SQLS005")
        if each in found and found[each].severity in ("warning", "critical")
    )  # fmt: skip


def _storage(findings: tuple[str, ...]) -> Recommendation:
    return Recommendation(
        STORAGE,
        "Find why data file writes are slow during checkpoints",
        "Compare write latency by file at the times of the messages. Check I/O paths and queue "
        "depth, filter drivers, snapshots, and other load on the same storage.",
        "apply",
        commands=(
            "SELECT DB_NAME(v.database_id) AS name, f.physical_name, v.num_of_writes,",
            "       v.io_stall_write_ms * 1.0 / NULLIF(v.num_of_writes, 0) AS write_ms",
            "FROM sys.dm_io_virtual_file_stats(NULL, NULL) AS v",
            "INNER JOIN sys.master_files AS f",
            "   ON f.database_id = v.database_id AND f.file_id = v.file_id",
            "ORDER BY v.io_stall_write_ms DESC;",
        ),
        benefit=Impact(None, None, "not quantified: the log has no wait times"),
        validate=("Later messages show a lower avgWriteLatency, and no request takes 15 s.",),
        findings=findings,
    )


def _target(
    log: Log, facts: Mapping[str, Fact], found: Mapping[str, Finding], long: tuple[str, ...]
) -> Recommendation:
    """TARGET_RECOVERY_TIME: the databases to change, or why not."""
    release = log.server.release
    if not has_target(release):
        return _not(
            "TARGET_RECOVERY_TIME does not exist before SQL Server 2012",
            f"Release {release} has only automatic checkpoints. Upgrade, or reduce the write load "
            "at the time of the checkpoints.",
            "no-benefit",
        )
    if facts["sqlserver.checkpoints"].value is None:
        return _not(
            "Indirect checkpoints: insufficient data",
            f"{facts['sqlserver.checkpoints'].note[0].upper()}"
            f"{facts['sqlserver.checkpoints'].note[1:]}.",
            "need-data",
        )
    indirect = {each.database for each in log.catchups}
    changed = {each: change for each, change in changes(log).items() if each in long}
    done = indirect | set(changed)
    chosen = tuple(each for each in long if each not in SYSTEM and each not in done)
    if not chosen:
        return _none_to_change(log, long, indirect, changed)
    slow = _slow_storage(found)
    return Recommendation(
        TARGET,
        f"Set TARGET_RECOVERY_TIME = {INDIRECT_S} SECONDS for "
        + _listed([log.label(each) for each in chosen]),
        "Indirect checkpoints write dirty pages continuously instead of scanning the whole buffer "
        f"pool for them. `{_SCRIPT}` prints a script that lists every database with a decision, "
        "the command and its rollback. It changes nothing until you set @apply = 1."
        + (" First check the storage, which is slow during checkpoints." if slow else ""),
        "tune-first" if slow else "apply",
        commands=_commands(log, chosen, INDIRECT_S),
        rollback=_commands(log, chosen, AUTOMATIC_S),
        benefit=Impact(
            None, None, "published result: from 30 s on average to less than 0.1 s, fewer "
            "checkpoints, less CPU on busy instances"
        ),
        prerequisites=(
            ("Note the present value for the rollback: SELECT name, "
            "target_recovery_time_in_seconds FROM sys.databases; "
            "60 means that it is already set."),
            ("Databases created before SQL Server 2016 have 0, whatever the release is now: also "
            "check new and restored databases (`awrlens sql target-recovery-check`), and all "
            "instances (`awrlens sql checkpoint-inventory`)."),
            ("Only user databases that are online, writable and not in standby; in an availability "
            "group, run it on the primary: secondaries inherit the setting."),
        ),
        risks=(*_already(log, changed), _tempdb(release),
               ("Pages that change frequently are written more often, so storage at its limit gets "
               "more writes.")),
        validate=(
            ("Record checkpoint_begin and checkpoint_end before and after "
            "(`awrlens sql checkpoint-events`), note the time of the change, and compare: "
            "awrlens sqlserver compare EXPORT --changed TIME"),
            "FlushCache messages of these databases stop, without DirtyPageMgr messages.",
        ),
        findings=tuple(each for each in ("SQLS001", *slow) if each in found),
    )  # fmt: skip


def _commands(log: Log, databases: tuple[str, ...], seconds: int) -> tuple[str, ...]:
    """A command per database; if the name is not usable, the query that finds it."""
    found = []
    for database in databases:
        name = log.name(database)
        if not database:
            found.append(f"-- the log does not name the database; use the script: {_SCRIPT}")
        elif name is None:
            found.append(
                f"SELECT DB_NAME({database});  -- its name, then: ALTER DATABASE [name] "
                f"SET TARGET_RECOVERY_TIME = {seconds:d} SECONDS;"
            )
        elif not name.isprintable():
            found.append(f"-- database {database} has unprintable characters in its name; "
                         f"use the script: {_SCRIPT}")  # fmt: skip
        else:
            found.append(alter(name, seconds))
    return tuple(found)


def _already(log: Log, changed: Mapping[str, Change]) -> tuple[str, ...]:
    """Databases that are left out, because the log shows that they were changed."""
    if not changed:
        return ()
    return (f"Left out: {_listed([_since(log, *each) for each in changed.items()])}.",)


def _since(log: Log, database: str, change: Change) -> str:
    at = change.at.isoformat(" ", "seconds")
    if change.how == "logged":
        return f"{log.label(database)}, whose TARGET_RECOVERY_TIME was set at {at}"
    return f"{log.label(database)}, whose checkpoints are short since {at}"


def _none_to_change(
    log: Log, long: tuple[str, ...], indirect: set[str], changed: Mapping[str, Change]
) -> Recommendation:
    if set(changed) & set(long):
        return _not(
            f"Leave TARGET_RECOVERY_TIME of {_listed([log.label(e) for e in changed])}",
            f"It was changed within this log: "
            f"{_listed([_since(log, *each) for each in changed.items()])}. "
            "`awrlens sqlserver compare FILE` compares both sides of the change.",
            "no-benefit",
        )
    if indirect & set(long):
        return _not(
            f"Leave TARGET_RECOVERY_TIME of {_listed([log.label(e) for e in long])}",
            "DirtyPageMgr messages show that checkpoints are already indirect. Check whether the "
            "storage keeps up.",
            "no-benefit",
        )
    if long:
        return _not(
            f"Leave TARGET_RECOVERY_TIME of {_listed([log.label(each) for each in long])}",
            f"Only system databases have long checkpoints. {_tempdb(log.server.release)}",
            "no-benefit",
        )
    return _not(
        "Leave TARGET_RECOVERY_TIME unchanged",
        "The log has no long checkpoint, except those during a snapshot.",
        "no-benefit",
    )


def _not(title: str, action: str, status: Verdict) -> Recommendation:
    return Recommendation(TARGET, title, action, status)


def _listed(names: list[str]) -> str:
    """Names in a sentence; many names are counted."""
    if len(names) <= 3:  # noqa: PLR2004 - what a sentence can hold
        return " and ".join(names)
    return f"{', '.join(names[:2])} and {len(names) - 2} more databases"


def _tempdb(release: str | None) -> str:
    """Advice on tempdb and model, by build."""
    words = "Do not change tempdb and model (the template of tempdb) at the same time: "
    if release is None:
        return f"{words}the build is not known; see KB 4497928 (schedulers hang)."
    if _major(release) in _TEMPDB_AT_RISK:
        return (
            f"{words}first check whether build {release} has the fix of KB 4497928 (schedulers "
            "hang)."
        )
    return f"{words}test them separately."


def _major(release: str) -> int:
    return int(release.partition(".")[0])
