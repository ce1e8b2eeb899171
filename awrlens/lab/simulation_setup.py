"""What a simulated crash consists of: redo threads, the buddy map, recovery sets, the setup.

Records of a redo thread are kept in batches, one per tick, in which only the last change of a block
counts. The recovery set are the blocks that changed after a checkpoint and were not written since
(Buddy Instance, sections 3.2 to 5).
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections import deque
from typing import TYPE_CHECKING, Final

from awrlens.errors import UsageError
from awrlens.lazy import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
    from datetime import datetime

    from awrlens.advice.load_model import Load
    from awrlens.advice.recovery_split import Rates


class Batch(NamedTuple):
    """Redo records from one redo byte address (RBA) to another: changes, then what was written.

    All changes have the batch's begin as their RBA and ``scn`` as their system change number.
    """

    begin_rba: int
    end_rba: int
    scn: int
    changed: Sequence[int]
    written: Sequence[int]


class Thread:
    """The redo of one instance, which only grows; an RBA is the number of bytes before it."""

    def __init__(self) -> None:
        self.batches: list[Batch] = []
        #: # Buddy Instance, section 3.1: all changes before it are on disk
        self.checkpoint_rba = 0

    @property
    def end_rba(self) -> int:
        """The position of the next record."""
        return self.batches[-1].end_rba if self.batches else 0

    @property
    def lag_bytes(self) -> int:
        """Redo after the checkpoint, which a recovery would read."""
        return self.end_rba - self.checkpoint_rba

    def append(
        self, scn: int, size_bytes: int, changed: Iterable[int], written: Iterable[int]
    ) -> None:
        """The records of one tick; a batch has at least one byte, so that begins differ."""
        end = self.end_rba + max(1, size_bytes)
        batch = Batch(self.end_rba, end, scn, array("Q", changed), array("Q", written))
        self.batches.append(batch)

    def since(self, rba: int) -> Sequence[Batch]:
        """Batches from an RBA to the end of redo."""
        return self.batches[bisect_left(self.batches, rba, key=lambda batch: batch.begin_rba) :]

    def checkpoint_scn(self) -> int | None:
        """System change number of the checkpoint; None if there is nothing to recover."""
        return next((batch.scn for batch in self.since(self.checkpoint_rba)), None)

    def bytes_since_scn(self, scn: int) -> int:
        """Redo from a system change number to the end of redo."""
        number = bisect_left(self.batches, scn, key=lambda batch: batch.scn)
        return self.end_rba - self.batches[number].begin_rba if number < len(self.batches) else 0


#: Protected instance → its buddies, the first choice first.
BuddyMap = dict[int, tuple[int, ...]]


class Failure(NamedTuple):
    """Instances that failed together; without ``members``, it counts for every configuration."""

    failed: frozenset[int]
    members: frozenset[int] = frozenset()
    at: datetime | None = None
    #: Source and line of every message that says so.
    places: tuple[tuple[str, int], ...] = ()


def ring(members: Iterable[int], buddies: int = 1) -> BuddyMap:
    """The buddy map of a cluster: the preceding instances in a ring are the buddies.

    With one buddy, instance 1 protects 2, 2 protects 3, and the last protects 1 (Buddy Instance,
    figure 5). In a cluster of n instances, an instance has up to n - 1 buddies (section 5).
    """
    order = sorted(members)
    return {
        protected: tuple(order[place - step] for step in range(1, min(buddies, len(order) - 1) + 1))
        for place, protected in enumerate(order)
    }


def recommend(members: Iterable[int], buddies: int, failures: Collection[Failure]) -> BuddyMap:
    """The buddies that failed least often together with the instance that they protect.

    Failures of the same cluster configuration count first (Buddy Instance, section 5.2). Among
    buddies that are equally safe, the number of protected instances is balanced; what is still
    equal follows the ring.
    """
    order = sorted(members)
    most = min(buddies, len(order) - 1)
    safety = {
        one: {other: together(one, other, order, failures) for other in order if other != one}
        for one in order
    }
    load = dict.fromkeys(order, 0)
    chosen: dict[int, list[int]] = {instance: [] for instance in order}
    near = ring(order, len(order) - 1)
    for protected in order:
        for _ in range(most):
            others = [buddy for buddy in near[protected] if buddy not in chosen[protected]]
            best = min(others, key=lambda buddy: (safety[protected][buddy], load[buddy]))
            chosen[protected].append(best)
            load[best] += 1
    while _improve(chosen, load, safety):
        pass
    return {
        protected: tuple(
            sorted(buddies_of, key=lambda e: (safety[protected][e], near[protected].index(e)))
        )
        for protected, buddies_of in chosen.items()
    }


def together(
    one: int, other: int, members: Collection[int], failures: Iterable[Failure]
) -> tuple[int, int]:
    """How often two instances failed together: in this configuration, and in others."""
    both = [failure for failure in failures if one in failure.failed and other in failure.failed]
    same = sum(not failure.members or failure.members == set(members) for failure in both)
    return same, len(both) - same


def _improve(
    chosen: Mapping[int, list[int]], load: dict[int, int],
    safety: Mapping[int, Mapping[int, tuple[int, int]]],
) -> bool:  # fmt: skip
    """Moves protected instances between equally safe buddies if that balances the load."""
    for start in sorted(load, key=lambda buddy: -load[buddy]):
        for path in _paths(start, chosen, safety):
            end = path[-1][2]
            if load[end] < load[start] - 1:
                for protected, old, new in path:
                    chosen[protected][chosen[protected].index(old)] = new
                load[start] -= 1
                load[end] += 1
                return True
    return False


def _paths(
    start: int,
    chosen: Mapping[int, list[int]],
    safety: Mapping[int, Mapping[int, tuple[int, int]]],
) -> Iterator[list[tuple[int, int, int]]]:
    """Chains of moves that begin at a buddy: protected instance, its buddy, its new buddy."""
    seen = {start}
    waiting: deque[tuple[int, list[tuple[int, int, int]]]] = deque([(start, [])])
    while waiting:
        buddy, path = waiting.popleft()
        for protected, own in chosen.items():
            if buddy not in own or any(protected == move[0] for move in path):
                continue
            equal = safety[protected][buddy]
            for new, value in safety[protected].items():
                if new in seen or new in own or value != equal:
                    continue
                seen.add(new)
                longer = [*path, (protected, buddy, new)]
                yield longer
                waiting.append((new, longer))


def recovery_instance(
    failed: Collection[int], survivors: Collection[int], holders: Mapping[int, Collection[int]]
) -> int | None:
    """The first survivor with the recovery sets of most failed instances, which ``holders`` have.

    # Buddy Instance, section 5.3
    """
    return max(
        sorted(survivors),
        key=lambda survivor: sum(survivor in holders.get(instance, ()) for instance in failed),
        default=None,
    )


#: Size of a read buffer of the buddy. # Buddy Instance, section 4
BUFFER_BYTES: Final = 4 * 2**20
#: How often the buddy scans the redo log. # Buddy Instance, section 4: "approximately"
INTERVAL_S: Final = 3.0
#: Default of _buddy_instance_scan_phase_threshold. # Buddy Instance, section 4
THRESHOLD_S: Final = 3.0


class Scan(NamedTuple):
    """How a buddy reads: nothing while the first pass would take less than ``threshold_s``.

    It reads ``num_read_buffers`` buffers per interval. None is adaptive: all redo generated since
    the last read, as far as it can be read in the interval, so that it follows the redo rate.
    """

    threshold_s: float = THRESHOLD_S
    num_read_buffers: int | None = None


class RecoverySet:
    """Blocks with the RBA of their last change, from ``start_rba`` to ``scanned_rba``."""

    def __init__(self, start_rba: int) -> None:
        self.start_rba = start_rba
        self.scanned_rba = start_rba
        self.last_rba: dict[int, int] = {}
        #: Changes of every scanned batch, so that pruning does not have to visit all blocks.
        self._changes: deque[tuple[int, Sequence[int]]] = deque()

    def scan(self, thread: Thread, most_bytes: float | None = None) -> int:
        """Continue reading whole batches, to the end of redo or the limit; bytes read."""
        read = 0
        for batch in thread.since(self.scanned_rba):
            size = batch.end_rba - batch.begin_rba
            if most_bytes is not None and read + size > most_bytes:
                break
            self.last_rba.update(dict.fromkeys(batch.changed, batch.begin_rba))
            self._changes.append((batch.begin_rba, batch.changed))
            for block in batch.written:  # Block Written Records
                self.last_rba.pop(block, None)
            self.scanned_rba = batch.end_rba
            read += size
        return read

    def prune(self, start_rba: int) -> None:
        """Advance with the checkpoint: drop blocks that last changed before it."""
        if start_rba <= self.start_rba:
            return
        self.start_rba = start_rba
        # redo before the checkpoint need not be scanned any more
        self.scanned_rba = max(self.scanned_rba, start_rba)
        while self._changes and self._changes[0][0] < start_rba:
            rba, blocks = self._changes.popleft()
            for block in blocks:
                if self.last_rba.get(block) == rba:
                    del self.last_rba[block]


def first_pass(thread: Thread) -> RecoverySet:
    """A new recovery set, from the checkpoint to the end of redo."""
    recovery_set = RecoverySet(thread.checkpoint_rba)
    recovery_set.scan(thread)
    return recovery_set


def merged(sets: Mapping[int, RecoverySet], current: Mapping[int, int]) -> set[int]:
    """The blocks to recover of several failed instances (Buddy Instance, section 5.3, step 4).

    ``current``: who changed a block last; what a survivor has is in its cache or on disk.
    """
    return {
        block
        for number, own in sets.items()
        for block in own.last_rba
        if current.get(block, number) == number
    }


class Scanner:
    """A buddy's server process, which maintains the recovery set of one protected instance."""

    def __init__(self, thread: Thread, scan: Scan, scan_bytes_per_s: float) -> None:
        self.thread = thread
        self.recovery_set = RecoverySet(thread.checkpoint_rba)
        self._scan = scan
        self._rate = scan_bytes_per_s
        #: What the process may still read in this interval, and what of it the disk has delivered.
        self._allowed_bytes = 0.0
        self._ready_bytes = 0.0

    @property
    def backlog_bytes(self) -> int:
        """Redo that the first pass would still have to read."""
        return self.thread.end_rba - max(self.recovery_set.scanned_rba, self.thread.checkpoint_rba)

    def first_pass_s(self) -> float:
        """How long the first pass would take if the instance failed now."""
        return self.backlog_bytes / self._rate

    def look(self) -> None:
        """Once per interval: decide how much to read until the next one."""
        self.recovery_set.prune(self.thread.checkpoint_rba)
        if self.first_pass_s() < self._scan.threshold_s:
            self._allowed_bytes = self._ready_bytes = 0.0
            return
        allowed = self._rate * INTERVAL_S
        if self._scan.num_read_buffers is not None:
            allowed = min(allowed, self._scan.num_read_buffers * BUFFER_BYTES)
        # a batch is read as a whole: unused buffers carry over to the next interval
        self._allowed_bytes += allowed

    def read(self, seconds: float) -> int:
        """Read for some seconds, no faster than the first pass does; bytes read."""
        if not self._allowed_bytes:
            return 0
        self._ready_bytes = min(self._ready_bytes + self._rate * seconds, self._allowed_bytes)
        read = self.recovery_set.scan(self.thread, self._ready_bytes)
        self._allowed_bytes -= read
        self._ready_bytes -= read
        if not self.backlog_bytes:
            self._allowed_bytes = self._ready_bytes = 0.0
        return read

    def hand_over(self) -> RecoverySet:
        """The set at a failure: pruned to the checkpoint, scanned to the end of redo."""
        self.recovery_set.prune(self.thread.checkpoint_rba)
        self.recovery_set.scan(self.thread)
        return self.recovery_set


