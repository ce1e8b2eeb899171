"""Whether to move undo to low-latency storage: the verdict depends on undo writes and their causes.

Write Accelerator, "Undo Tablespace Writes": undo costs time mainly because DBWR has to write it and
because reads of data files queue behind these writes; waits for undo blocks themselves cost less.
First the causes (rollbacks, segments, size, synchronous I/O), then separate disks, then low-latency
storage.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.advice import device_time
from awrlens.advice.device_time import no_less_than_0, saved_s
from awrlens.advice.storage_case import NO_SAVING, ROLLBACKS_FIRST, Case, StorageVerdict, saves
from awrlens.units import plain

if TYPE_CHECKING:
    from collections.abc import Mapping

    from awrlens.advice.device_time import Part
    from awrlens.model import Fact, Finding
    from awrlens.policy import Policy

#: Rules on waits that undo causes.
UNDO_RULES: Final = (
    "UNDO001", "UNDO003", "UNDO005", "UNDO006", "UNDO007", "UNDO010", "UNDO011", "UNDO012",
)  # fmt: skip
#: Causes that come before storage, and what to do about them.
_CAUSES: Final = {
    "CKPT010": "enable asynchronous I/O",
    "UNDO004": "size the undo tablespace",
    "UNDO005": "keep enough undo segments online",
    "UNDO006": "add rollback segments",
    "UNDO008": "size the undo tablespace",
    "UNDO010": "move undo to separate disks",
    "UNDO011": "monitor the rollback of the dead transaction",
    "UNDO012": "preallocate the files that grow",
}
#: Rules on waits for DBWR, and the share of undo in its writes above which undo contributes.
_DBWR_RULES: Final = ("CKPT005", "CKPT008")
_PART_PCT: Final = 20  # awrlens: a fifth
#: Without any of these facts, nothing is known about waits for undo.
_WAITS: Final = ("undo.buffer_wait_s", "undo.read_wait_s", "checkpoint.buffer_wait_s")


def undo(
    facts: Mapping[str, Fact], findings: tuple[Finding, ...], policy: Policy
) -> StorageVerdict:
    """Undo tablespaces: waits for undo, undo's share of DBWR waits, reads on the same disks."""
    case = Case(facts, findings, policy)
    if all(case.get(name) is None for name in _WAITS) or not case.scale.known:
        why = case.lacking(*_WAITS, "load.elapsed_s")
        return StorageVerdict("need-data", f"Not decided: {why}.", NO_SAVING)
    reads, buffers, dbwr, beside = parts = _parts(case)
    share = case.get("undo.block_write_pct")
    saved = no_less_than_0(saved_s(parts))
    saving = case.scale.impact(
        saved,
        "waits for undo blocks and undo's share of the waits for DBWR, at "
        f"{plain(buffers.device_ms, 3)} ms per write and {plain(reads.device_ms, 3)} ms per read",
    )
    own_s = reads.waited_s + buffers.waited_s
    waits = f"Sessions waited {own_s:,.0f} s for undo blocks"
    if round(own_s) == 0:
        waits = "No session waited for undo blocks"
    if dbwr.waited_s >= 1:
        also = " and" if round(own_s) else "; sessions waited"
        waits += f"{also} {dbwr.waited_s:,.0f} s for DBWR (undo's share of its writes)"
    if beside.waited_s >= 1:
        waits += f", and {beside.waited_s:,.0f} s for reads of data files on the same disks as undo"
    much = "" if share is None else f" Undo is {share:.0f} % of the blocks that DBWR writes."
    cause = _cause(case)
    behind = (share or 0.0) >= _PART_PCT and case.at_least("warning", *_DBWR_RULES)
    if (case.at_least("warning", *UNDO_RULES) or behind) and cause:
        found = (*UNDO_RULES, "UNDO002", *_DBWR_RULES, *_CAUSES)
        return StorageVerdict(
            "tune-first", f"{waits}. {cause[:1].upper()}{cause[1:]}.{much}", saving,
            case.of(*dict.fromkeys(found)),
        )  # fmt: skip
    if case.at_least("warning", *UNDO_RULES) and saved is None:
        lacking = case.lacking(*(part.fact for part in parts if part.waited_s))
        reason = f"{waits}. The latency is not known: {lacking}."
        return StorageVerdict("need-data", reason, saving)
    if not case.at_least("warning", *UNDO_RULES) or not case.worth(saved or 0.0, slow=True):
        return StorageVerdict("no-benefit", f"{waits}{_quick(case, reads, own_s)}.{much}", saving)
    reason = f"{waits}. Low-latency storage would save {saves(saving)}.{much}"
    return StorageVerdict("apply", reason, saving, case.of(*UNDO_RULES))


def undo_saved_s(case: Case) -> float | None:
    """Seconds saved with undo on the device; lost if below 0; None is not known."""
    none = all(case.get(name) is None for name in _WAITS)
    return None if none or not case.scale.known else saved_s(_parts(case))


def _parts(case: Case) -> tuple[Part, ...]:
    """The waits that undo causes, including data file reads if rule UNDO010 has a finding."""
    beside = (case.get("undo.neighbour_wait_s") or 0.0) if case.of("UNDO010") else 0.0
    return device_time.undo(case.facts, beside, case.undo_speed)


def _quick(case: Case, reads: Part, own_s: float) -> str:
    """That the device does not cause the waits, if its reads are fast and sessions wait."""
    if not case.scale.how_many(own_s) or not reads.now_ms or case.scale.how_slow(reads.now_ms):
        return ""
    took = plain(reads.now_ms, 3)
    return f". An undo read takes {took} ms, which is fast: the device does not cause the waits"


def _cause(case: Case) -> str:
    """What comes before storage; empty if nothing does."""
    rollbacks = case.get("undo.rollbacks_per_1000_executes")
    many = rollbacks is not None and rollbacks >= case.policy[ROLLBACKS_FIRST]
    if "UNDO002" in case.severities and many:
        made = f"{rollbacks:.2f} rollbacks per 1,000 executions cause this undo"
        return f"{made}: first reduce them in the application"
    if case.at_least("warning", *_DBWR_RULES) and "UNDO001" not in case.severities:
        return "first speed up DBWR, which is behind with all its writes"
    named = [text for rule, text in _CAUSES.items() if case.at_least("info", rule)]
    return f"first {' and '.join(dict.fromkeys(named))}" if named else ""
