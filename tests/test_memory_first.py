"""What is said about memory, neighbours and statements before any storage is bought."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest
from figures import analysis, facts, files, parameters, section, statistics, tablespaces, waits
from test_commands import case_of

from awrlens.advice import temp
from awrlens.model import with_parts
from awrlens.render import first_screen

if TYPE_CHECKING:
    from awrlens.model import Analysis, Recommendation

ADVISORY = ("PGA Target Est (MB)", "Size Factr", "W/A MB Processed",
            "Estd Extra W/A MB Read/ Written to Disk", "Estd P Cache Hit %",
            "Estd PGA Overallo Count")  # fmt: skip
TEMP = tablespaces(
    "TEMP | 90,000 | 25 | 9.1 | 7.0 | 60,000 | 16 | 0 | 0.0",
    "DATA | 40,000 | 11 | 6.0 | 1.0 | 10,000 | 3 | 0 | 0.0",
)
WAITED = waits(
    "direct path write temp | 52,000 | 0 | 1,200 | 23 | 0.1 | 4.0",
    "direct path read temp | 80,000 | 0 | 800 | 10 | 0.1 | 2.7",
)
PASSES = statistics(
    "workarea executions - multipass | 120",
    "workarea executions - onepass | 900",
    "workarea executions - optimal | 80,000",
    "physical reads direct temporary tablespace | 640,000",
    "physical writes direct temporary tablespace | 640,000",
    "sorts (disk) | 40",
    "sorts (memory) | 79,960",
)
CLASSES = (
    "PGA Aggr Target Histogram",
    ("Low Optimal", "High Optimal", "Total Execs", "Optimal Execs", "1-Pass Execs", "M-Pass Execs"),
)
HISTOGRAM = section(*CLASSES,
    ["2K | 4K | 70,000 | 70,000 | 0 | 0", "8M | 16M | 9,800 | 9,000 | 800 | 0",
     "64M | 128M | 1,220 | 1,000 | 100 | 120"],
)  # fmt: skip
SUMMARY = section(
    "PGA Aggr Summary",
    ("PGA Cache Hit %", "W/A MB Processed", "Extra W/A MB Read/Written"),
    ["80.0 | 40,000 | 10,000"],
)


def advisory(*rows: str) -> str:
    """Rows of the advisory: target, factor, extra MB, over-allocations."""
    cells = [[cell.strip() for cell in row.split("|")] for row in rows]
    return section("PGA Memory Advisory", ADVISORY,
                   [f"{mb} | {factor} | 40,000.0 | {extra} | 90.0 | {over}"
                    for mb, factor, extra, over in cells])  # fmt: skip


RISING = advisory(
    "500 | 0.5 | 30,000.0 | 900", "1,000 | 1.0 | 20,000.0 | 40", "1,200 | 1.2 | 9,000.0 | 2",
    "2,000 | 2.0 | 4,900.0 | 0", "4,000 | 4.0 | 4,800.0 | 0", "8,000 | 8.0 | 4,000.0 | 0",
)  # fmt: skip
MEMORY = section(
    "Memory Statistics",
    ("Memory", "Begin", "End"),
    ["Host Mem (MB): | {host} | {host}", "SGA use (MB): | 4,000.0 | 4,000.0"],
)


def plan(found: Analysis, name: str) -> Recommendation:
    (item,) = [each for each in found.recommendations if each.id == name]
    return item


def test_the_target_is_the_smallest_without_over_allocation_whose_gain_is_flat() -> None:
    found = facts(RISING, SUMMARY)

    # 8,000 MB would end 900 MB more than 2,000: 4.5 % of what goes to disk now
    assert found["pga.recommended_target_mb"].value == 2_000
    assert found["pga.recommended_ends_pct"].value == pytest.approx(75.5)
    assert found["pga.remaining_extra_mb"].value == pytest.approx(10_000 * 4_900 / 20_000)
    assert found["pga.remaining_extra_mb"].status == "estimated"
    assert found["pga.over_allocations"].value == 40


def test_an_advisory_that_expects_less_than_the_interval_had_is_an_upper_bound() -> None:
    small = RISING.replace("20,000.0", "9,999.0")
    found = facts(small, SUMMARY)["pga.remaining_extra_mb"]

    assert found.status == "unavailable"
    assert "expects 9,999 MB at the present target since startup" in found.note
    item = plan(analysis(TEMP, WAITED, PASSES, SUMMARY, small), "more-work-area-memory")
    assert "At most, it avoids" in item.action
    assert item.benefit.least_pct_db_time == 0.0


def words_on_temp(*sections: str) -> str:
    (tile,) = (each for each in first_screen.tiles(analysis(*sections)) if each.name == "temp")
    return " · ".join(tile.words)


def test_the_line_on_temp_has_the_over_allocations_at_the_present_target_with_their_row() -> None:
    found = facts(TEMP, RISING, SUMMARY)["pga.over_allocations"]
    (row,) = found.evidence

    assert f"PGA target exceeded 40 times since startup (line {row.line})" in words_on_temp(
        TEMP, RISING, SUMMARY
    )
    assert "1,000" in row.row


def test_a_target_that_was_never_exceeded_is_not_in_the_line_on_temp() -> None:
    flat = advisory("500 | 0.5 | 0.0 | 9", "1,000 | 1.0 | 0.0 | 0", "2,000 | 2.0 | 0.0 | 0")

    assert "over-allocations" not in words_on_temp(TEMP, flat, SUMMARY)


@pytest.mark.parametrize(
    ("target_mb", "ends_pct", "advised"),
    [(2_000.0, 86.0, True), (1_000.0, 86.0, False), (2_000.0, 0.0, False), (2_000.0, None, False)],
)
def test_a_larger_target_is_advised_where_the_advisory_shows_a_gain(
    target_mb: float, ends_pct: float | None, advised: bool
) -> None:
    known: dict[str, Any] = {"pga.target_mb": 1_000.0, "pga.recommended_target_mb": target_mb}
    known |= {} if ends_pct is None else {"pga.recommended_ends_pct": ends_pct}

    assert (temp.more_work_area_memory(case_of("19.0.0.0.0", **known)) is not None) == advised


def test_no_smaller_target_than_the_present_is_recommended() -> None:
    flat = advisory("500 | 0.5 | 0.0 | 0", "1,000 | 1.0 | 0.0 | 0", "2,000 | 2.0 | 0.0 | 0")
    found = facts(flat)

    assert found["pga.recommended_target_mb"].value == 1_000
    assert found["pga.recommended_ends_pct"].value == 0
    assert "no disk I/O" in found["pga.recommended_ends_pct"].note


def test_where_every_target_over_allocates_the_gain_decides_and_it_is_said() -> None:
    short = advisory("100 | 1.0 | 9,000.0 | 80", "400 | 4.0 | 1,000.0 | 9", "800 | 8.0 | 990.0 | 8")
    found = facts(short)

    assert found["pga.recommended_target_mb"].value == 400
    assert "at least 8 over-allocations remain" in found["pga.recommended_target_mb"].note


def test_the_plan_names_the_target_what_it_ends_and_what_remains() -> None:
    found = analysis(TEMP, WAITED, PASSES, HISTOGRAM, SUMMARY, RISING)
    item = plan(found, "more-work-area-memory")

    assert "from 1,000 MB to 2,000 MB" in item.action
    assert "avoids 76 % of the extra I/O of work areas" in item.action
    assert "2.39 GB of 9.77 GB in the interval would remain" in item.action
    assert "ALTER SYSTEM SET pga_aggregate_target=2000M SCOPE=BOTH;" in item.commands
    assert item.rollback == ("ALTER SYSTEM SET pga_aggregate_target=1000M SCOPE=BOTH;",)
    assert item.status == "apply"
    assert item.benefit.seconds == pytest.approx(2_000 * 0.755)


def test_work_areas_that_a_larger_target_cannot_hold_are_not_counted_as_saved() -> None:
    """Both needed 1 GB or more, and 2,000 MB allow about twice the present 100 MB."""
    large = section(
        *CLASSES, ["2K | 4K | 80,000 | 80,000 | 0 | 0", "1G | 2G | 1,020 | 0 | 900 | 120"]
    )
    bound = section(
        "PGA Aggr Target Stats",
        ("", "PGA Aggr Target(M)", "PGA Mem Alloc(M)", "Global Mem Bound(K)"),
        ["B | 1,000 | 900 | 102,400", "E | 1,000 | 900 | 102,400"],
    )
    item = plan(
        analysis(TEMP, WAITED, PASSES, large, bound, SUMMARY, RISING), "more-work-area-memory"
    )

    assert "needed at least 1 GB, and one may then have about 200 MB" in item.action
    assert item.benefit.seconds is None


def test_memory_that_the_host_has_not_is_to_be_found_first() -> None:
    found = analysis(TEMP, WAITED, PASSES, SUMMARY, RISING, MEMORY.replace("{host}", "6,400.0"))
    item = plan(found, "more-work-area-memory")

    assert found.facts["pga.recommended_host_pct"].value == pytest.approx(93.75)
    assert item.status == "tune-first"
    assert item.action.startswith("Do not yet increase")
    assert not any("ALTER SYSTEM" in command for command in item.commands)
    assert "94 % of host memory" in item.action
    assert item.benefit.seconds is None  # the host cannot bear the change that would save it


def test_where_the_advisory_ends_before_the_gain_is_flat_larger_targets_may_gain_more() -> None:
    rising = advisory("1000 | 1.0 | 9,000.0 | 0", "2000 | 2.0 | 4,500.0 | 0")
    ended = advisory("1000 | 1.0 | 9,000.0 | 0", "2000 | 2.0 | 9.0 | 0")
    said = [
        plan(analysis(TEMP, WAITED, PASSES, SUMMARY, each), "more-work-area-memory").action
        for each in (rising, ended)
    ]

    assert "In the PGA Memory Advisory, larger targets than its last may gain more." in said[0]
    assert "In the PGA Memory Advisory, larger targets gain little more." in said[1]


def test_the_largest_target_that_the_host_has_memory_for_is_advised_before_a_larger_host() -> None:
    """SGA and PGA may take 80 % of 6,400 MB: 1,120 MB of PGA, and less with a smaller host."""
    rising = advisory(
        "1000 | 1.0 | 9,000.0 | 0", "1100 | 1.1 | 4,500.0 | 0", "2000 | 2.0 | 100.0 | 0"
    )
    host = MEMORY.replace("{host}", "6,400.0")
    item = plan(analysis(TEMP, WAITED, PASSES, SUMMARY, rising, host), "more-work-area-memory")

    assert (item.title, item.status) == ("Increase PGA_AGGREGATE_TARGET to 1,100 MB", "apply")
    assert "2,000 MB avoids 99 %, but takes 94 % of the host's memory with the SGA" in item.action
    assert "avoids 50 % of the extra I/O of work areas" in item.action
    smaller = MEMORY.replace("{host}", "6,300.0")
    item = plan(analysis(TEMP, WAITED, PASSES, SUMMARY, rising, smaller), "more-work-area-memory")
    assert item.status == "tune-first"


@pytest.mark.parametrize(
    ("free_mb", "inactive_mb", "status"),
    [(900, 100, "apply"), (900, 99, "tune-first"), (999, None, "tune-first")],
)
def test_no_more_memory_is_advised_than_the_host_has_free(
    free_mb: int, inactive_mb: int | None, status: str
) -> None:
    rows = [f"FREE_MEMORY_BYTES | {5_000 * 2**20} | {free_mb * 2**20}"]
    if inactive_mb is not None:
        rows.append(f"INACTIVE_MEMORY_BYTES | {inactive_mb * 2**20} |")
    memory = section("Operating System Statistics", ("Statistic", "Value", "End Value"), rows)
    found = analysis(TEMP, WAITED, PASSES, SUMMARY, RISING, memory)
    item = plan(found, "more-work-area-memory")

    assert found.facts["pga.host_free_mb"].value == free_mb + (inactive_mb or 0)
    assert item.status == status  # from 1,000 to 2,000 MB
    if status == "tune-first":
        assert not any("ALTER SYSTEM" in command for command in item.commands)
        assert "It takes 1,000 MB more, but the host has 999 MB free." in item.action


def test_what_temporary_tables_write_is_not_promised_to_memory() -> None:
    tables = SUMMARY.replace("10,000", " 2,000")
    found = analysis(TEMP, WAITED, PASSES, tables, RISING)
    item = plan(found, "more-work-area-memory")

    assert found.facts["pga.temp_share_pct"].value == pytest.approx(20.0)
    assert "Work areas cause 20 % of the temporary I/O" in item.action
    assert item.benefit.seconds == pytest.approx(2_000 * 0.755 * 0.2)


def test_the_histogram_tells_where_the_passes_are() -> None:
    found = facts(HISTOGRAM, PASSES)

    assert found["pga.spilled_classes"].value == (
        "8M to 16M: 800 one-pass", "64M to 128M: 100 one-pass, 120 multi-pass",
    )  # fmt: skip
    assert found["pga.spilled_classes"].note == (
        "most passes in 8M to 16M, most of the data in 64M to 128M (220 passes)"
    )
    assert found["pga.largest_spill_mb"].value == 128
    assert found["temp.sorts_disk_pct"].value == pytest.approx(0.05)


def test_work_areas_sized_by_hand_are_spoken_of_by_their_sizes() -> None:
    by_hand = parameters(
        "workarea_size_policy | MANUAL", "sort_area_size | 1048576", "hash_area_size | 2097152"
    )
    found = analysis(TEMP, WAITED, PASSES, by_hand, RISING)
    item = plan(found, "size-work-areas")

    assert found.facts["pga.work_area_policy"].value == "manual"
    assert "SORT_AREA_SIZE is 1,048,576 bytes; HASH_AREA_SIZE is 2,097,152 bytes" in item.action
    assert all(each.id != "more-work-area-memory" for each in found.recommendations)


def test_automatic_memory_sizes_work_areas_though_the_pga_target_is_0() -> None:
    shared = facts(parameters("memory_target | 4294967296", "pga_aggregate_target | 0"))
    none = facts(parameters("pga_aggregate_target | 0", "sort_area_size | 1048576"))

    assert shared["pga.work_area_policy"].value == "auto"
    assert none["pga.work_area_policy"].value == "manual"


def test_a_statement_that_spills_is_named_with_its_row_source() -> None:
    top = """Top SQL with Top Events  DB/Inst: AULTDB/aultdb1  Snaps: 108-111

              SQL ID              Plan Hash           Executions     % Activity
