"""Which FAST_START_MTTR_TARGET to set or keep, or to leave it unset; its range and its cost.

Source: Fast-Start Checkpointing Best Practices, "Determining a Proper FAST_START_MTTR_TARGET Value
for Your Environment", for 9i; "Determine the MTTR Achieved" and "If MTTR is too High" for how to
verify it. Since 10.1, automatic checkpoint tuning is on while the parameter is not set. A target is
then recommended only if a recovery time is required or sessions wait for checkpoints.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.advice import checkpoint_parameters, features, limits, mttr, no_target, write_cost
from awrlens.checkpoints import OFF
from awrlens.model import Impact, Recommendation
from awrlens.records import NamedTuple
from awrlens.units import plain

if TYPE_CHECKING:
    from awrlens.advice.case import Case

_NOT_A_CURE: Final = (
    "It does not remove the checkpoint waits (larger redo logs do), but it enables the MTTR "
    "Advisory, which shows what limiting the recovery time costs."
)
#: Larger redo logs are recommended as well: what is said of recovery changes with them.
PRESENT_LOGS: Final = (
    "Recovery times and limits here are those of the present redo logs; larger ones lengthen them."
)
_OFF: Final = "It is set to 0 now, which turns automatic checkpoint tuning off."
_AVERAGES: Final = (
    "SELECT init_time_avg, fopen_time_avg FROM x$estimated_mttr; -- as SYS, in microseconds"
)
_UNDER_LOAD: Final = (
    "under load: SELECT target_mttr, estimated_mttr, actual_redo_blks, target_redo_blks "
    "FROM v$instance_recovery;"
)
_NO_OTHER: Final = (
    "LOG_CHECKPOINT_INTERVAL and FAST_START_IO_TARGET are 0 or not set, LOG_CHECKPOINT_TIMEOUT is "
    "0 or has its default"
)
_ALERT_LOG: Final = "alert log: no `FAST_START_MTTR_TARGET … is out of the valid MTTR range`"
_CRASH_TEST: Final = (
    "crash test at peak load, three or four times: kill PMON of one instance; in the alert log, "
    "the time from `Beginning instance recovery` (or `crash recovery`) to `Ended recovery` is "
    "within a few seconds of the desired time"
)
_IO: Final = (
    "I/O at peak load: physical writes and `db file parallel write` stay within the storage's "
    "capacity"
)
_SERVICE_LEVEL: Final = (_UNDER_LOAD, _ALERT_LOG, _CRASH_TEST, _IO)
#: Findings on significant waits for checkpoints. Where DBWR is behind with other writes, the
#: highest target makes its bursts worse.
_REASONS: Final = ("CKPT003", "CKPT005")


class Answer(NamedTuple):
    """What to do, and the target with its range; None is not decided."""

    item: Recommendation | None = None
    target_s: int | None = None
    lowest_s: int | None = None
    highest_s: int | None = None


def advise(case: Case) -> Answer:
    """The recovery target of one report."""
    desired_s = case.request.desired_mttr_s
    current = case.get("checkpoint.fast_start_mttr_target_s")
    kept = case.get("checkpoint.target_mttr_s")
    if refused := features.refused(case.facts):
        return Answer(None if desired_s is None else _refusal(refused))
    if current is None and kept is None and desired_s is None:
        return Answer()  # a report without recovery section
    case = case._replace(request=_completed(case))
    goal = mttr.target(case.request)
    value = goal.fast_start_mttr_target_s
    answer = Answer(None, value, goal.lowest_s, goal.highest_s)
    if desired_s is None and (current or kept):
        value, item = _as_set(case, goal, current, kept or 0.0)
        return answer._replace(item=item, target_s=value)
    if desired_s is not None and not current and not kept and no_target.is_met(case, desired_s):
        return answer._replace(item=no_target.met(case, desired_s), target_s=None)
    if desired_s is None and (not case.found(*_REASONS) or case.found(no_target.BEHIND)):
        return answer._replace(item=no_target.leave(case), target_s=None)
    item = _keep(case, goal, value) if current == value else _set(case, goal, current)
    return answer._replace(item=item)


def _completed(case: Case) -> mttr.Request:
    """The caller's values, completed from the report; a damaged report may have negative ones."""
    datafiles, fixed_s = case.get("checkpoint.datafiles"), case.get("checkpoint.fixed_mttr_s")
    lowest_s = case.get("checkpoint.lowest_mttr_s")
    estimated_s = case.get("checkpoint.estimated_mttr_high_s")
    given = case.request
    if given.desired_mttr_s is not None and fixed_s is None and lowest_s is None:
        given = _estimated(case)
    return given._replace(
        datafiles=given.datafiles
        or (None if datafiles is None or datafiles < 0 else int(datafiles)),
        lowest_mttr_s=given.lowest_mttr_s
        or (lowest_s if lowest_s is not None and lowest_s > 0 else None),
        highest_mttr_s=given.highest_mttr_s or limits.highest_s(case),
        # the line of the MTTR Advisory may end below 0
        fixed_s=given.fixed_s or (None if fixed_s is None else max(0.0, fixed_s)),
        estimated_mttr_s=None if estimated_s is None or estimated_s < 0 else estimated_s,
    )


