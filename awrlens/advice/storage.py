"""Whether to move redo logs, temp or undo to low-latency storage, and what it saves.

"No benefit" is a complete answer. First come CPU and scheduling, then other causes of the waits,
then storage. Source: Write Accelerator, text on figure 2, Summary, and "Undo Tablespace Writes":
undo costs time mainly because DBWR has to write it and because reads of data files queue behind
these writes; waits for undo blocks themselves cost less.
"""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING, Final, Literal

from awrlens.advice import commit_waits, data_writes, devices, features, temp, undo
from awrlens.advice.case import AFTER, NOT_QUANTIFIED, advice, short_of_memory, starved
from awrlens.advice.commit_waits import (
    COMMIT_RULES,
    beyond_queue_s,
    by_standby,
    stalled,
    switches_stall,
    waits_elsewhere,
)
from awrlens.advice.data_writes import before_storage, own_load_first
from awrlens.advice.devices import (
    THRESHOLDS,
    Commits,
    CommitsThen,
    commits,
    speed,
    with_write,
)
from awrlens.advice.queries import texts
from awrlens.advice.redo_logs import at_source, enlarge_redo_logs
from awrlens.lazy import NamedTuple
from awrlens.model import Impact, Recommendation, Sign, Verdict
from awrlens.oracle.write_path import lacks_throughput
from awrlens.severity import BEHIND, SHOWN_SESSIONS, SLOW, of_each
from awrlens.units import io_size, is_timed_in_10_ms, listed, plain, waited_words

if TYPE_CHECKING:
    from collections.abc import Mapping

    from awrlens.advice.case import Advice, Case
    from awrlens.advice.devices import Part


Segment = Literal["redo", "temp", "undo"]


#: Level of ``Scale.how_many`` from which several sessions wait.
SEVERAL: Final = 2


LOW_LATENCY: Final = "low-latency storage"


class StorageVerdict(NamedTuple):
    """One verdict: status, the reason with its numbers, the saving, and its findings."""

    status: Verdict
    reason: str
    saving: Impact = NOT_QUANTIFIED
    findings: tuple[str, ...] = ()
    #: What the files are moved to.
    to: str = LOW_LATENCY
    #: Why no benefit is expected although the share is noticeable, in short.
    why: str = ""


def undecided(why: str) -> StorageVerdict:
    """The verdict on a report that lacks the facts for one."""
    return StorageVerdict("need-data", f"Not decided: {why}.")


def _worthwhile(
    case: Case, reason: str, saving: Impact, findings: tuple[str, ...], to: str = LOW_LATENCY
) -> StorageVerdict:
    """Storage is worth its price, unless the instance's own load is the first suspect."""
    if first := own_load_first(case):
        return StorageVerdict("tune-first", f"{sentence(first)}. {reason}", saving, findings)
    return StorageVerdict("apply", reason, saving, findings, to)


def worth(case: Case, saved_s: float, *, slow: bool) -> bool:
    """Whether a saving justifies a change of storage, by share or by waiting sessions."""
    sessions = case.scale.sessions(saved_s)
    if sessions is not None and sessions >= case.policy["storage.freed_sessions"]:
        return True
    if sessions is not None and sessions < case.policy["storage.worth_sessions"]:
        return False
    least_pct = case.policy["storage.worth_slow_pct" if slow else "storage.worth_pct"]
    return case.share(saved_s) >= least_pct


def mistimed(case: Case, *rules: str) -> str:
    """Why times do not decide about storage; empty if they do.

    Times that are too short hide waits. Times that are too long matter only to findings.
    """
    too_long = case.or_zero("load.timed_pct") > 100  # noqa: PLR2004 - the whole interval
    return "" if too_long and not case.at_least("info", *rules) else case.scale.mistimed


def by_part(case: Case, why: str, *waits: str) -> StorageVerdict:
    """The verdict by waits that were timed in part, scaled up; undecided unless all are few."""
    times_s = [seconds for wait in waits if (seconds := case.get(wait)) is not None]
    timed_s, complete = sum(times_s), len(times_s) == len(waits)
    sessions = case.scale.sessions(timed_s) if case.scale.undertimed and complete else None
    few = case.policy["storage.worth_sessions"]
    if sessions is None or sessions >= few:
        return undecided(why)
    return StorageVerdict(
        "no-benefit",
        f"{sentence(why)}, with waits of {timed_s:,.0f} s. In the whole interval they are about "
        f"{timed_s / case.scale.timed_share:,.0f} s, less than {few:g} "
        "average active sessions: faster storage would save little.",
    )


