"""Several reports in one file, as in spooled sessions and collected pages."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from awrlens.lazy import regex

if TYPE_CHECKING:
    from collections.abc import Iterator

#: The words of a report's first line, after any other text: prompts, marks, tags.
_WORDS: Final = ("STATSPACK report for", "WORKLOAD REPOSITORY ")
_START: Final = regex(
    r"STATSPACK report for|"
    r"WORKLOAD REPOSITORY (?:report for|PDB report|COMPARE PERIOD REPORT|REPORT \(RAC\))",
    re.I,
)
#: Headings of the first table below it; a SQL statement or a mail that mentions a report has none.
_HEAD: Final = regex(r"\bDB (?:Name|Id)\b|\bDatabase (?:Id|Summary)\b|\bSnapshot Set\b", re.I)
#: Maximum distance of that table; larger in pages that others saved.
_NEAR: Final = 2**11
_NEAR_IN_PAGE: Final = 2**14
#: Where a page begins, before its first line; the first of these that exists.
_PAGE_BEGINS: Final = ("<html", "<head", "<title", "<body")
#: A tag around the first line.
_OWN_TAG: Final = regex(r"(?:<[a-zA-Z][^<>]{0,200}>\s*)+$")
_TAG_ROOM: Final = 2**10
#: What Oracle prints last; a comparison ends with only a page's last tag or a table's last rule.
_END: Final = ("nd of Report", "ND OF REPORT")
_LAST_TAG: Final = regex(r"</html\s*>", re.I)
#: It is a single group of dashes: the rule above the rows of a table has one group per column.
_LAST_RULE: Final = regex(r"^[ \t]*+-{40,}+[ \t\r]*+$", re.M)
_TAIL: Final = 2**16
#: Marks that Oracle prints before the first line of a report.
MARKS: Final = ("Snapshots chosen span an instance shutdown", "TIMINGS ARE INVALID")
#: What the last table of a report that was cut has, and nothing between its end and a mark.
_BEFORE_MARKS: Final = ("----", "DB/Inst:", "</t")
#: Maximum number of session lines after it.
_PROMPTS: Final = 3


def breaks_off(text: str, kind: str) -> bool:
    """Whether a report ends before its last line, if its kind has one."""
    if kind == "awr-diff-html":
        return _LAST_TAG.search(text, max(0, len(text) - _TAIL)) is None
    if any(text.rfind(words) >= 0 for words in _END):
        return False
    return kind != "awr-diff-text" or is_torn(text, html=False)


def is_torn(text: str, *, html: bool) -> bool:
    """Whether a text ends within a table, not after the rule or the tag that ends a table."""
    if html:
        small = text[-_TAIL:].lower()
        return small.rfind("<table") > small.rfind("</table") or "</table" not in small
    last = max((match.end() for match in _LAST_RULE.finditer(text)), default=0)
    behind = text[last:].split("\n")[1:]
    if any("DB/Inst:" in line or "----" in line for line in behind):
        return True  # a title, or a ruler without its rows
    return sum(bool(line.strip()) for line in behind) > _PROMPTS


def without_torn_row(text: str, *, html: bool) -> str:
    """A truncated report, without its incomplete last row: that row's figures may be cut."""
    if not html:
        return text[: text.rfind("\n") + 1] or text
    end = max(text.rfind("</tr>"), text.rfind("</TR>"))
    row = max(text.rfind("<tr"), text.rfind("<TR"))
    return text[: end + len("</tr>")] if 0 <= end < row else text


def starts(text: str) -> list[int]:
    """Where each report of a file begins; the first one includes the text before it."""
    # searches for plain text are many times faster than a pattern, and long words fastest
    if sum(map(text.count, _WORDS)) == 1:
        return [0]
    candidates = [*_START.finditer(text)]
    if len(candidates) < 2:  # noqa: PLR2004 - nothing to part
        return [0]
    ends = [*(match.start() for match in candidates[1:]), len(text)]
    places = [
        match.start()
        for match, end in zip(candidates, ends, strict=True)
        if _has_head(text, match.end(), end)
    ]
    return [0, *(_begin(text, before, at) for before, at in pairwise(places))]


def _has_head(text: str, at: int, end: int) -> bool:
    page = text.find("<", at, at + _NEAR) >= 0
    return _HEAD.search(text, at, min(end, at + (_NEAR_IN_PAGE if page else _NEAR))) is not None


def _begin(text: str, before: int, at: int) -> int:
    """Where a report begins: after the end of the one before, else at Oracle's marks above it."""
    if (end := _end(text, before, at, last=True)) is not None:
        return end
    begin = max(text.rfind("\n", before, at) + 1, before)
    tag = _OWN_TAG.search(text, max(before, at - _TAG_ROOM), at)
    if tag is not None:
        between = text[before:at].lower()
        page = next((place for name in _PAGE_BEGINS if (place := between.rfind(name)) >= 0), None)
        begin = tag.start() if page is None else before + page
    marks = [text.rfind(mark, before, begin) for mark in MARKS]
    if max(marks) > max(text.rfind(words, before, begin) for words in _BEFORE_MARKS):
        first = min(place for place in marks if place >= 0)
        begin = max(text.rfind("\n", before, first) + 1, before)
    return begin


def _end(text: str, begin: int, stop: int, *, last: bool = False) -> int | None:
    """Where the first or last report of a stretch ends, behind its end mark; None without one."""
    find = text.rfind if last else text.find
    places = [place for words in _END if (place := find(words, begin, stop)) >= 0]
    if not places:
        tags = [*_LAST_TAG.finditer(text, begin, stop)]
        return tags[-1 if last else 0].end() if tags else None
    mark = (max if last else min)(places)
    line = text.find("\n", mark, stop)
    tag = _LAST_TAG.search(text, mark, min(stop, mark + _TAIL))
    if tag is not None and not _LAST_RULE.search(text, mark, tag.start()):
        return tag.end()
    return stop if line < 0 else line + 1


def split(text: str) -> Iterator[tuple[str, int]]:
    """Each report of a file, and the lines before it; behind its end, one around it may go on."""
    begins = starts(text)
    if len(begins) == 1:
        yield text, 0
        return
    parts: list[tuple[str, int]] = []
    unended: list[int] = []
    before = 0
    for begin, stop in zip(begins, [*begins[1:], len(text)], strict=True):
        if (end := _end(text, begin, stop)) is None:
            unended.append(len(parts))
            end = stop
        elif unended and _end(text, end, stop) is not None:
            outer = unended.pop()
            report, lines = parts[outer]
            gap = before + text.count("\n", begin, end) - lines - report.count("\n")
            parts[outer] = f"{report}{chr(10) * gap}{text[end:stop]}", lines
        else:
            end = stop
        parts.append((text[begin:end], before))
        before += text.count("\n", begin, stop)
    yield from parts
