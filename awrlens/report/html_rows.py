"""Rows of an HTML table whose cells are plain text in their own tags.

Nearly every table of a report is like this. Searches for plain text cut it many times as fast as a
pattern. The markup that remains between the texts shows whether it is; if not, the result is None.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import accumulate
from typing import TYPE_CHECKING, Final, overload

from awrlens.lazy import lazy, regex
from awrlens.report.html_markup import clean
from awrlens.report.reader_result import ColumnRows, RawRow

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

#: What is printed before the first row, and its tag; the tags of a body may be around the rows.
_BEFORE: Final = regex(r"(?:[^<]|</|<(?=[tT][bB][oO][dD][yY]\b))*+<(tr|TR)\b")
#: The markup before the text of a cell, without its last bracket: of a row's first cell, of the
#: first cell of the next row, and of another cell.
_FIRST: Final = regex(r"(?!\w)[^<>]*+>\s*+<[tT][dD]\b[^<>]*+")
_NEXT: Final = regex(r"\s*+</[tT][rR]>\s*+<[tT][rR]\b[^<>]*+>\s*+<[tT][dD]\b[^<>]*+")
_OTHER: Final = regex(r"\s*+<[tT][dD]\b[^<>]*+")
#: The markup behind the last cell of a row.
_END: Final = regex(r"\s*+</[tT][rR]>(?:[^<>]|</[tT][bB][oO][dD][yY]\s*+>)*+")
#: How a cell ends, by the letters of its row's tag.
_CELL_ENDS: Final = {"tr": "</td>", "TR": "</TD>"}

#: Maximum length of markup, or of a row, that may be the same in every report.
_LONG: Final = 2**12


@lru_cache(maxsize=4096)
def _known(matches: Callable[[str], object], markup: str) -> bool:
    """Whether markup is as expected; the rows of all reports have the same few tags."""
    return matches(markup) is not None


def _fits(matches: Callable[[str], object], markup: str) -> bool:
    """Whether markup is as expected: whether a pattern matches all of it."""
    known = _known if len(markup) < _LONG else _known.__wrapped__
    return known(matches, markup)


@lru_cache(maxsize=1024)
def _are_of_row(heads: tuple[str, ...], end: str) -> bool:
    """Whether the markup before each cell of a row and behind the last one is as expected."""
    first, *others = heads or ("",)
    ends = _fits(_END.fullmatch, end) and _fits(_FIRST.fullmatch, first)
    return ends and all(_fits(_OTHER.fullmatch, each) for each in others)


def _texts(cells: Sequence[str]) -> list[str] | None:
    """The texts of cells; None if there is markup in them."""
    together = "".join(cells)
    if "<" in together:
        return None
    if "&" in together:
        return [clean(cell) if "&" in cell else cell.strip() for cell in cells]
    return list(map(str.strip, cells))


class _Places:
    """Where the cells of a row begin; computed when a cell becomes evidence."""

    __slots__ = ("_of",)

    def __init__(self, pieces: list[str], at: int, between: int) -> None:
        self._of = pieces, at, between

    def __getitem__(self, cell: int) -> int:
        pieces, at, between = self._of
        before = sum(map(len, pieces[:cell]), at + cell * between)
        return before + pieces[cell].rindex(">") + 1


class EvenRows(ColumnRows):
    """Rows with the same number of cells; a row is created on demand."""

    def __init__(
        self, pieces: list[str], cells: list[str], width: int, at: int, between: int
    ) -> None:
        self._pieces = pieces
        self._cells = cells
        self._width = width
        self._at = at
        self._between = between

    @classmethod
    def of(cls, text: str, start: int, end: int) -> EvenRows | None:
        """The rows between two places of a page; None if they are not plain or differ in form."""
        first = _BEFORE.match(text, start, end)
        if first is None:
            return None
        at, cell_end = first.end(), _CELL_ENDS[first[1]]
        *pieces, behind = text[at:end].split(cell_end)
        if not pieces or not _fits(_END.fullmatch, behind):
            return None
        found = [piece.rpartition(">") for piece in pieces]
        heads = [head for head, _, _ in found]
        of_next = _NEXT.fullmatch
        width = next((n for n, head in enumerate(heads) if n and _fits(of_next, head)), len(heads))
        begin, *later = heads[::width]
        del heads[::width]
        texts = _texts([cell for _, _, cell in found])
        even = (
            len(found) % width == 0
            and _fits(_FIRST.fullmatch, begin)
            and all(_fits(of_next, head) for head in {*later})
            and all(_fits(_OTHER.fullmatch, head) for head in {*heads})
        )
        return None if texts is None or not even else cls(pieces, texts, width, at, len(cell_end))

    def __len__(self) -> int:
        """Number of rows."""
        return len(self._cells) // self._width

    @overload
    def __getitem__(self, number: int) -> RawRow: ...

    @overload
    def __getitem__(self, number: slice) -> list[RawRow]: ...

    def __getitem__(self, number: int | slice) -> RawRow | list[RawRow]:
        """One row, or a slice of rows; IndexError when there are fewer."""
        numbers = range(len(self))[number]
        return self._row(numbers) if isinstance(numbers, int) else list(map(self._row, numbers))

    def __iter__(self) -> Iterator[RawRow]:
        """All rows in order."""
        return map(self._row, range(len(self)))

    def _row(self, number: int) -> RawRow:
        first, width = number * self._width, self._width
        pieces = self._pieces[first : first + width]
        at = self._starts[first] + first * self._between
        # the row's tag is the last but one before the text of its first cell
        tag = pieces[0].rfind("<", 0, pieces[0].rindex("<")) if number else -len("<tr")
        cells = self._cells[first : first + width]
        return RawRow(cells, at + tag, _Places(pieces, at, self._between))

    @lazy
    def _starts(self) -> list[int]:
        """Where each piece begins, without the ends of the cells before it."""
        return list(accumulate(map(len, self._pieces), initial=self._at))

    def column(self, number: int) -> list[str]:
        """One cell of every row; blank if a row has fewer."""
        if number < self._width:
            return self._cells[number :: self._width]
        return [""] * len(self)


class KeyedRows:
    """The rows of a table by their first cells; the other cells are cut when a row is read."""

    def __init__(self, rows: list[str], keys: list[str], at: int, cell_end: str) -> None:
        self._rows = rows
        self._at = at
        self._cell_end = cell_end
        #: The first cell of every row.
        self.keys = keys

    @classmethod
    def of(cls, text: str, start: int, end: int) -> KeyedRows | None:
        """The rows between two places of a page; None if a row may begin in another form."""
        first = _BEFORE.match(text, start, end)
        if first is None or text.find(f"<{first[1].swapcase()}", start, end) >= 0:
            return None
        at, cell_end = first.end(), _CELL_ENDS[first[1]]
        rows = text[at:end].split(f"<{first[1]}")
        found = [row.partition(cell_end)[0].rpartition(">") for row in rows]
        keys = _texts([cell for _, _, cell in found])
        heads = {head for head, _, _ in found}
        if keys is None or not all(_fits(_FIRST.fullmatch, head) for head in heads):
            return None
        return cls(rows, keys, at, cell_end)

    @lazy
    def first(self) -> dict[str, int]:
        """The number of the first row of each key."""
        return dict(zip(reversed(self.keys), range(len(self.keys) - 1, -1, -1), strict=True))

    @lazy
    def _starts(self) -> list[int]:
        """Where each row begins, without the tags of the rows before it."""
        return list(accumulate(map(len, self._rows), initial=self._at))

    def place(self, number: int) -> int:
        """Where a row's tag begins."""
        return self._starts[number] + (number - 1) * len("<tr")

    def row(self, number: int) -> RawRow | None:
        """A row; None if its cells are not plain."""
        row = self._rows[number]
        if len(row) > _LONG:
            return None
        *pieces, end = row.split(self._cell_end)
        found = [piece.rpartition(">") for piece in pieces]
        cells = _texts([cell for _, _, cell in found])
        if cells is None or not _are_of_row(tuple([head for head, _, _ in found]), end):
            return None
        at = self.place(number)
        return RawRow(cells, at, _Places(pieces, at + len("<tr"), len(self._cell_end)))
