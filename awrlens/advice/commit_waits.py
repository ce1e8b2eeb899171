"""Commits: CPU, LGWR, other instances and the application come before storage.

Source: Write Accelerator, "Redo Log Writes" (run queue and priority come before storage).
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from awrlens.advice import devices, features, redo_logs
from awrlens.advice.case import (
    AFTER,
    REDO_LOG_MEMBERS,
    advice,
    mb_in_words,
    short_of_memory,
    starved,
)
from awrlens.advice.queries import query, texts
from awrlens.model import Recommendation, Sign
from awrlens.model.finding import READS_TOO
from awrlens.oracle import host
from awrlens.units import listed, parse_number, plain

if TYPE_CHECKING:
    from awrlens.advice.case import Case

#: Rules on waits for LGWR.
COMMIT_RULES: Final = (
    "REDO001", "REDO002", "REDO003", "REDO006", "REDO008", "REDO009", "REDO010", "REDO011",
    "REDO012", "REDO013", "REDO014",
)  # fmt: skip
#: Rules on waits that are long because the host lacks CPU or memory.
_ON_HOST: Final = (
    *COMMIT_RULES, "REDO004", "CKPT001", "CKPT005", "CKPT008", "TEMP002", "TEMP008", "UNDO003",
)  # fmt: skip
_READ_ONLY: Final = "The commands only read. What you change afterwards has a risk of its own."
_APPROACHES: Final = "`log file sync` approaches `log file parallel write`"
_TRACE: Final = "grep -B1 'write time' <diagnostic dest>/trace/*_lgwr_*.trc"
_WORKERS: Final = texts("workers of LGWR")[0]
_LGWR: Final = "ps -eo pri,ni,comm,args | grep ora_lgwr"
_CPU: Final = ("CPU and priority", "the run queue and LGWR's priority", _LGWR)
_STANDBY: Final = (
    "standby",
    "the synchronous standby: its network and its standby redo logs, or asynchronous transport",
    query("archive_destinations"),
)
#: What else to check for each group of LGWR's waits: in the title, in words, and its query.
_LGWR_WAITS: Final = {
    "redo.standby_wait_s": _STANDBY,
    "redo.lgwr_worker_wait_s": (
        "workers", _WORKERS, "SELECT name, value FROM v$sysstat WHERE name LIKE 'redo write%';",
    ),
}  # fmt: skip


#: From this share of the busy CPU on, it is this instance that uses it. # awrlens: four fifths
_OWN_PCT: Final = 80.0
_ALL_PCT: Final = 100.0
_OF_PROCESSES: Final = "ps -eo pcpu,pri,comm,args --sort=-pcpu | head -20"


def beyond_queue_s(case: Case) -> float:
    """Seconds of commit waits outside the log write and the queue for it."""
    storage_s, now = case.get("redo.commit_storage_s"), devices.commits(case.facts)
    outside_s = 0.0 if storage_s is None else case.or_zero("redo.sync_wait_s") - storage_s
    return max(0.0, outside_s - (0.0 if now is None else now.waits * now.queue_ms / 1000))


def _starves_all(case: Case) -> bool:
    """Whether so much of DB time is neither CPU nor waits that the host comes first."""
    captured = case.get("load.captured_pct")
    lost = captured is not None and captured < case.policy["confidence.captured_pct"]
    return lost and case.at_least("warning", *_ON_HOST)


_MEMORY: Final = ("database.sga_mb", "pga.allocated_mb", "pga.host_memory_mb")


@advice("free-memory", "host", "medium", answers=_ON_HOST, first=True)
def free_memory(case: Case) -> Recommendation | None:
    """Free memory on the host."""
    waited = case.at_least("warning", *COMMIT_RULES) or _starves_all(case)
    if not (evidence := short_of_memory(case)) or not waited:
        return None
    parts = [mb_in_words(mb) for name in _MEMORY if (mb := case.get(name)) is not None]
    whole = len(parts) == len(_MEMORY)
    held = " The SGA takes {} and the PGA {} of {}.".format(*parts) if whole else ""
    return Recommendation(
        "Free memory on the host",
        f"At a snapshot, {evidence}. Such a host stalls every process, and every write and commit "
        f"looks slow.{held} Find what takes the memory: processes, a PGA or SGA too large for the "
        "host, page tables of many sessions if the SGA is not in huge pages, huge pages that "
        "nothing uses. Then reassess the writes.",
        commands=("vmstat 5 12", "ps -eo rss,pid,comm,args --sort=-rss | head -20",
                  "grep -E 'Mem|Swap|Huge' /proc/meminfo"),
        risks=("A smaller SGA or PGA costs reads of data files or temporary I/O.",),
        validate=("`vmstat` shows no swapping (si, so), and memory is free", AFTER),
    )  # fmt: skip


def switches_stall(case: Case) -> bool:
    """Whether sessions wait long for log switches themselves, not for checkpoints."""
    return case.at_least("warning", "REDO004") and not case.at_least("warning", "CKPT001")


@advice("free-processors", "host", "medium", answers=_ON_HOST, first=True)
def free_processors(case: Case) -> Recommendation | None:
    """Free CPU."""
    of_lgwr = case.at_least("warning", *COMMIT_RULES)
    waited = of_lgwr or switches_stall(case) or _starves_all(case)
    if not (evidence := starved(case)) or not waited:
        return None
    idle, others = case.get("host.idle_pct"), case.get("host.other_cpu_pct")
    is_reported = others is not None and idle is not None and idle < _ALL_PCT
    own = _ALL_PCT - (others or 0.0) * 100 / (_ALL_PCT - (idle or 0.0)) if is_reported else 0.0
    do, commands = "Find what uses the CPU", [_OF_PROCESSES]
    title = "Free CPU for LGWR" if of_lgwr else "Free CPU on the host"
    if is_own := own >= _OWN_PCT:
        title = title if of_lgwr else "Use less CPU in this instance"
        do = f"This instance uses {own:.0f} % of the busy CPU: tune its SQL, let fewer sessions run"
        commands = [query("sql_by_cpu")]
        sql, whole = case.facts["load.cpu_sql"], case.facts["load.leading_sql"]
        of_cpu = "of the CPU of its sessions, "
        shares = sql.note.split("; ") if sql.value is not None else []
        if whole.value and not shares:
            sql, shares, of_cpu = whole, [f"{whole.note} of {case.base}"], ""
        if shares:
            title += f": {shares[0]}{' of it' if of_cpu else ''}"
            lines = (f" (line {cell.line})" for cell in sql.evidence)
            named = listed([f"{share}{line}" for share, line in zip(shares, lines, strict=False)])
            do = do.replace(": tune its", f"; {of_cpu}{named}: tune this")
        if shares and not sql.value:
            do = do.replace("tune this SQL", "find the sessions that use it")
            commands.append(_OF_PROCESSES)
    return Recommendation(
        title,
        f"On the host, {evidence}. If processes wait for CPU, every write, commit and log switch "
        f"looks slow. {do}, or add CPUs, then reassess the writes.",
        commands=tuple(commands),
        effort="application" if is_own else None,
        risks=(_READ_ONLY,),
        validate=(
            "idle CPU increases, `log file sync` and `log file parallel write` decrease",
            AFTER,
        ),
    )


def by_host(case: Case) -> bool:
    """Whether the host's memory or CPU comes first, so that LGWR needs no check of its own."""
    return any(step.answered(case) and step(case) for step in (free_memory, free_processors))


