"""Statements of text reports are joined as they were before SQL*Plus cut them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from awrlens.report.text_rows import statement

WORDS = st.lists(st.text("abcde_1", min_size=1, max_size=12), min_size=1, max_size=60)


@given(WORDS)
def test_a_statement_that_statspack_cut_reads_as_it_was(words: list[str]) -> None:
    """Statspack cuts after 64 letters; SQL*Plus then drops the blanks at a line's end."""
    whole = " ".join(words)
    lines = [whole[at : at + 64].rstrip() for at in range(0, len(whole), 64)]
    assert statement(lines, 64) == whole


@pytest.mark.parametrize(
    ("lines", "whole"),
    [
        (["select cargo from berths where berth_i", "d = :1"], "where berth_id = :1"),
        (["select cargo from berths where", "tide > :1"], "where tide > :1"),
        (["begin pilot(:ship, :tide); :left :", "= 1; end;"], ":left := 1; end;"),
        (["select ship, berth", ", tide from harbour"], "select ship, berth, tide from harbour"),
        (["select ship from harbour", "order by tide"], "from harbour order by tide"),
        (["select ship from harbour where tide =", "(select 4 from dual)"], "tide = (select 4"),
    ],
)
def test_a_word_that_awr_cut_below_its_width_stays_whole(lines: list[str], whole: str) -> None:
    """AWR cuts after 80 letters and then draws blanks together, so lines are shorter."""
    assert whole in statement(lines, 80)