def saves(saving: Impact) -> str:
    """A saving in words: seconds, share of DB time and average sessions, as far as known."""
    parts = [] if saving.seconds is None else [f"{saving.seconds:,.0f} s"]
    if saving.pct_db_time is not None:
        parts.append(f"{saving.pct_db_time:.1f} % of {saving.base}")
    if saving.sessions is not None and saving.sessions >= SHOWN_SESSIONS:
        per_instance = of_each(saving.instances)
        parts.append(f"{plain(saving.sessions, 2)} average active sessions{per_instance}")
    return f"{'at least ' * saving.at_least}{', '.join(parts) or 'an unknown amount of time'}"


def sentence(text: str) -> str:
    """A text with a capital letter."""
    return f"{text[:1].upper()}{text[1:]}"


_WORDS: Final[dict[Verdict, str]] = {
    "tune-first": "tune first", "no-benefit": "no benefit", "need-data": "insufficient data",
}  # fmt: skip
_NEW_LOGS: Final = texts("move redo logs")


@advice(
    "redo-storage", "storage", "medium",
    after=(*commit_waits.ANSWERS, data_writes.repair_write_path, enlarge_redo_logs),
    ends=("redo.sync_wait_s", "redo.buffer_wait_s"),
    sign=Sign("redo.write_ms", "ms per redo write"), short="faster storage for redo",
)  # fmt: skip
def redo_storage(case: Case, verdict: StorageVerdict) -> Recommendation:
    """Whether to move the redo logs to low-latency storage."""
    asked, placed = questions(case), case.request.placement
    item = _moved(case, "Redo", "the redo logs", verdict, _NEW_LOGS, tuple(asked.values()))
    answers = placed.answers(case.policy["storage.run_queue_per_cpu"]) if placed else ""
    script = "".join(f": {command}" for command in case.that_run(_PLACEMENT))
    unknown = f"Not known yet: {', '.join(asked)}{script}" if asked else ""
    wanted = verdict.status in _MOVING or case.at_least("warning", "REDO001", "REDO009")
    whole = commit_waits.reads_too(case)
    wanted = wanted or whole
    options, mode = case.value("checkpoint.filesystemio_options"), ""
    in_files = case.value("checkpoint.asm") == "no"
    unknown_mode = verdict.status == "apply" and not case.fired("REDO014")  # it asks for that
    if unknown_mode and in_files and features.has(case.facts, "filesystemio_options"):
        set_ = "not set" if options == "DEFAULT" else options
        how = _DIRECT if options == "SETALL" else _TEST_DIRECT
        mode = f" FILESYSTEMIO_OPTIONS is {set_}: {how}."
    return item._replace(
        short="faster storage for redo alone" if whole else item.short,
        action=f"{item.action}{mode} {answers}".rstrip(),
        asked=(
            *at_source(case) * (verdict.to == _MORE),
            *filter(None, (answers, unknown if wanted else "")),
        ),
    )


_DIRECT: Final = "writes are asynchronous and direct already"
_TEST_DIRECT: Final = "first test whether asynchronous, direct I/O (SETALL) writes faster"


@advice(
    "temp-storage", "storage", "medium",
    after=(data_writes.repair_write_path, temp.more_work_area_memory, temp.size_work_areas,
           temp.tune_spilling_statements),
    ends=temp.WAITS, sign=Sign("temp.read_ms", "ms per read of temporary segments"),
    short="faster storage for temp",
)  # fmt: skip
def temp_storage(case: Case, verdict: StorageVerdict) -> Recommendation:
    """Whether to move the tempfiles to low-latency storage."""
    return _moved(case, "Temp", "the tempfiles", verdict, temp.moved(case, "new path"))


@advice(
    "undo-storage", "storage", "medium",
    after=(data_writes.repair_write_path, data_writes.relieve_dbwr,
           data_writes.size_files_up_front, *undo.ANSWERS),
    ends=("undo.buffer_wait_s", "undo.read_wait_s"),
    sign=Sign("undo.read_ms", "ms per undo read"), short="faster storage for undo",
)  # fmt: skip
def undo_storage(case: Case, verdict: StorageVerdict) -> Recommendation:
    """Whether to move undo to low-latency storage."""
    commands = (*undo.of_containers(case), *undo.moved(case, "new path")[0])
    return _moved(case, "Undo", "undo", verdict, commands, undo.in_container(case))


MOVES: Final[Mapping[Segment, Advice[[Case, StorageVerdict], Recommendation]]] = {
    "redo": redo_storage, "temp": temp_storage, "undo": undo_storage,
}  # fmt: skip


