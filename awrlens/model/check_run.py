"""The result of a check: findings of every report, which of them fail and are suppressed.

All values are immutable and can be sent between processes. Output writers compute nothing.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, TypedDict

from awrlens.lazy import NamedTuple
from awrlens.model import NO_WEIGHT
from awrlens.model.plain import fields

if TYPE_CHECKING:
    from collections.abc import Mapping

    from awrlens.model import (
        Confidence,
        Fact,
        Impact,
        Note,
        Severity,
        Skipped,
        Status,
        Weight,
        Window,
    )
    from awrlens.model.kinds import Count, Line, RuleId
    from awrlens.model.plain import Aside, Shown

#: Version of the document that `check --output json` writes.
SCHEMA_VERSION: Final = "1.0"
#: Version of the fingerprints; their inputs never change within a version.
FINGERPRINT: Final = "awrlens/v1"

#: The reasons for which a report fails even if the check is not strict.
NOTHING: Final = "it has no section that a rule needs"
UNCHECKED: Final = "no selected rule could be checked"
UNRECOGNISED: Final = "tables that rules need were not recognised"

By = Literal["ignore", "per-path-ignore", "not-selected", "baseline", "against"]


class Suppression(NamedTuple):
    """Why a finding does not count: the cause and its reason; ``until`` is ISO or empty."""

    by: By
    reason: str
    until: str = ""


class Place(NamedTuple):
    """A printed cell behind a finding; ``line`` is 1-based."""

    line: Line | None
    section: str
    row: str
    column: str
    text: str


class Number(NamedTuple):
    """A fact behind a finding, and the lines of its evidence, which itself is left out."""

    fact: Aside[Fact]
    name: str
    value: Any
    unit: str
    status: Status
    formula: str
    note: str
    lines: tuple[Line, ...]


class Part(NamedTuple):
    """A finding that contributes to another, as a cause or part of one problem."""

    id: RuleId
    name: str
    severity: Severity
    title: str


class Issue(NamedTuple):
    """A finding; ``severity`` is the effective one, ``severity_found`` the rule's own."""

    id: RuleId
    name: str
    title: str
    severity: Severity
    severity_found: Severity
    confidence: Confidence
    confidence_reason: str
    impact: Impact
    why: str
    source: str
    facts: tuple[Number, ...]
    evidence: tuple[Place, ...]
    fix: tuple[str, ...]
    part: Annotated[str, "The instance or period of the finding, if the report has several."]
    fingerprint: Annotated[str, ("pattern", "^[0-9a-f]{32}$")]
    failing: bool = False
    suppressed: Suppression | None = None
    weight: Weight = NO_WEIGHT
    contributing: tuple[Part, ...] = ()

    @property
    def line(self) -> Shown[Line | None]:
        """The line of the finding: that of its first cell with a line."""
        return next((place.line for place in self.evidence if place.line), None)


class CheckedReport(NamedTuple):
    """One report: its source, identity, findings and skipped checks."""

    source: str
    report: Annotated[
        Mapping[str, Any],
        ("required", ("kind", "db_name", "instance", "release", "begin_time", "end_time")),
    ]
    label: Aside[str]
    headline: str
    issues: Aside[tuple[Issue, ...]]
    skipped: tuple[Skipped, ...]
    warnings: tuple[Note, ...]
    incomplete: Annotated[tuple[str, ...], "Why the report cannot be judged completely."] = ()
    undecided: Annotated[tuple[RuleId, ...], "Selected rules without a decision."] = ()
    #: Whether undecided rules and incomplete reports fail the check.
    strict: Aside[bool] = False
    not_applicable: Annotated[tuple[Skipped, ...], "Budgets that do not apply to this report."] = ()
    #: Rules that were decided for every part of the report.
    judged: Aside[frozenset[str]] = frozenset()
    #: The report's contribution to budgets on several reports.
    windows: Aside[tuple[Window, ...]] = ()

    @property
    def shortcomings(self) -> tuple[str, ...]:
        """What could not be judged, in words."""
        if not self.undecided or NOTHING in self.incomplete:
            return self.incomplete
        return (*self.incomplete, f"facts for {', '.join(self.undecided)} are missing")

    @property
    def unassessable(self) -> Shown[bool]:
        """Whether the report fails because it could not be judged completely or at all."""
        nothing = not {NOTHING, UNCHECKED, UNRECOGNISED}.isdisjoint(self.incomplete)
        return nothing or (self.strict and bool(self.shortcomings))

    @property
    def findings(self) -> Shown[tuple[Issue, ...]]:
        """Findings without a suppression."""
        return tuple(issue for issue in self.issues if issue.suppressed is None)

    @property
    def suppressed(self) -> Shown[tuple[Issue, ...]]:
        """The others."""
        return tuple(issue for issue in self.issues if issue.suppressed is not None)

    @property
    def failing(self) -> tuple[Issue, ...]:
        """Findings that fail the check."""
        return tuple(issue for issue in self.issues if issue.failing)


