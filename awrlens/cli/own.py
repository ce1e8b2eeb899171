"""What a user adds to our rules: budgets and plugins, as the configuration names them."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import click

from awrlens import api, config
from awrlens.errors import UsageError

if TYPE_CHECKING:
    from awrlens.config import Additions


def of(loaded: config.Loaded) -> api.Own:
    """The budgets and rules that hold beside ours; none, and nothing loaded, where none is asked.

    Raises UsageError for what is wrong in a file of budgets, or where an id is there twice.
    """
    return _read(loaded.additions) if any(loaded.additions) else api.Own()


@lru_cache(maxsize=16)
def _read(additions: Additions) -> api.Own:
    from awrlens.rules import plugins  # noqa: PLC0415 - few have any

    found = plugins.load(additions.plugins)
    budgets = config.budgets(additions.budgets)
    ids = {each.id for each in found.rules}
    for budget in budgets:
        if budget.id in ids:
            raise UsageError(
                f"{budget.id} is the id of a plugin's rule.", source=budget.file,
                line=budget.line, hint="Give the budget another.",
            )  # fmt: skip
    return api.Own(budgets, found.rules, found.warnings)


def complain(loaded: config.Loaded) -> api.Own:
    """The same, with what is wrong with plugins told on standard error."""
    from awrlens.render.present import safe  # noqa: PLC0415 - not for --help

    found = of(loaded)
    for warning in found.warnings:
        click.echo(f"awrlens: {safe(warning)}", err=True)
    return found
