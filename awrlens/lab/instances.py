"""Which instances failed together, and a buddy map that is safe by these failures.

Source: Buddy Instance, sections 5 and 5.2. The survivors of a failure list the members of the
cluster in their alert logs; since 12c also the dead instances. A clean shutdown is not a failure.
The map balances the redo of the instances. Oracle 12.2 and later sets its own map; no parameter
changes it.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from itertools import combinations
from typing import TYPE_CHECKING, Any, Final

from awrlens.lab import simulation_setup
from awrlens.lab.alert_log import Span
from awrlens.lab.measure import iso
from awrlens.lab.simulation_setup import Failure
from awrlens.model import SCHEMA_VERSION
from awrlens.records import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from awrlens.lab.alert_log import Episodes, Event, Reconfiguration
    from awrlens.lab.simulation_setup import BuddyMap


#: Failures within this time have one cause. # awrlens: twice the default misscount of 30 s, after
#: which a cluster detects a failed node
TOGETHER_S: Final = 60.0
#: The step of a reconfiguration after which the first pass may begin.
_READY: Final = "Post SMON to start 1st pass IR"


class Departure(NamedTuple):
    """Instances that failed within a short time, and the members of the cluster until then."""

    at: datetime | None
    failed: frozenset[int]
    members: frozenset[int]
    #: Source and line of every message that says so.
    places: tuple[tuple[str, int], ...]

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "at": iso(self.at), "failed": sorted(self.failed), "members": sorted(self.members),
            "lines": [{"source": source, "line": line} for source, line in self.places],
        }  # fmt: skip


class History(NamedTuple):
    """All failures in alert logs, in order of time."""

    departures: tuple[Departure, ...]
    #: Every cluster configuration in the logs, in order of time.
    configurations: tuple[frozenset[int], ...]
    #: Reconfigurations that list no instances, and clean shutdowns.
    unlisted: int
    shutdowns: int

    @property
    def failures(self) -> tuple[Failure, ...]:
        """The failures as the choice of buddies needs them."""
        return tuple(Failure(each.failed, each.members) for each in self.departures)

    @property
    def largest(self) -> frozenset[int]:
        """The last of the configurations with the most members: all instances are up."""
        most = max((len(each) for each in self.configurations), default=0)
        return next(
            (each for each in reversed(self.configurations) if len(each) == most), frozenset()
        )


def passes(each: Reconfiguration) -> tuple[float, float] | None:
    """Seconds of a reconfiguration before the first pass may begin, and from then on."""
    ready = next((step for step in each.steps if step.values["step"] == _READY), None)
    before = Span(each.begin, ready).seconds
    whole = each.seconds
    if before is None or whole is None:
        return None
    return before, max(0.0, whole - before)


def history(logs: Sequence[Episodes], within_s: float = TOGETHER_S) -> History:
    """The failures in the alert logs of one or several instances of a cluster.

    Survivors report the same failure: the messages of one time count once.
    """
    found: list[Departure] = []
    configurations: list[tuple[datetime, int, frozenset[int]]] = []
    unlisted = shutdowns = 0
    for log in logs:
        known: frozenset[int] | None = None
        for number, each in enumerate(log.reconfigurations):
            before, lost = _change(each, known)
            if before is None or lost is None:
                unlisted += each.members is None
                known = each.members or known
                continue
            known = before - lost if each.members is None else each.members
            at = each.begin.at
            for members in (before, known):
                configurations.append((at or datetime.min, len(configurations), members))  # noqa: DTZ901 - no zone
            if lost and (each.invalid or _recovered(number, log)):
                found.append(Departure(at, lost, before, (_place(each.begin, log),)))
            elif lost:
                shutdowns += 1
        found += _everyone(log, known)
    merged = _together(sorted(found, key=lambda each: each.at or datetime.min), within_s)  # noqa: DTZ901
    ordered = tuple(members for *_, members in sorted(configurations, key=lambda each: each[:2]))
    return History(tuple(merged), ordered, unlisted, shutdowns)


def _change(
    each: Reconfiguration, known: frozenset[int] | None
) -> tuple[frozenset[int] | None, frozenset[int] | None]:
    """The members before a reconfiguration, and those that left; None is not known."""
    if each.members is None and (known is None or each.dead is None):
        return None, None
    after = each.members
    if after is None:
        after = (known or frozenset()) - (each.dead or frozenset())
    dead = each.dead
    if dead is None and known is not None:
        dead = known - after
    if dead is None:
        # the first list of the log: who was a member before is not in it
        return (after, frozenset()) if not each.invalid else (None, None)
    joined = each.joined or frozenset()
    return (after - joined) | dead, dead


def _recovered(number: int, log: Episodes) -> bool:
    """Whether an instance recovery begins before the next reconfiguration."""
    begins = [each.begin.line for each in log.reconfigurations]
    first, rest = begins[number], begins[number + 1 :]
    last = rest[0] if rest else None
    return any(
        each.kind == "instance" and first < each.begin.line
        and (last is None or each.begin.line < last)
        for each in log.recoveries
    )  # fmt: skip


def _everyone(log: Episodes, members: frozenset[int] | None) -> Iterator[Departure]:
    """Crash recoveries of several threads: no instance survived."""
    for each in log.recoveries:
        if each.kind != "crash" or each.threads < 2:  # noqa: PLR2004 - several
            continue
        threads = frozenset(
            int(event.values["thread"])
            for event in log.log.of("reading_log", "position")
            if each.begin.line < event.line
            and (each.whole.end is None or event.line <= each.whole.end.line + 9)
        )
        known = members if members and len(members) == each.threads else threads
        if len(known) == each.threads:
            yield Departure(each.begin.at, known, known, (_place(each.begin, log),))


def _together(found: Iterable[Departure], within_s: float) -> Iterator[Departure]:
    """Failures within a short time as one: several survivors report them, one after the other."""
    last: Departure | None = None
    for each in found:
        near = (
            last is not None and last.at is not None and each.at is not None
            and each.at - last.at <= timedelta(seconds=within_s)
        )  # fmt: skip
        if last is not None and near:
            last = last._replace(
                failed=last.failed | each.failed,
                members=last.members | each.members,
                places=last.places + each.places,
            )
            continue
        if last is not None:
            yield last
        last = each
    if last is not None:
        yield last


def _place(event: Event | None, log: Episodes) -> tuple[str, int]:
    return log.log.source, event.line if event else 0


class Plan(NamedTuple):
    """The recommended map, and the failures and loads behind it."""

    members: tuple[int, ...]
    buddies: BuddyMap
    ring: BuddyMap
    history: History
    #: Redo of every instance, MB/s; empty if it is not known.
    redo: Mapping[int, float]

    def together(self, one: int, other: int) -> tuple[int, int]:
        """How often two instances failed together: in this configuration, and in others."""
        return simulation_setup.together(one, other, self.members, self.history.failures)

    def reads(self, buddy: int) -> float:
        """Redo that a buddy reads, MB/s; without known redo, the number of instances it serves."""
        return sum(
            self.redo.get(protected, 0.0) if self.redo else 1.0
            for protected, chosen in self.buddies.items()
            if buddy in chosen
        )

    @property
    def pairs(self) -> list[tuple[int, int, int]]:
        """Pairs that failed together in this configuration, with their number, the most first."""
        found = [
            (one, other, self.together(one, other)[0])
            for one, other in combinations(self.members, 2)
        ]
        return sorted((each for each in found if each[2]), key=lambda each: -each[2])

    def to_dict(self) -> dict[str, Any]:
        """Plain data, as `recovery buddies --format json` prints it."""
        return {
            "schema_version": SCHEMA_VERSION,
            "members": list(self.members),
            "map": [
                {
                    "instance": protected,
                    "buddies": [
                        {
                            "instance": buddy,
                            "failed_together": self.together(protected, buddy)[0],
                            "failed_together_in_other_configurations": self.together(
                                protected, buddy
                            )[1],
                        }
                        for buddy in chosen
                    ],
                    "ring": list(self.ring[protected]),
                    "redo_mb_per_s": self.redo.get(protected),
                }
                for protected, chosen in sorted(self.buddies.items())
            ],
            "load": [
                {
                    "buddy": buddy,
                    "serves": [p for p, chosen in sorted(self.buddies.items()) if buddy in chosen],
                    "reads_mb_per_s": self.reads(buddy) if self.redo else None,
                }
                for buddy in self.members
            ],
            "pairs": [
                {"instances": [one, other], "failed_together": times}
                for one, other, times in self.pairs
            ],
            "failures": [each.to_dict() for each in self.history.departures],
            "configurations": [sorted(each) for each in dict.fromkeys(self.history.configurations)],
            "reconfigurations_without_lists": self.history.unlisted,
            "shutdowns": self.history.shutdowns,
        }


def plan(
    history: History, members: tuple[int, ...], wanted: int, redo: Mapping[int, float]
) -> Plan:
    """The map for the members of a cluster."""
    return Plan(
        members, simulation_setup.recommend(members, wanted, history.failures, redo),
        simulation_setup.ring(members, wanted), history, redo,
    )  # fmt: skip
