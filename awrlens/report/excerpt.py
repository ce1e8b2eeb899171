"""Excerpts: a few sections pasted into a mail, a wiki or a document, without a report's head.

Tables keep their headings there, but their columns come apart by bars, tabs, wide gaps or single
blanks, and titles may be gone. A table is known by its headings alone; what cannot be told
apart is left out. Line numbers stay those of the input.
"""

from __future__ import annotations

import re
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Final, NamedTuple

from awrlens.grammar.catalogue import norm_heading
from awrlens.report.html_labels import HtmlLabels
from awrlens.report.raw import RawRow
from awrlens.report.ruler import NUMERIC_WORD
from awrlens.report.table import match_columns
from awrlens.report.text import TextReader, TextSection

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from awrlens.grammar.catalogue import Catalogue, SectionSpec
    from awrlens.model import Excerpt
    from awrlens.report.raw import RawNote, RawSection, RawTable, Reader

#: What quotes and lists put before a line, and what fences a block.
_QUOTE = re.compile(r"^(?:\s*>)+ ?")
_FENCE = re.compile(r"^\s*(?:(?:```|~~~~*\s*$)\w*|\{(?:noformat|code|quote|panel)[^{}]*\})\s*$")
#: A fence on the line of the text that it fences, as chats show it.
_FENCED = re.compile(r"^\s*```(?=[^`]*\S \S)|```\s*$")
#: What editors and `cat -n` put before a line: its number.
_NUMBER = re.compile(r"^\s*(\d+)[:.)|]?(?:[ \t]|$)")
_BARS = str.maketrans({"│": "|", "┃": "|", "║": "|", "¦": "|"})
_RULE = re.compile(r"^[\s|:+=\-─━═┌┬┐├┼┤└┴┘╔╦╗╠╬╣╚╩╝╭╮╰╯]+$")
_GAP = re.compile(r"\s{2,}|\t+")
_MARKUP = re.compile(r"^[#*_\s]+|[*_:\s]+$")
#: A table is claimed by a section that knows this share of its headings, and so many of them.
_SHARE: Final = 0.6
_LEAST: Final = 3
#: Of sections with equal headings these hold whatever may stand under them.
_GENERAL: Final = ("instance_activity", "wait_events", "top_events", "tablespace_io")
#: A title is no longer than this.
_TITLE: Final = 70


class Grid(NamedTuple):
    """A table out of an excerpt: headings, rows and the line that it begins in."""

    headings: tuple[str, ...]
    cells: list[RawRow]
    at: int

    @property
    def groups(self) -> tuple[str, ...]:
        """Excerpts keep no groups of columns."""
        return ()

    @property
    def widths(self) -> tuple[int, ...]:
        """Names may have been cut in the report; where, the excerpt does not say."""
        return (max((len(row.cells[0]) for row in self.cells), default=0),)

    def rows(self) -> list[RawRow]:
        """All rows."""
        return self.cells

    def row(self, key: str) -> RawRow | None:
        """The first row that begins with ``key``."""
        return next((row for row in self.cells if row.cells[0] == key), None)

    def keys(self) -> list[str]:
        """First cells of all rows."""
        return [row.cells[0] for row in self.cells]


class GridSection:
    """A title, found or inferred from the headings, and its tables."""

    parent = ""

    def __init__(self, title: str, grid: Grid) -> None:
        self.title = title
        self.at = grid.at
        self._grid = grid

    def tables(self, layout: str) -> list[RawTable]:
        """The table; of labels, every label with the cells that follow it."""
        return [HtmlLabels(self._grid)] if layout == "labels" else [self._grid]

    def notes(self) -> list[RawNote]:
        """None: remarks are lost in excerpts."""
        return []

    def unread(self, layout: str) -> list[int]:  # noqa: ARG002 - the reader protocol
        """Lines of an excerpt are not accounted for."""
        return []


class PageSection:
    """A table of a page, under the title that its headings tell."""

    parent = ""

    def __init__(self, title: str, section: RawSection, table: RawTable) -> None:
        self.title = title
        self.at = section.at
        self._section = section
        self._table = table

    def tables(self, layout: str) -> list[RawTable]:
        """The table."""
        return [] if layout == "labels" else [self._table]

    def notes(self) -> list[RawNote]:
        """The remarks before the page's table."""
        return self._section.notes()

    def unread(self, layout: str) -> list[int]:
        """Nothing: every cell belongs to a row."""
        return self._section.unread(layout)


