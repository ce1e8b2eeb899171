"""Every section of a report as printed tables, for users who want to look for themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from awrlens.model.chart_data import Printed
from awrlens.report.column_match import Column

if TYPE_CHECKING:
    from collections.abc import Iterator

    from awrlens.report.reader_result import RawSection
    from awrlens.report.report import Report
    from awrlens.report.table import Table


def printed(report: Report) -> Iterator[Printed]:
    """Tables in the report's order: described ones in full, others as printed."""
    seen: set[str] = set()
    for section in report.sections:
        names = report.owners(section)
        for name in names:
            table = report.tables.get(name)
            if table is None or name in seen:
                continue
            seen.add(name)
            headings, rows = table.printed()
            yield Printed(table.title, name, table.line, headings, rows)
        if names or not section.title:
            continue
        for raw in section.tables("table"):
            cells = [row.cells for row in raw.rows()]
            if cells:
                line = report.line(raw.at)
                yield Printed(section.title, None, line, list(raw.headings), cells)


def listing(report: Report) -> list[dict[str, Any]]:
    """Every section in order: canonical name (None when undescribed), title, rows, line.

    A described section is listed once per table; an undescribed one is listed by its title, for
    `untyped`.
    """
    found: list[dict[str, Any]] = []
    seen: set[str] = set()
    for section in report.sections:
        names = report.owners(section)
        for name in names:
            table = report.tables.get(name)
            if table is not None and name not in seen:
                seen.add(name)
                found.append(_listed(table, name, len(table)))
        if not names and section.title:
            found.append(_listed_untyped(report, section))
    return found


def _listed_untyped(report: Report, section: RawSection) -> dict[str, Any]:
    names = report.names_of(section)
    tables = [] if names else section.tables("table")
    rows = len(tables[0].rows()) if tables else None
    headings = tables[0].headings if tables else ()
    return {
        "name": None,
        "title": section.title,
        "columns": [
            Column(None, heading, "text", "text")._asdict() for heading in headings if heading
        ],
        "rows": rows,
        "line": report.line(section.at),
    }


def _listed(table: Table, name: str, rows: int) -> dict[str, Any]:
    return {
        "name": name,
        "title": table.title,
        "columns": [column._asdict() for column in table.columns],
        "rows": rows,
        "line": table.line,
    }
