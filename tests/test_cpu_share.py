"""The share of CPU in DB time: whose figure is taken, and when none is believed."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import figures
import pytest
import samples
from corpus import CORPUS, analysis, analysis_of, over
from figures import parameters, section, statistics, time_model, waits

from awrlens import api
from awrlens.facts.figures import Figures
from awrlens.policy import Policy
from awrlens.severity import Scale

if TYPE_CHECKING:
    from corpus import Entry

    from awrlens.model import Fact

NAME = "CPU used by this session"


def share(*sections: str) -> Fact:
    return figures.facts(*sections, elapsed_s=3_600, db_time_s=1_200)["integrity.cpu_pct"]


def before_10g(*sections: str, elapsed_s: float = 3_600, db_time_s: float = 1_200) -> Fact:
    """The share in a report whose release has no time model."""
    found = figures.analysis(
        *sections, elapsed_s=elapsed_s, db_time_s=db_time_s, release="9.2.0.8.0"
    )
    return found.facts["integrity.cpu_pct"]


def of_9i(printed: str) -> Fact:
    text = samples.path("redo-disk.statspack-9.2.lst").read_text(encoding="utf-8")
    line = next(each for each in text.split("\n") if each.startswith(NAME))
    rate = f"{int(printed.replace(',', '')) / 8381:,.1f}"
    other = line.replace("789,100".rjust(20), printed.rjust(20)).replace("94.2", f"{rate:>4}")
    assert other != line
    return api.facts_of(api.load(text.replace(line, other).encode()))["integrity.cpu_pct"]


def test_the_time_model_comes_before_a_counter_that_calls_add_up_when_they_end() -> None:
    found = share(time_model("480.00"), statistics(f"{NAME} | 512,000"))

    assert found.value == 40.0
    assert "DB CPU" in found.formula


def test_before_the_time_model_the_counter_of_sessions_is_taken() -> None:
    """Since 10g it is 11 to 129 % of `DB CPU` in real reports: a lost section is not replaced."""
    lost = share(statistics(f"{NAME} | 60,000"))

    assert before_10g(statistics(f"{NAME} | 60,000")).value == 50.0
    assert lost.value is None
    assert "Time Model Statistics is not in the report" in lost.note


def test_db_cpu_beyond_db_time_is_no_part_of_it() -> None:
    counted = share(time_model("1,900.00"), statistics(f"{NAME} | 60,000"))
    alone = share(time_model("1,900.00"))
    rounded = share(time_model("1,224.00"))

    assert counted.value == 50.0
    assert "`DB CPU` is 1,900.00 s DB CPU, more than DB time" in counted.note
    assert alone.value is None
    assert "more than DB time" in alone.note
    assert rounded.value == 102.0


def test_db_cpu_beyond_all_cpus_is_neither_used_nor_silent() -> None:
    """2 CPUs have 1,200 s in 600 s."""
    found = figures.analysis(time_model("1,900.00"), statistics(f"{NAME} | 60,000"),
                             elapsed_s=600.0, db_time_s=9_000.0)  # fmt: skip

    assert found.facts["load.db_cpu_s"].number == 600
    assert "1,900.00 s DB CPU, more than the 1,200 s that 2 CPUs have" in (
        found.facts["load.db_cpu_s"].note
    )
    assert any("2 CPUs have only 1,200 s" in each.message for each in found.warnings)


def test_a_counter_beyond_db_time_is_not_believed() -> None:
    found = before_10g(statistics(f"{NAME} | 512,000"))

    assert found.value is None
    assert "512,000 cs, more than DB time" in found.note


def test_a_counter_that_has_wrapped_is_no_cpu_time() -> None:
    assert of_9i("289,100").number is not None
    found = of_9i("4,294,960,118")

    assert found.value is None
    assert "the 32-bit counter has wrapped" in found.note
    assert found.sections


def test_a_counter_beyond_what_the_cpus_have_is_no_cpu_time() -> None:
    """Two processors have 7,200 s in an hour; DB time may hold any number of waits."""
    cpu = statistics(f"{NAME} | 900,000")

    found = before_10g(cpu, db_time_s=18_000)
    more = before_10g(cpu, parameters("cpu_count | 4"), elapsed_s=7_200, db_time_s=18_000)

    assert found.value is None
    assert "more than the 7,200 s that 2 CPUs have in the interval" in found.note
    assert more.value == 50.0


CALLS = {
    "sql execute elapsed time": 1_000.0, "parse time elapsed": 100.0,
    "connection management call elapsed time": 50.0, "PL/SQL execution elapsed time": 10.0,
}  # fmt: skip


@pytest.mark.parametrize(
    ("cpu_s", "counted_cs", "doubted"),
    [
        ("1,750.0", "100,000", True),  # more than 1.5 times 1,160 s
        ("1,730.0", "100,000", False),  # it may be of other calls
        ("1,750.0", "120,000", False),  # the other clock has it
        ("1,750.0", "######", False),  # it may have it
    ],
)
def test_db_cpu_is_not_far_more_than_the_calls_took_that_computed(
    cpu_s: str, counted_cs: str, *, doubted: bool
) -> None:
    rows = [f"DB CPU | {cpu_s}", *(f"{name} | {s}" for name, s in CALLS.items()), "DB time | 2,000"]
    model = section("Time Model Statistics", ("Statistic Name", "Time (s)"), rows)
    found = figures.analysis(model, statistics(f"{NAME} | {counted_cs}"), elapsed_s=3_600,
                             db_time_s=2_000)  # fmt: skip

    assert found.has_two_clocks is doubted
    assert (found.facts["load.db_cpu_s"].number == 1_000) is doubted


def test_shares_of_a_db_time_that_another_clock_contradicts_are_not_shown() -> None:
    """2,000 s of DB time in an hour by the time model, 1,000 s by the statistic."""
    rows = ["DB CPU | 1,750.0", *(f"{name} | {s}" for name, s in CALLS.items()), "DB time | 2,000"]
    model = section("Time Model Statistics", ("Statistic Name", "Time (s)"), rows)
    counted = statistics(f"{NAME} | 100,000", "DB time | 100,000")
    found = figures.analysis(model, counted, elapsed_s=3_600, db_time_s=2_000)
    scale = Scale(found.facts, Policy())

    assert scale.impact(18.0, "waits").pct_db_time is None
    weight = scale.weigh(18.0, each_ms=10.0).weight
    assert scale.calm_words(weight).startswith(", but fewer than 0.01 of 0.555 active")


@over("awr-html", "awr-text", "statspack-text")
def test_no_real_report_has_more_cpu_than_db_time(entry: Entry) -> None:
    found = analysis(entry).facts["integrity.cpu_pct"]

    if found.number is None:
        assert found.note
    else:
        assert 0 < found.number <= 105


@pytest.mark.corpus
@pytest.mark.skipif(
    not CORPUS.is_dir(), reason="the corpus of real reports is not at ../shared/corpus"
)
@pytest.mark.parametrize(
    ("file", "percent"),
    [
        ("awr-html_19.0.0.0.0_01.html", 12.76 * 100 / 14.38),
        # SQL, parses, logons and PL/SQL took 2,531 s, so DB CPU of 5,207.4 s is not theirs
        ("awr-html_11.2.0.2.0_01.html", 576.88 * 100 / 5_659.8),
        # the report says itself that DB CPU is 192.1 % of DB time
        ("statspack-text_11.2.0.4.0_01.txt", 524.22 * 100 / 618),
    ],
)
def test_shares_of_real_reports_agree_with_those_read_by_hand(file: str, percent: float) -> None:
    found = analysis_of(CORPUS / file).facts["integrity.cpu_pct"].number

    assert found == pytest.approx(percent, rel=1e-3)


def test_a_time_model_and_a_counter_that_are_far_apart_are_both_shown() -> None:
    far = share(time_model("480.00"), statistics(f"{NAME} | 5,000"))
    near = share(time_model("480.00"), statistics(f"{NAME} | 24,000"))

    assert far.value == near.value == 40.0
    assert far.note == (
        f"mostly in calls that still ran at the end: `{NAME}`, which counts a call when it ends, "
        "has 50 of 480 s"
    )
    assert near.note == ""


WAITED = (
    "log file sync | 1,000 | 0 | 1 | 1.00 | 1.0 | 0.1",
    "db file sequential read | 23,800 | 0 | 119 | 5.00 | 3.0 | 9.9",
)


def headline(*sections: str) -> str:
    return figures.analysis(*sections, elapsed_s=3_600, db_time_s=1_200).headline


def test_where_captured_time_is_not_printed_db_time_without_cpu_and_waits_is_still_named() -> None:
    """480 s of CPU and 120 s of waits are half of 1,200 s."""
    said = headline(time_model("480.00"), waits(*WAITED))

    assert "50 % of DB time is neither CPU nor waits" in said


def test_without_db_cpu_or_without_a_list_of_waits_that_is_not_known() -> None:
    assert "neither" not in headline(statistics(f"{NAME} | 48,000"), waits(*WAITED))
    assert "neither" not in headline(time_model("480.00"))


@pytest.mark.parametrize(("cpus", "per_cpu"), [("1", 3.0), ("2", 1.5)])
def test_the_load_of_a_host_is_that_of_each_of_its_cpus(cpus: str, per_cpu: float) -> None:
    host = section("Host CPU", ("#CPUs", "Begin", "End", "%User"), [f"{cpus} | 1.0 | 3.0 | 40.0"])

    assert figures.facts(host)["host.load_per_cpu_end"].value == per_cpu


@pytest.mark.corpus
@pytest.mark.skipif(
    not CORPUS.is_dir(), reason="the corpus of real reports is not at ../shared/corpus"
)
def test_a_difference_of_load_averages_is_no_run_queue() -> None:
    """LOAD is 19 on 8 CPUs: the difference between two snapshots; the host was 82 % busy."""
    facts = api.facts_of(api.load(CORPUS / "awr-diff-html_10.2.0.4.0-rac_02.html").periods[1])

    assert facts["host.load_per_cpu_end"].value is None
    assert pytest.approx(17.8, abs=0.05) == facts["host.idle_pct"].number


@pytest.mark.parametrize(("release", "cpus"), [("11.1.0.7.0", 1.5), ("11.2.0.1.0", None)])
def test_the_parameter_cpu_count_is_that_of_the_host_before_instance_caging(
    release: str, cpus: float | None
) -> None:
    load = section("Host CPU", ("Begin", "End", "%User"), ["1.0 | 3.0 | 40.0"])
    count = parameters("cpu_count | 2", "undo_retention | 900")
    text = figures.head(release=release)
    host = text[text.index("Host Name") : text.index("              Snap Id")]
    report = api.load((text.replace(host, "") + load + count).encode(), "without its host")

    assert cpus == api.facts_of(report)["host.load_per_cpu_end"].value


def test_a_wait_of_all_processes_takes_no_more_than_cpu_leaves() -> None:
    """DB CPU is 84.35 of 100 s: 21.1 s of a list of all processes are not all waits of sessions."""
    heads = figures.EVENTS
    mixed = section("Wait Events", heads, [
        "DFS lock handle | 4,701 | 0 | 21.1 | 4.5 | 6.7 | 21.1",
        "gc buffer busy | 100 | 0 | 9.4 | 94 | 0.1 | 9.4", figures.IDLE,
    ])  # fmt: skip
    own = section("Background Wait Events", heads, [
        "os thread startup | 128 | 0 | 29.7 | 232 | 0.2 | 29.7", figures.IDLE,
    ])  # fmt: skip
    found = figures.analysis(
        mixed, own, time_model("84.35"), elapsed_s=7_200.0, db_time_s=100.0, release="10.2.0.4.0"
    )

    assert found.overview is not None
    shares = {each.name: each.pct for each in found.overview.db_time}
    assert shares["DFS lock handle"] == pytest.approx(15.8, abs=0.1)
    assert shares["gc buffer busy"] == pytest.approx(9.4, abs=0.1)


@pytest.mark.parametrize(("unparted_s", "others"), [("0.5", 1.0), ("25.0", None)])
def test_background_waits_that_one_list_adds_up_are_not_other_waits_of_sessions(
    unparted_s: str, others: float | None
) -> None:
    """AWR 10.2.0.4.0-rac_04: 25 of 31 s of the class Other are of background processes."""
    heads = figures.EVENTS
    mixed = section("Wait Events", heads, [
        "gc buffer busy | 100 | 0 | 9.4 | 94 | 0.1 | 9.4",
        "name-service call wait | 88 | 0 | 1.5 | 17 | 0.1 | 1.5", figures.IDLE,
    ])  # fmt: skip
    own = section("Background Wait Events", heads, [
        f"events in waitclass Other | 87,134 | 0 | {unparted_s} | 1 | 0.2 | 29.7", figures.IDLE,
    ])  # fmt: skip
    found = figures.analysis(
        mixed, own, time_model("84.35"), elapsed_s=7_200.0, db_time_s=100.0, release="10.2.0.4.0"
    )

    assert found.overview is not None
    shares = {each.name: each.pct for each in found.overview.db_time}
    assert shares.get("other waits") == (
        None if others is None else pytest.approx(others, abs=0.05)
    )
    assert shares["gc buffer busy"] == pytest.approx(9.4, abs=0.05)


@pytest.mark.parametrize(
    ("events_s", "class_s", "shares"),
    [
        ({"DFS lock handle": 15.0}, 31.0, {"DFS lock handle": 6.0}),
        ({"DFS lock handle": 15.0}, 45.0, {"DFS lock handle": 15.0}),
        # AWR 10.2.0.4.0-rac_04: two events had 10 s of the 6 s that sessions waited in the class
        ({"DFS lock handle": 15.0, "PX wait": 4.0}, 31.0, {"class Other": 6.0}),
        ({"DFS lock handle": 15.0, "PX wait": 4.0}, 45.0,
         {"DFS lock handle": 15.0, "PX wait": 4.0}),
    ],
)  # fmt: skip
def test_events_are_at_most_what_background_processes_leave_of_their_class(
    events_s: dict[str, float], class_s: float, shares: dict[str, float]
) -> None:
    """10.2: background waits of the class Other are one line, so the rest of the class bounds."""
    times = [(event, f"{spent * 333:,.0f}", spent) for event, spent in events_s.items()]
    waited = [
        f"{event} | {waits} | 0 | {spent} | 3 | 6.7 | {spent}" for event, waits, spent in times
    ]
    mixed = section("Wait Events", figures.EVENTS, [*waited, figures.IDLE])
    own = section("Background Wait Events", figures.EVENTS, [
        "events in waitclass Other | 87,134 | 0 | 25.0 | 1 | 0.2 | 25.0", figures.IDLE,
    ])  # fmt: skip
    classes = section("Wait Class",
        ("Wait Class", "Waits", "%Time -outs", "Total Wait Time (s)", "Avg wait (ms)",
         "Waits /txn"),
        [f"Other | 92,737 | 88.68 | {class_s} | 0 | 132.3"])  # fmt: skip
    top = section("Top 5 Timed Events",
        ("Event", "Waits", "Time(s)", "Avg Wait(ms)", "% Total Call Time", "Wait Class"),
        [f"{event} | {waits} | {spent:.0f} | 3 | {spent} | Other" for event, waits, spent in times],
    )  # fmt: skip
    found = figures.analysis(
        top, classes, mixed, own, time_model("50.0"), elapsed_s=7_200.0, db_time_s=100.0,
        release="10.2.0.4.0",
    )  # fmt: skip

    assert found.overview is not None
    others = {each.name: each.seconds for each in found.overview.db_time if each.part != "cpu"}
    assert others == pytest.approx(shares)


@pytest.mark.parametrize(("part_cs", "used_s"), [("961,902", 9_619.02), ("791,902", 7_891.0)])
def test_recursive_cpu_above_all_cpu_is_of_calls_that_still_run(
    part_cs: str, used_s: float
) -> None:
    """Statspack 8.1.7.4.1_10: 164,851 and 108,924 cs."""
    text = samples.path("redo-disk.statspack-8.1.7.lst").read_text(encoding="utf-8")
    part = re.compile(r"(recursive cpu usage +)641,902( +)76.6( +0.1)")
    changed = part.sub(rf"\g<1>{part_cs}\g<2>{int(part_cs.replace(',', '')) / 8380:.1f}\3", text)
    assert changed != text
    found = api.analyze(api.load(changed.encode(), "8i.lst"))

    assert found.facts["load.db_cpu_s"].number == pytest.approx(used_s)


@pytest.mark.parametrize("release", ["11.2.0.1.0", ""])
def test_recursive_cpu_counts_only_in_a_report_that_is_known_to_be_old(release: str) -> None:
    """AWR 19.0.0.0.0-rac_01: 5,072,000 cs of recursive CPU, 1,096,505 of sessions."""
    text = statistics(f"{NAME} | 1,096,505", "recursive cpu usage | 5,072,000")
    whole = f"{figures.head(release=release)}{text}" if release else text
    report = api.load(whole.encode(), "x.txt")

    assert report.identity.release == (release or None)
    assert Figures(report).cpu_counter().value == pytest.approx(10_965.05)


LAYOUT = (
    "   CPU                   CPU per           Elapsed",
    "  Time (s)  Executions    Exec (s) %Total   Time (s)   %CPU    %IO    SQL Id",
    "---------- ------------ ---------- ------ ---------- ------ ------ -------------",
)


def by_cpu(*rows: tuple[str, str, str, str]) -> str:
    """SQL with its CPU, executions, SQL ID and text."""
    lines = ["SQL ordered by CPU Time    DB/Inst: AULTDB/aultdb1  Snaps: 108-111", "", *LAYOUT]
    for cpu_s, times, id_, text in rows:
        lines += [f"{cpu_s:>10} {times:>12} {'N/A':>10} {'1.0':>6} {cpu_s:>10}   99.0     .0 {id_}"]
        lines += [text, ""]
    return "\n".join((*lines, f"          {'-' * 61}", ""))


TOP = ("Event", "Waits", "Time(s)", "Avg wait (ms)", "% DB time", "Wait Class")
ALL_THE_TIME = ("3,600.0", "0", "0fcynrnrnn3d1", "SELECT * FROM parts")
ONCE = ("3,500.0", "0", "bsdzx7xajvamf", "SELECT * FROM orders")
TWICE = ("3,600.0", "2", "cpwb1xmyq3c64", "SELECT * FROM bills")
SHORTER = ("3,400.0", "0", "dvuz2czw4ccvp", "SELECT * FROM rates")


def test_cpu_is_of_the_sql_that_uses_most_and_of_sessions_that_compute_all_the_time() -> None:
    """Of an hour, 3,400 s are not 95 %; what runs twice may compute in two sessions."""
    found = figures.analysis(
        time_model("7,150.0"), waits(), by_cpu(ALL_THE_TIME, TWICE, ONCE, SHORTER),
        section("Top 5 Timed Foreground Events", TOP, ["DB CPU | | 7,150 | | 99.3 |"]),
        figures.statistics("CPU used by this session | 715,000"), elapsed_s=3_600, db_time_s=7_200,
    )  # fmt: skip

    assert found.facts["load.cpu_sql"].note.startswith("SQL 0fcynrnrnn3d1 takes 50 %; SQL cpwb")
    assert found.facts["load.computing_sessions"].number == pytest.approx(7_100 / 3_600)
    assert found.actions[0].title.startswith(
        "Check or cancel the SQL of 2 sessions that did not end: SQL 0fcynrnrnn3d1 (50 %) and cpwb"
    )


def test_sql_is_not_ranked_if_the_cpu_of_one_cannot_be_read_or_all_have_none() -> None:
    """The first may be the largest; and the share in a list by CPU is not one of buffer gets."""
    model = time_model("1,000.0")
    known = ("300.0", "1", "dvuz2czw4ccvp", "SELECT * FROM rates")
    found = [
        figures.facts(model, by_cpu(*rows))["load.cpu_sql"].value
        for rows in ((known,), (("######", *known[1:2], "bsdzx7xajvamf", known[3]), known),
                     (("0.0", *known[1:]),))
    ]  # fmt: skip

    assert found == [("dvuz2czw4ccvp",), None, None]


@pytest.mark.parametrize(("pct", "named"), [("15.0", True), ("14.9", False)])
def test_without_the_cpu_of_sql_gets_tell_whose_it_is(pct: str, *, named: bool) -> None:
    gets = "\n".join((
        "SQL ordered by Gets for DB: ORACLE  Instance: orcl  Snaps: 229 -230", "",
        "  Buffer Gets    Executions  Gets per Exec  % Total  Hash Value",
        "--------------- ------------ -------------- ------- ------------",
        "     90,870,299           15    5,724,686.6    61.1   1768609032",
        'BEGIN "P_USERPROCS_EXECUTE" (NRN => :NRN); END;', "",
        f"     81,561,878          267      305,475.2    {pct}   2685191655",
        "SELECT NVL(SUM(NACC_SUM), 0) FROM KOMI", "",
        f"          {'-' * 61}", "",
    ))  # fmt: skip
    found = figures.facts(gets, statistics(f"{NAME} | 60,000"))["load.cpu_sql"]

    assert (found.value == ("2685191655",)) is named
    assert (found.note == "SQL 2685191655 takes 15 % of the buffer gets") is named


@pytest.mark.parametrize(("sql_s", "seconds"), [("700.0", 1_187.0), ("400.0", 524.0)])
def test_cpu_is_at_least_that_of_its_sql(sql_s: str, seconds: float) -> None:
    """Statspack 11.2.0.4.0_01: DB CPU exceeds DB time, but the statistic has less than SQL."""
    found = figures.facts(
        time_model("1,187.0"), statistics(f"{NAME} | 52,400"), by_cpu(
            (sql_s, "10", "7qk2m9x1c4d8z", "SELECT 1 FROM dual"),
            ("900.0", "1", "4tz0r5h3x6y1b", "BEGIN everything; END;"),
        ), elapsed_s=86_400.0, db_time_s=618.0,
    )  # fmt: skip

    assert found["load.db_cpu_s"].number == seconds
