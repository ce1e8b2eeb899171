"""What would be if: other storage, other log sizes, more memory, another recovery target.

Every line says before, after and by which model. Waits of different events are apart, so what
they save may be added; memory and storage for the same temporary I/O multiply instead. Nothing
saves more than is waited (Amdahl's law), and the load is taken to stay as it is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from awrlens.advice import curve
from awrlens.advice.devices import DEVICES
from awrlens.curves import Curves, between
from awrlens.errors import UsageError
from awrlens.weigh import Scale

if TYPE_CHECKING:
    from collections.abc import Mapping

    from awrlens.advice.devices import Device
    from awrlens.model import Fact, Impact
    from awrlens.policy import Policy

_MB: Final = 2**20
_REDO_BLOCK: Final = 512


class Change(NamedTuple):
    """What is changed; None stays as it is. Latencies are those of one operation."""

    redo_ms: float | None = None
    temp_ms: float | None = None
    undo_ms: float | None = None
    mttr_s: float | None = None
    redo_log_mb: float | None = None
    pga_mb: float | None = None


class Line(NamedTuple):
    """One quantity before and after, and the model that says so."""

    name: str
    unit: str
    before: float
    after: float
    model: str


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
            "saving": {**self.saving.to_dict(), "upper_bound": True},
            "conflicts": list(self.conflicts),
            "not_assessed": list(self.not_assessed),
        }


class _Case:
    """A report's facts and curves, and what is found out about the change."""

    def __init__(self, facts: Mapping[str, Fact], curves: Curves, change: Change) -> None:
        self.facts = facts
        self.curves = curves
        self.change = change
        self.lines: list[Line] = []
        self.saved_s: list[float] = []
        self.conflicts: list[str] = []
        self.not_assessed: list[str] = []

    def get(self, name: str) -> float | None:
        return self.facts[name].number

    def needs(self, what: str, *names: str) -> list[float] | None:
        """The values of some facts; None, and said so, where one of them is not known."""
        missing = [name for name in names if self.get(name) is None]
        if missing:
            why = "; ".join(f"{name}: {self.facts[name].note}" for name in missing)
            self.not_assessed.append(f"{what}: {why}")
            return None
        return [self.get(name) or 0.0 for name in names]

    def line(self, name: str, unit: str, before: float, after: float, model: str) -> None:
        self.lines.append(Line(name, unit, before, after, model))

    def waits(self, name: str, before: float, after: float, model: str) -> None:
        """Seconds waited: what is saved, or lost, of DB time."""
        after = max(0.0, after)
        self.line(name, "s", before, after, model)
        self.saved_s.append(before - after)


def reckon(facts: Mapping[str, Fact], curves: Curves, change: Change, policy: Policy) -> Outcome:
    """Before and after for one report; UsageError when nothing is changed or a value is not > 0."""
    given = {name: value for name, value in change._asdict().items() if value is not None}
    if not given:
        raise UsageError(
            "Nothing is changed.", hint="Give one of the options, e.g. --redo-latency 0.2ms."
        )
    for name, value in given.items():
        if not value > 0:
            raise UsageError(f"{name} is {value:g}: it must be above 0.")
    case = _Case(facts, curves, change)
    for part in (_redo, _logs, _temp, _undo, _recovery):
        part(case)
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
    """Seconds that one kind of storage would save at most, each segment for itself."""

    device: Device
    redo_s: float | None
    temp_s: float | None
    undo_s: float | None
    pct_db_time: float | None

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {**self.device._asdict(), **self._asdict(), "device": self.device.name}


def by_device(facts: Mapping[str, Fact], policy: Policy) -> tuple[DeviceSaving, ...]:
    """What each kind of storage would save; the share is of all three together."""
    found = []
    for device in DEVICES.values():
        changes = (
            Change(redo_ms=device.write_ms),
            Change(temp_ms=device.read_ms),
            Change(undo_ms=device.read_ms),
        )
        redo, temp, undo = (
            reckon(facts, Curves(), change, policy).saving.seconds for change in changes
        )
        known = [seconds for seconds in (redo, temp, undo) if seconds is not None]
        share = Scale(facts, policy).share(sum(known)) if known else None
        found.append(DeviceSaving(device, redo, temp, undo, share))
    return tuple(found)


