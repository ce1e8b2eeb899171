"""A page of blocks as lines of styled text; no line is wider than the given width."""

from __future__ import annotations

from itertools import groupby, zip_longest
from textwrap import wrap
from typing import TYPE_CHECKING, Final

from awrlens.lazy import regex
from awrlens.render import blocks as b
from awrlens.render.lines import (
    ICONS,
    NO_BREAK,
    Line,
    Span,
    commands,
    fills,
    hanging,
    legend,
    wrapped,
)
from awrlens.render.wording import cut, safe, together

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

LEVELS: Final = "▁▂▃▄▅▆▇█"
#: Width of a text column below which a table becomes one paragraph per row.
_LEAST_TEXT: Final = 14
#: Width of a terminal from which the first text below a row is in the row.
_WIDE: Final = 120
#: Widths of a bar and of a sparkline.
_LEAST_BAR, _MOST_BAR = 12, 60
#: Maximum characters of a value in a sparkline.
_WIDEST: Final = 3
#: Severities by their signs, and signs in a row: those of cells.
_STATES: Final = {sign: state for state, sign in ICONS.items()}
_SIGNS: Final = regex(r"(✖+|▲+|●+|✔+|(?<!\w)\?+)")
#: Maximum share of the width that labels of bars take.
_LABELS: Final = 0.4


def lines(page: b.Page, width: int) -> Iterator[Line]:
    """All lines of a page."""
    yield from wrapped(safe(page.title), width, "title")
    for line in page.about:
        yield from wrapped(safe(line), width, "dim", "    ", "")
    yield ()
    yield from wrapped(
        f"{ICONS[page.severity]} {_text(page.headline)}", width, page.severity, "  ", ""
    )
    for block in page.blocks:
        yield from printed(block, width)


def _text(text: str) -> str:
    return safe(text).replace("`", "").replace(NO_BREAK, " ")


