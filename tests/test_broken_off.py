"""A report that breaks off says so, and what it lacks is not zero."""

from __future__ import annotations

import pytest
import samples

from awrlens import api

NAMES = [
    "redo-disk.awr-11.2.txt", "redo-disk.awr-19c.html", "redo-accelerator.statspack-9.2.lst",
    "redo-compared.awr-diff-11.2.html", "redo-cluster.awr-rac-11.2.txt",
]  # fmt: skip


def text_of(name: str) -> str:
    return samples.path(name).read_text(encoding="utf-8")


@pytest.mark.parametrize("name", samples.ALL)
def test_a_whole_report_is_not_said_to_break_off(name: str) -> None:
    assert not samples.report(name).breaks_off


@pytest.mark.parametrize("name", NAMES)
def test_a_report_that_breaks_off_says_where(name: str) -> None:
    text = text_of(name)
    cut = text[: len(text) * 2 // 3]
    report = api.load(cut.encode())
    (warning,) = [each for each in report.warnings if "The report ends" in each.message]
    assert "in section " in warning.message
    assert "Copy it again" in warning.message
    # the row that is torn, in the last line, is not read
    kept = cut.rstrip() if "<" in cut else cut[: cut.rindex("\n")].rstrip()
    assert (warning.line or 0) in (kept.count("\n") + 1, kept.count("\n"))


def test_an_event_that_a_torn_list_lacks_has_not_cost_nothing() -> None:
    text = text_of("redo-disk.awr-11.2.txt")
    begin = text.index("Foreground Wait Events")
    torn = text[: text.index("\n", text.index("log file sync", begin)) + 1]
    whole, found = (api.facts_of(api.load(each.encode())) for each in (text, torn))
    assert whole["redo.lgwr_copy_wait_s"].value is not None
    assert found["redo.sync_wait_s"].value == whole["redo.sync_wait_s"].value
    assert found["undo.header_wait_ms"].value is None
    zeros = [n for n, fact in found.items() if fact.value == 0 and whole[n].value != 0]
    assert zeros == []


@pytest.mark.parametrize("name", ["redo-disk.awr-11.2.txt", "redo-disk.awr-19c.html"])
def test_a_figure_that_is_cut_in_the_middle_is_not_read(name: str) -> None:
    text = text_of(name)
    begin = text.index("redo write time")
    figure = text.index("757,698", begin)
    report = api.load(text[: figure + 5].encode())
    assert api.facts_of(report)["redo.write_ms"].value is None
    table = report.tables.get("instance_activity")
    assert table is not None
    assert table.row("redo write time") is None


def test_lists_that_end_before_a_report_breaks_off_are_whole() -> None:
    text = text_of("redo-disk.awr-11.2.txt")
    cut = text[: text.index("\f", text.index("Foreground Wait Events"))]
    report = api.load(cut.encode())
    assert report.breaks_off
    assert api.facts_of(report)["undo.us_enqueue_wait_s"].value == 0
