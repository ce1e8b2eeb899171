"""The thresholds of advice, which the configuration knows."""

from __future__ import annotations

from typing import Final

from awrlens.advice import (
    data_writes,
    devices,
    hot_data,
    redo_logs,
    run_queue,
    storage,
    storage_undo,
    temp,
)  # fmt: skip

ALL: Final = (
    *data_writes.THRESHOLDS,
    *redo_logs.THRESHOLDS,
    *temp.THRESHOLDS,
    *devices.THRESHOLDS,
    *storage.THRESHOLDS,
    *hot_data.THRESHOLDS,
    *run_queue.THRESHOLDS,
    *storage_undo.THRESHOLDS,
)
