"""Index of an HTML page: headings and captions in order, each with the tables that follow it."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from awrlens.lazy import regex
from awrlens.records import NamedTuple
from awrlens.report.html_labels import HtmlLabels
from awrlens.report.html_markup import CELL_END, NEAR, one_line
from awrlens.report.html_table import HtmlTable
from awrlens.report.reader_result import RawNote
from awrlens.source.page_elements import Cut

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from awrlens.report.reader_result import RawTable

_MARK = regex(r"<(/?)(table|h[1-6])\b[^<>]*+>", re.I)
_TABLE = regex(r"<(/?)([tT](?:able|ABLE))\b")
_HEADING = regex(r"<(/?)h[1-6]\b[^<>]*+>", re.I)
_CELL_OR_ROW = regex(r"</?(t[dhr])\b", re.I)
_NOTE = regex(r"<li\b[^<>]*+>(.*?)(?=</?li\b|</?ul\b|$)", re.I | re.S)
_NO_CAPTION = Cut(("a", "ul", "style", "title", "li"))
#: How much of a file shows how it writes its tags.
_SPELLING_PROBE: Final = 2**16
#: A caption is a title in plain text; a longer text is a paragraph.
_CAPTION_LENGTH: Final = 100
#: Maximum depth of nested tables in a report; each level is read again.
_DEPTH: Final = 16
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
            return [HtmlLabels(table) for table in self.own]
        if layout == "lines":
            from awrlens.report import html_prose  # noqa: PLC0415 - few ask for it

            return html_prose.lines(self._text, self.at)
        return [part for table in self.own for part in table.parts]

    def notes(self) -> list[RawNote]:
        """List items between the title and the first table."""
        end = self.own[0].at if self.own else self.at + 2000
        return [
            RawNote(one_line(match[1]), match.start())
            for match in _NOTE.finditer(self._text, self.at, end)
        ]

    def unread(self, layout: str) -> list[int]:  # noqa: ARG002 - the reader protocol
        """Empty: every cell of an HTML table belongs to a row."""
        return []


def sections(text: str) -> list[HtmlSection]:
    """Headings and captions in order, each with the tables that follow it."""
    found = _of_regular(text)
    return _of_any(text) if found is None else found


def _of_regular(text: str) -> list[HtmlSection] | None:
    """The sections of a page whose tables are all closed and not nested; else None.

    The inside of a table is skipped.
    """
    found: list[HtmlSection] = []
    heading = ""
    gap = 0
    table: HtmlTable | None = None
    for start, end, closes in _tags(text):
        if table is not None:
            if not closes:
                return None
            table.end = start
            table = None
        elif closes and CELL_END.search(text, gap, start):
            return None  # else an extra end tag, as 10.2 prints them
        else:
            between = _between(text, gap, start)
            found += between.sections(text, gap)
            heading = between.headings[-1][0] if between.headings else heading
            if not closes:
                if between.caption or not found:
                    found.append(HtmlSection(text, between.caption, heading, gap + between.at))
                table = HtmlTable(text, start, end, len(text))
                found[-1].own.append(table)
        gap = end
    return found if table else found + _between(text, gap, len(text)).sections(text, gap)


def _tags(text: str) -> Iterable[tuple[int, int, bool]]:
    """Where each tag of a table begins and ends, and whether it is an end tag.

    A search for plain text is several times as fast as a pattern, and nearly all of a report
    is inside tables. 10.2.0.5 writes table start tags in capitals and end tags in small letters.
    """
    first = _TABLE.search(text)
    word = first[2] if first else "table"
    other = word.swapcase()
    if any(text.find(f"{sign}{other}", 0, _SPELLING_PROBE) >= 0 for sign in "</"):
        from heapq import merge  # noqa: PLC0415 - few pages write both

        return merge(_tags_as(word, text), _tags_as(other, text))
    return _tags_as(word, text)


def _tags_as(word: str, text: str) -> Iterator[tuple[int, int, bool]]:
    """The tags of tables that are written in these letters."""
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


def _of_any(text: str) -> list[HtmlSection]:  # noqa: C901, PLR0912 - all that occurs in one pass
    """The sections of any page, tag by tag."""
    found: list[HtmlSection] = []
    heading = ""
    heading_start = -1
    gap = 0
    open_tables: list[HtmlTable] = []
    cells = _LastCell(text)
    deeper = 0  # tables nested in the innermost table that is read
    for match in _MARK.finditer(text):
        closing, name = match[1], match[2].lower()
        if name != "table":
            if not closing:
                heading_start = match.end()
            elif heading_start >= 0 and not open_tables:
                heading = one_line(text[heading_start : match.start()])
                if heading:
                    found.append(HtmlSection(text, heading, "", match.end()))
                gap = match.end()
                heading_start = -1
        elif deeper:
            deeper += -1 if closing else 1
        elif closing:
            if open_tables:
                open_tables.pop().end = match.start()
            gap = match.end()
        else:
            gap = _close_unclosed(text, open_tables, match.start(), cells) or gap
            if len(open_tables) == _DEPTH:
                deeper = 1
                continue
            if not open_tables:
                caption, at = _caption_between(text, gap, match.start())
                if caption or not found:
                    found.append(HtmlSection(text, caption, heading, at))
            table = HtmlTable(text, match.start(), match.end(), len(text))
            if open_tables:
                open_tables[-1].nested = True
            found[-1].own.append(table)
            open_tables.append(table)
    return found


class _LastCell:
    """The last tag of a cell or row before a place; places may only increase."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._last: re.Match[str] | None = None

    def before(self, at: int, start: int) -> re.Match[str] | None:
        """The last such tag between two places, if it is near the second."""
        for found in _CELL_OR_ROW.finditer(self._text, max(self._at, at - NEAR), at):
            self._last = found
        self._at = at
        last = self._last
        return last if last and last.start() >= max(start, at - NEAR) else None


def _close_unclosed(text: str, open_tables: list[HtmlTable], at: int, cells: _LastCell) -> int:
    """Close an open table if another begins outside its cells; returns where it ends, or 0."""
    if not open_tables:
        return 0
    start = open_tables[-1].at
    last = cells.before(at, start)
    if last is not None and last[0][1] != "/" and last[1].lower() != "tr":
        return 0  # inside a cell
    end = max(text.rfind("</tr>", start, at), text.rfind("</TR>", start, at), start)
    open_tables.pop().end = end + len("</tr>")
    return end + len("</tr>")


def _caption_between(text: str, start: int, end: int) -> tuple[str, int]:
    caption, at = _caption(text[start:end])
    return caption, start + at


def _caption(gap: str) -> tuple[str, int]:
    """Plain text between the last table or heading and this table, if it is short; its place."""
    caption = one_line(_NO_CAPTION.apply(gap, lambda _: " "))
    if not caption or len(caption) > _CAPTION_LENGTH:
        return "", 0
    return caption, max(gap.find(caption.split()[0]), 0)
