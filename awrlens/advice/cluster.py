"""One recovery target for a cluster, from the targets of its instances.

Source: Fast-Start Checkpointing Best Practices, "Determine the MTTR Achieved": all instances start
with the same setting. Any surviving instance can recover any other, so the strictest value meets
the agreed time for all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from awrlens.advice import mttr

if TYPE_CHECKING:
    from awrlens.model import Analysis


def recovery_target(whole: Analysis, parts: tuple[Analysis, ...]) -> Analysis:
    """A cluster's analysis with the recovery targets of its instances."""
    known = [part for part in parts if part.verdicts.fast_start_mttr_target_s is not None]
    if not known:
        return whole
    value = mttr.of_cluster([_as_target(part) for part in known])
    lines = "; ".join(_instance_line(part) for part in known)
    verdicts = whole.verdicts._replace(fast_start_mttr_target_s=value)
    items = tuple(
        item._replace(
            action=f"{item.action} Set the same value, {value}, on all instances, because any "
            f"instance may recover any other. {lines}."
        )
        if item.id in ("keep-mttr-target", "set-mttr-target")
        else item
        for item in whole.recommendations
    )
    return whole._replace(recommendations=items, verdicts=verdicts)


def _as_target(part: Analysis) -> mttr.Target:
    verdicts = part.verdicts
    return mttr.Target(
        verdicts.fast_start_mttr_target_s or 0, None, None, None, (), "",
        verdicts.fast_start_mttr_lowest_s,
    )  # fmt: skip


def _instance_line(part: Analysis) -> str:
    """What is set on an instance, what it needs, and its write rate."""
    name = part.report.get("instance") or f"instance {part.report.get('instance_number')}"
    current = part.facts["checkpoint.fast_start_mttr_target_s"].number
    needs, rate = part.verdicts.fast_start_mttr_target_s, part.facts["load.physical_writes_per_s"]
    text = f"{name}: {'not set' if current is None else f'{current:.0f} s set'}"
    if needs != current:
        text += f", {needs} s needed"
    return text if rate.number is None else f"{text}, {rate.number:,.0f} physical writes per second"
