"""Which databases gain most from low-latency storage, and what fits into a capacity.

Redo, temp and undo need different sizes and throughputs, so each is an entry of its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.model.fleet import Gain
from awrlens.policy import Threshold
from awrlens.records import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

    from awrlens.model.fleet import Purpose
    from awrlens.policy import Policy

REDO_GROUPS: Final = Threshold(
    "fleet.redo_groups", 4.0, "count",
    "redo log groups per instance for the size of redo storage; reports do not print their number",
    "awrlens: three groups are usual, a fourth for log switches during a checkpoint",
)  # fmt: skip
LEAST_SESSIONS: Final = Threshold(
    "fleet.least_sessions", 0.05, "ratio",
    "minimum sessions that storage saves on average to be listed",
    "awrlens: the lowest number of waiting sessions of a warning",
)  # fmt: skip
THRESHOLDS: Final = (REDO_GROUPS, LEAST_SESSIONS)

_MB_PER_GB: Final = 1024.0


class Candidate(NamedTuple):
    """A purpose of a database over its last intervals; amounts are None if no report has them."""

    database: str
    purpose: Purpose
    #: The mean of the saved sessions over all intervals; 0 where storage would not help.
    sessions: float
    intervals: int
    of: int
    #: The undo for the longest query, or the largest work area in temp.
    size_mb: float | None
    mb_per_s: float | None
    writes_per_s: float | None
    #: The size of a redo log, or of all but one.
    log_mb: float | None = None
    other_logs_mb: float | None = None
    members: float | None = None


def gains(
    candidates: Iterable[Candidate], capacity_gb: float | None, policy: Policy
) -> tuple[Gain, ...]:
    """The entries with the largest saving first; with a capacity, the most saving per size.

    An entry without a size cannot be placed, and comes last.
    """
    worth = [each for each in candidates if each.sessions >= policy[LEAST_SESSIONS]]
    sized = [(each, *_size(each, policy)) for each in worth]
    sized.sort(key=lambda each: -each[0].sessions)
    if capacity_gb is not None:
        sized.sort(key=lambda each: -(each[0].sessions / each[1]) if each[1] else 1.0)
    found, total = [], 0.0
    for each, size_gb, basis in sized:
        fits = None
        if capacity_gb is not None and size_gb is not None:
            fits = total + size_gb <= capacity_gb
        if size_gb is not None and fits is not False:
            total += size_gb
        found.append(
            Gain(
                each.database, each.purpose, each.sessions, each.intervals, each.of, size_gb,
                basis, each.mb_per_s, each.writes_per_s, fits,
                total if size_gb is not None and fits is not False else None,
                "" if size_gb is not None else "its size is in no report",
            )
        )  # fmt: skip
    return tuple(found)


def _size(each: Candidate, policy: Policy) -> tuple[float | None, str]:
    """The capacity in GB, and where it comes from."""
    if each.purpose == "redo":
        return _of_logs(each, max(2.0, policy[REDO_GROUPS]))
    if not each.size_mb:
        return None, ""
    basis = "undo for the longest query and the retention"
    if each.purpose == "temp":
        basis = "the largest work area in temp, a lower limit"
    return each.size_mb / _MB_PER_GB, basis


def _of_logs(each: Candidate, groups: float) -> tuple[float | None, str]:
    members = max(1.0, each.members or 1.0)
    copies = f", {members:g} members" if members > 1 else ""
    if each.other_logs_mb:
        total = each.other_logs_mb * groups / (groups - 1)
        basis = f"all redo logs but one have {each.other_logs_mb:,.0f} MB, of {groups:g}{copies}"
    elif each.log_mb:
        total, basis = each.log_mb * groups, f"{groups:g} logs of {each.log_mb:,.0f} MB{copies}"
    else:
        return None, ""
    return total * members / _MB_PER_GB, basis
