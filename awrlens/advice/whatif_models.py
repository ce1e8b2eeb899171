"""The what-if models: redo writes, redo log size, temporary and undo I/O, recovery target."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.advice import curve, device_time
from awrlens.advice.commit_model import commits
from awrlens.advice.devices import Speed
from awrlens.curves import Curves, between
from awrlens.records import NamedTuple
from awrlens.units import plain

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from awrlens.advice.device_time import Part
    from awrlens.model import Fact

_MB: Final = 2**20
_GIVEN: Final = "as given, plus the time for its size"


class Change(NamedTuple):
    """The changes; None: not changed. Latencies are those of one operation.

    ``mb_s`` is the throughput of a device: the size of an operation adds to its latency.
    ``temp_ms`` and ``undo_ms`` are the latencies of reads. Without ``temp_write_ms``, a temporary
    write takes as long as a read. Without ``undo_write_ms``, undo writes do not change.
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


#: Options that do not change anything on their own.
QUALIFIERS: Final = frozenset({"mb_s", "temp_write_ms", "undo_write_ms"})


class Line(NamedTuple):
    """One quantity before and after, and the model."""

    name: str
    unit: str
    before: float
    after: float
    model: str


class Case:
    """A report's facts and curves, and the results of the change."""

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
        """The values of facts; None, with a note, if one of them is not known."""
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
        """Seconds waited, and the DB time saved or lost."""
        after = max(0.0, after)
        self.line(name, "s", before, after, model)
        self.saved_s.append(before - after)


def _redo(case: Case) -> None:
    """A log write of another duration: commits and their queue become shorter or longer."""
    latency = case.change.redo_ms
    if latency is None or case.needs("redo latency", "redo.local_write_ms") is None:
        return
    now = commits(case.facts)
    outcome = device_time.redo(case.facts, Speed(latency, latency, case.change.mb_s))
    if now is None or outcome is None:
        return
    new = outcome.write_ms
    device = "as given" if new == latency else (
        f"{plain(latency, 3)} ms plus {now.write_bytes / 1024:,.0f} KB at "
        f"{case.change.mb_s:,.0f} MB/s"
    )  # fmt: skip
    case.line("redo.local_write_ms", "ms", now.write_ms, new, device)
    if new > now.write_ms:
        case.conflicts.append(
            f"A redo write takes {plain(now.write_ms, 3)} ms now; {plain(new, 3)} ms would be "
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
            f"now: write {plain(now.write_ms, 3)}, queue for LGWR {plain(now.queue_ms, 3)}, rest "
            f"{plain(now.rest_ms, 3)} ms; then: write {plain(new, 3)} and queue "
            f"{plain(outcome.queue_ms, 3)} ms",
        )  # fmt: skip
        case.waits(
            "redo.sync_wait_s", waited, waited - outcome.commit_saved_s,
            f"{now.waits:,.0f} commits, by the change per commit",
        )  # fmt: skip
    if outcome.buffer_saved_s:
        case.waits(
            "redo.buffer_wait_s", now.buffer_wait_s, now.buffer_wait_s - outcome.buffer_saved_s,
            f"LGWR writes {now.busy * 100:.0f} % of the time, so its writes determine how soon the "
            "log buffer has space",
        )  # fmt: skip


def _logs(case: Case) -> None:
    """Redo logs of another size: fewer or more log switches at the same redo rate."""
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
            f"{plain(rate / _MB, 3)} MB/s of redo in redo logs of {size_mb:,.0f} MB",
        )  # fmt: skip
        waited = case.get("redo.log_switch_wait_s")
        if waited:
            share = min(1.0, fewer / switches) if fewer <= switches else fewer / switches
            case.waits(
                "redo.log_switch_wait_s", waited, waited * share,
                "in proportion to the log switches; waits for a checkpoint or the archiver remain "
                "if these cannot keep up",
            )  # fmt: skip
    else:
        case.not_assessed.append(
            f"log switches: the present number is not in the report; with {size_mb:,.0f} MB there "
            f"would be {fewer:.1f} per hour"
        )
    _logs_and_recovery(case, size_mb)


def _logs_and_recovery(case: Case, size_mb: float) -> None:
    """The redo that recovery may have to read grows with the redo logs; their number is fixed."""
    limit = case.get("checkpoint.log_size_redo_blocks")
    # if the report does not have the redo log size (since 10g), use the redo per log switch
    now_mb = case.get("redo.log_mb") or case.get("redo.mb_per_switch")
    if not limit or not now_mb:
        return
    known = case.get("redo.log_mb")
    model = "as given" if known else "as given; before: redo written between two log switches"
    case.line("redo.log_mb", "MB", now_mb, size_mb, model)
    new_limit = limit * size_mb / now_mb
    case.line(
        "checkpoint.log_size_redo_blocks", "count", limit, new_limit,
        "in proportion to the redo log size; the number of groups does not change",
    )  # fmt: skip
    target = case.change.mttr_s or case.get("checkpoint.target_mttr_s")
    if case.facts["checkpoint.binding_limit"].value == "log_size" and not target:
        case.conflicts.append(
            "Redo log size determines checkpoints now, and no recovery target is set. With larger "
            f"redo logs, recovery may read up to {new_limit / limit:.1f} times as much redo. Set "
            "FAST_START_MTTR_TARGET as well."
        )


