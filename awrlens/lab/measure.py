"""An alert log as an analysis: facts with their lines, verdicts, recommendations, its document.

Source: Fast-Start Checkpointing Best Practices, "Determine the MTTR Achieved".
"""

from __future__ import annotations

from collections import Counter
from statistics import median
from typing import TYPE_CHECKING, Any, Final

from awrlens.errors import UsageError
from awrlens.lab import RULES, alert_log, judge, log_facts, rules
from awrlens.lab.alert_log import Span
from awrlens.lab.judge import FEW_SECONDS, Judged, Wanted
from awrlens.lazy import NamedTuple
from awrlens.model import Analysis, Note, Verdicts, worst
from awrlens.model.analysis import Identity
from awrlens.policy import Policy

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from awrlens.advice.mttr import Request
    from awrlens.errors import UnknownInputError
    from awrlens.lab import documents
    from awrlens.lab.alert_log import Episodes, Event, Log, Recovery
    from awrlens.lab.documents import Offsets
    from awrlens.model import Fact
    from awrlens.redact.names import Names


#: # Fast-Start Checkpointing Best Practices: "Rerun the test 3 or 4 times"
ENOUGH: Final = 3
#: Two runs differ by less than this share, or by a few seconds: Oracle's estimates have settled.
_SETTLED: Final = 0.1


def of(logs: Sequence[Episodes], wanted: Wanted, policy: Policy) -> documents.RunsDocument | None:
    """The last runs of one kind and one target in logs, by time; None with fewer than two."""
    pairs = []
    for log in logs:
        fixed = judge.offsets(log)
        pairs += [(run, judge.judge(run, log, wanted, fixed, policy)) for run in log.recoveries]
    if len(logs) > 1:
        pairs.sort(key=lambda pair: str(pair[0].begin.at or ""))
    timed = [(run, verdict) for run, verdict in pairs if verdict.achieved_s is not None]
    if not timed:
        return None
    last, verdict = timed[-1]
    same = [v for run, v in timed if (run.kind, run.target_s) == (last.kind, last.target_s)]
    seconds = [v.achieved_s or 0.0 for v in same]
    if len(seconds) < 2:  # noqa: PLR2004 - one run is no series
        return None
    step = abs(seconds[-1] - seconds[-2])
    settled = step <= max(policy[FEW_SECONDS], _SETTLED * seconds[-2])
    enough = len(seconds) >= ENOUGH
    text = f"{len(seconds)} recoveries: {', '.join(f'{run_s:.0f}' for run_s in seconds)} s. "
    text += f"The last one decides: {verdict.why}."
    if not enough:
        text += f" A crash test takes {ENOUGH} or {ENOUGH + 1} runs."
    elif not settled:
        text += " The last two differ: Oracle's estimates may not have settled."
    return {
        "runs": len(seconds), "seconds": seconds, "median_s": median(seconds),
        "least_s": min(seconds), "most_s": max(seconds), "desired_s": verdict.desired_s,
        "within": sum(v.verdict == "within" for v in same), "verdict": verdict.verdict,
        "enough": enough, "settled": settled, "text": text,
    }  # fmt: skip


def of_log(episodes: Episodes, judged: tuple[Judged, ...]) -> documents.LogDocument:
    """All results as plain data, under `recovery` in the JSON document."""
    log = episodes.log
    rates = judge.rates(episodes)
    return {
        "layout": log.layout, "lines": log.lines, "unknown_lines": log.unknown_lines,
        "resolution_s": log.resolution_s,
        "rates": {
            "scan_bytes_per_s": rates["scan_bytes"],
            "apply_bytes_per_s": rates["apply_bytes"],
            "apply_blocks_per_s": rates["apply_blocks"],
        },
        "events": dict(Counter(event.kind for event in log.events)),
        "episodes": judge.of_log(episodes),
        "starts": [_start(n, episodes) for n in range(len(episodes.starts))],
        "recoveries": [
            _recovery(run, verdict, log)
            for run, verdict in zip(episodes.recoveries, judged, strict=True)
        ],
        "reconfigurations": [
            {
                **_place(change.begin), "seconds": change.seconds,
                "steps": [
                    {"line": step.line, "offset_s": Span(change.begin, step).seconds,
                     "text": step.values["step"]}
                    for step in change.steps
                ],
            }
            for change in episodes.reconfigurations
        ],
        "out_of_range": [
            {"line": e.line, "wanted_s": e.number("wanted"), "used_s": e.number("used")}
            for e in episodes.ranges
        ],
        "log_switches": judge.switches(log),
    }  # fmt: skip


