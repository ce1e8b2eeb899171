"""How to tell that a recovery target holds.

Source: document 1, "Determine the MTTR Achieved" and "If MTTR is too High".
"""

from __future__ import annotations

from typing import Final

UNDER_LOAD: Final = (
    "under load: SELECT target_mttr, estimated_mttr, actual_redo_blks, target_redo_blks "
    "FROM v$instance_recovery;"
)
ALERT_LOG: Final = "alert log: no `FAST_START_MTTR_TARGET … is out of the valid MTTR range`"
#: # document 1, "Determine the MTTR Achieved"
CRASH_TEST: Final = (
    "crash test at peak load, three or four times: kill PMON of one instance; the alert log shows "
    "from `Beginning instance recovery` (or `crash recovery`) to `Ended recovery` the desired "
    "time, give or take a few seconds"
)
IO: Final = (
    "I/O at peak: physical writes and `db file parallel write` stay within what the storage bears"
)
SERVICE_LEVEL: Final = (UNDER_LOAD, ALERT_LOG, CRASH_TEST, IO)
#: A target that only bounds what is not critical.
BOUND: Final = (UNDER_LOAD, IO)
#: A target that is in force already.
IN_FORCE: Final = (UNDER_LOAD, ALERT_LOG)
