"""What a difference must exceed to be told: rounding, chance, scatter, a floor."""

from __future__ import annotations

from math import sqrt

import pytest
import samples
from hypothesis import given
from hypothesis import strategies as st

from awrlens import api
from awrlens.policy import Policy
from awrlens.series.differences import Amount, amounts, divisors, judge, pooled
from awrlens.units import half_step

ONE = (1, 1)
MANY = 5


def differs(before: Amount, after: Amount, policy: Policy | None = None) -> bool:
    return judge(before, after, ONE, policy or Policy()).differs


def amount(value: float, error: float = 0.0, step: float = 0.0) -> Amount:
    return Amount(value, "ms", "", error, step)


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [(100.0, 109.9, False), (100.0, 110.1, True), (109.9, 100.0, False), (110.1, 100.0, True)],
)
def test_less_than_the_floor_is_never_told(before: float, after: float, *, told: bool) -> None:
    assert told == differs(amount(before), amount(after))


def test_the_floor_can_be_set() -> None:
    assert differs(amount(100), amount(104), Policy({"compare.floor_pct": 3.0}))
    assert not differs(amount(100), amount(150), Policy({"compare.floor_pct": 60.0}))


def test_a_mean_over_few_waits_must_differ_by_more_than_one_over_many() -> None:
    """30 % apart: two standard errors of 20 waits each are a factor of 1.9, of 2,000 of 1.07."""
    assert not differs(amount(10, 1 / sqrt(20)), amount(13, 1 / sqrt(20)))
    assert differs(amount(10, 1 / sqrt(2_000)), amount(13, 1 / sqrt(2_000)))
    assert differs(
        amount(10, 1 / sqrt(20)), amount(13, 1 / sqrt(20)), Policy({"compare.standard_errors": 0.5})
    )


def test_six_and_two_of_a_thing_are_chance() -> None:
    assert not differs(amount(6, 1 / sqrt(6)), amount(2, 1 / sqrt(2)))
    assert not differs(amount(0), amount(4, 1 / sqrt(4)))
    assert differs(amount(0), amount(5, 1 / sqrt(5)))


def test_what_is_printed_with_one_digit_may_be_half_a_digit_off() -> None:
    assert not differs(amount(0.1, step=0.05), amount(0.2, step=0.05))
    assert differs(amount(0.1, step=0.05), amount(2.1, step=0.05))
    assert not differs(amount(0.0, step=0.5), amount(0.9, step=0.5))
    assert differs(amount(0.0, step=0.5), amount(1.1, step=0.5))


@pytest.mark.parametrize(
    ("text", "value", "step"),
    [("0.1", 0.1, 0.05), ("385", 385, 0.5), ("1,622.00", 1622, 0.005), ("25.2K", 25_200, 50),
     ("139.68 (mins)", 139.68, 0.005), ("2.5us", 0.0025, 0.00005), ("0", 0, 0.5), ("N/A", 0, 0)],
)  # fmt: skip
def test_half_of_the_last_printed_digit(text: str, value: float, step: float) -> None:
    assert pytest.approx(step) == half_step(text, value)


positive = st.floats(1e-6, 1e12)
shares = st.floats(0, 2)


@given(st.tuples(positive, shares, shares), st.tuples(positive, shares, shares))
def test_the_verdict_is_the_same_with_the_sides_exchanged(
    before: tuple[float, float, float], after: tuple[float, float, float]
) -> None:
    first, second = (amount(v, error, v * step) for v, error, step in (before, after))
    there, back = (judge(*pair, ONE, Policy()) for pair in ((first, second), (second, first)))

    assert (there.differs, there.same) == (back.differs, back.same)
    assert pytest.approx(there.pct) == back.pct


@given(positive, positive, st.floats(1e-6, 1e6), shares)
def test_another_unit_changes_no_verdict(a: float, b: float, scale: float, error: float) -> None:
    plain = judge(amount(a, error, a / 10), amount(b, error, b / 10), ONE, Policy())
    scaled = judge(
        amount(a * scale, error, a * scale / 10), amount(b * scale, error, b * scale / 10),
        ONE, Policy(),
    )  # fmt: skip
    near = abs(max(a, b) / min(a, b) - 1 - plain.pct / 100) < 1e-6
    assert near or (plain.differs, plain.same) == (scaled.differs, scaled.same)


@given(st.lists(positive, min_size=1, max_size=9), positive)
def test_nothing_differs_from_itself(values: list[float], outlier: float) -> None:
    side = pooled([amount(v) for v in [*values, outlier]], Policy())

    found = judge(side, side, ONE, Policy())
    assert found.same
    assert not found.differs


def test_the_scatter_of_a_set_is_its_median_absolute_deviation() -> None:
    """Deviations from 10 are 2, 1, 0, 1, 990; their median is 1."""
    side = pooled([amount(v) for v in (8, 9, 10, 11, 1000)], Policy())

    assert 10 == side.value
    assert pytest.approx(1.253314 / 0.6745 / sqrt(MANY) / 10) == side.error
    assert 0 == pooled([amount(v) for v in (8, 9, 10, 11)], Policy()).error


def test_counting_errors_come_from_the_operations_behind_a_fact() -> None:
    reading = api.read(samples.report("redo-disk.awr-11.2.txt"))
    found = amounts(reading, Policy())

    # 405,691 writes and 757,698 ticks of a hundredth of a second
    assert pytest.approx(1 / 405_691 + 1 / 757_698) == found["redo.write_ms", "none"].error ** 2
    # 405,691 waits
    assert pytest.approx(1 / 405_691) == found["redo.parallel_write_ms", "none"].error ** 2
    assert pytest.approx(0.5 / 7_247, rel=1e-2) == (
        found["redo.parallel_write_ms", "none"].step / 17.863
    )
    assert pytest.approx(1 / 18) == found["redo.sync_count", "second"].error ** 2


def test_nothing_is_divided_by_hardly_any_transactions() -> None:
    reading = api.read(samples.report("redo-disk.awr-11.2.txt"))
    rare = reading.facts["load.transactions_per_s"]._replace(value=0.09)
    other = reading._replace(facts={**reading.facts, "load.transactions_per_s": rare}, kept={})

    assert {"second", "transaction", "execute"} == set(divisors(reading, Policy()))
    assert {"second", "execute"} == set(divisors(other, Policy()))
    assert {} == divisors(reading._replace(valid=False, kept={}), Policy())
