"""The page of a trend, as blocks: what changed, the series, the worst intervals, the charts."""

from __future__ import annotations

from collections import Counter
from statistics import median
from typing import TYPE_CHECKING, Final

from awrlens.model import ALARMS, STATES
from awrlens.model.fact_table import REPORT_FACTS
from awrlens.model.trend import LOAD, ChangePoint, Course, Quantity, Reading, Rise
from awrlens.render import blocks as b
from awrlens.render import wording
from awrlens.render.lines import ICONS, NO_BREAK
from awrlens.render.wording import count, duration, in_unit, short, together

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from datetime import datetime

    from awrlens.model import trend as t

    Panels = Mapping[str, object] | None


def title(fact: str) -> str:
    """The title of a fact: ``Redo write time``."""
    if fact.startswith(_WAITING):
        return f"Sessions waiting: {fact.removeprefix(_WAITING)}"
    return REPORT_FACTS[fact].title


def moment(when: datetime) -> str:
    """A time to the minute."""
    return f"{when:%Y-%m-%d %H:%M}"


def interval(begin: datetime | None, end: datetime | None) -> str:
    """``2026-03-02 10:00 to 11:00``; with the date of the end if it differs."""
    if begin is None or end is None:
        return "unknown time"
    same_day = begin.date() == end.date()
    return f"{moment(begin)} to {end:%H:%M}" if same_day else f"{moment(begin)} to {moment(end)}"


def name(series: t.Series) -> str:
    """Database and instance."""
    return wording.safe(series.who.full)


def summary(series: t.Series) -> str:
    """A summary of a series in one line."""
    windows = series.windows
    parts = [interval(windows[0].window.begin, windows[-1].window.end)] if windows else []
    parts += [
        count(len(windows), "interval"),
        count(series.gaps, "gap") if series.gaps else "no gaps",
        count(series.restarts, "restart") if series.restarts else "no restarts",
    ]
    if series.left_out:
        parts.append(f"{len(series.left_out)} dropped")
    return " · ".join(parts)


def seen(item: t.Seen, windows: int) -> str:
    """A finding over a series: how often, first and last day."""
    days = f"{item.first:%Y-%m-%d}"
    if item.last.date() != item.first.date():
        days += f" to {item.last:%Y-%m-%d}"
    often = f"in {item.windows} of {windows} intervals"
    return f"{item.id} {often}, {days}; worst: {wording.safe(item.title)}"


def _change(item: t.Changed, trend: t.Trend) -> b.Item:
    """A change: series with verdict, the sentence on its first fact, and what else is known."""
    series = trend.series[item.series]
    first, *others = _members(item, series)
    below = []
    if others:
        few = "; ".join(
            f"{title(other.fact)} {' → '.join(_levels(other, trend))}" for other in others[:_OTHERS]
        )
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
    style = {"better": "ok", "changed": "info"}.get(item.movement, item.severity)
    style = "info" if style == "ok" and item.movement == "worse" else style
    return b.Item(
        f"{_sentence(first, trend)}.", f"{name(series)}, {item.movement}", style, tuple(below)
    )


def _members(item: t.Changed, series: t.Series) -> list[ChangePoint | t.Drift]:
    points: dict[str, ChangePoint | t.Drift] = (
        {p.fact: p for p in series.change_points if item.at <= p.at <= item.end}
        if item.step
        else {d.fact: d for d in series.drifts if (d.begin, d.end) == (item.at, item.end)}
    )
    return [points[fact] for fact in item.facts]


def _levels(change: ChangePoint | t.Drift | t.Rise, trend: t.Trend) -> tuple[str, str]:
    unit = trend.facts[change.fact].unit
    return in_unit(change.before, unit), in_unit(change.after, unit)


def _by(change: ChangePoint | t.Drift | t.Rise) -> str:
    """`` (× 2.5)`` or `` (-40 %)``."""
    factor = change.after / change.before if change.before > 0 else 1.0
    large = factor >= wording.TIMES / 2 or factor <= 1 / wording.TIMES
    text = f"× {short(factor)}" if large else f"{(factor - 1) * 100:+.0f} %"
    return together(f" ({text})") if change.before > 0 else ""


