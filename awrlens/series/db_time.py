"""DB time of both sides, its parts, and the events or CPU whose time explains its change.

The wait time of an event changes by the number of waits or by their duration.
"""

from __future__ import annotations

from itertools import pairwise
from math import log
from typing import TYPE_CHECKING, Final

from awrlens.lazy import NamedTuple
from awrlens.model import Reason
from awrlens.model.analysis import OTHERS
from awrlens.model.comparison import ALL_OTHER, CHANGED, DbTime, Load, MovedEvent, Part, Step
from awrlens.series import differences
from awrlens.series.comparability import RESPONSE
from awrlens.series.differences import Amount, divisors, event_amounts
from awrlens.series.words import TIMES, by
from awrlens.severity import SHOWN_PCT, Scale
from awrlens.units import listed, milliseconds, pair, signed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from awrlens.model.comparison import (
        Basis,
        Cause,
        Event,
        Moved,
        Movement,
        Reading,
        Statement,
    )
    from awrlens.model.kinds import Per
    from awrlens.policy import Policy
    from awrlens.series.differences import Sides


#: Text reports truncate event names; a name of this length still identifies the event.
_CUT: Final = 20
#: One of two causes is named alone if its logarithm is this many times the other's.
_ALONE: Final = 3.0

#: A foreground event cannot have more than this share of DB time.
_ALL_PCT: Final = 100.0

Key = tuple[str, bool]
_NOT_LISTED: Final = Amount(0.0, "ms", "not listed")


def moved(sides: Sides, per: Per, policy: Policy) -> tuple[MovedEvent, ...]:
    """Foreground and background events, the largest change of wait time first.

    An event that is missing on one side had no waits there, unless that side has no list at all.
    """
    known = [[r for r in side if r.events and per in divisors(r, policy)] for side in sides]
    if not all(known):
        return ()
    names = full_names([{e.name for e in r.events} for side in known for r in side])
    listed = [
        [(r, {(names[e.name], e.background): e for e in r.events}) for r in side] for side in known
    ]
    keys = dict.fromkeys(key for side in listed for _, events in side for key in events)
    found = [_event(key, listed, per, policy) for key in keys]
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


#: The reports of a side, each with its events.
_Side = list[tuple["Reading", dict[Key, "Event"]]]


def _event(key: Key, sides: Sequence[_Side], per: Per, policy: Policy) -> MovedEvent:
    first, second = (_pooled(key, side, per, policy) for side in sides)
    reports = (len(sides[0]), len(sides[1]))
    found = differences.judge(first, second, reports, policy)
    verdict: Movement = "same" if found.same else "noise"
    if found.differs:
        verdict = "worse" if second.value > first.value else "better"
    both = zip(sides, (first, second), strict=True)
    loads = [_load(key, side, per, policy, amount.value) for side, amount in both]
    change = (second.value - first.value) * 100 / first.value if first.value else None
    # more than all DB time cannot be part of it: this is an unknown idle event
    significant = (
        not key[1]
        and any(_significant(key, side, policy) for side in sides)
        and all((load.pct_response or 0.0) <= _ALL_PCT for load in loads)
    )
    return MovedEvent(
        key[0], key[1], loads[0], loads[1], change, verdict, found.pct, found.basis,
        _cause(loads[0], loads[1]) if verdict in CHANGED else "none", significant,
    )  # fmt: skip


def _pooled(key: Key, side: _Side, per: Per, policy: Policy) -> Amount:
    values = []
    for reading, events in side:
        event, known = events.get(key), event_amounts(reading, policy, per)
        values.append(known[event.name, event.background] if event else _NOT_LISTED)
    return differences.pooled(values, policy)


def _load(key: Key, side: _Side, per: Per, policy: Policy, compared_ms: float) -> Load:
    """The waits of all reports of a side, added up; ``total_ms`` is the compared value."""
    number = sum(divisors(reading, policy)[per].number for reading, _ in side)
    found = [events[key] for _, events in side if key in events]
    seconds = sum(event.total_s for event in found)
    waits = [event.waits for event in found]
    counted = None if None in waits else sum(n for n in waits if n is not None)
    response = [n for r, _ in side if (n := r.facts["load.response_s"].number)]
    return Load(
        waits=None if counted is None else counted / number,
        each_ms=seconds * 1000 / counted if counted else None,
        total_ms=compared_ms,
        pct_response=seconds * 100 / sum(response) if response and not key[1] else None,
    )


