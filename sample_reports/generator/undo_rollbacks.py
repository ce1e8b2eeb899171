"""Workloads of document 3, figures 11 to 21: inserts that are rolled back, on both storages."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

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
from .model import (
    Checkpoint,
    DataFile,
    Enqueue,
    Host,
    OtherIo,
    Snapshot,
    TimeModel,
    UndoInterval,
    WorkAreas,
)

ROWS = 48_202_499
EXECUTIONS = 48_290_141
COMMITS, ROLLBACKS = 3_024, 49_581
_REDO_SIZE, _WASTAGE = 28_238_458_700, 24_118_204
_REDO_WRITES, _REDO_BLOCKS, _SWITCHES = 121_204, 56_311_418, 613

# Figure 15: 3,295,395,408 bytes of undo at 266,669.5 a second are 12,357.6 seconds.
END = moment("2008-08-30 00:57:40.500")
BEGIN = END - timedelta(seconds=12_357.6)
ELAPSED_S = 12_357.6

# Figure 21: blocks, transactions, longest query, concurrency, retention; newest first.
_UNDO = (
    (26_067, 3_034, 11_467, 3, 205), (38_889, 4_491, 10_866, 3, 195),
    (29_454, 3_422, 10_264, 4, 185), (11_134, 1_517, 9_663, 4, 175),
    (9_614, 1_205, 9_062, 3, 165), (11_919, 1_663, 8_461, 4, 155),
    (12_862, 1_592, 7_860, 3, 145), (14_413, 1_747, 7_258, 3, 135),
    (12_631, 1_558, 6_657, 4, 125), (12_641, 1_543, 6_055, 3, 115),
    (11_946, 1_731, 5_453, 3, 105), (12_229, 1_640, 4_852, 4, 95),
    (11_852, 1_509, 4_251, 3, 85), (10_631, 1_328, 3_650, 3, 75),
    (38_927, 4_485, 3_049, 4, 65), (39_064, 4_486, 2_448, 3, 55),
    (40_183, 4_748, 1_847, 3, 45), (37_295, 4_357, 1_246, 4, 35),
    (37_819, 4_848, 935, 3, 30), (17_888, 2_265, 334, 3, 20),
)  # fmt: skip
_DIR = "+DATA2/aultdb/datafile/"
FILES = (
    DataFile("DATA", _DIR + "data.276.663265403", 581, 881, 16_499_800, 581, 581),
    DataFile("DATA", _DIR + "data.259.660843403", 3_810, 392_618, 15_530_946_800, 11_003, 15_412,
             direct_reads=3_790, direct_blocks_read=392_598, direct_writes=611,
             direct_blocks_written=5_319),
    DataFile("DATA", _DIR + "data.257.660765277", 4_653, 499_481, 18_808_547_400, 581, 3_315,
             direct_reads=4_600, direct_blocks_read=499_402),
    DataFile("INDEXES", _DIR + "indexes.258.660765437", 599, 599, 16_939_700, 581, 581),
    DataFile("SYSAUX", _DIR + "sysaux.257.660755929", 11_184, 15_658, 235_098_900, 5_977, 9_118,
             direct_reads=2_104, direct_blocks_read=4_391),
    DataFile("SYSTEM", _DIR + "system.256.660755927", 7_188, 7_907, 334_263_600, 1_200, 1_904,
             16, 430_400),
    DataFile("TEMP", "+DATA2/aultdb/tempfile/temp.274.660989059", 34, 275, 20_600, 34, 276,
             temporary=True),
    DataFile("TEMP", "+DATA2/aultdb/tempfile/temp.273.660930207", 200, 1_620, 1_360_000, 200,
             1_620, temporary=True),
    DataFile("UNDOTBS1", _DIR + "undotbs1.258.660755929", 585, 585, 16_729_800, 34_298, 437_496,
             2, 0),
    DataFile("USERS", _DIR + "users.259.660755929", 587, 587, 16_709_500, 581, 581),
)  # fmt: skip
STATISTICS = redo_disk.STATISTICS | {
    "IMU commits": 2_904,
    "commit batch/immediate performed": 48_268,
    "commit batch/immediate requested": 48_268,
    "commit immediate performed": 48_268,
    "commit immediate requested": 48_268,
    "consistent gets": 8_904_118,
    "data blocks consistent reads - undo records applied": 7,
    "db block changes": 200_672_300,
    "db block gets": 190_577_400 - 8_904_118,
    "Effective IO time": 46_072_596,
    "execute count": EXECUTIONS,
    "opened cursors cumulative": 48_335_614,
    "parse count (hard)": 902,
    "parse count (total)": 37_073,
    "redo blocks written": _REDO_BLOCKS,
    "redo entries": 101_204_118,
    "redo log space requests": 2_118,
    "redo log space wait time": 21_204,
    "redo size": _REDO_SIZE,
    "redo synch time": 61,
    "redo synch writes": 2_918,
    "redo wastage": _WASTAGE,
    "redo write active strands": _REDO_WRITES + 611,
    "redo write time": 204_118,
    "redo writes": _REDO_WRITES,
    "rollback changes - undo records applied": 48_219_732,
    "rollbacks only - consistent read gets": 6,
    "summed dirty queue length": 92,
    "transaction rollbacks": 48_268,
    "undo change vector size": 3_295_395_408,
    "user calls": 5_596,
    "user commits": COMMITS,
    "user rollbacks": ROLLBACKS,
}
_BLOCK, _INSERT, _SELECT = redo_disk.TEST_STATEMENTS
_TRANSACTIONS = COMMITS + ROLLBACKS

DISK = replace(
    redo_disk.WORKLOAD,
    slug="undo-disk",
    begin=Snapshot(108, BEGIN, 38, 52, 0.4, 204_118_784, 71.4, 68.9, 74.1),
    end=Snapshot(111, END, 38, 50, 0.4, 211_204_096, 72.0, 69.1, 74.9),
    # figure 12: 32.1 % user, 20.1 % system, 3.4 % waiting for I/O, 46.5 % idle; the rest is nice
    host=Host(user_cs=793_358, system_cs=496_776, nice_cs=32_130, iowait_cs=84_032,
              idle_cs=2_471_520 - 793_358 - 496_776 - 32_130),
    time=TimeModel(
        db_time_us=29_050_000_000, db_cpu_us=11_584_000_000, sql_execute_us=28_902_000_000,
        plsql_execute_us=4_204_000_000, parse_us=9_100_000, hard_parse_us=7_400_000,
        connection_us=600_000, repeated_bind_us=20_000, background_us=2_604_000_000,
        # figure 12: the instance has 48.0 % of all CPU and 89.7 % of the busy CPU
        background_cpu_us=279_296_000,
    ),
    statistics=STATISTICS,
    log_switches=_SWITCHES,
    events=(
        # figure 13
        foreground("log file switch completion", "Configuration", 2_089, 212.0),
        foreground("db file sequential read", "User I/O", 11_077, 82.0),
        foreground("log file sequential read", "System I/O", 445, 7.0),
        foreground("control file sequential read", "System I/O", 827, 5.0),
        foreground("direct path read", "User I/O", 7_280, 4.0),
        foreground("direct path write temp", "User I/O", 234, 1.61),
        foreground("direct path read temp", "User I/O", 234, 1.38),
        foreground("buffer busy waits", "Concurrency", 18, 0.4304),
        foreground("log file sync", "Commit", 2_118, 3.1),
        foreground("SQL*Net message to client", "Network", 2_798, 0.004),
        foreground("SQL*Net message from client", "Idle", 2_797, 24_118.0, sigma=1.8),
        background("log file parallel write", "System I/O", _REDO_WRITES, 2_011.0),
        background("db file parallel write", "System I/O", 41_118, 96.4),
        background("control file parallel write", "System I/O", 6_204, 71.9),
        background("log file single write", "System I/O", 4 * _SWITCHES, 14.2),
        *idle_events(ELAPSED_S, _REDO_WRITES + 41_204),
    ),
    files=FILES,
    control_file_io=OtherIo(9_118, 9_118 * 16_384, 18_612, 18_612 * 16_384),
    log_file_io=OtherIo(
        4 * _SWITCHES, 4 * _SWITCHES * 512, 2 * _REDO_WRITES + 4 * _SWITCHES,
        2 * _REDO_BLOCKS * 512 + 4 * _SWITCHES * 512,
    ),
    statements=(
        replace(_BLOCK, text="BEGIN force_undo; END;", elapsed_us=27_904_000_000,
                cpu_us=10_204_000_000, gets=182_204_118, reads=896_411, read_requests=8_704),
        replace(_INSERT, executions=ROWS, elapsed_us=2_578_000_000, cpu_us=2_416_000_000,
                gets=96_118_204, reads=611, read_requests=611, rows=ROWS),
        replace(_SELECT, text="SELECT * FROM H_LINEITEM", elapsed_us=2_204_000_000,
                cpu_us=1_611_000_000, reads=892_000, read_requests=8_390, rows=ROWS),
        *monitoring_statements(ELAPSED_S, io_wait_ms=28.0),
    ),
    undo=tuple(
        UndoInterval(moment("2008-08-30 00:51") - timedelta(minutes=10 * number), *row)
        for number, row in enumerate(_UNDO)
    ),
    # figure 21; the last of the six is cut off there
    undo_steals="0/0/0/259/768/0",
    undo_retention="19.6/205",
    rollback_segments=rollback_segments(3_295_395_408, _TRANSACTIONS),
    checkpoint=Checkpoint(0, 2_204, 0, 0, 11_278, 9_204),
    work_areas=(*small_work_areas(9_012, 61), WorkAreas("8M", "16M", 12, onepass=6)),
    work_area_bytes=1_602_118 * MIB // 1000,
    buffer_waits={"undo block": (2, 0), "segment header": (16, 430_400)},
    latches=latches(elapsed_s=ELAPSED_S, gets=190_577_400, executions=EXECUTIONS,
                    transactions=_TRANSACTIONS, redo_writes=_REDO_WRITES),
    enqueues=(
        # figure 20
        Enqueue("CF", "Controlfile Transaction", 28_343, 28_332, 11, 380_050),
        Enqueue("JS", "Job Scheduler (queue lock)", 161_003, 161_003, 4, 300_000),
        Enqueue("KO", "Multiple Object Checkpoint (fast object checkpoint)", 9, 9, 1, 30_000),
        Enqueue("PV", "KSV slave startup (syncstart)", 65, 65, 1, 30_000),
    ),
    dictionary_cache=dictionary_cache(ELAPSED_S, _SWITCHES),
    lib_cache=lib_cache(EXECUTIONS, 37_073),
    parameters=redo_disk.PARAMETERS,
)  # fmt: skip

# Figure 19: 597,086 undo writes at 53 a second.
_SSD_END = moment("2008-08-30 14:12:06.000")
_SSD_S = 11_281.0
_SSD_SCALE = _SSD_S / ELAPSED_S
_SSD_DIR = "/ssd1/oradata/tmsorcl/"
_SSD_WRITES, _SSD_SWITCHES = 204_118, 741
_SSD_STATISTICS = STATISTICS | quiet(
    {name: STATISTICS[name] for name in ("parse count (total)", "user calls", "redo entries")},
    _SSD_SCALE,
) | {
    "redo log space requests": 904,
    "redo log space wait time": 4_118,
    "redo synch time": 3,
    "redo write active strands": _SSD_WRITES + 411,
    "redo write time": 2_204,
    "redo writes": _SSD_WRITES,
}  # fmt: skip
ACCELERATOR = replace(
    redo_accelerator.WORKLOAD,
    slug="undo-accelerator",
    begin=Snapshot(702, _SSD_END - timedelta(seconds=_SSD_S), 18, 30, 0.6, 118_204_416, 70.1,
                   66.4, 72.4),
    end=Snapshot(705, _SSD_END, 18, 31, 1.0, 121_118_720, 70.9, 66.9, 73.0),
    host=Host(user_cs=1_104_118, system_cs=204_118, nice_cs=0, iowait_cs=4_118,
              idle_cs=4_512_400 - 1_104_118 - 204_118),
    time=TimeModel(
        db_time_us=11_104_000_000, db_cpu_us=10_902_000_000, sql_execute_us=11_080_000_000,
        plsql_execute_us=3_804_000_000, parse_us=2_100_000, hard_parse_us=1_600_000,
        connection_us=200_000, repeated_bind_us=10_000, background_us=402_000_000,
        background_cpu_us=204_000_000,
    ),
    statistics=_SSD_STATISTICS,
    log_switches=_SSD_SWITCHES,
    events=(
        foreground("log file switch completion", "Configuration", 1_204, 41.2),
        foreground("direct path read", "User I/O", 58_204, 49.8),
        foreground("buffer busy waits", "Concurrency", 219, 1.314),
        foreground("db file sequential read", "User I/O", 9_118, 0.6),
        foreground("control file sequential read", "System I/O", 611, 0.1),
        foreground("direct path write temp", "User I/O", 81, 0.04),
        foreground("log file sync", "Commit", 2_204, 0.3),
        foreground("SQL*Net message to client", "Network", 2_553, 0.003),
        foreground("SQL*Net message from client", "Idle", 2_552, 21_118.0, sigma=1.8),
        background("log file parallel write", "System I/O", _SSD_WRITES, 20.1, sigma=0.4),
        background("db file parallel write", "System I/O", 96_118, 61.2),
        background("control file parallel write", "System I/O", 6_204, 5.2),
        background("log file single write", "System I/O", 2 * _SSD_SWITCHES, 0.4),
        *idle_events(_SSD_S, _SSD_WRITES + 41_204),
    ),
    files=(
        DataFile("DATA", _SSD_DIR + "data01.dbf", 60_211, 1_866_541, 54_190_000, 9_121, 18_204,
                 direct_reads=58_204, direct_blocks_read=1_860_118),
        DataFile("INDEXES", _SSD_DIR + "indexes01.dbf", 1_396, 1_396, 40_000, 1_396, 1_396),
        DataFile("SYSAUX", _SSD_DIR + "sysaux01.dbf", 4_670, 6_538, 467_000, 4_038, 6_118),
        DataFile("SYSTEM", _SSD_DIR + "system01.dbf", 2_128, 2_979, 213_000, 2_004, 2_611),
        DataFile("TEMP", _SSD_DIR + "temp01.dbf", 0, 0, 0, 81, 648, temporary=True),
        DataFile("UNDOTBS1", _SSD_DIR + "undotbs01.dbf", 1_397, 1_397, 40_000, 597_086, 604_118,
                 219, 1_314_000),
        DataFile("USERS", _SSD_DIR + "users01.dbf", 1_396, 1_396, 40_000, 1_396, 1_396),
    ),
    control_file_io=OtherIo(7_204, 7_204 * 16_384, 12_408, 12_408 * 16_384),
    log_file_io=OtherIo(
        2 * _SSD_SWITCHES, 2 * _SSD_SWITCHES * 512, _SSD_WRITES + 2 * _SSD_SWITCHES,
        _REDO_BLOCKS * 512 + 2 * _SSD_SWITCHES * 512,
    ),
    statements=(
        *(
            replace(each, elapsed_us=round(each.cpu_us * 1.04))
            for each in DISK.statements[:3]
        ),
        *monitoring_statements(_SSD_S, io_wait_ms=0.2),
    ),
    undo=spread_undo(moment("2008-08-30 14:11"), 611_204, 53_204, 19, 11_204),
    rollback_segments=rollback_segments(3_295_395_408, _TRANSACTIONS),
    checkpoint=Checkpoint(204_118, 904, 0, 0, 0, 18_204),
    work_areas=small_work_areas(6_118, 42),
    work_area_bytes=902 * MIB,
    work_area_extra_bytes=0,
    buffer_waits={"undo block": (219, 1_314_000)},
    latches=latches(elapsed_s=_SSD_S, gets=190_577_400, executions=EXECUTIONS,
                    transactions=_TRANSACTIONS, redo_writes=_SSD_WRITES),
    enqueues=enqueues(elapsed_s=_SSD_S, transactions=_TRANSACTIONS, switches=_SSD_SWITCHES),
    dictionary_cache=dictionary_cache(_SSD_S, _SSD_SWITCHES),
    lib_cache=lib_cache(EXECUTIONS, 33_843),
)  # fmt: skip
