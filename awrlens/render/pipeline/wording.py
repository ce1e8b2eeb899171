"""Texts shared by all output formats of a check."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import PurePath
from typing import TYPE_CHECKING
from urllib.parse import quote

from awrlens.lazy import NamedTuple
from awrlens.model import SEVERITIES
from awrlens.render import wording

if TYPE_CHECKING:
    from awrlens.model.check_run import CheckedReport, CheckRun, Issue, RulePage


class NotJudged(NamedTuple):
    """A file or report that was not judged, or not completely, in words."""

    source: str
    line: int | None
    message: str
    #: Whether the check fails because of it.
    fails: bool
    #: Whether it was judged, but not completely.
    partly: bool = False


def not_judged(run: CheckRun) -> list[NotJudged]:
    """Inputs not judged and reports judged only in part; failures first."""
    notices = [
        NotJudged(file.source, file.line, f"not judged: {wording.safe(file.message)}", file.fails)
        for file in run.unread
    ]
    notices += [
        NotJudged(
            report.source, None,
            f"judged in part: {wording.safe('; '.join(report.shortcomings))}",
            report.unassessable, partly=True,
        )
        for report in run.reports
        if report.shortcomings
    ]  # fmt: skip
    return sorted(notices, key=lambda notice: not notice.fails)


def title(issue: Issue) -> str:
    """The finding and its cost in one line."""
    cost = wording.impact(issue.impact)
    part = f"{issue.part}: " if issue.part else ""
    return f"{part}{wording.safe(issue.title)}{f' [{cost}]' if cost else ''}"


def body(issue: Issue) -> str:
    """Why it matters, the calculation and the fix, one paragraph each."""
    lines = [wording.safe(issue.why)]
    for number in issue.facts:
        fact = number.fact
        how = f": {wording.safe(fact.formula or fact.note)}" if fact.formula or fact.note else ""
        where = f" (line {', '.join(map(str, number.lines[:6]))})" if number.lines else ""
        lines.append(f"{fact.name} = {wording.safe(wording.fact_value(fact))}{how}{where}")
    lines += [
        f"Contributing, {part.severity}: {part.id} {wording.safe(part.title)}"
        for part in issue.contributing
    ]
    if issue.fix:
        lines.append(f"What to do: {'; '.join(map(wording.safe, issue.fix))}.")
    lines.append(f"Confidence {issue.confidence}: {wording.safe(issue.confidence_reason)}.")
    return "\n".join(lines)


def ranked(run: CheckRun) -> list[tuple[CheckedReport, Issue]]:
    """All findings with their reports: failing ones first, then by severity and seconds."""
    pairs = [(report, issue) for report in run.reports for issue in report.issues]
    return sorted(pairs, key=lambda pair: (
        not pair[1].failing, pair[1].suppressed is not None, -SEVERITIES.index(pair[1].severity),
        -(pair[1].impact.seconds or 0.0), pair[1].id,
    ))  # fmt: skip


def shown(run: CheckRun) -> list[tuple[CheckedReport, Issue]]:
    """The same without suppressed findings and those whose severity is ok."""
    return [pair for pair in ranked(run) if not pair[1].suppressed and pair[1].severity != "ok"]


def path(source: str) -> str:
    """A path with ``/``, relative to the current folder if it is below it."""
    if source == "-":
        return "standard-input"
    file = PurePath(source)
    if file.is_absolute():
        with suppress(ValueError):
            file = file.relative_to(os.getcwd())  # noqa: PTH109 - as the caller sees it
    return file.as_posix()


def uri(source: str) -> str:
    """A path as a URI reference."""
    name = path(source)
    raw = name.encode("utf-8", "surrogateescape")  # names may contain any bytes
    return f"file://{quote(raw)}" if name.startswith("/") else quote(raw)


def summary(run: CheckRun) -> str:
    """The run in a sentence."""
    counts = run.counts
    parts = []
    if counts["failing"]:
        fails = "fails" if counts["failing"] == 1 else "fail"
        levels = " or ".join(run.fail_on)
        parts.append(f"{wording.count(counts['failing'], 'finding')} {fails} (at {levels})")
    elif counts["reports"]:
        parts.append(f"no finding fails (at {' or '.join(run.fail_on)})")
    totals = [f"{counts[word]} {word}" for word in ("critical", "warning", "info") if counts[word]]
    if totals:
        parts.append(f"{', '.join(totals)} in total")
    if counts["suppressed"]:
        parts.append(f"{counts['suppressed']} suppressed")
    parts.append(wording.count(counts["reports"], "report"))
    # what was not judged: inputs, reports and rules
    if counts["unread"]:
        parts.append(f"{wording.count(counts['unread'], 'input')} could not be judged")
    if counts["left_out"]:
        none = "(not a report)" if counts["left_out"] == 1 else "(not reports)"
        parts.append(f"{wording.count(counts['left_out'], 'file')} skipped {none}")
    if counts["incomplete"]:
        parts.append(f"{wording.count(counts['incomplete'], 'report')} incomplete")
    if counts["undecided"]:
        parts.append(f"{wording.count(counts['undecided'], 'rule')} skipped (missing facts)")
    if counts["unassessable"]:
        parts.append("this fails")
    return "; ".join(parts) + "."


def judges(rule: RulePage, report: CheckedReport) -> bool:
    """Whether a rule applies to a report: rules for logs apply to logs only, and vice versa."""
    kind = str(report.report["kind"])
    if rule.engine != "oracle":
        return kind.startswith(rule.engine)
    return not kind.startswith(("sqlserver", "oracle-alert-log"))


def suppression(issue: Issue) -> str:
    """The cause, reason and end of a suppression."""
    suppressed = issue.suppressed
    if suppressed is None:
        return ""
    until = f", until {suppressed.until}" if suppressed.until else ""
    return f"{suppressed.by}: {wording.safe(suppressed.reason)}{until}"