def _estimated(case: Case) -> mttr.Request:
    """Start-up and opening and the lowest target from the model, if the report has an estimate."""
    given = case.request
    known = (given.fixed_s, given.lowest_mttr_s, given.init_time_avg_us, given.fopen_time_avg_us)
    if any(each is not None for each in known) or not case.get("checkpoint.estimated_mttr_s"):
        return given
    found = write_cost.lowest_target(case.facts)
    if found is None:
        return given
    fixed_s, lowest_s = found
    return given._replace(fixed_s=fixed_s, lowest_mttr_s=lowest_s, estimated=True)


def _refusal(why: str) -> Recommendation:
    title = "FAST_START_MTTR_TARGET does not apply here"
    return Recommendation("no-mttr-target", title, why, "no-benefit")


def _command(case: Case, value: object) -> str:
    return f"ALTER SYSTEM SET fast_start_mttr_target={value} SCOPE=BOTH{case.everywhere};"


def _set(case: Case, goal: mttr.Target, current: float | None) -> Recommendation:
    """Set a target: the reason, the range, and the cost."""
    asked, value = case.request, goal.fast_start_mttr_target_s
    critical = asked.desired_mttr_s is not None
    parts = [*_why(case, goal), *range_text(goal), *limits.state(case)]
    if critical and _below_assumed(case, value):
        return _measure_first(case, value, parts)
    if critical:
        parts.append(_price(case, value))
    parts += _expected(goal, asked)
    if case.answers("enlarge-redo-logs"):
        parts.append(PRESENT_LOGS)
    first: tuple[str, ...] = ()
    back: tuple[str, ...] = ()
    if not case.found("CKPT002"):
        first, back = checkpoint_parameters.switches(case)
    unknown = critical and asked.rac and goal.startup_s is None and asked.fixed_s is None
    risks = ["Larger redo logs lengthen recovery up to the target."]
    if critical:
        ms = case.get("checkpoint.data_write_ms")
        now = "" if ms is None else f"; DBWR's writes take {plain(ms, 3)} ms now"
        risks = [f"A lower target causes more writes to data files{now}."]
    if first:
        risks.append(
            "The parameters that are removed limit recovery now; afterwards only the target does."
        )
    return Recommendation(
        "set-mttr-target",
        f"Set FAST_START_MTTR_TARGET to {value}",
        " ".join(filter(None, parts)),
        "apply",
        commands=(*((_AVERAGES,) if unknown else ()), *first, _command(case, value)),
        rollback=(_rollback(case, current), *back),
        benefit=Impact(None, None, "limits recovery time; no saving of time is estimated"),
        prerequisites=_prerequisites(case),
        risks=tuple(risks),
        validate=_SERVICE_LEVEL if critical else (_UNDER_LOAD, _IO),
        findings=case.found("CKPT003", "CKPT004", "CKPT007"),
    )


def _below_assumed(case: Case, value: int) -> bool:
    """Whether a target is achievable only if start-up is faster than what is assumed for it."""
    asked = case.request
    if asked.rac or asked.startup_s is not None or asked.lowest_mttr_s is not None:
        return False
    if asked.fixed_s is not None or case.get("checkpoint.estimated_mttr_s"):
        return False
    found = write_cost.lowest_target(case.facts)
    return found is not None and found[1] > value


def _measure_first(case: Case, value: int, parts: list[str]) -> Recommendation:
    """Nothing in the report shows whether the agreed time is achievable."""
    unknown = (
        "The report has neither an estimate of the recovery time nor the time of start-up and "
        f"opening of the files. If these alone take longer, {value} s cannot be met."
    )
    return Recommendation(
        "set-mttr-target",
        f"Measure start-up before FAST_START_MTTR_TARGET is set to {value}",
        " ".join([*parts, unknown]),
        "need-data",
        commands=(_AVERAGES,),
        prerequisites=_prerequisites(case),
        findings=case.found("CKPT003", "CKPT004", "CKPT007"),
    )


def _price(case: Case, value: int) -> str:
    """What the target costs, or that it is not achievable."""
    # in RAC another instance performs the recovery; it is running and has the files open
    beyond = "" if case.request.rac else limits.floor(case, value)
    price = None if beyond else write_cost.price(case.facts, value)
    return beyond or (price.why if price is not None else "")


