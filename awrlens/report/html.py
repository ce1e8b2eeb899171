"""Reader of HTML reports: an index of headings and tables, cells cut out of the source on demand.

An HTML parser would build a tree of the whole page to throw most of it away; the reader finds
where tables begin in one pass and tokenizes only those that are asked for, as the HTML standard
does it (a ``<`` before a digit is text: Oracle prints ``<1ms`` unescaped). Every cell keeps its
offset in the source.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import cached_property, lru_cache
from html import unescape
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Final, NamedTuple

from awrlens.report import html_grid
from awrlens.report.folds import unfold
from awrlens.report.html_labels import HtmlLabels
from awrlens.report.raw import RawNote, RawRow

if TYPE_CHECKING:
    from collections.abc import Iterable

    from awrlens.model import Excerpt
    from awrlens.report.raw import RawSection, RawTable

#: What stands between a tag's name and its ``>``: values in quotes may hold ``>``.
_ATTRIBUTES = r"(?:[^>=]|=\s*+\"[^\"]*+\"|=\s*+'[^']*+'|=)*+"
_MARK = re.compile(r"<(/?)(table|h[1-6])\b[^>]*>", re.I)
_TAG = re.compile(rf"<(/?)(table|tr|td|th)\b{_ATTRIBUTES}>", re.I)
_CELL_BEGIN = re.compile(rf"<t[dh]\b{_ATTRIBUTES}>", re.I)
_CELL_END = re.compile(r"</t[dhr]\b", re.I)
_CELL_OR_ROW = re.compile(r"</?(t[dhr])\b", re.I)
_ROW_END = re.compile(r"</tr\b", re.I)
_ANY_TAG = re.compile(rf"<!--.*?-->|</?[a-zA-Z]{_ATTRIBUTES}>|<[!?/][^>]*>", re.S)
_BREAK = re.compile(r"<br\b[^>]*>", re.I)
_NOTE = re.compile(r"<li\b[^>]*>(.*?)(?=</?li\b|</?ul\b|$)", re.I | re.S)
_NO_CAPTION = re.compile(
    r"<a\b[^>]*>.*?</a>|<ul\b.*?</ul>|<style\b.*?</style>|<title\b.*?</title>|<li\b[^>]*>.*?</li>",
    re.I | re.S,
)
_BLANKS = re.compile(r"\s+")
#: A place is looked at with so much before it.
_NEAR: Final = 2**14
#: The markup of a row of headings is shorter; anything longer is looked at tag by tag.
_LONG_HEADINGS: Final = 2**12
#: A table with more rows is checked as a whole first, whether all its rows are alike.
_MANY: Final = 8
#: How much of a file tells how it writes its tags.
_SPELLING_PROBE: Final = 2**16
#: A caption is a title in plain text; anything longer is a paragraph.
_CAPTION_LENGTH: Final = 100


class _Spelled(NamedTuple):
    """A pattern that begins with a tag, for texts that write the tag in one way or in both.

    A search that knows the letters is several times as fast as one that disregards their case.
    """

    tag: str
    small: re.Pattern[str]
    capital: re.Pattern[str]
    either: re.Pattern[str]

    @classmethod
    def make(cls, tag: str, rest: str) -> _Spelled:
        """The pattern ``<tag`` and the rest, which disregards case by itself."""
        begins = tag, tag.upper(), "".join(f"[{c}{c.upper()}]" for c in tag)
        return cls(tag, *(re.compile(rf"<{begin}\b{rest}") for begin in begins))

    def of(self, text: str, start: int, end: int) -> re.Pattern[str]:
        """The fastest of the patterns that finds all there is in a stretch."""
        if text.find(f"<{self.tag.upper()}", start, end) < 0:
            return self.small
        return self.either if text.find(f"<{self.tag}", start, end) >= 0 else self.capital


_PLAIN_CELL = _Spelled.make("td", r"[^>]*>([^<]*)</[tT][dD]>")
_ROW_KEY = _Spelled.make("tr", r"[^>]*>\s*<[tT][dD]\b[^>]*>([^<]*)</[tT]")


def clean(markup: str) -> str:
    """Text of a piece of HTML: tags removed, entities resolved, blanks at the ends dropped."""
    if "<" in markup:
        markup = _ANY_TAG.sub("", _BREAK.sub(" ", markup))
    if "&" in markup:
        markup = unescape(markup)
    return markup.replace("\u00a0", " ").strip()


@lru_cache(maxsize=4096)
def _heading(markup: str) -> str:
    """Text of a heading; the same few hundred stand in every report of a batch."""
    return _BLANKS.sub(" ", clean(markup))


class HtmlReader:
    """An HTML report, indexed."""

    def __init__(self, text: str) -> None:
        self.text, self._removed = unfold(text)

    @cached_property
    def _line_ends(self) -> list[int]:
        return [match.start() for match in re.finditer("\n", self.text)]

    def line(self, at: int) -> int:
        """1-based line number in the source of an offset."""
        if not at:
            return 1
        return bisect_right(self._line_ends, at - 1) + bisect_right(self._removed, at) + 1

    def excerpt(self, at: int, cell: str, column: str) -> Excerpt:  # noqa: ARG002 - its place tells
        """The cells of the row around an offset, under the headings of its table."""
        from awrlens.report.around import of_cells  # noqa: PLC0415 - for pages only

        text = self.text
        row = max(text.rfind("<tr", 0, at), text.rfind("<TR", 0, at), 0)
        table = max(text.rfind("<table", 0, at), text.rfind("<TABLE", 0, at), 0)
        cells = self._row_around(row)
        if not cells:  # a place outside of any table
            return of_cells((), (cell,), 0)
        index = max(0, sum(begin <= at for begin, _ in cells) - 1)
        headings = [text for _, text in self._row_around(table)] if table else []
        return of_cells(headings, [text for _, text in cells], index)

    def _row_around(self, at: int) -> list[tuple[int, str]]:
        """The cells of the first row from a place on: where each begins, and its text."""
        end = _ROW_END.search(self.text, at)
        stop = end.start() if end else min(at + _NEAR, len(self.text))
        begins = list(_CELL_BEGIN.finditer(self.text, at, stop))
        ends = [begin.start() for begin in begins[1:]] + [stop]
        return [
            (begin.end(), clean(_CELL_END.split(self.text[begin.end() : end])[0].removesuffix("<")))
            for begin, end in zip(begins, ends, strict=True)
        ]

    @cached_property
    def sections(self) -> list[RawSection]:
        """Headings and captions in order, each with the tables that follow it."""
        outer = _outer_marks(self.text)
        found = None if outer is None else self._index(outer, strict=True)
        if found is None:
            found = self._index(_MARK.finditer(self.text)) or []
        return list(found)

    def _index(  # noqa: C901 - one pass, the hot path of every report
        self, marks: Iterable[re.Match[str]], *, strict: bool = False
    ) -> list[HtmlSection] | None:
        """The sections; if ``strict``, None when a cell and its table end that have not begun."""
        text = self.text
        found: list[HtmlSection] = []
        heading = ""
        heading_start = -1
        gap = 0
        open_tables: list[HtmlTable] = []
        for match in marks:
            closing, name = match[1], match[2].lower()
            if name != "table":
                if not closing:
                    heading_start = match.end()
                elif heading_start >= 0 and not open_tables:
                    heading = _BLANKS.sub(" ", clean(text[heading_start : match.start()]))
                    if heading:
                        found.append(HtmlSection(text, heading, "", match.end()))
                    gap = match.end()
                    heading_start = -1
            elif closing:
                if open_tables:
                    open_tables.pop().end = match.start()
                elif strict and _CELL_END.search(text, gap, match.start()):
                    return None
                gap = match.end()
            else:
                gap = _close_unclosed(text, open_tables, match.start()) or gap
                if not open_tables:
                    caption, at = _caption(text, gap, match.start())
                    if caption or not found:
                        found.append(HtmlSection(text, caption, heading, at))
                table = HtmlTable(text, match.start(), match.end(), len(text))
                if open_tables:
                    open_tables[-1].nested = True
                found[-1].own.append(table)
                open_tables.append(table)
        return found


def _outer_marks(text: str) -> list[re.Match[str]] | None:
    """Tags of tables and headings in order; what stands inside a table is jumped over.

    A search for plain text is several times as fast as a pattern, and nearly all of a report
    stands inside tables. It needs one way of writing the tags (10.2.0.5 opens tables in capitals
    and closes them in small letters), every table closed and none in another: else None.
    """
    words = {match[2] for match in _MARK.finditer(text, 0, _SPELLING_PROBE)}
    tables = [word for word in words if word.lower() == "table"]
    if len(tables) != 1:
        return None
    word = tables[0]
    found: list[re.Match[str]] = []
    opened = False
    gap = at = 0
    while (at := text.find(word, at)) >= 0:
        start = at - 1 - (text[at - 1] == "/")
        at += len(word)
        if text[start] != "<" or (mark := _MARK.match(text, start)) is None:
            continue
        if not opened:
            found += _MARK.finditer(text, gap, start)
        elif not mark[1]:
            return None
        opened = not mark[1]
        found.append(mark)
        gap = mark.end()
    if not opened:
        found += _MARK.finditer(text, gap)
    return found


def _close_unclosed(text: str, open_tables: list[HtmlTable], at: int) -> int:
    """Close a table that is open where another begins outside its cells; where it ends, or 0."""
    if not open_tables:
        return 0
    start = open_tables[-1].at
    tags = list(_CELL_OR_ROW.finditer(text, max(start, at - _NEAR), at))
    if tags and tags[-1][0][1] != "/" and tags[-1][1].lower() != "tr":
        return 0  # inside a cell
    end = max(text.rfind("</tr>", start, at), text.rfind("</TR>", start, at), start)
    open_tables.pop().end = end + len("</tr>")
    return end + len("</tr>")


def _caption(text: str, start: int, end: int) -> tuple[str, int]:
    """Plain text between the last table or heading and this table, if it is short."""
    caption, at = _caption_in(text[start:end])
    return caption, start + at


@lru_cache(maxsize=4096)
def _caption_in(gap: str) -> tuple[str, int]:
    """The caption in a gap and where it begins; the same gaps stand in every report of a batch."""
    caption = _BLANKS.sub(" ", clean(_NO_CAPTION.sub(" ", gap)))
    if not caption or len(caption) > _CAPTION_LENGTH:
        return "", 0
    return caption, max(gap.find(caption.split()[0]), 0)


class HtmlSection:
    """A heading or caption, and its tables."""

    def __init__(self, text: str, title: str, parent: str, at: int) -> None:
        self._text = text
        self.title = title
        self.parent = parent
        self.at = at
        self.own: list[HtmlTable] = []

    def tables(self, layout: str) -> list[RawTable]:
        """The section's tables; label tables with every label on a row of its own."""
        if layout == "labels":
            return [HtmlLabels(table) for table in self.own]
        if layout == "lines":
            from awrlens.report import html_prose  # noqa: PLC0415 - few ask for it

            return html_prose.lines(self._text, self.at)
        return [part for table in self.own for part in table.parts]

    def notes(self) -> list[RawNote]:
        """List items between the title and the first table."""
        end = self.own[0].at if self.own else self.at + 2000
        return [
            RawNote(_BLANKS.sub(" ", clean(match[1])), match.start())
            for match in _NOTE.finditer(self._text, self.at, end)
        ]

    def unread(self, layout: str) -> list[int]:  # noqa: ARG002 - the reader protocol
        """Nothing: every cell of an HTML table belongs to a row."""
        return []


