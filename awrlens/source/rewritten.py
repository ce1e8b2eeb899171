"""Pages that others saved, written anew as Oracle writes them: tables of plain cells, headings.

Every line end stays, so that line numbers hold.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from awrlens.source.ahead import Ahead
from awrlens.source.pages import ATTRIBUTES, COMMENT, FIGURE, HEADED

if TYPE_CHECKING:
    from collections.abc import Iterator

_TOKEN = re.compile(
    rf"{COMMENT}|<(?P<end>/?)(?P<name>[a-zA-Z][\w:]*+){ATTRIBUTES}>|<[!?][^<>]*+>", re.S
)
_TABLE_TAG = re.compile(r"<(/?)(table|h[1-6])\b", re.I)
#: Where headings were turned into paragraphs, these are short and stand by themselves.
_PARAGRAPH = re.compile(
    r"<(?P<tag>p|div)\b[^<>]*+>(?:\s*+<(?:b|strong|font|span|a)\b[^<>]*+>(?:\s*+</a>)?+)*+"
    r"(?P<text>[^<>]{3,100}+)(?:</(?:b|strong|font|span)>\s*+)*+</(?P=tag)>",
    re.I,
)
_SPANS = re.compile(r"\b(?:col|row)span\s*+=\s*+[\"']?+\s*+\d++\s*+[\"']?+", re.I)
_SPANNED = re.compile(r"colspan", re.I)
_TABLE_END = re.compile(r"</table")


def with_tables(text: str, banner: int) -> str:
    """The page with its tables written anew, a plain text in each cell.

    ``banner`` is the place of the report's first line.
    """
    return "".join(_written(text, banner))


def with_headings(text: str) -> str:
    """The page with headings for the short paragraphs that they were turned into."""
    return _PARAGRAPH.sub(_heading, text)


def _heading(paragraph: re.Match[str]) -> str:
    """A short paragraph as the heading that it was."""
    ends = "\n" * (paragraph[0].count("\n") - paragraph["text"].count("\n"))
    return f"<h3>{paragraph['text']}</h3>{ends}" if paragraph["text"].strip() else paragraph[0]


class _Cell(NamedTuple):
    """A cell: the name and the spans of its tag, its text."""

    name: str
    spans: str
    pieces: list[str]

    @property
    def text(self) -> str:
        """Its words with single blanks, and behind them the line ends that stood among them."""
        joined = "".join(self.pieces)
        words = " ".join(joined.split())
        lead = len(joined[: len(joined) - len(joined.lstrip())].split("\n")) - 1
        return "\n" * lead + words + "\n" * (joined.count("\n") - lead)


class _Table:
    """A table that is being written: one of the report's, or one that others laid it into."""

    def __init__(self, *, layout: bool, headed: bool) -> None:
        self.layout = layout
        self.headless = not headed
        self.row: list[_Cell] = []
        self.open = False

    def row_written(self) -> Iterator[str]:
        """The tags and texts of the row that ends; its cells are headings if nothing else is."""
        cells, self.row, self.open = self.row, [], False
        if not cells:
            return
        texts = [cell.text for cell in cells]
        words = [text.strip() for text in texts]
        head = self.headless and any(words) and not any(map(FIGURE.match, words))
        # a row that spans groups of columns stands above the row that names them
        self.headless = head and any(_SPANNED.search(cell.spans) for cell in cells)
        yield "<tr>"
        for cell, text in zip(cells, texts, strict=True):
            name = "th" if head else cell.name
            yield f"<{name}{cell.spans}>{text}</{name}>"
        yield "</tr>"


def _layouts(text: str, banner: int) -> set[int]:
    """Where tables begin that others laid the page into.

    Such a table holds the report's first line, or headings and tables; Oracle puts a heading
    into a cell, too (Cache Sizes of comparisons).
    """
    layouts: set[int] = set()
    open_tables: list[int] = []
    # so many of the open tables, from the outermost on, hold a heading, and are layouts
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
    """The pieces of the page, tables written anew."""
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
            # line ends between cells stay behind the cell before them, whose line is told
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
    yield text[at:]


def _in_table(table: _Table, name: str, match: re.Match[str]) -> Iterator[str]:
    """What a tag within one of the report's tables leaves: rows, cells, line ends."""
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
