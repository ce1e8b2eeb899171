"""Reader of text reports: sections by their titles, tables by the rulers under their headings.

Oracle's text reports are printed by SQL*Plus: headings over dash rulers, one group of dashes a
column. The ruler says where a cell begins and ends, so the reader needs to know no section; what
a column means is the catalogue's business.
"""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING, Final, NamedTuple

from awrlens.report.raw import RawNote, RawRow

if TYPE_CHECKING:
    from collections.abc import Iterator

    from awrlens.report.raw import RawSection, RawTable

Span = tuple[int, int]

_TITLE = re.compile(r"(?P<title>\S.*?)\s*(?:DB/Inst: ?\S|\bfor DB: )")
_BANNER = re.compile(
    r"(?P<title>STATSPACK report for|WORKLOAD REPOSITORY (?:PDB )?report\b.*)$", re.I
)
_RULER = re.compile(r"\s*(?:-+|~+)(?:\s+(?:-+|~+))*\s*$")
_DASHES = re.compile(r"-+")
_TILDES = re.compile(r"~+")
_PREFIX = re.compile(r"\d+[:-]")
_LABEL_END = re.compile(r":(?=\s|$)")
_END_OF_REPORT = re.compile(r"\s*End of Report\b", re.I)
_NUMERIC = r"(?:[-+]?(?:\d[\d,]*\.?\d*|\.\d+)(?:[Ee][-+]?\d+)?(?:ns|us|ms|s|[BKMGTP])?|N/A|#+)"
_NUMERIC_LINE = re.compile(rf"\s*{_NUMERIC}(?:\s+{_NUMERIC})*\s*$")
_VALUE = re.compile(rf"(?:{_NUMERIC}|\([a-z]+\)|\d\d-\S+-\d\d)$")
#: An end rule is a single group of dashes, at least this long and this far from the margin.
_END_RULE_LENGTH: Final = 40
_END_RULE_INDENT: Final = 8


class _Block(NamedTuple):
    """One printed table: heading lines, its ruler(s), and the lines that follow."""

    headings: list[int]
    rulers: list[int]
    rows: range


class TextReader:
    """A text report, split into sections."""

    def __init__(self, text: str) -> None:
        self.lines = _clean_lines(text)

    def line(self, at: int) -> int:
        """1-based line number of a line index."""
        return at + 1

    @cached_property
    def sections(self) -> list[RawSection]:
        """Sections in order; pages that repeat a title are one section."""
        found: list[TextSection] = []
        starts = list(self._titles())
        for number, (at, title) in enumerate(starts):
            end = starts[number + 1][0] if number + 1 < len(starts) else len(self.lines)
            if found and found[-1].title == title:
                found[-1].pages.append((at, end))
            else:
                found.append(TextSection(self.lines, title, [(at, end)]))
        return list(found)

    def _titles(self) -> Iterator[tuple[int, str]]:
        lines = self.lines
        previous = -1
        for at, line in enumerate(lines):
            if "DB/Inst:" in line or " for DB: " in line:
                match = _TITLE.match(line)
                if match:
                    previous = at
                    yield at, match["title"]
            elif line.lstrip().startswith("~~~"):
                # the title is the line above the tildes, up to the first wide gap
                if at and at - 1 > previous and lines[at - 1].strip():
                    previous = at - 1
                    yield at - 1, re.split(r"\s{2,}", lines[at - 1].strip())[0]
            elif _is_bare_title(lines, at):
                previous = at
                yield at, re.split(r"\s{2,}", line.strip())[0]
            elif "eport" in line or "EPORT" in line:
                match = _BANNER.match(line)
                if match:
                    yield at, match["title"]
                elif _END_OF_REPORT.match(line):
                    yield at, "End of Report"


