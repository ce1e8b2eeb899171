"""The load of an instance: redo, and how often which blocks change; and the system's rates.

Blocks are grouped into kinds with about the same rate of change. So a busy index root and a row
read once a month are both modeled without a random number per change.

Loads of the cited papers, with the rates that reproduce their results.

Assumptions are stated if a paper does not have a value. ``docs/simulation.md`` shows the fit.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from itertools import pairwise
from math import exp, log10, sqrt
from operator import itemgetter
from typing import TYPE_CHECKING, Final

from awrlens.policy import cite
from awrlens.records import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from random import Random


#: Number of kinds for a load with Zipf's law: ranges of rank with the same ratio of end to begin.
_KINDS: Final = 6
#: Number of bisections for a precision of one part in 10^9.
_HALVINGS: Final = 60
_LONGEST_S: Final = 1e6
#: How the writes fall with the age at which blocks are written: in proportion to age^-0.2. In the
#: printed MTTR advisories of six databases, the median of the exponent is 0.18, and the rows of
#: table 1 from the target 90 to off have 0.20 (docs/simulation.md).
EXPONENT: Final = 0.2
#: Exponents of single databases are between these: hardly any block is changed again, or writes
#: are in inverse proportion to the dirty blocks.
LEAST_EXPONENT: Final = 0.02
MOST_EXPONENT: Final = 0.5
#: Blocks that change more rarely than this are not changed again while they are dirty.
_RAREST_PER_S: Final = 1e-7
_KINDS_PER_DECADE: Final = 2


class Kind(NamedTuple):
    """A number of blocks, and the changes per second of one block."""

    blocks: int
    changes_per_s: float


class Rates(NamedTuple):
    """Rates of recovery and DBWR, and the estimated time of recovery.

    ``fixed_s`` is start-up of an instance and opening of the files. ``overhead_s`` is the time of
    instance recovery in addition to its passes. Oracle's own estimate may assume other rates.
    """

    scan_bytes_per_s: float
    apply_bytes_per_s: float
    fixed_s: float
    overhead_s: float = 0.0
    block_s: float = 0.0
    estimate_bytes_per_s: float | None = None
    estimate_block_s: float | None = None
    #: Blocks per second that DBWR can write; None: not limited.
    writes_per_s: float | None = None

    def estimate_s(self, redo_bytes: float, blocks: float) -> float:
        """Estimated cache recovery (Fast-Start Checkpointing Best Practices): redo and blocks."""
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


#: Blocks that only one instance changes have numbers from here on, times its number.
OWN: Final = 2**40


class Load(NamedTuple):
    """The load of every instance."""

    redo_bytes_per_s: float
    kinds: tuple[Kind, ...]
    cache_blocks: int
    log_bytes: float
    log_groups: int
    #: Maximum redo after the checkpoint by redo log size, if it is in the report; otherwise the
    #: rule for the smallest redo log in Fast-Start Checkpointing Best Practices.
    limit_bytes: float | None = None
    #: Blocks that change only once, such as those that rows are inserted into.
    new_blocks_per_s: float = 0.0
    block_bytes: int = 8192
    tick_s: float = 1.0
    #: Redo after the checkpoint without a target, if known: since 10.1, automatic checkpoint tuning
    #: follows rules that are not documented.
    lag_bytes: float | None = None
    #: Share of the blocks of every kind that all instances change: they move between instances by
    #: Cache Fusion. The others are changed by one instance only.
    shared: float = 0.0

    @property
    def changes_per_s(self) -> float:
        """Block changes per second."""
        return self.new_blocks_per_s + sum(n * each for n, each in self.kinds)

    def block_writes_per_s(self, age_s: float) -> float:
        """Writes per second if a block is written at this age after it became dirty.

        A block is clean for 1/λ on average and dirty for the age, so it is written once per sum.
        """
        return self.new_blocks_per_s + sum(n * each / (1 + each * age_s) for n, each in self.kinds)

    def age_s(self, dirty_blocks: float) -> float:
        """The age with this number of dirty blocks: writes per second × age (Little's law)."""
        return least(lambda age: self.block_writes_per_s(age) * age > dirty_blocks)


def least(reached: Callable[[float], bool]) -> float:
    """The age from which on a condition is true; the longest age if it never is."""
    low, high = 0.0, _LONGEST_S
    for _ in range(_HALVINGS):
        age = (low + high) / 2
        if reached(age):
            high = age
        else:
            low = age
    return low


def zipf(blocks: float, exponent: float, changes_per_s: float) -> tuple[Kind, ...]:
    """Kinds of a load in which the block of rank r changes in proportion to r^-exponent."""
    edges = [blocks ** (n / _KINDS) for n in range(_KINDS + 1)]
    edges[0] = 0.0
    spans = list(pairwise(edges))
    weights = [(b - a, sqrt(max(a, 1.0) * b) ** -exponent) for a, b in spans]
    whole = sum(n * weight for n, weight in weights)
    return tuple(Kind(round(n), weight * changes_per_s / whole) for n, weight in weights)


def power_law(
    writes_per_s: float, age_s: float, changes_per_s: float | None, exponent: float = EXPONENT
) -> tuple[tuple[Kind, ...], float]:
    """Kinds of blocks and new blocks per second of a load with given writes and changes.

    Written at an age, the load needs ``writes_per_s``; written at another age, in proportion to
    age^-exponent. So the number of blocks by their rate of change is rate^(exponent - 2). Blocks
    that change very often add changes, but hardly any write.
    """
    if changes_per_s is not None and changes_per_s <= writes_per_s:
        return (), writes_per_s
    low, high = log10(_RAREST_PER_S) + 1, 6.0
    for _ in range(_HALVINGS):
        top = (low + high) / 2
        found = _below(10**top, writes_per_s, age_s, exponent)
        enough = changes_per_s is not None and _changes(found) > changes_per_s
        if enough or found[0][-1][0] < 1:
            high = top
        else:
            low = top
    kinds, new = _below(10**low, writes_per_s, age_s, exponent)
    whole = [Kind(max(1, round(n)), n * each / max(1, round(n))) for n, each in kinds]
    rest = 0.0 if changes_per_s is None else changes_per_s - _changes((whole, new))
    hot = [Kind(1, rest)] if rest > 0 else []
    return (*hot, *reversed(whole)), new


def _changes(found: tuple[list[Kind] | list[tuple[float, float]], float]) -> float:
    return found[1] + sum(n * each for n, each in found[0])


def _below(
    top: float, writes_per_s: float, age_s: float, exponent: float
) -> tuple[list[tuple[float, float]], float]:
    """Blocks and rates up to a highest rate, and new blocks, that have these writes at an age."""
    steps = max(1, round((log10(top) - log10(_RAREST_PER_S)) * _KINDS_PER_DECADE))
    ratio = (top / _RAREST_PER_S) ** (1 / steps)
    edges = [_RAREST_PER_S * ratio**n for n in range(steps + 1)]
    kinds = []
    for a, b in pairwise(edges):
        changes = (b**exponent - a**exponent) / exponent
        blocks = (a ** (exponent - 1) - b ** (exponent - 1)) / (1 - exponent)
        kinds.append((blocks, changes / blocks))
    new = _RAREST_PER_S**exponent / exponent
    share = writes_per_s / (new + sum(n * each / (1 + each * age_s) for n, each in kinds))
    return [(n * share, each) for n, each in kinds], new * share


class Source:
    """Blocks changed per tick: the expected number of every kind, randomly drawn.

    Only the choice of blocks is random, not their number; fractions are kept for later ticks.
    """

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


_MB: Final = 2**20
_GB: Final = 2**30

# Buddy Instance, section 6.2: the first pass took 130 s for 11.5 GB and 20 s for 1.5 GB on the same
# machine, 90.6 and 76.8 MB/s. The rate used for both is their geometric mean, so that the error is
# about the same: 8.6 % too slow and 7.9 % too fast. A constant of 3.5 s and 93 MB/s would fit both,
# but then no first pass could take 1 s.
_SCAN: Final = 83.4 * _MB
# Buddy Instance, section 6.2.3: the second pass took 48 - 20 = 28 s without a buddy and 29 - 3 = 26
# s with one, for "a similar amount of redo"; 1.5 GB in 27 s.
_APPLY: Final = 1536 / 27 * _MB
#: Table 1 has no redo rate; only the seconds of redo per redo log and per recovery matter.
_TABLE_1_REDO: Final = float(_MB)


class Preset(NamedTuple):
    """A load, the rates of its system, its recovery target and its duration."""

    title: str
    source: str
    load: Load
    rates: Rates
    mttr_s: float
    minutes: float
    note: str = ""
    #: Size of the database, if the source has it.
    database_bytes: float | None = None


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
    Rates(scan_bytes_per_s=_SCAN, apply_bytes_per_s=_APPLY, fixed_s=60),
    mttr_s=0,
    minutes=27,
    note="The paper ran it for 27 minutes without FAST_START_MTTR_TARGET, and has the amount of "
    "redo and the time. The number of changed blocks, the redo "
    "logs and the buffer cache are assumed. Both passes are calculated only from redo.",
)  # fmt: skip

CUSTOMER: Final = Preset(
    "Commercial load",
    cite("Buddy Instance, section 6.2.3"),
    Load(
        redo_bytes_per_s=20 * _MB,
        kinds=(Kind(1_000, 1.0), Kind(20_000, 0.05), Kind(200_000, 0.002)),
        new_blocks_per_s=400,
        cache_blocks=32 * _GB // 8192,
        log_bytes=4 * _GB,
        log_groups=4,
    ),
    # the target of 100 s minus the resulting 48 s of cache recovery is 52 s
    Rates(scan_bytes_per_s=_SCAN, apply_bytes_per_s=_APPLY, fixed_s=52),
    mttr_s=100,
    minutes=10,
    note="The paper set FAST_START_MTTR_TARGET=100. Start-up and opening of the files are this "
    "target minus the measured recovery. The redo rate and the blocks are assumed.",
    database_bytes=200 * _GB,
)  # fmt: skip

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
)  # fmt: skip

PRESETS: Final = {"tpcc": TPCC, "customer": CUSTOMER, "oltp": OLTP}
