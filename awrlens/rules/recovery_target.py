"""The recovery target: whether it is set, whether it is met, and what conflicts with it.

Source of the reasoning: Fast-Start Checkpointing Best Practices.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.checkpoints import (
    AT_LIMIT_PCT,
    DEFAULT_TIMEOUT_S,
    OFF,
    PARAMETERS,
    conflicting,
    lag_pct,
)
from awrlens.logsize import limit_of
from awrlens.policy import Threshold
from awrlens.rules.base import WEIGHED, Facts, rule
from awrlens.units import ms_words

if TYPE_CHECKING:
    from awrlens.model import Finding

RESET_S: Final = Threshold(
    "checkpoint.reset_s", 1.0, "s",
    "difference between the target in force and the parameter above which Oracle has changed it",
    'Fast-Start Checkpointing Best Practices, "Lower Bound on MTTR" (30 reset to 71)',
)  # fmt: skip
OVER_TARGET_S: Final = Threshold(
    "checkpoint.over_target_s", 5.0, "s",
    "seconds above the target in force above which the target is missed",
    'Fast-Start Checkpointing Best Practices, "Determine the MTTR Achieved" (within a few '
    "seconds); awrlens: five",
)  # fmt: skip


@rule(
    "CKPT002",
    "conflicting-checkpoint-parameters",
    only=("checkpoint.target_set", ("yes",)),
    needs=("checkpoint.fast_start_mttr_target_s",),
    wants=(
        "checkpoint.target_set",
        *PARAMETERS.values(),
        "checkpoint.binding_limit",
        "checkpoint.actual_redo_blocks",
        "checkpoint.target_redo_blocks",
    ),
    thresholds=(DEFAULT_TIMEOUT_S, AT_LIMIT_PCT),
)
def conflicting_checkpoint_parameters(f: Facts) -> Finding | None:
    """Old checkpoint parameters conflict with FAST_START_MTTR_TARGET.

    What it means:
        A target for the recovery time is set, and so are parameters that override it.
    Why it matters:
        The recovery time then differs from the target.
    How it is computed:
        Initialization parameters in the report with a value above 0.
    Example:
        With `checkpoint.fast_start_mttr_target_s` = 300.0, `checkpoint.log_checkpoint_interval` =
        10.0, `checkpoint.binding_limit` = "interval": info, "LOG_CHECKPOINT_INTERVAL is set in
        addition to FAST_START_MTTR_TARGET=300".
    Threshold:
        Above 0. LOG_CHECKPOINT_TIMEOUT at its default, checkpoint.default_timeout_s (1800 s),
        counts only if it is in the report and is the limit that drives checkpoints. A limit drives
        them from checkpoint.at_limit_pct (90 %) of it on.
    What to do:
        Set LOG_CHECKPOINT_INTERVAL and LOG_CHECKPOINT_TIMEOUT to 0; remove FAST_START_IO_TARGET
        (deprecated since 9.0.1) and DB_BLOCK_MAX_DIRTY_TARGET (obsolete since 9.0.1).
    How to verify:
        Instance Recovery Stats: the target redo blocks differ from those of the timeout and of the
        interval.
    When it is wrong:
        A reason other than recovery time may require checkpoints at fixed intervals.
    Sources:
        Fast-Start Checkpointing Best Practices, "Fast-Start Checkpointing" (parameters to remove or
        set to 0); Oracle Database Reference, FAST_START_MTTR_TARGET (overridden by
        LOG_CHECKPOINT_INTERVAL).
    """
    target = f.number("checkpoint.fast_start_mttr_target_s")
    limit = f["checkpoint.binding_limit"].value
    set_ = conflicting(f.get, limit, f.limit(DEFAULT_TIMEOUT_S))
    if target <= 0 or not set_:
        return None
    reached = lag_pct(f.get)
    binding = f"LOG_CHECKPOINT_{str(limit).upper()}" in set_
    binding = binding and (reached is None or reached >= f.limit(AT_LIMIT_PCT))
    return f.finding(
        conflicting_checkpoint_parameters,
        f"{' and '.join(set_)} {'is' if len(set_) == 1 else 'are'} set in addition to "
        f"FAST_START_MTTR_TARGET={target:.0f}",
        "info",
        f.impact(None, "recovery time, not waits"),
        f"The {limit} limit drives checkpoints now."
        if binding
        else "They do not drive checkpoints in this interval, but they can.",
        "checkpoint.fast_start_mttr_target_s",
        *(PARAMETERS[name] for name in set_),
        related=("CKPT004",),
    )


@rule(
    "CKPT003",
    "no-recovery-target",
    some=("checkpoint.incomplete_wait_s",),
    needs=("checkpoint.target_mttr_s", "checkpoint.incomplete_wait_s", WEIGHED),
    wants=("checkpoint.incomplete_wait_ms", "checkpoint.target_set", "database.release",
           "database.role"),
)  # fmt: skip
def no_recovery_target(f: Facts) -> Finding | None:
    """FAST_START_MTTR_TARGET is not set, and sessions wait for checkpoints.

    What it means:
        FAST_START_MTTR_TARGET is not set, and sessions wait for incomplete checkpoints.
    Why it matters:
        Before 10g nothing spreads DBWR's writes, so they come in bulk at log switches. Since 10g
        automatic checkpoint tuning spreads them, but here it did not keep up, or is off (0 is set).
        In all cases crash recovery has no time limit, and MTTR Advisory is off.
    How it is computed:
        Target MTTR of Instance Recovery Stats is 0.
    Example:
        With `checkpoint.target_mttr_s` = 0.0, `checkpoint.incomplete_wait_s` = 385.0,
        `load.response_s` = 9653.0: info, "FAST_START_MTTR_TARGET is not set".
    Threshold:
        0, if the waits for `log file switch (checkpoint incomplete)` are at least info.
    What to do:
        Set FAST_START_MTTR_TARGET: 3600 if recovery time is not critical, otherwise the agreed time
        (see the recommendation). Since 10g, enlarge the redo logs first.
    How to verify:
        Target MTTR is in the report, and the waits are no longer there.
    When it is wrong:
        On Standard Edition the target does not apply. It does not apply on a standby either; the
        rule does not report it if the role is in the report.
    Sources:
        Fast-Start Checkpointing Best Practices, "Fast-Start Checkpointing" and "When Instance
        Recovery Time is Not Critical".
    """
    seconds = f.number("checkpoint.incomplete_wait_s")
    weighed = f.weigh(
        "checkpoint.incomplete_wait_s", each_ms=f.get("checkpoint.incomplete_wait_ms")
    )
    if f.number("checkpoint.target_mttr_s") > 0 or not weighed.matters:
        return None
    if "STANDBY" in str(f["database.role"].value).upper():
        return None
    off = f["checkpoint.target_set"].value == OFF
    return f.finding(
        no_recovery_target,
        f"FAST_START_MTTR_TARGET{_IS_OFF if off else ' is not set'}",
        "info",
        f.impact(seconds, "`log file switch (checkpoint incomplete)`"),
        "Automatic checkpoint tuning did not keep up with the redo logs."
        if _self_tuned(f) and not off
        else "Without a target, DBWR writes in bulk at log switches.",
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
    """The recovery target in force differs from the parameter.

    What it means:
        Oracle has reset FAST_START_MTTR_TARGET. It raises a value below the time for start-up,
        opening the files and recovering 1,000 dirty blocks. It lowers a value if less time is
        always sufficient.
    Why it matters:
        Raised: the agreed recovery time cannot be met. Lowered: no effect.
    How it is computed:
        Target MTTR of Instance Recovery Stats at the end, compared with the parameter.
    Example:
        With `checkpoint.fast_start_mttr_target_s` = 30.0, `checkpoint.target_mttr_s` = 71.0,
        `checkpoint.lowest_mttr_s` = 71.0: warning, "FAST_START_MTTR_TARGET is 30 s, but Oracle
        raised the target to 71 s".
    Threshold:
        checkpoint.reset_s (1 s).
    What to do:
        Raised: set the parameter to the target in force. If the agreed time is lower, shorten
        start-up or the opening of files. Lowered: no action.
    How to verify:
        The alert log: `FAST_START_MTTR_TARGET 30 is out of the valid MTTR range, use 71 instead.`
    When it is wrong:
        The parameter was changed in the interval.
    Sources:
        Fast-Start Checkpointing Best Practices, "Lower Bound on MTTR" and "If MTTR is too High".
    """
    asked = f.number("checkpoint.fast_start_mttr_target_s")
    kept = f.number("checkpoint.target_mttr_s")
    if asked <= 0 or kept <= 0 or kept - asked < f.limit(RESET_S):
        return None
    return f.finding(
        recovery_target_changed,
        f"FAST_START_MTTR_TARGET is {asked:.0f} s, but Oracle raised the target to {kept:.0f} s",
        "warning",
        f.impact(None, "recovery time, not waits"),
        f"{asked:.0f} s is below the minimum recovery time of this instance. Start-up, opening the "
        f"files and recovering 1,000 dirty blocks take {kept:.0f} s.",
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

    What it means:
        The redo log size limits the redo that recovery may need, so the estimated recovery time
        stays below any target. The limit is 90 % of the smallest redo log up to 9.2, 90 % of all
        redo logs of the thread except one in 10g, and 81 % since 11g.
    Why it matters:
        DBWR writes more often than the recovery target requires.
    How it is computed:
        The target redo blocks equal the redo log size limit and the actual redo blocks have reached
        it, while a target is set and the estimate (of both snapshots) is below it.
    Example:
        With `checkpoint.binding_limit` = "log_size", `checkpoint.target_mttr_s` = 900.0,
        `checkpoint.estimated_mttr_s` = 650.0: info, "Redo log size limits recovery to 650 s; the
        target is 900 s".
    Threshold:
        A target MTTR above 0 and above the estimate; checkpoint.at_limit_pct (90 %) of the limit.
    What to do:
        To reduce checkpoint writes, enlarge the redo logs (Instance Recovery Stats shows an optimal
        size).
    How to verify:
        The binding limit becomes mttr.
    When it is wrong:
        If the earlier checkpoints do no harm, no action is needed: the finding is information only.
    Sources:
        Fast-Start Checkpointing Best Practices, "Upper Bound on MTTR" (9i); later releases: values
        in real reports.
    """
    target = f.number("checkpoint.target_mttr_s")
    if f["checkpoint.binding_limit"].value != "log_size" or target <= 0:
        return None
    high = f.get("checkpoint.estimated_mttr_high_s")
    if (estimate := f.number("checkpoint.estimated_mttr_s") if high is None else high) >= target:
        return None
    actual, limit = f.get("checkpoint.actual_redo_blocks"), f.get("checkpoint.target_redo_blocks")
    if actual is not None and limit and actual * 100 < limit * f.limit(AT_LIMIT_PCT):
        return None
    size, release = f.get("checkpoint.optimal_log_mb"), f["database.release"].value
    rule_ = limit_of(release if isinstance(release, str) else None)
    most = rule_.words if rule_ else "a part of the redo logs"
    return f.finding(
        small_logs_drive_checkpoints,
        f"Redo log size limits recovery to {estimate:.0f} s; the target is {target:.0f} s",
        "info",
        f.impact(None, "recovery time, not waits"),
        f"Recovery never reads more than {most}."
        + (f" Oracle's optimal redo log size is {size:,.0f} MB." if size else ""),
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

    What it means:
        At a snapshot, recovery would have needed more time than the target: DBWR does not keep up.
    Why it matters:
        A crash would have exceeded the recovery time that is set and perhaps agreed.
    How it is computed:
        The highest estimated MTTR of Instance Recovery Stats minus the target: the parameter, or
        the target MTTR at the end if that is higher.
    Example:
        With `checkpoint.target_mttr_s` = 120.0, `checkpoint.estimated_mttr_high_s` = 180.0,
        `checkpoint.estimated_mttr_s` = 180.0: warning, "Recovery would take 180 s; the target is
        120 s".
    Threshold:
        checkpoint.over_target_s (5 s). A warning if the estimate is above the target at the end of
        the interval; info if only at the begin.
    What to do:
        Check whether DBWR is at the limit of its storage (`db file parallel write`). Then provide
        more I/O capacity or set a higher FAST_START_MTTR_TARGET.
    How to verify:
        Estimated MTTR stays below the target under load; a crash test confirms it.
    When it is wrong:
        The estimate is based on past recoveries; an instance that has never recovered has only a
        rough one. The target may have been lowered in the interval.
    Sources:
        Fast-Start Checkpointing Best Practices, "If MTTR is too High" (a bottleneck: higher target
        or more I/O capacity) and "Determine the MTTR Achieved" (within a few seconds).
    """
    kept, high = f.number("checkpoint.target_mttr_s"), f.number("checkpoint.estimated_mttr_high_s")
    # below the parameter, Oracle may use a lower target that nobody set
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
        ("This is still so at the end of the interval." if lasting
         else f"At the end of the interval it is {now:.0f} s.")
        + ("" if latency is None else f" A DBWR write batch takes {ms_words(latency)}."),
        "checkpoint.target_mttr_s",
        "checkpoint.estimated_mttr_high_s",
        "checkpoint.data_write_ms",
        related=("CKPT004", "CKPT006"),
    )  # fmt: skip


_IS_OFF: Final = "=0 turns automatic checkpoint tuning off"
#: First release with automatic checkpoint tuning.
_SELF_TUNED: Final = 10


def _self_tuned(f: Facts) -> bool:
    """Whether the release tunes checkpoints automatically if no target is set."""
    major = str(f["database.release"].value or "").partition(".")[0]
    return major.isdecimal() and int(major) >= _SELF_TUNED
