"""Robust statistics: median, MAD, modified z-score, rank correlation.

Source: Iglewicz and Hoaglin, How to Detect and Handle Outliers (ASQC, 1993); for a MAD of 0
the mean absolute deviation, as they recommend.
"""

from __future__ import annotations

from statistics import fmean, median
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

#: The MAD of a normal distribution is 0.6745 of its standard deviation.
_MAD_TO_SIGMA: Final = 0.6745
#: The mean absolute deviation of a normal distribution is 1 / 1.253314 of it.
_MEAN_AD_TO_SIGMA: Final = 1.253314


def mad(values: Sequence[float], middle: float | None = None) -> float:
    """The median of the absolute deviations from the median."""
    middle = median(values) if middle is None else middle
    return median([abs(value - middle) for value in values])


def modified_z_score(value: float, values: Sequence[float]) -> float:
    """The number of robust standard deviations between a value and the median of some values.

    If half of them are equal, the MAD is 0 and the mean absolute deviation replaces it. If all are
    equal, there is no scatter, and the score is 0.
    """
    middle = median(values)
    scatter = mad(values, middle)
    if scatter > 0:
        return _MAD_TO_SIGMA * (value - middle) / scatter
    scatter = fmean([abs(each - middle) for each in values])
    return (value - middle) / (_MEAN_AD_TO_SIGMA * scatter) if scatter > 0 else 0.0


def ranks(values: Sequence[float]) -> list[float]:
    """The rank of every value, from 1; equal values share the mean of their ranks."""
    order = sorted(range(len(values)), key=values.__getitem__)
    found = [0.0] * len(values)
    begin = 0
    while begin < len(order):
        end = begin
        while end + 1 < len(order) and values[order[end + 1]] == values[order[begin]]:
            end += 1
        for place in order[begin : end + 1]:
            found[place] = (begin + end) / 2 + 1
        begin = end + 1
    return found


def spearman(xs: Sequence[float], ys: Sequence[float]) -> float | None:
    """Spearman's rank correlation; None if one side does not vary."""
    a, b = ranks(xs), ranks(ys)
    middle = (len(a) + 1) / 2
    across = sum((x - middle) * (y - middle) for x, y in zip(a, b, strict=True))
    own = sum((x - middle) ** 2 for x in a) * sum((y - middle) ** 2 for y in b)
    # rounding must not make it greater than 1
    return None if own <= 0 else max(-1.0, min(1.0, across / own**0.5))
