"""FAST_START_MTTR_TARGET: the value to set, for a single instance and in RAC.

Source: Fast-Start Checkpointing Best Practices, "Determining FAST_START_MTTR_TARGET in a RAC
Environment", "Upper and Lower Bounds on MTTR" and "Determining a Proper FAST_START_MTTR_TARGET
Value for Your Environment".

Also the recovery time now, and the limit that determines it (V$INSTANCE_RECOVERY in Oracle Database
Reference): TARGET_REDO_BLKS is the minimum of the limits by redo log size, timeout and interval;
since 10g, the recovery target limits dirty blocks and is not among them. Checkpoint Activity, if
the report has it, shows better why DBWR writes.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final, Literal

from awrlens.advice.case import Request as Request  # noqa: PLC0414, TC001 - exported
from awrlens.advice.queries import texts
from awrlens.advice.recovery_split import USUAL_RATES, known_s, split_of
from awrlens.errors import UsageError
from awrlens.lazy import NamedTuple
from awrlens.oracle.checkpoints import (
    LEAST_DIRTY_BLOCKS,
    LEAST_START_S,
    MB,
    REDO_BLOCK_B,
    lag_pct,
    limit_of,
)
from awrlens.units import plain

if TYPE_CHECKING:
    from collections.abc import Mapping

    from awrlens.advice.case import Case
    from awrlens.model import Fact


#: Maximum value of the parameter, in seconds.
#: # Fast-Start Checkpointing Best Practices, "Upper and Lower Bounds on MTTR"
HIGHEST_S: Final = 3600


class Remark(NamedTuple):
    """A sentence on how a target is calculated, and what it is about if not all readers get it."""

    text: str
    kind: Literal["advised-offset", "reset", "unmeasured", "no-effect", "estimate", ""] = ""


class Target(NamedTuple):
    """The value to set and the parts of the recovery time, in seconds; None is not known."""

    fast_start_mttr_target_s: int
    startup_s: float | None
    file_open_s: float | None
    cache_recovery_s: float | None
    lowest_s: int | None
    highest_s: int
    expected_mttr_s: float | None
    formula: str
    notes: tuple[Remark, ...]


def target(request: Request) -> Target:
    """The FAST_START_MTTR_TARGET for a desired recovery time.

    Without a desired time, recovery is not critical and the target is 3600. In RAC, a surviving
    instance is running and has the files open, so both times are added to the desired time.
    Raises UsageError for negative input.
    """
    _check(request)
    low, high = _bounds(request)
    parts = request.startup_s, request.file_open_s
    desired, formula = request.desired_mttr_s, ""
    if desired is None:
        text = texts("target of 3600")[0]
        remarks = (Remark(text), *_estimate_remark(request, HIGHEST_S))
        return Target(HIGHEST_S, *parts, None, low, high, _expected(request), "", remarks)
    notes: list[Remark] = []
    offset = request.offset_s if request.rac else 0.0
    if request.rac:
        formula = _formula(request, desired + offset)
        notes.append(_offset_remark(request))
    wanted = round(desired + offset)
    value = max(1, min(wanted, HIGHEST_S))
    if wanted > HIGHEST_S:
        text = f"{wanted} s is above the parameter's maximum; {HIGHEST_S} is used instead."
        notes.append(Remark(text))
    value, reset = _reset(value, request)
    notes += reset
    if value > high:
        text = (
            f"Above {high} s, the parameter has no effect: even with every buffer dirty, recovery "
            f"would take about {high} s."
        )
        notes.append(Remark(text, "no-effect"))
    notes += _estimate_remark(request, value)
    cache = None if None in parts else max(0.0, value - sum(seconds or 0.0 for seconds in parts))
    if request.rac:
        cache = desired if value == wanted else max(0.0, value - offset)
        cache = cache if request.offset_known else None
    return Target(value, *parts, cache, low, high, _expected(request), formula, tuple(notes))


def _check(request: Request) -> None:
    for name, value in request._asdict().items():
        if isinstance(value, float | int) and value < 0:
            raise UsageError(f"{name} is {value:g}; it must not be negative.")
    if request.desired_mttr_s == 0:
        raise UsageError(
            "A desired MTTR of 0 s is not achievable.",
            hint="Give the seconds that recovery may take; 0 would turn fast-start "
            "checkpointing off.",
        )


def _bounds(request: Request) -> tuple[int | None, int]:
    """The lowest achievable target (None if not known) and the highest that has an effect."""
    lowest = request.lowest_mttr_s
    if lowest is None and not (request.startup_s is None and request.file_open_s is None):
        lowest = request.offset_s
    low = None if lowest is None else min(HIGHEST_S, max(1, math.ceil(lowest)))
    high = min(HIGHEST_S, round(request.highest_mttr_s or HIGHEST_S))
    return low, max(high, low or 1)


def _expected(request: Request) -> float | None:
    """Estimated recovery time; in RAC, without start-up and opening of the files."""
    # Fast-Start Checkpointing Best Practices, "Monitoring MTTR in a RAC Environment"
    if request.estimated_mttr_s is None or not request.rac:
        return request.estimated_mttr_s
    return max(0.0, request.estimated_mttr_s - request.offset_s) if request.offset_known else None


def _estimate_remark(request: Request, target_s: float) -> list[Remark]:
    """What the given ESTIMATED_MTTR says of a target."""
    estimate = request.estimated_mttr_s  # Best Practices, "Upper Bound on MTTR"
    if estimate is None:
        return []
    sentences = []
    if request.rac and not request.offset_known:
        sentences.append(
            f"A surviving instance needs at most the {estimate:.0f} s of ESTIMATED_MTTR: without "
            "INIT_TIME_AVG and FOPEN_TIME_AVG, start-up and opening, which are part of it, cannot "
            "be subtracted."
        )
    if estimate < target_s:
        sentences.append(
            f"ESTIMATED_MTTR is {estimate:.0f} s, below {target_s:.0f} s: the load, or another "
            "limit (redo log size, the time to read the redo, LOG_CHECKPOINT_TIMEOUT or "
            "LOG_CHECKPOINT_INTERVAL), keeps recovery shorter than this target, which Oracle does "
            "not reset."
        )
    return [Remark(text, "estimate") for text in sentences]


def _formula(request: Request, total: float) -> str:
    parts = [f"{request.desired_mttr_s:g}"]
    if request.init_time_avg_us is not None:
        parts.append(f"{request.init_time_avg_us:,.0f} / 1,000,000")
    if request.fopen_time_avg_us is not None and request.datafiles is not None:
        parts.append(f"{request.fopen_time_avg_us:,.0f} / 1,000,000 × {request.datafiles}")
    if len(parts) == 1 and request.fixed_s is not None:
        parts.append(f"{max(0.0, request.fixed_s):.1f} s of start-up and opening")
    return f"{' + '.join(parts)} = {total:.2f} s" if len(parts) > 1 else ""


def _offset_remark(request: Request) -> Remark:
    """Why start-up and opening are added in RAC, or what is not known of them."""
    lacking = []
    if request.startup_s is None:
        lacking.append("INIT_TIME_AVG")
    if request.file_open_s is None:
        lacking.append("FOPEN_TIME_AVG and the number of data files")
    if len(lacking) == 2 and request.fixed_s is not None:  # noqa: PLR2004 - both
        source = "By an estimate from the report" if request.estimated else "By the MTTR Advisory"
        return Remark(
            f"{source}, start-up and opening of the files take {request.offset_s:.1f} s, which "
            "a surviving instance does not need. INIT_TIME_AVG and FOPEN_TIME_AVG in "
            "X$ESTIMATED_MTTR (as SYS) are the exact times.",
            "advised-offset",
        )
    if not lacking:
        return Remark(
            "In RAC, a surviving instance performs the recovery. It is running and has the files "
            "open, so start-up and opening are added to the desired time.",
        )
    return Remark(
        f"Without {' and '.join(lacking)}, the target is too strict by that time. Both averages "
        "are in X$ESTIMATED_MTTR (as SYS).",
    )


def _reset(value: int, request: Request) -> tuple[int, list[Remark]]:
    """Oracle's reset of a value below the lowest achievable recovery time."""
    lowest, most_s = request.lowest_mttr_s, request.start_most_s
    known_s = (request.startup_s or 0.0) + (request.file_open_s or 0.0)
    blocks = f"{LEAST_DIRTY_BLOCKS:,} dirty blocks"
    estimated = "by an estimate from the load of the report, the lowest achievable target is"
    unmet, doubted = f"{value} s cannot be met:", f"Whether {value} s can be met is not known:"
    if lowest is not None and value < lowest:
        reset = math.ceil(lowest)
        text = f"{unmet} {estimated} about {reset} s ({blocks}, start-up and opening of the files)."
        if not request.estimated:
            text = (
                f"{value} s is below the lowest achievable recovery time ({blocks}, start-up and "
                "opening of the files). Oracle resets it and writes to the alert log: "
                f"FAST_START_MTTR_TARGET {value} is out of the valid MTTR range, use {reset} "
                "instead."
            )
        return reset, [Remark(text, "reset")]
    if request.blocks_s is not None and value < request.blocks_s + LEAST_START_S:
        text = (
            f"{unmet if value < request.blocks_s else doubted} {estimated} at least "
            f"{math.ceil(request.blocks_s)} s for {blocks}, without start-up and opening of the "
            "files, which are not known."
        )
        return value, [Remark(text, "unmeasured")]
    if most_s is not None and value < most_s:
        text = (
            f"{doubted} start-up and opening of the files are part of Oracle's estimate, which "
            f"does not show their time, at most {plain(most_s, 2)} s."
            if request.estimated_mttr_s
            else f"{doubted} the report has neither an estimate of the recovery time nor the time "
            "of start-up and opening of the files."
        )
        return value, [Remark(text, "unmeasured")]
    if value < max(known_s, LEAST_START_S):
        time = f"{known_s:.1f} s" if known_s >= LEAST_START_S else f"at least {LEAST_START_S:g} s"
        text = (
            f"Start-up and opening of the files take {time}, longer than {value} s. Oracle "
            f"will reset the target to at least this time plus the recovery of {blocks}, with a "
            "message in the alert log."
        )
        return value, [Remark(text)]
    return value, []


