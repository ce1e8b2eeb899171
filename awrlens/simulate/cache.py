"""The buffer cache of one instance: its checkpoint queue, and the writes of DBWR."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Final

from awrlens.logsize import SMALLEST
from awrlens.records import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Container, Iterable

    from awrlens.simulate.load import Load, Rates

#: Oracle does not aim at fewer dirty blocks.
#: # Fast-Start Checkpointing Best Practices, "Lower Bound on MTTR"
LEAST_DIRTY_BLOCKS: Final = 1000
#: Why the checkpoint may lag by more than one redo log if fast-start checkpointing is off.
OFF: Final = (
    "With fast-start checkpointing off, the checkpoint of a log switch completes when that redo "
    "log is reused. The limit of 90 % of the smallest redo log does not apply: in Fast-Start "
    "Checkpointing Best Practices, table 1, the estimate is 360 s with that limit or the read "
    "time, and 1,270 s without fast-start checkpointing."
)


class Limits(NamedTuple):
    """The limits of DBWR: seconds of recovery, bytes of redo, dirty buffers, blocks per second.

    ``recovery_s`` is None if fast-start checkpointing is off, ``writes_per_s`` without a limit.
    """

    recovery_s: float | None
    redo_bytes: float
    dirty_blocks: int
    writes_per_s: float | None


def lowest_target_s(load: Load, rates: Rates) -> float:
    """The lowest achievable FAST_START_MTTR_TARGET.

    Start-up, opening of the files and recovery of the minimum number of dirty blocks, with the redo
    that is generated until this number is reached.
    # Fast-Start Checkpointing Best Practices, "Lower Bound on MTTR"
    """
    age_s = load.age_s(LEAST_DIRTY_BLOCKS)
    return rates.fixed_s + rates.estimate_s(age_s * load.redo_bytes_per_s, LEAST_DIRTY_BLOCKS)


def by_log_size(load: Load) -> float:
    """Maximum redo after the checkpoint, by redo log size."""
    return load.limit_bytes or SMALLEST.share * load.log_bytes


def limits(load: Load, rates: Rates, mttr_s: float) -> Limits:
    """The limits for a target; 0 turns fast-start checkpointing off."""
    most_bytes = by_log_size(load) if mttr_s else (load.log_groups - 1) * load.log_bytes
    if not mttr_s and load.lag_bytes is not None:
        most_bytes = min(load.lag_bytes, most_bytes)
    return Limits(
        recovery_s=max(mttr_s, lowest_target_s(load, rates)) - rates.fixed_s if mttr_s else None,
        redo_bytes=most_bytes,
        dirty_blocks=load.cache_blocks,
        writes_per_s=rates.writes_per_s,
    )


class Cache:
    """Dirty buffers in ascending order of their low RBA, the first change not on disk."""

    def __init__(self) -> None:
        self.queue: OrderedDict[int, int] = OrderedDict()

    def change(self, rba: int, blocks: Iterable[int]) -> None:
        """Link buffers that become dirty; dirty ones keep their low RBA and their position."""
        queue = self.queue
        for block in blocks:
            if block not in queue:
                queue[block] = rba

    def write(
        self, end_rba: int, kept: Limits, rates: Rates, most: int | None, held: Container[int] = ()
    ) -> list[int]:
        """Blocks that DBWR writes from the head of the queue until the limits are met.

        Blocks that are ``held`` for a recovery stay.
        """
        written: list[int] = []
        for block, low_rba in self.queue.items():
            dirty = len(self.queue) - len(written)
            enough = most is not None and len(written) >= most
            if enough or not self._due(end_rba - low_rba, dirty, kept, rates):
                break
                break
            if block not in held:
                written.append(block)
        self.drop(written)
        return written

    def drop(self, blocks: Iterable[int]) -> None:
        """Unlink buffers whose block is on disk."""
        for block in blocks:
            del self.queue[block]

    def checkpoint_rba(self, end_rba: int) -> int:
        """The instance checkpoint: the lowest low RBA (Buddy Instance, section 3.1.1)."""
        return next(iter(self.queue.values()), end_rba)

    @staticmethod
    def _due(lag_bytes: int, dirty: int, kept: Limits, rates: Rates) -> bool:
        if lag_bytes > kept.redo_bytes or dirty > kept.dirty_blocks:
            return True
        if kept.recovery_s is None or dirty <= LEAST_DIRTY_BLOCKS:
            return False
        return rates.estimate_s(lag_bytes, dirty) > kept.recovery_s
