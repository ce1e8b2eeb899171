"""The columns of a description, matched to those of a printed table by headings, else by order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.grammar.catalogue import ColumnSpec, SectionSpec, norm_heading
from awrlens.lazy import NamedTuple, regex
from awrlens.report.reader_result import column_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from awrlens.report.reader_result import RawRow

    #: The columns and rows of one printed table.
    Part = tuple[list["Slot"], dict[str, int], Sequence[RawRow]]

_NUMBER: Final = regex(r"\d+(?:\.\d+)?")


class Column(NamedTuple):
    """A column of a table: canonical name (None when undescribed), heading, type and unit."""

    name: str | None
    heading: str
    type: str = "text"
    unit: str = "text"


class Slot(NamedTuple):
    """The place of a canonical column in the cells of one printed table."""

    column: Column
    cell: int
    printed: str | None = None
    separator: str | None = None
    part: int = 0
    flags: tuple[str, ...] = ()


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


def match_columns(
    spec: SectionSpec,
    headings: tuple[str, ...],
    groups: tuple[str, ...] = (),
    *,
    orders: bool = False,
) -> tuple[list[Slot], int]:
    """Slots for the printed headings, and how many of them the section knows.

    A heading matches alone or after its group; one that occurs twice (``Reqs per sec``) goes to the
    first unused column. ``#`` is a number that may vary. With ``orders``, those of the description
    name the columns of adjacent headings.
    """
    slots: list[Slot] = []
    used: set[str] = set()
    matched = 0
    last = -1
    described: dict[str, list[tuple[int, ColumnSpec]]] = {}
    for place in enumerate(spec.columns):
        for norm in place[1].headings:
            described.setdefault(norm, []).append(place)

    def find(norm: str) -> tuple[int, ColumnSpec] | None:
        fitting = [place for place in described.get(norm, ()) if place[1].name not in used]
        return next((place for place in fitting if place[0] > last), (*fitting, None)[0])

    ordered = _ordered(spec, headings) if orders else {}
    for number, heading in enumerate(headings):
        norm = norm_heading(heading)
        fit = ordered.get(number)
        if fit is None and groups and groups[number]:
            whole = norm_heading(f"{groups[number]} {heading}")
            fit = find(whole)
            norm = whole if fit else norm
        if fit is None:
            fit = find(norm)
        if fit is None and (plain := _NUMBER.sub("#", norm)) != norm:
            norm, fit = plain, find(plain)
        if fit is None:
            slots.append(Slot(Column(None, heading), number))
            continue
        matched += 1
        last, column = fit
        used.add(column.name)
        printed = column.headings.get(norm)
        for part, piece in enumerate(column.parts or (column,)):
            own = Column(piece.name, heading, piece.type, piece.unit)
            slots.append(Slot(own, number, printed, column.separator, part, column.flags))
    return slots, matched


def _ordered(spec: SectionSpec, headings: tuple[str, ...]) -> dict[int, tuple[int, ColumnSpec]]:
    """Columns whose headings Oracle prints above other columns, by their place in the table."""
    norms = tuple(map(norm_heading, headings))
    columns = {place[1].name: place for place in enumerate(spec.columns)}
    return {
        start + n: columns[name]
        for wrong, names, _ in spec.orders
        for start in range(len(norms) - len(wrong) + 1)
        if norms[start : start + len(wrong)] == wrong
        for n, name in enumerate(names)
    }


def label_slots(spec: SectionSpec, headings: tuple[str, ...]) -> list[Slot]:
    """Slots of a table of labels: the label, then the values by heading or else by order."""
    key, *values = spec.columns
    slots = [Slot(Column(key.name, ""), 0, flags=key.flags)]
    if len(headings) > 1:
        matched, count = match_columns(spec, ("", *headings[1:]))
        if count > 1:  # not only the label's heading
            named = (s for s in matched if s.column.name or s.column.heading)
            return [*slots, *(slot for slot in named if slot.cell > 0)]
    for number, column in enumerate(values):
        made = Column(column.name, "", column.type, column.unit)
        # if the report has no headings, the only heading of the description gives the unit
        printed = next(iter(column.headings.values())) if len(column.headings) == 1 else None
        slots.append(Slot(made, number + 1, printed, column.separator, 0, column.flags))
    return slots
