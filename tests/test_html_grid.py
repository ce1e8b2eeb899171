"""Headings over several rows and columns stand over the columns that a browser shows them over."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from awrlens.report.html_tables import Spans, lay_out, spans, spread

ONE = Spans(1, 1)


def row(*cells: str | tuple[str, int, int]) -> list[tuple[str, Spans]]:
    return [(c, ONE) if isinstance(c, str) else (c[0], Spans(*c[1:])) for c in cells]


def test_a_group_stands_over_its_columns_alone() -> None:
    grid = lay_out([row("", ("Reads", 2, 1), ("Writes", 1, 1)), row("Berth", "MB", "Time", "MB")])
    assert grid.headings == ("Berth", "MB", "Time", "MB")
    assert grid.groups == ("", "Reads", "Reads", "Writes")
    assert not grid.wide


def test_a_heading_over_two_rows_keeps_the_next_row_out_of_its_column() -> None:
    grid = lay_out([row("", ("%Scan", 1, 2), ("OLTP", 2, 1)), row("Cell", "%Clean", "%Dirty")])
    assert grid.headings == ("Cell", "%Scan", "%Clean", "%Dirty")
    assert grid.groups == ("", "", "OLTP", "OLTP")


def test_a_heading_over_two_columns_is_that_of_the_last_and_marks_the_first() -> None:
    grid = lay_out([row("Cell", ("Average", 2, 1))])
    assert grid.headings == ("Cell", "Average *", "Average")
    assert grid.wide
    # a figure without a mark covers both columns, one with a mark has its own
    assert spread([("cel01", 1), ("4.1", 2)]) == (["cel01", "", "4.1"], [0, 1, 1])
    assert spread([("cel02", 1), ("^", 1), ("9.8", 1)]) == (["cel02", "^", "9.8"], [0, 1, 2])


def test_a_group_that_reaches_beyond_the_headings_makes_no_columns() -> None:
    grid = lay_out([row("", ("Times", 10, 1)), row("Disk", "Service", "Wait")], 3)
    assert grid.headings == ("Disk", "Service", "Wait")


def test_no_figure_gets_a_heading_where_the_headings_are_too_few_for_the_figures() -> None:
    """19c prints two headings less than figures in Smart IO; which ones, nobody can tell."""
    head = [row("", ("Offload", 3, 1), ("Passthru", 3, 1)), row("Cell", "%", "MB", "per Sec", "%")]
    assert lay_out(head, 7).headings == ()
    assert lay_out(head, 5).headings == ("Cell", "%", "MB", "per Sec", "%")


def test_spans_are_read_however_they_are_written() -> None:
    assert spans("<TH id=a colSpan=8>") == Spans(8, 1)
    assert spans('<th class="exa" rowspan = \'2\' COLSPAN="4">') == Spans(4, 2)
    assert spans("<th>") == ONE
    assert spans('<th colspan="0">') == ONE


@given(st.lists(st.lists(st.tuples(st.integers(0, 120), st.integers(0, 120)), max_size=6)))
def test_any_spans_give_a_group_for_each_heading(rows: list[list[tuple[int, int]]]) -> None:
    grid = lay_out([[("h", spans(f"<th colspan={c} rowspan={r}>")) for c, r in r_] for r_ in rows])
    assert len(grid.headings) == len(grid.groups)
