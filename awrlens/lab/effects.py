"""What-if estimates: other storage, redo log sizes, memory, or another recovery target.

Every line has a value before, a value after, and the model. Waits of different events do not
overlap, so their savings are added. Memory and storage for the same temporary I/O are multiplied
instead. No saving exceeds the wait itself, and the load is assumed not to change. A slower device
has a negative saving. Everything is an estimate, not an upper bound: waits for locks that are held
during commits are not counted.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Final

from awrlens import api
from awrlens.advice import devices, mttr, recovery_target, write_cost
from awrlens.advice.case import Case
from awrlens.advice.devices import Speed, commits
from awrlens.advice.redo_logs import switches_per_hour
from awrlens.errors import UsageError
from awrlens.lazy import NamedTuple
from awrlens.policy import Policy
from awrlens.render.wording import size
from awrlens.severity import Scale
from awrlens.units import io_size, plain

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from awrlens.advice.devices import Part
    from awrlens.facts.figures import Figures
    from awrlens.model import Fact, Impact
    from awrlens.report.report import Report


class PgaPoint(NamedTuple):
    """PGA Memory Advisory: for a target, MB read and written, and over-allocations."""

    target_mb: float
    extra_mb: float
    over_allocations: float | None
    is_now: bool


def pga_advisory(f: Figures) -> tuple[PgaPoint, ...]:
    """The PGA Memory Advisory by increasing target, without rows that lack a figure."""
    points = [
        PgaPoint(target, extra, row.number("overallocations"), row.number("size_factor") == 1)
        for row in f.tables.get("pga_advisory") or ()
        if (target := row.number("target_mb")) is not None
        and (extra := row.number("extra_mb")) is not None
    ]
    return tuple(sorted(points))


def between(points: Sequence[tuple[float, float]], at: float) -> float | None:
    """A value of a curve, linear between its points; None outside them."""
    for (x0, y0), (x1, y1) in pairwise(points):
        if x0 <= at <= x1:
            return y0 if x1 == x0 else y0 + (y1 - y0) * (at - x0) / (x1 - x0)
    return points[0][1] if len(points) == 1 and points[0][0] == at else None


class Change(NamedTuple):
    """The changes; None: not changed. Latencies are those of one operation, in ms.

    The size of an operation adds to its latency, by ``mb_s``. ``temp_ms`` and ``undo_ms`` are those
    of reads; temporary writes take as long, undo writes do not change, without one of their own.
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


class Estimate:
    """A report's facts and advisory, and the effects of the change."""

    def __init__(self, facts: Mapping[str, Fact], pga: Sequence[PgaPoint], change: Change) -> None:
        self.facts = facts
        self.pga = pga
        self.change = change
        self.lines: list[Line] = []
        self.saved_s: list[float] = []
        self.conflicts: list[str] = []
        self.not_assessed: list[str] = []

    def get(self, name: str) -> float | None:
        """The number of a fact; None if it is not known."""
        return self.facts[name].number

    def lacks(self, what: str, *names: str) -> bool:
        """Whether one of these facts is not known, which is then noted."""
        missing = dict.fromkeys(self.facts[name].note for name in names if self.get(name) is None)
        if missing:
            self.not_assessed.append(f"{what}: {'; '.join(missing)}")
        return bool(missing)

    def fact(self, name: str, before: float, after: float, model: str) -> None:
        """A fact before and after."""
        self.lines.append(Line(name, self.facts[name].unit, before, after, model))

    def waits(self, name: str, before: float, after: float, model: str) -> None:
        """Seconds waited, and the DB time saved or lost."""
        after = max(0.0, after)
        self.fact(name, before, after, model)
        self.saved_s.append(before - after)


_AS_GIVEN: Final = "as given"
_WITH_SIZE: Final = "as given, plus the time for its size"


def _ms(value: float) -> str:
    return f"{plain(value, 3)} ms"


