"""Evaluates budgets: met, violated, not assessable or not applicable; and checks their types.

An expression is checked by evaluating it on no report: every operation checks the types of its
operands, known or not. The author of a budget thus sees a mistake at once, with line and column.
A result becomes a finding, a recommendation or a skipped check.
"""

from __future__ import annotations

import operator
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Any, Final, Literal

from awrlens import errors
from awrlens.budgets import tree, values
from awrlens.budgets.tree import BudgetError, expression, names, operation, scoped
from awrlens.budgets.values import CONDITION, TEXT, TIME, Value, joined, moment, truth
from awrlens.lazy import NamedTuple
from awrlens.model import Finding, Impact, Recommendation, Skipped, Window
from awrlens.rules.base import Rule

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from awrlens.budgets.tree import Budget
    from awrlens.model import Fact
    from awrlens.model.expressions import Node


Result = Literal["met", "violated", "not-assessable", "not-applicable"]

#: The fields of a report's header (CONTRACT, section 1) with their units.
REPORT: Final = {
    **dict.fromkeys(
        ("kind", "db_name", "db_id", "instance", "instance_number", "release", "container",
         "host", "platform", "source", "weekday"), TEXT,
    ),
    **dict.fromkeys(("begin_time", "end_time", "startup_time"), TIME),
    **dict.fromkeys(("cpus", "cores", "begin_snap", "end_snap", "hour"), "count"),
    **dict.fromkeys(("elapsed_s", "db_time_s"), "s"),
    "block_size": "B",
    "rac": CONDITION,
}  # fmt: skip
_ORDER: Final[dict[str, Callable[[Any, Any], bool]]] = {
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
    "==": operator.eq, "!=": operator.ne,
}  # fmt: skip
_ARITHMETIC: Final = ("negative", "sum", "product")


class Evaluation:
    """Evaluates expressions; ``look`` has the value of a name, and the reason if it has none."""

    def __init__(self, look: Callable[[Node], tuple[Any, str]]) -> None:
        self._look = look

    def condition(self, node: Node) -> Value:
        """The truth of a condition; BudgetError for any other expression."""
        value = self._of(node)
        if value.sort != CONDITION:
            hint = "Add a comparison."
            if value.sort == "quantity" and not value.bare:
                unit = "" if value.plain else value.unit
                hint = f"Compare it: {expression(node)} <= 1 {unit}".rstrip() + "."
            message = f"{expression(node)} is not a condition but {value.said}."
            raise BudgetError(message, node.at, hint)
        return value

    def shown(self, node: Node, digits: int = values.FEWEST) -> str:
        """An expression with every name followed by its value, and every result."""
        if node.kind == "name":
            return f"{node.text} ({self._of(node).text(digits)})"
        if node.signs and node.signs[0].endswith("available"):
            return expression(node)
        if node.kind == "comparison" and node.signs[0] in _ORDER:
            digits = values.enough(*map(self._of, node.parts))

        def part(operand: Node, _: int) -> str:
            text = self.shown(operand, digits)
            if node.kind == "comparison":
                value = self._of(operand)
                computed = operand.kind in ("sum", "product") and value.data is not None
                return f"{text} = {value.text(digits)}" if computed else text
            unclear = node.kind in _ARITHMETIC and operand.kind in ("sum", "product")
            unclear |= {node.kind, operand.kind} <= {"and", "or"} or node.kind == "not"
            return f"({text})" if unclear else text

        return operation(node, part)

    def _of(self, node: Node) -> Value:
        match node.kind:
            case "number":
                number = Fraction(node.text)
                return values.quantity(number, node.unit or "ratio", bare=not node.unit)
            case "text":
                return Value(TEXT, (node.text,))
            case "name":
                value, missing = self._look(node)
                return values.printed(value, node.unit, node.text, missing)
            case "negative":
                inner = self._number(node.parts[0])
                return inner._replace(data=None if inner.data is None else -inner.data)
            case "sum" | "product":
                return self._chain(node)
            case "not":
                return values.negation(self.condition(node.parts[0]))
            case "and" | "or":
                return joined([self.condition(part) for part in node.parts], node.kind)
        negated = "not " in node.signs[0]
        result = self._test(node, node.signs[0].replace("not ", ""))
        return values.negation(result) if negated else result

    def _test(self, node: Node, sign: str) -> Value:
        operand, *others = node.parts
        if sign in _ORDER:
            return self._compare(operand, sign, others[0], node.at)
        if sign == "in":
            return joined([self._compare(operand, "==", other, node.at) for other in others], "or")
        if sign == "like":
            value = self._of(operand)
            if value.sort != TEXT:
                message = "`like` applies to texts only."
                raise BudgetError(message, node.at, "Compare with <= or ==.")
            if value.data is None:
                return truth(None, *value.reasons)
            return truth(any(values.like(text, others[0].text) for text in value.data))
        if operand.kind != "name":
            message = "`is available` applies to a fact or a field of the report only."
            raise BudgetError(message, node.at, "Test every fact separately.")
        return truth(self._look(operand)[0] is not None)

    def _number(self, node: Node) -> Value:
        value = self._of(node)
        if value.sort != "quantity":
            message = f"{expression(node)} is {value.said} and cannot be used in arithmetic."
            raise BudgetError(message, node.at, "Only numbers can be added or multiplied.")
        return value

    def _chain(self, node: Node) -> Value:
        before, *others = node.parts
        result = self._number(before)
        for sign, operand in zip(node.signs, others, strict=True):
            other = self._number(operand)
            if node.kind == "sum":
                _same(before, result, operand, other, operand.at)
            elif sign == "/" and other.data == 0 and result.data is not None:
                other = other._replace(data=None, reasons=(f"{expression(node)} divides by 0",))
            result, before = result.combined(sign, other), operand
        return result

    def _compare(self, left: Node, sign: str, right: Node, at: int) -> Value:
        mine, its = self._of(left), self._of(right)
        _alike(left, mine, sign, right, its, at)
        if mine.data is None or its.data is None:
            return truth(None, *values.merged(mine, its))
        if TIME in (mine.sort, its.sort):
            texts = [" ".join(value.data) for value in (mine, its)]
            lost = [f"{text!r} is not a time" for text in texts if moment(text) is None]
            return truth(None, lost[0]) if lost else truth(_ORDER[sign](*map(moment, texts)))
        if mine.sort == TEXT:
            common = {text.lower() for text in mine.data} & {text.lower() for text in its.data}
            return truth(bool(common) == (sign == "=="))
        return truth(_ORDER[sign](mine.data, its.data))


