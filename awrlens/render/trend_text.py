"""A trend on the terminal: sparklines, the worst intervals with findings, dropped inputs."""

from __future__ import annotations

from itertools import groupby, pairwise
from textwrap import wrap
from typing import TYPE_CHECKING, Final

from awrlens.render import present
from awrlens.render import trend_words as words
from awrlens.render.lines import Line, Span

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from awrlens.trends import Course, Judged, LeftOut, Quantity, Series, Trend

BLOCKS: Final = "▁▂▃▄▅▆▇█"
#: For terminals without block characters.
ASCII: Final = "_.-=+*%#"
#: Figures next to a sparkline, and those on a narrow terminal: heading, field.
_FIGURES: Final = (("min", "minimum"), ("median", "median"), ("max", "maximum"),
                   ("last", "last"))  # fmt: skip
_FEW_FIGURES: Final = (("median", "median"), ("last", "last"))
#: Width of a number, maximum width of an instance name, minimum and maximum of a sparkline.
_NUMBER: Final = 8
_LABEL: Final = 24
_LEAST, _MOST = 8, 48
#: Maximum number of detailed intervals, of outliers per interval, and of dropped inputs.
_WORST: Final = 5
_OUTLIERS: Final = 5
_LEFT_OUT: Final = 20
_KILO: Final = 1000


def page(trend: Trend, width: int, levels: str = BLOCKS) -> Iterator[Line]:
    """All lines; ``levels`` are the characters of a sparkline, from low to high."""
    if not trend.series:
        yield from _wrapped("No interval with known times was found.", width, "title")
    by_database = groupby(trend.series, key=lambda each: (each.who.database, each.who.db_id))
    for number, ((database, db_id), members) in enumerate(by_database):
        if number:
            yield ()
        title = f"{database} · database id {db_id}" if db_id else database
        yield from _database(title, list(members), trend.quantities, width, levels)
    yield from _worst(trend, width)
    yield from _links(trend, width)
    yield from _left_out(trend, width)


def _database(
    database: str, members: list[Series], quantities: Sequence[Quantity], width: int, levels: str
) -> Iterator[Line]:
    yield from _wrapped(present.safe(database), width, "title")
    for series in members:
        line = f"{present.safe(series.who.label)}: {words.summary(series)}"
        yield from _wrapped(line, width, "strong", "    ", "  ")
    known = [each for each in members if each.courses]
    if max((len(each.windows) for each in known), default=0) > 1:
        yield from _courses(known, quantities, width, levels)
    for series in members:
        for item in series.seen:
            if item.severity != "ok":
                line = f"{item.severity} {words.seen(item, len(series.windows))}"
                line = f"{present.safe(series.who.label)}: {line}" if len(members) > 1 else line
                yield from _wrapped(line, width, item.severity, "      ", "  ")


def _courses(
    members: list[Series], quantities: Sequence[Quantity], width: int, levels: str
) -> Iterator[Line]:
    """A sparkline with figures per fact; the instances of a database below each other."""
    courses = [{course.fact: course for course in each.courses} for each in members]
    shown = [q.name for q in quantities if any(q.name in known for known in courses)]
    labels = [present.safe(each.who.label)[:_LABEL] for each in members]
    several = len(members) > 1
    name = (2 if several else 0) + max(map(len, labels if several else shown), default=0)
    figures = list(_FIGURES)
    if width - 3 - name - len(figures) * _NUMBER < _LEAST:
        figures = list(_FEW_FIGURES)
    line = max(_LEAST, min(_MOST, width - 3 - name - len(figures) * _NUMBER))
    heads = "".join(head.rjust(_NUMBER) for head, _ in figures)
    yield (Span(f"  {'':<{name + line + 1}}{heads}", "dim"),)
    for fact in shown:
        if several:
            yield (Span(f"  {fact}"),)
        for series, known, label in zip(members, courses, labels, strict=True):
            course = known.get(fact)
            if course is None:
                continue
            numbers = "".join(short(getattr(course, field)).rjust(_NUMBER) for _, field in figures)
            title = f"  {label}" if several else fact
            spark = sparkline(series, course, line, levels)
            yield (Span(f"  {title:<{name}} "), Span(spark.ljust(line), "info"), Span(numbers))


