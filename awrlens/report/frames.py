"""Tables for people: the line around a cell under its headings, and every section as printed."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from awrlens.lazy import regex
from awrlens.model import Excerpt
from awrlens.model.chart_data import Printed
from awrlens.report.table import Column

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from awrlens.report.reader_result import RawSection
    from awrlens.report.report import Report
    from awrlens.report.table import Table


_RULE = regex(r"\s*+(?:--[\s\-]*+|~~[\s~]*+)$|-\s++--[\s\-]*+$")
_MOST_HEADINGS: Final = 4
#: Maximum number of lines between a row and its rule: Oracle repeats the rule on each page.
_FAR: Final = 200
_WIDEST_CELL: Final = 48


def of_lines(lines: Sequence[str], at: int, cell: str, column: str) -> Excerpt:
    """A line of text by its index; the heading finds the place of a ``cell`` that occurs twice."""
    line = lines[at]
    above = _above(lines, at)
    places = [found.span() for found in re.finditer(rf"(?<!\S){re.escape(cell)}(?!\S)", line)]
    places = places or [found.span() for found in re.finditer(re.escape(cell), line)]
    if not cell or not places:
        return Excerpt(above, line, 0, 0)
    fits = [_fit(place, above, column) for place in places]
    if len(places) > 1 and fits.count(max(fits)) > 1:
        return Excerpt(above, line, 0, 0)
    return Excerpt(above, line, *places[fits.index(max(fits))])


def _fit(place: tuple[int, int], above: Sequence[str], column: str) -> int:
    """How many words of a column's heading are above a place, or above its part of the rule."""
    begin, end = place
    for dashes in re.finditer(r"[-~]+", above[-1]) if above else ():
        if dashes.start() < end and begin < dashes.end():
            begin, end = dashes.span()
            break
    return sum(
        any(
            found.start() < end and begin < found.end()
            for heading in above
            for found in re.finditer(re.escape(word), heading)
        )
        for word in column.split()
    )


def _above(lines: Sequence[str], at: int) -> tuple[str, ...]:
    for rule in range(at - 1, max(-1, at - _FAR), -1):
        if "DB/Inst:" in lines[rule]:
            break
        if _RULE.match(lines[rule]):
            first = rule
            while first > 0 and rule - first < _MOST_HEADINGS and lines[first - 1].strip():
                first -= 1
            return tuple(lines[first : rule + 1])
    return ()


def of_cells(headings: Sequence[str], cells: Sequence[str], index: int) -> Excerpt:
    """A row of cells with bars between them; cells are below their headings if the counts match."""
    shown = [_cut(cell) for cell in cells]
    above: tuple[str, ...] = ()
    widths = [len(cell) for cell in shown]
    if len(headings) == len(cells):
        named = [_cut(heading) for heading in headings]
        widths = [max(len(a), len(b)) for a, b in zip(named, shown, strict=True)]
        above = (_barred(named, widths),) if any(named) else ()
    begin = sum(widths[:index]) + 3 * index
    length = len(shown[index]) if 0 <= index < len(shown) else 0
    return Excerpt(above, _barred(shown, widths), begin, begin + length)


def _barred(cells: Sequence[str], widths: Sequence[int]) -> str:
    padded = (cell.ljust(width) for cell, width in zip(cells, widths, strict=True))
    return " | ".join(padded).rstrip()


def _cut(cell: str) -> str:
    text = " ".join(cell.split())
    return text if len(text) <= _WIDEST_CELL else f"{text[: _WIDEST_CELL - 1]}…"


def _sections(report: Report) -> Iterator[tuple[RawSection, list[str], list[Table]]]:
    """Every section in order, the names of its tables, and those that no section before it has."""
    seen: set[str] = set()
    for section in report.sections:
        names = report.owners(section)
        tables = ((name, report.tables.get(name)) for name in names if name not in seen)
        found = {name: table for name, table in tables if table is not None}
        seen.update(found)
        yield section, names, [*found.values()]


def printed(report: Report) -> Iterator[Printed]:
    """Tables in the report's order: described ones in full, others as printed."""
    for section, names, tables in _sections(report):
        for table in tables:
            headings, rows = table.printed()
            yield Printed(table.title, table.name, table.line, headings, rows)
        for raw in [] if names or not section.title else section.tables("table"):
            if cells := [row.cells for row in raw.rows()]:
                line = report.line(raw.at)
                yield Printed(section.title, None, line, list(raw.headings), cells)


def listing(report: Report) -> list[dict[str, Any]]:
    """Every section in order, described ones per table: name, title, columns, rows, line."""
    listed: list[dict[str, Any]] = []
    for section, names, tables in _sections(report):
        listed += [_listed(t.name, t.title, t.columns, len(t), t.line) for t in tables]
        if not names and section.title:
            raws = [] if report.names_of(section) else section.tables("table")[:1]
            columns = [Column(None, h) for raw in raws for h in raw.headings if h]
            rows = len(raws[0].rows()) if raws else None
            listed.append(_listed(None, section.title, columns, rows, report.line(section.at)))
    return listed


def _listed(
    name: str | None, title: str, columns: Sequence[Column], rows: int | None, line: int
) -> dict[str, Any]:
    shown = [column._asdict() for column in columns]
    return {"name": name, "title": title, "columns": shown, "rows": rows, "line": line}
