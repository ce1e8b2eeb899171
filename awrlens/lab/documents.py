"""The JSON document of a recovery that an alert log measures or a model predicts, key by key."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal, TypedDict, final

from awrlens.lazy import NamedTuple

if TYPE_CHECKING:
    from awrlens.model.kinds import Amount, Count, Line, Positive, Time
    from awrlens.model.plain import Aside

#: Whether a recovery was in time, and if not, why not.
Judgement = Literal["within", "lower-bound", "bottleneck", "not-judged"]


class PlaceDocument(TypedDict):
    """Time and line of the log at which something begins."""

    at: Time
    line: Line


class EstimateDocument(TypedDict):
    """A report's estimate, without what the recovery does not need, and the achieved time."""

    estimated_s: float
    expected_s: float
    achieved_s: float


class Offsets(NamedTuple):
    """Start-up and opening, medians of all starts in the log."""

    #: From the start until the data files are opened; corresponds to INIT_TIME_AVG.
    init_s: float | None
    #: Opening without recovery: FOPEN_TIME_AVG per file, and other work of opening.
    open_s: float | None

    @property
    def total_s(self) -> float:
        """Both, as far as known; a surviving instance does neither."""
        return (self.init_s or 0.0) + (self.open_s or 0.0)


class RunsDocument(TypedDict):
    """The runs of a crash test."""

    runs: Annotated[int, ("minimum", 2)]
    seconds: list[float]
    median_s: float
    least_s: float
    most_s: float
    desired_s: float | None
    within: Count
    verdict: Judgement
    enough: bool
    settled: bool
    text: str


class BottleneckFinding(TypedDict):
    """A finding of the report."""

    id: str
    title: str
    pct_db_time: float | None


class BottleneckDocument(TypedDict):
    """What limits recovery in the report, compared with one without fast-start checkpointing."""

    verdict: Literal["capacity", "report", "none"]
    text: str
    findings: list[BottleneckFinding]
    dbwr_busy_pct: float | None
    dbwr_busy_pct_without: float | None
    extra_io_pct: float | None


class Rate(NamedTuple):
    """A rate with its bounds by the clock's resolution; only `low` if it is too short."""

    value: float | None
    low: float
    high: float | None
    #: What it was made of: an amount and seconds, over some recoveries by their index.
    amount: Aside[float]
    seconds: Aside[float]
    of: Aside[tuple[int, ...]]


class RatesDocument(TypedDict):
    """Rates over all recoveries in the log."""

    scan_bytes_per_s: Rate | None
    apply_bytes_per_s: Rate | None
    apply_blocks_per_s: Rate | None


class PhaseDocument(TypedDict):
    """A phase that took time."""

    name: str
    seconds: Annotated[float, ("exclusiveMinimum", 0)]


class EpisodeDocument(PlaceDocument):
    """A start, recovery or reconfiguration with its phases."""

    kind: Annotated[
        str, ("enum", ("start", "crash recovery", "instance recovery", "reconfiguration"))
    ]
    total_s: float | None
    phases: list[PhaseDocument]


class StartDocument(PlaceDocument):
    """A start of the instance; `recovery` is the index of the recovery in it."""

    release: str | None
    startup_s: float | None
    mount_s: float | None
    open_s: float | None
    file_open_s: float | None
    total_s: float | None
    recovery: int | None


class LoggedRecovery(PlaceDocument):
    """A crash or instance recovery, its passes, and the verdict on it."""

    kind: Annotated[str, ("enum", ("crash", "instance"))]
    threads: int
    total_s: float | None
    scan_s: float | None
    apply_s: float | None
    redo_kb: float | None
    blocks: int | None
    applied_mb: float | None
    scan_kb_per_s: Rate | None
    apply_blocks_per_s: Rate | None
    target_s: int | None
    achieved_s: float | None
    desired_s: float | None
    verdict: Judgement
    why: str


class StepDocument(TypedDict):
    """A step of a reconfiguration, and when it came."""

    line: Line
    offset_s: float | None
    text: str


class ReconfigurationDocument(PlaceDocument):
    """A reconfiguration of the cluster."""

    seconds: float | None
    steps: list[StepDocument]


class OutOfRange(TypedDict):
    """A target out of the valid range, and the one that Oracle used."""

    line: Line
    wanted_s: float | None
    used_s: float | None


class SwitchesDocument(TypedDict):
    """Log switches and their waits; the hours with the most switches and waits for checkpoints."""

    switches: int
    waits: int
    for_checkpoint: int
    for_strand: int
    for_archiver: int
    hours: float | None
    busiest: str | None
    most: int
    worst: str | None
    most_waits: int


class LogDocument(TypedDict):
    """All data of an alert log."""

    layout: Literal["text", "xml", "spool"]
    lines: Positive
    unknown_lines: Count
    resolution_s: float
    rates: RatesDocument
    events: Annotated[dict[str, Positive], "The number of messages of each kind."]
    episodes: list[EpisodeDocument]
    starts: list[StartDocument]
    recoveries: list[LoggedRecovery]
    reconfigurations: list[ReconfigurationDocument]
    out_of_range: list[OutOfRange]
    log_switches: SwitchesDocument


@final
class MeasuredRecovery(LogDocument):
    """Recovery measured from an alert log."""

    headline: str
    estimate: EstimateDocument | None
    offsets: Offsets
    runs: RunsDocument | None
    rates_moved_pct: float | None
    bottleneck: BottleneckDocument | None


class PredictedPart(TypedDict):
    """One number of a prediction with its range."""

    name: str
    title: str
    unit: Annotated[str, ("enum", ("s", "%"))]
    value: float | None
    low: float | None
    high: float | None
    formula: str
    note: str
    source: str


class BuddyDocument(TypedDict):
    """Whether a buddy instance would shorten the brown-out, and the buffers that it needs."""

    rule: Annotated[str, ("const", "RECO001")]
    answer: Annotated[
        str,
        ("enum", ("worth it", "may be worth it", "not worth it", "not applicable", "not known")),
    ]
    read_buffers: int | None
    hidden_parameters: Literal[True]


@final
class PredictedRecovery(TypedDict):
    """Recovery predicted by a model for the system of a report."""

    headline: str
    parts: list[PredictedPart]
    failures_per_year: Amount
    desired_mttr_s: float | None
    buddy: BuddyDocument


Recovery = MeasuredRecovery | PredictedRecovery
