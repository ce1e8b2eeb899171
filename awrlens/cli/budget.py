"""``awrlens budget``: checks files of budgets and evaluates them on a report."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from awrlens import api, budgets
from awrlens.budgets import BudgetError, tree
from awrlens.cli import output, own_rules
from awrlens.cli.console import complain
from awrlens.cli.options import PART, formats, part_of, redacted
from awrlens.config import choices
from awrlens.errors import EXIT_FINDINGS, EXIT_OK, EXIT_USAGE

if TYPE_CHECKING:
    from awrlens.budgets import Budget
    from awrlens.redact.names import Names

_FORMAT = formats("text", "json")


@click.group()
def budget() -> None:
    """Check files of budgets (docs/budgets.md), or evaluate one on a report.

    \b
    Examples:
      awrlens budget check team.budgets
      awrlens budget test team.budgets awrrpt_1_100_101.html
      awrlens budget test team.budgets new.html --against old.html
    """  # noqa: D301 - \b is for click


@budget.command()
@click.argument("file")
@_FORMAT
def check(file: str, format_: str) -> int:
    """Check FILE: print its budgets in canonical form, or its mistakes with line and column."""
    try:
        limits = choices.budgets([file], named=True)
    except BudgetError as problem:
        for mistake in problem.problems:
            complain(mistake)
        return EXIT_USAGE
    from awrlens.render.listing import budgets_page

    texts = [(b.id, budgets.text(b)) for b in limits]
    return output.answer(format_, [_budget(b) for b in limits], lambda *_: budgets_page(texts))


@budget.command()
@click.argument("file")
@click.argument("report")
@click.option("--against", metavar="REPORT", help="Report for `baseline.` facts.")
@PART
@_FORMAT
@redacted
def test(
    file: str, report: str, against: str | None, part: str | None, format_: str,
    names: Names | None,
) -> int:  # fmt: skip
    """Evaluate the budgets of FILE on REPORT and show their numbers.

    Exit status: 0 all budgets are met or not applicable, 1 a budget is violated, or required and
    not assessable, 2 the command line or FILE is invalid, 3 a report could not be read.
    """
    limits = choices.budgets([file], named=True)
    loaded = part_of(report, part, names)
    identity = loaded.identity.to_dict()
    facts = {**api.facts_of(loaded), **own_rules.printed(loaded, limits, names)}
    baseline = None
    if against is not None:
        before = part_of(against, part, names)
        baseline = {**api.facts_of(before), **own_rules.printed(before, limits, names)}
    outcomes = own_rules.assess(identity, facts, limits, baseline, names)
    rows = [
        _budget(outcome.budget) | {
            "verdict": outcome.verdict, "fails": outcome.fails, "arithmetic": outcome.arithmetic,
            "facts": {fact.name: fact.to_dict() for fact in outcome.facts},
            "baseline_facts": {fact.name: fact.to_dict() for fact in outcome.baseline_facts},
            "reasons": list(outcome.reasons),
        }
        for outcome in outcomes
    ]  # fmt: skip
    old = names.file(against) if names and against else against
    data = {"report": identity, "against": old, "budgets": rows}
    from awrlens.render.listing import outcomes_page

    output.answer(format_, data, lambda _, width: outcomes_page(rows, width))
    return EXIT_FINDINGS if any(outcome.fails for outcome in outcomes) else EXIT_OK


def _budget(limit: Budget) -> dict[str, Any]:
    return {
        **{name: getattr(limit, name) for name in ("id", "name", "severity", "required")},
        "expect": limit.condition,
        "when": tree.expression(limit.when) if limit.when is not None else None,
        "windows_pct": float(limit.share) if limit.share is not None else None,
        **{n: getattr(limit, n) for n in ("message", "why", "fix", "source", "file", "line")},
    }
