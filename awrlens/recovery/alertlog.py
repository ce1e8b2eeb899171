"""Reads alert logs of every release: events with their times and lines.

One pass over the text with one pattern, built from `messages.toml`. Three layouts: time stamps on
separate lines (8i to 23ai, adrci, and text pasted into Markdown), the XML of 11g and later (`<msg>`
elements without a root), and spooled queries of V$DIAG_ALERT_EXT, whose rows contain their time and
may be in descending order.
"""

from __future__ import annotations

import re
import tomllib
from bisect import bisect_right
from datetime import datetime, timedelta
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

from awrlens.errors import NotAReportError
from awrlens.lazy import regex
from awrlens.records import NamedTuple
from awrlens.report.identity import parse_datetime
from awrlens.source.kind import ALERT_LOG_WORDS
from awrlens.source.saved_pages import unescape
from awrlens.units import without_long_figures

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

Layout = Literal["text", "xml", "spool"]

_MESSAGES: Final = Path(__file__).with_name("messages.toml")
_CLASSIC: Final = (
    r"[^\W\d_]{2,5}\.?,? (?:[^\W\d_]{3,9}\.? +\d{1,2}|\d{1,2}\.? [^\W\d_]{3,9}\.?) "
    r"\d{1,2}:\d\d:\d\d (?:[A-Z]{2,5}(?:[-+]\d{1,4})? )?\d{4}"
)
_ISO: Final = r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)? ?(?:Z|[-+]\d\d:?\d\d)?"
_ROW: Final = r"(?:\d{1,2}[/.-]\d{1,2}[/.-]\d{4}|\d{4}-\d\d-\d\d)[ T]\d\d:\d\d:\d\d(?:[.,]\d+)?"
#: What may precede a message: a quotation or list mark, blanks, the tag of the XML log.
_BEFORE: Final = r"[> \t]{0,8}+"
_MARKUP: Final = r"[ \t]*(?:[a-z_]+='|</|<attr\b|<msg\b|<txt/?>[ \t]*$)|[ \t]*$"
_FRACTION: Final = regex(r"[.,](\d+)")
#: How messages begin that may continue on the next line.
_HEADS: Final = ("List of ", "Dead instances", "New instances")


class Message(NamedTuple):
    """A kind of message, as in `messages.toml`."""

    event: str
    pattern: str
    releases: str
    example: str
    #: The message that this one continues: without it, the line is no message.
    below: str = ""


class Event(NamedTuple):
    """A message that was found; ``at`` is None before the first time stamp."""

    kind: str
    at: datetime | None
    line: int
    text: str
    values: Mapping[str, str]

    def number(self, name: str) -> float | None:
        """A number of the message; None if this release does not print it."""
        found = self.values.get(name)
        try:
            return None if found is None else float(found)
        except ValueError:
            return None


class Log(NamedTuple):
    """An alert log: its events in order of time, and the number of unknown lines.

    ``resolution_s`` is the resolution of its time stamps.
    """

    source: str
    layout: Layout
    events: tuple[Event, ...]
    first: datetime | None
    last: datetime | None
    lines: int
    unknown_lines: int
    resolution_s: float
    #: Line and seconds of each step of the clock backwards.
    steps: tuple[tuple[int, float], ...]

    def of(self, *kinds: str) -> list[Event]:
        """The events of some kinds."""
        return [event for event in self.events if event.kind in kinds]


@cache
def messages() -> tuple[Message, ...]:
    """Every known message, in the order of a crash and restart."""
    data = tomllib.loads(_MESSAGES.read_text(encoding="utf-8"))
    return tuple(Message(**each) for each in data["message"])


def is_alert_log(text: str) -> bool:
    """Whether a text has a message of alert logs with a time stamp."""
    if not any(word in text for word in ALERT_LOG_WORDS):
        return False
    reader = _reader(_layout(text))
    timed = False
    for match in reader.finditer(text):
        timed = timed or match["stamp"] is not None
        if timed and match["message"] is not None:
            return True
    return False


def read(text: str, source: str = "<text>") -> Log:
    """The events of an alert log.

    Raises NotAReportError if there is no known message.
    """
    text = without_long_figures(text)
    layout = _layout(text)
    stamps: list[tuple[int, str]] = []
    found: list[int] = []
    blanks = 0
    headed = False
    for match in _reader(layout).finditer(text):
        if match["stamp"] is not None:
            stamps.append((match.start(), match["stamp"]))
        if match["message"] is not None:
            found.append(match.start("message"))
            headed = match["message"].startswith(_HEADS)
        elif match["below"] is not None:
            if headed:
                found.append(match.start("below"))
            headed = False
        elif match["stamp"] is None:
            blanks += 1
    if not found:
        raise NotAReportError(
            "This is not an alert log: no line contains a known message.",
            source=source,
            hint="Give the alert log of a database instance: text, log.xml or a spooled query.",
        )
    times = _times([stamp for _, stamp in stamps], layout)
    lines = text.count("\n") + (not text.endswith("\n"))
    understood = len({at for at, _ in stamps} if layout == "spool" else found) + blanks
    if layout == "text":
        understood += len(stamps)
    events = list(_events(text, found, [at for at, _ in stamps], times))
    known = [time for time in times if time is not None]
    newest_first = len(known) > 1 and known[0] > known[-1]
    steps = () if newest_first else tuple(_steps(text, stamps, times))
    if layout == "spool" and newest_first:
        # the lists of one second cannot be told apart
        events = [event for event in events if event.kind != "member_numbers"]
        rank = {each.event: n for n, each in enumerate(messages())}
        events.sort(key=lambda e: (e.at or datetime.min, rank[e.kind], -e.line))  # noqa: DTZ901 - no zone
    fractions = any(_FRACTION.search(stamp) for _, stamp in stamps[:100])
    return Log(
        source, layout, tuple(events), min(known, default=None), max(known, default=None), lines,
        max(0, lines - understood), 0.001 if fractions else 1.0, steps,
    )  # fmt: skip


