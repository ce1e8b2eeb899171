"""An analysis as Markdown, for tickets and job summaries."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from awrlens.lazy import regex
from awrlens.render import first_screen, present, report_head
from awrlens.render.quantity import percent

if TYPE_CHECKING:
    from collections.abc import Iterator

    from awrlens.model import Analysis, Finding, Recommendation

#: Characters that have a meaning within a line in CommonMark or GFM.
_SPECIAL = regex(r"([\\`*_{}\[\]<>#|~$]|&(?=#?\w+;))")
#: Code in single backticks in our own texts, without characters that could end it or a table cell.
#: Longer runs of backticks are escaped.
_CODE = regex(r"(?<![`\\])`([^`|\\]+)`(?!`)")
#: Text that GFM turns into a link: addresses, and text after `www.`
_BARE = regex(r"(?<=[A-Za-z]):(?=//)|(?<=www)\.", re.I)
#: A name after `@` notifies a user; a zero-width space prevents that.
_MENTION = regex(r"(?<![\w`\\])@(?=\w)")
#: Outside of code GFM links mail addresses, too, even with a backslash before the `@`.
_AT = regex(r"@(?=[\w.\\-])")
#: Line beginnings that make a list, a heading or a rule.
_BEGIN = regex(r"^(\s*)([-+=]|\d+[.)](?=\s|$))")


def escape(text: str) -> str:
    """Text that Markdown shows literally; code in backticks of our own texts is kept.

    Nothing in it becomes markup, a link, an image or a mention in CommonMark or GFM.
    """
    text = present.safe(text)
    found, end = [], 0
    for match in _CODE.finditer(text):
        found += [_plain(text[end : match.start()]), f"`{_MENTION.sub(_CALL, match[1])}`"]
        end = match.end()
    return _BEGIN.sub(_escaped_begin, "".join([*found, _plain(text[end:])]))


_CALL = "@\u200b"


def _plain(text: str) -> str:
    text = _SPECIAL.sub(r"\\\1", text)
    return _AT.sub(_CALL, _BARE.sub(lambda match: f"\\{match[0]}", text))


def _escaped_begin(match: re.Match[str]) -> str:
    mark = match[2]
    return f"{match[1]}{mark[:-1]}\\{mark[-1]}"


def render(analysis: Analysis) -> str:
    """The whole document of one report."""
    if analysis.recovery is not None:
        from awrlens.render import as_markdown, recovery_page  # noqa: PLC0415 - for alert logs only

        return as_markdown.text(recovery_page.page(analysis))
    return "\n".join(_lines(analysis)) + "\n"


def _lines(analysis: Analysis) -> Iterator[str]:
    yield from _head(analysis)
    yield from _actions(analysis)
    yield from _tiles(analysis)
    yield from _parts(analysis)
    if analysis.findings:
        yield ""
        yield "## Findings" + (" in the second period" if analysis.periods else "")
    for finding in analysis.findings:
        yield from _finding(finding)
    if present.overlap(analysis):
        yield ""
        yield f"*{present.overlap(analysis)}*"
    yield from _recommendations(analysis)
    if analysis.skipped:
        yield ""
        yield "## Skipped checks"
        yield ""
    for reason, rules in present.skipped(analysis):
        yield f"- {escape(reason)}: {', '.join(rules)}"


def _head(analysis: Analysis) -> Iterator[str]:
    """The load, the pieces of DB time, the headline, warnings."""
    pieces = (f"{each.name} {percent(each.pct)}" for each in first_screen.db_time(analysis))
    time = ", ".join(pieces)
    yield f"# {escape(report_head.who(analysis))}"
    for text in (
        report_head.when(analysis),
        report_head.load(analysis),
        f"{analysis.base}: {time}" if time else "",
        first_screen.beyond(analysis),
    ):
        if text:
            yield ""
            yield escape(text)
    yield ""
    yield f"**{escape(present.headline(analysis))}**"
    for warning in analysis.warnings:
        place = f" (line {warning.line})" if warning.line else ""
        yield ""
        yield f"> {escape(warning.message)}{place}"


def _recommendations(analysis: Analysis) -> Iterator[str]:
    if analysis.actions:
        yield ""
        yield "## What to do"
    for number, item in enumerate(analysis.actions, start=1):
        yield from _recommendation(item, f"{number}.")
    if analysis.others:
        yield ""
        yield "## Not now"
    for item in analysis.others:
        yield from _recommendation(item, "-")


def _actions(analysis: Analysis) -> Iterator[str]:
    """The actions in a table; other recommendations, one line per status."""
    actions = first_screen.actions(analysis)
    if actions:
        yield ""
        saved = "" if analysis.is_log else f" {analysis.base} saved |"
        yield f"| {analysis.urgency.lower()} |{saved} effort |"
        yield "|---|---|" if analysis.is_log else "|---|---|---|"
    for each in actions:
        cells = [f"{each.number}. {each.title}", each.saving, each.effort]
        if analysis.is_log:  # a log has no DB time
            cells.pop(1)
        yield f"| {' | '.join(map(escape, cells))} |"
    for folded in first_screen.folded(analysis):
        yield ""
        yield f"{folded.label}: {escape('; '.join(folded.texts))}"


def _tiles(analysis: Analysis) -> Iterator[str]:
    tiles = first_screen.tiles(analysis)
    if tiles:
        yield ""
        yield "| part | severity | figures |"
        yield "|---|---|---|"
    for tile in tiles:
        yield f"| {tile.name} | {tile.severity} | {escape(' · '.join(tile.words))} |"


def _parts(analysis: Analysis) -> Iterator[str]:
    parts = present.parts(analysis)
    if parts:
        yield ""
        yield f"## {present.parts_title(analysis)}"
        yield ""
    for name, interval, part in parts:
        where = f"{escape(interval)}. " if interval else ""
        yield f"- {escape(name)}: {where}**{escape(present.headline(part))}**"
    moved = present.differences(analysis)
    changed = present.changed_parameters(analysis)
    if moved or changed:
        yield ""
        yield "| changed | first | second | change |"
        yield "|---|---|---|---|"
    for row in moved:
        yield f"| {' | '.join(map(escape, row))} |"
    for name, before, after in changed:
        yield f"| parameter {escape(name)} | {escape(before)} | {escape(after)} | |"


def _finding(finding: Finding) -> Iterator[str]:
    cost = present.weight(finding)
    yield ""
    yield f"### {finding.severity}: {escape(finding.title)} ({finding.id})"
    yield ""
    yield escape(finding.why) + (f" Impact: {cost}." if cost else "")
    yield ""
    for rule, title, why in present.contributing(finding):
        yield f"- {rule}: {escape(title)}. {escape(why)}"
    if finding.contributing:
        yield ""
    yield "| fact | value | formula | source |"
    yield "|---|---|---|---|"
    for name, value, formula, place in present.finding_facts(finding):
        yield f"| {name} | {escape(value)} | {escape(formula)} | {place} |"
    yield ""
    yield f"Confidence {finding.confidence}: {escape(finding.confidence_reason)}."


def _recommendation(item: Recommendation, mark: str) -> Iterator[str]:
    yield ""
    title = f"**{present.VERDICTS[item.status]}: {escape(item.title)}.**"
    yield f"{mark} {title} {escape(item.action)}"
    gain = present.benefit(item)
    if gain and item.status in ("apply", "tune-first"):
        yield f"   {gain[0].upper()}{escape(gain[1:])}."
    if item.commands:
        yield ""
        yield "   ```sql"
        yield from (f"   {present.safe(command)}" for command in item.commands)
        yield "   ```"
    for label, texts in (
        ("Prerequisite", item.prerequisites),
        ("Risk", item.risks),
        ("Rollback", item.rollback),
        ("Verify", item.validate),
    ):
        for text in texts:
            yield f"   - {label}: {escape(text)}"
