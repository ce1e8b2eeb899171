"""How long a commit would take on another redo log device: write, queue for LGWR, and the rest.

LGWR is a single server. A commit takes R ms, of which the write takes S. Commits that arrive while
LGWR is busy wait for the writes ahead of them: S·ρ/(1−ρ) ms on average (M/M/1; ρ is the share of
time that LGWR writes), and at most R − S. The rest, F, is CPU, posting, other instances and a
standby. A device that writes in S′ ms makes LGWR less busy, ρ′ = ρ·S′/S, and the queue shrinks in
proportion to the model's queue:

    q′ = q · S′·ρ′/(1−ρ′) / (S·ρ/(1−ρ))
    R′ = S′ + q′ + F

A saving without the queue would not be an upper bound: if LGWR is busy, most of the wait is queue.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.records import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

    from awrlens.model import Fact

#: A server that is always busy has an infinite queue.
_BUSIEST: Final = 0.99
#: Above this share of busy time, waits for the log buffer are waits for LGWR's device.
BUFFER_BUSY: Final = 0.5
#: The same above this write time, in ms.
BUFFER_WRITE_MS: Final = 10.0
_MB: Final = 10**6


class Commits(NamedTuple):
    """The commits of a report; ``busy`` is the share of the interval that LGWR writes, 0 to 1."""

    waits: float
    commit_ms: float
    write_ms: float
    busy: float
    write_bytes: float
    buffer_wait_s: float

    @property
    def queue_ms(self) -> float:
        """The part of a commit spent waiting for the writes ahead of its own."""
        return min(max(0.0, self.commit_ms - self.write_ms), _queue(self.write_ms, self.busy))

    @property
    def rest_ms(self) -> float:
        """The part of a commit that does not depend on the redo log device."""
        return max(0.0, self.commit_ms - self.write_ms - self.queue_ms)


class Outcome(NamedTuple):
    """Commits on another device: the time of one commit, and the seconds saved in total.

    Negative seconds are lost. ``overrun``: LGWR could not keep up with the redo.
    """

    write_ms: float
    queue_ms: float
    commit_ms: float
    commit_saved_s: float
    buffer_saved_s: float
    overrun: bool

    @property
    def saved_s(self) -> float:
        """Seconds saved in commit waits and waits for the log buffer."""
        return self.commit_saved_s + self.buffer_saved_s


def commits(facts: Mapping[str, Fact]) -> Commits | None:
    """The commits of a report; None if it has no time of log writes or no number of waits."""
    write = facts["redo.local_write_ms"].number
    each = facts["redo.commit_waits"].number, facts["redo.commit_ms"].number
    if not write or (facts["redo.sync_wait_s"].number and None in each):
        return None
    return Commits(
        waits=each[0] or 0.0,
        commit_ms=each[1] or 0.0,
        write_ms=write,
        busy=min((facts["redo.lgwr_busy_pct"].number or 0.0) / 100, _BUSIEST),
        write_bytes=facts["redo.bytes_per_write"].number or 0.0,
        buffer_wait_s=facts["redo.buffer_wait_s"].number or 0.0,
    )


def size_ms(write_bytes: float, mb_s: float) -> float:
    """How long the bytes of a write take at a throughput in MB/s."""
    return write_bytes * 1000 / (mb_s * _MB)


def with_write(now: Commits, write_ms: float) -> Outcome:
    """The same commits with log writes of another duration, shorter or longer."""
    factor = write_ms / now.write_ms
    busy = now.busy * factor
    if now.commit_ms < now.write_ms:  # commits wait only for a part of a write
        queue, commit = 0.0, now.commit_ms * factor
    else:
        queue = _queue(write_ms, busy) if now.queue_ms else 0.0
        scale = now.queue_ms / own if (own := _queue(now.write_ms, now.busy)) else 0.0
        queue *= scale
        commit = write_ms + queue + now.rest_ms
    waits_for_device = now.busy >= BUFFER_BUSY or now.write_ms >= BUFFER_WRITE_MS
    buffer = now.buffer_wait_s * (1 - factor) if waits_for_device else 0.0
    saved = now.waits * (now.commit_ms - commit) / 1000
    return Outcome(write_ms, queue, commit, saved, buffer, busy >= 1)


def _queue(write_ms: float, busy: float) -> float:
    """The wait for the writes ahead of one's own, by M/M/1."""
    busy = min(busy, _BUSIEST)
    return write_ms * busy / (1 - busy)
