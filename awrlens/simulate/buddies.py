"""The buddy map and the recovery instance. Source: Buddy Instance, sections 4.2 and 5."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

#: Protected instance → its buddies, the first choice first.
BuddyMap = dict[int, tuple[int, ...]]


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
    members: Iterable[int], buddies: int, failures: Collection[Collection[int]]
) -> BuddyMap:
    """The buddies that failed least often together with the instance that they protect.

    ``failures`` has the instances of every earlier failure. For equal counts the ring decides, so
    without a history the result is the ring. # Buddy Instance, section 5
    """
    order = sorted(members)
    found = {}
    for protected, others in ring(order, len(order) - 1).items():
        together = {
            other: sum(1 for each in failures if protected in each and other in each)
            for other in others
        }
        found[protected] = tuple(sorted(others, key=together.__getitem__)[:buddies])
    return found


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
