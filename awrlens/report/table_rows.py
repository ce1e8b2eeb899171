"""Rows of a typed table and their cells, converted when they are read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeAlias, overload

from awrlens.records import NamedTuple
from awrlens.report.column_match import slot_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from awrlens.report.column_match import Slot
    from awrlens.report.reader_result import RawRow
    from awrlens.report.table import Table

Value: TypeAlias = int | float | str | None


class Cell(NamedTuple):
    """A value, the text that it was read from, and the place of the text."""

    section: str
    row: str
    column: str
    text: str
    value: Value
    unit: str
    #: The row, and the cell's index in it: the place is computed on demand.
    place: tuple[RawRow, int]

    @property
    def at(self) -> int:
        """Its position, which ``Reader.line`` understands."""
        raw, number = self.place
        return raw.place(number) if number < len(raw.cells) else raw.at


class Row:
    """One row; cells are converted when they are read."""

    __slots__ = ("_by_name", "_key", "_slots", "_table", "raw")

    def __init__(
        self, table: Table, slots: list[Slot], by_name: dict[str, int], raw: RawRow
    ) -> None:
        self._table = table
        self._slots = slots
        self._by_name = by_name
        self.raw = raw
        self._key: str | None = None

    def text(self, column: str) -> str:
        """The cell as printed; empty when the report has no such column."""
        number = self._by_name.get(column)
        return "" if number is None else slot_text(self._slots[number], self.raw)

    def value(self, column: str) -> Value:
        """The typed value; None when the cell is blank, missing or unreadable."""
        number = self._by_name.get(column)
        if number is None:
            return None
        slot = self._slots[number]
        return self._table.typed(slot, slot_text(slot, self.raw))

    def number(self, column: str) -> int | float | None:
        """The value if it is a number."""
        value = self.value(column)
        return None if isinstance(value, str) else value

    def cell(self, column: str) -> Cell | None:
        """The cell with its place; None when the report has no such column."""
        number = self._by_name.get(column)
        if number is None:
            return None
        slot, raw, table = self._slots[number], self.raw, self._table
        own, text, key = slot.column, slot_text(slot, raw), self.key
        unit, spec = own.unit, table.spec
        if spec is not None and spec.units and own.type in ("int", "float"):
            unit = spec.unit_of(key) or unit
        value = table.typed(slot, text)
        return Cell(table.title, key, own.heading or column, text, value, unit, (raw, slot.cell))

    @property
    def key(self) -> str:
        """The text that identifies the row."""
        if self._key is None:
            self._key = self.text(self._table.key) if self._table.key else ""
        return self._key

    @property
    def names_and_figures(self) -> tuple[list[str], list[str]]:
        """Cells of text, and cells of figures."""
        names: list[str] = []
        figures: list[str] = []
        for slot in self._slots:
            own = figures if slot.column.type in ("int", "float") else names
            own.append(slot_text(slot, self.raw))
        return names, figures

    @property
    def headings(self) -> tuple[str, ...]:
        """The headings of the table that it is printed in."""
        return tuple(slot.column.heading for slot in self._slots)

    def values(self) -> dict[str, Value]:
        """All values by canonical name, undescribed columns by their heading."""
        return {
            slot.column.name or slot.column.heading: self._table.typed(
                slot, slot_text(slot, self.raw)
            )
            for slot in self._slots
        }


class Rows(Sequence[Row]):
    """The rows of a table, each created on demand."""

    def __init__(
        self, table: Table, parts: list[tuple[list[Slot], dict[str, int], Sequence[RawRow]]]
    ) -> None:
        self._table = table
        self._parts = parts

    def __len__(self) -> int:
        """Number of rows."""
        return sum(len(rows) for _, _, rows in self._parts)

    def __iter__(self) -> Iterator[Row]:
        """All rows in order."""
        table = self._table
        for slots, by_name, rows in self._parts:
            for raw in rows:
                yield Row(table, slots, by_name, raw)

    @overload
    def __getitem__(self, number: int) -> Row: ...

    @overload
    def __getitem__(self, number: slice) -> list[Row]: ...

    def __getitem__(self, number: int | slice) -> Row | list[Row]:
        """One row, or a slice of rows; IndexError when there are fewer."""
        if isinstance(number, slice):
            return list(self)[number]
        at = number if number >= 0 else number + len(self)
        for slots, by_name, rows in self._parts:
            if 0 <= at < len(rows):
                return Row(self._table, slots, by_name, rows[at])
            at -= len(rows)
        raise IndexError(number)
