"""Dash rulers of tables: what the headings above them are, how they cut a line.

SQL*Plus prints headings above groups of dashes, one group per column. The ruler shows where a cell
begins and ends; tildes underline titles and are not columns.
"""

from __future__ import annotations

from bisect import bisect_left
from typing import Final

from awrlens.lazy import regex

Span = tuple[int, int]
#: The places of a table's columns.
Columns = list[Span]

#: A line of dash groups; tildes before them underline the title.
RULER: Final = regex(r"\s*+(?:~++\s++)?-++(?:\s++-++)*+\s*+$")
UNDERLINE: Final = regex(r"\s*+~++(?:\s++~++)*+\s*+$")
_DASHES = regex(r"-+")
#: Words; a non-breaking space separates thousands.
WORD: Final = regex(r"[^ ]+")
#: Words with single blanks between them.
_PIECE = regex(r"\S+(?:\s\S+)*")
_NUMERIC = (
    # two sets of letters are compiled faster than one with a letter above 255
    r"(?:[-+]?(?:[0-9][0-9.,'\u00a0]*+(?:\u202f[0-9.,'\u00a0]*+)*+|[.,][0-9]++)"
    r"(?:[Ee][-+]?[0-9]++)?"
    r"(?:ns|us|ms|s|[BKMGTP])?+|N/A|#++)"
)
#: Minimum number of groups in a rule above sums.
_SUM_GROUPS: Final = 3
#: A line that contains only figures; most are plain, which is quick to check.
NUMERIC_LINE: Final = regex(rf" *+(?:[0-9][0-9.,]*+ *+)++$|(?:\s*+{_NUMERIC}(?!\S))++\s*+$")
NUMERIC_WORD: Final = regex(rf"{_NUMERIC}$")
#: A figure far from other text in its cell belongs to another column.
_SHIFTED = regex(rf"\S\s{{2,}}+{_NUMERIC}$")
_UNGROUPED = regex(r"[-+]?[0-9]++(?:\.[0-9]*+)?$")
#: This number of figures at the end of a name are not part of it.
_SQUEEZED: Final = 2


def holds_figures(line: str) -> bool:
    """Whether most words of a line, which has no name at its margin, are figures."""
    if NUMERIC_LINE.match(line):
        return True
    words = line.split()
    if not line[:1].isspace() and not NUMERIC_WORD.match(words[0]):
        return False
    figures = sum(NUMERIC_WORD.match(word) is not None for word in words)
    return figures > _SQUEEZED and figures * 2 > len(words)


def is_sum_rule(line: str) -> bool:
    """A line of tildes, one group per column: the sums of the rows above are below it."""
    return len(line.split()) >= _SUM_GROUPS and UNDERLINE.match(line) is not None


def spans(ruler: str) -> Columns:
    """The places of the columns."""
    return [match.span() for match in _DASHES.finditer(ruler)]


def heading_words(line: str, skip: int = 0) -> list[tuple[str, Span]]:
    """Words of a heading line with their places, without underlines and text before them."""
    if "---" in line:
        return []  # ``------- Read -------`` names a group of columns, not a column
    # Statspack 11.2.0.4 prints a stray ` before a heading, on a section's first page only
    plain = " " * skip + line[skip:].replace("~", " ").replace("`", " ")
    return [(match[0], match.span()) for match in WORD.finditer(plain)]


def join_headings(words: list[tuple[str, Span]], columns: Columns) -> tuple[str, ...]:
    """One heading per column: a word goes to the column that it overlaps most, else the nearest."""
    parts: list[list[str]] = [[] for _ in columns]
    for word, place in words:
        parts[nearest(place, columns)].append(word)
    return tuple(" ".join(part) for part in parts)


def nearest(place: Span, columns: Columns) -> int:
    """The column that a place overlaps most, else the nearest."""
    first = max(bisect_left(columns, place) - 1, 0)
    behind = bisect_left(columns, (place[1],), first)
    near = columns[first : behind + 1]
    overlaps = [min(end, place[1]) - max(begin, place[0]) for begin, end in near]
    return first + overlaps.index(max(overlaps))


