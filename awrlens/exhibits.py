"""What an analysis can be shown with beside its facts: series of numbers out of the report.

All are frozen; whoever draws them computes nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence


class Bucket(NamedTuple):
    """Waits between two durations, in ms, as a share of all; no upper bound where it is None."""

    from_ms: float
    to_ms: float | None
    pct: float


class Latencies(NamedTuple):
    """How long the waits of an event lasted; ``line`` is 1-based."""

    event: str
    buckets: tuple[Bucket, ...]
    line: int | None


class TablespaceIO(NamedTuple):
    """Reads and writes of one tablespace; ``kind`` is ``temp``, ``undo`` or empty."""

    name: str
    reads: float
    writes: float
    read_ms: float | None
    kind: str


class UndoSlice(NamedTuple):
    """A row of Undo Segment Stats: as printed, mostly ten minutes."""

    end_time: str
    undo_blocks: float
    transactions: float | None
    max_query_s: float | None


class MttrScale(NamedTuple):
    """Where recovery time stands between its bounds, in seconds; None where it is not known."""

    estimated_s: float | None
    target_s: float | None
    lowest_s: float | None
    highest_s: float | None
    recommended_s: float | None


class CurvePoint(NamedTuple):
    """What a recovery target costs in writes; whether the point is printed."""

    target_s: float
    writes_per_s: float
    printed: bool


class WriteCurve(NamedTuple):
    """Writes by recovery target: printed points and the curve between; now and recommended."""

    source: str
    own: bool
    points: tuple[CurvePoint, ...]
    now_s: float | None
    recommended_s: float | None


class DeviceMark(NamedTuple):
    """A kind of storage, its latencies in ms, and seconds that it would save."""

    name: str
    title: str
    write_ms: float
    read_ms: float
    redo_s: float | None
    temp_s: float | None
    undo_s: float | None
    pct_db_time: float | None


class Printed(NamedTuple):
    """A table as the report prints it; ``name`` is None for a section that is not described."""

    title: str
    name: str | None
    line: int
    headings: Sequence[str]
    rows: Sequence[Sequence[str]]


class Exhibits(NamedTuple):
    """Everything that one report can be shown with."""

    latencies: tuple[Latencies, ...] = ()
    tablespaces: tuple[TablespaceIO, ...] = ()
    undo: tuple[UndoSlice, ...] = ()
    mttr: MttrScale | None = None
    curve: WriteCurve | None = None
    devices: tuple[DeviceMark, ...] = ()
    sections: tuple[Printed, ...] = ()
