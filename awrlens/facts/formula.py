"""Formulas: the same expression is computed and shown.

``derive("write_time * 10 / writes", write_time=..., writes=...)`` computes the value and shows
``757,698 cs × 10 / 405,691 writes = 18.68 ms``. The language has the four operations, brackets,
numbers and the names of the inputs.
"""

from __future__ import annotations

import re
from functools import cache
from math import inf
from typing import TYPE_CHECKING, Any, Final

from awrlens.model import Evidence, Evidenced, Fact, FactValue, Status
from awrlens.model.expressions import BINDS, Node, Parser, written
from awrlens.records import NamedTuple
from awrlens.units import half_step, show

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from types import CodeType

_SIGNS: Final = {"*": "×", "-": "−"}
_NO_NAMES: Final[dict[str, object]] = {"__builtins__": {}}
#: What is not in the language: other signs, and powers.
_NO_FORMULA: Final = re.compile(r"[^-\w\s.()+*/]|\*\*|//")
_WHOLE: Final = re.compile(r"(?<![\w.])\d+(?![\w.])")


class Figure(Evidenced):
    """A number from the report: its value, its label in a formula, its place in the report.

    ``text`` is the number as printed, if it is the value itself, or the sum that it is. Most
    figures are only computed with: ``evidence`` and ``text`` may be functions, called when someone
    reads them.
    """

    __slots__ = ("_rounding", "_text", "is_sum", "label", "status", "value")

    def __init__(
        self,
        value: float,
        label: str,
        evidence: tuple[Evidence, ...] | Callable[[], tuple[Evidence, ...]] = (),
        text: str | Callable[[], str] = "",
        status: Status = "measured",
        *,
        is_sum: bool = False,
    ) -> None:
        self.value = value
        self.label = label
        #: Whether it is a sum of several numbers.
        self.is_sum = is_sum
        self.status = status
        self._evidence = evidence
        self._text = text
        self._rounding: float | None = None

    @property
    def rounding(self) -> float:
        """Half of its last digit in the report, as a share of it; infinite if it is 0."""
        found = self._rounding
        if found is None:
            steps, value = 0.0, self.value
            for item in self.evidence if value else ():
                steps += half_step(item.text, value)
            found = self._rounding = steps / abs(value) if value else inf
        return found

    @property
    def text(self) -> str:
        """The number as printed, or the sum that it is; empty if neither shows its value."""
        found = self._text
        if not isinstance(found, str):
            found = self._text = found()
        return found

    @property
    def digits(self) -> str:
        """The number, or the sum that it is, as it appears in a formula."""
        if text := self.text:
            return text
        if round(self.value, 2) == self.value:  # 101.87 s from 10,187 cs
            return f"{self.value:,.2f}".rstrip("0").rstrip(".")
        return show(self.value)

    @property
    def shown(self) -> str:
        """The number with thousands separators, and its label."""
        text = f"({self.digits})" if self.is_sum else self.digits
        return f"{text} {self.label}".strip()

    def _replace(self, **changed: Any) -> Figure:  # noqa: ANN401 - any fields
        kept = {
            "value": self.value, "label": self.label, "evidence": self._evidence,
            "text": self._text, "status": self.status, "is_sum": self.is_sum,
        }  # fmt: skip
        return Figure(**{**kept, **changed})


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


def add(figures: list[Figure], label: str, *, less: Sequence[Figure] = ()) -> Figure:
    """The sum of figures minus others; an empty sum is 0."""
    if not figures and not less:
        return Figure(0, label)
    value: float = 0
    estimated = False
    for each in figures:
        value += each.value
        estimated = estimated or each.status == "estimated"
    taken: float = 0
    for each in less:
        taken += each.value
        estimated = estimated or each.status == "estimated"

    def text() -> str:
        parts = " + ".join(figure.digits for figure in figures)
        return " − ".join([parts or "0", *(figure.digits for figure in less)])

    def evidence() -> tuple[Evidence, ...]:
        return tuple(item for figure in (*figures, *less) for item in figure.evidence)

    is_sum = len(figures) + len(less) > 1 or any(figure.is_sum for figure in figures)
    return Figure(
        value - taken, label, evidence, text, "estimated" if estimated else "measured",
        is_sum=is_sum,
    )  # fmt: skip


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
    value = figure.value
    if type(value) is float and value.is_integer():
        value = int(value)
    return Fact("", value, "", figure.status, lambda: figure.evidence, "", note)


def summed(figure: Figure | Missing, note: str = "") -> Fact:
    """A sum over several cells, with the addition as its formula."""
    if isinstance(figure, Missing):
        return unavailable(figure)
    fact = measured(figure, note)
    if not figure.is_sum:
        return fact
    status: Status = "derived" if fact.status == "measured" else fact.status

    def formula() -> str:
        return f"{figure.digits} {figure.label}".strip()

    return Fact("", fact.value, "", status, lambda: figure.evidence, formula, note)


def derive(expression: str, note: str = "", **inputs: Figure | Missing) -> Fact:
    """A fact computed from numbers in the report; unavailable if one of them is missing.

    ``expression`` uses the inputs by name. Division by zero makes the fact unavailable: without
    writes, there is no time per write. The formula is written when someone reads it.
    """
    figures: dict[str, Figure] = {}
    values: dict[str, float] = {}
    status: Status = "derived"
    for name, item in inputs.items():
        if isinstance(item, Missing):
            return unavailable(*(each for each in inputs.values() if isinstance(each, Missing)))
        figures[name] = item
        values[name] = item.value
        if item.status == "estimated":
            status = "estimated"

    def evidence() -> tuple[Evidence, ...]:
        return tuple(item for figure in figures.values() for item in figure.evidence)

    try:
        value = eval(_compiled(expression), _NO_NAMES, values)  # noqa: S307 - see _compiled
    except ZeroDivisionError:
        zero = [f.label or name for name, f in figures.items() if f.value == 0]
        note = f"division by zero: {', '.join(zero)} = 0 in this interval"
        return Fact("", None, "", "unavailable", evidence, note=note)

    def formula() -> str:
        return _template(expression).format_map(
            {name: each.shown for name, each in figures.items()}
        )

    return Fact("", value, "", status, evidence, formula, note)


def as_input(fact: Fact, label: str) -> Figure | Missing:
    """A fact as the input of another."""
    if fact.number is None:
        return Missing(fact.note, fact.sections)
    return Figure(fact.number, label, lambda: fact.evidence, "", fact.status)


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
def _template(expression: str) -> str:
    """An expression as it is shown, with braces around the names of its inputs."""
    parser = _Formula(expression)
    tree = parser.sum()
    if parser.begin() < len(expression):
        raise ValueError(f"not a formula: {expression}")
    return _shown(tree)


@cache
def _compiled(expression: str) -> CodeType:
    """An expression as a function of its inputs: Python has the same operations and brackets.

    All its numbers are floats: the product of whole numbers may have more digits than a float has.
    """
    if _NO_FORMULA.search(expression):
        raise ValueError(f"not a formula: {expression}")
    try:
        return compile(_WHOLE.sub(r"\g<0>.0", expression), "a formula", "eval")
    except SyntaxError:
        raise ValueError(f"not a formula: {expression}") from None


def _shown(tree: Node, least: int = 0) -> str:
    if not tree.parts:
        return f"{{{tree.text}}}" if tree.text.isidentifier() else f"{float(tree.text):g}"
    shown = written(tree, _shown, _SIGNS)
    return f"({shown})" if BINDS[tree.kind] < least else shown
