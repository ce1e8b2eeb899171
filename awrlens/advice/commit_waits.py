"""Commits: CPU, LGWR, other instances and the application come before storage.

Source: Write Accelerator, "Redo Log Writes" (run queue and priority come before storage).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.advice import devices, redo_logs
from awrlens.advice.case import AFTER, REDO_LOG_MEMBERS, advice, short_of_memory, starved
from awrlens.model import Recommendation, Sign
from awrlens.severity import SLOWEST_MS
from awrlens.units import plain

if TYPE_CHECKING:
    from awrlens.advice.case import Case

#: Rules on waits for LGWR.
COMMIT_RULES: Final = (
    "REDO001", "REDO002", "REDO003", "REDO006", "REDO008", "REDO009", "REDO010", "REDO011",
    "REDO012", "REDO013", "REDO014",
)  # fmt: skip
_READ_ONLY: Final = "The commands only read. What you change afterwards has a risk of its own."
_APPROACHES: Final = "`log file sync` approaches `log file parallel write`"
_BEYOND: Final = "`log file sync` minus its log writes and the queue for them"
_OF_LGWR: Final = (
    "SELECT e.event, e.total_waits, e.time_waited FROM v$session_event e, v$session s WHERE "
    "e.sid = s.sid AND s.program LIKE '%(LGWR)%' ORDER BY e.time_waited DESC;"
)
_DESTINATIONS: Final = (
    "SELECT dest_id, transmit_mode, affirm, destination FROM v$archive_dest WHERE status = 'VALID';"
)
_WORKERS: Final = (
    "LGWR's workers: if they coordinate longer than they write, test single log writer mode "
    "(`_use_single_log_writer=TRUE`, with Oracle Support)"
)
#: What to check for each group of LGWR's waits, the most specific first: in the title, in words,
#: and its query.
_LGWR_WAITS: Final = {
    "redo.standby_wait_s": (
        "standby",
        "the synchronous standby: its network and its standby redo logs, or asynchronous transport",
        _DESTINATIONS,
    ),
    "redo.lgwr_worker_wait_s": (
        "workers",
        _WORKERS,
        "SELECT name, value FROM v$sysstat WHERE name LIKE 'redo write%';",
    ),
}
_ACKNOWLEDGED: Final = (
    "SELECT inst_id, name, value FROM gv$sysstat WHERE name LIKE 'redo write broadcast%' "
    "OR name LIKE 'redo synch%';"
)


def beyond_queue_s(case: Case) -> float:
    """Seconds of commit waits outside the log write and the queue for it."""
    parts = ("lgwr", "scheduling", "unexplained")
    outside_s = sum(case.or_zero(f"redo.commit_{part}_s") for part in parts)
    now = devices.commits(case.facts)
    return max(0.0, outside_s - (0.0 if now is None else now.waits * now.queue_ms / 1000))


@advice(
    "free-memory", "Free memory on the host.", "host", "medium", answers=COMMIT_RULES, first=True
)
def free_memory(case: Case) -> Recommendation | None:
    """The host's memory, if nothing of it and of its swap is left."""
    if not (evidence := short_of_memory(case)) or not case.at_least("warning", *COMMIT_RULES):
        return None
    return Recommendation(
        "Free memory on the host",
        f"At a snapshot, {evidence}. Such a host stalls every process, and every write and commit "
        "looks slow. Find what takes the memory: processes, a PGA or SGA too large for the host, "
        "memory of huge pages that nothing uses. Then reassess the writes.",
        commands=("vmstat 5 12", "ps -eo rss,pid,comm,args --sort=-rss | head -20",
                  "grep -E 'Mem|Swap|Huge' /proc/meminfo"),
        risks=("A smaller SGA or PGA costs reads of data files or temporary I/O.",),
        validate=("`vmstat` shows no swapping (si, so), and memory is free", AFTER),
    )  # fmt: skip


def switches_stall(case: Case) -> bool:
    """Whether sessions wait long for log switches themselves, not for checkpoints."""
    return case.at_least("warning", "REDO004") and not case.at_least("warning", "CKPT001")


@advice(
    "free-processors", "Free CPU for LGWR.", "host", "medium", answers=(*COMMIT_RULES, "REDO004"),
    first=True,
)  # fmt: skip
def free_processors(case: Case) -> Recommendation | None:
    """CPU, if LGWR and the sessions it posts wait for it."""
    waited = case.at_least("warning", *COMMIT_RULES) or switches_stall(case)
    if not (evidence := starved(case)) or not waited:
        return None
    return Recommendation(
        "Free CPU for LGWR",
        f"On the host, {evidence}. If processes wait for CPU, every write, commit and log switch "
        "looks slow. Find what uses the CPU, or add CPUs, then reassess the writes.",
        commands=("ps -eo pcpu,pri,comm,args --sort=-pcpu | head -20",),
        risks=(_READ_ONLY,),
        validate=(
            "idle CPU increases, `log file sync` and `log file parallel write` decrease",
            AFTER,
        ),
    )