def _significant(key: Key, side: _Side, policy: Policy) -> bool:
    found = (Scale(r.facts, policy).significant(e[key].total_s) for r, e in side if key in e)
    return sum(found) * 2 > len(side)


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


#: Names of what has no name of its own.
UNKNOWN: Final = "not accounted for"
#: Number of consumers outside the write path that are named: the largest, and those that changed
#: most; and number of steps.
_NAMED: Final = 4
_STEPS: Final = 6
#: More are named until all others are at most this share of the change. # awrlens: a fifth
_MOST_STEPS, _REST = 10, 0.2


class _Accounted(NamedTuple):
    whole: float
    parts: Mapping[tuple[str, str], float]
    complete: bool


def db_time(sides: Sides, per: Per, policy: Policy) -> DbTime | None:
    """DB time and its parts, all reports of a side together; None if a side does not show them.

    What the top events of a side lack is not known to be zero: it is in the rest on both sides.
    """
    known = [[r for r in side if _shown(r, per, policy)] for side in sides]
    if not all(known):
        return None
    everyone = [reading for side in known for reading in side]
    names = full_names([{each.name for each in r.consumers} for r in everyone])
    first, second = (_side(side, names, per, policy) for side in known)
    keys = [
        key
        for key in dict.fromkeys([*first.parts, *second.parts])
        if (key in first.parts or (first.complete and key[1] != "cpu"))
        and (key in second.parts or (second.complete and key[1] != "cpu"))
    ]
    found = [Part(*key, first.parts.get(key, 0.0), second.parts.get(key, 0.0)) for key in keys]
    parts = _parts(found, first.whole, second.whole, policy)
    return DbTime(
        first.whole, second.whole, parts, _steps(parts, first.whole, second.whole, policy)
    )


def _shown(reading: Reading, per: Per, policy: Policy) -> bool:
    response = reading.facts["load.response_s"].number
    return bool(response and reading.consumers and per in divisors(reading, policy))


def _side(
    readings: Sequence[Reading], names: Mapping[str, str], per: Per, policy: Policy
) -> _Accounted:
    number = sum(divisors(reading, policy)[per].number for reading in readings)
    whole = sum(reading.facts["load.response_s"].number or 0.0 for reading in readings)
    parts: dict[tuple[str, str], float] = {}
    for reading in readings:
        for each in reading.consumers:
            key = (names[each.name], each.part)
            parts[key] = parts.get(key, 0.0) + each.seconds * 1000 / number
    complete = all(reading.all_consumers for reading in readings)
    return _Accounted(whole * 1000 / number, parts, complete)


def _parts(found: Sequence[Part], before: float, after: float, policy: Policy) -> tuple[Part, ...]:
    """The write path, CPU, and the largest other consumers; then the rest of DB time."""
    least, moved, shown = (
        max(before, after) * pct / 100
        for pct in (policy["compare.named_pct"], policy["compare.step_pct"], SHOWN_PCT)
    )

    def most(part: Part) -> float:
        return max(part.before_ms, part.after_ms)

    others = sorted(
        (each for each in found if each.part == "other"), key=lambda e: (-most(e), e.name)
    )
    large = [each for each in others if most(each) >= least][:_NAMED]
    others.sort(key=lambda each: -abs(each.change_ms))
    large += [each for each in others if abs(each.change_ms) >= moved][:_NAMED]
    for other in others[:_MOST_STEPS]:
        left = sum(each.change_ms for each in others if each not in large)
        if other not in large and _explains(other, left, after - before):
            large.append(other)
    named = [
        each for each in found if (each.part != "other" and most(each) >= shown) or each in large
    ]
    named.sort(key=lambda each: (-most(each), each.name))
    small = [each for each in found if each not in named]
    if small:
        named.append(_sum(OTHERS, "other", small))
    all_ = _sum("", "", named)
    rest = Part(UNKNOWN, "", before - all_.before_ms, after - all_.after_ms)
    return (*named, rest) if max(abs(rest.before_ms), abs(rest.after_ms)) else tuple(named)


def _explains(part: Part, left_ms: float, change_ms: float) -> bool:
    """Whether what is left of a change is large, and smaller with this part named."""
    less = abs(left_ms - part.change_ms) < abs(left_ms)
    return less and abs(left_ms) > _REST * abs(change_ms)


