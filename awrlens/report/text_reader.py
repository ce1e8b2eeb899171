"""Reader of text reports: sections by their titles, tables by the rulers under their headings.

The reader knows no sections. A title is before names, above tildes or above a ruler.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from itertools import pairwise, takewhile
from typing import TYPE_CHECKING, Final

from awrlens.lazy import lazy, regex
from awrlens.report import ruler
from awrlens.report.reader_result import RawNote, RawRow, RowTable
from awrlens.report.ruler import NUMERIC_WORD, RULER, UNDERLINE, spans
from awrlens.report.text_rows import Block, TextTable, label_cells, pdb_lines

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from awrlens.model import Excerpt
    from awrlens.report.reader_result import RawSection, RawTable
    from awrlens.report.ruler import Columns, Span


#: The marks of a remark, after blanks.
_MARKS: Final = ("->", "Warning:")
#: Remarks of Statspack without an arrow: on CPU time, the session watched, a buffer pool removed.
UNMARKED: Final = ("Note: ", "Session Id: ", "The following buffer pool")


def is_note(line: str) -> bool:
    """Whether a line begins a remark."""
    return line.lstrip().startswith(_MARKS) or line.startswith(UNMARKED)


_ANY_MARK: Final = "|".join(map(re.escape, _MARKS))
#: A line break before a line that begins a remark; other white space than blanks is rare.
_NOTE = regex(
    rf"\n(?: *+(?:{_ANY_MARK}|[^\S\n ][^\S\n]*+(?:{_ANY_MARK}))"
    rf"|{'|'.join(map(re.escape, UNMARKED))})"
)


def _places(marks: Iterable[str], text: str) -> Iterator[int]:
    """Where a text has the first one of each mark on a line."""
    for mark in marks:
        at = text.find(mark)
        while at >= 0:
            yield at
            at = text.find("\n", at)
            at = text.find(mark, at) if at >= 0 else -1


class Lines(list[str]):
    """Lines without ends and trailing blanks; few matter: rulers, and those with ``marks``."""

    def __init__(self, text: str, marks: Sequence[str] = ()) -> None:
        lines = text.split("\n")
        if not lines[-1]:
            lines.pop()
        super().__init__(map(str.rstrip, lines))
        self._text, self._marks = text, marks

    @lazy
    def rulers(self) -> list[int]:
        """Lines of dash groups, in order."""
        return [
            at for at, line in enumerate(self) if line and line[-1] == "-" and RULER.match(line)
        ]

    @lazy
    def marked(self) -> list[int]:
        """Lines that contain one of the marks, in order."""
        text, self._text = self._text, ""
        marked: list[int] = []
        number = last = 0
        # lines are counted only once
        for at in sorted({*_places(self._marks, text)}):
            number += text.count("\n", last, at)
            last = at
            if marked[-1:] != [number]:
                marked.append(number)
        return marked

    @lazy
    def _ruled(self) -> frozenset[int]:
        return frozenset(self.rulers)

    def is_ruler(self, at: int) -> bool:
        """Whether a line is one of dash groups."""
        return at in self._ruled

    def notes(self, start: int, end: int) -> list[int]:
        """Lines that begin a remark, from a line to before another."""
        text = "\n".join(["", *self[start:end]])
        notes: list[int] = []
        at, last = start, 0
        for match in _NOTE.finditer(text):
            at += text.count("\n", last, match.start())
            last = match.start()
            notes.append(at)
        return notes


#: Maximum number of columns; a line with more groups is not a ruler.
_MOST_COLUMNS: Final = 128
#: An end rule is a single group of dashes, at least this long and this far from the margin.
_END_RULE_LENGTH: Final = 40
_END_RULE_INDENT: Final = 8


def find_blocks(
    lines: Lines, start: int, end: int, notes: Collection[int] = (), title_end: int = 0
) -> list[Block]:
    """The tables of a page; ``title_end``: where its title ends if headings are behind it, or 0."""
    rulers, stops = _rules(lines, start, end)
    blocks: list[Block] = []
    filled = -1  # all lines from the last table's ruler to here are filled
    for at in rulers:
        headings = _heading_lines(lines, at, start, notes, with_title=title_end > 0)
        if blocks:
            last = blocks[-1].rulers[-1]
            # rows of the table above, if the blank line below them was lost: a row has a figure
            # without a unit, headings have `4s` and `64ms`
            rows = [n for n in headings if n > last and any(map(str.isdigit, lines[n].split()))]
            headings = [n for n in headings if rows and n > rows[-1]] or headings
        groups: list[int] = []
        if blocks:
            between = range(last + 1, at)
            filled = max(filled, last)
            filled += len([*takewhile(lines.__getitem__, range(filled + 1, at))])
            own, above = spans(lines[at]), spans(lines[last])
            if filled + 1 >= at and len(own) < len(above) and set(own) < set(above):
                continue  # a rule above a total
            # headings are in order, so the first one and their count identify all of them
            if between and len(headings) == len(between) and headings[0] == between[0]:
                if len(blocks[-1].rulers) > 1:
                    # else it is the end rule of a page that was cut off below it
                    if _spans_groups(above, own):
                        _group_below(blocks[-1], at, headings)
                    elif _names_rows(lines, headings, own):
                        blocks[-1].rulers.append(at)
                        blocks[-1].headings.extend(headings)
                    continue
                if above[0][0] <= own[0][0] and not _spans_groups(above, own):
                    blocks[-1].rulers.append(at)  # the name is above, the figures are below
                    blocks[-1].headings.extend(headings)
                    continue
                previous = blocks.pop()  # the rule above spans a group of columns
                groups = [*previous.groups, *previous.headings, *previous.rulers]
        blocks.append(Block(headings, [at], groups, range(0)))
    return [_with_rows(blocks, number, stops, end) for number in range(len(blocks))]


def _group_below(block: Block, ruler: int, headings: list[int]) -> None:
    """Names, groups of columns under them, and the columns' own ruler: use that one."""
    names, groups = block.rulers[0], block.rulers[-1]
    block.groups.extend([*(at for at in block.headings if at > names), groups])
    block.headings[:] = [*(at for at in block.headings if at < names), *headings]
    block.rulers[-1] = ruler


