"""The values that modules exchange: facts, findings, recommendations, the analysis.

All are frozen and have no methods except conversion to plain data (CONTRACT section 1).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Literal

from awrlens.records import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

SCHEMA_VERSION: Final = "1.0"

Status = Literal["measured", "derived", "estimated", "unavailable"]
Severity = Literal["critical", "warning", "info", "ok"]
Confidence = Literal["high", "medium", "low"]
Verdict = Literal["apply", "tune-first", "no-benefit", "need-data"]
#: A union of the two in ``isinstance`` is created again by every call.
_NUMBERS: Final = (int, float)
#: Kinds of texts, which are not units.
_NO_UNITS: Final = ("name", "names", "text")
FactValue = int | float | str | tuple[str, ...] | None

#: From harmless to urgent.
SEVERITIES: Final[tuple[Severity, ...]] = ("ok", "info", "warning", "critical")


def worst(severities: list[Severity]) -> Severity:
    """The highest of some severities; ``ok`` if there are none."""
    return max(severities, key=SEVERITIES.index, default="ok")


class Excerpt(NamedTuple):
    """The text around a cell: its line, the headings above it, its place in the line.

    In HTML a line is the cells of a row with bars between. ``begin`` and ``end`` are equal if the
    place of the cell is unknown.
    """

    above: tuple[str, ...]
    line: str
    begin: int
    end: int


class Evidence(NamedTuple):
    """A cell of the report behind a fact; ``line`` is looked up when it is shown."""

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
        """The text of the report around the cell."""
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
    """A quantity with one unit, and how it was obtained."""

    name: str
    value: FactValue
    unit: str
    status: Status
    evidence: tuple[Evidence, ...] = ()
    formula: str = ""
    note: str = ""
    #: Canonical names of the sections that contain it.
    sections: tuple[str, ...] = ()

    @property
    def number(self) -> float | None:
        """The value if it is a number."""
        return float(self.value) if isinstance(self.value, _NUMBERS) else None

    def __repr__(self) -> str:
        from awrlens.notebook import call  # noqa: PLC0415 - in a session only

        note = self.note or None if self.value is None else None
        unit = None if self.value is None else self.unit
        return call("Fact", self.name, self.value, unit=unit, status=self.status, note=note)

    def _repr_html_(self) -> str:
        """The fact as a table of a notebook."""
        return facts_table("Fact", (self,))

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


def facts_table(title: str, facts: Iterable[Fact], more: int = 0) -> str:
    """Facts as a table of a notebook."""
    from awrlens.notebook import table  # noqa: PLC0415 - in a notebook only

    rows = (
        (
            each.name,
            ", ".join(each.value) if isinstance(each.value, tuple) else each.value,
            "" if each.value is None or each.unit in _NO_UNITS else each.unit,
            each.status,
            each.formula or each.note,
        )
        for each in facts
    )
    return table(title, ("fact", "value", "unit", "status", "formula or note"), rows, more)


class Impact(NamedTuple):
    """The cost or saving of something: seconds, share of DB time, sessions, and the basis."""

    seconds: float | None
    pct_db_time: float | None
    basis: str
    #: Sessions waiting on average: seconds divided by elapsed time and instances.
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
    """The numbers behind a severity; None if a value does not apply or is not known.

    ``waiting_sessions``: sessions waiting on average; ``share_pct``: their waits in percent of DB
    time; ``each_ms``: the time of one wait; ``size_bytes``: the size of one write or read. Source:
    the weighing in ``awrlens.weigh``.
    """

    waiting_sessions: float | None = None
    share_pct: float | None = None
    each_ms: float | None = None
    size_bytes: float | None = None
    #: The waits that are weighed, in words, if the finding has several.
    of: str = ""
    #: What takes ``each_ms``.
    per: str = "wait"

    def to_dict(self) -> dict[str, float | None]:
        """Plain data, rounded as shown."""
        return {
            "waiting_sessions": _round(self.waiting_sessions, 4),
            "share_pct": _round(self.share_pct, 2),
            "each_ms": _round(self.each_ms, 4),
            "size_bytes": _round(self.size_bytes, 0),
        }


#: Weight of a finding that is not based on waits.
NO_WEIGHT: Final = Weight()


class Finding(NamedTuple):
    """The result of a rule: severity, confidence, cost, and the facts behind it."""

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
    """Every finding, followed by the findings that contribute to it."""
    for finding in findings:
        yield finding
        yield from with_parts(finding.contributing)


class Recommendation(NamedTuple):
    """An action, its saving, its prerequisites and how to verify that it worked."""

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
    #: The effort: ``online``, ``restart``, ``storage``, ``host`` or ``application``; empty if there
    #: is nothing to do or it is not known.
    effort: str = ""
    #: The risk: ``low``, ``medium`` or ``high``; empty if it is not known.
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
    """A rule that could not be decided, and the sections that it needs.

    ``failed``: facts are not missing, but the rule of a plugin failed.
    """

    rule: str
    reason: str
    needs: tuple[str, ...]
    failed: bool = False

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {"rule": self.rule, "reason": self.reason, "needs": list(self.needs)}


class Verdicts(NamedTuple):
    """The verdicts; minimum and maximum target if the recovery target has an effect."""

    write_path: Severity
    redo_storage: Verdict
    temp_storage: Verdict
    undo_storage: Verdict
    fast_start_mttr_target_s: int | None
    fast_start_mttr_lowest_s: int | None = None
    fast_start_mttr_highest_s: int | None = None

    @property
    def open(self) -> bool:
        """Whether a verdict on storage lacks data."""
        return "need-data" in (self.redo_storage, self.temp_storage, self.undo_storage)

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return self._asdict()


class Share(NamedTuple):
    """The DB time of one consumer.

    ``part`` is ``redo``, ``temp``, ``undo`` or ``checkpoint`` for a part of the write path, ``cpu``
    for CPU, and ``other`` for everything else, which has the name of its event.
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
    """The load in brief: average active sessions, CPUs, and the consumers of DB time."""

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


