"""Three values of truth: what holds, what does not, and what cannot be told (Kleene)."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable


class Answer(NamedTuple):
    """Whether something holds, how that is seen, and why it cannot be told where it cannot."""

    #: None: it cannot be told.
    holds: bool | None
    shown: str
    reasons: tuple[str, ...] = ()


def negation(answer: Answer, shown: str) -> Answer:
    """``not``: what cannot be told stays so."""
    return answer._replace(holds=None if answer.holds is None else not answer.holds, shown=shown)


def conjunction(answers: Iterable[Answer], shown: str) -> Answer:
    """``and``: one that does not hold decides; otherwise one that cannot be told."""
    return _several(tuple(answers), shown, decides=False)


def disjunction(answers: Iterable[Answer], shown: str) -> Answer:
    """``or``: one that holds decides; otherwise one that cannot be told."""
    return _several(tuple(answers), shown, decides=True)


def _several(answers: tuple[Answer, ...], shown: str, *, decides: bool) -> Answer:
    held = [answer.holds for answer in answers]
    if decides in held:
        return Answer(decides, shown)
    if None in held:
        reasons = dict.fromkeys(reason for answer in answers for reason in answer.reasons)
        return Answer(None, shown, tuple(reasons))
    return Answer(not decides, shown)
