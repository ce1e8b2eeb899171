"""Temporary tablespaces: their I/O and its latency, their disks, and whether memory would avoid it.

Source of the reasoning: Write Accelerator, "Temporary Tablespace Writes and Reads": tune
`pga_aggregate_target` or the work area sizes before storage.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.rules.base import Diagnosis, of, rule, unnoticed
from awrlens.units import first_of, listed, ms_words, plain

if TYPE_CHECKING:
    from awrlens.model import Fact
    from awrlens.rules.base import Facts, Gate, Number, Shown, Some
    from awrlens.severity import Weighed


def temp_waits(
    f: Facts, temp_direct_wait_s: Number | None, temp_direct_ms: float | None,
    temp_direct_b: float | None, temp_read_ms: float | None,
) -> Weighed:  # fmt: skip
    """All waits for temp I/O, weighed: their number, and how slow each is."""
    wait_ms = temp_direct_ms or temp_read_ms
    return f.weigh(temp_direct_wait_s, each_ms=wait_ms, size_bytes=temp_direct_b)


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


@rule("TEMP001")
def heavy_temp_io(
    f: Facts, temp_io_share_pct: Fact, temp_read_time_share_pct: float | None,
    _temp_io_rank: Shown, temp_direct_wait_s: Gate, temp_sorts_disk: float | None,
    pga_temp_share_pct: float | None,
    *, temp_reads: float | None, temp_writes: float | None, io_backup_pct: float | None,
    known_by: str = of(identified), doubt: str = of(other_io), weighed: Weighed = of(temp_waits),
) -> Diagnosis | None:  # fmt: skip
    """Temporary tablespaces are a main source of I/O, and sessions wait for it."""
    share, time = temp_io_share_pct.number or 0.0, temp_read_time_share_pct or 0.0
    least = f.limit("temp.heavy_share_pct")
    hidden = f.scale.undertimed and share >= least
    if max(share, time) < least or not (weighed.matters or hidden):
        return None
    waits = f"sessions waited {temp_direct_wait_s:,.0f} s for temp I/O"
    if hidden:  # the amount of I/O does not depend on timed statistics
        weighed, waits = weighed._replace(severity="info"), "most waits were not timed"
    requests = " requests" if "requests" in temp_io_share_pct.note else ""
    # the tables of tablespaces and files do not have the I/O of RMAN
    but = " except backups" if (io_backup_pct or 0.0) >= 1 else ""
    much = f"do {share:.0f} % of all I/O{requests}{but}"
    if share < least:
        much += f" and take {time:.0f} % of the time of all reads"
    areas = 100.0 if pga_temp_share_pct is None else pga_temp_share_pct
    cause = first_of(
        (areas < f.limit("temp.mostly_work_areas_pct"),
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


@rule("TEMP002")
def slow_temp_io(
    f: Facts, temp_direct_read_ms: float | None, temp_read_ms: float | None,
    temp_direct_read_wait_s: Number | None, temp_direct_wait_s: Gate,
    *, temp_reads: float | None, temp_direct_read_b: float | None, temp_direct_b: float | None,
    temp_direct_ms: float | None, known_by: str = of(identified), doubt: str = of(other_io),
    waits: Weighed = of(temp_waits),
) -> Diagnosis | None:  # fmt: skip
    """Reads from temporary tablespaces are slow, and sessions wait for them."""
    event, reading, device = temp_direct_read_ms, temp_direct_read_wait_s, temp_read_ms
    latency, size = event or device, temp_direct_read_b or temp_direct_b
    if latency is None or not f.slower_than("temp.slow_read_ms", latency, size):
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


@rule("TEMP008")
def slow_temp_writes(
    f: Facts, temp_direct_write_ms: float, temp_direct_write_p50_ms: float | None,
    temp_direct_write_wait_s: Gate, *, temp_direct_write_b: float | None,
) -> Diagnosis | None:  # fmt: skip
    """Sessions wait long for writes to a temporary tablespace."""
    half, size = temp_direct_write_p50_ms, temp_direct_write_b
    if not f.slower_than("temp.slow_write_ms", temp_direct_write_ms, size):
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


#: Number of locations and SQL ids in a title.
_NAMED: Final = 2


def _listed(places: tuple[str, ...]) -> str:
    """Two names, and the number of further ones."""
    more = len(places) - _NAMED
    return " and ".join(places[:_NAMED]) + (f" and {more} more" if more > 0 else "")


@rule("TEMP004")
def temp_files_beside_data_files(
    f: Facts, temp_shared_places: tuple[str, ...], temp_shared_place_io_pct: float | None,
    temp_neighbour_read_ms: float | None, temp_elsewhere_read_ms: float | None,
    temp_direct_wait_s: Gate,
    *, known_by: str = of(identified), doubt: str = of(other_io),
    weighed: Weighed = of(temp_waits, ends=unnoticed),
) -> Diagnosis | None:  # fmt: skip
    """Tempfiles share disks with slow data files, and sessions wait."""
    share, read = temp_shared_place_io_pct, temp_neighbour_read_ms
    elsewhere = temp_elsewhere_read_ms
    if share is None or read is None:
        return None  # no data file there, or none that sessions read
    few = min(share, 100 - share) < f.limit("temp.neighbour_share_pct")
    if few or read < f.limit("temp.neighbour_read_ms"):
        return None
    if elsewhere is not None and read < elsewhere * f.limit("temp.neighbour_ratio"):
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
    """The report lists SQL that waits for temp I/O."""
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
    """Sessions wait for space in a temporary tablespace."""
    return Diagnosis(
        f"Sessions waited {temp_segment_wait_s:,.0f} s for space in a temporary tablespace",
        f.weigh(temp_segment_wait_s, each_ms=temp_segment_wait_ms),
        f.impact(temp_segment_wait_s, "`enq: SS - contention`"),
        "No extents of the sort segment were free in this instance.",
        related=("TEMP001",),
    )


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


@rule("TEMP003", some=("pga.multipass",), needs=(
    "pga.multipass|pga.over_allocations", "temp.direct_wait_s|pga.over_allocations",
))  # fmt: skip
def work_areas_too_small(
    f: Facts, pga_multipass: float | None, _pga_onepass: Shown, _pga_largest_spill_mb: Shown,
    pga_over_allocations: float | None, _pga_recommended_target_mb: Shown,
    temp_direct_wait_s: Number | None,
    *, pga_allocated_mb: float | None, pga_above_target_mb: float | None,
    pga_target_mb: float | None, pga_recommended_ends_pct: float | None,
    load_elapsed_s: float | None,
    advice: str = of(advised), where: str = of(spilled), weighed: Weighed = of(temp_waits),
) -> Diagnosis | None:  # fmt: skip
    """PGA memory is too small for its work areas."""
    times = pga_over_allocations or 0.0
    short = "" if not times else "PGA memory has been over-allocated since instance startup."
    if pga_multipass is None or temp_direct_wait_s is None:
        # a restart makes differences invalid; both snapshots and the advisory stay valid
        held, target = pga_allocated_mb or 0.0, pga_target_mb or 0.0
        if not times or not target or held < target * f.limit("pga.above_target_ratio"):
            return None
        return Diagnosis(
            f"PGA_AGGREGATE_TARGET is {target:,.0f} MB, but {held:,.0f} MB is allocated",
            "info",
            f.impact(None, "memory, not waits"),
            f"PGA memory was over-allocated {times:,.0f} times since instance startup.{advice}",
            also=("pga.target_mb", "pga.allocated_mb"),
        )
    title = f"{pga_multipass:,.0f} multi-pass work area executions"
    if not weighed.matters:
        small = (pga_recommended_ends_pct or 0.0) >= f.limit("pga.memory_ends_pct")
        if pga_recommended_ends_pct is None and load_elapsed_s:
            small = pga_multipass * 3600 / load_elapsed_s >= f.limit("pga.multipass_per_h")
        if not pga_above_target_mb or not small:
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


@rule("TEMP005", needs=("pga.onepass", "pga.multipass"))
def one_pass_work_areas(
    f: Facts, pga_onepass: Some, _pga_recommended_target_mb: Shown,
    pga_recommended_ends_pct: float, _pga_largest_spill_mb: Shown, temp_direct_wait_s: Gate,
    *, pga_multipass: float, pga_temp_share_pct: float | None, advice: str = of(advised),
    where: str = of(spilled), weighed: Weighed = of(temp_waits, ends=unnoticed),
) -> Diagnosis | None:  # fmt: skip
    """Work areas spill to disk once, sessions wait for it, and more memory would avoid it."""
    if pga_multipass > 0:
        return None
    part = 1.0 if pga_temp_share_pct is None else min(pga_temp_share_pct / 100, 1.0)
    if pga_recommended_ends_pct * part < f.limit("pga.memory_ends_pct"):
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
    """Work areas have fixed sizes, sorts spill to disk, and sessions wait for it."""
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
    """Sessions wait because PGA memory is above its limit."""
    return Diagnosis(
        f"Sessions waited {pga_limit_wait_s:,.0f} s because PGA memory was above its limit",
        f.weigh(pga_limit_wait_s, each_ms=pga_limit_wait_ms),
        f.impact(pga_limit_wait_s, "`acknowledge over PGA limit`"),
        "PGA memory was above PGA_AGGREGATE_LIMIT"
        + ("." if pga_target_mb is None else f"; PGA_AGGREGATE_TARGET is {pga_target_mb:,.0f} MB."),
        related=("TEMP003",),
    )
