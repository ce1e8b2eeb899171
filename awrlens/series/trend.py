"""Many intervals of one or several databases: in order, what changed, the worst ones first.

There is one series per instance. Of overlapping intervals the shorter ones are kept, because they
have more detail. A slow device has a high latency under any load, a saturated one only under high
load. Latency grows with load along a curve, so ranks are compared (Spearman's rank correlation).
"""

from __future__ import annotations

from bisect import bisect_left
from itertools import pairwise
from statistics import median
from typing import TYPE_CHECKING, Final

from awrlens.model import ALARMS, SEVERITIES, STATES
from awrlens.model.fact_table import REPORT_FACTS
from awrlens.model.trend import (
    LOAD,
    Break,
    Changed,
    ChangePoint,
    LeftOut,
    Link,
    Rise,
    Series,
    Timed,
    Trend,
    Worst,
)
from awrlens.policy import Policy
from awrlens.series import differences
from awrlens.series.changes import changes
from awrlens.series.outliers import cost_s, courses, family, judged, seen
from awrlens.units import first_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from datetime import datetime

    from awrlens.model.trend import Drift, Movement, Quantity, Window
    from awrlens.model.who import Who


#: Latencies, the loads that may explain each, and the threshold above which it is high.
PAIRS: Final = (
    ("redo.parallel_write_ms", ("redo.bytes_per_s", "redo.writes_per_s"), "redo.slow_write_ms"),
    ("redo.write_ms", ("redo.bytes_per_s", "redo.writes_per_s"), "redo.slow_write_ms"),
    ("temp.read_ms", ("temp.reads_per_s",), "temp.slow_read_ms"),
    ("temp.write_ms", ("temp.writes_per_s",), "temp.slow_write_ms"),
)
#: Facts that correlations need in addition to those that are shown.
NEEDS: Final = tuple(
    dict.fromkeys(name for latency, loads, _ in PAIRS for name in (latency, *loads))
)


def _links(
    windows: Sequence[Timed], policy: Policy, points: Sequence[ChangePoint]
) -> Iterator[Link]:
    """Every latency with every load of it, if at least one interval has both."""
    for latency, loads, slow in PAIRS:
        levels = ((load, _level(windows, latency, load, points)) for load in loads)
        measured = [link for level in levels if (link := _measured(latency, *level, policy))]
        for link in measured:
            followed = max(measured, key=lambda link: link.rho or -1.0)
            yield _judged(link, followed, policy[slow], policy)


def _level(
    windows: Sequence[Timed], latency: str, load: str, points: Sequence[ChangePoint]
) -> Sequence[Timed]:
    """Intervals between steps of the latency alone, which a rising load does not explain."""
    begins = [timed.window.begin for timed in windows]
    loaded = {begins.index(point.at) for point in points if point.fact == load}
    steps = [
        step
        for point in points
        if point.fact == latency
        and not loaded.intersection((step := begins.index(point.at)) + by for by in (-1, 0, 1))
    ]
    edges = [0, *sorted(steps), len(windows)]
    return max((windows[a:b] for a, b in pairwise(edges)), key=len)


