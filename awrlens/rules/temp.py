"""Temporary tablespaces: their I/O and its latency, their disks, and whether memory would avoid it.

Source of the reasoning: Write Accelerator, "Temporary Tablespace Writes and Reads": tune
`pga_aggregate_target` or the work area sizes before storage.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.policy import Threshold
from awrlens.rules.base import Diagnosis, of, rule, unnoticed
from awrlens.units import first_of, listed, ms_words, plain

if TYPE_CHECKING:
    from awrlens.model import Fact
    from awrlens.rules.base import Facts, Gate, Number, Shown, Some
    from awrlens.severity import Weighed


HEAVY_SHARE_PCT: Final = Threshold(
    "temp.heavy_share_pct", 20.0, "%",
    "share of temporary tablespaces in all I/O, or in its time, above which they are a main source",
    "Write Accelerator, figure 6: third by I/Os, first by read time (29 %), called excessive",
)  # fmt: skip
MOSTLY_WORK_AREAS_PCT: Final = Threshold(
    "temp.mostly_work_areas_pct", 50.0, "%",
    "share of work areas in direct temp I/O below which the main cause is something else",
    "awrlens: the majority",
)  # fmt: skip
SLOW_READ_MS: Final = Threshold(
    "temp.slow_read_ms", 2.0, "ms",
    "time of a temp read above which it is slow; plus its size divided by impact.size_mb_s",
    "Write Accelerator, figures 6 (24.6 ms) and 8 (2.1 ms with cached disks)",
)  # fmt: skip
SLOW_WRITE_MS: Final = Threshold(
    "temp.slow_write_ms", 8.0, "ms",
    "wait for a temp write above which it is slow; plus its size divided by impact.size_mb_s",
    "Write Accelerator, figures 7 and 8 (1.5 to 17.2 ms and 7.4 to 7.8 ms on disks)",
)  # fmt: skip


def temp_waits(
    f: Facts, temp_direct_wait_s: Number | None, temp_direct_ms: float | None,
    temp_direct_b: float | None, temp_read_ms: float | None,
) -> Weighed:  # fmt: skip
    """All waits for temp I/O, weighed: their number, and how slow each is."""
    each = temp_direct_ms or temp_read_ms
    return f.weigh(temp_direct_wait_s, each_ms=each, size_bytes=temp_direct_b)


def other_io(temp_direct_wait_s: Fact | None) -> str:
    """The doubt about the waits of old releases."""
    estimated = temp_direct_wait_s is not None and temp_direct_wait_s.status == "estimated"
    return "the waits include other direct I/O" if estimated else ""


#: What shows that a tablespace is temporary if no tempfile does, by the status of the fact.
_SIGNS: Final = {
    "estimated": "only by name",
    "derived": "by the I/O of Temp File in IOStat by Filetype",
}


def identified(temp_tablespaces: Fact | None) -> str:
    """How the temporary tablespaces are known, if not by tempfiles: a sentence, or nothing."""
    if temp_tablespaces is None:
        return ""
    sign, names = _SIGNS.get(temp_tablespaces.status), temp_tablespaces.value
    if sign is None or not isinstance(names, tuple) or not names:
        return ""
    are = "is" if len(names) == 1 else "are"
    return f" {listed(names)} {are} known as temporary {sign}."


@rule("TEMP001", thresholds=(HEAVY_SHARE_PCT, MOSTLY_WORK_AREAS_PCT))
def heavy_temp_io(
    f: Facts, temp_io_share_pct: Fact, temp_read_time_share_pct: float | None,
    _temp_io_rank: Shown, temp_direct_wait_s: Gate, temp_sorts_disk: float | None,
    pga_temp_share_pct: float | None,
    *, temp_reads: float | None, temp_writes: float | None, known_by: str = of(identified),
    doubt: str = of(other_io), weighed: Weighed = of(temp_waits),
) -> Diagnosis | None:  # fmt: skip
    """Temporary tablespaces are a main source of I/O, and sessions wait for it.

    What it means:
        Sorts, hash joins, bitmap operations or temporary tables do not fit in memory.
    Why it matters:
        The I/O slows the SQL that causes it and everything else on the same disks.
    How it is computed:
        Blocks read from and written to temporary tablespaces / all physical reads and writes; if
        the report has no sizes, their share of requests. In addition, the share of read time (reads
        × their average), because slow reads are few; seconds of direct path waits for temporary
        segments. `sorts (disk)` is shown but not used: it can be 0 while temp I/O is the largest of
        all.
    Example:
        With `temp.io_share_pct` = 47.0, `temp.direct_wait_s` = 600.0, `load.response_s` = 9000.0,
        `temp.reads` = 1985044.0, `temp.writes` = 77761.0, `temp.sorts_disk` = 0.0: warning,
        "Temporary tablespaces do 47 % of all I/O; sessions waited 600 s".
    Threshold:
        temp.heavy_share_pct (20 %), and how many sessions wait and how long; if timed statistics
        were mostly off, the share alone is an info. Below
        temp.mostly_work_areas_pct (50 %) of the direct temp I/O, sorts and joins are not the main
        cause.
    What to do:
        Memory first (see TEMP003), then the SQL that spills, then storage.
    How to verify:
        Share and waits fall in the next report of the same work.
    When it is wrong:
        Before 10g, direct path waits for temporary and other segments are one event.
    Sources:
        Write Accelerator, "Temporary Tablespace Writes and Reads", figures 6 to 9.
    """
    share, time = temp_io_share_pct.number or 0.0, temp_read_time_share_pct or 0.0
    least = f.limit(HEAVY_SHARE_PCT)
    hidden = f.scale.undertimed and share >= least
    if max(share, time) < least or not (weighed.matters or hidden):
        return None
    waits = f"sessions waited {temp_direct_wait_s:,.0f} s"
    if hidden:  # the amount of I/O does not depend on timed statistics
        weighed, waits = weighed._replace(severity="info"), "most waits were not timed"
    requests = " requests" if "requests" in temp_io_share_pct.note else ""
    much = f"do {share:.0f} % of all I/O{requests}"
    if share < least:
        much += f" and take {time:.0f} % of the time of all reads"
    areas = 100.0 if pga_temp_share_pct is None else pga_temp_share_pct
    cause = first_of(
        (areas < f.limit(MOSTLY_WORK_AREAS_PCT),
         f"Work areas are {areas:.0f} % of the temp I/O. The rest is temporary tables or LOBs, "
         "which more PGA memory does not avoid."),
        (temp_sorts_disk == 0,
         "`sorts (disk)` is 0: the spills are hash joins, bitmap operations or temporary tables."),
        (True, "Work areas spill to disk."),
    )  # fmt: skip
    return Diagnosis(
        f"Temporary tablespaces {much}; {waits}",
        weighed,
        f.impact(temp_direct_wait_s, "direct path waits for temporary segments"),
        f"{cause}{known_by}",
        waits=(temp_reads or 0) + (temp_writes or 0),
        doubt=doubt,
        related=("TEMP002", "TEMP003"),
    )


@rule("TEMP002", thresholds=(SLOW_READ_MS,))
def slow_temp_io(
    f: Facts, temp_direct_read_ms: float | None, temp_read_ms: float | None,
    temp_direct_read_wait_s: Number | None, temp_direct_wait_s: Gate,
    *, temp_reads: float | None, temp_direct_read_b: float | None, temp_direct_b: float | None,
    temp_direct_ms: float | None, known_by: str = of(identified), doubt: str = of(other_io),
    waits: Weighed = of(temp_waits),
) -> Diagnosis | None:  # fmt: skip
    """Reads from temporary tablespaces are slow, and sessions wait for them.

    What it means:
        The device of the tempfiles is slow.
    Why it matters:
        SQL that spills waits for every block that it reads back.
    How it is computed:
        `direct path read temp`: total wait / waits. If the release does not have that event, the
        read time of temporary tablespaces weighted by reads; the title then has the average of all
        direct path waits, reads and writes, if it is known.
    Example:
        With `temp.read_ms` = 24.6, `temp.direct_wait_s` = 600.0, `load.response_s` = 9000.0,
        `temp.reads` = 26339.0: warning, "Temp reads average 24.6 ms".
    Threshold:
        temp.slow_read_ms (2 ms) plus the size of the read divided by impact.size_mb_s, and how many
        sessions wait and how slow each wait is.
    What to do:
        Place tempfiles apart from data files; see the temp storage verdict.
    How to verify:
        The average of `direct path read temp` falls.
    When it is wrong:
        The reads are few, or they go through a file system cache of another host.
    Sources:
        Write Accelerator, figures 6 to 9 (24.6, 2.1 and 0.1 ms).
    """
    event, reading, device = temp_direct_read_ms, temp_direct_read_wait_s, temp_read_ms
    latency, size = event or device, temp_direct_read_b or temp_direct_b
    if latency is None or not f.slower_than(SLOW_READ_MS, latency, size):
        return None
    seconds = temp_direct_wait_s if reading is None else reading
    # one time in the title: where only waits for reads and writes together are known, theirs
    both = temp_direct_ms if reading is None else None
    shown = latency if both is None else both
    # reads that are sent ahead overlap
    ahead = (
        f" The device takes {ms_words(device)} per read; Oracle sends several at the same time."
        if device is not None and device > 2 * shown
        else ""
    )
    return Diagnosis(
        f"{'Temp reads' if both is None else 'Waits for temp I/O'} average {ms_words(shown)}",
        waits if reading is None else f.weigh(reading, each_ms=latency, size_bytes=size),
        f.impact(seconds, "direct path waits for temporary segments"),
        f"Sessions waited {seconds:,.0f} s for them.{ahead}{'' if event else known_by}",
        hide=(
            *(() if event else ("temp.direct_read_ms",)),
            *(() if reading is None else ("temp.direct_wait_s",)),
        ),
        waits=temp_reads,
        doubt=doubt,
        related=("TEMP001",),
    )


@rule("TEMP008", thresholds=(SLOW_WRITE_MS,))
def slow_temp_writes(
    f: Facts, temp_direct_write_ms: float, temp_direct_write_p50_ms: float | None,
    temp_direct_write_wait_s: Gate, *, temp_direct_write_b: float | None,
) -> Diagnosis | None:  # fmt: skip
    """Sessions wait long for writes to a temporary tablespace.

    What it means:
        The device of the tempfiles is slow for writes, or gets too many at the same time.
    Why it matters:
        A sort that spills stops until its run is written. Reads may be fast because of a cache.
    How it is computed:
        `direct path write temp`: total wait / waits.
    Example:
        With `temp.direct_write_ms` = 28.0, `temp.direct_write_wait_s` = 600.0, `load.response_s` =
        9000.0: warning, "Temp writes average 28 ms".
    Threshold:
        temp.slow_write_ms (8 ms) plus the size of the write divided by impact.size_mb_s, and how
        many sessions wait and how slow each wait is.
    What to do:
        Memory first; then tempfiles on separate devices with a write cache.
    How to verify:
        The average of the event falls, and so does `Av Writes(ms)` of the tempfiles if it is in the
        report.
    When it is wrong:
        Sessions send several writes and wait for all of them: a wait may be longer than a write of
        the device.
    Sources:
        Write Accelerator, figures 7 to 9 (1.5 to 17.2 ms and 7.8 ms on disks, 1.7 ms on the
        device). Its text states writes of 1 to 2 ms for figure 8, which are the read times there.
    """
    half, size = temp_direct_write_p50_ms, temp_direct_write_b
    if not f.slower_than(SLOW_WRITE_MS, temp_direct_write_ms, size):
        return None
    mostly = half is not None and f.scale.how_slow(half, size) == 0
    return Diagnosis(
        f"Temp writes average {ms_words(temp_direct_write_ms)}",
        f.weigh(temp_direct_write_wait_s, each_ms=temp_direct_write_ms, size_bytes=size),
        f.impact(temp_direct_write_wait_s, "`direct path write temp`"),
        f"Half of them end within {half:g} ms: a part of them is slow, in bursts or by other load."
        if mostly
        else "Temp writes are slow; fast reads, which are often cached, do not contradict this.",
        hide=() if mostly else ("temp.direct_write_p50_ms",),
        waits=temp_direct_write_wait_s * 1000 / temp_direct_write_ms,
        related=("TEMP001", "TEMP002"),
    )


NEIGHBOUR_SHARE_PCT: Final = Threshold(
    "temp.neighbour_share_pct", 20.0, "%",
    "share of temp I/O in all I/O of a location, and of other I/O there, above which each affects "
    "the other",
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

#: Number of locations and SQL ids in a title.
_NAMED: Final = 2


def _listed(places: tuple[str, ...]) -> str:
    """Two names, and the number of further ones."""
    more = len(places) - _NAMED
    return " and ".join(places[:_NAMED]) + (f" and {more} more" if more > 0 else "")


@rule("TEMP004", thresholds=(NEIGHBOUR_SHARE_PCT, NEIGHBOUR_MS, NEIGHBOUR_RATIO))
def temp_files_beside_data_files(
    f: Facts, temp_shared_places: tuple[str, ...], temp_shared_place_io_pct: float | None,
    temp_neighbour_read_ms: float | None, temp_elsewhere_read_ms: float | None,
    temp_direct_wait_s: Gate,
    *, known_by: str = of(identified), doubt: str = of(other_io),
    weighed: Weighed = of(temp_waits, ends=unnoticed),
) -> Diagnosis | None:  # fmt: skip
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
        temp.neighbour_share_pct (20 %) of the I/O there for temp, and as much for the data files:
        otherwise separate disks separate nothing. temp.neighbour_read_ms (5 ms) for the reads of
        the data files, temp.neighbour_ratio (1.5) if data files are elsewhere too, and the weight
        of the direct path waits; at most a warning.
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
    share, read = temp_shared_place_io_pct, temp_neighbour_read_ms
    elsewhere = temp_elsewhere_read_ms
    if share is None or read is None:
        return None  # no data file there, or none that sessions read
    if min(share, 100 - share) < f.limit(NEIGHBOUR_SHARE_PCT) or read < f.limit(NEIGHBOUR_MS):
        return None
    if elsewhere is not None and read < elsewhere * f.limit(NEIGHBOUR_RATIO):
        return None
    return Diagnosis(
        f"Tempfiles share {_listed(temp_shared_places)} with data files whose reads take "
        f"{ms_words(read)}{'' if elsewhere is None else f', {ms_words(elsewhere)} elsewhere'}",
        weighed.at_most_a_warning,
        f.impact(temp_direct_wait_s, "direct path waits for temporary segments"),
        f"Temp I/O is {share:.0f} % of all I/O there.{known_by}",
        doubt=doubt,
        related=("TEMP001", "TEMP002"),
    )


@rule("TEMP006")
def statements_wait_for_temp(
    f: Facts, temp_spilling_sql: tuple[str, ...] | None, temp_direct_wait_s: Gate,
    *, temp_spilling_sql_pct: float | None, weighed: Weighed = of(temp_waits, ends=unnoticed),
) -> Diagnosis | None:  # fmt: skip
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
    if not temp_spilling_sql:
        return None
    wait = f"wait{'s' if len(temp_spilling_sql) == 1 else ''}"
    return Diagnosis(
        f"SQL {_listed(temp_spilling_sql)} {wait} for temp I/O",
        weighed,
        f.impact(temp_direct_wait_s, "direct path waits for temporary segments, of all SQL"),
        f"This SQL waiting for temp I/O is {temp_spilling_sql_pct or 0:.1f} % of all sampled "
        "activity.",
        related=("TEMP001",),
    )


@rule("TEMP010")
def sort_segment_waits(
    f: Facts, temp_segment_wait_s: Gate, temp_segment_wait_ms: float | None
) -> Diagnosis | None:
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
    return Diagnosis(
        f"Sessions waited {temp_segment_wait_s:,.0f} s for space in a temporary tablespace",
        f.weigh(temp_segment_wait_s, each_ms=temp_segment_wait_ms),
        f.impact(temp_segment_wait_s, "`enq: SS - contention`"),
        "No extents of the sort segment were free in this instance.",
        related=("TEMP001",),
    )


MEMORY_ENDS_PCT: Final = Threshold(
    "pga.memory_ends_pct", 25.0, "%",
    "share of temp I/O that the recommended PGA target avoids, above which it is worth the change",
    "awrlens: a quarter; a smaller change is not visible in a report",
)  # fmt: skip

_BASIS: Final = "direct path waits for temporary segments"


def advised(
    pga_recommended_target_mb: float | None,
    pga_target_mb: float | None,
    pga_recommended_ends_pct: float | None,
) -> str:
    """The advisory's result for a larger target, in one sentence; empty if it has none."""
    target, now, ends = pga_recommended_target_mb, pga_target_mb, pga_recommended_ends_pct
    if target is None or now is None or ends is None:
        return ""
    if target <= now:
        return f" PGA advisory: no gain above the current target of {now:,.0f} MB."
    return f" PGA advisory: {ends:.0f} % less disk I/O at {target:,.0f} MB (now {now:,.0f} MB)."


