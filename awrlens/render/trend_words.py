"""How a trend is put into words, for the terminal and the page alike."""

from __future__ import annotations

from typing import TYPE_CHECKING

from awrlens.render import present
from awrlens.units import UNIT_SIGNS

if TYPE_CHECKING:
    from datetime import datetime

    from awrlens.trends import LeftOut, Link, Outlier, Quantity, Seen, Series, Window

#: From this factor on a change is told as a factor.
_TIMES = 3


def moment(when: datetime) -> str:
    """A moment to the minute."""
    return f"{when:%Y-%m-%d %H:%M}"


def interval(begin: datetime | None, end: datetime | None) -> str:
    """``2026-03-02 10:00 to 11:00``; the day of the end where it is another."""
    if begin is None or end is None:
        return "time not printed"
    same_day = begin.date() == end.date()
    return f"{moment(begin)} to {end:%H:%M}" if same_day else f"{moment(begin)} to {moment(end)}"


def name(series: Series) -> str:
    """Database and instance."""
    return present.safe(f"{series.who.database} {series.who.label}")


def count(number: int, one: str, many: str = "") -> str:
    """A number of things in words: ``no gap``, ``1 gap``, ``12 gaps``."""
    if number == 1:
        return f"1 {one}"
    return f"{number:,} {many or one + 's'}" if number else f"no {one}"


def summary(series: Series) -> str:
    """What a series is made of, in one line."""
    windows = series.windows
    parts = []
    if windows:
        first, last = windows[0].window.begin, windows[-1].window.end
        parts.append(interval(first, last))
    parts += [
        count(len(windows), "window"),
        count(series.gaps, "gap"),
        count(series.restarts, "restart"),
    ]
    if series.left_out:
        parts.append(f"{len(series.left_out)} left out")
    return " · ".join(parts)


def value(number: float, unit: str) -> str:
    """A number with its unit."""
    return f"{present.number(number)} {UNIT_SIGNS.get(unit, unit)}".strip()


def outlier(item: Outlier, quantity: Quantity) -> str:
    """A fact that stands out: its value, what is usual, by how much, and how that was told."""
    change = "where it is usually 0"
    if item.change_pct is not None:
        change = f"{item.change_pct:+.0f} %"
        if item.usual > 0 and item.value >= _TIMES * item.usual:
            change = f"× {item.value / item.usual:.1f}"
    how = "change only, too few points" if item.score is None else f"z-score {item.score:.1f}"
    base = item.baseline
    slot = "" if base.slot == "all windows" else "same "
    return (
        f"{item.fact} {value(item.value, quantity.unit)}, usually "
        f"{value(item.usual, quantity.unit)} ({change}; {how}; {slot}{base.slot}, "
        f"{base.points} points)"
    )


def snapshots(window: Window) -> str:
    """A window's snapshots, where they are printed."""
    if window.begin_snap is None:
        return ""
    return f"snapshots {window.begin_snap}-{window.end_snap}"


def link(item: Link) -> str:
    """What a latency and its load say together."""
    rho = "" if item.rho is None else f" (rho {item.rho:+.2f}, {item.points} windows)"
    return f"{item.latency} with {item.load}: {item.words}{rho}"


def seen(item: Seen, windows: int) -> str:
    """How often a finding was made, from when to when."""
    often = f"in {item.windows} of {windows} windows"
    title = present.safe(item.title)
    return f"{item.id} {often}, {item.first:%Y-%m-%d} to {item.last:%Y-%m-%d}; at worst: {title}"


def left_out(item: LeftOut) -> str:
    """What took no part, and why."""
    when = f" ({interval(item.begin, item.end)})" if item.begin and item.end else ""
    return present.safe(f"{item.source}{when}: {item.reason}")
