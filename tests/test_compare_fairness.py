"""What makes a comparison unfair, flag by flag; and what amounts are then divided by."""

from __future__ import annotations

from typing import Any

import pytest
import samples

from awrlens import api
from awrlens.model.comparison import Comparison, Reading, Unfair
from awrlens.policy import Policy
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
    return reading._replace(facts=facts, kept=None)


def compared(after: Reading, before: Reading | None = None) -> Comparison:
    return api.compare([before or sample()], [after])


def flags(after: Reading, before: Reading | None = None) -> list[Unfair]:
    return list(compared(after, before).unfair)


def test_the_next_day_of_the_same_load_is_a_fair_comparison() -> None:
    found = compared(later())

    assert () == found.unfair
    assert found.headline.startswith("No change beyond noise. Lasting: Sessions waited 385 s")
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
    [(0.75, "worse", "25 % fewer transactions"), (1.4, "better", "40 % more transactions"),
     (0.95, "same", "")],
)  # fmt: skip
def test_the_same_db_time_for_less_work_is_worse(share: float, direction: str, said: str) -> None:
    """9,653 s of DB time for a quarter less work are a third more for each transaction."""
    rates = {"load_transactions_per_s": 700.0 * share, "load_executes_per_s": 6_000.0 * share}
    before = with_facts(sample(), load_transactions_per_s=700.0, load_executes_per_s=6_000.0)

    found = compared(with_facts(later(), **rates), before)

    assert direction == found.direction
    assert said in found.headline
    assert bool(said) == ("DB time is about the same per second, with" in found.headline)


def test_transactions_that_are_mostly_rollbacks_are_said_to_be() -> None:
    """Transactions are commits and rollbacks: 22 and 0.9 before, 29 and 18.7 after."""
    before = with_facts(sample(), load_transactions_per_s=22.0, load_rollbacks_per_s=0.87)
    after = with_facts(later(), load_transactions_per_s=47.7, load_rollbacks_per_s=18.7)
    slow = with_facts(after, load_response_s=20_000.0)
    same = with_facts(slow, load_rollbacks_per_s=1.9)

    assert (
        "most of the difference rollbacks, 0.87 → 18.7 per second"
        in compared(slow, before).headline
    )
    assert "rollbacks" not in compared(same, before).headline
    mostly = with_facts(sample(), load_transactions_per_s=22.0, load_rollbacks_per_s=20.9)
    more = with_facts(slow, load_transactions_per_s=25.0, load_rollbacks_per_s=23.8)
    assert "14 % more transactions" in compared(more, mostly).headline
    assert "rollbacks" not in compared(more, mostly).headline  # they were before


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
    rates = {"load_transactions_per_s": 639.6, "load_executes_per_s": 5757.5}
    longer = with_facts(later(), load_elapsed_s=8380.8 * Policy()["compare.interval_ratio"] * times)
    busier = with_facts(
        later(),
        **{name: value * Policy()["compare.load_ratio"] * times for name, value in rates.items()},
    )
    crowded = with_facts(later(), load_sessions=40.5 * Policy()["compare.load_ratio"] * times)

    assert flagged == ("interval" in [each.what for each in flags(longer)])
    assert flagged == ("load" in [each.what for each in flags(busier)])
    assert flagged == ("sessions" in [each.what for each in flags(crowded)])
    assert ("transaction" if flagged else "second") == compared(busier).basis.per


def test_transactions_of_another_size_are_no_measure_of_work() -> None:
    """Ten times the executes in each transaction: first as many executes a second, then more."""
    rarer = with_facts(later(), load_transactions_per_s=64.0)
    busier = with_facts(later(), load_executes_per_s=57_575.0)

    found = compared(rarer)
    assert {"load", "work"} == {each.what for each in found.unfair}
    assert "second" == found.basis.per
    assert "the execute rate is similar" in found.basis.reason
    found = compared(busier)
    assert "second" == found.basis.per
    assert "transactions differ in size, but the transaction rate is similar" in found.basis.reason
    assert "9.002 executes per transaction" == found.unfair[-1].before


@pytest.mark.parametrize(
    ("transactions", "executes", "per", "why"),
    [(1.1, 0.4, "second", "the transaction rate is similar"),
     (0.4, 1.1, "second", "the execute rate is similar"),
     (1.6, 0.6, "second", "changed in opposite directions"),
     (0.6, 1.6, "second", "changed in opposite directions"),
     (0.3, 0.19, "execute", "transactions differ in size"),
     (1.6, 2.5, "execute", "transactions differ in size"),
     (2.0, 10.0, "transaction", "the transaction rate changed less than the execute rate"),
     (10.0, 2.0, "execute", "transactions differ in size")],
)  # fmt: skip
def test_rates_that_do_not_move_together_are_no_unit_of_work(
    transactions: float, executes: float, per: str, why: str
) -> None:
    """A unit that becomes rare makes DB time per unit look worse than it is."""
    before = with_facts(sample(), load_transactions_per_s=600.0, load_executes_per_s=6_000.0)
    rates = {
        "load_transactions_per_s": 600.0 * transactions, "load_executes_per_s": 6_000.0 * executes,
    }  # fmt: skip
    after = with_facts(later(), **rates)

    for one, other in ((before, after), (after, before)):
        found = compared(other, one)
        assert per == found.basis.per
        assert why in found.basis.reason


