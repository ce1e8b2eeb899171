"""How severe a wait is: how many sessions wait, and how slow each wait is for its size.

Seconds are those of an hour, so that 72, 360 and 3,600 of them are 0.02, 0.1 and 1 session that
waits at a time. Where nothing else is said DB time is so large that shares of it say nothing.
"""

from __future__ import annotations

import pytest
from examples import at_most
from hypothesis import assume, given
from hypothesis import strategies as st
from test_rules import facts_of, read

from awrlens import rules
from awrlens import severity as wait_severity
from awrlens.model import SEVERITIES, Fact, Finding, Severity, Weight
from awrlens.policy import Policy
from awrlens.rules.base import Facts
from awrlens.severity import Scale

HOUR = 3600.0
ENDLESS = 1e12
#: The fact that is weighed where a first period is compared.
WAIT = "redo.sync_wait_s"


def scale(
    response_s: float | None = ENDLESS,
    elapsed_s: float | None = HOUR,
    before: dict[str, float | None] | None = None,
    policy: dict[str, float] | None = None,
    **others: float | None,
) -> Scale:
    """A scale of an interval; ``others`` are facts on its load."""
    values = {"load.response_s": response_s, "load.elapsed_s": elapsed_s}
    values |= {f"load.{name}": value for name, value in others.items()}
    first = None if before is None else some_facts(before)
    return Scale(some_facts(values), Policy(policy), first)


def some_facts(values: dict[str, float | None]) -> dict[str, Fact]:
    """Facts of these names, and no others, as all of them take long to make."""
    return {
        name: Fact(name, value, "", "unavailable" if value is None else "measured")
        for name, value in values.items()
    }


def severity(seconds: float, each_ms: float | None, size_bytes: float | None = None) -> Severity:
    return scale().weigh(seconds, each_ms, size_bytes=size_bytes).severity


TABLE = [
    # nobody notices: 0.019 sessions
    (71.0, 1.99, "ok"), (71.0, 7.99, "ok"), (71.0, 24.9, "ok"), (71.0, 1000.0, "ok"),
    # some: from 0.02 sessions on
    (72.0, 1.99, "ok"), (72.0, 2.0, "ok"), (72.0, 8.0, "info"), (72.0, 25.0, "info"),
    # several: from 0.1 sessions on
    (360.0, 1.99, "ok"), (360.0, 2.0, "info"), (360.0, 8.0, "warning"), (360.0, 25.0, "warning"),
    # many: from 1 session on
    (3600.0, 1.99, "info"), (3600.0, 2.0, "warning"), (3600.0, 8.0, "critical"),
    (3600.0, 25.0, "critical"),
]  # fmt: skip


@pytest.mark.parametrize(("seconds", "each_ms", "expected"), TABLE)
def test_severity_is_read_from_how_many_wait_and_how_slow_each_wait_is(
    seconds: float, each_ms: float, expected: Severity
) -> None:
    assert expected == severity(seconds, each_ms)


@pytest.mark.parametrize(
    ("seconds", "many"),
    [(0.0, 0), (71.9, 0), (72.0, 1), (359.9, 1), (360.0, 2), (3599.9, 2), (3600.0, 3)],
)
def test_how_many_wait_is_counted_in_sessions_at_a_time(seconds: float, many: int) -> None:
    assert many == scale().how_many(seconds)


@pytest.mark.parametrize(
    ("each_ms", "slow"), [(0.0, 0), (1.99, 0), (2.0, 1), (7.99, 1), (8.0, 2), (24.9, 2), (25.0, 3)]
)
def test_how_slow_a_wait_is_rests_on_its_milliseconds(each_ms: float, slow: int) -> None:
    assert slow == scale().how_slow(each_ms)


@pytest.mark.parametrize(
    ("each_ms", "size_bytes", "slow"),
    [
        (1.3, 112_000, 0),  # a healthy write of 112 KB
        (0.4, 8192, 0),
        (20.0, None, 2),
        (20.0, 1_000_000, 2),  # a megabyte explains 5 ms
        (12.9, 1_000_000, 1),
        (256.9, 51_000_000, 0),  # throughput, not latency: 51 MB explain 255 ms
        (75.8, 7400, 3),
    ],
)
def test_the_size_of_a_write_explains_a_part_of_its_time(
    each_ms: float, size_bytes: float | None, slow: int
) -> None:
    assert slow == scale().how_slow(each_ms, size_bytes)


