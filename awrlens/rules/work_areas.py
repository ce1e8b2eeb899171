"""Work areas: whether memory would remove the temp I/O that sessions wait for.

Source of the reasoning: Write Accelerator, "Temporary Tablespace Writes and Reads": tune
`pga_aggregate_target` or the work area sizes before storage.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.policy import Threshold
from awrlens.rules.base import WEIGHED, Facts, rule
from awrlens.rules.temp import TEMP_WAITS, doubt, temp_waits
from awrlens.units import plain

if TYPE_CHECKING:
    from awrlens.model import Finding

MEMORY_ENDS_PCT: Final = Threshold(
    "pga.memory_ends_pct", 25.0, "%",
    "share of temp I/O that the recommended PGA target avoids, above which it is worth the change",
    "awrlens: a quarter; a smaller change is not visible in a report",
)  # fmt: skip

#: The doubt about the advisory's numbers.
SINCE_STARTUP: Final = "the advisory covers the time since instance startup"
_BASIS: Final = "direct path waits for temporary segments"


def _advised(f: Facts) -> str:
    """The advisory's result for a larger target, in one sentence; empty if it has none."""
    target, now = f.get("pga.recommended_target_mb"), f.get("pga.target_mb")
    ends = f.get("pga.recommended_ends_pct")
    if target is None or now is None or ends is None:
        return ""
    if target <= now:
        return f" PGA advisory: no gain above the current target of {now:,.0f} MB."
    return f" PGA advisory: {ends:.0f} % less disk I/O at {target:,.0f} MB (now {now:,.0f} MB)."


def _where(f: Facts) -> str:
    """The part of the histogram with the passes; empty if it is not in the report or has none."""
    classes = f["pga.spilled_classes"]
    return f" {classes.note[:1].upper()}{classes.note[1:]}." if classes.value else ""


@rule(
    "TEMP003",
    "work-areas-too-small",
    gate=("temp.direct_wait_s",),
    needs=("pga.multipass", "temp.direct_wait_s", WEIGHED),
    wants=(*TEMP_WAITS, "pga.onepass", "pga.optimal_pct", "pga.over_allocations",
           "pga.spilled_classes", "pga.recommended_target_mb", "pga.recommended_ends_pct",
           "pga.target_mb", "pga.largest_spill_mb"),
)  # fmt: skip
def work_areas_too_small(f: Facts) -> Finding | None:
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
        More than 0, and the weight of the direct path waits.
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
    multipass = f.number("pga.multipass")
    seconds = f.number("temp.direct_wait_s")
    if multipass <= 0 or not temp_waits(f).matters:
        return None
    over = f.get("pga.over_allocations") or 0
    short = "PGA memory has been over-allocated since instance startup." if over else ""
    advised = _advised(f)
    return f.finding(
        work_areas_too_small,
        f"{multipass:,.0f} multi-pass work area executions",
        temp_waits(f),
        f.impact(seconds, _BASIS),
        f"{short}{advised}{_where(f)}".strip() or "These work areas had too little memory.",
        "pga.multipass",
        "pga.onepass",
        "pga.largest_spill_mb",
        "pga.over_allocations",
        "pga.recommended_target_mb",
        "temp.direct_wait_s",
        waits=multipass,
        related=("TEMP001",),
    )


@rule(
    "TEMP005",
    "one-pass-work-areas",
    gate=("temp.direct_wait_s",),
    needs=("pga.onepass", "pga.multipass", "pga.recommended_ends_pct", "temp.direct_wait_s",
           WEIGHED),
    wants=(*TEMP_WAITS, "pga.recommended_target_mb", "pga.target_mb", "pga.spilled_classes",
           "pga.extra_mb", "pga.remaining_extra_mb", "pga.temp_share_pct",
           "pga.largest_spill_mb"),
    thresholds=(MEMORY_ENDS_PCT,),
)  # fmt: skip
def one_pass_work_areas(f: Facts) -> Finding | None:
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
    passes, seconds = f.number("pga.onepass"), f.number("temp.direct_wait_s")
    if passes <= 0 or f.number("pga.multipass") > 0 or not temp_waits(f).matters:
        return None
    share = f.get("pga.temp_share_pct")
    part = 1.0 if share is None else min(share / 100, 1.0)
    if f.number("pga.recommended_ends_pct") * part < f.limit(MEMORY_ENDS_PCT):
        return None
    return f.finding(
        one_pass_work_areas,
        f"{passes:,.0f} one-pass work area executions that more PGA memory would avoid",
        temp_waits(f),
        f.impact(seconds, _BASIS),
        f"{_advised(f)}{_where(f)}".strip() or "PGA advisory: less disk I/O at a larger target.",
        "pga.onepass",
        "pga.recommended_target_mb",
        "pga.recommended_ends_pct",
        "pga.largest_spill_mb",
        "temp.direct_wait_s",
        doubt=SINCE_STARTUP,
        related=("TEMP001",),
    )


@rule(
    "TEMP007",
    "work-areas-sized-by-hand",
    gate=("temp.direct_wait_s",),
    needs=("pga.work_area_policy", "temp.direct_wait_s", WEIGHED),
    wants=(*TEMP_WAITS, "temp.writes", "temp.sorts_disk", "pga.sort_area_size_b",
           "pga.hash_area_size_b", "temp.sorts_disk_pct"),
)  # fmt: skip
def work_areas_sized_by_hand(f: Facts) -> Finding | None:
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
    if f["pga.work_area_policy"].value != "manual":
        return None
    sorts, seconds = f.get("temp.sorts_disk"), f.number("temp.direct_wait_s")
    if not sorts or not f.get("temp.writes") or not temp_waits(f).matters:
        return None
    size = f.get("pga.sort_area_size_b")
    return f.finding(
        work_areas_sized_by_hand,
        f"{sorts:,.0f} disk sorts with manual work area sizing",
        temp_waits(f),
        f.impact(seconds, _BASIS),
        f"SORT_AREA_SIZE is {_size(size)}." if size else "No PGA target is in force.",
        "pga.work_area_policy",
        "pga.sort_area_size_b",
        "temp.sorts_disk",
        "temp.direct_wait_s",
        waits=sorts,
        doubt=doubt(f),
        related=("TEMP001",),
    )


@rule(
    "TEMP009",
    "pga-limit-waits",
    gate=("pga.limit_wait_s",),
    needs=("pga.limit_wait_s", WEIGHED),
    wants=("pga.limit_wait_ms", "pga.target_mb"),
)
def pga_limit_waits(f: Facts) -> Finding | None:
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
    seconds, each = f.number("pga.limit_wait_s"), f.get("pga.limit_wait_ms")
    weighed = f.weigh("pga.limit_wait_s", each_ms=each)
    if not weighed.matters:
        return None
    target = f.get("pga.target_mb")
    return f.finding(
        pga_limit_waits,
        f"Sessions waited {seconds:,.0f} s because PGA memory was above its limit",
        weighed,
        f.impact(seconds, "`acknowledge over PGA limit`"),
        "PGA memory was above PGA_AGGREGATE_LIMIT"
        + ("." if target is None else f"; PGA_AGGREGATE_TARGET is {target:,.0f} MB."),
        "pga.limit_wait_s",
        "pga.limit_wait_ms",
        "pga.target_mb",
        related=("TEMP003",),
    )


def _size(size: float) -> str:
    """A size in KB or MB."""
    return f"{plain(size / 2**20)} MB" if size >= 2**20 else f"{plain(size / 2**10)} KB"
