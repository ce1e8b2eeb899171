"""Prints sections as text: titles, notes, headings, rulers, rows, page breaks, end rules."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from .layout import NO_COLUMNS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from .layout import Format, Layout, Row, Section, Value
    from .model import Sql

END_RULE = " " * 10 + "-" * 61
NO_DATA = " " * 18 + "No data exists for this section of the report."
FORM_FEED = "\f"
LINE_WIDTH = 80


def cell(value: Value, form: Format, width: int) -> str:
    """Format one value to its column, aligned."""
    text = form.missing if value is None or value == "" else form.text(value, width)
    return text.rjust(width) if form.right else text.ljust(width)


def line_of(
    cells: Sequence[Value], formats: Sequence[Format], spans: Sequence[tuple[int, int]]
) -> str:
    """Place cells under their spans of the ruler."""
    line = ""
    for value, form, (start, end) in zip(cells, formats, spans, strict=True):
        line = line.ljust(start) + cell(value, form, end - start)
    return line.rstrip()


def wrap(text: str, width: int, max_lines: int) -> list[str]:
    """Break a statement at the column, in the middle of words, as the reports do."""
    return [text[at : at + width] for at in range(0, len(text), width)][:max_lines]


@dataclass(frozen=True)
class TextStyle:
    """What differs between the families of text reports."""

    title: Callable[[Section, str], str]
    """Title line of a section, given what stands before it: a form feed, or nothing."""
    page_lines: int
    sql_width: int
    sql_lines: int
    prints_empty: bool = True
    """A section without rows prints its title and that no data exists; or nothing at all."""
    end_rule: str = END_RULE


def row_lines(row: Row, layout: Layout, previous: Row | None) -> Iterator[str]:
    """Print one row, on as many lines as the heading has rulers."""
    cells = list(row)
    if layout.repeats_blank and previous is not None and previous[0] == row[0]:
        cells[0] = None
    at = 0
    if layout.free_name:
        yield str(cells[0])
        at = 1
    for spans in layout.rulers:
        end = at + len(spans)
        yield line_of(cells[at:end], layout.column_formats[at:end], spans)
        at = end


def sql_lines(sql: Sql, style: TextStyle) -> Iterator[str]:
    """Print the module and the text that follow the numbers of a statement."""
    if sql.module:
        yield f"Module: {sql.module}"
    yield from wrap(sql.text, style.sql_width, style.sql_lines)
    yield ""


def blocks(section: Section, style: TextStyle) -> Iterator[list[str]]:
    """Rows as blocks of lines; a page break may fall between any two lines."""
    layout = section.layout or NO_COLUMNS
    previous: Row | None = None
    for index, row in enumerate(section.rows):
        lines = list(row_lines(row, layout, previous))
        if layout.blank_after_group and row[0] != next_name(section.rows, index):
            lines.append("")
        if section.statements:
            lines += sql_lines(section.statements[index], style)
        yield lines
        previous = row


def next_name(rows: Sequence[Row], index: int) -> Value:
    """What stands in the first column of the next row."""
    return rows[index + 1][0] if index + 1 < len(rows) else None


def print_section(section: Section, style: TextStyle) -> list[str]:
    """Print a section with its page breaks, up to and including its end rule."""
    if not section.rows and not style.prints_empty:
        return []
    output = list(section.preamble)
    feed = FORM_FEED if section.new_page else ""
    output.append(style.title(section, feed))
    if section.layout is None or not section.rows:
        return [*output, "", NO_DATA, style.end_rule]

    arrow = "->" if section.tight_notes else "-> "
    heading = [arrow + note.replace("\n", "\n" + " " * len(arrow)) for note in section.notes]
    heading = [line[:LINE_WIDTH].rstrip() for note in heading for line in note.split("\n")]
    if section.intro:
        heading += ["", *section.intro]
    heading += ["", *section.layout.lines]
    output += heading
    on_page = len(heading) + 1
    for line in (line for block in blocks(section, style) for line in block):
        if on_page >= style.page_lines:
            output += [style.title(section, FORM_FEED), *heading]
            on_page = len(heading) + 1
        output.append(line)
        on_page += 1
    return [*output, *section.footer, style.end_rule]


def join(lines: Iterable[str]) -> str:
    """Make a file of lines."""
    return "\n".join(lines) + "\n"
