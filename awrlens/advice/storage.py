"""Whether redo, temporary or undo tablespaces belong on low-latency storage, and what it saves.

The order is that of document 3's summary: first CPU and scheduling, then memory and segment
settings, then storage. "No benefit" is a full answer. Savings are upper bounds: seconds that
sessions wait now, less what a device of the given latency would still take (Amdahl's law).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.advice.storage_case import (
    DEVICE_READ_MS,
    DEVICE_WRITE_MS,
    LGWR_BUSY_PCT,
    NO_SAVING,
    OTHER_SHARE,
    QUICK_MS,
    ROLLBACKS_FIRST,
    THRESHOLDS,
    Case,
    StorageVerdict,
    ended,
    percent,
)
from awrlens.advice.storage_temp import temp
from awrlens.weigh import LEAST_WRITE_MS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from awrlens.model import Fact, Finding
    from awrlens.policy import Policy

__all__ = ["THRESHOLDS", "StorageVerdict", "redo", "temp", "undo"]


def redo(
    facts: Mapping[str, Fact], findings: tuple[Finding, ...], policy: Policy
) -> StorageVerdict:
    """Redo logs: faster storage saves what the log write takes out of the commit waits."""
    case = Case(facts, findings, policy)
    needs = ("redo.sync_wait_s", "load.response_s")
    latency = _write_latency(case)
    if latency is None or case.lacking(*needs):
        why = case.lacking(*needs) or case.lacking("redo.parallel_write_ms", "redo.write_ms")
        known = _known_waits(case) if latency is None else ""
        return StorageVerdict("need-data", f"{known}Not decided: {why}.", NO_SAVING)
    sync, switch = case.get("redo.sync_wait_s") or 0.0, case.get("redo.log_switch_wait_s") or 0.0
    buffer = case.get("redo.buffer_wait_s") or 0.0
    felt = sync + switch + buffer
    full = _buffer_saving(case, latency, buffer)
    saved = _redo_saving(case, latency, sync) + full
    waits = "`log file sync` and `log buffer space`" if full else "`log file sync`"
    saving = case.scale.impact(
        saved,
        f"{waits}, at {policy[DEVICE_WRITE_MS]:g} ms instead of {latency:.4g} ms for each log "
        "write",
    )
    share = case.share(felt)
    if not case.worth(felt):
        return StorageVerdict(
            "no-benefit",
            f"A log write takes {latency:.4g} ms, but sessions waited only {share:.1f} % of DB "
            "time for redo: a slow thing that nobody waits for is not a problem.",
            saving,
        )
    if latency < policy[QUICK_MS] and not case.worth(saved):
        return StorageVerdict(
            "no-benefit",
            f"A log write takes {latency:.4g} ms already: the {felt:,.0f} s that sessions waited "
            f"for redo ({switch:,.0f} s of them log switches) are not the device.",
            saving,
        )
    if switch > felt * policy[OTHER_SHARE]:
        return StorageVerdict(
            "tune-first",
            f"{switch:,.0f} of {felt:,.0f} s of redo waits are log switches: size the logs and "
            f"the checkpoint first; then judge the log write of {latency:.4g} ms again.",
            saving,
            case.of("REDO001", "REDO004", "REDO007", "CKPT001"),
        )
    outside = sum(case.get(f"redo.commit_{part}_s") or 0.0 for part in _OUTSIDE)
    if case.of("REDO002", "REDO003") and outside > saved:
        return StorageVerdict(
            "tune-first",
            f"{outside:,.0f} of {sync:,.0f} s at commit are outside the log write: processors, "
            "LGWR's priority or a standby come first. The log write itself takes "
            f"{latency:.4g} ms.",
            saving,
            case.of("REDO002", "REDO003"),
        )
    if not case.worth(saved):
        return StorageVerdict(
            "no-benefit",
            f"A log write takes {latency:.4g} ms; a device of "
            f"{policy[DEVICE_WRITE_MS]:g} ms would save {percent(saving)} of DB time at most.",
            saving,
        )
    return StorageVerdict(
        "apply",
        f"A log write takes {latency:.4g} ms and sessions wait for it; a device of "
        f"{policy[DEVICE_WRITE_MS]:g} ms would save up to {saved:,.0f} s "
        f"({percent(saving)} of DB time).",
        saving,
        case.of("REDO001", "REDO006"),
    )


def _buffer_saving(case: Case, latency: float, buffer_s: float) -> float:
    """The waits for the log buffer, where LGWR is busy writing and a quicker write empties it."""
    busy = case.get("redo.lgwr_busy_pct") or 0.0
    if busy < case.policy[LGWR_BUSY_PCT]:
        return 0.0
    return buffer_s * ended(case.policy[DEVICE_WRITE_MS], latency)


#: Parts of the commit wait that no log device shortens.
_OUTSIDE: Final = ("lgwr", "scheduling", "unexplained")


def _known_waits(case: Case) -> str:
    """What sessions waited for redo at least, where what they waited for cannot be told."""
    names = ("redo.sync_wait_s", "redo.log_switch_wait_s", "redo.buffer_wait_s")
    share = case.share(sum(case.get(name) or 0.0 for name in names))
    if not share:
        return ""
    each = case.get("redo.sync_ms")
    commit = f", {each:.4g} ms at a commit" if each else ""
    return (
        f"Sessions waited at least {share:.1f} % of DB time for redo{commit}; how much of it is "
        "the log write is not printed. "
    )


def _write_latency(case: Case) -> float | None:
    """The local log write: the event where it holds the write, else LGWR's counter."""
    event = case.get("redo.parallel_write_ms")
    holds = event is not None and event >= case.policy[LEAST_WRITE_MS]
    return event if holds else case.get("redo.write_ms")


