"""What is usual, what stands out, what a latency owes to its load."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from invented import HOUR, MONDAY, hours, rhythm, weeks, window

from awrlens.cli import intervals
from awrlens.model import Severity
from awrlens.model.trend import Link, Series, Window
from awrlens.policy import Policy
from awrlens.series.differences import (
    mad,
    modified_z_score,
    ranks,
    spearman,
)

WRITE = "redo.write_ms"
#: Numbers without so many digits that adding and scaling would make equal ones differ.
numbers = st.integers(-(10**6), 10**6).map(lambda n: n / 8)
lists = st.lists(numbers, min_size=3, max_size=40)


def series_of(found: list[Window], *names: str, policy: Policy | None = None) -> Series:
    (series,) = intervals.trend(found, intervals.quantities(names or (WRITE,)), policy).series
    return series


def standing_out(series: Series, fact: str = WRITE) -> list[int]:
    """Numbers of the windows in which a fact stands out."""
    return [
        n
        for n, each in enumerate(series.windows)
        if any(outlier.fact == fact for outlier in each.outliers)
    ]


# robust statistics


@given(lists, numbers)
def test_adding_to_all_values_changes_no_scatter_and_no_score(
    values: list[float], shift: float
) -> None:
    moved = [value + shift for value in values]

    assert mad(values) == pytest.approx(mad(moved))
    assert modified_z_score(values[0], values) == pytest.approx(modified_z_score(moved[0], moved))


@given(lists, st.integers(1, 1000))
def test_another_unit_scales_the_scatter_and_changes_no_score(
    values: list[float], factor: int
) -> None:
    scaled = [value * factor for value in values]

    assert mad(values) * factor == pytest.approx(mad(scaled))
    assert modified_z_score(values[0], values) == pytest.approx(modified_z_score(scaled[0], scaled))


@given(lists)
def test_the_order_of_the_values_does_not_matter(values: list[float]) -> None:
    assert mad(values) == mad(values[::-1])
    assert sorted(ranks(values)) == sorted(ranks(values[::-1]))
    assert sum(ranks(values)) == len(values) * (len(values) + 1) / 2


def test_two_wild_values_of_ten_do_not_hide_each_other() -> None:
    values = [2.1, 2.6, 2.4, 2.5, 2.3, 2.1, 2.3, 2.6, 8.2, 8.3]

    assert mad(values) == pytest.approx(0.15)
    assert modified_z_score(8.3, values) == pytest.approx(0.6745 * (8.3 - 2.45) / 0.15)


def test_where_most_values_are_equal_the_mean_deviation_measures() -> None:
    assert mad([5.0] * 9 + [6.0]) == 0
    assert modified_z_score(6.0, [5.0] * 9 + [6.0]) == pytest.approx(1 / (1.253314 * 0.1))
    assert modified_z_score(5.0, [5.0] * 10) == 0


@given(st.lists(st.tuples(numbers, numbers), min_size=3, max_size=40))
def test_a_correlation_is_symmetric_bounded_and_blind_to_the_scale(
    pairs: list[tuple[float, float]],
) -> None:
    xs, ys = [x for x, _ in pairs], [y for _, y in pairs]
    rho = spearman(xs, ys)

    assert rho == spearman(ys, xs)
    if rho is not None:
        assert -1 <= rho <= 1
        assert spearman([3 * x + 7 for x in xs], ys) == pytest.approx(rho)
        assert spearman([-x for x in xs], ys) == pytest.approx(-rho)


def test_a_curve_that_only_rises_correlates_fully_and_equal_values_share_their_rank() -> None:
    assert spearman([1, 2, 3, 4], [1, 10, 11, 1000]) == 1
    assert ranks([7.0, 3.0, 7.0, 1.0]) == [3.5, 2, 3.5, 1]
    assert spearman([1, 1, 1], [1, 2, 3]) is None


# outliers and baselines


@given(st.floats(0.01, 1e6), st.integers(3, 60))
def test_nothing_stands_out_of_a_constant_series(value: float, count: int) -> None:
    assert standing_out(series_of(hours([value] * count))) == []


@given(st.integers(0, 29), st.integers(8, 30))
def test_a_planted_outlier_is_found_and_no_other(place: int, count: int) -> None:
    values = [5 + 0.1 * (n % 7) for n in range(count)]
    values[place % count] = 90.0
    series = series_of(hours(values))
    (number,) = standing_out(series)
    (outlier,) = series.windows[number].outliers

    assert number == place % count
    assert outlier.bad
    assert (outlier.method, outlier.baseline.slot) == ("modified z-score", "all windows")
    assert outlier.usual == pytest.approx(5.3, abs=0.31)


def test_a_low_latency_stands_out_and_does_not_hurt() -> None:
    series = series_of(hours([5.0, 5.1, 5.2, 5.1, 5.0, 5.3, 5.1, 0.1, 5.2]))
    (outlier,) = series.windows[7].outliers

    assert not outlier.bad
    assert series.windows[7].score == 0


@pytest.mark.parametrize(
    ("windows_of_it", "method"),
    [(Policy()["trend.points"], "modified z-score"), (Policy()["trend.points"] - 1, "change only")],
)
def test_of_too_few_points_only_the_change_is_told(windows_of_it: float, method: str) -> None:
    values = [5.0, 5.1, 5.2, 5.1, 5.0, 5.3, 5.1, 5.2][: int(windows_of_it) - 1]
    series = series_of(hours([*values, 50.0]))
    (outlier,) = series.windows[-1].outliers

    assert outlier.method == method
    assert (outlier.score is None) == (outlier.baseline.mad is None) == (method == "change only")


def test_a_change_is_told_from_a_factor_and_a_number_of_points_on() -> None:
    factor, points = Policy()["trend.change_factor"], int(Policy()["trend.change_points"])

    assert standing_out(series_of(hours([5.0] * (points - 1) + [5.0 * factor]))) == [points - 1]
    assert standing_out(series_of(hours([5.0] * (points - 1) + [4.9 * factor]))) == []
    assert standing_out(series_of(hours([5.0] * (points - 1) + [5.0 / factor]))) == [points - 1]
    assert standing_out(series_of(hours([5.0] * (points - 2) + [5.0 * factor]))) == []


def test_a_ripple_in_a_steady_series_is_no_outlier() -> None:
    steady = [100.0] * 11
    least = Policy()["trend.least_change_pct"]

    assert standing_out(series_of(hours([*steady, 100 + least - 1]))) == []
    assert standing_out(series_of(hours([*steady, 100 + least]))) == [11]


def test_a_score_stands_out_beyond_its_limit_and_the_limit_can_be_set() -> None:
    values = [8.0, 9.0, 10.0, 11.0, 12.0, 8.0, 9.0, 11.0, 12.0]
    limit = 10 + Policy()["trend.z_score"] * mad([*values, 18.0]) / 0.6745

    assert standing_out(series_of(hours([*values, limit * 1.2]))) == [9]
    assert standing_out(series_of(hours([*values, limit * 0.9]))) == []
    loose = Policy({"trend.z_score": 99})
    assert standing_out(series_of(hours([*values, limit * 1.2]), policy=loose)) == []


def test_a_window_is_compared_with_its_hour_of_the_week_where_there_are_enough_weeks() -> None:
    weeks_known = int(Policy()["trend.slot_points"])
    found = weeks(weeks_known * 168, [WRITE])
    found = [each for each in found if not each.findings]
    series = series_of(found)

    assert standing_out(series) == []
    slow = window(found[-1].end or MONDAY, {WRITE: 30.0})
    (outlier,) = series_of([*found, slow]).windows[-1].outliers
    assert outlier.baseline.slot == "hour of week"
    assert outlier.baseline.points >= weeks_known


def test_with_fewer_weeks_working_days_and_weekends_are_kept_apart() -> None:
    found = [each for each in weeks(3 * 168, [WRITE]) if not each.findings]
    found[34] = window(found[34].begin or MONDAY, {WRITE: 60.0})  # Tuesday, 10:00
    series = series_of(found)

    assert standing_out(series) == [34]
    (outlier,) = series.windows[34].outliers
    assert outlier.baseline.slot == "hour of working days"


def test_in_the_first_days_it_is_the_hour_of_the_day_and_before_that_all_windows() -> None:
    days = [MONDAY + n * 24 * HOUR for n in range(7)]
    mornings = [window(day + 9 * HOUR, {WRITE: 5.0 + 0.1 * n}) for n, day in enumerate(days)]
    mornings[6] = window(days[6] + 9 * HOUR, {WRITE: 80.0})
    (outlier,) = series_of(mornings).windows[6].outliers
    assert outlier.baseline.slot == "hour of day"

    long = [window(day, {WRITE: 5.0 + 0.1 * n}, length=(Policy()["trend.hour_min"] + 1) / 60 * HOUR)
            for n, day in enumerate([*days, MONDAY + 8 * 24 * HOUR])]  # fmt: skip
    long[7] = window(long[7].begin or MONDAY, {WRITE: 80.0}, length=2 * HOUR)
    series = series_of(long)
    assert series.windows[7].outliers[0].baseline.slot == "all windows"
    assert not any(each.hourly for each in series.windows)


@pytest.mark.parametrize(("minutes", "hourly"), [(Policy()["trend.hour_min"], True), (91, False)])
def test_a_window_belongs_to_an_hour_up_to_a_length(minutes: float, hourly: bool) -> None:
    series = series_of([window(MONDAY, {WRITE: 5.0}, length=minutes / 60 * HOUR)])

    assert series.windows[0].hourly == hourly


@pytest.mark.parametrize(("more", "slot"), [(0, "hour of working days"), (-1, "all windows")])
def test_an_hour_is_a_baseline_from_a_number_of_windows_on(more: int, slot: str) -> None:
    """Mornings of working days, and nights at which everything is another matter."""
    count = int(Policy()["trend.slot_points"]) + more
    days = [MONDAY + n * 24 * HOUR for n in (0, 1, 2, 3, 4, 7, 8, 9, 10, 11)]
    mornings = [window(day + 9 * HOUR, {WRITE: 5.0 + 0.1 * n}) for n, day in enumerate(days)]
    nights = [window(day + HOUR, {WRITE: 9.0 + 0.1 * n}) for n, day in enumerate(days)]
    slow = window(days[count - 1] + 9 * HOUR, {WRITE: 400.0})
    series = series_of([*mornings[: count - 1], slow, *nights])
    (outlier,) = next(each.outliers for each in series.windows if each.outliers)

    assert outlier.baseline.slot == slot


@pytest.mark.parametrize(
    ("fact", "least", "usual"),
    [
        (WRITE, Policy()["trend.least_ms"], 0.1),
        ("temp.io_share_pct", Policy()["trend.least_points_pct"], 0.5),
    ],
)
def test_what_nobody_can_feel_is_no_outlier(fact: str, least: float, usual: float) -> None:
    below = series_of(hours([*[usual] * 11, usual + 0.99 * least], fact), fact)
    beyond = series_of(hours([*[usual] * 11, usual + 1.01 * least], fact), fact)

    assert standing_out(below, fact) == []
    assert standing_out(beyond, fact) == [11]


def test_what_is_usual_is_told_of_each_window_that_has_enough_others() -> None:
    values = [5.0, 6.0, 7.0, 8.0, None, 90.0]
    usual = [each.usual for each in series_of(hours(values)).windows]

    assert [each.get(WRITE) for each in usual] == [7.0, 7.0, 7.0, 7.0, None, 7.0]
    assert [each.usual for each in series_of(hours([5.0, 6.0])).windows] == [{}, {}]


def test_totals_of_windows_of_different_lengths_are_compared_per_second() -> None:
    found = [window(MONDAY + n * HOUR, {"redo.sync_wait_s": 60.0 + n}) for n in range(9)]
    long = window(MONDAY + 9 * HOUR, {"redo.sync_wait_s": 640.0}, length=10 * HOUR)
    assert standing_out(series_of([*found, long], "redo.sync_wait_s"), "redo.sync_wait_s") == []

    slow = window(MONDAY + 9 * HOUR, {"redo.sync_wait_s": 6400.0}, length=10 * HOUR)
    (outlier,) = series_of([*found, slow], "redo.sync_wait_s").windows[-1].outliers
    assert outlier.value == pytest.approx(6400)
    assert outlier.usual == pytest.approx(640, rel=0.1)


def test_the_worst_window_comes_first_and_a_finding_weighs_by_its_severity() -> None:
    found = hours([5.0, 5.1, 5.2, 5.1, 70.0, 5.0, 5.3, 5.1, 5.2, 5.1])
    found[2] = window(MONDAY + 2 * HOUR, {WRITE: 5.2}, findings=[("REDO001", "Slow", "warning")])
    found[7] = window(MONDAY + 7 * HOUR, {WRITE: 5.1}, findings=[("REDO004", "Waits", "info")])
    trend = intervals.trend(found, intervals.quantities([WRITE]))

    assert trend.worst == ((0, 2), (0, 7), (0, 4))
    scores = [each.score for each in trend.series[0].windows]
    assert (scores[2], scores[4], scores[7]) == (2, 1, 1)


def test_an_outlier_that_somebody_waits_for_counts_by_its_size_up_to_a_limit() -> None:
    found = hours([5.0, 5.1, 5.2, 5.1, 70.0, 5.0, 5.3, 5.1, 5.2, 5.1])
    found[4] = window(MONDAY + 4 * HOUR, {WRITE: 70.0}, findings=[("REDO004", "Waits", "info")])
    elsewhere = [*found]
    elsewhere[4] = window(MONDAY + 4 * HOUR, {WRITE: 70.0}, findings=[("TEMP001", "Temp", "info")])

    assert series_of(found).windows[4].score == Policy()["trend.score_cap"] + 1
    assert series_of(elsewhere).windows[4].score == 1 + 1


def test_what_one_slow_device_shows_in_several_facts_counts_once() -> None:
    names = [WRITE, "redo.sync_ms", "temp.read_ms"]
    found = [window(MONDAY + n * HOUR, dict.fromkeys(names, 5 + 0.1 * n)) for n in range(12)]
    redo = {WRITE: 90.0, "redo.sync_ms": 90.0, "temp.read_ms": 5.0}
    both = {WRITE: 90.0, "redo.sync_ms": 5.0, "temp.read_ms": 90.0}
    slow: list[tuple[str, str, Severity]] = [
        ("REDO001", "Slow", "warning"), ("REDO002", "Slow", "info")
    ]  # fmt: skip
    found[3] = window(MONDAY + 3 * HOUR, redo, findings=slow)
    found[5] = window(MONDAY + 5 * HOUR, both)
    scores = [each.score for each in series_of(found, *names).windows]

    assert scores[3] == Policy()["trend.score_cap"] + 2
    assert scores[5] == 1 + 1


def test_a_finding_is_told_over_time() -> None:
    found = hours([5.0] * 6)
    for n, severity in ((1, "info"), (4, "warning")):
        found[n] = window(
            MONDAY + n * HOUR, {WRITE: 5.0},
            findings=[("REDO001", f"It takes {n} ms", severity)],  # type: ignore[list-item]
        )  # fmt: skip
    (seen,) = series_of(found).seen

    assert (seen.id, seen.windows, seen.severity) == ("REDO001", 2, "warning")
    assert seen.title == "It takes 4 ms"
    assert (seen.first, seen.last) == (MONDAY + HOUR, MONDAY + 5 * HOUR)


# latency against load


def linked(latency: list[float], load: list[float], policy: Policy | None = None) -> Link:
    found = [
        window(MONDAY + n * HOUR, {WRITE: ms, "redo.bytes_per_s": asked})
        for n, (ms, asked) in enumerate(zip(latency, load, strict=True))
    ]
    (link,) = series_of(found, policy=policy).links
    return link


LOADS = [1e6 * (1 + rhythm(n)) for n in range(24)]


def test_a_latency_that_follows_its_load_tells_of_saturation() -> None:
    link = linked([load**2 / 1e11 for load in LOADS], LOADS)

    assert link.verdict == "saturation"
    assert link.rho == pytest.approx(1)
    assert link.points == 24


def test_a_latency_that_is_high_at_any_load_tells_of_a_slow_device() -> None:
    link = linked([25 + 3 * math.sin(n * 2.4) for n in range(24)], LOADS)

    assert link.verdict == "slow device"
    assert abs(link.rho or 1) < Policy()["trend.flat_rho"]


def test_nothing_is_said_of_a_latency_that_is_low() -> None:
    low = linked([load / 1e7 for load in LOADS], LOADS)
    flat = linked([1 + 0.2 * math.sin(n * 2.4) for n in range(24)], LOADS)
    falling = linked([3e7 / load for load in LOADS], LOADS)

    assert {low.verdict, flat.verdict, falling.verdict} == {"no statement"}
    assert "stays below 8 ms" in low.words
    assert "does not depend on load" in flat.words
    assert "falls" in falling.words


def test_it_takes_a_number_of_windows_and_a_load_that_varies() -> None:
    enough = int(Policy()["trend.link_points"])
    loads = [1e6 * (1 + n) for n in range(enough)]
    few = linked([load / 1e5 for load in loads[1:]], loads[1:])
    spread = Policy()["trend.load_spread"]
    steady = [1e6 * (1 + (spread - 1.01) * n / enough) for n in range(enough)]

    assert linked([load / 1e5 for load in loads], loads).verdict == "saturation"
    assert (few.rho, few.verdict) == (None, "no statement")
    assert f"needs {enough}" in few.words
    assert "hardly varies" in linked([load / 1e5 for load in steady], steady).words


@pytest.mark.parametrize(("moved", "verdict"), [(0.01, "saturation"), (-0.01, "no statement")])
def test_the_limit_of_a_correlation_can_be_set(moved: float, verdict: str) -> None:
    latencies = [20 + 4 * rhythm(n) + 3 * math.sin(n * 2.4) for n in range(24)]
    rho = spearman(latencies, LOADS) or 0
    policy = Policy({"trend.follows_rho": rho - moved})

    assert linked(latencies, LOADS, policy).verdict == verdict


@pytest.mark.parametrize(("moved", "verdict"), [(0.01, "slow device"), (-0.01, "no statement")])
def test_the_limit_of_a_flat_latency_can_be_set(moved: float, verdict: str) -> None:
    latencies = [25 + 0.5 * rhythm(n) + 3 * math.sin(n * 2.4) for n in range(24)]
    rho = spearman(latencies, LOADS) or 0
    policy = Policy({"trend.flat_rho": rho + moved})

    assert 0 < rho < Policy()["trend.follows_rho"]
    assert linked(latencies, LOADS, policy).verdict == verdict


def test_what_follows_one_load_is_not_called_slow_for_the_other() -> None:
    found = [
        window(
            MONDAY + n * HOUR,
            {
                WRITE: load / 1e5,
                "redo.bytes_per_s": load,
                "redo.writes_per_s": 50 + 3 * (n * 7 % 24),
            },
        )
        for n, load in enumerate(LOADS)
    ]
    by_bytes, by_writes = series_of(found).links

    assert by_bytes.verdict == "saturation"
    assert by_writes.verdict == "no statement"
    assert "latency correlates with Redo size" in by_writes.words
