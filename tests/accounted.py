"""Every line of a text section is a title, heading, ruler, row, note or blank, or it is unread."""

from __future__ import annotations

from typing import TYPE_CHECKING

from awrlens.report import ruler
from awrlens.report.text_reader import TextSection

if TYPE_CHECKING:
    from awrlens.report.reader_result import RawSection
    from awrlens.report.table import Table
    from awrlens.report.text_rows import TextTable


def unread(section: RawSection, layout: str) -> list[int]:
    """1-based numbers of the lines that nothing accounts for; none of a page, which has cells."""
    if layout == "lines" or not isinstance(section, TextSection):
        return []
    lines = section._lines
    used = {at for page in section._pages for at in page.notes}
    if layout == "labels":
        used |= _of_labels(section)
    else:
        used.update(at for table in section._text_tables(layout) for at in _of_table(table))
    return [
        at + 1
        for start, end in section.pages
        for at in range(start + 1, end)
        if lines[at]
        and at not in used
        and not lines.is_ruler(at)
        and not ruler.UNDERLINE.match(lines[at])
        and "No data exists for this section" not in lines[at]
    ]


def _of_table(table: TextTable) -> set[int]:
    table.rows()
    lines = table._statement_lines if table._layout == "sql" else table._filled
    used = {at for at, _ in lines} - table.lost
    for block in table.pages:
        used.update(block.groups, block.headings, block.rulers)
        used.update(at for at in block.rows if at in table._names)
    return used


def _of_labels(section: TextSection) -> set[int]:
    used = {row.at for table in section._label_tables() for row in table.rows()}
    for page in section._pages:
        heads = [min(block.headings + block.rulers) for block in page.blocks]
        first = range(page.start + 1, min(heads, default=page.end))
        if not used.isdisjoint(first):
            used.update(at for at in first if "~~~" in section._lines[at])
        for block in page.blocks:
            if not used.isdisjoint(block.rows):
                used.update(block.groups, block.headings, block.rulers)
    return used


def undescribed(table: Table) -> list[str]:
    """Headings that are not in the catalogue."""
    return [each.heading for each in table.columns if each.name is None and each.heading]