def _temp(case: Case) -> None:
    """Temporary I/O: memory avoids a part of it, storage shortens the rest."""
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
            write = case.change.temp_write_ms or new
            both = f"{plain(new, 3)} ms per read and "
            models.append(both + ("write" if write == new else f"{plain(write, 3)} ms per write"))
    if found is not None and models:
        waited = found[0]
        after = waited * remains * (1.0 if shorter is None else shorter)
        case.waits("temp.direct_wait_s", waited, after, "; ".join(models))
    if shorter is not None and shorter > 1:
        case.conflicts.append("Temporary I/O would be slower than it is now.")


def _shorter(case: Case, waited_s: float, read_ms: float) -> float | None:
    """The share of temporary waits that remains at a latency, by reads and writes."""
    write_ms = case.change.temp_write_ms or read_ms
    parts = device_time.temp(case.facts, waited_s, Speed(write_ms, read_ms, case.change.mb_s))
    for part in parts:
        if part.now_ms:
            case.line(part.fact, "ms", part.now_ms, part.device_ms, _GIVEN)
    if all(part.now_ms is None for part in parts):
        case.needs("temporary latency", "temp.read_ms")
        return None
    whole = sum(part.waited_s for part in parts)
    # waits whose latency is not known do not change
    return 1.0 - (device_time.saved_s(parts) or 0.0) / whole if whole else 1.0


def _after_memory(case: Case, pga_mb: float) -> float | None:
    """Share of the work areas' disk I/O that remains at a target, by Oracle's advisory."""
    points = [(p.target_mb, p.extra_mb) for p in case.curves.pga]
    now = next((p for p in case.curves.pga if p.is_now), None)
    if now is None:
        case.not_assessed.append(
            "PGA: the PGA Memory Advisory with a row of factor 1 is not in the report"
        )
        return None
    extra = between(points, pga_mb)
    if extra is None:
        low, high = points[0][0], points[-1][0]
        case.not_assessed.append(
            f"PGA: {pga_mb:,.0f} MB is outside the advisory's range, {low:,.0f} to {high:,.0f} MB"
        )
        return None
    case.line("pga_aggregate_target", "MB", now.target_mb, pga_mb, "as given")
    case.line(
        "pga_advisory.extra_mb", "MB", now.extra_mb, extra,
        "PGA Memory Advisory, linear between its rows",
    )  # fmt: skip
    over = between([(p.target_mb, p.over_allocations or 0.0) for p in case.curves.pga], pga_mb)
    if over:
        case.conflicts.append(
            f"At {pga_mb:,.0f} MB, the advisory still expects {over:,.0f} over-allocations: the "
            "instance will use more memory than the target."
        )
    _host_memory(case, now.target_mb, pga_mb)
    if now.extra_mb:
        return extra / now.extra_mb
    if extra:
        case.conflicts.append(
            f"Work areas do not spill now; at {pga_mb:,.0f} MB, {extra:,.0f} MB would spill."
        )
    return None


def _host_memory(case: Case, now_mb: float, pga_mb: float) -> None:
    host = case.get("pga.host_memory_mb")
    if host and pga_mb > host:
        case.conflicts.append(
            f"{pga_mb:,.0f} MB does not fit into the host's {host:,.0f} MB of memory."
        )
    elif pga_mb > now_mb:
        case.conflicts.append(
            f"This takes {pga_mb - now_mb:,.0f} MB more of the host's memory: check that it is "
            "free."
        )


def _undo(case: Case) -> None:
    """Undo at another latency: reads; with a write latency, also waits for buffers and DBWR."""
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
    """Waits in proportion to the duration of undo writes."""
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
            + ("" if whole == part.waited_s else "; only undo's share of DBWR's writes"),
        )  # fmt: skip


def _recovery(case: Case) -> None:
    """Another recovery target: writes by Oracle's advisory."""
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
            f"{new:.0f} s is below the lowest achievable target; Oracle will reset it to "
            f"{lowest:.0f} s."
        )


def _writes(case: Case, new_s: float) -> None:
    """Physical writes at another recovery target, and their conflicts."""
    found = case.needs("physical writes", "load.physical_writes_per_s")
    price = curve.price(case.facts, new_s)
    if price is None or price.extra_writes_per_s is None:
        case.not_assessed.append(
            "physical writes: neither the MTTR Advisory nor an estimated recovery time is in the "
            "report"
        )
        return
    if found is None:
        return
    before = found[0]
    after = max(0.0, before + price.extra_writes_per_s)
    case.line("load.physical_writes_per_s", "1/s", before, after, price.why)
    if not price.advised and price.extra_writes_per_s:
        case.not_assessed.append(
            "physical writes: the MTTR Advisory is not in the report; they are simulated"
        )
    if after <= before:
        return
    more = (
        f"{(after - before) * 100 / before:.0f} % more physical writes" if before else "More writes"
    )
    if (case.get("checkpoint.buffer_wait_s") or 0.0) > 0:
        case.conflicts.append(f"{more}, and sessions already wait for DBWR.")
    if case.change.redo_ms is None and case.get("redo.sync_wait_s"):
        case.conflicts.append(f"{more}: redo becomes slower if both share disks.")


#: All models, in display order.
MODELS: Final[tuple[Callable[[Case], None], ...]] = (_redo, _logs, _temp, _undo, _recovery)
