"""Reads an error log of SQL Server: as written, exported by the viewer, or pasted.

Only lines with one of the texts in ``messages`` are parsed, so that a log of a million lines costs
only a few plain text searches.
"""

from __future__ import annotations

from datetime import timedelta
from itertools import islice
from typing import TYPE_CHECKING, Final

from awrlens.model import Note
from awrlens.records import NamedTuple
from awrlens.sqlserver import stamps
from awrlens.sqlserver.events import (
    BYTES_PER_BUFFER,
    MB,
    SYSTEM,
    Catchup,
    Checkpoint,
    Freeze,
    Freezes,
    IoWarning,
    Log,
    MemoryWarning,
    Number,
    Server,
    Setting,
)
from awrlens.sqlserver.log_lines import (
    HEAD,
    SAMPLE,
    Line,
    first_time,
    known_lines,
    last_time,
)

if TYPE_CHECKING:
    import re
    from datetime import datetime

#: Tolerance of a logged rate compared with its own numbers: absolute and relative.
_ROUNDED: Final = 0.02
_OFF_SHARE: Final = 0.02
_CENTURY_MS: Final = 100 * 365 * 86_400_000


def read(text: str, source: str, lines_before: int = 0) -> Log:
    """The events of an error log, in the order of time."""
    reader = stamps.reader_of(islice(HEAD.finditer(text), SAMPLE))
    begin, end = first_time(text, reader), last_time(text, reader)
    lines = list(known_lines(text, reader, lines_before))
    if begin is not None and end is not None and end < begin:
        begin, end = end, begin  # the viewer shows the newest line first
        lines.reverse()
    builder = _Builder()
    for line in lines:
        builder.take(line)
    notes = builder.disagreements()
    if reader.ambiguous:
        notes.append(Note("The dates in the log are ambiguous: day and month may be interchanged."))
    return builder.log(source, begin, end, tuple(notes))


def _part(match: re.Match[str], name: str) -> str:
    """A part of a message; empty if its layout has no part of this name."""
    return match.groupdict().get(name) or ""


def _number(match: re.Match[str], name: str, line: Line) -> Number:
    text = match[name]
    value = float(text.replace(",", "."))
    return Number(value, text, line.number, line.text, match.start(name))


class _Open(NamedTuple):
    """A checkpoint whose lines are being read."""

    line: Line
    database: str
    unit: str
    numbers: dict[str, Number]


