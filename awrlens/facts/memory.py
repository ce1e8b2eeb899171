"""Memory: the size of the SGA, whether Oracle is 32-bit, work areas, the PGA target.

Sources: "Write Accelerator", "Temporary Tablespace Writes and Reads" (tune memory before storage);
Oracle Database Performance Tuning Guide, "Tuning the Program Global Area"; Oracle Database
Reference, V$SGA and V$DATABASE.PLATFORM_NAME; Oracle Database Platform Guide for Windows (all
sessions are threads of one process).
"""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING, Final

from awrlens.facts import tablespaces
from awrlens.facts.answers import Answer, as_input, needed, text_fact
from awrlens.facts.counters import kept
from awrlens.facts.figures import Figures, formula, several
from awrlens.facts.formula import Figure, Missing, Number, add, readable, twice, value_of
from awrlens.facts.host import memory_of_host
from awrlens.facts.placement import is_on_drive
from awrlens.facts.sections import FG, FILES, PARAMETERS, RESPONSE, STATS
from awrlens.facts.temp import direct_mb
from awrlens.facts.waits import unreadable, wait_ms, waited_s
from awrlens.model.fact_table import fact
from awrlens.units import listed

if TYPE_CHECKING:
    from awrlens.model import Status
    from awrlens.report.table import Row, Table


#: The row that some layouts print below the parts.
_SUM: Final = "sum"
#: A 32-bit process addresses no more, on any platform.
_32_BIT_MB: Final = 4096
#: The releases of Oracle for Windows: 8i is 32-bit, the server of 12.1 and later is 64-bit.
_FIRST_OTHER: Final = (9, 0)
_LAST_32_BIT: Final = (12, 0)
#: Oracle is 32-bit on Windows, or elsewhere; it is on Windows, 32-bit or not.
WINDOWS_32: Final = "32-bit Windows"
OTHER_32: Final = "32-bit"
WINDOWS: Final = "Windows"
_64_BIT: Final = "64-bit"


#: The parts of an SGA that every report has.
_REGIONS: Final = ("Database Buffers", "Fixed Size", "Redo Buffers", "Variable Size")


@fact("database.sga_mb", "MB", "sga_summary", kind="setting")
def sga_mb(f: Figures) -> Answer:
    """Size of the SGA at the end of the interval."""
    table = f.table("sga_summary")
    if lacking := [name for name in _REGIONS if table.row(name) is None]:
        return Missing(f"{table.title} has no `{lacking[0]}`", lost=True)
    parts = [
        needed(f.figure(row.cell("end_size_b" if row.text("end_size_b") else "size_b"), "B", table))
        for row in table
        if row.key.lower() != _SUM
    ]
    return add(parts, "B of the SGA") / 1024 / 1024


@fact("database.address_space", "name", "host|sga_summary", FILES, kind="setting")
def address_space(f: Figures) -> Answer:
    """Whether Oracle is a 32-bit program, and on Windows, as far as the report shows it.

    By the platform, where it is printed; an SGA above 4 GB is 64-bit. Files on drives are those of
    Windows: 8i is 32-bit there, 12.1 and later are 64-bit, and for others it is not known.
    """
    row = f.only("host")
    cell = None if isinstance(row, Missing) else row.cell("platform")
    if cell is not None and "-bit" in cell.text:
        # `Microsoft Windows IA (32-bit)` and the like
        windows = WINDOWS_32 if "windows" in cell.text.lower() else OTHER_32
        bits = windows if "32-bit" in cell.text else _64_BIT
        return text_fact(bits, (f.evidence(cell),), "derived")
    size = as_input(sga_mb(f), "MB SGA")
    if isinstance(size, Figure) and size.value > _32_BIT_MB:
        return text_fact(_64_BIT, size.evidence, "derived", "the SGA is larger than 4 GB")
    names = (row.cell("filename") for row in tablespaces.files(f) or ())
    file = next((cell for cell in names if cell is not None and is_on_drive(cell.text)), None)
    if file is None:
        return Missing("the platform is not in the report")
    bits, why = WINDOWS, "; whether Oracle is 32-bit is not in the report"
    if f.release is not None and f.release < _FIRST_OTHER:
        bits, why = WINDOWS_32, ", for which 8i is a 32-bit program"
    elif f.release is not None and f.release >= _LAST_32_BIT:
        bits, why = _64_BIT, ", for which this release is a 64-bit program"
    note = f"files are on drives of Windows{why}"
    return text_fact(bits, (f.evidence(file),), "estimated", note)