def _sentence(change: ChangePoint | t.Drift | t.Rise, trend: t.Trend) -> str:
    verb = "rose" if change.after > change.before else "fell"
    before, after = _levels(change, trend)
    levels = f"{verb} from {before} to {after}{_by(change)}"
    if isinstance(change, Rise):
        return f"{title(change.fact)} {levels}, in every interval since {moment(change.at)}"
    if isinstance(change, ChangePoint):
        return f"{title(change.fact)} {levels} since {moment(change.at)}"
    span = f"between {moment(change.begin)} and {moment(change.end)}"
    return f"{title(change.fact)} steadily {levels} {span}"


def _ahead(drift: t.Drift, trend: t.Trend) -> str:
    """The slope of a drift, and its forecast or why there is none."""
    unit, ahead = trend.facts[drift.fact].unit, drift.forecast
    daily, low, high = (
        in_unit(number, unit)
        for number in (drift.slope_per_day, drift.slope_low_per_day, drift.slope_high_per_day)
    )
    slope = f"{daily} per day (95 % interval {low} to {high}). "
    if ahead is None:
        return f"{slope}No forecast: {drift.no_forecast}."
    then, low, high = (in_unit(number, unit) for number in (ahead.value, ahead.low, ahead.high))
    return (
        f"{slope}If it goes on, {then} on {moment(ahead.at)} ({low} to {high}; earlier forecasts "
        f"from {ahead.origins} times were off by {ahead.error_pct:.0f} %)."
    )


#: Parts of the write path, as columns of the table of series.
_PARTS: Final = ("redo",), ("temp",), ("undo",), ("checkpoint", "recovery")
#: Without ``--verbose``: maximum numbers of changes, of series, of worst intervals, of facts as
#: sparklines, of dropped inputs in a terminal; always: of further facts of a change.
_CHANGES, _SERIES, _WORST, _FACTS, _DROPPED, _OTHERS = 4, 12, 5, 10, 5, 4
#: Intervals of a series with a cell each.
_CELLS: Final = 24
#: Fewer sessions that wait are not counted.
_LEAST_SESSIONS: Final = 0.01
#: The beginning of what is charted as a fact: the sessions that wait, by findings on some parts.
_WAITING: Final = "waiting."
#: Intervals of a series with a bar each.
_BARS: Final = 16
#: Minimum number of intervals for a line.
A_LINE: Final = 2


def page(trend: t.Trend, *, full: bool = True, panels: Panels = None) -> b.Page:
    """The page of a trend; ``full`` prints everything, ``panels`` are the charts of a browser."""
    trend = charted(trend)
    names = list(dict.fromkeys(series.who.database for series in trend.series))
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""  # noqa: PLR2004 - three are clear
    return b.Page(
        f"Trend of {', '.join(names[:3])}{more}", _about(trend), headline(trend),
        trend.severity or "unknown", (*_details(trend), *_blocks(trend, full=full, panels=panels)),
    )  # fmt: skip


def _about(trend: t.Trend) -> tuple[str, ...]:
    windows = [judged.window for series in trend.series for judged in series.windows]
    begins = [window.begin for window in windows if window.begin]
    ends = [window.end for window in windows if window.end]
    parts = [count(len(windows), "interval"), count(len(trend.series), "series", "series")]
    if begins and ends:
        parts.insert(0, interval(min(begins), max(ends)))
    counts = Counter(window.verdict for window in windows)
    kinds = {"unknown": "not judged", "ok": "without findings"}
    verdicts = ", ".join(f"{counts[e]} {kinds.get(e, e)}" for e in STATES if counts[e])
    return (" · ".join(parts), *([f"Intervals: {verdicts}"] if verdicts else []))


def headline(trend: t.Trend) -> str:
    """The first change, or the worst interval."""
    windows = sum(len(series.windows) for series in trend.series)
    if not windows:
        return "No interval with known times was found."
    if trend.became_worse:
        series = trend.series[trend.changed[0].series]
        return f"{name(series)}: {_sentence(_members(trend.changed[0], series)[0], trend)}."
    if trend.rising:
        first, last = trend.rising.rises[0], trend.rising.windows[-1].window
        why = [said.partition(" (")[0] for said in _said(last)[1:] if first.fact == LOAD]
        sentences = ". ".join((_sentence(first, trend), *why))
        return f"{name(trend.rising)}: {sentences}."
    if trend.worst:
        one, other = trend.worst[0]
        series = trend.series[one]
        judged = series.windows[other]
        when = interval(judged.window.begin, judged.window.end)
        what = "Worst interval" if windows > 1 else "A trend needs two intervals; this one"
        if windows > 1 and judged.window.verdict in ("ok", "unknown"):
            what = "No interval has a finding; the most unusual one"
        cause, since = _cause(judged, trend)[0], _since(series, other)
        return f"{what}: {cause} ({name(series)}, {when}).{since}"
    hardly = sum(series.severities["unknown"] for series in trend.series)
    but = f", {hardly} of them with too little data to judge" if hardly else ""
    return f"{count(windows, 'interval')} without outliers or findings{but}."


