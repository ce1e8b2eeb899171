"""Outliers: every interval against the usual value at its hour, the worst intervals first.

After a change point or during a drift, usual is what is usual at that level: values are compared
as multiples of the level of their interval.
"""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING, Final

from awrlens.model import SEVERITIES
from awrlens.model.trend import Baseline, Course, Judged, Outlier, Seen, Slot
from awrlens.series import differences

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from awrlens.model.trend import Mention, Quantity, Timed, Window
    from awrlens.policy import Policy

_MINUTE_S: Final = 60
SATURDAY: Final = 5
#: Families of rules, and the prefix of their facts.
_FAMILIES: Final = {
    "REDO": "redo", "TEMP": "temp", "UNDO": "undo", "CKPT": "checkpoint", "RECO": "checkpoint",
    "INTG": "integrity",
}  # fmt: skip

#: A slot, and its number: day of the week and hour, or hour.
Place = tuple[Slot, tuple[int, ...]]
_ALL: Final[Place] = ("all windows", ())


def _places(timed: Timed, longest_min: float) -> list[Place]:
    """The slots that an interval may be compared with, from the narrowest to the widest."""
    middle = timed.begin + (timed.end - timed.begin) / 2
    if timed.window.span_s > longest_min * _MINUTE_S:
        return [_ALL]
    kind: Slot = "hour of working days" if middle.weekday() < SATURDAY else "hour of weekends"
    return [
        ("hour of week", (middle.weekday(), middle.hour)),
        (kind, (middle.hour,)),
        ("hour of day", (middle.hour,)),
        _ALL,
    ]


class _Usual:
    """The usual value of a fact; ``levels`` by begin of interval, if it changed for good."""

    def __init__(
        self,
        quantity: Quantity,
        windows: Sequence[Timed],
        policy: Policy,
        levels: Mapping[datetime, float],
    ) -> None:
        self._quantity, self._policy, self._levels = quantity, policy, levels
        self._times = min(self._levels.values(), default=0.0) > 0  # else the difference counts
        self._values: dict[Place, list[float]] = {}
        self._baselines: dict[Place, Baseline] = {}
        self._least_change = differences.least_difference(quantity.unit, policy)
        for timed in windows:
            value = self._even(timed)
            if value is not None:
                for place in _places(timed, policy["trend.hour_min"]):
                    self._values.setdefault(place, []).append(value)

    def _even(self, timed: Timed) -> float | None:
        value = comparable(self._quantity, timed.window)
        level = self._levels.get(timed.begin)
        if value is None or level is None:
            return value
        return value / level if self._times else value - level

    def _baseline(self, timed: Timed) -> tuple[Place, Baseline]:
        """The narrowest slot with enough intervals, and its baseline at the level of an interval.

        It has no MAD if there are too few intervals overall.
        """
        least, values = self._policy["trend.slot_points"], self._values
        places = _places(timed, self._policy["trend.hour_min"])
        place = next((place for place in places if len(values.get(place, ())) >= least), _ALL)
        if place not in self._baselines:
            own = values.get(place, [0.0])
            middle = median(own)
            enough = place != _ALL or len(own) >= self._policy["trend.points"]
            scatter = differences.mad(own, middle) if enough else None
            self._baselines[place] = Baseline(place[0], len(own), middle, scatter)
        baseline, level = self._baselines[place], self._levels.get(timed.begin)
        if level is None:
            return place, baseline
        if not self._times:
            return place, baseline._replace(median=baseline.median + level)
        scatter = None if baseline.mad is None else baseline.mad * level
        return place, baseline._replace(median=baseline.median * level, mad=scatter)

    def judge(self, timed: Timed) -> tuple[float | None, Outlier | None]:
        """The usual value at an interval, and its own if that is an outlier."""
        value, even = comparable(self._quantity, timed.window), self._even(timed)
        if value is None or even is None:
            return None, None
        place, baseline = self._baseline(timed)
        few = baseline.points < self._policy["trend.change_points"]
        scale = length_s(timed.window) if self._quantity.total else 1.0
        usual = None if few else baseline.median * scale
        change = value - baseline.median
        if abs(change) < self._least_change:
            return usual, None
        change_pct = change * 100 / abs(baseline.median) if baseline.median else None
        score = None
        if baseline.mad is not None:
            score = differences.modified_z_score(even, self._values[place])
            steady = (
                change_pct is not None and abs(change_pct) < self._policy["trend.least_change_pct"]
            )
            if abs(score) <= self._policy["trend.z_score"] or steady:
                return usual, None
        else:  # only a large factor counts
            factor = self._policy["trend.change_factor"]
            alike = baseline.median / factor < value < baseline.median * factor
            if few or baseline.median <= 0 or alike:
                return usual, None
        return usual, Outlier(
            fact=self._quantity.name,
            value=value * scale,
            usual=baseline.median * scale,
            change_pct=change_pct,
            score=score,
            method="change only" if score is None else "modified z-score",
            bad=self._quantity.bad == ("high" if change > 0 else "low"),
            baseline=baseline,
        )


