"""Rows of text tables: a line each, over two lines, with SQL statements, or labels with values.

Names may be above their figures, or below them: the container of a row (12.2 and later). Most
sections print it as ``PDB: NAME``, indented; those of sampled activity print it at the right
margin, under a third ruler whose heading is ``Container Name``.
"""

from __future__ import annotations

from bisect import bisect_right
from functools import lru_cache
from itertools import zip_longest
from typing import TYPE_CHECKING, Final, TypeAlias

from awrlens.lazy import NamedTuple, lazy, regex
from awrlens.report import ruler
from awrlens.report.locale import without_groups
from awrlens.report.reader_result import RawRow
from awrlens.report.ruler import NUMERIC_LINE, NUMERIC_WORD, Columns
from awrlens.source.copied_text import END_OF_BLOCK

if TYPE_CHECKING:
    from collections.abc import Sequence


#: The column's heading in HTML reports.
PDB_HEADING: Final = "PDB Name"
_PDB_MARK: Final = "PDB: "
_PDB = regex(r" +PDB: (?P<name>\S.*)")
_RIGHT_MARGIN: Final = " " * 5


def pdb_lines(lines: Sequence[str]) -> dict[int, str]:
    """The lines that contain only the container of the row above."""
    marked = ((at, _PDB.fullmatch(line)) for at, line in enumerate(lines) if _PDB_MARK in line)
    return {at: match["name"] for at, match in marked if match}


def with_names(rows: list[RawRow], names: dict[int, str], *, shared: bool) -> list[RawRow]:
    """Rows with the name below each, or, if ``shared``, below the last with the same beginning."""
    places = sorted(names)
    named: list[RawRow] = []
    name, where = "", 0
    following = places[-1] + 1 if places else 0
    for row in reversed(rows):
        after = bisect_right(places, row.at)
        if after < len(places) and places[after] < following:
            name, where = names[places[after]], places[after]
        elif not shared or not named or named[-1].cells[0] != row.cells[0]:
            name, where = "", row.at
        spots = [row.place(cell) for cell in range(len(row.cells))]
        named.append(RawRow([*row.cells, name], row.at, [*spots, where].__getitem__))
        following = row.at
    return named[::-1]


#: Statspack prints this many letters of a SQL statement per line.
_STATSPACK_CUT: Final = 64
#: Words that are hardly ever the beginning or end of a longer word.
_KEYWORDS: Final = frozenset({
    "and", "begin", "between", "case", "connect", "delete", "distinct", "else", "end", "exists",
    "from", "group", "having", "insert", "into", "like", "null", "order", "select", "then", "union",
    "update", "values", "when", "where",
})  # fmt: skip
_LAST_WORD = regex(r"(?<![\w$#])[\w$#]+$")
_FIRST_WORD = regex(r"[\w$#]+")


def statement(lines: Sequence[str], width: int) -> str:
    """The SQL statement; ``width`` is the length of the longest line of its section.

    Statspack cuts it after 64 letters, so a shorter line lost the blanks at its end. AWR cuts it
    after 80 and then collapses blanks, so a shorter line may also end within a word.
    """
    sql = ""
    for line, after in zip_longest(lines, lines[1:], fillvalue=""):
        lost = len(line) < width and (width <= _STATSPACK_CUT or not _goes_on(line, after))
        sql += f"{line} " if lost else line
    return sql.strip()


def _goes_on(line: str, after: str) -> bool:
    """Whether the last word or sign of a line and the first of the next may be one."""
    last, first = _LAST_WORD.search(line), _FIRST_WORD.match(after)
    if last and first:
        return not {last[0].lower(), first[0].lower()} & _KEYWORDS
    return line.endswith(("(", ".", ":", "|", "<", ">", "!")) or after.startswith(
        (")", ",", ".", ";", "|", "=")
    )


#: A value: a number, a remark on its unit, a date, a SQL ID.
VALUE = regex(rf"(?:{NUMERIC_WORD.pattern}|\([a-z]+\)$|\d\d-\S+-\d\d$|[0-9a-z]{{13}}$)")
_SQL_ID = regex(r"[0-9a-z]{13}$")

Lines: TypeAlias = list[tuple[int, str]]


def above_rows(lines: Lines, columns: Columns) -> list[RawRow]:
    """Rows whose name has a line of its own, without heading, above the figures."""
    rows: list[RawRow] = []
    name, where = "", 0
    for at, line in lines:
        if ruler.holds_figures(line):
            places = [where if name else at] + [at] * len(columns)
            cells = [name, *(ruler.cut(line, columns) or [])]
            rows.append(RawRow(cells, at, places.__getitem__))
            name = ""
        else:
            name, where = line.strip(), at
    return rows


