"""Series that nobody measured, with planted steps, drifts and outliers, for trends."""

from __future__ import annotations

from math import exp
from typing import Literal, NamedTuple

import numpy as np
from invented import HOUR, MONDAY, window

from awrlens.model.trend import Window

Noise = Literal["gaussian", "lognormal", "autocorrelated", "daily pattern"]
Shape = Literal["nothing", "step", "drift"]
NOISES: tuple[Noise, ...] = ("gaussian", "lognormal", "autocorrelated", "daily pattern")
SHAPES: tuple[Shape, ...] = ("nothing", "step", "drift")
#: Standard deviation of the noise, on a logarithmic scale.
_SIGMA: dict[Noise, float] = {
    "gaussian": 0.1, "lognormal": 0.3, "autocorrelated": 0.1, "daily pattern": 0.1,
}  # fmt: skip
_PHI = 0.5
FACT = "redo.write_ms"
#: Level of the series in ms, and of an outlier as a multiple of it.
LEVEL, WILD = 5.0, 10.0


class Planted(NamedTuple):
    """A series by the hour, where it was changed, and where a value was made wild."""

    values: list[float]
    first_hour: int
    step: int | None
    wild: tuple[int, ...]

    def windows(self) -> list[Window]:
        begin = MONDAY + self.first_hour * HOUR
        return [window(begin + n * HOUR, {FACT: v}) for n, v in enumerate(self.values)]


def noise(kind: Noise, count: int, random: np.random.Generator) -> np.ndarray:
    """Noise on a logarithmic scale, except for Gaussian noise."""
    sigma = _SIGMA[kind]
    drawn = random.normal(0, sigma, count)
    if kind == "gaussian":
        return np.log(np.maximum(1 + drawn, 0.01))
    if kind == "autocorrelated":
        for n in range(1, count):
            drawn[n] = _PHI * drawn[n - 1] + drawn[n] * (1 - _PHI**2) ** 0.5
    return drawn


def planted(
    seed: int, count: int, kind: Noise, shape: Shape, size: float, wild: int = 0
) -> Planted:
    """A series with a step or a drift of ``size`` standard deviations of the noise, up or down."""
    random = np.random.default_rng([seed, count, NOISES.index(kind), SHAPES.index(shape)])
    first = int(random.integers(24))  # of a Monday
    values = noise(kind, count, random)
    if kind == "daily pattern":
        hours = (first + np.arange(count)) % 24
        values = values + np.log(1 + 0.8 * np.sin((hours - 8) / 24 * 2 * np.pi))
    factor = exp(size * _SIGMA[kind] * random.choice([-1, 1]))
    step = int(random.integers(count // 4, count - count // 4))
    level = np.ones(count)
    if shape == "step":
        level = np.where(np.arange(count) >= step, factor, 1.0)
    if shape == "drift":
        level = 1 + (factor - 1) * np.arange(count) / (count - 1)
    ms = LEVEL * level * np.exp(values)
    places = random.choice(count, wild, replace=False)
    ms[places] = LEVEL * level[places] * WILD
    found = tuple(sorted(int(place) for place in places))
    return Planted([float(v) for v in ms], first, step if shape == "step" else None, found)


#: From which size on, in standard deviations of the noise, a step and a drift are found, by the
#: number of hourly intervals (docs/trend.md).
_CLEAR = ((24, 15.0, 20.0), (47, 12.0, 15.0), (95, 9.0, 12.0), (200, 6.0, 9.0), (10**6, 5.0, 6.0))


def clear(count: int, shape: Shape) -> float:
    """The size from which a change is found."""
    _, step, drift = next(row for row in _CLEAR if count <= row[0])
    return drift if shape == "drift" else step
