"""The values of a comparison: two sides, changes, limits, and effects of recommendations.

All are frozen and can only convert themselves to plain data; renderers take only these.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

from awrlens.model import SCHEMA_VERSION

if TYPE_CHECKING:
    from collections.abc import Mapping

    from awrlens.model import Change, Fact, Finding, Note, Recommendation, Verdicts

#: The divisor of an amount; ``none``: it is compared as it is.
Per = Literal["none", "second", "transaction", "execute"]
Movement = Literal["better", "worse", "changed", "noise", "same"]
Outcome = Literal["came-true", "partly", "not", "not-assessable"]
#: Why the wait time of an event changed: more waits, longer waits, or both.
Cause = Literal["latency", "frequency", "both", "none"]

#: Movements that are reported as a change.
TOLD: Final[tuple[Movement, ...]] = ("better", "worse", "changed")


class Event(NamedTuple):
    """A wait event over an interval, as in the report; ``step_s`` is half of its last digit."""

    name: str
    background: bool
    waits: float | None
    total_s: float
    step_s: float


class Reading(NamedTuple):
    """The data of one report that a comparison needs; it keeps no reference to the file."""

    report: Mapping[str, Any]
    facts: Mapping[str, Fact]
    #: Empty if the report spans a restart or is an excerpt, because its lists may be incomplete.
    events: tuple[Event, ...]
    #: Initialization parameters at the end of the interval.
    parameters: Mapping[str, str]
    findings: tuple[Finding, ...]
    recommendations: tuple[Recommendation, ...]
    verdicts: Verdicts
    #: Rules that were skipped.
    skipped: tuple[str, ...]
    #: False: the instance was restarted within the interval.
    valid: bool
    warnings: tuple[Note, ...]
    #: The instances of a RAC report.
    instances: tuple[Reading, ...] = ()


class Side(NamedTuple):
    """One side of the comparison: one report or a set of reports."""

    identities: tuple[Mapping[str, Any], ...]
    elapsed_s: float | None

    @property
    def reports(self) -> int:
        """The number of reports on this side."""
        return len(self.identities)

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "reports": self.reports,
            "elapsed_s": self.elapsed_s,
            "identities": [dict(each) for each in self.identities],
        }


class Moved(NamedTuple):
    """A fact on both sides, with the same divisor; the arithmetic is in ``how``.

    ``change_pct`` is relative to before, ``ratio`` is after / before; None if before is 0.
    Differences up to ``noise_pct`` (of the smaller value) are noise; ``noise_basis`` says why.
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
    """An event on one side: waits and milliseconds per unit of the basis."""

    waits: float | None
    each_ms: float | None
    total_ms: float
    pct_response: float | None

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return self._asdict()


class MovedEvent(NamedTuple):
    """A wait event on both sides; 0 on a side whose complete list lacks it."""

    event: str
    background: bool
    before: Load
    after: Load
    change_pct: float | None
    verdict: Movement
    noise_pct: float
    noise_basis: str
    cause: Cause
    #: Whether its wait time is significant on one side.
    felt: bool

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {**self._asdict(), "before": self.before.to_dict(), "after": self.after.to_dict()}


class Unfair(NamedTuple):
    """A difference besides the compared change, and why it matters."""

    what: str
    before: str
    after: str
    why: str

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return self._asdict()


class Missing(NamedTuple):
    """A fact that is missing on one side, and why; it is not comparable, and not a change to 0."""

    fact: str
    side: Literal["before", "after"]
    note: str

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return self._asdict()


class Turn(NamedTuple):
    """A finding or a verdict on both sides; None if a side has none."""

    id: str
    title: str
    before: str | None
    after: str | None
    movement: Literal["gone", "new", "remained"]

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return self._asdict()


class Said(NamedTuple):
    """A change in one sentence with numbers."""

    text: str
    verdict: Movement
    about: str
    #: Whether its wait time is significant.
    felt: bool = True

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return self._asdict()


class Expectation(NamedTuple):
    """An earlier recommendation, its estimated effect, and the measured effect.

    ``facts`` are those that it is judged by; without any, its findings and parameters decide.
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
    """The main divisor of amounts, and the reason for it."""

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
    #: Names and parameters that differ.
    names: tuple[Change, ...]
    parameters: tuple[Change, ...]
    findings: tuple[Turn, ...]
    verdicts: tuple[Turn, ...]
    not_comparable: tuple[Missing, ...]
    expectations: tuple[Expectation, ...] = ()
    warnings: tuple[Note, ...] = ()
    #: RAC instances: name and comparison.
    parts: tuple[tuple[str, Contrast], ...] = ()

    @property
    def main(self) -> tuple[Moved, ...]:
        """Every fact once: as it is, or divided by the basis."""
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