def _alike(left: Node, mine: Value, sign: str, right: Node, its: Value, at: int) -> None:
    if CONDITION in (mine.sort, its.sort):
        wrong = expression(left if mine.sort == CONDITION else right)
        message = f"{wrong} is a condition and cannot be compared."
        raise BudgetError(message, at, "Use the condition itself, or `not` before it.")
    if TIME in (mine.sort, its.sort):
        for node, value in ((left, mine), (right, its)):
            if value.sort != TIME and not (node.kind == "text" and moment(node.text)):
                hint = 'Write times as "2026-01-31 08:00" or "2026-01-31".'
                raise BudgetError(f"{expression(node)} is not a time.", node.at, hint)
    elif mine.sort != its.sort:
        message = f"{expression(left)} is {mine.said}, {expression(right)} is {its.said}."
        raise BudgetError(message, at, "Both sides must have the same type.")
    elif mine.sort == TEXT and sign not in ("==", "!="):
        raise BudgetError(f"Texts have no order for `{sign}`.", at, "Use ==, !=, like or in.")
    elif mine.sort != TEXT:
        _same(left, mine, right, its, at)


def _same(left: Node, mine: Value, right: Node, its: Value, at: int) -> None:
    for node, value, other in ((left, mine, its), (right, its, mine)):
        if value.bare and not other.plain:
            text = expression(node)
            message = f"{text} has no unit and is compared with a number in {other.unit}."
            example = f"{text if node.kind == 'number' else '1'} {other.unit}"
            hint = f"Write {example}, or another unit of the same dimension."
            raise BudgetError(message, node.at, hint)
    if not mine.agrees(its):
        both = f"{expression(left)} ({mine.unit}) and {expression(right)} ({its.unit})"
        hint = "Units must be convertible: ms and s are, ms and % are not."
        raise BudgetError(f"{both} have different dimensions.", at, hint)


def check(node: Node, units: Mapping[str, str]) -> None:
    """Check names and types of a condition; BudgetError for the first one that is wrong."""

    def look(name: Node) -> tuple[None, str]:
        if not name.unit:
            raise _unknown(name, units)
        return None, ""

    Evaluation(look).condition(node)
    if next(names(node), None) is None:
        hint = "Use a fact; `awrlens facts REPORT` shows all facts."
        raise BudgetError(f"{expression(node)} does not depend on a report.", node.at, hint)


