"""Wording of amounts and changes: ``0.104 ms``, ``180 times faster``."""

from __future__ import annotations

from typing import Final

_MORE: Final = {
    "as long": ("longer", "shorter"), "as many": ("more", "fewer"), "as much": ("more", "less"),
    "as often": ("more often", "less often"),
}  # fmt: skip
#: Changes of at least this factor are given as a factor.
TIMES: Final = 2.0
#: Factors above this are not given: the value before was close to 0.
_MANY_TIMES: Final = 1000
#: Smaller changes, in per cent, are none: "as many". # awrlens: half of what is always noise
_ALIKE_PCT: Final = 5.0
#: A fall beyond this percentage is not rounded to 100 %.
_NEARLY_ALL: Final = -99.0


def by(before: float, after: float, word: str) -> str:
    """``180 times faster``, ``3.2 times as much``, ``32 % less``, ``as much``."""
    if not before or not after:
        return "none before" if not before else "none now"
    ratio = max(before, after) / min(before, after)
    compared = word in ("faster", "slower")
    if ratio >= _MANY_TIMES and (compared or after > before):
        return f"over {_MANY_TIMES:,} times {word}"
    if ratio >= TIMES and (compared or after > before):
        shown = f"{float(f'{ratio:.2g}'):,.1f}".removesuffix(".0")
        return f"{shown} times {word}"
    change = (after - before) * 100 / before
    if compared:
        return f"{abs(change):.0f} % {_MORE['as long'][after < before]}"
    if abs(change) < _ALIKE_PCT:
        return word
    if change < _NEARLY_ALL:
        return f"over {-_NEARLY_ALL:g} % {_MORE[word][1]}"
    return f"{abs(change):.0f} % {_MORE[word][after < before]}"
