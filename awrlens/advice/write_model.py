"""The writes that recovery targets need, from the strictest to none, for the load of a report.

This is the steady state of the checkpoint queue that `awrlens recovery simulate` simulates: a block
is written at an age after it became dirty, and the limits of the queue decide at which.
V$MTTR_TARGET_ADVICE is the same calculation with Oracle's own queues. ``docs/simulation.md`` has
the error of both.

A report does not have the rates of change by block. They are assumed to follow a power law, with
which the age of the report's checkpoint results in the report's writes.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final, Literal

from awrlens.advice import features
from awrlens.advice.load_model import (
    EXPONENT,
    Curve,
    Load,
    Preset,
    least,
    power_law,
)
from awrlens.advice.recovery_split import (
    BLOCK_S,
    MOST_BLOCK_S,
    USUAL_RATES,
    Rates,
    split_of,
)
from awrlens.errors import UsageError
from awrlens.lazy import NamedTuple
from awrlens.oracle.checkpoints import (
    LEAST_DIRTY_BLOCKS,
    MB,
    REDO_BLOCK_B,
    SMALLEST,
    limit_of,
)
from awrlens.oracle.checkpoints import OFF as CHECKPOINTS_OFF
from awrlens.units import plain

if TYPE_CHECKING:
    from collections.abc import Mapping

    from awrlens.advice.recovery_split import Split
    from awrlens.model import Fact


def lowest_target_s(load: Load, rates: Rates) -> float:
    """The lowest achievable FAST_START_MTTR_TARGET.

    Oracle's own, or start-up, opening of the files and recovery of the minimum number of dirty
    blocks, with the redo that is generated until this number is reached.
    # Fast-Start Checkpointing Best Practices, "Lower Bound on MTTR"
    """
    if rates.lowest_s is not None:
        return rates.lowest_s
    age_s = load.age_s(LEAST_DIRTY_BLOCKS)
    return rates.fixed_s + rates.estimate_s(age_s * load.redo_bytes_per_s, LEAST_DIRTY_BLOCKS)


def by_log_size(load: Load) -> float:
    """Maximum redo after the checkpoint, by redo log size."""
    return load.limit_bytes or SMALLEST.share * load.log_bytes


#: A time of the model that differs from that of the report by a larger factor has no parts: they
#: would be those of another recovery.
_FITS: Final = 2.0

#: What limits the age of dirty blocks.
LimitName = Literal[
    "target", "1,000 blocks", "log size", "timeout", "interval", "buffer cache", "present lag",
    "DBWR",
]  # fmt: skip


class System(NamedTuple):
    """A load, its rates, and what limits its checkpoint; None does not.

    ``tuned_s``: dirty blocks are at most as old as this, as at the end snapshot.
    ``seen_s``: how old they were at the end snapshot; so no other limit keeps them younger.
    ``estimates``: the model's cache recovery and the estimate of it, in ascending order, from
    nothing to recover to the report's snapshots.
    ``held_by``: what kept them as old as that.
    """

    load: Load
    rates: Rates
    timeout_s: float | None = None
    interval_bytes: float | None = None
    tuned_s: float | None = None
    estimates: tuple[tuple[float, float], ...] = ()
    seen_s: float = 0.0
    held_by: LimitName = "present lag"

    def modelled_s(self, age_s: float) -> float:
        """Estimated cache recovery of the model, if blocks are written at an age."""
        dirty = self.load.block_writes_per_s(age_s) * age_s
        return self.rates.estimate_s(age_s * self.load.redo_bytes_per_s, dirty)

    def cache_s(self, age_s: float) -> float:
        """Estimated cache recovery: that of the model, through the report's estimates.

        Above them, it is that of the model in proportion to the last one. What is far above the
        model, such as start-up that is not known apart, does not grow with the redo.
        """
        found_s = self.modelled_s(age_s)
        if not self.estimates:
            return found_s
        there_s, seconds = self.estimates[-1]
        if found_s < there_s:
            return Curve(self.estimates).at(found_s)
        if seconds > _FITS * there_s:
            return seconds + found_s - there_s
        return seconds * found_s / there_s


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
    #: Whether it is the state at the end snapshot.
    present: bool = False


def at(system: System, target_s: float) -> State:
    """The steady state for one target."""
    lowest = lowest_target_s(system.load, system.rates)
    in_force = max(target_s, lowest) if target_s else 0.0
    ages = limits_of_age(system, in_force)
    limit = min(ages, key=ages.__getitem__)
    return of_age(system, target_s, in_force, ages[limit], limit)


def of_age(
    system: System, target_s: float, in_force: float, age_s: float, limit: LimitName
) -> State:
    """The steady state if blocks are written at an age, or later if DBWR cannot keep up."""
    load, rates = system.load, system.rates
    present = limit == "present lag"
    if present:
        limit = system.held_by
    if limit == "target" and in_force > target_s:
        limit = "1,000 blocks"
    needed = load.block_writes_per_s(age_s)
    capacity = rates.writes_per_s
    throughput = 1.0
    kept_s = age_s
    if capacity is not None and needed > capacity:
        slower_s = least(lambda age: load.block_writes_per_s(age) <= capacity)
        most_s = by_log_size_s(load)
        kept_s, limit, present = min(slower_s, most_s), "DBWR", False
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
        max(both) <= _FITS * min(both), present,
    )  # fmt: skip


def factor(system: System, present: float, state: State) -> float:
    """Writes in a state compared with ``present`` ones.

    What the checkpoint queue does not explain, such as direct writes before 10g, stays the same.
    """
    lag_s = (system.load.lag_bytes or 0.0) / system.load.redo_bytes_per_s
    return 1 + (state.writes_per_s - system.load.block_writes_per_s(lag_s)) / present


def limits_of_age(system: System, in_force_s: float) -> dict[LimitName, float]:
    """The age of the oldest dirty block by every limit; 0: no target is set."""
    load, rates = system.load, system.rates
    ages_s: dict[LimitName, float] = {}
    if system.tuned_s is not None:
        ages_s["present lag"] = system.tuned_s
    elif not in_force_s and load.lag_bytes is not None:
        ages_s["present lag"] = min(
            load.lag_bytes / load.redo_bytes_per_s, max(by_log_size_s(load), system.seen_s)
        )
    ages_s["buffer cache"] = load.age_s(load.cache_blocks)
    if in_force_s:
        ages_s["target"] = least(lambda age_s: rates.fixed_s + system.cache_s(age_s) > in_force_s)
        if system.cache_s(load.age_s(LEAST_DIRTY_BLOCKS)) > in_force_s - rates.fixed_s:
            ages_s["1,000 blocks"] = load.age_s(LEAST_DIRTY_BLOCKS)
            del ages_s["target"]
        ages_s["log size"] = max(by_log_size_s(load), system.seen_s)
    elif load.lag_bytes is None:
        ages_s["log size"] = (load.log_groups - 1) * load.log_bytes / load.redo_bytes_per_s
    if system.timeout_s:
        ages_s["timeout"] = max(system.timeout_s, system.seen_s)
    if system.interval_bytes:
        ages_s["interval"] = max(system.interval_bytes / load.redo_bytes_per_s, system.seen_s)
    return ages_s


def by_log_size_s(load: Load) -> float:
    """Seconds of redo that the size of the redo logs allows after the checkpoint."""
    return by_log_size(load) / load.redo_bytes_per_s


#: Assumptions without a value in the report. # awrlens: common sizes, listed in the notes
_LOG_MB, _CACHE_MB, _GROUPS, _AGE_S = 1024, 8192, 3, 300.0
#: The run is longer than the report's checkpoint age by this factor, within bounds.
_FILLED: Final = 1.25
_MINUTES: Final = (10.0, 30.0)
#: Snapshots have about the same redo after the checkpoint up to this ratio: dirty blocks differ.
_SAME_LAG: Final = 1.1
#: LOG_CHECKPOINT_TIMEOUT, if the report has only the redo that it allows.
#: # Oracle Database Reference, LOG_CHECKPOINT_TIMEOUT
_DEFAULT_TIMEOUT_S: Final = 1800.0


def of_report(
    facts: Mapping[str, Fact], name: str, block_bytes: int | None, exponent: float = EXPONENT,
    split: Split | None = None,
) -> Preset:  # fmt: skip
    """A report's load, or UsageError if it has no redo or no writes.

    ``exponent`` is that of the writes by the age at which blocks are written; ``split`` is that of
    the recovery time, if start-up and opening are known from elsewhere.
    """
    number = partial(_first, facts)
    redo = number("redo.bytes_per_s")
    writes = writes_per_s(facts)
    if redo is None or writes is None:
        raise UsageError(
            f"{name} does not have the redo and the writes from the cache that a simulation needs.",
            hint="Use a preset: --preset oltp.",
        )
    split = split or split_of(facts)
    dirty = number("checkpoint.estimated_ios")
    usual = f"applies {USUAL_RATES.apply_bytes_per_s / MB:.0f} MB of redo per second"
    if split.scan_bytes_per_s == USUAL_RATES.scan_bytes_per_s:  # else by this report or alert log
        usual = f"scans {USUAL_RATES.scan_bytes_per_s / MB:.0f} and {usual}"
    assumed = [
        f"twice the age of dirty blocks needs {(1 - 2**-exponent) * 100:.0f} % fewer writes",
        f'recovery {usual} (measured in the paper "Buddy Instance")',
    ]
    behind = number("checkpoint.actual_redo_blocks")
    log_mb, others_mb = number("redo.log_mb"), number("redo.other_logs_mb")
    # since 10g, the report has the size of all redo logs but one
    left_with_mb = max((others_mb or 0.0) / (_GROUPS - 1), number("redo.mb_per_switch") or 0.0)
    log_bytes = (log_mb or left_with_mb or _LOG_MB) * MB
    limit_bytes = _limit_bytes(facts, log_mb or others_mb)
    most_s = (limit_bytes or SMALLEST.share * log_bytes) / redo
    age_s = behind * REDO_BLOCK_B / redo if behind else min(_AGE_S, most_s)
    if dirty and facts["checkpoint.cache_writes_per_s"].number is None:
        writes = min(writes, dirty / age_s)  # before 10g, only all writes are counted
    changes = number("integrity.block_changes_per_s")
    cache_mb = number("load.buffer_cache_mb")
    fixed_s = split.fixed_s or 0.0
    target_s = number("checkpoint.fast_start_mttr_target_s", "checkpoint.target_mttr_s")
    missing = (
        (behind, f"dirty blocks of {age_s:.0f} s (redo after the checkpoint is not in the report)"),
        (changes, "block changes by the same law"),
        (log_mb or left_with_mb or None, f"redo logs of {_LOG_MB} MB"),
        (cache_mb, f"a buffer cache of {_CACHE_MB:,} MB"),
        (None if split.by == "assumed" else fixed_s,
         f"{fixed_s:.0f} s for start-up and opening of the files"),
    )  # fmt: skip
    assumed += [text for value, text in missing if value is None]
    assumed.append(f"{_GROUPS} redo log groups")
    kinds, new_blocks = power_law(writes, age_s, changes, exponent)
    load = Load(
        redo_bytes_per_s=redo, kinds=kinds, new_blocks_per_s=new_blocks,
        cache_blocks=round((cache_mb or _CACHE_MB) * MB / (block_bytes or 8192)),
        block_bytes=block_bytes or 8192, log_bytes=log_bytes, log_groups=_GROUPS,
        limit_bytes=limit_bytes, lag_bytes=age_s * redo,
    )  # fmt: skip
    slope_ms = number("checkpoint.mttr_per_block_ms")
    in_queue = load.block_writes_per_s(age_s) * age_s
    blocks_s = split.cache_s
    if split.by == "not known" and dirty:  # more than that is not for blocks: it may be start-up
        blocks_s = min(blocks_s, dirty * MOST_BLOCK_S)
    block_s = BLOCK_S if split.by == "assumed" else blocks_s / (in_queue or 1.0) or BLOCK_S
    if slope_ms is not None:
        block_s = slope_ms / 1000
    else:
        rest = "the rest of the estimate" if fixed_s or blocks_s < split.cache_s else "nothing"
        assumed.append(
            f"{plain(block_s * 1000, 3)} ms for a dirty block, {rest} for start-up and opening"
        )
    rates = USUAL_RATES._replace(
        scan_bytes_per_s=split.scan_bytes_per_s, estimate_bytes_per_s=float("inf"),
        fixed_s=fixed_s, estimate_block_s=block_s, lowest_s=number("checkpoint.lowest_mttr_s"),
    )  # fmt: skip
    note = f"Assumed, because it is not in this report: {'; '.join(assumed)}."
    minutes = min(max(age_s * _FILLED / 60, _MINUTES[0]), _MINUTES[1])
    return Preset(
        f"The load of {name}", name, load, rates, target_s or 0.0, minutes, note, split=split
    )


def writes_per_s(facts: Mapping[str, Fact]) -> float | None:
    """Blocks written per second: those of the cache; before 10g, all.

    Since 10g, a report that lacks those of the cache has only all writes of an instance: direct
    ones may be most of them.
    """
    of_cache, of_all = "checkpoint.cache_writes_per_s", "load.physical_writes_per_s"
    counted = of_cache in facts and _is_self_tuned(facts)
    return _first(facts, *((of_cache,) if counted else (of_cache, of_all)))


def _first(facts: Mapping[str, Fact], *names: str) -> float | None:
    """The first of these facts that is above 0."""
    numbers = (facts[name].number for name in names if name in facts)
    return next((number for number in numbers if number is not None and number > 0), None)


def _is_self_tuned(facts: Mapping[str, Fact]) -> bool:
    """Whether the release has automatic checkpoint tuning, and counts the writes from the cache."""
    return "database.release" in facts and bool(features.has(facts, "self-tuned checkpoints"))


def system_of(facts: Mapping[str, Fact], preset: Preset) -> System:
    """The load of a report with the parameters that limit its checkpoint."""
    load = preset.load
    interval = facts["checkpoint.log_checkpoint_interval"].number
    tuned = _is_self_tuned(facts) and facts["checkpoint.target_set"].value != CHECKPOINTS_OFF
    timeout_s = facts["checkpoint.log_checkpoint_timeout_s"].number
    if timeout_s is None and facts["checkpoint.timeout_redo_blocks"].number:
        timeout_s = _DEFAULT_TIMEOUT_S
    lag_s = (load.lag_bytes or 0.0) / load.redo_bytes_per_s
    system = System(
        load, preset.rates, timeout_s or None, interval * REDO_BLOCK_B if interval else None,
        lag_s if tuned else None, (),
        lag_s if facts["checkpoint.actual_redo_blocks"].number else 0.0,
    )  # fmt: skip
    return system._replace(estimates=_estimates(facts, preset.split or split_of(facts), system))


def _estimates(
    facts: Mapping[str, Fact], split: Split, system: System
) -> tuple[tuple[float, float], ...]:
    """Cache recovery of the model and by the estimates, from nothing to that of the snapshots.

    With 1,000 dirty blocks, the fewest that Oracle aims at, it is that of the lowest target. The
    begin snapshot counts only above that, and not if both have about the same redo, if the estimate
    does not grow with it, or if they contradict each other.
    """
    names = "actual_redo_blocks", "begin_redo_blocks", "estimated_mttr_low_s"
    end, begin, low_s = (_first(facts, f"checkpoint.{name}") for name in names)
    high_s, end_s = _first(facts, "checkpoint.estimated_mttr_high_s"), split.estimate_s
    if not end or not split.cache_s:
        return ()
    block_s = REDO_BLOCK_B / system.load.redo_bytes_per_s
    least_s = system.modelled_s(system.load.age_s(LEAST_DIRTY_BLOCKS))
    lowest_s = lowest_target_s(system.load, system.rates) - system.rates.fixed_s
    estimates = {0.0: 0.0, system.modelled_s(end * block_s): split.cache_s}
    if begin and end_s and low_s and high_s and not split.contradiction:
        begin_s, there_s = low_s + high_s - end_s, system.modelled_s(begin * block_s)
        apart = max(begin, end) > _SAME_LAG * min(begin, end)
        grows = (begin - end) * (begin_s - end_s) > 0 and begin_s > split.included_s
        if apart and grows and there_s > least_s:
            estimates[there_s] = begin_s - split.included_s
    if above := [seconds for there_s, seconds in estimates.items() if there_s > least_s]:
        below = max(seconds for there_s, seconds in estimates.items() if there_s <= least_s)
        estimates[least_s] = max(below, min(lowest_s, *above))
    return tuple(sorted(estimates.items()))


def _limit_bytes(facts: Mapping[str, Fact], size_mb: float | None) -> float | None:
    """Maximum redo after the checkpoint by redo log size, from the report."""
    if "checkpoint.log_size_redo_blocks" not in facts:
        return None
    blocks = facts["checkpoint.log_size_redo_blocks"].number
    release = facts["database.release"].value if "database.release" in facts else None
    rule = limit_of(str(release) if release else None)
    if size_mb and rule:  # those are computed with the redo block size of the report
        return size_mb * rule.share * MB
    return blocks * REDO_BLOCK_B if blocks else None
