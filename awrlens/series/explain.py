"""The changes in sentences with numbers, the most important first."""

from __future__ import annotations

from math import inf, log
from typing import TYPE_CHECKING, Final

from awrlens.model import DB_TIME
from awrlens.model.comparison import CHANGED, Said
from awrlens.policy import Policy, Threshold
from awrlens.records import NamedTuple
from awrlens.series.basis import by_divisor, load, other_work, per_transaction
from awrlens.series.causes import PART_PCT, because
from awrlens.series.verdict import WORSE_RATIO
from awrlens.series.words import amount, by
from awrlens.units import pair
from awrlens.wait_severity import Scale

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from awrlens.model import Change, Reason
    from awrlens.model.comparison import Basis, Moved, MovedEvent, Per, Reading


SHARE_PCT: Final = Threshold(
    "compare.share_pct", 5.0, "%",
    "minimum share of I/O on either side for a sentence on temp, undo or checkpoints",
    "awrlens: changes of smaller shares do not matter",
)  # fmt: skip


class _Latency(NamedTuple):
    """A latency, its operation, and the wait times that depend on it."""

    fact: str
    what: str
    waits: tuple[str, ...]
    #: The fact that replaces this one if it changed too.
    unless: str = ""


_LATENCIES: Final = (
    _Latency("redo.write_ms", "Redo write time", ("redo.sync_wait_s", "redo.log_switch_wait_s",
             "redo.buffer_wait_s")),
    _Latency("redo.parallel_write_ms", "`log file parallel write` time", ("redo.sync_wait_s",
             "redo.log_switch_wait_s", "redo.buffer_wait_s"), unless="redo.write_ms"),
    _Latency("temp.read_ms", "Temp read time", ("temp.direct_wait_s",)),
    _Latency("undo.read_ms", "Undo read time", ("undo.read_wait_s",)),
    _Latency("undo.buffer_wait_ms", "`buffer busy waits` time for undo", ("undo.buffer_wait_s",)),
    _Latency("checkpoint.data_write_ms", "`db file parallel write` time of DBWR",
             ("checkpoint.free_buffer_wait_s", "checkpoint.write_complete_wait_s")),
)  # fmt: skip
#: Amounts with a sentence; whether they are countable; the fact with their share of I/O.
_AMOUNTS: Final = (
    ("undo.tablespace_writes", "Undo tablespace writes", "many", "undo.tablespace_write_pct"),
    ("temp.reads", "Temp reads", "many", "temp.io_share_pct"),
    ("temp.writes", "Temp writes", "many", "temp.io_share_pct"),
    ("checkpoint.writes_per_s", "Checkpoint writes", "many", "checkpoint.write_pct"),
    ("redo.bytes_per_s", "Redo size", "much", ""),
)  # fmt: skip
_SHARES: Final = (
    ("temp.io_share_pct", "Temp: {1} → {0} of all I/O"),
    ("undo.tablespace_write_pct", "Undo tablespaces: {1} → {0} of all writes"),
    ("undo.block_write_pct", "Undo: {1} → {0} of the blocks written"),
    ("checkpoint.write_pct", "Checkpoint writes: {1} → {0} of the blocks written"),
)  # fmt: skip
_CAUSES: Final = {
    "mttr": "the recovery target", "log_size": "the size of the redo logs",
    "log_ckpt": "LOG_CHECKPOINT_TIMEOUT or LOG_CHECKPOINT_INTERVAL",
    "other_settings": "other settings",
    "autotune": "automatic checkpoint tuning", "thread": "thread checkpoints",
}  # fmt: skip
#: Maximum number of events with a sentence; the list has all of them.
_MOST_EVENTS: Final = 5


class _Ranked(NamedTuple):
    """A sentence and its weight: what it is about, then how much that changed."""

    group: int
    powers: float
    said: Said


#: DB time and latencies with significant waits, events, amounts, insignificant latencies.
_SIGNIFICANT, _WAITS, _LOAD, _MINOR = range(4)