def spilled(pga_spilled_classes: Fact | None) -> str:
    """The part of the histogram with the passes; empty if it is not in the report or has none."""
    note = pga_spilled_classes.note if pga_spilled_classes and pga_spilled_classes.value else ""
    return f" {note[:1].upper()}{note[1:]}." if note else ""


@rule("TEMP003", thresholds=(MEMORY_ENDS_PCT,))
def work_areas_too_small(
    f: Facts, pga_multipass: Some, _pga_onepass: Shown, _pga_largest_spill_mb: Shown,
    pga_over_allocations: float | None, _pga_recommended_target_mb: Shown,
    temp_direct_wait_s: Number,
    *, pga_above_target_mb: float | None, pga_target_mb: float | None,
    pga_recommended_ends_pct: float | None, advice: str = of(advised), where: str = of(spilled),
    weighed: Weighed = of(temp_waits),
) -> Diagnosis | None:  # fmt: skip
    """Work areas read and write their data several times.

    What it means:
        Multi-pass executions: memory was so short that data was written to disk more than once.
    Why it matters:
        This multiplies temp I/O. More PGA memory avoids it without new hardware.
    How it is computed:
        `workarea executions - multipass`, otherwise the sum of the column in the PGA histogram; in
        addition, the over-allocations of the PGA advisory.
    Example:
        With `pga.multipass` = 5850.0, `temp.direct_wait_s` = 600.0, `load.response_s` = 9000.0,
        `pga.over_allocations` = 2655.0: warning, "5,850 multi-pass work area executions".
    Threshold:
        More than 0, and the weight of the direct path waits. If nobody waits, it is still info
        where the processes have more than PGA_AGGREGATE_TARGET and the advisory avoids at least
        pga.memory_ends_pct (25 %) of the temp I/O: the target is too small, and cheap to change.
    What to do:
        Raise PGA_AGGREGATE_TARGET as the PGA advisory shows. With manual PGA (WORKAREA_SIZE_POLICY
        = MANUAL), raise SORT_AREA_SIZE and HASH_AREA_SIZE.
    How to verify:
        The multi-pass column of the PGA histogram is 0.
    When it is wrong:
        One-off SQL, such as an index build, that no realistic memory size would hold.
    Sources:
        Write Accelerator, "Temporary Tablespace Writes and Reads" (tune the work areas first);
        Oracle Database Performance Tuning Guide, PGA memory management.
    """
    over = "PGA memory has been over-allocated since instance startup."
    short = over if pga_over_allocations else ""
    title = f"{pga_multipass:,.0f} multi-pass work area executions"
    if not weighed.matters:
        if not pga_above_target_mb or (pga_recommended_ends_pct or 0.0) < f.limit(MEMORY_ENDS_PCT):
            return None
        weighed = weighed._replace(severity="info")
        title += f" with a PGA target of {pga_target_mb or 0.0:,.0f} MB"
        short = f"The processes had {pga_above_target_mb:,.0f} MB more than the target. {short}"
    return Diagnosis(
        title,
        weighed,
        f.impact(temp_direct_wait_s, _BASIS),
        f"{short}{advice}{where}".strip() or "These work areas had too little memory.",
        waits=pga_multipass,
        related=("TEMP001",),
    )


