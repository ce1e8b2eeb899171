"""Many intervals of one or several databases: in order, against usual values, the worst first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.series.links import links
from awrlens.series.order import arrange
from awrlens.series.outliers import courses, judged, seen
from awrlens.trends import Series, Trend

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from awrlens.policy import Policy
    from awrlens.series.order import Ordered
    from awrlens.trends import LeftOut, Quantity, Window

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
    return Trend(tuple(quantities), series, _worst(series), (*left_out, *untimed), not_asked)


def _series(
    ordered: Ordered, quantities: Sequence[Quantity], slow: Mapping[str, float], policy: Policy
) -> Series:
    windows = ordered.windows
    return Series(
        who=ordered.who,
        windows=judged(windows, quantities, policy),
        breaks=ordered.breaks,
        left_out=ordered.left_out,
        courses=courses(windows, quantities),
        seen=seen(windows),
        links=links(windows, slow, policy),
    )


def _worst(series: Sequence[Series]) -> tuple[tuple[int, int], ...]:
    """Numbers of series and interval, the worst first; without intervals that have no problem."""
    found = [
        (-judged.score, one, other)
        for one, each in enumerate(series)
        for other, judged in enumerate(each.windows)
        if judged.score > 0
    ]
    return tuple((one, other) for _, one, other in sorted(found)[:WORST])
