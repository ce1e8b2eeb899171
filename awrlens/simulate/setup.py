"""The setup of a run, and its validation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.errors import UsageError
from awrlens.records import NamedTuple
from awrlens.simulate.recovery_set import Scan

if TYPE_CHECKING:
    from awrlens.simulate.buddies import Failure
    from awrlens.simulate.load import Load, Rates


#: How long a cluster takes to detect that a node has failed: the default of the CSS misscount.
#: # Oracle Clusterware Administration and Deployment Guide 12.1, "crsctl get css": misscount 30
DETECTION_S: Final = 30.0
DETECTION_SOURCE: Final = (
    'Oracle Clusterware Administration and Deployment Guide 12.1, "crsctl get css": misscount is '
    "30 s by default"
)
#: From `Reconfiguration started` to `Post SMON to start 1st pass IR` in an alert log. No cited
#: document has it: an assumption.
RECONFIGURATION_S: Final = 3.0
RECONFIGURATION_SOURCE: Final = (
    "awrlens: an assumption; an alert log has it, from `Reconfiguration started` to `Post SMON to "
    "start 1st pass IR`"
)


class At(NamedTuple):
    """An event of an instance at a time."""

    instance: int
    at_s: float


class Setup(NamedTuple):
    """The setup of a run; buddies are recommended from ``failures_before``."""

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
    failures_before: tuple[Failure, ...] = ()
    #: Both are 0 in the published experiments, which end an instance on a running node.
    detection_s: float = 0.0
    reconfiguration_s: float = 0.0
    #: Rest of the reconfiguration, which runs at the same time as the first pass.
    #: # Buddy Instance, section 3.2
    rebuild_s: float = 0.0


def joins_later(number: int, setup: Setup) -> bool:
    """Whether the first event of an instance is that it joins."""
    joins = [each.at_s for each in setup.join if each.instance == number]
    fails = [each.at_s for each in setup.fail if each.instance == number]
    return bool(joins) and min(joins) <= min(fails, default=min(joins))


def check(setup: Setup) -> None:
    """UsageError if the setup is invalid."""
    if not setup.instances:
        raise UsageError("A cluster must have at least one instance.")
    for each in (*setup.fail, *setup.join):
        if not 1 <= each.instance <= setup.instances:
            raise UsageError(
                f"Instance {each.instance} does not exist.",
                hint=f"The cluster has instances 1 to {setup.instances} (--instances).",
            )
        if not 0 <= each.at_s <= setup.duration_s:
            raise UsageError(
                f"{each.at_s:g} s is outside the simulation (0 to {setup.duration_s:g} s).",
                hint="Increase --minutes.",
            )
