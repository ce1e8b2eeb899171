"""Text reports that were copied as cells of a page, or whose right part is missing.

A browser puts tabs between the cells that it copies, Markdown and wikis bars: such a text is
converted back to a page, line by line. A figure that was cut off looks like another one. Oracle's
tables show it: their last ruler ends where all lines end, below the beginning of a known heading.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from itertools import islice
from typing import TYPE_CHECKING, Final

from awrlens.grammar.catalogue import norm_heading
from awrlens.lazy import regex
from awrlens.source.copied_text import RULER_LINE
from awrlens.source.saved_pages import FIGURE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from awrlens.grammar.catalogue import Catalogue
    from awrlens.report.text_reader import Lines, TextSection


#: How much of a report, from its first line, shows whether it is a copy.
_PROBE: Final = 2**12
_SEPARATED = regex(r"^[^\n\t|]*(?:\t|\|)[^\n]*(?:\t|\|)[^\n]*$", re.M)
#: Minimum number of lines with cells: as many as the tables of a report's header have.
_LEAST_ROWS: Final = 5
#: A tab that aligns a column, as `unexpand` writes it: blanks follow it.
_ALIGNS = regex(r"\t +[^\s|]")
#: The line that Markdown puts under headings.
_RULE = regex(r"^(?=[\s|:]*+-)[\s|:-]*+$")
_MARKS = regex(r"(?:h[1-6]\.|#{1,6}|[*_\s])*+")
_BULLET = regex(r"^\s*(?:[-*+•]|\d+\.)\s+")
_TRAIL: Final = regex(r"[*_:\s]*+")
_LONGEST_TITLE: Final = 100
#: Maximum number of columns that bars, tabs or gaps separate.
MOST_COLUMNS: Final = 256


def is_copied(text: str, at: int) -> bool:
    """Whether tabs or bars separate the cells of a text report's first tables, without rulers."""
    probe = text[at : at + _PROBE]
    if "\t" not in probe and "|" not in probe:
        return False
    rows = [row for row in _SEPARATED.findall(probe) if not _ALIGNS.search(row)]
    return len(rows) >= _LEAST_ROWS and not RULER_LINE.search(probe)


def as_page(text: str, catalogue: Catalogue) -> str:
    """The text as a page; every line keeps its number."""
    page: list[str] = []
    block: list[list[str]] = []
    for line in [*text.split("\n"), ""]:
        if block and _RULE.match(line):
            block.append([])
            continue
        cells = _cells(line)
        if len(cells) > 1:
            block.append(cells)
            continue
        if block:
            page.extend(_tables(block))
            block = []
        page.append(_line(line, catalogue))
    return "\n".join(page[:-1])


def _cells(line: str) -> list[str]:
    if line.count("\t") + line.count("|") > MOST_COLUMNS:
        return []
    if "\t" in line:
        return [cell.strip() for cell in line.rstrip("\r\n").split("\t")]
    if "|" not in line:
        return []
    text = line.strip()
    if text.startswith("||"):  # headings of a wiki table
        text = text.replace("||", "|")
    return [cell.strip() for cell in text.split("|")]


def _tables(block: Sequence[list[str]]) -> Iterator[str]:
    filled = [cells for cells in block if cells]
    if all(not cells[0] for cells in filled) and all(not cells[-1] for cells in filled):
        block = [cells[1:-1] for cells in block]  # bars at both ends
    elif all(not cells[0] for cells in filled):
        block = [cells[1:] for cells in block]
    begin = 0
    for at, cells in enumerate(block):
        below = block[at + 1] if at + 1 < len(block) else []
        other = len(cells) != len(block[at - 1]) and len(below) - len(cells) in (0, 1)
        names = all(cells) and not any(FIGURE.match(cell) or cell[-1] == ":" for cell in cells)
        if at - begin > 1 and other and names and cells:
            yield from _table(block[begin:at])
            begin = at
    yield from _table(block[begin:])