def _names_rows(lines: Sequence[str], headings: list[int], own: list[Span]) -> bool:
    """Whether a third ruler is for a name below each row, such as ``Container Name``."""
    words = lines[headings[0]]
    return len(own) == len(headings) == 1 and not any(letter.isdigit() for letter in words)


def _spans_groups(above: list[Span], own: list[Span]) -> bool:
    """Whether several rules each span some columns exactly: they group the columns."""
    if len(above) < 2 or len(own) < 2 * len(above):  # noqa: PLR2004 - several rules
        return False
    inside = ([column for column in own if a <= column[0] and column[1] <= b] for a, b in above)
    return all(
        len(columns) > 1 and (columns[0][0], columns[-1][1]) == rule
        for columns, rule in zip(inside, above, strict=True)
    )


def _rules(lines: Lines, start: int, end: int) -> tuple[list[int], list[int]]:
    rulers: list[int] = []
    stops: list[int] = []
    first, last = bisect_left(lines.rulers, start + 1), bisect_left(lines.rulers, end)
    for at in lines.rulers[first:last]:
        if lines[at].count(" -") <= _MOST_COLUMNS:
            (stops if _is_end_rule(lines, at, end) else rulers).append(at)
    return rulers, stops


def _with_rows(blocks: list[Block], number: int, stops: list[int], end: int) -> Block:
    """A block with its rows: up to the next block, the next end rule or the page's end."""
    block = blocks[number]
    first = block.rulers[-1] + 1
    after = blocks[number + 1 : number + 2]
    begins = [min([*b.groups, *b.headings, *b.rulers]) for b in after]
    last = min([end, *begins, *stops[(n := bisect_left(stops, first)) : n + 1]])
    return block._replace(rows=range(first, max(first, last)))


def _is_end_rule(lines: Lines, at: int, end: int) -> bool:
    line = lines[at]
    indent = len(line) - len(line.lstrip())
    single = " " not in line.strip()
    if not single or indent < _END_RULE_INDENT or len(line) - indent < _END_RULE_LENGTH:
        return False
    # the title of an unknown section may follow; rows above it are figures or a label with one,
    # headings are not, and a table without rows ends right below its ruler
    above = lines[at - 1]
    return (
        at + 1 >= end
        or not lines[at + 1]
        or any(map(NUMERIC_WORD.match, above.split()[-1:]))
        or (": " in above and any(map(str.isdigit, above)))
        or lines.is_ruler(at - 1)
    )


def _heading_lines(
    lines: Lines, ruler: int, start: int, notes: Collection[int], *, with_title: bool
) -> list[int]:
    """Lines directly above a ruler, up to a blank line, a note, another ruler or the title."""
    headings: list[int] = []
    at = ruler - 1
    while at >= start and lines[at]:
        if at == start and not with_title:
            break
        if at in notes or lines.is_ruler(at):
            break
        if "~" not in lines[at] or not UNDERLINE.match(lines[at]):
            headings.append(at)
        at -= 1
    return headings[::-1]


