"""Every real report of the corpus is read, and nothing in it is overlooked."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import accounted
import pytest
from corpus import CORPUS, Entry, entries, over, report
from selectolax.lexbor import LexborHTMLParser, LexborNode

from awrlens.report.html_reader import HtmlReader, HtmlSection
from awrlens.report.html_tables import HtmlTable, clean

if TYPE_CHECKING:
    from collections.abc import Iterator

    from awrlens.report.columns import Column
    from awrlens.report.report import Report
    from awrlens.report.table import Row

TEXT = ("statspack-text", "awr-text")
HTML = ("awr-html", "awr-pdb-html")
ALL = (*TEXT, *HTML)
#: Reports of several parts: periods, instances.
COMPARED = ("awr-diff-text", "awr-diff-html")
CLUSTERS = ("awr-rac-global-text", "awr-rac-global-html")
PAGES = (*HTML, "awr-diff-html", "awr-rac-global-html")

#: A report over a restart: Oracle's own errors stand in the header, which has no interval.
OVER_A_RESTART = "statspack-text_9.2.0.1.0_01.lst"
#: Lines that may stay unread: PL/SQL's complaint in that header.
UNREAD = {
    OVER_A_RESTART: {"STATSPACK report for": 11},
    "statspack-text_12.1.0.2.0_01.txt": {"SQL ordered by Version Count": 4},
}
#: Cells that hold no number although something is printed, besides N/A and ``####``.
NOT_A_NUMBER = {("cache_sizes", "value", "K")}  # 12.1.0.2 lost the block size's digit
_BLANKS = re.compile(r"\s+")


@over(*ALL)
def test_every_described_section_is_found_by_its_headings_alone(entry: Entry) -> None:
    """Every table under a described title belongs to a description that knows its headings."""
    read = report(entry)
    for section in read.sections:
        names = read.names_of(section)
        layouts = {read.catalogue.section(name).layout for name in names}
        if not names or "labels" in layouts:
            continue
        owned = {raw.at for _, raw, _ in read._contents.assigned(section)}
        for layout in layouts:
            strangers = [t.headings for t in section.tables(layout) if t.at not in owned]
            assert not strangers, section.title


@over(*ALL)
def test_no_heading_of_a_described_section_is_unknown(entry: Entry) -> None:
    read = report(entry)
    unknown = {name: accounted.undescribed(read.tables[name]) for name in read.tables}
    assert not {name: headings for name, headings in unknown.items() if headings}


@over(*ALL)
def test_every_printed_figure_is_read_as_a_number(entry: Entry) -> None:
    """A cell of a numeric column is a number, blank, N/A or an overflow (``####``)."""
    unreadable = [
        (name, column.name, text)
        for name, row, column in cells(report(entry))
        if (text := row.text(column.name or "").strip())
        and row.value(column.name or "") is None
        and text != "N/A"
        and text.strip("#")
        and not is_impossible(text, column)
    ]
    assert not set(unreadable) - NOT_A_NUMBER


def is_impossible(text: str, column: Column) -> bool:
    """Whether a counter has wrapped, an integer has lost its `K`, or 200 % of waits timed out."""
    return (
        text.startswith("-")
        or (column.unit == "%" and text == "200")
        or (column.type == "int" and re.fullmatch(r"[\d,]*\.\d+", text) is not None)
    )


def cells(read: Report) -> Iterator[tuple[str, Row, Column]]:
    """Every numeric cell of the tables (the snapshots' labels share columns of many types)."""
    for name in read.tables:
        table = read.tables[name]
        numeric = [c for c in table.columns if c.name and c.type in ("int", "float")]
        if name != "snapshots":
            yield from ((name, row, column) for row in table for column in numeric)


@over(*TEXT)
def test_every_line_of_a_described_section_is_accounted_for(entry: Entry) -> None:
    read = report(entry)
    unread: dict[str, int] = {}
    for section in read.sections:
        layouts = {read.catalogue.section(name).layout for name in read.names_of(section)}
        left = [set(accounted.unread(section, layout)) for layout in layouts]
        lines = set.intersection(*left) if left else set()
        if lines:
            unread[section.title] = len(lines)
    assert unread == UNREAD.get(entry.file, {})


def parts_of(entry: Entry) -> tuple[Report, ...]:
    """The report itself, or its periods, or its cluster and instances."""
    read = report(entry)
    return read.periods or (read.cluster, *read.instances)


@over(*COMPARED, *CLUSTERS)
def test_no_section_with_rows_is_undescribed_in_any_part(entry: Entry) -> None:
    for part in parts_of(entry):
        strangers = [each for each in part.listing() if each["name"] is None and each["rows"]]
        assert not strangers


@over(*COMPARED, *CLUSTERS)
def test_every_figure_of_every_part_is_read_as_a_number(entry: Entry) -> None:
    for part in parts_of(entry):
        unreadable = {
            (name, column.name, text)
            for name, row, column in cells(part)
            if (text := row.text(column.name or "").strip())
            and row.value(column.name or "") is None
            and text not in ("N/A", "-")
            and not is_impossible(text, column)
            and not text.startswith("<")  # ``<0.01(902)``: less than can be printed
            and text.strip("#")
        }
        assert not unreadable


@over(*PAGES)
def test_html_cells_are_those_of_an_independent_parser(entry: Entry) -> None:
    """Lexbor builds the tree that the HTML standard prescribes, for broken markup too."""
    reader = report(entry)._reader
    assert isinstance(reader, HtmlReader)
    ours = [
        table
        for section in reader.sections
        if isinstance(section, HtmlSection)
        for table in section.own
    ]
    theirs = LexborHTMLParser(reader.text).css("table")
    assert len(ours) == len(theirs)
    for mine, other in zip(ours, theirs, strict=True):
        rows = list(their_rows(other))
        assert list(our_rows(reader.text, mine)) == rows, reader.line(mine.at)
        if mine._grid is None:  # else cells over several columns are repeated
            data = [[_BLANKS.sub(" ", cell) for cell in row.cells] for row in mine.rows()]
            assert data == rows[len(rows) - len(data) :], reader.line(mine.at)


def our_rows(text: str, table: HtmlTable) -> Iterator[list[str]]:
    at = table._start
    while True:
        row, at = table._next_row(at, table.end)
        if row is None:
            return
        if row:
            yield [_BLANKS.sub(" ", clean(text[a:b])) for _, a, b in row]


def their_rows(table: LexborNode) -> Iterator[list[str]]:
    for row in table.css("tr"):
        parent = row.parent
        while parent is not None and parent.tag != "table":
            parent = parent.parent
        if parent is None or parent.mem_id != table.mem_id:
            continue  # a nested table's row
        cells = [node for node in row.iter() if node.tag in ("td", "th")]
        if cells:
            yield [_BLANKS.sub(" ", cell.text(deep=True)).strip() for cell in cells]


@pytest.mark.corpus
def test_the_corpus_is_listed_whole_where_it_is_there() -> None:
    if not CORPUS.exists():
        pytest.skip("the corpus of real reports is not at ../shared/corpus")
    assert len(entries(*HTML, *TEXT)) > 50
