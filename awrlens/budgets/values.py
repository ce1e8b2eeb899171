"""Values in budgets: quantities with units, texts, times and conditions, known or not.

Numbers are fractions: 18.68 ms equals 0.01868 s, and a budget met exactly is met. Sizes are
binary, as everywhere in awrlens: 1 KB is 1,024 bytes.
"""

from __future__ import annotations

import re
from datetime import datetime
from fractions import Fraction
from math import isfinite
from typing import Any, Final

from awrlens.lazy import NamedTuple
from awrlens.model.expressions import ARITHMETIC
from awrlens.units import BYTES, SECONDS

#: What is not a quantity, in the place of its unit.
TEXT: Final = "text"
TIME: Final = "time"
CONDITION: Final = "condition"
#: Significant digits for display; more if two different numbers would look equal.
_DIGITS: Final = (4, 6, 9, 12, 17)
FEWEST: Final = _DIGITS[0]
#: Numbers of this size and above are written with an exponent.
_FULL: Final = 10**15


class Dimension(NamedTuple):
    """The dimension of a quantity: powers of time, size and transactions; counts have none."""

    time: int = 0
    size: int = 0
    transactions: int = 0

    def times(self, other: Dimension, sign: int) -> Dimension:
        """The dimension of a product, or of a quotient if ``sign`` is -1."""
        return Dimension(*(mine + sign * its for mine, its in zip(self, other, strict=True)))

    @property
    def unit(self) -> str:
        """The display unit of a computed quantity: ``s``, ``B/s``, ``s·B/txn``."""
        powers = list(zip(("s", "B", "txn"), self, strict=True))
        over, under = (
            "·".join(f"{name}^{n * sign}".removesuffix("^1") for name, n in powers if n * sign > 0)
            for sign in (1, -1)
        )
        return f"{over or '1'}/{under}" if under else over or "ratio"


class Unit(NamedTuple):
    """A unit of the language: its size in basic units, and its dimension."""

    scale: Fraction = Fraction(1)
    dimension: Dimension = Dimension()


_TIMES: Final = {name: Unit(Fraction(str(n)), Dimension(time=1)) for name, n in SECONDS.items()}
_SIZES: Final = {name: Unit(Fraction(n), Dimension(size=1)) for name, n in BYTES.items()}
UNITS: Final = {
    **_TIMES, **_SIZES, "%": Unit(Fraction(1, 100)),
    **{
        f"{name}/{period}": Unit(
            unit.scale / _TIMES[period].scale, unit.dimension.times(_TIMES[period].dimension, -1)
        )
        for period in ("s", "min", "h")
        for name, unit in {"1": Unit(), **_SIZES}.items()
    },
    "1/txn": Unit(dimension=Dimension(transactions=-1)),
}  # fmt: skip
#: Units of plain numbers; budgets write these without a unit.
PLAIN: Final = {"count": Unit(), "ratio": Unit()}


def unit(name: str) -> Unit | None:
    """The definition of a unit; None for a unit that is not a quantity, such as "name"."""
    return UNITS.get(name) or PLAIN.get(name)


class Value(NamedTuple):
    """A value of a type: a number in basic units, texts or a truth value; None if it is unknown."""

    unit: str
    data: Any = None
    reasons: tuple[str, ...] = ()
    dimension: Dimension = Dimension()
    #: Whether it consists of numbers without a unit only.
    bare: bool = False

    @property
    def sort(self) -> str:
        """Quantity, text, time or condition."""
        return self.unit if self.unit in (TEXT, TIME, CONDITION) else "quantity"

    @property
    def plain(self) -> bool:
        """Whether it is a plain number: a count or a ratio."""
        return self.dimension == Dimension() and self.unit in PLAIN

    @property
    def said(self) -> str:
        """Its type in words."""
        if self.bare:
            return "a number without unit"
        whole = self.sort != "quantity" or self.unit in PLAIN
        return f"a {self.unit}" if whole else f"a number in {self.unit}"

    def agrees(self, other: Value) -> bool:
        """Whether the two can be compared and added."""
        share_of_nothing = {self.unit, other.unit} == {"count", "%"}
        return self.dimension == other.dimension and not share_of_nothing

    def combined(self, sign: str, other: Value) -> Value:
        """A sum, difference, product or quotient.

        A quantity times a plain number keeps its unit; a quotient of counts is a ratio.
        """
        data = None
        if self.data is not None and other.data is not None:
            data = ARITHMETIC[sign](self.data, other.data)
        reasons = merged(self, other)
        if sign in "+-":
            return (other if self.bare else self)._replace(data=data, reasons=reasons)
        dimension = self.dimension.times(other.dimension, -1 if sign == "/" else 1)
        if self.plain and other.plain and not other.bare:
            shown = "count" if sign == "*" and "count" in (self.unit, other.unit) else "ratio"
        elif other.plain:
            shown = self.unit
        else:
            shown = other.unit if self.plain and sign == "*" else dimension.unit
        return Value(shown, data, reasons, dimension, self.bare and other.bare)

    def text(self, digits: int = FEWEST) -> str:
        """The value for display, a number in its unit."""
        if self.data is None:
            return "not available"
        if self.sort == CONDITION:
            return "yes" if self.data else "no"
        if self.sort != "quantity":
            return ", ".join(self.data)
        own = unit(self.unit)  # units of computed quantities are basic
        number = _number(self.data / own.scale if own else self.data, digits)
        return number if self.plain else f"{number} {self.unit}"


