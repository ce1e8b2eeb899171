"""Several reports in one file, as spooled sessions and collected pages have them."""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

#: A report's first line, as Oracle prints it: alone on its line, or a page's heading.
_START: Final = re.compile(
    r"^[ \t\f]*+(?:<h1\b[^<>]*+>\s*+)?(?:STATSPACK report for|"
    r"WORKLOAD REPOSITORY (?:report for|PDB report|COMPARE PERIOD REPORT|REPORT \(RAC\)))",
    re.I | re.M,
)
_PAGE: Final = re.compile(r"<html\b", re.I)
#: What Oracle prints last; a comparison ends with a page's last tag or a table's last rule only.
_END: Final = ("nd of Report", "ND OF REPORT")
_LAST_TAG: Final = re.compile(r"</html\s*>", re.I)
_LAST_RULE: Final = "-" * 40
_TAIL: Final = 2**16
#: So many lines of a session may stand behind it.
_PROMPTS: Final = 3
#: So many reports of any length are read out of one file, and beyond them those of this length.
_FEW: Final = 100
_SHORT: Final = 2**11


def breaks_off(text: str, kind: str) -> bool:
    """Whether a report ends before its last line, as far as its kind has one."""
    if kind == "awr-diff-html":
        return _LAST_TAG.search(text, max(0, len(text) - _TAIL)) is None
    if any(text.rfind(words) >= 0 for words in _END):
        return False
    return kind != "awr-diff-text" or is_torn(text, html=False)


def is_torn(text: str, *, html: bool) -> bool:
    """Whether a text ends within a table, and not behind the rule or the tag that ends one."""
    if html:
        small = text[-_TAIL:].lower()
        return small.rfind("<table") > small.rfind("</table") or "</table" not in small
    behind = text[text.rfind(_LAST_RULE) :].split("\n")[1:]
    return sum(bool(line.strip()) for line in behind) > _PROMPTS


def without_torn_row(text: str, *, html: bool) -> str:
    """A report that breaks off, without the row that it breaks off in: its figures may be cut."""
    if not html:
        return text[: text.rfind("\n") + 1] or text
    end = max(text.rfind("</tr>"), text.rfind("</TR>"))
    row = max(text.rfind("<tr"), text.rfind("<TR"))
    return text[: end + len("</tr>")] if 0 <= end < row else text


def starts(text: str) -> list[int]:
    """Where each report of a file begins; the first also owns what stands before it."""
    found = [match.start() for match in _START.finditer(text)]
    if len(found) > 1 and _PAGE.search(text):
        pages = [match.start() for match in _PAGE.finditer(text)]
        # a page begins at its tag, before its title and style
        owners = [bisect_right(pages, at) for at in found]
        found = sorted({pages[n - 1] if n else at for n, at in zip(owners, found, strict=True)})
    return [0, *found[1:]]


def may_hold(text: str) -> int:
    """How many reports a text of its length may hold: real ones are many times as long."""
    return _FEW + len(text) // _SHORT


def split(text: str) -> Iterator[tuple[str, int]]:
    """Each report of a file, and how many lines stand before it."""
    begins = starts(text)
    if len(begins) == 1:
        yield text, 0
        return
    before = 0
    for begin, end in zip(begins, [*begins[1:], len(text)], strict=True):
        yield text[begin:end], before
        before += text.count("\n", begin, end)
