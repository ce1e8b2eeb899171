"""Workloads of document 3, figures 11 to 21: inserts that are rolled back, on both storages."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from . import redo_accelerator, redo_disk
from .common import (
    MIB,
    dictionary_cache,
    enqueues,
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
    Event,
    Host,
    OtherIo,
    Snapshot,
    TimeModel,
    UndoInterval,
    WorkAreas,
)
from .records import Records

RECORDS = Records("undo_rollbacks")


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
FILES = RECORDS.rows(DataFile, "FILES")
STATISTICS = redo_disk.STATISTICS | RECORDS.totals("STATISTICS")
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
    events=(*RECORDS.rows(Event, "DISK events"), *idle_events(ELAPSED_S, _REDO_WRITES + 41_204)),
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
    enqueues=RECORDS.rows(Enqueue, "DISK enqueues"),
    dictionary_cache=dictionary_cache(ELAPSED_S, _SWITCHES),
    lib_cache=lib_cache(EXECUTIONS, 37_073),
    parameters=redo_disk.PARAMETERS,
)  # fmt: skip

# Figure 19: 597,086 undo writes at 53 a second.
_SSD_END = moment("2008-08-30 14:12:06.000")
_SSD_S = 11_281.0
_SSD_SCALE = _SSD_S / ELAPSED_S
_SSD_WRITES, _SSD_SWITCHES = 204_118, 741
_SSD_STATISTICS = STATISTICS | quiet(
    {name: STATISTICS[name] for name in ("parse count (total)", "user calls", "redo entries")},
    _SSD_SCALE,
) | RECORDS.totals("SSD_STATISTICS")  # fmt: skip
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
    events=(*RECORDS.rows(Event, "ACCELERATOR events"), *idle_events(_SSD_S, _SSD_WRITES + 41_204)),
    files=RECORDS.rows(DataFile, "ACCELERATOR files"),
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
