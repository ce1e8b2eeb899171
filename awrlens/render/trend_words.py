"""Wording of trends, for the terminal and the page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from awrlens.render import present
from awrlens.render.quantity import in_unit
from awrlens.render.titles import title

if TYPE_CHECKING:
    from datetime import datetime

    from awrlens.trends import LeftOut, Link, Outlier, Quantity, Seen, Series, Window

#: Changes of at least this factor are given as a factor.
_TIMES = 3


def moment(when: datetime) -> str:
    """A time to the minute."""
    return f"{when:%Y-%m-%d %H:%M}"


def interval(begin: datetime | None, end: datetime | None) -> str:
    """``2026-03-02 10:00 to 11:00``; with the date of the end if it differs."""
    if begin is None or end is None:
        return "unknown time"
    same_day = begin.date() == end.date()
    return f"{moment(begin)} to {end:%H:%M}" if same_day else f"{moment(begin)} to {moment(end)}"


def name(series: Series) -> str:
    """Database and instance."""
    return present.safe(f"{series.who.database} {series.who.label}")


def count(number: int, one: str, many: str = "") -> str:
    """A count with its noun: ``no gaps``, ``1 gap``, ``12 gaps``."""
    if number == 1:
        return f"1 {one}"
    return f"{number:,} {many or one + 's'}" if number else f"no {many or one + 's'}"


def summary(series: Series) -> str:
    """A summary of a series in one line."""
    windows = series.windows
    parts = []
    if windows:
        first, last = windows[0].window.begin, windows[-1].window.end
        parts.append(interval(first, last))
    parts += [
        count(len(windows), "interval"),
        count(series.gaps, "gap"),
        count(series.restarts, "restart"),
    ]
    if series.left_out:
        parts.append(f"{len(series.left_out)} dropped")
    return " · ".join(parts)


def value(number: float, unit: str) -> str:
    """A number with its unit."""
    return in_unit(number, unit)


def outlier(item: Outlier, quantity: Quantity, *, full: bool = True) -> str:
    """An outlier: its value and the change against the usual value; ``full`` adds the baseline."""
    usual = value(item.usual, quantity.unit)
    change = f"usually {usual}"
    if item.change_pct is not None:
        change = f"{item.change_pct:+.0f} % against the usual {usual}"
        if item.usual > 0 and item.value >= _TIMES * item.usual:
            change = f"{item.value / item.usual:.1f}× the usual {usual}"
    base = item.baseline
    slot = "all intervals" if base.slot == "all windows" else f"same {base.slot}"
    if item.score is None:
        how = f"only {base.points} intervals, no baseline"
    else:
        how = f"z-score {item.score:.1f}; {slot}, {base.points} intervals"
    text = f"{title(item.fact)} {value(item.value, quantity.unit)}, {change}"
    return f"{text} ({how})" if full else text


def snapshots(window: Window) -> str:
    """The snapshots of an interval, if the report has them."""
    if window.begin_snap is None:
        return ""
    return f"snapshots {window.begin_snap}-{window.end_snap}"


def link(item: Link) -> str:
    """The correlation of a latency and a load."""
    rho = "" if item.rho is None else f" (rho {item.rho:+.2f}, {item.points} intervals)"
    return f"{item.latency} with {item.load}: {item.words}{rho}"


def seen(item: Seen, windows: int) -> str:
    """A finding over a series: how often, first and last day."""
    often = f"in {item.windows} of {windows} intervals"
    title = present.safe(item.title)
    days = f"{item.first:%Y-%m-%d}"
    if item.last.date() != item.first.date():
        days += f" to {item.last:%Y-%m-%d}"
    return f"{item.id} {often}, {days}; worst: {title}"


def left_out(item: LeftOut) -> str:
    """A dropped input, and why."""
    when = f" ({interval(item.begin, item.end)})" if item.begin and item.end else ""
    return present.safe(f"{item.source}{when}: {item.reason}")
