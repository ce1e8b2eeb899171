"""The JSON document of `check --output json`, from which its JSON Schema is made.

``to_dict`` in awrlens/model/check_run.py returns these types (awrlens/model/simulation_document.py
says how they are written and checked).
"""

from __future__ import annotations

from typing import Annotated, Any, TypedDict

from awrlens.model import Confidence, Severity
from awrlens.model.check_run import SCHEMA_VERSION, Suppression
from awrlens.model.fact import Status
from awrlens.model.trend_changes import Count, Words

Line = Annotated[int, ("minimum", 1)]
#: The id of a rule, of awrlens or a plugin, or of a budget.
RuleId = Annotated[str, ("pattern", "^([A-Z]{2,8}[0-9]{3}|BUDGET-[0-9A-F]{8})$")]


class SkippedDocument(TypedDict):
    """A rule that could not be decided, and the sections that it needs."""

    rule: RuleId
    reason: Words
    needs: list[str]


class NoteDocument(TypedDict):
    """A warning about the input."""

    message: str
    line: Line | None


class NotJudged(TypedDict):
    """An input that was not judged."""

    source: str
    message: str
    line: Line | None


class LeastShare(TypedDict, total=False):
    """What only some impacts have."""

    least_pct_db_time: Annotated[
        float,
        "The share of DB time by another figure of the report that shows less; absent without one.",
    ]


class ImpactDocument(LeastShare):
    """What a finding costs."""

    seconds: float | None
    pct_db_time: float | None
    basis: Words
    sessions: Annotated[
        float | None, "Average number of sessions that wait, or that no longer wait."
    ]


class WeightDocument(TypedDict):
    """The numbers behind a severity; null if a value does not apply or is not known."""

    waiting_sessions: Annotated[float | None, "Sessions waiting on average."]
    share_pct: Annotated[float | None, "Their waits in percent of DB time."]
    each_ms: Annotated[float | None, "The time of one wait."]
    size_bytes: Annotated[float | None, "The size of one write or read."]


class NumberDocument(TypedDict):
    """A fact behind a finding, and the lines of its evidence."""

    name: str
    value: Any
    unit: str
    status: Status
    formula: str
    note: str
    lines: list[Line]


class PartFields(TypedDict):
    """A finding that contributes to another, as a cause or part of one problem."""

    id: RuleId
    name: str
    severity: Severity
    title: str


class PlaceFields(TypedDict):
    """A printed cell behind a finding."""

    line: Line | None
    section: str
    row: str
    column: str
    text: str


class IssueDocument(TypedDict):
    """A finding; ``severity`` is the effective one, ``severity_found`` the rule's own."""

    id: RuleId
    name: str
    title: str
    severity: Severity
    severity_found: Severity
    confidence: Confidence
    confidence_reason: str
    impact: ImpactDocument
    weight: WeightDocument
    contributing: list[Annotated[dict[str, Any], PartFields]]
    why: str
    source: str
    facts: list[NumberDocument]
    evidence: list[Annotated[dict[str, Any], PlaceFields]]
    fix: list[str]
    part: Annotated[str, "The instance or period of the finding, if the report has several."]
    line: Line | None
    fingerprint: Annotated[str, ("pattern", "^[0-9a-f]{32}$")]
    failing: bool
    suppressed: Annotated[dict[str, Any], Suppression] | None


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


class ReportDocument(TypedDict):
    """One report: its source, identity, findings and skipped checks."""

    source: str
    report: Annotated[
        dict[str, Any],
        ("required", ("kind", "db_name", "instance", "release", "begin_time", "end_time")),
    ]
    headline: str
    findings: list[IssueDocument]
    suppressed: list[IssueDocument]
    skipped: list[SkippedDocument]
    warnings: list[NoteDocument]
    incomplete: Annotated[list[str], "Why the report cannot be judged completely."]
    undecided: Annotated[list[RuleId], "Selected rules without a decision."]
    not_applicable: Annotated[list[SkippedDocument], "Budgets that do not apply to this report."]
    unassessable: bool


class CheckDocument(TypedDict):
    """What `awrlens check --output json` writes."""

    schema_version: Annotated[str, ("const", SCHEMA_VERSION)]
    awrlens: Annotated[str, "The version of awrlens."]
    fail_on: Annotated[list[str], ("minItems", 1)]
    exit_status: Annotated[int, ("enum", (0, 1, 3, 4))]
    summary: Summary
    reports: list[ReportDocument]
    errors: Annotated[list[NotJudged], "Inputs that could not be judged although they should be."]
    left_out: Annotated[list[NotJudged], "Files that are not reports."]
    notes: Annotated[list[str], "Entries of the baseline that expired or are no longer found."]
