"""Which SQL is named, and what is done about it: CPU, programs, LOBs, index builds."""

from __future__ import annotations

import pytest
from figures import analysis, facts, parameters, section, waits
from test_first_action import judged
from test_hot_data import blocks, sql
from test_rules import facts_of
from test_witnesses import (
    BY_CPU,
    BY_EXECUTIONS,
    BY_GETS,
    GETS,
    statements,
    time_model,
    top_events,
)

from awrlens.advice import elsewhere, hot_data
from awrlens.advice.case import Case
from awrlens.policy import Policy

SEGMENTS = ("Owner", "Tablespace Name", "Object Name", "Subobject Name", "Obj. Type")
#: Reads are most of DB time, CPU the rest; a lookup has most of the reads.
READS = {
    "load.largest_consumer": "db file sequential read", "load.largest_consumer_pct": 70.0,
    "load.data_read_wait_s": 12_600.0, "io.data_read_ms": 9.0, "load.block_b": 8_192.0,
    "io.read_tablespaces": ("ORDERS",), "io.leading_sql": "fewer executions of SQL 82ud5h0qcg0bf",
    "load.db_cpu_s": 5_000.0, "load.cpu_sql": ("g8rhybcumtwd6",), "load.cpu_sql_pct": 73.0,
    "load.cpu_sql_time_pct": 21.0, "load.searching_cpu_sql": "with 49,627 gets per execution",
}  # fmt: skip


def steps(changed: dict[str, object]) -> list[str]:
    """The steps for a report of an hour with five active sessions."""
    numbers = {"load.elapsed_s": 3_600.0, "load.response_s": 18_000.0}
    found = facts_of(numbers | READS | changed)
    found["load.cpu_sql"].note = "SQL g8rhybcumtwd6 takes 73 %"
    found["io.read_tablespaces"].note = "ORDERS: 12,600 s (100 %)"
    found["io.leading_sql"].note = "40 % of User I/O wait time"
    found["load.leading_sql"].note = "SQL 82ud5h0qcg0bf takes 40 %"
    return [step.title for step in elsewhere.steps(Case.of(found, (), Policy()), [])]


@pytest.mark.parametrize(
    "changed", [{}, {"load.leading_sql": ("82ud5h0qcg0bf",), "load.leading_sql_pct": 40.0}]
)
def test_sql_with_many_gets_is_tuned_rather_than_a_lookup_run_less_often(
    changed: dict[str, object],
) -> None:
    """AWR 11.2.0.3.0_01: a lookup of 4 gets has most of the reads, a join 73 % of the CPU."""
    tune = "SQL g8rhybcumtwd6 (73 % of the CPU, 21 % of DB time, 49,627 gets per execution)"

    assert steps(changed) == [f"Tune {tune}"]


@pytest.mark.parametrize("cpu_s", [3_599.0, 3_600.0])
def test_sql_with_most_cpu_is_tuned_from_a_fifth_of_db_time_on(cpu_s: float) -> None:
    lookup = "Run SQL 82ud5h0qcg0bf less often (40 % of User I/O wait time)"
    (step,) = steps({"load.db_cpu_s": cpu_s})

    assert (step != lookup) is (cpu_s == 3_600.0)


@pytest.mark.parametrize(
    ("sql_s", "pct", "said"),
    [
        ("2,000.0", 25, "SQL 8t43xdhf4d9x2 (PL/SQL with its SQL) takes 50 % of the CPU."),
        ("  200.0", 25, "No SQL takes more than 5 % of the CPU."),
        ("2,000.0", 18, ""),
    ],
)
def test_cpu_that_is_not_the_largest_consumer_has_a_name_too(
    sql_s: str, pct: int, said: str
) -> None:
    whole_s = 4_000.0 * 100 / pct
    reads = f"db file sequential read | {87.5 * whole_s:,.0f} | {{}}{0.7 * whole_s:,.0f} | 8 |{{}}"
    found = analysis(
        BY_CPU.format(cpu="0.1").replace("2,000.0", sql_s, 1), time_model(DB_CPU=4_000.0),
        waits(f"{reads.format('0 | ', ' 1.0 |')} 70.0"), top_events(f"{reads.format('', '')} 70.0"),
        db_time_s=whole_s,
    )  # fmt: skip

    assert "70 % of DB time is `db file sequential read`" in found.headline
    assert said in found.headline
    assert ("and 25 % is CPU" in found.headline) is bool(said)


