"""The input of a log's facts: the events of the whole log or of one database."""

from __future__ import annotations

from functools import partial
from heapq import nlargest
from typing import TYPE_CHECKING, Final

from awrlens.fact_table import FactTable
from awrlens.facts.formula import Figure, Missing
from awrlens.model import Evidence, Excerpt
from awrlens.records import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

    from awrlens.sqlserver.events import Catchup, Checkpoint, Freeze, IoWarning, Log, Number

#: The facts of SQL Server logs.
SQL_SERVER_FACTS: Final = FactTable()
fact: Final = SQL_SERVER_FACTS.declare

#: Sources of facts, as named in the `needs` of a skipped rule.
FLUSH: Final = "flushcache_messages"
XEVENTS: Final = "checkpoint_events"
LOG: Final = "errorlog"
#: Maximum number of lines shown for a fact, the largest first.
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
    """The input of facts: a log, and the database if it is only one."""

    log: Log
    database: str | None
    #: All checkpoints in the log, and those that no snapshot explains.
    checkpoints: tuple[Checkpoint, ...]
    unfrozen: tuple[Checkpoint, ...]
    io_warnings: tuple[IoWarning, ...]
    #: Snapshots; not known for a database without a name in the log.
    freezes: tuple[Freeze, ...]
    catchups: tuple[Catchup, ...]

    @property
    def is_errorlog(self) -> bool:
        """Whether it is an error log rather than Extended Events."""
        return self.log.kind == "sqlserver-errorlog"

    def missing(self) -> Missing | None:
        """Why nothing is known about checkpoints; None if something is."""
        if self.log.checkpoints or not self.is_errorlog:
            return None
        release = self.log.server.release
        if release is None:
            return Missing(
                "no FlushCache message is in the log, and its first line with the release is "
                "missing", (FLUSH, "banner"),
            )  # fmt: skip
        if int(release.partition(".")[0]) < _LOGGED_SINCE:
            return Missing(
                "before SQL Server 2012, only trace flag 3504 logs checkpoints", (FLUSH,)
            )
        return None


def seen_of(log: Log, database: str | None = None) -> Seen:
    """The whole log, or its events of one database."""
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
    """The line of a number and the position in it."""
    if number.at < 0:  # the difference of two times is not in the log
        return Excerpt((), number.printed, 0, 0)
    return Excerpt((), number.printed, number.at, number.at + len(number.text))


def evidence(checkpoint: Checkpoint, field: str) -> Evidence:
    """A logged number of a checkpoint."""
    number = checkpoint.numbers[field]
    row = f"db {checkpoint.database}" + (f":{checkpoint.unit}" if checkpoint.unit else "")
    section = "FlushCache" if "bufs" in checkpoint.numbers else "checkpoint_begin, checkpoint_end"
    value = int(number.value) if number.value.is_integer() else number.value
    return Evidence(
        section, row, _PRINTED[field], number.text, value,
        partial(line_of, number.line), partial(place, number),
    )  # fmt: skip


def line_of(line: int) -> int:
    """The line itself; evidence calls this when it is shown."""
    return line


def weightiest(checkpoints: Iterable[Checkpoint], field: str) -> tuple[Evidence, ...]:
    """The evidence of the checkpoints with the largest numbers, in the order of the log."""
    having = [each for each in checkpoints if field in each.numbers]
    most = nlargest(SHOWN, having, key=lambda each: each.numbers[field].value)
    return tuple(evidence(c, field) for c in sorted(most, key=lambda c: c.line))


def of_line(section: str, row: str, line: int, printed: str) -> Evidence:
    """A whole line as evidence without a number."""
    return Evidence(
        section, row, "", printed.strip(), None, partial(line_of, line),
        partial(Excerpt, (), printed, 0, 0),
    )  # fmt: skip


def without(checkpoints: tuple[Checkpoint, ...]) -> Missing | None:
    """Why there is no value without checkpoints."""
    return None if checkpoints else Missing("no such checkpoint is in the log", (FLUSH, XEVENTS))


def sum_of(
    s: Seen, field: str, checkpoints: tuple[Checkpoint, ...] | None = None
) -> Figure | Missing:
    """The sum of a logged number over checkpoints; missing if no checkpoint has it."""
    chosen = s.checkpoints if checkpoints is None else checkpoints
    having = [each for each in chosen if field in each.numbers]
    if not s.is_errorlog and field != "ms":
        return Missing("not in checkpoint events", (FLUSH,))
    if not having:
        return (
            s.missing()
            or without(chosen)
            or Missing(f"no checkpoint in the log has `{_PRINTED[field]}`", (FLUSH,))
        )
    total = sum(each.numbers[field].value for each in having)
    return Figure(total, _PRINTED[field], weightiest(having, field))


def count_of(s: Seen, checkpoints: tuple[Checkpoint, ...], label: str) -> Figure | Missing:
    """The number of checkpoints; missing if it cannot be known from the log."""
    missing = s.missing()
    if missing is not None:
        return missing
    return Figure(len(checkpoints), label, weightiest(checkpoints, "ms"))
