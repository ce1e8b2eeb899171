"""Wording of trends, for the terminal and the page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from awrlens.fact_table import REPORT_FACTS
from awrlens.model.trend_changes import ChangePoint
from awrlens.render import present
from awrlens.render.quantity import duration, in_unit, short
from awrlens.units import UNIT_SIGNS

if TYPE_CHECKING:
    from datetime import datetime

    from awrlens.model.trend import LeftOut, Link, Outlier, Quantity, Seen, Series, Trend, Window
    from awrlens.model.trend_changes import Changed, Drift

#: Changes of at least this factor are given as a factor.
_TIMES = 3


def title(fact: str) -> str:
    """The title of a fact: ``Redo write time``."""
    return REPORT_FACTS[fact].title


def with_unit(fact: str, unit: str) -> str:
    """The title with the unit: ``Redo write time, ms``."""
    sign = UNIT_SIGNS.get(unit, unit)
    return f"{title(fact)}, {sign}" if sign and unit != "ratio" else title(fact)


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
    return present.safe(f"{file(item.source)}{when}: {item.reason}")


def file(source: str) -> str:
    """The name of a file without its folder, which is of the analyst's machine."""
    return source.replace("\\", "/").rpartition("/")[2]


def headline(item: Changed, trend: Trend) -> str:
    """A change in one sentence: since when, or how steadily."""
    series = trend.series[item.series]
    first = _members(item, series)[0]
    return f"{_sentence(first, trend)} ({name(series)})."


def changed(item: Changed, trend: Trend) -> tuple[str, str, tuple[str, ...]]:
    """A change: series with verdict, the sentence on its first fact, and what else is known."""
    series = trend.series[item.series]
    first, *others = _members(item, series)
    below = []
    if others:
        few = "; ".join(_short_form(each, trend) for each in others[:_OTHERS])
        rest = len(others) - _OTHERS
        below.append(f"Also: {few}{f'; and {rest} more' if rest > 0 else ''}")
    if item.extra_s:
        below.append(f"Sessions waited {duration(item.extra_s)} more than at the rate before.")
    if isinstance(first, ChangePoint):
        restart = ", with a restart in between" if first.restart else ""
        below.append(
            f"{first.windows_before} intervals before, {first.windows_after} after{restart}."
        )
    else:
        below.append(_ahead(first, trend))
    return f"{name(series)}, {item.movement}", f"{_sentence(first, trend)}.", tuple(below)


#: Maximum number of further facts that changed at the same time.
_OTHERS = 4


def _members(item: Changed, series: Series) -> list[ChangePoint | Drift]:
    """The changes of a group in the order of its facts."""
    points: dict[str, ChangePoint | Drift] = {}
    if item.step:
        points = {p.fact: p for p in series.change_points if item.at <= p.at <= item.end}
    else:
        points = {d.fact: d for d in series.drifts if (d.begin, d.end) == (item.at, item.end)}
    return [points[fact] for fact in item.facts]


def _unit(fact: str, trend: Trend) -> str:
    return next(each.unit for each in trend.quantities if each.name == fact)


def _levels(each: ChangePoint | Drift, trend: Trend) -> str:
    unit = _unit(each.fact, trend)
    return f"{value(each.before, unit)} → {value(each.after, unit)}"


def _by(each: ChangePoint | Drift) -> str:
    """``× 2.5`` or ``-40 %``."""
    if each.before <= 0:
        return ""
    factor = each.after / each.before
    if factor >= _TIMES / 2 or factor <= 1 / _TIMES:
        return present.together(f"× {short(factor)}")
    return f"{(factor - 1) * 100:+.0f} %"


def _sentence(each: ChangePoint | Drift, trend: Trend) -> str:
    factor = f", {_by(each)}" if _by(each) else ""
    if isinstance(each, ChangePoint):
        return f"{title(each.fact)} since {moment(each.at)}: {_levels(each, trend)}{factor}"
    verb = "rising" if each.after > each.before else "falling"
    span = f"from {moment(each.begin)} to {moment(each.end)}"
    return f"{title(each.fact)}, {verb} steadily {span}: {_levels(each, trend)}{factor}"


def _short_form(each: ChangePoint | Drift, trend: Trend) -> str:
    return f"{title(each.fact)} {_levels(each, trend)}"


def _ahead(drift: Drift, trend: Trend) -> str:
    """The slope of a drift, and its forecast or why there is none."""
    unit = _unit(drift.fact, trend)
    slope = (
        f"{value(drift.slope_per_day, unit)} per day (95 % interval "
        f"{value(drift.slope_low_per_day, unit)} to {value(drift.slope_high_per_day, unit)}). "
    )
    if drift.forecast is None:
        return f"{slope}No forecast: {drift.no_forecast}."
    f = drift.forecast
    return (
        f"{slope}If it goes on, {value(f.value, unit)} on {moment(f.at)} ({value(f.low, unit)} to "
        f"{value(f.high, unit)}; earlier forecasts from {f.origins} times were off by "
        f"{f.error_pct:.0f} %)."
    )