def _moved(
    case: Case, segment: str, files: str, verdict: StorageVerdict, commands: tuple[str, ...],
    prerequisites: tuple[str, ...] = (),
) -> Recommendation:  # fmt: skip
    """The recommendation of a verdict; commands only if it is to move the files."""
    item = Recommendation(
        f"{segment} on low-latency storage: {_WORDS.get(verdict.status, '')}",
        verdict.reason,
        verdict.status,
        benefit=verdict.saving,
        findings=verdict.findings,
    )
    pct, freed = verdict.saving.pct_db_time or 0.0, verdict.saving.sessions
    shown = pct >= case.policy["impact.info_pct"] and (verdict.why or freed)
    if shown and verdict.status == "no-benefit":
        why = verdict.why or f"frees only {plain(freed or 0.0, 2)} sessions"
        return item._replace(short=f"faster storage for {segment.lower()} because {why}")
    if verdict.status == "no-benefit" and verdict.why and verdict.saving.pct_db_time is None:
        return item._replace(short=f"faster storage for {segment.lower()} ({verdict.why})")
    if verdict.status != "apply":
        return item
    action = verdict.reason
    if case.fired("REDO014"):  # one cause below the database, which a separate device avoids
        action += (
            " Check the storage first: once it is repaired, this may not be needed. A separate "
            "device helps whatever the cause."
        )
    return item._replace(
        action=action,
        title=f"Move {files} to {verdict.to}",
        commands=commands,
        rollback=("Move the files back in the same way.",),
        prerequisites=(*prerequisites, f"mirrored {verdict.to}"),
        risks=("A single device may have outliers: check the wait event histogram afterwards.",),
        validate=(AFTER,),
    )


def questions(case: Case) -> dict[str, str]:
    """What to find out before redo logs are moved, unless it is known: in short, and in full."""
    script = next(iter(case.that_run(_PLACEMENT)), "")
    placed, asked = case.request.placement, {}
    names = ("host.idle_pct", "host.load_per_cpu_end", "host.cpu_wait_pct")
    queue = any(case.get(name) is not None for name in names)
    if not queue and (placed is None or placed.load_per_cpu is None):
        how = f"vmstat, or {script}" if script else "vmstat"
        asked["run queue"] = (
            f"a run queue without waits for CPU in this interval ({how}): the report does not show "
            "it"
        )
    if placed is None:
        how = f" ({script})" if script else ""
        with_data = case.value("redo.created_in")
        of = f"whether redo logs are outside {with_data} (DB_CREATE_FILE_DEST)"
        asked[of if with_data else "separate devices"] = (
            "redo logs that share no device with data files, archived logs or backups now"
            f"{how}: the report does not show it"
        )
    raised = "LGWR" in str(case.value("redo.raised_processes")).upper()
    if not raised and (placed is None or placed.raised is None):
        asked["LGWR's priority"] = (
            "LGWR that is not displaced by other processes: its priority (`ps -eo "
            "pri,ni,comm,args | grep ora_lgwr`) is not in the report"
        )
    return asked


#: The script that answers these questions, and the verdicts whose reader needs the answers.
_PLACEMENT: Final = "`awrlens sql redo-placement`"
_MOVING: Final = ("apply", "tune-first")
#: What large writes need.
_MORE: Final = "storage with more throughput"
#: Commit waits that are not the write.
_NOT_THE_WRITE: Final = ("REDO002", "REDO003")


def redo_verdict(case: Case) -> StorageVerdict:
    """Redo logs: faster storage shortens the log write and the queue for it."""
    now = commits(case.facts)
    if why := mistimed(case, *COMMIT_RULES):
        return by_part(case, why, "redo.sync_wait_s", "redo.buffer_wait_s")
    if now is None or case.get("redo.sync_wait_s") is None or not case.scale.has_time:
        return _open(case, now)
    device_ms = speed(case.policy, "redo").write(now.write_bytes)
    outcome = with_write(now, min(now.write_ms, device_ms))
    behind = any(fact.name in BEHIND for finding in case.by_rule.values() for fact in finding.facts)
    saving = case.scale.impact(outcome.saved_s, _basis(case, now, outcome))
    saving = saving._replace(at_least=behind or now.has_unknown_half)
    least_s = _by_other_s(case, now, device_ms)
    if least_s is not None and case.share(least_s) < (saving.pct_db_time or 0.0):
        saving = saving._replace(least_pct_db_time=case.share(least_s))
    least_ms = case.policy["storage.quick_write_ms"] + 2 * device_ms
    quick_ms = max(least_ms, case.policy["storage.quick_ratio"] * device_ms)
    quick = now.write_ms < quick_ms
    slow = case.scale.how_slow(now.write_ms, now.write_bytes) >= SLOW
    gains = slow or behind or case.scale.significant(outcome.saved_s)
    # whatever else causes the waits, the device does not
    if (first := _tune_first(case, now)) and gains and not quick:
        return StorageVerdict("tune-first", first[0], saving, first[1])
    if not case.at_least("info", *COMMIT_RULES) and not (quick and first):
        reason = _calm(case, now)
    elif quick:
        reason = _quick(now, elsewhere=first is not None)
    elif case.at_least("warning", *COMMIT_RULES) and worth(case, outcome.saved_s, slow=slow):
        fired = case.fired("REDO014", "REDO001", "REDO009", "REDO011", "REDO006")
        more = lacks_throughput(
            now.write_bytes, now.write_ms, case.scale.explained_ms, case.policy.__getitem__
        )
        to = _MORE if more else LOW_LATENCY
        return _worthwhile(case, _apply(case, now, outcome, saving), saving, fired, to)
    else:
        reason = (
            f"{_little(case, now)}: with low-latency storage, a commit would take "
            f"{outcome.instead_of(now)} instead of {plain(now.commit_ms, 3)} ms. This saves "
            f"{saves(saving)}."
        )
    why = f"a write takes {plain(now.write_ms, 3)} ms" if quick else ""
    return StorageVerdict("no-benefit", reason, saving, why=why)


