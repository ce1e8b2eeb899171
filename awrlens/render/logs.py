"""How a log of SQL Server is worded: who wrote it, what it says in a sentence, its states."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.units import plain

if TYPE_CHECKING:
    from awrlens.model import Analysis

#: States of the strip, with the rules that tell them and the fact without which nothing is known.
_STATES: Final = (
    ("checkpoints", ("SQLS001", "SQLS006"), "sqlserver.checkpoints"),
    ("storage", ("SQLS002", "SQLS003", "SQLS005"), "sqlserver.io_warnings"),
    ("snapshots", ("SQLS004",), "sqlserver.freezes"),
)


def who(analysis: Analysis) -> str:
    """The server that wrote the log."""
    report = analysis.report
    name = report["instance"] or "server name not printed"
    return f"{name} · {report['release'] or 'release not printed'}"


def database(part: Analysis) -> str:
    """What a database of the log is called."""
    name, number = part.report["db_name"], part.report["db_id"]
    return f"{name} (database {number})" if name else f"database {number}"


def calm(analysis: Analysis) -> str:
    """The sentence where nothing is urgent."""
    fact = analysis.facts["sqlserver.checkpoints"]
    if fact.value is None:
        return f"Checkpoints cannot be judged: {fact.note}."
    kind = "long checkpoint" if analysis.report["kind"] == "sqlserver-errorlog" else "checkpoint"
    if not fact.value:
        return f"No {kind} is logged."
    longest = analysis.facts["sqlserver.checkpoint_max_s"].number
    took = "" if longest is None else f", the longest of {plain(longest, 3)} s"
    said = f"{fact.value:,} checkpoint{'' if fact.value == 1 else 's'}{took}"
    return f"Nothing is urgent: {said}." if analysis.findings else f"Nothing to do: {said}."


def headline(analysis: Analysis) -> str:
    """The worst finding and what to do first, or that nothing is urgent."""
    pressing = [f for f in analysis.findings if f.severity in ("critical", "warning")]
    if not pressing:
        return calm(analysis)
    seconds = pressing[0].impact.seconds
    cost = "" if seconds is None else f" ({seconds:,.0f} s)"
    ids = {finding.id for finding in pressing}
    doing = [r for r in analysis.recommendations if r.status == "apply" and ids & set(r.findings)]
    todo = f" First: {doing[0].title[0].lower()}{doing[0].title[1:]}." if doing else ""
    return f"{pressing[0].title}{cost}.{todo}"


def strip(analysis: Analysis) -> list[tuple[str, str, str]]:
    """Name, severity and the rule to look at of each state; ``unknown`` is never ``ok``."""
    found: list[tuple[str, str, str]] = []
    for name, rules, key in _STATES:
        own = [finding for finding in analysis.findings if finding.id in rules]
        unknown = analysis.facts[key].value is None
        severity = own[0].severity if own else "unknown" if unknown else "ok"
        found.append((name, severity, own[0].id if own else ""))
    return found
