"""Statspack report of 11.2."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from operator import attrgetter
from typing import TYPE_CHECKING

from .awr import load_profile as awr_load_profile
from .awr import memory_statistics
from .awr_activity import absolute_statistics
from .awr_memory import (
    buffer_pool,
    enqueue_rows,
    pga_advice,
    pool_advice,
    recovery_rows,
    shared_pool_advice,
    undo_rows,
    undo_summary,
)
from .awr_other import (
    MUTEX_SLEEPS,
    components,
    dictionary_rows,
    latch_sleeps,
    process_memory,
    sga_breakdown,
    sga_regions,
)
from .awr_waits import MS, histogram_row, host_statistics, timeout_pct
from .derived import Derived, IoTotals, Release, add_up, by_time, combined, efficiency, function_io
from .figures import KIB, MIB, bare, data_volume, grouped, percent, plain, ratio, statspack_count
from .front_pages import Pages
from .layout import Layout, Row, Section, Tables, Value, number
from .model import DataFile, Event, Segment, Sql, Workload, spread
from .statspack import (
    BUFFER_WAITS,
    DICTIONARY,
    GETS,
    activity,
    buffer_wait_rows,
    efficiency_lines,
    execution_row,
    file_row,
    files_by_name,
    init_parameters,
    latch_activity,
    latch_miss_sources,
    lib_cache,
    ordered,
    parse_row,
    pga_histogram,
    pga_notes,
    pga_target,
    print_pages,
    resource_row,
    shared_pool_lines,
    snapshot_lines,
    style_11,
    tablespace_io,
)
from .text_pages import END_RULE, join

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

PAGES = Pages("statspack_11")


TABLES = Tables("statspack_11")

RELEASE = Release("11.2.0.3.0", lambda w: w.elapsed_whole_s)
#: 12.1 prints what 11.2 does, and nothing else is known of later releases.
RELEASE_19 = Release("19.0.0.0.0", lambda w: w.elapsed_whole_s, like=11)

BY_GETS = Layout(GETS.heading.replace("Elapsd\n", "Elapsd     Old\n"), GETS.formats)


def write(w: Workload, release: Release = RELEASE) -> str:
    """Write the report."""
    d = Derived(w, release)
    lines = [*header(d), *load_profile(d), *top_events(d), *host(d)]
    lines += print_pages(sections(d), style_11(d))
    return join([*lines, "", f"End of Report ( {w.slug}.statspack-11.2.txt )", ""])


def write_19(w: Workload) -> str:
    """Write the report as 12.1 and later do."""
    return write(w, RELEASE_19)


def header(d: Derived) -> list[str]:
    """Database, host, snapshots, cache sizes."""
    return PAGES.fill("header", d, snapshot_lines=snapshot_lines(d, 11))


def load_profile(d: Derived) -> list[str]:
    """Load profile, efficiency, shared pool."""
    lines = [
        f"{line.label.replace('DB Time', 'DB time'):>17} {line.per_second:>18} "
        f"{line.per_transaction:>18} {line.per_execution:>11} {line.per_call:>11}".rstrip()
        for line in awr_load_profile(d)
    ]
    return PAGES.fill(
        "load_profile",
        d,
        lines=lines,
        efficiency_lines=efficiency_lines(
            d, "Optimal W/A Exec %:", efficiency(d).optimal_work_area
        ),
        shared_pool_lines=shared_pool_lines(d),
    )


def call_time_us(d: Derived) -> float:
    """CPU and all waits that are not idle: what shares of call time are of."""
    waited_us = sum(event.time_us for event in d.workload.events if not event.idle)
    return waited_us + d["CPU used by this session"] * 10_000


def top_events(d: Derived) -> list[str]:
    """Top 5 Timed Events: all waits and CPU time."""
    whole_us = call_time_us(d)
    rows = [
        (e.name, grouped(e.waits), e.time_us, plain(e.average_us / 1_000))
        for e in combined(d.workload.events)
        if not e.idle
    ]
    rows.append(("CPU time", "", d["CPU used by this session"] * 10_000, ""))
    rows.sort(key=lambda row: -row[2])
    return PAGES.fill(
        "top_events",
        d,
        rows=[
            f"{name[:41]:<41} {waits:>12} {grouped(us / 1e6):>11} {average:>6} "
            f"{bare(percent(us, whole_us)):>6}"
            for name, waits, us, average in rows[:5]
        ],
    )


def host(d: Derived) -> list[str]:
    """Host CPU, instance CPU, memory."""
    db = d.workload.database
    cpus = f"CPUs: {db.cpus}  Cores: {db.cores}  Sockets: {db.sockets}"
    return [*host_cpu(d, cpus), "", *instance_cpu(d), "", *memory(d)]


def host_cpu(d: Derived, cpus: str) -> list[str]:
    """Load and use of the host's CPUs."""
    return PAGES.fill("host_cpu", d, cpus=cpus)


