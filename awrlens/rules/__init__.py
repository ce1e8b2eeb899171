"""The rules for Oracle reports, and the runner.

A rule whose needs are unavailable is skipped, with the sections that would have them.
"""

from __future__ import annotations

import re
from functools import cache
from importlib import import_module
from types import CodeType, ModuleType
from typing import TYPE_CHECKING, Any, Final

from awrlens import policy
from awrlens.errors import UsageError, hint
from awrlens.extensions import load, registered
from awrlens.model import SEVERITIES, Fact, Finding, Skipped
from awrlens.policy import Policy, Threshold, declared
from awrlens.rules import base
from awrlens.rules.base import Facts, Rule

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


#: The modules with the rules for Oracle reports. An id never changes its meaning.
MODULES: Final = ("redo", "commits", "writes", "temp", "undo", "checkpoint", "integrity")
#: Rules that report the same waits, the most specific first: their findings are one problem
#: (``awrlens.rules.base``). In the order in which they are joined.
GROUPS: Final[tuple[tuple[str, ...], ...]] = (
    ("REDO014", "REDO001", "REDO009", "REDO010", "REDO011", "TEMP008", "CKPT008", "CKPT005",
     "CKPT009", "CKPT010"),
    ("REDO001", "REDO013", "REDO003", "REDO002", "REDO009", "REDO012", "REDO011", "REDO010",
     "REDO006", "REDO008"),
    ("CKPT001", "REDO004", "REDO005", "REDO007", "CKPT003"),
    ("UNDO001", "CKPT005", "CKPT008", "CKPT010", "UNDO002"),
    ("CKPT005", "CKPT008", "CKPT009", "CKPT010"),
    ("UNDO002", "UNDO013"),
    ("UNDO014", "UNDO005", "UNDO012"),
    ("TEMP001", "TEMP002", "TEMP008", "TEMP003", "TEMP005", "TEMP007", "TEMP006", "TEMP004"),
)  # fmt: skip
#: The rule on two reports.
COMPARED: Final[dict[str, str]] = {"REGR001": "awrlens.checks.regress:REGR001"}
#: The letters of the ids in the order of lists, whether or not their satellite is there, and those
#: of budgets; plugins use others.
FAMILIES: Final = ("REDO", "TEMP", "UNDO", "CKPT", "INTG", "SQLS", "REGR", "RECO", "BUDGET")


@cache
def oracle() -> dict[str, Rule]:
    """The rules for Oracle reports by id, by family."""
    modules = [import_module(f"{__name__}.{name}") for name in MODULES]
    every = {rule.id: rule for m in modules for rule in vars(m).values() if isinstance(rule, Rule)}
    return {rule_id: every[rule_id] for rule_id in sorted(every, key=_by_family)}


@cache
def table() -> dict[str, Rule | str]:
    """All rules by id, by family; those of the satellites and of two reports as module:function."""
    added = {rule_id: place for package in registered() for rule_id, place in package.rules.items()}
    every: dict[str, Rule | str] = {**oracle(), **COMPARED, **added}
    return {rule_id: every[rule_id] for rule_id in sorted(every, key=_by_family)}


def _by_family(rule_id: str) -> tuple[int, str]:
    return FAMILIES.index(rule_id.rstrip("0123456789")), rule_id


def whole(rule_id: str) -> str:
    """The id that is meant: redo1 is REDO001; a name, which does not end in a digit, stays."""
    text = rule_id.upper() if rule_id[-1:].isdigit() else rule_id
    return re.sub(r"^([A-Z]+)(\d\d?)$", lambda match: match[1] + match[2].zfill(3), text)


@cache
def get(rule_id: str) -> Rule:
    """One rule; UsageError if there is no rule with that id."""
    wanted = whole(rule_id)
    place = table().get(wanted)
    if place is None:
        raise UsageError(
            f"There is no rule {rule_id}.",
            hint=hint(wanted, table(), "`awrlens rules` lists all of them."),
        )
    rule: Rule = load(place) if isinstance(place, str) else place
    return rule


