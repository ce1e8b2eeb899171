"""Tables of excerpts in which single blanks separate the columns: copied from a web page.

The headings of a section are known, so a line of headings can be cut where one heading ends and
the next begins. Rows have a name, then figures, then at most one text. A row is read only if it has
a figure for every heading of figures. CPU does not wait: its row has only a time and a share.
"""

from __future__ import annotations

from collections import Counter
from itertools import islice
from typing import TYPE_CHECKING, Final

from awrlens.grammar.catalogue import norm_heading
from awrlens.lazy import regex
from awrlens.report.excerpt_tables import LEAST, RULE, Grid
from awrlens.report.reader_result import RawRow
from awrlens.report.ruler import NUMERIC_WORD

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from awrlens.grammar.catalogue import ColumnSpec, SectionSpec

#: A column, and one of its headings.
Cut = tuple["ColumnSpec", str]

#: Maximum number of lines between a title and its last line of headings.
_ABOVE: Final = 12
#: Maximum number of words in a heading, and in a line of headings.
_WORDS: Final = 6
_MOST_WORDS: Final = 24
#: Maximum number of cuts that are tried for a line of headings, and for all lines of a text: words
#: that are the ends of many headings can be cut in more ways than anyone can wait for.
_MOST_OF_LINE: Final = 2048
MOST_CUTS: Final = 100_000
#: The units of the figures of CPU in a list of waits.
_OF_CPU: Final = ("s", "%")
_WIDE: Final = regex(r"\S(?: {2}|\t)\s*+\S")


def table(
    lines: Sequence[str], title: int, end: int, specs: Sequence[SectionSpec], cuts: Iterator[int]
) -> Grid | None:
    """The table below a title, for one of the sections with that title; None if it has gaps.

    ``cuts`` has a number for every cut that may be tried. Of headings on several lines, the last
    line has the end of each; the ruler says how many.
    """
    above = ""
    for at in range(title, min(end, title + 1 + _ABOVE)):
        grid = under(lines, at, end, specs, cuts, above)
        if grid is not None:
            return grid
        line = lines[at].strip()
        if not line.startswith("->"):
            above += norm_heading(line.lstrip("~"))
    return None


def under(
    lines: Sequence[str],
    at: int,
    end: int,
    specs: Sequence[SectionSpec],
    cuts: Iterator[int],
    above: str = "",
) -> Grid | None:
    """The table whose last line of headings is this one; None if it names no section's columns."""
    groups = len(lines[at + 1].split()) if at + 1 < end and _is_ruler(lines[at + 1]) else 0
    ways = (cut(spec, lines[at], cuts, groups, above) for spec in specs)
    return next((_grid(lines, at, end, found) for found in ways if found), None)


def cut(
    spec: SectionSpec, line: str, cuts: Iterator[int], groups: int = 0, above: str = ""
) -> list[Cut]:
    """The columns of a section, and their headings, that a line of headings names; else empty.

    Headings are whole, unless a ruler of ``groups`` columns is below them: then they are the ends
    of headings on several lines, whose other words are ``above``. The first column identifies the
    rows. A line that fits several columns equally well, or can be cut in too many ways, is not
    read.
    """
    words = line.split()
    if not LEAST <= len(words) <= _MOST_WORDS or _WIDE.search(line):
        return []
    ways: list[list[Cut]] = []
    own = islice(cuts, _MOST_OF_LINE)
    _cut(spec, words, [], ways, groups, own)
    all_tried = next(own, None) is not None
    fitting = [way for way in ways if len(way) >= LEAST] if all_tried else []
    if not fitting:
        return []
    printed = Counter(above + norm_heading(line))
    ranked = sorted((_misfit(way, printed), number) for number, way in enumerate(fitting))
    best = [fitting[number] for misfit, number in ranked if misfit == ranked[0][0]]
    columns = {tuple(column.name for column, _ in way) for way in best}
    return best[0] if len(columns) == 1 else []


def _misfit(way: list[Cut], printed: Counter[str]) -> int:
    """How many characters of the headings are not printed, and how many others are."""
    named = Counter("".join(heading for _, heading in way))
    return (named - printed).total() + (printed - named).total()


def _cut(
    spec: SectionSpec,
    words: list[str],
    found: list[Cut],
    ways: list[list[Cut]],
    groups: int,
    cuts: Iterator[int],
) -> None:
    """Add every way to cut the words that continues ``found``."""
    if not words:
        if not groups or len(found) == groups:
            ways.append(found)
        return
    if (groups and len(found) >= groups) or next(cuts, None) is None:
        return
    used = {column.name for column, _ in found}
    key = None if found else spec.key
    columns = [c for c in spec.columns if c.name not in used and key in (None, c.name)]
    for count in range(min(_WORDS, len(words)), 0, -1):
        end = norm_heading("".join(words[:count]))
        for column in columns:
            for heading in column.headings:
                if heading == end or (groups and heading.endswith(end)):
                    _cut(spec, words[count:], [*found, (column, heading)], ways, groups, cuts)


def _is_ruler(line: str) -> bool:
    return bool(line.strip()) and bool(RULE.match(line)) and len(line.split()) >= LEAST


def _grid(lines: Sequence[str], at: int, end: int, found: list[Cut]) -> Grid | None:
    texts = [column.type == "text" for column, _ in found]
    figures = texts.count(False)
    if any(texts[1 : figures + 1]) or len(texts) > figures + 2:
        return None  # the text is not at the end
    timed = [column.unit in _OF_CPU for column, _ in found[1 : figures + 1]]
    rows = list(_rows(lines, at + 1, end, timed, len(texts)))
    return Grid(tuple(heading for _, heading in found), rows, at) if rows else None


def _rows(
    lines: Sequence[str], at: int, end: int, timed: Sequence[bool], width: int
) -> Iterator[RawRow]:
    """Rows up to the first line without figures; other rows with fewer figures are ambiguous.

    ``timed`` says which headings of figures are a time or a share.
    """
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
            yield RawRow([name, *(next(figures) if each else "" for each in timed), *text], number)
            continue
        begin = last - len(timed)
        if begin > 0 and all(is_figure[begin:last]) and (text or not rest):
            yield RawRow([" ".join(words[:begin]), *words[begin:last], *text], number)
