"""What explains a number on the first screen: peaks, other processes, parses, locks."""

from __future__ import annotations

import asyncio
from functools import partial
from types import SimpleNamespace
from typing import Any

import corpus
import pytest
import samples
from figures import (
    EVENTS,
    IDLE,
    IO,
    analysis,
    facts,
    head,
    parameters,
    section,
    statistics,
    tablespaces,
    waits,
)
from test_rules import facts_of

from awrlens import api, rules
from awrlens.advice import commit_waits, elsewhere, hot_data, plan, redo_logs, undo
from awrlens.advice.case import Case
from awrlens.model import Fact
from awrlens.oracle import host
from awrlens.policy import Policy
from awrlens.render import first_screen
from awrlens.render.first_screen import remarks

pytest.importorskip("fastapi")
from awrlens.serve.service import Service

DAY_S = 86_400.0


def host_detail(*busy: str) -> str:
    rows = [f"21-Oct 0{at}:00:14 | 0.5 | {each}" for at, each in enumerate(busy)]
    return section("Operating System Statistics - Detail", ("Snap Time", "Load", "%busy"), rows)


def time_model(**seconds: float) -> str:
    rows = [f"{name.replace('_', ' ')} | {each:,.2f} | " for name, each in seconds.items()]
    return section("Time Model Statistics", ("Statistic Name", "Time (s)", "% of DB Time"), rows)


def os_statistics(busy_cs: int, idle_cs: int) -> str:
    rows = [f"BUSY_TIME | {busy_cs:,}", f"IDLE_TIME | {idle_cs:,}"]
    return section("Operating System Statistics", ("Statistic", "Total"), rows)


def top_events(*rows: str) -> str:
    headings = ("Event", "Waits", "Time(s)", "Avg wait (ms)", "% DB time")
    return section("Top 5 Timed Foreground Events", headings, list(rows))


def statements(*rows: str) -> str:
    """Statements, each as its figures and its text, parted by a bar."""
    lines = [line for row in rows for line in row.split("|")]
    head = (
        "         Elapsed",
        "        Time (s) Executions %Total   %CPU    %IO    SQL Id",
        "---------------- ---------- ------ ------ ------ -------------",
    )
    title = "SQL ordered by Elapsed Time    DB/Inst: AULTDB/aultdb1  Snaps: 108-111"
    return "\n".join((title, "", *head, *lines, f"          {'-' * 61}", ""))


def limits(row: str) -> str:
    headings = ("Resource Name", "Current Utilization", "Maximum Utilization",
                "Initial Allocation", "Limit")  # fmt: skip
    return section("Resource Limit Stats", headings, [row])


def case(values: dict[str, Any]) -> Case:
    found = facts_of({"load.elapsed_s": 3600.0} | values)
    return Case.of(found, rules.run(found, Policy())[0], Policy())


ADDM = ("Finding Name", "Avg active sessions of the task", "Percent active sessions of finding",
        "Task Name", "Begin Snap Time", "End Snap Time")  # fmt: skip


@pytest.mark.parametrize(
    ("apart_s", "parses", "sharing", "cause"),
    [
        (1.0, 72_000, "EXACT", "unknown"),  # 20 per second
        (1.0, 3_500, "EXACT", None),  # few: the SQL itself takes long to parse
        (1.0, 72_000, "FORCE", None),  # literals are replaced
        (600.0, 72_000, "EXACT", "sharing"),  # AWR 12.2.0.1.0 report 01: 588 of 777 s
    ],
)
def test_hard_parses_have_a_cause_that_can_be_mended(
    apart_s: float, parses: int, sharing: str, cause: str | None
) -> None:
    model = time_model(**{
        "hard_parse_elapsed_time": 1_000.0, "hard_parse_(sharing_criteria)_elapsed_time": apart_s,
    })  # fmt: skip
    counted = statistics(f"parse count (hard) | {parses}")
    set_ = parameters(f"cursor_sharing | {sharing}")

    found = facts(model, counted, set_, elapsed_s=3600.0)["load.hard_parse_cause"]
    assert found.value == cause


@pytest.mark.parametrize(
    ("sessions", "end", "said"),
    [
        # 29,659 s of DB time in 12,358 s, three snapshots, are 2.4 sessions
        (
            "3.70",
            "23:49",
            (
                "ADDM shows a peak of 3.7 active sessions from 2008-08-29 22:40 to 23:49: analyze "
                "snapshots 109-110."
            ),
        ),
        ("3.50", "23:49", ""),
        ("3.70", "23:29", ""),  # snapshots are not at equal intervals
    ],
)
def test_a_peak_that_addm_shows_is_named_with_its_snapshots(
    sessions: str, end: str, said: str
) -> None:
    rows = [f"Soft Parse | {sessions} | 41.0 | ADDM:1 | 29-Aug-08 22:40 | 29-Aug-08 {end}",
            "Hard Parse | 2.10 | 31.0 | ADDM:1 | 29-Aug-08 21:31 | 29-Aug-08 22:40"]  # fmt: skip
    title = "Top ADDM Findings by Average Active Sessions"
    found = analysis(section(title, ADDM, rows), waits(), release="12.1.0.2.0")

    assert ("ADDM" in found.headline) is bool(said)
    assert said in found.headline


def test_a_list_of_addm_without_rows_has_no_peak() -> None:
    """A page has the headings of a list that has nothing in it."""
    heads = "".join(f"<th>{each}</th>" for each in ADDM)
    title = "<h3>Top ADDM Findings by Average Active Sessions</h3>"
    page = samples.path("redo-disk.awr-19c.html").read_text(encoding="utf-8")
    page = page.replace("</body>", f"{title}<table><tr>{heads}</tr></table></body>")
    report = api.load(page.encode(), "page")

    assert report.tables.get("addm_findings") is not None
    assert api.analyze(report).facts["load.addm_peak"].value is None


@pytest.mark.parametrize(
    ("busy", "said"),
    [
        (("", "17.1", "98.7", "12.0"), True),
        (("98.7", "17.1", "12.0"), True),  # the begin is cut off
        (("", "17.1", "60.0"), False),
        (("", "17.1", "", "12.0"), False),  # a peak may be where the figure is lost
    ],
)
def test_a_peak_of_the_host_is_named_with_its_time_where_every_snapshot_is_printed(
    busy: tuple[str, ...], *, said: bool
) -> None:
    found = analysis(host_detail(*busy), waits(), elapsed_s=DAY_S)

    dated = any("CPUs were up to 99 % busy" in each for each in remarks(found))
    assert ("hide peaks of 99 % busy CPU." in found.headline or dated) is said


def test_an_idle_interval_whose_host_was_never_busy_has_no_hidden_peak() -> None:
    found = analysis(host_detail("", "0.2", "1.53"), waits(), elapsed_s=DAY_S, db_time_s=90.0)

    assert "In no snapshot interval were CPUs over 1.5 % busy on average." in found.headline
    assert "hide peaks" not in found.headline


