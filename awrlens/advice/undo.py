"""Undo: its size, what rolls back, what waits for its segments; before storage.

Source: document 3, "Undo Tablespace Writes" and its summary (storage "after undo segments have
been properly tuned"); document 1 for what FAST_START_MTTR_TARGET counts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.advice.parts import AFTER, ids, impact
from awrlens.model import Finding, Impact, Recommendation

if TYPE_CHECKING:
    from collections.abc import Mapping

    from awrlens.model import Fact

_UNDO_NEED: Final = (
    "SELECT MAX(undoblks/((end_time-begin_time)*86400)) undo_blocks_per_s, MAX(maxquerylen) "
    "FROM v$undostat;"
)
_WHO_ROLLS_BACK: Final = (
    "SELECT s.module, SUM(t.value) FROM v$sesstat t JOIN v$statname n USING (statistic#) "
    "JOIN v$session s ON s.sid = t.sid WHERE n.name = 'user rollbacks' "
    "GROUP BY s.module ORDER BY 2 DESC;"
)
_SEGMENTS: Final = "SELECT status, COUNT(*) FROM dba_rollback_segs GROUP BY status;"
_RECOVERING: Final = (
    "SELECT usn, state, undoblocksdone, undoblockstotal, pid FROM v$fast_start_transactions;"
)


def undo(facts: Mapping[str, Fact], findings: tuple[Finding, ...]) -> list[Recommendation]:
    """What to do about undo before storage."""
    return [
        *_size(facts, findings),
        *_rollbacks(facts, findings),
        *_segments(facts, findings),
        *_dead_transaction(facts, findings),
    ]


def _size(facts: Mapping[str, Fact], findings: tuple[Finding, ...]) -> list[Recommendation]:
    found = ids(findings, "UNDO004", "UNDO008")
    if not found:
        return []
    longest, need = facts["undo.max_query_s"].number, facts["undo.needed_mb"].number
    rate = facts["undo.peak_blocks_per_s"].number
    action = "Size the undo tablespace for undo_retention × undo blocks per second × block size"
    if need is not None and rate is not None:
        action += f": {need:,.0f} MB at {rate:,.1f} blocks per second, its busiest ten minutes"
    if longest:
        action += f"; the longest query ran {longest:,.0f} s"
    size = f"{need:.0f}M" if need else "<size>"
    return [
        Recommendation(
            id="size-undo",
            title="Give undo the space that the longest query needs",
            action=f"{action}.",
            status="apply",
            commands=(
                _UNDO_NEED,
                f"ALTER TABLESPACE <undo> ADD DATAFILE '<path>' SIZE {size};",
            ),
            validate=("Snapshot Too Old and Out of Space are 0, and so are uS, uR and uU", AFTER),
            findings=found,
        )
    ]


def _rollbacks(facts: Mapping[str, Fact], findings: tuple[Finding, ...]) -> list[Recommendation]:
    found = ids(findings, "UNDO002")
    if not found:
        return []
    each = facts["undo.records_per_rollback"].number
    much = "" if each is None else f" ({each:,.0f} undo records each)"
    return [
        Recommendation(
            id="roll-back-less",
            title="Find what rolls back",
            action=f"Rollbacks do work twice{much}; find the module that makes them before moving "
            "undo to other storage.",
            status="apply",
            commands=(_WHO_ROLLS_BACK,),
            risks=(_recovery(facts),),
            validate=("`rollback changes - undo records applied` falls", AFTER),
            findings=found,
        )
    ]


def _recovery(facts: Mapping[str, Fact]) -> str:
    """The half of a crash recovery that FAST_START_MTTR_TARGET leaves out."""
    # document 1: MTTR is cache recovery; rollback comes after the database opens
    setting = facts["undo.parallel_rollback"].value
    known = f"is {setting}" if setting else "is not printed (LOW unless it is set)"
    return (
        "After a crash such transactions are rolled back when the database is open again: "
        "FAST_START_MTTR_TARGET does not count that time, FAST_START_PARALLEL_ROLLBACK "
        f"{known}."
    )


def _segments(facts: Mapping[str, Fact], findings: tuple[Finding, ...]) -> list[Recommendation]:
    """Segments that are there before transactions want them."""
    found = ids(findings, "UNDO005", "UNDO006")
    if not found:
        return []
    expected = facts["undo.expected_segments"].number
    count = "" if expected is None else (
        f" For its PROCESSES Oracle brings about {expected:,.0f} online "
        "(PROCESSES / TRANSACTIONS_PER_ROLLBACK_SEGMENT)."
    )  # fmt: skip
    by_hand = facts["undo.management"].value == "manual"
    return [
        Recommendation(
            id="more-undo-segments",
            title="Have undo segments ready before transactions want them",
            action=(
                "Add rollback segments of equal size; from 9i on automatic undo does that."
                if by_hand
                else "Keep segments online between peaks: a longer UNDO_RETENTION, and an undo "
                "tablespace that need not shrink."
            )
            + count,
            status="apply",
            commands=(
                _SEGMENTS,
                "CREATE ROLLBACK SEGMENT <name> TABLESPACE <tablespace>;"
                if by_hand
                else "ALTER SYSTEM SET undo_retention=<seconds> SCOPE=BOTH;",
            ),
            rollback=("DROP ROLLBACK SEGMENT <name>;",)
            if by_hand
            else ("ALTER SYSTEM SET undo_retention=<seconds as before> SCOPE=BOTH;",),
            benefit=impact(findings, *found),
            risks=("Undo takes more space.",),
            validate=("US enqueues, `undo segment` events and header waits fall", AFTER),
            findings=found,
        )
    ]


def _dead_transaction(
    facts: Mapping[str, Fact], findings: tuple[Finding, ...]
) -> list[Recommendation]:
    found = ids(findings, "UNDO011")
    if not found:
        return []
    setting = facts["undo.parallel_rollback"].value
    before = str(setting) if setting else "LOW"
    return [
        Recommendation(
            id="watch-parallel-rollback",
            title="Watch the rollback of a dead transaction",
            action="See whether it moves, and make it serial only where it does not: slaves that "
            "wait for each other can be slower than one process, and locks are held until it ends.",
            status="apply",
            commands=(
                _RECOVERING,
                "ALTER SYSTEM SET fast_start_parallel_rollback=FALSE;",
            ),
            rollback=(f"ALTER SYSTEM SET fast_start_parallel_rollback={before};",),
            benefit=Impact(None, None, "not quantified: the waits are those of slaves"),
            risks=("The change restarts the rollback's slaves.",),
            validate=("V$FAST_START_TRANSACTIONS has nothing in state RECOVERING", AFTER),
            findings=found,
        )
    ]
