"""Tables as both media know them: a heading block with its ruler, column formats, rows.

A heading block is written as the text report prints it; its rulers give the columns their
places and widths. The HTML report takes the column names from ``html`` and everything else
(order, values, notes) from the same section, so that both media say the same.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from .figures import bare, duration, grouped, plain, scientific

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .model import Sql

Value = str | float | int | None
Row = tuple[Value, ...]


@dataclass(frozen=True)
class Format:
    """How the cells of one column look in a text report (of a width) and in an HTML report."""

    text: Callable[[Value, int], str]
    html: Callable[[Value], str]
    right: bool = True
    """Right-aligned in text."""
    missing: str = ""
    """What text prints for no value."""
    align_html: bool = True
    """Carries align="right" in HTML."""


def number(value: Value) -> float:
    """Take a cell for the number it must be."""
    if isinstance(value, int | float):
        return value
    message = f"{value!r} is not a number"
    raise TypeError(message)


def _number(
    text: Callable[[float], str],
    html: Callable[[float], str] | None = None,
    *,
    overflow: Callable[[float, int], str] | None = None,
    missing: str = "",
) -> Format:
    """Make a right-aligned number format; what does not fit becomes hashes."""

    def in_text(value: Value, width: int) -> str:
        cell = text(number(value))
        if len(cell) <= width:
            return cell
        return overflow(number(value), width) if overflow else "#" * width

    def in_html(value: Value) -> str:
        return (html or text)(number(value))

    return Format(in_text, in_html, missing=missing)


def _cut(value: Value, width: int) -> str:
    return str(value)[:width]


def _gets(value: float, width: int) -> str:
    return scientific(value, width - 6)


FORMATS: dict[str, Format] = {
    # strings: left, right in text only, right in both
    "s": Format(_cut, str, right=False, align_html=False),
    "r": Format(_cut, str, align_html=False),
    "R": Format(_cut, str),
    # whole numbers
    "i": _number(grouped),
    "gets": _number(grouped, overflow=_gets),
    "n": _number(plain),
    # one decimal in text, two in HTML: with a leading zero, and without
    "d1": _number(lambda v: grouped(v, 1), lambda v: grouped(v, 2)),
    "b1": _number(lambda v: bare(v, 1), lambda v: plain(v, 2)),
    # the same in both
    "d2": _number(lambda v: grouped(v, 2)),
    "p2": _number(lambda v: plain(v, 2)),
    "p1": _number(lambda v: plain(v, 1)),
    "h1": _number(lambda v: bare(v, 1)),
    "h2": _number(lambda v: bare(v, 2)),
    # estimates that outgrow their column
    "e1": _number(
        lambda v: plain(v, 1), lambda v: plain(v, 2), overflow=lambda v, _: scientific(v, 1)
    ),
    "us": _number(duration),
}


def format_of(code: str) -> Format:
    """Look a format up; a trailing ``?`` prints a missing value as N/A in text."""
    if code.endswith("?"):
        found = FORMATS[code[:-1]]
        return replace(found, missing="N/A")
    return FORMATS[code]


@dataclass(frozen=True)
class Layout:
    """The printed shape of one table."""

    heading: str
    formats: str
    html: str = ""
    """HTML column names, separated by ``|``."""
    summary: str = ""
    free_name: bool = False
    """The first column stands on a line of its own, without heading and ruler."""
    repeats_blank: bool = False
    """The first column is printed only where it changes."""
    blank_after_group: bool = False
    """A blank line follows the last row of those with the same first column."""
    scope_column: int | None = 0
    spans: tuple[tuple[str, int], ...] = ()
    """HTML headings over columns, each with how many it is over; some have none."""

    def span_of(self, column: int) -> tuple[str, int]:
        """The heading over a column, and the column's place under it."""
        for heading, count in self.spans:
            if column < count:
                return heading, column
            column -= count
        return "", column

    @cached_property
    def lines(self) -> tuple[str, ...]:
        """The heading block."""
        return tuple(self.heading.strip("\n").split("\n"))

    @cached_property
    def column_formats(self) -> tuple[Format, ...]:
        """One format a column."""
        return tuple(format_of(code) for code in self.formats.split())

    @cached_property
    def rulers(self) -> tuple[tuple[tuple[int, int], ...], ...]:
        """Column spans: one tuple for each line that a row takes."""
        # A line of dashes that starts further right spans columns and is no ruler.
        rulers = [line for line in self.lines if re.fullmatch(r" ?-[ -]+", line)]
        return tuple(
            tuple((match.start(), match.end()) for match in re.finditer("-+", ruler))
            for ruler in rulers
        )


NO_COLUMNS = Layout("", "")
"""The layout of a section without data."""


@dataclass(frozen=True)
class Section:
    """One titled table of a report; without rows it says that no data exists."""

    title: str
    layout: Layout | None = None
    rows: Sequence[Row] = ()
    notes: tuple[str, ...] = ()
    anchor: int = 0
    new_page: bool = False
    at_end_snapshot: bool = False
    statements: Sequence[Sql] = ()
    """The statement of each row, for sections that print SQL."""
    footer: tuple[str, ...] = ()
    """Lines under the last row (text only)."""
    tight_notes: bool = False
    """No blank after the arrow of a note (text only)."""
    intro: tuple[str, ...] = ()
    """Lines between the notes and the heading (text only)."""
    preamble: tuple[str, ...] = ()
    """Lines before the title (text only)."""


@dataclass(frozen=True)
class Group:
    """Sections under one heading of the HTML report."""

    title: str
    anchor: int
    sections: tuple[Section, ...]
    flat: bool = False
    """A single section that stands in the main list itself."""
