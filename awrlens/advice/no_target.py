"""When FAST_START_MTTR_TARGET stays unset: nothing waits for checkpoints, or a limit is enough.

Source: Fast-Start Checkpointing Best Practices, "Fast-Start Checkpointing"; Oracle Database
Reference, LOG_CHECKPOINT_INTERVAL. Since 10.1, automatic checkpoint tuning is on while the
parameter is not set.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.advice import features, limits
from awrlens.checkpoints import AT_LIMIT_PCT, NOT_ESTIMATED, OFF, lag_pct
from awrlens.model import Recommendation
from awrlens.units import waited_words

if TYPE_CHECKING:
    from collections.abc import Iterable

    from awrlens.advice.case import Case

_SELF_TUNED: Final = "Since 10g, automatic checkpoint tuning is on while it is not set."
_NO_SIGN: Final = (
    "Nothing in the report shows automatic checkpoint tuning at work: Oracle did not estimate the "
    "recovery time"
)
_RESET: Final = (
    "FAST_START_MTTR_TARGET is set to 0. Since 10g, that turns automatic checkpoint tuning off: "
    "reset it, so that it is on from the next start, or set a value."
)
_IS_RESET: Final = (
    "after the next start, isdefault is TRUE: SELECT value, isdefault FROM v$parameter "
    "WHERE name = 'fast_start_mttr_target';"
)
_IN_BULK: Final = (
    "Without a target, DBWR writes in bulk at log switches, but no session waits for that here. "
    "3600 would turn fast-start checkpointing on, with more writes between log switches."
)
_ASK: Final = (
    "Use --desired-mttr to calculate a target. Without an agreed recovery time, use 3600 if you "
    "set one"
)
#: Limits that no peak of the load exceeds, and the parameters of two limits.
_HARD: Final = ("log_size", "interval")
_LIMITING: Final = {"interval": "LOG_CHECKPOINT_INTERVAL", "timeout": "LOG_CHECKPOINT_TIMEOUT"}
#: The finding that DBWR is behind with writes other than those of checkpoints.
BEHIND: Final = "CKPT008"
#: Minimum share of DB time that a sentence shows.
_SHOWN_PCT: Final = 0.05


def is_met(case: Case, desired_s: float) -> bool:
    """Whether the present limit of the redo keeps the agreed time already, at any load."""
    high, reached = case.get("checkpoint.estimated_mttr_high_s"), lag_pct(case.get)
    if case.request.rac or high is None or reached is None or case.answers("enlarge-redo-logs"):
        return False
    hard = case.value("checkpoint.binding_limit") in _HARD
    return hard and high <= desired_s and reached >= case.policy[AT_LIMIT_PCT]


def met(case: Case, desired_s: float) -> Recommendation:
    """The agreed time is met: nothing to change."""
    why = f"The agreed recovery time of {desired_s:g} s is met already."
    return _unset(case, (why, _off(case), *limits.state(case)))


def _off(case: Case) -> str:
    return _RESET if case.value("checkpoint.target_set") == OFF else ""


def _unset(case: Case, parts: Iterable[str]) -> Recommendation:
    """Nothing to set; but a parameter that is set to 0 is reset, at the next start."""
    if not _off(case):
        return Recommendation(
            "leave-mttr-target",
            "Leave FAST_START_MTTR_TARGET unset",
            " ".join(filter(None, parts)),
            "no-benefit",
        )
    return Recommendation(
        "reset-mttr-target",
        "Reset FAST_START_MTTR_TARGET: 0 turns automatic checkpoint tuning off",
        " ".join(filter(None, parts)),
        "no-benefit",
        commands=("ALTER SYSTEM RESET fast_start_mttr_target SCOPE=SPFILE SID='*';",),
        rollback=("ALTER SYSTEM SET fast_start_mttr_target=0 SCOPE=SPFILE SID='*';",),
        risks=("DBWR writes more blocks between log switches.",),
        validate=(_IS_RESET,),
    )


def leave(case: Case) -> Recommendation:
    """No significant waits for checkpoints, and no recovery time is required."""
    waits = case.get("checkpoint.incomplete_wait_s")
    buffer = case.get("checkpoint.buffer_wait_s")
    behind = case.found(BEHIND)
    if behind:
        why = (
            "DBWR is behind with writes other than those of checkpoints, and a target adds to them"
        )
    elif waits is None or buffer is None:
        why = "Waits for checkpoints are not in the report"
    elif waits + buffer:
        share = case.share(waits + buffer)
        of = f" ({share:.1f} % of {case.base})" if share >= _SHOWN_PCT else ""
        waited = waited_words(waits + buffer)
        why = f"{waited[0].upper()}{waited[1:]}{of} for incomplete checkpoints and DBWR"
    else:
        why = "No session waited for incomplete checkpoints or DBWR"
    then = _SELF_TUNED
    if off := _off(case):
        then = off
    elif features.has(case.facts, "self-tuned checkpoints") is False:
        name = _LIMITING.get(str(case.value("checkpoint.binding_limit")))
        reached = lag_pct(case.get)
        binds = name is not None and (reached is None or reached >= case.policy[AT_LIMIT_PCT])
        then = f"{name} advances the checkpoint between log switches." if binds else _IN_BULK
    elif NOT_ESTIMATED in case.facts["checkpoint.estimated_mttr_high_s"].note and not case.or_zero(
        "checkpoint.autotune_write_pct"
    ):
        then = _not_shown(case)
    elif behind or case.value("checkpoint.main_cause") == "thread":
        then = ""  # thread checkpoints come from log switches: tuning does not apply to them
    return _unset(case, (f"{why}.", then, *limits.state(case), _longer(case), _ask(case)))


def _not_shown(case: Case) -> str:
    """That no sign of automatic checkpoint tuning is in the report, and what binds instead."""
    limit, reached = str(case.value("checkpoint.binding_limit")), lag_pct(case.get)
    name = "the redo log size" if limit == "log_size" else _LIMITING.get(limit)
    binds = ""
    if name and reached is not None and reached >= case.policy[AT_LIMIT_PCT]:
        binds = f"; {name} advances the checkpoint, at {reached:.0f} % of its limit"
    return f"{_NO_SIGN}{binds}."


def _ask(case: Case) -> str:
    """How to calculate a target, and what 3600 needs to have an effect."""
    needs = []
    if case.value("database.edition") is None:
        needs.append("it requires Enterprise Edition")
    if blocks := case.or_zero("checkpoint.log_checkpoint_interval"):
        needs.append(f"LOG_CHECKPOINT_INTERVAL, {blocks:,.0f} here, overrides it and must be 0")
    return f"{_ASK} ({'; '.join(needs)})." if needs else f"{_ASK}."


def _longer(case: Case) -> str:
    """What larger redo logs do to recovery if their size limits it now."""
    high = case.get("checkpoint.estimated_mttr_high_s")
    limit = case.value("checkpoint.binding_limit")
    if high is None or limit != "log_size" or not case.answers("enlarge-redo-logs"):
        return ""
    return (
        f"If larger redo logs are added, recovery takes longer than these {high:.0f} s: set "
        f"{max(1.0, high):.0f} with them if it must not."
    )
