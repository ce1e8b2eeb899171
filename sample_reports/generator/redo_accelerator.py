"""Workload of document 3, figure 5: the same redo test on the write accelerator."""

from __future__ import annotations

from dataclasses import replace

from . import redo_disk
from .common import (
    MIB,
    background,
    dictionary_cache,
    enqueues,
    foreground,
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

_SSD = "/ssd1/oradata/tmsorcl/"

FILES = (
    DataFile(
        "DATA", _SSD + "data01.dbf", 4_427, 438_702, 3_910_000, 61_902, 384_604, 41, 9_000,
        direct_reads=4_132, direct_blocks_read=437_004,
    ),
    DataFile(
        "DATA", "/ssd2/oradata/tmsorcl/data02.dbf", 4_419, 437_994, 3_880_000, 61_744, 383_944,
        38, 8_000, direct_reads=4_125, direct_blocks_read=436_296,
    ),
    DataFile("INDEXES", _SSD + "indexes01.dbf", 611, 611, 20_000, 602, 602),
    DataFile(
        "SYSAUX", _SSD + "sysaux01.dbf", 7_204, 9_870, 710_000, 3_902, 6_120,
        direct_writes=12, direct_blocks_written=96,
    ),
    DataFile("SYSTEM", _SSD + "system01.dbf", 4_118, 4_402, 420_000, 904, 1_388, 3, 2_000),
    DataFile(
        "TEMP", _SSD + "temp01.dbf", 204, 1_640, 30_000, 206, 1_640, temporary=True,
    ),
    DataFile("UNDOTBS1", _SSD + "undotbs01.dbf", 598, 598, 20_000, 90_118, 575_402, 64, 21_000),
    DataFile("USERS", _SSD + "users01.dbf", 575, 575, 20_000, 575, 575),
)  # fmt: skip

EVENTS = (
    foreground("PX Deq Credit: send blkd", "Other", 3_669_884, 25_566.0),
    foreground("log file switch (checkpoint incomplete)", "Configuration", 1_121, 407.0, 365),
    foreground("log file switch completion", "Configuration", 1_392, 404.0, 381),
    foreground("direct path read", "User I/O", 8_257, 7.1),
    foreground("db file sequential read", "User I/O", 2_118, 0.42),
    foreground("control file sequential read", "System I/O", 1_204, 0.21),
    foreground("buffer busy waits", "Concurrency", 146, 0.04),
    foreground("latch: cache buffers chains", "Concurrency", 904, 0.31),
    foreground("direct path write temp", "User I/O", 206, 0.36),
    foreground("direct path read temp", "User I/O", 204, 0.03),
    foreground("log file sync", "Commit", 56, 0.056),
    foreground("enq: KO - fast object checkpoint", "Application", 1, 0.03),
    foreground("latch: redo allocation", "Other", 59, 0.0041),
    foreground("SQL*Net message to client", "Network", 604, 0.0012),
    foreground("SQL*Net message from client", "Idle", 602, 9_118.0, sigma=1.8),
    foreground("PX Deq: Execution Msg", "Idle", 2_118, 3_014.0, 1_902),
    background("log file parallel write", "System I/O", REDO_WRITES, 495.0, sigma=0.4),
    background("db file parallel write", "System I/O", 44_118, 212.0),
    background("db file sequential read", "User I/O", 9_306, 0.96),
    background("control file parallel write", "System I/O", 3_902, 4.1),
    background("control file sequential read", "System I/O", 8_118, 1.2),
    background("log file switch (checkpoint incomplete)", "Configuration", 9, 2.061),
    background("log file single write", "System I/O", 2 * LOG_SWITCHES, 0.35),
    background("log file sequential read", "System I/O", 2 * LOG_SWITCHES, 0.28),
    background("LGWR wait for redo copy", "Other", 3_402, 0.21),
    background("enq: CF - contention", "Other", 11, 0.38),
    background("os thread startup", "Concurrency", 7, 0.24),
    background("direct path write", "User I/O", 12, 0.02),
    background("log file sync", "Commit", 2, 0.001),
    background("latch: redo writing", "Configuration", 1, 0.001),
    *idle_events(ELAPSED_S, REDO_WRITES + 48_306),
)

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
    **{name: round(n * BACKGROUND_SCALE) for name, n in redo_disk.STATISTICS.items()},
    "HSC Heap Segment Block Changes": ROWS + 2_402,
    "IMU commits": 5_301_118,
    "IMU undo allocation size": 5_704_118_204,
    "calls to get snapshot scn: kcmgss": 53_684_118,
    "calls to kcmgas": 5_906_204,
    "consistent gets": CONSISTENT_GETS,
    "consistent gets - examination": 5_902_306,
    "db block changes": 112_399_896,
    "db block gets": BLOCK_GETS,
    "deferred (CURRENT) block cleanout applications": 3_598_204,
    "execute count": EXECUTIONS,
    "free buffer requested": 1_398_204,
    "messages received": 5_371_902,
    "messages sent": 5_371_902,
    "process last non-idle time": 3_317,
    "recursive calls": 59_771_204,
    "recursive cpu usage": 218_306,
    "redo blocks checksummed by FG (exclusive)": 402_118,
    "redo blocks read for recovery": 0,
    "redo blocks written": 45_944_613,
    "redo blocks written for direct writes": 214,
    "redo buffer allocation retries": 1_416,
    "redo entries": 35_871_499,
    "redo log space requests": 3_051,
    "redo log space wait time": 83_113,
    "redo ordering marks": 271_248,
    "redo size": 21_351_144_464,
    "redo size for direct writes": 107_520,
    "redo subscn max counts": 9_118,
    "redo synch time": 7,
    "redo synch writes": 929,
    "redo wastage": 1_427_070_848,
    "redo write active strands": REDO_WRITES + 118,
    "redo write time": 55_447,
    "redo writer latching time": 8,
    "redo writes": REDO_WRITES,
    "rollback changes - undo records applied": 61,
    "sorts (disk)": 2,
    "switch current to new buffer": 769_118,
    "table scan blocks gotten": 896_906,
    "table scan rows gotten": 48_306_204,
    "transaction rollbacks": 9,
    "undo change vector size": 4_418_611_902,
    "user commits": COMMITS,
    "user rollbacks": ROLLBACKS,
}

