"""The PGA target: its value, the gain of a larger one by the memory advisory, and what fits.

Source: "Write Accelerator", "Temporary Tablespace Writes and Reads": tune memory before storage;
Oracle Database Performance Tuning Guide, "Tuning the Program Global Area".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.fact_table import fact
from awrlens.facts.formula import Figure, Missing, derive, measured, unavailable
from awrlens.facts.numbers import average, unreadable, waited
from awrlens.facts.sections import FG, STATS
from awrlens.facts.system import memory_of_host
from awrlens.facts.temp_waits import direct_mb
from awrlens.facts.work_areas import at, end

if TYPE_CHECKING:
    from awrlens.facts.numbers import Figures
    from awrlens.model import Fact
    from awrlens.report.table_rows import Row

#: The gain is flat if a larger target saves less than this share of the present disk I/O.
_FLAT: Final = 0.05


def _advice(f: Figures) -> tuple[Row, list[Row]] | Missing:
    """The advisory's row for the present target, and the rows from it upwards."""
    return f.once(_advised)


def _advised(f: Figures) -> tuple[Row, list[Row]] | Missing:
    table = f.tables.get("pga_advisory")
    if table is None:
        return f.missing("pga_advisory")
    if lost := unreadable(f, table, table.rows, "size_factor", "extra_mb", "overallocations"):
        return lost
    rows = [row for row in table.rows if (row.number("size_factor") or 0) >= 1]
    now = next((row for row in rows if row.number("size_factor") == 1), None)
    if now is None:
        return Missing("PGA Memory Advisory has no row at factor 1", ("pga_advisory",))
    return now, sorted(rows, key=lambda row: row.number("size_factor") or 0)


def _recommended(f: Figures) -> Row | Missing:
    """The smallest target from the present one up, without over-allocation and with flat gain."""
    advice = _advice(f)
    if isinstance(advice, Missing):
        return advice
    now, rows = advice
    present = now.number("extra_mb")
    least = min((row.number("extra_mb") or 0.0 for row in rows), default=0.0)
    if present is None:
        return Missing("PGA Memory Advisory has no extra MB", ("pga_advisory",))
    fitting = [row for row in rows if not row.number("overallocations")] or rows
    flat = [row for row in fitting if (row.number("extra_mb") or 0) - least <= _FLAT * present]
    return flat[0] if flat else fitting[-1]


def _advised_figure(f: Figures, column: str, label: str, *, now: bool = False) -> Figure | Missing:
    row: Row | Missing
    if now:
        advice = _advice(f)
        row = advice if isinstance(advice, Missing) else advice[0]
    else:
        row = f.once(_recommended)
    if isinstance(row, Missing):
        return row
    absent = Missing("PGA Memory Advisory has no such column", ("pga_advisory",))
    return f.figure(row.cell(column), label, absent)


@fact("pga.over_allocations", "count", "pga_advisory", kind="level", better="lower")
def over_allocations(f: Figures) -> Fact:
    """How often the PGA target had to be exceeded, at the present target (advisory factor 1)."""
    return measured(_advised_figure(f, "overallocations", "over-allocations", now=True))


_OVER_LIMIT: Final = "acknowledge over PGA limit"


@fact("pga.limit_wait_s", "s", FG, kind="total", better="lower")
def limit_wait_s(f: Figures) -> Fact:
    """Seconds that sessions waited for PGA memory to be below PGA_AGGREGATE_LIMIT (since 12.1)."""
    return waited(f, _OVER_LIMIT)


@fact("pga.limit_wait_ms", "ms", FG, kind="level", better="lower")
def limit_wait_ms(f: Figures) -> Fact:
    """Average wait of sessions for PGA memory below PGA_AGGREGATE_LIMIT in ms."""
    return average(f, _OVER_LIMIT)


@fact("pga.advisory_gain_pct", "%", "pga_advisory", kind="level", better="neither")
def advisory_gain_pct(f: Figures) -> Fact:
    """Share of the work areas' disk I/O that the largest advised PGA target would remove."""
    advice = _advice(f)
    if isinstance(advice, Missing):
        return unavailable(advice)
    absent = Missing("PGA Memory Advisory has no such column", ("pga_advisory",))
    return derive(
        "(now - best) * 100 / now",
        now=f.figure(advice[0].cell("extra_mb"), "MB at the present target", absent),
        best=f.figure(advice[1][-1].cell("extra_mb"), "MB at the largest target", absent),
    )


