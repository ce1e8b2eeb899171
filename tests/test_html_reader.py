"""HTML reports: cells as a browser would show them, however broken the markup is."""

from __future__ import annotations

import html
import re
from typing import Any

import html5lib
import pytest
from hypothesis import given
from hypothesis import strategies as st

from awrlens.report.html_reader import HtmlReader, HtmlSection, unfold
from awrlens.report.html_tables import clean
from awrlens.report.reader_result import column_of
from awrlens.report.report import Report
from awrlens.source.kind import Kind
from awrlens.source.open import Source

TITLE = '<h3 class="awr">Buffer Wait Statistics</h3>'
HEADINGS = ["Class", "Waits", "Total Wait Time (s)", "Avg Time (ms)"]
_BLANKS = re.compile(r"\s+")

TEXT = st.text(
    alphabet=st.characters(codec="utf-8", exclude_categories=["C", "Z"]), min_size=1, max_size=12
)


def report(text: str) -> Report:
    return Report(Source("specimen", text), Kind("awr-html", html=True, at=0))


def table(rows: str, headings: str = "") -> str:
    head = headings or "".join(f"<th class='awrbg' scope='col'>{h}</th>" for h in HEADINGS)
    return f'{TITLE}\n<table border="0" class="tdiff"><tr>{head}</tr>\n{rows}</table>\n'


def read(text: str) -> list[list[list[str]]]:
    """Cells of all rows, headings too, of all tables."""
    reader = HtmlReader(text)
    found = []
    for section in reader.sections:
        assert isinstance(section, HtmlSection)
        for each in section.own:
            rows: list[list[str]] = []
            at = each._start
            while True:
                row, at = each._next_row(at, each.end)
                if row is None:
                    break
                if row:
                    rows.append([_BLANKS.sub(" ", clean(reader.text[a:b])) for _, a, b in row])
            data = [[_BLANKS.sub(" ", cell) for cell in row.cells] for row in each.rows()]
            assert data == rows[len(rows) - len(data) :]  # read at once or one by one
            found.append(rows)
    return found


def standard(text: str) -> list[list[list[str]]]:
    """The same by html5lib, which follows the HTML standard to the letter."""
    tree = html5lib.parse(text, namespaceHTMLElements=False)
    found = []
    for each in tree.iter("table"):
        rows = []
        for row in each.findall("./*/tr"):
            cells = [shown(cell) for cell in row if cell.tag in ("td", "th")]
            if cells:
                rows.append([_BLANKS.sub(" ", cell.replace("\xa0", " ")).strip() for cell in cells])
        found.append(rows)
    return found


def shown(node: Any) -> str:
    """Text of an element, without comments; a line break is a blank."""
    if node.tag == "br":
        return " "
    inner = "".join(
        (shown(child) if isinstance(child.tag, str) else "") + (child.tail or "") for child in node
    )
    return (node.text or "") + inner


@given(st.lists(st.lists(TEXT, min_size=4, max_size=4), max_size=6), st.sampled_from(['"', "'"]))
def test_cells_are_read_back_as_they_were_written(rows: list[list[str]], quote: str) -> None:
    body = "\n".join(
        "<tr>"
        + "".join(f"<td class={quote}awrc{quote}>{html.escape(c)}</td>" for c in row)
        + "</tr>"
        for row in rows
    )
    (found,) = read(table(body))
    assert found == [HEADINGS, *[[clean(html.escape(c)) for c in row] for row in rows]]
    assert [[clean(html.escape(c)) for c in row] for row in rows] == [
        [html.unescape(html.escape(c)).strip() for c in row] for row in rows
    ]


@given(
    st.lists(st.lists(TEXT | st.just(""), min_size=1, max_size=4), min_size=1, max_size=12),
    st.sampled_from([("tr", "td", "td"), ("TR", "TD", "TD"), ("tr", "TD", "td")]),
)
def test_a_column_holds_what_its_rows_do_and_every_cell_knows_its_place(
    rows: list[list[str]], tags: tuple[str, str, str]
) -> None:
    row_tag, begin, end = tags
    body = "\n".join(
        f"<{row_tag}>"
        + "".join(f"<{begin} class='awrc'>{html.escape(cell)}</{end}>" for cell in row)
        + f"</{row_tag}>"
        for row in rows
    )
    reader = HtmlReader(table(body))
    (section,) = reader.sections
    (raw,) = section.tables("table")
    found = raw.rows()
    assert [row.cells for row in found] == [[cell.strip() for cell in row] for row in rows]
    for number in range(4):
        held = [row.cells[number] if number < len(row.cells) else "" for row in found]
        assert column_of(found, number) == held
    for row in found:
        for number, cell in enumerate(row.cells):
            assert clean(reader.text[row.place(number) :].partition("<")[0]) == cell


