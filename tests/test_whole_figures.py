"""A figure is read whole or not at all: lines that are shifted, cut, squeezed or overflown."""

from __future__ import annotations

import random
import re
from functools import cache
from typing import TYPE_CHECKING

import pytest
import samples

from awrlens import api
from awrlens.errors import UnreadableError
from awrlens.report.ruler import Columns, cut

if TYPE_CHECKING:
    from collections.abc import Mapping

    from awrlens.model import Fact

REDO, UNDO = "redo-disk.awr-11.2.txt", "undo-disk.awr-11.2.txt"
OLD, STATSPACK = "redo-disk.statspack-9.2.lst", "redo-disk.statspack-19c.txt"
#: Figures that another section or column has too, rounded or counted otherwise.
ELSEWHERE = {
    "redo.local_write_ms", "redo.lgwr_outside_ms", "redo.lgwr_busy_pct", "redo.commit_storage_s",
    "redo.commit_unexplained_s", "redo.bytes_per_s", "load.response_s", "redo.local_write_by",
}  # fmt: skip
#: A total is taken from waits and averages where it is lost, and the other way round.
ROUNDED, ROUNDED_S = 0.15, 0.5


def text_of(name: str = REDO) -> str:
    return samples.path(name).read_text(encoding="utf-8")


def facts(text: str) -> Mapping[str, Fact]:
    return api.facts_of(api.load(text.encode(), "mutated"))


def changed(text: str, old: str, new: str) -> str:
    assert text.count(old) == 1, old
    return text.replace(old, new)


def values(text: str) -> dict[str, object]:
    return {name: fact.value for name, fact in facts(text).items()}


@cache
def expected(name: str) -> dict[str, object]:
    return values(text_of(name))


def wrong(text: str, name: str) -> dict[str, tuple[object, object]]:
    """Facts that have another value than the sample's, and are not unavailable.

    What all others rest on stands where their evidence says.
    """
    found: dict[str, tuple[object, object]] = {}
    after = facts(text)
    assert samples.misplaced(after, text) == []
    for fact, value in ((fact, each.value) for fact, each in after.items()):
        before = expected(name)[fact]
        if value == before or value is None or fact in ELSEWHERE:
            continue
        if isinstance(value, int | float) and isinstance(before, int | float):
            least = ROUNDED_S if fact.endswith("_s") and not fact.endswith("_per_s") else 0.0
            if abs(value - before) <= max(ROUNDED * abs(before), least):
                continue
        found[fact] = (before, value)
    return found


def test_a_label_that_is_too_wide_cuts_no_figure_in_two() -> None:
    for width in range(1, 8):
        label = f"Host {' ' * width}Mem (MB):"
        found = facts(changed(text_of(), "Host Mem (MB):", label))
        # from so far on the figure is left and the host's line has it in GB, rounded
        assert found["pga.host_memory_mb"].value in (7872, 7874.56)


def test_a_piece_of_a_figure_is_no_figure_with_a_decimal_comma() -> None:
    """``5,757.5`` cut behind its first decimal place of a comma is not 5.7."""
    line = next(line for line in text_of().split("\n") if "Executes:" in line)
    found = facts(changed(text_of(), line, line[: line.index("5,7") + 3]))
    assert found["load.executes_per_s"].value != 5.7
    assert found["load.executes_per_s"].status in ("derived", "unavailable")


@pytest.mark.parametrize("width", [44, 46, 49, 53, 58, 63, 66, 70, 74, 77, 79])
@pytest.mark.parametrize("name", [REDO, OLD, STATSPACK, "redo-disk.awr-19c.txt"])
def test_a_report_that_is_cut_on_the_right_is_refused(name: str, width: int) -> None:
    lines = [line.expandtabs(8)[:width] for line in text_of(name).split("\n")]
    with pytest.raises(UnreadableError, match=f"cut off at column {width}"):
        api.load("\n".join(lines).encode())


