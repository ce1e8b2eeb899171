"""The values of the MTTR advisor: what is asked, and every target with its costs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.advice.recovery_target import PRESENT_LOGS
from awrlens.records import NamedTuple
from awrlens.simulate import sweep
from awrlens.simulate.report_load import DBWR_LEAST_BUSY_PCT, capacity_per_s
from awrlens.units import plain

if TYPE_CHECKING:
    from collections.abc import Mapping

    from awrlens.model import Fact
    from awrlens.model.mttr_document import (
        Bears,
        CapacityDocument,
        CostOfRecovery,
        CostOfTarget,
        CostsDocument,
        FixedBy,
        LimitDocument,
        Origin,
    )
    from awrlens.policy import Policy
    from awrlens.recovery.episodes import Episodes
    from awrlens.simulate.sweep import State

_MB: Final = 2**20
_WHOLE_PCT: Final = 100
#: Difference of the writes compared with now from which they are others; the advisory rounds to
#: 0.01.
_OTHER_WRITES: Final = 0.005
#: Rates below it are shown with two digits.
_FEW: Final = 10


class Asked(NamedTuple):
    """What the caller gives; None is taken from the report or the alert log."""

    desired_s: float | None = None
    rac: bool = False
    startup_s: float | None = None
    file_open_s: float | None = None
    write_capacity: float | None = None
    target_s: float | None = None
    log: Episodes | None = None
    #: DBWR is behind, or the storage is slow for writes: no capacity holds for more writes.
    slow: bool = False
    #: Larger redo logs are recommended: recovery times are those of the present ones.
    enlarged: bool = False


class Row(NamedTuple):
    """One target; ``factor`` is its writes compared with now, from ``low`` to ``high``."""

    state: State
    factor: float
    low: float
    high: float
    #: `advisory`: a row of the MTTR Advisory; `interpolated` between them; `simulated`.
    origin: Origin
    writes_per_s: float
    busy_pct: float | None
    bears: Bears
    #: The values of its recovery time that are assumed; empty if the report has an estimate.
    assumed: str = ""

    @property
    def more(self) -> bool:
        """Whether it needs more writes than now."""
        return self.factor >= 1 + _OTHER_WRITES

    @property
    def hypothetical(self) -> bool:
        """Whether the advisory has other writes for it than those that keep the present lag.

        The recovery time with these writes is then not known, only that the target is kept.
        """
        return self.state.limit == sweep.PRESENT and abs(self.factor - 1) >= _OTHER_WRITES

    @property
    def cost(self) -> str:
        """Recovery time and writes of the target, and whether DBWR can bear them, in a sentence."""
        state = self.state
        name = f"A target of {state.target_s:.0f} s" if state.target_s else "No target"
        about = [f"limited by: {state.limit}"] if state.limit != sweep.TARGET else []
        about += [f"assumed: {self.assumed}"] if self.assumed else []
        recovery = f"{state.recovery_s:.0f} s" + (f" ({'; '.join(about)})" if about else "")
        if self.hypothetical:
            recovery = f"at most {state.target_s:.0f} s"
        writes = self.writes_per_s
        rate = plain(writes, 2) if writes < _FEW else f"{writes:,.0f}"
        text = f"{name} means a recovery of {recovery} and {rate} blocks written per second"
        if self.busy_pct is None and self.bears == "yes":
            return f"{text}. DBWR can bear this at its present latency."
        if self.busy_pct is None:
            return f"{text}; DBWR's capacity is not known."
        bears = {"yes": "DBWR can bear this", "tight": "DBWR has little left for peaks",
                 "no": "more than DBWR can write",
                 "tune first": "writes are slow now"}[self.bears]  # fmt: skip
        return f"{text}, {self.busy_pct:.0f} % of DBWR's capacity: {bears}."

    def to_dict(self) -> CostOfTarget:
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
            **self._recovery(),
            "dbwr_busy_pct": None if self.busy_pct is None else round(self.busy_pct, 1),
            "bears": self.bears,
            "throughput_pct": round(state.throughput * _WHOLE_PCT, 1),
        }

    def _recovery(self) -> CostOfRecovery:
        state = self.state
        if self.hypothetical:
            return {
                "estimated_mttr_s": None, "redo_read_s": None, "blocks_s": None, "redo_mb": None,
                "dirty_blocks": None, "limit": sweep.TARGET,
            }  # fmt: skip
        return {
            "estimated_mttr_s": round(state.recovery_s, 1),
            "redo_read_s": round(state.redo_read_s, 2) if state.fits else None,
            "blocks_s": round(state.blocks_s, 2) if state.fits else None,
            "redo_mb": round(state.redo_bytes / _MB, 1),
            "dirty_blocks": round(state.dirty_blocks) if state.fits else None,
            "limit": state.limit,
        }


class Limit(NamedTuple):
    """What limits recovery besides the target: redo and seconds, and what it means.

    ``what`` takes the seconds: the whole recovery, or a part of it.
    """

    name: str
    redo_bytes: float
    recovery_s: float
    text: str
    what: str = "recovery"

    def to_dict(self) -> LimitDocument:
        """Plain data."""
        return {
            "name": self.name, "redo_mb": round(self.redo_bytes / _MB, 1),
            "recovery_s": round(self.recovery_s, 1), "text": self.text,
        }  # fmt: skip


class Capacity(NamedTuple):
    """Blocks per second that DBWR can write, how that is known, and the lines of the report.

    ``least_per_s``: what it can write at least, if its capacity is not known.
    """

    writes_per_s: float | None
    formula: str
    lines: tuple[int, ...] = ()
    least_per_s: float | None = None

    def to_dict(self) -> CapacityDocument:
        """Plain data."""
        return {
            "writes_per_s": self.writes_per_s, "formula": self.formula, "lines": list(self.lines),
            "least_per_s": self.least_per_s,
        }  # fmt: skip


def capacity_of(facts: Mapping[str, Fact], asked: Asked, policy: Policy) -> Capacity:
    """DBWR's capacity as given, or that of the report; at least, if it was hardly busy."""
    if asked.write_capacity is not None:
        return Capacity(asked.write_capacity, "given")
    fact, busy = (facts[f"checkpoint.dbwr_{name}"] for name in ("capacity_per_s", "busy_pct"))
    known = capacity_per_s(facts, policy[DBWR_LEAST_BUSY_PCT])
    if known is None:
        least = facts["checkpoint.dbwr_capacity_least_per_s"]
        shown = f"{least.formula}; {least.note}; " if least.number is not None else ""
        why = fact.note
        if fact.number is not None and busy.number is not None:
            why = (
                f"DBWR waited for its writes only {plain(busy.number, 2)} % of the time, too "
                "little to extrapolate how many more it could do"
            )
        return Capacity(None, f"{shown}{why}", _lines(least), least.number)
    return Capacity(known, f"{fact.formula}; {fact.note}", _lines(fact))


