"""Every text, cut on the right or joined with another: no figure is wrong.

What is missing is unavailable; a text whose tables are cut is refused. A check that ended after
three whole tables let reports cut at columns 76 and 79 through.
"""

from __future__ import annotations

import itertools

import corpus
import pytest

from awrlens import api
from awrlens.report.report import Report

pytestmark = pytest.mark.outside

TEXTS = corpus.over("statspack-text", "awr-text")
WIDTHS = (60, 70, 74, 76, 78, 79, 80, 90, 100, 120)


#: SQL text is 80 columns wide: without the last, statements may differ in more than literals.
BY_TEXT = ("load.cpu_sql", "load.cpu_sql_pct", "load.cpu_sql_time_pct", "load.searching_cpu_sql")


def values(report: Report) -> dict[str, object]:
    facts = api.facts_of(report)
    return {name: fact.value for name, fact in facts.items()
            if fact.value is not None and name not in BY_TEXT}  # fmt: skip


def read(content: bytes) -> list[Report]:
    return [each for each in api.load_all(content, "x") if isinstance(each, Report)]


@TEXTS
@pytest.mark.parametrize("width", WIDTHS)
def test_a_text_that_is_cut_on_the_right_has_the_same_figures_or_is_refused(
    entry: corpus.Entry, width: int
) -> None:
    content = entry.path.read_bytes()
    whole = values(corpus.report(entry))
    cut = b"\n".join(line.rstrip(b"\r")[:width] for line in content.split(b"\n"))
    for report in read(cut):
        _expect(values(report), whole)


PAIRS = list(itertools.pairwise(TEXTS.args[1]))[::2]


@pytest.mark.parametrize(("one", "other"), [(a.values[0], b.values[0]) for a, b in PAIRS],
                         ids=[f"{a.id} {b.id}" for a, b in PAIRS])  # fmt: skip
def test_two_texts_in_one_have_the_figures_of_either(
    one: corpus.Entry, other: corpus.Entry
) -> None:
    known = [values(corpus.report(each)) for each in (one, other)]
    for report in read(one.path.read_bytes() + b"\n" + other.path.read_bytes()):
        found = values(report)
        own = max(known, key=lambda each: sum(each.get(name) == found[name] for name in found))
        _expect(found, own)


def _expect(found: dict[str, object], whole: dict[str, object]) -> None:
    assert not {name: (found[name], whole[name]) for name in found
                if name in whole and found[name] != whole[name]}  # fmt: skip