PIECES = st.sampled_from([
    "<tr>", "</tr>", '<TR align="right">', "<td>", "</td>", "<td class='awrc' title=\">5\">",
    "<TD>", '<th scope="col">', "</th>", "<br>", '<a class="awr" href="#1">', "</a>", "<b>",
    "</b>", "<!-- > -->", "&nbsp;", "&#160;", "&lt;1ms", "<1ms", "< 5", "&amp;",
    "log file sync", "41,207", " ", "\n", "&unknown;", "x > y",
])  # fmt: skip


@given(st.lists(PIECES, max_size=14).map("".join))
def test_broken_markup_is_read_as_the_standard_says(body: str) -> None:
    """Unclosed cells and rows, bare ``<``, comments: what a browser shows is what is read."""
    text = f"<html><body>{TITLE}<table><tr><td>first</td></tr>{body}</table></body></html>"
    if _moves_text_out_of_the_table(text):
        return
    assert read(text) == standard(text)


def _moves_text_out_of_the_table(text: str) -> bool:
    """Text or inline tags directly in a table or row: the standard moves them before the table."""
    body = html5lib.parse(text, namespaceHTMLElements=False).find("body")
    assert body is not None
    return [child.tag for child in body][:2] != ["h3", "table"] or bool(
        (body[0].tail or "").strip()
    )


@given(st.text(max_size=300))
def test_no_text_makes_the_reader_fail(text: str) -> None:
    for section in HtmlReader(f"{TITLE}<table>{text}").sections:
        for layout in ("table", "labels"):
            for each in section.tables(layout):
                assert each.headings is not None
                assert each.rows() is not None


@pytest.mark.parametrize(
    ("cell", "text"),
    [
        ("&#160;", ""),
        ("&nbsp;", ""),
        ("", ""),
        ("  1,204 ", "1,204"),
        ("<1ms", "<1ms"),
        ("&lt;1ms", "<1ms"),
        ('<a class="awr" href="#a">log file sync</a>', "log file sync"),
        ("enq: TX &amp; others", "enq: TX & others"),
    ],
)
def test_what_a_cell_shows(cell: str, text: str) -> None:
    assert read(table(f"<tr><td>{cell}</td></tr>"))[0][1] == [text]


ROWS = (
    "<tr><td scope=\"row\" class='awrnc'>data block</td>"
    "<td align=\"right\" class='awrnc'>2,310</td>"
    "<td class='awrnc'>9</td><td class='awrnc'>4</td></tr>\n"
    "<tr><td scope=\"row\" class='awrc'>undo header</td><td align=\"right\" class='awrc'>14</td>"
    "<td class='awrc'>0</td><td class='awrc'>&#160;</td></tr>\n"
)
VALUES = [
    {"class": "data block", "waits": 2310, "total_wait_s": 9, "avg_wait_ms": 4},
    {"class": "undo header", "waits": 14, "total_wait_s": 0, "avg_wait_ms": None},
]


@pytest.mark.parametrize(
    "change",
    [
        str,
        str.upper,
        lambda text: text.replace("</td>", ""),
        lambda text: text.replace("</td>", "").replace("</tr>", ""),
        lambda text: text.replace('"', "'"),
        lambda text: text.replace("><", ">\n    <"),
        lambda text: text.replace("\n", "\r\n"),
        lambda text: text.replace("<tr>", "<tbody><tr>", 1).replace("</table>", "</tbody></table>"),
        lambda text: text.replace("Total Wait Time (s)", "Total  Wait Ti\nme (s)"),
        lambda text: text.replace("<th ", '<th title=">=512us" '),
    ],
    ids=["as-is", "upper", "no-td-end", "no-ends", "quotes", "indented", "crlf", "tbody", "word",
         "title"],
)  # fmt: skip
def test_browsers_and_mail_programs_change_nothing(change: Any) -> None:
    rows = report(change(table(ROWS))).tables["buffer_waits"].rows
    assert [
        {k: v.lower() if isinstance(v, str) else v for k, v in r.values().items()} for r in rows
    ] == VALUES