def figures_of(name: str, count: int) -> list[tuple[int, int, str]]:
    """Line, column and text of some figures of a sample's tables."""
    report, lines = samples.report(name), text_of(name).split("\n")
    found = set()
    for table in report.tables.values():
        for row in table.rows:
            for column in row.values():
                cell = row.cell(column)
                if cell is None or not isinstance(cell.value, int | float) or not cell.text:
                    continue
                line = report.line(cell.at) - 1
                words = re.finditer(rf"(?<!\S){re.escape(cell.text)}(?!\S)", lines[line])
                places = [match.start() for match in words]
                if len(places) == 1:
                    found.add((line, places[0], cell.text))
    return random.Random(7).sample(sorted(found), count)  # noqa: S311 - a choice of cells


@pytest.mark.slow
#: What less, vi, editors and web pages put where a line goes on.
@pytest.mark.parametrize("mark", [">", "$", "\\", "\u2026", "..."])
@pytest.mark.parametrize("name", ["redo-disk.awr-11.2.txt", "redo-disk.statspack-9.2.lst"])
def test_a_report_whose_lines_end_in_a_mark_that_they_go_on_is_refused(
    name: str, mark: str
) -> None:
    for width in (60, 72, 78):
        lines = [
            line if len(line) <= width else line[:width] + mark
            for line in samples.path(name).read_text(encoding="utf-8").split("\n")
        ]
        with pytest.raises(UnreadableError, match=f"cut off at column {width}"):
            api.load("\n".join(lines).encode(), "pager")


@pytest.mark.parametrize("name", ["redo-disk.awr-11.2.txt", "redo-disk.statspack-11.2.txt"])
def test_a_report_of_which_only_some_pages_are_cut_is_refused(name: str) -> None:
    lines = samples.path(name).read_text(encoding="utf-8").split("\n")
    begin, end = len(lines) // 10, len(lines) // 2
    for width in (52, 60, 64, 74):
        part = [line[:width] for line in lines[begin:end]]
        with pytest.raises(UnreadableError, match=f"cut off at column {width}"):
            api.load("\n".join([*lines[:begin], *part, *lines[end:]]).encode(), "part")


@pytest.mark.parametrize("name", [REDO, OLD, "redo-disk.statspack-8.1.7.lst"])
def test_a_figure_that_did_not_fit_is_never_nothing(name: str) -> None:
    lines = text_of(name).split("\n")
    for number, begin, text in figures_of(name, 60):
        line = lines[number]
        overflown = f"{line[:begin]}{'#' * len(text)}{line[begin + len(text) :]}"
        mutated = "\n".join([*lines[:number], overflown, *lines[number + 1 :]])
        assert wrong(mutated, name) == {}, overflown


@pytest.mark.parametrize(
    ("name", "line", "figure", "lost"),
    [
        (REDO, "24,930     486,204", "602,118", ["checkpoint.write_pct", "checkpoint.main_cause"]),
        (REDO, "20-Aug 18:13", "42,076", ["undo.peak_blocks_per_s", "undo.needed_mb"]),
        (UNDO, "     8M     16M", "6 ", ["pga.spilled_classes"]),
        (REDO, "E     0    19", "19", ["checkpoint.estimated_mttr_high_s"]),
        (REDO, "         8,799       1    16.5", "16.5", ["temp.read_time_share_pct"]),
    ],
)
def test_sums_and_maxima_are_not_told_without_what_did_not_fit(
    name: str, line: str, figure: str, lost: list[str]
) -> None:
    whole = next(each for each in text_of(name).split("\n") if line in each)
    begin = whole.index(figure)
    overflown = f"{whole[:begin]}{'#' * len(figure)}{whole[begin + len(figure) :]}"
    before, after = facts(text_of(name)), facts(changed(text_of(name), whole, overflown))
    for fact in lost:
        assert before[fact].status != "unavailable"
        assert after[fact].status == "unavailable", fact
        assert "#" in after[fact].note