def all_rules(ids: Iterable[str] | None = None) -> list[Rule]:
    """The rules with these ids, in their order; those for Oracle reports if none are given."""
    return [*oracle().values()] if ids is None else [get(rule_id) for rule_id in ids]


def thresholds(rule: Rule) -> dict[str, Threshold]:
    """The thresholds that decide a rule, by name, without those that weigh every wait.

    They are those that its function names, with its parts and what it calls of us.
    """
    by_name = {limit.name: limit for limit in rule.thresholds}
    ours, seen = declared(policy.__file__), set[object]()
    todo: list[Any] = [rule.decide]
    while todo:
        function = todo.pop(0)
        if getattr(function, "__code__", None) is None or function in seen:
            continue
        seen.add(function)
        names, texts = _words(function.__code__)
        around = function.__globals__
        used = [around.get(name) for name in names]
        used += [vars(m).get(n) for m in used if isinstance(m, ModuleType) for n in names]
        given = (*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values())
        todo += [part.function for part in given if isinstance(part, base.Part)]
        todo += [value for value in used if getattr(value, "__module__", "").startswith(_DECIDING)]
        by_name |= {limit.name: limit for limit in used if isinstance(limit, Threshold)}
        by_name |= {text: ours[text] for text in texts if text in ours}
    return {n: by_name[n] for n in sorted(by_name) if not n.startswith(_OF_ALL)}


#: Where functions name thresholds, and the thresholds that weigh every wait.
_DECIDING: Final = ("awrlens.rules.", "awrlens.oracle.")
_OF_ALL: Final = ("impact.", "confidence.")


def _words(code: CodeType) -> tuple[list[str], list[str]]:
    """The names and the texts in a function."""
    names, texts = [*code.co_names], [text for text in code.co_consts if isinstance(text, str)]
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            inner_names, inner_texts = _words(inner)
            names, texts = names + inner_names, texts + inner_texts
    return names, texts


def run(
    facts: Mapping[str, Fact],
    policy: Policy,
    ids: Iterable[str] | None = None,
    before: Mapping[str, Fact] | None = None,
) -> tuple[tuple[Finding, ...], tuple[Skipped, ...]]:
    """Findings, worst first and then by seconds; and the skipped rules.

    Findings that are causes or parts of another are listed under it (``awrlens.rules.base``).
    ``before`` are the facts of the first period of a compare-period report.
    """
    asked = Facts(facts, policy, before)
    decided = [
        decide(rule, asked) for rule in (oracle().values() if ids is None else all_rules(ids))
    ]
    findings = [decision for decision in decided if isinstance(decision, Finding)]
    skipped = tuple(decision for decision in decided if isinstance(decision, Skipped))
    return ordered(base.joined(findings, GROUPS)), skipped


def decide(rule: Rule, asked: Facts) -> Finding | Skipped | None:
    """The finding of a rule; or that it is skipped, with the sections that it needs."""
    if asked.settled(rule):
        return None
    needs = list(filter(asked.lacks, rule.needs))
    if not needs:
        return rule.find(asked)
    missing = [asked[name] for need in needs for name in need.split("|")]
    lacking: dict[str, dict[str, None]] = {}
    for fact in missing:
        lacking.setdefault(fact.note, {})[fact.name] = None
    reason = "; ".join(f"{', '.join(names)}: {note}" for note, names in lacking.items())
    sections = dict.fromkeys(name for fact in missing for name in fact.sections)
    return Skipped(rule.id, reason, tuple(sections), causes=tuple(lacking))


def ordered(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Findings, worst first and then by seconds."""

    def rank(finding: Finding) -> tuple[int, float, str]:
        # without reliable seconds by sessions
        amount = finding.impact.seconds or finding.weight.waiting_sessions or 0.0
        return -SEVERITIES.index(finding.severity), -amount, finding.id

    return tuple(sorted(findings, key=rank))
