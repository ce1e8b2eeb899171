"""A buddy map for a real cluster: safe by its failures, balanced by the redo of its instances.

Source: Buddy Instance, section 5. Oracle 12.2 and later sets its own map; no parameter changes it.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Any

from awrlens.model import SCHEMA_VERSION
from awrlens.records import NamedTuple
from awrlens.simulate import buddies

if TYPE_CHECKING:
    from collections.abc import Mapping

    from awrlens.recovery.members import History
    from awrlens.simulate.buddies import BuddyMap


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
        return buddies.together(one, other, self.members, self.history.failures)

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
        members, buddies.recommend(members, wanted, history.failures, redo),
        buddies.ring(members, wanted), history, redo,
    )  # fmt: skip
