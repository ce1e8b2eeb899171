"""The split of the commit wait: its parts, whatever a report prints, and what commits carry."""

from __future__ import annotations

import dataclasses
import math
from typing import TYPE_CHECKING, Any

import pytest
import samples
from corpus import CORPUS, analysis_of
from examples import at_most
from figures import EVENTS, section, statistics
from figures import analysis as analysis_of_sections
from figures import facts as facts_of_sections
from figures import report as figures_report
from figures import waits as waits_of
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from test_excerpts import facts as facts_of_text
from test_rules import facts_of as rule_facts
from test_samples import DISK, generate

from awrlens import api, rules
from awrlens.advice import plan
from awrlens.advice.case import NOT_QUANTIFIED, Case
from awrlens.model import Fact, Recommendation
from awrlens.policy import Policy

if TYPE_CHECKING:
    from collections.abc import Mapping

PARTS = (
    "redo.commit_storage_s", "redo.commit_lgwr_s", "redo.commit_scheduling_s",
    "redo.commit_unexplained_s",
)  # fmt: skip

#: Document 3, figures 1 and 2, and the numbers of the text below them.
FIGURES_1_AND_2 = """\
Top 5 Timed Events
Event                               Waits          Time (s)        % Total
-----------------------------------------------------------------------
log file sync                        21,470,106     125,416         34.86
CPU time                                             68,364         19.00
db file sequential read              35,725,749     46,269          12.86
log file parallel write              11,649,482     43,993          12.23

Background Wait Events for DB: (obscured) Instance: heart Snaps: 2237 - 2238

-> ordered by wait time desc, waits desc (idle events last).

Event\tWaits\tTimeouts\tTotal Wait Time (s)\tAvg wait (ms)\tWaits /txn
log file parallel write\t11,649,477\t0\t43,993\t4\t0.5
log file sequential read\t100,458\t0\t565\t6\t0.0
LGWR wait for redo copy\t610,215\t59\t34\t0\t0.0
"""

waits = st.integers(1, 10**7)
times_us = st.integers(0, 10**11)
loads = st.integers(0, 900)


@st.composite
def workloads(draw: st.DrawFn) -> Any:
    """The redo test with other waits at commit, other log writes and another host."""
    other = {"log file sync", "log file parallel write"}
    events = [
        dataclasses.replace(event, waits=draw(waits), time_us=draw(times_us))
        if event.name in other
        else event
        for event in DISK.events
    ]
    statistics = dict(DISK.statistics)
    statistics["redo write time"] = draw(st.integers(0, 10**9))
    statistics["redo writes"] = draw(st.integers(0, 10**7))
    begin = dataclasses.replace(DISK.begin, load_average=draw(loads) / 10)
    end = dataclasses.replace(DISK.end, load_average=draw(loads) / 10)
    return dataclasses.replace(
        DISK, events=tuple(events), statistics=statistics, begin=begin, end=end
    )


def facts_of(workload: Any, layout: str) -> Mapping[str, Fact]:
    text = generate.WRITERS[layout](workload)
    return api.facts_of(api.load(text.encode(), layout))


