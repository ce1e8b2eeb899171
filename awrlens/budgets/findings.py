"""Converts results of budgets to findings, recommendations, rule pages and skipped checks."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from awrlens.budgets import tree
from awrlens.budgets.assess import assess
from awrlens.model import Finding, Impact, Recommendation, Skipped, Window
from awrlens.rules.base import Rule

if TYPE_CHECKING:
    from awrlens.budgets.assess import Outcome
    from awrlens.budgets.tree import Budget

#: The ``since`` of rules is a release of awrlens; budgets come from a file.
_SINCE: Final = "own"
#: The wording of a bound, by operator.
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
    found = rule(budget).found(
        title, budget.severity, why.lstrip(), impact=_IMPACT, facts=outcome.facts, doubts=doubts,
        sure="computed from numbers in the report",
    )  # fmt: skip
    return found._replace(confidence="low", confidence_reason=reasons) if unknown else found


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
    found = Window(
        made.found(
            budget.condition, budget.severity, budget.why, impact=_IMPACT, related=made.needs
        ),
        float(budget.share), outcome.verdict, budget.message, budget.fix, budget.required,
        "; ".join(outcome.reasons),
    )  # fmt: skip
    if outcome.verdict not in ("met", "violated") or not outcome.facts:
        return found
    fact = outcome.facts[0]
    if [each.kind for each in node.parts] != ["name", "number"] or made.needs != (fact.name,):
        return found
    if fact.number is None or node.signs[0] not in _BOUNDS:
        return found
    at_least = node.signs[0] in (">", ">=")
    return found._replace(name=fact.name, value=fact.number, unit=fact.unit, at_least=at_least)


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
        needs=tuple(dict.fromkeys(each.text for each in tree.names(budget.expect))),
        wants=tuple(dict.fromkeys(each.text for each in tree.names(budget.when))),
        thresholds=(), decide=partial(assess, budget), severity=budget.severity,
        written=(budget.message or budget.condition, page),
    )  # fmt: skip