def _since(series: t.Series, place: int) -> str:
    """How active sessions changed since an interval, in a series too short for change points."""
    before, now = (series.windows[n].window.value(LOAD) or 0.0 for n in (place, -1))
    little = max(before, now) < wording.TIMES * min(before, now) or not min(before, now)
    if little or all(item.fact for item in series.undecided):
        return ""
    verb = "rose" if now > before else "fell"
    return f" Since then, average active sessions {verb} from {short(before)} to {short(now)}."


def _said(window: t.Window) -> list[str]:
    """The cause and its cost, as the headline of an interval has them: the first sentences."""
    said = window.headline.replace(". Worth doing: ", ". First: ").partition(". First: ")[0]
    return said.rstrip(".").split(". ")[:2] if said else []


def _cause(judged: t.Judged, trend: t.Trend) -> list[str]:
    """The cause and its cost; of a calm interval, its worst finding or largest outlier."""
    said = _said(judged.window) if judged.window.verdict in ALARMS else []
    return said or _why(judged, trend).split(": ", 1)


def _details(trend: t.Trend) -> Iterator[b.Block]:
    """What the worst interval shows beyond the headline, the latest one, the change in figures."""
    of, _, _ = leading(trend)
    if of is None:
        return
    series, said, last = trend.series[of], [], trend.series[of].windows[-1]
    changes: Sequence[ChangePoint | t.Drift | Rise] = ()
    if trend.became_worse:
        changes = _members(trend.changed[0], series)[: 1 + _OTHERS]
    elif trend.rising:
        rises = series.rises
        changes = *rises[:_OTHERS], *(rise for rise in rises[_OTHERS:] if rise.fact == LOAD)
    else:
        worst = series.windows[trend.worst[0].window]
        said = [f"{cost[0].upper()}{cost[1:]}." for cost in _cause(worst, trend)[1:]]
        if worst is last and len(series.windows) > 1:
            said.append(f"This is the latest interval{_again(series, last)}.")
    if len(series.windows) > 1 and (changes or worst is not last):
        said.append(_latest(series, last))
    if changes and changes[0].fact == LOAD and trend.rising:
        said += _unnoticed(series.rises, last.window)
    yield from map(b.Paragraph, said)
    if changes:
        yield b.Table("Before and after", b.columns("fact | #before | #after | #change"), tuple(
            b.Row((title(change.fact), *_levels(change, trend), _by(change).strip(f"{NO_BREAK}()")))
            for change in changes
        ))  # fmt: skip


def _latest(series: t.Series, last: t.Judged) -> str:
    """What the headline of the latest interval of a series says, or its worst finding."""
    worst, when = _finding(last), interval(last.window.begin, last.window.end)
    said = _said(last.window) or [worst.title.partition(": ")[0] if worst else "no finding"]
    said[0] = f"{ICONS[last.window.verdict]} {said[0]}{_again(series, last)}"
    return f"Latest interval, {when}: {'. '.join(said)}."


def _again(series: t.Series, judged: t.Judged) -> str:
    """How many intervals have the finding that an alarming one is about."""
    worst = _finding(judged) if judged.window.verdict in ALARMS else None
    often = [item.windows for item in series.seen if worst and item.id == worst.id]
    return f" ({worst.id} in {often[0]} of {len(series.windows)} intervals)" if worst else ""


def _unnoticed(rises: Sequence[t.Rise], last: t.Window) -> Iterator[str]:
    """Redo writes that became slow although nothing led but the load: few commits wait for them."""
    share, writes = (last.value(f"redo.{name}") for name in ("sync_pct_db_time", "writes_per_s"))
    slow = [rise for rise in rises if rise.fact in ("redo.write_ms", "redo.parallel_write_ms")]
    if slow and share is not None and writes is not None:
        few = f"only {short(writes)} per second: no effect ({in_unit(share, '%')} of DB time)"
        yield f"A redo write takes {in_unit(slow[0].after, 'ms')}, but there are {few}."