def _unknown(node: Node, units: Mapping[str, str]) -> BudgetError:
    scope, name = scoped(node)
    choices: Mapping[str, object] = REPORT if scope == "report" else units
    what = "field of the report" if scope == "report" else "fact"
    near = errors.name(name, choices)
    if near:
        hint = f"Did you mean {node.text.removesuffix(name)}{near}?"
    elif scope == "report":
        hint = f"Fields are {', '.join(choices)}."
    elif scope == "fact" and name in REPORT:
        hint = f"Did you mean report.{name}?"
    else:
        hint = "`awrlens facts REPORT` shows all facts."
        if scope == "fact" and "." not in name:
            hint = "Put texts in double quotes; names of facts have a dot. " + hint
    return BudgetError(f"There is no {what} {name!r}.", node.at, hint)


_VERDICTS: Final[dict[bool | None, Result]] = {
    True: "met", False: "violated", None: "not-assessable",
}  # fmt: skip
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

    ``when A`` with an expected B means "not A or B": it is met if B holds and A is unknown.
    """
    begin = values.moment(str(report.get("begin_time") or ""))
    if begin is not None:
        report = {**report, "hour": begin.hour, "weekday": _DAYS[begin.weekday()]}

    def look(node: Node) -> tuple[Any, str]:
        scope, name = scoped(node)
        if scope == "report":
            return report.get(name), f"{node.text}: not in the report"
        in_scope = baseline if scope == "baseline" else facts
        if in_scope is None:
            return None, "there is no baseline (--against REPORT)"
        if name not in in_scope:
            return None, f"{node.text}: the report does not have this fact"
        return in_scope[name].value, f"{node.text}: {in_scope[name].note or 'not available'}"

    at_hand = Evaluation(look)
    parts = [budget.expect] if budget.when is None else [budget.when, budget.expect]
    applies = values.truth(holds=True) if budget.when is None else at_hand.condition(budget.when)
    if applies.data is False:
        parts, result = parts[:1], values.truth(holds=None)
        verdict: Result = "not-applicable"
        arithmetic = f"when {at_hand.shown(parts[0])}"
    else:
        result = at_hand.condition(budget.expect)
        result = values.joined([values.negation(applies), result], "or")
        verdict = _VERDICTS[result.data]
        arithmetic = " when ".join(at_hand.shown(part) for part in reversed(parts))
    used = [scoped(name) for part in parts for name in names(part)]
    mine, its = (
        tuple(in_scope[name] for name in dict.fromkeys(n for at, n in used if at == scope)
              if name in in_scope)
        for scope, in_scope in (("fact", facts), ("baseline", baseline or {}))
    )  # fmt: skip
    return Outcome(budget, verdict, arithmetic, mine, its, result.reasons)


#: The ``since`` of rules is a release of awrlens; budgets come from a file.
_SINCE: Final = "own"
_BOUNDS: Final = {
    "<": "budget below ", "<=": "budget ", ">": "budget above ", ">=": "budget at least ",
    "==": "budget exactly ", "!=": "budget other than ",
}  # fmt: skip
_IMPACT: Final = Impact(None, None, "a budget does not estimate time savings")


def finding(outcome: Outcome, doubts: tuple[str, ...] = ()) -> Finding | None:
    """The finding of a budget that fails; None for any other.

    The severity comes from the file, because a service level is an agreement. Estimates and
    ``doubts``, such as a short interval, lower the confidence.
    """
    if not outcome.fails:
        return None
    budget, reasons = outcome.budget, "; ".join(outcome.reasons)
    unknown = outcome.verdict == "not-assessable"
    why = f"{budget.why}." if budget.why.rstrip()[-1:] not in (*".!?", "") else budget.why
    if unknown:
        title = budget.message or f"{budget.condition} cannot be assessed"
        why = f"{why} {outcome.arithmetic} cannot be assessed. {reasons}."
    else:
        actual = _actual(outcome)
        title = f"{budget.message.rstrip('.')} ({actual})" if budget.message else actual
        why = f"{why} {outcome.arithmetic} does not hold."
        used = (*outcome.facts, *outcome.baseline_facts)
        estimated = dict.fromkeys(fact.name for fact in used if fact.status == "estimated")
        doubts = (*([f"{', '.join(estimated)}: estimated"] if estimated else ()), *doubts)
    failure = rule(budget).finding(
        title, budget.severity, why.lstrip(), impact=_IMPACT, facts=outcome.facts, doubts=doubts,
        sure="computed from numbers in the report",
    )  # fmt: skip
    return failure._replace(confidence="low", confidence_reason=reasons) if unknown else failure


def _actual(outcome: Outcome) -> str:
    """The value and the bound of a violated budget: `redo.sync_ms 12.8 ms, budget 5 ms`."""
    node = outcome.budget.expect
    sign = node.signs[0] if node.signs else ""
    if sign in _BOUNDS and outcome.arithmetic.startswith(f"{node.parts[0].text} ("):
        name, bound = node.parts[0].text, tree.expression(node.parts[1])
        shown = outcome.arithmetic.removeprefix(f"{name} (").partition(")")[0]
        return f"{name} {shown}, {_BOUNDS[sign]}{bound}"
    return f"{outcome.arithmetic} does not hold"


def not_applicable(outcome: Outcome) -> Skipped | None:
    """A budget that does not apply to this report; None for any other."""
    if outcome.budget.share is not None:
        share = tree.share(outcome.budget)
        return Skipped(outcome.budget.id, f"it applies to several reports: {share}", ())
    if outcome.verdict != "not-applicable":
        return None
    return Skipped(outcome.budget.id, f"{outcome.arithmetic} does not hold", ())


def window(outcome: Outcome) -> Window | None:
    """The report's contribution to a budget on several reports; None for other budgets."""
    budget = outcome.budget
    if budget.share is None:
        return None
    node, made = budget.expect, rule(budget)
    part = Window(
        made.finding(
            budget.condition, budget.severity, budget.why, impact=_IMPACT, related=made.needs
        ),
        float(budget.share), outcome.verdict, budget.message, budget.fix, budget.required,
        "; ".join(outcome.reasons),
    )  # fmt: skip
    if outcome.verdict not in ("met", "violated") or not outcome.facts:
        return part
    fact = outcome.facts[0]
    if [operand.kind for operand in node.parts] != ["name", "number"] or made.needs != (fact.name,):
        return part
    if fact.number is None or node.signs[0] not in _BOUNDS:
        return part
    at_least = node.signs[0] in (">", ">=")
    return part._replace(name=fact.name, value=fact.number, unit=fact.unit, at_least=at_least)


