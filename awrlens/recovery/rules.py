"""What is found in alert logs, and what follows; RECO001 is in `buddy.py`."""

from __future__ import annotations

import inspect
import re
from typing import TYPE_CHECKING, Final

from awrlens.model import Finding, Impact, Recommendation
from awrlens.policy import cite
from awrlens.recovery import judge
from awrlens.rules.base import HEADINGS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from awrlens.model import Fact
    from awrlens.recovery.episodes import Episodes
    from awrlens.recovery.judge import Judged

#: id → name, first release, and where its page is written.
RECO002: Final = ("RECO002", "recovery-over-target")
_CHECK: Final = (
    "After the next recovery under load: awrlens recovery measure ALERTLOG --desired-mttr S.",
    "Take three or four recoveries, so that Oracle's own estimates settle.",
)


def recovery_over_target(facts: Mapping[str, Fact], judged: Judged) -> Finding:
    """A recovery took longer than it may.

    What it means:
        The last crash or instance recovery in an alert log took more than a few seconds longer
        than the desired recovery time, or than FAST_START_MTTR_TARGET where none is given.

    Why it matters:
        What was agreed was not kept, whatever ESTIMATED_MTTR said before.

    How it is computed:
        Crash recovery: from `Starting ORACLE instance` to `Completed: ALTER DATABASE OPEN`.
        Instance recovery in RAC: from `Beginning instance recovery` to its end, compared with the
        target less start-up and opening, which a surviving instance does not spend. Longer than
        allowed and a message `out of the valid MTTR range` (or a report's TARGET_MTTR) above the
        desired time: the lower bound is reached. Without: there is a bottleneck.

    Example:
        121 s between 00:01:59 and 00:04:00 are within a few seconds of 120 s; of 90 s they are
        not.

    Threshold:
        `recovery.few_seconds`, 5 s for what the paper calls "within a few seconds".

    What to do:
        Lower bound: ask for no less than what Oracle says it can keep; faster disks for redo logs
        and data files lower it. Bottleneck: look at I/O with Statspack or AWR under load; if
        there is none without fast-start checkpointing, I/O capacity is exceeded: raise the
        target or the capacity.

    How to verify:
        Crash an instance at peak load in a test and measure again, three or four times.

    When it is wrong:
        When somebody started the instance step by step, so that time passed between the steps;
        when the log lacks lines; when the load was not that of a usual day.

    Sources:
        document 1, "Determine the MTTR Achieved" and "If MTTR is too High".
    """
    last = facts["recovery.total_s"]
    over = (judged.achieved_s or 0.0) - (judged.desired_s or 0.0)
    cause = "the lower bound" if judged.verdict == "lower-bound" else "a bottleneck"
    return Finding(
        id=RECO002[0], name=RECO002[1], since="0.1",
        title=f"The last recovery took {judged.achieved_s:.0f} s, {over:.0f} s too long: {cause}",
        severity="warning", confidence="medium",
        confidence_reason="one recovery; the next may have more or less to do",
        impact=Impact(over, None, "seconds beyond the desired recovery time"),
        facts=tuple(
            f for f in (last, facts["recovery.achieved_s"], facts["recovery.target_s"])
            if f.evidence
        ),
        why=judged.why[0].upper() + judged.why[1:] + ".",
        source=cite('document 1, "If MTTR is too High"'),
    )  # fmt: skip


def findings(
    found: Episodes, facts: Mapping[str, Fact], judged: tuple[Judged, ...]
) -> tuple[Finding, ...]:
    """What the last recovery says; a log without recovery has no finding."""
    if not found.recoveries or judged[-1].verdict not in ("lower-bound", "bottleneck"):
        return ()
    return (recovery_over_target(facts, judged[-1]),)


def recommendations(found: Episodes, judged: tuple[Judged, ...]) -> tuple[Recommendation, ...]:
    """What follows of the last recovery (document 1, "If MTTR is too High")."""
    if not found.recoveries:
        return ()
    last = judged[-1]
    if last.verdict == "lower-bound":
        return (_lowest(found),)
    if last.verdict == "bottleneck":
        return (
            Recommendation(
                id="find-recovery-bottleneck",
                title="Find what slows recovery, or relax the target",
                action="Recovery took longer than it may although Oracle did not reset the "
                "target. Take a Statspack or AWR report under load and analyse it; where there "
                "is no bottleneck without fast-start checkpointing, its writes exceed the I/O "
                "capacity: set a higher target or add capacity.",
                status="tune-first", validate=_CHECK, findings=(RECO002[0],),
            ),
        )  # fmt: skip
    return ()


def _lowest(found: Episodes) -> Recommendation:
    said = judge.bound_before(found.recoveries[-1], found)
    used = int(said.number("used") or 0) if said is not None else 0
    everywhere = " SID='*'" if found.clustered else ""
    change = bool(used) and found.target_s != used
    command = f"ALTER SYSTEM SET fast_start_mttr_target={used} SCOPE=BOTH{everywhere};"
    back = (
        "ALTER SYSTEM RESET fast_start_mttr_target SCOPE=SPFILE SID='*'; -- from the next start"
        if not found.target_s
        else f"ALTER SYSTEM SET fast_start_mttr_target={found.target_s} SCOPE=BOTH{everywhere};"
    )
    return Recommendation(
        id="ask-for-what-can-be-kept",
        title=f"Ask for no less than {used} s" if used else "Ask for a target that can be kept",
        action="The desired recovery time is below the lowest that Oracle can keep "
        "(start-up, opening of the files and 1,000 dirty blocks). Agree on what can be kept, or "
        "make start-up, opening and I/O faster.",
        status="apply" if change else "no-benefit" if used else "need-data",
        commands=(command,) if change else (),
        rollback=(back,) if change else (),
        risks=("A lower target means more writes to data files.",) if change else (),
        validate=_CHECK,
        findings=(RECO002[0],),
    )  # fmt: skip


def title(function: Callable[..., object]) -> str:
    """The first line of a rule's documentation."""
    return (inspect.getdoc(function) or "").split("\n")[0].rstrip(".")


def page(function: Callable[..., object]) -> dict[str, str]:
    """A rule's documentation by heading, out of its docstring."""
    text = inspect.getdoc(function) or ""
    pieces = re.split(rf"^({'|'.join(HEADINGS)}):$", text, flags=re.M)
    pairs = zip(pieces[1::2], pieces[2::2], strict=True)
    return {head: inspect.cleandoc(body).strip() for head, body in pairs}
