"""Which FAST_START_MTTR_TARGET to set or keep, or to leave it unset; its range and its cost.

Source: Fast-Start Checkpointing Best Practices, "Fast-Start Checkpointing" and "Determining a
Proper FAST_START_MTTR_TARGET Value for Your Environment", for 9i; "Determine the MTTR Achieved" and
"If MTTR is too High" for how to verify it; of parameters that override a target, Oracle Database
Reference and Upgrade Guides (ORA-25533: while they are set, the MTTR Advisory is off). Since 10.1,
automatic checkpoint tuning is on while the parameter is not set, and off while it is 0. A target is
then recommended only if a recovery time is required, or if it is 0 and sessions wait for
checkpoints.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.advice import features, mttr
from awrlens.advice.case import AFTER, advice
from awrlens.advice.queries import query, texts
from awrlens.advice.recovery_split import split_of
from awrlens.advice.redo_logs import enlarge_redo_logs
from awrlens.lazy import NamedTuple
from awrlens.model import Impact, Recommendation
from awrlens.oracle import checkpoints
from awrlens.oracle.checkpoints import OFF, lag_pct
from awrlens.units import first_of, listed, plain, waited_words

if TYPE_CHECKING:
    from collections.abc import Mapping

    from awrlens.advice.case import Case
    from awrlens.model import Analysis


_BEHIND_ALREADY: Final = texts("behind already")[0]
_RESET_NOW: Final = texts("target set to 0")[0]
_ASK: Final = texts("agreed recovery time")[0]
_LONGER: Final = texts("longer target")[0]
#: The highest estimate of the recovery time in the report.
_HIGH: Final = "checkpoint.estimated_mttr_high_s"
#: The finding that DBWR is behind with writes other than those of checkpoints.
BEHIND: Final = "CKPT008"


def is_met(case: Case, desired_s: float) -> bool:
    """Whether the present limit of the redo keeps the agreed time already, at any load."""
    high, reached = case.get(_HIGH), lag_pct(case.get)
    if case.request.rac or high is None or reached is None or enlarge_redo_logs.answered(case):
        return False
    # no peak of the load exceeds these limits
    hard = case.value("checkpoint.binding_limit") in ("log_size", "interval")
    return hard and high <= desired_s and reached >= case.policy["checkpoint.at_limit_pct"]


def _unset(case: Case, why: str, longer: str = "", *more: str) -> Recommendation:
    """Nothing to set; but a parameter that is set to 0 is reset, at the next start.

    ``longer``: what is to be set if recovery must not take longer with larger redo logs.
    """
    text = " ".join(filter(None, (why, *mttr.state(case), longer, *more)))
    if case.value("checkpoint.target_set") == OFF:
        return _reset(text)
    leave = _leave(text)
    but = " (it limits recovery with larger redo logs)"
    return leave._replace(short=f"{leave.short}{but}") if longer else leave


@advice("leave-mttr-target", short="setting FAST_START_MTTR_TARGET")
def _leave(text: str) -> Recommendation:
    """Leave FAST_START_MTTR_TARGET unset."""
    return Recommendation("Leave FAST_START_MTTR_TARGET unset", text, "no-benefit")


@advice("measure-mttr", short="setting FAST_START_MTTR_TARGET")
def _unknown() -> Recommendation:
    """A report without parameters and Instance Recovery Stats."""
    return Recommendation(
        "FAST_START_MTTR_TARGET: insufficient data",
        "The report shows neither FAST_START_MTTR_TARGET nor Instance Recovery Stats. The script "
        "of `awrlens sql recovery` reads both, for `awrlens mttr --from`.",
        "need-data",
    )


@advice("reset-mttr-target", "restart", "low", short="resetting FAST_START_MTTR_TARGET=0 now")
def _reset(text: str) -> Recommendation:
    """Reset FAST_START_MTTR_TARGET: set to 0, it turns automatic checkpoint tuning off."""
    is_reset = (
        "after the next start, isdefault is TRUE: SELECT value, isdefault FROM v$parameter WHERE "
        "name = 'fast_start_mttr_target';"
    )
    return Recommendation(
        "Reset FAST_START_MTTR_TARGET: 0 turns automatic checkpoint tuning off",
        text,
        "no-benefit",
        commands=("ALTER SYSTEM RESET fast_start_mttr_target SCOPE=SPFILE SID='*';",),
        rollback=("ALTER SYSTEM SET fast_start_mttr_target=0 SCOPE=SPFILE SID='*';",),
        risks=("DBWR writes more blocks between log switches.",),
        validate=(is_reset,),
    )


def leave(case: Case) -> Recommendation:
    """No significant waits for checkpoints, and no recovery time is required."""
    waits, buffer = (case.get(f"checkpoint.{kind}_wait_s") for kind in ("incomplete", "buffer"))
    behind, is_timed = case.fired(BEHIND), waits is not None and buffer is not None
    waited_s = (waits or 0.0) + (buffer or 0.0)
    share, waited = case.share(waited_s), waited_words(waited_s)
    of = f" ({share:.1f} % of {case.base})" if share >= 0.05 else ""  # noqa: PLR2004 - shown as 0.1
    of += " for incomplete checkpoints and free buffers"
    why = first_of(
        (behind, _BEHIND_ALREADY),
        (not is_timed, "Waits for checkpoints are not in the report"),
        (waited_s, f"{waited[0].upper()}{waited[1:]}{of}"),
        (True, "No session waited for incomplete checkpoints or free buffers"),
    )  # fmt: skip
    high, limit = case.facts[_HIGH], case.value("checkpoint.binding_limit")
    name = f"LOG_CHECKPOINT_{str(limit).upper()}" if limit in ("interval", "timeout") else ""
    reached = lag_pct(case.get)
    at_limit = reached is not None and reached >= case.policy["checkpoint.at_limit_pct"]
    tuned_pct = case.or_zero("checkpoint.autotune_write_pct")
    is_shown = bool(case.facts["checkpoint.target_set"].evidence)  # as 0, its default, too
    then = texts("target shown as 0" if is_shown else "target not set")[0]
    if case.value("checkpoint.target_set") == OFF:
        then = _RESET_NOW
    elif features.has(case.facts, "self-tuned checkpoints") is False:
        then = texts("writes without a target")[0]
        if name and (reached is None or at_limit):
            then = f"{name} advances the checkpoint between log switches."
    elif checkpoints.NOT_ESTIMATED in high.note and not tuned_pct:
        name = "the redo log size" if limit == "log_size" else name
        then = texts("no automatic tuning")[0]
        if name and at_limit:
            then += f"; {name} advances the checkpoint, at {reached:.0f} % of its limit"
        then += "."
    elif behind or case.value("checkpoint.main_cause") == "thread" or limit == "interval":
        # thread checkpoints come from log switches: tuning does not apply to them; and the state
        # says what the interval does
        then = ""
    no_cure = "A target does not end the waits for checkpoints." * bool(case.fired("CKPT003"))
    lengthens = (no_cure or limit == "log_size") and enlarge_redo_logs.answered(case)
    needs = []  # for 3600 to have an effect
    if case.value("database.edition") is None:
        needs.append("it requires Enterprise Edition")
    if blocks := case.or_zero("checkpoint.log_checkpoint_interval"):
        needs.append(f"LOG_CHECKPOINT_INTERVAL, {blocks:,.0f} here, overrides it and must be 0")
    ask = f"{_ASK} ({'; '.join(needs)})." if needs else f"{_ASK}."
    why = " ".join(filter(None, (f"{why}.", then, no_cure)))
    return _unset(case, why, _LONGER if lengthens else "", ask)


#: Why to remove each parameter.
WHY: Final = dict(line.split(": ", 1) for line in texts("old checkpoint parameters"))
_IN_FORCE: Final = "SELECT name, value, isdefault FROM v$parameter WHERE name IN ({names});"
#: Parameters that 0 turns off; the others are removed.
_ZERO: Final = ("LOG_CHECKPOINT_INTERVAL", "LOG_CHECKPOINT_TIMEOUT")


@advice("remove-checkpoint-parameters", "online", "low", answers=("CKPT002",))
def remove_checkpoint_parameters(case: Case) -> Recommendation:
    """Remove parameters that override the recovery target."""
    names = _checkpoint_parameters_set(case)
    commands, rollback = switches(case)
    why = "; ".join(f"{name}: {WHY[name]}" for name in names)
    zero = listed([name for name in names if name in _ZERO])
    others = listed([name for name in names if name not in _ZERO])
    title = " and ".join([*[f"Set {zero} to 0"] * bool(zero), *[f"remove {others}"] * bool(others)])
    title = f"{title[:1].upper()}{title[1:]}"
    if "LOG_CHECKPOINT_TIMEOUT" in names:
        default_s = case.policy["checkpoint.default_timeout_s"]
        why += f"; if it is removed, its default of {default_s:,.0f} s applies"
    listed_names = ", ".join(f"'{name.lower()}'" for name in names)
    return Recommendation(
        title,
        f"{title}, so that only FAST_START_MTTR_TARGET controls checkpoints. {why}.",
        commands=commands, rollback=rollback, prerequisites=("FAST_START_MTTR_TARGET is set",),
        risks=("Recovery may take as long as the target allows.",
               "Without an spfile, omit SCOPE and edit the parameter file."),
        validate=(_IN_FORCE.format(names=listed_names),
            "Instance Recovery Stats: timeout and interval do not determine target redo blocks",
            AFTER),
    )  # fmt: skip


def switches(case: Case) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Commands that turn the parameters of a report off, and commands for the rollback."""
    facts = {name: checkpoints.PARAMETERS[name] for name in _checkpoint_parameters_set(case)}
    return commands_for({name: case.or_zero(fact) for name, fact in facts.items()}, case.everywhere)