EVENTS = [
    "log file switch (checkpoin", "log buffer space", "log file sync", "direct path write temp",
    "db file sequential read", "log file parallel write",
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("event", EVENTS)
@pytest.mark.parametrize("name", [REDO, OLD, STATSPACK])
def test_blanks_in_the_name_of_an_event_change_no_fact(name: str, event: str) -> None:
    lines = text_of(name).split("\n")
    places = [at for at, line in enumerate(lines) if line.startswith(f"{event}")]
    for at in places:
        doubled = lines[at].replace(" ", "  ", 1)
        squeezed = " ".join(lines[at].split())
        for line in (doubled, squeezed):
            text = "\n".join([*lines[:at], line, *lines[at + 1 :]])
            assert wrong(text, name) == {}, line


def test_squeezed_rows_are_told_apart_by_their_figures_or_not_at_all() -> None:
    columns = Columns([(0, 26), (27, 39), (40, 50), (51, 60)])
    assert cut("log buffer space 32 21 656", columns) == ["log buffer space", "32", "21", "656"]
    assert cut("log buffer space 32 21", columns) is None
    assert cut("log buffer space", columns) == ["log buffer space", "", "", ""]


def test_a_name_outside_the_ruler_stands_before_the_first_figure() -> None:
    columns = Columns([(1, 11), (12, 27), (28, 36), (37, 42)])
    row = "2nd        41.5         489,055      938 0/0"
    assert cut(row, columns) == ["2nd 41.5", "489,055", "938", "0/0"]


def test_figures_that_end_where_columns_do_are_in_their_places() -> None:
    columns = Columns([(0, 26), (27, 32), (33, 38), (39, 44), (45, 50)])
    row = "SQL*Net more data to clien 6000K 100.0"
    assert cut(row, columns) == ["SQL*Net more data to clien", "6000K", "100.0", "", ""]
    assert cut("SQL*Net more data 6000K 100.0", columns) is None


def without(text: str, title: str) -> str:
    """A text report without the pages of a section."""
    lines = text.split("\n")
    starts = [at for at, line in enumerate(lines) if "DB/Inst:" in line or " for DB:" in line]
    begins = [at for at in starts if lines[at].lstrip("\f").startswith(title)]
    assert begins, title
    for begin in reversed(begins):
        end = min(at for at in starts if at > begin)
        del lines[begin:end]
    return "\n".join(lines)


def test_waits_of_sessions_are_what_background_processes_leave_of_a_list_of_both() -> None:
    text = without(text_of(STATSPACK), "Foreground Wait Events")
    found = facts(text)["load.data_read_wait_s"]
    assert found.number == pytest.approx(63.5, abs=0.1)
    assert facts(text)["io.data_read_ms"].number == pytest.approx(15, abs=0.5)


@pytest.mark.parametrize("name", [STATSPACK, OLD, "redo-disk.awr-10.2.txt"])
def test_waits_of_sessions_are_not_told_where_nothing_tells_them_from_others(name: str) -> None:
    text = without(text_of(name), "Background Wait Events")
    if name == STATSPACK:
        text = without(text, "Foreground Wait Events")
    found = facts(text)
    for fact in (
        "load.data_read_wait_s", "redo.log_switch_wait_s", "io.direct_write_wait_s",
        "redo.log_switch_waits", "redo.log_switch_wait_ms", "io.data_read_ms",
    ):  # fmt: skip
        assert found[fact].status == "unavailable", fact
    # hardly any other process waits for it, whoever is in the list
    for fact in ("redo.sync_count", "redo.sync_ms", "redo.sync_wait_s", "redo.commit_waits"):
        assert found[fact].value == expected(name)[fact], fact
        assert found[fact].status == "estimated", fact
    assert "sessions and of background processes together" in found["load.data_read_wait_s"].note


def test_a_rounded_total_without_an_average_is_not_0_ms() -> None:
    text = samples.path("redo-disk.awr-11.2.html").read_text(encoding="utf-8")
    at = text.index("Foreground Wait Events</h3>")
    begin = text.index("Avg wait (ms)", at)
    found = facts(f"{text[:begin]}Fortnights{text[begin + len('Avg wait (ms)') :]}")
    for fact in ("redo.sync_ms", "redo.sync_to_write_ratio"):
        assert found[fact].status == "unavailable", fact
    assert "rounded" in found["redo.sync_ms"].note
    # 0.38 s of 18 commits that waited, not of the 169 that `redo synch writes` counts
    assert found["redo.commit_ms"].value == pytest.approx(380 / 18)


def test_an_event_whose_time_is_lost_may_be_the_longest_consumer() -> None:
    lost = changed(text_of(), "3,621,380              205", "3,621,380              ###")
    assert expected(REDO)["host.demand_per_cpu"] is not None
    assert facts(lost)["host.demand_per_cpu"].status == "unavailable"


def test_the_wait_for_a_standby_is_not_that_of_the_event_that_is_left() -> None:
    row = "log file parallel write         405,691     0      7,247      18      0.1   71.4"
    standby = (
        "SYNC Remote Write                10,000     0         50       5      0.0     .5\n"
        "LGWR-LNS wait on channel         10,000     0         {}      ##      0.0     .5\n"
    )
    text = changed(text_of(), row, standby + row)
    assert facts(text.format("##"))["redo.standby_wait_ms"].status == "unavailable"
    assert facts(text.format("20"))["redo.standby_wait_ms"].value == 5


def test_undo_records_without_those_of_transaction_tables_are_an_estimate() -> None:
    page = text_of("redo-disk.awr-11.2.html")
    others = "rollback changes - undo records applied"
    begin = page.index("<tr>", page.rindex("</tr>", 0, page.index(others)))
    row = page[begin : page.index("</tr>", begin) + len("</tr>")]
    fact = "undo.applied_read_pct"

    added = row.replace(others, "transaction tables consistent reads - undo records applied")
    assert facts(page)[fact].status == "estimated"
    assert facts(page.replace(row, row + added))[fact].status == "derived"
    lost = re.sub(r">[\d,]+<", ">#####<", added, count=1)
    assert facts(page.replace(row, row + lost))[fact].status == "unavailable"


@pytest.mark.parametrize(
    ("begins", "figure", "lost"),
    [
        ("log buffer space   ", "1,904", ["redo.buffer_wait_ms", "redo.buffer_wait_s"]),
        ("redo writes   ", "405,691", ["redo.write_ms", "redo.writes_per_s"]),
        ("20-Aug 18:43", "39,322", []),
    ],
)
def test_a_row_that_is_printed_twice_with_other_figures_tells_nothing(
    begins: str, figure: str, lost: list[str]
) -> None:
    lines = text_of().split("\n")
    at = next(n for n, line in enumerate(lines) if line.startswith(begins) and figure in line)
    other = lines[at].replace(figure, figure.replace("3", "2").replace("4", "7").replace("9", "8"))
    assert other != lines[at]
    found = facts("\n".join([*lines[: at + 1], other, *lines[at + 1 :]]))
    for fact in lost:
        assert found[fact].status == "unavailable", fact
        assert "twice" in found[fact].note
    again = values("\n".join([*lines[: at + 1], lines[at], *lines[at + 1 :]]))
    assert {name: again[name] for name in lost} == {name: expected(REDO)[name] for name in lost}


def test_a_tablespace_that_is_printed_twice_with_other_figures_is_not_added_up() -> None:
    text = without(text_of(), "File IO Stats")
    before = facts(text)["undo.tablespace_writes"].value
    lines = text.split("\n")
    at = next(n for n, line in enumerate(lines) if line == "UNDOTBS1")
    other = lines[at + 1].replace("88,114", "98,114")
    found = facts("\n".join([*lines[: at + 2], lines[at], other, *lines[at + 2 :]]))
    for fact in ("undo.tablespace_writes", "undo.tablespace_write_pct"):
        assert found[fact].status == "unavailable", fact
        assert "twice" in found[fact].note
    again = facts("\n".join([*lines[: at + 2], *lines[at : at + 2], *lines[at + 2 :]]))
    assert before == again["undo.tablespace_writes"].value == 88_114


def warnings(text: str) -> list[str]:
    return [note.message for note in api.load(text.encode(), "mutated").warnings]


def test_cpu_of_sessions_beyond_the_db_time_that_includes_it_is_said() -> None:
    rows = "DB CPU                                                7,891.0         81.7"
    more = rows.replace(" 7,891.0", "15,891.0")
    messages = warnings(changed(text_of(), rows, more))

    assert any("more DB CPU (15,891.0 s) than DB time (9,653.0 s)" in each for each in messages)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("139.68 (mins)", "1396.8 (mins)", "minutes apart"),
        ("139.68 (mins)", " 13.97 (mins)", "minutes apart"),
        ("139.68 (mins)", "-39.68 (mins)", "which is invalid: rates are unavailable"),
        ("147 20-Aug-08 18:43:26", "147 20-Aug-08 15:43:26", "time is not later"),
        ("End Snap:       147", "End Snap:       127", "must have the larger number"),
        ("x86 64-bit                    2", "x86 64-bit                    0", "0 CPUs"),
        ("x86 64-bit                    2", "x86 64-bit                   -2", "-2 CPUs"),
        (
            "x86 64-bit                    2",
            "x86 64-bit                   16",
            "different CPU counts",
        ),
        ("Std Block Size:         8K", "Std Block Size:         0K", "db_block_size is 8192"),
        ("Std Block Size:         8K", "Std Block Size:         8 ", "db_block_size is 8192"),
        ("Std Block Size:         8K", "Std Block Size:        -8K", "db_block_size is 8192"),
        ("Std Block Size:         8K", "Std Block Size:         8M", "db_block_size is 8192"),
        (
            "3.7      48.6",
            "3.7      90.0",
            "8,293 s of CPU for this instance, but Host CPU has only",
        ),
        (
            "20-Aug-08 09:12 11.2.0.3.0",
            "20-Aug-08 09:12 9.2.0.8.0 ",
            "only in 11.1 and later",
        ),
        (
            "20-Aug-08 09:12 11.2.0.3.0",
            "20-Aug-08 09:12 10.2.0.5.0",
            "only in 11.1 and later",
        ),
    ],
)
def test_figures_of_the_header_that_cannot_both_be_are_said(old: str, new: str, said: str) -> None:
    assert not warnings(text_of())
    mutated = changed(text_of(), old, new)
    (message,) = warnings(mutated)[:1]
    assert said in message
    found = facts(mutated)
    if "Block" in old:
        assert found["undo.needed_mb"].value == expected(REDO)["undo.needed_mb"]
    if said.endswith(" CPUs"):
        assert found["host.load_per_cpu_end"].value == expected(REDO)["host.load_per_cpu_end"]
    if "rates are unavailable" in said:
        assert found["redo.writes_per_s"].status == "unavailable"


