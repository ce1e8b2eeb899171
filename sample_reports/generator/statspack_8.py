"""Statspack report of 8.1.7: what 9.2 prints, in narrower columns and in centiseconds.

It has no DB time, no CPU and elapsed time of statements, no recovery estimates, no advice.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from . import statspack_9
from .awr_activity import absolute_statistics
from .awr_other import latch_misses, latch_rows
from .derived import CS_US, Derived, Release, by_time, combined
from .figures import grouped, percent, plain
from .front_pages import Pages
from .layout import Row, Section, Tables, number
from .statspack import (
    activity,
    buffer_wait_rows,
    init_parameters,
    latch_activity,
    latch_miss_sources,
    print_pages,
    style_9,
    tablespace_io,
)
from .statspack_until_10 import load_profile, seen_by, wait_events, wait_row
from .text_pages import join

if TYPE_CHECKING:
    from .model import Event, Workload

PAGES = Pages("statspack_8")


TABLES = Tables("statspack_8")

RELEASE = Release("8.1.7.4.0", lambda w: w.elapsed_whole_s)

SQL = {
    "SQL ordered by Gets": TABLES.BY_GETS,
    "SQL ordered by Reads": TABLES.BY_READS,
    "SQL ordered by Executions": TABLES.BY_EXECUTIONS,
    "SQL ordered by Sharable Memory": statspack_9.SHARABLE,
}
#: What 8i calls the parts of the SGA.
SGA_PARTS = {
    "KGLH0": "library cache",
    "SQLA": "sql area",
    "private strands": "event statistics per ses",
    "row cache": "dictionary cache",
    "buffer_cache": "db_block_buffers",
}


def write(w: Workload) -> str:
    """Write the report; 8i does not tell the module of a statement."""
    statements = tuple(replace(sql, module="") for sql in w.statements)
    d = Derived(replace(seen_by(RELEASE, w), statements=statements), RELEASE)
    lines = [
        *header(d),
        *load_profile(d, statspack_9.LOAD_HEAD, statspack_9.EFFICIENCY),
        *top_events(d),
    ]
    lines += print_pages(sections(d), style_9(d))
    return join([*lines, "", "End of Report", ""])


def header(d: Derived) -> list[str]:
    """Database, snapshots, cache sizes."""
    w = d.workload
    db, memory = w.database, w.memory
    snaps = (("Begin Snap:", w.begin), ("End Snap:", w.end))
    buffers = memory.buffer_cache_bytes // db.block_bytes
    return PAGES.fill(
        "header",
        d,
        rows=[
            f"{label:>12} {snap.snap_id:>10} {snap.taken:%d-%b-%y %H:%M:%S} {snap.sessions:>8}"
            for label, snap in snaps
        ],
        buffers=buffers,
        memory=memory,
    )


def top_events(d: Derived) -> list[str]:
    """Top 5 Wait Events: shares are of all waits, and CPU is not among them."""
    events = [e for e in by_time(combined(d.workload.events)) if not e.idle]
    whole_us = sum(event.time_us for event in events)
    return PAGES.fill(
        "top_events",
        d,
        rows=[
            f"{e.name[:44]:<44} {grouped(e.waits):>12} {grouped(e.time_us / CS_US):>12} "
            f"{plain(percent(e.time_us, whole_us), 2):>7}"
            for e in events[:5]
        ],
    )


def sections(d: Derived) -> list[Section]:
    """All sections in printing order."""
    rollback, storage = statspack_9.rollback_sections(d)
    sleeps, _ = statspack_9.latch_sections(d)
    return [
        *wait_sections(d),
        *sql_sections(d),
        replace(activity(d), layout=TABLES.ACTIVITY, rows=activity_rows(d)),
        tablespace_io(d),
        statspack_9.file_io(d),
        *buffer_sections(d),
        enqueues(d),
        replace(rollback, layout=TABLES.ROLLBACK, notes=rollback.notes[:1]),
        storage,
        replace(
            latch_activity(d),
            layout=TABLES.LATCHES,
            rows=[(*row[:4], *row[5:]) for row in latch_rows(d)],
        ),
        replace(sleeps, layout=TABLES.LATCH_SLEEPS),
        replace(latch_miss_sources(d), layout=TABLES.LATCH_MISSES, rows=latch_misses(d)),
        *cache_sections(d),
        *memory_sections(d),
        init_parameters(d, continued=False),
    ]


def wait_sections(d: Derived) -> list[Section]:
    """All waits, and those of background processes once more."""
    order = "ordered by wait time desc, waits desc (idle events last)"
    units = ("cs - centisecond -  100th of a second", "ms - millisecond - 1000th of a second")

    def row(event: Event) -> Row:
        return wait_row(d, event, event.timeouts, CS_US)

    return wait_events(d, TABLES.EVENTS, row, (*units, order), (order,))


def sql_sections(d: Derived) -> list[Section]:
    """Those of 9.2 without times, and without an order by parse calls."""

    def cells(section: Section) -> list[Row]:
        timed = section.layout is not statspack_9.SHARABLE
        return [(*row[:-3], row[-1]) if timed else row for row in section.rows]

    return [
        replace(section, layout=SQL[section.title], rows=cells(section))
        for section in statspack_9.sql_sections(d)
        if section.title in SQL
    ]


def activity_rows(d: Derived) -> list[Row]:
    """Totals and rates, of levels too as far as they rose; what has "current" in it has none."""
    totals = dict(d.printed_statistics())
    for name, begin, end in absolute_statistics(d):
        totals[str(name)] = max(0, int(number(end) - number(begin)))
    return [
        (name, None, None, None)
        if "current" in name.split()
        else (name, total, d.per_second(total), d.per_transaction(total))
        for name, total in sorted(totals.items())
    ]


def buffer_sections(d: Derived) -> list[Section]:
    """Buffer pool and buffer waits."""
    waits = d.workload.buffer_waits
    pool: Row = (
        "D",
        d["db block gets"],
        d["consistent gets"],
        d["physical reads cache"],
        d["physical writes from cache"],
        0,
        0,
        sum(count for count, _ in waits.values()),
    )
    return [
        TABLES.section("Buffer Pool Statistics", [pool]),
        TABLES.section(
            "Buffer wait Statistics",
            [
                (name, count, number(seconds) * 100, number(average_ms) / 10)
                for name, count, seconds, average_ms in buffer_wait_rows(d)
            ],
        ),
    ]


def enqueues(d: Derived) -> Section:
    """Enqueues that were waited for."""
    waited = sorted(d.workload.enqueues, key=lambda e: (-e.waits, -e.gets))
    return TABLES.section("Enqueue activity", [(e.kind, e.gets, e.waits) for e in waited])


def cache_sections(d: Derived) -> list[Section]:
    """Dictionary cache with its share of what is allocated, library cache."""
    dictionary, library, _ = statspack_9.cache_sections(d)

    def allocated(usage: float) -> int:
        return -(-int(usage) // 32) * 32

    rows: list[Row] = [
        (*row, percent(number(row[-1]), allocated(number(row[-1])))) for row in dictionary.rows
    ]
    return [
        replace(dictionary, layout=TABLES.DICTIONARY, rows=rows),
        replace(library, layout=TABLES.LIB_CACHE),
    ]


def memory_sections(d: Derived) -> list[Section]:
    """SGA regions and their breakdown."""
    regions, breakdown = statspack_9.memory_sections(d)
    rows: list[Row] = [
        (
            f"{pool} pool" if pool else None,
            SGA_PARTS.get(str(name), name),
            begin,
            end,
            number(end) - number(begin),
        )
        for pool, name, begin, end, _ in breakdown.rows
    ]
    return [regions, replace(breakdown, layout=TABLES.SGA_BREAKDOWN, rows=rows)]
