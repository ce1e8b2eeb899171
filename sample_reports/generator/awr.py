"""AWR: the order of the groups, and what the summaries of both media print."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from . import awr_10
from .awr_activity import activity_group, io_group
from .awr_memory import advisory_group, buffer_pool_group, sized, undo_group, wait_statistics_group
from .awr_other import (
    cache_groups,
    history_group,
    latch_group,
    memory_group,
    parameter_group,
    queue_groups,
    segment_group,
    server_group,
)
from .awr_sql import sql_group
from .awr_waits import wait_group
from .derived import Derived, Efficiency, by_class, by_time, combined, efficiency
from .figures import KIB, MIB, bare, duration, grouped, percent, plain, ratio
from .layout import Group, Section, Tables

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .model import Event

TABLES = Tables("awr")


def groups(d: Derived) -> list[Group]:
    """All sections in printing order."""
    found = [
        wait_group(d),
        sql_group(d),
        activity_group(d),
        io_group(d),
        buffer_pool_group(d),
        advisory_group(d),
        wait_statistics_group(d),
        undo_group(d),
        latch_group(d),
        segment_group(d),
        *cache_groups(d),
        memory_group(d),
        *queue_groups(d),
        server_group(),
        parameter_group(d),
    ]
    if d.release.major >= 19:
        found.append(history_group())
    return found if d.release.major > 10 else list(awr_10.groups(d, found))


def last_section() -> Section:
    """Build the section after all groups of 11.2."""
    return TABLES.section("Dynamic Remastering Stats")


@dataclass(frozen=True)
class LoadLine:
    """One line of the load profile."""

    label: str
    per_second: str
    per_transaction: str
    per_execution: str = ""
    per_call: str = ""


def load_profile(d: Derived) -> list[LoadLine]:
    """Return the load profile with the labels of the release."""
    is_19 = d.release.major >= 19

    def times(label: str, seconds: float) -> LoadLine:
        return LoadLine(
            label,
            grouped(d.per_second(seconds), 1),
            grouped(d.per_transaction(seconds), 1),
            plain(ratio(seconds, d["execute count"]), 2),
            plain(ratio(seconds, d["user calls"]), 2),
        )

    def rate(label: str, total: float) -> LoadLine:
        return LoadLine(
            label, grouped(d.per_second(total), 1), grouped(d.per_transaction(total), 1)
        )

    def megabytes(label: str, size_bytes: int) -> LoadLine:
        return rate(label, size_bytes / MIB)

    lines = [times("DB Time(s):", d.db_time_s), times("DB CPU(s):", d.db_cpu_s)]
    if is_19:
        lines += [
            times("Background CPU(s):", d.workload.time.background_cpu_us / 1e6),
            rate("Redo size (bytes):", d["redo size"]),
            rate("Logical read (blocks):", d["session logical reads"]),
            rate("Block changes:", d["db block changes"]),
            rate("Physical read (blocks):", d["physical reads"]),
            rate("Physical write (blocks):", d["physical writes"]),
            rate("Read IO requests:", d["physical read IO requests"]),
            rate("Write IO requests:", d["physical write IO requests"]),
            megabytes("Read IO (MB):", d["physical read bytes"]),
            megabytes("Write IO (MB):", d["physical write bytes"]),
            rate("IM scan rows:", 0),
            rate("Session Logical Read IM:", 0),
            rate("User calls:", d["user calls"]),
            rate("Parses (SQL):", d["parse count (total)"]),
            rate("Hard parses (SQL):", d["parse count (hard)"]),
            megabytes("SQL Work Area (MB):", d.workload.work_area_bytes),
            rate("Logons:", d["logons cumulative"]),
            rate("User logons:", d["user logons cumulative"]),
            rate("Executes (SQL):", d["execute count"]),
            rate("Rollbacks:", d["user rollbacks"]),
        ]
    else:
        lines += [
            rate("Redo size:", d["redo size"]),
            rate("Logical reads:", d["session logical reads"]),
            rate("Block changes:", d["db block changes"]),
            rate("Physical reads:", d["physical reads"]),
            rate("Physical writes:", d["physical writes"]),
            rate("User calls:", d["user calls"]),
            rate("Parses:", d["parse count (total)"]),
            rate("Hard parses:", d["parse count (hard)"]),
            megabytes("W/A MB processed:", d.workload.work_area_bytes),
            rate("Logons:", d["logons cumulative"]),
            rate("Executes:", d["execute count"]),
            rate("Rollbacks:", d["user rollbacks"]),
        ]
    transactions = rate("Transactions:", d.transactions)
    return [*lines, LoadLine(transactions.label, transactions.per_second, "")]


def efficiency_pairs(d: Derived) -> list[tuple[str, str, str, str]]:
    """Instance efficiency percentages, two on a line."""
    e: Efficiency = efficiency(d)
    pairs = (
        ("Buffer Nowait %:", e.buffer_nowait, "Redo NoWait %:", e.redo_nowait),
        ("Buffer  Hit   %:", e.buffer_hit, "In-memory Sort %:", e.in_memory_sort),
        ("Library Hit   %:", e.lib_hit, "Soft Parse %:", e.soft_parse),
        ("Execute to Parse %:", e.execute_to_parse, "Latch Hit %:", e.latch_hit),
        (
            "Parse CPU to Parse Elapsd %:", e.parse_cpu_to_elapsed,
            "% Non-Parse CPU:", e.non_parse_cpu,
        ),
    )  # fmt: skip
    return [(left, plain(a, 2), right, plain(b, 2)) for left, a, right, b in pairs]


def cache_sizes(d: Derived) -> tuple[tuple[str, str, str, str], tuple[str, str, str, str]]:
    """Buffer cache and block size, shared pool and log buffer."""
    memory = d.workload.memory
    return (
        (
            "Buffer Cache:", sized(memory.buffer_cache_bytes),
            "Std Block Size:", f"{d.workload.database.block_bytes // KIB}K",
        ),
        (
            "Shared Pool Size:", sized(memory.shared_pool_bytes),
            "Log Buffer:", grouped(memory.log_buffer_bytes / KIB) + "K",
        ),
    )  # fmt: skip


def shared_pool(d: Derived) -> list[tuple[str, str, str]]:
    """Shared pool statistics at both snapshots."""
    begin, end = d.workload.begin, d.workload.end
    return [
        (label, plain(a, 2), plain(b, 2))
        for label, a, b in (
            ("Memory Usage %:", begin.shared_pool_used_pct, end.shared_pool_used_pct),
            ("% SQL with executions>1:", begin.sql_reused_pct, end.sql_reused_pct),
            ("% Memory for SQL w/exec>1:", begin.sql_reused_memory_pct, end.sql_reused_memory_pct),
        )
    ]


def memory_statistics(d: Derived, share_decimals: int = 2) -> list[tuple[str, str, str]]:
    """Memory of host, SGA and PGA at both snapshots."""
    w = d.workload
    host, sga = w.database.memory_bytes, w.memory.sga_bytes
    pga = (w.begin.pga_bytes, w.end.pga_bytes)
    used = [plain(percent(sga + use, host), share_decimals) for use in pga]
    return [
        ("Host Mem (MB):", grouped(host / MIB, 1), grouped(host / MIB, 1)),
        ("SGA use (MB):", grouped(sga / MIB, 1), grouped(sga / MIB, 1)),
        ("PGA use (MB):", grouped(pga[0] / MIB, 1), grouped(pga[1] / MIB, 1)),
        ("% Host Mem used for SGA+PGA:", used[0], used[1]),
    ]


@dataclass(frozen=True)
class CpuShares:
    """Use of the host's CPUs in percent."""

    user: float
    system: float
    iowait: float
    idle: float
    instance_of_total: float
    instance_of_busy: float


