"""Wording of a SQL Server log: its server, its headline, its states."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.units import plain

if TYPE_CHECKING:
    from awrlens.model import Analysis

#: States with their rules, and the fact without which the state is unknown.
_STATES: Final = (
    ("checkpoints", ("SQLS001", "SQLS006"), "sqlserver.checkpoints"),
    ("storage", ("SQLS002", "SQLS003", "SQLS005"), "sqlserver.io_warnings"),
    ("snapshots", ("SQLS004",), "sqlserver.freezes"),
)


def who(analysis: Analysis) -> str:
    """The server that wrote the log."""
    report = analysis.report
    name = report["instance"] or "unknown server"
    return f"{name} · {report['release'] or 'unknown release'}"


def database(part: Analysis) -> str:
    """The name of a database of the log."""
    name, number = part.report["db_name"], part.report["db_id"]
    return f"{name} (database {number})" if name else f"database {number}"


def calm(analysis: Analysis) -> str:
    """The headline without urgent findings."""
    fact = analysis.facts["sqlserver.checkpoints"]
    if fact.value is None:
        return f"Checkpoints cannot be assessed: {fact.note}."
    kind = "long checkpoint" if analysis.report["kind"] == "sqlserver-errorlog" else "checkpoint"
    if not fact.value:
        return f"No {kind}s in the log."
    longest = analysis.facts["sqlserver.checkpoint_max_s"].number
    took = "" if longest is None else f", the longest {plain(longest, 3)} s"
    said = f"{fact.value:,} checkpoint{'' if fact.value == 1 else 's'}{took}"
    return f"No urgent finding: {said}." if analysis.findings else f"No action needed: {said}."


def headline(analysis: Analysis) -> str:
    """The worst finding and the first action, or that there is no urgent finding."""
    pressing = [f for f in analysis.findings if f.severity in ("critical", "warning")]
    if not pressing:
        return calm(analysis)
    seconds = pressing[0].impact.seconds
    cost = "" if seconds is None else f" ({seconds:,.0f} s)"
    ids = {finding.id for finding in pressing}
    doing = [each for each in analysis.actions if ids & set(each.findings)]
    todo = f" First: {doing[0].title[0].lower()}{doing[0].title[1:]}." if doing else ""
    return f"{pressing[0].title}{cost}.{todo}"


def strip(analysis: Analysis) -> list[tuple[str, str, str]]:
    """The states: name, severity and rule; ``unknown`` is never ``ok``."""
    found: list[tuple[str, str, str]] = []
    for name, rules, key in _STATES:
        own = [finding for finding in analysis.findings if finding.id in rules]
        unknown = analysis.facts[key].value is None
        severity = own[0].severity if own else "unknown" if unknown else "ok"
        found.append((name, severity, own[0].id if own else ""))
    return found
