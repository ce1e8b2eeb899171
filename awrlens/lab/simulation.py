"""A simulated crash: a cluster over simulated time, and a buddy compared with a lower target.

A discrete-event simulation with simpy. A buddy and lower targets are compared in the steady state
of a load, by Little's law: checkpointing writes blocks, a buddy only reads redo (Buddy Instance,
section 7).
"""

from __future__ import annotations

from collections import defaultdict, deque
from random import Random
from typing import TYPE_CHECKING, Any, Final, cast

from awrlens.advice import write_model
from awrlens.advice.load_model import power_law
from awrlens.lab import simulation_setup
from awrlens.lab.simulated_instance import OWN, Cache, Source, limits
from awrlens.lab.simulation_records import (
    SCHEMA_VERSION,
    BuddyMap,
    Choice,
    MomentDocument,
    Origin,
    ParametersDocument,
    Part,
    RecoveryDocument,
    Sample,
    SimulationDocument,
)
from awrlens.lab.simulation_setup import (
    INTERVAL_S,
    Failure,
    RecoverySet,
    Scanner,
    Thread,
    check,
    first_pass,
    joins_later,
    merged,
)
from awrlens.oracle.checkpoints import MB
from awrlens.policy import cite
from awrlens.units import listed

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Generator, Iterable, Iterator

    from simpy import Environment, Process

    from awrlens.advice.load_model import Preset
    from awrlens.lab.simulation_setup import At, Setup


class Instance:
    """One instance: its redo thread, its cache, and its work per tick."""

    def __init__(self, number: int, setup: Setup) -> None:
        load = setup.load
        self.number = number
        self.thread = Thread()
        self.cache = Cache()
        self.written = 0
        #: Number of starts: processes of an earlier start have ended.
        self.lives = 1
        self.source = Source(load, Random(f"{setup.seed}/{number}"), number)  # noqa: S311 - no secret
        self._limits = limits(load, setup.rates, setup.mttr_s)
        self._rates = setup.rates
        self._bytes = round(load.redo_bytes_per_s * load.tick_s)
        most = self._limits.writes_per_s
        self._most = None if most is None else max(1, round(most * load.tick_s))

    def tick(self, scn: int, held: Collection[int] = ()) -> tuple[list[int], list[int]]:
        """Change blocks that are not ``held``, then let DBWR write what limits require; both."""
        thread = self.thread
        changed = self.source.tick()
        if held:
            changed = [block for block in changed if block not in held]
        self.cache.change(thread.end_rba, changed)
        end = thread.end_rba + self._bytes
        written = self.cache.write(end, self._limits, self._rates, self._most, held)
        thread.append(scn, self._bytes, changed, written)
        thread.checkpoint_rba = self.cache.checkpoint_rba(thread.end_rba)
        return changed, written

    def discard(self, scn: int, blocks: Iterable[int]) -> None:
        """Drop past images of blocks that another instance wrote, with Block Written Records."""
        own = [block for block in blocks if block in self.cache.queue]
        if own:
            self.cache.drop(own)
            self.thread.append(scn, 0, (), own)
            self.thread.checkpoint_rba = self.cache.checkpoint_rba(self.thread.end_rba)

    def restart(self) -> None:
        """Restart after a recovery: no dirty buffers, and all redo applied."""
        self.lives += 1
        self.cache = Cache()
        self.thread.checkpoint_rba = self.thread.end_rba


#: The simulation continues for this time after the last event.
TAIL_S: Final = 30.0
#: How often a run reports its progress.
STEPS: Final = 100
#: Time before a failure from which the range of the first pass is determined: two minutes.
_LOOKS_S: Final = 120.0


