"""Finds regressions beyond noise since another report, and findings that existed before."""

from __future__ import annotations

import re
from math import ceil
from typing import TYPE_CHECKING, Final

from awrlens.lazy import NamedTuple, regex
from awrlens.model import SEVERITIES, Finding, Impact, with_parts, worst
from awrlens.model.check_run import Suppression
from awrlens.rules.base import rule

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from awrlens.model import Confidence, Fact, Severity
    from awrlens.model.check_run import Issue
    from awrlens.model.comparison import Comparison, Said

#: Number of differences at which the confidence in a comparison becomes low.
_MANY: Final = 3
#: A finding is not new if at least one in this many earlier reports had it.
_ONE_IN: Final = 5
#: Units of the facts that determine severity.
_WEIGHED: Final = ("ms", "s", "%")
#: Wait events of the write path; other events are info and fail only if selected.
_WRITE_PATH: Final = regex(
    r"log file |log buffer space|LGWR|redo |log switch|latch: redo|switch logfile|"
    r"direct path (?:read|write)(?: temp)?$|local write wait|"
    r"undo|enq: (?:US|TA|CF|CI|RO|KO|CR|TX - contention)|latch: undo|wait for a undo|"
    r"free buffer waits|write complete waits|checkpoint|db file (?:parallel|async) |"
    r"control file |async disk IO|buffer deadlock|DBWR|DFS db file lock|"
    r"latch: checkpoint|reliable message", re.I
)  # fmt: skip


class Before(NamedTuple):
    """The comparison with earlier reports, and their name."""

    contrast: Comparison
    name: str
    #: Waits in the new report for every event that got worse.
    events: Mapping[str, Fact]
    #: The earlier severity of every rule's finding, by itself or as a part of another finding.
    levels: Mapping[str, Severity] = {}
    #: Whether there are enough earlier reports to use their own variation.
    scatters: bool = False

    @property
    def worse(self) -> list[Said]:
        """The regression in words."""
        return [said for said in self.contrast.said if said.verdict == "worse"]


def got_worse(before: Before, facts: Mapping[str, Fact]) -> Iterator[Finding]:
    """Got worse since another report."""
    unfair = [difference.what for difference in before.contrast.unfair]
    sure: Confidence = "high" if not unfair else "medium" if len(unfair) < _MANY else "low"
    doubts = [f"other differences: {', '.join(unfair)}"] if unfair else []
    for said in before.worse:
        fact = facts.get(said.about) or before.events.get(said.about)
        of_write_path = "." in said.about or _WRITE_PATH.search(said.about) is not None
        level: Severity = "warning" if said.significant and of_write_path else "info"
        yield REGR001.finding(
            said.text, level, f"Compared with {before.name}.",
            impact=Impact(None, None, "not quantified"), facts=[fact] if fact is not None else [],
            doubts=doubts, sure="no other differences", related=(said.about,),
        )._replace(confidence=sure)  # fmt: skip


REGR001: Final = rule("REGR001", "got-worse", status="preview", of_report=False)(got_worse)


def levels(findings: Sequence[Sequence[Finding]]) -> dict[str, Severity]:
    """The severity of every rule's finding in at least some of the earlier reports.

    A finding in one report may be an incident; a finding in every fifth report is usual.
    """
    by_rule: dict[str, list[Severity]] = {}
    for report in findings:
        own: dict[str, Severity] = {}
        for finding in with_parts(report):
            own[finding.id] = worst([own.get(finding.id, "ok"), finding.severity])
        for name, level in own.items():
            by_rule.setdefault(name, []).append(level)
    least = ceil(len(findings) / _ONE_IN)
    return {
        name: sorted(own_levels, key=SEVERITIES.index, reverse=True)[least - 1]
        for name, own_levels in by_rule.items()
        if len(own_levels) >= least
    }


def was_there(issue: Issue, before: Before) -> Suppression | None:
    """Why a finding does not count: it existed before with at least this severity; else None.

    With a set of reports, a finding is also known if its numbers are within their variation.
    """
    level = before.levels.get(issue.id)
    if level is not None and SEVERITIES.index(level) >= SEVERITIES.index(issue.severity_found):
        return Suppression("against", f"already {level} in {before.name}")
    if before.scatters and _ordinary(issue, before.contrast):
        reports = before.contrast.before.reports
        return Suppression("against", f"its numbers are within the variation of {reports} reports")
    return None


def _ordinary(issue: Issue, contrast: Comparison) -> bool:
    """Whether all times and shares behind a finding were compared and none is worse."""
    compared: dict[str, bool] = {}
    for moved in contrast.facts:
        if moved.per in ("none", contrast.basis.per):
            worse = moved.verdict in ("worse", "changed") and moved.after > moved.before
            compared[moved.fact] = compared.get(moved.fact, False) or worse
    rests_on = [
        number.fact.name for number in issue.facts
        if number.fact.unit in _WEIGHED and number.fact.number is not None
    ]  # fmt: skip
    return bool(rests_on) and all(compared.get(name) is False for name in rests_on)