def _measured(latency: str, load: str, windows: Sequence[Timed], policy: Policy) -> Link | None:
    points = [
        (took, asked)
        for timed in windows
        if (took := timed.window.value(latency)) is not None
        and (asked := timed.window.value(load)) is not None
    ]
    if not points:
        return None
    latencies, loads = zip(*points, strict=True)
    least = int(policy["trend.link_points"])
    rho, words = None, ""
    if len(points) < least:
        few = "1 interval has" if len(points) == 1 else f"{len(points)} intervals have"
        words = f"only {few} both values; a correlation needs {least}"
    elif max(loads) < policy["trend.load_spread"] * min(loads) or max(loads) <= 0:
        words = "the load hardly varies, so no correlation can be computed"
    else:
        rho = differences.spearman(latencies, loads)
        words = "" if rho is not None else "the latency does not vary"
    upper = sorted(latencies)[len(latencies) // 2 :]
    return Link(
        latency, load, len(points), rho, median(latencies), median(upper), "no statement",
        words,
    )  # fmt: skip


def _judged(link: Link, followed: Link, slow_ms: float, policy: Policy) -> Link:
    """The verdict of a correlation; ``followed`` is the load with the highest correlation."""
    rho, follows, flat = link.rho, policy["trend.follows_rho"], policy["trend.flat_rho"]
    if rho is None:
        return link
    saturated = rho >= follows and link.busy_ms >= slow_ms
    alone = abs(rho) < flat and (followed.rho or 0.0) < flat
    slow = alone and link.median_ms >= slow_ms
    words = first_of(
        (saturated, "latency rises with load: the device may be saturated"),
        (rho >= follows, f"latency correlates with load, but stays below {slow_ms:g} ms"),
        (rho >= flat, "the correlation of latency and load is too weak for a verdict"),
        (rho <= -flat, "latency falls when load rises"),
        (not alone, f"latency correlates with {REPORT_FACTS[followed.load].title}, not with this"),
        (slow, f"latency is at least {slow_ms:g} ms at any load: the device is slow"),
        (True, "latency is low and does not depend on load"),
    )
    verdict = "saturation" if saturated else "slow device" if slow else link.verdict
    return link._replace(verdict=verdict, words=words)


_RESTART: Final = (
    "it spans an instance restart, so differences between its snapshots are meaningless"
)
_NO_TIMES: Final = "its begin and end times are not in the report"


def _key(who: Who, ids: dict[str, set[str]]) -> tuple[str, ...]:
    named = ids.get(who.db_name or "", set())
    db_id = who.db_id or (next(iter(named)) if len(named) == 1 else "")
    number = "" if who.cluster else (who.instance_number or who.instance or "?")
    # the cluster first, then instances in numeric order: 2 before 10
    return (who.db_name or "", db_id, who.container or "", number.rjust(8))


def _once(windows: list[Timed], left_out: list[LeftOut]) -> list[Timed]:
    by_interval: dict[tuple[object, ...], Timed] = {}
    for timed in windows:
        key = _interval(timed)
        other = by_interval.setdefault(key, timed)
        if other is not timed:
            worse, by_interval[key] = sorted((timed, other), key=_known)
            same = f"the same interval as {_file(by_interval[key].window)}"
            left_out.append(_left_out(worse.window, same))
    return sorted(by_interval.values(), key=lambda timed: (timed.begin, timed.end))


def _interval(timed: Timed) -> tuple[object, ...]:
    """The snapshots of an interval, if known; AWR and Statspack number separately."""
    window = timed.window
    if window.begin_snap is None or window.end_snap is None:
        return (timed.begin, timed.end)
    return (window.kind.partition("-")[0], window.begin_snap, window.end_snap, timed.begin.date())


def _known(timed: Timed) -> int:
    return sum(reading.value is not None for reading in timed.window.facts.values())


def _disjoint(windows: list[Timed], tolerance_s: float, left_out: list[LeftOut]) -> list[Timed]:
    kept: list[Timed] = []
    begins: list[datetime] = []
    for timed in sorted(windows, key=lambda timed: (timed.end - timed.begin, timed.begin)):
        at = bisect_left(begins, timed.begin)
        # the kept intervals do not overlap, so only the neighbours can
        other = next((k for k in kept[max(0, at - 1) : at + 1] if _overlap(timed, k, tolerance_s)),
                     None)  # fmt: skip
        if other is None:
            kept.insert(at, timed)
            begins.insert(at, timed.begin)
        else:
            reason = f"it overlaps {_file(other.window)}, which is shorter"
            left_out.append(_left_out(timed.window, reason))
    return kept


def _overlap(one: Timed, other: Timed, tolerance_s: float) -> bool:
    shared_s = (min(one.end, other.end) - max(one.begin, other.begin)).total_seconds()
    shorter_s = min((timed.end - timed.begin).total_seconds() for timed in (one, other))
    return shared_s > min(tolerance_s, shorter_s / 2)


def _breaks(kept: list[Timed], lost: list[Timed], tolerance_s: float) -> Iterator[Break]:
    """Gaps and restarts between intervals; an interval that spans a restart counts too."""
    for before, after in pairwise(kept):
        gap = (after.begin - before.end).total_seconds() > tolerance_s
        started = after.window.startup
        if started is None or not before.end < started <= after.end:
            within = (w for w in lost if w.end > before.end and w.begin < after.begin)
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


def _ranked(series: Sequence[Series]) -> tuple[Changed, ...]:
    ranked = [
        (_changed(number, instance, group), max(item.score for item in group))
        for number, instance in enumerate(series)
        for group in _together(instance)
    ]
    ranked.sort(
        key=lambda item: (
            -SEVERITIES.index(item[0].severity), -(item[0].extra_s or 0.0),
            _ORDER.index(item[0].movement), -item[1],
        )
    )  # fmt: skip
    return tuple(changed for changed, _ in ranked)


def _together(series: Series) -> Iterable[list[ChangePoint | Drift]]:
    """Change points at the same interval or the next one; drifts over the same time."""
    number = {timed.window.begin: n for n, timed in enumerate(series.windows)}
    groups: dict[object, list[ChangePoint | Drift]] = {}
    first = last = -2
    for point in series.change_points:  # in the order of time
        first = first if number[point.at] <= last + 1 else number[point.at]
        groups.setdefault(first, []).append(point)
        last = number[point.at]
    for drift in series.drifts:
        groups.setdefault((drift.begin, drift.end), []).append(drift)
    return groups.values()


def _changed(number: int, series: Series, group: list[ChangePoint | Drift]) -> Changed:
    group.sort(key=lambda item: (_ORDER.index(item.movement), -item.score))
    first = group[0]
    windows = [timed.window for timed in series.windows]
    if isinstance(first, ChangePoint):
        place = next(n for n, window in enumerate(windows) if window.begin == first.at)
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
        max((SEVERITIES.index(f.severity) for f in window.findings if family(f) in families),
            default=0)
        for window in after
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
    sides = (before, after)
    costs = [
        [cost for window in side for name in families if (cost := cost_s(window, name)) is not None]
        for side in sides
    ]
    if not any(costs):
        return None
    rates = [sum(cost) / (sum(w.span_s for w in side) or 1.0)
             for cost, side in zip(costs, sides, strict=True)]  # fmt: skip
    return (rates[1] - rates[0]) * sum(window.span_s for window in after)


WORST: Final = 10


def trend(
    windows: Iterable[Window],
    quantities: Sequence[Quantity],
    policy: Policy | None = None,
    left_out: Sequence[LeftOut] = (),
    not_asked: int = 0,
) -> Trend:
    """The trend over intervals; ``left_out``: files without one; ``not_asked``: unselected."""
    policy = policy or Policy()
    untimed: list[LeftOut] = []
    by_instance: dict[tuple[str, ...], list[Timed]] = {}
    given = list(windows)
    # database ids by name: excerpts have the name of the database, but may lack its id
    ids: dict[str, set[str]] = {}
    for window in given:
        if window.who.db_id:
            ids.setdefault(window.who.db_name or "", set()).add(window.who.db_id)
    for window in given:
        begin, end = window.begin, window.end
        if begin is None or end is None or end <= begin:
            untimed.append(_left_out(window, _NO_TIMES if window.valid else _RESTART))
        else:
            by_instance.setdefault(_key(window.who, ids), []).append(Timed(window, begin, end))
    several = {name for name, numbers in ids.items() if len(numbers) > 1}
    series = tuple(
        _series(by_instance[key], several, quantities, policy) for key in sorted(by_instance)
    )
    return Trend(
        tuple(quantities), series, _worst(series), (*left_out, *untimed), not_asked,
        _ranked(series),
    )  # fmt: skip


def _series(
    windows: list[Timed], several: set[str], quantities: Sequence[Quantity], policy: Policy
) -> Series:
    """The intervals of one instance; ``several`` are the names of more than one database."""
    left_out: list[LeftOut] = []
    once = _once(windows, left_out)
    lost = [timed for timed in once if not timed.window.valid]
    left_out += [_left_out(timed.window, _RESTART) for timed in lost]
    valid = [timed for timed in once if timed.window.valid]
    kept = _disjoint(valid, policy["trend.gap_s"], left_out)
    breaks = tuple(_breaks(kept, lost, policy["trend.gap_s"]))
    who = (kept or once)[0].window.who
    changed = changes(kept, quantities, breaks, policy)
    return Series(
        who=who._replace(same_name=who.db_name in several),
        windows=judged(kept, quantities, policy, changed.levels),
        breaks=breaks,
        left_out=tuple(left_out),
        courses=courses(kept, quantities),
        seen=seen(kept),
        links=tuple(_links(kept, policy, changed.points)),
        change_points=changed.points,
        drifts=changed.drifts,
        undecided=changed.undecided,
        rises=tuple(_rises(kept, quantities, policy)),
    )


def _rises(
    windows: Sequence[Timed], quantities: Sequence[Quantity], policy: Policy
) -> Iterator[Rise]:
    """Facts that became worse from every interval to the next, in a series too short for drifts.

    Those of which sessions notice something lead; if nothing alarms, then more active sessions.
    """
    rises = []
    alarming = {
        family(f) for timed in windows for f in timed.window.findings if f.severity in ALARMS
    }
    calm = not any(timed.window.verdict in ALARMS for timed in windows)
    for quantity in quantities:
        values = [timed.window.value(quantity.name) for timed in windows]
        numbers = [value for value in values if value is not None]
        by_worse = numbers[::-1] if quantity.bad == "low" else numbers
        steps = [after - before for before, after in pairwise(by_worse)]
        if (
            policy["trend.rise_points"] <= len(values) < policy["trend.shift_points"]
            and len(numbers) == len(values)
            and not quantity.total
            and min(steps) > 0
            and sum(steps) >= differences.least_difference(quantity.unit, policy)
            and by_worse[-1] >= by_worse[0] * policy["trend.change_factor"]
        ):
            of = quantity.name.partition(".")[0]
            # of commits, the share of DB time is known: below this one, it is no finding
            share = windows[-1].window.value("redo.sync_pct_db_time") if of == "redo" else None
            idle = share is not None and share < policy["impact.info_pct"]
            load = quantity.bad == "neither" or of == "load"
            leads = (calm and quantity.name == LOAD) or not (
                load or idle or (not calm and of not in alarming)
            )
            rise = Rise(quantity.name, windows[0].begin, numbers[0], numbers[-1], leads)
            rises.append((load + 2 * (not leads), by_worse[0] / by_worse[-1], rise))
    yield from (rise for *_, rise in sorted(rises))


def _worst(series: Sequence[Series]) -> tuple[Worst, ...]:
    ranked = [
        (STATES.index(judged.window.verdict), -judged.waiting_sessions,
         -max((outlier.times for outlier in judged.outliers if outlier.bad), default=1.0),
         -judged.score, one, other)
        for one, of in enumerate(series)
        for other, judged in enumerate(of.windows)
        if judged.score > 0
    ]  # fmt: skip
    return tuple(Worst(one, other) for *_, one, other in sorted(ranked)[:WORST])