def _why(case: Case, goal: mttr.Target) -> list[str]:
    """How the target is calculated; start-up and opening only if they take any time."""
    asked = case.request
    if asked.desired_mttr_s is None:
        cure = [_NOT_A_CURE] if features.has(case.facts, "self-tuned checkpoints") else []
        off = [_OFF] if case.value("checkpoint.target_set") == OFF else []
        return [*off, *(each.text for each in goal.notes), *cure]
    # `limits.state` shows already that higher values have no effect
    hidden = {"no-effect"}
    first = f"The agreed recovery time is {asked.desired_mttr_s:g} s."
    if asked.rac and asked.fixed_s is not None and round(asked.fixed_s) == 0:
        hidden.add("advised-offset")
    elif " + " in goal.formula:
        first = f"{goal.formula}."
    return [first, *(each.text for each in goal.notes if each.kind not in hidden)]


def _rollback(case: Case, current: float | None) -> str:
    """The command that restores the present setting."""
    kept = case.or_zero("checkpoint.target_mttr_s")
    if current is None and not kept and features.has(case.facts, "self-tuned checkpoints"):
        return (
            "ALTER SYSTEM RESET fast_start_mttr_target SCOPE=SPFILE SID='*'; "
            "-- from the next start; not 0, which turns automatic checkpoint tuning off"
        )
    return _command(case, f"{kept if current is None else current:.0f}")


def _as_set(
    case: Case, goal: mttr.Target, current: float | None, kept: float
) -> tuple[int, Recommendation]:
    """A target is set and no other is required: keep it, or the value that Oracle uses."""
    changed = case.found("CKPT004")
    value = round(kept if changed and kept else current or kept)
    if changed and current is not None:
        return value, Recommendation(
            "set-mttr-target",
            f"Set FAST_START_MTTR_TARGET to {value}, the target in effect",
            f"{current:.0f} s is below the lowest achievable recovery time of this "
            f"instance, so Oracle has reset it to {value} s.",
            "apply",
            commands=(_command(case, value),),
            rollback=(_command(case, f"{current:.0f}"),),
            risks=("None: this target is already in effect.",),
            validate=(_UNDER_LOAD, _ALERT_LOG),
            findings=changed,
        )
    if case.found("CKPT005") and _is_cause(case):
        return value, _relax(case, value)
    return value, _keep(case, goal, value)


def _is_cause(case: Case) -> bool:
    """Whether DBWR writes because of the target: by the write counts, else by the active limit."""
    cause = case.value("checkpoint.main_cause")
    return cause == "mttr" or (cause is None and case.value("checkpoint.binding_limit") == "mttr")


def _relax(case: Case, value: int) -> Recommendation:
    """Sessions wait for the writes that the target causes."""
    price = write_cost.price(case.facts, mttr.HIGHEST_S)
    return Recommendation(
        "relax-mttr-target",
        f"Increase FAST_START_MTTR_TARGET={value} if the service level allows",
        "DBWR writes mainly for the recovery target, and sessions wait for DBWR. Give the "
        "agreed recovery time with --desired-mttr; without one, set 3600."
        + (f" {price.why}" if price is not None and price.advised else ""),
        "need-data",
        commands=(_command(case, "<agreed seconds>"),),
        rollback=(_command(case, value),),
        prerequisites=_prerequisites(case),
        risks=("Recovery may take as long as the target allows.",),
        validate=_SERVICE_LEVEL,
        findings=case.found("CKPT005"),
    )


def _keep(case: Case, goal: mttr.Target, value: int) -> Recommendation:
    critical = case.request.desired_mttr_s is not None
    parts = [*limits.state(case), *range_text(goal), *_expected(goal, case.request)]
    if not critical:
        parts.append("Use --desired-mttr to calculate another target.")
    return Recommendation(
        "keep-mttr-target",
        f"Keep FAST_START_MTTR_TARGET at {value}",
        " ".join(parts),
        "no-benefit",
        validate=_SERVICE_LEVEL if critical else (),
    )


def range_text(goal: mttr.Target) -> list[str]:
    """The range of targets that have an effect, as far as it is known."""
    known = []
    if goal.lowest_s is not None and "reset" not in {note.kind for note in goal.notes}:
        known.append(f"lowest achievable target {goal.lowest_s} s")
    if goal.highest_s != mttr.HIGHEST_S:
        known.append(f"highest target with an effect {goal.highest_s} s")
    return [f"Range: {', '.join(known)}."] if known else []


def _expected(goal: mttr.Target, asked: mttr.Request) -> list[str]:
    """In RAC, the estimate without start-up and opening of the files."""
    estimate, expected = asked.estimated_mttr_s, goal.expected_mttr_s
    if not asked.rac or estimate is None or expected is None or round(estimate - expected) < 1:
        return []
    text = f"If another instance performs the recovery, expect {expected:.0f} s now"
    return [f"{text}: the estimate minus start-up and opening of the files."]


def _prerequisites(case: Case) -> tuple[str, ...]:
    needed = [_NO_OTHER]
    if case.value("database.edition") is None:
        needed.append("Enterprise Edition")
    if features.has(case.facts, "pluggable databases"):
        needed.append("in a container database: connected to CDB$ROOT")
    return tuple(needed)
