"""The recovery set against brute force: a history of changes and writes, and nothing else.

The oracle knows no redo, no checkpoint and no Block Written Record. It has every change and every
write of every block in order of time. A block needs recovery if the instance that changed it last
has failed and nothing has written it since; a survivor's last change is in the survivor's cache.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations
from typing import NamedTuple

from hypothesis import example, given
from hypothesis import strategies as st
from simpy import Environment

from awrlens.advice.load_model import Kind, Load
from awrlens.advice.recovery_split import Rates
from awrlens.lab.simulated_instance import OWN, Limits
from awrlens.lab.simulation import Cluster
from awrlens.lab.simulation_setup import At, RecoverySet, Scan, Scanner, Setup, first_pass, merged

RATES = Rates(scan_bytes_per_s=1000, apply_bytes_per_s=800, fixed_s=5)
#: DBWR writes whatever it is allowed to.
EAGER = Limits(recovery_s=None, redo_bytes=-1, dirty_blocks=0, writes_per_s=0)
#: Small enough that instances meet on the same blocks.
LOAD = Load(
    redo_bytes_per_s=100, kinds=(Kind(12, 0.3), Kind(60, 0.02)), new_blocks_per_s=1,
    cache_blocks=10_000, log_bytes=1200, log_groups=3, shared=0.5,
)  # fmt: skip


class Entry(NamedTuple):
    """A change or a write of a block, by an instance."""

    block: int
    instance: int
    change: bool


class Oracle:
    """All changes and writes, in order of time."""

    def __init__(self) -> None:
        self.history: list[Entry] = []

    def changes(self, instance: int, blocks: Iterable[int]) -> None:
        self.history += [Entry(block, instance, change=True) for block in blocks]

    def writes(self, instance: int, blocks: Iterable[int]) -> None:
        self.history += [Entry(block, instance, change=False) for block in blocks]

    def needs(self, failed: Iterable[int]) -> set[int]:
        last = {entry.block: entry for entry in self.history}
        lost = set(failed)
        return {each.block for each in last.values() if each.change and each.instance in lost}


class World:
    """A cluster that is told which instance changes which blocks and how many it writes."""

    def __init__(self, instances: int, scan: Scan) -> None:
        setup = Setup(LOAD, RATES, 0, 60, instances, buddies=0)
        self.cluster = Cluster(setup, Environment())
        self.oracle = Oracle()
        self.scn = 0
        self.scanners = {
            number: Scanner(each.thread, scan, 1000)
            for number, each in self.cluster.instances.items()
        }

    def step(self, number: int, blocks: Iterable[int], size: int, writes: int) -> None:
        """One instance changes blocks, then writes; low numbers belong to all instances."""
        instance = self.cluster.instances[number]
        self.scn += 1
        self.cluster._scn = self.scn
        own = [block if block < SHARED else number * OWN + block for block in sorted(blocks)]
        thread = instance.thread
        instance.cache.change(thread.end_rba, own)
        self.oracle.changes(number, own)
        for block in own:  # before DBWR asks who has the current version
            if block < OWN:
                self.cluster.current[block] = number
        written = instance.cache.write(thread.end_rba + size, EAGER, RATES, writes)
        self.oracle.writes(number, written)
        thread.append(self.scn, size, own, written)
        thread.checkpoint_rba = instance.cache.checkpoint_rba(thread.end_rba)
        self.cluster.share(number, (), written)

    def recovered(self, failed: Iterable[int], *, with_buddies: bool) -> set[int]:
        """The merged recovery sets of failed instances, as a recovery finds them."""
        sets: dict[int, RecoverySet] = {
            each: self.scanners[each].hand_over()
            if with_buddies
            else first_pass(self.cluster.instances[each].thread)
            for each in failed
        }
        return merged(sets, self.cluster.current)


#: Blocks 0 to 7 move between the instances.
SHARED = 8
#: Number of the instance, its blocks, bytes of redo, blocks written, whether the buddy looks.
STEPS = st.lists(
    st.tuples(
        st.integers(1, 4), st.sets(st.integers(0, 13), max_size=5), st.integers(1, 60),
        st.integers(0, 4), st.booleans(),
    ),
    max_size=40,
)  # fmt: skip
SCANS = st.builds(Scan, st.floats(0, 0.1), st.sampled_from([None, 1, 3]))


@given(st.integers(2, 4), STEPS, SCANS)
@example(2, [(1, {0}, 9, 0, False), (2, {0}, 9, 0, False), (1, {1}, 9, 1, False)], Scan(0))
@example(2, [(1, {0}, 9, 0, True), (2, {0}, 9, 1, False), (1, {0}, 9, 0, True)], Scan(0))
def test_what_is_recovered_is_what_was_lost_whichever_instances_fail(
    instances: int, steps: list[tuple[int, set[int], int, int, bool]], scan: Scan
) -> None:
    world = World(instances, scan)
    for number, blocks, size, writes, look in steps:
        world.step(1 + number % instances, blocks, size, writes)
        if look:
            for each in world.scanners.values():
                each.look()
                each.read(0.05)

    for many in range(1, instances + 1):
        for failed in combinations(range(1, instances + 1), many):
            assert world.oracle.needs(failed) == world.recovered(failed, with_buddies=False)
    everyone = range(1, instances + 1)
    assert world.oracle.needs(everyone) == world.recovered(everyone, with_buddies=True)


class Watched(Cluster):
    """A cluster whose changes, writes and recoveries are written down as they happen."""

    def __init__(self, setup: Setup) -> None:
        self.oracle = Oracle()
        self.found: list[tuple[set[int], set[int]]] = []
        super().__init__(setup, Environment())

    def share(self, number: int, changed: Iterable[int], written: Iterable[int]) -> None:
        self.oracle.changes(number, changed)
        self.oracle.writes(number, written)
        super().share(number, changed, written)

    def _plan(self, failed, began):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
        found, blocks = super()._plan(failed, began)
        self.found.append((self.oracle.needs(failed), set(blocks)))
        return found, blocks

    def _recovered(self, blocks: set[int]) -> None:
        self.oracle.writes(0, blocks)
        super()._recovered(blocks)


@given(
    st.integers(2, 4),
    st.integers(0, 3),
    st.lists(st.tuples(st.booleans(), st.integers(1, 4), st.integers(0, 60)), max_size=8),
    st.sampled_from([0.0, 0.3, 1.0]),
    st.sampled_from([0.0, 8.0]),
    st.integers(1, 10_000),
)
def test_a_cluster_that_fails_and_joins_recovers_what_was_lost_and_nothing_else(
    instances: int, buddies: int, events: list[tuple[bool, int, int]], shared: float,
    mttr_s: float, seed: int,
) -> None:  # fmt: skip
    setup = Setup(
        LOAD._replace(shared=shared), RATES, mttr_s, 60, instances, buddies,
        tuple(At(1 + n % instances, at) for joins, n, at in events if not joins),
        tuple(At(1 + n % instances, at) for joins, n, at in events if joins),
        Scan(0.5), seed, sample_s=60,
    )  # fmt: skip
    cluster = Watched(setup)
    cluster.run()

    for needed, found in cluster.found:
        assert needed == found


def test_blocks_that_moved_are_in_several_sets_and_are_recovered_once() -> None:
    """All blocks belong to all instances, and two of three fail."""
    load = LOAD._replace(shared=1.0, new_blocks_per_s=0.0, log_bytes=1e9)
    setup = Setup(load, RATES, 0, 60, 3, 1, (At(1, 60), At(2, 60)), scan=Scan(0.5))
    cluster = Watched(setup)
    cluster.run()
    found = cluster.recoveries[0]

    assert found.in_several_sets_blocks > 0
    assert found.current_elsewhere_blocks > 0
    assert sum(part.blocks for part in found.parts) == (
        found.recovery_set_blocks + found.in_several_sets_blocks + found.current_elsewhere_blocks
    )
    assert len(cluster.found[0][0]) == found.recovery_set_blocks
