"""The load of an instance: redo, and how often which blocks change; and the system's rates.

Blocks are grouped into kinds with about the same rate of change. So a busy index root and a row
read once a month are both modeled without a random number per change.
"""

from __future__ import annotations

from bisect import bisect_right
from itertools import pairwise
from math import log10
from typing import TYPE_CHECKING, Final

from awrlens.lazy import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from awrlens.advice.recovery_split import Rates, Split


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
        return self.new_blocks_per_s + sum(n * rate for n, rate in self.kinds)

    def block_writes_per_s(self, age_s: float) -> float:
        """Writes per second if a block is written at this age after it became dirty.

        A block is clean for 1/λ on average and dirty for the age, so it is written once per sum.
        """
        return self.new_blocks_per_s + sum(n * rate / (1 + rate * age_s) for n, rate in self.kinds)

    def age_s(self, dirty_blocks: float) -> float:
        """The age with this number of dirty blocks: writes per second × age (Little's law)."""
        return least(lambda age: self.block_writes_per_s(age) * age > dirty_blocks)


class Curve:
    """Straight lines between points; outside them, the value of the nearest end."""

    def __init__(self, points: Iterable[tuple[float, float]]) -> None:
        """Sort the points by their first coordinate; ValueError if two have the same one."""
        self.points = tuple(sorted(points))
        self._xs = [x for x, _ in self.points]
        if not self.points or len(set(self._xs)) < len(self._xs):
            raise ValueError("a curve needs points with different first coordinates")

    def at(self, x: float) -> float:
        """The curve's value."""
        place = bisect_right(self._xs, x)
        (x0, y0), (x1, y1) = (
            self.points[min(max(n, 0), len(self._xs) - 1)] for n in (place - 1, place)
        )
        return y0 if x0 == x1 else y0 + (y1 - y0) * (x - x0) / (x1 - x0)


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
        load = _below(10**top, writes_per_s, age_s, exponent)
        enough = changes_per_s is not None and _changes(load) > changes_per_s
        if enough or load[0][-1][0] < 1:
            high = top
        else:
            low = top
    kinds, new = _below(10**low, writes_per_s, age_s, exponent)
    whole = [Kind(max(1, round(n)), n * rate / max(1, round(n))) for n, rate in kinds]
    rest = 0.0 if changes_per_s is None else changes_per_s - _changes((whole, new))
    hot = [Kind(1, rest)] if rest > 0 else []
    return (*hot, *reversed(whole)), new


def _changes(load: tuple[list[Kind] | list[tuple[float, float]], float]) -> float:
    return load[1] + sum(n * rate for n, rate in load[0])


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
    share = writes_per_s / (new + sum(n * rate / (1 + rate * age_s) for n, rate in kinds))
    return [(n * share, rate) for n, rate in kinds], new * share


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
    #: The recovery time of a report, split.
    split: Split | None = None
