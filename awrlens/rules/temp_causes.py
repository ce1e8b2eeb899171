"""Temp I/O: the files on the same disks, and the SQL that causes it.

Source of the reasoning: Write Accelerator, "Temporary Tablespace Writes and Reads".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.policy import Threshold
from awrlens.rules.base import WEIGHED, Facts, rule
from awrlens.rules.temp import TEMP_WAITS, doubt, identified, temp_waits
from awrlens.units import ms_words

if TYPE_CHECKING:
    from awrlens.model import Finding

NEIGHBOUR_SHARE_PCT: Final = Threshold(
    "temp.neighbour_share_pct", 20.0, "%",
    "share of temp I/O in all I/O of a location above which it affects the data files there",
    'awrlens: as temp.heavy_share_pct; "Write Accelerator", `a major source of IO operations`',
)  # fmt: skip

NEIGHBOUR_MS: Final = Threshold(
    "temp.neighbour_read_ms", 5.0, "ms",
    "read time of data files next to tempfiles above which they compete for one device",
    "Write Accelerator, figures 6 (24.6 ms) and 8 (2.1 ms with cached disks)",
)  # fmt: skip

NEIGHBOUR_RATIO: Final = Threshold(
    "temp.neighbour_ratio", 1.5, "ratio",
    "read time of data files next to tempfiles over that of data files elsewhere above which "
    "tempfiles delay them",
    "awrlens: half as long again; less may be due to other files and other reads",
)  # fmt: skip

THRESHOLDS: Final = (NEIGHBOUR_SHARE_PCT, NEIGHBOUR_MS, NEIGHBOUR_RATIO)
#: Number of locations and SQL ids in a title.
_NAMED: Final = 2


def _listed(places: tuple[str, ...]) -> str:
    """Two names, and the number of further ones."""
    more = len(places) - _NAMED
    return " and ".join(places[:_NAMED]) + (f" and {more} more" if more > 0 else "")


@rule(
    "TEMP004",
    "temp-files-beside-data-files",
    gate=("temp.direct_wait_s",),
    needs=("temp.shared_places", "temp.direct_wait_s", WEIGHED),
    wants=(*TEMP_WAITS, "temp.shared_place_io_pct", "temp.neighbour_read_ms",
           "temp.elsewhere_read_ms", "temp.tablespaces"),
    thresholds=(NEIGHBOUR_SHARE_PCT, NEIGHBOUR_MS, NEIGHBOUR_RATIO),
)  # fmt: skip
def temp_files_beside_data_files(f: Facts) -> Finding | None:
    """Tempfiles share disks with slow data files, and sessions wait.

    What it means:
        File IO Stats has tempfiles and data files in one disk group, directory or drive.
    Why it matters:
        Bursts of temp I/O delay the reads of data on the same disks, and vice versa.
    How it is computed:
        Disk group, drive or directory of each file; share of temp I/O in all I/O there; read time
        of the data files there and elsewhere, weighted by reads.
    Example:
        With `temp.shared_places` = ["+DATA2"], `temp.direct_wait_s` = 1763.0, `load.response_s` =
        40686.0, `temp.shared_place_io_pct` = 47.0, `temp.neighbour_read_ms` = 28.6: warning,
        "Tempfiles share +DATA2 with data files whose reads take 28.6 ms".
    Threshold:
        temp.neighbour_share_pct (20 %) of the I/O there, temp.neighbour_read_ms (5 ms) for the
        reads of the data files, temp.neighbour_ratio (1.5) if data files are elsewhere too, and
        the weight of the direct path waits; at most a warning.
    What to do:
        Memory first; then tempfiles on separate disks.
    How to verify:
        `Av Rd(ms)` of the data files falls while the temporary tablespace is busy.
    When it is wrong:
        Directories with the same name may be on several devices. A disk group may be on flash; then
        the reads are not slow. Other directories may be on the same device, so the finding may be
        incomplete.
    Sources:
        Write Accelerator, "Temporary Tablespace Writes and Reads" (an isolated area).
    """
    places = f["temp.shared_places"].value
    share, read = f.get("temp.shared_place_io_pct"), f.get("temp.neighbour_read_ms")
    seconds = f.number("temp.direct_wait_s")
    if share is None or read is None:
        return None  # no data file there, or none that sessions read
    if share < f.limit(NEIGHBOUR_SHARE_PCT) or read < f.limit(NEIGHBOUR_MS):
        return None
    elsewhere = f.get("temp.elsewhere_read_ms")
    if elsewhere is not None and read < elsewhere * f.limit(NEIGHBOUR_RATIO):
        return None
    weighed = temp_waits(f)
    if not weighed.matters or not isinstance(places, tuple):
        return None
    return f.finding(
        temp_files_beside_data_files,
        f"Tempfiles share {_listed(places)} with data files whose reads take {ms_words(read)}"
        f"{'' if elsewhere is None else f', {ms_words(elsewhere)} elsewhere'}",
        weighed._replace(severity="info" if weighed.severity == "info" else "warning"),
        f.impact(seconds, "direct path waits for temporary segments"),
        f"Temp I/O is {share:.0f} % of all I/O there.{identified(f)}",
        "temp.shared_places",
        "temp.shared_place_io_pct",
        "temp.neighbour_read_ms",
        "temp.elsewhere_read_ms",
        "temp.direct_wait_s",
        doubt=doubt(f),
        related=("TEMP001", "TEMP002"),
    )


@rule(
    "TEMP006",
    "statements-wait-for-temp",
    gate=("temp.direct_wait_s",),
    needs=("temp.direct_wait_s", WEIGHED),
    wants=(*TEMP_WAITS, "temp.spilling_sql", "temp.spilling_sql_pct"),
)
def statements_wait_for_temp(f: Facts) -> Finding | None:
    """The report lists SQL that waits for temp I/O.

    What it means:
        Samples of Active Session History show this SQL waiting for temp I/O.
    Why it matters:
        A plan that joins or sorts less saves more than memory or storage for the spills.
    How it is computed:
        "Top SQL with Top Events" and "Top SQL with Top Row Sources": rows whose event is
        `direct path read temp` or `direct path write temp`.
    Example:
        With `temp.direct_wait_s` = 600.0, `load.response_s` = 9000.0, `temp.spilling_sql` =
        ["9fw2c7d1m4k8q", "4tz0r5h3x6y1b"], `temp.spilling_sql_pct` = 12.4: warning, "SQL
        9fw2c7d1m4k8q and 4tz0r5h3x6y1b wait for temp I/O".
    Threshold:
        At least one such SQL, and the weight of the direct path waits.
    What to do:
        Check the work areas of the plans (V$SQL_WORKAREA), then join order, filters and
        parallelism.
    How to verify:
        The SQL is no longer in the list, and the direct path waits fall.
    When it is wrong:
        The lists have only the top SQL, and releases before 12c have none: other SQL may also
        spill.
    Sources:
        Write Accelerator, "Temporary Tablespace Writes and Reads" (find what spills); Oracle
        Database Reference, V$ACTIVE_SESSION_HISTORY.
    """
    found = f["temp.spilling_sql"].value
    seconds = f.number("temp.direct_wait_s")
    weighed = temp_waits(f)
    if not isinstance(found, tuple) or not found or not weighed.matters:
        return None
    return f.finding(
        statements_wait_for_temp,
        f"SQL {_listed(found)} wait{'s' if len(found) == 1 else ''} for temp I/O",
        weighed,
        f.impact(seconds, "direct path waits for temporary segments, of all SQL"),
        f"This SQL waiting for temp I/O is {f.get('temp.spilling_sql_pct') or 0:.1f} % of all "
        "sampled activity.",
        "temp.spilling_sql",
        "temp.direct_wait_s",
        related=("TEMP001",),
    )


@rule(
    "TEMP010",
    "sort-segment-waits",
    gate=("temp.segment_wait_s",),
    needs=("temp.segment_wait_s", WEIGHED),
    wants=("temp.segment_wait_ms",),
)
def sort_segment_waits(f: Facts) -> Finding | None:
    """Sessions wait for space in a temporary tablespace.

    What it means:
        An instance has no free extents in the sort segment of a temporary tablespace. In RAC, it
        has to get extents that other instances have cached.
    Why it matters:
        Statements that spill wait before they read or write. Faster storage does not shorten it.
    How it is computed:
        Total wait of `enq: SS - contention` and `sort segment request`.
    Example:
        With `temp.segment_wait_s` = 600.0, `load.response_s` = 9000.0, `temp.segment_wait_ms` =
        690.0: warning, "Sessions waited 600 s for space in a temporary tablespace".
    Threshold:
        How many sessions wait, and how long each wait takes.
    What to do:
        Enlarge the temporary tablespace, with at least one tempfile per instance. Give loads and
        interactive users temporary tablespaces of their own.
    How to verify:
        The event is no longer in the list.
    When it is wrong:
        One statement fills the tablespace: then more space only delays the wait.
    Sources:
        Oracle Real Application Clusters Administration and Deployment Guide (temporary tablespaces:
        instances cache extents); Oracle Database Reference, V$TEMP_EXTENT_POOL, V$SORT_SEGMENT.
    """
    seconds = f.number("temp.segment_wait_s")
    weighed = f.weigh("temp.segment_wait_s", each_ms=f.get("temp.segment_wait_ms"))
    if not weighed.matters:
        return None
    return f.finding(
        sort_segment_waits,
        f"Sessions waited {seconds:,.0f} s for space in a temporary tablespace",
        weighed,
        f.impact(seconds, "`enq: SS - contention`"),
        "No extents of the sort segment were free in this instance.",
        "temp.segment_wait_s",
        "temp.segment_wait_ms",
        related=("TEMP001",),
    )
