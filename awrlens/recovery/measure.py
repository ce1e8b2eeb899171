"""An alert log as an analysis: facts with their lines, the verdict of document 1, what to do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from awrlens.model import Analysis, Note, Verdicts, worst
from awrlens.recovery import alertlog, belonging, document, episodes, figures, judge, rules
from awrlens.recovery.judge import Judged, Offsets, Wanted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from awrlens.model import Fact
    from awrlens.recovery.alertlog import Log
    from awrlens.recovery.episodes import Episodes

KIND: Final = "oracle-alert-log"
#: A list of events, episodes or lines in words is cut after as many.
_SHOWN: Final = 6


def measure(text: str, source: str, wanted: Wanted = Wanted()) -> Analysis:  # noqa: B008 - a value
    """What an alert log tells of recovery.

    Raises NotAReportError when it is none.
    """
    return of_log(alertlog.read(text, source), wanted)


def of_log(log: Log, wanted: Wanted = Wanted()) -> Analysis:  # noqa: B008 - an immutable value
    """What the events of an alert log tell of recovery."""
    found = episodes.assemble(log)
    known = judge.offsets(found)
    judged = tuple(judge.judge(each, found, wanted, known) for each in found.recoveries)
    facts = {fact.name: fact for fact in figures.facts(found, known, judged, wanted)}
    findings = rules.findings(found, facts, judged)
    return Analysis(
        report=_identity(found),
        facts=facts,
        findings=findings,
        recommendations=rules.recommendations(found, judged),
        verdicts=Verdicts(
            worst([f.severity for f in findings]), "need-data", "need-data", "need-data", None
        ),
        skipped=(),
        warnings=tuple(_warnings(found, wanted)),
        recovery={
            "headline": _headline(found, judged),
            "estimate": _estimate(found, known, judged, wanted),
            "offsets": known._asdict(),
            **document.of_log(found, judged),
        },
    )


def without_names(analysis: Analysis, pseudonym: Callable[[str], str]) -> Analysis:
    """The analysis of a log with other names, and without the messages that it rests on.

    Lines and numbers stay; a message may name instances, files and users.
    """
    report = dict(analysis.report)
    for name in ("db_name", "instance"):
        if report[name] is not None:
            report[name] = pseudonym(report[name])

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
    """What the log says of recovery, in one sentence."""
    if not found.recoveries:
        number = len(found.starts)
        starts = f", {number} start{'' if number == 1 else 's'}" if number else ""
        return f"No crash or instance recovery in this log{starts}."
    number = len(found.recoveries)
    text = "1 recovery" if number == 1 else f"{number} recoveries"
    last, verdict = found.recoveries[-1], judged[-1]
    if verdict.achieved_s is None:
        return f"{text}; the last one has no end in the log."
    what = "until the database was open" if last.kind == "crash" else "of instance recovery"
    return f"{text}; the last took {verdict.achieved_s:.0f} s {what}: {verdict.why}."


def _estimate(
    found: Episodes, known: Offsets, judged: tuple[Judged, ...], wanted: Wanted
) -> dict[str, float] | None:
    """What was achieved beside a report's estimate; None where either is not known.

    In RAC the estimate is taken less start-up and opening. # document 1, "Monitoring MTTR"
    """
    if wanted.estimated_mttr_s is None or not judged or judged[-1].achieved_s is None:
        return None
    offset = known.total_s if found.recoveries[-1].kind == "instance" else 0.0
    return {
        "estimated_s": wanted.estimated_mttr_s,
        "expected_s": max(0.0, wanted.estimated_mttr_s - offset),
        "achieved_s": judged[-1].achieved_s,
    }


def _identity(found: Episodes) -> dict[str, Any]:
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
        yield from belonging.doubts(found, wanted.owner)
    for line, seconds in log.steps[:_SHOWN]:
        yield Note(f"time goes back by {seconds:,.0f} s: what spans this line is not timed", line)
    if len(log.steps) > _SHOWN:
        yield Note(f"time goes back {len(log.steps) - _SHOWN} times more")
    for line in found.unannounced[:_SHOWN]:
        yield Note("the instance starts, and the log has no end of it before: it crashed", line)
    if found.jumps:
        yield Note(
            f"log sequence numbers jump {len(found.jumps)} times: parts of the log are missing",
            found.jumps[0],
        )
    untimed = sum(event.at is None for event in log.events)
    if untimed:
        many = "message stands" if untimed == 1 else "messages stand"
        yield Note(f"{untimed} {many} before the first time stamp: counted, not timed")
    for recovery in found.recoveries:
        if recovery.whole.end is None and recovery.whole.begin is not None:
            yield Note("this recovery has no end in the log", recovery.whole.begin.line)
