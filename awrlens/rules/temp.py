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
SLOW_WRITE_MS: Final = Threshold(
    "temp.slow_write_ms", 10.0, "ms",
    "wait for a temporary write from which it is slow",
    "document 3, figures 7 and 8 (2.6 to 10.6 ms and 7.4 to 7.8 ms on disks)",
)  # fmt: skip
NEIGHBOUR_SHARE_PCT: Final = Threshold(
    "temp.neighbour_share_pct", 20.0, "%",
    "share of temporary I/O in all I/O of a place from which it matters to the data files there",
    "awrlens: as temp.heavy_share_pct, document 3's `a major source of IO operations`",
)  # fmt: skip

THRESHOLDS: Final = (HEAVY_SHARE_PCT, SLOW_READ_MS, SLOW_WRITE_MS, NEIGHBOUR_SHARE_PCT)
#: Places and statements that a title names.
_NAMED: Final = 2


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
    "TEMP004",
    "temp-files-beside-data-files",
    needs=("temp.shared_places", "temp.shared_place_io_pct", "temp.neighbour_read_ms",
           "temp.direct_wait_s", "load.response_s"),
    wants=("temp.read_ms",),
    thresholds=(NEIGHBOUR_SHARE_PCT, SLOW_READ_MS),
)  # fmt: skip
def temp_files_beside_data_files(f: Facts) -> Finding | None:
    """Temporary files share disks with data files that answer slowly, and sessions wait.

    What it tells you:
        File IO Stats has temporary and data files in one disk group, directory or drive.
    Why it matters:
        Bursts of temporary I/O delay the reads of data on the same disks, and the other way round.
    How it is computed:
        Disk group, drive or directory of each file; temporary I/O in all I/O there; read time of
        the data files there, weighted by reads.
    Threshold:
        temp.neighbour_share_pct (20 %) of the I/O there, temp.slow_read_ms (5 ms) for the data
        files' reads, and impact.info_pct of DB time for direct path waits.
    What to do:
        Memory first; then temporary files on disks of their own.
    How to verify:
        `Av Rd(ms)` of the data files falls while the temporary tablespace is busy.
    When it is wrong:
        Directories of one name may be several devices, and a disk group may be of flash: then the
        reads are not slow. Other directories may be the same device: the finding is not complete.
    Sources:
        document 3, "Temporary Tablespace Writes and Reads" (an isolated area).
    """
    places = f["temp.shared_places"].value
    share, beside = f.number("temp.shared_place_io_pct"), f.number("temp.neighbour_read_ms")
    seconds = f.number("temp.direct_wait_s")
    if share < f.limit(NEIGHBOUR_SHARE_PCT) or beside < f.limit(SLOW_READ_MS):
        return None
    if not f.felt(seconds) or not isinstance(places, tuple):
        return None
    return f.finding(
        temp_files_beside_data_files,
        f"Temporary files share {_listed(places)} with data files that take {beside:.1f} ms a read",
        "info" if f.severity(seconds) == "info" else "warning",
        f.impact(seconds, "direct path waits for temporary segments"),
        f"Temporary I/O is {share:.0f} % of all I/O there.",
        "temp.shared_places",
        "temp.shared_place_io_pct",
        "temp.neighbour_read_ms",
        "temp.direct_wait_s",
        doubt=_doubt(f),
        related=("TEMP001", "TEMP002"),
    )


def _listed(places: tuple[str, ...]) -> str:
    """Two places by name, and how many more there are."""
    more = len(places) - _NAMED
    return " and ".join(places[:_NAMED]) + (f" and {more} more" if more > 0 else "")


@rule(
    "TEMP006",
    "statements-wait-for-temp",
    needs=("temp.spilling_sql", "temp.spilling_sql_pct", "temp.direct_wait_s", "load.response_s"),
    thresholds=(),
)
def statements_wait_for_temp(f: Facts) -> Finding | None:
    """Statements that wait for temporary I/O are known by name.

    What it tells you:
        Samples of Active Session History caught these statements in temporary I/O.
    Why it matters:
        A plan that joins or sorts less is worth more than memory or storage for what it spills.
    How it is computed:
        "Top SQL with Top Events" and "Top SQL with Top Row Sources": rows whose event is
        `direct path read temp` or `direct path write temp`.
    Threshold:
        At least one such statement, and impact.info_pct of DB time for direct path waits.
    What to do:
        Look at the plans' work areas (V$SQL_WORKAREA), then at join order, filters and parallelism.
    How to verify:
        The statements leave the list, and the direct path waits fall.
    When it is wrong:
        The lists hold the top statements only; those that spill little are not in it.
    Sources:
        document 3, "Temporary Tablespace Writes and Reads" (find what spills); Oracle Database
        Reference, V$ACTIVE_SESSION_HISTORY.
    """
    found = f["temp.spilling_sql"].value
    seconds = f.number("temp.direct_wait_s")
    if not isinstance(found, tuple) or not found or not f.felt(seconds):
        return None
    return f.finding(
        statements_wait_for_temp,
        f"SQL {_listed(found)} waits for temporary I/O",
        f.severity(seconds),
        f.impact(seconds, "direct path waits for temporary segments, of all statements"),
        f"{f.number('temp.spilling_sql_pct'):.1f} % of all sampled activity is theirs in it.",
        "temp.spilling_sql",
        "temp.direct_wait_s",
        related=("TEMP001",),
    )


@rule(
    "TEMP008",
    "slow-temp-writes",
    needs=("temp.direct_write_ms", "temp.direct_write_wait_s", "load.response_s"),
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
        f"A wait for a write to a temporary tablespace takes {latency:.0f} ms",
        f.severity(seconds),
        f.impact(seconds, "`direct path write temp`"),
        "Sorts and joins stop until their runs are on disk.",
        "temp.direct_write_ms",
        "temp.direct_write_wait_s",
        waits=seconds * 1000 / latency,
        related=("TEMP001", "TEMP002"),
    )
