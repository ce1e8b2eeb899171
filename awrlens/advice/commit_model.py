"""What a commit would take with another log device: the write, the queue for LGWR, and the rest.

LGWR is a single server. Of a commit of R ms the write takes S; commits that come while LGWR is
busy wait for the writes before theirs, S·ρ/(1−ρ) ms on average (M/M/1, ρ: how busy LGWR is), as
far as R has room for it; the rest F is CPU, posting, other instances, a standby. A device that
writes in S′ ms makes LGWR less busy, ρ′ = ρ·S′/S, and the queue shrinks as the model's does:

    q′ = q · S′·ρ′/(1−ρ′) / (S·ρ/(1−ρ))
    R′ = S′ + q′ + F

A saving that leaves the queue out is no upper bound: where LGWR is busy most of the wait is queue.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

    from awrlens.model import Fact

#: A server that is always busy has no queue of finite length.
_BUSIEST: Final = 0.99
#: From this share on waits for the log buffer are waits for LGWR's device.
BUFFER_BUSY: Final = 0.5
#: And from this write time on, in ms.
BUFFER_WRITE_MS: Final = 10.0
_MB: Final = 10**6


class Commits(NamedTuple):
    """What a report says of its commits; ``busy`` is LGWR's share of the interval, 0 to 1."""

    waits: float
    commit_ms: float
    write_ms: float
    busy: float
    write_bytes: float
    buffer_wait_s: float

    @property
    def queue_ms(self) -> float:
        """The part of a commit that waits for writes before its own."""
        return min(max(0.0, self.commit_ms - self.write_ms), _queue(self.write_ms, self.busy))

    @property
    def rest_ms(self) -> float:
        """The part of a commit that no log device shortens."""
        return max(0.0, self.commit_ms - self.write_ms - self.queue_ms)


class Outcome(NamedTuple):
    """Commits with another device: what each takes, and the seconds that are saved in all.

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
        """Commit waits and waits for the log buffer together."""
        return self.commit_saved_s + self.buffer_saved_s


def commits(facts: Mapping[str, Fact]) -> Commits | None:
    """The commits of a report; None where it does not print the write, or how many waited."""
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
    """What the size of a write takes at a throughput in MB/s."""
    return write_bytes * 1000 / (mb_s * _MB)


def with_write(now: Commits, write_ms: float) -> Outcome:
    """The same commits with log writes of another length, slower ones included."""
    factor = write_ms / now.write_ms
    busy = now.busy * factor
    if now.commit_ms < now.write_ms:  # commits meet only a part of each write
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
    """Wait for the writes before one's own: M/M/1."""
    busy = min(busy, _BUSIEST)
    return write_ms * busy / (1 - busy)