def _clean_lines(text: str) -> list[str]:
    """Lines with tabs expanded, without line ends, form feeds and `grep -n` prefixes."""
    raw = text.split("\n")
    if raw and not raw[-1]:
        raw.pop()
    filled = [line for line in raw[:200] if line.strip()]
    numbered = bool(filled) and all(_PREFIX.match(line) for line in filled)
    lines = []
    for line in raw:
        if "\r" in line or "\f" in line:
            line = line.replace("\r", "").replace("\f", "")  # noqa: PLW2901 - the clean line
        if "\t" in line:
            line = line.expandtabs(8)  # noqa: PLW2901
        if numbered:
            line = _PREFIX.sub("", line, count=1)  # noqa: PLW2901
        lines.append(line.rstrip())
    return lines


def _is_bare_title(lines: list[str], at: int) -> bool:
    """`` Shared Pool Statistics        Begin   End`` over a ruler that leaves the title bare."""
    if at + 1 >= len(lines) or not lines[at + 1].startswith("          "):
        return False
    line, ruler = lines[at], lines[at + 1]
    if not line.startswith(" ") or not line[1:2].isalpha() or not _RULER.match(ruler):
        return False
    return len(line[: len(ruler) - len(ruler.lstrip())].split()) > 1 and not lines[at - 1]


class TextSection:
    """A title and all its pages."""

    parent = ""

    def __init__(self, lines: list[str], title: str, pages: list[Span]) -> None:
        self._lines = lines
        self.title = title
        self.pages = pages
        self._consumed: set[int] = set()

    @property
    def at(self) -> int:
        """Index of the first title line."""
        return self.pages[0][0]

    def notes(self) -> list[RawNote]:
        """``->`` remarks, each joined with its continuation lines."""
        notes: list[RawNote] = []
        for start, end in self.pages[:1]:
            for at in range(start + 1, end):
                line = self._lines[at]
                if line.lstrip().startswith("->"):
                    notes.append(RawNote(line.strip()[2:].strip(), at))
                elif notes and notes[-1].at == at - 1 and line.startswith("  ") and line.strip():
                    notes[-1] = RawNote(f"{notes[-1].text} {line.strip()}", at)
                elif notes:
                    break
        return notes

    def tables(self, layout: str) -> list[RawTable]:
        """The tables of all pages, those with equal headings joined into one."""
        self._consumed = set()
        if layout == "labels":
            return [self._labels()]
        tables: list[TextTable] = []
        for page, (start, end) in enumerate(self.pages):
            for block in _blocks(self._lines, start, end):
                self._consumed.update(block.headings, block.rulers, block.rows)
                table = TextTable(self._lines, block, layout)
                same = next((t for t in tables if page and t.headings == table.headings), None)
                if same is not None:
                    same.pages.append(block)
                else:
                    tables.append(table)
        return list(tables)

    def _labels(self) -> RawTable:
        """``label: value`` lines, several a line where so printed, cut by a ruler if there is one."""
        rows: list[RawRow] = []
        headings: tuple[str, ...] = ()
        for start, end in self.pages:
            blocks = _blocks(self._lines, start, end)
            first = blocks[0].rulers[0] if blocks else end
            stretches = [(range(start + 1, first), None), *((b.rows, b) for b in blocks)]
            for stretch, block in stretches:
                spans = _spans(self._lines[block.rulers[-1]]) if block else []
                found = [
                    RawRow(cells, at)
                    for at in stretch
                    for cells in _label_cells(self._lines[at], spans)
                ]
                rows.extend(found)
                self._consumed.update(row.at for row in found)
                if found and block and not headings:
                    title = self._lines[start]
                    texts = _join_headings(self._lines, block.headings, spans, title, start)
                    headings = ("", *texts)
                    self._consumed.update(block.headings, block.rulers)
        return LabelTable(headings, self.pages[0][0], rows)

    def unread(self, layout: str) -> list[int]:
        """Lines that no heading, ruler, row, note, title or end rule accounts for."""
        self.tables(layout)
        noted: set[int] = set()
        for start, end in self.pages:
            inside = False
            for at in range(start, end):
                line = self._lines[at]
                starts = line.lstrip().startswith("->")
                inside = starts or (inside and line.startswith("  ") and bool(line.strip()))
                if inside:
                    noted.add(at)
        return [
            at + 1
            for start, end in self.pages
            for at in range(start + 1, end)
            if self._lines[at]
            and at not in self._consumed
            and at not in noted
            and not _RULER.match(self._lines[at])
            and "No data exists for this section" not in self._lines[at]
        ]