def test_a_row_is_found_by_its_name() -> None:
    rates = "<td>Redo size:</td><td>1,024.5</td><td>2,048.5</td>"
    profile = f"<h3>Load Profile</h3><table><tr>{rates}</tr></table>"
    read_table = report(profile + table(ROWS)).tables["buffer_waits"]
    row = read_table.row("undo header")
    assert row is not None
    assert row.value("waits") == 14
    assert read_table.row("segment header") is None


def test_evidence_names_the_line_of_the_source() -> None:
    read_table = report(f"<html>\n\n{table(ROWS)}").tables["buffer_waits"]
    row = read_table.row("undo header")
    assert row is not None
    cell = row.cell("waits")
    assert cell is not None
    assert (cell.text, read_table.line_of(cell)) == ("14", 6)


def test_the_line_of_a_cell_is_that_of_its_text() -> None:
    read_table = report(table("<tr><td>undo header</td><td>\n\n14</td></tr>")).tables[
        "buffer_waits"
    ]
    cell = read_table.rows[0].cell("waits")
    assert cell is not None
    assert (cell.text, read_table.line_of(cell)) == ("14", 5)


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("width", [250, 333, 500, 1000])
def test_lines_that_were_folded_at_a_fixed_width_are_joined_again(width: int, end: str) -> None:
    """Many AWR files are cut at a line size, through words, numbers, entities and tags."""
    text = table(ROWS.replace("\n", "") * 60).replace("\n", "")
    folded = end.join(text[n : n + width] for n in range(0, len(text), width))
    read_table = report(folded).tables["buffer_waits"]
    assert [row.values() for row in read_table] == VALUES * 60
    lines = folded.split("\n")
    for row in read_table:
        cell = row.cell("waits")
        assert cell is not None
        at = read_table.line_of(cell)
        assert cell.text in "".join(line.strip("\r") for line in lines[at - 1 : at + 1])


def test_a_statement_that_was_folded_far_down_the_page_is_whole_again() -> None:
    statement = "select " + ", ".join(f"column_{n}" for n in range(1200))
    folded = "\n".join(statement[n : n + 1000] for n in range(0, len(statement), 1000))
    padding = "<p>an unusually long line</p>" * 40 + "\n" + "<p>short</p>\n" * 20_000
    page = (
        f"{padding}<h3>Complete List of SQL Text</h3><table><tr><th>SQL Id</th><th>SQL Text</th>"
        f"</tr>\n<tr><td>a1b2c3d4e5f6g</td><td>\n{folded}</td></tr></table>\n{padding}"
    )
    (row,) = report(page).tables["sql_text"].rows
    assert row.text("sql_text") == statement


def test_a_page_whose_lines_were_never_folded_is_left_alone() -> None:
    text = f"<html>\n{'x' * 900}\n{'y' * 1200}\n{table(ROWS)}"
    assert unfold(text) == (text, [])


def test_blank_cells_beside_group_headings_do_not_make_a_row_of_data() -> None:
    groups = '<td>&#160;</td><th colspan="3">Waits</th></tr><tr>' + "".join(
        f"<th>{heading}</th>" for heading in HEADINGS
    )
    assert [r.values() for r in report(table(ROWS, groups)).tables["buffer_waits"]] == VALUES


def test_captions_in_plain_text_name_the_tables_of_the_summary() -> None:
    text = (
        '<h2 class="awr">Report Summary</h2>\n<p />Host CPU<p />\n'
        "<table><tr><th>Load Average Begin</th>"
        "<th>%Idle</th></tr><tr><td>1.90</td><td>84.8</td></tr></table>"
    )
    (row,) = report(text).tables["host_cpu"].rows
    assert row.values() == {"load_begin": 1.9, "idle_pct": 84.8}


def test_a_nested_table_is_a_table_of_its_own() -> None:
    inner = "<table><tr><td>inner</td></tr></table>"
    assert read(f"{TITLE}<table><tr><td>a{inner}</td><td>b</td></tr></table>") == [
        [["ainner", "b"]],
        [["inner"]],
    ]
