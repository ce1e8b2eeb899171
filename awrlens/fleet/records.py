"""The values of a fleet: its databases, alerts, and what storage, settings and recovery show."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

from awrlens.lazy import NamedTuple
from awrlens.model import STATES
from awrlens.model.plain import Aside, Shown, fields

if TYPE_CHECKING:
    from datetime import datetime

    from awrlens.model import Severity, State
    from awrlens.model.kinds import Count
    from awrlens.model.who import Who


#: Columns that name an instance of a database.
WHO: Final = "db_name, db_id, container, instance, instance_number, cluster"
FLEET_SCHEMA_VERSION: Final = "1.0"

#: ``once``: seen too rarely to count. ``gone`` and ``improved`` are good news.
Progress = Literal["new", "worse", "lasting", "improved", "gone", "once"]
Purpose = Literal["redo", "temp", "undo"]


def schema() -> dict[str, Any]:
    """The JSON Schema of ``awrlens fleet``."""
    from awrlens.cli.schema import of_document

    return of_document("fleet", Fleet)


class Alert(NamedTuple):
    """Findings of a family: the leading one, the others, and since when.

    ``intervals`` of ``of`` intervals have a finding of the family.
    """

    family: str
    id: str
    title: str
    severity: Severity
    state: Progress
    since: datetime | None
    intervals: int
    of: int
    waiting_sessions: float | None
    others: tuple[str, ...] = ()

    @property
    def open(self) -> bool:
        """Whether it counts for the severity of a database."""
        return self.state not in ("gone", "once")


class Member(NamedTuple):
    """An instance of a database over its last intervals."""

    who: Who
    severity: State
    #: Sessions that waited on average, in the finding with the most of them.
    waiting_sessions: float | None
    active_sessions: float | None
    intervals: int
    begin: datetime
    end: datetime
    headline: str
    alerts: tuple[Alert, ...]
    #: Begin and severity of each of the intervals, the latest last.
    course: Aside[tuple[tuple[datetime, str], ...]] = ()
    #: The first action of the latest interval with this severity that has one.
    action: Aside[str] = ""
    #: The headline of the alarming interval: it may be none of the alerts.
    problem: Aside[str] = ""


class Gain(NamedTuple):
    """Low-latency storage for a purpose of a database, and what it saves.

    Amounts are None if no report has them. ``fits``: within the capacity, after all before it;
    None without a capacity or a size.
    """

    database: str
    purpose: Purpose
    #: Sessions that would no longer wait, on average.
    sessions: float
    intervals: int
    of: int
    size_gb: float | None
    size_basis: str
    mb_per_s: float | None
    writes_per_s: float | None
    fits: bool | None
    #: The capacity that this and all fitting entries before it take.
    total_gb: float | None
    note: str = ""


class Difference(NamedTuple):
    """A parameter that differs: its usual value, and who has another one."""

    parameter: str
    #: The cluster in which it differs; empty if it differs from the fleet.
    within: str
    usual: str
    share_pct: float
    others: tuple[tuple[str, tuple[str, ...]], ...]

    @property
    def unlike(self) -> int:
        """The number of databases or instances with another value."""
        return sum(len(names) for _, names in self.others)


class Recovery(NamedTuple):
    """The estimated recovery time of an instance, and the service level."""

    who: Who
    worst_s: float
    last_s: float
    target_s: float | None
    level_s: float | None
    over: bool
    #: Intervals above the level, of those with an estimate.
    intervals: int
    of: int


class Unreadable(NamedTuple):
    """An input that could not be read, and why."""

    source: str
    reason: str


class Fleet(NamedTuple):
    """All databases of a store, the worst first; what could not be read comes before them."""

    unreadable: tuple[Unreadable, ...]
    unreadable_count: int
    reports: int
    databases: int
    last: int
    begin: datetime | None
    end: datetime | None
    members: tuple[Member, ...]
    gains: tuple[Gain, ...]
    capacity_gb: float | None
    differences: tuple[Difference, ...]
    recovery: tuple[Recovery, ...]
    level_s: float | None

    @property
    def schema_version(self) -> Shown[Annotated[str, ("const", FLEET_SCHEMA_VERSION)]]:
        """The version of this document."""
        return FLEET_SCHEMA_VERSION

    @property
    def severities(
        self,
    ) -> Shown[Annotated[dict[State, Count], "Instances by severity.", ("required", STATES)]]:
        """The number of instances by severity."""
        said = [member.severity for member in self.members]
        return {state: said.count(state) for state in STATES}

    def to_dict(self) -> dict[str, Any]:
        """The JSON document of ``awrlens fleet --format json``."""
        document = fields(self)
        return {name: document[name] for name in ("schema_version", "severities")} | document