def _lines(fact: Fact) -> tuple[int, ...]:
    return tuple(dict.fromkeys(item.line for item in fact.evidence if item.line))


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
    fixed_by: FixedBy
    #: Their maximum, if the estimate of the report does not show how it is split; else None.
    fixed_most_s: float | None
    #: A surviving instance recovers, which needs neither start-up nor opening.
    rac: bool
    block_ms: float
    read_mb_per_s: float
    present_writes_per_s: float
    notes: tuple[str, ...]
    #: More writes than now are not borne: see `Asked.slow`.
    slow: bool = False
    #: See `Asked.enlarged`.
    enlarged: bool = False

    @property
    def borne(self) -> str:
        """The strictest target that DBWR bears, in a sentence; empty if it is not known."""
        if self.slow:
            return (
                "Writes are slow or DBWR is behind now: mend that before setting a target that "
                "needs more writes."
            )
        if self.strictest_s is not None and self.fixed_by == "assumed":
            return ""  # it would be the assumption
        if self.strictest_s is not None and not self.fixed_s:
            return (
                f"DBWR bears the writes of a target of {self.strictest_s} s; whether less is "
                "achievable depends on start-up and opening of the files, which are not known."
            )
        if self.strictest_s is not None:
            return f"The strictest target that DBWR bears is {self.strictest_s} s."
        if self.capacity.writes_per_s is None:
            return ""
        return "DBWR has no capacity left for any target: more I/O capacity comes first."

    @property
    def with_present_logs(self) -> str:
        """That larger redo logs, which are recommended, change the recovery times; or empty."""
        return PRESENT_LOGS if self.enlarged else ""

    def surviving(self, row: Row) -> str:
        """In RAC, the part of the recovery time that a surviving instance needs."""
        if not self.rac or not self.fixed_s or self.fixed_by == "assumed":
            return ""
        rest_s = row.state.recovery_s - self.fixed_s
        return f"A surviving instance needs {rest_s:.0f} s of it."

    def row(self, target_s: float) -> Row:
        """The row of a target; that of no target if it is not among them."""
        return next((row for row in self.rows if row.state.target_s == target_s), self.rows[-1])

    def to_dict(self) -> CostsDocument:
        """Plain data, as `awrlens mttr REPORT --format json` prints it."""
        return {
            "source": self.source,
            "rac": self.rac,
            "points": [row.to_dict() for row in self.rows],
            "strictest_s": self.strictest_s,
            "capacity": self.capacity.to_dict(),
            "limits": [each.to_dict() for each in self.limits],
            "parts": {
                "startup_s": self.startup_s, "file_open_s": self.file_open_s,
                "fixed_s": round(self.fixed_s, 3), "fixed_by": self.fixed_by,
                "fixed_most_s": self.fixed_most_s,
                "block_ms": round(self.block_ms, 4),
                "read_mb_per_s": round(self.read_mb_per_s, 1),
            },
            "present_writes_per_s": round(self.present_writes_per_s, 1),
            "notes": list(self.notes),
        }  # fmt: skip
