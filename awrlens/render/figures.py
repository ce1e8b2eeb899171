"""The charts of the HTML page: their data and their labels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from awrlens.render import present
from awrlens.render.charts import (
    Bar,
    Box,
    Dot,
    Grid,
    Log,
    Mark,
    Plot,
    Tick,
    linear,
    stacked,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from awrlens.exhibits import DeviceMark, Exhibits, Latencies, MttrScale, WriteCurve
    from awrlens.model import Fact

#: The facts of a bar, and the labels of its parts.
_COMMIT: Final = (
    ("redo.commit_storage_s", "redo log write"), ("redo.commit_lgwr_s", "other LGWR time"),
    ("redo.commit_scheduling_s", "scheduling and CPU"),
    ("redo.commit_unexplained_s", "unexplained"),
)  # fmt: skip
_DBWR: Final = (
    ("checkpoint.mttr_write_pct", "recovery target"),
    ("checkpoint.log_size_write_pct", "redo log size"),
    ("checkpoint.log_ckpt_write_pct", "LOG_CHECKPOINT_* settings"),
    ("checkpoint.other_settings_write_pct", "other settings"),
    ("checkpoint.autotune_write_pct", "automatic tuning"),
    ("checkpoint.thread_write_pct", "thread checkpoints"),
)  # fmt: skip
#: Number of tablespaces shown in addition to temp and undo tablespaces.
_TABLESPACES: Final = 10
#: A logarithmic scale cannot show 0, where the first bucket of a histogram begins: the bucket is
#: drawn from its end divided by this.
_FIRST: Final = 4
#: Labels of recovery times, in seconds.
_SECONDS: Final = (1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600)
#: Maximum number of time labels.
_TIMES: Final = 3
#: Minimum distance of labels on a horizontal axis, in per cent.
_APART: Final = 9


def bars(facts: Mapping[str, Fact]) -> list[dict[str, Any]]:
    """Stacked bars of sums."""
    found = []
    for title, unit, parts in (
        ("Commit time by cause", "s", _COMMIT),
        ("Checkpoint writes by cause", "%", _DBWR),
    ):
        values = [Bar(label, facts[name].number or 0.0) for name, label in parts if name in facts]
        if sum(bar.value for bar in values) > 0:
            found.append({"title": title, "unit": unit, "bars": stacked(values)})
    return found


def plots(shown: Exhibits) -> list[Plot]:
    """All charts with axes for which the report has numbers."""
    found = [_latencies(each, shown.devices) for each in shown.latencies]
    if shown.mttr is not None:
        found.append(_mttr(shown.mttr))
    if shown.curve is not None:
        found.append(_curve(shown.curve))
    if shown.undo:
        found.append(_undo(shown))
    return found


def _latencies(each: Latencies, devices: tuple[DeviceMark, ...]) -> Plot:
    """Waits by duration, with marks for the latencies of storage types."""
    last = max(n for n, bucket in enumerate(each.buckets) if bucket.pct > 0 or n == 0)
    buckets = each.buckets[: last + 1]
    known = sorted({d.write_ms if "write" in each.event or "sync" in each.event else d.read_ms
                    for d in devices})  # fmt: skip
    bounds = [b.to_ms for b in buckets if b.to_ms] or [1.0]
    low = min(bounds[0], *known[:1]) / _FIRST
    high = max(bounds[-1] * (2 if buckets[-1].to_ms is None else 1), *known[-1:], low * 2)
    scale, up = Log(low, high), linear([b.pct for b in buckets])
    boxes, rows = [], []
    for bucket in buckets:
        begin = scale.at(bucket.from_ms or low)
        end = scale.at(bucket.to_ms or high)
        span = _span(bucket.from_ms, bucket.to_ms)
        kind = "" if bucket.from_ms and bucket.to_ms else "open"
        tip = f"{span}: {bucket.pct:.1f} %"
        boxes.append(Box(begin, end - begin, up.at(bucket.pct), tip, kind))
        rows.append((span, f"{bucket.pct:.1f} %"))
    marks = []
    reads = not ("write" in each.event or "sync" in each.event)
    for number, latency in enumerate(known, start=1):
        names = ", ".join(
            d.title for d in devices if (d.read_ms if reads else d.write_ms) == latency
        )
        sign = str(number)
        marks.append(Mark(scale.at(latency), sign, f"{present.number(latency)} ms: {names}", ""))
    where = f" (line {each.line})" if each.line else ""
    return Plot(
        f"{each.event}: wait times",
        f"Share of waits by duration{where}. Shaded: no finer breakdown in the report. Numbered "
        "lines: typical latency by storage type.",
        "milliseconds", "% of waits", scale.ticks(bounds, _APART), up.ticks(),
        Grid(("wait", "share"), tuple(rows)), tuple(boxes), marks=tuple(marks),
    )  # fmt: skip


def _span(begin: float, end: float | None) -> str:
    if end is None:
        return f"above {present.number(begin)} ms"
    if not begin:
        return f"below {present.number(end)} ms"
    return f"{present.number(begin)} to {present.number(end)} ms"


def _mttr(scale: MttrScale) -> Plot:
    """Recovery time between its bounds."""
    named = (
        ("estimated now", scale.estimated_s, "now"), ("target in force", scale.target_s, ""),
        ("lowest achievable target", scale.lowest_s, ""),
        ("highest target with an effect", scale.highest_s, ""),
        ("recommended target, if any is set", scale.recommended_s, "goal"),
    )  # fmt: skip
    known = [(name, value, kind) for name, value, kind in named if value]
    axis = Log(1, max(3600, *(value for _, value, _ in known)))
    marks = tuple(
        Mark(axis.at(value), str(number), f"{name}: {present.number(value)} s", kind)
        for number, (name, value, kind) in enumerate(known, start=1)
    )
    low, high = scale.lowest_s or 1, scale.highest_s
    return Plot(
        "Recovery time and its bounds",
        "Estimated recovery time after a crash, and the range of effective targets.",
        "seconds", "", axis.ticks(_SECONDS, _APART), (),
        Grid(("", "seconds"), tuple((name, present.number(value)) for name, value, _ in known)),
        marks=marks, band=(axis.at(low), axis.at(high)) if high else None, flat=True,
    )  # fmt: skip


def _curve(curve: WriteCurve) -> Plot:
    """Writes by recovery target."""
    xs = [point.target_s for point in curve.points]
    axis, up = Log(min(xs), max(xs)), linear([point.writes_per_s for point in curve.points])
    places = [(axis.at(p.target_s), up.at(p.writes_per_s), p) for p in curve.points]
    dots = tuple(
        Dot(x, y, f"target {present.number(p.target_s)} s: "
                  f"{present.number(p.writes_per_s)} writes/s")
        for x, y, p in places if p.printed
    )  # fmt: skip
    marks = [
        Mark(axis.at(value), sign, f"{name}: {present.number(value)} s", kind)
        for sign, name, value, kind in (
            ("1", "now", curve.now_s, "now"), ("2", "recommended", curve.recommended_s, "goal"),
        )
        if value is not None and min(xs) <= value <= max(xs)
    ]  # fmt: skip
    return Plot(
        "Writes by recovery target",
        f"Source: {curve.source}.", "FAST_START_MTTR_TARGET, seconds", "writes per second",
        axis.ticks(sorted(p.target_s for p in curve.points if p.printed), _APART), up.ticks(),
        Grid(("target", "writes per second"),
             tuple((f"{present.number(p.target_s)} s", present.number(p.writes_per_s))
                   for p in curve.points if p.printed)),
        line=" ".join(f"{x:.2f},{100 - y:.2f}" for x, y, _ in places),
        dots=dots, marks=tuple(marks),
    )  # fmt: skip


def _undo(shown: Exhibits) -> Plot:
    """Undo over time, from the undo statistics."""
    up = linear([each.undo_blocks for each in shown.undo])
    width = 100 / len(shown.undo)
    every = -(-len(shown.undo) // _TIMES)
    return Plot(
        "Undo over time",
        "Undo blocks per row of Undo Segment Stats, usually ten minutes.",
        "end time", "undo blocks",
        tuple(Tick((n + 0.5) * width, present.safe(each.end_time))
              for n, each in enumerate(shown.undo) if n % every == 0),
        up.ticks(),
        Grid(("end time", "undo blocks", "transactions", "longest query, s"),
             tuple((present.safe(e.end_time), present.number(e.undo_blocks),
                    _maybe(e.transactions), _maybe(e.max_query_s)) for e in shown.undo)),
        tuple(Box((n + 0.1) * width, 0.8 * width, up.at(e.undo_blocks),
                  f"{present.safe(e.end_time)}: {present.number(e.undo_blocks)} undo blocks")
              for n, e in enumerate(shown.undo)),
    )  # fmt: skip


def tablespaces(shown: Exhibits) -> list[dict[str, Any]]:
    """I/O by tablespace: the busiest, and all temp and undo tablespaces; others in one row."""
    whole = sum(each.reads + each.writes for each in shown.tablespaces)
    if not whole:
        return []
    picked = [e for n, e in enumerate(shown.tablespaces) if n < _TABLESPACES or e.kind]
    rows = [(present.safe(e.name), e.kind, e.reads, e.writes, e.read_ms) for e in picked]
    rest = [e for e in shown.tablespaces if e not in picked]
    if rest:
        name = f"{len(rest)} others"
        rows.append((name, "", sum(e.reads for e in rest), sum(e.writes for e in rest), None))
    return [
        {
            "name": name, "kind": kind, "reads": present.number(reads),
            "writes": present.number(writes), "read_ms": _maybe(read_ms),
            "read_pct": f"{reads * 100 / whole:.2f}", "write_pct": f"{writes * 100 / whole:.2f}",
            "pct": f"{(reads + writes) * 100 / whole:.1f}",
        }
        for name, kind, reads, writes, read_ms in rows
    ]  # fmt: skip


def savings(shown: Exhibits) -> list[dict[str, Any]]:
    """The savings of every storage type, as bars on one scale."""
    most = max((sum(filter(None, (d.redo_s, d.temp_s, d.undo_s))) for d in shown.devices),
               default=0)  # fmt: skip
    if most <= 0:
        return []
    return [
        {
            "title": d.title, "write_ms": present.number(d.write_ms),
            "read_ms": present.number(d.read_ms),
            "parts": [
                (name, _maybe(value), f"{(value or 0) * 100 / most:.2f}")
                for name, value in (("redo", d.redo_s), ("temp", d.temp_s), ("undo", d.undo_s))
            ],
            "pct": "" if d.pct_db_time is None else f"{d.pct_db_time:.1f} %",
        }
        for d in shown.devices
    ]  # fmt: skip


def _maybe(value: float | None) -> str:
    return "" if value is None else present.number(value)