def test_a_header_that_knows_of_no_cluster_is_held_against_its_sections() -> None:
    page = samples.path("redo-cluster-1.awr-11.2.html").read_text(encoding="utf-8")
    assert not warnings(page)
    (message,) = warnings(page.replace(">YES<", ">NO<", 1))
    assert "RAC: NO" in message
    assert "Global Cache Load Profile" in message


def test_the_instances_of_a_cluster_are_held_against_their_list() -> None:
    text = text_of("redo-cluster.awr-rac-11.2.txt")
    assert not warnings(text)
    lines = text.split("\n")
    at = next(n for n, line in enumerate(lines) if line.startswith("   2 aultdb2"))
    (message,) = warnings("\n".join([*lines[:at], *lines[at + 1 :]]))
    assert "2 instances in the report" in message
    assert "lists 1" in message


@pytest.mark.parametrize("name", samples.ALL)
def test_the_header_of_a_sample_agrees_with_itself(name: str) -> None:
    assert not [note for note in samples.report(name).warnings if "header" in note.message.lower()]


@pytest.mark.parametrize("name", [REDO, OLD])
def test_a_name_above_figures_is_no_part_of_another(name: str) -> None:
    """A line that is printed again, or whose figures are lost, is not the begin of the next."""
    lines = text_of(name).split("\n")
    at = next(n for n, line in enumerate(lines) if line == "TEMP")
    doubled = facts("\n".join([*lines[:at], lines[at], *lines[at:]]))
    assert doubled["temp.tablespaces"].value == ("TEMP",)
    assert doubled["temp.reads"].value == expected(name)["temp.reads"]
    lost = facts("\n".join([*lines[: at + 1], *lines[at + 2 :]]))
    assert lost["temp.tablespaces"].value == ("TEMP",)
    assert lost["temp.reads"].value in (None, expected(name)["temp.reads"])
    assert lost["undo.tablespaces"].value == expected(name)["undo.tablespaces"]