@rule("TEMP005", needs=("pga.onepass", "pga.multipass"), thresholds=(MEMORY_ENDS_PCT,))
def one_pass_work_areas(
    f: Facts, pga_onepass: Some, _pga_recommended_target_mb: Shown,
    pga_recommended_ends_pct: float, _pga_largest_spill_mb: Shown, temp_direct_wait_s: Gate,
    *, pga_multipass: float, pga_temp_share_pct: float | None, advice: str = of(advised),
    where: str = of(spilled), weighed: Weighed = of(temp_waits, ends=unnoticed),
) -> Diagnosis | None:  # fmt: skip
    """Work areas spill to disk once, sessions wait for it, and more memory would avoid it.

    What it means:
        There are one-pass but no multi-pass executions: memory is nearly sufficient.
    Why it matters:
        According to the PGA advisory, a larger target keeps the data in memory.
    How it is computed:
        `workarea executions - onepass`; extra MB read and written at the current target and at the
        smallest target without over-allocation at which the gain flattens, times the share of work
        areas in the temp I/O.
    Example:
        With `pga.onepass` = 84.0, `pga.multipass` = 0.0, `pga.recommended_ends_pct` = 86.0,
        `temp.direct_wait_s` = 600.0, `load.response_s` = 9000.0, `pga.recommended_target_mb` =
        600.0, `pga.target_mb` = 100.0, `pga.temp_share_pct` = 98.0: warning, "84 one-pass work area
        executions that more PGA memory would avoid".
    Threshold:
        pga.memory_ends_pct (25 %) of the temp I/O, and the weight of the direct path waits.
    What to do:
        Raise PGA_AGGREGATE_TARGET to the recommended row, if the host has the memory.
    How to verify:
        `Extra W/A MB Read/Written` and one-pass executions fall.
    When it is wrong:
        The advisory covers the work since instance startup: a single batch of last week may be all
        of it.
    Sources:
        Write Accelerator, "Temporary Tablespace Writes and Reads"; Oracle Database Reference,
        V$PGA_TARGET_ADVICE.
    """
    if pga_multipass > 0:
        return None
    part = 1.0 if pga_temp_share_pct is None else min(pga_temp_share_pct / 100, 1.0)
    if pga_recommended_ends_pct * part < f.limit(MEMORY_ENDS_PCT):
        return None
    return Diagnosis(
        f"{pga_onepass:,.0f} one-pass work area executions that more PGA memory would avoid",
        weighed,
        f.impact(temp_direct_wait_s, _BASIS),
        f"{advice}{where}".strip() or "PGA advisory: less disk I/O at a larger target.",
        doubt="the advisory covers the time since instance startup",
        related=("TEMP001",),
    )


