"""Workloads of document 3, figures 8 and 9: a sort of a billion rows, on disks and accelerated."""

from __future__ import annotations

from dataclasses import replace

from . import redo_accelerator, redo_disk
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
    quiet,
    rollback_segments,
    small_work_areas,
    spread_undo,
)
from .model import Checkpoint, DataFile, Host, OtherIo, Snapshot, Sql, TimeModel, WorkAreas

ROWS = 1_000_012_304
_SORT = Sql(
    sql_id="1avgjg9pcsgnb",
    hash_value=1_703_228_043,
    text="select * from h_lineitem order by l_comment,l_shipinstruct",
    module="SQL*Plus",
    executions=1,
    elapsed_us=40_686_300_000,
    cpu_us=8_506_000_000,
    io_us=1_760_000_000,
    gets=18_204_118,
    reads=20_164_906,
    read_requests=2_082_140,
    rows=ROWS,
    parses=1,
    sharable_bytes=22_118,
)

# Figure 8: 81 reads a second, 409.14 minutes; DB time is the statement's over 92.5 %.
BEGIN = moment("2008-08-25 09:58:12.000")
END = moment("2008-08-25 16:47:20.400")
ELAPSED_S = (END - BEGIN).total_seconds()
_SHARE = 0.004
_BASE = redo_disk.WORKLOAD
STATISTICS = quiet(redo_disk.STATISTICS, _SHARE) | {
    "consistent gets": 18_190_411,
    "db block gets": 19_204,
    "sorts (disk)": 1,
    "sorts (memory)": 3_118,
    "sorts (rows)": ROWS + 41_204,
    "temp space allocated (bytes)": 1_985_044 * 8192,
    "table scans (long tables)": 1,
    "table scan rows gotten": ROWS,
    "undo change vector size": 4_118_204,
}
_SWITCHES = 2
_TEMP = "+DATA2/aultdb/tempfile/"
FILES = (
    DataFile(
        "DATA", "+DATA/aultdb/datafile/data.259.660843403", 96_402, 18_179_862, 391_400_000, 204,
        611, direct_reads=96_011, direct_blocks_read=18_178_204,
    ),
    DataFile("SYSAUX", "+DATA/aultdb/datafile/sysaux.257.660755929", 9_118, 11_204, 164_100_000,
             5_206, 7_118),
    DataFile("SYSTEM", "+DATA/aultdb/datafile/system.256.660755927", 2_204, 2_611, 41_800_000,
             904, 1_306),
    DataFile("TEMP", _TEMP + "temp.274.660989059", 706_936, 706_936, 1_894_588_000, 27_691,
             706_936, temporary=True),
    DataFile("TEMP", _TEMP + "temp.273.660930207", 594_287, 594_287, 968_688_000, 23_282,
             594_287, temporary=True),
    DataFile("TEMP", _TEMP + "temp.266.660756117", 683_821, 683_821, 1_244_554_000, 26_788,
             683_821, temporary=True),
    DataFile("UNDOTBS1", "+DATA/aultdb/datafile/undotbs1.258.660755929", 204, 204, 5_300_000,
             611, 902),
)  # fmt: skip
EVENTS = (
    foreground("PX Deq Credit: send blkd", "Other", 4_118_204, 31_902.0, sigma=1.2),
    # of service SYS$USERS: User I/O 2,160,604 waits and 1,763 s, Concurrency 348 and 189 s,
    # Network 7,206,979 and 1,350 s
    foreground("direct path read temp", "User I/O", 1_985_044, 1_402.0),
    foreground("direct path write temp", "User I/O", 77_761, 301.5),
    foreground("direct path read", "User I/O", 96_011, 55.3),
    foreground("db file sequential read", "User I/O", 1_788, 4.2),
    foreground("cursor: pin S wait on X", "Concurrency", 348, 189.0),
    foreground("SQL*Net more data to client", "Network", 6_002_118, 1_344.0),
    foreground("SQL*Net message to client", "Network", 1_204_861, 6.0),
    foreground("buffer busy waits", "Other", 0, 0),
    foreground("log file sync", "Commit", 41, 0.72),
    foreground("SQL*Net message from client", "Idle", 1_204_860, 9_204.0, sigma=1.8),
    background("log file parallel write", "System I/O", STATISTICS["redo writes"], 28.9),
    background("db file parallel write", "System I/O", 5_204, 84.2),
    background("control file parallel write", "System I/O", 8_204, 71.8),
    background("control file sequential read", "System I/O", 9_118, 31.6),
    background("log file single write", "System I/O", 4 * _SWITCHES, 0.1),
    *idle_events(ELAPSED_S, 61_204),
)
_MONITORING = monitoring_statements(ELAPSED_S, io_wait_ms=18.0)

