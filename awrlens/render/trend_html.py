"""A trend as one HTML page with charts and a heat map, and as rows for CSV and Parquet.

The page has its numbers once, as JSON; its script draws visible charts first.
"""

from __future__ import annotations

from datetime import UTC
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from awrlens.model import ALARMS
from awrlens.model.trend import LOAD
from awrlens.render import trend_page as words
from awrlens.render import wording
from awrlens.render.pages import text
from awrlens.render.trend_page import A_LINE, page
from awrlens.source import files
from awrlens.units import UNIT_SIGNS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime

    from awrlens.model.trend import Quantity, Series, Trend
    from awrlens.render.pages import Extras


_UPLOT: Final = Path(__file__).parent / "assets" / "uplot"


def render(trend: Trend, extras: Extras) -> str:
    """The page of a trend."""
    trend = words.charted(trend)
    panels = {
        "words": words,
        "overview": _first(trend),
        "databases": _databases(trend),
        "data": {
            "facts": [{"name": q.name, "bad": q.bad} | _named(q) for q in trend.quantities],
            "series": [_columns(series, trend.quantities) for series in trend.series],
        },
        "uplot_script": _asset("uPlot.iife.min.js"),
        "uplot_style": _asset("uPlot.min.css"),
        "uplot_license": _asset("LICENSE"),
    }
    return text(page(trend, panels=panels), extras)


def _first(trend: Trend) -> dict[str, Any] | None:
    """The charts at the top: what the headline is about, then its load on the same time axis.

    They are of the series of the headline; if it has no line, of the worst series with one.
    """
    of, fact, at = words.leading(trend)
    facts = list(dict.fromkeys((fact or "redo.write_ms", LOAD)))
    for number in words.drawn(trend)[:1]:
        charts = {plot["fact"]: plot for plot in _charts([trend.series[number]], trend.quantities)}
        shown = [charts[fact] for fact in facts if fact in charts]
        if shown:
            name, marked = words.name(trend.series[number]), _epoch(at) if number == of else None
            return {"name": name, "numbers": [number], "charts": shown, "at": marked}
    return None


def _asset(name: str) -> str:
    return (_UPLOT / name).read_text(encoding="utf-8").strip()


def _databases(trend: Trend) -> list[dict[str, Any]]:
    databases = []
    for (name, db_id), members in groupby(
        enumerate(trend.series), key=lambda pair: (pair[1].who.database, pair[1].who.db_id)
    ):
        numbers, series = zip(*members, strict=True)
        databases.append({
            "name": name, "db_id": db_id, "numbers": numbers, "series": series,
            "windows": sum(len(member.windows) for member in series),
            "charts": _charts(series, trend.quantities),
        })  # fmt: skip
    return sorted(databases, key=lambda database: -database["windows"])


def _charts(members: Sequence[Series], quantities: Sequence[Quantity]) -> list[dict[str, Any]]:
    if max(len(series.windows) for series in members) < A_LINE:
        return []
    rows: dict[str, list[tuple[str, ...]]] = {}
    for series in members:
        for course in series.courses:
            row = (series.who.label, *map(wording.number, course[2:]))
            rows.setdefault(course.fact, []).append(row)
    return [
        _named(q) | {"fact": q.name, "definition": q.definition, "rows": rows[q.name]}
        for q in quantities
        if q.name in rows
    ]


def _named(quantity: Quantity) -> dict[str, str]:
    unit = UNIT_SIGNS.get(quantity.unit, quantity.unit)
    return {"title": words.title(quantity.name), "unit": unit}