def leading(trend: t.Trend) -> tuple[int | None, str, datetime | None]:
    """The series of the headline, the fact that a chart shows of it, the begin of its interval."""
    if trend.became_worse:
        return trend.changed[0].series, trend.changed[0].facts[0], None
    if trend.rising:
        return trend.order[0], trend.rising.rises[0].fact, None
    if not trend.worst:
        return None, "", None
    one, other = trend.worst[0]
    series = trend.series[one]
    judged = series.windows[other]
    worst, at = _finding(judged), judged.window.begin
    if worst is None:
        outlier = next((outlier.fact for outlier in judged.outliers if outlier.bad), "")
        return one, LOAD if judged.window.verdict in ALARMS else outlier, at
    if (worst.waiting_sessions or 0.0) >= _LEAST_SESSIONS:
        return one, f"{_WAITING}{', '.join(worst.parts)}", at
    # of the finding's part, the fact that differs most from its median
    return one, max(
        (course.fact for course in series.courses if course.fact.partition(".")[0] in worst.parts),
        key=lambda fact: _times_median(series, judged, fact), default="",
    ), at  # fmt: skip


def charted(trend: t.Trend) -> t.Trend:
    """The trend with the sessions that wait as a fact, if the chart of its headline needs them."""
    _, fact, _ = leading(trend)
    if not fact.startswith(_WAITING) or fact in trend.facts:
        return trend
    parts, series = fact.removeprefix(_WAITING), []
    for one in trend.series:
        waiting = [_waiting(judged.window, parts.split(", ")) for judged in one.windows]
        windows = tuple(
            j._replace(window=j.window._replace(facts={**j.window.facts, fact: reading}))
            for j, reading in zip(one.windows, waiting, strict=True)
        )
        sessions = [reading.value for reading in waiting if reading.value is not None]
        courses = (
            Course(fact, len(sessions), min(sessions), median(sessions), max(sessions), last)
            for last in sessions[-1:]
        )
        series.append(one._replace(windows=windows, courses=(*courses, *one.courses)))
    about = f"Sessions that waited on average, by the findings on {parts}; 0 without a finding."
    quantity = Quantity(fact, "ratio", about, "high")
    return trend._replace(series=tuple(series), quantities=(quantity, *trend.quantities))


def _waiting(window: t.Window, parts: Sequence[str]) -> Reading:
    some = [f.waiting_sessions for f in window.findings if not {*parts}.isdisjoint(f.parts)]
    measured = [sessions for sessions in some if sessions is not None]
    if not measured and (some or window.verdict == "unknown"):
        return Reading(None, "unavailable")
    return Reading(max(measured, default=0.0), "derived")


def _times_median(series: t.Series, judged: t.Judged, fact: str) -> float:
    middle = next(course.median for course in series.courses if course.fact == fact)
    return (judged.window.value(fact) or 0.0) / middle if middle else 0.0


def _finding(judged: t.Judged) -> t.Mention | None:
    """The worst finding of an interval; of an alarming one, only if its headline is about it."""
    window = judged.window
    findings = [finding for finding in window.findings if finding.severity != "ok"]
    if window.headline and window.verdict in ALARMS:
        findings = [f for f in findings if f.title.startswith(_said(window)[0])]
    return min(findings, key=lambda finding: STATES.index(finding.severity), default=None)


def _blocks(trend: t.Trend, *, full: bool, panels: Panels) -> Iterator[b.Block]:
    (of, _, _), shown = leading(trend), drawn(trend)[:1]
    at_once = shown == [of]
    if of is not None and not at_once and (shown or panels is not None):
        instead = f"; the chart is of {name(trend.series[shown[0]])}" if shown else ""
        text = f"{name(trend.series[of])}: a chart needs at least two intervals{instead}."
        yield b.Paragraph(text, "dim")
    if panels is not None and panels["overview"]:
        yield b.Panel("trend_overview.html.j2", panels)
    lines = () if panels is not None else tuple(_courses(trend, full=full))
    yield from lines if at_once else ()
    yield from _changed(trend, full=full)
    yield from _series(trend, full=full)
    yield from _worst(trend, full=full)
    yield from () if at_once else lines
    yield from _links(trend, full=full)
    if panels is not None:
        yield b.Heading("All charts", anchor="charts")
        yield b.Panel("trend_charts.html.j2", panels, script="trend_script.html.j2")
    yield from _dropped(trend, full=full)


def _changed(trend: t.Trend, *, full: bool) -> Iterator[b.Block]:
    if not trend.changed:
        return
    yield b.Heading("What changed", anchor="changed")
    shown = trend.changed if full else trend.changed[:_CHANGES]
    yield b.Items(tuple(_change(change, trend) for change in shown))
    yield from _more(len(trend.changed) - len(shown))


