"""The values that a comparison is made of: two sides, what moved, what is unfair, what came true.

All are frozen and know nothing but how to become plain data; renderers take only these.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

from awrlens.model import SCHEMA_VERSION

if TYPE_CHECKING:
    from collections.abc import Mapping

    from awrlens.model import Change, Fact, Finding, Note, Recommendation, Verdicts

#: What an amount is divided by; ``none``: it is compared as it is.
Per = Literal["none", "second", "transaction", "execute"]
Movement = Literal["better", "worse", "changed", "noise", "same"]
Outcome = Literal["came-true", "partly", "not", "not-assessable"]
#: Why the time waited for an event is another: more waits, longer ones, or both.
Cause = Literal["latency", "frequency", "both", "none"]

#: Movements that are told as a change.
TOLD: Final[tuple[Movement, ...]] = ("better", "worse", "changed")


class Event(NamedTuple):
    """A wait event over an interval, as printed; ``step_s`` is half of the last printed digit."""

    name: str
    background: bool
    waits: float | None
    total_s: float
    step_s: float


class Reading(NamedTuple):
    """One report as far as a comparison needs it; it holds nothing of the file."""

    report: Mapping[str, Any]
    facts: Mapping[str, Fact]
    #: None of a report over a restart, and of an excerpt, whose lists may be cut.
    events: tuple[Event, ...]
    #: Initialization parameters as printed at the end of the interval.
    parameters: Mapping[str, str]
    findings: tuple[Finding, ...]
    recommendations: tuple[Recommendation, ...]
    verdicts: Verdicts
    #: Rules that could not be decided.
    skipped: tuple[str, ...]
    #: False: the instance was started within the interval.
    valid: bool
    warnings: tuple[Note, ...]
    #: A RAC report's instances.
    instances: tuple[Reading, ...] = ()


class Side(NamedTuple):
    """One of the two things compared: one report or a set of them."""

    identities: tuple[Mapping[str, Any], ...]
    elapsed_s: float | None

    @property
    def reports(self) -> int:
        """How many reports there are on this side."""
        return len(self.identities)

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "reports": self.reports,
            "elapsed_s": self.elapsed_s,
            "identities": [dict(each) for each in self.identities],
        }


class Moved(NamedTuple):
    """A fact on both sides, divided by the same thing; the arithmetic is in ``how``.

    ``change_pct`` is of the value before, ``ratio`` is after to before; None where before is 0.
    Differences of at most ``noise_pct`` (of the smaller value) are noise, for ``noise_basis``.
    """

    fact: str
    unit: str
    before: float
    after: float
    per: Per
    change_pct: float | None
    ratio: float | None
    verdict: Movement
    noise_pct: float
    noise_basis: str
    how: tuple[str, str]

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {**self._asdict(), "how": list(self.how)}


class Load(NamedTuple):
    """An event's part of a side: waits and milliseconds for each unit of the basis."""

    waits: float | None
    each_ms: float | None
    total_ms: float
    pct_response: float | None

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return self._asdict()


class MovedEvent(NamedTuple):
    """A wait event on both sides; 0 on the side whose list, printed whole, lacks it."""

    event: str
    background: bool
    before: Load
    after: Load
    change_pct: float | None
    verdict: Movement
    noise_pct: float
    noise_basis: str
    cause: Cause
    #: Whether anybody waits for it on one side.
    felt: bool

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {**self._asdict(), "before": self.before.to_dict(), "after": self.after.to_dict()}


class Unfair(NamedTuple):
    """Something that differs beside what is compared, and why it matters."""

    what: str
    before: str
    after: str
    why: str

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return self._asdict()


class Missing(NamedTuple):
    """A fact that one side lacks, and why: it cannot be compared, and is no change to 0."""

    fact: str
    side: Literal["before", "after"]
    note: str

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return self._asdict()


class Turn(NamedTuple):
    """A finding or a verdict on both sides; None where a side has none."""

    id: str
    title: str
    before: str | None
    after: str | None
    movement: Literal["gone", "new", "remained"]

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return self._asdict()


class Said(NamedTuple):
    """What moved, in one sentence with its numbers."""

    text: str
    verdict: Movement
    about: str
    #: Whether anybody waits for it.
    felt: bool = True

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return self._asdict()


class Expectation(NamedTuple):
    """A recommendation made earlier, what it claimed, and what has come of it.

    ``facts`` are those that it is judged by; of none, by its findings and parameters.
    """

    recommendation: str
    title: str
    claimed: str
    measured: str
    verdict: Outcome
    reason: str
    facts: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {**self._asdict(), "facts": list(self.facts)}


class Basis(NamedTuple):
    """What amounts are divided by in the first place, and why by that."""

    per: Per
    reason: str

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return self._asdict()


class Contrast(NamedTuple):
    """Everything that awrlens says about two sides."""

    before: Side
    after: Side
    headline: str
    basis: Basis
    unfair: tuple[Unfair, ...]
    said: tuple[Said, ...]
    facts: tuple[Moved, ...]
    events: tuple[MovedEvent, ...]
    #: Facts that are names, and parameters, with another value.
    names: tuple[Change, ...]
    parameters: tuple[Change, ...]
    findings: tuple[Turn, ...]
    verdicts: tuple[Turn, ...]
    not_comparable: tuple[Missing, ...]
    expectations: tuple[Expectation, ...] = ()
    warnings: tuple[Note, ...] = ()
    #: Instances of a cluster: name and comparison.
    parts: tuple[tuple[str, Contrast], ...] = ()

    @property
    def main(self) -> tuple[Moved, ...]:
        """Each fact once: as it is, or divided by the basis."""
        return tuple(each for each in self.facts if each.per in ("none", self.basis.per))

    def to_dict(self) -> dict[str, Any]:
        """The JSON document."""
        return {
            "schema_version": SCHEMA_VERSION,
            "kind": "comparison",
            "before": self.before.to_dict(),
            "after": self.after.to_dict(),
            "headline": self.headline,
            "basis": self.basis.to_dict(),
            "unfair": [each.to_dict() for each in self.unfair],
            "said": [each.to_dict() for each in self.said],
            "facts": [each.to_dict() for each in self.facts],
            "events": [each.to_dict() for each in self.events],
            "names": [each._asdict() for each in self.names],
            "parameters": [each._asdict() for each in self.parameters],
            "findings": [each.to_dict() for each in self.findings],
            "verdicts": [each.to_dict() for each in self.verdicts],
            "not_comparable": [each.to_dict() for each in self.not_comparable],
            "expectations": [each.to_dict() for each in self.expectations],
            "warnings": [each.to_dict() for each in self.warnings],
            "parts": [{"name": name, "comparison": part.to_dict()} for name, part in self.parts],
        }
