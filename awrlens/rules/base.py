"""What a rule is: declared needs, thresholds and one decision; its docstring is its page."""

from __future__ import annotations

import inspect
import re
from functools import cache
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, TypeVar

from awrlens.model import Fact, Finding, Impact, Severity
from awrlens.policy import Policy, Threshold, cite
from awrlens.units import CENTISECONDS
from awrlens.weigh import Scale

if TYPE_CHECKING:
    from collections.abc import Callable, ItemsView, Mapping

Lifecycle = Literal["stable", "preview", "deprecated", "removed"]

#: The parts of a rule's docstring, in order; a test checks that each is there.
HEADINGS: Final = (
    "What it tells you",
    "Why it matters",
    "How it is computed",
    "Example",
    "Threshold",
    "What to do",
    "How to verify",
    "When it is wrong",
    "Sources",
)

SHORT_INTERVAL_S = Threshold(
    "confidence.short_interval_s", 300.0, "s",
    "an interval shorter than this says little",
    "awrlens; AWR's own default interval is 3600 s",
)  # fmt: skip
FEW_WAITS = Threshold(
    "confidence.few_waits", 100.0, "count",
    "an average over fewer waits than this says little",
    "awrlens",
)  # fmt: skip

COARSE_CS = Threshold(
    "confidence.coarse_cs", 100.0, "count",
    "a counter of hundredths of a second that adds up to less says little of short operations",
    "awrlens: one second in all, of which each operation's part was rounded",
)  # fmt: skip

#: Thresholds that decide the confidence for all families.
THRESHOLDS: Final = (SHORT_INTERVAL_S, FEW_WAITS, COARSE_CS)


class Rule(NamedTuple):
    """The static part of a rule."""

    id: str
    name: str
    since: str
    status: Lifecycle
    #: Seconds waited without which, added up, there is nothing to find: where they are not felt,
    #: the rule is decided and no more facts are computed for it.
    gate: tuple[str, ...]
    #: A fact, and the only values of it with which there is something to find.
    only: tuple[str, tuple[str, ...]] | None
    #: Counts of things; where one of them is 0 the rule is decided: there is none to judge.
    some: tuple[str, ...]
    needs: tuple[str, ...]
    wants: tuple[str, ...]
    thresholds: tuple[Threshold, ...]
    decide: Callable[[Facts], Finding | None]

    @property
    def title(self) -> str:
        """The first line of the documentation."""
        return (self.decide.__doc__ or "").strip().split("\n")[0].rstrip(".")

    @property
    def page(self) -> dict[str, str]:
        """The parts of the documentation by heading."""
        return _page(self.decide)

    @property
    def source(self) -> str:
        """What the rule rests on, in words for a finding."""
        return cite(" ".join(self.page["Sources"].split()))


@cache
def _page(function: Callable[..., object]) -> dict[str, str]:
    """The parts of a function's documentation by heading."""
    text = inspect.getdoc(function) or ""
    pieces = re.split(rf"^({'|'.join(HEADINGS)}):$", text, flags=re.M)
    pairs = zip(pieces[1::2], pieces[2::2], strict=True)
    return {head: inspect.cleandoc(body).strip() for head, body in pairs}


Decision = TypeVar("Decision", bound="Callable[[Facts], Finding | None]")


def rule(
    rule_id: str,
    name: str,
    *,
    needs: tuple[str, ...],
    gate: tuple[str, ...] = (),
    only: tuple[str, tuple[str, ...]] | None = None,
    some: tuple[str, ...] = (),
    wants: tuple[str, ...] = (),
    thresholds: tuple[Threshold, ...] = (),
    since: str = "0.1",
    status: Lifecycle = "stable",
) -> Callable[[Decision], Decision]:
    """Attach a rule's data to its function; ``rules.RULES`` is the table that lists it."""

    def attach(function: Decision) -> Decision:
        function.rule = Rule(  # type: ignore[attr-defined]
            rule_id, name, since, status, gate, only, some, needs, wants, thresholds, function
        )
        return function

    return attach


