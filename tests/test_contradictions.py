"""Figures that cannot be true: no fact rests on them, a warning says so, a strict check fails."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import figures
import pytest
import samples
from called import call
from figures import facts, parameters, statistics, tablespaces

from awrlens import api

if TYPE_CHECKING:
    from pathlib import Path

TEXT = samples.path("redo-disk.awr-11.2.txt").read_text(encoding="utf-8")
WRITE, SYNC = "log file parallel write", "log file sync"
#: What is changed, what stays before it, the fact that rests on it, and what is said.
CASES = {
    "total": (f"{WRITE} +405,691 +0 +", "7,247", "999,999", "redo.lgwr_busy_pct", "more than LGWR"),
    "waits": (f"{WRITE} +", "405,691", "    7", "redo.parallel_write_ms", "7 (Waits) × 18"),
    "average": (f"{SYNC} +18 +0 +", "13", "99", "redo.sync_ms", "18 (Waits) × 99"),
    "all together": (
        "db file parallel write +", "47,212 +1,622 +34", "472,220 9,999,999 21,176",
        "checkpoint.dbwr_busy_pct", "more than all DBWR processes can wait",
    ),
    "share": (
        f"{WRITE} +405,691 +", "0", "140", "redo.parallel_write_timeout_pct",
        "`140`, which is not possible",
    ),
    "DB time": ("DB Time: +", "160.88", "900000.00", "load.db_time_s", "sessions have in"),
    "another DB time": ("DB Time: +", "160.88", "260.88", "load.db_time_s", "the time model has"),
    "part": (
        "physical writes +", "1,370,274          163.5", "        5            0.0",
        "temp.block_write_pct", "more than the whole: the two contradict each other",
    ),
    "rate": ("redo writes +", "405,691", "999,999", "redo.writes_per_s", "but 48.4 per second"),
    "time model": (
        "sql execute elapsed time +", "9,641.3", "1,641.3", "load.sql_pct",
        "1,641.3 (Time (s)), but 99.9 (% of DB Time) × 9,653 (all db time) for `sql execute",
    ),
    "CPUs": (
        "BUSY_TIME +", "861,000", "999,861,000", "host.other_cpu_pct",
        "BUSY_TIME is 9,998,610 s",
    ),
}  # fmt: skip


def changed(before: str, was: str, now: str) -> str:
    """The sample with one figure changed, in as many columns."""

    def other(found: re.Match[str]) -> str:
        more = len(now) - len(found[2])
        return found[1][: len(found[1]) - max(0, more)] + now.rjust(len(found[2]))

    text, count = re.subn(f"({before})({was})", other, TEXT, count=1)
    assert count
    return text


@pytest.mark.parametrize(("before", "was", "now", "name", "said"), CASES.values(), ids=CASES)
def test_no_fact_rests_on_what_cannot_be_true(
    before: str, was: str, now: str, name: str, said: str
) -> None:
    found, true = (
        api.analyze(api.load(text.encode(), "text")) for text in (changed(before, was, now), TEXT)
    )

    assert true.facts[name].value is not None
    assert not [each for each in true.warnings if each.contradicts]
    assert found.facts[name].value is None
    assert any(said in each.message for each in found.warnings if each.contradicts)


def test_a_rate_of_the_load_profile_is_that_of_its_statistic() -> None:
    text = changed("Physical writes: +", "163.5", "999.5")
    found = api.facts_of(api.load(text.encode(), "text"))["load.physical_writes_per_s"]
    assert found.value is None
    assert "999.5 per second for 1,370,274 physical writes" in found.note


@pytest.mark.parametrize("printed", ["-,9", "9.0", "9,0", "-9"])
def test_a_parameter_is_a_whole_number(printed: str) -> None:
    text = changed("undo_retention +", "900", printed)
    found = api.facts_of(api.load(text.encode(), "text"))["undo.retention_s"]
    assert found.value is None
    assert f"`{printed}`" in found.note


def test_many_waits_of_an_average_have_no_total_of_0() -> None:
    row = "log file sync | 5,000,000,000 | 0 | 0 | 1 | | "
    listed = figures.section("Foreground Wait Events", figures.EVENTS, [row, figures.IDLE])
    found = figures.analysis(listed).facts["redo.sync_ms"]
    assert found.value is None
    assert "5,000,000,000 (Waits) × 1 (Avg wait (ms))" in found.note


def test_a_comma_that_parts_neither_thousands_nor_decimals_is_damage() -> None:
    page = samples.path("redo-disk.awr-11.2.html").read_text(encoding="utf-8")
    other = page.replace(">1,370,274</td>", ">1370274,0</td>")
    assert page != other
    found = api.facts_of(api.load(other.encode(), "text"))["temp.block_write_pct"]
    assert found.value is None
    assert "1370274,0" in found.note


def test_a_count_beyond_64_bits_is_a_difference_below_0() -> None:
    page = samples.path("redo-disk.awr-11.2.html").read_text(encoding="utf-8")
    row = "(physical writes direct temporary tablespace</td><td[^>]*>)[0-9,]+"
    found = api.analyze(api.load(re.sub(row, rf"\g<1>{2**64 - 1:,}", page).encode(), "page"))

    assert found.facts["temp.direct_mb"].value is None
    assert any("a difference below 0" in e.message for e in found.warnings if e.contradicts)


def test_a_strict_check_fails_for_contradictions_whatever_is_selected(tmp_path: Path) -> None:
    file = tmp_path / "report.txt"
    file.write_text(changed(*CASES["average"][:3]), encoding="utf-8")
    asked = ("check", str(file), "--select", "TEMP001")
    loose, _, _ = call(*asked)
    strict, _, errors = call(*asked, "--strict")

    assert (loose, strict) == (0, 3)
    assert "its figures contradict each other" in errors


def test_a_list_that_contains_another_is_a_contradiction_and_no_row_of_it_counts() -> None:
    rows = [
        "log file sync | 90 | 0 | 9 | 100 | | ",
        "latch free | 10 | 0 | 1 | 100 | | ",
        figures.IDLE,
    ]
    other = ["latch free | 20 | 0 | 2 | 100 | | ", "log file sync | 10 | 0 | 1 | 100 | | "]
    alone, both = (
        figures.analysis(figures.section("Foreground Wait Events", figures.EVENTS, listed))
        for listed in (rows, [*rows, *other, "read by other session | 1 | 0 | 1 | 1000 | | "])
    )

    assert alone.facts["redo.sync_wait_s"].value == 9
    assert both.facts["redo.sync_wait_s"].value is None
    assert both.facts["redo.buffer_wait_s"].value is None
    assert any("it contains another list" in e.message for e in both.warnings if e.contradicts)


def test_an_event_that_was_idle_in_9i_alone_is_not_the_end_of_a_list() -> None:
    rows = ["db file sequential read | 90 | 0 | 9 | 100 | | ",
            "SQL*Net more data from client | 90 | 0 | 0 | 0 | | "]  # fmt: skip
    listed = figures.section("Wait Events", figures.EVENTS, rows)
    found = figures.analysis(listed, release="10.2.0.4.0").facts

    assert "its end, with idle events, is missing" in found["redo.log_switch_wait_s"].note


def test_a_sum_is_not_0_where_a_histogram_has_its_parts() -> None:
    page = samples.path("temp-sort-disk.awr-19c.html").read_text(encoding="utf-8")
    begin = page.index("Foreground Wait Events</h3>")
    end = page.index("</table>", begin)
    rows = re.sub(r"<tr><td[^>]*>direct path [^\n]*?</tr>", "", page[begin:end])
    found = api.facts_of(api.load((page[:begin] + rows + page[end:]).encode(), "page"))

    assert found["temp.direct_wait_s"].value != 0


@pytest.mark.parametrize("row", ["redo size", "redo wastage", "redo blocks written"])
def test_no_size_rests_on_a_redo_block_that_is_only_usual(row: str) -> None:
    text = samples.path("redo-disk.statspack-9.2.lst").read_text(encoding="utf-8")
    assert api.facts_of(api.load(text.encode(), "text"))["redo.log_mb"].status == "derived"
    lost = re.sub(rf"(?m)^{row}  .*\n", "", text)
    lost = re.sub(r"(?m)^ *Redo size: .*\n", "", lost)

    assert (
        "redo block size is not known"
        in api.facts_of(api.load(lost.encode(), "text"))["redo.log_mb"].note
    )


def test_an_elapsed_time_that_is_not_between_the_snapshots_is_no_length_of_the_interval() -> None:
    found = api.analyze(api.load(changed("Elapsed: +", "139.68", "139,680.00").encode(), "text"))
    assert found.facts["redo.writes_per_s"].value is None
    assert any(
        "the two contradict each other" in e.message for e in found.warnings if e.contradicts
    )


@pytest.mark.parametrize("name", ["io.read_tablespaces", "io.unwaited_reads"])
def test_a_read_is_not_longer_than_the_interval(name: str) -> None:
    """Nor does it count in the read time of all tablespaces, of which temp has a share."""
    found = facts(
        tablespaces("TEMP | 9,000 | 1 | 9.0 | 9.9 | 0 | 0 | 0 | 0",
                    "USERS | 1,000 | 1 | 99,999,999.0 | 1.0 | 0 | 0 | 0 | 0"),
    )  # fmt: skip
    for each in (name, "temp.read_time_share_pct"):
        assert found[each].value is None
        assert "99,999,999.0 (Av Rd(ms)), more than" in found[each].note


def test_a_host_has_no_million_cpus() -> None:
    found = facts(parameters("cpu_count | 1000000"))["host.cpu_count"]
    assert (found.value, found.note) == (None, "CPU_COUNT is no number of CPUs")


def test_a_share_by_size_is_not_one_by_requests_where_its_statistics_have_a_row_missing() -> None:
    """By size, temp had 16 % of the I/O of a report of 8.1.7, by requests 0.7 %."""
    listed = tablespaces("TEMP | 1,000 | 1 | 9.0 | 30.0 | 0 | 0 | 0 | 0",
                         "USERS | 9,000 | 1 | 9.0 | 1.0 | 0 | 0 | 0 | 0")  # fmt: skip
    found = facts(statistics("physical reads | 39,000"), listed)["temp.io_share_pct"]
    assert found.value is None


@pytest.mark.parametrize("counter", ["user commits", "user rollbacks"])
def test_waits_per_transaction_contradict_nothing_where_transactions_are_not_known(
    counter: str,
) -> None:
    text = samples.path("redo-disk.statspack-9.2.lst").read_text(encoding="utf-8")
    lost, count = re.subn(rf"(?m)^{counter}  .*\n", "", text)
    found = api.load(lost.encode(), "text")

    assert count == 1
    assert not found.contradictions.listed
    assert api.facts_of(found)["redo.sync_ms"].value is not None


@pytest.mark.parametrize("name", ["load.db_time_s", "load.average_active_sessions"])
def test_a_db_time_that_most_shares_of_the_time_model_contradict_is_the_wrong_figure(
    name: str,
) -> None:
    """A report of Statspack 10g has no other DB time."""
    text = samples.path("redo-disk.statspack-10.2.lst").read_text(encoding="utf-8")
    row = next(line for line in text.splitlines() if re.fullmatch(r"DB time +9,653\.0 *", line))
    large = row.replace("  9,653.0", "965,300.0")
    before, after = (
        api.facts_of(api.load(each.encode(), "text")) for each in (text, text.replace(row, large))
    )

    assert before[name].value is not None
    assert after[name].value is None
    assert after["redo.sync_ms"].value == before["redo.sync_ms"].value
