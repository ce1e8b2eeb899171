"""What changed in a series, and since when: steps to another level, and drifts.

docs/trend.md has the rate of false alarms, and what cannot be separated. With less
than ``trend.shift_points`` values nothing is said.
"""

from __future__ import annotations

from itertools import pairwise
from math import asinh
from statistics import median
from typing import TYPE_CHECKING, Final

from awrlens.lazy import NamedTuple
from awrlens.model.trend import ChangePoint, Drift, Undecided
from awrlens.series.differences import least_difference
from awrlens.series.outliers import SATURDAY, comparable, length_s

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from awrlens.model.trend import Break, Movement, Quantity, Timed
    from awrlens.policy import Policy

_HOUR_S: Final = 3600.0
_DAY_HOURS: Final = 24.0
#: Longer intervals have no hour of the day.
_LONGEST_H: Final = 12.0

_DOUBT: Final = "it changed, but a step, a drift or a weekend explain it equally well"


class Changes(NamedTuple):
    """The changes of a series; ``levels``: by fact and begin of the interval, if it changed."""

    points: tuple[ChangePoint, ...] = ()
    drifts: tuple[Drift, ...] = ()
    undecided: tuple[Undecided, ...] = ()
    levels: Mapping[str, Mapping[datetime, float]] = {}


def changes(
    windows: Sequence[Timed],
    quantities: Sequence[Quantity],
    breaks: Sequence[Break],
    policy: Policy,
) -> Changes:
    """The change points and drifts of every fact."""
    points: list[ChangePoint] = []
    drifts: list[Drift] = []
    undecided: list[Undecided] = []
    levels: dict[str, Mapping[datetime, float]] = {}
    least = int(policy["trend.shift_points"])
    if len(windows) < least:
        few = "1 interval" if len(windows) == 1 else f"{len(windows)} intervals"
        return Changes(
            undecided=(Undecided(None, f"{few}; change points and drifts need {least}"),)
        )
    for quantity in quantities:
        pairs = [(t, v) for t in windows if (v := comparable(quantity, t.window)) is not None]
        values = [value for _, value in pairs]
        if 0 < len(pairs) < least:
            reason = f"{len(pairs)} values; change points and drifts need {least}"
            undecided.append(Undecided(quantity.name, reason))
        if len(pairs) < least or min(values) == max(values):
            continue
        course = _Course(quantity, [timed for timed, _ in pairs], values, breaks, policy)
        if course.doubt:
            undecided.append(Undecided(quantity.name, _DOUBT))
        elif course.changed:
            points += course.points()
            drifts += course.drifts()
            levels[quantity.name] = course.levels()
    points.sort(key=lambda point: point.at)
    return Changes(tuple(points), tuple(drifts), tuple(undecided), levels)


class _Course:
    """One fact of a series, and the model that explains it best."""

    def __init__(
        self,
        quantity: Quantity,
        windows: Sequence[Timed],
        values: Sequence[float],
        breaks: Sequence[Break],
        policy: Policy,
    ) -> None:
        import numpy as np

        from awrlens.series.change_points import Points, Search

        self._quantity, self._windows, self._policy = quantity, windows, policy
        self._restarts = [pause.restart for pause in breaks if pause.restart is not None]
        # of a total, the value of a usual interval
        self._scale = median([length_s(t.window) for t in windows]) if quantity.total else 1.0
        midnight = windows[0].begin.replace(hour=0, minute=0, second=0, microsecond=0)
        middles = self._middles = [timed.begin + (timed.end - timed.begin) / 2 for timed in windows]
        #: The middle of every interval.
        self._hours = np.array([(time - midnight).total_seconds() / _HOUR_S for time in middles])
        spans = [(timed.end - timed.begin).total_seconds() / _HOUR_S for timed in windows]
        hourly = median(spans) <= _LONGEST_H
        points = Points(
            self._hours,
            np.array(values),
            np.array([middle.hour if hourly else -1 for middle in middles]),
            np.array([middle.weekday() >= SATURDAY for middle in middles]),
        )
        self._best = Search(points).best()
        self.doubt = self._best.doubt
        self.changed = bool(self._best.steps) or self._best.slope is not None

    def levels(self) -> dict[datetime, float]:
        levels = self._best.levels.tolist()
        return {timed.begin: level for timed, level in zip(self._windows, levels, strict=True)}

    def points(self) -> list[ChangePoint]:
        best = self._best
        edges = [0, *best.steps, len(self._windows)]
        made = []
        for number, step in enumerate(best.steps):
            levels = [float(best.levels[n]) for n in (step - 1, step)]
            before, after = (level * self._scale for level in levels)
            if not self._matters(before, after):
                continue
            was, now = (asinh(level / best.unit) for level in levels)
            at, last = self._windows[step].begin, self._windows[step - 1].end
            started = [restart for restart in self._restarts if last <= restart <= at]
            made.append(
                ChangePoint(
                    fact=self._quantity.name,
                    at=at,
                    last_before=last,
                    restart=started[0] if started else None,
                    before=before,
                    after=after,
                    factor=after / before if before > 0 else None,
                    windows_before=step - edges[number],
                    windows_after=edges[number + 2] - step,
                    noise_ratio=abs(now - was) / best.noise,
                    score=best.gains[number],
                    movement=self._movement(after - before),
                )
            )
        return made

    def drifts(self) -> list[Drift]:
        """The drift, if it is large enough to matter; after a step, that of the longest stretch."""
        best = self._best
        if best.slope is None:
            return []
        from awrlens.series.change_points import forecast, theil_sen

        edges = [best.slope, *(s for s in best.steps if s > best.slope), len(self._windows)]
        begin, end = max(pairwise(edges), key=lambda edge: edge[1] - edge[0])
        windows = self._windows[begin:end]
        hours = self._hours[begin:end]
        if len(windows) < self._policy["trend.shift_points"]:
            return []
        levels = best.levels[begin:end] * self._scale
        days = (hours - hours[0]) / _DAY_HOURS
        values = best.adjusted[begin:end] * self._scale
        line = theil_sen(days, values, best.phi)
        before, after = float(levels[0]), float(levels[-1])
        if not self._matters(before, after) or line.low <= 0 <= line.high:
            return []
        ahead = forecast(self._middles[begin], days, values, self._policy)
        return [
            Drift(
                fact=self._quantity.name,
                begin=windows[0].begin,
                end=windows[-1].end,
                windows=len(windows),
                before=before,
                after=after,
                change_pct=(after - before) * 100 / before if before > 0 else None,
                slope_per_day=line.slope,
                slope_low_per_day=line.low,
                slope_high_per_day=line.high,
                score=best.slope_gain,
                movement=self._movement(after - before),
                forecast=None if isinstance(ahead, str) else ahead,
                no_forecast=ahead if isinstance(ahead, str) else None,
            )
        ]

    def _matters(self, before: float, after: float) -> bool:
        """Whether a change is large enough; the limits are those of outliers."""
        change = abs(after - before)
        if change < least_difference(self._quantity.unit, self._policy):
            return False
        return change * 100 >= abs(before) * self._policy["trend.least_change_pct"]

    def _movement(self, change: float) -> Movement:
        if self._quantity.bad == "neither":
            return "changed"
        return "worse" if (change > 0) == (self._quantity.bad == "high") else "better"
