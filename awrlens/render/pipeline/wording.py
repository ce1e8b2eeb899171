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
    found = [
        NotJudged(each.source, each.line, f"not judged: {wording.safe(each.message)}", each.fails)
        for each in run.unread
    ]
    found += [
        NotJudged(
            report.source, None,
            f"judged in part: {wording.safe('; '.join(report.shortcomings))}",
            report.unassessable, partly=True,
        )
        for report in run.reports
        if report.shortcomings
    ]  # fmt: skip
    return sorted(found, key=lambda each: not each.fails)


def title(issue: Issue) -> str:
    """The finding and its cost in one line."""
    cost = wording.impact(issue.impact)
    part = f"{issue.part}: " if issue.part else ""
    return f"{part}{wording.safe(issue.title)}{f' [{cost}]' if cost else ''}"


def body(issue: Issue) -> str:
    """Why it matters, the calculation and the fix, one paragraph each."""
    lines = [wording.safe(issue.why)]
    for each in issue.facts:
        fact = each.fact
        how = f": {wording.safe(fact.formula or fact.note)}" if fact.formula or fact.note else ""
        where = f" (line {', '.join(map(str, each.lines[:6]))})" if each.lines else ""
        lines.append(f"{fact.name} = {wording.safe(wording.fact_value(fact))}{how}{where}")
    lines += [
        f"Contributing, {each.severity}: {each.id} {wording.safe(each.title)}"
        for each in issue.contributing
    ]
    if issue.fix:
        lines.append(f"What to do: {'; '.join(map(wording.safe, issue.fix))}.")
    lines.append(f"Confidence {issue.confidence}: {wording.safe(issue.confidence_reason)}.")
    return "\n".join(lines)


def ranked(run: CheckRun) -> list[tuple[CheckedReport, Issue]]:
    """All findings with their reports: failing ones first, then by severity and seconds."""
    found = [(report, issue) for report in run.reports for issue in report.issues]
    return sorted(found, key=lambda each: (
        not each[1].failing, each[1].suppressed is not None, -SEVERITIES.index(each[1].severity),
        -(each[1].impact.seconds or 0.0), each[1].id,
    ))  # fmt: skip


def shown(run: CheckRun) -> list[tuple[CheckedReport, Issue]]:
    """The same without suppressed findings and those whose severity is ok."""
    return [each for each in ranked(run) if not each[1].suppressed and each[1].severity != "ok"]


def path(source: str) -> str:
    """A path with ``/``, relative to the current folder if it is below it."""
    if source == "-":
        return "standard-input"
    found = PurePath(source)
    if found.is_absolute():
        with suppress(ValueError):
            found = found.relative_to(os.getcwd())  # noqa: PTH109 - as the caller sees it
    return found.as_posix()


def uri(source: str) -> str:
    """A path as a URI reference."""
    found = path(source)
    raw = found.encode("utf-8", "surrogateescape")  # names may contain any bytes
    return f"file://{quote(raw)}" if found.startswith("/") else quote(raw)


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
    found = [f"{counts[each]} {each}" for each in ("critical", "warning", "info") if counts[each]]
    if found:
        parts.append(f"{', '.join(found)} in total")
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
    found = issue.suppressed
    if found is None:
        return ""
    until = f", until {found.until}" if found.until else ""
    return f"{found.by}: {wording.safe(found.reason)}{until}"
