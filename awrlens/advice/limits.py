"""The instance's recovery time now, and the limit that determines it, in words and numbers.

Source: Fast-Start Checkpointing Best Practices, "Upper and Lower Bounds on MTTR" (later releases:
awrlens.logsize); V$INSTANCE_RECOVERY in Oracle Database Reference. TARGET_REDO_BLKS is the minimum
of the limits by redo log size, timeout and interval. Since 10g, the recovery target limits dirty
blocks and is not among them. Checkpoint Activity, if the report has it, shows better why DBWR
writes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.advice.mttr import LEAST_DIRTY_BLOCKS
from awrlens.checkpoints import AT_LIMIT_PCT, REDO_BLOCK_B, lag_pct
from awrlens.logsize import limit_of

if TYPE_CHECKING:
    from awrlens.advice.case import Case

_MB: Final = 2**20


def state(case: Case) -> list[str]:
    """Sentences on the estimate, the setting and its effect, the limit, and why DBWR writes."""
    return list(filter(None, (_estimate(case), _setting(case), _binding(case), _cause(case))))


def highest_s(case: Case) -> float | None:
    """The target above which nothing changes: the target in effect if Oracle lowered it."""
    asked, kept = _targets(case)
    return kept if asked and kept and 0 < kept < asked else None


def floor(case: Case, target_s: float) -> str:
    """A warning if recovery takes longer than a target although there is little to recover."""
    dirty, estimate = case.get("checkpoint.estimated_ios"), case.get("checkpoint.estimated_mttr_s")
    if dirty is None or estimate is None or dirty > LEAST_DIRTY_BLOCKS or estimate <= target_s:
        return ""
    return (
        f"With only {dirty:,.0f} dirty blocks, the estimate was {estimate:.0f} s. This is start-up "
        f"and opening of the files, which a target does not shorten, so {target_s:.0f} s is "
        "probably not achievable. V$INSTANCE_RECOVERY.TARGET_MTTR shows the target that Oracle "
        "uses instead."
    )


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
    return f"The estimated recovery time at the snapshots is {span}{target}."


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
    return (
        f"The target is set to {asked:.0f} s, but values above {kept:.0f} s have no effect now: "
        f"{why}."
    )


def _binding(case: Case) -> str:
    limit, blocks = (
        case.value("checkpoint.binding_limit"),
        case.get("checkpoint.target_redo_blocks"),
    )
    if blocks is None:
        return ""
    size_b = blocks * REDO_BLOCK_B
    size = f"{size_b / _MB:,.0f} MB" if size_b >= _MB else f"{size_b / 1024:,.0f} KB"
    redo = f"{size} of redo ({blocks:,.0f} redo blocks)"
    if limit == "log_size":
        rule = limit_of(case.release)
        share = f" ({rule.words})" if rule else ""
        end = " before the target does." if _capped(case) else "."
        return f"The redo log size{share} limits recovery to {redo}{end}"
    reached = lag_pct(case.get)
    far = reached is not None and reached < case.policy[AT_LIMIT_PCT]
    now = f"; at the end snapshot, {reached:.0f} % of it is reached" if far else ""
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


def _cause(case: Case) -> str:
    cause = case.facts["checkpoint.main_cause"]
    return "" if cause.value in (None, "none") else f"{cause.note}."


def _capped(case: Case) -> bool:
    """Whether the checkpoint lag is at its redo limit although recovery is below the target."""
    _, kept = _targets(case)
    at_limit = case.policy[AT_LIMIT_PCT] / 100
    high = case.get("checkpoint.estimated_mttr_high_s")
    reached = lag_pct(case.get)
    if not kept or high is None or reached is None:
        return False
    return high < kept * at_limit and reached >= at_limit * 100
