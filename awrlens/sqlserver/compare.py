"""Checkpoints before and after a change, by database, in the same units on both sides."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from awrlens.lazy import NamedTuple
from awrlens.model import SCHEMA_VERSION
from awrlens.sqlserver.analysis import changes, sides
from awrlens.sqlserver.facts import facts_of
from awrlens.units import plain

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from awrlens.sqlserver.analysis import Change
    from awrlens.sqlserver.events import Log

_LONG_ONLY: Final = (
    "Error logs have only long checkpoints. Fewer messages mean fewer long checkpoints; the "
    "duration of the others is not known."
)
#: The measures that are compared, and their facts.
MEASURES: Final = {
    "checkpoints": "sqlserver.checkpoints",
    "per_hour": "sqlserver.checkpoints_per_hour",
    "mean_s": "sqlserver.checkpoint_mean_s",
    "median_s": "sqlserver.checkpoint_median_s",
    "p95_s": "sqlserver.checkpoint_p95_s",
    "max_s": "sqlserver.checkpoint_max_s",
    "total_s": "sqlserver.checkpoint_total_s",
}


#: Maximum number of checkpoints of a side in a picture; of more, the longest of each group.
_PICTURED: Final = 150


class Side(NamedTuple):
    """One side of a database: its measures, None is not known, and its checkpoints over time."""

    values: dict[str, float | None]
    course: tuple[tuple[datetime, float], ...] = ()


class Pair(NamedTuple):
    """A database before and after."""

    database: str
    name: str
    before: Side
    after: Side
    #: When it changed, if both sides are of one log.
    change: Change | None = None

    @property
    def said(self) -> str:
        """How its checkpoints changed, in a sentence."""
        before, after = self.before.values, self.after.values
        first, second = before["mean_s"], after["mean_s"]
        if first is None or second is None:
            where = "before" if second is None else "after"
            return f"{self.name} has checkpoints only {where}"
        text = (
            f"{self.name}: {before['checkpoints']:,.0f} checkpoints of {plain(first, 3)} s on "
            f"average before, {after['checkpoints']:,.0f} of {plain(second, 3)} s after"
        )
        return text + (f", {_times(first, second)}" if first != second else "")


class CheckpointComparison(NamedTuple):
    """Two logs by database; ``unfair`` lists other differences."""

    before: Log
    after: Log
    pairs: tuple[Pair, ...]
    unfair: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "schema_version": SCHEMA_VERSION,
            "before": _side(self.before),
            "after": _side(self.after),
            "databases": [
                {
                    "database_id": pair.database,
                    "name": self.after.name(pair.database) or self.before.name(pair.database),
                    "before": pair.before.values,
                    "after": pair.after.values,
                    "said": pair.said,
                    "changed_at": pair.change and pair.change.at.isoformat(timespec="seconds"),
                    "changed_how": pair.change and pair.change.how,
                    "course": {
                        name: [
                            [at.isoformat(timespec="milliseconds"), seconds]
                            for at, seconds in side.course
                        ]
                        for name, side in (("before", pair.before), ("after", pair.after))
                    },
                }
                for pair in self.pairs
            ],
            "unfair": list(self.unfair),
        }


def _times(first: float, second: float) -> str:
    """How an average changed: a factor if it is large, else a percentage."""
    if second == 0:
        return "now below the resolution of the times"
    if first == 0:
        return "longer"
    factor = first / second
    if factor >= 2:  # noqa: PLR2004 - above this, a factor is clearer than a percentage
        return f"{plain(factor, 3)} times shorter"
    if factor <= 0.5:  # noqa: PLR2004
        return f"{plain(1 / factor, 3)} times longer"
    return f"{(second - first) * 100 / first:+.0f} %"


def _duration(seconds: float) -> str:
    hours = seconds / 3600
    return f"{plain(hours, 3)} h" if hours >= 1 else f"{plain(seconds / 60, 3)} min"


def _side(log: Log) -> dict[str, Any]:
    return {
        "source": log.source,
        "kind": log.kind,
        "begin_time": log.begin.isoformat(timespec="seconds") if log.begin else None,
        "end_time": log.end.isoformat(timespec="seconds") if log.end else None,
        "elapsed_s": log.elapsed_s,
    }


def compare(before: Log, after: Log) -> CheckpointComparison:
    """Every database with checkpoints on either side, ordered by total time before."""
    ids = dict.fromkeys(each.database for log in (before, after) for each in log.checkpoints)
    pairs = [
        Pair(each, (after if after.name(each) else before).label(each), _values(before, each),
             _values(after, each))
        for each in ids
    ]  # fmt: skip
    pairs.sort(key=lambda pair: (-(pair.before.values["total_s"] or 0.0), pair.database))
    return CheckpointComparison(before, after, tuple(pairs), tuple(_unfair(before, after)))


def split(log: Log, given: Mapping[str, datetime] | None = None) -> CheckpointComparison:
    """Both sides of the change of every database in one log.

    ``given`` has the times of the change by ID or name, ``*`` for all databases. Without it, the
    message that sets the target counts, or a step in the durations.
    """
    changed = changes(log, given)
    pairs = []
    for database, change in changed.items():
        before, after = (_values(side, database) for side in sides(log, database, change))
        pairs.append(Pair(database, log.label(database), before, after, change))
    pairs.sort(key=lambda pair: (-(pair.before.values["total_s"] or 0.0), pair.database))
    unfair = [
        f"{log.label(each)} has no step in its durations and no time of a change: left out. Use "
        f"--changed {each}=TIME."
        for each in log.databases
        if each and each not in changed
    ]
    if log.kind == "sqlserver-errorlog":
        unfair.append(_LONG_ONLY)
    ends = [change.at for change in changed.values()]
    first, last = min(ends, default=log.begin), max(ends, default=log.end)
    return CheckpointComparison(
        log._replace(end=last), log._replace(begin=first), tuple(pairs), tuple(unfair)
    )


def _values(log: Log, database: str) -> Side:
    facts = facts_of(log, database)
    course = sorted((each.begin, each.seconds) for each in log.checkpoints
                    if each.database == database and each.begin is not None)  # fmt: skip
    size = max(1, -(-len(course) // _PICTURED))
    groups = (course[n : n + size] for n in range(0, len(course), size))
    longest = tuple(max(group, key=lambda point: point[1]) for group in groups)
    return Side({name: facts[fact].number for name, fact in MEASURES.items()}, longest)


def _unfair(before: Log, after: Log) -> list[str]:
    """What limits the comparison."""
    limits = []
    if before.kind != after.kind:
        limits.append(
            "One side is an error log, which has only long checkpoints; the other side has all "
            "checkpoints."
        )
    elif before.kind == "sqlserver-errorlog":
        limits.append(_LONG_ONLY)
    if before.server.name and after.server.name and before.server.name != after.server.name:
        limits.append(f"The servers differ: {before.server.name} and {after.server.name}.")
    first, second = before.elapsed_s, after.elapsed_s
    if first and second and max(first, second) > 2 * min(first, second):
        limits.append(
            f"The logs cover {_duration(first)} and {_duration(second)}: compare rates per hour."
        )
    return limits
