"""What makes a comparison unfair, flag by flag; and what amounts are then divided by."""

from __future__ import annotations

from itertools import pairwise
from types import SimpleNamespace
from typing import Any, cast

import pytest
import samples
from compared import at

from awrlens import api
from awrlens.model.comparison import CHANGED, Comparison, Reading, Unfair
from awrlens.policy import Policy
from awrlens.render import compare_page
from awrlens.series import comparability
from awrlens.series.differences import about
from awrlens.series.words import by
from awrlens.units import listed, pair

NAME = "redo-disk.awr-11.2.txt"


def sample() -> Reading:
    return api.read(samples.report(NAME))


def later(**fields: Any) -> Reading:
    """The same workload a day later, with some fields of its identity changed."""
    reading = sample()
    times = {"begin_time": "2008-08-21T16:23:46", "end_time": "2008-08-21T18:43:26"}
    return reading._replace(report={**reading.report, **times, **fields})


def with_facts(reading: Reading, **values: float | None) -> Reading:
    """Other values for facts; the names have a dot for the first underscore."""
    facts = dict(reading.facts)
    for key, value in values.items():
        name = key.replace("_", ".", 1)
        facts[name] = facts[name]._replace(value=value)
    return reading._replace(facts=facts, kept={})


def compared(after: Reading, before: Reading | None = None) -> Comparison:
    return api.compare([before or sample()], [after])


#: All measures of the work of an interval.
MEASURES = (
    "load_transactions_per_s", "load_executes_per_s", "load_user_calls_per_s",
    "redo_bytes_per_s", "integrity_block_changes_per_s",
)  # fmt: skip


def work(*factors: float, response_s: float = 9e3) -> tuple[Reading, Reading]:
    """A later and an earlier interval of so many times as much work of each kind.

    Transactions, executes, user calls, redo, block changes; without five factors, all alike.
    DB time is 9,000 s before.
    """
    rates = dict.fromkeys(MEASURES, 1000.0)
    each = factors if len(factors) == len(MEASURES) else factors * len(MEASURES)
    after = {name: 1_000.0 * factor for name, factor in zip(MEASURES, each, strict=True)}
    return (
        with_facts(later(), **after, load_response_s=response_s),
        with_facts(sample(), **rates, load_response_s=9e3),
    )


def flags(after: Reading, before: Reading | None = None) -> list[Unfair]:
    return list(compared(after, before).unfair)


def test_the_next_day_of_the_same_load_is_a_fair_comparison() -> None:
    found = compared(later())

    assert () == found.unfair
    assert found.headline.startswith("No change beyond noise. Still a warning: Sessions")
    assert ("comparable", "same") == (found.comparability.grade, found.direction)
    assert "warning" == found.severity  # nothing changed, but the finding remains


def test_a_backup_of_one_side_only_limits_a_comparison() -> None:
    def of(reading: Reading, sessions: float | None) -> Reading:
        return with_facts(reading, io_backup_sessions=sessions, io_backup_pct=None)

    (found,) = flags(of(later(), 5.0), of(sample(), 0.0))

    assert ("backup", "no backup", "limits") == (found.what, found.before, found.effect)
    assert "a backup ran (5 RMAN processes waiting for I/O on average)" == found.after
    assert [] == flags(of(later(), 5.0), of(sample(), 5.0))
    assert [] == flags(of(later(), 5.0), of(sample(), None))


@pytest.mark.parametrize(
    ("share", "direction", "said"),
    [(0.75, "worse", "The work is 25 % less. For the same work: 33 % more DB time"),
     (1.4, "better", "The work is 40 % more. For the same work: 29 % less DB time"),
     (0.96, "same", "")],
)  # fmt: skip
def test_the_same_db_time_for_less_work_is_worse(share: float, direction: str, said: str) -> None:
    """9,000 s of DB time for a quarter less work are a third more for the same work."""
    found = compared(*work(share))

    assert direction == found.direction
    assert said in found.headline
    assert bool(said) == ("(about the same). The work" in found.headline)


#: Said where the measures of the work disagree by more than 1.3 times.
TOO_MUCH = "The mix of work changed too much for a figure per unit of work: "