def _redo(of: Estimate) -> None:
    """A log write of another duration: commits and their queue become shorter or longer."""
    latency, mb_s = of.change.redo_ms, of.change.mb_s
    if latency is None or of.lacks("redo latency", "redo.local_write_ms"):
        return
    now, then = commits(of.facts), devices.redo(of.facts, Speed(latency, latency, mb_s))
    if now is None or then is None:
        return
    device = _AS_GIVEN
    if then.write_ms != latency:
        device = f"{_ms(latency)} plus {io_size(now.write_bytes)} at {mb_s:,.0f} MB/s"
    of.fact("redo.local_write_ms", now.write_ms, then.write_ms, device)
    if then.write_ms > now.write_ms:
        of.conflicts.append(
            f"A redo write takes {_ms(now.write_ms)} now; {_ms(then.write_ms)} would be slower."
        )
    if then.overrun:
        of.conflicts.append("LGWR could not keep up with the redo at this latency.")
        of.not_assessed.append("commit waits: they would grow without end")
        return
    if of.lacks("commit waits", "redo.sync_wait_s", "redo.commit_waits"):
        return
    waited = of.get("redo.sync_wait_s") or 0.0
    if now.waits and now.commit_ms:
        of.fact(
            "redo.commit_ms", now.commit_ms, then.commit_ms,
            f"now: write {plain(now.write_ms, 3)}, queue for LGWR {plain(now.queue_ms, 3)}, rest "
            f"{_ms(now.rest_ms)}; then: write {plain(then.write_ms, 3)} and queue "
            f"{_ms(round(then.queue_ms, 3))}; posting and CPU come on top",
        )  # fmt: skip
        of.waits(
            "redo.sync_wait_s", waited, waited - then.commit_saved_s,
            f"{now.waits:,.0f} commits, by the change per commit",
        )  # fmt: skip
    if then.buffer_saved_s:
        of.waits(
            "redo.buffer_wait_s", now.buffer_wait_s, now.buffer_wait_s - then.buffer_saved_s,
            f"LGWR writes {now.busy * 100:.0f} % of the time, so its writes determine how soon the "
            "log buffer has space",
        )  # fmt: skip


def _logs(of: Estimate) -> None:
    """Redo logs of another size: fewer or more log switches at the same redo rate."""
    size_mb = of.change.redo_log_mb
    if size_mb is None or of.lacks("redo log size", "redo.bytes_written_per_s"):
        return
    rate = of.get("redo.bytes_written_per_s") or 0.0
    now, (then, forced) = of.get("redo.log_switches_per_hour"), switches_per_hour(of.get, size_mb)
    model = f"{plain(rate / 2**20, 3)} MB/s of redo in redo logs of {size_mb:,.0f} MB"
    if forced:
        lag = of.get("redo.archive_lag_target_s")
        model = f"ARCHIVE_LAG_TARGET={lag:.0f} forces them, whatever the size"
    waited = of.get("redo.log_switch_wait_s")
    if now:
        of.fact("redo.log_switches_per_hour", now, then, model)
    else:
        of.not_assessed.append(
            f"log switches: the present number is not in the report; with {size_mb:,.0f} MB there "
            f"would be {then:.1f} per hour"
        )
    if now and waited:
        of.waits(
            "redo.log_switch_wait_s", waited, waited * (then / now),
            "in proportion to the log switches; waits for a checkpoint or the archiver remain "
            "if these cannot keep up",
        )  # fmt: skip
    _logs_and_recovery(of, size_mb)


def _logs_and_recovery(of: Estimate, size_mb: float) -> None:
    """The redo that recovery may have to read grows with the redo logs; their number is fixed."""
    limit, now_mb = of.get("checkpoint.log_size_redo_blocks"), of.get("redo.log_mb")
    if not limit:
        return
    more = "more redo than now"
    if now_mb:
        more = f"up to {size_mb / now_mb:.1f} times as much redo"
        of.fact("redo.log_mb", now_mb, size_mb, _AS_GIVEN)
        of.fact(
            "checkpoint.log_size_redo_blocks", limit, limit * size_mb / now_mb,
            "in proportion to the redo log size; the number of groups does not change",
        )  # fmt: skip
    else:
        # since 10g: a forced switch leaves a log partly empty
        least, most = of.get("redo.mb_per_switch") or 0.0, of.get("redo.other_logs_mb") or 0.0
        of.not_assessed.append(
            "redo that recovery may read: the present redo log size is not in the report (a log "
            f"switch comes after {least:,.0f} MB; all redo logs of the thread except one have "
            f"{most:,.0f} MB). Forced switches stay as they are"
        )
    target = of.change.mttr_s or of.get("checkpoint.target_mttr_s")
    if of.facts["checkpoint.binding_limit"].value == "log_size" and not target:
        of.conflicts.append(
            "Redo log size determines checkpoints now, and no recovery target is set. With larger "
            f"redo logs, recovery may read {more}. Set FAST_START_MTTR_TARGET as well."
        )


def _temp(of: Estimate) -> None:
    """Temporary I/O: memory avoids a part of it, storage shortens the rest."""
    read_ms, pga_mb = of.change.temp_ms, of.change.pga_mb
    if read_ms is None and pga_mb is None:
        return
    of.lacks("temporary I/O", "temp.direct_wait_s")
    waited, models = of.get("temp.direct_wait_s"), []
    after = waited or 0.0
    if pga_mb is not None and (share := _after_memory(of, pga_mb)) is not None:
        models.append(f"{share * 100:.0f} % of the work areas' disk I/O remains")
        after *= share
    if read_ms is not None and (share := _shorter(of, waited or 0.0, read_ms)) is not None:
        write_ms = of.change.temp_write_ms or read_ms
        write = "write" if write_ms == read_ms else f"{_ms(write_ms)} per write"
        models.append(f"{_ms(read_ms)} per read and {write}")
        after *= share
        if share > 1:
            of.conflicts.append("Temporary I/O would be slower than it is now.")
    if waited is not None and models:
        of.waits("temp.direct_wait_s", waited, after, "; ".join(models))


