"""Reader of HTML reports: an index of headings and tables; cells are cut from the source on demand.

A parser would build a tree of the whole page, most of which is not needed. SQL*Plus folds many AWR
pages at a fixed width (500, 1,000 or 8,000 columns), in the middle of words, numbers and tags.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from functools import lru_cache
from heapq import heappushpop
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Final

from awrlens.lazy import NamedTuple, lazy, regex
from awrlens.report.html_tables import CELL_END, NEAR, HtmlTable, clean, labels_of, one_line
from awrlens.report.reader_result import RawNote, RawRow, RowTable
from awrlens.source.saved_pages import ATTRIBUTES, Cut, unescape

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from awrlens.model import Excerpt
    from awrlens.report.reader_result import RawSection, RawTable


_TABLE = regex(r"<(/?)([tT](?:able|ABLE))\b")
_HEADING = regex(r"<(/?)h[1-6]\b[^<>]*+>", re.I)
_CELL_OR_ROW = regex(r"</?(t[dhr])\b", re.I)
_NOTE = regex(r"<li\b[^<>]*+>(.*?)(?=</?li\b|</?ul\b|$)", re.I | re.S)
_NO_CAPTION = Cut(("a", "ul", "style", "title", "li"))
#: How much of a file shows how it writes its tags.
_SPELLING_PROBE: Final = 2**16
#: A caption is a title in plain text; a longer text is a paragraph.
_CAPTION_LENGTH: Final = 100
_MOST_NESTED: Final = 16
#: Maximum length of the text between two tables that may be the same in every report.
_LONG_GAP: Final = 2**12


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
            return [labels_of(table) for table in self.own]
        if layout == "lines":
            return lines(self._text, self.at)
        return [part for table in self.own for part in table.parts]

    def notes(self) -> list[RawNote]:
        """List items between the title and the first table."""
        end = self.own[0].at if self.own else self.at + 2000
        return [
            RawNote(one_line(match[1]), match.start())
            for match in _NOTE.finditer(self._text, self.at, end)
        ]


def _sections(text: str) -> list[HtmlSection]:
    """The sections of a page: headings and captions outside of tables."""
    sections: list[HtmlSection] = []
    heading = ""
    gap = deeper = 0  # ``deeper``: tables nested in the innermost table that is read
    open_tables: list[HtmlTable] = []
    cells = _LastCell(text)
    for start, end, closes in _tags(text):
        if deeper:
            deeper += -1 if closes else 1
            continue
        if closes and open_tables:
            open_tables.pop().end = start
            gap = end
            continue
        unclosed = _close_unclosed(text, open_tables, start, cells) if open_tables else 0
        if len(open_tables) == _MOST_NESTED:
            deeper = 1
        elif open_tables:
            open_tables[-1].nested = True
        else:
            gap = unclosed or gap
            alone = unclosed and _caption(text[gap:start])
            between = _Between((), *alone) if alone else _between(text, gap, start)
            sections += between.sections(text, gap)
            heading = between.headings[-1][0] if between.headings else heading
            if closes:  # an extra end tag, as 10.2 prints them
                gap = end
            elif between.caption or not sections:
                sections.append(HtmlSection(text, between.caption, heading, gap + between.at))
        if not deeper and not closes:
            open_tables.append(HtmlTable(text, start, end, len(text)))
            sections[-1].own.append(open_tables[-1])
    if not open_tables:
        sections += _between(text, gap, len(text)).sections(text, gap)
    return sections


def _tags(text: str) -> Iterable[tuple[int, int, bool]]:
    """Where each tag of a table begins and ends, and whether it is an end tag."""
    first = _TABLE.search(text)
    word = first[2] if first else "table"
    other = word.swapcase()
    if any(text.find(f"{sign}{other}", 0, _SPELLING_PROBE) >= 0 for sign in "</"):
        from heapq import merge

        return merge(_tags_as(word, text), _tags_as(other, text))
    return _tags_as(word, text)


def _tags_as(word: str, text: str) -> Iterator[tuple[int, int, bool]]:
    at, find, end = 0, text.find, 0
    while (at := find(word, at)) >= 0:
        closes = text[at - 1] == "/"
        start = at - 1 - closes
        at += len(word)
        if text[start] == "<" and not text[at : at + 1].isalnum():
            if end <= at:  # else it is also after this tag
                end = find(">", at) + 1 or len(text)
            yield start, end, closes


class _Between(NamedTuple):
    """The text between two tables: headings and where each ends, a caption and its place."""

    headings: tuple[tuple[str, int], ...]
    caption: str
    at: int

    def sections(self, text: str, start: int) -> list[HtmlSection]:
        """The sections of its headings, if it begins at an offset of the page."""
        return [HtmlSection(text, title, "", start + at) for title, at in self.headings if title]


def _between(text: str, start: int, end: int) -> _Between:
    gap = text[start:end]
    return _gap(gap) if len(gap) < _LONG_GAP else _gap.__wrapped__(gap)


@lru_cache(maxsize=1024)
def _gap(gap: str) -> _Between:
    """The contents of a gap; every report of a batch has the same gaps."""
    headings: list[tuple[str, int]] = []
    start, after = -1, 0
    for match in _HEADING.finditer(gap):
        if not match[1]:
            start = match.end()
        elif start >= 0:
            after = match.end()
            headings.append((one_line(gap[start : match.start()]), after))
            start = -1
    caption, at = _caption(gap[after:])
    return _Between(tuple(headings), caption, after + at)


class _LastCell:
    """The last tag of a cell or row before a place; places may only increase."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._last: re.Match[str] | None = None

    def before(self, at: int, start: int) -> re.Match[str] | None:
        """The last such tag between two places, if it is near the second."""
        for match in _CELL_OR_ROW.finditer(self._text, max(self._at, at - NEAR), at):
            self._last = match
        self._at = at
        last = self._last
        return last if last and last.start() >= max(start, at - NEAR) else None


