"""What a configuration can name: thresholds, rules, budgets, profiles."""

from __future__ import annotations

import os
import tomllib
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from awrlens import policy
from awrlens.checks.selection import check_some, checked
from awrlens.config import values
from awrlens.config.values import Additions
from awrlens.errors import UsageError
from awrlens.policy import declared

if TYPE_CHECKING:
    from collections.abc import Iterable

    from awrlens.budgets import Budget
    from awrlens.checks.selection import Settings
    from awrlens.config.values import Written
    from awrlens.policy import Threshold


BUDGETS: Final = ".budgets"


def all_thresholds(*, satellites: bool = True) -> dict[str, Threshold]:
    """All thresholds by name, or only those of rules, advice and comparisons on Oracle reports."""
    from awrlens import extensions
    from awrlens.advice import devices

    thresholds = declared(policy.__file__) | {own.name: own for own in devices.THRESHOLDS.values()}
    for extension in extensions.registered() if satellites else ():
        thresholds |= declared(extension.thresholds) if extension.thresholds else {}
    return dict(sorted(thresholds.items()))


def checked_settings(asked: Settings, additions: Additions) -> Settings:
    """Checked selectors; budgets and plugins are loaded only if our rules do not match."""
    try:
        return _checked(asked, known_rules())
    except UsageError:
        if not any(additions):
            raise
        return _checked(asked, known_rules(additions))


def _checked(asked: Settings, rules: dict[str, str]) -> Settings:
    settings = checked(asked, rules)
    check_some(settings, rules)
    return settings


def budgets(
    files: Iterable[str], written: Iterable[Written] = (), *, named: bool = False
) -> tuple[Budget, ...]:
    """The budgets of files and texts; UsageError for mistakes in them.

    ``named``: given by the caller. A configuration may name any file, and its text must not leak
    through error messages: only files with the suffix of budgets are quoted.
    """
    from awrlens.budgets import BudgetError, parse
    from awrlens.facts.registry import units

    by_id: dict[str, Budget] = {}
    # a file below the current folder by its relative path, which keeps messages short
    near = [(file.removeprefix(os.path.join(os.getcwd(), "")), None) for file in files]
    for file, text in (*near, *written):
        try:
            said = parse(_text(file) if text is None else text, units(), file)
        except BudgetError as problem:
            if file.endswith(BUDGETS) or named or text is not None:
                raise
            raise UsageError(
                "The file is not a file of budgets, or it has a mistake.", source=problem.source,
                hint=f"`awrlens budget check FILE` shows the mistake; for files named *{BUDGETS} "
                "it is shown here.",
            ) from None  # fmt: skip
        if not said:  # a check with it would pass anything
            raise UsageError(
                "There is no budget in it.", source=file, hint="docs/budgets.md has some."
            )
        for budget in said:
            other = by_id.setdefault(budget.id, budget)
            if other is not budget:
                raise UsageError(
                    f"{budget.id} is also in {other.place}.", source=budget.file, line=budget.line,
                    hint="Give it another id, or remove one of them.",
                )  # fmt: skip
    return tuple(by_id.values())


def _text(file: str) -> str:
    try:
        return values.content(file, "budgets", "Check the path.", regular=True).decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        raise UsageError(
            "The file is not UTF-8 text.", source=file,
            line=problem.object.count(b"\n", 0, problem.start) + 1, hint="Save it as UTF-8.",
        ) from None  # fmt: skip


def known_rules(
    additions: Additions = Additions(),  # noqa: B008 - an immutable value
) -> dict[str, str]:
    """The rules that selectors can match: name by id."""
    from awrlens import rules
    from awrlens.rules import plugins

    of_files = budgets(additions.budgets, additions.written)
    theirs = (*rules.all_rules(rules.table()), *plugins.load(additions.plugins).rules)
    return {rule.id: rule.name for rule in theirs} | {budget.id: budget.name for budget in of_files}


@cache
def profiles() -> dict[str, dict[str, Any]]:
    """Our profiles by name, each in the format of a configuration file, with ``about``."""
    with open(os.path.join(os.path.dirname(__file__), "profiles.toml"), "rb") as file:
        return tomllib.load(file)
