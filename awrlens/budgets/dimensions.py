"""Dimensions of the units of the budget language, and exact conversion between units.

Numbers are fractions: 18.68 ms equals 0.01868 s, and a budget met exactly is met. Sizes are
binary, as everywhere in awrlens: 1 KB is 1,024 bytes.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Final

from awrlens.records import NamedTuple


class Dimension(NamedTuple):
    """The dimension of a quantity: powers of time, size and transactions; counts have none."""

    time: int = 0
    size: int = 0
    transactions: int = 0

    def times(self, other: Dimension, sign: int = 1) -> Dimension:
        """The dimension of a product, or of a quotient if ``sign`` is -1."""
        return Dimension(*(mine + sign * its for mine, its in zip(self, other, strict=True)))

    @property
    def unit(self) -> str:
        """The display unit of a computed quantity: ``s``, ``B/s``, ``s·B/txn``."""
        parts = [
            (name, power) for name, power in zip(("s", "B", "txn"), self, strict=True) if power
        ]
        over = "·".join(_power(name, power) for name, power in parts if power > 0)
        under = "·".join(_power(name, -power) for name, power in parts if power < 0)
        if not parts:
            return "ratio"
        return f"{over or '1'}/{under}" if under else over


def _power(name: str, power: int) -> str:
    return name if power == 1 else f"{name}^{power}"


class Unit(NamedTuple):
    """A unit of the language: its size in basic units, and its dimension."""

    scale: Fraction
    dimension: Dimension
    meaning: str


_TIME: Final = Dimension(time=1)
_SIZE: Final = Dimension(size=1)
_TIMES: Final[dict[str, tuple[Fraction, str]]] = {
    "ns": (Fraction(1, 10**9), "nanoseconds"),
    "us": (Fraction(1, 10**6), "microseconds"),
    "ms": (Fraction(1, 1000), "milliseconds"),
    "cs": (Fraction(1, 100), "hundredths of a second"),
    "s": (Fraction(1), "seconds"),
    "min": (Fraction(60), "minutes"),
    "h": (Fraction(3600), "hours"),
}
_SIZES: Final[dict[str, tuple[Fraction, str]]] = {
    "B": (Fraction(1), "bytes"),
    "KB": (Fraction(2**10), "1,024 bytes"),
    "MB": (Fraction(2**20), "1,024 KB, Oracle's M"),
    "GB": (Fraction(2**30), "1,024 MB, Oracle's G"),
    "TB": (Fraction(2**40), "1,024 GB, Oracle's T"),
}
_PERIODS: Final = {"s": "second", "min": "minute", "h": "hour"}


def _units() -> dict[str, Unit]:
    found = {name: Unit(scale, _TIME, text) for name, (scale, text) in _TIMES.items()}
    found |= {name: Unit(scale, _SIZE, text) for name, (scale, text) in _SIZES.items()}
    found["%"] = Unit(Fraction(1, 100), Dimension(), "percent; 100 % is a ratio of 1")
    for period, word in _PERIODS.items():
        seconds = _TIMES[period][0]
        found[f"1/{period}"] = Unit(1 / seconds, Dimension(time=-1), f"per {word}")
        for size, (scale, _) in _SIZES.items():
            dimension = _SIZE.times(_TIME, -1)
            found[f"{size}/{period}"] = Unit(scale / seconds, dimension, f"{size} per {word}")
    found["1/txn"] = Unit(Fraction(1), Dimension(transactions=-1), "per transaction")
    return found


#: Every unit that may follow a number.
UNITS: Final = _units()
#: Units of plain numbers; budgets write these without a unit.
PLAIN: Final = {
    "count": Unit(Fraction(1), Dimension(), "a count"),
    "ratio": Unit(Fraction(1), Dimension(), "a quotient"),
}
_ALL: Final = UNITS | PLAIN


def unit(name: str) -> Unit | None:
    """The definition of a unit; None for a unit that is not a quantity, such as "name"."""
    return _ALL.get(name)


class Measure(NamedTuple):
    """The dimension of a quantity and its display unit."""

    dimension: Dimension = Dimension()
    unit: str = "ratio"
    #: Whether it consists of numbers without a unit only.
    bare: bool = False

    @property
    def plain(self) -> bool:
        """Whether it is a plain number: a count or a ratio."""
        return self.dimension == Dimension() and self.unit in PLAIN

    @property
    def scale(self) -> Fraction:
        """Number of basic units in one display unit; computed units are basic."""
        found = _ALL.get(self.unit)
        return found.scale if found else Fraction(1)

    def agrees(self, other: Measure) -> bool:
        """Whether the two can be compared and added."""
        share_of_nothing = {self.unit, other.unit} == {"count", "%"}
        return self.dimension == other.dimension and not share_of_nothing

    def plus(self, other: Measure) -> Measure:
        """The measure of a sum."""
        return other if self.bare else self

    def times(self, other: Measure, sign: int) -> Measure:
        """The measure of a product, or of a quotient if ``sign`` is -1.

        A quantity times a plain number keeps its unit; a quotient of counts is a ratio.
        """
        dimension = self.dimension.times(other.dimension, sign)
        if self.plain and other.plain and not other.bare:
            shown = "count" if sign > 0 and "count" in (self.unit, other.unit) else "ratio"
        elif other.plain:
            shown = self.unit
        elif self.plain and sign > 0:
            shown = other.unit
        else:
            shown = dimension.unit
        return Measure(dimension, shown, self.bare and other.bare)


def measure(name: str, *, bare: bool = False) -> Measure:
    """The measure of a quantity in a unit; bare numbers have none."""
    known = _ALL.get(name)
    return Measure(known.dimension if known else Dimension(), name, bare)


BARE: Final = measure("ratio", bare=True)