class ExcerptReader:
    """The sections that can be told apart in an excerpt."""

    def __init__(self, text: str, catalogue: Catalogue, page: Reader | None = None) -> None:
        self._catalogue = catalogue
        self._page = page
        self.lines = [] if page else _undecorated(text)

    def line(self, at: int) -> int:
        """1-based line number of a line index, or of a place in a page."""
        return self._page.line(at) if self._page else at + 1

    def excerpt(self, at: int, cell: str, column: str) -> Excerpt:
        """The line as pasted, or the cells of a page's row."""
        if self._page:
            return self._page.excerpt(at, cell, column)
        from awrlens.report.around import of_lines  # noqa: PLC0415 - for pages only

        return of_lines(self.lines, at, cell, column)

    @cached_property
    def sections(self) -> list[RawSection]:
        """Tables by bars, tabs and gaps, and the sections of what is printed as in a report."""
        if self._page:
            return [named for section in self._page.sections for named in self._named(section)]
        grids = list(_grids(self.lines))
        found: list[RawSection] = []
        taken: set[int] = set()
        for grid in grids:
            title = self._labelled(grid)
            if not title:
                title = self._title_above(grid.at) or self._meant_by(grid.headings)
                title = title if title and self._knows(title, grid.headings) else ""
            if title:
                found.append(GridSection(title, grid))
                taken.update(range(grid.at, max([grid.at, *(row.at for row in grid.cells)]) + 1))
        rest = ["" if at in taken else line for at, line in enumerate(self.lines)]
        found += self._printed(rest)
        return sorted(found, key=lambda section: section.at)

    def _named(self, section: RawSection) -> list[RawSection]:
        """A page's section, or its tables under the titles that their headings tell."""
        if self._catalogue.by_title(section.title):
            return [section]
        meant = [(self._meant_by(raw.headings), raw) for raw in section.tables("table")]
        return [PageSection(title, section, raw) for title, raw in meant if title]

    def _printed(self, lines: list[str]) -> list[RawSection]:
        """Sections as a report prints them, under titles that may have lost their database."""
        reader = TextReader("\n".join(lines))
        starts = {section.at: section.title for section in reader.sections}
        for at, line in enumerate(lines):
            title = _MARKUP.sub("", line)
            if at not in starts and title and len(title) <= _TITLE and self._is_title(title):
                starts[at] = title
        begins = [*sorted(starts), len(reader.lines)]
        sections = [
            TextSection(reader.lines, starts[at], [(at, end)]) for at, end in pairwise(begins)
        ]
        return [each for each in sections if self._catalogue.by_title(each.title)]

    def _is_title(self, text: str) -> bool:
        return any(
            norm_heading(title) == norm_heading(text)
            for name in self._catalogue.by_title(text)
            for title in self._catalogue.section(name).titles
        )

    def _title_above(self, at: int) -> str:
        """The title on one of the lines above a table, and remarks between them at most."""
        nearest = True
        for line in reversed(self.lines[max(0, at - 6) : at]):
            text = _MARKUP.sub("", line)
            if not text or _RULE.match(line) or text.startswith("->"):
                continue
            if _by_bars(line) or _by_tabs(line):
                break
            text = re.split(r"\s+(?:for DB:|DB/Inst:)", text)[0]
            if self._is_title(text) or (nearest and self._catalogue.by_title(text)):
                return text
            nearest = False
        return ""

    def _meant_by(self, headings: tuple[str, ...]) -> str:
        """Title of the section whose headings these are; empty where none or several would do."""
        best, title = (0, 0.0, 0.0), ""
        for name in self._catalogue.names:
            spec = self._catalogue.section(name)
            known = self._known(spec, headings)
            merit = (known, float(name in _GENERAL), known / len(spec.columns))
            if known >= max(_LEAST, _SHARE * len(headings)) and merit > best:
                best, title = merit, spec.titles[0]
        return title

    def _labelled(self, grid: Grid) -> str:
        """Title of the section of labels that begin the rows; empty where hardly any is known."""
        labels = [norm_heading(row.cells[0]) for row in HtmlLabels(grid).rows()]
        best, title = 0, ""
        for name in self._catalogue.names:
            spec = self._catalogue.section(name)
            if spec.layout == "labels":
                known = sum(label in spec.labels for label in labels)
                if known >= min(_LEAST, len(labels)) and known > max(best, 1):
                    best, title = known, spec.titles[0]
        return title

    def _knows(self, title: str, headings: tuple[str, ...]) -> bool:
        known = [
            self._known(self._catalogue.section(name), headings)
            for name in self._catalogue.by_title(title)
        ]
        return max(known, default=0) >= min(_LEAST, len(headings))

    def _known(self, spec: SectionSpec, headings: tuple[str, ...]) -> int:
        if spec.layout == "labels":
            return 0
        slots, known = match_columns(spec, headings)
        # the first column must be the one that names the rows
        named = bool(slots) and (spec.key is None or slots[0].column.name == spec.key)
        return known if named else 0


def _undecorated(text: str) -> list[str]:
    """Lines without marks of quotation, fences, numbers, bars of boxes, a common indentation."""
    lines = [_QUOTE.sub("", line.rstrip("\r")) for line in text.split("\n")]
    lines = ["" if _FENCE.match(line) else line.translate(_BARS) for line in lines]
    lines = [_FENCED.sub("", line) if "```" in line else line for line in lines]
    if _is_numbered(lines):
        lines = [_NUMBER.sub("", line) for line in lines]
    filled = [line for line in lines if line.strip()]
    indent = min((len(line) - len(line.lstrip(" ")) for line in filled), default=0)
    return [line[indent:].rstrip(" ") for line in lines]


