"""One complete simulation: from the caller's numbers and a setup to the finished run.

A buddy or a lower target: brown-out and costs side by side, in the steady state of a load.
Calculated, not simulated, with the same model: redo after the checkpoint and dirty blocks follow
from the age of the oldest dirty block (Little's law), and its age from the target.
# Buddy Instance, section 7: checkpointing writes blocks, a buddy only reads redo
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.advice import write_model
from awrlens.advice.load_model import power_law
from awrlens.lab.simulated_cluster import Cluster
from awrlens.lab.simulation_records import Choice, Simulation
from awrlens.lab.simulation_setup import check
from awrlens.policy import cite
from awrlens.records import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

    from awrlens.advice.load_model import Load, Preset, Rates
    from awrlens.lab.simulation_records import ParametersDocument
    from awrlens.lab.simulation_setup import Setup


_MB: Final = 2**20
#: Age of a dirty block to which given writes refer. # awrlens: five minutes, as in the help
WRITTEN_AT_S: Final = 300.0
#: Why the checkpoint may lag by more than one redo log if fast-start checkpointing is off.
_OFF: Final = (
    "With fast-start checkpointing off, the checkpoint of a log switch completes when that redo "
    "log is reused. The limit of 90 % of the smallest redo log does not apply: in Fast-Start "
    "Checkpointing Best Practices, table 1, the estimate is 360 s with that limit or the read "
    "time, and 1,270 s without fast-start checkpointing."
)


class Given(NamedTuple):
    """Numbers of one instance; None keeps the number of the preset or the report."""

    redo_rate: float | None = None
    block_changes: float | None = None
    writes: float | None = None
    cache_size: float | None = None
    log_size: float | None = None
    scan_rate: float | None = None
    apply_rate: float | None = None
    write_capacity: float | None = None
    #: Percent of the blocks that all instances change.
    shared: float | None = None
    #: Size of the database, GB.
    database_size: float | None = None


def with_given(preset: Preset, given: Given) -> Preset:
    """A preset with the caller's numbers; sizes and rates in MB and MB/s."""
    load, rates = preset.load, preset.rates
    if given.block_changes is not None or given.writes is not None:
        writes = given.writes or load.block_writes_per_s(WRITTEN_AT_S)
        changes = given.block_changes or load.changes_per_s
        kinds, new_blocks = power_law(writes, WRITTEN_AT_S, changes)
        load = load._replace(kinds=kinds, new_blocks_per_s=new_blocks)
    if given.redo_rate is not None:
        load = load._replace(redo_bytes_per_s=given.redo_rate * _MB)
    if given.cache_size is not None:
        load = load._replace(cache_blocks=round(given.cache_size * _MB / load.block_bytes))
    if given.log_size is not None:
        size = given.log_size * _MB
        limit = load.limit_bytes and load.limit_bytes * size / load.log_bytes
        load = load._replace(log_bytes=size, limit_bytes=limit)
    if given.shared is not None:
        load = load._replace(shared=given.shared / 100)
    if given.database_size is not None:
        preset = preset._replace(database_bytes=given.database_size * 1024 * _MB)
    if given.scan_rate is not None:
        rates = rates._replace(scan_bytes_per_s=given.scan_rate * _MB)
    if given.apply_rate is not None:
        rates = rates._replace(apply_bytes_per_s=given.apply_rate * _MB)
    if given.write_capacity is not None:
        rates = rates._replace(writes_per_s=given.write_capacity)
    facts_of_the_load = given._replace(database_size=None)
    changed = [value for value in facts_of_the_load if value is not None]
    title = f"{preset.title}, changed" if changed else preset.title
    return preset._replace(title=title, load=load, rates=rates)


#: Targets to compare with, as shares of the way from the present first pass to that of a buddy.
_BETWEEN: Final = (0.5,)


