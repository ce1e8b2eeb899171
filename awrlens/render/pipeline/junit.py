"""JUnit XML for Jenkins and GitLab: one suite per report, one case per rule."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final
from xml.etree import ElementTree as ET

from awrlens.lazy import regex
from awrlens.render.pipeline import wording
from awrlens.render.wording import COMMAND, safe

if TYPE_CHECKING:
    from awrlens.model.check_run import CheckedReport, CheckRun, Issue
    from awrlens.render.pipeline.wording import NotJudged

#: Characters that XML 1.0 does not allow.
_NO_XML: Final = regex("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def render(run: CheckRun) -> str:
    """The whole document."""
    root = ET.Element("testsuites", {"name": "awrlens"})
    for report in run.reports:
        _suite(root, report, run)
    for notice in wording.not_judged(run):
        _not_judged(root, notice)
    for suite in root:
        suite.set("tests", str(len(suite)))
        for name, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
            suite.set(name, str(sum(case.find(tag) is not None for case in suite)))
        suite.set("time", "0")
    for total in ("tests", "failures", "errors", "skipped"):
        root.set(total, str(sum(int(suite.get(total, "0")) for suite in root)))
    ET.indent(root)
    text = COMMAND.sub("&#35;", ET.tostring(root, "unicode"))  # equivalent in XML
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'


def _line(text: str) -> str:
    return _text(safe(text))


def _text(text: str) -> str:
    return _NO_XML.sub("", text)


def _suite(root: ET.Element, report: CheckedReport, run: CheckRun) -> None:
    name = _line(f"{report.source}: {report.label}")
    suite = ET.SubElement(root, "testsuite", {"name": name})
    by_rule: dict[str, list[Issue]] = {}
    for issue in report.issues:
        by_rule.setdefault(issue.id, []).append(issue)
    reasons = {skip.rule: f"could not be checked: {skip.reason}" for skip in report.skipped}
    reasons |= {skip.rule: f"does not apply: {skip.reason}" for skip in report.not_applicable}
    for rule, page in run.rules.items():
        if wording.judges(page, report):
            issues = by_rule.get(rule, [])
            _case(suite, report, f"{rule} {page.name}", issues, reasons.get(rule))


def _case(
    suite: ET.Element, report: CheckedReport, name: str, issues: list[Issue], reason: str | None
) -> None:
    case = ET.SubElement(
        suite, "testcase",
        {
            "name": _line(name), "classname": _line(report.label), "file": _line(report.source),
            "time": "0",
        },
    )  # fmt: skip
    if line := next((issue.line for issue in issues if issue.line), None):
        case.set("line", str(line))
    for issue in issues:
        if issue.failing:
            said = {"message": _line(wording.title(issue)), "type": issue.severity}
            failure = ET.SubElement(case, "failure", said)
            place = _line(report.source) + (f":{issue.line}" if issue.line else "")
            failure.text = f"{place}\n{_text(wording.body(issue))}"
    shown = [issue for issue in issues if not issue.failing and issue.suppressed is None]
    hidden = [issue for issue in issues if issue.suppressed is not None]
    if not len(case) and hidden:
        why = "; ".join(f"{wording.title(e)} ({wording.suppression(e)})" for e in hidden)
        ET.SubElement(case, "skipped", {"message": _line(f"suppressed: {why}")})
    elif not len(case) and not shown and reason is not None:
        ET.SubElement(case, "skipped", {"message": _line(reason)})
    if shown:
        out = ET.SubElement(case, "system-out")
        out.text = _text("\n".join(f"{issue.severity}: {wording.title(issue)}" for issue in shown))


def _not_judged(root: ET.Element, notice: NotJudged) -> None:
    """A suite for an input that was not judged: an error if the check fails because of it."""
    suite = ET.SubElement(root, "testsuite", {"name": _line(notice.source)})
    case = ET.SubElement(
        suite, "testcase",
        {"name": "reading", "classname": _line(notice.source), "time": "0"},
    )  # fmt: skip
    if notice.line:
        case.set("line", str(notice.line))
    said = {"message": _line(notice.message)}
    if notice.fails:
        ET.SubElement(case, "error", said | {"type": "not-judged"})
    else:
        ET.SubElement(case, "skipped", said)
