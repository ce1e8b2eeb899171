"""Rows of text tables, by layout: one line per row, two lines per row, SQL statements, labels."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from awrlens.lazy import lazy
from awrlens.report import container_names, ruler
from awrlens.report.reader_result import RawRow, words_of
from awrlens.report.ruler import NUMERIC_LINE, Columns
from awrlens.report.two_line_rows import above_rows, holds_values, sql_rows, stacked_rows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from awrlens.report.text_blocks import Block
    from awrlens.report.two_line_rows import Lines

#: Maximum number of blank columns in a row of a SQL statement.
_BLANKS = 2
#: Maximum number of rulers above rows; a name for the row is below a third one.
_RULERS = 2
#: Width of a column that is never cut.
_UNCUT = 10**6


class TextTable:
    """A table under one ruler, or under two if a row takes two lines."""

    def __init__(
        self,
        lines: Sequence[str],
        block: Block,
        layout: str,
        title_end: int,
        pdbs: dict[int, str] | None = None,
    ) -> None:
        self._lines = lines
        self._layout = layout
        #: Lines of the section that contain only the container of the row above.
        self._pdbs = pdbs or {}
        self.pages = [block]
        #: Lines between the rows that are remarks.
        self.notes: set[int] = set()
        #: The rule that ends a table is above it, without a title: it may be of another section.
        self.behind_end = False
        self._again: set[str] = set()
        first = min([*block.headings, *block.rulers])
        skips = [title_end, *[0] * len(block.headings)]
        spans, known, self.heading_text = _read_headings(
            tuple((at - first, lines[at], skips[n]) for n, at in enumerate(block.headings)),
            tuple((at - first, lines[at]) for at in block.rulers),
        )
        headings = list(known)
        #: Headings for values without a column under the rulers, after the headings of the columns.
        added = ["SQL Module", "SQL Text"] if layout == "sql" else []
        self._spans = spans[:_RULERS]
        self._margin = spans[_RULERS][0] if len(spans) > _RULERS else None
        if self._margin is not None:
            added.append(headings.pop())
        elif self._pdbs:
            added.append(container_names.PDB_HEADING)
        if layout == "above" and not self._has_names_above():
            self._layout = "table"
        if self._layout == "above":
            headings.insert(0, "")
        self._added = len(added)
        self.headings = (*headings, *added)

    def _has_names_above(self) -> bool:
        """Whether figures have lines of their own, under names without a heading."""
        filled = [self._lines[at] for at in self.pages[0].rows if self._lines[at]]
        if len(self._spans) > 1:
            return False
        return sum(bool(NUMERIC_LINE.match(line)) for line in filled) * 3 >= len(filled)

    @property
    def groups(self) -> tuple[str, ...]:
        """For each column, the words above a rule that spans several columns."""
        lines = [self._lines[at] for at in self.pages[0].groups]
        rule = next((line for line in reversed(lines) if ruler.RULER.match(line)), "")
        wide = ruler.spans(rule)
        words = [w for line in lines if line is not rule for w in ruler.heading_words(line)]
        if not words or not wide:
            return ()
        named = ruler.join_headings(words, wide)
        over = tuple(
            next((named[n] for n, (a, b) in enumerate(wide) if a <= begin < b), "")
            for begin, _ in self._spans[-1]
        )
        before = len(self.headings) - len(over) - self._added
        return (*("",) * before, *over, *("",) * self._added)

    @property
    def at(self) -> int:
        """Index of the first heading line, or of the ruler if there is none."""
        block = self.pages[0]
        return block.headings[0] if block.headings else block.rulers[0]

    @property
    def widths(self) -> tuple[int, ...]:
        """Width of every column as printed."""
        widths = [end - begin for columns in self._spans for begin, end in columns]
        if self._layout == "above":
            widths.insert(0, _UNCUT)
        return (*widths, *(_UNCUT,) * self._added)

    @lazy
    def _names(self) -> dict[int, str]:
        """Lines that contain only the container of the row above."""
        if self._margin is None:
            return self._pdbs
        rows = [at for page in self.pages for at in page.rows]
        return container_names.right_aligned(self._lines, rows, self._margin[1])

    @lazy
    def _filled(self) -> Lines:
        """Lines that contain rows: no remarks, blanks and rules."""
        lines = self._lines
        other = self.notes | self._names.keys() if self._names else self.notes
        return [
            (at, line)
            for page in self.pages
            for at in page.rows
            if (line := lines[at])
            and at not in other
            and not ("--" in line and ruler.RULER.match(line))
            and not ("~~~" in line and ruler.is_sum_rule(line))
        ]

    @lazy
    def _decoded(self) -> tuple[list[RawRow], set[int]]:
        """All rows, and the lines that they were read from."""
        rows, used = self._rows_and_lines
        if self._margin is None and not self._pdbs:
            return rows, used
        pages = {at for page in self.pages for at in page.rows if at in self._names}
        shared = self._margin is not None
        return container_names.with_names(rows, self._names, shared=shared), used | pages

    @property
    def _rows_and_lines(self) -> tuple[list[RawRow], set[int]]:
        """Rows as the rulers cut them."""
        if self._layout == "sql":
            lines = self._statement_lines
            return sql_rows(lines, self._spans)[0], {at for at, _ in lines}
        filled = self._filled
        if self._layout == "above":
            return above_rows(filled, self._spans[0]), {at for at, _ in filled}
        if len(self._spans) > 1:
            return stacked_rows(filled, self._spans), {at for at, _ in filled}
        cut = zip(filled, ruler.cut_all([line for _, line in filled], self._spans[0]), strict=True)
        rows = [RawRow(cells, at) for (at, _), cells in cut if cells is not None]
        return rows, {row.at for row in rows}

    @property
    def statements(self) -> list[list[int]]:
        """The lines of each SQL statement below its figures."""
        if self._layout != "sql":
            return []
        found = sql_rows(self._statement_lines, self._spans)
        return [[at for at, _ in piece] for piece in found[1] if piece]

    @property
    def _statement_lines(self) -> Lines:
        other = self.notes | self._names.keys()
        rows = (at for page in self.pages for at in page.rows)
        return [(at, self._lines[at]) for at in rows if at not in other]

    @property
    def used(self) -> set[int]:
        """Lines that are headings, rulers or rows of this table."""
        used = set(self._decoded[1])
        for block in self.pages:
            used.update(block.groups, block.headings, block.rulers)
        return used

    def rows(self) -> list[RawRow]:
        """All rows of all pages."""
        return self._decoded[0]

    def row(self, key: str) -> RawRow | None:
        """The first row that begins with ``key``; of a plain table, only that line is cut."""
        places = self._places
        if places is None:
            return self._by_key.get(key)
        found = places.get(key)
        if found is None:
            return None
        cells = ruler.cut(found[1], self._spans[0])
        if cells and words_of(cells[0]) == words_of(key):
            return RawRow(cells, found[0])
        return self._by_key.get(key)

    @lazy
    def _places(self) -> dict[str, tuple[int, str]] | None:
        """The line of each first cell if every row is a line; None when rows must be decoded."""
        if len(self._spans) > 1 or len(self._spans[0]) == 1 or self._layout in ("sql", "above"):
            return None
        if self._pdbs:
            return None
        (begin, end), (following, _) = self._spans[0][:2]
        filled = self._filled
        if ruler.all_fit([line for _, line in filled], self._spans[0]):
            found = {line[begin:end].strip(): (at, line) for at, line in filled}
            if len(found) == len(filled):
                return found
        found = {}
        blank = " " * (following - end)
        for at, line in filled:
            gap = line[end:following]
            if (gap != blank and gap.strip()) or (begin and line[:begin].strip()):
                return None  # a line does not fit the ruler
            if "  " not in line and ruler.is_squeezed(line, self._spans[0]):
                return None
            key = line[begin:end].strip()
            if found.setdefault(key, (at, line))[1] != line:
                self._again.add(key)
        return found

    @lazy
    def _by_key(self) -> dict[str, RawRow]:
        found: dict[str, RawRow] = {}
        for row in self._decoded[0]:
            if found.setdefault(row.cells[0], row).cells != row.cells:
                self._again.add(row.cells[0])
        return found

    def keys(self) -> list[str]:
        """First cells of all rows."""
        return self._keys

    @property
    def again(self) -> set[str]:
        """First cells that occur in more than one row."""
        self.keys()
        return self._again

    def unread_lines(self) -> list[str]:
        """Lines between the rows that are not rows: their columns are unknown."""
        if self._layout == "sql":
            least = len(self._spans[0]) - _BLANKS
            figures = {row.at for row in self._decoded[0]}
            return [
                line
                for at, line in self._statement_lines
                if at not in figures and holds_values(line, least)
            ]
        lost = self.lost
        return [line for at, line in self._filled if at in lost]

    @lazy
    def lost(self) -> frozenset[int]:
        """Places of the lines between the rows that are not rows."""
        if self._places is None:
            return frozenset(at for at, _ in self._filled).difference(self._decoded[1])
        # without making the rows
        lines, columns = [line for _, line in self._filled], self._spans[0]
        if ruler.all_rows(lines, columns):
            return frozenset()
        cut = zip(self._filled, ruler.cut_all(lines, columns), strict=True)
        return frozenset(at for (at, _), cells in cut if cells is None)

    @lazy
    def _keys(self) -> list[str]:
        return list(self._by_key if self._places is None else self._places)


@lru_cache(maxsize=4096)
def _read_headings(
    heads: tuple[tuple[int, str, int], ...], rulers: tuple[tuple[int, str], ...]
) -> tuple[list[Columns], tuple[str, ...], str]:
    """Columns under each ruler, their headings, and all words of the headings.

    The words are for headings that SQL*Plus wrapped out of their columns. Every report of a batch
    has the same few hundred headings.
    """
    spans = [ruler.spans(line) for _, line in rulers]
    headings: list[str] = []
    everything: list[str] = []
    above = -1
    for (at, _), columns in zip(rulers, spans, strict=True):
        own = [
            word
            for number, line, skip in heads
            if above < number < at
            for word in ruler.heading_words(line, skip)
        ]
        headings.extend(ruler.join_headings(own, columns))
        everything.extend(word for word, _ in own)
        above = at
    return spans, tuple(headings), " ".join(everything)
