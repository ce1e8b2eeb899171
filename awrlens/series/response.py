"""DB time of both sides, its parts, and the steps from one side to the other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.model.comparison import ALL_OTHER, DbTime, Part, Step
from awrlens.policy import Policy, Threshold
from awrlens.records import NamedTuple
from awrlens.series.amounts import divisors
from awrlens.series.events import full_names

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from awrlens.model.comparison import Per, Reading

NAMED_PCT: Final = Threshold(
    "compare.named_pct", 2.0, "%",
    "share of the longer DB time above which a consumer outside the write path is named",
    "awrlens: as in the bar of one report",
)  # fmt: skip
STEP_PCT: Final = Threshold(
    "compare.step_pct", 1.0, "%",
    "share of the longer DB time above which a difference is a step of its own, or a change that "
    "matters",
    "awrlens: ADDM also omits smaller shares of DB time",
)  # fmt: skip

#: Names of what has no name of its own.
OTHER_WAITS: Final = "other waits"
UNKNOWN: Final = "not accounted for"
#: Smaller shares, in per cent, do not show in a bar, whatever they are of.
_SHOWN_PCT: Final = 0.1
#: Number of consumers outside the write path, and of steps, that are named.
_NAMED: Final = 4
_STEPS: Final = 7

_Key = tuple[str, str]


class _Side(NamedTuple):
    """Milliseconds per unit of the basis: DB time, and its consumers."""

    whole: float
    parts: Mapping[_Key, float]
    complete: bool


def db_time(
    before: Sequence[Reading], after: Sequence[Reading], per: Per, policy: Policy
) -> DbTime | None:
    """DB time and its parts, all reports of a side together; None if a side does not show them.

    If only the top events of a side are known, an event that they lack is not known to be zero:
    it is in the rest of DB time on both sides.
    """
    known = [[r for r in side if _shown(r, per, policy)] for side in (before, after)]
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
    found = [
        Part(*key, first.parts.get(key, 0.0), second.parts.get(key, 0.0)) for key in keys
    ]  # fmt: skip
    parts = _parts(found, first.whole, second.whole, policy)
    return DbTime(
        first.whole, second.whole, parts, _steps(parts, first.whole, second.whole, policy)
    )


def _shown(reading: Reading, per: Per, policy: Policy) -> bool:
    response = reading.facts["load.response_s"].number
    return bool(response and reading.consumers and per in divisors(reading, policy))


def _side(readings: Sequence[Reading], names: Mapping[str, str], per: Per, policy: Policy) -> _Side:
    number = sum(divisors(reading, policy)[per].number for reading in readings)
    whole = sum(reading.facts["load.response_s"].number or 0.0 for reading in readings)
    parts: dict[_Key, float] = {}
    for reading in readings:
        for each in reading.consumers:
            key = (names[each.name], each.part)
            parts[key] = parts.get(key, 0.0) + each.seconds * 1000 / number
    complete = all(reading.all_consumers for reading in readings)
    return _Side(whole * 1000 / number, parts, complete)


def _parts(
    found: Sequence[Part], before: float, after: float, policy: Policy
) -> tuple[Part, ...]:  # fmt: skip
    """The write path, CPU, and the largest other consumers; then the rest of DB time."""
    least, shown = (max(before, after) * pct / 100 for pct in (policy[NAMED_PCT], _SHOWN_PCT))

    def most(part: Part) -> float:
        return max(part.before_ms, part.after_ms)

    others = [each for each in found if each.part == "other" and most(each) >= least]
    others.sort(key=lambda each: (-most(each), each.name))
    named = [
        each
        for each in found
        if (each.part != "other" and most(each) >= shown) or each in others[:_NAMED]
    ]
    named.sort(key=lambda each: (-most(each), each.name))
    small = [each for each in found if each not in named]
    if small:
        named.append(_sum(OTHER_WAITS, "other", small))
    all_ = _sum("", "", named)
    rest = Part(UNKNOWN, "", before - all_.before_ms, after - all_.after_ms)
    return (*named, rest) if max(abs(rest.before_ms), abs(rest.after_ms)) else tuple(named)


def _sum(name: str, part: str, found: Sequence[Part]) -> Part:
    return Part(name, part, sum(e.before_ms for e in found), sum(e.after_ms for e in found))


def _steps(
    parts: Sequence[Part], before: float, after: float, policy: Policy
) -> tuple[Step, ...]:  # fmt: skip
    """The differences, the largest first; all smaller ones together are the last step."""
    least = max(before, after) * policy[STEP_PCT] / 100
    found = [Step(each.name, each.part, each.after_ms - each.before_ms) for each in parts]
    found.sort(key=lambda each: -abs(each.change_ms))
    large = [each for each in found if abs(each.change_ms) >= least][:_STEPS]
    rest = sum(each.change_ms for each in found if each not in large)
    return (*large, Step(ALL_OTHER, "other", rest)) if len(large) < len(found) else tuple(large)
