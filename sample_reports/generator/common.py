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

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

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
    seconds = int(elapsed_s)
    return (
        Latch("Consistent RBA", redo_writes + 31),
        Latch("DML lock allocation", transactions * 2 + 118, 96, 2, 240, where="ktaiam"),
        Latch("In memory undo latch", transactions * 3, 2_214, 61, 9_100, where="ktichg: child"),
        Latch("SQL memory manager workarea list latch", seconds * 24),
        Latch("active checkpoint queue latch", redo_writes // 5, 214, 1, 90, where="kcbbacq"),
        Latch("cache buffer handles", 11_206),
        Latch(
            "cache buffers chains",
            gets * 2 + executions // 3,
            gets // 911,
            gets // 55_000,
            gets // 40,
            nowait_gets=gets // 44,
            nowait_misses=gets // 310_000,
            where="kcbgcur: kslbegin",
        ),
        Latch(
            "cache buffers lru chain",
            gets // 29,
            gets // 61_000,
            gets // 410_000,
            gets // 990,
            nowait_gets=gets // 31,
            nowait_misses=gets // 90_000,
            where="kcbzgws",
        ),
        Latch("checkpoint queue latch", gets // 24, gets // 240_000, 4, 310, where="kcbkubc"),
        Latch("enqueue hash chains", transactions * 4, 1_530, 12, 1_320, where="ksqgtl3"),
        Latch("library cache", executions // 11, 3_402, 88, 12_400, where="kglpnc: child"),
        Latch("library cache pin", executions // 14, 904, 9, 780, where="kglpnal: child"),
        Latch("lgwr LWN SCN", redo_writes + 27, 18),
        Latch("messages", redo_writes * 3 // 2, 1_008, 3, 210, where="ksaamb: after wakeup"),
        Latch("mostly latch-free SCN", redo_writes + 61, 311, 1, 60, where="kcsnew_scn_rba"),
        Latch("object queue header operation", gets // 12, gets // 88_000, 16, 940, where="kcbo"),
        Latch("process allocation", 241, nowait_gets=118),
        Latch(
            "redo allocation",
            redo_writes * 4,
            9_214,
            96,
            20_400,
            where="kcrfw_redo_gen: redo allocation 1",
        ),
        Latch("redo copy", 34, nowait_gets=transactions * 2, nowait_misses=transactions // 520),
        Latch("redo writing", redo_writes * 3 + 604, 1_212, 10, 10_300, where="kcrfwcr"),
        Latch("row cache objects", 96_410, 4),
        Latch("sequence cache", 61),
        Latch("session allocation", seconds * 11, 2),
        Latch("session idle bit", 3_906),
        Latch("shared pool", 41_312, 21, 1, 50, where="kghalo"),
        Latch("simulator hash latch", gets // 18, gets // 400_000, 2, 110, where="kcbsacc"),
        Latch("simulator lru latch", gets // 30_000, 61, nowait_gets=gets // 26),
        Latch("undo global data", transactions * 3, 4_010, 19, 1_610, where="ktudnx:child"),
    )


def enqueues(*, elapsed_s: float, transactions: int, switches: int) -> tuple[Enqueue, ...]:
    """Enqueues with waits."""
    jobs = int(elapsed_s * 13)
    control = int(elapsed_s / 2) + switches * 6
    return (
        Enqueue("CF", "Controlfile Transaction", control, control - 11, 11, 380_000),
        Enqueue("TX", "Transaction", transactions + 912, transactions + 912, 6, 41_000),
        Enqueue("KO", "Multiple Object Checkpoint (fast object checkpoint)", 9, 9, 1, 30_000),
        Enqueue("JS", "Job Scheduler (queue lock)", jobs, jobs, 4, 290_000),
    )


def dictionary_cache(elapsed_s: float, switches: int) -> tuple[DictionaryCache, ...]:
    """Row caches."""
    seconds = int(elapsed_s)
    return (
        DictionaryCache("dc_files", 214, 10, 0, 10),
        DictionaryCache("dc_histogram_defs", 3_118, 409, 0, 1_911),
        DictionaryCache("dc_objects", 4_611, 96, 3, 1_302),
        DictionaryCache("dc_rollback_segments", seconds // 2 + switches, 0, 12, 22),
        DictionaryCache("dc_segments", 38_914, 41, 9_218, 611),
        DictionaryCache("dc_tablespace_quotas", 9_206, 1, 0, 2),
        DictionaryCache("dc_tablespaces", 19_844, 0, 0, 8),
        DictionaryCache("dc_usernames", 214, 0, 0, 19),
        DictionaryCache("dc_users", 6_203, 2, 0, 44),
    )


def lib_cache(executions: int, statements: int) -> tuple[LibraryCache, ...]:
    """Library cache namespaces."""
    return (
        LibraryCache("BODY", 311, 4, 894, 6, 0, 0),
        LibraryCache("CLUSTER", 42, 1, 91, 1, 0, 0),
        LibraryCache("INDEX", 61, 3, 61, 3, 0, 0),
        LibraryCache("SQL AREA", statements, statements // 14, executions + 9_104, 602, 41, 4),
        LibraryCache("TABLE/PROCEDURE", 5_902, 118, 14_310, 301, 19, 0),
        LibraryCache("TRIGGER", 22, 0, 61, 0, 0, 0),
    )


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