@pytest.mark.parametrize(
    ("factors", "response", "direction", "said"),
    [
        # a stream of small transactions ended: calls, redo and block changes are as before
        ((0.5, 0.5, 1.0, 1.0, 1.0), 1.0, "same", TOO_MUCH),
        # one measure alone neither makes a verdict nor prevents one
        ((0.3, 1.0, 1.0, 1.0, 1.0), 1.0, "same", TOO_MUCH),
        ((1.0, 1.0, 1.0, 1.0, 1.6), 1.3, "worse", TOO_MUCH),
        ((1.6, 1.0, 1.0, 1.0, 1.0), 0.8, "better", TOO_MUCH),
        # as many calls, twice the changes
        ((1.0, 1.0, 1.0, 2.2, 2.2), 1.5, "mixed", TOO_MUCH),
        # more by each, but one grew with DB time
        ((1.1, 1.2, 1.1, 1.8, 2.2), 2.4, "worse", TOO_MUCH),
        # they agree within 1.3 times: the range of DB time per unit of work means something
        ((1.0, 1.1, 1.0, 1.2, 1.25), 2.0, "worse", "For the same work: 60 % more to 2 times the"),
        # as DB time grew, so did the work
        ((1.4, 1.4, 1.4, 1.4, 1.4), 1.4, "same", "The work is 40 % more. For the same work"),
    ],
)
def test_all_measures_of_the_work_decide_together(
    factors: tuple[float, ...], response: float, direction: str, said: str
) -> None:
    found = compared(*work(*factors, response_s=9e3 * response))

    assert "second" == found.basis.per
    assert direction == found.direction
    assert said in found.gist
    assert (said == TOO_MUCH) == ("For the same work" not in found.gist)


def test_transactions_are_commits_and_rollbacks() -> None:
    """Transactions are commits and rollbacks: 22 and 0.9 before, 29 and 18.7 after."""
    before = with_facts(sample(), load_transactions_per_s=22.0, load_rollbacks_per_s=0.87)
    after = with_facts(later(), load_transactions_per_s=47.7, load_rollbacks_per_s=18.7)
    slow = with_facts(after, load_response_s=20_000.0)
    same = with_facts(slow, load_rollbacks_per_s=1.9)

    assert "transactions (commits +37 %, rollbacks × 21) × 2.2" in compared(slow, before).headline
    assert "rollbacks" not in compared(same, before).headline
    mostly = with_facts(sample(), load_transactions_per_s=22.0, load_rollbacks_per_s=20.9)
    more = with_facts(slow, load_transactions_per_s=25.0, load_rollbacks_per_s=23.8)
    assert "transactions +14 %" in compared(more, mostly).headline
    assert "rollbacks" not in compared(more, mostly).headline  # commits rose as much
    # a third of fewer transactions commit, with as many rollbacks
    fewer = with_facts(slow, load_transactions_per_s=14.0, load_rollbacks_per_s=11.0)
    before = with_facts(sample(), load_transactions_per_s=20.0, load_rollbacks_per_s=11.0)
    assert "transactions (commits −67 %, rollbacks unchanged) −30 %" in (
        compared(fewer, before).headline
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("field", "value", "what"),
    [
        ("db_name", "OTHER", "database"),
        ("db_id", "4711", "DBID"),
        ("container", "PDB1", "container"),
        ("instance", "aultdb2", "instance"),
        ("host", "elsewhere", "host"),
        ("platform", "AIX-Based Systems (64-bit)", "platform"),
        ("cpus", 8, "CPUs"),
        ("release", "19.0.0.0.0", "release"),
        ("block_size", 16384, "block size"),
        ("rac", True, "RAC"),
        ("kind", "statspack-text", "kind of report"),
        ("startup_time", "2008-08-21T02:00:00", "restart between"),
    ],
)
def test_whatever_differs_is_flagged_with_both_values(field: str, value: object, what: str) -> None:
    before = later(begin_time="2008-08-20T16:23:46", end_time="2008-08-20T18:43:26",
                   container="CDB$ROOT")  # fmt: skip
    (found,) = flags(later(**{"container": "CDB$ROOT", field: value}), before)

    assert what == found.what
    assert found.before != found.after
    assert found.why.endswith(".")
    back = flags(before, later(**{"container": "CDB$ROOT", field: value}))
    assert what in [each.what for each in back]


@pytest.mark.parametrize("field", ["host", "platform", "cpus", "release", "block_size", "rac"])
def test_what_is_not_printed_is_not_said_to_be_another(field: str) -> None:
    assert [] == flags(later(**{field: None}))


def test_html_and_text_of_one_kind_are_one_kind() -> None:
    assert [] == flags(later(kind="awr-html"))