def commits_then(case: Case) -> CommitsThen | None:
    """Commits with redo on the device; None if the waits or the times of the report are missing."""
    waited = case.get("redo.sync_wait_s")
    if mistimed(case, *COMMIT_RULES) or waited is None or not case.scale.has_time:
        return None
    return devices.redo(case.facts, speed(case.policy, "redo"))


def _open(case: Case, now: Commits | None) -> StorageVerdict:
    lacks = () if now else ("redo.local_write_ms", "redo.commit_waits", "redo.commit_ms")
    why = case.lacking("redo.sync_wait_s", *lacks, "load.elapsed_s")
    sync, commit_ms = case.get("redo.sync_wait_s"), case.get("redo.commit_ms")
    taken = "" if commit_ms is None else f", {plain(commit_ms, 3)} ms per commit"
    calm = case.scale.session_s is not None and not case.at_least("info", *COMMIT_RULES)
    if sync is not None and calm and not worth(case, sync, slow=True):
        words = sentence(waited_words(sync))
        reason = f"{words} at commit{taken}. The log write time is not in the report."
        return StorageVerdict("no-benefit", reason, why=f"at most {ceil(sync):,} s")
    # as in the list of top events
    waits = sum(case.or_zero(f"redo.{wait}_wait_s") for wait in ("sync", "log_switch", "buffer"))
    verdict = undecided(why)
    if now is not None or not waits or not case.scale.has_time:
        return verdict
    said = (
        f"Sessions waited at least {plain(case.share(waits), 3)} % of {case.base} for redo{taken}. "
        "The share of the log write is not in the report. "
    )
    return verdict._replace(reason=f"{said}{verdict.reason}")


def _basis(case: Case, now: Commits, outcome: CommitsThen) -> str:
    """The device with its latency and throughput, and the part of the saving that is queue."""
    latency, mb_s = (case.policy[THRESHOLDS[name]] for name in ("write_ms", "mb_s"))
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
    """What comes first, with its findings: the first cause that holds."""
    sync_s, switch_s = case.or_zero("redo.sync_wait_s"), case.or_zero("redo.log_switch_wait_s")
    whole_s, share = sync_s + switch_s + now.buffer_wait_s, case.policy["storage.other_cause_ratio"]
    write = f"{plain(now.write_ms, 3)} ms"
    then, takes = f"Then reassess the log write of {write}.", f"A log write takes {write}."
    pressing, switching = case.at_least("warning", *COMMIT_RULES), switches_stall(case)
    memory, cpu, earlier = short_of_memory(case), starved(case), before_storage(case)
    logs = case.at_least("info" if pressing else "warning", "CKPT001", "REDO004", "REDO005")
    stall, placed = stalled(case), case.request.placement
    queued = placed.queued(case.policy["storage.run_queue_per_cpu"]) if placed else ""
    shared = placed.shared if placed else ""
    sick = case.scale.how_slow(now.write_ms, now.write_bytes) > SLOW and not stall
    outside_s = beyond_queue_s(case)  # the queue for the write depends on the write
    outside = (
        f"{outside_s:,.0f} s of {sync_s:,.0f} s at commit is neither the log write nor the queue "
        "for it"
    )
    of_lgwr = "CPU, LGWR's priority and its workers come"
    what = "the synchronous standby comes" if by_standby(case) else of_lgwr
    causes: tuple[tuple[object, str, tuple[str, ...]], ...] = (
        (pressing and memory,
         (f"The host's memory comes first: {memory}. A host without memory stalls every process, "
          f"LGWR included. {then}"), COMMIT_RULES),
        ((pressing or switching) and cpu,
         f"CPU comes first: {cpu}, and LGWR and the sessions it posts wait for CPU. {then}",
         (*COMMIT_RULES, *(("REDO004",) if switching else ()))),
        (pressing and queued, f"CPU comes first: {queued}. {then}", COMMIT_RULES),
        (pressing and shared,
         f"{shared}: first give the redo logs devices of their own. {then}", COMMIT_RULES),
        (pressing and earlier, f"{sentence(earlier)}. {then}", (*COMMIT_RULES, "CKPT010")),
        (logs and switch_s > whole_s * share and not sick,
         (f"{switch_s:,.0f} s of {whole_s:,.0f} s of redo waits are log switches: tune redo log "
          f"size and checkpoints first. {_write(now)}."),
         ("REDO001", "REDO004", "REDO007", "CKPT001")),
        (case.at_least("warning", "REDO013"),
         ("Commits wait for other instances or poll: the interconnect, LMS and adaptive log file "
          f"sync come first. {takes}"), ("REDO013",)),
        (case.at_least("warning", *_NOT_THE_WRITE) and outside_s > sync_s * share,
         f"{outside}: {what} first. {takes}", _NOT_THE_WRITE),
        (waits_elsewhere(case),
         f"{outside}: find what LGWR waits for first. {takes}", ("REDO001",)),
        (pressing and stall,
         f"{stall}: first find what stalls LGWR.", COMMIT_RULES),
    )  # fmt: skip
    holding = ((reason, case.fired(*rules)) for holds, reason, rules in causes if holds)
    return next(holding, None)