def test_a_wait_whose_length_is_not_printed_counts_as_slow() -> None:
    assert 2 == scale().how_slow(None)
    assert "warning" == severity(360.0, None)


def test_the_waits_of_several_instances_are_held_against_as_many_hours() -> None:
    assert 3 == scale().how_many(3600.0)
    assert 2 == scale(instances=2).how_many(3600.0)


# The share of DB time


@pytest.mark.parametrize(("share", "many"), [(4.99, 1), (5.0, 2), (19.9, 2), (20.0, 3)])
def test_a_share_of_db_time_is_a_witness_for_how_many_wait(share: float, many: int) -> None:
    seconds = 200.0  # 0.056 sessions are one level by themselves

    assert many == scale(seconds * 100 / share).how_many(seconds)


def test_a_share_is_no_witness_on_a_nearly_idle_instance() -> None:
    assert 3 == scale(response_s=360.0).how_many(180.0)  # 0.05 sessions, half of DB time
    assert 1 == scale(response_s=360.0).how_many(179.9)
    assert 0 == scale(response_s=100.0).how_many(50.0)


def test_a_small_share_does_not_calm() -> None:
    """0.15 % of DB time, and 1.5 sessions always waiting for commits of a third of a second."""
    weighed = scale(2_269_545.0, 2221.0).weigh(3414.0, 340.7, size_bytes=7400)

    assert "critical" == weighed.severity
    assert weighed.weight.share_pct == pytest.approx(0.15, abs=0.01)
    assert weighed.weight.waiting_sessions == pytest.approx(1.54, abs=0.01)


def test_without_the_length_of_the_interval_the_share_alone_tells_how_many_wait() -> None:
    alone = scale(1000.0, elapsed_s=None)

    assert [0, 1, 2, 3] == [alone.how_many(each) for each in (9.9, 10.0, 50.0, 200.0)]


def test_without_db_time_the_sessions_alone_tell_it() -> None:
    alone = scale(response_s=None)

    assert [0, 1, 2, 3] == [alone.how_many(each) for each in (71.0, 72.0, 360.0, 3600.0)]
    assert alone.has_time
    assert alone.share(72.0) is None


def test_without_either_nothing_can_be_weighed() -> None:
    nothing = scale(response_s=None, elapsed_s=None)

    assert not nothing.has_time
    assert 0 == nothing.how_many(1e6)


@pytest.mark.parametrize(
    ("captured_pct", "many"), [(None, 1), (100.0, 1), (120.0, 1), (89.0, 2), (20.0, 3), (0.0, 1)]
)
def test_a_share_is_that_of_the_db_time_that_waits_and_cpu_account_for(
    captured_pct: float | None, many: int
) -> None:
    """4.5 % of all of it are more than 5 % of 89 %; more than all of it or none is not believed."""
    assert many == scale(200 * 100 / 4.5, captured_pct=captured_pct).how_many(200.0)


def test_the_share_that_is_shown_is_that_of_all_db_time() -> None:
    weighed = scale(4000.0, captured_pct=50.0).weigh(200.0, 10.0)

    assert 5.0 == weighed.weight.share_pct


def test_db_time_that_other_waits_double_takes_away_the_witness_and_no_more() -> None:
    """Half a session waits: 20 % of DB time make it critical, less leave what the sessions say."""
    assert "critical" == scale(9000.0).weigh(1800.0, 10.0).severity
    assert "warning" == scale(18_000.0).weigh(1800.0, 10.0).severity
    assert "warning" == scale(1.8e9).weigh(1800.0, 10.0).severity


# LGWR, timing, the first period


def test_a_busy_lgwr_counts_like_several_waiting_sessions() -> None:
    assert 2 == scale().how_many(1.0, busy_pct=80.0)
    assert 0 == scale().how_many(1.0, busy_pct=79.9)
    assert 3 == scale().how_many(3600.0, busy_pct=80.0)


def test_a_busy_lgwr_makes_no_quick_wait_slow() -> None:
    assert "ok" == scale().weigh(1.0, 1.9, busy_pct=97.0).severity


