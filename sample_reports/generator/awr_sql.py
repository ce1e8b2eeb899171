"""AWR: SQL ordered by ..."""

from __future__ import annotations

from dataclasses import replace
from operator import attrgetter
from typing import TYPE_CHECKING

from .figures import percent, ratio
from .layout import Group, Row, Section, Tables

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

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


def parts(sql: Sql) -> tuple[float, float]:
    """CPU and user I/O time as shares of elapsed time."""
    return percent(sql.cpu_us, sql.elapsed_us), percent(sql.io_us, sql.elapsed_us)


def orderings(d: Derived) -> list[Section]:
    """One section for each resource."""
    t = d.workload.time
    statements = d.workload.statements
    gets, reads, runs = d["session logical reads"], d["physical reads"], d["execute count"]
    requests, parses = d["physical read IO requests"], d["parse count (total)"]

    def section(title: str, field: str, row: Callable[[Sql], Row], *captured: str) -> Section:
        resource = attrgetter(field)
        used = sorted((s for s in statements if resource(s)), key=lambda s: -resource(s))
        rows = [(*row(sql), sql.sql_id) for sql in used]
        notes = (*TABLES.entries[title].notes, *captured)
        return TABLES.section(title, rows, notes=notes, statements=used)

    def by_time(title: str, name: str, field: str, total_us: float) -> Section:
        def row(s: Sql) -> Row:
            us = getattr(s, field)
            elapsed = () if field == "elapsed_us" else (s.elapsed_us / 1e6,)
            each = ratio(us / 1e6, s.executions)
            return (us / 1e6, s.executions, each, percent(us, total_us), *elapsed, *parts(s))

        chosen = {"SQL": statements, "PL/SQL": [sql for sql in statements if sql.plsql]}
        captured = (
            f"Captured {kind} account for {percent(us, total_us):6.1f}% of Total {name} Time (s): "
            f"{total_us / 1e6:15,.0f}"
            for kind, those in chosen.items()
            for us in (sum(map(attrgetter(field), those)),)
        )
        return section(title, field, row, *captured)

    def captured(name: str, amounts: Iterable[int], total: int) -> tuple[str, str]:
        share = percent(sum(amounts), total)
        return f"Total {name}: {total:15,d}", f"Captured SQL account for {share:6.1f}% of Total"

    def own(field: str) -> list[int]:
        # A PL/SQL block's work is its statements' work: it is not counted twice here.
        return [getattr(sql, field) for sql in statements if not sql.plsql]

    def by_blocks(title: str, name: str, field: str, total: int) -> Section:
        def row(s: Sql) -> Row:
            blocks, runs = getattr(s, field), s.executions
            share = percent(blocks, total)
            return (blocks, runs, ratio(blocks, runs), share, s.elapsed_us / 1e6, *parts(s))

        return section(title, field, row, *captured(name, own(field), total))

    def by_requests(s: Sql) -> Row:
        each, share = ratio(s.read_requests, s.executions), percent(s.read_requests, requests)
        return (s.read_requests, s.read_requests, s.executions, each, 0, share)

    unoptimized = (
        "UnOptimized Read Reqs = Physical Read Reqs -\n"
        "(Optimized Read Reqs - Cell Flash Cache Read Hits for Controlfile)"
        if d.release.major >= 19
        else "UnOptimized Read Reqs = Physical Read Reqts - Optimized Read Reqs"
    )
    requested = section(
        "SQL ordered by Physical Reads (UnOptimized)",
        "read_requests",
        by_requests,
        *captured("Physical Read Requests", own("read_requests"), requests),
        *captured("UnOptimized Read Requests", own("read_requests"), requests),
        *captured("Optimized Read Requests", [], 1),
    )
    io_us = d["user I/O wait time"] * 10_000
    return [
        by_time("SQL ordered by Elapsed Time", "DB", "elapsed_us", t.db_time_us),
        by_time("SQL ordered by CPU Time", "CPU", "cpu_us", t.db_cpu_us),
        by_time("SQL ordered by User I/O Wait Time", "User I/O Wait", "io_us", io_us),
        by_blocks("SQL ordered by Gets", "Buffer Gets", "gets", gets),
        by_blocks("SQL ordered by Reads", "Disk Reads", "reads", reads),
        replace(requested, notes=(unoptimized, *requested.notes)),
        section(
            "SQL ordered by Executions",
            "executions",
            lambda s: (
                s.executions, s.rows, ratio(s.rows, s.executions), s.elapsed_us / 1e6, *parts(s)
            ),
            *captured(
                "Executions",
                (s.executions for s in statements if not s.plsql and s.text != "COMMIT"),
                runs,
            ),
        ),
        section(
            "SQL ordered by Parse Calls",
            "parses",
            lambda s: (s.parses, s.executions, percent(s.parses, parses)),
            *captured("Parse Calls", own("parses"), parses),
        ),
    ]  # fmt: skip


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
            *parts(sql), sql.sql_id,
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
