"""Windows in order: what belongs to one line, what breaks it, what takes no part."""

from __future__ import annotations

from datetime import timedelta
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from invented import HOUR, MONDAY, WHO, hours, who, window

from awrlens.cli import intervals
from awrlens.model.trend import Series, Trend, Window
from awrlens.model.who import Who
from awrlens.policy import Policy

WRITE = "redo.write_ms"
RAC = Who("PEARL", "4711", None, None, None, cluster=True)


def trend_of(*found: Window) -> Trend:
    return intervals.trend(found, intervals.quantities([WRITE]))


def series_of(*found: Window) -> Series:
    (series,) = trend_of(*found).series
    return series


@given(st.permutations(list(range(8))))
def test_windows_are_in_the_order_of_time_however_they_were_read(order: list[int]) -> None:
    found = hours(range(8))
    series = series_of(*(found[n] for n in order))

    assert [each.window.value(WRITE) for each in series.windows] == list(range(8))
    assert series.breaks == ()


def test_each_instance_of_each_database_is_a_series_in_the_order_of_their_numbers() -> None:
    others = [who(10), who(2), who(1, "OPAL", "12"), who(1, "PEARL", "99"), RAC]
    trend = trend_of(*(window(MONDAY, {WRITE: 1}, of=each) for each in [WHO, *others]))

    assert [(each.who.database, each.who.db_id, each.who.label) for each in trend.series] == [
        ("OPAL", "12", "opal1 (1)"), ("PEARL [4711]", "4711", "cluster"),
        ("PEARL [4711]", "4711", "pearl1 (1)"), ("PEARL [4711]", "4711", "pearl2 (2)"),
        ("PEARL [4711]", "4711", "pearl10 (10)"), ("PEARL [99]", "99", "pearl1 (1)"),
    ]  # fmt: skip


def test_a_report_that_lacks_the_database_id_joins_the_only_database_of_its_name() -> None:
    excerpt = WHO._replace(db_id=None)

    assert len(series_of(window(MONDAY, of=WHO), window(MONDAY + HOUR, of=excerpt)).windows) == 2
    apart = trend_of(
        window(MONDAY), window(MONDAY, of=who(1, "PEARL", "99")), window(MONDAY, of=excerpt)
    )
    assert len(apart.series) == 3


def test_a_gap_breaks_the_line_and_a_snapshot_taken_late_does_not() -> None:
    late = timedelta(seconds=Policy()["trend.gap_s"])
    on_time = series_of(window(MONDAY), window(MONDAY + HOUR + late))
    gap = series_of(window(MONDAY), window(MONDAY + HOUR + late + timedelta(seconds=1)))

    assert (on_time.gaps, on_time.restarts) == (0, 0)
    assert (gap.gaps, gap.restarts) == (1, 0)
    assert gap.breaks[0].begin == MONDAY + HOUR


def test_a_restart_between_two_windows_breaks_the_line_with_or_without_a_gap() -> None:
    before = window(MONDAY, startup=MONDAY - 99 * HOUR)
    started = MONDAY + HOUR + timedelta(minutes=2)
    close = series_of(before, window(MONDAY + HOUR + timedelta(minutes=4), startup=started))
    later = series_of(before, window(MONDAY + 9 * HOUR, startup=started))
    same = series_of(before, window(MONDAY + 9 * HOUR, startup=MONDAY - 99 * HOUR))

    assert (close.gaps, close.restarts) == (0, 1)
    assert (later.gaps, later.restarts) == (1, 1)
    assert close.breaks[0].restart == started
    assert (same.gaps, same.restarts) == (1, 0)


def test_a_window_across_a_restart_is_dropped_and_breaks_the_line() -> None:
    middle = window(MONDAY + HOUR, {WRITE: 500.0}, startup=MONDAY + 1.5 * HOUR, valid=False)
    series = series_of(window(MONDAY), middle, window(MONDAY + 2 * HOUR))

    assert [each.window.begin for each in series.windows] == [MONDAY, MONDAY + 2 * HOUR]
    assert (series.gaps, series.restarts) == (1, 1)
    assert series.breaks[0].restart == MONDAY + 1.5 * HOUR
    (left,) = series.left_out
    assert "restart" in left.reason
    assert left.begin == MONDAY + HOUR