@rule("TEMP007")
def work_areas_sized_by_hand(
    f: Facts, pga_work_area_policy: str, pga_sort_area_size_b: float | None,
    temp_sorts_disk: float | None, temp_direct_wait_s: Gate,
    *, temp_writes: float | None, doubt: str = of(other_io),
    weighed: Weighed = of(temp_waits, ends=unnoticed),
) -> Diagnosis | None:  # fmt: skip
    """Work areas have fixed sizes, sorts spill to disk, and sessions wait for it.

    What it means:
        No PGA target is in force: every sort and join gets SORT_AREA_SIZE or HASH_AREA_SIZE,
        however much memory is free.
    Why it matters:
        A size that is sufficient for small sorts makes large ones spill, and no advisory shows how
        many.
    How it is computed:
        `workarea_size_policy`, `pga_aggregate_target` or, before 9i, their absence; `sorts (disk)`.
    Example:
        With `pga.work_area_policy` = "manual", `temp.direct_wait_s` = 600.0, `load.response_s` =
        9000.0, `temp.writes` = 30012.0, `temp.sorts_disk` = 1224.0, `pga.sort_area_size_b` =
        819200.0: warning, "1,224 disk sorts with manual work area sizing".
    Threshold:
        At least one disk sort, and the weight of the direct path waits.
    What to do:
        Since 9i, set PGA_AGGREGATE_TARGET and WORKAREA_SIZE_POLICY=AUTO. In 8i, raise the sizes
        only for the sessions that sort.
    How to verify:
        `sorts (disk)` and the I/O of the temporary tablespace fall.
    When it is wrong:
        A batch sets its own sizes on purpose. Before 10g, direct path waits for temporary and other
        segments are one event.
    Sources:
        Write Accelerator, "Temporary Tablespace Writes and Reads" (sort_area_size, hash_area_size,
        bitmap_merge_area_size; its `bitmap_create_area_size` is CREATE_BITMAP_AREA_SIZE).
    """
    sorts, size = temp_sorts_disk, pga_sort_area_size_b
    if pga_work_area_policy != "manual" or not sorts or not temp_writes:
        return None
    shown = first_of(
        (not size, "No PGA target is in force."),
        ((size or 0) >= 2**20, f"SORT_AREA_SIZE is {plain((size or 0) / 2**20)} MB."),
        (True, f"SORT_AREA_SIZE is {plain((size or 0) / 2**10)} KB."),
    )
    return Diagnosis(
        f"{sorts:,.0f} disk sorts with manual work area sizing",
        weighed,
        f.impact(temp_direct_wait_s, _BASIS),
        shown,
        waits=sorts,
        doubt=doubt,
        related=("TEMP001",),
    )