def _blocks(lines: list[str], start: int, end: int) -> list[_Block]:
    """Find the tables between two lines by their rulers."""
    rulers: list[int] = []
    stops: list[int] = []
    for at in range(start + 1, end):
        line = lines[at]
        if ("-" in line or "~" in line) and _RULER.match(line):
            if _is_end_rule(lines, at, end):
                stops.append(at)
            else:
                rulers.append(at)
    heads: list[tuple[list[int], list[int]]] = []
    for at in rulers:
        headings = _heading_lines(lines, at, start)
        if heads:
            last = heads[-1][1][-1]
            between = set(range(last + 1, at))
            spans, above = _spans(lines[at]), _spans(lines[last])
            if set(spans) <= set(above) and not any(not lines[i] for i in between):
                continue  # a rule over a total
            if between and between == set(headings):
                if above[0][0] <= spans[0][0]:
                    heads[-1][1].append(at)  # names above, figures below
                    heads[-1][0].extend(headings)
                else:
                    heads[-1] = (headings, [at])  # the rule above spans a group of columns
                continue
        heads.append((headings, [at]))
    blocks = []
    for number, (headings, own) in enumerate(heads):
        first = own[-1] + 1
        nexts = [h[0] if h else r[0] for h, r in heads[number + 1 :]][:1]
        last = min([end, *nexts, *[s for s in stops if s >= first][:1]])
        blocks.append(_Block(headings, own, range(first, max(first, last))))
    return blocks


def _is_end_rule(lines: list[str], at: int, end: int) -> bool:
    line = lines[at]
    indent = len(line) - len(line.lstrip())
    single = " " not in line.strip() and line.strip()[0] == "-"
    if not single or indent < _END_RULE_INDENT or len(line) - indent < _END_RULE_LENGTH:
        return False
    return at + 1 >= end or not lines[at + 1]


def _heading_lines(lines: list[str], ruler: int, start: int) -> list[int]:
    """Lines directly above a ruler, up to a blank, a note, another ruler or the title."""
    found: list[int] = []
    at = ruler - 1
    while at >= start and lines[at]:
        line = lines[at]
        if at == start and not _is_heading_title(lines, at):
            break
        if line.lstrip().startswith("->") or _RULER.match(line):
            break
        found.insert(0, at)
        at -= 1
    return found


def _is_heading_title(lines: list[str], at: int) -> bool:
    """Whether a title line carries column headings too (``Load Profile   Per Second ...``)."""
    line = lines[at]
    return "DB/Inst:" not in line and " for DB: " not in line and not _BANNER.match(line)


def _spans(ruler: str) -> list[Span]:
    """Where the columns are; tildes beside dashes underline the title, not a column."""
    kind = _DASHES if "-" in ruler else _TILDES
    return [match.span() for match in kind.finditer(ruler)]


def _join_headings(
    lines: list[str], heading_lines: list[int], spans: list[Span], title: str, start: int
) -> tuple[str, ...]:
    """One heading a column: each word goes to the column it overlaps most, else the nearest."""
    parts: list[list[str]] = [[] for _ in spans]
    if not spans:
        return ()
    for at in heading_lines:
        line = lines[at]
        if "---" in line:
            continue  # ``------- Read -------`` names a group of columns, not a column
        if at == start:
            # the title's own words are no heading
            gap = re.match(r"\s*\S+(?: \S+)*", title)
            line = " " * (gap.end() if gap else 0) + line[gap.end() if gap else 0 :]
        for word in re.finditer(r"\S+", line):
            parts[_column_of(word.span(), spans)].append(word[0])
    return tuple(" ".join(part) for part in parts)


def _column_of(word: Span, spans: list[Span]) -> int:
    best, score = 0, -(10**9)
    for number, (begin, end) in enumerate(spans):
        overlap = min(end, word[1]) - max(begin, word[0])
        if overlap > score:
            best, score = number, overlap
    return best


