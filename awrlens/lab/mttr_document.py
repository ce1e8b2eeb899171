"""The JSON documents of `mttr`: a target, what every target of a report costs, published costs."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Final, Literal, TypedDict

from awrlens.advice.recovery_split import FixedBy
from awrlens.advice.write_model import LimitName
from awrlens.cli.schema import of_document
from awrlens.lazy import NamedTuple
from awrlens.model import Recommendation
from awrlens.model.kinds import Amount, Line, Words
from awrlens.model.plain import Aside, Rounded1, Rounded3

Target = Annotated[int, ("minimum", 0), ("maximum", 3600)]
#: Where the writes of a target come from: a row of the MTTR Advisory, between rows, the simulation.
Origin = Literal["advisory", "interpolated", "simulated"]
#: Whether DBWR can write what a target needs; tune first: writes are slow or DBWR is behind now.
Bears = Literal["yes", "tight", "no", "tune first", "not known"]


Bound = Literal["at most", "at least", "now", "part"]


class ParameterInTheWay(TypedDict):
    """A parameter that limits checkpoints besides the target, and why it should not."""

    parameter: str
    value: float
    why: str


class AdvisedPoint(TypedDict):
    """A row of V$MTTR_TARGET_ADVICE.

    `factor`: its writes compared with the target in force; null if no target is known.
    """

    target_s: float
    dirty_blocks: float | None
    cache_writes: float
    factor: Amount | None
    printed: Literal[True]


class OfSpool(TypedDict, total=False):
    """What only a spool file has."""

    in_the_way: list[ParameterInTheWay]
    commands: list[str]
    rollback: list[str]
    points: list[AdvisedPoint]


class TargetDocument(OfSpool):
    """`awrlens mttr`: the value to set and the parts of the recovery time; null is not known."""

    fast_start_mttr_target_s: Target
    startup_s: Amount | None
    file_open_s: Amount | None
    cache_recovery_s: Amount | None
    lowest_s: Annotated[Target | None, "The lowest achievable target."]
    highest_s: Annotated[Target, "The highest target that has an effect."]
    expected_mttr_s: Annotated[Amount | None, "The present recovery time."]
    formula: str
    notes: list[str]


class CostOfTarget(TypedDict):
    """What a target costs (0: none is set); `factor`: its writes compared with now."""

    # null if the writes of the target are only those of the MTTR Advisory, or if Oracle's estimate
    # of now is above the target; parts and dirty blocks also if they would not fit the estimates of
    # the report
    estimated_mttr_s: Amount | None
    redo_read_s: Amount | None
    blocks_s: Amount | None
    redo_mb: Amount | None
    dirty_blocks: Annotated[int | None, ("minimum", 0)]
    limit: Annotated[LimitName, "What limits the age of dirty blocks."]
    target_s: Amount
    in_force_s: Annotated[Amount, "The target that Oracle uses."]
    recovery_most_s: Annotated[
        Amount | None, "Recovery takes at most this time; null: start-up or this time is not known."
    ]
    writes_per_s: float
    factor: float
    factor_low: float
    factor_high: float
    printed: bool
    origin: Annotated[Origin, "A row of the MTTR Advisory, between its rows, or the simulation."]
    dbwr_busy_pct: float | None
    bears: Annotated[Bears, "Whether DBWR can write this."]
    throughput_pct: Amount


class CapacityDocument(NamedTuple):
    """Blocks per second that DBWR can write, or what it can write at least."""

    writes_per_s: Amount | None
    formula: str
    lines: Annotated[tuple[Line, ...], "Lines of the report."] = ()
    least_per_s: Amount | None = None


class LimitDocument(NamedTuple):
    """What limits recovery besides the target: redo and seconds, and what it means."""

    name: str
    redo_mb: Annotated[Rounded1, ("minimum", 0)]
    recovery_s: Annotated[Rounded1, ("minimum", 0)]
    text: Words
    bound: Annotated[
        Bound, "Recovery takes at most, at least or now this time, or this is a part of it."
    ] = "at most"
    #: What takes the seconds: the whole recovery, or a part of it.
    what: Aside[str] = "recovery"


class PartsDocument(TypedDict):
    """Times and rates behind the recovery times; null is not known apart."""

    startup_s: Amount | None
    file_open_s: Amount | None
    fixed_s: Annotated[Amount | None, "Start-up and opening of the files together."]
    fixed_by: Annotated[FixedBy, "Where both come from."]
    fixed_least_s: Annotated[Amount, "Their minimum."]
    fixed_most_s: Annotated[Amount | None, "Their maximum: at most the lowest estimate."]
    redo_read_s: Annotated[Amount, "To read the redo of the end snapshot."]
    blocks_s: Annotated[Amount, "Data blocks of the end snapshot."]
    block_ms: Amount
    read_mb_per_s: Amount


class CostsDocument(TypedDict):
    """Every target of a report with its costs."""

    source: str
    rac: bool
    points: list[CostOfTarget]
    strictest_s: Annotated[Target | None, "The strictest target that DBWR sustains."]
    capacity: CapacityDocument
    limits: list[LimitDocument]
    parts: PartsDocument
    present_writes_per_s: Amount
    notes: list[str]


class AdviceDocument(CostsDocument):
    """`awrlens mttr REPORT`: every target with its costs, and what `analyze` recommends."""

    target_s: Annotated[Target | None, "The target that `awrlens analyze` recommends."]
    recommendations: list[Recommendation]


class PublishedPoint(NamedTuple):
    """A row of the published test; times are null between rows."""

    target_s: Amount
    estimated_mttr_s: Amount | None
    recovery_s: Amount | None
    writes_per_s: Annotated[Rounded1, ("minimum", 0)]
    factor: Annotated[Rounded3, ("minimum", 0)]
    throughput_pct: Annotated[Rounded1, ("minimum", 0)]
    printed: Annotated[bool, "false: interpolated between rows."]


class CurveDocument(NamedTuple):
    """`awrlens mttr --curve`: what targets cost in a published test."""

    source: Words
    interpolation: str
    points: tuple[PublishedPoint, ...]
    notes: tuple[str, ...]


schema: Final = partial(of_document, "mttr", TargetDocument | AdviceDocument | CurveDocument)
