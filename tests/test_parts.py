"""Reports of several parts: two periods side by side, the instances of a cluster."""

from __future__ import annotations

import re

import jsonschema
import pytest
import samples

from awrlens import api
from awrlens.cli.schema import of_analysis
from awrlens.errors import UnknownTableError
from awrlens.render import layout, markdown, wording

COMPARED = ("redo-compared.awr-diff-11.2.txt", "redo-compared.awr-diff-11.2.html")
#: Computed from rates with two decimals, or printed in whole seconds where the report is alone.
ROUNDED = {
    "redo.sync_wait_s", "redo.sync_ms", "redo.sync_to_write_ratio",
    "temp.direct_wait_s", "temp.direct_read_wait_s", "temp.direct_write_wait_s",
    "temp.direct_read_ms", "temp.direct_write_ms", "undo.block_wait_s", "undo.block_wait_ms",
    "redo.sync_pct_db_time", "redo.log_switch_wait_s",
    "checkpoint.incomplete_wait_s", "redo.buffer_wait_s", "redo.commit_storage_s",
    "redo.commit_unexplained_s", "redo.lgwr_copy_wait_s", "redo.syncs_per_commit",
    "redo.switch_completion_wait_s",
    "redo.sync_count", "redo.commit_waits", "redo.log_switch_waits", "checkpoint.incomplete_waits",
    "temp.direct_ms", "temp.direct_b", "temp.direct_read_b", "temp.direct_write_b",
    "io.direct_write_wait_s", "io.control_write_wait_s",
    "load.buffer_busy_wait_s",
    # a comparison's list of waits is of background processes, too
    "load.data_read_wait_s", "io.data_read_ms", "io.data_read_waits",
    # its average is printed here, and computed from whole seconds there
    "redo.buffer_wait_ms",
}  # fmt: skip


@pytest.mark.parametrize("name", COMPARED)
@pytest.mark.parametrize("number", [0, 1])
def test_a_period_has_the_facts_of_the_report_it_was_made_from(name: str, number: int) -> None:
    period = samples.analysis(name).periods[number]
    single = samples.analysis(f"{samples.WORKLOADS[number]}.awr-11.2.txt")
    compared = 0
    for fact in single.facts.values():
        twin = period.facts[fact.name]
        if fact.number is None or twin.number is None or fact.name in ROUNDED:
            continue
        compared += 1
        # the elapsed time is known to the second here, to 0.01 minutes there
        assert twin.number == pytest.approx(fact.number, rel=2e-2, abs=0.06), fact.name

    assert compared > 45
    for field in ("db_name", "db_id", "instance", "release", "begin_snap", "end_snap", "host"):
        assert period.report[field] == single.report[field]


@pytest.mark.parametrize("name", COMPARED)
def test_a_redo_write_goes_from_18_68_to_0_104_ms(name: str) -> None:
    comparison = samples.analysis(name).comparison
    assert comparison is not None
    moved = {item.name: item for item in comparison.facts}

    assert moved["redo.write_ms"].first == pytest.approx(18.68, abs=0.005)
    assert moved["redo.write_ms"].second == pytest.approx(0.104, abs=0.0005)
    assert ("fast_start_mttr_target", "30") in [(c.name, c.second) for c in comparison.parameters]


@pytest.mark.parametrize("name", COMPARED)
def test_the_document_of_a_comparison_keeps_to_the_schema(name: str) -> None:
    document = samples.analysis(name).to_dict()
    jsonschema.validate(document, of_analysis())

    assert document["facts"] == {}
    assert len(document["periods"]) == 2
    assert document["verdicts"] == document["periods"][1]["verdicts"]


def test_the_page_shows_both_periods_and_what_moved() -> None:
    page = wording.text(layout.page(samples.analysis(COMPARED[0]), 120))
    sheet = markdown.render(samples.analysis(COMPARED[0]))

    for text in (page, sheet):
        assert "first period" in text
        assert "second period" in text
        assert "The second period is earlier than the first" in text
    assert "18.68 ms" in page
    assert "parameter fast_start_mttr_target" in page


def test_a_comparison_with_an_earlier_period_begins_with_that() -> None:
    lines = samples.analysis(COMPARED[0]).headline_lines

    assert lines[0].startswith("The second period is earlier than the first. ")
    assert "First action of the later period: " in lines[-1]