@pytest.mark.parametrize(("times", "flagged"), [(1.0, False), (0.99, False), (1.01, True)])
def test_intervals_and_load_are_flagged_from_their_threshold_on(
    times: float, *, flagged: bool
) -> None:
    longer = with_facts(later(), load_elapsed_s=8380.8 * Policy()["compare.interval_ratio"] * times)
    busier, before = work(Policy()["compare.load_ratio"] * times)
    crowded = with_facts(later(), load_sessions=40.5 * Policy()["compare.load_ratio"] * times)

    assert flagged == ("interval" in [each.what for each in flags(longer)])
    assert flagged == ("load" in [each.what for each in flags(busier, before)])
    assert flagged == ("sessions" in [each.what for each in flags(crowded)])
    assert ("transaction" if flagged else "second") == compared(busier, before).basis.per


def test_transactions_of_another_size_are_no_measure_of_work() -> None:
    """Ten times the executes in each transaction: first as many executes a second, then more."""
    rarer = with_facts(later(), load_transactions_per_s=64.0)
    busier = with_facts(later(), load_executes_per_s=57_575.0)

    found = compared(rarer)
    assert {"load"} == {each.what for each in found.unfair}
    assert "second" == found.basis.per
    found = compared(busier)
    assert "second" == found.basis.per


@pytest.mark.parametrize(
    ("factors", "per", "why"),
    [((1.0,), "second", "the load is similar"),
     ((0.1, 1.0, 1.0, 1.0, 1.0), "second", "the load is similar"),  # one alone
     ((1.1, 0.4, 1.0, 1.0, 1.0), "second", "the load is similar"),
     ((2.0,), "transaction", "the load differs"),
     ((2.0, 2.2, 2.0, 2.1, 1.0), "transaction", "the load differs"),
     ((2.0, 2.0, 1.0, 1.0, 1.0), "second", "the mix of work changed"),
     ((0.3, 0.2, 0.5, 1.0, 1.0), "second", "the mix of work changed")],
)  # fmt: skip
def test_rates_that_do_not_move_together_are_no_unit_of_work(
    factors: tuple[float, ...], per: str, why: str
) -> None:
    """A unit that becomes rare makes DB time per unit look worse than it is."""
    after, before = work(*factors)

    for one, other in ((before, after), (after, before)):
        found = compared(other, one)
        assert per == found.basis.per
        assert why in found.basis.reason


def test_all_measures_are_said_from_the_least_to_the_most() -> None:
    found = compared(*work(1.1, 0.4, 1.0, 2.0, 2.0, response_s=15e3))

    assert (
        f"average active sessions went from 1.07 to 1.79 (67 % more). {TOO_MUCH}"
        "executions −60 %, user calls unchanged, transactions +10 %, redo and block changes × 2."
    ) in found.gist


def test_a_second_report_that_is_earlier_is_not_judged_and_says_to_swap_them() -> None:
    found = compared(sample(), later())

    assert (
        "The second report is the earlier one: swap them (awrlens compare B A)." == found.headline
    )
    assert ("not-comparable", "unknown") == (found.comparability.grade, found.direction)
    page = compare_page.page(found)
    assert ("wrong order", "warning") == (page.badge, page.severity)


def test_the_periods_of_one_report_cannot_be_swapped() -> None:
    first, second = (
        reading._replace(report={**reading.report, "kind": "awr-diff-html"})
        for reading in (later(), sample())
    )
    found = compared(second, first).comparability

    assert ("limited", "the second period is earlier than the first") == (found.grade, found.reason)


def test_intervals_that_overlap_are_neither_better_nor_worse() -> None:
    """Reports that lie between those of the other side do not overlap with them."""
    overlap = compared(later(begin_time="2008-08-20T17:00:00", end_time="2008-08-20T19:00:00"))
    within = compared(later(begin_time="2008-08-20T17:00:00", end_time="2008-08-20T18:00:00"))

    assert overlap.headline.startswith("Not comparable: the intervals overlap.")
    assert within.headline.startswith("Not comparable: the second interval lies within the first.")
    hours = ("10", "11", "12", "13", "14")
    odd, even = ([at(sample(), f"{a}:00", f"{b}:00") for a, b in pairwise(hours)][n::2]
                     for n in (0, 1))  # fmt: skip
    assert [] == [each.what for each in api.compare(odd, even).unfair]


def test_an_interval_of_another_length_is_said_with_both_lengths() -> None:
    short = with_facts(later(end_time="2008-08-21T16:29:46"), load_elapsed_s=360.0)

    assert "interval 2.3 h against 6 min" in compared(short).comparability.reason