def _redo_saving(case: Case, latency: float, sync_s: float) -> float:
    """The part of the commit waits that a faster log write would end."""
    count = case.get("redo.sync_count")
    per_wait = max(0.0, latency - case.policy[DEVICE_WRITE_MS]) / 1000
    return sync_s if not count else min(sync_s, count * per_wait)


def undo(
    facts: Mapping[str, Fact], findings: tuple[Finding, ...], policy: Policy
) -> StorageVerdict:
    """Undo tablespaces: what sessions wait for undo blocks, after rollbacks are seen to."""
    case = Case(facts, findings, policy)
    buffer, read = case.get("undo.buffer_wait_s"), case.get("undo.read_wait_s")
    if (buffer is None and read is None) or not case.scale.known:
        why = case.lacking("undo.buffer_wait_s", "undo.read_wait_s", "load.response_s")
        return StorageVerdict("need-data", f"Not decided: {why}.", NO_SAVING)
    seconds = (buffer or 0.0) + (read or 0.0)
    latency = case.get("undo.read_ms")
    device = policy[DEVICE_READ_MS]
    kept = 0.0 if not latency else min(1.0, device / latency)
    saved = (buffer or 0.0) + (read or 0.0) * (1 - kept)
    saving = case.scale.impact(
        saved, f"waits for undo buffers, and undo reads at {device:g} ms each"
    )
    share = case.share(seconds)
    written = case.get("undo.block_write_pct")
    much = "" if written is None else f" Undo is {written:.0f} % of the blocks written."
    if not case.worth(saved):
        return StorageVerdict(
            "no-benefit",
            f"Sessions waited {share:.1f} % of DB time for undo blocks.{much}",
            saving,
        )
    rollbacks = case.get("undo.rollbacks_per_1000_executes")
    if "UNDO002" in case.ids and rollbacks is not None and rollbacks >= policy[ROLLBACKS_FIRST]:
        return StorageVerdict(
            "tune-first",
            f"{rollbacks:.2f} rollbacks for every 1,000 executions make this undo: the "
            f"application comes first.{much}",
            saving,
            case.of("UNDO001", "UNDO002", "UNDO003"),
        )
    return StorageVerdict(
        "apply",
        f"Sessions waited {share:.1f} % of DB time for undo blocks; low-latency storage would "
        f"save up to {saved:,.0f} s.{much}",
        saving,
        case.of("UNDO001", "UNDO003"),
    )