class HtmlTable:
    """One ``<table>``; rows are tokenized when asked for."""

    widths: tuple[int, ...] = ()

    def __init__(self, text: str, at: int, start: int, end: int) -> None:
        self._text = text
        self.at = at
        self._start = start
        self.end = end
        self.nested = False

    @property
    def parts(self) -> list[HtmlTable]:
        """The table, cut where rows of headings come again below rows of data (Exadata)."""
        return self._cut or [self]

    @cached_property
    def _cut(self) -> list[HtmlTable]:
        """The parts of a table that has several."""
        text, at, cuts = self._text, self._headings[1], [self._start]
        tag = "<TH" if "<TH" in text[self._start : at] else "<th"
        if self.nested or text.find(tag, at, self.end) < 0:
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

    @cached_property
    def headings(self) -> tuple[str, ...]:
        """Cells of the last row that holds headings only, before the first row of data."""
        return self._grid.headings if self._grid else self._headings[0]

    @cached_property
    def groups(self) -> tuple[str, ...]:
        """What rows above the headings print over several of them, for each column."""
        return self._grid.groups if self._grid else ()

    @cached_property
    def _grid(self) -> html_grid.Grid | None:
        """The headings on their columns, where some cover several columns or rows."""
        at, end = self._start, self._headings[1]
        if "span" not in self._text[at:end].lower():
            return None
        rows = []
        while at < end:
            row, at = self._next_row(at, self.end)
            rows.append([(_heading(self._text[a:b]), self._spans(a)) for _, a, b in row or ()])
        first, _ = self._next_row(end, self.end)
        width = sum(self._spans(start).columns for _, start, _ in first or ())
        return html_grid.lay_out(rows, width)

    def _spans(self, start: int) -> html_grid.Spans:
        """How many columns and rows the cell covers whose text begins there."""
        return html_grid.spans(self._text[self._text.rfind("<", 0, start) : start])

    @cached_property
    def _headings(self) -> tuple[tuple[str, ...], int]:
        """The headings, and where the row that follows them begins."""
        text, end = self._text, self.end
        found: tuple[str, ...] = ()
        at = self._start
        while True:
            after = text.find("</tr>", at, end) + len("</tr>")
            markup = text[at:after] if at < after < at + _LONG_HEADINGS else ""
            small = markup.lower()
            if "<td" in small and "<th" not in small and small.count("<tr") == 1:
                return found, at
            cells = _row_of_headings(markup) if "<th" in small else None
            if cells is None:
                row, after = self._next_row(at, end)
                if row is None or (row and not self._is_heading(row)):
                    return found, at
                cells = tuple(_heading(text[a:b]) for _, a, b in row)
            # a row above that spans groups of columns has fewer cells
            if cells and len(cells) >= len(found):
                found = cells
            at = after

    def _is_heading(self, row: list[tuple[str, int, int]]) -> bool:
        """Whether a row holds headings, and beside them blank cells at most."""
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
                continue  # inside a nested table, or the end of a cell that is not open
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

    def rows(self) -> list[RawRow]:
        """All rows below the headings."""
        return self._rows

    @cached_property
    def _rows(self) -> list[RawRow]:
        at = self._headings[1]
        if self._grid and self._grid.wide:
            return [self._on_grid(row) for row in self._any_rows(at)]
        plain = None if self.nested else _plain_rows(self._text, at, self.end)
        return self._any_rows(at) if plain is None else plain

    def _on_grid(self, row: RawRow) -> RawRow:
        places = [row.place(number) for number in range(len(row.cells))]
        columns = [self._spans(place).columns for place in places]
        cells, numbers = html_grid.spread(zip(row.cells, columns, strict=True))
        return RawRow(cells, row.at, [places[number] for number in numbers])

    def _any_rows(self, at: int) -> list[RawRow]:  # noqa: C901 - one pass over all that occurs
        """Rows of a table with markup in its cells, unclosed or nested tags."""
        rows: list[RawRow] = []
        text = self._text
        cells: list[str] = []
        places: list[int] = []
        depth = 0
        start = -1
        opened = ""
        # the loop of _next_row, unrolled over the whole table: it is the hot path
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

    @cached_property
    def _keys(self) -> dict[str, int] | None:
        """Offset of each row by its first cell; None when only decoding can tell."""
        if self.nested:
            return None
        text, start, end = self._text, self._start, self.end
        pattern = _ROW_KEY.of(text, start, end)
        found: dict[str, int] = {}
        for match in pattern.finditer(text, start, end):
            key = match[1]
            key = clean(key) if "&" in key else key.strip()
            found.setdefault(key, match.start())
        return found

    def row(self, key: str) -> RawRow | None:
        """The first row whose first cell is ``key``; only that row is tokenized."""
        if self._keys is None or (self._grid and self._grid.wide):
            return next((row for row in self._rows if row.cells and row.cells[0] == key), None)
        at = self._keys.get(key)
        if at is None:
            return None
        end = _ROW_END.search(self._text, at, self.end)
        plain = _plain_rows(self._text, at, end.start()) if end else None
        return plain[0] if plain else self._row_cells(at)[0]

    @cached_property
    def _key_list(self) -> list[str] | None:
        return None if self._keys is None else list(self._keys)

    def keys(self) -> list[str] | None:
        """First cells of all rows."""
        return self._key_list


