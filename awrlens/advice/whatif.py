"""What would be if: other storage, other log sizes, more memory, another recovery target.

Every line says before, after and by which model. Waits of different events are apart, so what
they save may be added; memory and storage for the same temporary I/O multiply instead. No wait
saves more than itself, and the load is taken to stay as it is. A slower device costs time: its
saving is negative. All of it is an estimate and no upper bound: locks that are held across commits,
and whoever waits for them, are not counted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from awrlens.advice import storage
from awrlens.advice import storage_case as verdict
from awrlens.advice.devices import DEVICES
from awrlens.advice.storage_temp import temp_saved_s
from awrlens.advice.storage_undo import undo_saved_s
from awrlens.advice.whatif_models import MODELS, QUALIFIERS, Case, Change, Line
from awrlens.errors import UsageError
from awrlens.weigh import Scale

if TYPE_CHECKING:
    from collections.abc import Mapping

    from awrlens.advice.devices import Device
    from awrlens.curves import Curves
    from awrlens.model import Fact, Finding, Impact
    from awrlens.policy import Policy

__all__ = ["Change", "DeviceSaving", "Line", "Outcome", "by_device", "estimate"]


class Outcome(NamedTuple):
    """What the changes do together, what they cost, and what cannot be said."""

    lines: tuple[Line, ...]
    saving: Impact
    conflicts: tuple[str, ...]
    not_assessed: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "changes": [line._asdict() for line in self.lines],
            "saving": self.saving.to_dict(),
            "conflicts": list(self.conflicts),
            "not_assessed": list(self.not_assessed),
        }


def estimate(facts: Mapping[str, Fact], curves: Curves, change: Change, policy: Policy) -> Outcome:
    """Before and after for one report; UsageError when nothing is changed or a value is not > 0."""
    given = {name: value for name, value in change._asdict().items() if value is not None}
    if not given.keys() - QUALIFIERS:
        raise UsageError(
            "Nothing is changed.", hint="Give one of the options, e.g. --redo-latency 0.2ms."
        )
    for name, value in given.items():
        if not value > 0:
            raise UsageError(f"{name} is {value:g}: it must be above 0.")
    case = Case(facts, curves, change)
    for model in MODELS:
        model(case)
    scale = Scale(facts, policy)
    saved = min(sum(case.saved_s), facts["load.response_s"].number or sum(case.saved_s))
    if scale.known and case.saved_s:
        before = facts["load.response_s"].number or 0.0
        case.line("load.response_s", "s", before, before - saved, "less what is saved above")
    return Outcome(
        tuple(case.lines),
        scale.impact(saved if case.saved_s else None, "the load stays as it is"),
        tuple(case.conflicts),
        tuple(case.not_assessed),
    )


class DeviceSaving(NamedTuple):
    """Seconds that one kind of storage would save, each segment for itself; below 0: lose."""

    device: Device
    redo_s: float | None
    temp_s: float | None
    undo_s: float | None
    pct_db_time: float | None

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {**self.device._asdict(), **self._asdict(), "device": self.device.name}


def by_device(
    facts: Mapping[str, Fact], findings: tuple[Finding, ...], policy: Policy
) -> tuple[DeviceSaving, ...]:
    """What each kind of storage would save, as the verdicts count it; the share is of all three."""
    found = []
    for device in DEVICES.values():
        case = verdict.Case(facts, findings, policy.under(device.settings, device.name))
        redo, temp, undo = storage.redo_saved_s(case), temp_saved_s(case), undo_saved_s(case)
        known = [seconds for seconds in (redo, temp, undo) if seconds is not None]
        share = case.scale.share(sum(known)) if known else None
        found.append(DeviceSaving(device, redo, temp, undo, share))
    return tuple(found)
