"""What a check gives: the findings of each report, which of them fail, and which are suppressed.

All are frozen and plain, so that they may travel between processes; whoever writes them in a
pipeline's language computes nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

from awrlens.model import NO_WEIGHT

if TYPE_CHECKING:
    from collections.abc import Mapping

    from awrlens.model import Confidence, Fact, Impact, Note, Severity, Skipped, Weight, Window

#: Version of the document that `check --output json` writes.
SCHEMA_VERSION: Final = "1.0"
#: Version of the fingerprints: what they are made of never changes within it.
FINGERPRINT: Final = "awrlens/v1"

#: Why a report fails even where the check is not strict.
NOTHING: Final = "it prints nothing that a rule needs"

By = Literal["ignore", "per-path-ignore", "not-selected", "baseline", "against"]


class Suppression(NamedTuple):
    """Why a finding does not count: by what, and in whose words; ``until`` is ISO or empty."""

    by: By
    reason: str
    until: str = ""


class Place(NamedTuple):
    """A printed cell that a finding rests on; ``line`` is 1-based."""

    line: int | None
    section: str
    row: str
    column: str
    text: str


class Number(NamedTuple):
    """A fact that a finding rests on, without its evidence, and the lines of that evidence."""

    fact: Fact
    lines: tuple[int, ...]

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        data = self.fact.to_dict()
        del data["evidence"]
        return {"name": self.fact.name, **data, "lines": list(self.lines)}


class Part(NamedTuple):
    """A finding that contributes to another: a cause or a part of one problem."""

    id: str
    name: str
    severity: Severity
    title: str


class Issue(NamedTuple):
    """A finding of one report; ``severity`` is the one in force, ``found`` the rule's own."""

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
    #: Instance or period that it is of, where the report has several.
    part: str
    fingerprint: str
    failing: bool = False
    suppressed: Suppression | None = None
    weight: Weight = NO_WEIGHT
    contributing: tuple[Part, ...] = ()

    @property
    def line(self) -> int | None:
        """The line to point at: that of the first cell that has one."""
        return next((place.line for place in self.places if place.line), None)

    def to_dict(self) -> dict[str, Any]:
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
    """One report: where it is, what it is, what was found and what could not be checked."""

    source: str
    report: Mapping[str, Any]
    label: str
    headline: str
    issues: tuple[Issue, ...]
    skipped: tuple[Skipped, ...]
    warnings: tuple[Note, ...]
    #: Why the report as a whole cannot be judged as others are.
    incomplete: tuple[str, ...] = ()
    #: Rules that count and could not be decided.
    undecided: tuple[str, ...] = ()
    #: Whether that fails.
    strict: bool = False
    #: Budgets that are not asked of this report.
    not_applicable: tuple[Skipped, ...] = ()
    #: Rules that every part of it could decide.
    judged: frozenset[str] = frozenset()
    #: What it adds to budgets on several reports.
    windows: tuple[Window, ...] = ()

    @property
    def shortcomings(self) -> tuple[str, ...]:
        """What could not be judged of it, in words."""
        if not self.undecided or NOTHING in self.incomplete:
            return self.incomplete
        names = ", ".join(self.undecided)
        return (*self.incomplete, f"it lacks what {names} need{'s' * (len(self.undecided) == 1)}")

    @property
    def unassessable(self) -> bool:
        """Whether it fails because it could not be judged as a whole, or not at all."""
        return (self.strict and bool(self.shortcomings)) or NOTHING in self.incomplete

    @property
    def open(self) -> tuple[Issue, ...]:
        """Findings that are not suppressed."""
        return tuple(each for each in self.issues if each.suppressed is None)

    @property
    def failing(self) -> tuple[Issue, ...]:
        """Findings that fail the check."""
        return tuple(each for each in self.issues if each.failing)

    def to_dict(self) -> dict[str, Any]:
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
    """An input that was not judged; ``fails``: it should have been, so the check fails."""

    source: str
    message: str
    line: int | None = None
    fails: bool = True
    #: By a mistake of awrlens, and not of the input.
    internal: bool = False

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {"source": self.source, "message": self.message, "line": self.line}


class RulePage(NamedTuple):
    """What a pipeline shows of a rule."""

    id: str
    name: str
    title: str
    status: str
    tells: str
    fix: str
    page: str


class CheckRun(NamedTuple):
    """A whole check: what was asked, what was found, and the exit status that follows."""

    version: str
    fail_on: tuple[str, ...]
    reports: tuple[CheckedReport, ...]
    unread: tuple[Unread, ...]
    rules: Mapping[str, RulePage]
    #: What is to be said of the baseline: entries that have expired or occur no more.
    notes: tuple[str, ...]
    status: int
    #: A page on awrlens that the user names, for outputs that link one.
    information_uri: str = ""

    @property
    def errors(self) -> tuple[Unread, ...]:
        """Inputs that should have been judged and could not be."""
        return tuple(each for each in self.unread if each.fails)

    @property
    def left_out(self) -> tuple[Unread, ...]:
        """Files that are no reports."""
        return tuple(each for each in self.unread if not each.fails)

    @property
    def counts(self) -> dict[str, int]:
        """Reports and findings by what became of them."""
        issues = [each for report in self.reports for each in report.issues]
        return {
            "reports": len(self.reports),
            "unread": len(self.errors),
            "left_out": len(self.left_out),
            "incomplete": sum(bool(report.incomplete) for report in self.reports),
            "undecided": sum(len(report.undecided) for report in self.reports),
            "unassessable": sum(report.unassessable for report in self.reports),
            "failing": sum(each.failing for each in issues),
            "suppressed": sum(each.suppressed is not None for each in issues),
            **{
                severity: sum(e.severity == severity and not e.suppressed for e in issues)
                for severity in ("critical", "warning", "info", "ok")
            },
        }

    def to_dict(self) -> dict[str, Any]:
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
