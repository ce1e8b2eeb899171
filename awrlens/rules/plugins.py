"""Rules of other packages: entry points of the group ``awrlens.rules``.

The search for entry points takes time, so only calls that use plugins do it. A problem with a
plugin is reported in a sentence and the plugin is skipped; an analysis continues, a check does not.
"""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any, Final

from awrlens.lazy import NamedTuple, regex
from awrlens.model import SEVERITIES, Finding, Skipped
from awrlens.rules import FAMILIES, decide, table
from awrlens.rules.base import HEADINGS, Facts, Rule

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Mapping
    from importlib.metadata import EntryPoint

    from awrlens.model import Fact
    from awrlens.policy import Policy

GROUP: Final = "awrlens.rules"
_ID: Final = regex(r"[A-Z]{2,8}\d{3}")
_NAME: Final = regex(r"[a-z0-9]+(-[a-z0-9]+)*")


class Plugins(NamedTuple):
    """Rules of plugins, and the warnings about those that cannot be used."""

    rules: tuple[Rule, ...] = ()
    warnings: tuple[str, ...] = ()


def load(
    wanted: bool | tuple[str, ...],  # noqa: FBT001 - all, none, or by name
    facts: Container[str] | None = None,
) -> Plugins:
    """The rules of all plugins (True) or of named plugins; ``facts`` are all facts."""
    if not wanted:
        return Plugins()
    from importlib.metadata import entry_points

    there = {entry.name: entry for entry in entry_points(group=GROUP)}
    names = there if isinstance(wanted, bool) else dict.fromkeys(wanted)
    rules: dict[str, Rule] = {}
    warnings: list[str] = []
    for name in names:
        if name not in there:
            others = f" Installed: {', '.join(there)}." if there else " No plugin is installed."
            warnings.append(f"There is no plugin {name!r}.{others}")
            continue
        try:
            loaded = list(_rules(there[name]))
        except (Exception, SystemExit) as problem:  # noqa: BLE001 - any failure is reported
            what = f"{type(problem).__name__}: {problem}"
            warnings.append(f"The plugin {name!r} cannot be loaded: {what}.")
            continue
        for rule in loaded:
            wrong = _wrong(rule, rules, facts)
            if wrong:
                warnings.append(f"A rule of the plugin {name!r} is skipped: {wrong}.")
            else:
                rules[rule.id] = rule._replace(plugin=name)
        if not loaded:
            warnings.append(f"The plugin {name!r} has no rules.")
    return Plugins(tuple(rules.values()), tuple(warnings))


def _rules(entry: EntryPoint) -> Iterable[Rule]:
    """Of a module, its functions that are rules; otherwise the object or its result."""
    loaded: Any = entry.load()
    if inspect.ismodule(loaded):
        loaded = [rule for rule in vars(loaded).values() if isinstance(rule, Rule)]
    elif callable(loaded) and not isinstance(loaded, Rule):
        loaded = loaded()
    if isinstance(loaded, Rule):
        loaded = [loaded]
    for rule in loaded:
        if not isinstance(rule, Rule):
            raise TypeError(f"{rule!r} is not a rule (awrlens.rules.base.rule makes one)")
        yield rule


def _wrong(rule: Rule, others: Mapping[str, Rule], fact_names: Container[str] | None) -> str:
    """What is wrong with a rule; empty if nothing is."""
    if rule.id in table() or rule.id in others:
        return f"a rule {rule.id} already exists"
    if not _ID.fullmatch(rule.id):
        return f"{rule.id!r} is not a valid id (2 to 8 capital letters and three digits)"
    if rule.id.startswith(FAMILIES):
        return f"{rule.id} is in a family of awrlens' own rules"
    if not _NAME.fullmatch(rule.name):
        return f"{rule.name!r} is not a valid name (lower-case words with hyphens between)"
    missing = [heading for heading in HEADINGS if heading not in rule.page]
    if missing:
        return f"the documentation of {rule.id} has no {', '.join(missing)}"
    only = (rule.only[0],) if rule.only else ()
    names = (*rule.gate, *only, *rule.some, *rule.needs, *rule.wants)
    facts = [name for need in names for name in need.split("|")]
    unknown = [] if fact_names is None else [name for name in facts if name not in fact_names]
    if unknown:
        return f"{rule.id} needs unknown facts: {', '.join(dict.fromkeys(unknown))}"
    return ""


def run(
    rules: Iterable[Rule], facts: Mapping[str, Fact], policy: Policy
) -> tuple[tuple[Finding, ...], tuple[Skipped, ...]]:
    """Findings of plugins' rules, and the skipped rules; a rule that fails is skipped."""
    asked = Facts(facts, policy)
    decisions: list[Finding | Skipped | None] = []
    for rule in rules:
        decided: Finding | Skipped | None = None
        try:
            decided = decide(rule, asked)
            wrong = _malformed(decided, rule)
        except (Exception, SystemExit) as problem:  # noqa: BLE001 - a plugin's failure is not ours
            wrong = f"{type(problem).__name__}: {problem}"
        if wrong:
            reason = f"the rule of the plugin {rule.plugin!r} failed: {wrong}"
            decided = Skipped(rule.id, reason, (), failed=True)
        decisions.append(decided)
    return (
        tuple(decision for decision in decisions if isinstance(decision, Finding)),
        tuple(decision for decision in decisions if isinstance(decision, Skipped)),
    )


def _malformed(decided: object, rule: Rule) -> str:
    """What is wrong with the result of a rule; empty if nothing is."""
    if decided is None or isinstance(decided, Skipped):
        return ""
    if not isinstance(decided, Finding):
        return f"it returns {type(decided).__name__}, which is not a finding"
    if decided.severity not in SEVERITIES:
        return f"{decided.severity!r} is not a severity (one of {', '.join(SEVERITIES)})"
    if decided.id != rule.id:
        return f"its finding has the id {decided.id!r}"
    return ""
