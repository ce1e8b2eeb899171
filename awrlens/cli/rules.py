"""``awrlens rules`` and ``awrlens rule ID``: what is looked for, and why."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from awrlens import config
from awrlens import rules as registry
from awrlens.check import regress
from awrlens.cli import output
from awrlens.errors import EXIT_OK
from awrlens.policy import cite
from awrlens.render.json import document

if TYPE_CHECKING:
    from awrlens.policy import Threshold
    from awrlens.rules.base import Rule


def threshold_document(threshold: Threshold) -> dict[str, Any]:
    """A threshold as plain data."""
    return threshold._asdict() | {"source": cite(threshold.source)}


def rule_document(rule: Rule) -> dict[str, Any]:
    """A rule as plain data."""
    return {
        "id": rule.id,
        "name": rule.name,
        "title": rule.title,
        "since": rule.since,
        "status": rule.status,
        "needs": list(rule.needs),
        "wants": list(rule.wants),
        "thresholds": [threshold_document(each) for each in rule.thresholds],
        "page": rule.page | {"Sources": cite(" ".join(rule.page["Sources"].split()))},
    }


def _regression() -> dict[str, Any]:
    """The rule of `check --against`, which compares reports and needs no facts of its own."""
    rule, name, title = regress.RULE
    return {
        "id": rule, "name": name, "title": title, "since": "0.1", "status": "preview",
        "needs": [], "wants": [], "thresholds": [], "page": regress.page(),
    }  # fmt: skip


_FORMAT = click.option(
    "-f", "--format", "format_", default="text", show_default=True,
    type=click.Choice(["text", "json"]), help="How to print.",
)  # fmt: skip


@click.command()
@click.option("--thresholds", is_flag=True, help="List the thresholds instead.")
@_FORMAT
def rules(thresholds: bool, format_: str) -> int:
    """List the rules, or with --thresholds the numbers that decide.

    A threshold is changed for one call by `awrlens analyze --set NAME=VALUE`.
    """
    from awrlens.render import listing  # noqa: PLC0415

    if thresholds:
        found = [threshold_document(each) for each in config.known().values()]
        if format_ == "json":
            click.echo(document(found))
        else:
            output.show(listing.thresholds_page(found, output.width()))
        return EXIT_OK
    documents = [rule_document(each) for each in registry.all_rules()]
    if format_ == "json":
        click.echo(document(documents))
    else:
        output.show(listing.rules_page(documents, output.width()))
    return EXIT_OK


@click.command()
@click.argument("rule_id", metavar="ID")
@_FORMAT
def rule(rule_id: str, format_: str) -> int:
    """Explain one rule: what it tells, its formula, thresholds and sources, when it is wrong."""
    found = (
        _regression()
        if rule_id.upper() == regress.RULE[0]
        else rule_document(registry.get(rule_id))
    )
    if format_ == "json":
        click.echo(document(found))
        return EXIT_OK
    from awrlens.render.listing import rule_page  # noqa: PLC0415

    output.show(rule_page(found, output.width()))
    return EXIT_OK
