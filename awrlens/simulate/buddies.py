"""The buddy map and the recovery instance. Source: Buddy Instance, sections 4.2 and 5."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from awrlens.records import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

#: Protected instance → its buddies, the first choice first.
BuddyMap = dict[int, tuple[int, ...]]


class Failure(NamedTuple):
    """Instances that failed together, and the cluster configuration until then.

    Without ``members`` the failure counts for every configuration.
    """

    failed: frozenset[int]
    members: frozenset[int] | None = None


def ring(members: Iterable[int], buddies: int = 1) -> BuddyMap:
    """The buddy map of a cluster: the preceding instances in a ring are the buddies.

    With one buddy, instance 1 protects 2, 2 protects 3, and the last protects 1 (Buddy Instance,
    figure 5). In a cluster of n instances, an instance has up to n - 1 buddies (section 5).
    """
    order = sorted(members)
    return {
        protected: tuple(order[place - step] for step in range(1, min(buddies, len(order) - 1) + 1))
        for place, protected in enumerate(order)
    }


def recommend(
    members: Iterable[int],
    buddies: int,
    failures: Collection[Failure],
    redo: Mapping[int, float] | None = None,
) -> BuddyMap:
    """The buddies that failed least often together with the instance that they protect.

    Failures of the same cluster configuration count first (Buddy Instance, section 5.2), those of
    other configurations decide between equals. Among buddies that are equally safe, the redo that
    they read is balanced; ``redo`` has the redo of every instance, without it all are equal. What
    is still equal follows the ring, so without a history the result is the ring.
    """
    order = sorted(members)
    weight = {each: (redo or {}).get(each, 1.0) for each in order}
    safety = {each: _safety(each, order, failures) for each in order}
    load = dict.fromkeys(order, 0.0)
    chosen: dict[int, list[int]] = {each: [] for each in order}
    near = ring(order, len(order) - 1)
    for protected in sorted(order, key=lambda each: -weight[each]):
        for _ in range(min(buddies, len(order) - 1)):
            others = [each for each in near[protected] if each not in chosen[protected]]
            best = min(others, key=lambda each: (safety[protected][each], load[each]))
            chosen[protected].append(best)
            load[best] += weight[protected]
    while _improve(chosen, load, weight, safety):
        pass
    return {
        protected: tuple(
            sorted(found, key=lambda e: (safety[protected][e], near[protected].index(e)))
        )
        for protected, found in chosen.items()
    }


def together(
    one: int, other: int, members: Collection[int], failures: Iterable[Failure]
) -> tuple[int, int]:
    """How often two instances failed together: in this configuration, and in others."""
    both = [each for each in failures if one in each.failed and other in each.failed]
    same = sum(each.members is None or each.members == set(members) for each in both)
    return same, len(both) - same


def _safety(
    protected: int, members: list[int], failures: Collection[Failure]
) -> dict[int, tuple[int, int]]:
    return {
        other: together(protected, other, members, failures)
        for other in members
        if other != protected
    }


def _improve(
    chosen: dict[int, list[int]],
    load: dict[int, float],
    weight: Mapping[int, float],
    safety: Mapping[int, Mapping[int, tuple[int, int]]],
) -> bool:
    """Moves protected instances between equally safe buddies if that balances the load."""
    for start in sorted(load, key=lambda each: -load[each]):
        for path in _paths(start, chosen, safety):
            changed = dict(load)
            for protected, old, new in path:
                changed[old] -= weight[protected]
                changed[new] += weight[protected]
            if _unevenness(changed) < _unevenness(load) * (1 - 1e-9):
                for protected, old, new in path:
                    chosen[protected][chosen[protected].index(old)] = new
                load.update(changed)
                return True
    return False


def _unevenness(load: Mapping[int, float]) -> float:
    return sum(each * each for each in load.values())


def _paths(
    start: int,
    chosen: Mapping[int, list[int]],
    safety: Mapping[int, Mapping[int, tuple[int, int]]],
) -> Iterator[list[tuple[int, int, int]]]:
    """Chains of moves that begin at a buddy: protected instance, its buddy, its new buddy."""
    seen = {start}
    waiting: deque[tuple[int, list[tuple[int, int, int]]]] = deque([(start, [])])
    while waiting:
        buddy, path = waiting.popleft()
        for protected, own in chosen.items():
            if buddy not in own or any(protected == each[0] for each in path):
                continue
            equal = safety[protected][buddy]
            for new, value in safety[protected].items():
                if new in seen or new in own or value != equal:
                    continue
                seen.add(new)
                longer = [*path, (protected, buddy, new)]
                yield longer
                waiting.append((new, longer))


def recovery_instance(
    failed: Collection[int], survivors: Collection[int], holders: Mapping[int, Collection[int]]
) -> int | None:
    """The survivor with the recovery sets of most failed instances; None without a survivor.

    ``holders`` has the buddies with the recovery set of every failed instance. For equal numbers,
    the first survivor is used. # Buddy Instance, section 5.3
    """
    return max(
        sorted(survivors),
        key=lambda survivor: sum(survivor in holders.get(each, ()) for each in failed),
        default=None,
    )