def test_other_processes_use_what_the_instance_does_not() -> None:
    """Of 2 CPUs for 1,000 s, 1,500 s were busy: 900 s by sessions, 100 s by the background."""
    host = os_statistics(150_000, 50_000)
    own = time_model(DB_CPU=900.0, background_cpu_time=100.0)

    assert facts(host, own, elapsed_s=1000.0)["host.other_cpu_pct"].value == pytest.approx(25.0)
    for lacking in (time_model(DB_CPU=900.0), time_model(background_cpu_time=100.0)):
        assert facts(host, lacking, elapsed_s=1000.0)["host.other_cpu_pct"].value is None
    more = time_model(DB_CPU=1600.0, background_cpu_time=100.0)
    assert facts(host, more, elapsed_s=1000.0)["host.other_cpu_pct"].value is None


@pytest.mark.parametrize(
    ("db_time_s", "model", "expected"),
    [
        (48.0, time_model(DB_time=47.72, DB_CPU=1.0), 47.72),
        (48.0, time_model(DB_time=46.9, DB_CPU=1.0), 48.0),  # not the same figure rounded
        (48.0, waits(), 48.0),
        (0.6, waits(), 0.6),
        (600.0, time_model(DB_time=599.9, DB_CPU=1.0), 600.0),
    ],
)
def test_db_time_of_less_than_a_minute_is_that_of_the_time_model(
    db_time_s: float, model: str, expected: float
) -> None:
    assert facts(model, db_time_s=db_time_s)["load.db_time_s"].value == pytest.approx(expected)


@pytest.mark.parametrize(
    "wait",
    ["enq: TX - row lock contention | 100 | 0 | 900 | 9000 | 1 | 9.0",
     "buffer busy waits | 100,000 | 0 | 2,500 | 25 | 1 | 25.0"],
)  # fmt: skip
def test_a_large_wait_beside_cpu_is_named_whatever_its_name(wait: str) -> None:
    found = analysis(
        time_model(DB_CPU=6_000.0), top_events("DB CPU | | 6,000 | | 60.0"), waits(wait),
        elapsed_s=3600.0, db_time_s=10_000.0,
    )  # fmt: skip

    assert "60 % of DB time is CPU" in found.headline
    assert f"`{wait.partition(' |')[0]}`" in found.headline


def test_small_waits_beside_cpu_are_not_named() -> None:
    found = analysis(
        time_model(DB_CPU=9_000.0), top_events("DB CPU | | 9,000 | | 90.0"),
        waits("library cache lock | 100 | 0 | 600 | 6000 | 1 | 6.0"),
        elapsed_s=3600.0, db_time_s=10_000.0,
    )  # fmt: skip

    assert "90 % of DB time is CPU" in found.headline
    assert "library cache lock" not in found.headline


def test_failed_parses_explain_what_is_in_no_event_unless_that_is_far_more() -> None:
    def headline(failed_s: float) -> str:
        model = time_model(DB_CPU=4_000.0, failed_parse_elapsed_time=failed_s)
        read = "db file sequential read | 100,000 | 0 | 2,000 | 20 | 1 | 20.0"
        return analysis(model, waits(read), elapsed_s=3600.0, db_time_s=10_000.0).headline

    assert (
        "Failed parses take 38 % of DB time, probably the time that is neither CPU nor waits."
        in headline(3_800.0)
    )
    assert "Failed parses" not in headline(1_500.0)  # 40 % is in no event
    assert "Failed parses" not in headline(900.0)


@pytest.mark.parametrize(("plsql_s", "said"), [(3_600.0, True), (2_900.0, False), (5_100.0, False)])
def test_pl_sql_that_takes_about_what_is_neither_cpu_nor_waits_is_named(
    plsql_s: float, said: bool
) -> None:
    """Compare-period report 10.2.0.4.0 RAC 09: 39 % of DB time, and 35 % in no event."""
    model = time_model(DB_CPU=4_000.0, **{"PL/SQL_execution_elapsed_time": plsql_s})
    read = "db file sequential read | 100,000 | 0 | 2,000 | 20 | 1 | 20.0"
    found = analysis(model, waits(read), elapsed_s=3600.0, db_time_s=10_000.0)

    sentence = "PL/SQL itself takes about as much (36 %): probably this time."
    assert (sentence in found.headline) is said


def test_waits_of_a_rollback_of_a_dead_transaction_are_outside_db_time() -> None:
    found = analysis(
        time_model(DB_CPU=4_000.0),
        waits("wait for stopper event to be increased | 25,920 | 0 | 2,500 | 96 | 1 | 25.0"),
        elapsed_s=3600.0, db_time_s=10_000.0,
    )  # fmt: skip

    assert found.overview is not None
    assert "stopper" not in " ".join(each.name for each in found.overview.db_time)
    finding = next(each for each in found.findings if each.id == "UNDO011")
    assert finding.weight.waiting_sessions == pytest.approx(0.694, abs=0.001)
    assert finding.weight.share_pct is None


@pytest.mark.parametrize(
    ("longest_s", "title"),
    [(9.0, "Commit sooner where many sessions change the same table"),
     (10.0, "Shorten long queries of changing data, and commit sooner"),
     (None, "Shorten long queries of changing data, and commit sooner")],
)  # fmt: skip
def test_queries_that_are_short_are_not_to_be_shortened(
    longest_s: float | None, title: str
) -> None:
    values: dict[str, Any] = {
        "undo.applied_read_pct": 9.3, "undo.apply_cpu_s": 834.0, "load.response_s": 15_600.0,
        "undo.consistent_read_records_applied": 28_415_275.0,
    }  # fmt: skip
    item = undo.apply_less_undo(
        case(values | ({"undo.max_query_s": longest_s} if longest_s else {}))
    )

    assert item is not None
    assert item.title == title


GETS = """\
SQL ordered by {by}    DB/Inst: AULTDB/aultdb1  Snaps: 108-111

{headings}
{row}
Module: SQL*Plus
SELECT * FROM calls WHERE api_id = :1

          -------------------------------------------------------------
"""
CALLS = "|Module: SQL*Plus|SELECT * FROM calls WHERE api_id = :1|"
BY_GETS = (
    "        Buffer                 Gets              Elapsed\n"
    "         Gets   Executions   per Exec   %Total   Time (s)   %CPU    %IO    SQL Id\n"
    "-------------- ----------- ------------ ------ ---------- ------ ------ -------------"
)
BY_EXECUTIONS = (
    "                                              Elapsed\n"
    " Executions  Rows Processed  Rows per Exec  Time (s)   %CPU    %IO    SQL Id\n"
    "------------ --------------- -------------- ---------- ------ ------ -------------"
)


