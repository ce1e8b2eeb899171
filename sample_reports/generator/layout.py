"""Tables as both media know them: a heading block with its ruler, column formats, rows.

A heading block is written as the text report prints it; its rulers give the columns their
places and widths. The HTML report takes the column names from ``html`` and everything else
(order, values, notes) from the same section, so that both media say the same.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .figures import bare, duration, grouped, plain, scientific

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from .model import Sql

FOLDER = Path(__file__).parent / "tables"
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

    @property
    def columns(self) -> Layout:
        """The layout, of a section that may have data."""
        return self.layout or NO_COLUMNS


@dataclass(frozen=True)
class Group:
    """Sections under one heading of the HTML report."""

    title: str
    anchor: int
    sections: tuple[Section, ...]
    flat: bool = False
    """A single section that stands in the main list itself."""


def heading_names(layout: Layout) -> str:
    """HTML column names as the heading of the text report says them."""
    names, above = [], []
    rulers = iter(layout.rulers)
    for line in layout.lines:
        if not re.fullmatch(r" ?-[ -]+", line):
            above.append(line)
            continue
        for start, end in next(rulers):
            words = (each[start:end].strip() for each in above)
            names.append(" ".join(filter(None, words)))
        above = []
    return "|".join(names)


class Tables:
    """The sections and layouts of one file in ``tables``.

    An entry begins with ``== title``, or with the name of a layout that several sections share.
    ``#`` and a word tell sections of one title apart, ``|`` is followed by the anchor and flags.
    Attributes and notes follow, and after a blank line the heading as text prints it. ``html`` is
    left out where its names are those of the heading.
    """

    def __init__(self, name: str) -> None:
        """Read ``tables/<name>.txt``."""
        text = (FOLDER / f"{name}.txt").read_text(encoding="utf-8")
        self.entries: dict[str, Section] = {}
        for entry in text.removeprefix("== ").split("\n== "):
            head, _, heading = entry.partition("\n\n")
            first, *lines = head.split("\n")
            key, _, flags = first.partition(" | ")
            self.entries[key] = self._entry(key.partition(" #")[0], flags, lines, heading)

    def _entry(self, title: str, flags: str, lines: list[str], heading: str) -> Section:
        notes: list[str] = []
        attributes: dict[str, str] = {}
        for line in lines:
            if line.startswith("-> "):
                notes.append(line[3:])
            elif line.startswith("   "):
                notes[-1] += "\n" + line[3:]
            else:
                name, _, value = line.partition(": ")
                attributes[name] = value
        words = dict(word.partition("=")[::2] for word in flags.split())
        layout: Layout | None = None
        if "columns" in attributes:
            layout = self.entries[attributes["columns"]].layout
        elif heading:
            spans = [
                each.rpartition(" ") for each in attributes.get("spans", "").split("|") if each
            ]
            layout = Layout(
                heading.strip("\n"),
                attributes["formats"],
                summary=attributes.get("summary", ""),
                free_name="free_name" in words,
                repeats_blank="repeats_blank" in words,
                blank_after_group="blank_after_group" in words,
                scope_column=int(words["scope"] or -1) if "scope" in words else 0,
                spans=tuple((over, int(count)) for over, _, count in spans),
            )
            layout = replace(layout, html=attributes.get("html") or heading_names(layout))
        return Section(
            title,
            layout,
            notes=tuple(notes),
            anchor=int(words.get("anchor", "0")),
            new_page="new_page" in words,
            at_end_snapshot="at_end_snapshot" in words,
            tight_notes="tight_notes" in words,
            preamble=("",) * int(words.get("skip", "0")),
        )

    def section(
        self,
        key: str,
        rows: Sequence[Row] = (),
        *,
        major: int = 11,
        figures: Mapping[str, object] | None = None,
        **changes: Any,  # noqa: ANN401 - as of dataclasses.replace
    ) -> Section:
        """Return the section with rows, and with what else depends on the workload.

        ``#19`` and ``#10`` mark what releases since 19 and until 10 print otherwise; a note
        names its figures in braces.
        """
        of_release = f"{key} #{19 if major >= 19 else 10 if major <= 10 else 11}"
        section = self.entries.get(of_release) or self.entries[key]
        if figures:
            changes["notes"] = tuple(note.format(**figures) for note in section.notes)
        return replace(section, rows=rows, **changes)

    def __getattr__(self, name: str) -> Layout:
        """Return the layout of an entry."""
        return self.entries[name].columns
