"""Table 1 of Fast-Start Checkpointing Best Practices: what recovery targets cost in Oracle's test.

A high-volume OLTP load on a cluster of two nodes: it shows how the cost grows, and what throughput
a target cost there. It is not used outside its range. docs/simulation.md lists where table and text
of the paper do not agree.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.advice.curve import METHOD, Curve
from awrlens.policy import cite
from awrlens.records import NamedTuple

if TYPE_CHECKING:
    from awrlens.model.mttr_document import CurveDocument, PublishedPoint


class Measured(NamedTuple):
    """A row of the paper's table 1; ``in_force_s`` is the target that Oracle uses."""

    target_s: int
    in_force_s: int
    estimated_mttr_s: int
    recovery_s: int
    throughput_tps: int
    writes_per_s: int


#: # Fast-Start Checkpointing Best Practices, table 1; target 0 is off, 30 was reset to 71
TABLE_1: Final = (
    Measured(0, 0, 1270, 640, 235, 358),
    Measured(900, 900, 360, 144, 236, 596),
    Measured(300, 300, 298, 123, 237, 626),
    Measured(240, 240, 235, 104, 236, 676),
    Measured(180, 180, 174, 97, 236, 722),
    Measured(120, 120, 112, 71, 233, 820),
    Measured(90, 90, 81, 64, 229, 894),
    Measured(30, 71, 61, 59, 222, 1145),
)
#: The row without fast-start checkpointing, the baseline of all losses.
OFF: Final = TABLE_1[0]
_SET: Final = [row for row in TABLE_1 if row.target_s]
#: Writes per second by the target in effect.
BY_TARGET: Final = Curve((row.in_force_s, row.writes_per_s) for row in _SET)
#: Transactions per second by the target in effect.
THROUGHPUT: Final = Curve((row.in_force_s, row.throughput_tps) for row in _SET)


def throughput_loss_pct(target_s: float) -> float:
    """Throughput lost with a target in the test; 0 if it lost none, or was not tested."""
    if target_s < THROUGHPUT.points[0][0]:
        return 0.0
    return max(0.0, 100 - THROUGHPUT.at(target_s) * 100 / OFF.throughput_tps)


_OFF: Final = (
    "Factor and throughput are relative to the row without fast-start checkpointing (off). In the "
    "row of 71 s, the target was set to 30 and reset by Oracle."
)
_BETWEEN: Final = f"~ is interpolated between reported targets: {METHOD}."


class Row(NamedTuple):
    """One target of the test: writes per second and their ratio to off, recovery, throughput.

    The two times are None for a target that is not in the table.
    """

    target_s: float
    writes_per_s: float
    factor: float
    throughput_pct: float
    printed: bool
    estimated_mttr_s: float | None = None
    recovery_s: float | None = None

    def to_dict(self) -> PublishedPoint:
        """Plain data, rounded as shown."""
        return {
            "target_s": self.target_s,
            "estimated_mttr_s": self.estimated_mttr_s,
            "recovery_s": self.recovery_s,
            "writes_per_s": round(self.writes_per_s, 1),
            "factor": round(self.factor, 3),
            "throughput_pct": round(self.throughput_pct, 1),
            "printed": self.printed,
        }


class Prices(NamedTuple):
    """Rows by target, the strictest first, with their source and notes."""

    source: str
    rows: tuple[Row, ...]
    notes: tuple[str, ...]

    def to_dict(self) -> CurveDocument:
        """Plain data, as `awrlens mttr --curve --format json` prints it."""
        return {
            "source": self.source,
            "interpolation": METHOD,
            "points": [row.to_dict() for row in self.rows],
            "notes": list(self.notes),
        }


def prices(desired_s: float | None = None) -> Prices:
    """The paper's table 1; ``desired_s`` is interpolated between its rows, never outside them."""
    rows = [
        Row(row.in_force_s, row.writes_per_s, row.writes_per_s / OFF.writes_per_s,
            row.throughput_tps * 100 / OFF.throughput_tps, printed=True,
            estimated_mttr_s=row.estimated_mttr_s, recovery_s=row.recovery_s)
        for row in TABLE_1
    ]  # fmt: skip
    notes = [_OFF]
    low, high = BY_TARGET.points[0][0], BY_TARGET.points[-1][0]
    if desired_s is not None and not low <= desired_s <= high:
        notes.append(
            f"{desired_s:g} s is outside the targets of the table ({low:g} to {high:g} s): "
            "`awrlens mttr REPORT` simulates it for the load of a report."
        )
    elif desired_s is not None and desired_s not in {row.target_s for row in rows}:
        writes = BY_TARGET.at(desired_s)
        rows.append(
            Row(desired_s, writes, writes / OFF.writes_per_s,
                THROUGHPUT.at(desired_s) * 100 / OFF.throughput_tps, printed=False)
        )  # fmt: skip
        notes.append(_BETWEEN)
    rows.sort(key=lambda row: row.target_s or float("inf"))
    source = (
        "Fast-Start Checkpointing Best Practices, table 1: a high-volume OLTP load on a cluster of "
        "two nodes, not your load"
    )
    return Prices(cite(source), tuple(rows), tuple(cite(note) for note in notes))
