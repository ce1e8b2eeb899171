"""The terminal page as lines of styled text, wrapped to a width; without any terminal library.

``terminal.py`` paints the lines; a pipe gets them plain. One layout serves both.
"""

from __future__ import annotations

from textwrap import wrap
from typing import TYPE_CHECKING, NamedTuple

from awrlens.render import present

if TYPE_CHECKING:
    from collections.abc import Iterator

    from awrlens.model import Analysis, Finding, Recommendation


class Span(NamedTuple):
    """A piece of text and its style: a severity, ``title``, ``dim``, ``command`` or none."""

    text: str
    style: str = ""


Line = tuple[Span, ...]
_BLANK: Line = ()
_ICONS = {"critical": "✖", "warning": "▲", "info": "●", "ok": "✔"}


def page(analysis: Analysis, width: int) -> Iterator[Line]:
    """All lines of one report's page."""
    yield from wrapped(present.identity(analysis), width, "title")
    severity = analysis.verdicts.write_path
    yield from wrapped(f"{_ICONS[severity]} {present.headline(analysis)}", width, severity)
    for warning in analysis.warnings:
        place = f" (line {warning.line})" if warning.line else ""
        yield from wrapped(f"! {present.safe(warning.message)}{place}", width, "warning")
    yield from _parts(analysis, width)
    if analysis.recovery is not None:
        from awrlens.render import recovery  # noqa: PLC0415 - for alert logs and predictions

        yield from recovery.sections(analysis.recovery, width)
    if analysis.findings:
        yield from _heading("Findings" + (" in the second period" if analysis.periods else ""))
        for number, finding in enumerate(analysis.findings, start=1):
            yield from _finding(finding, number, width)
        yield from wrapped(present.overlap(analysis), width, "dim")
    yield from _heading("What to do")
    for number, item in enumerate(analysis.recommendations, start=1):
        yield from _recommendation(item, number, width)
    if not analysis.recommendations:
        yield (Span("  Nothing: the report gives no ground for a recommendation."),)
    yield from _skipped(analysis, width)


def _parts(analysis: Analysis, width: int) -> Iterator[Line]:
    """Each instance or period in two lines, and what moved between the periods."""
    parts = present.parts(analysis)
    if parts:
        yield from _heading(present.parts_title(analysis))
    for name, interval, part in parts:
        severity = part.verdicts.write_path
        yield from wrapped(
            f"{name}: {interval}" if interval else name, width, "strong", "    ", "  "
        )
        line = f"{_ICONS[severity]} {present.headline(part)}"
        yield from wrapped(line, width, severity, "      ", "    ")
    moved = present.differences(analysis)
    if moved:
        yield from _heading("What moved")
        wide = [max(len(row[n]) for row in moved) for n in range(4)]
        for name, first, second, change in moved:
            text = f"  {name:<{wide[0]}}  {first:>{wide[1]}} → {second:>{wide[2]}}  {change}"
            yield (Span(text),)
    for name, before, after in present.changed_parameters(analysis):
        yield from wrapped(f"parameter {name}: {before} → {after}", width, "", "      ", "  ")


def _heading(text: str) -> Iterator[Line]:
    yield _BLANK
    yield (Span(text, "title"),)


def wrapped(
    text: str, width: int, style: str = "", indent: str = "", first: str = ""
) -> Iterator[Line]:
    """A paragraph; ``first`` is put before its first line, ``indent`` before the others."""
    lines = wrap(
        text,
        width,
        initial_indent=first or indent,
        subsequent_indent=indent,
        break_long_words=True,
        break_on_hyphens=False,
    )
    for line in lines:
        yield (Span(line, style),)


def _finding(finding: Finding, number: int, width: int) -> Iterator[Line]:
    cost = present.weight(finding)
    head = f"{number}. {_ICONS[finding.severity]} {finding.severity.upper()} {finding.id}  "
    title = present.safe(finding.title) + (f"  [{cost}]" if cost else "")
    first = True
    for line in wrap(title, width - 5, initial_indent=" " * (len(head) - 5), subsequent_indent=""):
        text = line.strip() if first else line
        yield (
            (Span(head, finding.severity), Span(text, "strong"))
            if first
            else (Span("     " + text, "strong"),)
        )
        first = False
    yield from wrapped(present.safe(finding.why), width, "", "     ")
    for rule, title_, why in present.contributing(finding):
        yield from wrapped(f"{title_}. {why}", width, "", "       ", f"     + {rule} ")
    for name, value, formula, place in present.finding_facts(finding):
        yield from _fact(name, value, formula, place, width)
    sure = f"confidence {finding.confidence}: {present.safe(finding.confidence_reason)}"
    yield from wrapped(sure, width, "dim", "     ")


def _fact(name: str, value: str, formula: str, place: str, width: int) -> Iterator[Line]:
    """``redo.write_ms  18.68 ms   757,698 cs × 10 / ... (lines 3, 4)``."""
    how = f"{formula} " if formula else ""
    where = f"({place})" if place else ""
    left = f"     {name:<34} {value:<12} "
    rest = f"{how}{where}".strip()
    if len(left) + len(rest) <= width:
        yield (Span(left), Span(rest, "dim"))
        return
    yield (Span(left.rstrip()),)
    yield from wrapped(rest, width, "dim", "       ")


def _recommendation(item: Recommendation, number: int, width: int) -> Iterator[Line]:
    label = present.VERDICTS[item.status]
    style = {"apply": "warning", "tune-first": "info", "need-data": "dim"}.get(item.status, "ok")
    yield from (
        (Span(f"{number}. "), Span(f"[{label}] ", style), Span(line[0].text.strip(), "strong"))
        if n == 0
        else (Span("     " + line[0].text.strip(), "strong"),)
        for n, line in enumerate(wrapped(present.safe(item.title), width - len(label) - 7))
    )
    yield from wrapped(present.safe(item.action), width, "", "     ")
    if item.status in ("apply", "tune-first"):
        gain = present.benefit(item)
        if gain:
            yield from wrapped(gain, width, "dim", "     ")
    for command in item.commands:
        yield (Span(f"       {present.safe(command)}", "command"),)
    for label_, texts in (
        ("before", item.prerequisites),
        ("risk", item.risks),
        ("undo", item.rollback),
        ("check", item.validate),
    ):
        for text in texts:
            yield from wrapped(present.safe(text), width, "dim", "            ", f"     {label_}: ")


def _skipped(analysis: Analysis, width: int) -> Iterator[Line]:
    if not analysis.skipped:
        return
    yield from _heading("Not checked")
    for item in analysis.skipped:
        yield from wrapped(
            present.safe(item.reason), width, "dim", "           ", f"  {item.rule}  "
        )
