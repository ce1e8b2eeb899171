"""The headline of a SQL Server log: the worst finding and the first action."""

from __future__ import annotations

from typing import TYPE_CHECKING

from awrlens.units import plain

if TYPE_CHECKING:
    from awrlens.model import Analysis


def headline(analysis: Analysis) -> str:
    """The worst finding and the first action, or that there is no urgent finding."""
    pressing = [f for f in analysis.findings if f.severity in ("critical", "warning")]
    if not pressing:
        return _calm(analysis)
    seconds = pressing[0].impact.seconds
    cost = "" if seconds is None else f" ({seconds:,.0f} s)"
    ids = {finding.id for finding in pressing}
    action = next((each for each in analysis.actions if ids & set(each.findings)), None)
    first = "" if action is None else f" First: {action.title[0].lower()}{action.title[1:]}."
    return f"{pressing[0].title}{cost}.{first}"


def _calm(analysis: Analysis) -> str:
    """The headline without urgent findings."""
    fact = analysis.facts["sqlserver.checkpoints"]
    if fact.value is None:
        return f"Checkpoints cannot be assessed: {fact.note}."
    kind = "long checkpoint" if analysis.report["kind"] == "sqlserver-errorlog" else "checkpoint"
    if not fact.value:
        return f"No {kind}s in the log."
    longest = analysis.facts["sqlserver.checkpoint_max_s"].number
    took = "" if longest is None else f", the longest {plain(longest, 3)} s"
    shown = f"{fact.value:,} checkpoint{'' if fact.value == 1 else 's'}{took}"
    return f"No urgent finding: {shown}." if analysis.findings else f"No action needed: {shown}."
