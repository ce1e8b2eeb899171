"""The recovery target: whether there is one, whether it is kept, what works against it.

Source of the reasoning: document 1.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.logsize import limit_of
from awrlens.policy import Threshold
from awrlens.rules.base import WEIGHED, Facts, rule
from awrlens.units import plain

if TYPE_CHECKING:
    from awrlens.model import Finding

RESET_S: Final = Threshold(
    "checkpoint.reset_s", 1.0, "s",
    "difference of the target in force to the parameter from which Oracle has changed it",
    'document 1, "Lower Bound on MTTR" (30 reset to 71)',
)  # fmt: skip
DEFAULT_TIMEOUT_S: Final = Threshold(
    "checkpoint.default_timeout_s", 1800.0, "s",
    "LOG_CHECKPOINT_TIMEOUT where nobody has set it",
    "Oracle Database Reference, LOG_CHECKPOINT_TIMEOUT",
)  # fmt: skip
AT_LIMIT_PCT: Final = Threshold(
    "checkpoint.at_limit_pct", 90.0, "%",
    "share of the redo limit from which the checkpoint is held at it",
    "awrlens: the snapshot is taken while DBWR still writes",
)  # fmt: skip
OVER_TARGET_S: Final = Threshold(
    "checkpoint.over_target_s", 5.0, "s",
    "seconds above the target in force from which it is not kept",
    'document 1, "Determine the MTTR Achieved" (within a few seconds); awrlens: five',
)  # fmt: skip

THRESHOLDS: Final = (RESET_S, DEFAULT_TIMEOUT_S, AT_LIMIT_PCT, OVER_TARGET_S)

#: Parameters that disturb fast-start checkpointing and the facts that hold them.
#: # document 1, "Fast-Start Checkpointing"
OBSTACLES: Final = {
    "LOG_CHECKPOINT_INTERVAL": "checkpoint.log_checkpoint_interval",
    "LOG_CHECKPOINT_TIMEOUT": "checkpoint.log_checkpoint_timeout_s",
    "FAST_START_IO_TARGET": "checkpoint.fast_start_io_target",
    "DB_BLOCK_MAX_DIRTY_TARGET": "checkpoint.db_block_max_dirty_target",
}


@rule(
    "CKPT002",
    "conflicting-checkpoint-parameters",
    only=("checkpoint.target_set", ("yes",)),
    needs=("checkpoint.fast_start_mttr_target_s",),
    wants=("checkpoint.target_set", *OBSTACLES.values(), "checkpoint.binding_limit"),
    thresholds=(DEFAULT_TIMEOUT_S,),
)
def conflicting_checkpoint_parameters(f: Facts) -> Finding | None:
    """Old checkpoint parameters work against FAST_START_MTTR_TARGET.

    What it tells you:
        A target for the recovery time is set, and beside it parameters that override it.
    Why it matters:
        The recovery time is then not the one that was asked for.
    How it is computed:
        Initialization parameters that are printed with a value above 0.
    Example:
        With `checkpoint.fast_start_mttr_target_s` = 300.0, `checkpoint.log_checkpoint_interval` =
        10.0, `checkpoint.binding_limit` = "interval": info, "LOG_CHECKPOINT_INTERVAL is set
        beside FAST_START_MTTR_TARGET=300".
    Threshold:
        Above 0. LOG_CHECKPOINT_TIMEOUT at its default, checkpoint.default_timeout_s (1800 s),
        counts only where it is printed and is the limit that drives checkpoints.
    What to do:
        Set LOG_CHECKPOINT_INTERVAL and LOG_CHECKPOINT_TIMEOUT to 0; remove FAST_START_IO_TARGET
        (deprecated since 9.0.1) and DB_BLOCK_MAX_DIRTY_TARGET (obsolete since 9.0.1).
    How to verify:
        Instance Recovery Stats: the target redo blocks no longer equal the timeout's or the
        interval's.
    When it is wrong:
        Where a log must be checkpointed by the clock for a reason outside recovery time.
    Sources:
        document 1, "Fast-Start Checkpointing" (parameters to remove or set to 0); Oracle Database
        Reference, FAST_START_MTTR_TARGET (overridden by LOG_CHECKPOINT_INTERVAL).
    """
    target = f.number("checkpoint.fast_start_mttr_target_s")
    limit = f["checkpoint.binding_limit"].value
    set_ = {name: fact for name, fact in OBSTACLES.items() if (f.get(fact) or 0) > 0}
    timeout = f.get(OBSTACLES["LOG_CHECKPOINT_TIMEOUT"])
    if timeout == f.limit(DEFAULT_TIMEOUT_S) and limit != "timeout":
        del set_["LOG_CHECKPOINT_TIMEOUT"]
    if target <= 0 or not set_:
        return None
    binding = f"LOG_CHECKPOINT_{str(limit).upper()}" in set_
    return f.finding(
        conflicting_checkpoint_parameters,
        f"{' and '.join(set_)} {'is' if len(set_) == 1 else 'are'} set beside "
        f"FAST_START_MTTR_TARGET={target:.0f}",
        "info",
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
    some=("checkpoint.incomplete_wait_s",),
    needs=("checkpoint.target_mttr_s", "checkpoint.incomplete_wait_s", WEIGHED),
    wants=("checkpoint.incomplete_wait_ms", "database.release", "database.role"),
)
def no_recovery_target(f: Facts) -> Finding | None:
    """No recovery target is set, and checkpoints make sessions wait.

    What it tells you:
        FAST_START_MTTR_TARGET is not set, and redo stops for incomplete checkpoints.
    Why it matters:
        Before 10g nothing spreads DBWR's writing, so it comes in bulk at log switches. Since 10g
        checkpoints tune themselves, and here they did not keep up. In both nobody has said how
        long a crash recovery may take, and MTTR Advisory is off.
    How it is computed:
        Target MTTR of Instance Recovery Stats is 0.
    Example:
        With `checkpoint.target_mttr_s` = 0.0, `checkpoint.incomplete_wait_s` = 385.0,
        `load.response_s` = 9653.0: info, "FAST_START_MTTR_TARGET is not set".
    Threshold:
        0, where the waits for `log file switch (checkpoint incomplete)` weigh at least info.
    What to do:
        Set FAST_START_MTTR_TARGET: to 3600 where recovery time is not critical, else to the
        time that is agreed (see the recommendation). Since 10g larger logs come first.
    How to verify:
        Target MTTR is printed, and the waits are gone.
    When it is wrong:
        Standard Edition, where the target does not apply (nor on a standby, where the rule is
        silent if the report prints the role).
    Sources:
        document 1, "Fast-Start Checkpointing" and "When Instance Recovery Time is Not Critical".
    """
    seconds = f.number("checkpoint.incomplete_wait_s")
    weighed = f.weigh(
        "checkpoint.incomplete_wait_s", each_ms=f.get("checkpoint.incomplete_wait_ms")
    )
    if f.number("checkpoint.target_mttr_s") > 0 or not weighed.matters:
        return None
    if "STANDBY" in str(f["database.role"].value).upper():
        return None
    return f.finding(
        no_recovery_target,
        "FAST_START_MTTR_TARGET is not set",
        "info",
        f.impact(seconds, "`log file switch (checkpoint incomplete)`"),
        "Self-tuned checkpoints did not keep up with the logs."
        if _self_tuned(f)
        else "Without a target DBWR writes in bulk at log switches.",
        "checkpoint.target_mttr_s",
        "checkpoint.incomplete_wait_s",
        related=("CKPT001",),
    )


@rule(
    "CKPT004",
    "recovery-target-changed",
    only=("checkpoint.target_set", ("yes",)),
    needs=("checkpoint.fast_start_mttr_target_s", "checkpoint.target_mttr_s"),
    wants=("checkpoint.target_set", "checkpoint.lowest_mttr_s"),
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
    Example:
        With `checkpoint.fast_start_mttr_target_s` = 30.0, `checkpoint.target_mttr_s` = 71.0,
        `checkpoint.lowest_mttr_s` = 71.0: warning, "FAST_START_MTTR_TARGET is 30 s, but the
        instance keeps to 71 s".
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
    "CKPT006",
    "small-logs-drive-checkpoints",
    needs=("checkpoint.binding_limit", "checkpoint.target_mttr_s", "checkpoint.estimated_mttr_s"),
    wants=("checkpoint.estimated_mttr_high_s", "checkpoint.actual_redo_blocks",
           "checkpoint.target_redo_blocks", "checkpoint.optimal_log_mb", "database.release"),
    thresholds=(AT_LIMIT_PCT,),
)  # fmt: skip
def small_logs_drive_checkpoints(f: Facts) -> Finding | None:
    """Small redo logs drive checkpoints, not the recovery target.

    What it tells you:
        The size of the redo logs limits the redo that recovery may need, so the estimated
        recovery time stays below the target whatever the target is. The limit is 90 % of the
        smallest log up to 9.2, 90 % of all logs of the thread but one in 10g, 81 % from 11g on.
    Why it matters:
        DBWR writes more often than the recovery target requires.
    How it is computed:
        The target redo blocks equal the log size limit and the actual ones have come to it, while
        a target is set and the estimate (of both snapshots) is below it.
    Example:
        With `checkpoint.binding_limit` = "log_size", `checkpoint.target_mttr_s` = 900.0,
        `checkpoint.estimated_mttr_s` = 650.0: info, "Redo logs cap the recovery time at 650 s;
        the target is 900 s".
    Threshold:
        A target MTTR above 0 and above the estimate; checkpoint.at_limit_pct (90 %) of the limit.
    What to do:
        Enlarge the redo logs (Instance Recovery Stats prints an optimal size), if fewer
        checkpoint writes are wanted.
    How to verify:
        The binding limit becomes mttr.
    When it is wrong:
        Where the earlier checkpoint does no harm: the finding is information only.
    Sources:
        document 1, "Upper Bound on MTTR" (9i); later releases: what real reports print.
    """
    target = f.number("checkpoint.target_mttr_s")
    high = f.get("checkpoint.estimated_mttr_high_s")
    estimate = f.number("checkpoint.estimated_mttr_s") if high is None else high
    if f["checkpoint.binding_limit"].value != "log_size" or target <= 0 or estimate >= target:
        return None
    actual, limit = f.get("checkpoint.actual_redo_blocks"), f.get("checkpoint.target_redo_blocks")
    if actual is not None and limit and actual * 100 < limit * f.limit(AT_LIMIT_PCT):
        return None
    size, release = f.get("checkpoint.optimal_log_mb"), f["database.release"].value
    rule_ = limit_of(release if isinstance(release, str) else None)
    most = rule_.words if rule_ else "a part of the redo logs"
    return f.finding(
        small_logs_drive_checkpoints,
        f"Redo logs cap the recovery time at {estimate:.0f} s; the target is {target:.0f} s",
        "info",
        f.impact(None, "recovery time, not waits"),
        f"Recovery has to read no more than {most}."
        + (f" Oracle's optimal log size is {size:,.0f} MB." if size else ""),
        "checkpoint.binding_limit",
        "checkpoint.target_mttr_s",
        "checkpoint.estimated_mttr_s",
        "checkpoint.optimal_log_mb",
    )


@rule(
    "CKPT007",
    "recovery-estimate-above-target",
    needs=("checkpoint.target_mttr_s", "checkpoint.estimated_mttr_high_s"),
    wants=("checkpoint.estimated_mttr_s", "checkpoint.data_write_ms",
           "checkpoint.fast_start_mttr_target_s"),
    thresholds=(OVER_TARGET_S,),
)  # fmt: skip
def recovery_estimate_above_target(f: Facts) -> Finding | None:
    """Recovery would take longer than the target in force.

    What it tells you:
        At a snapshot more was to recover than the instance aims at: DBWR does not keep up.
    Why it matters:
        The recovery time that is set, and perhaps agreed, would not have been met.
    How it is computed:
        The greatest estimated MTTR of Instance Recovery Stats less the target: the parameter, or
        the target MTTR at the end where that is higher.
    Example:
        With `checkpoint.target_mttr_s` = 120.0, `checkpoint.estimated_mttr_high_s` = 180.0,
        `checkpoint.estimated_mttr_s` = 180.0: warning, "Recovery would take 180 s; the target is
        120 s".
    Threshold:
        checkpoint.over_target_s (5 s). A warning where it holds at the end of the interval,
        information where only the begin shows it.
    What to do:
        See whether DBWR is at the limit of its storage (`db file parallel write`); then either
        more I/O capacity or a higher FAST_START_MTTR_TARGET.
    How to verify:
        Estimated MTTR stays below the target under load; a crash test confirms it.
    When it is wrong:
        The estimate follows past recoveries: an instance that has never recovered guesses. The
        target may have been lowered within the interval.
    Sources:
        document 1, "If MTTR is too High" (a bottleneck: higher target or more I/O capacity) and
        "Determine the MTTR Achieved" (within a few seconds).
    """
    kept, high = (
        f.number("checkpoint.target_mttr_s"),
        f.number("checkpoint.estimated_mttr_high_s"),
    )
    # below the parameter Oracle may aim at less by itself, which nobody has asked for
    target = max(kept, f.get("checkpoint.fast_start_mttr_target_s") or 0.0)
    if kept <= 0 or high - target < f.limit(OVER_TARGET_S):
        return None
    now = f.get("checkpoint.estimated_mttr_s") or 0.0
    lasting = now - target >= f.limit(OVER_TARGET_S)
    latency = f.get("checkpoint.data_write_ms")
    return f.finding(
        recovery_estimate_above_target,
        f"Recovery would take {high:.0f} s; the target is {target:.0f} s",
        "warning" if lasting else "info",
        f.impact(None, "recovery time, not waits"),
        ("It holds at the end of the interval." if lasting else f"At the end it is {now:.0f} s.")
        + ("" if latency is None else f" A batch of DBWR's writes takes {plain(latency)} ms."),
        "checkpoint.target_mttr_s",
        "checkpoint.estimated_mttr_high_s",
        "checkpoint.data_write_ms",
        related=("CKPT004", "CKPT006"),
    )


#: First release whose checkpoints tune themselves while no target is set.
_SELF_TUNED: Final = 10


def _self_tuned(f: Facts) -> bool:
    """Whether checkpoints tune themselves without a target."""
    major = str(f["database.release"].value or "").partition(".")[0]
    return major.isdecimal() and int(major) >= _SELF_TUNED
