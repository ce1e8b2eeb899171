"""Converts results of budgets to findings, recommendations, rule pages and skipped checks."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from awrlens.budgets import tree
from awrlens.budgets.assess import assess
from awrlens.model import Confidence, Finding, Impact, Recommendation, Skipped, Window
from awrlens.rules.base import Rule

if TYPE_CHECKING:
    from awrlens.budgets.assess import Outcome
    from awrlens.budgets.tree import Budget

#: The ``since`` of rules is a release of awrlens; budgets come from a file.
_SINCE: Final = "own"


def finding(outcome: Outcome, doubts: tuple[str, ...] = ()) -> Finding | None:
    """The finding of a budget that fails; None for any other.

    The severity comes from the file, because a service level is an agreement. Estimates and
    ``doubts``, such as a short interval, lower the confidence.
    """
    if not outcome.fails:
        return None
    budget = outcome.budget
    unknown = outcome.verdict == "not-assessable"
    what = tree.expression(budget.expect)
    reasons = f" {'; '.join(outcome.reasons)}." if unknown else ""
    actual = _actual(outcome)
    title = f"{budget.message.rstrip('.')} ({actual})" if budget.message else actual
    detail = f"{outcome.arithmetic} {'cannot be assessed' if unknown else 'does not hold'}."
    confidence, sure = _confidence(outcome, doubts)
    return Finding(
        id=budget.id,
        name=budget.name,
        since=_SINCE,
        title=(budget.message or f"{what} cannot be assessed") if unknown else title,
        severity=budget.severity,
        confidence=confidence,
        confidence_reason=sure,
        impact=Impact(None, None, "a budget does not estimate time savings"),
        facts=tuple(fact for fact in outcome.facts if fact.evidence),
        why=f"{_sentence(budget.why)}{detail}{reasons}",
        source=_source(budget),
    )


_AT_LEAST: Final = (">", ">=")
#: The wording of a bound, by operator.
_BOUNDS: Final = {
    "<": "budget below ", "<=": "budget ", ">": "budget above ", ">=": "budget at least ",
    "==": "budget exactly ", "!=": "budget other than ",
}  # fmt: skip


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
    known = outcome.verdict in ("met", "violated")
    found = Window(
        Finding(
            id=budget.id, name=budget.name, since=_SINCE, title=tree.expression(budget.expect),
            severity=budget.severity, confidence="high", confidence_reason="",
            impact=Impact(None, None, ""), facts=(), why=budget.why, source=_source(budget),
            related=tuple(dict.fromkeys(each.text for each in tree.names(budget.expect))),
        ),
        float(budget.share), outcome.verdict, budget.message, budget.fix, budget.required,
        "; ".join(outcome.reasons),
    )  # fmt: skip
    node, fact = budget.expect, outcome.facts[0] if outcome.facts else None
    if not known or fact is None or node.kind != "comparison" or node.parts[0].text != fact.name:
        return found
    if [each.kind for each in node.parts] != ["name", "number"] or fact.number is None:
        return found
    return found._replace(
        name=fact.name, value=fact.number, unit=fact.unit, at_least=node.signs[0] in _AT_LEAST
    )


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
        id=budget.name,
        title=budget.fix,
        action=f"{budget.fix} ({_source(budget)})",
        status="apply",
        validate=(f"{tree.expression(budget.expect)} in a later report of the same load",),
        findings=(budget.id,),
    )


def rule(budget: Budget) -> Rule:
    """A budget as a rule, with the page that its file makes."""
    what = tree.expression(budget.expect)
    when = f" Applies to reports with {tree.expression(budget.when)}." if budget.when else ""
    if budget.share is not None:
        when += f" Applies to all reports of a database together, {tree.share(budget)}."
    unknown = "it fails" if budget.required else "it is reported as not assessable"
    page = {
        "What it means": f"Whether {what}.{when}",
        "Why it matters": budget.why,
        "What to do": budget.fix,
        "When it is wrong": f"If a required value is not in the report, {unknown}.",
        "Sources": _source(budget),
    }
    return Rule(
        budget.id, budget.name, _SINCE, "stable", (), None, (),
        needs=tuple(dict.fromkeys(each.text for each in tree.names(budget.expect))),
        wants=tuple(dict.fromkeys(each.text for each in tree.names(budget.when))),
        thresholds=(), decide=partial(assess, budget), severity=budget.severity,
        written=(budget.message or what, {head: text for head, text in page.items() if text}),
    )  # fmt: skip


def _confidence(outcome: Outcome, doubts: tuple[str, ...]) -> tuple[Confidence, str]:
    if outcome.verdict == "not-assessable":
        return "low", "; ".join(outcome.reasons) or "it cannot be assessed"
    used = (*outcome.facts, *outcome.baseline_facts)
    estimated = dict.fromkeys(fact.name for fact in used if fact.status == "estimated")
    reasons = [f"{', '.join(estimated)}: estimated"] if estimated else []
    reasons += doubts
    levels: tuple[Confidence, ...] = ("high", "medium", "low")
    level = levels[min(len(reasons), len(levels) - 1)]
    return level, "; ".join(reasons) or "computed from numbers in the report"


def _source(budget: Budget) -> str:
    return f"{budget.source} ({budget.place})" if budget.source else f"budget, {budget.place}"


def _sentence(text: str) -> str:
    if not text:
        return ""
    return f"{text} " if text.rstrip().endswith((".", "!", "?")) else f"{text}. "
