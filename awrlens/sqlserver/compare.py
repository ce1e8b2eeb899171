"""Checkpoints before and after a change, by database, in the same units on both sides."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

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
#: Measures with their facts and titles.
MEASURES: Final = {
    "checkpoints": ("sqlserver.checkpoints", "checkpoints"),
    "per_hour": ("sqlserver.checkpoints_per_hour", "per hour"),
    "mean_s": ("sqlserver.checkpoint_mean_s", "average, s"),
    "median_s": ("sqlserver.checkpoint_median_s", "median, s"),
    "p95_s": ("sqlserver.checkpoint_p95_s", "p95, s"),
    "max_s": ("sqlserver.checkpoint_max_s", "max, s"),
    "total_s": ("sqlserver.checkpoint_total_s", "total, s"),
}
#: Maximum number of checkpoints of a side in a picture; of more, the longest of each group.
_PICTURED: Final = 150


def compare(before: Log, after: Log) -> dict[str, Any]:
    """Every database with checkpoints on either side, ordered by total time before; plain data."""
    ids = dict.fromkeys(c.database for log in (before, after) for c in log.checkpoints)
    databases = [_database(id_, before, after, None) for id_ in ids]
    unfair = []
    if before.kind != after.kind:
        unfair.append(
            "One side is an error log, which has only long checkpoints; the other side has all "
            "checkpoints."
        )
    elif before.kind == "sqlserver-errorlog":
        unfair.append(_LONG_ONLY)
    if before.server.name and after.server.name and before.server.name != after.server.name:
        unfair.append(f"The servers differ: {before.server.name} and {after.server.name}.")
    first, second = before.elapsed_s, after.elapsed_s
    if first and second and max(first, second) > 2 * min(first, second):
        unfair.append(
            f"The logs cover {_duration(first)} and {_duration(second)}: compare rates per hour."
        )
    return _document(before, after, databases, unfair)


def split(log: Log, given: Mapping[str, datetime] | None = None) -> dict[str, Any]:
    """Both sides of the change of every database in one log, as of two logs.

    ``given`` has the times of the change by ID or name, ``*`` for all databases. Without it, the
    message that sets the target counts, or a step in the durations.
    """
    changed = changes(log, given)
    databases = [_database(id_, *sides(log, id_, at), at) for id_, at in changed.items()]
    unfair = [
        f"{log.label(id_)} has no step in its durations and no time of a change: left out. Use "
        f"--changed {id_}=TIME."
        for id_ in log.databases
        if id_ and id_ not in changed
    ]
    if log.kind == "sqlserver-errorlog":
        unfair.append(_LONG_ONLY)
    ends = [change.at for change in changed.values()]
    first, last = min(ends, default=log.begin), max(ends, default=log.end)
    return _document(log._replace(end=last), log._replace(begin=first), databases, unfair)


def _document(
    before: Log, after: Log, databases: list[dict[str, Any]], unfair: list[str]
) -> dict[str, Any]:
    databases.sort(key=lambda row: (-(row["before"]["total_s"] or 0.0), row["database_id"]))
    return {
        "schema_version": SCHEMA_VERSION, "before": _side(before), "after": _side(after),
        "databases": databases, "unfair": unfair,
    }  # fmt: skip


def _side(log: Log) -> dict[str, Any]:
    return {
        "source": log.source,
        "kind": log.kind,
        "begin_time": log.begin.isoformat(timespec="seconds") if log.begin else None,
        "end_time": log.end.isoformat(timespec="seconds") if log.end else None,
        "elapsed_s": log.elapsed_s,
    }


def _database(database: str, before: Log, after: Log, change: Change | None) -> dict[str, Any]:
    name = after.names.get(database) or before.names.get(database)
    first, second = (_measures(log, database) for log in (before, after))
    label = (after if database in after.names else before).label(database)
    return {
        "database_id": database, "name": name, "before": first, "after": second,
        "said": f"{label}{_said(first, second)}",
        "changed_at": change and change.at.isoformat(timespec="seconds"),
        "changed_how": change and change.how,
        "course": {"before": _course(before, database), "after": _course(after, database)},
    }  # fmt: skip


def _measures(log: Log, database: str) -> dict[str, float | None]:
    facts = facts_of(log, database)
    return {name: facts[fact].number for name, (fact, _) in MEASURES.items()}


def _course(log: Log, database: str) -> list[list[Any]]:
    course = sorted((c.begin, c.seconds) for c in log.checkpoints
                    if c.database == database and c.begin is not None)  # fmt: skip
    size = max(1, -(-len(course) // _PICTURED))
    groups = (course[n : n + size] for n in range(0, len(course), size))
    longest = (max(group, key=lambda point: point[1]) for group in groups)
    return [[at.isoformat(timespec="milliseconds"), seconds] for at, seconds in longest]


def _said(before: Mapping[str, float | None], after: Mapping[str, float | None]) -> str:
    first, second = before["mean_s"], after["mean_s"]
    if first is None or second is None:
        return f" has checkpoints only {'before' if second is None else 'after'}"
    text = (
        f": checkpoints took {plain(first, 3)} s on average before ({before['checkpoints']:,.0f}), "
        f"{plain(second, 3)} s after ({after['checkpoints']:,.0f})"
    )
    return text + (f": {_times(first, second)}" if first != second else "")


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