class Facts:
    """The facts of one report as a rule reads them, with the thresholds in force."""

    def __init__(self, facts: Mapping[str, Fact], policy: Policy) -> None:
        self._facts = facts
        self._policy = policy
        self._scale = Scale(facts, policy)

    def __getitem__(self, name: str) -> Fact:
        """A fact, available or not."""
        return self._facts[name]

    def number(self, name: str) -> float:
        """The value of a fact that the rule needs (the runner has checked that it is there)."""
        value = self._facts[name].number
        if value is None:
            raise LookupError(f"{name} is unavailable and the rule does not need it")
        return value

    def get(self, name: str) -> float | None:
        """The value of a fact, if there is one."""
        return self._facts[name].number

    def limit(self, threshold: Threshold) -> float:
        """A threshold in force."""
        return self._policy[threshold]

    def felt(self, seconds: float | None) -> bool:
        """Whether anybody waits: a share worth a look, and not on an idle system."""
        return self._scale.felt(seconds)

    def settled(self, rule: Rule) -> bool:
        """Whether a rule has nothing to find, whatever else it needs: its gate is shut."""
        if rule.only is not None:
            value = self._facts[rule.only[0]].value
            if value is not None and value not in rule.only[1]:
                return True
        if any(self.get(name) == 0 for name in rule.some):
            return True
        seconds = [self.get(name) for name in rule.gate]
        if not seconds or None in seconds or not self._scale.known:
            return False
        return not self.felt(sum(each for each in seconds if each is not None))

    def severity(self, seconds: float | None) -> Severity:
        """Severity by share of DB time."""
        return self._scale.severity(seconds)

    def impact(self, seconds: float | None, basis: str) -> Impact:
        """Seconds and their share, with what the share is of."""
        return self._scale.impact(seconds, basis)

    def finding(
        self,
        made_by: Callable[[Facts], Finding | None],
        title: str,
        severity: Severity,
        impact: Impact,
        why: str,
        *facts: str,
        waits: float | None = None,
        doubt: str = "",
        related: tuple[str, ...] = (),
    ) -> Finding:
        """A finding of a rule; doubts lower the confidence, and small samples the severity.

        ``waits`` is the number of waits or operations behind an average.
        """
        data: Rule = made_by.rule  # type: ignore[attr-defined]
        reasons = self._doubts(waits, facts)
        if reasons and severity == "critical":
            severity = "warning"
        if doubt:
            reasons.append(doubt)
        confidence = ("high", "medium", "low")[min(len(reasons), 2)]
        return Finding(
            id=data.id,
            name=data.name,
            since=data.since,
            title=title,
            severity=severity,
            confidence=confidence,  # type: ignore[arg-type]
            confidence_reason="; ".join(reasons) or "counted over the whole interval",
            impact=impact,
            facts=tuple(self._facts[name] for name in facts if self._facts[name].evidence),
            why=why,
            source=data.source,
            related=related,
        )

    def doubts(self) -> tuple[str, ...]:
        """What is doubtful about the whole report."""
        return tuple(self._doubts(None, ()))

    def _doubts(self, waits: float | None, names: tuple[str, ...]) -> list[str]:
        reasons = []
        elapsed = self.get("load.elapsed_s")
        if elapsed is None:
            reasons.append("the length of the interval is not known")
        elif elapsed < self.limit(SHORT_INTERVAL_S):
            reasons.append(f"the interval is only {elapsed:.0f} s long")
        if waits is not None and waits < self.limit(FEW_WAITS):
            reasons.append(f"it rests on {waits:.0f} operations only")
        for row, value in self._counters(names):
            if 0 < value < self.limit(COARSE_CS):
                reasons.append(f"`{row}` counts only {value:.0f} hundredths of a second")
        return reasons

    def _counters(self, names: tuple[str, ...]) -> ItemsView[str, float]:
        """Counters of hundredths of a second that some facts rest on."""
        return {
            item.row: float(item.value)
            for name in names
            for item in self._facts[name].evidence
            if item.row in CENTISECONDS and isinstance(item.value, int | float)
        }.items()
