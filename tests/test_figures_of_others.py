"""Figures that stand in a report but count something else: idle time, backups, other containers."""

from __future__ import annotations

import figures
import pytest
import samples
from figures import facts, parameters, section, statistics, tablespaces, waits

from awrlens import api

FILETYPE = section(
    "IOStat by Filetype summary",
    ("Filetype Name", "Reads: Data", "Reqs per sec", "Data per sec", "Writes: Data",
     "Reqs per sec", "Data per sec", "Small Read", "Large Read"),
    ["Data File | 800M | 80.00 | 0.100M | 100M | 10.00 | 0.010M | 1.00 | 9.00",
     "Temp File | 900M | 20.00 | 0.100M | 900M | 30.00 | 0.100M | 4.00 | 9.00"],
)  # fmt: skip
#: The temporary tablespace of the root alone: 10 reads and 20 writes in 1,200 seconds.
OF_THE_ROOT = tablespaces(
    "USERS | 70,000 | 70.0 | 2.0 | 1.0 | 9,000 | 9.0 | 0 | 0.0",
    "TEMP | 10 | 0.0 | 1.0 | 1.0 | 20 | 0.0 | 0 | 0.0",
)


def shares(*sections: str) -> dict[str, float]:
    """Seconds of DB time by consumer."""
    overview = figures.analysis(*sections, db_time_s=1_000.0).overview
    assert overview is not None
    return {each.name: each.seconds for each in overview.db_time}


def test_an_event_without_a_share_behind_all_others_is_idle_whatever_its_name() -> None:
    found = shares(waits(
        "db file sequential read | 90,000 | 0 | 600 | 7 | 1.0 | 60.0",
        "gc current request | 10 | 0 | 0 | 1 | 0.0 | .0",
        "some wait of a later release | 70,000 | 0 | 90,000 | 1286 | 1.0 | ",
    ))  # fmt: skip

    assert found["db file sequential read"] == 600.0
    assert not any("later release" in name for name in found)


def test_an_event_whose_share_is_lost_still_counts() -> None:
    found = shares(waits(
        "db file sequential read | 90,000 | 0 | 300 | 3 | 1.0 | 30.0",
        "some other wait | 70,000 | 0 | 200 | 3 | 1.0 | ",
        "gc current request | 5,000 | 0 | 100 | 20 | 0.0 | 10.0",
    ))  # fmt: skip

    assert found["some other wait"] == 200.0


#: 10.2 prints no share; the times descend, and begin anew with the idle events.
_EVENTS_10G = ("Event", "Waits", "%Time -outs", "Total Wait Time (s)", "Avg wait (ms)",
               "Waits /txn")  # fmt: skip

BACKGROUND = section(
    "Background Wait Events", _EVENTS_10G, ["rdbms ipc message | 9 | 0 | 9 | 1000 | 0.0"]
)


def test_events_behind_the_place_where_descending_times_begin_anew_are_idle() -> None:
    found = shares(section("Wait Events", _EVENTS_10G, [
        "db file sequential read | 90,000 | 0 | 600 | 7 | 1.0",
        "latch free | 10 | 0 | 1 | 100 | 0.0",
        "Streams capture: waiting for archive log | 900 | 0 | 50,000 | 55,555 | 0.0",
        "SQL*Net message from client | 70,000 | 0 | 40,000 | 571 | 1.0",
    ]), BACKGROUND)  # fmt: skip

    assert found["db file sequential read"] == 600.0
    assert not any(name.startswith("Streams") for name in found)


def test_a_list_in_another_order_loses_no_event() -> None:
    found = shares(section("Wait Events", _EVENTS_10G, [
        "latch free | 90,000 | 0 | 50 | 1 | 1.0",
        "db file sequential read | 80,000 | 0 | 300 | 4 | 1.0",
        "db file scattered read | 70,000 | 0 | 400 | 6 | 1.0",
        "SQL*Net message from client | 60,000 | 0 | 40,000 | 571 | 1.0",
    ]), BACKGROUND)  # fmt: skip

    assert found["db file sequential read"] == 300.0
    assert found["db file scattered read"] == 400.0


