"""Headings that cover several rows and columns, laid out as in a browser.

Exadata's tables print up to three rows of headings, with cells that span rows and columns. They
also have a column of marks (``*``: above the maximum) before a figure; without a mark, the
figure's cell covers it. Counting cells therefore does not identify a cell's column.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from awrlens.lazy import regex
from awrlens.records import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_SPAN = regex(r"\b(col|row)span\s*+=\s*+[\"']?+\s*+(\d{1,4})", re.I)
#: Maximum number of rows or columns that a heading covers, and of columns in a table.
_MOST: Final = 100
_MOST_COLUMNS: Final = 1000
#: Maximum number of heading rows that are laid out (the last ones).
_MOST_ROWS: Final = 20


class Spans(NamedTuple):
    """The number of columns and rows that a cell covers."""

    columns: int
    rows: int


class Grid(NamedTuple):
    """For each column, its heading and the text printed above it.

    ``wide``: a heading covers several columns, so cells below may do so, too.
    """

    headings: tuple[str, ...]
    groups: tuple[str, ...]
    wide: bool


def spans(tag: str) -> Spans:
    """The spans in the attributes of a cell's tag."""
    if "span" not in tag.lower():
        return Spans(1, 1)
    found = {match[1].lower(): max(1, min(int(match[2]), _MOST)) for match in _SPAN.finditer(tag)}
    return Spans(found.get("col", 1), found.get("row", 1))


def lay_out(rows: Sequence[Sequence[tuple[str, Spans]]], width: int = 0) -> Grid:
    """The columns under some rows of headings: the lowest is the heading, the rest its group.

    If the lowest heading covers several columns, it is the heading of the last; those before it
    get ``*``. ``width`` is the number of columns in the first row of figures. If the lowest
    headings are too few for it and those above are not (19c's Smart IO), the columns are ambiguous
    and the result is empty.
    """
    paths: list[list[str]] = []  # the texts above each column, from top to bottom
    lowest: list[int] = []  # the lowest such cell
    taken: dict[int, int] = {}  # columns that a cell above covers, and for how many more rows
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
    """Cells by column: a cell that covers several columns is in the last of them.

    Each cell is its text and the number of columns that it covers. The result has the texts and,
    for each column, the index of its cell.
    """
    texts: list[str] = []
    numbers: list[int] = []
    for number, (text, columns) in enumerate(cells):
        texts += [""] * (columns - 1) + [text]
        numbers += [number] * columns
    return texts, numbers
