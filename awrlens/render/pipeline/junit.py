"""JUnit XML: a suite for each report, a case for each rule; as Jenkins and GitLab read it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final
from xml.sax.saxutils import escape, quoteattr

from awrlens.render.pipeline import wording
from awrlens.render.present import safe

if TYPE_CHECKING:
    from collections.abc import Iterator

    from awrlens.checked import CheckedReport, CheckRun, Issue, Unread

#: What XML 1.0 cannot hold.
_NO_XML: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def render(run: CheckRun) -> str:
    """The whole document."""
    suites = [_Suite(report, run) for report in run.reports]
    broken = [_unread(each) for each in run.unread]
    tests = sum(suite.tests for suite in suites) + len(broken)
    failures = sum(suite.failures for suite in suites)
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f'<testsuites name="awrlens" tests="{tests}" failures="{failures}" errors="{len(broken)}">',
        *(line for suite in suites for line in suite.lines()),
        *broken,
        "</testsuites>",
    ]
    return "\n".join(lines) + "\n"


def _attribute(text: str) -> str:
    return quoteattr(_NO_XML.sub("", safe(text)))


def _text(text: str) -> str:
    return escape(_NO_XML.sub("", text))


class _Suite:
    """The cases of one report."""

    def __init__(self, report: CheckedReport, run: CheckRun) -> None:
        self._report = report
        by_rule: dict[str, list[Issue]] = {}
        for issue in report.issues:
            by_rule.setdefault(issue.id, []).append(issue)
        undecided = {each.rule: each.reason for each in report.skipped}
        self._cases = [
            _case(report, rule, page.name, by_rule.get(rule, []), undecided.get(rule))
            for rule, page in run.rules.items()
            if wording.judges(rule, report)
        ]
        self.tests = len(self._cases)
        self.failures = sum("<failure" in case for case in self._cases)
        self._skipped = sum("<skipped" in case for case in self._cases)

    def lines(self) -> Iterator[str]:
        yield (
            f"  <testsuite name={_attribute(f'{self._report.source}: {self._report.label}')} "
            f'tests="{self.tests}" failures="{self.failures}" errors="0" '
            f'skipped="{self._skipped}" time="0">'
        )
        yield from self._cases
        yield "  </testsuite>"


def _case(
    report: CheckedReport, rule: str, name: str, issues: list[Issue], undecided: str | None
) -> str:
    inner = [
        f"      <failure message={_attribute(wording.title(each))} "
        f"type={_attribute(each.severity)}>"
        f"{_text(_place(report, each))}{_text(wording.body(each))}</failure>"
        for each in issues
        if each.failing
    ]
    open_ = [each for each in issues if not each.failing and each.suppressed is None]
    hidden = [each for each in issues if each.suppressed is not None]
    if not inner and hidden:
        reason = "; ".join(f"{wording.title(e)} ({wording.suppression(e)})" for e in hidden)
        inner.append(f"      <skipped message={_attribute(f'suppressed: {reason}')}/>")
    elif not inner and not open_ and undecided is not None:
        inner.append(f"      <skipped message={_attribute(f'could not be checked: {undecided}')}/>")
    if open_:
        said = "\n".join(f"{each.severity}: {wording.title(each)}" for each in open_)
        inner.append(f"      <system-out>{_text(said)}</system-out>")
    place = next((each.line for each in issues if each.line), None)
    line = f' line="{place}"' if place else ""
    head = (
        f"    <testcase name={_attribute(f'{rule} {name}')} classname={_attribute(report.label)} "
        f'file={_attribute(report.source)}{line} time="0"'
    )
    return f"{head}/>" if not inner else "\n".join([f"{head}>", *inner, "    </testcase>"])


def _place(report: CheckedReport, issue: Issue) -> str:
    return f"{report.source}:{issue.line}\n" if issue.line else f"{report.source}\n"


def _unread(each: Unread) -> str:
    return (
        f'  <testsuite name={_attribute(each.source)} tests="1" failures="0" errors="1" '
        f'skipped="0" time="0">\n'
        f"    <testcase name={_attribute('reading')} classname={_attribute(each.source)} "
        f'time="0">\n'
        f"      <error message={_attribute(each.message)} type={_attribute('unreadable')}/>\n"
        "    </testcase>\n  </testsuite>"
    )
