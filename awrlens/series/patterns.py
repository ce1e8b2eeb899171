"""What is usual in a series apart from its level: the pattern of the day, noise, outliers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from awrlens.records import NamedTuple

if TYPE_CHECKING:
    from typing import TypeAlias

    from numpy.typing import NDArray

    Array: TypeAlias = NDArray[np.float64]

#: Minimum number of intervals on each side of a step; fewer are outliers.
MIN_SIDE: Final = 6
#: Distance from the running median, in standard deviations, beyond which a value is an outlier and
#: counts as one of one standard deviation.
CLIP: Final = 3.0
#: Rounds in which outliers and the pattern of the day are estimated in turn.
_ROUNDS: Final = 3
#: Hours that a series must span for its pattern of the day to have a value for every hour, for
#: every hour of weekends as well, and for any pattern.
_BY_HOUR, BY_WEEKEND, _BY_DAY = 46.5, 13 * 24.0, 12.0
#: Hours from which on medians of the hours show outliers.
_MEDIANS: Final = 119.0
#: Waves per day of the pattern in a shorter series.
_WAVES: Final = 2
#: Smallest noise: two digits, as reports print small values.
LEAST_NOISE: Final = 0.01


class Points(NamedTuple):
    """The values of a fact: when (hours), how much, the hour of the day (-1: none), weekend."""

    hours: Array
    values: Array
    slots: NDArray[np.int64]
    weekend: NDArray[np.bool_]


def without_outliers(scaled: Array, points: Points) -> tuple[float, Array]:
    """The local noise, and the values without outliers.

    The pattern of the day is subtracted first: by medians of the hours, or in a short series by
    waves. Both are estimated in turn with the level, which is a running median. In less than two
    days, pattern and level are one, and the median of few intervals follows both.
    """
    hours, slots = points.hours, points.slots
    places = slots + 24 * points.weekend if _mixed(points) else slots
    span = float(hours[-1] - hours[0])
    pattern, middle = np.zeros(len(scaled)), np.full(len(scaled), np.median(scaled))
    hourly, width, most = bool((slots >= 0).all()), 2 * MIN_SIDE - 1, CLIP
    if hourly and span < _BY_HOUR:
        hourly, width, most = False, MIN_SIDE - 1, 2 * CLIP
    waves = _waves(hours)
    for _ in range(_ROUNDS):
        if hourly and span >= _MEDIANS:
            for place in np.unique(places):
                same = places == place
                pattern[same] = np.median((scaled - middle)[same])
        elif hourly:
            pattern = _middle_of(waves, scaled - middle)
        middle = _running_median(scaled - pattern, width)
    rest = scaled - pattern - middle
    noise = max(scatter(rest), LEAST_NOISE)
    rest = np.where(np.abs(rest) > most * noise, np.sign(rest) * noise, rest)
    return noise, pattern + middle + rest


def _mixed(points: Points) -> bool:
    """Whether there are enough intervals of weekends and of working days."""
    weekends = int(points.weekend.sum())
    return min(weekends, len(points.hours) - weekends) >= MIN_SIDE


def season(points: Points) -> Array:
    """The columns of the pattern of the day, orthogonal to each other; the first is constant."""
    hours, slots = points.hours, points.slots
    count, span = len(hours), float(hours[-1] - hours[0])
    basis = np.full((count, 1), count**-0.5)
    weekend = points.weekend
    mixed = _mixed(points)
    if (slots >= 0).all() and span >= _BY_DAY:
        places = slots + 24 * weekend if mixed and span >= BY_WEEKEND else slots
        known, numbers, sizes = np.unique(places, return_inverse=True, return_counts=True)
        if span >= _BY_HOUR and np.median(sizes) > 1 and 2 * len(known) <= count:
            for number in range(len(known) - 1):
                basis = with_column(basis, (numbers == number).astype(float))
        else:
            basis = _waves(hours)
    return with_column(basis, weekend.astype(float)) if mixed else basis


def _waves(hours: Array) -> Array:
    """A constant and the waves of the day, orthogonal to each other."""
    basis = np.full((len(hours), 1), len(hours) ** -0.5)
    for wave in range(1, _WAVES + 1):
        angle = hours * (2 * np.pi / 24 * wave)
        basis = with_column(with_column(basis, np.sin(angle)), np.cos(angle))
    return basis


def _middle_of(basis: Array, values: Array) -> Array:
    """The least absolute distances from values, as weighted least squares."""
    weights = np.ones(len(values))
    fitted = values
    for _ in range(_ROUNDS**2):
        root = np.sqrt(weights)
        factors = np.linalg.lstsq(basis * root[:, None], values * root, rcond=None)[0]
        fitted = basis @ factors
        weights = 1 / np.maximum(np.abs(values - fitted), LEAST_NOISE)
    return fitted


def with_column(basis: Array, column: Array) -> Array:
    """A basis with one more column; without it, if it has nothing of its own."""
    own = column - basis @ (basis.T @ column)
    own -= basis @ (basis.T @ own)
    size = float(np.sqrt(own @ own))
    if size <= 1e-6 * float(np.sqrt(column @ column)):
        return basis
    return np.column_stack([basis, own / size])


def from_end(values: Array) -> Array:
    """Sums from every place to the end."""
    summed: Array = np.cumsum(values[::-1], axis=0)[::-1]
    return summed


def _running_median(values: Array, width: int) -> Array:
    padded = np.pad(values, width // 2, mode="reflect")
    views = np.lib.stride_tricks.sliding_window_view(padded, width)
    middle: Array = np.median(views, axis=1)
    return middle


def scatter(rest: Array) -> float:
    """The standard deviation, by the MAD; by the mean deviation if half of the values are equal."""
    away = np.abs(rest)
    middle = float(np.median(away)) / 0.6745
    return middle if middle > 0 else float(away.mean()) * 1.253314
