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

from awrlens.checkpoints import DEFAULT_TIMEOUT_S, PARAMETERS, conflicting
from awrlens.model import Recommendation

if TYPE_CHECKING:
    from collections.abc import Mapping

    from awrlens.model import Fact, Finding
    from awrlens.policy import Policy

#: For each parameter, the value that turns it off (None: remove it), and why to remove it.
_REASONS: Final = {
    "LOG_CHECKPOINT_INTERVAL": (
        "0",
        "it overrides FAST_START_MTTR_TARGET and keeps the MTTR Advisory off",
    ),
    "LOG_CHECKPOINT_TIMEOUT": (
        "0",
        "it advances the checkpoint by time, regardless of the recovery time",
    ),
    "FAST_START_IO_TARGET": (
        None,
        "deprecated since 9.0.1 in favor of FAST_START_MTTR_TARGET; it keeps the MTTR Advisory off",
    ),
    "DB_BLOCK_MAX_DIRTY_TARGET": (
        None,
        "obsolete since 9.0.1 (ORA-25138)",
    ),
}  # fmt: skip

_IN_FORCE: Final = "SELECT name, value, isdefault FROM v$parameter WHERE name IN ({names});"


def remove(
    facts: Mapping[str, Fact],
    findings: tuple[Finding, ...],
    policy: Policy,
    everywhere: str,
    after: str,
) -> list[Recommendation]:
    """Remove the parameters that CKPT002 found; ``everywhere`` names all instances in RAC."""
    found = tuple(f.id for f in findings if f.id == "CKPT002" and f.severity != "ok")
    if not found:
        return []
    names = _set(facts, policy)
    commands, rollback = switches(facts, policy, everywhere)
    why = "; ".join(f"{name}: {_REASONS[name][1]}" for name in names)
    return [
        Recommendation(
            id="remove-checkpoint-parameters",
            title=f"Remove {' and '.join(names)}",
            action=f"Set {' and '.join(names)} to 0 or remove {_them(names)}, so that only "
            f"FAST_START_MTTR_TARGET controls checkpoints. {why}.",
            status="apply",
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
                after,
            ),
            findings=found,
        )
    ]


def switches(
    facts: Mapping[str, Fact], policy: Policy, everywhere: str
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Commands that turn the parameters off, and commands for the rollback."""
    now = {name: facts[PARAMETERS[name]].number or 0.0 for name in _set(facts, policy)}
    return commands_for(now, everywhere)


def why(name: str) -> str:
    """Why a parameter is in the way of a recovery target."""
    return _REASONS[name][1]


def commands_for(
    now: Mapping[str, float], everywhere: str
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Commands that turn off parameters with these values, and commands for the rollback."""
    commands, rollback = [], []
    for name, value in now.items():
        off, _ = _REASONS[name]
        parameter = name.lower()
        commands.append(
            f"ALTER SYSTEM SET {parameter}={off} SCOPE=BOTH{everywhere};"
            if off is not None
            else f"ALTER SYSTEM RESET {parameter} SCOPE=SPFILE SID='*'; -- from the next start"
        )
        scope = "BOTH" if off is not None else "SPFILE"
        rollback.append(f"ALTER SYSTEM SET {parameter}={value:.0f} SCOPE={scope}{everywhere};")
    return tuple(commands), tuple(rollback)


def _set(facts: Mapping[str, Fact], policy: Policy) -> list[str]:
    limit = facts["checkpoint.binding_limit"].value
    return conflicting(lambda name: facts[name].number, limit, policy[DEFAULT_TIMEOUT_S])


def _them(names: list[str]) -> str:
    return "it" if len(names) == 1 else "them"
