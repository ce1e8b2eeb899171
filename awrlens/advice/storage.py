"""Whether to move redo logs to low-latency storage, and the saving.

The order of causes is that of the summary in Write Accelerator: first CPU and scheduling, then
other causes of commit waits (log switches, other instances, a standby), then storage. "No benefit"
is a complete answer. The saving includes the queue for LGWR (``awrlens.advice.commit_model``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.advice import device_time, placement
from awrlens.advice.commit_model import Commits, Outcome, commits, with_write
from awrlens.advice.storage_case import (
    DEVICE_MB_S,
    DEVICE_WRITE_MS,
    NO_SAVING,
    OTHER_SHARE,
    QUICK_MS,
    QUICK_RATIO,
    THRESHOLDS,
    THROUGHPUT_BUSY,
    THROUGHPUT_BYTES,
    Case,
    StorageVerdict,
    saves,
)
from awrlens.advice.storage_temp import temp
from awrlens.advice.storage_undo import undo
from awrlens.units import plain
from awrlens.weigh import BUSY_PCT

if TYPE_CHECKING:
    from collections.abc import Mapping

    from awrlens.model import Fact, Finding, Impact
    from awrlens.policy import Policy

__all__ = ["THRESHOLDS", "StorageVerdict", "redo", "temp", "undo"]

#: Rules on waits for LGWR, and rules on log switches.
COMMIT_RULES: Final = (
    "REDO001", "REDO002", "REDO003", "REDO006", "REDO008", "REDO009", "REDO010", "REDO011",
    "REDO012", "REDO013", "REDO014",
)  # fmt: skip
#: Waits of sessions for redo, as in the list of top events.
_REDO_WAITS: Final = ("redo.sync_wait_s", "redo.log_switch_wait_s", "redo.buffer_wait_s")
_LOG_RULES: Final = ("CKPT001", "REDO004", "REDO005")
#: Commit waits that are not the write.
_NOT_THE_WRITE: Final = ("REDO002", "REDO003")
_SLOW: Final = 2


def redo(
    facts: Mapping[str, Fact], findings: tuple[Finding, ...], policy: Policy
) -> StorageVerdict:
    """Redo logs: faster storage shortens the log write and the queue for it."""
    case = Case(facts, findings, policy)
    now = commits(facts)
    if case.untimed:
        return StorageVerdict("need-data", f"Not decided: {case.untimed}.", NO_SAVING)
    if now is None or case.get("redo.sync_wait_s") is None or not case.scale.known:
        return _open(case, now)
    outcome = with_write(now, min(now.write_ms, _device_ms(case, now)))
    saving = case.scale.impact(outcome.saved_s, _basis(case, now, outcome))
    first = _tune_first(case, now, saving)
    if first is not None:
        return first
    if not case.at_least("info", *COMMIT_RULES):
        return StorageVerdict("no-benefit", _calm(case, now), saving)
    device = _device_ms(case, now)
    limit = max(policy[QUICK_MS] + 2 * device, policy[QUICK_RATIO] * device)
    if now.write_ms < limit:
        return StorageVerdict("no-benefit", _quick(now), saving)
    slow = case.scale.how_slow(now.write_ms, now.write_bytes) >= _SLOW
    if not case.at_least("warning", *COMMIT_RULES) or not case.worth(outcome.saved_s, slow=slow):
        reason = (
            "Few sessions wait for it: with low-latency storage, a commit would take about "
            f"{plain(outcome.commit_ms, 3)} ms instead of {plain(now.commit_ms, 3)} ms. This "
            f"saves {saves(saving)}."
        )
        return StorageVerdict("no-benefit", reason, saving)
    found = case.of("REDO014", "REDO001", "REDO009", "REDO011", "REDO006")
    return StorageVerdict("apply", _apply(case, now, outcome, saving), saving, found)


def redo_saved_s(case: Case) -> float | None:
    """Seconds saved with redo on the device; lost if below 0; None is not known."""
    if case.untimed or case.get("redo.sync_wait_s") is None or not case.scale.known:
        return None
    outcome = device_time.redo(case.facts, case.speed)
    return None if outcome is None else outcome.saved_s


def _open(case: Case, now: Commits | None) -> StorageVerdict:
    """The report lacks the facts for a verdict."""
    lacks = () if now else ("redo.local_write_ms", "redo.commit_waits", "redo.commit_ms")
    why = case.lacking("redo.sync_wait_s", *lacks, "load.elapsed_s")
    sync = case.get("redo.sync_wait_s")
    calm = not case.at_least("info", *COMMIT_RULES)
    if sync is not None and case.complete and calm and not case.worth(sync, slow=True):
        each = case.get("redo.commit_ms")
        taken = "" if each is None else f", {plain(each, 3)} ms per commit"
        reason = (
            f"Sessions waited only {sync:,.0f} s at commit{taken}. The log write time is not in "
            "the report."
        )
        return StorageVerdict("no-benefit", reason, NO_SAVING)
    waits = sum(case.get(name) or 0.0 for name in _REDO_WAITS)
    known = ""
    if now is None and waits and case.scale.known:
        each = case.get("redo.commit_ms")
        taken = "" if each is None else f", {plain(each, 3)} ms per commit"
        known = (
            f"Sessions waited at least {plain(case.share(waits), 3)} % of DB time for redo{taken}. "
            "The share of the log write is not in the report. "
        )
    return StorageVerdict("need-data", f"{known}Not decided: {why}.", NO_SAVING)


def _device_ms(case: Case, now: Commits) -> float:
    """A redo write of this size on the low-latency device."""
    return case.speed.write(now.write_bytes)


def _basis(case: Case, now: Commits, outcome: Outcome) -> str:
    """The device with its latency and throughput, and the part of the saving that is queue."""
    latency, mb_s = case.policy[DEVICE_WRITE_MS], case.policy[DEVICE_MB_S]
    size = f"{now.write_bytes / 1024:,.0f} KB at {mb_s:,.0f} MB/s"
    if not now.write_bytes:
        size = "its size, which is not in the report and not counted"
    text = (
        f"log writes of {plain(outcome.write_ms, 3)} ms ({latency:g} ms plus {size}) instead of "
        f"{plain(now.write_ms, 3)} ms"
    )
    queue_s = now.waits * (now.queue_ms - outcome.queue_ms) / 1000
    if queue_s >= 1:
        text += f"; {queue_s:,.0f} s of this is the queue for LGWR"
    return f"{text}; locks held during these commits are not counted"


def _size(now: Commits) -> str:
    """The size of a write, if it explains a part of its time."""
    kb = now.write_bytes / 1024
    return f" for {kb:,.0f} KB" if kb >= 64 else ""  # noqa: PLR2004 - larger than a page or two


def _tune_first(case: Case, now: Commits, saving: Impact) -> StorageVerdict | None:
    """What comes before storage: CPU, log switches, other instances, a standby."""
    policy = case.policy
    sync, switch = case.get("redo.sync_wait_s") or 0.0, case.get("redo.log_switch_wait_s") or 0.0
    whole = sync + switch + now.buffer_wait_s
    sick = case.scale.how_slow(now.write_ms, now.write_bytes) > _SLOW
    if case.at_least("warning", *COMMIT_RULES) and (starved := case.starved()):
        reason = f"CPU comes first: {starved}, and LGWR and the sessions it posts wait for CPU. "
        reason += f"Then reassess the log write of {plain(now.write_ms, 3)} ms."
        return StorageVerdict("tune-first", reason, saving, case.of(*COMMIT_RULES))
    pressing = case.at_least("warning", *_LOG_RULES, *COMMIT_RULES)
    logs = pressing and case.at_least("info", *_LOG_RULES)
    if logs and switch > whole * policy[OTHER_SHARE] and not sick:
        reason = f"{switch:,.0f} s of {whole:,.0f} s of redo waits are log switches: tune redo log "
        reason += f"size and checkpoints first. A log write takes {plain(now.write_ms, 3)} ms"
        reason += f"{_size(now)}."
        return StorageVerdict(
            "tune-first", reason, saving, case.of("REDO001", "REDO004", "REDO007", "CKPT001")
        )
    if case.at_least("warning", "REDO013"):
        reason = "Commits wait for other instances or poll: the interconnect, LMS and adaptive log "
        reason += f"file sync come first. A log write takes {plain(now.write_ms, 3)} ms."
        return StorageVerdict("tune-first", reason, saving, case.of("REDO013"))
    if case.at_least("warning", *_NOT_THE_WRITE):
        outside = sum(case.get(f"redo.commit_{part}_s") or 0.0 for part in _OUTSIDE)
        outside -= now.waits * now.queue_ms / 1000  # the queue for the write depends on the write
        if outside > sync * policy[OTHER_SHARE]:
            standby = case.get("redo.standby_wait_s") or 0.0
            what = "the synchronous standby comes" if standby > outside * policy[OTHER_SHARE] else (
                "CPU, LGWR's priority and its workers come"
            )  # fmt: skip
            reason = f"{outside:,.0f} s of {sync:,.0f} s at commit is neither the log write nor "
            reason += (
                f"the queue for it: {what} first. A log write takes {plain(now.write_ms, 3)} ms."
            )
            return StorageVerdict("tune-first", reason, saving, case.of(*_NOT_THE_WRITE))
    return None


#: Parts of the commit wait other than the write; the unexplained part includes the queue for LGWR.
_OUTSIDE: Final = ("lgwr", "scheduling", "unexplained")


def _quick(now: Commits) -> str:
    """Why a fast write needs no other device, by the largest part of a commit."""
    write = f"A log write takes {plain(now.write_ms, 3)} ms, which is fast{_size(now)}"
    if now.rest_ms > now.write_ms + now.queue_ms:
        return f"{write}: the device does not cause the waits."
    if now.queue_ms <= now.write_ms:
        return f"{write}: the waits are short but frequent. Commit less often."
    return (
        f"{write}. About {plain(now.queue_ms, 3)} ms of a commit of {plain(now.commit_ms, 3)} ms "
        f"is the queue for LGWR, which writes {now.busy * 100:.0f} % of the time. Commit less "
        "often."
    )


def _calm(case: Case, now: Commits) -> str:
    """Nothing to gain: whether the write is fast or slow, and how many sessions wait."""
    write = f"A log write takes {plain(now.write_ms, 3)} ms{_size(now)}"
    sync = (case.get("redo.sync_wait_s") or 0.0) + now.buffer_wait_s
    sessions = case.scale.sessions(sync)
    few = "no session waited for redo" if sync < 1 else (
        f"sessions waited only {sync:,.0f} s for redo"
        + ("" if sessions is None else f" ({plain(sessions, 2)} sessions on average)")
    )  # fmt: skip
    if case.scale.how_slow(now.write_ms, now.write_bytes) >= _SLOW:
        return f"{write}, which is slow, but {few}."
    quick = case.scale.how_slow(now.write_ms, now.write_bytes) == 0
    return f"{write}, which is fast, and {few}." if quick else f"{write}, and {few}."


def _apply(case: Case, now: Commits, outcome: Outcome, saving: Impact) -> str:
    """Why to move to other storage, and the saving; for large writes, the throughput needed."""
    write = f"A log write takes {plain(now.write_ms, 3)} ms{_size(now)} and a commit "
    write += f"{plain(now.commit_ms, 3)} ms. With low-latency storage, a commit would take about "
    write += f"{plain(outcome.commit_ms, 3)} ms. This saves {saves(saving)}."
    write += placement.by_counter(case, now, _device_ms(case, now))
    bulk = now.write_bytes > case.policy[THROUGHPUT_BYTES]
    if now.rest_ms > now.write_ms + now.queue_ms:
        write += (
            f" {plain(now.rest_ms, 3)} ms of a commit is neither the write nor its average queue; "
            "at peak load, this may be queue as well."
        )
    carries = now.write_bytes and case.speed.write(now.write_bytes) >= 2 * case.speed.write_ms
    if bulk or (carries and now.busy * 100 >= case.policy[BUSY_PCT]):
        rate = case.get("redo.bytes_written_per_s") or case.get("redo.bytes_per_s") or 0.0
        need = rate / case.policy[THROUGHPUT_BUSY] / 10**6
        if bulk:
            write = (
                f"LGWR writes {now.write_bytes / 2**20:,.0f} MB at a time in "
                f"{plain(now.write_ms, 3)} ms: the device lacks throughput, not latency. "
            )
            write += (
                f"The device must sustain {plain(need, 3)} MB/s of redo. This saves "
                f"{saves(saving)}."
            )
        else:
            write += f" The device must sustain {plain(need, 3)} MB/s of redo."
    return write
