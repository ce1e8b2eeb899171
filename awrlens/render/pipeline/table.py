"""Findings as CSV, a row each, suppressed ones too."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING, Final

from awrlens.render.pipeline import wording
from awrlens.render.present import safe

if TYPE_CHECKING:
    from awrlens.checked import CheckRun

COLUMNS: Final = (
    "source", "line", "database", "instance", "begin_time", "end_time", "part", "id", "name",
    "severity", "failing", "suppressed", "title", "seconds", "pct_db_time", "confidence",
    "fingerprint",
)  # fmt: skip
#: A cell that begins so is a formula to a spreadsheet.
_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")


def render(run: CheckRun) -> str:
    """The table with its headings."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(COLUMNS)
    for report, issue in wording.ranked(run):
        who = report.report
        impact = issue.impact
        writer.writerow(
            _plain(cell)
            for cell in (
                report.source, issue.line, who["db_name"], who["instance"], who["begin_time"],
                who["end_time"], issue.part, issue.id, issue.name, issue.severity,
                "yes" if issue.failing else "no", wording.suppression(issue), issue.title,
                impact.seconds, impact.pct_db_time, issue.confidence, issue.fingerprint,
            )
        )  # fmt: skip
    return buffer.getvalue()


def _plain(cell: object) -> object:
    """A cell that no spreadsheet takes for a formula."""
    if not isinstance(cell, str):
        return "" if cell is None else cell
    text = safe(cell)
    return f"'{text}" if text.startswith(_FORMULA) else text
