"""Values of a report as a budget computes with them: exact amounts, texts, or unknown."""

from __future__ import annotations

from fractions import Fraction
from typing import Final, NamedTuple

from awrlens.budgets.dimensions import Measure, measure, unit

#: Significant digits that numbers are shown with; more where two that differ would look alike.
_DIGITS: Final = (4, 6, 9, 12, 17)
FEWEST: Final = _DIGITS[0]
#: From here on numbers are written with an exponent.
_FULL: Final = 10**15


class Amount(NamedTuple):
    """A number in basic units, and how it is shown."""

    value: Fraction
    measure: Measure

    def text(self, digits: int) -> str:
        """The number in the unit that it is shown in."""
        number = _number(self.value / self.measure.scale, digits)
        return number if self.measure.plain else f"{number} {self.measure.unit}"


class Unknown(NamedTuple):
    """No value, and why."""

    reasons: tuple[str, ...]


class Words(NamedTuple):
    """A text, or several names."""

    texts: tuple[str, ...]


Value = Amount | Words | Unknown


def reckon(one: Amount, sign: str, other: Amount) -> Amount:
    """A sum, difference, product or quotient; the caller has seen to it that no 0 divides."""
    match sign:
        case "+":
            return Amount(one.value + other.value, one.measure.plus(other.measure))
        case "-":
            return Amount(one.value - other.value, one.measure.plus(other.measure))
        case "*":
            return Amount(one.value * other.value, one.measure.times(other.measure, 1))
    return Amount(one.value / other.value, one.measure.times(other.measure, -1))


def typed(value: object, unit_name: str, name: str) -> Value:
    """The value of a fact or field in a unit; what is no number where one is due is not known."""
    if unit(unit_name) is None:
        return Words(tuple(map(str, value)) if isinstance(value, tuple | list) else (str(value),))
    if isinstance(value, bool) or not isinstance(value, int | float):
        return Unknown((f"{name}: {value!r} is no number",))
    try:
        # the shortest decimal that is this number: 18.68 ms are 0.01868 s
        exact = Fraction(repr(value)) if isinstance(value, float) else Fraction(value)
    except ValueError:  # infinite, or what 0 / 0 gives
        return Unknown((f"{name}: {value!r} is no number",))
    own = measure(unit_name)
    return Amount(exact * own.scale, own)


def told(value: Value, digits: int) -> str:
    """A value for people."""
    if isinstance(value, Amount):
        return value.text(digits)
    return "not available" if isinstance(value, Unknown) else ", ".join(value.texts)


def enough(one: Amount, other: Amount) -> int:
    """Digits with which two numbers look different if they are."""
    shown = one.measure
    for digits in _DIGITS:
        alike = one.text(digits) == other._replace(measure=shown).text(digits)
        if not alike or one.value == other.value:
            return digits
    return _DIGITS[-1]


def _number(value: Fraction, digits: int) -> str:
    """A number with some significant digits, its whole part in full, thousands separated."""
    if value.denominator == 1 and abs(value) < _FULL:
        return f"{value.numerator:,}"
    try:
        rounded = float(value)
    except OverflowError:
        return "beyond all measure"
    if not 1 <= abs(rounded) < _FULL:
        return f"{rounded:.{digits}g}"
    decimals = max(0, digits - len(str(int(abs(rounded)))))
    text = f"{rounded:,.{decimals}f}"
    return text.rstrip("0").rstrip(".") if decimals else text
