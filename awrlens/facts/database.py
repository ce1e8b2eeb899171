"""The database and its load: sessions, DB time, what uses it, buffer cache, data reads."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.fact_table import fact
from awrlens.facts.cells import twice
from awrlens.facts.cpu import of_sessions
from awrlens.facts.formula import (
    Figure,
    Missing,
    add,
    derive,
    measured,
    readable,
    text_fact,
    unavailable,
)
from awrlens.facts.idle import is_idle
from awrlens.facts.numbers import waited
from awrlens.facts.sections import BG, BLOCK_SIZE, DB_TIME, ELAPSED, FG, RESPONSE
from awrlens.facts.temp_waits import block_size
from awrlens.facts.write_path import EVENTS
from awrlens.records import NamedTuple
from awrlens.units import parse_number

if TYPE_CHECKING:
    from collections.abc import Callable

    from awrlens.facts.numbers import Figures
    from awrlens.model import Fact
    from awrlens.report.table import Table
    from awrlens.report.table_rows import Row
from awrlens.facts.system import DATA_READS, DATABASE

CPU: Final = "CPU"
CPU_ROWS: Final = ("DB CPU", "CPU time", "CPU Time")


class _Consumer(NamedTuple):
    """The largest consumer of DB time outside the write path."""

    name: str
    seconds: Figure


def _seconds(f: Figures, table: Table, row: Row) -> Figure | Missing:
    """Total time of a top event."""
    if table.is_disputed(row.key):
        return twice(table, row)
    return f.figure(row.cell("total_wait_s"), "s", Missing("", ("top_events",)))


def _largest(f: Figures) -> _Consumer | Missing:
    table = f.tables.get("top_events")
    found: list[_Consumer] = []
    for row in table.rows if table is not None else ():
        name = row.key.strip()
        figure = _seconds(f, table, row) if table is not None else f.missing("top_events")
        if not name or name.startswith(EVENTS) or is_idle(f, name):
            continue
        if isinstance(figure, Missing):
            if figure.lost:
                return figure
            continue
        found.append(_Consumer(CPU if name in CPU_ROWS else name, figure))
    cpu = f.once(of_sessions).seconds
    if isinstance(cpu, Missing) and cpu.lost:
        return cpu
    if found and isinstance(cpu, Figure) and all(each.name != CPU for each in found):
        found.append(_Consumer(CPU, cpu))  # some releases' lists have waits only
    if not found:
        return f.missing("top_events")
    largest = max(found, key=lambda each: each.seconds.value)
    if isinstance(cpu, Missing) and all(each.name != CPU for each in found):
        whole = f.response  # CPU may have taken more, unless this event took half of all
        if isinstance(whole, Missing) or largest.seconds.value * 2 < whole.value:
            return cpu
    return largest


@fact("load.largest_consumer", "name", "top_events", kind="level", better="neither")
def largest_consumer(f: Figures) -> Fact:
    """The largest consumer of DB time outside the write path: an event, or CPU."""
    found = f.once(_largest)
    if isinstance(found, Missing):
        return unavailable(found)
    return text_fact(found.name, found.seconds.evidence, "measured")


@fact("load.largest_consumer_pct", "%", "top_events", RESPONSE, kind="level", better="neither")
def largest_consumer_pct(f: Figures) -> Fact:
    """Share of DB time that went to the largest consumer outside the write path."""
    found = f.once(_largest)
    if isinstance(found, Missing):
        return unavailable(found)
    return derive("seconds * 100 / whole", seconds=found.seconds, whole=f.response)


@fact("load.elapsed_s", "s", f"{ELAPSED}|instance_activity|os_statistics", kind="none",
      better="neither")  # fmt: skip
def elapsed_s(f: Figures) -> Fact:
    """Length of the interval, of an excerpt without a header by what it counted.

    A total of Instance Activity Stats over its rate per second, or the busy and idle time of all
    CPUs over their number: in 32 of 36 real reports, this is within 3 % of the elapsed
    time; the others are up to 21 % apart.
    """
    if f.header.elapsed_s is None and isinstance(f.elapsed, Figure):
        how = (
            "a total of Instance Activity Stats over its rate"
            if isinstance(f.elapsed_by_rates, Figure)
            else "busy and idle time of the CPUs in OS statistics over their number"
        )
        return derive("counted", f"the header has no elapsed time: {how}", counted=f.elapsed)
    return _header(f.elapsed)


@fact("load.sessions", "count", ELAPSED, kind="level", better="neither")
def sessions(f: Figures) -> Fact:
    """Sessions logged on, the mean of both snapshots."""
    begin, end = (
        f.row_figure("snapshots", row, "sessions", "") for row in ("begin_snap", "end_snap")
    )
    return derive("(begin + end) / 2", begin=begin, end=end)


@fact("load.db_time_s", "s", DB_TIME, kind="total", better="lower", title="DB time")
def db_time_s(f: Figures) -> Fact:
    """DB time of the interval (10g and later)."""
    return _header(f.db_time)


@fact(
    "load.average_active_sessions",
    "ratio",
    DB_TIME,
    ELAPSED,
    kind="level",
    better="lower over time",
    title="Average active sessions",
)
def average_active_sessions(f: Figures) -> Fact:
    """DB time over elapsed time: average number of active sessions."""
    return derive("db_time / elapsed", db_time=f.db_time, elapsed=f.elapsed)


def _header(figure: Figure | Missing) -> Fact:
    """A header's minutes as seconds."""
    fact = measured(figure)
    if not fact.evidence:
        return fact
    printed, column = fact.evidence[0].text, fact.evidence[0].column
    if fact.number is not None and ("min" in printed or "(min" in column):
        minutes = f"{fact.number / 60:,.10g}"
        return fact._replace(status="derived", formula=f"{minutes} min × 60")
    return fact


