"""AWR: buffer pool, checkpoints, advisories, buffer and enqueue waits, undo."""

from __future__ import annotations

from dataclasses import astuple

from .derived import SIZE_FACTORS, Derived, read_factor
from .figures import KIB, MIB, grouped, percent, plain, ratio
from .layout import Group, Row, Section, Tables

TABLES = Tables("awr_memory")

NO_REUSE = "0/0/0/0/0/0"


def buffer_pool_group(d: Derived) -> Group:
    """Buffer Pool Statistics and Checkpoint Activity."""
    return Group(
        "Buffer Pool Statistics",
        25,
        (
            TABLES.section("Buffer Pool Statistics", [buffer_pool(d)]),
            TABLES.section(
                "Checkpoint Activity",
                [astuple(d.workload.checkpoint)],
                figures={"writes": d["physical writes"]},
            ),
        ),
    )


def buffer_pool(d: Derived) -> Row:
    """Return the default pool."""
    w = d.workload
    gets = d["session logical reads"] - d["physical reads direct"]
    reads = d["physical reads cache"]
    return (
        "D",
        w.memory.buffer_cache_bytes // w.database.block_bytes,
        100 - percent(reads, gets),
        gets,
        reads,
        d["physical writes from cache"],
        0,
        0,
        sum(waits for waits, _ in w.buffer_waits.values()),
    )


def advisory_group(d: Derived) -> Group:
    """Advisory Statistics."""
    return Group(
        "Advisory Statistics",
        26,
        (
            TABLES.section("Instance Recovery Stats", recovery_rows(d)),
            TABLES.section("MTTR Advisory", mttr_advice(d)),
            TABLES.section("Buffer Pool Advisory", pool_advice(d)),
            *pga_sections(d),
            TABLES.section("Shared Pool Advisory", shared_pool_advice(d)),
            TABLES.section("SGA Target Advisory"),
            TABLES.section("Streams Pool Advisory"),
            TABLES.section("Java Pool Advisory"),
        ),
    )


def recovery_rows(d: Derived) -> list[Row]:
    """Begin and end of Instance Recovery Stats; the interval setting is not in use."""
    return [
        (
            row.label,
            row.target_mttr_s,
            row.estimated_mttr_s,
            row.estimated_ios,
            row.actual_redo_blocks,
            row.target_redo_blocks,
            row.log_size_redo_blocks,
            row.timeout_redo_blocks,
            None,
            row.optimal_log_mb,
            row.rac_available_s,
        )
        for row in d.workload.recovery
    ]


def mttr_advice(d: Derived) -> list[Row]:
    """Return writes and I/Os, in thousands, at other targets."""
    w = d.workload
    present = next((row for row in w.mttr_advice if row.cache_writes_factor == 1.0), None)
    if present is None:
        return []
    other_writes = d["physical writes direct"] // 1_000
    reads = d["physical reads"] // 1_000
    rows: list[Row] = []
    for row in w.mttr_advice:
        writes = row.cache_writes + other_writes
        now = present.cache_writes + other_writes
        rows.append(
            (
                row.target_s,
                row.dirty_limit,
                row.cache_writes,
                row.cache_writes_factor,
                writes,
                ratio(writes, now),
                writes + reads,
                ratio(writes + reads, now + reads),
            )
        )
    return rows


def pool_advice(d: Derived) -> list[Row]:
    """Estimated physical reads of buffer caches of other sizes."""
    w = d.workload
    size_mb = w.memory.buffer_cache_bytes // MIB
    reads = d["physical reads cache"]
    read_s = sum(file.read_us for file in w.files) / 1e6
    rows: list[Row] = []
    for factor in SIZE_FACTORS:
        more = read_factor(factor)
        buffers = size_mb * factor * MIB / w.database.block_bytes
        rows.append(
            (
                "D",
                size_mb * factor,
                factor,
                buffers / 1_000,
                more,
                reads * more / 1_000,
                read_s * more,
                percent(read_s * more, d.db_time_s),
            )
        )
    return rows


def pga_sections(d: Derived) -> tuple[Section, ...]:
    """PGA use and advice."""
    return (
        TABLES.section("PGA Aggr Summary", [pga_summary(d)]),
        TABLES.section("PGA Aggr Target Stats", pga_target(d)),
        TABLES.section("PGA Aggr Target Histogram", work_areas(d)),
        TABLES.section("PGA Memory Advisory", pga_advice(d)),
    )


def pga_summary(d: Derived) -> Row:
    """Cache hit, megabytes processed, extra megabytes."""
    w = d.workload
    processed, extra = w.work_area_bytes, w.work_area_extra_bytes
    return (percent(processed, processed + extra), processed / MIB, extra / MIB)


