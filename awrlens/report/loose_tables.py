"""Tables of excerpts: bars, tabs, gaps or single blanks separate their columns, not a ruler.

Where gaps are lost, the letters of the last line of headings are cut into the ends of headings that
the section has, in its order; the rest of their letters is in the lines above. Rows between single
blanks have a name, a figure for every heading of figures, then at most one text. If a
ruler is lost below headings on several lines, the words of the last line must be the ends of known
headings, and every row must have as many figures.
"""

from __future__ import annotations

from collections import Counter
from itertools import takewhile
from typing import TYPE_CHECKING, Final

from awrlens.grammar.catalogue import norm_heading
from awrlens.lazy import regex
from awrlens.report.damaged_text import MOST_COLUMNS
from awrlens.report.reader_result import RawRow, RowTable
from awrlens.report.ruler import NUMERIC_WORD
from awrlens.units import parse_number

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from awrlens.grammar.catalogue import ColumnSpec, SectionSpec


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
#: Minimum number of columns if tabs or gaps separate them, and any number of them.
LEAST: Final = 3
_ANY: Final = -1
_MOST_RULES_BELOW_HEADINGS: Final = 8


class Grid(RowTable):
    """A table in an excerpt, which loses the groups of columns."""

    def __init__(
        self, headings: tuple[str, ...], rows: list[RawRow], at: int, *, goes_on: bool = False
    ) -> None:
        super().__init__(headings, at, rows)
        #: It uses the headings of the table before it: blank lines separate its rows from it.
        self.goes_on = goes_on
        #: The report may have cut names, but an excerpt does not show where.
        self.widths = (max((len(row.cells[0]) for row in rows), default=0),)

    @property
    def end(self) -> int:
        """The last line of it."""
        return max([self.at, *(row.at for row in self.rows())])


def undecorated(text: str) -> list[str]:
    """Lines without quote marks, fences, numbers, box borders and common indentation."""
    lines = [_QUOTE.sub("", line.rstrip("\r")) for line in text.split("\n")]
    lines = ["" if _FENCE.match(line) else line.translate(_BARS) for line in lines]
    lines = [_FENCED.sub("", line) if "```" in line else line for line in lines]
    # each line begins with a number that is one more than in the line above
    numbers = [(at, _NUMBER.match(line)) for at, line in enumerate(lines) if line.strip()]
    offsets = {int(match[1]) - at if match else None for at, match in numbers}
    if len(numbers) > LEAST and len(offsets) == 1 and None not in offsets:
        lines = [_NUMBER.sub("", line) for line in lines]
    filled = [line for line in lines if line.strip()]
    indent = min((len(line) - len(line.lstrip(" ")) for line in filled), default=0)
    return [line[indent:].rstrip(" ") for line in lines]


def grids(lines: Sequence[str]) -> Iterator[Grid]:
    """Tables whose columns are separated by bars, by tabs, or by gaps under headings."""
    at = 0
    last: tuple[Callable[[str], list[str] | None], Grid, int] | None = None
    while at < len(lines):
        for split in (by_bars, by_tabs):
            block = _block(lines, at, split)
            if not block:
                continue
            more = None
            if last and last[0] is split and not any(map(str.strip, lines[last[2] : at])):
                more = _more_of(last[1], block)
            grid = more or _separated(block, lines)
            at = block[-1][0] + 1
            if grid is not None:
                yield grid
                last = split, grid, at
            break
        else:
            grid = _by_headings(lines, at)
            if grid is not None:
                yield grid
                at = grid.end
            at += 1


Block = list[tuple[int, list[str]]]


#: A tab, or blanks where one was expanded.
_TAB = regex(r"\t|(?<=\S) {2,}(?=\S)")


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
    block: Block = []
    while at < len(lines):
        rule = bool(lines[at].strip()) and bool(RULE.match(lines[at]))
        cells = split(lines[at])
        if cells is None and split is by_tabs and (block or _is_name(lines, at)):
            # one or two cells between wider lines; the cells behind them are blank
            narrow = [cell.strip() for cell in lines[at].rstrip("\t").split("\t")]
            cells = narrow if "\t" in lines[at] and any(narrow) else None
        again = cells and block and cells == block[0][1]  # the headings of another list
        if again or (cells is None and not (rule and block)):
            break
        block.append((at, [] if rule or cells is None else cells))
        at += 1
    if split is by_tabs and len(block) > 1 and len(block[0][1]) < len(block[1][1]):
        # a tab of the headings became blanks
        heads = [cell.strip() for cell in _TAB.split(lines[block[0][0]].rstrip("\t"))]
        if len(heads) == len(block[1][1]):
            block[0] = block[0][0], heads
    return block


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


