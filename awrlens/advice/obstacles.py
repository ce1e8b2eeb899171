"""Parameters that work against a recovery target, release by release, and how to remove them.

Sources: document 1, "Fast-Start Checkpointing"; Oracle's Reference and Upgrade Guides:

- DB_BLOCK_MAX_DIRTY_TARGET: 8.0 and 8i; obsolete since 9.0.1. An obsolete parameter is left out
  of the parameter file (ORA-25138).
- FAST_START_IO_TARGET: since 8.1.5, Enterprise Edition; deprecated since 9.0.1 in favour of
  FAST_START_MTTR_TARGET, still obeyed. While it is set, MTTR Advisory does not start (ORA-25533).
- LOG_CHECKPOINT_INTERVAL: all releases; 0 turns it off. It overrides FAST_START_MTTR_TARGET, and
  MTTR Advisory does not start (ORA-25533).
- LOG_CHECKPOINT_TIMEOUT: all releases; 0 turns it off, which Oracle advises only where
  FAST_START_MTTR_TARGET is set. 1800 by default (900 without Enterprise Edition until 9.0.1).
- FAST_START_MTTR_TARGET: since 9.0.1, 0 to 3600, Enterprise Edition; for the whole instance, not
  for a pluggable database. Since 10.1 checkpoints tune themselves while it is not set; set to 0
  it turns that off, so it is reset, not set to 0.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.model import Recommendation

if TYPE_CHECKING:
    from collections.abc import Mapping

    from awrlens.model import Fact, Finding

#: Parameters of document 1 (and 8i's forerunner): the fact that holds each, the value that turns
#: it off (None: it is removed), and what its removal is good for.
OBSTACLES: Final = {
    "LOG_CHECKPOINT_INTERVAL": (
        "checkpoint.log_checkpoint_interval", "0",
        "it overrides FAST_START_MTTR_TARGET and keeps MTTR Advisory off",
    ),
    "LOG_CHECKPOINT_TIMEOUT": (
        "checkpoint.log_checkpoint_timeout_s", "0",
        "it moves the checkpoint by the clock, whatever recovery would take",
    ),
    "FAST_START_IO_TARGET": (
        "checkpoint.fast_start_io_target", None,
        "deprecated since 9.0.1 in favour of FAST_START_MTTR_TARGET; it keeps MTTR Advisory off",
    ),
    "DB_BLOCK_MAX_DIRTY_TARGET": (
        "checkpoint.db_block_max_dirty_target", None,
        "obsolete since 9.0.1 (ORA-25138)",
    ),
}  # fmt: skip

_IN_FORCE: Final = "SELECT name, value, isdefault FROM v$parameter WHERE name IN ({names});"


def remove(
    facts: Mapping[str, Fact], findings: tuple[Finding, ...], everywhere: str, after: str
) -> list[Recommendation]:
    """Remove the parameters that CKPT002 found; ``everywhere`` names all instances in RAC."""
    found = tuple(f.id for f in findings if f.id == "CKPT002" and f.severity != "ok")
    if not found:
        return []
    names = _set(facts)
    commands, rollback = switches(facts, everywhere)
    why = "; ".join(f"{name}: {OBSTACLES[name][2]}" for name in names)
    return [
        Recommendation(
            id="remove-checkpoint-parameters",
            title="Remove the parameters that work against the recovery target",
            action=f"Set {' and '.join(names)} to 0 or remove {_them(names)}, so that "
            f"FAST_START_MTTR_TARGET alone drives checkpoints. {why}.",
            status="apply",
            commands=commands,
            rollback=rollback,
            prerequisites=("FAST_START_MTTR_TARGET is set",),
            risks=(
                "Recovery may take as long as the target allows.",
                "Without an spfile: no SCOPE, and the parameter file is edited.",
            ),
            validate=(
                _IN_FORCE.format(names=", ".join(f"'{name.lower()}'" for name in names)),
                "Instance Recovery Stats: target redo blocks are neither timeout's nor interval's",
                after,
            ),
            findings=found,
        )
    ]


def switches(facts: Mapping[str, Fact], everywhere: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Commands that turn off what is set, and those that bring it back."""
    commands, rollback = [], []
    for name in _set(facts):
        fact, off, _ = OBSTACLES[name]
        parameter = name.lower()
        commands.append(
            f"ALTER SYSTEM SET {parameter}={off} SCOPE=BOTH{everywhere};"
            if off is not None
            else f"ALTER SYSTEM RESET {parameter} SCOPE=SPFILE SID='*'; -- from the next start"
        )
        scope = "BOTH" if off is not None else "SPFILE"
        rollback.append(
            f"ALTER SYSTEM SET {parameter}={facts[fact].number:.0f} SCOPE={scope}{everywhere};"
        )
    return tuple(commands), tuple(rollback)


def _set(facts: Mapping[str, Fact]) -> list[str]:
    return [name for name, (fact, _, _) in OBSTACLES.items() if (facts[fact].number or 0) > 0]


def _them(names: list[str]) -> str:
    return "it" if len(names) == 1 else "them"
