"""Units of the budget language, their dimensions, and exact conversion between units.

Numbers are fractions: 18.68 ms equals 0.01868 s, and a budget met exactly is met. Sizes are
binary, as everywhere in awrlens: 1 KB is 1,024 bytes.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Final

from awrlens.records import NamedTuple
from awrlens.units import BYTES, SECONDS


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
#: Every unit that may follow a number.
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
