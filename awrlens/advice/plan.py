"""One ordered plan from findings, storage verdicts and the recovery target.

Order: parameters that are wrong in any case and cost nothing to change, then sizes and memory, then
storage (the summary of Write Accelerator; Fast-Start Checkpointing Best Practices).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.advice import integrity, lgwr, logs, mttr, obstacles, placement, recovery, storage
from awrlens.advice import memory as work_areas
from awrlens.advice.effort import rated
from awrlens.advice.memory import memory
from awrlens.advice.parts import AFTER as _AFTER
from awrlens.advice.parts import ids as _ids
from awrlens.advice.parts import impact as _impact
from awrlens.advice.undo import undo
from awrlens.advice.writes import log_device, writes
from awrlens.model import Finding, Recommendation, Verdict, Verdicts, with_parts, worst
from awrlens.records import NamedTuple
from awrlens.weigh import Scale

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from awrlens.model import Fact
    from awrlens.policy import Policy

THRESHOLDS: Final = (
    *logs.THRESHOLDS,
    *work_areas.THRESHOLDS,
    *storage.THRESHOLDS,
    *placement.THRESHOLDS,
)


class Advice(NamedTuple):
    """Recommendations in the order in which to carry them out, and the verdicts."""

    recommendations: tuple[Recommendation, ...]
    verdicts: Verdicts


def advise(
    facts: Mapping[str, Fact],
    findings: tuple[Finding, ...],
    policy: Policy,
    request: mttr.Request,
    threads: int = 1,
) -> Advice:
    """The plan for one report; ``request`` holds the caller's input on recovery time.

    ``threads`` is the number of redo threads in the facts: the instances of a cluster.
    """
    answer = recovery.advise(facts, findings, policy, request)
    everywhere = " SID='*'" if request.rac else ""
    items = [
        *obstacles.remove(facts, findings, policy, everywhere, _AFTER),
        *_logs(facts, findings, policy, threads),
        *writes(facts, findings, policy),
        *_cpu(facts, findings, policy),
        *_commits(facts, findings),
        *undo(facts, findings),
        *memory(facts, findings, policy),
        *integrity.recommendations(facts, findings),
    ]
    # for one finding, the largest saving comes first, then the recovery target, then storage
    items.sort(key=lambda item: -(item.benefit.seconds or 0.0))
    items += answer.items
    verdicts = {
        "redo": storage.redo(facts, findings, policy),
        "temp": storage.temp(facts, findings, policy),
        "undo": storage.undo(facts, findings, policy),
    }
    items += [_storage(name, verdict, facts) for name, verdict in verdicts.items()]
    items += placement.hot_segments(facts, policy)
    items += log_device(facts, findings, verdicts["redo"].status)
    items.sort(key=_rank(findings))
    return Advice(
        tuple(rated(_after_others(item, items)) for item in items),
        Verdicts(
            write_path=worst([finding.severity for finding in findings]),
            redo_storage=verdicts["redo"].status,
            temp_storage=verdicts["temp"].status,
            undo_storage=verdicts["undo"].status,
            fast_start_mttr_target_s=answer.target_s,
            fast_start_mttr_lowest_s=answer.lowest_s,
            fast_start_mttr_highest_s=answer.highest_s,
        ),
    )


#: Recommended actions come before all others.
_STATUS: Final[tuple[Verdict, ...]] = ("apply", "tune-first", "need-data", "no-benefit")
#: Actions that come first among those of one finding, whatever they save.
_FIRST: Final = ("free-processors", "asynchronous-io", "repair-write-path", "roll-back-less")


def _rank(findings: tuple[Finding, ...]) -> Callable[[Recommendation], tuple[int, int, int]]:
    """Sort key of a plan: recommended actions for the worst finding first, integrity last."""
    places = {part.id: n for n, each in enumerate(findings) for part in with_parts((each,))}
    last = len(findings)

    def rank(item: Recommendation) -> tuple[int, int, int]:
        of = [places[each] for each in item.findings if each in places]
        place = last if integrity.only(item.findings) else min(of, default=last)
        first = _FIRST.index(item.id) if item.id in _FIRST else len(_FIRST)
        return _STATUS.index(item.status), place, first

    return rank


#: Which actions come first if both are recommended: the order of Write Accelerator, and that of
#: Fast-Start Checkpointing Best Practices for parameters.
_COMES_AFTER: Final[dict[str, tuple[str, ...]]] = {
    "redo-storage": ("enlarge-redo-logs", "free-lgwr", "commit-less-often"),
    "temp-storage": ("more-work-area-memory", "size-work-areas", "tune-spilling-statements"),
    "undo-storage": ("roll-back-less", "size-undo"),
    "set-mttr-target": ("remove-checkpoint-parameters", "enlarge-redo-logs"),
}


def _after_others(item: Recommendation, items: list[Recommendation]) -> Recommendation:
    """The item with the preceding steps of the plan as its prerequisites."""
    doing = {each.id: each.title for each in items if each.status == "apply"}
    before = [doing[name] for name in _COMES_AFTER.get(item.id, ()) if name in doing]
    if item.status not in ("apply", "tune-first") or not before:
        return item
    steps = tuple(f"{title[0].lower()}{title[1:]} (above)" for title in before)
    return item._replace(prerequisites=(*item.prerequisites, *steps))


def _logs(
    facts: Mapping[str, Fact], findings: tuple[Finding, ...], policy: Policy, threads: int
) -> list[Recommendation]:
    found = _ids(findings, "REDO004", "REDO005", "REDO007", "CKPT001", "CKPT006")
    if not set(found) - {"CKPT006"}:
        return []
    benefit = _impact(findings, "REDO005")
    if set(found) & {"REDO004", "CKPT001"}:  # each covers a part of the log switch waits
        seconds = (
            facts["redo.log_switch_wait_s"].number or facts["checkpoint.incomplete_wait_s"].number
        )
        benefit = Scale(facts, policy).impact(seconds, "all foreground `log file switch` events")
    return [logs.enlarge(facts, policy, threads, benefit, found, _AFTER)]


def _cpu(
    facts: Mapping[str, Fact], findings: tuple[Finding, ...], policy: Policy
) -> list[Recommendation]:
    found, others = _ids(findings, "REDO002", "REDO003"), _ids(findings, "REDO013")
    items = [lgwr.free(facts, policy, found, _AFTER)] if found else []
    return [*items, *([lgwr.other_instances(facts, others, _AFTER)] if others else [])]


def _commits(facts: Mapping[str, Fact], findings: tuple[Finding, ...]) -> list[Recommendation]:
    found = _ids(findings, "REDO006", "REDO008")
    if "REDO006" not in found:
        return []
    rate = facts["redo.commits_per_s"].number or 0.0
    return [
        Recommendation(
            id="commit-less-often",
            title="Commit once per unit of work",
            action=f"{rate:,.0f} commits per second wait for LGWR. Combine them in the "
            "application before buying storage.",
            status="apply",
            benefit=_impact(findings, "REDO006"),
            risks=("Locks are held longer.",),
            validate=("`user commits` decreases at the same number of executions", _AFTER),
            findings=found,
        )
    ]


_MOVES: Final = {
    "redo": "Move the redo logs to low-latency storage",
    "temp": "Move the tempfiles to low-latency storage",
    "undo": "Move undo to low-latency storage",
}
_TITLES: Final[dict[Verdict, str]] = {
    "tune-first": "on low-latency storage: tune first",
    "no-benefit": "on low-latency storage: no benefit",
    "need-data": "on low-latency storage: insufficient data",
}


def _storage(
    name: str, verdict: storage.StorageVerdict, facts: Mapping[str, Fact]
) -> Recommendation:
    what = {"redo": "Redo", "temp": "Temp", "undo": "Undo"}[name]
    doing = verdict.status == "apply"
    asked = placement.questions(facts) if doing and name == "redo" else ()
    return Recommendation(
        id=f"{name}-storage",
        title=_MOVES[name] if doing else f"{what} {_TITLES[verdict.status]}",
        action=verdict.reason,
        status=verdict.status,
        commands=_STORAGE_COMMANDS[name] if doing else (),
        rollback=("Move the files back in the same way.",) if doing else (),
        benefit=verdict.saving,
        prerequisites=(*asked, "mirrored low-latency storage", "complete the steps above first")
        if doing
        else (),
        risks=("A single device may have outliers: check the wait event histogram afterwards.",)
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
