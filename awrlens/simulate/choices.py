"""A buddy or a lower target: brown-out and costs side by side, in the steady state of a load.

Calculated, not simulated, with the same model: redo after the checkpoint and dirty blocks follow
from the age of the oldest dirty block (Little's law), and its age from the target.
# Buddy Instance, section 7: checkpointing writes blocks, a buddy only reads redo
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.model.simulation import Choice
from awrlens.simulate import cache, sweep

if TYPE_CHECKING:
    from awrlens.simulate.load import Load, Rates
    from awrlens.simulate.setup import Setup

#: Targets to compare with, as shares of the way from the present first pass to that of a buddy.
_BETWEEN: Final = (0.5,)


def choices(setup: Setup) -> tuple[Choice, ...]:
    """The present target with and without buddies, and lower targets without; none without RAC."""
    load, rates = setup.load, setup.rates
    if setup.instances < 2:  # noqa: PLR2004 - no buddy without another instance
        return ()
    lowest_s = cache.lowest_target_s(load, rates)
    now_s = max(setup.mttr_s, lowest_s) if setup.mttr_s else 0.0
    age_s = _age_s(setup, setup.mttr_s)
    found = [_choice("as it is", now_s, age_s, setup)]
    first_pass_s = found[0].first_pass_s
    limit_s = setup.scan.threshold_s
    if first_pass_s <= limit_s:
        return tuple(found)
    found.append(_with_buddy(found[0], setup))
    wanted = [first_pass_s + share * (limit_s - first_pass_s) for share in (*_BETWEEN, 1.0)]
    for seconds in wanted:
        age_s = seconds * rates.scan_bytes_per_s / load.redo_bytes_per_s
        target_s = _target_s(load, rates, age_s)
        if target_s <= lowest_s:
            break
        found.append(_choice("lower target", target_s, age_s, setup))
    else:
        return tuple(found)
    age_s = _age_s(setup, lowest_s)
    return (*found, _choice("lowest target", lowest_s, age_s, setup))


def _choice(name: str, target_s: float, age_s: float, setup: Setup) -> Choice:
    load, rates = setup.load, setup.rates
    redo = age_s * load.redo_bytes_per_s
    blocks = age_s * load.block_writes_per_s(age_s)
    first_pass_s = rates.first_pass_s(redo)
    second_pass_s = rates.second_pass_s(redo, round(blocks))
    before_s = setup.detection_s + setup.reconfiguration_s
    return Choice(
        name, target_s, first_pass_s, before_s + max(first_pass_s, setup.rebuild_s),
        second_pass_s + rates.overhead_s, load.block_writes_per_s(age_s), 0.0, redo,
    )  # fmt: skip


def _with_buddy(now: Choice, setup: Setup) -> Choice:
    """The buddy reads all redo of the instance that it protects, and scans the last seconds late.

    Just before it reads again, the threshold is left for the first pass.
    """
    first_pass_s = min(now.first_pass_s, setup.scan.threshold_s)
    before_s = setup.detection_s + setup.reconfiguration_s
    return now._replace(
        name="buddy", first_pass_s=first_pass_s,
        frozen_s=before_s + max(first_pass_s, setup.rebuild_s),
        buddy_reads_bytes_per_s=setup.load.redo_bytes_per_s,
    )  # fmt: skip


def _target_s(load: Load, rates: Rates, age_s: float) -> float:
    """The target that keeps the checkpoint at this age."""
    blocks = age_s * load.block_writes_per_s(age_s)
    return rates.fixed_s + rates.estimate_s(age_s * load.redo_bytes_per_s, blocks)


def _age_s(setup: Setup, target_s: float) -> float:
    """The age of the oldest dirty block; without a target, not above the duration of the run."""
    age_s = sweep.at(sweep.System(setup.load, setup.rates), target_s).age_s
    return age_s if target_s else min(age_s, setup.duration_s)
