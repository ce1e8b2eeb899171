"""What differs between two periods: facts, and parameters that were changed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from awrlens.model import Change, Comparison, Difference

if TYPE_CHECKING:
    from collections.abc import Mapping

    from awrlens.model import Fact


def compare(
    first: Mapping[str, Fact],
    second: Mapping[str, Fact],
    parameters: tuple[Mapping[str, str], Mapping[str, str]],
) -> Comparison:
    """Facts that are numbers in both periods, and parameters with another value.

    ``parameters`` are the values printed in the first and the second period.
    """
    facts = [
        Difference(name, fact.unit, fact.number, other.number, _change_pct(fact, other))
        for name, fact in first.items()
        if (other := second[name]).number is not None and fact.number is not None
    ]
    before, after = parameters
    changed = [
        Change(name, before.get(name, ""), after.get(name, ""))
        for name in dict.fromkeys([*before, *after])
        if before.get(name, "") != after.get(name, "")
    ]
    return Comparison(tuple(facts), tuple(changed))


def _change_pct(first: Fact, second: Fact) -> float | None:
    """Change in percent of the first value; None where that is 0."""
    a, b = first.number, second.number
    return (b - a) * 100 / a if a and b is not None else None
