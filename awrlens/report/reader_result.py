"""The results of both readers, text and HTML: sections with tables of cells as printed."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol

from awrlens.lazy import NamedTuple, lazy

if TYPE_CHECKING:
    from awrlens.model import Excerpt


class RawRow(NamedTuple):
    """Cells as printed, and their places: positions that ``Reader.line`` understands.

    ``at`` is the row's place; ``places`` gives that of each cell if they may differ.
    """

    cells: list[str]
    at: int
    places: Callable[[int], int] | None = None

    def place(self, cell: int) -> int:
        """The place of a cell."""
        return self.at if self.places is None else self.places(cell)

    def text(self, cell: int) -> str:
        """A cell; blank if the row has fewer."""
        return self.cells[cell] if cell < len(self.cells) else ""


class ColumnRows(Sequence[RawRow]):
    """Rows that give a column without creating the rows."""

    @abstractmethod
    def column(self, number: int) -> list[str]:
        """One cell of every row; blank if a row has fewer."""


def column_of(rows: Sequence[RawRow], number: int) -> list[str]:
    """One cell of every row; blank if a row has fewer."""
    if isinstance(rows, ColumnRows):
        return rows.column(number)
    return [cells[number] if number < len(cells) else "" for cells, _, _ in rows]


def words_of(key: str) -> str:
    """A name with single blanks."""
    return " ".join(key.split()) if "  " in key else key


class RawNote(NamedTuple):
    """A remark printed with a section (``-> Total Physical Writes: 109,925``)."""

    text: str
    at: int


class RawTable(Protocol):
    """A table as printed: headings joined over their lines, rows of text."""

    @property
    def headings(self) -> tuple[str, ...]:
        """One heading per column; empty if the table has none."""

    @property
    def groups(self) -> tuple[str, ...]:
        """For each column, the text printed above several headings; empty if there is none."""

    @property
    def widths(self) -> tuple[int, ...]:
        """Printed width of each column, to detect cut names; empty if nothing is cut."""

    @property
    def at(self) -> int:
        """Where the table begins."""

    def rows(self) -> Sequence[RawRow]:
        """All rows as printed."""

    def row(self, key: str) -> RawRow | None:
        """The first row whose first cell is exactly ``key``, found without decoding the others."""

    def keys(self) -> list[str] | None:
        """First cells of all rows; None when the rows must be decoded."""


class RowTable:
    """A table whose rows are decoded all at once."""

    widths: tuple[int, ...] = ()
    groups: tuple[str, ...] = ()

    def __init__(self, headings: tuple[str, ...], at: int) -> None:
        self.headings = headings
        self.at = at

    @abstractmethod
    def rows(self) -> list[RawRow]:
        """All rows."""

    @lazy
    def _by_key(self) -> dict[str, RawRow]:
        """The first row of each key."""
        return {row.cells[0]: row for row in reversed(self.rows()) if row.cells}

    def row(self, key: str) -> RawRow | None:
        """The first row that begins with ``key``."""
        return self._by_key.get(key)

    def keys(self) -> list[str]:
        """First cells of all rows."""
        return [row.cells[0] for row in self.rows()]


class LabelTable(RowTable):
    """A table of labels, each with the values that follow it."""

    def __init__(self, headings: tuple[str, ...], at: int, rows: list[RawRow]) -> None:
        super().__init__(headings, at)
        self._rows = rows

    def rows(self) -> list[RawRow]:
        """All labels with their values."""
        return self._rows


class RawSection(Protocol):
    """A section of a report with a title."""

    @property
    def title(self) -> str:
        """The title as printed, without the rest of its line."""

    @property
    def parent(self) -> str:
        """The heading above the title, if titles have two levels."""

    @property
    def at(self) -> int:
        """The place of the title."""

    def tables(self, layout: str) -> list[RawTable]:
        """The section's tables, cut by the layout."""

    def notes(self) -> list[RawNote]:
        """The section's remarks."""


class Reader(Protocol):
    """One report, indexed."""

    @property
    def by_line(self) -> bool:
        """Whether cells are cut out of lines; cells of a page are complete."""

    @property
    def sections(self) -> list[RawSection]:
        """All sections in the order of the report."""

    def line(self, at: int) -> int:
        """1-based line number in the source of a position."""

    def excerpt(self, at: int, cell: str, column: str) -> Excerpt:
        """The text around a cell: its position, its text, the heading of its column."""