def _little(case: Case, now: Commits) -> str:
    """Why another device gains little: few sessions wait, or the write is a small part of it."""
    sessions = case.scale.sessions(case.or_zero("redo.sync_wait_s") + now.buffer_wait_s)
    if sessions is not None and sessions < case.policy["storage.freed_sessions"]:
        return "Few sessions wait for it"
    if now.is_mostly_rest:
        return f"{_write(now)}, but most of a commit is neither the write nor the queue for it"
    return "The gain is small"


def _quick(now: Commits, *, elsewhere: bool) -> str:
    """Why a fast write needs no other device: another cause, or the largest part of a commit."""
    write = f"A log write takes {plain(now.write_ms, 3)} ms, which is fast{_size(now)}"
    if elsewhere or now.has_unknown_half:
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
    if level >= SLOW:
        cpu = starved(case)
        why = f" On the host, {cpu}: LGWR may wait for CPU, not for the device." if cpu else ""
        slow = f"{_write(now)}, which is slow, but {few}"
        if case.scale.mistimed:
            slow = f"{sentence(few)}, by times that are not reliable"
        return f"{f'{stall}; {few}' if (stall := stalled(case)) else slow}.{why}"
    write = _write(now)
    if now.write_ms < 1 and is_timed_in_10_ms(case.release):
        write = "A log write takes less than 1 ms (by a clock of 10 ms)"
    return f"{write}{', which is fast' if level == 0 else ''}, and {few}."


def _apply(case: Case, now: Commits, outcome: CommitsThen, saving: Impact) -> str:
    """Why to move to other storage, and the saving; for large writes, the throughput needed."""
    device = speed(case.policy, "redo")
    device_ms = device.write(now.write_bytes)
    rate = case.get("redo.bytes_written_per_s") or case.or_zero("redo.bytes_per_s")
    need = f"{plain(rate / case.policy['storage.throughput_busy_ratio'] / 10**6, 3)} MB/s of redo"
    if lacks_throughput(
        now.write_bytes, now.write_ms, case.scale.explained_ms, case.policy.__getitem__
    ):
        return (
            f"LGWR writes {now.write_bytes / 2**20:,.0f} MB at a time in "
            f"{plain(now.write_ms, 3)} ms: the device lacks throughput, not latency. "
            f"The device must sustain at least {need}. At {device.mb_s:,.0f} MB/s, this saves "
            f"{saves(saving)}."
        )
    text = (
        f"{_write(now)} and a commit {plain(now.commit_ms, 3)} ms. With low-latency storage, a "
        f"commit would take {outcome.instead_of(now)}. This saves "
        f"{saves(saving)}."
    )
    if (least_s := _by_other_s(case, now, device_ms)) is not None:
        by_it = f"shorter writes save only {least_s:,.0f} s, {case.share(least_s):.1f} %"
        which, key, then = _OTHER[_is_counter(case)]
        text += f" However, {which} {plain(case.or_zero(key), 3)} ms per write: by it, {by_it} "
        text += f"of {case.base}.{then}"
    if now.has_unknown_half:
        text += (
            f" {plain(now.rest_ms, 3)} ms of a commit is neither the write nor its average queue; "
            "at peak load, this may be queue as well."
        )
    by_size = now.write_bytes and device_ms >= 2 * device.write_ms
    if by_size and now.busy * 100 >= case.policy["impact.busy_pct"]:
        text += f" The device must sustain {need}."
    return text