def pga_target(d: Derived) -> list[Row]:
    """Return the target and what is used of it; no work area was active at a snapshot."""
    memory = d.workload.memory
    return [
        (
            label,
            memory.pga_target_bytes / MIB,
            memory.pga_auto_target_bytes / MIB,
            snapshot.pga_bytes / MIB,
            0,
            0,
            0,
            0,
            memory.pga_bound_bytes / KIB,
        )
        for label, snapshot in (("B", d.workload.begin), ("E", d.workload.end))
    ]


def work_areas(d: Derived) -> list[Row]:
    """Return executions by size."""
    return [
        (area.low, area.high, area.executions, area.optimal, area.onepass, area.multipass)
        for area in d.workload.work_areas
    ]


PGA_FACTORS = (0.125, 0.25, 0.5, 0.75, 1.0, 1.4, 2.0, 4.0, 8.0)


def pga_advice(d: Derived) -> list[Row]:
    """Extra megabytes at other targets."""
    w = d.workload
    target_mb = w.memory.pga_target_bytes / MIB
    processed = w.work_area_bytes / MIB
    rows: list[Row] = []
    for factor in PGA_FACTORS:
        extra = w.work_area_extra_bytes / MIB * (min(factor, 4.0) ** -0.5 if factor < 6 else 0)
        overallocated = 4 if factor < 0.25 else 0
        hit = percent(processed, processed + extra)
        rows.append(
            (
                target_mb * factor, factor, processed, extra, hit, overallocated,
                (processed + extra) * 700,
            )
        )  # fmt: skip
    return rows


def shared_pool_advice(d: Derived) -> list[Row]:
    """Library cache load time in shared pools of other sizes."""
    size_mb = d.workload.memory.shared_pool_bytes // MIB
    saved_s, load_s = d["execute count"] // 2_100, d.workload.time.hard_parse_us / 1e6
    hits = d["execute count"] // 1_000
    rows: list[Row] = []
    for step in range(8, 21, 2):
        factor = step / 10
        cache_mb = max(8.0, size_mb * factor - size_mb * 0.62)
        more_load = read_factor(factor, 0.8)
        rows.append(
            (
                size_mb * factor,
                factor,
                cache_mb,
                cache_mb * 38,
                saved_s * factor**0.01,
                factor**0.01,
                load_s * more_load,
                more_load,
                hits * factor**0.001,
            )
        )
    return rows


def wait_statistics_group(d: Derived) -> Group:
    """Buffer Wait Statistics and Enqueue Activity."""
    w = d.workload
    classes = sorted(w.buffer_waits.items(), key=lambda item: -item[1][1])
    return Group(
        "Wait Statistics",
        27,
        (
            TABLES.section(
                "Buffer Wait Statistics",
                [(name, n, us / 1e6, ratio(us / 1e3, n)) for name, (n, us) in classes],
            ),
            TABLES.section("Enqueue Activity", enqueue_rows(d), major=d.release.major),
        ),
    )


def enqueue_rows(d: Derived) -> list[Row]:
    """Enqueues by wait time."""
    return [
        (
            f"{row.kind}-{row.description}",
            row.requests,
            row.gets,
            row.requests - row.gets,
            row.waits,
            row.wait_us / 1e6,
            ratio(row.wait_us / 1e3, row.waits),
        )
        for row in sorted(d.workload.enqueues, key=lambda row: -row.wait_us)
    ]


def undo_group(d: Derived) -> Group:
    """Undo Statistics."""
    return Group(
        "Undo Statistics",
        28,
        (
            TABLES.section("Undo Segment Summary", [undo_summary(d)]),
            TABLES.section("Undo Segment Stats", undo_rows(d)),
        ),
    )


def undo_summary(d: Derived) -> Row:
    """One line for the undo tablespace."""
    rows = d.workload.undo
    retention = [row.retention_min for row in rows]
    return (
        d.workload.undo_tablespace_number,
        d.undo_blocks / 1_000,
        sum(row.transactions for row in rows),
        max(row.max_query_s for row in rows),
        max(row.max_concurrency for row in rows),
        d.workload.undo_retention or f"{plain(min(retention))}/{plain(max(retention), 1)}",
        "0/0",
        d.workload.undo_steals,
    )


def undo_rows(d: Derived) -> list[Row]:
    """Ten-minute rows, newest first."""
    return [
        (
            row.ends.strftime("%d-%b %H:%M"),
            row.blocks,
            row.transactions,
            row.max_query_s,
            row.max_concurrency,
            row.retention_min,
            "0/0",
            NO_REUSE,
        )
        for row in d.workload.undo
    ]


def sized(size_bytes: float) -> str:
    """Size of a cache in the header: ``2,360M``."""
    return grouped(size_bytes / MIB) + "M"
