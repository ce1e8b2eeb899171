"""The pages of an alert log and of a predicted recovery, as blocks."""

from __future__ import annotations

from itertools import accumulate, chain
from typing import TYPE_CHECKING, Final, cast

from awrlens.advice.recovery_split import known_s
from awrlens.lab.buddy import as_known
from awrlens.render import blocks as b
from awrlens.render import first_screen, wording
from awrlens.render.wording import dash_seconds, seconds, short, size

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from awrlens.lab import documents
    from awrlens.model import Analysis, Finding, Recommendation


#: Phases and their styles, none that of a severity; they differ without color, too.
STYLES: Final = {
    "start-up": "dim", "mount": "cpu", "opening": "checkpoint",
    "start-up and opening": "checkpoint", "detection": "dim", "reconfiguration": "strong",
    "first pass": "redo", "rest of the GCS rebuild": "strong", "second pass": "temp", "other": "",
}  # fmt: skip


def pieces(phases: Iterable[tuple[str, float]]) -> tuple[b.Piece, ...]:
    """Consecutive phases, each with its name and seconds."""
    listed = list(phases)
    ends = accumulate(spent for _, spent in listed)
    return tuple(
        b.Piece(end - spent, end, STYLES[name], name, seconds(spent))
        for (name, spent), end in zip(listed, ends, strict=True)
    )


#: Maximum number of episodes and recoveries that are shown; the JSON output has all.
_MOST: Final = 12
_JUDGED: Final = {
    "within": ("in time", "ok"), "lower-bound": ("lower bound reached", "warning"),
    "bottleneck": ("bottleneck", "warning"), "not-judged": ("not judged", "unknown"),
}  # fmt: skip
_NO_VERDICT: Final = (
    "A verdict needs a time to compare with: `awrlens recovery measure ALERTLOG --desired-mttr "
    "SECONDS` gives one now, and FAST_START_MTTR_TARGET, once it is set, does for later crashes."
)
#: From here on, an estimate is in hours.
_HOURS_S: Final = 3600
#: Without values, these are not listed beside their sum.
_OF_START: Final = ("startup_s", "file_open_s")
#: The bars of a prediction: their parts, with and without a buddy instance.
_CLUSTER: Final = ("detection", "reconfiguration", "first_pass", "second_pass")
_SINGLE: Final = ("fixed", "first_pass", "second_pass")
_NAMES: Final = {
    "fixed": "start-up and opening", "first_pass": "first pass",
    "second_pass": "second pass",
}  # fmt: skip


def page(analysis: Analysis, *, verbose: bool = True) -> b.Page:
    """The page of an alert log or of a prediction; ``verbose`` prints all facts."""
    data = cast("documents.Recovery | None", analysis.recovery)
    source = wording.file_name(analysis.report["source"])
    severity, headline = first_screen.severity(analysis), wording.headline(analysis)
    blocks: Iterator[b.Block] = _notes(analysis)
    if data is not None and "parts" in data:  # an estimate is no verdict
        has_downtime = any(part["name"] == "downtime_s" and part["value"] for part in data["parts"])
        severity = "info" if has_downtime else "unknown"
        blocks = _predicted(analysis, data["parts"], verbose=verbose)
    elif data is not None:
        judged = [recovery["verdict"] for recovery in data["recoveries"]]
        if severity == "ok" and judged and set(judged) == {"not-judged"}:
            severity = "unknown"
        blocks = _measured(analysis, data, verbose=verbose)
        if longer := _longer(data["episodes"]):
            blocks = chain((b.Paragraph(longer),), blocks)
    about = (first_screen.when(analysis), source)
    return b.Page(first_screen.who(analysis), about, headline, severity, tuple(blocks))


def _notes(analysis: Analysis) -> Iterator[b.Block]:
    """What is doubtful, each note once with all its lines."""
    lines: dict[str, list[str]] = {}
    for note in analysis.warnings:
        lines.setdefault(note.message, []).extend([str(note.line)] if note.line else [])
    if lines:
        yield b.Heading("Notes", anchor="notes")
        yield b.Items(tuple(
            b.Item(f"{text[0].upper()}{text[1:]}{_at(where)}") for text, where in lines.items()
        ))  # fmt: skip


def _at(lines: Sequence[str]) -> str:
    return f" (line{'s' if len(lines) > 1 else ''} {', '.join(lines)})" if lines else ""


