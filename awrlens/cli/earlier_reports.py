"""The earlier reports that a check compares with, and why a report cannot be judged completely."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from awrlens import api, config, own_checks, rules
from awrlens.cli import batch, own_rules
from awrlens.cli import complain as on_stderr
from awrlens.cli.same_database import Who, names_of
from awrlens.errors import (
    UsageError,
)
from awrlens.model.check_run import NOTHING
from awrlens.report.report import Report

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from awrlens.model import Analysis, Fact
    from awrlens.model.comparison import Reading
    from awrlens.source.open import Input
    from awrlens.sqlserver.events import Log


if TYPE_CHECKING:
    from awrlens.cli.gate import Asked


def earlier(asked: Asked, against: Sequence[str | Input], first: str) -> Asked:
    """Add the earlier reports by database and instance, in time order.

    An unreadable file that the caller named is an error; duplicate intervals count once.
    """
    from awrlens.source.open import inputs  # noqa: PLC0415 - not for --help

    found: dict[Who, dict[tuple[Any, ...], Reading]] = {}
    printed: list[tuple[str, Mapping[str, Fact]]] = []
    before = inputs(against)
    policy = config.load(before[0].path, asked.options).policy
    added = own_rules.whole(config.load(first, asked.options))
    names = asked.names
    work = batch.Work(lambda report, _: (report, api.read(now_of(report), policy)), tuple, names)
    for each in before:
        for result in work.one_by_one(each):
            if result.problem is not None:
                if each.named and not result.skipped:
                    raise result.problem
                if not result.skipped:
                    on_stderr(result.problem)
                continue
            report, reading = result.rendered
            who = reading.report
            interval = tuple(
                who[name] for name in ("begin_time", "end_time", "begin_snap", "end_snap")
            )
            key = interval if any(interval) else (who["source"],)
            found.setdefault(names_of(who), {}).setdefault(key, reading)
            if added.budgets and (more := own_checks.printed(now_of(report), added.budgets, names)):
                printed.append((str(who["source"]), {n: f.detached() for n, f in more.items()}))
    if not found:
        paths = ", ".join(each.path for each in before)
        raise UsageError(f"No report found in {paths}.", hint="Check --against.")
    sets = tuple(
        (who, tuple(sorted(each.values(), key=lambda r: str(r.report["begin_time"] or ""))))
        for who, each in found.items()
    )
    return asked._replace(against=sets, printed_before=tuple(printed))


def now_of(report: Report) -> Report:
    """The report itself, or the second period of a compare-period report."""
    return report.periods[1] if report.periods else report


def incomplete(report: Report | Log, analysis: Analysis) -> tuple[str, ...]:
    """Why a report cannot be judged completely."""
    if not isinstance(report, Report):
        return ()
    valid = all(part.cluster.valid for part in (report, *report.periods))
    return lacking(
        analysis, breaks_off=report.breaks_off, excerpt=report.made_of[1].excerpt, valid=valid
    )


def lacking(analysis: Analysis, *, breaks_off: bool, excerpt: bool, valid: bool) -> tuple[str, ...]:
    """What an analysis lacks for a complete judgement, in words."""
    found = []
    if breaks_off:
        found.append("it is truncated")
    if excerpt:
        found.append("it is an excerpt without a report header")
    if not valid:
        found.append("the instance was restarted within its interval")
    if {each.rule for each in analysis.skipped}.issuperset(rules.ORACLE):
        found.append(NOTHING)
    return tuple(found)


def waits(report: Report, events: Iterable[str]) -> Mapping[str, Fact]:
    """The wait time in seconds of some events, by name; without missing events."""
    from awrlens.facts.formula import measured  # noqa: PLC0415 - few ask

    part = report.periods[1] if report.periods else report
    figures = api.figures_of(part)
    found = {}
    for event in events:
        for total in (figures.foreground(event).total_s, figures.background(event).total_s):
            fact = measured(total).named(event, "s", ("foreground_events",))
            if fact.value is not None:
                found[event] = fact
                break
    return found