def by_standby(case: Case) -> bool:
    """Whether a synchronous standby is most of the commit wait outside the write and its queue."""
    return 2 * case.or_zero("redo.standby_wait_s") > beyond_queue_s(case) > 0


def _behind_switches(case: Case) -> bool:
    """Whether commits wait behind log switches, for which sessions wait longer."""
    switch_s, sync_s = case.or_zero("redo.log_switch_wait_s"), case.or_zero("redo.sync_wait_s")
    longer = case.or_zero("redo.log_switch_wait_ms") > case.or_zero("redo.commit_ms")
    return switch_s > sync_s and longer and bool(case.fired("REDO004", "CKPT001"))


@advice(
    "free-lgwr", "host", "medium", answers=("REDO002", "REDO003"),
    after=(redo_logs.enlarge_redo_logs,), ends=("redo.sync_wait_s",),
)  # fmt: skip
def free_lgwr(case: Case) -> Recommendation | None:
    """Check what LGWR waits for besides the log write."""
    idle, title = case.get("host.idle_pct"), "Check the synchronous standby and its network"
    checks = [check for name, check in _LGWR_WAITS.items() if case.get(name)]
    if by_standby(case):
        shown = [_STANDBY]
    elif by_host(case) or _behind_switches(case):
        return None
    else:
        shown = [_CPU, *(checks if case.fired("REDO003") else [])]
        if idle is not None and idle >= case.policy["storage.unlikely_idle_pct"]:
            shown[0] = (
                "waits",
                f"what LGWR waits for ({plain(idle, 3)} % of CPU was idle)",
                query("lgwr_waits"),
            )
        title = f"Check LGWR's {listed([short for short, _, _ in shown])}"
    return Recommendation(
        title,
        "Most of the commit wait is not the local log write. Check "
        f"{'; '.join(step for _, step, _ in shown)}.",
        commands=case.that_run(*(query for _, _, query in shown)),
        risks=(_READ_ONLY,),
        validate=(_APPROACHES, AFTER),
    )


