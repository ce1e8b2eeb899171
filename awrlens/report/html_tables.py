"""One table of an HTML page; its cells are cut from the source on demand, as in the HTML standard.

A ``<`` before a digit is text: Oracle prints ``<1ms`` unescaped. Exadata's tables have up to three
rows of headings, with cells that span rows and columns, and marks (``*``) before some figures:
headings are laid out as in a browser. Nearly all tables are plain text in its own tags, which
searches for plain text cut many times as fast as a pattern.
"""

from __future__ import annotations

import re
from functools import lru_cache, partial
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from awrlens.lazy import NamedTuple, lazy, regex
from awrlens.report.reader_result import RawRow, RowTable
from awrlens.source.saved_pages import ATTRIBUTES, COMMENT, unescape

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from awrlens.report.reader_result import RawTable


CELL_END: Final = regex(r"</t[dhr]\b", re.I)
#: How much text before a place is examined.
NEAR: Final = 2**14
_ANY_TAG = regex(rf"{COMMENT}|</?[a-zA-Z]{ATTRIBUTES}>|<[!?/][^<>]*+>")
_BREAK = regex(r"<br\b[^<>]*+>", re.I)
_BLANKS = regex(r"\s+")


def clean(markup: str) -> str:
    """Text of a piece of HTML: tags removed, entities resolved, blanks at the ends removed."""
    if "<" in markup:
        markup = _ANY_TAG.sub("", _BREAK.sub(" ", markup))
    if "&" in markup:
        markup = unescape(markup)
    return markup.replace("\u00a0", " ").strip()


def one_line(markup: str) -> str:
    """Text of a piece of HTML, with a single blank between its words."""
    return _BLANKS.sub(" ", clean(markup))


def _beside(row: RawRow, first: int, step: int) -> Callable[[int], int]:
    """The places of a label and the cells after it; ``step`` is 0 if all of them are one cell."""
    return lambda cell: row.place(first + cell * step)


def labels_of(table: RawTable) -> RowTable:
    """A table of cells as labels, each with the cells that follow it."""
    headings, printed = table.headings, table.rows()
    if headings and headings[0] and len(printed) == 1:  # the headings of one row are the labels
        row = printed[0]
        pairs = enumerate(zip(headings, row.cells, strict=False))
        turned = [RawRow([*pair], row.at, _beside(row, number, 0)) for number, pair in pairs]
        return RowTable((), table.at, turned)
    rows: list[RawRow] = []
    for row in printed:
        current: list[str] = []
        for number, cell in enumerate(row.cells):
            if number == 0 or cell.endswith(":"):
                current = [cell.rstrip(":").strip()]
                if current[0]:
                    rows.append(RawRow(current, row.at, _beside(row, number, 1)))
            else:
                current.append(cell)
    return RowTable(headings, table.at, rows)


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
    """The heading of each column and the text above it; ``wide``: some cover several columns."""

    headings: tuple[str, ...]
    groups: tuple[str, ...]
    wide: bool


def spans(tag: str) -> Spans:
    """The spans in the attributes of a cell's tag."""
    if "span" not in tag.lower():
        return Spans(1, 1)
    sizes = {match[1].lower(): max(1, min(int(match[2]), _MOST)) for match in _SPAN.finditer(tag)}
    return Spans(sizes.get("col", 1), sizes.get("row", 1))


def lay_out(rows: Sequence[Sequence[tuple[str, Spans]]], width: int = 0) -> Grid:
    """The columns under some rows of headings: the lowest is the heading, the rest its group.

    A heading of several columns is that of the last; those before it get ``*``. If the lowest are
    too few for the ``width`` of figures and those above are not (19c's Smart IO), it is empty.
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
    """Texts of cells and their columns, by column (in the last of several); the cells' indexes."""
    texts: list[str] = []
    numbers: list[int] = []
    for number, (text, columns) in enumerate(cells):
        texts += [""] * (columns - 1) + [text]
        numbers += [number] * columns
    return texts, numbers


