"""Whether a backup loaded the storage during the interval: other writes then wait for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.policy import Threshold
from awrlens.units import plain

if TYPE_CHECKING:
    from collections.abc import Callable

PCT: Final = Threshold(
    "writes.backup_pct", 20.0, "%",
    "share of RMAN in the bytes of all functions, above which a backup comes first",
    "awrlens: a fifth of the I/O is a load of its own",
)  # fmt: skip
SESSIONS: Final = Threshold(
    "writes.backup_sessions", 1.0, "ratio",
    "RMAN processes that wait for I/O on average, above which a backup comes first if the report "
    "does not show its share of the I/O",
    "awrlens: one channel that is busy all the time",
)  # fmt: skip

#: The facts that show it.
FACTS: Final = ("io.backup_pct", "io.backup_sessions")


def running(get: Callable[[str], float | None], limit: Callable[[Threshold], float]) -> str:
    """What a backup did, in words; empty if there was none, or if it is not known.

    ``get`` and ``limit``: the facts of ``FACTS`` and the thresholds of this module.
    """
    share, processes = map(get, FACTS)
    if share is not None:
        return f"a backup did {share:.0f} % of the I/O" if share >= limit(PCT) else ""
    if processes is None or processes < limit(SESSIONS):
        return ""
    return f"a backup ran ({plain(processes, 2)} RMAN processes waiting for I/O on average)"