_WORK_AREAS: Final = "instance_activity|pga_histogram"

_PASSES: Final = (("onepass_execs", "one-pass"), ("multipass_execs", "multi-pass"))


@kept
def _work_areas(f: Figures, which: str) -> Number:
    """Executions of work areas: the statistic, otherwise the sum of the histogram."""
    label = f"{which} executions"
    counted, table = f.stat(f"workarea executions - {which}", label), f.tables.get("pga_histogram")
    if isinstance(counted, Figure) or (table is None and f.tables.get(STATS) is not None):
        return counted
    if table is None:
        return f.missing("instance_activity", "pga_histogram")
    cells = [f.figure(row.cell(f"{which}_execs"), label, table) for row in needed(_classes(f))]
    # an excerpt, or a report that ends early, may lack classes
    total = add(needed(readable(cells)), label)
    return total if f.complete else total.estimated()


@fact("pga.optimal_pct", "%", _WORK_AREAS, better="higher")
def optimal_pct(f: Figures) -> Answer:
    """Share of work areas that stayed in memory."""
    optimal = _work_areas(f, "optimal")
    return optimal * 100 / (optimal + _work_areas(f, "onepass") + _work_areas(f, "multipass"))


@several("count", _WORK_AREAS, kind="total", better="lower")
def passes(f: Figures, which: str, _how: str) -> Answer:
    """Work areas that were written to disk {_how}."""
    return _work_areas(f, which)


passes("pga.onepass", "onepass", "once")
passes("pga.multipass", "multipass", "and read again several times")


@kept
def _classes(f: Figures) -> list[Row] | Missing:
    """Classes of the histogram, each once even if the section appears twice."""
    table = f.tables.get("pga_histogram")
    by_size: dict[tuple[str, str], Row] = {}
    for row in table.rows if table is not None else ():
        size = row.text("low_optimal_b"), row.text("high_optimal_b")
        first = by_size.setdefault(size, row)
        if first is not row and first.values() != row.values():
            why = f"the class {' to '.join(size)} is printed twice, with different figures"
            return Missing(why, lost=True)
    if not by_size:
        return Missing("PGA Aggr Target Histogram has no rows")
    return list(by_size.values())


@kept
def _spilled(f: Figures) -> list[Row] | Missing:
    """Classes of the histogram in which work areas went to disk."""
    columns = ["low_optimal_b", "high_optimal_b", *(column for column, _ in _PASSES)]
    table = f.table("pga_histogram")
    rows = needed(_classes(f))
    return unreadable(f, table, rows, *columns) or [row for row in rows if _passes(row)]


def _passes(row: Row) -> float:
    return sum(row.number(column) or 0 for column, _ in _PASSES)


def _range(row: Row) -> str:
    return f"{row.text('low_optimal_b')} to {row.text('high_optimal_b')}"


