"""The results of the readers of text, pages and excerpts: sections with tables of cells.

A reader has all ``sections`` in the order of the report, ``line`` (the 1-based line of a position
in the source) and ``excerpt`` (the text around a cell). A section has its title, the heading above
it, its position ``at``, its remarks, and its tables, cut by a layout. A table has headings, the
text above several headings (``groups``), the printed widths of columns in which names are cut, and
its rows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from awrlens.lazy import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from awrlens.report.excerpt import ExcerptReader, FoundSection, Without
    from awrlens.report.html_reader import HtmlReader, HtmlSection
    from awrlens.report.html_tables import HtmlTable
    from awrlens.report.text_reader import TextReader, TextSection
    from awrlens.report.text_rows import TextTable

    Reader: TypeAlias = TextReader | HtmlReader | ExcerptReader
    RawSection: TypeAlias = TextSection | HtmlSection | FoundSection | Without
    RawTable: TypeAlias = "TextTable | HtmlTable | RowTable"


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
