"""The analysis of a SQL Server log: of the whole log and of every database.

The advice depends on when the target of a database changed: given, logged, or seen in the durations
of checkpoints.
"""

from __future__ import annotations

from itertools import accumulate
from math import log as ln
from math import sqrt
from statistics import median
from typing import TYPE_CHECKING, Final, Literal

from awrlens import rules
from awrlens.errors import UsageError
from awrlens.lazy import NamedTuple
from awrlens.model import (
    ALARMS,
    SEVERITIES,
    Analysis,
    Impact,
    Note,
    Recommendation,
    Verdicts,
    worst,
)
from awrlens.model.analysis import Identity
from awrlens.sqlserver import RULES
from awrlens.sqlserver import log as reader
from awrlens.sqlserver.events import BYTES_PER_BUFFER, SYSTEM, Log, without_names
from awrlens.sqlserver.facts import facts_of
from awrlens.sqlserver.script import AUTOMATIC_S, INDIRECT_S, alter
from awrlens.units import plain, without_long_figures

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from datetime import datetime

    from awrlens.advice.mttr import Request
    from awrlens.model import Fact, Finding
    from awrlens.policy import Policy
    from awrlens.redact.names import Names
    from awrlens.source.open import Source


#: A step is at least this factor. # Indirect Checkpoints: from 30 s to less than 0.1 s, 300 times
_FACTOR: Final = 10.0
#: Share of the checkpoints that are on their side of the step. # awrlens: one of ten may differ
_SHARE: Final = 0.9
#: Checkpoints before a step. # awrlens: one long checkpoint may have any reason
_BEFORE: Final = 2
#: Shorter durations are below the resolution of the times, in seconds.
LEAST_S: Final = 0.001


class Change(NamedTuple):
    """The change of one database: its time, and how it is known."""

    at: datetime
    how: Literal["given", "logged", "seen"]


def changes(log: Log, given: Mapping[str, datetime] | None = None) -> dict[str, Change]:
    """The changes in a log by database ID; ``given`` has IDs or names, or ``*`` for all."""
    changed = {}
    # the last setting of every database that the log has: above 0 is indirect
    ids = {name: number for number, name in log.names.items()}
    logged = {
        ids[name]: Change(at, "logged")
        for name, (seconds, at) in log.settings.items()
        if seconds and at is not None and name in ids
    }
    for database in log.databases:
        keys = (database, log.names.get(database) or "", "*")
        own = (Change(given[key], "given") for key in keys if given and key in given)
        change = next(own, None) or logged.get(database) or _seen(log, database)
        if change is not None:
            changed[database] = change
    return changed


def _seen(log: Log, database: str) -> Change | None:
    """A step in the durations: all before it are long, all after it are short."""
    if log.kind != "sqlserver-xevents":  # an error log has only the long ones
        return None
    own = sorted(
        (c for c in log.checkpoints if c.database == database and c.begin),
        key=lambda c: (c.begin, c.line),
    )
    place = step([c.seconds for c in own])
    begin = own[place].begin if place is not None else None
    return None if begin is None else Change(begin, "seen")


def step(seconds: Sequence[float]) -> int | None:
    """The index of the first short checkpoint after long ones; None without a clear step."""
    values = [ln(max(spent, LEAST_S)) for spent in seconds]
    sums = list(accumulate(values, initial=0.0))
    count = len(values)
    if count <= _BEFORE:
        return None

    def between(place: int) -> float:
        first, second = sums[place] / place, (sums[-1] - sums[place]) / (count - place)
        return place * (count - place) * (first - second) ** 2

    place = max(range(_BEFORE, count), key=between)
    before, after = seconds[:place], seconds[place:]
    high, low = median(before), max(median(after), LEAST_S)
    middle = sqrt(high * low)
    right = sum(spent > middle for spent in before) + sum(spent < middle for spent in after)
    return place if high >= _FACTOR * low and right >= _SHARE * count else None