@pytest.mark.parametrize(
    ("times", "gets", "rows", "said"),
    [
        (100, 300_000.0, 0.8, "with 300,000 gets for 0.8 rows per execution"),
        (99, 300_000.0, 0.8, ""),  # so few can be run at another time
        (100, 999.0, 0.8, ""),
        (100, 3_300.0, 60.0, "with 3,300 gets for 60 rows per execution"),
        (100, 300_000.0, 15_000.0, ""),  # an index finds each row with as many gets
    ],
)
def test_sql_that_gets_many_blocks_for_few_rows_is_tuned(
    times: int, gets: float, rows: float, said: str
) -> None:
    sections = (
        statements(f"        28,000.0 {times:>10}   95.0    2.0     .0 8t43xdhf4d9x2{CALLS}"),
        GETS.format(by="Gets", headings=BY_GETS, row=(
            f"{gets * times:>14,.0f} {times:>11} {gets:>12,.1f}   90.0   28,000.0    2.0     .0 "
            "8t43xdhf4d9x2")),
        GETS.format(by="Executions", headings=BY_EXECUTIONS, row=(
            f"{times:>12} {rows * times:>15,.0f} {rows:>14,.1f}   28,000.0    2.0     .0 "
            "8t43xdhf4d9x2")),
    )  # fmt: skip
    found = facts(*sections, time_model(DB_CPU=4_000), waits())
    numbers = {"undo.consistent_read_records_applied": 28_415_275.0}
    of = case(numbers | {"load.response_s": 29_659.0})
    names = ("load.searching_sql", "load.leading_sql")
    item = undo.apply_less_undo(of._replace(facts={**of.facts, **{n: found[n] for n in names}}))

    assert (found["load.searching_sql"].value or "") == said
    assert item is not None
    assert ("Tune or index SQL 8t43xdhf4d9x2" in item.title) is bool(said)


def test_times_that_are_not_reliable_are_no_reason_for_faster_storage() -> None:
    values: dict[str, Any] = {
        "load.data_read_wait_s": 3_150.0, "load.response_s": 4_462.0, "io.data_read_ms": 9.0,
        "io.read_tablespaces": ("DATA",),
    }  # fmt: skip

    assert hot_data.consider(case(values), ()) is not None
    assert hot_data.consider(case(values | {"load.timed_pct": 430.0}), ()) is None


@pytest.mark.parametrize(("read_ms", "moves"), [(4.0, True), (20.0, False)])
def test_redo_logs_are_not_moved_off_a_storage_that_reads_slowly_too(
    read_ms: float, moves: bool
) -> None:
    values: dict[str, Any] = {
        "redo.local_write_ms": 60.0, "redo.parallel_write_ms": 60.0, "redo.write_ms": 60.0,
        "redo.sync_wait_s": 900.0, "redo.sync_count": 10_000.0, "redo.commit_ms": 90.0,
        "redo.bytes_per_write": 4096.0, "redo.lgwr_busy_pct": 20.0, "load.response_s": 20_000.0,
        "redo.commit_storage_s": 600.0, "io.data_read_ms": read_ms, "io.data_read_waits": 90_000.0,
    }  # fmt: skip
    item = commit_waits.relieve_log_device(case(values))

    assert item is not None
    assert ("Move the redo logs" in item.action) == moves
    assert ("of their own would be faster is not known." in item.action) != moves


@pytest.mark.parametrize(("area_gb", "named"), [(2.0, True), (100.0, False)])
def test_a_recovery_area_that_is_too_small_for_larger_redo_logs_is_in_the_title(
    area_gb: float, named: bool
) -> None:
    values: dict[str, Any] = {
        "redo.mb_per_switch": 45.0, "redo.log_switches_per_hour": 200.0,
        "redo.bytes_written_per_s": 2_600_000.0, "redo.log_switch_wait_s": 500.0,
        "checkpoint.incomplete_wait_s": 400.0, "checkpoint.incomplete_waits": 20_000.0,
        "checkpoint.incomplete_wait_ms": 20.0, "load.response_s": 9_653.0,
        "redo.recovery_area_b": area_gb * 2.0**30,
    }  # fmt: skip
    item = redo_logs.enlarge_redo_logs(case(values))

    assert item is not None
    assert ("(enlarge the recovery area of 2 GB if they are in it)" in item.title) == named
    assert "at least 3 per thread" in item.action


def test_an_analysis_is_made_once_and_forgotten_with_its_upload() -> None:
    made: list[str] = []

    async def upload(row: dict[str, str], _: int | None) -> str:
        return row["id"]

    async def call(_: str, which: str, *__: object) -> str:
        made.append(which)
        return f"page of {which}"

    server: Any = SimpleNamespace(
        shown={}, upload=upload, call=call, settings=SimpleNamespace(options=None)
    )
    server._shown = partial(Service._shown, server)

    def show(which: str) -> str:
        return asyncio.run(Service.show(server, {"id": which}, "html", None))

    assert [show("a"), show("b"), show("a")] == ["page of a", "page of b", "page of a"]
    assert made == ["a", "b"]
    Service.forget(server, "a")
    assert list(server.shown) == [("b", "html", None)]
    show("a")
    assert made == ["a", "b", "a"]


#: 29,659 s of DB time: a statement of 20,000 s has 67 % of it.
QUERY = "        20,000.0          3   67.4   10.0   90.0 7qk2m9x1c4d8z|SELECT * FROM parts"
BLOCK = "        24,000.0          3   80.9   10.0   90.0 4tz0r5h3x6y1b|BEGIN report; END;"
SMALL = "         8,800.0          3   29.7   10.0   90.0 9aa0r5h3x6y1b|UPDATE parts SET n = 1"


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ((QUERY, SMALL), "tune SQL 7qk2m9x1c4d8z (67 % of DB time)."),
        ((BLOCK, QUERY), "tune SQL 7qk2m9x1c4d8z (67 % of DB time)."),  # it is called by the block
        ((BLOCK, SMALL), "tune SQL 4tz0r5h3x6y1b (PL/SQL with its SQL) (81 % of DB time)."),
        ((SMALL,), ""),
    ],
)
def test_a_statement_that_takes_half_of_db_time_is_named(rows: tuple[str, ...], said: str) -> None:
    found = analysis(statements(*rows), waits())

    assert said in found.headline
    assert ("SQL " in found.headline) is bool(said)


@pytest.mark.parametrize(("seconds", "named"), [("8,900.0", True), ("8,890.0", False)])
def test_a_statement_with_three_tenths_of_db_time_is_named(seconds: str, *, named: bool) -> None:
    """Of 29,659 s, 30 % are 8,897.7 s."""
    found = facts(statements(SMALL.replace("8,800.0", seconds)), waits())

    assert found["load.leading_sql"].value == (("9aa0r5h3x6y1b",) if named else None)


FAILED = ", as logins have probably failed"