@fact("pga.spilled_classes", "names", "pga_histogram")
def spilled_classes(f: Figures) -> Answer:
    """Classes of the PGA histogram whose work areas went to disk, by their optimal size."""
    names, proof, rows = [], [], needed(_spilled(f))
    for row in rows:
        counts = []
        for column, word in _PASSES:
            cell = row.cell(column)
            if cell is not None and row.number(column):
                counts.append(f"{cell.text} {word}")
                proof.append(f.evidence(cell))
        names.append(f"{_range(row)}: {', '.join(counts)}")
    status: Status = "measured" if f.complete else "estimated"
    if not names:
        return text_fact((), (), status, "no class has one-pass or multi-pass executions")
    most = max(rows, key=_passes)
    # by the least size: a work area needed more than the lower bound of its class
    largest = max(rows, key=lambda row: _passes(row) * (row.number("low_optimal_b") or 0))
    note = f"most passes in {_range(most)}"
    if largest is not most:
        note += f", most of the data in {_range(largest)} ({_passes(largest):,.0f} passes)"
    return text_fact(tuple(names), tuple(proof), status, note)


@fact("pga.smallest_spill_mb", "MB", "pga_histogram")
def smallest_spill_mb(f: Figures) -> Answer:
    """Lower bound of the optimal size of the smallest work area that went to disk."""
    none = Missing("no class of the histogram has one-pass or multi-pass executions")
    bounds = [f.figure(row.cell("low_optimal_b"), "B", none) for row in needed(_spilled(f))]
    return min(needed(readable(bounds)), key=value_of) / 1024 / 1024 if bounds else none


@fact("pga.largest_spill_mb", "MB", "pga_histogram")
def largest_spill_mb(f: Figures) -> Answer:
    """Upper bound of the optimal size of the largest work area that went to disk."""
    none = Missing("no class of the histogram has one-pass or multi-pass executions")
    cells = [f.figure(row.cell("high_optimal_b"), "B", none) for row in needed(_spilled(f))]
    if not (bounds := needed(readable(cells))):
        return none
    largest, table = max(bounds, key=value_of) / 1024 / 1024, f.table("pga_histogram")
    for column, word in _PASSES:
        counted = f.stat(f"workarea executions - {column.removesuffix('_execs')}", "").value or 0
        if (lacks := counted - sum(table.numbers(column))) > 0:
            return largest.estimated(
                f"at least: {table.title} lacks {lacks:,.0f} {word} executions"
            )
    return largest


def at(f: Figures, column: str, label: str, snapshot: str = "E") -> Number:
    """A cell of PGA Aggr Target Stats at the end (E) or begin (B) snapshot.

    Of a cluster, that of the instance with most memory above its target.
    """
    table = f.tables.get("pga_target")
    if table is None or not table.rows:
        when = column.replace("_mb", "_end_mb") if snapshot == "E" else column
        by_instance = f.of_all.get("pga_target_by_instance")
        if by_instance is None or not by_instance.rows or f.tables.get("database_summary") is None:
            return f.of_instance("pga_target_by_instance", when, label, f.missing("pga_target"))
        needed(unreadable(f, by_instance, by_instance.rows, "allocated_end_mb", "target_end_mb"))
        most = max(by_instance.rows, key=lambda row: (row.number("allocated_end_mb") or 0.0)
                   - (row.number("target_end_mb") or 0.0))  # fmt: skip
        return f.figure(most.cell(when), label, by_instance).noted(f"instance {most.key}")
    others = [row for row in table.rows if row.text("snapshot") not in {"B", "E"}]
    rows = [row for row in table.rows if row.text("snapshot") == snapshot] or others
    if not rows:
        return Missing(f"PGA Aggr Target Stats has no row {snapshot}")
    row = rows[-1 if snapshot == "E" else 0]
    if row.key and row.key in table.disputes:
        return twice(table, row.key)
    return f.figure(row.cell(column), label, table)


_TARGET: Final = "pga_target|pga_target_by_instance"