def stacked_rows(lines: Lines, columns: list[Columns]) -> list[RawRow]:
    """Rows printed over two lines, with a ruler for each."""
    # if second lines contain only figures, this identifies them, even across a page break
    figures = [NUMERIC_LINE.match(line) is not None for _, line in lines]
    numeric = sum(figures) * 3 >= len(lines)
    if numeric and not all(figures):  # a line with a damaged figure is not a name
        pairs = zip(figures, lines, strict=True)
        figures = [holds or ruler.holds_figures(line) for holds, (_, line) in pairs]
    rows: list[RawRow] = []
    above: list[str] | None = None
    where = 0
    for number, (at, line) in enumerate(lines):
        if figures[number] if numeric else _is_second(line, columns, above):
            if above is None and len(columns[1]) == 1 and rows:
                rows[-1].cells[-1] += line.strip()  # a wrapped cell
                continue
            first = above if above is not None else [""] * len(columns[0])
            where = where if above is not None else at
            places = [where] * len(first) + [at] * len(columns[1])
            cells = [*first, *cells_of(line, columns[1])]
            rows.append(RawRow(cells, where, places.__getitem__))
            above = None
            continue
        names = cells_of(line, columns[0])
        if above is None or above == names:  # a repeated line does not continue the cells
            above, where = names, at
        elif _is_continued(above, names, columns[0]):
            above = [a + b for a, b in zip(above, names, strict=True)]
        else:  # the row above has no figures
            rows.append(RawRow([*above, *[""] * len(columns[1])], where))
            above, where = names, at
    return rows


def _is_continued(cells: list[str], below: list[str], columns: Columns) -> bool:
    """Whether cells continue in the line below: only those that fill their column do."""
    filled = [
        len(cell) + 1 >= end - begin for cell, (begin, end) in zip(cells, columns, strict=True)
    ]
    return any(filled) and all(full or not more for full, more in zip(filled, below, strict=True))


def _is_second(line: str, columns: list[Columns], above: list[str] | None) -> bool:
    """Whether a line is the second of a row: by the ruler that it fits, else by alternation."""
    first, second = (ruler.fits(line, spans) for spans in columns)
    if first != second:
        return second
    if columns[0] == columns[1]:
        return line.startswith(" ")  # the indentation shows which line it is
    return above is not None or (second and len(columns[1]) == 1)


def cells_of(line: str, columns: Columns) -> list[str]:
    """The cells of a line under a ruler; the whole line is the first one if it does not fit."""
    return ruler.cut(line, columns) or [line.strip(), *[""] * (len(columns) - 1)]


def sql_rows(lines: Lines, columns: list[Columns]) -> tuple[list[RawRow], list[Lines]]:
    """Rows of figures (two rulers: two lines), module and SQL; then the lines of each statement."""
    rows: list[RawRow] = []
    pieces: list[Lines] = []
    second, start = columns[1] if len(columns) > 1 else None, len(columns[0])
    for at, line in lines:
        if not line or ruler.RULER.match(line):
            continue
        cells = ruler.cut(line, columns[0]) or _values(line, len(columns[0]))
        if _is_figures(line, cells, columns[0]):
            width = sum(map(len, columns)) - len(cells)
            rows.append(RawRow([*cells, *[""] * width, "", ""], at))
            pieces.append([])
        elif not rows:
            continue
        elif second and _is_event(line, second):
            if any(rows[-1].cells[start:-2]):
                rows.append(RawRow([*rows[-1].cells[:start], *[""] * (len(second) + 2)], at))
                pieces.append(pieces[-1])
            rows[-1].cells[start:-2] = cells_of(line, second)
        elif line.startswith("Module:") and not pieces[-1]:
            rows[-1].cells[-2] = line[7:].strip()
        else:
            pieces[-1].append((at, line))
    width = max((len(line) for piece in pieces for _, line in piece), default=0)
    for row, own in zip(rows, pieces, strict=True):
        row.cells[-1] = statement([line for _, line in own], width)
    return rows, pieces


def _values(line: str, count: int) -> list[str]:
    words = line.split()
    return words if len(words) == count and all(map(VALUE.match, words)) else []


def holds_values(line: str, least: int) -> bool:
    """Whether a line has figures, one damaged at most; lists in SQL have commas."""
    words = line.split()
    if len(words) < max(least, 3) or any(word[-1] == "," for word in words):
        return False
    return sum(VALUE.match(word) is None for word in words) <= 1


