"""Percentiles and tails out of histograms: the buckets hold the truth, in every layout."""

from __future__ import annotations

import dataclasses
import math
import re
from typing import Any

import pytest
import samples
from corpus import CORPUS, analysis_of
from examples import at_most
from hypothesis import given
from hypothesis import strategies as st
from test_excerpts import facts as facts_of_text
from test_samples import DISK, generate

from awrlens import api
from awrlens.model import Fact, with_parts
from awrlens.render import first_screen

#: Cells are rounded to 0.1 %, and at most eight are added.
ROUNDED_PCT = 8 * 0.05 + 1e-6

COUNTS = """\
STATSPACK report for

Wait Event Histogram  DB/Inst: PEARL/pearl1  Snaps: 412-413
-> ordered by event (idle events last)

Event
--------------------------------------------------
    0 - 1 ms     1 - 4 ms    4 - 8 ms    8 - 16 ms    16 - 32 ms      32+ ms
------------ ------------ ------------ ------------ ------------ ------------
log file parallel write
         100          800           50           30           15            5
log file sync
          40           30           10           10            5            5
          -------------------------------------------------------------
"""


@st.composite
def workloads(draw: st.DrawFn) -> Any:
    """The redo test with log writes and commits of any average and any spread."""
    events = [
        dataclasses.replace(
            event,
            waits=draw(st.integers(1000, 10**6)),
            time_us=draw(st.integers(10**6, 10**10)),
            sigma=draw(st.floats(0.1, 2.0)),
        )
        if event.name == "log file parallel write"
        else event
        for event in DISK.events
    ]
    return dataclasses.replace(DISK, events=tuple(events))


