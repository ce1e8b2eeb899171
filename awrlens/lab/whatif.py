"""``awrlens whatif`` and ``awrlens devices``: what a change or other storage would save."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import click

from awrlens import api, config
from awrlens.advice import chart_data
from awrlens.advice import devices as storage
from awrlens.advice.case import Case
from awrlens.cli import output
from awrlens.cli.options import PART, configured, formats, part_of, redacted
from awrlens.lab.effects import Change, what_if
from awrlens.model.fact_table import REPORT_FACTS
from awrlens.model.plain import fields
from awrlens.policy import cite
from awrlens.render import blocks as b
from awrlens.render import first_screen, wording
from awrlens.severity import SHOWN_PCT, SHOWN_SESSIONS
from awrlens.units import UNIT_SIGNS, parse_number

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from awrlens.config import Options
    from awrlens.lab.effects import Line, Outcome
    from awrlens.redact.names import Names


def _quantity(unit: str, metavar: str) -> dict[str, Any]:
    """What an option takes: a number with a unit, such as ``0.2ms``, ``200us``, ``2G``, ``60``."""

    def number(_: click.Context, __: click.Parameter, value: str | None) -> float | None:
        if value is None:
            return None
        parsed = parse_number(value, unit)
        if parsed is None:
            raise click.BadParameter(f"{value!r} is not a {metavar}; give a number in {unit}.")
        return float(parsed)

    return {"metavar": metavar, "callback": number}


_LATENCY: Final = _quantity("ms", "LATENCY")
_SIZE: Final = _quantity("MB", "SIZE")


@click.command()
@click.argument("report")
@click.option("--redo-latency", **_LATENCY, help="Redo log write latency, e.g. 0.2ms.")
@click.option("--temp-latency", **_LATENCY, help="Read and write latency of temp.")
@click.option("--undo-latency", **_LATENCY, help="Read latency of undo.")
@click.option("--mttr", **_quantity("s", "SECONDS"), help="FAST_START_MTTR_TARGET.")
@click.option("--redo-log-size", **_SIZE, help="Redo log size, e.g. 2G.")
@click.option("--pga", **_SIZE, help="PGA_AGGREGATE_TARGET, e.g. 8G.")
@formats("text", "json", "markdown", "html")
@PART
@configured
@redacted
def whatif(
    report: str, redo_latency: float | None, temp_latency: float | None,
    undo_latency: float | None, mttr: float | None, redo_log_size: float | None,
    pga: float | None, format_: str, part: str | None, options: Options, names: Names | None,
) -> int:  # fmt: skip
    """Estimate the effect of a change on REPORT, before and after.

    Savings are for the same load and include the queue for LGWR. --device sets the latency of redo,
    temp and undo; the latency options override it.

    `awrlens devices` lists storage types; `awrlens integrity` is for block checking and checksums.

    \b
    Examples:
      awrlens whatif REPORT --redo-latency 0.2ms --redo-log-size 2G
      awrlens whatif REPORT --device nvme --pga 8G --mttr 60
    """  # noqa: D301 - \b is for click
    loaded = part_of(report, part, names)
    policy = config.load(report, options).policy
    change = Change(
        redo_latency, temp_latency, undo_latency, mttr, redo_log_size, pga,
        policy[storage.THRESHOLDS["mb_s"]],
    )  # fmt: skip
    if options.device:
        device = storage.find(options.device)
        change = change._replace(
            redo_ms=redo_latency or device.write_ms,
            temp_ms=temp_latency or device.read_ms,
            undo_ms=undo_latency or device.undo_read_ms or device.read_ms,
            temp_write_ms=temp_latency or device.temp_write_ms or device.write_ms,
            undo_write_ms=undo_latency or device.undo_write_ms or device.write_ms,
        )
    outcome = what_if(loaded, change, policy)
    given = (
        ("redo write", redo_latency, "ms"), ("temp I/O", temp_latency, "ms"),
        ("undo read", undo_latency, "ms"), ("FAST_START_MTTR_TARGET", mttr, "s"),
        ("redo logs", redo_log_size, "MB"), ("PGA_AGGREGATE_TARGET", pga, "MB"),
    )  # fmt: skip
    words = [f"{what} {wording.measured(x, unit)}" for what, x, unit in given if x is not None]
    changed = ", ".join([f"storage {options.device}"] * bool(options.device) + words)
    who = first_screen.subject(loaded.identity.to_dict())
    data = {"source": loaded.source, **fields(outcome)}
    return output.either(format_, data, lambda: whatif_page(outcome, who, changed))


def whatif_page(outcome: Outcome, who: str, changed: str) -> b.Page:
    """The change, the saving, conflicts, before and after, what was not assessed, the models."""
    effect = outcome.saving
    lost = (effect.seconds or 0) < 0
    if lost:
        share = None if effect.pct_db_time is None else abs(effect.pct_db_time)
        effect = effect._replace(seconds=abs(effect.seconds or 0), pct_db_time=share)
    saving = wording.impact(effect._replace(seconds=None)) or wording.impact(effect)
    if effect.sessions and abs(effect.sessions) >= SHOWN_SESSIONS:
        saving += f" ({wording.short(abs(effect.sessions))} sessions)"
    headline = f"{'Costs' if lost else 'Saves'} {saving}."
    if not effect.seconds:
        headline = f"Saves no {effect.base}." if saving else "What the change saves is not known."
    about = (f"Change: {changed}.", *((f"Estimate: {effect.basis}.",) if saving else ()))
    severity = "ok" if saving else "unknown"
    if lost or outcome.conflicts:
        severity = "warning"
    return b.Page(who, about, headline, severity, tuple(_whatif(outcome)))


def _whatif(outcome: Outcome) -> Iterator[b.Block]:
    for conflict in outcome.conflicts:
        yield b.Paragraph(conflict, "warning")
    for line in outcome.changes:
        if line.name == "redo.local_write_ms":
            yield b.Paragraph(
                f"A redo log write would take {_shown(line.after, line)}: {line.model}."
            )
    waits = [line for line in outcome.changes
             if line.name.endswith("wait_s") and max(line.before, line.after) >= 1]  # fmt: skip
    if waits:
        bars = (
            b.BarRow(label, (b.Piece(0.0, seconds, *side),), _shown(seconds, line))
            for line in waits
            for label, seconds, side in (
                (_title(line), line.before, ("other", "before")),
                ("  after", line.after, ("ok", "after") if line.after <= line.before else
                 ("warning", "after, more")),
            )
        )  # fmt: skip
        most = max(max(line.before, line.after) for line in waits)
        yield b.Bars("Seconds waited", most, tuple(bars))
    columns = b.columns("what | #before | #after")
    rows = (
        b.Row((outcome.saving.base if line.name == "load.response_s" else _title(line),
             *(_shown(x, line) for x in (line.before, line.after))),
            "strong" if line.unit == "s" else "")
        for line in sorted(outcome.changes, key=lambda line: line.name != "load.response_s")
    )  # fmt: skip
    yield b.Table("Before and after", columns, tuple(rows))
    if outcome.not_assessed:
        yield b.Heading("Not assessed")
        yield b.Items(tuple(map(b.Item, outcome.not_assessed)))
    models = tuple(b.Item(line.model, _title(line)) for line in outcome.changes)
    yield b.Fold("How each is estimated", (b.Items(models),))


#: Smaller values are not told apart.
_LEAST: Final = 0.01


def _shown(value: float, line: Line) -> str:
    """A value with three digits; a recovery target of 0 is none."""
    if not value and line.name == "checkpoint.target_mttr_s":
        return "none"
    shown = f"< {_LEAST}" if 0 < value < _LEAST else wording.short(value)
    return f"{shown} {UNIT_SIGNS.get(line.unit, line.unit)}".strip()


#: Titles of what is no fact of a report.
_TITLES: Final = {
    "pga_aggregate_target": "PGA_AGGREGATE_TARGET",
    "extra I/O of work areas": "I/O of work areas on disk",
}


def _title(line: Line) -> str:
    spec = REPORT_FACTS.get(line.name)
    if spec is None:
        return _TITLES.get(line.name, line.name)
    title = spec.title.removesuffix(f" {line.unit}")
    return f"{title[:1].upper()}{title[1:]}"


@click.command()
@click.argument("report", required=False, metavar="[REPORT]")
@formats("text", "json", "markdown", "html")
@PART
@redacted
def devices(report: str | None, format_: str, part: str | None, names: Names | None) -> int:
    """List storage types; with REPORT, the time that they would save.

    \b
    Examples:
      awrlens devices awrrpt_1_100_101.html
      awrlens analyze REPORT --device nvme
      awrlens analyze REPORT --device 0.2ms/0.5ms     (redo write / read)
    """  # noqa: D301 - \b is for click
    described: dict[str, dict[str, Any]] = {
        name: device.to_dict() | {"source": cite(device.source)}
        for name, device in storage.DEVICES.items()
    }
    listed = list(described.values())
    who, base = "Storage types", ""
    now: Mapping[str, float] = {}
    elapsed_s = 0.0
    if report is not None:
        policy = config.load(report).policy
        loaded = part_of(report, part, names)
        judged = api.analyze(loaded, policy)
        who, base = first_screen.subject(loaded.identity.to_dict()), judged.base
        case = Case.of(judged.facts, judged.findings, policy)
        now, elapsed_s = dict(chart_data.present(case)), case.get("load.elapsed_s") or 0.0
        listed = [
            described[saving.name]
            | {f"{part}_s": saving.seconds_of(part) for part in ("redo", "temp", "undo")}
            | {"device": saving.name, "overrun": saving.overrun, "pct_db_time": saving.pct_db_time}
            for saving in chart_data.by_device(case)
        ]
    return output.either(format_, listed, lambda: devices_page(listed, who, base, now, elapsed_s))


def devices_page(
    listed: Sequence[Mapping[str, Any]], who: str, base: str = "",
    now: Mapping[str, float] = {}, elapsed_s: float = 0.0,
) -> b.Page:  # fmt: skip
    """Storage types with their latencies, and their savings in ``base`` or their sources.

    ``now``: the latencies of the present storage in ms, as far as known.
    """
    kinds = ("write_ms", "read_ms", "temp_write_ms", "undo_read_ms", "undo_write_ms")
    heads = ("redo write", "temp read", "temp write", "undo read", "undo write")
    columns = b.columns(" | #".join(("`name", *heads)))
    ranked = listed
    if base:  # savings, then costs, then what is not known, then what is too slow
        ranked = sorted(listed, key=lambda kind: (
            kind["overrun"], kind["pct_db_time"] is None, -(kind["pct_db_time"] or 0.0)
        ))  # fmt: skip
    rows = tuple(b.Row((e["name"], *(f"{e[kind]:g} ms" for kind in kinds))) for e in ranked)
    if now:
        present = (f"{wording.short(now[head])} ms" if head in now else "-" for head in heads)
        rows = (b.Row(("present storage", *present), "strong"), *rows)
    latencies = b.Table("Latencies", columns, rows)
    if base:
        columns = b.columns(f"(storage) | `name | #redo | #temp | #undo | #sessions | #{base}")
        share, best = ranked[0]["pct_db_time"], first_screen.in_short(ranked[0]["title"])
        headline, severity = "The saving is not known.", "unknown"
        least = min((e["pct_db_time"] or 0.0 for e in listed if not e["overrun"]), default=0.0)
        if share is not None and share >= SHOWN_PCT:
            most = f"{wording.percent(share)} of {base} ({best})"
            headline, severity = f"Other storage would save {most} at best.", "info"
            if least >= share * _ALIKE:
                low, high = wording.percent(least), wording.percent(share)
                span = high if low == high else f"{low.removesuffix(' %')} to {high}"
                headline = f"Any of these would save about as much: {span} of {base}."
        elif share is not None:
            little = f"less than {SHOWN_PCT} % of {base}" if share > 0 else f"no {base}"
            headline, severity = f"Other storage saves {little}.", "ok"
        nets = [e for e in ranked if e["pct_db_time"] is not None]
        seconds = [*map(_net, nets)]
        longest = max(seconds, default=0.0)
        if longest <= 0:
            longest = -min(seconds, default=0.0)
        bars = [
            b.BarRow(first_screen.in_short(e["title"]), (_piece(_net(e), longest),), _share(e))
            for e in nets
        ]
        gaining = sum(net > 0 for net in seconds)
        bars.insert(gaining, b.BarRow("present storage", (), "0 %"))
        picture = (b.Bars("Seconds saved", longest, tuple(bars)),) if longest else ()
        rows = tuple(_savings(e, elapsed_s) for e in ranked)
        return b.Page(who, (), headline, severity, (
            b.Paragraph("Complete the tuning steps of `awrlens analyze` first.", "strong"),
            *picture, b.Table("Savings", columns, rows), b.Heading("Latencies"), latencies,
            b.Paragraph(_NOTE.format(base, listed[0]["name"]), "dim"),
        ))  # fmt: skip
    sources = tuple(b.Item(kind["title"], kind["name"], below=(f"source: {kind['source']}",))
                    for kind in listed)  # fmt: skip
    return b.Page(
        who, (), "Kinds of storage that verdicts can compare with (--device).", "info",
        (latencies, b.Heading("Sources"), b.Items(sources)),
    )  # fmt: skip


#: The least saving that is about as much as the greatest one, as a part of it.
_ALIKE: Final = 0.9
_NOTE: Final = (
    "`awrlens analyze` compares with {1}, unless `--device` names another. Seconds of wait time "
    "saved at the same load, and their share of {0}; a negative value is a cost, `-` is not known. "
    "Storage is too slow if LGWR would write all the time. Temporary I/O has a cost only if the "
    "device's latency is above the time of the I/O in the file table, because sessions start this "
    "I/O ahead; without that time the cost is not known and not counted."
)


def _net(kind: Mapping[str, Any]) -> float:
    """The seconds that a kind of storage saves for all parts together; lost if below 0."""
    return float(sum(kind[f"{part}_s"] or 0.0 for part in ("redo", "temp", "undo")))


def _piece(net_s: float, longest: float) -> b.Piece:
    """Seconds saved or lost; a loss above the largest saving is cut, which its style shows."""
    if net_s >= 0:
        return b.Piece(0.0, net_s, "ok", "saved")
    if -net_s <= longest:
        return b.Piece(0.0, -net_s, "warning", "lost")
    return b.Piece(0.0, longest, "critical", "lost, longer than drawn")


def _share(kind: Mapping[str, Any]) -> str:
    """The share of a saving; one that rounds to 0 has no sign."""
    share = kind["pct_db_time"]
    return "-" if share is None else f"{round(share, 1) or 0.0:.1f} %"


def _savings(kind: Mapping[str, Any], elapsed_s: float) -> b.Row:
    """What a kind of storage would save."""
    seconds = (kind[part] for part in ("redo_s", "temp_s", "undo_s"))
    cells = ["-" if saved is None else f"{round(saved):,} s" for saved in seconds]
    if kind["overrun"]:
        cells[0] = "too slow"
    sessions = "-"
    if elapsed_s and kind["pct_db_time"] is not None:
        saved = _net(kind) / elapsed_s
        sessions = wording.few(saved) if saved >= 0 else f"{round(saved, 2) or 0.0:g}"
    return b.Row((kind["title"], kind["name"], *cells, sessions, _share(kind)))
