"""The models of what would be if: redo, logs, temporary and undo I/O, recovery target."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from awrlens.advice import curve, device_time
from awrlens.advice.commit_model import commits
from awrlens.advice.device_time import Speed
from awrlens.curves import Curves, between
from awrlens.units import plain

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from awrlens.advice.device_time import Part
    from awrlens.model import Fact

_MB: Final = 2**20
_GIVEN: Final = "as given, with what its size takes"


class Change(NamedTuple):
    """What is changed; None stays as it is. Latencies are those of one operation.

    ``mb_s`` is the throughput of a device: what the size of an operation adds to its latency.
    ``temp_ms`` and ``undo_ms`` are a read's; a write of temporary segments takes as long where
    ``temp_write_ms`` is not given, one of undo stays as it is without ``undo_write_ms``.
    """

    redo_ms: float | None = None
    temp_ms: float | None = None
    undo_ms: float | None = None
    mttr_s: float | None = None
    redo_log_mb: float | None = None
    pga_mb: float | None = None
    mb_s: float | None = None
    temp_write_ms: float | None = None
    undo_write_ms: float | None = None


#: What changes nothing by itself.
QUALIFIERS: Final = frozenset({"mb_s", "temp_write_ms", "undo_write_ms"})


class Line(NamedTuple):
    """One quantity before and after, and the model that says so."""

    name: str
    unit: str
    before: float
    after: float
    model: str


class Case:
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
        """The value of a fact, if there is one."""
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
        """One quantity before and after."""
        self.lines.append(Line(name, unit, before, after, model))

    def waits(self, name: str, before: float, after: float, model: str) -> None:
        """Seconds waited: what is saved, or lost, of DB time."""
        after = max(0.0, after)
        self.line(name, "s", before, after, model)
        self.saved_s.append(before - after)


def _redo(case: Case) -> None:
    """A log write of another duration: each commit waits that much less, or more, and its queue."""
    latency = case.change.redo_ms
    if latency is None or case.needs("redo latency", "redo.local_write_ms") is None:
        return
    now = commits(case.facts)
    outcome = device_time.redo(case.facts, Speed(latency, latency, case.change.mb_s))
    if now is None or outcome is None:
        return
    new = outcome.write_ms
    device = "as given" if new == latency else (
        f"{plain(latency, 3)} ms and {now.write_bytes / 1024:,.0f} KB at "
        f"{case.change.mb_s:,.0f} MB/s"
    )  # fmt: skip
    case.line("redo.local_write_ms", "ms", now.write_ms, new, device)
    if new > now.write_ms:
        case.conflicts.append(
            f"A redo write takes {plain(now.write_ms, 3)} ms now: {plain(new, 3)} ms would be "
            "slower."
        )
    if outcome.overrun:
        case.conflicts.append("LGWR could not keep up with the redo at this latency.")
    found = case.needs("commit waits", "redo.sync_wait_s", "redo.commit_waits")
    if found is None:
        return
    waited, _ = found
    if now.waits and now.commit_ms:
        case.line(
            "redo.commit_ms", "ms", now.commit_ms, outcome.commit_ms,
            f"write {plain(now.write_ms, 3)}, queue for LGWR {plain(now.queue_ms, 3)}, rest "
            f"{plain(now.rest_ms, 3)} ms now; write {plain(new, 3)} and queue "
            f"{plain(outcome.queue_ms, 3)} ms then",
        )  # fmt: skip
        case.waits(
            "redo.sync_wait_s", waited, waited - outcome.commit_saved_s,
            f"{now.waits:,.0f} commits, each as much shorter",
        )  # fmt: skip
    if outcome.buffer_saved_s:
        case.waits(
            "redo.buffer_wait_s", now.buffer_wait_s, now.buffer_wait_s - outcome.buffer_saved_s,
            f"LGWR is writing {now.busy * 100:.0f} % of the time: the log buffer empties as it "
            "writes",
        )  # fmt: skip


def _logs(case: Case) -> None:
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


def _logs_and_recovery(case: Case, size_mb: float) -> None:
    """The redo that recovery may have to read grows as the logs do, their number staying."""
    limit = case.get("checkpoint.log_size_redo_blocks")
    # where the report does not give a log's size (from 10g on), take what is written to one
    now_mb = case.get("redo.log_mb") or case.get("redo.mb_per_switch")
    if not limit or not now_mb:
        return
    known = case.get("redo.log_mb")
    model = "as given" if known else "as given; before: redo written between two switches"
    case.line("redo.log_mb", "MB", now_mb, size_mb, model)
    new_limit = limit * size_mb / now_mb
    case.line(
        "checkpoint.log_size_redo_blocks", "count", limit, new_limit,
        "in proportion to the logs, whose number stays",
    )  # fmt: skip
    target = case.change.mttr_s or case.get("checkpoint.target_mttr_s")
    if case.facts["checkpoint.binding_limit"].value == "log_size" and not target:
        case.conflicts.append(
            "Log size is what drives checkpoints now, and no recovery target is set: larger "
            f"logs let recovery read up to {new_limit / limit:.1f} times as much redo. Set "
            "FAST_START_MTTR_TARGET with them."
        )


def _temp(case: Case) -> None:
    """Temporary I/O: memory ends a part of it, storage shortens the rest."""
    new, pga_mb = case.change.temp_ms, case.change.pga_mb
    if new is None and pga_mb is None:
        return
    found = case.needs("temporary I/O", "temp.direct_wait_s")
    remains = 1.0
    shorter: float | None = None
    models = []
    if pga_mb is not None:
        share = _after_memory(case, pga_mb)
        if share is not None:
            remains = share
            models.append(f"{share * 100:.0f} % of the work areas' disk I/O remains")
    if new is not None:
        shorter = _shorter(case, 0.0 if found is None else found[0], new)
        if shorter is not None:
            models.append(f"{plain(new, 3)} ms for each read and write")
    if found is not None and models:
        waited = found[0]
        after = waited * remains * (1.0 if shorter is None else shorter)
        case.waits("temp.direct_wait_s", waited, after, "; ".join(models))
    if shorter is not None and shorter > 1:
        case.conflicts.append("Temporary I/O would be slower than it is now.")


def _shorter(case: Case, waited_s: float, read_ms: float) -> float | None:
    """What remains of the temporary waits at a latency, reads and writes each for themselves."""
    write_ms = case.change.temp_write_ms or read_ms
    parts = device_time.temp(case.facts, waited_s, Speed(write_ms, read_ms, case.change.mb_s))
    for part in parts:
        if part.now_ms:
            case.line(part.fact, "ms", part.now_ms, part.device_ms, _GIVEN)
    if all(part.now_ms is None for part in parts):
        case.needs("temporary latency", "temp.read_ms")
        return None
    whole = sum(part.waited_s for part in parts)
    # of waits whose latency is not known nothing is said: they stay
    return 1.0 - (device_time.saved_s(parts) or 0.0) / whole if whole else 1.0


def _after_memory(case: Case, pga_mb: float) -> float | None:
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


def _host_memory(case: Case, now_mb: float, pga_mb: float) -> None:
    host = case.get("pga.host_memory_mb")
    if host and pga_mb > host:
        case.conflicts.append(
            f"The host has {host:,.0f} MB of memory: {pga_mb:,.0f} MB cannot be held."
        )
    elif pga_mb > now_mb:
        case.conflicts.append(
            f"{pga_mb - now_mb:,.0f} MB more are taken from the host: check that they are free."
        )


def _undo(case: Case) -> None:
    """Undo at another latency: its reads, and with writes the waits for buffers and for DBWR."""
    new = case.change.undo_ms
    if new is None:
        return
    write_ms = case.change.undo_write_ms
    reads, *others = device_time.undo(
        case.facts, 0.0, Speed(write_ms or new, new, case.change.mb_s)
    )
    if write_ms:
        _undo_writes(case, others)
    if case.needs("undo latency", "undo.read_ms", "undo.read_wait_s") is None:
        return
    now, then = reads.now_ms, reads.device_ms
    if not now:
        case.not_assessed.append("undo latency: undo was not read in this interval")
        return
    case.line("undo.read_ms", "ms", now, then, _GIVEN)
    case.waits(
        "undo.read_wait_s", reads.waited_s, reads.waited_s - (reads.saved_s or 0.0),
        f"a read takes {plain(then, 3)} instead of {plain(now, 3)} ms",
    )  # fmt: skip
    if then > now:
        case.conflicts.append("Undo reads would be slower than they are now.")


def _undo_writes(case: Case, parts: list[Part]) -> None:
    """Waits that last as long as writes of undo do."""
    for name, part in zip(("undo.buffer_wait_s", "checkpoint.buffer_wait_s"), parts, strict=False):
        if not part.waited_s:
            continue
        if part.saved_s is None or not part.now_ms:
            case.needs(name, part.fact)
            continue
        whole = case.get(name) or 0.0
        case.waits(
            name, whole, whole - part.saved_s,
            f"a write takes {plain(part.device_ms, 3)} instead of {plain(part.now_ms, 3)} ms"
            + ("" if whole == part.waited_s else "; in undo's share of what DBWR writes"),
        )  # fmt: skip


def _recovery(case: Case) -> None:
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


def _writes(case: Case, new_s: float) -> None:
    """Physical writes at another recovery target, and what they meet on the same disks."""
    found = case.needs("physical writes", "load.physical_writes_per_s")
    price = curve.price(case.facts, new_s)
    if price is None or price.extra_writes_per_s is None:
        case.not_assessed.append(
            "physical writes: neither MTTR Advisory nor the estimated recovery time is printed"
        )
        return
    if found is None:
        return
    before = found[0]
    after = max(0.0, before + price.extra_writes_per_s)
    case.line("load.physical_writes_per_s", "1/s", before, after, price.why)
    if not price.advised and price.extra_writes_per_s:
        case.not_assessed.append(
            "physical writes: the report prints no MTTR Advisory; another system's curve stands in"
        )
    if after <= before:
        return
    more = (
        f"{(after - before) * 100 / before:.0f} % more physical writes" if before else "More writes"
    )
    if (case.get("checkpoint.buffer_wait_s") or 0.0) > 0:
        case.conflicts.append(f"{more}, and sessions wait for DBWR already.")
    if case.change.redo_ms is None and case.get("redo.sync_wait_s"):
        case.conflicts.append(f"{more}: they slow down redo where both share disks.")


#: All models, in the order in which they are shown.
MODELS: Final[tuple[Callable[[Case], None], ...]] = (_redo, _logs, _temp, _undo, _recovery)