def choices(setup: Setup) -> tuple[Choice, ...]:
    """The present target with and without buddies, and lower targets without; none without RAC."""
    load, rates = setup.load, setup.rates
    if setup.instances < 2:  # noqa: PLR2004 - no buddy without another instance
        return ()
    lowest_s = write_model.lowest_target_s(load, rates)
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
    age_s = write_model.at(write_model.System(setup.load, setup.rates), target_s).age_s
    return age_s if target_s else min(age_s, setup.duration_s)


SELF_TUNED: Final = (
    "No target is in effect: the redo after the checkpoint stays as at the end of the report."
)
IDLE: Final = (
    "No buddy read any redo: the first pass is shorter than the threshold, so buddies have no "
    "effect here."
)


def simulate(
    preset: Preset, setup: Setup, advanced: Callable[[float], None] | None = None
) -> Simulation:
    """Run a cluster; UsageError if the setup is invalid.

    ``advanced`` gets the simulated seconds every now and then.
    """
    from simpy import Environment

    check(setup)
    cluster = Cluster(setup, Environment())
    cluster.run(advanced)
    return Simulation(
        title=preset.title,
        source=preset.source,
        parameters=_parameters(setup, preset.database_bytes),
        recoveries=tuple(cluster.recoveries),
        moments=tuple(cluster.moments),
        maps=tuple(cluster.maps),
        read_by_buddies_bytes=cluster.read_bytes,
        notes=tuple(cite(note) for note in (preset.note, *_notes(setup, cluster)) if note),
        choices=choices(setup),
    )


def _parameters(setup: Setup, database_bytes: float | None) -> ParametersDocument:
    load, rates = setup.load, setup.rates
    return {
        "instances": setup.instances,
        "buddies": setup.buddies,
        "fast_start_mttr_target_s": setup.mttr_s,
        "duration_s": setup.duration_s,
        "seed": setup.seed,
        "buddy_instance_scan_phase_threshold_s": setup.scan.threshold_s,
        "buddy_instance_num_read_buffers": setup.scan.num_read_buffers,
        "redo_bytes_per_s": load.redo_bytes_per_s,
        "block_changes_per_s": load.changes_per_s,
        "blocks_changed": [
            {"blocks": blocks, "changes_per_s": each} for blocks, each in load.kinds
        ],
        "new_blocks_per_s": load.new_blocks_per_s,
        "shared_blocks_pct": 100 * load.shared,
        "cache_blocks": load.cache_blocks,
        "block_bytes": load.block_bytes,
        "log_bytes": load.log_bytes,
        "log_groups": load.log_groups,
        "log_size_limit_bytes": write_model.by_log_size(load),
        "tick_s": load.tick_s,
        "scan_bytes_per_s": rates.scan_bytes_per_s,
        "apply_bytes_per_s": rates.apply_bytes_per_s,
        "recover_block_s": rates.block_s,
        "dbwr_writes_per_s": rates.writes_per_s,
        "startup_and_file_open_s": rates.fixed_s,
        "other_recovery_s": rates.overhead_s,
        "detection_s": setup.detection_s,
        "reconfiguration_s": setup.reconfiguration_s,
        "rebuild_s": setup.rebuild_s,
        "database_bytes": database_bytes,
    }


def _notes(setup: Setup, cluster: Cluster) -> list[str]:
    found = _limits(setup)
    if setup.buddies and not cluster.read_bytes:
        found.append(IDLE)
    return found


def _limits(setup: Setup) -> list[str]:
    lowest = write_model.lowest_target_s(setup.load, setup.rates)
    if not setup.mttr_s and setup.load.lag_bytes is not None:
        return [SELF_TUNED]
    if not setup.mttr_s:
        return [_OFF]
    if setup.mttr_s < lowest:
        reset = f"FAST_START_MTTR_TARGET {setup.mttr_s:g} is out of the valid MTTR range; "
        return [f"{reset}{lowest:.0f} is used instead."]
    return []
