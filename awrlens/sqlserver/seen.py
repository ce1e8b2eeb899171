"""What facts of a log are made of: its events as one database or the whole log sees them."""

from __future__ import annotations

from functools import partial
from heapq import nlargest
from typing import TYPE_CHECKING, Final, NamedTuple

from awrlens.facts.formula import Figure, Missing
from awrlens.model import Evidence, Excerpt

if TYPE_CHECKING:
    from collections.abc import Iterable

    from awrlens.sqlserver.events import Catchup, Checkpoint, Freeze, IoWarning, Log, Number

#: Where facts come from, as `needs` of a rule that is skipped names it.
FLUSH: Final = "flushcache_messages"
XEVENTS: Final = "checkpoint_events"
LOG: Final = "errorlog"
#: A fact out of many lines shows so many of them: those that weigh most.
SHOWN: Final = 5
#: First release that logs long checkpoints without trace flag 3504 (Microsoft, "How It Works:
#: When is the FlushCache message added to SQL Server Error Log?").
_LOGGED_SINCE: Final = 11
_PRINTED: Final = {
    "ms": "ms", "bufs": "bufs", "writes": "writes", "avoided": "new dirty bufs",
    "saturation": "I/O saturation", "switches": "context switches",
    "target": "last target outstanding", "latency": "avgWriteLatency",
}  # fmt: skip


class Seen(NamedTuple):
    """What facts are made of: a log, and the database that is meant, if it is one."""

    log: Log
    database: str | None
    #: Every checkpoint that is logged, and those that no snapshot explains.
    checkpoints: tuple[Checkpoint, ...]
    unfrozen: tuple[Checkpoint, ...]
    io_warnings: tuple[IoWarning, ...]
    #: Snapshots; of a database without name in the log none is known.
    freezes: tuple[Freeze, ...]
    catchups: tuple[Catchup, ...]

    @property
    def is_errorlog(self) -> bool:
        """Whether it is an error log, and not Extended Events."""
        return self.log.kind == "sqlserver-errorlog"

    def missing(self) -> Missing | None:
        """Why nothing can be said of checkpoints, where that is so."""
        if self.log.checkpoints or not self.is_errorlog:
            return None
        release = self.log.server.release
        if release is None:
            return Missing(
                "no FlushCache message is in the log, and its beginning, which says the release, "
                "is not there", (FLUSH, "banner"),
            )  # fmt: skip
        if int(release.partition(".")[0]) < _LOGGED_SINCE:
            return Missing(
                "before SQL Server 2012 checkpoints are logged under trace flag 3504 only", (FLUSH,)
            )
        return None


def seen_of(log: Log, database: str | None = None) -> Seen:
    """A log as it is, or what it tells of one database."""
    if database is None:
        own, warnings, freezes, forced = (
            log.checkpoints, log.io_warnings, log.freezes, log.catchups
        )  # fmt: skip
    else:
        name = log.name(database)
        own = tuple(each for each in log.checkpoints if each.database == database)
        warnings = tuple(each for each in log.io_warnings if each.database == database)
        freezes = tuple(each for each in log.freezes if each.name == name)
        forced = tuple(each for each in log.catchups if each.database == database)
    unfrozen = tuple(each for each in own if not each.frozen)
    return Seen(log, database, own, unfrozen, warnings, freezes, forced)


def place(number: Number) -> Excerpt:
    """The line of a number with its place in it."""
    if number.at < 0:  # the difference of two times is printed nowhere
        return Excerpt((), number.printed, 0, 0)
    return Excerpt((), number.printed, number.at, number.at + len(number.text))


def evidence(checkpoint: Checkpoint, field: str) -> Evidence:
    """A printed number of a checkpoint."""
    number = checkpoint.numbers[field]
    row = f"db {checkpoint.database}" + (f":{checkpoint.unit}" if checkpoint.unit else "")
    section = "FlushCache" if "bufs" in checkpoint.numbers else "checkpoint_begin, checkpoint_end"
    value = int(number.value) if number.value.is_integer() else number.value
    return Evidence(
        section, row, _PRINTED[field], number.text, value,
        partial(line_of, number.line), partial(place, number),
    )  # fmt: skip


def line_of(line: int) -> int:
    """The line itself; evidence asks for it when it is shown."""
    return line


def weightiest(checkpoints: Iterable[Checkpoint], field: str) -> tuple[Evidence, ...]:
    """The evidence of those checkpoints whose number is greatest, in the order of the log."""
    having = [each for each in checkpoints if field in each.numbers]
    most = nlargest(SHOWN, having, key=lambda each: each.numbers[field].value)
    return tuple(evidence(c, field) for c in sorted(most, key=lambda c: c.line))


def of_line(section: str, row: str, line: int, printed: str) -> Evidence:
    """A whole line that says something without a number."""
    return Evidence(
        section, row, "", printed.strip(), None, partial(line_of, line),
        partial(Excerpt, (), printed, 0, 0),
    )  # fmt: skip


def without(checkpoints: tuple[Checkpoint, ...]) -> Missing | None:
    """Why nothing can be said where there is no checkpoint."""
    return None if checkpoints else Missing("the log has no such checkpoint", (FLUSH, XEVENTS))


def sum_of(
    s: Seen, field: str, checkpoints: tuple[Checkpoint, ...] | None = None
) -> Figure | Missing:
    """The sum of a printed number over checkpoints; missing where none prints it."""
    chosen = s.checkpoints if checkpoints is None else checkpoints
    having = [each for each in chosen if field in each.numbers]
    if not s.is_errorlog and field != "ms":
        return Missing("events of checkpoints carry no such number", (FLUSH,))
    if not having:
        return (
            s.missing()
            or without(chosen)
            or Missing(f"no checkpoint prints `{_PRINTED[field]}`", (FLUSH,))
        )
    total = sum(each.numbers[field].value for each in having)
    return Figure(total, _PRINTED[field], weightiest(having, field))


def count_of(s: Seen, checkpoints: tuple[Checkpoint, ...], label: str) -> Figure | Missing:
    """How many checkpoints there are; missing where the log cannot tell."""
    missing = s.missing()
    if missing is not None:
        return missing
    return Figure(len(checkpoints), label, weightiest(checkpoints, "ms"))