def commands_for(
    now: Mapping[str, float], everywhere: str
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Commands that turn off parameters with these values, and commands for the rollback."""
    commands, rollback = [], []
    for name, value in now.items():
        parameter, scope = name.lower(), "BOTH" if name in _ZERO else "SPFILE"
        commands.append(
            f"ALTER SYSTEM SET {parameter}=0 SCOPE=BOTH{everywhere};"
            if name in _ZERO
            else f"ALTER SYSTEM RESET {parameter} SCOPE=SPFILE SID='*'; -- from the next start"
        )
        if name != "DB_BLOCK_MAX_DIRTY_TARGET":  # no release with a recovery target has it
            rollback.append(f"ALTER SYSTEM SET {parameter}={value:.0f} SCOPE={scope}{everywhere};")
    return tuple(commands), tuple(rollback)


def _checkpoint_parameters_set(case: Case) -> list[str]:
    limit = case.value("checkpoint.binding_limit")
    return checkpoints.conflicting(case.get, limit, case.policy["checkpoint.default_timeout_s"])


_NOT_A_CURE: Final = texts("target and cause")[0]
#: Larger redo logs are recommended as well: what is said of recovery changes with them.
PRESENT_LOGS: Final = texts("present redo logs")[0]
_SERVICE_LEVEL: Final = texts("service level")
_UNDER_LOAD, _ALERT_LOG, _, _IO = _SERVICE_LEVEL


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
        return Answer(_unknown())
    case = case._replace(request=completed(case))
    goal = mttr.target(case.request)
    value = goal.fast_start_mttr_target_s
    answer = Answer(None, value, goal.lowest_s, goal.highest_s)
    is_off = case.value("checkpoint.target_set") == OFF
    if desired_s is None and (current or kept):
        changed = case.fired("CKPT004")
        cause = case.value("checkpoint.main_cause") or case.value("checkpoint.binding_limit")
        value = round(kept if changed and kept else current or kept or 0.0)
        if changed and current is not None:
            item = _set(case, goal, current)
        elif case.fired("CKPT005") and cause == "mttr":
            item = _relax(case, value)
        else:
            item = _keep(case, goal, value)
        return answer._replace(item=item, target_s=value)
    if desired_s is not None and not current and not kept and is_met(case, desired_s):
        off = f" {_RESET_NOW}" if is_off else ""
        why = f"The agreed recovery time of {desired_s:g} s is met already.{off}"
        return answer._replace(item=_unset(case, why), target_s=None)
    # where DBWR is behind with other writes, the highest target makes its bursts worse
    tuned = features.has(case.facts, "self-tuned checkpoints") and not is_off
    if desired_s is None and (tuned or not case.fired("CKPT003", "CKPT005") or case.fired(BEHIND)):
        return answer._replace(item=leave(case), target_s=None)
    item = _keep(case, goal, value) if current == value else _set(case, goal, current)
    return answer._replace(item=item, target_s=None if item.status == "need-data" else value)


def completed(case: Case) -> mttr.Request:
    """The caller's values, completed from the report; a damaged report may have negative ones."""
    datafiles, fixed_s = case.get("checkpoint.datafiles"), case.get("checkpoint.fixed_mttr_s")
    lowest_s = case.get("checkpoint.lowest_mttr_s")
    estimated_s = case.get(_HIGH)
    given = case.request
    if given.desired_mttr_s is not None and fixed_s is None and lowest_s is None:
        given = _estimated(case)
    return given._replace(
        datafiles=given.datafiles
        or (None if datafiles is None or datafiles < 0 else int(datafiles)),
        lowest_mttr_s=given.lowest_mttr_s
        or (lowest_s if lowest_s is not None and lowest_s > 0 else None),
        highest_mttr_s=given.highest_mttr_s or mttr.highest_s(case),
        # the line of the MTTR Advisory may end below 0
        fixed_s=given.fixed_s or (None if fixed_s is None else max(0.0, fixed_s)),
        estimated_mttr_s=None if estimated_s is None or estimated_s < 0 else estimated_s,
    )


def _estimated(case: Case) -> mttr.Request:
    """Start-up and opening and the lowest target from the model, as far as they are known."""
    given = case.request
    measured = (given.fixed_s, given.lowest_mttr_s, given.init_time_avg_us, given.fopen_time_avg_us)
    if any(value is not None for value in measured):
        return given
    from awrlens.advice import write_cost

    lowest_s, split = write_cost.lowest_target_s(case.facts), split_of(case.facts)
    if lowest_s is None:
        return given
    if split.by == "assumed":
        most_s = None if given.rac else lowest_s
        return given._replace(blocks_s=lowest_s - (split.fixed_s or 0.0), start_most_s=most_s)
    if split.fixed_s is None:
        return given._replace(blocks_s=lowest_s, start_most_s=split.fixed_high_s)
    return given._replace(fixed_s=split.fixed_s, lowest_mttr_s=lowest_s, estimated=True)


@advice("no-mttr-target")
def _refusal(why: str) -> Recommendation:
    """FAST_START_MTTR_TARGET does not apply to this database."""
    return Recommendation("FAST_START_MTTR_TARGET does not apply here", why, "no-benefit")


def _command(case: Case, value: object) -> str:
    return f"ALTER SYSTEM SET fast_start_mttr_target={value} SCOPE=BOTH{case.everywhere};"


@advice(
    "set-mttr-target", "online", "low", also=("CKPT003", "CKPT004", "CKPT007"),
    after=(remove_checkpoint_parameters, enlarge_redo_logs),
)  # fmt: skip
def _set(case: Case, goal: mttr.Target, current: float | None) -> Recommendation:
    """Set FAST_START_MTTR_TARGET."""
    kept = case.or_zero("checkpoint.target_mttr_s")
    if case.request.desired_mttr_s is None and current is not None and (current or kept):
        value = round(kept or current)
        return Recommendation(
            f"Set FAST_START_MTTR_TARGET to {value}, the target in effect",
            f"{current:.0f} s is below the lowest achievable recovery time of this "
            f"instance, so Oracle has reset it to {value} s. {split_of(case.facts).words}".rstrip(),
            commands=(_command(case, value),),
            rollback=(_command(case, f"{current:.0f}"),),
            risks=("None: this target is already in effect.",),
            validate=(_UNDER_LOAD, _ALERT_LOG),
            findings=case.fired("CKPT004"),
        )
    asked, value = case.request, goal.fast_start_mttr_target_s
    critical = asked.desired_mttr_s is not None
    parts = [*_why(case, goal), *range_text(goal), *mttr.state(case)]
    about_waits = case.fired("CKPT003", "CKPT004", "CKPT007")
    if critical and any(note.kind == "unmeasured" for note in goal.notes):
        return Recommendation(
            f"Measure start-up before FAST_START_MTTR_TARGET is set to {value}",
            " ".join(parts),
            "need-data",
            commands=(query("mttr_averages"),),
            prerequisites=_prerequisites(case),
            findings=about_waits,
        )
    then = ""
    if critical:
        from awrlens.advice import write_cost

        price = write_cost.price(case.facts, value)
        parts.append(price.why if price else "")
        high = asked.estimated_mttr_s
        if price and round(price.factor, 2) == 1 and high is not None and high <= value:
            then = " to keep recovery within it"
    parts += _expected(goal, asked)
    if enlarge_redo_logs.answered(case):
        parts.append(PRESENT_LOGS)
        then = then if critical else ", after larger redo logs: it limits recovery, not waits"
    first, back = ((), ()) if case.fired("CKPT002") else switches(case)
    offset = critical and asked.rac and goal.startup_s is None and asked.fixed_s is None
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
        f"Set FAST_START_MTTR_TARGET to {value}{then}",
        " ".join(filter(None, parts)),
        commands=(*((query("mttr_averages"),) if offset else ()), *first, _command(case, value)),
        rollback=(_rollback(case, current), *back),
        benefit=Impact(None, None, "limits recovery time; no saving of time is estimated"),
        prerequisites=_prerequisites(case),
        risks=tuple(risks),
        validate=_SERVICE_LEVEL if critical else (_UNDER_LOAD, _IO),
        findings=about_waits,
    )


