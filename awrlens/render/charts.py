"""Geometry of charts: positions in per cent, so that charts scale to any width.

Every chart has a table with its numbers.
"""

from __future__ import annotations

from math import ceil, floor, log10
from typing import TYPE_CHECKING, Final

from awrlens.records import NamedTuple
from awrlens.render import present

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

#: Approximate number of labels on an axis.
_TICKS: Final = 4
_MIDDLE: Final = 50
#: A larger range of values needs a logarithmic scale.
_DECADES: Final = 100
#: A logarithmic scale begins at least this factor below its least value, which is then visible.
_ABOVE: Final = 1.5
#: Powers of ten are not exact.
_NEARLY: Final = 1 - 1e-9


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
    #: The row of the label above the plot, 0 for the lowest; a sign without a row is in a circle.
    row: int | None = None


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

    @property
    def rows(self) -> int:
        """Number of rows with labels of marks."""
        return 1 + max((mark.row for mark in self.marks if mark.row is not None), default=-1)


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


def labelled(marks: Iterable[Mark]) -> tuple[Mark, ...]:
    """Marks from left to right, each with its label in a row of its own.

    Storage types are above the report's own figures. The farther outside a mark is, the higher is
    its label, so that its line does not cross other labels.
    """
    found = sorted(marks)
    inner = sorted(found, key=lambda mark: (mark.kind == "device", abs(mark.x - _MIDDLE)))
    return tuple(mark._replace(row=inner.index(mark)) for mark in found)


class Linear(NamedTuple):
    """A scale from 0 to a round number."""

    top: float

    @property
    def name(self) -> str:
        """What the label of an axis adds."""
        return ""

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

    @property
    def name(self) -> str:
        """What the label of an axis adds."""
        return ", log scale"

    def at(self, value: float) -> float:
        """Position of a value in per cent; values outside the scale are at its ends."""
        held = min(max(value, self.low), self.high)
        return 100 * log10(held / self.low) / log10(self.high / self.low)

    def ticks(self) -> tuple[Tick, ...]:
        """Labels of powers of ten; of twice and five times them, too, on a short scale."""
        first, last = floor(log10(self.low)), ceil(log10(self.high))
        steps = (1,) if self.high / self.low >= _DECADES else (1, 2, 5)
        values = (n * 10.0**power for power in range(first, last + 1) for n in steps)
        held = (value for value in values if self.low * _NEARLY <= value <= self.high / _NEARLY)
        return tuple(Tick(self.at(value), present.number(value)) for value in held)


def scaled(values: Iterable[float]) -> Linear | Log:
    """A scale for values: logarithmic if those above 0 range over more than two decades."""
    known = [value for value in values if value > 0]
    if not known or max(known) <= _DECADES * min(known):
        return linear(known)
    return Log(10.0 ** floor(log10(min(known) / _ABOVE)), 10.0 ** ceil(log10(max(known) * _NEARLY)))
