"""What makes writes wait apart from the device: LGWR's queue, and a backup; what one write is.

LGWR is a single server. Commits that arrive while it writes wait for those writes: S·ρ/(1−ρ) ms on
average, where S is the time of a write and ρ the share of time that LGWR writes (M/M/1).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.units import plain

if TYPE_CHECKING:
    from collections.abc import Callable

    Limit = Callable[[str], float]


#: A server that is always busy has an infinite queue.
BUSIEST: Final = 0.99


def queue_ms(write_ms: float, busy: float) -> float:
    """The wait for the writes ahead of one's own; ``busy`` is 0 to 1."""
    busy = min(busy, BUSIEST)
    return write_ms * busy / (1 - busy)


def queued_ms(commit_ms: float, write_ms: float, busy: float) -> float:
    """The part of a commit that is this queue: at most what the write leaves of it."""
    return min(max(0.0, commit_ms - write_ms), queue_ms(write_ms, busy))


#: A write this many times as long as a wait for it takes several waits (11.2.0.1).
_SEVERAL_WAITS: Final = 1.5


def is_several_waits(write_ms: float, wait_ms: float | None) -> bool:
    """Whether one write takes several waits for `log file parallel write`."""
    return bool(wait_ms) and write_ms >= _SEVERAL_WAITS * (wait_ms or 0.0)


def extent(places: str | None, suspect: str = "", quick: str = "") -> str:
    """How much of the storage is slow, or that the host is a ``suspect``, which slows all of it.

    It names what is ``quick``.
    """
    whole = f"Most storage is slow (not {quick})" if quick else "The whole storage is slow"
    whole = f"{whole}, or the host lacks CPU" if suspect else whole
    return f"A part of the storage is slow (reads take {places})" if places else whole


def lacks_throughput(
    size: float | None, write_ms: float, explained_ms: Callable[[float], float], limit: Limit
) -> bool:
    """Whether redo writes are large, and their size explains most of their time."""
    large = (size or 0.0) > limit("storage.throughput_bytes")
    return large and 2 * explained_ms(size or 0.0) >= write_ms


#: The facts that show it.
FACTS: Final = ("io.backup_pct", "io.backup_sessions")


def running(get: Callable[[str], float | None], limit: Limit) -> str:
    """What a backup did, in words; empty if there was none, or if it is not known.

    ``get`` and ``limit``: the facts of ``FACTS`` and the thresholds of this module.
    """
    share, processes = map(get, FACTS)
    if share is not None:
        much = share >= limit("writes.backup_pct")
        return f"a backup did {share:.0f} % of the I/O" if much else ""
    if processes is None or processes < limit("writes.backup_sessions"):
        return ""
    return f"a backup ran ({plain(processes, 2)} RMAN processes waiting for I/O on average)"


#: Events of the write path that only sessions wait for.
OF_SESSIONS: Final = (
    "log file sync", "log file switch", "log buffer space", "free buffer waits",
    "write complete waits", "buffer busy waits", "enq: ",
)  # fmt: skip
