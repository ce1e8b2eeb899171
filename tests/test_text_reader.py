"""Text reports: tables by their rulers, sections by their titles, every line accounted for."""

from __future__ import annotations

from typing import TYPE_CHECKING

import accounted
import pytest
from hypothesis import given
from hypothesis import strategies as st

from awrlens import api
from awrlens.grammar import catalogue
from awrlens.report.report import Report
from awrlens.report.ruler import RULER, cut, spans
from awrlens.report.text_reader import Lines, TextReader, is_note
from awrlens.source.kind import Kind
from awrlens.source.open import Source

if TYPE_CHECKING:
    from pathlib import Path

TITLE = "Latch Activity  DB/Inst: PEARL/pearl1  Snaps: 412-413"
END = "          -------------------------------------------------------------"

WORD = st.text(alphabet="abcdefgXYZ0123456789$#_/().:+", min_size=1, max_size=9).filter(
    lambda word: bool(word.strip("#"))
)
NAME = st.lists(WORD, min_size=1, max_size=3).map(" ".join).map(lambda name: f"n{name}")
FIGURE = st.one_of(
    st.integers(0, 10**9).map("{:,}".format),
    st.floats(0, 10**4).map("{:.2f}".format),
    st.just(""),
    st.just("N/A"),
    st.just("######"),
)


def report(text: str) -> Report:
    return Report(Source("specimen", text), Kind("awr-text", html=False, at=0))


@st.composite
def printed_tables(draw: st.DrawFn) -> tuple[list[str], list[list[str]], str]:
    """Headings, cells, and the table as SQL*Plus prints it under its ruler."""
    count = draw(st.integers(1, 6))
    headings = [draw(NAME) for _ in range(count + 1)]
    rows = [
        [draw(NAME), *[draw(FIGURE) for _ in range(count)]] for _ in range(draw(st.integers(1, 8)))
    ]
    widths = [
        max(len(heading), *(len(row[n]) for row in rows)) + draw(st.integers(0, 4))
        for n, heading in enumerate(headings)
    ]

    def line(cells: list[str]) -> str:
        first = cells[0].ljust(widths[0])
        rest = [cell.rjust(width) for cell, width in zip(cells[1:], widths[1:], strict=True)]
        return " ".join([first, *rest]).rstrip()

    lines = [TITLE, "", line(headings), " ".join("-" * width for width in widths)]
    return headings, rows, "\n".join([*lines, *map(line, rows), END, ""])


@given(printed_tables())
def test_a_printed_table_is_read_back_cell_by_cell(
    printed: tuple[list[str], list[list[str]], str],
) -> None:
    headings, rows, text = printed
    (section,) = TextReader(text).sections
    (table,) = section.tables("table")
    assert list(table.headings) == headings
    assert [row.cells for row in table.rows()] == rows
    assert accounted.unread(section, "table") == []


@given(printed_tables(), st.integers(1, 7))
def test_a_table_over_several_pages_is_one_table(
    printed: tuple[list[str], list[list[str]], str], at: int
) -> None:
    headings, rows, text = printed
    lines = text.split("\n")
    head, body = lines[:4], lines[4:]
    broken = "\n".join(
        [*head, *body[:at], *([f"\f{TITLE}", *head[1:]] if at < len(rows) else []), *body[at:]]
    )
    (section,) = TextReader(broken).sections
    (table,) = section.tables("table")
    assert list(table.headings) == headings
    assert [row.cells for row in table.rows()] == rows


@given(st.text(max_size=400))
def test_no_text_makes_the_reader_fail(text: str) -> None:
    for layout in ("table", "labels", "sql", "above"):
        for section in TextReader(f"{TITLE}\n{text}").sections:
            for table in section.tables(layout):
                assert table.headings is not None
                assert all(len(row.cells) > 0 for row in table.rows())
            accounted.unread(section, layout)
            section.notes()


@given(st.text(alphabet="-~ ab1.,:\n>", max_size=300))
def test_no_arrangement_of_rulers_makes_the_reader_fail(text: str) -> None:
    for layout in ("table", "labels", "sql", "above"):
        for section in TextReader(f"{TITLE}\n{text}").sections:
            assert all(isinstance(table.rows(), list) for table in section.tables(layout))
            accounted.unread(section, layout)