def waits_elsewhere(case: Case) -> bool:
    """Whether LGWR's waits are mostly neither a slow log write nor what other actions look at."""
    now = devices.commits(case.facts)
    if not case.at_least("warning", "REDO001") or now is None:
        return False
    if free_lgwr.answered(case) or speed_up_acknowledgement.answered(case):
        return False
    explained = short_of_memory(case) or starved(case)
    slowest_ms = case.policy["impact.slowest_ms"]
    return not explained and now.is_mostly_rest_of_all and now.write_ms < slowest_ms


def stalled(case: Case) -> str:
    """That a few long log writes make the average slow, and not the device; empty otherwise."""
    now = devices.commits(case.facts)
    if now is None or not case.scale.stalls(now.write_ms, now.half_ms, now.write_bytes):
        return ""
    return (
        f"Half of the log writes end within {now.half_ms:g} ms, and a few stalls raise the average "
        f"to {plain(now.write_ms, 3)} ms"
    )


@advice("find-lgwr-waits", "host", "low", answers=("REDO001", "REDO010"))
def find_lgwr_waits(case: Case) -> Recommendation | None:
    """Find what LGWR waits for besides a slow log write."""
    now, stall = devices.commits(case.facts), stalled(case)
    if stall and case.at_least("warning", "REDO010") and not by_host(case):
        title, commands = "Find what stalls LGWR", [_TRACE]
        why = (
            f"{stall}. LGWR's trace file lists long writes with their times: compare these with "
            "CPU, memory, log switches, backups and other load."
        )
    elif now is not None and waits_elsewhere(case):
        title, commands = (
            "Find what LGWR waits for besides the log write",
            [query("lgwr_waits"), _LGWR],
        )
        why = (
            f"A commit takes {plain(now.commit_ms, 3)} ms, and the log write is only "
            f"{plain(now.write_ms, 3)} ms of it. While commits wait, look at the waits of LGWR: "
            "control file writes, `enq: CF - contention`, a standby, CPU and LGWR's priority."
        )
    else:
        return None
    return Recommendation(
        title,
        why,
        commands=case.that_run(*commands),
        risks=(_READ_ONLY,),
        validate=(_APPROACHES, AFTER),
    )