@fact("pga.work_area_policy", "name", f"{PARAMETERS}|{_TARGET}", kind="setting")
def policy(f: Figures) -> Answer:
    """Whether work areas are sized automatically (``auto``) or by parameters (``manual``)."""
    printed = f.parameter("workarea_size_policy")
    if printed and printed[0]:
        return text_fact(printed[0].lower(), (printed[1],), "measured")
    names = ("pga_aggregate_target", "memory_target")
    targets = [x for x in (at(f, "target_mb", "MB"), *map(f.setting, names))
               if isinstance(x, Figure)]  # fmt: skip
    if targets:  # MEMORY_TARGET sizes work areas while PGA_AGGREGATE_TARGET is 0
        target = max(targets, key=value_of)
        policy = "auto" if target.value > 0 else "manual"
        return text_fact(policy, target.evidence[:1], "derived")
    sizes = f.parameter("sort_area_size")
    if sizes and f.tables.get("pga_histogram") is None and f.tables.get("time_model") is None:
        note = "a release without a PGA target: the report has no PGA sections"
        return text_fact("manual", (sizes[1],), "estimated", note)
    return f.missing("parameters", "pga_target")


@several("B", PARAMETERS)
def area_size(f: Figures, name: str) -> Answer:
    """Initialization parameter {name}, which sizes manual work areas."""
    if (printed := f.parameter(name)) is None:
        return Missing(f"`{name}` is not listed (non-default parameters only)")
    return f.setting(name, "B") or Missing(f"`{name}` is `{printed[0]}`")


area_size("pga.sort_area_size_b", "sort_area_size")
area_size("pga.hash_area_size_b", "hash_area_size")
area_size("pga.bitmap_merge_area_size_b", "bitmap_merge_area_size")
area_size("pga.create_bitmap_area_size_b", "create_bitmap_area_size")


#: The gain is flat if a larger target saves less than this share of the present disk I/O.
_FLAT: Final = 0.05


@kept
def _advice(f: Figures) -> tuple[Row, list[Row]] | Missing:
    """The advisory's row for the present target, and the rows from it upwards."""
    table = f.table("pga_advisory")
    needed(f.doubt(table))
    needed(unreadable(f, table, table, "size_factor", "target_mb", "extra_mb", "overallocations"))
    rows = [row for row in table.rows if (row.number("size_factor") or 0) >= 1]
    now = next((row for row in rows if row.number("size_factor") == 1), None)
    if now is None:
        return Missing("PGA Memory Advisory has no row at factor 1")
    return now, sorted(rows, key=lambda row: row.number("size_factor") or 0)


@kept
def _recommended(f: Figures) -> Row | Missing:
    """The smallest target from the present one up, without over-allocation and with flat gain."""
    now, rows = needed(_advice(f))
    present = now.number("extra_mb")
    least = min((row.number("extra_mb") or 0.0 for row in rows), default=0.0)
    if present is None:
        return Missing("PGA Memory Advisory has no extra MB")
    fitting = [row for row in rows if not row.number("overallocations")] or rows
    flat = [row for row in fitting if (row.number("extra_mb") or 0) - least <= _FLAT * present]
    return flat[0] if flat else fitting[-1]


#: Share of the host's memory that SGA and PGA may take: the rest is the operating system's.
#: # Oracle Database Performance Tuning Guide, sizing the PGA
_OF_HOST: Final = 0.8


@kept
def _fitting(f: Figures) -> Row | Missing:
    """The largest target above the present one that the host has memory for."""
    (present, rows), (sga, host) = needed(_advice(f)), _sga_and_host(f)
    room = needed(host).value * _OF_HOST - needed(sga).value
    fitting = [row for row in rows if (row.number("target_mb") or 0.0) <= room]
    if not fitting or fitting[-1] is present:
        return Missing("the host has no memory for a larger target", ("pga_advisory",))
    return fitting[-1]


@kept
def _advised(f: Figures, target: str, column: str, label: str) -> Number:
    """A figure of the row for the present, the recommended or the largest fitting target."""
    present, _ = needed(_advice(f))
    others = {"recommended": _recommended, "fitting": _fitting}
    row = present if target == "present" else needed(others[target](f))
    return f.figure(row.cell(column), label, f.table("pga_advisory"))


