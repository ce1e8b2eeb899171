"""The options that `check` and `baseline` share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from awrlens.cli import complete

if TYPE_CHECKING:
    from collections.abc import Callable


def selectors(context: click.Context, parameter: click.Parameter, value: Any) -> tuple[str, ...]:  # noqa: ANN401, ARG001 - click's signature
    """Selectors separated by commas, or from a repeated option."""
    parts = [part.strip() for text in value for part in text.split(",")]
    return tuple(part for part in parts if part)


def selecting(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options shared by `check` and `baseline`."""
    for option in reversed((
        click.option("--select", multiple=True, metavar="RULES", callback=selectors,
                     shell_complete=complete.selectors,
                     help="Rules to check: ids, names or id prefixes (REDO) [default: ALL]."),
        click.option("--extend-select", multiple=True, metavar="RULES", callback=selectors,
                     shell_complete=complete.selectors,
                     help="Rules to check in addition to the selected ones."),
        click.option("--ignore", multiple=True, metavar="RULES", callback=selectors,
                     shell_complete=complete.selectors,
                     help="Rules to ignore; the longer selector wins."),
        click.option("-j", "--jobs", type=click.IntRange(1), metavar="N",
                     help="Read up to N reports in parallel [default: one per CPU]."),
    )):  # fmt: skip
        command = option(command)
    return command