#: What is printed before the first row, and its tag; the tags of a body may be around the rows.
_BEFORE: Final = regex(r"(?:[^<]|</|<(?=[tT][bB][oO][dD][yY]\b))*+<(tr|TR)\b")
#: The markup before the text of a cell, without its last bracket: of a row's first cell, of the
#: first cell of the next row, and of another cell.
_FIRST: Final = regex(r"(?!\w)[^<>]*+>\s*+<[tT][dD]\b[^<>]*+")
_NEXT: Final = regex(r"\s*+</[tT][rR]>\s*+<[tT][rR]\b[^<>]*+>\s*+<[tT][dD]\b[^<>]*+")
_OTHER: Final = regex(r"\s*+<[tT][dD]\b[^<>]*+")
#: The markup behind the last cell of a row.
_END: Final = regex(r"\s*+</[tT][rR]>(?:[^<>]|</[tT][bB][oO][dD][yY]\s*+>)*+")
_END_OF_CELL: Final = {"tr": "</td>", "TR": "</TD>"}


def _texts(cells: Sequence[str]) -> list[str] | None:
    """The texts of cells; None if there is markup in them."""
    together = "".join(cells)
    if "<" in together:
        return None
    if "&" in together:
        return [clean(cell) if "&" in cell else cell.strip() for cell in cells]
    return list(map(str.strip, cells))


def _place(pieces: list[str], at: int, between: int, cell: int) -> int:
    """Where a cell of a row begins; computed when it becomes evidence."""
    before = sum(map(len, pieces[:cell]), at + cell * between)
    return before + pieces[cell].rindex(">") + 1


def _even_rows(text: str, start: int, end: int) -> list[RawRow] | None:
    """The rows between two places of a page; None if they are not plain or differ in form."""
    first = _BEFORE.match(text, start, end)
    if first is None:
        return None
    at, cell_end = first.end(), _END_OF_CELL[first[1]]
    *pieces, behind = text[at:end].split(cell_end)
    if not pieces or not _END.fullmatch(behind):
        return None
    cells = [piece.rpartition(">") for piece in pieces]
    heads = [head for head, _, _ in cells]
    of_next = _NEXT.fullmatch
    width = next((n for n, head in enumerate(heads) if n and of_next(head)), len(heads))
    begin, *later = heads[::width]
    del heads[::width]
    texts = _texts([cell for _, _, cell in cells])
    even = (
        len(cells) % width == 0
        and _FIRST.fullmatch(begin)
        and all(map(of_next, {*later}))
        and all(map(_OTHER.fullmatch, {*heads}))
    )
    if texts is None or not even:
        return None
    rows: list[RawRow] = []
    for first_cell in range(0, len(cells), width):
        own = pieces[first_cell : first_cell + width]
        # the row's tag is the last but one before the text of its first cell
        tag = own[0].rfind("<", 0, own[0].rindex("<")) if rows else -len("<tr")
        place = partial(_place, own, at, len(cell_end))
        rows.append(RawRow(texts[first_cell : first_cell + width], at + tag, place))
        at += sum(map(len, own)) + width * len(cell_end)
    return rows


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


#: Oracle's words for what a table shows, since 11g.
_SUMMARY: Final = regex(r"""\ssummary=["'](?:This table displays\s)?([^"'<>]{1,400})""", re.I)