def _is_numbered(lines: Sequence[str]) -> bool:
    """Whether each line begins with a number, one more than that of the line above."""
    found = [(at, _NUMBER.match(line)) for at, line in enumerate(lines) if line.strip()]
    offsets = {int(match[1]) - at if match else None for at, match in found}
    return len(found) > _LEAST and len(offsets) == 1 and None not in offsets


def _grids(lines: Sequence[str]) -> Iterator[Grid]:
    """Tables whose columns come apart by bars, by tabs, or by gaps under headings."""
    at = 0
    while at < len(lines):
        for split in (_by_bars, _by_tabs):
            block = _block(lines, at, split)
            grid = _grid(block, lines) if block else None
            if grid is not None:
                yield grid
            if block:
                at = block[-1][0] + 1
                break
        else:
            grid = _by_gaps(lines, at)
            if grid is not None:
                yield grid
                at = grid.cells[-1].at
            at += 1


Block = list[tuple[int, list[str]]]


def _by_bars(line: str) -> list[str] | None:
    if line.count("|") < 2 and not (line.startswith("|") and "|" in line[1:]):  # noqa: PLR2004
        return None
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def _by_tabs(line: str) -> list[str] | None:
    cells = [cell.strip() for cell in line.rstrip("\t").split("\t")]
    return cells if len(cells) >= _LEAST else None


def _block(lines: Sequence[str], at: int, split: object) -> Block:
    """Lines that follow each other and come apart the same way."""
    found: Block = []
    while at < len(lines):
        rule = bool(lines[at].strip()) and bool(_RULE.match(lines[at]))
        cells = split(lines[at])  # type: ignore[operator]
        if cells is None and not (rule and found):
            break
        found.append((at, [] if rule else cells))
        at += 1
    return found


def _grid(block: Block, lines: Sequence[str]) -> Grid | None:
    """Headings up to the first rule, or else the first line; then rows of as many cells."""
    filled = [(at, cells) for at, cells in block if cells]
    if len(filled) < 2:  # noqa: PLR2004 - headings and a row
        return None
    rules = [at for at, cells in block if not cells and at > filled[0][0]]
    heads = [cells for at, cells in filled if rules and at < rules[0]] or [filled[0][1]]
    if not rules and _is_group(filled):
        del filled[0]  # what stands over several headings
        heads = [filled[0][1]]
    if any(NUMERIC_WORD.match(cell) for cells in heads for cell in cells):
        heads = [[""] * len(filled[0][1])]  # labels and figures from the first line on
        filled.insert(0, (filled[0][0], heads[0]))
    width = max(map(len, heads))
    if len(heads) == len(filled):
        return None
    below = [cells for _, cells in filled[len(heads) :] if len(cells) > 1]
    if below and {len(cells) for cells in below} == {width + 1}:
        heads[-1].insert(0, "")  # a browser copies no blank heading at the beginning of a line
        width += 1
    merged = any("  " in heading for cells in heads for heading in cells)
    if merged or any(any(cells[width:]) for cells in below):
        return None  # which figure is whose, nothing tells
    headings = tuple(
        " ".join(cells[n] for cells in heads if n < len(cells) and cells[n]) for n in range(width)
    )
    rows = [
        RawRow([*cells, *[""] * (width - len(cells))][:width], at)
        for at, cells in filled[len(heads) :]
        if len(cells) > 1
    ]
    return Grid(headings, rows, filled[0][0]) if rows and lines else None


def _is_group(block: Block) -> bool:
    """Whether the first line names less than the second, and the figures are as many as there."""
    if len(block) < 3:  # noqa: PLR2004 - groups, headings and a row
        return False
    groups, names, row = (cells for _, cells in block[:3])
    figures = [any(map(NUMERIC_WORD.match, cells)) for cells in (groups, names, row)]
    return len(groups) < len(row) <= len(names) and figures == [False, False, True]


def _by_gaps(lines: Sequence[str], at: int) -> Grid | None:
    """Headings with wide gaps between them, an optional rule, and rows with as many pieces.

    A row with a piece less lacks the first figure, as CPU has no waits: figures keep to the right.
    """
    headings = tuple(piece for piece in _GAP.split(lines[at].strip()) if piece)
    if len(headings) < _LEAST or any(NUMERIC_WORD.match(piece) for piece in headings):
        return None
    if at and lines[at - 1].strip() and _GAP.search(lines[at - 1].strip()):
        return None  # headings of several lines stand over a ruler that tells more
    rows: list[RawRow] = []
    rulers = 0
    for number in range(at + 1, len(lines)):
        line = lines[number]
        if _RULE.match(line) and line.strip() and not rows:
            rulers = len(line.split())
            continue
        pieces = [piece for piece in _GAP.split(line.strip()) if piece]
        if not line.strip() or not 1 < len(pieces) <= len(headings):
            break
        if not any(NUMERIC_WORD.match(piece) for piece in pieces[1:]):
            break
        blanks = [""] * (len(headings) - len(pieces))
        rows.append(RawRow([pieces[0], *blanks, *pieces[1:]], number))
    if not rows or rulers > 1:
        return None  # a ruler that is whole tells the columns better
    return Grid(headings, rows, at)