class Cluster:
    """All instances and their interaction; ``run`` once, then read the results."""

    def __init__(self, setup: Setup, environment: Environment) -> None:
        self.setup = setup
        self.env = environment
        self.instances = {n: Instance(n, setup) for n in range(1, setup.instances + 1)}
        self.members = {n for n in self.instances if not joins_later(n, setup)}
        self.failed: set[int] = set()
        self.frozen = False
        #: Protected instance → buddy → the buddy's scanned redo.
        self.scanners: dict[int, dict[int, Scanner]] = {}
        self.recoveries: list[RecoveryDocument] = []
        self.moments: list[MomentDocument] = []
        self.maps: list[BuddyMap] = []
        self.read_bytes = 0
        #: Blocks that move between instances → the instance that changed them last.
        self.current: dict[int, int] = {}
        #: Blocks of a recovery that has finished its first pass: nobody gets them.
        self.held: set[int] = set()
        self._scn = 0
        self._recovery: Process | None = None
        #: Protected instance → first pass before and after every read of its first buddy.
        self._looks: dict[int, deque[tuple[float, float]]] = {}
        self._before: dict[int, tuple[float, int, int]] = {}
        self._failures = list(setup.failures_before)
        self._remap("start")

    def run(self, advanced: Callable[[float], None] | None = None) -> None:
        """Run until the last recovery is complete; ``advanced`` gets simulated seconds."""
        env, setup = self.env, self.setup
        for number in self.members:
            env.process(self._instance(number))
        env.process(self._buddies())
        for at_s in sorted({failure.at_s for failure in setup.fail}):
            together = [failure.instance for failure in setup.fail if failure.at_s == at_s]
            env.process(self._fail(at_s, together))
        for join in setup.join:
            env.process(self._join(join))
        env.process(self._samples())
        end_s = setup.duration_s + TAIL_S
        for step in range(1, STEPS + 1):
            env.run(until=end_s * step / STEPS)
            if advanced is not None:
                advanced(env.now)
        while self._recovery is not None and self._recovery.is_alive:
            env.run(until=self._recovery)
            env.run(until=env.now + TAIL_S)

    def _instance(self, number: int) -> Generator[Any, Any, None]:
        instance = self.instances[number]
        life = instance.lives
        while number in self.members and instance.lives == life:
            if not self.frozen:
                self._scn += 1
                self.share(number, *instance.tick(self._scn, self.held))
            yield self.env.timeout(self.setup.load.tick_s)

    def share(self, number: int, changed: Iterable[int], written: Iterable[int]) -> None:
        """Cache Fusion: a changed block is current here, a written one has no other past images.

        The instance that changed a block last writes it, also if another instance asks for it. Each
        instance with an image of the block drops it, and notes that it was written.
        # Buddy Instance, section 3; Oracle RAC: the owner of the current block writes it
        """
        by: defaultdict[int, list[int]] = defaultdict(list)
        for block in changed:
            if block < OWN:
                self.current[block] = number
        for block in written:
            by[self.current[block] if block < OWN else number].append(block)
        for owner, blocks in by.items():
            self.instances[owner].written += len(blocks)
        moved = [block for blocks in by.values() for block in blocks if block < OWN]
        for other in sorted(self.members - {number}) if moved else ():
            self.instances[other].discard(self._scn, moved)

    def _buddies(self) -> Generator[Any, Any, None]:
        """All buddies scan at the same time; they share no data, so the order is irrelevant."""
        steps = max(1, round(INTERVAL_S / self.setup.load.tick_s))
        step_s = INTERVAL_S / steps
        kept = round(_LOOKS_S / step_s)
        while True:
            for step in range(steps):
                yield self.env.timeout(step_s)
                for protected in sorted(self.scanners):
                    if protected in self.members:  # recovery reads the redo of failed instances
                        held = list(self.scanners[protected].values())
                        before = min((scanner.first_pass_s() for scanner in held), default=0.0)
                        self.read_bytes += sum(scanner.read(step_s) for scanner in held)
                        after = min((scanner.first_pass_s() for scanner in held), default=0.0)
                        looks = self._looks.setdefault(protected, deque(maxlen=kept))
                        looks.append((before, after))
                        if step == steps - 1:
                            for scanner in held:
                                scanner.look()

    def _fail(self, at_s: float, numbers: list[int]) -> Generator[Any, Any, None]:
        yield self.env.timeout(at_s)
        lost = [number for number in numbers if number in self.members]
        if not lost:
            return
        self._failures.append(Failure(frozenset(lost), frozenset(self.members)))
        self.members -= set(lost)
        self.failed |= set(lost)
        for scanners in self.scanners.values():
            for number in lost:
                scanners.pop(number, None)  # the contents of its memory are lost
        self._remap(f"instance{'s' * (len(lost) > 1)} {listed([*map(str, lost)])} failed")
        if self._recovery is not None and self._recovery.is_alive:
            self._recovery.interrupt()  # recovery restarts for all failed instances
        else:
            self._recovery = self.env.process(self._recover())

    def _join(self, join: At) -> Generator[Any, Any, None]:
        yield self.env.timeout(join.at_s)
        while join.instance in self.failed and self._recovery is not None:
            yield self._recovery
        if join.instance in self.members:
            return
        self.instances[join.instance].restart()
        self._looks.pop(join.instance, None)
        self.members.add(join.instance)
        self._remap(f"instance {join.instance} joined")
        self.env.process(self._instance(join.instance))

    def _recover(self) -> Generator[Any, Any, None]:
        from simpy import Interrupt

        while self.failed:
            began = self.env.now
            recovery, blocks = self._plan(sorted(self.failed), began)
            self.frozen = True
            try:
                yield self.env.timeout(recovery.frozen_s())
                self.frozen = False
                self.held = blocks
                yield self.env.timeout(recovery.second_pass_s + self.setup.rates.overhead_s)
            except Interrupt:
                if self.frozen:
                    recovery = recovery._replace(brown_out_s=self.env.now - began)
                self.recoveries.append(
                    recovery._replace(complete=False, brown_out_without_buddy_s=None)
                )
                continue
            self.recoveries.append(recovery)
            self._recovered(blocks)
            for number in recovery.failed:
                self.failed.discard(number)
                self.scanners.pop(number, None)

    def _recovered(self, blocks: set[int]) -> None:
        """The blocks of a recovery are on disk: past images of them are not needed any more."""
        self.held = set()
        for block in blocks:
            self.current.pop(block, None)
        for number in sorted(self.members):
            self.instances[number].discard(self._scn, sorted(blocks))

    def _plan(self, failed: list[int], began: float) -> tuple[RecoveryDocument, set[int]]:
        """The result of the first pass, and all durations (Buddy Instance, section 5.3)."""
        rates = self.setup.rates
        holders = {number: self.scanners.get(number, {}) for number in failed}
        chosen = simulation_setup.recovery_instance(failed, self.members, holders)
        recovered = {number: self._part(number, chosen) for number in failed}
        parts = tuple(part for part, _ in recovered.values())
        sets = {number: own for number, (_, own) in recovered.items()}
        blocks = merged(sets, self.current)
        scns = [self.instances[n].thread.checkpoint_scn() for n in failed]
        lowest = min((scn for scn in scns if scn is not None), default=self._scn + 1)
        applied = sum(self.instances[n].thread.bytes_since_scn(lowest) for n in failed)
        whole = sum(part.blocks for part in parts)
        union = len(set().union(*(own.last_rba for own in sets.values())))
        range_s = self._range(failed) if chosen in holders[failed[0]] else None
        recovery = RecoveryDocument(
            at_s=began, failed=tuple(failed), recovery_instance=chosen, complete=True,
            detection_s=0.0 if chosen is None else self.setup.detection_s,
            reconfiguration_s=0.0 if chosen is None else self.setup.reconfiguration_s,
            rebuild_s=0.0 if chosen is None else self.setup.rebuild_s,
            first_pass_s=rates.first_pass_s(sum(part.scanned_bytes for part in parts)),
            first_pass_range_s=range_s and tuple(round(limit_s, 3) for limit_s in range_s),
            first_pass_without_buddy_s=rates.first_pass_s(applied),
            second_pass_s=rates.second_pass_s(applied, len(blocks)),
            other_s=rates.overhead_s + (rates.fixed_s if chosen is None else 0.0),
            total_s=0.0, total_without_buddy_s=0.0, brown_out_s=0.0,
            brown_out_without_buddy_s=0.0, applied_bytes=applied,
            recovery_set_blocks=len(blocks), in_several_sets_blocks=whole - union,
            current_elsewhere_blocks=union - len(blocks), blocked_s=0.0,
            blocked_changes_pct=self._blocked_pct(failed, blocks), parts=parts,
            overhead_s=rates.overhead_s, range_s=range_s,
        )  # fmt: skip
        whole_s, frozen_s = sum(spent for _, spent in recovery.phases()), recovery.frozen_s()
        return recovery._replace(
            total_s=whole_s,
            total_without_buddy_s=sum(spent for _, spent in recovery.phases(with_buddies=False)),
            brown_out_s=frozen_s,
            brown_out_without_buddy_s=recovery.frozen_s(with_buddies=False),
            blocked_s=whole_s - frozen_s,
        ), blocks

    def _blocked_pct(self, failed: list[int], blocks: set[int]) -> float:
        per_s = self.setup.load.changes_per_s * len(failed)
        if not per_s:
            return 0.0
        return 100 * sum(
            self.instances[n].source.changes_per_s(
                block for block in blocks if block < OWN or n * OWN <= block < (n + 1) * OWN
            )
            for n in failed
        ) / per_s  # fmt: skip

    def _part(self, number: int, chosen: int | None) -> tuple[Part, RecoverySet]:
        thread = self.instances[number].thread
        held = self.scanners.get(number, {})
        origin: Origin = "scanned"
        if chosen in held:
            origin, scanner = "own", held[chosen]
        elif held:
            origin, scanner = "sent", min(held.values(), key=lambda buddy: buddy.backlog_bytes)
        if origin == "scanned":
            recovery_set, scanned = first_pass(thread), thread.lag_bytes
        else:
            scanned = scanner.backlog_bytes
            recovery_set = scanner.hand_over()
        blocks = len(recovery_set.last_rba)
        return Part(number, origin, thread.lag_bytes, scanned, blocks), recovery_set

    def _range(self, failed: list[int]) -> tuple[float, float] | None:
        looks = self._looks.get(failed[0])
        if len(failed) > 1 or not looks:
            return None
        return min(after for _, after in looks), max(before for before, _ in looks)

    def _remap(self, why: str) -> None:
        """Assign buddies to every member; a buddy that remains keeps its scanned redo."""
        setup = self.setup
        new = simulation_setup.recommend(self.members, setup.buddies, self._failures)
        for protected, chosen in new.items():
            kept = self.scanners.get(protected, {})
            thread = self.instances[protected].thread
            self.scanners[protected] = {
                buddy: kept.get(buddy) or Scanner(thread, setup.scan, setup.rates.scan_bytes_per_s)
                for buddy in chosen
            }
        named = {str(protected): chosen for protected, chosen in new.items()}
        self.maps.append(BuddyMap(self.env.now, why, named))

    def _samples(self) -> Generator[Any, Any, None]:
        while True:
            numbers = sorted(self.members | self.failed)
            scns = ((self.instances[n].thread.checkpoint_scn(), n) for n in numbers)
            # the lowest checkpoint SCN is the database checkpoint: Buddy Instance, section 3.1.2
            behind = min(((scn, n) for scn, n in scns if scn is not None), default=(0, None))
            self.moments.append(
                MomentDocument(
                    self.env.now, self.frozen, tuple(sorted(self.members)), behind[1],
                    {str(number): self._sample(number) for number in numbers},
                )
            )  # fmt: skip
            yield self.env.timeout(self.setup.sample_s)

    def _sample(self, number: int) -> Sample:
        now, rates = self.env.now, self.setup.rates
        instance = self.instances[number]
        thread, dirty = instance.thread, len(instance.cache.queue)
        then, redo, written = self._before.get(number, (now, thread.end_rba, instance.written))
        self._before[number] = (now, thread.end_rba, instance.written)
        passed = now - then
        held = list(self.scanners.get(number, {}).values())
        backlog = min((scanner.backlog_bytes for scanner in held), default=None)
        without = rates.first_pass_s(thread.lag_bytes)
        first_pass_s = without if backlog is None else rates.first_pass_s(backlog)
        before_s = self.setup.detection_s + self.setup.reconfiguration_s
        rebuild_s = self.setup.rebuild_s
        return Sample(
            redo_bytes=thread.end_rba,
            checkpoint_bytes=thread.checkpoint_rba,
            redo_bytes_per_s=(thread.end_rba - redo) / passed if passed else 0.0,
            writes_per_s=(instance.written - written) / passed if passed else 0.0,
            dirty_blocks=dirty,
            recovery_set_blocks=len(held[0].recovery_set.last_rba) if held else None,
            backlog_bytes=backlog,
            first_pass_s=first_pass_s,
            first_pass_without_s=without,
            brown_out_s=before_s + max(first_pass_s, rebuild_s),
            brown_out_without_s=before_s + max(without, rebuild_s),
            estimated_mttr_s=rates.fixed_s + rates.estimate_s(thread.lag_bytes, dirty),
        )


