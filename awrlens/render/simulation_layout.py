"""A simulation as lines of styled text: recoveries in tables, timelines as blocks."""

from __future__ import annotations

from textwrap import wrap
from typing import TYPE_CHECKING, Final

from awrlens.render import simulated_words as words
from awrlens.render.lines import Line, Span

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from awrlens.simulated import Recovery, Simulation

_BLANK: Line = ()
_LEVELS: Final = " ▁▂▃▄▅▆▇█"
_ABSENT: Final = "·"
#: Width of the columns left of the blocks: name and maximum.
_LEFT: Final = 38


def page(found: Simulation, width: int) -> Iterator[Line]:
    """All lines of a simulation's page."""
    yield from _wrapped(found.title, width, "title")
    yield from _wrapped(words.headline(found), width, "strong")
    yield from _wrapped(words.setting(found), width, "dim")
    for each in found.recoveries:
        yield from _recovery(each, width)
    for number in found.instances():
        yield from _timeline(found, number, width)
    if len(found.maps) > 1:
        yield from _heading("Buddies")
        for text in words.maps(found):
            yield from _wrapped(text, width, "", "    ", "  ")
    yield from _heading("Notes")
    for note in words.notes(found):
        yield from _wrapped(note, width, "dim", "    ", "  ")


def _recovery(each: Recovery, width: int) -> Iterator[Line]:
    yield from _heading(words.title(each))
    rows = words.times(each)
    yield (Span(f"  {'':<26}{'with buddies':>14}{'without':>14}", "dim"),)
    for name, with_, without in rows:
        style = "strong" if name == words.BROWN_OUT else ""
        yield (Span(f"  {name:<26}{with_:>14}{without:>14}", style),)
    for text in words.explained(each):
        yield from _wrapped(text, width, "dim", "    ", "  ")


def _timeline(found: Simulation, number: int, width: int) -> Iterator[Line]:
    series = words.series(found, number)
    if not series:
        return
    columns = width - _LEFT
    begin, end = series[0].points[0][0], series[0].points[-1][0]
    yield from _heading(f"Instance {number}")
    for each in series:
        blocks = drawn([value for _, value in each.points], columns)
        yield (Span(f"  {each.name:<24}{each.most:>10}  "), Span(blocks, "info"))
    left, right = words.clock(begin), words.clock(end)
    yield (Span(f"{'':<{_LEFT - 2}}{left}{right:>{columns - len(left)}}", "dim"),)


def drawn(values: Sequence[float | None], columns: int) -> str:
    """Values as blocks: the maximum per column, a dot if there is none."""
    columns = min(columns, len(values))
    known = [value for value in values if value is not None]
    most = max(known, default=0) or 1
    top = len(_LEVELS) - 1
    found = []
    for column in range(columns):
        begin = column * len(values) // columns
        end = max(begin + 1, (column + 1) * len(values) // columns)
        here = [value for value in values[begin:end] if value is not None]
        if not here:
            found.append(_ABSENT)
            continue
        # values above 0 are always visible
        found.append(_LEVELS[max(1 if max(here) > 0 else 0, round(max(here) / most * top))])
    return "".join(found)


def _heading(text: str) -> Iterator[Line]:
    yield _BLANK
    yield (Span(text, "title"),)


def _wrapped(
    text: str, width: int, style: str = "", indent: str = "", first: str = ""
) -> Iterator[Line]:
    for line in wrap(
        text, width, initial_indent=first or indent, subsequent_indent=indent,
        break_long_words=True, break_on_hyphens=False,
    ):  # fmt: skip
        yield (Span(line, style),)
