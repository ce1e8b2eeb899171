"""What DB time changed by: events or CPU, in both commands, with figures, and in JSON."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, cast

import pytest
from test_compare_fairness import later, sample, with_facts

from awrlens.model import Share
from awrlens.model.comparison import Event, Reading
from awrlens.policy import Policy
from awrlens.render import layout, wording
from awrlens.series.compare import compare, periods

if TYPE_CHECKING:
    from awrlens.model import Analysis

EVENT = "gc cr multi block request"


def side(reading: Reading, db_time: float, waited: float) -> Reading:
    """A side with an event outside the write path, and nothing else that changed."""
    event = Event(EVENT, background=False, waits=2e6, total_s=waited, step_s=0.05)
    others = tuple(each for each in reading.events if each.name != EVENT)
    return with_facts(reading, load_response_s=db_time, integrity_cpu_pct=30.0)._replace(
        events=(*others, event)
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
        assert f": +799 ms in `{EVENT}`" in headline
        assert "(total +716 ms)" in headline
    assert both.headline.startswith(found.gist.rstrip("."))
    assert EVENT not in found.gist


def test_the_cause_is_first_among_the_changes_and_in_json() -> None:
    both = periods(*sides(), Policy())
    analysis = cast("Analysis", SimpleNamespace(comparison=both))

    for rows in (layout.moved(analysis), wording.differences(analysis)):
        assert (EVENT, "35.8 ms/s", "835 ms/s", "× 23.3") == rows[0]
    first = both.to_dict()["causes"][0]
    assert EVENT == first["name"]
    assert "second" == first["per"]
    assert first == compare(*sides(), Policy()).to_dict()["causes"][0]


def test_an_event_with_a_small_part_of_the_change_is_no_cause() -> None:
    """10 % of 6,000 s are the least."""
    assert EVENT in [each.name for each in compare(*sides(960.0), Policy()).causes]
    assert EVENT not in [each.name for each in compare(*sides(840.0), Policy()).causes]


def test_an_event_that_fell_is_no_cause_of_a_rise() -> None:
    before, after = side(sample(), 9e3, 7e3), side(later(), 15e3, 300.0)

    assert EVENT not in [each.name for each in compare([before], [after], Policy()).causes]


def test_without_a_change_of_db_time_there_is_no_cause() -> None:
    before, after = side(sample(), 9e3, 300.0), side(later(), 9e3, 2e3)

    assert () == compare([before], [after], Policy()).causes
    assert (
        periods([before], [after], Policy()).headline == compare([before], [after], Policy()).gist
    )


def test_without_lists_of_events_the_consumers_of_db_time_are_the_causes() -> None:
    """Top events only: what one side does not show is not known to be 0."""
    shares = [
        (Share(EVENT, "other", 300.0, 3.0), Share("CPU", "cpu", 2.7e3, 30.0)),
        (Share(EVENT, "other", 7e3, 47.0), Share("CPU", "cpu", 4.5e3, 30.0),
         Share("read by other session", "other", 2e3, 13.0)),
    ]  # fmt: skip
    before, after = (
        [each[0]._replace(events=(), consumers=shown, all_consumers=False)]
        for each, shown in zip(sides(), shares, strict=True)
    )
    found = compare(before, after, Policy())

    assert [(EVENT, True), ("CPU", False)] == [(e.name, e.is_event) for e in found.causes]
    assert f"+799 ms in `{EVENT}` and +215 ms in CPU (total +716 ms)" in found.headline