def _close_unclosed(text: str, open_tables: list[HtmlTable], at: int, cells: _LastCell) -> int:
    """Close an open table if another begins outside its cells; returns where it ends, or 0."""
    start = open_tables[-1].at
    last = cells.before(at, start)
    if last is not None and last[0][1] != "/" and last[1].lower() != "tr":
        return 0  # inside a cell
    end = max(text.rfind("</tr>", start, at), text.rfind("</TR>", start, at), start)
    open_tables.pop().end = end + len("</tr>")
    return end + len("</tr>")


def _caption(gap: str) -> tuple[str, int]:
    """Plain text between the last table or heading and this table, if it is short; its place."""
    caption = one_line(_NO_CAPTION.apply(gap, lambda _: " "))
    if not caption or len(caption) > _CAPTION_LENGTH:
        return "", 0
    return caption, max(gap.find(caption.split()[0]), 0)


#: Minimum width of a fold, and minimum number of lines with that width; twice as many lines if
#: the width is not a round number.
_LEAST_WIDTH: Final = 200
_LINES: Final = 4


def unfold(text: str) -> tuple[str, list[int]]:
    """The text without its folds, and where they were: lines share a length that few exceed."""
    wide = _wide_lines(text)
    width = _fold_width(Counter([length for _, length in wide]))
    if not width:
        return text, []
    # a line that is one short lost the blank at its end: the line end replaces it
    folds = [start + length for start, length in wide if length == width]
    if folds[-1] == len(text):
        folds.pop()
    starts_of_pieces = [0, *(end + 1 for end in folds)]
    ends_of_pieces = [*(end - (text[end - 1] == "\r") for end in folds), len(text)]
    pieces = [text[a:b] for a, b in zip(starts_of_pieces, ends_of_pieces, strict=True)]
    return "".join(pieces), list(accumulate(map(len, pieces[:-1])))


def _wide_lines(text: str) -> list[tuple[int, int]]:
    """Start and length of every line that may be folded; most lines are never examined."""
    lines: list[tuple[int, int]] = []
    longest = [_LEAST_WIDTH] * (2 * _LINES + 1)
    at, least, size, line_end = 0, _LEAST_WIDTH, len(text), text.rindex
    while at < size:
        try:
            while True:
                at = line_end("\n", at, at + least) + 1
        except ValueError:
            end = text.find("\n", at + least)
            end = size if end < 0 else end
            if end - at >= least:
                lines.append((at, end - at))
                heappushpop(longest, end - at)
                least = longest[0]
            at = end + 1
    return lines