def _cut(line: str, spans: list[Span]) -> list[str]:
    """Cells of a line by the ruler; by its words where the line does not keep to the ruler."""
    width = len(line)
    end = 0
    for begin, stop in spans:
        if begin > width:
            break
        if line[end:begin].strip():
            return _cut_words(line, len(spans))
        end = stop
    cells = [line[begin:stop].strip() for begin, stop in spans]
    if spans and width > spans[-1][1]:
        cells[-1] = line[spans[-1][0] :].strip()
    return cells


def _cut_words(line: str, count: int) -> list[str]:
    """Cells of a squeezed line: wide gaps first, else the last ``count - 1`` words are figures."""
    cells = re.split(r"\s{2,}", line.strip())
    if len(cells) != count:
        cells = line.strip().rsplit(None, count - 1)
    return cells + [""] * (count - len(cells))


def _label_cells(line: str, spans: list[Span]) -> list[list[str]]:
    """``label: value`` pairs of a line, each as [label, value, ...]."""
    ends = [match.start() for match in _LABEL_END.finditer(line)]
    if not ends:
        return []
    if len(ends) == 1 and spans and "(" not in line[ends[0] :]:
        label = line[: ends[0]].strip()
        if not line[ends[0] + 1 : spans[0][0]].strip():
            return [[label, *_cut(" " * spans[0][0] + line[spans[0][0] :], spans)]]
    found: list[list[str]] = []
    label = line[: ends[0]].strip()
    for number, end in enumerate(ends):
        rest = line[end + 1 : ends[number + 1] if number + 1 < len(ends) else len(line)]
        words = rest.split()
        cut = 0
        while cut < len(words) and _VALUE.match(words[cut]):
            cut += 1
        if number + 1 == len(ends):
            cut = len(words)
        values = words[:cut]
        while len(values) > 1 and values[-1].startswith("("):
            unit = values.pop()
            values[-1] = f"{values[-1]} {unit}"
        found.append([label, *values])
        label = " ".join(words[cut:])
    return found


class LabelTable:
    """Rows of labels and values."""

    widths: tuple[int, ...] = ()

    def __init__(self, headings: tuple[str, ...], at: int, rows: list[RawRow]) -> None:
        self.headings = headings
        self.at = at
        self._rows = rows

    def rows(self) -> list[RawRow]:
        """All label rows."""
        return self._rows

    def row(self, key: str) -> RawRow | None:
        """The row of a label."""
        return next((row for row in self._rows if row.cells[0] == key), None)

    def keys(self) -> list[str]:
        """All labels."""
        return [row.cells[0] for row in self._rows]


class TextTable:
    """A table under one ruler, or under two where names stand above figures."""

    def __init__(self, lines: list[str], block: _Block, layout: str) -> None:
        self._lines = lines
        self._layout = layout
        self.pages = [block]
        self._spans = [_spans(lines[ruler]) for ruler in block.rulers]
        texts: list[str] = []
        for number, ruler in enumerate(block.rulers):
            above = block.rulers[number - 1] if number else -1
            own = [at for at in block.headings if above < at < ruler]
            start = own[0] if own and own[0] < ruler and self._is_title(own[0]) else -1
            title = lines[start] if start >= 0 else ""
            texts.extend(_join_headings(lines, own, self._spans[number], title, start))
        self.heading_text = " ".join(
            word for at in block.headings for word in lines[at].split()
        )
        if layout == "sql":
            texts += ["SQL Module", "SQL Text"]
        elif layout == "above":
            texts.insert(0, "")
        self.headings = tuple(texts)

    def _is_title(self, at: int) -> bool:
        ruler = self._lines[at + 1].lstrip() if at + 1 < len(self._lines) else ""
        return ruler.startswith("~~~") and not self._lines[at].startswith("    ")

    @property
    def at(self) -> int:
        """Index of the first heading line, or of the ruler where there is none."""
        block = self.pages[0]
        return block.headings[0] if block.headings else block.rulers[0]

    @property
    def widths(self) -> tuple[int, ...]:
        """Width of every column as printed."""
        widths = [end - begin for spans in self._spans for begin, end in spans]
        if self._layout == "sql":
            widths += [10**6, 10**6]
        elif self._layout == "above":
            widths.insert(0, 10**6)
        return tuple(widths)

    @cached_property
    def _decoded(self) -> list[RawRow]:
        lines = [(at, self._lines[at]) for page in self.pages for at in page.rows]
        filled = [(at, line) for at, line in lines if line and not _RULER.match(line)]
        if self._layout == "sql":
            return _sql_rows(lines, self._spans[0])
        if self._layout == "above":
            return _above_rows(filled, self._spans[0])
        if len(self._spans) > 1:
            return _stacked_rows(filled, self._spans)
        return [RawRow(_cut(line, self._spans[0]), at) for at, line in filled]

    def rows(self) -> list[RawRow]:
        """All rows of all pages."""
        return self._decoded

    def row(self, key: str) -> RawRow | None:
        """The first row that begins with ``key``."""
        return self._by_key.get(key)

    @cached_property
    def _by_key(self) -> dict[str, RawRow]:
        found: dict[str, RawRow] = {}
        for row in self._decoded:
            found.setdefault(row.cells[0], row)
        return found

    def keys(self) -> list[str]:
        """First cells of all rows."""
        return list(self._by_key)


