"""What got worse since another report, beyond noise; and which findings were there before."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Final, NamedTuple

from awrlens.checked import Suppression
from awrlens.model import SEVERITIES, Finding, Impact

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from awrlens.checked import Issue
    from awrlens.contrast import Contrast, Said, Turn
    from awrlens.model import Confidence, Fact, Severity

#: Things that make a comparison unfair, from which on little can be said.
_MANY: Final = 3


class Before(NamedTuple):
    """The comparison with the reports before, and what they are called."""

    contrast: Contrast
    name: str
    #: The waits that the new report prints for each event that got worse.
    events: Mapping[str, Fact]

    @property
    def worse(self) -> list[Said]:
        """What got worse, in words."""
        return [each for each in self.contrast.said if each.verdict == "worse"]


#: Id, name and title of the rule; its page is the docstring of ``got_worse``.
RULE: Final = ("REGR001", "got-worse", "Got worse since another report")


def got_worse(before: Before, facts: Mapping[str, Fact]) -> Iterator[Finding]:
    """Got worse since another report, beyond noise.

    What it tells you:
        A latency, the waits for an event or DB time itself is worse than in the report that
        `check --against` names, by more than the noise of both.

    Why it matters:
        A load test or a change is judged by what it changed, not by what was slow before.

    How it is computed:
        As `awrlens compare OLD NEW` does it: amounts per second, transaction or execute, latencies
        as they are. Noise is what the number of operations, the printed digits and the spread of
        several reports allow for.

    Example:
        A redo write of 0.104 ms before and 18.68 ms now, for which sessions wait.

    Threshold:
        `compare.noise_pct` and its likes (`awrlens rules --thresholds`). A warning where somebody
        waits for it, else info.

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
        level: Severity = "warning" if said.felt else "info"
        yield Finding(
            id=RULE[0], name=RULE[1], since="0.1", title=said.text, severity=level,
            confidence=sure, confidence_reason=reason,
            impact=Impact(None, None, "not quantified"),
            facts=(fact,) if fact is not None and fact.value is not None else (),
            why=f"Compared with {before.name}.", source="awrlens: the difference of two reports",
            related=(said.about,),
        )  # fmt: skip


def was_there(issue: Issue, turns: Mapping[str, Turn], name: str) -> Suppression | None:
    """Why a finding does not count: it was there before, no less severe; None where it is new."""
    turn = turns.get(issue.id)
    if turn is None or turn.before is None:
        return None
    levels = list(SEVERITIES)
    if levels.index(turn.before) < levels.index(issue.found):  # type: ignore[arg-type]
        return None
    return Suppression("against", f"{turn.before} in {name} already")


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
