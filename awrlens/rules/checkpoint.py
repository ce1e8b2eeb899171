"""Checkpoints: waits for them, what drives them, parameters that work against each other.

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
RESET_S: Final = Threshold(
    "checkpoint.reset_s", 1.0, "s",
    "difference of the target in force to the parameter from which Oracle has changed it",
    'document 1, "Lower Bound on MTTR" (30 reset to 71)',
)  # fmt: skip

THRESHOLDS: Final = (CHECKPOINT_SHARE_PCT, RESET_S)

#: Parameters that disturb fast-start checkpointing and the facts that hold them.
#: # document 1, "Fast-Start Checkpointing"
OBSTACLES: Final = {
    "LOG_CHECKPOINT_INTERVAL": "checkpoint.log_checkpoint_interval",
    "LOG_CHECKPOINT_TIMEOUT": "checkpoint.log_checkpoint_timeout_s",
    "FAST_START_IO_TARGET": "checkpoint.fast_start_io_target",
}


@rule(
    "CKPT001",
    "checkpoint-incomplete-waits",
    needs=("checkpoint.incomplete_wait_s", "load.response_s"),
    wants=("checkpoint.binding_limit", "redo.log_switches_per_hour"),
)
def checkpoint_incomplete_waits(f: Facts) -> Finding | None:
    """Redo stops because the next log still needs its checkpoint.

    What it tells you:
        DBWR did not finish the checkpoint of a log before LGWR came round to it.
    Why it matters:
        All changes stop until it has.
    How it is computed:
        Total wait of `log file switch (checkpoint incomplete)`.
    Threshold:
        impact.info_pct, impact.warning_pct and impact.critical_pct of DB time.
    What to do:
        Larger or more log groups; a FAST_START_MTTR_TARGET that lets DBWR write all the time
        instead of at the switch; faster data file writes if DBWR is at its limit.
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
    limit = f["checkpoint.binding_limit"].value
    return f.finding(
        checkpoint_incomplete_waits,
        f"Redo stands still for {seconds:,.0f} s until checkpoints are complete",
        f.severity(seconds),
        f.impact(seconds, "`log file switch (checkpoint incomplete)`"),
        f"The limit that drives checkpoints is {limit}."
        if isinstance(limit, str)
        else "DBWR is behind, or the logs are too small.",
        "checkpoint.incomplete_wait_s",
        "checkpoint.binding_limit",
        related=("REDO004", "CKPT003"),
    )


@rule(
    "CKPT002",
    "conflicting-checkpoint-parameters",
    needs=("checkpoint.fast_start_mttr_target_s",),
    wants=tuple(OBSTACLES.values()),
)
def conflicting_checkpoint_parameters(f: Facts) -> Finding | None:
    """Old checkpoint parameters work against FAST_START_MTTR_TARGET.

    What it tells you:
        A target for the recovery time is set, and beside it parameters that override it.
    Why it matters:
        The recovery time is then not the one that was asked for.
    How it is computed:
        Initialization parameters that are printed with a value above 0.
    Threshold:
        Above 0. LOG_CHECKPOINT_TIMEOUT is 1800 by default: not printed means default, and the
        rule speaks only of what is printed.
    What to do:
        Set LOG_CHECKPOINT_INTERVAL and LOG_CHECKPOINT_TIMEOUT to 0 and remove
        FAST_START_IO_TARGET.
    How to verify:
        Instance Recovery Stats: the target redo blocks no longer equal the timeout's or the
        interval's.
    When it is wrong:
        Where a log must be checkpointed by the clock for a reason outside recovery time.
    Sources:
        document 1, "Fast-Start Checkpointing" (parameters to remove or set to 0).
    """
    target = f.number("checkpoint.fast_start_mttr_target_s")
    set_ = {name: fact for name, fact in OBSTACLES.items() if (f.get(fact) or 0) > 0}
    if target <= 0 or not set_:
        return None
    limit = f["checkpoint.binding_limit"].value
    binding = limit in ("timeout", "interval")
    return f.finding(
        conflicting_checkpoint_parameters,
        f"{' and '.join(set_)} {'is' if len(set_) == 1 else 'are'} set beside "
        f"FAST_START_MTTR_TARGET={target:.0f}",
        "warning" if binding else "info",
        f.impact(None, "recovery time, not waits"),
        f"The {limit} limit is the one that drives checkpoints now."
        if binding
        else "They do not drive checkpoints in this interval, but can.",
        "checkpoint.fast_start_mttr_target_s",
        *set_.values(),
        related=("CKPT004",),
    )


