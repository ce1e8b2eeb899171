"""Typed tables: canonical columns with units over rows as printed, decoded on demand."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any, TypeAlias, overload

from awrlens.grammar.catalogue import SectionSpec, norm_heading
from awrlens.lazy import lazy, regex
from awrlens.records import NamedTuple
from awrlens.report.column_match import Column, Slot, slot_text, texts_of
from awrlens.report.dates import parse_datetime
from awrlens.report.locale import is_fragment
from awrlens.report.printed_table import Printed, is_begun
from awrlens.report.reader_result import Filled, RawRow, column_of, words_of
from awrlens.units import is_overflow, parse_number, plain_column

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import pandas as pd

    from awrlens.report.reader_result import RawNote, RawTable

Value = int | float | str | None

_FIGURE = regex(r"[-+]?[\d.,'\u2019\s]+")


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


#: The data of a row without its table; a table that kept its rows would never be freed.
_Made: TypeAlias = "tuple[list[Slot], dict[str, int], RawRow]"


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


class Table:
    """All printed tables of one section as one typed table."""

    def __init__(
        self,
        spec: SectionSpec | None,
        title: str,
        tables: list[tuple[RawTable, list[Slot]]],
        notes: Callable[[], list[RawNote]],
        line: Callable[[int], int],
        convert: Callable[[str], str] | None = None,
        *,
        by_line: bool = False,
        only: frozenset[str] | None = None,
    ) -> None:
        self.spec = spec
        self.name = spec.name if spec else None
        #: Name of the column that identifies a row.
        self.key = spec.key if spec else None
        self.title = title
        #: All rows that such a table can have, if its rows are columns of other sections.
        self._only = only
        self._tables = [Printed(spec, raw, slots) for raw, slots in tables]
        self._notes = notes
        self._line = line
        #: Converts the file's figures to Oracle's ``1,234.5``; None if not needed.
        self._convert = convert
        #: Cells are cut out of lines, so a fragment of a figure may look like another figure.
        self._may_be_cut = by_line and convert is None
        self._found: dict[str, _Made | None] = {}
        self._texts: dict[str, tuple[str, ...]] = {}
        self._numbers: dict[str, tuple[int | float, ...]] = {}
        #: Columns in which every cell is a plain number: nothing is missing or damaged.
        self._plain: set[str] = set()

    def number_of(self, text: str, unit: str, printed: str | None = None) -> int | float | None:
        """A figure in this file's format, in ``unit``; see ``units.parse_number``."""
        return parse_number(self._convert(text.strip()) if self._convert else text, unit, printed)

    def typed(self, slot: Slot, text: str) -> Value:
        """A cell's text converted to its column's type."""
        kind = slot.column.type
        if kind == "text":
            return text or None
        if kind == "datetime":
            return parse_datetime(text)
        if self._convert is not None:
            text = self._convert(text)
        elif self._may_be_cut and is_fragment(text):
            return None
        return parse_number(text, slot.column.unit, slot.printed)

    @property
    def line(self) -> int:
        """1-based line where the table begins."""
        return self._line(self._tables[0].raw.at)

    def line_of(self, cell: Cell) -> int:
        """1-based line of a cell."""
        return self._line(cell.at)

    @lazy
    def columns(self) -> tuple[Column, ...]:
        """Every column of any of the printed tables."""
        found: dict[str, Column] = {}
        for printed in self._tables:
            for slot in printed.slots:
                found.setdefault(slot.column.name or slot.column.heading, slot.column)
        return tuple(found.values())

    def width(self, column: str) -> int | None:
        """Width of a column that cuts longer texts."""
        for printed in self._tables:
            number, widths = printed.by_name.get(column), printed.raw.widths
            if number is not None and printed.slots[number].cell < len(widths):
                return widths[printed.slots[number].cell]
        return None

    @property
    def units(self) -> dict[str, str]:
        """Unit of each column."""
        return {c.name or c.heading: c.unit for c in self.columns}

    @property
    def row_units(self) -> dict[str, str]:
        """Units of rows that are not those of their columns (a percentage among sizes)."""
        if self.spec is None or not self.spec.units:
            return {}
        units = {key: self.spec.unit_of(key) for key in self.keys()}
        return {key: unit for key, unit in units.items() if unit}

    @property
    def undescribed(self) -> list[str]:
        """Headings that are not in the catalogue."""
        return [c.heading for c in self.columns if c.name is None and c.heading]

    @lazy
    def _assembled(self) -> list[tuple[list[Slot], dict[str, int], Sequence[RawRow]]]:
        """Columns and rows of every printed table, wrapped lines joined, keys filled in."""
        found = []
        for printed in self._tables:
            rows = self._assemble(printed.raw, printed.slots, printed.by_name)
            key = printed.by_name.get(self.key) if self.key else None
            if key is not None and "once" in printed.slots[key].flags:
                rows = _once(rows)
            found.append((printed.slots, printed.by_name, rows))
        if self.key and (len(found) > 1 or len(getattr(self._tables[0].raw, "pages", "")) > 1):
            return _without_repetition(found)
        return found

    @property
    def rows(self) -> Rows:
        """All rows, wrapped lines joined and repeated keys filled in."""
        return Rows(self, self._assembled)

    def printed(self) -> tuple[list[str], list[list[str]]]:
        """Headings and all cells as printed."""
        names = [column.name or column.heading for column in self.columns]
        rows: list[list[str]] = []
        for slots, by_name, raws in self._assembled:
            own = [slots[by_name[name]] if name in by_name else None for name in names]
            rows += [[slot_text(slot, raw) if slot else "" for slot in own] for raw in raws]
        return [column.heading for column in self.columns], rows

    def texts(self, column: str) -> tuple[str, ...]:
        """One column of all rows as printed, without creating the rows; see ``Row.text``."""
        found = self._texts.get(column)
        if found is None:
            parts = self._assembled
            columns = (texts_of(slots, by_name.get(column), rows) for slots, by_name, rows in parts)
            found = self._texts[column] = tuple(chain.from_iterable(columns))
        return found

    def numbers(self, column: str) -> tuple[int | float, ...]:
        """One column of all rows as numbers; 0 for a missing number, for sums."""
        found = self._numbers.get(column)
        if found is None:
            values: list[int | float] = []
            plain = True
            for slots, by_name, rows in self._assembled:
                number = by_name.get(column)
                texts = texts_of(slots, number, rows)
                known = self._plain_values(slots[number], texts) if number is not None else None
                plain = plain and known is not None
                if known is None and number is not None:
                    known = self._any_values(slots[number], texts)
                values += known or (0,) * len(rows)
            found = self._numbers[column] = tuple(values)
            if plain:
                self._plain.add(column)
        return found

    def is_plain(self, column: str) -> bool:
        """Whether every row has a plain number in a column, so that nothing needs to be checked."""
        self.numbers(column)
        return column in self._plain

    def total(self, column: str) -> float | None:
        """Sum of a column; None if a figure did not fit and is printed as ``####``."""
        if any("#" in text and is_overflow(text) for text in self.texts(column)):
            return None
        return sum(self.numbers(column))

    def _plain_values(self, slot: Slot, texts: list[str]) -> list[int | float] | None:
        """A column of plain numbers; None if one is missing, scaled or in another format."""
        if slot.printed is None and self._convert is None and slot.column.type in ("int", "float"):
            return plain_column(texts, slot.column.unit)
        return None

    def _any_values(self, slot: Slot, texts: list[str]) -> list[int | float]:
        values = {text: self.typed(slot, text) for text in set(texts)}
        return [0 if (v := values[text]) is None or isinstance(v, str) else v for text in texts]

    def __iter__(self) -> Iterator[Row]:
        """All rows."""
        return iter(self.rows)

    def __len__(self) -> int:
        """Number of rows."""
        return len(self.rows)

    def __repr__(self) -> str:
        from awrlens.notebook import call  # noqa: PLC0415 - in a session only

        names = [column.name or column.heading for column in self.columns]
        return call("Table", self.name or self.title, rows=len(self), columns=names)

    def _repr_html_(self) -> str:
        """The first rows, as printed, as a table of a notebook."""
        from awrlens.notebook import ROWS, table  # noqa: PLC0415 - in a notebook only

        heads = [
            f"{name} [{unit}]" if unit != "text" else name for name, unit in self.units.items()
        ]
        rows = self.printed()[1]
        return table(self.title, heads, rows[:ROWS], len(rows) - ROWS)

    def __bool__(self) -> bool:
        """True: an existing table has been printed; testing it must not decode its rows."""
        return True

    def _assemble(
        self, raw: RawTable, slots: list[Slot], by_name: dict[str, int]
    ) -> Sequence[RawRow]:
        key = by_name.get(self.key) if self.key else None
        printed = raw.rows()
        if key is None:
            return printed
        at = slots[key].cell
        if all(column_of(printed, at)):
            return printed
        fill = "fill" in slots[key].flags
        texts = {s.cell for s in slots if s.column.type in ("text", "datetime")}
        found: list[RawRow] = []
        lost: frozenset[int] = getattr(raw, "lost", frozenset())
        for row in printed:
            cells = row.cells
            # text below a line that cannot be read may go on from there
            if row.at - 1 in lost:
                found.append(row)
                continue
            if len(cells) > at and not cells[at] and found and any(cells):
                last = found[-1]
                if fill:  # a copy, as the reader keeps its row; the name keeps its place
                    places = Filled(row, at, last.place(at))
                    row = row._replace(cells=[*cells], places=places)  # noqa: PLW2901
                    row.cells[at] = last.cells[at]
                elif all(n in texts for n, cell in enumerate(cells) if cell):
                    found[-1] = last._replace(cells=[*last.cells])
                    _join(found[-1].cells, cells, raw.widths)
                    continue
            found.append(row)
        return found

    def row(self, key: str) -> Row | None:
        """The row named ``key``: as printed, by a label's canonical name, or cut to its column.

        A cut name counts only when it fills its column and only one row begins with it.
        """
        if key not in self._found:
            self._found[key] = self._row(key)
        made = self._found[key]
        return Row(self, *made) if made else None

    def _row(self, key: str) -> _Made | None:
        for printed in self._tables:
            if printed.keys is None:
                return self._slow_row(key)
            row = printed.row(key)
            if row is not None:
                return printed.slots, printed.by_name, row
        return None

    def never_has(self, key: str) -> bool:
        """Whether this kind of report never prints such a row, so that it cannot have been lost."""
        return self._only is not None and key not in self._only

    def begins(self, starts: tuple[str, ...]) -> list[Row]:
        """Rows whose key begins with one of some texts, including keys cut to their column.

        A key that is printed again, in a table repeated after a page break, counts once.
        """
        found: dict[str, Row] = {}
        for printed in self._tables:
            if printed.keys is None:
                for each in self.rows:
                    if is_begun(each.key, starts):
                        found.setdefault(each.key, each)
                break
            for key, raw in printed.begins(starts):
                found.setdefault(key, Row(self, printed.slots, printed.by_name, raw))
        return list(found.values())

    def _slow_row(self, key: str) -> _Made | None:
        keys = [words_of(each) for each in self.texts(self.key)] if self.key else []
        number = keys.index(key) if key in keys else -1
        for slots, by_name, rows in self._assembled if number >= 0 else ():
            if number < len(rows):
                return slots, by_name, rows[number]
            number -= len(rows)
        return None

    def unread(self, starts: tuple[str, ...]) -> bool:
        """Whether a line that begins with one of some keys could not be read as a row."""
        return any(printed.unread(starts) for printed in self._tables)

    def is_disputed(self, key: str) -> bool:
        """Whether rows with a key have different figures: see ``disputes``."""
        if key not in self._repeated:
            return False
        if any(printed.again is None or key in printed.again for printed in self._tables):
            return key in self.disputes
        # once in each of several printed tables: the other rows need not be decoded
        each = ((part, part.raw.row(key)) for part in self._tables if key in (part.keys or ()))
        return bool(_disputed([Row(self, p.slots, p.by_name, raw) for p, raw in each if raw]))

    @lazy
    def disputes(self) -> frozenset[str]:
        """Keys of rows that are printed again with other figures: which ones are right is unknown.

        Rows that differ in other names as well (a file, a container) are different rows.
        """
        suspects = self._repeated
        return _disputed([row for row in self.rows if row.key in suspects] if suspects else [])

    @lazy
    def _repeated(self) -> set[str]:
        """Keys of more than one row, without decoding if possible."""
        if not self.key:
            return set()
        again = [printed.again for printed in self._tables]
        found: set[str] = set()
        if None in again:
            counts = Counter(self.texts(self.key))
            return {key for key, count in counts.items() if count > 1}
        found.update(*(each or () for each in again))
        seen: set[str] = set()
        for printed in self._tables if len(again) > 1 else ():
            found.update(seen.intersection(printed.keys or ()))
            seen.update(printed.keys or ())
        return found

    def keys(self) -> list[str]:
        """The keys of all rows as printed."""
        return [*self.texts(self.key)] if self.key else [""] * len(self)

    def note(self, name: str) -> Cell | None:
        """A figure in a remark (``-> Total Physical Writes: 109,925``).

        Without a colon the figure begins at the first digit (``Captured Time accounts for 98.6%``).
        """
        for spec in self.spec.notes if self.spec else ():
            if spec.name != name:
                continue
            for note in self._notes():
                label, colon, rest = note.text.partition(":")
                if not colon:
                    digit = next((n for n, c in enumerate(note.text) if c.isdigit()), None)
                    label, rest = note.text[:digit], note.text[digit:] if digit else ""
                if norm_heading(label) in spec.headings and rest.strip():
                    text = rest.split()[0]
                    if self._convert is not None:  # blanks may separate thousands
                        figure = _FIGURE.match(rest.strip())
                        text = figure[0].strip() if figure else text
                    bare = text.removesuffix("%") if spec.unit == "%" else text
                    value = self.number_of(bare, spec.unit)
                    place = RawRow([text], note.at), 0
                    return Cell(self.title, "", label.strip(), text, value, spec.unit, place)
        return None

    @property
    def frame(self) -> pd.DataFrame:
        """The table as a pandas frame; ``attrs["units"]`` has the unit of each column."""
        from awrlens.report.data_frames import to_frame  # noqa: PLC0415 - pandas only on request

        return to_frame(self)

    def to_dict(self) -> dict[str, Any]:
        """Name, title, columns, rows and line, as CONTRACT section 4 lists them."""
        return {
            "name": self.name,
            "title": self.title,
            "columns": [c._asdict() for c in self.columns],
            "rows": [row.values() for row in self.rows],
            "line": self.line,
        }


