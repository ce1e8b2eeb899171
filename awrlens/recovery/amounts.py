"""Amounts and rates of an alert log: log switches, checkpoint lags, recovery rates."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from awrlens.records import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from awrlens.recovery.alertlog import Event, Log
    from awrlens.recovery.episodes import Episodes, Recovery

_S_PER_HOUR: Final = 3600.0
_KB: Final = 1024


class Switches(NamedTuple):
    """Log switches and their waits, over the time that the log covers."""

    switches: int
    waits: int
    for_checkpoint: int
    for_strand: int
    for_archiver: int
    hours: float | None
    #: The hour with the most switches, and how many.
    busiest: str | None
    most: int
    #: The hour with the most redo logs not allocated because of checkpoints, and how many.
    worst: str | None
    most_waits: int

    def per_hour(self, count: int) -> float | None:
        """A count per hour; None if the log covers no time."""
        return count / self.hours if self.hours else None


def switches(log: Log) -> Switches:
    """Log switches, and redo logs that could not be allocated."""
    found = log.of("log_switch")
    waits = log.of("log_wait")
    checkpoint = log.of("wait_checkpoint")
    hours = None
    if log.first is not None and log.last is not None and log.last > log.first:
        hours = (log.last - log.first).total_seconds() / _S_PER_HOUR
    busiest, most = _busiest(found)
    worst, most_waits = _busiest(checkpoint)
    return Switches(
        len(found), len(waits), len(checkpoint), len(log.of("wait_strand")),
        len(log.of("wait_archive")), hours, busiest, most, worst, most_waits,
    )  # fmt: skip


def _busiest(events: list[Event]) -> tuple[str | None, int]:
    hours: dict[datetime, int] = {}
    for event in events:
        if event.at is not None:
            hour = event.at.replace(minute=0, second=0, microsecond=0)
            hours[hour] = hours.get(hour, 0) + 1
    if not hours:
        return None, 0
    hour = max(hours, key=lambda each: (hours[each], each))
    return hour.isoformat(timespec="minutes"), hours[hour]


def checkpoint_lags(log: Log) -> list[int]:
    """Redo blocks between checkpoint and end of redo, if both are in one redo log."""
    lags = []
    for event in log.of("incremental_checkpoint"):
        seq, block, tail_seq, tail_block = (
            int(event.values[name], 16) for name in ("seq", "block", "tail_seq", "tail_block")
        )
        if seq == tail_seq and tail_block >= block:
            lags.append(tail_block - block)
    return lags


class Rate(NamedTuple):
    """An amount per second over some recoveries, with bounds from the clock's resolution.

    ``value`` and ``high`` are None if the total time is below the resolution: then only ``low`` is
    known.
    """

    value: float | None
    low: float
    high: float | None
    amount: float
    seconds: float
    of: tuple[int, ...]


def rate(pairs: Iterable[tuple[int, float | None, float | None]], step_s: float) -> Rate | None:
    """Amount per second of (index, amount, seconds); None if no pair has both.

    Every time is only as exact as the clock's resolution, which bounds the error of the sum.
    """
    some = [(n, amount, s) for n, amount, s in pairs if amount is not None and s is not None]
    amount = math.fsum(amount for _, amount, _ in some)
    if not some or amount <= 0:
        return None
    seconds = math.fsum(s for _, _, s in some)
    slack = step_s * len(some)
    low = amount / (seconds + slack)
    high = amount / (seconds - slack) if seconds > slack else None
    value = amount / seconds if seconds > 0 else None
    return Rate(value, low, high, amount, seconds, tuple(n for n, _, _ in some))


def rates(found: Episodes) -> dict[str, Rate | None]:
    """The rates of this system per second, over all recoveries in the log."""
    step = found.log.resolution_s
    numbered = list(enumerate(found.recoveries))
    return {
        "scan_bytes": rate(
            ((n, _bytes(r), r.scan.seconds) for n, r in numbered), step),
        "apply_bytes": rate(
            ((n, _bytes(r), r.apply.seconds) for n, r in numbered), step),
        "apply_blocks": rate(
            ((n, r.blocks, r.apply.seconds) for n, r in numbered), step),
    }  # fmt: skip


def _bytes(recovery: Recovery) -> float | None:
    return None if recovery.redo_kb is None else recovery.redo_kb * _KB


def moved_pct(found: Episodes) -> float | None:
    """By how much the last recovery changed the rate of the first pass; None with fewer than two.

    Oracle's own estimates become accurate as more and larger recoveries are completed.
    # Fast-Start Checkpointing Best Practices, "Overview of MTTR and Crash Recovery Components"
    """
    step = found.log.resolution_s
    pairs = [(n, _bytes(r), r.scan.seconds) for n, r in enumerate(found.recoveries)]
    timed = [pair for pair in pairs if pair[1] is not None and pair[2] is not None]
    whole, before = rate(timed, step), rate(timed[:-1], step)
    if whole is None or before is None or not whole.value or not before.value:
        return None
    return 100 * abs(whole.value / before.value - 1)
