"""When the target of a database changed: given, logged, or seen in the durations of checkpoints."""

from __future__ import annotations

from itertools import accumulate
from math import log as ln
from math import sqrt
from statistics import median
from typing import TYPE_CHECKING, Final, Literal

from awrlens.records import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from awrlens.sqlserver.events import Checkpoint, Log

#: A step is at least this factor. # Indirect Checkpoints: from 30 s to less than 0.1 s, 300 times
_FACTOR: Final = 10.0
#: Share of the checkpoints that are on their side of the step. # awrlens: one of ten may differ
_SHARE: Final = 0.9
#: Checkpoints before a step. # awrlens: one long checkpoint may have any reason
_BEFORE: Final = 2
#: Shorter durations are below the resolution of the times, in seconds.
_LEAST_S: Final = 0.001


class Change(NamedTuple):
    """The change of one database: its time, and how it is known."""

    at: datetime
    how: Literal["given", "logged", "seen"]


def changes(log: Log, given: Mapping[str, datetime] | None = None) -> dict[str, Change]:
    """The changes in a log by database ID; ``given`` has IDs or names, or ``*`` for all."""
    known = given or {}
    found = {}
    logged = _logged(log)
    for database in log.databases:
        for key in (database, log.name(database) or "", "*"):
            if key in known:
                found[database] = Change(known[key], "given")
                break
        else:
            seen = logged.get(database) or _seen(log, database)
            if seen is not None:
                found[database] = seen
    return found


def _logged(log: Log) -> dict[str, Change]:
    """The last setting of every database that the log has: above 0 is indirect."""
    ids = {name: number for number, name in log.names.items()}
    last = {each.name: each for each in log.settings}
    return {
        ids[name]: Change(each.at, "logged")
        for name, each in last.items()
        if each.seconds and each.at is not None and name in ids
    }


def _seen(log: Log, database: str) -> Change | None:
    """A step in the durations: all before it are long, all after it are short."""
    if log.kind != "sqlserver-xevents":  # an error log has only the long ones
        return None
    own = sorted(
        (each for each in log.checkpoints if each.database == database and each.begin),
        key=lambda each: (each.begin, each.line),
    )
    place = step([each.seconds for each in own])
    begin = own[place].begin if place is not None else None
    return None if begin is None else Change(begin, "seen")


def step(seconds: Sequence[float]) -> int | None:
    """The index of the first short checkpoint after long ones; None without a clear step."""
    values = [ln(max(each, _LEAST_S)) for each in seconds]
    sums = list(accumulate(values, initial=0.0))
    count = len(values)
    if count <= _BEFORE:
        return None

    def between(place: int) -> float:
        """What a split explains of the variation."""
        first, second = sums[place] / place, (sums[-1] - sums[place]) / (count - place)
        return place * (count - place) * (first - second) ** 2

    place = max(range(_BEFORE, count), key=between)
    before, after = seconds[:place], seconds[place:]
    high, low = median(before), max(median(after), _LEAST_S)
    middle = sqrt(high * low)
    right = sum(each > middle for each in before) + sum(each < middle for each in after)
    return place if high >= _FACTOR * low and right >= _SHARE * count else None


def sides(log: Log, database: str, change: Change) -> tuple[Log, Log]:
    """The log of one database before and after its change; a running checkpoint is before."""
    own = [each for each in log.checkpoints if each.database == database]
    at = change.at
    before, after = _part(own, at, later=False), _part(own, at, later=True)
    end = at
    if change.how == "seen":  # the change was at some time after the last long one
        end = max((each.end for each in before if each.end), default=at)
    return (
        log._replace(end=end, checkpoints=before, settings=()),
        log._replace(begin=at, checkpoints=after, settings=()),
    )


def since(log: Log, known: Mapping[str, Change]) -> Log:
    """The log without the checkpoints before the change of their database."""
    return log._replace(
        checkpoints=tuple(
            each
            for each in log.checkpoints
            if each.database not in known
            or each.begin is None
            or each.begin >= known[each.database].at
        )
    )


def _part(own: Sequence[Checkpoint], at: datetime, *, later: bool) -> tuple[Checkpoint, ...]:
    return tuple(each for each in own if each.begin is not None and (each.begin >= at) == later)
