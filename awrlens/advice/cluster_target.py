"""The recovery target of a cluster, from those of its instances."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from awrlens.model import Analysis


def of_cluster(whole: Analysis, parts: tuple[Analysis, ...]) -> Analysis:
    """A cluster's analysis with one recovery target for all instances.

    The strictest value meets the agreed time for all, because any surviving instance can recover
    any other; but never a value that an instance cannot achieve.
    # Fast-Start Checkpointing Best Practices, "Determine the MTTR Achieved": one setting for all
    """
    known = [part for part in parts if part.verdicts.fast_start_mttr_target_s is not None]
    if not known:
        return whole
    value = strictest(
        [(each.verdicts.fast_start_mttr_target_s or 0, each.verdicts.fast_start_mttr_lowest_s)
         for each in known]
    )  # fmt: skip
    lines = "; ".join(_instance_line(part) for part in known)
    items = tuple(
        item._replace(
            action=f"{item.action} Set the same value, {value}, on all instances, because any "
            f"instance may recover any other. {lines}."
        )
        if item.id in ("keep-mttr-target", "set-mttr-target")
        else item
        for item in whole.recommendations
    )
    verdicts = whole.verdicts._replace(fast_start_mttr_target_s=value)
    return whole._replace(recommendations=items, verdicts=verdicts)


def strictest(targets: list[tuple[int, int | None]]) -> int:
    """The lowest of several targets, but at least the lowest that every instance can achieve."""
    lowest = [low_s for _, low_s in targets if low_s is not None]
    return max([min(target_s for target_s, _ in targets), *lowest])


def _instance_line(part: Analysis) -> str:
    """What is set on an instance, what it needs, and its write rate."""
    name = part.report.get("instance") or f"instance {part.report.get('instance_number')}"
    current = part.facts["checkpoint.fast_start_mttr_target_s"].number
    needs, rate = part.verdicts.fast_start_mttr_target_s, part.facts["load.physical_writes_per_s"]
    text = f"{name}: {'not set' if current is None else f'{current:.0f} s set'}"
    if needs != current:
        text += f", {needs} s needed"
    return text if rate.number is None else f"{text}, {rate.number:,.0f} physical writes per second"
