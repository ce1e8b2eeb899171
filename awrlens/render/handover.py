"""What is handed to others: lines for a ticket, a sheet for who decides, a question to storage."""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING, Final

from awrlens.policy import Policy
from awrlens.render import first_screen, page_charts, wording
from awrlens.render.blocks import (
    BarRow,
    Bars,
    Heading,
    Page,
    Panel,
    Paragraph,
    Piece,
    Row,
    Table,
    columns,
)
from awrlens.render.first_screen import in_short
from awrlens.render.wording import percent
from awrlens.severity import SHOWN_SESSIONS, Scale
from awrlens.units import ms_words, plain

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from awrlens.model import Analysis, Fact, Finding, Recommendation
    from awrlens.model.chart_data import Exhibits, Latencies
    from awrlens.render.blocks import Block


#: Words of the problem at most.
_WORDS: Final = 40


def brief(analysis: Analysis) -> list[str]:
    """Five plain lines for a ticket: whose report, the problem, action, gain, and the proof."""
    level = first_screen.severity(analysis)
    cause, *others = wording.headline_lines(analysis)
    problem = f"{'not judged' if level == 'unknown' else level}: {cause}"
    for sentence in re.split(r"(?<=[^. ]\.) ", " ".join(others[:1])):
        if len(f"{problem} {sentence}".split()) > _WORDS:
            break
        problem = f"{problem} {sentence}".rstrip()
    who = f"{first_screen.who(analysis)} · {first_screen.when(analysis)}".rstrip(" ·")
    lines = [who, problem]
    for item in analysis.actions[:1]:
        action = f"action: {wording.safe(item.title)} ({first_screen.effort(item)})"
        lines.append(action.removesuffix(" ()"))
        lines.append(f"gain: {wording.benefit(item).partition(' (')[0] or _no_gain(item)}")
    leading = first_screen.leading(analysis)
    proof = f"proof: {_place(analysis, leading.facts)}" if leading else f"report: {_file(analysis)}"
    more = f"--explain {shown}" if (shown := first_screen.to_explain(analysis)) else "--verbose"
    return [*lines, f"{proof}; all numbers: awrlens analyze {shlex.quote(_file(analysis))} {more}"]


def _no_gain(item: Recommendation) -> str:
    """Why an action has no saving in seconds."""
    why = wording.safe(item.benefit.basis).removeprefix("not quantified").removeprefix(": ")
    words = "not estimated" if item.benefit.seconds is None else "less than 1 s"
    return f"{words} ({why})" if why else words


def sheet(analysis: Analysis, shown: Exhibits) -> Page:
    """One page of A4 for who decides: where DB time goes, the problem, the action, the saving."""
    about = filter(None, (first_screen.when(analysis), first_screen.load(analysis)))
    return Page(
        first_screen.who(analysis), tuple(about), wording.headline_lines(analysis)[0],
        first_screen.severity(analysis), tuple(_sheet(analysis, shown)),
        weight=first_screen.waiting(analysis),
    )  # fmt: skip


def _sheet(analysis: Analysis, shown: Exhibits) -> Iterator[Block]:
    yield from map(Paragraph, wording.headline_lines(analysis)[1:2])
    bar, at = [], 0.0
    for share in first_screen.db_time(analysis):
        bar.append(Piece(at, at + share.pct, share.part, share.name, percent(share.pct)))
        at += share.pct
    if bar:
        label = f"{analysis.base} by cause"
        yield Bars(label, max(at, 100.0), (BarRow(analysis.base, tuple(bar)),))
    leading = first_screen.leading(analysis)
    if leading is not None:
        yield Paragraph(f"{wording.safe(leading.why).partition('. ')[0].removesuffix('.')}.")
    yield from todo(analysis)
    for label, texts in first_screen.folded(analysis):
        yield Paragraph("; ".join(texts), "dim", label)
    yield Paragraph(f"Numbers: {_place(analysis, leading.facts if leading else ())}.", "dim")
    charts = page_charts.placed(shown, first_screen.facts_of(analysis), analysis.findings).findings
    for chart in charts.get(leading.id if leading else "", ())[:1]:  # left out where it has no room
        yield Panel("chart.html.j2", chart)


def todo(analysis: Analysis) -> Iterator[Block]:
    """The actions by urgency: what each saves, and its effort."""
    for urgency, actions in first_screen.actions(analysis):
        yield Heading(urgency)
        rows = []
        for action in actions:
            saved = ", ".join(filter(None, (action.saving, action.freed)))
            title = f"{action.number}. {action.title}"
            cells, style = (title, saved, action.effort), "range" if action.is_range else ""
            rows.append(Row(cells, style, keys=(None, action.bar, None)))
        yield Table(urgency, columns(f"action | %{analysis.base} saved | effort"), tuple(rows))


