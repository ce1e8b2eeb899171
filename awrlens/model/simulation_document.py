"""The JSON document of `recovery simulate`, key by key, from which its JSON Schema is made.

``to_dict`` in awrlens/model/simulation.py returns these types, so mypy reports a key that is
printed and not declared here, and one that is declared and not printed. Only the schema imports
this module. A type may have a description, limits as pairs of JSON Schema, or the record
whose fields a ``dict[str, Any]`` has.
"""

from __future__ import annotations

from typing import Annotated, Any, TypedDict

from awrlens.model.simulation import SCHEMA_VERSION, Choice, Part, Sample

Count = Annotated[int, ("minimum", 0)]
Amount = Annotated[float, ("minimum", 0)]
Instance = Annotated[int, ("minimum", 1)]


class RecoveryDocument(TypedDict):
    """A recovery; ``…_without_buddy_s`` is the time that it would have taken without buddies."""

    at_s: Annotated[Amount, "Simulated time of the failure."]
    failed: Annotated[list[Instance], "The failed instances."]
    recovery_instance: Annotated[Instance | None, "null: no instance survived, one is started."]
    complete: Annotated[bool, "false: a further failure restarted the recovery."]
    detection_s: Annotated[Amount, "From the failure until the cluster detects it."]
    reconfiguration_s: Annotated[Amount, "From detection to the begin of the first pass."]
    rebuild_s: Annotated[Amount, "GCS rebuild, at the same time as the first pass."]
    first_pass_s: Amount
    first_pass_range_s: Annotated[
        list[float] | None,
        "Minimum and maximum of the first pass in the two minutes before the failure; null: no "
        "buddy, or several instances failed.",
        ("minItems", 2),
        ("maxItems", 2),
    ]
    first_pass_without_buddy_s: Amount
    second_pass_s: Amount
    other_s: Annotated[Amount, "Start-up, opening and what comes after the passes."]
    total_s: Annotated[Amount, "The whole recovery, from the failure on."]
    total_without_buddy_s: Amount
    brown_out_s: Annotated[Amount, "From the failure to the end of the first pass."]
    brown_out_without_buddy_s: Annotated[Amount | None, "null: the recovery is not complete."]
    applied_bytes: Annotated[Amount, "Redo that the second pass reads."]
    recovery_set_blocks: Annotated[Count, "Blocks of the merged recovery sets."]
    in_several_sets_blocks: Annotated[Count, "Blocks that were in several recovery sets."]
    current_elsewhere_blocks: Annotated[Count, "Blocks that a survivor changed last."]
    blocked_s: Annotated[float, "From the end of the brown-out to the end of recovery."]
    blocked_changes_pct: Annotated[
        float,
        "Share of the failed instances' block changes that go to the recovery set.",
        ("minimum", 0),
        ("maximum", 100),
    ]
    parts: Annotated[list[Annotated[dict[str, Any], Part]], "Each failed instance."]


class BlocksChanged(TypedDict):
    """Blocks that change equally often."""

    blocks: Count
    changes_per_s: Annotated[Amount, "Changes of one block."]


class ParametersDocument(TypedDict):
    """The parameters of a run (docs/simulation.md)."""

    instances: Annotated[int, ("minimum", 1)]
    buddies: Annotated[Count, "Buddies of every instance."]
    fast_start_mttr_target_s: Annotated[Amount, "0: off."]
    duration_s: Amount
    seed: int
    buddy_instance_scan_phase_threshold_s: Amount
    buddy_instance_num_read_buffers: Annotated[Count | None, "null: adaptive."]
    redo_bytes_per_s: Annotated[Amount, "Of every instance."]
    block_changes_per_s: Annotated[Amount, "Of every instance."]
    blocks_changed: list[BlocksChanged]
    new_blocks_per_s: Annotated[Amount, "Blocks that change only once."]
    shared_blocks_pct: Annotated[float, ("minimum", 0), ("maximum", 100)]
    cache_blocks: Count
    block_bytes: Count
    log_bytes: Amount
    log_groups: Count
    log_size_limit_bytes: Annotated[Amount, "Most redo after the checkpoint by the redo logs."]
    tick_s: Amount
    scan_bytes_per_s: Annotated[Amount, "First pass."]
    apply_bytes_per_s: Annotated[Amount, "Second pass."]
    recover_block_s: Annotated[Amount, "Second pass, for each block."]
    dbwr_writes_per_s: Annotated[Amount | None, "null: not limited."]
    startup_and_file_open_s: Amount
    other_recovery_s: Amount
    detection_s: Amount
    reconfiguration_s: Amount
    rebuild_s: Amount
    database_bytes: Annotated[Amount | None, "null: not known."]


class BuddyMap(TypedDict):
    """The buddies since a time."""

    at_s: Amount
    why: str
    buddies: Annotated[dict[str, list[Instance]], "Protected instance: its buddies."]


class MomentDocument(TypedDict):
    """The cluster at one time."""

    at_s: Amount
    frozen: bool
    members: list[Instance]
    database_checkpoint_of: Annotated[
        Instance | None,
        "The instance with the lowest checkpoint SCN; null: everything is on disk.",
    ]
    instances: dict[str, Annotated[dict[str, Any], Sample]]


class SimulationDocument(TypedDict):
    """What `awrlens recovery simulate --format json` prints."""

    schema_version: Annotated[str, ("const", SCHEMA_VERSION)]
    title: str
    source: Annotated[str, "The source of the simulated case."]
    parameters: ParametersDocument
    recoveries: list[RecoveryDocument]
    buddy_maps: list[BuddyMap]
    read_by_buddies_bytes: Annotated[Amount, "Redo read by buddies, in addition to other reads."]
    choices: Annotated[
        list[Annotated[dict[str, Any], Choice]],
        "A buddy or a lower target, with costs; no entry without RAC.",
    ]
    timeline: list[MomentDocument]
    notes: list[str]