class _Builder:
    """Combines lines into events; every kind of message has a method of its name."""

    def __init__(self) -> None:
        self._checkpoints: list[_Open] = []
        #: The last checkpoint of every writer: lines of others may be in between.
        self._last: dict[str, _Open] = {}
        self._freezes: list[Freeze] = []
        #: Index of a database's freeze that has not ended yet.
        self._held: dict[str, int] = {}
        self._io_warnings: list[IoWarning] = []
        self._catchups: list[Catchup] = []
        self._settings: list[Setting] = []
        self._short: list[MemoryWarning] = []
        self._nodes: set[str] = set()
        self._names: dict[str, str] = dict(SYSTEM)
        self._server = Server()

    def take(self, line: Line) -> None:
        """One line."""
        for kind, match in line.said:
            getattr(self, f"take_{kind}")(line, match)

    def take_checkpoint(self, line: Line, match: re.Match[str]) -> None:
        """The first line of a checkpoint's message."""
        found = _Open(line, _part(match, "database"), _part(match, "unit"), {})
        self._checkpoints.append(found)
        self._last[line.who] = self._last[""] = found
        self.take_details(line, match)

    def take_details(self, line: Line, match: re.Match[str]) -> None:
        """Numbers of the writer's last checkpoint; each occurs once."""
        checkpoint = self._last.get(line.who)
        if checkpoint is None:
            return
        for name, text in match.groupdict().items():
            if text is not None and name not in ("database", "unit"):
                checkpoint.numbers.setdefault(name, _number(match, name, line))

    def take_catchup(self, line: Line, match: re.Match[str]) -> None:
        """A forced indirect checkpoint."""
        database = _part(match, "database")
        self._catchups.append(Catchup(database, line.number, line.text, line.time))

    def take_frozen(self, line: Line, match: re.Match[str]) -> None:
        """A snapshot freezes a database's I/O."""
        self._held[match["name"]] = len(self._freezes)
        self._freezes.append(Freeze(match["name"], line.number, line.text, line.time, None))

    def take_resumed(self, line: Line, match: re.Match[str]) -> None:
        """A snapshot resumes a database's I/O."""
        number = self._held.pop(match["name"], None)
        if number is not None:
            self._freezes[number] = self._freezes[number]._replace(end=line.time)

    def take_slow(self, line: Line, match: re.Match[str]) -> None:
        """I/O requests over 15 seconds."""
        database = _part(match, "database") or _part(match, "id")
        if _part(match, "name") and database:
            self._names[database] = match["name"]
        longest = _number(match, "longest", line) if _part(match, "longest") else None
        requests = _number(match, "requests", line)
        self._io_warnings.append(
            IoWarning(database, match["file"], line.number, line.time, requests, longest)
        )

    def take_name(self, _: Line, match: re.Match[str]) -> None:
        """A database's name with its ID."""
        self._names[match["id"]] = match["name"]

    def take_banner(self, line: Line, match: re.Match[str]) -> None:
        """The release, in the first line of every log."""
        if self._server.release is None:
            self._server = self._server._replace(release=match["release"], started=line.time)

    def take_edition(self, _: Line, match: re.Match[str]) -> None:
        """Edition and operating system, below the release."""
        if self._server.edition is None:
            self._server = self._server._replace(edition=match["edition"])

    def take_server(self, _: Line, match: re.Match[str]) -> None:
        """The name of the server."""
        if self._server.name is None:
            self._server = self._server._replace(name=match["name"] or None)

    def take_setting(self, line: Line, match: re.Match[str]) -> None:
        """The target of a database is set."""
        self._settings.append(
            Setting(match["name"], int(match["seconds"]), line.number, line.text, line.time)
        )

    def take_short(self, line: Line, match: re.Match[str]) -> None:
        """Memory is short."""
        paged = bool(_part(match, "paged"))
        self._short.append(MemoryWarning(paged, line.number, line.text, line.time))

    def take_memory(self, line: Line, match: re.Match[str]) -> None:
        """The memory that SQL Server found."""
        if self._server.memory is None:
            self._server = self._server._replace(memory=_number(match, "mb", line))

    def take_node(self, _: Line, match: re.Match[str]) -> None:
        """A NUMA node."""
        self._nodes.add(match["node"])
        self._server = self._server._replace(nodes=len(self._nodes))

    def take_cpus(self, _: Line, match: re.Match[str]) -> None:
        """The number of CPUs that SQL Server found."""
        if self._server.cpus is None:
            self._server = self._server._replace(cpus=int(match["cpus"]))

    def disagreements(self) -> list[Note]:
        """Logged rates that differ from the numbers in the same message."""
        found = []
        for _, _, _, numbers in self._checkpoints:
            seconds = numbers["ms"].value / 1000
            for rate, label, amount in (
                ("mb_per_s", "MB/sec", numbers["bufs"].value * BYTES_PER_BUFFER / MB),
                ("writes_per_s", "writes/sec", numbers["writes"].value),
            ):
                printed = numbers.get(rate)
                if printed is None or not seconds:
                    continue
                off = abs(printed.value - amount / seconds)
                if off > max(_ROUNDED, _OFF_SHARE * amount / seconds):
                    found.append(Note(
                        f"The log has {printed.text} {label}, but its own numbers give "
                        f"{amount / seconds:,.2f}; awrlens uses the numbers.", printed.line,
                    ))  # fmt: skip
        return found

    def log(
        self, source: str, begin: datetime | None, end: datetime | None, notes: tuple[Note, ...]
    ) -> Log:
        """The complete log."""
        freezes = tuple(self._freezes)
        frozen = Freezes(freezes)
        found = []
        for line, database, unit, numbers in self._checkpoints:
            begun = _before(line.time, numbers["ms"].value)
            each = Checkpoint(database, unit, line.number, begun, line.time, numbers)
            name = self._names.get(database)
            found.append(each._replace(frozen=frozen.explain(each, name)))
        return Log(
            "sqlserver-errorlog", source, self._server, begin, end, tuple(found), freezes,
            tuple(self._io_warnings), tuple(self._catchups), tuple(self._settings),
            tuple(self._short), self._names, notes,
        )  # fmt: skip


def _before(end: datetime | None, ms: float) -> datetime | None:
    """When a checkpoint began; None if its duration is implausible."""
    if end is None or ms > _CENTURY_MS:
        return None
    return end - timedelta(milliseconds=ms)