def test_a_figure_that_fills_its_column_is_read_next_to_a_sql_id() -> None:
    """AWR text 11.2.0.3.0_01: the first row of SQL ordered by Gets begins at the left margin."""
    head = (
        "     Buffer                 Gets              Elapsed\n"
        "      Gets   Executions   per Exec   %Total   Time (s)  %CPU   %IO    SQL Id\n"
        "----------- ----------- ------------ ------ ---------- ----- ----- -------------"
    )
    row = "3.51655E+08       7,086     49,626.7   96.0    1,350.7  91.8   6.7 5r8m0hs2cyq4w"
    by_gets = GETS.format(by="Gets", headings=head, row=row)
    by_gets = by_gets.replace("SELECT *", "SELECT /*+ first_rows index(calls) */ *")
    found = facts(
        BY_CPU.format(cpu="800.0"), by_gets, time_model(DB_CPU=4_000), waits(), db_time_s=5_000.0
    )

    assert found["load.searching_cpu_sql"].value == "with 49,627 gets per execution, with hints"
    assert found["load.cpu_sql_time_pct"].number == pytest.approx(20.0, abs=0.01)


@pytest.mark.parametrize(
    ("text", "reads", "about"),
    [
        ("update TICKETS set DATA=:1", "29,000,000", "LOBs"),
        ("update TICKETS set DATA=:1", "9,000,000", ""),  # less than half of its gets
        ("select DATA from TICKETS", "29,000,000", ""),
    ],
)
def test_gets_of_lobs_are_no_reason_to_tune_a_plan(text: str, reads: str, about: str) -> None:
    """AWR 11.2.0.4.0_01: LOB segments have 91 % of the gets of an UPDATE."""
    row = " 65,575,687        8,092      8,103.8   90.0    4,000.0   34.6     .0 8t43xdhf4d9x2"
    found = facts(
        statements(f"         4,000.0      8,092   40.0   34.6     .0 8t43xdhf4d9x2|{text}"),
        GETS.format(by="Gets", headings=BY_GETS, row=f"    {row}").replace("SELECT *", text),
        section("Segments by Logical Reads", (*SEGMENTS, "Logical Reads", "%Total"), [
            "SALES | USERS | SYS_IL0000092764C00009$$ | x | INDEX | 10,000,000 | 5.0",
            f"SALES | USERS | SYS_LOB0000092764C00009$$ | x | LOB | {reads} | 5.0"]),
        db_time_s=10_000.0,
    )  # fmt: skip

    assert found["load.searching_sql"].about == about


def test_sql_that_writes_lobs_is_to_write_less() -> None:
    facts = facts_of({
        "load.elapsed_s": 3_600.0, "load.response_s": 18_000.0, "load.largest_consumer": "CPU",
        "load.leading_sql": ("8t43xdhf4d9x2",), "load.leading_sql_pct": 40.0,
        "load.searching_sql": "with 8,104 gets per execution, probably 91 % of them of LOBs",
    })  # fmt: skip
    facts["load.leading_sql"].note = "SQL 8t43xdhf4d9x2 takes 40 %"
    facts["load.searching_sql"].about = "LOBs"
    item = elsewhere.tune_leading_sql(Case.of(facts, (), Policy()), "")

    assert item is not None
    assert item.title == "Write smaller or fewer LOBs with SQL 8t43xdhf4d9x2 (40 % of DB time)"