def _extra(f: Figures, target: str) -> Number:
    return _advised(f, target, "extra_mb", f"MB at the {target} target")


@several("count", "pga_advisory", better="lower")
def over_allocations(f: Figures, target: str, _exceeded: str) -> Answer:
    """How often the PGA target {_exceeded}."""
    return _advised(f, target, "overallocations", "over-allocations")


over_allocations("pga.over_allocations", "present",
    "had to be exceeded, at the present target (advisory factor 1)")  # fmt: skip


#: Advisories on the buffer cache, and what they size.
_CACHES: Final = {
    "sga_target_advisory": "SGA_TARGET", "buffer_pool_advisory": "DB_CACHE_SIZE",
}  # fmt: skip
_ADVISORIES: Final = "|".join(_CACHES)


@kept
def _larger_cache(f: Figures) -> tuple[Table, Row, Row]:
    """The advisory with its present row, and that of the size after which little is gained.

    No larger one that fits into 80 % of the host's memory, with the rest of the SGA and the PGA
    target, avoids more than 5 % of the present physical reads in addition. Both advisories cover
    the time since startup.
    """
    of = [name for name in _CACHES if (t := f.tables.get(name)) and any(t.texts("physical_reads"))]
    section = of[0] if of else "buffer_pool_advisory"
    table, (sga, host) = f.table(section), _sga_and_host(f)
    needed(f.doubt(table))
    needed(unreadable(f, table, table.rows, "size_factor", "size_mb", "physical_reads"))
    rows = sorted(
        (row.number("size_mb") or 0, row.number("physical_reads") or 0, place)
        for place, row in enumerate(table.rows)
        if (row.number("size_factor") or 0) >= 1 and row.text("pool") in ("", "D")
    )
    now = [point for point in rows if table.rows[point[2]].number("size_factor") == 1]
    none = Missing(f"{table.title} has no reads at factor 1")
    present = needed(now[-1][1] if now and now[-1][1] else none)
    held = max(memory.number or 0.0 for memory in (target_mb(f), allocated_mb(f)))
    more = max(0.0, (host.value or inf) * _OF_HOST - (sga.value or now[-1][0]) - held)
    larger = [point for point in rows if 0 <= point[0] - now[-1][0] <= more]
    least = min((reads for _, reads, _ in larger), default=present)
    best = next((point for point in larger if point[1] - least <= _FLAT * present), now[-1])
    if best[1] > present * (1 - _FLAT):
        fits = rows[-1] in larger
        few = "avoids less than 5 % of physical reads"
        few = few if fits else f"that fits into {_OF_HOST * 100:.0f} % of the host's memory {few}"
        needed(Missing(f"a larger {_CACHES[section]} {few}"))
    return table, table.rows[now[-1][2]], table.rows[best[2]]


@fact("io.cache_saves_pct", "%", _ADVISORIES, beyond=True)
def cache_saves_pct(f: Figures) -> Answer:
    """Share of reads that a larger SGA or buffer cache of `io.cache_mb` saves."""
    table, first, row = needed(_larger_cache(f))
    gains = ("physical_reads", "fewer reads into the cache"), ("db_time_s", "less DB time")
    shares = listed([
        f"{(1 - then / was) * 100:.0f} % {what}" for name, what in gains
        if (was := first.number(name)) and (then := row.number(name)) and then < 0.995 * was
    ])  # fmt: skip
    had, has = (f.figure(x.cell("physical_reads"), "reads", table) for x in (first, row))
    return ((had - has) * 100 / had).noted(f"{_CACHES[str(table.name)]}: {shares}")


