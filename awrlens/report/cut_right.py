"""Reports whose right part is missing: narrow window, ``cut -c``, copy of a part of the screen.

A figure that was cut looks like another figure, so such a report is not reliable. Oracle's tables
show it: their last ruler ends where all lines end, and the heading above it is the beginning of a
known heading.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from awrlens.grammar.catalogue import norm_heading

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from awrlens.report.lines import Lines
    from awrlens.report.text_reader import TextSection

#: Oracle's reports are at least 78 columns wide; a short one may lack its wide tables.
_NARROW: Final = 72
_LONG: Final = 200
#: Minimum number of lines that end where a report was cut.
_LEAST_LINES: Final = 5
#: Number of tables to examine whose rulers end there.
_LOOKED_AT: Final = 12
#: Headings of the columns of two periods, as ``norm_heading`` writes them; the second is printed
#: wherever the first is, and the last column has one or the other.
_PERIODS: Final = ("1st", "2nd", "%diff", "diff")
#: Minimum number of tables in a cut report that lost a part of their last heading.
_LEAST_CUT: Final = 2


def cut_at(
    lines: Lines,
    sections: Iterable[TextSection],
    headings_of: Callable[[TextSection], tuple[frozenset[str], ...]],
) -> int | None:
    """The column at which a report was cut; None if it was not.

    ``headings_of`` returns what is known of a section: the headings of each table that it may have.
    """
    lengths = list(map(len, lines))
    width = max(lengths, default=0)
    rulers = [at for at in lines.rulers if lengths[at] == width]
    if width < _NARROW and len(lines) > _LONG and lengths.count(width) >= _LEAST_LINES:
        return width
    if not rulers or not any("  " in line.strip() for line in lines):
        return None  # blanks that were collapsed make lines shorter than their rulers
    looked_at = cut = 0
    for section, printed in _headings_at(sections, rulers):
        if looked_at >= _LOOKED_AT:
            break
        found = _is_cut(printed, headings_of(section))
        looked_at += found is not None
        cut += bool(found)
    return width if cut >= min(_LEAST_CUT, looked_at) and cut else None


def _headings_at(
    sections: Iterable[TextSection], rulers: Sequence[int]
) -> Iterator[tuple[TextSection, tuple[str, ...]]]:
    """Headings of a table on a section's first page whose last ruler is in one of some lines."""
    known = frozenset(rulers)
    for section in sections:
        begin, end = section.pages[0]
        if bisect_right(rulers, begin) < bisect_left(rulers, end):
            headings = section.headings_at(known)
            if headings is not None:
                yield section, headings


@lru_cache(maxsize=1024)
def _is_cut(printed: tuple[str, ...], known: tuple[frozenset[str], ...]) -> bool | None:
    """Whether the last heading is a part of a known one; None if the table is not known."""
    *others, last = (norm_heading(heading) for heading in (printed or ("",)))
    if _PERIODS[0] in others or last == _PERIODS[0]:
        parts = (mark for mark in _PERIODS if mark.startswith(last) and mark != last)
        return last == _PERIODS[0] or (last not in _PERIODS and any(parts)) or None
    if not printed or not known:
        return None
    best = max(known, key=lambda headings: sum(each in headings for each in others))
    least = max(len(others) // 2, 1)
    if sum(each in best for each in others) < least:
        return None
    if last in best and last:
        return False
    return not last or any(len(last) < len(each) and _is_part(last, each) for each in best)


def _is_part(part: str, whole: str) -> bool:
    """Whether a heading has lost letters at the ends of its lines."""
    rest = iter(whole)
    return part[:1] == whole[:1] and all(letter in rest for letter in part)
