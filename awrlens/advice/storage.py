"""Storage verdicts: thresholds, what all three share, and the recommendations.

Whether to move redo, temp or undo to low-latency storage is decided in ``storage_redo``,
``storage_temp`` and ``storage_undo``. "No benefit" is a complete answer.

Source: Write Accelerator, text on figure 2 (the run queue, separate devices, LGWR's priority) and
Summary (storage after tuning; "hot indexes and tables" last).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

from awrlens.advice import temp, undo
from awrlens.advice.case import AFTER, NOT_QUANTIFIED
from awrlens.model import Impact, Recommendation, Verdict
from awrlens.policy import Threshold
from awrlens.records import NamedTuple
from awrlens.units import plain
from awrlens.wait_severity import SHOWN_SESSIONS, of_each

if TYPE_CHECKING:
    from awrlens.advice.case import Case

Segment = Literal["redo", "temp", "undo"]

WORTH_PCT: Final = Threshold(
    "storage.worth_pct", 5.0, "%",
    "minimum saving in DB time for which a change of storage is worthwhile",
    "awrlens, with the usual rule of thumb for `log file sync`",
)  # fmt: skip
WORTH_SLOW_PCT: Final = Threshold(
    "storage.worth_slow_pct", 2.0, "%",
    "the same minimum if the operation is slow for its size",
    "awrlens",
)  # fmt: skip
WORTH_SESSIONS: Final = Threshold(
    "storage.worth_sessions", 0.1, "ratio",
    "average waiting sessions saved below which a change of storage is not worthwhile",
    "awrlens: six minutes in an hour",
)  # fmt: skip
FREED_SESSIONS: Final = Threshold(
    "storage.freed_sessions", 0.5, "ratio",
    "average waiting sessions saved above which a change of storage is worthwhile",
    "awrlens: half an hour in an hour",
)  # fmt: skip
QUICK_MS: Final = Threshold(
    "storage.quick_write_ms", 2.0, "ms",
    "a log write that takes less than this plus twice the device's latency is fast",
    "awrlens; Write Accelerator, figure 2, attributes waits at 1 ms per write to other causes than "
    "I/O",
)  # fmt: skip
QUICK_RATIO: Final = Threshold(
    "storage.quick_ratio", 1.5, "ratio",
    "present time of an operation over that of the device below which the device has no benefit",
    "awrlens",
)  # fmt: skip
MEMORY_GAIN_PCT: Final = Threshold(
    "storage.memory_gain_pct", 50.0, "%",
    "share of the temporary I/O that more PGA would avoid above which memory comes first",
    "Write Accelerator (`once you optimally tune ...`); awrlens: the majority",
)  # fmt: skip
OTHER_SHARE: Final = Threshold(
    "storage.other_cause_ratio", 0.5, "ratio",
    "share of the waits due to another cause above which that cause comes first",
    "awrlens: the majority",
)  # fmt: skip
ROLLBACKS_FIRST: Final = Threshold(
    "storage.rollbacks_per_1000_executes", 1.0, "ratio",
    "rollbacks per 1,000 executions above which the application comes first",
    "Write Accelerator (`look for about 1 rollback per 1000 insert executions`)",
)  # fmt: skip
LEAST_MEMORY_PCT: Final = Threshold(
    "storage.least_memory_pct", 5.0, "%",
    "memory and swap available on the host below which the host's memory comes before storage",
    "awrlens: a host without free memory and swap stalls whatever it does",
)  # fmt: skip
THROUGHPUT_BYTES: Final = Threshold(
    "storage.throughput_bytes", 1_000_000.0, "B",
    "size of a redo write above which the device needs throughput rather than low latency, if its "
    "size explains most of its time",
    "Write Accelerator: LGWR writes when 1 MB is in the buffer; larger writes are bulk loads",
)  # fmt: skip
THROUGHPUT_BUSY: Final = Threshold(
    "storage.throughput_busy_ratio", 0.6, "ratio",
    "maximum share of a device's throughput for redo",
    "awrlens: headroom for peaks",
)  # fmt: skip

COUNTER_RATIO: Final = Threshold(
    "storage.counter_ratio", 2.0, "ratio",
    "`log file parallel write` over LGWR's own counter above which the saving is stated by both",
    "Write Accelerator, figure 2 and its text (3.78 ms and 1 ms for the same writes); awrlens",
)  # fmt: skip
THRESHOLDS: Final = (
    WORTH_PCT, WORTH_SLOW_PCT, WORTH_SESSIONS, FREED_SESSIONS, QUICK_MS, QUICK_RATIO,
    MEMORY_GAIN_PCT, OTHER_SHARE, ROLLBACKS_FIRST, LEAST_MEMORY_PCT, THROUGHPUT_BYTES,
    THROUGHPUT_BUSY, COUNTER_RATIO,
)  # fmt: skip
#: Levels of ``Scale.how_slow`` and ``how_many`` from which an operation is slow, or several
#: sessions wait.
SLOW: Final = 2
SEVERAL: Final = 2


class StorageVerdict(NamedTuple):
    """One verdict: status, the reason with its numbers, the saving, and its findings."""

    status: Verdict
    reason: str
    saving: Impact = NOT_QUANTIFIED
    findings: tuple[str, ...] = ()
    #: What the files are moved to.
    to: str = "low-latency storage"


def undecided(why: str) -> StorageVerdict:
    """The verdict on a report that lacks the facts for one."""
    return StorageVerdict("need-data", f"Not decided: {why}.")


def worth(case: Case, saved_s: float, *, slow: bool) -> bool:
    """Whether a saving justifies a change of storage, by share or by waiting sessions."""
    sessions = case.scale.sessions(saved_s)
    if sessions is not None and sessions >= case.policy[FREED_SESSIONS]:
        return True
    if sessions is not None and sessions < case.policy[WORTH_SESSIONS]:
        return False
    return case.share(saved_s) >= case.policy[WORTH_SLOW_PCT if slow else WORTH_PCT]


def mistimed(case: Case, *rules: str) -> str:
    """Why times do not decide about storage; empty if they do.

    Times that are too short hide waits. Times that are too long matter only to findings.
    """
    too_long = case.or_zero("load.timed_pct") > 100  # noqa: PLR2004 - the whole interval
    return "" if too_long and not case.at_least("info", *rules) else case.scale.mistimed


def short_of_memory(case: Case) -> str:
    """The evidence that the host is out of memory; empty without any."""
    left = case.get("host.available_memory_pct")
    if left is None or left >= case.policy[LEAST_MEMORY_PCT]:
        return ""
    return f"free memory and free swap are {plain(left, 2)} % of the host's memory"


def saves(saving: Impact) -> str:
    """A saving in words: seconds, share of DB time and average sessions, as far as known."""
    parts = [] if saving.seconds is None else [f"{saving.seconds:,.0f} s"]
    if saving.pct_db_time is not None:
        parts.append(f"{saving.pct_db_time:.1f} % of {saving.base}")
    if saving.sessions is not None and saving.sessions >= SHOWN_SESSIONS:
        each = of_each(saving.instances)
        parts.append(f"{plain(saving.sessions, 2)} average active sessions{each}")
    return ", ".join(parts) or "an unknown amount of time"


def sentence(text: str) -> str:
    """A text with a capital letter."""
    return f"{text[:1].upper()}{text[1:]}"


_FILES: Final = {"redo": "the redo logs", "temp": "the tempfiles", "undo": "undo"}
_WORDS: Final[dict[Verdict, str]] = {
    "tune-first": "tune first", "no-benefit": "no benefit", "need-data": "insufficient data",
}  # fmt: skip
_NEW_LOGS: Final = (
    "ALTER DATABASE ADD LOGFILE THREAD <thread> GROUP <new> '<new path>' SIZE <size>;",
    "ALTER SYSTEM SWITCH LOGFILE;",
    "ALTER DATABASE DROP LOGFILE GROUP <old group>;",
)


def _commands(case: Case, segment: Segment) -> tuple[str, ...]:
    """Commands that move the files."""
    if segment == "undo":
        return (*undo.of_containers(case), *undo.moved(case, "new path")[0])
    return temp.moved(case, "new path") if segment == "temp" else _NEW_LOGS


def recommendation(case: Case, segment: Segment, verdict: StorageVerdict) -> Recommendation:
    """The recommendation of a verdict; commands only if it is to move the files."""
    found = Recommendation(
        f"{segment}-storage",
        f"{segment.capitalize()} on low-latency storage: {_WORDS.get(verdict.status, '')}",
        verdict.reason,
        verdict.status,
        benefit=verdict.saving,
        findings=verdict.findings,
    )
    if verdict.status != "apply":
        return found
    asked = questions(case) if segment == "redo" else ()
    asked = undo.in_container(case) if segment == "undo" else asked
    # one cause below the database, which a separate device avoids
    own = _OWN_DEVICE if case.found("REDO014") else ""
    return found._replace(
        action=f"{verdict.reason}{own}",
        title=f"Move {_FILES[segment]} to {verdict.to}",
        commands=_commands(case, segment),
        rollback=("Move the files back in the same way.",),
        prerequisites=(*asked, f"mirrored {verdict.to}"),
        risks=("A single device may have outliers: check the wait event histogram afterwards.",),
        validate=(AFTER,),
    )


_OWN_DEVICE: Final = (
    " Check the storage's write path first: once it is repaired, this may not be needed. A "
    "separate device helps whatever the cause."
)
_RUN_QUEUE: Final = (
    "a run queue without waits for CPU in this interval (vmstat{how}): the report does not show it"
)
_SHARED_DEVICES: Final = (
    "redo logs that share no device with data files, archived logs or backups now{how}: the report "
    "does not show it"
)
_PRIORITY: Final = (
    "LGWR that is not displaced by other processes: its priority (`ps -eo pri,ni,comm,args | "
    "grep ora_lgwr`) is not in the report"
)


def questions(case: Case) -> tuple[str, ...]:
    """What to find out before redo logs are moved, unless the report answers it."""
    script = next(iter(case.that_run("`awrlens sql redo-placement`")), "")
    asked = [_SHARED_DEVICES.format(how=f" ({script})" if script else ""), _PRIORITY]
    known = ("host.idle_pct", "host.load_per_cpu_end", "host.cpu_wait_pct")
    if all(case.get(name) is None for name in known):
        asked.insert(0, _RUN_QUEUE.format(how=f", or {script}" if script else ""))
    return tuple(asked)