def _shorter(of: Estimate, waited_s: float, read_ms: float) -> float | None:
    """The share of temporary waits that remains at a latency, by reads and writes."""
    write_ms = of.change.temp_write_ms or read_ms
    parts = devices.temp(of.facts, waited_s, Speed(write_ms, read_ms, of.change.mb_s))
    for part in parts:
        if part.now_ms:
            of.fact(part.fact, part.now_ms, part.device_ms, _WITH_SIZE)
    if all(part.now_ms is None for part in parts):
        of.lacks("temporary latency", "temp.read_ms")
        return None
    whole = sum(part.waited_s for part in parts)
    # waits whose latency is not known do not change
    return 1.0 - (devices.saved_s(parts) or 0.0) / whole if whole else 1.0


def _after_memory(of: Estimate, pga_mb: float) -> float | None:
    """Share of the work areas' disk I/O that remains at a target, by Oracle's advisory."""
    rows = of.pga
    now = next((row for row in rows if row.is_now), None)
    if now is None:
        of.not_assessed.append(
            "PGA: the PGA Memory Advisory with a row of factor 1 is not in the report"
        )
        return None
    extra = between([(row.target_mb, row.extra_mb) for row in rows], pga_mb)
    if extra is None:
        of.not_assessed.append(
            f"PGA: {pga_mb:,.0f} MB is outside the advisory's range, {rows[0].target_mb:,.0f} to "
            f"{rows[-1].target_mb:,.0f} MB"
        )
        return None
    if lacks := _lacks_memory(of, now.target_mb, pga_mb):
        of.not_assessed.append(lacks)
        return None
    of.lines += [
        Line("pga_aggregate_target", "MB", now.target_mb, pga_mb, _AS_GIVEN),
        Line("extra I/O of work areas", "MB", now.extra_mb, extra,
             "PGA Memory Advisory, linear between its rows"),
    ]  # fmt: skip
    over = between([(row.target_mb, row.over_allocations or 0.0) for row in rows], pga_mb)
    if over:
        of.conflicts.append(
            f"At {pga_mb:,.0f} MB, the advisory still expects {over:,.0f} over-allocations: the "
            "instance will use more memory than the target."
        )
    if pga_mb > now.target_mb:
        free, host = of.get("pga.host_free_mb"), of.get("pga.host_memory_mb")
        room = [] if free is None else [f"{size(free * 2**20)} was free"]
        if host:
            taken = (pga_mb + (of.get("database.sga_mb") or 0.0)) * 100 / host
            room.append(f"SGA and PGA would take {taken:.0f} % of the host")
        more = f"Needs {size((pga_mb - now.target_mb) * 2**20)} more memory"
        of.conflicts.append(f"{more}: {', and '.join(room) or 'check that it is free'}.")
    if now.extra_mb:
        return extra / now.extra_mb
    if extra:
        of.conflicts.append(
            f"Work areas do not spill now; at {pga_mb:,.0f} MB, {extra:,.0f} MB would spill."
        )
    return None


def _lacks_memory(of: Estimate, now_mb: float, pga_mb: float) -> str:
    """Why a larger target is not assessed: the host does not have the memory; empty otherwise."""
    host, free = of.get("pga.host_memory_mb"), of.get("pga.host_free_mb")
    if host and pga_mb > host:
        return f"PGA: {pga_mb:,.0f} MB does not fit into the host's {host:,.0f} MB of memory"
    more = pga_mb - now_mb
    if free is not None and more > max(free, 0.0):
        return (
            f"PGA: {pga_mb:,.0f} MB takes {more:,.0f} MB more memory, but the host has {free:,.0f} "
            "MB free: it would swap"
        )
    return ""


def _undo(of: Estimate) -> None:
    """Undo at another latency: reads; with a write latency, also waits for buffers and DBWR."""
    read_ms, write_ms = of.change.undo_ms, of.change.undo_write_ms
    if read_ms is None:
        return
    speed = Speed(write_ms or read_ms, read_ms, of.change.mb_s)
    reads, buffers, dbwr, _ = devices.undo(of.facts, 0.0, speed)
    for name, part in (("undo.buffer_wait_s", buffers), ("checkpoint.buffer_wait_s", dbwr)):
        if write_ms and part.waited_s:
            _undo_waits(of, name, part)
    if of.lacks("undo latency", "undo.read_ms", "undo.read_wait_s"):
        return
    if not reads.now_ms:
        of.not_assessed.append("undo latency: the report has 0 ms per read of undo")
        return
    of.fact("undo.read_ms", reads.now_ms, reads.device_ms, _WITH_SIZE)
    _undo_waits(of, "undo.read_wait_s", reads)
    if reads.device_ms > reads.now_ms:
        of.conflicts.append("Undo reads would be slower than they are now.")


