"""The numbers that decide in a trend, each declared once."""

from __future__ import annotations

from typing import Final

from awrlens.policy import Threshold

GAP_S: Final = Threshold(
    "trend.gap_s", 300.0, "s",
    "time between two windows up to which they follow each other",
    "awrlens: snapshots are taken some seconds to minutes late on a busy system, and the default "
    "interval is an hour",
)  # fmt: skip
HOUR_MIN: Final = Threshold(
    "trend.hour_min", 90.0, "min",
    "longest window that belongs to one hour of the day",
    "awrlens: a window of the default interval (60 min), with snapshots taken late",
)  # fmt: skip
SLOT_POINTS: Final = Threshold(
    "trend.slot_points", 5.0, "count",
    "windows in the same hour (of the week, of working days or weekends, of the day) from which "
    "that hour is the baseline",
    "awrlens: of fewer than five points a median and a MAD say little",
)  # fmt: skip
POINTS: Final = Threshold(
    "trend.points", 8.0, "count",
    "windows from which all of them together are a baseline for outliers; of fewer, only the "
    "change against the median is told",
    "awrlens: hours differ, so that all windows together scatter more than one hour's",
)  # fmt: skip
CHANGE_POINTS: Final = Threshold(
    "trend.change_points", 3.0, "count",
    "windows from which a change against their median is told at all",
    "awrlens: of two points neither is the usual one",
)  # fmt: skip
Z_SCORE: Final = Threshold(
    "trend.z_score", 3.5, "ratio",
    "modified z-score, 0.6745 × (value − median) / MAD, beyond which a value is an outlier",
    "Iglewicz and Hoaglin, How to Detect and Handle Outliers (ASQC, 1993): 3.5",
)  # fmt: skip
LEAST_CHANGE_PCT: Final = Threshold(
    "trend.least_change_pct", 20.0, "%",
    "change against the median below which a value is no outlier, however steady the others are",
    "awrlens: a MAD close to 0 makes an outlier of every ripple",
)  # fmt: skip
LEAST_MS: Final = Threshold(
    "trend.least_ms", 0.2, "ms",
    "a latency that is off the median by less than this is no outlier",
    "awrlens: a write to flash takes 0.1 ms (document 3, figure 5); less than two of them is "
    "nothing that a session feels",
)  # fmt: skip
LEAST_POINTS_PCT: Final = Threshold(
    "trend.least_points_pct", 1.0, "%",
    "a share that is off the median by fewer percentage points than this is no outlier",
    "awrlens: as with `impact.info_pct`, shares below 1 % are left out",
)  # fmt: skip
CHANGE_FACTOR: Final = Threshold(
    "trend.change_factor", 2.0, "ratio",
    "where there are too few points for a z-score: factor to or below the median that is told",
    "awrlens: twice or half of what is usual is worth a look, less may be chance",
)  # fmt: skip
SCORE_CAP: Final = Threshold(
    "trend.score_cap", 3.0, "ratio",
    "how many times its limit an outlier with a finding may count where the worst windows come "
    "first",
    "awrlens: as much as a critical finding; a z-score of 100 is not worse news than one of 20",
)  # fmt: skip
LINK_POINTS: Final = Threshold(
    "trend.link_points", 10.0, "count",
    "windows from which a latency is compared with its load",
    "rank correlation: of ten points 0.65 is significant at 5 %, of fewer only chance is ruled in",
)  # fmt: skip
FOLLOWS_RHO: Final = Threshold(
    "trend.follows_rho", 0.65, "ratio",
    "Spearman's rank correlation from which a latency follows its load",
    "critical value of Spearman's rho for ten points at 5 %, two-sided (Zar, 1972: 0.648)",
)  # fmt: skip
FLAT_RHO: Final = Threshold(
    "trend.flat_rho", 0.3, "ratio",
    "Spearman's rank correlation below which (either sign) a latency does not depend on its load",
    "awrlens: less than a tenth of the variance of ranks",
)  # fmt: skip
LOAD_SPREAD: Final = Threshold(
    "trend.load_spread", 1.5, "ratio",
    "highest load over lowest from which load varies enough to tell",
    "awrlens: a load that hardly varies cannot be told from none",
)  # fmt: skip

#: All of them, for the configuration and the documentation.
THRESHOLDS: Final = (
    GAP_S, HOUR_MIN, SLOT_POINTS, POINTS, CHANGE_POINTS, Z_SCORE, LEAST_CHANGE_PCT, LEAST_MS,
    LEAST_POINTS_PCT, CHANGE_FACTOR, SCORE_CAP, LINK_POINTS, FOLLOWS_RHO, FLAT_RHO, LOAD_SPREAD,
)  # fmt: skip