def _table(block: Sequence[list[str]]) -> list[str]:
    from html import escape

    filled = [cells for cells in block if cells]
    width = max(map(len, filled))
    heads = _heads(filled)
    rest = filled[len(heads) :]
    # the blank heading above the names is missing if it is the first
    if heads and rest and len(heads[-1]) == len(rest[0]) - 1:
        heads[-1].insert(0, "")
    lines: list[str] = []
    for cells in block:
        name = "th" if any(cells is head for head in heads) else "td"
        spread = name == "th" and 0 < len(cells) < width and not any(cells[:-1])
        span = f' colspan="{width - len(cells) + 1}"' if spread else ""
        padded = cells if spread else [*cells, *[""] * (width - len(cells))]
        row = "".join(f"<{name}>{escape(cell)}</{name}>" for cell in padded[:-1])
        row += f"<{name}{span}>{escape(padded[-1])}</{name}>"
        lines.append(f"<tr>{row}</tr>" if cells else "")
    lines[0] = f"<table>{lines[0]}"
    lines[-1] += "</table>"
    return lines


def _heads(rows: Sequence[list[str]]) -> list[list[str]]:
    """The rows of headings: the first without a figure, and a row below it with more names."""
    plain = [not any(map(FIGURE.match, cells)) for cells in rows[:3]]
    if len(rows) < 2 or not plain[0]:  # noqa: PLR2004 - headings and a row
        return []
    grouped = plain[1:] == [True, False] and len(rows[0]) < len(rows[1]) == len(rows[2])
    return list(rows[: 2 if grouped else 1])


def _line(line: str, catalogue: Catalogue) -> str:
    from html import escape

    text = line.strip()
    if not text:
        return ""
    title = without_marks(text, _MARKS)
    if 0 < len(title) <= _LONGEST_TITLE and not _BULLET.match(line) and _is_title(title, catalogue):
        return f"<h3>{escape(title)}</h3>"
    return f"<li>{escape(_BULLET.sub('', line).strip())}</li>"


def without_marks(line: str, leading: re.Pattern[str]) -> str:
    """A line without the marks of headings and lists before it or after a heading."""
    begin = leading.match(line)
    line = line[begin.end() :] if begin else line
    end = _TRAIL.match(line[::-1])
    return line[: len(line) - end.end()] if end else line


def _is_title(text: str, catalogue: Catalogue) -> bool:
    wanted = norm_heading(text.partition("(")[0])
    titles = (title for spec in catalogue.of_title(text) for title in spec.titles)
    return wanted in (norm_heading(title.partition("(")[0]) for title in titles)


#: Oracle's reports are at least 78 columns wide; a short one may lack its wide tables.
_NARROW: Final = 72
_WHOLE: Final = 79
_LONG: Final = 200
#: Minimum number of lines that end where a report was cut.
_LEAST_LINES: Final = 5
#: Minimum number of the longest lines that end in the same mark.
_LEAST_MARKED: Final = 20
#: Number of tables to examine whose rulers end there.
_LOOKED_AT: Final = 12
#: What pagers and editors put at the end of a line that goes on.
_GOES_ON = regex(r"(?:[$>\\…»]|\.\.\.)$")
#: Headings of the columns of two periods, as ``norm_heading`` writes them; the second is printed
#: wherever the first is, and the last column has one or the other.
_PERIODS: Final = ("1st", "2nd", "%diff", "diff")
#: Minimum number of tables in a cut report that lost a part of their last heading.
_LEAST_CUT: Final = 2


def cut_with_tabs(text: str) -> int | None:
    """The column at which the lines of a text with tabs were cut: many of them end there."""
    if "\t" not in text:
        return None
    lengths = list(map(len, text.split("\n")))
    width = max(lengths)
    cut = width < _WHOLE and len(lengths) > _LONG and lengths.count(width) * 20 > len(lengths)
    return width if cut else None