DISK = replace(
    _BASE,
    slug="temp-sort-disk",
    begin=Snapshot(124, BEGIN, 32, 48, 0.71, 118_204_416, 70.11, 66.9, 72.2),
    end=Snapshot(132, END, 31, 44, 1.02, 640_118_784, 71.9, 67.3, 73.8),
    host=Host(user_cs=811_204, system_cs=241_118, nice_cs=0, iowait_cs=604_118,
              idle_cs=4_909_680 - 811_204 - 241_118),
    time=TimeModel(
        db_time_us=43_985_000_000, db_cpu_us=8_740_000_000, sql_execute_us=40_902_000_000,
        plsql_execute_us=41_000_000, parse_us=4_100_000, hard_parse_us=3_200_000,
        connection_us=400_000, repeated_bind_us=10_000, background_us=306_000_000,
        background_cpu_us=61_000_000,
    ),
    statistics=STATISTICS,
    log_switches=_SWITCHES,
    events=tuple(e for e in EVENTS if e.waits),
    files=FILES,
    control_file_io=OtherIo(9_118, 9_118 * 16_384, 24_612, 24_612 * 16_384),
    log_file_io=OtherIo(
        8, 8 * 512, 2 * STATISTICS["redo writes"] + 8,
        2 * STATISTICS["redo blocks written"] * 512 + 8 * 512,
    ),
    statements=(_SORT, *_MONITORING),
    undo=spread_undo(moment("2008-08-25 16:47"), 1_204, 21_118, 41, 24_512),
    rollback_segments=rollback_segments(4_118_204, 21_118),
    checkpoint=Checkpoint(0, 204, 0, 0, 2_118, 904),
    work_areas=(*small_work_areas(3_118, 22), WorkAreas("8G", "16G", 0, onepass=1)),
    work_area_bytes=15_509 * MIB,
    work_area_extra_bytes=31_018 * MIB,
    buffer_waits={},
    latches=latches(elapsed_s=ELAPSED_S, gets=18_209_615, executions=96_204, transactions=21_118,
                    redo_writes=STATISTICS["redo writes"]),
    enqueues=enqueues(elapsed_s=ELAPSED_S, transactions=21_118, switches=_SWITCHES),
    segments=_BASE.segments[1:],
    dictionary_cache=dictionary_cache(ELAPSED_S, _SWITCHES),
    lib_cache=lib_cache(96_204, 9_204),
)  # fmt: skip