@pytest.mark.parametrize(
    ("name", "begins", "figure", "other", "lost"),
    [
        (REDO, "20-Aug 18:13", "42,076", "42,976", ["undo.peak_blocks_per_s", "undo.needed_mb"]),
        (
            OLD,
            "     5 ",
            "16",
            "19",
            ["undo.rollback_segment_wait_pct"],
        ),
    ],
)
def test_undo_that_is_printed_twice_with_other_figures_is_not_added_up(
    name: str, begins: str, figure: str, other: str, lost: list[str]
) -> None:
    lines = text_of(name).split("\n")
    at = next(n for n, line in enumerate(lines) if line.startswith(begins) and figure in line)
    again = lines[at].replace(figure, other, 1)
    found = facts("\n".join([*lines[: at + 1], again, *lines[at + 1 :]]))
    for fact in lost:
        assert found[fact].status == "unavailable", fact
        assert "twice" in found[fact].note
    same = values("\n".join([*lines[: at + 1], lines[at], *lines[at + 1 :]]))
    assert same == expected(name)


def test_writes_that_are_far_from_those_per_second_are_not_told() -> None:
    text = text_of("temp-sort-disk.awr-11.2.txt")
    for writes, status in (("977,761", "unavailable"), ("127,761", "derived")):  # rounded rates
        found = facts(changed(text, " 77,761        3 ", f"{writes}        3 "))
        assert found["temp.writes_per_s"].status == status
    assert expected("temp-sort-disk.awr-11.2.txt")["temp.writes_per_s"] is not None


