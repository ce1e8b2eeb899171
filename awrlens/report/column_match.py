"""Matches a description's columns to those of a printed table: by headings, else by order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.grammar.catalogue import ColumnSpec, SectionSpec, norm_heading
from awrlens.lazy import regex
from awrlens.records import NamedTuple
from awrlens.report.reader_result import column_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from awrlens.report.reader_result import RawRow

_NUMBER: Final = regex(r"\d+(?:\.\d+)?")


class Column(NamedTuple):
    """A column of a table: canonical name (None when undescribed), heading, type and unit."""

    name: str | None
    heading: str
    type: str
    unit: str


class Slot(NamedTuple):
    """The place of a canonical column in the cells of one printed table."""

    column: Column
    cell: int
    printed: str | None
    separator: str | None
    part: int
    flags: tuple[str, ...]


def slot_text(slot: Slot, raw: RawRow) -> str:
    """A row's cell, or the part of it that belongs to the column, as printed."""
    text = raw.cells[slot.cell] if slot.cell < len(raw.cells) else ""
    if slot.separator is not None:
        parts = text.split(slot.separator)
        return parts[slot.part].strip() if slot.part < len(parts) else ""
    return text


def texts_of(slots: list[Slot], number: int | None, rows: Sequence[RawRow]) -> list[str]:
    """The cells of one column; blank if the table or a row has none."""
    if number is None:
        return [""] * len(rows)
    slot = slots[number]
    if slot.separator is not None:
        return [slot_text(slot, row) for row in rows]
    return column_of(rows, slot.cell)


def by_name_of(slots: list[Slot]) -> dict[str, int]:
    """The index of each column: by canonical name, undescribed ones by their heading."""
    return {slot.column.name or slot.column.heading: n for n, slot in enumerate(slots)}


def match_columns(
    spec: SectionSpec,
    headings: tuple[str, ...],
    groups: tuple[str, ...] = (),
    *,
    orders: bool = False,
) -> tuple[list[Slot], int]:
    """Slots for the printed headings, and how many of them the section knows.

    A heading matches alone or after the group that it is printed under. A heading that occurs twice
    (``Reqs per sec`` for reads and for writes) goes to the first unused column that matches it. In
    a description, ``#`` is a number that may vary. With ``orders``, adjacent headings of an
    ``order`` of the description belong to the columns that it names.
    """
    slots: list[Slot] = []
    used: set[str] = set()
    known = 0
    last = -1
    ordered = _ordered(spec, headings) if orders else {}
    for number, heading in enumerate(headings):
        norm = norm_heading(heading)
        column = ordered.get(number)
        if column is None and groups and groups[number]:
            whole = norm_heading(f"{groups[number]} {heading}")
            column = _find_column(spec, whole, used, last)
            norm = whole if column else norm
        if column is None:
            column = _find_column(spec, norm, used, last)
        if column is None:
            norm = _NUMBER.sub("#", norm)
            column = _find_column(spec, norm, used, last)
        if column is None:
            slots.append(Slot(Column(None, heading, "text", "text"), number, None, None, 0, ()))
            continue
        known += 1
        used.add(column.name)
        last = spec.columns.index(column)
        printed = column.headings.get(norm)
        for part, each in enumerate(column.parts or (column,)):
            slots.append(
                Slot(
                    Column(each.name, heading, each.type, each.unit),
                    number,
                    printed,
                    column.separator,
                    part,
                    column.flags,
                )
            )
    return slots, known


def _ordered(spec: SectionSpec, headings: tuple[str, ...]) -> dict[int, ColumnSpec]:
    """Columns whose headings Oracle prints above other columns, by their place in the table."""
    norms = tuple(map(norm_heading, headings))
    columns = {column.name: column for column in spec.columns}
    return {
        start + n: columns[name]
        for wrong, names in spec.orders
        for start in range(len(norms) - len(wrong) + 1)
        if norms[start : start + len(wrong)] == wrong
        for n, name in enumerate(names)
    }


def _find_column(spec: SectionSpec, norm: str, used: set[str], last: int) -> ColumnSpec | None:
    fitting = [
        (number, c)
        for number, c in enumerate(spec.columns)
        if norm in c.headings and c.name not in used
    ]
    after = [c for number, c in fitting if number > last]
    return after[0] if after else (fitting[0][1] if fitting else None)


def label_slots(spec: SectionSpec, headings: tuple[str, ...]) -> list[Slot]:
    """Slots of a table of labels: the label, then the values by heading or else by order."""
    key, *values = spec.columns
    slots = [Slot(Column(key.name, "", "text", "text"), 0, None, None, 0, key.flags)]
    if len(headings) > 1:
        matched, known = match_columns(spec, ("", *headings[1:]))
        if known > 1:  # not only the label's heading
            return slots + [
                s for s in matched if s.cell > 0 and (s.column.name or s.column.heading)
            ]
    for number, column in enumerate(values):
        made = Column(column.name, "", column.type, column.unit)
        # if the report has no headings, the only heading of the description gives the unit
        printed = next(iter(column.headings.values())) if len(column.headings) == 1 else None
        slots.append(Slot(made, number + 1, printed, column.separator, 0, column.flags))
    return slots