@rule(
    "CKPT003",
    "no-recovery-target",
    needs=("checkpoint.target_mttr_s", "checkpoint.incomplete_wait_s", "load.response_s"),
    wants=("checkpoint.fast_start_mttr_target_s", "checkpoint.estimated_mttr_s",
           "checkpoint.binding_limit"),
)  # fmt: skip
def no_recovery_target(f: Facts) -> Finding | None:
    """No recovery time is asked for, and checkpoints make sessions wait.

    What it tells you:
        FAST_START_MTTR_TARGET is not set, and redo stops for incomplete checkpoints.
    Why it matters:
        Nothing spreads DBWR's writing, so it comes in bulk at log switches; and nobody knows how
        long a crash recovery would take.
    How it is computed:
        Target MTTR of Instance Recovery Stats is 0.
    Threshold:
        0, with impact.info_pct of DB time for `log file switch (checkpoint incomplete)`.
    What to do:
        Set FAST_START_MTTR_TARGET: to 3600 where recovery time is not critical, else to the
        time that is agreed (see the recommendation).
    How to verify:
        Target MTTR is printed, and the waits are gone.
    When it is wrong:
        Standard Edition and standby databases, where the target does not apply.
    Sources:
        document 1, "Fast-Start Checkpointing" and "When Instance Recovery Time is Not Critical".
    """
    seconds = f.number("checkpoint.incomplete_wait_s")
    if f.number("checkpoint.target_mttr_s") > 0 or not f.felt(seconds):
        return None
    return f.finding(
        no_recovery_target,
        "No recovery time is asked for (FAST_START_MTTR_TARGET is not set)",
        "info",
        f.impact(seconds, "`log file switch (checkpoint incomplete)`"),
        "Without a target DBWR writes in bulk at log switches.",
        "checkpoint.target_mttr_s",
        "checkpoint.incomplete_wait_s",
        related=("CKPT001",),
    )


@rule(
    "CKPT004",
    "recovery-target-changed",
    needs=("checkpoint.fast_start_mttr_target_s", "checkpoint.target_mttr_s"),
    wants=("checkpoint.estimated_mttr_s", "checkpoint.lowest_mttr_s", "checkpoint.binding_limit"),
    thresholds=(RESET_S,),
)
def recovery_target_changed(f: Facts) -> Finding | None:
    """The recovery target in force is not the one that was set.

    What it tells you:
        Oracle has reset FAST_START_MTTR_TARGET: up, when it lies below what start-up, opening
        the files and recovering 1,000 dirty blocks take; down, when less is always enough.
    Why it matters:
        Raised: the agreed recovery time cannot be met. Lowered: harmless.
    How it is computed:
        Target MTTR of Instance Recovery Stats at the end, against the parameter.
    Threshold:
        checkpoint.reset_s (1 s).
    What to do:
        Raised: set the parameter to the target in force, and shorten start-up or the opening of
        files if the agreed time is lower. Lowered: nothing.
    How to verify:
        The alert log: `FAST_START_MTTR_TARGET 30 is out of the valid MTTR range, use 71 instead.`
    When it is wrong:
        The parameter was changed within the interval.
    Sources:
        document 1, "Lower Bound on MTTR" and "If MTTR is too High".
    """
    asked = f.number("checkpoint.fast_start_mttr_target_s")
    kept = f.number("checkpoint.target_mttr_s")
    if asked <= 0 or kept <= 0 or kept - asked < f.limit(RESET_S):
        return None
    return f.finding(
        recovery_target_changed,
        f"FAST_START_MTTR_TARGET is {asked:.0f} s, but the instance keeps to {kept:.0f} s",
        "warning",
        f.impact(None, "recovery time, not waits"),
        f"{asked:.0f} s is below the lowest recovery time that this instance can keep: start-up, "
        f"opening the files and 1,000 dirty blocks take {kept:.0f} s.",
        "checkpoint.fast_start_mttr_target_s",
        "checkpoint.target_mttr_s",
        "checkpoint.lowest_mttr_s",
    )


