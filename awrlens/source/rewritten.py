"""Rewrites pages that others saved as Oracle writes them: headings, and tables of plain cells.

Every line end stays, so line numbers stay correct.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from awrlens.lazy import regex
from awrlens.records import NamedTuple
from awrlens.source.forward_search import Ahead
from awrlens.source.pages import ATTRIBUTES, COMMENT, FIGURE, HEADED

if TYPE_CHECKING:
    from collections.abc import Iterator

_TOKEN = regex(rf"{COMMENT}|<(?P<end>/?)(?P<name>[a-zA-Z][\w:]*+){ATTRIBUTES}>|<[!?][^<>]*+>", re.S)
_TABLE_TAG = regex(r"<(/?)(table|h[1-6])\b", re.I)
#: Paragraphs that were headings are short and have a line of their own.
_PARAGRAPH = regex(
    r"<(?P<tag>p|div)\b[^<>]*+>(?:\s*+<(?:b|strong|font|span|a)\b[^<>]*+>(?:\s*+</a>)?+)*+"
    r"(?P<text>[^<>]{3,100}+)(?:</(?:b|strong|font|span)>\s*+)*+</(?P=tag)>",
    re.I,
)
_SPANS = regex(r"\b(?:col|row)span\s*+=\s*+[\"']?+\s*+\d++\s*+[\"']?+", re.I)
_SPANNED = regex(r"colspan", re.I)
_TABLE_END = regex(r"</table")


def with_tables(text: str, banner: int) -> str:
    """The page with its tables rewritten: plain text in every cell.

    ``banner`` is the place of the report's first line.
    """
    return "".join(_written(text, banner))


def with_headings(text: str) -> str:
    """The page with headings instead of the short paragraphs that replaced them."""
    return _PARAGRAPH.sub(_heading, text)


def _heading(paragraph: re.Match[str]) -> str:
    """A short paragraph as the heading that it was."""
    ends = "\n" * (paragraph[0].count("\n") - paragraph["text"].count("\n"))
    return f"<h3>{paragraph['text']}</h3>{ends}" if paragraph["text"].strip() else paragraph[0]


class _Cell(NamedTuple):
    """A cell: the name and the spans of its tag, and its text."""

    name: str
    spans: str
    pieces: list[str]

    @property
    def text(self) -> str:
        """Its words with single blanks, followed by the line ends that were between them."""
        joined = "".join(self.pieces)
        words = " ".join(joined.split())
        lead = len(joined[: len(joined) - len(joined.lstrip())].split("\n")) - 1
        return "\n" * lead + words + "\n" * (joined.count("\n") - lead)


class _Table:
    """A table that is being rewritten: one of the report's, or a layout table around them."""

    def __init__(self, *, layout: bool, headed: bool) -> None:
        self.layout = layout
        self.headless = not headed
        self.row: list[_Cell] = []
        self.open = False

    def row_written(self) -> Iterator[str]:
        """The tags and texts of the row that ends; its cells become headings if there are none."""
        cells, self.row, self.open = self.row, [], False
        if not cells:
            return
        texts = [cell.text for cell in cells]
        words = [text.strip() for text in texts]
        head = self.headless and any(words) and not any(map(FIGURE.match, words))
        # a row that spans groups of columns is above the row that names the columns
        self.headless = head and any(_SPANNED.search(cell.spans) for cell in cells)
        yield "<tr>"
        for cell, text in zip(cells, texts, strict=True):
            name = "th" if head else cell.name
            yield f"<{name}{cell.spans}>{text}</{name}>"
        yield "</tr>"


def _layouts(text: str, banner: int) -> set[int]:
    """Where layout tables begin that others put around the page.

    Such a table contains the report's first line, or headings and tables. Oracle also puts a
    heading into a cell (Cache Sizes of comparisons).
    """
    layouts: set[int] = set()
    open_tables: list[int] = []
    # this number of open tables, from the outermost, contain a heading; are layout tables
    headed = laid = 0
    for match in _TABLE_TAG.finditer(text):
        if match.start() > banner > 0:
            layouts.update(open_tables[laid:])
            laid = len(open_tables)
            banner = 0
        if match[2].lower() != "table":
            headed = len(open_tables)
        elif not match[1]:
            layouts.update(open_tables[laid:headed])
            laid = max(laid, headed)
            open_tables.append(match.start())
        elif open_tables:
            open_tables.pop()
            headed, laid = min(headed, len(open_tables)), min(laid, len(open_tables))
    return layouts


def _written(text: str, banner: int) -> Iterator[str]:
    """The pieces of the page, with rewritten tables."""
    layouts = _layouts(text, banner)
    ends, heads = Ahead(text, _TABLE_END), Ahead(text, HEADED)
    tables: list[_Table] = []
    at = 0
    for match in _TOKEN.finditer(text):
        name = (match["name"] or "").lower()
        table = tables[-1] if tables else None
        data = table if table is not None and not table.layout else None
        piece = text[at : match.start()]
        at = match.end()
        if data is not None and data.row:
            # line ends between cells stay after the previous cell, so its line number is correct
            data.row[-1].pieces.append(piece if data.open else "\n" * piece.count("\n"))
        else:
            yield piece if data is None else "\n" * piece.count("\n")
        if name == "table" and not match["end"]:
            if data is not None:
                yield from data.row_written()
            headed = heads.after(match.end()) < ends.after(match.end())
            tables.append(_Table(layout=match.start() in layouts, headed=headed))
            breaks = "\n" * match[0].count("\n")
            yield breaks if tables[-1].layout else f"<table>{breaks}"
        elif name == "table" and table is not None:
            yield from table.row_written()
            tables.pop()
            yield "" if table.layout else "</table>"
        elif data is not None:
            yield from _in_table(data, name, match)
        elif table is not None and name in ("tr", "td", "th"):
            yield "\n" * match[0].count("\n") or " "
        else:
            yield "\n" * match[0].count("\n") if match[0].startswith("<!--") else match[0]
    for table in tables:  # a page that ends in a row: only its line ends
        yield "\n" * sum(piece.count("\n") for cell in table.row for piece in cell.pieces)
    yield text[at:]


def _in_table(table: _Table, name: str, match: re.Match[str]) -> Iterator[str]:
    """The output for a tag within one of the report's tables: rows, cells, line ends."""
    ends = "\n" * match[0].count("\n")
    if name == "tr":
        yield from table.row_written()
        yield ends
    elif name in ("td", "th") and not match["end"]:
        spans = "".join(f" {found}" for found in _SPANS.findall(match[0]))
        table.row.append(_Cell(name, spans, [ends]))
        table.open = True
    elif name in ("td", "th") and table.row:
        table.open = False
        table.row[-1].pieces.append(ends)
    elif table.open:
        blank = " " if name in ("br", "p", "div") else ""
        table.row[-1].pieces.append(ends or blank)
    else:
        yield ends