def state(case: Case) -> list[str]:
    """Sentences on the estimate, the setting and its effect, the limit, and why DBWR writes."""
    cause = case.facts["checkpoint.main_cause"]
    why = "" if cause.value in (None, "none") else f"{cause.note}."
    return list(filter(None, (_estimate(case), _setting(case), _binding(case), why)))


def highest_s(case: Case) -> float | None:
    """The target above which nothing changes: the target in effect if Oracle lowered it."""
    asked, kept = _targets(case)
    return kept if asked and kept and 0 < kept < asked else None


def _targets(case: Case) -> tuple[float | None, float | None]:
    """The target that is set, and the one that is in effect."""
    return case.get("checkpoint.fast_start_mttr_target_s"), case.get("checkpoint.target_mttr_s")


def _estimate(case: Case) -> str:
    low, high = (case.get(f"checkpoint.estimated_mttr_{end}_s") for end in ("low", "high"))
    if low is None or high is None:
        return ""
    span = f"{low:.0f} s" if low == high else f"{low:.0f} to {high:.0f} s"
    _, kept = _targets(case)
    where = "above" if "CKPT007" in case.by_rule else "within"
    target = f", {where} the target of {kept:.0f} s that is in effect" if kept else ""
    split = split_of(case.facts)
    text = f"The estimated recovery time at the snapshots is {span}{target}."
    if split.contradiction:
        text = f"{split.contradiction}; the larger one is planned with."
    available = cluster_words(case.facts) if case.request.rac or case.threads > 1 else ""
    return f"{text} {split.words} {available}".rstrip()


