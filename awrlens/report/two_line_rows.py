"""Rows that take more than one line: a name above its figures, two rulers, SQL statements."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from awrlens.lazy import regex
from awrlens.report import ruler
from awrlens.report.reader_result import RawRow
from awrlens.report.ruler import NUMERIC_LINE, NUMERIC_WORD
from awrlens.report.statements import statement

if TYPE_CHECKING:
    from collections.abc import Sequence

    from awrlens.report.ruler import Columns

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
            rows.append(RawRow([name, *(ruler.cut(line, columns) or [])], at, places))
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
        figures = [each or ruler.holds_figures(line) for each, (_, line) in pairs]
    rows: list[RawRow] = []
    above: list[str] | None = None
    where = 0
    cut = _cut_by_kind(lines, figures, columns) if numeric else None
    for number, (at, line) in enumerate(lines):
        if figures[number] if numeric else _is_second(line, columns, above):
            if above is None and len(columns[1]) == 1 and rows:
                rows[-1].cells[-1] += line.strip()  # a wrapped cell
                continue
            first = above if above is not None else [""] * len(columns[0])
            where = where if above is not None else at
            places = [where] * len(first) + [at] * len(columns[1])
            second = cut[number] if cut else cells_of(line, columns[1])
            rows.append(RawRow([*first, *second], where, places))
            above = None
            continue
        names = cut[number] if cut else cells_of(line, columns[0])
        if above is None or above == names:  # a repeated line does not continue the cells
            above, where = names, at
        elif _goes_on(above, names, columns[0]):
            above = [a + b for a, b in zip(above, names, strict=True)]
        else:  # the row above has no figures
            rows.append(RawRow([*above, *[""] * len(columns[1])], where))
            above, where = names, at
    return rows


def _cut_by_kind(lines: Lines, figures: Sequence[bool], columns: list[Columns]) -> list[list[str]]:
    """The cells of each line, under the ruler of names or that of figures."""
    found: list[list[str]] = [[]] * len(lines)
    for under, kind in zip(columns, (False, True), strict=False):
        own = [number for number, each in enumerate(figures) if each is kind]
        texts = [lines[number][1] for number in own]
        for number, line, cells in zip(own, texts, ruler.cut_all(texts, under), strict=True):
            found[number] = cells or _uncut(line, under)
    return found


def _goes_on(cells: list[str], below: list[str], columns: Columns) -> bool:
    """Whether cells continue in the line below: only cells that fill their column do.

    A blank at a cell's end is lost.
    """
    filled = [
        len(cell) + 1 >= end - begin for cell, (begin, end) in zip(cells, columns, strict=True)
    ]
    return any(filled) and all(full or not more for full, more in zip(filled, below, strict=True))


def _is_second(line: str, columns: list[Columns], above: list[str] | None) -> bool:
    """Whether a line is the second of a row: by the ruler that it fits, else by alternation."""
    first, second = (ruler.fits(line, each) for each in columns)
    if first != second:
        return second
    if columns[0] == columns[1]:
        return line.startswith(" ")  # the indentation shows which line it is
    return above is not None or (second and len(columns[1]) == 1)


def cells_of(line: str, columns: Columns) -> list[str]:
    """The cells of a line under a ruler; the whole line is the first one if it does not fit."""
    return ruler.cut(line, columns) or _uncut(line, columns)


def _uncut(line: str, columns: Columns) -> list[str]:
    return [line.strip(), *[""] * (len(columns) - 1)]


def sql_rows(lines: Lines, columns: list[Columns]) -> tuple[list[RawRow], list[Lines]]:
    """Rows of figures (under two rulers: over two lines), then the module and the SQL statement.

    The second result has the lines of each row's SQL statement.
    """
    rows: list[RawRow] = []
    pieces: list[Lines] = []
    second = [(columns[1], len(columns[0]))] if len(columns) > 1 else []
    for at, line in lines:
        if not line or ruler.RULER.match(line):
            continue
        cells = ruler.cut(line, columns[0]) or _values(line, len(columns[0]))
        if _is_figures(line, cells):
            width = sum(map(len, columns)) - len(cells)
            rows.append(RawRow([*cells, *[""] * width, "", ""], at))
            pieces.append([])
        elif not rows:
            continue
        elif second and _is_event(line, *second[0]):
            spans, start = second[0]
            if any(rows[-1].cells[start:-2]):
                rows.append(RawRow([*rows[-1].cells[:start], *[""] * (len(spans) + 2)], at))
                pieces.append(pieces[-1])
            rows[-1].cells[start:-2] = cells_of(line, spans)
        elif line.startswith("Module:") and not pieces[-1]:
            rows[-1].cells[-2] = line[7:].strip()
        else:
            pieces[-1].append((at, line))
    width = max((len(line) for each in pieces for _, line in each), default=0)
    for row, own in zip(rows, pieces, strict=True):
        row.cells[-1] = statement([line for _, line in own], width)
    return rows, pieces


def _values(line: str, count: int) -> list[str]:
    """A row of figures by its words, if every column has one."""
    words = line.split()
    return words if len(words) == count and all(map(VALUE.match, words)) else []


def holds_values(line: str, least: int) -> bool:
    """Whether a line that is not read as figures has some, one of them damaged at most.

    The lists in SQL have commas between their figures.
    """
    words = line.split()
    if len(words) < max(least, 3) or any(word[-1] == "," for word in words):
        return False
    return sum(VALUE.match(word) is None for word in words) <= 1


def _is_figures(line: str, cells: list[str]) -> bool:
    figures = [cell for cell in cells[:-1] if cell]
    if len(figures) < max(1, len(cells) - 3):
        return False
    if not line.startswith(" ") and not (_SQL_ID.match(cells[0]) and cells[0] == line[:13]):
        # 8.1.6 prints figures at the left margin; a SQL statement may have a line of one figure
        return all(cells) and NUMERIC_LINE.match(line) is not None
    return all(VALUE.match(figure) for figure in figures)


def _is_event(line: str, columns: Columns, _start: int) -> bool:
    """A line under the second ruler of sampled SQL: it fits the ruler and has a figure."""
    if not ruler.fits(line, columns):
        return False
    return any(NUMERIC_WORD.match(line[a:b].strip()) for a, b in columns[1:] if line[a:b].strip())
