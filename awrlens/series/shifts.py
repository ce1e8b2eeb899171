"""Lasting steps and slopes in a series of numbers: which of them explain it best, if any.

Every model has the pattern of the day (and of the weekend) and in addition nothing, a slope, one
or more steps, or a slope with steps. All are fitted to the same values by least squares and
compared by their likelihood with autocorrelated noise (AR(1), coefficient up to ``_MOST_PHI``); a
step must gain ``STEP_COST``, a slope ``SLOPE_COST``. Steps are added where they gain most, and then
moved. Outliers, which are ``CLIP`` standard deviations away from a running median, count little
(Fearnhead and Rigaill, Changepoint detection in the presence of outliers, JASA 2019). Values are
on a scale that is linear near 0 and logarithmic above, so that counts with zeros have a place.

PELT of ``ruptures`` finds fewer steps at the same rate of false alarms and needs ten times as
long: it knows neither autocorrelation nor slopes, and it brings scipy (docs/trend.md).

Only for series that are long enough: this module imports numpy.
"""

from __future__ import annotations

from itertools import pairwise
from math import log
from typing import TYPE_CHECKING, Final

import numpy as np

from awrlens.records import NamedTuple
from awrlens.series.lines import theil_sen
from awrlens.series.patterns import (
    BY_WEEKEND,
    CLIP,
    LEAST_NOISE,
    MIN_SIDE,
    from_end,
    scatter,
    season,
    with_column,
    without_outliers,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from awrlens.series.patterns import Array, Points

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


class Found(NamedTuple):
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
    """A model that was fitted: its form, its residuals, and twice its log likelihood (negative)."""

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


def search(points: Points) -> Found:
    """The steps and the slope of a series, if there are any."""
    return _Search(points).found()


class _Search:
    def __init__(self, points: Points) -> None:
        self._hours = points.hours
        self._days = (points.hours - points.hours[0]) / 24
        self._values = points.values
        sizes = np.abs(points.values[points.values != 0])
        self._unit = float(np.median(sizes)) / _LINEAR if len(sizes) else 1.0
        self._scaled = np.arcsinh(points.values / self._unit)
        self._count = len(self._scaled)
        apart = np.diff(self._hours)
        self._joined = apart <= 3 * np.median(apart)
        self._span = float(self._hours[-1] - self._hours[0])
        self._weekend = points.weekend
        self._season = season(points)
        self._noise, self._clean = without_outliers(self._scaled, points)

    def found(self) -> Found:
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
        """Whether a step may be the begin or end of a weekend, unlike the few days around it.

        Weekends may lack the pattern of the day altogether, so a step of at most its size counts.
        """
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

    def _result(self, best: _Model, *, doubt: bool) -> Found:
        season = self._pattern(best)
        even = self._scaled - season
        steps = best.steps
        if best.slope is None:  # the levels are constant
            steps = tuple(self._dated(even, steps, n) for n in range(len(steps)))
        dated = self._fit(steps, best.slope, best.curve)
        if dated.lack <= best.lack + STEP_COST / 2:
            best = dated
        steps = best.steps
        confirmed = tuple(n for n in range(len(steps)) if self._confirmed(even, steps, n))
        if best.slope is None and len(confirmed) < len(steps):
            return self._result(
                self._fit(tuple(steps[n] for n in confirmed), None, None), doubt=doubt
            )
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
        return Found(
            steps,
            tuple(gains),
            best.slope,
            flat.lack - best.lack,
            np.sinh(np.where(np.abs(level) < _ZERO, 0.0, level)) * self._unit,
            np.sinh(even) * self._unit,
            max(scatter(best.rest), LEAST_NOISE),
            self._phi(best.rest),
            self._unit,
            doubt,
        )

    def _models(self) -> Iterator[_Model]:
        none = self._fit((), None, None)
        yield none
        yield from self._with_steps(none, _MOST_STEPS)
        for curve in filter(None, (self._line(), self._straight())):
            sloped = self._fit((), 0, curve[0])
            yield sloped
            yield from self._with_steps(sloped, 1)
        bend = self._place(none, bend=True) if self._count >= _BEND_POINTS else None
        if bend:
            yield self._fit((), bend, self._bent(bend))

    def _with_steps(self, model: _Model, most: int) -> Iterator[_Model]:
        """The model with one, two, ... steps, each added where it gains most."""
        for _ in range(min(most, self._count // (2 * MIN_SIDE))):
            place = self._place(model)
            if place is None:
                return
            model = self._fit((*model.steps, place), model.slope, model.curve)
            model = self._moved(model)
            yield model

    def _moved(self, model: _Model) -> _Model:
        """The model with every step where it gains most, given the others."""
        for _ in range(2 if len(model.steps) > 1 else 0):
            before = model.steps
            for step in before:
                rest = tuple(each for each in model.steps if each != step)
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
            basis = with_column(basis, curve)
        for step in steps:
            basis = with_column(basis, (np.arange(self._count) >= step).astype(float))
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
        """The autocorrelation of residuals; across a gap there is none."""
        before = np.where(self._joined, rest[:-1], 0.0)
        own = float(before @ before)
        return min(max(float(before @ rest[1:]) / own, 0.0), _MOST_PHI) if own > 0 else 0.0

    def _place(self, model: _Model, *, bend: bool = False) -> int | None:
        """Where one more step (or a slope that begins there) reduces the residuals most.

        All places at once: a step's column is 0 before it and 1 after, so that products with it
        are sums from the end.
        """
        number = np.arange(self._count)
        ones = from_end(np.ones(self._count))
        product, overlap = from_end(model.rest), from_end(model.basis)
        size = ones
        if bend:
            days = self._days
            product = from_end(model.rest * days) - days * product
            overlap = from_end(model.basis * days[:, None]) - days[:, None] * overlap
            size = from_end(days * days) - 2 * days * from_end(days) + days * days * ones
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

    def _line(self) -> tuple[Array]:
        """Growth by a percentage per day, which is a line on a logarithmic scale."""
        return (self._days,)

    def _straight(self) -> tuple[Array] | None:
        """Growth by an amount per day."""
        line = theil_sen(self._days, np.sinh(self._clean) * self._unit)
        values = line.at(self._days)
        most = float(values.max())
        if most <= 0 or not line.slope:
            return None
        curve: Array = np.arcsinh(np.maximum(values, _LOWEST * most) / self._unit)
        return (curve,)

    def _bent(self, begin: int) -> Array:
        curve: Array = np.maximum(0.0, self._days - self._days[begin])
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

    def _confirmed(self, even: Array, steps: tuple[int, ...], number: int) -> bool:
        """Whether the values themselves, outliers included, have other ranks after a step.

        Counts that are often 0 have no running median that says what an outlier is.
        """
        edges = [0, *steps, self._count]
        begin, step, end = edges[number : number + 3]
        before, after = even[begin:step, None], even[None, step:end]
        pairs = before.size * after.size
        wins = float((before < after).sum() - (before > after).sum()) / 2
        spread = (pairs * (end - begin + 1) / 12) ** 0.5
        return bool(abs(wins) >= min(_RANKS * spread, _MOST_RANKS * pairs / 2))

    def _dated(self, even: Array, steps: tuple[int, ...], number: int) -> int:
        """The first interval of a new level, by absolute distance from the levels around it."""
        edges = [0, *steps, self._count]
        begin, step, end = edges[number : number + 3]
        before, after = float(np.median(even[begin:step])), float(np.median(even[step:end]))
        low, high = max(begin + 1, step - _NEAR), min(end - 1, step + _NEAR)
        most = CLIP * self._noise  # an outlier has no say
        old, new = (np.minimum(np.abs(even - level), most) for level in (before, after))
        lacks = [old[begin:at].sum() + new[at:end].sum() for at in range(low, high + 1)]
        return low + int(np.argmin(lacks))