def test_where_executes_become_rare_db_time_per_second_and_per_transaction_are_said() -> None:
    before = with_facts(
        sample(), load_transactions_per_s=600.0, load_executes_per_s=6_000.0, load_response_s=9e3
    )
    rates = {"load_transactions_per_s": 660.0, "load_executes_per_s": 2_400.0}
    found = compared(with_facts(later(), **rates, load_response_s=15e3), before)

    assert (
        "average active sessions went from 1.07 to 1.79 (67 % more, with "
        "60 % fewer executes and 10 % more transactions; 52 % more per transaction)"
    ) in found.gist
    assert "per execute" not in found.headline
    assert "worse" == found.direction


@pytest.mark.parametrize(
    ("executes", "response", "direction"),
    [(3.0, 12e3, "mixed"), (0.4, 12e3, "worse"), (3.0, 6e3, "better"), (0.4, 6e3, "mixed")],
)
def test_where_db_time_and_db_time_per_execute_disagree_the_result_is_mixed(
    executes: float, response: float, direction: str
) -> None:
    before = with_facts(
        sample(), load_transactions_per_s=600.0, load_executes_per_s=6_000.0, load_response_s=9e3
    )
    rates = {"load_transactions_per_s": 600.0, "load_executes_per_s": 6_000.0 * executes}

    found = compared(with_facts(later(), **rates, load_response_s=response), before)

    assert direction == found.direction


def test_the_same_db_time_for_other_work_is_said_by_the_unit_that_changed_less() -> None:
    before = with_facts(sample(), load_transactions_per_s=700.0, load_executes_per_s=6_000.0)
    rates = {"load_transactions_per_s": 500.0, "load_executes_per_s": 2_000.0}

    found = compared(with_facts(later(), **rates), before)

    assert "with 67 % fewer executes and 29 % fewer transactions" in found.headline
    assert "per transaction (40 % more)" in found.headline


def test_the_order_in_time_and_an_overlap_are_told() -> None:
    earlier = flags(sample(), later())
    overlap = flags(later(begin_time="2008-08-20T17:00:00", end_time="2008-08-20T19:00:00"))

    assert ["The second side is earlier than the first."] == [each.why for each in earlier]
    assert ["The intervals overlap: both sides include the same work."] == [e.why for e in overlap]
    reason = compared(sample(), later()).comparability.reason
    assert reason.startswith("the second side is earlier than the first")
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
    ("transactions", "executes", "response", "direction", "word"),
    [
        (310.0, 66_000.0, 4e3, "mixed", "Different load: "),  # 11 times the executes
        (190.0, 1_200.0, 6e3, "mixed", "Different load: "),  # a third and a fifth of the load
        (120.0, 1_200.0, 9e3, "worse", "Worse: "),  # as much DB time for a fifth of the work
        (1_600.0, 400.0, 60e3, "worse", "Worse: "),  # more, whatever the unit
        (650.0, 6_200.0, 13e3, "worse", "Worse: "),  # the same load
    ],
)
def test_db_time_of_another_load_is_neither_better_nor_worse(
    transactions: float, executes: float, response: float, direction: str, word: str
) -> None:
    before = with_facts(
        sample(), load_transactions_per_s=600.0, load_executes_per_s=6_000.0, load_response_s=9e3
    )
    rates = {"load_transactions_per_s": transactions, "load_executes_per_s": executes}

    found = compared(with_facts(later(), **rates, load_response_s=response), before)

    assert direction == found.direction
    assert found.headline.startswith(word)
    if word == "Different load: ":
        assert "executes and" in found.gist  # in the same breath
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


@pytest.mark.parametrize(("undone", "per"), [(9.0, "transaction"), (11.0, "execute")])
def test_transactions_are_no_unit_of_work_where_many_more_are_rollbacks(
    undone: float, per: str
) -> None:
    """Of 100 transactions a second, none was rolled back before; both rates are twice as high."""
    names = ("load_transactions_per_s", "load_executes_per_s", "load_rollbacks_per_s")
    before = with_facts(sample(), **dict(zip(names, (100.0, 1_000.0, 0.0), strict=True)))
    rates = (200.0, 2_000.0, 2 * undone)
    basis = compared(with_facts(later(), **dict(zip(names, rates, strict=True))), before).basis

    assert per == basis.per
    assert ("another share of the transactions is rollbacks" in basis.reason) == (per == "execute")


@pytest.mark.parametrize(("now", "named"), [(12.0, True), (11.9, False)])
def test_a_host_that_other_processes_use_more_is_named(now: float, named: bool) -> None:
    before = with_facts(sample(), host_other_cpu_pct=2.0)
    found = compared(with_facts(later(), host_other_cpu_pct=now), before)

    assert ("Other processes use 2 % → 12 % of the host's CPU" in found.headline) == named


@pytest.mark.parametrize("before", [0.0, 90.0])
def test_rollbacks_that_a_report_does_not_show_are_not_0(before: float) -> None:
    rates = {"load_transactions_per_s": 100.0, "load_executes_per_s": 1_000.0}
    first = with_facts(sample(), **rates, load_rollbacks_per_s=before)
    twice = {name: 2 * rate for name, rate in rates.items()}

    assert (
        "transaction"
        == compared(with_facts(later(), **twice, load_rollbacks_per_s=None), first).basis.per
    )
