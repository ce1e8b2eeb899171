"""A check as Markdown, for a job summary."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.render import wording as present
from awrlens.render.markdown import cell, escape
from awrlens.render.pipeline import wording

if TYPE_CHECKING:
    from collections.abc import Iterator

    from awrlens.model.check_run import CheckedReport, CheckRun

_SIGNS: Final = {"critical": "🔴", "warning": "🟠", "info": "🔵", "ok": "🟢"}


def render(run: CheckRun) -> str:
    """The whole summary."""
    return "\n".join(_lines(run)) + "\n"


def _lines(run: CheckRun) -> Iterator[str]:
    failed = run.status or run.counts["failing"]
    yield from (f"## awrlens: {'failed' if failed else 'passed'}", "", escape(wording.summary(run)))
    left = wording.not_judged(run)
    if left:
        yield ""
        for notice in left:
            place = f":{notice.line}" if notice.line else ""
            fails = "**fails**: " if notice.fails else ""
            yield f"- {fails}{escape(notice.source)}{place}: {escape(notice.message)}"
    for report in run.reports:
        yield from _report(report)
    for note in run.notes:
        yield from ("", f"> {escape(note)}")


def _report(report: CheckedReport) -> Iterator[str]:
    yield from ("", f"### {escape(report.label)}", "")
    yield f"{escape(report.source)}: **{escape(report.headline)}**"
    shown = [issue for issue in report.findings if issue.severity != "ok"]
    if shown:
        yield from ("", "| | rule | finding | line | what to do |", "|---|---|---|---|---|")
    for issue in shown:
        state = f"{_SIGNS[issue.severity]} {issue.severity}{' **fails**' if issue.failing else ''}"
        title, fix = cell(wording.title(issue)), cell("; ".join(issue.fix))
        yield f"| {state} | {issue.id} | {title} | {issue.line or ''} | {fix} |"
    for issue in shown:
        yield from ("", f"<details><summary>{issue.id}: calculation</summary>", "")
        for line in wording.body(issue).split("\n"):
            yield f"- {escape(line)}"
        yield from ("", "</details>")
    hidden = [issue for issue in report.issues if issue.suppressed is not None]
    if hidden:
        yield from ("", f"Suppressed ({len(hidden)}):", "")
        for issue in hidden:
            yield f"- {issue.id} {escape(issue.title)}: {escape(wording.suppression(issue))}"
    if report.skipped:
        names = ", ".join(skip.rule for skip in report.skipped)
        yield from ("", f"Skipped checks (facts not in the report): {present.safe(names)}.")
