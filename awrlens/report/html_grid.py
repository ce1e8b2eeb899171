"""Headings that cover several rows and columns, laid out as a browser lays them out.

Exadata's tables print up to three rows of headings, with cells that reach over rows and
columns, and a column of marks (``*``: above the maximum) before a figure, which the figure's cell
covers where there is no mark. Counting cells does not tell there which column a cell is of.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_SPAN = re.compile(r"\b(col|row)span\s*+=\s*+[\"']?+\s*+(\d{1,4})", re.I)
#: No heading covers more rows or columns than this, and no table has more columns.
_MOST: Final = 100
_MOST_COLUMNS: Final = 1000
#: So many rows of headings are laid out at most, the last ones.
_MOST_ROWS: Final = 20


class Spans(NamedTuple):
    """How many columns and rows a cell covers."""

    columns: int
    rows: int


class Grid(NamedTuple):
    """Headings and what is printed over them, for each column.

    ``wide``: a heading covers several columns, so cells below may do so as well.
    """

    headings: tuple[str, ...]
    groups: tuple[str, ...]
    wide: bool


def spans(tag: str) -> Spans:
    """What the attributes of a cell's tag say."""
    if "span" not in tag.lower():
        return Spans(1, 1)
    found = {match[1].lower(): max(1, min(int(match[2]), _MOST)) for match in _SPAN.finditer(tag)}
    return Spans(found.get("col", 1), found.get("row", 1))


def lay_out(rows: Sequence[Sequence[tuple[str, Spans]]], width: int = 0) -> Grid:
    """The columns under some rows of headings: the lowest is the heading, the rest its group.

    Where that covers several columns it is the heading of the last; before that, it has a ``*``.
    ``width`` is how many columns the first row of figures has: where the lowest headings are too
    few for it and those above are not (19c's Smart IO), no figure can be told, so there are none.
    """
    paths: list[list[str]] = []  # what stands over each column, from above to below
    lowest: list[int] = []  # the cell that does so last
    taken: dict[int, int] = {}  # columns that a cell above still covers, and for how many rows
    cell = bottom = 0
    for row in rows[-_MOST_ROWS:]:
        covered = {at for at, left in taken.items() if left > 0}
        taken = {at: taken[at] - 1 for at in covered}
        column = 0
        for text, covers in row:
            if column > _MOST_COLUMNS:
                break
            while column in covered:
                column += 1
            cell += 1
            for at in range(column, column + covers.columns):
                if at == len(paths):
                    paths.append([])
                    lowest.append(0)
                if text:
                    paths[at].append(text)
                    lowest[at] = cell
                taken[at] = covers.rows - 1
            column += covers.columns
        bottom = max(column, *(at + 1 for at in covered), 0)
    if bottom < min(width, len(paths)):
        return Grid((), (), wide=False)
    marked = [one == other != 0 for one, other in pairwise([*lowest[:bottom], 0])]
    return Grid(
        tuple(
            f"{path[-1]} *" if mark else path[-1] if path else ""
            for path, mark in zip(paths, marked, strict=False)
        ),
        tuple(" ".join(path[:-1]) for path in paths[:bottom]),
        any(marked),
    )


def spread(cells: Iterable[tuple[str, int]]) -> tuple[list[str], list[int]]:
    """Cells on their columns: one that covers several stands in the last of them.

    Each cell is its text and how many columns it covers; beside the texts comes, for each
    column, the number of the cell that it is of.
    """
    texts: list[str] = []
    numbers: list[int] = []
    for number, (text, columns) in enumerate(cells):
        texts += [""] * (columns - 1) + [text]
        numbers += [number] * columns
    return texts, numbers