@pytest.mark.parametrize("layout", ["awr-11.2.txt", "statspack-9.2.lst"])
@at_most(25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(workload=workloads())
def test_the_parts_are_never_negative_and_add_up_to_the_whole(layout: str, workload: Any) -> None:
    facts = facts_of(workload, layout)
    whole = facts["redo.sync_wait_s"].number
    parts = [facts[name].number for name in PARTS]
    known = [part for part in parts if part is not None]

    if not known:  # without the event's own figures there is nothing to split
        needs = ("redo.local_write_ms", "redo.commit_waits")
        assert whole is None or any(facts[name].number is None for name in needs)
        return
    assert whole is not None
    assert min(known) >= 0
    assert math.isclose(sum(known), whole, rel_tol=1e-9, abs_tol=1e-9)
    assert all(facts[name].status in ("estimated", "unavailable") for name in PARTS)


def test_of_figure_1_two_thirds_are_the_log_write_by_figure_2s_event() -> None:
    facts = facts_of_text(FIGURES_1_AND_2)

    assert facts["redo.sync_wait_s"].number == 125_416
    assert facts["redo.commit_storage_s"].number == pytest.approx(
        21_470_106 * 43_993 / 11_649_477, rel=1e-9
    )
    shown = "21,470,106 commit waits × 3.7764 ms / 1000 = 81,079.6 s"
    assert facts["redo.commit_storage_s"].formula == shown
    # the statistics are not in the figures: what LGWR adds is not known, and no run queue is
    assert facts["redo.commit_lgwr_s"].status == "unavailable"
    assert facts["redo.commit_scheduling_s"].status == "unavailable"
    assert facts["redo.commit_unexplained_s"].number == pytest.approx(44_336.8, rel=1e-4)


@pytest.mark.parametrize("layout", samples.LAYOUTS)
def test_figure_4s_commits_inside_plsql_do_not_wait(layout: str) -> None:
    facts = samples.analysis(f"redo-disk.{layout}").facts

    assert facts["redo.syncs_per_commit"].number == pytest.approx(18 / 5_359_847, rel=0.2)
    assert facts["redo.commits_per_write"].number == pytest.approx(5_359_847 / 405_691, rel=1e-9)
    assert facts["redo.bytes_per_commit"].number == pytest.approx(
        21_697_424_708 / 5_359_847, rel=1e-9
    )


def test_figure_4s_lgwr_writes_most_of_the_time_and_figure_5s_does_not() -> None:
    disk = samples.analysis("redo-disk.awr-11.2.txt").facts["redo.lgwr_busy_pct"]
    fast = samples.analysis("redo-accelerator.awr-11.2.txt").facts["redo.lgwr_busy_pct"]

    assert disk.number == pytest.approx(7_247 * 100 / 8_380.876, rel=1e-3)
    assert fast.number == pytest.approx(495 * 100 / 3_316.9, rel=1e-2)


def test_a_counter_below_the_event_adds_nothing_and_says_so() -> None:
    stats = "\n\nInstance Activity Stats\nStatistic\tTotal\tper Second\tper Trans\n"
    stats += "redo write time\t1,241,800\t14.4\t0.1\nredo writes\t11,649,440\t134.8\t0.5\n"
    facts = facts_of_text(FIGURES_1_AND_2 + stats)

    assert facts["redo.write_ms"].number == pytest.approx(1.066, rel=1e-3)
    assert facts["redo.lgwr_outside_ms"].number == 0
    assert "below 0" in facts["redo.lgwr_outside_ms"].note
    assert facts["redo.commit_lgwr_s"].number == 0


@pytest.mark.parametrize(
    ("name", "by"),
    [("redo-disk.statspack-9.2.lst", "counter"), ("redo-disk.statspack-11.2.txt", "event")],
)
def test_what_the_time_of_a_log_write_is_by_is_a_fact(name: str, by: str) -> None:
    facts = api.facts_of(samples.report(name))

    assert facts["redo.local_write_by"].value == by
    assert facts["redo.local_write_by"].evidence == facts["redo.local_write_ms"].evidence


def test_a_printed_average_without_lgwrs_counter_is_the_event() -> None:
    """From 12.2 on the average is printed in microseconds, and the counter may be cut away."""
    facts = facts_of_text(
        "Background Wait Events\n"
        "Event\tWaits\t%Time -outs\tTotal Wait Time (s)\tAvg wait\tWaits /txn\t% bg time\n"
        "log file parallel write\t5,210\t0\t5\t870.40us\t1.2\t3.1\n"
    )

    assert facts["redo.local_write_ms"].number == pytest.approx(0.8704)
    assert facts["redo.local_write_by"].value == "event"


@pytest.mark.parametrize(
    ("writes", "counted_cs", "ms"),
    [
        (2_000, 14_600, 75.0),  # two waits for a write: their sum
        (3_900, 14_600, 37.5),  # one wait for a write, some of them of other instances' LGWR
        (2_000, 7_000, 37.5),  # LGWR's counter contradicts the sum
    ],
)
def test_a_redo_write_that_takes_several_waits_takes_their_sum(
    writes: int, counted_cs: int, ms: float
) -> None:
    facts = facts_of_text(
        "WORKLOAD REPOSITORY report for\n"
        "DB Name\tDB Id\tInstance\tInst num\tRelease\tRAC\n"
        "REEF\t1\treef\t1\t11.2.0.1.0\tNO\n\n"
        "Background Wait Events\n"
        "Event\tWaits\t%Time -outs\tTotal Wait Time (s)\tAvg wait (ms)\tWaits /txn\t% bg time\n"
        "log file parallel write\t4,000\t0\t150\t38\t1.2\t60.1\n\n"
        "Instance Activity Stats\nStatistic\tTotal\tper Second\tper Trans\n"
        f"redo write time\t{counted_cs}\t1.0\t0.1\nredo writes\t{writes}\t1.0\t0.5\n"
    )

    assert facts["redo.local_write_ms"].number == pytest.approx(ms)
    assert facts["redo.local_write_by"].value == "event"


def test_without_commits_lgwrs_counter_is_believed_where_it_is_above_the_event() -> None:
    """Before 10g the event misses the asynchronous issue, and no commit contradicts the counter."""
    lines = samples.path("redo-disk.statspack-9.2.lst").read_text(encoding="utf-8").split("\n")
    facts = facts_of_text("\n".join(line for line in lines if "log file sync" not in line))

    assert not facts["redo.commit_ms"].number
    assert facts["redo.local_write_by"].value == "counter"
    assert facts["redo.local_write_ms"].number == facts["redo.write_ms"].number


#: LGWR and processors each take a part of the commit wait.
LGWR_WAITS: dict[str, Any] = {
    "redo.parallel_write_ms": 1.0, "redo.write_ms": 20.0,
    "redo.local_write_ms": 1.0, "redo.commit_waits": 25_000.0, "redo.commit_ms": 40.0,
    "redo.write_count": 25_000.0,
    "redo.sync_wait_s": 1_000.0, "redo.commit_storage_s": 25.0, "redo.commit_lgwr_s": 475.0,
    "redo.standby_wait_s": 0.0, "redo.lgwr_worker_wait_s": 0.0, "redo.lgwr_copy_wait_s": 0.0,
    "host.load_per_cpu_end": 1.5, "load.response_s": 9_000.0, "load.elapsed_s": 3_600.0,
}  # fmt: skip


def recommendations(values: dict[str, Any]) -> dict[str, Recommendation]:
    facts = rule_facts(values)
    findings, _ = rules.run(facts, Policy())
    items = plan.advise(Case.of(facts, findings, Policy())).recommendations
    return {each.id: each for each in items}


def advice(values: dict[str, Any]) -> Recommendation:
    return recommendations(values)["free-lgwr"]


def test_a_check_of_what_lgwr_waits_for_saves_nothing() -> None:
    found = advice(LGWR_WAITS)

    assert set(found.findings) == {"REDO002", "REDO003"}
    assert found.benefit == NOT_QUANTIFIED
    assert found.title == "Check LGWR's CPU and priority"
    assert "standby" not in found.action
    assert "workers" not in found.action


def test_a_standby_or_workers_are_named_where_they_are_listed() -> None:
    standby = advice(LGWR_WAITS | {"redo.standby_wait_s": 400.0})
    workers = advice(LGWR_WAITS | {"redo.lgwr_worker_wait_s": 300.0})

    assert "the synchronous standby" in standby.action
    assert any("v$archive_dest" in command for command in standby.commands)
    assert "LGWR's workers" in workers.action


def test_a_synchronous_standby_is_the_commit_without_lgwrs_counter_too() -> None:
    """450 s for 180,000 commits: 2.1 of 2.5 ms is the standby, 0.3 ms the local write."""
    background = section(
        "Background Wait Events", EVENTS,
        ["SYNC Remote Write | 160,000 | 0 | 336 | 2 | 0.9 | 0",
         "log file parallel write | 162,000 | 0 | 49 | 0 | 0.9 | 0"],
    )  # fmt: skip
    found = analysis_of_sections(
        waits_of("log file sync | 180,000 | 0 | 450 | 3 | 1.0 | 6.2"), background,
        elapsed_s=3_600, db_time_s=7_200, release="19.0.0.0.0",
    )  # fmt: skip

    assert found.headline.startswith(
        "No urgent issue on the write path. A commit takes 2.5 ms, 2.1 ms of it waiting for the "
        "synchronous standby, but each wait is short. Worth doing: check the synchronous standby"
    )
    assert found.actions[0].benefit == NOT_QUANTIFIED


def test_idle_cpus_are_no_cause_to_check_and_a_host_without_cpu_comes_instead_of_a_check() -> None:
    idle = advice(LGWR_WAITS | {"host.idle_pct": 95.5})
    assert idle.title == "Check LGWR's waits"
    assert "95.5 % of CPU was idle" in idle.action

    busy = recommendations(LGWR_WAITS | {"host.idle_pct": 5.0})
    assert "free-processors" in busy
    assert "free-lgwr" not in busy


@pytest.mark.corpus
@pytest.mark.skipif(
    not CORPUS.is_dir(), reason="the corpus of real reports is not at ../shared/corpus"
)
@pytest.mark.parametrize(
    ("file", "expected"),
    [
        # read by hand: waits, times and counters of the lists, the load of Host CPU; with 81.9 % of
        # CPU idle, a load of 136.7 on 32 CPUs is processes that wait for a disk
        ("awr-html_19.0.0.0.0-rac_03.html",
         (4186 * 1.12 / 1000, 4186 * (51_220 * 10 / 11_611 - 1.12) / 1000, 0, None)),
        ("awr-text_11.2.0.3.0_01.txt", (39.84, 13.88, 0, None)),
        # 21 commits of sessions, each as long as a log write of 35 ms: 20 waits timed out
        ("statspack-text_10.1.0.3.0_03.lst",
         (21 * 35 / 1000, 21 * 0.7547 / 1000, "unavailable", None)),
    ],
)  # fmt: skip
def test_the_split_of_real_reports_is_what_was_computed_by_hand(file: str, expected: Any) -> None:
    facts = analysis_of(CORPUS / file).facts
    for name, value in zip(PARTS, expected, strict=True):
        if value == "unavailable":
            assert facts[name].status == value
        elif value is not None:
            assert facts[name].number == pytest.approx(value, rel=5e-3), name
    whole = facts["redo.sync_wait_s"].number
    assert sum(facts[name].number or 0 for name in PARTS) == pytest.approx(whole)


@pytest.mark.parametrize(
    ("top_waits", "commit_ms"),
    [
        pytest.param("4,469", 0.336, id="1.5 s of the same waits in the top list"),
        pytest.param("9,999", 0.224, id="other waits: 1 s as in the whole list"),
    ],
)
def test_a_total_of_one_digit_is_taken_from_the_top_list(top_waits: str, commit_ms: float) -> None:
    top = section(
        "Top 10 Foreground Events by Total Wait Time",
        ("Event", "Waits", "Total Wait Time (sec)", "Wait Avg(ms)", "% DB time", "Wait Class"),
        [f"log file sync | {top_waits} | 1.5 | 0 | .2 | Commit"],
    )
    found = facts_of_sections(top, waits_of("log file sync | 4,469 | 0 | 1 | 0 | 0.5 | 0.2"))

    assert found["redo.commit_ms"].number == pytest.approx(commit_ms, abs=0.0005)
    assert found["redo.sync_wait_s"].number == (1.5 if top_waits == "4,469" else 1)


@pytest.mark.parametrize(
    ("counters", "commit_ms"),
    [
        pytest.param(("redo synch time | 763", "redo synch writes | 1,927"), 3.9595, id="in cs"),
        pytest.param(
            ("redo synch time | 763", "redo synch time (usec) | 7,541,000",
             "redo synch writes | 2,200"), 3.4277, id="in us, with commits of background processes",
        ),
        pytest.param(("redo synch time | 1,763", "redo synch writes | 1,927"), 3.634,
                     id="another time: that of the event"),
        pytest.param(("redo synch time | 763", "redo synch writes | 2,600"), 3.634,
                     id="with commits that did not wait"),
        pytest.param(("redo synch time | 763",), 3.634, id="without the number of commits"),
    ],
)  # fmt: skip
def test_an_event_of_few_seconds_is_timed_by_the_counters_of_commits(
    counters: tuple[str, ...], commit_ms: float
) -> None:
    """Time and number are of the same commits: 7 s are 6.5 to 7.5 s of 1,926 waits."""
    event = waits_of("log file sync | 1,926 | 0 | 7 | 4 | 0.2 | 0.8")
    found = facts_of_sections(event, statistics(*counters))

    assert found["redo.commit_ms"].number == pytest.approx(commit_ms, abs=0.0005)


@pytest.mark.parametrize(("commit_ms", "wanted"), [(365.0, True), (20.0, False)])
def test_a_slow_write_that_is_a_small_part_of_a_commit_is_not_looked_at_first(
    commit_ms: float, wanted: bool
) -> None:
    """Commits of 365 ms with log writes of 16 ms: the other 349 ms are to be found."""
    background = section(
        "Background Wait Events",
        ("Event", "Waits", "%Time -outs", "Total Wait Time (s)", "Avg wait (ms)", "Waits /txn",
         "% bg time"),
        ["log file parallel write | 100,000 | 0 | 1,600 | 16 | 0.4 | 6.8"],
    )  # fmt: skip
    waited = f"log file sync | 160,000 | 0 | {160 * commit_ms:,.0f} | {commit_ms:.0f} | 0.7 | 7.1"
    found = api.analyze(figures_report(waits_of(waited), background, db_time_s=800_000.0))
    items = [item.id for item in found.recommendations if item.status == "apply"]

    assert "REDO001" in [each.id for each in found.findings]
    assert wanted == (items[:1] == ["find-lgwr-waits"])
