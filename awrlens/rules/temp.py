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
    "share of temporary tablespaces in all I/O, or in its time, from which they are a main source",
    "document 3, figure 6: third by I/Os, first by time of reads (29 %), called excessive",
)  # fmt: skip
SLOW_READ_MS: Final = Threshold(
    "temp.slow_read_ms", 5.0, "ms",
    "a temporary read that takes longer comes from a disk, not from a cache or flash",
    "document 3, figures 6 (24.6 ms) and 8 (2.1 ms with cached disks)",
)  # fmt: skip
MOSTLY_WORK_AREAS_PCT: Final = Threshold(
    "temp.mostly_work_areas_pct", 50.0, "%",
    "share of work areas in direct temporary I/O below which something else is the main cause",
    "awrlens: the majority",
)  # fmt: skip
SLOW_WRITE_MS: Final = Threshold(
    "temp.slow_write_ms", 10.0, "ms",
    "wait for a temporary write from which it is slow",
    "document 3, figures 7 and 8 (2.6 to 10.6 ms and 7.4 to 7.8 ms on disks)",
)  # fmt: skip
THRESHOLDS: Final = (
    HEAVY_SHARE_PCT, MOSTLY_WORK_AREAS_PCT, SLOW_READ_MS, SLOW_WRITE_MS,
)  # fmt: skip


def doubt(f: Facts) -> str:
    """What is doubtful about the waits of old releases."""
    estimated = f["temp.direct_wait_s"].status == "estimated"
    return "the waits include other direct I/O" if estimated else ""


@rule(
    "TEMP001",
    "heavy-temp-io",
    gate=("temp.direct_wait_s",),
    needs=("temp.io_share_pct", "temp.direct_wait_s", "load.response_s"),
    wants=("temp.reads", "temp.writes", "temp.sorts_disk", "temp.tablespaces", "temp.io_rank",
           "temp.read_time_share_pct", "pga.temp_share_pct", "pga.optimal_pct"),
    thresholds=(HEAVY_SHARE_PCT, MOSTLY_WORK_AREAS_PCT),
)  # fmt: skip
def heavy_temp_io(f: Facts) -> Finding | None:
    """Temporary tablespaces are a main source of I/O, and sessions wait for it.

    What it tells you:
        Sorts, hash joins, bitmaps or temporary tables do not fit in memory.
    Why it matters:
        The I/O costs the statements that cause it and everything else on the same disks.
    How it is computed:
        (reads + writes of temporary tablespaces) / (those of all tablespaces), and the same of
        reads × their average, because slow reads are few; seconds of direct path waits for
        temporary segments. `sorts (disk)` is shown, not trusted: it may be 0 while temporary I/O
        is the largest of all.
    Example:
        With `temp.io_share_pct` = 47.0, `temp.direct_wait_s` = 600.0, `load.response_s` = 9000.0,
        `temp.reads` = 1985044.0, `temp.writes` = 77761.0, `temp.sorts_disk` = 0.0: warning,
        "Temporary tablespaces do 47 % of all tablespace I/O".
    Threshold:
        temp.heavy_share_pct (20 %), and impact.info_pct of DB time for the waits. Below
        temp.mostly_work_areas_pct (50 %) of the direct temporary I/O, sorts and joins are not the
        main cause.
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
    time = f.get("temp.read_time_share_pct") or 0.0
    if max(share, time) < f.limit(HEAVY_SHARE_PCT) or not f.felt(seconds):
        return None
    much = f"do {share:.0f} % of all tablespace I/O"
    if share < f.limit(HEAVY_SHARE_PCT):
        much += f" and take {time:.0f} % of the time of all reads"
    return f.finding(
        heavy_temp_io,
        f"Temporary tablespaces {much}",
        f.severity(seconds),
        f.impact(seconds, "direct path waits for temporary segments"),
        _cause(f),
        "temp.io_share_pct",
        "temp.read_time_share_pct",
        "temp.io_rank",
        "temp.direct_wait_s",
        "temp.sorts_disk",
        "pga.temp_share_pct",
        waits=(f.get("temp.reads") or 0) + (f.get("temp.writes") or 0),
        doubt=doubt(f),
        related=("TEMP002", "TEMP003"),
    )


def _cause(f: Facts) -> str:
    """What writes to the temporary tablespaces, as far as the report tells."""
    share = f.get("pga.temp_share_pct")
    if share is not None and share < f.limit(MOSTLY_WORK_AREAS_PCT):
        return (
            f"Work areas make {share:.0f} % of the temporary I/O: the rest is temporary tables or "
            "LOBs, which PGA memory does not avoid."
        )
    if f.get("temp.sorts_disk") == 0:
        return "`sorts (disk)` is 0, and yet: hash joins, bitmaps or temporary tables spill."
    return "Work areas spill to disk."


@rule(
    "TEMP002",
    "slow-temp-io",
    gate=("temp.direct_wait_s",),
    needs=("temp.read_ms", "temp.direct_wait_s", "load.response_s"),
    wants=("temp.reads", "temp.direct_read_wait_s", "temp.direct_read_ms"),
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
    Example:
        With `temp.read_ms` = 24.6, `temp.direct_wait_s` = 600.0, `load.response_s` = 9000.0,
        `temp.reads` = 26339.0: warning, "A read from a temporary tablespace takes 24.6 ms".
    Threshold:
        temp.slow_read_ms (5 ms), and impact.info_pct of DB time for `direct path read temp`; for
        all direct path waits before 10g.
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
    reading = f.get("temp.direct_read_wait_s")
    seconds = f.number("temp.direct_wait_s") if reading is None else reading
    if latency < f.limit(SLOW_READ_MS) or not f.felt(seconds):
        return None
    return f.finding(
        slow_temp_io,
        f"A read from a temporary tablespace takes {latency:,.1f} ms",
        f.severity(seconds),
        f.impact(seconds, "direct path waits for temporary segments"),
        _felt_read(f, latency),
        "temp.read_ms",
        "temp.direct_read_ms",
        "temp.direct_read_wait_s" if reading is not None else "temp.direct_wait_s",
        waits=f.get("temp.reads"),
        doubt=doubt(f),
        related=("TEMP001",),
    )


def _felt_read(f: Facts, latency: float) -> str:
    """The device's time beside what sessions wait: reads that are sent ahead overlap."""
    waited = f.get("temp.direct_read_ms")
    if waited is not None and waited < latency / 2:
        return f"Sessions wait {waited:.1f} ms for each: the reads are sent several at a time."
    return "The device below the temporary files is slow."