----------------------- -------------------- -------------------- --------------
Event                          % Event Top Row Source                    % RwSrc
------------------------------ ------- --------------------------------- -------
          7qk2m9x1c4d8z           2193847561                    3          21.40
direct path write temp           14.20 HASH JOIN                           11.00
SELECT o.region, SUM(o.amount) FROM orders o JOIN parts p ON p.id = o.part GROUP BY o.region

          4tz0r5h3x6y1b           1193847562                   12           9.10
CPU + Wait for CPU                9.10 TABLE ACCESS - FULL                  9.10
SELECT COUNT(*) FROM parts

          -------------------------------------------------------------
"""
    found = analysis(TEMP, WAITED, PASSES, SUMMARY, top, release="19.0.0.0.0")
    item = plan(found, "tune-spilling-statements")

    assert found.facts["temp.spilling_sql"].value == ("7qk2m9x1c4d8z",)
    assert found.facts["temp.spilling_sql_pct"].value == pytest.approx(14.2)
    assert "TEMP006" in {each.id for each in with_parts(found.findings)}
    assert "7qk2m9x1c4d8z" in item.title
    assert "HASH JOIN" in item.action
    assert "sql_id IN ('7qk2m9x1c4d8z')" in item.commands[0]


def test_temporary_tables_are_looked_for_where_work_areas_write_little() -> None:
    found = analysis(TEMP, WAITED, PASSES, SUMMARY.replace("10,000", "     0"))
    item = plan(found, "tune-spilling-statements")

    assert "temporary tables, materialized WITH subqueries and LOBs" in item.action
    assert all("v$sql_workarea" not in command for command in item.commands)


def test_where_no_work_area_spills_temporary_lobs_and_tables_are_looked_for() -> None:
    none = PASSES.replace("120", "  0").replace("900", "  0")
    item = plan(analysis(TEMP, WAITED, none, SUMMARY), "tune-spilling-statements")

    assert "Find the SQL that uses temporary tables or temporary LOBs" == item.title
    assert all("v$sql_workarea" not in command for command in item.commands)


def test_without_samples_the_plan_has_the_query_that_finds_them() -> None:
    item = plan(analysis(TEMP, WAITED, PASSES, SUMMARY), "tune-spilling-statements")

    assert "v$sql_workarea" in item.commands[0]
    assert "v$tempseg_usage" in item.commands[1]


def test_the_queries_find_what_spills_now() -> None:
    """Work areas by what they spilled last; blocks added by module and SQL, most first."""
    item = plan(analysis(TEMP, WAITED, PASSES, SUMMARY), "tune-spilling-statements")
    views: dict[str, list[tuple[str | int | None, ...]]] = {
        "v$sql_workarea": [
            ("q1", "SORT", 0, 0, None), ("q2", "HASH-JOIN", 3, 0, 20 * 2**20),
            ("q3", "BITMAP MERGE", 1, 2, 70 * 2**20),
        ],
        "v$session": [("s1", "load"), ("s2", "report")],
        "v$tempseg_usage": [
            ("s1", "q2", "HASH", 100), ("s1", "q2", "HASH", 28), ("s2", "q3", "SORT", 512),
        ],
    }  # fmt: skip
    columns = {
        "v$sql_workarea": "sql_id, operation_type, onepass_executions, multipasses_executions, "
        "last_tempseg_size",
        "v$session": "saddr, module",
        "v$tempseg_usage": "session_addr, sql_id, segtype, blocks",
    }
    with closing(sqlite3.connect(":memory:")) as base:
        for name, rows in views.items():
            base.execute(f"CREATE TABLE {name} ({columns[name]})")
            marks = ", ".join("?" * len(rows[0]))
            base.executemany(f"INSERT INTO {name} VALUES ({marks})", rows)  # noqa: S608
        areas, now = (base.execute(each).fetchall() for each in item.commands[:2])

    assert [("q3", "BITMAP MERGE", 1, 2, 70), ("q2", "HASH-JOIN", 3, 0, 20)] == areas
    assert [("report", "q3", "SORT", 512), ("load", "q2", "HASH", 128)] == now


@pytest.mark.parametrize(
    ("temp", "data", "shared"),
    [
        ("+DATA/x/tempfile/temp.1.2", "+data/x/datafile/users.3.4", ("+DATA",)),
        ("+TEMP/x/tempfile/temp.1.2", "+DATA/x/datafile/users.3.4", ()),
        ("/u02/x/tempfile/o1_mf_t.tmp", "/u02/x/datafile/o1_mf_u.dbf", ("/u02/x",)),
        ("/u02/x/temp01.dbf", "/u03/x/users01.dbf", ()),
        (r"F:\ora\temp01.dbf", r"f:\data\users01.dbf", ("F:",)),
        (r"F:\ora\temp01.dbf", r"G:\ora\users01.dbf", ()),
    ],
)
def test_a_place_is_a_disk_group_a_drive_or_a_directory(
    temp: str, data: str, shared: tuple[str, ...]
) -> None:
    found = facts(
        files(
            f"TEMP | {temp} | 600 | 1 | 9.0 | 1.0 | 400 | 1 | 0 | 0.0",
            f"USERS | {data} | 3,000 | 1 | 12.0 | 1.0 | 0 | 0 | 0 | 0.0",
        )
    )

    assert found["temp.shared_places"].value == shared
    if shared:
        assert found["temp.shared_place_io_pct"].value == 25.0
        assert found["temp.neighbour_read_ms"].value == 12.0


def test_a_read_time_that_is_not_known_is_not_a_fast_one() -> None:
    found = facts(
        files(
            "TEMP | /u02/temp01.dbf | 600 | 1 | 9.0 | 1.0 | 400 | 1 | 0 | 0.0",
            "USERS | /u02/users01.dbf | 3,000 | 1 | 12.0 | 1.0 | 0 | 0 | 0 | 0.0",
            "USERS | /u02/users02.dbf | 9,000 | 1 | N/A | 1.0 | 0 | 0 | 0 | 0.0",
        )
    )

    assert found["temp.neighbour_read_ms"].value == 12.0


def test_undo_advice_has_the_size_and_what_a_crash_recovery_leaves_to_roll_back() -> None:
    undo = section(
        "Undo Segment Summary",
        ("Undo TS#", "Num Undo Blocks (K)", "Number of Transactions", "Max Qry Len (s)",
         "Max Tx Concurcy", "Min/Max TR (mins)", "STO/ OOS", "uS/uR/uU/ eS/eR/eU"),
        ["2 | 90.0 | 5,000 | 6,000 | 4 | 15/60 | 2/0 | 7/0/0/0/0/0"],
    ) + section(
        "Undo Segment Stats",
        ("End Time", "Num Undo Blocks", "Number of Transactions", "Max Qry Len (s)",
         "Max Tx Concy", "Tun Ret (mins)", "STO/ OOS", "uS/uR/uU/ eS/eR/eU"),
        ["30-Aug 00:51 | 60,000 | 1,000 | 6,000 | 3 | 15 | 2/0 | 7/0/0/0/0/0"],
    )  # fmt: skip
    rolled = statistics(
        "execute count | 4,000,000", "rollback changes - undo records applied | 6,000,000",
        "transaction rollbacks | 20,000", "user commits | 9,000", "user rollbacks | 24,000",
    )  # fmt: skip
    set_ = parameters("undo_retention | 900", "fast_start_parallel_rollback | HIGH")
    found = analysis(undo, rolled, set_)

    size, less = plan(found, "size-undo"), plan(found, "roll-back-less")
    assert "4,688 MB at 100.0 blocks per second" in size.action
    assert "The longest query ran 6,000 s" in size.action
    assert "300 undo records per rollback" in less.action
    assert any("FAST_START_PARALLEL_ROLLBACK is HIGH" in risk for risk in less.risks)
    # the errors say it: that undo was taken before its time is no second finding
    assert {"UNDO004"} == {f.id for f in found.findings} & {"UNDO004", "UNDO008"}


def test_an_idle_system_is_told_nothing_about_temp_and_undo() -> None:
    idle = waits("direct path write temp | 52 | 0 | 1 | 23 | 0.1 | 0.0")
    found = analysis(TEMP, idle, PASSES, HISTOGRAM, SUMMARY, RISING)

    assert [f.id for f in found.findings if f.id[:4] in ("TEMP", "UNDO")] == []
    before = ("more-", "size-", "tune-", "isolate-", "roll-", "watch-")
    assert [r.id for r in found.recommendations if r.id.startswith(before)] == []


def test_work_areas_have_no_more_than_all_of_the_temporary_io() -> None:
    # 10,000 MB in their own counter, and 1,000 blocks of 8 KB in that of direct I/O
    direct = statistics(
        "physical reads direct temporary tablespace | 500",
        "physical writes direct temporary tablespace | 500",
    )
    share = facts(SUMMARY, direct)["pga.temp_share_pct"]

    assert share.number == 100
    assert "all of it is theirs" in share.note
