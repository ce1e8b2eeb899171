"""Whether to move redo logs to low-latency storage, and the saving.

The order of causes is that of the summary in Write Accelerator: first CPU and scheduling, then
other causes of commit waits (log switches, other instances, a standby), then storage. The saving
includes the queue for LGWR (``awrlens.advice.device_model``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.advice import device_model, storage
from awrlens.advice.commit_waits import beyond_queue_s, switches_stall, waits_elsewhere
from awrlens.advice.data_writes import backup_first
from awrlens.advice.device_model import Commits, CommitsThen, commits, with_write
from awrlens.advice.devices import DEVICE_MB_S, DEVICE_WRITE_MS, speed
from awrlens.advice.run_queue import starved
from awrlens.advice.storage import StorageVerdict
from awrlens.recommendations import COMMIT_RULES
from awrlens.units import io_size, is_timed_in_10_ms, plain, waited_words
from awrlens.wait_severity import BUSY_PCT, SHOWN_SESSIONS

if TYPE_CHECKING:
    from awrlens.advice.case import Case
    from awrlens.model import Impact

#: Waits of sessions for redo, as in the list of top events.
_REDO_WAITS: Final = ("redo.sync_wait_s", "redo.log_switch_wait_s", "redo.buffer_wait_s")
_LOG_RULES: Final = ("CKPT001", "REDO004", "REDO005")
_MORE: Final = "storage with more throughput"
#: Commit waits that are not the write.
_NOT_THE_WRITE: Final = ("REDO002", "REDO003")
#: A write this many times as long as a wait for it takes several waits (11.2.0.1).
_SEVERAL_WAITS: Final = 1.5


def verdict(case: Case) -> StorageVerdict:
    """Redo logs: faster storage shortens the log write and the queue for it."""
    now = commits(case.facts)
    if why := storage.mistimed(case, *COMMIT_RULES):
        return storage.undecided(why)
    if now is None or case.get("redo.sync_wait_s") is None or not case.scale.known:
        return _open(case, now)
    device_ms = speed(case.policy, "redo").write(now.write_bytes)
    outcome = with_write(now, min(now.write_ms, device_ms))
    saving = case.scale.impact(outcome.saved_s, _basis(case, now, outcome))
    least_s = _by_counter_s(case, now, device_ms)
    if least_s is not None and case.share(least_s) < (saving.pct_db_time or 0.0):
        saving = saving._replace(least_pct=case.share(least_s))
    if first := _tune_first(case, now):
        reason, findings = first
        return StorageVerdict("tune-first", reason, saving, findings)
    slow = case.scale.how_slow(now.write_ms, now.write_bytes) >= storage.SLOW
    quick_ms = max(
        case.policy[storage.QUICK_MS] + 2 * device_ms, case.policy[storage.QUICK_RATIO] * device_ms
    )
    if not case.at_least("info", *COMMIT_RULES):
        reason = _calm(case, now)
    elif now.write_ms < quick_ms:
        reason = _quick(now)
    elif case.at_least("warning", *COMMIT_RULES) and storage.worth(
        case, outcome.saved_s, slow=slow
    ):
        found = case.found("REDO014", "REDO001", "REDO009", "REDO011", "REDO006")
        to = (
            "storage with more throughput"
            if _lacks_throughput(case, now)
            else "low-latency storage"
        )
        return StorageVerdict("apply", _apply(case, now, outcome, saving), saving, found, to)
    else:
        reason = (
            f"{_little(case, now)}: with low-latency storage, a commit would take about "
            f"{plain(outcome.commit_ms, 3)} ms instead of {plain(now.commit_ms, 3)} ms. This "
            f"saves {storage.saves(saving)}."
        )
    return StorageVerdict("no-benefit", reason, saving)


def saved_s(case: Case) -> float | None:
    """Seconds saved with redo on the device; lost if below 0.

    None if they are not known, or if LGWR cannot keep up on the device: waits then grow without
    end.
    """
    outcome = _on_device(case)
    return None if outcome is None or outcome.overrun else outcome.saved_s


def is_overrun(case: Case) -> bool:
    """Whether LGWR cannot keep up with the redo of the report on the device."""
    outcome = _on_device(case)
    return outcome is not None and outcome.overrun


def _on_device(case: Case) -> CommitsThen | None:
    """Commits with redo on the device; None if the waits or the times of the report are missing."""
    if (
        storage.mistimed(case, *COMMIT_RULES)
        or case.get("redo.sync_wait_s") is None
        or not case.scale.known
    ):
        return None
    return device_model.redo(case.facts, speed(case.policy, "redo"))


def _open(case: Case, now: Commits | None) -> StorageVerdict:
    """The report lacks the facts for a verdict."""
    lacks = () if now else ("redo.local_write_ms", "redo.commit_waits", "redo.commit_ms")
    why = case.lacking("redo.sync_wait_s", *lacks, "load.elapsed_s")
    sync, each = case.get("redo.sync_wait_s"), case.get("redo.commit_ms")
    taken = "" if each is None else f", {plain(each, 3)} ms per commit"
    calm = case.scale.session_s is not None and not case.at_least("info", *COMMIT_RULES)
    if sync is not None and calm and not storage.worth(case, sync, slow=True):
        words = storage.sentence(waited_words(sync))
        reason = f"{words} at commit{taken}. The log write time is not in the report."
        return StorageVerdict("no-benefit", reason)
    waits = sum(map(case.or_zero, _REDO_WAITS))
    found = storage.undecided(why)
    if now is not None or not waits or not case.scale.known:
        return found
    known = (
        f"Sessions waited at least {plain(case.share(waits), 3)} % of {case.base} for redo{taken}. "
        "The share of the log write is not in the report. "
    )
    return found._replace(reason=f"{known}{found.reason}")


def _basis(case: Case, now: Commits, outcome: CommitsThen) -> str:
    """The device with its latency and throughput, and the part of the saving that is queue."""
    latency, mb_s = case.policy[DEVICE_WRITE_MS], case.policy[DEVICE_MB_S]
    size = f"{io_size(now.write_bytes)} at {mb_s:,.0f} MB/s"
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
    return f" for {io_size(now.write_bytes)}" if kb >= 64 else ""  # noqa: PLR2004 - larger than a page or two


def _write(now: Commits) -> str:
    return f"A log write takes {plain(now.write_ms, 3)} ms{_size(now)}"


def _tune_first(case: Case, now: Commits) -> tuple[str, tuple[str, ...]] | None:
    """What comes first, with its findings: CPU, a backup, log switches, instances, a standby."""
    sync, switch = case.or_zero("redo.sync_wait_s"), case.or_zero("redo.log_switch_wait_s")
    whole, share = sync + switch + now.buffer_wait_s, case.policy[storage.OTHER_SHARE]
    write = f"{plain(now.write_ms, 3)} ms"
    sick = case.scale.how_slow(now.write_ms, now.write_bytes) > storage.SLOW
    pressing = case.at_least("warning", *COMMIT_RULES)
    if pressing and (evidence := storage.short_of_memory(case)):
        return (
            f"The host's memory comes first: {evidence}. A host without memory stalls every "
            f"process, LGWR included. Then reassess the log write of {write}."
        ), case.found(*COMMIT_RULES)
    stalled = switches_stall(case)
    if (pressing or stalled) and (evidence := starved(case)):
        return (
            f"CPU comes first: {evidence}, and LGWR and the sessions it posts wait for CPU. "
            f"Then reassess the log write of {write}."
        ), case.found(*COMMIT_RULES, *(("REDO004",) if stalled else ()))
    if pressing and (evidence := backup_first(case)):
        return (
            f"{storage.sentence(evidence)}: first analyze a report without it. Then reassess the "
            f"log write of {write}."
        ), case.found(*COMMIT_RULES)
    logs = (pressing or case.at_least("warning", *_LOG_RULES)) and case.at_least(
        "info", *_LOG_RULES
    )
    if logs and switch > whole * share and not sick:
        return (
            f"{switch:,.0f} s of {whole:,.0f} s of redo waits are log switches: tune redo log "
            f"size and checkpoints first. {_write(now)}."
        ), case.found("REDO001", "REDO004", "REDO007", "CKPT001")
    if case.at_least("warning", "REDO013"):
        return (
            "Commits wait for other instances or poll: the interconnect, LMS and adaptive log "
            f"file sync come first. A log write takes {write}."
        ), case.found("REDO013")
    # the queue for the write depends on the write
    outside = beyond_queue_s(case)
    if case.at_least("warning", *_NOT_THE_WRITE) and outside > sync * share:
        standby = case.or_zero("redo.standby_wait_s") > outside * share
        what = "CPU, LGWR's priority and its workers come"
        what = "the synchronous standby comes" if standby else what
        return (
            f"{outside:,.0f} s of {sync:,.0f} s at commit is neither the log write nor the queue "
            f"for it: {what} first. A log write takes {write}."
        ), case.found(*_NOT_THE_WRITE)
    if waits_elsewhere(case):
        return (
            f"{outside:,.0f} s of {sync:,.0f} s at commit is neither the log write nor the queue "
            f"for it: find what LGWR waits for first. A log write takes {write}."
        ), case.found("REDO001")
    return None


def _little(case: Case, now: Commits) -> str:
    """Why another device gains little: few sessions wait, or the write is a small part of it."""
    sessions = case.scale.sessions(case.or_zero("redo.sync_wait_s") + now.buffer_wait_s)
    if sessions is not None and sessions < case.policy[storage.FREED_SESSIONS]:
        return "Few sessions wait for it"
    if now.is_mostly_rest:
        return f"{_write(now)}, but most of a commit is neither the write nor the queue for it"
    return "The gain is small"


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
    sync = case.or_zero("redo.sync_wait_s") + now.buffer_wait_s
    sessions = case.scale.sessions(sync)
    few = f"{waited_words(sync)} for redo"
    if sync >= 1 and sessions is not None and sessions >= SHOWN_SESSIONS:
        few += f" ({plain(sessions, 2)} sessions on average)"
    level = case.scale.how_slow(now.write_ms, now.write_bytes)
    if level >= storage.SLOW:
        return f"{_write(now)}, which is slow, but {few}.{_why_slow(case, now)}"
    write = _write(now)
    if now.write_ms < 1 and is_timed_in_10_ms(case.release):
        write = "A log write takes less than 1 ms (by a clock of 10 ms)"
    return f"{write}{', which is fast' if level == 0 else ''}, and {few}."


def _why_slow(case: Case, now: Commits) -> str:
    """What else explains a slow average: a few writes by the histogram, or a host without CPU."""
    why = _tail(case, now)
    if evidence := starved(case):
        why += f" On the host, {evidence}: LGWR may wait for CPU, not for the device."
    return why


def _tail(case: Case, now: Commits) -> str:
    """What the histogram shows where most writes are fast; empty if not, or without one."""
    half, wait_ms = case.get("redo.write_p50_ms"), case.get("redo.parallel_write_ms")
    if half is None or case.scale.how_slow(half, now.write_bytes) > 0:
        return ""
    if wait_ms is not None and now.write_ms >= _SEVERAL_WAITS * wait_ms:
        return ""  # the histogram has waits, several of which are one write
    return f" Half of the writes end within {half:g} ms: few slow writes raise the average."


def _apply(case: Case, now: Commits, outcome: CommitsThen, saving: Impact) -> str:
    """Why to move to other storage, and the saving; for large writes, the throughput needed."""
    device = speed(case.policy, "redo")
    device_ms = device.write(now.write_bytes)
    rate = case.get("redo.bytes_written_per_s") or case.or_zero("redo.bytes_per_s")
    need = f"{plain(rate / case.policy[storage.THROUGHPUT_BUSY] / 10**6, 3)} MB/s of redo"
    if _lacks_throughput(case, now):
        return (
            f"LGWR writes {now.write_bytes / 2**20:,.0f} MB at a time in "
            f"{plain(now.write_ms, 3)} ms: the device lacks throughput, not latency. "
            f"The device must sustain {need}. This saves {storage.saves(saving)}."
        )
    text = (
        f"{_write(now)} and a commit {plain(now.commit_ms, 3)} ms. With low-latency storage, a "
        f"commit would take about {plain(outcome.commit_ms, 3)} ms. This saves "
        f"{storage.saves(saving)}.{_by_counter(case, _by_counter_s(case, now, device_ms))}"
    )
    if now.rest_ms > now.write_ms + now.queue_ms:
        text += (
            f" {plain(now.rest_ms, 3)} ms of a commit is neither the write nor its average queue; "
            "at peak load, this may be queue as well."
        )
    if tail := _tail(case, now):
        text += f"{tail} Find out first what else uses the storage at these times."
    by_size = now.write_bytes and device_ms >= 2 * device.write_ms
    if by_size and now.busy * 100 >= case.policy[BUSY_PCT]:
        text += f" The device must sustain {need}."
    return text


def _lacks_throughput(case: Case, now: Commits) -> bool:
    """Whether writes are large, and their size explains most of their time."""
    large = now.write_bytes > case.policy[storage.THROUGHPUT_BYTES]
    return large and 2 * case.scale.explained_ms(now.write_bytes) >= now.write_ms


def _by_counter_s(case: Case, now: Commits, device_ms: float) -> float | None:
    """Seconds saved by LGWR's own counter if the event shows much more per write; else None."""
    counter, event = case.get("redo.write_ms"), case.get("redo.parallel_write_ms")
    if not counter or not event or event / counter < case.policy[storage.COUNTER_RATIO]:
        return None
    return now.waits * max(0.0, counter - device_ms) / 1000


def _by_counter(case: Case, least_s: float | None) -> str:
    """The saving by LGWR's own counter in words; empty without one."""
    if least_s is None:
        return ""
    return (
        f" However, LGWR's own counter shows {plain(case.or_zero('redo.write_ms'), 3)} ms per "
        f"write: by it, shorter writes save only {least_s:,.0f} s, {case.share(least_s):.1f} % of "
        f"{case.base}. First find out what else LGWR waits for."
    )
