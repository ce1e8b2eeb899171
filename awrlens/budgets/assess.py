"""Evaluates a budget on the facts of a report: met, violated, not assessable, not applicable."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Literal

from awrlens.budgets import values
from awrlens.budgets.evaluation import Evaluation
from awrlens.budgets.tree import names, scoped
from awrlens.records import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

    from awrlens.budgets.tree import Budget
    from awrlens.expressions import Node
    from awrlens.model import Fact

Result = Literal["met", "violated", "not-assessable", "not-applicable"]
_VERDICTS: Final[dict[bool | None, Result]] = {
    True: "met", False: "violated", None: "not-assessable",
}  # fmt: skip
#: Values of `report.weekday`.
_DAYS: Final = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")


class Outcome(NamedTuple):
    """The result of a budget, with the numbers inserted and the facts used."""

    budget: Budget
    verdict: Result
    #: The condition with every name followed by its value.
    arithmetic: str
    #: Facts of the report, available or not; the baseline's are ``baseline_facts``.
    facts: tuple[Fact, ...]
    baseline_facts: tuple[Fact, ...]
    #: Why it cannot be assessed.
    reasons: tuple[str, ...]

    @property
    def fails(self) -> bool:
        """Whether it counts as a failure: violated, or required and not assessable."""
        unknown = self.verdict == "not-assessable"
        return self.verdict == "violated" or (unknown and self.budget.required)


def assess(
    budget: Budget,
    facts: Mapping[str, Fact],
    report: Mapping[str, Any],
    baseline: Mapping[str, Fact] | None = None,
) -> Outcome:
    """Evaluate a budget; ``report`` has the fields of the header, ``baseline`` the other facts.

    ``when A`` with an expected B means "not A or B". The budget is therefore met if B holds, even
    if it is unknown whether A does.
    """
    begin = values.moment(str(report.get("begin_time") or ""))
    if begin is not None:
        report = {**report, "hour": begin.hour, "weekday": _DAYS[begin.weekday()]}

    def look(node: Node) -> tuple[Any, str]:
        scope, name = scoped(node)
        if scope == "report":
            return report.get(name), f"{node.text}: not in the report"
        known = baseline if scope == "baseline" else facts
        if known is None:
            return None, "there is no baseline (--against REPORT)"
        if name not in known:
            return None, f"{node.text}: the report does not have this fact"
        return known[name].value, f"{node.text}: {known[name].note or 'not available'}"

    at_hand = Evaluation(look)
    parts = [budget.expect] if budget.when is None else [budget.when, budget.expect]
    applies = values.truth(known=True) if budget.when is None else at_hand.condition(budget.when)
    if applies.known is False:
        parts, found = parts[:1], values.truth(known=None)
        verdict: Result = "not-applicable"
        arithmetic = f"when {at_hand.shown(parts[0])}"
    else:
        found = at_hand.condition(budget.expect)
        found = values.joined([values.negation(applies), found], "or")
        verdict = _VERDICTS[found.known]
        arithmetic = " when ".join(at_hand.shown(part) for part in reversed(parts))
    used = [scoped(name) for part in parts for name in names(part)]
    mine, its = (
        tuple(known[name] for name in dict.fromkeys(n for at, n in used if at == scope)
              if name in known)
        for scope, known in (("fact", facts), ("baseline", baseline or {}))
    )  # fmt: skip
    return Outcome(budget, verdict, arithmetic, mine, its, found.reasons)
