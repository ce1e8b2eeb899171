"""Combines report, facts, rules and advice into one frozen analysis."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from awrlens import rules
from awrlens.advice import mttr
from awrlens.advice.case import Case
from awrlens.errors import AwrlensError, NotAReportError, UnreadableError
from awrlens.facts.load import Consumers, consumers, overview
from awrlens.facts.numbers import Figures
from awrlens.facts.registry import ShownFacts
from awrlens.judging import Contents, Read, compared, judge, judge_periods, with_parts
from awrlens.judging import reading as reading_of
from awrlens.policy import Policy
from awrlens.report.report import Report, open_inputs, open_report
from awrlens.wait_severity import INFO_PCT

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from awrlens.advice.whatif import Change, Outcome
    from awrlens.model import Analysis, Fact
    from awrlens.model.chart_data import Exhibits
    from awrlens.model.comparison import Comparison, Reading
    from awrlens.redact.names import Names
    from awrlens.source.open import Source
    from awrlens.sqlserver.events import Log


def load(
    path_or_bytes: str | Path | bytes, name: str | None = None, names: Names | None = None
) -> Report:
    """Read a report from a path, ``-`` (standard input) or bytes.

    With ``names`` it is redacted: all output from it is free of real names.
    Raises UnreadableError or NotAReportError if it cannot be read.
    """
    problem: AwrlensError | None = None
    if names is None:
        return open_report(path_or_bytes, name, _refused)
    for found in load_all(path_or_bytes, name, names):
        if not isinstance(found, AwrlensError):
            return found
        problem = problem or found
    raise problem or UnreadableError("There is nothing to read.")


def load_all(
    path_or_bytes: str | Path | bytes, name: str | None = None, names: Names | None = None
) -> Iterator[Report | AwrlensError]:
    """Every report of a path, ``-`` or bytes: members of an archive, reports within one file.

    An input that cannot be read becomes an error in its place, and the others are read.
    """
    if names is None:
        return open_inputs(path_or_bytes, name, _refused)
    from awrlens.redact.rewrite import without_names  # noqa: PLC0415 - few ask

    return (without_names(found, names) for found in open_inputs(path_or_bytes, name, _refused))


def load_inputs(
    path_or_bytes: str | Path | bytes, name: str | None = None, names: Names | None = None
) -> Iterator[Report | Log | AwrlensError]:
    """Like ``load_all``, but with SQL Server logs, which ``analyze`` and ``facts_of`` accept."""
    found = open_inputs(path_or_bytes, name, _log)
    return found if names is None else (_without_names(each, names) for each in found)


def _without_names(found: Report | Log | AwrlensError, names: Names) -> Report | Log | AwrlensError:
    if isinstance(found, Report | AwrlensError):
        from awrlens.redact.rewrite import without_names  # noqa: PLC0415 - few ask

        return without_names(found, names)
    from awrlens.sqlserver.redacted import without_names as of_log  # noqa: PLC0415

    return of_log(found, names)


def _log(source: Source) -> Log | None:
    """An error log of SQL Server; only called for inputs that are not Oracle reports."""
    from awrlens.sqlserver.read import log_of  # noqa: PLC0415 - not for reports

    return log_of(source)


def _refused(source: Source) -> AwrlensError | None:
    """The error for a log of SQL Server where a report is required."""
    log = _log(source)
    return None if log is None else NotAReportError(
        "This is a SQL Server error log, not an Oracle report.", source=source.name,
        hint="`awrlens analyze` reads it, `awrlens sqlserver compare` compares two.",
    )  # fmt: skip


def facts_of(report: Report | Log) -> Mapping[str, Fact]:
    """Every fact of a report, available or not.

    A RAC report has those of the cluster. A compare-period report has none of its own: see
    ``report.periods``.
    """
    if not isinstance(report, Report):
        from awrlens.sqlserver.facts import facts_of as of_log  # noqa: PLC0415 - not for reports

        return of_log(report)
    if report.periods:
        return {}
    return ShownFacts(figures_of(report), valid=report.cluster.valid)


def figures_of(report: Report) -> Figures:
    """The numbers of a report, or of the cluster of a RAC report."""
    part = report.cluster
    return Figures(
        part.tables, part.identity, part.line, part.why_missing,
        complete=part.complete, excerpt=part.excerpt,
    )  # fmt: skip


def what_if(report: Report, change: Change, policy: Policy | None = None) -> Outcome:
    """The estimated effect of a change; UsageError without a change.

    For a compare-period report, use one of its ``periods``.
    """
    from awrlens.advice.whatif import estimate  # noqa: PLC0415 - few ask
    from awrlens.facts import recovery  # noqa: PLC0415

    curves = recovery.read(figures_of(report))
    return estimate(facts_of(report), curves, change, policy or Policy())


def analyze(
    report: Report | Log, policy: Policy | None = None, request: mttr.Request | None = None
) -> Analysis:
    """Facts, findings and recommendations of one report, of its instances or its periods.

    ``policy`` sets thresholds, ``request`` has the known and the desired recovery time.
    """
    policy = policy or Policy()
    if not isinstance(report, Report):
        from awrlens.sqlserver.analysis import analyze as of_log  # noqa: PLC0415 - not for reports

        return of_log(report, policy)
    request = request or mttr.Request(rac=bool(report.identity.rac))
    if report.periods:
        return _compare(report, policy, request)
    whole = judge(_read(report), policy, request)
    parts = tuple(judge(_read(part), policy, request) for part in report.instances)
    return with_parts(whole, parts)


def _read(report: Report) -> Read:
    figures, valid = figures_of(report), report.cluster.valid
    return Read(
        report.identity.to_dict(), ShownFacts(figures, valid=valid), report.warnings,
        overview(figures) if valid else None, max(1, len(report.instances)),
    )  # fmt: skip


def exhibits(report: Report | Log, analysis: Analysis, policy: Policy | None = None) -> Exhibits:
    """The chart data and the sections of the report for an analysis.

    For a compare-period report, the numbers are those of the second period.
    """
    from awrlens.advice import chart_data  # noqa: PLC0415 - for pages only
    from awrlens.facts import printed as chart_series  # noqa: PLC0415
    from awrlens.model.chart_data import Exhibits  # noqa: PLC0415
    from awrlens.report.frames import printed  # noqa: PLC0415

    if not isinstance(report, Report):
        return Exhibits()
    part = report.periods[1] if report.periods else report
    judged = analysis.periods[1] if analysis.periods else analysis
    policy, verdicts = policy or Policy(), judged.verdicts
    shown = Exhibits(
        mttr=chart_data.mttr_scale(judged.facts, verdicts), sections=tuple(printed(report))
    )
    if not part.cluster.valid:  # differences of such a report are meaningless
        return shown
    figures, case = figures_of(part), Case.of(judged.facts, judged.findings, policy)
    return shown._replace(
        latencies=chart_data.latencies(case, chart_series.latencies(figures), rules.thresholds()),
        tablespaces=chart_series.tablespace_io(figures),
        undo=chart_series.undo_slices(figures),
        curve=chart_data.write_curve(case, verdicts.fast_start_mttr_target_s),
        devices=chart_data.devices(case),
        present=chart_data.present(case),
        noticed_pct=policy[INFO_PCT],
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
        instances=tuple(reading(part, found) for part, found in parts),
    )


def contents(report: Report, analysis: Analysis, *, with_tablespaces: bool = False) -> Contents:
    """Wait events, parameters and consumers of DB time; the I/O of tablespaces if asked."""
    from awrlens.facts.printed import tablespace_io  # noqa: PLC0415 - few ask
    from awrlens.facts.waits import events  # noqa: PLC0415

    facts, valid = analysis.facts, report.cluster.valid
    figures = facts.figures if isinstance(facts, ShownFacts) else figures_of(report)
    return Contents(
        valid,
        events(figures) if valid and report.complete else (),
        report.cluster.parameters(),
        consumers(figures) if valid else Consumers(),
        tablespace_io(figures) if valid and with_tablespaces else (),
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
    from awrlens.series import compare  # noqa: PLC0415 - few ask

    return compare.compare(before, after, policy or Policy(), expected)


def periods(
    report: Report, policy: Policy | None = None, request: mttr.Request | None = None
) -> tuple[Reading, Reading]:
    """Both periods of a compare-period report, the second weighed against the first."""
    policy = policy or Policy()
    request = request or mttr.Request(rac=bool(report.identity.rac))
    first, second = (
        reading(part, found)
        for part, found in zip(report.periods, _halves(report, policy, request), strict=True)
    )
    return first, second


def _halves(report: Report, policy: Policy, request: mttr.Request) -> tuple[Analysis, Analysis]:
    first, second = map(_read, report.periods)
    return judge_periods(first, second, policy, request)


def _compare(report: Report, policy: Policy, request: mttr.Request) -> Analysis:
    halves = _halves(report, policy, request)
    sides = [reading(part, found) for part, found in zip(report.periods, halves, strict=True)]
    # it has no facts of its own
    return compared(Read(report.identity.to_dict(), {}, report.warnings), halves, sides, policy)
