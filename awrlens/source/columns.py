"""Texts whose columns are lost: copied out of a PDF, with blanks squeezed, or with lines wrapped.

Figures would be read under the wrong headings, or be missed and taken for nothing; so they are
not read at all.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from awrlens.errors import UnreadableError

#: How much of a report, from its first line on, shows how it was copied, and how long it must be.
_PROBE: Final = 2**13
_LEAST_LINES: Final = 40
_PAGES: Final = 2**16
_RULER = re.compile(r"^[ ~]*-{3,}(?: +-{2,})+ *\r?$", re.M)
_GAP = re.compile(r"\S {2,}\S|\t")
_BLANK_LINE = re.compile(r"\n[ \t\r\f]*\n")
_INDENTED = re.compile(r"\n[ \t]+\S")
#: A ruler that goes on in the next line: of whole reports it is one ruler in thirty that stands
#: directly above another, of wrapped ones every fourth (awrlens: measured on real reports).
#: A title that is cut behind a dash, above a remark (`->`), is none.
_WRAPPED: Final = re.compile(r"^[ ~-]*- ?\n-(?!>)", re.M)
_SHARE: Final = 10
_AS_TEXT: Final = "Give the file itself, or paste it as preformatted text."


class Lost(NamedTuple):
    """What has happened to the columns, and what to do."""

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
            "The blanks between the columns of this report were squeezed, so that they cannot be "
            "told apart.", _AS_TEXT,
        )  # fmt: skip
    if not _INDENTED.search(probe) and _is_long(probe):
        return Lost(
            "The blanks at the beginning of this report's lines are lost, so that its columns "
            "cannot be told apart.", _AS_TEXT,
        )  # fmt: skip
    if not _BLANK_LINE.search(probe) and _is_long(probe):
        return Lost(
            "The blank lines of this report are lost, so that its tables cannot be told from what "
            "stands above them; some mail programs take them out.", _AS_TEXT,
        )  # fmt: skip
    if not _RULER.search(text, at) and _is_long(probe):
        return Lost(
            "The tables of this report have no rulers under their headings, as copied out of a "
            "PDF, so that their columns cannot be told apart.",
            "Give the file that Oracle wrote, or copy it out of a browser.",
        )
    pages = text[at : at + _PAGES].replace("\r", "")
    wrapped = len(_WRAPPED.findall(pages))
    if wrapped > 1 and wrapped * _SHARE > len(_RULER.findall(pages)):
        return Lost(
            "The lines of this report were wrapped, as mail programs and narrow sessions do it, so "
            "that its columns cannot be told apart.",
            "Attach the file instead of its text, or write it with `set linesize 132`.",
        )
    return None


def _is_long(probe: str) -> bool:
    return sum(bool(line.strip()) for line in probe.split("\n")) > _LEAST_LINES
