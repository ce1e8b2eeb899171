"""A comparison as lines of styled text, wrapped to a width."""

from __future__ import annotations

from textwrap import wrap
from typing import TYPE_CHECKING, Final

from awrlens.render import contrasted
from awrlens.render.lines import Line, Span
from awrlens.render.present import safe

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from awrlens.contrast import Contrast

_BLANK: Line = ()
#: Maximum width of an event name in the table.
_NAME: Final = 34


def page(found: Contrast, width: int) -> Iterator[Line]:
    """All lines of a comparison's page."""
    for name, side in (("before", found.before), ("after", found.after)):
        yield from _wrapped(contrasted.side(side), width, "title", "        ", f"{name:<6}  ")
    yield _BLANK
    yield from _wrapped(contrasted.sentence(found.headline), width, "strong")
    for warning in found.warnings:
        yield from _wrapped(f"! {safe(warning.message)}", width, "warning")
    yield from _unfair(found, width)
    yield from _expectations(found, width)
    yield from _said(found, width)
    yield from _turns(found, width)
    yield from _events(found, width)
    yield from _facts(found, width)
    yield from _rest(found, width)
    for name, part in found.parts:
        yield _BLANK
        yield (Span(f"{name[0].upper()}{name[1:]}", "title"),)
        yield from _wrapped(contrasted.sentence(part.headline), width, "strong", "  ")
        yield from _said(part, width)


def _unfair(found: Contrast, width: int) -> Iterator[Line]:
    if not found.unfair:
        return
    yield from _heading("Limits of the comparison")
    for what, values, why in contrasted.unfair(found):
        text = f"{what}: {values}. {why}" if values else f"{what}. {why}"
        yield from _wrapped(text, width, "", "    ", "  ! ")
    for name, before, after in contrasted.changes(found.parameters):
        yield from _wrapped(f"{name}: {before} → {after}", width, "dim", "        ", "      ")


def _expectations(found: Contrast, width: int) -> Iterator[Line]:
    if not found.expectations:
        return
    yield from _heading("Effect of earlier recommendations")
    for each in found.expectations:
        style = contrasted.STYLES[each.verdict]
        text = f"{contrasted.OUTCOMES[each.verdict]}: {safe(each.title)} ({each.claimed})"
        yield from _wrapped(text, width, style, "    ", "  ")
        yield from _wrapped(safe(f"{each.reason}; {each.measured}"), width, "", "      ")


def _said(found: Contrast, width: int) -> Iterator[Line]:
    if not found.said:
        return
    yield from _heading("Changes")
    for each in found.said:
        sign, word = contrasted.MARKS[each.verdict]
        style = contrasted.STYLES[each.verdict]
        text = contrasted.sentence(each.text)
        yield from _wrapped(f"{word}: {text}", width, style, "    ", f"  {sign} ")


def _turns(found: Contrast, width: int) -> Iterator[Line]:
    turns, left = contrasted.turns(found), contrasted.remained(found)
    if not turns and not left:
        return
    yield from _heading("Findings and verdicts")
    for movement, text in turns:
        yield from _wrapped(f"{movement}: {text}", width, "", "    ", "  ")
    if left:
        yield from _wrapped(left, width, "dim", "    ", "  ")


def _events(found: Contrast, width: int) -> Iterator[Line]:
    rows = contrasted.event_rows(found)
    if not rows:
        return
    yield from _heading(f"Wait events, ms per {found.basis.per}")
    head = ("event", "before", "after", "change", "avg before", "avg after")
    cells = [
        (r.event[:_NAME], r.before, r.after, r.change, r.each_before, r.each_after) for r in rows
    ]
    yield from _table(head, cells, [contrasted.STYLES[r.verdict] for r in rows], width)


def _facts(found: Contrast, width: int) -> Iterator[Line]:
    for verdict, title in contrasted.GROUPS:
        rows = contrasted.rows(found, verdict)
        if rows:
            yield from _heading(title)
            cells = [(r.fact, r.before, r.after, r.unit, r.change) for r in rows]
            head = ("fact", "before", "after", "unit", "change")
            yield from _table(head, cells, [contrasted.STYLES[verdict]] * len(rows), width)
    if found.names:
        yield from _heading("Names that changed")
        for name, before, after in contrasted.changes(found.names):
            yield from _wrapped(f"{name}: {before} → {after}", width, "", "    ", "  ")


def _table(
    head: tuple[str, ...], rows: Sequence[tuple[str, ...]], styles: Sequence[str], width: int
) -> Iterator[Line]:
    """Aligned columns, numbers right-aligned; a long name gets its own line."""
    wide = [max(len(row[n]) for row in (head, *rows)) for n in range(len(head))]
    rest = sum(wide[1:]) + len(wide[1:]) + 2
    wide[0] = min(wide[0], width - rest)
    for row, style in zip((head, *rows), ("dim", *styles), strict=True):
        first = row[0]
        if len(first) > wide[0]:
            yield (Span(f"  {first}", style),)
            first = ""
        numbers = " ".join(f"{cell:>{size}}" for cell, size in zip(row[1:], wide[1:], strict=True))
        yield (Span(f"  {first:<{wide[0]}} {numbers}", style),)


def _rest(found: Contrast, width: int) -> Iterator[Line]:
    yield _BLANK
    yield from _wrapped(contrasted.per(found), width, "dim")
    yield from _wrapped(contrasted.noise(found), width, "dim")
    lacking = contrasted.lacking(found)
    if lacking:
        yield from _heading("Not comparable")
        for why, names in lacking:
            yield from _wrapped(f"{why}: {names}", width, "dim", "    ", "  ")


def _heading(text: str) -> Iterator[Line]:
    yield _BLANK
    yield (Span(text, "title"),)


def _wrapped(
    text: str, width: int, style: str = "", indent: str = "", first: str = ""
) -> Iterator[Line]:
    """A paragraph with ``first`` before its first line and ``indent`` before the others."""
    for line in wrap(
        text, width, initial_indent=first or indent, subsequent_indent=indent,
        break_long_words=True, break_on_hyphens=False,
    ):  # fmt: skip
        yield (Span(line, style),)
