"""Rows that a report wraps, leaves without their key, or prints again; figures in remarks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from awrlens.grammar.catalogue import norm_heading
from awrlens.lazy import regex
from awrlens.report.reader_result import RawRow, column_of

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from awrlens.report.columns import Part, Slot
    from awrlens.report.reader_result import RawTable


def assembled(raw: RawTable, slots: list[Slot], key: int | None) -> Sequence[RawRow]:
    """The rows of a printed table, wrapped lines joined and repeated keys filled in."""
    printed = raw.rows()
    if key is None:
        return printed
    at = slots[key].cell
    if all(column_of(printed, at)):
        return printed
    fill = "fill" in slots[key].flags
    texts = {s.cell for s in slots if s.column.type in ("text", "datetime")}
    rows: list[RawRow] = []
    lost: frozenset[int] = getattr(raw, "lost", frozenset())
    for row in printed:
        cells = row.cells
        # text below a line that cannot be read may go on from there
        if row.at - 1 in lost:
            rows.append(row)
            continue
        if len(cells) > at and not cells[at] and rows and any(cells):
            last = rows[-1]
            if fill:
                row = _filled(row, last, at)  # noqa: PLW2901
            elif all(n in texts for n, cell in enumerate(cells) if cell):
                rows[-1] = last._replace(cells=[*last.cells])
                _join(rows[-1].cells, cells, raw.widths)
                continue
        rows.append(row)
    return rows


def _filled(row: RawRow, above: RawRow, key: int) -> RawRow:
    """A copy of a row, as the reader keeps it, with the key of the row above and its place."""
    cells = [*row.cells]
    cells[key] = above.cells[key]
    of_key = above.place(key)
    return RawRow(cells, row.at, lambda cell: of_key if cell == key else row.place(cell))


def once(rows: Sequence[RawRow], key: int) -> Sequence[RawRow]:
    """The rows without repeated rows (all cells equal), which have the same key."""
    keys = column_of(rows, key)
    if len({*keys}) == len(keys):
        return rows
    rows_by_cells: dict[tuple[str, ...], RawRow] = {}
    for row in rows:
        rows_by_cells.setdefault(tuple(row.cells), row)
    return rows if len(rows_by_cells) == len(rows) else [*rows_by_cells.values()]


def without_repetition(tables: list[Part]) -> list[Part]:
    """The tables without repeated rows (all cells equal), as pages repeat them."""
    seen: set[tuple[str, ...]] = set()
    parts: list[Part] = []
    for slots, by_name, rows in tables:
        own = [row for row in rows if tuple(row.cells) not in seen]
        seen.update(tuple(row.cells) for row in rows)
        # a row may occur twice within one table, unless the whole table is repeated
        parts.append((slots, by_name, _unrepeated(own)))
    return parts


def _unrepeated(rows: Sequence[RawRow]) -> Sequence[RawRow]:
    """The rows once if two thirds of them occur again in their order; other rows may be twice."""
    first, size = once(rows, 0), len(rows)
    if len(first) == size:
        return rows
    for length in range(1, size // 2 + 1):
        if size % length == 0:
            same = sum(rows[n].cells == rows[n % length].cells for n in range(length, size))
            if same * 3 >= (size - length) * (2 if length > 1 else 3):
                return first
    return rows


def _join(above: list[str], below: list[str], widths: tuple[int, ...]) -> None:
    """Append a wrapped line to the row above; blanks cut at the column's end are restored."""
    for number, more in enumerate(below):
        if more and number < len(above):
            width = widths[number] if number < len(widths) else 0
            above[number] = above[number].ljust(min(width, 200)) + more


_FIGURE = regex(r"[-+]?[\d.,'\u2019\s]+")


def remark(line: str, headings: Collection[str], *, blanks_group: bool) -> tuple[str, str] | None:
    """One of some labels in a remark, and its figure; ``blanks_group``: blanks part thousands."""
    end = next((n for n, char in enumerate(line) if char == ":" or char.isdigit()), len(line))
    label, rest = line[:end], line[end:].removeprefix(":")
    if norm_heading(label) not in headings or not rest.strip():
        return None
    text = rest.split()[0]
    figure = _FIGURE.match(rest.strip()) if blanks_group else None
    return label.strip(), figure[0].strip() if figure else text
