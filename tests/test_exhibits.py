"""What pictures are made of: the numbers are the report's, and those of the facts."""

from __future__ import annotations

import pytest
import samples
from corpus import Entry, analysis_of, over, report_of

from awrlens import api
from awrlens.model.chart_data import Exhibits
from awrlens.report.frames import of_cells, of_lines


def shown(name: str) -> Exhibits:
    return api.exhibits(samples.report(name), samples.analysis(name))


@pytest.mark.parametrize("name", ["redo-disk.awr-11.2.txt", "redo-disk.awr-19c.html"])
def test_shares_of_waits_by_duration_are_those_of_the_facts(name: str) -> None:
    facts = samples.analysis(name).facts
    writes = next(e for e in shown(name).latencies if e.event == "log file parallel write")

    assert sum(bucket.pct for bucket in writes.buckets) == pytest.approx(100, abs=0.01)
    p95 = facts["redo.write_p95_ms"].number
    below = sum(b.pct for b in writes.buckets if b.to_ms is not None and b.to_ms <= (p95 or 0))
    assert below >= 95
    assert samples.report(name).line is not None
    assert writes.line


@pytest.mark.parametrize("name", ["undo-disk.awr-11.2.txt", "temp-sort-disk.awr-19c.html"])
def test_tablespaces_are_named_for_what_they_hold_and_add_up_to_the_facts(name: str) -> None:
    facts = samples.analysis(name).facts
    spaces = shown(name).tablespaces

    temp = [each for each in spaces if each.kind == "temp"]
    undo = [each for each in spaces if each.kind == "undo"]
    assert sum(e.reads for e in temp) == facts["temp.reads"].number
    assert sum(e.writes for e in undo) == facts["undo.tablespace_writes"].number
    amounts = [each.reads + each.writes for each in spaces]
    assert amounts == sorted(amounts, reverse=True)


def test_undo_over_time_begins_with_the_earliest() -> None:
    slices = shown("undo-disk.awr-11.2.txt").undo

    assert slices[0].end_time == "29-Aug 21:41"
    assert slices[-1].end_time == "30-Aug 00:51"
    assert max(each.max_query_s or 0 for each in slices) == 11_467


def test_the_curve_goes_through_what_the_advisory_prints() -> None:
    curve = shown("redo-accelerator.awr-11.2.txt").curve
    assert curve is not None
    assert curve.now_s == 71
    targets = [point.target_s for point in curve.points]
    assert targets == sorted(targets)
    printed = [p for p in curve.points if p.printed]
    assert len(printed) >= 3
    costs = [point.writes_per_s for point in curve.points]
    assert costs == sorted(costs, reverse=True)  # a stricter target never costs less


def test_a_report_over_a_restart_has_no_differences_to_draw() -> None:
    found = shown("redo-restart.statspack-9.2.lst")

    assert not found.latencies
    assert not found.tablespaces
    assert not found.undo
    assert not found.devices
    assert found.sections  # what is printed is still there to be read


@pytest.mark.parametrize("name", samples.ALL)
def test_every_section_with_a_table_can_be_looked_at(name: str) -> None:
    listed = [each for each in samples.report(name).listing() if each["rows"]]
    tables = shown(name).sections

    assert {each["title"] for each in listed} <= {each.title for each in tables}
    rows = {each["name"]: each["rows"] for each in listed if each["name"]}
    assert rows == {each.name: len(each.rows) for each in tables if each.name and each.rows}


def test_a_cell_that_is_printed_twice_in_its_line_is_told_by_its_heading() -> None:
    lines = [
        "          Target   Log Sz",
        "        RedoBlks RedoBlks",
        "- ----- -------- --------",
        "E    19    92160    92160",
    ]

    target = of_lines(lines, 3, "92160", "Target RedoBlks")
    size = of_lines(lines, 3, "92160", "Log Sz RedoBlks")
    unknown = of_lines(lines, 3, "92160", "Something else")

    assert (target.begin, target.end) == (11, 16)
    assert (size.begin, size.end) == (20, 25)
    assert unknown.begin == unknown.end  # rather no mark than a wrong one
    assert target.above == tuple(lines[:3])


def test_cells_of_html_stand_under_their_headings() -> None:
    around = of_cells(["Event", "Waits"], ["log file sync", "18"], 1)

    assert around.above == ("Event         | Waits",)
    assert around.line == "log file sync | 18"
    assert around.line[around.begin : around.end] == "18"


@over("statspack-text", "awr-text", "awr-html", "awr-pdb-html", "awr-rac-global-html",
      "awr-diff-text", "awr-diff-html")  # fmt: skip
def test_every_real_report_can_be_shown(entry: Entry) -> None:
    analysis = analysis_of(entry.path)
    found = api.exhibits(report_of(entry.path), analysis)

    for each in found.latencies:
        assert sum(bucket.pct for bucket in each.buckets) == pytest.approx(100, abs=1)
    assert found.sections
    for finding in analysis.findings:
        for fact in finding.facts:
            for item in fact.evidence:
                around = item.excerpt
                marked = around.line[around.begin : around.end]
                assert marked in ("", " ".join(item.text.split())) or "…" in marked
