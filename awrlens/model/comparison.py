"""The values of a comparison: two sides, changes, limits, and effects of recommendations.

All are frozen and can only convert themselves to plain data; renderers take only these.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

from awrlens.lazy import NamedTuple
from awrlens.model.analysis import SCHEMA_VERSION, Cause, Risen
from awrlens.model.finding import DB_TIME
from awrlens.model.plain import fields

if TYPE_CHECKING:
    from collections.abc import Mapping

    from awrlens.model.analysis import Change, Note, Reason, Share
    from awrlens.model.fact import Fact
    from awrlens.model.finding import Finding, State, Verdicts
    from awrlens.model.kinds import Direction, Grade, Per, Positive
    from awrlens.model.plain import Aside, Shown

Movement = Literal["better", "worse", "changed", "noise", "same"]
Outcome = Literal["came-true", "partly", "not", "not-assessable"]
#: What a difference does to a comparison: it makes it meaningless, limits it, or may explain it.
Effect = Literal["prevents", "limits", "explains"]
#: What a parameter is about; ``name``: a name or a path, which has no effect on the load.
About = Literal["write-path", "other", "name"]

#: A consumer of DB time; empty for the rest of DB time, which is in no list of the report.
PartName = Annotated[str, ("enum", ("redo", "temp", "undo", "checkpoint", "cpu", "other", ""))]

#: Movements that are reported as a change.
CHANGED: Final[tuple[Movement, ...]] = ("better", "worse", "changed")
#: How a headline begins if DB time cannot be better or worse.
OTHER_LOAD: Final = "Different load"


class Event(NamedTuple):
    """A wait event over an interval, as in the report; ``step_s`` is half of its last digit."""

    name: str
    background: bool
    waits: float | None
    total_s: float
    step_s: float


class Statement(NamedTuple):
    """SQL with much DB time: its share, ms, gets, CPU and rows of an execution, and their rate.

    A PL/SQL block contains the SQL that it calls.
    """

    share_pct: float
    each_ms: float | None = None
    gets: float | None = None
    cpu_ms: float | None = None
    per_s: float | None = None
    is_block: bool = False
    rows: float | None = None
    #: The same for SQL that differs in hints, comments, literals and case only; empty: not known.
    like: str = ""


class Reading(NamedTuple):
    """The data of one report that a comparison needs; it keeps no reference to the file."""

    report: Mapping[str, Any]
    facts: Mapping[str, Fact]
    #: Empty if the report spans a restart or is an excerpt, because its lists may be incomplete.
    events: tuple[Event, ...]
    #: Initialization parameters at the end of the interval.
    parameters: Mapping[str, str]
    findings: tuple[Finding, ...]
    verdicts: Verdicts
    #: Rules that were skipped.
    skipped: tuple[str, ...]
    #: False: the instance was restarted within the interval.
    valid: bool
    warnings: tuple[Note, ...]
    #: What comparisons have computed of it: a report is compared with many, as in `check`.
    kept: dict[Any, Any]
    #: All consumers of DB time, and whether those that are missing had none.
    consumers: tuple[Share, ...] = ()
    all_consumers: bool = False
    #: The SQL with most DB time.
    statements: Mapping[str, Statement] = {}
    #: By kind of work, the SQL with most of it, and its share in per cent.
    work: Mapping[str, Mapping[str, float]] = {}
    #: The instances of a RAC report.
    instances: tuple[Reading, ...] = ()


class Side(NamedTuple):
    """One side of the comparison: one report or a set of reports."""

    #: What `awrlens analyze` says of each, at least.
    identities: tuple[Annotated[
        Mapping[str, Any],
        ("required", ("kind", "db_name", "db_id", "instance", "release", "host", "begin_time",
                      "end_time", "elapsed_s", "source")),
    ], ...]  # fmt: skip
    elapsed_s: float | None

    @property
    def reports(self) -> Shown[Positive]:
        """The number of reports on this side."""
        return len(self.identities)


class Moved(NamedTuple):
    """A fact on both sides, with the same divisor; the arithmetic is in ``how``.

    ``change_pct`` is relative to before, ``ratio`` is after / before; None if before is 0.
    Differences up to ``noise_pct`` (of the smaller value) are noise; ``noise_basis`` says why.
    """

    fact: str
    unit: str
    before: float
    after: float
    per: Per
    change_pct: float | None
    ratio: float | None
    verdict: Movement
    noise_pct: Annotated[float, ("minimum", 0)]
    noise_basis: str
    how: tuple[str, str]


class Load(NamedTuple):
    """An event on one side: waits and milliseconds per unit of the basis."""

    waits: float | None
    each_ms: float | None
    total_ms: float
    pct_response: float | None


class MovedEvent(NamedTuple):
    """A wait event on both sides; 0 on a side whose complete list lacks it."""

    event: str
    background: bool
    before: Load
    after: Load
    change_pct: float | None
    verdict: Movement
    noise_pct: Annotated[float, ("minimum", 0)]
    noise_basis: str
    cause: Cause
    #: Whether its wait time is significant on one side.
    significant: bool


class Unfair(NamedTuple):
    """A difference besides the compared change, and why it matters."""

    what: str
    before: str
    after: str
    why: str
    effect: Effect = "limits"


class Missing(NamedTuple):
    """A fact that is missing on one side, and why; it is not comparable, and not a change to 0."""

    fact: str
    side: Literal["before", "after"]
    note: str


class Turn(NamedTuple):
    """A finding or a verdict on both sides; None if a side has none.

    ``before_ms`` and ``after_ms``: the time that sessions wait for a finding, per unit of the
    basis; None if it is not known.
    """

    id: str
    title: str
    before: str | None
    after: str | None
    movement: Literal["new", "worse", "remained", "improved", "gone"]
    before_ms: float | None = None
    after_ms: float | None = None
    #: It contributes to another finding of its side.
    is_part: Aside[bool] = False


class Said(NamedTuple):
    """A change in one sentence with numbers; ``gist`` is the sentence without the reasons."""

    text: str
    verdict: Movement
    about: str
    #: Whether its wait time is significant.
    significant: bool = True
    gist: str = ""


class Expectation(NamedTuple):
    """An earlier recommendation, its estimated effect, and the measured effect.

    ``facts`` are those that it is judged by; without any, its findings and parameters decide.
    """

    recommendation: str
    title: str
    claimed: str
    measured: str
    verdict: Outcome
    reason: str
    facts: tuple[str, ...] = ()


class Basis(NamedTuple):
    """The main divisor of amounts, the reason for it, and the time that is compared.

    ``time`` is DB time, or CPU and wait time if a report is of 8i or 9i.
    """

    per: Per
    reason: str
    time: str = DB_TIME


class Comparability(NamedTuple):
    """Whether the sides can be compared, and what limits it, in a sentence."""

    grade: Grade
    reason: str
    #: Neither the load nor any wait was measured.
    is_empty: Aside[bool] = False
    #: The second side is the earlier one, and could be the first.
    is_swapped: Aside[bool] = False


#: The name of all smaller steps together.
ALL_OTHER: Final = "all other"


class Part(NamedTuple):
    """A consumer of DB time on both sides, in ms per unit of the basis.

    ``part`` as in `model.Share`; empty for the rest of DB time, which is in no list of the report.
    """

    name: str
    part: PartName
    before_ms: float
    after_ms: float

    @property
    def change_ms(self) -> float:
        """The difference."""
        return self.after_ms - self.before_ms


class Step(NamedTuple):
    """A part of the difference of DB time."""

    name: str
    part: PartName
    change_ms: float


class DbTime(NamedTuple):
    """DB time of both sides, in ms per unit of the basis.

    The parts add up to DB time, the steps to its difference.
    """

    before_ms: float
    after_ms: float
    parts: tuple[Part, ...]
    steps: tuple[Step, ...]


class Mover(NamedTuple):
    """A change that matters: a fact or a wait event, with its title.

    ``pct_db_time`` is the difference of a wait time in percent of the longer DB time.
    """

    about: str
    title: str
    unit: str
    before: float
    after: float
    per: Per
    change_pct: float | None
    verdict: Annotated[Movement, ("enum", CHANGED)]
    pct_db_time: float | None


class ChangedParameter(NamedTuple):
    """A parameter with another value on the second side; empty if a side does not have it."""

    name: str
    first: str
    second: str
    about: About


class NamedPart(NamedTuple):
    """The comparison of one instance of a RAC report."""

    name: str
    comparison: Comparison


class Comparison(NamedTuple):
    """Everything that awrlens says about two sides.

    ``gist`` is the headline without reasons and findings. ``severity`` is that of the findings of
    the second side or of the change, whichever is worse; ``unknown`` if the sides are not
    comparable and nothing is worse than that.
    """

    before: Side
    after: Side
    headline: str
    gist: str
    direction: Direction
    severity: State
    comparability: Comparability
    basis: Basis
    db_time: DbTime | None
    #: What DB time changed by most, in either direction.
    causes: tuple[Reason, ...]
    #: The same in a sentence; the SQL that moved; how commits and redo writes changed.
    because: Aside[str]
    sql: Aside[str]
    risen: Aside[Risen | None]
    write_path: Aside[str]
    movers: Annotated[tuple[Mover, ...], "The changes that matter, the most important first."]
    unfair: tuple[Unfair, ...]
    said: tuple[Said, ...]
    facts: tuple[Moved, ...]
    events: tuple[MovedEvent, ...]
    #: Facts that are names and differ; then parameters, those of the write path first.
    names: tuple[Change, ...]
    parameters: tuple[ChangedParameter, ...]
    findings: tuple[Turn, ...]
    verdicts: tuple[Turn, ...]
    not_comparable: tuple[Missing, ...]
    expectations: tuple[Expectation, ...] = ()
    warnings: tuple[Note, ...] = ()
    parts: tuple[NamedPart, ...] = ()

    @property
    def schema_version(self) -> Shown[Annotated[str, ("const", SCHEMA_VERSION)]]:
        """The version of the document."""
        return SCHEMA_VERSION

    @property
    def kind(self) -> Shown[Annotated[str, ("const", "comparison")]]:
        """The kind of the document."""
        return "comparison"

    @property
    def main(self) -> tuple[Moved, ...]:
        """Every fact once: as it is, or divided by the basis."""
        return tuple(fact for fact in self.facts if fact.per in ("none", self.basis.per))

    def _repr_html_(self) -> str:
        from awrlens.model.notebook import ROWS, paragraph, table

        rows = [(mover.title, mover.before, mover.after, mover.unit, mover.verdict)
                for mover in self.movers[:ROWS]]  # fmt: skip
        headings = ("what", "before", "after", "unit", "change")
        more = len(self.movers) - len(rows)
        return paragraph(self.headline) + table("Changes", headings, rows, more)

    def to_dict(self) -> dict[str, Any]:
        """The JSON document."""
        document = fields(self)
        return {name: document[name] for name in ("schema_version", "kind")} | document
