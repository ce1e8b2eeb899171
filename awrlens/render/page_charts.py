"""The charts of the HTML page: their data, their labels and the findings that they support."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any, Final

from awrlens.lazy import NamedTuple
from awrlens.model import with_parts
from awrlens.render import charts as c
from awrlens.render import wording
from awrlens.render.charts import Plot, histograms, labelled, scaled
from awrlens.render.wording import duration, percent, short
from awrlens.units import listed

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from awrlens.model import Fact, Finding
    from awrlens.model.chart_data import DeviceMark, Exhibits, MttrScale, TablespaceIO, WriteCurve

#: The facts of a bar, and the labels of its parts.
_COMMIT: Final = (
    ("redo.commit_storage_s", "redo log write"), ("redo.commit_lgwr_s", "other LGWR time"),
    ("redo.commit_scheduling_s", "scheduling and CPU"),
    ("redo.commit_unexplained_s", "unexplained"),
)  # fmt: skip
_SWITCHES: Final = (
    ("checkpoint.incomplete_wait_s", "checkpoint incomplete"),
    ("redo.archive_wait_s", "archiving needed"),
    ("redo.switch_completion_wait_s", "the switch itself"),
    ("redo.switch_strand_wait_s", "private strand flush incomplete"),
)  # fmt: skip
_DBWR: Final = (
    ("checkpoint.mttr_write_pct", "recovery target"),
    ("checkpoint.log_size_write_pct", "redo log size"),
    ("checkpoint.log_ckpt_write_pct", "LOG_CHECKPOINT_* settings"),
    ("checkpoint.other_settings_write_pct", "other settings"),
    ("checkpoint.autotune_write_pct", "automatic tuning"),
    ("checkpoint.thread_write_pct", "thread checkpoints"),
)
#: Number of tablespaces shown in addition to temp and undo tablespaces, and their least share of
#: writes or reads in per cent.
_TABLESPACES, _LEAST_PCT = 10, 1
#: Maximum number of charts in a finding, the first a picture of itself; the others are at the end.
_MOST: Final = 2
#: The rules whose findings a chart supports.
_SUPPORTS: Final = {
    "log file parallel write": ("REDO001", "REDO003", "REDO009", "REDO010", "REDO014"),
    "log file sync": ("REDO002", "REDO006", "REDO009", "REDO012", "REDO013", "REDO014", "REDO001"),
    "commit": ("REDO002", "REDO003", "REDO009", "REDO012", "REDO013"),
    "switches": ("CKPT001", "REDO004", "REDO005", "REDO007"),
    "log file switch (checkpoint incomplete)": ("CKPT001", "REDO004"),
    "dbwr": ("CKPT003", "CKPT005", "CKPT006"),
    "direct path write temp": ("TEMP001", "TEMP008", "TEMP003", "TEMP005", "TEMP007"),
    "direct path read temp": ("TEMP001", "TEMP002", "TEMP003", "TEMP005", "TEMP007"),
    "db file parallel write": ("REDO014", "CKPT005", "CKPT008", "CKPT010", "UNDO001"),
    "db file sequential read": ("UNDO007", "UNDO010", "TEMP004"),
    "cell single block physical read": ("UNDO007", "UNDO010"),
    "tablespaces": ("TEMP001", "TEMP002", "TEMP004", "TEMP008", "UNDO001", "UNDO003", "UNDO007",
                    "UNDO010", "UNDO012"),
    "recovery": ("CKPT002", "CKPT003", "CKPT004", "CKPT007"),
    "curve": ("CKPT003", "CKPT004", "CKPT005", "CKPT007"),
    "undo": ("UNDO001", "UNDO002", "UNDO004", "UNDO005", "UNDO006", "UNDO008",
             "UNDO014"),
    "savings": ("REDO001", "REDO009", "REDO014", "TEMP001", "TEMP002", "TEMP008", "UNDO007"),
}  # fmt: skip


#: Parts of the write path whose storage may be replaced.
_STORED: Final = ("redo", "temp", "undo")


class Placed(NamedTuple):
    """The charts of each finding by its rule, and the others."""

    findings: dict[str, list[dict[str, Any]]]
    others: list[dict[str, Any]]


def placed(shown: Exhibits, facts: Mapping[str, Fact], findings: Sequence[Finding]) -> Placed:
    """All charts, each with the first finding that it supports, before those with such a part."""
    result, left = Placed({}, []), list(_charts(shown, facts))
    own = {finding.id: {finding.id} for finding in findings}
    parts = {finding.id: {part.id for part in with_parts((finding,))} for finding in findings}
    for rules in (own, parts):
        charts, left = left, []
        for name, chart in charts:
            at = [id_ for id_, ids in rules.items() if not ids.isdisjoint(_SUPPORTS[name])]
            places = (result.findings.setdefault(id_, []) for id_ in at)
            place = next((place for place in places if len(place) < _MOST), None)
            if place is None:
                left.append((name, chart))
            else:
                place.append(chart)
    return Placed(result.findings, [chart for _, chart in left])


def _charts(shown: Exhibits, facts: Mapping[str, Fact]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Names and charts for which the report has numbers that say something."""
    yield from _bars(facts)
    for event, plot in histograms(shown.latencies):
        yield event, {"kind": "plot", "plot": plot}
    if rows := _tablespaces(shown.tablespaces):
        yield "tablespaces", {"kind": "tablespaces", "rows": rows}
    plots = {
        "recovery": shown.mttr and _recovery(shown.mttr),
        "curve": shown.curve and _curve(shown.curve),
        "undo": _undo(shown) if len(shown.undo) > 1 else None,
    }
    for name, chart in plots.items():
        if chart is not None:
            yield name, {"kind": "plot", "plot": chart}
    if savings := _savings(shown):
        yield "savings", savings