def _columns(series: Series, quantities: tuple[Quantity, ...]) -> dict[str, Any]:
    """The data for the page's script: one entry per interval."""
    spans = [judged.window for judged in series.windows]
    facts = {course.fact for course in series.courses}
    drawn = [q.name for q in quantities if q.name in facts]
    outliers: dict[str, dict[int, int]] = {}
    for number, judged in enumerate(series.windows):
        alarming = {part for mention in judged.window.findings for part in mention.parts
                    if mention.severity in ALARMS}  # fmt: skip
        for outlier in judged.outliers:
            red = outlier.bad and outlier.fact.partition(".")[0] in alarming
            outliers.setdefault(outlier.fact, {})[number] = outlier.bad + red
    return {
        "name": words.name(series),
        "label": wording.safe(series.who.label),
        "begin": [_epoch(window.begin) for window in spans],
        "end": [_epoch(window.end) for window in spans],
        "breaks": [
            [_epoch(stop.begin), _epoch(stop.end), _epoch(stop.restart)] for stop in series.breaks
        ],
        "changes": [[point.fact, _epoch(point.at)] for point in series.change_points],
        "values": {name: [_short(window.value(name)) for window in spans] for name in drawn},
        "usual": {name: [_short(e.usual.get(name)) for e in series.windows] for name in drawn},
        "outliers": outliers,  # by fact and number of the interval: 1 if bad, 2 with a finding
        "findings": [
            [[m.id, m.severity] for m in window.findings if m.severity != "ok"] for window in spans
        ],
        "hourly": [int(judged.hourly) for judged in series.windows],
        "score": [round(judged.score, 1) for judged in series.windows],
    }


def _epoch(when: datetime | None) -> int | None:
    """Seconds in the report's local time: every reader sees the hours of the report."""
    return None if when is None else int(when.replace(tzinfo=UTC).timestamp())


def _short(value: float | None) -> float | int | None:
    """A number with six significant digits, to keep the page small."""
    if value is None:
        return None
    rounded = float(f"{value:.6g}")
    return int(rounded) if rounded.is_integer() else rounded


#: Columns with their types in Parquet.
COLUMNS: Final = {
    "db": "string", "db_id": "string", "container": "string", "instance": "string",
    "instance_number": "string", "begin": "datetime64[s]", "end": "datetime64[s]",
    "begin_snap": "Int64", "end_snap": "Int64", "fact": "string", "value": "Float64",
    "unit": "string", "status": "string", "usual": "Float64", "score": "Float64",
    "source": "string",
}  # fmt: skip


def rows(trend: Trend) -> Iterator[tuple[Any, ...]]:
    """Values in the order of ``COLUMNS``; only outliers have a ``score``."""
    for series in trend.series:
        who = series.who
        instance = "cluster" if who.cluster else who.instance
        for judged in series.windows:
            window = judged.window
            outliers = {outlier.fact: outlier for outlier in judged.outliers}
            for quantity in trend.quantities:
                reading = window.facts.get(quantity.name)
                if reading is None:
                    continue
                outlier = outliers.get(quantity.name)
                yield (
                    who.db_name, who.db_id, who.container, instance, who.instance_number,
                    window.begin, window.end, window.begin_snap, window.end_snap, quantity.name,
                    reading.value, quantity.unit, reading.status,
                    judged.usual.get(quantity.name), outlier.score if outlier else None,
                    window.source,
                )  # fmt: skip


def to_csv(trend: Trend) -> str:
    """Rows with a heading; times in ISO 8601, unknown values are empty."""
    return wording.csv_text((
        COLUMNS,
        *((cell.isoformat() if hasattr(cell, "isoformat") else cell for cell in row)
          for row in rows(trend)),
    ))  # fmt: skip


def to_parquet(trend: Trend, path: str) -> None:
    """Write the rows as Parquet: see ``files.write_parquet``."""
    import pandas as pd

    columns = list(zip(*rows(trend), strict=True)) or [()] * len(COLUMNS)
    frame = pd.DataFrame({
        name: pd.Series(list(values), dtype=dtype)
        for (name, dtype), values in zip(COLUMNS.items(), columns, strict=True)
    })  # fmt: skip
    files.write_parquet(path, frame)
