"""Findings as CSV, one row per finding, including suppressed findings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.render import wording as present
from awrlens.render.pipeline import wording

if TYPE_CHECKING:
    from awrlens.model.check_run import CheckRun

COLUMNS: Final = (
    "source", "line", "database", "instance", "begin_time", "end_time", "part", "id", "name",
    "severity", "failing", "suppressed", "title", "seconds", "pct_db_time", "confidence",
    "fingerprint",
)  # fmt: skip


def render(run: CheckRun) -> str:
    """The table with its headings."""
    rows: list[tuple[object, ...]] = [COLUMNS]
    for report, issue in wording.ranked(run):
        who = report.report
        impact = issue.impact
        rows.append((
            report.source, issue.line, who["db_name"], who["instance"], who["begin_time"],
            who["end_time"], issue.part, issue.id, issue.name, issue.severity,
            "yes" if issue.failing else "no", wording.suppression(issue), issue.title,
            impact.seconds, impact.pct_db_time, issue.confidence, issue.fingerprint,
        ))  # fmt: skip
    for notice in wording.not_judged(run):
        row = dict.fromkeys(COLUMNS, "") | {
            "source": notice.source, "line": str(notice.line or ""), "name": "not-judged",
            "failing": "yes" if notice.fails else "no", "title": notice.message,
        }  # fmt: skip
        rows.append(tuple(row.values()))
    return present.csv_text(rows)
