"""Whether to move undo to low-latency storage: the verdict depends on undo writes and their causes.

Write Accelerator, "Undo Tablespace Writes": undo costs time mainly because DBWR has to write it and
because reads of data files queue behind these writes; waits for undo blocks themselves cost less.
First the causes (rollbacks, segments, size, synchronous I/O), then separate disks, then low-latency
storage.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.advice import data_writes, device_model, features, storage
from awrlens.advice.devices import speed
from awrlens.advice.storage import StorageVerdict
from awrlens.policy import Threshold
from awrlens.units import plain, waited_words

if TYPE_CHECKING:
    from awrlens.advice.case import Case
    from awrlens.advice.device_model import Part

TEMPORARY_REDO_PCT: Final = Threshold(
    "storage.temporary_redo_pct", 65.0, "%",
    "share of undo in the redo above which temporary tables probably generate it, if DBWR also "
    "writes hardly anything else (storage.temporary_write_pct)",
    "awrlens: 82 % in a real report of that kind, at most 56 % in 60 others",
)  # fmt: skip
TEMPORARY_WRITE_PCT: Final = Threshold(
    "storage.temporary_write_pct", 90.0, "%",
    "share of undo in the blocks that DBWR writes, for storage.temporary_redo_pct",
    "awrlens: DML on permanent tables also makes DBWR write their blocks",
)  # fmt: skip
THRESHOLDS: Final = (TEMPORARY_REDO_PCT, TEMPORARY_WRITE_PCT)

#: Rules on waits that undo causes.
_UNDO_RULES: Final = (
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
_OWN_WAITS: Final = ("undo.buffer_wait_s", "undo.read_wait_s")
_DBWR_WAIT: Final = "checkpoint.buffer_wait_s"
_WAITS: Final = (*_OWN_WAITS, _DBWR_WAIT)


def verdict(case: Case) -> StorageVerdict:
    """Undo tablespaces: waits for undo, undo's share of DBWR waits, reads on the same disks."""
    if not _is_known(case):
        return storage.undecided(_mistimed(case) or case.lacking(*_WAITS, "load.elapsed_s"))
    reads, buffers, dbwr, beside = parts = _parts(case)
    share = case.get("undo.block_write_pct")
    saved = device_model.no_less_than_0(device_model.saved_s(parts))
    saving = case.scale.impact(
        saved,
        "waits for undo blocks and undo's share of the waits for DBWR, at "
        f"{plain(buffers.device_ms, 3)} ms per write and {plain(reads.device_ms, 3)} ms per read",
    )
    own_s = reads.waited_s + buffers.waited_s
    waits = f"{storage.sentence(waited_words(own_s))} for undo blocks"
    if not _has_own(case):
        waits = "The report does not show waits for undo blocks"
        if dbwr.waited_s < 1:
            waits += f"; {waited_words(case.or_zero(_DBWR_WAIT))} for DBWR"
    if dbwr.waited_s >= 1:
        also = " and" if own_s > 0 else "; sessions waited"
        waits += f"{also} {dbwr.waited_s:,.0f} s for DBWR (undo's share of its writes)"
    if beside.waited_s >= 1:
        waits += f", and {beside.waited_s:,.0f} s for reads of data files on the same disks as undo"
    much = f"{_segments(case)}{_grown(case)}"
    if share is not None:
        much += f" Undo is {share:.0f} % of the blocks that DBWR writes.{_temporary(case, share)}"
    pressing = case.at_least("warning", *_UNDO_RULES)
    behind = (share or 0.0) >= _PART_PCT and case.at_least("warning", *_DBWR_RULES)
    if (pressing or behind) and (cause := _cause(case)):
        found = case.found(*_UNDO_RULES, "UNDO002", *_DBWR_RULES, *_CAUSES)
        return StorageVerdict(
            "tune-first", f"{waits}. {storage.sentence(cause)}.{much}", saving, found
        )
    if pressing and saved is None:
        lacking = case.lacking(*(part.fact for part in parts if part.waited_s))
        reason = f"{waits}. The latency is not known: {lacking}."
        return StorageVerdict("need-data", reason, saving)
    if not pressing or not storage.worth(case, saved or 0.0, slow=True):
        return StorageVerdict("no-benefit", f"{waits}{_quick(case, reads, own_s)}.{much}", saving)
    reason = f"{waits}. Low-latency storage would save {storage.saves(saving)}.{much}"
    return StorageVerdict("apply", reason, saving, case.found(*_UNDO_RULES))