def cluster_words(facts: Mapping[str, Fact]) -> str:
    """Oracle's own estimate of how long the surviving instances are frozen; empty without one.

    It is compared with the time at the rate of the paper "Buddy Instance".
    """
    names = "checkpoint.rac_available_s", "checkpoint.actual_redo_blocks"
    seconds, blocks = (facts[name].number for name in names)
    if not seconds or not blocks:
        return ""
    rate = USUAL_RATES.scan_bytes_per_s
    return (
        f"Oracle estimates that the cluster is available again {seconds:.0f} s after this instance "
        f"fails (Estd RAC Avail Time); the published {rate / MB:.0f} MB/s would read the redo in "
        f"{plain(known_s(blocks * REDO_BLOCK_B / rate))} s."
    )


def _setting(case: Case) -> str:
    asked, kept = _targets(case)
    if not asked or not kept or round(asked) == round(kept):
        return ""
    if kept > asked:
        return (
            f"Oracle has raised the target from {asked:.0f} to {kept:.0f} s, the lowest that is "
            "achievable."
        )
    why = "even with every buffer dirty, recovery would take about that"
    if case.value("checkpoint.binding_limit") == "log_size":
        why = "the redo logs limit recovery to about that, and larger ones raise it"
    text = f"The target is set to {asked:.0f} s, but values above {kept:.0f} s have no effect now"
    return f"{text}: {why}."


