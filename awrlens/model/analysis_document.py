"""The JSON document of `analyze`, key by key, from which its JSON Schema is made.

``to_dict`` of the records in analysis.py, fact.py and finding.py returns these types
(awrlens/model/simulation_document.py says how they are written and checked).
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypedDict

from awrlens.model.analysis import SCHEMA_VERSION, Change, Reason
from awrlens.model.check_document import (
    ImpactDocument,
    Line,
    NoteDocument,
    RuleId,
    SkippedDocument,
    WeightDocument,
)
from awrlens.model.comparison import Direction, Grade, State
from awrlens.model.fact import Status
from awrlens.model.finding import (
    Confidence,
    Effort,
    Risk,
    Severity,
    Verdict,
)
from awrlens.model.recovery_document import MeasuredRecovery, PredictedRecovery, Time
from awrlens.model.trend import OUR_RULE, UNITS
from awrlens.model.trend_changes import FactName, Words
from awrlens.model.trend_document import REPORT_KINDS

Kind = Annotated[
    str,
    ("enum", (*REPORT_KINDS, "sqlserver-errorlog", "sqlserver-xevents", "oracle-alert-log")),
]
Unit = Annotated[str, ("enum", (*UNITS, "name", "names"))]
#: The name of a pattern or of a recommendation.
Name = Annotated[str, ("pattern", "^[a-z0-9]+(-[a-z0-9]+)*$")]
Target = Annotated[int | None, ("minimum", 0), ("maximum", 3600)]


class IdentityDocument(TypedDict):
    """The database, instance and interval of a report; null is not in the report."""

    kind: Kind
    db_name: str | None
    db_id: str | None
    instance: str | None
    instance_number: str | None
    release: str | None
    rac: bool | None
    container: str | None
    host: str | None
    platform: str | None
    cpus: int | None
    cores: int | None
    begin_snap: int | None
    end_snap: int | None
    begin_time: Time
    end_time: Time
    startup_time: Time
    elapsed_s: Annotated[float | None, ("exclusiveMinimum", 0)]
    db_time_s: Annotated[float | None, ("minimum", 0)]
    block_size: int | None
    source: str


class ShareDocument(TypedDict):
    """The DB time of one consumer, and the part of the write path that it belongs to."""

    name: str
    part: Annotated[str, ("enum", ("cpu", "redo", "temp", "undo", "checkpoint", "other"))]
    seconds: float
    pct_db_time: float


class OverviewDocument(TypedDict):
    """Overview of load and DB time.

    Shares are percentages of DB time; the remainder up to 100 is in no event of the report's list;
    above 100, CPU and waits overlap or are outside DB time.
    """

    active_sessions: float | None
    cpus: int | None
    db_time: list[ShareDocument]


class EvidenceDocument(TypedDict):
    """A cell of the report behind a fact: `text` as printed, `line` of the source file."""

    section: str
    row: str
    column: str
    text: str
    value: float | str | None
    line: Line | None


class FactDocument(TypedDict):
    """A quantity with its unit and the cells that it comes from."""

    value: float | str | list[str] | None
    unit: Unit
    status: Status
    evidence: list[EvidenceDocument]
    formula: str
    note: str


#: A fact that is not available has no value, and a note that says why; every other has a value.
KnownOrNot = Annotated[
    FactDocument,
    ("if", {"properties": {"status": {"const": "unavailable"}}}),
    ("then", {"properties": {"value": {"type": "null"}, "note": {"minLength": 1}}}),
    ("else", {"properties": {"value": {"not": {"type": "null"}}}}),
]


class FindingDocument(TypedDict):
    """The result of a rule."""

    id: Annotated[
        RuleId,
        "A rule family of awrlens (REDO, TEMP, UNDO, CKPT, RECO, INTG, SQLS) or of custom rules, "
        "and three digits; BUDGET- and a digest for a budget without an id.",
    ]
    name: Name
    since: str
    title: Words
    severity: Severity
    confidence: Confidence
    confidence_reason: Words
    impact: ImpactDocument
    weight: WeightDocument
    facts: list[str]
    evidence: list[EvidenceDocument]
    why: Words
    source: Words
    related: list[RuleId]
    contributing: Annotated[list[ProvenFinding], "Findings that are causes or parts of this one."]


#: A finding of awrlens has evidence; one of custom rules may have none.
ProvenFinding = Annotated[
    FindingDocument,
    ("if", {"properties": {"id": {"pattern": OUR_RULE}}}),
    ("then", {"properties": {"evidence": {"minItems": 1}}}),
]


class BenefitDocument(ImpactDocument):
    """What a recommendation saves."""

    upper_bound: Annotated[
        Literal[True],
        "The seconds never exceed the waits in the basis. Sessions that wait behind these are not "
        "counted.",
    ]


class RecommendationDocument(TypedDict):
    """An action, its saving, its prerequisites and how to verify that it worked."""

    id: Name
    title: Words
    action: Words
    commands: list[str]
    rollback: list[str]
    benefit: BenefitDocument
    prerequisites: list[str]
    risks: list[str]
    validate: list[str]
    findings: list[RuleId]
    status: Verdict
    effort: Annotated[Effort | None, "Required change."]
    risk: Annotated[Risk | None, "Risk of the change."]


class VerdictsDocument(TypedDict):
    """The verdicts; minimum and maximum target if the recovery target has an effect."""

    write_path: Severity
    redo_storage: Verdict
    temp_storage: Verdict
    undo_storage: Verdict
    fast_start_mttr_target_s: Target
    fast_start_mttr_lowest_s: Target
    fast_start_mttr_highest_s: Target


#: A rule of awrlens that was skipped needs a section; a budget may need something else.
SkippedRule = Annotated[
    SkippedDocument,
    ("if", {"properties": {"rule": {"pattern": OUR_RULE}}}),
    ("then", {"properties": {"needs": {"minItems": 1}}}),
]


class DifferenceDocument(TypedDict):
    """A fact that is a number in both periods."""

    unit: str
    first: float
    second: float
    change_pct: float | None


class PeriodsDocument(TypedDict):
    """What `awrlens compare` says of two periods first."""

    headline: str
    direction: Direction
    severity: State
    comparability: Grade
    facts: dict[FactName, DifferenceDocument]
    parameters: list[Annotated[dict[str, Any], Change]]
    causes: list[Annotated[dict[str, Any], Reason]]


class OfSome(TypedDict, total=False):
    """What only the documents of some reports have."""

    headline: Annotated[
        Words, "The main problem and the first action, in one sentence; not present for alert logs."
    ]
    overview: OverviewDocument
    instances: Annotated[
        list[AnalysisDocument],
        "RAC report: each instance in the report; `facts` at the top are those of the cluster.",
    ]
    databases: Annotated[
        list[AnalysisDocument],
        "SQL Server log: each database with checkpoints or warnings; `facts` at the top are those "
        "of the whole log.",
    ]
    periods: Annotated[
        list[AnalysisDocument],
        "Compare-period report: the first and the second period; findings and advice at the top "
        "are those of the second.",
        ("minItems", 2),
        ("maxItems", 2),
    ]
    comparison: Annotated[
        PeriodsDocument,
        "Compare-period report: what `awrlens compare` says first, facts that are numbers in both "
        "periods, and changed parameters.",
    ]
    recovery: Annotated[
        MeasuredRecovery | PredictedRecovery,
        "Recovery measured from an alert log, or predicted by a model for the system of a report.",
    ]


class AnalysisDocument(OfSome):
    """What `awrlens analyze --format json` prints for one report."""

    schema_version: Annotated[str, ("const", SCHEMA_VERSION)]
    report: IdentityDocument
    facts: dict[FactName, KnownOrNot]
    findings: list[ProvenFinding]
    recommendations: list[RecommendationDocument]
    verdicts: VerdictsDocument
    skipped: list[SkippedRule]
    warnings: list[NoteDocument]
