"""Recovery targets from the strictest to none: writes, recovery time, and whether DBWR can keep up.

This is the steady state of the simulated checkpoint queue: a block is written at an age after it
became dirty, and the limits of the queue decide at which. V$MTTR_TARGET_ADVICE is the same
calculation with Oracle's own queues. ``docs/simulation.md`` has the error of both.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.records import NamedTuple
from awrlens.simulate import cache
from awrlens.simulate.load import least

if TYPE_CHECKING:
    from collections.abc import Iterable

    from awrlens.model.mttr_document import LimitName
    from awrlens.simulate.load import Load, Rates

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

    ``tuned_s``: automatic checkpoint tuning keeps dirty blocks at most as old as this.
    """

    load: Load
    rates: Rates
    timeout_s: float | None = None
    interval_bytes: float | None = None
    tuned_s: float | None = None


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
    cache_s = rates.estimate_s(redo_bytes, dirty)
    read_s = min(rates.first_pass_s(redo_bytes), cache_s)
    return State(
        target_s, in_force, kept_s, dirty, redo_bytes, needed, rates.fixed_s + cache_s, read_s,
        cache_s - read_s, limit, None if not capacity else needed / capacity, throughput,
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

    def recovery_s(age_s: float) -> float:
        dirty = load.block_writes_per_s(age_s) * age_s
        return rates.fixed_s + rates.estimate_s(age_s * load.redo_bytes_per_s, dirty)

    found: dict[LimitName, float] = {CACHE: load.age_s(load.cache_blocks)}
    if in_force_s:
        found[TARGET] = least(lambda age_s: recovery_s(age_s) > in_force_s)
        found[LOG_SIZE] = by_log_size_s(load)
    elif load.lag_bytes is None:
        found[LOG_SIZE] = (load.log_groups - 1) * load.log_bytes / load.redo_bytes_per_s
    else:
        found[PRESENT] = min(load.lag_bytes / load.redo_bytes_per_s, by_log_size_s(load))
    if system.tuned_s is not None:
        found[PRESENT] = min(system.tuned_s, by_log_size_s(load))
    if system.timeout_s:
        found[TIMEOUT] = system.timeout_s
    if system.interval_bytes:
        found[INTERVAL] = system.interval_bytes / load.redo_bytes_per_s
    return found


def by_log_size_s(load: Load) -> float:
    """Seconds of redo that the size of the redo logs allows after the checkpoint."""
    return cache.by_log_size(load) / load.redo_bytes_per_s
