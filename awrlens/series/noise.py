"""Change or noise: the size that a difference must exceed to be reported.

One report against another: the counting error, the rounding of the digits in the report, and a
minimum. Sets of reports: the scatter within every set. One report against a set: the scatter of
single reports of the set, and their range.
"""

from __future__ import annotations

from math import exp, log, sqrt
from statistics import fmean, median
from typing import TYPE_CHECKING, Final

from awrlens.policy import Policy, Threshold
from awrlens.records import NamedTuple
from awrlens.series.amounts import Amount

if TYPE_CHECKING:
    from collections.abc import Sequence

FLOOR_PCT: Final = Threshold(
    "compare.floor_pct", 10.0, "%",
    "differences below this are always noise",
    "awrlens: hours of one unchanged system differ by more",
)  # fmt: skip
ERRORS: Final = Threshold(
    "compare.standard_errors", 2.0, "ratio",
    "number of standard errors that a difference must exceed",
    "awrlens: chance alone exceeds two standard errors in 5 % of cases",
)  # fmt: skip
LEAST_REPORTS: Final = Threshold(
    "compare.least_reports", 5.0, "count",
    "minimum reports per side to measure noise by the scatter of the reports",
    "awrlens: the median absolute deviation of four or fewer values depends on one or two of them",
)  # fmt: skip
SET_DEVIATIONS: Final = Threshold(
    "compare.set_deviations", 3.5, "ratio",
    "number of robust standard deviations by which one report must differ from the set's median",
    "Iglewicz and Hoaglin, How to Detect and Handle Outliers (ASQC, 1993): a modified z-score "
    "beyond 3.5 is an outlier",
)  # fmt: skip

#: Equal except for the last digits of a float.
_EQUAL: Final = 1e-9
#: The median absolute deviation times this is the standard deviation of a normal distribution
#: (1 / the normal distribution's third quartile), and the standard error of its median is this
#: many times that of its mean (the square root of pi / 2).
_DEVIATION: Final = 1.4826
_OF_MEDIAN: Final = 1.2533
#: The mean absolute deviation times this is the same standard deviation.
_OF_MEAN: Final = 1.2533
#: A deviation of the logarithm that no difference exceeds.
_WIDEST: Final = 12.0
#: Minimum share that is left of a value after rounding, so that bounds stay finite.
_LEFT: Final = 1e-6


class Noise(NamedTuple):
    """Whether two values differ, and the percentage (of the smaller) that counts as noise."""

    differs: bool
    same: bool
    pct: float
    basis: str


def pooled(values: Sequence[Amount], policy: Policy) -> Amount:
    """One amount of a side: the only one, or the median of its reports with its own error."""
    if len(values) == 1:
        return values[0]
    middle = median(each.value for each in values)
    nearest = min(values, key=lambda each: abs(each.value - middle))
    step = median(each.step for each in values)
    how = f"median of {len(values)} reports: {nearest.how}"
    found = Amount(
        middle, nearest.unit, how, 0.0, step, 0.0,
        min(each.value for each in values), max(each.value for each in values),
    )  # fmt: skip
    if len(values) < policy[LEAST_REPORTS]:
        return found
    deviation = median(abs(each.value - middle) for each in values)
    error = _OF_MEDIAN * _DEVIATION * deviation / sqrt(len(values))
    return found._replace(
        error=error / abs(middle) if middle else 0.0,
        spread=_spread([each.value for each in values]),
    )


def _spread(values: Sequence[float]) -> float:
    """The scatter of single values around their median, of logarithms because values are skewed.

    If half of the values are equal, the mean deviation replaces the median deviation. Zeros and
    negative values have no logarithm; the range of the set covers them.
    """
    logs = [log(value) for value in values if value > 0]
    if len(logs) * 2 <= len(values):
        return 0.0
    middle = median(logs)
    deviations = [abs(each - middle) for each in logs]
    return _DEVIATION * median(deviations) or _OF_MEAN * fmean(deviations)


def judge(
    before: Amount, after: Amount, reports: tuple[int, int], policy: Policy, *, exact: bool = False
) -> Noise:
    """Whether a difference is more than noise; the same with the sides exchanged.

    ``exact`` is for settings: any difference counts.
    """
    low, high = sorted((abs(before.value), abs(after.value)))
    same = abs(before.value - after.value) <= _EQUAL * high
    if exact:
        return Noise(not same, same, 0.0, "a setting: any difference counts")
    deviation = policy[ERRORS] * sqrt(before.error**2 + after.error**2)
    among = False
    if min(reports) == 1 < max(reports):
        one, many = (before, after) if reports[0] == 1 else (after, before)
        among = many.least is not None and many.least <= one.value <= (many.most or 0.0)
        own = policy[ERRORS] * one.error
        deviation = sqrt(own**2 + (policy[SET_DEVIATIONS] * many.spread) ** 2)
    # few operations have large relative errors: bounds are factors, not differences
    counting = exp(min(deviation, _WIDEST)) - 1
    printing = _printing(before, after)
    floor = policy[FLOOR_PCT] / 100
    bound = max(floor, (1 + counting) * (1 + printing) - 1)
    basis = _basis(bound, floor, counting, printing, reports, policy)
    opposite = before.value * after.value < 0
    if low == 0 or opposite:  # one value is 0: the other must be more than noise
        lost = (before.step + after.step) / high if high else 0.0
        differs = not same and not among and (opposite or deviation + lost < 1)
        return Noise(differs, same, bound * 100, basis)
    differs = not same and not among and high / low - 1 > bound
    return Noise(differs, same, bound * 100, basis)


def _printing(before: Amount, after: Amount) -> float:
    """By how much the greater value may exceed the smaller by rounding alone."""
    less, more = sorted((before, after), key=lambda each: (abs(each.value), each.step))
    if not less.value:
        return 0.0
    least = max(abs(more.value) - more.step, abs(more.value) * _LEFT)
    return (1 + less.step / abs(less.value)) * abs(more.value) / least - 1


def _basis(
    bound: float, floor: float, counting: float, printing: float, reports: tuple[int, int],
    policy: Policy,
) -> str:  # fmt: skip
    if bound <= floor:
        return f"changes below {policy[FLOOR_PCT]:g} % are ignored as noise"
    parts = []
    scatter = min(reports) >= policy[LEAST_REPORTS]
    if counting and min(reports) == 1 and max(reports) >= policy[LEAST_REPORTS]:
        parts.append(
            f"median absolute deviation of {max(reports)} reports, "
            f"{policy[SET_DEVIATIONS]:g} standard deviations"
        )
    elif counting:
        parts.append(
            f"median absolute deviation of {reports[0]} and {reports[1]} reports, "
            f"{policy[ERRORS]:g} standard errors"
            if scatter
            else f"{policy[ERRORS]:g} standard errors of the number of operations (random arrivals "
            "and durations)"
        )
    if printing:
        parts.append("rounding in the report")
    return "; ".join(parts)