def _layout(text: str) -> Layout:
    head = text[:65536]
    if re.search(r"<msg\s+time=", head):
        return "xml"
    return "spool" if re.search(rf"^{_ROW}[ \t]*[,;|]", head, re.M) else "text"


@cache
def _reader(layout: Layout) -> re.Pattern[str]:
    """One pattern for a whole log: a time stamp, a message, or both on a row of a spool."""
    # one group for all messages: a branch that begins with a plain letter fails at once; a branch
    # with its own group does not, which takes twice as long
    bare = [(re.sub(r"[?]P<[a-z_]+>", "?:", e.pattern), e.below) for e in messages()]
    parts = "|".join(pattern for pattern, below in bare if not below)
    continued = "|".join(pattern for pattern, below in bare if below)
    parts = f"(?:(?P<message>{parts})|(?P<below>{continued}))"
    if layout == "spool":
        pattern = rf"(?P<stamp>{_ROW})[ \t]*[,;|][ \t]*{parts}?"
    elif layout == "xml":
        stamp = rf"[ \t]*<msg\s+time=['\"](?P<stamp>{_ISO})"
        pattern = rf"(?:{stamp}|[ \t]*(?:<txt>)?[ \t]*{parts}|{_MARKUP})"
    else:
        pattern = rf"{_BEFORE}(?:(?P<stamp>{_CLASSIC}|{_ISO})[ \t]*\r?$|{parts}|\r?$)"
    return re.compile(f"^{pattern}", re.M)


def _events(
    text: str, found: list[int], at: list[int], times: list[datetime | None]
) -> Iterator[Event]:
    """The messages with their times, lines and values."""
    patterns = [(each.event, re.compile(each.pattern)) for each in messages()]
    line = 1
    counted = 0
    for begin in found:
        line += text.count("\n", counted, begin)
        counted = begin
        end = text.find("\n", begin)
        printed = text[begin : end if end >= 0 else len(text)]
        for number, (kind, pattern) in enumerate(patterns):
            match = pattern.match(printed)
            if match is None:
                continue
            stamp = bisect_right(at, begin) - 1
            values = match.groupdict().items()
            yield Event(
                kind, times[stamp] if stamp >= 0 else None, line,
                unescape(printed.split("</txt>")[0]).strip()[:200],
                {name: unescape(value) for name, value in values if value is not None},
            )  # fmt: skip
            if number:  # the same message often comes again
                patterns.insert(0, patterns.pop(number))
            break


def _times(stamps: list[str], layout: Layout) -> list[datetime | None]:
    """Every time stamp as a time; an invalid one takes the time before it."""
    month_first = layout == "spool" and _month_first(stamps)
    times: list[datetime | None] = []
    last: datetime | None = None
    for stamp in stamps:
        last = _time(stamp, month_first=month_first) or last
        times.append(last)
    return times


def _month_first(stamps: list[str]) -> bool:
    """Whether the month comes first, as in 05/13/2021; if ambiguous, the day comes first."""
    return any(
        int(stamp[3:5]) > 12  # noqa: PLR2004 - no month has such a number
        for stamp in stamps
        if re.match(r"\d\d[/.-]\d\d[/.-]\d{4}", stamp)
    )


@cache
def _month(name: str) -> int | None:
    """The number of a month by its name in any language that Oracle ships."""
    date = parse_datetime(f"1-{name[:5].rstrip('.')}-2000") or parse_datetime(f"1-{name[:3]}-2000")
    return None if date is None else int(date[5:7])


def _time(stamp: str, *, month_first: bool = False) -> datetime | None:
    """One time stamp, without its time zone: a log is from one machine."""
    try:
        if stamp[:4].isdigit() and stamp[4:5] == "-":
            fraction = _FRACTION.search(stamp, 19)
            micros = int(f"{fraction[1]:0<6}"[:6]) if fraction else 0
            return datetime.fromisoformat(stamp[:19].replace(" ", "T")).replace(microsecond=micros)
        words = stamp.replace(",", " ").split()
        if words[0][:1].isdigit():
            first, second, year = (int(part) for part in re.split(r"[/.-]", words[0]))
            day, month = (second, first) if month_first else (first, second)
            clock = words[1]
        else:
            _, one, two, clock, *rest = words
            name, number = (two, one) if one[:1].isdigit() else (one, two)
            found = _month(name.lower())
            if found is None:
                return None
            day, month, year = int(number.rstrip(".")), found, int(rest[-1])
        hour, minute, second = (int(part) for part in clock.split(".")[0].split(":"))
        return datetime(year, month, day, hour, minute, second)  # noqa: DTZ001 - as printed
    except (ValueError, IndexError):
        return None


#: Smaller steps backwards come from processes that write at the same time.
_STEP: Final = timedelta(seconds=2)


def _steps(
    text: str, stamps: list[tuple[int, str]], times: list[datetime | None]
) -> Iterator[tuple[int, float]]:
    """Where time goes backwards: the clock was set, or daylight saving time ended."""
    before: datetime | None = None
    for (at, _), time in zip(stamps, times, strict=True):
        if before is not None and time is not None and before - time > _STEP:
            yield text.count("\n", 0, at) + 1, (before - time).total_seconds()
        before = time or before
