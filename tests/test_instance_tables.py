"""What a RAC report has of each instance is read for it, and is not said of the cluster."""

from __future__ import annotations

from pathlib import Path

import pytest
import samples

from awrlens import api
from awrlens.model import Fact
from awrlens.report.report import Report

SAMPLE = samples.FOLDER / "redo-cluster.awr-rac-11.2.html"
CACHES = (
    "Cache Sizes",
    ("", "DB Cache", "PGA Target", ""),
    ("I#", "Begin", "End", "Begin", "End", "Log Buffer"),
    (("1", "8,192", "", "1,024", "", "64"), ("2", "12,288", "12,000", "1,024", "", "32")),
)
PGA = (
    "PGA Aggregate Target Statistics",
    ("", "PGA Aggr Target", "PGA Mem Alloc", "Global Mem Bound"),
    ("I#", "Begin", "End", "Begin", "End", "Begin", "End"),
    (
        ("1", "1,024.00", "1,024.00", "2,045.95", "2,753.94", "30.32", "4.91"),
        ("2", "1,024.00", "2,048.00", "900.00", "950.00", "102.40", "102.40"),
    ),
)
EVENTS = (
    "Top Timed Foreground Events",
    ("", "Wait", "Event", "Wait Time"),
    ("I#", "Class", "Event", "Waits", "%Timeouts", "Total(s)", "Avg(ms)", "%DB time"),
    (
        ("*", "Commit", "log file sync", "300,000", "0.00", "600.00", "2.00", "3.73"),
        ("1", "Commit", "log file sync", "200,000", "0.00", "300.00", "1.50", "3.11"),
        ("2", "Commit", "log file sync", "100,000", "0.00", "300.00", "3.00", "4.66"),
    ),
)
Rows = tuple[tuple[str, ...], ...]
SPANS = {"": 1, "Log Buffer": 1, "Wait": 1, "Event": 2}


def table(title: str, groups: tuple[str, ...], headings: tuple[str, ...], rows: Rows) -> str:
    top = "".join(
        f"<td>{each}</td>" if not each else f'<th colspan="{SPANS.get(each, 2)}">{each}</th>'
        for each in groups
    )
    head = "".join(f"<th>{each}</th>" for each in headings)
    body = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>\n" for row in rows)
    return (
        f'<h3 class="awr">{title}</h3>\n<table border="0" class="tdiff">\n'
        f"<tr>{top}</tr>\n<tr>{head}</tr>\n{body}</table><p />\n"
    )


@pytest.fixture
def cluster(tmp_path: Path) -> Report:
    text = SAMPLE.read_text(encoding="utf-8")
    before = '<h3 class="awr">Foreground Wait Events (Global)</h3>'
    assert before in text
    more = "".join(table(*each) for each in (CACHES, PGA, EVENTS))
    path = tmp_path / "cluster.html"
    path.write_text(text.replace(before, more + before), encoding="utf-8")
    return api.load(path)


def fact(report: Report, name: str) -> Fact:
    return api.facts_of(report)[name]


def test_the_memory_of_an_instance_is_that_of_its_row(cluster: Report) -> None:
    first, second = cluster.part("1"), cluster.part("2")

    assert (8_192, 12_288) == tuple(fact(r, "load.buffer_cache_mb").value for r in (first, second))
    assert (64, 32) == tuple(fact(r, "redo.log_buffer_mb").value for r in (first, second))
    assert (1_024, 2_048) == tuple(fact(r, "pga.target_mb").value for r in (first, second))
    assert 2_753.94 == fact(first, "pga.allocated_mb").value
    assert (30.32, 4.91) == tuple(
        fact(first, f"pga.work_area_bound{when}_mb").value for when in ("_begin", "")
    )
    assert "8,192" in fact(first, "load.buffer_cache_mb").evidence[0].text


def test_the_memory_of_an_instance_is_not_that_of_the_cluster(cluster: Report) -> None:
    found = fact(cluster.cluster, "load.buffer_cache_mb")

    assert found.value is None
    assert "a RAC report has it of each instance, not of the cluster" == found.note


def test_a_rac_report_without_these_sections_lacks_them() -> None:
    found = fact(samples.report(SAMPLE.name).part("1"), "load.buffer_cache_mb")

    assert found.value is None
    assert "section Cache Sizes is not in the report" == found.note


def test_commits_of_an_instance_are_in_the_list_of_its_foreground_events(cluster: Report) -> None:
    """The list of all top events has those with most time, and commits may not be among them."""
    waits = [fact(cluster.part(each), "redo.commit_ms").value for each in ("1", "2")]

    assert [1.5, 3.0] == waits
    assert fact(samples.report(SAMPLE.name).part("1"), "redo.commit_ms").value is None