def sparkline(series: Series, course: Course, width: int, levels: str) -> str:
    """One character per interval from low to high; a space for a gap, a bar for a restart.

    With more intervals than columns, a column shows the value that is farthest from the median,
    and breaks are not shown.
    """
    values = [each.window.value(course.fact) for each in series.windows]
    if len(values) > width:
        edges = [len(values) * n // width for n in range(width + 1)]
        chunks = [values[a:b] for a, b in pairwise(edges)]
        return "".join(
            _level(max((v for v in chunk if v is not None), default=None,
                       key=lambda v: abs(v - course.median)), course, levels)
            for chunk in chunks
        )  # fmt: skip
    signs = [_level(value, course, levels) for value in values]
    if len(signs) + len(series.breaks) > width:
        return "".join(signs)
    broken = {each.end: "|" if each.restart else " " for each in series.breaks}
    return "".join(
        (broken.get(each.window.begin, "") if each.window.begin else "") + sign
        for each, sign in zip(series.windows, signs, strict=True)
    )


def _level(value: float | None, course: Course, levels: str) -> str:
    """The character of a value between the minimum and the maximum of its series."""
    if value is None:
        return " "
    spread = course.maximum - course.minimum
    if spread <= 0:
        return levels[0]
    return levels[min(len(levels) - 1, int((value - course.minimum) / spread * len(levels)))]


def short(value: float) -> str:
    """A number in at most seven characters: ``18.7``, ``757K``, ``1.2M``."""
    suffixes = ["", "K", "M", "G", "T", "P", "E"]
    while abs(value) >= _KILO - 0.5 and len(suffixes) > 1:
        value /= _KILO
        del suffixes[0]
    text = f"{value:.3g}"
    if "e" in text:
        text = f"{value:.4f}"
    return (text.rstrip("0").rstrip(".") if "." in text else text) + suffixes[0]


def _worst(trend: Trend, width: int) -> Iterator[Line]:
    if not trend.worst:
        if trend.series:
            yield ()
            yield (Span("No interval has outliers or findings.", "ok"),)
        return
    yield from _heading("Worst intervals")
    quantities = {each.name: each for each in trend.quantities}
    for number, (one, other) in enumerate(trend.worst[:_WORST], start=1):
        series = trend.series[one]
        yield from _window(number, series, series.windows[other], quantities, width)
    rest = len(trend.worst) - _WORST
    if rest > 0:
        yield (Span(f" and {rest} more; use --html or --format json for all", "dim"),)


def _window(
    number: int, series: Series, judged: Judged, quantities: dict[str, Quantity], width: int
) -> Iterator[Line]:
    window = judged.window
    parts = [words.interval(window.begin, window.end), words.name(series),
             words.snapshots(window)]  # fmt: skip
    line = f"{number}. {' · '.join(filter(None, parts))}"
    yield from _wrapped(line, width, window.verdict, "     ", " ")
    hurting = [each for each in judged.outliers if each.bad]
    others = [each for each in judged.outliers if not each.bad]
    for item in hurting[:_OUTLIERS]:
        yield from _wrapped(
            words.outlier(item, quantities[item.fact]), width, "", "       ", "     "
        )
    if len(hurting) > _OUTLIERS:
        rest = ", ".join(each.fact for each in hurting[_OUTLIERS:])
        yield from _wrapped(f"also: {rest}", width, "", "       ", "     ")
    if others:
        rest = ", ".join(f"{each.fact} {_direction(each.value, each.usual)}" for each in others)
        yield from _wrapped(f"also unusual: {rest}", width, "dim", "       ", "     ")
    for finding in window.findings:
        if finding.severity != "ok":
            line = f"{finding.severity} {finding.id} {present.safe(finding.title)}"
            yield from _wrapped(line, width, finding.severity, "       ", "     ")
    yield from _wrapped(present.safe(window.source), width, "dim", "       ", "     ")


def _direction(value: float, usual: float) -> str:
    return "high" if value > usual else "low"


def _links(trend: Trend, width: int) -> Iterator[Line]:
    """Latency against load; series without a correlation are counted."""
    known = [each for each in trend.series if each.links]
    if not known:
        return
    yield from _heading("Latency against load")
    silent = [each for each in known if all(link.rho is None for link in each.links)]
    if silent:
        few = f"{words.name(silent[0])}: {silent[0].links[0].words}"
        if len(silent) > 1:
            few = f"{len(silent)} series have too few intervals, or a load that hardly varies"
        yield from _wrapped(few, width, "dim", "    ", "  ")
    for series in known:
        known_links = [each for each in series.links if each.rho is not None]
        if not known_links:
            continue
        yield from _wrapped(words.name(series), width, "strong", "    ", "  ")
        for item in known_links:
            style = "warning" if item.verdict != "no statement" else "dim"
            start = f"{item.verdict}: " if item.verdict != "no statement" else ""
            yield from _wrapped(f"{start}{words.link(item)}", width, style, "      ", "    ")


def _left_out(trend: Trend, width: int) -> Iterator[Line]:
    items: list[LeftOut] = [item for series in trend.series for item in series.left_out]
    items += trend.left_out
    if items or trend.not_asked:
        yield from _heading("Dropped")
    for item in items[:_LEFT_OUT]:
        yield from _wrapped(words.left_out(item), width, "dim", "    ", "  ")
    if len(items) > _LEFT_OUT:
        rest = f"and {len(items) - _LEFT_OUT} more; --format json lists all"
        yield from _wrapped(rest, width, "dim", "    ", "  ")
    if trend.not_asked:
        few = f"{words.count(trend.not_asked, 'interval')} outside the selection"
        yield from _wrapped(few, width, "dim", "    ", "  ")


def _heading(text: str) -> Iterator[Line]:
    yield ()
    yield (Span(text, "title"),)


def _wrapped(
    text: str, width: int, style: str = "", indent: str = "", first: str = ""
) -> Iterator[Line]:
    for line in wrap(
        text, width, initial_indent=first or indent, subsequent_indent=indent,
        break_on_hyphens=False,
    ):  # fmt: skip
        yield (Span(line, style),)