def _redo(case: _Case) -> None:
    """A log write of another duration: each commit waits that much less, or more."""
    new = case.change.redo_ms
    if new is None:
        return
    name = next(
        (n for n in ("redo.parallel_write_ms", "redo.write_ms") if case.get(n) is not None), None
    )
    if name is None:
        case.needs("redo latency", "redo.parallel_write_ms")
        return
    now = case.get(name) or 0.0
    case.line(name, "ms", now, new, "as given")
    if new > now:
        case.conflicts.append(
            f"A redo write takes {now:.3g} ms now: {new:.3g} ms would be slower than what is there."
        )
    found = case.needs("commit waits", "redo.sync_wait_s", "redo.sync_count")
    if found is None:
        return
    waited, count = found
    after = waited - min(waited, count * (now - new) / 1000)
    model = f"`log file sync`: {count:,.0f} waits × ({now:.3g} − {new:.3g}) ms less"
    case.waits("redo.sync_wait_s", waited, after, model)


def _logs(case: _Case) -> None:
    """Logs of another size: fewer or more switches at the same redo rate."""
    size_mb = case.change.redo_log_mb
    if size_mb is None:
        return
    found = case.needs("redo log size", "redo.bytes_written_per_s")
    if found is None:
        return
    rate = found[0]
    switches = case.get("redo.log_switches_per_hour")
    fewer = rate * 3600 / (size_mb * _MB)
    if switches:
        case.line(
            "redo.log_switches_per_hour", "1/h", switches, fewer,
            f"{rate:,.0f} B/s of redo in logs of {size_mb:,.0f} MB",
        )  # fmt: skip
        waited = case.get("redo.log_switch_wait_s")
        if waited:
            share = min(1.0, fewer / switches) if fewer <= switches else fewer / switches
            case.waits(
                "redo.log_switch_wait_s", waited, waited * share,
                "waits in proportion to the switches; those for a checkpoint or the archiver "
                "remain if these cannot keep up",
            )  # fmt: skip
    else:
        case.not_assessed.append(
            f"log switches: their present number is not printed; with {size_mb:,.0f} MB they are "
            f"{fewer:.1f} per hour"
        )
    _logs_and_recovery(case, size_mb)


def _logs_and_recovery(case: _Case, size_mb: float) -> None:
    limit = case.get("checkpoint.log_size_redo_blocks")
    if limit:
        # document 1, "Upper Bound on MTTR": recovery needs at most 90 % of the smallest log
        new_limit = size_mb * _MB / _REDO_BLOCK * 0.9
        case.line(
            "checkpoint.log_size_redo_blocks", "count", limit, new_limit,
            "90 % of the smallest log, in blocks of 512 bytes",
        )  # fmt: skip
        target = case.change.mttr_s or case.get("checkpoint.target_mttr_s")
        if case.facts["checkpoint.binding_limit"].value == "log_size" and not target:
            case.conflicts.append(
                "Log size is what drives checkpoints now, and no recovery target is set: larger "
                f"logs let recovery read up to {new_limit / limit:.1f} times as much redo. Set "
                "FAST_START_MTTR_TARGET with them."
            )


def _temp(case: _Case) -> None:
    """Temporary I/O: memory ends a part of it, storage shortens the rest."""
    new, pga_mb = case.change.temp_ms, case.change.pga_mb
    if new is None and pga_mb is None:
        return
    found = case.needs("temporary I/O", "temp.direct_wait_s")
    remains, shorter = 1.0, 1.0
    models = []
    if pga_mb is not None:
        share = _after_memory(case, pga_mb)
        if share is not None:
            remains = share
            models.append(f"{share * 100:.0f} % of the work areas' disk I/O remains")
    if new is not None:
        now = case.get("temp.read_ms")
        if now:
            case.line("temp.read_ms", "ms", now, new, "as given")
            shorter = new / now
            models.append(f"a read takes {new:.3g} instead of {now:.3g} ms")
        else:
            case.needs("temporary latency", "temp.read_ms")
    if found is not None and models:
        waited = found[0]
        case.waits("temp.direct_wait_s", waited, waited * remains * shorter, "; ".join(models))
    if shorter > 1:
        case.conflicts.append("Temporary reads would be slower than they are now.")


