"""Names on a separate line below a row: the container of the row (12.2 and later).

Most sections print ``PDB: NAME``, indented. Sections of sampled activity print the name at the
right margin, under a third ruler whose heading is ``Container Name``.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING, Final

from awrlens.lazy import regex
from awrlens.report.reader_result import RawRow

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

#: The column's heading in HTML reports.
PDB_HEADING: Final = "PDB Name"
_PDB_MARK: Final = "PDB: "
_PDB = regex(r" +PDB: (?P<name>\S.*)")
#: Minimum number of blanks before a name at the right margin.
_MARGIN: Final = " " * 5


def pdb_lines(lines: Sequence[str]) -> dict[int, str]:
    """The lines that contain only the container of the row above."""
    marked = ((at, _PDB.fullmatch(line)) for at, line in enumerate(lines) if _PDB_MARK in line)
    return {at: match["name"] for at, match in marked if match}


def right_aligned(lines: Sequence[str], rows: Iterable[int], end: int) -> dict[int, str]:
    """The lines of a table with only one word, which ends where the ruler ends."""
    found = ((at, lines[at]) for at in rows if len(lines[at]) == end)
    return {at: line.strip() for at, line in found if line.startswith(_MARGIN) and _is_word(line)}


def _is_word(line: str) -> bool:
    return len(line.split()) == 1


def with_names(rows: list[RawRow], names: dict[int, str], *, shared: bool) -> list[RawRow]:
    """Rows with one more cell: the name below them.

    If names are ``shared``, rows with the same beginning get the name below the last of them:
    sampled SQL has one row per event, but the container only once.
    """
    places = sorted(names)
    found: list[RawRow] = []
    name, where = "", 0
    following = places[-1] + 1 if places else 0
    for row in reversed(rows):
        after = bisect_right(places, row.at)
        if after < len(places) and places[after] < following:
            name, where = names[places[after]], places[after]
        elif not shared or not found or found[-1].cells[0] != row.cells[0]:
            name, where = "", row.at
        spots = [row.place(cell) for cell in range(len(row.cells))]
        found.append(RawRow([*row.cells, name], row.at, [*spots, where]))
        following = row.at
    return found[::-1]
