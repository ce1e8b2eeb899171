"""A fact: a quantity with its unit, its formula and the cells of the report that it comes from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Literal

from awrlens.lazy import NamedTuple
from awrlens.units import UNIT_SIGNS, show

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from awrlens.model.kinds import Line
    from awrlens.model.plain import Aside, Shown

Status = Literal["measured", "derived", "estimated", "unavailable"]
#: A union of the two in ``isinstance`` is created again by every call.
_NUMBERS: Final = (int, float)
#: Kinds of texts, which are not units.
NO_NUMBERS: Final = ("name", "names", "text")
#: What a note says, for decisions: that the DB CPU exceeds DB time, so that shares of it are not
#: reliable; that Oracle measured no times of waits; that even the busiest time of a long interval
#: needs no work; that SQL creates AWR reports; that it is a PL/SQL block, which has all that it
#: calls; that it is ranked by its buffer gets; that it waits and hardly computes; that a limit is
#: in use at the end snapshot, and that it was reached before.
About = Literal[
    "", "two clocks", "untimed", "low peak", "AWR", "block", "gets", "waits", "in use", "refused"
]
FactValue = int | float | str | tuple[str, ...] | None


class Excerpt(NamedTuple):
    """The text around a cell, the headings above it, its place (``begin`` is ``end``: unknown)."""

    above: tuple[str, ...]
    line: str
    begin: int
    end: int


class Evidence(NamedTuple):
    """A cell of the report behind a fact; ``line`` is looked up when it is shown."""

    section: str
    row: str
    column: str
    text: str
    value: int | float | str | None
    find_line: Aside[Callable[[], int | None]]
    find_excerpt: Aside[Callable[[], Excerpt]] = lambda: Excerpt((), "", 0, 0)

    @property
    def line(self) -> Shown[Line | None]:
        """1-based line in the source file."""
        return self.find_line()

    @property
    def excerpt(self) -> Excerpt:
        """The text of the report around the cell."""
        return self.find_excerpt()

    def __reduce__(self) -> tuple[type[Evidence], tuple[object, ...]]:
        """With its line; the report, which has the text around it, stays in its process."""
        line = self.find_line if self.find_line is _nowhere else _Line(self.line)
        return Evidence, (*self[:5], line)


#: What documents have of it.
_CITED: Final = (*Evidence._fields[:5], "line")


class _Line(NamedTuple):
    number: int | None

    def __call__(self) -> int | None:
        return self.number


def _nowhere() -> None:
    """No line is known."""


class Evidenced:
    """What has cells of the report as evidence: these, or a function called when one reads them."""

    __slots__ = ("_evidence",)
    _evidence: tuple[Evidence, ...] | Callable[[], tuple[Evidence, ...]]

    @property
    def proof(self) -> tuple[Evidence, ...]:
        """Its cells where it was made of them, and not of figures."""
        return self._evidence if isinstance(self._evidence, tuple) else ()

    @property
    def evidence(self) -> tuple[Evidence, ...]:
        """The cells of the report behind it."""
        evidence = self._evidence
        if not isinstance(evidence, tuple):
            evidence = self._evidence = evidence()
        return evidence


class Fact(Evidenced):
    """A quantity with one unit; ``evidence`` and ``formula`` may be functions, called when read."""

    __slots__ = ("_formula", "about", "name", "note", "sections", "status", "unit", "value")

    def __init__(
        self,
        name: str,
        value: FactValue,
        unit: str,
        status: Status,
        evidence: tuple[Evidence, ...] | Callable[[], tuple[Evidence, ...]] = (),
        formula: str | Callable[[], str] = "",
        note: str = "",
        sections: tuple[str, ...] = (),
        about: About | str = "",
    ) -> None:
        self.name = name
        self.value = value
        self.unit = unit
        self.status = status
        self.note = note
        #: What the note says, for decisions, or the event that it names.
        self.about = about
        #: Canonical names of the sections that contain it.
        self.sections = sections
        self._evidence = evidence
        self._formula = formula

    @property
    def formula(self) -> str:
        """How it was computed; empty if it was not."""
        formula = self._formula
        if not isinstance(formula, str):
            formula = self._formula = formula()
        return formula

    @property
    def number(self) -> float | None:
        """The value if it is a number."""
        value = self.value
        if type(value) is float:
            return value
        return float(value) if isinstance(value, _NUMBERS) else None

    def fact(self) -> Fact:
        """Itself; a number of a report makes a fact of itself by the same name."""
        return self

    def named(self, name: str, unit: str, sections: tuple[str, ...] = ()) -> Fact:
        """The same with its name, unit and sections, and the result at the end of its formula."""
        value = self.value

        def formula() -> str:
            shown = self.formula
            if not shown or not isinstance(value, _NUMBERS):
                return shown
            return f"{shown} = {show(value)} {UNIT_SIGNS.get(unit, unit)}".strip()

        return Fact(name, value, unit, self.status, self._evidence, formula, self.note, sections,
                    self.about)  # fmt: skip

    def _replace(self, **changed: Any) -> Fact:  # noqa: ANN401 - any fields
        kept = {
            "name": self.name, "value": self.value, "unit": self.unit, "status": self.status,
            "evidence": self._evidence, "formula": self._formula, "note": self.note,
            "sections": self.sections, "about": self.about,
        }  # fmt: skip
        return Fact(**{**kept, **changed})

    def _all(self) -> tuple[object, ...]:
        return (self.name, self.value, self.unit, self.status, self.evidence, self.formula,
                self.note, self.sections, self.about)  # fmt: skip

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Fact) and self._all() == other._all()

    def __hash__(self) -> int:
        return hash((self.name, self.value, self.unit, self.status))

    def __reduce__(self) -> tuple[type[Fact], tuple[object, ...]]:
        """As values: functions cannot be sent to another process."""
        return Fact, self._all()

    def __repr__(self) -> str:
        from awrlens.model.notebook import call

        note = self.note or None if self.value is None else None
        unit = None if self.value is None else self.unit
        return call("Fact", self.name, self.value, unit=unit, status=self.status, note=note)

    def _repr_html_(self) -> str:
        return facts_table("Fact", (self,))

    @property
    def plain_value(self) -> int | float | str | list[str] | None:
        """The value in plain data."""
        return list(self.value) if isinstance(self.value, tuple) else self.value

    def detached(self) -> Fact:
        """The fact with evidence that has no reference to the file."""
        held = tuple(Evidence(*item[:5], _nowhere) for item in self.evidence)
        return self._replace(evidence=held, formula=self.formula)

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "value": self.plain_value,
            "unit": self.unit,
            "status": self.status,
            "evidence": [dict(zip(_CITED, (*e[:5], e.line), strict=True)) for e in self.evidence],
            "formula": self.formula,
            "note": self.note,
        }


def facts_table(title: str, facts: Iterable[Fact], more: int = 0) -> str:
    """Facts as a table of a notebook."""
    from awrlens.model.notebook import table

    rows = (
        (
            fact.name,
            ", ".join(fact.value) if isinstance(fact.value, tuple) else fact.value,
            "" if fact.value is None or fact.unit in NO_NUMBERS else fact.unit,
            fact.status,
            fact.formula or fact.note,
        )
        for fact in facts
    )
    return table(title, ("fact", "value", "unit", "status", "formula or note"), rows, more)


def rounded(value: float | None, digits: int) -> float | None:
    """A number as documents have it; None stays None."""
    return None if value is None else round(value, digits)
