"""Histograms of wait times, with the latencies that they compare with as labelled lines."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Final

from awrlens.render import present
from awrlens.render.charts import Box, Grid, Log, Mark, Plot, labelled, linear
from awrlens.render.quantity import short

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from awrlens.model.chart_data import DeviceMark, Latencies

#: Events that share a horizontal axis on a page, and whether they show lines of storage types.
_GROUPS: Final = (
    ({"log file parallel write"}, {"log file sync"}),
    ({"direct path write temp", "direct path read temp"}, set[str]()),
    (set[str](), {"db file sequential read", "cell single block physical read"}),
    (set[str](), {"db file parallel write"}),
)
#: Labels of storage types; a type without one has its title.
_SHORT: Final = {
    "flash-array": "flash array", "accelerator": "RAM accelerator", "disk-array": "disk array",
    "san-flash": "SAN flash", "nvme": "NVMe", "exadata-flash": "Exadata flash",
    "exadata-rdma": "Exadata RDMA", "aws-gp3": "EBS gp3", "aws-io2": "EBS io2",
    "azure-premium-v2": "Azure v2",
}  # fmt: skip
#: Latencies that differ by less than this factor share a line.
_SAME: Final = 1.05
#: A logarithmic scale cannot show 0, where the first bucket begins, nor the end of the last one:
#: an open bucket is drawn with this width, as a factor.
_OPEN: Final = 2


def histograms(
    found: Sequence[Latencies], devices: Sequence[DeviceMark]
) -> Iterator[tuple[str, Plot]]:
    """The events and their charts; an event whose waits are all in one bucket has none."""
    known = {each.event: each for each in found if sum(b.pct > 0 for b in each.buckets) > 1}
    for compared, alone in _GROUPS:
        group = [known[event] for event in known if event in compared | alone]
        lines = {
            each.event: tuple(_devices(each, devices)) if each.event in compared else ()
            for each in group
        }
        if group:
            axis = _axis(group, [ms for each in lines.values() for ms, _ in each])
            for each in group:
                yield each.event, _plot(each, axis, lines[each.event])


def _axis(group: Sequence[Latencies], others: Sequence[float]) -> Log:
    """A common scale from the first bucket with waits to the last, and for all lines."""
    shown = [bucket for each in group for bucket in each.buckets if bucket.pct > 0]
    begins = [bucket.from_ms or (bucket.to_ms or 1) / _OPEN for bucket in shown]
    ends = [bucket.to_ms or bucket.from_ms * _OPEN for bucket in shown]
    marks = [mark.ms for each in group for mark in each.marks]
    values = [*begins, *ends, *marks, *others]
    return Log(min(values), max(values))


def _devices(each: Latencies, devices: Sequence[DeviceMark]) -> Iterator[tuple[float, str]]:
    """Latencies of storage types in ms, with label; the same ones together."""
    writes = "write" in each.event
    groups: list[list[tuple[float, DeviceMark]]] = []
    for timed in sorted((d.write_ms if writes else d.read_ms, d) for d in devices):
        if not groups or timed[0] > groups[-1][0][0] * _SAME:
            groups.append([])
        groups[-1].append(timed)
    for group in groups:
        names = ", ".join(_SHORT.get(device.name, device.title) for _, device in group)
        yield group[0][0], f"{names} {short(group[0][0])} ms"


def _plot(each: Latencies, axis: Log, lines: Sequence[tuple[float, str]]) -> Plot:
    # shares of a whole: on a logarithmic axis 10 % would look like half of the waits
    up = linear([bucket.pct for bucket in each.buckets])
    boxes, rows = [], []
    for bucket in each.buckets:
        if bucket.pct <= 0:
            continue
        begin = axis.at(bucket.from_ms or axis.low)
        end = axis.at(bucket.to_ms or axis.high)
        span = _span(bucket.from_ms, bucket.to_ms)
        kind = "" if bucket.from_ms and bucket.to_ms else "open"
        tip = f"{span}: {bucket.pct:.3g} % of waits"
        boxes.append(Box(begin, end - begin, up.at(bucket.pct), tip, kind))
        rows.append((span, f"{bucket.pct:.3g} %"))
    marks = []
    for (kind, ms), group in groupby(each.marks, lambda mark: (mark.kind, mark.ms)):
        same = list(group)
        names = ", ".join(mark.name for mark in same)
        says = "; ".join(mark.says for mark in same)
        about = "≤ " if kind == "percentile" else ""  # the upper bound of a bucket
        label = f"{names} {about}{short(ms)} ms"
        marks.append(Mark(axis.at(ms), label, f"{short(ms)} ms: {says}", kind))
    marks += [Mark(axis.at(ms), label, "", "device") for ms, label in lines]
    where = f" (line {each.line})" if each.line else ""
    faint = (
        "" if all(not box.kind for box in boxes) else " Faint: no finer breakdown in the report."
    )
    return Plot(
        f"`{each.event}`: waits by duration", f"Share of waits{where}.{faint}",
        f"wait, ms{axis.name}", "% of waits", axis.ticks(), up.ticks(),
        Grid(("wait", "share"), tuple(rows)), tuple(boxes), marks=labelled(marks),
    )  # fmt: skip


def _span(begin: float, end: float | None) -> str:
    if end is None:
        return f"above {present.number(begin)} ms"
    if not begin:
        return f"below {present.number(end)} ms"
    return f"{present.number(begin)} to {present.number(end)} ms"
