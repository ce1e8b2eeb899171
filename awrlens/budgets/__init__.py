"""Budgets: service levels and custom rules, written as conditions on facts.

``parse`` reads a text and checks its names and units, ``assess`` evaluates a budget on a report,
``finding`` and ``skipped`` convert the result. ``docs/budgets.md`` documents the language.
"""

from awrlens.budgets.assess import (
    Outcome,
    assess,
    finding,
    not_applicable,
    recommendation,
    rule,
    skipped,
    window,
)
from awrlens.budgets.language import parse
from awrlens.budgets.tree import Budget, BudgetError, text

__all__ = [
    "Budget", "BudgetError", "Outcome", "assess", "finding", "not_applicable",
    "parse", "recommendation", "rule", "skipped", "text", "window",
]  # fmt: skip
