"""One table of an HTML page; its cells are cut from the source on demand, as in the HTML standard.

A ``<`` before a digit is text: Oracle prints ``<1ms`` unescaped. Every cell keeps its offset in
the source.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from awrlens.lazy import lazy, regex
from awrlens.records import NamedTuple
from awrlens.report import html_grid
from awrlens.report.html_markup import ROW_KEY, clean, heading_text
from awrlens.report.html_rows import EvenRows, KeyedRows
from awrlens.report.reader_result import RawRow
from awrlens.source.pages import ATTRIBUTES

if TYPE_CHECKING:
    from collections.abc import Sequence

_TAG = regex(rf"<(/?)(table|tr|td|th)\b{ATTRIBUTES}>", re.I)
#: Maximum length of the first row of data; below a longer one, headings are read tag by tag.
_LONG_ROW: Final = 2**10
#: Maximum length of a heading row's markup; a longer one is read tag by tag.
_LONG_HEADINGS: Final = 2**12


class _Head(NamedTuple):
    """The headings of a table: their texts, the size of their rows and how a heading begins."""

    headings: tuple[str, ...]
    size: int
    tag: str
    #: Whether a heading may cover several columns or rows.
    has_spans: bool


class HtmlTable:
    """One ``<table>``; rows are tokenized on demand."""

    widths: tuple[int, ...] = ()

    def __init__(self, text: str, at: int, start: int, end: int) -> None:
        self._text = text
        self.at = at
        self._start = start
        self.end = end
        self.nested = False

    @property
    def parts(self) -> list[HtmlTable]:
        """The table, cut where heading rows are repeated below rows of data (Exadata)."""
        return self._cut or [self]

    @lazy
    def _cut(self) -> list[HtmlTable]:
        """The parts of a table that consists of several."""
        text, at, cuts = self._text, self._body, [self._start]
        if self.nested or text.find(self._head.tag, at, self.end) < 0:
            return []
        data = False
        while True:
            row, after = self._next_row(at, self.end)
            if row is None:
                break
            again = bool(row) and self._is_heading(row)
            if again and data:
                cuts.append(at)
            data = data if not row else not again
            at = after
        if len(cuts) == 1:
            return []
        ends = [*cuts[1:], self.end]
        ats = [self.at, *cuts[1:]]
        found = zip(ats, cuts, ends, strict=True)
        return [HtmlTable(text, at, start, end) for at, start, end in found]

    @lazy
    def headings(self) -> tuple[str, ...]:
        """Cells of the last row that contains only headings, before the first row of data."""
        return self._grid.headings if self._grid else self._head.headings

    @lazy
    def groups(self) -> tuple[str, ...]:
        """For each column, the text of the rows above the headings that covers several of them."""
        return self._grid.groups if self._grid else ()

    @lazy
    def _grid(self) -> html_grid.Grid | None:
        """The headings by column, if some cover several columns or rows."""
        if not self._head.has_spans:
            return None
        first, _ = self._next_row(self._body, self.end)
        width = sum(self._spans(start).columns for _, start, _ in first or ())
        markup = self._text[self._start : self._body]
        grid = _known_grid if len(markup) < _LONG_HEADINGS else _known_grid.__wrapped__
        return grid(markup, width)

    def _lay_out(self, width: int) -> html_grid.Grid:
        """The headings by column, if the table consists of the rows of headings."""
        at, rows = self._start, []
        while at < self.end:
            row, at = self._next_row(at, self.end)
            rows.append([(heading_text(self._text[a:b]), self._spans(a)) for _, a, b in row or ()])
        return html_grid.lay_out(rows, width)

    def _spans(self, start: int) -> html_grid.Spans:
        """How many columns and rows the cell covers whose text begins there."""
        return html_grid.spans(self._text[self._text.rfind("<", 0, start) : start])

    @property
    def _body(self) -> int:
        """Where the first row below the headings begins."""
        return self._start + self._head.size

    @lazy
    def _head(self) -> _Head:
        """The rows of headings."""
        near = self._text[self._start : min(self._start + _LONG_HEADINGS, self.end)]
        tag = "<td" if near.lstrip()[1:2].islower() else "<TD"
        cell = near.find(tag)
        row, ends, _ = near[max(cell, 0) : cell + _LONG_ROW].lower().partition("</tr")
        if "<th" in row:  # blank cells beside headings
            cell = near.find(tag, near.lower().rfind("<th"))
            row, ends, _ = near[max(cell, 0) : cell + _LONG_ROW].lower().partition("</tr")
        if cell < 0 or not ends or "<th" in row or "<tr" in row:
            return self._read_head()
        return _known_head(near[:cell])

    def _read_head(self) -> _Head:
        headings, body = self._headings()
        markup = self._text[self._start : body]
        tag = "<TH" if "<TH" in markup else "<th"
        return _Head(headings, len(markup), tag, has_spans="span" in markup.lower())

    def _headings(self) -> tuple[tuple[str, ...], int]:
        """The headings, and where the next row begins."""
        found: tuple[str, ...] = ()
        at = self._start
        while True:
            row, after = self._next_row(at, self.end)
            if row is None or (row and not self._is_heading(row)):
                return found, at
            cells = tuple(heading_text(self._text[a:b]) for _, a, b in row)
            # a row above that spans groups of columns has fewer cells
            if cells and len(cells) >= len(found):
                found = cells
            at = after

    def _is_heading(self, row: list[tuple[str, int, int]]) -> bool:
        """Whether a row contains headings, and otherwise only blank cells."""
        kinds = {kind for kind, _, _ in row}
        if "h" not in kinds:
            return False
        return kinds == {"h"} or not any(
            clean(self._text[a:b]) for kind, a, b in row if kind == "d"
        )

    def _next_row(self, at: int, end: int) -> tuple[list[tuple[str, int, int]] | None, int]:
        """Cells (kind, start, end) of the next row and where it ends; None after the last."""
        cells: list[tuple[str, int, int]] = []
        begun = False
        depth = 0
        kind = ""
        start = 0
        for match in _TAG.finditer(self._text, at, end):
            closing, name = match[1], match[2].lower()
            if name == "table":
                depth += -1 if closing else 1
                continue
            if depth > 0 or (closing and name in ("td", "th") and name[1] != kind):
                continue  # inside a nested table, or an end tag without an open cell
            if kind:
                cells.append((kind, start, match.start()))
                kind = ""
            if name == "tr":
                if begun and closing:
                    return cells, match.end()
                if begun:
                    return cells, match.start()
                begun = not closing
            elif not closing:
                begun = True
                kind, start = name[1], match.end()
        if kind:
            cells.append((kind, start, end))
        return (cells, end) if cells or begun else (None, end)

    def _row_cells(self, at: int) -> tuple[RawRow | None, int]:
        cells, after = self._next_row(at, self.end)
        if cells is None:
            return None, after
        text = self._text
        where = cells[0][1] if cells else at
        row = RawRow([clean(text[a:b]) for _, a, b in cells], where, [a for _, a, _ in cells])
        return row, after

    def rows(self) -> Sequence[RawRow]:
        """All rows below the headings."""
        return self._rows

    @lazy
    def _rows(self) -> Sequence[RawRow]:
        at = self._body
        if self._is_spread:
            return [self._on_grid(row) for row in self._any_rows(at)]
        even = None if self.nested else EvenRows.of(self._text, at, self.end)
        return self._any_rows(at) if even is None else even

    @lazy
    def _is_spread(self) -> bool:
        """Whether cells below the headings cover several columns."""
        grid = self._grid
        if grid is None:
            return False
        return grid.wide or self._text.find("colspan", self._body, self.end) >= 0

    def _on_grid(self, row: RawRow) -> RawRow:
        places = [row.place(number) for number in range(len(row.cells))]
        columns = [self._spans(place).columns for place in places]
        if not (self._grid and self._grid.wide):
            # every heading is of one column: only a blank cell can cover several columns
            columns = [1 if cell else n for cell, n in zip(row.cells, columns, strict=True)]
        cells, numbers = html_grid.spread(zip(row.cells, columns, strict=True))
        return RawRow(cells, row.at, [places[number] for number in numbers])

    def _any_rows(self, at: int) -> list[RawRow]:  # noqa: C901 - one pass over all that occurs
        """Rows of a table with markup in its cells, or with unclosed or nested tags."""
        rows: list[RawRow] = []
        text = self._text
        cells: list[str] = []
        places: list[int] = []
        depth = 0
        start = -1
        opened = ""
        # the loop of _next_row, unrolled over the whole table because it is the hot path
        for match in _TAG.finditer(text, at, self.end):
            name = match[2]
            name = name if name.islower() else name.lower()
            if name == "table":
                depth += -1 if match[1] else 1
                continue
            if depth > 0:
                continue
            if start >= 0:
                if match[1] and name not in ("tr", opened):
                    continue
                piece = text[start : match.start()]
                cells.append(clean(piece) if "<" in piece or "&" in piece else piece.strip())
                start = -1
            if name == "tr":
                if cells:
                    rows.append(RawRow(cells, places[0], places))
                    cells, places = [], []
            elif not match[1]:
                start = match.end()
                opened = name
                places.append(start)
        if start >= 0:
            cells.append(clean(text[start : self.end]))
        if cells:
            rows.append(RawRow(cells, places[0], places))
        return rows

    @lazy
    def _keyed(self) -> KeyedRows | None:
        """The rows by their first cells, if these are plain text."""
        return None if self.nested else KeyedRows.of(self._text, self._body, self.end)

    @lazy
    def _key_list(self) -> list[str] | None:
        """First cells of all rows; None when the rows must be decoded."""
        if self.nested:
            return None
        return self._keyed.keys if self._keyed else self._decoded[0]

    @lazy
    def _decoded(self) -> tuple[list[str], dict[str, int]]:
        """First cells of all rows, and the offset of the first row of each."""
        text, start, end = self._text, self._start, self.end
        keys: list[str] = []
        places: dict[str, int] = {}
        for match in ROW_KEY.of(text, start, end).finditer(text, start, end):
            key = match[1]
            if match[2] is None:  # markup in the cell
                row, _ = self._row_cells(match.start())
                key = row.cells[0] if row and row.cells else key
            keys.append(clean(key) if "&" in key else key.strip())
            places.setdefault(keys[-1], match.start())
        return keys, places

    @lazy
    def again(self) -> set[str]:
        """First cells that occur in more than one row."""
        keys = self._key_list or []
        first = self._keyed.first if self._keyed else set(keys)
        if len(first) == len(keys):
            return set()
        return {key for key, count in Counter(keys).items() if count > 1}

    def row(self, key: str) -> RawRow | None:
        """The first row whose first cell is ``key``; only that row is tokenized."""
        if self.nested or self._is_spread:
            return next((row for row in self._rows if row.cells and row.cells[0] == key), None)
        keyed = self._keyed
        if keyed is None:
            at = self._decoded[1].get(key)
        else:
            number = keyed.first.get(key)
            if number is None:
                return None
            row = keyed.row(number)
            if row is not None:
                return row
            at = keyed.place(number)
        return None if at is None else self._row_cells(at)[0]

    @lazy
    def _unique_keys(self) -> list[str] | None:
        keys = self._key_list
        return list(dict.fromkeys(keys)) if keys and self.again else keys

    def keys(self) -> list[str] | None:
        """First cells of all rows, each once."""
        return self._unique_keys


@lru_cache(maxsize=1024)
def _known_head(markup: str) -> _Head:
    """The rows of headings before the first cell of data; every report of a batch has the same."""
    whole = f"{markup}<td>1</td></tr>"
    return HtmlTable(whole, 0, 0, len(whole))._read_head()  # noqa: SLF001 - this module's own


@lru_cache(maxsize=1024)
def _known_grid(markup: str, width: int) -> html_grid.Grid:
    """The columns under some rows of headings, if the first row below has this many columns."""
    return HtmlTable(markup, 0, 0, len(markup))._lay_out(width)  # noqa: SLF001 - likewise
