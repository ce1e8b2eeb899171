"""Rows of labels and values (`Begin Snap: 1`), by their colons or by a ruler."""

from __future__ import annotations

from typing import TYPE_CHECKING

from awrlens.lazy import regex
from awrlens.report import ruler
from awrlens.report.ruler import NUMERIC_WORD
from awrlens.report.two_line_rows import VALUE, cells_of

if TYPE_CHECKING:
    from awrlens.report.reader_result import RawRow
    from awrlens.report.ruler import Columns

_WORD = regex(r"[^ ]+")
_DATE = regex(r"\d+[-./]\w+[-./]\d+$")
_TIME = regex(r"\d{1,2}:\d\d(?::\d\d)?$")
_LABEL_END = regex(r":(?=\s|$)")


class LabelTable:
    """Rows of labels and values."""

    widths: tuple[int, ...] = ()
    groups: tuple[str, ...] = ()

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


def label_cells(line: str, columns: Columns) -> list[list[str]]:
    """``label: value`` pairs of a line, each as [label, value, ...]; cut by a ruler if given."""
    ends = [match.start() for match in _LABEL_END.finditer(line)]
    if not ends:
        return _unmarked_label(line, columns)
    begin = columns[0][0] if columns else 0
    # one label whose values are under the ruler; it may contain colons
    if ends[-1] < begin and "(" not in line[begin:] and not line[ends[-1] + 1 : begin].strip():
        label = line[: ends[-1]].strip()
        if any(_within_word(line, edge) for column in columns for edge in column):
            return [[label, *_by_words(line, ends[-1] + 1, columns)]]
        return [[label, *cells_of(" " * begin + line[begin:], columns)]]
    squeezed = len(ends) == 1 and len(line) <= begin and "(" not in line
    if squeezed and 0 < len(line[ends[0] + 1 :].split()) < len(columns):
        return []  # the column of a figure is unknown
    found: list[list[str]] = []
    label = line[: ends[0]].strip()
    for number, end in enumerate(ends):
        last = number + 1 == len(ends)
        # a non-breaking space separates thousands
        words = [w for w in line[end + 1 : None if last else ends[number + 1]].split(" ") if w]
        values = len(words)
        if not last:
            values = next((n for n, word in enumerate(words) if not VALUE.match(word)), values)
        found.append([label, *_with_units(words[:values])])
        label = " ".join(words[values:])
    return found


def _within_word(line: str, at: int) -> bool:
    """Whether a place has no blank on either side: a line is never cut there."""
    return 0 < at < len(line) and line[at - 1] != " " != line[at]


def _by_words(line: str, begin: int, columns: Columns) -> list[str]:
    """Figures after a label that is wider than its column: uncut, each under the nearest rule."""
    words = [(match[0], match.span()) for match in _WORD.finditer(line, begin)]
    if len(words) == len(columns):
        return [word for word, _ in words]
    parts: list[list[str]] = [[] for _ in columns]
    for word, place in words:
        parts[ruler.nearest(place, columns)].append(word)
    return [" ".join(part) for part in parts]


def _with_units(words: list[str]) -> list[str]:
    """``59.54 (mins)`` is one value, and so are a date and the time of day."""
    values: list[str] = []
    for word in words:
        of_day = values and _TIME.match(word) and _DATE.match(values[-1])
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