def test_temp_of_pluggable_databases_comes_from_the_types_of_files() -> None:
    found = facts(OF_THE_ROOT, FILETYPE, elapsed_s=1_200.0)

    assert found["temp.reads"].value == 24_000  # 20 a second
    assert found["temp.writes_per_s"].value == 30
    # by size: 0.2 of 0.31 MB a second
    assert found["temp.io_share_pct"].number == pytest.approx(100 * 0.2 / 0.31)
    assert "lacks temporary tablespaces" in found["temp.reads"].note
    assert found["temp.io_rank"].value is None


def test_temp_is_that_of_the_tablespaces_if_these_are_all() -> None:
    found = facts(
        tablespaces("USERS | 70,000 | 70.0 | 2.0 | 1.0 | 9,000 | 9.0 | 0 | 0.0",
                    "TEMP | 23,900 | 19.9 | 1.0 | 1.0 | 35,900 | 29.9 | 0 | 0.0"),
        FILETYPE, elapsed_s=1_200.0,
    )  # fmt: skip

    assert found["temp.reads"].value == 23_900
    assert found["temp.io_rank"].value == 2


def test_temp_in_all_blocks_written_counts_blocks() -> None:
    found = facts(statistics("physical writes | 5,000",
                             "physical writes direct temporary tablespace | 4,000"))  # fmt: skip

    assert found["temp.block_write_pct"].value == 80.0


UNDO = parameters("undo_tablespace | UNDOTBS1")


@pytest.mark.parametrize(("blocks", "seconds"), [("1.0", 20.0), ("98.8", None)])
def test_reads_of_undo_with_many_blocks_are_a_backup(blocks: str, seconds: float | None) -> None:
    found = facts(
        tablespaces(f"UNDOTBS1 | 2,000 | 2.0 | 10.0 | {blocks} | 900 | 0.9 | 0 | 0.0"), UNDO
    )

    assert found["undo.read_wait_s"].value == seconds  # 2,000 reads of 10 ms
    assert found["undo.read_ms"].value == (10.0 if seconds else None)
    assert ("a backup" in found["undo.read_wait_s"].note) is (seconds is None)


def recovery(estimated: int) -> str:
    headings = ("", "Targt MTTR (s)", "Estd MTTR (s)", "Recovery Estd IOs", "Actual Redo Blks",
                "Target Redo Blks", "Log Sz RedoBlks")  # fmt: skip
    row = f"0 | {estimated} | 4,849 | 300,322 | 331,776 | 331,776"
    return section("Instance Recovery Stats", headings, [f"B | {row}", f"E | {row}"])


@pytest.mark.parametrize(("printed", "estimated"), [(0, None), (15, 15)])
def test_an_estimated_recovery_time_of_0_is_no_estimate(
    printed: int, estimated: int | None
) -> None:
    found = facts(recovery(printed))

    assert found["checkpoint.estimated_mttr_s"].value == estimated
    assert found["checkpoint.estimated_mttr_high_s"].value == estimated
    assert found["checkpoint.estimated_ios"].value == 4_849


def test_log_switches_of_a_cluster_are_those_of_an_instance() -> None:
    whole = samples.analysis("redo-cluster.awr-rac-11.2.html")
    switches = next(
        item.value for item in whole.facts["redo.log_switches_per_hour"].evidence
        if isinstance(item.value, int)
    )  # fmt: skip
    elapsed, instances = (whole.facts[f"load.{each}"].number for each in ("elapsed_s", "instances"))

    assert elapsed is not None
    assert instances == 2
    rate = switches * 3600 / elapsed / 2
    assert whole.facts["redo.log_switches_per_hour"].number == pytest.approx(rate)
    assert whole.facts["redo.minutes_per_switch"].number == pytest.approx(60 / rate)


THREAD = section("Instance Activity Stats - Thread Activity", ("Statistic", "Total", "per Hour"),
                 ["log switches (derived) | 4 | 4.8"])  # fmt: skip


def test_archive_lag_target_is_compared_with_the_time_between_switches() -> None:
    lag = facts(THREAD, parameters("archive_lag_target | 900"), elapsed_s=3_000.0)

    assert lag["redo.archive_lag_target_s"].value == 900
    assert lag["redo.lag_share_pct"].number == pytest.approx(100 * 750 / 900)
    assert facts(THREAD, parameters("archive_lag_target | 0"))["redo.lag_share_pct"].value is None


def test_a_report_whose_writes_are_all_direct_has_none_of_dbwr() -> None:
    alone = facts(statistics("physical writes | 116", "physical writes direct | 116",
                             "physical writes non checkpoint | 116"))  # fmt: skip

    assert alone["checkpoint.write_pct"].value is None
    assert "no writes of DBWR" in alone["checkpoint.write_pct"].note