def instance_cpu(d: Derived) -> list[str]:
    """Seconds and shares of the instance."""
    w, t = d.workload, d.workload.time
    instance_s = (t.db_cpu_us + t.background_cpu_us) / 1e6
    database_s = (t.db_time_us + t.background_us) / 1e6
    busy_pct = percent(w.host.busy_cs, w.host.total_cs)
    return PAGES.fill(
        "instance_cpu",
        d,
        host_s=w.host.total_cs / 100,
        busy_s=w.host.busy_cs / 100,
        busy_pct=busy_pct,
        instance_s=instance_s,
        database_s=database_s,
    )


def memory(d: Derived) -> list[str]:
    """Memory of the host, the SGA and the PGA."""
    return [
        "Memory Statistics                       Begin          End",
        "~~~~~~~~~~~~~~~~~                ------------ ------------",
        *(f"{label:>32} {begin:>12} {end:>12}" for label, begin, end in memory_statistics(d, 1)),
        END_RULE,
    ]


def sections(d: Derived) -> list[Section]:
    """All sections in printing order."""
    return [
        time_model(d),
        *wait_events(d),
        histogram(d),
        *sql_sections(d),
        *activity_sections(d),
        *os_sections(d),
        *function_sections(d),
        tablespace_io(d),
        *file_sections(d),
        *recovery_sections(d),
        *pga_sections(d),
        *undo_sections(d),
        *latch_sections(d),
        *segment_sections(d),
        *cache_sections(d),
        *memory_sections(d),
        init_parameters(d, continued=True),
    ]


def time_model(d: Derived) -> Section:
    """Time Model System Stats."""
    t = d.workload.time
    shares = (
        ("sql execute elapsed time", t.sql_execute_us),
        ("DB CPU", t.db_cpu_us),
        ("PL/SQL execution elapsed time", t.plsql_execute_us),
        ("parse time elapsed", t.parse_us),
        ("hard parse elapsed time", t.hard_parse_us),
        ("connection management call elapsed time", t.connection_us),
        ("repeated bind elapsed time", t.repeated_bind_us),
    )
    rows: list[Row] = [
        (name, us / 1e6, percent(us, t.db_time_us))
        for name, us in sorted(shares, key=lambda share: -share[1])
    ]
    rows += [
        ("DB time", t.db_time_us / 1e6, None),
        ("background elapsed time", t.background_us / 1e6, None),
        ("background cpu time", t.background_cpu_us / 1e6, None),
    ]
    return TABLES.section("Time Model System Stats", rows)


def wait_events(d: Derived) -> list[Section]:
    """Foreground, background, and both together."""
    whole_us = call_time_us(d)

    def rows(events: Iterable[Event]) -> list[Row]:
        return [
            (
                e.name,
                e.waits,
                timeout_pct(e) or 0,
                e.time_us / 1e6,
                e.average_us / 1_000,
                d.per_transaction(e.waits),
                None if e.idle else percent(e.time_us, whole_us),
            )
            for e in by_time(events)
        ]

    w = d.workload
    return [
        TABLES.section("Foreground Wait Events", rows(w.foreground)),
        TABLES.section("Background Wait Events", rows(w.background)),
        TABLES.section("Wait Events (fg and bg)", rows(combined(w.events))),
    ]


