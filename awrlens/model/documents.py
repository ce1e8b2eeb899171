"""The JSON documents of `analyze`, `check` and `trend`, key by key; JSON Schemas are made of them.

``to_dict`` of the records of ``awrlens.model`` returns these types.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Final, TypedDict

from awrlens.model import Note, Overview, Recommendation, Skipped, Verdicts, trend
from awrlens.model.analysis import SCHEMA_VERSION, PeriodsDocument
from awrlens.model.check_run import SCHEMA_VERSION as CHECK_RUN_SCHEMA_VERSION
from awrlens.model.check_run import Issue, Unread
from awrlens.model.fact import Evidence, Status
from awrlens.model.finding import STATES, ProvenFinding, State
from awrlens.model.kinds import (
    OUR_RULE,
    Amount,
    Count,
    FactName,
    Line,
    RuleId,
    Time,
    Words,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    #: What a satellite that knows recovery says of it (``Extension.documents``).
    Recovery = Mapping[str, Any]


class NumberDocument(TypedDict):
    """A fact behind a finding, and the lines of its evidence."""

    name: str
    value: Any
    unit: str
    status: Status
    formula: str
    note: str
    lines: list[Line]


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
    findings: list[Issue]
    suppressed: list[Issue]
    skipped: list[Skipped]
    warnings: list[Note]
    incomplete: Annotated[list[str], "Why the report cannot be judged completely."]
    undecided: Annotated[list[RuleId], "Selected rules without a decision."]
    not_applicable: Annotated[list[Skipped], "Budgets that do not apply to this report."]
    unassessable: bool


class CheckDocument(TypedDict):
    """What `awrlens check --output json` writes."""

    schema_version: Annotated[str, ("const", CHECK_RUN_SCHEMA_VERSION)]
    awrlens: Annotated[str, "The version of awrlens."]
    fail_on: Annotated[list[str], ("minItems", 1)]
    exit_status: Annotated[int, ("enum", (0, 1, 3, 4))]
    summary: Summary
    reports: list[ReportDocument]
    errors: Annotated[list[Unread], "Inputs that could not be judged although they should be."]
    left_out: Annotated[list[Unread], "Files that are not reports."]
    notes: Annotated[list[str], "Entries of the baseline that expired or are no longer found."]


IntervalTime = Annotated[str, ("pattern", r"^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}$")]
REPORT_KINDS: Final = (
    "statspack-text", "awr-text", "awr-html", "awr-rac-text", "awr-rac-html", "awr-diff-text",
    "awr-diff-html",
)  # fmt: skip
IntervalKind = Annotated[str, ("enum", REPORT_KINDS)]


class WindowDocument(TypedDict):
    """An interval of an instance."""

    begin: IntervalTime
    end: IntervalTime
    begin_snap: int | None
    end_snap: int | None
    elapsed_s: Annotated[float | None, ("exclusiveMinimum", 0)]
    kind: IntervalKind
    source: str
    verdict: State
    findings: list[Annotated[dict[str, Any], trend.Mention]]
    facts: Annotated[
        dict[
            FactName,
            Annotated[
                dict[str, Any],
                trend.Reading,
                ("if", {"properties": {"status": {"const": "unavailable"}}}),
                ("then", {"properties": {"value": {"type": "null"}}}),
                ("else", {"properties": {"value": {"type": "number"}}}),
            ],
        ],
        "Displayed facts, and facts with which latencies and loads are compared.",
    ]
    outliers: Annotated[
        list[Annotated[dict[str, Any], trend.Outlier]],
        "Outliers; `score` is the modified z-score, null if there are too few points and only the "
        "change is given. `baseline` of a total is its median per second.",
    ]
    score: Annotated[Amount, "Starts at 0; higher is worse."]
    cost_s: Annotated[
        float | None, "Seconds that sessions waited, by the findings; each family counts once."
    ]
    usual: Annotated[
        dict[FactName, float],
        "The baseline: the median for the hour of the interval (for a total, scaled to its "
        "length); absent if there are too few intervals.",
    ]


class SeriesDocument(TypedDict):
    """One instance of a database, or (`cluster`) the totals of a RAC report."""

    db_name: str | None
    db_id: str | None
    container: str | None
    instance: str | None
    instance_number: str | None
    cluster: bool
    severities: Annotated[
        dict[State, Count],
        "The number of intervals by severity.",
        ("required", STATES),
    ]
    windows: list[WindowDocument]
    breaks: Annotated[
        list[Annotated[dict[str, Any], trend.Break]],
        "Intervals that are missing (`gap`), and restarts of the instance between two intervals "
        "(`restart`).",
    ]
    left_out: list[Annotated[dict[str, Any], trend.LeftOut]]
    courses: list[Annotated[dict[str, Any], trend.Course]]
    seen: list[Annotated[dict[str, Any], trend.Seen]]
    links: Annotated[
        list[Annotated[dict[str, Any], trend.Link]],
        "Latency against load: Spearman's rank correlation; `busy_ms` is the median of the slower "
        "half of the intervals.",
    ]
    change_points: Annotated[
        list[Annotated[dict[str, Any], trend.ChangePoint]],
        "Lasting steps of facts, in the order of time.",
    ]
    drifts: list[Annotated[dict[str, Any], trend.Drift]]
    undecided: Annotated[
        list[Annotated[dict[str, Any], trend.Undecided]],
        "Why nothing is said about change points and drifts of a fact (null: of all).",
    ]


class Worst(TypedDict):
    """One of the worst intervals: number of its series and of the interval, starting at 0."""

    series: Count
    window: Count


class TrendDocument(TypedDict):
    """What `awrlens trend --format json` prints."""

    schema_version: Annotated[str, ("const", trend.TREND_SCHEMA_VERSION)]
    facts: Annotated[
        dict[FactName, Annotated[dict[str, Any], trend.Quantity]],
        "Properties of each fact; `total`: accumulated over the interval.",
    ]
    series: list[SeriesDocument]
    changed: Annotated[
        list[Annotated[dict[str, Any], trend.Changed]],
        "What changed, by severity, then by cost: facts of a series that moved to another level at "
        "the same time (`step`) or drift over the same time. `extra_s`: how many seconds more "
        "sessions waited than at the rate before.",
    ]
    worst: Annotated[list[Worst], "By severity, then by sessions waiting, then by outliers."]
    left_out: list[Annotated[dict[str, Any], trend.LeftOut]]
    not_asked: Annotated[Count, "Intervals outside --db, --instance, --since and --until."]


Kind = Annotated[
    str,
    ("enum", (*REPORT_KINDS, "sqlserver-errorlog", "sqlserver-xevents", "oracle-alert-log")),
]
Unit = Annotated[str, ("enum", (*trend.UNITS, "name", "names"))]


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


class FactDocument(TypedDict):
    """A quantity with its unit and the cells that it comes from."""

    value: float | str | list[str] | None
    unit: Unit
    status: Status
    evidence: list[Evidence]
    formula: str
    note: str


#: A fact that is not available has no value, and a note that says why; every other has a value.
KnownOrNot = Annotated[
    FactDocument,
    ("if", {"properties": {"status": {"const": "unavailable"}}}),
    ("then", {"properties": {"value": {"type": "null"}, "note": {"minLength": 1}}}),
    ("else", {"properties": {"value": {"not": {"type": "null"}}}}),
]


#: A rule of awrlens that was skipped needs a section; a budget may need something else.
SkippedRule = Annotated[
    Skipped,
    ("if", {"properties": {"rule": {"pattern": OUR_RULE}}}),
    ("then", {"properties": {"needs": {"minItems": 1}}}),
]


class OfSome(TypedDict, total=False):
    """What only the documents of some reports have."""

    headline: Annotated[
        Words, "The main problem and the first action, in one sentence; not present for alert logs."
    ]
    overview: Overview
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
        Recovery,
        "Recovery measured from an alert log, or predicted by a model for the system of a report.",
    ]


class AnalysisDocument(OfSome):
    """What `awrlens analyze --format json` prints for one report."""

    schema_version: Annotated[str, ("const", SCHEMA_VERSION)]
    report: IdentityDocument
    facts: dict[FactName, KnownOrNot]
    findings: list[ProvenFinding]
    recommendations: list[Recommendation]
    verdicts: Verdicts
    skipped: list[SkippedRule]
    warnings: list[Note]
