"""What changed over all series: facts that changed together, by severity and cost."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.model import SEVERITIES
from awrlens.model.trend_changes import Changed, ChangePoint
from awrlens.series.outliers import cost_s, family

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    from awrlens.model import Severity
    from awrlens.model.trend import Series, Window
    from awrlens.model.trend_changes import Drift, Movement

_ORDER: Final[tuple[Movement, ...]] = ("worse", "better", "changed")
#: Share of a drift whose intervals are compared with each other: the first and the last ones.
_PART: Final = 3


def ranked(series: Sequence[Series]) -> tuple[Changed, ...]:
    """Everything that changed: by severity, seconds of waits, good or bad, and evidence."""
    found = []
    for number, each in enumerate(series):
        for group in [*_together(each), *_together_drifts(each.drifts)]:
            changed = _changed(number, each, group)
            rank = (
                -SEVERITIES.index(changed.severity),
                -(changed.extra_s or 0.0),
                _ORDER.index(changed.movement),
                -max(item.score for item in group),
            )
            found.append((rank, changed))
    found.sort(key=lambda item: item[0])
    return tuple(changed for _, changed in found)


def _together(series: Series) -> list[list[ChangePoint | Drift]]:
    """Change points at the same interval or the next one."""
    number = {each.window.begin: n for n, each in enumerate(series.windows)}
    groups: list[list[ChangePoint | Drift]] = []
    last = -2
    for point in series.change_points:  # in the order of time
        place = number[point.at]
        if place > last + 1:
            groups.append([])
        groups[-1].append(point)
        last = place
    return groups


def _together_drifts(drifts: Iterable[Drift]) -> list[list[ChangePoint | Drift]]:
    """Drifts over the same time."""
    groups: dict[tuple[datetime, datetime], list[ChangePoint | Drift]] = {}
    for each in drifts:
        groups.setdefault((each.begin, each.end), []).append(each)
    return list(groups.values())


def _changed(number: int, series: Series, group: list[ChangePoint | Drift]) -> Changed:
    group.sort(key=lambda item: (_ORDER.index(item.movement), -item.score))
    first = group[0]
    windows = [each.window for each in series.windows]
    if isinstance(first, ChangePoint):
        place = next(n for n, each in enumerate(windows) if each.begin == first.at)
        before = windows[max(0, place - first.windows_before) : place]
        after = windows[place : place + first.windows_after]
        at, end = first.at, after[-1].end or first.at
    else:
        at, end = first.begin, first.end
        within = [w for w in windows if w.begin and w.end and w.begin >= at and w.end <= end]
        size = max(1, len(within) // _PART)
        before, after = within[:size], within[-size:]
    families = {item.fact.partition(".")[0] for item in group if item.movement == "worse"}
    better = {item.fact.partition(".")[0] for item in group if item.movement == "better"}
    return Changed(
        series=number,
        step=isinstance(first, ChangePoint),
        at=at,
        end=end,
        facts=tuple(dict.fromkeys(item.fact for item in group)),
        movement=first.movement,
        severity=_severity(after, families),
        extra_s=_extra_s(before, after, families or better),
    )


def _severity(windows: Sequence[Window], families: set[str]) -> Severity:
    """The severity of the findings of some families that half of the intervals reach."""
    highest = sorted(
        max((SEVERITIES.index(f.severity) for f in each.findings if family(f) in families),
            default=0)
        for each in windows
    )  # fmt: skip
    return SEVERITIES[highest[len(highest) // 2]] if highest else "ok"


def _extra_s(before: Sequence[Window], after: Sequence[Window], families: set[str]) -> float | None:
    """The seconds that sessions waited more than at the rate of the intervals before."""
    costs = [[[cost_s(each, name) for name in families] for each in part]
             for part in (before, after)]  # fmt: skip
    if not any(cost is not None for part in costs for each in part for cost in each):
        return None
    rates = [
        sum(cost or 0.0 for each in part for cost in each) / (sum(w.span_s for w in side) or 1.0)
        for part, side in zip(costs, (before, after), strict=True)
    ]
    return (rates[1] - rates[0]) * sum(each.span_s for each in after)