@fact("io.cache_saves_time_pct", "%", "sga_target_advisory", beyond=True)
def cache_saves_time_pct(f: Figures) -> Answer:
    """Share of DB time that an SGA of `io.cache_mb` saves, as the advisory estimates."""
    table, first, row = needed(_larger_cache(f))
    had, has = (f.figure(advised.cell("db_time_s"), "s", table) for advised in (first, row))
    return (had - has) * 100 / had


@fact("io.cache_mb", "MB", _ADVISORIES)
def cache_mb(f: Figures) -> Answer:
    """Smallest larger SGA or buffer cache after which little is gained."""
    table, _, row = needed(_larger_cache(f))
    return f.figure(row.cell("size_mb"), "MB", table).noted(_CACHES[str(table.name)])


#: Minimum sizes under SGA_TARGET, or sizes taken from it; and the pools that may hold free memory.
_MINIMUMS: Final = (
    "db_cache_size", "shared_pool_size", "large_pool_size", "java_pool_size", "streams_pool_size",
    "db_keep_cache_size", "db_recycle_cache_size",
)  # fmt: skip
_POOLS: Final = ("large", "java", "streams")
#: Minimum sizes of this share of SGA_TARGET leave nothing to move. # awrlens: a granule or two
_FULL: Final = 0.95
_GROWTH: Final = "SGA: allocation forcing component growth"


@fact("database.sga_minimums", "name", PARAMETERS, FG, RESPONSE)
def sga_minimums(f: Figures) -> Answer:
    """The minimum sizes that fill SGA_TARGET, if sessions wait for a component of the SGA to grow.

    The parameters with two underscores are the present sizes, whose sum is always SGA_TARGET.
    """
    waited = needed(f.of_sessions("s", _GROWTH) * 100 / f.response).value
    target, sizes = f.setting("sga_target", "", "B"), [f.setting(e, "", "B") for e in _MINIMUMS]
    given = {n: size for n, size in zip(_MINIMUMS, sizes, strict=True) if size and size.value}
    taken_b = sum(size.value for size in given.values())
    if waited < 1 or target is None or not target.value or taken_b < _FULL * target.value:
        return Missing("no session waits for a component, or SGA_TARGET has room for it")
    mb = 1024 * 1024
    named = listed([f"{n.upper()} {size.value / mb:,.0f} MB" for n, size in given.items()])
    left_b = max(0.0, target.value - taken_b)
    rest = f"only {left_b / mb:,.0f} MB ({left_b * 100 / target.value:.1g} %)"
    said = (f"The minimum sizes take {taken_b / mb:,.0f} of the {target.value / mb:,.0f} MB of "
            f"SGA_TARGET ({named}), so {rest} can move to a component that needs it")  # fmt: skip
    free = {row.text("pool"): row.number("end_mb") or 0.0 for row in f.tables.get("sga_breakdown")
            or () if row.text("name") == "free memory" and row.text("pool") in _POOLS}  # fmt: skip
    pool = f"{max(free, key=free.__getitem__, default='')}_pool_size"
    if pool in given and (most := max(free.values())) >= 1:
        said += f". Lower {pool.upper()}, of which {most:,.0f} MB is free, so that memory can move"
    proof = tuple(item for size in (target, *given.values()) for item in size.evidence)
    return text_fact(said, proof, "derived")


_OVER_LIMIT: Final = "acknowledge over PGA limit"


waited_s("pga.limit_wait_s", "for PGA memory to be below PGA_AGGREGATE_LIMIT (since 12.1)",
    _OVER_LIMIT)  # fmt: skip
wait_ms("pga.limit_wait_ms", "of sessions for PGA memory below PGA_AGGREGATE_LIMIT in ms",
    _OVER_LIMIT)  # fmt: skip


over_allocations("pga.recommended_over_allocations", "recommended",
    "would still be exceeded, at the recommended target")  # fmt: skip


