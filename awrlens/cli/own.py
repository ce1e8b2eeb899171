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
    from awrlens.facts.registry import units  # noqa: PLC0415 - few have any
    from awrlens.rules import plugins  # noqa: PLC0415

    found = plugins.load(additions.plugins, units())
    budgets = config.budgets(additions.budgets)
    ids = {each.id for each in found.rules}
    for budget in budgets:
        if budget.id in ids:
            raise UsageError(
                f"{budget.id} is the id of a plugin's rule.", source=budget.file,
                line=budget.line, hint="Give the budget another.",
            )  # fmt: skip
    return api.Own(budgets, found.rules, found.warnings)


def whole(loaded: config.Loaded) -> api.Own:
    """The same for a check, which a plugin that is left out would let pass: UsageError."""
    found = of(loaded)
    if found.warnings:
        raise UsageError(
            " ".join(found.warnings), source=str(loaded.file) if loaded.file else None,
            hint="A check needs every rule that the key plugins asks for.",
        )  # fmt: skip
    return found


def complain(loaded: config.Loaded) -> api.Own:
    """The same, with what is wrong with plugins told on standard error."""
    from awrlens.render.present import safe  # noqa: PLC0415 - not for --help

    found = of(loaded)
    for warning in found.warnings:
        click.echo(f"awrlens: {safe(warning)}", err=True)
    return found