#: How long a cluster takes to detect that a node has failed: the default of the CSS misscount.
#: # Oracle Clusterware Administration and Deployment Guide 12.1, "crsctl get css": misscount 30
DETECTION_S: Final = 30.0
DETECTION_SOURCE: Final = (
    'Oracle Clusterware Administration and Deployment Guide 12.1, "crsctl get css": misscount is '
    "30 s by default"
)
#: From `Reconfiguration started` to `Post SMON to start 1st pass IR` in an alert log. No cited
#: document has it: an assumption.
RECONFIGURATION_S: Final = 3.0
RECONFIGURATION_SOURCE: Final = (
    "awrlens: an assumption; an alert log has it, from `Reconfiguration started` to `Post SMON to "
    "start 1st pass IR`"
)


class At(NamedTuple):
    """An event of an instance at a time."""

    instance: int
    at_s: float


class Setup(NamedTuple):
    """The setup of a run; buddies are recommended from ``failures_before``."""

    load: Load
    rates: Rates
    mttr_s: float
    duration_s: float
    instances: int = 2
    buddies: int = 1
    fail: tuple[At, ...] = ()
    join: tuple[At, ...] = ()
    scan: Scan = Scan()
    seed: int = 1
    sample_s: float = 10.0
    failures_before: tuple[Failure, ...] = ()
    #: Both are 0 in the published experiments, which end an instance on a running node.
    detection_s: float = 0.0
    reconfiguration_s: float = 0.0
    #: Rest of the reconfiguration, which runs at the same time as the first pass.
    #: # Buddy Instance, section 3.2
    rebuild_s: float = 0.0


def joins_later(number: int, setup: Setup) -> bool:
    """Whether the first event of an instance is that it joins."""
    joins = [event.at_s for event in setup.join if event.instance == number]
    fails = [event.at_s for event in setup.fail if event.instance == number]
    return bool(joins) and min(joins) <= min(fails, default=min(joins))


def check(setup: Setup) -> None:
    """UsageError if the setup is invalid."""
    for event in (*setup.fail, *setup.join):
        if not 1 <= event.instance <= setup.instances:
            raise UsageError(
                f"Instance {event.instance} does not exist.",
                hint=f"The cluster has instances 1 to {setup.instances} (--instances).",
            )
        if not 0 <= event.at_s <= setup.duration_s:
            raise UsageError(
                f"{event.at_s:g} s is outside the simulation (0 to {setup.duration_s:g} s).",
                hint="Increase --minutes.",
            )
