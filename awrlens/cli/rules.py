"""``awrlens rules``: the list of rules, and the explanation of one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from awrlens import config
from awrlens import rules as registry
from awrlens.cli import output
from awrlens.cli.options import completes, formats
from awrlens.config import choices
from awrlens.policy import cite

if TYPE_CHECKING:
    from awrlens.policy import Threshold
    from awrlens.rules.base import Rule


def threshold_document(threshold: Threshold) -> dict[str, Any]:
    """A threshold as plain data."""
    return threshold._asdict() | {"source": cite(threshold.source)}


def rule_document(rule: Rule) -> dict[str, Any]:
    """A rule as plain data."""
    return {
        **{name: getattr(rule, name) for name in ("id", "name", "title", "since", "status")},
        **({"severity": rule.severity} if rule.severity else {}),
        "needs": list(rule.needs),
        "wants": list(rule.wants),
        "thresholds": [threshold_document(each) for each in rule.thresholds],
        "page": {**rule.page, "Sources": rule.source},
    }


def _own_rules() -> tuple[Rule, ...]:
    loaded = config.load("-")
    if not any(loaded.additions):
        return ()
    from awrlens.cli import own_rules

    return own_rules.complain(loaded).every


@click.command()
@click.argument("rule_id", required=False, metavar="[ID]", shell_complete=completes("rule"))
@click.option("--thresholds", is_flag=True, help="List the thresholds instead.")
@formats("text", "json")
def rules(rule_id: str | None, thresholds: bool, format_: str) -> int:
    """List the rules; with ID, explain one: formula, thresholds, sources and limitations.

    `awrlens analyze --set NAME=VALUE` changes a threshold for one call.
    """
    from awrlens.render import listing

    if rule_id:
        explained = rule_document(_found(rule_id.upper()))
        return output.answer(format_, explained, listing.rule_page)
    if thresholds:
        found = [threshold_document(each) for each in choices.known().values()]
        return output.answer(format_, found, listing.thresholds_page)
    every = (*registry.all_rules(registry.table()), *_own_rules())
    return output.answer(format_, [rule_document(each) for each in every], listing.rules_page)


#: Its name before 1.0.
rule = rules


def _found(rule_id: str) -> Rule:
    if rule_id not in registry.table():
        found = next((each for each in _own_rules() if each.id == rule_id), None)
        if found is not None:
            return found
    return registry.get(rule_id)