@fact("pga.recommended_target_mb", "MB", "pga_advisory", kind="level", better="neither")
def recommended_target_mb(f: Figures) -> Fact:
    """Smallest advised PGA target, at or above the present one, at which the gain is flat.

    The row has no over-allocation, and no larger row saves more than 5 % of the present extra
    I/O. If every row over-allocates, the gain alone decides and the note says so.
    """
    fact = measured(_advised_figure(f, "target_mb", "MB"))
    left = _advised_figure(f, "overallocations", "over-allocations")
    if isinstance(left, Figure) and left.value > 0:
        note = f"{left.value:,.0f} over-allocations remain at every advised target"
        return fact._replace(note=note)
    return fact


@fact("pga.recommended_ends_pct", "%", "pga_advisory", kind="level", better="neither")
def recommended_ends_pct(f: Figures) -> Fact:
    """Share of the work areas' disk I/O that the recommended PGA target would remove.

    The advisory covers the work since instance startup, not that of the interval.
    """
    now = _advised_figure(f, "extra_mb", "MB at the present target", now=True)
    if isinstance(now, Figure) and now.value == 0:
        nothing = Figure(0, "%", now.evidence)
        return measured(nothing, "work areas do no disk I/O at the present target")
    return derive(
        "(now - then) * 100 / now",
        now=now,
        then=_advised_figure(f, "extra_mb", "MB at the recommended target"),
    )


@fact("pga.extra_mb", "MB", "pga_summary", kind="total", better="neither")
def extra_mb(f: Figures) -> Fact:
    """MB that work areas read from and wrote to disk in the interval."""
    return measured(_summary(f, "extra_mb", "MB"))


@fact("pga.temp_share_pct", "%", "pga_summary", STATS, kind="level", better="lower over time")
def temp_share_pct(f: Figures) -> Fact:
    """Share of work areas in all direct temporary I/O; the rest is temporary tables and LOBs.

    More memory removes the first part only. Oracle counts the two in different places: if work
    areas have more MB than direct I/O, all of it is theirs.
    """
    direct = direct_mb(f)
    lacking = Missing(direct.note, direct.sections)
    found = derive(
        "extra * 100 / direct",
        extra=_summary(f, "extra_mb", "MB of work areas"),
        direct=lacking if direct.number is None
        else Figure(direct.number, "MB of temporary I/O", direct.evidence),
    )  # fmt: skip
    if found.number is None or found.number <= _WHOLE:
        return found
    note = "work areas count more MB than direct temporary I/O: all of it is theirs"
    return found._replace(value=_WHOLE, status="estimated", note=note, formula="")


_WHOLE: Final = 100.0


@fact("pga.remaining_extra_mb", "MB", "pga_summary", "pga_advisory", kind="total", better="neither")
def remaining_extra_mb(f: Figures) -> Fact:
    """MB of the interval's work-area disk I/O that would remain at the recommended target."""
    fact = derive(
        "extra * then / now",
        "the advisory's shares cover the time since instance startup",
        extra=_summary(f, "extra_mb", "MB"),
        then=_advised_figure(f, "extra_mb", "MB at the recommended target"),
        now=_advised_figure(f, "extra_mb", "MB at the present target", now=True),
    )
    return fact._replace(status="estimated") if fact.number is not None else fact


def _summary(f: Figures, column: str, label: str) -> Figure | Missing:
    row = f.only("pga_summary")
    if isinstance(row, Missing):
        return row
    absent = Missing("the summary of PGA use has no such column", ("pga_summary",))
    return f.figure(row.cell(column), label, absent)


_TARGET: Final = "pga_target|pga_target_by_instance"


@fact("pga.target_mb", "MB", f"{_TARGET}|pga_advisory", kind="setting", better="neither")
def target_mb(f: Figures) -> Fact:
    """The PGA target in force at the end of the interval."""
    found = end(f, "target_mb", "MB")
    if isinstance(found, Missing):
        found = _advised_figure(f, "target_mb", "MB", now=True)
    return measured(found)