def _more(number: int, words: str = " more") -> Iterator[b.Block]:
    if number > 0:
        yield b.Paragraph(f"and {number}{words}: --verbose", "dim")


def _series(trend: t.Trend, *, full: bool) -> Iterator[b.Block]:
    if not trend.series:
        return
    yield b.Heading("Series, worst first", anchor="series")
    heads = "series | (#from) | #intervals | =redo | =temp | =undo | =ckpt"
    columns = b.columns(f"{heads} | =latest {_CELLS}")
    order = trend.order
    shown = order if full else order[:_SERIES]
    rows = tuple(_row(trend.series[number]) for number in shown)
    yield b.Table("Series", columns, rows, tools=True)
    if any(cell == ICONS["unknown"] for row in rows for cell in row.cells):
        yield b.Paragraph(f"{ICONS['ok']} no finding   {ICONS['unknown']} not checked", "dim")
    yield from _more(len(order) - len(shown), " more series")


def _row(series: t.Series) -> b.Row:
    begin = series.windows[0].window.begin if series.windows else None
    latest = "".join(ICONS[judged.window.verdict] for judged in series.windows[-_CELLS:])
    about = name(series), f"{begin:%Y-%m-%d}" if begin else "", f"{len(series.windows)}"
    parts = (_part(series, parts) for parts in _PARTS)
    return b.Row((*about, *parts, latest), series.severity)


def _part(series: t.Series, parts: tuple[str, ...]) -> str:
    """The severity of the worst finding on a part of the write path."""
    severities = [
        mention.severity
        for judged in series.windows
        for mention in judged.window.findings
        if mention.severity != "ok" and not set(parts).isdisjoint(mention.parts)
    ]
    worst = next((state for state in STATES if state in severities), None)
    measured = any(
        reading.value is not None
        for judged in series.windows
        if judged.window.verdict != "unknown"
        for fact, reading in judged.window.facts.items()
        if fact.partition(".")[0] in parts
    )
    return ICONS[worst or ("ok" if measured else "unknown")]


def _worst(trend: t.Trend, *, full: bool) -> Iterator[b.Block]:
    if not trend.worst:
        return
    yield b.Heading("Worst intervals", anchor="worst")
    alike: dict[tuple[int, str], list[t.Judged]] = {}
    for one, other in trend.worst:
        judged = trend.series[one].windows[other]
        worst = _finding(judged)
        alike.setdefault((one, worst.id if worst else _cause(judged, trend)[0]), []).append(judged)
    groups = list(alike.items())
    shown = groups if full else groups[:_WORST]
    rows = []
    for (one, _), windows in shown:
        window, why = windows[0].window, _why(windows[0], trend, full=full)
        brief = moment(window.begin) if window.begin and not full else ""
        when = f"{ICONS[window.verdict]} {brief or interval(window.begin, window.end)}"
        has_snaps = window.begin_snap is not None
        snapshots = f"snapshots {window.begin_snap}-{window.end_snap}" if has_snaps else ""
        also = f" and {len(windows) - 1} more" if len(windows) > 1 else ""
        source = wording.file_name(window.source)
        cells = (f"{when}{also}", name(trend.series[one]), why, snapshots, source)
        rows.append(b.Row(cells, window.verdict))
    columns = b.columns("interval | series | _why | (snapshots) | (source)")
    yield b.Table("Worst intervals", columns, tuple(rows), tools=True)
    yield from _more(len(groups) - len(shown))


def _why(judged: t.Judged, trend: t.Trend, *, full: bool = False) -> str:
    """The worst finding of an interval, or its largest outlier; ``full`` has both."""
    worst = _finding(judged)
    parts = [worst.title] if worst else _said(judged.window)[: judged.window.verdict in ALARMS]
    hurting = next((outlier for outlier in judged.outliers if outlier.bad), None)
    if hurting and (full or not parts or (worst and worst.severity == "info")):
        parts.append(_outlier(hurting, trend.facts[hurting.fact].unit, full=full))
    return "; ".join(parts)


