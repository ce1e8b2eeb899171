"""The thresholds of advice, which the configuration knows."""

from __future__ import annotations

from typing import Final

from awrlens.advice import data_writes, devices, redo_logs, run_queue, storage, storage_undo, temp

ALL: Final = (
    *data_writes.THRESHOLDS,
    *redo_logs.THRESHOLDS,
    *temp.THRESHOLDS,
    *devices.THRESHOLDS,
    *storage.THRESHOLDS,
    *run_queue.THRESHOLDS,
    *storage_undo.THRESHOLDS,
)
