"""The page of a trend, as blocks: what changed, the series, the worst intervals, the charts."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from awrlens.render import blocks as b
from awrlens.render import trend_words as words
from awrlens.render.lines import ICONS
from awrlens.render.present import together
from awrlens.render.quantity import short

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from awrlens.model.trend import Course, Judged, Quantity, Series, Trend, Window

#: Families of findings, as columns of the table of series.
_PARTS: Final = (("REDO", "redo"), ("TEMP", "temp"), ("UNDO", "undo"), ("CKPT", "ckpt"))
_SEVERITIES: Final = ("critical", "warning", "info", "ok")
#: The facts of the overview, and of the series on a terminal.
OVERVIEW: Final = ("load.average_active_sessions", "redo.write_ms")
#: Without ``--verbose``: maximum numbers of changes, of series, of worst intervals, of facts as
#: sparklines, of dropped inputs in a terminal.
_CHANGES, _SERIES, _WORST, _FACTS, _DROPPED = 4, 12, 5, 10, 5
#: Minimum number of intervals for a line.
A_LINE: Final = 2


def page(trend: Trend, *, full: bool = True, panels: Mapping[str, object] | None = None) -> b.Page:
    """The page of a trend; ``full`` prints everything, ``panels`` are the charts of a browser."""
    order = trend.order
    return b.Page(
        _title(trend), _about(trend), headline(trend),
        trend.severity or "unknown",
        tuple(_blocks(trend, order, full=full, panels=panels)),
    )  # fmt: skip


def _title(trend: Trend) -> str:
    names = list(dict.fromkeys(each.who.database for each in trend.series))
    few = ", ".join(names[:3])
    return f"Trend of {few}{f' and {len(names) - 3} more' if len(names) > 3 else ''}"  # noqa: PLR2004 - three names identify it


def _about(trend: Trend) -> tuple[str, ...]:
    windows = [each.window for series in trend.series for each in series.windows]
    begins = [each.begin for each in windows if each.begin]
    ends = [each.end for each in windows if each.end]
    parts = [
        words.count(len(windows), "interval"),
        words.count(len(trend.series), "series", "series"),
    ]
    if begins and ends:
        parts.insert(0, words.interval(min(begins), max(ends)))
    counts = Counter(each.verdict for each in windows)
    found = [f"{counts[each]} {each}" for each in _SEVERITIES[:3] if counts[each]]
    rest = counts["ok"]
    found += [f"{rest} without findings"] if rest else []
    return (" · ".join(parts), *([f"Intervals: {', '.join(found)}"] if found else []))


def headline(trend: Trend) -> str:
    """The first change, or the worst interval."""
    windows = sum(len(each.windows) for each in trend.series)
    if not windows:
        return "No interval with known times was found."
    if trend.became_worse:
        return words.headline(trend.changed[0], trend)
    if trend.worst:
        one, other = trend.worst[0]
        series = trend.series[one]
        judged = series.windows[other]
        when = words.interval(judged.window.begin, judged.window.end)
        return f"Worst interval: {words.name(series)}, {when}: {_why(judged, trend)}."
    return f"{words.count(windows, 'interval')} without outliers or findings."


def _blocks(
    trend: Trend, order: list[int], *, full: bool, panels: Mapping[str, object] | None
) -> Iterator[b.Block]:
    if panels is not None and panels["overview"]:
        yield b.Panel("trend_overview.html.j2", panels)
    yield from _changed(trend, full=full)
    yield from _series(trend, order, full=full)
    yield from _worst(trend, full=full)
    if panels is not None:
        yield from _links(trend, full=True)
        yield b.Heading("All charts", anchor="charts")
        yield b.Panel("trend_charts.html.j2", panels, script="trend_script.html.j2")
    else:
        yield from _courses(trend, order, full=full)
        yield from _links(trend, full=full)
    yield from _dropped(trend, full=full or panels is not None)


def _changed(trend: Trend, *, full: bool) -> Iterator[b.Block]:
    """Since when and whereto."""
    if not trend.changed:
        return
    yield b.Heading("What changed", anchor="changed")
    shown = trend.changed if full else trend.changed[:_CHANGES]
    items = []
    for each in shown:
        label, text, below = words.changed(each, trend)
        style = {"better": "ok", "changed": "info"}.get(each.movement, each.severity)
        style = "info" if style == "ok" and each.movement == "worse" else style
        items.append(b.Item(text, label, style, below))
    yield b.Items(tuple(items))
    if len(trend.changed) > len(shown):
        yield b.Paragraph(f"and {len(trend.changed) - len(shown)} more: --verbose", "dim")


def _series(trend: Trend, order: list[int], *, full: bool) -> Iterator[b.Block]:
    if not trend.series:
        return
    yield b.Heading("Series, worst first", anchor="series")
    columns = (
        b.Column("series"), b.Column("from", narrow=False), b.Column("intervals", "number"),
        *(b.Column(name) for _, name in _PARTS),
        *(b.Column(words.with_unit(q.name, q.unit), "number", narrow=False)
          for q in _overview(trend)),
    )  # fmt: skip
    shown = order if full else order[:_SERIES]
    rows = tuple(_row(trend, trend.series[number]) for number in shown)
    yield b.Table("Series", columns, rows, tools=True)
    if len(order) > len(shown):
        yield b.Paragraph(f"and {len(order) - len(shown)} more series: --verbose", "dim")


def _overview(trend: Trend) -> list[Quantity]:
    return [each for each in trend.quantities if each.name in OVERVIEW]


def _row(trend: Trend, series: Series) -> b.Row:
    worst = series.severity
    begin = series.windows[0].window.begin if series.windows else None
    courses = {each.fact: each for each in series.courses}
    return b.Row(
        (
            words.name(series), together(f"{begin:%Y-%m-%d}" if begin else ""),
            f"{len(series.windows)}",
            *(_part(series, prefix) for prefix, _ in _PARTS),
            *(_median(courses.get(q.name)) for q in _overview(trend)),
        ),
        worst,
    )  # fmt: skip


def _median(course: Course | None) -> str:
    return short(course.median) if course else ""


def _part(series: Series, prefix: str) -> str:
    """The worst finding of a part of the write path, and in how many intervals it occurs."""
    found = [
        mention.severity
        for judged in series.windows
        for mention in judged.window.findings
        if mention.id.startswith(prefix) and mention.severity != "ok"
    ]
    worst = next((each for each in _SEVERITIES if each in found), None)
    return together(f"{ICONS[worst]} {worst}") if worst else "–"


def _worst(trend: Trend, *, full: bool) -> Iterator[b.Block]:
    if not trend.worst:
        return
    yield b.Heading("Worst intervals", anchor="worst")
    shown = trend.worst if full else trend.worst[:_WORST]
    rows = []
    for one, other in shown:
        series = trend.series[one]
        judged = series.windows[other]
        window = judged.window
        rows.append(
            b.Row(
                (
                    f"{ICONS[window.verdict]} {_when(window, full=full)}",
                    words.name(series), _why(judged, trend, full=full),
                    words.snapshots(window), words.file(window.source),
                ),
                window.verdict,
            )
        )  # fmt: skip
    columns = (
        b.Column("interval"), b.Column("series"), b.Column("why"),
        b.Column("snapshots", narrow=False), b.Column("source", narrow=False),
    )  # fmt: skip
    yield b.Table("Worst intervals", columns, tuple(rows), tools=True)
    if len(trend.worst) > len(shown):
        yield b.Paragraph(f"and {len(trend.worst) - len(shown)} more: --verbose", "dim")


def _when(window: Window, *, full: bool) -> str:
    if full or window.begin is None:
        return words.interval(window.begin, window.end)
    return words.moment(window.begin)


def _why(judged: Judged, trend: Trend, *, full: bool = False) -> str:
    """The worst finding of an interval, or its largest outlier; ``full`` has both."""
    quantities = {each.name: each for each in trend.quantities}
    parts = []
    findings = [each for each in judged.window.findings if each.severity != "ok"]
    if findings:
        worst = min(findings, key=lambda each: _SEVERITIES.index(each.severity))
        parts.append(worst.title)
    hurting = [each for each in judged.outliers if each.bad]
    if hurting and (full or not findings or worst.severity == "info"):
        parts.append(words.outlier(hurting[0], quantities[hurting[0].fact], full=full))
    return "; ".join(parts)


def _courses(trend: Trend, order: list[int], *, full: bool) -> Iterator[b.Block]:
    """Sparklines of the worst series with a line, or of all."""
    lines = [n for n in order if len(trend.series[n].windows) >= A_LINE and trend.series[n].courses]
    for number in lines if full else lines[:1]:
        series = trend.series[number]
        shown = [each for each in series.courses if each.minimum or each.maximum]
        units = {each.name: each.unit for each in trend.quantities}
        yield b.Heading(f"{words.name(series)}: {words.summary(series)}")
        yield b.Courses(
            "fact",
            ("min", "median", "max", "last"),
            tuple(
                b.Course(
                    words.with_unit(each.fact, units[each.fact]), tuple(_values(series, each.fact)),
                    tuple(map(short, (each.minimum, each.median, each.maximum, each.last))),
                )
                for each in (shown if full else shown[:_FACTS])
            ),
        )  # fmt: skip
    if not full and len(lines) > 1:
        yield b.Paragraph(f"Lines of {len(lines) - 1} more series: --verbose", "dim")


def _values(series: Series, fact: str) -> Iterator[float | None]:
    """The values in the order of time; None for a missing value, and for a gap."""
    gaps = {each.end for each in series.breaks if each.gap}
    for each in series.windows:
        if each.window.begin in gaps:
            yield None
        yield each.window.value(fact)


def _links(trend: Trend, *, full: bool) -> Iterator[b.Block]:
    rows = [
        (words.name(series), item)
        for series in trend.series
        for item in series.links
        if item.rho is not None and (full or item.verdict != "no statement")
    ]
    if not rows:
        return
    yield b.Heading("Latency against load", anchor="links")
    yield b.Paragraph(
        "A latency that rises with load means saturation. A latency that is high at any load means "
        "a slow device.", "dim",
    )  # fmt: skip
    yield b.Items(
        tuple(
            b.Item(
                f"{words.title(item.latency)} with {words.title(item.load)}: {item.words} "
                f"(rho {item.rho:+.2f}, {item.points} intervals)",
                f"{name}, {item.verdict}",
                "" if item.verdict == "no statement" else "warning",
            )
            for name, item in rows
        )
    )


def _dropped(trend: Trend, *, full: bool) -> Iterator[b.Block]:
    dropped = list(trend.left_out)  # what could not be read comes first
    dropped += (item for series in trend.series for item in series.left_out)
    if not dropped and not trend.not_asked:
        return
    yield b.Heading("Dropped", anchor="left-out")
    shown = dropped if full else dropped[:_DROPPED]
    items = [b.Item(words.left_out(each)) for each in shown]
    if len(dropped) > len(shown):
        items.append(b.Item(f"and {len(dropped) - len(shown)} more: --verbose"))
    if trend.not_asked:
        items.append(b.Item(f"{words.count(trend.not_asked, 'interval')} outside the selection"))
    yield b.Items(tuple(items))