@advice("speed-up-acknowledgement", "host", "medium", answers=("REDO013",))
def speed_up_acknowledgement(case: Case) -> Recommendation | None:
    """Check what acknowledges commits in RAC."""
    if by_host(case):
        return None
    polling = case.get("redo.polling_pct")
    ask = "ask Oracle Support about `_use_adaptive_log_file_sync`=FALSE"
    polls = f" {polling:.0f} % of the commits poll; {ask}." if polling else ""
    return Recommendation(
        "Check the interconnect, LMS and the other nodes",
        "A commit in RAC ends when the other instances have acknowledged it. Check the "
        "interconnect, the number and priority of LMS processes, and the CPU of the other nodes."
        f"{polls}",
        commands=("ps -eo pri,ni,cls,comm,args | grep ora_lms", query("acknowledgements")),
        risks=(_READ_ONLY,),
        validate=(_APPROACHES, AFTER),
    )


@advice(
    "commit-less-often", "application", "medium", answers=("REDO006",), also=("REDO008",),
    ends=("redo.sync_wait_s",), sign=Sign("redo.commits_per_s", "commits per second"),
)  # fmt: skip
def commit_less_often(case: Case) -> Recommendation:
    """Commit once per unit of work."""
    return Recommendation(
        "Commit once per unit of work",
        f"{case.or_zero('redo.commits_per_s'):,.0f} commits per second wait for LGWR. Combine them "
        "in the application before buying storage.",
        benefit=case.impact("REDO006"),
        risks=("Locks are held longer.",),
        validate=("`user commits` decreases at the same number of executions", AFTER),
    )


def reads_too(case: Case) -> bool:
    """Whether the whole storage is slow, and sessions wait for reads, if not for redo."""
    finding = case.by_rule.get("REDO001")
    reads = case.share(case.or_zero("load.data_read_wait_s"))
    slow = finding is not None and finding.weight.slow in READS_TOO
    return slow and reads >= case.policy["writes.read_pct"]


HOST_FIRST: Final = "Check the host's run queue and paging, then the storage"


def _control(case: Case) -> str:
    """That writes to the control files are slow as well: the write path is, not only one device."""
    each_ms, seconds = case.or_zero("io.control_write_ms"), case.or_zero("io.control_write_wait_s")
    if each_ms < case.policy["redo.slow_write_ms"] or not case.scale.significant(seconds):
        return ""
    return (
        f" `control file parallel write` takes {plain(each_ms, 3)} ms ({seconds:,.0f} s): other "
        "writes are slow, too."
    )


_NOT_WRITE: Final = "Most of a commit is not the log write: find out what else LGWR waits for, too."


@advice("relieve-log-device", "storage", "medium", answers=("REDO001",))
def relieve_log_device(case: Case) -> Recommendation | None:
    """Find what slows down the redo log device."""
    whole = case.by_rule["REDO001"].weight.slow in READS_TOO
    if case.fired("REDO014") or not (reads_too(case) or case.at_least("warning", "REDO001")):
        return None
    places = case.value("redo.archive_destinations")
    to = f" (written to {', '.join(places)})" if isinstance(places, tuple) else ""
    title = "the redo log device; too few sessions wait to justify new storage for redo"
    now = devices.commits(case.facts)
    other = now is not None and now.has_unknown_half and not whole
    asked = (f"{_NOT_WRITE}{_control(case)}",) if other else ()
    check = (
        f"Check whether data files, archived logs{to} or backups share the devices of the redo "
        "logs, and whether the write cache is on. Move the redo logs to their own devices."
    )
    if whole:
        title = "the storage, reads and writes"
        stalls = host.suspect(case.get, case.policy.__getitem__)
        rates = [case.get(f"io.{what}_mb_per_s") for what in ("read", "write")]
        own = "The instance itself reads {} MB/s and writes {} MB/s. " if all(rates) else ""
        own = own.format(*(plain(rate or 0.0) for rate in rates))
        check = (
            f"{own}Check what else the storage does (archived logs{to}, backups, other systems), "
            "its write cache and its health. Whether redo logs on devices of their own would be "
            f"faster is not known.{stalls}"
        )
    return Recommendation(
        HOST_FIRST if whole and stalls else f"Find what slows down {title}",
        f"A log write takes {plain(case.or_zero('redo.local_write_ms'), 3)} ms. {check}",
        commands=case.that_run(
            REDO_LOG_MEMBERS, "awrlens sql redo-placement > redo_placement.sql",
            *[query("lgwr_waits")] * len(asked)),
        risks=(_READ_ONLY,), validate=("`log file parallel write` decreases", AFTER), asked=asked,
    )  # fmt: skip


