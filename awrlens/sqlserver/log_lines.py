"""Lines of an error log of SQL Server that have one of the texts in ``messages``.

A log of a million lines costs only a few plain text searches.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from awrlens.lazy import regex
from awrlens.records import NamedTuple
from awrlens.sqlserver import stamps
from awrlens.sqlserver.messages import DETAILS, MESSAGES, TELLING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

#: The time stamp at the beginning of a line, and the writer after it.
HEAD: Final = regex(rf'^"?{stamps.STAMP.pattern}"?[\s,;]*"?(?P<who>[^\s,;"]*)', re.I | re.M)
#: Number of time stamps from which their format is determined.
SAMPLE: Final = 1000
#: The first line of a log, which is in English in every language.
_BANNER: Final = regex(
    rf"^{stamps.STAMP.pattern}[^\r\n]{{0,80}}?Microsoft SQL Server ", re.I | re.M
)
_PROBE: Final = 2**16
#: Maximum length of a message; the rest of a longer line is ignored.
_LONGEST: Final = 4096
#: Maximum number of lines of a message after its first.
_CONTINUED: Final = 4


class Line(NamedTuple):
    """A line with a known message: its number, text, time, writer and messages."""

    number: int
    text: str
    time: datetime | None
    who: str
    #: Kind of message and the match with its parts; an exported line may have several.
    said: tuple[tuple[str, re.Match[str]], ...]


def is_errorlog(text: str) -> bool:
    """Whether a text is an error log, by its first line or its messages."""
    if "Microsoft SQL Server " in text[:_PROBE] and _BANNER.search(text, 0, _PROBE):
        return True
    return any(
        message.kind in TELLING and _first(text, message.needle, message.pattern)
        for message in MESSAGES
    )


def _first(text: str, needle: str, pattern: re.Pattern[str]) -> bool:
    """Whether the first line with a text has a message's layout."""
    at = text.find(needle)
    return at >= 0 and pattern.search(text, *_bounds(text, at)) is not None


def _bounds(text: str, at: int) -> tuple[int, int]:
    """Where the line at a position begins and ends, limited in length."""
    begin = _begin(text, at)
    end = text.find("\n", at, at + _LONGEST)
    return begin, min(len(text), at + _LONGEST) if end < 0 else end


def _begin(text: str, at: int) -> int:
    low = max(0, at - _LONGEST)
    found = text.rfind("\n", low, at)
    return low if found < 0 else found + 1


def first_time(text: str, reader: stamps.Reader) -> datetime | None:
    """The time of the first line that has one."""
    times = (reader.time(match) for match in HEAD.finditer(text))
    return next((time for time in times if time is not None), None)


def last_time(text: str, reader: stamps.Reader) -> datetime | None:
    """The time of the last line that has one; searched from the end."""
    end = len(text)
    while end > 0:
        begin = text.rfind("\n", 0, max(end - _PROBE, 0)) + 1
        found = [reader.time(match) for match in HEAD.finditer(text, begin, end)]
        times = [time for time in found if time is not None]
        if times:
            return times[-1]
        end = begin - 1
    return None


def known_lines(text: str, reader: stamps.Reader, before: int) -> Iterator[Line]:
    """The lines with a known text; a line without time stamp takes that of its message."""
    found: dict[int, int] = {}
    for needle in dict.fromkeys(message.needle for message in MESSAGES):
        at = text.find(needle)
        while at >= 0:
            begin, end = _bounds(text, at)
            found[begin] = end
            at = text.find(needle, end)
    number, counted, read_to = 1 + before, 0, 0
    for start, end in sorted(found.items()):
        begin = max(start, read_to)  # pieces of an extremely long line overlap
        read_to = max(end, read_to)
        number += text.count("\n", counted, begin)
        counted = begin
        line = text[begin:end].rstrip("\r")
        head = HEAD.match(line)
        stamp = head or _above(text, begin)
        time = reader.time(stamp) if stamp else None
        yield Line(number, line, time, head["who"] if head else "", _said(line))


def _above(text: str, at: int) -> re.Match[str] | None:
    """The time stamp of the message to which a line belongs: a few lines above."""
    for _ in range(_CONTINUED):
        if at <= 0:
            return None
        at = _begin(text, at - 1)
        head = HEAD.match(text, at)
        if head is not None:
            return head
    return None


def _said(line: str) -> tuple[tuple[str, re.Match[str]], ...]:
    """The message in a line, and the numbers of a checkpoint."""
    details: list[tuple[str, re.Match[str]]] = []
    found: dict[str, re.Match[str]] = {}
    for kind, needle, pattern in MESSAGES:
        match = pattern.search(line) if needle in line and kind not in found else None
        if match is not None and kind == DETAILS:
            details.append((kind, match))
        elif match is not None:
            found[kind] = match
    first = min(found, key=lambda kind: found[kind].start(), default="checkpoint")
    said = [(first, found[first])] if found else []
    return (*said, *details) if first == "checkpoint" else tuple(said)
