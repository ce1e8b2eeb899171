"""Reader of HTML reports: an index of headings and tables; cells are cut from the source on demand.

An HTML parser would build a tree of the whole page although most of it is not needed. The reader
finds where tables begin in one pass, and tokenizes only the required ones.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Final

from awrlens.lazy import lazy, regex
from awrlens.report import html_index
from awrlens.report.folded_lines import unfold
from awrlens.report.html_markup import CELL_END, NEAR, clean
from awrlens.source.pages import ATTRIBUTES

if TYPE_CHECKING:
    from awrlens.model import Excerpt
    from awrlens.report.reader_result import RawSection

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
        """The number of lines that end before each stretch of the page."""
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
        """The cells of the row around an offset, under the headings of its table.

        Only the cell, if it is in no table, or if its row's tags are damaged.
        """
        from awrlens.report.cell_context import of_cells  # noqa: PLC0415 - for pages only

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
        return list(html_index.sections(self.text))