#: By whether LGWR's counter is the write: the other figure of it, its fact, what to do.
_OTHER: Final = (
    ("LGWR's own counter shows", "redo.write_ms", " First find out what else LGWR waits for."),
    ("`log file parallel write`, which misses the issue of the write, shows",
     "redo.parallel_write_ms", ""),
)  # fmt: skip


def _is_counter(case: Case) -> bool:
    return case.facts["redo.local_write_by"].value == "counter"


def _by_other_s(case: Case, now: Commits, device_ms: float) -> float | None:
    """Seconds saved by the lower figure of a write, if event and counter differ much; else None."""
    counter, event = case.get("redo.write_ms"), case.get("redo.parallel_write_ms")
    low, high = (event, counter) if _is_counter(case) else (counter, event)
    if not low or not high or high / low < case.policy["storage.counter_ratio"]:
        return None
    return now.waits * max(0.0, low - device_ms) / 1000


_TEMP_RULES: Final = (
    "TEMP001", "TEMP002", "TEMP003", "TEMP004", "TEMP005", "TEMP006", "TEMP007", "TEMP008",
)  # fmt: skip


def temp_verdict(case: Case) -> StorageVerdict:
    """Temporary tablespaces: memory before storage."""
    waited = case.get("temp.direct_wait_s")
    lacks = waited is None or not case.scale.has_time
    why = mistimed(case, *_TEMP_RULES) or (
        case.lacking("temp.direct_wait_s", "load.elapsed_s") if lacks else ""
    )
    # the amount of I/O, or memory far above its target, decides whether memory comes first
    if why and (fired := case.fired("TEMP001", "TEMP003")) and (first := _first(case)):
        reason = f"How long sessions waited is not known: {why}. {sentence(first)}."
        return StorageVerdict("tune-first", reason, findings=fired)
    if waited is None or why:
        few = _by_blocks(case) if lacks else by_part(case, why, "temp.direct_wait_s")
        return few or undecided(why)
    parts = devices.temp(case.facts, waited, speed(case.policy, "temp"))
    main = max(parts, key=lambda part: part.waited_s)  # the larger of reads and writes
    saved = devices.no_less_than_0(devices.saved_s(parts))
    saving = case.scale.impact(
        saved, f"temporary direct path waits at {plain(main.device_ms, 3)} ms per {main.operation}"
    )
    latency = "" if main.now_ms is None else f", {plain(main.now_ms, 3)} ms per {main.operation}"
    waits = f"{sentence(waited_words(waited))} for temporary I/O{latency if waited else ''}"
    if not case.at_least("info", *_TEMP_RULES):
        if case.value("temp.timed") == "no":
            reads = case.or_zero("temp.reads")
            waits = waits if waited else "The report shows no wait for temporary I/O"
            waits += f"; {reads:,.0f} read{'s have no times' if reads > 1 else ' has no time'}"
        return StorageVerdict("no-benefit", f"{waits}.", saving)
    own = None if main.operation == "wait" else case.get(f"temp.direct_{main.operation}_b")
    size = own or case.get("temp.direct_b")
    slow = main.now_ms is None or case.scale.how_slow(main.now_ms, size) >= SLOW
    worthwhile = saved is None or worth(case, saved, slow=slow)
    if worthwhile and (first := _first(case)) and case.scale.how_many(waited) >= SEVERAL:
        reason = f"{waits}. {sentence(first)}."
        return StorageVerdict("tune-first", reason, saving, case.fired(*_TEMP_RULES))
    if main.now_ms is None:
        lacking = case.lacking("temp.direct_ms", "temp.read_ms")
        return StorageVerdict("need-data", f"{waits}. Its latency is not known: {lacking}.", saving)
    if main.now_ms <= case.policy["storage.quick_ratio"] * main.device_ms:
        reason = f"{waits}. Low-latency storage would not be faster."
        return StorageVerdict("no-benefit", reason, saving)
    rules = ("REDO014", *_TEMP_RULES)
    if not case.at_least("warning", *rules) or not worthwhile:
        return StorageVerdict(
            "no-benefit", f"{waits}. Low-latency storage would save only {saves(saving)}.", saving
        )
    ends = _memory_ends(case)
    if ends is not None:
        waits += f". More memory would avoid {f'{ends:.0f} %' if round(ends) else 'none'} of it"
    reason = f"{waits}. Low-latency storage would save {saves(saving)}."
    return _worthwhile(case, reason, saving, case.fired(*rules))