@pytest.mark.parametrize(
    ("shares", "module"),
    [
        (("9.0", "8.0", "7.0"), "SQL*Plus"),
        (("2,669,525,168.9", "9.0", "8.0", "7.0"), "SQL*Plus"),  # a counter that overflowed
        (("6.0", "6.0", "6.0"), None),  # 18 %
        (("9.0", "9.9"), None),  # two statements can be named
        (("11.0", "9.0", "8.0"), None),  # one leads
    ],
)
def test_many_statements_of_one_program_are_one_reader(
    shares: tuple[str, ...], module: str | None
) -> None:
    """AWR 11.2.0.3.0_02: 16 statements of a program have 34 %, the largest 4.7 %."""
    rows = {f"aaaaaaaaaaaa{n}": ("2,000.0", share) for n, share in enumerate(shares)}
    listed = sql("User I/O Wait Time", **rows)
    for share in shares[:1]:  # a long share is wider than its column
        listed = listed if len(share) < 7 else listed.replace(share, "999.9")
    found = facts(listed, blocks("1,000"))["io.leading_module"]

    assert found.value == module
    if module:
        assert found.note.startswith("3 statements have 24 % of User I/O wait time, the largest, ")


def test_the_sql_of_a_program_is_tuned_where_no_statement_leads() -> None:
    found = facts_of(READS | {
        "load.elapsed_s": 3_600.0, "load.response_s": 18_000.0, "io.leading_sql": None,
        "io.leading_module": "BI.exe",
    })  # fmt: skip
    found["io.leading_module"].note = "16 statements have 34 % of User I/O wait time, the largest"
    found["io.read_tablespaces"].note = "ORDERS: 12,600 s (100 %)"
    item = hot_data.tune_reads(Case.of(found, (), Policy()))

    assert item is not None
    assert item.title == "Tune the SQL of BI.exe (16 statements have 34 % of User I/O wait time)"


@pytest.mark.parametrize(
    ("kind", "built"),
    [("INDEX", "Build indexes ONLINE or at a quiet time"), ("LOB", "")],
)
def test_an_index_that_was_written_directly_was_built_and_locked_its_table(
    kind: str, built: str
) -> None:
    """AWR 11.2.0.2.0_01: 298 s of `enq: TM`, and 54,559 blocks of an index written directly."""
    found = analysis(
        waits("enq: TM - contention | 110 | 0 | 3,000 | 27273 | 0.1 | 10.1"),
        parameters("db_block_size | 8192"),
        section("Segments by Direct Physical Writes", (*SEGMENTS, "Direct Writes", "%Total"), [
            f"SALES | USERS | ORDERS_PK | x | {kind} | 54,559 | 38.3",
            "SALES | USERS | ORDERS | x | TABLE | 39 | 0.0"]),
    )  # fmt: skip
    (step,) = [item for item in found.actions if item.id == "find-blocking-sessions"]

    assert built in step.title
    assert ("LOCK TABLE" in step.action) is not bool(built)


def test_sql_of_the_cpu_does_not_come_before_that_of_a_lock() -> None:
    lock: dict[str, object] = {
        "load.largest_consumer": "enq: TX - row lock contention",
        "load.leading_sql": None,
    }

    assert all(item.id != "tune-leading-sql" for item in judged(lock).actions)


QUERY = "select * from orders where day = {} and agent in (select id from agents)"


@pytest.mark.parametrize(
    ("texts", "named"),
    [
        ((QUERY.format("'1 May'"), QUERY.format(42)),
         "SQL 8t43xdhf4d9x0 with 1 that differ only in literals takes 36 %"),
        ((QUERY, QUERY.replace("agents", "clients")), None),
        ((QUERY, QUERY), None),  # what differs is behind the cut
        (("begin pay(1); end;", "begin pay(2); end;"), None),  # one may call the other
    ],
)  # fmt: skip
def test_sql_that_differs_only_in_literals_is_one_statement(
    texts: tuple[str, str], named: str | None
) -> None:
    """Statspack 8.1.7.4.1_01: one query three times has 27 % of the buffer gets."""
    rows = (
        f"         1,800.0         10   18.0   34.6     .0 8t43xdhf4d9x{n}|{text}|"
        for n, text in enumerate(texts)
    )
    leading = facts(statements(*rows), db_time_s=10_000.0)["load.leading_sql"]

    assert (leading.note if leading.value else None) == named
    assert not leading.value or len(leading.evidence) == 2