def _why(case: Case, goal: mttr.Target) -> list[str]:
    """How the target is calculated; start-up and opening only if they take any time."""
    asked = case.request
    if asked.desired_mttr_s is None:
        off = case.value("checkpoint.target_set") == OFF
        return [
            "It is set to 0 now, which turns automatic checkpoint tuning off." if off else "",
            *(note.text for note in goal.notes if note.kind != "estimate"),
            _NOT_A_CURE if off else "",
        ]
    # `limits.state` shows already that higher values have no effect
    hidden = {"no-effect", "estimate"}
    first = f"The agreed recovery time is {asked.desired_mttr_s:g} s."
    if asked.rac and asked.fixed_s is not None and round(asked.fixed_s) == 0:
        hidden.add("advised-offset")
    elif " + " in goal.formula:
        first = f"{goal.formula}."
    return [first, *(note.text for note in goal.notes if note.kind not in hidden)]


def _rollback(case: Case, current: float | None) -> str:
    kept = case.or_zero("checkpoint.target_mttr_s")
    if current is None and not kept and features.has(case.facts, "self-tuned checkpoints"):
        return (
            "ALTER SYSTEM RESET fast_start_mttr_target SCOPE=SPFILE SID='*'; "
            "-- from the next start; not 0, which turns automatic checkpoint tuning off"
        )
    return _command(case, f"{kept if current is None else current:.0f}")


