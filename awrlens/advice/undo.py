"""Undo: its size, rollbacks, and waits for undo segments, all of which come before storage.

Source: Write Accelerator, "Undo Tablespace Writes" and its summary (storage "after undo segments
have been properly tuned"); Fast-Start Checkpointing Best Practices for what FAST_START_MTTR_TARGET
includes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.advice.parts import AFTER, ids, impact
from awrlens.model import Finding, Impact, Recommendation
from awrlens.units import plain

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
        action += (
            f": {need:,.0f} MB at {rate:,.1f} blocks per second, the rate of the busiest ten "
            "minutes"
        )
    if longest:
        action += f". The longest query ran {longest:,.0f} s"
    size = f"{need:.0f}M" if need else "<size>"
    wanted = ""
    if need:
        wanted = f"{plain(need, 3)} MB" if need < _GB else f"{plain(need / _GB, 3)} GB"
    return [
        Recommendation(
            id="size-undo",
            title=f"Size the undo tablespace for {wanted} of undo" if wanted else _BY_LONGEST,
            action=f"{action}.",
            status="apply",
            commands=(
                _UNDO_NEED,
                f"ALTER TABLESPACE <undo> ADD DATAFILE '<path>' SIZE {size};",
            ),
            validate=("Snapshot Too Old, Out of Space, uS, uR and uU are 0", AFTER),
            findings=found,
        )
    ]


_GB: Final = 1024
_BY_LONGEST: Final = "Size the undo tablespace for the longest query"


def _rollbacks(facts: Mapping[str, Fact], findings: tuple[Finding, ...]) -> list[Recommendation]:
    found = ids(findings, "UNDO002")
    if not found:
        return []
    each = facts["undo.records_per_rollback"].number
    much = "" if each is None else f" ({each:,.0f} undo records per rollback)"
    return [
        Recommendation(
            id="roll-back-less",
            title="Find the modules that roll back",
            action=f"A rollback does the work a second time{much}. Find the modules that roll back "
            "before moving undo to other storage.",
            status="apply",
            commands=(_WHO_ROLLS_BACK,),
            risks=(_recovery(facts),),
            validate=("`rollback changes - undo records applied` decreases", AFTER),
            findings=found,
        )
    ]


def _recovery(facts: Mapping[str, Fact]) -> str:
    """The part of crash recovery that FAST_START_MTTR_TARGET does not include."""
    # MTTR is cache recovery; rollback comes after the database opens
    setting = facts["undo.parallel_rollback"].value
    known = f"is {setting}" if setting else "is not in the report (default LOW)"
    return (
        "After a crash, such transactions are rolled back when the database is open again. "
        "FAST_START_MTTR_TARGET does not include this time. FAST_START_PARALLEL_ROLLBACK "
        f"{known}."
    )


def _segments(facts: Mapping[str, Fact], findings: tuple[Finding, ...]) -> list[Recommendation]:
    """Enough undo segments online before transactions need them."""
    found = ids(findings, "UNDO005", "UNDO006")
    if not found:
        return []
    expected = facts["undo.expected_segments"].number
    count = "" if expected is None else (
        f" With the present PROCESSES, Oracle brings about {expected:,.0f} segments online "
        "(PROCESSES / TRANSACTIONS_PER_ROLLBACK_SEGMENT)."
    )  # fmt: skip
    manual = facts["undo.management"].value == "manual"
    return [
        Recommendation(
            id="more-undo-segments",
            title="Add rollback segments" if manual else "Keep enough undo segments online",
            action=(
                "Add rollback segments of equal size. Since 9i, automatic undo management does "
                "this."
                if manual
                else "Keep segments online between peaks with a longer UNDO_RETENTION and an undo "
                "tablespace that is large enough."
            )
            + count,
            status="apply",
            commands=(
                _SEGMENTS,
                "CREATE ROLLBACK SEGMENT <name> TABLESPACE <tablespace>;"
                if manual
                else "ALTER SYSTEM SET undo_retention=<seconds> SCOPE=BOTH;",
            ),
            rollback=("DROP ROLLBACK SEGMENT <name>;",)
            if manual
            else ("ALTER SYSTEM SET undo_retention=<seconds as before> SCOPE=BOTH;",),
            benefit=impact(findings, *found),
            risks=("Undo takes more space.",),
            validate=("US enqueues, `undo segment` events and header waits decrease", AFTER),
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
            title="Monitor the rollback of the dead transaction",
            action="Check whether the rollback progresses. Make it serial only if it does not: "
            "parallel slaves that wait for each other can be slower than one process. Its locks "
            "are held until the rollback ends.",
            status="apply",
            commands=(
                _RECOVERING,
                "ALTER SYSTEM SET fast_start_parallel_rollback=FALSE;",
            ),
            rollback=(f"ALTER SYSTEM SET fast_start_parallel_rollback={before};",),
            benefit=Impact(None, None, "not quantified: these are waits of the parallel slaves"),
            risks=("The change restarts the parallel slaves of the rollback.",),
            validate=("V$FAST_START_TRANSACTIONS has no row in state RECOVERING", AFTER),
            findings=found,
        )
    ]
