"""The recovery set: blocks that changed after a checkpoint and were not written since.

The first pass of a recovery builds it from redo; a buddy builds it while the instance is running.
Source: Buddy Instance, sections 3.2, 4 and 4.1.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Final

from awrlens.records import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from awrlens.simulate.redo import Thread

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


def first_pass(thread: Thread, start_rba: int | None = None) -> RecoverySet:
    """A new recovery set, from the checkpoint to the end of redo."""
    found = RecoverySet(thread.checkpoint_rba if start_rba is None else start_rba)
    found.scan(thread)
    return found


def merged(found: Mapping[int, RecoverySet], current: Mapping[int, int]) -> set[int]:
    """The blocks to recover of several failed instances (Buddy Instance, section 5.3, step 4).

    ``found`` has the recovery set of every failed instance; ``current`` has the instance that
    changed a block last, for blocks that move between instances. Such a block is recovered if this
    instance failed and its redo has no Block Written Record after the change. If a survivor changed
    it last, it is in the survivor's cache or on disk.
    """
    return {
        block
        for number, each in found.items()
        for block in each.last_rba
        if current.get(block, number) == number
    }


class Scanner:
    """A buddy's server process, which maintains the recovery set of one protected instance."""

    def __init__(self, thread: Thread, scan: Scan, scan_bytes_per_s: float) -> None:
        self.thread = thread
        self.found = RecoverySet(thread.checkpoint_rba)
        self.read_bytes = 0
        self._scan = scan
        self._rate = scan_bytes_per_s
        #: What the process may still read in this interval, and what of it the disk has delivered.
        self._allowed_bytes = 0.0
        self._ready_bytes = 0.0

    @property
    def backlog_bytes(self) -> int:
        """Redo that the first pass would still have to read."""
        return self.thread.end_rba - max(self.found.scanned_rba, self.thread.checkpoint_rba)

    def first_pass_s(self) -> float:
        """How long the first pass would take if the instance failed now."""
        return self.backlog_bytes / self._rate

    def look(self) -> None:
        """Once per interval: decide how much to read until the next one."""
        self.found.prune(self.thread.checkpoint_rba)
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
        read = self.found.scan(self.thread, self._ready_bytes)
        self._allowed_bytes -= read
        self._ready_bytes -= read
        if not self.backlog_bytes:
            self._allowed_bytes = self._ready_bytes = 0.0
        self.read_bytes += read
        return read

    def hand_over(self) -> RecoverySet:
        """The set at a failure: pruned to the checkpoint, scanned to the end of redo."""
        self.found.prune(self.thread.checkpoint_rba)
        self.read_bytes += self.found.scan(self.thread)
        return self.found