def test_a_series_of_nothing_but_restarts_has_no_window_and_says_why() -> None:
    series = series_of(window(MONDAY, valid=False))

    assert series.windows == ()
    assert "restart" in series.left_out[0].reason


def test_the_same_interval_counts_once_and_the_report_that_tells_more_is_kept() -> None:
    poor = window(MONDAY, {WRITE: None}, snaps=(7, 8), source="poor.txt")
    rich = window(MONDAY, {WRITE: 4.0}, snaps=(7, 8), source="rich.html")
    minutes = window(MONDAY + timedelta(seconds=11), {WRITE: None}, snaps=(7, 8), source="rac.html",
                     kind="awr-rac-html")  # fmt: skip
    for order in ((poor, rich, minutes), (minutes, rich, poor)):
        series = series_of(*order)
        assert [each.window.source for each in series.windows] == ["rich.html"]
        assert {each.source for each in series.left_out} == {"poor.txt", "rac.html"}
        assert all("the same interval as" in each.reason for each in series.left_out)


def test_reports_without_snapshot_numbers_are_known_by_their_times() -> None:
    series = series_of(window(MONDAY), window(MONDAY), window(MONDAY + HOUR))

    assert (len(series.windows), len(series.left_out)) == (2, 1)


def test_snapshots_of_statspack_and_of_awr_are_numbered_apart() -> None:
    awr = window(MONDAY, snaps=(7, 8))
    statspack = window(MONDAY + 2 * HOUR, snaps=(7, 8), kind="statspack-text")

    assert len(series_of(awr, statspack).windows) == 2


def test_of_windows_that_overlap_the_shorter_ones_are_kept_and_the_others_named() -> None:
    day = window(MONDAY, length=24 * HOUR, source="day.html")
    found = [window(MONDAY + n * HOUR) for n in range(24)]
    series = series_of(day, *found)

    assert len(series.windows) == 24
    (left,) = series.left_out
    assert left.source == "day.html"
    assert "overlaps" in left.reason


@pytest.mark.parametrize(("shared_s", "kept"), [(30, 2), (31, 1)])
def test_intervals_shorter_than_a_late_snapshot_overlap_from_half_of_the_shorter_one(
    shared_s: int, kept: int
) -> None:
    """Both are of a minute, and a snapshot may be later than that."""
    minute = timedelta(minutes=1)
    after = window(MONDAY + minute - timedelta(seconds=shared_s), length=minute)

    assert minute.total_seconds() < Policy()["trend.gap_s"]
    assert len(series_of(window(MONDAY, length=minute), after).windows) == kept


@given(st.lists(st.tuples(st.integers(0, 200), st.integers(1, 40)), max_size=30))
def test_no_two_windows_that_are_kept_overlap_and_none_is_lost(
    intervals: list[tuple[int, int]],
) -> None:
    found = [
        window(MONDAY + begin * HOUR, length=length * HOUR, source=f"{n}")
        for n, (begin, length) in enumerate(intervals)
    ]
    trend = trend_of(*found)
    kept = [each.window for series in trend.series for each in series.windows]
    left = [each.source for series in trend.series for each in series.left_out]

    assert all(a.end <= b.begin for a, b in pairwise(kept))  # type: ignore[operator]
    assert sorted([*left, *(each.source for each in kept)]) == sorted(e.source for e in found)


@pytest.mark.parametrize(
    "excerpt", [window(MONDAY)._replace(begin=None), window(MONDAY)._replace(end=None)]
)
def test_a_report_without_times_is_named(excerpt: Window) -> None:
    trend = trend_of(excerpt._replace(source="excerpt.md"))

    assert trend.series == ()
    assert [(each.source, each.reason) for each in trend.left_out] == [
        ("excerpt.md", "its begin and end times are not in the report")
    ]
