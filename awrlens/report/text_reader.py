"""Reader of text reports: sections by their titles, tables by the rulers under their headings.

The reader knows no sections; the catalogue knows the meaning of columns. Every line of a section
is accounted for: it is a title, heading, ruler, row, note or blank, or else it is *unread*, and
tests count those.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.lazy import lazy, regex
from awrlens.report import ruler
from awrlens.report.container_names import pdb_lines
from awrlens.report.label_rows import LabelTable, label_cells
from awrlens.report.lines import Lines, is_note
from awrlens.report.reader_result import RawNote, RawRow
from awrlens.report.rows import TextTable
from awrlens.report.text_pages import TextPage
from awrlens.report.text_titles import MARGIN, TITLE_MARKS, title_at

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from awrlens.model import Excerpt
    from awrlens.report.reader_result import RawSection, RawTable
    from awrlens.report.ruler import Columns, Span
    from awrlens.report.text_blocks import Block

#: ``Name:   pearl-db   Num CPUs:   4`` after a title; a wide gap follows a label without value.
_BESIDE = regex(r"\s{0,99}+(?P<heading>[^:]{0,99}?):\s{1,8}(?P<value>[^\s:]++)(?!\S)")
_PREFIX = regex(r"^\d++[:-]")
#: A line for rows that were left out.
_NO_ROW = regex(r"\.{3,9}\s*+$")
#: Number of lines that show whether all lines begin with their number.
_NUMBERED: Final = 200
_NO_DATA: Final = "No data exists for this section"


class TextReader:
    """A text report, split into sections."""

    by_line = True

    def __init__(self, text: str) -> None:
        self.lines = _clean_lines(text)
        #: Lines that contain only the container of the row above.
        self.pdbs = pdb_lines(self.lines) if "PDB:" in text else {}

    def line(self, at: int) -> int:
        """1-based line number of a line index."""
        return at + 1

    def excerpt(self, at: int, cell: str, column: str) -> Excerpt:
        """The line as printed, under the headings of its table."""
        from awrlens.report.cell_context import of_lines  # noqa: PLC0415 - for pages only

        return of_lines(self.lines, at, cell, column)

    @lazy
    def sections(self) -> list[RawSection]:
        """Sections in order; pages with the same title are one section."""
        found: list[TextSection] = []
        starts = list(self._titles())
        for number, (at, title) in enumerate(starts):
            end = starts[number + 1][0] if number + 1 < len(starts) else len(self.lines)
            if found and found[-1].title == title:
                found[-1].pages.append((at, end))
            else:
                found.append(TextSection(self.lines, title, [(at, end)], self.pdbs))
        return list(found)

    def _titles(self) -> Iterator[tuple[int, str]]:
        lines = self.lines
        previous = -1
        rules = (at for at in lines.rulers if lines[at].startswith(MARGIN))
        for at in sorted({*lines.marked, *rules}):
            found = title_at(lines, at, previous)
            if found is not None and found[0] > previous:
                previous = found[0]
                yield found


def _clean_lines(text: str) -> Lines:
    """Lines with tabs expanded, without line ends, form feeds and `grep -n` prefixes."""
    for end in "\r\f":
        # many times as fast as a replacement, which counts first
        if end in text:
            text = "".join(_pieces(text, end))
    first = text.split("\n", _NUMBERED)[:_NUMBERED]
    filled = filter(str.strip, first)
    if _PREFIX.match(next(filled, "")) and all(map(_PREFIX.match, filled)):
        text = "\n".join(_PREFIX.sub("", line, count=1) for line in text.split("\n"))
    if "\t" in text:
        text = text.expandtabs(8)
    if "\n..." in text:
        text = "\n".join("" if _NO_ROW.match(line) else line for line in text.split("\n"))
    return Lines(text, TITLE_MARKS)


def _pieces(text: str, end: str) -> Iterator[str]:
    """The parts of a text between the places of a letter."""
    last = 0
    at = text.find(end)
    while at >= 0:
        yield text[last:at]
        last = at + 1
        at = text.find(end, last)
    yield text[last:]


class TextSection:
    """A title and all its pages."""

    parent = ""

    def __init__(self, lines: Lines, title: str, pages: list[Span], pdbs: dict[int, str]) -> None:
        self._lines = lines
        self.title = title
        self.pages = pages
        self._pdbs = pdbs
        self._known: dict[str, list[TextTable]] = {}

    @property
    def at(self) -> int:
        """Index of the first title line."""
        return self.pages[0][0]

    def notes(self) -> list[RawNote]:
        """``->`` remarks and warnings, each joined with its continuation lines."""
        joined: list[RawNote] = []
        for at in self._pages[0].notes:
            line = self._lines[at].strip()
            if is_note(self._lines[at]):
                joined.append(RawNote(line.removeprefix("->").lstrip(), at))
            elif joined:
                joined[-1] = RawNote(f"{joined[-1].text} {line}", joined[-1].at)
        return joined

    @lazy
    def _pages(self) -> list[TextPage]:
        return [TextPage(self._lines, self.title, *span) for span in self.pages]

    def headings_at(self, rulers: Collection[int]) -> tuple[str, ...] | None:
        """Headings of the first table on the first page with its last ruler in one of some lines.

        Other pages are not read.
        """
        page = self._pages[0]
        for block in page.blocks:
            if block.rulers[-1] in rulers:
                return self._table(block, "table", page).headings
        return None

    def _table(self, block: Block, layout: str, page: TextPage) -> TextTable:
        """The table of a block."""
        title = page.title_end if page.start in block.headings[:1] else 0
        return TextTable(self._lines, block, layout, title, self._own_pdbs)

    def tables(self, layout: str) -> list[RawTable]:
        """The tables of all pages, those with equal headings joined into one."""
        if layout == "labels":
            return list(self._label_tables()[0])
        if layout == "lines":
            pages = (at for start, end in self.pages for at in range(start + 1, end))
            return [
                LabelTable(("",), self.at, [RawRow([t], n) for n in pages if (t := self._lines[n])])
            ]
        return list(self._text_tables(layout)) or self._beside_title()

    def _text_tables(self, layout: str) -> list[TextTable]:
        """The tables under rulers, which several readers of the report ask for."""
        if layout not in self._known:
            self._known[layout] = self._read_tables(layout)
        return self._known[layout]

    def _read_tables(self, layout: str) -> list[TextTable]:
        tables: list[TextTable] = []
        #: The first table of each heading; searched for on the pages after the first.
        known: dict[tuple[str, ...], TextTable] = {}
        for number, page in enumerate(self._pages):
            if number == 1:
                for first in reversed(tables):
                    known[first.headings] = first
            before: Block | None = None
            for block in page.blocks:
                ended = before is not None and self._is_ended(before)
                before = block
                table = self._table(block, layout, page)
                table.notes.update(page.notes)
                table.behind_end = ended
                same = known.setdefault(table.headings, table) if number and not ended else table
                if same is not table:
                    same.pages.append(block)
                    same.notes.update(page.notes)
                else:
                    tables.append(table)
        return tables

    def _is_ended(self, block: Block) -> bool:
        """Whether the rule that ends a table is below a block's rows."""
        return self._lines.is_ruler(block.rows.stop)

    @lazy
    def _own_pdbs(self) -> dict[int, str]:
        """The lines of its pages that contain only the container of the row above."""
        if not self._pdbs:
            return {}
        lines = (at for start, end in self.pages for at in range(start + 1, end))
        return {at: self._pdbs[at] for at in lines if at in self._pdbs}

    def _beside_title(self) -> list[RawTable]:
        """The row on the title's line, each figure after its heading (``Host`` in 10.2)."""
        end = self._pages[0].title_end
        rows: list[RawRow] = []
        headings: tuple[str, ...] = ()
        for at in range(self.at, -1, -1) if end else ():  # the line above may be the same
            pairs = list(_BESIDE.finditer(self._lines[at], end))
            named = tuple(pair["heading"] for pair in pairs)
            if not pairs or (rows and named != headings):
                break
            headings = named
            rows.append(RawRow([pair["value"] for pair in pairs], at))
        return [LabelTable(headings, self.at, rows)] if rows else []

    def _label_tables(self) -> tuple[list[LabelTable], set[int]]:
        """``label: value`` lines, one table per paragraph, and the lines that they use."""
        tables: list[LabelTable] = []
        used: set[int] = set()
        for page in self._pages:
            start, end, blocks = page.start, page.end, page.blocks
            first = min((min(b.headings + b.rulers) for b in blocks), default=end)
            underline = next((at for at in range(start, first) if "~~~" in self._lines[at]), None)
            spread = _spread(self._lines[underline]) if underline is not None else []
            stretches: list[tuple[range, Columns, tuple[str, ...], set[int]]] = [
                (
                    range(start + 1, first),
                    ruler.Columns(place for _, place in spread),
                    ("", *(word for word, _ in spread)) if spread else (),
                    {underline} if underline is not None else set(),
                )
            ]
            for block in blocks:
                columns = ruler.spans(self._lines[block.rulers[-1]])
                headings = TextTable(
                    self._lines,
                    block,
                    "labels",
                    page.title_end if start in block.headings else 0,
                ).headings
                headings = ("", *headings)
                if not any("  " in self._lines[at].strip() for at in block.rows):
                    columns, headings = ruler.Columns(()), ("",)  # its blanks were collapsed
                elif columns[0][0] == 0:  # the labels have a rule of their own
                    columns, headings = ruler.Columns(columns[1:]), ("", *headings[2:])
                own = {*block.groups, *block.headings, *block.rulers}
                stretches.append((block.rows, columns, headings, own))
            for lines, columns, headings, own in stretches:
                found = self._paragraphs(lines, columns, headings)
                if found:
                    tables.extend(found)
                    used.update(own)
                    used.update(row.at for table in found for row in table.rows())
        return tables, used

    def _paragraphs(
        self, lines: range, columns: Columns, headings: tuple[str, ...]
    ) -> list[LabelTable]:
        """Label tables of a stretch of lines; lines with pairs of labels have no headings."""
        tables: list[LabelTable] = []
        rows: list[RawRow] = []
        pairs = True
        for at in [*lines, -1]:
            line = self._lines[at] if at >= 0 else ""
            if line:
                cells = label_cells(line, columns)
                pairs = pairs and len(cells) > 1
                rows.extend(RawRow(each, at) for each in cells)
            elif rows:
                tables.append(LabelTable(() if pairs else headings, rows[0].at, rows))
                rows, pairs = [], True
        return tables

    def unread(self, layout: str) -> list[int]:
        """Lines that are not a heading, ruler, row, note, title or end rule."""
        if layout == "lines":
            return []
        if layout == "labels":
            used = self._label_tables()[1]
        else:
            used = {at for table in self._text_tables(layout) for at in table.used}
        used.update(at for page in self._pages for at in page.notes)
        return [
            at + 1
            for start, end in self.pages
            for at in range(start + 1, end)
            if self._lines[at]
            and at not in used
            and not self._lines.is_ruler(at)
            and not ruler.UNDERLINE.match(self._lines[at])
            and _NO_DATA not in self._lines[at]
        ]


def _spread(line: str) -> list[tuple[str, Span]]:
    """Headings next to tildes without a ruler below: each begins where the one before it ends."""
    found: list[tuple[str, Span]] = []
    end = len(line) - len(line.lstrip(" ~"))
    for word, (_, stop) in ruler.heading_words(line):
        found.append((word, (end, stop)))
        end = stop
    return found