def test_many_more_sessions_for_the_same_work_are_worse_though_a_finding_is_gone() -> None:
    """XYDB, AWR 11.2.0.4.0-rac_03 → 01: 62.7 → 1,022 sessions were "mixed"."""
    after, before = work(1.0, response_s=9e4)
    gone = before.findings[0]._replace(id="TEMP001", severity="critical")
    found = compared(after, before._replace(findings=(*before.findings, gone)))

    assert ("worse", "critical") == (found.direction, found.severity)


@pytest.mark.parametrize(
    ("switches", "hours", "differs"),
    [((8, 1), 0.1, False), ((2, 1), 1, False), ((14, 26), 1, True)],
)
def test_one_log_switch_more_or_less_is_no_change(
    switches: tuple[int, int], hours: float, *, differs: bool
) -> None:
    """8 switches an hour, and 1 in 6 minutes, were a rise of 28 %."""
    name = "redo_log_switches_per_hour"
    found = compared(
        with_facts(later(), **{name: switches[1] / hours}, load_elapsed_s=3600.0 * hours),
        with_facts(sample(), **{name: float(switches[0])}, load_elapsed_s=3600.0),
    )
    (rate,) = (each for each in found.facts if each.fact == "redo.log_switches_per_hour")

    assert differs == (rate.verdict in CHANGED)


def test_the_other_database_has_no_order_in_time() -> None:
    other = later(db_name="OTHER", begin_time="2008-08-20T17:00:00")
    assert ["database"] == [each.what for each in flags(other)]


def test_a_restart_within_is_told_and_no_amount_is_compared() -> None:
    restarted = later()._replace(valid=False, events=())
    found = compared(restarted)

    assert "restart within the interval" in [each.what for each in found.unfair]
    assert {"none"} >= {each.per for each in found.facts}
    assert () == found.events
    assert "Not comparable: the instance was restarted within an interval." == found.headline
    assert "not-comparable" == found.comparability.grade


def test_parameters_are_listed_with_both_values_and_a_cut_value_is_no_other() -> None:
    long = "+DATA/aultdb/controlfile/current.260.660755981, +DATA/two"
    before = later()._replace(
        parameters={"log_buffer": "10485760", "control_files": long, "gone": "1", "same": "a, b"}
    )
    after = later()._replace(
        parameters={"log_buffer": "20971520", "control_files": long[:33], "same": "a,  b"}
    )
    found = compared(after, before)

    assert [
        ("log_buffer", "10485760", "20971520", "write-path"), ("gone", "1", "", "other"),
    ] == [tuple(each) for each in found.parameters]  # fmt: skip
    assert "2 parameters" == found.unfair[0].what
    assert () == compared(later()._replace(parameters={}), before).parameters


def test_names_and_paths_limit_nothing_and_one_parameter_is_what_is_compared() -> None:
    paths = {"db_name": "A", "audit_file_dest": "/a", "log_archive_dest_1": "LOCATION=/a"}
    before = later()._replace(parameters={**paths, "log_buffer": "1"})
    other = {name: f"{value}b" for name, value in paths.items()}
    renamed = compared(later()._replace(parameters={**other, "log_buffer": "1"}), before)
    tuned = compared(later()._replace(parameters={**paths, "log_buffer": "2"}), before)

    assert ("comparable", ()) == (renamed.comparability.grade, renamed.unfair)
    assert {"name"} == {each.about for each in renamed.parameters}
    assert "comparable" == tuned.comparability.grade
    assert ["explains"] == [each.effect for each in tuned.unfair]


def test_redo_sent_to_a_standby_is_a_parameter_of_the_write_path() -> None:
    remote = "SERVICE=standby SYNC AFFIRM"

    assert "write-path" == about("log_archive_dest_2", "", remote)
    assert "name" == about("log_archive_dest_2", "", "LOCATION=/arch")
    assert "other" == about("optimizer_mode", "ALL_ROWS", "FIRST_ROWS")


def test_sets_of_several_databases_are_told_apart_by_all_their_names() -> None:
    found = api.compare([sample(), later(db_name="OTHER", db_id="7")], [later()])

    assert ("AULTDB, OTHER", "AULTDB") == (found.unfair[0].before, found.unfair[0].after)
    assert "mixed set" in [each.what for each in found.unfair]