def test_figures_without_the_name_of_their_file_are_not_added_up() -> None:
    name = "redo-disk.statspack-8.1.7.lst"
    lines = text_of(name).split("\n")
    at = next(n for n, line in enumerate(lines) if "4,393" in line and "63,010" in line)
    again = lines[at].replace("4,393", "7,626")
    assert wrong("\n".join([*lines[: at + 1], again, *lines[at + 1 :]]), name) == {}


@pytest.mark.parametrize("title", ["Background Wait Events", "SQL ordered by Gets"])
@pytest.mark.parametrize("name", [OLD, "redo-disk.statspack-8.1.7.lst", "redo-disk.awr-10.2.txt"])
def test_a_title_that_is_lost_makes_no_row_a_heading(name: str, title: str) -> None:
    """The rule that ends a table is no second ruler where another line follows it directly."""
    lines = text_of(name).split("\n")
    at = next(n for n, line in enumerate(lines) if line.lstrip("\f").startswith(title))
    for line in (f"{title}, as printed", ""):
        assert wrong("\n".join([*lines[:at], line, *lines[at + 1 :]]), name) == {}


@pytest.mark.parametrize("title", ["Background Wait Events", "File IO Stats"])
@pytest.mark.parametrize("name", [REDO, OLD])
def test_a_table_whose_title_is_lost_is_not_added_to_the_one_above(name: str, title: str) -> None:
    """Behind the rule that ends a table another one begins, whatever its headings are."""
    lines = text_of(name).split("\n")
    at = next(n for n, line in enumerate(lines) if line.lstrip("\f").startswith(title))
    assert wrong("\n".join([*lines[:at], "", *lines[at + 1 :]]), name) == {}
