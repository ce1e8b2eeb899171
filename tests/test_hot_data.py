"""The tablespaces that sessions wait for: reads × Av Rd(ms), not blocks of segments."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from figures import analysis, facts, files, section, statistics, tablespaces, waits
from test_placement import BUSY, READS, item, read_waits

if TYPE_CHECKING:
    from awrlens.model import Recommendation

ROWS = (
    "ORDERS | 1,000,000 | 81 | 6.0 | 1.0 | 12 | 0 | 0 | 0.0",
    "ORDERS_IX | 500,000 | 40 | 5.0 | 1.0 | 10 | 0 | 0 | 0.0",
    "STOCK | 200,000 | 16 | 2.0 | 1.0 | 9 | 0 | 0 | 0.0",
    "SYSTEM | 4,000 | 0 | 3.0 | 1.0 | 8 | 0 | 0 | 0.0",
)
#: Many blocks, read directly: the times of these reads are not in the report.
SCANNED = "ARCHIVE | 150,000 | 12 | 0.0 | 15.9 | 0 | 0 | 0 | 0.0"
IN_TEMP = "TEMP | 900,000 | 70 | 9.0 | 15.9 | 0 | 0 | 0 | 0.0"


def blocks(direct: str, temporary: str = "1,000") -> str:
    return statistics(
        "physical reads | 10,001,000", f"physical reads direct | {direct}",
        f"physical reads direct temporary tablespace | {temporary}",
    )  # fmt: skip


def hot(*sections: str, release: str = "11.2.0.1.0") -> Recommendation:
    return item(analysis(*sections, read_waits("9,000"), release=release), "hot-segments")


def test_tablespaces_are_ranked_by_reads_times_their_average() -> None:
    found = facts(tablespaces(*ROWS, SCANNED))["io.read_tablespaces"]

    assert found.value == ("ORDERS", "ORDERS_IX")
    assert found.note == "ORDERS: 6,000 s (67 %), ORDERS_IX: 2,500 s (28 %)"
    assert {each.text for each in found.evidence} == {"1,000,000", "6.0", "500,000", "5.0"}


def test_temporary_tablespaces_have_waits_of_their_own() -> None:
    found = facts(tablespaces(*ROWS, IN_TEMP))["io.read_tablespaces"]

    assert found.value == ("ORDERS", "ORDERS_IX")


def test_a_time_that_does_not_fit_its_column_is_not_zero() -> None:
    found = facts(tablespaces(*ROWS, "OLD | 12 | 0 | ###### | 1.0 | 0 | 0 | 0 | 0.0"))
    note = found["io.read_tablespaces"].note

    assert note.endswith("; `####`: the time of 12 other reads does not fit its column")


def test_reads_without_a_time_are_named_if_they_are_many() -> None:
    found = facts(tablespaces(*ROWS, SCANNED.replace("150,000 | 12", "300,000 | 24")))

    assert "; 300,000 reads are shown with 0 ms" in found["io.read_tablespaces"].note


def test_times_of_the_smaller_part_of_the_reads_rank_nothing() -> None:
    found = facts(tablespaces(*ROWS, SCANNED.replace("150,000 | 12", "3,000,000 | 243")))

    assert found["io.read_tablespaces"].value is None
    assert "3,000,000 reads are shown with 0 ms" in found["io.read_tablespaces"].note


def test_a_damaged_time_is_not_zero() -> None:
    found = facts(tablespaces(*ROWS, "OLD | 12,000 | 0 | x | 1.0 | 0 | 0 | 0 | 0.0"))

    assert found["io.read_tablespaces"].value is None


def test_the_share_of_direct_reads_leaves_out_temporary_segments() -> None:
    found = facts(blocks("6,001,000"))["io.direct_read_pct"]

    assert found.number == pytest.approx(60.0)
    assert found.status == "derived"


def test_before_10g_direct_reads_are_counted_together() -> None:
    wide = "parse time that fills the column of names | 5"
    found = facts(statistics("physical reads | 1,000", "physical reads direct | 250", wide))

    assert found["io.direct_read_pct"].number == pytest.approx(25.0)
    assert found["io.direct_read_pct"].status == "estimated"


def test_the_advice_names_the_tablespaces_of_the_waits() -> None:
    """Most blocks are direct path reads: the segments with most of them are not waited for."""
    found = hot(tablespaces(*ROWS), READS, blocks("6,001,000"))

    assert found.title == "Consider the hot tablespaces"
    assert (
        "Tablespaces by read time (reads × Av Rd(ms)): ORDERS: 6,000 s (67 %), ORDERS_IX: "
        "2,500 s (28 %)." in found.action
    )
    assert "SALES.ORDERS" not in found.action
    assert "move these tablespaces to low-latency storage" in found.action


def test_segments_come_second_if_few_blocks_are_direct_reads() -> None:
    found = hot(tablespaces(*ROWS), READS, blocks("1,001,000"))

    assert found.title == "Consider the hot tablespaces and segments"
    assert found.action.index("by read time") < found.action.index("by physical reads")


@pytest.mark.parametrize(("direct", "named"), [("2,000,000", True), ("2,001,000", False)])
def test_from_a_fifth_of_direct_reads_segments_are_not_named(direct: str, *, named: bool) -> None:
    found = analysis(READS, blocks(direct), read_waits("9,000"))

    assert named == any(each.id == "hot-segments" for each in found.recommendations)


@pytest.mark.parametrize(
    ("release", "command", "risks"),
    [
        ("12.1.0.2.0", "ALTER DATABASE MOVE DATAFILE '<file>' TO '<low-latency path>';", 0),
        ("11.2.0.1.0", "ALTER TABLESPACE <tablespace> OFFLINE;", 1),
    ],
)
def test_files_are_moved_as_the_release_can(release: str, command: str, risks: int) -> None:
    found = hot(tablespaces(*ROWS), release=release)

    assert found.commands[0] == command
    assert len(found.risks) == risks


def test_few_waiting_sessions_need_no_other_storage() -> None:
    # a tenth of 12,358 s is 1,236 s, and more than a fifth of a DB time of 5,000 s
    for seconds, named in (("1,200", False), ("1,300", True)):
        event = f"db file sequential read | 200,000 | 0 | {seconds} | 6.0 | 1.0 | 25.0"
        found = analysis(tablespaces(*ROWS), waits(event), db_time_s=5_000.0)

        assert named == any(each.id == "hot-segments" for each in found.recommendations)


SGA = section(
    "SGA Target Advisory",
    ("SGA Target Size (M)", "SGA Size Factor", "Est DB Time (s)", "Est Physical Reads"),
    ["1,024 | 1.00 | 56,257 | 4,514,774", "1,280 | 1.25 | 53,012 | 4,169,845",
     "1,792 | 1.75 | 41,530 | 2,913,835", "2,048 | 2.00 | 41,400 | 2,900,000"],
)  # fmt: skip


def before(*sections: str) -> dict[str, Recommendation]:
    """What is to be done before hot data are moved, in its order."""
    found = analysis(*sections, read_waits("9,000"), release="11.2.0.1.0")
    return {each.id: each for each in found.actions}


def test_a_larger_cache_is_an_action_with_its_gain_its_line_and_its_command() -> None:
    found = facts(SGA)["io.cache_saves_pct"]
    sized = before(SGA, tablespaces(*ROWS))["enlarge-cache"]

    assert found.number == pytest.approx(35.46, abs=0.01)
    assert found.evidence[-1].text == "2,913,835"
    assert sized.title == (
        "Increase SGA_TARGET to 1,792 MB (35 % fewer reads into the cache and 26 % less DB time)"
    )
    assert f"line {found.evidence[-1].line}" in sized.action
    assert sized.commands[0].startswith("ALTER SYSTEM SET sga_target=1792M ")
    # 26 % less DB time, of 29,659 s
    assert sized.benefit.seconds == pytest.approx(29_659 * 0.2618, rel=0.001)


def test_a_cache_that_gains_little_is_no_action() -> None:
    flat = SGA.replace("4,169,845", "4,514,700").replace("2,913,835", "4,500,000")
    found = before(tablespaces(*ROWS), flat.replace("2,900,000", "4,500,000"))

    assert "enlarge-cache" not in found
    assert found["tune-reads"].title == "Find the SQL that reads ORDERS"


@pytest.mark.parametrize(("reads", "advised"), [("4,063,297", False), ("4,063,296", True)])
def test_a_tenth_of_the_reads_is_worth_a_larger_cache(reads: str, *, advised: bool) -> None:
    """Of 4,514,774 reads, 90 % are 4,063,296.6."""
    few = SGA.replace("4,169,845", "4,514,700").replace("2,913,835", "4,500,000")
    found = before(tablespaces(*ROWS), few.replace("2,900,000", reads))

    assert ("enlarge-cache" in found) is advised


def test_storage_comes_after_sql_and_cache() -> None:
    found = hot(SGA, tablespaces(*ROWS))

    assert found.status == "tune-first"
    assert found.first == ("actions 1 and 2",)


def test_a_sga_that_the_host_cannot_hold_is_not_advised() -> None:
    large = SGA.replace("1,792", "8,192").replace("2,048", "9,216")

    assert facts(large)["io.cache_mb"].number == 1_280


PGA = section("PGA Aggr Target Stats", ("B/E", "PGA Aggr Target(M)", "PGA Mem Alloc(M)"),
              ["E | {target} | 300.0"])  # fmt: skip


@pytest.mark.parametrize(
    ("target", "value", "said"),
    [
        ("4,000", 35, "SGA_TARGET: 35 % fewer"),  # of 7.69 GB, 80 % is 6,299 MB
        ("4,800", None, "a larger SGA_TARGET that fits into 80 % of the host's memory"),
    ],
)
def test_an_advised_cache_leaves_memory_for_the_pga(
    target: str, value: float | None, said: str
) -> None:
    """1,024 MB of SGA and the PGA are there, 768 MB are to be added."""
    advised = SGA.replace("4,169,845", "4,500,000")
    found = facts(advised, PGA.format(target=target))["io.cache_saves_pct"]

    assert found.number == (value and pytest.approx(value, abs=0.5))
    assert said in found.note


def spread(u02_ms: str, u02_reads: str = "4,000", system: str = "110") -> object:
    return facts(files(
        f"ORDERS | /u02/orders01.dbf | {u02_reads} | 1 | {u02_ms} | 1.0 | 10 | 0 | 0 | 0.0",
        "ORDERS | /u03/orders02.dbf | 4,000 | 1 | 34.0 | 1.0 | 10 | 0 | 0 | 0.0",
        "STOCK | /u04/stock01.dbf | 90 | 1 | 99.0 | 1.0 | 10 | 0 | 0 | 0.0",
        f"SYSTEM | /u06/system01.dbf | {system} | 1 | 34.0 | 1.0 | 10 | 0 | 0 | 0.0",
        "TEMP | /u05/temp01.dbf | 900 | 1 | 200.0 | 9.0 | 10 | 0 | 0 | 0.0",
    ))["io.slow_places"].value  # fmt: skip


def test_places_that_make_reads_slow_are_told_from_the_others() -> None:
    assert spread("6.0") == "34 ms on /u03, 6 ms on all others"  # few reads of SYSTEM are slow
    assert spread("6.0", system="900") == "34 ms on /u03 and /u06, 6 ms on all others"


def test_places_that_are_slow_alike_or_hardly_read_are_no_part() -> None:
    assert spread("12.0") is None
    assert spread("6.0", u02_reads="110") is None


@pytest.mark.parametrize(("index_s", "read_s", "in_memory"), [
    ("4,000", "100", True), ("0", "100", True), ("4,000", "8,000", True), ("0", "8,000", False),
])  # fmt: skip
def test_contention_for_blocks_in_memory_is_no_question_of_storage(
    index_s: str, read_s: str, *, in_memory: bool
) -> None:
    found = analysis(
        BUSY, tablespaces(*ROWS),
        waits("buffer busy waits | 90,000 | 0 | 8,000 | 89 | 0.1 | 27.0",
              f"enq: TX - index contention | {index_s} | 0 | {index_s} | 1000 | 0.1 | 13.0",
              f"db file sequential read | {read_s} | 0 | {read_s} | 1000 | 0.1 | 30.0"),
    )  # fmt: skip
    hot_data = item(found, "hot-segments")

    assert (hot_data.status == "no-benefit") is in_memory
    assert ("contend for blocks in memory" in found.headline) is in_memory
    assert ("index contention" in hot_data.action) is (in_memory and index_s != "0")


LAYOUTS = {
    "Reads": (
        "      Physical              Reads              Elapsed",
        "         Reads  Executions per Exec   %Total   Time (s)   %CPU    %IO    SQL Id",
        "-------------- ----------- ---------- ------ ---------- ------ ------ -------------",
        "{:>14} {:>11} {:>10} {:>6} {:>10} {:>6} {:>6} {}",
    ),
    "Cluster Wait Time": (
        "      Cluster   CWT % of     Elapsed         CPU",
        "Wait Time (s) Elapsd Tim     Time(s)     Time(s)     Executions SQL Id",
        "------------- ---------- ----------- ----------- -------------- -------------",
        "{0:>13} {3:>10} {4:>11} {5:>11} {1:>14} {7}",
    ),
    "User I/O Wait Time": (
        "   User I/O                UIO per           Elapsed",
        "  Time (s)  Executions    Exec (s) %Total   Time (s)   %CPU    %IO    SQL Id",
        "---------- ------------ ---------- ------ ---------- ------ ------ -------------",
        "{:>10} {:>12} {:>10} {:>6} {:>10} {:>6} {:>6} {}",
    ),
}


def sql(by: str, **shares: tuple[str, ...]) -> str:
    """A list of SQL: of each, its amount, its share and perhaps its elapsed time."""
    *head, row = LAYOUTS[by]
    lines = []
    for name, (amount, share, *elapsed) in shares.items():
        spent = elapsed[0] if elapsed else "6,000.0"
        lines += [row.format(amount, "5", "800,000.0", share, spent, "1.0", "90.0", name)]
        lines += ["Module: SQL*Plus", "SELECT * FROM calls", ""]
    title = f"SQL ordered by {by}    DB/Inst: AULTDB/aultdb1  Snaps: 108-111"
    return "\n".join((title, "", *head, *lines, f"          {'-' * 61}", ""))


BY_READS = sql("Reads", aaaaaaaaaaaa1=("4,000,000", "40.0"), bbbbbbbbbbbb2=("2,000,000", "20.0"))
BY_WAITS = sql(
    "User I/O Wait Time", bbbbbbbbbbbb2=("6,000.0", "60.0"), aaaaaaaaaaaa1=("2,000.0", "20.0")
)


def test_the_sql_to_tune_is_the_one_that_waits_most_where_waits_are_printed() -> None:
    by_reads, by_waits = (
        facts(*sections, blocks("1,000"))["io.leading_sql"]
        for sections in ((BY_READS,), (BY_READS, BY_WAITS))
    )

    assert (by_reads.value, by_reads.note) == ("SQL aaaaaaaaaaaa1", "40 % of physical reads")
    assert (by_waits.value, by_waits.note) == ("SQL bbbbbbbbbbbb2", "60 % of User I/O wait time")


@pytest.mark.parametrize(
    ("elapsed", "cluster_s", "value", "share"),
    [
        # of 9,000 s: 600 s less 1 % CPU are 6.6 %, 6,000 s less 1 % are 66 %
        ("600.0", "1.0", "SQL bbbbbbbbbbbb2", "up to 66 % of read time"),
        ("6,000.0", "1.0", "SQL aaaaaaaaaaaa1", "up to 66 % of read time"),  # more reads
        ("1,000.0", "3,840.0", "SQL bbbbbbbbbbbb2", "up to 23 % of read time"),
        ("1,000.0", "5,040.0", "SQL aaaaaaaaaaaa1", "up to 11 % of read time"),
        ("600.0", "5,100.0", None, "no statement has 10 % of read time"),
        ("#######", "1.0", "SQL aaaaaaaaaaaa1", "40 % of physical reads"),  # may be the longest
    ],
)
def test_sql_is_ranked_by_the_time_that_can_be_reads(
    elapsed: str, cluster_s: str, value: str | None, share: str
) -> None:
    by_reads = sql("Reads", aaaaaaaaaaaa1=("4,000,000", "40.0", elapsed),
                   bbbbbbbbbbbb2=("900,000", "9.0"))  # fmt: skip
    cluster = sql("Cluster Wait Time", bbbbbbbbbbbb2=(cluster_s, "90.0"))
    found = facts(by_reads, cluster, blocks("1,000"), read_waits("9,000"))["io.leading_sql"]

    assert found.value == value
    assert found.note.startswith(share)


def test_a_statement_cannot_wait_longer_than_its_reads_take() -> None:
    """100,000 of 1,203,117 reads are 8 %, so its other 58 % of the time is for something else."""
    few = sql("Reads", aaaaaaaaaaaa1=("4,000,000", "40.0", "2,000.0"),
              bbbbbbbbbbbb2=("100,000", "1.0"))  # fmt: skip

    assert facts(few, blocks("1,000"), read_waits("9,000"))["io.leading_sql"].value == (
        "SQL aaaaaaaaaaaa1"
    )


@pytest.mark.parametrize(("reads", "leading"), [("2.0", "bbbbbbbbbbbb2"), ("2.1", "aaaaaaaaaaaa1")])
def test_sql_that_reads_few_blocks_each_time_is_not_what_to_tune(reads: str, leading: str) -> None:
    often = BY_READS.replace("800,000.0", f"{reads:>9}", 1)
    all_often = BY_READS.replace("800,000.0", "      1.5")

    assert facts(often, blocks("1,000"))["io.leading_sql"].value == f"SQL {leading}"
    assert [
        each.title for each in before(all_often, blocks("1,000"), tablespaces(*ROWS)).values()
    ] == [
        "Run SQL aaaaaaaaaaaa1 less often (up to 66 % of read time)",  # 5,940 s
    ]


@pytest.mark.parametrize(
    ("temporary", "spilling", "leading"),
    [
        ("1,000", None, "SQL aaaaaaaaaaaa1"),
        ("3,999,000", None, "SQL aaaaaaaaaaaa1"),  # 4,000,000 reads
        ("4,001,000", None, None),  # which may all be of temp
        ("7,001,000", ("aaaaaaaaaaaa1",), None),
        ("9,001,000", ("aaaaaaaaaaaa1", "bbbbbbbbbbbb2"), None),
    ],
)
def test_sql_that_reads_more_than_all_of_the_data_files_reads_temp(
    temporary: str, spilling: tuple[str, ...] | None, leading: str | None
) -> None:
    found = facts(BY_READS, blocks("9,500,000", temporary))

    assert found["temp.reading_sql"].value == spilling
    assert found["io.leading_sql"].value == leading
    if temporary == "7,001,000":
        assert "SQL aaaaaaaaaaaa1: at least 25 % of its 4,000,000 reads (line " in (
            found["temp.reading_sql"].note
        )
        assert found["temp.reading_sql_pct"].number == pytest.approx(100 * 1_000 / 7_001)
        assert found["temp.reading_sql_most_pct"].number == pytest.approx(100 * 4_000 / 7_001)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("SELECT l.sid FROM v$lock l", "(it reads V$LOCK: gather statistics of fixed objects)"),
        ("SELECT price_v FROM orders", ""),
    ],
)
def test_sql_that_reads_oracles_own_views_is_named_as_such(text: str, said: str) -> None:
    found = facts(
        BY_READS.replace("SELECT * FROM calls", text, 1), blocks("9,500,000", "7,001,000")
    )

    note = found["temp.reading_sql"].note
    assert note.startswith("SQL aaaaaaaaaaaa1: at least 25 % of its 4,000,000 reads")
    assert note.endswith(said or "of temp")


@pytest.mark.parametrize(("seconds", "said"), [("4,000", False), ("13,000", True)])
def test_quick_reads_of_a_few_sessions_need_no_storage_whatever_their_share(
    seconds: str, *, said: bool
) -> None:
    event = f"db file sequential read | 9,000,000 | 0 | {seconds} | 1.4 | 1.0 | 36.0"
    found = analysis(tablespaces(*ROWS), waits(event), db_time_s=10_000.0)

    assert any(each.id == "hot-segments" for each in found.recommendations) is said
