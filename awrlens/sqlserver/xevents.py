"""Reads checkpoints from Extended Events: pairs of ``checkpoint_begin`` and ``checkpoint_end``.

Supported are the XML of ``sys.fn_xe_file_target_read_file`` or of a ring buffer, alone or in the
cells of a table, and CSV exports of Management Studio. XML is searched, not parsed, so that
truncated or malicious files do no harm.
"""

from __future__ import annotations

import csv
import re
from datetime import datetime
from html import unescape
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from awrlens.lazy import regex
from awrlens.model import Note
from awrlens.records import NamedTuple
from awrlens.sqlserver import stamps
from awrlens.sqlserver.events import SYSTEM, Checkpoint, Log, Number, Server

if TYPE_CHECKING:
    from collections.abc import Iterator

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
_ID: Final = regex(_VALUE.format("database_id"), re.S)
_NAME: Final = regex(_VALUE.format("database_name"), re.S)
_ROW: Final = regex(
    r"(?:^|[,;\t])\"?(?:sqlserver\.)?checkpoint_(?:begin|end)\"?(?=[,;\t\r\n]|$)", re.M
)
#: Headings of exported columns in lower case, the preferred one first.
_TIMES: Final = ("timestamp (utc)", "timestamp_utc", "timestamp", "event_time", "time")
_IDS: Final = ("database_id", "db_id", "dbid")
_NAMES: Final = ("database_name", "db_name")
_WHATS: Final = ("name", "event_name", "object_name", "event")
#: Placeholder for a time that has not been read yet.
_NEVER: Final = datetime.min  # noqa: DTZ901 - a log carries no zone


class _Event(NamedTuple):
    """The begin or end of a checkpoint, with its line."""

    what: str
    database: str
    name: str
    time: datetime
    line: int
    printed: str


def is_xevents(text: str) -> bool:
    """Whether a text contains checkpoint events."""
    if "checkpoint_begin" not in text and "checkpoint_end" not in text:
        return False
    return _EVENT.search(_plain(text)) is not None or _ROW.search(text) is not None


def read(text: str, source: str, lines_before: int = 0) -> Log:
    """The checkpoints of an export, in the order of time."""
    plain = _plain(text)
    found = list(_of_xml(plain)) if _EVENT.search(plain) else list(_of_csv(text))
    reader = stamps.reader_of(stamp for _, stamp in found if stamp)
    events = []
    unread = 0
    for event, stamp in found:
        time = reader.time(stamp) if stamp else None
        if time is None or not event.database:
            unread += 1
        else:
            events.append(event._replace(time=time, line=event.line + lines_before))
    events.sort(key=lambda event: event.time)  # stable: equal times keep the file's order
    names = dict(SYSTEM) | {event.database: event.name for event in events if event.name}
    checkpoints, alone = _pairs(events)
    times = [event.time for event in events]
    return Log(
        "sqlserver-xevents", source, Server(), times[0] if times else None,
        times[-1] if times else None, tuple(checkpoints), names=names,
        warnings=tuple(_notes(unread, alone, ambiguous=reader.ambiguous)),
    )  # fmt: skip


def _notes(unread: int, alone: int, *, ambiguous: bool) -> Iterator[Note]:
    if unread:
        yield Note(f"{unread} events without time or database ID were skipped.")
    if alone:
        yield Note(
            f"{alone} events have no counterpart: the session began or ended during a checkpoint, "
            "or events were lost."
        )
    if ambiguous:
        yield Note("The dates are ambiguous: day and month may be interchanged.")


def _plain(text: str) -> str:
    """XML from the cells of a table, where quotes are doubled or characters are escaped."""
    if "&lt;event" in text:
        text = unescape(text)
    return text.replace('""', '"') if 'name=""' in text else text


def _of_xml(text: str) -> Iterator[tuple[_Event, re.Match[str] | None]]:
    line, counted = 1, 0
    for match in _EVENT.finditer(text):
        line += text.count("\n", counted, match.start())
        counted = match.start()
        stamp = _TIMESTAMP.search(match["head"])
        body = match["body"]
        id_, name = _ID.search(body), _NAME.search(body)
        event = _Event(
            match["what"], id_[1].strip() if id_ else "", unescape(name[1]) if name else "",
            _NEVER, line, match[0].split("\n")[0],
        )  # fmt: skip
        yield event, stamps.STAMP.search(stamp[1]) if stamp else None


def _of_csv(text: str) -> Iterator[tuple[_Event, re.Match[str] | None]]:
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
        time = _cell(cells, columns, _TIMES)
        event = _Event(
            what, _cell(cells, columns, _IDS), _cell(cells, columns, _NAMES), _NEVER, line,
            sign.join(row).split("\n")[0],
        )  # fmt: skip
        yield event, stamps.STAMP.search(time)


def _cell(cells: list[str], columns: dict[str, int], headings: tuple[str, ...]) -> str:
    """The first of these columns that is not empty in a row."""
    for heading in headings:
        at = columns.get(heading)
        if at is not None and at < len(cells) and cells[at] not in ("", "NULL"):
            return cells[at]
    return ""


def _pairs(events: list[_Event]) -> tuple[list[Checkpoint], int]:
    """Every begin with the next end of its database; a database has one checkpoint at a time."""
    by_database: dict[str, list[_Event]] = {}
    for event in events:
        by_database.setdefault(event.database, []).append(event)
    found = []
    for database, own in by_database.items():
        for first, second in pairwise(own):
            if (first.what, second.what) == ("begin", "end"):
                ms = (second.time - first.time).total_seconds() * 1000
                number = Number(ms, f"{ms:g}", first.line, first.printed, -1)
                found.append(Checkpoint(database, "", first.line, first.time, second.time,
                                        {"ms": number}))  # fmt: skip
    found.sort(key=lambda each: each.line)
    return found, len(events) - 2 * len(found)
