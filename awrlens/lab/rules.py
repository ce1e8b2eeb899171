"""Findings on alert logs and their recommendations; RECO001 is in `buddy.py`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.lab import judge
from awrlens.model import Impact, Recommendation
from awrlens.rules.base import rule

if TYPE_CHECKING:
    from collections.abc import Mapping

    from awrlens.lab.alert_log import Episodes
    from awrlens.lab.documents import Offsets
    from awrlens.lab.judge import Bound, Judged, Wanted
    from awrlens.model import Fact, Finding


_CHECK: Final = (
    "After the next recovery under load: awrlens recovery measure ALERTLOG --desired-mttr S.",
    "Measure three or four recoveries, so that Oracle's own estimates stabilize.",
)
_LOOK: Final = (
    "Analyze a Statspack or AWR report under load (--report). If there is no bottleneck without "
    "fast-start checkpointing (--without), its writes exceed the I/O capacity: set a higher target "
    "or add capacity."
)
#: What the lowest recovery time consists of: of a crash, and of a recovery by another instance.
_PARTS: Final = {
    False: "start-up, opening of the files and recovery of 1,000 dirty blocks",
    True: "recovery of 1,000 dirty blocks by an instance that is running and has the files open",
}


def recovery_over_target(facts: Mapping[str, Fact], judged: Judged) -> Finding:
    """A recovery exceeded the desired recovery time."""
    over = (judged.achieved_s or 0.0) - (judged.desired_s or 0.0)
    cause = "the lower bound" if judged.verdict == "lower-bound" else "a bottleneck"
    used = ("recovery.total_s", "recovery.achieved_s", "recovery.target_s")
    return RECO002.finding(
        f"The last recovery took {judged.achieved_s:.0f} s, {over:.0f} s too long: {cause}",
        "warning", judged.why[0].upper() + judged.why[1:] + ".",
        impact=Impact(over, None, "seconds beyond the desired recovery time"),
        facts=(facts[name] for name in used),
        doubts=["one recovery; the next one may have more or less redo"],
    )  # fmt: skip


RECO002: Final = rule(
    "RECO002", "recovery-over-target", thresholds=(judge.FEW_SECONDS,), status="preview",
    engine="oracle-alert-log", of_report=False,
)(recovery_over_target)  # fmt: skip


def recommendations(
    episodes: Episodes, judged: tuple[Judged, ...], wanted: Wanted, fixed: Offsets
) -> tuple[Recommendation, ...]:
    """What to do about the last recovery.

    # Fast-Start Checkpointing Best Practices, "If MTTR is too High"
    """
    if not episodes.recoveries:
        return ()
    last = judged[-1]
    bound = judge.lower_bound(episodes.recoveries[-1], episodes, wanted, fixed)
    if last.verdict == "lower-bound" and bound is not None:
        return (_lowest(episodes, bound),)
    if last.verdict != "bottleneck":
        return ()
    below = bound is not None and bound.lowest_s > (last.desired_s or 0.0)
    more = (_lowest(episodes, bound),) if bound is not None and below else ()
    seen = wanted.bottleneck
    title = "Find the recovery bottleneck, or increase the target"
    if seen is not None and seen["verdict"] == "capacity":
        title = "Increase the target, or the I/O capacity"
    took = "Recovery took longer than the lowest time that Oracle can keep."
    if bound is None:
        took = "Recovery exceeded the target although Oracle did not adjust the target."
    item = Recommendation(
        id="find-recovery-bottleneck", title=title,
        action=f"{took} {_LOOK if seen is None else seen['text']}",
        status="tune-first", validate=_CHECK, findings=(RECO002.id,),
    )  # fmt: skip
    return (item, *more)


def _lowest(episodes: Episodes, bound: Bound) -> Recommendation:
    used = int(bound.target_s) if judge.bound_before(episodes.recoveries[-1], episodes) else 0
    everywhere = " SID='*'" if episodes.clustered else ""
    change = bool(used) and episodes.target_s != used
    command = f"ALTER SYSTEM SET fast_start_mttr_target={used} SCOPE=BOTH{everywhere};"
    back = (
        "ALTER SYSTEM RESET fast_start_mttr_target SCOPE=SPFILE SID='*'; -- from the next start"
        if not episodes.target_s
        else f"ALTER SYSTEM SET fast_start_mttr_target={episodes.target_s} SCOPE=BOTH{everywhere};"
    )
    return Recommendation(
        id="ask-for-what-can-be-kept",
        title=f"Set FAST_START_MTTR_TARGET to at least {used}"
        if used
        else "Agree on an achievable recovery time",
        action="The desired recovery time is below the lowest that Oracle can achieve, "
        f"{bound.lowest_s:.0f} s: {_PARTS[bound.lowest_s < bound.target_s]}. Agree on an "
        "achievable time, or make these parts faster.",
        status="apply" if change else "no-benefit" if used else "need-data",
        commands=(command,) if change else (),
        rollback=(back,) if change else (),
        risks=("A lower target causes more writes to data files.",) if change else (),
        validate=_CHECK,
        findings=(RECO002.id,),
    )