#: The names after a title; ``First`` is between them on every page but the first of several.
_NAMES = regex(r"DB/Inst: ?\S|\b(?:for )?DB: .{0,200} Instance: ")
#: The snapshots after a title whose names were taken out before the report was shown to others.
_SNAPSHOTS = regex(r"(?<=\S)\s{2,}+(?:End )?Snaps?:(?: ?\d{1,18}+(?:-\d{0,18}+)?)?\s*+$")
_BANNER = regex(
    r"\s*(?P<title>STATSPACK report for|WORKLOAD REPOSITORY (?:PDB |COMPARE PERIOD )?report\b.*|"
    r"ADDM Report for Task.*|End of Report\b.*)$",
    re.I,
)
#: Every line that ``title_at`` takes for a title or an underline has one of these, unless it is a
#: ruler below a margin.
TITLE_MARKS: Final = (
    "DB/Inst:", "DB:", "Snap", "~", "eport", "EPORT",
)  # fmt: skip
#: A title without DB/Inst ends at a wide gap; a remark in parentheses belongs to it.
_BARE_TITLE = regex(r"\s*+(?P<title>\S++(?: \S++)*?(?: *+\([^)]{0,80}+\))?)(?=\s{2}|$)")
#: A figure in a column: rows of a table have them; figures of a title follow a label and a colon.
_FIGURE = regex(r"(?<![\s:])\s{2,}+[-+]?(?=[.,]*+\d)[\d.,]++(?!\S)")
#: Minimum margin before a rule below a title without dashes.
MARGIN: Final = " " * 10


def title_at(lines: Sequence[str], at: int, previous: int) -> tuple[int, str] | None:
    """The title in a line or above an underline, with the index of the title's line."""
    line = lines[at]
    if "DB/Inst:" in line or " DB: " in line:
        title = _title_before(line)
        return (at, title) if title else None
    named = ("  Snap" in line or "  End Snap" in line) and not line[0].isspace()
    if named and (snapshots := _SNAPSHOTS.search(line, 1)):
        return at, line[: snapshots.start()].rstrip()
    if line.lstrip().startswith("~~~"):
        return _underlined_title(lines, at, previous)
    if line[:10] == MARGIN and at and _is_bare_title(lines, at - 1):
        return at - 1, _bare_title(lines[at - 1])
    match = _BANNER.match(line) if "eport" in line or "EPORT" in line else None
    return (at, match["title"]) if match else None


def _title_before(line: str) -> str:
    if line[:1].isspace():
        return ""
    match = _NAMES.search(line, max(1, line.find("DB") - len("for ")))
    # pages below others have `First` instead of the snapshots
    return line[: match.start()].rstrip().removesuffix(" First").rstrip() if match else ""


def _bare_title(line: str) -> str:
    match = _BARE_TITLE.match(line)
    return " ".join(match["title"].split()) if match else ""


def _underlined_title(lines: Sequence[str], at: int, previous: int) -> tuple[int, str] | None:
    """The title above a line of tildes: the line above, or one higher if headings wrapped."""
    if not at or at - 1 <= previous or not lines[at - 1].strip(" ~"):
        return None
    if ruler.is_sum_rule(lines[at]):
        return None
    if len(_FIGURE.findall(lines[at - 1])) > 1:
        return at, ""  # the title's line is lost
    indent = len(lines[at]) - len(lines[at].lstrip())
    if lines[at - 1][:indent].strip():
        return None  # a rule under figures within a row
    tildes = len(lines[at].lstrip()) - len(lines[at].lstrip().lstrip("~"))
    for candidate in (at - 1, at - 2):
        if candidate > previous and lines[candidate].strip():
            title = _bare_title(lines[candidate])
            words = title.partition("(")[0].strip()
            if tildes in (len(words), len(title)):
                return candidate, title
            if title[tildes : tildes + 1] == " ":
                return candidate, title[:tildes]  # the first heading follows without a gap
    return at - 1, _bare_title(lines[at - 1])


def _is_bare_title(lines: Sequence[str], at: int) -> bool:
    """`` Shared Pool Statistics        Begin   End`` above a ruler without a part for the title."""
    line, rule = lines[at], lines[at + 1]
    if not line.startswith(" ") or not line[1:2].isalpha() or not ruler.RULER.match(rule):
        return False
    words = line[: len(rule) - len(rule.lstrip())].split()
    return len(words) > 1 and (at == 0 or not lines[at - 1])