def cpu_shares(d: Derived) -> CpuShares:
    """Shares of the host's CPU time, and the instance's part."""
    host, t = d.workload.host, d.workload.time
    instance_cs = (t.db_cpu_us + t.background_cpu_us) / 10_000
    return CpuShares(
        percent(host.user_cs, host.total_cs),
        percent(host.system_cs, host.total_cs),
        percent(host.iowait_cs, host.total_cs),
        percent(host.idle_cs, host.total_cs),
        percent(instance_cs, host.total_cs),
        percent(instance_cs, host.busy_cs),
    )


@dataclass(frozen=True)
class TopEvent:
    """One line of the top events; DB CPU has no waits."""

    name: str
    waits: int | None
    time_s: float
    average_us: float | None
    db_time_pct: float
    wait_class: str


def top_events(d: Derived, limit: int) -> list[TopEvent]:
    """Foreground events and DB CPU by time."""
    return _top(d, d.workload.foreground, "DB CPU")[:limit]


def top_calls(d: Derived, limit: int) -> list[TopEvent]:
    """Events of all processes and CPU time, as 10.2 sums them up."""
    return _top(d, combined(d.workload.events), "CPU time")[:limit]


def _top(d: Derived, events: Iterable[Event], cpu: str) -> list[TopEvent]:
    found = [
        TopEvent(
            event.name,
            event.waits,
            event.time_us / 1e6,
            event.average_us,
            percent(event.time_us, d.workload.time.db_time_us),
            event.wait_class,
        )
        for event in by_time(events)
        if not event.idle
    ]
    found.append(TopEvent(cpu, None, d.db_cpu_s, None, percent(d.db_cpu_s, d.db_time_s), ""))
    return sorted(found, key=lambda event: -event.time_s)


