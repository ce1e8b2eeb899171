"""A simulated instance: its load by tick, its buffer cache, and the loads of the cited papers.

Assumptions are stated if a paper does not have a value. ``docs/simulation.md`` shows the fit.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter, OrderedDict
from itertools import pairwise
from math import exp, sqrt
from operator import itemgetter
from typing import TYPE_CHECKING, Final

from awrlens.advice.load_model import Kind, Load, Preset
from awrlens.advice.recovery_split import USUAL_RATES, Rates
from awrlens.advice.write_model import by_log_size, lowest_target_s
from awrlens.lazy import NamedTuple
from awrlens.oracle.checkpoints import LEAST_DIRTY_BLOCKS, MB
from awrlens.policy import cite

if TYPE_CHECKING:
    from collections.abc import Container, Iterable
    from random import Random

#: Number of kinds for a load with Zipf's law: ranges of rank with the same ratio of end to begin.
_KINDS: Final = 6
#: Blocks that only one instance changes have numbers from here on, times its number.
OWN: Final = 2**40


def zipf(blocks: float, exponent: float, changes_per_s: float) -> tuple[Kind, ...]:
    """Kinds of a load in which the block of rank r changes in proportion to r^-exponent."""
    edges = [blocks ** (n / _KINDS) for n in range(_KINDS + 1)]
    edges[0] = 0.0
    spans = list(pairwise(edges))
    weights = [(b - a, sqrt(max(a, 1.0) * b) ** -exponent) for a, b in spans]
    whole = sum(n * weight for n, weight in weights)
    return tuple(Kind(round(n), weight * changes_per_s / whole) for n, weight in weights)


class Source:
    """Blocks changed per tick: their number is the expected one, the choice is random."""

    def __init__(self, load: Load, random: Random, number: int = 1) -> None:
        self._random = random
        self._kinds: list[tuple[range, float]] = []
        #: The first block of every range, and the changes per second of one of its blocks.
        self._rates: list[tuple[int, float]] = []
        first = own = number * OWN
        for blocks, changes_per_s in load.kinds:
            expected = 1 - exp(-changes_per_s * load.tick_s)
            common = round(blocks * load.shared)
            for begin, size in ((first - own, common), (first + common, blocks - common)):
                if size:
                    self._kinds.append((range(begin, begin + size), size * expected))
                    self._rates.append((begin, changes_per_s))
            first += blocks
        self._rates = sorted([*self._rates, (first, 0.0)])
        self._rest = [random.random() for _ in self._kinds]
        self._new = float(first)
        self._new_per_tick = load.new_blocks_per_s * load.tick_s

    def changes_per_s(self, blocks: Iterable[int]) -> float:
        """Changes per second of this load to blocks; a block that changes only once has none."""
        counted = Counter(bisect_right(self._rates, block, key=itemgetter(0)) for block in blocks)
        return sum(self._rates[place - 1][1] * count for place, count in counted.items() if place)

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


class Limits(NamedTuple):
    """The limits of DBWR: seconds of recovery, bytes of redo, dirty buffers, blocks per second.

    ``recovery_s`` is None if fast-start checkpointing is off, ``writes_per_s`` without a limit.
    """

    recovery_s: float | None
    redo_bytes: float
    dirty_blocks: int
    writes_per_s: float | None


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
        """Blocks that DBWR writes from the head of the queue; those ``held`` for recovery stay."""
        written: list[int] = []
        for block, low_rba in self.queue.items():
            dirty = len(self.queue) - len(written)
            lag_bytes = end_rba - low_rba
            due = lag_bytes > kept.redo_bytes or dirty > kept.dirty_blocks
            if not due and kept.recovery_s is not None and dirty > LEAST_DIRTY_BLOCKS:
                due = rates.estimate_s(lag_bytes, dirty) > kept.recovery_s
            if not due or (most is not None and len(written) >= most):
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


_GB: Final = 2**30
#: Table 1 has no redo rate; only the seconds of redo per redo log and per recovery matter.
_TABLE_1_REDO: Final = float(MB)

TPCC: Final = Preset(
    "TPC-C load",
    cite("Buddy Instance, section 6.2.2"),
    Load(
        # 11.5 GB in 27 minutes, as if no checkpoint had advanced in that time: the redo logs are
        # assumed to be that large, because the paper has neither
        redo_bytes_per_s=11.5 * _GB / (27 * 60),
        kinds=(Kind(500, 1.0), Kind(20_000, 0.02), Kind(400_000, 0.001)),
        new_blocks_per_s=150,
        cache_blocks=64 * _GB // 8192,
        log_bytes=4 * _GB,
        log_groups=4,
    ),
    USUAL_RATES,
    mttr_s=0,
    minutes=27,
    note="The paper ran it for 27 minutes without FAST_START_MTTR_TARGET, and has the amount of "
    "redo and the time. The number of changed blocks, the redo "
    "logs and the buffer cache are assumed. Both passes are calculated only from redo.",
)

CUSTOMER: Final = Preset(
    "Commercial load",
    cite("Buddy Instance, section 6.2.3"),
    Load(
        redo_bytes_per_s=20 * MB,
        kinds=(Kind(1_000, 1.0), Kind(20_000, 0.05), Kind(200_000, 0.002)),
        new_blocks_per_s=400,
        cache_blocks=32 * _GB // 8192,
        log_bytes=4 * _GB,
        log_groups=4,
    ),
    # the target of 100 s minus the resulting 48 s of cache recovery is 52 s
    USUAL_RATES._replace(fixed_s=52),
    mttr_s=100,
    minutes=10,
    note="The paper set FAST_START_MTTR_TARGET=100. Start-up and opening of the files are this "
    "target minus the measured recovery. The redo rate and the blocks are assumed.",
    database_bytes=200 * _GB,
)

#: Seven numbers, fitted to recovery time, estimate and writes of the rows off, 900, 240, 120 and
#: 30 of table 1; the rows 300, 180 and 90 were not used (docs/simulation.md).
OLTP: Final = Preset(
    "High-volume OLTP load",
    cite("Fast-Start Checkpointing Best Practices, table 1"),
    Load(
        redo_bytes_per_s=_TABLE_1_REDO,
        kinds=zipf(1_024_200, 0.9707, 1588.7),
        cache_blocks=500_000,
        log_bytes=_TABLE_1_REDO * 100 / 0.9,
        log_groups=7,
        tick_s=0.25,
    ),
    Rates(
        # both passes take 0.8667 s per second of redo; table 1 has only the sum, so the shares are
        # those of Buddy Instance, section 6.2.3
        scan_bytes_per_s=_TABLE_1_REDO / (0.8667 * 20 / 48),
        apply_bytes_per_s=_TABLE_1_REDO / (0.8667 * 28 / 48),
        fixed_s=66.2,
        overhead_s=58.5,
        estimate_bytes_per_s=_TABLE_1_REDO / 0.1346,
        estimate_block_s=0.004684,
    ),
    mttr_s=120,
    minutes=10,
    note="Seven numbers are fitted to five of the eight rows of the table. 58.5 s of a recovery is "
    "constant. It is not counted as brown-out, because the table does not show when it occurs. "
    "The release in the table had no buddies: compare the column without buddies with the table.",
)

PRESETS: Final = {"tpcc": TPCC, "customer": CUSTOMER, "oltp": OLTP}