def _outlier(item: t.Outlier, unit: str, *, full: bool) -> str:
    """An outlier: its value and the change against the usual value; ``full`` adds the baseline."""
    usual = in_unit(item.usual, unit)
    change = f"usually {usual}"
    if item.change_pct is not None:
        change = f"{item.change_pct:+.0f} % against the usual {usual}"
        if item.usual > 0 and item.value >= wording.TIMES * item.usual:
            change = f"{item.value / item.usual:.1f}× the usual {usual}"
    text, base = f"{title(item.fact)} {in_unit(item.value, unit)}, {change}", item.baseline
    if not full:
        return text
    if item.score is None:
        return f"{text} (only {base.points} intervals, no baseline)"
    slot = "all intervals" if base.slot == "all windows" else f"same {base.slot}"
    return f"{text} (z-score {item.score:.1f}; {slot}, {base.points} intervals)"


def _courses(trend: t.Trend, *, full: bool) -> Iterator[b.Block]:
    """Sparklines of the series of the headline or the worst one with a line, or of all.

    Few values of the headline's fact are bars; the load is below them.
    """
    lines, (leader, fact, at) = drawn(trend), leading(trend)
    quantities = trend.facts
    for number in lines if full else lines[:1]:
        series = trend.series[number]
        shown = [course for course in series.courses if course.minimum or course.maximum]
        shown.sort(key=lambda course: (course.fact != fact, course.fact != LOAD))
        bars = [
            b.BarRow(f"{window.begin:%m-%d %H:%M}", (b.Piece(
                0.0, value, *((window.verdict, "headline") if window.begin == at else ("info",))
            ),), in_unit(value, quantities[fact].unit))
            for window in (judged.window for judged in series.windows)
            if number == leader and (value := window.value(fact)) is not None
        ]  # fmt: skip
        yield b.Heading(f"{name(series)}: {summary(series)}")
        if A_LINE <= len(bars) <= _BARS and shown and shown[0].fact == fact:
            yield b.Paragraph(title(fact), "strong")
            yield b.Bars(title(fact), shown[0].maximum, tuple(bars))
            shown = shown[1:]
        yield b.Courses(
            "fact",
            ("median", "max", "last"),
            tuple(
                b.Course(
                    title(course.fact), tuple(_values(series, course.fact)),
                    tuple(in_unit(value, quantities[course.fact].unit)
                          for value in (course.median, course.maximum, course.last)),
                )
                for course in (shown if full else shown[:_FACTS])
            ),
        )  # fmt: skip
    if not full and len(lines) > 1:
        yield b.Paragraph(f"Lines of {len(lines) - 1} more series: --verbose", "dim")


def drawn(trend: t.Trend) -> list[int]:
    """The numbers of the series with a line: that of the headline, then the worst."""
    order = sorted(trend.order, key=lambda number: number != leading(trend)[0])
    several = (number for number in order if len(trend.series[number].windows) >= A_LINE)
    return [number for number in several if trend.series[number].courses]


def _values(series: t.Series, fact: str) -> Iterator[float | None]:
    """The values in the order of time; None for a missing value, and for a gap."""
    gaps = {stop.end for stop in series.breaks if stop.gap}
    for judged in series.windows:
        if judged.window.begin in gaps:
            yield None
        yield judged.window.value(fact)


def _links(trend: t.Trend, *, full: bool) -> Iterator[b.Block]:
    items = tuple(
        b.Item(
            f"{title(item.latency)} with {title(item.load)}: {item.words} "
            f"(rho {item.rho:+.2f}, {item.points} intervals)",
            f"{name(series)}, {item.verdict}",
            "" if item.verdict == "no statement" else "warning",
        )
        for series in trend.series
        for item in series.links
        if item.rho is not None and (full or item.verdict != "no statement")
    )
    if items:
        yield b.Heading("Latency against load", anchor="links")
        yield b.Paragraph(
            "A latency that rises with load means saturation. A latency that is high at any load "
            "means a slow device.", "dim",
        )  # fmt: skip
        yield b.Items(items)


def _dropped(trend: t.Trend, *, full: bool) -> Iterator[b.Block]:
    dropped = [*trend.left_out, *(item for series in trend.series for item in series.left_out)]
    if not dropped and not trend.not_asked:
        return
    shown = dropped if full else dropped[:_DROPPED]
    items = []
    for item in shown:
        when = f" ({interval(item.begin, item.end)})" if item.begin and item.end else ""
        text = f"{wording.file_name(item.source)}{when}: {item.reason}"
        items.append(b.Item(wording.safe(text)))
    if len(dropped) > len(shown):
        items.append(b.Item(f"and {len(dropped) - len(shown)} more: --verbose"))
    if trend.not_asked:
        items.append(b.Item(f"{count(trend.not_asked, 'interval')} outside the selection"))
    yield b.Fold("Dropped", (b.Items(tuple(items)),), "left-out")