def _place(event: Event) -> documents.PlaceDocument:
    return {"at": iso(event.at), "line": event.line}


def _start(number: int, episodes: Episodes) -> documents.StartDocument:
    start = episodes.starts[number]
    return {
        **_place(start.begin), "release": start.release,
        "startup_s": start.startup.seconds, "mount_s": start.mount.seconds,
        "open_s": start.open.seconds, "file_open_s": judge.open_s(number, episodes),
        "total_s": start.whole.seconds, "recovery": start.recovery,
    }  # fmt: skip


def _recovery(run: Recovery, verdict: Judged, log: Log) -> documents.LoggedRecovery:
    return {
        **_place(run.begin), "kind": run.kind, "threads": run.threads,
        "total_s": run.whole.seconds, "scan_s": run.scan.seconds, "apply_s": run.apply.seconds,
        "redo_kb": run.redo_kb, "blocks": run.blocks, "applied_mb": run.applied_mb,
        "scan_kb_per_s": judge.rate([(0, run.redo_kb, run.scan.seconds)], log.resolution_s),
        "apply_blocks_per_s": judge.rate([(0, run.blocks, run.apply.seconds)], log.resolution_s),
        "target_s": run.target_s, "achieved_s": verdict.achieved_s,
        "desired_s": verdict.desired_s, "verdict": verdict.verdict, "why": verdict.why,
    }  # fmt: skip


def iso(at: Any) -> str | None:  # noqa: ANN401 - a datetime or None
    """A time as ISO 8601, to the second."""
    return None if at is None else at.isoformat(timespec="seconds")


KIND: Final = "oracle-alert-log"
#: Maximum number of events, episodes or lines listed in words.
_SHOWN: Final = 6


def measure(
    text: str, source: str, wanted: Wanted | None = None, policy: Policy | None = None
) -> Analysis:
    """The recoveries in an alert log; NotAReportError if the text is none."""
    wanted, policy = wanted or Wanted(), policy or Policy()
    episodes = alert_log.assemble(alert_log.read(text, source))
    fixed = judge.offsets(episodes)
    judged = tuple(judge.judge(run, episodes, wanted, fixed, policy) for run in episodes.recoveries)
    facts = {fact.name: fact for fact in log_facts.facts(episodes, fixed, judged, wanted)}
    findings = tuple(
        rules.recovery_over_target(facts, last)
        for last in judged[-1:]
        if last.verdict in ("lower-bound", "bottleneck")
    )
    return Analysis(
        report=_identity(episodes).to_dict(),
        facts=facts,
        findings=findings,
        recommendations=rules.recommendations(episodes, judged, wanted, fixed),
        verdicts=Verdicts(
            worst([f.severity for f in findings]), "need-data", "need-data", "need-data", None
        ),
        skipped=(),
        warnings=tuple(_warnings(episodes, wanted)),
        recovery={
            "headline": _headline(episodes, judged),
            "estimate": _estimate(episodes, fixed, judged, wanted),
            "offsets": fixed,
            "runs": of(wanted.logs or (episodes,), wanted, policy),
            "rates_moved_pct": judge.moved_pct(episodes),
            "bottleneck": wanted.bottleneck,
            **of_log(episodes, judged),
        },
    )


class AlertLog(NamedTuple):
    """An alert log that answers as ``awrlens.extensions.OtherInput`` says."""

    text: str
    source: str
    #: What its recoveries are compared with; None: the desired time of the request.
    wanted: Wanted | None = None
    names: Names | None = None

    @property
    def rules(self) -> frozenset[str]:
        """The rules on alert logs."""
        return frozenset(RULES)

    def facts(self, part: str | None = None) -> Mapping[str, Fact]:
        """Its facts; UsageError for a part."""
        if part is not None:
            raise UsageError("An alert log has no parts.", source=self.source)
        return self.analyze(Policy(), None).facts

    def analyze(self, policy: Policy, request: Request | None) -> Analysis:
        """The recoveries in the log."""
        wanted = self.wanted or Wanted(request and request.desired_mttr_s)
        analysis = measure(self.text, self.source, wanted, policy)
        return analysis if self.names is None else without_names(analysis, self.names.of)

    def without_names(self, names: Names) -> AlertLog:
        """The log whose analysis has pseudonyms; its file is already named by one."""
        return self._replace(names=names)


