"""A trend as one HTML page: charts with shared zoom and pointer, a heat map, all intervals.

The page has its numbers once, as JSON; its script draws charts when they become visible. This
module prepares the numbers; the wording is in ``trend_words``.
"""

from __future__ import annotations

from datetime import UTC
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from awrlens.render import present
from awrlens.render import trend_words as words
from awrlens.render.as_html import text
from awrlens.render.trend_page import A_LINE, OVERVIEW, page
from awrlens.units import UNIT_SIGNS

if TYPE_CHECKING:
    from datetime import datetime

    from awrlens.model.trend import Judged, Quantity, Series, Trend
    from awrlens.render.pages import Extras

_UPLOT: Final = Path(__file__).parent / "assets" / "uplot"


def render(trend: Trend, extras: Extras) -> str:
    """The page of a trend."""
    databases = _databases(trend)
    panels = {
        "overview": _first(trend),
        "databases": databases,
        "data": _data(trend),
        "uplot_script": _asset("uPlot.iife.min.js"),
        "uplot_style": _asset("uPlot.min.css"),
        "uplot_license": _asset("LICENSE"),
    }
    return text(page(trend, panels=panels), extras)


def _first(trend: Trend) -> dict[str, Any] | None:
    """The charts at the top: those of the worst series that has a line."""
    for number in trend.order:
        series = trend.series[number]
        charts = [
            chart for chart in _charts([series], trend.quantities) if chart["fact"] in OVERVIEW
        ]
        if charts:
            return {"name": words.name(series), "numbers": [number], "charts": charts}
    return None


def _asset(name: str) -> str:
    return (_UPLOT / name).read_text(encoding="utf-8").strip()


def _databases(trend: Trend) -> list[dict[str, Any]]:
    """Databases with their instances, and a chart with key figures per fact."""
    found: list[dict[str, Any]] = []
    numbered = enumerate(trend.series)
    for (name, db_id), members in groupby(
        numbered, key=lambda each: (each[1].who.database, each[1].who.db_id)
    ):
        series = list(members)
        found.append(
            {
                "name": present.safe(name),
                "db_id": db_id or "",
                "numbers": [number for number, _ in series],
                "windows": sum(len(each.windows) for _, each in series),
                "shown": words.count(sum(len(each.windows) for _, each in series), "interval"),
                "series": [_series(each) for _, each in series],
                "charts": _charts([each for _, each in series], trend.quantities),
            }
        )
    found.sort(key=lambda each: -each["windows"])
    return found


def _series(series: Series) -> dict[str, Any]:
    return {
        "label": present.safe(series.who.label),
        "summary": words.summary(series),
        "seen": [
            (item.severity, words.seen(item, len(series.windows)))
            for item in series.seen
            if item.severity != "ok"
        ],
    }


def _charts(members: list[Series], quantities: tuple[Quantity, ...]) -> list[dict[str, Any]]:
    if max(len(each.windows) for each in members) < A_LINE:
        return []
    found = []
    for quantity in quantities:
        rows = [
            (present.safe(each.who.label), *map(present.number, course[2:]))
            for each in members
            for course in each.courses
            if course.fact == quantity.name
        ]
        if rows:
            found.append(
                {
                    "fact": quantity.name,
                    "title": words.title(quantity.name),
                    "unit": UNIT_SIGNS.get(quantity.unit, quantity.unit),
                    "definition": quantity.definition,
                    "rows": rows,
                }
            )
    return found


def _data(trend: Trend) -> dict[str, Any]:
    """The data for the page's script: columns per series, one entry per interval."""
    return {
        "facts": [
            {
                "name": q.name,
                "title": words.title(q.name),
                "unit": UNIT_SIGNS.get(q.unit, q.unit),
                "bad": q.bad,
            }
            for q in trend.quantities
        ],
        "series": [_columns(each, trend.quantities) for each in trend.series],
    }


def _columns(series: Series, quantities: tuple[Quantity, ...]) -> dict[str, Any]:
    windows = [each.window for each in series.windows]
    known = {course.fact for course in series.courses}
    return {
        "name": words.name(series),
        "label": present.safe(series.who.label),
        "begin": [_epoch(each.begin) for each in windows],
        "end": [_epoch(each.end) for each in windows],
        "breaks": [
            [_epoch(each.begin), _epoch(each.end), _epoch(each.restart)] for each in series.breaks
        ],
        "changes": [[each.fact, _epoch(each.at)] for each in series.change_points],
        "values": {
            q.name: [_short(each.value(q.name)) for each in windows]
            for q in quantities
            if q.name in known
        },
        "usual": {
            q.name: [_short(each.usual.get(q.name)) for each in series.windows]
            for q in quantities
            if q.name in known
        },
        "outliers": _outliers(series.windows),
        "findings": [
            [[m.id, m.severity] for m in each.findings if m.severity != "ok"] for each in windows
        ],
        "hourly": [int(each.hourly) for each in series.windows],
        "score": [round(each.score, 1) for each in series.windows],
    }


def _outliers(windows: tuple[Judged, ...]) -> dict[str, dict[int, int]]:
    """By fact and number of the interval: whether the outlier is bad."""
    found: dict[str, dict[int, int]] = {}
    for number, judged in enumerate(windows):
        for each in judged.outliers:
            found.setdefault(each.fact, {})[number] = int(each.bad)
    return found


def _epoch(when: datetime | None) -> int | None:
    """Seconds in the report's local time: every reader sees the hours of the report."""
    return None if when is None else int(when.replace(tzinfo=UTC).timestamp())


def _short(value: float | None) -> float | int | None:
    """A number with six significant digits, to keep the page small."""
    if value is None:
        return None
    rounded = float(f"{value:.6g}")
    return int(rounded) if rounded.is_integer() else rounded
