"""Statspack report of 9.2."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .awr_memory import buffer_pool, recovery_rows, undo_rows, undo_summary
from .awr_other import dictionary_rows, latch_sleeps, sga_breakdown, sga_regions
from .derived import SIZE_FACTORS, Derived, Release, by_time, combined, read_factor
from .figures import MIB, grouped, percent, plain, ratio
from .front_pages import Pages
from .layout import Row, Section, Tables, number
from .statspack import (
    BY_FILE,
    DICTIONARY,
    EXECUTIONS,
    GETS,
    PARSES,
    READS,
    activity,
    buffer_wait_rows,
    execution_row,
    file_row,
    files_by_name,
    init_parameters,
    latch_activity,
    latch_miss_sources,
    lib_cache,
    ordered,
    parse_row,
    print_pages,
    resource_row,
    snapshot_lines,
    style_9,
    tablespace_io,
)
from .statspack_until_10 import load_profile, pga_sections, seen_by, wait_events, wait_row
from .text_pages import join, wrap

if TYPE_CHECKING:
    from .model import Event, Workload

PAGES = Pages("statspack_9")


TABLES = Tables("statspack_9")

RELEASE = Release("9.2.0.8.0", lambda w: w.elapsed_whole_s)
LOAD_HEAD = (
    "Load Profile",
    "~~~~~~~~~~~~                            Per Second       Per Transaction",
    "                                   ---------------       ---------------",
)
EFFICIENCY = "Instance Efficiency Percentages (Target 100%)"

SHARABLE = TABLES.SHARABLE


def write(w: Workload) -> str:
    """Write the report."""
    d = Derived(seen_by(RELEASE, w), RELEASE)
    lines = [*header(d), *load_profile(d, LOAD_HEAD, EFFICIENCY), *top_events(d)]
    lines += print_pages(sections(d), style_9(d))
    return join([*lines, "", "End of Report", ""])


def header(d: Derived) -> list[str]:
    """Database, snapshots, cache sizes."""
    return PAGES.fill("header", d, snapshot_lines=snapshot_lines(d, 8))


def top_events(d: Derived) -> list[str]:
    """Top 5 Timed Events: all waits and CPU time."""
    cpu_s = d["CPU used by this session"] / 100
    events = [e for e in by_time(combined(d.workload.events)) if not e.idle]
    whole_s = cpu_s + sum(event.time_us for event in events) / 1e6
    rows = [(e.name, grouped(e.waits), e.time_us / 1e6) for e in events]
    rows.append(("CPU time", "", cpu_s))
    rows.sort(key=lambda row: -row[2])
    return PAGES.fill(
        "top_events",
        d,
        rows=[
            f"{name[:44]:<44} {waits:>12} {grouped(seconds):>11} "
            f"{plain(percent(seconds, whole_s), 2):>8}"
            for name, waits, seconds in rows[:5]
        ],
    )


def sections(d: Derived) -> list[Section]:
    """All sections in printing order."""
    return [
        *wait_sections(d),
        *sql_sections(d),
        activity(d),
        tablespace_io(d),
        file_io(d),
        *buffer_sections(d),
        *pga_sections(d, "dentified"),
        enqueues(d),
        *rollback_sections(d),
        *undo_sections(d),
        latch_activity(d),
        *latch_sections(d),
        *cache_sections(d),
        *memory_sections(d),
        init_parameters(d, continued=False),
    ]


def wait_sections(d: Derived) -> list[Section]:
    """All waits, and those of background processes once more."""
    order = "ordered by wait time desc, waits desc (idle events last)"
    units = (
        "s  - second",
        "cs - centisecond -     100th of a second",
        "ms - millisecond -    1000th of a second",
        "us - microsecond - 1000000th of a second",
    )

    def row(event: Event) -> Row:
        return wait_row(d, event, event.timeouts, 1e6)

    return wait_events(d, TABLES.EVENTS, row, (*units, order), (order,))


def sql_sections(d: Derived) -> list[Section]:
    """Build SQL ordered by gets, reads, executions, parse calls, memory."""
    gets, reads = d["session logical reads"], d["physical reads"]

    top_gets = ordered(d, lambda sql: sql.gets, 0, gets)
    top_reads = ordered(d, lambda sql: sql.reads, 0, reads)
    runs = ordered(d, lambda sql: sql.executions, 0, 1)
    parses = ordered(d, lambda sql: sql.parses, 0, 1)
    large = [sql for sql in d.workload.statements if sql.sharable_bytes > MIB]
    pool = d.workload.memory.shared_pool_bytes
    return [
        TABLES.section(
            "SQL ordered by Gets",
            [resource_row(sql, sql.gets, gets) for sql in top_gets],
            layout=GETS,
            statements=top_gets,
        ),
        TABLES.section(
            "SQL ordered by Reads",
            [resource_row(sql, sql.reads, reads) for sql in top_reads],
            layout=READS,
            statements=top_reads,
        ),
        TABLES.section(
            "SQL ordered by Executions",
            [execution_row(sql) for sql in runs],
            layout=EXECUTIONS,
            statements=runs,
        ),
        TABLES.section(
            "SQL ordered by Parse Calls",
            [parse_row(d, sql) for sql in parses],
            layout=PARSES,
            statements=parses,
        ),
        TABLES.section(
            "SQL ordered by Sharable Memory",
            [
                (
                    sql.sharable_bytes,
                    sql.executions,
                    percent(sql.sharable_bytes, pool),
                    sql.hash_value,
                )
                for sql in large
            ],
            statements=large,
        ),
    ]


def file_io(d: Derived) -> Section:
    """File IO Stats."""
    rows: list[Row] = [
        (file.tablespace, file.name, *file_row(d, file)) for file in files_by_name(d)
    ]
    return TABLES.section("File IO Stats", rows, layout=BY_FILE)


def buffer_sections(d: Derived) -> list[Section]:
    """Buffer pool, recovery, advice, buffer waits."""
    w = d.workload
    size_mb = w.memory.buffer_cache_bytes / MIB
    buffers = w.memory.buffer_cache_bytes // w.database.block_bytes
    reads = d["physical reads cache"]
    advice: list[Row] = [
        (
            "D",
            size_mb * factor,
            factor,
            buffers * factor,
            read_factor(factor),
            reads * read_factor(factor),
        )
        for factor in SIZE_FACTORS
    ]
    return [
        TABLES.section("Buffer Pool Statistics", [buffer_pool(d)]),
        TABLES.section("Instance Recovery Stats", [row[:9] for row in recovery_rows(d)]),
        TABLES.section("Buffer Pool Advisory", advice),
        TABLES.section("Buffer wait Statistics", buffer_wait_rows(d), layout=TABLES.CLASS_WAITS),
    ]


def enqueues(d: Derived) -> Section:
    """Enqueue activity, by two-letter type."""
    rows: list[Row] = [
        (
            e.kind,
            e.requests,
            e.gets,
            e.requests - e.gets,
            e.waits,
            ratio(e.wait_us / 1e3, e.waits),
            e.wait_us / 1e6,
        )
        for e in sorted(d.workload.enqueues, key=lambda e: -e.wait_us)
    ]
    return TABLES.section("Enqueue activity", rows)


def rollback_sections(d: Derived) -> list[Section]:
    """Rollback segments: activity and storage."""
    segments = d.workload.rollback_segments
    return [
        TABLES.section(
            "Rollback Segment Stats",
            [
                (
                    s.number,
                    s.gets,
                    percent(s.waits, s.gets),
                    s.bytes_written,
                    s.wraps,
                    s.shrinks,
                    s.extends,
                )
                for s in segments
            ],
        ),
        TABLES.section(
            "Rollback Segment Storage",
            [(s.number, s.size_bytes, s.active_bytes, None, s.high_water_bytes) for s in segments],
        ),
    ]


def undo_sections(d: Derived) -> list[Section]:
    """Undo: one line for the tablespace, then ten-minute rows."""
    number, _, transactions, query_s, concurrency, *_ = undo_summary(d)
    reuse = "0/0/0/0/0/0"
    return [
        TABLES.section(
            "Undo Segment Summary",
            [(number, d.undo_blocks, transactions, query_s, concurrency, 0, 0, reuse)],
        ),
        TABLES.section("Undo Segment Stats", [(*row[:5], 0, 0, reuse) for row in undo_rows(d)]),
    ]


def latch_sections(d: Derived) -> list[Section]:
    """Sleeps and where they were."""
    rows: list[Row] = []
    for *numbers, spins in latch_sleeps(d):
        # spins and the first, second, third and fourth sleep, broken at the column
        first, *others = wrap(f"{spins}/{numbers[-1]}/0/0/0", 12, 5)
        rows.append((*numbers, first))
        rows += [(None, None, None, None, part) for part in others]
    return [TABLES.section("Latch Sleep breakdown", rows), latch_miss_sources(d)]


def cache_sections(d: Derived) -> list[Section]:
    """Build Dictionary and library cache, shared pool advice."""
    size_mb = d.workload.memory.shared_pool_bytes / MIB
    saved_s = d["execute count"] / 2_100
    advice: list[Row] = []
    for step in range(8, 21, 2):
        factor = step / 10
        cache_mb = max(8.0, size_mb * (factor - 0.62))
        advice.append(
            (
                size_mb * factor,
                factor,
                cache_mb,
                cache_mb * 38,
                saved_s * factor**0.01,
                factor**0.01,
                d["execute count"] * factor**0.001,
            )
        )
    return [
        TABLES.section("Dictionary Cache Stats", dictionary_rows(d), layout=DICTIONARY),
        lib_cache(d),
        TABLES.section("Shared Pool Advisory", advice),
    ]


def memory_sections(d: Derived) -> list[Section]:
    """SGA regions and their breakdown, in bytes."""
    breakdown: list[Row] = []
    for pool, name, begin_mb, end_mb, difference in sga_breakdown(d):
        if name != "ASH buffers":
            sizes = (number(begin_mb) * MIB, number(end_mb) * MIB)
            breakdown.append((pool, name, *sizes, difference))
    return [
        TABLES.section(
            "SGA Memory Summary",
            [row[:2] for row in sga_regions(d)],
            footer=(" " * 31 + "-" * 16, f"sum{d.workload.memory.sga_bytes:44,d}"),
        ),
        TABLES.section("SGA breakdown difference", breakdown),
    ]
