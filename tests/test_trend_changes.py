"""Since when, and whereto: change points, drifts and forecasts of a trend."""

from __future__ import annotations

import json
from collections import Counter
from datetime import timedelta

import jsonschema
import numpy as np
import pytest
from invented import HOUR, MONDAY, hours, rhythm, window
from shifting import FACT, NOISES, Planted, Shape, clear, planted

from awrlens.cli import intervals
from awrlens.cli.schema import of_trend
from awrlens.model import Severity
from awrlens.model.trend import Series, Trend, Window
from awrlens.policy import Policy
from awrlens.series.change_points import forecast

SCHEMA = of_trend()
#: Lengths of the series; their number is 300 with four kinds of noise and three shapes.
LENGTHS = (24, 36, 48, 72, 120)
LONG = (240, 400)


def trend_of(found: list[Window], *names: str, policy: Policy | None = None) -> Trend:
    return intervals.trend(found, intervals.quantities(names or (FACT,)), policy)


def series_of(found: list[Window], *names: str, policy: Policy | None = None) -> Series:
    (series,) = trend_of(found, *names, policy=policy).series
    return series


def outliers(series: Series) -> set[int]:
    return {n for n, each in enumerate(series.windows) if each.outliers}


def three_hundred(shape: Shape) -> list[tuple[int, Planted]]:
    """A third of the 300 series: 25 of every noise, of lengths from 24 to 400 intervals."""
    counts = [*(LENGTHS * 5)[:21], *(LONG * 2)]
    return [
        (count, planted(2026 + n, count, kind, shape, clear(count, shape), _wild(shape, count, n)))
        for kind in NOISES
        for n, count in enumerate(counts)
    ]


def _wild(shape: Shape, count: int, number: int) -> int:
    """Five outliers in every other series; a change among five needs a series of some length."""
    return 5 * (number % 2) if shape == "nothing" or count >= 72 else 0


@pytest.mark.slow
def test_steps_are_found_with_their_date_and_outliers_remain() -> None:
    said: Counter[str] = Counter()
    others = windows_in_all = 0
    for _, each in three_hundred("step"):
        series = series_of(each.windows())
        dates = [point.at for point in series.change_points]
        planned = MONDAY + (each.first_hour + (each.step or 0)) * HOUR
        if len(dates) == 1 and abs(dates[0] - planned) <= HOUR:
            said["found"] += 1
            assert set(each.wild) <= outliers(series)
            others += len(outliers(series) - set(each.wild))
            windows_in_all += len(each.values)
        said["drift"] += bool(series.drifts)

    assert said["found"] >= 93  # of some, a step and a drift (or a weekend) explain them equally
    assert said["drift"] <= 2
    # the other side of the step is not a series of outliers
    assert others < 0.05 * windows_in_all


@pytest.mark.slow
def test_drifts_are_found_with_their_slope_and_are_not_steps() -> None:
    said: Counter[str] = Counter()
    for count, each in three_hundred("drift"):
        series = series_of(each.windows())
        said["step"] += bool(series.change_points)
        for drift in series.drifts:
            begin = MONDAY + each.first_hour * HOUR
            said["found"] += drift.begin == begin and drift.end == begin + count * HOUR
            assert drift.slope_low_per_day <= drift.slope_per_day <= drift.slope_high_per_day
            said["rises"] += (drift.slope_per_day > 0) == (drift.movement == "worse")

    assert said["found"] >= 90
    assert said["rises"] == said["found"]
    assert said["step"] <= 2


@pytest.mark.slow
def test_of_a_hundred_series_without_a_change_at_most_two_have_one() -> None:
    said: Counter[str] = Counter()
    for _, each in three_hundred("nothing"):
        series = series_of(each.windows())
        said["changed"] += bool(series.change_points or series.drifts)
        if not (series.change_points or series.drifts):
            assert set(each.wild) <= outliers(series)

    assert said["changed"] <= 2


