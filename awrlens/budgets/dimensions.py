"""Units of the budget language, their dimensions, and exact amounts in them.

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

    def times(self, other: Dimension, sign: int) -> Dimension:
        """The dimension of a product, or of a quotient if ``sign`` is -1."""
        return Dimension(*(mine + sign * its for mine, its in zip(self, other, strict=True)))

    @property
    def unit(self) -> str:
        """The display unit of a computed quantity: ``s``, ``B/s``, ``s·B/txn``."""
        over, under = (
            "·".join(
                name if abs(power) == 1 else f"{name}^{abs(power)}"
                for name, power in zip(("s", "B", "txn"), self, strict=True)
                if power * sign > 0
            )
            for sign in (1, -1)
        )
        return f"{over or '1'}/{under}" if under else over or "ratio"


class Unit(NamedTuple):
    """A unit of the language: its size in basic units, and its dimension."""

    scale: Fraction
    dimension: Dimension = Dimension()


_TIME: Final = Dimension(time=1)
_SIZE: Final = Dimension(size=1)
_TIMES: Final = {
    "ns": Fraction(1, 10**9), "us": Fraction(1, 10**6), "ms": Fraction(1, 1000),
    "cs": Fraction(1, 100), "s": Fraction(1), "min": Fraction(60), "h": Fraction(3600),
}  # fmt: skip
_SIZES: Final = {
    name: Fraction(2 ** (10 * power)) for power, name in enumerate(("B", "KB", "MB", "GB", "TB"))
}
#: Every unit that may follow a number.
UNITS: Final = {
    **{name: Unit(scale, _TIME) for name, scale in _TIMES.items()},
    **{name: Unit(scale, _SIZE) for name, scale in _SIZES.items()},
    "%": Unit(Fraction(1, 100)),
    **{
        f"{name}/{period}": Unit(scale / _TIMES[period], dimension.times(_TIME, -1))
        for period in ("s", "min", "h")
        for name, scale, dimension in (
            ("1", Fraction(1), Dimension()), *((size, _SIZES[size], _SIZE) for size in _SIZES),
        )
    },
    "1/txn": Unit(Fraction(1), Dimension(transactions=-1)),
}  # fmt: skip
#: Units of plain numbers; budgets write these without a unit.
PLAIN: Final = {"count": Unit(Fraction(1)), "ratio": Unit(Fraction(1))}


def unit(name: str) -> Unit | None:
    """The definition of a unit; None for a unit that is not a quantity, such as "name"."""
    return UNITS.get(name) or PLAIN.get(name)