def _by_blocks(case: Case) -> StorageVerdict | None:
    """The verdict without waits if so few blocks were read and written that they cannot matter."""
    blocks, each_ms = case.get("temp.blocks_at_most"), case.policy["impact.slowest_ms"]
    if blocks is None or not case.scale.has_time or worth(case, blocks * each_ms / 1000, slow=True):
        return None
    bound_s = blocks * each_ms / 1000
    most = f"{blocks:,.0f} blocks, {bound_s:,.0f} s even at {each_ms:g} ms each"
    said = f"All direct I/O, temporary or not, is {most}."
    return StorageVerdict("no-benefit", said, why=f"at most {ceil(bound_s):,} s")


def temp_saved_s(case: Case) -> float | None:
    """Seconds saved with temp on the device; lost if below 0; None is not known."""
    waited = case.get("temp.direct_wait_s")
    if mistimed(case, *_TEMP_RULES) or waited is None or not case.scale.has_time:
        return None
    return devices.saved_s(devices.temp(case.facts, waited, speed(case.policy, "temp")))


def _memory_ends(case: Case) -> float | None:
    """Percentage of temporary I/O that the recommended PGA target avoids; None is not known."""
    over = case.or_zero("pga.recommended_host_pct") > case.policy["memory.host_share_pct"]
    fits = over and case.get("pga.fitting_target_mb") is not None
    ends = case.get(f"pga.{'fitting' if fits else 'recommended'}_ends_pct")
    share = case.get("pga.temp_share_pct")
    return None if ends is None else ends * min(100.0 if share is None else share, 100.0) / 100


def _first(case: Case) -> str:
    """What comes before storage: asynchronous I/O, a backup, memory that avoids most of it."""
    if earlier := before_storage(case):
        return earlier
    sizes, policy = temp.manual_sizes(case), case.value("pga.work_area_policy")
    if policy == "manual" and case.get("temp.sorts_disk"):
        areas = temp.size_work_areas(case)
        sql = f"{listed(areas.first)}, then " if areas is not None and areas.first else ""
        return f"work areas have manual sizes: first {sql}a larger {sizes}"
    ends, passes = _memory_ends(case), case.get("pga.multipass")
    if ends is None and passes is None:
        memory = sizes if temp.is_manual(case) else "PGA_AGGREGATE_TARGET"
        return f"the effect of more memory is not in the report: first increase {memory}"
    if ends is None and passes:
        return "memory comes first: work areas had multi-pass executions"
    if ends is not None and ends >= case.policy["storage.memory_gain_pct"]:
        most = "up to " if temp.is_doubtful(case) else ""
        avoided = f"it avoids {most}{ends:.0f} % of this I/O"
        return f"memory comes first: by the PGA Memory Advisory, {avoided}"
    if passes is None and (finding := case.by_rule.get("TEMP003")):
        return f"memory comes first: {finding.title}"
    return ""


#: Rules on waits that undo causes.
_UNDO_RULES: Final = (
    "UNDO001", "UNDO003", "UNDO005", "UNDO006", "UNDO007", "UNDO010", "UNDO011", "UNDO012",
)  # fmt: skip
#: Causes that come before storage, and what to do about them.
_CAUSES: Final = dict(line.split(": ") for line in texts("before undo storage"))
#: Rules on waits for DBWR.
_DBWR_RULES: Final = ("CKPT005", "CKPT008")
#: The share of undo in the writes of DBWR above which undo contributes.
_PART_PCT: Final = 20  # awrlens: a fifth
#: Without any of these facts, nothing is known about waits for undo.
_OWN_WAITS: Final = ("undo.buffer_wait_s", "undo.read_wait_s")
_DBWR_WAIT: Final = "checkpoint.buffer_wait_s"


