"""What targets cost in table 1 of Fast-Start Checkpointing Best Practices, for `mttr --curve`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.advice.write_cost import OFF, TABLE_1, THROUGHPUT, Curve
from awrlens.lazy import NamedTuple
from awrlens.policy import cite

if TYPE_CHECKING:
    from awrlens.lab.mttr_document import CurveDocument, PublishedPoint


#: How values between points are calculated, as shown to the user.
METHOD: Final = "straight lines"
#: Writes per second by the target in effect.
BY_TARGET: Final = Curve((row.in_force_s, row.writes_per_s) for row in TABLE_1 if row.target_s)
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
