"""Tables under dash rulers: where they are, what their headings are, how to cut a line.

SQL*Plus prints headings above groups of dashes, one group per column. The ruler shows where a cell
begins and ends; tildes underline titles and are not columns.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from operator import itemgetter
from typing import TYPE_CHECKING, Final

from awrlens.lazy import lazy, regex
from awrlens.records import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from awrlens.report.lines import Lines

Span = tuple[int, int]
Slicer = Callable[[str], tuple[str, ...]]

#: A line of dash groups; tildes before them underline the title.
RULER: Final = regex(r"\s*(?:~+\s+)?-+(?:\s+-+)*\s*$")
UNDERLINE: Final = regex(r"\s*~+(?:\s+~+)*\s*$")
_DASHES = regex(r"-+")
#: Words; a non-breaking space separates thousands.
_WORD = regex(r"[^ ]+")
#: Words with single blanks between them.
_PIECE = regex(r"\S+(?:\s\S+)*")
_NUMERIC = (
    r"(?:[-+]?(?:[0-9][0-9.,'\u00a0\u202f]*+|[.,][0-9]++)(?:[Ee][-+]?[0-9]++)?"
    r"(?:ns|us|ms|s|[BKMGTP])?+|N/A|#++)"
)
#: Maximum number of columns; a line with more groups is not a ruler.
_MOST_COLUMNS: Final = 128
#: Minimum number of groups in a rule above sums.
_SUM_GROUPS: Final = 3
#: A line that contains only figures; most are plain, which is quick to check.
NUMERIC_LINE: Final = regex(rf" *+(?:[0-9][0-9.,]*+ *+)++$|\s*+{_NUMERIC}(?:\s++{_NUMERIC})*+\s*+$")
NUMERIC_WORD: Final = regex(rf"{_NUMERIC}$")
#: A figure far from other text in its cell belongs to another column.
_SHIFTED = regex(rf"\S\s{{2,}}+{_NUMERIC}$")
_UNGROUPED = regex(r"[-+]?[0-9]++(?:\.[0-9]*+)?$")
#: This number of figures at the end of a name are not part of it.
_SQUEEZED: Final = 2
#: An end rule is a single group of dashes, at least this long and this far from the margin.
_END_RULE_LENGTH: Final = 40
_END_RULE_INDENT: Final = 8


class Block(NamedTuple):
    """One printed table: its heading lines, its ruler(s), and the lines that follow.

    ``groups`` are the lines above with names of column groups (``% of Total Waits``).
    """

    headings: list[int]
    rulers: list[int]
    groups: list[int]
    rows: range


def holds_figures(line: str) -> bool:
    """Whether most words of a line are figures; some may be damaged.

    A name is at the margin.
    """
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


class Columns(list[Span]):
    """The places of a table's columns."""

    @lazy
    def slicers(self) -> tuple[Slicer, Slicer | None]:
        """The parts of a line that are in the columns, and those in the gaps before them."""
        ends = [0, *(stop for _, stop in self)]
        gaps = [
            slice(end, begin) for end, (begin, _) in zip(ends, self, strict=False) if begin > end
        ]
        return _slicer([slice(*span) for span in self]), _slicer(gaps) if gaps else None


def spans(ruler: str) -> Columns:
    """The places of the columns."""
    return Columns(match.span() for match in _DASHES.finditer(ruler))


