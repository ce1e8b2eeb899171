"""Reports that were cut on the right: a narrow window, ``cut -c``, a copy of a part of the screen.

What is left of a figure looks like another figure, so nothing of such a report can be believed.
Oracle's tables tell: their last ruler ends where all lines end, and the heading over it is the
beginning of one that is known.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.grammar.catalogue import norm_heading
from awrlens.report import ruler

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from awrlens.report.raw import RawSection, RawTable

#: Oracle's reports are at least 78 columns wide; a short one may lack its wide tables.
_NARROW: Final = 72
_LONG: Final = 200
#: Where a report is cut, so many lines end at least.
_LEAST_LINES: Final = 5
#: Tables whose rulers end there that are looked at.
_LOOKED_AT: Final = 12
#: Headings of the columns of two periods, as ``norm_heading`` writes them; the second is printed
#: wherever the first is, and the last column has the one or the other.
_PERIODS: Final = ("1st", "2nd", "%diff", "diff")
#: Of a cut report so many tables have lost a part of their last heading, at least.
_LEAST_CUT: Final = 2


def cut_at(
    lines: Sequence[str],
    sections: Iterable[RawSection],
    headings_of: Callable[[RawSection], Sequence[frozenset[str]]],
) -> int | None:
    """The column that a report was cut at; None where it was not.

    ``headings_of`` gives what is known of a section: the headings of each table that it may have.
    """
    width = max(map(len, lines), default=0)
    at_end = {at for at, line in enumerate(lines) if len(line) == width}
    rulers = {at for at in at_end if lines[at][-1:] == "-" and ruler.RULER.match(lines[at])}
    if width < _NARROW and len(lines) > _LONG and len(at_end) >= _LEAST_LINES:
        return width
    if not rulers:
        return None
    looked_at = cut = 0
    for section, table in _tables_at(sections, rulers):
        if looked_at >= _LOOKED_AT:
            break
        found = _is_cut(table.headings, headings_of(section))
        looked_at += found is not None
        cut += bool(found)
    return width if cut >= min(_LEAST_CUT, looked_at) and cut else None


def _tables_at(
    sections: Iterable[RawSection], rulers: set[int]
) -> Iterator[tuple[RawSection, RawTable]]:
    """Tables whose last ruler is one of some lines; one for each section."""
    ends = sorted(rulers)
    for section in sections:
        pages = getattr(section, "pages", ())
        if not any(begin < at < end for begin, end in pages[:1] for at in ends):
            continue
        for table in section.tables("table"):
            blocks = getattr(table, "pages", ())
            if any(block.rulers[-1] in rulers for block in blocks):
                yield section, table
                break


def _is_cut(printed: Sequence[str], known: Sequence[frozenset[str]]) -> bool | None:
    """Whether the last heading is a part of one that is known; None where the table is not."""
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
