"""Temporary tablespaces: their I/O, its latency, and whether memory would avoid it.

Source of the reasoning: document 3, "Temporary Tablespace Writes and Reads".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.policy import Threshold
from awrlens.rules.base import Facts, rule

if TYPE_CHECKING:
    from awrlens.model import Finding

HEAVY_SHARE_PCT: Final = Threshold(
    "temp.heavy_share_pct", 20.0, "%",
    "share of temporary tablespaces in all tablespace I/O from which they are a main source",
    "document 3, figure 6: third largest tablespace, called excessive",
)  # fmt: skip
SLOW_READ_MS: Final = Threshold(
    "temp.slow_read_ms", 5.0, "ms",
    "a temporary read that takes longer comes from a disk, not from a cache or flash",
    "document 3, figures 6 (24.6 ms) and 8 (2.1 ms with cached disks)",
)  # fmt: skip

THRESHOLDS: Final = (HEAVY_SHARE_PCT, SLOW_READ_MS)


def _doubt(f: Facts) -> str:
    """What is doubtful about the waits of old releases."""
    estimated = f["temp.direct_wait_s"].status == "estimated"
    return "the waits include other direct I/O" if estimated else ""


@rule(
    "TEMP001",
    "heavy-temp-io",
    needs=("temp.io_share_pct", "temp.direct_wait_s", "load.response_s"),
    wants=("temp.reads", "temp.writes", "temp.sorts_disk", "temp.tablespaces"),
    thresholds=(HEAVY_SHARE_PCT,),
)
def heavy_temp_io(f: Facts) -> Finding | None:
    """Temporary tablespaces are a main source of I/O, and sessions wait for it.

    What it tells you:
        Sorts, hash joins, bitmaps or temporary tables do not fit in memory.
    Why it matters:
        The I/O costs the statements that cause it and everything else on the same disks.
    How it is computed:
        (reads + writes of temporary tablespaces) / (those of all tablespaces); seconds of direct
        path waits for temporary segments. `sorts (disk)` is shown, not trusted: it may be 0
        while temporary I/O is the largest of all.
    Threshold:
        temp.heavy_share_pct (20 %), and impact.info_pct of DB time for the waits.
    What to do:
        Memory first (see TEMP003), then the statements that spill, then storage.
    How to verify:
        Share and waits fall in the next report of the same work.
    When it is wrong:
        Before 10g direct path waits of temporary and other segments are one event.
    Sources:
        document 3, "Temporary Tablespace Writes and Reads", figures 6 to 9.
    """
    share = f.number("temp.io_share_pct")
    seconds = f.number("temp.direct_wait_s")
    if share < f.limit(HEAVY_SHARE_PCT) or not f.felt(seconds):
        return None
    sorts = f.get("temp.sorts_disk")
    why = "Work areas spill to disk."
    if sorts == 0:
        why = "`sorts (disk)` is 0, and yet: hash joins, bitmaps or temporary tables spill."
    return f.finding(
        heavy_temp_io,
        f"Temporary tablespaces do {share:.0f} % of all tablespace I/O",
        f.severity(seconds),
        f.impact(seconds, "direct path waits for temporary segments"),
        why,
        "temp.io_share_pct",
        "temp.direct_wait_s",
        "temp.sorts_disk",
        waits=(f.get("temp.reads") or 0) + (f.get("temp.writes") or 0),
        doubt=_doubt(f),
        related=("TEMP002", "TEMP003"),
    )


@rule(
    "TEMP002",
    "slow-temp-io",
    needs=("temp.read_ms", "temp.direct_wait_s", "load.response_s"),
    wants=("temp.reads",),
    thresholds=(SLOW_READ_MS,),
)
def slow_temp_io(f: Facts) -> Finding | None:
    """Reads from temporary tablespaces are slow, and sessions wait for them.

    What it tells you:
        The device below the temporary files answers slowly.
    Why it matters:
        Statements that spill wait for every block that comes back.
    How it is computed:
        Read time of temporary tablespaces weighted by reads.
    Threshold:
        temp.slow_read_ms (5 ms), and impact.info_pct of DB time for direct path waits.
    What to do:
        Set temporary files apart from data files; see the temp storage verdict.
    How to verify:
        `Av Rd(ms)` of the tablespace falls.
    When it is wrong:
        Few reads; reads through a file system cache of another host.
    Sources:
        document 3, figures 6 to 9 (2.1 ms and 0.1 ms).
    """
    latency = f.number("temp.read_ms")
    seconds = f.number("temp.direct_wait_s")
    if latency < f.limit(SLOW_READ_MS) or not f.felt(seconds):
        return None
    return f.finding(
        slow_temp_io,
        f"A read from a temporary tablespace takes {latency:.1f} ms",
        f.severity(seconds),
        f.impact(seconds, "direct path waits for temporary segments"),
        "The device below the temporary files is slow.",
        "temp.read_ms",
        "temp.direct_wait_s",
        waits=f.get("temp.reads"),
        doubt=_doubt(f),
        related=("TEMP001",),
    )


@rule(
    "TEMP003",
    "work-areas-too-small",
    needs=("pga.multipass", "load.response_s"),
    wants=("pga.onepass", "pga.optimal_pct", "pga.over_allocations", "temp.direct_wait_s"),
)
def work_areas_too_small(f: Facts) -> Finding | None:
    """Work areas read and write their data several times.

    What it tells you:
        Multi-pass executions: memory was so short that data went to disk more than once.
    Why it matters:
        It multiplies temporary I/O, and more PGA avoids it without any hardware.
    How it is computed:
        `workarea executions - multipass`, else the sum of the PGA histogram's column;
        over-allocations of the PGA advisory beside it.
    Threshold:
        More than 0, and impact.info_pct of DB time for direct path waits where printed.
    What to do:
        Raise PGA_AGGREGATE_TARGET as the advisory's rows say; with manual work areas
        SORT_AREA_SIZE and HASH_AREA_SIZE.
    How to verify:
        The multi-pass column of the PGA histogram is 0.
    When it is wrong:
        A one-off statement, say an index build, that no memory would hold.
    Sources:
        document 3, "Temporary Tablespace Writes and Reads" (tune the work areas first); Oracle
        Database Performance Tuning Guide, PGA memory management.
    """
    multipass = f.number("pga.multipass")
    seconds = f.get("temp.direct_wait_s")
    if multipass <= 0 or (seconds is not None and not f.felt(seconds)):
        return None
    over = f.get("pga.over_allocations") or 0
    return f.finding(
        work_areas_too_small,
        f"{multipass:,.0f} work areas needed several passes over disk",
        f.severity(seconds) if seconds is not None else "info",
        f.impact(seconds, "direct path waits for temporary segments"),
        "PGA memory was over-allocated too." if over else "More PGA memory would avoid them.",
        "pga.multipass",
        "pga.onepass",
        "pga.over_allocations",
        "temp.direct_wait_s",
        related=("TEMP001",),
    )
