"""A curve through points that rises and falls only where the points do.

The monotone cubic of Fritsch and Carlson (1980), known as PCHIP: it passes through every point and
stays within the range of its neighbours. Outside the points, nothing is extrapolated.
"""

from __future__ import annotations

from bisect import bisect_right
from itertools import pairwise
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

#: How values between points are calculated, as shown to the user.
METHOD: Final = "monotone cubic (Fritsch-Carlson)"


class Curve:
    """A monotone cubic through points; outside them, the value of the nearest end."""

    def __init__(self, points: Iterable[tuple[float, float]]) -> None:
        """Sort the points by their first coordinate; ValueError if two have the same one."""
        self.points = tuple(sorted(points))
        self._xs = [x for x, _ in self.points]
        if not self.points or len(set(self._xs)) < len(self._xs):
            raise ValueError("a curve needs points with different first coordinates")
        self._slopes = _slopes(self.points)

    def at(self, x: float) -> float:
        """The curve's value."""
        if x <= self._xs[0]:
            return self.points[0][1]
        if x >= self._xs[-1]:
            return self.points[-1][1]
        index = bisect_right(self._xs, x) - 1
        (x0, y0), (x1, y1) = self.points[index], self.points[index + 1]
        width = x1 - x0
        t = (x - x0) / width
        rise = y1 - y0
        # the cubic of Hermite in powers of t, written around y0 so that y0 stays exact
        begin, end = self._slopes[index] * width, self._slopes[index + 1] * width
        return y0 + t * (begin + t * ((3 * rise - 2 * begin - end) + t * (begin + end - 2 * rise)))


def _slopes(points: tuple[tuple[float, float], ...]) -> list[float]:
    """Slope at every point: 0 at a turn, else the harmonic mean of both sides by their widths."""
    widths = [x1 - x0 for (x0, _), (x1, _) in pairwise(points)]
    sides = [(y1 - y0) / (x1 - x0) for (x0, y0), (x1, y1) in pairwise(points)]
    if len(sides) < 2:  # noqa: PLR2004 - a straight line, or one point
        return sides * 2 or [0.0]
    inner = []
    for (h0, h1), (d0, d1) in zip(pairwise(widths), pairwise(sides), strict=True):
        if d0 * d1 <= 0:
            inner.append(0.0)
            continue
        w0, w1 = 2 * h1 + h0, h1 + 2 * h0
        inner.append((w0 + w1) / (w0 / d0 + w1 / d1))
    return [
        _end_slope(widths[0], widths[1], sides[0], sides[1]),
        *inner,
        _end_slope(widths[-1], widths[-2], sides[-1], sides[-2]),
    ]


def _end_slope(h0: float, h1: float, d0: float, d1: float) -> float:
    """Slope at an end from three points, limited so that the curve stays monotone."""
    slope = ((2 * h0 + h1) * d0 - h0 * d1) / (h0 + h1)
    if slope * d0 <= 0:
        return 0.0
    if d0 * d1 <= 0 and abs(slope) > 3 * abs(d0):
        return 3 * d0
    return slope
