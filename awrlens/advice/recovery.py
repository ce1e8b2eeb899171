"""Which FAST_START_MTTR_TARGET to set or keep, or to leave it unset; its range and its cost.

Source: Fast-Start Checkpointing Best Practices, "Determining a Proper FAST_START_MTTR_TARGET Value
for Your Environment", for 9i. Since 10.1, automatic checkpoint tuning is on while the parameter is
not set. A target is then recommended only if a recovery time is required or sessions wait for
checkpoints.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.advice import applies, checks, curve, limits, mttr, obstacles
from awrlens.advice.parts import ids as _ids
from awrlens.checkpoints import PARAMETERS
from awrlens.model import Impact, Recommendation
from awrlens.records import NamedTuple
from awrlens.units import plain

if TYPE_CHECKING:
    from collections.abc import Mapping

    from awrlens.model import Fact, Finding
    from awrlens.policy import Policy

_SELF_TUNED: Final = "Since 10g, automatic checkpoint tuning is on while it is not set."
_IN_BULK: Final = (
    "Without a target, DBWR writes in bulk at log switches, but no session waits for that here. "
    "3600 would turn fast-start checkpointing on, with more writes between log switches."
)
_NOT_A_CURE: Final = (
    "It does not remove the checkpoint waits (larger redo logs do), but it enables the MTTR "
    "Advisory, which shows what limiting the recovery time costs."
)
_AVERAGES: Final = (
    "SELECT init_time_avg, fopen_time_avg FROM x$estimated_mttr; -- as SYS, in microseconds"
)
_ASK: Final = (
    "Use --desired-mttr to calculate a target. Without an agreed recovery time, use 3600 if you "
    "set one."
)
#: Findings on significant waits for checkpoints, and the finding that DBWR is behind with other
#: writes, whose bursts the highest target makes worse.
_REASONS: Final = ("CKPT003", "CKPT005")
_BEHIND: Final = "CKPT008"


class Answer(NamedTuple):
    """What to do, and the target with its range; None is not decided."""

    items: list[Recommendation]
    target_s: int | None = None
    lowest_s: int | None = None
    highest_s: int | None = None


def advise(
    facts: Mapping[str, Fact], findings: tuple[Finding, ...], policy: Policy, request: mttr.Request
) -> Answer:
    """The recovery target of one report."""
    refused = applies.refused(facts)
    if refused:
        return Answer([_refusal(refused)] if request.desired_mttr_s is not None else [])
    current = facts["checkpoint.fast_start_mttr_target_s"].number
    kept = facts["checkpoint.target_mttr_s"].number
    if current is None and kept is None and request.desired_mttr_s is None:
        return Answer([])  # a report without recovery section
    asked = request._replace(
        datafiles=request.datafiles or _whole(facts["checkpoint.datafiles"]),
        lowest_mttr_s=request.lowest_mttr_s or _positive(facts["checkpoint.lowest_mttr_s"]),
        highest_mttr_s=request.highest_mttr_s or limits.highest_s(facts),
        fixed_s=request.fixed_s or _fixed(facts),
        estimated_mttr_s=_not_negative(facts["checkpoint.estimated_mttr_high_s"]),
    )
    goal = mttr.target(asked)
    if request.desired_mttr_s is None:
        if current or kept:
            return _keep(facts, findings, policy, goal, asked)
        if not _ids(findings, *_REASONS) or _ids(findings, _BEHIND):
            return Answer([_leave(facts, findings, policy)], None, goal.lowest_s, goal.highest_s)
    value = goal.fast_start_mttr_target_s
    answer = Answer([], value, goal.lowest_s, goal.highest_s)
    if current == value:
        return answer._replace(items=[_kept(facts, findings, policy, goal, asked, value)])
    return answer._replace(items=[_set(facts, findings, policy, goal, asked, current)])


def _refusal(why: str) -> Recommendation:
    return Recommendation(
        id="no-mttr-target",
        title="FAST_START_MTTR_TARGET does not apply here",
        action=why,
        status="no-benefit",
    )


def _set(
    facts: Mapping[str, Fact],
    findings: tuple[Finding, ...],
    policy: Policy,
    goal: mttr.Target,
    asked: mttr.Request,
    current: float | None,
) -> Recommendation:
    """Set a target: the reason, the range, and the cost."""
    value = goal.fast_start_mttr_target_s
    everywhere = " SID='*'" if asked.rac else ""
    critical = asked.desired_mttr_s is not None
    self_tuned = bool(applies.has(facts, "self_tuned_checkpoints"))
    why = _why(goal, asked, self_tuned=self_tuned)
    parts = [*why, *range_text(goal), *limits.state(facts, findings, policy)]
    if critical:
        parts.append(_price(facts, asked, value))
    parts += _expected(goal, asked)
    first: tuple[str, ...] = ()
    back: tuple[str, ...] = ()
    if not _ids(findings, "CKPT002"):
        first, back = obstacles.switches(facts, policy, everywhere)
    command = f"ALTER SYSTEM SET fast_start_mttr_target={value} SCOPE=BOTH{everywhere};"
    unknown = critical and asked.rac and goal.startup_s is None and asked.fixed_s is None
    risks = [
        _write_risk(facts) if critical else "Larger redo logs lengthen recovery up to the target."
    ]
    if first:
        risks.append(
            "The parameters that are removed limit recovery now; afterwards only the target does."
        )
    return Recommendation(
        id="set-mttr-target",
        title=f"Set FAST_START_MTTR_TARGET to {value}",
        action=" ".join(part for part in parts if part),
        status="apply",
        commands=(*((_AVERAGES,) if unknown else ()), *first, command),
        rollback=(_rollback(facts, current, everywhere), *back),
        benefit=Impact(None, None, "limits recovery time; no saving of DB time is estimated"),
        prerequisites=_prerequisites(facts),
        risks=tuple(risks),
        validate=checks.SERVICE_LEVEL if critical else checks.BOUND,
        findings=_ids(findings, "CKPT003", "CKPT004", "CKPT007"),
    )


def _price(facts: Mapping[str, Fact], asked: mttr.Request, value: int) -> str:
    """What the target costs, or that it is not achievable."""
    # in RAC another instance performs the recovery; it is running and has the files open
    beyond = "" if asked.rac else limits.floor(facts, value)
    price = None if beyond else curve.price(facts, value)
    return beyond or (price.why if price is not None else "")


def _why(goal: mttr.Target, asked: mttr.Request, *, self_tuned: bool) -> list[str]:
    """How the target is calculated; start-up and opening only if they take any time."""
    if asked.desired_mttr_s is None:
        return [*goal.notes, _NOT_A_CURE] if self_tuned else list(goal.notes)
    # `limits.state` says already that higher values have no effect
    notes = [note for note in goal.notes if not note.startswith("Above")]
    if asked.rac and asked.fixed_s is not None and round(asked.fixed_s) == 0:
        notes = [note for note in notes if not note.startswith("By the MTTR Advisory")]
    elif " + " in goal.formula:
        return [f"{goal.formula}.", *notes]
    return [f"The agreed recovery time is {asked.desired_mttr_s:g} s.", *notes]


def _rollback(facts: Mapping[str, Fact], current: float | None, everywhere: str) -> str:
    """The command that restores the present setting."""
    kept = facts["checkpoint.target_mttr_s"].number
    if current is None and not kept and applies.has(facts, "self_tuned_checkpoints"):
        return (
            "ALTER SYSTEM RESET fast_start_mttr_target SCOPE=SPFILE SID='*'; "
            "-- from the next start; not 0, which turns automatic checkpoint tuning off"
        )
    before = current if current is not None else (kept or 0)
    return f"ALTER SYSTEM SET fast_start_mttr_target={before:.0f} SCOPE=BOTH{everywhere};"


def _keep(
    facts: Mapping[str, Fact],
    findings: tuple[Finding, ...],
    policy: Policy,
    goal: mttr.Target,
    asked: mttr.Request,
) -> Answer:
    """A target is set and no other is required: keep it, or the value that Oracle uses."""
    current = facts["checkpoint.fast_start_mttr_target_s"].number
    kept = facts["checkpoint.target_mttr_s"].number
    changed = _ids(findings, "CKPT004")
    value = round(kept if changed and kept else (current or kept or 0))
    answer = Answer([], value, goal.lowest_s, goal.highest_s)
    everywhere = " SID='*'" if asked.rac else ""
    if changed and current is not None:
        item = Recommendation(
            id="set-mttr-target",
            title=f"Set FAST_START_MTTR_TARGET to {value}, the target in effect",
            action=f"{current:.0f} s is below the lowest achievable recovery time of this "
            f"instance, so Oracle has reset it to {value} s.",
            status="apply",
            commands=(f"ALTER SYSTEM SET fast_start_mttr_target={value} SCOPE=BOTH{everywhere};",),
            rollback=(
                f"ALTER SYSTEM SET fast_start_mttr_target={current:.0f} SCOPE=BOTH{everywhere};",
            ),
            risks=("None: this target is already in effect.",),
            validate=checks.IN_FORCE,
            findings=changed,
        )
        return answer._replace(items=[item])
    if _ids(findings, "CKPT005") and _drives(facts):
        return answer._replace(items=[_relax(facts, findings, value, everywhere)])
    return answer._replace(items=[_kept(facts, findings, policy, goal, asked, value)])


def _drives(facts: Mapping[str, Fact]) -> bool:
    """Whether DBWR writes because of the target: by the write counts, else by the active limit."""
    cause = facts["checkpoint.main_cause"].value
    return cause == "mttr" or (cause is None and facts["checkpoint.binding_limit"].value == "mttr")


def _relax(
    facts: Mapping[str, Fact], findings: tuple[Finding, ...], value: int, everywhere: str
) -> Recommendation:
    """Sessions wait for the writes that the target causes."""
    price = curve.price(facts, mttr.HIGHEST_S)
    return Recommendation(
        id="relax-mttr-target",
        title=f"Increase FAST_START_MTTR_TARGET={value} if the service level allows",
        action="DBWR writes mainly for the recovery target, and sessions wait for DBWR. Give the "
        "agreed recovery time with --desired-mttr; without one, set 3600."
        + (f" {price.why}" if price is not None and price.advised else ""),
        status="need-data",
        commands=(
            f"ALTER SYSTEM SET fast_start_mttr_target=<agreed seconds> SCOPE=BOTH{everywhere};",
        ),
        rollback=(f"ALTER SYSTEM SET fast_start_mttr_target={value} SCOPE=BOTH{everywhere};",),
        prerequisites=_prerequisites(facts),
        risks=("Recovery may take as long as the target allows.",),
        validate=checks.SERVICE_LEVEL,
        findings=_ids(findings, "CKPT005"),
    )


def _kept(
    facts: Mapping[str, Fact],
    findings: tuple[Finding, ...],
    policy: Policy,
    goal: mttr.Target,
    asked: mttr.Request,
    value: int,
) -> Recommendation:
    parts = [*limits.state(facts, findings, policy), *range_text(goal)]
    parts += _expected(goal, asked)
    if asked.desired_mttr_s is None:
        parts.append("Use --desired-mttr to calculate another target.")
    return Recommendation(
        id="keep-mttr-target",
        title=f"Keep FAST_START_MTTR_TARGET at {value}",
        action=" ".join(parts),
        status="no-benefit",
        validate=checks.SERVICE_LEVEL if asked.desired_mttr_s is not None else (),
    )


def _leave(
    facts: Mapping[str, Fact], findings: tuple[Finding, ...], policy: Policy
) -> Recommendation:
    """No significant waits for checkpoints, and no recovery time is required."""
    waits = facts["checkpoint.incomplete_wait_s"].number
    buffer = facts["checkpoint.buffer_wait_s"].number
    if _ids(findings, _BEHIND):
        seen = (
            "DBWR is behind with writes other than those of checkpoints, and a target adds to them"
        )
    elif waits is None or buffer is None:
        seen = "Waits for checkpoints are not in the report"
    elif waits + buffer:
        seen = f"Sessions waited only {waits + buffer:,.0f} s for checkpoints and DBWR"
    else:
        seen = "No session waited for checkpoints or DBWR"
    self_tuned = applies.has(facts, "self_tuned_checkpoints")
    cause = facts["checkpoint.main_cause"].value
    # thread checkpoints come from log switches: automatic tuning does not apply to them
    tuned = cause != "thread" and not _ids(findings, _BEHIND)
    then = _IN_BULK if self_tuned is False else _SELF_TUNED if tuned else ""
    link = ". " if then else "."
    return Recommendation(
        id="leave-mttr-target",
        title="Leave FAST_START_MTTR_TARGET unset",
        action=" ".join([f"{seen}{link}{then}", *limits.state(facts, findings, policy), _ASK]),
        status="no-benefit",
    )


def range_text(goal: mttr.Target) -> list[str]:
    """The range of targets that have an effect, as far as it is known."""
    if goal.lowest_s is None and goal.highest_s == mttr.HIGHEST_S:
        return []
    low = "" if goal.lowest_s is None else f"lowest achievable target {goal.lowest_s} s, "
    return [f"Range: {low}highest target with an effect {goal.highest_s} s."]


def _expected(goal: mttr.Target, asked: mttr.Request) -> list[str]:
    """In RAC, the estimate without start-up and opening of the files."""
    estimate, expected = asked.estimated_mttr_s, goal.expected_mttr_s
    if not asked.rac or estimate is None or expected is None or round(estimate - expected) < 1:
        return []
    text = f"If another instance performs the recovery, expect {expected:.0f} s now"
    return [f"{text}: the estimate minus start-up and opening of the files."]


def _prerequisites(facts: Mapping[str, Fact]) -> tuple[str, ...]:
    names = [name for name in PARAMETERS if name != "DB_BLOCK_MAX_DIRTY_TARGET"]
    needed = [f"{', '.join(names)} are 0 or not set"]
    if facts["database.edition"].value is None:
        needed.append("Enterprise Edition")
    if applies.has(facts, "pluggable_databases"):
        needed.append("in a container database: connected to CDB$ROOT")
    return tuple(needed)


def _write_risk(facts: Mapping[str, Fact]) -> str:
    latency = facts["checkpoint.data_write_ms"].number
    return "A lower target causes more writes to data files" + (
        "." if latency is None else f"; DBWR's writes take {plain(latency, 3)} ms now."
    )


def _fixed(facts: Mapping[str, Fact]) -> float | None:
    """Start-up and opening by the MTTR Advisory; 0 if its line ends below 0."""
    found = facts["checkpoint.fixed_mttr_s"].number
    return None if found is None else max(0.0, found)


def _whole(fact: Fact) -> int | None:
    return None if fact.number is None or fact.number < 0 else int(fact.number)


def _not_negative(fact: Fact) -> float | None:
    """The fact's value; None if a damaged report prints a negative one."""
    return fact.number if fact.number is not None and fact.number >= 0 else None


def _positive(fact: Fact) -> float | None:
    return fact.number if fact.number is not None and fact.number > 0 else None
