"""The analysis of a SQL Server log: of the whole log and of every database."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens import rules
from awrlens.model import SEVERITIES, Analysis, Note, Verdicts, worst
from awrlens.sqlserver.advice import advise
from awrlens.sqlserver.events import BYTES_PER_BUFFER
from awrlens.sqlserver.facts import facts_of
from awrlens.sqlserver.headline import headline
from awrlens.sqlserver.target_change import changes, since

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from datetime import datetime

    from awrlens.model import Finding
    from awrlens.model.analysis_document import IdentityDocument
    from awrlens.policy import Policy
    from awrlens.sqlserver.events import Log
    from awrlens.sqlserver.target_change import Change

#: Maximum number of warnings about the input that are listed.
_NOTES: Final = 10


def analyze(log: Log, policy: Policy) -> Analysis:
    """Facts, findings and advice; the parts are its databases, the worst first."""
    facts = facts_of(log)
    known = changes(log)
    judged = since(log, known) if known else log
    whole, skipped = rules.run(facts_of(judged) if known else facts, policy, rules.SQLSERVER)
    databases = tuple(_database(log, judged, each, policy) for each in log.databases if each)
    long = tuple(
        str(part.report["db_id"])
        for part in databases
        if any(finding.id == "SQLS001" for finding in _findings(part, known, policy))
    )
    findings = _worst(log, whole, databases) if len(databases) > 1 else whole
    if not long and any(finding.id == "SQLS001" for finding in findings):
        long = ("",)  # messages that name no database
    advice = advise(log, facts, findings, long)
    return _headed(Analysis(
        _identity(log, None), facts, findings, advice.recommendations, advice.verdicts, skipped,
        (*_warnings(log), *_changed(log, known)), databases=databases,
    ))  # fmt: skip


def _headed(analysis: Analysis) -> Analysis:
    return analysis._replace(headline=headline(analysis))


def _findings(part: Analysis, known: Mapping[str, Change], policy: Policy) -> tuple[Finding, ...]:
    """The findings of a database, with its checkpoints before a change."""
    if part.report["db_id"] not in known:
        return part.findings
    return rules.run(part.facts, policy, rules.SQLSERVER)[0]


def _changed(log: Log, known: Mapping[str, Change]) -> Iterator[Note]:
    """Which checkpoints are not judged."""
    for database, change in known.items():
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
        for each in part.findings:
            known = chosen.get(each.id)
            if known is None or _rank(each) > _rank(known):
                title = f"{name}: {each.title[0].lower()}{each.title[1:]}"
                chosen[each.id] = each._replace(title=title)
    return tuple(sorted(chosen.values(), key=lambda each: (-_rank(each), each.id)))


def _rank(finding: Finding) -> int:
    return SEVERITIES.index(finding.severity)


def _database(log: Log, judged: Log, database: str, policy: Policy) -> Analysis:
    facts = facts_of(log, database)
    own = facts if judged is log else facts_of(judged, database)
    findings, skipped = rules.run(own, policy, rules.SQLSERVER)
    severity = worst([finding.severity for finding in findings])
    verdicts = Verdicts(severity, "need-data", "need-data", "need-data", None)
    return _headed(Analysis(_identity(log, database), facts, findings, (), verdicts, skipped, ()))


def _warnings(log: Log) -> tuple[Note, ...]:
    shown = log.warnings[:_NOTES]
    left = len(log.warnings) - len(shown)
    more = (Note(f"{left} more lines have rates that differ from their own numbers."),)
    return (*shown, *more) if left else shown


def _identity(log: Log, database: str | None) -> IdentityDocument:
    """The ``report`` part of the document; None is not in the log."""
    server = log.server
    return {
        "kind": log.kind,
        "db_name": log.name(database) if database is not None else None,
        "db_id": database,
        "instance": server.name,
        "instance_number": None,
        "release": server.release,
        "rac": None,
        "container": None,
        "host": (server.name or "").partition("\\")[0] or None,
        "platform": server.edition,
        "cpus": server.cpus,
        "cores": None,
        "begin_snap": None,
        "end_snap": None,
        "begin_time": _iso(log.begin),
        "end_time": _iso(log.end),
        "startup_time": _iso(server.started),
        "elapsed_s": log.elapsed_s,
        "db_time_s": None,
        "block_size": BYTES_PER_BUFFER,
        "source": log.source,
    }


def _iso(time: datetime | None) -> str | None:
    return None if time is None else time.isoformat(timespec="seconds")
