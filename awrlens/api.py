"""Combines report, facts, rules and advice into one frozen analysis.

Facts, lists and thresholds decide, never the text of the report: so a report can be judged again
from what was read of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from awrlens import extensions, model, rules
from awrlens.advice import mttr, plan
from awrlens.advice.case import Case
from awrlens.advice.headline import Headline, first_action, headline, reports_to_take
from awrlens.errors import AwrlensError, NotAReportError, UnknownInputError
from awrlens.facts.figures import Figures
from awrlens.facts.load import Consumers, consumers, overview
from awrlens.facts.registry import Facts
from awrlens.lazy import NamedTuple
from awrlens.model import ALARMS, Analysis, Note
from awrlens.policy import Policy
from awrlens.report.report import Report, first_report, open_inputs

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from awrlens.extensions import OtherInput
    from awrlens.model import Fact, Overview
    from awrlens.model.analysis import PeriodsDocument
    from awrlens.model.chart_data import Exhibits, TablespaceIO
    from awrlens.model.comparison import Comparison, Event, Reading, Statement
    from awrlens.redact.names import Names
    from awrlens.source.open import Source


#: What an input is read as.
_Read = TypeVar("_Read")


class ReportFacts(NamedTuple):
    """What was read of a report or part; ``threads`` are the instances in its facts."""

    report: Mapping[str, Any]
    facts: Mapping[str, Fact]
    warnings: tuple[Note, ...] = ()
    overview: Overview | None = None
    threads: int = 1


class ReportLists(NamedTuple):
    """The lists of a report that are not in its analysis; they are empty if it spans a restart."""

    valid: bool
    events: tuple[Event, ...]
    parameters: Mapping[str, str]
    consumers: Consumers
    tablespaces: tuple[TablespaceIO, ...] = ()
    statements: Mapping[str, Statement] = {}
    work: Mapping[str, Mapping[str, float]] = {}


def judge(
    part: ReportFacts,
    policy: Policy,
    request: mttr.Request,
    before: Mapping[str, Fact] | None = None,
) -> Analysis:
    """One report or part; ``before`` are the facts of the first period if this is the second."""
    findings, skipped = rules.run(part.facts, policy, before=before)
    advice = plan.advise(Case.of(part.facts, findings, policy, request, part.threads, before))
    doubts = part.facts.contradictions if isinstance(part.facts, Facts) else ()
    return headed(Analysis(
        report=part.report,
        facts=part.facts,
        findings=findings,
        recommendations=advice.recommendations,
        verdicts=advice.verdicts,
        skipped=skipped,
        warnings=(*part.warnings, *doubts),
        overview=part.overview,
        rules=tuple(rules.oracle()),
    ), policy)  # fmt: skip


def with_parts(whole: Analysis, parts: tuple[Analysis, ...]) -> Analysis:
    """A RAC report with its instances; another report as it is."""
    if not parts:
        return whole
    from awrlens.advice.recovery_target import of_cluster

    warnings = (*whole.warnings, *reports_to_take(whole, parts))
    return of_cluster(whole._replace(instances=parts, warnings=warnings), parts)


def judge_periods(
    first: ReportFacts, second: ReportFacts, policy: Policy, request: mttr.Request
) -> tuple[Analysis, Analysis]:
    """Both periods of a compare-period report, the second weighed against the first."""
    return judge(first, policy, request), judge(second, policy, request, first.facts)


def compared(
    whole: ReportFacts, halves: tuple[Analysis, Analysis], sides: Sequence[Reading], policy: Policy
) -> Analysis:
    """A compare-period report: the current state is that of the second period."""
    from awrlens.series import compare

    second = halves[1]
    warnings = whole.warnings
    comparison = compare.periods([sides[0]], [sides[1]], policy)
    if comparison.is_empty:  # there are no times that may be wrong
        warnings = tuple(note for note in warnings if note.about != "untimed")
    if comparison.risen is not None:
        second = headed(plan.with_risen(second, comparison.risen), policy)
    halves = halves[0], second
    sentence, lines, _ = of_periods(halves, comparison, policy)
    return second._replace(
        report=whole.report,
        facts={},
        warnings=warnings,
        headline=sentence,
        headline_lines=lines,
        periods=halves,
        comparison=comparison,
    )


def reading_of(analysis: Analysis, lists: ReportLists) -> Reading:
    """The data of an analyzed report, without its instances, that a comparison needs."""
    from awrlens.model.comparison import Reading

    return Reading(
        report=analysis.report,
        facts=analysis.facts,
        events=lists.events,
        parameters=lists.parameters,
        findings=tuple(f._replace(facts=()) for f in analysis.findings),
        verdicts=analysis.verdicts,
        skipped=tuple(skip.rule for skip in analysis.skipped),
        valid=lists.valid,
        warnings=analysis.warnings,
        consumers=lists.consumers.shares,
        all_consumers=lists.consumers.complete,
        statements=lists.statements,
        work=lists.work,
        kept={},
    )


def headed(analysis: Analysis, policy: Policy) -> Analysis:
    """An analysis with its headline."""
    sentence, lines, _ = headline(analysis, policy)
    return analysis._replace(headline=sentence, headline_lines=lines)


def of_periods(halves: Sequence[Analysis], comparison: PeriodsDocument, policy: Policy) -> Headline:
    """The headline of the comparison, then that of the second period.

    The second is not calm if the comparison is alarmed: DB time may be lost elsewhere. It comes
    first if its problem is an alarm that is new. The lines do not repeat an action, nor SQL.
    """
    first, second = halves
    alarmed = comparison.severity in ("warning", "critical", "unknown")
    now = headline(second, policy, calm=not alarmed, alone=False)
    before = {f.id for f in model.with_parts(first.findings) if f.severity in ALARMS}
    leads = [f.id for f in model.with_parts(second.findings[:1]) if f.severity in ALARMS]
    if leads and before.isdisjoint(leads):
        new, rest = f"New in the second period: {now.lines[0]}", " ".join(now.lines[2:])
        sentence = f"New in the second period: {now.sentence} {comparison.headline}"
        lines = (new, *now.lines[1:2], *comparison.headline_lines)
    else:
        said, lines = " ".join(comparison.headline_lines), comparison.headline_lines
        sentence = f"{comparison.headline} Second period: {now.sentence}"
        brief = headline(second, policy, calm=not alarmed, alone=False, said=said)
        rest = " ".join(brief.lines[brief.is_action :])  # the action follows
        rest = rest.replace(" is elsewhere: ", ": ", int(brief.is_action))
    begins = [str(part.report["begin_time"] or "") for part in halves]
    earlier = "The second period is earlier than the first." * ("" < begins[1] < begins[0])
    first_line = f"{earlier} {lines[0]}".strip()
    # actions are those of the second period, but the database is now as in the first
    action = first_action(first) if earlier else None
    later = f"First action of the later period: {action.title}." if action else ""
    last = f"{f'Second period: {rest}' if rest else ''} {later}".strip()
    every = (first_line, *lines[1:], last)
    return Headline(f"{earlier} {sentence} {later}".strip(), tuple(filter(None, every)))


def load(
    path_or_bytes: str | Path | bytes, name: str | None = None, names: Names | None = None
) -> Report:
    """Read a report from a path, ``-`` (standard input) or bytes.

    With ``names`` it is redacted: all output from it is free of real names.
    Raises UnreadableError or NotAReportError if it cannot be read.
    """
    try:
        return first_report(load_all(path_or_bytes, name, names), name)
    except UnknownInputError as problem:
        if extensions.other_input(problem) is None:
            raise
        said = "This is an alert log: give a report, and the log with --alert-log."
        raise NotAReportError(said, source=problem.source) from None


def load_all(
    path_or_bytes: str | Path | bytes, name: str | None = None, names: Names | None = None
) -> Iterator[Report | AwrlensError]:
    """Every report of a path, ``-`` or bytes: members of an archive, reports within one file.

    An input that cannot be read becomes an error in its place, and the others are read.
    """
    return _without_names(open_inputs(path_or_bytes, name, _refused), names)


def load_inputs(
    path_or_bytes: str | Path | bytes, name: str | None = None, names: Names | None = None
) -> Iterator[Report | OtherInput | AwrlensError]:
    """Like ``load_all``, but with logs that look like no report, such as those of SQL Server.

    ``analyze`` and ``facts_of`` accept them, too.
    """
    return _without_names(open_inputs(path_or_bytes, name, _log), names)


def _without_names(results: Iterator[_Read], names: Names | None) -> Iterator[_Read]:
    if names is None:
        return results
    from awrlens.redact.rewrite import without_names

    return (without_names(result, names) for result in results)


def _log(source: Source) -> OtherInput | None:
    """Only called for inputs that do not look like Oracle reports."""
    log = extensions.log_of(source)
    return None if log is None else log[0]


def _refused(source: Source) -> AwrlensError | None:
    """The error for a log where a report is required."""
    log = extensions.log_of(source)
    if log is None:
        return None
    reader = log[1]
    return NotAReportError(reader.refusal, source=source.name, hint=reader.hint)


def facts_of(report: Report | OtherInput) -> Mapping[str, Fact]:
    """Every fact of a report, available or not.

    A RAC report has those of the cluster. A compare-period report has none of its own: see
    ``report.periods``.
    """
    if not isinstance(report, Report):
        return report.facts()
    if report.periods:
        return {}
    return Facts(figures_of(report), valid=report.cluster.valid)


def figures_of(report: Report) -> Figures:
    """The numbers of a report, or of the cluster of a RAC report."""
    return Figures(report.cluster)


def analyze(
    report: Report | OtherInput, policy: Policy | None = None, request: mttr.Request | None = None
) -> Analysis:
    """Facts, findings and recommendations of one report, of its instances or its periods.

    ``policy`` sets thresholds, ``request`` has the known and the desired recovery time.
    """
    policy = policy or Policy()
    if not isinstance(report, Report):
        return report.analyze(policy, request)
    request = request or mttr.Request(rac=bool(report.identity.rac))
    if report.periods:
        one, two = map(_read, report.periods)
        halves = judge_periods(one, two, policy, request)
        facts = ReportFacts(report.identity.to_dict(), {}, report.warnings)  # has none of its own
        return compared(facts, halves, [*map(reading, report.periods, halves)], policy)
    whole = judge(_read(report), policy, request)
    parts = tuple(judge(_read(part), policy, request) for part in report.instances)
    return with_parts(whole, parts)


def _read(report: Report) -> ReportFacts:
    figures, valid = figures_of(report), report.cluster.valid
    brief = overview(figures) if valid else None
    if brief is not None and report.is_excerpt:
        from awrlens.facts import excerpt

        brief = brief._replace(read=excerpt.read(figures) or None)
    return ReportFacts(
        report.identity.to_dict(), Facts(figures, valid=valid), report.warnings,
        brief, max(1, len(report.instances)),
    )  # fmt: skip


def exhibits(
    report: Report | OtherInput, analysis: Analysis, policy: Policy | None = None
) -> Exhibits:
    """The chart data and the sections of the report for an analysis.

    For a compare-period report, the numbers are those of the second period.
    """
    from awrlens.advice import chart_data
    from awrlens.facts import printed as chart_series
    from awrlens.model.chart_data import Exhibits

    if not isinstance(report, Report):
        return Exhibits()
    part = report.periods[1] if report.periods else report
    judged = analysis.periods[1] if analysis.periods else analysis
    policy, verdicts = policy or Policy(), judged.verdicts
    shown = Exhibits(
        mttr=chart_data.mttr_scale(judged.facts, verdicts), sections=tuple(report.printed())
    )
    if not part.cluster.valid:  # differences of such a report are meaningless
        return shown
    figures, case = figures_of(part), Case.of(judged.facts, judged.findings, policy)
    return shown._replace(
        latencies=chart_data.latencies(case, chart_series.latencies(figures)),
        tablespaces=chart_series.tablespace_io(figures),
        undo=chart_series.undo_slices(figures),
        curve=chart_data.write_curve(case, verdicts.fast_start_mttr_target_s),
        devices=chart_data.by_device(case),
        present=chart_data.present(case),
        noticed_pct=policy["impact.info_pct"],
        base=case.base,
    )


def read(
    report: Report, policy: Policy | None = None, request: mttr.Request | None = None
) -> Reading:
    """The data of a report that a comparison needs, without a reference to the file.

    For a compare-period report, that of its second period, which is the current one.
    """
    report = report.periods[1] if report.periods else report
    return reading(report, analyze(report, policy, request))


def reading(report: Report, analysis: Analysis) -> Reading:
    """The data of an analyzed report that a comparison needs."""
    parts = zip(report.instances, analysis.instances, strict=False)
    return reading_of(analysis, contents(report, analysis))._replace(
        facts={name: fact.detached() for name, fact in analysis.facts.items()},
        instances=tuple(reading(part, judged) for part, judged in parts),
    )


def contents(report: Report, analysis: Analysis, *, with_tablespaces: bool = False) -> ReportLists:
    """Wait events, parameters and consumers of DB time; the I/O of tablespaces if asked."""
    from awrlens.facts.printed import tablespace_io
    from awrlens.facts.sql import statements, work
    from awrlens.facts.waits import events

    facts, valid = analysis.facts, report.cluster.valid
    figures = facts.figures if isinstance(facts, Facts) else figures_of(report)
    return ReportLists(
        valid,
        tuple(events(figures)) if valid and report.complete else (),
        report.cluster.parameters(),
        consumers(figures) if valid else Consumers(),
        tablespace_io(figures) if valid and with_tablespaces else (),
        statements(figures) if valid else {},
        work(figures) if valid else {},
    )


def compare(
    before: Sequence[Reading],
    after: Sequence[Reading],
    policy: Policy | None = None,
    expected: Sequence[Mapping[str, Any]] = (),
) -> Comparison:
    """Compare one or several reports with one or several others, as ``read`` gives them.

    ``expected`` are documents of earlier analyses; their recommendations are assessed.
    """
    from awrlens.series import compare

    return compare.compare(before, after, policy or Policy(), expected, plan.CATALOGUE)


def periods(report: Report, policy: Policy | None = None) -> tuple[Reading, Reading]:
    """Both periods of a compare-period report, the second weighed against the first."""
    one, two = map(_read, report.periods)
    request = mttr.Request(rac=bool(report.identity.rac))
    halves = judge_periods(one, two, policy or Policy(), request)
    first, second = map(reading, report.periods, halves)
    return first, second
