"""Sections that facts of several modules are read from; of alternatives, the first in a report."""

from __future__ import annotations

from typing import Final

ELAPSED: Final = "snapshots"
PARAMETERS: Final = "parameters"
RECOVERY: Final = "instance_recovery"
STATS: Final = "instance_activity"
THREAD: Final = "instance_activity_thread|instance_activity"
FG: Final = "foreground_events|wait_events|top_foreground_events|top_events"
BG: Final = "background_events|wait_events_fg_bg|wait_events|top_background_events|top_events"
TABLESPACES: Final = "tablespace_io|file_io|io_timing"
FILES: Final = "file_io|io_timing"
BLOCK_SIZE: Final = "cache_sizes|parameters"
HOST_CPU: Final = "host_cpu|os_statistics"
CPU: Final = "time_model|top_events|instance_activity"
DB_TIME: Final = "snapshots|time_model"
RESPONSE: Final = "snapshots|time_model|top_events"