def _measured(
    analysis: Analysis, data: documents.MeasuredRecovery, *, verbose: bool
) -> Iterator[b.Block]:
    yield from _actions(analysis.recommendations)
    yield from _episodes(data)
    yield from _judged(data["recoveries"])
    if data["recoveries"] and all(recovery["desired_s"] is None for recovery in data["recoveries"]):
        yield b.Paragraph(_NO_VERDICT)
    yield from _notes(analysis)
    if runs := data["runs"]:
        yield b.Heading("Repeated recoveries", anchor="runs")
        yield b.Paragraph(runs["text"])
    if bottleneck := data["bottleneck"]:
        yield b.Heading("Bottleneck in the report", anchor="bottleneck")
        yield b.Paragraph(bottleneck["text"])
    if analysis.findings:
        yield b.Heading("Findings", anchor="findings")
    for finding in analysis.findings:
        yield from _finding(finding)
    figures = [*_speeds(data), *_switches(data["log_switches"])]
    yield b.Heading("Rates and log switches", anchor="rates")
    yield b.KeyValues("Rates and log switches", tuple(figures))
    unknown = f"{data['lines']:,} lines, {data['unknown_lines']:,} without recovery messages."
    yield b.Paragraph(unknown, "dim")
    yield from _tables(data)
    rows = tuple(
        b.Row((fact.name, wording.fact_value(fact), fact.formula or fact.note,
             wording.lines_of(fact)))
        for fact in analysis.facts.values()
    )  # fmt: skip
    yield b.Fold("Facts", (_facts("Facts", rows),), terminal=verbose)
    if not verbose:
        yield b.Paragraph("All facts with their source lines: --verbose", "dim")


def _episodes(data: documents.MeasuredRecovery) -> Iterator[b.Block]:
    episodes = [episode for episode in data["episodes"] if episode["phases"]]
    shown = episodes[-_MOST:]
    if not shown:
        return
    of = f" (the last {len(shown)} of {len(episodes)})" if len(episodes) > len(shown) else ""
    yield b.Heading(f"Starts and recoveries{of}", anchor="episodes")
    rows = [
        b.BarRow(
            f"{_when(episode['at'])[:16]} {episode['kind']}",
            pieces((p["name"], p["seconds"]) for p in episode["phases"]),
            seconds(episode["total_s"]) if episode["total_s"] is not None else "not complete",
        )
        for episode in shown
    ]
    desired = data["recoveries"][-1]["desired_s"] if data["recoveries"] else None
    longest = max(piece.end for row in rows for piece in row.pieces)
    marks = () if desired is None else (b.AxisMark(desired, f"{seconds(desired)}: desired"),)
    yield b.Bars("Phases in seconds", max(longest, desired or 0.0), tuple(rows), marks)


def _longer(every: Sequence[documents.EpisodeDocument]) -> str:
    """How much longer the last recovery took than the one before it, and in which phase."""
    episodes = [episode for episode in every if episode["phases"]]
    same = [e for e in episodes if e["kind"] == episodes[-1]["kind"] != "start" and e["total_s"]]
    if len(same) < 2 or same[-1] is not episodes[-1]:  # noqa: PLR2004 - two
        return ""
    before, last = same[-2:]
    was, now = before["total_s"] or 0.0, last["total_s"] or 0.0
    if now < was * wording.TIMES / 2:
        return ""
    old, new = ({p["name"]: p["seconds"] for p in episode["phases"]} for episode in (before, last))
    name = max(new, key=lambda phase: new[phase] - old.get(phase, 0.0))
    instead = f" instead of {seconds(old[name])}" if name in old else ""
    return (
        f"That is {short(round(now / was, 1))} times as long as the "
        f"one before ({seconds(was)}): {name} took {seconds(new[name])}{instead}."
    )


def _judged(recoveries: Sequence[documents.LoggedRecovery]) -> Iterator[b.Block]:
    if len(recoveries) < 2:  # noqa: PLR2004 - several
        return
    alike: dict[tuple[str, str], list[documents.LoggedRecovery]] = {}
    for recovery in recoveries[-_MOST:]:
        alike.setdefault((recovery["verdict"], recovery["why"]), []).append(recovery)
    items = []
    for (verdict, why), same in alike.items():
        took = ", ".join(seconds(e["achieved_s"]) for e in same if e["achieved_s"] is not None)
        text = f"{took}: {why}" if took else why
        items.append(b.Item(f"{text}{_at([str(e['line']) for e in same])}", *_JUDGED[verdict]))
    yield b.Heading("Verdicts", anchor="verdicts")
    yield b.Items(tuple(items))