def undo_verdict(case: Case) -> StorageVerdict:  # noqa: C901 - in the order of causes
    """Undo tablespaces: waits for undo, undo's share of DBWR waits, reads on the same disks."""
    if why := _undo_mistimed(case):
        return by_part(case, why, *_OWN_WAITS, _DBWR_WAIT)
    if not _is_known(case):
        return undecided(case.lacking(*_OWN_WAITS, _DBWR_WAIT, "load.elapsed_s"))
    reads, buffers, dbwr, beside = parts = _parts(case)
    share = case.get("undo.block_write_pct")
    saved = devices.no_less_than_0(devices.saved_s(parts))
    saving = case.scale.impact(
        saved,
        "waits for undo blocks and undo's share of the waits for DBWR, at "
        f"{plain(buffers.device_ms, 3)} ms per write and {plain(reads.device_ms, 3)} ms per read",
    )
    own_s = reads.waited_s + buffers.waited_s
    waits = f"{sentence(waited_words(own_s))} for undo blocks"
    if not _has_own(case):
        waits = "The report does not show waits for undo blocks"
        if dbwr.waited_s < 1:
            waits += f"; {waited_words(case.or_zero(_DBWR_WAIT))} for DBWR"
    if dbwr.waited_s >= 1:
        also = " and" if own_s > 0 else "; sessions waited"
        waits += f"{also} {dbwr.waited_s:,.0f} s for DBWR (undo's share of its writes)"
    if beside.waited_s >= 1:
        waits += f", and {beside.waited_s:,.0f} s for reads of data files on the same disks as undo"
    much = _more(case, share)
    pressing = case.at_least("warning", *_UNDO_RULES)
    behind = (share or 0.0) >= _PART_PCT and case.at_least("warning", *_DBWR_RULES)
    worthwhile = saved is None or worth(case, saved, slow=True)
    if worthwhile and (pressing or behind) and (cause := _cause(case)):
        fired = case.fired(*_UNDO_RULES, "UNDO002", *_DBWR_RULES, "CKPT010", *_CAUSES)
        return StorageVerdict("tune-first", f"{waits}. {sentence(cause)}.{much}", saving, fired)
    if pressing and saved is None:
        lacking = case.lacking(*(part.fact for part in parts if part.waited_s))
        reason = f"{waits}. The latency is not known: {lacking}."
        return StorageVerdict("need-data", reason, saving)
    if not pressing or not worthwhile:
        if reads.waited_s >= 1 and reads.now_ms and not case.scale.how_slow(reads.now_ms):
            waits += f". An undo read takes {plain(reads.now_ms, 3)} ms, which is fast: the device "
            waits += "does not cause the waits"
        return StorageVerdict("no-benefit", f"{waits}.{much}", saving)
    reason = f"{waits}. Low-latency storage would save {saves(saving)}.{much}"
    return _worthwhile(case, reason, saving, case.fired(*_UNDO_RULES))


def undo_saved_s(case: Case) -> float | None:
    """Seconds saved with undo on the device; lost if below 0; None is not known."""
    return devices.saved_s(_parts(case)) if _is_known(case) else None


def _is_known(case: Case) -> bool:
    """Whether waits for undo are known: its own, or that no session waits for DBWR."""
    # without undo's share of DBWR's writes, waits for DBWR may all be for undo
    behind = case.get("undo.block_write_pct") is None and case.fired(*_DBWR_RULES)
    quick = case.get(_DBWR_WAIT) is not None and not behind
    return case.scale.has_time and (_has_own(case) or quick) and not _undo_mistimed(case)


def _undo_mistimed(case: Case) -> str:
    return mistimed(case, *_UNDO_RULES, *_DBWR_RULES)


def _has_own(case: Case) -> bool:
    return any(case.get(name) is not None for name in _OWN_WAITS)


def _parts(case: Case) -> tuple[Part, ...]:
    """The waits that undo causes, including data file reads if rule UNDO010 has a finding."""
    beside = case.or_zero("undo.neighbour_wait_s") if case.fired("UNDO010") else 0.0
    return devices.undo(case.facts, beside, speed(case.policy, "undo"))


def _more(case: Case, share: float | None) -> str:
    """What else the report shows of undo: segments, growing files, temporary tables."""
    said = ""
    # which are not waits for blocks
    online_s, grown_s = (
        case.or_zero(f"undo.{name}_wait_s") for name in ("us_enqueue", "segment_growth")
    )
    if round(online_s):
        said = (
            f" Sessions waited {online_s:,.0f} s for undo segments to come online or go offline "
            "(`enq: US - contention`), which does not depend on storage."
        )
    if round(grown_s):
        said += (
            f" Sessions waited {grown_s:,.0f} s while undo segments were added, extended or shrunk."
        )
    waited, times = case.or_zero("undo.file_header_wait_s"), case.or_zero("undo.file_extensions")
    if round(waited) and times:
        how_often = "once" if times == 1 else f"{times:,.0f} times"
        said += (
            f" Undo files were extended {how_often}, and sessions waited {waited:,.0f} s for file "
            "headers: create the undo files at full size."
        )
    if share is None:
        return said
    of_dbwr = f"Undo is {share:.0f} % of the blocks that DBWR writes."
    return f"{said} {undo.by_temporary_tables(case) or of_dbwr}"


def _cause(case: Case) -> str:
    """What comes before storage; empty if nothing does."""
    rollbacks = case.get("undo.rollbacks_per_1000_executes")
    many = rollbacks is not None and rollbacks >= case.policy["storage.rollbacks_per_1000_executes"]
    if "UNDO002" in case.by_rule and many:
        made = f"{rollbacks:.2f} rollbacks per 1,000 executions cause this undo"
        return f"{made}: first reduce them in the application"
    if earlier := before_storage(case):
        return earlier
    if case.at_least("warning", *_DBWR_RULES) and "UNDO001" not in case.by_rule:
        return "first speed up DBWR, which is behind with all its writes"
    named = [text for rule, text in _CAUSES.items() if case.at_least("info", rule)]
    return f"first {' and '.join(dict.fromkeys(named))}" if named else ""
