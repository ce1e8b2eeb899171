"""Many intervals of one or several databases: in order, what changed, the worst ones first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.model import SEVERITIES
from awrlens.model.trend import Series, Trend
from awrlens.series.changes import changes
from awrlens.series.links import links
from awrlens.series.order import arrange
from awrlens.series.outliers import courses, judged, seen
from awrlens.series.ranking import ranked

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from awrlens.model.trend import LeftOut, Quantity, Window
    from awrlens.policy import Policy
    from awrlens.series.order import Ordered

#: Number of intervals listed as the worst.
WORST: Final = 10


def trend(
    windows: Iterable[Window],
    quantities: Sequence[Quantity],
    slow: Mapping[str, float],
    policy: Policy,
    left_out: Sequence[LeftOut] = (),
    not_asked: int = 0,
) -> Trend:
    """The trend of some quantities over some intervals.

    ``slow`` has the thresholds of ``links.SLOW``; ``left_out`` are files without an interval.
    """
    ordered, untimed = arrange(windows, policy)
    series = tuple(_series(each, quantities, slow, policy) for each in ordered)
    return Trend(
        tuple(quantities), series, _worst(series), (*left_out, *untimed), not_asked,
        ranked(series),
    )  # fmt: skip


def _series(
    ordered: Ordered, quantities: Sequence[Quantity], slow: Mapping[str, float], policy: Policy
) -> Series:
    windows = ordered.windows
    changed = changes(windows, quantities, ordered.breaks, policy)
    return Series(
        who=ordered.who,
        windows=judged(windows, quantities, policy, changed.levels),
        breaks=ordered.breaks,
        left_out=ordered.left_out,
        courses=courses(windows, quantities),
        seen=seen(windows),
        links=links(windows, slow, policy, changed.points),
        change_points=changed.points,
        drifts=changed.drifts,
        undecided=changed.undecided,
    )


def _worst(series: Sequence[Series]) -> tuple[tuple[int, int], ...]:
    """Numbers of series and interval, by severity, cost and outliers; without normal intervals."""
    found = [
        (-SEVERITIES.index(judged.window.verdict), -(judged.cost_s or 0.0), -judged.score,
         one, other)
        for one, each in enumerate(series)
        for other, judged in enumerate(each.windows)
        if judged.score > 0
    ]  # fmt: skip
    return tuple((one, other) for *_, one, other in sorted(found)[:WORST])