def _actions(items: Sequence[Recommendation]) -> Iterator[b.Block]:
    """What to do; recommendations that are not for now are in one list behind it."""
    doing = [item for item in items if item.status in ("apply", "tune-first")]
    if doing:
        yield b.Heading("What to do", anchor="steps")
    for item in doing:
        yield b.Paragraph(item.title, "strong", wording.VERDICTS[item.status])
        yield b.Paragraph(item.action)
        if gain := wording.benefit(item):
            yield b.Paragraph(f"{gain[0].upper()}{gain[1:]}.", "dim")
        for label, lines in (("Commands", item.commands), ("Rollback", item.rollback)):
            if lines:
                yield b.Code(label, lines)
        lists = (
            ("Prerequisite", item.prerequisites), ("Risk", item.risks), ("Verify", item.validate),
        )  # fmt: skip
        if notes := tuple(b.Item(text, label) for label, texts in lists for text in texts):
            yield b.Items(notes)
    others = [item for item in items if item not in doing]
    if others:
        yield b.Heading("Not now")
        yield b.Items(tuple(
            b.Item(f"{item.title}. {item.action}", wording.VERDICTS[item.status]) for item in others
        ))  # fmt: skip


def _finding(finding: Finding) -> Iterator[b.Block]:
    yield b.Heading(finding.title, 3)
    cost = wording.weight(finding)
    yield b.Paragraph(finding.why, finding.severity, f"{finding.severity} {finding.id}")
    yield b.Paragraph(
        f"{f'Impact: {cost}. ' if cost else ''}Confidence {finding.confidence}: "
        f"{finding.confidence_reason}. Source: {finding.source}.",
        "dim",
    )
    rows = tuple(b.Row(cells) for cells in wording.finding_facts(finding))
    yield b.Fold(
        "Numbers and source lines", (_facts("Facts of the finding", rows),), terminal=False
    )


def _facts(label: str, rows: tuple[b.Row, ...]) -> b.Table:
    return b.Table(label, b.columns("`fact | value | formula | source"), rows)


def _speeds(data: documents.MeasuredRecovery) -> Iterator[tuple[str, str]]:
    rates, offsets, estimate = data["rates"], data["offsets"], data["estimate"]
    for rate, name, shown in (
        (rates["scan_bytes_per_s"], "first pass, redo", size),
        (rates["apply_bytes_per_s"], "second pass, redo", size),
        (rates["apply_blocks_per_s"], "second pass, data blocks", short),
    ):
        if rate is not None:
            value, low, high = (
                None if speed is None else f"{shown(speed)}/s"
                for speed in (rate.value, rate.low, rate.high)
            )
            text = f"{value} ({low} to {high or 'more'})"
            yield name, text if value else f"at least {low} (too fast for the clock resolution)"
    if data["rates_moved_pct"] is not None:
        yield "changed by the last recovery", f"{data['rates_moved_pct']:.0f} % (first pass)"
    if offsets.init_s is not None:
        yield "start-up to mount (INIT)", dash_seconds(offsets.init_s)
        yield "opening without recovery (FOPEN)", f"at most {dash_seconds(offsets.open_s)}"
    if estimate is not None:
        whole, expected, actual = (
            dash_seconds(estimate[part]) for part in ("estimated_s", "expected_s", "achieved_s")
        )
        text = f"{whole}, of which {expected} apply to this recovery; actual time {actual}"
        yield "estimate in the report", text


def _switches(switches: documents.SwitchesDocument) -> Iterator[tuple[str, str]]:
    busiest = f"; at most {switches['most']} per hour ({_when(switches['busiest'])})"
    yield "log switches", f"{switches['switches']:,}{busiest if switches['busiest'] else ''}"
    if switches["waits"]:
        text = (
            f"{switches['for_checkpoint']:,} for checkpoints, "
            f"{switches['for_strand']:,} for private strands (harmless), "
            f"{switches['for_archiver']:,} for the archiver"
        )
        yield "waits to allocate a redo log", text


def _tables(data: documents.MeasuredRecovery) -> Iterator[b.Block]:
    starts = [
        b.Row((_when(start["at"]), str(start["line"]), *map(dash_seconds, (
            start["startup_s"], start["mount_s"], start["open_s"], start["file_open_s"],
            start["total_s"],
        ))))
        for start in data["starts"][-_MOST:]
    ]  # fmt: skip
    recoveries = [
        b.Row((_when(row["at"]), str(row["line"]), row["kind"], dash_seconds(row["scan_s"]),
             dash_seconds(row["apply_s"]), dash_seconds(row["total_s"]),
             "-" if row["redo_kb"] is None else size(row["redo_kb"] * 1024),
             "-" if row["blocks"] is None else f"{row['blocks']:,}"))
        for row in data["recoveries"][-_MOST:]
    ]  # fmt: skip
    for label, rows, of, numbers in (
        ("Starts", starts, len(data["starts"]),
         ("line", "start-up", "mount", "open", "files", "total")),
        ("Recoveries", recoveries, len(data["recoveries"]),
         ("line", "kind", "first", "second", "total", "redo", "blocks")),
    ):  # fmt: skip
        more = f" (the last {len(rows)} of {of})" if of > len(rows) else ""
        columns = b.columns(" | #".join(("time", *numbers)))
        if rows:
            yield b.Fold(f"{label}{more}", (b.Table(label, columns, tuple(rows)),))


