"""Numbers of a report and arithmetic on them: an expression is its own formula.

``f.stat("redo write time", "cs") * 10 / f.stat("redo writes", "writes")`` has the value, the
formula as it is shown (``757,698 cs × 10 / 405,691 writes``) and the cells behind it. If a number
of it is missing, so is the result, for the same reason: no term has a default.
"""

from __future__ import annotations

from functools import lru_cache
from math import inf
from typing import TYPE_CHECKING, Final, TypeAlias

from awrlens.model import Evidence, Evidenced, Fact, Status
from awrlens.units import half_step, show

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from awrlens.model import Excerpt
    from awrlens.report.contradictions import Contradiction
    from awrlens.report.table import Cell, Table

#: A number, or why there is none.
Number: TypeAlias = "Figure | Missing"
_SUM, _PRODUCT, _LEAF = 1, 2, 3
#: How strongly an operation binds its parts, and its sign as shown.
_SHOWN: Final = {"+": (_SUM, "+"), "-": (_SUM, "−"), "*": (_PRODUCT, "×"), "/": (_PRODUCT, "/")}


class _Term(Evidenced):
    """What the four operations are possible with."""

    __slots__ = ()

    @property
    def figures(self) -> tuple[Figure, ...]:
        """The figures of the report that it is computed from, each once."""
        return ()

    def __add__(self, other: Number | float) -> Number:
        return _operation("+", self, other)

    def __sub__(self, other: Number | float) -> Number:
        return _operation("-", self, other)

    def __mul__(self, other: Number | float) -> Number:
        return _operation("*", self, other)

    def __truediv__(self, other: Number | float) -> Number:
        return _operation("/", self, other)

    def __rmul__(self, other: float) -> Number:
        return _operation("*", _constant(other), self)


class Figure(_Term):
    """A number from the report: its value, its label in a formula, its place in the report.

    ``text`` is the number as printed, if it is the value itself, or the sum that it is. Most
    figures are only computed with: ``evidence`` and ``text`` may be functions, called when someone
    reads them.
    """

    __slots__ = ("_rounding", "_text", "is_sum", "label", "note", "status", "value")
    binds: int = _LEAF
    #: As of a missing number.
    lost = blank = never = False

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
        self.note = ""
        self._evidence = evidence
        self._text = text
        self._rounding: float | None = None

    @property
    def rounding(self) -> float:
        """Half of its last digit in the report, as a share of it; infinite if it is 0."""
        share = self._rounding
        if share is None:
            steps, value = 0.0, self.value
            for item in self.evidence if value else ():
                steps += half_step(item.text, value)
            share = self._rounding = steps / abs(value) if value else inf
        return share

    @property
    def text(self) -> str:
        """The number as printed, or the sum that it is; empty if neither shows its value."""
        text = self._text
        if not isinstance(text, str):
            text = self._text = text()
        return text

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

    @property
    def figures(self) -> tuple[Figure, ...]:
        """Itself."""
        return (self,)

    def fact(self) -> Fact:
        """The fact that it is: a number from the report."""
        value = self.value
        if type(value) is float and value.is_integer():
            value = int(value)
        return Fact("", value, "", self.status, lambda: self.evidence, "", self.note)

    def otherwise(self, _: Number) -> Figure:
        """Itself: the other is for a number that is missing."""
        return self

    def noted(self, note: str) -> Figure:
        """The same with a note."""
        return self if note == self.note else self._changed(note, self.status)

    def estimated(self, note: str = "") -> Figure:
        """The same as an estimate, and a note that says why."""
        return self._changed(note or self.note, "estimated")

    def citing(self, *_: Number) -> Figure:
        """Itself: it has no other figures."""
        return self

    def labelled(self, label: str) -> Figure:
        """The same number with another label in a formula."""
        return Figure(
            self.value, label, self._evidence, self._text, self.status, is_sum=self.is_sum
        )

    def _changed(self, note: str, status: Status) -> Figure:
        same = Figure(
            self.value, self.label, self._evidence, self._text, status, is_sum=self.is_sum
        )
        same.note = note
        return same


class Constant(Figure):
    """A number of a formula that is not from the report, such as a conversion of units."""

    __slots__ = ()

    def __init__(self, value: float, note: str = "") -> None:
        super().__init__(float(value), "")
        self.note = note

    @property
    def figures(self) -> tuple[Figure, ...]:
        """None of the report."""
        return ()

    @property
    def shown(self) -> str:
        """The number."""
        return f"{self.value:g}"


#: The same few constants are in all formulas.
_constant: Final = lru_cache(maxsize=256)(Constant)