def alert_log_of(problem: UnknownInputError) -> AlertLog | None:
    """The alert log in an input that is not a report; None if it is not one either."""
    if not alert_log.is_alert_log(problem.text):
        return None
    return AlertLog(problem.text, problem.source or "<text>")


def without_names(analysis: Analysis, pseudonym: Callable[[str], str]) -> Analysis:
    """The analysis with pseudonyms and without messages, which may contain names."""
    report = analysis.report
    db_name, instance = report["db_name"], report["instance"]
    report = {
        **report, "db_name": db_name and pseudonym(db_name),
        "instance": instance and pseudonym(instance),
    }  # fmt: skip

    def bare(fact: Fact) -> Fact:
        return fact._replace(evidence=tuple(item._replace(text="") for item in fact.evidence))

    return analysis._replace(
        report=report,
        facts={name: bare(fact) for name, fact in analysis.facts.items()},
        findings=tuple(
            finding._replace(facts=tuple(map(bare, finding.facts))) for finding in analysis.findings
        ),
    )


def _headline(episodes: Episodes, judged: tuple[Judged, ...]) -> str:
    if not episodes.recoveries:
        number = len(episodes.starts)
        starts = f", {number} start{'' if number == 1 else 's'}" if number else ""
        return f"No crash or instance recovery in this log{starts}."
    number = len(episodes.recoveries)
    text = "1 recovery" if number == 1 else f"{number} recoveries"
    last, verdict = episodes.recoveries[-1], judged[-1]
    if verdict.achieved_s is None:
        return f"{text}; the end of the last one is not in the log."
    what = "until the database was open" if last.kind == "crash" else "of instance recovery"
    return f"{text}; the last took {verdict.achieved_s:.0f} s {what}: {verdict.why}."


def _estimate(
    episodes: Episodes, fixed: Offsets, judged: tuple[Judged, ...], wanted: Wanted
) -> documents.EstimateDocument | None:
    if wanted.estimated_mttr_s is None or not judged or judged[-1].achieved_s is None:
        return None
    # Fast-Start Checkpointing Best Practices, "Monitoring MTTR in a RAC Environment"
    offset = fixed.total_s if episodes.recoveries[-1].kind == "instance" else 0.0
    return {
        "estimated_s": wanted.estimated_mttr_s,
        "expected_s": max(0.0, wanted.estimated_mttr_s - offset),
        "achieved_s": judged[-1].achieved_s,
    }


def _identity(episodes: Episodes) -> Identity:
    log = episodes.log
    elapsed = (log.last - log.first).total_seconds() if log.first and log.last else 0.0
    size = episodes.parameter("db_block_size")
    releases = [event.release for event in log.of("release") if event.values]
    return Identity(
        KIND,
        db_name=episodes.parameter("db_name") or None,
        instance=episodes.parameter("instance_name") or None,
        instance_number=episodes.parameter("instance_number") or None,
        release=releases[-1] if releases else None,
        rac=episodes.clustered,
        begin_time=iso(log.first),
        end_time=iso(log.last),
        startup_time=iso(episodes.starts[-1].begin.at) if episodes.starts else None,
        elapsed_s=elapsed or None,
        block_size=int(size) if size and size.isdecimal() else None,
        source=log.source,
    )


def _warnings(episodes: Episodes, wanted: Wanted) -> Iterator[Note]:
    log = episodes.log
    if wanted.owner is not None:
        yield from judge.doubts(episodes, wanted.owner)
    for line, seconds in log.steps[:_SHOWN]:
        yield Note(
            f"time goes back by {seconds:,.0f} s: events across this line are not timed", line
        )
    if len(log.steps) > _SHOWN:
        yield Note(f"time goes back {len(log.steps) - _SHOWN} more times")
    for line in episodes.unannounced[:_SHOWN]:
        yield Note("the instance starts without a preceding shutdown in the log: it crashed", line)
    if episodes.jumps:
        yield Note(
            f"log sequence numbers have {len(episodes.jumps)} gaps: parts of the log are missing",
            episodes.jumps[0],
        )
    untimed = sum(event.at is None for event in log.events)
    if untimed:
        many = "message precedes" if untimed == 1 else "messages precede"
        yield Note(f"{untimed} {many} the first time stamp: counted, but not timed")
    for recovery in episodes.recoveries:
        if recovery.whole.end is None:
            yield Note("the end of this recovery is not in the log", recovery.begin.line)
