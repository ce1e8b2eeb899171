"""What all formats of a check say alike: a finding in a sentence, a run in another."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import PurePath
from typing import TYPE_CHECKING, Final, NamedTuple
from urllib.parse import quote

from awrlens.model import SEVERITIES
from awrlens.render import present

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from awrlens.checked import CheckedReport, CheckRun, Issue


class NotJudged(NamedTuple):
    """A file or report that was not judged, or not as a whole, in words."""

    source: str
    line: int | None
    message: str
    #: Whether the check fails for it.
    fails: bool


def not_judged(run: CheckRun) -> list[NotJudged]:
    """Every input that was not judged and every report that was not as a whole; failures first."""
    found = [
        NotJudged(each.source, each.line, f"not judged: {present.safe(each.message)}", each.fails)
        for each in run.unread
    ]
    found += [
        NotJudged(
            report.source, None,
            f"not judged as a whole: {present.safe('; '.join(report.shortcomings))}",
            report.unassessable,
        )
        for report in run.reports
        if report.shortcomings
    ]  # fmt: skip
    return sorted(found, key=lambda each: not each.fails)


def title(issue: Issue) -> str:
    """The finding and what it costs, in one line."""
    cost = present.impact(issue.impact)
    part = f"{issue.part}: " if issue.part else ""
    return f"{part}{present.safe(issue.title)}{f' [{cost}]' if cost else ''}"


def body(issue: Issue) -> str:
    """Why it matters, the arithmetic behind it, and what to do; a paragraph each."""
    lines = [present.safe(issue.why)]
    for each in issue.numbers:
        fact = each.fact
        how = f": {present.safe(fact.formula or fact.note)}" if fact.formula or fact.note else ""
        where = f" (line {', '.join(map(str, each.lines[:6]))})" if each.lines else ""
        lines.append(f"{fact.name} = {present.safe(present.fact_value(fact))}{how}{where}")
    lines += [
        f"Contributing, {each.severity}: {each.id} {present.safe(each.title)}"
        for each in issue.contributing
    ]
    if issue.fix:
        lines.append(f"What to do: {'; '.join(map(present.safe, issue.fix))}.")
    lines.append(f"Confidence {issue.confidence}: {present.safe(issue.confidence_reason)}.")
    return "\n".join(lines)


def ranked(run: CheckRun) -> list[tuple[CheckedReport, Issue]]:
    """All findings with their reports: those that fail first, then by severity and seconds."""
    found = [(report, issue) for report in run.reports for issue in report.issues]
    found.sort(
        key=lambda each: (
            not each[1].failing,
            each[1].suppressed is not None,
            -SEVERITIES.index(each[1].severity),
            -(each[1].impact.seconds or 0.0),
            each[1].id,
        )
    )
    return found


def path(source: str) -> str:
    """A path relative to the current folder where it is below it, with ``/`` between."""
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
    raw = found.encode("utf-8", "surrogateescape")  # a name may be of any bytes
    return f"file://{quote(raw)}" if found.startswith("/") else quote(raw)


def summary(run: CheckRun) -> str:
    """The run in a sentence."""
    counts = run.counts
    reports = _some(counts["reports"], "report")
    parts = []
    if counts["failing"]:
        fails = "fails" if counts["failing"] == 1 else "fail"
        parts.append(f"{_some(counts['failing'], 'finding')} {fails} (at {_or(run.fail_on)})")
    elif counts["reports"]:
        parts.append(f"no finding fails (at {_or(run.fail_on)})")
    levels = [f"{counts[each]} {each}" for each in ("critical", "warning", "info") if counts[each]]
    if levels:
        parts.append(f"in all {', '.join(levels)}")
    if counts["suppressed"]:
        parts.append(f"{counts['suppressed']} suppressed")
    parts.append(reports)
    parts += _left(counts)
    return "; ".join(parts) + "."


def _left(counts: Mapping[str, int]) -> Iterator[str]:
    """What was not judged."""
    if counts["unread"]:
        yield f"{_some(counts['unread'], 'input')} could not be judged"
    if counts["left_out"]:
        none = "is no report" if counts["left_out"] == 1 else "are no reports"
        yield f"{_some(counts['left_out'], 'file')} {none} and not judged"
    if counts["incomplete"]:
        whole = "is not whole" if counts["incomplete"] == 1 else "are not whole"
        yield f"{_some(counts['incomplete'], 'report')} {whole}"
    if counts["undecided"]:
        yield f"{_some(counts['undecided'], 'rule')} not judged, as facts are lacking"
    if counts["unassessable"]:
        yield "that fails"


#: Rules that are asked of logs only, by the beginning of the log's kind.
_OF_LOGS: Final = {"SQLS": "sqlserver", "RECO": "oracle-alert-log"}


def judges(rule: str, report: CheckedReport) -> bool:
    """Whether a rule is asked of a report: those of logs are of no other, and of these no other."""
    kind = str(report.report["kind"])
    own = next((log for family, log in _OF_LOGS.items() if rule.startswith(family)), "")
    if own:
        return kind.startswith(own)
    return not kind.startswith(tuple(_OF_LOGS.values()))


def suppression(issue: Issue) -> str:
    """By what a finding is suppressed, why and until when."""
    found = issue.suppressed
    if found is None:
        return ""
    until = f", until {found.until}" if found.until else ""
    return f"{found.by}: {present.safe(found.reason)}{until}"


def _some(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def _or(names: tuple[str, ...]) -> str:
    return " or ".join(names)
