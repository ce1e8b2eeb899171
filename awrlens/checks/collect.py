"""An analysis for a check: every finding with its fingerprint and whether it fails."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING, Any

from awrlens.checks import baseline, regress, selection
from awrlens.lazy import NamedTuple
from awrlens.model import Finding, Impact, check_run, with_parts
from awrlens.model.check_run import CheckedReport, Issue

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from datetime import date

    from awrlens.checks.baseline import Baseline
    from awrlens.checks.budget_windows import Over
    from awrlens.checks.regress import Before
    from awrlens.checks.selection import Settings
    from awrlens.model import Analysis, Skipped


def of(finding: Finding, report: Mapping[str, Any]) -> str:
    """The fingerprint of a finding: 32 hexadecimal digits.

    The same finding in the next report of the same database and instance has the same
    fingerprint, regardless of its lines and numbers.
    """
    who = [str(report.get(name) or "") for name in ("db_id", "db_name", "container")]
    which = str(report.get("instance") or report.get("instance_number") or "").lower()
    facts = sorted(fact.name for fact in finding.facts) or sorted(finding.related)
    text = "\x1f".join([check_run.FINGERPRINT, finding.id, *who, which, *facts])
    return sha256(text.encode("utf-8", "replace")).hexdigest()[:32]


class Gate(NamedTuple):
    """The inputs of the decision: settings, the baseline and today's date for its expiry dates.

    ``before`` is the comparison with earlier reports: only new findings and regressions fail.
    """

    settings: Settings
    baseline: Baseline
    today: date
    before: Before | None = None
    #: The path of the report as given by the caller; the displayed name may be a pseudonym.
    path: str = ""
    #: Why the report cannot be judged completely.
    incomplete: tuple[str, ...] = ()
    #: The rules that apply to the report.
    asked: frozenset[str] = frozenset()

    def counts(self, rule: str, source: str) -> bool:
        """Whether a rule is selected and not ignored for the report."""
        return selection.suppressed(rule, self.path or source, self.settings) is None


def report(analysis: Analysis, label: str, headline: str, gate: Gate) -> CheckedReport:
    """One report with all findings, including those of its instances and its second period."""
    source = str(analysis.report["source"])
    issues = [
        issue_of(finding, part.report, name, source, gate)._replace(
            fix=tuple(e.title for e in part.recommendations if finding.id in e.findings)
        )
        for name, part in _parts(analysis)
        for finding in with_parts(part.findings)  # users select and accept each rule individually
    ]
    issues += [_failed(skipped, analysis, gate) for skipped in analysis.skipped if skipped.failed]
    if gate.before is not None:
        worse = regress.got_worse(gate.before, analysis.facts)
        issues += [issue_of(finding, analysis.report, "", source, gate) for finding in worse]
    parts = (analysis, *analysis.instances, *analysis.periods[1:])
    undecided = tuple(_undecided(analysis, source, gate))
    return CheckedReport(
        source, analysis.report, label, headline, tuple(issues), analysis.skipped,
        analysis.warnings, _incomplete(undecided, source, gate), undecided,
        gate.settings.strict, analysis.not_applicable,
        gate.asked - {skipped.rule for part in parts for skipped in part.skipped},
        analysis.windows,
    )  # fmt: skip


def over(report: CheckedReport, overs: Sequence[Over], gate: Gate) -> CheckedReport:
    """The last report of a series with the results of budgets on the whole series."""
    rules = {result.rule for result in overs}
    issues = [
        issue_of(result.finding, report.report, "", report.source, gate)
        ._replace(fix=(result.fix,) if result.fix else ())
        for result in overs if result.finding is not None
    ]  # fmt: skip
    lacking = [e.skipped for e in overs if e.skipped is not None and e.verdict == "not-assessable"]
    aside = [e.skipped for e in overs if e.skipped is not None and e.verdict == "not-applicable"]
    undecided = [skipped.rule for skipped in lacking if gate.counts(skipped.rule, report.source)]
    return report._replace(
        issues=(*report.issues, *issues),
        skipped=(*report.skipped, *lacking),
        undecided=(*report.undecided, *undecided),
        not_applicable=(*(e for e in report.not_applicable if e.rule not in rules), *aside),
        judged=report.judged - {skipped.rule for skipped in lacking},
    )


def _incomplete(undecided: Sequence[str], source: str, gate: Gate) -> tuple[str, ...]:
    """Why the report cannot be judged completely, also where no rule of it can fail."""
    path, settings = gate.path or source, gate.settings
    selected = {r for r in gate.asked if gate.counts(r, source)}
    if selected and selected.issubset(undecided) and check_run.NOTHING not in gate.incomplete:
        return (*gate.incomplete, check_run.UNCHECKED)
    if gate.asked and not any(selection.can_fail(r, path, settings) for r in gate.asked):
        return (*gate.incomplete, "no rule that can fail applies to it")
    return gate.incomplete


def _undecided(analysis: Analysis, source: str, gate: Gate) -> Iterator[str]:
    """Selected rules without facts, in the whole report and in every instance."""
    parts = [{skipped.rule for skipped in part.skipped} for part in (analysis, *analysis.instances)]
    for rule in dict.fromkeys(skipped.rule for skipped in analysis.skipped if not skipped.failed):
        if gate.counts(rule, source) and all(rule in skipped for skipped in parts):
            yield rule


def _failed(skipped: Skipped, analysis: Analysis, gate: Gate) -> Issue:
    """A failed rule as a finding that fails the check, because its result is unknown."""
    finding = Finding(
        id=skipped.rule, name="not-assessable", since="own",
        title=f"{skipped.rule} is not assessable: {skipped.reason}", severity="critical",
        confidence="low", confidence_reason="the rule failed",
        impact=Impact(None, None, "not quantified"), facts=(),
        why="The result of this rule is unknown.", source="a plugin",
        related=("not-assessable",),
    )  # fmt: skip
    return issue_of(finding, analysis.report, "", str(analysis.report["source"]), gate)


def _parts(analysis: Analysis) -> Iterator[tuple[str, Analysis]]:
    """The report, or the second period of a comparison, and every instance by number."""
    yield (("second period", analysis.periods[1]) if analysis.periods else ("", analysis))
    for instance in analysis.instances:
        yield f"instance {instance.report['instance_number']}", instance


def issue_of(
    finding: Finding, report: Mapping[str, Any], name: str, source: str, gate: Gate
) -> Issue:
    """A finding as an issue without a fix, suppressed if it does not count."""
    settings = gate.settings
    level = selection.severity(finding.id, finding.severity, settings)
    lines = [{e.line for e in fact.evidence if e.line is not None} for fact in finding.facts]
    numbers = tuple(
        check_run.Number(
            fact._replace(evidence=()), fact.name, fact.plain_value, fact.unit, fact.status,
            fact.formula, fact.note, tuple(sorted(own)),
        )
        for fact, own in zip(finding.facts, lines, strict=True)
    )  # fmt: skip
    places = tuple(
        check_run.Place(item.line, item.section, item.row, item.column, item.text)
        for fact in finding.facts for item in fact.evidence
    )  # fmt: skip
    issue = Issue(
        finding.id, finding.name, finding.title, level, finding.severity, finding.confidence,
        finding.confidence_reason, finding.impact, finding.why, finding.source, numbers, places,
        (), name, of(finding, report), weight=finding.weight,
        contributing=tuple(
            check_run.Part(part.id, part.name, part.severity, part.title)
            for part in with_parts(finding.contributing)
        ),
    )  # fmt: skip
    why_not = selection.suppressed(
        finding.id, gate.path or source, settings
    ) or baseline.suppression(issue, gate.baseline, gate.today)
    if why_not is None and gate.before is not None:
        why_not = regress.was_there(issue, gate.before)
    failing = why_not is None and selection.fails(finding.id, level, settings)
    return issue._replace(suppressed=why_not, failing=failing)