def histogram(d: Derived) -> Section:
    """Wait Event Histogram."""
    events = sorted(combined(d.workload.events), key=lambda e: (e.idle, e.name))
    rows = [histogram_row(event, MS, statspack_count(event.waits)) for event in events]
    return TABLES.section("Wait Event Histogram", rows)


LEAST_PCT = 1.0
"""Statements below this share of the total are not printed."""


def sql_sections(d: Derived) -> list[Section]:
    """Build SQL ordered by CPU, elapsed time, gets, reads, executions, parse calls."""
    statements, t = d.workload.statements, d.workload.time
    gets, reads = d["session logical reads"], d["physical reads"]
    runs, parses = d["execute count"], d["parse count (total)"]
    not_counted_twice = [sql for sql in statements if not sql.plsql]
    not_commits = [sql for sql in statements if sql.text != "COMMIT"]

    def section(
        title: str,
        field: str,
        whole: float,
        counted: Iterable[Sql],
        row: Callable[[Sql], Row],
        *,
        unit: float = 1,
        least_pct: float = LEAST_PCT,
        layout: Layout | None = None,
    ) -> Section:
        resource = attrgetter(field)
        used = ordered(d, resource, least_pct, whole)
        captured = percent(sum(map(resource, counted)), whole)
        figures = {"total": whole / unit if unit > 1 else whole, "captured": captured}
        found = TABLES.section(title, list(map(row, used)), figures=figures, statements=used)
        return replace(found, layout=layout) if layout else found

    def time_row(sql: Sql, us: int, whole_us: int, other_us: int, blocks: int) -> Row:
        each, share = ratio(us / 1e6, sql.executions), percent(us, whole_us)
        return (us / 1e6, sql.executions, each, share, other_us / 1e6, blocks, sql.hash_value)

    return [
        section(
            "SQL ordered by CPU", "cpu_us", t.db_cpu_us, statements,
            lambda s: time_row(s, s.cpu_us, t.db_cpu_us, s.elapsed_us, s.gets), unit=1e6,
        ),
        section(
            "SQL ordered by Elapsed time", "elapsed_us", t.db_time_us, statements,
            lambda s: time_row(s, s.elapsed_us, t.db_time_us, s.cpu_us, s.reads), unit=1e6,
        ),
        section(
            "SQL ordered by Gets", "gets", gets, not_counted_twice,
            lambda s: resource_row(s, s.gets, gets), layout=BY_GETS,
        ),
        section(
            "SQL ordered by Reads", "reads", reads, not_counted_twice,
            lambda s: resource_row(s, s.reads, reads), layout=TABLES.BY_READS,
        ),
        section(
            "SQL ordered by Executions", "executions", runs, not_commits, execution_row,
            layout=TABLES.BY_EXECUTIONS,
        ),
        section(
            "SQL ordered by Parse Calls", "parses", parses, statements,
            lambda s: parse_row(d, s), least_pct=0, layout=TABLES.BY_PARSES,
        ),
    ]  # fmt: skip


def activity_sections(d: Derived) -> list[Section]:
    """Build Counts, levels, log switches."""
    switches: Row = ("log switches (derived)", d.workload.log_switches, d.log_switches_per_hour)
    return [
        activity(d),
        TABLES.section("Instance Activity Stats #absolute", absolute_statistics(d)),
        TABLES.section("Instance Activity Stats #thread", [switches]),
    ]


def os_sections(d: Derived) -> list[Section]:
    """Operating system statistics."""
    w = d.workload
    shares = [
        percent(part, w.host.total_cs)
        for part in (w.host.busy_cs, w.host.user_cs, w.host.system_cs, w.host.iowait_cs)
    ]
    form = "%a %d %H:%M:%S"
    no_shares: tuple[Value, ...] = (None,) * 5
    detail: list[Row] = [
        (w.begin.snap_id, w.begin.taken.strftime(form), w.begin.load_average, *no_shares),
        (w.end.snap_id, w.end.taken.strftime(form), w.end.load_average, *shares, None),
    ]
    rows: list[Row] = [row[:2] for row in host_statistics(d) if row[0] != "LOAD"]
    return [TABLES.section("OS Statistics", rows), TABLES.section("OS Statistics - detail", detail)]


