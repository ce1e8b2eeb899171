"""Data of the charts: recovery time and its limits, the cost of targets, savings by device."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.advice import curve, prices, whatif
from awrlens.exhibits import CurvePoint, DeviceMark, MttrScale, WriteCurve

if TYPE_CHECKING:
    from collections.abc import Mapping

    from awrlens.model import Fact, Finding, Verdicts
    from awrlens.policy import Policy

#: Number of steps of the curve between reported points.
_STEPS: Final = 60


def mttr_scale(facts: Mapping[str, Fact], verdicts: Verdicts) -> MttrScale | None:
    """Recovery time now, its target and the range of targets; None if no time is known."""
    estimated = facts["checkpoint.estimated_mttr_s"].number
    target = facts["checkpoint.target_mttr_s"].number
    if estimated is None and not target:
        return None
    return MttrScale(
        estimated, target or None, verdicts.fast_start_mttr_lowest_s,
        verdicts.fast_start_mttr_highest_s, verdicts.fast_start_mttr_target_s,
    )  # fmt: skip


def write_curve(facts: Mapping[str, Fact], verdicts: Verdicts) -> WriteCurve | None:
    """Writes by recovery target: the report's own advisory, or the published test.

    None if the report has neither an estimated recovery time nor an MTTR Advisory.
    """
    own = curve.advisory(facts)
    now = facts["checkpoint.advised_now_s"].number
    if own is None or not now:
        now = facts["checkpoint.estimated_mttr_s"].number
        if now is None:
            return None
    found = prices.of_report(facts)
    printed = {row.target_s: row.writes_per_s for row in found.rows
               if row.target_s > 0 and row.writes_per_s is not None}  # fmt: skip
    if len(printed) < 2:  # noqa: PLR2004 - one point is not a curve
        return None
    between = curve.Curve(printed.items())
    low, high = min(printed), max(printed)
    steps = {low + (high - low) * n / _STEPS for n in range(_STEPS + 1)} - set(printed)
    points = [CurvePoint(x, y, printed=True) for x, y in printed.items()]
    points += [CurvePoint(x, between.at(x), printed=False) for x in steps]
    advised = own is not None and bool(facts["checkpoint.advised_now_s"].number)
    return WriteCurve(
        found.source, advised, tuple(sorted(points)), now, verdicts.fast_start_mttr_target_s
    )


def devices(
    facts: Mapping[str, Fact], findings: tuple[Finding, ...], policy: Policy
) -> tuple[DeviceMark, ...]:
    """Kinds of storage and what they would save."""
    return tuple(
        DeviceMark(
            each.device.name, each.device.title, each.device.write_ms, each.device.read_ms,
            each.redo_s, each.temp_s, each.undo_s, each.pct_db_time,
        )
        for each in whatif.by_device(facts, findings, policy)
    )  # fmt: skip