class Result(Figure):
    """The result of an operation; its formula is written when someone reads it."""

    __slots__ = ("_cited", "_left", "_right", "_sign", "binds")

    def __init__(
        self, value: float, left: Figure, sign: str, right: Figure, cited: tuple[Figure, ...] = ()
    ) -> None:
        self.value = value
        self.label = self._text = ""
        #: The notes of its figures hold for it, too.
        self.note = left.note
        if right.note and right.note != left.note:
            self.note = f"{left.note}; {right.note}" if left.note else right.note
        self.is_sum = False
        guessed = left.status == "estimated" or right.status == "estimated"
        self.status = "estimated" if guessed else "derived"
        self._left, self._sign, self._right = left, sign, right
        self.binds = _SHOWN[sign][0]
        self._rounding = None
        self._cited = cited

    @property
    def figures(self) -> tuple[Figure, ...]:
        """The figures of both sides, after those that are cited first."""
        left, right = self._left.figures, self._right.figures
        if not self._cited and (not left or not right):
            return left or right
        return tuple(dict.fromkeys((*self._cited, *left, *right)))

    @property
    def evidence(self) -> tuple[Evidence, ...]:
        """The cells of all its figures."""
        return tuple([item for figure in self.figures for item in figure.evidence])

    @property
    def shown(self) -> str:
        """The formula without its result."""
        left, right, binds = self._left, self._right, self.binds
        first, last = left.shown, right.shown
        if left.binds < binds:
            first = f"({first})"
        if right.binds <= binds:
            last = f"({last})"
        return f"{first} {_SHOWN[self._sign][1]} {last}"

    def fact(self) -> Fact:
        """The fact that it is, with its formula."""
        return Fact("", self.value, "", self.status, lambda: self.evidence, lambda: self.shown,
                    self.note)  # fmt: skip

    def labelled(self, label: str) -> Figure:
        """Its number as a figure of another formula."""
        return Figure(self.value, label, lambda: self.evidence, "", self.status)

    def citing(self, *first: Number) -> Result:
        """The same, with the cells of some of its figures before those of the others."""
        cited = tuple(figure for number in first for figure in number.figures)
        same = Result(self.value, self._left, self._sign, self._right, cited)
        same.note, same.status = self.note, self.status
        return same

    def _changed(self, note: str, status: Status) -> Result:
        same = Result(self.value, self._left, self._sign, self._right, self._cited)
        same.note, same.status = note, status
        return same


class Missing(_Term):
    """A number that is not in the report: the reason, and the sections that would have it."""

    __slots__ = ("blank", "lost", "never", "parts", "sections", "why")
    value: None = None
    #: It is as inexact as can be.
    rounding = inf

    def __init__(
        self,
        why: str,
        sections: tuple[str, ...] = (),
        *,
        lost: bool = False,
        blank: bool = False,
        never: bool = False,
        parts: tuple[Missing, ...] = (),
    ) -> None:
        self.why = why
        self.sections = sections
        #: The report has something there that is not a number (``####``), or two different numbers:
        #: a sum, minimum or maximum is impossible without it.
        self.lost = lost
        #: The column is in the report, and the cell is blank.
        self.blank = blank
        #: This kind of report never prints it: no section that would have it can have been lost.
        self.never = never
        #: The reasons that it is joined from, if they are several.
        self.parts = parts
        self._evidence = ()

    def fact(self) -> Fact:
        """A fact without a value, with the reason."""
        return Fact("", None, "", "unavailable", self._evidence, "", self.why, self.sections)

    def otherwise(self, other: Number) -> Number:
        """Another number instead."""
        return other

    def noted(self, *_: str | Number) -> Missing:
        """Itself: the reason is all that it says."""
        return self

    estimated = citing = labelled = noted


class Undefined(Missing):
    """The result of a division by zero: without writes, there is no time per write."""

    __slots__ = ("_figures",)

    def __init__(self, figures: tuple[Figure, ...]) -> None:
        self._figures = tuple(dict.fromkeys(figures))
        zero = ", ".join(
            figure.label or next((item.row for item in figure.evidence), "it")
            for figure in self._figures
            if figure.value == 0
        )
        super().__init__(f"division by zero: {zero} = 0 in this interval")
        self._evidence = lambda: tuple(item for figure in self._figures for item in figure.evidence)

    @property
    def figures(self) -> tuple[Figure, ...]:
        """Those of both sides of the division."""
        return self._figures


def _operation(sign: str, left: _Term, right: _Term | float) -> Number:
    if not isinstance(right, _Term):
        right = _constant(right)
    if not (isinstance(left, Figure) and isinstance(right, Figure)):
        lacking = [term for term in (left, right)
                   if isinstance(term, Missing) and not isinstance(term, Undefined)]  # fmt: skip
        return joined(*lacking) if lacking else Undefined((*left.figures, *right.figures))
    value: float
    if sign == "*":
        value = left.value * right.value
    elif sign == "/":
        if not right.value:
            return Undefined((*left.figures, *right.figures))
        value = left.value / right.value
    else:
        value = left.value + right.value if sign == "+" else left.value - right.value
    return Result(value, left, sign, right)


