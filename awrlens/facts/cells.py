"""Cells of a report as figures with their evidence."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.facts.formula import Figure, Missing, Number, is_lost
from awrlens.model import Evidence

if TYPE_CHECKING:
    from collections.abc import Callable

    from awrlens.model import Excerpt
    from awrlens.report.table import Cell, Row, Table


#: A union of the two in ``isinstance`` is created again by every call.
_NUMBERS: Final = (int, float)


class Cells:
    """Makes figures of cells.

    It does not know the figures of the report, which keep what they make: an event may hold it
    without a cycle of references, which only the garbage collector could free.
    """

    def __init__(self, line: Callable[[int], int], excerpt: Callable[[Cell], Excerpt]) -> None:
        self._line = line
        self._excerpt = excerpt

    def evidence(self, cell: Cell) -> Evidence:
        """A cell as evidence; its line is looked up when shown."""
        return _evidence(cell, self._line, self._excerpt)

    def figure(self, cell: Cell | None, label: str, absent: Missing | Table) -> Number:
        """A number from a cell, or ``absent`` if there is no cell: the reason, or its table."""
        if cell is None:
            return absent if isinstance(absent, Missing) else no_column(absent)
        value = cell.value
        if not isinstance(value, _NUMBERS):
            sections = absent.sections if isinstance(absent, Missing) else (str(absent.name),)
            shown = f"shows `{cell.text}`" if cell.text else "is blank"
            where = f"{cell.section}, {cell.row} {cell.column}".replace("  ", " ").strip()
            blank = not cell.text
            return Missing(f"{where} {shown}", sections, lost=is_lost(cell.text), blank=blank)
        line, excerpt = self._line, self._excerpt
        return Figure(value, label, lambda: (_evidence(cell, line, excerpt),), lambda: _plain(cell))


def _evidence(
    cell: Cell, line: Callable[[int], int], excerpt: Callable[[Cell], Excerpt]
) -> Evidence:
    return Evidence(
        cell.section, cell.row, cell.column, cell.text, cell.value,
        lambda: line(cell.at), lambda: excerpt(cell),
    )  # fmt: skip


def no_column(table: Table) -> Missing:
    """Why a table without a column has no figure in it."""
    return Missing(f"{table.title} has no such column", (str(table.name),))


def twice(table: Table, row: Row, name: str = "") -> Missing:
    """Why a row that appears twice with different figures cannot be used."""
    why = f"{table.title} has `{name or row.key}` twice, with different figures"
    return Missing(why, (str(table.name),), lost=True)


def unread_line(table: Table, starts: tuple[str, ...]) -> Missing:
    """Why the events with these prefixes are not known."""
    why = f"a line of {table.title} that begins with `{starts[0]}` cannot be split into columns"
    return Missing(why, (str(table.name),), lost=True)


def _plain(cell: Cell) -> str:
    """A number as printed, if that is the value itself: no suffix, exponent or other unit."""
    digits = cell.text.replace(",", "")
    try:
        is_plain = not digits.strip("0123456789.-") and float(digits) == cell.value
    except ValueError:
        return ""
    return cell.text if is_plain else ""
