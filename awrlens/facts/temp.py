"""Temporary tablespaces and work areas.

Source: document 3, "Temporary Tablespace Writes and Reads": the I/O of the temporary
tablespaces is the only reliable sign, `sorts (disk)` may be 0 while they are the busiest.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from awrlens.facts import tablespaces as ts
from awrlens.facts.formula import Figure, Missing, add, derive, measured, summed, unavailable

if TYPE_CHECKING:
    from awrlens.facts.figures import Figures
    from awrlens.model import Fact

_KIND = "temporary"


def tablespace_names(f: Figures) -> Fact:
    """Temporary tablespaces and how each was recognised."""
    return ts.names_fact(f, ts.temporary(f), _KIND)


def reads(f: Figures) -> Fact:
    """Reads from temporary tablespaces."""
    return _summed(f, "reads")


def writes(f: Figures) -> Fact:
    """Writes to temporary tablespaces."""
    return _summed(f, "writes")


def _by_filetype(f: Figures, column: str) -> Figure | Missing:
    """Requests per second of file type Temp File; for reports without I/O by tablespace."""
    found = f.row_figure("io_by_filetype", "Temp File", column, "requests/s")
    return found if isinstance(found, Figure) else f.missing("tablespace_io", "io_by_filetype")


def _estimated(fact: Fact) -> Fact:
    return fact._replace(status="estimated") if fact.value is not None else fact


_FILETYPE = f"{ts.INSTEAD}IOStat by Filetype"


def _summed(f: Figures, column: str) -> Fact:
    if not ts.has_data(f):
        rate = _by_filetype(f, f"{column.removesuffix('s')}_requests_per_s")
        return _estimated(derive("rate * elapsed", _FILETYPE, rate=rate, elapsed=f.elapsed))
    figure = ts.total(f, ts.temporary(f), _KIND, (column,), column)
    return summed(figure, ts.source_note(f, (column,)))


def io_share_pct(f: Figures) -> Fact:
    """Temporary reads and writes in those of all tablespaces."""
    columns = ("reads", "writes")
    if not ts.has_data(f):
        return _estimated(
            derive(
                "(r + w) * 100 / (r + w + dr + dw)",
                f"{_FILETYPE}: Temp File in Temp File and Data File",
                r=_by_filetype(f, "read_requests_per_s"),
                w=_by_filetype(f, "write_requests_per_s"),
                dr=f.row_figure("io_by_filetype", "Data File", "read_requests_per_s", "/s"),
                dw=f.row_figure("io_by_filetype", "Data File", "write_requests_per_s", "/s"),
            )
        )
    return derive(
        "temp * 100 / all",
        ts.source_note(f, columns),
        temp=ts.total(f, ts.temporary(f), _KIND, columns, "temp I/Os"),
        all=ts.every(f, columns, "I/Os of all tablespaces"),
    )


def read_ms(f: Figures) -> Fact:
    """Read latency of temporary tablespaces, weighted by reads."""
    if not ts.has_data(f):
        return _estimated(measured(_by_filetype(f, "small_read_ms"), f"{_FILETYPE}, small reads"))
    return ts.weighted_fact(f, ts.temporary(f), _KIND, "read_ms", "reads")


def direct_wait_s(f: Figures) -> Fact:
    """Seconds waited for direct temporary I/O; 9i and earlier do not tell it from other."""
    if f.tables.get("foreground_events") is None and _old_events(f):
        fact = summed(
            f.foreground_sum(("direct path read", "direct path write")),
            "this release counts direct I/O of temporary and other segments as one",
        )
        return fact._replace(status="estimated") if fact.number is not None else fact
    return summed(f.foreground_sum(("direct path read temp", "direct path write temp")))


def _old_events(f: Figures) -> bool:
    """Whether the list is from before 10g: it has the plain events and no `temp` ones."""
    table = f.tables.get("wait_events")
    keys = table.keys() if table else []
    plain = any(k in ("direct path read", "direct path write") for k in keys)
    modern = any(k.startswith(("direct path read temp", "direct path write temp")) for k in keys)
    return plain and not modern and f.tables.get("time_model") is None


def sorts_disk(f: Figures) -> Fact:
    """Sorts that went to disk."""
    return measured(f.stat("sorts (disk)", "sorts"))


def _work_areas(f: Figures, which: str) -> Figure | Missing:
    """Executions of work areas: the statistic, else the sum of the histogram."""
    names = {"optimal": "optimal", "onepass": "onepass", "multipass": "multipass"}
    found = f.stat(f"workarea executions - {names[which]}", f"{which} executions")
    if isinstance(found, Figure):
        return found
    table = f.tables.get("pga_histogram")
    if table is None:
        return f.missing("instance_activity", "pga_histogram") if not _has_stats(f) else found
    label = f"{which} executions"
    absent = Missing("PGA Aggr Target Histogram has no such column", ("pga_histogram",))
    cells = [f.figure(row.cell(f"{which}_execs"), label, absent) for row in table.rows]
    return add([each for each in cells if isinstance(each, Figure)], label)


def _has_stats(f: Figures) -> bool:
    return f.tables.get("instance_activity") is not None


def optimal_pct(f: Figures) -> Fact:
    """Work areas that stayed in memory."""
    return derive(
        "optimal * 100 / (optimal + onepass + multipass)",
        optimal=_work_areas(f, "optimal"),
        onepass=_work_areas(f, "onepass"),
        multipass=_work_areas(f, "multipass"),
    )


def onepass(f: Figures) -> Fact:
    """Work areas that were written to disk once."""
    return measured(_work_areas(f, "onepass"))


def multipass(f: Figures) -> Fact:
    """Work areas that were written to disk and read again several times."""
    return measured(_work_areas(f, "multipass"))


def over_allocations(f: Figures) -> Fact:
    """How often the PGA target had to be exceeded, at the present target (advisory factor 1)."""
    table = f.tables.get("pga_advisory")
    if table is None:
        return unavailable(f.missing("pga_advisory"))
    now = next((row for row in table.rows if row.number("size_factor") == 1), None)
    if now is None:
        return unavailable(Missing("PGA Memory Advisory has no row at factor 1", ("pga_advisory",)))
    absent = Missing("PGA Memory Advisory prints no over-allocation count", ("pga_advisory",))
    return measured(f.figure(now.cell("overallocations"), "over-allocations", absent))


def advisory_gain_pct(f: Figures) -> Fact:
    """Share of the work areas' disk I/O that the largest advised PGA target would take away."""
    table = f.tables.get("pga_advisory")
    if table is None:
        return unavailable(f.missing("pga_advisory"))
    absent = Missing("PGA Memory Advisory has no such column", ("pga_advisory",))
    rows = [row for row in table.rows if (row.number("size_factor") or 0) >= 1]
    now = next((row for row in rows if row.number("size_factor") == 1), None)
    if now is None:
        return unavailable(Missing("PGA Memory Advisory has no row at factor 1", ("pga_advisory",)))
    best = max(rows, key=lambda row: row.number("size_factor") or 0)
    return derive(
        "(now - best) * 100 / now",
        now=f.figure(now.cell("extra_mb"), "MB at the present target", absent),
        best=f.figure(best.cell("extra_mb"), "MB at the largest", absent),
    )
