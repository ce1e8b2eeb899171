"""Checkpoints and DBWR: who waits for them, and what DBWR writes for.

Source of the reasoning: document 1.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.policy import Threshold
from awrlens.rules.base import Facts, rule

if TYPE_CHECKING:
    from awrlens.model import Finding

CHECKPOINT_SHARE_PCT: Final = Threshold(
    "checkpoint.write_pct", 50.0, "%",
    "share of checkpoint writes in physical writes from which checkpoints are why DBWR writes",
    "awrlens: the majority",
)  # fmt: skip

THRESHOLDS: Final = (CHECKPOINT_SHARE_PCT,)


def driver(f: Facts) -> str:
    """What checkpoints were for: DBWR's own count where printed, else the limit that binds."""
    cause, limit = f["checkpoint.main_cause"], f["checkpoint.binding_limit"].value
    if isinstance(cause.value, str) and cause.value != "none":
        return f"Most checkpoint writes are for {cause.note}."
    if limit == "none":
        return "No limit that the report prints drives the checkpoint."
    return f"The limit that drives checkpoints is {limit}." if isinstance(limit, str) else ""


@rule(
    "CKPT001",
    "checkpoint-incomplete-waits",
    gate=("checkpoint.incomplete_wait_s",),
    needs=("checkpoint.incomplete_wait_s", "load.response_s"),
    wants=("checkpoint.main_cause", "checkpoint.binding_limit"),
)
def checkpoint_incomplete_waits(f: Facts) -> Finding | None:
    """Redo stops because the next log still needs its checkpoint.

    What it tells you:
        DBWR did not finish the checkpoint of a log before LGWR came round to it.
    Why it matters:
        All changes stop until it has.
    How it is computed:
        Total wait of `log file switch (checkpoint incomplete)`.
    Example:
        With `checkpoint.incomplete_wait_s` = 385.0, `load.response_s` = 9653.0,
        `checkpoint.binding_limit` = "log_size": info, "Redo stands still for 385 s until
        checkpoints are complete".
    Threshold:
        impact.info_pct, impact.warning_pct and impact.critical_pct of DB time.
    What to do:
        Larger or more log groups; a FAST_START_MTTR_TARGET that lets DBWR write all the time
        instead of at the switch; faster data file writes if DBWR is at its limit. Checkpoint
        Activity (AWR since 11.2) says what DBWR wrote for.
    How to verify:
        The event is gone, and the alert log shows no `Checkpoint not complete`.
    When it is wrong:
        It is not: the wait is exact. Only its cause may be a short burst.
    Sources:
        document 1, "Fast-Start Checkpointing" (spikes of interval-based checkpoints); document 3,
        figures 4 and 5.
    """
    seconds = f.number("checkpoint.incomplete_wait_s")
    if not f.felt(seconds):
        return None
    return f.finding(
        checkpoint_incomplete_waits,
        f"Redo stands still for {seconds:,.0f} s until checkpoints are complete",
        f.severity(seconds),
        f.impact(seconds, "`log file switch (checkpoint incomplete)`"),
        driver(f) or "DBWR is behind, or the logs are too small.",
        "checkpoint.incomplete_wait_s",
        "checkpoint.main_cause",
        "checkpoint.binding_limit",
        related=("REDO004", "CKPT003"),
    )


@rule(
    "CKPT005",
    "checkpoint-writes-felt",
    gate=("checkpoint.buffer_wait_s",),
    needs=("checkpoint.write_pct", "checkpoint.buffer_wait_s", "load.response_s"),
    wants=("checkpoint.main_cause", "checkpoint.binding_limit", "checkpoint.free_buffer_wait_s",
           "checkpoint.write_complete_wait_s"),
    thresholds=(CHECKPOINT_SHARE_PCT,),
)  # fmt: skip
def checkpoint_writes_felt(f: Facts) -> Finding | None:
    """Checkpoints are why DBWR writes, and sessions wait for DBWR.

    What it tells you:
        Most blocks are written to advance the checkpoint, and sessions find no free buffer or
        wait for a block that is being written.
    Why it matters:
        A relaxed recovery target, or faster data file writes, would end these waits.
    How it is computed:
        Checkpoint Activity's columns over physical writes (else 1 − `physical writes non
        checkpoint` / `physical writes`); `free buffer waits` + `write complete waits`.
    Example:
        With `checkpoint.write_pct` = 80.0, `checkpoint.buffer_wait_s` = 600.0, `load.response_s`
        = 9000.0, `checkpoint.binding_limit` = "mttr": warning, "80 % of all writes are for
        checkpoints, and sessions wait for DBWR".
    Threshold:
        checkpoint.write_pct (50 %), and impact.info_pct of DB time for the waits.
    What to do:
        By what they are for: the recovery target: raise it if the service level allows; log size
        or thread checkpoints: larger logs; log checkpoint settings: remove them. Else more or
        faster DBWR I/O.
    How to verify:
        The share and the waits fall.
    When it is wrong:
        A cache that is too small causes the same waits without any checkpoint.
    Sources:
        document 1, "Fast-Start Checkpointing and Performance", table 1.
    """
    share, seconds = f.number("checkpoint.write_pct"), f.number("checkpoint.buffer_wait_s")
    if share < f.limit(CHECKPOINT_SHARE_PCT) or not f.felt(seconds):
        return None
    return f.finding(
        checkpoint_writes_felt,
        f"{share:.0f} % of all writes are for checkpoints, and sessions wait for DBWR",
        f.severity(seconds),
        f.impact(seconds, "`free buffer waits` and `write complete waits`"),
        driver(f) or "The report does not say which limit drives them.",
        "checkpoint.write_pct",
        "checkpoint.buffer_wait_s",
        "checkpoint.main_cause",
        "checkpoint.binding_limit",
        related=("CKPT001",),
    )


