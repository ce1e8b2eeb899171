"""A page as a tree of blocks, printed by ``as_lines``, ``markdown`` and ``pages``.

Text is plain; paired backticks mark code. Each face escapes for its own output, so that blocks may
hold text of untrusted reports. A style is a severity, ``strong``, ``dim``, or a part of DB time
(``redo``, ``checkpoint``, ``temp``, ``undo``, ``cpu``, ``other``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

from awrlens.lazy import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

    from awrlens.render.charts import Plot


class Heading(NamedTuple):
    """The title of what follows; pages give the levels 2 and 3."""

    text: str
    level: int = 2
    anchor: str = ""


class Paragraph(NamedTuple):
    """Running text, with a label before it: a severity or a verdict."""

    text: str
    style: str = ""
    label: str = ""


class Item(NamedTuple):
    """An entry of a list: a label, the text, and further lines below it."""

    text: str
    label: str = ""
    style: str = ""
    below: tuple[str, ...] = ()


class Items(NamedTuple):
    """A list."""

    items: tuple[Item, ...]


Kind = Literal["text", "name", "number", "cells", "below", "share"]


class Column(NamedTuple):
    """A column: numbers are right-aligned, names are code, cells are a sign per severity.

    What is ``below`` has lines of its own below its row in a terminal; a wide one has the first of
    them in the row. Of a share, the row's key is the length of its bar in per cent.
    """

    name: str
    kind: Kind = "text"
    #: Whether a terminal shows it.
    narrow: bool = True


#: The kinds of columns by their signs in a text.
_KINDS: Final[dict[str, Kind]] = {
    "#": "number",
    "`": "name",
    "=": "cells",
    "_": "below",
    "%": "share",
}


def columns(heads: str) -> tuple[Column, ...]:
    r"""The columns of a text such as ``\`fact | #before | (formula)``.

    A sign before the heading says what they have; a terminal does not show those in parentheses.
    """
    cols = []
    for head in heads.split(" | "):
        text = head[1:-1] if (wide := head.startswith("(")) else head
        kind = _KINDS.get(text[0], "text")
        cols.append(Column(text[kind != "text" :], kind, narrow=not wide))
    return tuple(cols)


class Row(NamedTuple):
    """The cells of a row, and its style; a link leads to an anchor, or to a path of the site.

    Of a table with ``tools``, ``keys`` are what it sorts by (None: the cell), ``group`` filters it.
    """

    cells: tuple[str, ...]
    style: str = ""
    link: str = ""
    keys: tuple[float | None, ...] = ()
    group: str = ""


class Table(NamedTuple):
    """Columns and rows. With ``tools`` a browser can sort them, and filter them by group and words.

    ``short``: a wide terminal shows no line below a row.
    """

    label: str
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    tools: bool = False
    short: bool = False

    @property
    def filled(self) -> list[int]:
        """The columns with a known cell: others are not shown."""
        numbers = range(len(self.columns))
        return [n for n in numbers if {row.cells[n] for row in self.rows} - {"", "-"}]


class KeyValues(NamedTuple):
    """Names with their values."""

    label: str
    rows: tuple[tuple[str, str], ...]


class Piece(NamedTuple):
    """A part of a bar, from one value of the axis to another; the name goes into the legend."""

    begin: float
    end: float
    style: str = ""
    name: str = ""
    shown: str = ""


class BarRow(NamedTuple):
    """A bar: its label, its parts, and its value as text."""

    label: str
    pieces: tuple[Piece, ...]
    shown: str = ""


class AxisMark(NamedTuple):
    """A value of the axis with its name."""

    at: float
    name: str


class Bars(NamedTuple):
    """Horizontal bars on one axis from 0 to ``high``."""

    label: str
    high: float
    rows: tuple[BarRow, ...]
    marks: tuple[AxisMark, ...] = ()


class Course(NamedTuple):
    """A series of values for a sparkline; None is a gap. ``shown`` has its key figures."""

    name: str
    values: tuple[float | None, ...]
    shown: tuple[str, ...] = ()
    style: str = "info"


class Courses(NamedTuple):
    """Sparklines below each other: headings of the key figures, and the ends of the time axis."""

    label: str
    headings: tuple[str, ...]
    rows: tuple[Course, ...]
    begin: str = ""
    end: str = ""


class Chart(NamedTuple):
    """A chart for a browser, and the blocks that replace it elsewhere."""

    plot: Plot
    instead: tuple[Block, ...] = ()


class Panel(NamedTuple):
    """A template with its values, which only a browser shows."""

    template: str
    values: Mapping[str, object]
    #: A template with scripts for the end of the page.
    script: str = ""


class Fold(NamedTuple):
    """Details: closed in a browser, in its navigation with an anchor; maybe in a terminal, too."""

    summary: str
    blocks: tuple[Block, ...]
    anchor: str = ""
    terminal: bool = True


class Code(NamedTuple):
    """Commands to copy, one per line, with a label before them."""

    label: str
    lines: tuple[str, ...]


Block = (
    Heading | Paragraph | Items | Table | KeyValues | Bars | Courses | Chart | Panel | Fold | Code
)


class Page(NamedTuple):
    """A page: lines that say of what it is, the headline with its severity, and the blocks."""

    title: str
    about: tuple[str, ...]
    headline: str
    severity: str
    blocks: tuple[Block, ...]
    #: A verdict in place of the severity; a headline may begin with it.
    badge: str = ""
    #: Of one sheet of paper: the sessions waiting.
    weight: str | None = None