@pytest.mark.parametrize(("seconds", "each_ms"), [(72.0, 25.0), (360.0, 8.0), (3600.0, 25.0)])
def test_times_of_an_interval_that_was_hardly_timed_are_information(
    seconds: float, each_ms: float
) -> None:
    assert "info" == scale(timed_pct=49.9).weigh(seconds, each_ms).severity
    assert severity(seconds, each_ms) == scale(timed_pct=50.0).weigh(seconds, each_ms).severity


def test_a_hardly_timed_interval_makes_no_finding_of_what_is_quick_and_rare() -> None:
    """360 s in the timed 8 % are 4,500 s of the hour: many sessions, and information."""
    assert "ok" == scale(timed_pct=8.0).weigh(3.6, 1.0).severity
    assert "info" == scale(timed_pct=8.0).weigh(360.0, 1.0).severity
    assert severity(4_500.0, 1.0) == "info"
    said = wait_severity.in_words(scale(timed_pct=8.0).weigh(360.0, 1.0).weight)
    formula = "(estimated from the 8 % timed: 360 s / (3,600 s × 8 %))"
    assert said.startswith(f"about 1.25 sessions waiting on average {formula}")


def compared(first_s: float | None, timed_pct: float | None = None) -> Scale:
    """An hour with 10,000 s of DB time after one that had as much."""
    before = {"load.response_s": 10_000.0, WAIT: first_s}
    return scale(10_000.0, before=before, timed_pct=timed_pct)


def test_ten_times_the_share_of_the_first_period_is_one_level_more() -> None:
    now = compared(40.0).weigh(400.0, 10.0, of=(WAIT,))
    less = compared(40.1).weigh(400.0, 10.0, of=(WAIT,))

    assert ("critical", 10.0) == (now.severity, now.escalated)
    assert ("warning", None) == (less.severity, less.escalated)


def test_waits_that_the_first_period_did_not_have_are_one_level_more() -> None:
    now = compared(0.0).weigh(400.0, 1.0, of=(WAIT,))

    assert "info" == now.severity
    assert now.escalated == float("inf")


@pytest.mark.parametrize(
    ("first_s", "of", "seconds"),
    [
        (1.0, (WAIT,), 99.0),  # less than 1 % of DB time
        (None, (WAIT,), 400.0),  # the first period does not print it
        (1.0, (), 400.0),  # a part or an estimate of a fact
    ],
)
def test_what_cannot_or_need_not_be_compared_keeps_its_level(
    first_s: float | None, of: tuple[str, ...], seconds: float
) -> None:
    assert compared(first_s).weigh(seconds, 10.0, of=of).escalated is None


def test_critical_stays_critical_and_an_untimed_interval_information() -> None:
    assert "critical" == compared(1.0).weigh(3600.0, 50.0, of=(WAIT,)).severity
    assert "info" == compared(1.0, timed_pct=10.0).weigh(400.0, 10.0, of=(WAIT,)).severity


# In words, and how sure


def test_the_size_behind_a_commit_is_that_of_the_redo_log_write() -> None:
    of_commit = Weight(each_ms=53.4, size_bytes=89_088.0, per="commit")

    assert "53.4 ms per commit, 87 KB per redo log write" == wait_severity.in_words(of_commit)


def test_the_sessions_of_a_cluster_are_those_of_each_instance_and_said_to_be() -> None:
    """642 s in 7,200 s of two instances: 0.04 sessions of each of them."""
    cluster, one = scale(elapsed_s=7_200.0, instances=2.0), scale(elapsed_s=7_200.0)

    words = wait_severity.in_words(cluster.weigh(642.0, 17.3).weight)

    assert "0.04 sessions per instance waiting on average, 17.3 ms per wait" == words
    assert "per instance" not in wait_severity.in_words(one.weigh(642.0, 17.3).weight)
    assert (2, 1) == (cluster.impact(642.0, "").instances, one.impact(642.0, "").instances)


