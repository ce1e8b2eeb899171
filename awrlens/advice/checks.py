"""How to verify that a recovery target is met.

Source: Fast-Start Checkpointing Best Practices, "Determine the MTTR Achieved" and "If MTTR is too
High".
"""

from __future__ import annotations

from typing import Final

UNDER_LOAD: Final = (
    "under load: SELECT target_mttr, estimated_mttr, actual_redo_blks, target_redo_blks "
    "FROM v$instance_recovery;"
)
ALERT_LOG: Final = "alert log: no `FAST_START_MTTR_TARGET … is out of the valid MTTR range`"
#: # Fast-Start Checkpointing Best Practices, "Determine the MTTR Achieved"
CRASH_TEST: Final = (
    "crash test at peak load, three or four times: kill PMON of one instance; in the alert log, "
    "the time from `Beginning instance recovery` (or `crash recovery`) to `Ended recovery` is "
    "within a few seconds of the desired time"
)
IO: Final = (
    "I/O at peak load: physical writes and `db file parallel write` stay within the storage's "
    "capacity"
)
SERVICE_LEVEL: Final = (UNDER_LOAD, ALERT_LOG, CRASH_TEST, IO)
#: A target where recovery time is not critical.
BOUND: Final = (UNDER_LOAD, IO)
#: A target that is already in effect.
IN_FORCE: Final = (UNDER_LOAD, ALERT_LOG)