def _is_figures(line: str, cells: list[str], columns: Columns) -> bool:
    figures = [cell for cell in cells[:-1] if cell]
    if len(figures) < max(1, len(cells) - 3):
        return False
    if not line.startswith(" ") and not (_SQL_ID.match(cells[0]) and cells[0] == line[:13]):
        # 8.1.6 prints figures at the left margin, and a long one begins there (`3.51655E+08`, AWR
        # 11.2.0.3.0_01); a SQL statement may have a line of one figure
        id_at = columns[-1][0]
        own = line[:id_at] if _SQL_ID.match(line[id_at:]) else line
        return all(cells) and NUMERIC_LINE.match(without_groups(own)) is not None
    return all(VALUE.match(without_groups(figure)) for figure in figures)


def _is_event(line: str, columns: Columns) -> bool:
    if not ruler.fits(line, columns):
        return False
    return any(NUMERIC_WORD.match(line[a:b].strip()) for a, b in columns[1:] if line[a:b].strip())


class Block(NamedTuple):
    """One printed table: lines of headings, rulers and rows, and names of groups of columns."""

    headings: list[int]
    rulers: list[int]
    groups: list[int]
    rows: range


_MOST_BLANK_CELLS = 2
#: Maximum number of rulers above rows; a name for the row is below a third one.
_RULERS = 2
_NEVER_CUT = 10**6


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
        first = min([*block.headings, *block.rulers])
        skips = [title_end, *[0] * len(block.headings)]
        spans, printed, self.heading_text = _read_headings(
            tuple((at - first, lines[at], skips[n]) for n, at in enumerate(block.headings)),
            tuple((at - first, lines[at]) for at in block.rulers),
        )
        headings = list(printed)
        #: Headings for values without a column under the rulers, after the headings of the columns.
        added = ["SQL Module", "SQL Text"] if layout == "sql" else []
        self._spans = spans[:_RULERS]
        self._margin = spans[_RULERS][0] if len(spans) > _RULERS else None
        if self._margin is not None:
            added.append(headings.pop())
        elif self._pdbs:
            added.append(PDB_HEADING)
        if layout == "above" and not self._has_names_above():
            self._layout = "table"
        if self._layout == "above":
            headings.insert(0, "")
        self._added = len(added)
        self.headings = (*headings, *added)

    @property
    def is_cut(self) -> bool:
        """Whether its last page is missing: the rule that ends a table is not below its rows."""
        stop = self.pages[-1].rows.stop
        return stop < len(self._lines) and not ruler.RULER.match(self._lines[stop])

    def _has_names_above(self) -> bool:
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
            widths.insert(0, _NEVER_CUT)
        return (*widths, *(_NEVER_CUT,) * self._added)

    @lazy
    def _names(self) -> dict[int, str]:
        if self._margin is None:
            return self._pdbs
        rows = [at for page in self.pages for at in page.rows]
        right = (at for at in rows if len(self._lines[at]) == self._margin[1])
        aligned = {
            at: self._lines[at].split() for at in right if self._lines[at].startswith(_RIGHT_MARGIN)
        }
        return {at: words[0] for at, words in aligned.items() if len(words) == 1}

    @lazy
    def _filled(self) -> Lines:
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
    def _decoded(self) -> list[RawRow]:
        rows = self._cut_rows()
        if self._margin is None and not self._pdbs:
            return rows
        return with_names(rows, self._names, shared=self._margin is not None)

    def _cut_rows(self) -> list[RawRow]:
        if self._layout == "sql":
            return sql_rows(self._statement_lines, self._spans)[0]
        if self._layout == "above":
            return above_rows(self._filled, self._spans[0])
        if len(self._spans) > 1:
            return stacked_rows(self._filled, self._spans)
        cut = ((at, ruler.cut(line, self._spans[0])) for at, line in self._filled)
        return [RawRow(cells, at) for at, cells in cut if cells is not None]

    @property
    def statements(self) -> list[list[int]]:
        """The lines of each SQL statement below its figures."""
        if self._layout != "sql":
            return []
        both = sql_rows(self._statement_lines, self._spans)
        return [[at for at, _ in piece] for piece in both[1] if piece]

    @property
    def _statement_lines(self) -> Lines:
        other = self.notes | self._names.keys()
        rows = (at for page in self.pages for at in page.rows)
        return [(at, self._lines[at]) for at in rows if at not in other]

    @property
    def is_ended(self) -> bool:
        """Whether its last page has the rule below it that Oracle prints once, at the end."""
        line = "".join(self._lines[self.pages[-1].rows.stop :][:1])
        return {*line.strip()} == {"-"} and line != END_OF_BLOCK

    def rows(self) -> list[RawRow]:
        """All rows of all pages."""
        return self._decoded

    def unread_lines(self) -> list[str]:
        """Lines between the rows that are not rows: their columns are unknown."""
        if self._layout == "sql":
            least = len(self._spans[0]) - _MOST_BLANK_CELLS
            figures = {row.at for row in self._decoded}
            return [
                line
                for at, line in self._statement_lines
                if at not in figures and holds_values(line, least)
            ]
        return [line for at, line in self._filled if at in self.lost]

    @lazy
    def lost(self) -> frozenset[int]:
        """Places of the lines between the rows that are not rows."""
        if len(self._spans) > 1 or self._layout in ("sql", "above"):
            return frozenset()
        return frozenset(at for at, _ in self._filled) - {row.at for row in self._decoded}


