"""A check for the terminal: findings, suppressed findings, and a summary sentence."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from awrlens.render import wording as present
from awrlens.render.lines import ICONS, Span, wrapped
from awrlens.render.pipeline import wording

if TYPE_CHECKING:
    from collections.abc import Iterator

    from awrlens.model.check_run import CheckedReport, CheckRun, Issue
    from awrlens.render.lines import Line


def page(run: CheckRun, width: int, *, verbose: bool = False) -> Iterator[Line]:
    """All lines; a width of 0 disables wrapping."""
    for report in run.reports:
        yield from _report(report, width)
    left = wording.not_judged(run)
    for notice in left:
        if verbose or notice.fails or not notice.partly:
            place = f":{notice.line}" if notice.line else ""
            style = "critical" if notice.fails else "dim"
            yield from _wrapped(f"{notice.source}{place}: {notice.message}", width, style)
    if (partly := sum(notice.partly and not notice.fails for notice in left)) and not verbose:
        yield from _wrapped(f"{present.count(partly, 'report')} judged in part; --verbose says why",
                            width, "dim")  # fmt: skip
    for note in run.notes:
        yield from _wrapped(note, width, "dim")
    if left or run.reports or run.notes:
        yield ()
    worst = "critical" if run.status else "ok"
    yield from _wrapped(f"{'✖' if run.status else '✔'} {wording.summary(run)}", width, worst)


def _report(report: CheckedReport, width: int) -> Iterator[Line]:
    shown = [issue for issue in report.findings if issue.severity != "ok"]
    hidden = [issue for issue in report.issues if issue.suppressed and issue.severity != "ok"]
    for issue in shown:
        yield from _issue(report, issue, width)
    for warning in report.warnings:
        place = f":{warning.line}" if warning.line else ""
        yield from _wrapped(f"{report.source}{place}: {warning.message}", width, "dim")
    if hidden:
        yield from _wrapped(f"{report.source}: suppressed", width, "dim")
        for issue in hidden:
            text = f"{issue.id} {issue.title} ({wording.suppression(issue)})"
            yield from _wrapped(text, width, "dim", "  ")


def _issue(report: CheckedReport, issue: Issue, width: int) -> Iterator[Line]:
    place = f"{present.safe(report.source)}:{issue.line or 1}: "
    mark = f"{'fails: ' * issue.failing}{ICONS[issue.severity]}"
    head = f"{mark} {issue.severity.upper()} {issue.id}"
    if width and len(place) + len(head) + 1 + len(issue.name) > width:
        yield from _wrapped(place.rstrip(), width, "")
        place = "  "
    yield (Span(place), Span(head, issue.severity), Span(f" {issue.name}", "dim"))
    yield from _wrapped(wording.title(issue), width, "strong", "    ")
    for number in issue.facts:
        fact = number.fact
        how = fact.formula or present.fact_value(fact)
        yield from _wrapped(f"{fact.name}: {how}", width, "dim", "    ")
    if issue.contributing:  # each is also listed as a finding
        text = f"contributing: {', '.join(part.id for part in issue.contributing)}"
        yield from _wrapped(text, width, "dim", "    ")
    for fix in issue.fix:
        yield from _wrapped(f"→ {fix}", width, "", "    ")


def _wrapped(text: str, width: int, style: str, indent: str = "") -> Iterator[Line]:
    return wrapped(present.safe(text), width or sys.maxsize, style, indent)
