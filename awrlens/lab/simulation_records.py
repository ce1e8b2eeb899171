"""The results of a simulation: times of every recovery and timelines of every instance.

All classes are immutable and only convert to plain data; renderers use only these. The types of the
JSON document of `recovery simulate` follow, key by key; its JSON Schema is made of these.
``to_dict`` returns them, so mypy reports a key that is printed and not declared, and one that is
declared and not printed. A type may have a description, limits as pairs of JSON Schema, or the
record whose fields a ``dict[str, Any]`` has.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, TypedDict

from awrlens.lazy import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping


#: Version of the document that `recovery simulate --format json` prints.
SCHEMA_VERSION: Final = "1.0"

#: The source of a failed instance's recovery set: the recovery instance was its buddy, another
#: buddy sends it, or the redo is scanned from the checkpoint.
Origin = Literal["own", "sent", "scanned"]


def schema() -> dict[str, Any]:
    """The JSON Schema of ``awrlens recovery simulate``."""
    from awrlens.cli.schema import of_document

    return of_document("recovery simulate", SimulationDocument)


class Part(NamedTuple):
    """One failed instance within a recovery."""

    instance: int
    origin: Origin
    #: Redo from the checkpoint to the end of redo, and the part that the first pass had to read.
    redo_bytes: int
    scanned_bytes: int
    blocks: int


class Phase(NamedTuple):
    """A phase of a recovery, and whether the database is frozen in it."""

    name: str
    seconds: float
    frozen: bool


class Recovery(NamedTuple):
    """A recovery: ``…_without_s`` is the time that it would have taken without buddies.

    ``instance`` performs the recovery; None: no instance survived, and one is started.
    """

    at_s: float
    failed: tuple[int, ...]
    instance: int | None
    parts: tuple[Part, ...]
    first_pass_s: float
    first_pass_without_s: float
    second_pass_s: float
    other_s: float
    #: The database is frozen for the survivors' sessions from the failure to the end of the first
    #: pass.
    brown_out_s: float
    #: Redo from the lowest checkpoint of all failed instances, which the second pass reads.
    applied_bytes: int
    #: Minimum and maximum of the first pass at any time in the two minutes before, because a buddy
    #: reads in bursts; None without a buddy or if several instances failed.
    first_pass_range_s: tuple[float, float] | None = None
    #: False: the recovery instance failed as well, and another recovery began.
    complete: bool = True
    #: From the failure until the cluster detects it, and from then to the begin of the first pass;
    #: 0 if no instance survived.
    detection_s: float = 0.0
    reconfiguration_s: float = 0.0
    #: The rebuild of the Global Cache Service, which runs at the same time as the first pass.
    rebuild_s: float = 0.0
    #: The part of ``other_s`` that comes after the passes.
    overhead_s: float = 0.0
    #: Blocks of the merged recovery sets; blocks that were in several of them; and blocks of which
    #: a survivor has the current version, which need no recovery.
    blocks: int = 0
    in_several_sets: int = 0
    current_elsewhere: int = 0
    #: Share of the failed instances' block changes that go to these blocks.
    blocked_changes_pct: float = 0.0

    @property
    def total_s(self) -> float:
        """The whole recovery, from the failure on."""
        return sum(phase.seconds for phase in self.phases())

    @property
    def total_without_s(self) -> float:
        """The whole recovery without buddies."""
        return sum(phase.seconds for phase in self.phases(with_buddies=False))

    @property
    def brown_out_without_s(self) -> float:
        """The brown-out without buddies."""
        return self.brown_out_s - self.frozen_s() + self.frozen_s(with_buddies=False)

    def frozen_s(self, *, with_buddies: bool = True) -> float:
        """From the failure until the database is available again, but for the recovery set."""
        first_pass_s = self.first_pass_s if with_buddies else self.first_pass_without_s
        started_s = self.other_s - self.overhead_s
        waited_s = self.detection_s + self.reconfiguration_s
        return waited_s + started_s + max(first_pass_s, self.rebuild_s)

    def phases(self, *, with_buddies: bool = True) -> tuple[Phase, ...]:
        """The phases in their order, without those that take no time."""
        other = Phase("start-up and opening", self.other_s, frozen=True)
        first_pass_s = self.first_pass_s if with_buddies else self.first_pass_without_s
        rest_s = max(0.0, self.rebuild_s - first_pass_s)
        passes = (
            Phase("detection", self.detection_s, frozen=True),
            Phase("reconfiguration", self.reconfiguration_s, frozen=True),
            Phase("first pass", first_pass_s, frozen=True),
            Phase("rest of the GCS rebuild", rest_s, frozen=True),
            Phase("second pass", self.second_pass_s, frozen=self.instance is None),
        )
        order = (
            (other, *passes)
            if self.instance is None
            else (*passes, Phase("other", self.other_s, frozen=False))
        )
        return tuple(each for each in order if each.seconds)

    def to_dict(self) -> RecoveryDocument:
        """Plain data."""
        times = self.first_pass_range_s
        without_s = round(self.brown_out_without_s, 3) if self.complete else None
        return {
            "at_s": self.at_s, "failed": list(self.failed), "recovery_instance": self.instance,
            "complete": self.complete, "detection_s": round(self.detection_s, 3),
            "reconfiguration_s": round(self.reconfiguration_s, 3),
            "rebuild_s": round(self.rebuild_s, 3), "first_pass_s": round(self.first_pass_s, 3),
            "first_pass_range_s": times and [round(seconds, 3) for seconds in times],
            "first_pass_without_buddy_s": round(self.first_pass_without_s, 3),
            "second_pass_s": round(self.second_pass_s, 3), "other_s": round(self.other_s, 3),
            "total_s": round(self.total_s, 3),
            "total_without_buddy_s": round(self.total_without_s, 3),
            "brown_out_s": round(self.brown_out_s, 3), "brown_out_without_buddy_s": without_s,
            "applied_bytes": self.applied_bytes, "recovery_set_blocks": self.blocks,
            "in_several_sets_blocks": self.in_several_sets,
            "current_elsewhere_blocks": self.current_elsewhere,
            "blocked_s": round(self.total_s - self.frozen_s(), 3),
            "blocked_changes_pct": round(self.blocked_changes_pct, 2),
            "parts": [part._asdict() for part in self.parts],
        }  # fmt: skip


class Sample(NamedTuple):
    """An instance at one time; rates are since the previous sample."""

    redo_bytes: int
    checkpoint_bytes: int
    redo_bytes_per_s: float
    writes_per_s: float
    dirty_blocks: int
    #: Of the first buddy: None if the instance has no buddy.
    recovery_set_blocks: int | None
    backlog_bytes: int | None
    #: First pass if the instance failed now, with its most advanced buddy, and without a buddy.
    first_pass_s: float
    first_pass_without_s: float
    #: The same with detection and reconfiguration.
    brown_out_s: float
    brown_out_without_s: float
    estimated_mttr_s: float


class Moment(NamedTuple):
    """The cluster at one time."""

    at_s: float
    frozen: bool
    members: tuple[int, ...]
    instances: Mapping[int, Sample]
    #: The instance with the lowest checkpoint SCN, which is the database checkpoint. None:
    #: everything is on disk.
    database_checkpoint_of: int | None = None


class Change(NamedTuple):
    """The buddy map since a time: protected instance → buddies."""

    at_s: float
    why: str
    buddies: Mapping[int, tuple[int, ...]]


class Choice(NamedTuple):
    """A way to a shorter brown-out, with its costs; the target is 0 if there is none."""

    name: str
    target_s: float
    first_pass_s: float
    #: From the failure to the end of the first pass, and from then to the end of recovery.
    frozen_s: float
    blocked_s: float
    #: Per instance: data blocks that DBWR writes, and redo that a buddy reads in addition.
    writes_per_s: float
    buddy_reads_bytes_per_s: float
    #: Redo after the checkpoint.
    redo_bytes: float


class Simulation(NamedTuple):
    """A complete run with its ``parameters`` and ``notes``."""

    title: str
    source: str
    parameters: ParametersDocument
    recoveries: tuple[Recovery, ...]
    moments: tuple[Moment, ...]
    maps: tuple[Change, ...]
    #: Redo read by buddies, in addition to all other reads.
    read_by_buddies_bytes: int
    notes: tuple[str, ...]
    #: A buddy or a lower target, side by side.
    choices: tuple[Choice, ...] = ()

    def instances(self) -> tuple[int, ...]:
        """All instances with samples."""
        return tuple(sorted({each for moment in self.moments for each in moment.instances}))

    def to_dict(self) -> SimulationDocument:
        """Plain data, as `recovery simulate --format json` prints it (docs/simulation.md)."""
        return {
            "schema_version": SCHEMA_VERSION,
            "title": self.title,
            "source": self.source,
            "parameters": self.parameters,
            "recoveries": [recovery.to_dict() for recovery in self.recoveries],
            "buddy_maps": [
                {"at_s": change.at_s, "why": change.why,
                 "buddies": {str(key): list(value) for key, value in change.buddies.items()}}
                for change in self.maps
            ],
            "read_by_buddies_bytes": self.read_by_buddies_bytes,
            "choices": [_rounded(choice._asdict()) for choice in self.choices],
            "timeline": [
                {
                    "at_s": moment.at_s, "frozen": moment.frozen,
                    "members": list(moment.members),
                    "database_checkpoint_of": moment.database_checkpoint_of,
                    "instances": {
                        str(number): _rounded(sample._asdict())
                        for number, sample in moment.instances.items()
                    },
                }
                for moment in self.moments
            ],
            "notes": list(self.notes),
        }  # fmt: skip


def _rounded(values: dict[str, Any]) -> dict[str, Any]:
    return {key: round(value, 3) if isinstance(value, float) else value
            for key, value in values.items()}  # fmt: skip


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
