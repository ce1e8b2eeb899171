"""Data for charts of an analysis, in addition to its facts: number series from the report.

All are frozen; renderers compute nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from awrlens.lazy import NamedTuple
from awrlens.model.finding import DB_TIME

if TYPE_CHECKING:
    from collections.abc import Sequence


class Bucket(NamedTuple):
    """Waits between two durations, in ms, as a share of all; None means no upper bound."""

    from_ms: float
    to_ms: float | None
    pct: float


class Mark(NamedTuple):
    """A time to compare waits with: ``average``, ``percentile``, ``threshold`` or ``device``."""

    name: str
    ms: float
    kind: str
    #: What it is, in one clause.
    says: str


class Latencies(NamedTuple):
    """The histogram of an event's wait times; ``line`` is 1-based."""

    event: str
    buckets: tuple[Bucket, ...]
    line: int | None
    marks: tuple[Mark, ...] = ()


class TablespaceIO(NamedTuple):
    """Reads and writes of one tablespace; ``kind`` is ``temp``, ``undo`` or empty."""

    name: str
    reads: float
    writes: float
    read_ms: float | None
    kind: str


class UndoSlice(NamedTuple):
    """A row of Undo Segment Stats, usually ten minutes."""

    end_time: str
    undo_blocks: float
    transactions: float | None
    max_query_s: float | None


class MttrScale(NamedTuple):
    """Recovery time between its bounds, in seconds; None if not known."""

    estimated_s: float | None
    target_s: float | None
    lowest_s: float | None
    highest_s: float | None
    recommended_s: float | None


class CurvePoint(NamedTuple):
    """The write rate for a recovery target; whether the point is in the report."""

    target_s: float
    writes_per_s: float
    printed: bool


class WriteCurve(NamedTuple):
    """Writes by recovery target: points of the report and the curve; current and recommended."""

    source: str
    points: tuple[CurvePoint, ...]
    now_s: float | None
    recommended_s: float | None


class Saving(NamedTuple):
    """Time that a storage type would save, in seconds and in % of DB time; lost if below 0."""

    part: str
    seconds: float
    pct: float | None


class DeviceMark(NamedTuple):
    """A storage type, its latencies in ms, its savings, and whether LGWR cannot keep up on it."""

    name: str
    title: str
    write_ms: float
    read_ms: float
    savings: tuple[Saving, ...]
    pct_db_time: float | None
    overrun: bool = False

    def seconds_of(self, part: str) -> float | None:
        """The seconds of one part; None if they are not known."""
        return next((saving.seconds for saving in self.savings if saving.part == part), None)


class Printed(NamedTuple):
    """A table of the report; ``name`` is None for a section that awrlens does not know."""

    title: str
    name: str | None
    line: int
    headings: Sequence[str]
    rows: Sequence[Sequence[str]]


class Exhibits(NamedTuple):
    """All chart data of one report."""

    latencies: tuple[Latencies, ...] = ()
    tablespaces: tuple[TablespaceIO, ...] = ()
    undo: tuple[UndoSlice, ...] = ()
    mttr: MttrScale | None = None
    curve: WriteCurve | None = None
    devices: tuple[DeviceMark, ...] = ()
    #: Latencies of the present storage in ms, by the operation.
    present: tuple[tuple[str, float], ...] = ()
    #: Share of DB time below which users do not notice a change.
    noticed_pct: float = 0.0
    #: What shares are percentages of: see ``base_of_shares``.
    base: str = DB_TIME
    sections: tuple[Printed, ...] = ()
