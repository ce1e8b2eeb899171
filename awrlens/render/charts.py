"""Geometry of charts and histograms: positions in per cent, so that they scale to any width."""

from __future__ import annotations

from itertools import groupby
from math import ceil, floor, log10
from typing import TYPE_CHECKING, Final

from awrlens.lazy import NamedTuple
from awrlens.render import wording
from awrlens.render.wording import short

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from awrlens.model.chart_data import Latencies


#: Approximate number of labels on an axis.
_TICKS: Final = 4
#: A larger range of values needs a logarithmic scale.
_DECADES: Final = 100
#: A logarithmic scale begins at least this factor below its least value, which is then visible.
_ABOVE: Final = 1.5
#: Powers of ten are not exact.
_NEARLY: Final = 1 - 1e-9


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
    lines: tuple[Path, ...] = ()
    dots: tuple[Dot, ...] = ()
    marks: tuple[Mark, ...] = ()
    band: tuple[float, float] | None = None
    flat: bool = False

    @property
    def rows(self) -> int:
        """Number of rows with labels of marks."""
        return 1 + max((mark.row for mark in self.marks if mark.row is not None), default=-1)


def labelled(marks: Iterable[Mark]) -> tuple[Mark, ...]:
    """Marks from left to right, each with its label in a row of its own, storage types on top.

    The farther outside a mark is, the higher is its label: its line does not cross other labels.
    """
    ordered = sorted(marks)
    inner = sorted(ordered, key=lambda mark: (mark.kind == "device", abs(mark.x - 50)))
    return tuple(mark._replace(row=inner.index(mark)) for mark in ordered)


class Linear(NamedTuple):
    """A scale from 0 to a round number."""

    top: float
    #: What the label of an axis adds.
    name: str = ""

    def at(self, value: float) -> float:
        """Position of a value in per cent."""
        return 100 * value / self.top

    def ticks(self) -> tuple[Tick, ...]:
        """Labels from 0 to the maximum."""
        steps = [self.top * n / _TICKS for n in range(_TICKS + 1)]
        return tuple(Tick(self.at(step), wording.number(step)) for step in steps)


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
    name: str = ", log scale"

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
        return tuple(Tick(self.at(value), wording.number(value)) for value in held)


def scaled(values: Iterable[float]) -> Linear | Log:
    """A scale for values: logarithmic if those above 0 range over more than two decades."""
    above = [value for value in values if value > 0]
    if not above or max(above) <= _DECADES * min(above):
        return linear(above)
    return Log(10.0 ** floor(log10(min(above) / _ABOVE)), 10.0 ** ceil(log10(max(above) * _NEARLY)))


#: Events that share a horizontal axis on a page.
_GROUPS: Final = (
    {"log file parallel write", "log file sync"},
    {"direct path write temp", "direct path read temp"},
    {"db file sequential read", "cell single block physical read"},
    {"db file parallel write"},
    {"log file switch (checkpoint incomplete)"},
)
#: A logarithmic scale cannot show 0, where the first bucket begins, nor the end of the last one:
#: an open bucket is drawn with this width, as a factor.
_OPEN: Final = 2


def histograms(latencies: Sequence[Latencies]) -> Iterator[tuple[str, Plot]]:
    """The events and their charts; an event whose waits are all in one bucket has none."""
    by_event = {wait.event: wait for wait in latencies if sum(b.pct > 0 for b in wait.buckets) > 1}
    for events in _GROUPS:
        group = [by_event[event] for event in by_event if event in events]
        if group:
            # a common scale from the first bucket with waits to the last, and for all lines
            shown = [bucket for wait in group for bucket in wait.buckets if bucket.pct > 0]
            begins = [bucket.from_ms or (bucket.to_ms or 1) / _OPEN for bucket in shown]
            ends = [bucket.to_ms or bucket.from_ms * _OPEN for bucket in shown]
            values = [*begins, *ends, *[mark.ms for wait in group for mark in wait.marks]]
            axis = Log(min(values), max(values))
            for wait in group:
                yield wait.event, _plot(wait, axis)


def _plot(wait: Latencies, axis: Log) -> Plot:
    # shares of a whole: on a logarithmic axis 10 % would look like half of the waits
    up = linear([bucket.pct for bucket in wait.buckets])
    boxes, rows = [], []
    for bucket in wait.buckets:
        if bucket.pct <= 0:
            continue
        begin = axis.at(bucket.from_ms or axis.low)
        end = axis.at(bucket.to_ms or axis.high)
        span = f"above {wording.number(bucket.from_ms)} ms"
        if bucket.to_ms is not None:
            low = f"{wording.number(bucket.from_ms)} to" if bucket.from_ms else "below"
            span = f"{low} {wording.number(bucket.to_ms)} ms"
        kind = "" if bucket.from_ms and bucket.to_ms else "open"
        tip = f"{span}: {bucket.pct:.3g} % of waits"
        boxes.append(Box(begin, end - begin, up.at(bucket.pct), tip, kind))
        rows.append((span, f"{bucket.pct:.3g} %"))
    marks = []
    for (kind, ms), group in groupby(wait.marks, lambda mark: (mark.kind, mark.ms)):
        same = list(group)
        names = ", ".join(mark.name for mark in same)
        says = "; ".join(mark.says for mark in same)
        about = "≤ " if kind == "percentile" else ""  # the upper bound of a bucket
        label = f"{names} {about}{short(ms)} ms"
        marks.append(Mark(axis.at(ms), label, f"{short(ms)} ms: {says}", kind))
    where = f" (line {wait.line})" if wait.line else ""
    faint = " Faint: no finer breakdown in the report." if any(box.kind for box in boxes) else ""
    return Plot(
        f"`{wait.event}`: waits by duration", f"Share of waits{where}.{faint}",
        f"wait, ms{axis.name}", "% of waits", axis.ticks(), up.ticks(),
        Grid(("wait", "share"), tuple(rows)), tuple(boxes), marks=labelled(marks),
    )  # fmt: skip
