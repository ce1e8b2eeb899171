"""Workloads of document 3, figures 8 and 9: a sort of a billion rows, on disks and accelerated."""

from __future__ import annotations

from dataclasses import replace

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
from .model import Checkpoint, DataFile, Event, Host, OtherIo, Snapshot, Sql, TimeModel, WorkAreas
from .records import Records

RECORDS = Records("temp_sort")


ROWS = 1_000_012_304
_SORT = RECORDS.rows(Sql, "SORT")[0]

# Figure 8: 81 reads a second, 409.14 minutes; DB time is the statement's over 92.5 %.
BEGIN = moment("2008-08-25 09:58:12.000")
END = moment("2008-08-25 16:47:20.400")
ELAPSED_S = (END - BEGIN).total_seconds()
_SHARE = 0.004
_BASE = redo_disk.WORKLOAD
STATISTICS = quiet(redo_disk.STATISTICS, _SHARE) | RECORDS.totals("STATISTICS")
_SWITCHES = 2
FILES = RECORDS.rows(DataFile, "FILES")
EVENTS = (*RECORDS.rows(Event, "EVENTS"), *idle_events(ELAPSED_S, 61_204))
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
_SSD_STATISTICS = (
    STATISTICS | quiet(redo_accelerator.STATISTICS, 0.0008) | RECORDS.totals("SSD_STATISTICS")
)
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
    events=(*RECORDS.rows(Event, "ACCELERATOR events"), *idle_events(_SSD_S, 9_204)),
    files=RECORDS.rows(DataFile, "ACCELERATOR files"),
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