@fact("pga.recommended_target_mb", "MB", "pga_advisory")
def recommended_target_mb(f: Figures) -> Answer:
    """Smallest advised PGA target, at or above the present one, at which the gain is flat.

    The row has no over-allocation, and no larger row saves more than 5 % of the present extra
    I/O. If every row over-allocates, the gain alone decides and the note says so; also that the
    advisory ends before the gain is flat.
    """
    row, (present, rows) = needed(_recommended(f)), needed(_advice(f))
    left = min(other.number("overallocations") or 0.0 for other in rows)
    more = row is rows[-1] and (row.number("extra_mb") or 0.0) > _FLAT * (
        present.number("extra_mb") or 0.0
    )
    notes = [f"at least {left:,.0f} over-allocations remain at every target"] if left > 0 else []
    notes += ["larger targets than its last may gain more"] * more
    target = _advised(f, "recommended", "target_mb", "MB")
    return target.noted("; ".join(notes)) if notes else target


# of the I/O that there is now, so that no more can end
@fact("pga.recommended_ends_pct", "%", "pga_advisory", beyond=True)
def recommended_ends_pct(f: Figures) -> Answer:
    """Share of the work areas' disk I/O that the recommended PGA target would remove."""
    now = _extra(f, "present")
    if isinstance(now, Figure) and not now.value:
        nothing = Figure(0, "%", now.evidence)
        return nothing.noted("work areas do no disk I/O at the present target")
    return (now - _extra(f, "recommended")) * 100 / now


@fact("pga.fitting_target_mb", "MB", "pga_advisory", "memory_statistics|os_statistics|host")
def fitting_target_mb(f: Figures) -> Answer:
    """Largest advised PGA target that takes, with the SGA, 80 % of the host's memory or less."""
    return _advised(f, "fitting", "target_mb", "MB")


@fact("pga.fitting_ends_pct", "%", "pga_advisory", "memory_statistics|os_statistics|host",
      beyond=True)  # fmt: skip
def fitting_ends_pct(f: Figures) -> Answer:
    """Share of the work areas' disk I/O that this target would remove."""
    now = _extra(f, "present")
    return (now - _extra(f, "fitting")) * 100 / now


formula("pga.extra_mb", "MB", "pga_summary",
    "MB that work areas read from and wrote to disk in the interval.",
    lambda f: f.single("pga_summary", "extra_mb", "MB"), kind="total")  # fmt: skip


@fact("pga.temp_share_pct", "%", "pga_summary", STATS, better="lower over time", beyond=True)
def temp_share_pct(f: Figures) -> Answer:
    """Share of work areas in all direct temporary I/O; the rest is temporary tables and LOBs.

    More memory removes the first part only. Oracle counts the two in different places: if work
    areas have more MB than direct I/O, all of it is theirs.
    """
    direct = as_input(direct_mb(f)._replace(status="measured"), "MB of temporary I/O")
    share = f.single("pga_summary", "extra_mb", "MB of work areas") * 100 / direct
    if isinstance(share, Missing) or share.value <= _WHOLE:
        return share
    note = "work areas count more MB than direct temporary I/O: all of it is theirs"
    return text_fact(_WHOLE, share.evidence, "estimated", note)


_WHOLE: Final = 100.0


@fact("pga.remaining_extra_mb", "MB", "pga_summary", "pga_advisory", kind="total")
def remaining_extra_mb(f: Figures) -> Answer:
    """MB of the interval's work-area disk I/O that would remain at the recommended target.

    The advisory covers the interval, too: if it expects less I/O at the present target than the
    interval had, it does not describe these work areas.
    """
    whole, present = f.single("pga_summary", "extra_mb", "MB"), _extra(f, "present")
    if isinstance(whole, Figure) and isinstance(present, Figure) and present.value < whole.value:
        why = (f"the advisory expects {present.value:,.0f} MB at the present target since startup, "
               f"less than the {whole.value:,.0f} MB of the interval")  # fmt: skip
        return Missing(why, lost=True)
    left = whole * _extra(f, "recommended") / present
    return left.estimated("the advisory's shares cover the time since instance startup")


