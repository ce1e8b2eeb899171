"""Many intervals of one or several databases: in order, what changed, the worst ones first.

There is one series per instance. The same interval counts once. An interval that spans a restart is
dropped. Of overlapping intervals the shorter ones are kept, because they have more detail. Gaps and
restarts break the line. Facts that changed together are listed by severity and cost.

A slow device has a high latency under any load, at night too; a saturated device has a high latency
only under high load. Latency grows with load along a curve, so ranks are compared (Spearman's rank
correlation). A latency that correlates with one load is not called flat for another.
"""

from __future__ import annotations

from bisect import bisect_left
from itertools import pairwise
from statistics import median
from typing import TYPE_CHECKING, Final

from awrlens.lazy import NamedTuple
from awrlens.model import SEVERITIES
from awrlens.model.trend import Break, Changed, ChangePoint, LeftOut, Link, Series, Timed, Trend
from awrlens.series.changes import changes
from awrlens.series.differences import (
    FLAT_RHO,
    FOLLOWS_RHO,
    GAP_S,
    LINK_POINTS,
    LOAD_SPREAD,
    spearman,
)
from awrlens.series.outliers import cost_s, courses, family, judged, seen

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from datetime import datetime

    from awrlens.model.trend import Drift, Movement, Quantity, Window
    from awrlens.model.who import Who
    from awrlens.policy import Policy


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


_RESTART: Final = (
    "it spans an instance restart, so differences between its snapshots are meaningless"
)
_NO_TIMES: Final = "its begin and end times are not in the report"


class Ordered(NamedTuple):
    """The intervals of one instance, the breaks between them, the intervals left out."""

    who: Who
    windows: tuple[Timed, ...]
    breaks: tuple[Break, ...]
    left_out: tuple[LeftOut, ...]


def arrange(windows: Iterable[Window], policy: Policy) -> tuple[list[Ordered], list[LeftOut]]:
    """All series, by database and instance, and the intervals that belong to no series."""
    untimed: list[LeftOut] = []
    by_instance: dict[tuple[str, ...], list[Timed]] = {}
    known = list(windows)
    # database ids by name: excerpts have the name of the database, but may lack its id
    ids: dict[str, set[str]] = {}
    for window in known:
        if window.who.db_id:
            ids.setdefault(window.who.db_name or "", set()).add(window.who.db_id)
    for window in known:
        begin, end = window.begin, window.end
        if begin is None or end is None or end <= begin:
            untimed.append(_left_out(window, _NO_TIMES if window.valid else _RESTART))
            continue
        by_instance.setdefault(_key(window.who, ids), []).append(Timed(window, begin, end))
    found = [_series_of(by_instance[key], policy) for key in sorted(by_instance)]
    several = {name for name, numbers in ids.items() if len(numbers) > 1}
    named = ((each, each.who._replace(same_name=each.who.db_name in several)) for each in found)
    return [each._replace(who=who) for each, who in named], untimed


def _key(who: Who, ids: dict[str, set[str]]) -> tuple[str, ...]:
    """The key of an instance; two databases may have the same name."""
    named = ids.get(who.db_name or "", set())
    db_id = who.db_id or (next(iter(named)) if len(named) == 1 else "")
    number = "" if who.cluster else (who.instance_number or who.instance or "?")
    # the cluster first, then instances in numeric order: 2 before 10
    return (who.db_name or "", db_id, who.container or "", number.rjust(8))


def _series_of(windows: list[Timed], policy: Policy) -> Ordered:
    left_out: list[LeftOut] = []
    once = _once(windows, left_out)
    valid = []
    for each in once:
        if each.window.valid:
            valid.append(each)
        else:
            left_out.append(_left_out(each.window, _RESTART))
    kept = _disjoint(valid, policy[GAP_S], left_out)
    first = (kept or once)[0].window.who
    lost = [each for each in once if not each.window.valid]
    breaks = tuple(_breaks(kept, lost, policy[GAP_S]))
    return Ordered(first, tuple(kept), breaks, tuple(left_out))


