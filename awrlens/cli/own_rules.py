"""Additions of the user from the configuration: budgets and plugins."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import click

from awrlens import config, own_checks
from awrlens.config import choices
from awrlens.errors import UsageError

if TYPE_CHECKING:
    from awrlens.config import Additions


def of(loaded: config.Loaded) -> own_checks.Own:
    """The budgets and rules of the configuration; nothing is loaded if there are none.

    Raises UsageError for an invalid budget file or a duplicate id.
    """
    return _read(loaded.additions) if any(loaded.additions) else own_checks.Own()


@lru_cache(maxsize=16)
def _read(additions: Additions) -> own_checks.Own:
    from awrlens.facts.registry import units  # noqa: PLC0415 - few have any
    from awrlens.rules import plugins  # noqa: PLC0415

    found = plugins.load(additions.plugins, units())
    budgets = choices.budgets(additions.budgets, additions.written)
    ids = {each.id for each in found.rules}
    for budget in budgets:
        if budget.id in ids:
            raise UsageError(
                f"{budget.id} is already the id of a plugin rule.", source=budget.file,
                line=budget.line, hint="Give the budget another id.",
            )  # fmt: skip
    return own_checks.Own(budgets, found.rules, found.warnings)


def whole(loaded: config.Loaded) -> own_checks.Own:
    """The same for a check; UsageError for a missing plugin, which could hide a failure."""
    found = of(loaded)
    if found.warnings:
        raise UsageError(
            " ".join(found.warnings), source=str(loaded.file) if loaded.file else None,
            hint="A check needs all rules that the key plugins requests.",
        )  # fmt: skip
    return found


def complain(loaded: config.Loaded) -> own_checks.Own:
    """The same, with problems of plugins reported on standard error."""
    from awrlens.render.present import safe  # noqa: PLC0415 - not for --help

    found = of(loaded)
    for warning in found.warnings:
        click.echo(f"awrlens: {safe(warning)}", err=True)
    return found
