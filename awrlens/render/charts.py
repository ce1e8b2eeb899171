"""Geometry of charts: values to places on a scale of 100, so that any width will do."""

from __future__ import annotations

from typing import NamedTuple

from awrlens.render import present


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
