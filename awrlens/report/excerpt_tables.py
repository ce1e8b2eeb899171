"""Tables in excerpts: lines without quote marks and frames; signs or gaps separate columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.lazy import regex
from awrlens.records import NamedTuple
from awrlens.report.reader_result import RawRow
from awrlens.report.ruler import NUMERIC_WORD

if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Iterator, Sequence

#: The marks that quotes and lists put before a line, and the fences of a block.
_QUOTE = regex(r"^(?:\s*>)+ ?")
_FENCE = regex(r"^\s*(?:(?:```|~~~~*\s*$)\w*|\{(?:noformat|code|quote|panel)[^{}]*\})\s*$")
#: A fence on the same line as its text, as in chats.
_FENCED = regex(r"^\s*```(?=[^`]*\S \S)|```\s*$")
#: The line number that editors and `cat -n` put before a line.
_NUMBER = regex(r"^\s*(\d{1,9})[:.)|]?(?:[ \t]|$)")
_BARS = str.maketrans({"│": "|", "┃": "|", "║": "|", "¦": "|"})
#: A line between headings and rows, or around a box.
RULE: Final = regex(r"^[\s|:+=\-─━═┌┬┐├┼┤└┴┘╔╦╗╠╬╣╚╩╝╭╮╰╯]+$")
_GAP = regex(r"\s{2,}|\t+")
#: Minimum number of columns if tabs or gaps separate them, and maximum number.
LEAST: Final = 3
MOST_COLUMNS: Final = 256
#: Maximum number of rules below a heading.
_MOST_RULES: Final = 8
_TRAIL: Final = regex(r"[*_:\s]*+")


class Grid(NamedTuple):
    """A table in an excerpt: headings, rows and the line that it begins in."""

    headings: tuple[str, ...]
    cells: list[RawRow]
    at: int
    #: It uses the headings of the table before it: blank lines separate its rows from that table.
    goes_on: bool = False

    @property
    def groups(self) -> tuple[str, ...]:
        """Empty: excerpts lose the groups of columns."""
        return ()

    @property
    def widths(self) -> tuple[int, ...]:
        """Empty: the report may have cut names, but an excerpt does not show where."""
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


def undecorated(text: str) -> list[str]:
    """Lines without quote marks, fences, numbers, box borders and common indentation."""
    lines = [_QUOTE.sub("", line.rstrip("\r")) for line in text.split("\n")]
    lines = ["" if _FENCE.match(line) else line.translate(_BARS) for line in lines]
    lines = [_FENCED.sub("", line) if "```" in line else line for line in lines]
    if _is_numbered(lines):
        lines = [_NUMBER.sub("", line) for line in lines]
    filled = [line for line in lines if line.strip()]
    indent = min((len(line) - len(line.lstrip(" ")) for line in filled), default=0)
    return [line[indent:].rstrip(" ") for line in lines]


def without_marks(line: str, leading: re.Pattern[str]) -> str:
    """A line without the marks of headings and lists before it or after a heading."""
    begin = leading.match(line)
    line = line[begin.end() :] if begin else line
    end = _TRAIL.match(line[::-1])
    return line[: len(line) - end.end()] if end else line


def _is_numbered(lines: Sequence[str]) -> bool:
    """Whether each line begins with a number that is one more than in the line above."""
    found = [(at, _NUMBER.match(line)) for at, line in enumerate(lines) if line.strip()]
    offsets = {int(match[1]) - at if match else None for at, match in found}
    return len(found) > LEAST and len(offsets) == 1 and None not in offsets


def grids(lines: Sequence[str]) -> Iterator[Grid]:
    """Tables whose columns are separated by bars, by tabs, or by gaps under headings.

    Rows without headings below blank lines continue the table above them.
    """
    at = 0
    last: tuple[Callable[[str], list[str] | None], Grid, int] | None = None
    while at < len(lines):
        for split in (by_bars, by_tabs):
            block = _block(lines, at, split)
            if not block:
                continue
            grid = None
            if (
                last is not None
                and last[0] is split
                and not any(map(str.strip, lines[last[2] : at]))
            ):
                grid = _more_of(last[1], block)
            grid = grid or _grid(block, lines)
            at = block[-1][0] + 1
            if grid is not None:
                yield grid
                last = split, grid, at
            break
        else:
            grid = _by_gaps(lines, at)
            if grid is not None:
                yield grid
                at = grid.cells[-1].at
            at += 1


Block = list[tuple[int, list[str]]]


def by_bars(line: str) -> list[str] | None:
    """Cells between bars; None if there are no bars."""
    if line.count("|") < 2 and not (line.startswith("|") and "|" in line[1:]):  # noqa: PLR2004
        return None
    if line.count("|") > MOST_COLUMNS:
        return None
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def by_tabs(line: str) -> list[str] | None:
    """Cells between tabs; None if there are too few."""
    cells = [cell.strip() for cell in line.rstrip("\t").split("\t")]
    return cells if LEAST <= len(cells) <= MOST_COLUMNS else None


def _block(lines: Sequence[str], at: int, split: Callable[[str], list[str] | None]) -> Block:
    """Consecutive lines with the same separator."""
    found: Block = []
    while at < len(lines):
        rule = bool(lines[at].strip()) and bool(RULE.match(lines[at]))
        cells = split(lines[at])
        if cells is None and split is by_tabs and (found or _is_name(lines, at)):
            cells = _narrow(lines[at])
        if cells is None and not (rule and found):
            break
        found.append((at, [] if rule or cells is None else cells))
        at += 1
    return found


def _narrow(line: str) -> list[str] | None:
    """The one or two cells of a line between wider ones; the cells behind them are blank."""
    cells = [cell.strip() for cell in line.rstrip("\t").split("\t")]
    return cells if "\t" in line and any(cells) else None


def _is_name(lines: Sequence[str], at: int) -> bool:
    """Whether a heading is above the others: all cells behind it are blank."""
    below = by_tabs(lines[at + 1]) if at + 1 < len(lines) else None
    return bool(below) and lines[at].count("\t") >= len(below or ()) - 1


def _joined(block: Block) -> Block:
    """Rows of two lines as one: a name, and its figures on the line below."""
    filled = [(at, cells) for at, cells in block if cells]
    names, figures = filled[::2], filled[1::2]
    above = len(names) == len(figures) > 1 and all(
        any(cells[:1]) and not any(cells[1:]) and len(below) >= LEAST
        for (_, cells), (_, below) in zip(names, figures, strict=True)
    )
    if not above:
        return block
    pairs = zip(names, figures, strict=True)
    return [(at, [name[0], *cells]) for (_, name), (at, cells) in pairs]


def _more_of(above: Grid, block: Block) -> Grid | None:
    """Rows below blank lines as rows of the table above them; None if they do not belong to it."""
    rows = [RawRow(cells, at) for at, cells in block if cells]
    width = len(above.headings)
    first = rows[0].cells if rows else []
    if not any(map(NUMERIC_WORD.match, first[1:])) or first[0].endswith(":"):
        return None
    if len(rows) < len(block) or any(len(row.cells) != width for row in rows):
        return None
    return Grid(above.headings, rows, rows[0].at, goes_on=True)


def _grid(block: Block, lines: Sequence[str]) -> Grid | None:
    """Headings up to the first rule, else the first line; then rows with as many cells."""
    block = _joined(block)
    filled = _without_page_head([(at, cells) for at, cells in block if cells])
    if len(filled) < 2:  # noqa: PLR2004 - headings and a row
        return None
    rules = [at for at, cells in block if not cells and at > filled[0][0]]
    heads = [cells for at, cells in filled if rules and at < rules[0]] or [filled[0][1]]
    if not rules and _is_group(filled):
        del filled[0]  # a heading over several headings
        heads = [filled[0][1]]
    if any(NUMERIC_WORD.match(cell) for cells in heads for cell in cells):
        heads = [[""] * len(filled[0][1])]  # no headings, only labels and figures
        filled.insert(0, (filled[0][0], heads[0]))
    width = max(map(len, heads))
    if len(heads) == len(filled):
        return None
    below = [cells for _, cells in filled[len(heads) :] if len(cells) > 1]
    if below and {len(cells) for cells in below} == {width + 1}:
        heads[-1].insert(0, "")  # a browser does not copy a leading blank heading
        width += 1
    merged = any("  " in heading for cells in heads for heading in cells)
    if merged or any(any(cells[width:]) for cells in below):
        return None  # the columns of the figures are ambiguous
    headings = tuple(
        " ".join(cells[n] for cells in heads if n < len(cells) and cells[n]) for n in range(width)
    )
    rows = [
        RawRow([*cells, *[""] * (width - len(cells))][:width], at)
        for at, cells in filled[len(heads) :]
        if len(cells) > 1 and not _lacks_cells(lines[at], width)
    ]
    return Grid(headings, rows, filled[0][0]) if rows and lines else None


def _lacks_cells(line: str, width: int) -> bool:
    """Whether a row between bars has fewer of them than columns: its blank cells are unknown."""
    bars = line.strip()
    return bars.startswith("|") and bars.count("|") - bars.endswith("|") < width


def _without_page_head(filled: Block) -> Block:
    """The lines without those above the headings that name a page: some of their cells are blank.

    The headings are the first line without a blank cell, and figures are below them.
    """
    for number, (_, cells) in enumerate(filled[:-1]):
        if all(cells) and len(cells) >= LEAST:
            below = filled[number + 1][1]
            heads = not any(map(NUMERIC_WORD.match, cells)) and len(below) == len(cells)
            return filled[number:] if heads and any(map(NUMERIC_WORD.match, below)) else filled
    return filled


def _is_group(block: Block) -> bool:
    """Whether the first line has fewer names than the second, and the second as many as figures."""
    if len(block) < 3:  # noqa: PLR2004 - groups, headings and a row
        return False
    groups, names, row = (cells for _, cells in block[:3])
    figures = [any(map(NUMERIC_WORD.match, cells)) for cells in (groups, names, row)]
    return len(groups) < len(row) <= len(names) and figures == [False, False, True]


def _by_gaps(lines: Sequence[str], at: int) -> Grid | None:
    """Headings with wide gaps between them, an optional rule, and rows with as many pieces.

    A row with one piece less lacks the first figure (CPU has no waits); figures are right-aligned.
    """
    headings = tuple(piece for piece in _GAP.split(lines[at].strip()) if piece)
    if not LEAST <= len(headings) <= MOST_COLUMNS or any(
        NUMERIC_WORD.match(piece) for piece in headings
    ):
        return None
    if at and lines[at - 1].strip() and _GAP.search(lines[at - 1].strip()):
        return None  # multi-line headings have a ruler, which is more reliable
    rows: list[RawRow] = []
    rulers = 0
    labels = False
    for number in range(at + 1, len(lines)):
        line = lines[number]
        if RULE.match(line) and line.strip() and not rows:
            if number - at > _MOST_RULES:
                return None
            rulers = len(line.split())
            continue
        pieces = [piece for piece in _GAP.split(line.strip()) if piece]
        if not line.strip() or not 1 < len(pieces) <= len(headings):
            break
        if not any(NUMERIC_WORD.match(piece) for piece in pieces[1:]):
            break
        blanks = [""] * (len(headings) - len(pieces))
        labels = labels or (not rows and pieces[0].endswith(":"))
        cells = [*pieces, *blanks, ""] if labels else [pieces[0], *blanks, *pieces[1:]]
        rows.append(RawRow(cells, number))
    if not rows or rulers > 1:
        return None  # a complete ruler is more reliable
    return Grid(("", *headings) if labels else headings, rows, at)