@pytest.mark.parametrize(
    ("row", "said", "full"),
    [
        (
            "processes | 1,595 | 1,600 | 1600 | 1600",
            True,
            f"{FAILED} (ORA-00020): the limit of 1,600 processes was reached since startup",
        ),
        (
            "processes | 1,584 | 1,599 | 1600 | 1600",
            False,
            " before logins fail (ORA-00020): 1,584 of 1,600 processes in use",
        ),
        ("processes | 1,583 | 1,600 | 1600 | 1600", True, ""),
        ("processes | 1,583 | 1,599 | 1600 | 1600", False, ""),
        (
            "sessions | 2,480 | 2,480 | 2480 | 2480",
            False,
            f"{FAILED} (ORA-00018): the limit of 2,480 sessions was reached since startup",
        ),
        ("sessions | 2,480 | 2,480 | 2480 | UNLIMITED", False, ""),
        ("parallel_max_servers | 32 | 32 | 32 | 32", False, ""),  # used, not refused
    ],
)
def test_a_limit_that_refuses_new_sessions_is_the_first_action(
    row: str, said: bool, full: str
) -> None:
    """AWR 12.1.0.2.0_01 and 11.2.0.4.0 RAC 01: the next login fails."""
    found = analysis(
        limits(row), waits("enq: UL - contention | 110 | 0 | 3,000 | 27273 | 0.1 | 10.1")
    )
    first = found.actions[0] if found.actions else None

    reached = "he limit of 1,600 processes was reached since startup"
    assert (reached in found.headline) is said
    if full:
        assert first is not None
        assert first.title == f"Free sessions{full}"
        assert "GROUP BY inst_id, program, machine" in first.commands[0]
    else:
        assert all(each.id != "free-sessions" for each in found.actions)


@pytest.mark.parametrize(
    ("end", "db_time_s", "order"),
    [
        ("90", 29_659.0, ["share-cursors", "free-sessions", "find-failed-parses"]),
        ("45", 29_659.0, ["free-sessions", "share-cursors", "find-failed-parses"]),  # not added
        # calls do not wait for each other: two CPUs can run two sessions
        ("90", 24_000.0, ["free-sessions", "share-cursors", "find-failed-parses"]),
    ],
)
def test_sessions_that_calls_hold_are_freed_after_what_the_calls_wait_for(
    end: str, db_time_s: float, order: list[str]
) -> None:
    """AWR 12.1.0.2.0_01: 522 to 1,544 sessions, 81 of them active on 12 CPUs; 88 % parses."""
    text = head(db_time_s=db_time_s).replace("  40       1.3", f"  {end}       1.3")
    rows = {
        "parse_time_elapsed": 23_000.0, "hard_parse_elapsed_time": 14_000.0,
        "failed_parse_elapsed_time": 4_000.0,
    }  # fmt: skip
    tables = (
        time_model(**rows),
        statistics("parse count (hard) | 720000"),
        parameters("cursor_sharing | EXACT"),
        limits("processes | 1,595 | 1,600 | 1600 | 1600"),
        waits(),
    )  # fmt: skip
    found = api.analyze(api.load((text + "\n".join(tables)).encode(), "figure"))
    urgencies = [found.urgency(action) for action in found.actions]

    assert [action.id for action in found.actions] == order
    last = ["Do now" if order[0] == "share-cursors" else "Worth doing", "Worth doing"]
    assert urgencies == ["Do now", *last]


STARVED = {
    "host.idle_pct": 0.0, "load.captured_pct": 20.0, "load.response_s": 36_000.0,
    "checkpoint.incomplete_wait_s": 3_700.0, "checkpoint.incomplete_waits": 139.0,
    "checkpoint.incomplete_wait_ms": 26_600.0,
}  # fmt: skip


@pytest.mark.parametrize(
    ("others", "title", "of"),
    [
        (10.0, "Use less CPU in this instance", "uses 90 % of the busy CPU: tune its SQL"),
        (60.0, "Free CPU on the host", "Find what uses the CPU"),
        (None, "Free CPU on the host", "Find what uses the CPU"),
    ],
)
def test_who_uses_the_cpu_decides_where_it_is_freed(
    others: float | None, title: str, of: str
) -> None:
    item = commit_waits.free_processors(case(STARVED | {"host.other_cpu_pct": others}))

    assert item is not None
    assert item.title == title
    assert of in item.action
    assert ("v$sql" in item.commands[0]) is (others == 10.0)


@pytest.mark.parametrize(
    ("by_cpu", "by_elapsed", "title", "said"),
    [
        (("SQL a1 takes 27 %; SQL b2 takes 17 %", "a1", "b2"), ("SQL c3 takes 72 %", "c3"),
         "SQL a1 takes 27 % of it",
         "sessions, SQL a1 takes 27 % (line 7) and SQL b2 takes 17 % (line 7): tune this SQL"),
        (("no SQL takes more than 4.6 %",), ("SQL c3 takes 72 %", "c3"),
         "no SQL takes more than 4.6 % of it", "find the sessions that use it"),
        (None, ("SQL c3 takes 72 %", "c3"), "SQL c3 takes 72 % of DB time",
         "SQL c3 takes 72 % of DB time (line 7): tune this SQL"),
    ],
)  # fmt: skip
def test_cpu_is_freed_from_the_sql_that_uses_most_of_it(
    by_cpu: tuple[str, ...] | None, by_elapsed: tuple[str, ...], title: str, said: str
) -> None:
    of = case(STARVED | {"host.other_cpu_pct": 10.0})
    known = {"load.cpu_sql": by_cpu, "load.leading_sql": by_elapsed}
    proof = of.facts["host.idle_pct"].evidence * 2
    named = {
        name: Fact(name, tuple(each[1:]), "", "derived", proof, note=each[0])
        for name, each in known.items()
        if each is not None
    }
    item = commit_waits.free_processors(of._replace(facts={**of.facts, **named}))

    assert item is not None
    assert item.title == f"Use less CPU in this instance: {title}"
    assert said in item.action
    assert item.effort == "application"


@pytest.mark.parametrize(("idle", "saved"), [(0.0, None), (90.0, 350.0)])
def test_waits_of_a_host_without_cpu_are_not_saved_by_redo_logs(
    idle: float, saved: float | None
) -> None:
    values = {
        "load.captured_pct": 20.0, "load.response_s": 36_000.0, "host.idle_pct": idle,
        "redo.log_switch_wait_s": 400.0, "redo.log_switch_wait_ms": 900.0,
        "redo.log_switch_waits": 444.0, "redo.bytes_written_per_s": 100_000.0,
        "redo.log_switches_per_hour": 12.0, "redo.mb_per_switch": 30.0,
    }  # fmt: skip
    of = case(values)
    items = plan.advise(of).recommendations
    item = next(each for each in items if each.id == "enlarge-redo-logs")
    found = samples.analysis("redo-disk.awr-11.2.txt")._replace(
        findings=of.findings, recommendations=items
    )

    assert item.benefit.seconds == (saved and pytest.approx(saved, rel=0.1))
    assert found.urgency(item) == ("Do now" if saved else "Worth doing")


