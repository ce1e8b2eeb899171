"""What was read of a report to its analysis: findings, advice and headline.

Facts, lists and thresholds decide, never the text of the report: so it can be judged again later.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from awrlens import rules
from awrlens.advice import mttr, plan
from awrlens.advice.case import Case
from awrlens.advice.headline import headline, reports_to_take
from awrlens.model import Analysis, Note
from awrlens.records import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from awrlens.facts.load import Consumers
    from awrlens.model import Fact, Overview, PeriodComparison
    from awrlens.model.analysis_document import IdentityDocument
    from awrlens.model.chart_data import TablespaceIO
    from awrlens.model.comparison import Event, Reading
    from awrlens.policy import Policy


class Read(NamedTuple):
    """What was read of a report or part; ``threads`` are the instances in its facts."""

    report: IdentityDocument
    facts: Mapping[str, Fact]
    warnings: tuple[Note, ...] = ()
    overview: Overview | None = None
    threads: int = 1


class Contents(NamedTuple):
    """The lists of a report that are not in its analysis; they are empty if it spans a restart."""

    valid: bool
    events: tuple[Event, ...]
    parameters: Mapping[str, str]
    consumers: Consumers
    tablespaces: tuple[TablespaceIO, ...] = ()


def judge(
    found: Read, policy: Policy, request: mttr.Request, before: Mapping[str, Fact] | None = None
) -> Analysis:
    """One report or part; ``before`` are the facts of the first period if this is the second."""
    findings, skipped = rules.run(found.facts, policy, before=before)
    advice = plan.advise(Case.of(found.facts, findings, policy, request, found.threads))
    return headed(Analysis(
        report=found.report,
        facts=found.facts,
        findings=findings,
        recommendations=advice.recommendations,
        verdicts=advice.verdicts,
        skipped=skipped,
        warnings=found.warnings,
        overview=found.overview,
    ), policy)  # fmt: skip


def judge_again(
    known: Analysis,
    lists: Sequence[Contents],
    warnings: Sequence[tuple[Note, ...]],
    policy: Policy,
) -> Analysis:
    """An analyzed report judged by other thresholds; what was read of it stays.

    ``lists`` are those of the report and its instances, or of its periods; ``warnings`` those of
    the report, then those of its instances or periods.
    """
    request = mttr.Request(rac=bool(known.report["rac"]))
    whole, *parts = (
        Read(each.report, each.facts, noted, each.overview)
        for each, noted in zip((known, *known.instances, *known.periods), warnings, strict=True)
    )
    if known.periods:
        halves = judge_periods(parts[0], parts[1], policy, request)
        sides = [reading(each, of_it) for each, of_it in zip(halves, lists, strict=True)]
        return compared(whole, halves, sides, policy)
    found = judge(whole._replace(threads=max(1, len(parts))), policy, request)
    return with_parts(found, tuple(judge(each, policy, request) for each in parts))


def with_parts(whole: Analysis, parts: tuple[Analysis, ...]) -> Analysis:
    """A RAC report with its instances; another report as it is."""
    if not parts:
        return whole
    from awrlens.advice.recovery_target import of_cluster  # noqa: PLC0415 - RAC reports only

    warnings = (*whole.warnings, *reports_to_take(parts))
    return of_cluster(whole._replace(instances=parts, warnings=warnings), parts)


def judge_periods(
    first: Read, second: Read, policy: Policy, request: mttr.Request
) -> tuple[Analysis, Analysis]:
    """Both periods of a compare-period report, the second weighed against the first."""
    return judge(first, policy, request), judge(second, policy, request, first.facts)


def compared(
    whole: Read, halves: tuple[Analysis, Analysis], sides: Sequence[Reading], policy: Policy
) -> Analysis:
    """A compare-period report: the current state is that of the second period."""
    from awrlens.series import compare  # noqa: PLC0415 - only this kind needs it

    second = halves[1]
    warnings = whole.warnings
    begins = [str(part.report["begin_time"] or "") for part in halves]
    if begins[1] and begins[1] < begins[0]:
        warnings += (Note("The second period is earlier than the first."),)
    comparison = compare.periods([sides[0]], [sides[1]], policy)
    return second._replace(
        report=whole.report,
        facts={},
        warnings=warnings,
        headline=of_periods(second, comparison),
        periods=halves,
        comparison=comparison,
    )


def reading(analysis: Analysis, lists: Contents) -> Reading:
    """The data of an analyzed report, without its instances, that a comparison needs."""
    from awrlens.model.comparison import Reading  # noqa: PLC0415 - few ask

    return Reading(
        report=analysis.report,
        facts=analysis.facts,
        events=lists.events,
        parameters=lists.parameters,
        findings=tuple(f._replace(facts=()) for f in analysis.findings),
        recommendations=analysis.recommendations,
        verdicts=analysis.verdicts,
        skipped=tuple(each.rule for each in analysis.skipped),
        valid=lists.valid,
        warnings=analysis.warnings,
        consumers=lists.consumers.shares,
        all_consumers=lists.consumers.complete,
    )


def headed(analysis: Analysis, policy: Policy | None, *, calm: bool = True) -> Analysis:
    """An analysis with its headline."""
    return analysis._replace(headline=headline(analysis, policy, calm=calm))


def of_periods(second: Analysis, comparison: PeriodComparison | None) -> str:
    """The headline of the comparison, then that of the second period.

    The second is not calm if the comparison is alarmed: DB time may be lost elsewhere.
    """
    if comparison is None:
        return f"Second period: {second.headline}"
    alarmed = comparison.severity in ("warning", "critical", "unknown")
    now = headed(second, None, calm=not alarmed)
    return f"{comparison.headline} Second period: {now.headline}"