@lru_cache(maxsize=1024)
def _row_of_headings(markup: str) -> tuple[str, ...] | None:
    """Headings in the markup of one row; None where it is not one row, or holds data.

    The same rows stand in every report of a batch.
    """
    table = HtmlTable(markup, 0, 0, len(markup))
    row, after = table._next_row(0, len(markup))  # noqa: SLF001 - this module's own
    if not row or after != len(markup) or not table._is_heading(row):  # noqa: SLF001
        return None
    return tuple(_heading(markup[a:b]) for _, a, b in row)


class _Places:
    """Where the cells of a plain row begin: looked up when one of them becomes evidence."""

    __slots__ = ("_end", "_known", "_start", "_text")

    def __init__(self, text: str, start: int, end: int) -> None:
        self._text = text
        self._start = start
        self._end = end
        self._known: list[int] = []

    def __getitem__(self, cell: int) -> int:
        if not self._known:
            pattern = _PLAIN_CELL.of(self._text, self._start, self._end)
            found = pattern.finditer(self._text, self._start, self._end)
            self._known = [match.start(1) for match in found]
        return self._known[cell]


@lru_cache(maxsize=64)
def _even_rows(width: int) -> re.Pattern[str]:
    """Rows of so many cells of plain text each, and nothing else."""
    cell = r"\s*+<[tT][dD]\b[^>]*+>[^<]*+</[tT][dD]>"
    return re.compile(
        rf"(?:\s*+<[tT][rR]\b[^>]*+>(?:{cell}){{{width}}}\s*+</[tT][rR]>)*+[^<]*+(?:</[tT][bB]\w+>\s*+)?"
    )