def test_a_weight_is_told_in_sessions_time_of_each_and_share() -> None:
    full = Weight(1.537, 0.21, 340.7, 114_688.0)

    assert "1.54 sessions waiting on average, 341 ms per wait for 112 KB, 0.2 % of DB time" == (
        wait_severity.in_words(full)
    )
    assert "1 session waiting on average" == wait_severity.in_words(Weight(waiting_sessions=1.0))
    assert "less than 0.01 sessions waiting on average" == wait_severity.in_words(
        Weight(0.002, 0.01)
    )
    assert "" == wait_severity.in_words(Weight())


def test_a_clause_does_not_repeat_the_time_that_its_title_has() -> None:
    weight = Weight(waiting_sessions=1.0, each_ms=3.9)

    for title in ("Waits average 13.9 ms", "Sessions waited 600 s", ""):
        assert "1 session waiting on average, 3.9 ms per wait" == wait_severity.in_words(
            weight, title
        )
    assert "1 session waiting on average" == wait_severity.in_words(
        weight, "Waits for temp I/O average 3.9 ms"
    )


@pytest.mark.parametrize(
    ("facts", "reason"),
    [
        ({"load.captured_pct": 79.0}, "waits and CPU account for only 79 % of DB time"),
        ({"load.timed_pct": 8.0}, "waits were timed for only 8 % of the interval"),
        ({"load.elapsed_s": 172_800.0}, "an average over 2 days hides the peaks"),
        ({"load.elapsed_s": 36_000.0}, "an average over 10 h hides the peaks"),
        ({"load.elapsed_s": 200.0}, "the interval is only 200 s long"),
        ({"redo.write_count": 99.0}, "only 99 operations were counted"),
    ],
)
def test_what_an_average_or_a_share_hides_lowers_the_confidence(
    facts: dict[str, float], reason: str
) -> None:
    values = read("REDO001")[0].facts | {"redo.sync_wait_s": 40_000.0} | facts

    finding = rules.decide(rules.get("REDO001"), Facts(facts_of(values), Policy()))

    assert isinstance(finding, Finding)
    assert "medium" == finding.confidence
    assert reason == finding.confidence_reason


@pytest.mark.parametrize(
    ("facts", "expected"),
    [
        ({"redo.write_count": 99.0}, "warning"),
        ({"redo.write_count": 100.0}, "critical"),
        ({"load.elapsed_s": 299.0}, "warning"),
        ({"load.elapsed_s": 300.0}, "critical"),
        ({"load.captured_pct": 79.0}, "critical"),
    ],
)
def test_few_operations_and_short_intervals_are_never_critical(
    facts: dict[str, float], expected: Severity
) -> None:
    values = read("REDO001")[0].facts | {"redo.sync_wait_s": 40_000.0} | facts

    finding = rules.decide(rules.get("REDO001"), Facts(facts_of(values), Policy()))

    assert isinstance(finding, Finding)
    assert expected == finding.severity


@pytest.mark.parametrize(
    ("writes", "expected"), [(60_000.0, "critical"), (99.0, "warning"), (None, "warning")]
)
def test_many_waits_are_critical_by_their_share_where_the_interval_is_not_known(
    writes: float | None, expected: Severity
) -> None:
    """As in an excerpt of top events: half of DB time, and each wait is long."""
    values = read("REDO001")[0].facts | {"redo.sync_wait_s": 20_000.0, "redo.write_count": writes}
    known = {name: value for name, value in values.items() if name != "load.elapsed_s" and value}

    finding = rules.decide(rules.get("REDO001"), Facts(facts_of(known), Policy()))

    assert isinstance(finding, Finding)
    assert expected == finding.severity
    assert "the length of the interval is not known" in finding.confidence_reason


# What holds of every wait

SECONDS = st.floats(0, 1e6)
MS = st.floats(0, 1e4)
MAYBE_MS = st.none() | MS
SIZE = st.none() | st.floats(0, 1e9)
BUSY = st.none() | st.floats(0, 100)


@st.composite
def scales(draw: st.DrawFn, *, compared_too: bool = True) -> Scale:
    """Scales of any interval, timed and accounted for in part or not, alone or compared."""
    before: dict[str, float | None] | None = None
    if compared_too and draw(st.booleans()):
        before = {"load.response_s": draw(st.floats(1, 1e6)), WAIT: draw(st.floats(0, 1e5))}
    return scale(
        draw(st.none() | st.floats(1, 1e7)),
        draw(st.none() | st.floats(1, 1e6)),
        before,
        instances=draw(st.none() | st.integers(1, 8)),
        captured_pct=draw(st.none() | st.floats(0, 150)),
        timed_pct=draw(st.none() | st.floats(0, 100)),
    )


