"""The verdict on a comparison: comparability, direction, severity and headline."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING, Final

from awrlens.model import SEVERITIES, worst
from awrlens.model.comparison import Comparability
from awrlens.policy import Policy, Threshold
from awrlens.records import NamedTuple
from awrlens.units import listed
from awrlens.wait_severity import MANY_SESSIONS, SEVERAL_SESSIONS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from awrlens.model import Severity
    from awrlens.model.comparison import (
        Direction,
        Moved,
        Reading,
        Said,
        State,
        Turn,
        Unfair,
    )

WORSE_RATIO: Final = Threshold(
    "compare.worse_ratio", 1.2, "ratio",
    "DB time after / DB time before, above which the comparison is a warning",
    "awrlens: users notice a fifth",
)  # fmt: skip
MUCH_WORSE_RATIO: Final = Threshold(
    "compare.much_worse_ratio", 2.0, "ratio",
    "DB time after / DB time before, above which the comparison is critical",
    "awrlens: everything takes twice as long",
)  # fmt: skip

_RESPONSE: Final = "load.response_s"
#: Severities of findings that decide the direction.
_ALARMS: Final = ("warning", "critical")
_ONLY_LOAD: Final = "No significant change of DB time and waits"
_MOVED: Final = ("worse", "better")
_WORDS: Final = {"worse": "Worse: ", "better": "Better: ", "mixed": "Mixed: "}


class Verdict(NamedTuple):
    """What a comparison says first; ``gist`` is the headline without reasons and findings."""

    comparability: Comparability
    direction: Direction
    severity: State
    headline: str
    gist: str


class Evidence(NamedTuple):
    """What a verdict rests on: the facts, once each, the sentences and the findings."""

    unfair: tuple[Unfair, ...]
    facts: tuple[Moved, ...]
    said: tuple[Said, ...]
    turns: tuple[Turn, ...]
    #: Whether any amounts above 0 could be compared.
    amounts: bool
    #: Units of the basis per second on the second side.
    rate_per_s: float | None
    #: Whether DB time per second and per unit of work changed in opposite directions.
    opposed: bool = False

    @property
    def response(self) -> Said | None:
        """The sentence on DB time."""
        return next((each for each in self.said if each.about == _RESPONSE), None)

    @property
    def waits(self) -> list[Said]:
        """Sentences on DB time and significant waits, without those on the load."""
        return [each for each in self.said if each.significant and each.verdict != "changed"]


def verdict(after: Sequence[Reading], found: Evidence, policy: Policy, *, same: bool) -> Verdict:
    """The verdict; ``same``: both sides are one interval.

    The severity is never lower than that of the findings of the second side, so that `analyze` and
    `compare` agree on one report.
    """
    held = comparability(found)
    lasting = sorted((r.verdicts.write_path for r in after), key=SEVERITIES.index)
    severity: State = lasting[len(lasting) // 2]
    direction: Direction = "unknown"
    if held.grade == "not-comparable":
        severity = severity if severity in _ALARMS else "unknown"
    else:
        direction = _direction(found)
        change = _change(found, policy)
        if direction in ("worse", "mixed"):
            change = worst([change, "info"])
        severity = worst([lasting[len(lasting) // 2], change])
        if severity == "ok" and any(reading.verdicts.open for reading in after):
            severity = "unknown"
    headline = gist = "Both sides are the same interval."
    if not same:
        headline = gist = _headline(held, direction, found)
        lead = _lead(found)
        if lead is not None and held.grade != "not-comparable":
            gist = f"{_WORDS.get(direction, '')}{lead.gist}."
    return Verdict(held, direction, severity, headline, gist)


def comparability(found: Evidence) -> Comparability:
    """Not comparable: other databases, a restart, or no amounts; limited: any other difference."""
    prevents = [each for each in found.unfair if each.effect == "prevents"]
    if prevents:
        return Comparability("not-comparable", _prevented(prevents[0]))
    if not found.amounts:
        empty = any(each.per != "none" for each in found.facts)
        what = "every amount is 0" if empty else "an interval has no known length"
        return Comparability(
            "not-comparable", what if found.facts else "no number is on both sides"
        )
    limits = [each.what for each in found.unfair if each.effect == "limits"]
    if limits:
        return Comparability("limited", f"other differences: {listed(limits)}")
    return Comparability("comparable", "nothing else differs that matters")


def _prevented(each: Unfair) -> str:
    if each.what in ("database", "container"):
        return f"{each.before} and {each.after} are different {each.what}s"
    if each.what == "mixed set":
        return "one side has reports of several databases"
    return "the instance was restarted within an interval"


def _direction(found: Evidence) -> Direction:
    """By DB time and findings of weight; without any of both, by significant waits.

    A finding that is gone does not count if another of its family has taken its place: a commit
    that took longer than its write, and now waits for a write that is slow itself.
    """
    moves: list[str] = [] if found.response is None else [found.response.verdict]
    moves += ["worse", "better"] if found.opposed else []
    worse = {
        _family(turn) for turn in found.turns
        if turn.movement in ("new", "worse") and turn.after in _ALARMS
    }  # fmt: skip
    moves += ["worse"] if worse else []
    for turn in found.turns:
        gone = turn.movement in ("gone", "improved") and turn.before in _ALARMS
        if gone and _family(turn) not in worse:
            moves.append("better")
    moves = moves or [each.verdict for each in found.waits]
    if "worse" in moves:
        return "mixed" if "better" in moves else "worse"
    return "better" if moves else "same"


def _family(turn: Turn) -> str:
    """The family of a rule: ``REDO`` of ``REDO001``."""
    return turn.id.rstrip("0123456789")


def _change(found: Evidence, policy: Policy) -> Severity:
    """The severity of a change of DB time: by its factor, and by how many sessions it adds."""
    moved = next((each for each in found.facts if each.fact == _RESPONSE), None)
    if moved is None or moved.verdict != "worse" or found.rate_per_s is None:
        return "ok"
    sessions = (moved.after - moved.before) / 1000 * found.rate_per_s
    ratio = inf if moved.ratio is None else moved.ratio
    if ratio >= policy[MUCH_WORSE_RATIO] and sessions >= policy[MANY_SESSIONS]:
        return "critical"
    if ratio >= policy[WORSE_RATIO] and sessions >= policy[SEVERAL_SESSIONS]:
        return "warning"
    return "info"


def _headline(held: Comparability, direction: Direction, found: Evidence) -> str:
    """The change of DB time, then the worst finding that is new, worse, or lasting."""
    first = found.response
    if held.grade == "not-comparable":
        others = [each.gist for each in found.waits if each is not first][:1]
        gists = [*([first.gist] if first else []), *others]
        rest = "; ".join([*gists[:1], *(f"{each[:1].lower()}{each[1:]}" for each in gists[1:])])
        return f"Not comparable: {held.reason}.{f' {rest}.' if rest else ''}"
    parts = []
    lead = _lead(found)
    if lead is not None:
        parts.append(lead.text)
    elif direction == "same":
        moved = found.said or [each for each in found.facts if each.verdict in _MOVED]
        parts.append(_ONLY_LOAD if moved else "No change beyond noise")
        parts += [each.text for each in found.said[:1]]
    new = _worst([t for t in found.turns if t.movement in ("new", "worse")])
    if new is not None:
        parts.append(_turn("New" if new.movement == "new" else "Worse", new))
    elif lead is None and direction == "better":
        less = [
            t for t in found.turns if t.movement in ("gone", "improved") and t.before in _ALARMS
        ]
        parts += [_turn(less[0].movement.capitalize(), less[0])]
    else:
        lasting = _worst([t for t in found.turns if t.movement in ("remained", "improved")])
        parts += [] if lasting is None else [_turn("Lasting", lasting)]
    return _WORDS.get(direction, "") + ". ".join(part.rstrip(".") for part in parts) + "."


def _lead(found: Evidence) -> Said | None:
    """The sentence that comes first: on DB time, or on the most important wait."""
    return found.response or next(iter(found.waits), None)


def _turn(word: str, turn: Turn) -> str:
    change = " → ".join(dict.fromkeys(each for each in (turn.before, turn.after) if each))
    return f"{word}: {turn.title} ({change})"


def _worst(turns: Sequence[Turn]) -> Turn | None:
    """The first finding of the highest severity, if that is a warning or critical."""
    found = [each for each in turns if each.after in _ALARMS]
    return max(found, key=lambda t: _ALARMS.index(t.after or ""), default=None)