@pytest.mark.parametrize("seconds", [40, 400])
def test_a_capacity_of_dbwr_is_its_writes_by_the_time_that_they_took(seconds: int) -> None:
    row = f"db file parallel write | 9,000 | 0 | {seconds} | {seconds / 9:.0f} | 1.0 | 9.0"
    event = section("Background Wait Events", figures.EVENTS, [row])
    found = facts(event, statistics("physical writes from cache | 80,000"),
                  parameters("db_writer_processes | 1"), elapsed_s=1_200.0)  # fmt: skip

    assert found["checkpoint.dbwr_busy_pct"].number == pytest.approx(seconds / 12)
    # 80,000 blocks in 40 or 400 s of writing
    assert found["checkpoint.dbwr_capacity_per_s"].number == 80_000 / seconds


def test_the_share_of_backups_is_that_of_all_bytes() -> None:
    headings = ("Function Name", "Reads: Data", "Reqs per sec", "Data per sec", "Writes: Data",
                "Reqs per sec", "Data per sec", "Waits: Count", "Avg Tm(ms)")  # fmt: skip
    rows = ["RMAN | 270M | 1 | 1M | 30M | 1 | 1M | 1 | 1.0",
            "Others | 80M | 1 | 1M | 20M | 1 | 1M | 1 | 1.0",
            "TOTAL: | 350M | 1 | 1M | 50M | 1 | 1M | 1 | 1.0"]  # fmt: skip

    found = facts(section("IOStat by Function summary", headings, rows))
    lost = facts(
        section("IOStat by Function summary", headings, [rows[0], rows[1].replace("80M", "###")])
    )

    assert found["io.backup_pct"].number == pytest.approx(75.0)
    assert lost["io.backup_pct"].value is None


def test_a_figure_in_the_column_of_names_makes_the_event_unknown_not_0() -> None:
    text = samples.path("redo-disk.awr-11.2.txt").read_text(encoding="utf-8")
    line = next(each for each in text.split("\n") if each.startswith("log buffer space"))
    shifted = f"{'log buffer space  1,904':<{len(line) - 20}}{line[-20:]}"

    found = api.facts_of(api.load(text.replace(line, shifted).encode()))["redo.buffer_wait_s"]

    assert found.value is None
    assert "cannot be split into columns" in found.note


def test_times_that_oracle_calls_invalid_are_a_warning() -> None:
    text = samples.path("redo-compared.awr-diff-11.2.txt").read_text(encoding="utf-8")
    words = "WARNING: timed_statistics setting changed between begin/end snaps: TIMINGS ARE INVALID"

    (found,) = (
        each for each in api.load(f"{words}\n{text}".encode()).warnings if "times" in each[0]
    )

    assert found.line == 1
    assert not any("times" in each[0] for each in api.load(text.encode()).warnings)


def test_a_wait_class_in_the_report_tells_that_an_event_is_not_idle() -> None:
    # idle by its name, which Statspack 9i lists so; of class Network since 10g
    waiting = section("Wait Events", _EVENTS_10G, [
        "SQL*Net more data from client | 25,623,980 | 0 | 900 | 0 | 1.7",
        "db file sequential read | 90,000 | 0 | 90 | 1 | 1.0",
    ])  # fmt: skip
    top = section(
        "Top 5 Timed Events",
        ("Event", "Waits", "Time(s)", "Avg Wait(ms)", "% Total Call Time", "Wait Class"),
        ["SQL*Net more data from client | 25,623,980 | 900 | 0 | 90.0 | Network"],
    )

    assert shares(waiting, top, BACKGROUND)["SQL*Net more data from client"] == 900
    assert "SQL*Net more data from client" not in shares(waiting, BACKGROUND)


def test_an_idle_event_that_is_no_part_of_db_time_stays_idle_in_any_wait_class() -> None:
    waiting = section("Wait Events", _EVENTS_10G, [
        "dispatcher listen timer | 8,640 | 100 | 518,390 | 60,000 | 1.7",
        "db file sequential read | 90,000 | 0 | 600 | 7 | 1.0",
    ])  # fmt: skip
    for share in ("956.1", ""):
        top = section(
            "Top 5 Timed Events",
            ("Event", "Waits", "Time(s)", "Avg Wait(ms)", "% Total Call Time", "Wait Class"),
            [f"dispatcher listen timer | 8,640 | 518,390 | 60,000 | {share} | Network",
             "db file sequential read | 90,000 | 600 | 7 | 60.0 | User I/O"],
        )  # fmt: skip

        assert "dispatcher listen timer" not in shares(waiting, top, BACKGROUND)