def _plain_rows(text: str, start: int, end: int) -> list[RawRow] | None:
    """Rows of a stretch where every cell is plain text between its own tags, else None.

    Most of Oracle's tables are so; one search a row reads them at several times the speed.
    """
    chunk = text[start:end]
    if chunk.count("<") != chunk.count(">"):
        return None  # a bracket in a text or an attribute
    row_end = "</tr>" if "</tr>" in chunk else "</TR>"
    find_cells = _PLAIN_CELL.of(text, start, end).findall
    pieces = chunk.split(row_end)
    width = len(find_cells(pieces[0]))
    if len(pieces) > _MANY and _even_rows(width).fullmatch(chunk):
        texts = [cell.strip() for cell in find_cells(chunk)]
        if "&" in chunk:
            texts = [clean(text) if "&" in text else text for text in texts]
        ends = accumulate(
            map(len, pieces), lambda at, size: at + size + len(row_end), initial=start
        )
        return [
            RawRow(texts[n : n + width], at, _Places(text, at, after))
            for n, (at, after) in zip(range(0, len(texts), width), pairwise(ends), strict=False)
        ]
    rows: list[RawRow] = []
    at = start
    for piece in pieces:
        cells = find_cells(piece)
        tags = piece.count("<")
        if cells:
            if tags != 2 * len(cells) + 1:
                return None  # markup inside a cell, or one that is not closed
            texts = [cell.strip() for cell in cells]
            if "&" in piece:
                texts = [clean(cell) if "&" in cell else cell for cell in texts]
            rows.append(RawRow(texts, at, _Places(text, at, at + len(piece))))
        elif tags > 1 or "<t" in piece.lower():
            return None  # an empty row, or a cell that is not closed
        at += len(piece) + len(row_end)
    return rows