def _separated(block: Block, lines: Sequence[str]) -> Grid | None:
    """Headings up to the first rule, else the first line; then rows with as many cells."""
    block = _joined(block)
    filled = _without_page_head([(at, cells) for at, cells in block if cells])
    if len(filled) < 2:  # noqa: PLR2004 - headings and a row
        return None
    rules = [at for at, cells in block if not cells and at > filled[0][0]]
    heads = [cells for at, cells in filled if rules and at < rules[0]] or [filled[0][1]]
    if not rules and _is_group(filled):
        # a heading over several headings, or above a blank one
        (_, [above, *_]), (_, [first, *names]) = filled[:2]
        del filled[0]
        heads = [[first or above, *names]]
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
    return Grid(headings, rows, filled[0][0]) if rows else None


def _lacks_cells(line: str, width: int) -> bool:
    """Whether a row between bars has fewer of them than columns: its blank cells are unknown."""
    bars = line.strip()
    return bars.startswith("|") and bars.count("|") - bars.endswith("|") < width


def _without_page_head(filled: Block) -> Block:
    """The lines without those that name a page above the headings, with blank cells."""
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


def _by_gaps(line: str) -> list[str]:
    return [piece for piece in _GAP.split(line.strip()) if piece]


def _by_headings(lines: Sequence[str], at: int) -> Grid | None:
    """Headings with wide gaps, and rows; one piece less: CPU has no waits, the first figure."""
    headings = tuple(_by_gaps(lines[at]))
    if not LEAST <= len(headings) <= MOST_COLUMNS or any(
        NUMERIC_WORD.match(piece) for piece in headings
    ):
        return None
    if at and _GAP.search(lines[at - 1].strip()):
        return None  # multi-line headings have a ruler, which is more reliable
    rows: list[RawRow] = []
    rulers = 0
    labels = False
    for number in range(at + 1, len(lines)):
        line = lines[number]
        if RULE.match(line) and line.strip() and not rows:
            if number - at > _MOST_RULES_BELOW_HEADINGS:
                return None
            rulers = len(line.split())
            continue
        pieces = _by_gaps(line)
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


_MOST_LINES_BELOW_TITLE: Final = 12
#: Maximum number of cuts that are tried for all lines of a text: letters that are in many headings
#: can be cut in more ways than anyone can wait for.
MOST_CUTS: Final = 100_000
_UNITS_OF_CPU: Final = ("s", "%")
_WIDE: Final = regex(r"\S(?: {2}|\t)\s*+\S")


def collapsed(
    lines: Sequence[str], title: int, end: int, specs: Sequence[SectionSpec], cuts: Iterator[int]
) -> Grid | None:
    """The table below a title, for a section of that title; ``cuts``: numbers of cuts to try."""
    ways = (under(lines, at, end, specs, cuts, above) for at, above in _heads(lines, title, end))
    return next((grid for grid in ways if grid is not None), None)


def _heads(lines: Sequence[str], begin: int, end: int) -> Iterator[tuple[int, str]]:
    """The lines that may be headings, each with the letters of those directly above it."""
    above = ""
    for at in range(begin, min(end, begin + 1 + _MOST_LINES_BELOW_TITLE)):
        line = lines[at].strip()
        if line and not RULE.match(line) and not line.startswith("->"):
            yield at, above
            above += norm_heading(line.lstrip("~"))
        above *= bool(line)


def under(
    lines: Sequence[str],
    at: int,
    end: int,
    specs: Sequence[SectionSpec],
    cuts: Iterator[int],
    above: str = "",
) -> Grid | None:
    """The table whose last line of headings is this one; None if it names no section's columns."""
    ruled = at + 1 < end and _is_ruler(lines[at + 1])
    groups, above = (len(lines[at + 1].split()), above) if ruled else (_ANY, "")
    ways = ((spec, cut(spec, lines[at], cuts, groups, above)) for spec in specs)
    return next((_grid(lines, at, end, *way) for way in ways if way[1]), None)


def cut(
    spec: SectionSpec, line: str, cuts: Iterator[int], groups: int = _ANY, above: str = ""
) -> tuple[str, ...]:
    """The headings of a section that a line with single blanks names; empty if it is not clear.

    Above a ruler of ``groups`` columns, they may be the ends of headings whose other words are
    ``above``, between other words: as many letters as possible are of headings.
    """
    return () if _WIDE.search(line) else _named(spec, line, cuts, groups, above)