def _sum(name: str, part: str, found: Sequence[Part]) -> Part:
    return Part(name, part, sum(e.before_ms for e in found), sum(e.after_ms for e in found))


def _steps(parts: Sequence[Part], before: float, after: float, policy: Policy) -> tuple[Step, ...]:
    """The largest differences of both directions; all others together are the last step."""
    shown = max(before, after) * SHOWN_PCT / 100
    least = max(
        max(before, after) * policy["compare.step_pct"] / 100,
        abs(after - before) * policy["compare.part_pct"] / 100,
    )
    found = sorted(
        (each for each in parts
         if each.name != OTHERS and abs(each.change_ms) >= shown
         and (each.name != UNKNOWN or min(each.before_ms, each.after_ms) >= -shown)),
        key=lambda each: -abs(each.change_ms),
    )[:_MOST_STEPS]  # fmt: skip
    others, steps = after - before, list[Step]()
    for each in found:
        large = abs(each.change_ms) >= least and len(steps) < _STEPS
        if large or _explains(each, others, after - before):
            steps.append(Step(each.name, each.part, each.change_ms))
            others -= each.change_ms
    if len(steps) == len(parts):
        return tuple(steps)
    return (*steps, Step(ALL_OTHER, "other", others))


def causes(facts: Sequence[Moved], whole: DbTime | None, basis: Basis) -> tuple[Reason, ...]:
    """The steps with a name, where DB time changed beyond noise."""
    if whole is None or response(facts, basis) is None:
        return ()
    parts = {each.name: each for each in whole.parts}
    change = whole.after_ms - whole.before_ms
    return tuple(
        Reason(
            each.name, each.part == "other",
            parts[each.name].before_ms, parts[each.name].after_ms, basis.per,
            each.change_ms * 100 / change if change else 0.0,
        )
        for each in whole.steps
        if each.name != ALL_OTHER
    )  # fmt: skip


def response(facts: Sequence[Moved], basis: Basis) -> Moved | None:
    """DB time per unit, if it changed beyond noise."""
    return next(
        (e for e in facts if e.fact == RESPONSE and e.per == basis.per and e.verdict in CHANGED),
        None,
    )


def because(
    facts: Sequence[Moved], whole: DbTime | None, basis: Basis, events: Sequence[MovedEvent]
) -> str:
    """``+1.2 ms in `db file sequential read` and +0.4 ms in CPU (total +1.7 ms)``.

    Of an event of which the time of each wait changed, this and the number of waits are said.
    """
    found = response(facts, basis)
    if found is None or whole is None or not whole.steps:
        return ""
    shown: list[str] = []
    change, busy = whole.after_ms - whole.before_ms, ""
    for each in whole.steps:
        if each.name == ALL_OTHER and abs(each.change_ms) * 100 < abs(change) * SHOWN_PCT:
            continue
        is_event = each.part == "other" and each.name != ALL_OTHER
        named = f"`{each.name}`{_factors(each.name, events)}" if is_event else each.name
        where = each.name if each.name == UNKNOWN else f"in {named}"
        of_cpu = each.part == "cpu" and not shown  # the largest step is first
        if each.change_ms > 0 and (of_cpu or each.name == UNKNOWN) and not busy:
            busy = _busy(facts, _BUSIER_PCT if of_cpu else 0.0)
            where += busy
        shown.append(f"{signed(each.change_ms)} {where}")
    total = signed(found.after - found.before)
    together = signed(change)
    sums = f"total {total}" if total == together else f"all reports together {together}"
    return f"{listed(shown)} ({sums} per {basis.per}){_within(facts, whole)}"


#: Times that are a part of CPU, of waits and of what is in no event.
_WITHIN: Final = {
    "load.hard_parse_pct": "hard parses", "load.plsql_pct": "PL/SQL without its SQL",
}  # fmt: skip
#: They are named with this share of a change. # awrlens: a tenth, as of DB time
_WITHIN_SHARE: Final = 0.1


def _within(facts: Sequence[Moved], whole: DbTime) -> str:
    """What hard parses and PL/SQL, whose share rose, have of a change."""
    shares = {each.fact: each for each in facts if each.fact in _WITHIN}
    parts = {
        name: (shares[name].after * whole.after_ms - shares[name].before * whole.before_ms) / 100
        for name in _WITHIN if name in shares and shares[name].after > shares[name].before
    }  # fmt: skip
    change = whole.after_ms - whole.before_ms
    said = [f"{_WITHIN[name]}: {signed(part)}" for name, part in parts.items()
            if part * change >= _WITHIN_SHARE * change**2]  # fmt: skip
    return f". Of this, {listed(said)}" if said else ""