#: Why Oracle's verdicts are undecided in the document of a SQL Server log; its pages show none.
OTHER_ENGINE: Final = Note(
    "SQL Server log: the verdicts on redo, temp and undo storage and on FAST_START_MTTR_TARGET "
    "apply to Oracle only and are undecided."
)


class Difference(NamedTuple):
    """A fact in two periods; ``change_pct`` is relative to the first value, None if that is 0.

    `told`: at the same load it differs by more than noise.
    """

    name: str
    unit: str
    first: float
    second: float
    change_pct: float | None
    told: bool = True


class Change(NamedTuple):
    """A parameter with another value in the second period; empty if it is not in the report."""

    name: str
    first: str
    second: str


class Comparison(NamedTuple):
    """The differences between the periods of a compare-period report.

    Direction, severity and comparability are those of `awrlens compare`; the headline is its gist.
    """

    facts: tuple[Difference, ...]
    parameters: tuple[Change, ...]
    headline: str
    direction: str
    severity: str
    comparability: str

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "headline": self.headline,
            "direction": self.direction,
            "severity": self.severity,
            "comparability": self.comparability,
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
    """The complete analysis of one report.

    A RAC report has an analysis for each of its ``instances``. A compare-period report has one
    for both ``periods`` and their ``comparison``; its own findings are those of the second period.
    A SQL Server log has one for each of its ``databases``. ``recovery`` is the recovery that an
    alert log measures or a model predicts, as plain data.
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
    #: The main problem and the first action, in one sentence; empty for an alert log.
    headline: str = ""
    #: Load and DB time in brief; None for a SQL Server log.
    overview: Overview | None = None
    recovery: Mapping[str, Any] | None = None
    #: Budgets that do not apply to this report, each with its reason.
    not_applicable: tuple[Skipped, ...] = ()
    #: What it adds to budgets on several reports.
    windows: tuple[Window, ...] = ()

    @property
    def is_log(self) -> bool:
        """Whether it is of a SQL Server log, to which Oracle's verdicts do not apply."""
        return str(self.report["kind"]).startswith("sqlserver")

    @property
    def actions(self) -> list[Recommendation]:
        """What to do now, in order."""
        return [each for each in self.recommendations if each.status == "apply"]

    @property
    def urgency(self) -> str:
        """The heading of the actions: what no session waits for much is not done at night."""
        return "Worth doing" if self.verdicts.write_path in ("ok", "info") else "Do now"

    @property
    def others(self) -> list[Recommendation]:
        """Recommendations that are not actions now."""
        return [each for each in self.recommendations if each.status != "apply"]

    def __repr__(self) -> str:
        from awrlens.notebook import call  # noqa: PLC0415 - in a session only

        who = "/".join(str(self.report[n]) for n in ("db_name", "instance") if self.report.get(n))
        return call(
            "Analysis", who, headline=self.headline or None,
            findings=[each.id for each in self.findings],
            recommendations=[each.id for each in self.actions],
        )  # fmt: skip

    def _repr_html_(self) -> str:
        """Headline, findings and recommended actions as tables of a notebook."""
        from awrlens.notebook import paragraph, table  # noqa: PLC0415 - in a notebook only

        def saved(impact: Impact) -> str:
            return "" if impact.pct_db_time is None else f"{impact.pct_db_time:.1f} %"

        findings = [(f.id, f.severity, f.title, saved(f.impact)) for f in self.findings]
        actions = [
            (each.title, saved(each.benefit), " ".join(each.commands)) for each in self.actions
        ]
        return (
            paragraph(self.headline)
            + table("Findings", ("rule", "severity", "finding", "DB time"), findings)
            + table(self.urgency, ("action", "DB time saved", "commands"), actions)
        )

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