@advice(
    "free-lgwr", "Check what LGWR waits for besides the log write.", "host", "medium",
    answers=("REDO002", "REDO003"), after=(redo_logs.enlarge_redo_logs,),
    ends=("redo.sync_wait_s",),
)  # fmt: skip
def free_lgwr(case: Case) -> Recommendation:
    """What the report shows LGWR waiting for, CPU first."""
    named = _LGWR_WAITS if case.found("REDO003") else {}
    shown = [each for name, each in named.items() if case.get(name)]
    causes = ["CPU", "priority", *(short for short, _, _ in shown)]
    steps = ["the run queue and LGWR's priority", *(step for _, step, _ in shown)]
    return Recommendation(
        f"Check LGWR's {', '.join(causes[:-1])} and {causes[-1]}",
        f"Most of the commit wait is not the local log write. Check {'; '.join(steps)}.",
        commands=(
            "ps -eo pri,ni,comm,args | grep ora_lgwr",
            *case.that_run(*(query for _, _, query in shown)),
        ),
        benefit=case.scale.impact(beyond_queue_s(case), _BEYOND),
        risks=("A higher priority for LGWR takes CPU from other processes.",),
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
    return not explained and now.is_mostly_rest_of_all and now.write_ms < case.policy[SLOWEST_MS]


@advice(
    "find-lgwr-waits", "Find what LGWR waits for besides a slow log write.", "host", "low",
    answers=("REDO001",),
)  # fmt: skip
def find_lgwr_waits(case: Case) -> Recommendation | None:
    """What a commit waits for if the write is slow, but only a small part of the wait."""
    now = devices.commits(case.facts)
    if now is None or not waits_elsewhere(case):
        return None
    return Recommendation(
        "Find what LGWR waits for besides the log write",
        f"A commit takes {plain(now.commit_ms, 3)} ms, and the log write is only "
        f"{plain(now.write_ms, 3)} ms of it. While commits wait, look at the waits of LGWR: "
        "control file writes, `enq: CF - contention`, a standby, CPU and LGWR's priority.",
        commands=case.that_run(_OF_LGWR, "ps -eo pri,ni,comm,args | grep ora_lgwr"),
        benefit=case.scale.impact(beyond_queue_s(case), _BEYOND),
        risks=(_READ_ONLY,),
        validate=(_APPROACHES, AFTER),
        findings=case.found("REDO001"),
    )


@advice(
    "speed-up-acknowledgement", "Check what acknowledges commits in RAC.", "host", "medium",
    answers=("REDO013",),
)  # fmt: skip
def speed_up_acknowledgement(case: Case) -> Recommendation:
    """What acknowledges commits: interconnect, LMS, the other nodes, polling."""
    polling = case.get("redo.polling_pct")
    ask = "ask Oracle Support about `_use_adaptive_log_file_sync`=FALSE"
    polls = f" {polling:.0f} % of the commits poll; {ask}." if polling else ""
    return Recommendation(
        "Check the interconnect, LMS and the other nodes",
        "A commit in RAC ends when the other instances have acknowledged it. Check the "
        "interconnect, the number and priority of LMS processes, and the CPU of the other nodes."
        f"{polls}",
        commands=("ps -eo pri,ni,cls,comm,args | grep ora_lms", _ACKNOWLEDGED),
        risks=(_READ_ONLY,),
        validate=(_APPROACHES, AFTER),
    )


@advice(
    "commit-less-often", "Commit once per unit of work.", "application", "medium",
    answers=("REDO006",), also=("REDO008",), ends=("redo.sync_wait_s",),
    sign=Sign("redo.commits_per_s", "commits per second"),
)  # fmt: skip
def commit_less_often(case: Case) -> Recommendation:
    """Fewer commits for the same work."""
    return Recommendation(
        "Commit once per unit of work",
        f"{case.or_zero('redo.commits_per_s'):,.0f} commits per second wait for LGWR. Combine them "
        "in the application before buying storage.",
        benefit=case.impact("REDO006"),
        risks=("Locks are held longer.",),
        validate=("`user commits` decreases at the same number of executions", AFTER),
    )


@advice(
    "relieve-log-device", "Find what slows down the redo log device.", "storage", "medium",
    answers=("REDO001",),
)  # fmt: skip
def relieve_log_device(case: Case) -> Recommendation | None:
    """Slow log writes that do not justify new storage: what shares the device."""
    if not case.at_least("warning", "REDO001") or case.found("REDO014"):
        return None
    places = case.value("redo.archive_destinations")
    to = f" (written to {', '.join(places)})" if isinstance(places, tuple) else ""
    return Recommendation(
        "Find what slows down the redo log device: too few sessions wait to justify a new one",
        f"A log write takes {plain(case.or_zero('redo.local_write_ms'), 3)} ms. Check whether data "
        f"files, archived logs{to} or backups share the devices of the redo logs, and whether the "
        "write cache is on. Move the redo logs to their own devices.",
        commands=case.that_run(REDO_LOG_MEMBERS, "awrlens sql redo-placement > redo_placement.sql"),
        risks=(_READ_ONLY,),
        validate=("`log file parallel write` decreases", AFTER),
        findings=case.found("REDO001"),
    )


#: What answers findings, in the order of a plan.
ANSWERS: Final = (
    free_memory, free_processors, free_lgwr, speed_up_acknowledgement, commit_less_often,
)  # fmt: skip