LATCHES = f"""{TITLE}
->"Get Requests" are for willing-to-wait latch get requests

                                           Pct    Avg   Wait                 Pct
                              Get          Get   Slps   Time       NoWait NoWait
Latch                       Requests      Miss  /Miss    (s)     Requests   Miss
------------------------ -------------- ------ ------ ------ ------------ ------
redo allocation               1,414,618    0.4    0.1      2            0
redo copy                             9   11.1    1.0      0    1,300,112    0.2
{END}
"""


def test_headings_over_several_lines_are_joined_by_column() -> None:
    table = report(LATCHES).tables["latch_activity"]
    assert [c.heading for c in table.columns][:3] == ["Latch", "Get Requests", "Pct Get Miss"]


def test_a_table_of_one_column_is_read_by_its_first_cell() -> None:
    (section,) = TextReader(f"{TITLE}\n\nName      \n----------\nredo copy\n{END}").sections
    (table,) = section.tables("table")

    assert [row.cells for row in table.rows()] == [["redo copy"]]


@pytest.mark.parametrize(("second", "again"), [("2.0", {"redo copy"}), ("1.0", set())])
def test_a_row_over_two_lines_that_is_there_twice_is_known_if_its_figures_differ(
    second: str, again: set[str]
) -> None:
    heads = ["Latch", "----------------", "Get Requests Pct Get Miss", "------------ ------------"]
    figures = f"{100:>12} {{:>12}}"
    rows = ["redo copy", figures.format("1.0"), "redo copy", figures.format(second)]
    table = report("\n".join([TITLE, "", *heads, *rows, END])).tables["latch_activity"]

    assert len(table) == 2
    assert table.disputes == again


def test_evidence_names_the_line_of_the_source() -> None:
    table = report(LATCHES).tables["latch_activity"]
    row = table.row("redo copy")
    assert row is not None
    cell = row.cell("nowait_gets")
    assert cell is not None
    assert (cell.text, cell.value, table.line_of(cell)) == ("1,300,112", 1_300_112, 9)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda text: text.replace("\n", "\r\n"),
        lambda text: f"\f{text}",
        lambda text: "".join(f"{n}:{line}\n" for n, line in enumerate(text.split("\n"), 1)),
        lambda text: "".join(f"{n}-{line}\n" for n, line in enumerate(text.split("\n"), 1)),
        lambda text: text.replace("redo copy       ", "redo copy\t"),
        lambda text: text.replace("        ", "\t") if text.index("        ") % 8 == 0 else text,
        lambda text: f"SQL> @spreport\nEnter value for report_name: x\n{text}\nSQL> exit\n",
        lambda text: text.replace(
            TITLE, "Latch Activity for DB: PEARL  Instance: pearl1  Snaps: 4 -5"
        ),
        lambda text: text.replace(
            TITLE, "Latch Activity                          DB/Inst: PEARL/pearl1  Sn"
        ),
    ],
    ids=["crlf", "form-feed", "grep-n", "grep-context", "tab", "tabs", "spooled", "old-title",
         "cut-title"],
)  # fmt: skip
def test_what_editors_and_spooling_do_to_a_file_changes_nothing(spoil: object) -> None:
    assert callable(spoil)
    table = report(spoil(LATCHES)).tables["latch_activity"]
    expected = report(LATCHES).tables["latch_activity"]
    assert [row.values() for row in table] == [row.values() for row in expected]


def test_a_foreign_line_is_neither_a_row_nor_forgotten() -> None:
    text = LATCHES.replace("redo copy  ", "ORA-01555: snapshot too old: segment 7\nredo copy  ")
    read = report(text)
    assert read.tables["latch_activity"].keys() == ["redo allocation", "redo copy"]
    (section,) = read.sections
    assert accounted.unread(section, "table") == [9]


def test_a_section_does_not_swallow_the_one_after_it() -> None:
    text = LATCHES.replace(f"{END}\n", "") + LATCHES.replace("Latch Activity", "Mutex Activity")
    titles = [
        (section.title, len(section.tables("table")[0].rows())) for section in report(text).sections
    ]
    assert titles == [("Latch Activity", 2), ("Mutex Activity", 2)]