target_mb = formula("pga.target_mb", "MB", f"{_TARGET}|pga_advisory",
    "The PGA target in force at the end of the interval.",
    lambda f: at(f, "target_mb", "MB").otherwise(_advised(f, "present", "target_mb", "MB")),
    kind="setting")  # fmt: skip
allocated_mb = formula("pga.allocated_mb", "MB", _TARGET,
    "PGA memory that the instance held at the end of the interval.",
    lambda f: at(f, "allocated_mb", "MB"))  # fmt: skip


@fact("pga.above_target_mb", "MB", _TARGET, better="lower")
def above_target_mb(f: Figures) -> Answer:
    """PGA memory above its target at the end of the interval; 0 if it is within the target."""
    held, target = at(f, "allocated_mb", "MB"), at(f, "target_mb", "MB of target")
    if isinstance(held, Figure) and isinstance(target, Figure):
        if not target.value:
            return Missing("the report has no PGA target")
        if held.value <= target.value:
            proof = (*held.evidence, *target.evidence)
            return Figure(0, "MB", proof).noted(f"{held.shown} of {target.shown}")
    return held - target


@several("MB", _TARGET)
def area_bound(f: Figures, snapshot: str) -> Answer:
    """Maximum memory of one automatic work area (Global Mem Bound, {snapshot} snapshot)."""
    return at(f, "global_bound_mb", "MB", snapshot[0].upper())


area_bound("pga.work_area_bound_mb", "end")
area_bound("pga.work_area_bound_begin_mb", "begin")


@fact("pga.host_memory_mb", "MB", "memory_statistics|host|os_statistics", kind="setting")
def host_memory_mb(f: Figures) -> Answer:
    """Physical memory of the host."""
    sizes = (
        _memory_statistic(f, "host_memory_mb", "MB"),
        f.single("host", "memory_gb", "GB") * 1024,
        memory_of_host(f, "physical_memory_bytes", "end_value") / 1024 / 1024,
    )
    return next((size for size in sizes if size.value and size.value > 0), _NO_MEMORY)


_NO_MEMORY: Final = Missing("the host's memory is not in the report")


def _memory_statistic(f: Figures, name: str, label: str) -> Number:
    end, begin = (
        f.row_figure("memory_statistics", name, column, label)
        for column in ("end_value", "begin_value")
    )
    return end.otherwise(begin)


formula("pga.host_free_mb", "MB", "os_statistics",
    "Free and inactive memory of the host, which a larger PGA can take without swapping.",
    lambda f: min((needed(_free(f, column)) for column in ("value", "end_value")), key=value_of),
    better="higher over time")  # fmt: skip


def _free(f: Figures, column: str) -> Number:
    free, inactive = (
        memory_of_host(f, f"{kind}_memory_bytes", column) for kind in ("free", "inactive")
    )
    if isinstance(inactive, Missing) and not inactive.lost:
        return (free / 1024 / 1024).noted("inactive memory is not in the report")
    return (free + inactive) / 1024 / 1024


@fact(
    "pga.recommended_host_pct",
    "%",
    "pga_advisory",
    "memory_statistics|os_statistics|host",
    beyond=True,
)
def recommended_host_pct(f: Figures) -> Answer:
    """Share of the host's memory that the SGA and the recommended PGA target would take."""
    sga, host = _sga_and_host(f)
    return (sga + _advised(f, "recommended", "target_mb", "MB")) * 100 / host


def _sga_and_host(f: Figures) -> tuple[Number, Number]:
    """MB of the SGA and of the host."""
    if isinstance(host := as_input(host_memory_mb(f)._replace(status="measured"), "MB"), Missing):
        host = Missing(_NO_MEMORY.why)
    return _memory_statistic(f, "sga_mb", "MB SGA").otherwise(as_input(sga_mb(f), "MB SGA")), host
