"""The events of a SQL Server log, with their lines and times; and a log without its names."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from datetime import timedelta
from typing import TYPE_CHECKING, Final, Literal

from awrlens.lazy import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from awrlens.model import Note
    from awrlens.redact.names import Names


LogKind = Literal["sqlserver-errorlog", "sqlserver-xevents"]

#: A buffer is a page of 8 KB in every release.
BYTES_PER_BUFFER: Final = 8192
MB: Final = 2**20
SYSTEM: Final = {"1": "master", "2": "tempdb", "3": "model", "4": "msdb"}
#: If a freeze takes at least this share of a checkpoint, the snapshot explains the checkpoint.
_MOSTLY: Final = 0.5
#: A longer freeze has no end in the log.
_LONGEST_FREEZE: Final = timedelta(days=365)


class Number(NamedTuple):
    """A number in the log: its value, its text, its line and its position."""

    value: float
    text: str
    line: int
    printed: str
    at: int


class Checkpoint(NamedTuple):
    """A checkpoint of one database: its times and its numbers."""

    database: str
    #: Recovery unit: the second number of ``db 19:0``; empty if the log does not have it.
    unit: str
    line: int
    begin: datetime | None
    end: datetime | None
    #: ``ms``, ``bufs``, ``writes``, ``avoided`` and the numbers in the lines below.
    numbers: Mapping[str, Number]
    frozen: bool = False

    @property
    def seconds(self) -> float:
        """How long it took."""
        return self.numbers["ms"].value / 1000


class Freeze(NamedTuple):
    """A snapshot that freezes the I/O of a database; ``end`` is None if it is not in the log."""

    name: str
    line: int
    printed: str
    begin: datetime | None
    end: datetime | None

    @property
    def seconds(self) -> float:
        """How long it took, if that is known."""
        return max(0.0, (self.end - self.begin).total_seconds()) if self.begin and self.end else 0.0


class IoWarning(NamedTuple):
    """I/O requests over 15 seconds (message 833)."""

    database: str
    line: int
    at: datetime | None
    requests: Number
    longest_ms: Number | None


class Message(NamedTuple):
    """A message that is only counted, and what it is about: the ID of a database, ``paged``."""

    about: str
    line: int
    printed: str


class Server(NamedTuple):
    """The instance that wrote the log."""

    name: str | None = None
    release: str | None = None
    edition: str | None = None
    cpus: int | None = None
    started: datetime | None = None
    memory: Number | None = None
    #: NUMA nodes; each has one lazy writer.
    nodes: int | None = None


class Log(NamedTuple):
    """The contents of a SQL Server log."""

    kind: LogKind
    source: str
    server: Server
    begin: datetime | None
    end: datetime | None
    checkpoints: tuple[Checkpoint, ...] = ()
    freezes: tuple[Freeze, ...] = ()
    io_warnings: tuple[IoWarning, ...] = ()
    #: Forced indirect checkpoints (``DirtyPageMgr``).
    catchups: tuple[Message, ...] = ()
    #: TARGET_RECOVERY_TIME by the name of a database, as last set, and when; 0 is automatic.
    settings: Mapping[str, tuple[int, datetime | None]] = {}
    #: Memory was paged out, or the lazy writer found no free buffer.
    memory_warnings: tuple[Message, ...] = ()
    names: Mapping[str, str] = SYSTEM
    warnings: tuple[Note, ...] = ()

    @property
    def elapsed_s(self) -> float | None:
        """Seconds between the first and the last line with a time; None without times."""
        if self.begin is None or self.end is None:
            return None
        return (self.end - self.begin).total_seconds() or None

    @property
    def databases(self) -> tuple[str, ...]:
        """IDs of the databases in the log, ordered by checkpoint time, the longest first."""
        total_s: defaultdict[str, float] = defaultdict(float)
        for checkpoint in self.checkpoints:
            total_s[checkpoint.database] += checkpoint.seconds
        others = [catchup.about for catchup in self.catchups]
        others += [warning.database for warning in self.io_warnings]
        for database in filter(None, others):
            total_s.setdefault(database, 0.0)

        def place(database: str) -> tuple[float, int, str]:
            number = int(database) if database.isdecimal() else 0
            return -total_s[database], number, database

        return tuple(sorted(total_s, key=place))

    def label(self, database: str) -> str:
        """A database in words: its name with its ID, or only the ID."""
        name = self.names.get(database)
        shown = f"database {database}" if database else "an unnamed database"
        return f"{name} ({shown})" if name else shown


class Freezes:
    """The freezes of a log in order of time, and whether they explain a checkpoint."""

    def __init__(self, freezes: tuple[Freeze, ...]) -> None:
        spans = [(f.begin, f.end or f.begin, f.name) for f in freezes if f.begin is not None]
        self._spans = sorted(spans)
        self._begins = [begin for begin, _, _ in self._spans]
        longest = max((end - begin for begin, end, _ in spans), default=timedelta())
        self._longest = min(longest, _LONGEST_FREEZE)

    def explain(self, checkpoint: Checkpoint, name: str | None) -> bool:
        """Whether a snapshot explains a checkpoint: it ended in a freeze, or was half frozen.

        Freezes of another database do not count. If the ID has no name in the log, every freeze
        counts, because a snapshot freezes all databases of a volume together.
        """
        if checkpoint.end is None or checkpoint.begin is None or not self._spans:
            return False
        low = bisect_left(self._begins, checkpoint.begin - self._longest)
        high = bisect_right(self._begins, checkpoint.end)
        for begin, end, frozen in self._spans[low:high]:
            if name is not None and frozen != name:
                continue
            if begin <= checkpoint.end <= end:
                return True
            held = (min(checkpoint.end, end) - max(checkpoint.begin, begin)).total_seconds()
            if held > 0 and held >= checkpoint.seconds * _MOSTLY:
                return True
        return False


def covered_s(checkpoints: tuple[Checkpoint, ...], since: datetime | None = None) -> float:
    """Seconds with at least one checkpoint; time before ``since``, the begin, does not count."""
    spans = sorted(
        (checkpoint.begin, checkpoint.end)
        for checkpoint in checkpoints
        if checkpoint.begin is not None and checkpoint.end is not None
    )
    total = 0.0
    reached = since
    for begin, end in spans:
        start = begin if reached is None else max(begin, reached)
        total += max(0.0, (end - start).total_seconds())
        reached = end if reached is None else max(end, reached)
    return total


def without_names(log: Log, names: Names) -> Log:
    """The log with pseudonyms; only the numbers of its lines are kept."""

    def other(name: str) -> str:
        return name if not name or name in SYSTEM.values() else names.of(name)

    def blank(number: Number) -> Number:
        return number._replace(printed="", at=-1)

    server = log.server
    return log._replace(
        source=names.file(log.source),
        server=server._replace(
            name=server.name and other(server.name), memory=server.memory and blank(server.memory)
        ),
        settings={other(name): setting for name, setting in log.settings.items()},
        names={number: other(name) for number, name in log.names.items()},
        checkpoints=tuple(
            event._replace(numbers={field: blank(n) for field, n in event.numbers.items()})
            for event in log.checkpoints
        ),
        freezes=tuple(
            event._replace(name=other(event.name), printed=f"I/O is frozen on {other(event.name)}")
            for event in log.freezes
        ),
        catchups=tuple(
            line._replace(printed="DirtyPageMgr::ForceCatchupOrFlushCache") for line in log.catchups
        ),
        io_warnings=tuple(
            io._replace(
                requests=blank(io.requests), longest_ms=io.longest_ms and blank(io.longest_ms)
            )
            for io in log.io_warnings
        ),
    )
