"""Texts whose columns are lost: copied from a PDF, with collapsed blanks, or with wrapped lines.

Figures would be read under the wrong headings, or be missed and count as zero. Such texts are
therefore not read at all.
"""

from __future__ import annotations

import re
from typing import Final

from awrlens.errors import UnreadableError
from awrlens.lazy import regex
from awrlens.records import NamedTuple

#: How much of a report, from its first line, shows how it was copied; its minimum number of lines.
_PROBE: Final = 2**13
_LEAST_LINES: Final = 40
_PAGES: Final = 2**16
_RULER = regex(r"^[ ~]*-{3,}(?: +-{2,})+ *\r?$", re.M)
_GAP = regex(r"\S {2,}\S|\t")
_BLANK_LINE = regex(r"\n[ \t\r\f]*\n")
_INDENTED = regex(r"\n[ \t]+\S")
#: A ruler that continues on the next line. In whole reports one ruler in thirty is directly above
#: another; in wrapped reports every fourth one is (awrlens: measured on real reports).
#: A title that was cut after a dash, above a remark (`->`), does not count.
_WRAPPED: Final = regex(r"\n[ ~-]*- ?\n-(?!>)")
_WRAPPED_ENDS: Final = ("-\n-", "- \n-")
_SHARE: Final = 10
_AS_TEXT: Final = "Give the file itself, or paste it as preformatted text."


class Lost(NamedTuple):
    """What happened to the columns, and what to do."""

    message: str
    hint: str


def check(text: str, at: int, source: str) -> None:
    """Raise UnreadableError when the columns of a text report are lost."""
    lost = _lost(text, at)
    if lost is not None:
        line = text.count("\n", 0, at) + 1
        raise UnreadableError(lost.message, source=source, line=line, hint=lost.hint)


def _lost(text: str, at: int) -> Lost | None:
    probe = text[at : at + _PROBE]
    if not _GAP.search(probe, len("WORKLOAD REPOSITORY report for")) and _is_long(probe):
        return Lost(
            "The blanks between the columns were collapsed, so the columns cannot be "
            "identified.", _AS_TEXT,
        )  # fmt: skip
    if not _INDENTED.search(probe) and _is_long(probe):
        return Lost(
            "The blanks at the beginning of this report's lines are missing, so its columns "
            "cannot be identified.", _AS_TEXT,
        )  # fmt: skip
    if not _BLANK_LINE.search(probe) and _is_long(probe):
        return Lost(
            "The blank lines of this report are missing, so its tables cannot be separated from "
            "the text above them; some mail programs remove blank lines.", _AS_TEXT,
        )  # fmt: skip
    if not _RULER.search(text, at) and _is_long(probe):
        return Lost(
            "The tables of this report have no dashed lines under their headings, like text from "
            "a PDF, so their columns cannot be identified.",
            "Give the file that Oracle wrote, or copy it from a browser.",
        )
    pages = text[at : at + _PAGES]
    if "\r" in pages:
        pages = pages.replace("\r", "")
    # plain text is found many times as fast as a pattern
    wrapped = len(_WRAPPED.findall(pages)) if any(map(pages.__contains__, _WRAPPED_ENDS)) else 0
    if wrapped > 1 and wrapped * _SHARE > len(_RULER.findall(pages)):
        return Lost(
            "The lines of this report were wrapped (by a mail program or a narrow session), so its "
            "columns cannot be identified.",
            "Attach the file instead of its text, or spool it with `set linesize 132`.",
        )
    return None


def _is_long(probe: str) -> bool:
    return sum(bool(line.strip()) for line in probe.split("\n")) > _LEAST_LINES
