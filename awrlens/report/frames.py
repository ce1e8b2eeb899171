"""The line or row around a cell, under its headings."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from awrlens.lazy import regex
from awrlens.model import Excerpt

if TYPE_CHECKING:
    from collections.abc import Sequence


_RULE = regex(r"\s*+(?:--[\s\-]*+|~~[\s~]*+)$|-\s++--[\s\-]*+$")
_MOST_HEADINGS: Final = 4
#: Maximum number of lines between a row and its rule: Oracle repeats the rule on each page.
_FAR: Final = 200
_WIDEST_CELL: Final = 48


def of_lines(lines: Sequence[str], at: int, cell: str, column: str) -> Excerpt:
    """A line of text by its index; the heading finds the place of a ``cell`` that occurs twice."""
    line = lines[at]
    above = _above(lines, at)
    places = [match.span() for match in re.finditer(rf"(?<!\S){re.escape(cell)}(?!\S)", line)]
    places = places or [match.span() for match in re.finditer(re.escape(cell), line)]
    if not cell or not places:
        return Excerpt(above, line, 0, 0)
    fits = [_fit(place, above, column) for place in places]
    if len(places) > 1 and fits.count(max(fits)) > 1:
        return Excerpt(above, line, 0, 0)
    return Excerpt(above, line, *places[fits.index(max(fits))])


def _fit(place: tuple[int, int], above: Sequence[str], column: str) -> int:
    """How many words of a column's heading are above a place, or above its part of the rule."""
    begin, end = place
    for dashes in re.finditer(r"[-~]+", above[-1]) if above else ():
        if dashes.start() < end and begin < dashes.end():
            begin, end = dashes.span()
            break
    return sum(
        any(
            match.start() < end and begin < match.end()
            for heading in above
            for match in re.finditer(re.escape(word), heading)
        )
        for word in column.split()
    )


def _above(lines: Sequence[str], at: int) -> tuple[str, ...]:
    for rule in range(at - 1, max(-1, at - _FAR), -1):
        if "DB/Inst:" in lines[rule]:
            break
        if _RULE.match(lines[rule]):
            first = rule
            while first > 0 and rule - first < _MOST_HEADINGS and lines[first - 1].strip():
                first -= 1
            return tuple(lines[first : rule + 1])
    return ()


def of_cells(headings: Sequence[str], cells: Sequence[str], index: int) -> Excerpt:
    """A row of cells with bars between them; cells are below their headings if the counts match."""
    shown = [_cut(cell) for cell in cells]
    above: tuple[str, ...] = ()
    widths = [len(cell) for cell in shown]
    if len(headings) == len(cells):
        named = [_cut(heading) for heading in headings]
        widths = [max(len(a), len(b)) for a, b in zip(named, shown, strict=True)]
        above = (_barred(named, widths),) if any(named) else ()
    begin = sum(widths[:index]) + 3 * index
    length = len(shown[index]) if 0 <= index < len(shown) else 0
    return Excerpt(above, _barred(shown, widths), begin, begin + length)


def _barred(cells: Sequence[str], widths: Sequence[int]) -> str:
    padded = (cell.ljust(width) for cell, width in zip(cells, widths, strict=True))
    return " | ".join(padded).rstrip()


def _cut(cell: str) -> str:
    text = " ".join(cell.split())
    return text if len(text) <= _WIDEST_CELL else f"{text[: _WIDEST_CELL - 1]}…"
