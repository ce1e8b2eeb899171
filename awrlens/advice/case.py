"""One report as advice sees it: made once, and read by every recommendation and verdict."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.advice import features
from awrlens.advice.mttr import Request
from awrlens.model import SEVERITIES, Impact, with_parts, worst
from awrlens.recommendations import CATALOGUE
from awrlens.records import NamedTuple
from awrlens.wait_severity import Scale

if TYPE_CHECKING:
    from collections.abc import Mapping

    from awrlens.model import Fact, Finding, Severity
    from awrlens.policy import Policy

NOT_QUANTIFIED: Final = Impact(None, None, "not quantified")
#: How to verify any change.
AFTER: Final = "`awrlens analyze` on a report of the same load after the change"

#: No report has the members of the redo logs.
REDO_LOG_MEMBERS: Final = "SELECT group#, member FROM v$logfile ORDER BY group#;"


class Case(NamedTuple):
    """The facts and findings of a report, the thresholds, and what the caller requires."""

    facts: Mapping[str, Fact]
    findings: tuple[Finding, ...]
    policy: Policy
    request: Request
    #: Redo threads in the facts: the instances of a cluster.
    threads: int
    #: Every finding by its rule, on its own or as a part of another.
    by_rule: Mapping[str, Finding]
    scale: Scale

    @classmethod
    def of(
        cls, facts: Mapping[str, Fact], findings: tuple[Finding, ...], policy: Policy,
        request: Request = Request(), threads: int = 1,  # noqa: B008 - an immutable value
    ) -> Case:  # fmt: skip
        """The case of one report."""
        by_rule = {each.id: each for each in with_parts(findings)}
        return cls(facts, findings, policy, request, threads, by_rule, Scale(facts, policy))

    def get(self, name: str) -> float | None:
        """The number of a fact; None if it is not known."""
        return self.facts[name].number

    def or_zero(self, name: str) -> float:
        """The number of a fact that is added to others: 0 if it is not known."""
        return self.facts[name].number or 0.0

    def value(self, name: str) -> object:
        """The value of a fact; None if it is not known."""
        return self.facts[name].value

    def lacking(self, *names: str) -> str:
        """Why facts are missing, each reason once; empty if none is."""
        notes = dict.fromkeys(self.facts[name].note for name in names if self.get(name) is None)
        whole = (note for note in notes if not any(note in n and note != n for n in notes))
        return "; ".join(whole)

    def found(self, *rules: str) -> tuple[str, ...]:
        """The rules among these that have a finding, in the order of the findings."""
        return tuple(
            rule for rule, finding in self.by_rule.items()
            if rule in rules and finding.severity != "ok"
        )  # fmt: skip

    def answers(self, recommendation: str) -> tuple[str, ...]:
        """The rules whose findings a recommendation answers; empty if it answers none."""
        entry = CATALOGUE[recommendation]
        return self.found(*entry.answers, *entry.also) if self.found(*entry.answers) else ()

    def at_least(self, severity: Severity, *rules: str) -> bool:
        """Whether one of these rules has a finding of this severity or worse."""
        severities = [self.by_rule[rule].severity for rule in rules if rule in self.by_rule]
        return SEVERITIES.index(worst(severities)) >= SEVERITIES.index(severity)

    def impact(self, *rules: str) -> Impact:
        """The largest impact of their findings; impacts overlap and are not added up."""
        known = [each.impact for rule, each in self.by_rule.items() if rule in rules]
        known = [impact for impact in known if impact.seconds is not None]
        return max(known, key=lambda each: each.seconds or 0.0, default=NOT_QUANTIFIED)

    def share(self, seconds: float) -> float:
        """Seconds as a percentage of DB time; 0 if the report has none."""
        return self.scale.share(seconds) or 0.0

    @property
    def base(self) -> str:
        """What shares are percentages of: see ``awrlens.model.base_of_shares``."""
        return self.scale.base

    def that_run(self, *commands: str) -> tuple[str, ...]:
        """The commands among these that the release of the report can run."""
        return tuple(each for each in commands if features.runs(self.facts, each))

    @property
    def release(self) -> str | None:
        """The release of the database, as printed (``11.2.0.4.0``)."""
        release = self.value("database.release")
        return release if isinstance(release, str) else None

    @property
    def everywhere(self) -> str:
        """The clause of ALTER SYSTEM that names all instances of a cluster."""
        return " SID='*'" if self.request.rac else ""


def archived(case: Case) -> str:
    """Which disks are not free for other files: those of the redo logs and archived ones."""
    places = case.value("redo.archive_destinations")
    if not isinstance(places, tuple):
        return ", not those of the redo logs and archived redo logs"
    return f", not those of the redo logs and archived redo logs ({', '.join(places)})"


def is_integrity(ids: tuple[str, ...]) -> bool:
    """Whether all of these rules judge integrity settings, which are never first in a plan."""
    return bool(ids) and all(each.startswith("INTG") for each in ids)
