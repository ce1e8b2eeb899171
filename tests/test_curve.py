"""What a recovery target costs: document 1's table 1, and curves through any points."""

from __future__ import annotations

import itertools
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from awrlens.advice.load_model import Curve
from awrlens.advice.write_cost import (
    OFF,
    TABLE_1,
    THROUGHPUT,
    throughput_loss_pct,
)
from awrlens.cli import run
from awrlens.lab import mttr_command
from awrlens.lab.mttr_command import BY_TARGET

PLACES = st.lists(st.integers(1, 3600), min_size=2, max_size=9, unique=True)
HEIGHTS = st.lists(st.integers(0, 10**7), min_size=9, max_size=9)


@pytest.mark.parametrize("row", TABLE_1[1:])
def test_the_curve_has_document_1s_values_at_document_1s_targets(row: object) -> None:
    assert row.writes_per_s == BY_TARGET.at(row.in_force_s)  # type: ignore[attr-defined]
    assert row.throughput_tps == THROUGHPUT.at(row.in_force_s)  # type: ignore[attr-defined]


def test_document_1s_six_per_cent_are_five_and_a_half() -> None:
    assert 5.53 == pytest.approx(throughput_loss_pct(71), abs=0.01)
    assert 6.33 == pytest.approx(100 - 222 * 100 / 237, abs=0.01)
    assert 0 == throughput_loss_pct(300)
    assert 0 == throughput_loss_pct(3600)


def test_document_1s_estimates_are_not_recovery_with_a_constant_start_up() -> None:
    """They ought to exceed the recovery by start-up and opening, the same in each row."""
    excess = [row.estimated_mttr_s - row.recovery_s for row in TABLE_1]

    assert [630, 216, 175, 131, 77, 41, 17, 2] == excess


def test_only_the_target_that_was_reset_is_above_what_it_was_set_to() -> None:
    assert [71] == [row.in_force_s for row in TABLE_1 if row.in_force_s != row.target_s]


def test_document_1s_writes_grow_as_the_target_falls() -> None:
    writes = [BY_TARGET.at(target) for target in range(60, 1000)]

    assert sorted(writes, reverse=True) == writes
    assert 3.2 == pytest.approx(writes[0] / OFF.writes_per_s, abs=0.01)


@given(PLACES, HEIGHTS)
def test_a_curve_goes_through_its_points_and_never_leaves_the_range_of_their_neighbours(
    xs: list[int], ys: list[int]
) -> None:
    curve = Curve(zip(xs, ys, strict=False))
    for (x0, y0), (x1, y1) in zip(curve.points, curve.points[1:], strict=False):
        assert y0 == curve.at(x0)
        slack = 1e-6 * max(1, abs(y0), abs(y1))
        for step in range(1, 8):
            value = curve.at(x0 + (x1 - x0) * step / 8)
            assert min(y0, y1) - slack <= value <= max(y0, y1) + slack


@given(PLACES, HEIGHTS)
def test_a_curve_through_falling_points_falls(xs: list[int], ys: list[int]) -> None:
    falling = zip(sorted(xs), sorted(ys[: len(xs)], reverse=True), strict=True)
    curve = Curve(falling)
    low, high = min(xs), max(xs)
    values = [curve.at(low + (high - low) * step / 50) for step in range(51)]

    for first, second in itertools.pairwise(values):
        assert second <= first + 1e-6 * max(1, first)


@given(PLACES, HEIGHTS, st.floats(0, 1e6))
def test_nothing_is_extrapolated(xs: list[int], ys: list[int], x: float) -> None:
    curve = Curve(zip(xs, ys, strict=False))
    if x <= min(xs):
        assert curve.points[0][1] == curve.at(x)
    if x >= max(xs):
        assert curve.points[-1][1] == curve.at(x)


def test_between_two_points_is_a_straight_line() -> None:
    assert 1.25 == Curve([(0, 0), (1, 1), (3, 2)]).at(1.5)


def test_two_values_at_one_place_are_no_curve() -> None:
    with pytest.raises(ValueError, match="different first coordinates"):
        Curve([(30, 1), (30, 2)])


def test_one_point_is_a_constant() -> None:
    assert 7 == Curve([(30, 7)]).at(100)


def test_the_published_curve_is_labelled_and_says_what_is_not_printed() -> None:
    found = mttr_command.prices(150)
    own = next(row for row in found.points if not row.printed)

    assert "not your load" in found.source
    assert 150 == own.target_s
    assert 722 < (own.writes_per_s or 0) < 820
    assert "interpolated between" in found.notes[-1]


def test_the_published_curve_is_not_used_outside_its_targets() -> None:
    found = mttr_command.prices(30)

    assert all(row.printed for row in found.points)
    assert "30 s is outside the targets of the table (71 to 900 s)" in found.notes[-1]


def test_the_published_curve_shows_estimate_and_recovery_of_every_target() -> None:
    found = [(row.target_s, row.estimated_mttr_s, row.recovery_s)
             for row in mttr_command.prices().points]  # fmt: skip

    assert [(71, 61, 59), (90, 81, 64), (120, 112, 71), (180, 174, 97), (240, 235, 104),
            (300, 298, 123), (900, 360, 144), (0, 1270, 640)] == found  # fmt: skip


def test_throughput_is_in_per_cent_of_that_without_a_target() -> None:
    """235 transactions per second without a target, 222 with the strictest."""
    rows = {row.target_s: row.throughput_pct for row in mttr_command.prices(80).points}

    assert 100.0 == rows[0]
    assert 222 * 100 / 235 == pytest.approx(rows[71])
    assert rows[71] < rows[80] < rows[90]


def test_the_curve_is_printed_within_80_columns(capsys: pytest.CaptureFixture[str]) -> None:
    assert 0 == run(["mttr", "--curve", "--desired-mttr", "60"])
    lines = capsys.readouterr().out.splitlines()

    assert max(map(len, lines)) <= 80
    assert "   120 s     112 s      71 s       820    2.29" in "\n".join(lines)


def test_the_curve_is_printed_as_data(capsys: pytest.CaptureFixture[str]) -> None:
    assert 0 == run(["mttr", "--curve", "--format", "json"])
    found = json.loads(capsys.readouterr().out)

    assert 8 == len(found["points"])
    assert {"target_s", "estimated_mttr_s", "recovery_s", "writes_per_s", "factor",
            "throughput_pct", "printed"} == set(found["points"][0])  # fmt: skip
    assert "straight lines" == found["interpolation"]
