"""What an instance does: redo, and which blocks it changes how often; how fast things are done.

Blocks fall into kinds that are changed about equally often, so that a busy index root and a row
read once a month are both there without one draw for every change.
"""

from __future__ import annotations

from itertools import pairwise
from math import exp, sqrt
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from random import Random

#: Kinds that a load with Zipf's law is cut into: factors of the rank, each as wide as the others.
_KINDS: Final = 6
#: Halvings after which a search has found its place to one part in 10^9.
_HALVINGS: Final = 60
_LONGEST_S: Final = 1e6


class Kind(NamedTuple):
    """So many blocks, each changed so many times a second."""

    blocks: int
    changes_per_s: float


class Rates(NamedTuple):
    """How fast a recovery and DBWR are, and how long a recovery is estimated to take.

    ``fixed_s`` is start-up of an instance and opening of the files. ``overhead_s`` is what recovery
    of an instance takes beside its passes. Oracle's own estimate may assume other speeds.
    """

    scan_bytes_per_s: float
    apply_bytes_per_s: float
    fixed_s: float
    overhead_s: float = 0.0
    block_s: float = 0.0
    estimate_bytes_per_s: float | None = None
    estimate_block_s: float | None = None
    writes_per_s: float = 50_000

    def estimate_s(self, redo_bytes: float, blocks: float) -> float:
        """Estimated cache recovery: redo to read, blocks to recover (document 1)."""
        speed = self.estimate_bytes_per_s
        per_block_s = self.block_s if self.estimate_block_s is None else self.estimate_block_s
        read_s = self.first_pass_s(redo_bytes) + redo_bytes / self.apply_bytes_per_s
        return (read_s if speed is None else redo_bytes / speed) + blocks * per_block_s

    def first_pass_s(self, redo_bytes: float) -> float:
        """Time to scan redo."""
        return redo_bytes / self.scan_bytes_per_s

    def second_pass_s(self, redo_bytes: float, blocks: int) -> float:
        """Time to apply redo to the blocks of a recovery set."""
        return redo_bytes / self.apply_bytes_per_s + blocks * self.block_s


class Load(NamedTuple):
    """What each instance does. Blocks are an instance's own: none moves between instances."""

    redo_bytes_per_s: float
    kinds: tuple[Kind, ...]
    cache_blocks: int
    log_bytes: float
    log_groups: int
    #: Redo that may lie behind the checkpoint by the size of the logs, where a report prints it;
    #: else what document 1 says of the smallest log.
    limit_bytes: float | None = None
    #: Blocks that are changed once and never again, such as those that rows are inserted into.
    new_blocks_per_s: float = 0.0
    tick_s: float = 1.0
    #: How far the checkpoint is behind without a target, where that is known: since 10.1 it tunes
    #: itself, by rules that no document tells.
    lag_bytes: float | None = None

    @property
    def changes_per_s(self) -> float:
        """Changes of blocks each second."""
        return self.new_blocks_per_s + sum(n * each for n, each in self.kinds)

    def block_writes_per_s(self, age_s: float) -> float:
        """Writes each second where a block is written at an age after it became dirty.

        It is clean for 1/λ on average and dirty for the age, so it is written once in their sum.
        """
        return self.new_blocks_per_s + sum(n * each / (1 + each * age_s) for n, each in self.kinds)

    def age_s(self, dirty_blocks: float) -> float:
        """The age at which so many blocks are dirty: writes a second times age (Little's law)."""
        low, high = 0.0, _LONGEST_S
        for _ in range(_HALVINGS):
            age = (low + high) / 2
            if self.block_writes_per_s(age) * age > dirty_blocks:
                high = age
            else:
                low = age
        return low


def zipf(blocks: float, exponent: float, changes_per_s: float) -> tuple[Kind, ...]:
    """Kinds of a load in which the block of rank r is changed as r to the power of -exponent."""
    edges = [blocks ** (n / _KINDS) for n in range(_KINDS + 1)]
    edges[0] = 0.0
    spans = list(pairwise(edges))
    weights = [(b - a, sqrt(max(a, 1.0) * b) ** -exponent) for a, b in spans]
    whole = sum(n * weight for n, weight in weights)
    return tuple(Kind(round(n), weight * changes_per_s / whole) for n, weight in weights)


class Source:
    """Blocks changed tick by tick: as many of each kind as expected, drawn by chance.

    Numbers of blocks do not scatter, which of them it is does; fractions are kept for later ticks.
    """

    def __init__(self, load: Load, random: Random) -> None:
        self._random = random
        self._kinds: list[tuple[range, float]] = []
        first = 0
        for blocks, changes_per_s in load.kinds:
            expected = blocks * (1 - exp(-changes_per_s * load.tick_s))
            self._kinds.append((range(first, first + blocks), expected))
            first += blocks
        self._rest = [random.random() for _ in self._kinds]
        self._new = float(first)
        self._new_per_tick = load.new_blocks_per_s * load.tick_s

    def tick(self) -> list[int]:
        """Distinct blocks that the next tick changes."""
        changed: list[int] = []
        for number, (blocks, expected) in enumerate(self._kinds):
            due = expected + self._rest[number]
            changed += self._random.sample(blocks, min(int(due), len(blocks)))
            self._rest[number] = due - int(due)
        begin = int(self._new)
        self._new += self._new_per_tick
        changed += range(begin, int(self._new))
        return changed
