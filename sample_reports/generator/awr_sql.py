"""AWR: SQL ordered by ..."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .figures import percent, ratio
from .layout import Group, Layout, Row, Section, Tables

if TYPE_CHECKING:
    from collections.abc import Callable

    from .derived import Derived
    from .model import Sql

TABLES = Tables("awr_sql")

PLSQL_NOTE = (
    "Resources reported for PL/SQL code includes the resources used by all SQL\n"
    "statements called by the code."
)
DB_TIME_NOTE = (
    "% Total DB Time is the Elapsed Time of the SQL statement divided\n"
    "into the Total Database Time multiplied by 100"
)
CPU_NOTE = "%CPU   - CPU Time      as a percentage of Elapsed Time"
IO_NOTE = "%IO    - User I/O Time as a percentage of Elapsed Time"


def sql_group(d: Derived) -> Group:
    """Build SQL Statistics."""
    cluster = (cluster_ordering(d),) if d.workload.cluster else ()
    return Group("SQL Statistics", 22, (*orderings(d), *unused_orderings(), *cluster))


def unused_orderings() -> tuple[Section, ...]:
    """Orderings above whose threshold no statement is."""
    return (
        TABLES.section("SQL ordered by Sharable Memory"),
        TABLES.section("SQL ordered by Version Count"),
    )


def cpu_pct(sql: Sql) -> float:
    """CPU time as a share of elapsed time."""
    return percent(sql.cpu_us, sql.elapsed_us)


def io_pct(sql: Sql) -> float:
    """User I/O time as a share of elapsed time."""
    return percent(sql.io_us, sql.elapsed_us)


def orderings(d: Derived) -> list[Section]:
    """One section for each resource."""
    t = d.workload.time
    statements = d.workload.statements
    io_total_us = d["user I/O wait time"] * 10_000
    unoptimized = (
        "UnOptimized Read Reqs = Physical Read Reqs -\n"
        "(Optimized Read Reqs - Cell Flash Cache Read Hits for Controlfile)"
        if d.release.major >= 19
        else "UnOptimized Read Reqs = Physical Read Reqts - Optimized Read Reqs"
    )

    def section(
        title: str,
        anchor: int,
        layout: Layout,
        resource: Callable[[Sql], int],
        row: Callable[[Sql], Row],
        *,
        notes: tuple[str, ...],
    ) -> Section:
        used = sorted((s for s in statements if resource(s)), key=lambda s: -resource(s))
        rows = [(*row(sql), sql.sql_id) for sql in used]
        return Section(title, layout, rows, notes, anchor, new_page=True, statements=used)

    def captured_time(name: str, resource: Callable[[Sql], int], total_us: float) -> list[str]:
        lines = []
        for kind, chosen in (
            ("SQL", statements),
            ("PL/SQL", tuple(sql for sql in statements if sql.plsql)),
        ):
            share = percent(sum(map(resource, chosen)), total_us)
            lines.append(
                f"Captured {kind} account for {share:6.1f}% of Total {name} Time (s): "
                f"{total_us / 1e6:15,.0f}"
            )
        return lines

    def captured(name: str, resource: Callable[[Sql], int], total: int) -> tuple[str, str]:
        # A PL/SQL block's work is its statements' work: it is not counted twice here.
        own = sum(resource(sql) for sql in statements if not sql.plsql)
        return (
            f"Total {name}: {total:15,d}",
            f"Captured SQL account for {percent(own, total):6.1f}% of Total",
        )

    def elapsed(sql: Sql) -> int:
        return sql.elapsed_us

    return [
        section(
            "SQL ordered by Elapsed Time",
            400,
            TABLES.ELAPSED,
            elapsed,
            lambda s: (
                s.elapsed_us / 1e6,
                s.executions,
                ratio(s.elapsed_us / 1e6, s.executions),
                percent(s.elapsed_us, t.db_time_us),
                cpu_pct(s),
                io_pct(s),
            ),
            notes=(
                PLSQL_NOTE,
                DB_TIME_NOTE,
                "%Total - Elapsed Time  as a percentage of Total DB time",
                CPU_NOTE,
                IO_NOTE,
                *captured_time("DB", elapsed, t.db_time_us),
            ),
        ),
        section(
            "SQL ordered by CPU Time",
            500,
            TABLES.CPU,
            lambda s: s.cpu_us,
            lambda s: (
                s.cpu_us / 1e6,
                s.executions,
                ratio(s.cpu_us / 1e6, s.executions),
                percent(s.cpu_us, t.db_cpu_us),
                s.elapsed_us / 1e6,
                cpu_pct(s),
                io_pct(s),
            ),
            notes=(
                PLSQL_NOTE,
                "%Total - CPU Time      as a percentage of Total DB CPU",
                CPU_NOTE,
                IO_NOTE,
                *captured_time("CPU", lambda s: s.cpu_us, t.db_cpu_us),
            ),
        ),
        section(
            "SQL ordered by User I/O Wait Time",
            550,
            TABLES.USER_IO,
            lambda s: s.io_us,
            lambda s: (
                s.io_us / 1e6,
                s.executions,
                ratio(s.io_us / 1e6, s.executions),
                percent(s.io_us, io_total_us),
                s.elapsed_us / 1e6,
                cpu_pct(s),
                io_pct(s),
            ),
            notes=(
                PLSQL_NOTE,
                "%Total - User I/O Time as a percentage of Total User I/O Wait time",
                CPU_NOTE,
                IO_NOTE,
                *captured_time("User I/O Wait", lambda s: s.io_us, io_total_us),
            ),
        ),
        section(
            "SQL ordered by Gets",
            600,
            TABLES.GETS,
            lambda s: s.gets,
            lambda s: (
                s.gets,
                s.executions,
                ratio(s.gets, s.executions),
                percent(s.gets, d["session logical reads"]),
                s.elapsed_us / 1e6,
                cpu_pct(s),
                io_pct(s),
            ),
            notes=(
                PLSQL_NOTE,
                "%Total - Buffer Gets   as a percentage of Total Buffer Gets",
                CPU_NOTE,
                IO_NOTE,
                *captured("Buffer Gets", lambda s: s.gets, d["session logical reads"]),
            ),
        ),
        section(
            "SQL ordered by Reads",
            700,
            TABLES.READS,
            lambda s: s.reads,
            lambda s: (
                s.reads,
                s.executions,
                ratio(s.reads, s.executions),
                percent(s.reads, d["physical reads"]),
                s.elapsed_us / 1e6,
                cpu_pct(s),
                io_pct(s),
            ),
            notes=(
                "%Total - Physical Reads as a percentage of Total Disk Reads",
                CPU_NOTE,
                IO_NOTE,
                *captured("Disk Reads", lambda s: s.reads, d["physical reads"]),
            ),
        ),
        section(
            "SQL ordered by Physical Reads (UnOptimized)",
            740,
            TABLES.UNOPTIMIZED,
            lambda s: s.read_requests,
            lambda s: (
                s.read_requests,
                s.read_requests,
                s.executions,
                ratio(s.read_requests, s.executions),
                0,
                percent(s.read_requests, d["physical read IO requests"]),
            ),
            notes=(
                unoptimized,
                "%Opt   - Optimized Reads as percentage of SQL Read Requests",
                "%Total - UnOptimized Read Reqs as a percentage of Total UnOptimized Read Reqs",
                *captured(
                    "Physical Read Requests",
                    lambda s: s.read_requests,
                    d["physical read IO requests"],
                ),
                *captured(
                    "UnOptimized Read Requests",
                    lambda s: s.read_requests,
                    d["physical read IO requests"],
                ),
                *captured("Optimized Read Requests", lambda _: 0, 1),
            ),
        ),
        section(
            "SQL ordered by Executions",
            800,
            TABLES.EXECUTIONS,
            lambda s: s.executions,
            lambda s: (
                s.executions,
                s.rows,
                ratio(s.rows, s.executions),
                s.elapsed_us / 1e6,
                cpu_pct(s),
                io_pct(s),
            ),
            notes=(
                CPU_NOTE,
                IO_NOTE,
                *captured(
                    "Executions",
                    lambda s: 0 if s.text == "COMMIT" else s.executions,
                    d["execute count"],
                ),
            ),
        ),
        section(
            "SQL ordered by Parse Calls",
            900,
            TABLES.PARSES,
            lambda s: s.parses,
            lambda s: (s.parses, s.executions, percent(s.parses, d["parse count (total)"])),
            notes=captured("Parse Calls", lambda s: s.parses, d["parse count (total)"]),
        ),
    ]


def cluster_ordering(d: Derived) -> Section:
    """The waits of statements for other instances of a cluster (HTML)."""
    used = sorted(
        (sql for sql in d.workload.statements if sql.cluster_us), key=lambda sql: -sql.cluster_us
    )
    whole_us = d["cluster wait time"] * 10_000
    rows: list[Row] = [
        (
            sql.cluster_us / 1e6, sql.executions, percent(sql.cluster_us, whole_us),
            sql.elapsed_us / 1e6, percent(sql.cluster_us, sql.elapsed_us),
            cpu_pct(sql), io_pct(sql), sql.sql_id,
        )
        for sql in used
    ]  # fmt: skip
    captured = percent(sum(sql.cluster_us for sql in used), whole_us)
    notes = (
        "%Total - Cluster Time  as a percentage of Total Cluster Wait Time",
        "%Clu   - Cluster Time  as a percentage of Elapsed Time",
        CPU_NOTE,
        IO_NOTE,
        "Only SQL with Cluster Wait Time > .005 seconds is reported",
        f"Total Cluster Wait Time (s): {whole_us / 1e6:15,.0f}",
        f"Captured SQL account for {captured:6.1f}% of Total",
    )
    title = "SQL ordered by Cluster Wait Time"
    return Section(title, TABLES.CLUSTER, rows, notes, 1150, new_page=True, statements=used)
