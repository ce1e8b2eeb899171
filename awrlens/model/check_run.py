"""The result of a check: findings of every report, which of them fail and are suppressed.

All values are immutable and can be sent between processes. Output writers compute nothing.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, Final, Literal

from awrlens.lazy import NamedTuple
from awrlens.model import NO_WEIGHT

if TYPE_CHECKING:
    from collections.abc import Mapping

    from awrlens.model import Confidence, Fact, Impact, Note, Severity, Skipped, Weight, Window
    from awrlens.model.documents import (
        CheckDocument,
        IssueDocument,
        NotJudged,
        NumberDocument,
        ReportDocument,
        Summary,
    )

#: Version of the document that `check --output json` writes.
SCHEMA_VERSION: Final = "1.0"
#: Version of the fingerprints; their inputs never change within a version.
FINGERPRINT: Final = "awrlens/v1"

#: The reasons for which a report fails even if the check is not strict.
NOTHING: Final = "it has no section that a rule needs"
UNCHECKED: Final = "no selected rule could be checked"

By = Literal["ignore", "per-path-ignore", "not-selected", "baseline", "against"]


class Suppression(NamedTuple):
    """Why a finding does not count: the cause and its reason; ``until`` is ISO or empty."""

    by: By
    reason: str
    until: str = ""


class Place(NamedTuple):
    """A printed cell behind a finding; ``line`` is 1-based."""

    line: int | None
    section: str
    row: str
    column: str
    text: str


class Number(NamedTuple):
    """A fact behind a finding, without its evidence, and the lines of that evidence."""

    fact: Fact
    lines: tuple[int, ...]

    def to_dict(self) -> NumberDocument:
        """Plain data."""
        fact = self.fact
        return {
            "name": fact.name,
            "value": fact.plain_value,
            "unit": fact.unit,
            "status": fact.status,
            "formula": fact.formula,
            "note": fact.note,
            "lines": list(self.lines),
        }


class Part(NamedTuple):
    """A finding that contributes to another, as a cause or part of one problem."""

    id: str
    name: str
    severity: Severity
    title: str


class Issue(NamedTuple):
    """A finding of one report; ``severity`` is the effective one, ``found`` the rule's own."""

    id: str
    name: str
    title: str
    severity: Severity
    found: Severity
    confidence: Confidence
    confidence_reason: str
    impact: Impact
    why: str
    source: str
    numbers: tuple[Number, ...]
    places: tuple[Place, ...]
    fix: tuple[str, ...]
    #: The instance or period of the finding, if the report has several.
    part: str
    fingerprint: str
    failing: bool = False
    suppressed: Suppression | None = None
    weight: Weight = NO_WEIGHT
    contributing: tuple[Part, ...] = ()

    @property
    def line(self) -> int | None:
        """The line of the finding: that of its first cell with a line."""
        return next((place.line for place in self.places if place.line), None)

    def to_dict(self) -> IssueDocument:
        """Plain data."""
        return {
            "id": self.id,
            "name": self.name,
            "title": self.title,
            "severity": self.severity,
            "severity_found": self.found,
            "confidence": self.confidence,
            "confidence_reason": self.confidence_reason,
            "impact": self.impact.to_dict(),
            "weight": self.weight.to_dict(),
            "contributing": [each._asdict() for each in self.contributing],
            "why": self.why,
            "source": self.source,
            "facts": [each.to_dict() for each in self.numbers],
            "evidence": [each._asdict() for each in self.places],
            "fix": list(self.fix),
            "part": self.part,
            "line": self.line,
            "fingerprint": self.fingerprint,
            "failing": self.failing,
            "suppressed": None if self.suppressed is None else self.suppressed._asdict(),
        }