def quantity(number: Fraction | None, unit_name: str, *, bare: bool = False) -> Value:
    """A number in a unit."""
    own = unit(unit_name)
    if own is None:
        return Value(unit_name if unit_name in (TIME, CONDITION) else TEXT)
    data = None if number is None else number * own.scale
    return Value(unit_name, data, (), own.dimension, bare)


def printed(value: Any, unit_name: str, name: str, missing: str) -> Value:  # noqa: ANN401
    """The value of a fact or field; ``missing`` is the reason if there is none."""
    data: Any = None
    kind, reason = quantity(None, unit_name), missing
    if kind.sort == CONDITION:
        data = value if isinstance(value, bool) else None
    elif value is not None and kind.sort != "quantity":
        data = tuple(map(str, value if isinstance(value, tuple | list) else (value,)))
    elif value is not None:
        number = isinstance(value, int | float) and not isinstance(value, bool)
        if number and (isinstance(value, int) or isfinite(value)):
            # the shortest decimal that represents this number: 18.68 ms is 0.01868 s
            return quantity(Fraction(repr(value)), unit_name)
        reason = f"{name}: {value!r} is not a number"
    return kind._replace(data=data, reasons=(reason,) if data is None else ())


def truth(holds: bool | None, *reasons: str) -> Value:  # noqa: FBT001
    """The value of a condition."""
    return Value(CONDITION, holds, reasons)


def negation(value: Value) -> Value:
    """``not``: unknown stays unknown."""
    return value if value.data is None else truth(not value.data)


def joined(values: list[Value], word: str) -> Value:
    """Three-valued ``or``: one true value decides it; ``and``: a false one; else unknown stays."""
    truths = [value.data for value in values]
    decides = word == "or"
    if decides in truths:
        return truth(decides)
    return truth(None, *merged(*values)) if None in truths else truth(not decides)


def merged(*values: Value) -> tuple[str, ...]:
    """The reasons of several values."""
    return tuple(dict.fromkeys(reason for value in values for reason in value.reasons))


def enough(one: Value, other: Value) -> int:
    """The number of digits that shows two different numbers as different."""
    if one.sort != "quantity" or None in (one.data, other.data) or one.data == other.data:
        return FEWEST
    other = other._replace(unit=one.unit)
    return next((n for n in _DIGITS if one.text(n) != other.text(n)), _DIGITS[-1])


def _number(value: Fraction, digits: int) -> str:
    if value.denominator == 1 and abs(value) < _FULL:
        return f"{value.numerator:,}"
    try:
        rounded = float(value)
    except OverflowError:
        return "too large to display"
    if not 1 <= abs(rounded) < _FULL:
        return f"{rounded:.{digits}g}"
    decimals = max(0, digits - len(str(int(abs(rounded)))))
    text = f"{rounded:,.{decimals}f}"
    return text.rstrip("0").rstrip(".") if decimals else text


def moment(text: str) -> datetime | None:
    """The time in a text in ISO 8601; None if there is none, or one with a time zone."""
    try:
        time = datetime.fromisoformat(text.strip())
    except ValueError:
        return None
    return None if time.tzinfo else time


def like(text: str, pattern: str) -> bool:
    """Case-insensitive LIKE of SQL: ``%`` is any text, ``_`` any character.

    Every part between two ``%`` matches at its first position, which bounds the run time.
    """
    first, *others = (re.escape(part).replace("_", ".") for part in pattern.lower().split("%"))
    if others:
        first += "".join(f"(?>.*?{part})" for part in others[:-1]) + f".*{others[-1]}"
    return re.fullmatch(first, text.lower(), re.DOTALL) is not None