def find_blocks(
    lines: Lines, start: int, end: int, notes: Collection[int] = (), title_end: int = 0
) -> list[Block]:
    """The tables between a title line and the end of its page.

    ``notes`` are lines that belong to remarks. ``title_end`` is where the title's own words end
    if its line also has headings, else 0.
    """
    rulers, stops = _rules(lines, start, end)
    found: list[Block] = []
    filled = -1  # all lines from the last table's ruler to here are filled
    for at in rulers:
        headings = _heading_lines(lines, at, start, notes, with_title=title_end > 0)
        groups: list[int] = []
        if found:
            last = found[-1].rulers[-1]
            between = range(last + 1, at)
            filled = _filled(lines, max(filled, last), at)
            own, above = spans(lines[at]), spans(lines[last])
            if filled + 1 >= at and len(own) < len(above) and set(own) < set(above):
                continue  # a rule above a total
            # headings are in order, so the first one and their count identify all of them
            if between and len(headings) == len(between) and headings[0] == between[0]:
                if len(found[-1].rulers) > 1:
                    # else it is the end rule of a page that was cut off below it
                    if _spans_groups(above, own):
                        _group_below(found[-1], at, headings)
                    elif _names_rows(lines, headings, own):
                        found[-1].rulers.append(at)
                        found[-1].headings.extend(headings)
                    continue
                if above[0][0] <= own[0][0] and not _spans_groups(above, own):
                    found[-1].rulers.append(at)  # the name is above, the figures are below
                    found[-1].headings.extend(headings)
                    continue
                previous = found.pop()  # the rule above spans a group of columns
                groups = [*previous.groups, *previous.headings, *previous.rulers]
        found.append(Block(headings, [at], groups, range(0)))
    return [_with_rows(found, number, stops, end) for number in range(len(found))]


def _filled(lines: Sequence[str], at: int, end: int) -> int:
    """The last of the consecutive lines after a place that are not blank."""
    while at + 1 < end and lines[at + 1]:
        at += 1
    return at


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
    """Rulers, and the rules that end a table."""
    rulers: list[int] = []
    stops: list[int] = []
    for at in lines.between(lines.rulers, start + 1, end):
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


def _is_end_rule(lines: Sequence[str], at: int, end: int) -> bool:
    line = lines[at]
    indent = len(line) - len(line.lstrip())
    single = " " not in line.strip()
    if not single or indent < _END_RULE_INDENT or len(line) - indent < _END_RULE_LENGTH:
        return False
    # the title of an unknown section may follow; rows above it are figures, headings are not, and
    # a table without rows ends right below its ruler
    above = lines[at - 1]
    return (
        at + 1 >= end
        or not lines[at + 1]
        or NUMERIC_WORD.match(_last(above)) is not None
        or ("-" in above and RULER.match(above) is not None)
    )


def _last(line: str) -> str:
    return line.rsplit(None, 1)[-1] if line else ""


def _heading_lines(
    lines: Sequence[str], ruler: int, start: int, notes: Collection[int], *, with_title: bool
) -> list[int]:
    """Lines directly above a ruler, up to a blank line, a note, another ruler or the title."""
    found: list[int] = []
    at = ruler - 1
    while at >= start and lines[at]:
        if at == start and not with_title:
            break
        if at in notes or RULER.match(lines[at]):
            break
        if not UNDERLINE.match(lines[at]):
            found.append(at)
        at -= 1
    return found[::-1]


def heading_words(line: str, skip: int = 0) -> list[tuple[str, Span]]:
    """Words of a heading line with their places, without underlines and text before them."""
    if "---" in line:
        return []  # ``------- Read -------`` names a group of columns, not a column
    # Statspack 11.2.0.4 prints a stray ` before a heading, on a section's first page only
    plain = " " * skip + line[skip:].replace("~", " ").replace("`", " ")
    return [(match[0], match.span()) for match in _WORD.finditer(plain)]


def join_headings(words: list[tuple[str, Span]], columns: list[Span]) -> tuple[str, ...]:
    """One heading per column: a word goes to the column that it overlaps most, else the nearest."""
    parts: list[list[str]] = [[] for _ in columns]
    for word, place in words:
        parts[nearest(place, columns)].append(word)
    return tuple(" ".join(part) for part in parts)


def nearest(place: Span, columns: list[Span]) -> int:
    """The column that a place overlaps most, else the nearest."""
    overlaps = [min(end, place[1]) - max(begin, place[0]) for begin, end in columns]
    return max(range(len(columns)), key=overlaps.__getitem__)


def fits(line: str, columns: list[Span]) -> bool:
    """Whether a line is blank between and after the columns."""
    end = 0
    for begin, stop in columns:
        if line[end:begin].strip():
            return False
        end = stop
    return not line[end:].strip()


