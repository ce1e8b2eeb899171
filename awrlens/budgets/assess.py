"""Evaluates a budget on the facts of a report: met, violated, not assessable, not applicable."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any, Final, Literal

from awrlens.budgets import logic, tree
from awrlens.budgets.dimensions import BARE, measure
from awrlens.budgets.kinds import REPORT
from awrlens.budgets.logic import Answer
from awrlens.budgets.texts import like, moment
from awrlens.budgets.values import (
    FEWEST,
    Amount,
    Unknown,
    Value,
    Words,
    combine,
    enough,
    readable,
    typed,
)
from awrlens.records import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import datetime

    from awrlens.budgets.tree import Budget, Node
    from awrlens.model import Fact

Result = Literal["met", "violated", "not-assessable", "not-applicable"]

_ORDER: Final[dict[str, Callable[[Any, Any], bool]]] = {
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
    "==": operator.eq, "!=": operator.ne,
}  # fmt: skip


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
    at_hand = _Assessment(facts, {**report, **_when(report)}, baseline)
    if budget.when is not None:
        applies = at_hand.holds(budget.when)
        if applies.holds is False:
            return at_hand.outcome(budget, "not-applicable", f"when {applies.shown}", ())
        expected = at_hand.holds(budget.expect)
        answer = logic.disjunction(
            (logic.negation(applies, ""), expected), f"{expected.shown} when {applies.shown}"
        )
    else:
        answer = at_hand.holds(budget.expect)
    verdicts: dict[bool | None, Result] = {True: "met", False: "violated", None: "not-assessable"}
    return at_hand.outcome(budget, verdicts[answer.holds], answer.shown, answer.reasons)


#: Values of `report.weekday`.
_DAYS: Final = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")


def _when(report: Mapping[str, Any]) -> dict[str, Any]:
    """Hour and weekday of the begin of the interval, if the report prints it."""
    begin = moment(str(report.get("begin_time") or ""))
    return {} if begin is None else {"hour": begin.hour, "weekday": _DAYS[begin.weekday()]}


class _Assessment:
    """Evaluates expressions and records the facts they use."""

    def __init__(
        self,
        facts: Mapping[str, Fact],
        report: Mapping[str, Any],
        baseline: Mapping[str, Fact] | None,
    ) -> None:
        self._facts = facts
        self._report = report
        self._baseline = baseline
        self._used: dict[str, Fact] = {}
        self._used_baseline: dict[str, Fact] = {}

    def outcome(
        self, budget: Budget, verdict: Result, arithmetic: str, reasons: tuple[str, ...]
    ) -> Outcome:
        facts, others = tuple(self._used.values()), tuple(self._used_baseline.values())
        return Outcome(budget, verdict, arithmetic, facts, others, reasons)

    def holds(self, node: Node) -> Answer:
        """Evaluate a condition."""
        match node:
            case tree.Compare():
                return self._compare(node)
            case tree.Like():
                found = self._texts(node.operand)
                shown = f"{self._shown(node.operand, found)} {_not(node)}like "
                shown += tree.quoted(node.pattern)
                return _decide(found, lambda each: like(each, node.pattern), shown, node)
            case tree.In():
                return self._in(node)
            case tree.Available():
                there = self._available(node.operand)
                words = f"is {_not(node)}available"
                answer = Answer(there, f"{tree.expression(node.operand)} {words}")
                return logic.negation(answer, answer.shown) if node.negated else answer
            case tree.Not():
                inner = self.holds(node.operand)
                return logic.negation(inner, f"not ({inner.shown})")
            case tree.Several():
                answers = [self.holds(part) for part in node.parts]
                shown = f" {node.word} ".join(
                    f"({answer.shown})" if isinstance(part, tree.Several) else answer.shown
                    for part, answer in zip(node.parts, answers, strict=True)
                )
                join = logic.conjunction if node.word == "and" else logic.disjunction
                return join(answers, shown)
            case tree.Name():
                return self._flag(node)
        raise TypeError(f"{node} is not a condition")  # the units have been checked

    def _flag(self, node: tree.Name) -> Answer:
        """``report.rac``."""
        value = self._report.get(node.name)
        if isinstance(value, bool):
            return Answer(value, f"{node.written} ({'yes' if value else 'no'})")
        return Answer(None, f"{node.written} (not available)", (_not_printed(node),))

    def _available(self, node: Node) -> bool:
        if isinstance(node, tree.Name) and node.scope == "report":
            return self._report.get(node.name) is not None
        fact = self._fact(node) if isinstance(node, tree.Name) else None
        return fact is not None and fact.value is not None

    def _fact(self, node: tree.Name) -> Fact | None:
        of_baseline = node.scope == "baseline"
        facts = self._baseline if of_baseline else self._facts
        fact = facts.get(node.name) if facts is not None else None
        if fact is not None:
            (self._used_baseline if of_baseline else self._used)[node.name] = fact
        return fact

    def _compare(self, node: tree.Compare) -> Answer:
        left, right = self._value(node.left), self._value(node.right)
        reasons = tuple(
            reason for each in (left, right) if isinstance(each, Unknown) for reason in each.reasons
        )
        if isinstance(left, Amount) and isinstance(right, Amount):
            digits = enough(left, right)
        else:
            digits = FEWEST
        sides = (self._shown(node.left, left, digits), self._shown(node.right, right, digits))
        shown = f" {node.operator} ".join(sides)
        if reasons:
            return Answer(None, shown, tuple(dict.fromkeys(reasons)))
        if isinstance(left, Amount) and isinstance(right, Amount):
            return Answer(_ORDER[node.operator](left.value, right.value), shown)
        if isinstance(left, Words) and isinstance(right, Words):
            if _is_time(node.left) or _is_time(node.right):
                return _compare_times(left, right, node.operator, shown)
            mine, its = ({each.lower() for each in side.texts} for side in (left, right))
            same = bool(mine & its)
            return Answer(same == (node.operator == "=="), shown)
        return Answer(None, shown, ("the compared values have different types",))

    def _in(self, node: tree.In) -> Answer:
        options_ = (tree.Compare(node.operand, "==", option) for option in node.options)
        answers = [self._compare(each) for each in options_]
        found = self._value(node.operand)
        options = ", ".join(tree.expression(option) for option in node.options)
        shown = f"{self._shown(node.operand, found)} {_not(node)}in ({options})"
        answer = logic.disjunction(answers, shown)
        return logic.negation(answer, shown) if node.negated else answer

    def _value(self, node: Node) -> Value:
        match node:
            case tree.Number():
                own = measure(node.unit) if node.unit else BARE
                return Amount(node.value * own.scale, own)
            case tree.Text():
                return Words((node.value,))
            case tree.Name():
                return self._named(node)
            case tree.Negative():
                inner = self._value(node.operand)
                return inner._replace(value=-inner.value) if isinstance(inner, Amount) else inner
            case tree.Chain():
                return self._chain(node)
        return Unknown((f"{tree.expression(node)} is not a value",))  # the units have been checked

    def _named(self, node: tree.Name) -> Value:
        if node.scope == "report":
            value = self._report.get(node.name)
            if value is None:
                return Unknown((_not_printed(node),))
            kind = REPORT[node.name]
            unit_name = kind.measure.unit if kind.sort == "quantity" else "text"
            return typed(value, unit_name, node.written)
        if node.scope == "baseline" and self._baseline is None:
            return Unknown(("there is no baseline (--against REPORT)",))
        fact = self._fact(node)
        if fact is None:
            return Unknown((f"{node.written}: the report does not have this fact",))
        if fact.value is None:
            return Unknown((f"{node.written}: {fact.note or 'not available'}",))
        return typed(fact.value, fact.unit, node.written)

    def _texts(self, node: Node) -> Words | Unknown:
        found = self._value(node)
        if isinstance(found, Amount):
            return Unknown((f"{tree.expression(node)} is not a text",))
        return found

    def _chain(self, node: tree.Chain) -> Value:
        first: tuple[str, Value] = ("", self._value(node.first))
        parts = [first, *((sign, self._value(each)) for sign, each in node.rest)]
        reasons = [
            reason for _, part in parts if isinstance(part, Unknown) for reason in part.reasons
        ]
        amounts = [(sign, part) for sign, part in parts if isinstance(part, Amount)]
        if reasons or len(amounts) < len(parts):
            return Unknown(
                tuple(dict.fromkeys(reasons)) or (f"{tree.expression(node)}: not a number",)
            )
        found = amounts[0][1]
        for sign, other in amounts[1:]:
            if sign == "/" and not other.value:
                return Unknown((f"{tree.expression(node)} divides by 0",))
            found = combine(found, sign, other)
        return found

    def _shown(self, node: Node, value: Value, digits: int = FEWEST) -> str:
        """An operand with its value: ``redo.write_ms (18.68 ms)``, ``1.2 * a (5 ms) = 6 ms``."""
        match node:
            case tree.Number() | tree.Text():
                return tree.expression(node)
            case tree.Name():
                return f"{node.written} ({readable(value, digits)})"
        inner = self._inner(node, digits)
        if isinstance(value, Amount) and isinstance(node, tree.Chain):
            return f"{inner} = {readable(value, digits)}"
        return inner

    def _inner(self, node: Node, digits: int) -> str:
        """An operand with the values of its names."""
        match node:
            case tree.Negative():
                return f"-{self._part(node.operand, digits)}"
            case tree.Chain():
                rest = "".join(f" {sign} {self._part(each, digits)}" for sign, each in node.rest)
                return self._part(node.first, digits) + rest
        return self._shown(node, self._value(node), digits)

    def _part(self, node: Node, digits: int) -> str:
        text = self._inner(node, digits)
        return f"({text})" if isinstance(node, tree.Chain) else text


def _not_printed(node: tree.Name) -> str:
    return f"{node.written}: not in the report"


def _is_time(node: Node) -> bool:
    return (
        isinstance(node, tree.Name) and node.scope == "report" and REPORT[node.name].sort == "time"
    )


def _compare_times(left: Words, right: Words, sign: str, shown: str) -> Answer:
    times: list[datetime] = []
    for text in (" ".join(left.texts), " ".join(right.texts)):
        found = moment(text)
        if found is None:
            return Answer(None, shown, (f"{text!r} is not a time",))
        times.append(found)
    return Answer(_ORDER[sign](*times), shown)


def _decide(
    found: Words | Unknown, test: Callable[[str], bool], shown: str, node: tree.Like
) -> Answer:
    """Whether at least one text passes a test."""
    if isinstance(found, Unknown):
        return Answer(None, shown, found.reasons)
    answer = Answer(any(test(each) for each in found.texts), shown)
    return logic.negation(answer, shown) if node.negated else answer


def _not(node: tree.Like | tree.In | tree.Available) -> str:
    return "not " if node.negated else ""
