"""The results of a simulation, of which its page, JSON document and JSON Schema are made."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Annotated, Final, Literal, TypedDict

from awrlens.cli.schema import of_document
from awrlens.lazy import NamedTuple
from awrlens.model.kinds import Amount, Count, Positive
from awrlens.model.plain import Aside, Rounded2, Rounded3

if TYPE_CHECKING:
    from collections.abc import Mapping

#: A time of the model; the digits of its document stand in the name, as of the others.
SecondsRounded3 = Annotated[Rounded3, ("minimum", 0)]
#: Version of the document that `recovery simulate --format json` prints.
SCHEMA_VERSION: Final = "1.0"

#: The source of a failed instance's recovery set: the recovery instance was its buddy, another
#: buddy sends it, or the redo is scanned from the checkpoint.
Origin = Literal["own", "sent", "scanned"]


class Part(NamedTuple):
    """One failed instance within a recovery."""

    instance: int
    origin: Origin
    #: Redo from the checkpoint to the end of redo, and the part that the first pass had to read.
    redo_bytes: int
    scanned_bytes: int
    blocks: int


class RecoveryDocument(NamedTuple):
    """A recovery; ``…_without_buddy_s`` is the time that it would have taken without buddies."""

    at_s: Annotated[Amount, "Simulated time of the failure."]
    failed: Annotated[tuple[Positive, ...], "The failed instances."]
    recovery_instance: Annotated[Positive | None, "null: no instance survived, one is started."]
    complete: Annotated[bool, "false: a further failure restarted the recovery."]
    detection_s: Annotated[SecondsRounded3, "From the failure until the cluster detects it."]
    reconfiguration_s: Annotated[SecondsRounded3, "From detection to the begin of the first pass."]
    rebuild_s: Annotated[SecondsRounded3, "GCS rebuild, at the same time as the first pass."]
    first_pass_s: SecondsRounded3
    first_pass_range_s: Annotated[
        tuple[float, ...] | None,
        "Minimum and maximum of the first pass in the two minutes before the failure; null: no "
        "buddy, or several instances failed.",
        ("minItems", 2),
        ("maxItems", 2),
    ]
    first_pass_without_buddy_s: SecondsRounded3
    second_pass_s: SecondsRounded3
    other_s: Annotated[SecondsRounded3, "Start-up, opening and what comes after the passes."]
    total_s: Annotated[SecondsRounded3, "The whole recovery, from the failure on."]
    total_without_buddy_s: SecondsRounded3
    brown_out_s: Annotated[SecondsRounded3, "From the failure to the end of the first pass."]
    brown_out_without_buddy_s: Annotated[
        SecondsRounded3 | None, "null: the recovery is not complete."
    ]
    applied_bytes: Annotated[Amount, "Redo that the second pass reads."]
    recovery_set_blocks: Annotated[Count, "Blocks of the merged recovery sets."]
    in_several_sets_blocks: Annotated[Count, "Blocks that were in several recovery sets."]
    current_elsewhere_blocks: Annotated[Count, "Blocks that a survivor changed last."]
    blocked_s: Annotated[Rounded3, "From the end of the brown-out to the end of recovery."]
    blocked_changes_pct: Annotated[
        Rounded2,
        "Share of the failed instances' block changes that go to the recovery set.",
        ("minimum", 0),
        ("maximum", 100),
    ]
    parts: Annotated[tuple[Part, ...], "Each failed instance."]
    #: The part of ``other_s`` that comes after the passes.
    overhead_s: Aside[float]
    #: As ``first_pass_range_s``, not rounded.
    range_s: Aside[tuple[float, float] | None] = None

    def frozen_s(self, *, with_buddies: bool = True) -> float:
        """From the failure until the database is available again, but for the recovery set."""
        first_pass_s = self.first_pass_s if with_buddies else self.first_pass_without_buddy_s
        started_s = self.other_s - self.overhead_s
        waited_s = self.detection_s + self.reconfiguration_s
        return waited_s + started_s + max(first_pass_s, self.rebuild_s)

    def phases(self, *, with_buddies: bool = True) -> tuple[tuple[str, float], ...]:
        """The phases in their order with their seconds, without those that take no time."""
        first_pass_s = self.first_pass_s if with_buddies else self.first_pass_without_buddy_s
        alone = self.recovery_instance is None
        order = (
            ("start-up and opening", self.other_s if alone else 0.0),
            ("detection", self.detection_s),
            ("reconfiguration", self.reconfiguration_s),
            ("first pass", first_pass_s),
            ("rest of the GCS rebuild", max(0.0, self.rebuild_s - first_pass_s)),
            ("second pass", self.second_pass_s),
            ("other", 0.0 if alone else self.other_s),
        )
        return tuple((name, spent) for name, spent in order if spent)


class Sample(NamedTuple):
    """An instance at one time; rates are since the previous sample."""

    redo_bytes: int
    checkpoint_bytes: int
    redo_bytes_per_s: Rounded3
    writes_per_s: Rounded3
    dirty_blocks: int
    #: Of the first buddy: None if the instance has no buddy.
    recovery_set_blocks: int | None
    backlog_bytes: int | None
    #: First pass if the instance failed now, with its most advanced buddy, and without a buddy.
    first_pass_s: Rounded3
    first_pass_without_s: Rounded3
    #: The same with detection and reconfiguration.
    brown_out_s: Rounded3
    brown_out_without_s: Rounded3
    estimated_mttr_s: Rounded3


class Choice(NamedTuple):
    """A way to a shorter brown-out, with its costs; the target is 0 if there is none."""

    name: str
    target_s: Rounded3
    first_pass_s: Rounded3
    #: From the failure to the end of the first pass, and from then to the end of recovery.
    frozen_s: Rounded3
    blocked_s: Rounded3
    #: Per instance: data blocks that DBWR writes, and redo that a buddy reads in addition.
    writes_per_s: Rounded3
    buddy_reads_bytes_per_s: Rounded3
    #: Redo after the checkpoint.
    redo_bytes: Rounded3


class BlocksChanged(TypedDict):
    """Blocks that change equally often."""

    blocks: Count
    changes_per_s: Annotated[Amount, "Changes of one block."]


class ParametersDocument(TypedDict):
    """The parameters of a run (docs/simulation.md)."""

    instances: Positive
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


class BuddyMap(NamedTuple):
    """The buddies since a time."""

    at_s: Amount
    why: str
    buddies: Annotated[Mapping[str, tuple[Positive, ...]], "Protected instance: its buddies."]


class MomentDocument(NamedTuple):
    """The cluster at one time."""

    at_s: Amount
    frozen: bool
    members: tuple[Positive, ...]
    database_checkpoint_of: Annotated[
        Positive | None,
        "The instance with the lowest checkpoint SCN; null: everything is on disk.",
    ]
    instances: Mapping[str, Sample]


class SimulationDocument(NamedTuple):
    """What `awrlens recovery simulate --format json` prints."""

    schema_version: Annotated[str, ("const", SCHEMA_VERSION)]
    title: str
    source: Annotated[str, "The source of the simulated case."]
    parameters: ParametersDocument
    recoveries: tuple[RecoveryDocument, ...]
    buddy_maps: tuple[BuddyMap, ...]
    read_by_buddies_bytes: Annotated[Amount, "Redo read by buddies, in addition to other reads."]
    choices: Annotated[
        tuple[Choice, ...], "A buddy or a lower target, with costs; no entry without RAC."
    ]
    timeline: tuple[MomentDocument, ...]
    notes: tuple[str, ...]


schema: Final = partial(of_document, "recovery simulate", SimulationDocument)
