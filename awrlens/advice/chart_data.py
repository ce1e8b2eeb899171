"""Data of the charts: latencies and their thresholds, recovery time, savings by device."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.advice import whatif, write_cost
from awrlens.advice.curve import Curve
from awrlens.exhibits import CurvePoint, DeviceMark, Mark, MttrScale, Saving, WriteCurve
from awrlens.records import NamedTuple
from awrlens.units import plain
from awrlens.weigh import INFO_PCT, Scale

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from awrlens.exhibits import Latencies
    from awrlens.model import Fact, Finding, Verdicts
    from awrlens.policy import Policy, Threshold

#: Number of steps of the curve between reported points.
_STEPS: Final = 60


class _Known(NamedTuple):
    """What is known of an event's waits: facts and a threshold, by name."""

    average: str = ""
    percentiles: tuple[str, ...] = ()
    threshold: str = ""
    #: The fact with the size, which explains a part of the time.
    size: str = ""


_KNOWN: Final = {
    "log file parallel write": _Known(
        "redo.parallel_write_ms", ("redo.write_p50_ms", "redo.write_p95_ms", "redo.write_p99_ms"),
        "redo.slow_write_ms", "redo.bytes_per_write",
    ),
    "log file sync": _Known(
        "redo.sync_ms", ("redo.sync_p50_ms", "redo.sync_p95_ms", "redo.sync_p99_ms"),
        "impact.slower_ms",
    ),
    "direct path read temp": _Known(
        "temp.direct_read_ms", (), "temp.slow_read_ms", "temp.direct_b"
    ),
    "direct path write temp": _Known(
        "temp.direct_write_ms", (), "temp.slow_write_ms", "temp.direct_write_b"
    ),
    "db file sequential read": _Known("io.data_read_ms"),
    "db file parallel write": _Known("checkpoint.data_write_ms"),
}  # fmt: skip


def marked(
    found: Iterable[Latencies],
    facts: Mapping[str, Fact],
    policy: Policy,
    thresholds: Mapping[str, Threshold],
) -> tuple[Latencies, ...]:
    """Histograms with the average, the percentiles and the threshold of their event."""
    scale = Scale(facts, policy)
    return tuple(
        each._replace(
            marks=tuple(_marks(each.event, _KNOWN[each.event], facts, policy, thresholds, scale))
        ) if each.event in _KNOWN else each
        for each in found
    )  # fmt: skip


def _marks(
    event: str, known: _Known, facts: Mapping[str, Fact], policy: Policy,
    thresholds: Mapping[str, Threshold], scale: Scale,
) -> Iterator[Mark]:  # fmt: skip
    average = facts[known.average]
    if average.number and any(event in (item.row, item.section) for item in average.evidence):
        says = f"average in this report ({known.average})"
        yield Mark("average", average.number, "average", says)
    for name in known.percentiles:
        value = facts[name].number
        if value:
            share = name.rpartition("_p")[2].removesuffix("_ms")
            yield Mark(f"p{share}", value, "percentile", f"{share} % took at most this ({name})")
    if known.threshold:
        limit = policy[thresholds[known.threshold]]
        size = facts[known.size].number if known.size else None
        explained = scale.explained_ms(size)
        says = f"slow above: threshold {known.threshold} = {plain(limit)} ms"
        if size and explained:
            says += f", plus {plain(explained)} ms for {size / 1024:,.3g} KB"
        yield Mark(known.threshold, limit + explained, "threshold", says)


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


def write_curve(facts: Mapping[str, Fact], verdicts: Verdicts) -> WriteCurve | None:
    """Writes by recovery target, from the MTTR Advisory of the report; None if it has none."""
    own, now = write_cost.advisory(facts), facts["checkpoint.advised_now_s"].number
    if own is None or not now:
        return None
    rate, base = facts["checkpoint.cache_writes_per_s"].number, own.at(now)
    if rate is None or not base:
        return None
    printed = {target_s: rate * writes / base for target_s, writes in own.points}
    between = Curve(printed.items())
    low, high = min(printed), max(printed)
    steps = {low + (high - low) * n / _STEPS for n in range(_STEPS + 1)} - set(printed)
    points = [CurvePoint(x, y, printed=True) for x, y in printed.items()]
    points += [CurvePoint(x, between.at(x), printed=False) for x in steps]
    return WriteCurve(
        write_cost.ADVISORY, tuple(sorted(points)), now, verdicts.fast_start_mttr_target_s
    )  # fmt: skip


def devices(
    facts: Mapping[str, Fact], findings: tuple[Finding, ...], policy: Policy
) -> tuple[DeviceMark, ...]:
    """Kinds of storage and what they would save."""
    scale = Scale(facts, policy)
    return tuple(
        DeviceMark(
            each.device.name, each.device.title, each.device.write_ms, each.device.read_ms,
            tuple(
                Saving(part, seconds, scale.share(seconds))
                for part, seconds in (
                    ("redo", each.redo_s), ("temp", each.temp_s), ("undo", each.undo_s)
                )
                if seconds is not None
            ),
            each.pct_db_time,
        )
        for each in whatif.by_device(facts, findings, policy)
    )  # fmt: skip


#: Latencies of the present storage, by the operation.
_PRESENT: Final = (
    ("redo write", "redo.local_write_ms"), ("temp read", "temp.read_ms"),
    ("undo read", "undo.read_ms"),
)  # fmt: skip


def present(facts: Mapping[str, Fact]) -> tuple[tuple[str, float], ...]:
    """Latencies of the present storage in ms, as far as known."""
    found = ((name, facts[fact].number) for name, fact in _PRESENT)
    return tuple((name, ms) for name, ms in found if ms)


def noticed_pct(policy: Policy) -> float:
    """The share of DB time below which users do not notice a change."""
    return policy[INFO_PCT]
