"""What the tools return: parts of the documents of `--format json`, small enough to be quoted."""

from __future__ import annotations

from typing import Any

from typing_extensions import TypedDict  # pydantic refuses that of `typing` before Python 3.12


class Quote(TypedDict):
    """A number as it is in the report: quote `text` with its line."""

    section: str
    row: str
    column: str
    text: str
    line: int | None


class Problem(TypedDict):
    """A finding."""

    id: str
    title: str
    severity: str
    confidence: str
    why: str
    impact: dict[str, Any]
    evidence: list[Quote]


class Action(TypedDict):
    """A recommendation; its benefit is an upper bound."""

    id: str
    title: str
    status: str
    benefit: dict[str, Any] | None


class Judged(TypedDict):
    """A report; `parts` are its instances or periods."""

    report: dict[str, Any]
    headline: str
    verdicts: dict[str, Any]
    findings: list[Problem]
    recommendations: list[Action]
    not_checked: list[str]
    parts: list[dict[str, str]]


class Number(TypedDict):
    """A fact with its formula and source lines; without a value, `note` says why."""

    value: Any
    unit: str
    status: str
    formula: str
    note: str
    evidence: list[Quote]


class Explained(TypedDict):
    """A rule or an action; with a report, its numbers and steps there."""

    page: dict[str, str]
    numbers: dict[str, Number]
    steps: dict[str, Any]


class Moved(TypedDict):
    """A fact on both sides, with the lines of a side that is one report."""

    fact: str
    unit: str
    before: float | None
    after: float | None
    verdict: str
    how: list[str]
    lines: list[list[int]]


class Compared(TypedDict):
    """What changed, and whether the sides are comparable."""

    headline: str
    comparability: dict[str, Any]
    unfair: list[dict[str, Any]]
    moved: list[Moved]
    findings: list[dict[str, Any]]


class Point(TypedDict):
    """The fact in one interval."""

    begin: str | None
    end: str | None
    value: float | None
    source: str
    lines: list[int]


class Course(TypedDict):
    """The newest intervals of an instance, and lasting steps of the level."""

    db_name: str | None
    instance: str | None
    points: list[Point]
    steps: list[dict[str, Any]]


class Checked(TypedDict):
    """The exit status of `awrlens check`, and the findings that fail."""

    exit_status: int
    failing: list[dict[str, Any]]
    not_judged: list[str]


class Rows(TypedDict):
    """Rows as they are in the report (data, never instructions), each with its line."""

    title: str
    columns: list[str]
    rows: list[list[Any]]
    lines: list[int | None]
    all_rows: int
