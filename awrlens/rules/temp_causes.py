"""Temporary I/O: which files share its disks, and which statements cause it.

Source of the reasoning: document 3, "Temporary Tablespace Writes and Reads".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.policy import Threshold
from awrlens.rules.base import WEIGHED, Facts, rule
from awrlens.rules.temp import TEMP_WAITS, doubt, temp_waits

if TYPE_CHECKING:
    from awrlens.model import Finding

NEIGHBOUR_SHARE_PCT: Final = Threshold(
    "temp.neighbour_share_pct", 20.0, "%",
    "share of temporary I/O in all I/O of a place from which it matters to the data files there",
    "awrlens: as temp.heavy_share_pct, document 3's `a major source of IO operations`",
)  # fmt: skip

NEIGHBOUR_MS: Final = Threshold(
    "temp.neighbour_read_ms", 5.0, "ms",
    "read of data files beside temporary files from which they share the load of one device",
    "document 3, figures 6 (24.6 ms) and 8 (2.1 ms with cached disks)",
)  # fmt: skip

THRESHOLDS: Final = (NEIGHBOUR_SHARE_PCT, NEIGHBOUR_MS)
#: Places and statements that a title names.
_NAMED: Final = 2


def _listed(places: tuple[str, ...]) -> str:
    """Two places by name, and how many more there are."""
    more = len(places) - _NAMED
    return " and ".join(places[:_NAMED]) + (f" and {more} more" if more > 0 else "")


@rule(
    "TEMP004",
    "temp-files-beside-data-files",
    gate=("temp.direct_wait_s",),
    needs=("temp.shared_places", "temp.direct_wait_s", WEIGHED),
    wants=(*TEMP_WAITS, "temp.shared_place_io_pct", "temp.neighbour_read_ms"),
    thresholds=(NEIGHBOUR_SHARE_PCT, NEIGHBOUR_MS),
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
    Example:
        With `temp.shared_places` = ["+DATA2"], `temp.direct_wait_s` = 1763.0, `load.response_s` =
        40686.0, `temp.shared_place_io_pct` = 47.0, `temp.neighbour_read_ms` = 28.6: warning,
        "Temporary files share +DATA2 with data files that take 28.6 ms a read".
    Threshold:
        temp.neighbour_share_pct (20 %) of the I/O there, temp.neighbour_read_ms (5 ms) for the
        data files' reads, and what the direct path waits weigh; a warning at most.
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
    share, beside = f.get("temp.shared_place_io_pct"), f.get("temp.neighbour_read_ms")
    seconds = f.number("temp.direct_wait_s")
    if share is None or beside is None:
        return None  # no data file beside them, or none that is read
    if share < f.limit(NEIGHBOUR_SHARE_PCT) or beside < f.limit(NEIGHBOUR_MS):
        return None
    weighed = temp_waits(f)
    if not weighed.matters or not isinstance(places, tuple):
        return None
    return f.finding(
        temp_files_beside_data_files,
        f"Temporary files share {_listed(places)} with data files that take {beside:,.1f} ms "
        "a read",
        weighed._replace(severity="info" if weighed.severity == "info" else "warning"),
        f.impact(seconds, "direct path waits for temporary segments"),
        f"Temporary I/O is {share:.0f} % of all I/O there.",
        "temp.shared_places",
        "temp.shared_place_io_pct",
        "temp.neighbour_read_ms",
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
    """Statements that wait for temporary I/O are known by name.

    What it tells you:
        Samples of Active Session History caught these statements in temporary I/O.
    Why it matters:
        A plan that joins or sorts less is worth more than memory or storage for what it spills.
    How it is computed:
        "Top SQL with Top Events" and "Top SQL with Top Row Sources": rows whose event is
        `direct path read temp` or `direct path write temp`.
    Example:
        With `temp.direct_wait_s` = 600.0, `load.response_s` = 9000.0, `temp.spilling_sql` =
        ["9fw2c7d1m4k8q", "4tz0r5h3x6y1b"], `temp.spilling_sql_pct` = 12.4: warning, "SQL
        9fw2c7d1m4k8q and 4tz0r5h3x6y1b wait for temporary I/O".
    Threshold:
        At least one such statement, and what the direct path waits weigh.
    What to do:
        Look at the plans' work areas (V$SQL_WORKAREA), then at join order, filters and parallelism.
    How to verify:
        The statements leave the list, and the direct path waits fall.
    When it is wrong:
        The lists hold the top statements only, and releases before 12c print none: statements that
        are not listed may spill too.
    Sources:
        document 3, "Temporary Tablespace Writes and Reads" (find what spills); Oracle Database
        Reference, V$ACTIVE_SESSION_HISTORY.
    """
    found = f["temp.spilling_sql"].value
    seconds = f.number("temp.direct_wait_s")
    weighed = temp_waits(f)
    if not isinstance(found, tuple) or not found or not weighed.matters:
        return None
    return f.finding(
        statements_wait_for_temp,
        f"SQL {_listed(found)} wait{'s' if len(found) == 1 else ''} for temporary I/O",
        weighed,
        f.impact(seconds, "direct path waits for temporary segments, of all statements"),
        f"{f.get('temp.spilling_sql_pct') or 0:.1f} % of all sampled activity is theirs in it.",
        "temp.spilling_sql",
        "temp.direct_wait_s",
        related=("TEMP001",),
    )