def _binding(case: Case) -> str:
    limit = case.value("checkpoint.binding_limit")
    blocks = case.get("checkpoint.target_redo_blocks")
    if blocks is None:
        return ""
    size_b = blocks * REDO_BLOCK_B
    size = f"{size_b / MB:,.0f} MB" if size_b >= MB else f"{size_b / 1024:,.0f} KB"
    redo = f"{size} of redo ({blocks:,.0f} redo blocks)"
    if limit == "log_size":
        rule = limit_of(case.release)
        share = f" ({rule.words})" if rule else ""
        end = " before the target does." if _capped(case) else "."
        return f"The redo log size{share} limits recovery to {redo}{end}"
    reached = lag_pct(case.get)
    at_limit = reached is None or case.policy["checkpoint.at_limit_pct"] <= reached <= _WHOLE_PCT
    now = "" if at_limit or reached is None else f"; at the end snapshot, {_reached(reached)}"
    if limit == "interval":
        return f"LOG_CHECKPOINT_INTERVAL limits recovery to {redo}{now}."
    if limit == "timeout":
        return (
            f"LOG_CHECKPOINT_TIMEOUT (default 1,800 s) limits recovery to {redo} at the redo rate "
            f"of the end snapshot{now}."
        )
    if limit == "mttr" and _capped(case):
        return (
            f"The checkpoint lag is at its limit of {redo} although recovery is below the target: "
            "Oracle limits the time to read this redo."
        )
    return ""


_WHOLE_PCT: Final = 100


def _reached(pct: float) -> str:
    """How much of a limit is reached, in words."""
    if pct <= _WHOLE_PCT:
        return f"{pct:.0f} % of it is reached"
    return f"the redo is {plain(pct / _WHOLE_PCT, 2)} times that"


def _capped(case: Case) -> bool:
    """Whether the checkpoint lag is at its redo limit although recovery is below the target."""
    kept, high = _targets(case)[1], case.get("checkpoint.estimated_mttr_high_s")
    reached, at_limit = lag_pct(case.get), case.policy["checkpoint.at_limit_pct"]
    if not kept or high is None or reached is None:
        return False
    return high < kept * at_limit / 100 and reached >= at_limit
