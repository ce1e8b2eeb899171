"""What the function of a fact returns, and what it needs."""

from __future__ import annotations

from typing import TYPE_CHECKING, ParamSpec, TypeAlias, TypeVar, cast

from awrlens.facts.formula import Figure, Missing
from awrlens.model import Fact
from awrlens.model.fact_table import Lacking

if TYPE_CHECKING:
    from collections.abc import Callable

    from awrlens.facts.formula import Number
    from awrlens.model import Evidence, FactValue, Status

_T = TypeVar("_T")
_P = ParamSpec("_P")
#: The declaration of the fact makes a fact of it.
Answer: TypeAlias = "Fact | Figure | Missing"


def needed(value: _T | Missing) -> _T:
    """What a fact cannot do without; if it is missing, so is the fact, for the same reason."""
    if isinstance(value, Missing):
        raise Lacking(value)
    return value


def answering(function: Callable[_P, _T]) -> Callable[_P, _T]:
    """A function that returns a number, also where it lacks one that is ``needed``."""

    def answer(*args: _P.args, **named: _P.kwargs) -> _T:
        try:
            return function(*args, **named)
        except Lacking as lacking:
            return cast("_T", lacking.answer)

    return answer


def summed(number: Number, note: str = "") -> Fact:
    """A sum over several cells, with the addition as its formula."""
    fact = number.noted(note).fact()
    if isinstance(number, Missing) or not number.is_sum:
        return fact
    status: Status = "derived" if fact.status == "measured" else fact.status

    def formula() -> str:
        return f"{number.digits} {number.label}".strip()

    return Fact("", fact.value, "", status, lambda: number.evidence, formula, note)


def as_input(fact: Fact, label: str) -> Number:
    """A fact as the input of another."""
    if fact.number is None:
        return Missing(fact.note)
    return Figure(fact.number, label, lambda: fact.evidence, "", fact.status)


def text_fact(
    value: FactValue, evidence: tuple[Evidence, ...], status: Status, note: str = "",
    about: str = "",
) -> Fact:  # fmt: skip
    """A fact whose value is a name or several names."""
    return Fact("", value, "", status, evidence, "", note, about=about)
