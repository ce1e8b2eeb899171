"""Geometry of charts: values to places in per cent, so that any width will do.

Every chart carries the table of the numbers that it shows.
"""

from __future__ import annotations

from math import floor, log10
from typing import TYPE_CHECKING, Final, NamedTuple

from awrlens.render import present

if TYPE_CHECKING:
    from collections.abc import Sequence

#: About so many labels stand at an axis.
_TICKS: Final = 4


class Bar(NamedTuple):
    """A part of a whole: its name and value."""

    label: str
    value: float


class Placed(NamedTuple):
    """A part with its place in the bar: where it begins and how wide it is, in per cent."""

    label: str
    shown: str
    begin: float
    width: float
    pct: str


class Box(NamedTuple):
    """A column of a plot: place and size in per cent, what it says when pointed at."""

    left: float
    width: float
    height: float
    tip: str
    kind: str = ""


class Dot(NamedTuple):
    """A point of a plot: place in per cent, what it says when pointed at."""

    x: float
    y: float
    tip: str


class Mark(NamedTuple):
    """An upright line of a plot: its place, its sign, what it says, its kind (a CSS class)."""

    x: float
    sign: str
    tip: str
    kind: str


class Path(NamedTuple):
    """A line through points, as SVG writes them, and its kind (a CSS class)."""

    points: str
    kind: str = ""


class Tick(NamedTuple):
    """A label at an axis."""

    at: float
    label: str


class Grid(NamedTuple):
    """The table behind a chart; cells that are numbers stand to the right."""

    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


class Plot(NamedTuple):
    """A chart with two axes: columns, a line, more lines, points, marks; and its table."""

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
    """Parts one after the other, each as wide as its share; parts of nothing are left out."""
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
        """Place of a value in per cent."""
        return 100 * value / self.top

    def ticks(self) -> tuple[Tick, ...]:
        """Labels from 0 to the top."""
        steps = [self.top * n / _TICKS for n in range(_TICKS + 1)]
        return tuple(Tick(self.at(step), present.number(step)) for step in steps)


def linear(values: Sequence[float]) -> Linear:
    """A scale for values from 0 on, with a round top that holds them all."""
    most = max([0, *values]) or 1
    power = 10.0 ** floor(log10(most))
    return Linear(next(n * power for n in (1, 1.2, 1.6, 2, 2.4, 3.2, 4, 6, 8, 10)
                       if n * power >= most * (1 - 1e-9)))  # fmt: skip


class Log(NamedTuple):
    """A logarithmic scale between two values above 0."""

    low: float
    high: float

    def at(self, value: float) -> float:
        """Place of a value in per cent; values beyond the ends stand at them."""
        held = min(max(value, self.low), self.high)
        return 100 * log10(held / self.low) / log10(self.high / self.low)

    def ticks(self, values: Sequence[float], least: float) -> tuple[Tick, ...]:
        """Labels of some values, those left out that stand nearer than ``least`` per cent."""
        found: list[Tick] = []
        for value in values:
            if self.low <= value <= self.high:
                place = self.at(value)
                if not found or place - found[-1].at >= least:
                    found.append(Tick(place, present.number(value)))
        return tuple(found)
