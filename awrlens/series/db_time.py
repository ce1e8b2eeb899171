"""DB time of both sides, its parts, and the events or CPU whose time explains its change.

The wait time of an event changes by the number of waits or by their duration.
"""

from __future__ import annotations

from itertools import pairwise
from math import log
from typing import TYPE_CHECKING, Final

from awrlens.lazy import NamedTuple, regex
from awrlens.model import Reason
from awrlens.model.analysis import OTHERS
from awrlens.model.comparison import ALL_OTHER, CHANGED, DbTime, Load, MovedEvent, Part, Step
from awrlens.series import differences
from awrlens.series.comparability import RESPONSE, Work
from awrlens.series.differences import Amount, divisors, event_amounts
from awrlens.series.words import TIMES, by
from awrlens.severity import SHOWN_PCT, Scale
from awrlens.units import listed, milliseconds, pair, plain, signed

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from awrlens.model.analysis import Cause, Risen
    from awrlens.model.comparison import (
        Basis,
        Event,
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
    valid = [[r for r in side if r.events and per in divisors(r, policy)] for side in sides]
    if not all(valid):
        return ()
    names = full_names([{e.name for e in r.events} for side in valid for r in side])
    listed = [
        [(r, {(names[e.name], e.background): e for e in r.events}) for r in side] for side in valid
    ]
    keys = dict.fromkeys(key for side in listed for _, events in side for key in events)
    events = [_event(key, listed, per, policy) for key in keys]
    events.sort(key=lambda event: -abs(event.after.total_ms - event.before.total_ms))
    return tuple(events)


def full_names(lists: Sequence[set[str]]) -> dict[str, str]:
    """The longest spelling of every name: some are truncated to a column.

    If one list has both names, they are two events (`… physical read`, `… physical read: flash
    cache`).
    """
    spelled = sorted(set().union(*lists))
    full = {name: name for name in spelled}
    for name, after in pairwise(spelled):
        both = any(name in names and after in names for names in lists)
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
    noise = differences.judge(first, second, reports, policy)
    verdict: Movement = "same" if noise.same else "noise"
    if noise.differs:
        verdict = "worse" if second.value > first.value else "better"
    both = zip(sides, (first, second), strict=True)
    loads = [_load(key, side, per, policy, amount.value) for side, amount in both]
    change = (second.value - first.value) * 100 / first.value if first.value else None
    # more than all DB time cannot be part of it: this is an unknown idle event
    possible = not key[1] and all((load.pct_response or 0.0) <= _ALL_PCT for load in loads)
    significant = possible and any(_significant(key, side, policy) for side in sides)
    return MovedEvent(
        key[0], key[1], loads[0], loads[1], change, verdict, noise.pct, noise.basis,
        _cause(loads[0], loads[1]) if verdict in CHANGED else "none", significant,
    )  # fmt: skip


def _pooled(key: Key, side: _Side, per: Per, policy: Policy) -> Amount:
    values = []
    for reading, events in side:
        event, amounts = events.get(key), event_amounts(reading, policy, per)
        values.append(amounts[event.name, event.background] if event else _NOT_LISTED)
    return differences.pooled(values, policy)


def _load(key: Key, side: _Side, per: Per, policy: Policy, compared_ms: float) -> Load:
    """The waits of all reports of a side, added up; ``total_ms`` is the compared value."""
    number = sum(divisors(reading, policy)[per].number for reading, _ in side)
    rows = [events[key] for _, events in side if key in events]
    seconds = sum(event.total_s for event in rows)
    waits = [event.waits for event in rows]
    counted = None if None in waits else sum(n for n in waits if n is not None)
    response = [n for r, _ in side if (n := r.facts["load.response_s"].number)]
    return Load(
        waits=None if counted is None else counted / number,
        each_ms=seconds * 1000 / counted if counted else None,
        total_ms=compared_ms,
        pct_response=seconds * 100 / sum(response) if response and not key[1] else None,
    )


def _significant(key: Key, side: _Side, policy: Policy) -> bool:
    votes = (Scale(r.facts, policy).significant(e[key].total_s) for r, e in side if key in e)
    return sum(votes) * 2 > len(side)


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
#: Number of consumers outside the write path that are named for their size.
_NAMED: Final = 4
#: Number of movers that are named. # awrlens: as many as a reader takes in
_MOST_STEPS: Final = 8
_BUSY: Final = regex(r"gc .*busy\b")
#: A smaller difference is that of floating point.
_TINY_MS: Final = 1e-6


class _Accounted(NamedTuple):
    whole: float
    parts: Mapping[tuple[str, str], float]
    complete: bool


def db_time(sides: Sides, per: Per, policy: Policy) -> DbTime | None:
    """DB time and its parts, all reports of a side together; None if a side does not show them.

    What the top events of a side lack is not known to be zero: it is in the rest on both sides.
    """
    usable = [
        [r for r in side if r.facts["load.response_s"].number and r.consumers
         and per in divisors(r, policy)]
        for side in sides
    ]  # fmt: skip
    if not all(usable):
        return None
    everyone = [reading for side in usable for reading in side]
    names = full_names([{consumer.name for consumer in r.consumers} for r in everyone])
    first, second = (_side(side, names, per, policy) for side in usable)
    keys = [
        key
        for key in dict.fromkeys([*first.parts, *second.parts])
        if (key in first.parts or (first.complete and key[1] != "cpu"))
        and (key in second.parts or (second.complete and key[1] != "cpu"))
    ]
    parts = [Part(*key, first.parts.get(key, 0.0), second.parts.get(key, 0.0)) for key in keys]
    ends = (first.whole, second.whole)
    # waits for blocks that another instance has not shipped yet are several events
    small = max(ends) * policy["compare.named_pct"] / 100
    busy = [part for part in parts if _BUSY.match(part.name) and abs(part.change_ms) < small]
    if len(busy) > 1:
        parts = [part for part in parts if part not in busy] + [_sum("gc … busy", "other", busy)]
    steps = _steps(parts, *ends, policy)
    return DbTime(*ends, _parts(parts, {step.name for step in steps}, *ends, policy), steps)


def _side(
    readings: Sequence[Reading], names: Mapping[str, str], per: Per, policy: Policy
) -> _Accounted:
    number = sum(divisors(reading, policy)[per].number for reading in readings)
    whole = sum(reading.facts["load.response_s"].number or 0.0 for reading in readings)
    parts: dict[tuple[str, str], float] = {}
    for reading in readings:
        for consumer in reading.consumers:
            key = (names[consumer.name], consumer.part)
            parts[key] = parts.get(key, 0.0) + consumer.seconds * 1000 / number
    complete = all(reading.all_consumers for reading in readings)
    return _Accounted(whole * 1000 / number, parts, complete)


def _parts(
    parts: Sequence[Part], moved: Collection[str], before: float, after: float, policy: Policy
) -> tuple[Part, ...]:
    """The write path, CPU, what moved, the largest other consumers; then the rest of DB time."""
    least, shown = (
        max(before, after) * pct / 100 for pct in (policy["compare.named_pct"], SHOWN_PCT)
    )
    ranked = sorted(parts, key=lambda part: (-_most(part), part.name))
    large = [part for part in ranked if part.part == "other" and _most(part) >= least][:_NAMED]
    named = [
        part for part in ranked
        if part.name in moved or part in large or (part.part != "other" and _most(part) >= shown)
    ]  # fmt: skip
    small = [part for part in parts if part not in named]
    if small:
        named.append(_sum(OTHERS, "other", small))
    all_ = _sum("", "", named)
    rest = Part(UNKNOWN, "", before - all_.before_ms, after - all_.after_ms)
    return (*named, rest) if max(abs(rest.before_ms), abs(rest.after_ms)) else tuple(named)


def _most(part: Part) -> float:
    return max(part.before_ms, part.after_ms)


def _sum(name: str, part: str, parts: Sequence[Part]) -> Part:
    return Part(name, part, sum(e.before_ms for e in parts), sum(e.after_ms for e in parts))


def _steps(parts: Sequence[Part], before: float, after: float, policy: Policy) -> tuple[Step, ...]:
    """The differences that are a part of the change, in both directions, also of the rest.

    The others together are the last step: two if rises and falls among them are both large.
    """
    least = max(
        max(before, after) * policy["compare.step_pct"] / 100,
        abs(after - before) * policy["compare.part_pct"] / 100,
    )
    every = _sum("", "", parts)
    # below 0, parts are counted twice: nothing is saved there
    lost = max(after - every.after_ms, 0.0) - max(before - every.before_ms, 0.0)
    moved = [Step(part.name, part.part, part.change_ms) for part in parts]
    moved = sorted([*moved, Step(UNKNOWN, "", lost)], key=lambda step: -abs(step.change_ms))
    steps = [step for step in moved[:_MOST_STEPS] if abs(step.change_ms) >= max(least, _TINY_MS)]
    rest = after - before - sum(step.change_ms for step in steps)
    rises = sum(max(step.change_ms, 0.0) for step in moved[len(steps) :])
    both = (rises, rest - rises) if min(rises, rises - rest) >= least else (rest,)
    return (*steps, *(Step(ALL_OTHER, "other", ms) for ms in both if abs(ms) >= _TINY_MS))


def causes(work: Work, whole: DbTime | None) -> tuple[Reason, ...]:
    """The steps with a name, where DB time changed beyond noise."""
    if whole is None or work.changed(RESPONSE, work.basis.per) is None:
        return ()
    parts = {part.name: part for part in whole.parts}
    change = whole.after_ms - whole.before_ms
    return tuple(
        Reason(
            step.name, step.part == "other",
            max(parts[step.name].before_ms, 0.0), max(parts[step.name].after_ms, 0.0),
            work.basis.per, step.change_ms * 100 / change if change else 0.0,
        )
        for step in whole.steps
        if step.name != ALL_OTHER
    )  # fmt: skip


def because(work: Work, whole: DbTime | None, events: Sequence[MovedEvent]) -> str:
    """``+1.2 sessions in `db file sequential read` and +0.4 in CPU (total +1.7)``.

    Of an event of which the time of each wait changed, this and the number of waits are said. If
    DB time is about the same, it is said what moved within it, if that is a large part of it. And
    what else the host's CPUs do, if that is more than before.
    """
    basis, others = work.basis, _other_processes(work)
    time = work.changed(RESPONSE, basis.per)
    if whole is None or not whole.steps:
        return others
    least = max(whole.before_ms, whole.after_ms) * work.policy["compare.part_pct"] / 100
    if time is None and abs(whole.steps[0].change_ms) < least:
        return others
    shown: list[str] = []
    change, busy = whole.after_ms - whole.before_ms, ""
    for step in whole.steps:
        if step.name == ALL_OTHER and abs(step.change_ms) * 100 < abs(change) * SHOWN_PCT:
            continue
        is_event = step.part == "other" and step.name != ALL_OTHER
        how = next((factors(e) for e in events if not e.background and e.event == step.name), "")
        named = f"`{step.name}`{f' ({how})' if how else ''}" if is_event else step.name
        where = step.name if step.name == UNKNOWN else f"in {named}"
        if step.name == ALL_OTHER and step is not whole.steps[-1]:
            where = ""  # the rises; the falls are next
        of_cpu = step.part == "cpu" and not shown  # the largest step is first
        if step.change_ms > 0 and (of_cpu or step.name == UNKNOWN) and not busy:
            busy = _busy(work, _BUSIER_PCT if of_cpu else 0.0)
            where += busy
        shown.append(f"{amount(step.change_ms, basis, first=not shown)} {where}".strip())
    if time is None:  # others may have had what DB time lacks
        return ". ".join(filter(None, (others, listed(shown))))
    total, together = (amount(ms, basis) for ms in (time.after - time.before, change))
    sums = f"total {total}" if total == together else f"all reports together {together}"
    per = "" if basis.per == "second" else f" per {basis.per}"
    moved = f"{listed(shown)} ({sums}{per}){_within(work, whole)}"
    return ". ".join(filter(None, (moved, others)))


def amount(ms: float, basis: Basis, *, first: bool = False) -> str:
    """A difference of time with its sign: per second in sessions, a unit that is said first."""
    if basis.per != "second":
        return signed(ms)
    many = plain(round(abs(ms) / 1000, 3) or abs(ms) / 1000)
    return f"{'+' if ms > 0 else '−'}{many}{' sessions' * first}"


#: Times that are a part of CPU, of waits and of what is in no event.
_WITHIN: Final = {
    "load.hard_parse_pct": "hard parses", "load.plsql_pct": "PL/SQL without its SQL",
}  # fmt: skip
#: They are named with this share of a change. # awrlens: a tenth, as of DB time
_WITHIN_SHARE: Final = 0.1


def _within(work: Work, whole: DbTime) -> str:
    """What hard parses and PL/SQL, whose share rose, have of a change."""
    change, said = whole.after_ms - whole.before_ms, []
    for name, words in _WITHIN.items():
        share = work.facts.get((name, "none"))
        if share is not None and share.after > share.before:
            part = (share.after * whole.after_ms - share.before * whole.before_ms) / 100
            if part * change >= _WITHIN_SHARE * change**2:
                said.append(f"{words}: {amount(part, work.basis)}")
    return f". Of this, {listed(said)}" if said else ""


#: At most so many statements are named. # awrlens: two lines of a terminal
_MOST_SQL: Final = 3
#: Two times that differ by less than this share are probably the same. # awrlens: a fifth
_ALIKE: Final = 0.2


def statements(sides: Sides, whole: DbTime | None, work: Work) -> tuple[str, Risen | None]:
    """The SQL that moved most, in either direction: more executions, or longer ones.

    What is not listed is small, but not known. PL/SQL contains the SQL that it calls: if it changed
    as much as this, and all together by more than DB time, it is the caller, not a further cause.
    If the first changed by as much as the largest wait, its time is that of the wait. Of a rise,
    the SQL that rose most is first, however small, and what no listed SQL has is said if it is
    most. Then the SQL to look at first, if some SQL has most of a rise: that which only takes
    longer may be a victim, so that other SQL comes before it.
    """
    if whole is None or whole.after_ms == whole.before_ms or max(map(len, sides)) > 1:
        return "", None
    basis, (was, now) = work.basis, (dict(side[0].statements) for side in sides)
    # SQL that differs in hints or literals has another id
    gone = {sql.like: name for name, sql in was.items() if sql.like and name not in now}
    new = [name for name, sql in now.items() if sql.like in gone and name not in was]
    other = {gone[now[name].like]: name for name in new}
    now |= {name: now.pop(id_) for name, id_ in other.items()}
    change, named, said = whole.after_ms - whole.before_ms, 0.0, list[str]()
    parts = {
        name: sum(
            sign * side[name].share_pct * ms / 100
            for side, sign, ms in ((was, -1, whole.before_ms), (now, 1, whole.after_ms))
            if name in side
        )
        for name in {**now, **was}
    }
    least = max(whole.before_ms, whole.after_ms) * work.policy["compare.named_pct"] / 100
    ranked = sorted(parts.items(), key=lambda row: -abs(row[1]))
    blocks = {name for side in (was, now) for name, statement in side.items() if statement.is_block}
    own = [row for row in ranked if row[0] not in blocks]
    counted = [row for row in own if abs(row[1]) >= least]
    large = [row for row in counted if abs(row[1]) >= _WITHIN_SHARE * abs(change)][:_MOST_SQL]
    if large and change > 0 and all(part < 0 for _, part in large):
        large += [row for row in counted if row[1] > 0][:1]
    large.sort(key=lambda row: -row[1] * change)
    first: list[Risen] = []
    for name, part in large:
        named += part / change
        cause, of_sql = _of_sql(was.get(name), now.get(name), basis)
        most, how = whole.steps[0], [of_sql]
        if 2 * part >= large[0][1] > 0:
            whole_rise = amount(change, basis, first=True)
            cause = "latency" if _as_all_work(sides, was.get(name), now.get(name)) else cause
            first.append((name, f"{of_sql}: {amount(part, basis)} of {whole_rise}", cause))
        alike = abs(part - most.change_ms) <= _ALIKE * abs(most.change_ms)
        if alike and not said and most.part not in ("", "cpu"):
            how.insert(0, f"probably the {amount(most.change_ms, basis)} in `{most.name}`")
        also = f" (now {other[name]})" if name in other else ""
        said.append(f"{name}{also}: {amount(part, basis)} ({', '.join(how)})".removesuffix(" ()"))
    risen = min(first, key=lambda sql: sql[-1] == "latency", default=None)
    whose = "their" if len(said) > 1 else "its"
    for name, part in [row for row in ranked if said and row[0] in blocks][:1]:
        if part / change > max((1 - _ALIKE) * named, 1 + _ALIKE - named):
            said.append(f"{name}: {amount(part, basis)} (PL/SQL, probably {whose} caller)")
    texts = [f"SQL {'; '.join(said)}"] if said else []
    # commits are not in the time of SQL
    rise = change - sum(step.change_ms for step in whole.steps if step.part == "redo")
    if change > 0 and own and 2 * sum(part for _, part in own if part > 0) < rise:
        listed_ms = sum(part for _, part in own)
        texts.append(f"All listed SQL together: {amount(listed_ms, basis)}; "
                     f"{amount(rise - listed_ms, basis)} is in no listed SQL")  # fmt: skip
    text = ". ".join(filter(None, (*texts, _new(sides, whole, work, new))))
    return text, risen if 2 * named >= 1 else None


def _as_all_work(sides: Sides, was: Statement | None, now: Statement | None) -> bool:
    """Whether a statement ran more often only as all transactions did."""
    before, after = (sum(differences.numbers(side, "load.transactions_per_s")) for side in sides)
    return bool(was and now and was.per_s and now.per_s and before
                and now.per_s / was.per_s <= after / before * _AS_WORK)  # fmt: skip


#: A statement that runs more often by so much more than the work does. # awrlens: a tenth
_AS_WORK: Final = 1.1
#: How the names of reads of data files begin.
_READS: Final = ("db file", "direct path read", "cell ")
#: So many are named, and others from this share on are counted. # awrlens: a line of a terminal
_MOST_NEW, _LEAST_PCT = 2, 1.0


def _new(sides: Sides, whole: DbTime, work: Work, renamed: Collection[str]) -> str:
    """SQL that only the second side lists, if it has much of the work.

    Reads are named with the waits that they probably are; parses if they are not executions.
    """
    waits = [step for step in whole.steps if step.name.startswith(_READS) and step.change_ms > 0]
    shares = differences.own_sql(sides, 1, work.policy)
    shares.pop("parses" if "executions" in shares else "", None)
    shares.pop("" if waits else "physical reads", None)
    sql = {name: max(of.get(name, 0.0) for of in shares.values())
           for of in shares.values() for name in of if name not in renamed}  # fmt: skip
    names = sorted((name for name in sql if sql[name] >= _LEAST_PCT), key=lambda name: -sql[name])
    if not names:
        return ""
    much = [f"{min(sum(of.values()), _ALL_PCT):.0f} % of {kind}" for kind, of in shares.items()]
    if 2 * sum(shares.get("physical reads", {}).values()) >= _ALL_PCT:
        read = amount(waits[0].change_ms, work.basis)
        much[-1] += f" (probably the {read} in `{waits[0].name}`)"
    shown = names if len(names) <= _MOST_NEW else [names[0], f"{len(names) - 1} more"]
    return f"New SQL has {listed(much)}: {listed(shown)}"


def _of_sql(was: Statement | None, now: Statement | None, basis: Basis) -> tuple[Cause, str]:
    """Whether a statement ran more often or took longer, and its CPU if that is much of it."""
    if was is None or now is None:
        only = was or now
        took = f", {milliseconds(only.each_ms)} each" if only and only.each_ms else ""
        return "none", f"{'new' if was is None else 'gone'}{took}"
    if not (was.per_s and now.per_s and was.each_ms and now.each_ms):
        return "none", ""
    loads = [Load(statement.per_s, statement.each_ms, 0.0, None) for statement in (was, now)]
    cause, said = _cause(*loads), list[str]()
    if cause != "latency":
        said.append(f"ran {by(was.per_s, now.per_s, 'as often')}")
    if cause != "frequency":
        longer = by(was.each_ms, now.each_ms, "as long")
        took = ("each", "took")[now.each_ms > was.each_ms]
        said.append(f"{took} {longer}: {milliseconds(was.each_ms)} → {milliseconds(now.each_ms)}")
        if was.gets and now.gets and max(was.gets, now.gets) >= TIMES * min(was.gets, now.gets):
            said.append(f"{was.gets:,.0f} → {now.gets:,.0f} gets")
        if was.rows and now.rows == 0:
            said.append(f"{was.rows:,.0f} rows → 0: perhaps it did not end")
    grown = now.per_s * now.each_ms - was.per_s * was.each_ms
    if basis.per == "second" and was.cpu_ms and now.cpu_ms:
        more = now.per_s * now.cpu_ms - was.per_s * was.cpu_ms
        if more * grown > _ALIKE * grown**2:
            said.append(f"CPU {amount(more, basis)}")
    return cause, ", ".join(said)


def factors(moved: MovedEvent) -> str:
    """``55 % fewer waits, each 20 times as long``; empty if this is about as long."""
    was, now = moved.before, moved.after
    if moved.cause not in ("both", "latency"):
        return ""
    many = by(was.waits or 0.0, now.waits or 0.0, "as many")
    return f"{many} waits, each {by(was.each_ms or 0.0, now.each_ms or 0.0, 'as long')}"


#: So much busier CPUs are named beside CPU time. # awrlens: noticed beside other changes
_BUSIER_PCT: Final = 5.0


def _busy(work: Work, least_pct: float) -> str:
    """How busy the host's CPUs were: the witness for processes that waited for one."""
    idle = work.facts.get(("host.idle_pct", "none"))
    if idle is None or (least_pct and idle.before - idle.after < least_pct):
        return ""
    was, now = pair(100 - idle.before, 100 - idle.after, "%")
    return f" (the host's CPUs {was} → {now} busy)"


def _other_processes(work: Work) -> str:
    host = work.facts.get(("host.other_cpu_pct", "none"))
    if host is None or host.after - host.before < work.policy["compare.other_cpu_points"]:
        return ""
    was, now = pair(host.before, host.after, "%")
    return f"Other processes use {was} → {now} of CPU"
