"""The results of the readers of text, pages and excerpts: sections with tables of cells."""

from __future__ import annotations

from typing import TYPE_CHECKING

from awrlens.lazy import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Protocol

    from awrlens.model import Excerpt

    class RawTable(Protocol):
        """A printed table; a reader may know more of it, such as lines without a row."""

        @property
        def headings(self) -> tuple[str, ...]:
            """The texts above the columns."""

        @property
        def groups(self) -> tuple[str, ...]:
            """The texts above several headings."""

        @property
        def widths(self) -> tuple[int, ...]:
            """The printed widths of columns in which names are cut."""

        @property
        def at(self) -> int:
            """Its place in the source."""

        def rows(self) -> Sequence[RawRow]:
            """The rows as printed."""

    class RawSection(Protocol):
        """A printed section; ``parent`` is the title above its own."""

        @property
        def title(self) -> str:
            """The title as printed."""

        @property
        def parent(self) -> str:
            """The title above its own, or blank."""

        @property
        def at(self) -> int:
            """Its place in the source."""

        def notes(self) -> list[RawNote]:
            """The remarks printed with it."""

        def tables(self, layout: str) -> list[RawTable]:
            """Its tables, cut by a layout."""

    class Reader(Protocol):
        """What reads a report."""

        @property
        def by_line(self) -> bool:
            """Whether places are lines."""

        @property
        def sections(self) -> list[RawSection]:
            """Every section in the order of the report."""

        def line(self, at: int) -> int:
            """The 1-based line of a place."""

        def excerpt(self, at: int, cell: str, column: str) -> Excerpt:
            """The text around a cell."""


class RawRow(NamedTuple):
    """Cells as printed, the row's place in the source, and that of each cell if it may differ."""

    cells: list[str]
    at: int
    places: Callable[[int], int] | None = None

    def place(self, cell: int) -> int:
        """The place of a cell."""
        return self.at if self.places is None else self.places(cell)

    def text(self, cell: int) -> str:
        """A cell; blank if the row has fewer."""
        return self.cells[cell] if cell < len(self.cells) else ""


def column_of(rows: Sequence[RawRow], number: int) -> list[str]:
    """One cell of every row; blank if a row has fewer."""
    return [cells[number] if number < len(cells) else "" for cells, _, _ in rows]


def words_of(key: str) -> str:
    """A name with single blanks."""
    return " ".join(key.split()) if "  " in key else key


class RawNote(NamedTuple):
    """A remark printed with a section (``-> Total Physical Writes: 109,925``)."""

    text: str
    at: int


class RowTable:
    """A table whose rows are known: labels, each with the values that follow it, or others."""

    widths: tuple[int, ...] = ()
    groups: tuple[str, ...] = ()

    def __init__(self, headings: tuple[str, ...], at: int, rows: list[RawRow]) -> None:
        self.headings = headings
        self.at = at
        self._rows = rows

    def rows(self) -> list[RawRow]:
        """All rows."""
        return self._rows