#: Age of a dirty block to which given writes refer. # awrlens: five minutes, as in the help
WRITTEN_AT_S: Final = 300.0
#: Why the checkpoint may lag by more than one redo log if fast-start checkpointing is off.
_OFF: Final = (
    "With fast-start checkpointing off, the checkpoint of a log switch completes when that redo "
    "log is reused. The limit of 90 % of the smallest redo log does not apply: in Fast-Start "
    "Checkpointing Best Practices, table 1, the estimate is 360 s with that limit or the read "
    "time, and 1,270 s without fast-start checkpointing."
)


def with_given(preset: Preset, **given: float | None) -> Preset:
    """A preset with the numbers of one instance that are given: MB, MB/s, the database in GB."""
    asked = {name: value for name, value in given.items() if value is not None}
    load, rates = preset.load, preset.rates
    if asked.keys() & {"block_changes", "writes"}:
        writes = asked.get("writes") or load.block_writes_per_s(WRITTEN_AT_S)
        changes = asked.get("block_changes") or load.changes_per_s
        kinds, new_blocks = power_law(writes, WRITTEN_AT_S, changes)
        load = load._replace(kinds=kinds, new_blocks_per_s=new_blocks)
    if "redo_rate" in asked:
        load = load._replace(redo_bytes_per_s=asked["redo_rate"] * MB)
    if "cache_size" in asked:
        load = load._replace(cache_blocks=round(asked["cache_size"] * MB / load.block_bytes))
    if "log_size" in asked:
        size = asked["log_size"] * MB
        limit = load.limit_bytes and load.limit_bytes * size / load.log_bytes
        load = load._replace(log_bytes=size, limit_bytes=limit)
    if "shared" in asked:
        load = load._replace(shared=asked["shared"] / 100)
    names = {"scan_rate": "scan_bytes_per_s", "apply_rate": "apply_bytes_per_s"}
    rates = rates._replace(**{names[name]: asked[name] * MB for name in names if name in asked})
    if "write_capacity" in asked:
        rates = rates._replace(writes_per_s=asked["write_capacity"])
    if database_size := asked.pop("database_size", None):  # no fact of the load
        preset = preset._replace(database_bytes=database_size * 1024 * MB)
    title = f"{preset.title}, changed" if asked else preset.title
    return preset._replace(title=title, load=load, rates=rates)


