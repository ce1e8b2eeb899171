"""The line through the middle of many points, whatever a few of them do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from awrlens.records import NamedTuple

if TYPE_CHECKING:
    from typing import TypeAlias

    from numpy.typing import NDArray

    Array: TypeAlias = NDArray[np.float64]


class Line(NamedTuple):
    """A line through the middle of points; ``low`` and ``high`` enclose its slope."""

    slope: float
    level: float
    low: float
    high: float

    def at(self, places: Array) -> Array:
        """The values of the line."""
        return self.level + self.slope * places


#: Points of a line; more are put together.
_MOST_POINTS: Final = 1000
#: Standard deviations that enclose 95 %.
_WIDE: Final = 1.96


def theil_sen(places: Array, values: Array, phi: float = 0.0) -> Line:
    """The line with the median of all slopes between two points, and their 95 % interval.

    The interval is from Kendall's test; autocorrelation makes it wider (Sen, JASA 1968; Hamed and
    Rao, Journal of Hydrology 1998).
    """
    whole = len(places)
    if whole > _MOST_POINTS:
        parts = np.array_split(np.arange(whole), _MOST_POINTS)
        places = np.array([np.median(places[part]) for part in parts])
        values = np.array([np.median(values[part]) for part in parts])
    one, other = np.triu_indices(len(places), 1)
    run = places[other] - places[one]
    slopes = np.sort((values[other] - values[one])[run > 0] / run[run > 0])
    if not len(slopes):
        middle = float(np.median(values))
        return Line(0.0, middle, 0.0, 0.0)
    slope = float(np.median(slopes))
    spread = np.sqrt(whole * (whole - 1) * (2 * whole + 5) / 18 * (1 + phi) / (1 - phi))
    share = min(1.0, _WIDE * spread / (whole * (whole - 1) / 2))  # of the concordant pairs
    low, high = np.quantile(slopes, [(1 - share) / 2, (1 + share) / 2])
    level = float(np.median(values - slope * places))
    return Line(slope, level, float(low), float(high))