BY_CPU = """\
SQL ordered by CPU Time    DB/Inst: AULTDB/aultdb1  Snaps: 108-111

    CPU                   CPU per           Elapsed
  Time (s)  Executions    Exec (s) %Total   Time (s)   %CPU    %IO    SQL Id
---------- ------------ ---------- ------ ---------- ------ ------ -------------
   2,000.0          100      20.00   50.0    2,500.0   80.0     .0 8t43xdhf4d9x2
Module: SQL*Plus
BEGIN everything; END;

   {cpu:>7}          100       2.00   20.0    1,000.0   80.0     .0 5r8m0hs2cyq4w
Module: SQL*Plus
SELECT 1 FROM dual

          -------------------------------------------------------------
"""


@pytest.mark.parametrize(
    ("cpu", "value", "note"),
    [
        ("800.0", ("5r8m0hs2cyq4w",), "SQL 5r8m0hs2cyq4w takes 20 %"),
        ("100.0", ("8t43xdhf4d9x2",), "SQL 8t43xdhf4d9x2 (PL/SQL with its SQL) takes 50 %"),
    ],
)
def test_the_sql_with_most_cpu_is_the_block_that_calls_it_only_if_its_sql_has_little(
    cpu: str, value: tuple[str, ...], note: str
) -> None:
    """AWR 10.2.0.4.0-rac_05: a job has 11 %, and no other SQL more than 8 %."""
    found = facts(BY_CPU.format(cpu=cpu), time_model(DB_CPU=4_000), waits())["load.cpu_sql"]

    assert found.value == value
    assert found.note == note


@pytest.mark.parametrize(
    ("captured", "note"),
    [("13.3", "no SQL takes more than 2.5 %, and all captured SQL 13 %"),
     ("63.3", "no SQL takes more than 2.5 %")],
)  # fmt: skip
def test_that_no_sql_takes_much_cpu_is_said_with_what_the_list_has_of_it(
    captured: str, note: str
) -> None:
    """AWR 11.2.0.3.0-rac_01: 6.2 % of the CPU, of which captured SQL has 13.3 %."""
    listed = (
        BY_CPU.format(cpu="100.0")
        .replace("   2,000.0  ", "      80.0  ")
        .replace(
            "\n\n",
            f"\n-> Captured SQL account for   {captured}% of Total CPU Time (s):  4,000\n\n",
            1,
        )
    )
    found = facts(listed, time_model(DB_CPU=4_000), waits())["load.cpu_sql"]

    assert found.note == note


@pytest.mark.parametrize(
    ("reads", "said"),
    [
        ("90,000 | 0 | 1,800 | 20",
         "sessions read redo logs 90,000 times (20 ms each, 1,800 s), 1.8 times as often"),
        ("49,000 | 0 | 1,800 | 37", None),  # archiving reads all that LGWR writes, in larger pieces
        ("90,000 | 0 | 90 | 1", None),
    ],
)  # fmt: skip
def test_who_reads_redo_logs_is_named_if_reads_are_more_than_writes(
    reads: str, said: str | None
) -> None:
    event = f"log file sequential read | {reads} | 1.0 | 5.0"
    found = facts(waits(event), statistics("redo writes | 50,000"))["redo.log_reads"]

    assert found.value == (f"{said} as LGWR writes" if said else None)


def test_streams_and_logminer_are_named_as_readers_of_redo_by_their_idle_events() -> None:
    """AWR 10.2.0.5.0_02: four captures read the redo logs, and both lists show their idle waits."""
    events = (
        "log file sequential read | 90,000 | 0 | 1,800 | 20 | 1.0 | 5.0",
        "LogMiner: reader waiting for more redo | 34,301 | 0 | 5,234 | 153 | 6.9 | .0",
        "LogMiner: wakeup event for builder | 260,938 | 0 | 7,958 | 30 | 52.4 | .0",
        "Streams capture: waiting for archive log | 3,529 | 0 | 2,462 | 698 | 0.7 | .0",
    )
    found = facts(waits(*events), statistics("redo writes | 50,000"))["redo.log_reads"]

    assert found.note == "LogMiner and Streams capture ran"


GROWTH = "SGA: allocation forcing component growth | 9,000 | 0 | {} | 100 | 1.0 | 5.0"


@pytest.mark.parametrize(
    ("shared_mb", "waited_s", "said"),
    [
        (480, "900", True),
        (200, "900", False),  # SGA_TARGET has room for a component that grows
        (480, "9", False),
    ],
)
def test_minimum_sizes_that_fill_the_sga_are_why_no_component_grows(
    shared_mb: int, waited_s: str, said: bool
) -> None:
    rows = [
        "sga_target | 1073741824 |", "db_cache_size | 545259520 |", "__java_pool_size | 9999999 |",
        f"shared_pool_size | {(shared_mb - 80) * 1024 * 1024} |", "large_pool_size | 83886080 |",
    ]  # fmt: skip
    free = section("SGA breakdown difference", ("Pool", "Name", "Begin MB", "End MB", "% Diff"),
                   ["large | free memory | 60.0 | 64.0 | 0.1"])  # fmt: skip
    found = analysis(
        section("init.ora Parameters", ("Parameter Name", "Begin value", "End value"), rows),
        waits(GROWTH.format(waited_s)), free,
    )  # fmt: skip
    sentence = (
        "The minimum sizes take 1,000 of the 1,024 MB of SGA_TARGET (DB_CACHE_SIZE 520 MB, "
        "SHARED_POOL_SIZE 400 MB and LARGE_POOL_SIZE 80 MB), so only 24 MB (2 %) can move to a "
        "component that needs it. Lower LARGE_POOL_SIZE, of which 64 MB is free, so that memory "
        "can move."
    )

    assert (sentence in found.headline) is said
    assert ("minimum sizes" in found.headline) is said


@pytest.mark.parametrize(
    ("load", "said"),
    [(4.2, "explains at most"), (9.0, "")],  # that many processes can be all of it
)
def test_a_run_queue_explains_no_more_than_it_can_hold(load: float, said: str) -> None:
    """Of 679,000 s; 4.2 per CPU on 32 CPUs that are 68 % busy hold 404,000 s in an hour."""
    numbers = {
        "host.idle_pct": 32.4, "host.load_per_cpu_end": load, "load.response_s": 827_108.0,
        "host.queue_s": (load - 0.676) * 32 * 3_632,
    }  # fmt: skip
    sentence = host.in_no_event(numbers.get, Policy().__getitem__, "", 82.1)

    assert "Processes waited for CPU" in sentence
    assert ("explains" in sentence) is bool(said)
    assert said in sentence


