"""What-if estimates: other storage, redo log sizes, memory, or another recovery target.

Every line has a value before, a value after, and the model. Waits of different events do not
overlap, so their savings are added. Memory and storage for the same temporary I/O are multiplied
instead. No saving exceeds the wait itself, and the load is assumed not to change. A slower device
has a negative saving. Everything is an estimate, not an upper bound: waits for locks that are held
during commits are not counted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from awrlens.advice import storage_redo, storage_temp, storage_undo
from awrlens.advice.case import Case
from awrlens.advice.devices import DEVICES
from awrlens.advice.whatif_estimate import QUALIFIERS, Change, Estimate, Line
from awrlens.advice.whatif_models import MODELS
from awrlens.errors import UsageError
from awrlens.records import NamedTuple
from awrlens.wait_severity import Scale

if TYPE_CHECKING:
    from collections.abc import Mapping

    from awrlens.advice.devices import Device
    from awrlens.model import Fact, Impact
    from awrlens.model.target_curves import Curves
    from awrlens.policy import Policy

__all__ = ["Change", "DeviceSaving", "Line", "Outcome", "by_device", "estimate"]


class Outcome(NamedTuple):
    """The effect of the changes together, their conflicts, and what could not be estimated."""

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
    """Before and after for one report; UsageError without a change or if a value is not > 0."""
    given = {name: value for name, value in change._asdict().items() if value is not None}
    if not given.keys() - QUALIFIERS:
        raise UsageError(
            "No change is given.", hint="Give one of the options, e.g. --redo-latency 0.2ms."
        )
    for name, value in given.items():
        if not value > 0:
            raise UsageError(f"{name} is {value:g}; it must be above 0.")
    of = Estimate(facts, curves, change)
    for model in MODELS:
        model(of)
    scale, whole = Scale(facts, policy), facts["load.response_s"].number
    saved = min(sum(of.saved_s), whole or sum(of.saved_s)) if of.saved_s else None
    if scale.known and saved is not None:
        of.fact("load.response_s", whole or 0.0, (whole or 0.0) - saved, "minus the savings above")
    saving = scale.impact(saved, "the load does not change")
    return Outcome(tuple(of.lines), saving, tuple(of.conflicts), tuple(of.not_assessed))


class DeviceSaving(NamedTuple):
    """Seconds that one kind of storage would save, by segment; lost if below 0.

    ``overrun``: LGWR cannot keep up with the redo on it, so waits have no end.
    """

    device: Device
    saved_s: Mapping[str, float | None]
    pct_db_time: float | None
    overrun: bool

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        savings = {f"{segment}_s": seconds for segment, seconds in self.saved_s.items()}
        name = self.device.name
        own = {"device": name, "overrun": self.overrun, "pct_db_time": self.pct_db_time}
        return {**self.device.to_dict(), **savings, **own}


def by_device(case: Case) -> tuple[DeviceSaving, ...]:
    """The saving of every kind of storage, as in the verdicts; the share covers all three."""
    found = []
    for device in DEVICES.values():
        policy = case.policy.under(device.settings, device.name)
        other = Case.of(case.facts, case.findings, policy)
        saved_s = {
            "redo": storage_redo.saved_s(other),
            "temp": storage_temp.saved_s(other),
            "undo": storage_undo.saved_s(other),
        }
        known = [seconds for seconds in saved_s.values() if seconds is not None]
        overrun = storage_redo.is_overrun(other)
        share = case.scale.share(sum(known)) if known and not overrun else None
        found.append(DeviceSaving(device, saved_s, share, overrun))
    return tuple(found)
