"""One ordered plan out of findings, storage verdicts and the recovery target.

Order: what costs nothing and is wrong in any case (parameters), then sizes and memory, then
storage; document 3's summary and document 1's advice.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from awrlens.advice import memory as work_areas
from awrlens.advice import mttr, storage
from awrlens.advice.memory import memory
from awrlens.advice.parts import AFTER as _AFTER
from awrlens.advice.parts import ids as _ids
from awrlens.advice.parts import impact as _impact
from awrlens.advice.undo import undo
from awrlens.model import Finding, Impact, Recommendation, Verdict, Verdicts, worst
from awrlens.policy import Policy, Threshold

if TYPE_CHECKING:
    from collections.abc import Mapping

    from awrlens.model import Fact

MINUTES_PER_SWITCH: Final = Threshold(
    "logs.minutes_per_switch", 20.0, "min",
    "minutes that a redo log of the recommended size lasts at the report's redo rate",
    "Oracle Database Performance Tuning Guide: log files switch at most once each 20 minutes",
)  # fmt: skip
THRESHOLDS: Final = (MINUTES_PER_SWITCH, *work_areas.THRESHOLDS, *storage.THRESHOLDS)

_SELF_TUNED: Final = (
    "From 10g on checkpoints tune themselves while the parameter is not set; an explicit target "
    "takes their place."
)
_PARAMETERS: Final = {
    "LOG_CHECKPOINT_INTERVAL": ("checkpoint.log_checkpoint_interval", "0"),
    "LOG_CHECKPOINT_TIMEOUT": ("checkpoint.log_checkpoint_timeout_s", "0"),
    "FAST_START_IO_TARGET": ("checkpoint.fast_start_io_target", None),
}


class Advice(NamedTuple):
    """Recommendations in the order in which they are to be done, and the answers in short."""

    recommendations: tuple[Recommendation, ...]
    verdicts: Verdicts


def advise(
    facts: Mapping[str, Fact],
    findings: tuple[Finding, ...],
    policy: Policy,
    request: mttr.Request,
    threads: int = 1,
) -> Advice:
    """Make the plan for one report; ``request`` holds what the caller says of recovery time.

    ``threads`` is the number of redo threads that the facts add up: a cluster's instances.
    """
    recovery, target_s = _recovery(facts, findings, request)
    items = [
        *_parameters(facts, findings),
        *_logs(facts, findings, policy, threads),
        *_cpu(findings),
        *_commits(facts, findings),
        *undo(facts, findings),
        *memory(facts, findings, policy),
    ]
    # what saves most comes first; storage comes after all that is to be tuned
    items.sort(key=lambda item: -(item.benefit.seconds or 0.0))
    items += recovery
    verdicts = {
        "redo": storage.redo(facts, findings, policy),
        "temp": storage.temp(facts, findings, policy),
        "undo": storage.undo(facts, findings, policy),
    }
    items += [_storage(name, verdict) for name, verdict in verdicts.items()]
    return Advice(
        tuple(items),
        Verdicts(
            write_path=worst([finding.severity for finding in findings]),
            redo_storage=verdicts["redo"].status,
            temp_storage=verdicts["temp"].status,
            undo_storage=verdicts["undo"].status,
            fast_start_mttr_target_s=target_s,
        ),
    )


def _parameters(facts: Mapping[str, Fact], findings: tuple[Finding, ...]) -> list[Recommendation]:
    found = _ids(findings, "CKPT002")
    if not found:
        return []
    set_ = [name for name, (fact, _) in _PARAMETERS.items() if (facts[fact].number or 0) > 0]
    commands, rollback = [], []
    for name in set_:
        fact, value = _PARAMETERS[name]
        commands.append(
            f"ALTER SYSTEM SET {name.lower()}={value} SCOPE=BOTH;"
            if value is not None
            else f"ALTER SYSTEM RESET {name.lower()} SCOPE=SPFILE SID='*';"
        )
        rollback.append(f"ALTER SYSTEM SET {name.lower()}={facts[fact].number:.0f} SCOPE=BOTH;")
    return [
        Recommendation(
            id="remove-checkpoint-parameters",
            title="Remove the parameters that work against the recovery target",
            action=f"Set {', '.join(set_)} to 0 or remove it, so that FAST_START_MTTR_TARGET alone "
            "drives checkpoints.",
            status="apply",
            commands=tuple(commands),
            rollback=tuple(rollback),
            prerequisites=("FAST_START_MTTR_TARGET is set",),
            risks=("Recovery may take as long as the target allows.",),
            validate=(
                "Instance Recovery Stats: target redo blocks are neither timeout's nor interval's",
                _AFTER,
            ),
            findings=found,
        )
    ]


def _recovery(
    facts: Mapping[str, Fact],
    findings: tuple[Finding, ...],
    request: mttr.Request,
) -> tuple[list[Recommendation], int | None]:
    """The FAST_START_MTTR_TARGET to set, or to keep."""
    current = facts["checkpoint.fast_start_mttr_target_s"].number
    kept = facts["checkpoint.target_mttr_s"].number
    if current is None and kept is None and request.desired_mttr_s is None:
        return [], None  # a report without recovery section: 8i, which had no such parameter, too
    asked = request._replace(
        datafiles=request.datafiles or _whole(facts["checkpoint.datafiles"]),
        lowest_mttr_s=request.lowest_mttr_s or facts["checkpoint.lowest_mttr_s"].number,
    )
    if request.desired_mttr_s is None and (current or kept):
        return _keep(facts, findings, current, kept)
    goal = mttr.target(asked)
    value = goal.fast_start_mttr_target_s
    if current == value:
        return [_kept(value, ())], value
    before = (
        f"ALTER SYSTEM SET fast_start_mttr_target={current:.0f} SCOPE=BOTH;"
        if current is not None
        else "ALTER SYSTEM RESET fast_start_mttr_target SCOPE=BOTH SID='*';"
    )
    unset = () if current else (_SELF_TUNED,)
    why = goal.formula or (
        goal.notes[0] if goal.notes else f"The agreed recovery time is {value} s."
    )
    return [
        Recommendation(
            id="set-mttr-target",
            title=f"Set FAST_START_MTTR_TARGET to {value}",
            action=why,
            status="apply",
            commands=(f"ALTER SYSTEM SET fast_start_mttr_target={value} SCOPE=BOTH;",),
            rollback=(before,),
            benefit=Impact(None, None, "bounds recovery time; no saving of DB time is reckoned"),
            prerequisites=(
                f"{', '.join(_PARAMETERS)} are 0 or not set",
                "Enterprise Edition",
            ),
            risks=("A lower target means more writes to data files.", *unset, *goal.notes[1:]),
            validate=(
                "V$INSTANCE_RECOVERY: TARGET_MTTR and ESTIMATED_MTTR under load",
                "alert log: no `out of the valid MTTR range`",
                "crash test: kill PMON at peak load and read the recovery time in the alert log",
            ),
            findings=_ids(findings, "CKPT003", "CKPT004"),
        )
    ], value


def _keep(
    facts: Mapping[str, Fact],
    findings: tuple[Finding, ...],
    current: float | None,
    kept: float | None,
) -> tuple[list[Recommendation], int]:
    """A target is set and no other is asked for: keep it, or what Oracle made of it."""
    changed = _ids(findings, "CKPT004")
    value = round(kept if changed and kept else (current or kept or 0))
    if changed:
        return [
            Recommendation(
                id="set-mttr-target",
                title=f"Set FAST_START_MTTR_TARGET to {value}, which is what is in force",
                action=f"{current:.0f} s is below the lowest recovery time this instance can "
                f"keep: Oracle has reset it to {value} s.",
                status="apply",
                commands=(f"ALTER SYSTEM SET fast_start_mttr_target={value} SCOPE=BOTH;",),
                rollback=(f"ALTER SYSTEM SET fast_start_mttr_target={current:.0f} SCOPE=BOTH;",),
                risks=("None: the instance already keeps to this target.",),
                validate=("alert log: no `out of the valid MTTR range`",),
                findings=changed,
            )
        ], value
    estimate = facts["checkpoint.estimated_mttr_s"].number
    return [_kept(value, () if estimate is None else (f"now estimated: {estimate:.0f} s",))], value


def _kept(value: int, now: tuple[str, ...]) -> Recommendation:
    return Recommendation(
        id="keep-mttr-target",
        title=f"Keep FAST_START_MTTR_TARGET at {value}",
        action="A recovery target is set and kept"
        + (f" ({now[0]})" if now else "")
        + "; give --desired-mttr to reckon another.",
        status="no-benefit",
    )


def _whole(fact: Fact) -> int | None:
    return None if fact.number is None else int(fact.number)


def _logs(
    facts: Mapping[str, Fact], findings: tuple[Finding, ...], policy: Policy, threads: int
) -> list[Recommendation]:
    found = _ids(findings, "REDO004", "REDO005", "REDO007", "CKPT001", "CKPT006")
    if not set(found) - {"CKPT006"}:
        return []
    size_mb, why = _log_size(facts, policy, threads)
    size = f"{size_mb:.0f}M" if size_mb else "<larger than now>"
    return [
        Recommendation(
            id="enlarge-redo-logs",
            title="Give redo more or larger logs",
            action=f"Add log groups{why}, so that a checkpoint is complete and archived before "
            "its log comes round again.",
            status="apply",
            commands=(
                "SELECT group#, thread#, bytes/1048576 mb, members, status FROM v$log;",
                f"ALTER DATABASE ADD LOGFILE THREAD <thread> GROUP <new group> SIZE {size};",
            ),
            rollback=("ALTER DATABASE DROP LOGFILE GROUP <new group>;",),
            benefit=_impact(findings, "REDO004", "REDO005", "CKPT001"),
            prerequisites=("space for the new logs, on the same kind of storage",),
            risks=("Larger logs lengthen crash recovery unless a recovery target bounds it.",),
            validate=("no `log file switch (…)` among the foreground events", _AFTER),
            findings=found,
        )
    ]


def _log_size(facts: Mapping[str, Fact], policy: Policy, threads: int) -> tuple[float | None, str]:
    """Size of a log in MB and where it comes from: Oracle's own figure, else the redo rate."""
    optimal = facts["checkpoint.optimal_log_mb"].number or 0.0
    rate = (facts["redo.bytes_written_per_s"].number or 0.0) / threads
    minutes = policy[MINUTES_PER_SWITCH]
    by_rate = -(-rate * minutes * 60 // 2**20)
    if not optimal and not by_rate:
        return None, ""
    if optimal >= by_rate:
        return optimal, f" of {optimal:,.0f} MB (Oracle's optimal log size)"
    why = f"a switch each {minutes:.0f} minutes at {rate:,.0f} B/s of redo"
    if threads > 1:
        why += f" in each of {threads} threads"
    if optimal:
        why += f"; Oracle asks for {optimal:,.0f} MB at least"
    return by_rate, f" of {by_rate:,.0f} MB ({why})"


def _cpu(findings: tuple[Finding, ...]) -> list[Recommendation]:
    found = _ids(findings, "REDO002", "REDO003")
    if not found:
        return []
    return [
        Recommendation(
            id="free-lgwr",
            title="Free LGWR: processor, priority, standby",
            action="Most of the commit wait is not the local log write. Look at the run queue and "
            "LGWR's priority, and at synchronous standby transport where there is one.",
            status="apply",
            commands=(
                "SELECT name, value FROM v$parameter WHERE name LIKE 'log_archive_dest_%';",
                "ps -eo pri,ni,comm,args | grep ora_lgwr",
            ),
            benefit=_impact(findings, "REDO002", "REDO003"),
            risks=("A higher priority for LGWR takes the processor from others.",),
            validate=("`log file sync` comes near `log file parallel write`", _AFTER),
            findings=found,
        )
    ]


def _commits(facts: Mapping[str, Fact], findings: tuple[Finding, ...]) -> list[Recommendation]:
    found = _ids(findings, "REDO006", "REDO008")
    if "REDO006" not in found:
        return []
    rate = facts["redo.commits_per_s"].number or 0.0
    return [
        Recommendation(
            id="commit-less-often",
            title="Commit once per unit of work",
            action=f"{rate:,.0f} commits per second wait for the log; join them in the "
            "application before buying storage.",
            status="apply",
            benefit=_impact(findings, "REDO006"),
            risks=("Locks are held longer.",),
            validate=("`user commits` falls at the same executions", _AFTER),
            findings=found,
        )
    ]


_TITLES: Final[dict[Verdict, str]] = {
    "apply": "belongs on low-latency storage",
    "tune-first": "on low-latency storage: tune first",
    "no-benefit": "on low-latency storage: no benefit",
    "need-data": "on low-latency storage: not decided",
}


def _storage(name: str, verdict: storage.StorageVerdict) -> Recommendation:
    what = {"redo": "Redo", "temp": "Temp", "undo": "Undo"}[name]
    doing = verdict.status == "apply"
    return Recommendation(
        id=f"{name}-storage",
        title=f"{what} {_TITLES[verdict.status]}",
        action=verdict.reason,
        status=verdict.status,
        commands=_STORAGE_COMMANDS[name] if doing else (),
        rollback=("Move it back the same way.",) if doing else (),
        benefit=verdict.saving,
        prerequisites=("mirrored low-latency storage", "what is to be tuned first is tuned")
        if doing
        else (),
        risks=("Single devices have outliers: look at the histogram of the event afterwards.",)
        if doing
        else (),
        validate=(_AFTER,) if doing else (),
        findings=verdict.findings,
    )


_STORAGE_COMMANDS: Final = {
    "redo": (
        "ALTER DATABASE ADD LOGFILE THREAD <thread> GROUP <new> '<low-latency path>' SIZE <size>;",
        "ALTER SYSTEM SWITCH LOGFILE;",
        "ALTER DATABASE DROP LOGFILE GROUP <old group>;",
    ),
    "temp": (
        "ALTER TABLESPACE <temp> ADD TEMPFILE '<low-latency path>' SIZE <size>;",
        "ALTER TABLESPACE <temp> DROP TEMPFILE '<old file>';",
    ),
    "undo": (
        "CREATE UNDO TABLESPACE <new undo> DATAFILE '<low-latency path>' SIZE <size>;",
        "ALTER SYSTEM SET undo_tablespace=<new undo> SCOPE=BOTH;",
    ),
}
