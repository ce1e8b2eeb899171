"""What a run is asked for, and what cannot be asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from awrlens.errors import UsageError
from awrlens.simulate.recovery_set import Scan

if TYPE_CHECKING:
    from awrlens.simulate.load import Load, Rates


class At(NamedTuple):
    """Something that happens to an instance at a time."""

    instance: int
    at_s: float


class Setup(NamedTuple):
    """What a run is asked for; ``failures_before`` are those that buddies are recommended from."""

    load: Load
    rates: Rates
    mttr_s: float
    duration_s: float
    instances: int = 2
    buddies: int = 1
    fail: tuple[At, ...] = ()
    join: tuple[At, ...] = ()
    scan: Scan = Scan()
    seed: int = 1
    sample_s: float = 10.0
    failures_before: tuple[tuple[int, ...], ...] = ()


def joins_later(number: int, setup: Setup) -> bool:
    """Whether what happens first to an instance is that it joins."""
    joins = [each.at_s for each in setup.join if each.instance == number]
    fails = [each.at_s for each in setup.fail if each.instance == number]
    return bool(joins) and min(joins) <= min(fails, default=min(joins))


def check(setup: Setup) -> None:
    """UsageError where a run cannot be as it is asked for."""
    if not setup.instances:
        raise UsageError("A cluster has at least one instance.")
    for each in (*setup.fail, *setup.join):
        if not 1 <= each.instance <= setup.instances:
            raise UsageError(
                f"There is no instance {each.instance}.",
                hint=f"The cluster has instances 1 to {setup.instances} (--instances).",
            )
        if not 0 <= each.at_s <= setup.duration_s:
            raise UsageError(
                f"{each.at_s:g} s is not within the {setup.duration_s:g} s of the simulation.",
                hint="Give a longer --minutes.",
            )