#: Kinds of I/O: the event, in words, the facts with its time, its size and its median, and the
#: threshold above which it is slow.
_IO: Final = (
    ("log file parallel write", "Redo writes", "redo.parallel_write_ms", "redo.bytes_per_write",
     "redo.write_p50_ms", "redo.slow_write_ms"),
    ("log file parallel write", "Redo writes", "redo.local_write_ms", "redo.bytes_per_write",
     "redo.write_p50_ms", "redo.slow_write_ms"),
    ("db file parallel write", "Writes of data blocks", "checkpoint.data_write_ms", "",
     "checkpoint.data_write_p50_ms", "impact.slower_ms"),
    ("db file async I/O submit", "Submits, per data block,", "checkpoint.submitted_write_ms", "",
     "", "impact.slower_ms"),
    ("direct path write", "Direct writes", "io.direct_write_ms", "io.direct_write_b",
     "io.direct_write_p50_ms", "impact.slower_ms"),
    ("direct path write temp", "Temp writes", "temp.direct_write_ms", "temp.direct_write_b",
     "temp.direct_write_p50_ms", "temp.slow_write_ms"),
    ("direct path read temp", "Temp reads", "temp.direct_read_ms", "temp.direct_read_b", "",
     "temp.slow_read_ms"),
    ("control file parallel write", "Control file writes", "io.control_write_ms", "",
     "io.control_write_p50_ms", "impact.slower_ms"),
    ("db file sequential read", "Single-block reads", "io.data_read_ms", "", "io.data_read_p50_ms",
     "writes.slow_read_ms"),
)  # fmt: skip
_USUAL: Final = Policy()
_ASKED: Final = (
    "Which devices and paths serve these files, and what service time, queue and write cache "
    "do they show for this interval? Were there errors, failovers or other large writers?"
)


def questions(analysis: Analysis, events: Iterable[Latencies]) -> dict[str, str]:
    """For findings on slow I/O: what to ask the storage team, with times, waits and histograms."""
    report = analysis.periods[1].report if analysis.periods else analysis.report
    whose = f"{first_screen.who(analysis)} · {first_screen.interval(report)}"
    drawn = {event.event: _above(event) for event in events}
    asked = {}
    for finding in analysis.findings:
        if lines := list(_measured(analysis, finding, drawn)):
            verdict = f"{finding.severity}: {wording.safe(in_short(finding.title))}."
            asked[finding.id] = "\n".join((whose, verdict, *lines, _ASKED))
    return asked


def _measured(analysis: Analysis, finding: Finding, drawn: Mapping[str, str]) -> Iterator[str]:
    """Every slow kind of I/O of a finding: its average, what is expected, its histogram."""
    facts, scale = first_screen.facts_of(analysis), Scale(first_screen.facts_of(analysis), _USUAL)
    own, said = {fact.name: fact for fact in wording.facts_of(finding)}, set[str]()
    sessions = finding.weight.waiting_sessions or 0.0
    waits = f"; {plain(round(sessions, 2))} sessions wait {finding.weight.of}".rstrip()
    for event, what, time, size, half, limit in _IO:
        took = own[time].number if time in own else None
        carried, median = (facts[name].number if name in facts else None for name in (size, half))
        expected = _USUAL[limit] + scale.explained_ms(carried)
        if not took or took < expected or scale.stalls(took, median, carried):
            continue
        average = f"{what} average {ms_words(took)}{first_screen.figure(facts, size, ' for {}')}"
        if average not in said:
            alone = "" if said or sessions < SHOWN_SESSIONS else waits  # they are of the finding
            yield f"{average} (expected below {plain(expected, 2)} ms){alone}."
            row = wording.safe(next((item.row for item in own[time].evidence), event)).strip("* ")
            yield f"`{row}`: {_place(analysis, (own[time],))}{drawn.get(event, '')}."
            said.add(average)


def _above(event: Latencies) -> str:
    """The times above which half of the waits are, and the slowest of them."""
    above, sums = 0.0, []
    for bucket in reversed(event.buckets):
        above += bucket.pct
        sums.append((above, bucket.from_ms))
    picked = (next((e for e in sums if e[0] >= least), sums[-1]) for least in _SHARES)
    said = dict.fromkeys(f"{percent(pct)} above {ms_words(ms)}" for pct, ms in picked)
    return f"; {', '.join(said)}" + (f" (line {event.line})" if event.line else "")


#: Shares of waits that are named with the time above which they are.
_SHARES: Final = (50, 5)


def _file(analysis: Analysis) -> str:
    return wording.safe(wording.file_name(str(analysis.report["source"])))


def _place(analysis: Analysis, facts: Sequence[Fact]) -> str:
    """The file, and the first line with evidence."""
    line = next((item.line for fact in facts for item in fact.evidence if item.line), None)
    return f"{_file(analysis)}, line {line}" if line else _file(analysis)
