"""How long a commit waits for the log writes ahead of its own.

LGWR is a single server. Commits that arrive while it writes wait for those writes: S·ρ/(1−ρ) ms on
average, where S is the time of a write and ρ the share of time that LGWR writes (M/M/1).
"""

from __future__ import annotations

from typing import Final

#: A server that is always busy has an infinite queue.
BUSIEST: Final = 0.99


def queue_ms(write_ms: float, busy: float) -> float:
    """The wait for the writes ahead of one's own; ``busy`` is 0 to 1."""
    busy = min(busy, BUSIEST)
    return write_ms * busy / (1 - busy)


def queued_ms(commit_ms: float, write_ms: float, busy: float) -> float:
    """The part of a commit that is this queue: at most what the write leaves of it."""
    return min(max(0.0, commit_ms - write_ms), queue_ms(write_ms, busy))