@lru_cache(maxsize=4096)
def _read_headings(
    heads: tuple[tuple[int, str, int], ...], rulers: tuple[tuple[int, str], ...]
) -> tuple[list[Columns], tuple[str, ...], str]:
    """Columns under each ruler, their headings, and all words of headings that may be wrapped."""
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


_DATE = regex(r"\d+[-./]\w+[-./]\d+$")
_TIME = regex(r"\d{1,2}:\d\d(?::\d\d)?$")
_HALF = regex(r"[AaPp]\.?[Mm]\b")
_LABEL_END = regex(r":(?=\s|$)")


#: ``7 974.6`` behind a wider gap: thousands separated by blanks.
_BLANK_GROUPS = regex(r"(?<=  )[1-9]\d{0,2}(?: \d{3})+(?=[ .,KMG]|$)")


def label_cells(line: str, columns: Columns) -> list[list[str]]:
    """``label: value`` pairs of a line, each as [label, value, ...]; cut by a ruler if given."""
    ends = [match.start() for match in _LABEL_END.finditer(line)]
    if not ends:
        return _unmarked_label(line, columns)
    begin = columns[0][0] if columns else 0
    # one label whose values are under the ruler; it may contain colons
    if ends[-1] < begin and "(" not in line[begin:] and not line[ends[-1] + 1 : begin].strip():
        label = line[: ends[-1]].strip()
        edges = (edge for column in columns for edge in column if 0 < edge < len(line))
        if any(line[edge - 1] != " " != line[edge] for edge in edges):  # words are never cut
            return [[label, *_by_words(line, ends[-1] + 1, columns)]]
        return [[label, *cells_of(" " * begin + line[begin:], columns)]]
    squeezed = len(ends) == 1 and len(line) <= begin and "(" not in line
    if squeezed and 0 < len(line[ends[0] + 1 :].split()) < len(columns):
        return []  # the column of a figure is unknown
    labels: list[list[str]] = []
    label = line[: ends[0]].strip()
    for number, end in enumerate(ends):
        last = number + 1 == len(ends)
        # a non-breaking space separates thousands; so does a single blank where wider gaps align
        printed = line[end + 1 : None if last else ends[number + 1]]
        printed = _BLANK_GROUPS.sub(lambda figure: figure[0].replace(" ", "\u00a0"), printed)
        words = [w for w in printed.split(" ") if w]
        values = len(words)
        if not last:
            values = next((n for n, word in enumerate(words) if not VALUE.match(word)), values)
        labels.append([label, *_with_units(words[:values])])
        label = " ".join(words[values:])
    return labels


def _by_words(line: str, begin: int, columns: Columns) -> list[str]:
    """Figures after a label that is wider than its column: uncut, each under the nearest rule."""
    words = [(match[0], match.span()) for match in ruler.WORD.finditer(line, begin)]
    if len(words) == len(columns):
        return [word for word, _ in words]
    return [*ruler.join_headings(words, columns)]


def _with_units(words: list[str]) -> list[str]:
    """``59.54 (mins)`` is one value, and so are a date and the time of day."""
    values: list[str] = []
    for word in words:
        of_day = values and (
            (_TIME.match(word) and _DATE.match(values[-1]))
            or (_HALF.match(word) and ":" in values[-1][-8:])
        )
        if values and (of_day or word.startswith("(")):
            values[-1] = f"{values[-1]} {word}"
        else:
            values.append(word)
    return values


def _unmarked_label(line: str, columns: Columns) -> list[list[str]]:
    """A label without its colon counts if figures are under the ruler."""
    if not columns:
        return []
    label = line[: columns[0][0]].strip().lstrip(".")
    values = [line[begin:end].strip() for begin, end in columns]
    if not label or not any(values) or not all(NUMERIC_WORD.match(v) for v in values if v):
        return []
    return [[label, *values]]