def top_time(seconds: float) -> str:
    """Seconds with a decimal where there is room: ``385.2``, ``7891``, ``25.6K``."""
    if seconds < 1_000:
        return plain(seconds, 1).removesuffix(".0")
    return plain(seconds) if seconds < 10_000 else plain(seconds / 1_000, 1) + "K"


def wait_classes(d: Derived) -> list[tuple[str, ...]]:
    """Waits of all processes by class, and DB CPU, as 12.2 and later sum them up."""
    rows = [
        (c.name, grouped(c.waits), c.time_us / 1e6, duration(c.average_us))
        for c in by_class(d.workload.events)
    ]
    rows.append(("DB CPU", "", d.db_cpu_s, ""))
    return [
        (
            name,
            waits,
            grouped(seconds),
            average,
            share(percent(seconds, d.db_time_s)),
            plain(d.per_second(seconds), 1),
        )
        for name, waits, seconds, average in sorted(rows, key=lambda row: -row[2])
    ]


def io_lines(d: Derived) -> list[tuple[str, ...]]:
    """IO profile of 12.2 and later: read and written, read, written; a second."""
    log = d.workload.log_file_io

    def row(label: str, read: float, written: float) -> tuple[str, ...]:
        cells = (read + written, read, written)
        return (label, *(grouped(d.per_second(part), 1) for part in cells))

    def both(label: str, what: str, unit: int = 1) -> tuple[str, ...]:
        return row(label, d[f"physical read{what}"] / unit, d[f"physical write{what}"] / unit)

    return [
        both("Total Requests:", " total IO requests"),
        both("Database Requests:", " IO requests"),
        row("Optimized Requests:", 0, 0),
        row("Redo Requests:", log.read_requests, log.write_requests),
        both("Total (MB):", " total bytes", MIB),
        both("Database (MB):", " bytes", MIB),
        row("Optimized Total (MB):", 0, 0),
        row("Redo (MB):", log.read_bytes / MIB, log.write_bytes / MIB),
        both("Database (blocks):", "s"),
        row(
            "Via Buffer Cache (blocks):", d["physical reads cache"], d["physical writes from cache"]
        ),
        both("Direct (blocks):", "s direct"),
    ]


def share(value: float) -> str:
    """Share of DB time in a summary: ``.5``."""
    return bare(value, 1)