@pytest.mark.parametrize(
    ("ended_s", "idle_pct", "said"),
    [
        (149_688.0, 32.4, True),  # the rest is 82 %
        (149_688.0, 95.0, True),
        (400_000.0, 32.4, False),  # 52 % cannot be most of it
        (900_000.0, 32.4, False),  # the statistic has more than DB time
        (None, 32.4, False),
    ],
)
def test_calls_that_still_run_explain_time_in_no_event(
    ended_s: float | None, idle_pct: float, *, said: bool
) -> None:
    """A call adds to the statistic `DB time` when it ends, and to DB time while it runs."""
    numbers = {
        "host.idle_pct": idle_pct, "host.load_per_cpu_end": 4.2, "load.response_s": 827_108.0,
        "host.queue_s": 404_000.0, "load.ended_calls_s": ended_s,
    }  # fmt: skip
    sentence = host.in_no_event(numbers.get, Policy().__getitem__, "", 82.1)

    words = "Most of it is in calls that still ran: the statistic `DB time`, added when a call ends"
    assert (words in sentence) is said


def test_what_the_host_used_is_not_taken_for_all_of_it_where_idle_cpu_is_not_known() -> None:
    values = {"host.cpu_wait_pct": 300.0, "host.cpu_wait_s": 9_000.0, "load.captured_pct": 20.0,
              "load.response_s": 36_000.0, "checkpoint.incomplete_wait_s": 3_700.0,
              "checkpoint.incomplete_waits": 139.0, "checkpoint.incomplete_wait_ms": 26_600.0,
              "host.other_cpu_pct": 10.0}  # fmt: skip
    item = commit_waits.free_processors(case(values))

    assert item is not None
    assert item.title == "Free CPU on the host"


@pytest.mark.parametrize(
    ("elapsed_s", "busy", "said"),
    [
        (3_600.0, (), "Waiting for CPU hardly explains it: 75 % of CPU was idle."),
        (DAY_S, (), "explain it only at peaks: on average, 75 % of CPU was idle."),
        (DAY_S, ("", "17.1", "98.7"), "Waiting for CPU can explain it only at peaks"),
        (DAY_S, ("", "17.1", "30.0"), "Waiting for CPU hardly explains it"),
    ],
)
def test_an_average_over_hours_does_not_deny_that_processes_waited_for_cpu(
    elapsed_s: float, busy: tuple[str, ...], said: str
) -> None:
    host = os_statistics(50_000, 150_000) + (host_detail(*busy) if busy else "")
    reads = waits("db file sequential read | 9,000 | 0 | 500 | 56 | 1.0 | 50.0")
    found = analysis(host, time_model(DB_CPU=100.0), reads, elapsed_s=elapsed_s, db_time_s=1_000.0)

    assert said in found.headline


@pytest.mark.parametrize(
    ("direct", "said"),
    [
        ("840", "84 % of the redo is of direct writes (LOBs, loads), the most to SALES.LOB1$$"),
        ("40", "SALES.ORDERS has 65 % of the block changes, and probably most of the redo"),
    ],
)
def test_what_generates_most_of_the_redo_is_named(direct: str, said: str) -> None:
    def segments(title: str, heading: str, *rows: str) -> str:
        headings = ("Owner", "Tablespace Name", "Object Name", "Subobject Name", "Obj. Type",
                    heading, "%Total")  # fmt: skip
        return section(title, headings, list(rows))

    found = facts(
        statistics("redo size | 1,000", f"redo size for direct writes | {direct}"),
        segments("Segments by Direct Physical Writes", "Direct Writes",
                 "SALES | USERS | LOB1$$ | x | LOB | 900 | 99.9"),
        segments("Segments by DB Blocks Changes", "DB Block Changes",
                 "SALES | USERS | ORDERS | x | TABLE | 900 | 64.9"),
    )["redo.source"]  # fmt: skip

    assert str(found.value).replace(".x", "") == said


@pytest.mark.parametrize(
    ("cpu", "text", "named"),
    [
        (34.6, "update TICKETS set DATA=:1 where ID=:2", True),
        (2.0, "update TICKETS set DATA=:1 where ID=:2", False),  # it waits, as for row locks
        (34.6, "select DATA from TICKETS where ID=:1", False),
    ],
)
def test_the_longest_sql_is_probably_the_source_of_direct_writes_if_it_writes(
    cpu: float, text: str, named: bool
) -> None:
    """AWR 11.2.0.4.0 01: an UPDATE with 31 % of DB time, and 84 % of the redo of one LOB."""
    headings = ("Owner", "Tablespace Name", "Object Name", "Subobject Name", "Obj. Type",
                "Direct Writes", "%Total")  # fmt: skip
    found = facts(
        statistics("redo size | 1,000", "redo size for direct writes | 840"),
        section("Segments by Direct Physical Writes", headings,
                ["SALES | USERS | LOB1$$ | x | LOB | 900 | 99.9"]),
        statements(f"         4,000.0      8,092   40.0  {cpu:>5}     .0 8t43xdhf4d9x2|{text}"),
        db_time_s=10_000.0,
    )["redo.source"]  # fmt: skip

    by = ", probably by SQL 8t43xdhf4d9x2 (40 % of DB time)"
    assert named == str(found.value).endswith(by)


def untimed_events(write_time_cs: int) -> str:
    """An hour with 10,000 redo writes; the events of asynchronous I/O have no credible time."""
    events = [
        "log file parallel write | 10,000 | 0 | 0.10 | 0.01 | 1.0 |",
        "db file parallel write | 10,000 | 0 | 0.50 | 0.05 | 1.0 |",
    ]
    return "\n".join((
        section("Background Wait Events", EVENTS, [*events, IDLE]),
        waits("db file sequential read | 100,000 | 0 | 1 | 0.01 | 1.0 |",
              "db file scattered read | 20,000 | 0 | 4 | 0.20 | 1.0 |"),
        statistics("redo writes | 10,000", f"redo write time | {write_time_cs:,}"),
        tablespaces("USERS | 100,000 | 28.0 | 1.50 | 1.0 | 1 | 0.0 | 0 | 0.0",
                    "UNDOTBS | 20,000 | 5.0 | 1.00 | 1.0 | 1 | 0.0 | 0 | 0.0"),
    ))  # fmt: skip


def test_io_faster_than_any_disk_is_not_timed_where_log_writes_are_not() -> None:
    """By LGWR's counter a write takes 12.6 ms, by file statistics the reads take 170 s."""
    found = facts(untimed_events(12_600), elapsed_s=3_600, db_time_s=3_600)

    for name in ("checkpoint.data_write_ms", "io.data_read_ms"):
        assert found[name].value is None
        assert found[name].note.startswith("I/O events are not timed: `log file parallel write`")


