"""AWR: time model, operating system, wait classes, events, histograms, services."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from .derived import Derived, by_class, by_time, combined
from .figures import awr_count, percent, rounded
from .layout import Group, Row, Section, Tables

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .model import Event

TABLES = Tables("awr_waits")

TIMEOUTS = "%Timeouts: value of 0 indicates value was < .5%.  Value of null is truly 0"


def wait_group(d: Derived) -> Group:
    """Wait Events Statistics."""
    is_19 = d.release.major >= 19
    sections = [
        time_model(d),
        os_statistics(d),
        os_detail(d),
        wait_class(d),
        foreground_events(d),
        background_events(d),
        *(histograms_19(d) if is_19 else histograms_11(d)),
        services(d),
        service_waits(d),
    ]
    if is_19:
        sections += [TABLES.section("Top 10 Channel Waits"), *top_processes(d)]
    return Group("Wait Events Statistics", 21, tuple(sections))


def time_model(d: Derived) -> Section:
    """Time Model Statistics."""
    t = d.workload.time
    is_19 = d.release.major >= 19
    total_cpu_us = t.db_cpu_us + t.background_cpu_us
    of_db_time = {
        "sql execute elapsed time": t.sql_execute_us,
        "DB CPU": t.db_cpu_us,
        "PL/SQL execution elapsed time": t.plsql_execute_us,
        "parse time elapsed": t.parse_us,
        "hard parse elapsed time": t.hard_parse_us,
        "connection management call elapsed time": t.connection_us,
        "repeated bind elapsed time": t.repeated_bind_us,
    }
    rows: list[Row] = [
        (name, us / 1e6, percent(us, t.db_time_us))
        for name, us in sorted(of_db_time.items(), key=lambda item: -item[1])
    ]
    rows += [
        ("DB time", t.db_time_us / 1e6, None),
        ("background elapsed time", t.background_us / 1e6, None),
        ("background cpu time", t.background_cpu_us / 1e6, None),
    ]
    if is_19:
        shares = {"DB CPU": t.db_cpu_us, "background cpu time": t.background_cpu_us}
        rows = [
            (*row, percent(shares[str(row[0])], total_cpu_us) if row[0] in shares else None)
            for row in rows
        ]
        rows.append(("total CPU time", total_cpu_us / 1e6, None, None))
    figures = {"db_time_s": rounded(d.db_time_s, 1)}
    major = d.release.major
    return TABLES.section("Time Model Statistics", rows, major=major, figures=figures)


def host_statistics(d: Derived) -> list[tuple[str, int, int | None]]:
    """Operating system statistics with the end value where it may differ."""
    w = d.workload
    host, database = w.host, w.database
    return [
        ("BUSY_TIME", host.busy_cs, None),
        ("IDLE_TIME", host.idle_cs, None),
        ("IOWAIT_TIME", host.iowait_cs, None),
        ("NICE_TIME", host.nice_cs, None),
        ("SYS_TIME", host.system_cs, None),
        ("USER_TIME", host.user_cs, None),
        ("LOAD", round(w.begin.load_average), round(w.end.load_average)),
        ("PHYSICAL_MEMORY_BYTES", database.memory_bytes, None),
        ("NUM_CPUS", database.cpus, None),
        ("NUM_CPU_CORES", database.cores, None),
        ("NUM_CPU_SOCKETS", database.sockets, None),
        ("GLOBAL_RECEIVE_SIZE_MAX", 4_194_304, None),
        ("GLOBAL_SEND_SIZE_MAX", 1_048_576, None),
        ("TCP_RECEIVE_SIZE_DEFAULT", 87_380, None),
        ("TCP_RECEIVE_SIZE_MAX", 4_194_304, None),
        ("TCP_RECEIVE_SIZE_MIN", 4_096, None),
        ("TCP_SEND_SIZE_DEFAULT", 16_384, None),
        ("TCP_SEND_SIZE_MAX", 4_194_304, None),
        ("TCP_SEND_SIZE_MIN", 4_096, None),
    ]


def os_statistics(d: Derived) -> Section:
    """Operating System Statistics."""
    return TABLES.section("Operating System Statistics", host_statistics(d))


def os_detail(d: Derived) -> Section:
    """Operating System Statistics - Detail."""
    w = d.workload
    host = w.host
    shares = (host.busy_cs, host.user_cs, host.system_cs, host.idle_cs, host.iowait_cs)
    form = "%d-%b %H:%M:%S"
    rows: list[Row] = [
        (w.begin.taken.strftime(form), w.begin.load_average, *[None] * len(shares)),
        (
            w.end.taken.strftime(form),
            w.end.load_average,
            *(percent(share, host.total_cs) for share in shares),
        ),
    ]
    return TABLES.section("Operating System Statistics - Detail", rows)


def average(d: Derived, event: Event) -> float:
    """Average wait in the unit of the release: milliseconds, or microseconds with a unit."""
    return event.average_us if d.release.major >= 19 else event.average_us / 1_000


def timeout_pct(event: Event) -> float | None:
    """Share of timeouts; nothing where there was none."""
    return percent(event.timeouts, event.waits) if event.timeouts else None


def wait_class(d: Derived) -> Section:
    """Foreground Wait Class."""
    classes = by_class(d.workload.foreground)
    waited_us = sum(event.time_us for event in classes)
    times = {event.name: event.time_us for event in classes} | {"DB CPU": d.workload.time.db_cpu_us}
    by_name: dict[str, Row] = {
        event.name: (
            event.name,
            event.waits,
            timeout_pct(event) or 0,
            event.time_us / 1e6,
            average(d, event),
            percent(event.time_us / 1e6, d.db_time_s),
        )
        for event in classes
    }
    by_name["DB CPU"] = (
        "DB CPU", None, None, d.db_cpu_s, None, percent(d.db_cpu_s, d.db_time_s)
    )  # fmt: skip
    rows = [by_name[name] for name in sorted(by_name, key=lambda name: -times[name])]
    captured = percent(waited_us / 1e6 + d.db_cpu_s, d.db_time_s)
    figures = {
        "captured": captured,
        "db_time_s": d.db_time_s,
        "waited_s": waited_us / 1e6,
        "db_cpu_s": d.db_cpu_s,
    }
    major = d.release.major
    return TABLES.section("Foreground Wait Class", rows, major=major, figures=figures)


def event_rows(d: Derived, events: Sequence[Event], whole_us: float) -> list[Row]:
    """Rows of an event table whose shares are of a given time."""
    return [
        (
            event.name,
            event.waits,
            timeout_pct(event),
            event.time_us / 1e6,
            average(d, event),
            d.per_transaction(event.waits),
            None if event.idle else percent(event.time_us, whole_us),
        )
        for event in by_time(events)
    ]


def foreground_events(d: Derived) -> Section:
    """Foreground Wait Events."""
    rows = event_rows(d, d.workload.foreground, d.workload.time.db_time_us)
    return TABLES.section("Foreground Wait Events", rows, major=d.release.major)


def background_events(d: Derived) -> Section:
    """Background Wait Events."""
    rows = event_rows(d, d.workload.background, d.workload.time.background_us)
    return TABLES.section("Background Wait Events", rows, major=d.release.major)


def histogram_row(event: Event, bounds: Sequence[int], count: str) -> Row:
    """Shares of waits below each bound (a power of two of a microsecond) and above the last."""
    edges = [0, *(bound + 1 for bound in bounds), len(event.histogram)]
    parts = [sum(event.histogram[low:high]) for low, high in pairwise(edges)]
    shares = [percent(part, event.waits) if part else None for part in parts]
    return (event.name, count, *shares)


def histogram_rows(d: Derived, bounds: Sequence[int]) -> list[Row]:
    """All events, idle ones last."""
    events = sorted(combined(d.workload.events), key=lambda e: (e.idle, e.name))
    return [histogram_row(event, bounds, awr_count(event.waits)) for event in events]


def detail_rows(d: Derived, bounds: Sequence[int], first: int) -> list[Row]:
    """Events with waits from the bucket ``first`` to the last bound; they are counted first."""
    rows = []
    for event in sorted(combined(d.workload.events), key=lambda e: e.name):
        within = sum(event.histogram[first : bounds[-1] + 1])
        if within and not event.idle:
            rows.append(histogram_row(event, bounds, awr_count(within)))
    return rows


MS = (10, 11, 12, 13, 14, 15, 20)
TO_2S = (15, 16, 17, 18, 19, 20, 21)


def histograms_11(d: Derived) -> list[Section]:
    """Wait event histograms of 11.2: milliseconds."""
    return [
        TABLES.section("Wait Event Histogram", histogram_rows(d, MS)),
        TABLES.section("Wait Event Histogram Detail (64 msec to 2 sec)", detail_rows(d, TO_2S, 16)),
        TABLES.section("Wait Event Histogram Detail (4 sec to 2 min)"),
        TABLES.section("Wait Event Histogram Detail (4 min to 1 hr)"),
    ]


def histograms_19(d: Derived) -> list[Section]:
    """Wait event histograms of 12.2 and later: microseconds and up."""
    up_to_64us = detail_rows(d, (0, 1, 2, 3, 4, 5, 6), 1)
    up_to_32ms = detail_rows(d, (9, 10, 11, 12, 13, 14, 15), 10)
    up_to_512us = histogram_rows(d, (3, 4, 5, 6, 7, 8, 9))
    return [
        TABLES.section("Wait Event Histogram", up_to_512us, major=d.release.major),
        TABLES.section("Wait Event Histogram (up to 64 us)", up_to_64us),
        TABLES.section("Wait Event Histogram (up to 32 ms)", up_to_32ms),
        TABLES.section("Wait Event Histogram (up to 2 sec)", detail_rows(d, TO_2S, 16)),
        TABLES.section("Wait Event Histogram (up to 2 min)"),
        TABLES.section("Wait Event Histogram (up to 1 hr)"),
    ]


def services(d: Derived) -> Section:
    """Service Statistics: users' work in one service, a little in the background's."""
    reads, gets = d["physical reads"], d["session logical reads"]
    background_reads = d["physical reads cache"] // 2
    background_gets = d["consistent gets"] // 90
    rows: list[Row] = [
        (
            "SYS$USERS",
            d.db_time_s,
            d.db_cpu_s,
            (reads - background_reads) / 1_000,
            (gets - background_gets) / 1_000,
        ),
        ("SYS$BACKGROUND", 0, 0, background_reads / 1_000, background_gets / 1_000),
    ]
    return TABLES.section("Service Statistics", rows)


def service_waits(d: Derived) -> Section:
    """Service Wait Class Stats."""

    def row(service: str, events: Sequence[Event]) -> Row:
        classes = {event.name: event for event in by_class(events)}
        cells: list[float] = []
        for name in ("User I/O", "Concurrency", "Administrative", "Network"):
            event = classes.get(name)
            cells += [event.waits, event.time_us / 1e6] if event else [0, 0]
        return (service, *cells)

    w = d.workload
    rows = [row("SYS$USERS", w.foreground), row("SYS$BACKGROUND", w.background)]
    return TABLES.section("Service Wait Class Stats", rows)


PROCESSES: tuple[tuple[str, str, Callable[[Event], bool]], ...] = (
    ("LGWR", "Redo etc.", lambda e: e.name.startswith(("log file", "LGWR", "latch: redo"))),
    ("DBW0", "db writer process 0", lambda e: e.name.startswith("db file parallel")),
    ("CKPT", "checkpoint", lambda e: e.name.startswith("control file")),
    ("M", "MMON slave class 1", lambda _: True),
)


def top_processes(d: Derived) -> list[Section]:
    """Top process types (12.2 and later)."""
    rows: list[tuple[str, str, str, float]] = []
    left = [event for event in d.workload.background if not event.idle]
    for process, description, owns in PROCESSES:
        own = [event for event in left if owns(event)]
        left = [event for event in left if not owns(event)]
        rows += [(process, description, e.name, e.time_us / 1e6) for e in by_class(own)]
    others = "Others (foregrounds + unclassified backgrounds)"
    rows += [("", others, e.name, e.time_us / 1e6) for e in by_class(d.workload.foreground)]
    t = d.workload.time
    lgwr_us, dbwr_us = t.background_cpu_us * 6 // 10, t.background_cpu_us * 3 // 10
    cpu: list[Row] = [
        ("", others, d.db_cpu_s),
        ("LGWR", "Redo etc.", lgwr_us / 1e6),
        ("DBW0", "db writer process 0", dbwr_us / 1e6),
        ("M", "MMON slave class 1", (t.background_cpu_us - lgwr_us - dbwr_us) / 1e6),
    ]
    return [
        TABLES.section(
            "Top Process Types by Wait Class",
            [row for _, row in sorted((-row[3], row) for row in rows)],
        ),
        TABLES.section("Top Process Types by CPU Used", cpu),
    ]