def _above_rows(lines: list[tuple[int, str]], spans: list[Span]) -> list[RawRow]:
    """Rows whose name stands, without heading, on a line of its own above the figures."""
    rows: list[RawRow] = []
    name, where = "", 0
    for at, line in lines:
        if _NUMERIC_LINE.match(line):
            places = [where if name else at] + [at] * len(spans)
            rows.append(RawRow([name, *_cut(line, spans)], at, places))
            name = ""
        else:
            name, where = line.strip(), at
    return rows


def _stacked_rows(lines: list[tuple[int, str]], spans: list[list[Span]]) -> list[RawRow]:
    """Rows printed over two lines, a ruler for each.

    Where the second line holds figures only, a line is told by that, so that long names may
    wrap and a page may break between the two; else the lines alternate.
    """
    numeric = sum(bool(_NUMERIC_LINE.match(line)) for _, line in lines) * 3 >= len(lines)
    rows: list[RawRow] = []
    above: list[str] | None = None
    where = 0
    for at, line in lines:
        second = bool(_NUMERIC_LINE.match(line)) if numeric else above is not None
        if second:
            first = above if above is not None else [""] * len(spans[0])
            where = where if above is not None else at
            places = [where] * len(first) + [at] * len(spans[1])
            rows.append(RawRow([*first, *_cut(line, spans[1])], where, places))
            above = None
        elif above is not None:
            more = _cut(line, spans[0])
            above = [a + b for a, b in zip(above, more, strict=True)]
        else:
            above, where = _cut(line, spans[0]), at
    return rows


def _sql_rows(lines: list[tuple[int, str]], spans: list[Span]) -> list[RawRow]:
    """Rows of figures, each followed by its module and its statement over several lines."""
    rows: list[RawRow] = []
    pieces: list[list[str]] = []
    for at, line in lines:
        if not line or _RULER.match(line):
            continue
        cells = _cut(line, spans)
        if _is_sql_row(line, cells, spans):
            rows.append(RawRow([*cells, "", ""], at))
            pieces.append([])
        elif rows and line.startswith("Module:") and not pieces[-1]:
            rows[-1].cells[-2] = line[7:].strip()
        elif rows:
            pieces[-1].append(line)
    # statements are cut into lines of one length; a shorter line lost its last blanks
    width = max((len(piece) for each in pieces for piece in each), default=0)
    for row, own in zip(rows, pieces, strict=True):
        row.cells[-1] = "".join(p if len(p) == width else f"{p} " for p in own).strip()
    return rows


def _is_sql_row(line: str, cells: list[str], spans: list[Span]) -> bool:
    figures = [cell for cell in cells[:-1] if cell]
    if len(figures) < max(1, len(spans) - 3) or not line.startswith(" "):
        return False
    return all(_VALUE.match(figure) for figure in figures)