def _once(windows: list[Timed], left_out: list[LeftOut]) -> list[Timed]:
    """Every interval once: of equal ones, the one with the most facts."""
    found: dict[tuple[object, ...], Timed] = {}
    for each in windows:
        key = _interval(each)
        other = found.get(key)
        if other is None:
            found[key] = each
            continue
        better, worse = (each, other) if _known(each) > _known(other) else (other, each)
        found[key] = better
        left_out.append(_left_out(worse.window, f"the same interval as {_file(better.window)}"))
    return sorted(found.values(), key=lambda each: (each.begin, each.end))


def _interval(each: Timed) -> tuple[object, ...]:
    """The key of an interval: its snapshots, if known; AWR and Statspack number separately.

    RAC reports have minutes where others have seconds, so only the day is compared.
    """
    window = each.window
    if window.begin_snap is None or window.end_snap is None:
        return (each.begin, each.end)
    repository = window.kind.partition("-")[0]
    return (repository, window.begin_snap, window.end_snap, each.begin.date())


def _known(each: Timed) -> int:
    return sum(reading.value is not None for reading in each.window.facts.values())


def _disjoint(windows: list[Timed], tolerance_s: float, left_out: list[LeftOut]) -> list[Timed]:
    """The shorter ones of overlapping intervals, in the order of time."""
    kept: list[Timed] = []
    begins: list[datetime] = []
    for each in sorted(windows, key=lambda each: (each.end - each.begin, each.begin)):
        at = bisect_left(begins, each.begin)
        # the kept intervals do not overlap, so only the neighbours can
        other = next((k for k in kept[max(0, at - 1) : at + 1] if _overlap(each, k, tolerance_s)),
                     None)  # fmt: skip
        if other is None:
            kept.insert(at, each)
            begins.insert(at, each.begin)
        else:
            reason = f"it overlaps {_file(other.window)}, which is shorter"
            left_out.append(_left_out(each.window, reason))
    return kept


def _overlap(one: Timed, other: Timed, tolerance_s: float) -> bool:
    """Whether two intervals overlap by more than late snapshots explain."""
    shared_s = (min(one.end, other.end) - max(one.begin, other.begin)).total_seconds()
    shorter_s = min((each.end - each.begin).total_seconds() for each in (one, other))
    return shared_s > min(tolerance_s, shorter_s / 2)


def _breaks(kept: list[Timed], lost: list[Timed], tolerance_s: float) -> Iterator[Break]:
    """Gaps and restarts between intervals; an interval that spans a restart counts too."""
    for before, after in pairwise(kept):
        gap = (after.begin - before.end).total_seconds() > tolerance_s
        started = after.window.startup
        if started is not None and not before.end < started <= after.end:
            started = None
        if started is None:
            within = [w for w in lost if w.end > before.end and w.begin < after.begin]
            # Oracle reports a restart here; only the startup time says when it was
            started = next((w.window.startup or w.begin for w in within), None)
        if gap or started is not None:
            yield Break(before.end, after.begin, started, gap)


def _left_out(window: Window, reason: str) -> LeftOut:
    return LeftOut(window.source, window.begin, window.end, reason)


def _file(window: Window) -> str:
    return window.source.replace("\\", "/").rpartition("/")[2]


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
    # the severity of the findings of some families that half of the intervals reach
    highest = sorted(
        max((SEVERITIES.index(f.severity) for f in each.findings if family(f) in families),
            default=0)
        for each in after
    )  # fmt: skip
    return Changed(
        series=number,
        step=isinstance(first, ChangePoint),
        at=at,
        end=end,
        facts=tuple(dict.fromkeys(item.fact for item in group)),
        movement=first.movement,
        severity=SEVERITIES[highest[len(highest) // 2]] if highest else "ok",
        extra_s=_extra_s(before, after, families or better),
    )


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
    """Numbers of series and interval, by severity, sessions waiting and outliers; none normal."""
    found = [
        (-SEVERITIES.index(judged.window.verdict), -judged.waiting_sessions, -judged.score,
         one, other)
        for one, each in enumerate(series)
        for other, judged in enumerate(each.windows)
        if judged.score > 0
    ]  # fmt: skip
    return tuple((one, other) for *_, one, other in sorted(found)[:WORST])
