"""Recovery targets from the strictest to none: writes, recovery time, and whether DBWR can keep up.

This is the steady state of the simulated checkpoint queue: a block is written at an age after it
became dirty, and the limits of the queue decide at which. V$MTTR_TARGET_ADVICE is the same
calculation with Oracle's own queues. ``docs/simulation.md`` has the error of both.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING, Final

from awrlens.records import NamedTuple
from awrlens.simulate import cache
from awrlens.simulate.load import least

if TYPE_CHECKING:
    from collections.abc import Iterable

    from awrlens.model.mttr_document import LimitName
    from awrlens.simulate.load import Load, Rates

#: A time of the model that differs from that of the report by a larger factor has no parts: they
#: would be those of another recovery.
_FITS: Final = 2.0

#: What limits the age of dirty blocks, as `State.limit` names it.
TARGET: Final = "target"
LEAST_BLOCKS: Final = "1,000 blocks"
LOG_SIZE: Final = "log size"
TIMEOUT: Final = "timeout"
INTERVAL: Final = "interval"
CACHE: Final = "buffer cache"
PRESENT: Final = "present lag"
DBWR: Final = "DBWR"


class System(NamedTuple):
    """A load, its rates, and what limits its checkpoint; None does not.

    ``tuned_s``: dirty blocks are at most as old as this, as at the end snapshot.
    ``seen_s``: how old they were at the end snapshot; so no other limit keeps them younger.
    ``known``: redo and the estimated cache recovery of the report's snapshots, in ascending order.
    """

    load: Load
    rates: Rates
    timeout_s: float | None = None
    interval_bytes: float | None = None
    tuned_s: float | None = None
    known: tuple[tuple[float, float], ...] = ()
    seen_s: float = 0.0

    def modelled_s(self, age_s: float) -> float:
        """Estimated cache recovery of the model, if blocks are written at an age."""
        dirty = self.load.block_writes_per_s(age_s) * age_s
        return self.rates.estimate_s(age_s * self.load.redo_bytes_per_s, dirty)

    def cache_s(self, age_s: float) -> float:
        """Estimated cache recovery: that of the report's snapshots, between and beyond them.

        Beyond them, it is that of the model in proportion to the nearest snapshot.
        """
        redo_bytes = age_s * self.load.redo_bytes_per_s
        at = [bytes_ for bytes_, _ in self.known]
        place = bisect_right(at, redo_bytes)
        if 0 < place < len(at):
            (low, begin_s), (high, end_s) = self.known[place - 1 : place + 1]
            return begin_s + (end_s - begin_s) * (redo_bytes - low) / (high - low)
        if not at:
            return self.modelled_s(age_s)
        nearest, seconds = self.known[max(0, place - 1)]
        return (
            seconds * self.modelled_s(age_s) / self.modelled_s(nearest / self.load.redo_bytes_per_s)
        )


class State(NamedTuple):
    """The steady state with a target; 0: none is set.

    ``in_force_s`` is the target that Oracle uses; ``writes_per_s`` is what it needs, ``busy`` the
    share of DBWR's capacity that this takes (None: not known). ``recovery_s`` is what is kept.
    """

    target_s: float
    in_force_s: float
    age_s: float
    dirty_blocks: float
    redo_bytes: float
    writes_per_s: float
    recovery_s: float
    redo_read_s: float
    blocks_s: float
    limit: LimitName
    busy: float | None
    #: Share of the throughput that is left: 1, unless DBWR cannot write what the redo logs require.
    throughput: float
    #: Whether its parts (redo read, blocks) and dirty blocks fit the estimates of the report.
    fits: bool = True


def sweep(system: System, targets: Iterable[float]) -> tuple[State, ...]:
    """The steady state for every target."""
    return tuple(at(system, target_s) for target_s in targets)


def at(system: System, target_s: float) -> State:
    """The steady state for one target."""
    lowest = cache.lowest_target_s(system.load, system.rates)
    in_force = max(target_s, lowest) if target_s else 0.0
    ages = limits(system, in_force)
    limit = min(ages, key=ages.__getitem__)
    return of_age(system, target_s, in_force, ages[limit], limit)


def of_age(
    system: System, target_s: float, in_force: float, age_s: float, limit: LimitName
) -> State:
    """The steady state if blocks are written at an age, or later if DBWR cannot keep up."""
    load, rates = system.load, system.rates
    if limit == TARGET and in_force > target_s:
        limit = LEAST_BLOCKS
    needed = load.block_writes_per_s(age_s)
    capacity = rates.writes_per_s
    throughput = 1.0
    kept_s = age_s
    if capacity is not None and needed > capacity:
        slower_s = least(lambda age: load.block_writes_per_s(age) <= capacity)
        most_s = by_log_size_s(load)
        kept_s, limit = min(slower_s, most_s), DBWR
        if slower_s > most_s:  # sessions wait for the checkpoints of the redo logs
            throughput = capacity / load.block_writes_per_s(most_s)
    dirty = load.block_writes_per_s(kept_s) * kept_s
    redo_bytes = kept_s * load.redo_bytes_per_s
    cache_s, modelled_s = system.cache_s(kept_s), system.modelled_s(kept_s)
    read_s = min(rates.first_pass_s(redo_bytes), cache_s)
    both = rates.fixed_s + cache_s, rates.fixed_s + modelled_s
    return State(
        target_s, in_force, kept_s, dirty, redo_bytes, needed, rates.fixed_s + cache_s, read_s,
        cache_s - read_s, limit, None if not capacity else needed / capacity, throughput,
        max(both) <= _FITS * min(both),
    )  # fmt: skip


def factor(system: System, present: float, state: State) -> float:
    """Writes in a state compared with ``present`` ones.

    What the checkpoint queue does not explain, such as direct writes before 10g, stays the same.
    """
    lag_s = (system.load.lag_bytes or 0.0) / system.load.redo_bytes_per_s
    return 1 + (state.writes_per_s - system.load.block_writes_per_s(lag_s)) / present


def ratio(system: System, target_s: float, other_s: float) -> float:
    """Writes that one target needs, compared with another."""
    return at(system, target_s).writes_per_s / at(system, other_s).writes_per_s


def limits(system: System, in_force_s: float) -> dict[LimitName, float]:
    """The age of the oldest dirty block by every limit; 0: no target is set."""
    load, rates = system.load, system.rates

    found: dict[LimitName, float] = {}
    if system.tuned_s is not None:
        found[PRESENT] = system.tuned_s
    elif not in_force_s and load.lag_bytes is not None:
        found[PRESENT] = min(
            load.lag_bytes / load.redo_bytes_per_s, max(by_log_size_s(load), system.seen_s)
        )
    found[CACHE] = load.age_s(load.cache_blocks)
    if in_force_s:
        found[TARGET] = least(lambda age_s: rates.fixed_s + system.cache_s(age_s) > in_force_s)
        found[LOG_SIZE] = max(by_log_size_s(load), system.seen_s)
    elif load.lag_bytes is None:
        found[LOG_SIZE] = (load.log_groups - 1) * load.log_bytes / load.redo_bytes_per_s
    if system.timeout_s:
        found[TIMEOUT] = max(system.timeout_s, system.seen_s)
    if system.interval_bytes:
        found[INTERVAL] = max(system.interval_bytes / load.redo_bytes_per_s, system.seen_s)
    return found


def by_log_size_s(load: Load) -> float:
    """Seconds of redo that the size of the redo logs allows after the checkpoint."""
    return cache.by_log_size(load) / load.redo_bytes_per_s
