"""What got worse since another report, beyond noise; and which findings were there before."""

from __future__ import annotations

import inspect
import re
from math import ceil
from typing import TYPE_CHECKING, Final, NamedTuple

from awrlens.checked import Suppression
from awrlens.model import SEVERITIES, Finding, Impact, with_parts, worst

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from awrlens.checked import Issue
    from awrlens.contrast import Contrast, Said
    from awrlens.model import Confidence, Fact, Severity

#: Things that make a comparison unfair, from which on little can be said.
_MANY: Final = 3


#: Of so many reports before one must have had a finding, so that it is nothing new.
_ONE_IN: Final = 5
#: Units of what findings weigh.
_WEIGHED: Final = ("ms", "s", "%")
#: Wait events of the write path: others are told, and fail only where that is asked.
_WRITE_PATH: Final = re.compile(
    r"log file |log buffer space|LGWR|redo |log switch|latch: redo|switch logfile|"
    r"direct path (?:read|write)(?: temp)?$|local write wait|"
    r"undo|enq: (?:US|TA|CF|CI|RO|KO|CR|TX - contention)|latch: undo|wait for a undo|"
    r"free buffer waits|write complete waits|checkpoint|db file (?:parallel|async) |"
    r"control file |async disk IO|buffer deadlock|DBWR|DFS db file lock|"
    r"latch: checkpoint|reliable message", re.I
)  # fmt: skip


class Before(NamedTuple):
    """The comparison with the reports before, and what they are called."""

    contrast: Contrast
    name: str
    #: The waits that the new report prints for each event that got worse.
    events: Mapping[str, Fact]
    #: The severity that each rule's finding had before, alone or as a part of another.
    levels: Mapping[str, Severity] = {}
    #: Whether there are enough reports before for their own scatter to decide.
    scatters: bool = False

    @property
    def worse(self) -> list[Said]:
        """What got worse, in words."""
        return [each for each in self.contrast.said if each.verdict == "worse"]


#: Id, name and title of the rule; its page is the docstring of ``got_worse``.
RULE: Final = ("REGR001", "got-worse", "Got worse since another report")


def got_worse(before: Before, facts: Mapping[str, Fact]) -> Iterator[Finding]:
    """Got worse since another report, beyond noise.

    What it means:
        A latency, the waits for an event or DB time itself is worse than in the report that
        `check --against` names, by more than the noise of both.

    Why it matters:
        A load test or a change is judged by what it changed, not by what was slow before.

    How it is computed:
        As `awrlens compare OLD NEW` does it: amounts per second, transaction or execute, latencies
        as they are. Noise is what the number of operations and the printed digits allow for;
        against a set of reports, how much these scatter (median absolute deviation) and reach.

    Example:
        A redo write of 0.104 ms before and 18.68 ms now, for which sessions wait.

    Threshold:
        `compare.floor_pct`, `compare.standard_errors` and `compare.set_deviations`. A warning
        where somebody waits for it; info for what nobody waits for and for events off the write
        path, which `--fail-on REGR001` makes fail, too.

    What to do:
        `awrlens compare OLD NEW` explains what moved and what makes the comparison unfair.

    How to verify:
        `awrlens check NEWER --against OLD` after the change is taken back or mended.

    When it is wrong:
        When the reports are of another load, host or length: the confidence says so.

    Sources:
        awrlens: the difference of two reports, as `awrlens compare` explains it.
    """
    unfair = [each.what for each in before.contrast.unfair]
    sure: Confidence = "high" if not unfair else "medium" if len(unfair) < _MANY else "low"
    reason = f"what else differs: {', '.join(unfair)}" if unfair else "nothing else differs"
    for said in before.worse:
        fact = facts.get(said.about) or before.events.get(said.about)
        level: Severity = "warning" if said.felt and _on_write_path(said.about) else "info"
        yield Finding(
            id=RULE[0], name=RULE[1], since="0.1", title=said.text, severity=level,
            confidence=sure, confidence_reason=reason,
            impact=Impact(None, None, "not quantified"),
            facts=(fact,) if fact is not None and fact.value is not None else (),
            why=f"Compared with {before.name}.", source="awrlens: the difference of two reports",
            related=(said.about,),
        )  # fmt: skip


def _on_write_path(about: str) -> bool:
    """Whether what got worse is a fact, or an event of the write path."""
    return "." in about or _WRITE_PATH.search(about) is not None


def levels(findings: Sequence[Sequence[Finding]]) -> dict[str, Severity]:
    """Of the findings of each report before: the severity that a rule's had in some of them.

    A finding of one report in a set may have been an incident; one of every fifth is ordinary.
    """
    found: dict[str, list[Severity]] = {}
    for report in findings:
        own: dict[str, Severity] = {}
        for each in with_parts(report):
            own[each.id] = worst([own.get(each.id, "ok"), each.severity])
        for rule, level in own.items():
            found.setdefault(rule, []).append(level)
    least = ceil(len(findings) / _ONE_IN)
    return {
        rule: sorted(own_levels, key=SEVERITIES.index, reverse=True)[least - 1]
        for rule, own_levels in found.items()
        if len(own_levels) >= least
    }


def was_there(issue: Issue, before: Before) -> Suppression | None:
    """Why a finding does not count: it was there before, no less severe; None where it is new.

    Against a set of reports it is nothing new, either, where its numbers scatter so in the set.
    """
    level = before.levels.get(issue.id)
    if level is not None and SEVERITIES.index(level) >= SEVERITIES.index(issue.found):
        return Suppression("against", f"{level} in {before.name} already")
    if before.scatters and _ordinary(issue, before.contrast):
        reports = before.contrast.before.reports
        return Suppression("against", f"its numbers are within the scatter of {reports} reports")
    return None


def _ordinary(issue: Issue, contrast: Contrast) -> bool:
    """Whether every time and share that a finding rests on was compared, and none is worse."""
    compared: dict[str, bool] = {}
    for each in contrast.facts:
        if each.per in ("none", contrast.basis.per):
            worse = each.verdict in ("worse", "changed") and each.after > each.before
            compared[each.fact] = compared.get(each.fact, False) or worse
    rests_on = [
        number.fact.name for number in issue.numbers
        if number.fact.unit in _WEIGHED and number.fact.number is not None
    ]  # fmt: skip
    return bool(rests_on) and all(compared.get(name) is False for name in rests_on)


def page() -> dict[str, str]:
    """The documentation of the rule, by heading."""
    text = inspect.getdoc(got_worse) or ""
    found: dict[str, str] = {}
    heading = ""
    for line in text.split("\n")[1:]:
        if line and not line.startswith(" ") and line.endswith(":"):
            heading = line[:-1]
            found[heading] = ""
        elif heading:
            found[heading] += f"{line.strip()}\n"
    return {heading: body.strip() for heading, body in found.items()}
