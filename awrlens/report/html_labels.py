"""Tables of labels and values in cells: every label with the cells that follow it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from awrlens.lazy import lazy
from awrlens.report.reader_result import RawRow

if TYPE_CHECKING:
    from awrlens.report.reader_result import RawTable


class _Beside:
    """The places of a label and the cells after it; ``step`` is 0 if all of them are one cell."""

    __slots__ = ("_first", "_row", "_step")

    def __init__(self, row: RawRow, first: int, step: int) -> None:
        self._row = row
        self._first = first
        self._step = step

    def __getitem__(self, cell: int) -> int:
        """The place of one cell."""
        return self._row.place(self._first + cell * self._step)


class HtmlLabels:
    """A table of labels and values: every label with the cells that follow it."""

    widths: tuple[int, ...] = ()
    groups: tuple[str, ...] = ()

    def __init__(self, table: RawTable) -> None:
        self.at = table.at
        self._table = table
        headings = table.headings
        #: A single row of figures whose headings are the labels.
        self._turned = bool(headings) and headings[0] != "" and len(table.rows()) == 1
        self.headings: tuple[str, ...] = () if self._turned else headings

    @lazy
    def _rows(self) -> list[RawRow]:
        if self._turned:
            row = self._table.rows()[0]
            pairs = zip(self._table.headings, row.cells, strict=False)
            return [
                RawRow([heading, cell], row.at, _Beside(row, number, 0))
                for number, (heading, cell) in enumerate(pairs)
            ]
        rows: list[RawRow] = []
        for row in self._table.rows():
            current: list[str] = []
            for number, cell in enumerate(row.cells):
                if number == 0 or cell.endswith(":"):
                    current = [cell.rstrip(":").strip()]
                    if current[0]:
                        rows.append(RawRow(current, row.at, _Beside(row, number, 1)))
                else:
                    current.append(cell)
        return rows

    def rows(self) -> list[RawRow]:
        """All labels with their values."""
        return self._rows

    def row(self, key: str) -> RawRow | None:
        """The row of a label."""
        return self._by_label.get(key)

    @lazy
    def _by_label(self) -> dict[str, RawRow]:
        """The first row of each label."""
        return {row.cells[0]: row for row in reversed(self._rows)}

    def keys(self) -> list[str]:
        """All labels."""
        return [row.cells[0] for row in self._rows]