def _named(
    spec: SectionSpec, line: str, cuts: Iterator[int], groups: int, above: str
) -> tuple[str, ...]:
    ways = list(_ends(spec, norm_heading(line), Counter(above), groups, cuts))
    least = min((left for left, _ in ways), default=0)
    best = {
        tuple(column.name for column in _columns(spec, way)): way
        for left, way in ways if left == least and len(way) >= LEAST
    }  # fmt: skip
    return next(iter(best.values())) if len(best) == 1 and next(cuts, None) is not None else ()


def _columns(spec: SectionSpec, headings: tuple[str, ...]) -> list[ColumnSpec]:
    return [next(c for c in spec.columns if heading in c.headings) for heading in headings]


def _is_ruler(line: str) -> bool:
    return RULE.match(line) is not None and len(line.split()) >= LEAST


def _grid(
    lines: Sequence[str], at: int, end: int, spec: SectionSpec, headings: tuple[str, ...]
) -> Grid | None:
    columns = _columns(spec, headings)
    texts = [column.type == "text" for column in columns]
    figures = texts.count(False)
    keyed = spec.key in (None, columns[0].name)
    if not keyed or any(texts[1 : figures + 1]) or len(texts) > figures + 2:
        return None  # the text is not at the end
    timed = [column.unit in _UNITS_OF_CPU for column in columns[1 : figures + 1]]
    rows = list(_rows(lines, at + 1, end, timed, len(texts)))
    return Grid(headings, rows, at) if rows else None


def _rows(
    lines: Sequence[str], at: int, end: int, timed: Sequence[bool], width: int
) -> Iterator[RawRow]:
    """Rows up to the first line without figures; ``timed``: which are times or shares."""
    for number in range(at, end):
        line = lines[number]
        if RULE.match(line) and line.strip() and number == at:
            continue
        words = line.split()
        is_figure = [NUMERIC_WORD.match(word) is not None for word in words]
        if not any(is_figure) or is_figure[0] or _WIDE.search(line):
            return
        last = len(words) - is_figure[::-1].index(True)
        begin = is_figure.index(True)
        name, rest = " ".join(words[:begin]), " ".join(words[last:])
        text = [rest] if width > len(timed) + 1 else []
        if "CPU" in words[:begin] and last - begin == sum(timed) < len(timed):
            figures = iter(words[begin:last])
            yield RawRow([name, *(next(figures) if flag else "" for flag in timed), *text], number)
            continue
        begin = last - len(timed)
        if begin > 0 and all(is_figure[begin:last]) and (text or not rest):
            yield RawRow([" ".join(words[:begin]), *words[begin:last], *text], number)


#: Lines of headings above a rule, and figures of a row that they name.
_MOST_HEADS: Final = 3
_LEAST_STACKED: Final = 5


def stacked(
    lines: Sequence[str], at: int, specs: Sequence[SectionSpec], cuts: Iterator[int]
) -> Grid | None:
    """The table below a rule of one group whose headings are above it in lines, gaps lost.

    The last line has the ends of a section's headings, in its order; the others have the rest of
    their letters ("Write Accelerator", figure 8: `Wt TimeTotal Wts`). They fit in one way.
    """
    above = range(at - 1, max(at - 1 - _MOST_HEADS, -1), -1)
    heads = list(takewhile(lambda n: _is_head(lines[n]), above))
    below = (line.split() for line in lines[at + 1 : at + 3])
    row = next((words for words in below if sum(map(_is_figure, words)) >= _LEAST_STACKED), [])
    ways = [
        (begin, spec, way) for begin in heads if row for spec in specs
        for left, way in _ends(spec, norm_heading(lines[at - 1]),
                               Counter("".join(map(norm_heading, lines[begin : at - 1]))),
                               len(row), cuts) if not left
    ]  # fmt: skip
    if len({way for *_, way in ways}) != 1 or next(cuts, None) is None:
        return None
    begin, spec, headings = ways[0]
    rows = list(_rows_of_figures(lines, at + 1, len(lines), str.split, len(headings)))
    if rows and len(rows[0].cells) > len(headings):
        headings = (_name_heading(spec), *headings)
    return Grid(headings, rows, begin) if rows else None


def _name_heading(spec: SectionSpec) -> str:
    """The heading of names, which is on a line above the last line of headings."""
    key = next((column for column in spec.columns if column.name == spec.key), None)
    return next(iter(key.headings), "") if key else ""


def _is_figure(word: str) -> bool:
    return NUMERIC_WORD.match(word) is not None


def _is_head(line: str) -> bool:
    return bool(line.strip()) and not RULE.match(line) and not any(map(_is_figure, line.split()))


