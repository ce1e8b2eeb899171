"""Lasting steps and slopes in a series of numbers: which of them explain it best, if any.

Every model has the pattern of the day (and of the weekend) and in addition nothing, a slope, one
or more steps, or a slope with steps. All are fitted to the same values by least squares and
compared by their likelihood with autocorrelated noise (AR(1)). Outliers count little (Fearnhead and
Rigaill, Changepoint detection in the presence of outliers, JASA 2019). Values are on a scale that
is linear near 0 and logarithmic above, so that counts with zeros have a place. PELT of ``ruptures``
finds fewer steps at the same rate of false alarms and needs ten times as long (docs/trend.md).

A drift has a forecast, with the error that it would have had from earlier times on, if this is
small, and smaller than that of the simplest one: nothing changes any more. This module imports
numpy: it is only for series that are long enough.
"""

from __future__ import annotations

from datetime import timedelta
from itertools import pairwise
from math import log
from typing import TYPE_CHECKING, Final

import numpy as np

from awrlens.lazy import NamedTuple
from awrlens.model.trend import Forecast

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from datetime import datetime
    from typing import TypeAlias

    from numpy.typing import NDArray

    from awrlens.policy import Policy

    Array: TypeAlias = NDArray[np.float64]


class Line(NamedTuple):
    """A line through the middle of points; ``low`` and ``high`` enclose its slope."""

    slope: float
    level: float
    low: float
    high: float


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


def _without_outliers(scaled: Array, points: Points) -> tuple[float, Array]:
    # the pattern of the day is subtracted first: by medians of the hours, or in a short series by
    # waves; both are estimated in turn with the level, which is a running median. In less than two
    # days, pattern and level are one, and the median of few intervals follows both
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
    noise = max(_scatter(rest), LEAST_NOISE)
    rest = np.where(np.abs(rest) > most * noise, np.sign(rest) * noise, rest)
    return noise, pattern + middle + rest


def _mixed(points: Points) -> bool:
    weekends = int(points.weekend.sum())
    return min(weekends, len(points.hours) - weekends) >= MIN_SIDE


def _season(points: Points) -> Array:
    """The columns of the pattern of the day, orthogonal to each other; the first is constant."""
    hours, _, slots, weekend = points
    count, span = len(hours), float(hours[-1] - hours[0])
    basis = np.full((count, 1), count**-0.5)
    mixed = _mixed(points)
    if (slots >= 0).all() and span >= _BY_DAY:
        places = slots + 24 * weekend if mixed and span >= BY_WEEKEND else slots
        distinct, numbers, sizes = np.unique(places, return_inverse=True, return_counts=True)
        if span >= _BY_HOUR and np.median(sizes) > 1 and 2 * len(distinct) <= count:
            for number in range(len(distinct) - 1):
                basis = _with_column(basis, (numbers == number).astype(float))
        else:
            basis = _waves(hours)
    return _with_column(basis, weekend.astype(float)) if mixed else basis


def _waves(hours: Array) -> Array:
    basis = np.full((len(hours), 1), len(hours) ** -0.5)
    for wave in range(1, _WAVES + 1):
        angle = hours * (2 * np.pi / 24 * wave)
        basis = _with_column(_with_column(basis, np.sin(angle)), np.cos(angle))
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


def _with_column(basis: Array, column: Array) -> Array:
    """A basis with one more column, if that has something of its own."""
    own = column - basis @ (basis.T @ column)
    own -= basis @ (basis.T @ own)
    size = float(np.sqrt(own @ own))
    if size <= 1e-6 * float(np.sqrt(column @ column)):
        return basis
    return np.column_stack([basis, own / size])


def _from_end(values: Array) -> Array:
    """Sums from every place to the end."""
    summed: Array = np.cumsum(values[::-1], axis=0)[::-1]
    return summed