@advice("relax-mttr-target", "online", "low", answers=("CKPT005",))
def _relax(case: Case, value: int) -> Recommendation:
    """Increase FAST_START_MTTR_TARGET if the service level allows."""
    from awrlens.advice import write_cost

    price = write_cost.price(case.facts, mttr.HIGHEST_S)
    return Recommendation(
        f"Increase FAST_START_MTTR_TARGET={value} if the service level allows",
        "DBWR writes mainly for the recovery target, and sessions wait for DBWR. Give the "
        "agreed recovery time with --desired-mttr; without one, set 3600."
        + (f" {price.why}" if price is not None and price.advised else "")
        + f" {split_of(case.facts).words}",
        "need-data", findings=case.fired("CKPT005"),
        commands=(_command(case, "<agreed seconds>"),), rollback=(_command(case, value),),
        prerequisites=_prerequisites(case), validate=_SERVICE_LEVEL,
        risks=("Recovery may take as long as the target allows.",),
    )  # fmt: skip


@advice("keep-mttr-target", short="changing FAST_START_MTTR_TARGET")
def _keep(case: Case, goal: mttr.Target, value: int) -> Recommendation:
    """Keep FAST_START_MTTR_TARGET."""
    critical = case.request.desired_mttr_s is not None
    more = [] if critical else ["Use --desired-mttr to calculate another target."]
    parts = [*mttr.state(case), *range_text(goal), *_expected(goal, case.request), *more]
    return Recommendation(
        f"Keep FAST_START_MTTR_TARGET at {value}",
        " ".join(parts),
        "no-benefit",
        validate=_SERVICE_LEVEL if critical else (),
    )