def test_fast_io_is_fast_where_log_writes_are() -> None:
    found = facts(untimed_events(20), elapsed_s=3_600, db_time_s=3_600)

    assert found["checkpoint.data_write_ms"].number == pytest.approx(0.05)
    assert found["io.data_read_ms"].number == pytest.approx(0.01)


def test_a_switch_that_sessions_waited_for_is_at_least_one() -> None:
    headings, row = ("Statistic", "Total", "per Hour"), "log switches (derived) | 0 | .00"
    switches = section("Instance Activity Stats - Thread Activity", headings, [row])
    waited = waits("log file switch completion | 3 | 0 | 0 | 10 | 0.0 | 0.0")
    found = facts(switches, waited, elapsed_s=1_200.0)["redo.log_switches_per_hour"]

    assert (found.value, found.status) == (3.0, "estimated")
    assert found.note == "at least 1: sessions waited for the completion of one"
    assert facts(switches, waits())["redo.log_switches_per_hour"].value == 0


def test_a_whole_list_without_temporary_tablespaces_has_no_temporary_writes() -> None:
    counted = statistics(
        "physical reads | 11", "physical reads direct temporary t | 0", "physical writes | 1,045",
        "physical writes direct | 5",
    )  # fmt: skip
    spaces = section(
        "Tablespace IO Stats",
        ("Tablespace", *IO),
        ["SYSTEM | 1 | 0 | 0.0 | 1.0 | 90 | 0 | 0 | 0.0"],
    )

    assert facts(counted, spaces)["temp.io_share_pct"].value == 0


def test_rollback_segments_are_not_undo_where_undo_tablespace_decides() -> None:
    rows = [
        f"{name} | 16 | 0 | 9.4 | 1.0 | 2 | 0 | 0 | 0.0" for name in ("RBS", "UNDOTBS1", "UNDOTBS2")
    ]
    spaces = section("Tablespace IO Stats", ("Tablespace", *IO), rows)

    assert facts(spaces)["undo.tablespaces"].value == ("RBS", "UNDOTBS1", "UNDOTBS2")
    automatic = parameters("undo_management | AUTO", "undo_tablespace | UNDOTBS1")
    assert facts(spaces, automatic)["undo.tablespaces"].value == ("UNDOTBS1", "UNDOTBS2")
    manual = parameters("undo_management | MANUAL", "undo_tablespace | UNDOTBS1")
    assert facts(spaces, manual)["undo.tablespaces"].value == ("UNDOTBS1", "RBS", "UNDOTBS2")


@pytest.mark.parametrize(
    ("verb", "name"), [("UPDATE", "SQL bsdzx7xajvamf (UPDATE) takes 30 %"), ("SELECT 1 FROM", "")]
)
def test_sql_that_writes_is_named_apart_from_sql_that_reads(verb: str, name: str) -> None:
    """A query that has more DB time makes no redo."""
    writer = (
        f"         9,000.0      8,092   30.0   40.0    5.0 bsdzx7xajvamf|{verb} parts SET a = 1"
    )
    found = facts(statements(QUERY, writer), waits(), db_time_s=30_000.0)["redo.writing_sql"]

    assert found.note == name or (not name and found.value is None)


@pytest.mark.parametrize(("elapsed_s", "said"), [(39_000.0, True), (41_000.0, False)])
def test_sql_is_an_action_where_it_keeps_half_a_session_busy(
    elapsed_s: float, *, said: bool
) -> None:
    """The statement takes 20,000 s."""
    found = analysis(statements(QUERY), waits(), elapsed_s=elapsed_s)

    assert ("tune-leading-sql" in {each.id for each in found.actions}) is said


def test_other_processes_of_the_host_are_looked_for_where_they_took_its_cpu() -> None:
    """Compare-period reports 10.2.0.4.0-rac_12 and _13: 2 → 27 % of the CPU."""
    model = time_model(DB_CPU=900.0, background_cpu_time=0.0)
    before, after = (
        dict(facts(os_statistics(busy, 1_000_000 - busy), model, elapsed_s=3_600.0))
        for busy in (100_000, 600_000)
    )
    found = elsewhere.find_other_processes(Case.of(after, (), Policy(), before=before))

    assert found is not None
    assert found.title == "Find what else uses the host's CPU (1 % → 51 %)"
    assert elsewhere.find_other_processes(Case.of(after, (), Policy(), before=after)) is None


@pytest.mark.parametrize(
    ("event", "held"),
    [("enq: TM - contention", "LOCK TABLE"), ("enq: UL - contention", "DBMS_LOCK")],
)
def test_the_holders_of_a_lock_are_looked_for_with_what_takes_it(event: str, held: str) -> None:
    """AWR 11.2.0.2.0_01: 11 inserts waited 27 s each for a table lock."""
    found = analysis(waits(f"{event} | 110 | 0 | 3,000 | 27273 | 0.1 | 10.1"))
    (step,) = [each for each in found.actions if each.id == "find-blocking-sessions"]

    assert step.title == f"Find the sessions that block others (`{event}`)"
    assert held in step.action


def test_locks_that_cost_more_than_what_is_urgent_have_a_first_step() -> None:
    """AWR 11.2.0.3.0_02: TM 29,321 s and TX 20,719 s; slow writes, the headline, 28,621 s."""
    temp = "direct path write temp | 100,000 | 0 | {} | 50 | 1.0 | 16.0"
    locks = (
        "enq: TM - contention | 76 | 11 | 2,900 | 38157 | 0.1 | 9.8",
        "enq: TX - row lock contention | 231 | 1 | 2,000 | 8658 | 0.1 | 6.7",
        "enq: UL - contention | 3 | 1 | 100 | 33333 | 0.1 | 0.3",
    )
    cheaper, dearer = (analysis(waits(temp.format(each), *locks)) for each in ("4,800", "5,000"))
    titles = [
        [each.title for each in of.actions if each.id == "find-blocking-sessions"]
        for of in (cheaper, dearer)
    ]

    both = "`enq: TM - contention`, `enq: TX - row lock contention`"
    assert titles == [[f"Find the sessions that block others ({both})"], []]
    assert dearer.verdicts.write_path == "warning"


def test_a_lock_that_is_named_as_the_largest_wait_has_a_first_step() -> None:
    """AWR 11.2.0.2.0_01: 11 waits of 27 s are 0.083 sessions, and 5.3 % of DB time."""
    rows = ("enq: TM - contention | 11 | 0 | 298 | 27091 | 0.1 | 5.3",)
    found = analysis(waits(*rows), elapsed_s=3600.0, db_time_s=5660.0)

    assert "find-blocking-sessions" in [each.id for each in found.actions]


@pytest.mark.corpus
@pytest.mark.skipif(not corpus.CORPUS.is_dir(), reason="no ../shared/corpus")
def test_no_cache_is_advised_that_a_32_bit_process_cannot_address() -> None:
    """Statspack 9.2.0.4.0_01: with 1,872 MB of cache, the SGA would have 2,249 MB."""
    found = corpus.analysis_of(corpus.CORPUS / "statspack-text_9.2.0.4.0_01.LST")

    assert all(each.id != "enlarge-cache" for each in found.actions)