PARAMETERS = {
    **redo_disk.PARAMETERS,
    "audit_file_dest": "/u01/app/oracle/admin/tmsorcl/adump",
    "control_files": _SSD + "control01.ctl, /ssd2/oradata/tmsorcl/control02.ctl",
    "db_cache_size": str(2_336 * MIB),
    "db_name": "TMSORCL",
    "fast_start_mttr_target": "30",
    "log_buffer": str(14_404 * 1024),
    "shared_pool_size": str(688 * MIB),
}

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
    recovery=(
        Recovery("B", 71, 58, 2_904, 68_118, 71_310, 92_160, 2_214_806, 312),
        Recovery("E", 71, 61, 19_402, 71_288, 71_310, 92_160, 24_931_806, 312),
    ),
    mttr_advice=(
        MttrAdvice(71, 1_000, 1_251, 1.0),
        MttrAdvice(90, 9_204, 1_118, 0.89),
        MttrAdvice(120, 19_306, 1_044, 0.83),
        MttrAdvice(180, 34_902, 1_001, 0.8),
        MttrAdvice(240, 52_118, 982, 0.78),
    ),
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
    segments=(
        Segment(
            "TPCH", "DATA", "DUP_LINEITEM", "TABLE", 54_118, logical_reads=60_904_112,
            physical_reads=611, read_requests=611, physical_writes=768_204,
            write_requests=123_402, block_changes=49_204_806, buffer_busy_waits=75,
        ),
        Segment(
            "TPCH", "DATA", "H_LINEITEM", "TABLE", 53_902, logical_reads=895_806,
            physical_reads=873_612, read_requests=8_402, direct_reads=873_300, table_scans=9,
        ),
        Segment(
            "SYS", "SYSTEM", "SEG$", "TABLE", 14, logical_reads=48_204, physical_reads=96,
            read_requests=96, physical_writes=308, write_requests=214, block_changes=17_902,
            buffer_busy_waits=3,
        ),
        Segment(
            "SYS", "SYSAUX", "WRH$_SQL_PLAN", "TABLE", 8_871, logical_reads=6_118,
            physical_reads=118, read_requests=84, physical_writes=306, write_requests=198,
            direct_writes=96, block_changes=2_118, table_scans=2,
        ),
    ),
    dictionary_cache=dictionary_cache(ELAPSED_S, LOG_SWITCHES),
    lib_cache=lib_cache(EXECUTIONS, 9_620),
    parameters=PARAMETERS,
)  # fmt: skip
