"""Parameters that override a recovery target, by release, and how to remove them.

Sources: Fast-Start Checkpointing Best Practices, "Fast-Start Checkpointing"; Oracle Database
Reference and Upgrade Guides:

- DB_BLOCK_MAX_DIRTY_TARGET: 8.0 and 8i; obsolete since 9.0.1. Remove an obsolete parameter from
  the parameter file (ORA-25138).
- FAST_START_IO_TARGET: since 8.1.5, Enterprise Edition; deprecated since 9.0.1 in favor of
  FAST_START_MTTR_TARGET, but still in effect. While it is set, the MTTR Advisory is off
  (ORA-25533).
- LOG_CHECKPOINT_INTERVAL: all releases; 0 turns it off. It overrides FAST_START_MTTR_TARGET, and
  the MTTR Advisory is off (ORA-25533).
- LOG_CHECKPOINT_TIMEOUT: all releases; 0 turns it off, which Oracle recommends only if
  FAST_START_MTTR_TARGET is set. Default 1800 (900 without Enterprise Edition until 9.0.1).
- FAST_START_MTTR_TARGET: since 9.0.1, 0 to 3600, Enterprise Edition; for the whole instance, not
  for a pluggable database. Since 10.1, automatic checkpoint tuning is on while the parameter is
  not set. The value 0 turns it off, so the parameter is reset rather than set to 0.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.advice.case import AFTER
from awrlens.checkpoints import DEFAULT_TIMEOUT_S, PARAMETERS, conflicting
from awrlens.model import Recommendation
from awrlens.units import listed

if TYPE_CHECKING:
    from collections.abc import Mapping

    from awrlens.advice.case import Case

#: Why to remove each parameter.
WHY: Final = {
    "LOG_CHECKPOINT_INTERVAL": "it overrides FAST_START_MTTR_TARGET and keeps the MTTR Advisory "
    "off",
    "LOG_CHECKPOINT_TIMEOUT": "it advances the checkpoint by time, regardless of the recovery time",
    "FAST_START_IO_TARGET": "deprecated since 9.0.1 in favor of FAST_START_MTTR_TARGET; it keeps "
    "the MTTR Advisory off",
    "DB_BLOCK_MAX_DIRTY_TARGET": "obsolete since 9.0.1 (ORA-25138)",
}
#: Parameters that 0 turns off; the others are removed.
_TIMEOUT: Final = "LOG_CHECKPOINT_TIMEOUT"
_ZERO: Final = ("LOG_CHECKPOINT_INTERVAL", _TIMEOUT)
#: No release with FAST_START_MTTR_TARGET accepts them.
_OBSOLETE: Final = ("DB_BLOCK_MAX_DIRTY_TARGET",)
_IN_FORCE: Final = "SELECT name, value, isdefault FROM v$parameter WHERE name IN ({names});"


def remove_checkpoint_parameters(case: Case) -> Recommendation:
    """Remove the parameters that CKPT002 found."""
    names = _set(case)
    commands, rollback = switches(case)
    why = "; ".join(f"{name}: {WHY[name]}" for name in names)
    zero = listed([name for name in names if name in _ZERO])
    others = listed([name for name in names if name not in _ZERO])
    do = " and ".join(
        [*([f"set {zero} to 0"] if zero else []), *([f"remove {others}"] if others else [])]
    )
    title = f"{do[:1].upper()}{do[1:]}"
    default = f"; if it is removed, its default of {case.policy[DEFAULT_TIMEOUT_S]:,.0f} s applies"
    kept = default if _TIMEOUT in names else ""
    return Recommendation(
        "remove-checkpoint-parameters",
        title,
        f"{title}, so that only FAST_START_MTTR_TARGET controls checkpoints. {why}{kept}.",
        "apply",
        commands=commands,
        rollback=rollback,
        prerequisites=("FAST_START_MTTR_TARGET is set",),
        risks=(
            "Recovery may take as long as the target allows.",
            "Without an spfile, omit SCOPE and edit the parameter file.",
        ),
        validate=(
            _IN_FORCE.format(names=", ".join(f"'{name.lower()}'" for name in names)),
            "Instance Recovery Stats: timeout and interval do not determine target redo blocks",
            AFTER,
        ),
    )


def switches(case: Case) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Commands that turn the parameters of a report off, and commands for the rollback."""
    now = {name: case.or_zero(PARAMETERS[name]) for name in _set(case)}
    return commands_for(now, case.everywhere)


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
        if name not in _OBSOLETE:
            rollback.append(f"ALTER SYSTEM SET {parameter}={value:.0f} SCOPE={scope}{everywhere};")
    return tuple(commands), tuple(rollback)


def _set(case: Case) -> list[str]:
    limit = case.value("checkpoint.binding_limit")
    return conflicting(case.get, limit, case.policy[DEFAULT_TIMEOUT_S])
