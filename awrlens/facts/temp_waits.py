"""Writes and waits for temporary I/O, and the bytes of direct I/O."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.fact_table import fact
from awrlens.facts import tablespace_sums
from awrlens.facts import tablespaces as ts
from awrlens.facts.formula import Figure, Missing, derive, measured, unavailable
from awrlens.facts.numbers import average, waited
from awrlens.facts.sections import BLOCK_SIZE, FG, STATS, TABLESPACES
from awrlens.facts.wait_event import Event, no_event
from awrlens.units import parse_number

if TYPE_CHECKING:
    from collections.abc import Callable

    from awrlens.facts.numbers import Figures
    from awrlens.model import Fact
from awrlens.facts.temp import KIND, has_old_events, lacking

#: Block sizes of a database in bytes. # Oracle Database Reference, DB_BLOCK_SIZE
_BLOCK_SIZES = (2048, 4096, 8192, 16384, 32768)


@fact("temp.write_ms", "ms", TABLESPACES, kind="level", better="lower")
def write_ms(f: Figures) -> Fact:
    """Write latency of temporary tablespaces, weighted by writes, if it is in the report."""
    if missing := lacking(f):
        return unavailable(missing)
    return tablespace_sums.weighted_fact(f, ts.temporary(f), KIND, "write_ms", "writes")


def _event(f: Figures, name: str) -> Event:
    """An event that separates temporary from other direct I/O (10g and later)."""
    event = f.foreground(name)
    if isinstance(event.total_s, Missing) and has_old_events(f):
        why = Missing("this release counts direct I/O of temporary and other segments together",
                      event.total_s.sections)  # fmt: skip
        return no_event(why)
    return event


def event_wait_s(name: str) -> Callable[[Figures], Fact]:
    """Seconds that sessions waited for one kind of direct temporary I/O."""

    def fact(f: Figures) -> Fact:
        event = _event(f, name)
        if isinstance(event.total_s, Missing) and not has_old_events(f):
            return waited(f, name)
        return measured(event.total_s)

    fact.__doc__ = f"Seconds that sessions waited for `{name}`."
    return fact


fact("temp.direct_read_wait_s", "s", FG, kind="total", better="lower")(
    event_wait_s("direct path read temp")
)
fact("temp.direct_write_wait_s", "s", FG, kind="total", better="lower")(
    event_wait_s("direct path write temp")
)


def event_ms(name: str) -> Callable[[Figures], Fact]:
    """Average wait for one kind of direct temporary I/O."""

    def fact(f: Figures) -> Fact:
        return _event(f, name).each_ms

    fact.__doc__ = f"Average wait of sessions for `{name}`: total / waits."
    return fact


fact("temp.direct_read_ms", "ms", FG, kind="level", better="lower")(
    event_ms("direct path read temp")
)
fact("temp.direct_write_ms", "ms", FG, kind="level", better="lower")(
    event_ms("direct path write temp")
)


@fact("temp.direct_ms", "ms", FG, kind="level", better="lower")
def direct_ms(f: Figures) -> Fact:
    """Average wait in ms for direct temporary I/O, reads and writes."""
    if f.tables.get("foreground_events") is None and has_old_events(f):
        return average(f, "direct path read", "direct path write")
    return average(f, "direct path read temp", "direct path write temp")


@fact("temp.direct_b", "B", STATS, FG, BLOCK_SIZE, kind="level", better="neither")
def direct_b(f: Figures) -> Fact:
    """Average bytes per wait for direct temporary I/O, reads and writes."""
    reads = f.stat("physical reads direct temporary tablespace", "blocks read")
    writes = f.stat("physical writes direct temporary tablespace", "written")
    waits = f.foreground_count(("direct path read temp", "direct path write temp"))
    return derive("(reads + writes) * block / waits", reads=reads, writes=writes,
                  block=block_size(f), waits=waits)  # fmt: skip


def bytes_per_wait(operation: str) -> Callable[[Figures], Fact]:
    """Bytes per wait for one kind of direct temporary I/O."""

    def fact(f: Figures) -> Fact:
        return derive(
            "blocks * block / waits",
            blocks=f.stat(f"physical {operation}s direct temporary tablespace", "blocks"),
            block=block_size(f),
            waits=f.foreground(f"direct path {operation} temp").waits,
        )

    fact.__doc__ = f"Average bytes per wait for a direct temporary {operation}."
    return fact


fact("temp.direct_read_b", "B", STATS, FG, BLOCK_SIZE, kind="level", better="neither")(
    bytes_per_wait("read")
)
fact("temp.direct_write_b", "B", STATS, FG, BLOCK_SIZE, kind="level", better="neither")(
    bytes_per_wait("write")
)


@fact("temp.direct_mb", "MB", STATS, BLOCK_SIZE, kind="total", better="neither")
def direct_mb(f: Figures) -> Fact:
    """MB read from and written to temporary tablespaces by direct I/O."""
    return derive(
        "(reads + writes) * block / 1024 / 1024",
        reads=f.stat("physical reads direct temporary tablespace", "blocks read"),
        writes=f.stat("physical writes direct temporary tablespace", "written"),
        block=block_size(f),
    )


def block_size(f: Figures) -> Figure | Missing:
    """The database's block size in bytes."""
    found = f.row_figure("cache_sizes", "block_size", "value", "B per block")
    printed = f.parameter("db_block_size")
    size = parse_number(printed[0]) if printed else None
    if isinstance(found, Figure) and found.value in _BLOCK_SIZES and size in (None, found.value):
        return found
    if printed is not None and size in _BLOCK_SIZES:
        return Figure(size, "B per block", (printed[1],))
    if isinstance(found, Figure):
        why = f"a block size of {found.digits} bytes is not possible"
        return Missing(why, ("cache_sizes", "parameters"), lost=True)
    return f.missing("cache_sizes", "parameters")


#: Waits for extents of the sort segment: other instances have cached them, or SMON creates it.
_SEGMENT: Final = ("enq: SS - contention", "sort segment request")


@fact("temp.segment_wait_s", "s", FG, kind="total", better="lower")
def segment_wait_s(f: Figures) -> Fact:
    """Seconds that sessions waited for space in a sort segment (`enq: SS - contention`)."""
    return waited(f, *_SEGMENT)


@fact("temp.segment_wait_ms", "ms", FG, kind="level", better="lower")
def segment_wait_ms(f: Figures) -> Fact:
    """Average wait of sessions for space in a sort segment in ms."""
    return average(f, *_SEGMENT)
