"""The load of a report's instance: its numbers, and assumptions for what it does not have.

A report does not have the rates of change by block. They are assumed to follow a power law, with
which the age of the report's checkpoint results in the report's writes.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from awrlens.checkpoints import LEAST_START_S, OFF, REDO_BLOCK_B
from awrlens.errors import UsageError
from awrlens.logsize import SMALLEST, limit_of
from awrlens.policy import Threshold
from awrlens.simulate.load import EXPONENT, Load, Rates, power_law
from awrlens.simulate.presets import TPCC, Preset
from awrlens.simulate.sweep import System
from awrlens.units import plain

if TYPE_CHECKING:
    from collections.abc import Mapping

    from awrlens.model import Fact

DBWR_LEAST_BUSY_PCT: Final = Threshold(
    "recovery.dbwr_least_busy_pct", 5.0, "%",
    "share of the time that DBWR spends on writes below which its capacity is not known",
    "awrlens: below it, the capacity would extrapolate the writes more than twenty times",
)  # fmt: skip
_MB: Final = 2**20
#: Assumptions without a value in the report. # awrlens: common sizes, listed in the notes
_LOG_MB: Final = 1024
_CACHE_MB: Final = 8192
_GROUPS: Final = 3
_AGE_S: Final = 300.0
#: Start-up and opening of the files.
#: # Fast-Start Checkpointing Best Practices, the example of its RAC section: 50 + 10
_FIXED_S: Final = 60.0
#: The run is longer than the report's checkpoint age by this factor, within bounds.
_FILLED: Final = 1.25
_MINUTES: Final = (10.0, 30.0)
#: Snapshots have about the same redo after the checkpoint up to this ratio: dirty blocks differ.
_SAME_LAG: Final = 1.1
#: LOG_CHECKPOINT_TIMEOUT, if the report has only the redo that it allows.
#: # Oracle Database Reference, LOG_CHECKPOINT_TIMEOUT
_DEFAULT_TIMEOUT_S: Final = 1800.0
#: The release that introduced automatic checkpoint tuning.
_SELF_TUNED_SINCE: Final = 10
#: Recovery of a dirty block: the median of the MTTR advisories of six databases, of which the least
#: is 0.2 ms and the most 2.7 ms (docs/simulation.md).
BLOCK_S: Final = 0.0022


def of_report(
    facts: Mapping[str, Fact], name: str, block_bytes: int | None, exponent: float = EXPONENT,
    start_s: float | None = None,
) -> Preset:  # fmt: skip
    """A report's load, or UsageError if it has no redo or no writes.

    ``exponent`` is that of the writes by the age at which blocks are written; ``start_s`` is the
    time of start-up and opening, if it is known from elsewhere.
    """

    def known(*names: str) -> float | None:
        numbers = (facts[each].number for each in names if each in facts)
        return next((each for each in numbers if each is not None and each > 0), None)

    redo = known("redo.bytes_per_s")
    writes = writes_per_s(facts)
    if redo is None or writes is None:
        raise UsageError(
            f"{name} does not have the redo and the writes from the cache that a simulation needs.",
            hint="Use a preset: --preset oltp.",
        )
    scan_mb_per_s = TPCC.rates.scan_bytes_per_s / _MB
    apply_mb_per_s = TPCC.rates.apply_bytes_per_s / _MB
    dirty = known("checkpoint.estimated_ios")
    assumed = [
        f"twice the age of dirty blocks needs {(1 - 2**-exponent) * 100:.0f} % fewer writes",
        (
            f"recovery scans {scan_mb_per_s:.0f} and applies {apply_mb_per_s:.0f} MB of redo per "
            'second (measured in the paper "Buddy Instance")'
        ),
    ]
    behind = known("checkpoint.actual_redo_blocks")
    log_mb, others_mb = known("redo.log_mb"), known("redo.other_logs_mb")
    # since 10g, the report has the size of all redo logs but one
    left_with_mb = max((others_mb or 0.0) / (_GROUPS - 1), known("redo.mb_per_switch") or 0.0)
    log_bytes = (log_mb or left_with_mb or _LOG_MB) * _MB
    limit_bytes = _limit_bytes(facts, log_mb or others_mb)
    most_s = (limit_bytes or SMALLEST.share * log_bytes) / redo
    age_s = behind * REDO_BLOCK_B / redo if behind else min(_AGE_S, most_s)
    if dirty and facts["checkpoint.cache_writes_per_s"].number is None:
        writes = min(writes, dirty / age_s)  # before 10g, only all writes are counted
    changes = known("integrity.block_changes_per_s")
    cache_mb = known("load.buffer_cache_mb")
    fixed_s = known("checkpoint.fixed_mttr_s") if start_s is None else start_s
    estimated_s = known("checkpoint.estimated_mttr_s")
    target_s = known("checkpoint.fast_start_mttr_target_s", "checkpoint.target_mttr_s")
    for value, text in (
        (behind, f"dirty blocks of {age_s:.0f} s (redo after the checkpoint is not in the report)"),
        (changes, "block changes by the same law"),
        (log_mb or left_with_mb or None, f"redo logs of {_LOG_MB} MB"),
        (cache_mb, f"a buffer cache of {_CACHE_MB:,} MB"),
        (fixed_s or estimated_s, f"{_FIXED_S:g} s for start-up and opening of the files"),
    ):  # fmt: skip
        if value is None:
            assumed.append(text)
    assumed.append(f"{_GROUPS} redo log groups")
    kinds, new_blocks = power_law(writes, age_s, changes, exponent)
    load = Load(
        redo_bytes_per_s=redo,
        kinds=kinds,
        new_blocks_per_s=new_blocks,
        cache_blocks=round((cache_mb or _CACHE_MB) * _MB / (block_bytes or 8192)),
        block_bytes=block_bytes or 8192,
        log_bytes=log_bytes,
        log_groups=_GROUPS,
        limit_bytes=limit_bytes,
        lag_bytes=age_s * redo,
    )
    slope_ms = known("checkpoint.mttr_per_block_ms")
    in_queue = load.block_writes_per_s(age_s) * age_s
    slope_s = None if slope_ms is None else slope_ms / 1000
    low_s = known("checkpoint.estimated_mttr_low_s")
    rates = _rates(dirty or in_queue, in_queue, age_s * redo, fixed_s, estimated_s, slope_s, low_s)
    if slope_ms is None:
        each_ms = plain((rates.estimate_block_s or BLOCK_S) * 1000, 3)
        rest = "the rest of the estimate" if rates.fixed_s else "nothing"
        assumed.append(f"{each_ms} ms for a dirty block, {rest} for start-up and opening")
    rates = rates._replace(writes_per_s=capacity_per_s(facts, DBWR_LEAST_BUSY_PCT.default))
    note = f"Assumed, because it is not in this report: {'; '.join(assumed)}."
    minutes = min(max(age_s * _FILLED / 60, _MINUTES[0]), _MINUTES[1])
    return Preset(f"The load of {name}", name, load, rates, target_s or 0.0, minutes, note)


def capacity_per_s(facts: Mapping[str, Fact], least_busy_pct: float) -> float | None:
    """Blocks per second that DBWR can write, if it was busy enough to know."""
    busy = facts["checkpoint.dbwr_busy_pct"].number
    if busy is None or busy < least_busy_pct:
        return None
    return facts["checkpoint.dbwr_capacity_per_s"].number


def writes_per_s(facts: Mapping[str, Fact]) -> float | None:
    """Blocks written per second: those of the cache; before 10g, all.

    Since 10g, a report that lacks those of the cache has only all writes of an instance: direct
    ones may be most of them.
    """
    of_cache, of_all = "checkpoint.cache_writes_per_s", "load.physical_writes_per_s"
    counted = of_cache in facts and _is_self_tuned(facts)
    names = (of_cache,) if counted else (of_cache, of_all)
    numbers = (facts[name].number for name in names if name in facts)
    return next((each for each in numbers if each is not None and each > 0), None)


def _is_self_tuned(facts: Mapping[str, Fact]) -> bool:
    """Whether the release has automatic checkpoint tuning, and counts the writes from the cache."""
    printed = facts["database.release"].value if "database.release" in facts else None
    release = re.match(r"(\d+)\.", str(printed or ""))
    return release is not None and int(release[1]) >= _SELF_TUNED_SINCE


def system_of(facts: Mapping[str, Fact], preset: Preset) -> System:
    """The load of a report with the parameters that limit its checkpoint."""
    load = preset.load
    interval = facts["checkpoint.log_checkpoint_interval"].number
    tuned = _is_self_tuned(facts) and facts["checkpoint.target_set"].value != OFF
    timeout_s = facts["checkpoint.log_checkpoint_timeout_s"].number
    if timeout_s is None and facts["checkpoint.timeout_redo_blocks"].number:
        timeout_s = _DEFAULT_TIMEOUT_S
    lag_s = (load.lag_bytes or 0.0) / load.redo_bytes_per_s
    return System(
        load, preset.rates, timeout_s or None, interval * REDO_BLOCK_B if interval else None,
        lag_s if tuned else None, _known(facts, preset.rates.fixed_s),
        lag_s if facts["checkpoint.actual_redo_blocks"].number else 0.0,
    )  # fmt: skip


def _known(facts: Mapping[str, Fact], fixed_s: float) -> tuple[tuple[float, float], ...]:
    """Redo and the estimated cache recovery at the snapshots, in ascending order.

    Only the end snapshot counts if both have about the same redo, or if the estimate falls with it.
    """
    names = ("actual_redo_blocks", "estimated_mttr_s", "begin_redo_blocks",
             "estimated_mttr_low_s", "estimated_mttr_high_s")  # fmt: skip
    end, end_s, begin, low_s, high_s = (
        facts[f"checkpoint.{each}"].number if f"checkpoint.{each}" in facts else None
        for each in names
    )
    if not end or end_s is None or end_s <= fixed_s:
        return ()
    found = [(end * REDO_BLOCK_B, end_s - fixed_s)]
    if begin and low_s is not None and high_s is not None:
        begin_s = low_s + high_s - end_s
        apart = max(begin, end) > _SAME_LAG * min(begin, end)
        if apart and begin_s > fixed_s and (begin - end) * (begin_s - end_s) >= 0:
            found.append((begin * REDO_BLOCK_B, begin_s - fixed_s))
    return tuple(sorted(found))


def _limit_bytes(facts: Mapping[str, Fact], size_mb: float | None) -> float | None:
    """Maximum redo after the checkpoint by redo log size, from the report."""
    if "checkpoint.log_size_redo_blocks" not in facts:
        return None
    blocks = facts["checkpoint.log_size_redo_blocks"].number
    release = facts["database.release"].value if "database.release" in facts else None
    rule = limit_of(release if isinstance(release, str) else None)
    if size_mb and rule:  # those are computed with the redo block size of the report
        return size_mb * rule.share * _MB
    return blocks * REDO_BLOCK_B if blocks else None


def _rates(
    dirty: float,
    in_queue: float,
    redo_bytes: float,
    fixed_s: float | None,
    estimated_s: float | None,
    slope_s: float | None,
    low_s: float | None,
) -> Rates:
    """Rates with which Oracle's estimate grows by the dirty blocks, as in the MTTR Advisory.

    Without the advisory, the report's own estimate has a part for its ``dirty`` blocks, at most
    with the time per block of other databases; the rest is start-up and opening, at most the
    lowest estimate of the report. The rates result in this estimate for the blocks that are
    ``in_queue`` in the model.
    """
    rates = TPCC.rates._replace(estimate_bytes_per_s=float("inf"))
    if slope_s is not None:  # without a sum of start-up and opening, it is below a second
        return rates._replace(fixed_s=fixed_s or 0.0, estimate_block_s=slope_s)
    if estimated_s is None:
        return rates._replace(fixed_s=fixed_s or _FIXED_S, estimate_block_s=BLOCK_S)
    if fixed_s is None:
        read_s = min(rates.first_pass_s(redo_bytes), estimated_s)
        fixed_s = min(max(0.0, estimated_s - read_s - dirty * BLOCK_S), low_s or estimated_s)
        if fixed_s < LEAST_START_S:  # the estimate leaves both out
            fixed_s = 0.0
    if estimated_s <= fixed_s or not in_queue:
        return rates._replace(fixed_s=fixed_s, estimate_block_s=BLOCK_S)
    return rates._replace(fixed_s=fixed_s, estimate_block_s=(estimated_s - fixed_s) / in_queue)