@rule(
    "CKPT005",
    "checkpoint-writes-felt",
    needs=("checkpoint.write_pct", "checkpoint.buffer_wait_s", "load.response_s"),
    wants=("checkpoint.binding_limit", "checkpoint.target_mttr_s"),
    thresholds=(CHECKPOINT_SHARE_PCT,),
)
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
    Threshold:
        checkpoint.write_pct (50 %), and impact.info_pct of DB time for the waits.
    What to do:
        Raise FAST_START_MTTR_TARGET if the service level allows; more or faster DBWR I/O.
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
    limit = f["checkpoint.binding_limit"].value
    return f.finding(
        checkpoint_writes_felt,
        f"{share:.0f} % of all writes are for checkpoints, and sessions wait for DBWR",
        f.severity(seconds),
        f.impact(seconds, "`free buffer waits` and `write complete waits`"),
        f"The limit that drives checkpoints is {limit}."
        if isinstance(limit, str)
        else "The report does not say which limit drives them.",
        "checkpoint.write_pct",
        "checkpoint.buffer_wait_s",
        "checkpoint.binding_limit",
        related=("CKPT001",),
    )


@rule(
    "CKPT006",
    "small-logs-drive-checkpoints",
    needs=("checkpoint.binding_limit", "checkpoint.target_mttr_s", "checkpoint.estimated_mttr_s"),
    wants=("checkpoint.log_size_redo_blocks", "checkpoint.optimal_log_mb"),
)
def small_logs_drive_checkpoints(f: Facts) -> Finding | None:
    """Small redo logs drive checkpoints, not the recovery target.

    What it tells you:
        The redo that recovery may need is limited by the smallest log (90 % of it), so the
        estimated recovery time stays below the target whatever the target is.
    Why it matters:
        DBWR writes more often than the service level asks for.
    How it is computed:
        The target redo blocks equal the log size limit, while a target is set and not reached.
    Threshold:
        A target MTTR above 0 and above the estimate.
    What to do:
        Enlarge the redo logs (Instance Recovery Stats prints an optimal size), if fewer
        checkpoint writes are wanted.
    How to verify:
        The binding limit becomes mttr.
    When it is wrong:
        Where the earlier checkpoint does no harm: the finding is information only.
    Sources:
        document 1, "Upper Bound on MTTR".
    """
    target, estimate = f.number("checkpoint.target_mttr_s"), f.number("checkpoint.estimated_mttr_s")
    if f["checkpoint.binding_limit"].value != "log_size" or target <= 0 or estimate >= target:
        return None
    size = f.get("checkpoint.optimal_log_mb")
    return f.finding(
        small_logs_drive_checkpoints,
        f"Redo logs cap the recovery time at {estimate:.0f} s; the target is {target:.0f} s",
        "info",
        f.impact(None, "recovery time, not waits"),
        f"Oracle reckons {size:,.0f} MB as optimal log size." if size else "The logs are small.",
        "checkpoint.binding_limit",
        "checkpoint.target_mttr_s",
        "checkpoint.estimated_mttr_s",
        "checkpoint.optimal_log_mb",
    )