class TextPage:
    """The lines from a title to the next one, each part found on first use."""

    def __init__(self, lines: Lines, title: str, start: int, end: int) -> None:
        self._lines = lines
        self._title = title
        self.start = start
        self.end = end

    @lazy
    def title_end(self) -> int:
        """Where the title's words end if its line also has headings, else 0."""
        line = self._lines[self.start]
        if _title_before(line) or _BANNER.match(line) or not (match := _BARE_TITLE.match(line)):
            return 0
        at = line.find(self._title)
        return match.end() if at < 0 else at + len(self._title)

    @lazy
    def notes(self) -> list[int]:
        """Lines that belong to remarks: first lines and the indented ones below."""
        notes: list[int] = []
        for at in self._lines.notes(self.start + 1, self.end):
            notes.append(at)
            while (at := at + 1) < self.end and self._goes_on(at):
                notes.append(at)
        return notes

    def _goes_on(self, at: int) -> bool:
        """Whether a line below a remark belongs to it and does not begin another."""
        line = self._lines[at]
        if not line or is_note(line):
            return False
        if line.startswith("  "):
            return not self._lines.is_ruler(at)
        # some releases do not indent a remark's second line
        if "->" in line or "arning:" in line or not line[0].islower():
            return False
        prose = takewhile(self._lines.__getitem__, range(at, self.end))
        return not any(map(self._lines.is_ruler, prose))

    @lazy
    def blocks(self) -> list[Block]:
        """The tables under rulers."""
        return find_blocks(self._lines, self.start, self.end, frozenset(self.notes), self.title_end)


#: ``Name:   pearl-db   Num CPUs:   4`` after a title; a wide gap follows a label without value.
_BESIDE = regex(r"\s{0,99}+(?P<heading>[^:]{0,99}?):\s{1,8}(?P<value>[^\s:]++)(?!\S)")
_PREFIX = regex(r"^\d++[:-]")
#: A line for rows that were left out.
_NO_ROW = regex(r"\.{3,9}\s*+$")
#: Number of lines that show whether all lines begin with their number.
_NUMBERED: Final = 200


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
        from awrlens.report.frames import of_lines

        return of_lines(self.lines, at, cell, column)

    @lazy
    def sections(self) -> list[RawSection]:
        """Sections in order; pages with the same title are one section."""
        sections: list[TextSection] = []
        for (at, title), (end, _) in pairwise([*self._titles(), (len(self.lines), "")]):
            if sections and sections[-1].title == title:
                sections[-1].pages.append((at, end))
            else:
                sections.append(TextSection(self.lines, title, [(at, end)], self.pdbs))
        return [*sections]

    def _titles(self) -> Iterator[tuple[int, str]]:
        lines = self.lines
        previous = -1
        rules = (at for at in lines.rulers if lines[at].startswith(MARGIN))
        for at in sorted({*lines.marked, *rules}):
            title = title_at(lines, at, previous)
            if title is not None and title[0] > previous:
                previous = title[0]
                yield title


def _clean_lines(text: str) -> Lines:
    """Lines with tabs expanded, without line ends, form feeds and `grep -n` prefixes."""
    text = text.replace("\r", "").replace("\f", "")
    first = text.split("\n", _NUMBERED)[:_NUMBERED]
    filled = filter(str.strip, first)
    if _PREFIX.match(next(filled, "")) and all(map(_PREFIX.match, filled)):
        text = "\n".join(_PREFIX.sub("", line, count=1) for line in text.split("\n"))
    if "\t" in text:
        text = text.expandtabs(8)
    if "\n..." in text:
        text = "\n".join("" if _NO_ROW.match(line) else line for line in text.split("\n"))
    return Lines(text, TITLE_MARKS)