def skipped(outcome: Outcome) -> Skipped | None:
    """A budget that cannot be assessed and is not required; None for any other."""
    if outcome.verdict != "not-assessable" or outcome.fails:
        return None
    missing = [fact for fact in outcome.facts if fact.value is None]
    sections = dict.fromkeys(name for fact in missing for name in fact.sections)
    return Skipped(outcome.budget.id, "; ".join(outcome.reasons), tuple(sections))


def recommendation(outcome: Outcome) -> Recommendation | None:
    """The fix of a violated budget, from the file."""
    budget = outcome.budget
    if outcome.verdict != "violated" or not budget.fix:
        return None
    return Recommendation(
        id=budget.name, title=budget.fix, action=f"{budget.fix} ({budget.cited})", status="apply",
        validate=(f"{budget.condition} in a later report of the same load",), findings=(budget.id,),
    )  # fmt: skip


def rule(budget: Budget) -> Rule:
    """A budget as a rule, with the page that its file makes."""
    when = f" Applies to reports with {tree.expression(budget.when)}." if budget.when else ""
    if budget.share is not None:
        when += f" Applies to all reports of a database together, {tree.share(budget)}."
    unknown = "it fails" if budget.required else "it is reported as not assessable"
    page = {
        "What it means": f"Whether {budget.condition}.{when}",
        "Why it matters": budget.why,
        "What to do": budget.fix,
        "When it is wrong": f"If a required value is not in the report, {unknown}.",
        "Sources": budget.cited,
    }
    page = {head: text for head, text in page.items() if text}
    return Rule(
        budget.id, budget.name, _SINCE, "stable", (), None, (),
        needs=tuple(dict.fromkeys(name.text for name in tree.names(budget.expect))),
        others=tuple(dict.fromkeys(name.text for name in tree.names(budget.when))),
        thresholds=(), decide=partial(assess, budget), severity=budget.severity,
        written=(budget.message or budget.condition, page),
    )  # fmt: skip