def _fold_width(wide: Counter[int]) -> int:
    """The length that several lines share and that hardly any exceeds; 0 if there is none."""
    most = max(wide.values(), default=0)
    longer = 0
    for width in sorted(wide, reverse=True):
        count = wide[width]
        if longer > most // _LINES:
            break
        # line sizes in SQL*Plus are mostly hundreds; a carriage return may follow
        least = _LINES if width % 100 <= 1 else 2 * _LINES
        if count >= least and longer <= count // _LINES:
            return width
        longer += count
    return 0


_CELL_BEGIN = regex(rf"<t[dh]\b{ATTRIBUTES}>", re.I)
_BLANKS = regex(r"\s+")
_ROW_END = regex(r"</tr\b", re.I)
#: Lines are counted once per stretch of this length, then from its beginning.
_STRETCH: Final = 2**10


class HtmlReader:
    """An HTML report, indexed."""

    by_line = False

    def __init__(self, text: str) -> None:
        self.text, self._removed = unfold(text)

    @lazy
    def _lines_before(self) -> list[int]:
        stretches = range(0, len(self.text), _STRETCH)
        return list(
            accumulate((self.text.count("\n", at, at + _STRETCH) for at in stretches), initial=0)
        )

    def line(self, at: int) -> int:
        """1-based line number in the source of an offset; blanks before a text belong to it."""
        if not at:
            return 1
        if self.text[at : at + 1].isspace() and (blanks := _BLANKS.match(self.text, at)):
            at = blanks.end()
        number, begin = at // _STRETCH, at - at % _STRETCH
        ended = self._lines_before[number] + self.text.count("\n", begin, at)
        return ended + bisect_right(self._removed, at) + 1

    def excerpt(self, at: int, cell: str, column: str) -> Excerpt:  # noqa: ARG002 - its place tells
        """The cells of the row around an offset under their headings, or only the cell."""
        from awrlens.report.frames import of_cells

        text = self.text
        row = max(text.rfind("<tr", 0, at), text.rfind("<TR", 0, at), 0)
        above = max(text.rfind("</tr", row, at), text.rfind("</TR", row, at))
        row = above + len("</tr") if above >= 0 else row  # its start tag is damaged
        table = max(text.rfind("<table", 0, at), text.rfind("<TABLE", 0, at), 0)
        end = max(text.rfind("</table", row, at), text.rfind("</TABLE", row, at))
        cells = self._row_around(row) if end < 0 else []
        index = max(0, sum(begin <= at for begin, _ in cells) - 1)
        own = " ".join(cells[index][1].split()) if cells else ""
        words = " ".join(cell.split())
        if not cells or (words not in own and own not in words):
            return of_cells((), (cell,), 0)
        headings = [text for _, text in self._row_around(table)] if table else []
        return of_cells(headings, [text for _, text in cells], index)

    def _row_around(self, at: int) -> list[tuple[int, str]]:
        """The cells of the first row at or after a place: where each begins, and its text."""
        end = _ROW_END.search(self.text, at)
        stop = end.start() if end else min(at + NEAR, len(self.text))
        begins = list(_CELL_BEGIN.finditer(self.text, at, stop))
        edges = pairwise([*(begin.start() for begin in begins), stop])
        return [
            (begin.end(), clean(CELL_END.split(self.text[begin.end() : end])[0].removesuffix("<")))
            for begin, (_, end) in zip(begins, edges, strict=True)
        ]

    @lazy
    def sections(self) -> list[RawSection]:
        """Headings and captions in order, each with the tables that follow it."""
        return [*_sections(self.text)]


_BEGIN = regex(r"(?:\s|</?(?:p|br|a|div)\b[^<>]*+>)*+<pre\b[^<>]*+>", re.I)
_END = regex(r"</pre\b", re.I)
_LINE = regex(r"(?<![^\S\r\n])(?:[^\S\r\n]*+\S)++")


def lines(text: str, at: int) -> list[RawTable]:
    """The text that begins after ``at``, one row per line that is not blank; or no rows."""
    begin = _BEGIN.match(text, at)
    if begin is None:
        return []
    end = _END.search(text, begin.end())
    matches = _LINE.finditer(text, begin.end(), end.start() if end else len(text))
    return [RowTable(("",), at, [RawRow([unescape(m[0])], m.start()) for m in matches])]