_CLASSES = ("Class", "Waits", "Total Wait Time (s)", "Avg Time (ms)")


def _undo(*classes: str, waits: str) -> dict[str, float | None]:
    found = facts(
        section("Buffer Wait Statistics", _CLASSES, list(classes)),
        tablespaces("UNDOTBS1 | 53 | 0 | 1.3 | 1 | 24,142 | 1 | " + waits),
    )
    return {name: found[f"undo.{name}"].number for name in ("buffer_wait_s", "buffer_wait_ms")}


def test_waits_for_headers_of_files_are_not_waits_for_undo_blocks() -> None:
    # the undo tablespace has 6,838 waits of 7.8 ms: those for the headers of its files
    found = _undo(
        "file header block | 109 | 53 | 488", "undo header | 326 | 0 | 0",
        "undo block | 6,403 | 0 | 0", waits="6,838 | 7.8",
    )  # fmt: skip

    assert found == {"buffer_wait_s": 0, "buffer_wait_ms": 0}


def test_waits_for_undo_blocks_count_that_the_tablespace_lacks() -> None:
    found = _undo("undo block | 3,429 | 134 | 39", "undo header | 7,333 | 52 | 7", waits="29 | 0.0")

    assert found["buffer_wait_s"] == 186
    assert found["buffer_wait_ms"] == pytest.approx(186_000 / (3_429 + 7_333))


@pytest.mark.parametrize(("rac", "share"), [("YES", 90), (" NO", None)])
def test_undo_of_other_instances_is_told_from_the_own_by_the_parameter(
    rac: str, share: int | None
) -> None:
    """Outside a cluster, the second one is the instance's own: it was changed, or is to be."""
    sections = (
        parameters("undo_tablespace | UNDOTBS1"),
        tablespaces(
            "UNDO_2 | 53 | 0 | 1.3 | 1 | 24,142 | 1 | 900 | 4.8",
            "UNDOTBS1 | 53 | 0 | 1.3 | 1 | 24,142 | 1 | 100 | 4.8",
        ),
    )
    text = figures.head().replace("  NO\n", f" {rac}\n") + "\n".join(sections)
    report = api.load(text.encode())
    assert report.identity.rac is (rac == "YES")

    assert api.facts_of(report)["undo.foreign_buffer_wait_pct"].number == share


def test_classes_count_where_no_undo_tablespace_is_recognised() -> None:
    """Neither a parameter nor a name shows which tablespace has undo."""
    found = facts(
        section("Buffer Wait Statistics", _CLASSES, ["undo block | 150 | 3 | 20"]),
        tablespaces("ROLLEN | 53 | 0 | 1.3 | 1 | 24,142 | 1 | 150 | 20.0"),
    )

    assert found["undo.buffer_wait_s"].number == 3


def test_the_tablespace_is_more_exact_where_it_agrees_with_the_classes() -> None:
    found = _undo("undo block | 500 | 2 | 4", waits="500 | 4.8")

    assert found["buffer_wait_s"] == pytest.approx(2.4)
    assert found["buffer_wait_ms"] == pytest.approx(4.8)


def test_waits_that_only_the_top_list_has_give_their_number_and_average() -> None:
    # a report of a cluster names only the first events: 329 + 41 s, 890 + 110 waits
    found = facts(section(
        "Top 5 Timed Foreground Events",
        ("Event", "Waits", "Time(s)", "Avg Wait(ms)", "% DB time", "Wait Class"),
        ["db file sequential read | 90,000 | 600 | 7 | 60.0 | User I/O",
         "log file switch completion | 890 | 329 | 370 | 32.0 | Configuration",
         "log file switch (checkpoint incomplete) | 110 | 41 | 373 | 4.0 | Configuration"],
    ))  # fmt: skip

    assert (1000, "estimated") == (
        found["redo.log_switch_waits"].value, found["redo.log_switch_waits"].status
    )  # fmt: skip
    assert found["redo.log_switch_wait_ms"].number == pytest.approx(370, abs=0.1)
    assert "estimated" == found["redo.log_switch_wait_ms"].status