def choices(setup: Setup) -> tuple[Choice, ...]:
    """The present target with and without buddies, and lower targets without; none without RAC."""
    load, rates = setup.load, setup.rates
    if setup.instances < 2:  # noqa: PLR2004 - no buddy without another instance
        return ()
    lowest_s = write_model.lowest_target_s(load, rates)
    now_s = max(setup.mttr_s, lowest_s) if setup.mttr_s else 0.0
    now = _choice("as it is", now_s, _age_s(setup, setup.mttr_s), setup)
    limit_s = setup.scan.threshold_s
    if now.first_pass_s <= limit_s:
        return (now,)
    # a buddy reads all redo of the instance that it protects, and scans the last seconds late:
    # just before it reads again, the threshold is left for the first pass
    before_s = setup.detection_s + setup.reconfiguration_s
    buddy = now._replace(
        name="buddy", first_pass_s=limit_s, frozen_s=before_s + max(limit_s, setup.rebuild_s),
        buddy_reads_bytes_per_s=load.redo_bytes_per_s,
    )  # fmt: skip
    compared = [now, buddy]
    # targets halfway to the first pass of a buddy, and as short as that
    for first_pass_s in (now.first_pass_s + 0.5 * (limit_s - now.first_pass_s), limit_s):
        age_s = first_pass_s * rates.scan_bytes_per_s / load.redo_bytes_per_s
        blocks = age_s * load.block_writes_per_s(age_s)
        # the target that keeps the checkpoint at this age
        target_s = rates.fixed_s + rates.estimate_s(age_s * load.redo_bytes_per_s, blocks)
        if target_s <= lowest_s:
            compared.append(_choice("lowest target", lowest_s, _age_s(setup, lowest_s), setup))
            break
        compared.append(_choice("lower target", target_s, age_s, setup))
    return tuple(compared)


