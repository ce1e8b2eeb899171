"""Waits for the log buffer and for flashback logs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from awrlens.model import SEVERITIES
from awrlens.rules.base import WEIGHED, Facts, rule
from awrlens.rules.redo import SLOW_WRITE_MS, slow_write
from awrlens.rules.shared_waits import (
    COMMIT_PATH,
    commit_path,
)
from awrlens.units import ms_words

if TYPE_CHECKING:
    from awrlens.model import Finding

#: Its thresholds are those of other modules.


@rule(
    "REDO011",
    "log-buffer-waits",
    gate=("redo.buffer_wait_s",),
    needs=("redo.buffer_wait_s", WEIGHED),
    wants=(*COMMIT_PATH, "redo.buffer_wait_ms", "redo.write_fill_pct"),
    thresholds=(SLOW_WRITE_MS,),
)
def log_buffer_waits(f: Facts) -> Finding | None:
    """Sessions wait for space in the log buffer.

    What it means:
        Sessions generate redo faster than LGWR empties the buffer, but its writes are not slow.
    Why it matters:
        Sessions that change data wait until LGWR has written.
    How it is computed:
        Total wait of `log buffer space`; in addition, the share of the interval in which LGWR was
        writing, and the size of its writes over a third of LOG_BUFFER or 1 MB, at which it writes
        by itself.
    Example:
        With `redo.buffer_wait_s` = 600.0, `load.response_s` = 9000.0, `redo.local_write_ms` = 1.9,
        `redo.buffer_wait_ms` = 42.0, `redo.lgwr_busy_pct` = 71.4: warning, "Sessions waited 600 s
        for space in the log buffer".
    Threshold:
        How many sessions wait, and how long each wait takes; if all waits for LGWR together weigh
        more, those. Above redo.slow_write_ms (8 ms) the write is the reason, and REDO001 counts
        these waits.
    What to do:
        If LGWR is mostly idle, bursts fill the buffer: enlarge LOG_BUFFER. If LGWR writes most of
        the time: generate less redo (direct-path loads, fewer indexes), or use storage with more
        throughput.
    How to verify:
        `log buffer space` is no longer in the foreground events at the same redo rate.
    When it is wrong:
        Log switches may block LGWR while sessions wait for the buffer: then resolve REDO004 first.
    Sources:
        Write Accelerator, "Redo Log Writes" (LGWR writes when the buffer is a third full); Oracle
        Database Reference, event `log buffer space`.
    """
    seconds, each = f.number("redo.buffer_wait_s"), f.get("redo.buffer_wait_ms")
    busy, fill = f.get("redo.lgwr_busy_pct"), f.get("redo.write_fill_pct")
    own = f.weigh("redo.buffer_wait_s", each_ms=each, busy_pct=busy)
    if slow_write(f) or not own.matters:
        return None
    whole = commit_path(f)
    worse = max(own, whole, key=lambda weighed: SEVERITIES.index(weighed.severity))
    return f.finding(
        log_buffer_waits,
        f"Sessions waited {seconds:,.0f} s for space in the log buffer",
        worse,
        f.impact(seconds, "`log buffer space`"),
        "Sessions generate redo faster than LGWR writes it."
        + ("" if busy is None else f" LGWR was writing {busy:.0f} % of the time.")
        + (
            ""
            if fill is None
            else f" Its writes have {fill:.0f} % of the size at which it writes "
            "without a commit (a third of LOG_BUFFER, at most 1 MB)."
        ),
        "redo.buffer_wait_s",
        "redo.buffer_wait_ms",
        "redo.lgwr_busy_pct",
        "redo.write_fill_pct",
        related=("REDO001", "REDO004"),
    )


@rule(
    "REDO015",
    "flashback-log-waits",
    gate=("redo.flashback_wait_s",),
    needs=("redo.flashback_wait_s", WEIGHED),
    wants=("redo.flashback_wait_ms",),
)
def flashback_log_waits(f: Facts) -> Finding | None:
    """Sessions wait for flashback logs.

    What it means:
        Flashback Database is on, and RVWR writes flashback logs more slowly than sessions change
        data.
    Why it matters:
        A change waits until the block's image is in the flashback log, as a commit waits for redo.
        The redo logs may be fast at the same time.
    How it is computed:
        Total wait of `flashback log file sync` and `flashback buf free by RVWR`.
    Example:
        With `redo.flashback_wait_s` = 600.0, `load.response_s` = 9000.0,
        `redo.flashback_wait_ms` = 30.0: warning, "Sessions waited 600 s for flashback logs".
    Threshold:
        How many sessions wait, and how long each wait takes.
    What to do:
        Put the flashback logs of the recovery area on disks with fast sequential writes, apart from
        archived logs and backups. A larger LOG_BUFFER also enlarges RVWR's buffer.
    How to verify:
        The events are no longer in the list at the same rate of changes.
    When it is wrong:
        A guaranteed restore point was set for a single change.
    Sources:
        Oracle Database Backup and Recovery User's Guide, performance of Flashback Database.
    """
    seconds, each = f.number("redo.flashback_wait_s"), f.get("redo.flashback_wait_ms")
    weighed = f.weigh("redo.flashback_wait_s", each_ms=each)
    if not weighed.matters:
        return None
    return f.finding(
        flashback_log_waits,
        f"Sessions waited {seconds:,.0f} s for flashback logs",
        weighed,
        f.impact(seconds, "`flashback log file sync` and `flashback buf free by RVWR`"),
        "RVWR writes flashback logs more slowly than sessions change data"
        + ("." if each is None else f": {ms_words(each)} per wait."),
        "redo.flashback_wait_s",
        "redo.flashback_wait_ms",
        related=("REDO001",),
    )