def volume(size_bytes: int) -> str | None:
    """Volume, or nothing for none."""
    return data_volume(size_bytes) if size_bytes >= MIB // 2 else None


def requests(count: int) -> str | None:
    """Return requests, or nothing for none."""
    return statspack_count(count) if count else None


def function_sections(d: Derived) -> list[Section]:
    """I/O by function."""
    totals = [(name, add_up(io for _, io in parts)) for name, parts in function_io(d.workload)]

    def rate(size_bytes: int) -> str | None:
        return bare(size_bytes / MIB / d.elapsed_s) + "M" if size_bytes else None

    def summary(name: str, io: IoTotals) -> Row:
        return (
            name,
            volume(io.read_bytes),
            d.per_second(io.read_requests) if io.read_requests else None,
            rate(io.read_bytes),
            volume(io.write_bytes),
            d.per_second(io.write_requests) if io.write_requests else None,
            rate(io.write_bytes),
            requests(io.waits),
            ratio(io.wait_us / 1_000, io.waits) if io.waits else None,
        )

    def detail(name: str, io: IoTotals) -> Row:
        def split(count: int, size_bytes: int) -> tuple[Value, Value, Value, Value]:
            large = count > 0 and size_bytes / count > 128 * KIB
            cells = (requests(count), volume(size_bytes))
            return (None, cells[0], None, cells[1]) if large else (cells[0], None, cells[1], None)

        return (
            name,
            *split(io.read_requests, io.read_bytes),
            *split(io.write_requests, io.write_bytes),
        )

    return [
        TABLES.section("IO Stat by Function - summary", [summary(name, io) for name, io in totals]),
        TABLES.section("IO Stat by Function - detail", [detail(name, io) for name, io in totals]),
    ]


def file_sections(d: Derived) -> list[Section]:
    """File I/O and the histogram of single-block reads."""

    def numbers(file: DataFile) -> Row:
        reads, rate, read_ms, *others = file_row(d, file)
        return (reads, rate, read_ms, 64 if file.single_block_reads else None, *others)

    def reads_by_time(file: DataFile) -> Sequence[int]:
        reads = file.single_block_reads
        counts = spread(reads, ratio(file.read_us, file.reads), 0.8)
        edges = (0, 12, 13, 14, 15, 16, len(counts))
        return [sum(counts[a:b]) for a, b in pairwise(edges)]

    files = files_by_name(d)
    return [
        TABLES.section(
            "File IO Stats", [(file.tablespace, file.name, *numbers(file)) for file in files]
        ),
        TABLES.section(
            "File Read Histogram Stats",
            [
                (file.tablespace, file.name, *reads_by_time(file))
                for file in files
                if not file.temporary
            ],
        ),
    ]


def recovery_sections(d: Derived) -> list[Section]:
    """Recovery, memory components, buffer pool, buffer waits."""
    _, buffers, hit, *numbers = buffer_pool(d)
    pools = {
        "DEFAULT buffer cache": "D:buffer cache",
        "PGA Target": "PGA Target",
        "java pool": "java pool",
        "large pool": "large pool",
        "shared pool": "shared pool",
    }
    return [
        TABLES.section("Instance Recovery Stats", [row[:9] for row in recovery_rows(d)]),
        TABLES.section(
            "Memory Dynamic Components",
            [
                (pools[name], mb, None, 0, "STATIC", None)
                for name, mb in components(d).items()
                if name in pools
            ],
        ),
        TABLES.section("Buffer Pool Advisory", pool_advice(d)),
        TABLES.section(
            "Buffer Pool Statistics", [("D", statspack_count(int(number(buffers))), hit, *numbers)]
        ),
        TABLES.section("Buffer wait Statistics", buffer_wait_rows(d), layout=BUFFER_WAITS),
    ]