def costly(*rows: tuple[float, int, int]) -> str:
    """Lists by elapsed time and gets of SQL: share, executions, gets; DB time is 20,000 s."""
    by_time, by_gets = list[str](), list[str]()
    for n, (pct, times, gets) in enumerate(rows):
        end = f"95.0     .0 8t43xdhf4d9x{n}"
        by_time.append(f"{pct * 200:>16,.1f} {times:>10,} {pct:>6}   {end}|with t{n} as (t)|")
        spent = f"{pct:>6} {pct * 200:>10,.1f}"
        by_gets.append(f"{gets * times:>14,} {times:>11,} {gets:>12,.1f} {spent}   {end}\n")
    often = f"{900_000:>12} {900_000:>15} {1.0:>14}   1.0    2.0     .0 7t43xdhf4d9x2"
    return (
        statements(*by_time)
        + GETS.format(by="Gets", headings=BY_GETS, row="\n".join(by_gets))
        + GETS.format(by="Executions", headings=BY_EXECUTIONS, row=often)
    )


@pytest.mark.parametrize(
    ("rows", "title"),
    [
        # the leading SQL has a step of its own, if it is worth one
        ([(40.0, 900, 8), (24.0, 66_305, 3_294), (21.0, 1_009, 247_523)],
         ("Tune SQL 8t43xdhf4d9x1 (24 % of DB time, 3,294 gets per execution) and SQL "
          "8t43xdhf4d9x2 (21 %, 247,523 gets per execution)")),
        ([(24.0, 66_305, 3_294), (14.9, 1_009, 999)], ""),  # too few sessions
        # SQL that computes is named, however few its gets are, unless an index finds its rows
        ([(24.0, 66_305, 3_294), (21.0, 1_009, 999)],
         ("Tune SQL 8t43xdhf4d9x0 (24 % of DB time, 3,294 gets per execution) and SQL "
          "8t43xdhf4d9x1 (21 %, 4.16 s each)")),
        ([(24.0, 66_305, 3_294), (21.0, 1_009, 20)], ""),
        ([(24.0, 66_305, 3_294), (9.9, 1_009, 247_523)], ""),
    ],
)  # fmt: skip
def test_every_statement_that_searches_much_is_tuned_not_only_the_leading_one(
    rows: list[tuple[float, int, int]], title: str
) -> None:
    """AWR 11.2.0.4.0_01: 45 % of DB time are two queries beside an UPDATE of LOBs."""
    found = analysis(costly(*rows), waits(), time_model(DB_CPU=9_000.0), db_time_s=20_000.0)
    steps = [step.title for step in found.actions if step.id == "tune-costly-sql"]

    assert steps == [title] * bool(title)


@pytest.mark.parametrize(("gets_of", "first"), [("LOBs", True), ("", False)])
def test_sql_that_searches_comes_before_sql_that_no_plan_helps(gets_of: str, first: bool) -> None:
    found = facts_of({
        "load.elapsed_s": 3_600.0, "load.response_s": 18_000.0, "load.db_cpu_s": 15_000.0,
        "load.largest_consumer": "CPU", "load.largest_consumer_pct": 83.0,
        "load.leading_sql": ("4n3umtaapyywu",), "load.leading_sql_pct": 31.0,
        "load.costly_sql": ("cs4bbffspwq1f",), "load.costly_sql_pct": 24.0,
        "load.cpu_sql": ("4n3umtaapyywu",), "load.searching_sql": "with 8,104 gets per execution",
    })  # fmt: skip
    found["load.leading_sql"].note = "SQL 4n3umtaapyywu takes 31 %"
    found["load.costly_sql"].note = "SQL cs4bbffspwq1f (24 %, 3,294 gets per execution)"
    found["load.searching_sql"].about = gets_of
    ids = [step.id for step in elsewhere.steps(Case.of(found, (), Policy()), [])]

    assert {*ids} == {"tune-costly-sql", "tune-leading-sql"}
    assert (ids[0] == "tune-costly-sql") is first