def cut(line: str, columns: Columns) -> list[str] | None:
    """Cells of a line by the ruler, or by its words if the line does not fit the ruler.

    None when the line is not a row of the table.
    """
    if "  " not in line and is_squeezed(line, columns):
        return _name_and_figures(line.split(), columns)
    cells_of, gaps_of = columns.slicers
    if gaps_of is not None:
        gaps = "".join(gaps_of(line))
        # an overflown figure may fill the gap
        if gaps and not gaps.isspace() and gaps.strip(" #"):
            return _cut_words(line, columns)
    cells = list(map(str.strip, cells_of(line)))
    if len(line) > columns[-1][1]:
        cells[-1] = line[columns[-1][0] :].strip()
    if "" in cells and any("  " in cell and _SHIFTED.search(cell) for cell in cells):
        return _cut_words(line, columns)
    return cells


def is_squeezed(line: str, columns: list[Span]) -> bool:
    """Whether blanks were collapsed: single ones separate name and figures before the ruler's end.

    Figures that end where columns end are in place: the row's other cells are blank.
    """
    if "  " in line or len(columns) <= _SQUEEZED or len(line) > columns[-1][0]:
        return False
    words = line.split()
    if len(words) <= _SQUEEZED or not all(map(NUMERIC_WORD.match, words[-_SQUEEZED:])):
        return False
    ends = {len(line), len(line) - len(words[-1]) - 1}
    return not ends <= {end for _, end in columns}


def _name_and_figures(words: list[str], columns: list[Span]) -> list[str] | None:
    """A row by its words: a name, then one word per column; None if the number of words differs.

    A row with exactly one figure per column has no name.
    """
    if len(words) == len(columns) and all(map(NUMERIC_WORD.match, words)):
        return words
    figures = len(columns) - 1
    name, rest = words[:-figures], words[-figures:]
    if not name or not NUMERIC_WORD.match(rest[0]) or NUMERIC_WORD.match(name[-1]):
        return None
    return [" ".join(name), *rest]


def _slicer(slices: list[slice]) -> Slicer:
    get = itemgetter(*slices)
    if len(slices) > 1:
        return get
    return lambda line: (get(line),)


def _pieces(line: str, end: int) -> list[str]:
    """Pieces between wide gaps; words that begin before the first column ends are the name."""
    found: list[str] = []
    for match in _PIECE.finditer(line):
        if found and match.start() < end and not NUMERIC_WORD.match(match[0].split(" ")[0]):
            found[-1] = f"{found[-1]} {match[0]}"
        else:
            found.append(match[0])
    return found


def _is_named_before(words: list[tuple[str, Span]], columns: list[Span]) -> bool:
    """Whether a word outside the ruler is before a whole row (`1st`, `2nd`) and shifts it."""
    (name, (begin, _)), (figure, _) = words[:2]
    whole = begin < columns[0][0] and len(words) == len(columns) + 1
    return whole and not NUMERIC_WORD.match(name) and NUMERIC_WORD.match(figure) is not None


def _is_fused(word: str, place: Span, columns: list[Span]) -> bool:
    """Whether a figure may be those of two columns: it reaches both and is longer than each.

    Commas in their places show that it is one figure, which was too long for its column.
    """
    begin, end = place
    reached = [stop - start for start, stop in columns if begin < stop and start < end]
    return len(reached) > 1 and max(reached) < len(word) and _UNGROUPED.match(word) is not None


def _cut_words(line: str, columns: list[Span]) -> list[str] | None:
    """Cells of a line that is shifted under the ruler or whose blanks were collapsed.

    A name outside the ruler belongs to the first figure. Wide gaps decide if they separate as many
    pieces as there are columns; else the places of the words decide, then their number. A line
    without any figure is not a row.
    """
    words = [(match[0], match.span()) for match in _WORD.finditer(line)]
    if not any(NUMERIC_WORD.match(word) for word, _ in words[1:]):
        return None
    if _is_named_before(words, columns):
        return [f"{words[0][0]} {words[1][0]}", *(word for word, _ in words[2:])]
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
