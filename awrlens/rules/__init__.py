"""The rules for Oracle reports: one table from id to function, and the runner.

A rule whose needs are unavailable is skipped, with the sections that would have them.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Final

from awrlens import severity
from awrlens.errors import UsageError, hint
from awrlens.extensions import load, registered
from awrlens.model import SEVERITIES, Fact, Finding, Skipped
from awrlens.rules import base
from awrlens.rules.base import Facts, Rule

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from awrlens.policy import Policy, Threshold

#: id → module:function of the rules for Oracle reports. The id never changes its meaning.
ORACLE: Final[dict[str, str]] = {
    "REDO001": "redo:slow_redo_write",
    "REDO002": "commits:commit_wait_not_io",
    "REDO003": "commits:lgwr_time_outside_write",
    "REDO004": "redo:log_switch_waits",
    "REDO005": "redo:log_space_waits",
    "REDO006": "commits:small_frequent_commits",
    "REDO007": "redo:frequent_log_switches",
    "REDO008": "redo:redo_mostly_wastage",
    "REDO009": "commits:commits_wait_for_log_write",
    "REDO010": "redo:slow_write_tail",
    "REDO011": "redo:log_buffer_waits",
    "REDO012": "commits:commit_waits_unexplained",
    "REDO013": "commits:commit_waits_for_other_instances",
    "REDO014": "writes:all_writes_slow",
    "REDO015": "redo:flashback_log_waits",
    "TEMP001": "temp:heavy_temp_io",
    "TEMP002": "temp:slow_temp_io",
    "TEMP003": "temp:work_areas_too_small",
    "TEMP004": "temp:temp_files_beside_data_files",
    "TEMP005": "temp:one_pass_work_areas",
    "TEMP006": "temp:statements_wait_for_temp",
    "TEMP007": "temp:work_areas_sized_by_hand",
    "TEMP008": "temp:slow_temp_writes",
    "TEMP009": "temp:pga_limit_waits",
    "TEMP010": "temp:sort_segment_waits",
    "UNDO001": "undo:undo_dominates_writes",
    "UNDO002": "undo:many_rollbacks",
    "UNDO003": "undo:slow_undo_buffers",
    "UNDO004": "undo:undo_too_small",
    "UNDO005": "undo:undo_segment_waits",
    "UNDO006": "undo:few_rollback_segments",
    "UNDO007": "undo:undo_read_from_disk",
    "UNDO008": "undo:unexpired_undo_taken",
    "UNDO009": "undo:cross_process_call_waits",
    "UNDO010": "undo:slow_reads_beside_undo",
    "UNDO011": "undo:parallel_rollback_waits",
    "UNDO012": "undo:file_header_waits",
    "UNDO013": "undo:undo_takes_cpu",
    "CKPT001": "checkpoint:checkpoint_incomplete_waits",
    "CKPT002": "checkpoint:conflicting_checkpoint_parameters",
    "CKPT003": "checkpoint:no_recovery_target",
    "CKPT004": "checkpoint:recovery_target_changed",
    "CKPT005": "checkpoint:checkpoint_writes_felt",
    "CKPT006": "checkpoint:small_logs_drive_checkpoints",
    "CKPT007": "checkpoint:recovery_estimate_above_target",
    "CKPT008": "checkpoint:dbwr_waits_without_checkpoints",
    "CKPT009": "checkpoint:object_checkpoint_waits",
    "CKPT010": "checkpoint:synchronous_io",
    "INTG001": "integrity:no_block_checksums",
    "INTG002": "integrity:block_checking_felt",
    "INTG003": "integrity:lost_writes_unseen",
    "INTG004": "integrity:commits_without_wait",
}
#: Rules that report the same waits, the most specific first: their findings are one problem
#: (``awrlens.rules.base``). In the order in which they are joined.
GROUPS: Final[tuple[tuple[str, ...], ...]] = (
    ("REDO014", "REDO001", "REDO009", "REDO010", "REDO011", "TEMP008", "CKPT008", "CKPT005",
     "CKPT009", "CKPT010"),
    ("REDO001", "REDO013", "REDO003", "REDO002", "REDO009", "REDO012", "REDO011", "REDO010",
     "REDO006", "REDO008"),
    ("CKPT001", "REDO004", "REDO005", "REDO007", "CKPT003"),
    ("UNDO001", "CKPT005", "CKPT008", "CKPT010", "UNDO002"),
    ("CKPT005", "CKPT008", "CKPT009", "CKPT010"),
    ("UNDO002", "UNDO013"),
    ("TEMP001", "TEMP002", "TEMP008", "TEMP003", "TEMP005", "TEMP007", "TEMP006", "TEMP004"),
)  # fmt: skip
#: The rule on two reports.
COMPARED: Final[dict[str, str]] = {"REGR001": "awrlens.checks.regress:REGR001"}
#: The letters of the ids in the order of lists, whether or not their satellite is there, and those
#: of budgets; plugins use others.
FAMILIES: Final = ("REDO", "TEMP", "UNDO", "CKPT", "INTG", "SQLS", "REGR", "RECO", "BUDGET")


@cache
def table() -> dict[str, str]:
    """All rules, those of the satellites too: id → module:function, by family."""
    added = {rule_id: place for each in registered() for rule_id, place in each.rules.items()}
    every = ORACLE | COMPARED | added
    return {
        rule_id: every[rule_id]
        for rule_id in sorted(every, key=lambda name: FAMILIES.index(name.rstrip("0123456789")))
    }


def whole(rule_id: str) -> str:
    """The id that is meant: redo1 is REDO001; a name, which does not end in a digit, stays."""
    text = rule_id.upper() if rule_id[-1:].isdigit() else rule_id
    return re.sub(r"(?<=[A-Z])\d{1,2}$", lambda found: found[0].zfill(3), text)


@cache
def get(rule_id: str) -> Rule:
    """One rule; UsageError if there is no rule with that id."""
    wanted = rule_id if rule_id in ORACLE else whole(rule_id)
    place = ORACLE.get(wanted) or table().get(wanted)
    if place is None:
        raise UsageError(
            f"There is no rule {rule_id}.",
            hint=hint(wanted, table(), "`awrlens rules` lists all of them."),
        )
    found: Rule = load(place if "." in place else f"{__name__}.{place}")
    return found


def all_rules(ids: Iterable[str] = ORACLE) -> list[Rule]:
    """The rules with these ids, in their order."""
    return [get(rule_id) for rule_id in ids]


def thresholds(ids: Iterable[str] = ORACLE) -> dict[str, Threshold]:
    """Every threshold of these rules by name."""
    shared = (*severity.IMPACT_THRESHOLDS, *severity.THRESHOLDS, *base.THRESHOLDS)
    found = {each.name: each for each in shared}
    for rule in all_rules(ids):
        found.update({each.name: each for each in rule.thresholds})
    return found


def run(
    facts: Mapping[str, Fact],
    policy: Policy,
    ids: Iterable[str] = ORACLE,
    before: Mapping[str, Fact] | None = None,
) -> tuple[tuple[Finding, ...], tuple[Skipped, ...]]:
    """Findings, worst first and then by seconds; and the skipped rules.

    Findings that are causes or parts of another are listed under it (``awrlens.rules.base``).
    ``before`` are the facts of the first period of a compare-period report.
    """
    asked = Facts(facts, policy, before)
    decided = [decide(rule, asked) for rule in all_rules(ids)]
    findings = [each for each in decided if isinstance(each, Finding)]
    skipped = tuple(each for each in decided if isinstance(each, Skipped))
    return ordered(base.joined(findings, GROUPS)), skipped


def decide(rule: Rule, asked: Facts) -> Finding | Skipped | None:
    """The finding of a rule; or that it is skipped, with the sections that it needs."""
    if asked.settled(rule):
        return None
    needs = list(filter(asked.lacks, rule.needs))
    if not needs:
        return rule.find(asked)
    missing = [asked[name] for need in needs for name in need.split("|")]
    lacking: dict[str, dict[str, None]] = {}
    for each in missing:
        lacking.setdefault(each.note, {})[each.name] = None
    reason = "; ".join(f"{', '.join(names)}: {note}" for note, names in lacking.items())
    sections = dict.fromkeys(name for each in missing for name in each.sections)
    return Skipped(rule.id, reason, tuple(sections), causes=tuple(lacking))


def ordered(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Findings, worst first and then by seconds."""

    def rank(each: Finding) -> tuple[int, float, str]:
        # without reliable seconds by sessions
        amount = each.impact.seconds or each.weight.waiting_sessions or 0.0
        return -SEVERITIES.index(each.severity), -amount, each.id

    return tuple(sorted(findings, key=rank))
