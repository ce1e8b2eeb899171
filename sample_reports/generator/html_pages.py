"""Prints sections as HTML: anchors, headings, notes, tables, the links back."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

from .layout import NO_COLUMNS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from .layout import Format, Group, Layout, Row, Section, Value
    from .model import Sql

BLANK = "&#160;"
NO_DATA = " " * 18 + "No data exists for this section of the report."
TOP = '<a class="awr" href="#top">Back to Top</a><p />'


@dataclass(frozen=True)
class HtmlStyle:
    """What differs between the releases."""

    table: str
    """Attributes of a section's table."""
    rule: str
    """What follows a table."""
    edges: bool
    """Histogram cells carry a class for their borders."""
    between: str = ""
    """What stands between the cells of a section's row."""
    unopened: str = ""
    """The end of a table before a section that has none."""
    listed: str = "{}"
    """A section's title in the list of its group."""


STYLE_10 = HtmlStyle(
    'border="1"', "", edges=False, between=" ", unopened="</table><p />", listed="\n{}\n"
)
STYLE_11 = HtmlStyle('border="1"', "", edges=False)
STYLE_19 = HtmlStyle(
    'border="0" class="tdiff"', '<hr align="left" width="20%" /><p />\n', edges=True
)


def row_class(index: int) -> str:
    """Rows alternate between two backgrounds, the first coloured."""
    return "awrc" if index % 2 == 0 else "awrnc"


def head(names: Sequence[str]) -> str:
    """Header cells; an empty name has no background."""
    return "".join(
        f'<th class="{"awrbg" if name else "awrnobg"}" scope="col">{escape(name)}</th>'
        for name in names
    )


def joined(heading: str) -> str:
    """The name of a heading over columns: without blanks."""
    return heading.replace(" ", "")


def column_id(name: str) -> str:
    """The name of a column under such a heading."""
    return escape(name.strip()).replace(" ", "|")


def data_cell(value: Value, form: Format, css: str, extra: str = "") -> str:
    """One cell."""
    text = BLANK if value is None or value == "" else escape(form.html(value), quote=False)
    align = 'align="right" ' if form.align_html else ""
    return f"<td {align}{extra}class='{css}'>{text}</td>"


def plain_table(names: Sequence[str], rows: Sequence[Sequence[str]], attributes: str, first: str
                ) -> str:  # fmt: skip
    """Return A summary table: a label and right-aligned cells already formatted.

    An empty cell is blank; a cell that ends with a colon is a label.
    """
    lines = [f"<table {attributes}>"]
    if names:
        lines.append(f"<tr>{head(names)}</tr>")
    start = 0 if first == "awrc" else 1
    for index, row in enumerate(rows):
        css = row_class(index + start)
        cells = ""
        for at, text in enumerate(row):
            label = at == 0 or text.endswith(":")
            scope = 'scope="row" ' if at == 0 and label else ""
            align = "" if label or not text else 'align="right" '
            cells += f"<td {scope}{align}class='{css}'>{text or BLANK}</td>"
        lines.append(f"<tr>{cells}</tr>")
    return "\n".join([*lines, "</table>"])


def section_row(row: Row, layout: Layout, css: str, style: HtmlStyle, *, repeated: bool) -> str:
    """One row of a section's table."""
    names = layout.html.split("|")
    cells = []
    for at, (value, form) in enumerate(zip(row, layout.column_formats, strict=True)):
        extra = 'scope="row" ' if at == layout.scope_column else ""
        cell_css = css
        over, place = layout.span_of(at)
        if over:
            extra = f'headers="{joined(over)} {column_id(names[at])}" '
            if style.edges and (place == 0 or at == len(names) - 1):
                cell_css += "lb" if place == 0 else "rb"
        if at == 0 and repeated:
            cells.append(f"<td class='{css}'><div class=\"hidden\">{value}</div></td>")
        elif at == 0 and layout.free_name:
            cells.append(f"<td {extra}class='{css}'>\n{value}\n</td>")
        else:
            cells.append(data_cell(value, form, cell_css, extra))
    if len(layout.rulers) > 1:
        lead = len(layout.rulers[0])
        return style.between.join(cells[:lead]) + "\n" + style.between.join(cells[lead:])
    return style.between.join(cells)