def printed(block: b.Block, width: int) -> Iterator[Line]:  # noqa: C901, PLR0912 - a case for each
    """The lines of a block."""
    match block:
        case b.Heading():
            yield ()
            yield from wrapped(_text(block.text), width, "title" if block.level == 2 else "strong")  # noqa: PLR2004 - the level of a page's headings
        case b.Paragraph():
            label = f"{safe(block.label)}: " if block.label else ""
            yield from wrapped(label + _text(block.text), width, block.style)
        case b.Items():
            for item in block.items:
                label = f"{safe(item.label)}: " if item.label else ""
                yield from wrapped(label + _text(item.text), width, item.style, "    ", "  ")
                for below in item.below:
                    yield from wrapped(_text(below), width, "dim", "    ")
        case b.KeyValues():
            names = [cut(safe(name), width // 2) for name, _ in block.rows]
            wide = max(map(len, names), default=0)
            for name, (_, value) in zip(names, block.rows, strict=True):
                yield from hanging(Span(f"  {name:<{wide}}  "), _text(value), width)
        case b.Table():
            yield from _table(block, width)
        case b.Bars():
            yield from _bars(block, width)
        case b.Courses():
            yield from _courses(block, width)
        case b.Chart():
            for inner in block.instead:
                yield from printed(inner, width)
        case b.Code():
            if block.label:
                yield from wrapped(_text(block.label), width, "dim", "  ")
            yield from commands(map(safe, block.lines), width)
        case b.Fold() if block.terminal:
            for inner in (b.Heading(block.summary, 3), *block.blocks):
                yield from printed(inner, width)


def _table(block: b.Table, width: int) -> Iterator[Line]:
    """Aligned columns; text wraps in its column. A table that is too wide becomes paragraphs."""
    under = [n for n in block.filled if block.columns[n].kind == "below"][width >= _WIDE :]
    kept = [n for n in block.filled if block.columns[n].narrow and n not in under]
    under = [] if block.short and width >= _WIDE else under
    columns = [block.columns[n]._replace(name=_text(block.columns[n].name)) for n in kept]
    rows = [tuple(_text(row.cells[n]) for n in kept) for row in block.rows]
    widths = _widths(columns, rows, width - 2)
    if widths is None:
        for row, cells in zip(block.rows, rows, strict=True):
            named = zip(columns[1:], cells[1:], strict=True)
            rest = ", ".join(f"{column.name} {cell}" for column, cell in named if cell)
            yield from wrapped(f"{cells[0]}: {rest}", width, row.style, "    ", "  ")
        return
    heads = tuple(column.name for column in columns)
    sides = [">" if column.kind == "number" else "<" for column in columns]
    head = b.Row(("",) * len(block.columns), "dim")
    for cells, row in ((heads, head), *zip(rows, block.rows, strict=True)):
        wraps = (
            wrap(cell, max(size, 1), break_on_hyphens=False) or [""]
            for cell, size in zip(cells, widths, strict=True)
        )
        for parts in zip_longest(*wraps, fillvalue=""):
            aligned = zip(parts, sides, widths, strict=True)
            line = "  ".join(f"{part:{side}{size}}" for part, side, size in aligned)
            texts = _SIGNS.split(f"  {line}".rstrip())
            yield tuple(Span(text, _STATES.get(text[:1], row.style)) for text in texts if text)
        for n in under:
            if row.cells[n]:
                text = f"{block.columns[n].name}: {_text(row.cells[n])}"
                yield from wrapped(text, width, "", "      ", "    ")


def _widths(
    columns: Sequence[b.Column], rows: Sequence[tuple[str, ...]], width: int
) -> list[int] | None:
    """The width of each column, or None if a table does not fit."""
    names = [column.name for column in columns]
    wide = [max(map(len, cells)) for cells in zip(names, *rows, strict=True)]
    texts = [n for n, column in enumerate(columns) if column.kind not in ("number", "cells")]
    room = width - 2 * (len(columns) - 1)
    while sum(wide) > room:
        widest = max(texts, key=lambda n: wide[n], default=None)
        if widest is None or wide[widest] <= _LEAST_TEXT:
            return None
        wide[widest] -= min(wide[widest] - _LEAST_TEXT, sum(wide) - room)
    return wide


def _bars(block: b.Bars, width: int) -> Iterator[Line]:
    """Bars on one axis, a line each, with the legend below."""
    shown = max((len(row.shown) for row in block.rows), default=0)
    most = max(_LEAST_TEXT // 2, min(int(width * _LABELS), width - shown - 6 - _LEAST_BAR))
    names = [cut(safe(row.label), most) for row in block.rows]
    label = max(map(len, names), default=0)
    cells = max(_LEAST_BAR, min(_MOST_BAR, width - label - shown - 6))

    def at(value: float) -> int:
        return round(min(max(value, 0.0), block.high) / (block.high or 1.0) * cells)

    named: dict[str, str] = {}
    chars = fills((piece.style, piece.name) for row in block.rows for piece in row.pieces)
    for name, row in zip(names, block.rows, strict=True):
        bar = [Span(" ")] * cells
        for mark in block.marks:
            bar[min(at(mark.at), cells - 1)] = Span("│", "dim")
        for piece in row.pieces:
            begin, end = sorted((at(piece.begin), at(piece.end)))
            char = chars[piece.style, piece.name]
            if piece.end != piece.begin and begin == end:
                begin, end = min(begin, cells - 1), min(begin, cells - 1) + 1
            bar[begin:end] = [Span(char, piece.style)] * (end - begin)
            if piece.name:
                named.setdefault(f"{char} {safe(piece.name)}", safe(piece.shown))
        runs = groupby(bar, key=lambda span: span.style)
        joined = (Span("".join(span.text for span in run), style) for style, run in runs)
        yield (Span(f"  {name:<{label}}  "), *joined, Span(f"  {row.shown:>{shown}}"))
    words = (f"{k} {v}".strip() if len(block.rows) == 1 else k for k, v in named.items())
    yield from legend("   ".join(map(together, words)), chars, width, "dim", "  ")
    for mark in block.marks:
        if mark.name:
            yield from wrapped(f"│ {safe(mark.name)}", width, "dim", "    ", "  ")


def _courses(block: b.Courses, width: int) -> Iterator[Line]:
    shown = (block.headings, *(row.shown for row in block.rows))
    sizes = [max(map(len, texts)) for texts in zip(*shown, strict=True)]
    figures = sum(sizes) + 2 * len(sizes)
    longest = max((len(safe(row.name)) for row in block.rows), default=0)
    name = min(longest, max(_LEAST_TEXT, width - 4 - figures - _LEAST_BAR))
    columns = max(_LEAST_BAR, min(_MOST_BAR, width - name - figures - 4))

    def right(texts: Sequence[str]) -> str:
        return "".join(f"  {text:>{size}}" for text, size in zip(texts, sizes, strict=True))

    yield (Span(f"  {'':<{name}}  {'':<{columns}}{right(block.headings)}", "dim"),)
    for row in block.rows:
        yield (
            Span(f"  {cut(safe(row.name), name):<{name}}  "),
            Span(f"{sparkline(row.values, columns):<{columns}}", row.style),
            Span(right(row.shown)),
        )
    if block.begin or block.end:
        gap = max(1, columns - len(block.begin) - len(block.end))
        yield (Span(f"  {'':<{name}}  {block.begin}{'':<{gap}}{block.end}"[:width], "dim"),)


def sparkline(values: Sequence[float | None], columns: int) -> str:
    """Characters per value, or one per group of values for its extreme; a blank is a gap."""
    ordered = sorted(value for value in values if value is not None)
    if not ordered:
        return ""
    low, high, middle = ordered[0], ordered[-1], ordered[len(ordered) // 2]
    count = min(columns, len(values))
    chars = []
    for n in range(count):
        here = values[n * len(values) // count : (n + 1) * len(values) // count]
        there = [value for value in here if value is not None]
        if not there:
            chars.append(" ")
            continue
        value = max(there, key=lambda value: abs(value - middle))
        step = int((value - low) / ((high - low) or 1.0) * len(LEVELS))
        chars.append(LEVELS[min(step, len(LEVELS) - 1)])
    wide = max(1, min(_WIDEST, columns // (2 * count)))
    return "".join(char * wide for char in chars)
