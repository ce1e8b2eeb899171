"""Data of the charts: latencies and their thresholds, recovery time, savings by device."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.advice import storage, write_cost
from awrlens.advice.case import Case
from awrlens.advice.devices import DEVICES, speed
from awrlens.advice.load_model import Curve
from awrlens.lazy import NamedTuple
from awrlens.model.chart_data import (
    CurvePoint,
    DeviceMark,
    Mark,
    MttrScale,
    Saving,
    WriteCurve,
)
from awrlens.units import plain

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from awrlens.model import Fact, Verdicts
    from awrlens.model.chart_data import Latencies

#: Number of steps of the curve between reported points.
_STEPS: Final = 60


class _Known(NamedTuple):
    """What is known of an event's waits: facts and a threshold, by name."""

    average: str = ""
    percentiles: tuple[str, ...] = ()
    threshold: str = ""
    #: The fact with the size, which explains a part of the time.
    size: str = ""
    #: The part of the write path that a low-latency device could take.
    segment: str = ""


_KNOWN: Final = {
    "log file parallel write": _Known(
        "redo.parallel_write_ms", ("redo.write_p50_ms", "redo.write_p95_ms"),
        "redo.slow_write_ms", "redo.bytes_per_write", "redo",
    ),
    "log file sync": _Known(
        "redo.sync_ms", ("redo.sync_p50_ms", "redo.sync_p95_ms"), "impact.slower_ms"
    ),
    "direct path read temp": _Known(
        "temp.direct_read_ms", (), "temp.slow_read_ms", "temp.direct_read_b", "temp"
    ),
    "direct path write temp": _Known(
        "temp.direct_write_ms", (), "temp.slow_write_ms", "temp.direct_write_b", "temp"
    ),
    "db file sequential read": _Known("io.data_read_ms"),
    "db file parallel write": _Known("checkpoint.data_write_ms"),
    "log file switch (checkpoint incomplete)": _Known("checkpoint.incomplete_wait_ms"),
}  # fmt: skip


def latencies(case: Case, charts: Iterable[Latencies]) -> tuple[Latencies, ...]:
    """Histograms with the average, the percentiles and the threshold of their event."""
    return tuple(chart._replace(marks=tuple(_marks(case, chart.event))) for chart in charts)


def _marks(case: Case, event: str) -> Iterator[Mark]:
    about = _KNOWN.get(event)
    if about is None:
        return
    average = case.facts[about.average]
    mean = average.number or 0.0
    if mean > 0 and any(event in (item.row, item.section) for item in average.evidence):
        says = f"average in this report ({about.average})"
        yield Mark("average", mean, "average", says)
    for name in about.percentiles:
        if value := case.get(name):
            share = name.rpartition("_p")[2].removesuffix("_ms")
            yield Mark(f"p{share}", value, "percentile", f"{share} % took at most this ({name})")
    if about.threshold:
        limit = case.policy[about.threshold]
        size = case.get(about.size) if about.size else None
        explained = case.scale.explained_ms(size)
        says = f"slow above: threshold {about.threshold} = {plain(limit)} ms"
        if size and explained:
            says += f", plus {plain(explained)} ms for {size / 1024:,.3g} KB"
        yield Mark("slow from", limit + explained, "threshold", says)
    if about.segment:
        device = speed(case.policy, about.segment)
        alike = (kind.name.replace("-", " ") for kind in DEVICES.values()
                 if (kind.write_ms, kind.read_ms) == device[:2])  # fmt: skip
        ms = device.write_ms if "write" in event else device.read_ms
        name = next(alike, "low-latency device")
        yield Mark(name, ms, "device", "a small operation on the low-latency device")


def mttr_scale(facts: Mapping[str, Fact], verdicts: Verdicts) -> MttrScale | None:
    """Recovery time now, its target and the range of targets; None if no time is known."""
    estimated = facts["checkpoint.estimated_mttr_s"].number
    target = facts["checkpoint.target_mttr_s"].number
    if estimated is None and not target:
        return None
    return MttrScale(
        estimated, target or None, verdicts.fast_start_mttr_lowest_s,
        verdicts.fast_start_mttr_highest_s, verdicts.fast_start_mttr_target_s,
    )  # fmt: skip


def write_curve(case: Case, target_s: float | None) -> WriteCurve | None:
    """Writes by recovery target, from the MTTR Advisory of the report; None if it has none."""
    own, now = write_cost.advisory(case.facts), case.get("checkpoint.advised_now_s")
    rate = case.get("checkpoint.cache_writes_per_s")
    if own is None or not now or rate is None or not (base := own.at(now)):
        return None
    printed = {target_s: rate * writes / base for target_s, writes in own.points}
    between = Curve(printed.items())
    low, high = min(printed), max(printed)
    steps = {low + (high - low) * n / _STEPS for n in range(_STEPS + 1)} - set(printed)
    points = [CurvePoint(x, y, printed=True) for x, y in printed.items()]
    points += [CurvePoint(x, between.at(x), printed=False) for x in steps]
    return WriteCurve(write_cost.ADVISORY, tuple(sorted(points)), now, target_s)


def present(case: Case) -> tuple[tuple[str, float], ...]:
    """Latencies of the present storage in ms by the operation, as far as known."""
    facts = {"redo write": "redo.local_write_ms", "temp read": "temp.read_ms",
             "undo read": "undo.read_ms"}  # fmt: skip
    return tuple((name, ms) for name, fact in facts.items() if (ms := case.get(fact)))


def by_device(case: Case) -> tuple[DeviceMark, ...]:
    """The saving of every kind of storage, as in the verdicts; the share covers all three."""
    marks = []
    for device in DEVICES.values():
        policy = case.policy.under(device.settings, device.name)
        other = Case.of(case.facts, case.findings, policy)
        then = storage.commits_then(other)
        overrun = then is not None and then.overrun  # waits grow without end
        saved_s = {
            "redo": None if then is None or overrun else then.saved_s,
            "temp": storage.temp_saved_s(other),
            "undo": storage.undo_saved_s(other),
        }
        savings = tuple(
            Saving(segment, seconds, case.scale.share(seconds))
            for segment, seconds in saved_s.items()
            if seconds is not None
        )
        sum_s = sum(saving.seconds for saving in savings)
        share = case.scale.share(sum_s) if savings and not overrun else None
        marks.append(DeviceMark(
            device.name, device.title, device.write_ms, device.read_ms, savings, share, overrun
        ))  # fmt: skip
    return tuple(marks)