def _choice(name: str, target_s: float, age_s: float, setup: Setup) -> Choice:
    load, rates = setup.load, setup.rates
    redo = age_s * load.redo_bytes_per_s
    writes_per_s = load.block_writes_per_s(age_s)
    first_pass_s = rates.first_pass_s(redo)
    before_s = setup.detection_s + setup.reconfiguration_s
    return Choice(
        name, target_s, first_pass_s, before_s + max(first_pass_s, setup.rebuild_s),
        rates.second_pass_s(redo, round(age_s * writes_per_s)) + rates.overhead_s, writes_per_s,
        0.0, redo,
    )  # fmt: skip


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
) -> SimulationDocument:
    """Run a cluster; ``advanced`` gets simulated seconds. UsageError if the setup is invalid."""
    from simpy import Environment

    check(setup)
    cluster = Cluster(setup, Environment())
    cluster.run(advanced)
    return SimulationDocument(
        schema_version=SCHEMA_VERSION,
        title=preset.title,
        source=preset.source,
        parameters=_parameters(setup, preset.database_bytes),
        recoveries=tuple(cluster.recoveries),
        buddy_maps=tuple(cluster.maps),
        read_by_buddies_bytes=cluster.read_bytes,
        notes=tuple(cite(note) for note in (preset.note, *_notes(setup, cluster)) if note),
        choices=choices(setup),
        timeline=tuple(cluster.moments),
    )


