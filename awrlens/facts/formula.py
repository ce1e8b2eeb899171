"""Formulas: the same expression is computed and shown.

``derive("write_time * 10 / writes", write_time=..., writes=...)`` computes the value and shows
``757,698 cs × 10 / 405,691 writes = 18.68 ms``. The language has the four operations, brackets,
numbers and the names of the inputs.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final

from awrlens.expressions import ARITHMETIC, BINDS, Node, Parser, written
from awrlens.model import Evidence, Fact, FactValue, Status
from awrlens.records import NamedTuple
from awrlens.units import UNIT_SIGNS, show

if TYPE_CHECKING:
    from collections.abc import Iterable

_SIGNS: Final = {"*": "×", "-": "−"}


class Figure(NamedTuple):
    """A number from the report: its value, its label in a formula, its place in the report."""

    value: float
    label: str
    evidence: tuple[Evidence, ...] = ()
    text: str = ""
    status: Status = "measured"

    @property
    def digits(self) -> str:
        """The number, or the sum that it is, as it appears in a formula."""
        if self.text:
            return self.text
        if round(self.value, 2) == self.value:  # 101.87 s from 10,187 cs
            return f"{self.value:,.2f}".rstrip("0").rstrip(".")
        return show(self.value)

    @property
    def is_sum(self) -> bool:
        """Whether it is a sum of several numbers."""
        return " + " in self.text or " − " in self.text

    @property
    def shown(self) -> str:
        """The number with thousands separators, and its label."""
        text = f"({self.digits})" if self.is_sum else self.digits
        return f"{text} {self.label}".strip()


class Missing(NamedTuple):
    """A number that is not in the report: the reason, and the sections that would have it."""

    why: str
    sections: tuple[str, ...] = ()
    #: The report has something there that is not a number (``####``), or two different numbers:
    #: a sum, minimum or maximum is impossible without it.
    lost: bool = False
    #: The column is in the report, and the cell is blank.
    blank: bool = False
    #: This kind of report never prints it: no section that would have it can have been lost.
    never: bool = False


def is_lost(text: str) -> bool:
    """Whether a cell has lost its number: ``####`` or ``x``, not ``N/A`` or ``-``."""
    return text.strip("-").upper() not in ("", "N/A")


def readable(figures: Iterable[Figure | Missing]) -> list[Figure] | Missing:
    """The figures of a list, or why one of them is missing although the report has its row."""
    found: list[Figure] = []
    for each in figures:
        if isinstance(each, Figure):
            found.append(each)
        elif each.lost or each.blank:
            return each
    return found


def add(figures: list[Figure], label: str, *, less: list[Figure] | None = None) -> Figure:
    """The sum of figures minus others; an empty sum is 0."""
    parts = [figure.digits for figure in figures]
    minus = [figure.digits for figure in less or ()]
    text = " − ".join([" + ".join(parts) or "0", *minus]) if len(parts) + len(minus) > 1 else ""
    value = sum(figure.value for figure in figures) - sum(each.value for each in less or ())
    if len(parts) == 1 and not minus:
        text = parts[0]
    everything = (*figures, *(less or ()))
    evidence = tuple(item for figure in everything for item in figure.evidence)
    estimated = any(figure.status == "estimated" for figure in everything)
    return Figure(value, label, evidence, text, "estimated" if estimated else "measured")


def unavailable(*missing: Missing) -> Fact:
    """A fact without a value, with the reason."""
    sections = tuple(dict.fromkeys(name for each in missing for name in each.sections))
    reasons = dict.fromkeys(each.why for each in missing)
    note = "; ".join(
        why for why in reasons if not any(why in other for other in reasons if other != why)
    )
    return Fact("", None, "", "unavailable", note=note, sections=sections)


def measured(figure: Figure | Missing, note: str = "") -> Fact:
    """A fact that is a number from the report."""
    if isinstance(figure, Missing):
        return unavailable(figure)
    value = int(figure.value) if float(figure.value).is_integer() else figure.value
    return Fact("", value, "", figure.status, figure.evidence, "", note)


