"""What the instance's recovery time is now and which limit holds it, in words with numbers.

Source: document 1, "Upper and Lower Bounds on MTTR" (later releases: awrlens.logsize);
V$INSTANCE_RECOVERY in Oracle's Reference:
TARGET_REDO_BLKS is the least of the limits by log size, timeout and interval. Since 10g the
recovery target works on dirty blocks and is not among them, so Checkpoint Activity, where it is
printed, says more of why DBWR writes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.advice.mttr import LEAST_DIRTY_BLOCKS
from awrlens.logsize import limit_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from awrlens.model import Fact, Finding

#: Share of the redo limit from which the checkpoint is held at it.
#: # awrlens: an assumption; the snapshot is taken while DBWR still writes
AT_LIMIT: Final = 0.9
_REDO_BLOCK_B: Final = 512
_MB: Final = 2**20


def state(facts: Mapping[str, Fact], findings: tuple[Finding, ...] = ()) -> list[str]:
    """Sentences: the estimate's range, what became of the setting, the limit, why DBWR writes."""
    missed = any(finding.id == "CKPT007" for finding in findings)
    found = [_estimate(facts, missed=missed), _setting(facts), _binding(facts), _cause(facts)]
    return [sentence for sentence in found if sentence]


def highest_s(facts: Mapping[str, Fact]) -> float | None:
    """The target above which nothing changes: the one in force where Oracle lowered it."""
    asked = facts["checkpoint.fast_start_mttr_target_s"].number
    kept = facts["checkpoint.target_mttr_s"].number
    return kept if asked and kept and 0 < kept < asked else None


def floor(facts: Mapping[str, Fact], target_s: float) -> str:
    """A warning where recovery takes longer than a target with next to nothing to recover."""
    dirty = facts["checkpoint.estimated_ios"].number
    estimate = facts["checkpoint.estimated_mttr_s"].number
    if dirty is None or estimate is None or dirty > LEAST_DIRTY_BLOCKS or estimate <= target_s:
        return ""
    return (
        f"With only {dirty:,.0f} dirty blocks the estimate was {estimate:.0f} s: that is start-up "
        f"and opening of the files, which no target shortens, so {target_s:.0f} s can hardly be "
        "kept. V$INSTANCE_RECOVERY.TARGET_MTTR tells what Oracle makes of it."
    )


def _estimate(facts: Mapping[str, Fact], *, missed: bool) -> str:
    low = facts["checkpoint.estimated_mttr_low_s"].number
    high = facts["checkpoint.estimated_mttr_high_s"].number
    if low is None or high is None:
        return ""
    span = f"{low:.0f} s" if low == high else f"{low:.0f} to {high:.0f} s"
    text = f"Recovery is estimated at {span} at the snapshots"
    kept = facts["checkpoint.target_mttr_s"].number
    if not kept:
        return f"{text}."
    if missed:
        return f"{text}, above the {kept:.0f} s that the instance aims at."
    return f"{text}; the {kept:.0f} s that the instance aims at are kept."


def _setting(facts: Mapping[str, Fact]) -> str:
    asked = facts["checkpoint.fast_start_mttr_target_s"].number
    kept = facts["checkpoint.target_mttr_s"].number
    if not asked or not kept or round(asked) == round(kept):
        return ""
    if kept > asked:
        return (
            f"Oracle has raised the target from {asked:.0f} to {kept:.0f} s, the lowest that it "
            "can keep."
        )
    return (
        f"Of the {asked:.0f} s that are set only {kept:.0f} s count: more dirty blocks and redo "
        "than recovery needs that long for cannot come up here, so a higher value changes nothing."
    )


def _binding(facts: Mapping[str, Fact]) -> str:
    limit = facts["checkpoint.binding_limit"].value
    blocks = facts["checkpoint.target_redo_blocks"].number
    if blocks is None:
        return ""
    size = f"{blocks:,.0f} blocks of redo (about {_size(blocks * _REDO_BLOCK_B)})"
    if limit == "log_size":
        release = facts["database.release"].value
        rule = limit_of(release if isinstance(release, str) else None)
        what = rule.words if rule else "the limit that the size of the redo logs sets"
        end = ", which caps recovery before the target does." if _capped(facts) else "."
        return f"The redo that recovery may need is held to {size}, {what}{end}"
    if limit == "interval":
        return f"LOG_CHECKPOINT_INTERVAL holds the redo that recovery may need to {size}."
    if limit == "timeout":
        return (
            f"LOG_CHECKPOINT_TIMEOUT (1,800 s where it is not set) holds the redo that recovery "
            f"may need to {size}."
        )
    if limit == "mttr" and _capped(facts):
        return (
            f"The checkpoint stands at its limit of {size} with recovery below the target: the "
            "time to read that redo is what Oracle holds it to."
        )
    return ""


def _size(size_b: float) -> str:
    return f"{size_b / _MB:,.0f} MB" if size_b >= _MB else f"{size_b / 1024:,.0f} KB"


def _cause(facts: Mapping[str, Fact]) -> str:
    cause = facts["checkpoint.main_cause"]
    return (
        f"Most checkpoint writes are for {cause.note}." if cause.value not in (None, "none") else ""
    )


def _capped(facts: Mapping[str, Fact]) -> bool:
    """Whether the checkpoint is held at its redo limit while recovery is below the target."""
    kept = facts["checkpoint.target_mttr_s"].number
    high = facts["checkpoint.estimated_mttr_high_s"].number
    actual = facts["checkpoint.actual_redo_blocks"].number
    limit = facts["checkpoint.target_redo_blocks"].number
    if not kept or high is None or actual is None or not limit:
        return False
    return high < kept * AT_LIMIT and actual >= limit * AT_LIMIT