def pga_sections(d: Derived) -> list[Section]:
    """PGA target, histogram, advice, process memory."""
    advice: list[Row] = []
    for target, factor, processed, extra, hit, overallocated, time in pga_advice(d):
        advice.append((target, factor, processed, extra, number(time) / 1e3, hit, overallocated))
    memory: list[Row] = []
    for (
        label,
        category,
        alloc,
        used,
        average,
        deviation,
        most,
        history,
        processes,
        _,
    ) in process_memory(d):
        memory.append(
            (label, category, alloc, used, None, average, deviation, most, history, processes)
        )
    return [
        pga_target(d, pga_notes("WorkArea", "Manual", "identified")),
        pga_histogram(d),
        TABLES.section("PGA Memory Advisory", advice),
        TABLES.section("Process Memory Summary Stats", memory),
    ]


def undo_sections(d: Derived) -> list[Section]:
    """Enqueues and undo."""
    return [
        TABLES.section("Enqueue activity", enqueue_rows(d)),
        TABLES.section("Undo Segment Summary", [undo_summary(d)]),
        TABLES.section("Undo Segment Stats", undo_rows(d)),
    ]


def latch_sections(d: Derived) -> list[Section]:
    """Latches and mutexes."""
    return [
        latch_activity(d),
        TABLES.section("Latch Sleep breakdown", latch_sleeps(d)),
        latch_miss_sources(d),
        TABLES.section("Mutex Sleep", MUTEX_SLEEPS),
    ]


def segment_sections(d: Derived) -> list[Section]:
    """Segments by logical reads, physical reads, buffer busy waits."""

    def heading(top: str, bottom: str, above: str = "") -> Layout:
        return Layout(
            (f"{above:>74}\n" if above else "")
            + f"                                           Subobject    Obj. {top:>13}   Pct\n"
            f"Owner      Tablespace Object Name          Name         Type {bottom:>13} Total\n"
            "---------- ---------- -------------------- ------------ ----- ------------ -----",
            "s s s s s i h1",
        )

    def rows(measure: str) -> list[Row]:
        def amount(segment: Segment) -> int:
            return int(getattr(segment, measure))

        used = sorted((s for s in d.workload.segments if amount(s)), key=amount, reverse=True)
        total = sum(map(amount, used))
        return [
            (s.owner, s.tablespace, s.name, None, s.kind, amount(s), percent(amount(s), total))
            for s in used
        ]

    return [
        TABLES.section(
            "Segments by Logical Reads", rows("logical_reads"), layout=heading("Logical", "Reads")
        ),
        TABLES.section(
            "Segments by Physical Reads",
            rows("physical_reads"),
            layout=heading("Physical", "Reads"),
        ),
        TABLES.section(
            "Segments by Buffer Busy Waits",
            rows("buffer_busy_waits"),
            layout=heading("Busy", "Waits", "Buffer"),
        ),
    ]


def cache_sections(d: Derived) -> list[Section]:
    """Build Dictionary and library cache, shared pool advice."""
    advice: list[Row] = []
    for *numbers, hits_k in shared_pool_advice(d):
        advice.append((*numbers, number(hits_k) * 1_000))
    return [
        TABLES.section("Dictionary Cache Stats", dictionary_rows(d), layout=DICTIONARY),
        lib_cache(d),
        TABLES.section("Shared Pool Advisory", advice),
    ]


def memory_sections(d: Derived) -> list[Section]:
    """SGA regions and their breakdown."""
    rule = " " * 31 + "-" * 20
    return [
        TABLES.section(
            "SGA Memory Summary",
            sga_regions(d),
            footer=(f"{rule} {'-' * 20}", f"sum{d.workload.memory.sga_bytes:48,d}"),
        ),
        TABLES.section("SGA breakdown difference", sga_breakdown(d)),
    ]
