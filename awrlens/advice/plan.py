"""One ordered plan from findings, storage verdicts and the recovery target.

Order: parameters that are wrong in any case and cost nothing to change, then sizes and memory, then
storage (the summary of Write Accelerator; Fast-Start Checkpointing Best Practices).
"""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING, Final

from awrlens.advice import (
    commit_waits,
    data_writes,
    elsewhere,
    hot_data,
    integrity,
    recovery_target,
    redo_logs,
    storage,
    temp,
    undo,
)
from awrlens.advice.case import advice, backup_alone, backup_first, is_integrity
from awrlens.advice.queries import query, texts
from awrlens.lazy import NamedTuple
from awrlens.model import Recommendation, Verdicts, with_parts, worst
from awrlens.severity import is_undertimed
from awrlens.units import listed

if TYPE_CHECKING:
    from collections.abc import Callable

    from awrlens.advice.case import Advice, Case
    from awrlens.model import Analysis
    from awrlens.model.analysis import Risen


@advice("time-waits", "online", "low", first=True)
def time_waits(case: Case) -> Recommendation | None:
    """Take a report whose waits are timed."""
    doubt = case.scale.mistimed
    if not is_undertimed(case.facts, case.policy):
        return (doubt and _retake(doubt)) or None
    on = case.value("load.timed_statistics") == "TRUE"
    return Recommendation(
        _TAKE_TIMED if on else "Set TIMED_STATISTICS to TRUE and take a new report",
        f"W{doubt[1:]}: how long sessions waited in the rest is not known.{_SWITCHED * on} "
        "Counts are right, averages and shares of time are not.",
        commands=() if on else ("ALTER SYSTEM SET timed_statistics=TRUE;",),
        rollback=() if on else ("ALTER SYSTEM SET timed_statistics=FALSE;",),
        validate=("Both snapshots are taken while it is TRUE; analyze that report",),
    )


def _retake(doubt: str) -> Recommendation:
    """A report whose clock is too fast."""
    return Recommendation(
        "Take a report with reliable times",
        f"{doubt}. Counts are right; times of waits and their shares are not. If the next report "
        "shows the same, the clock of the host is wrong: compare times of I/O with those of the "
        "operating system (`iostat`).",
        validate=("`pmon timer` waits about as long as the interval; analyze that report",),
    )


_TAKE_TIMED: Final = "Take a report of 15 to 30 minutes in which all waits are timed"
_SWITCHED: Final = f" {texts('timed in part')[0]}"


#: What answers a finding, in the order of a plan among those that answer the same finding and save
#: as much.
_ANSWERS: Final[tuple[Advice[[Case], Recommendation | None], ...]] = (
    recovery_target.remove_checkpoint_parameters, redo_logs.enlarge_redo_logs,
    *commit_waits.ANSWERS, *data_writes.ANSWERS, *undo.ANSWERS, *temp.ANSWERS, *integrity.ANSWERS,
)  # fmt: skip
_DECLARED: Final[tuple[Advice[..., Recommendation | None], ...]] = (
    *_ANSWERS, *recovery_target.ABOUT_TARGETS, *storage.MOVES.values(), *elsewhere.STEPS,
    hot_data.consider,
    commit_waits.find_lgwr_waits, commit_waits.relieve_log_device, commit_waits.enlarge_log_buffer,
    time_waits,
)  # fmt: skip
ANSWERS: Final = {answer.declared.id: answer for answer in _ANSWERS}
#: Every recommendation of a report, as declared.
CATALOGUE: Final = {step.declared.id: step.declared for step in _DECLARED}


class Plan(NamedTuple):
    """Recommendations in the order in which to carry them out, and the verdicts."""

    recommendations: tuple[Recommendation, ...]
    verdicts: Verdicts


def advise(case: Case) -> Plan:
    """The plan for one report."""
    target = recovery_target.advise(case)
    verdicts: dict[storage.Segment, storage.StorageVerdict] = {
        "redo": storage.redo_verdict(case),
        "temp": storage.temp_verdict(case),
        "undo": storage.undo_verdict(case),
    }
    status = {segment: verdict.status for segment, verdict in verdicts.items()}
    answers = [item for answer in ANSWERS.values() if (item := _answer(answer, case))]
    # for one finding, the largest saving comes first, then the recovery target, then storage
    items: list[Recommendation | None] = [
        time_waits(case),
        *sorted(answers, key=lambda item: -(item.benefit.seconds or 0.0)),
        target.item,
        *elsewhere.steps(case, answers),
        *(storage.MOVES[segment](case, verdict) for segment, verdict in verdicts.items()),
        # the others have no steps of their own
        hot_data.consider(case, [segment for segment in status if status[segment] in _ADVISED]),
    ]
    _as_one(items, _rank(case))
    if status["redo"] in ("tune-first", "no-benefit"):
        items.append(_answer(commit_waits.find_lgwr_waits, case))
    if status["redo"] == "no-benefit":
        items.append(_answer(commit_waits.relieve_log_device, case))
    items.append(_answer(commit_waits.enlarge_log_buffer, case))
    plan = [_of_host(item, case) for item in sorted(filter(None, items), key=_rank(case))]
    return Plan(
        tuple(
            _after_others(item, plan, "" if backup_alone(case) else backup_first(case))
            for item in plan
        ),
        Verdicts(
            worst([finding.severity for finding in case.findings]),
            status["redo"], status["temp"], status["undo"],
            target.target_s, target.lowest_s, target.highest_s,
        ),
    )  # fmt: skip