@pytest.mark.parametrize(("again", "cause"), [("4.25", "literals"), ("85.79", "unknown")])
def test_literals_are_the_cause_where_most_sql_of_the_shared_pool_ran_once(
    again: str, cause: str
) -> None:
    """Statspack 10.1.0.3.0_01 and AWR 12.1.0.2.0_01."""
    pool = (
        " Shared Pool Statistics        Begin    End\n"
        "                              ------  ------\n"
        "             Memory Usage %:   71.42   74.06\n"
        f"    % SQL with executions>1:   95.05  {again:>6}\n"
        "  % Memory for SQL w/exec>1:   74.15   76.02\n"
    )
    model = time_model(**{
        "hard_parse_elapsed_time": 1_000.0, "hard_parse_(sharing_criteria)_elapsed_time": 1.0,
    })  # fmt: skip
    found = facts(model, pool, statistics("parse count (hard) | 72000"), elapsed_s=3600.0)

    assert found["load.hard_parse_cause"].value == cause


@pytest.mark.parametrize(
    ("finding", "pct", "cause", "note"),
    [
        (
            "Hard Parse Due to Literal Usage",
            31.65,
            "literals",
            "ADDM: Hard Parse Due to Literal Usage, 32 %",
        ),
        (
            "Hard Parse Due to Sharing Criteria",
            31.65,
            "sharing",
            "ADDM: Hard Parse Due to Sharing Criteria, 32 %",
        ),
        ("Hard Parse Due to Literal Usage", 2.5, "unknown", ""),  # of 48 %
        ("Hard Parse Due to Parse Errors", 31.65, "unknown", ""),
    ],
)
def test_the_cause_of_hard_parses_that_addm_names_is_not_looked_for(
    finding: str, pct: float, cause: str, note: str
) -> None:
    """AWR 12.1.0.2.0_01."""
    row = f"{finding} | 155.70 | {pct} | ADDM:1 | 29-Aug-08 22:40 | 29-Aug-08 23:29"
    counted = (statistics("parse count (hard) | 720000"), parameters("cursor_sharing | EXACT"))
    model = time_model(**{
        "hard_parse_elapsed_time": 14_000.0, "hard_parse_(sharing_criteria)_elapsed_time": 1.0,
    })  # fmt: skip
    tables = (model, *counted, section("Top ADDM Findings by Average Active Sessions", ADDM, [row]))
    said = analysis(*tables, waits(), release="12.1.0.2.0")
    action = next(action for action in said.actions if action.id == "share-cursors")

    assert said.facts["load.hard_parse_cause"].value == cause
    assert action.action.endswith(f"{note}.")
    assert ("v$sqlstats" in action.commands[0]) is (cause != "sharing")


@pytest.mark.parametrize(
    ("service_ms", "wait_ms", "said"),
    [
        (15.0, 4, "Direct reads explain it: they are asynchronous, and 2 of them run at a time"),
        (15.0, 16, "Direct reads probably explain it"),  # it is not the time of all of them
        (5.0, 4, "Direct reads probably explain it"),  # 0.67 for a session leave time unexplained
    ],
)
def test_asynchronous_reads_that_fill_the_time_of_sessions_explain_it(
    service_ms: float, wait_ms: float, said: str
) -> None:
    """AWR 12.2.0.1.0_01: 8,029 reads per second of 15.51 ms, 62.7 sessions; the event: 3.82 ms."""
    headings = ("Filetype Name", "Reads: Data", "Reqs per sec", "Data per sec", "Writes: Data",
                "Reqs per sec", "Data per sec", "Small Read", "Large Read")  # fmt: skip
    row = f"Data File | 100G | 320.0 | 20M | 1M | 0.1 | .001M | {service_ms}ms | "
    seconds = 1_000_000 * wait_ms / 1000
    event = f"direct path read | 1,000,000 | 0 | {seconds:,.0f} | {wait_ms} | 1.0 | 30.0"
    of_cpu = section("Time Model Statistics", ("Statistic Name", "Time (s)"), ["DB CPU | 100"])
    found = analysis(
        waits(event), section("IOStat by Filetype summary", headings, [row]), of_cpu,
        elapsed_s=12_500.0, db_time_s=30_000.0, release="12.2.0.1.0",
    )  # fmt: skip

    assert said in host.in_no_event(
        lambda name: found.facts[name].number, Policy().__getitem__, "direct path read", 80.0
    )


def test_own_load_comes_before_the_storage_is_blamed() -> None:
    """Statspack 9.2.0.4.0_01."""
    values: dict[str, Any] = {
        "redo.local_write_ms": 60.0, "redo.parallel_write_ms": 60.0, "redo.write_ms": 60.0,
        "redo.sync_wait_s": 900.0, "redo.sync_count": 10_000.0, "redo.commit_ms": 90.0,
        "redo.bytes_per_write": 4096.0, "redo.lgwr_busy_pct": 20.0, "load.response_s": 20_000.0,
        "redo.commit_storage_s": 600.0, "io.data_read_ms": 20.0, "io.data_read_waits": 90_000.0,
        "io.read_mb_per_s": 2.16, "io.write_mb_per_s": 1.13,
    }  # fmt: skip
    item = commit_waits.relieve_log_device(case(values))

    assert item is not None
    assert "The instance itself reads 2.16 MB/s and writes 1.13 MB/s. Check" in item.action
    assert item.action.endswith("would be faster is not known.")


@pytest.mark.parametrize(
    ("ack_s", "db_time_s", "shown"),
    [
        (570, 29_659.0, True),  # AWR 10.2.0.4.0 RAC 01: 0.57 of 2.37 ms
        (100, 29_659.0, False),  # less than a tenth of a commit
        (570, 59_659.0, False),  # commits are 4 % of DB time
    ],
)
def test_what_other_instances_take_of_a_commit_is_shown_where_commits_are_visible(
    ack_s: int, db_time_s: float, *, shown: bool
) -> None:
    background = section("Background Wait Events", EVENTS, [
        "log file parallel write | 1,000,000 | 0 | 982 | 1 | 1.0 | 1.0",
        f"wait for scn ack | 900,000 | 0 | {ack_s} | 1 | 1.0 | 1.0",
    ])  # fmt: skip
    found = analysis(
        waits("log file sync | 1,000,000 | 0 | 2,370 | 2 | 1.0 | 8.0"), background,
        statistics("redo writes | 1000000"), db_time_s=db_time_s,
    )  # fmt: skip
    tile = next(tile for tile in first_screen.tiles(found) if tile.name == "redo")

    assert any("up to 0.57 ms for other instances" in words for words in tile.words) is shown
