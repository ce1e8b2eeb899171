"""Workload of document 3, figures 1 and 2: a busy system whose sessions wait at commit."""

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
    quiet,
    rollback_segments,
    small_work_areas,
    spread_undo,
)
from .model import Checkpoint, Database, DataFile, Host, OtherIo, Recovery, Snapshot, Sql, TimeModel

# The figures print no times: eight hours.
BEGIN, END = moment("2008-03-11 09:00:04"), moment("2008-03-11 17:00:04")
ELAPSED_S = (END - BEGIN).total_seconds()
REDO_WRITES = 11_649_440
COMMITS, ROLLBACKS = 22_118_204, 41_204
_BLOCKS, _SWITCHES = 112_204_118, 50
_DIR = "/u02/oradata/heart/"

STATISTICS = quiet(redo_disk.STATISTICS, 3.0) | {
    "consistent gets": 4_118_204_611,
    "db block gets": 402_118_904,
    "db block changes": 318_204_118,
    "execute count": 96_204_118,
    "parse count (total)": 31_204_118,
    "redo blocks written": _BLOCKS,
    "redo size": 54_118_204_911,
    "redo wastage": 2_904_118_204,
    "redo synch time": 12_541_600,
    "redo synch writes": 21_470_106,
    "redo write time": 1_241_800,
    "redo writes": REDO_WRITES,
    "redo log space requests": 204,
    "redo log space wait time": 611,
    "undo change vector size": 14_118_204_118,
    "user calls": 118_204_611,
    "user commits": COMMITS,
    "user rollbacks": ROLLBACKS,
}
# Figures 1 and 2; the first list holds the waits of all processes, so the foreground's are less.
EVENTS = (
    foreground("log file sync", "Commit", 21_470_106, 125_416.0),
    foreground("db file sequential read", "User I/O", 35_725_749 - 13_869, 46_269.0),
    foreground("db file scattered read", "User I/O", 10_201_389, 45_346.0),
    foreground("Replication Dequeue", "Other", 3_534_856, 19_297.0),
    # what is missing to the whole that the shares of figure 1 are of: 125,416 s are 34.86 %
    foreground("SQL*Net more data to client", "Network", 61_204_118, 9_777.0),
    foreground("buffer busy waits", "Concurrency", 204_118, 611.0),
    foreground("SQL*Net message from client", "Idle", 118_204_611, 904_118.0, sigma=1.8),
    background("log file parallel write", "System I/O", 11_649_477, 43_993.0, sigma=0.9),
    background("log file sequential read", "System I/O", 100_458, 565.0),
    background("control file parallel write", "System I/O", 31_171, 67.0),
    background("LGWR wait for redo copy", "Other", 610_215, 34.0, 59),
    background("latch free", "Other", 5_753, 19.0, 1_219),
    background("db file single write", "User I/O", 10_890, 8.0),
    background("db file sequential read", "User I/O", 13_869, 0.4),
    background("log file single write", "System I/O", 400, 3.6),
    *idle_events(ELAPSED_S, REDO_WRITES),
)


def _large_logs(row: Recovery) -> Recovery:
    """A row of Instance Recovery Stats with logs of 2 GB."""
    return replace(row, log_size_redo_blocks=3_774_873, target_redo_blocks=3_774_873,
                   actual_redo_blocks=1_204_118)  # fmt: skip


