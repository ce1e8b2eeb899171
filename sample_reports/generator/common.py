"""The surroundings of a workload: what any instance does besides the test that is run on it.

Each function turns a few drivers of the workload (rows inserted, redo writes, seconds) into
rows of the model, so that two workloads differ only where the test differs.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from .model import (
    DictionaryCache,
    Enqueue,
    Event,
    Latch,
    LibraryCache,
    RollbackSegment,
    Sql,
    UndoInterval,
    WorkAreas,
)
from .records import Records

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

RECORDS = Records("common")
MIB = 1024 * 1024


def moment(text: str) -> datetime:
    """Read a time; a report carries no zone."""
    return datetime.fromisoformat(text)


def foreground(
    name: str, wait_class: str, waits: int, time_s: float, timeouts: int = 0, *, sigma: float = 0.7
) -> Event:
    """Return waits of foreground processes."""
    return Event(name, wait_class, waits, round(time_s * 1e6), timeouts, sigma=sigma)


def background(
    name: str, wait_class: str, waits: int, time_s: float, timeouts: int = 0, *, sigma: float = 0.7
) -> Event:
    """Return waits of background processes."""
    return Event(
        name, wait_class, waits, round(time_s * 1e6), timeouts, background=True, sigma=sigma
    )


def idle_events(elapsed_s: float, messages: int) -> tuple[Event, ...]:
    """Return waits for work, of the processes that every instance has."""
    seconds = int(elapsed_s)

    def ticking(name: str, period_s: float, processes: int = 1) -> Event:
        waits = int(seconds * processes / period_s)
        time_s = waits * period_s * 0.998
        return background(name, "Idle", waits, time_s, timeouts=waits, sigma=0.05)

    return (
        background(
            "rdbms ipc message", "Idle", messages, elapsed_s * 11.4, messages // 9, sigma=1.6
        ),
        ticking("DIAG idle wait", 1.0, 2),
        ticking("pmon timer", 2.93),
        ticking("smon timer", 294.0),
        ticking("Space Manager: slave idle wait", 5.0),
        foreground("jobq slave wait", "Idle", seconds // 40, seconds // 40 * 0.5, seconds // 40),
    )


def quiet(statistics: Mapping[str, int], share: float) -> dict[str, int]:
    """Statistics of an instance that does a share of what another does."""
    return {name: round(total * share) for name, total in statistics.items()}


def spread_undo(
    ends: datetime, blocks: int, transactions: int, intervals: int, max_query_s: int
) -> tuple[UndoInterval, ...]:
    """Spread undo over ten-minute intervals, newest first; the query grows as it runs."""
    weights = [100 + (17 * at) % 11 for at in range(intervals)]
    total = sum(weights)
    rows: list[UndoInterval] = []
    used_blocks = used_transactions = used_weight = 0
    for at, weight in enumerate(weights):
        used_weight += weight
        until_blocks = blocks * used_weight // total
        until_transactions = transactions * used_weight // total
        age = timedelta(minutes=10 * at)
        query_s = max(61, max_query_s - 601 * at)
        rows.append(
            UndoInterval(
                ends=ends - age,
                blocks=until_blocks - used_blocks,
                transactions=until_transactions - used_transactions,
                max_query_s=query_s,
                max_concurrency=3 + at % 2,
                retention_min=15 + query_s // 60,
            )
        )
        used_blocks, used_transactions = until_blocks, until_transactions
    return tuple(rows)


def rollback_segments(undo_bytes: int, transactions: int) -> tuple[RollbackSegment, ...]:
    """Ten undo segments and SYSTEM, with the undo spread over them."""
    shares = (0, 11, 10, 9, 10, 11, 9, 10, 10, 9, 11)
    rows = []
    for number, share in enumerate(shares):
        written = undo_bytes * share // sum(shares) if number else 4_212
        size = 393_216 if number == 0 else (34 + share) * MIB
        rows.append(
            RollbackSegment(
                number=number,
                gets=transactions * share * 2 // sum(shares) + 57,
                waits=3 * share,
                bytes_written=written,
                wraps=written // (28 * MIB),
                shrinks=share // 11,
                extends=written // (61 * MIB),
                size_bytes=size,
                active_bytes=0 if number == 0 else share * 143_360,
                high_water_bytes=size + share * MIB,
            )
        )
    return tuple(rows)


def latches(
    *, elapsed_s: float, gets: int, executions: int, transactions: int, redo_writes: int
) -> tuple[Latch, ...]:
    """Latches, driven by logical reads, executions, transactions, redo writes and time."""
    amounts = {
        "executions": executions,
        "gets": gets,
        "redo_writes": redo_writes,
        "seconds": int(elapsed_s),
        "transactions": transactions,
    }
    return RECORDS.rows(Latch, "latches", amounts)


def enqueues(*, elapsed_s: float, transactions: int, switches: int) -> tuple[Enqueue, ...]:
    """Enqueues with waits."""
    amounts = {
        "jobs": int(elapsed_s * 13),
        "seconds": int(elapsed_s),
        "switches": switches,
        "transactions": transactions,
    }
    return RECORDS.rows(Enqueue, "enqueues", amounts)


def dictionary_cache(elapsed_s: float, switches: int) -> tuple[DictionaryCache, ...]:
    """Row caches."""
    amounts = {"seconds": int(elapsed_s), "switches": switches}
    return RECORDS.rows(DictionaryCache, "dictionary cache", amounts)


def lib_cache(executions: int, statements: int) -> tuple[LibraryCache, ...]:
    """Library cache namespaces."""
    amounts = {"executions": executions, "statements": statements}
    return RECORDS.rows(LibraryCache, "lib cache", amounts)


def small_work_areas(sorts: int, hashes_mb: int) -> tuple[WorkAreas, ...]:
    """Work areas that fit into memory."""
    return (
        WorkAreas("2K", "4K", sorts),
        WorkAreas("64K", "128K", sorts // 61),
        WorkAreas("128K", "256K", sorts // 204),
        WorkAreas("512K", "1024K", sorts // 19),
        WorkAreas("1M", "2M", hashes_mb),
    )


def monitoring_statements(elapsed_s: float, io_wait_ms: float) -> tuple[Sql, ...]:
    """Return A monitoring job of our own that runs beside the test."""
    runs = int(elapsed_s / 300)

    def statement(
        sql_id: str,
        hash_value: int,
        text: str,
        *,
        per_run_s: float,
        gets: int,
        reads: int,
        rows: int,
    ) -> Sql:
        io_s = reads * io_wait_ms / 1e3
        return Sql(
            sql_id=sql_id,
            hash_value=hash_value,
            text=text,
            module="space_watch",
            executions=runs,
            elapsed_us=round((per_run_s * runs + io_s) * 1e6),
            cpu_us=round(per_run_s * runs * 0.94e6),
            io_us=round(io_s * 1e6),
            gets=gets * runs,
            reads=reads,
            read_requests=reads,
            rows=rows * runs,
            parses=runs,
            sharable_bytes=61_304,
        )

    return (
        statement(
            "4vkd9gq0xtw1m",
            2_604_118_933,
            "SELECT tablespace_name, SUM(bytes) / 1048576 AS free_mb, MAX(bytes) / 1048576 AS "
            "largest_mb FROM dba_free_space GROUP BY tablespace_name ORDER BY tablespace_name",
            per_run_s=0.42,
            gets=6_112,
            reads=1_204,
            rows=7,
        ),
        statement(
            "cw03kjy6rmt48",
            3_377_015_642,
            "INSERT INTO space_history (taken, tablespace_name, free_mb) VALUES (:taken, :name, "
            ":free_mb)",
            per_run_s=0.003,
            gets=24,
            reads=61,
            rows=7,
        ),
    )


def total_elapsed_us(statements: Iterable[Sql]) -> int:
    """Elapsed time of all statements."""
    return sum(statement.elapsed_us for statement in statements)