def sentences(
    basis: Basis,
    facts: Sequence[Moved],
    events: Sequence[MovedEvent],
    reasons: Sequence[Reason],
    names: Sequence[Change],
    significant: Significance,
    policy: Policy,
) -> tuple[Said, ...]:
    """One sentence for every change beyond noise."""
    moved = {
        each.fact: each
        for each in facts
        if each.verdict in CHANGED and each.per in ("none", basis.per)
    }
    known = by_divisor(facts)
    ranked = [
        *_latencies(moved, significant),
        *_response(known, basis, events, reasons, policy),
        *_for_other_work(known, basis, policy),
        *_events(events, basis),
        *_amounts(moved, {each.fact: each for each in facts}, basis, policy),
        *_shares(moved, policy),
        *_main_cause(names),
    ]
    ranked.sort(key=lambda each: (each.group, -each.powers))
    return tuple(each.said for each in ranked)


class Significance:
    """Whether wait time is significant in any report of either side."""

    def __init__(self, readings: Sequence[Reading], policy: Policy) -> None:
        self._scales = [(Scale(each.facts, policy), each.facts) for each in readings]

    def __call__(self, names: tuple[str, ...]) -> bool:
        """Of the sum of some wait times."""
        return any(
            scale.significant(sum(facts[name].number or 0.0 for name in names))
            for scale, facts in self._scales
        )


def _latencies(moved: Mapping[str, Moved], significant: Significance) -> Iterator[_Ranked]:
    for each in _LATENCIES:
        found = moved.get(each.fact)
        if found is None or each.unless in moved:
            continue
        waited = significant(each.waits)
        faster = ("faster", "slower")[found.after > found.before]
        was, now = pair(found.before, found.after, "ms")
        text = f"{each.what} went from {was} to {now}"
        rounded = not (found.before and found.after)
        notes = ["rounded in the report" if rounded else by(found.before, found.after, faster)]
        notes += [] if waited else ["negligible wait time"]
        text += f" ({', '.join(notes)})"
        said = Said(text, found.verdict, each.fact, waited, text)
        yield _Ranked(_SIGNIFICANT if waited else _MINOR, _powers(found.before, found.after), said)


def _response(
    known: Mapping[tuple[str, Per], Moved],
    basis: Basis,
    events: Sequence[MovedEvent],
    reasons: Sequence[Reason],
    policy: Policy,
) -> Iterator[_Ranked]:
    """DB time, and the events and CPU time that explain its change."""
    found = known.get(("load.response_s", basis.per))
    if found is None or found.verdict not in CHANGED:
        return
    was, now = pair(found.before, found.after, "ms")
    text = f"{basis.time} went from {was} to {now} per {basis.per}"
    if basis.per == "second" and basis.time == DB_TIME and other_work(known, policy):
        text = f"{basis.time} per second (average active sessions) went from {was} to {now}"
    how = by(found.before, found.after, "as much") + load(known, basis, policy)
    gist = text = f"{text} ({how}{per_transaction(known, basis, policy)})"
    if reasons:
        text += because(reasons, found.after - found.before)
    elif events:
        text += f"; neither CPU nor any event has {policy[PART_PCT]:g} % of the difference"
    said = Said(text, found.verdict, "load.response_s", gist=gist)
    yield _Ranked(_SIGNIFICANT, _powers(found.before, found.after), said)


def _for_other_work(
    known: Mapping[tuple[str, Per], Moved], basis: Basis, policy: Policy
) -> Iterator[_Ranked]:
    """DB time that is the same per second, for clearly less or more work.

    Both per transaction and per execute: one alone may be another mix of SQL. If they differ, it is
    the one with the smaller change.
    """
    same = known.get(("load.response_s", "second"))
    if basis.per != "second" or same is None or same.verdict in CHANGED:
        return
    work: tuple[Per, ...] = ("execute", "transaction")
    found = [each for per in work if (each := known.get(("load.response_s", per))) and each.ratio]
    each_way = {each.verdict for each in found}
    ratios = [max(each.ratio or 1.0, 1 / (each.ratio or 1.0)) for each in found]
    if len(found) < len(work) or len(each_way) > 1 or not each_way <= {"better", "worse"}:
        return
    if min(ratios) < policy[WORSE_RATIO]:
        return
    one = found[ratios.index(min(ratios))] if other_work(known, policy) else found[0]
    was, now = pair(one.before, one.after, "ms")
    text = (
        f"{basis.time} is about the same per second{load(known, basis, policy)}: {was} → {now} per "
        f"{one.per} ({by(one.before, one.after, 'as much')})"
    )
    said = Said(text, one.verdict, "load.response_s", gist=text)
    yield _Ranked(_SIGNIFICANT, _powers(one.before, one.after), said)