def with_risen(second: Analysis, sql: Risen) -> Analysis:
    """The second period with a step for the SQL that has much of a rise, after its other steps."""
    todo = [item for item in second.recommendations if item.status == "apply"]
    named = " ".join(item.title for item in todo)
    step = elsewhere.relieve_risen_sql(sql, named, alone=not todo)
    if step is None:
        return second
    items = (*todo, step, *(item for item in second.recommendations if item not in todo))
    return second._replace(recommendations=items)


#: How commands of Unix begin.
_UNIX: Final = ("ps ", "vmstat ", "grep ")


def _of_host(item: Recommendation, case: Case) -> Recommendation:
    """The item with commands that run on the report's host."""
    if not any(command.startswith(_UNIX) for command in item.commands):
        return item
    platform = case.facts["database.address_space"]
    shown = f"{platform.value} {' '.join(cell.text for cell in platform.evidence)}"
    if "Windows" not in shown:
        return item
    ran = (query("windows") if command.startswith(_UNIX) else command for command in item.commands)
    return item._replace(commands=tuple(dict.fromkeys(ran)))


def _as_one(
    items: list[Recommendation | None], rank: Callable[[Recommendation], tuple[int, float, int]]
) -> None:
    """Redo logs that are moved are made larger at once, unless that comes first."""
    named = {item.id: item for item in items if item is not None and item.status == "apply"}
    move, larger = named.get("redo-storage"), named.get("enlarge-redo-logs")
    if move is not None and larger is not None and rank(larger) > rank(move):
        items.remove(larger)
        items[items.index(move)] = move._replace(
            title=f"{move.title}, and {larger.title[0].lower()}{larger.title[1:]} there",
            action=f"{move.action} {larger.action}",
            commands=larger.commands,
            findings=(*move.findings, *larger.findings),
            risks=(*move.risks, *larger.risks),
        )


def _answer(to: Advice[[Case], Recommendation | None], case: Case) -> Recommendation | None:
    """What answers the findings, if there are any for it and the report gives a reason."""
    if not (findings := to.answered(case)) or (item := to(case)) is None:
        return None
    return item if item.findings else item._replace(findings=findings)


#: Verdicts with something to do.
_ADVISED: Final = ("apply", "tune-first")


def _rank(case: Case) -> Callable[[Recommendation], tuple[int, float, int]]:
    """Sort key of a plan: recommended actions for the worst finding first, integrity last."""
    places = {
        part.id: place
        for place, finding in enumerate(sorted(case.findings, key=lambda finding: finding.can_wait))
        for part in with_parts((finding,))
    }
    last = len(case.findings)
    urgent = sum(finding.severity in ("warning", "critical") for finding in case.findings)
    host = commit_waits.by_host(case)
    # what is not known, and storage whose reads are much of DB time, come before other findings
    before = {time_waits.declared.id}
    if commit_waits.reads_too(case) and not host:
        before.add(commit_waits.relieve_log_device.declared.id)

    def rank(item: Recommendation) -> tuple[int, float, int]:
        of = [places[rule] for rule in item.findings if rule in places]
        place: float = last if is_integrity(item.findings) else min(of, default=last)
        if item.id in before:
            place = -1
        if item.id in _ELSEWHERE:  # it is more than findings that are not urgent, or cost less
            reach_s = 0.0 if host else item.reach_s or 0.0
            if item.id == elsewhere.free_sessions.declared.id:  # nobody logs in
                reach_s = inf
            larger = (
                n
                for n, finding in enumerate(case.findings[:urgent], start=1)
                if finding.severity == "critical" or (finding.impact.seconds or 0.0) >= reach_s
            )
            place = min(place, max(larger, default=0) - 0.5)
        first = _FIRST.index(item.id) if item.id in _FIRST else len(_FIRST)
        return ("apply", "tune-first", "need-data", "no-benefit").index(item.status), place, first

    return rank


#: What reduces waits outside the write path.
_ELSEWHERE: Final = [step.declared.id for step in elsewhere.STEPS]
_FIRST: Final = [declared.id for declared in CATALOGUE.values() if declared.first]
#: These come after everything above them in the plan, whatever it is.
_LATE: Final = [move.declared.id for move in storage.MOVES.values()]


def _after_others(item: Recommendation, plan: list[Recommendation], backup: str) -> Recommendation:
    """The item with what is done before it, which may be below it: the worst finding is first."""
    if item.status not in _ADVISED:
        return item
    place = plan.index(item)
    before = [
        (number, other) for number, other in enumerate(plan)
        if other.status == "apply" and other.id in CATALOGUE[item.id].after
    ]  # fmt: skip
    steps = [
        f"{other.title[0].lower()}{other.title[1:]} ({'above' if number < place else 'below'})"
        for number, other in before
    ]
    above = any(other.status == "apply" for other in plan[:place])
    if above and item.status == "apply" and item.id in _LATE:
        steps.insert(0, "complete the steps above first")
    numbers = listed([str(place + 1) for place, _ in before])
    first = (f"action{'s'[len(before) == 1 :]} {numbers}",) if before else item.first
    if backup and item.id in _LATE and "without the backup" not in "".join(steps):
        first += ("a report without the backup",)
    item = item._replace(first=first if item.status == "tune-first" else ())
    return item._replace(prerequisites=(*item.prerequisites, *steps))