def fits(line: str, columns: Columns) -> bool:
    """Whether a line is blank between and after the columns."""
    end = 0
    for begin, stop in columns:
        if line[end:begin].strip():
            return False
        end = stop
    return not line[end:].strip()


def cut(line: str, columns: Columns) -> list[str] | None:
    """Cells of a line by the ruler, or by its words if it does not fit; None: it is not a row."""
    if "  " not in line and is_squeezed(line, columns):
        return _name_and_figures(line.split(), columns)
    cells: list[str] = []
    end, gaps = 0, ""
    for begin, stop in columns:
        gaps += line[end:begin]
        cells.append(line[begin:stop].strip())
        end = stop
    # an overflown figure may fill the gap
    if gaps.strip(" #") and not gaps.isspace():
        return _cut_words(line, columns)
    if len(line) > columns[-1][1]:
        cells[-1] = line[columns[-1][0] :].strip()
    # a figure far behind another text in its cell
    wide = "" in cells and "  " in "\n".join(cells)
    return _cut_words(line, columns) if wide and any(map(_SHIFTED.search, cells)) else cells


def is_squeezed(line: str, columns: Columns) -> bool:
    """Whether blanks were collapsed: a name and figures, with single blanks, end too early."""
    if "  " in line or len(columns) <= _SQUEEZED or len(line) > columns[-1][0]:
        return False
    words = line.split()
    if len(words) <= _SQUEEZED or not all(map(NUMERIC_WORD.match, words[-_SQUEEZED:])):
        return False
    ends = {len(line), len(line) - len(words[-1]) - 1}
    return not ends <= {end for _, end in columns}


def _name_and_figures(words: list[str], columns: Columns) -> list[str] | None:
    """A row by its words: a name, unless all are figures, then one word per column."""
    if len(words) == len(columns) and all(map(NUMERIC_WORD.match, words)):
        return words
    figures = len(columns) - 1
    name, rest = words[:-figures], words[-figures:]
    if not name or not NUMERIC_WORD.match(rest[0]) or NUMERIC_WORD.match(name[-1]):
        return None
    return [" ".join(name), *rest]


def _pieces(line: str, end: int) -> list[str]:
    """Pieces between wide gaps; words that begin before the first column ends are the name."""
    pieces: list[str] = []
    for match in _PIECE.finditer(line):
        if pieces and match.start() < end and not NUMERIC_WORD.match(match[0].split(" ")[0]):
            pieces[-1] = f"{pieces[-1]} {match[0]}"
        else:
            pieces.append(match[0])
    return pieces


def _is_fused(word: str, place: Span, columns: Columns) -> bool:
    """Whether a figure without commas reaches several columns and is longer than each."""
    begin, end = place
    reached = [stop - start for start, stop in columns if begin < stop and start < end]
    return len(reached) > 1 and max(reached) < len(word) and _UNGROUPED.match(word) is not None


def _cut_words(line: str, columns: Columns) -> list[str] | None:
    """Cells of a shifted line: by wide gaps, else by the places of its words, else their number."""
    words = [(match[0], match.span()) for match in WORD.finditer(line)]
    if not any(NUMERIC_WORD.match(word) for word, _ in words[1:]):
        return None
    # a word outside the ruler is before a whole row (`1st`, `2nd`) and shifts it
    (name, (begin, _)), (figure, _) = words[:2]
    whole = begin < columns[0][0] and len(words) == len(columns) + 1
    if whole and not NUMERIC_WORD.match(name) and NUMERIC_WORD.match(figure) is not None:
        return [f"{name} {figure}", *(word for word, _ in words[2:])]
    pieces = _pieces(line, columns[0][1])
    if len(pieces) == len(columns):
        return pieces
    parts: list[list[str]] = [[] for _ in columns]
    for word, place in words:
        if _is_fused(word, place, columns):
            return None
        parts[nearest(place, columns)].append(word)
    crowded = [part for part in parts if len(part) > 1]
    if not any(NUMERIC_WORD.match(word) for part in crowded for word in part):
        return [" ".join(part) for part in parts]
    return _name_and_figures([word for word, _ in words], columns)
