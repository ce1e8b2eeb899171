"""Global Mem Bound at both snapshots: it falls where memory for work areas gets short."""

from __future__ import annotations

import pytest
from corpus import CORPUS, analysis_of
from figures import facts, section

HEADINGS = ("", "PGA Aggr Target(M)", "PGA Mem Alloc(M)", "Global Mem Bound(K)")


@pytest.mark.parametrize(
    ("rows", "begin", "end"),
    [
        (["B | 900 | 400 | 102,400", "E | 900 | 880 | 1,024"], 100, 1),
        (["B | 900 | 400 | 102,400"], 100, None),
        (["E | 900 | 880 | 1,024"], None, 1),
    ],
)
def test_each_snapshot_has_its_own_bound(
    rows: list[str], begin: float | None, end: float | None
) -> None:
    found = facts(section("PGA Aggr Target Stats", HEADINGS, rows))

    assert found["pga.work_area_bound_begin_mb"].value == begin
    assert found["pga.work_area_bound_mb"].value == end


@pytest.mark.corpus
@pytest.mark.skipif(
    not CORPUS.is_dir(), reason="the corpus of real reports is not at ../shared/corpus"
)
def test_a_real_bound_fell_from_307_to_1_mb() -> None:
    found = analysis_of(CORPUS / "awr-html_10.2.0.5.0_01.html").facts

    assert found["pga.work_area_bound_begin_mb"].number == pytest.approx(314_570 / 1024)
    assert found["pga.work_area_bound_mb"].value == 1
