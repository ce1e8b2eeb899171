"""What limits recovery besides the target: every limit with its redo and its recovery time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.checkpoints import REDO_BLOCK_B
from awrlens.logsize import SMALLEST, limit_of
from awrlens.recovery.advisor_values import Limit
from awrlens.simulate import cache, sweep

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from awrlens.model import Fact
    from awrlens.recovery.advisor_values import Asked
    from awrlens.simulate.load import Load
    from awrlens.simulate.sweep import System

_MB: Final = 2**20
#: The highest target.
_HIGHEST_S: Final = 3600
#: The redo is read for this share of cache recovery or more: log disks limit the recovery.
_MOSTLY_READ: Final = 0.5


def limits(system: System, facts: Mapping[str, Fact], asked: Asked) -> Iterator[Limit]:
    """Every limit besides the target, with the recovery time that it allows."""
    load, rates = system.load, system.rates
    ages = sweep.limits(system._replace(seen_s=0.0), _HIGHEST_S)
    ages.pop(sweep.TARGET)
    ages.pop(sweep.CACHE)
    least_s = load.age_s(cache.LEAST_DIRTY_BLOCKS)
    texts = {
        sweep.LOG_SIZE: f"{_log_size(facts, load)}; larger redo logs raise it",
        sweep.TIMEOUT: f"LOG_CHECKPOINT_TIMEOUT, {system.timeout_s or 0:,.0f} s at the average "
        f"redo rate{_at_the_end(facts)}; 0 removes it",
        sweep.INTERVAL: "LOG_CHECKPOINT_INTERVAL; 0 removes it",
        sweep.PRESENT: _present_lag(facts),
        sweep.LEAST_BLOCKS: "Oracle does not aim at fewer dirty blocks"
        + (": the lowest target" if rates.fixed_s else ""),
    }
    for name, age_s in {sweep.LEAST_BLOCKS: least_s, **ages}.items():
        unlimited = system._replace(rates=rates._replace(writes_per_s=None))
        state = sweep.of_age(unlimited, 0.0, 0.0, age_s, name)
        blocks, seconds, what = "", state.recovery_s, "recovery"
        if name == sweep.LEAST_BLOCKS:
            seconds = cache.lowest_target_s(load, rates)
            spent = cache.LEAST_DIRTY_BLOCKS * (rates.estimate_block_s or 0.0)
            if rates.fixed_s:
                blocks = (
                    f"{rates.fixed_s:.1f} s of start-up and opening + {spent:.1f} s of blocks; "
                )
            else:
                what = "blocks alone"
        yield Limit(name, state.redo_bytes, seconds, blocks + texts[name], what)
    most = sweep.of_age(system, 0.0, 0.0, sweep.by_log_size_s(load), sweep.LOG_SIZE)
    read_s = rates.first_pass_s(cache.by_log_size(load))
    text = f"to read {cache.by_log_size(load) / _MB:,.0f} MB of redo, {_most(load)}, takes "
    if asked.log is None and system.known and read_s > most.redo_read_s:
        read_s = most.redo_read_s
        text += f"at most {read_s:.1f} s: all of the recovery by Oracle's estimate"
    else:
        text += (
            f"{read_s:.1f} s at {rates.scan_bytes_per_s / _MB:,.0f} MB/s"
            f"{' (assumed)' if asked.log is None else ''}; log disks twice as fast save "
            f"{read_s / 2:.1f} s of it"
        )
        if most.fits and most.redo_read_s < _MOSTLY_READ * (most.redo_read_s + most.blocks_s):
            text += ", but most of the recovery is for data blocks"
    what = "start-up and reading alone" if rates.fixed_s else "reading alone"
    yield Limit("redo read time", cache.by_log_size(load), rates.fixed_s + read_s, text, what)


def _log_size(facts: Mapping[str, Fact], load: Load) -> str:
    """The limit by redo log size, in words: that of the release, or of one assumed redo log."""
    release = facts["database.release"].value
    rule = limit_of(release if isinstance(release, str) else None) or SMALLEST
    if load.limit_bytes is None:
        known = facts["redo.log_mb"].number or facts["redo.mb_per_switch"].number
        of = "by the redo per log switch" if known else "assumed"
        more = "at least " if rule.of_all_but_one else ""
        return f"{more}90 % of one redo log of {load.log_bytes / _MB:,.0f} MB ({of})"
    return rule.words


def _most(load: Load) -> str:
    if load.limit_bytes is None:
        return "that of one redo log"
    return "the most that the redo logs allow"


def _present_lag(facts: Mapping[str, Fact]) -> str:
    """What keeps the checkpoint where it is: by the counts of its writes, if it is known."""
    if not facts["checkpoint.actual_redo_blocks"].number:
        return "assumed: the report does not have the redo after the checkpoint"
    cause = facts["checkpoint.main_cause"]
    why = "" if cause.value in (None, "none") else f"; {cause.note}"
    return f"redo after the checkpoint at the end snapshot{why}"


def _at_the_end(facts: Mapping[str, Fact]) -> str:
    """The redo of the timeout at the end snapshot, at the redo rate of that time."""
    blocks = facts["checkpoint.timeout_redo_blocks"].number
    return "" if not blocks else f" (at the end snapshot: {blocks * REDO_BLOCK_B / _MB:,.0f} MB)"
