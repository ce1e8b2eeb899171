"""Forecasts of a drift, with the error that they would have had before now.

From several earlier times on, the same line is drawn through what was known then, and compared
with what followed. A forecast is given only where this error is small, and smaller than that of
the simplest forecast: nothing changes any more.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from awrlens.records import NamedTuple
from awrlens.series.lines import theil_sen
from awrlens.series.thresholds import FORECAST_ERROR_PCT, FORECAST_POINTS

if TYPE_CHECKING:
    from awrlens.policy import Policy
    from awrlens.series.lines import Array

#: How far ahead, as a share of the drift.
_AHEAD: Final = 0.25
#: Shares of the drift after which earlier forecasts begin.
_ORIGINS: Final = tuple(share / 100 for share in range(40, 75, 5))
#: What followed is the median of the intervals within this share of the drift.
_AROUND: Final = 0.05
#: Minimum number of earlier forecasts that can be compared.
_LEAST_ORIGINS: Final = 5
#: Share of errors that the range encloses.
_MOST_ERRORS: Final = 0.9


class Ahead(NamedTuple):
    """A forecast: days after the first interval, the value with its range, errors in percent."""

    days: float
    value: float
    low: float
    high: float
    error_pct: float
    unchanged_error_pct: float
    origins: int


def forecast(days: Array, values: Array, policy: Policy) -> Ahead | str:
    """A forecast of values without the pattern of the day; in words, why there is none."""
    least = int(policy[FORECAST_POINTS])
    if len(days) < least:
        return f"the drift has {len(days)} intervals; a forecast needs {least}"
    length = float(days[-1] - days[0])
    ahead = _AHEAD * length
    errors, unchanged = [], []
    for share in _ORIGINS:
        now = float(days[0]) + share * length
        known = days <= now
        then = np.abs(days - now - ahead) <= _AROUND * length
        recent = known & (days > now - _AHEAD * length)
        if known.sum() < least // 2 or not then.any() or not recent.any():
            continue
        actual = float(np.median(values[then]))
        if actual <= 0:
            return "values of 0 allow no error in percent"
        line = theil_sen(days[known], values[known])
        expected = line.level + line.slope * float(np.median(days[then]))
        errors.append(abs(expected - actual) / actual)
        unchanged.append(abs(float(np.median(values[recent])) - actual) / actual)
    if len(errors) < _LEAST_ORIGINS:
        return "gaps leave too few earlier forecasts to compare"
    error, other = float(np.median(errors)) * 100, float(np.median(unchanged)) * 100
    most = policy[FORECAST_ERROR_PCT]
    if error > most:
        return f"earlier forecasts were wrong by {error:.0f} % (limit {most:g} %)"
    if error >= other:
        return (
            f"earlier forecasts were wrong by {error:.0f} %, not better than "
            f"no further change ({other:.0f} %)"
        )
    line = theil_sen(days, values)
    value = line.level + line.slope * (float(days[-1]) + ahead)
    if value <= 0:
        return "the line falls below 0"
    wrong = float(np.quantile(errors, _MOST_ERRORS))
    return Ahead(
        float(days[-1]) + ahead, value, max(0.0, value * (1 - wrong)), value * (1 + wrong),
        error, other, len(errors),
    )  # fmt: skip
