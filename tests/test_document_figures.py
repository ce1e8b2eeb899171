"""Figures of "Write Accelerator", read as they stand in the document.

``document_figures/`` has their text unchanged: rulers are lost or have one group, headings are
wrapped, tabs separate cells, digits are lost. What is expected was read in the figures by eye.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from awrlens import api

if TYPE_CHECKING:
    from awrlens.report.report import Report

FOLDER = Path(__file__).parent / "document_figures"


@cache
def figure(number: int) -> Report:
    return api.load((FOLDER / f"figure-{number:02}.txt").read_bytes(), f"figure {number}")


@cache
def values(number: int) -> dict[str, object]:
    return {name: fact.value for name, fact in api.facts_of(figure(number)).items()}


def row(number: int, section: str, at: int) -> list[object]:
    table = figure(number).tables[section]
    return [cell.value if (cell := table.rows[at].cell(c.name or "")) else None
            for c in table.columns]  # fmt: skip


EXPECTED: dict[int, dict[str, float]] = {
    # 125,416 s / 21,470,106; 43,993 s / 11,649,482; 125,416 s * 100 / 34.86
    1: {"redo.sync_ms": 5.8414, "redo.parallel_write_ms": 3.7764, "load.response_s": 359_770.5},
    # 43,993 s / 11,649,477
    2: {"redo.parallel_write_ms": 3.7764},
    # 757,698 cs / 405,691; 7,247 s / 405,691; 51,083 cs
    4: {
        "redo.write_ms": 18.677,
        "redo.parallel_write_ms": 17.863,
        "redo.space_wait_s": 510.83,
        "redo.bytes_per_s": 2_588_920.9,
        "load.transactions_per_s": 639.6,
    },
    # 55,447 cs / 5,313,254; 495 s / 5,313,254
    5: {"redo.write_ms": 0.10436, "redo.parallel_write_ms": 0.093163, "redo.space_wait_s": 831.13},
    6: {"temp.reads": 26_339, "temp.writes": 30_012, "temp.read_ms": 24.6},
    # temporary writes: (27,691 * 7.78 + 23,282 * 7.54 + 26,788 * 7.36) / 77,761
    8: {"temp.reads": 1_985_044, "temp.read_ms": 2.1, "temp.write_ms": 7.5635},
    # temporary writes: (98,681 * 1.75 + 16,376 * 1.71) / 115,057
    9: {"temp.reads": 1_981_420, "temp.read_ms": 0.1, "temp.write_ms": 1.7443},
    11: {
        "load.transactions_per_s": 4.3,
        "load.rollbacks_per_s": 4.0,
        "load.executes_per_s": 3907.7,
        "redo.bytes_per_s": 2_285_108.3,
        "load.physical_writes_per_s": 38.1,
    },
    12: {"host.iowait_pct": 3.4, "host.idle_pct": 46.5},
    # 437,496 of 463,669 blocks from the cache; 48,268 of 48,290,141 executions
    15: {"undo.block_write_pct": 94.355, "undo.records_per_rollback": 999.0},
    16: {"undo.read_ms": 28.6, "undo.tablespace_writes": 34_298, "temp.reads": 234},
    # temporary writes: (33 * 8.787 + 200 * 6.95) / 233
    17: {"undo.read_ms": 28.598, "undo.write_ms": 37.923, "temp.write_ms": 7.2102},
    # of undo: (322 * 75.4 + 13 * 10.8) / 335; (468 * 28.6 + 371 * 31.9 + 13 * 20.8) / 852
    18: {"undo.write_ms": 72.893, "undo.elsewhere_read_ms": 29.918},
    # (60,211 * 0.9 + 4,670 * 0.1 + 2,128 * 0.1) / 71,198 without those of undo
    19: {"undo.read_ms": 0.0, "undo.tablespace_writes": 597_086, "temp.writes": 81},
    21: {"undo.max_query_s": 11_467, "undo.snapshot_too_old": 0, "undo.unexpired_steals": 0},
}


@pytest.mark.parametrize("number", EXPECTED)
def test_a_figure_is_read_as_it_stands(number: int) -> None:
    found = values(number)

    for name, value in EXPECTED[number].items():
        assert found[name] == pytest.approx(value, rel=2e-4), name


def test_figure_1_prints_shares_of_the_time_under_a_short_heading() -> None:
    assert row(1, "top_events", 0) == ["log file sync", 21_470_106, 125_416.0, 34.86]
    assert row(1, "top_events", 1) == ["CPU time", None, 68_364.0, 19.0]


@pytest.mark.parametrize(
    ("number", "kind"),
    [
        (1, "statspack-text"),  # `% Total` next to the time: 10g has the average between them
        (2, "statspack-text"), (6, "statspack-text"),  # titles with `for DB: … Instance:`
        (4, "awr-text"), (5, "awr-text"),  # classes of waits
        (8, "awr-text"), (9, "awr-text"),  # SQL ids, services
    ],
)  # fmt: skip
def test_a_figure_is_of_the_kind_of_report_that_prints_its_words(number: int, kind: str) -> None:
    assert figure(number).kind == kind


def test_figure_4_has_scattered_headings_and_its_waits_are_read_by_their_averages() -> None:
    """385 s / 22,219 = 17 ms, 122 s / 2,239 = 55 ms; the 3 s of background processes are not in."""
    found = values(4)

    assert row(4, "foreground_events", 0)[:5] == [
        "log file switch (checkpoint", 22_219, 0.0, 385.0, 17.0,
    ]  # fmt: skip
    assert found["redo.log_switch_wait_s"] == 385 + 122
    assert found["checkpoint.incomplete_wait_s"] == 385


SCATTERED = """\
Foreground Wait Events
                Avg
                Waits
                % DB
