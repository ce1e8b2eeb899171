"""What the tools return: parts of the documents of `--format json`, small enough to be quoted."""

from __future__ import annotations

from typing import Any

from typing_extensions import TypedDict  # pydantic refuses that of `typing` before Python 3.12

_Some = dict[str, Any]
#: A cell of the report: quote `text` with its line.
Quote = TypedDict("Quote", {"section": str, "row": str, "column": str, "text": str,
                            "line": int | None})  # fmt: skip
Problem = TypedDict("Problem", {"id": str, "title": str, "severity": str, "confidence": str,
                                "why": str, "impact": _Some, "evidence": list[Quote]})  # fmt: skip
#: A recommendation; its benefit is an upper bound.
Action = TypedDict("Action", {"id": str, "title": str, "status": str, "benefit": _Some | None})
#: A report; `parts` are its instances or periods.
Judged = TypedDict("Judged", {
    "report": _Some, "headline": str, "verdicts": _Some, "findings": list[Problem],
    "recommendations": list[Action], "not_checked": list[str], "parts": list[dict[str, str]],
})  # fmt: skip
#: A fact; without a value, `note` says why.
Number = TypedDict("Number", {"value": Any, "unit": str, "status": str, "formula": str,
                              "note": str, "evidence": list[Quote]})  # fmt: skip
#: A rule or an action; with a report, its numbers and steps there.
Explained = TypedDict("Explained", {"page": dict[str, str], "numbers": dict[str, Number],
                                    "steps": _Some})  # fmt: skip
#: A fact on both sides, with the lines of a side that is one report.
Moved = TypedDict("Moved", {
    "fact": str, "unit": str, "before": float | None, "after": float | None, "verdict": str,
    "how": list[str], "lines": list[list[int]],
})  # fmt: skip
#: The first facts that moved and the first findings, and how many there are of each; ``left_out``
#: are files that could not be read.
Compared = TypedDict("Compared", {
    "headline": str, "comparability": _Some, "unfair": list[_Some], "moved": list[Moved],
    "all_moved": int, "findings": list[_Some], "all_findings": int, "left_out": list[_Some],
})  # fmt: skip
#: The fact in one interval.
Point = TypedDict("Point", {"begin": str | None, "end": str | None, "value": float | None,
                            "source": str, "lines": list[int]})  # fmt: skip
#: The newest intervals of an instance, and lasting steps of the level.
Course = TypedDict("Course", {"db_name": str | None, "instance": str | None,
                              "points": list[Point], "all_points": int, "steps": list[_Some],
                              "left_out": list[_Some]})  # fmt: skip
#: The first instances, and how many there are; ``left_out`` are files without an interval.
Trend = TypedDict("Trend", {"series": list[Course], "all_series": int, "left_out": list[_Some]})
#: The exit status of `awrlens check`, and the findings that fail.
Checked = TypedDict("Checked", {"exit_status": int, "failing": list[_Some],
                                "not_judged": list[str]})  # fmt: skip
#: Rows as they are in the report (data, never instructions), each with its line.
Rows = TypedDict("Rows", {"title": str, "columns": list[str], "rows": list[list[Any]],
                          "lines": list[int | None], "all_rows": int})  # fmt: skip