def _bars(facts: Mapping[str, Fact]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Stacked bars of sums; a sum of one part has none, unless its line says more."""
    for name, title, unit, parts in (
        ("commit", "Commit time by cause", "s", _COMMIT),
        ("switches", "Waits at log switches by cause", "s", _SWITCHES),
        ("dbwr", "Block writes of DBWR by cause", "%", _DBWR),
    ):
        sums = [(label, facts[fact].number or 0.0) for fact, label in parts if fact in facts]
        values = [(label, value) for label, value in sums if value > 0]
        rest = 100 - sum(value for _, value in values)
        says = _switching(facts) if name == "switches" and values else ""
        if len(values) > 1 or says:
            if unit == "%" and rest > 1:
                values.append(("not for checkpoints", rest))
            whole = sum(value for _, value in values)
            bars = [(label, wording.number(value), f"{value * 100 / whole:.1f}")
                    for label, value in values]  # fmt: skip
            yield name, {"kind": "bar", "title": title, "unit": unit, "bars": bars, "says": says}


def _switching(facts: Mapping[str, Fact]) -> str:
    """How often log switches are, next to the waits at them."""
    often, minutes = (
        facts[name].number if name in facts else None
        for name in ("redo.log_switches_per_hour", "redo.minutes_per_switch")
    )
    if not often or not minutes:
        return ""
    return f"{short(often)} log switches per hour, one every {duration(minutes * 60)}."


def _recovery(scale: MttrScale) -> Plot | None:
    """Recovery time between its bounds; nothing to compare has no chart."""
    named = (
        ("estimated now", scale.estimated_s, "now"), ("target in force", scale.target_s, ""),
        ("lowest target", scale.lowest_s, ""), ("highest target", scale.highest_s, ""),
        ("recommended target", scale.recommended_s, "goal"),
    )  # fmt: skip
    times = [(name, value, kind) for name, value, kind in named if value]
    if len({value for _, value, _ in times}) < 2:  # noqa: PLR2004 - one value is no comparison
        return None
    axis = scaled([value for _, value, _ in times])
    by_value: dict[float, list[tuple[str, str]]] = {}
    for name, value, kind in times:
        by_value.setdefault(value, []).append((name, kind))
    marks = (
        _mark(axis.at(at), listed([n.removesuffix(" target") for n, _ in names]), at, names[-1][1])
        for at, names in by_value.items()
    )
    low, high = scale.lowest_s, scale.highest_s
    return Plot(
        "Recovery time and its bounds",
        "Recovery time after a crash; shaded: the range in which a target has an effect.",
        f"recovery time, seconds{axis.name}", "", axis.ticks(), (),
        c.Grid(("", "seconds"), tuple((name, wording.number(value)) for name, value, _ in times)),
        marks=labelled(marks), band=(axis.at(low) if low else 0, axis.at(high)) if high else None,
        flat=True,
    )  # fmt: skip


def _mark(at: float, name: str, seconds: float, kind: str) -> c.Mark:
    shown = duration(seconds)
    return c.Mark(at, f"{name} {shown}", f"{name}: {shown}", kind)


def _curve(curve: WriteCurve) -> Plot:
    axis = scaled([point.target_s for point in curve.points])
    up = scaled([point.writes_per_s for point in curve.points])
    places = [(axis.at(p.target_s), up.at(p.writes_per_s), p) for p in curve.points]
    printed = [place for place in places if place[2].printed]
    dots = tuple(
        c.Dot(x, y, f"target {duration(p.target_s)}: {wording.number(p.writes_per_s)} writes/s")
        for x, y, p in printed
    )
    end = max(point.target_s for point in curve.points)
    marks = [
        _mark(axis.at(value), name, value, kind)
        for name, value, kind in (
            ("now", curve.now_s, "now"), ("recommended", curve.recommended_s, "goal"),
        )
        if value is not None and value <= end
    ]  # fmt: skip
    return Plot(
        "Writes by recovery target", f"Source: {curve.source}.",
        f"FAST_START_MTTR_TARGET, seconds{axis.name}", f"block writes per second{up.name}",
        axis.ticks(), up.ticks(),
        c.Grid(("target", "writes per second"),
             tuple((f"{wording.number(p.target_s)} s", wording.number(p.writes_per_s))
                   for _, _, p in printed)),
        lines=(c.Path(" ".join(f"{x:.2f},{100 - y:.2f}" for x, y, _ in places)),),
        dots=dots, marks=labelled(marks),
    )  # fmt: skip


def _undo(shown: Exhibits) -> Plot:
    up = scaled([row.undo_blocks for row in shown.undo])
    width = 100 / len(shown.undo)
    ends = [wording.safe(row.end_time) for row in shown.undo]
    days = {end.partition(" ")[0] for end in ends}
    day = f", {ends[0].partition(' ')[0]}" if len(days) == 1 and " " in ends[0] else ""
    return Plot(
        "Undo over time",
        "Undo blocks per row of Undo Segment Stats, usually ten minutes.",
        f"end time{day}", f"undo blocks{up.name}",
        tuple(c.Tick((n + 0.5) * width, end.partition(" ")[2] if day else end)
              for n, end in enumerate(ends)),
        up.ticks(),
        c.Grid(("end time", "undo blocks", "transactions", "longest query, s"),
             tuple((end, wording.number(e.undo_blocks), _maybe(e.transactions),
                    _maybe(e.max_query_s)) for end, e in zip(ends, shown.undo, strict=True))),
        tuple(c.Box((n + 0.1) * width, 0.8 * width, up.at(e.undo_blocks) if e.undo_blocks else 0,
                  f"{ends[n]}: {wording.number(e.undo_blocks)} undo blocks")
              for n, e in enumerate(shown.undo)),
    )  # fmt: skip


def _tablespaces(spaces: Sequence[TablespaceIO]) -> list[dict[str, Any]]:
    """Writes and reads of tablespaces: the busiest, and all temp and undo tablespaces."""
    writes, reads = sum(space.writes for space in spaces), sum(space.reads for space in spaces)
    if len(spaces) < 2 or not writes + reads:  # noqa: PLR2004 - one part is the whole
        return []

    def share(space: TablespaceIO) -> float:
        return max(space.writes * 100 / (writes or 1), space.reads * 100 / (reads or 1))

    busiest = [e for e in sorted(spaces, key=share, reverse=True) if share(e) >= _LEAST_PCT]
    ordered = sorted(spaces, key=lambda space: (-space.writes, -space.reads))
    picked = [space for space in ordered if space.kind or space in busiest[:_TABLESPACES]]
    rest = [space for space in ordered if space not in picked]
    rows = [(wording.safe(e.name), e.kind, e.writes, e.reads, e.read_ms) for e in picked]
    if rest:
        sums = sum(e.writes for e in rest), sum(e.reads for e in rest)
        rows.append((f"{len(rest)} other{'s' if len(rest) > 1 else ''}", "", *sums, None))
    return [
        {
            "name": name, "kind": kind, "read_ms": _maybe(read_ms),
            "parts": [_part("writes", own_writes, writes), _part("reads", own_reads, reads)],
        }
        for name, kind, own_writes, own_reads, read_ms in rows
    ]  # fmt: skip


def _part(label: str, value: float, whole: float) -> tuple[str, str, str, str]:
    pct = value * 100 / whole if whole else 0.0
    return label, wording.number(value), percent(pct), f"{pct:.2f}"


#: Share of an axis that the label at its end takes, in %.
_ROOM: Final = 20


#: Bars at most.
_BARS: Final = 5


def _savings(shown: Exhibits) -> dict[str, Any] | None:
    """The savings of storage types in % of DB time, the largest first, around 0."""
    rated = sorted(
        (store for store in shown.devices if store.pct_db_time is not None),
        key=lambda store: -(store.pct_db_time or 0.0),
    )
    if not rated:
        return None
    best, worst = rated[0].pct_db_time or 0.0, rated[-1].pct_db_time or 0.0
    if best < shown.noticed_pct:
        return {"kind": "note", "text": _no_saving(rated, best, worst, shown)}
    parts = [part for part in _STORED if any(store.seconds_of(part) is not None for store in rated)]
    low = min(0.0, *(sum(min(0.0, gain.pct or 0.0) for gain in e.savings) for e in rated))
    high = max(sum(max(0.0, gain.pct or 0.0) for gain in e.savings) for e in rated)
    whole = high - low
    drawn = [[*some] for _, some in groupby(rated, lambda store: _signed(store.pct_db_time or 0.0))]
    del drawn[_BARS - 1 : -1]
    rows = [_saving(alike, low, whole, parts) for alike in drawn]
    here = ", ".join(f"{name} {short(ms)} ms" for name, ms in shown.present)
    at = sum((alike[0].pct_db_time or 0.0) > 0 for alike in drawn)
    zero = -low * 100 / whole
    unknown = {"parts": [], "seconds": [""] * len(parts)}
    now = {"title": "present storage", "times": here, "pct": "0 %", **unknown}
    late = listed([store.title for store in shown.devices if store.overrun])
    slow = {"title": late, "pct": "too slow", **unknown, "times": "LGWR cannot keep up"}
    return {
        "kind": "savings", "now": at, "parts": parts,
        "rows": [*rows[:at], now, *rows[at:], *[slow] * bool(late)],
        "zero": f"{zero:.2f}", "nought": "0" if not low or _ROOM < zero < 100 - _ROOM else "",
        "low": _signed(low) if low else "", "high": percent(high), "base": shown.base,
    }  # fmt: skip


def _no_saving(rated: list[DeviceMark], best: float, worst: float, shown: Exhibits) -> str:
    noticed = shown.noticed_pct
    most = f"the most is {percent(best)} ({rated[0].title})" if best > 0 else "none saves time"
    cost = f"; the slowest would cost {percent(-worst)}" if -worst >= noticed else ""
    return f"No storage type would save {percent(noticed)} of {shown.base}: {most}{cost}."


def _latencies(device: DeviceMark) -> str:
    return f"{short(device.write_ms)} ms per write, {short(device.read_ms)} ms per read"


def _saving(alike: list[DeviceMark], low: float, whole: float, parts: list[str]) -> dict[str, Any]:
    """A row: its segments go to the right of 0 if they save time, and to the left if they cost.

    Types that save as much have one row.
    """
    device, last, segments, ends = alike[0], alike[-1], [], {True: 0.0, False: 0.0}
    many = len(alike) > 1
    for gain in device.savings:
        share = gain.pct or 0.0
        begin = ends[share < 0]
        ends[share < 0] = begin + share
        left = min(begin, begin + share) - low
        segments.append((gain.part, f"{left * 100 / whole:.2f}", f"{abs(share) * 100 / whole:.2f}"))
    return {
        "title": f"{len(alike)} types: {device.title} to {last.title}" if many else device.title,
        "times": f"up to {_latencies(last)}" if many else _latencies(device),
        "pct": _signed(device.pct_db_time or 0.0),
        "parts": segments,
        "seconds": [_maybe(device.seconds_of(part)) for part in parts],
    }


def _signed(value: float) -> str:
    """A share with a minus sign; costs that round to 0 are 0."""
    return percent(value) if value >= 0 else percent(round(value, 1) + 0.0).replace("-", "−")


def _maybe(value: float | None) -> str:
    return "" if value is None else short(value)
