"""Markdown for tickets and job summaries: of an analysis, and of any page of blocks."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from awrlens import extensions
from awrlens.lazy import regex
from awrlens.render import blocks as b
from awrlens.render import first_screen, wording
from awrlens.render.wording import percent, safe

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from awrlens.model import Analysis, Finding, Recommendation


#: Characters that have a meaning within a line in CommonMark or GFM.
_SPECIAL = regex(r"([\\`*_{}\[\]<>#|~$]|&(?=#?\w+;))")
#: Code in single backticks in our own texts; longer runs of backticks are escaped. A backslash
#: could end it, or a table cell.
_CODE = regex(r"(?<![`\\])`([^`\\]+)`(?!`)")
#: Text that GFM turns into a link: addresses, and text after `www.`
_BARE = regex(r"(?<=[A-Za-z]):(?=//)|(?<=www)\.", re.I)
#: A name after `@` notifies a user; a zero-width space prevents that.
_MENTION = regex(r"(?<![\w`\\])@(?=\w)")
#: Outside of code GFM links mail addresses, too, even with a backslash before the `@`.
_AT = regex(r"@(?=[\w.\\-])")
#: Line beginnings that make a list, a heading or a rule.
_BEGIN = regex(r"^\s*(?:(?=[-+=])|\d+(?=[.)](?:\s|$)))")


def cell(text: str) -> str:
    """The same as ``escape`` in a table, where code has no bare pipe either."""
    return escape(text, "\\|")


def escape(text: str, pipe: str = "|") -> str:
    """Text that Markdown shows literally, without links and mentions; code in backticks is kept."""
    text = wording.safe(text)
    pieces, end = [], 0
    for match in _CODE.finditer(text):
        inner = _MENTION.sub(_CALL, match[1]).replace("|", pipe)
        pieces += [_plain(text[end : match.start()]), f"`{inner}`"]
        end = match.end()
    return _BEGIN.sub(r"\g<0>\\", "".join([*pieces, _plain(text[end:])]))


_CALL = "@\u200b"


def _plain(text: str) -> str:
    text = _SPECIAL.sub(r"\\\1", text)
    return _AT.sub(_CALL, _BARE.sub(lambda match: f"\\{match[0]}", text))


def render(analysis: Analysis) -> str:
    """The whole document of one report."""
    if analysis.recovery is not None:
        return text(extensions.page("recovery")(analysis))
    return "\n".join(_lines(analysis)) + "\n"


def _lines(analysis: Analysis) -> Iterator[str]:
    yield from _head(analysis)
    yield from _actions(analysis)
    tiles = first_screen.tiles(analysis)
    rows = [(tile.name, tile.severity, " · ".join(tile.words)) for tile in tiles]
    yield from _grid(("part", "severity", "figures"), rows)
    yield from _parts(analysis)
    if analysis.findings:
        yield ""
        yield "## Findings" + (" in the second period" if analysis.periods else "")
    for finding in analysis.findings:
        yield from _finding(finding)
    if wording.overlap(analysis):
        yield from ("", f"*{wording.overlap(analysis)}*")
    if analysis.actions:
        yield from ("", "## What to do")
    for number, item in enumerate(analysis.actions, start=1):
        yield from _recommendation(analysis, item, f"{number}.")
    if analysis.others:
        yield from ("", "## Not now")
    for item in analysis.others:
        yield from _recommendation(analysis, item, "-")
    if analysis.skipped:
        yield from ("", "## Skipped checks", "")
    for reason, rules in wording.skipped(analysis):
        yield f"- {escape(reason)}: {', '.join(rules)}"


def _head(analysis: Analysis) -> Iterator[str]:
    """The load, the pieces of DB time, the headline, warnings."""
    pieces = (f"{piece.name} {percent(piece.pct)}" for piece in first_screen.db_time(analysis))
    time = ", ".join(pieces)
    yield f"# {escape(first_screen.who(analysis))}"
    for text in (
        first_screen.when(analysis),
        first_screen.load(analysis),
        f"{analysis.base}: {time}" if time else "",
        first_screen.outside(analysis),
    ):
        if text:
            yield from ("", escape(text))
    yield ""
    cause, *others = map(escape, wording.headline_lines(analysis))
    yield " ".join((f"**{cause}**", *others))
    for warning in analysis.warnings:
        place = f" (line {warning.line})" if warning.line else ""
        yield from ("", f"> {escape(warning.message)}{place}")
    if read := first_screen.read(analysis):
        yield ""
    for line in read:
        yield f"- {escape(line)}"


def _actions(analysis: Analysis) -> Iterator[str]:
    """The actions in a table; other recommendations, one line per status."""
    for urgency, actions in first_screen.actions(analysis):
        shown = slice(None) if actions[0].saving else slice(0, None, 2)  # a log saves no DB time
        yield from _grid(
            (urgency.lower(), f"{analysis.base} saved", "effort")[shown],
            [(f"{action.number}. {action.title}",
              ", ".join(filter(None, (action.saving, action.freed))), action.effort)[shown]
             for action in actions],
        )  # fmt: skip
    for label, texts in first_screen.folded(analysis):
        yield from ("", f"{label}: {escape('; '.join(texts))}")
    for line in first_screen.remarks(analysis):
        yield from ("", escape(line))


def _parts(analysis: Analysis) -> Iterator[str]:
    parts = wording.parts(analysis)
    if parts:
        yield from ("", f"## {wording.parts_title(analysis)}", "")
    for name, interval, part in parts:
        where = f"{escape(interval)}. " if interval else ""
        yield f"- {escape(name)}: {where}**{escape(wording.headline(part))}**"
    moved = wording.differences(analysis)
    changed = wording.changed_parameters(analysis)
    if moved or changed:
        yield from ("", "| changed | first | second | change |", "|---|---|---|---|")
    for row in moved:
        yield f"| {' | '.join(map(cell, row))} |"
    for name, before, after in changed:
        yield f"| parameter {cell(name)} | {cell(before)} | {cell(after)} | |"


def _finding(finding: Finding) -> Iterator[str]:
    cost = wording.weight(finding)
    yield from ("", f"### {finding.severity}: {escape(finding.title)} ({finding.id})", "")
    yield escape(finding.why) + (f" Impact: {cost}." if cost else "")
    yield ""
    for rule, title, why in wording.contributing(finding):
        yield f"- {rule}: {escape(title)}. {escape(why)}"
    if finding.contributing:
        yield ""
    yield "| fact | value | formula | source |"
    yield "|---|---|---|---|"
    for name, value, formula, place in wording.finding_facts(finding):
        yield f"| {name} | {cell(value)} | {cell(formula)} | {place} |"
    yield from ("", f"Confidence {finding.confidence}: {escape(finding.confidence_reason)}.")


def _recommendation(analysis: Analysis, item: Recommendation, mark: str) -> Iterator[str]:
    yield ""
    title = f"**{wording.label(analysis, item)}: {escape(item.title)}.**"
    yield f"{mark} {title} {escape(item.action)}"
    gain = wording.benefit(item)
    if gain and item.status in ("apply", "tune-first"):
        yield f"   {gain[0].upper()}{escape(gain[1:])}."
    if item.commands:
        yield from ("", "   ```sql")
        yield from (f"   {wording.safe(command)}" for command in item.commands)
        yield "   ```"
    for label, condition in wording.conditions(item):
        yield f"   - {label}: {escape(condition)}"


def text(page: b.Page) -> str:
    """The whole document of a page of blocks."""
    about = (page.title, *page.about)
    lines = [f"# {escape(page.headline)}", "", *(f"- {escape(line)}" for line in about)]
    for block in page.blocks:
        lines += printed(block)
    return "\n".join([*lines, ""])


def printed(block: b.Block) -> Iterator[str]:  # noqa: C901, PLR0912 - a case for each
    """The lines of a block; each block begins with an empty line."""
    match block:
        case b.Heading():
            yield from ("", f"{'#' * block.level} {escape(block.text)}")
        case b.Paragraph():
            yield ""
            yield (f"**{escape(block.label)}**: " if block.label else "") + escape(block.text)
        case b.Items():
            yield ""
            for item in block.items:
                label = f"**{escape(item.label)}**: " if item.label else ""
                yield f"- {label}{escape(item.text)}"
                yield from (f"  - {escape(line)}" for line in item.below)
        case b.KeyValues():
            yield from _grid(("name", "value"), block.rows)
        case b.Table():
            heads = [column.name for column in block.columns]
            yield from _grid(heads, [row.cells for row in block.rows])
        case b.Bars():
            rows = [(row.label, row.shown, _pieces(row)) for row in block.rows]
            shown = 3 if len({parts for *_, parts in rows}) > 1 or len(rows) == 1 else 2
            yield from _grid((block.label, "value", "parts")[:shown], [e[:shown] for e in rows])
        case b.Courses():
            courses = [(row.name, *row.shown) for row in block.rows]
            yield from _grid((block.label, *block.headings), courses)
        case b.Chart():
            for inner in block.instead:
                yield from printed(inner)
        case b.Code():
            yield from ("", escape(block.label)) if block.label else ()
            yield from ("", "```sql")
            yield from (safe(line).replace("```", "~~~") for line in block.lines)
            yield "```"
        case b.Fold() if block.terminal:
            for inner in (b.Heading(block.summary, 3), *block.blocks):
                yield from printed(inner)


def _grid(head: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    if rows:
        yield from ("", f"| {' | '.join(map(cell, head))} |", f"|{'---|' * len(head)}")
        yield from (f"| {' | '.join(map(cell, row))} |" for row in rows)


def _pieces(row: b.BarRow) -> str:
    return ", ".join(f"{piece.name} {piece.shown}".strip() for piece in row.pieces if piece.name)
