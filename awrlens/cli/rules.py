"""``awrlens rules`` and ``awrlens rule ID``: the list of rules, and their explanation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from awrlens import config
from awrlens import rules as registry
from awrlens.checks import regress
from awrlens.cli import complete, output
from awrlens.errors import EXIT_OK
from awrlens.policy import cite
from awrlens.render.json import document

if TYPE_CHECKING:
    from collections.abc import Callable

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
        "page": rule.page | {"Sources": rule.source},
    }


def _regression() -> dict[str, Any]:
    """The rule of `check --against`; it compares reports and needs no facts."""
    rule, name, title = regress.RULE
    return {
        "id": rule, "name": name, "title": title, "since": "0.1", "status": "preview",
        "needs": [], "wants": [], "thresholds": [], "page": regress.page(),
    }  # fmt: skip


def _own_documents() -> list[dict[str, Any]]:
    """The rules that the configuration of this folder adds: plugins and budgets."""
    loaded = config.load("-")
    if not any(loaded.additions):
        return []
    from awrlens import budgets  # noqa: PLC0415 - few have any
    from awrlens.cli import own_rules  # noqa: PLC0415

    added = own_rules.complain(loaded)
    return [*map(rule_document, added.rules), *map(budgets.document, added.budgets)]


def elsewhere() -> dict[str, dict[str, Any]]:
    """Rules for other inputs than a report's facts: comparisons, alert logs, predictions."""
    from awrlens.recovery import buddy, judge  # noqa: PLC0415 - few ask
    from awrlens.recovery import rules as measured  # noqa: PLC0415

    pages: dict[str, tuple[str, Callable[..., object], tuple[Threshold, ...]]] = {
        buddy.RECO001[0]: (buddy.RECO001[1], buddy.advise, ()),
        measured.RECO002[0]: (
            measured.RECO002[1], measured.recovery_over_target, judge.THRESHOLDS
        ),
    }  # fmt: skip
    found = {regress.RULE[0]: _regression()}
    for rule_id, (name, function, thresholds) in pages.items():
        page = measured.page(function)
        found[rule_id] = {
            "id": rule_id, "name": name, "title": measured.title(function), "since": "0.1",
            "status": "preview", "needs": [], "wants": [],
            "thresholds": [threshold_document(each) for each in thresholds],
            "page": page | {"Sources": cite(" ".join(page["Sources"].split()))},
        }  # fmt: skip
    return found


_FORMAT = click.option(
    "-f", "--format", "format_", default="text", show_default=True,
    type=click.Choice(["text", "json"]), help="Output format.",
)  # fmt: skip


@click.command()
@click.option("--thresholds", is_flag=True, help="List the thresholds instead.")
@_FORMAT
def rules(thresholds: bool, format_: str) -> int:
    """List the rules; with --thresholds, the thresholds.

    `awrlens analyze --set NAME=VALUE` changes a threshold for one call.
    """
    from awrlens.render import listing  # noqa: PLC0415

    if thresholds:
        found = [threshold_document(each) for each in config.known().values()]
        if format_ == "json":
            click.echo(document(found))
        else:
            output.show(listing.thresholds_page(found, output.width()))
        return EXIT_OK
    documents = [
        *(rule_document(each) for each in registry.all_rules()),
        *elsewhere().values(),
        *_own_documents(),
    ]
    if format_ == "json":
        click.echo(document(documents))
    else:
        output.show(listing.rules_page(documents, output.width()))
    return EXIT_OK


@click.command()
@click.argument("rule_id", metavar="ID", shell_complete=complete.rules)
@_FORMAT
def rule(rule_id: str, format_: str) -> int:
    """Explain one rule: meaning, formula, thresholds, sources and limitations."""
    found = _document(rule_id.upper())
    if format_ == "json":
        click.echo(document(found))
        return EXIT_OK
    from awrlens.render.listing import rule_page  # noqa: PLC0415

    output.show(rule_page(found, output.width()))
    return EXIT_OK


def _document(rule_id: str) -> dict[str, Any]:
    special = elsewhere().get(rule_id)
    if special is not None:
        return special
    if rule_id not in registry.RULES:
        found = next((each for each in _own_documents() if each["id"] == rule_id), None)
        if found is not None:
            return found
    return rule_document(registry.get(rule_id))