class Unread(NamedTuple):
    """An input that was not judged; ``fails``: the check fails because of it."""

    source: str
    message: str
    line: Line | None = None
    fails: Aside[bool] = True
    #: Whether awrlens failed, not the input.
    internal: Aside[bool] = False


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


class Summary(TypedDict):
    """The number of reports and findings by result."""

    reports: Count
    unread: Count
    left_out: Count
    incomplete: Count
    undecided: Count
    unassessable: Count
    failing: Count
    suppressed: Count
    critical: Count
    warning: Count
    info: Count
    ok: Count


class CheckDocument(NamedTuple):
    """What `awrlens check --output json` writes."""

    schema_version: Annotated[str, ("const", SCHEMA_VERSION)]
    awrlens: Annotated[str, "The version of awrlens."]
    fail_on: Annotated[tuple[str, ...], ("minItems", 1)]
    exit_status: Annotated[int, ("enum", (0, 1, 3, 4))]
    summary: Summary
    reports: tuple[CheckedReport, ...]
    errors: Annotated[
        tuple[Unread, ...], "Inputs that could not be judged although they should be."
    ]
    left_out: Annotated[tuple[Unread, ...], "Files that are not reports."]
    notes: Annotated[
        tuple[str, ...], "Entries of the baseline that expired or are no longer found."
    ]


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
        return tuple(entry for entry in self.unread if entry.fails)

    @property
    def left_out(self) -> tuple[Unread, ...]:
        """Files that are not reports."""
        return tuple(entry for entry in self.unread if not entry.fails)

    @property
    def counts(self) -> Summary:
        """The number of reports and findings by result."""
        issues = [issue for report in self.reports for issue in report.issues]
        open_ = Counter(issue.severity for issue in issues if not issue.suppressed)
        return {
            "reports": len(self.reports),
            "unread": len(self.errors),
            "left_out": len(self.left_out),
            "incomplete": sum(bool(report.incomplete) for report in self.reports),
            "undecided": sum(len(report.undecided) for report in self.reports),
            "unassessable": sum(report.unassessable for report in self.reports),
            "failing": sum(issue.failing for issue in issues),
            "suppressed": sum(issue.suppressed is not None for issue in issues),
            "critical": open_["critical"],
            "warning": open_["warning"],
            "info": open_["info"],
            "ok": open_["ok"],
        }

    def _repr_html_(self) -> str:
        from awrlens.model.notebook import ROWS, paragraph, table

        rows = [(report.label, issue.id, issue.severity, issue.title)
                for report in self.reports
                for issue in report.failing or report.findings]  # fmt: skip
        counts = ", ".join(f"{count} {name}" for name, count in self.counts.items() if count)
        headings = ("report", "rule", "severity", "finding")
        return paragraph(counts) + table("Findings", headings, rows[:ROWS], len(rows) - ROWS)

    def to_dict(self) -> dict[str, Any]:
        """The document that `check --output json` writes."""
        return fields(CheckDocument(
            SCHEMA_VERSION, self.version, self.fail_on, self.status, self.counts, self.reports,
            self.errors, self.left_out, self.notes,
        ))  # fmt: skip
