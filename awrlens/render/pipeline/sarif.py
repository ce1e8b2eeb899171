"""SARIF 2.1.0 (OASIS): rules with help, results at their lines, fingerprints, suppressions."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from awrlens.model.check_run import FINGERPRINT
from awrlens.render.json import document
from awrlens.render.pipeline import wording
from awrlens.render.wording import safe

if TYPE_CHECKING:
    from awrlens.model.check_run import CheckedReport, CheckRun, Issue, RulePage

_LEVELS: Final = {"critical": "error", "warning": "warning", "info": "note", "ok": "none"}


def render(run: CheckRun) -> str:
    """The whole log file: one run."""
    ids = {issue.id for report in run.reports for issue in report.issues}
    used = [rule for rule in run.rules if rule in ids]
    numbers = {rule: number for number, rule in enumerate(used)}
    results = [
        _result(report, issue, numbers, run.rules[issue.id])
        for report in run.reports
        for issue in report.issues
        if issue.severity != "ok"
    ]
    driver = {
        "name": "awrlens",
        "version": run.version,
        "semanticVersion": run.version,
        "rules": [_rule(run.rules[rule]) for rule in used],
    }
    if run.information_uri:
        driver["informationUri"] = run.information_uri
    left = wording.not_judged(run)
    notifications = [
        {
            "level": "error" if notice.fails else "warning",
            "message": {"text": plain(notice.message)},
            "locations": [{"physicalLocation": _place(notice.source, notice.line)}],
        }
        for notice in left
    ]
    sources = dict.fromkeys(wording.uri(report.source) for report in run.reports)
    invocation = {
        "executionSuccessful": not any(notice.fails for notice in left),
        "exitCode": run.status,
        "toolExecutionNotifications": notifications,
    }
    log = {
        "tool": {"driver": driver},
        "automationDetails": {"id": "awrlens/check/"},
        "columnKind": "unicodeCodePoints",
        "artifacts": [{"location": {"uri": uri}} for uri in sources],
        "invocations": [invocation],
        "results": results,
    }
    schema = "https://json.schemastore.org/sarif-2.1.0.json"
    return document({"$schema": schema, "version": "2.1.0", "runs": [log]}) + "\n"


def _rule(page: RulePage) -> dict[str, Any]:
    return {
        "id": page.id,
        "name": "".join(part.capitalize() for part in page.name.split("-")),
        "shortDescription": {"text": f"{page.title}."},
        "fullDescription": {"text": page.meaning},
        "help": {"text": re.sub(r"[*`]", "", page.page), "markdown": page.page},
        "defaultConfiguration": {"level": "warning"},
        "properties": {"tags": [page.engine.partition("-")[0], "performance"], "precision": "high"},
    }


def plain(text: str) -> str:
    """Text without SARIF links (section 3.11.6): their brackets are escaped."""
    return re.sub(r"([\\\[\]])", r"\\\1", text) if "](" in text else text


def _result(
    report: CheckedReport, issue: Issue, numbers: dict[str, int], page: RulePage
) -> dict[str, Any]:
    names = (report.report[name] for name in ("db_name", "instance"))
    who = "/".join(str(name) for name in names if name)
    # a first line without numbers, stable across runs; then the finding
    first = safe(f"{page.title}{f' in {who}' if who else ''}.")
    text = f"{first}\n{wording.title(issue)}\n{wording.body(issue)}"
    places = [place for place in issue.evidence if place.line]
    related = []
    for number, place in enumerate(dict.fromkeys(places), start=1):
        where = ", ".join(filter(None, (place.section, place.row, place.column)))
        related.append({
            "id": number,
            "physicalLocation": _place(report.source, place.line),
            "message": {"text": plain(safe(f"{where}: {place.text}"))},
        })  # fmt: skip
    location = {
        "physicalLocation": _place(report.source, issue.line),
        "logicalLocations": [{"fullyQualifiedName": safe(report.label), "kind": "database"}],
    }
    result: dict[str, Any] = {
        "ruleId": issue.id,
        "ruleIndex": numbers[issue.id],
        "level": _LEVELS[issue.severity],
        "kind": "fail",
        "message": {"text": plain(text)},
        "locations": [location],
        "relatedLocations": related,
        "partialFingerprints": {FINGERPRINT: issue.fingerprint},
        "properties": {
            "severity": issue.severity,
            "confidence": issue.confidence,
            "seconds": issue.impact.seconds,
            "pct_db_time": issue.impact.pct_db_time,
        },
    }
    if issue.suppressed is not None:
        why = plain(wording.suppression(issue))
        result["suppressions"] = [{"kind": "external", "status": "accepted", "justification": why}]
    return result


def _place(source: str, line: int | None) -> dict[str, Any]:
    place: dict[str, Any] = {"artifactLocation": {"uri": wording.uri(source)}}
    if line:
        place["region"] = {"startLine": line}
    return place
