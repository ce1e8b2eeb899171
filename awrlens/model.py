"""The values that rooms hand to each other: facts, findings, recommendations, the analysis.

All are frozen and know nothing but how to become plain data (CONTRACT section 1).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

SCHEMA_VERSION: Final = "1.0"

Status = Literal["measured", "derived", "estimated", "unavailable"]
Severity = Literal["critical", "warning", "info", "ok"]
Confidence = Literal["high", "medium", "low"]
Verdict = Literal["apply", "tune-first", "no-benefit", "need-data"]
FactValue = int | float | str | tuple[str, ...] | None

#: From harmless to urgent.
SEVERITIES: Final[tuple[Severity, ...]] = ("ok", "info", "warning", "critical")


def worst(severities: list[Severity]) -> Severity:
    """The highest of some severities; ``ok`` of none."""
    return max(severities, key=SEVERITIES.index, default="ok")


class Excerpt(NamedTuple):
    """What is printed around a cell: its line, the headings above it, its place in the line.

    Of HTML a line is the cells of a row with bars between. ``begin`` and ``end`` are equal where
    the cell's place cannot be told.
    """

    above: tuple[str, ...]
    line: str
    begin: int
    end: int


class Evidence(NamedTuple):
    """A cell of the report that a fact rests on; ``line`` is looked up when it is shown."""

    section: str
    row: str
    column: str
    text: str
    value: int | float | str | None
    find_line: Callable[[], int | None]
    find_excerpt: Callable[[], Excerpt] = lambda: Excerpt((), "", 0, 0)

    @property
    def line(self) -> int | None:
        """1-based line in the source file."""
        return self.find_line()

    @property
    def excerpt(self) -> Excerpt:
        """What the report prints around the cell."""
        return self.find_excerpt()

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "section": self.section,
            "row": self.row,
            "column": self.column,
            "text": self.text,
            "value": self.value,
            "line": self.line,
        }


class Fact(NamedTuple):
    """A quantity with one unit, and how it was come by."""

    name: str
    value: FactValue
    unit: str
    status: Status
    evidence: tuple[Evidence, ...] = ()
    formula: str = ""
    note: str = ""
    #: Canonical names of the sections it would come from.
    sections: tuple[str, ...] = ()

    @property
    def number(self) -> float | None:
        """The value where it is a number."""
        return float(self.value) if isinstance(self.value, int | float) else None

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        value = list(self.value) if isinstance(self.value, tuple) else self.value
        return {
            "value": value,
            "unit": self.unit,
            "status": self.status,
            "evidence": [item.to_dict() for item in self.evidence],
            "formula": self.formula,
            "note": self.note,
        }


class Impact(NamedTuple):
    """What something costs or saves: seconds, share of DB time, sessions, and how it is known."""

    seconds: float | None
    pct_db_time: float | None
    basis: str
    #: Sessions that wait at a time, on average: seconds over elapsed time and instances.
    sessions: float | None = None

    def to_dict(self) -> dict[str, Any]:
        """Plain data, rounded as shown."""
        return {
            "seconds": _round(self.seconds, 2),
            "pct_db_time": _round(self.pct_db_time, 2),
            "basis": self.basis,
            "sessions": _round(self.sessions, 4),
        }


class Weight(NamedTuple):
    """What a severity rests on; a value is None where it does not apply or is not known.

    ``waiting_sessions``: sessions that wait at a time, on average; ``share_pct``: their waits in
    per cent of DB time; ``each_ms``: what one wait takes; ``size_bytes``: what one write or read
    carries. Source: the weighing in ``awrlens.weigh``.
    """

    waiting_sessions: float | None = None
    share_pct: float | None = None
    each_ms: float | None = None
    size_bytes: float | None = None
    #: What is weighed where that is more than the finding's own waits, in words.
    of: str = ""

    def to_dict(self) -> dict[str, float | None]:
        """Plain data, rounded as shown."""
        return {
            "waiting_sessions": _round(self.waiting_sessions, 4),
            "share_pct": _round(self.share_pct, 2),
            "each_ms": _round(self.each_ms, 4),
            "size_bytes": _round(self.size_bytes, 0),
        }


#: Of a finding that does not rest on waits.
NO_WEIGHT: Final = Weight()


class Finding(NamedTuple):
    """What a rule saw: how bad, how sure, what it costs, and on which numbers it rests."""

    id: str
    name: str
    since: str
    title: str
    severity: Severity
    confidence: Confidence
    confidence_reason: str
    impact: Impact
    facts: tuple[Fact, ...]
    why: str
    source: str
    related: tuple[str, ...] = ()
    weight: Weight = NO_WEIGHT
    #: Findings that are causes or parts of this one: one problem is one finding.
    contributing: tuple[Finding, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "id": self.id,
            "name": self.name,
            "since": self.since,
            "title": self.title,
            "severity": self.severity,
            "confidence": self.confidence,
            "confidence_reason": self.confidence_reason,
            "impact": self.impact.to_dict(),
            "weight": self.weight.to_dict(),
            "facts": [fact.name for fact in self.facts],
            "evidence": [item.to_dict() for fact in self.facts for item in fact.evidence],
            "why": self.why,
            "source": self.source,
            "related": list(self.related),
            "contributing": [part.to_dict() for part in self.contributing],
        }


def with_parts(findings: Iterable[Finding]) -> Iterator[Finding]:
    """Every finding, followed by those that contribute to it."""
    for finding in findings:
        yield finding
        yield from with_parts(finding.contributing)


class Recommendation(NamedTuple):
    """What to do, what it would save, what it needs and how to verify that it worked."""

    id: str
    title: str
    action: str
    status: Verdict
    commands: tuple[str, ...] = ()
    rollback: tuple[str, ...] = ()
    benefit: Impact = Impact(None, None, "not quantified")
    prerequisites: tuple[str, ...] = ()
    risks: tuple[str, ...] = ()
    validate: tuple[str, ...] = ()
    findings: tuple[str, ...] = ()
    #: What it takes: ``online``, ``restart``, ``storage``, ``host`` or ``application``; empty
    #: where nothing is to be done or it is not known.
    effort: str = ""
    #: How much can go wrong: ``low``, ``medium`` or ``high``; empty where it is not known.
    risk: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "id": self.id,
            "title": self.title,
            "action": self.action,
            "commands": list(self.commands),
            "rollback": list(self.rollback),
            "benefit": {**self.benefit.to_dict(), "upper_bound": True},
            "prerequisites": list(self.prerequisites),
            "risks": list(self.risks),
            "validate": list(self.validate),
            "findings": list(self.findings),
            "status": self.status,
            "effort": self.effort or None,
            "risk": self.risk or None,
        }


class Skipped(NamedTuple):
    """A rule that could not be decided, and the sections that would decide it.

    ``failed``: not for want of facts, but because a plugin's rule went wrong.
    """

    rule: str
    reason: str
    needs: tuple[str, ...]
    failed: bool = False

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {"rule": self.rule, "reason": self.reason, "needs": list(self.needs)}


class Verdicts(NamedTuple):
    """The answers in short; lowest and highest bound where the recovery target does something."""

    write_path: Severity
    redo_storage: Verdict
    temp_storage: Verdict
    undo_storage: Verdict
    fast_start_mttr_target_s: int | None
    fast_start_mttr_lowest_s: int | None = None
    fast_start_mttr_highest_s: int | None = None

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return self._asdict()


class Share(NamedTuple):
    """What one consumer took of DB time.

    ``part`` is ``redo``, ``temp``, ``undo`` or ``checkpoint`` for a part of the write path, ``cpu``
    for CPU, and ``other`` for everything else, which is called by its event's name.
    """

    name: str
    part: str
    seconds: float
    pct: float

    def to_dict(self) -> dict[str, Any]:
        """Plain data, rounded as shown."""
        return {
            "name": self.name, "part": self.part, "seconds": _round(self.seconds, 2),
            "pct_db_time": _round(self.pct, 2),
        }  # fmt: skip


class Overview(NamedTuple):
    """The load at a glance: average active sessions, CPUs, and where DB time went."""

    active_sessions: float | None
    cpus: int | None
    db_time: tuple[Share, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "active_sessions": _round(self.active_sessions, 3),
            "cpus": self.cpus,
            "db_time": [each.to_dict() for each in self.db_time],
        }


class Note(NamedTuple):
    """A warning about the input; ``line`` is 1-based or None."""

    message: str
    line: int | None = None

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return self._asdict()


#: Why Oracle's verdicts stay open in the document of a log of SQL Server; its pages show none.
OTHER_ENGINE: Final = Note(
    "SQL Server: the verdicts on redo, temporary and undo storage and FAST_START_MTTR_TARGET are "
    "Oracle's and are left open."
)


class Difference(NamedTuple):
    """A fact in two periods; ``change_pct`` is of the first value, None where that is 0.

    ``told``: at the same load it differs by more than noise.
    """

    name: str
    unit: str
    first: float
    second: float
    change_pct: float | None
    told: bool = True


class Change(NamedTuple):
    """A parameter with another value in the second period; empty where it is not printed."""

    name: str
    first: str
    second: str


class Comparison(NamedTuple):
    """What differs between the periods of a compare-period report."""

    facts: tuple[Difference, ...]
    parameters: tuple[Change, ...]

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "facts": {
                item.name: {
                    "unit": item.unit,
                    "first": item.first,
                    "second": item.second,
                    "change_pct": _round(item.change_pct, 2),
                }
                for item in self.facts
            },
            "parameters": [item._asdict() for item in self.parameters],
        }


class Window(NamedTuple):
    """What one report adds to a budget on several (`for 95 % of windows`).

    ``budget`` is the finding that it becomes, its title the condition.
    """

    budget: Finding
    share_pct: float
    verdict: Literal["met", "violated", "not-assessable", "not-applicable"]
    message: str = ""
    fix: str = ""
    required: bool = False
    #: Why it cannot be assessed in this report.
    reason: str = ""
    #: What is held against a number, where that is one fact, and whether it must be at least that.
    name: str = ""
    value: float | None = None
    unit: str = ""
    at_least: bool = False


class Analysis(NamedTuple):
    """Everything awrlens says about one report.

    A RAC report has an analysis for each of its ``instances``. A compare-period report has one
    for both ``periods`` and their ``comparison``; its own findings are the second period's. A log
    of SQL Server has one for each of its ``databases``. ``recovery`` is what an
    alert log measures or a model predicts of recovery, as plain data.
    """

    report: Mapping[str, Any]
    facts: Mapping[str, Fact]
    findings: tuple[Finding, ...]
    recommendations: tuple[Recommendation, ...]
    verdicts: Verdicts
    skipped: tuple[Skipped, ...]
    warnings: tuple[Note, ...]
    instances: tuple[Analysis, ...] = ()
    periods: tuple[Analysis, ...] = ()
    comparison: Comparison | None = None
    databases: tuple[Analysis, ...] = ()
    #: What hurts and what to do first, in one sentence; of a log the page says it.
    headline: str = ""
    #: Load and DB time at a glance; None of a log.
    overview: Overview | None = None
    recovery: Mapping[str, Any] | None = None
    #: Budgets that are not asked of this report, each with its reason.
    not_applicable: tuple[Skipped, ...] = ()
    #: What it adds to budgets on several reports.
    windows: tuple[Window, ...] = ()

    @property
    def is_log(self) -> bool:
        """Whether it is of a log of SQL Server, to which Oracle's verdicts do not apply."""
        return str(self.report["kind"]).startswith("sqlserver")

    def to_dict(self) -> dict[str, Any]:
        """The JSON document of CONTRACT section 1."""
        data: dict[str, Any] = {
            "schema_version": SCHEMA_VERSION,
            "report": dict(self.report),
            **({"headline": self.headline} if self.headline else {}),
            **({"overview": self.overview.to_dict()} if self.overview else {}),
            "facts": {name: fact.to_dict() for name, fact in self.facts.items()},
            "findings": [finding.to_dict() for finding in self.findings],
            "recommendations": [item.to_dict() for item in self.recommendations],
            "verdicts": self.verdicts.to_dict(),
            "skipped": [item.to_dict() for item in self.skipped],
            "warnings": [item.to_dict() for item in self.warnings],
        }
        if str(self.report["kind"]).startswith("awr-rac"):
            data["instances"] = [part.to_dict() for part in self.instances]
        if self.is_log:
            data["warnings"].append(OTHER_ENGINE.to_dict())
        if self.is_log and self.report["db_id"] is None:
            data["databases"] = [part.to_dict() for part in self.databases]
        if self.comparison is not None:
            data["periods"] = [part.to_dict() for part in self.periods]
            data["comparison"] = self.comparison.to_dict()
        if self.recovery is not None:
            data["recovery"] = dict(self.recovery)
        return data


def _round(value: float | None, digits: int) -> float | None:
    return None if value is None else round(value, digits)
