"""What is handed to others: lines for a ticket, a sheet for who decides, a question to storage."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Final

from awrlens.model.finding import ALARMS, ALL_WRITES
from awrlens.render import first_screen, wording
from awrlens.render.blocks import BarRow, Bars, Heading, Page, Paragraph, Piece, Row, Table, columns
from awrlens.render.charts import wait_between
from awrlens.render.first_screen import in_short
from awrlens.render.wording import percent

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from awrlens.model import Analysis, Fact, Finding, Recommendation
    from awrlens.model.chart_data import Latencies
    from awrlens.render.blocks import Block


def brief(analysis: Analysis) -> list[str]:
    """Five plain lines for a ticket: whose report, the problem, action, gain, and the proof."""
    report = analysis.periods[1].report if analysis.periods else analysis.report
    lines = [f"{first_screen.who(analysis)} · {first_screen.interval(report)}".rstrip(" ·")]
    if (level := first_screen.severity(analysis)) in ALARMS:
        lines.append(f"{level}: {' '.join(wording.headline_lines(analysis)[:2])}")
    else:
        lines.append(wording.headline(analysis))
    for item in analysis.actions[:1]:
        action = f"action: {wording.safe(item.title)} ({first_screen.effort(item)})"
        lines.append(action.removesuffix(" ()"))
        lines.append(f"gain: {wording.benefit(item).partition(' (')[0] or _no_gain(item)}")
    leading = _leading(analysis)
    proof = f"proof: {_place(analysis, leading.facts)}" if leading else f"report: {_file(analysis)}"
    more = f"--explain {leading.id}" if leading else "--verbose"
    return [*lines, f"{proof}; all numbers: awrlens analyze {shlex.quote(_file(analysis))} {more}"]


def _leading(analysis: Analysis) -> Finding | None:
    """The finding that the headline names; None if an alarm is on something else."""
    said = in_short(wording.headline_lines(analysis)[0])
    calm = first_screen.severity(analysis) not in ALARMS
    return first_screen.first(e for e in analysis.findings if calm or in_short(e.title) == said)


def _no_gain(item: Recommendation) -> str:
    """Why an action has no saving in seconds."""
    basis = wording.safe(item.benefit.basis)
    if item.benefit.seconds is not None:
        return f"less than 1 s ({basis})"
    why = basis.removeprefix("not quantified").removeprefix(": ")
    return f"not known: {why or 'the report has no number to estimate it from'}"


def sheet(analysis: Analysis) -> Page:
    """One page of A4 for who decides: where DB time goes, the problem, the action, the saving."""
    about = filter(None, (first_screen.when(analysis), first_screen.load(analysis)))
    return Page(
        first_screen.who(analysis), tuple(about), wording.headline_lines(analysis)[0],
        first_screen.severity(analysis), tuple(_sheet(analysis)),
    )  # fmt: skip


def _sheet(analysis: Analysis) -> Iterator[Block]:
    yield from map(Paragraph, wording.headline_lines(analysis)[1:2])
    bar, at = [], 0.0
    for share in first_screen.db_time(analysis):
        bar.append(Piece(at, at + share.pct, share.part or "dim", share.name, percent(share.pct)))
        at += share.pct
    if bar:
        label = f"{analysis.base} by cause"
        yield Bars(label, max(at, 100.0), (BarRow(analysis.base, tuple(bar)),))
    leading = _leading(analysis)
    if leading is not None:
        yield Paragraph(f"{wording.safe(leading.why).partition('. ')[0].removesuffix('.')}.")
    yield from todo(analysis)
    for label, texts in first_screen.folded(analysis):
        yield Paragraph("; ".join(texts), "dim", label)
    yield Paragraph(f"Numbers: {_place(analysis, leading.facts if leading else ())}.", "dim")


def todo(analysis: Analysis) -> Iterator[Block]:
    """The actions by urgency: what each saves, and its effort."""
    for urgency, actions in first_screen.actions(analysis):
        yield Heading(urgency)
        rows = []
        for action in actions:
            saved = ", ".join(filter(None, (action.saving, action.freed)))
            title = f"{action.number}. {action.title}"
            rows.append(Row((title, saved, action.effort), keys=(None, action.pct, None)))
        yield Table(urgency, columns(f"action | %{analysis.base} saved | effort"), tuple(rows))


#: By the event that waits for a device: what it writes, the facts with its time and its size, and
#: the rules on it.
_WRITES: Final = {
    "log file parallel write": (
        "redo writes", "redo.parallel_write_ms", "redo.bytes_per_write", ("REDO001", "REDO009"),
    ),
    "db file parallel write": (
        "writes of data blocks", "checkpoint.data_write_ms", "", ("CKPT008", "CKPT010"),
    ),
    "direct path write temp": (
        "writes to temp", "temp.direct_write_ms", "temp.direct_write_b", ("TEMP001", "TEMP008"),
    ),
}  # fmt: skip


def questions(analysis: Analysis, events: Iterable[Latencies]) -> dict[str, str]:
    """For findings on slow writes: what to ask the storage team, with the histograms."""
    asked: dict[str, str] = {}
    slow = {fact.name for e in analysis.findings if e.id == ALL_WRITES for fact in e.facts}
    of_all: list[str] = []
    for event in events:
        *about, rules = _WRITES.get(event.event, ("", "", "", ()))
        if about[0] and (lines := _measured(analysis, event, *about)):
            asked |= dict.fromkeys(rules, _question(analysis, lines))
            of_all += lines if about[1] in slow else ()
    return asked | ({ALL_WRITES: _question(analysis, of_all)} if of_all else {})


def _question(analysis: Analysis, lines: Sequence[str]) -> str:
    report = analysis.periods[1].report if analysis.periods else analysis.report
    asked = (
        "Which devices and paths serve these files, and what service time, queue and write cache "
        "do they show for this interval? Were there errors, failovers or other large writers?"
    )
    whose = f"{first_screen.who(analysis)} · {first_screen.interval(report)}"
    return "\n".join((whose, *lines, asked))


def _measured(
    analysis: Analysis, event: Latencies, what: str, time: str, size: str
) -> tuple[str, ...]:
    """The average and the histogram of a kind of writes."""
    facts = first_screen.facts_of(analysis)
    if facts[time].value is None:
        return ()
    spans = ((wait_between(bucket.from_ms, bucket.to_ms), bucket.pct) for bucket in event.buckets)
    shares = ", ".join(f"{span} {percent(pct)}" for span, pct in spans if pct > 0)
    of_size = first_screen.figure(facts, size, " of {} on average") if size else ""
    number = first_screen.figure(facts, time, "{}")
    line = f", line {event.line}" if event.line else ""
    took = f"Oracle waited {number} on average for {what}{of_size} (`{event.event}`; "
    return (
        f"{took}{_place(analysis, (facts[time],))}).",
        f"By duration: {shares} (histogram{line}).",
    )


def _file(analysis: Analysis) -> str:
    return wording.safe(wording.file_name(str(analysis.report["source"])))


def _place(analysis: Analysis, facts: Sequence[Fact]) -> str:
    """The file, and the first line with evidence."""
    line = next((item.line for fact in facts for item in fact.evidence if item.line), None)
    return f"{_file(analysis)}, line {line}" if line else _file(analysis)
