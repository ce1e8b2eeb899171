"""The values that modules exchange: facts, findings, recommendations, the analysis.

All are frozen and have no methods except conversion to plain data (CONTRACT section 1).
"""

from awrlens.model.analysis import (
    OTHER_ENGINE,
    SCHEMA_VERSION,
    Analysis,
    Change,
    Difference,
    Note,
    Overview,
    PeriodComparison,
    Share,
    Window,
)
from awrlens.model.fact import Evidence, Excerpt, Fact, FactValue, Status, facts_table
from awrlens.model.finding import (
    DB_TIME,
    NO_WEIGHT,
    SEVERITIES,
    Confidence,
    Finding,
    Impact,
    Recommendation,
    Severity,
    Skipped,
    Verdict,
    Verdicts,
    Weight,
    base_of_shares,
    with_parts,
    worst,
)

__all__ = [
    "DB_TIME",
    "NO_WEIGHT",
    "OTHER_ENGINE",
    "SCHEMA_VERSION",
    "SEVERITIES",
    "Analysis",
    "Change",
    "Confidence",
    "Difference",
    "Evidence",
    "Excerpt",
    "Fact",
    "FactValue",
    "Finding",
    "Impact",
    "Note",
    "Overview",
    "PeriodComparison",
    "Recommendation",
    "Severity",
    "Share",
    "Skipped",
    "Status",
    "Verdict",
    "Verdicts",
    "Weight",
    "Window",
    "base_of_shares",
    "facts_table",
    "with_parts",
    "worst",
]  # fmt: skip