def _parameters(setup: Setup, database_bytes: float | None) -> ParametersDocument:
    load, rates = setup.load, setup.rates
    values = {
        **setup._asdict(), **load._asdict(), **rates._asdict(),
        "fast_start_mttr_target_s": setup.mttr_s,
        "buddy_instance_scan_phase_threshold_s": setup.scan.threshold_s,
        "buddy_instance_num_read_buffers": setup.scan.num_read_buffers,
        "block_changes_per_s": load.changes_per_s,
        "blocks_changed": [
            {"blocks": blocks, "changes_per_s": rate} for blocks, rate in load.kinds
        ],
        "shared_blocks_pct": 100 * load.shared,
        "log_size_limit_bytes": write_model.by_log_size(load),
        "recover_block_s": rates.block_s,
        "dbwr_writes_per_s": rates.writes_per_s,
        "startup_and_file_open_s": rates.fixed_s,
        "other_recovery_s": rates.overhead_s,
        "database_bytes": database_bytes,
    }  # fmt: skip
    names = ParametersDocument.__annotations__
    return cast("ParametersDocument", {name: values[name] for name in names})


def _notes(setup: Setup, cluster: Cluster) -> Iterator[str]:
    lowest_s = write_model.lowest_target_s(setup.load, setup.rates)
    if not setup.mttr_s:
        yield _OFF if setup.load.lag_bytes is None else SELF_TUNED
    elif setup.mttr_s < lowest_s:
        reset = f"FAST_START_MTTR_TARGET {setup.mttr_s:g} is out of the valid MTTR range; "
        yield f"{reset}{lowest_s:.0f} is used instead."
    if setup.buddies and not cluster.read_bytes:
        yield IDLE