def _ends(
    spec: SectionSpec, ends: str, rest: Counter[str], width: int, cuts: Iterator[int],
    first: int = 0,
) -> Iterator[tuple[int, tuple[str, ...]]]:  # fmt: skip
    """Headings of columns whose ends these are: how many letters of the ``rest`` they leave.

    They are of ``width`` columns; below 0, of any number.
    """
    if not width or not ends:
        if not ends and width <= 0:
            yield rest.total(), ()
        return
    letters = {*ends, *rest}
    for number, column in enumerate(spec.columns[first:], first):
        for heading in column.headings:
            if not letters.issuperset(heading) or next(cuts, None) is None:
                continue
            for cut in range(len(heading)):
                if ends.startswith(heading[cut:]) and (begin := Counter(heading[:cut])) <= rest:
                    below = ends[len(heading) - cut :]
                    results = _ends(spec, below, rest - begin, width - 1, cuts, number + 1)
                    yield from ((left, (heading, *others)) for left, others in results)


_MOST_LINES_BETWEEN_ROWS: Final = 4
#: How a line is cut: at wide gaps, else at every blank.
_CUTS: Final[tuple[Callable[[str], list[str]], ...]] = (_by_gaps, str.split)


def unruled(
    lines: Sequence[str], title: int, end: int, specs: Sequence[SectionSpec], cuts: Iterator[int]
) -> Grid | None:
    """The table below a title, for one of the sections with that title; None if it has a ruler."""
    for at, above in _heads(lines, title + 1, end):
        line = lines[at]
        if at + 1 < len(lines) and _is_ruler(lines[at + 1]):
            return None
        for spec in specs:
            for cut in _CUTS:
                headings = _named(spec, line, cuts, len(cut(line)), above)
                if not headings:
                    continue
                rows = list(_rows_of_figures(lines, at + 1, end, cut, len(headings)))
                widths = {len(row.cells) for row in rows}
                if len(widths) != 1:
                    continue
                if max(widths) > len(headings):
                    headings = (_name_heading(spec), *headings)
                if len(set(headings)) == len(headings):
                    return Grid(headings, rows, title)
    return None


#: What begins a row of a list of waits.
_OF_WAITS: Final = (
    ("event", "waits", "total_wait_s", "avg_wait_ms"),
    ("event", "waits", "timeout_pct", "total_wait_s", "avg_wait_ms"),
)


def scattered(
    lines: Sequence[str], title: int, end: int, specs: Sequence[SectionSpec]
) -> Grid | None:
    """The list of waits below a title, with a word of its headings on every line (figure 4).

    Its columns are those in which the time is the average of all waits; other rows are left out.
    """
    spec = next((s for s in specs if {*_OF_WAITS[1]} <= {c.name for c in s.columns}), None)
    pieces = {at: _by_gaps(lines[at]) for at in range(title + 1, end if spec else title)}
    rows = [at for at in pieces if any(map(_is_figure, pieces[at][1:]))]
    above = (at for at in range(title + 1, min(rows, default=title)) if "/Inst:" not in lines[at])
    if spec is None or not rows or any(len(pieces[at]) > 1 or _is_ruler(lines[at]) for at in above):
        return None
    proven = [
        [RawRow(pieces[at][: len(names)], at) for at in rows
         if len(pieces[at]) > len(names) and _adds_up(*pieces[at][1 : len(names)])]
        for names in _OF_WAITS
    ]  # fmt: skip
    names, best = max(zip(_OF_WAITS, proven, strict=True), key=lambda pair: len(pair[1]))
    headings = {c.name: next(iter(c.headings), "") for c in spec.columns}
    return Grid(tuple(map(headings.__getitem__, names)), best, title) if len(best) > 1 else None


def _adds_up(waits: str, *times: str) -> bool:
    """Whether the last two figures are a time and its average, both rounded."""
    count, seconds, each_ms = map(parse_number, (waits, *times[-2:]))
    if count is None or seconds is None or each_ms is None:
        return False
    return abs(count * each_ms / 1000 - seconds) <= (count / 1000 + 1) / 2


def _rows_of_figures(
    lines: Sequence[str], at: int, end: int, cut: Callable[[str], list[str]], width: int
) -> Iterator[RawRow]:
    """Rows with a figure for every heading; a name may be on a line of its own above them."""
    name = ""
    others = 0
    for number in range(at, end):
        line = lines[number]
        if not line.strip() or RULE.match(line):
            others += 1
            if others > _MOST_LINES_BETWEEN_ROWS:
                return
            continue
        cells = cut(line) if "\t" not in line else _by_gaps(line)
        figures = sum(NUMERIC_WORD.match(cell) is not None for cell in cells)
        if not name and not figures:
            name = line.strip()
        elif figures and len(cells) == width:
            yield RawRow([name, *cells] if name else cells, number)
            name = ""
        elif figures and len(cells) == width + 1 and not name:
            yield RawRow(cells, number)
        else:
            return
        others = 0
