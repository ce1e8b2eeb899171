"""Comparisons of real reports: of one with itself, of one interval printed twice, of hours."""

from __future__ import annotations

import re
from functools import cache

import corpus
import pytest

from awrlens import api
from awrlens.model.comparison import CHANGED, Reading
from awrlens.report.report import Report

SINGLE = ("statspack-text", "awr-text", "awr-html", "awr-pdb-html", "awr-rac-global-html")
SWAPPED = {"better": "worse", "worse": "better"}


@cache
def reading(entry: corpus.Entry) -> Reading:
    return api.read(corpus.report(entry))


@corpus.over(*SINGLE)
def test_a_report_compared_with_itself_has_no_change(entry: corpus.Entry) -> None:
    found = api.compare([reading(entry)], [reading(entry)])

    assert {"same"} >= {each.verdict for each in found.facts}
    assert {"same"} >= {each.verdict for each in found.events}
    assert () == found.said
    assert {"restart within the interval"} >= {each.what for each in found.unfair}


@corpus.over("awr-diff-html", "awr-diff-text")
def test_periods_compared_backwards_swap_the_signs(entry: corpus.Entry) -> None:
    first, second = ([api.read(part)] for part in corpus.report(entry).periods)
    there, back = api.compare(first, second), api.compare(second, first)

    returned = {(each.fact, each.per): each.verdict for each in back.facts}
    for each in there.facts:
        assert SWAPPED.get(each.verdict, each.verdict) == returned[each.fact, each.per], each.fact
    assert {e.event: SWAPPED.get(e.verdict, e.verdict) for e in there.events} == {
        e.event: e.verdict for e in back.events
    }
    assert there.facts
    there.to_dict()


def sets() -> dict[str, list[corpus.Entry]]:
    """Reports of one kind and release, in the index's order."""
    found: dict[str, list[corpus.Entry]] = {}
    for entry in corpus.entries("statspack-text", "awr-html"):
        found.setdefault(f"{entry.kind} {entry.release}", []).append(entry)
    return {name: each for name, each in found.items() if len(each) > 1}


def twins() -> list[tuple[Report, Report]]:
    """One interval of one instance as AWR and as Statspack print it, minutes apart at most."""
    single = [corpus.report(e) for e in corpus.entries("statspack-text", "awr-html") if not e.rac]
    return [
        (awr, statspack)
        for awr in single
        for statspack in single
        if awr.kind == "awr-html"
        and statspack.kind == "statspack-text"
        and awr.identity.db_id == statspack.identity.db_id
        and str(awr.identity.begin_time)[:15] == str(statspack.identity.begin_time)[:15]
    ]


@pytest.mark.corpus
@pytest.mark.skipif(not sets(), reason="the corpus of real reports is not there")
def test_awr_and_statspack_of_one_interval_differ_by_noise_only() -> None:
    found = [api.compare([api.read(a)], [api.read(b)]) for a, b in twins()]

    assert found
    for each in found:
        assert [] == [m.fact for m in each.main if m.verdict in ("better", "worse")]
        assert [] == [e.event for e in each.events if e.verdict in CHANGED and e.significant]
        assert {"kind of report", "time"} <= {u.what for u in each.unfair}


@corpus.over("awr-diff-html", "awr-diff-text")
def test_a_change_of_db_time_per_second_comes_with_that_of_the_transactions(
    entry: corpus.Entry,
) -> None:
    """Twice the DB time for twice the transactions is load, not a slower database."""
    first, second = ([api.read(part)] for part in corpus.report(entry).periods)
    found = api.compare(first, second)
    lead = next((each for each in found.said if each.about == "load.response_s"), None)
    if lead is None or found.basis.per != "second":
        return
    rates = [side[0].facts["load.transactions_per_s"].number for side in (first, second)]
    assert all(rates)

    ratio = (rates[1] or 0) / (rates[0] or 1)
    gist = re.sub(r" \(commits [^)]*\)", "", lead.gist)
    listed = re.search(r"[Tt]ransactions.*?(× \d+(?:\.\d+)?|[+−]\d+ %|unchanged)", gist)
    whole = re.search(r"The work is (\d+)(?: to (\d+))? % (more|less)", lead.gist)
    change = (ratio - 1) * 100
    if whole:
        ends = [
            int(each) * (1 if whole[3] == "more" else -1) for each in whole.groups()[:2] if each
        ]
        assert min(ends) - 1 < change < max(ends) + 1
    elif listed and "%" in listed[1]:
        assert pytest.approx(change, abs=0.5) == int(listed[1].strip(" %").replace("−", "-"))
    elif listed and "×" in listed[1]:
        assert pytest.approx(ratio, rel=0.05) == float(listed[1].strip("× "))
    else:
        assert abs(change) < 5