def test_a_part_that_is_not_there_is_said_in_one_sentence() -> None:
    report = api.load(samples.path(COMPARED[0]))

    with pytest.raises(UnknownTableError, match="no part 3"):
        report.part("3")
    with pytest.raises(UnknownTableError, match="no part 1"):
        api.load(samples.path("redo-disk.awr-11.2.txt")).part("1")


CLUSTER = ("redo-cluster.awr-rac-11.2.txt", "redo-cluster.awr-rac-11.2.html")


@pytest.mark.parametrize("name", CLUSTER)
def test_facts_of_a_cluster_are_those_of_all_instances(name: str) -> None:
    whole = samples.analysis(name)
    first, second = whole.instances
    assert [part.report["instance"] for part in whole.instances] == ["aultdb1", "aultdb2"]
    assert [part.report["host"] for part in whole.instances] == ["aultlab1", "aultlab2"]

    for fact in ("load.executes_per_s", "load.physical_writes_per_s", "redo.bytes_per_s"):
        parts = [part.facts[fact].number or 0 for part in (first, second)]
        assert whole.facts[fact].number == pytest.approx(sum(parts), rel=1e-3)
    # the first instance is the redo test on disks
    alone = samples.analysis("redo-disk.awr-11.2.txt").facts
    assert first.facts["redo.bytes_per_s"].number == pytest.approx(
        alone["redo.bytes_per_s"].number, rel=1e-3
    )
    assert first.report["db_time_s"] == pytest.approx(9653, abs=1)
    # centiseconds and writes of both
    assert whole.facts["redo.write_ms"].number == pytest.approx(
        (757_698 + 757_698 // 3) * 10 / (405_691 + 405_691 * 2 // 3), rel=1e-6
    )


@pytest.mark.parametrize("name", CLUSTER)
def test_undo_of_each_instance_is_the_one_that_its_parameter_names(name: str) -> None:
    first, second = samples.analysis(name).instances
    assert first.facts["undo.tablespaces"].value == ("UNDOTBS1",)
    assert second.facts["undo.tablespaces"].value == ("UNDOTBS2",)


@pytest.mark.parametrize("name", CLUSTER)
def test_logs_of_a_cluster_are_sized_for_one_thread(name: str) -> None:
    (logs,) = [r for r in samples.analysis(name).recommendations if r.id == "enlarge-redo-logs"]
    rate = (samples.analysis(name).facts["redo.bytes_written_per_s"].number or 0) / 2
    assert logs.title == f"Add redo log groups of {-(-rate * 1200 // 2**28) / 4:g} GB"
    assert "per thread (2 threads)" in logs.action


@pytest.mark.parametrize("name", CLUSTER)
def test_the_document_of_a_cluster_keeps_to_the_schema(name: str) -> None:
    document = samples.analysis(name).to_dict()
    jsonschema.validate(document, of_analysis())

    assert [part["report"]["instance_number"] for part in document["instances"]] == ["1", "2"]
    assert document["report"]["rac"] is True


def test_text_and_page_of_a_cluster_say_the_same() -> None:
    text, page = (samples.analysis(name) for name in CLUSTER)
    for one, other in zip((text, *text.instances), (page, *page.instances), strict=True):
        for fact in one.facts.values():
            assert other.facts[fact.name].value == fact.value, fact.name


def test_a_start_whose_minutes_are_its_month_is_believed_to_the_hour_only() -> None:
    """AWR HTML up to 19c prints HH24:MM, the month, where the minutes belong."""
    text = samples.path("redo-disk.awr-11.2.html").read_text(encoding="utf-8")
    begin = "20-Aug-08 16:23:46"
    assert begin in text
    before = re.search(r"\d\d-Aug-08 \d\d:\d\d(?=<)", text)
    assert before
    for printed, restarted in (("20-Aug-08 16:08", False), ("20-Aug-08 17:08", True),
                               ("20-Aug-08 16:31", True), ("20-Aug-08 15:50", False)):  # fmt: skip
        report = api.load(text.replace(before[0], printed, 1).encode())
        assert (printed, report.valid) == (printed, not restarted)