def _once(rows: Sequence[RawRow]) -> Sequence[RawRow]:
    """The rows without repeated rows (all cells equal)."""
    found: dict[tuple[str, ...], RawRow] = {}
    for row in rows:
        found.setdefault(tuple(row.cells), row)
    return rows if len(found) == len(rows) else [*found.values()]


def _without_repetition(
    tables: list[tuple[list[Slot], dict[str, int], Sequence[RawRow]]],
) -> list[tuple[list[Slot], dict[str, int], Sequence[RawRow]]]:
    """The tables without repeated rows (all cells equal), as pages repeat them."""
    seen: set[tuple[str, ...]] = set()
    found: list[tuple[list[Slot], dict[str, int], Sequence[RawRow]]] = []
    for slots, by_name, rows in tables:
        own = [row for row in rows if tuple(row.cells) not in seen]
        seen.update(tuple(row.cells) for row in rows)
        # a row may occur twice within one table, unless the whole table is repeated
        found.append((slots, by_name, _unrepeated(own)))
    return found


def _unrepeated(rows: Sequence[RawRow]) -> Sequence[RawRow]:
    """The rows of a table that is repeated, once, and those that a repetition prints otherwise.

    A row may occur twice within a table. The whole table is repeated if two thirds of the rows
    occur again, in their order.
    """
    first, size = _once(rows), len(rows)
    if len(first) == size:
        return rows
    for length in range(1, size // 2 + 1):
        if size % length == 0:
            same = sum(rows[n].cells == rows[n % length].cells for n in range(length, size))
            if same * 3 >= (size - length) * (2 if length > 1 else 3):
                return first
    return rows


def _disputed(rows: list[Row]) -> frozenset[str]:
    """The keys of rows that have the same names but different figures."""
    figures: dict[tuple[tuple[str, ...], ...], list[list[str]]] = {}
    for row in rows:
        names, printed = row.names_and_figures
        # a table with other headings counts something else
        figures.setdefault((row.headings, (row.key, *names)), []).append(printed)
    return frozenset(names[0] for (_, names), own in figures.items() if _differ(own))


def _differ(rows: list[list[str]]) -> bool:
    """Whether rows print different figures in a column."""
    return any(
        one and other and one != other
        for row in rows
        for one, other in zip(rows[0], row, strict=True)
    )


def _join(above: list[str], below: list[str], widths: tuple[int, ...]) -> None:
    """Append a wrapped line to the row above; blanks cut at the column's end are restored."""
    for number, more in enumerate(below):
        if more and number < len(above):
            width = widths[number] if number < len(widths) else 0
            above[number] = above[number].ljust(min(width, 200)) + more
