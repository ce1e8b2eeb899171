"""Correlation of latency and load: a high one means saturation, a low one a slow device.

A slow device has a high latency under any load, at night too; a saturated device has a high latency
only under high load. Latency grows with load along a curve, so ranks are compared (Spearman's rank
correlation). A latency that correlates with one load is not called flat for another.
"""

from __future__ import annotations

from itertools import pairwise
from statistics import median
from typing import TYPE_CHECKING, Final

from awrlens.model.trend import Link
from awrlens.records import NamedTuple
from awrlens.series.robust import spearman
from awrlens.series.thresholds import FLAT_RHO, FOLLOWS_RHO, LINK_POINTS, LOAD_SPREAD

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from awrlens.model.trend_changes import ChangePoint
    from awrlens.policy import Policy
    from awrlens.series.order import Timed


class Pair(NamedTuple):
    """A latency, the loads that may explain it, and the threshold above which it is high."""

    latency: str
    loads: tuple[str, ...]
    slow: str


#: The latencies of the write path's devices.
PAIRS: Final = (
    Pair("redo.parallel_write_ms", ("redo.bytes_per_s", "redo.writes_per_s"), "redo.slow_write_ms"),
    Pair("redo.write_ms", ("redo.bytes_per_s", "redo.writes_per_s"), "redo.slow_write_ms"),
    Pair("temp.read_ms", ("temp.reads_per_s",), "temp.slow_read_ms"),
    Pair("temp.write_ms", ("temp.writes_per_s",), "temp.slow_write_ms"),
)
#: Facts that correlations need in addition to those that are shown.
NEEDS: Final = tuple(dict.fromkeys(name for pair in PAIRS for name in (pair.latency, *pair.loads)))
#: Thresholds of the rules above which a latency is high.
SLOW: Final = tuple(dict.fromkeys(pair.slow for pair in PAIRS))


def links(
    windows: Sequence[Timed],
    slow: Mapping[str, float],
    policy: Policy,
    points: Sequence[ChangePoint] = (),
) -> tuple[Link, ...]:
    """Every latency with every load of it, if at least one interval has both.

    A latency that stepped to another level without its load (``points``) is compared within its
    longest level: a load that rises meanwhile does not explain the step.
    """
    found: list[Link] = []
    for pair in PAIRS:
        measured = [
            link
            for load in pair.loads
            if (link := _measured(pair, load, _level(windows, pair.latency, load, points), policy))
        ]
        followed = max(measured, key=lambda link: link.rho or -1.0, default=None)
        found += [_judged(each, followed, slow[pair.slow], policy) for each in measured]
    return tuple(found)


def _level(
    windows: Sequence[Timed], latency: str, load: str, points: Sequence[ChangePoint]
) -> Sequence[Timed]:
    """The longest run of intervals without a step of the latency alone."""
    begins = [each.window.begin for each in windows]
    loaded = {begins.index(each.at) for each in points if each.fact == load}
    steps = [
        step
        for each in points
        if each.fact == latency
        and not loaded.intersection((step := begins.index(each.at)) + by for by in (-1, 0, 1))
    ]
    edges = [0, *sorted(steps), len(windows)]
    return max((windows[a:b] for a, b in pairwise(edges)), key=len)


def _measured(pair: Pair, load: str, windows: Sequence[Timed], policy: Policy) -> Link | None:
    """The correlation, or why it cannot be computed; without a verdict."""
    points = [
        (latency, asked)
        for each in windows
        if (latency := each.window.value(pair.latency)) is not None
        and (asked := each.window.value(load)) is not None
    ]
    if not points:
        return None
    latencies = [latency for latency, _ in points]
    loads = [asked for _, asked in points]
    least = int(policy[LINK_POINTS])
    rho, words = None, ""
    if len(points) < least:
        few = "1 interval has" if len(points) == 1 else f"{len(points)} intervals have"
        words = f"only {few} both values; a correlation needs {least}"
    elif max(loads) < policy[LOAD_SPREAD] * min(loads) or max(loads) <= 0:
        words = "the load hardly varies, so no correlation can be computed"
    else:
        rho = spearman(latencies, loads)
        words = "" if rho is not None else "the latency does not vary"
    upper = sorted(latencies)[len(latencies) // 2 :]
    return Link(
        pair.latency, load, len(points), rho, median(latencies), median(upper), "no statement",
        words,
    )  # fmt: skip


def _judged(link: Link, followed: Link | None, slow_ms: float, policy: Policy) -> Link:
    """The verdict of a correlation; ``followed`` is the load with the highest correlation."""
    rho = link.rho
    if rho is None:
        return link
    if rho >= policy[FOLLOWS_RHO]:
        if link.busy_ms < slow_ms:
            return link._replace(
                words=f"latency correlates with load, but stays below {slow_ms:g} ms"
            )
        words = "latency rises with load: the device is saturated"
        return link._replace(verdict="saturation", words=words)
    if abs(rho) >= policy[FLAT_RHO]:
        loosely = "the correlation of latency and load is too weak for a verdict"
        return link._replace(words=loosely if rho > 0 else "latency falls when load rises")
    if followed is not None and (followed.rho or 0.0) >= policy[FLAT_RHO]:
        return link._replace(words=f"latency correlates with {followed.load}, not with this load")
    if link.median_ms >= slow_ms:
        words = f"latency is at least {slow_ms:g} ms at any load: the device is slow"
        return link._replace(verdict="slow device", words=words)
    return link._replace(words="latency is low and does not depend on load")