@pytest.mark.parametrize(("lock_s", "tuned"), [(1_200.0, True), (1_300.0, False)])
def test_sql_that_costs_more_than_the_locks_of_a_step_has_a_step_too(
    lock_s: float, tuned: bool
) -> None:
    """AWR 11.2.0.2.0_02: an UPDATE of 1,024 s, and 298 s of `enq: TM`; DB time is not reliable."""
    found = facts_of({
        "load.elapsed_s": 3_600.0, "load.response_s": 5_000.0, "load.lock_wait_s": lock_s,
        "load.largest_consumer": "enq: TM - contention", "load.largest_consumer_pct": 24.0,
        "load.leading_sql": ("46mds2k8vwyqt",), "load.leading_sql_pct": 25.0,
    })  # fmt: skip
    found["load.lock_wait_s"].note = "enq: TM - contention"
    found["load.leading_sql"].note = "SQL 46mds2k8vwyqt takes 1,250 s"
    titles = [step.title for step in elsewhere.steps(Case.of(found, (), Policy()), [])]

    assert ("Tune SQL 46mds2k8vwyqt (1,250 s)" in titles) is tuned


@pytest.mark.parametrize(
    ("waited_pct", "idle_pct", "parse_pct", "first"),
    [
        (108.0, 97.0, 20.0, "check-cpu-limit"),
        (108.0, 97.0, 50.0, "share-cursors"),  # the CPU wait is 25 % of DB time
        (49.0, 97.0, 20.0, "share-cursors"),
        (108.0, 5.0, 20.0, "share-cursors"),  # a queue for CPUs that are busy
    ],
)
def test_a_cpu_limit_of_the_partition_is_checked_before_what_costs_less(
    waited_pct: float, idle_pct: float, parse_pct: float, first: str
) -> None:
    """AWR 12.2.0.1.0_01: 4,577 s of waiting for CPU, 4,235 s of busy CPUs, 97 % idle."""
    found = facts_of({
        "load.elapsed_s": 3_600.0, "load.response_s": 18_000.0, "host.cpu_wait_s": 4_577.0,
        "host.cpu_wait_pct": waited_pct, "host.idle_pct": idle_pct, "load.parse_pct": parse_pct,
        "load.hard_parse_pct": parse_pct, "load.hard_parse_cause": "unknown",
    })  # fmt: skip
    ids = [step.id for step in elsewhere.steps(Case.of(found, (), Policy()), [])]

    assert ids[0] == first
    assert ("check-cpu-limit" in ids) is (waited_pct > 100 and idle_pct > 90)


@pytest.mark.parametrize(("compared", "sql"), [(True, "fewer executions of SQL a"), (True, "SQL a"),
                                               (False, "fewer executions of SQL a")])  # fmt: skip
def test_a_comparison_whose_reads_no_plan_saves_names_oracles_cache_advisory(
    compared: bool, sql: str
) -> None:
    found = facts_of(READS | {
        "load.elapsed_s": 3_600.0, "load.response_s": 18_000.0, "io.leading_sql": sql,
        "load.buffer_cache_mb": 728.0,
    })  # fmt: skip
    found["io.read_tablespaces"].note = "ORDERS: 12,600 s (100 %)"
    of = Case.of(found, (), Policy(), before=found if compared else None)
    titles = [step.title for step in hot_data.relieve_reads(of)]

    first = "See in V$DB_CACHE_ADVICE whether a larger buffer cache saves reads (728 MB now)"
    assert (titles[0] == first) is (compared and sql.startswith("fewer"))


@pytest.mark.parametrize(("lock_s", "lock_first"), [(2_500.0, True), (2_300.0, False)])
def test_locks_come_before_sql_whose_reads_cost_less(lock_s: float, lock_first: bool) -> None:
    found = facts_of(READS | {
        "load.elapsed_s": 3_600.0, "load.response_s": 18_000.0, "load.lock_wait_s": lock_s,
        "io.leading_sql": "SQL a", "load.cpu_sql": None,
    })  # fmt: skip
    found["io.leading_sql"].about = "0.19"
    found["load.lock_wait_s"].note = "enqueue"
    found["io.read_tablespaces"].note = "ORDERS: 12,600 s (100 %)"
    ids = [step.id for step in elsewhere.steps(Case.of(found, (), Policy()), [])]

    assert (ids.index("find-blocking-sessions") < ids.index("tune-reads")) is lock_first
