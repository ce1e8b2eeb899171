"""Checks of the user on an analyzed report: budgets, and rules of plugins."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

import click

from awrlens import api, config, rules
from awrlens.api import headed, of_periods
from awrlens.config import choices
from awrlens.errors import UsageError
from awrlens.lazy import NamedTuple
from awrlens.model import Analysis, Note, worst

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from awrlens.budgets import Budget
    from awrlens.budgets import Outcome as Assessed
    from awrlens.config import Additions
    from awrlens.model import Fact
    from awrlens.policy import Policy
    from awrlens.redact.names import Names
    from awrlens.report.report import Report
    from awrlens.rules.base import Rule


class Own(NamedTuple):
    """Additions of the user: budgets, rules of plugins, and warnings about plugins."""

    budgets: tuple[Budget, ...] = ()
    rules: tuple[Rule, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def every(self) -> tuple[Rule, ...]:
        """All of them as rules: those of plugins, then budgets."""
        if not self.budgets:
            return self.rules
        from awrlens import budgets

        return (*self.rules, *map(budgets.rule, self.budgets))


def assess(
    report: Mapping[str, Any], facts: Mapping[str, Fact], budgets: Iterable[Budget],
    baseline: Mapping[str, Fact] | None = None, names: Names | None = None,
) -> tuple[Assessed, ...]:  # fmt: skip
    """The outcome of every budget; ``baseline`` are the facts of another report.

    Budgets contain original names, so ``names`` translates those of a redacted report back, and the
    output gets the pseudonyms.
    """
    from awrlens.budgets import assess as hold

    if names is None:
        return tuple(hold(budget, facts, report, baseline) for budget in budgets)
    plain = originals(report, names)
    back = {
        str(plain[field]): str(report[field]) for field in plain if plain[field] != report[field]
    }

    def redacted(text: str) -> str:
        for original, pseudonym in back.items():
            text = text.replace(f"({original})", f"({pseudonym})")
        return text

    held = (hold(budget, facts, plain, baseline) for budget in budgets)
    return tuple(
        outcome._replace(
            arithmetic=redacted(outcome.arithmetic), reasons=tuple(map(redacted, outcome.reasons))
        )
        for outcome in held
    )


def originals(report: Mapping[str, Any], names: Names) -> dict[str, Any]:
    """What identifies a redacted report, with its real names."""
    return {
        field: names.original(value) if isinstance(value, str) else value
        for field, value in report.items()
    }


def printed(
    report: Report, budgets: Iterable[Budget], names: Names | None = None
) -> dict[str, Fact]:
    """Figures that budgets reference by Oracle's names: events, statistics, parameters, SQL."""
    from awrlens.budgets.tree import names as used
    from awrlens.budgets.tree import scoped
    from awrlens.facts.printed import split

    facts: dict[str, Fact] = {}
    figures = api.figures_of(report)
    for written in (scoped(node)[1] for budget in budgets for part in (budget.expect, budget.when)
                    for node in used(part)):  # fmt: skip
        asked = split(written)
        if asked is None or asked.unit is None or written in facts:
            continue
        if asked.kind == "sql" and names is not None:
            asked = asked._replace(name=names.of(asked.name))
        fact = asked.fact(figures)
        facts[written] = fact.named(written, asked.unit or "", fact.sections)
    return facts


def with_own(
    analysis: Analysis, report: Report, own: Own, policy: Policy, names: Names | None = None,
    baseline: Mapping[str, Fact] | None = None,
) -> Analysis:  # fmt: skip
    """The analysis of a report with the findings of the user's budgets and rules, also of parts."""
    if not any(own):
        return analysis
    from awrlens import budgets
    from awrlens.rules import base, plugins

    analysis = analysis._replace(
        warnings=(*analysis.warnings, *(Note(text) for text in own.warnings))
    )
    own = own._replace(warnings=())  # once, for the whole
    if analysis.comparison is not None:
        periods = tuple(
            with_own(period, half, own, policy, names, baseline)
            for period, half in zip(analysis.periods, report.periods, strict=True)
        )
        now = periods[1]
        sentence, lines, _ = of_periods(periods, analysis.comparison, policy)
        return analysis._replace(
            periods=periods, findings=now.findings, recommendations=now.recommendations,
            skipped=now.skipped, not_applicable=now.not_applicable, verdicts=now.verdicts,
            headline=sentence, headline_lines=lines, windows=now.windows,
        )  # fmt: skip
    facts = analysis.facts
    if own.budgets and (more := printed(report, own.budgets, names)):
        facts = {**facts, **more}
    every = assess(analysis.report, facts, own.budgets, baseline, names)
    outcomes = [outcome for outcome in every if outcome.budget.share is None]
    findings, skipped = plugins.run(own.rules, analysis.facts, policy)
    doubts = tuple(base.of_sample(base.Facts(analysis.facts, policy)))
    violated = filter(None, (budgets.finding(outcome, doubts) for outcome in outcomes))
    ordered = rules.ordered((*analysis.findings, *findings, *violated))
    advice = filter(None, map(budgets.recommendation, outcomes))
    changed = analysis._replace(
        findings=ordered,
        recommendations=(*analysis.recommendations, *advice),
        skipped=(*analysis.skipped, *skipped, *filter(None, map(budgets.skipped, outcomes))),
        not_applicable=tuple(filter(None, map(budgets.not_applicable, every))),
        windows=tuple(filter(None, map(budgets.window, every))),
        verdicts=analysis.verdicts._replace(write_path=worst([f.severity for f in ordered])),
        instances=tuple(
            with_own(instance, part, own, policy, names, baseline)
            for instance, part in zip(analysis.instances, report.instances, strict=True)
        ),
    )
    return headed(changed, policy) if analysis.headline else changed


@lru_cache(maxsize=16)
def of(additions: Additions) -> Own:
    """The budgets and rules of the configuration."""
    if not any(additions):
        return Own()
    from awrlens.facts.registry import units
    from awrlens.rules import plugins

    loaded = plugins.load(additions.plugins, units())
    budgets = choices.budgets(additions.budgets, additions.written)
    ids = {rule.id for rule in loaded.rules}
    for budget in budgets:
        if budget.id in ids:
            raise UsageError(
                f"{budget.id} is already the id of a plugin rule.", source=budget.file,
                line=budget.line, hint="Give the budget another id.",
            )  # fmt: skip
    return Own(budgets, loaded.rules, loaded.warnings)


def whole(loaded: config.Loaded) -> Own:
    """The same for a check; UsageError for a missing plugin, which could hide a failure."""
    own = of(loaded.additions)
    if own.warnings:
        raise UsageError(
            " ".join(own.warnings),
            source=str(loaded.file) if loaded.file else None,
            hint="A check needs all rules that the key plugins requests.",
        )
    return own


def complain(loaded: config.Loaded) -> Own:
    """The same, with problems of plugins reported on standard error."""
    from awrlens.render.wording import safe

    own = of(loaded.additions)
    for warning in own.warnings:
        click.echo(f"awrlens: {safe(warning)}", err=True)
    return own