@rule("TEMP009")
def pga_limit_waits(
    f: Facts, pga_limit_wait_s: Gate, pga_limit_wait_ms: float | None, pga_target_mb: float | None
) -> Diagnosis | None:
    """Sessions wait because PGA memory is above its limit.

    What it means:
        All sessions together use more PGA memory than PGA_AGGREGATE_LIMIT. Whoever needs more has
        to wait until others have released some.
    Why it matters:
        Sessions wait although disks and CPU are free. If memory stays above the limit, Oracle ends
        calls of the largest sessions with ORA-04036.
    How it is computed:
        Total wait of `acknowledge over PGA limit` (12.1 and later).
    Example:
        With `pga.limit_wait_s` = 600.0, `load.response_s` = 9000.0, `pga.limit_wait_ms` = 30.0:
        warning, "Sessions waited 600 s because PGA memory was above its limit".
    Threshold:
        How many sessions wait, and how long each wait takes.
    What to do:
        Find the sessions and statements that use most PGA memory. If they need it, and the host has
        it free, increase PGA_AGGREGATE_LIMIT.
    How to verify:
        The event is no longer in the list, and no ORA-04036 is in the alert log.
    When it is wrong:
        A single session with a fault uses all the memory: a higher limit only delays the end.
    Sources:
        Oracle Database Reference, PGA_AGGREGATE_LIMIT; Oracle Database error messages, ORA-04036.
    """
    return Diagnosis(
        f"Sessions waited {pga_limit_wait_s:,.0f} s because PGA memory was above its limit",
        f.weigh(pga_limit_wait_s, each_ms=pga_limit_wait_ms),
        f.impact(pga_limit_wait_s, "`acknowledge over PGA limit`"),
        "PGA memory was above PGA_AGGREGATE_LIMIT"
        + ("." if pga_target_mb is None else f"; PGA_AGGREGATE_TARGET is {pga_target_mb:,.0f} MB."),
        related=("TEMP003",),
    )
