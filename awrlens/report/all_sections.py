"""Every section of a report as printed tables, for users who want to look for themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING

from awrlens.model.chart_data import Printed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from awrlens.report.report import Report


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
