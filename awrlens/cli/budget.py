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
        found = choices.budgets([file], named=True)
    except BudgetError as problem:
        for each in problem.problems:
            complain(each)
        return EXIT_USAGE
    from awrlens.render.listing import budgets_page

    texts = [(each.id, budgets.text(each)) for each in found]
    return output.answer(format_, [_budget(each) for each in found], lambda *_: budgets_page(texts))


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
    found = choices.budgets([file], named=True)
    loaded = part_of(report, part, names)
    identity = loaded.identity.to_dict()
    facts = {**api.facts_of(loaded), **own_rules.printed(loaded, found, names)}
    baseline = None
    if against is not None:
        before = part_of(against, part, names)
        baseline = {**api.facts_of(before), **own_rules.printed(before, found, names)}
    outcomes = own_rules.assess(identity, facts, found, baseline, names)
    rows = [
        _budget(each.budget) | {
            "verdict": each.verdict, "fails": each.fails, "arithmetic": each.arithmetic,
            "facts": {fact.name: fact.to_dict() for fact in each.facts},
            "baseline_facts": {fact.name: fact.to_dict() for fact in each.baseline_facts},
            "reasons": list(each.reasons),
        }
        for each in outcomes
    ]  # fmt: skip
    old = names.file(against) if names and against else against
    data = {"report": identity, "against": old, "budgets": rows}
    from awrlens.render.listing import outcomes_page

    output.answer(format_, data, lambda _, width: outcomes_page(rows, width))
    return EXIT_FINDINGS if any(each.fails for each in outcomes) else EXIT_OK


def _budget(each: Budget) -> dict[str, Any]:
    return {
        **{name: getattr(each, name) for name in ("id", "name", "severity", "required")},
        "expect": each.condition,
        "when": tree.expression(each.when) if each.when is not None else None,
        "windows_pct": float(each.share) if each.share is not None else None,
        **{n: getattr(each, n) for n in ("message", "why", "fix", "source", "file", "line")},
    }
