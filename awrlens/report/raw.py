"""What both readers, text and HTML, give: sections with tables of cells as printed."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from awrlens.model import Excerpt


class Places(Protocol):
    """Where each cell of a row stands."""

    def __getitem__(self, cell: int, /) -> int:
        """The place of one cell."""


class RawRow(NamedTuple):
    """Cells as printed, and where they stand: positions that ``Reader.line`` understands.

    ``at`` is the row's place; ``places`` has one for each cell where they may differ.
    """

    cells: list[str]
    at: int
    places: Places | None = None

    def place(self, cell: int) -> int:
        """Where a cell stands."""
        return self.at if self.places is None else self.places[cell]


class Filled:
    """Places of a row whose key is that of the row above: the key stands there."""

    __slots__ = ("_cell", "_key", "_row")

    def __init__(self, row: RawRow, cell: int, key: int) -> None:
        self._row = row
        self._cell = cell
        self._key = key

    def __getitem__(self, cell: int) -> int:
        """Where a cell stands."""
        return self._key if cell == self._cell else self._row.place(cell)


class ColumnRows(Sequence[RawRow]):
    """Rows that give their columns without the making of a single row."""

    @abstractmethod
    def column(self, number: int) -> list[str]:
        """One cell of every row; blank where there are fewer."""


def column_of(rows: Sequence[RawRow], number: int) -> list[str]:
    """One cell of every row; blank where a row has none."""
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
        """One heading a column; empty where the table has none."""

    @property
    def groups(self) -> tuple[str, ...]:
        """What is printed over several headings, for each column; empty where nothing is."""

    @property
    def widths(self) -> tuple[int, ...]:
        """Printed width of each column, to tell cut names; empty where nothing is cut."""

    @property
    def at(self) -> int:
        """Where the table begins."""

    def rows(self) -> Sequence[RawRow]:
        """All rows as printed."""

    def row(self, key: str) -> RawRow | None:
        """The first row whose first cell is exactly ``key``, found without decoding the rest."""

    def keys(self) -> list[str] | None:
        """First cells of all rows; None when only decoding the rows can tell."""


class RawSection(Protocol):
    """A titled stretch of a report."""

    @property
    def title(self) -> str:
        """The title as printed, without what follows it on its line."""

    @property
    def parent(self) -> str:
        """The heading that the title stands under, where titles have two levels."""

    @property
    def at(self) -> int:
        """Where the title stands."""

    def tables(self, layout: str) -> list[RawTable]:
        """The section's tables, cut as the layout says."""

    def notes(self) -> list[RawNote]:
        """The section's remarks."""

    def unread(self, layout: str) -> list[int]:
        """1-based numbers of the lines that are no heading, ruler, row, note or blank."""


class Reader(Protocol):
    """One report, indexed."""

    @property
    def by_line(self) -> bool:
        """Whether cells are cut out of lines; those of a page are whole."""

    @property
    def sections(self) -> list[RawSection]:
        """All sections in the order of the report."""

    def line(self, at: int) -> int:
        """1-based line number in the source of a position."""

    def excerpt(self, at: int, cell: str, column: str) -> Excerpt:
        """What is printed around a cell: its position, its text, the heading of its column."""
