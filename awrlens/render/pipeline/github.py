"""Workflow annotations of GitHub Actions: ``::error file=…,line=…,title=…::message``.

GitHub shows ten annotations per level and step. They are therefore sorted by urgency and limited;
a notice gives the number of omitted ones.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.render.pipeline import wording
from awrlens.render.wording import safe

if TYPE_CHECKING:
    from awrlens.model.check_run import CheckRun

_COMMANDS: Final = {"critical": "error", "warning": "warning", "info": "notice"}
#: GitHub documents ten per level and step.
_MOST: Final = 10


def render(run: CheckRun) -> str:
    """The commands, one per line, and the summary."""
    left = wording.not_judged(run)
    failed = [each for each in left if each.fails]
    lines = [
        _command("error", each.source, each.line, "awrlens cannot judge this input", each.message)
        for each in failed[:_MOST]
    ]
    shown = dict.fromkeys(_COMMANDS.values(), 0)
    shown["error"] = len(lines)
    left_out = max(0, len(failed) - _MOST)
    for report, issue in wording.ranked(run):
        if issue.suppressed is not None or issue.severity == "ok":
            continue
        command = "error" if issue.failing else _COMMANDS[issue.severity]
        if not issue.failing and command == "error":
            command = "warning"  # errors are for failing findings only
        if shown[command] >= _MOST:
            left_out += 1
            continue
        shown[command] += 1
        title = f"{issue.id} {wording.title(issue)}"
        lines.append(_command(command, report.source, issue.line, title, wording.body(issue)))
    for each in (each for each in left if not each.fails):
        if shown["notice"] >= _MOST:
            left_out += 1
            continue
        shown["notice"] += 1
        did = "judged this report in part" if each.partly else "skipped this input"
        lines.append(_command("notice", each.source, each.line, f"awrlens {did}", each.message))
    if left_out:
        text = f"{left_out} more annotations are not shown; see the other outputs."
        lines.append(f"::notice title=awrlens::{_data(text)}")
    lines.append(wording.summary(run))
    return "\n".join(lines) + "\n"


def _command(level: str, source: str, line: int | None, title: str, message: str) -> str:
    parts = [f"file={_property(wording.path(source))}"]
    if line:
        parts.append(f"line={line}")
    parts.append(f"title={_property(safe(title))}")
    return f"::{level} {','.join(parts)}::{_data(message)}"


def _data(text: str) -> str:
    """A message with line ends escaped as in GitHub's own toolkit."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
