"""Wires the rooms: report, facts, rules and advice become one frozen analysis."""

from __future__ import annotations

from typing import TYPE_CHECKING

from awrlens import rules
from awrlens.advice import mttr, plan
from awrlens.facts.figures import Figures
from awrlens.facts.registry import all_facts
from awrlens.model import Analysis
from awrlens.policy import Policy
from awrlens.report.report import Report, open_report

if TYPE_CHECKING:
    from pathlib import Path

    from awrlens.model import Fact


def load(path_or_bytes: str | Path | bytes, name: str | None = None) -> Report:
    """Read a report from a path, ``-`` (standard input) or bytes.

    Raises UnreadableError or NotAReportError with one sentence when that cannot be done.
    """
    return open_report(path_or_bytes, name)


def facts_of(report: Report) -> dict[str, Fact]:
    """Every fact of a report, available or not."""
    figures = Figures(report.tables, report.identity, report.line, report.why_missing)
    return all_facts(figures, valid=report.valid)


def analyze(
    report: Report, policy: Policy | None = None, request: mttr.Request | None = None
) -> Analysis:
    """Facts, findings and recommendations of one report.

    ``policy`` sets thresholds, ``request`` says what is known and wanted of recovery time.
    """
    policy = policy or Policy()
    request = request or mttr.Request(rac=bool(report.identity.rac))
    facts = facts_of(report)
    findings, skipped = rules.run(facts, policy)
    advice = plan.advise(facts, findings, policy, request)
    return Analysis(
        report=report.identity.to_dict(),
        facts=facts,
        findings=findings,
        recommendations=advice.recommendations,
        verdicts=advice.verdicts,
        skipped=skipped,
        warnings=report.warnings,
    )