def _undo_waits(of: Estimate, name: str, part: Part) -> None:
    if part.contention:
        of.not_assessed.append(
            f"waits for undo buffers: {_ms(of.get('undo.buffer_wait_ms') or 0.0)} per wait is less "
            f"than half of a write ({_ms(part.now_ms or 0.0)}): sessions contend for buffers, "
            "whatever the device"
        )
    elif part.now_ms and part.saved_s is not None:
        whole = of.get(name) or 0.0
        of.waits(
            name, whole, whole - part.saved_s,
            f"a {part.operation} takes {plain(part.device_ms, 3)} instead of {_ms(part.now_ms)}"
            + ("" if whole == part.waited_s else "; only undo's share of DBWR's writes"),
        )  # fmt: skip
    else:
        of.lacks(name, part.fact)


def _recovery(of: Estimate) -> None:
    """Another recovery target: writes by Oracle's advisory."""
    target_s, now = of.change.mttr_s, of.get("checkpoint.target_mttr_s")
    if target_s is None:
        return
    if now is not None:
        of.fact("checkpoint.target_mttr_s", now, target_s, _AS_GIVEN)
    unknown = of.lacks("physical writes", "load.physical_writes_per_s")
    price = write_cost.price(of.facts, target_s)
    if price is None or price.extra_writes_per_s is None:
        of.not_assessed.append(
            "physical writes: neither the MTTR Advisory nor an estimated recovery time is in the "
            "report"
        )
    elif not unknown:
        _writes(of, price.extra_writes_per_s, price.why, advised=price.advised)
    case = Case.of(of.facts, (), Policy(), mttr.Request(target_s))
    goal = mttr.target(recovery_target.completed(case))
    of.conflicts += [note.text for note in goal.notes if note.kind in ("reset", "unmeasured")]


def _writes(of: Estimate, more_per_s: float, why: str, *, advised: bool) -> None:
    """Physical writes at another recovery target, and their conflicts."""
    before = of.get("load.physical_writes_per_s") or 0.0
    after = max(0.0, before + more_per_s)
    of.fact("load.physical_writes_per_s", before, after, why)
    if not advised and more_per_s:
        of.not_assessed.append(
            "physical writes: the MTTR Advisory is not in the report; they are simulated"
        )
    if after <= before:
        return
    more = f"{(after - before) * 100 / before:.0f} % more physical" if before else "More"
    if of.get("checkpoint.buffer_wait_s"):
        of.conflicts.append(f"{more} writes, and sessions already wait for DBWR.")
    if of.change.redo_ms is None and of.get("redo.sync_wait_s"):
        of.conflicts.append(f"{more} writes: redo becomes slower if both share disks.")


class Outcome(NamedTuple):
    """The effect of the changes together, their conflicts, and what could not be estimated."""

    changes: tuple[Line, ...]
    saving: Impact
    conflicts: tuple[str, ...]
    not_assessed: tuple[str, ...]


def what_if(report: Report, change: Change, policy: Policy | None = None) -> Outcome:
    """The estimated effect of a change; UsageError without a change.

    For a compare-period report, use one of its ``periods``.
    """
    pga = pga_advisory(api.figures_of(report))
    return estimate(api.facts_of(report), pga, change, policy or Policy())


def estimate(
    facts: Mapping[str, Fact], pga: Sequence[PgaPoint], change: Change, policy: Policy
) -> Outcome:
    """Before and after for one report; UsageError without a change or if a value is not > 0."""
    given = {name: value for name, value in change._asdict().items() if value is not None}
    if not given.keys() - QUALIFIERS:
        raise UsageError(
            "No change is given.", hint="Give one of the options, e.g. --redo-latency 0.2ms."
        )
    for name, value in given.items():
        if not value > 0:
            raise UsageError(f"{name} is {value:g}; it must be above 0.")
    of = Estimate(facts, pga, change)
    for model in (_redo, _logs, _temp, _undo, _recovery):
        model(of)
    scale, whole = Scale(facts, policy), facts["load.response_s"].number
    saved = min(sum(of.saved_s), whole or sum(of.saved_s)) if of.saved_s else None
    if scale.has_time and saved is not None:
        of.fact("load.response_s", whole or 0.0, (whole or 0.0) - saved, "minus the savings above")
    saving = scale.impact(saved, "the load does not change")
    return Outcome(tuple(of.lines), saving, tuple(of.conflicts), tuple(of.not_assessed))
