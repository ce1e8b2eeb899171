"""The thresholds of trends."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.policy import Threshold

if TYPE_CHECKING:
    from awrlens.policy import Policy

GAP_S: Final = Threshold(
    "trend.gap_s", 300.0, "s",
    "maximum time between two intervals without a gap",
    "awrlens: snapshots are seconds to minutes late on a busy system, and the default interval is "
    "an hour",
)  # fmt: skip
HOUR_MIN: Final = Threshold(
    "trend.hour_min", 90.0, "min",
    "maximum length of an interval that belongs to one hour of the day",
    "awrlens: the default interval (60 min) with late snapshots",
)  # fmt: skip
SLOT_POINTS: Final = Threshold(
    "trend.slot_points", 5.0, "count",
    "minimum intervals in the same hour (of the week, of working days or weekends, of the day) for "
    "that hour to be the baseline",
    "awrlens: median and MAD of fewer than five points are unreliable",
)  # fmt: skip
POINTS: Final = Threshold(
    "trend.points", 8.0, "count",
    "minimum intervals for a baseline over all hours; with fewer, only the change against the "
    "median is reported",
    "awrlens: hours differ, so all intervals together scatter more than those of one hour",
)  # fmt: skip
CHANGE_POINTS: Final = Threshold(
    "trend.change_points", 3.0, "count",
    "minimum intervals to report a change against their median",
    "awrlens: with two points, neither is the usual value",
)  # fmt: skip
Z_SCORE: Final = Threshold(
    "trend.z_score", 3.5, "ratio",
    "modified z-score, 0.6745 × (value − median) / MAD, above which a value is an outlier",
    "Iglewicz and Hoaglin, How to Detect and Handle Outliers (ASQC, 1993): 3.5",
)  # fmt: skip
LEAST_CHANGE_PCT: Final = Threshold(
    "trend.least_change_pct", 20.0, "%",
    "minimum change against the median for an outlier, even if the other values are steady",
    "awrlens: with a MAD close to 0, every small change would be an outlier",
)  # fmt: skip
LEAST_MS: Final = Threshold(
    "trend.least_ms", 0.2, "ms",
    "minimum difference from the median for a latency to be an outlier",
    'awrlens: a write to flash takes 0.1 ms ("Write Accelerator", figure 5); less than two such '
    "writes is not significant to a session",
)  # fmt: skip
LEAST_POINTS_PCT: Final = Threshold(
    "trend.least_points_pct", 1.0, "%",
    "minimum difference from the median, in percentage points, for a share to be an outlier",
    "awrlens: as with `impact.info_pct`, shares below 1 % are ignored",
)  # fmt: skip
CHANGE_FACTOR: Final = Threshold(
    "trend.change_factor", 2.0, "ratio",
    "factor above or below the median that is reported if there are too few points for a z-score",
    "awrlens: twice or half of the usual value is worth a look, a smaller change may be chance",
)  # fmt: skip
SCORE_CAP: Final = Threshold(
    "trend.score_cap", 3.0, "ratio",
    "maximum score of an outlier with a finding in the ranking of the worst intervals, as a "
    "multiple of its limit",
    "awrlens: the same as a critical finding; a z-score of 100 is not worse than one of 20",
)  # fmt: skip
SHIFT_POINTS: Final = Threshold(
    "trend.shift_points", 20.0, "count",
    "minimum intervals with a value to look for change points and drifts",
    "awrlens: with fewer, only steps of more than ten standard deviations of noise are significant",
)  # fmt: skip
FORECAST_POINTS: Final = Threshold(
    "trend.forecast_points", 40.0, "count",
    "minimum intervals of a drift for a forecast",
    "awrlens: earlier forecasts, from which the error is known, have less than half of them",
)  # fmt: skip
FORECAST_ERROR_PCT: Final = Threshold(
    "trend.forecast_error_pct", 20.0, "%",
    "maximum median error of earlier forecasts; with a larger one, no forecast is given",
    "awrlens: as trend.least_change_pct, the smallest change that counts",
)  # fmt: skip
LINK_POINTS: Final = Threshold(
    "trend.link_points", 10.0, "count",
    "minimum intervals to correlate a latency with its load",
    "rank correlation: with ten points 0.65 is significant at 5 %, with fewer it may be chance",
)  # fmt: skip
FOLLOWS_RHO: Final = Threshold(
    "trend.follows_rho", 0.65, "ratio",
    "Spearman's rank correlation above which a latency correlates with its load",
    "critical value of Spearman's rho for ten points at 5 %, two-sided (Zar, 1972: 0.648)",
)  # fmt: skip
FLAT_RHO: Final = Threshold(
    "trend.flat_rho", 0.3, "ratio",
    "Spearman's rank correlation below which (either sign) a latency does not depend on its load",
    "awrlens: it explains less than a tenth of the variance of ranks",
)  # fmt: skip
LOAD_SPREAD: Final = Threshold(
    "trend.load_spread", 1.5, "ratio",
    "minimum ratio of the highest to the lowest load for a correlation",
    "awrlens: a load that hardly varies allows no correlation",
)  # fmt: skip

#: All of them, for the configuration and the documentation.
THRESHOLDS: Final = (
    GAP_S, HOUR_MIN, SLOT_POINTS, POINTS, CHANGE_POINTS, Z_SCORE, LEAST_CHANGE_PCT, LEAST_MS,
    LEAST_POINTS_PCT, CHANGE_FACTOR, SCORE_CAP, SHIFT_POINTS,
    FORECAST_POINTS, FORECAST_ERROR_PCT, LINK_POINTS, FOLLOWS_RHO, FLAT_RHO, LOAD_SPREAD,
)  # fmt: skip


def least_difference(unit: str, policy: Policy) -> float:
    """The minimum difference of two values that counts; 0 for units without one."""
    least = {"ms": LEAST_MS, "%": LEAST_POINTS_PCT}.get(unit)
    return policy[least] if least else 0.0