@fact("load.response_s", "s", RESPONSE, kind="total", better="lower")
def response_s(f: Figures) -> Fact:
    """The base of shares: DB time, or before 10g the CPU and waits that top events imply."""
    if isinstance(f.db_time, Figure):
        return db_time_s(f)
    note = "no DB time before 10g: time × 100 / share of the largest top event, minus idle events"
    return measured(f.response, note)


def of_database(column: str) -> Callable[[Figures], Fact]:
    """A detail of the database on the report's first page (role and edition: since 12.2)."""

    def fact(f: Figures) -> Fact:
        for name in ("database", "database_summary"):
            table = f.tables.get(name)
            cell = table.rows[0].cell(column) if table is not None and table.rows else None
            if cell is not None and cell.text:
                return text_fact(cell.text, (f.evidence(cell),), "measured")
        return unavailable(Missing(f"the {column} is not in the report", ("database",)))

    fact.__doc__ = f"The database's {column}, from the first page of the report."
    return fact


fact("database.role", "name", DATABASE, kind="setting", better="neither")(of_database("role"))
fact("database.cdb", "name", DATABASE, kind="setting", better="neither")(of_database("cdb"))
fact("database.edition", "name", DATABASE, kind="setting", better="neither")(of_database("edition"))


@fact("database.release", "name", DATABASE, kind="setting", better="neither")
def release(f: Figures) -> Fact:
    """The Oracle release of the report."""
    fact = of_database("release")(f)
    known = f.header.release
    if known is None and fact.value is not None:
        return unavailable(Missing("the text at its place is not a release", ("database",)))
    if fact.value is None and known:
        return text_fact(known, (), "measured", "from the heading of the report")
    return fact


@fact(
    "load.buffer_cache_mb",
    "MB",
    "cache_sizes|cache_sizes_by_instance|parameters",
    kind="level",
    better="neither",
)
def buffer_cache_mb(f: Figures) -> Fact:
    """Buffer cache at the begin of the interval; 8i shows its number of blocks.

    Without that section, it is the present size that Oracle keeps in `__db_cache_size`.
    """
    buffers = f.row_figure("cache_sizes", "db_block_buffers", "value", "buffers")
    if isinstance(buffers, Figure):
        block = f.row_figure("cache_sizes", "block_size", "value", "B per block")
        return derive("buffers * block / 1024 / 1024", buffers=buffers, block=block)
    cache = f.row_figure("cache_sizes", "buffer_cache", "value", "B of buffer cache")
    kept = f.parameter("__db_cache_size")
    if isinstance(cache, Missing) and not cache.lost and kept is not None:
        size = parse_number(kept[0], "B")
        if size:
            cache = Figure(float(size), "B of buffer cache", (kept[1],))
    if isinstance(cache, Missing) and not cache.lost:
        return measured(f.of_instance("cache_sizes_by_instance", "db_cache_mb", "MB", cache))
    return derive("cache / 1024 / 1024", cache=cache)