@advice(
    "enlarge-log-buffer", "restart", "low", answers=("REDO001", "REDO011"),
    ends=("redo.buffer_wait_s",), sign=Sign("redo.log_buffer_mb", "MB of log buffer", rises=True),
)  # fmt: skip
def enlarge_log_buffer(case: Case) -> Recommendation | None:
    """Increase LOG_BUFFER.

    Compare-period report 10.2.0.4.0 01: 4,132 waits of 568 ms with 2 MB; LGWR writes 4 % of the
    time.
    """
    seconds, busy = case.or_zero("redo.buffer_wait_s"), case.get("redo.lgwr_busy_pct")
    idle = busy is not None and busy < _ALL_PCT * devices.BUFFER_BUSY
    now_mb = case.get("redo.log_buffer_mb") if idle and case.scale.significant(seconds) else None
    if now_mb is None or now_mb > case.policy["redo.small_buffer_mb"]:
        return None
    mb, saving = round(case.policy["redo.enough_buffer_mb"]), case.scale.impact(seconds, _OF_BUFFER)
    change = partial(features.change, case.facts, "log_buffer", everywhere=case.everywhere)
    return Recommendation(
        f"Increase LOG_BUFFER to {mb} MB",
        f"LGWR writes only {busy:.0f} % of the time, but sessions waited {seconds:,.0f} s for "
        f"space in the log buffer: bursts of redo fill its {plain(now_mb, 2)} MB.",
        commands=(change(mb * 2**20),), rollback=(change(round(now_mb * 2**20)),),
        benefit=saving._replace(least_pct_db_time=saving.pct_db_time and 0.0, upper_bound=True),
        risks=(f"It takes {mb} MB of memory.",),
        validate=("`log buffer space` decreases at the same redo rate", AFTER),
    )  # fmt: skip


_OF_BUFFER: Final = "`log buffer space`: at most all of it"
_ROW_LOCKS: Final = "load.row_lock_wait_s"


@advice(
    "find-lock-holders", "application", "low", answers=("REDO001", "REDO004", "CKPT001"),
    short="finding the holders of row locks",
)  # fmt: skip
def find_lock_holders(case: Case) -> Recommendation | None:
    """Find the holders of row locks, and what they wait for.

    AWR 11.2.0.4.0 RAC 01 to 03: row locks are 58 to 97 % of DB time, and waits for redo may be why.
    """
    claimed = any(fact.name == _ROW_LOCKS for part in case.by_rule.values() for fact in part.facts)
    pct = case.share(case.or_zero(_ROW_LOCKS) - case.or_zero("load.index_wait_s"))
    if not claimed or pct < case.policy["redo.row_lock_pct"]:
        return None
    segments, on = case.facts["load.locked_segments"], ""
    if isinstance(segments.value, tuple):
        name = segments.value[0]
        share = parse_number(segments.note.removeprefix(f"{name}: ").partition(";")[0], "%")
        on = f" on {name}" + ("" if share is None else f" ({share:.0f} % of the waits)")
    return Recommendation(
        f"Find the holders of the row locks{on}, and what they wait for",
        f"Row locks are {pct:.0f} % of {case.base}. If their holders wait for `log file sync`, log "
        "switches or global cache (gc), slow writes cause the lock waits. If the holders are "
        "inactive or wait for their clients, the application does: faster storage would not help.",
        commands=case.that_run(query("lock_holders"), query("lock_holders_now"))
        or (query("lock_holders_8i"),),
        risks=(_READ_ONLY,),
        validate=("`enq: TX - row lock contention` decreases", AFTER),
    )


#: What answers findings, in the order of a plan.
ANSWERS: Final = (
    free_memory, free_processors, free_lgwr, speed_up_acknowledgement, commit_less_often,
    find_lock_holders,
)  # fmt: skip
