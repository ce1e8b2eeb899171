"""Tables of excerpts whose ruler is lost or has too few groups, and whose headings are wrapped.

Of headings on several lines, only the last line is known to be in the order of the columns. Its
words are the ends of headings that the section of the title is known to print. A table is read
only if every one of them is the end of another column's heading, and every row has as many figures.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.grammar.catalogue import norm_heading
from awrlens.lazy import regex
from awrlens.report.excerpt_tables import LEAST, RULE, Grid
from awrlens.report.reader_result import RawRow
from awrlens.report.ruler import NUMERIC_WORD

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from awrlens.grammar.catalogue import SectionSpec

#: Maximum number of lines between a title and its last line of headings.
_ABOVE: Final = 12
#: Maximum number of blank lines and rules between rows.
_BETWEEN: Final = 4
#: Minimum length of the end of a heading.
_SHORTEST: Final = 3
_GAP: Final = regex(r"\s{2,}|\t+")


def _by_gaps(line: str) -> list[str]:
    return [piece for piece in _GAP.split(line.strip()) if piece]


#: How a line is cut: at wide gaps, else at every blank.
_CUTS: Final[tuple[Callable[[str], list[str]], ...]] = (_by_gaps, str.split)


def table(lines: Sequence[str], title: int, end: int, specs: Sequence[SectionSpec]) -> Grid | None:
    """The table below a title, for one of the sections with that title; None if it has a ruler."""
    for at in range(title + 1, min(end, title + 1 + _ABOVE)):
        line = lines[at]
        if not line.strip() or RULE.match(line) or line.lstrip().startswith("->"):
            continue
        if _is_whole_ruler(lines, at + 1):
            return None
        for spec in specs:
            for cut in _CUTS:
                headings = _whole(spec, cut(line))
                rows = list(_rows(lines, at + 1, end, cut, len(headings))) if headings else []
                widths = {len(row.cells) for row in rows}
                if len(widths) != 1:
                    continue
                if max(widths) > len(headings):
                    headings = (_heading_of_key(spec), *headings)
                if len(set(headings)) == len(headings):
                    return Grid(headings, rows, title)
    return None


def _heading_of_key(spec: SectionSpec) -> str:
    """The heading of names; it is on a line above the last line of headings."""
    key = next((column for column in spec.columns if column.name == spec.key), None)
    return next(iter(key.headings), "") if key else ""


def _is_whole_ruler(lines: Sequence[str], at: int) -> bool:
    return at < len(lines) and bool(RULE.match(lines[at])) and len(lines[at].split()) >= LEAST


def _whole(spec: SectionSpec, ends: list[str]) -> tuple[str, ...]:
    """The headings of a section that end so, one per column; empty if not all of them do."""
    found: dict[str, str] = {}
    last = -1
    for end in map(norm_heading, ends):
        if len(end) < _SHORTEST:
            return ()
        fitting = [
            (heading != end, number <= last, number, heading)
            for number, column in enumerate(spec.columns)
            if column.name not in found
            for heading in column.headings
            if heading.endswith(end)
        ]
        if not fitting:
            return ()
        _, _, last, heading = min(fitting)
        found[spec.columns[last].name] = heading
    return tuple(found.values()) if len(found) >= LEAST else ()


def _rows(
    lines: Sequence[str], at: int, end: int, cut: Callable[[str], list[str]], width: int
) -> Iterator[RawRow]:
    """Rows with a figure for every heading; a name may be on a line of its own above them."""
    name = ""
    others = 0
    for number in range(at, end):
        line = lines[number]
        if not line.strip() or RULE.match(line):
            others += 1
            if others > _BETWEEN:
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
