"""Three-valued logic (Kleene): true, false and unknown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from awrlens.records import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable


class Answer(NamedTuple):
    """A truth value, the text that shows it, and the reasons if it is unknown."""

    #: None: unknown.
    holds: bool | None
    shown: str
    reasons: tuple[str, ...] = ()


def negation(answer: Answer, shown: str) -> Answer:
    """``not``: unknown stays unknown."""
    return answer._replace(holds=None if answer.holds is None else not answer.holds, shown=shown)


def conjunction(answers: Iterable[Answer], shown: str) -> Answer:
    """``and``: one false part makes it false; else one unknown part makes it unknown."""
    return _several(tuple(answers), shown, decides=False)


def disjunction(answers: Iterable[Answer], shown: str) -> Answer:
    """``or``: one true part makes it true; else one unknown part makes it unknown."""
    return _several(tuple(answers), shown, decides=True)


def _several(answers: tuple[Answer, ...], shown: str, *, decides: bool) -> Answer:
    held = [answer.holds for answer in answers]
    if decides in held:
        return Answer(decides, shown)
    if None in held:
        reasons = dict.fromkeys(reason for answer in answers for reason in answer.reasons)
        return Answer(None, shown, tuple(reasons))
    return Answer(not decides, shown)
