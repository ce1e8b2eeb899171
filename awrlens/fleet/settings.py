"""Parameters that differ inside a cluster, or from most databases of the fleet."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Final

from awrlens.model.fleet import Difference
from awrlens.policy import Threshold

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from awrlens.policy import Policy

USUAL_PCT: Final = Threshold(
    "fleet.usual_pct", 80.0, "%",
    "minimum share of databases with the same value of a parameter for others to differ from it",
    "awrlens: below this there is no usual value",
)  # fmt: skip
LEAST: Final = Threshold(
    "fleet.least_databases", 5.0, "count",
    "minimum databases with a parameter for a usual value in the fleet",
    "awrlens: fewer are not a majority",
)  # fmt: skip
THRESHOLDS: Final = (USUAL_PCT, LEAST)

#: Shown for a parameter that a report does not print: it has its default.
DEFAULT: Final = "(default)"


def inside(
    clusters: Mapping[str, Mapping[str, Mapping[str, str]]],
) -> tuple[Difference, ...]:
    """What differs inside clusters: parameters by cluster and instance."""
    found = []
    for cluster, instances in sorted(clusters.items()):
        names = sorted({name for values in instances.values() for name in values})
        for name in names:
            held: dict[str, list[str]] = defaultdict(list)
            for instance, values in sorted(instances.items()):
                held[values.get(name, DEFAULT)].append(instance)
            if len(held) > 1:
                found.append(_difference(name, cluster, held))
    return tuple(found)


def from_fleet(
    databases: Mapping[str, Mapping[str, str]], policy: Policy
) -> tuple[Difference, ...]:
    """What differs from most databases; a parameter that is nowhere else is not compared."""
    found = []
    for name in sorted({name for values in databases.values() for name in values}):
        held: dict[str, list[str]] = defaultdict(list)
        for database, values in sorted(databases.items()):
            held[values.get(name, DEFAULT)].append(database)
        if len(held) < 2 or len(databases) < policy[LEAST]:  # noqa: PLR2004 - two values differ
            continue
        difference = _difference(name, "", held)
        if difference.share_pct >= policy[USUAL_PCT]:
            found.append(difference)
    return tuple(sorted(found, key=lambda each: (each.unlike, each.parameter)))


def _difference(name: str, within: str, held: Mapping[str, Iterable[str]]) -> Difference:
    by_count = sorted(held.items(), key=lambda each: (-len(list(each[1])), each[0]))
    usual, who = by_count[0]
    total = sum(len(list(each)) for each in held.values())
    return Difference(
        name, within, usual, len(list(who)) * 100 / total,
        tuple((value, tuple(names)) for value, names in by_count[1:]),
    )  # fmt: skip