# Figure 9: 798 reads a second, 41.39 minutes; DB time is the statement's over 99.4 %.
_SSD_BEGIN = moment("2008-08-26 10:12:40.000")
_SSD_END = moment("2008-08-26 10:54:03.400")
_SSD_S = (_SSD_END - _SSD_BEGIN).total_seconds()
_SSD_BASE = redo_accelerator.WORKLOAD
_SSD_STATISTICS = STATISTICS | quiet(redo_accelerator.STATISTICS, 0.0008) | {
    "consistent gets": 18_190_118,
    "db block gets": 6_204,
    "sorts (disk)": 1,
    "sorts (memory)": 611,
    "sorts (rows)": ROWS + 9_204,
    "temp space allocated (bytes)": 1_981_420 * 8192,
    "table scans (long tables)": 1,
    "table scan rows gotten": ROWS,
    "undo change vector size": 611_204,
}  # fmt: skip
ACCELERATOR = replace(
    _SSD_BASE,
    slug="temp-sort-accelerator",
    begin=Snapshot(585, _SSD_BEGIN, 18, 22, 0.4, 96_118_784, 70.1, 66.4, 72.4),
    end=Snapshot(586, _SSD_END, 18, 24, 1.1, 640_204_800, 70.4, 66.6, 72.9),
    host=Host(user_cs=131_204, system_cs=24_118, nice_cs=0, iowait_cs=6_118,
              idle_cs=993_360 - 131_204 - 24_118),
    time=TimeModel(
        db_time_us=12_544_300_000, db_cpu_us=1_402_000_000, sql_execute_us=12_530_000_000,
        plsql_execute_us=4_000_000, parse_us=900_000, hard_parse_us=700_000,
        connection_us=100_000, repeated_bind_us=5_000, background_us=31_000_000,
        background_cpu_us=9_000_000,
    ),
    statistics=_SSD_STATISTICS,
    log_switches=1,
    events=(
        foreground("PX Deq Credit: send blkd", "Other", 3_904_118, 11_024.0, sigma=1.2),
        # of service SYS$USERS: User I/O 2,001,299 waits and 76 s, Network 7,200,346 and 40 s
        foreground("direct path read temp", "User I/O", 1_874_204, 52.6),
        foreground("direct path write temp", "User I/O", 29_862, 11.9),
        foreground("direct path read", "User I/O", 96_004, 11.2),
        foreground("db file sequential read", "User I/O", 1_229, 0.3),
        foreground("buffer busy waits", "Concurrency", 342, 1.92),
        foreground("SQL*Net more data to client", "Network", 6_000_204, 38.0),
        foreground("SQL*Net message to client", "Network", 1_200_142, 2.0),
        foreground("log file sync", "Commit", 12, 0.004),
        foreground("SQL*Net message from client", "Idle", 1_200_140, 1_204.0, sigma=1.8),
        background("log file parallel write", "System I/O", _SSD_STATISTICS["redo writes"], 0.42),
        background("db file parallel write", "System I/O", 2_118, 4.1),
        background("control file parallel write", "System I/O", 902, 0.9),
        background("log file single write", "System I/O", 2, 0.001),
        *idle_events(_SSD_S, 9_204),
    ),
    files=(
        DataFile("DATA", "/ssd1/oradata/tmsorcl/data01.dbf", 96_204, 18_179_902, 30_100_000, 96,
                 306, direct_reads=96_004, direct_blocks_read=18_178_811),
        DataFile("SYSAUX", "/ssd1/oradata/tmsorcl/sysaux01.dbf", 1_204, 1_402, 210_000, 611, 904),
        DataFile("SYSTEM", "/ssd1/oradata/tmsorcl/system01.dbf", 411, 502, 61_000, 204, 311),
        DataFile("TEMP", "/ssd1/temp101.dbf", 1_721_221, 1_721_221, 137_698_000, 98_681,
                 1_721_221, 300, 1_680_000, temporary=True),
        DataFile("TEMP", "/ssd2/temp102.dbf", 260_199, 260_199, 23_418_000, 16_376, 260_199,
                 42, 240_000, temporary=True),
        DataFile("UNDOTBS1", "/ssd1/oradata/tmsorcl/undotbs01.dbf", 61, 61, 4_000, 204, 306),
    ),
    control_file_io=OtherIo(2_118, 2_118 * 16_384, 902, 902 * 16_384),
    log_file_io=OtherIo(
        2, 2 * 512, _SSD_STATISTICS["redo writes"] + 2,
        _SSD_STATISTICS["redo blocks written"] * 512 + 2 * 512,
    ),
    statements=(
        replace(
            _SORT, sql_id="1avpjpg9pcsgn", elapsed_us=12_469_100_000, cpu_us=1_390_000_000,
            io_us=75_600_000, gets=18_190_204, reads=20_160_204, read_requests=2_077_611,
        ),
        *monitoring_statements(_SSD_S, io_wait_ms=0.2),
    ),
    undo=spread_undo(moment("2008-08-26 10:54"), 611, 4_118, 4, 2_480),
    rollback_segments=rollback_segments(611_204, 4_118),
    checkpoint=Checkpoint(204, 0, 0, 0, 0, 306),
    work_areas=(*small_work_areas(611, 9), WorkAreas("8G", "16G", 0, onepass=1)),
    work_area_bytes=15_480 * MIB,
    work_area_extra_bytes=30_960 * MIB,
    buffer_waits={"data block": (342, 1_920_000)},
    latches=latches(elapsed_s=_SSD_S, gets=18_196_322, executions=21_118, transactions=4_118,
                    redo_writes=_SSD_STATISTICS["redo writes"]),
    enqueues=enqueues(elapsed_s=_SSD_S, transactions=4_118, switches=1),
    segments=_SSD_BASE.segments[1:],
    dictionary_cache=dictionary_cache(_SSD_S, 1),
    lib_cache=lib_cache(21_118, 2_118),
)  # fmt: skip
