"""Several reports in one file, as spooled sessions and collected pages have them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

#: A report's first line, as Oracle prints it: alone on its line, or a page's heading.
_START: Final = re.compile(
    r"^[ \t\f]*(?:<h1\b[^>]*>\s*)?(?:STATSPACK report for|"
    r"WORKLOAD REPOSITORY (?:report for|PDB report|COMPARE PERIOD REPORT|REPORT \(RAC\)))",
    re.I | re.M,
)
_PAGE: Final = re.compile(r"<html\b", re.I)


def starts(text: str) -> list[int]:
    """Where each report of a file begins; the first also owns what stands before it."""
    found = [match.start() for match in _START.finditer(text)]
    if len(found) > 1 and _PAGE.search(text):
        pages = [match.start() for match in _PAGE.finditer(text)]
        # a page begins at its tag, before its title and style
        found = sorted({max((p for p in pages if p <= at), default=at) for at in found})
    return [0, *found[1:]]


def split(text: str) -> Iterator[tuple[str, int]]:
    """Each report of a file, and how many lines stand before it."""
    begins = starts(text)
    if len(begins) == 1:
        yield text, 0
        return
    for begin, end in zip(begins, [*begins[1:], len(text)], strict=True):
        yield text[begin:end], text.count("\n", 0, begin)
