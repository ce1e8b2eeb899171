"""Reads a text as a SQL Server log: an error log, or checkpoints of Extended Events.

Only lines with a ``needle`` of a message are parsed, so that a log of a million lines costs a few
plain text searches. Names have at most 128 characters and paths 260 (SQL Server: sysname,
sys.database_files), which bounds the time for a line with nothing but beginnings of messages. XML
is searched, not parsed, so that truncated or malicious files do no harm.
"""

from __future__ import annotations

import csv
import re
import tomllib
from datetime import UTC, datetime, timedelta, timezone
from html import unescape
from itertools import islice, pairwise
from typing import TYPE_CHECKING, Any, Final, Literal

from awrlens.lazy import NamedTuple, beside, regex
from awrlens.model import Note
from awrlens.sqlserver.events import (
    BYTES_PER_BUFFER,
    MB,
    SYSTEM,
    Checkpoint,
    Freeze,
    Freezes,
    IoWarning,
    Log,
    Message,
    Number,
    Server,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


#: Words for the halves of the day, before or after the time.
_MORNING: Final = ("am", "a.m.", "上午", "午前", "오전", "πμ", "ق.ظ", "ص")
_EVENING: Final = ("pm", "p.m.", "下午", "午後", "오후", "μμ", "ب.ظ", "م")
_HALVES: Final = "|".join(re.escape(word) for word in (*_MORNING, *_EVENING))
_TIME: Final = (
    rf"(?P<before>{_HALVES})?\ ?(?P<hour>\d{{1,2}})[:.](?P<minute>\d\d)[:.](?P<second>\d\d)"
    rf"(?:[.,](?P<fraction>\d{{1,9}}))?(?:\ ?(?P<after>{_HALVES})(?![\w]))?"
    r"(?:\ ?(?P<zone>Z\b|[+-]\d\d:?\d\d))?"
)
STAMP: Final = regex(
    r"(?P<a>\d{1,4})(?P<sign>[-./])\ ?(?P<b>\d{1,2})(?P=sign)\ ?(?P<c>\d{1,4})\.?(?:,?\ +|T)"
    + _TIME,
    re.I,
)
_YEAR_DIGITS: Final = 4
_NOON: Final = 12
_CENTURY: Final = 2000
#: Earlier years are invalid.
_FIRST_YEAR: Final = 1900

Order = Literal["day", "month"]


class Reader(NamedTuple):
    """How to read the time stamps of one file: whether day or month comes first."""

    order: Order = "day"
    #: Day and month cannot be distinguished in this file.
    ambiguous: bool = False

    def time(self, match: re.Match[str]) -> datetime | None:
        """The time of a stamp, in UTC if it has a zone; None if it is invalid (32.13.2019)."""
        first, second, third = (int(match[part]) for part in "abc")
        if len(match["a"]) == _YEAR_DIGITS:
            year, month, day = first, second, third
        else:
            day, month = (first, second) if self.order == "day" else (second, first)
            year = third if len(match["c"]) == _YEAR_DIGITS else third + _CENTURY
        if year < _FIRST_YEAR:
            return None
        hour = int(match["hour"])
        half = (match["before"] or match["after"] or "").lower()
        if half in _EVENING and hour < _NOON:
            hour += _NOON
        elif half in _MORNING and hour == _NOON:
            hour = 0
        micros = int((match["fraction"] or "0").ljust(6, "0")[:6])
        try:
            time = datetime(  # noqa: DTZ001 - a log carries no zone
                year, month, day, hour, int(match["minute"]), int(match["second"]), micros
            )
            return _without_zone(time, match["zone"])
        except (ValueError, OverflowError):
            return None


def _without_zone(time: datetime, zone: str | None) -> datetime:
    if not zone or zone.upper() == "Z":
        return time
    digits = zone[1:].replace(":", "")
    offset = timedelta(hours=int(digits[:2]), minutes=int(digits[2:]))
    local = time.replace(tzinfo=timezone(offset if zone[0] == "+" else -offset))
    return local.astimezone(UTC).replace(tzinfo=None)


def reader_of(stamps: Iterable[re.Match[str]]) -> Reader:
    """How to read the time stamps of a file, determined from all of them."""
    order: Order | None = None
    english = False
    numeric = False
    for match in stamps:
        if len(match["a"]) == _YEAR_DIGITS:
            continue
        numeric = True
        if int(match["a"]) > _NOON or match["sign"] == ".":
            order = "day"
        elif int(match["b"]) > _NOON:
            order = "month"
        english = english or bool(match["before"] or match["after"])
        if order is not None:
            return Reader(order)
    # a twelve-hour clock with slashes is usually American
    return Reader("month" if english else "day", ambiguous=numeric)


class Kind(NamedTuple):
    """A kind of line: its name, a text that it always contains, and its layout."""

    kind: str
    needle: str
    pattern: re.Pattern[str]


#: Numbers in the lines after the first line of a checkpoint's message.
DETAILS: Final = "details"


MESSAGES: Final = tuple(
    Kind(message["kind"], needle, re.compile(message["pattern"]))
    for message in tomllib.loads(beside(__file__, "messages.toml"))["message"]
    for needle in message["needles"]
)

#: A text with a message of one of these kinds is a SQL Server error log.
TELLING: Final = ("checkpoint", "catchup", "frozen", "resumed", "slow")


#: The time stamp at the beginning of a line, and the writer after it.
HEAD: Final = regex(rf'^"?{STAMP.pattern}"?[\s,;]*"?(?P<who>[^\s,;"]*)', re.I | re.M)
#: Between two messages that were pasted on one line.
_NEXT = regex(
    rf"(?<![ \t])[ \t]++(?={STAMP.pattern}[ \t]++spid\d)"
    # without a blank, a number and a year would be one number
    r"|(?<=[^\s\"'(\[])(?=\d{4}-\d\d-\d\d[ ]\d\d:\d\d:\d\d(?:[.,]\d{1,7})?[ \t]++spid\d)",
    re.I,
)
#: Number of time stamps from which their format is determined.
SAMPLE: Final = 1000
#: The first line of a log, which is in English in every language.
_BANNER: Final = regex(rf"^{STAMP.pattern}[^\r\n]{{0,80}}?Microsoft SQL Server ", re.I | re.M)
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
    # the first line with the text of a message has its layout
    return any(
        message.kind in TELLING
        and (at := text.find(message.needle)) >= 0
        and message.pattern.search(text, *_bounds(text, at))
        for message in MESSAGES
    )


def _bounds(text: str, at: int) -> tuple[int, int]:
    begin = _begin(text, at)
    end = text.find("\n", at, at + _LONGEST)
    return begin, min(len(text), at + _LONGEST) if end < 0 else end


def _begin(text: str, at: int) -> int:
    low = max(0, at - _LONGEST)
    newline = text.rfind("\n", low, at)
    return low if newline < 0 else newline + 1


def last_time(text: str, reader: Reader) -> datetime | None:
    """The time of the last line that has one; searched from the end."""
    end = len(text)
    while end > 0:
        begin = text.rfind("\n", 0, max(end - _PROBE, 0)) + 1
        stamped = [reader.time(match) for match in HEAD.finditer(text, begin, end)]
        times = [time for time in stamped if time is not None]
        if times:
            return times[-1]
        end = begin - 1
    return None


def message_lines(text: str, reader: Reader, before: int) -> Iterator[Line]:
    """The lines with a known text; a line without time stamp takes that of its message."""
    spans: dict[int, int] = {}
    for needle in dict.fromkeys(message.needle for message in MESSAGES):
        at = text.find(needle)
        while at >= 0:
            begin, end = _bounds(text, at)
            spans[begin] = end
            at = text.find(needle, end)
    number, counted, read_to = 1 + before, 0, 0
    for start, end in sorted(spans.items()):
        begin = max(start, read_to)  # pieces of an extremely long line overlap
        read_to = max(end, read_to)
        number += text.count("\n", counted, begin)
        counted = begin
        for line in _NEXT.sub("\n", text[begin:end]).rstrip("\r").split("\n"):
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
    details: list[tuple[str, re.Match[str]]] = []
    matches: dict[str, re.Match[str]] = {}
    for kind, needle, pattern in MESSAGES:
        match = pattern.search(line) if needle in line and kind not in matches else None
        if match is not None and kind == DETAILS:
            details.append((kind, match))
        elif match is not None:
            matches[kind] = match
    first = min(matches, key=lambda kind: matches[kind].start(), default="checkpoint")
    said = [(first, matches[first])] if matches else []
    return (*said, *details) if first == "checkpoint" else tuple(said)


#: Tolerance of a logged rate compared with its own numbers: absolute and relative.
_ROUNDED: Final = 0.02
_OFF_SHARE: Final = 0.02
_CENTURY_MS: Final = 100 * 365 * 86_400_000


def read(text: str, source: str, lines_before: int = 0) -> Log:
    """The events of an error log, in the order of time."""
    reader = reader_of(islice(HEAD.finditer(text), SAMPLE))
    times = (reader.time(match) for match in HEAD.finditer(text))
    begin, end = next(filter(None, times), None), last_time(text, reader)
    lines = list(message_lines(text, reader, lines_before))
    details_first = bool(lines) and _is_detail(lines[0])
    if begin is not None and end is not None and (end < begin or (end == begin and details_first)):
        begin, end = end, begin  # the viewer shows the newest line first
        lines.reverse()
    if not _in_order(lines):  # an export, sorted by time alone
        lines.sort(key=lambda line: (line.time.isoformat() if line.time else "", _is_detail(line)))
    builder = _Builder()
    for line in lines:
        builder.take(line)
    notes = list(builder.disagreements())
    if reader.ambiguous:
        notes.append(Note("The dates in the log are ambiguous: day and month may be interchanged."))
    return builder.log(source, begin, end, tuple(notes))


def _is_detail(line: Line) -> bool:
    return bool(line.said) and line.said[0][0] == DETAILS


def _in_order(lines: list[Line]) -> bool:
    """Whether the first line of a checkpoint's message is before its details."""
    writers: set[str] = set()
    for line in lines:
        if line.said and line.said[0][0] == "checkpoint":
            writers |= {line.who, ""}
        if _is_detail(line) and line.time and line.who not in writers:
            return False
    return True


def _part(match: re.Match[str], name: str) -> str:
    return match.groupdict().get(name) or ""


def _number(match: re.Match[str], name: str, line: Line) -> Number:
    text = match[name]
    value = float(text.replace(",", "."))
    return Number(value, text, line.number, line.text, match.start(name))


class _Builder:
    """Combines lines into events; every kind of message has a method of its name."""

    def __init__(self) -> None:
        #: ``begin`` and ``frozen`` are known at the end.
        self._checkpoints: list[Checkpoint] = []
        #: The numbers of every writer's last checkpoint: lines of others may be in between.
        self._last: dict[str, dict[str, Number]] = {}
        self._freezes: list[Freeze] = []
        #: Index of a database's freeze that has not ended yet.
        self._held: dict[str, int] = {}
        self._io_warnings: list[IoWarning] = []
        self._catchups: list[Message] = []
        self._settings: dict[str, tuple[int, datetime | None]] = {}
        self._short: list[Message] = []
        self._nodes: set[str] = set()
        self._names: dict[str, str] = dict(SYSTEM)
        #: Fields of `Server`; the first line with one counts.
        self._server: dict[str, Any] = {}

    def take(self, line: Line) -> None:
        for kind, match in line.said:
            getattr(self, f"take_{kind}")(line, match)

    def take_checkpoint(self, line: Line, match: re.Match[str]) -> None:
        numbers: dict[str, Number] = {}
        self._checkpoints.append(
            Checkpoint(_part(match, "database"), _part(match, "unit"), line.number, None,
                       line.time, numbers)
        )  # fmt: skip
        self._last[line.who] = self._last[""] = numbers
        self.take_details(line, match)

    def take_details(self, line: Line, match: re.Match[str]) -> None:
        """Numbers of the writer's last checkpoint; each occurs once."""
        numbers = self._last.get(line.who, {})
        for name, text in match.groupdict().items():
            if text is not None and name not in ("database", "unit"):
                numbers.setdefault(name, _number(match, name, line))

    def take_catchup(self, line: Line, match: re.Match[str]) -> None:
        self._catchups.append(Message(_part(match, "database"), line.number, line.text))

    def take_frozen(self, line: Line, match: re.Match[str]) -> None:
        self._held[match["name"]] = len(self._freezes)
        self._freezes.append(Freeze(match["name"], line.number, line.text, line.time, None))

    def take_resumed(self, line: Line, match: re.Match[str]) -> None:
        number = self._held.pop(match["name"], None)
        if number is not None:
            self._freezes[number] = self._freezes[number]._replace(end=line.time)

    def take_slow(self, line: Line, match: re.Match[str]) -> None:
        database = _part(match, "database") or _part(match, "id")
        if _part(match, "name") and database:
            self._names[database] = match["name"]
        longest = _number(match, "longest", line) if _part(match, "longest") else None
        requests = _number(match, "requests", line)
        self._io_warnings.append(IoWarning(database, line.number, line.time, requests, longest))

    def take_name(self, _: Line, match: re.Match[str]) -> None:
        self._names[match["id"]] = match["name"]

    def take_setting(self, line: Line, match: re.Match[str]) -> None:
        self._settings[match["name"]] = int(match["seconds"]), line.time

    def take_short(self, line: Line, match: re.Match[str]) -> None:
        about = "paged" if _part(match, "paged") else ""
        self._short.append(Message(about, line.number, line.text))

    def take_banner(self, line: Line, match: re.Match[str]) -> None:
        if "release" not in self._server:
            self._server |= {"release": match["release"], "started": line.time}

    def take_server(self, _: Line, match: re.Match[str]) -> None:
        for name, text in match.groupdict().items():
            if text:
                self._server.setdefault(name, int(text) if name == "cpus" else text)

    def take_memory(self, line: Line, match: re.Match[str]) -> None:
        self._server.setdefault("memory", _number(match, "mb", line))

    def take_node(self, _: Line, match: re.Match[str]) -> None:
        self._nodes.add(match["node"])
        self._server["nodes"] = len(self._nodes)

    def disagreements(self) -> Iterator[Note]:
        """Logged rates that differ from the numbers in the same message."""
        for numbers in (c.numbers for c in self._checkpoints if c.seconds):
            seconds = numbers["ms"].value / 1000
            for rate, label, amount in (
                ("mb_per_s", "MB/sec", numbers["bufs"].value * BYTES_PER_BUFFER / MB),
                ("writes_per_s", "writes/sec", numbers["writes"].value),
            ):
                printed, own = numbers.get(rate), amount / seconds
                if printed and abs(printed.value - own) > max(_ROUNDED, _OFF_SHARE * own):
                    yield Note(
                        f"The log has {printed.text} {label}, but its own numbers give {own:,.2f}; "
                        "awrlens uses the numbers.", printed.line,
                    )  # fmt: skip

    def log(
        self, source: str, begin: datetime | None, end: datetime | None, notes: tuple[Note, ...]
    ) -> Log:
        frozen = Freezes(tuple(self._freezes))
        checkpoints = []
        for event in self._checkpoints:
            ms = event.numbers["ms"].value
            if event.end is not None and ms <= _CENTURY_MS:  # a longer duration is implausible
                event = event._replace(begin=event.end - timedelta(milliseconds=ms))  # noqa: PLW2901
            explained = frozen.explain(event, self._names.get(event.database))
            checkpoints.append(event._replace(frozen=explained))
        return Log(
            "sqlserver-errorlog", source, Server(**self._server), begin, end, tuple(checkpoints),
            tuple(self._freezes), tuple(self._io_warnings), tuple(self._catchups),
            self._settings, tuple(self._short), self._names, notes,
        )  # fmt: skip


_EVENT: Final = regex(
    r"<event\b(?P<head>[^<>]{0,400}\bname=\"checkpoint_(?P<what>begin|end)\"[^<>]{0,400})>"
    r"(?P<body>(?:(?!<event\b).){0,20000}?)</event>",
    re.S,
)
_TIMESTAMP: Final = regex(r"\btimestamp=\"([^\"<>]{1,60})\"")
#: A value of an event or of an action, with any text between its name and its value.
_VALUE: Final = (
    r"<(?:data|action)\b[^<>]{{0,200}}\bname=\"{0}\"[^<>]{{0,200}}>"
    r".{{0,400}}?<value>([^<]{{0,300}})"
)
_EVENT_DATABASE_ID: Final = regex(_VALUE.format("database_id"), re.S)
_EVENT_DATABASE_NAME: Final = regex(_VALUE.format("database_name"), re.S)
_ROW: Final = regex(
    r"(?:^|[,;\t])\"?(?:sqlserver\.)?checkpoint_(?:begin|end)\"?(?=[,;\t\r\n]|$)", re.M
)
#: Headings of exported columns in lower case, the preferred one first.
_TIMES: Final = ("timestamp (utc)", "timestamp_utc", "timestamp", "event_time", "time")
_IDS: Final = ("database_id", "db_id", "dbid")
_NAMES: Final = ("database_name", "db_name")
_WHATS: Final = ("name", "event_name", "object_name", "event")


class _Event(NamedTuple):
    what: str
    database: str
    name: str
    stamp: re.Match[str] | None
    line: int
    printed: str
    #: As the stamp is read once the order of day and month is known.
    time: datetime = datetime.min  # noqa: DTZ901 - a log carries no zone


def is_xevents(text: str) -> bool:
    """Whether a text contains checkpoint events."""
    if "checkpoint_begin" not in text and "checkpoint_end" not in text:
        return False
    return _EVENT.search(_plain(text)) is not None or _ROW.search(text) is not None


def read_events(text: str, source: str, lines_before: int = 0) -> Log:
    """The checkpoints of an export, in the order of time."""
    plain = _plain(text)
    logged = list(_of_xml(plain) if _EVENT.search(plain) else _of_csv(text))
    reader = reader_of(event.stamp for event in logged if event.stamp)
    events = []
    for event in logged:
        time = reader.time(event.stamp) if event.stamp else None
        if time is not None and event.database:
            events.append(event._replace(time=time, line=event.line + lines_before))
    events.sort(key=lambda event: event.time)  # stable: equal times keep the file's order
    names = dict(SYSTEM) | {event.database: event.name for event in events if event.name}
    checkpoints = _pairs(events)
    unread, alone = len(logged) - len(events), len(events) - 2 * len(checkpoints)
    lost = (
        f"{alone} events have no counterpart: the session began or ended during a checkpoint, or "
        "events were lost."
    )
    notes = (
        (unread, f"{unread} events without time or database ID were skipped."),
        (alone, lost),
        (reader.ambiguous, "The dates are ambiguous: day and month may be interchanged."),
    )
    times = [event.time for event in events]
    return Log(
        "sqlserver-xevents", source, Server(), times[0] if times else None,
        times[-1] if times else None, tuple(checkpoints), names=names,
        warnings=tuple(Note(text) for holds, text in notes if holds),
    )  # fmt: skip


def _plain(text: str) -> str:
    """XML from the cells of a table, where quotes are doubled or characters are escaped."""
    if "&lt;event" in text:
        text = unescape(text)
    return text.replace('""', '"') if 'name=""' in text else text


def _of_xml(text: str) -> Iterator[_Event]:
    line, counted = 1, 0
    for match in _EVENT.finditer(text):
        line += text.count("\n", counted, match.start())
        counted = match.start()
        stamp = _TIMESTAMP.search(match["head"])
        body = match["body"]
        id_, name = _EVENT_DATABASE_ID.search(body), _EVENT_DATABASE_NAME.search(body)
        yield _Event(
            match["what"], id_[1].strip() if id_ else "", unescape(name[1]) if name else "",
            STAMP.search(stamp[1]) if stamp else None, line, match[0].split("\n")[0],
        )  # fmt: skip


def _of_csv(text: str) -> Iterator[_Event]:
    """Rows of a table with headings; a field may be quoted and contain line breaks."""
    heading = next((line for line in text.splitlines() if line.strip()), "")
    sign = max(",;\t", key=heading.count)
    rows = csv.reader(text.splitlines(keepends=True), delimiter=sign)
    columns: dict[str, int] = {}
    while True:
        line = rows.line_num + 1
        try:
            row = next(rows)
        except StopIteration:
            return
        except csv.Error:  # an extremely long field, or a quote without an end
            continue
        cells = [cell.strip() for cell in row]
        if not columns:
            columns = {cell.lower().lstrip("\ufeff"): at for at, cell in enumerate(cells) if cell}
            continue
        what = _cell(cells, columns, _WHATS).rpartition("checkpoint_")[2]
        if what not in ("begin", "end"):
            continue
        yield _Event(
            what, _cell(cells, columns, _IDS), _cell(cells, columns, _NAMES),
            STAMP.search(_cell(cells, columns, _TIMES)), line, sign.join(row).split("\n")[0],
        )  # fmt: skip


def _cell(cells: list[str], columns: dict[str, int], headings: tuple[str, ...]) -> str:
    """The first of these columns that is not empty in a row."""
    for heading in headings:
        at = columns.get(heading)
        if at is not None and at < len(cells) and cells[at] not in ("", "NULL"):
            return cells[at]
    return ""


def _pairs(events: list[_Event]) -> list[Checkpoint]:
    """Every begin with the next end of its database; a database has one checkpoint at a time."""
    by_database: dict[str, list[_Event]] = {}
    for event in events:
        by_database.setdefault(event.database, []).append(event)
    checkpoints = []
    for database, own in by_database.items():
        for first, second in pairwise(own):
            if (first.what, second.what) == ("begin", "end"):
                ms = (second.time - first.time).total_seconds() * 1000
                number = Number(ms, f"{ms:g}", first.line, first.printed, -1)
                checkpoints.append(
                    Checkpoint(database, "", first.line, first.time, second.time, {"ms": number})
                )
    return sorted(checkpoints, key=lambda checkpoint: checkpoint.line)
