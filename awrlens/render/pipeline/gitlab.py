"""GitLab's code quality report: a list of issues shown in merge requests."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final

from awrlens.render.json import document
from awrlens.render.pipeline import wording

if TYPE_CHECKING:
    from awrlens.model.check_run import CheckRun

_SEVERITIES: Final = {"critical": "critical", "warning": "major", "info": "minor"}


def render(run: CheckRun) -> str:
    """The JSON array without suppressed findings, which GitLab cannot represent."""
    found: list[dict[str, Any]] = []
    seen: dict[str, int] = {}
    for report, issue in wording.ranked(run):
        if issue.suppressed is not None or issue.severity == "ok":
            continue
        seen[issue.fingerprint] = seen.get(issue.fingerprint, 0) + 1
        mark = issue.fingerprint
        if seen[mark] > 1:  # the same finding in another report of the same database
            mark = sha256(f"{mark}/{seen[mark]}".encode()).hexdigest()[:32]
        found.append(
            {
                "description": wording.title(issue),
                "check_name": issue.id,
                "content": {"body": wording.body(issue)},
                "categories": ["Performance"],
                "fingerprint": mark,
                "severity": _SEVERITIES[issue.severity],
                "location": {
                    "path": wording.path(report.source),
                    "lines": {"begin": issue.line or 1},
                },
            }
        )
    found += [
        {
            "description": each.message,
            "check_name": "not-judged",
            "categories": ["Performance"],
            "fingerprint": sha256(f"not-judged/{number}/{each.source}".encode()).hexdigest()[:32],
            "severity": "critical" if each.fails else "info",
            "location": {"path": wording.path(each.source), "lines": {"begin": each.line or 1}},
        }
        for number, each in enumerate(wording.not_judged(run), start=1)
    ]
    return document(found) + "\n"
