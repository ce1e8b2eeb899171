"""A cluster over simulated time: instances, their buddies, failures and recoveries.

A discrete-event simulation with simpy. An instance has its load, its cache and its redo thread.
Every instance, every buddy's scan of the redo logs, every failure and every recovery is a process.
Nothing waits for real time, and all random numbers come from one seed.
"""

from __future__ import annotations

from collections import defaultdict, deque
from random import Random
from typing import TYPE_CHECKING, Any, Final

from awrlens.lab import simulation_setup
from awrlens.lab.simulated_instance import OWN, Cache, Source, limits
from awrlens.lab.simulation_records import Change, Moment, Origin, Part, Recovery, Sample
from awrlens.lab.simulation_setup import (
    INTERVAL_S,
    Failure,
    RecoverySet,
    Scanner,
    Thread,
    first_pass,
    joins_later,
    merged,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Generator, Iterable

    from simpy import Environment, Process

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
        """Change blocks, then let DBWR write what the limits require; both.

        Blocks that are ``held`` for a recovery are neither changed nor written.
        """
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
        self.recoveries: list[Recovery] = []
        self.moments: list[Moment] = []
        self.maps: list[Change] = []
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
        """Run for the given duration, then until the last recovery is complete.

        ``advanced`` gets the simulated seconds every now and then.
        """
        env, setup = self.env, self.setup
        for number in self.members:
            env.process(self._instance(number))
        env.process(self._buddies())
        for at_s in sorted({each.at_s for each in setup.fail}):
            together = [each.instance for each in setup.fail if each.at_s == at_s]
            env.process(self._fail(at_s, together))
        for each in setup.join:
            env.process(self._join(each))
        env.process(self._samples())
        end_s = setup.duration_s + TAIL_S
        for step in range(1, STEPS + 1):
            env.run(until=end_s * step / STEPS)
            if advanced is not None:
                advanced(env.now)
        while self._recovery is not None and self._recovery.is_alive:
            env.run(until=self._recovery)
            env.run(until=env.now + TAIL_S)

    # processes

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
                        before = min((each.first_pass_s() for each in held), default=0.0)
                        self.read_bytes += sum(each.read(step_s) for each in held)
                        after = min((each.first_pass_s() for each in held), default=0.0)
                        looks = self._looks.setdefault(protected, deque(maxlen=kept))
                        looks.append((before, after))
                        if step == steps - 1:
                            for each in held:
                                each.look()

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
        self._remap(f"{_named(lost)} failed")
        if self._recovery is not None and self._recovery.is_alive:
            self._recovery.interrupt()  # recovery restarts for all failed instances
        else:
            self._recovery = self.env.process(self._recover())

    def _join(self, each: At) -> Generator[Any, Any, None]:
        yield self.env.timeout(each.at_s)
        while each.instance in self.failed and self._recovery is not None:
            yield self._recovery
        if each.instance in self.members:
            return
        self.instances[each.instance].restart()
        self._looks.pop(each.instance, None)
        self.members.add(each.instance)
        self._remap(f"instance {each.instance} joined")
        self.env.process(self._instance(each.instance))

    def _recover(self) -> Generator[Any, Any, None]:
        """Recover all failed instances; restart if another instance fails meanwhile."""
        from simpy import Interrupt

        while self.failed:
            began = self.env.now
            found, blocks = self._plan(sorted(self.failed), began)
            overhead_s = self.setup.rates.overhead_s
            self.frozen = True
            try:
                yield self.env.timeout(found.frozen_s())
                self.frozen = False
                self.held = blocks
                found = found._replace(brown_out_s=self.env.now - began)
                yield self.env.timeout(found.second_pass_s + overhead_s)
            except Interrupt:
                if self.frozen:
                    found = found._replace(brown_out_s=self.env.now - began)
                self.recoveries.append(found._replace(complete=False))
                continue
            self.recoveries.append(found)
            self._recovered(blocks)
            for number in found.failed:
                self.failed.discard(number)
                self.scanners.pop(number, None)

    def _recovered(self, blocks: set[int]) -> None:
        """The blocks of a recovery are on disk: past images of them are not needed any more."""
        self.held = set()
        for block in blocks:
            self.current.pop(block, None)
        for number in sorted(self.members):
            self.instances[number].discard(self._scn, sorted(blocks))

    def _plan(self, failed: list[int], began: float) -> tuple[Recovery, set[int]]:
        """The result of the first pass, and all durations (Buddy Instance, section 5.3)."""
        rates = self.setup.rates
        holders = {each: self.scanners.get(each, {}) for each in failed}
        chosen = simulation_setup.recovery_instance(failed, self.members, holders)
        found = {each: self._part(each, chosen) for each in failed}
        parts = tuple(part for part, _ in found.values())
        sets = {each: own for each, (_, own) in found.items()}
        blocks = merged(sets, self.current)
        scns = [self.instances[n].thread.checkpoint_scn() for n in failed]
        lowest = min((scn for scn in scns if scn is not None), default=self._scn + 1)
        applied = sum(self.instances[n].thread.bytes_since_scn(lowest) for n in failed)
        whole = sum(part.blocks for part in parts)
        union = len(set().union(*(own.last_rba for own in sets.values())))
        first_pass_s = rates.first_pass_s(sum(part.scanned_bytes for part in parts))
        return Recovery(
            at_s=began,
            failed=tuple(failed),
            instance=chosen,
            parts=parts,
            first_pass_s=first_pass_s,
            first_pass_without_s=rates.first_pass_s(applied),
            second_pass_s=rates.second_pass_s(applied, len(blocks)),
            other_s=rates.overhead_s + (rates.fixed_s if chosen is None else 0.0),
            brown_out_s=0.0,
            applied_bytes=applied,
            first_pass_range_s=self._range(failed) if chosen in holders[failed[0]] else None,
            detection_s=0.0 if chosen is None else self.setup.detection_s,
            reconfiguration_s=0.0 if chosen is None else self.setup.reconfiguration_s,
            rebuild_s=0.0 if chosen is None else self.setup.rebuild_s,
            overhead_s=rates.overhead_s,
            blocks=len(blocks),
            in_several_sets=whole - union,
            current_elsewhere=union - len(blocks),
            blocked_changes_pct=self._blocked_pct(failed, blocks),
        ), blocks

    def _blocked_pct(self, failed: list[int], blocks: set[int]) -> float:
        """Share of the failed instances' changes that go to blocks of the recovery set."""
        per_s = self.setup.load.changes_per_s * len(failed)
        if not per_s:
            return 0.0
        return 100 * sum(
            self.instances[each].source.changes_per_s(
                block for block in blocks if block < OWN or each * OWN <= block < (each + 1) * OWN
            )
            for each in failed
        ) / per_s  # fmt: skip

    def _part(self, number: int, chosen: int | None) -> tuple[Part, RecoverySet]:
        """The recovery set of one failed instance: own, sent by a buddy, or scanned."""
        thread = self.instances[number].thread
        held = self.scanners.get(number, {})
        origin: Origin = "scanned"
        if chosen in held:
            origin, scanner = "own", held[chosen]
        elif held:
            origin, scanner = "sent", min(held.values(), key=lambda each: each.backlog_bytes)
        if origin == "scanned":
            found, scanned = first_pass(thread), thread.lag_bytes
        else:
            scanned = scanner.backlog_bytes
            found = scanner.hand_over()
        return Part(number, origin, thread.lag_bytes, scanned, len(found.last_rba)), found

    def _range(self, failed: list[int]) -> tuple[float, float] | None:
        """The range of the first pass if the instance had failed within the last minutes."""
        looks = self._looks.get(failed[0])
        if len(failed) > 1 or not looks:
            return None
        return min(after for _, after in looks), max(before for before, _ in looks)

    # the buddy map

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
        self.maps.append(Change(self.env.now, why, new))

    # samples

    def _samples(self) -> Generator[Any, Any, None]:
        while True:
            known = sorted(self.members | self.failed)
            self.moments.append(
                Moment(
                    self.env.now, self.frozen, tuple(sorted(self.members)),
                    {number: self._sample(number) for number in known},
                    self._database_checkpoint(known),
                )
            )  # fmt: skip
            yield self.env.timeout(self.setup.sample_s)

    def _database_checkpoint(self, known: list[int]) -> int | None:
        """The instance with the lowest checkpoint SCN (Buddy Instance, section 3.1.2)."""
        scns = {number: self.instances[number].thread.checkpoint_scn() for number in known}
        behind = [(scn, number) for number, scn in scns.items() if scn is not None]
        return min(behind)[1] if behind else None

    def _sample(self, number: int) -> Sample:
        now, rates = self.env.now, self.setup.rates
        instance = self.instances[number]
        thread, dirty = instance.thread, len(instance.cache.queue)
        then, redo, written = self._before.get(number, (now, thread.end_rba, instance.written))
        self._before[number] = (now, thread.end_rba, instance.written)
        passed = now - then
        held = list(self.scanners.get(number, {}).values())
        backlog = min((each.backlog_bytes for each in held), default=None)
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
            recovery_set_blocks=len(held[0].found.last_rba) if held else None,
            backlog_bytes=backlog,
            first_pass_s=first_pass_s,
            first_pass_without_s=without,
            brown_out_s=before_s + max(first_pass_s, rebuild_s),
            brown_out_without_s=before_s + max(without, rebuild_s),
            estimated_mttr_s=rates.fixed_s + rates.estimate_s(thread.lag_bytes, dirty),
        )


def _named(numbers: list[int]) -> str:
    if len(numbers) == 1:
        return f"instance {numbers[0]}"
    return f"instances {', '.join(map(str, numbers[:-1]))} and {numbers[-1]}"
