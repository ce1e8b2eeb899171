"""Evaluates budgets on several reports of one database: `for 95 % of windows`."""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING, Any, Final, Literal

from awrlens.lazy import NamedTuple
from awrlens.model import Finding, Skipped
from awrlens.units import UNIT_SIGNS, show

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from awrlens.model import Window
    from awrlens.model.check_run import CheckedReport

Verdict = Literal["met", "violated", "not-assessable", "not-applicable"]
#: Maximum number of violating windows that are named; the rest are only counted.
_NAMED: Final = 5


class Over(NamedTuple):
    """The result of a budget over all windows: a finding, a reason, or neither if it is met."""

    rule: str
    verdict: Verdict
    finding: Finding | None = None
    skipped: Skipped | None = None
    fix: str = ""


def interval(report: Mapping[str, Any]) -> tuple[Any, ...]:
    """What the same interval has in every copy of a report; its source if no time is known."""
    bounds = tuple(report[name] for name in ("begin_time", "end_time", "begin_snap", "end_snap"))
    return bounds if any(bounds) else (report["source"],)


def series(reports: Sequence[CheckedReport]) -> list[list[CheckedReport]]:
    """The reports of every database and instance in time order, without duplicate intervals."""
    databases: dict[tuple[str, ...], dict[tuple[Any, ...], CheckedReport]] = {}
    for report in reports:
        if not report.windows:
            continue
        names = ("db_id", "db_name", "container", "instance")
        who = tuple(str(report.report.get(name) or "").lower() for name in names)
        key = interval({**report.report, "source": report.source})
        databases.setdefault(who, {}).setdefault(key, report)
    return [
        sorted(intervals.values(), key=lambda r: str(r.report.get("begin_time") or ""))
        for intervals in databases.values()
    ]


def judged(reports: Sequence[CheckedReport]) -> list[Over]:
    """The result of every budget over the reports of one database."""
    by_rule: dict[str, list[tuple[Window, str]]] = {}
    for report in reports:
        for window in report.windows:
            by_rule.setdefault(window.budget.id, []).append((window, report.source))
    return [_over(rule, windows) for rule, windows in by_rule.items()]


def _over(rule: str, windows: Sequence[tuple[Window, str]]) -> Over:
    """The result of one budget; unknown windows never decide it."""
    asked = [pair for pair in windows if pair[0].verdict != "not-applicable"]
    if not asked:
        why = f"its `when` condition does not hold in any of {_windows(len(windows))}"
        return Over(rule, "not-applicable", skipped=Skipped(rule, why, ()))
    window = asked[-1][0]
    met = sum(own.verdict == "met" for own, _ in asked)
    unknown = sum(own.verdict == "not-assessable" for own, _ in asked)
    needed = window.share_pct * len(asked) / 100
    if met >= needed:
        return Over(rule, "met")
    share = f"{window.share_pct:g} %"
    condition = window.budget.title
    if met + unknown >= needed:
        reasons = dict.fromkeys(own.reason for own, _ in asked if own.reason)
        why = f"{unknown} of {_windows(len(asked))} cannot be assessed: {'; '.join(reasons)}"
        if not window.required:
            return Over(rule, "not-assessable", skipped=Skipped(rule, why, ()))
        title = f"{condition} for {share} of windows cannot be assessed"
        return Over(rule, "not-assessable", _finding(window, title, f"{why}.", "low", why))
    met_pct = f"{met * 100 / len(asked):.1f}".rstrip("0").rstrip(".")
    count = f"{condition} in {met} of {_windows(len(asked))} ({met_pct} %)"
    actual = f"{count}, budget {share}{_level(window, [own for own, _ in asked])}"
    title = f"{window.message.rstrip('.')} ({actual})" if window.message else actual
    bad = [source for own, source in asked if own.verdict == "violated"]
    more = f" and {len(bad) - _NAMED} more" if len(bad) > _NAMED else ""
    detail = f"Violated in {', '.join(bad[:_NAMED])}{more}."
    if unknown:
        detail += f" {unknown} cannot be assessed."
    sure = f"counted over {_windows(len(asked))}"
    return Over(rule, "violated", _finding(window, title, detail, "high", sure), fix=window.fix)


def _finding(
    window: Window, title: str, detail: str, confidence: Literal["high", "low"], sure: str
) -> Finding:
    why = f"{window.budget.why} {detail}".strip()
    return window.budget._replace(
        title=title, why=why, confidence=confidence, confidence_reason=sure
    )


def _level(window: Window, asked: Sequence[Window]) -> str:
    """The level that the agreed share meets: with 20 windows and 95 %, the second highest."""
    values = sorted((e.value for e in asked if e.value is not None), reverse=window.at_least)
    if not window.name or len(values) < len(asked):
        return ""
    rank = max(1, ceil(window.share_pct * len(values) / 100))
    unit = UNIT_SIGNS.get(window.unit, window.unit)
    bound = "reach" if window.at_least else "stay within"
    said = f"{window.share_pct:g} % {bound} {window.name} {show(values[rank - 1])} {unit}"
    return f"; {said}".rstrip()


def _windows(number: int) -> str:
    return "1 window" if number == 1 else f"{number} windows"
