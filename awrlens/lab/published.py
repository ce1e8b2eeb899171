"""What targets cost in table 1 of Fast-Start Checkpointing Best Practices, for `mttr --curve`."""

from __future__ import annotations

from typing import Final

from awrlens.advice.load_model import Curve
from awrlens.advice.write_cost import OFF, TABLE_1, THROUGHPUT
from awrlens.lab.mttr_document import CurveDocument, PublishedPoint
from awrlens.policy import cite

#: How values between points are calculated, as shown to the user.
METHOD: Final = "straight lines"
#: Writes per second by the target in effect.
BY_TARGET: Final = Curve((row.in_force_s, row.writes_per_s) for row in TABLE_1 if row.target_s)
_OFF: Final = (
    "Factor and throughput are relative to the row without fast-start checkpointing (off). In the "
    "row of 71 s, the target was set to 30 and reset by Oracle."
)
_BETWEEN: Final = f"~ is interpolated between reported targets: {METHOD}."


def prices(desired_s: float | None = None) -> CurveDocument:
    """The paper's table 1; ``desired_s`` is interpolated between its rows, never outside them."""

    def point(target_s: float, writes: float, tps: float, *printed_s: float) -> PublishedPoint:
        estimated_s, recovery_s = printed_s or (None, None)
        return PublishedPoint(
            target_s, estimated_s, recovery_s, writes, writes / OFF.writes_per_s,
            tps * 100 / OFF.throughput_tps, bool(printed_s),
        )  # fmt: skip

    rows = [
        point(row.in_force_s, row.writes_per_s, row.throughput_tps, row.estimated_mttr_s,
              row.recovery_s)
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
        rows.append(point(desired_s, BY_TARGET.at(desired_s), THROUGHPUT.at(desired_s)))
        notes.append(_BETWEEN)
    rows.sort(key=lambda row: row.target_s or float("inf"))
    source = (
        "Fast-Start Checkpointing Best Practices, table 1: a high-volume OLTP load on a cluster of "
        "two nodes, not your load"
    )
    return CurveDocument(cite(source), METHOD, tuple(rows), tuple(map(cite, notes)))