def sides(log: Log, database: str, change: Change) -> tuple[Log, Log]:
    """The log of one database before and after its change; a running checkpoint is before."""
    at, begun = change.at, [c for c in log.checkpoints if c.database == database and c.begin]
    before = tuple(c for c in begun if c.begin and c.begin < at)
    after = tuple(c for c in begun if c.begin and c.begin >= at)
    end = at
    if change.how == "seen":  # the change was at some time after the last long one
        end = max((checkpoint.end for checkpoint in before if checkpoint.end), default=at)
    return (
        log._replace(end=end, checkpoints=before, settings={}),
        log._replace(begin=at, checkpoints=after, settings={}),
    )


def since(log: Log, changed: Mapping[str, Change]) -> Log:
    """The log without the checkpoints before the change of their database."""
    return log._replace(
        checkpoints=tuple(
            checkpoint
            for checkpoint in log.checkpoints
            if checkpoint.database not in changed
            or checkpoint.begin is None
            or checkpoint.begin >= changed[checkpoint.database].at
        )
    )


_SLOW_STORAGE: Final = ("SQLS002", "SQLS003", "SQLS005")
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


def _advise(
    log: Log, facts: Mapping[str, Fact], findings: tuple[Finding, ...], long: tuple[str, ...]
) -> tuple[Recommendation, ...]:
    """What to do; ``long`` are the databases with long checkpoints."""
    severities = {finding.id: finding.severity for finding in findings}
    slow = tuple(rule for rule in _SLOW_STORAGE if severities.get(rule) in ALARMS)
    long_ids = ("SQLS001",) if severities.get("SQLS001", "ok") != "ok" else ()
    target = _target(log, facts, long, long_ids, slow)._replace(id=TARGET)
    if not slow:
        return (target,)
    storage = Recommendation(
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
        findings=slow,
        id=STORAGE,
    )
    return storage, target


def _target(
    log: Log, facts: Mapping[str, Fact], long: tuple[str, ...], long_ids: tuple[str, ...],
    slow: tuple[str, ...],
) -> Recommendation:  # fmt: skip
    release = log.server.release
    if not has_target(release):
        return Recommendation(
            "TARGET_RECOVERY_TIME does not exist before SQL Server 2012",
            f"Release {release} has only automatic checkpoints. Upgrade, or reduce the write load "
            "at the time of the checkpoints.",
            "no-benefit",
        )
    if facts["sqlserver.checkpoints"].value is None:
        why = facts["sqlserver.checkpoints"].note
        action = f"{why[0].upper()}{why[1:]}."
        return Recommendation("Indirect checkpoints: insufficient data", action, "need-data")
    indirect = {catchup.about for catchup in log.catchups}
    changed = {database: change for database, change in changes(log).items() if database in long}
    done = indirect | set(changed)
    chosen = tuple(database for database in long if database not in SYSTEM and database not in done)
    if not chosen:
        return _none_to_change(log, long, indirect, changed)
    return Recommendation(
        f"Set TARGET_RECOVERY_TIME = {INDIRECT_S} SECONDS for "
        + _listed([log.label(database) for database in chosen]),
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
        risks=(*([f"Left out: {_since(log, changed)}."] if changed else []), _tempdb(release),
               ("Pages that change frequently are written more often, so storage at its limit gets "
               "more writes.")),
        validate=(
            ("Record checkpoint_begin and checkpoint_end before and after "
            "(`awrlens sql checkpoint-events`), note the time of the change, and compare: "
            "awrlens sqlserver compare EXPORT --changed TIME"),
            "FlushCache messages of these databases stop, without DirtyPageMgr messages.",
        ),
        findings=(*long_ids, *slow),
    )  # fmt: skip


def _commands(log: Log, databases: tuple[str, ...], seconds: int) -> tuple[str, ...]:
    commands = []
    for database in databases:
        name = log.names.get(database)
        if not database:
            commands.append(f"-- the log does not name the database; use the script: {_SCRIPT}")
        elif name is None:
            commands.append(
                f"SELECT DB_NAME({database});  -- its name, then: ALTER DATABASE [name] "
                f"SET TARGET_RECOVERY_TIME = {seconds:d} SECONDS;"
            )
        elif not name.isprintable():
            commands.append(f"-- database {database} has unprintable characters in its name; "
                         f"use the script: {_SCRIPT}")  # fmt: skip
        else:
            commands.append(alter(name, seconds))
    return tuple(commands)


