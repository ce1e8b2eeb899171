"""Checkpoints and DBWR: which sessions wait for them, and why DBWR writes.

Source of the reasoning: Fast-Start Checkpointing Best Practices.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.checkpoints import AT_LIMIT_PCT, lag_pct
from awrlens.policy import Threshold
from awrlens.rules.base import WEIGHED, Facts, rule
from awrlens.rules.shared_waits import (
    CAN_BE_BEHIND,
    COMMIT_PATH,
    DBWR_WRITES,
    behind,
    consequences,
    dbwr_writes,
    weigh_redo,
)  # fmt: skip
from awrlens.rules.writes import SLOW_READ_MS, slow_reads

if TYPE_CHECKING:
    from awrlens.model import Finding

CHECKPOINT_SHARE_PCT: Final = Threshold(
    "checkpoint.write_pct", 50.0, "%",
    "share of checkpoint writes in all DBWR writes above which they are the main reason",
    "awrlens: the majority",
)  # fmt: skip

#: The limits of `checkpoint.binding_limit` in words.
LIMITS: Final = {
    "log_size": "The size of the redo logs",
    "timeout": "LOG_CHECKPOINT_TIMEOUT",
    "interval": "LOG_CHECKPOINT_INTERVAL",
    "mttr": "The recovery target",
}


def driver(f: Facts) -> str:
    """Why checkpoints write: DBWR's own count if in the report, otherwise the binding limit.

    A limit that the redo after the checkpoint has not reached does not drive checkpoints.
    """
    cause, limit = f["checkpoint.main_cause"], f["checkpoint.binding_limit"].value
    if isinstance(cause.value, str) and cause.value != "none":
        return f"{cause.note}."
    if limit == "none":
        return "The report shows no limit that drives checkpoints."
    reached = lag_pct(f.get)
    if limit in ("timeout", "interval") and reached is not None and reached < f.limit(AT_LIMIT_PCT):
        return (
            f"{LIMITS[limit]} does not drive checkpoints: at the end snapshot, the redo after the "
            f"checkpoint was {reached:.0f} % of what it allows."
        )
    return f"{LIMITS.get(limit, limit)} drives checkpoints." if isinstance(limit, str) else ""


@rule(
    "CKPT001",
    "checkpoint-incomplete-waits",
    some=("checkpoint.incomplete_wait_s",),
    needs=("checkpoint.incomplete_wait_s", WEIGHED),
    wants=("checkpoint.main_cause", "checkpoint.binding_limit", "checkpoint.incomplete_waits",
           "checkpoint.incomplete_wait_ms", "checkpoint.actual_redo_blocks",
           "checkpoint.target_redo_blocks", *COMMIT_PATH, *CAN_BE_BEHIND),
    thresholds=(AT_LIMIT_PCT,),
)  # fmt: skip
def checkpoint_incomplete_waits(f: Facts) -> Finding | None:
    """Sessions wait because the checkpoint of the next redo log is incomplete.

    What it means:
        DBWR did not finish the checkpoint of a redo log before LGWR needed to reuse it.
    Why it matters:
        All changes stop until the checkpoint is complete.
    How it is computed:
        Total wait of `log file switch (checkpoint incomplete)`. If that is most of the waits for
        log switches, all of them are weighed here, because they have one cause.
    Example:
        With `checkpoint.incomplete_wait_s` = 3697.0, `load.elapsed_s` = 3632.0,
        `checkpoint.incomplete_waits` = 139.0, `checkpoint.incomplete_wait_ms` = 26600.0,
        `checkpoint.binding_limit` = "log_size": critical, "Sessions waited 3,697 s (139 times) for
        incomplete checkpoints".
    Threshold:
        How many sessions wait, and how long each wait takes; together with the waits for LGWR, if
        the waits for log switches are longer. At least info, because each wait stops all changes.
        A timeout or an interval drives checkpoints from checkpoint.at_limit_pct (90 %) of it on.
    What to do:
        Enlarge the redo logs or add groups. Set a FAST_START_MTTR_TARGET that lets DBWR write
        continuously instead of at the switch. If DBWR is at its limit, use faster storage for data
        files. Checkpoint Activity (AWR since 11.2) shows why DBWR wrote.
    How to verify:
        The event is no longer in the report, and the alert log has no `Checkpoint not complete`.
    When it is wrong:
        The wait time is exact, but one short burst may have caused all of it.
    Sources:
        Fast-Start Checkpointing Best Practices, "Fast-Start Checkpointing" (spikes of
        interval-based checkpoints); Write Accelerator, figures 4 and 5.
    """
    seconds, waits = f.number("checkpoint.incomplete_wait_s"), f.get("checkpoint.incomplete_waits")
    each, switches = f.get("checkpoint.incomplete_wait_ms"), f.get("redo.log_switch_wait_s") or 0.0
    most = seconds * 2 >= switches > 0
    weighed = (
        weigh_redo(f, switches=True, each_ms=each)
        if most
        else f.weigh("checkpoint.incomplete_wait_s", each_ms=each)
    )
    times = f"{_times(f)} times" if waits else ""
    total = f"{seconds:,.0f} s" if seconds >= 1 else ""
    waited = f"{total} ({times}) " if total and times else f"{total}{times} ".lstrip()
    rest = switches - seconds
    more = (
        f" Sessions waited {rest:,.0f} s more at log switches for other causes."
        if rest >= 1
        else ""
    )
    return f.finding(
        checkpoint_incomplete_waits,
        f"Sessions waited {waited}for incomplete checkpoints",
        weighed if weighed.matters else weighed._replace(severity="info"),
        f.impact(
            switches if most else seconds,
            "all foreground `log file switch` events"
            if most
            else "`log file switch (checkpoint incomplete)`",
        ),
        "LGWR needed the next redo log before DBWR had written the blocks that it protects."
        f"{more if most else ''} {driver(f)}".rstrip()
        + behind(f, weighed),
        "checkpoint.incomplete_wait_s",
        "checkpoint.incomplete_waits",
        "checkpoint.incomplete_wait_ms",
        *(("redo.log_switch_wait_s",) if most else ()),
        "checkpoint.main_cause",
        "checkpoint.binding_limit",
        *consequences(f, weighed),
        related=("REDO004", "CKPT003"),
    )


def _times(f: Facts) -> str:
    """The number of waits; an estimate from a rate is shown with two digits."""
    fact = f["checkpoint.incomplete_waits"]
    waits = fact.number or 0.0
    if fact.status != "estimated":
        return f"{waits:,.0f}"
    return f"about {float(f'{waits:.2g}'):,.0f}"


@rule(
    "CKPT005",
    "checkpoint-writes-felt",
    gate=("checkpoint.buffer_wait_s",),
    needs=("checkpoint.write_pct", "checkpoint.buffer_wait_s", WEIGHED),
    wants=("checkpoint.main_cause", "checkpoint.binding_limit", "checkpoint.free_buffer_wait_s",
           "checkpoint.write_complete_wait_s", "checkpoint.buffer_wait_ms",
           *DBWR_WRITES,
           "checkpoint.actual_redo_blocks", "checkpoint.target_redo_blocks"),
    thresholds=(CHECKPOINT_SHARE_PCT, AT_LIMIT_PCT),
)  # fmt: skip
def checkpoint_writes_felt(f: Facts) -> Finding | None:
    """DBWR writes mostly for checkpoints, and sessions wait for DBWR.

    What it means:
        DBWR writes most blocks to advance the checkpoint. Sessions find no free buffer or wait for
        a block that DBWR is writing.
    Why it matters:
        A longer recovery target, or faster data file writes, would remove these waits.
    How it is computed:
        The columns of Checkpoint Activity divided by physical writes (otherwise 1 − `physical
        writes non checkpoint` / `physical writes`); `free buffer waits` + `write complete waits`.
    Example:
        With `checkpoint.write_pct` = 80.0, `checkpoint.buffer_wait_s` = 600.0, `load.response_s` =
        9000.0, `checkpoint.binding_limit` = "mttr": warning, "80 % of DBWR writes are for
        checkpoints, and sessions waited 600 s for DBWR".
    Threshold:
        checkpoint.write_pct (50 %), and how many sessions wait and how long. A timeout or an
        interval drives checkpoints from checkpoint.at_limit_pct (90 %) of it on.
    What to do:
        It depends on the reason. Recovery target: raise it if the service level allows. Redo log
        size or thread checkpoints: larger redo logs. Log checkpoint settings: remove them.
        Otherwise more or faster DBWR I/O.
    How to verify:
        The share and the waits fall.
    When it is wrong:
        A buffer cache that is too small causes the same waits without checkpoints.
    Sources:
        Fast-Start Checkpointing Best Practices, "Fast-Start Checkpointing and Performance", table
        1.
    """
    share, seconds = f.number("checkpoint.write_pct"), f.number("checkpoint.buffer_wait_s")
    weighed = f.weigh("checkpoint.buffer_wait_s", each_ms=f.get("checkpoint.buffer_wait_ms"))
    if share < f.limit(CHECKPOINT_SHARE_PCT) or not weighed.matters:
        return None
    return f.finding(
        checkpoint_writes_felt,
        f"{share:.0f} % of DBWR writes are for checkpoints, and sessions waited {seconds:,.0f} s "
        "for DBWR",
        weighed,
        f.impact(seconds, "`free buffer waits` and `write complete waits`"),
        (driver(f) or "The report does not show which limit drives checkpoints.") + dbwr_writes(f),
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
    needs=("checkpoint.buffer_wait_s", WEIGHED),
    wants=("checkpoint.free_buffer_wait_s", "checkpoint.write_complete_wait_s",
           "checkpoint.write_pct", "checkpoint.buffer_wait_ms", "io.data_read_ms", *DBWR_WRITES),
    thresholds=(CHECKPOINT_SHARE_PCT, SLOW_READ_MS),
)  # fmt: skip
def dbwr_waits_without_checkpoints(f: Facts) -> Finding | None:
    """Sessions wait for DBWR, but not because of checkpoints.

    What it means:
        Sessions find no free buffer or wait for a block that DBWR is writing, while most writes
        have other reasons than checkpoints.
    Why it matters:
        Neither a recovery target nor larger redo logs will remove these waits.
    How it is computed:
        `free buffer waits` + `write complete waits`; the share of checkpoint writes as in CKPT005.
    Example:
        With `checkpoint.buffer_wait_s` = 600.0, `checkpoint.write_pct` = 12.0, `load.response_s`
        = 9000.0, `checkpoint.data_write_ms` = 31.0: warning, "Sessions waited 600 s for DBWR".
    Threshold:
        checkpoint.write_pct (below 50 %, or not in the report), and how many sessions wait and how
        long. From writes.slow_read_ms (15 ms) on, single-block reads are slow, too, and the finding
        says so.
    What to do:
        Check the time of `db file parallel write`. If it is long: faster storage for data files or
        asynchronous I/O. If it is short: more DBWR processes or a larger buffer cache.
    How to verify:
        The waits fall at the same rate of changes.
    When it is wrong:
        Before 10g, direct-path writes are part of the DBWR writes and make the share of checkpoints
        look small.
    Sources:
        Fast-Start Checkpointing Best Practices, "Fast-Start Checkpointing and Performance"; Oracle
        Database Reference, `free buffer waits` and `write complete waits`.
    """
    share, seconds = f.get("checkpoint.write_pct"), f.number("checkpoint.buffer_wait_s")
    weighed = f.weigh("checkpoint.buffer_wait_s", each_ms=f.get("checkpoint.buffer_wait_ms"))
    if (share or 0.0) >= f.limit(CHECKPOINT_SHARE_PCT) or not weighed.matters:
        return None
    of = "" if share is None else f" {share:.0f} % of DBWR writes are for checkpoints,"
    no_target = f"{of} so a recovery target would not change this." if of else ""
    return f.finding(
        dbwr_waits_without_checkpoints,
        f"Sessions waited {seconds:,.0f} s for DBWR",
        weighed,
        f.impact(seconds, "`free buffer waits` and `write complete waits`"),
        f"Sessions found no free buffer, or one that DBWR was writing.{no_target}{dbwr_writes(f)}"
        f"{slow_reads(f, 'DBWR')}",
        "checkpoint.buffer_wait_s",
        "checkpoint.buffer_wait_ms",
        "checkpoint.write_pct",
        *DBWR_WRITES,
        related=("CKPT005",),
    )