def test_a_section_without_a_description_is_listed_and_can_be_read() -> None:
    read = report(LATCHES.replace("Latch Activity", "Mutex Activity"))
    assert list(read.tables) == []
    table = read["Mutex Activity"]
    assert table.name is None
    assert table.rows[1].text("Latch") == "redo copy"


def test_a_heading_without_a_description_is_kept_as_a_column() -> None:
    read = report(LATCHES.replace("  Miss  /Miss ", "  Miss  /Tide "))
    table = read.tables["latch_activity"]
    assert accounted.undescribed(table) == ["Avg Slps /Tide"]
    assert table.rows[1].values()["Avg Slps /Tide"] == "1.0"


def test_a_name_cut_to_its_column_is_found_by_its_whole_name() -> None:
    text = LATCHES.replace("redo allocation         ", "transaction branch alloc")
    table = report(text).tables["latch_activity"]
    assert table.keys()[0] == "transaction branch alloc"
    assert table.row("transaction branch allocation") is not None
    assert table.row("transaction branch deallocation") is None
    assert table.row("redo") is None


def test_a_row_that_the_ruler_does_not_fit_is_cut_by_its_words() -> None:
    columns = spans(" - -------- --------- ---------")
    assert cut("B Freeable      41.3        .0", columns) == ["B", "Freeable", "41.3", ".0"]
    assert cut("  Other        210.6       N/A", columns) == ["", "Other", "210.6", "N/A"]
    squeezed = spans("------------------------ ---------- ------")
    assert cut("redo allocation 1,414,618 0.4", squeezed) == ["redo allocation", "1,414,618", "0.4"]
    assert cut("End of the report is near, dear reader", squeezed) is None


def test_figures_of_two_columns_without_a_blank_between_them_are_no_figure() -> None:
    columns = spans("- -------- -------- --------- ---------")
    assert cut("E    92160    92160    944911      N/A", columns) is not None
    assert cut("E    92160    921609449118      N/A", columns) is None
    # commas in their places show one figure, which was too long for its column
    assert cut("E          921,609,449,118             7", columns) is not None


def test_overflown_figures_that_touch_their_neighbours_stay_in_their_columns() -> None:
    columns = spans("--- ----- ----------- -----------")
    assert cut("D    97.1############ 214,886,531", columns) == [
        "D",
        "97.1",
        "###########",
        "214,886,531",
    ]


def test_sections_that_print_no_data_are_missing_and_say_why() -> None:
    title = TITLE.replace("Latch Activity", "MTTR Advisory")
    read = report(f"{title}\n\n          No data exists for this section of the report.\n{END}")
    assert read.tables.get("mttr_advisory") is None
    assert (
        read.why_missing("mttr_advisory")
        == "section MTTR Advisory is in the report, but has no data"
    )
    assert read.why_missing("undo_stats") == "section Undo Segment Stats is not in the report"


def test_our_own_samples_leave_no_line_unread(pytestconfig: pytest.Config) -> None:
    folder: Path = pytestconfig.rootpath / "sample_reports"
    samples = [p for p in sorted(folder.iterdir()) if p.suffix in (".txt", ".lst")]
    assert samples
    for sample in samples:
        read = api.load(sample)
        for section in read.sections:
            layouts = {catalogue.load().section(n).layout for n in read.names_of(section)}
            left = [set(accounted.unread(section, layout)) for layout in layouts]
            assert not (set.intersection(*left) if left else set()), (sample.name, section.title)


MARKED = st.lists(
    st.sampled_from(["->", "Warning:", "Note: ", "DB", "\n", " ", "a", "-", "--- ", "~"]),
    max_size=30,
)


@given(MARKED.map("".join))
def test_lines_with_marks_are_those_that_a_look_at_every_line_finds(text: str) -> None:
    lines = Lines(text, ("DB", "->"))
    naive = [at for at, line in enumerate(lines) if "->" in line or "DB" in line]
    assert lines.marked == naive
    assert lines.rulers == [at for at, line in enumerate(lines) if RULER.match(line)]
    notes = [at for at in range(1, len(lines)) if is_note(lines[at])]
    assert lines.notes(1, len(lines)) == notes