def _since(log: Log, changed: Mapping[str, Change]) -> str:
    """Databases that are left out, because the log shows that they were changed."""
    words = {
        "logged": "whose TARGET_RECOVERY_TIME was set at",
        "seen": "whose checkpoints are short since",
    }
    return _listed([
        f"{log.label(database)}, {words[change.how]} {change.at.isoformat(' ', 'seconds')}"
        for database, change in changed.items()
    ])  # fmt: skip


def _none_to_change(
    log: Log, long: tuple[str, ...], indirect: set[str], changed: Mapping[str, Change]
) -> Recommendation:
    names = _listed([log.label(database) for database in changed or long])
    action = f"Only system databases have long checkpoints. {_tempdb(log.server.release)}"
    if changed:
        action = (
            f"It was changed within this log: {_since(log, changed)}. `awrlens sqlserver compare "
            "FILE` compares both sides of the change."
        )
    elif indirect & set(long):
        action = (
            "DirtyPageMgr messages show that checkpoints are already indirect. Check whether the "
            "storage keeps up."
        )
    elif not long:
        action = "The log has no long checkpoint, except those during a snapshot."
        return Recommendation("Leave TARGET_RECOVERY_TIME unchanged", action, "no-benefit")
    return Recommendation(f"Leave TARGET_RECOVERY_TIME of {names}", action, "no-benefit")


def _listed(names: list[str]) -> str:
    if len(names) <= 3:  # noqa: PLR2004 - what a sentence can hold
        return " and ".join(names)
    return f"{', '.join(names[:2])} and {len(names) - 2} more databases"


def _tempdb(release: str | None) -> str:
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


def _headline(analysis: Analysis) -> tuple[str, str]:
    """What is wrong, and the first action."""
    pressing = [f for f in analysis.findings if f.severity in ALARMS]
    if not pressing:
        checkpoints = analysis.facts["sqlserver.checkpoints"]
        if checkpoints.value is None:
            return f"Checkpoints cannot be assessed: {checkpoints.note}.", ""
        errorlog = analysis.report["kind"] == "sqlserver-errorlog"
        if not checkpoints.value:
            return f"No {'long ' if errorlog else ''}checkpoints in the log.", ""
        longest = analysis.facts["sqlserver.checkpoint_max_s"].number
        took = "" if longest is None else f", the longest {plain(longest, 3)} s"
        shown = f"{checkpoints.value:,} checkpoint{'' if checkpoints.value == 1 else 's'}{took}"
        return f"No {'urgent finding' if analysis.findings else 'action needed'}: {shown}.", ""
    seconds = pressing[0].impact.seconds
    cost = "" if seconds is None else f" ({seconds:,.0f} s)"
    ids = {finding.id for finding in pressing}
    action = next((action for action in analysis.actions if ids & set(action.findings)), None)
    first = "" if action is None else f" First: {action.title[0].lower()}{action.title[1:]}."
    return f"{pressing[0].title}{cost}.", first


#: Maximum number of warnings about the input that are listed.
_NOTES: Final = 10


def analyze_log(log: Log, policy: Policy) -> Analysis:
    """Facts, findings and advice; the parts are its databases, the worst first."""
    facts = facts_of(log)
    changed = changes(log)
    judged = since(log, changed) if changed else log
    whole, skipped = rules.run(facts_of(judged) if changed else facts, policy, RULES)
    databases = tuple(_database(log, judged, id_, policy) for id_ in log.databases if id_)
    long = []
    for part in databases:
        database = str(part.report["db_id"])
        # of a database that changed, with its checkpoints before the change
        own = rules.run(part.facts, policy, RULES)[0] if database in changed else part.findings
        if any(finding.id == "SQLS001" for finding in own):
            long.append(database)
    findings = _worst(log, whole, databases) if len(databases) > 1 else whole
    if not long and any(finding.id == "SQLS001" for finding in findings):
        long = [""]  # messages that name no database
    warnings = log.warnings[:_NOTES]
    if left := len(log.warnings) - len(warnings):
        more = f"{left} more lines have rates that differ from their own numbers."
        warnings = (*warnings, Note(more))
    return _headed(Analysis(
        _identity(log, None).to_dict(), facts, findings, _advise(log, facts, findings, tuple(long)),
        _verdicts(findings), skipped, (*warnings, *_changed(log, changed)), databases=databases,
    ))  # fmt: skip