def summed(figure: Figure | Missing, note: str = "") -> Fact:
    """A sum over several cells, with the addition as its formula."""
    if isinstance(figure, Missing):
        return unavailable(figure)
    fact = measured(figure, note)
    if not figure.is_sum:
        return fact
    status: Status = "derived" if fact.status == "measured" else fact.status
    return fact._replace(status=status, formula=f"{figure.digits} {figure.label}".strip())


def derive(expression: str, note: str = "", **inputs: Figure | Missing) -> Fact:
    """A fact computed from numbers in the report; unavailable if one of them is missing.

    ``expression`` uses the inputs by name. Division by zero makes the fact unavailable: without
    writes, there is no time per write.
    """
    missing = [item for item in inputs.values() if isinstance(item, Missing)]
    if missing:
        return unavailable(*missing)
    figures = {name: item for name, item in inputs.items() if isinstance(item, Figure)}
    tree = _parse(expression)
    try:
        value = _run(tree, figures)
    except ZeroDivisionError:
        zero = [f.label or name for name, f in figures.items() if f.value == 0]
        return Fact(
            "", None, "", "unavailable",
            tuple(e for f in figures.values() for e in f.evidence),
            note=f"division by zero: {', '.join(zero)} = 0 in this interval",
        )  # fmt: skip
    statuses = {figure.status for figure in figures.values()}
    return Fact(
        "",
        value,
        "",
        "estimated" if "estimated" in statuses else "derived",
        tuple(item for figure in figures.values() for item in figure.evidence),
        _show_tree(tree, figures),
        note,
    )


def as_input(fact: Fact, label: str) -> Figure | Missing:
    """A fact as the input of another."""
    if fact.number is None:
        return Missing(fact.note, fact.sections)
    return Figure(fact.number, label, fact.evidence, "", fact.status)


def finished(fact: Fact, name: str, unit: str, sections: tuple[str, ...] = ()) -> Fact:
    """The fact with its name, unit and sections, and with the result at the end of its formula."""
    _, value, _, status, evidence, formula, note, _ = fact
    if formula and isinstance(value, int | float):
        formula = f"{formula} = {show(value)} {UNIT_SIGNS.get(unit, unit)}".strip()
    return Fact(name, value, unit, status, evidence, formula, note, sections)


def text_fact(
    value: FactValue, evidence: tuple[Evidence, ...], status: Status, note: str = ""
) -> Fact:
    """A fact whose value is a name or several names."""
    return Fact("", value, "", status, evidence, "", note)


class _Formula(Parser):
    def operand(self) -> Node:
        if self.take(r"\("):
            inner = self.sum()
            if not self.take(r"\)"):
                raise ValueError("a bracket is not closed")
            return inner
        text = self.take(r"\d+(?:\.\d+)?|[a-z_][a-z0-9_]*")
        if not text:
            raise ValueError(f"not a formula: {self.text}")
        return Node("leaf", text=text)


@cache
def _parse(expression: str) -> Node:
    parser = _Formula(expression)
    tree = parser.sum()
    if parser.begin() < len(expression):
        raise ValueError(f"not a formula: {expression}")
    return tree


def _run(tree: Node, figures: dict[str, Figure]) -> float:
    if not tree.parts:
        return figures[tree.text].value if tree.text in figures else float(tree.text)
    value, *others = (_run(part, figures) for part in tree.parts)
    for sign, other in zip(tree.signs, others, strict=True):
        value = ARITHMETIC[sign](value, other)
    return value


def _show_tree(tree: Node, figures: dict[str, Figure], least: int = 0) -> str:
    if not tree.parts:
        return figures[tree.text].shown if tree.text in figures else f"{float(tree.text):g}"
    shown = written(tree, lambda part, at: _show_tree(part, figures, at), _SIGNS)
    return f"({shown})" if BINDS[tree.kind] < least else shown
