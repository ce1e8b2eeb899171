"""The values of the MTTR advisor: what is asked, and every target with its costs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from awrlens.records import NamedTuple
from awrlens.simulate import sweep

if TYPE_CHECKING:
    from awrlens.recovery.episodes import Episodes
    from awrlens.simulate.sweep import State

_MB: Final = 2**20
_WHOLE_PCT: Final = 100


class Asked(NamedTuple):
    """What the caller gives; None is taken from the report or the alert log."""

    desired_s: float | None = None
    rac: bool = False
    startup_s: float | None = None
    file_open_s: float | None = None
    write_capacity: float | None = None
    target_s: float | None = None
    log: Episodes | None = None


class Row(NamedTuple):
    """One target; ``factor`` is its writes compared with now, from ``low`` to ``high``."""

    state: State
    factor: float
    low: float
    high: float
    #: `advisory`: a row of the MTTR Advisory; `interpolated` between them; `simulated`.
    origin: str
    writes_per_s: float
    busy_pct: float | None
    bears: str

    @property
    def cost(self) -> str:
        """Recovery time and writes of the target, and whether DBWR can bear them, in a sentence."""
        state = self.state
        name = f"A target of {state.target_s:.0f} s" if state.target_s else "No target"
        limit = "" if state.limit == sweep.TARGET else f" (limited by: {state.limit})"
        text = (
            f"{name} means a recovery of {state.recovery_s:.0f} s{limit} and "
            f"{self.writes_per_s:,.0f} blocks written per second"
        )
        if self.busy_pct is None:
            return f"{text}; DBWR's capacity is not known."
        bears = {"yes": "DBWR can bear this", "tight": "DBWR has little left for peaks",
                 "no": "more than DBWR can write"}[self.bears]  # fmt: skip
        return f"{text}, {self.busy_pct:.0f} % of DBWR's capacity: {bears}."

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        state = self.state
        return {
            "target_s": round(state.target_s, 1),
            "in_force_s": round(state.in_force_s, 1),
            "writes_per_s": round(self.writes_per_s, 1),
            "factor": round(self.factor, 3),
            "factor_low": round(self.low, 3),
            "factor_high": round(self.high, 3),
            "printed": self.origin == "advisory",
            "origin": self.origin,
            "estimated_mttr_s": round(state.recovery_s, 1),
            "redo_read_s": round(state.redo_read_s, 2),
            "blocks_s": round(state.blocks_s, 2),
            "redo_mb": round(state.redo_bytes / _MB, 1),
            "dirty_blocks": round(state.dirty_blocks),
            "limit": state.limit,
            "dbwr_busy_pct": None if self.busy_pct is None else round(self.busy_pct, 1),
            "bears": self.bears,
            "throughput_pct": round(state.throughput * _WHOLE_PCT, 1),
        }


class Limit(NamedTuple):
    """What limits recovery besides the target: redo and seconds, and what it means."""

    name: str
    redo_bytes: float
    recovery_s: float
    text: str

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "name": self.name, "redo_mb": round(self.redo_bytes / _MB, 1),
            "recovery_s": round(self.recovery_s, 1), "text": self.text,
        }  # fmt: skip


class Capacity(NamedTuple):
    """Blocks per second that DBWR can write, how that is known, and the lines of the report."""

    writes_per_s: float | None
    formula: str
    lines: tuple[int, ...] = ()


class Advice(NamedTuple):
    """The targets of the report ``name`` with their costs; times are seconds."""

    name: str
    source: str
    rows: tuple[Row, ...]
    #: The strictest target that DBWR bears; None if there is none or its capacity is not known.
    strictest_s: int | None
    capacity: Capacity
    limits: tuple[Limit, ...]
    #: Start-up, opening of the files, their sum; None is not known apart.
    startup_s: float | None
    file_open_s: float | None
    fixed_s: float
    #: Where their sum comes from: `given`, `alert log`, `MTTR Advisory`, `estimated`, `assumed`.
    fixed_by: str
    #: A surviving instance recovers, which needs neither start-up nor opening.
    rac: bool
    block_ms: float
    read_mb_per_s: float
    present_writes_per_s: float
    notes: tuple[str, ...]

    @property
    def borne(self) -> str:
        """The strictest target that DBWR bears, in a sentence; empty if it is not known."""
        if self.capacity.writes_per_s is None:
            return ""
        if self.strictest_s is None:
            return "DBWR has no capacity left for any target: more I/O capacity comes first."
        return f"The strictest target that DBWR bears is {self.strictest_s} s."

    def row(self, target_s: float) -> Row:
        """The row of a target; that of no target if it is not among them."""
        return next((row for row in self.rows if row.state.target_s == target_s), self.rows[-1])

    def to_dict(self) -> dict[str, Any]:
        """Plain data, as `awrlens mttr REPORT --format json` prints it."""
        return {
            "source": self.source,
            "rac": self.rac,
            "points": [row.to_dict() for row in self.rows],
            "strictest_s": self.strictest_s,
            "capacity": self.capacity._asdict(),
            "limits": [each.to_dict() for each in self.limits],
            "parts": {
                "startup_s": self.startup_s, "file_open_s": self.file_open_s,
                "fixed_s": round(self.fixed_s, 3), "fixed_by": self.fixed_by,
                "block_ms": round(self.block_ms, 4),
                "read_mb_per_s": round(self.read_mb_per_s, 1),
            },
            "present_writes_per_s": round(self.present_writes_per_s, 1),
            "notes": list(self.notes),
        }  # fmt: skip