def joined(*missing: Missing) -> Missing:
    """The reasons for several missing numbers, each once."""
    if len(missing) == 1:
        return missing[0]
    parts = tuple(dict.fromkeys(part for number in missing for part in number.parts or (number,)))
    sections = tuple(dict.fromkeys(name for part in parts for name in part.sections))
    reasons = dict.fromkeys(part.why for part in parts)
    why = "; ".join(
        why for why in reasons if not any(why in other for other in reasons if other != why)
    )
    return Missing(why, sections, lost=any(part.lost for part in parts), parts=parts)


def is_lost(text: str) -> bool:
    """Whether a cell has lost its number: ``####`` or ``x``, not ``N/A`` or ``-``."""
    return text.strip("-").upper() not in ("", "N/A")


def readable(numbers: Iterable[Number]) -> list[Figure] | Missing:
    """The figures of a list, or why one of them is missing although the report has its row."""
    figures: list[Figure] = []
    for number in numbers:
        if isinstance(number, Figure):
            figures.append(number)
        elif number.lost or number.blank:
            return number
    return figures


def add(figures: Sequence[Figure], label: str, *, less: Sequence[Figure] = ()) -> Figure:
    """The sum of figures minus others; an empty sum is 0."""
    parts = (*figures, *less)
    value = sum([figure.value for figure in figures]) - sum([figure.value for figure in less])

    def text() -> str:
        added = " + ".join(figure.digits for figure in figures)
        return " − ".join([added or "0", *(figure.digits for figure in less)])

    return Figure(
        value, label, lambda: tuple(item for figure in parts for item in figure.evidence), text,
        "estimated" if any(figure.status == "estimated" for figure in parts) else "measured",
        is_sum=len(parts) > 1 or any(figure.is_sum for figure in figures),
    )  # fmt: skip


def value_of(figure: Figure) -> float:
    """Its value: what the smallest or largest of some figures is found by."""
    return figure.value


#: A union of the two in ``isinstance`` is created again by every call.
_NUMBERS: Final = (int, float)


class Cells:
    """Makes figures of cells.

    It does not know the figures of the report, which keep what they make: an event may hold it
    without a cycle of references, which only the garbage collector could free.
    """

    def __init__(
        self,
        line: Callable[[int], int],
        excerpt: Callable[[Cell], Excerpt],
        contradicted: Callable[[str, str], Contradiction | None],
    ) -> None:
        self._line, self._excerpt, self._contradicted = line, excerpt, contradicted
        #: What is said of shares above 100 % and of counts beyond 63 bits, and its line.
        self.impossible: dict[str, int | None] = {}

    def evidence(self, cell: Cell) -> Evidence:
        """A cell as evidence; its line is looked up when shown."""
        line, excerpt = self._line, self._excerpt
        return Evidence(
            cell.section, cell.row, cell.column, cell.text, cell.value,
            lambda: line(cell.at), lambda: excerpt(cell),
        )  # fmt: skip

    def figure(self, cell: Cell | None, label: str, absent: Missing | Table) -> Number:
        """A number from a cell, or ``absent`` if there is no cell: the reason, or its table."""
        if cell is None:
            return absent if isinstance(absent, Missing) else no_column(absent)
        value = cell.value
        if (broken := self._contradicted(cell.section, cell.row)) is not None:
            return self.broken(broken)
        if not isinstance(value, _NUMBERS):
            sections = absent.sections if isinstance(absent, Missing) else (str(absent.name),)
            shown = f"shows `{cell.text}`" if cell.text else "is blank"
            where = f"{cell.section}, {cell.row} {cell.column}".replace("  ", " ").strip()
            blank, why = not cell.text, f"{where} {shown}"
            if cell.unit == "%" and any(map(str.isdigit, cell.text)):
                self.impossible[f"{why}, which is not possible"] = self._line(cell.at)
            return Missing(why, sections, lost=is_lost(cell.text), blank=blank)
        return Figure(value, label, lambda: (self.evidence(cell),), lambda: _plain(cell))

    def broken(self, why: Contradiction) -> Missing:
        """The figure of a row that is contradicted, of which a warning is shown."""
        self.impossible[why.why] = why.line
        return Missing(why.why, lost=True)


def no_column(table: Table) -> Missing:
    """Why a table without a column has no figure in it."""
    return Missing(f"{table.title} has no such column", (str(table.name),))


def twice(table: Table, name: str) -> Missing:
    """Why a row that appears twice with different figures cannot be used."""
    why = f"{table.title} has `{name}` twice, with different figures"
    return Missing(why, (str(table.name),), lost=True)


def unread_line(table: Table, starts: tuple[str, ...]) -> Missing:
    """Why the events with these prefixes are not known."""
    why = f"a line of {table.title} that begins with `{starts[0]}` cannot be split into columns"
    return Missing(why, (str(table.name),), lost=True)


def _plain(cell: Cell) -> str:
    """A number as printed, if that is the value itself: no suffix, exponent or other unit."""
    digits = cell.text.replace(",", "")
    try:
        is_plain = not digits.strip("0123456789.-") and float(digits) == cell.value
    except ValueError:
        return ""
    return cell.text if is_plain else ""