def level(
    of: Scale,
    seconds: float,
    each_ms: float | None,
    size_bytes: float | None = None,
    busy_pct: float | None = None,
) -> int:
    """A severity as a number, against a first period where there is one."""
    weighed = of.weigh(seconds, each_ms, size_bytes=size_bytes, busy_pct=busy_pct, of=(WAIT,))
    return SEVERITIES.index(weighed.severity)


@given(scales(), SECONDS, SECONDS, MAYBE_MS, SIZE, BUSY)
def test_more_waiting_seconds_never_lower_a_severity(
    of: Scale, seconds: float, more: float, ms: float | None, size: float | None, busy: float | None
) -> None:
    assert level(of, seconds, ms, size, busy) <= level(of, seconds + more, ms, size, busy)


@given(scales(), SECONDS, MS, MS, SIZE, BUSY)
def test_a_slower_wait_never_lowers_a_severity(
    of: Scale, seconds: float, ms: float, more: float, size: float | None, busy: float | None
) -> None:
    assert level(of, seconds, ms, size, busy) <= level(of, seconds, ms + more, size, busy)


@given(scales(), SECONDS, MAYBE_MS, st.floats(0, 1e9), st.floats(0, 1e9), BUSY)
def test_a_larger_size_never_raises_a_severity(
    of: Scale, seconds: float, ms: float | None, size: float, more: float, busy: float | None
) -> None:
    small = level(of, seconds, ms, size_bytes=size, busy_pct=busy)

    assert level(of, seconds, ms, size_bytes=size + more, busy_pct=busy) <= small


@given(scales(), SECONDS, MAYBE_MS, SIZE, st.floats(0, 100), st.floats(0, 100))
def test_a_busier_lgwr_never_lowers_a_severity(
    of: Scale, seconds: float, ms: float | None, size: float | None, busy: float, more: float
) -> None:
    idle = level(of, seconds, ms, size_bytes=size, busy_pct=busy)

    assert idle <= level(of, seconds, ms, size_bytes=size, busy_pct=busy + more)


@given(SECONDS, MAYBE_MS, BUSY, st.floats(1, 1e7), st.floats(1, 1e6), st.floats(1, 1000))
def test_other_waits_that_make_db_time_grow_never_raise_a_severity(
    seconds: float, ms: float | None, busy: float | None, whole: float, elapsed: float, times: float
) -> None:
    now = level(scale(whole, elapsed), seconds, ms, busy_pct=busy)

    assert level(scale(whole * times, elapsed), seconds, ms, busy_pct=busy) <= now


@given(SECONDS, MAYBE_MS, BUSY, st.floats(1, 1e7), st.floats(1, 1e6), st.floats(1, 1000))
def test_they_change_nothing_where_the_sessions_alone_decide(
    seconds: float, ms: float | None, busy: float | None, whole: float, elapsed: float, times: float
) -> None:
    """Below 0.05 waiting sessions the share does not count; from 1 on it can add nothing."""
    sessions = seconds / elapsed
    assume(
        sessions < Policy()["impact.share_sessions"] or sessions >= Policy()["impact.many_sessions"]
    )

    now = level(scale(whole, elapsed), seconds, ms, busy_pct=busy)

    assert now == level(scale(whole * times, elapsed), seconds, ms, busy_pct=busy)


@given(SECONDS, MAYBE_MS, st.floats(1, 1e7), st.floats(1, 1e6))
def test_they_never_take_away_what_the_sessions_say(
    seconds: float, ms: float | None, whole: float, elapsed: float
) -> None:
    by_sessions = level(scale(response_s=None, elapsed_s=elapsed), seconds, ms)

    assert by_sessions <= level(scale(whole, elapsed), seconds, ms)


