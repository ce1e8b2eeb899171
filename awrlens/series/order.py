"""Intervals in the order of time: one series per instance; intervals left out, and why.

The same interval counts once. An interval that spans a restart is dropped. Of overlapping intervals
the shorter ones are kept, because they have more detail. Gaps and restarts break the line.
"""

from __future__ import annotations

from bisect import bisect_left
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from awrlens.model.trend import Break, LeftOut
from awrlens.records import NamedTuple
from awrlens.series.thresholds import GAP_S

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from datetime import datetime

    from awrlens.model.trend import Window
    from awrlens.model.who import Who
    from awrlens.policy import Policy

_RESTART: Final = (
    "it spans an instance restart, so differences between its snapshots are meaningless"
)
_NO_TIMES: Final = "its begin and end times are not in the report"


class Timed(NamedTuple):
    """An interval with known begin and end."""

    window: Window
    begin: datetime
    end: datetime


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
    ids = _ids(known)
    for window in known:
        begin, end = window.begin, window.end
        if begin is None or end is None or end <= begin:
            untimed.append(_left_out(window, _NO_TIMES if window.valid else _RESTART))
            continue
        by_instance.setdefault(_key(window.who, ids), []).append(Timed(window, begin, end))
    found = [_series(by_instance[key], policy) for key in sorted(by_instance)]
    return found, untimed


def _ids(windows: Sequence[Window]) -> dict[str, set[str]]:
    """Database ids by name: excerpts have the name of the database, but may lack its id."""
    found: dict[str, set[str]] = {}
    for window in windows:
        if window.who.db_id:
            found.setdefault(window.who.db_name or "", set()).add(window.who.db_id)
    return found


def _key(who: Who, ids: dict[str, set[str]]) -> tuple[str, ...]:
    """The key of an instance; two databases may have the same name."""
    named = ids.get(who.db_name or "", set())
    db_id = who.db_id or (next(iter(named)) if len(named) == 1 else "")
    number = "" if who.cluster else (who.instance_number or who.instance or "?")
    # the cluster first, then instances in numeric order: 2 before 10
    return (who.db_name or "", db_id, who.container or "", number.rjust(8))


def _series(windows: list[Timed], policy: Policy) -> Ordered:
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
