"""A redo thread: changes and writes of an instance, in the order of redo byte addresses.

Records are kept in batches, one per tick: the blocks changed in it, then its Block Written Records.
A block that changes several times within a tick has one entry. This does not affect the results:
checkpoint, pruning and recovery set use only the last change of a block and whether a change is
before or after a position, and every position is the begin of a batch.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from typing import TYPE_CHECKING

from awrlens.records import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


class Batch(NamedTuple):
    """Redo records from one redo byte address (RBA) to another.

    All changes have the batch's begin as their RBA and ``scn`` as their system change number; the
    Block Written Records of ``written`` come after them.
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
        self._begins: list[int] = []
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
    ) -> Batch:
        """The records of one tick; a batch has at least one byte, so that begins differ."""
        begin = self.end_rba
        batch = Batch(
            begin, begin + max(1, size_bytes), scn, array("Q", changed), array("Q", written)
        )
        self.batches.append(batch)
        self._begins.append(begin)
        return batch

    def number_at(self, rba: int) -> int:
        """Number of the first batch that begins at an RBA or after it."""
        return bisect_left(self._begins, rba)

    def since(self, rba: int) -> Sequence[Batch]:
        """Batches from an RBA to the end of redo."""
        return self.batches[self.number_at(rba) :]

    def checkpoint_scn(self) -> int | None:
        """System change number of the checkpoint; None if there is nothing to recover."""
        number = self.number_at(self.checkpoint_rba)
        return self.batches[number].scn if number < len(self.batches) else None

    def bytes_since_scn(self, scn: int) -> int:
        """Redo from a system change number to the end of redo."""
        number = bisect_left(self.batches, scn, key=lambda batch: batch.scn)
        return self.end_rba - self._begins[number] if number < len(self.batches) else 0