@fact("load.block_b", "B", BLOCK_SIZE, kind="level", better="neither")
def block_b(f: Figures) -> Fact:
    """Bytes of a database block (DB_BLOCK_SIZE)."""
    return measured(block_size(f))


@fact("io.data_read_ms", "ms", FG, kind="level", better="lower")
def data_read_ms(f: Figures) -> Fact:
    """Average time of a single-block read of a data file that sessions waited for."""
    if f.session_list is None and f.tables.get("top_events") is None:
        return unavailable(f.missing("foreground_events"))
    for name in ("cell single block physical read", "db file sequential read"):
        event = f.foreground(name)
        if isinstance(event.waits, Figure):
            return event.each_ms
    return f.foreground("db file sequential read").each_ms


#: Before it, RMAN's I/O waits have other names.
_RMAN_SINCE: Final = (11, 2)
_BEFORE: Final = (0, 0)


@fact("io.backup_sessions", "ratio", BG, ELAPSED, kind="level", better="neither")
def backup_sessions(f: Figures) -> Fact:
    """Average number of RMAN's processes that wait for I/O (11.2 and later)."""
    name = "RMAN backup & recovery I/O"
    waited = f.background(name).total_s
    if isinstance(waited, Missing) and not waited.lost and (f.release or _BEFORE) >= _RMAN_SINCE:
        table = f.tables.get("background_events")
        if table is not None and f.complete:
            return measured(Figure(0, "ratio"), f"`{name}` is not in {table.title}")
    return derive("waited / elapsed", waited=waited, elapsed=f.elapsed)


@fact("io.backup_pct", "%", "io_by_function", kind="level", better="neither")
def backup_pct(f: Figures) -> Fact:
    """Share of RMAN in the bytes that all functions read and wrote (11g and later)."""
    table = f.tables.get("io_by_function")
    if table is None:
        return unavailable(f.missing("io_by_function"))
    rows = [row for row in table if row.key not in _SUMS]
    amounts = [row.number(column) for row in rows for column in _BYTES]
    if None in amounts:
        why = f"{table.title} has no figure in a row, so that its sum is not known"
        return unavailable(Missing(why, ("io_by_function",), lost=True))
    cells = [f.row_figure("io_by_function", "RMAN", column, "B by RMAN") for column in _BYTES]
    backup = readable(cells)
    if isinstance(backup, Missing):
        return unavailable(backup)
    whole = Figure(sum(each or 0 for each in amounts), "B by all functions")
    return derive("backup * 100 / whole", backup=add(backup, "B by RMAN"), whole=whole)


_BYTES: Final = ("read_data_b", "write_data_b")
#: Rows of I/O by function that repeat the others.
_SUMS: Final = ("TOTAL:", "TOTAL", "Total", "Total:")


def waited_for(*starts: str) -> Callable[[Figures], Fact]:
    """A fact of the seconds that sessions waited for events with these prefixes."""

    def fact(f: Figures) -> Fact:
        return waited(f, *starts)

    names = " and ".join(f"`{start}`" for start in starts)
    fact.__doc__ = f"Seconds that sessions waited for {names}."
    return fact


fact("load.gc_busy_wait_s", "s", FG, kind="total", better="lower")(
    waited_for("gc buffer busy", "gc current block busy", "gc cr block busy")
)
fact("load.row_lock_wait_s", "s", FG, kind="total", better="lower")(waited_for("enq: TX"))
fact("load.buffer_busy_wait_s", "s", FG, kind="total", better="lower")(
    waited_for("buffer busy waits")
)


@fact("load.data_read_wait_s", "s", FG, kind="total", better="lower")
def data_read_wait_s(f: Figures) -> Fact:
    """Seconds that sessions waited for reads of data files into the buffer cache."""
    return waited(f, *DATA_READS)
