"""Geometry of charts: positions in per cent, so that charts scale to any width.

Every chart has a table with its numbers.
"""

from __future__ import annotations

from math import floor, log10
from typing import TYPE_CHECKING, Final, NamedTuple

from awrlens.render import present

if TYPE_CHECKING:
    from collections.abc import Sequence

#: Approximate number of labels on an axis.
_TICKS: Final = 4


class Bar(NamedTuple):
    """A part of a whole: its name and value."""

    label: str
    value: float


class Placed(NamedTuple):
    """A part with its position and width in the bar, in per cent."""

    label: str
    shown: str
    begin: float
    width: float
    pct: str


class Box(NamedTuple):
    """A column of a plot: position and size in per cent, and its tooltip."""

    left: float
    width: float
    height: float
    tip: str
    kind: str = ""


class Dot(NamedTuple):
    """A point of a plot: position in per cent, and its tooltip."""

    x: float
    y: float
    tip: str


class Mark(NamedTuple):
    """A vertical line of a plot: position, label, tooltip, kind (a CSS class)."""

    x: float
    sign: str
    tip: str
    kind: str


class Path(NamedTuple):
    """A line through points in SVG syntax, and its kind (a CSS class)."""

    points: str
    kind: str = ""


class Tick(NamedTuple):
    """A label on an axis."""

    at: float
    label: str


class Grid(NamedTuple):
    """The table of a chart; numbers are right-aligned."""

    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


class Plot(NamedTuple):
    """A chart with two axes: columns, lines, points, marks, and its table."""

    title: str
    says: str
    x_label: str
    y_label: str
    x_ticks: tuple[Tick, ...]
    y_ticks: tuple[Tick, ...]
    grid: Grid
    boxes: tuple[Box, ...] = ()
    line: str = ""
    lines: tuple[Path, ...] = ()
    dots: tuple[Dot, ...] = ()
    marks: tuple[Mark, ...] = ()
    band: tuple[float, float] | None = None
    flat: bool = False


def stacked(bars: list[Bar]) -> list[Placed]:
    """Consecutive parts, as wide as their shares, without empty parts."""
    whole = sum(bar.value for bar in bars)
    found = []
    begin = 0.0
    for bar in bars:
        if bar.value <= 0 or whole <= 0:
            continue
        width = bar.value * 100 / whole
        found.append(Placed(bar.label, present.number(bar.value), begin, width, f"{width:.1f}"))
        begin += width
    return found


class Linear(NamedTuple):
    """A scale from 0 to a round number."""

    top: float

    def at(self, value: float) -> float:
        """Position of a value in per cent."""
        return 100 * value / self.top

    def ticks(self) -> tuple[Tick, ...]:
        """Labels from 0 to the maximum."""
        steps = [self.top * n / _TICKS for n in range(_TICKS + 1)]
        return tuple(Tick(self.at(step), present.number(step)) for step in steps)


def linear(values: Sequence[float]) -> Linear:
    """A scale from 0 to a round maximum that covers all values."""
    most = max([0, *values]) or 1
    power = 10.0 ** floor(log10(most))
    return Linear(next(n * power for n in (1, 1.2, 1.6, 2, 2.4, 3.2, 4, 6, 8, 10)
                       if n * power >= most * (1 - 1e-9)))  # fmt: skip


class Log(NamedTuple):
    """A logarithmic scale between two values above 0."""

    low: float
    high: float

    def at(self, value: float) -> float:
        """Position of a value in per cent; values outside the scale are at its ends."""
        held = min(max(value, self.low), self.high)
        return 100 * log10(held / self.low) / log10(self.high / self.low)

    def ticks(self, values: Sequence[float], least: float) -> tuple[Tick, ...]:
        """Labels of some values, at least ``least`` per cent apart."""
        found: list[Tick] = []
        for value in values:
            if self.low <= value <= self.high:
                place = self.at(value)
                if not found or place - found[-1].at >= least:
                    found.append(Tick(place, present.number(value)))
        return tuple(found)