def _running_median(values: Array, width: int) -> Array:
    padded = np.pad(values, width // 2, mode="reflect")
    views = np.lib.stride_tricks.sliding_window_view(padded, width)
    middle: Array = np.median(views, axis=1)
    return middle


def _scatter(rest: Array) -> float:
    """The standard deviation, by the MAD; by the mean deviation if half of the values are equal."""
    away = np.abs(rest)
    middle = float(np.median(away)) / 0.6745
    return middle if middle > 0 else float(away.mean()) * 1.253314


#: Gain of twice the log likelihood that a step needs, and a slope; calibrated by simulation.
STEP_COST: Final = 12.0
SLOPE_COST: Final = 8.0
#: A slope that begins within the series has a place to choose, as a step has.
BEND_COST: Final = 18.0
#: Minimum gain of the best model over the best one of another form.
MARGIN: Final = 3.0
#: Maximum number of steps.
_MOST_STEPS: Final = 6
#: Maximum autocorrelation of noise. Without a limit, any step is noise that never comes back.
_MOST_PHI: Final = 0.7
#: Hours between the end of work and midnight, or midnight and its begin, at most.
_NIGHT: Final = 16.0
#: A step that the pattern of the day explains to more than this share has no place.
_SEPARATE: Final = 0.04
#: Values below the median by more than this factor count linearly, as zeros do.
_LINEAR: Final = 20.0
#: A line that falls to 0 is compared above this share of its maximum.
_LOWEST: Final = 0.02
#: Minimum number of intervals for a slope that begins within the series.
_BEND_POINTS: Final = 72
#: Rounding errors on the scale of values.
_ZERO: Final = 1e-9
#: Standard deviations of the rank sum that confirm a step; in short series, this share of the most.
_RANKS: Final = 4.0
_MOST_RANKS: Final = 0.7
#: Steps are dated again among so many intervals on either side.
_NEAR: Final = 3


class Best(NamedTuple):
    """The best model: the first interval of every step, and of a slope.

    ``gains`` are those of the steps. ``levels`` is the model without the pattern of the day,
    ``adjusted`` the values without it; ``noise`` is on the scale of ``asinh(value / unit)``.
    ``doubt``: a step and a slope explain it equally well.
    """

    steps: tuple[int, ...]
    gains: tuple[float, ...]
    slope: int | None
    slope_gain: float
    levels: Array
    adjusted: Array
    noise: float
    phi: float
    unit: float
    doubt: bool = False


class _Model(NamedTuple):
    """A fitted model, its residuals, and twice its log likelihood (negative)."""

    steps: tuple[int, ...]
    slope: int | None
    curve: Array | None
    basis: Array
    rest: Array
    lack: float

    @property
    def cost(self) -> float:
        slope = 0.0 if self.slope is None else SLOPE_COST if self.slope == 0 else BEND_COST
        return self.lack + slope + STEP_COST * len(self.steps)

    @property
    def form(self) -> tuple[bool, bool]:
        return bool(self.steps), self.slope is not None


class Search:
    """The steps and the slope of a series, if there are any."""

    def __init__(self, points: Points) -> None:
        self._hours = points.hours
        self._days = (points.hours - points.hours[0]) / 24
        sizes = np.abs(points.values[points.values != 0])
        self._unit = float(np.median(sizes)) / _LINEAR if len(sizes) else 1.0
        self._scaled = np.arcsinh(points.values / self._unit)
        self._count = len(self._scaled)
        apart = np.diff(self._hours)
        self._joined = apart <= 3 * np.median(apart)
        self._span = float(self._hours[-1] - self._hours[0])
        self._weekend = points.weekend
        self._season = _season(points)
        self._noise, self._clean = _without_outliers(self._scaled, points)

    def best(self) -> Best:
        """The model that explains it best."""
        models = list(self._models())
        best = min(models, key=lambda model: model.cost)
        others = [m.cost for m in models if m.form != best.form and any(m.form)]
        doubt = any(best.form) and min(others, default=np.inf) < best.cost + MARGIN
        # of a step and a slope, one may be part of the other
        if best.form == (True, True) and doubt:
            simple = [m for m in models if m.form != (True, True) and any(m.form)]
            best = min(simple, key=lambda model: model.cost)
            one, other = (min((m.cost for m in simple if m.form == form), default=np.inf)
                          for form in ((True, False), (False, True)))  # fmt: skip
            doubt = abs(one - other) < MARGIN
        return self._result(best, doubt=doubt or self._is_weekend(best))

    def _is_weekend(self, model: _Model) -> bool:
        """Whether a step may be the begin or end of a weekend, which may lack the pattern."""
        turns = np.flatnonzero(np.diff(self._weekend.astype(int))) + 1
        if self._span >= BY_WEEKEND or not len(turns) or not model.steps:
            return False
        size = float(np.ptp(self._pattern(model)))
        even = self._scaled - self._pattern(model)
        edges = [0, *model.steps, self._count]
        levels = [float(np.median(even[begin:end])) for begin, end in pairwise(edges)]
        return any(
            abs(after - before) <= size
            and np.abs(self._hours[turns] - self._hours[step]).min() <= _NIGHT
            for step, (before, after) in zip(model.steps, pairwise(levels), strict=True)
        )

    def _result(self, best: _Model, *, doubt: bool) -> Best:
        season = self._pattern(best)
        even = self._scaled - season
        steps = best.steps
        if best.slope is None:  # the levels are constant
            steps = tuple(self._dated(even, *place) for place in self._places(steps))
        dated = self._fit(steps, best.slope, best.curve)
        if dated.lack <= best.lack + STEP_COST / 2:
            best = dated
        steps = best.steps
        confirmed = [place for place in self._places(steps) if self._confirmed(even, *place)]
        if best.slope is None and len(confirmed) < len(steps):
            kept = tuple(step for _, step, _ in confirmed)
            return self._result(self._fit(kept, None, None), doubt=doubt)
        gains = [
            self._fit((*steps[:n], *steps[n + 1 :]), best.slope, best.curve).lack - best.lack
            for n in range(len(steps))
        ]
        level = self._clean - best.rest - self._pattern(best)
        if best.slope is None:  # medians: clipped means are not robust enough for short segments
            edges = [0, *steps, self._count]
            for begin, end in pairwise(edges):
                level[begin:end] = np.median(even[begin:end])
        flat = self._fit(steps, None, None) if best.slope is not None else best
        return Best(
            steps,
            tuple(gains),
            best.slope,
            flat.lack - best.lack,
            np.sinh(np.where(np.abs(level) < _ZERO, 0.0, level)) * self._unit,
            np.sinh(even) * self._unit,
            max(_scatter(best.rest), LEAST_NOISE),
            self._phi(best.rest),
            self._unit,
            doubt,
        )

    def _models(self) -> Iterator[_Model]:
        none = self._fit((), None, None)
        yield none
        yield from self._with_steps(none, _MOST_STEPS)
        # growth by a percentage per day is a line on a logarithmic scale
        for curve in (self._days, self._straight()):
            if curve is not None:
                sloped = self._fit((), 0, curve)
                yield sloped
                yield from self._with_steps(sloped, 1)
        bend = self._place(none, bend=True) if self._count >= _BEND_POINTS else None
        if bend:
            yield self._fit((), bend, np.maximum(0.0, self._days - self._days[bend]))

    def _with_steps(self, model: _Model, most: int) -> Iterator[_Model]:
        for _ in range(min(most, self._count // (2 * MIN_SIDE))):
            place = self._place(model)
            if place is None:
                return
            model = self._fit((*model.steps, place), model.slope, model.curve)
            model = self._moved(model)
            yield model

    def _moved(self, model: _Model) -> _Model:
        for _ in range(2 if len(model.steps) > 1 else 0):
            before = model.steps
            for step in before:
                rest = tuple(at for at in model.steps if at != step)
                other = self._fit(rest, model.slope, model.curve)
                place = self._place(other)
                if place is not None and place != step:
                    model = self._fit((*rest, place), model.slope, model.curve)
            if model.steps == before:
                break
        return model

    def _fit(self, steps: tuple[int, ...], slope: int | None, curve: Array | None) -> _Model:
        basis = self._season
        if curve is not None:
            basis = _with_column(basis, curve)
        for step in steps:
            basis = _with_column(basis, (np.arange(self._count) >= step).astype(float))
        rest = self._clean - basis @ (basis.T @ self._clean)
        return _Model(tuple(sorted(steps)), slope, curve, basis, rest, self._lack(rest, basis))

    def _lack(self, rest: Array, basis: Array) -> float:
        """Minus twice the log likelihood of residuals, as AR(1) noise."""
        free = max(self._count - basis.shape[1], 1)
        phi = self._phi(rest)
        news = rest[1:] - phi * np.where(self._joined, rest[:-1], 0.0)
        squares = float(news @ news) + float(rest[0]) ** 2 * (1 - phi * phi)
        return float(free * log(max(squares / free, (self._noise / 10) ** 2)))

    def _phi(self, rest: Array) -> float:
        # across a gap there is no autocorrelation
        before = np.where(self._joined, rest[:-1], 0.0)
        own = float(before @ before)
        return min(max(float(before @ rest[1:]) / own, 0.0), _MOST_PHI) if own > 0 else 0.0

    def _place(self, model: _Model, *, bend: bool = False) -> int | None:
        """Where one more step (or a slope that begins there) reduces the residuals most."""
        # a step's column is 0 before it and 1 after, so products with it are sums from the end
        number = np.arange(self._count)
        ones = _from_end(np.ones(self._count))
        product, overlap = _from_end(model.rest), _from_end(model.basis)
        size = ones
        if bend:
            days = self._days
            product = _from_end(model.rest * days) - days * product
            overlap = _from_end(model.basis * days[:, None]) - days[:, None] * overlap
            size = _from_end(days * days) - 2 * days * _from_end(days) + days * days * ones
        own = size - (overlap * overlap).sum(axis=1)
        alone = size if bend else number * ones / self._count
        side = self._count // 4 if bend else MIN_SIDE
        allowed = (number >= side) & (number <= self._count - side)
        for step in model.steps:
            allowed &= np.abs(number - step) >= MIN_SIDE
        allowed &= own > _SEPARATE * np.maximum(alone, 1e-12)
        if not allowed.any():
            return None
        gain = np.where(allowed, product**2 / np.where(allowed, own, 1.0), -1.0)
        return int(gain.argmax())

    def _straight(self) -> Array | None:
        """Growth by an amount per day."""
        line = theil_sen(self._days, np.sinh(self._clean) * self._unit)
        values = line.level + line.slope * self._days
        most = float(values.max())
        if most <= 0 or not line.slope:
            return None
        curve: Array = np.arcsinh(np.maximum(values, _LOWEST * most) / self._unit)
        return curve

    def _pattern(self, model: _Model) -> Array:
        """The pattern of the day in a model; 0 in the middle."""
        columns = [(np.arange(self._count) >= step).astype(float) for step in model.steps]
        columns += [] if model.curve is None else [model.curve]
        if self._season.shape[1] == 1:
            return np.zeros(self._count)
        # coefficients of the model's own columns, by regression on what the pattern leaves
        shift = np.zeros(self._count)
        if columns:
            own = np.column_stack(columns)
            left = own - self._season @ (self._season.T @ own)
            shift = own @ np.linalg.lstsq(left, self._clean, rcond=None)[0]
        pattern = self._season @ (self._season.T @ (self._clean - shift))
        shifted: Array = pattern - np.median(pattern)
        return shifted

    def _places(self, steps: tuple[int, ...]) -> Iterable[tuple[int, int, int]]:
        """Every step, between the begin of the level before it and the end of its own."""
        return zip([0, *steps], steps, [*steps[1:], self._count], strict=False)

    def _confirmed(self, even: Array, begin: int, step: int, end: int) -> bool:
        """Whether the values themselves, outliers included, have other ranks after a step."""
        before, after = even[begin:step, None], even[None, step:end]
        pairs = before.size * after.size
        wins = float((before < after).sum() - (before > after).sum()) / 2
        spread = (pairs * (end - begin + 1) / 12) ** 0.5
        return bool(abs(wins) >= min(_RANKS * spread, _MOST_RANKS * pairs / 2))

    def _dated(self, even: Array, begin: int, step: int, end: int) -> int:
        before, after = float(np.median(even[begin:step])), float(np.median(even[step:end]))
        low, high = max(begin + 1, step - _NEAR), min(end - 1, step + _NEAR)
        most = CLIP * self._noise  # an outlier has no say
        old, new = (np.minimum(np.abs(even - level), most) for level in (before, after))
        lacks = [old[begin:at].sum() + new[at:end].sum() for at in range(low, high + 1)]
        return low + int(np.argmin(lacks))


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


def forecast(first: datetime, days: Array, values: Array, policy: Policy) -> Forecast | str:
    """A forecast without the pattern of the day, or why not; ``days`` are since ``first``."""
    least = int(policy["trend.forecast_points"])
    if len(days) < least:
        return f"the drift has {len(days)} intervals; a forecast needs {least}"
    length = float(days[-1] - days[0])
    ahead = _AHEAD * length
    errors, unchanged = [], []
    for share in _ORIGINS:
        now = float(days[0]) + share * length
        past = days <= now
        then = np.abs(days - now - ahead) <= _AROUND * length
        recent = past & (days > now - _AHEAD * length)
        if past.sum() < least // 2 or not then.any() or not recent.any():
            continue
        actual = float(np.median(values[then]))
        if actual <= 0:
            return "values of 0 allow no error in percent"
        line = theil_sen(days[past], values[past])
        expected = line.level + line.slope * float(np.median(days[then]))
        errors.append(abs(expected - actual) / actual)
        unchanged.append(abs(float(np.median(values[recent])) - actual) / actual)
    if len(errors) < _LEAST_ORIGINS:
        return "gaps leave too few earlier forecasts to compare"
    error, other = float(np.median(errors)) * 100, float(np.median(unchanged)) * 100
    most = policy["trend.forecast_error_pct"]
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
    at = first + timedelta(days=float(days[-1]) + ahead)
    return Forecast(
        at.replace(second=0, microsecond=0), value, max(0.0, value * (1 - wrong)),
        value * (1 + wrong), error, other, len(errors),
    )  # fmt: skip