class HtmlTable:
    """One ``<table>``; rows are tokenized on demand."""

    widths: tuple[int, ...] = ()

    def __init__(self, text: str, at: int, start: int, end: int) -> None:
        self._text = text
        self.at = at
        self._start = start
        self.end = end
        self.nested = False

    @lazy
    def summary(self) -> str:
        """What the table shows, in Oracle's words in its tag."""
        match = _SUMMARY.search(self._text, self.at, self._start)
        return one_line(match[1]) if match else ""

    @property
    def parts(self) -> list[HtmlTable]:
        """The table, cut where heading rows are repeated below rows of data (Exadata)."""
        return self._cut or [self]

    @lazy
    def _cut(self) -> list[HtmlTable]:
        text, cuts = self._text, [self._start]
        if self.nested or text.find(self._head.tag, self._body, self.end) < 0:
            return []
        data = False
        for row, at, _ in self._cells(self._body):
            again = bool(row) and self._is_heading(row)
            if again and data:
                cuts.append(at)
            data = data if not row else not again
        if len(cuts) == 1:
            return []
        ends = [*cuts[1:], self.end]
        ats = [self.at, *cuts[1:]]
        places = zip(ats, cuts, ends, strict=True)
        return [HtmlTable(text, at, start, end) for at, start, end in places]

    @lazy
    def headings(self) -> tuple[str, ...]:
        """Cells of the last row that contains only headings, before the first row of data."""
        return self._grid.headings if self._grid else self._head.headings

    @lazy
    def groups(self) -> tuple[str, ...]:
        """For each column, the text of the rows above the headings that covers several of them."""
        return self._grid.groups if self._grid else ()

    @lazy
    def _grid(self) -> Grid | None:
        if not self._head.has_spans:
            return None
        first, _ = self._next_row(self._body, self.end)
        width = sum(self._spans(start).columns for _, start, _ in first or ())
        at, rows = self._start, []
        while at < self._body:
            row, at = self._next_row(at, self._body)
            rows.append([(one_line(self._text[a:b]), self._spans(a)) for _, a, b in row or ()])
        return lay_out(rows, width)

    def _spans(self, start: int) -> Spans:
        return spans(self._text[self._text.rfind("<", 0, start) : start])

    @property
    def _body(self) -> int:
        return self._start + self._head.size

    @lazy
    def _head(self) -> _Head:
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
        headings: tuple[str, ...] = ()
        body = self._start
        for row, _, after in self._cells(body):
            if row and not self._is_heading(row):
                break
            cells = tuple(one_line(self._text[a:b]) for _, a, b in row)
            # a row above that spans groups of columns has fewer cells
            if cells and len(cells) >= len(headings):
                headings = cells
            body = after
        markup = self._text[self._start : body]
        tag = "<TH" if "<TH" in markup else "<th"
        return _Head(headings, len(markup), tag, has_spans="span" in markup.lower())

    def _is_heading(self, row: list[tuple[str, int, int]]) -> bool:
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

    def _cells(self, at: int) -> Iterator[tuple[list[tuple[str, int, int]], int, int]]:
        """The cells of each row from a place on, where the row begins and where it ends."""
        row, after = self._next_row(at, self.end)
        while row is not None:
            yield row, at, after
            row, after = self._next_row(at := after, self.end)

    def rows(self) -> Sequence[RawRow]:
        """All rows below the headings."""
        return self._rows

    @lazy
    def _rows(self) -> Sequence[RawRow]:
        if self._is_spread:
            return [self._on_grid(row) for row in self._any_rows]
        even = None if self.nested else _even_rows(self._text, self._body, self.end)
        return self._any_rows if even is None else even

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
        cells, numbers = spread(zip(row.cells, columns, strict=True))
        return RawRow(cells, row.at, [places[number] for number in numbers].__getitem__)

    @lazy
    def _any_rows(self) -> list[RawRow]:
        """Rows of a table with markup in its cells, or with unclosed or nested tags."""
        text, rows = self._text, []
        for cells, _, _ in self._cells(self._body):
            if cells:
                places = [a for _, a, _ in cells]
                texts = [clean(text[a:b]) for _, a, b in cells]
                rows.append(RawRow(texts, places[0], places.__getitem__))
        return rows


@lru_cache(maxsize=1024)
def _known_head(markup: str) -> _Head:
    """The rows of headings before the first cell of data; every report of a batch has the same."""
    whole = f"{markup}<td>1</td></tr>"
    return HtmlTable(whole, 0, 0, len(whole))._read_head()  # noqa: SLF001 - this module's own