-----
log file sync           22,219       0     385      {each}     0.0    4.0
log file switch          2,239       0     122      55     0.0    1.3
read by other session      200       0       4      20     0.0    1.3
"""


@pytest.mark.parametrize(("each", "read"), [(17, True), (18, False), (40, False)])
def test_a_row_whose_time_is_not_its_average_is_not_read(each: int, *, read: bool) -> None:
    # 385 s are 17.3 ms each: 18 ms would be 400 s, rounded to 0.5 ms 389 to 411
    tables = api.load(SCATTERED.format(each=each).encode()).tables
    names = [each.key for each in tables["foreground_events"].rows]

    assert ("log file sync" in names) is read
    assert names[-2:] == ["log file switch", "read by other session"]


def test_figure_5_has_waits_of_background_processes_below_all_waits() -> None:
    """The title between them is lost: 407 + 404 s of all, 9 waits of 229 ms of background."""
    assert next(each.key for each in figure(5).tables["background_events"].rows) == (
        "log file parallel write"
    )
    assert values(5)["redo.log_switch_wait_s"] == pytest.approx(407 + 404 - 9 * 0.229)


def test_figure_5_has_lost_digits_of_its_elapsed_time_and_its_counters_are_believed() -> None:
    # .28 (mins) between 15:21:45 and 16:17:02
    assert values(5)["load.elapsed_s"] == pytest.approx(55 * 60 + 17, abs=0.5)


def test_figure_7_is_read_by_instance_and_file() -> None:
    table = figure(7).tables["io_timing"]

    assert len(table.rows) == 9
    assert row(7, "io_timing", 0) == [
        "1", "10", "ALRX /dbpreq01/temp02_004.dbf", 32_670, 411_231, 15.7459137,
        3.21591271,
    ]  # fmt: skip
    assert values(7)["temp.tablespaces"] == ("TEMP02",)


def test_figure_7_shows_latencies_of_temporary_writes_by_their_weight() -> None:
    # the three rows of the other instances have 4,238 of 2,672,915 writes
    writes = {411_231: 3.21591271, 404_184: 6.27315777, 406_668: 3.60064475, 419_025: 2.58877394,
              415_731: 4.47436924, 611_838: 10.6046323, 1_925: 7.1942857, 1_332: 0.53978979,
              981: 6.59734964}  # fmt: skip
    mean = sum(count * ms for count, ms in writes.items()) / sum(writes)

    assert values(7)["temp.write_ms"] == pytest.approx(mean)


def test_figures_17_and_18_show_the_files_next_to_undo() -> None:
    loaded, alone = values(17), values(18)

    assert loaded["undo.shared_places"] == ("+DATA2",)
    assert loaded["undo.neighbour_read_ms"] == pytest.approx(1222.3, rel=1e-3)  # 4,076 and 4,042
    assert alone["undo.neighbour_read_ms"] == pytest.approx(19.68, rel=1e-3)  # SYSAUX and SYSTEM


def test_figure_20_prints_names_above_their_figures_without_a_title() -> None:
    table = figure(20).tables["enqueues"]

    assert [r.key.partition("-")[0] for r in table.rows] == ["CF", "JS", "KO", "PV"]
    assert row(20, "enqueues", 0) == [
        "CF-Controlfile Transaction", 28_343, 28_332, 11, 11, 0.0, 34.55,
    ]  # fmt: skip


def test_figure_21_is_read_whole_and_its_last_steal_is_cut_off() -> None:
    assert row(21, "undo_summary", 0) == [
        "2", 437_500, 53_169, 11_467.0, 4, 19.6, 205.0, 0, 0, 0, 0, 0, 259, 768, None,
    ]  # fmt: skip
    table = figure(21).tables["undo_stats"]
    assert len(table.rows) == 20  # 8 below the headings, 12 on the next page, between tabs
    assert sum(table.numbers("undo_blocks")) == 437_458


def test_figure_19_has_53_undo_writes_a_second_and_buffer_waits_of_6_ms() -> None:
    """597,086 writes at 53 per second are an interval of 3 h 08 min; 219 buffers, 6.0 ms each."""
    undo = next(each for each in figure(19).tables["tablespace_io"].rows if each.key == "UNDOTBS1")

    assert undo.number("writes_per_s") == 53
    assert undo.number("buffer_waits") == 219
    assert values(19)["undo.tablespace_writes"] == 597_086
    assert values(19)["undo.buffer_wait_ms"] == 6.0


RANKED = """\
Tablespace	Av Reads	Av Reads/s	Av Rd(ms)	Av Blks/Rd	Av Writes	Av Writes/s
{rows}
"""
ROWS = [
    "DATA	715,082	795	0.7	7.8	24	0", "TEMP	26,339	29	24.6	7.0	30,012	33",
    "USERS	19,954	22	6.1	3.6	16	0",
]  # fmt: skip


@pytest.mark.parametrize(
    ("order", "rank"), [((0, 1, 2), 2), ((1, 0, 2), None), ((2, 1, 0), None), ((0, 1), None)]
)
def test_a_rank_is_known_only_of_a_list_with_the_most_io_first(
    order: tuple[int, ...], rank: int | None
) -> None:
    text = RANKED.format(rows="\n".join(ROWS[n] for n in order))
    fact = api.facts_of(api.load(text.encode()))["temp.io_rank"]

    assert fact.value == rank
    assert fact.note == ("TEMP, among 3 listed" if rank else "an excerpt may lack tablespaces")