def _verdicts(findings: tuple[Finding, ...]) -> Verdicts:
    severity = worst([finding.severity for finding in findings])
    return Verdicts(severity, "need-data", "need-data", "need-data", None)


def _headed(analysis: Analysis) -> Analysis:
    said, first = _headline(analysis)
    return analysis._replace(headline=f"{said}{first}", headline_lines=(said,))


def _changed(log: Log, changed: Mapping[str, Change]) -> Iterator[Note]:
    for database, change in changed.items():
        how = (
            "TARGET_RECOVERY_TIME was set"
            if change.how == "logged"
            else "checkpoints became much shorter"
        )
        yield Note(
            f"{log.label(database)}: {how} at {change.at.isoformat(' ', 'seconds')}; findings are "
            "on the checkpoints after it. `awrlens sqlserver compare FILE` compares both sides."
        )


def _worst(
    log: Log, whole: tuple[Finding, ...], databases: tuple[Analysis, ...]
) -> tuple[Finding, ...]:
    """The worst finding of every rule: of a database, if it is worse than in the whole log."""
    chosen = {finding.id: finding for finding in whole}
    for part in databases:
        name = log.label(str(part.report["db_id"]))
        for finding in part.findings:
            so_far = chosen.get(finding.id)
            if so_far is None or _rank(finding) > _rank(so_far):
                title = f"{name}: {finding.title[0].lower()}{finding.title[1:]}"
                chosen[finding.id] = finding._replace(title=title)
    return tuple(sorted(chosen.values(), key=lambda finding: (-_rank(finding), finding.id)))


def _rank(finding: Finding) -> int:
    return SEVERITIES.index(finding.severity)


def _database(log: Log, judged: Log, database: str, policy: Policy) -> Analysis:
    facts = facts_of(log, database)
    own = facts if judged is log else facts_of(judged, database)
    findings, skipped = rules.run(own, policy, RULES)
    identity = _identity(log, database).to_dict()
    return _headed(Analysis(identity, facts, findings, (), _verdicts(findings), skipped, ()))


def _identity(log: Log, database: str | None) -> Identity:
    server = log.server
    return Identity(
        log.kind,
        db_name=None if database is None else log.names.get(database),
        db_id=database,
        instance=server.name,
        release=server.release,
        host=(server.name or "").partition("\\")[0] or None,
        platform=server.edition,
        cpus=server.cpus,
        begin_time=_iso(log.begin),
        end_time=_iso(log.end),
        startup_time=_iso(server.started),
        elapsed_s=log.elapsed_s,
        block_size=BYTES_PER_BUFFER,
        source=log.source,
    )


def _iso(time: datetime | None) -> str | None:
    return None if time is None else time.isoformat(timespec="seconds")


class LogInput(Log):
    """A log that answers as ``awrlens.extensions.OtherInput`` says."""

    @property
    def rules(self) -> frozenset[str]:
        """The rules for SQL Server."""
        return frozenset(RULES)

    def facts(self, part: str | None = None) -> Mapping[str, Fact]:
        """Its facts or those of a database, by ID; UsageError if it is not in the log."""
        if part is not None and part not in self.databases:
            raise UsageError(
                f"The log has no database {part}.",
                hint=f"Databases in the log: {', '.join(self.databases) or 'none'}.",
            )
        return facts_of(self, part)

    def analyze(self, policy: Policy, request: Request | None) -> Analysis:  # noqa: ARG002 - Oracle's
        """Facts, findings and advice."""
        return analyze_log(self, policy)

    def without_names(self, names: Names) -> LogInput:
        """The log with pseudonyms."""
        return LogInput._make(without_names(self, names))


def log_of(source: Source) -> LogInput | None:
    """The log in a text, recognized by its contents and not by its name; None if it is not one."""
    text = source.text
    read = reader.read if reader.is_errorlog(text) else None
    if read is None and reader.is_xevents(text):
        read = reader.read_events
    if read is None:
        return None
    return LogInput._make(read(without_long_figures(text), source.name, source.lines_before))
