"""Workload of document 3, figure 4: the redo test on plain disks."""

from __future__ import annotations

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
    total_elapsed_us,
)
from .model import (
    Checkpoint,
    Database,
    DataFile,
    Event,
    Host,
    Memory,
    OtherIo,
    Recovery,
    Segment,
    Snapshot,
    Sql,
    TimeModel,
    WorkAreas,
    Workload,
)
from .records import Records

RECORDS = Records("redo_disk")


BEGIN = moment("2008-08-20 16:23:46.100")
END = moment("2008-08-20 18:43:26.976")
ELAPSED_S = (END - BEGIN).total_seconds()
COMMITS, ROLLBACKS = 5_359_847, 850
TRANSACTIONS = COMMITS + ROLLBACKS
ROWS = 48_217_432
EXECUTIONS = 48_252_917
REDO_WRITES = 405_691
LOG_SWITCHES, LOG_MEMBERS = 477, 2
BLOCK_GETS, CONSISTENT_GETS = 58_128_238, 9_112_400
DB_TIME_US = 9_653_000_000


FILES = RECORDS.rows(DataFile, "FILES")

EVENTS = (*RECORDS.rows(Event, "EVENTS"), *idle_events(ELAPSED_S, REDO_WRITES + 61_204))

TEST_STATEMENTS = RECORDS.rows(Sql, "TEST_STATEMENTS")
MONITORING = monitoring_statements(ELAPSED_S, io_wait_ms=29.0)
CAPTURED_US = 14_586_000_000
"""Elapsed time of the captured statements: 151.1 % of DB time, as in the figure."""

COMMIT = Sql(
    sql_id="23wm3kz7rps5y",
    hash_value=3_615_375_148,
    text="COMMIT",
    module="SQL*Plus",
    executions=COMMITS,
    elapsed_us=CAPTURED_US - total_elapsed_us((*TEST_STATEMENTS, *MONITORING)),
    cpu_us=118_900_000,
    io_us=0,
    gets=0,
    reads=0,
    read_requests=0,
    rows=0,
    parses=1,
    sharable_bytes=8_204,
)

STATISTICS = RECORDS.totals("STATISTICS")

PARAMETERS = RECORDS.texts("PARAMETERS")

WORKLOAD = Workload(
    slug="redo-disk",
    database=Database(
        name="AULTDB",
        db_id=1_318_446_013,
        instance="aultdb1",
        instance_number=1,
        startup=moment("2008-08-20 09:12"),
        host="aultlab1",
        platform="Linux x86 64-bit",
        cpus=2,
        cores=1,
        sockets=1,
        memory_bytes=8_254_390_272,
    ),
    begin=Snapshot(144, BEGIN, 41, 62, 0.61, 214_118_400, 71.42, 68.90, 74.15),
    end=Snapshot(147, END, 40, 52, 1.38, 231_902_208, 74.06, 70.33, 76.02),
    memory=Memory(
        buffer_cache_bytes=2_360 * MIB,
        shared_pool_bytes=512 * MIB,
        large_pool_bytes=16 * MIB,
        java_pool_bytes=16 * MIB,
        fixed_bytes=2_110_904,
        log_buffer_bytes=10_604 * 1024,
        redo_buffers_bytes=11_190_272,
        pga_target_bytes=512 * MIB,
        pga_auto_target_bytes=402 * MIB,
        pga_bound_bytes=102_400 * 1024,
    ),
    host=Host(user_cs=742_310, system_cs=118_450, nice_cs=240, iowait_cs=61_204, idle_cs=815_175),
    time=TimeModel(
        db_time_us=DB_TIME_US,
        db_cpu_us=7_891_000_000,
        sql_execute_us=9_641_300_000,
        plsql_execute_us=2_806_400_000,
        parse_us=18_200_000,
        hard_parse_us=14_900_000,
        connection_us=1_300_000,
        repeated_bind_us=40_000,
        background_us=10_150_000_000,
        background_cpu_us=402_000_000,
    ),
    statistics=STATISTICS,
    log_switches=LOG_SWITCHES,
    log_members=LOG_MEMBERS,
    events=EVENTS,
    files=FILES,
    control_file_io=OtherIo(14_933, 14_933 * 16_384, 14_124, 14_124 * 16_384),
    log_file_io=OtherIo(
        4 * LOG_SWITCHES,
        4 * LOG_SWITCHES * 512,
        LOG_MEMBERS * REDO_WRITES + 4 * LOG_SWITCHES,
        LOG_MEMBERS * 43_998_109 * 512 + 4 * LOG_SWITCHES * 512,
    ),
    statements=(*TEST_STATEMENTS, COMMIT, *MONITORING),
    undo_tablespace_number=2,
    undo=spread_undo(moment("2008-08-20 18:43"), 574_902, 5_372_118, 14, 8_148),
    rollback_segments=rollback_segments(4_418_906_204, TRANSACTIONS),
    recovery=RECORDS.rows(Recovery, "WORKLOAD recovery"),
    mttr_advice=(),
    checkpoint=Checkpoint(0, 602_118, 0, 0, 24_930, 486_204),
    work_areas=(*small_work_areas(9_012, 61), WorkAreas("8M", "16M", 12, onepass=6)),
    work_area_bytes=1_118 * MIB,
    work_area_extra_bytes=30 * MIB,
    buffer_waits={
        "undo block": (112, 1_060_000),
        "data block": (184, 890_000),
        "segment header": (16, 430_000),
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
    lib_cache=lib_cache(EXECUTIONS, 24_306),
    parameters=PARAMETERS,
)  # fmt: skip