class CheckedReport(NamedTuple):
    """One report: its source, identity, findings and skipped checks."""

    source: str
    report: Mapping[str, Any]
    label: str
    headline: str
    issues: tuple[Issue, ...]
    skipped: tuple[Skipped, ...]
    warnings: tuple[Note, ...]
    #: Why the report cannot be judged completely.
    incomplete: tuple[str, ...] = ()
    #: Selected rules without a decision.
    undecided: tuple[str, ...] = ()
    #: Whether undecided rules and incomplete reports fail the check.
    strict: bool = False
    #: Budgets that do not apply to this report.
    not_applicable: tuple[Skipped, ...] = ()
    #: Rules that were decided for every part of the report.
    judged: frozenset[str] = frozenset()
    #: The report's contribution to budgets on several reports.
    windows: tuple[Window, ...] = ()

    @property
    def shortcomings(self) -> tuple[str, ...]:
        """What could not be judged, in words."""
        if not self.undecided or NOTHING in self.incomplete:
            return self.incomplete
        names = ", ".join(self.undecided)
        return (*self.incomplete, f"facts for {names} are missing")

    @property
    def unassessable(self) -> bool:
        """Whether the report fails because it could not be judged completely or at all."""
        nothing = not {NOTHING, UNCHECKED}.isdisjoint(self.incomplete)
        return nothing or (self.strict and bool(self.shortcomings))

    @property
    def open(self) -> tuple[Issue, ...]:
        """Findings without a suppression."""
        return tuple(each for each in self.issues if each.suppressed is None)

    @property
    def failing(self) -> tuple[Issue, ...]:
        """Findings that fail the check."""
        return tuple(each for each in self.issues if each.failing)

    def to_dict(self) -> ReportDocument:
        """Plain data."""
        return {
            "source": self.source,
            "report": dict(self.report),
            "headline": self.headline,
            "findings": [each.to_dict() for each in self.issues if each.suppressed is None],
            "suppressed": [each.to_dict() for each in self.issues if each.suppressed],
            "skipped": [each.to_dict() for each in self.skipped],
            "warnings": [each.to_dict() for each in self.warnings],
            "incomplete": list(self.incomplete),
            "undecided": list(self.undecided),
            "not_applicable": [each.to_dict() for each in self.not_applicable],
            "unassessable": self.unassessable,
        }


class Unread(NamedTuple):
    """An input that was not judged; ``fails``: the check fails because of it."""

    source: str
    message: str
    line: int | None = None
    fails: bool = True
    #: Whether awrlens failed, not the input.
    internal: bool = False

    def to_dict(self) -> NotJudged:
        """Plain data."""
        return {"source": self.source, "message": self.message, "line": self.line}


class RulePage(NamedTuple):
    """The description of a rule in pipeline outputs."""

    id: str
    name: str
    title: str
    status: str
    meaning: str
    fix: str
    page: str
    #: The kind of input it is for: ``oracle``, ``oracle-alert-log`` or ``sqlserver``.
    engine: str


class CheckRun(NamedTuple):
    """A whole check: settings, results and the exit status."""

    version: str
    fail_on: tuple[str, ...]
    reports: tuple[CheckedReport, ...]
    unread: tuple[Unread, ...]
    rules: Mapping[str, RulePage]
    #: Notes on the baseline: entries that have expired or are no longer found.
    notes: tuple[str, ...]
    status: int
    #: A page about awrlens, set by the user, for outputs with a link.
    information_uri: str = ""

    @property
    def errors(self) -> tuple[Unread, ...]:
        """Inputs that could not be judged although they should have been."""
        return tuple(each for each in self.unread if each.fails)

    @property
    def left_out(self) -> tuple[Unread, ...]:
        """Files that are not reports."""
        return tuple(each for each in self.unread if not each.fails)

    @property
    def counts(self) -> Summary:
        """The number of reports and findings by result."""
        issues = [each for report in self.reports for each in report.issues]
        open_ = Counter(each.severity for each in issues if not each.suppressed)
        return {
            "reports": len(self.reports),
            "unread": len(self.errors),
            "left_out": len(self.left_out),
            "incomplete": sum(bool(report.incomplete) for report in self.reports),
            "undecided": sum(len(report.undecided) for report in self.reports),
            "unassessable": sum(report.unassessable for report in self.reports),
            "failing": sum(each.failing for each in issues),
            "suppressed": sum(each.suppressed is not None for each in issues),
            "critical": open_["critical"],
            "warning": open_["warning"],
            "info": open_["info"],
            "ok": open_["ok"],
        }

    def to_dict(self) -> CheckDocument:
        """The document that `check --output json` writes."""
        return {
            "schema_version": SCHEMA_VERSION,
            "awrlens": self.version,
            "fail_on": list(self.fail_on),
            "exit_status": self.status,
            "summary": self.counts,
            "reports": [each.to_dict() for each in self.reports],
            "errors": [each.to_dict() for each in self.errors],
            "left_out": [each.to_dict() for each in self.left_out],
            "notes": list(self.notes),
        }
