"""``awrlens rules``: the list of rules, and the explanation of one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from awrlens import config
from awrlens import rules as registry
from awrlens.cli import output
from awrlens.cli.options import completes, formats
from awrlens.config import choices
from awrlens.errors import UsageError, hint
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
        "thresholds": [threshold_document(limit) for limit in registry.thresholds(rule).values()],
        "page": {**rule.page, "Sources": rule.source},
    }


def _every() -> list[Rule]:
    """All rules, with those of the configuration."""
    every, loaded = registry.all_rules(registry.table()), config.load("-")
    if any(loaded.additions):
        from awrlens.cli import own_rules

        every += own_rules.complain(loaded).every
    return every


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
        return output.answer(format_, rule_document(_found(rule_id)), listing.rule_page)
    if thresholds:
        rows = [threshold_document(limit) for limit in choices.all_thresholds().values()]
        return output.answer(format_, rows, listing.thresholds_page)
    return output.answer(format_, [rule_document(rule) for rule in _every()], listing.rules_page)


#: Its name before 1.0.
rule = rules


def _found(text: str) -> Rule:
    """A rule by its id or name."""
    named = {key: rule for rule in _every() for key in (rule.name, rule.id)}
    rule = named.get(text.lower()) or named.get(registry.whole(text.upper()))
    if rule is None:
        raise UsageError(f"There is no rule {text}.",
                         hint=hint(text, named, "`awrlens rules` lists all of them."))  # fmt: skip
    return rule