@rule(
    "TEMP008",
    "slow-temp-writes",
    gate=("temp.direct_write_wait_s",),
    needs=("temp.direct_write_ms", "temp.direct_write_wait_s", "load.response_s"),
    wants=("temp.write_ms",),
    thresholds=(SLOW_WRITE_MS,),
)
def slow_temp_writes(f: Facts) -> Finding | None:
    """Sessions wait long for each write to a temporary tablespace.

    What it tells you:
        The device below the temporary files takes writes slowly, or too many at a time.
    Why it matters:
        A sort that spills stops until its run is written; reads may be fast out of a cache.
    How it is computed:
        `direct path write temp`: total wait / waits.
    Example:
        With `temp.direct_write_ms` = 28.0, `temp.direct_write_wait_s` = 600.0, `load.response_s`
        = 9000.0: warning, "A wait for a write to a temporary tablespace takes 28 ms".
    Threshold:
        temp.slow_write_ms (10 ms), and impact.info_pct of DB time for these waits.
    What to do:
        Memory first; then temporary files on devices of their own with a write cache.
    How to verify:
        The event's average falls; `Av Writes(ms)` of the temporary files where printed.
    When it is wrong:
        Writes are sent several at a time and waited for together: a wait may be longer than the
        write of the device.
    Sources:
        document 3, figures 7 to 9 (2.6 to 10.6 ms and 7.8 ms on disks, 1.7 ms on the device). Its
        text says writes of 1 to 2 ms for figure 8, which are the reads' times there.
    """
    latency, seconds = f.number("temp.direct_write_ms"), f.number("temp.direct_write_wait_s")
    if latency < f.limit(SLOW_WRITE_MS) or not f.felt(seconds):
        return None
    return f.finding(
        slow_temp_writes,
        f"A wait for a write to a temporary tablespace takes {latency:,.0f} ms",
        f.severity(seconds),
        f.impact(seconds, "`direct path write temp`"),
        "What is written waits for the disk, however fast reads may be.",
        "temp.direct_write_ms",
        "temp.direct_write_wait_s",
        waits=seconds * 1000 / latency,
        related=("TEMP001", "TEMP002"),
    )
