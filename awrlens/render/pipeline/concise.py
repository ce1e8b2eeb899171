"""One line per finding, for grep, problem matchers and editors.

``file:line: ID severity: message [value]``; inputs not judged have the id `not-judged`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from awrlens.render import wording as present
from awrlens.render.pipeline import wording

if TYPE_CHECKING:
    from awrlens.model.check_run import CheckRun, Issue


def render(run: CheckRun) -> str:
    """The lines, failures first, and the summary."""
    lines = [
        f"{_file(note.source)}:{note.line or 1}: not-judged {'error' if note.fails else 'note'}: "
        f"{present.safe(note.message).removeprefix('not judged: ')}"
        for note in wording.not_judged(run)
    ]
    lines += [
        f"{_file(report.source)}:{issue.line or 1}: {issue.id} {issue.severity}: {_said(issue)}"
        for report, issue in wording.shown(run)
    ]
    lines += [f"note: {present.safe(note)}" for note in run.notes]
    lines.append(wording.summary(run))
    return present.inert("\n".join(lines) + "\n")


def _file(source: str) -> str:
    return present.safe(wording.path(source))


def _said(issue: Issue) -> str:
    """The title with the cost of the finding, or else with its first number."""
    title = wording.title(issue)
    if title.endswith("]") or not issue.facts:
        return title
    fact = issue.facts[0].fact
    return f"{title} [{fact.name} {present.safe(present.fact_value(fact))}]"