def saved_s(case: Case) -> float | None:
    """Seconds saved with undo on the device; lost if below 0; None is not known."""
    return device_model.saved_s(_parts(case)) if _is_known(case) else None


def _is_known(case: Case) -> bool:
    """Whether waits for undo are known: its own, or that no session waits for DBWR.

    Without undo's share of DBWR's writes, waits for DBWR may all be for undo.
    """
    behind = case.get("undo.block_write_pct") is None and case.found(*_DBWR_RULES)
    quick = case.get(_DBWR_WAIT) is not None and not behind
    return case.scale.known and (_has_own(case) or quick) and not _mistimed(case)


def _mistimed(case: Case) -> str:
    return storage.mistimed(case, *_UNDO_RULES, *_DBWR_RULES)


def _has_own(case: Case) -> bool:
    """Whether waits for undo itself are known."""
    return any(case.get(name) is not None for name in _OWN_WAITS)


def _parts(case: Case) -> tuple[Part, ...]:
    """The waits that undo causes, including data file reads if rule UNDO010 has a finding."""
    beside = case.or_zero("undo.neighbour_wait_s") if case.found("UNDO010") else 0.0
    return device_model.undo(case.facts, beside, speed(case.policy, "undo"))


def _temporary(case: Case, share: float) -> str:
    """That undo is probably that of temporary tables; empty if rollbacks explain it, or nothing."""
    of_redo = case.get("undo.redo_pct")
    if of_redo is None or case.found("UNDO002"):
        return ""
    policy = case.policy
    if of_redo < policy[TEMPORARY_REDO_PCT] or share < policy[TEMPORARY_WRITE_PCT]:
        return ""
    said = (
        f" It is {of_redo:.0f} % of the redo, too: probably changes of temporary tables, whose own "
        "blocks need no redo."
    )
    if features.has(case.facts, "temp_undo_enabled") is False:
        return f"{said} Truncate them, or let sessions end, instead of deleting rows."
    return f"{said} TEMP_UNDO_ENABLED=TRUE (since 12.1) writes such undo to temp, without redo."


def _segments(case: Case) -> str:
    """Waits for undo segments, which are not waits for blocks; empty without."""
    online, grown = (
        case.or_zero("undo.us_enqueue_wait_s"), case.or_zero("undo.segment_growth_wait_s"),
    )  # fmt: skip
    said = ""
    if round(online):
        said = (
            f" Sessions waited {online:,.0f} s for undo segments to come online or go offline "
            "(`enq: US - contention`), which does not depend on storage."
        )
    if round(grown):
        said += (
            f" Sessions waited {grown:,.0f} s while undo segments were added, extended or shrunk."
        )
    return said


def _grown(case: Case) -> str:
    """That sessions waited for headers of files because undo files grew; empty if they did not."""
    waited, times = case.or_zero("undo.file_header_wait_s"), case.or_zero("undo.file_extensions")
    if round(waited) == 0 or not times:
        return ""
    how_often = "once" if times == 1 else f"{times:,.0f} times"
    return (
        f" Undo files were extended {how_often}, and sessions waited {waited:,.0f} s for file "
        "headers: create the undo files at full size."
    )


def _quick(case: Case, reads: Part, own_s: float) -> str:
    """That the device does not cause the waits, if its reads are fast and sessions wait."""
    if not case.scale.how_many(own_s) or not reads.now_ms or case.scale.how_slow(reads.now_ms):
        return ""
    took = plain(reads.now_ms, 3)
    return f". An undo read takes {took} ms, which is fast: the device does not cause the waits"


def _cause(case: Case) -> str:
    """What comes before storage; empty if nothing does."""
    rollbacks = case.get("undo.rollbacks_per_1000_executes")
    many = rollbacks is not None and rollbacks >= case.policy[storage.ROLLBACKS_FIRST]
    if "UNDO002" in case.by_rule and many:
        made = f"{rollbacks:.2f} rollbacks per 1,000 executions cause this undo"
        return f"{made}: first reduce them in the application"
    if backup := data_writes.backup_first(case):
        return f"{backup}: first analyze a report without it"
    if case.at_least("warning", *_DBWR_RULES) and "UNDO001" not in case.by_rule:
        return "first speed up DBWR, which is behind with all its writes"
    named = [text for rule, text in _CAUSES.items() if case.at_least("info", rule)]
    if data_writes.cached_read_pct(case) is not None:
        named = ["test asynchronous I/O" if each == _CAUSES["CKPT010"] else each for each in named]
    return f"first {' and '.join(dict.fromkeys(named))}" if named else ""