WORKLOAD = replace(
    redo_disk.WORKLOAD,
    slug="busy-commit",
    database=Database(
        name="HEART", db_id=2_204_118_611, instance="heart", instance_number=1,
        startup=moment("2008-02-24 03:12"), host="heartdb", platform="Solaris 64-bit",
        cpus=16, cores=16, sockets=8, memory_bytes=34_359_738_368,
    ),
    begin=Snapshot(2_237, BEGIN, 412, 9_204, 4.1, 1_204_118_784, 88.1, 71.2, 80.4),
    end=Snapshot(2_238, END, 431, 9_611, 4.4, 1_304_118_272, 88.4, 71.4, 80.7),
    host=Host(user_cs=6_204_118, system_cs=1_204_118, nice_cs=0, iowait_cs=9_118_204,
              idle_cs=46_080_000 - 7_408_236),
    time=TimeModel(
        db_time_us=315_081_000_000, db_cpu_us=68_364_000_000, sql_execute_us=311_204_000_000,
        plsql_execute_us=9_118_000_000, parse_us=2_204_000_000, hard_parse_us=204_000_000,
        connection_us=61_000_000, repeated_bind_us=1_000_000, background_us=46_204_000_000,
        background_cpu_us=1_204_000_000,
    ),
    statistics=STATISTICS,
    log_switches=_SWITCHES,
    log_members=4,
    events=EVENTS,
    files=(
        DataFile("ORDERS", _DIR + "orders01.dbf", 27_204_118, 96_204_118, 58_204_000_000,
                 1_204_118, 1_904_118, 151_204, 452_000_000),
        DataFile("ORDERS_IX", _DIR + "orders_ix01.dbf", 18_611_204, 21_204_118, 33_011_000_000,
                 904_118, 1_204_611, 52_914, 159_000_000),
        DataFile("SYSTEM", _DIR + "system01.dbf", 61_204, 71_118, 204_000_000, 9_118, 11_204),
        DataFile("TEMP", _DIR + "temp01.dbf", 41_118, 287_826, 204_000_000, 40_118, 280_826,
                 temporary=True),
        DataFile("UNDOTBS1", _DIR + "undotbs01.dbf", 9_494, 9_494, 61_000_000, 611_204,
                 1_204_118),
    ),
    control_file_io=OtherIo(61_204, 61_204 * 16_384, 62_342, 62_342 * 16_384),
    log_file_io=OtherIo(
        400, 400 * 512, 4 * REDO_WRITES + 400, 4 * _BLOCKS * 512 + 400 * 512,
    ),
    statements=(
        Sql("7fz2k9qv0h3ud", 2_118_904_611, "UPDATE order_lines SET status = :1 WHERE id = :2",
            "order_entry", 21_204_118, 61_204_000_000, 18_204_000_000, 21_118_000_000,
            118_204_611, 9_118_204, 9_118_204, 21_204_118, 204, 41_204),
        Sql("3c8mv1t6wbx0p", 611_904_118, "SELECT * FROM orders WHERE customer_id = :1",
            "order_entry", 41_204_118, 96_204_000_000, 21_204_000_000, 61_118_000_000,
            904_118_204, 41_204_118, 22_118_204, 82_204_118, 611, 61_204),
    ),
    undo=spread_undo(moment("2008-03-11 17:00"), 1_304_118, 22_159_408, 48, 1_204),
    rollback_segments=rollback_segments(14_118_204_118, COMMITS + ROLLBACKS),
    checkpoint=Checkpoint(0, 904_118, 0, 0, 0, 2_204_118),
    work_areas=small_work_areas(9_204_118, 41_204),
    work_area_bytes=611_204 * MIB,
    work_area_extra_bytes=0,
    recovery=(_large_logs(redo_disk.WORKLOAD.recovery[0]),
              _large_logs(redo_disk.WORKLOAD.recovery[1])),
    buffer_waits={"data block": (204_118, 611_000_000)},
    latches=latches(elapsed_s=ELAPSED_S, gets=4_520_323_515, executions=96_204_118,
                    transactions=COMMITS, redo_writes=REDO_WRITES),
    enqueues=enqueues(elapsed_s=ELAPSED_S, transactions=COMMITS, switches=_SWITCHES),
    segments=(),
    dictionary_cache=dictionary_cache(ELAPSED_S, _SWITCHES),
    lib_cache=lib_cache(96_204_118, 31_204_118),
    parameters=redo_disk.PARAMETERS | {"db_name": "HEART"},
)  # fmt: skip