@fact("pga.allocated_mb", "MB", _TARGET, kind="level", better="neither")
def allocated_mb(f: Figures) -> Fact:
    """PGA memory that the instance held at the end of the interval."""
    return measured(end(f, "allocated_mb", "MB"))


@fact("pga.above_target_mb", "MB", _TARGET, kind="level", better="lower")
def above_target_mb(f: Figures) -> Fact:
    """PGA memory above its target at the end of the interval; 0 if it is within the target.

    The target is a goal: sessions' own memory (PL/SQL, many cursors) is not limited by it, and what
    it takes is missing for work areas.
    """
    held, target = end(f, "allocated_mb", "MB"), end(f, "target_mb", "MB of target")
    if isinstance(held, Figure) and isinstance(target, Figure):
        if not target.value:
            return unavailable(Missing("the report has no PGA target", ("pga_target",)))
        if held.value <= target.value:
            proof = (*held.evidence, *target.evidence)
            return measured(Figure(0, "MB", proof), f"{held.shown} of {target.shown}")
    return derive("held - target", held=held, target=target)


@fact("pga.work_area_bound_mb", "MB", _TARGET, kind="level", better="neither")
def work_area_bound_mb(f: Figures) -> Fact:
    """Maximum memory of one automatic work area (Global Mem Bound, end snapshot)."""
    return measured(end(f, "global_bound_mb", "MB"))


@fact("pga.work_area_bound_begin_mb", "MB", _TARGET, kind="level", better="neither")
def work_area_bound_begin_mb(f: Figures) -> Fact:
    """Maximum memory of one automatic work area (Global Mem Bound, begin snapshot)."""
    return measured(at(f, "B", "global_bound_mb", "MB"))


@fact("pga.host_memory_mb", "MB", "memory_statistics|host", kind="setting", better="neither")
def host_memory_mb(f: Figures) -> Fact:
    """Physical memory of the host."""
    printed = f.row_figure("memory_statistics", "host_memory_mb", "end_value", "MB")
    if isinstance(printed, Missing):
        printed = f.row_figure("memory_statistics", "host_memory_mb", "begin_value", "MB")
    if isinstance(printed, Figure) and printed.value > 0:
        return measured(printed)
    row = f.only("host")
    absent = Missing("the host's memory is not in the report", ("host", "memory_statistics"))
    size = absent if isinstance(row, Missing) else f.figure(row.cell("memory_gb"), "GB", absent)
    if isinstance(size, Missing) or size.value <= 0:
        return unavailable(absent)
    return derive("size * 1024", size=size)


@fact("pga.host_free_mb", "MB", "os_statistics", kind="level", better="higher over time")
def host_free_mb(f: Figures) -> Fact:
    """Free and inactive memory of the host, which a larger PGA can take without swapping.

    At the snapshot that has less of it. Where the report prints no inactive memory, free memory
    alone.
    """
    begin, end = (_free(f, column) for column in ("value", "end_value"))
    if begin.number is None or end.number is None:
        return begin if begin.number is None else end
    return min(begin, end, key=lambda each: each.number or 0.0)


def _free(f: Figures, column: str) -> Fact:
    free, inactive = (
        memory_of_host(f, f"{kind}_memory_bytes", column) for kind in ("free", "inactive")
    )
    if isinstance(inactive, Missing) and not inactive.lost:
        return derive("free / 1024 / 1024", "inactive memory is not in the report", free=free)
    return derive("(free + inactive) / 1024 / 1024", free=free, inactive=inactive)


@fact(
    "pga.recommended_host_pct",
    "%",
    "pga_advisory",
    "memory_statistics",
    kind="level",
    better="neither",
)
def recommended_host_pct(f: Figures) -> Fact:
    """Share of the host's memory that the SGA and the recommended PGA target would take."""
    host = host_memory_mb(f)
    missing = Missing("the host's memory is not in the report", ("memory_statistics",))
    whole = missing if host.number is None else Figure(host.number, "MB", host.evidence)
    sga = f.row_figure("memory_statistics", "sga_mb", "end_value", "MB SGA")
    if isinstance(sga, Missing):
        sga = f.row_figure("memory_statistics", "sga_mb", "begin_value", "MB SGA")
    return derive(
        "(sga + target) * 100 / host",
        sga=sga,
        target=_advised_figure(f, "target_mb", "MB"),
        host=whole,
    )
