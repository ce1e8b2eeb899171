"""Workload of document 3, figures 1 and 2: a busy system whose sessions wait at commit."""

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
    quiet,
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
    OtherIo,
    Recovery,
    Snapshot,
    Sql,
    TimeModel,
)
from .records import Records

RECORDS = Records("busy_commit")


# The figures print no times: eight hours.
BEGIN, END = moment("2008-03-11 09:00:04"), moment("2008-03-11 17:00:04")
ELAPSED_S = (END - BEGIN).total_seconds()
REDO_WRITES = 11_649_440
COMMITS, ROLLBACKS = 22_118_204, 41_204
_BLOCKS, _SWITCHES = 112_204_118, 50
_DIR = "/u02/oradata/heart/"

STATISTICS = quiet(redo_disk.STATISTICS, 3.0) | RECORDS.totals("STATISTICS")
# Figures 1 and 2; the first list holds the waits of all processes, so the foreground's are less.
EVENTS = (*RECORDS.rows(Event, "EVENTS"), *idle_events(ELAPSED_S, REDO_WRITES))


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
    files=RECORDS.rows(DataFile, "WORKLOAD files"),
    control_file_io=OtherIo(61_204, 61_204 * 16_384, 62_342, 62_342 * 16_384),
    log_file_io=OtherIo(
        400, 400 * 512, 4 * REDO_WRITES + 400, 4 * _BLOCKS * 512 + 400 * 512,
    ),
    statements=RECORDS.rows(Sql, "WORKLOAD statements"),
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