def _after_memory(case: _Case, pga_mb: float) -> float | None:
    """Share of the work areas' disk I/O that remains at a target, by Oracle's own advisory."""
    points = [(p.target_mb, p.extra_mb) for p in case.curves.pga]
    now = next((p for p in case.curves.pga if p.is_now), None)
    if now is None:
        case.not_assessed.append("PGA: the report prints no PGA Memory Advisory with factor 1")
        return None
    extra = between(points, pga_mb)
    if extra is None:
        low, high = points[0][0], points[-1][0]
        case.not_assessed.append(
            f"PGA: the advisory reaches from {low:,.0f} to {high:,.0f} MB, not to {pga_mb:,.0f} MB"
        )
        return None
    case.line("pga_aggregate_target", "MB", now.target_mb, pga_mb, "as given")
    case.line(
        "pga_advisory.extra_mb", "MB", now.extra_mb, extra,
        "PGA Memory Advisory, straight lines between its rows",
    )  # fmt: skip
    over = between([(p.target_mb, p.over_allocations or 0.0) for p in case.curves.pga], pga_mb)
    if over:
        case.conflicts.append(
            f"At {pga_mb:,.0f} MB the advisory still expects {over:,.0f} over-allocations: more "
            "memory will be used than the target says."
        )
    _host_memory(case, now.target_mb, pga_mb)
    if now.extra_mb:
        return extra / now.extra_mb
    if extra:
        case.conflicts.append(
            f"Work areas need no disk now; at {pga_mb:,.0f} MB {extra:,.0f} MB would go there."
        )
    return None


def _host_memory(case: _Case, now_mb: float, pga_mb: float) -> None:
    host = case.facts.get("host.memory_mb")
    if host is not None and host.number and pga_mb > host.number:
        case.conflicts.append(
            f"The host has {host.number:,.0f} MB of memory: {pga_mb:,.0f} MB cannot be held."
        )
    elif pga_mb > now_mb:
        case.conflicts.append(
            f"{pga_mb - now_mb:,.0f} MB more are taken from the host: check that they are free."
        )


def _undo(case: _Case) -> None:
    """Undo reads at another latency; waits for undo buffers end with the reads they wait for."""
    new = case.change.undo_ms
    if new is None:
        return
    found = case.needs("undo latency", "undo.read_ms", "undo.read_wait_s")
    if found is None:
        return
    now, waited = found
    if not now:
        case.not_assessed.append("undo latency: undo was not read in this interval")
        return
    case.line("undo.read_ms", "ms", now, new, "as given")
    case.waits(
        "undo.read_wait_s", waited, waited * new / now,
        f"a read takes {new:.3g} instead of {now:.3g} ms",
    )  # fmt: skip
    if new > now:
        case.conflicts.append("Undo reads would be slower than they are now.")


def _recovery(case: _Case) -> None:
    """Another recovery target: writes by Oracle's own advisory."""
    new = case.change.mttr_s
    if new is None:
        return
    now = case.get("checkpoint.target_mttr_s")
    if now is not None:
        case.line("checkpoint.target_mttr_s", "s", now, new, "as given")
    _writes(case, new)
    lowest = case.get("checkpoint.lowest_mttr_s")
    if lowest is not None and new < lowest:
        case.conflicts.append(
            f"{new:.0f} s is below the lowest target that can be kept, {lowest:.0f} s: Oracle "
            "will reset it to that."
        )


def _writes(case: _Case, new_s: float) -> None:
    """Physical writes at another recovery target, and what they meet on the same disks."""
    found = case.needs("physical writes", "load.physical_writes_per_s")
    own = curve.advisory(case.facts)
    if own is None:
        case.not_assessed.append(
            "physical writes: the report prints no MTTR Advisory (only where a target is set)"
        )
        return
    low, high = own.points[0][0], own.points[-1][0]
    if not low <= new_s <= high:
        case.not_assessed.append(
            f"physical writes: MTTR Advisory reaches from {low:,.0f} to {high:,.0f} s"
        )
        return
    needs = ("checkpoint.advised_now_s", "checkpoint.cache_writes_per_s")
    price = curve.price(case.facts, new_s) if case.needs("physical writes", *needs) else None
    if found is None or price is None or price.extra_writes_per_s is None:
        return
    before = found[0]
    after = max(0.0, before + price.extra_writes_per_s)
    case.line(
        "load.physical_writes_per_s", "1/s", before, after,
        f"MTTR Advisory: {price.factor:.2f} times the writes out of the cache; between its rows a "
        f"{curve.METHOD}",
    )  # fmt: skip
    if after <= before:
        return
    more = (
        f"{(after - before) * 100 / before:.0f} % more physical writes" if before else "More writes"
    )
    felt = (case.get("checkpoint.buffer_wait_s") or 0.0) > 0
    if felt:
        case.conflicts.append(f"{more}, and sessions wait for DBWR already.")
    if case.change.redo_ms is None and case.get("redo.sync_wait_s"):
        case.conflicts.append(f"{more}: they slow down redo where both share disks.")
