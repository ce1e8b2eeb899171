"""Checkpoints and DBWR: who waits for them, why DBWR writes, and whether the target is met.

Source of the reasoning: Fast-Start Checkpointing Best Practices.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.model import SEVERITIES
from awrlens.oracle.checkpoints import (
    MB,
    OFF,
    PARAMETERS,
    REDO_BLOCK_B,
    conflicting,
    lag_pct,
    limit_of,
)
from awrlens.rules.base import Diagnosis, of, rule
from awrlens.rules.shared_waits import behind, consequences, dbwr_writes, held_by_redo, redo_waits
from awrlens.rules.writes import judged_read, quick_kinds, slow_reads
from awrlens.units import first_of, io_size, ms_words

if TYPE_CHECKING:
    from typing import Literal

    from awrlens.model import Fact
    from awrlens.rules.base import Facts, Gate, Late, Number, Shown, Some
    from awrlens.rules.shared_waits import RedoWaits


#: The limits of `checkpoint.binding_limit` in words.
LIMITS: Final = {
    "log_size": "The size of the redo logs",
    "timeout": "LOG_CHECKPOINT_TIMEOUT",
    "interval": "LOG_CHECKPOINT_INTERVAL",
    "mttr": "The recovery target",
}


def reached_pct(
    f: Facts, _checkpoint_actual_redo_blocks: Shown, _checkpoint_target_redo_blocks: Shown
) -> float | None:
    """The redo after the checkpoint in percent of its limit, at the end snapshot."""
    return lag_pct(f.get)


def driver(
    f: Facts, checkpoint_main_cause: Fact | None, checkpoint_binding_limit: str | None,
    *, reached: float | None = of(reached_pct),
) -> str:  # fmt: skip
    """Why checkpoints write: DBWR's own count if in the report, otherwise the binding limit.

    A limit that the redo after the checkpoint has not reached does not drive checkpoints.
    """
    cause, limit = checkpoint_main_cause, checkpoint_binding_limit or ""
    if cause is not None and cause.value != "none":
        return f"{cause.note}."
    below = reached is not None and reached < f.limit("checkpoint.at_limit_pct")
    return first_of(
        (limit == "none", "The report shows no limit that drives checkpoints."),
        (below and limit in ("timeout", "interval"),
         f"{LIMITS.get(limit)} does not drive checkpoints: at the end snapshot, the redo after "
         f"the checkpoint was {reached or 0:.0f} % of what it allows."),
        (limit, f"{LIMITS.get(limit, limit)} drives checkpoints."),
    )  # fmt: skip


@rule("CKPT001", weighs=True)
def checkpoint_incomplete_waits(
    f: Facts, checkpoint_incomplete_wait_s: Some, checkpoint_incomplete_waits: Fact | None,
    checkpoint_incomplete_wait_ms: float | None, redo_log_switch_wait_s: float | None,
    _checkpoint_main_cause: Shown, _checkpoint_binding_limit: Shown,
    *, driven: str = of(driver), waits_for_redo: RedoWaits = of(redo_waits),
    held: tuple[Number, ...] = of(held_by_redo),
) -> Diagnosis | None:  # fmt: skip
    """Sessions wait because the checkpoint of the next redo log is incomplete."""
    switches, counted = redo_log_switch_wait_s or 0.0, checkpoint_incomplete_waits
    most = checkpoint_incomplete_wait_s * 2 >= switches > 0
    weighed = f.weigh(checkpoint_incomplete_wait_s, each_ms=checkpoint_incomplete_wait_ms)
    rest, more = switches - checkpoint_incomplete_wait_s, ""
    if most:
        weighed = waits_for_redo.weigh(f, switches=True, each_ms=checkpoint_incomplete_wait_ms)
        if rest >= 1:
            weighed = weighed._replace(
                weight=weighed.weight._replace(of="at log switches", per="wait for a checkpoint")
            )
            more = f" Sessions waited {rest:,.0f} s more at log switches for other causes."
    times = ""
    if counted is not None and (waits := counted.number):
        # an estimate from a rate is shown with two digits
        estimated = counted.status == "estimated"
        times = f"about {float(f'{waits:.2g}'):,.0f} times" if estimated else f"{waits:,.0f} times"
    sessions = f.scale.sessions(checkpoint_incomplete_wait_s)
    rare = sessions is not None and sessions * _DAY_S < f.limit("checkpoint.few_s")
    total = f"{checkpoint_incomplete_wait_s:,.0f} s" if checkpoint_incomplete_wait_s >= 1 else ""
    waited = f"{total} ({times}) " if total and times else f"{total}{times} ".lstrip()
    return Diagnosis(
        f"Sessions waited {waited}for incomplete checkpoints",
        weighed if weighed.matters or rare else weighed._replace(severity="info"),
        f.impact(checkpoint_incomplete_wait_s, "`log file switch (checkpoint incomplete)`"),
        "LGWR needed the next redo log before DBWR had written the blocks that it protects."
        f"{more} {driven}".rstrip()
        + behind(weighed, held),
        also=consequences(weighed, held),
        hide=() if most else ("redo.log_switch_wait_s",),
        related=("REDO004", "CKPT003"),
        even_ok=True,
    )


_DAY_S: Final = 86_400


@rule("CKPT005")
def checkpoint_writes_felt(
    f: Facts, checkpoint_write_pct: float, checkpoint_buffer_wait_s: Gate,
    _checkpoint_main_cause: Shown, _checkpoint_binding_limit: Shown,
    *, checkpoint_buffer_wait_ms: float | None, driven: str = of(driver),
    writes: str = of(dbwr_writes),
) -> Diagnosis | None:  # fmt: skip
    """DBWR writes mostly for checkpoints, and sessions wait for DBWR."""
    share, seconds = checkpoint_write_pct, checkpoint_buffer_wait_s
    if share < f.limit("checkpoint.write_pct"):
        return None
    return Diagnosis(
        f"{share:.0f} % of DBWR writes are for checkpoints, and sessions waited {seconds:,.0f} s "
        "for DBWR",
        f.weigh(seconds, each_ms=checkpoint_buffer_wait_ms),
        f.impact(seconds, "`free buffer waits` and `write complete waits`"),
        (driven or "The report does not show which limit drives checkpoints.") + writes,
        related=("CKPT001",),
    )


@rule("CKPT008")
def dbwr_waits_without_checkpoints(
    f: Facts, checkpoint_buffer_wait_s: Gate, checkpoint_buffer_wait_ms: float | None,
    checkpoint_write_pct: float | None, writes: str = of(dbwr_writes),
    *, read: float | None = of(judged_read), io_slow_places: Late, others: str = of(quick_kinds),
) -> Diagnosis | None:  # fmt: skip
    """Sessions wait for DBWR, but not because of checkpoints."""
    seconds, share = checkpoint_buffer_wait_s, checkpoint_write_pct
    if (share or 0.0) >= f.limit("checkpoint.write_pct"):
        return None
    no_target = (
        ""
        if share is None
        else f" {share:.0f} % of DBWR writes are for checkpoints, so a recovery target would not "
        "change this."
    )
    return Diagnosis(
        f"Sessions waited {seconds:,.0f} s for DBWR",
        f.weigh(seconds, each_ms=checkpoint_buffer_wait_ms),
        f.impact(seconds, "`free buffer waits` and `write complete waits`"),
        f"Sessions found no free buffer, or one that DBWR was writing.{no_target}{writes}"
        f"{slow_reads(f, read, io_slow_places, 'DBWR', others)}",
        related=("CKPT005",),
    )


@rule("CKPT009", needs=("checkpoint.object_wait_s|checkpoint.local_write_wait_s",))
def object_checkpoint_waits(
    f: Facts, checkpoint_object_wait_s: Gate | None, checkpoint_object_wait_ms: float | None,
    checkpoint_local_write_wait_s: Gate | None, checkpoint_local_write_wait_ms: float | None,
) -> Diagnosis | None:  # fmt: skip
    """Sessions wait until DBWR has written the blocks of one object."""
    waits = (checkpoint_object_wait_s, checkpoint_local_write_wait_s)
    objects, local = (wait or 0.0 for wait in waits)
    object_ms, local_ms = checkpoint_object_wait_ms, checkpoint_local_write_wait_ms
    why, basis = [], []
    if objects:
        times = "" if object_ms is None else f", {ms_words(object_ms)} per wait"
        why.append(
            "Truncates and direct-path reads wait until DBWR has written the object's blocks"
            f"{times}."
        )
        basis.append("enqueues KO, RO and CR")
    if f.scale.significant(local):
        times = "" if local_ms is None else f", {ms_words(local_ms)} per wait"
        why.append(
            f"`local write wait` ({local:,.0f} s{times}) is a session that truncates or drops and "
            "waits until DBWR has written its own buffers."
        )
    if local:
        basis.append("`local write wait`")
    return Diagnosis(
        f"Sessions waited {objects + local:,.0f} s for object checkpoints",
        f.weigh(*waits, each_ms=local_ms if local > objects else object_ms),
        f.impact(objects + local, ", and ".join(basis)),
        " ".join(why),
        related=("CKPT005",),
    )


#: Waits of sessions if DBWR is slow.
_DBWR_WAITS: Final = (
    "checkpoint.buffer_wait", "checkpoint.incomplete_wait", "checkpoint.object_wait",
)  # fmt: skip


def _dbwr_unnoticed(f: Facts) -> bool:
    return f.scale.unnoticed(f.total(*(f"{wait}_s" for wait in _DBWR_WAITS)))


@rule(
    "CKPT010",
    weighs=True,
    wants=tuple(f"{wait}_{unit}" for wait in _DBWR_WAITS for unit in ("s", "ms")),
)
def synchronous_io(
    f: Facts, checkpoint_disk_asynch_io: str, checkpoint_filesystemio_options: Fact,
    writes: str = of(dbwr_writes),
    *, checkpoint_data_write_ms: float | None, checkpoint_submitted_write_ms: float | None,
    checkpoint_asm: str | None, unnoticed: bool = of(_dbwr_unnoticed, ends=bool),
) -> Diagnosis | None:  # fmt: skip
    """DBWR writes synchronously and slowly, and sessions wait for it."""
    seconds = f.total(*(f"{wait}_s" for wait in _DBWR_WAITS))
    slowest = max(checkpoint_data_write_ms or 0.0, checkpoint_submitted_write_ms or 0.0)
    if not slowest or f.scale.how_slow(slowest) < 2:  # noqa: PLR2004 - slow
        return None
    asynch, options = checkpoint_disk_asynch_io, checkpoint_filesystemio_options
    in_files = checkpoint_asm == "no"
    setting = first_of(
        (asynch == "FALSE", "DISK_ASYNCH_IO=FALSE"),
        (in_files and options.value in ("NONE", "DIRECTIO"),
         f"FILESYSTEMIO_OPTIONS={options.value}"),
        (in_files and options.value == "DEFAULT", "FILESYSTEMIO_OPTIONS is not set"),
    )  # fmt: skip
    weights = [f.weigh(f"{wait}_s", each_ms=f.get(f"{wait}_ms")) for wait in _DBWR_WAITS]
    weighed = max(weights, key=lambda weighed: SEVERITIES.index(weighed.severity))
    if not setting:
        return None
    sure = options.status == "measured" or asynch == "FALSE"
    return Diagnosis(
        f"{setting}: DBWR {'writes' if sure else 'may write'} synchronously",
        weighed,
        f.impact(seconds, "waits for DBWR, for incomplete checkpoints and for object checkpoints"),
        f"{writes.strip()} Sessions wait for DBWR.",
        doubt="" if sure else "the default depends on the platform",
        related=("CKPT005", "CKPT008"),
    )


_AT_ONCE: Final = ": DBWR writes nearly every change at once, and the target has no effect."


@rule("CKPT002", wants=tuple(PARAMETERS.values()))
def conflicting_checkpoint_parameters(
    f: Facts, checkpoint_fast_start_mttr_target_s: float,
    *, _checkpoint_target_set: Literal["yes"] | None, checkpoint_binding_limit: str | None,
    reached: float | None = of(reached_pct),
) -> Diagnosis | None:  # fmt: skip
    """Old checkpoint parameters conflict with FAST_START_MTTR_TARGET."""
    set_ = conflicting(f.get, checkpoint_binding_limit, f.limit("checkpoint.default_timeout_s"))
    if checkpoint_fast_start_mttr_target_s <= 0 or not set_:
        return None
    binding = f"LOG_CHECKPOINT_{str(checkpoint_binding_limit).upper()}" in set_
    binding = binding and (reached is None or reached >= f.limit("checkpoint.at_limit_pct"))
    values = {name: f.get(PARAMETERS[name]) or 0.0 for name in set_}
    interval_b = values.get("LOG_CHECKPOINT_INTERVAL", 0.0) * REDO_BLOCK_B
    tiny = 0 < interval_b < f.limit("checkpoint.least_interval_mb") * MB
    shown = [f"{name}={value:.0f}" for name, value in values.items()]
    if interval_b:
        size = io_size(interval_b) if interval_b >= 1024 else f"{interval_b:.0f} bytes"  # noqa: PLR2004 - KB
        shown[0] += f" ({size} of redo)"
    return Diagnosis(
        f"{' and '.join(shown)} conflict{'s' * (len(set_) == 1)} with "
        f"FAST_START_MTTR_TARGET={checkpoint_fast_start_mttr_target_s:.0f}",
        "warning" if tiny else "info",
        f.impact(None, "recovery time, not waits"),
        (f"The {checkpoint_binding_limit} limit drives checkpoints now" if binding
         else "They do not drive checkpoints in this interval, but they can")
        + (_AT_ONCE if binding and tiny else "."),
        also=tuple(PARAMETERS[name] for name in set_),
        related=("CKPT004",),
    )  # fmt: skip


@rule("CKPT003", weighs=True)
def no_recovery_target(
    f: Facts, checkpoint_target_mttr_s: float, checkpoint_incomplete_wait_s: Some,
    *, checkpoint_incomplete_wait_ms: float | None, checkpoint_target_set: str | None,
    database_release: str | None, database_role: str | None,
) -> Diagnosis | None:  # fmt: skip
    """FAST_START_MTTR_TARGET is not set, and sessions wait for checkpoints."""
    weighed = f.weigh(checkpoint_incomplete_wait_s, each_ms=checkpoint_incomplete_wait_ms)
    if checkpoint_target_mttr_s > 0 or not weighed.matters:
        return None
    if "STANDBY" in (database_role or "").upper():
        return None
    off = checkpoint_target_set == OFF
    is_ = "=0 turns automatic checkpoint tuning off" if off else " is not set"
    major = (database_release or "").partition(".")[0]
    self_tuned = major.isdecimal() and int(major) >= 10 and not off  # noqa: PLR2004 - since 10.1
    return Diagnosis(
        f"FAST_START_MTTR_TARGET{is_}",
        "info",
        f.impact(checkpoint_incomplete_wait_s, "`log file switch (checkpoint incomplete)`"),
        "Automatic checkpoint tuning, which is on without a target, does not end these waits."
        if self_tuned
        else "Without a target, DBWR writes in bulk at log switches.",
        related=("CKPT001",),
    )


@rule("CKPT004")
def recovery_target_changed(
    f: Facts, checkpoint_fast_start_mttr_target_s: float, checkpoint_target_mttr_s: float,
    _checkpoint_lowest_mttr_s: Shown, *, _checkpoint_target_set: Literal["yes"] | None,
) -> Diagnosis | None:  # fmt: skip
    """The recovery target in force differs from the parameter."""
    asked, kept = checkpoint_fast_start_mttr_target_s, checkpoint_target_mttr_s
    if asked <= 0 or kept <= 0 or kept - asked < f.limit("checkpoint.reset_s"):
        return None
    return Diagnosis(
        f"FAST_START_MTTR_TARGET is {asked:.0f} s, but Oracle raised the target to {kept:.0f} s",
        "warning",
        f.impact(None, "recovery time, not waits"),
        f"{asked:.0f} s is below the minimum recovery time of this instance. Start-up, opening the "
        f"files and recovering 1,000 dirty blocks take {kept:.0f} s.",
    )


@rule("CKPT006")
def small_logs_drive_checkpoints(
    f: Facts, checkpoint_binding_limit: str, checkpoint_target_mttr_s: float,
    checkpoint_estimated_mttr_s: float, checkpoint_optimal_log_mb: float | None,
    *, checkpoint_estimated_mttr_high_s: float | None, database_release: str | None,
    reached: float | None = of(reached_pct),
) -> Diagnosis | None:  # fmt: skip
    """Small redo logs drive checkpoints, not the recovery target."""
    target, high = checkpoint_target_mttr_s, checkpoint_estimated_mttr_high_s
    estimate = checkpoint_estimated_mttr_s if high is None else high
    if checkpoint_binding_limit != "log_size" or target <= 0 or estimate >= target:
        return None
    if reached is not None and reached < f.limit("checkpoint.at_limit_pct"):
        return None
    rule_, size = limit_of(database_release), checkpoint_optimal_log_mb
    most = rule_.words if rule_ else "a part of the redo logs"
    return Diagnosis(
        f"Redo log size limits recovery to {estimate:.0f} s; the target is {target:.0f} s",
        "info",
        f.impact(None, "recovery time, not waits"),
        f"Recovery never reads more than {most}."
        + (f" Oracle's optimal redo log size is {size:,.0f} MB." if size else ""),
    )


@rule("CKPT007")
def recovery_estimate_above_target(
    f: Facts, checkpoint_target_mttr_s: float, checkpoint_estimated_mttr_high_s: float,
    checkpoint_data_write_ms: float | None,
    *, checkpoint_estimated_mttr_s: float, checkpoint_fast_start_mttr_target_s: float | None,
) -> Diagnosis | None:  # fmt: skip
    """Recovery would take longer than the target in force."""
    kept, high = checkpoint_target_mttr_s, checkpoint_estimated_mttr_high_s
    latency = checkpoint_data_write_ms
    # below the parameter, Oracle may use a lower target that nobody set
    target = max(kept, checkpoint_fast_start_mttr_target_s or 0.0)
    if kept <= 0 or high - target < f.limit("checkpoint.over_target_s"):
        return None
    lasting = checkpoint_estimated_mttr_s - target >= f.limit("checkpoint.over_target_s")
    return Diagnosis(
        f"Recovery would take {high:.0f} s; the target is {target:.0f} s",
        "warning" if lasting else "info",
        f.impact(None, "recovery time, not waits"),
        ("This is still so at the end of the interval." if lasting
         else f"At the end of the interval it is {checkpoint_estimated_mttr_s:.0f} s.")
        + ("" if latency is None else f" A DBWR write batch takes {ms_words(latency)}."),
        related=("CKPT004", "CKPT006"),
    )  # fmt: skip
