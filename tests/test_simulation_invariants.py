"""What holds of every simulated world, however its changes, writes, failures and joins fall."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st
from simpy import Environment

from awrlens.advice.load_model import Kind, Load
from awrlens.advice.recovery_split import Rates
from awrlens.lab import simulation_setup
from awrlens.lab.simulated_instance import Cache, Limits
from awrlens.lab.simulation import Cluster
from awrlens.lab.simulation_setup import At, RecoverySet, Scan, Scanner, Setup, Thread, first_pass

RATES = Rates(scan_bytes_per_s=1000, apply_bytes_per_s=800, fixed_s=5)
#: DBWR writes whatever it is allowed to.
EAGER = Limits(recovery_s=None, redo_bytes=-1, dirty_blocks=0, writes_per_s=0)
#: Ticks of a small world: size of the redo, blocks changed, how many blocks are written.
TICKS = st.lists(
    st.tuples(st.integers(1, 50), st.sets(st.integers(0, 12), max_size=6), st.integers(0, 5)),
    max_size=25,
)  # fmt: skip


class World:
    """An instance that is told what to change and how much to write, and remembers all of it."""

    def __init__(self) -> None:
        self.thread = Thread()
        self.cache = Cache()
        self.history: list[tuple[int, str, int]] = []

    def tick(self, size: int, changed: set[int], writes: int) -> None:
        begin = self.thread.end_rba
        self.cache.change(begin, sorted(changed))
        written = self.cache.write(begin + size, EAGER, RATES, writes)
        self.history += [(begin, "change", block) for block in sorted(changed)]
        self.history += [(begin, "write", block) for block in written]
        self.thread.append(len(self.thread.batches), size, sorted(changed), written)
        self.thread.checkpoint_rba = self.cache.checkpoint_rba(self.thread.end_rba)

    def needed(self) -> set[int]:
        """Blocks changed after the checkpoint and not written since, by their definition."""
        last = {
            block: what
            for rba, what, block in self.history
            if what == "write" or rba >= self.thread.checkpoint_rba
        }
        return {block for block, what in last.items() if what == "change"}


def worlds(ticks: list[tuple[int, set[int], int]]) -> Iterator[World]:
    """The world after each of its ticks."""
    world = World()
    for each in ticks:
        world.tick(*each)
        yield world


@given(TICKS)
def test_the_recovery_set_is_what_was_changed_after_the_checkpoint_and_not_written_since(
    ticks: list[tuple[int, set[int], int]],
) -> None:
    for world in worlds(ticks):
        found = set(first_pass(world.thread).last_rba)

        assert world.needed() == found
        assert set(world.cache.queue) == found  # what is dirty is what is lost


@given(TICKS)
def test_no_change_before_the_checkpoint_is_missing_on_disk(
    ticks: list[tuple[int, set[int], int]],
) -> None:
    for world in worlds(ticks):
        everything = RecoverySet(0)
        everything.scan(world.thread)

        assert set(everything.last_rba) == set(first_pass(world.thread).last_rba)


@given(TICKS, st.lists(st.integers(0, 200), min_size=25, max_size=25))
def test_a_buddy_that_has_scanned_to_the_end_recovers_what_a_fresh_first_pass_does(
    ticks: list[tuple[int, set[int], int]], budgets: list[int]
) -> None:
    buddy = None
    for world, budget in zip(worlds(ticks), budgets, strict=False):
        buddy = buddy or RecoverySet(world.thread.checkpoint_rba)
        buddy.prune(world.thread.checkpoint_rba)
        buddy.scan(world.thread, budget)
        thread = world.thread
    if buddy is not None:
        buddy.prune(thread.checkpoint_rba)
        buddy.scan(thread)

        assert first_pass(thread).last_rba == buddy.last_rba
        assert all(rba >= buddy.start_rba for rba in buddy.last_rba.values())


@given(
    TICKS,
    st.lists(st.booleans(), min_size=25, max_size=25),
    st.sampled_from([None, 1, 3]),
    st.floats(0, 0.1),
)
def test_the_server_process_gets_there_however_rarely_it_looks(
    ticks: list[tuple[int, set[int], int]],
    looks: list[bool],
    read_buffers: int | None,
    threshold_s: float,
) -> None:
    scanner = None
    for world, look in zip(worlds(ticks), looks, strict=False):
        scanner = scanner or Scanner(world.thread, Scan(threshold_s, read_buffers), 1000)
        if look:
            scanner.look()
            scanner.read(3)
            assert 0 <= scanner.backlog_bytes <= world.thread.lag_bytes
    if scanner is not None:
        thread = scanner.thread

        assert first_pass(thread).last_rba == scanner.hand_over().last_rba
        assert 0 == scanner.first_pass_s()


def test_a_buddy_reads_no_faster_than_the_first_pass() -> None:
    """4,000 bytes at 1,000 bytes per second take four seconds, and more redo comes meanwhile."""
    world = World()
    for _ in range(40):
        world.tick(100, set(), 0)
        world.thread.checkpoint_rba = 0
    buddy = Scanner(world.thread, Scan(threshold_s=1), 1000)
    buddy.look()

    assert [1000, 1000, 1000, 0] == [buddy.read(1) for _ in range(4)]  # an interval of 3 s
    buddy.look()
    assert 1000 == buddy.read(1)
    assert 0 == buddy.backlog_bytes


@given(TICKS, st.lists(st.integers(0, 200), min_size=25, max_size=25))
def test_pruning_never_drops_a_block_that_is_needed(
    ticks: list[tuple[int, set[int], int]], budgets: list[int]
) -> None:
    buddy = RecoverySet(0)
    for world, budget in zip(worlds(ticks), budgets, strict=False):
        buddy.scan(world.thread, budget)
        buddy.prune(world.thread.checkpoint_rba)
        last = {b: rba for rba, what, b in world.history if what == "change"}
        scanned = {b for b in world.needed() if last[b] < buddy.scanned_rba}

        assert scanned <= set(buddy.last_rba)


def test_pruning_drops_what_is_written_before_its_record_is_scanned() -> None:
    world, buddy = World(), RecoverySet(0)
    world.tick(10, {1, 2}, 0)
    buddy.scan(world.thread)
    world.tick(10, {2}, 1)  # block 1 is written, block 2 keeps its low RBA
    world.tick(10, {3}, 1)  # block 2 is written: the checkpoint moves to block 3
    assert {1, 2} == set(buddy.last_rba)

    buddy.prune(world.thread.checkpoint_rba)

    assert {} == buddy.last_rba
    assert 20 == world.thread.checkpoint_rba == buddy.scanned_rba


MEMBERS = st.sets(st.integers(1, 8), min_size=1)
HISTORY = st.lists(
    st.builds(
        simulation_setup.Failure,
        st.frozensets(st.integers(1, 8), min_size=1, max_size=4),
        st.none() | st.frozensets(st.integers(1, 8), min_size=2),
    ),
    max_size=6,
)


@given(MEMBERS, st.integers(1, 7), HISTORY)
def test_no_member_is_without_a_buddy_while_two_live(
    members: set[int], wanted: int, history: list[simulation_setup.Failure]
) -> None:
    for found in (
        simulation_setup.ring(members, wanted),
        simulation_setup.recommend(members, wanted, history),
    ):
        assert members == set(found)
        for protected, chosen in found.items():
            assert min(wanted, len(members) - 1) == len(chosen) == len(set(chosen))
            assert set(chosen) <= members - {protected}


@given(MEMBERS)
def test_in_a_ring_each_serves_one(members: set[int]) -> None:
    found = simulation_setup.ring(members)
    served = [buddy for chosen in found.values() for buddy in chosen]

    assert sorted(served) == (sorted(members) if len(members) > 1 else [])
    assert simulation_setup.recommend(members, 1, []) == found


LOAD = Load(
    redo_bytes_per_s=100, kinds=(Kind(20, 0.3), Kind(200, 0.01)), new_blocks_per_s=1,
    cache_blocks=10_000, log_bytes=1200, log_groups=3,
)  # fmt: skip


def run(setup: Setup) -> Cluster:
    cluster = Cluster(setup, Environment())
    cluster.run()
    return cluster


@given(
    st.integers(2, 5),
    st.integers(1, 4),
    st.lists(st.tuples(st.booleans(), st.integers(1, 5), st.integers(0, 60)), max_size=8),
)
def test_however_instances_fail_and_join_every_member_has_a_buddy_and_all_is_recovered(
    instances: int, wanted: int, events: list[tuple[bool, int, int]]
) -> None:
    fail = tuple(At(1 + n % instances, at) for joins, n, at in events if not joins)
    join = tuple(At(1 + n % instances, at) for joins, n, at in events if joins)
    cluster = run(Setup(LOAD, RATES, 0, 60, instances, wanted, fail, join, Scan(0.5), sample_s=5))

    for each in cluster.maps:
        assert all(len(each.buddies) < 2 or chosen for chosen in each.buddies.values())
    assert not cluster.failed
    assert not cluster.frozen
    # a recovery that had to begin anew is followed by one of no fewer instances
    for now, later in zip(cluster.recoveries, cluster.recoveries[1:], strict=False):
        assert now.complete or set(now.failed) <= set(later.failed)


@given(st.integers(2, 5).flatmap(lambda n: st.tuples(
    st.just(n), st.lists(st.sampled_from(range(1, n + 1)), unique=True, max_size=n - 1),
    st.lists(st.integers(10, 60), min_size=n, max_size=n))))  # fmt: skip
def test_with_a_buddy_less_than_there_are_instances_all_but_one_may_fail(
    world: tuple[int, list[int], list[int]],
) -> None:
    instances, failing, times = world
    fail = tuple(At(number, at) for number, at in zip(failing, times, strict=False))
    cluster = run(Setup(LOAD, RATES, 0, 60, instances, instances - 1, fail, scan=Scan(0.5)))

    parts = [part for each in cluster.recoveries for part in each.parts]
    assert {"own"} >= {part.origin for part in parts}
    assert set(failing) == {part.instance for part in parts}
    for part in parts:  # nobody came back, so what was lost is still to be seen
        assert len(cluster.instances[part.instance].cache.queue) == part.blocks


@pytest.mark.parametrize("wanted", [0, 1, 2])
def test_what_is_recovered_does_not_depend_on_buddies_only_the_time_does(wanted: int) -> None:
    fail = (At(1, 50), At(2, 50))
    found = run(Setup(LOAD, RATES, 0, 60, 4, wanted, fail, scan=Scan(0.5))).recoveries[0]
    plain = run(Setup(LOAD, RATES, 0, 60, 4, 0, fail, scan=Scan(0.5))).recoveries[0]

    assert plain.recovery_set_blocks == found.recovery_set_blocks
    assert plain.applied_bytes == found.applied_bytes
    assert plain.first_pass_s == found.first_pass_without_buddy_s
    assert (wanted == 0) == (found.first_pass_s == plain.first_pass_s)