def cut_at(
    lines: Lines,
    sections: Iterable[TextSection],
    headings_of: Callable[[TextSection], tuple[frozenset[str], ...]],
) -> int | None:
    """The column at which a report was cut, by the headings of all tables of its sections."""
    lengths = list(map(len, lines))
    width = max(lengths, default=0)
    wide = [line for line, length in zip(lines, lengths, strict=True) if length == width]
    mark = _GOES_ON.search(wide[0]) if len(wide) >= _LEAST_MARKED else None
    if mark is not None and all(line.endswith(mark[0]) for line in wide):
        return width - len(mark[0])
    rulers = [at for at in lines.rulers if lengths[at] == width]
    if width < _NARROW and len(lines) > _LONG and lengths.count(width) >= _LEAST_LINES:
        return width
    if not any("  " in line.strip() for line in lines):
        return None  # blanks that were collapsed make lines shorter than their rulers
    if rulers:
        tables = _headings_at(sections, rulers)
        looked_at = (_is_cut(printed, headings_of(section)) for section, printed in tables)
        verdicts = [*islice((verdict for verdict in looked_at if verdict is not None), _LOOKED_AT)]
        if sum(verdicts) >= max(1, min(_LEAST_CUT, len(verdicts))):
            return width
    return _cut_within(lines, lengths, sections, headings_of)


def _cut_within(
    lines: Lines,
    lengths: Sequence[int],
    sections: Iterable[TextSection],
    headings_of: Callable[[TextSection], tuple[frozenset[str], ...]],
) -> int | None:
    """The column at which some pages of a report were cut: they end there with their rulers."""
    by_width: dict[int, list[tuple[TextSection, frozenset[int]]]] = {}
    for section in sections:
        begin, end = section.pages[0]
        width = max(lengths[begin:end], default=0)
        if width < _WHOLE:
            pages = bisect_left(lines.rulers, begin), bisect_left(lines.rulers, end)
            rulers = frozenset(at for at in lines.rulers[slice(*pages)] if lengths[at] == width)
            by_width.setdefault(width, []).extend([(section, rulers)] * bool(rulers))
    for width, pages_of in by_width.items():
        if len(pages_of) >= _LEAST_CUT:
            printed = ((section, section.headings_at(rulers)) for section, rulers in pages_of)
            cut = (names is not None and _is_cut(names, headings_of(section))
                   for section, names in printed)  # fmt: skip
            if len([*islice(filter(None, cut), _LEAST_CUT)]) == _LEAST_CUT:
                return width
    return None


def _headings_at(
    sections: Iterable[TextSection], rulers: Sequence[int]
) -> Iterator[tuple[TextSection, tuple[str, ...]]]:
    """Headings of a table on a section's first page whose last ruler is in one of some lines."""
    ruled = frozenset(rulers)
    for section in sections:
        begin, end = section.pages[0]
        if bisect_right(rulers, begin) < bisect_left(rulers, end):
            headings = section.headings_at(ruled)
            if headings is not None:
                yield section, headings


def _is_cut(printed: tuple[str, ...], described: tuple[frozenset[str], ...]) -> bool | None:
    """Whether the last heading is a part of a known one; None if the table is not known."""
    *others, last = (norm_heading(heading) for heading in (printed or ("",)))
    if _PERIODS[0] in others or last == _PERIODS[0]:
        parts = (mark for mark in _PERIODS if mark.startswith(last) and mark != last)
        return last == _PERIODS[0] or (last not in _PERIODS and any(parts)) or None
    if not printed or not described:
        return None
    best = max(described, key=lambda headings: sum(heading in headings for heading in others))
    least = max(len(others) // 2, 1)
    if sum(heading in best for heading in others) < least:
        return None
    if last in best and last:
        return False
    return not last or any(len(last) < len(heading) and _is_part(last, heading) for heading in best)


def _is_part(part: str, whole: str) -> bool:
    """Whether a heading has lost letters at the ends of its lines."""
    rest = iter(whole)
    return part[:1] == whole[:1] and all(letter in rest for letter in part)
