"""Findings of an instance over its intervals as alerts, one per family.

An alert needs several intervals to begin and to end, so that a finding at the edge of a threshold
does not come and go with every report.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.model import SEVERITIES
from awrlens.model.fleet import Alert
from awrlens.policy import Threshold
from awrlens.records import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from awrlens.model import Severity
    from awrlens.model.fleet import State
    from awrlens.policy import Policy

WINDOW: Final = Threshold(
    "fleet.alert_window", 3.0, "count",
    "number of successive intervals that decide about the begin and the end of an alert",
    "awrlens: three hours of hourly reports; shorter changes are not a state of a database",
)  # fmt: skip
OPENS: Final = Threshold(
    "fleet.alert_opens", 2.0, "count",
    "intervals of that number with a finding, from which an alert begins; a critical finding "
    "begins one at once",
    "awrlens: a single interval may be a batch job",
)  # fmt: skip
THRESHOLDS: Final = (WINDOW, OPENS)

_CRITICAL: Final = SEVERITIES.index("critical")


class Family(NamedTuple):
    """The findings of a family: its level in every interval, and the leading finding.

    Levels are numbers of severities in the order of time, 0 without a finding.
    """

    name: str
    levels: Sequence[int]
    id: str
    title: str
    waiting_sessions: float | None
    others: tuple[str, ...] = ()


class _Course(NamedTuple):
    """An alert at the end of the intervals: when it began, and whether it has ended."""

    begun: int | None
    ended: int | None
    #: The highest level before the last intervals, and in them.
    before: int
    now: int


def alert(family: Family, begins: Sequence[datetime], policy: Policy) -> Alert | None:
    """The alert of a family; None if it has no finding in these intervals."""
    levels = family.levels
    some = [at for at, level in enumerate(levels) if level]
    if not some:
        return None
    window, opens = int(policy[WINDOW]), int(policy[OPENS])
    course = _course(levels, window, opens)
    state = _state(course, len(levels), window)
    begun = course.begun if course.begun is not None else some[-1]
    level = course.now if state not in ("gone", "once") else max(levels[begun:])
    severity: Severity = SEVERITIES[level]
    return Alert(
        family.name, family.id, family.title, severity, state, begins[begun], len(some),
        len(levels), family.waiting_sessions, family.others,
    )  # fmt: skip


def _course(levels: Sequence[int], window: int, opens: int) -> _Course:
    """Follow the intervals: an alert begins with enough of them, and ends after enough without."""
    begun = ended = None
    first = 0
    for at, level in enumerate(levels):
        last = levels[max(0, at - window + 1) : at + 1]
        if begun is None or ended is not None:
            # with fewer intervals than decide, each one counts
            needed = min(opens, len(levels))
            if level == _CRITICAL or sum(each > 0 for each in last) >= needed:
                first = at - len(last) + 1 + next(n for n, each in enumerate(last) if each)
                begun, ended = first, None
        elif not any(last) and len(last) == window:
            ended = at - window + 1
    now = max(levels[-window:])
    before = max(levels[begun:-window], default=now) if begun is not None else 0
    return _Course(begun, ended, before, now)


def _state(course: _Course, count: int, window: int) -> State:
    """New alerts begin in the last intervals; one that the first interval has may be older."""
    if course.begun is None:
        return "once"
    if course.ended is not None:
        return "gone"
    if course.begun and course.begun >= count - window:
        return "new"
    if course.now < course.before:
        return "improved"
    return "worse" if course.now > course.before else "lasting"
