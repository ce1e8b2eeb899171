"""Workflow annotations of GitHub Actions: ``::error file=…,line=…,title=…::message``."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from awrlens.render.pipeline import wording
from awrlens.render.wording import safe

if TYPE_CHECKING:
    from awrlens.model.check_run import CheckRun

#: GitHub documents ten per level and step.
_MOST: Final = 10


def render(run: CheckRun) -> str:
    """The commands, one per line, and the summary."""
    left = wording.not_judged(run)
    notes = [
        ("error", notice.source, notice.line, "awrlens cannot judge this input", notice.message)
        for notice in left
        if notice.fails
    ]
    for report, issue in wording.shown(run):
        level = "notice" if issue.severity == "info" else "warning"
        title = f"{issue.id} {wording.title(issue)}"
        level = "error" if issue.failing else level
        notes.append((level, report.source, issue.line, title, wording.body(issue)))
    part, none = "awrlens judged this report in part", "awrlens skipped this input"
    notes += [
        ("notice", notice.source, notice.line, part if notice.partly else none, notice.message)
        for notice in left
        if not notice.fails
    ]
    levels: Counter[str] = Counter()
    lines = []
    for level, source, line, title, message in notes:
        levels[level] += 1
        if levels[level] <= _MOST:
            parts = [f"file={_property(wording.path(source))}", *[f"line={line}"] * bool(line)]
            parts.append(f"title={_property(safe(title))}")
            lines.append(f"::{level} {','.join(parts)}::{_data(message)}")
    if left_out := len(notes) - len(lines):
        text = f"{left_out} more annotations are not shown; see the other outputs."
        lines.append(f"::notice title=awrlens::{_data(text)}")
    lines.append(wording.summary(run))
    return "\n".join(lines) + "\n"


def _data(text: str) -> str:
    """A message with line ends escaped as in GitHub's own toolkit."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
