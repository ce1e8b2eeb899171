"""Where tables under dash rulers are: their headings, rulers and rows."""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING, Final

from awrlens.records import NamedTuple
from awrlens.report.ruler import NUMERIC_WORD, UNDERLINE, spans

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from awrlens.report.lines import Lines
    from awrlens.report.ruler import Span

#: Maximum number of columns; a line with more groups is not a ruler.
_MOST_COLUMNS: Final = 128
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
        if found:
            headings = _below_rows(lines, headings, found[-1].rulers[-1])
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


def _below_rows(lines: Sequence[str], headings: list[int], ruler: int) -> list[int]:
    """Headings without rows of the table above, whose blank line before them was lost.

    A row has a figure without a unit; headings have ``4s`` and ``64ms``.
    """
    rows = [at for at in headings if at > ruler and any(map(str.isdigit, lines[at].split()))]
    below = [at for at in headings if at > rows[-1]] if rows else []
    return below or headings


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


def _is_end_rule(lines: Lines, at: int, end: int) -> bool:
    line = lines[at]
    indent = len(line) - len(line.lstrip())
    single = " " not in line.strip()
    if not single or indent < _END_RULE_INDENT or len(line) - indent < _END_RULE_LENGTH:
        return False
    # the title of an unknown section may follow; rows above it are figures or a label with one,
    # headings are not, and a table without rows ends right below its ruler
    above = lines[at - 1]
    return (
        at + 1 >= end
        or not lines[at + 1]
        or NUMERIC_WORD.match(_last(above)) is not None
        or (": " in above and any(map(str.isdigit, above)))
        or lines.is_ruler(at - 1)
    )


def _last(line: str) -> str:
    return line.rsplit(None, 1)[-1] if line else ""


def _heading_lines(
    lines: Lines, ruler: int, start: int, notes: Collection[int], *, with_title: bool
) -> list[int]:
    """Lines directly above a ruler, up to a blank line, a note, another ruler or the title."""
    found: list[int] = []
    at = ruler - 1
    while at >= start and lines[at]:
        if at == start and not with_title:
            break
        if at in notes or lines.is_ruler(at):
            break
        if "~" not in lines[at] or not UNDERLINE.match(lines[at]):
            found.append(at)
        at -= 1
    return found[::-1]