#: The recommendations on the recovery target.
ABOUT_TARGETS: Final = (_refusal, _unknown, _leave, _reset, _keep, _relax, _set)


def range_text(goal: mttr.Target) -> list[str]:
    """The range of targets that have an effect, as far as it is known."""
    bounds = []
    if goal.lowest_s is not None and "reset" not in {note.kind for note in goal.notes}:
        bounds.append(f"lowest achievable target {goal.lowest_s} s")
    if goal.highest_s != mttr.HIGHEST_S:
        bounds.append(f"highest target with an effect {goal.highest_s} s")
    return [f"Range: {', '.join(bounds)}."] if bounds else []


def _expected(goal: mttr.Target, asked: mttr.Request) -> list[str]:
    """In RAC, the estimate without start-up and opening of the files."""
    estimate, expected = asked.estimated_mttr_s, goal.expected_mttr_s
    if not asked.rac or estimate is None or expected is None or round(estimate - expected) < 1:
        return []
    text = f"If another instance performs the recovery, expect {expected:.0f} s now"
    return [f"{text}: the estimate minus start-up and opening of the files."]


def _prerequisites(case: Case) -> tuple[str, ...]:
    needed = [
        (
            "LOG_CHECKPOINT_INTERVAL and FAST_START_IO_TARGET are 0 or not set, "
            "LOG_CHECKPOINT_TIMEOUT is 0 or has its default"
        )
    ]
    if case.value("database.edition") is None:
        needed.append("Enterprise Edition")
    if features.has(case.facts, "pluggable databases"):
        needed.append("in a container database: connected to CDB$ROOT")
    return tuple(needed)


