"""Rows of an HTML table that all have the same form: every cell is plain text in its own tags.

Nearly every table of a report is like this, and searches for plain text cut it several times as
fast as a pattern. Counting brackets detects other tables; the result is then None.
"""

from __future__ import annotations

import re
from functools import cache
from itertools import accumulate
from typing import Final, overload

from awrlens.lazy import regex
from awrlens.report.html_markup import clean
from awrlens.report.reader_result import ColumnRows, RawRow

#: The beginning of a stretch's first row; the other rows are written in the same way.
_FIRST: Final = regex(r"<(tr)\b[^<>]*+>\s*+<(td)\b[^<>]*+>[^<>]*+</(td)>", re.I)
_ROW_ENDS: Final = ("</tr>", "</TR>")


@cache
def _plain_cell(begin: str, end: str) -> re.Pattern[str]:
    """A plain cell; a case-sensitive pattern is twice as fast as one that ignores case."""
    return re.compile(rf"<{begin}\b[^<>]*+>([^<>]*+)</{end}>")


class EvenRows(ColumnRows):
    """Rows with the same number of cells; a row is created on demand."""

    def __init__(
        self, text: str, offsets: list[int], cells: list[str], pattern: re.Pattern[str]
    ) -> None:
        self._text = text
        self._offsets = offsets
        self._cells = cells
        self._width = len(cells) // len(self)
        self._pattern = pattern

    @classmethod
    def of(cls, text: str, start: int, end: int) -> EvenRows | None:
        """The rows between two places of a page; None if they are not plain or differ in form."""
        first = _FIRST.search(text, start, end)
        if first is None:
            return None
        ends = (text.rfind(row_end, first.end(), end) for row_end in _ROW_ENDS)
        last = next((found for found in ends if found >= 0), -1)
        if last < 0:
            return None
        begin, after = first.start(), last + len(_ROW_ENDS[0])
        # the tags of a body may be around the rows
        if "<t" in f"{text[start:begin]}{text[after:end]}".lower().replace("<tbody", ""):
            return None
        markup, row = text[begin:after], f"<{first[1]}"
        pieces = markup.split(row)[1:]
        pattern = _plain_cell(first[2], first[3])
        cells = pattern.findall(markup)
        width, more = divmod(len(cells), len(pieces))
        # every row has two tags per cell and its own end tag
        if more or {piece.count("<") for piece in pieces} != {2 * width + 1}:
            return None
        sizes = (len(piece) + len(row) for piece in pieces)
        return cls(text, list(accumulate(sizes, initial=begin)), _texts(cells, markup), pattern)

    def __len__(self) -> int:
        """Number of rows."""
        return len(self._offsets) - 1

    @overload
    def __getitem__(self, number: int) -> RawRow: ...

    @overload
    def __getitem__(self, number: slice) -> list[RawRow]: ...

    def __getitem__(self, number: int | slice) -> RawRow | list[RawRow]:
        """One row, or a slice of rows; IndexError when there are fewer."""
        numbers = range(len(self))[number]
        return self._row(numbers) if isinstance(numbers, int) else list(map(self._row, numbers))

    def _row(self, number: int) -> RawRow:
        at, end = self._offsets[number], self._offsets[number + 1]
        cells = self._cells[number * self._width : (number + 1) * self._width]
        return RawRow(cells, at, _Places(self._text, at, end, self._pattern))

    def column(self, number: int) -> list[str]:
        """One cell of every row; blank if a row has fewer."""
        if number < self._width:
            return self._cells[number :: self._width]
        return [""] * len(self)


def plain_row(text: str, at: int, end: int) -> RawRow | None:
    """The row that begins at a place, if all its cells are plain."""
    first = _FIRST.match(text, at, end)
    if first is None:
        return None
    row, begins, ends = first.groups()
    after = text.find(f"</{row}>", first.end(), end)
    after = after if after >= 0 else end
    markup = text[at:after]
    pattern = _plain_cell(begins, ends)
    cells = pattern.findall(markup)
    if markup.count("<") != 2 * len(cells) + 1:
        return None
    return RawRow(_texts(cells, markup), at, _Places(text, at, after, pattern))


def _texts(cells: list[str], markup: str) -> list[str]:
    """The texts of plain cells."""
    texts = list(map(str.strip, cells))
    return [clean(text) if "&" in text else text for text in texts] if "&" in markup else texts


class _Places:
    """Where the cells of a plain row begin; computed when a cell becomes evidence."""

    __slots__ = ("_known", "_of")

    def __init__(self, text: str, at: int, end: int, pattern: re.Pattern[str]) -> None:
        self._of = text, at, end, pattern
        self._known: list[int] = []

    def __getitem__(self, cell: int) -> int:
        if not self._known:
            text, at, end, pattern = self._of
            self._known = [match.start(1) for match in pattern.finditer(text, at, end)]
        return self._known[cell]