@pytest.mark.parametrize(
    ("before", "after", "word", "said"),
    [
        (18.68, 0.104, "faster", "180 times faster"),
        (0.104, 18.68, "slower", "180 times slower"),
        (1.749, 2.09, "slower", "19 % longer"),
        (1.0, 0.9, "faster", "10 % shorter"),
        (2.0, 6.4, "as much", "3.2 times as much"),
        (6.4, 2.0, "as much", "69 % less"),
        (1000.0, 1.0, "as long", "over 99 % shorter"),
        (1.0, 5000.0, "as many", "over 1,000 times as many"),
        (0.0, 5.0, "as many", "none before"),
        (5.0, 0.0, "as many", "none now"),
    ],
)
def test_a_change_in_words(before: float, after: float, word: str, said: str) -> None:
    assert said == by(before, after, word)


def test_two_amounts_are_told_in_one_unit() -> None:
    assert ("1.28 s", "0.979 s") == pair(1284.0, 978.8, "ms")
    assert ("0.0306 ms", "0.00951 ms") == pair(0.0306, 0.009509, "ms")
    assert ("6.33 us", "2 us") == pair(0.006333, 0.002, "ms")
    assert ("176 KB", "0.0117 KB") == pair(179_995.8, 12, "B")
    assert "a, b and c" == listed(["a", "b", "c"])


@pytest.mark.parametrize(
    ("factors", "response", "direction", "word"),
    [
        ((0.52, 11.0, 2.1, 8.2, 5.4), 0.44, "mixed", "Different load: "),  # another batch job
        ((0.32, 0.2, 0.11, 0.73, 0.8), 0.66, "mixed", "Different load: "),  # hardly any calls
        ((0.2,), 1.0, "worse", "Worse: "),  # as much DB time for a fifth of the work
        ((2.7, 0.07, 0.25, 0.3, 0.2), 6.7, "worse", "Worse: "),  # more, whatever the unit
        ((1.08, 1.03, 1.0, 1.0, 1.0), 1.44, "worse", "Worse: "),  # the same load
    ],
)
def test_db_time_of_another_load_is_neither_better_nor_worse(
    factors: tuple[float, ...], response: float, direction: str, word: str
) -> None:
    found = compared(*work(*factors, response_s=9e3 * response))

    assert direction == found.direction
    assert found.headline.startswith(word)
    if word == "Different load: ":
        assert TOO_MUCH in found.gist
        assert "limited" == found.comparability.grade
        assert found.severity == sample().verdicts.write_path  # not that of the change


@pytest.mark.parametrize(
    ("was", "now", "waited", "said"),
    [
        (3.96, 16.4, False, "Commit 3.96 → 16.4 ms"),  # slow
        (3.0, 7.0, True, "Commit 3 → 7 ms"),  # waited for
        (3.0, 7.0, False, ""),
        (16.4, 3.96, False, "Commit 16.4 → 3.96 ms"),
        (10.0, 19.0, True, ""),  # not twice
    ],
)
def test_commits_that_take_twice_as_long_are_in_the_headline(
    was: float, now: float, waited: bool, said: str
) -> None:
    waits = ("redo_sync_wait_s", "redo_log_switch_wait_s", "redo_buffer_wait_s")
    none = {} if waited else dict.fromkeys(waits, 0.0)
    before = with_facts(sample(), redo_commit_ms=was, **none)
    found = compared(with_facts(later(), redo_commit_ms=now, **none), before)

    assert said in found.headline
    assert ("Commit " in found.headline) == bool(said)


@pytest.mark.parametrize(
    ("control_ms", "size_b", "said"),
    [
        (4.7, 8_000.0,
         ("Storage or host: all writes take longer (redo 1.2 → 2.4, data files 1.5 → 2.9, control "
          "files 1.9 → 4.7 ms).")),
        (4.7, 16_000.0, ""),  # redo writes are twice as large
        (1.8, 8_000.0, ""),  # control files are faster: not the storage as a whole
    ],
)  # fmt: skip
def test_writes_of_all_kinds_that_take_longer_have_one_cause(
    control_ms: float, size_b: float, said: str
) -> None:
    names = ("redo_local_write_ms", "checkpoint_data_write_ms", "io_control_write_ms")
    before = dict(zip(names, (1.2, 1.5, 1.9), strict=True)) | {"redo_bytes_per_write": 8_000.0}
    after = dict(zip(names, (2.4, 2.9, control_ms), strict=True)) | {"redo_bytes_per_write": size_b}
    found = compared(with_facts(later(), **after), with_facts(sample(), **before))

    assert said in found.headline
    assert ("all writes" in found.headline) == bool(said)


