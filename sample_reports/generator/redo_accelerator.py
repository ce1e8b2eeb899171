"""Workload of document 3, figure 5: the same redo test on the write accelerator."""

from __future__ import annotations

from dataclasses import replace

from . import redo_disk
from .common import (
    MIB,
    dictionary_cache,
    enqueues,
    idle_events,
    latches,
    lib_cache,
    moment,
    monitoring_statements,
    rollback_segments,
    small_work_areas,
    spread_undo,
)
from .model import (
    Checkpoint,
    Database,
    DataFile,
    Event,
    Host,
    Memory,
    MttrAdvice,
    OtherIo,
    Recovery,
    Segment,
    Snapshot,
    TimeModel,
    WorkAreas,
    Workload,
)
from .records import Records

RECORDS = Records("redo_accelerator")


BEGIN = moment("2008-08-20 15:21:45.300")
END = moment("2008-08-20 16:17:02.162")
ELAPSED_S = (END - BEGIN).total_seconds()
COMMITS, ROLLBACKS = 5_358_050, 3
TRANSACTIONS = COMMITS + ROLLBACKS
ROWS = 48_219_882
EXECUTIONS = 48_227_339
REDO_WRITES = 5_313_254
LOG_SWITCHES, LOG_MEMBERS = 541, 1
BLOCK_GETS, CONSISTENT_GETS = 61_994_169, 9_116_102


FILES = RECORDS.rows(DataFile, "FILES")

EVENTS = (*RECORDS.rows(Event, "EVENTS"), *idle_events(ELAPSED_S, REDO_WRITES + 48_306))

_BLOCK, _INSERT, _SELECT = redo_disk.TEST_STATEMENTS

STATEMENTS = (
    replace(
        _SELECT,
        elapsed_us=25_904_000_000,
        cpu_us=402_600_000,
        io_us=7_600_000,
        gets=896_204,
        reads=873_402,
        read_requests=8_259,
        rows=ROWS,
    ),
    replace(
        _BLOCK,
        elapsed_us=3_241_800_000,
        cpu_us=2_118_300_000,
        io_us=4_100_000,
        gets=70_812_118,
        reads=874_118,
        read_requests=8_918,
    ),
    replace(
        _INSERT,
        executions=ROWS,
        elapsed_us=1_805_000_000,
        cpu_us=1_051_000_000,
        io_us=400_000,
        gets=61_206_402,
        reads=611,
        read_requests=611,
        rows=ROWS,
    ),
    replace(redo_disk.COMMIT, executions=COMMITS, elapsed_us=61_300_000, cpu_us=58_900_000),
    *monitoring_statements(ELAPSED_S, io_wait_ms=0.2),
)

BACKGROUND_SCALE = ELAPSED_S / redo_disk.ELAPSED_S
"""Statistics that no row of the test drives go with the time."""

STATISTICS = {
    name: round(n * BACKGROUND_SCALE) for name, n in redo_disk.STATISTICS.items()
} | RECORDS.totals("STATISTICS")

PARAMETERS = redo_disk.PARAMETERS | RECORDS.texts("PARAMETERS")

WORKLOAD = Workload(
    slug="redo-accelerator",
    database=Database(
        name="TMSORCL",
        db_id=2_750_913_364,
        instance="tmsorcl",
        instance_number=1,
        startup=moment("2008-08-20 08:47"),
        host="tmslab2",
        platform="Linux x86 64-bit",
        cpus=4,
        cores=4,
        sockets=2,
        memory_bytes=8_589_934_592,
    ),
    begin=Snapshot(615, BEGIN, 18, 74, 0.82, 198_180_864, 70.11, 66.42, 72.38),
    end=Snapshot(617, END, 16, 38, 1.05, 182_452_224, 71.90, 67.08, 73.21),
    memory=Memory(
        buffer_cache_bytes=2_336 * MIB,
        shared_pool_bytes=688 * MIB,
        large_pool_bytes=16 * MIB,
        java_pool_bytes=16 * MIB,
        fixed_bytes=2_110_904,
        log_buffer_bytes=14_404 * 1024,
        redo_buffers_bytes=15_384_576,
        pga_target_bytes=512 * MIB,
        pga_auto_target_bytes=410 * MIB,
        pga_bound_bytes=102_400 * 1024,
    ),
    host=Host(user_cs=251_900, system_cs=50_400, nice_cs=100, iowait_cs=8_300, idle_cs=1_024_345),
    time=TimeModel(
        db_time_us=28_952_400_000,
        db_cpu_us=2_594_000_000,
        sql_execute_us=28_941_700_000,
        plsql_execute_us=904_200_000,
        parse_us=6_100_000,
        hard_parse_us=4_900_000,
        connection_us=400_000,
        repeated_bind_us=20_000,
        background_us=1_010_000_000,
        background_cpu_us=201_000_000,
    ),
    statistics=STATISTICS,
    log_switches=LOG_SWITCHES,
    log_members=LOG_MEMBERS,
    events=EVENTS,
    files=FILES,
    control_file_io=OtherIo(9_322, 9_322 * 16_384, 7_804, 7_804 * 16_384),
    log_file_io=OtherIo(
        2 * LOG_SWITCHES,
        2 * LOG_SWITCHES * 512,
        LOG_MEMBERS * REDO_WRITES + 2 * LOG_SWITCHES,
        LOG_MEMBERS * 45_944_613 * 512 + 2 * LOG_SWITCHES * 512,
    ),
    statements=STATEMENTS,
    undo_tablespace_number=2,
    undo=spread_undo(moment("2008-08-20 16:17"), 578_118, 5_362_902, 6, 3_241),
    rollback_segments=rollback_segments(4_418_611_902, TRANSACTIONS),
    recovery=RECORDS.rows(Recovery, "WORKLOAD recovery"),
    mttr_advice=RECORDS.rows(MttrAdvice, "WORKLOAD mttr_advice"),
    checkpoint=Checkpoint(318_204, 4_118, 0, 0, 0, 791_306),
    work_areas=(*small_work_areas(6_118, 42), WorkAreas("8M", "16M", 9, onepass=2)),
    work_area_bytes=806 * MIB,
    work_area_extra_bytes=26 * MIB,
    buffer_waits={
        "undo block": (64, 21_000),
        "data block": (79, 17_000),
        "segment header": (3, 2_000),
    },
    latches=latches(
        elapsed_s=ELAPSED_S,
        gets=BLOCK_GETS + CONSISTENT_GETS,
        executions=EXECUTIONS,
        transactions=TRANSACTIONS,
        redo_writes=REDO_WRITES,
    ),
    enqueues=enqueues(
        elapsed_s=ELAPSED_S, transactions=TRANSACTIONS, switches=LOG_SWITCHES
    ),
    segments=RECORDS.rows(Segment, "WORKLOAD segments"),
    dictionary_cache=dictionary_cache(ELAPSED_S, LOG_SWITCHES),
    lib_cache=lib_cache(EXECUTIONS, 9_620),
    parameters=PARAMETERS,
)  # fmt: skip