@given(SECONDS, MAYBE_MS, st.floats(1, 1e7), st.floats(1, 1e6), st.integers(1, 8))
def test_as_many_instances_with_as_many_waits_are_as_severe(
    seconds: float, ms: float | None, whole: float, elapsed: float, instances: int
) -> None:
    one = scale(whole, elapsed).weigh(seconds, ms)
    all_ = scale(whole * instances, elapsed, instances=instances).weigh(seconds * instances, ms)

    assume(all_.weight.waiting_sessions == one.weight.waiting_sessions)
    assume(all_.weight.share_pct == one.weight.share_pct)
    assert one.severity == all_.severity


@given(scales(compared_too=False), SECONDS, MAYBE_MS, SIZE)
def test_what_nobody_notices_is_in_order_however_slow(
    of: Scale, seconds: float, ms: float | None, size: float | None
) -> None:
    assume(not of.significant(seconds))

    assert 0 == level(of, seconds, ms, size_bytes=size)


@given(scales(), SECONDS, MAYBE_MS, SIZE, BUSY)
def test_a_first_period_raises_a_severity_by_one_level_at_most(
    of: Scale, seconds: float, ms: float | None, size: float | None, busy: float | None
) -> None:
    alone = of.weigh(seconds, ms, size_bytes=size, busy_pct=busy).severity
    compared_ = level(of, seconds, ms, size_bytes=size, busy_pct=busy)

    assert SEVERITIES.index(alone) <= compared_ <= SEVERITIES.index(alone) + 1


@at_most(50)
@given(st.floats(1, 1e3), MS, st.floats(1, 1e6), st.floats(1, 1e6))
def test_log_writes_are_as_severe_whatever_else_sessions_wait_for(
    sessions: float, ms: float, elapsed: float, whole: float
) -> None:
    """REDO001 of waits that the share cannot raise: twice the DB time finds the same."""
    values = {
        "redo.local_write_ms": ms, WAIT: elapsed * sessions, "load.elapsed_s": elapsed,
    }  # fmt: skip
    found = [
        rules.decide(
            rules.get("REDO001"),
            Facts(facts_of(values | {"load.response_s": whole * times}), Policy()),
        )
        for times in (1, 2)
    ]

    first, second = (each.severity if isinstance(each, Finding) else None for each in found)
    assert first == second


def test_a_wait_that_the_first_period_does_not_print_is_not_held_against_it() -> None:
    """Absent is not zero: the other part of the sum may have been as large before."""
    other = "redo.buffer_wait_s"
    before: dict[str, float | None]
    before = {"load.response_s": 10_000.0, WAIT: 10.0, other: None}
    printed: dict[str, float | None]
    printed = {"load.response_s": 10_000.0, "load.elapsed_s": HOUR, WAIT: 10.0, other: 990.0}
    now = Scale(some_facts(printed), Policy(), some_facts(before))

    assert now.weigh(1_000.0, 10.0, of=(WAIT, other)).escalated is None
    before[other] = 0.0
    full = Scale(some_facts(printed), Policy(), some_facts(before))
    assert full.weigh(1_000.0, 10.0, of=(WAIT, other)).escalated == pytest.approx(100)


def test_a_few_slow_waits_of_an_idle_instance_are_not_called_short() -> None:
    """0.03 sessions are 7 % of DB time: none of their waits of 30 ms is short."""
    of = scale(HOUR * 0.03 / 0.07, average_active_sessions=0.43)
    slow, quick = (of.weigh(HOUR * 0.03, each_ms).weight for each_ms in (30.0, 1.0))

    assert ", but only 0.03 of 0.43 active sessions wait on average" == of.calm_words(slow)
    assert ", but each wait is short" == of.calm_words(quick)
    untimed = of.weigh(HOUR * 0.03).weight
    assert "sessions wait" in of.calm_words(untimed)


def test_the_words_of_calm_rest_on_the_thresholds_in_force() -> None:
    of = scale(HOUR * 0.03 / 0.07, policy={"impact.slower_ms": 40.0, "impact.slowest_ms": 50.0})

    assert ", but each wait is short" == of.calm_words(of.weigh(HOUR * 0.03, 30.0).weight)


def test_a_calm_headline_says_what_its_sessions_wait_for() -> None:
    of = scale(HOUR * 4, average_active_sessions=4.0)
    commits = of.weigh(HOUR * 0.07, 112.0).weight._replace(per="commit")

    assert ", but only 0.07 of 4 active sessions wait for commits on average" == of.calm_words(
        commits
    )
