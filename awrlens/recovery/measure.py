"""An alert log as an analysis: facts with their lines, verdicts and recommendations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.model import Analysis, Note, Verdicts, worst
from awrlens.policy import Policy
from awrlens.recovery import (
    alertlog,
    amounts,
    document,
    episodes,
    judge,
    log_facts,
    rules,
    runs,
    same_database,
)
from awrlens.recovery.judge import Judged, Offsets, Wanted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from awrlens.model import Fact
    from awrlens.model.analysis_document import IdentityDocument
    from awrlens.model.recovery_document import EstimateDocument
    from awrlens.recovery.alertlog import Log
    from awrlens.recovery.episodes import Episodes

KIND: Final = "oracle-alert-log"
#: Maximum number of events, episodes or lines listed in words.
_SHOWN: Final = 6


def measure(
    text: str,
    source: str,
    wanted: Wanted = Wanted(),  # noqa: B008 - an immutable value
    policy: Policy | None = None,
) -> Analysis:
    """The recoveries in an alert log.

    Raises NotAReportError if the text is not an alert log.
    """
    return of_log(alertlog.read(text, source), wanted, policy)


def of_log(
    log: Log,
    wanted: Wanted = Wanted(),  # noqa: B008 - an immutable value
    policy: Policy | None = None,
) -> Analysis:
    """The recoveries in the events of an alert log."""
    policy = policy or Policy()
    found = episodes.assemble(log)
    known = judge.offsets(found)
    judged = tuple(judge.judge(each, found, wanted, known, policy) for each in found.recoveries)
    facts = {fact.name: fact for fact in log_facts.facts(found, known, judged, wanted)}
    findings = rules.findings(found, facts, judged)
    return Analysis(
        report=_identity(found),
        facts=facts,
        findings=findings,
        recommendations=rules.recommendations(found, judged, wanted, known),
        verdicts=Verdicts(
            worst([f.severity for f in findings]), "need-data", "need-data", "need-data", None
        ),
        skipped=(),
        warnings=tuple(_warnings(found, wanted)),
        recovery={
            "headline": _headline(found, judged),
            "estimate": _estimate(found, known, judged, wanted),
            "offsets": {"init_s": known.init_s, "open_s": known.open_s},
            "runs": runs.of(wanted.logs or (found,), wanted, policy),
            "rates_moved_pct": amounts.moved_pct(found),
            "bottleneck": wanted.bottleneck and wanted.bottleneck.to_dict(),
            **document.of_log(found, judged),
        },
    )


def without_names(analysis: Analysis, pseudonym: Callable[[str], str]) -> Analysis:
    """The analysis of a log with pseudonyms and without the text of its messages.

    Line numbers and figures stay; a message may contain names of instances, files and users.
    """

    def hidden(name: str | None) -> str | None:
        return None if name is None else pseudonym(name)

    report = analysis.report
    report = {
        **report, "db_name": hidden(report["db_name"]), "instance": hidden(report["instance"]),
    }  # fmt: skip

    def bare(fact: Fact) -> Fact:
        return fact._replace(evidence=tuple(item._replace(text="") for item in fact.evidence))

    return analysis._replace(
        report=report,
        facts={name: bare(fact) for name, fact in analysis.facts.items()},
        findings=tuple(
            each._replace(facts=tuple(map(bare, each.facts))) for each in analysis.findings
        ),
    )


def _headline(found: Episodes, judged: tuple[Judged, ...]) -> str:
    """The recoveries in the log, in one sentence."""
    if not found.recoveries:
        number = len(found.starts)
        starts = f", {number} start{'' if number == 1 else 's'}" if number else ""
        return f"No crash or instance recovery in this log{starts}."
    number = len(found.recoveries)
    text = "1 recovery" if number == 1 else f"{number} recoveries"
    last, verdict = found.recoveries[-1], judged[-1]
    if verdict.achieved_s is None:
        return f"{text}; the end of the last one is not in the log."
    what = "until the database was open" if last.kind == "crash" else "of instance recovery"
    return f"{text}; the last took {verdict.achieved_s:.0f} s {what}: {verdict.why}."


def _estimate(
    found: Episodes, known: Offsets, judged: tuple[Judged, ...], wanted: Wanted
) -> EstimateDocument | None:
    """The achieved time and a report's estimate; None if either is not known.

    In RAC, start-up and opening are subtracted from the estimate.
    # Fast-Start Checkpointing Best Practices, "Monitoring MTTR in a RAC Environment"
    """
    if wanted.estimated_mttr_s is None or not judged or judged[-1].achieved_s is None:
        return None
    offset = known.total_s if found.recoveries[-1].kind == "instance" else 0.0
    return {
        "estimated_s": wanted.estimated_mttr_s,
        "expected_s": max(0.0, wanted.estimated_mttr_s - offset),
        "achieved_s": judged[-1].achieved_s,
    }


def _identity(found: Episodes) -> IdentityDocument:
    log = found.log
    elapsed = (log.last - log.first).total_seconds() if log.first and log.last else 0.0
    size = found.parameter("db_block_size")
    releases = [e for e in log.of("release") if e.values]
    release = None
    if releases:
        values = releases[-1].values
        release = values.get("full") or values.get("old") or values.get("long")
    return {
        "kind": KIND, "db_name": found.parameter("db_name") or None, "db_id": None,
        "instance": found.parameter("instance_name") or None,
        "instance_number": found.parameter("instance_number") or None, "release": release,
        "rac": found.clustered,
        "container": None, "host": None, "platform": None, "cpus": None, "cores": None,
        "begin_snap": None, "end_snap": None, "begin_time": document.iso(log.first),
        "end_time": document.iso(log.last),
        "startup_time": document.iso(found.starts[-1].begin.at) if found.starts else None,
        "elapsed_s": elapsed or None, "db_time_s": None,
        "block_size": int(size) if size and size.isdecimal() else None, "source": log.source,
    }  # fmt: skip


def _warnings(found: Episodes, wanted: Wanted) -> Iterator[Note]:
    log = found.log
    if wanted.owner is not None:
        yield from same_database.doubts(found, wanted.owner)
    for line, seconds in log.steps[:_SHOWN]:
        yield Note(
            f"time goes back by {seconds:,.0f} s: events across this line are not timed", line
        )
    if len(log.steps) > _SHOWN:
        yield Note(f"time goes back {len(log.steps) - _SHOWN} more times")
    for line in found.unannounced[:_SHOWN]:
        yield Note("the instance starts without a preceding shutdown in the log: it crashed", line)
    if found.jumps:
        yield Note(
            f"log sequence numbers have {len(found.jumps)} gaps: parts of the log are missing",
            found.jumps[0],
        )
    untimed = sum(event.at is None for event in log.events)
    if untimed:
        many = "message precedes" if untimed == 1 else "messages precede"
        yield Note(f"{untimed} {many} the first time stamp: counted, but not timed")
    for recovery in found.recoveries:
        if recovery.whole.end is None:
            yield Note("the end of this recovery is not in the log", recovery.begin.line)
