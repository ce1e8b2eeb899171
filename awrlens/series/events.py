"""Wait events on both sides: change of wait time, and whether it is the number or the duration."""

from __future__ import annotations

from itertools import pairwise
from math import log
from typing import TYPE_CHECKING, Final

from awrlens.model.comparison import CHANGED, Load, MovedEvent
from awrlens.series import noise
from awrlens.series.amounts import Amount, divisors, event_amount
from awrlens.wait_severity import Scale

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from awrlens.model.comparison import Cause, Event, Movement, Per, Reading
    from awrlens.policy import Policy

#: Text reports truncate event names; a name of this length still identifies the event.
_CUT: Final = 20
#: One of two causes is named alone if its logarithm is this many times the other's.
_ALONE: Final = 3.0

#: A foreground event cannot have more than this share of DB time.
_ALL_PCT: Final = 100.0

Key = tuple[str, bool]


def moved(
    before: Sequence[Reading], after: Sequence[Reading], per: Per, policy: Policy
) -> tuple[MovedEvent, ...]:
    """Foreground and background events, the largest change of wait time first.

    The lists are complete: an event that is missing on one side had no waits there. If a side has
    no list at all, or is an excerpt, nothing is compared.
    """
    known = [
        [r for r in side if r.events and per in divisors(r, policy)] for side in (before, after)
    ]
    if not all(known):
        return ()
    names = full_names([{e.name for e in r.events} for side in known for r in side])
    first, second = ([_by_name(r.events, names) for r in side] for side in known)
    keys = dict.fromkeys(key for each in (*first, *second) for key in each)
    found = [
        _event(key, (known[0], first), (known[1], second), per, policy) for key in keys
    ]  # fmt: skip
    found.sort(key=lambda each: -abs(each.after.total_ms - each.before.total_ms))
    return tuple(found)


def full_names(lists: Sequence[set[str]]) -> dict[str, str]:
    """The longest spelling of every name: some are truncated to a column.

    If one list has both names, they are two events (`… physical read`, `… physical read: flash
    cache`).
    """
    spelled = sorted(set().union(*lists))
    full = {name: name for name in spelled}
    for name, after in pairwise(spelled):
        both = any(name in each and after in each for each in lists)
        if len(name) >= _CUT and after.startswith(name) and not both:
            full[name] = after
    for name in reversed(spelled):
        full[name] = full[full[name]]
    return full


def _by_name(events: Iterable[Event], names: dict[str, str]) -> dict[Key, Event]:
    return {(names[event.name], event.background): event for event in events}


_Side = tuple[list["Reading"], list[dict[Key, "Event"]]]


def _event(key: Key, before: _Side, after: _Side, per: Per, policy: Policy) -> MovedEvent:
    first, second = (_pooled(key, side, per, policy) for side in (before, after))
    reports = (len(before[0]), len(after[0]))
    found = noise.judge(first, second, reports, policy)
    verdict: Movement = "same" if found.same else "noise"
    if found.differs:
        verdict = "worse" if second.value > first.value else "better"
    loads = [_load(key, side, per, policy) for side in (before, after)]
    change = (second.value - first.value) * 100 / first.value if first.value else None
    significant = not key[1] and (
        _significant(key, before, policy) or _significant(key, after, policy)
    )
    # more than all DB time cannot be part of it: this is an unknown idle event
    significant = significant and all((load.pct_response or 0.0) <= _ALL_PCT for load in loads)
    return MovedEvent(
        key[0], key[1], loads[0], loads[1], change, verdict, found.pct, found.basis,
        _cause(loads[0], loads[1]) if verdict in CHANGED else "none", significant,
    )  # fmt: skip


def _pooled(key: Key, side: _Side, per: Per, policy: Policy) -> Amount:
    values = []
    for reading, events in zip(*side, strict=True):
        event, divisor = events.get(key), divisors(reading, policy)[per]
        values.append(event_amount(event, divisor) if event else Amount(0.0, "ms", "not listed"))
    return noise.pooled(values, policy)


def _load(key: Key, side: _Side, per: Per, policy: Policy) -> Load:
    """The waits of all reports of a side, added up, per unit of the basis.

    ``total_ms`` is the compared value: for a set, the median of its reports.
    """
    number = sum(divisors(reading, policy)[per].number for reading in side[0])
    found = [events[key] for events in side[1] if key in events]
    seconds = sum(event.total_s for event in found)
    waits = [event.waits for event in found]
    counted = None if None in waits else sum(n for n in waits if n is not None)
    response = [n for r in side[0] if (n := r.facts["load.response_s"].number)]
    return Load(
        waits=None if counted is None else counted / number,
        each_ms=seconds * 1000 / counted if counted else None,
        total_ms=_pooled(key, side, per, policy).value,
        pct_response=seconds * 100 / sum(response) if response and not key[1] else None,
    )


def _significant(key: Key, side: _Side, policy: Policy) -> bool:
    """Whether its wait time is significant in most reports of a side."""
    significant = [
        Scale(reading.facts, policy).significant(events[key].total_s)
        for reading, events in zip(*side, strict=True)
        if key in events
    ]
    return sum(significant) * 2 > len(side[0])


def _cause(before: Load, after: Load) -> Cause:
    """More waits or longer waits: logarithms of the two factors add up to that of the product."""
    if not (before.waits and after.waits and before.each_ms and after.each_ms):
        return "none"
    often, long = after.waits / before.waits, after.each_ms / before.each_ms
    if often <= 0 or long <= 0:  # a negative figure is not usable
        return "none"
    more, longer = abs(log(often)), abs(log(long))
    if longer >= _ALONE * more:
        return "latency"
    return "frequency" if more >= _ALONE * longer else "both"