def days_at(levels: list[float], noise: float = 0.05) -> list[float]:
    """Days with the rhythm of load, each at a level of its own."""
    random = np.random.default_rng(7)
    return [
        float(levels[n // 24] * rhythm(n % 24) * (1 + noise * random.normal()))
        for n in range(24 * len(levels))
    ]


def test_a_step_has_its_date_both_levels_and_the_number_of_windows() -> None:
    (point,) = series_of(hours([5.0, 5.1, 4.9, 5.2, 4.8] * 8 + [12.5, 12.6, 12.3, 12.7] * 5)
                         ).change_points  # fmt: skip

    assert point.at == MONDAY + 40 * HOUR
    assert point.last_before == point.at
    assert (point.before, point.after) == pytest.approx((5.0, 12.55), rel=0.02)
    assert point.factor == pytest.approx(2.5, rel=0.02)
    assert (point.windows_before, point.windows_after) == (40, 20)
    assert point.movement == "worse"
    assert point.noise_ratio > 10


def test_a_step_up_and_one_down_are_two_change_points() -> None:
    values = days_at([2.0] * 3 + [6.0] * 3 + [3.0] * 3)
    points = series_of(hours(values)).change_points

    assert [point.at for point in points] == [MONDAY + 72 * HOUR, MONDAY + 144 * HOUR]
    assert [point.movement for point in points] == ["worse", "better"]
    assert [point.factor for point in points] == pytest.approx([3.0, 0.5], rel=0.1)


def test_load_is_neither_better_nor_worse() -> None:
    names = ["redo.bytes_per_s", "host.idle_pct"]
    found = [
        window(MONDAY + n * HOUR, {
            "redo.bytes_per_s": (1e6 if n < 30 else 3e6) * (1 + 0.05 * (n * 7 % 5)),
            "host.idle_pct": (80 if n < 30 else 40) + n * 7 % 5,
        })
        for n in range(60)
    ]  # fmt: skip
    points = series_of(found, *names).change_points

    assert {p.fact: p.movement for p in points} == {
        "redo.bytes_per_s": "changed", "host.idle_pct": "worse",
    }  # fmt: skip


def test_a_step_at_a_restart_names_it_and_the_gap_is_within_its_date() -> None:
    values = [5.0, 5.1, 4.9, 5.2, 4.8] * 10
    started = MONDAY + 25.5 * HOUR
    found = [
        window(MONDAY + (n if n < 25 else n + 4) * HOUR, {FACT: v * (1 if n < 25 else 3)},
               startup=MONDAY - HOUR if n < 25 else started)
        for n, v in enumerate(values)
    ]  # fmt: skip
    (point,) = series_of(found).change_points

    assert (point.last_before, point.at) == (MONDAY + 25 * HOUR, MONDAY + 29 * HOUR)
    assert point.restart == started


def test_levels_of_a_total_are_those_of_a_usual_window_whatever_the_lengths() -> None:
    found, at = [], MONDAY
    for n in range(48):
        length = HOUR * (2 if n % 12 == 5 else 1)
        per_hour = (60 if n < 24 else 180) + n * 7 % 5
        found.append(window(at, {"redo.sync_wait_s": per_hour * (length / HOUR)}, length=length))
        at += length
    (point,) = series_of(found, "redo.sync_wait_s").change_points

    assert point.at == found[24].begin
    assert (point.before, point.after) == pytest.approx((62, 182), rel=0.05)


@pytest.mark.parametrize(("more", "said"), [(0, True), (-1, False)])
def test_with_too_few_windows_nothing_is_said_and_why(more: int, said: bool) -> None:
    count = int(Policy()["trend.shift_points"]) + more
    series = series_of(hours([5.0 + 0.01 * (n % 3) + 50 * (n >= 10) for n in range(count)]))

    assert bool(series.change_points) == said
    assert bool(series.undecided) != said
    if not said:
        assert "need 20" in series.undecided[0].reason


def test_a_fact_that_few_reports_have_is_named() -> None:
    found = [window(MONDAY + n * HOUR, {FACT: 5.0, "temp.read_ms": 4.0 if n > 50 else None})
             for n in range(60)]  # fmt: skip
    (item,) = series_of(found, FACT, "temp.read_ms").undecided

    assert item.fact == "temp.read_ms"
    assert "9 values" in item.reason


def test_what_nobody_waits_for_is_not_a_change() -> None:
    def steps(level: float, change: float) -> int:
        values = [level + 0.001 * level * (n % 5) + change * (n >= 30) for n in range(60)]
        return len(series_of(hours(values)).change_points)

    assert (
        steps(0.3, 0.9 * Policy()["trend.least_ms"]),
        steps(0.3, 1.1 * Policy()["trend.least_ms"]),
    ) == (0, 1)
    share = Policy()["trend.least_change_pct"] / 100
    assert (steps(10, 9 * share), steps(10, 11 * share)) == (0, 1)


def test_every_day_alike_has_no_change_although_days_are_busy() -> None:
    weekend = [5, 6, 12, 13]
    values = days_at([0.4 if day in weekend else 1.0 for day in range(18)])
    office = [10.0 if 8 <= n % 24 < 18 else 2.0 for n in range(200)]

    for found in (values, office):
        series = series_of(hours([5 * v for v in found]))
        assert (series.change_points, series.drifts) == ((), ())


def test_zeros_and_rare_events_are_not_changes() -> None:
    random = np.random.default_rng(11)
    rare = np.where(random.random(200) < 0.15, np.exp(random.normal(2, 1, 200)), 0.0)
    counts = random.poisson(0.7, 200).astype(float)

    for values in (rare, counts, np.zeros(200), np.full(200, 5.0)):
        assert series_of(hours(values.tolist())).change_points == ()


def test_from_nothing_to_something_is_a_step_without_a_factor() -> None:
    values = [0.0] * 40 + [8.0 + n % 3 for n in range(40)]
    (point,) = series_of(hours(values)).change_points

    assert (point.at, point.before, point.factor) == (MONDAY + 40 * HOUR, 0, None)


def test_windows_are_compared_with_their_own_level() -> None:
    values = [5.0 + 0.1 * (n % 7) for n in range(60)] + [20.0 + 0.4 * (n % 7) for n in range(30)]
    values[80], values[20] = 80.0, 20.0
    series = series_of(hours(values))

    assert outliers(series) == {20, 80}
    (high,) = series.windows[80].outliers
    assert high.usual == pytest.approx(21.2, rel=0.05)
    assert high.value == 80
    assert series.windows[85].usual[FACT] == pytest.approx(21.2, rel=0.05)
    assert series.windows[5].usual[FACT] == pytest.approx(5.3, rel=0.05)


# drifts and forecasts


def climbing(count: int = 72, more: float = 1.5, noise: float = 0.05) -> list[float]:
    """A rise by that much over all windows."""
    random = np.random.default_rng(3)
    return [
        float(4 * (1 + more * n / (count - 1)) * (1 + noise * random.normal()))
        for n in range(count)
    ]


def test_a_rise_of_150_percent_in_three_days_is_a_drift_with_slope_and_forecast() -> None:
    series = series_of(hours(climbing()))
    (drift,) = series.drifts

    assert series.change_points == ()
    assert (drift.begin, drift.end, drift.windows) == (MONDAY, MONDAY + 72 * HOUR, 72)
    assert drift.change_pct == pytest.approx(150, abs=15)
    assert drift.slope_low_per_day < 2.03 < drift.slope_high_per_day  # 6 ms in 71 hours
    assert drift.movement == "worse"
    assert drift.forecast is not None
    assert drift.no_forecast is None
    # a quarter of three days later: 10 ms + a quarter of 6 ms
    assert drift.forecast.at - drift.end == pytest.approx(timedelta(hours=17.3), abs=HOUR)
    assert drift.forecast.low <= 11.5 <= drift.forecast.high
    assert drift.forecast.error_pct < drift.forecast.unchanged_error_pct
    assert not outliers(series)  # the end of a drift is not a series of outliers


def test_a_drift_has_a_forecast_from_a_number_of_windows_on() -> None:
    least = int(Policy()["trend.forecast_points"])
    days = np.arange(least) / 24
    enough = forecast(MONDAY, days, 4 + days, Policy())
    few = forecast(MONDAY, days[1:], 4 + days[1:], Policy())

    assert not isinstance(enough, str)
    assert enough.value == pytest.approx(4 + (enough.at - MONDAY) / timedelta(days=1), abs=0.001)
    assert few == f"the drift has {least - 1} intervals; a forecast needs {least}"


def test_a_forecast_that_would_have_been_wrong_before_is_not_given() -> None:
    days = np.arange(200) / 24
    bent = forecast(MONDAY, days, 1 + (days / 4) ** 4, Policy())
    stopped = forecast(MONDAY, days, np.minimum(days, days[60]) * 0.5 + 4, Policy())
    with_zeros = forecast(MONDAY, days, 4 - np.minimum(days, 4.0), Policy())

    assert f"limit {Policy()['trend.forecast_error_pct']:g} %" in str(bent)
    assert "not better than no further change" in str(stopped)
    assert "values of 0" in str(with_zeros)


# what changed, and the worst intervals


def test_what_changed_together_is_one_change_and_the_severest_comes_first() -> None:
    names = [FACT, "redo.sync_ms", "temp.read_ms", "redo.bytes_per_s"]
    found = []
    for n in range(80):
        wobble = 1 + 0.05 * (n * 7 % 5)
        findings: list[tuple[str, str, Severity, float]] = []
        if n >= 40:
            findings = [("REDO001", "Slow", "critical", 300.0), ("REDO004", "Waits", "info", 90.0)]
        found.append(
            window(MONDAY + n * HOUR, {
                FACT: (20 if n >= 40 else 5) * wobble,
                "redo.sync_ms": (40 if n >= 40 else 8) * wobble,
                "temp.read_ms": (9 if n >= 20 else 4) * wobble,
                "redo.bytes_per_s": 1e6 * wobble * (3 if n >= 60 else 1),
            }, findings=findings)
        )  # fmt: skip
    trend = trend_of(found, *names)
    first, second, third = trend.changed

    assert (first.at, set(first.facts)) == (MONDAY + 40 * HOUR, {FACT, "redo.sync_ms"})
    assert (first.severity, first.movement, first.step) == ("critical", "worse", True)
    assert first.extra_s == pytest.approx(40 * 300)  # of a family, the largest finding counts
    assert (second.at, second.facts) == (MONDAY + 20 * HOUR, ("temp.read_ms",))
    assert (second.severity, second.extra_s) == ("ok", None)
    assert (third.facts, third.movement) == (("redo.bytes_per_s",), "changed")
    jsonschema.validate(json.loads(json.dumps(trend.to_dict())), SCHEMA)


def test_the_worst_window_is_the_severest_then_the_one_that_cost_most() -> None:
    found = hours([5.0, 5.1, 5.2, 5.1, 70.0, 5.0, 5.3, 5.1, 5.2, 5.1])
    costs: dict[int, tuple[Severity, float]] = {
        2: ("warning", 10.0), 6: ("critical", 1.0), 8: ("warning", 500.0),
    }  # fmt: skip
    for n, (severity, seconds) in costs.items():
        found[n] = window(MONDAY + n * HOUR, {FACT: 5.2},
                          findings=[("REDO001", "Slow", severity, seconds)])  # fmt: skip
    trend = trend_of(found)

    assert trend.worst == ((0, 6), (0, 8), (0, 2), (0, 4))
    assert {"critical": 1, "warning": 2, "unknown": 0, "info": 0, "ok": 7} == (
        trend.series[0].severities
    )
    assert [each.cost_s for each in trend.series[0].windows][6:9] == [1.0, None, 500.0]


def test_a_drift_fits_the_schema() -> None:
    data = json.loads(json.dumps(trend_of(hours(climbing())).to_dict()))

    assert data["series"][0]["drifts"][0]["forecast"]["error_pct"] > 0
    jsonschema.validate(data, SCHEMA)


@pytest.mark.parametrize("load_steps", [False, True])
def test_a_step_of_a_latency_is_saturation_only_if_its_load_stepped_too(load_steps: bool) -> None:
    noise = [1 + 0.05 * ((n * 7919) % 11 - 5) / 5 for n in range(96)]
    other = [1 + 0.05 * ((n * 104_729) % 13 - 6) / 6 for n in range(96)]
    rises = [
        2.5 if n >= 64 and load_steps else 1 + (0 if load_steps else n / 60) for n in range(96)
    ]
    found = [
        window(
            MONDAY + n * HOUR,
            {"redo.write_ms": 8 * noise[n] * (2.5 if n >= 64 else 1),
             "redo.writes_per_s": 200 * other[n] * rises[n]},
        )
        for n in range(96)
    ]  # fmt: skip
    (series,) = intervals.trend(
        found, intervals.quantities(["redo.write_ms", "redo.writes_per_s"])
    ).series
    (link,) = [each for each in series.links if each.latency == "redo.write_ms"]

    assert ["redo.write_ms"] == [each.fact for each in series.change_points][:1]
    assert ("saturation" == link.verdict) is load_steps