def of_cluster(whole: Analysis, parts: tuple[Analysis, ...]) -> Analysis:
    """A cluster's analysis with one recovery target for all instances.

    The strictest value meets the agreed time for all, because any surviving instance can recover
    any other; but never a value that an instance cannot achieve.
    # Fast-Start Checkpointing Best Practices, "Determine the MTTR Achieved": one setting for all
    """
    with_target = [part for part in parts if part.verdicts.fast_start_mttr_target_s is not None]
    if not with_target:
        return whole
    value = strictest(
        [(part.verdicts.fast_start_mttr_target_s or 0, part.verdicts.fast_start_mttr_lowest_s)
         for part in with_target]
    )  # fmt: skip
    lines = "; ".join(_instance_line(part) for part in with_target)
    items = tuple(
        item._replace(
            action=f"{item.action} Set the same value, {value}, on all instances, because any "
            f"instance may recover any other. {lines}."
        )
        if item.id in ("keep-mttr-target", "set-mttr-target")
        else item
        for item in whole.recommendations
    )
    verdicts = whole.verdicts._replace(fast_start_mttr_target_s=value)
    return whole._replace(recommendations=items, verdicts=verdicts)


def strictest(targets: list[tuple[int, int | None]]) -> int:
    """The lowest of several targets, but at least the lowest that every instance can achieve."""
    lowest = [low_s for _, low_s in targets if low_s is not None]
    return max([min(target_s for target_s, _ in targets), *lowest])


def _instance_line(part: Analysis) -> str:
    """What is set on an instance, what it needs, and its write rate."""
    name = part.report.get("instance") or f"instance {part.report.get('instance_number')}"
    current = part.facts["checkpoint.fast_start_mttr_target_s"].number
    needs, rate = part.verdicts.fast_start_mttr_target_s, part.facts["load.physical_writes_per_s"]
    text = f"{name}: {'not set' if current is None else f'{current:.0f} s set'}"
    if needs != current:
        text += f", {needs} s needed"
    return text if rate.number is None else f"{text}, {rate.number:,.0f} physical writes per second"
