"""The JSON document of `trend`, where it differs from the records of a trend.

``to_dict`` in awrlens/model/trend.py returns these types; the JSON Schema is made of them
(awrlens/model/simulation_document.py says how they are written and checked).
"""

from __future__ import annotations

from typing import Annotated, Any, Final, TypedDict

from awrlens.model import Severity
from awrlens.model.trend import (
    TREND_SCHEMA_VERSION,
    Break,
    Course,
    LeftOut,
    Link,
    Mention,
    Outlier,
    Quantity,
    Reading,
    Seen,
)
from awrlens.model.trend_changes import (
    Amount,
    Changed,
    ChangePoint,
    Count,
    Drift,
    FactName,
    Undecided,
)

Time = Annotated[str, ("pattern", r"^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}$")]
REPORT_KINDS: Final = (
    "statspack-text", "awr-text", "awr-html", "awr-rac-text", "awr-rac-html", "awr-diff-text",
    "awr-diff-html",
)  # fmt: skip
Kind = Annotated[str, ("enum", REPORT_KINDS)]


class WindowDocument(TypedDict):
    """An interval of an instance."""

    begin: Time
    end: Time
    begin_snap: int | None
    end_snap: int | None
    elapsed_s: Annotated[float | None, ("exclusiveMinimum", 0)]
    kind: Kind
    source: str
    verdict: Severity
    findings: list[Annotated[dict[str, Any], Mention]]
    facts: Annotated[
        dict[
            FactName,
            Annotated[
                dict[str, Any],
                Reading,
                ("if", {"properties": {"status": {"const": "unavailable"}}}),
                ("then", {"properties": {"value": {"type": "null"}}}),
                ("else", {"properties": {"value": {"type": "number"}}}),
            ],
        ],
        "Displayed facts, and facts with which latencies and loads are compared.",
    ]
    outliers: Annotated[
        list[Annotated[dict[str, Any], Outlier]],
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
        dict[Severity, Count],
        "The number of intervals by severity.",
        ("required", ("critical", "warning", "info", "ok")),
    ]
    windows: list[WindowDocument]
    breaks: Annotated[
        list[Annotated[dict[str, Any], Break]],
        "Intervals that are missing (`gap`), and restarts of the instance between two intervals "
        "(`restart`).",
    ]
    left_out: list[Annotated[dict[str, Any], LeftOut]]
    courses: list[Annotated[dict[str, Any], Course]]
    seen: list[Annotated[dict[str, Any], Seen]]
    links: Annotated[
        list[Annotated[dict[str, Any], Link]],
        "Latency against load: Spearman's rank correlation; `busy_ms` is the median of the slower "
        "half of the intervals.",
    ]
    change_points: Annotated[
        list[Annotated[dict[str, Any], ChangePoint]],
        "Lasting steps of facts, in the order of time.",
    ]
    drifts: list[Annotated[dict[str, Any], Drift]]
    undecided: Annotated[
        list[Annotated[dict[str, Any], Undecided]],
        "Why nothing is said about change points and drifts of a fact (null: of all).",
    ]


class Worst(TypedDict):
    """One of the worst intervals: number of its series and of the interval, starting at 0."""

    series: Count
    window: Count


class TrendDocument(TypedDict):
    """What `awrlens trend --format json` prints."""

    schema_version: Annotated[str, ("const", TREND_SCHEMA_VERSION)]
    facts: Annotated[
        dict[FactName, Annotated[dict[str, Any], Quantity]],
        "Properties of each fact; `total`: accumulated over the interval.",
    ]
    series: list[SeriesDocument]
    changed: Annotated[
        list[Annotated[dict[str, Any], Changed]],
        "What changed, by severity, then by cost: facts of a series that moved to another level at "
        "the same time (`step`) or drift over the same time. `extra_s`: how many seconds more "
        "sessions waited than at the rate before.",
    ]
    worst: Annotated[list[Worst], "By severity, then by cost, then by outliers."]
    left_out: list[Annotated[dict[str, Any], LeftOut]]
    not_asked: Annotated[Count, "Intervals outside --db, --instance, --since and --until."]
