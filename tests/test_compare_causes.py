"""What DB time changed by: events or CPU, in both commands, with figures, and in JSON."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import corpus
import pytest
from test_compare_fairness import later, sample, with_facts

from awrlens import api
from awrlens.model import Share
from awrlens.model.comparison import Basis, DbTime, Event, Part, Reading, Statement
from awrlens.policy import Policy
from awrlens.series import db_time
from awrlens.series.compare import compare, periods

EVENT = "gc cr multi block request"


def side(reading: Reading, db_time: float, waited: float) -> Reading:
    """A side with an event outside the write path; all else is CPU."""
    event = Event(EVENT, background=False, waits=2e6, total_s=waited, step_s=0.05)
    others = tuple(each for each in reading.events if each.name != EVENT)
    shares = (Share(EVENT, "other", waited, 0.0), Share("CPU", "cpu", db_time - waited, 0.0))
    return with_facts(reading, load_response_s=db_time)._replace(
        events=(*others, event), consumers=shares, all_consumers=True
    )


def sides(second: float = 7e3) -> tuple[list[Reading], list[Reading]]:
    return [side(sample(), 9e3, 300.0)], [side(later(), 15e3, second)]


def test_the_event_that_grew_is_the_cause_in_both_commands() -> None:
    found = compare(*sides(), Policy())
    both = periods(*sides(), Policy())

    event = found.causes[0]
    assert (EVENT, True, "second") == (event.name, event.is_event, event.per)
    assert pytest.approx(300_000 / 8380.8) == event.before_ms
    assert pytest.approx(7_000_000 / 8380.8) == event.after_ms
    assert pytest.approx(6_700 / 6_000 * 100) == event.pct_of_change
    assert found.causes == both.causes
    for headline in (found.headline, both.headline):
        longer = "(as many waits, each 23 times as long)"
        assert f". +0.799 sessions in `{EVENT}` {longer} and −0.084 in CPU (total +0" in headline
    assert both.headline.startswith(found.gist.rstrip("."))
    assert EVENT not in found.gist


def test_the_cause_is_first_in_json() -> None:
    both = periods(*sides(), Policy())

    first = both.to_dict()["causes"][0]
    assert EVENT == first["name"]
    assert "second" == first["per"]
    assert first == compare(*sides(), Policy()).to_dict()["causes"][0]


def test_an_event_with_a_small_part_of_the_change_is_no_cause() -> None:
    """5 % of 6,000 s are the least."""
    assert EVENT in [each.name for each in compare(*sides(610.0), Policy()).causes]
    assert EVENT not in [each.name for each in compare(*sides(590.0), Policy()).causes]


def test_what_fell_is_named_in_a_rise() -> None:
    """AWR diff 10.2.0.4.0-rac_08: a headline named three falls and left out the largest rise."""
    before, after = side(sample(), 9e3, 2e3), side(later(), 15e3, 300.0)

    found = compare([before], [after], Policy())
    assert [("CPU", True), (EVENT, False)] == [
        (each.name, each.after_ms > each.before_ms) for each in found.causes
    ]
    shorter = "(as many waits, each 85 % shorter) (total +0.716)"
    assert f"+0.919 sessions in CPU and −0.203 in `{EVENT}` {shorter}" in found.headline


def test_what_is_neither_cpu_nor_a_wait_is_named_with_how_busy_the_host_was() -> None:
    """AWR diff 10.2.0.4.0-rac_02: 8.22 of +14.5 s, while the host went from 18 % to 82 % busy."""
    before, after = (
        with_facts(each, host_idle_pct=idle)._replace(consumers=each.consumers[:1])
        for each, idle in zip((s[0] for s in sides(610.0)), (82.2, 17.8), strict=True)
    )

    found = compare([before], [after], Policy()).headline
    assert "+0.679 sessions not accounted for (the host's CPUs 17.8 % → 82.2 % busy)" in found


def test_how_busy_the_host_was_is_said_once() -> None:
    before, after = (
        with_facts(each, host_idle_pct=idle)._replace(
            consumers=(Share("CPU", "cpu", cpu_s, 0.0),), all_consumers=True
        )
        for each, idle, cpu_s in zip(
            (s[0] for s in sides(310.0)), (70.5, 52.4), (5e3, 9e3), strict=True
        )
    )

    found = compare([before], [after], Policy()).headline
    assert "in CPU (the host's CPUs 29.5 % → 47.6 % busy) and +0.239 not accounted for" in found
    assert found.count("busy)") == 1


@pytest.mark.parametrize(("pct", "said"), [(20.0, ". Of this, hard parses: +0.304"), (5.0, "")])
def test_a_rise_of_cpu_says_how_busy_the_host_was_and_what_hard_parses_have_of_it(
    pct: float, said: str
) -> None:
    """AWR diff 10.2.0.4.0-rac_05: 258 of +1,547 ms; the host went from 29 % to 56 % busy."""
    before, after = (
        with_facts(each, host_idle_pct=idle, load_hard_parse_pct=parses)
        for each, idle, parses in zip(
            (s[0] for s in sides(310.0)), (71.2, 44.5), (5.0, pct), strict=True
        )
    )

    found = compare([before], [after], Policy()).headline
    assert "+0.715 sessions in CPU (the host's CPUs 28.8 % → 55.5 % busy)" in found
    assert f"(total +0.716){said}. SQL" in found


@pytest.mark.parametrize(
    ("was", "now", "said"),
    [
        # of +0.716 sessions, from 1.074 to 1.79
        ({"a": (10.0, 86.0, 2_201.0, None, 1.25)}, {"a": (40.0, 34_600.0, 46_316.0, None, 0.5)},
         ". SQL a: +0.609 (took 400 times as long: 86 ms → 34.6 s, 2,201 → 46,316 gets)"),
        ({"a": (10.0, 86.0, None)}, {"a": (20.0, None, 9.0), "b": (3.0, 1.0, 1.0)},
         ". SQL a: +0.251"),
        ({"a": (10.0, 1.0, 1.0)}, {"a": (9.0, 1.0, 1.0), "b": (30.0, 3_000.0, 1.0)},
         ". SQL b: +0.537 (new, 3 s each)"),
        # 9.4 times as often, at a little less each; then slower at as many: until all is explained
        ({"a": (6.0, 13_300.0, None, 8e3, 0.0048), "b": (10.0, 10_000.0, None, 8e3, 0.0107)},
         {"a": (28.0, 11_100.0, None, 6e3, 0.0452), "b": (13.0, 20_000.0, None, 8e3, 0.0098),
          "c": (1.0, 1.0, 1.0)},
         (". SQL a: +0.437 (ran 9.4 times as often, CPU +0.233); "
          "b: +0.125 (took 2 times as long: 10 s → 20 s)")),
        # AWR diff 10.2.0.4.0-rac_06: two new INSERTs; the call of PL/SQL has the same time
        ({"p": (15.0, 115.0, None, None, 1.4, True)},
         {"p": (50.3, 513.0, None, None, 1.8, True), "a": (27.5,), "b": (12.3,)},
         (". SQL a: +0.492 (new); b: +0.22 (new); "
          "p: +0.739 (PL/SQL, probably their caller)")),
        # another call with less time than the SQL does not contain it
        ({}, {"p": (20.0, 1.0, None, None, 1.0, True), "a": (30.0,)},
         ". SQL a: +0.537 (new)"),
        # AWR diff 10.2.0.4.0-rac_07: an INSERT of 3,309,613 rows has none later
        ({"a": (5.0, 2e6, None, None, 1e-5, False, 3_309_613.0)},
         {"a": (40.0, 24e6, None, None, 1e-5, False, 0.0)},
         (f". SQL a: +0.662 (probably the +0.799 in `{EVENT}`, took 12 times as long: "
          "2,000 s → 24,000 s, 3,309,613 rows → 0: perhaps it did not end)")),
        # the list of one side has no CPU: it is not 0
        ({"a": (28.0, 11_100.0, None, None, 0.0452)}, {"a": (28.0, 11_100.0, None, 6e3, 0.452)},
         ". SQL a: +0.2 (ran 10 times as often)"),
        ({"a": (1.0, 1.0, 1.0, 1.0, 1.0)}, {"a": (10.0, 10.0, 1.0, 1.0, 1.0), "b": (9.0,),
          "c": (8.5,), "d": (8.4,)},
         (". SQL a: +0.168 (took 10 times as long: 1 ms → 10 ms); b: +0.161 (new)"
          "; c: +0.152 (new)")),
        # what fell while all rose is named after what rose; so is what is listed no longer
        ({"a": (90.0, 1.0, 1.0)}, {"a": (1.0, 1.0, 1.0), "b": (20.0,)},
         ". SQL b: +0.358 (new); a: −0.949"),
        ({"a": (22.0, 377.0)}, {"b": (20.0, 742.0)},
         ". SQL b: +0.358 (new, 742 ms each); a: −0.236 (gone, 377 ms each)"),
        # another hint or literal: AWR diff 10.2.0.4.0-rac_09
        ({"a": (22.0, 377.0, None, None, 0.05, False, None, "x")},
         {"b": (40.0, 377.0, None, None, 0.14, False, None, "x")},
         ". SQL a (now b): +0.48 (ran 2.8 times as often)"),
        # as long as the largest wait grew
        ({}, {"a": (44.6, 20_000.0)},
         f". SQL a: +0.798 (probably the +0.799 in `{EVENT}`, new, 20 s each)"),
        ({"a": (10.0, 1.0, 1.0)}, {"a": (9.0, 1.0, 1.0)}, ""),
        ({}, {}, ""),
    ],
)  # fmt: skip
def test_the_sql_whose_time_changed_most_is_named_with_what_an_execution_costs(
    was: dict[str, tuple[Any, ...]], now: dict[str, tuple[Any, ...]], said: str
) -> None:
    """AWR diff 10.2.0.4.0-rac_02: a plan that changed takes 10.8 of +14.5 s."""
    (first,), (second,) = sides()
    one = [first._replace(statements={name: Statement(*each) for name, each in was.items()})]
    other = [second._replace(statements={name: Statement(*each) for name, each in now.items()})]

    for found in (compare(one, other, Policy()), periods(one, other, Policy())):
        assert f"(total +0.716){said}." in found.headline


def with_sql(reading: Reading, sql: dict[str, tuple[Any, ...]], **work: Any) -> Reading:
    statements = {name: Statement(*each) for name, each in sql.items()}
    return reading._replace(statements=statements, work=work)


def test_of_a_rise_the_sql_that_rose_most_is_first_and_what_no_listed_sql_has_is_said() -> None:
    """AWR diff 10.2.0.4.0-rac_11: the only SQL that was named had fallen."""
    (first,), (second,) = sides()
    one = with_sql(first, {"fell": (30.0,)})
    other = with_sql(second, {"fell": (1.0,), "rose": (3.0, 82_800.0)})

    found = compare([one], [other], Policy()).headline

    assert "SQL rose: +0.054 (new, 82.8 s each); fell: −0.304" in found
    assert ". All listed SQL together: −0.251; +0.966 is in no listed SQL." in found


def test_new_sql_that_did_most_reads_is_named_with_the_wait_that_they_are() -> None:
    (first,), (second,) = sides()
    reads = Share("db file scattered read", "other", 900.0, 0.0)
    second = second._replace(consumers=(*second.consumers, reads))
    one = with_sql(first, {}, **{"physical reads": {"a": 80.0}})
    other = with_sql(second, {}, **{"physical reads": {"a": 20.0, "b": 51.0, "c": 23.0}})

    found = compare([one], [other], Policy()).headline

    wait = "(probably the +0.107 in `db file scattered read`)"
    assert f"New SQL has 74 % of physical reads {wait}: b and c." in found


def test_executions_of_new_sql_are_not_the_same_work() -> None:
    """AWR diff 10.2.0.3.0-rac_01: 12 % more executions, 31 % fewer without new SQL."""
    (first,), (second,) = sides()
    one = with_sql(first, {}, executions={"a": 50.0})
    other = with_sql(second, {}, executions={"a": 30.0, "b": 38.0})

    found = compare([one], [other], Policy()).headline

    assert "executions (−38 % without new SQL)" in found
    assert "New SQL has 38 % of executions: b." in found


@pytest.mark.parametrize(
    ("now", "first"),
    [
        # it ran more often: not the first, which only took longer
        ({"a": (35.0, 3e4, None, None, 0.01), "b": (30.0, 1e4, None, None, 0.05)}, "b"),
        ({"a": (70.0, 6e4, None, None, 0.01), "b": (10.0, 1e4, None, None, 0.02)}, "a"),
        ({"a": (12.0, 1e4, None, None, 0.01), "b": (10.0, 1e4, None, None, 0.01)}, None),
    ],
)
def test_the_sql_to_look_at_first_has_much_of_a_rise_and_is_no_victim(
    now: dict[str, tuple[Any, ...]], first: str | None
) -> None:
    """AWR diff 10.2.0.4.0-rac_03: 71w06zxc53p8f took longer, 6zkq0dbw64c78 ran 9.4 times."""
    (one,), (other,) = sides()
    was = {"a": (10.0, 1e4, None, None, 0.01), "b": (5.0, 1e4, None, None, 0.005)}

    risen = compare([with_sql(one, was)], [with_sql(other, now)], Policy()).risen

    assert first == (risen and risen[0])


@pytest.mark.parametrize(("factor", "cause"), [(1.35, "both"), (1.45, "latency")])
def test_sql_that_runs_more_often_as_all_work_does_only_takes_longer(
    factor: float, cause: str
) -> None:
    """AWR diff 11.2.0.3.0_01: 41 % more executions and 40 % more transactions."""
    (one,), (other,) = sides()
    was, now = {"a": (10.0, 1e4, None, None, 0.01)}, {"a": (30.0, 1.6e4, None, None, 0.0158)}
    before = with_facts(with_sql(one, was), load_transactions_per_s=10.0)
    after = with_facts(with_sql(other, now), load_transactions_per_s=10.0 * factor)

    risen = compare([before], [after], Policy()).risen

    assert risen is not None
    assert risen[-1] == cause


def test_waits_for_blocks_of_another_instance_are_one_mover() -> None:
    """AWR diff 11.2.0.3.0-rac_02: four of them, +1.04 of 31 sessions, each less than 2 %."""
    (first,), (second,) = sides()
    names = ("gc buffer busy release", "gc current block busy", "gc cr block busy")
    busy = tuple(Share(name, "other", 280.0, 0.0) for name in names)
    other = second._replace(consumers=(*second.consumers, *busy))

    found = compare([first], [other], Policy()).headline

    assert "in `gc … busy`" in found


def test_without_a_change_of_db_time_there_is_no_cause_but_what_moved_within_it_is_said() -> None:
    """AWR diff 10.2.0.4.0-rac_12: 8,776 s less CPU and 2,013 s more of a lock: about the same."""
    before = side(sample(), 9e3, 300.0)
    for waited, said in ((600.0, ""), (2e3, " −0.203 sessions in CPU and +0.203 in `gc cr multi ")):
        after = side(later(), 9e3, waited)
        found = compare([before], [after], Policy())
        headline = periods([before], [after], Policy()).headline

        assert () == found.causes
        assert headline.startswith(f"{found.gist}{said}")
        assert (headline == found.gist) == (said == "")


def test_an_event_that_one_side_may_lack_is_no_cause() -> None:
    """Top events only: what one side does not show is not known to be 0."""
    shares = [
        (Share(EVENT, "other", 300.0, 3.0), Share("CPU", "cpu", 8.7e3, 97.0)),
        (Share(EVENT, "other", 7e3, 47.0), Share("CPU", "cpu", 6e3, 40.0),
         Share("read by other session", "other", 2e3, 13.0)),
    ]  # fmt: skip
    before, after = (
        [each[0]._replace(events=(), consumers=shown, all_consumers=False)]
        for each, shown in zip(sides(), shares, strict=True)
    )
    found = compare(before, after, Policy())

    names = [(EVENT, True), ("CPU", False), ("not accounted for", False)]
    assert names == [(each.name, each.is_event) for each in found.causes]
    why = f"+0.799 sessions in `{EVENT}`, −0.322 in CPU and +0.239 not accounted for (the host's"
    assert why in found.headline


@pytest.mark.corpus
@pytest.mark.skipif(not corpus.entries("statspack-text"), reason="no corpus beside the checkout")
def test_time_before_10g_is_as_exact_as_its_digits() -> None:
    """9.2: 25 % more CPU and wait time was called noise, by the few waits of one top event."""
    before, after = (
        [api.read(api.load(corpus.CORPUS / f"statspack-text_9.2.0.4.0_0{n}.LST"))] for n in (1, 2)
    )

    assert ["db file scattered read", "db file sequential read", "CPU"] == [
        each.name for each in compare(before, after, Policy()).causes
    ]


def test_a_rest_below_0_is_in_all_other_and_not_a_reason() -> None:
    """Shares of 108 %: some waits are outside DB time, and nothing was saved there."""
    parts = [Part(EVENT, "other", 1_000.0, 3_000.0), Part("CPU", "cpu", 500.0, 900.0)]
    steps = db_time._steps(parts, 1_400.0, 3_300.0, Policy())

    assert [EVENT, "CPU", "all other"] == [each.name for each in steps]
    assert 1_900.0 == sum(each.change_ms for each in steps)


def test_a_rest_that_was_below_0_rose_from_0() -> None:
    """AWR diff 10.2.0.4.0-rac_04: parts of 102 %, then 7.2 % in no event: 0.186 of +1.33."""
    parts = [Part("CPU", "cpu", 1_275.0, 2_394.0)]
    steps = db_time._steps(parts, 1_251.0, 2_580.0, Policy())

    assert [("CPU", 1_119.0), ("not accounted for", 186.0), ("all other", 24.0)] == [
        (each.name, each.change_ms) for each in steps
    ]


def test_movers_of_both_directions_are_named_from_a_twentieth_of_the_change_on() -> None:
    parts = [Part(f"e{n}", "other", 0.0, 30.0) for n in range(3)]
    parts += [Part(f"small{n}", "other", 0.0, 20.0) for n in range(2)]
    parts += [Part("CPU", "cpu", 1_000.0, 1_400.0), Part("f", "other", 90.0, 60.0)]
    change = sum(each.change_ms for each in parts)

    steps = db_time._steps(parts, 1_400.0, 1_400.0 + change, Policy())

    assert ["CPU", "e0", "e1", "e2", "f", "all other"] == [each.name for each in steps]
    assert 40.0 == steps[-1].change_ms


def test_rises_and_falls_among_all_others_are_not_hidden_in_their_difference() -> None:
    """AWR diff 10.2.0.4.0-rac_09: +204, +163 and +99 against −147 were "+122 in all other"."""
    parts = [Part("CPU", "cpu", 5_000.0, 2_000.0)]
    parts += [Part(f"rise{n}", "other", 0.0, 100.0) for n in range(3)]
    parts += [Part(f"fall{n}", "other", 100.0, 0.0) for n in range(4)]

    steps = db_time._steps(parts, 5_400.0, 2_300.0, Policy())

    assert [-3_000.0, 300.0, -400.0] == [each.change_ms for each in steps]
    whole = DbTime(5_400.0, 2_300.0, (), steps)
    fact = SimpleNamespace(before=5_400.0, after=2_300.0)
    work = SimpleNamespace(
        basis=Basis("second", ""), policy=Policy(), facts={}, changed=lambda *_: fact
    )
    found = db_time.because(cast("Any", work), whole, ())
    assert "−3 sessions in CPU, +0.3 and −0.4 in all other (total −3.1)" == found