@st.composite
def spreads(draw: st.DrawFn) -> Any:
    """The redo test with slow log writes on average, alike or of very different lengths.

    LGWR is one process: its waits cannot be longer than the interval.
    """
    sigma, mean_us = draw(st.floats(0.1, 3.0)), draw(st.integers(10_000, 200_000))
    most = min(200_000, int(DISK.elapsed_s * 10**6) // mean_us)
    waits = draw(st.integers(5_000, most))
    events = [
        dataclasses.replace(event, waits=waits, time_us=waits * mean_us, sigma=sigma)
        if event.name == "log file parallel write"
        else event
        for event in DISK.events
    ]
    return dataclasses.replace(DISK, events=tuple(events))


@pytest.mark.parametrize("layout", ["awr-11.2.txt", "awr-19c.html"])
@at_most(25)
@given(workload=spreads())
def test_a_device_is_judged_by_its_median_and_never_by_a_few_long_writes(
    layout: str, workload: Any
) -> None:
    """The average is slow in all of them."""
    event = next(e for e in workload.events if e.name == "log file parallel write")
    found = api.analyze(api.load(generate.WRITERS[layout](workload).encode(), layout))
    average_ms, half_ms = (
        event.time_us / event.waits / 1000,
        found.facts["redo.write_p50_ms"].number,
    )
    blamed = {each.id for each in with_parts(found.findings)} & {"REDO001", "REDO014"}

    assert half_ms is not None
    if half_ms <= 8 and average_ms >= 2 * half_ms:
        assert not blamed
        assert found.verdicts.redo_storage != "apply"
        assert not {"relieve-log-device", "repair-write-path"} & {r.id for r in found.actions}
        most_ms = found.facts["redo.write_p95_ms"].number or 8
        fast = f"95 % within {most_ms:g} ms" if most_ms < 8 else f"half within {half_ms:g} ms"
        assert fast in " ".join(first_screen.tiles(found)[0].words)
    elif half_ms >= 32:
        assert "REDO001" in blamed


def bracket(fact: Fact) -> tuple[float, float]:
    low, high = re.findall(r"[\d.]+", fact.note)
    return float(low), float(high)


def below_pct(event: Any, bound_ms: float) -> float:
    """Share of an event's waits below a printed bound, which is a power of two of microseconds."""
    if not bound_ms:
        return 0.0
    last = round(math.log2(bound_ms * 1000))
    return float(sum(event.histogram[: last + 1]) * 100 / event.waits)


@pytest.mark.parametrize("layout", ["awr-11.2.txt", "statspack-11.2.txt", "awr-19c.html"])
@at_most(20)
@given(workload=workloads())
def test_percentiles_lie_in_the_bucket_and_tails_are_those_of_the_waits(
    layout: str, workload: Any
) -> None:
    event = next(e for e in workload.events if e.name == "log file parallel write")
    facts = api.facts_of(api.load(generate.WRITERS[layout](workload).encode(), layout))

    for percent in (50, 95, 99):
        fact = facts[f"redo.write_p{percent}_ms"]
        if fact.number is None:
            assert "last bucket" in fact.note
            continue
        low, high = bracket(fact)
        assert low < high == fact.number
        assert below_pct(event, low) < percent + ROUNDED_PCT
        assert below_pct(event, high) >= percent - ROUNDED_PCT
    for bound in (4, 16, 64):
        share = facts[f"redo.write_slower_{bound}ms_pct"].number
        if share is not None:
            assert share == pytest.approx(100 - below_pct(event, bound), abs=ROUNDED_PCT)
    order = [facts[f"redo.write_p{percent}_ms"].number for percent in (50, 95, 99)]
    assert sorted(x for x in order if x is not None) == [x for x in order if x is not None]


def test_counts_are_shares_of_all_waits_and_the_last_bucket_has_no_bound() -> None:
    facts = facts_of_text(COUNTS)

    assert facts["redo.write_p50_ms"].number == 4
    assert facts["redo.write_p50_ms"].note == "between 1 and 4 ms"
    assert facts["redo.write_p95_ms"].number == 8
    assert facts["redo.write_p99_ms"].number == 32
    assert facts["redo.write_slower_4ms_pct"].number == 10
    formula = "(50 + 30 + 15 + 5) waits × 100 / 1,000 waits = 10 %"
    assert facts["redo.write_slower_4ms_pct"].formula == formula
    assert facts["redo.write_slower_16ms_pct"].number == 2
    assert facts["redo.write_slower_64ms_pct"].number is None
    assert "between 0 and 0.5 % took longer" in facts["redo.write_slower_64ms_pct"].note
    assert facts["redo.sync_p99_ms"].status == "unavailable"
    assert "more than 1 %" in facts["redo.sync_p99_ms"].note


@pytest.mark.parametrize("layout", samples.LAYOUTS)
def test_a_report_without_histograms_says_so(layout: str) -> None:
    fact = samples.analysis(f"redo-disk.{layout}").facts["redo.write_p99_ms"]

    assert (fact.number is None) == (layout == "statspack-9.2.lst")
    if fact.number is None:
        assert "Wait Event Histogram" in fact.note


def test_half_of_figure_4s_writes_are_quicker_than_their_average_of_18_ms() -> None:
    facts = samples.analysis("redo-disk.awr-11.2.txt").facts

    assert bracket(facts["redo.write_p50_ms"]) == (8, 16)
    assert bracket(facts["redo.write_p95_ms"]) == (32, 64)


@pytest.mark.corpus
@pytest.mark.skipif(
    not CORPUS.is_dir(), reason="the corpus of real reports is not at ../shared/corpus"
)
@pytest.mark.parametrize(
    ("file", "name", "value"),
    [
        # 12.2 and later: three sections that refine each other
        ("awr-html_19.0.0.0.0-rac_03.html", "redo.write_p50_ms", 1),
        ("awr-html_19.0.0.0.0-rac_03.html", "redo.sync_p99_ms", 2048),
        ("awr-html_19.0.0.0.0-rac_03.html", "redo.sync_slower_64ms_pct", 2.0),
        # 11.2, text and HTML: one section and its details
        ("awr-text_11.2.0.3.0_01.txt", "redo.write_slower_4ms_pct", 0.7),
        ("awr-html_11.2.0.3.0_01.html", "redo.sync_p99_ms", 16),
        ("awr-html_11.2.0.4.0-rac_01.html", "redo.write_slower_16ms_pct", 72.3),
        # Statspack 12.1 and 10.1 (counts), and a cluster's report
        ("statspack-text_12.1.0.2.0_01.txt", "redo.write_slower_16ms_pct", 6.7),
        ("statspack-text_10.1.0.3.0_03.lst", "redo.write_slower_16ms_pct", 7 * 100 / 634),
        ("awr-rac-global-html_19.0.0.0.0-rac_02.html", "redo.sync_p99_ms", 8),
    ],
)
def test_the_tails_of_real_reports_are_those_read_by_hand(
    file: str, name: str, value: float
) -> None:
    assert analysis_of(CORPUS / file).facts[name].number == pytest.approx(value, abs=1e-6)