def comparable(quantity: Quantity, window: Window) -> float | None:
    """A fact's value for intervals of different lengths: a total becomes a rate per second."""
    value = window.value(quantity.name)
    if value is None or not quantity.total:
        return value
    seconds = length_s(window)
    return value / seconds if seconds else None


def length_s(window: Window) -> float:
    """The length of an interval in seconds."""
    return window.elapsed_s or window.span_s


def judged(
    windows: Sequence[Timed],
    quantities: Sequence[Quantity],
    policy: Policy,
    levels: Mapping[str, Mapping[datetime, float]],
) -> tuple[Judged, ...]:
    """Every interval with its outliers; ``levels`` of the facts that changed for good."""
    facts = {q.name: _Usual(q, windows, policy, levels.get(q.name, {})) for q in quantities}
    intervals = []
    for timed in windows:
        found = {name: fact.judge(timed) for name, fact in facts.items()}
        usual = {name: value for name, (value, _) in found.items() if value is not None}
        outliers = [outlier for _, outlier in found.values() if outlier is not None]
        outliers.sort(key=lambda o: (not o.bad, -abs(o.score or 0.0), -o.times))
        score = _score(timed.window, outliers, policy)
        hourly = len(_places(timed, policy["trend.hour_min"])) > 1
        cost = cost_s(timed.window)
        intervals.append(Judged(timed.window, tuple(outliers), score, hourly, cost, usual))
    return tuple(intervals)


def family(finding: Mention) -> str:
    """The prefix of the facts of a finding."""
    return _FAMILIES.get(finding.id[:4], finding.id)


def cost_s(window: Window, only: str | None = None) -> float | None:
    """The seconds that sessions waited, by the findings of a family or all; None without a cost."""
    by_family: dict[str, float] = {}
    for finding in window.findings:
        name = family(finding)
        if finding.seconds is not None and only in (None, name):
            by_family[name] = max(finding.seconds, by_family.get(name, 0.0))
    return sum(by_family.values()) if by_family else None


def _score(window: Window, outliers: Sequence[Outlier], policy: Policy) -> float:
    """The score of an interval: bad outliers, by their distance from the limit, and findings."""
    # an outlier counts at most 1 if its family has no finding or if only its change is known; only
    # the worst ones of a family (redo, temp, ...) count: one slow device affects several facts
    levels: dict[str, int] = {}
    for finding in window.findings:
        name = family(finding)
        levels[name] = max(SEVERITIES.index(finding.severity), levels.get(name, 0))
    hurting: dict[str, float] = {}
    for outlier in outliers:
        if outlier.bad:
            name = outlier.fact.partition(".")[0]
            times = 1.0 if outlier.score is None else abs(outlier.score) / policy["trend.z_score"]
            size = min(times, policy["trend.score_cap"] if levels.get(name) else 1.0)
            hurting[name] = max(size, hurting.get(name, 0.0))
    return sum(hurting.values()) + sum(levels.values())


def courses(windows: Sequence[Timed], quantities: Sequence[Quantity]) -> tuple[Course, ...]:
    """A summary of every fact that at least one interval has."""
    by_name = ((q.name, [v for timed in windows if (v := timed.window.value(q.name)) is not None])
             for q in quantities)  # fmt: skip
    return tuple(
        Course(name, len(values), min(values), median(values), max(values), values[-1])
        for name, values in by_name
        if values
    )


def seen(windows: Sequence[Timed]) -> tuple[Seen, ...]:
    """Every finding over the intervals: how often, first and last time; the worst first."""
    by_id: dict[str, list[tuple[Timed, Mention]]] = {}
    for timed in windows:
        for finding in timed.window.findings:
            by_id.setdefault(finding.id, []).append((timed, finding))
    findings = []
    for rule, mentions in by_id.items():
        worst = max((m for _, m in mentions), key=lambda m: SEVERITIES.index(m.severity))
        begin, end = mentions[0][0].begin, mentions[-1][0].end
        findings.append(Seen(rule, worst.title, worst.severity, len(mentions), begin, end))
    findings.sort(key=lambda s: (-SEVERITIES.index(s.severity), -s.windows, s.id))
    return tuple(findings)
