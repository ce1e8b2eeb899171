"""The analysis of one report: its facts, findings and advice, and those of its parts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

from awrlens.lazy import NamedTuple
from awrlens.model.finding import SEVERITIES, base_of_shares, with_parts, worst
from awrlens.model.plain import fields

if TYPE_CHECKING:
    from collections.abc import Mapping

    from awrlens.model.comparison import Comparison
    from awrlens.model.documents import Kind, KnownOrNot, Recovery
    from awrlens.model.fact import About, Fact
    from awrlens.model.finding import (
        Finding,
        Impact,
        ProvenFinding,
        Recommendation,
        Skipped,
        SkippedRule,
        State,
        Verdicts,
    )
    from awrlens.model.kinds import Direction, FactName, Grade, Line, Per, Time, Words
    from awrlens.model.plain import Aside, IfAny, Rounded2, Rounded3, Shown

SCHEMA_VERSION: Final = "1.0"


class Identity(NamedTuple):
    """The database, instance and interval of a report; null is not in the report."""

    kind: Kind
    db_name: str | None = None
    db_id: str | None = None
    instance: str | None = None
    instance_number: str | None = None
    release: str | None = None
    rac: bool | None = None
    container: str | None = None
    host: str | None = None
    platform: str | None = None
    cpus: int | None = None
    cores: int | None = None
    begin_snap: int | None = None
    end_snap: int | None = None
    begin_time: Time = None
    end_time: Time = None
    startup_time: Time = None
    elapsed_s: Annotated[float | None, ("exclusiveMinimum", 0)] = None
    db_time_s: Annotated[float | None, ("minimum", 0)] = None
    block_size: int | None = None
    source: str = ""
    #: The cells of both times.
    elapsed_cell: Aside[Any] = None
    db_time_cell: Aside[Any] = None

    def to_dict(self) -> dict[str, Any]:
        """The fields of the document (CONTRACT section 1)."""
        return fields(self)


#: Names for all smaller consumers together, and for all waits of background processes.
OTHERS: Final = "other waits"
BACKGROUND: Final = "background waits"


class Share(NamedTuple):
    """The DB time of one consumer.

    ``part`` is ``redo``, ``temp``, ``undo`` or ``checkpoint`` for a part of the write path, ``cpu``
    for CPU, and ``other`` for everything else, which has the name of its event.
    """

    name: str
    part: Annotated[str, ("enum", ("cpu", "redo", "temp", "undo", "checkpoint", "other"))]
    seconds: Rounded2
    pct_db_time: Rounded2

    @property
    def is_event(self) -> bool:
        """Whether it is one event outside the write path."""
        return self.part == "other" and self.name not in (OTHERS, BACKGROUND)

    @property
    def pct(self) -> float:
        """The share of DB time."""
        return self.pct_db_time


#: Shares that exceed DB time by less are rounded. # awrlens: an assumption
_ROUNDED_PCT: Final = 2.0


class Overview(NamedTuple):
    """The load in brief: average active sessions, CPUs, and the consumers of DB time.

    ``complete``: what is missing to 100 % is neither CPU nor a wait of sessions. ``outside``: waits
    that DB time does not include.
    """

    active_sessions: Rounded3 | None
    cpus: int | None
    db_time: tuple[Share, ...] = ()
    complete: Aside[bool] = False
    outside: Aside[tuple[Share, ...]] = ()
    #: What an excerpt holds, in lines; None for a report.
    read: IfAny[tuple[str, ...] | None] = None

    @property
    def beyond_pct(self) -> float | None:
        """The sum of the shares if it is clearly more than DB time, otherwise None."""
        whole = sum(share.pct for share in self.db_time)
        return whole if whole >= 100.0 + _ROUNDED_PCT else None


#: What a warning says of a DB CPU that exceeds DB time.
DOUBTED: Final = "shares of DB time are not reliable"


class Note(NamedTuple):
    """A warning about the input; ``line`` is 1-based or None."""

    message: str
    line: Line | None = None
    #: Figures of the report contradict each other, so that they cannot be judged.
    contradicts: Aside[bool] = False
    #: Most tables of the page are unknown, and may hold what was not found.
    unrecognised: Aside[bool] = False
    about: Aside[About] = ""


#: Why Oracle's verdicts are undecided in the document of a SQL Server log; its pages show none.
OTHER_ENGINE: Final = Note(
    "SQL Server log: the verdicts on redo, temp and undo storage and on FAST_START_MTTR_TARGET "
    "apply to Oracle only and are undecided."
)


class DifferenceDocument(NamedTuple):
    """A fact that is a number in both periods."""

    name: Aside[str]
    unit: str
    first: float
    second: float
    #: Relative to the first value; None if that is 0.
    change_pct: Rounded2 | None
    #: At the same load it differs by more than noise.
    significant: Aside[bool]


class Change(NamedTuple):
    """A parameter with another value in the second period; empty if it is not in the report."""

    name: str
    first: str
    second: str
    #: As in `comparison.ChangedParameter`.
    about: Aside[str] = "other"


class Reason(NamedTuple):
    """An event, or CPU, with much of the change of DB time, in ms per unit of the comparison.

    ``is_event`` is false for CPU and for a part of the write path.
    """

    name: str
    is_event: bool
    before_ms: float
    after_ms: float
    per: Per
    pct_of_change: float


#: Why the time of an event or of SQL changed: more often, longer, or both.
Cause = Literal["latency", "frequency", "both", "none"]
#: SQL that has much of a rise of DB time: its name, how, in words, and why it rose.
Risen = tuple[str, str, Cause]


class PeriodsDocument(NamedTuple):
    """What `awrlens compare` says of two periods first."""

    headline: str
    direction: Direction
    severity: State
    comparability: Grade
    facts: Annotated[tuple[DifferenceDocument, ...], dict[FactName, DifferenceDocument]]
    parameters: tuple[Change, ...]
    causes: tuple[Reason, ...]
    headline_lines: Aside[tuple[str, ...]]
    #: Neither the load nor any wait was measured.
    is_empty: Aside[bool] = False
    risen: Aside[Risen | None] = None
    #: Everything that `awrlens compare` says.
    whole: Aside[Comparison | None] = None

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return fields(self, facts={fact.name: fact for fact in self.facts})


class Window(NamedTuple):
    """What one report adds to a budget on several (`for 95 % of windows`), as its finding."""

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


#: What answers time that is neither CPU nor waits: that is named before the findings.
OF_HOST: Final = ("free-memory", "free-processors")
#: Without it, nobody can log in.
_FOR_LOGINS: Final = "free-sessions"


class Analysis(NamedTuple):
    """What `awrlens analyze --format json` prints for one report."""

    report: Annotated[Mapping[str, Any], Identity]
    facts: Annotated[Mapping[str, Fact], dict[FactName, KnownOrNot]]
    findings: tuple[ProvenFinding, ...]
    recommendations: tuple[Recommendation, ...]
    verdicts: Verdicts
    skipped: tuple[SkippedRule, ...]
    warnings: tuple[Note, ...]
    instances: IfAny[Annotated[
        tuple[Analysis, ...],
        "RAC report: each instance in the report; `facts` at the top are those of the cluster.",
    ]] = ()  # fmt: skip
    periods: IfAny[Annotated[
        tuple[Analysis, ...],
        "Compare-period report: the first and the second period; findings and advice at the top "
        "are those of the second.", ("minItems", 2), ("maxItems", 2),
    ]] = ()  # fmt: skip
    comparison: IfAny[Annotated[
        PeriodsDocument | None, PeriodsDocument,
        "Compare-period report: what `awrlens compare` says first, facts that are numbers in both "
        "periods, and changed parameters.",
    ]] = None  # fmt: skip
    databases: IfAny[Annotated[
        tuple[Analysis, ...],
        "SQL Server log: each database with checkpoints or warnings; `facts` at the top are those "
        "of the whole log.",
    ]] = ()  # fmt: skip
    headline: IfAny[Annotated[
        Words, "The main problem and the first action, in one sentence; not present for alert logs."
    ]] = ""  # fmt: skip
    #: The same as up to three short lines, without the action: cause, cost, and what else.
    headline_lines: Aside[tuple[str, ...]] = ()
    #: Load and DB time in brief; None for a SQL Server log.
    overview: IfAny[Annotated[Overview | None, Overview]] = None
    recovery: IfAny[Annotated[
        Recovery | None, Recovery,
        "Recovery measured from an alert log, or predicted by a model for the system of a report.",
    ]] = None  # fmt: skip
    #: Budgets that do not apply to this report, each with its reason.
    not_applicable: Aside[tuple[Skipped, ...]] = ()
    #: What it adds to budgets on several reports.
    windows: Aside[tuple[Window, ...]] = ()
    #: The rules that judge such a report, those that were skipped included.
    rules: Aside[tuple[str, ...]] = ()

    @property
    def schema_version(self) -> Shown[Annotated[str, ("const", SCHEMA_VERSION)]]:
        """The version of the document."""
        return SCHEMA_VERSION

    @property
    def is_log(self) -> bool:
        """Whether it is of a SQL Server log, to which Oracle's verdicts do not apply."""
        return str(self.report["kind"]).startswith("sqlserver")

    @property
    def base(self) -> str:
        """What shares are percentages of: see ``base_of_shares``."""
        return base_of_shares(self.facts)

    @property
    def waiting_sessions(self) -> float | None:
        """The most sessions that wait on average for what a finding, or its part, is on."""
        waited = (
            part.weight.waiting_sessions
            for lead in self.findings
            for part in (with_parts((lead,)) if lead.weight.waiting_sessions is None else (lead,))
        )
        return max((number for number in waited if number is not None), default=None)

    @property
    def has_two_clocks(self) -> bool:
        """Whether CPU exceeds DB time, which includes it, so that shares are not reliable."""
        return any(note.about == "two clocks" for note in self.warnings)

    @property
    def actions(self) -> list[Recommendation]:
        """What to do now, in order."""
        return [item for item in self.recommendations if item.status == "apply"]

    def urgency(self, item: Recommendation) -> str:
        """The heading of an action: what no session waits for much is not done at night.

        Nor are waits that the host's lack of CPU or memory lengthens, or log switches that a backup
        slows; checkpoints need their logs.
        What comes before an urgent action is as urgent, as is what reaches more time.
        """
        first, host = self.actions[0] if self.actions else item, set[str]()
        ids = [action.id for action in self.actions]
        if item.id in ids and _FOR_LOGINS in ids[ids.index(item.id) :]:
            return "Do now"
        if item == first and item.reach_s and self.verdicts.write_path in SEVERITIES[2:]:
            return "Do now"
        if first.id in OF_HOST and item != first and item.benefit.seconds is None:
            host = {*first.findings} - {"CKPT001"}
        if first.id == "repair-write-path" and item.benefit.seconds is None:
            host = {"REDO004"}
        of = [e for e in with_parts(self.findings) if e.id in item.findings and e.id not in host]
        severity = worst([finding.severity for finding in of if not finding.can_wait] or ["ok"])
        return "Worth doing" if severity in ("ok", "info") else "Do now"

    @property
    def others(self) -> list[Recommendation]:
        """Recommendations that are not actions now."""
        return [item for item in self.recommendations if item.status != "apply"]

    def __repr__(self) -> str:
        from awrlens.model.notebook import call

        who = "/".join(str(self.report[n]) for n in ("db_name", "instance") if self.report.get(n))
        return call(
            "Analysis", who, headline=self.headline or None,
            findings=[finding.id for finding in self.findings],
            recommendations=[action.id for action in self.actions],
        )  # fmt: skip

    def _repr_html_(self) -> str:
        from awrlens.model.notebook import paragraph, table

        def saved(impact: Impact) -> str:
            return "" if impact.pct_db_time is None else f"{impact.pct_db_time:.1f} %"

        findings = [(f.id, f.severity, f.title, saved(f.impact)) for f in self.findings]
        saving = "saving" if self.is_log else f"{self.base} saved"
        actions = [
            (item.title, saved(item.benefit), " ".join(item.commands)) for item in self.actions
        ]
        return (
            paragraph(self.headline)
            + table("Findings", ("rule", "severity", "finding", self.base), findings)
            + table("What to do", ("action", saving, "commands"), actions)
        )

    @property
    def is_hardly_judged(self) -> bool:
        """Whether most rules, and those on redo, had to be skipped: no finding means nothing."""
        most = 2 * len(self.skipped) > len(self.rules) > 0
        return most and self.verdicts.redo_storage == "need-data"

    @property
    def state(self) -> State:
        """The severity of the findings; ``unknown`` without any if too little is known.

        What is to be done now is a warning, on the write path or not.
        """
        severity = self.verdicts.write_path
        if severity != "ok" or self.is_log or self.recovery is not None:
            return severity
        if "Do now" in map(self.urgency, self.actions):
            return "warning"
        lost = (self.overview and self.overview.read) or any(n.unrecognised for n in self.warnings)
        return "unknown" if lost or self.is_hardly_judged else severity

    def to_dict(self) -> dict[str, Any]:
        """The JSON document of CONTRACT section 1."""
        of_cluster = str(self.report["kind"]).startswith("awr-rac")
        of_log = self.is_log and self.report["db_id"] is None
        document = fields(
            self, warnings=(*self.warnings, *([OTHER_ENGINE] if self.is_log else ())),
            instances=self.instances if of_cluster else None, periods=self.periods or None,
            databases=self.databases if of_log else None, headline=self.headline or None,
        )  # fmt: skip
        document["verdicts"]["write_path"] = self.state
        first = ("schema_version", "report", "headline", "overview")
        return {name: document[name] for name in first if name in document} | document