def sql_row(row: Row, layout: Layout, sql: Sql, css: str, between: str) -> str:
    """One row of a SQL section, with its module and the beginning of its text."""
    cells = [
        data_cell(value, form, css)
        for value, form in zip(row[:-1], layout.column_formats, strict=False)
    ]
    link = f'<a class="awr" href="#{sql.sql_id}">{sql.sql_id}</a>'
    text = sql.text if len(sql.text) <= 30 else sql.text[:30] + "..."
    module = f"\n{escape(sql.module)}\n" if sql.module else f"{BLANK}\n"
    return (
        f"{between.join([*cells, ''])}<td scope=\"row\" class='{css}'>{link}</td>\n"
        f"<td class='{css}'>{module}</td>\n<td class='{css}'>{escape(text, quote=False)}</td>"
    )


def section_table(section: Section, style: HtmlStyle) -> Iterator[str]:
    """Print the table of a section."""
    layout = section.layout or NO_COLUMNS
    names = layout.html.split("|")
    summary = escape(layout.summary).replace("&#x27;", "'")
    start = f'<table {style.table} summary="{summary}"><tr>'
    if layout.spans:
        over = [
            f'<th class="awrbg" colspan=" {count}" id="{joined(heading)}">{heading}</th>\n'
            if heading
            else f"<td>{BLANK}</td>" * count
            for heading, count in layout.spans
        ]
        ids = (f' id="{column_id(n)}"' * bool(layout.span_of(at)[0]) for at, n in enumerate(names))
        heads = (
            f'<th class="awrbg" scope="col"{each}>{escape(name)}</th>'
            for name, each in zip(names, ids, strict=True)
        )
        yield f"{start}\n{''.join(over)}</tr><tr>\n{''.join(heads)}</tr>"
    else:
        yield f"{start}{head(names)}</tr>"
    previous: Row | None = None
    for index, row in enumerate(section.rows):
        css = row_class(index)
        if section.statements:
            yield f"<tr>{sql_row(row, layout, section.statements[index], css, style.between)}</tr>"
        else:
            repeated = layout.repeats_blank and previous is not None and previous[0] == row[0]
            yield f"<tr>{section_row(row, layout, css, style, repeated=repeated)}</tr>"
        previous = row
    yield "</table><p />"


def print_section(section: Section, back: str, style: HtmlStyle) -> Iterator[str]:
    """Print A section from its anchor to its links back."""
    empty = section.layout is None or not section.rows
    yield f'<a class="awr" name="{section.anchor}"></a>'
    if empty and style.unopened:
        yield style.unopened
    yield f'<h3 class="awr">{section.title}</h3>'
    if empty:
        yield f"\n<p />\n{NO_DATA}\n<p />"
    else:
        yield "<ul>"
        for note in section.notes:
            text = escape(note).replace("\n", "     ").replace("&#x27;", "'")
            yield f'<li class="awr"> {text}</li>'
        yield "</ul>"
        yield from section_table(section, style)
        if style.rule:
            yield style.rule.rstrip("\n")
    if back:
        yield back
    yield f"<br />{TOP}"


def print_group(group: Group, style: HtmlStyle, extra: Sequence[str] = ()) -> Iterator[str]:
    """Print A group: its list of sections, then the sections."""
    if not group.flat:
        yield f'<a class="awr" name="{group.anchor}"></a>'
        yield f'<h2 class="awr">\n{group.title}\n</h2>'
        links = [(style.listed.format(each.title), each.anchor) for each in group.sections]
        yield from link_list(links, extra)
        yield TOP
    back = "" if group.flat else f'<a class="awr" href="#{group.anchor}">Back to {group.title}</a>'
    for section in group.sections:
        yield from print_section(section, back, style)


def link_list(links: Sequence[tuple[str, int]], extra: Sequence[str] = ()) -> Iterator[str]:
    """Print A list of links."""
    yield "<ul>"
    for title, anchor in links:
        yield f'<li class="awr"><a class="awr" href="#{anchor}">{title}</a></li>'
    yield from extra
    yield "</ul>"