def _predicted(
    analysis: Analysis, predicted: Sequence[documents.PredictedPart], *, verbose: bool
) -> Iterator[b.Block]:
    parts = {part["name"]: part for part in predicted}
    cluster = "detection_s" in parts
    rows = list(_predicted_rows(parts, _CLUSTER if cluster else _SINGLE))
    if rows:
        yield b.Heading("Recovery by phase", anchor="phases")
        longest = max(piece.end for row in rows for piece in row.pieces)
        yield b.Bars("Estimated phases in seconds", longest, tuple(rows))
    yield b.Heading("Estimates", anchor="estimates")
    whole = parts["downtime_s"]["value"] is not None
    estimates: dict[tuple[str, ...], b.Row] = {}
    for part in predicted:
        title, *values = _estimate(part)
        if part["unit"] == "%":  # what it assumes is more than its range
            rate = cast("documents.PredictedRecovery", analysis.recovery)["failures_per_year"]
            failures = f" ({rate:g} failure{'s' * (rate != 1)} per year)"
            title += failures * (part["name"] == "availability_pct")
            values = [values[0], ""]
        if part["value"] is not None:  # a sum of one part needs no row of its own
            estimates.setdefault(tuple(values), b.Row((title, *values)))
        elif whole and part["name"] not in _OF_START:
            estimates[title,] = b.Row((title, *values))
    yield b.Table("Estimates", b.columns("step | #estimate | #range"), tuple(estimates.values()))
    yield from _notes(analysis)
    yield from _actions(analysis.recommendations)
    how = []
    for part in predicted:
        texts = filter(None, (part["formula"], part["note"], part["source"]))
        text = " ".join(
            f"{text if text.startswith('awrlens') else text[0].upper() + text[1:]}."
            for text in texts
        )
        if text:
            how.append(b.Item(text, part["title"]))
    yield b.Fold("Formulas and sources", (b.Items(tuple(how)),), terminal=verbose)
    if not verbose:
        yield b.Paragraph("Formulas and sources: --verbose", "dim")


def _predicted_rows(
    parts: Mapping[str, documents.PredictedPart], names: Sequence[str]
) -> Iterator[b.BarRow]:
    buddy = "first_pass_with_buddy_s" in parts
    for label, first in (("with a buddy", "first_pass_with_buddy"), ("without a buddy", None)):
        if first and not buddy:
            continue
        own = [(name, first if first and name == "first_pass" else name) for name in names]
        values = [(_NAMES.get(name, name), parts[f"{key}_s"]["value"]) for name, key in own]
        timed = [(name, value) for name, value in values if value is not None]
        if len(timed) < len(values) and parts["downtime_s"]["value"] is None:
            return
        bar = tuple(
            piece._replace(shown=seconds(known_s(piece.end - piece.begin)))
            for piece in pieces(one for one in timed if one[1])
        )
        later = bar[-1:] if "detection" in names and bar[-1].name == "second pass" else ()
        spans = [("instances frozen" if later else "recovery", bar[: len(bar) - len(later)])]
        if later:  # the headline is about the time before: locks of other blocks are granted then
            spans.append(("all blocks recovered", later))
        for span, phases in spans:
            end = seconds(known_s(phases[-1].end))
            yield b.BarRow(f"{span}, {label}" if buddy else span, phases, end)


def _estimate(part: documents.PredictedPart) -> tuple[str, str, str]:
    value, low, high = part["value"], part["low"], part["high"]
    if value is None or low is None or high is None:
        return part["title"], "not known", part["note"] if part["name"] == "rollback_s" else ""
    percent = part["unit"] == "%"
    shown = [
        f"{number:.9g} %" if percent
        else seconds(number) if number < _HOURS_S else wording.duration(number)
        for number in as_known(value, low, high, percent=percent)
    ]  # fmt: skip
    return part["title"], shown[0], f"{shown[1]} to {shown[2]}"


def _when(at: str | None) -> str:
    return (at or "not known").replace("T", " ")
