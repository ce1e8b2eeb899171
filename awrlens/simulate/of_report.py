"""The load of a report's instance: its numbers, and assumptions for what it does not have.

A report does not have the rates of change by block. The kinds of blocks are those of Fast-Start
Checkpointing Best Practices, table 1, scaled so that the age of the report's checkpoint results in
the report's writes.
"""

from __future__ import annotations

from math import sqrt
from typing import TYPE_CHECKING, Final

from awrlens.errors import UsageError
from awrlens.logsize import limit_of
from awrlens.simulate.load import Kind, Load, Rates
from awrlens.simulate.presets import OLTP, TPCC, Preset

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from awrlens.model import Fact

_MB: Final = 2**20
#: A redo block, unless the report has another size (CONTRACT, redo.bytes_written_per_s).
_REDO_BLOCK_B: Final = 512
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
#: Limits of the search for a time scale, and the number of bisections.
_WIDEST: Final = 1e6
_HALVINGS: Final = 60


def of_report(facts: Mapping[str, Fact], name: str, block_bytes: int | None) -> Preset:
    """A report's load, or UsageError if it has no redo or no writes."""

    def known(*names: str) -> float | None:
        numbers = (facts[each].number for each in names if each in facts)
        return next((each for each in numbers if each is not None and each > 0), None)

    redo = known("redo.bytes_per_s")
    writes = known("checkpoint.cache_writes_per_s", "load.physical_writes_per_s")
    if redo is None or writes is None:
        raise UsageError(
            f"{name} does not have the redo and the writes that a simulation needs.",
            hint="Use a preset: --preset oltp.",
        )
    scan_mb_per_s = TPCC.rates.scan_bytes_per_s / _MB
    apply_mb_per_s = TPCC.rates.apply_bytes_per_s / _MB
    assumed = [
        "blocks as in Fast-Start Checkpointing Best Practices, table 1, scaled to this load",
        f"passes at {scan_mb_per_s:.0f} and {apply_mb_per_s:.0f} MB/s as in Buddy Instance",
    ]
    behind = known("checkpoint.actual_redo_blocks")
    age_s = behind * _REDO_BLOCK_B / redo if behind else _AGE_S
    changes = known("integrity.block_changes_per_s")
    log_mb, others_mb = known("redo.log_mb"), known("redo.other_logs_mb")
    # since 10g, the report has the size of all redo logs but one
    left_with_mb = max((others_mb or 0.0) / (_GROUPS - 1), known("redo.mb_per_switch") or 0.0)
    cache_mb = known("load.buffer_cache_mb")
    fixed_s = known("checkpoint.fixed_mttr_s")
    estimated_s = known("checkpoint.estimated_mttr_s")
    target_s = known("checkpoint.fast_start_mttr_target_s", "checkpoint.target_mttr_s")
    for value, text in (
        (behind, f"dirty blocks of {_AGE_S:g} s (redo after the checkpoint is not in the report)"),
        (changes, "block changes in proportion to the writes"),
        (log_mb or left_with_mb or None, f"redo logs of {_LOG_MB} MB"),
        (cache_mb, f"a buffer cache of {_CACHE_MB:,} MB"),
        (fixed_s or estimated_s, f"{_FIXED_S:g} s for start-up and opening of the files"),
    ):  # fmt: skip
        if value is None:
            assumed.append(text)
    assumed.append(f"{_GROUPS} redo log groups")
    load = Load(
        redo_bytes_per_s=redo,
        kinds=scaled(writes, age_s, changes),
        cache_blocks=round((cache_mb or _CACHE_MB) * _MB / (block_bytes or 8192)),
        block_bytes=block_bytes or 8192,
        log_bytes=(log_mb or left_with_mb or _LOG_MB) * _MB,
        log_groups=_GROUPS,
        limit_bytes=_limit_bytes(facts, log_mb or others_mb),
        lag_bytes=age_s * redo,
    )
    rates = _rates(age_s * redo, fixed_s, estimated_s)
    note = f"Assumed, because it is not in this report: {'; '.join(assumed)}."
    minutes = min(max(age_s * _FILLED / 60, _MINUTES[0]), _MINUTES[1])
    return Preset(f"The load of {name}", name, load, rates, target_s or 0.0, minutes, note)


def _limit_bytes(facts: Mapping[str, Fact], size_mb: float | None) -> float | None:
    """Maximum redo after the checkpoint by redo log size, from the report."""
    if "checkpoint.log_size_redo_blocks" not in facts:
        return None
    blocks = facts["checkpoint.log_size_redo_blocks"].number
    release = facts["database.release"].value if "database.release" in facts else None
    rule = limit_of(release if isinstance(release, str) else None)
    if size_mb and rule:  # those are computed with the redo block size of the report
        return size_mb * rule.share * _MB
    return blocks * _REDO_BLOCK_B if blocks else None


def _rates(behind_bytes: float, fixed_s: float | None, estimated_s: float | None) -> Rates:
    """Rates that reproduce the report's own estimate for the redo after its checkpoint.

    If start-up and opening are not in the report, they are the estimate minus both passes.
    """
    rates = TPCC.rates
    passes_s = rates.estimate_s(behind_bytes, 0)
    if estimated_s is None:
        return rates._replace(fixed_s=fixed_s or _FIXED_S)
    if fixed_s is None:
        return rates._replace(fixed_s=max(0.0, estimated_s - passes_s))
    if estimated_s <= fixed_s:
        return rates._replace(fixed_s=fixed_s)
    return rates._replace(
        fixed_s=fixed_s, estimate_bytes_per_s=behind_bytes / (estimated_s - fixed_s)
    )


def scaled(writes_per_s: float, age_s: float, changes_per_s: float | None) -> tuple[Kind, ...]:
    """The kinds of table 1's load with other numbers of blocks and other rates of change.

    They result in ``changes_per_s``, and in ``writes_per_s`` if blocks are written at ``age_s``.
    """
    load = OLTP.load
    if changes_per_s is None or changes_per_s <= writes_per_s:
        return tuple(_times(writes_per_s / load.block_writes_per_s(age_s), 1.0))
    per_change = writes_per_s / changes_per_s * load.changes_per_s
    low, high = 1 / _WIDEST, _WIDEST
    for _ in range(_HALVINGS):
        faster = sqrt(low * high)
        if load.block_writes_per_s(age_s * faster) > per_change:
            low = faster
        else:
            high = faster
    return tuple(_times(changes_per_s / load.changes_per_s / low, low))


def _times(blocks: float, faster: float) -> Iterator[Kind]:
    """The kinds with blocks and rates multiplied; whole numbers of blocks, at least one."""
    for kind in OLTP.load.kinds:
        number = max(1, round(kind.blocks * blocks))
        yield Kind(number, kind.blocks * blocks * kind.changes_per_s * faster / number)