class TextSection:
    """A title and all its pages."""

    parent = ""

    def __init__(self, lines: Lines, title: str, pages: list[Span], pdbs: dict[int, str]) -> None:
        self._lines = lines
        self.title = title
        self.pages = pages
        #: Index of the first title line.
        self.at = pages[0][0]
        self._pdbs = pdbs
        self._known: dict[str, list[TextTable]] = {}

    def notes(self) -> list[RawNote]:
        """``->`` remarks and warnings, each without its continuation lines."""
        lines = self._lines
        return [
            RawNote(lines[at].strip().removeprefix("->").lstrip(), at)
            for at in self._pages[0].notes
            if is_note(lines[at])
        ]

    @lazy
    def _pages(self) -> list[TextPage]:
        return [TextPage(self._lines, self.title, *span) for span in self.pages]

    def headings_at(self, rulers: Collection[int]) -> tuple[str, ...] | None:
        """Headings of the first page's first table whose last ruler is in one of some lines."""
        page = self._pages[0]
        for block in page.blocks:
            if block.rulers[-1] in rulers:
                return self._table(block, "table", page).headings
        return None

    def _table(self, block: Block, layout: str, page: TextPage) -> TextTable:
        title = page.title_end if page.start in block.headings[:1] else 0
        return TextTable(self._lines, block, layout, title, self._own_pdbs)

    def tables(self, layout: str) -> list[RawTable]:
        """The tables of all pages, those with equal headings joined into one."""
        if layout == "labels":
            return list(self._label_tables())
        if layout == "lines":
            pages = (at for start, end in self.pages for at in range(start + 1, end))
            return [
                RowTable(("",), self.at, [RawRow([t], n) for n in pages if (t := self._lines[n])])
            ]
        return list(self._text_tables(layout)) or self._beside_title()

    def _text_tables(self, layout: str) -> list[TextTable]:
        """The tables under rulers, which several readers of the report ask for."""
        if layout in self._known:
            return self._known[layout]
        tables = self._known[layout] = []
        #: The first table of each heading; searched for on the pages after the first.
        firsts: dict[tuple[str, ...], TextTable] = {}
        for number, page in enumerate(self._pages):
            if number == 1:
                for first in reversed(tables):
                    firsts[first.headings] = first
            before: Block | None = None
            for block in page.blocks:
                # the rule that ends a table is below its rows
                ended = before is not None and self._lines.is_ruler(before.rows.stop)
                before = block
                table = self._table(block, layout, page)
                table.notes.update(page.notes)
                table.behind_end = ended
                same = firsts.setdefault(table.headings, table) if number and not ended else table
                if same is not table:
                    same.pages.append(block)
                    same.notes.update(page.notes)
                else:
                    tables.append(table)
        return tables

    @lazy
    def _own_pdbs(self) -> dict[int, str]:
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
        return [RowTable(headings, self.at, rows)] if rows else []

    def _label_tables(self) -> list[RowTable]:
        """``label: value`` lines, one table per paragraph."""
        tables: list[RowTable] = []
        for page in self._pages:
            start, end, blocks = page.start, page.end, page.blocks
            first = min((min(b.headings + b.rulers) for b in blocks), default=end)
            above = self._lines[start:first]
            spread = _spread(next((line for line in above if "~~~" in line), ""))
            words = ("", *(word for word, _ in spread)) if spread else ()
            places = [place for _, place in spread]
            tables += self._paragraphs(range(start + 1, first), places, words)
            for block in blocks:
                columns = ruler.spans(self._lines[block.rulers[-1]])
                title = page.title_end if start in block.headings else 0
                headings = ("", *TextTable(self._lines, block, "labels", title).headings)
                if not any("  " in self._lines[at].strip() for at in block.rows):
                    columns, headings = [], ("",)  # its blanks were collapsed
                elif columns[0][0] == 0:  # the labels have a rule of their own
                    columns, headings = columns[1:], ("", *headings[2:])
                tables += self._paragraphs(block.rows, columns, headings)
        return tables

    def _paragraphs(
        self, lines: range, columns: Columns, headings: tuple[str, ...]
    ) -> list[RowTable]:
        """Label tables of a stretch of lines; lines with pairs of labels have no headings."""
        tables: list[RowTable] = []
        rows: list[RawRow] = []
        pairs = True
        for at in [*lines, -1]:
            line = self._lines[at] if at >= 0 else ""
            if line:
                cells = label_cells(line, columns)
                pairs = pairs and len(cells) > 1
                rows.extend(RawRow(row, at) for row in cells)
            elif rows:
                tables.append(RowTable(() if pairs else headings, rows[0].at, rows))
                rows, pairs = [], True
        return tables


def _spread(line: str) -> list[tuple[str, Span]]:
    """Headings next to tildes without a ruler below: each begins where the one before it ends."""
    headings: list[tuple[str, Span]] = []
    end = len(line) - len(line.lstrip(" ~"))
    for word, (_, stop) in ruler.heading_words(line):
        headings.append((word, (end, stop)))
        end = stop
    return headings
