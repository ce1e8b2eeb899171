"""One complete run: from a setup to a finished simulation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.model.simulation import Simulation
from awrlens.policy import cite
from awrlens.simulate import cache
from awrlens.simulate.choices import choices
from awrlens.simulate.cluster import Cluster
from awrlens.simulate.setup import check

if TYPE_CHECKING:
    from collections.abc import Callable

    from awrlens.model.simulation_document import ParametersDocument
    from awrlens.simulate.presets import Preset
    from awrlens.simulate.setup import Setup

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
        "log_size_limit_bytes": cache.by_log_size(load),
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
    lowest = cache.lowest_target_s(setup.load, setup.rates)
    if not setup.mttr_s and setup.load.lag_bytes is not None:
        return [SELF_TUNED]
    if not setup.mttr_s:
        return [cache.OFF]
    if setup.mttr_s < lowest:
        reset = f"FAST_START_MTTR_TARGET {setup.mttr_s:g} is out of the valid MTTR range; "
        return [f"{reset}{lowest:.0f} is used instead."]
    return []