@rule(
    "CKPT008",
    "dbwr-waits-without-checkpoints",
    gate=("checkpoint.buffer_wait_s",),
    needs=("checkpoint.buffer_wait_s", "checkpoint.write_pct", "load.response_s"),
    wants=("checkpoint.free_buffer_wait_s", "checkpoint.write_complete_wait_s",
           "checkpoint.data_write_ms"),
    thresholds=(CHECKPOINT_SHARE_PCT,),
)  # fmt: skip
def dbwr_waits_without_checkpoints(f: Facts) -> Finding | None:
    """Sessions wait for DBWR, and checkpoints are not why.

    What it tells you:
        Sessions find no free buffer or wait for a block that is being written, while most blocks
        are written for other reasons than checkpoints.
    Why it matters:
        No recovery target and no log size will end these waits.
    How it is computed:
        `free buffer waits` + `write complete waits`; the share of checkpoint writes as in CKPT005.
    Example:
        With `checkpoint.buffer_wait_s` = 600.0, `checkpoint.write_pct` = 12.0, `load.response_s`
        = 9000.0, `checkpoint.data_write_ms` = 31.0: warning, "Sessions wait 600 s for DBWR; 12 %
        of its writes are for checkpoints".
    Threshold:
        checkpoint.write_pct (below 50 %), and impact.info_pct of DB time for the waits.
    What to do:
        See the time of `db file parallel write`: where it is long, faster storage for data files or
        asynchronous I/O; where it is short, more DBWR processes or a larger buffer cache.
    How to verify:
        The waits fall at the same rate of changes.
    When it is wrong:
        Direct-path writes count as physical writes and make the share of checkpoints look small.
    Sources:
        document 1, "Fast-Start Checkpointing and Performance"; Oracle Database Reference, `free
        buffer waits` and `write complete waits`.
    """
    share, seconds = f.number("checkpoint.write_pct"), f.number("checkpoint.buffer_wait_s")
    if share >= f.limit(CHECKPOINT_SHARE_PCT) or not f.felt(seconds):
        return None
    latency = f.get("checkpoint.data_write_ms")
    return f.finding(
        dbwr_waits_without_checkpoints,
        f"Sessions wait {seconds:,.0f} s for DBWR; {share:.0f} % of its writes are for checkpoints",
        f.severity(seconds),
        f.impact(seconds, "`free buffer waits` and `write complete waits`"),
        "A recovery target would not change this."
        + ("" if latency is None else f" A batch of DBWR's writes takes {latency:.3g} ms."),
        "checkpoint.buffer_wait_s",
        "checkpoint.write_pct",
        "checkpoint.data_write_ms",
        related=("CKPT005",),
    )


@rule(
    "CKPT009",
    "object-checkpoint-waits",
    gate=("checkpoint.object_wait_s",),
    needs=("checkpoint.object_wait_s", "load.response_s"),
)
def object_checkpoint_waits(f: Facts) -> Finding | None:
    """Sessions wait until the blocks of one object are written.

    What it tells you:
        Truncates, drops and direct-path reads make DBWR write an object's changed blocks first.
    Why it matters:
        These checkpoints are of the application's making; no parameter of recovery ends them.
    How it is computed:
        Total wait of `enq: KO - fast object checkpoint`.
    Example:
        With `checkpoint.object_wait_s` = 700.0, `load.response_s` = 9000.0: warning, "Sessions
        wait 700 s for checkpoints of single objects".
    Threshold:
        impact.info_pct, impact.warning_pct and impact.critical_pct of DB time.
    What to do:
        Find who truncates or scans by direct path what others change: DELETE or a global temporary
        table instead of frequent TRUNCATE, conventional reads for hot tables; then DBWR's I/O.
    How to verify:
        The event is gone from the list of waits.
    When it is wrong:
        It is not: the wait is exact. A single load or index build may explain it.
    Sources:
        Oracle Database Reference, enqueue KO (fast object checkpoint); since 10g.
    """
    seconds = f.number("checkpoint.object_wait_s")
    if not f.felt(seconds):
        return None
    return f.finding(
        object_checkpoint_waits,
        f"Sessions wait {seconds:,.0f} s for checkpoints of single objects",
        f.severity(seconds),
        f.impact(seconds, "`enq: KO - fast object checkpoint`"),
        "Truncates and direct-path reads wait until DBWR has written the object's blocks.",
        "checkpoint.object_wait_s",
        related=("CKPT005",),
    )
