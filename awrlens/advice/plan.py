"""One ordered plan from findings, storage verdicts and the recovery target.

Order: parameters that are wrong in any case and cost nothing to change, then sizes and memory, then
storage (the summary of Write Accelerator; Fast-Start Checkpointing Best Practices).

The thresholds of advice, which the configuration knows.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Final

from awrlens.advice import (
    case,
    commit_waits,
    data_writes,
    devices,
    hot_data,
    recovery_target,
    redo_logs,
    storage,
    temp,
)
from awrlens.advice.case import is_integrity
from awrlens.model import Recommendation, Verdict, Verdicts, with_parts, worst
from awrlens.model.recommendations import CATALOGUE
from awrlens.records import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from awrlens.advice.case import Case


def _word(module: str, function: str) -> Callable[[Case], Recommendation | None]:
    """A function that is imported when it is called: few reports need more than a few."""

    def word(case: Case) -> Recommendation | None:
        found: Recommendation | None = getattr(import_module(f"awrlens.advice.{module}"), function)(
            case
        )
        return found

    return word


#: The functions that word what answers a finding; None if the report gives no reason for it.
ANSWERS: Final[Mapping[str, Callable[[Case], Recommendation | None]]] = {
    "remove-checkpoint-parameters": _word("recovery_target", "remove_checkpoint_parameters"),
    "enlarge-redo-logs": _word("redo_logs", "enlarge_redo_logs"),
    "free-memory": _word("commit_waits", "free_memory"),
    "free-processors": _word("commit_waits", "free_processors"),
    "asynchronous-io": _word("data_writes", "asynchronous_io"),
    "test-direct-io": _word("data_writes", "try_direct_io"),
    "repair-write-path": _word("data_writes", "repair_write_path"),
    "relieve-dbwr": _word("data_writes", "relieve_dbwr"),
    "isolate-undo": _word("data_writes", "isolate_undo"),
    "size-files-up-front": _word("data_writes", "size_files_up_front"),
    "speed-up-flashback-logs": _word("data_writes", "speed_up_flashback_logs"),
    "free-lgwr": _word("commit_waits", "free_lgwr"),
    "speed-up-acknowledgement": _word("commit_waits", "speed_up_acknowledgement"),
    "commit-less-often": _word("commit_waits", "commit_less_often"),
    "size-undo": _word("undo", "size_undo"),
    "roll-back-less": _word("undo", "roll_back_less"),
    "more-undo-segments": _word("undo", "more_undo_segments"),
    "watch-parallel-rollback": _word("undo", "watch_parallel_rollback"),
    "more-work-area-memory": _word("temp", "more_work_area_memory"),
    "size-work-areas": _word("temp", "size_work_areas"),
    "tune-spilling-statements": _word("temp", "tune_spilling_statements"),
    "find-pga-users": _word("temp", "find_pga_users"),
    "enlarge-temp": _word("temp", "enlarge_temp"),
    "isolate-temp": _word("temp", "isolate_temp"),
    "turn-checksums-on": _word("integrity", "turn_checksums_on"),
    "look-for-lost-writes": _word("integrity", "look_for_lost_writes"),
    "check-nowait-commits": _word("integrity", "check_nowait_commits"),
    "measure-block-checking": _word("integrity", "measure_block_checking"),
}


class Advice(NamedTuple):
    """Recommendations in the order in which to carry them out, and the verdicts."""

    recommendations: tuple[Recommendation, ...]
    verdicts: Verdicts


def advise(case: Case) -> Advice:
    """The plan for one report."""
    target = recovery_target.advise(case)
    verdicts: dict[storage.Segment, storage.StorageVerdict] = {
        "redo": storage.redo_verdict(case),
        "temp": storage.temp_verdict(case),
        "undo": storage.undo_verdict(case),
    }
    # for one finding, the largest saving comes first, then the recovery target, then storage
    items: list[Recommendation | None] = [
        *sorted(_answers(case), key=lambda item: -(item.benefit.seconds or 0.0)),
        target.item,
        *(storage.recommendation(case, name, verdict) for name, verdict in verdicts.items()),
        hot_data.consider(case, [name for name, each in verdicts.items() if each.status in _STEPS]),
    ]
    if verdicts["redo"].status in ("tune-first", "no-benefit"):
        items.append(commit_waits.find_lgwr_waits(case))
    if verdicts["redo"].status == "no-benefit":
        items.append(commit_waits.relieve_log_device(case))
    plan = sorted(filter(None, items), key=_rank(case))
    return Advice(
        tuple(_declared(item, plan) for item in plan),
        Verdicts(
            write_path=worst([finding.severity for finding in case.findings]),
            redo_storage=verdicts["redo"].status,
            temp_storage=verdicts["temp"].status,
            undo_storage=verdicts["undo"].status,
            fast_start_mttr_target_s=target.target_s,
            fast_start_mttr_lowest_s=target.lowest_s,
            fast_start_mttr_highest_s=target.highest_s,
        ),
    )


#: Verdicts on storage that have steps of their own.
_STEPS: Final = ("apply", "tune-first")


def _answers(case: Case) -> Iterator[Recommendation]:
    """What answers the findings."""
    for name, word in ANSWERS.items():
        if (found := case.answers(name)) and (item := word(case)):
            yield item if item.findings else item._replace(findings=found)


#: These come after everything above them in the plan, whatever it is.
_STORAGE: Final = ("redo-storage", "temp-storage", "undo-storage")
#: Recommended actions come before all others.
_STATUS: Final[tuple[Verdict, ...]] = ("apply", "tune-first", "need-data", "no-benefit")


def _rank(case: Case) -> Callable[[Recommendation], tuple[int, int, int]]:
    """Sort key of a plan: recommended actions for the worst finding first, integrity last."""
    places = {
        part.id: place for place, each in enumerate(case.findings) for part in with_parts((each,))
    }
    last, first = len(case.findings), [each.id for each in CATALOGUE.values() if each.first]

    def rank(item: Recommendation) -> tuple[int, int, int]:
        of = [places[each] for each in item.findings if each in places]
        place = last if is_integrity(item.findings) else min(of, default=last)
        return (
            _STATUS.index(item.status), place,
            first.index(item.id) if item.id in first else len(first),
        )  # fmt: skip

    return rank


def _declared(item: Recommendation, plan: list[Recommendation]) -> Recommendation:
    """The item with what the catalogue declares: effort, risk, and what is done before it.

    What comes before it may be below it in the plan, which begins with the worst finding.
    """
    if item.status not in ("apply", "tune-first"):
        return item
    entry = CATALOGUE[item.id]
    place = plan.index(item)
    before = [
        (each, "above" if number < place else "below") for number, each in enumerate(plan)
        if each.status == "apply" and each.id in entry.after
    ]  # fmt: skip
    steps = [f"{each.title[0].lower()}{each.title[1:]} ({where})" for each, where in before]
    above = any(each.status == "apply" for each in plan[:place])
    if above and item.status == "apply" and item.id in _STORAGE:
        steps.insert(0, "complete the steps above first")
    return item._replace(
        prerequisites=(*item.prerequisites, *steps), effort=entry.effort, risk=entry.risk
    )


ALL: Final = (
    *data_writes.THRESHOLDS,
    *redo_logs.THRESHOLDS,
    *temp.THRESHOLDS,
    *devices.THRESHOLDS,
    *storage.THRESHOLDS,
    *hot_data.THRESHOLDS,
    *case.THRESHOLDS,
    *storage.STORAGE_UNDO_THRESHOLDS,
)