@pytest.mark.parametrize(
    ("was", "now", "cause"),
    [
        (0.0, 5.0, "No backup → a backup ran (5 RMAN processes waiting for I/O on average)"),
        (5.0, 0.0, "Storage or host"),  # they became slower without it
        (5.0, 5.0, "Storage or host"),
    ],
)
def test_a_backup_that_only_the_later_side_has_is_why_all_writes_take_longer(
    was: float, now: float, cause: str
) -> None:
    """AWR diff 11.2.0.3.0-rac_02: a log write takes 6.8 ms, and 52.5 ms beside a backup."""
    names = ("redo_local_write_ms", "checkpoint_data_write_ms", "io_control_write_ms")
    before, after = (
        dict(zip((*names, "redo_bytes_per_write", "io_backup_sessions"), ms, strict=True))
        for ms in ((1.2, 1.5, 1.9, 8_000.0, was), (2.4, 2.9, 4.7, 8_000.0, now))
    )
    found = compared(
        with_facts(later(), **after, io_backup_pct=None),
        with_facts(sample(), **before, io_backup_pct=None),
    )

    assert f". {cause}: all writes take longer (redo 1.2 → 2.4" in found.headline


def test_a_small_backup_before_a_large_one_is_not_called_none() -> None:
    """AWR diff 11.2.0.3.0-rac_02: 1,340 s of waits and CPU, then 61,238 s."""
    names = ("redo_local_write_ms", "checkpoint_data_write_ms", "io_control_write_ms")
    before, after = (
        dict(zip((*names, "io_backup_sessions", "io_backup_s"), ms, strict=True))
        for ms in ((1.2, 1.5, 1.9, 0.004, 1_340.0), (2.4, 2.9, 4.7, 5.0, 61_238.0))
    )
    kept = {"io_backup_pct": None, "redo_bytes_per_write": 8_000.0}
    found = compared(
        with_facts(later(), **after, **kept), with_facts(sample(), **before, **kept)
    ).headline

    assert "A small backup → a large one (1,340 s → 61,238 s of waits and CPU): all wr" in found


@pytest.mark.parametrize(
    ("commit_ms", "switch_ms", "said"),
    [(886.0, 8_174.0, True), (886.0, 468.0, False), (60.0, 8_174.0, False)],
)
def test_commits_that_take_far_longer_than_the_write_are_told_with_the_switches(
    commit_ms: float, switch_ms: float, *, said: bool
) -> None:
    """AWR diff 11.2.0.3.0-rac_02: 886 ms a commit, 52.5 ms a write, 8.17 s a log switch."""
    commit = SimpleNamespace(after=commit_ms)
    work = SimpleNamespace(policy=Policy(), facts={("redo.commit_ms", "none"): commit})
    wait = SimpleNamespace(
        event="log file switch completion",
        before=SimpleNamespace(each_ms=468.0),
        after=SimpleNamespace(each_ms=switch_ms),
    )
    found = comparability._stalls(cast("Any", work), cast("Any", (wait,)), 52.5)

    assert said is (found == "; commits take 886 ms, as LGWR stalls (log switches 8.17 s each)")


@pytest.mark.parametrize(
    ("size_b", "said"),
    [
        (48_000.0, "redo write 3.7 ms for 7.81 KB → 20.8 ms for 46.9 KB."),  # six times as large
        (8_800.0, "redo write 3.7 → 20.8 ms."),  # as large
        (None, "redo write 3.7 → 20.8 ms."),  # not known
    ],
)
def test_a_redo_write_that_takes_longer_because_it_is_larger_says_so(
    size_b: float | None, said: str
) -> None:
    first = {"redo_local_write_ms": 3.7, "redo_bytes_per_write": 8_000.0}
    second = {"redo_local_write_ms": 20.8, "redo_bytes_per_write": size_b}
    found = compared(with_facts(later(), **second), with_facts(sample(), **first))

    assert said in found.headline.replace("Redo", "redo")


@pytest.mark.parametrize(("now", "named"), [(12.0, True), (11.9, False)])
def test_a_host_that_other_processes_use_more_is_named(now: float, named: bool) -> None:
    before = with_facts(sample(), host_other_cpu_pct=2.0)
    found = compared(with_facts(later(), host_other_cpu_pct=now), before)

    assert ("Other processes use 2 % → 12 % of CPU" in found.headline) == named
