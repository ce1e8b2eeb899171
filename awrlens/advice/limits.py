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
from awrlens.checkpoints import AT_LIMIT_PCT
from awrlens.logsize import limit_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from awrlens.model import Fact, Finding
    from awrlens.policy import Policy

_REDO_BLOCK_B: Final = 512
_MB: Final = 2**20


def state(facts: Mapping[str, Fact], findings: tuple[Finding, ...], policy: Policy) -> list[str]:
    """Sentences on the estimate, the setting and its effect, the limit, and why DBWR writes."""
    missed = any(finding.id == "CKPT007" for finding in findings)
    binding = _binding(facts, policy[AT_LIMIT_PCT] / 100)
    found = [_estimate(facts, missed=missed), _setting(facts), binding, _cause(facts)]
    return [sentence for sentence in found if sentence]


def highest_s(facts: Mapping[str, Fact]) -> float | None:
    """The target above which nothing changes: the target in effect if Oracle lowered it."""
    asked = facts["checkpoint.fast_start_mttr_target_s"].number
    kept = facts["checkpoint.target_mttr_s"].number
    return kept if asked and kept and 0 < kept < asked else None


def floor(facts: Mapping[str, Fact], target_s: float) -> str:
    """A warning if recovery takes longer than a target although there is little to recover."""
    dirty = facts["checkpoint.estimated_ios"].number
    estimate = facts["checkpoint.estimated_mttr_s"].number
    if dirty is None or estimate is None or dirty > LEAST_DIRTY_BLOCKS or estimate <= target_s:
        return ""
    return (
        f"With only {dirty:,.0f} dirty blocks, the estimate was {estimate:.0f} s. This is start-up "
        f"and opening of the files, which a target does not shorten, so {target_s:.0f} s is "
        "probably not achievable. V$INSTANCE_RECOVERY.TARGET_MTTR shows the target that Oracle "
        "uses instead."
    )


def _estimate(facts: Mapping[str, Fact], *, missed: bool) -> str:
    low = facts["checkpoint.estimated_mttr_low_s"].number
    high = facts["checkpoint.estimated_mttr_high_s"].number
    if low is None or high is None:
        return ""
    span = f"{low:.0f} s" if low == high else f"{low:.0f} to {high:.0f} s"
    text = f"The estimated recovery time at the snapshots is {span}"
    kept = facts["checkpoint.target_mttr_s"].number
    if not kept:
        return f"{text}."
    if missed:
        return f"{text}, above the target of {kept:.0f} s that is in effect."
    return f"{text}, within the target of {kept:.0f} s that is in effect."


def _setting(facts: Mapping[str, Fact]) -> str:
    asked = facts["checkpoint.fast_start_mttr_target_s"].number
    kept = facts["checkpoint.target_mttr_s"].number
    if not asked or not kept or round(asked) == round(kept):
        return ""
    if kept > asked:
        return (
            f"Oracle has raised the target from {asked:.0f} to {kept:.0f} s, the lowest that is "
            "achievable."
        )
    return (
        f"The target is set to {asked:.0f} s, but values above {kept:.0f} s have no effect: even "
        f"with every buffer dirty, recovery would take about {kept:.0f} s."
    )


def _binding(facts: Mapping[str, Fact], at_limit: float) -> str:
    limit = facts["checkpoint.binding_limit"].value
    blocks = facts["checkpoint.target_redo_blocks"].number
    if blocks is None:
        return ""
    size = f"{_size(blocks * _REDO_BLOCK_B)} of redo ({blocks:,.0f} redo blocks)"
    if limit == "log_size":
        release = facts["database.release"].value
        rule = limit_of(release if isinstance(release, str) else None)
        share = f" ({rule.words})" if rule else ""
        end = " before the target does." if _capped(facts, at_limit) else "."
        return f"The redo log size{share} limits recovery to {size}{end}"
    if limit == "interval":
        return f"LOG_CHECKPOINT_INTERVAL limits recovery to {size}."
    if limit == "timeout":
        return f"LOG_CHECKPOINT_TIMEOUT (default 1,800 s) limits recovery to {size}."
    if limit == "mttr" and _capped(facts, at_limit):
        return (
            f"The checkpoint lag is at its limit of {size} although recovery is below the target: "
            "Oracle limits the time to read this redo."
        )
    return ""


def _size(size_b: float) -> str:
    return f"{size_b / _MB:,.0f} MB" if size_b >= _MB else f"{size_b / 1024:,.0f} KB"


def _cause(facts: Mapping[str, Fact]) -> str:
    cause = facts["checkpoint.main_cause"]
    return (
        f"Most checkpoint writes are for {cause.note}." if cause.value not in (None, "none") else ""
    )


def _capped(facts: Mapping[str, Fact], at_limit: float) -> bool:
    """Whether the checkpoint lag is at its redo limit although recovery is below the target."""
    kept = facts["checkpoint.target_mttr_s"].number
    high = facts["checkpoint.estimated_mttr_high_s"].number
    actual = facts["checkpoint.actual_redo_blocks"].number
    limit = facts["checkpoint.target_redo_blocks"].number
    if not kept or high is None or actual is None or not limit:
        return False
    return high < kept * at_limit and actual >= limit * at_limit
