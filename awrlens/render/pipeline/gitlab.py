"""GitLab's code quality report: a list of issues shown in merge requests."""

from __future__ import annotations

from collections import Counter
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final

from awrlens.render.json import document
from awrlens.render.pipeline import wording

if TYPE_CHECKING:
    from awrlens.model.check_run import CheckRun

_SEVERITIES: Final = {"critical": "critical", "warning": "major", "info": "minor"}


def render(run: CheckRun) -> str:
    """The JSON array without suppressed findings, which GitLab cannot represent."""
    issues: list[dict[str, Any]] = []
    seen: Counter[str] = Counter()
    for report, issue in wording.shown(run):
        mark = issue.fingerprint
        seen[mark] += 1
        if seen[mark] > 1:  # the same finding in another report of the same database
            mark = sha256(f"{mark}/{seen[mark]}".encode()).hexdigest()[:32]
        issues.append(
            {
                "description": wording.title(issue),
                "check_name": issue.id,
                "content": {"body": wording.body(issue)},
                "categories": ["Performance"],
                "fingerprint": mark,
                "severity": _SEVERITIES[issue.severity],
                "location": _place(report.source, issue.line),
            }
        )
    issues += [
        {
            "description": notice.message,
            "check_name": "not-judged",
            "categories": ["Performance"],
            "fingerprint": sha256(f"not-judged/{number}/{notice.source}".encode()).hexdigest()[:32],
            "severity": "critical" if notice.fails else "info",
            "location": _place(notice.source, notice.line),
        }
        for number, notice in enumerate(wording.not_judged(run), start=1)
    ]
    return document(issues) + "\n"


def _place(source: str, line: int | None) -> dict[str, Any]:
    return {"path": wording.path(source), "lines": {"begin": line or 1}}
