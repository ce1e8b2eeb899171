"""Values in budgets: exact amounts with units, texts, or unknown."""

from __future__ import annotations

from fractions import Fraction
from typing import Final

from awrlens.budgets.dimensions import Measure, measure, unit
from awrlens.records import NamedTuple

#: Significant digits for display; more if two different numbers would look equal.
_DIGITS: Final = (4, 6, 9, 12, 17)
FEWEST: Final = _DIGITS[0]
#: Numbers of this size and above are written with an exponent.
_FULL: Final = 10**15


class Amount(NamedTuple):
    """A number in basic units, and its measure."""

    value: Fraction
    measure: Measure

    def text(self, digits: int) -> str:
        """The number in its display unit."""
        number = _number(self.value / self.measure.scale, digits)
        return number if self.measure.plain else f"{number} {self.measure.unit}"


class Unknown(NamedTuple):
    """No value, with the reasons."""

    reasons: tuple[str, ...]


class Words(NamedTuple):
    """A text, or several names."""

    texts: tuple[str, ...]


Value = Amount | Words | Unknown


def combine(one: Amount, sign: str, other: Amount) -> Amount:
    """A sum, difference, product or quotient; the caller has excluded division by 0."""
    match sign:
        case "+":
            return Amount(one.value + other.value, one.measure.plus(other.measure))
        case "-":
            return Amount(one.value - other.value, one.measure.plus(other.measure))
        case "*":
            return Amount(one.value * other.value, one.measure.times(other.measure, 1))
    return Amount(one.value / other.value, one.measure.times(other.measure, -1))


def typed(value: object, unit_name: str, name: str) -> Value:
    """The value of a fact or field in a unit; Unknown if a number is required and missing."""
    if unit(unit_name) is None:
        return Words(tuple(map(str, value)) if isinstance(value, tuple | list) else (str(value),))
    if isinstance(value, bool) or not isinstance(value, int | float):
        return Unknown((f"{name}: {value!r} is not a number",))
    try:
        # the shortest decimal that represents this number: 18.68 ms is 0.01868 s
        exact = Fraction(repr(value)) if isinstance(value, float) else Fraction(value)
    except ValueError:  # infinity or NaN
        return Unknown((f"{name}: {value!r} is not a number",))
    own = measure(unit_name)
    return Amount(exact * own.scale, own)


def readable(value: Value, digits: int) -> str:
    """A value as text for display."""
    if isinstance(value, Amount):
        return value.text(digits)
    return "not available" if isinstance(value, Unknown) else ", ".join(value.texts)


def enough(one: Amount, other: Amount) -> int:
    """The number of digits that shows two different numbers as different."""
    shown = one.measure
    for digits in _DIGITS:
        alike = one.text(digits) == other._replace(measure=shown).text(digits)
        if not alike or one.value == other.value:
            return digits
    return _DIGITS[-1]


def _number(value: Fraction, digits: int) -> str:
    """A number with significant digits, a full integer part and thousands separators."""
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