def _events(events: Sequence[MovedEvent], basis: Basis) -> Iterator[_Ranked]:
    """The events with significant wait time, the largest change first."""
    known = [each for each in events if each.significant and each.verdict in CHANGED]
    for each in known[:_MOST_EVENTS]:
        moved = abs(each.after.total_ms - each.before.total_ms)
        gist = _waits(each, basis)
        said = Said(gist + _why(each), each.verdict, each.event, gist=gist)
        yield _Ranked(_WAITS, moved, said)


def _waits(each: MovedEvent, basis: Basis) -> str:
    first, second = each.before.total_ms, each.after.total_ms
    if not second:
        was = f"{amount(first, 'ms')} per {basis.per} before"
        return f"Sessions no longer wait for `{each.event}` ({was})"
    was, now = pair(first, second, "ms")
    text = f"Sessions wait {now} per {basis.per} for `{each.event}`"
    if not first:
        return f"{text} (none before)"
    return f"{text} instead of {was} ({by(first, second, 'as long')})"


def _why(each: MovedEvent) -> str:
    first, second = each.before, each.after
    latency = number = ""
    if first.each_ms is not None and second.each_ms is not None:
        was, now = pair(first.each_ms, second.each_ms, "ms")
        latency = f"average wait {was} → {now}"
    if first.waits and second.waits:
        number = f"number of waits: {by(first.waits, second.waits, 'as many')}"
    if each.cause == "latency":
        return f": {latency}"
    if each.cause == "frequency":
        return f": {number}"
    return f": {number}, and {latency}" if each.cause == "both" else ""


def _amounts(
    moved: Mapping[str, Moved], shares: Mapping[str, Moved], basis: Basis, policy: Policy
) -> Iterator[_Ranked]:
    for name, what, many, share in _AMOUNTS:
        found = moved.get(name)
        if found is not None and (not share or _large(shares.get(share), policy)):
            was, now = pair(found.before, found.after, found.unit)
            text = f"{what} went from {was} to {now} per {basis.per}"
            text += f" ({by(found.before, found.after, f'as {many}')})"
            powers = _powers(found.before, found.after)
            yield _Ranked(_LOAD, powers, Said(text, found.verdict, name, gist=text))


def _large(share: Moved | None, policy: Policy) -> bool:
    """Whether a share of I/O is large enough for a sentence."""
    return share is None or max(share.before, share.after) >= policy[SHARE_PCT]


def _shares(moved: Mapping[str, Moved], policy: Policy) -> Iterator[_Ranked]:
    for name, pattern in _SHARES:
        found = moved.get(name)
        if found is not None and _large(found, policy):
            text = pattern.format(*reversed(pair(found.before, found.after, "%")))
            powers = _powers(found.before, found.after)
            yield _Ranked(_LOAD, powers, Said(text, found.verdict, name, gist=text))


def _main_cause(names: Sequence[Change]) -> Iterator[_Ranked]:
    for each in names:
        if each.name == "checkpoint.main_cause":
            first, second = (_CAUSES.get(x, x) for x in (each.first, each.second))
            text = f"Main cause of checkpoint writes: {first} → {second}"
            yield _Ranked(_LOAD, 0.0, Said(text, "changed", each.name, gist=text))


def _powers(before: float, after: float) -> float:
    """Size of a change, equal for a rise and the reverse fall."""
    return abs(log(after / before)) if before > 0 and after > 0 else inf