#: At most so many statements are named. # awrlens: two lines of a terminal
_MOST_SQL: Final = 3


def statements(sides: Sides, whole: DbTime | None, basis: Basis) -> str:
    """The SQL that explains the change, each with much of it: more executions, or longer ones.

    What is not listed is small, but not known. PL/SQL contains the SQL that it calls: if it changed
    as much as this, and all together by more than DB time, it is the caller, not a further cause.
    """
    if whole is None or whole.after_ms == whole.before_ms or max(map(len, sides)) > 1:
        return ""
    was, now = (side[0].statements for side in sides)
    change, said, left = whole.after_ms - whole.before_ms, list[str](), 1.0
    parts = {
        name: each.share_pct * whole.after_ms / 100
        - (was[name].share_pct * whole.before_ms / 100 if name in was else 0.0)
        for name, each in now.items()
    }
    ranked = sorted(parts.items(), key=lambda each: -each[1] * change)
    for name, part in [each for each in ranked if not now[each[0]].is_block][:_MOST_SQL]:
        if part * change < _WITHIN_SHARE * change**2 or left <= _REST:
            break
        left -= part / change
        how = _of_sql(was.get(name), now[name], basis)
        said.append(f"{name}: {signed(part)}{f' ({how})' if how else ''}")
    whose, named = "their" if len(said) > 1 else "its", 1 - left
    for name, part in [each for each in ranked if said and now[each[0]].is_block][:1]:
        if part / change > max((1 - _REST) * named, 1 + _REST - named):
            said.append(f"{name}: {signed(part)} (PL/SQL, probably {whose} caller)")
    return f". SQL {'; '.join(said)}" if said else ""


def _of_sql(was: Statement | None, now: Statement, basis: Basis) -> str:
    """Whether a statement ran more often or took longer, and its CPU if that is much of it."""
    took = milliseconds(now.each_ms) if now.each_ms else ""
    if was is None:
        return f"not listed before{f', {took} per execution' if took else ''}"
    if not (was.per_s and now.per_s and was.each_ms and now.each_ms):
        return ""
    loads = [Load(each.per_s, each.each_ms, 0.0, None) for each in (was, now)]
    cause, found = _cause(*loads), list[str]()
    if cause != "latency":
        found.append(f"ran {by(was.per_s, now.per_s, 'as often')}")
    if cause != "frequency":
        longer = by(was.each_ms, now.each_ms, "as long")
        found.append(f"took {longer}: {milliseconds(was.each_ms)} → {took}")
        if was.gets and now.gets and max(was.gets, now.gets) >= TIMES * min(was.gets, now.gets):
            found.append(f"{was.gets:,.0f} → {now.gets:,.0f} gets")
        if was.rows and now.rows == 0:
            found.append(f"{was.rows:,.0f} rows → 0: perhaps it did not end")
    grown = now.per_s * now.each_ms - was.per_s * was.each_ms
    if basis.per == "second" and was.cpu_ms and now.cpu_ms:
        more = now.per_s * now.cpu_ms - was.per_s * was.cpu_ms
        if more * grown > _REST * grown**2:
            found.append(f"CPU {signed(more)}")
    return ", ".join(found)


def _factors(name: str, events: Sequence[MovedEvent]) -> str:
    moved = next((e for e in events if e.event == name and not e.background), None)
    if moved is None or moved.cause not in ("both", "latency"):
        return ""
    was, now = moved.before, moved.after
    many = by(was.waits or 0.0, now.waits or 0.0, "as many") if moved.cause == "both" else "as many"
    longer = by(was.each_ms or 0.0, now.each_ms or 0.0, "as long")
    return f" (waits: {many}, time of each: {longer})"


#: So much busier CPUs are named beside CPU time. # awrlens: noticed beside other changes
_BUSIER_PCT: Final = 5.0


def _busy(facts: Sequence[Moved], least_pct: float) -> str:
    """How busy the host's CPUs were: the witness for processes that waited for one."""
    idle = next((each for each in facts if each.fact == "host.idle_pct"), None)
    if idle is None or (least_pct and idle.before - idle.after < least_pct):
        return ""
    was, now = pair(100 - idle.before, 100 - idle.after, "%")
    return f" (the host's CPUs {was} → {now} busy)"
