"""Typed tables: canonical columns with units over rows as printed, decoded on demand."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from itertools import chain
from math import inf
from typing import TYPE_CHECKING, Any, Final, TypeAlias, overload

from awrlens.grammar.catalogue import SectionSpec, norm_heading
from awrlens.lazy import NamedTuple, lazy
from awrlens.report.columns import Column, Slot, slot_text, texts_of
from awrlens.report.dates import parse_datetime
from awrlens.report.locale import is_fragment
from awrlens.report.reader_result import RawRow, column_of, words_of
from awrlens.report.repeated_rows import assembled, once, remark, without_repetition
from awrlens.units import (
    LARGEST,
    LEAST_LARGEST,
    LETTERED,
    SHARES,
    is_overflow,
    is_possible,
    parse_number,
    plain_column,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import pandas as pd

    from awrlens.report.columns import Part
    from awrlens.report.reader_result import RawNote, RawTable


#: Units of figures with a decimal comma in cells of pages, whatever the file has elsewhere.
_SHARES: Final = frozenset({"%", "ratio"})
#: Types of a frame's columns by those of descriptions.
_DTYPES: Final = {
    "int": "Int64", "float": "Float64", "text": "string", "datetime": "datetime64[s]",
}  # fmt: skip
#: Columns of names are wider than this, so a shorter name was never cut.
_SHORT: Final = 20
#: A name of this length or less is complete, even in a narrow column.
_WHOLE: Final = 8


class Printed:
    """A printed table of a section."""

    def __init__(
        self, spec: SectionSpec | None, key: str | None, raw: RawTable, slots: list[Slot]
    ) -> None:
        self._spec = spec
        self._key = key
        self.raw = raw
        self.slots = slots
        #: The index of each column: by canonical name, undescribed ones by their heading.
        self.by_name = {s.column.name or s.column.heading: n for n, s in enumerate(slots)}

    @lazy
    def _widths(self) -> tuple[int, ...]:
        return self.raw.widths

    @lazy
    def keys(self) -> list[str] | None:
        """Keys of all rows if the keys come first and the rows are not wrapped, else None."""
        first = self.slots[0] if self.slots else None
        if first is None or first.cell != 0 or self._spec is None or first.column.name != self._key:
            return None
        keys = column_of(self.raw.rows(), 0)
        return None if self._widths and "" in keys else keys

    @lazy
    def _places(self) -> dict[str, int]:
        keys = self.keys or []
        return dict(zip(reversed(keys), range(len(keys) - 1, -1, -1), strict=True))

    @lazy
    def _names(self) -> dict[str, str]:
        """The keys with single blanks: more or fewer blanks between the words do not matter."""
        keys = self.keys or []
        if "  " not in "\n".join(keys):
            return dict(zip(keys, keys, strict=True))
        return {words_of(key): key for key in reversed(keys)}

    @lazy
    def _sorted(self) -> list[str]:
        return sorted(self._names)

    @lazy
    def _labels(self) -> dict[str, str]:
        labels = self._spec.labels if self._spec else {}
        keys: dict[str, str] = {}
        for key in (self.keys or ()) if labels else ():
            name = labels.get(norm_heading(key))
            if name is not None:
                keys.setdefault(name, key)
        return keys

    def row(self, key: str) -> RawRow | None:
        """The row named ``key``: as printed, by a label's name, or the only one cut so."""
        whole = key if key in self._places else self._names.get(key) or self._labels.get(key)
        if whole is not None:
            return self.raw.rows()[self._places[whole]]
        if not self._widths:
            return None
        width = self._widths[0]
        # a blank at the cut is lost, so a name one letter shorter than the width was also cut
        cut = [
            printed
            for part in self._cut(key, max(width - 1, _WHOLE + 1))
            if len(printed := self._names[part]) == width or key[len(part) : len(part) + 1] == " "
        ]
        return self.raw.rows()[self._places[cut[0]]] if len(cut) == 1 else None

    def begins(self, starts: tuple[str, ...]) -> Iterator[tuple[str, RawRow]]:
        """Rows whose keys begin with one of some texts, then rows whose keys were cut."""
        whole: set[str] = set()
        ordered = self._sorted
        for start in starts:
            number = bisect_left(ordered, start)
            while number < len(ordered) and ordered[number].startswith(start):
                whole.add(ordered[number])
                number += 1
        cut: set[str] = set()
        if self._widths:
            long = (start for start in starts if len(start) > _SHORT)
            cut = {part for start in long for part in self._cut(start, _SHORT + 1)} - whole
        for names in filter(None, (whole, cut)):
            for key in sorted((self._names[name] for name in names), key=self._places.__getitem__):
                yield key, self.raw.rows()[self._places[key]]

    def _cut(self, name: str, least: int) -> list[str]:
        """Names of a minimum length that a name begins with."""
        names, lengths = self._names, range(least, len(name) + 1)
        return [part for length in lengths if (part := name[:length]) in names]

    def unread(self, starts: tuple[str, ...]) -> bool:
        """Whether a line that begins with one of some names is not a row."""
        lines = self._unread
        if not lines or (self.slots and self.slots[0].column.name == self._key):
            return any(line.startswith(starts) for line in lines)
        # other columns stand before the names
        return any(f" {start}" in f" {line}" for line in lines for start in starts)

    @lazy
    def _unread(self) -> list[str]:
        return [words_of(line) for line in getattr(self.raw, "unread_lines", list)()]


def is_begun(key: str, starts: tuple[str, ...]) -> bool:
    """Whether a key begins with one of some texts, or was cut before the end of one."""
    key = words_of(key)
    if key.startswith(starts):
        return True
    return len(key) > _SHORT and any(start.startswith(key) for start in starts)


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
        if spec is not None and spec.labels and isinstance(value, int | float):
            most = LARGEST.get(spec.labels.get(norm_heading(key), ""), inf)
            value = value if value <= most else None
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

    def __init__(self, table: Table, parts: list[Part]) -> None:
        self._table = table
        self._parts = parts

    def __len__(self) -> int:
        return sum(len(rows) for _, _, rows in self._parts)

    def __iter__(self) -> Iterator[Row]:
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


#: The data of a row without its table; a table that kept its rows would never be freed.
_Made: TypeAlias = "tuple[list[Slot], dict[str, int], RawRow]"


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
        month_first: Callable[[], bool | None] = bool,
        only: frozenset[str] | None = None,
    ) -> None:
        self.spec = spec
        self.name = spec.name if spec else None
        #: Name of the column that identifies a row.
        self.key = spec.key if spec else None
        self.title = title
        #: All rows that such a table can have, if its rows are columns of other sections.
        self._only = only
        self._tables = [Printed(spec, self.key, raw, slots) for raw, slots in tables]
        self._notes = notes
        self._line = line
        #: Converts the file's figures to Oracle's ``1,234.5``; None if not needed.
        self._convert = convert
        #: Its columns have one kind of figures each, which values of labels have not.
        self._is_columns = spec is None or spec.layout != "labels"
        #: Cells are cut out of lines, so a fragment of a figure may look like another figure; of
        #: cells of pages only shares and parts of a cell have decimal commas (``88,2``).
        self._by_line = by_line
        self._month_first = month_first
        self._found: dict[str, _Made | None] = {}
        self._texts: dict[str, tuple[str, ...]] = {}
        self._numbers: dict[str, tuple[int | float, ...]] = {}
        self._lettered: dict[str, bool] = {}
        #: Columns in which every cell is a plain number: nothing is missing or damaged.
        self._plain: set[str] = set()

    def number_of(self, text: str, unit: str) -> int | float | None:
        """A figure in this file's format, in ``unit``; see ``units.parse_number``."""
        return parse_number(self._convert(text.strip()) if self._convert else text, unit)

    def typed(self, slot: Slot, text: str) -> Value:
        """A cell's text converted to its column's type."""
        kind = slot.column.type
        if kind == "text":
            return text or None
        if kind == "datetime":
            return parse_datetime(text, month_first=self._month_first)
        unit = slot.column.unit
        if self._convert is not None:
            text = self._convert(text)
        elif (
            "," in text
            and (self._by_line or not (unit in _SHARES or slot.separator))
            and is_fragment(text)
        ):
            return None
        value = parse_number(text, unit, slot.printed)
        if not value:
            return value
        whole = kind == "int" and self._is_columns
        odd = value < 0 or unit == "%" or (whole and value.__class__ is float)
        most = inf if value < LEAST_LARGEST else LARGEST.get(slot.column.name or "", inf)
        if value > most or (odd and not is_possible(value, unit, whole=whole, flags=slot.flags)):
            return None
        lost = unit in LETTERED and text[-1:].isdigit() and self._has_letters(slot)
        return None if lost else value

    def _has_letters(self, slot: Slot) -> bool:
        """Whether cells of a column end in the letter of a unit; real reports have all or none."""
        name = slot.column.name or slot.column.heading
        if name not in self._lettered:
            texts = (text.strip() for text in self.texts(name))
            self._lettered[name] = any(t[-1:].isalpha() and not t[0].isalpha() for t in texts)
        return self._lettered[name]

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
        columns: dict[str, Column] = {}
        for printed in self._tables:
            for slot in printed.slots:
                columns.setdefault(slot.column.name or slot.column.heading, slot.column)
        return tuple(columns.values())

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
        return {key: unit for key in self.keys() if (unit := self.spec.unit_of(key))}

    @lazy
    def _assembled(self) -> list[Part]:
        """Columns and rows of every printed table, wrapped lines joined, keys filled in."""
        tables = []
        for printed in self._tables:
            key = printed.by_name.get(self.key) if self.key else None
            rows = assembled(printed.raw, printed.slots, key)
            if key is not None and "once" in printed.slots[key].flags:
                rows = once(rows, printed.slots[key].cell)
            tables.append((printed.slots, printed.by_name, rows))
        if self.key and (len(tables) > 1 or len(getattr(self._tables[0].raw, "pages", "")) > 1):
            return without_repetition(tables)
        return tables

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
        texts = self._texts.get(column)
        if texts is None:
            parts = self._assembled
            columns = (texts_of(slots, by_name.get(column), rows) for slots, by_name, rows in parts)
            texts = self._texts[column] = tuple(chain.from_iterable(columns))
        return texts

    def numbers(self, column: str) -> tuple[int | float, ...]:
        """One column of all rows as numbers; 0 for a missing number, for sums."""
        numbers = self._numbers.get(column)
        if numbers is None:
            values: list[int | float] = []
            plain = True
            for slots, by_name, rows in self._assembled:
                number = by_name.get(column)
                texts = texts_of(slots, number, rows)
                own = self._plain_values(slots[number], texts) if number is not None else None
                plain = plain and own is not None
                if own is None and number is not None:
                    typed = {text: self.typed(slots[number], text) for text in {*texts}}
                    every = (typed[text] for text in texts)
                    own = [0 if v is None or isinstance(v, str) else v for v in every]
                values += own or (0,) * len(rows)
            numbers = self._numbers[column] = tuple(values)
            if plain:
                self._plain.add(column)
        return numbers

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
            whole = slot.column.type == "int" and self._is_columns
            values = plain_column(texts, slot.column.unit, whole=whole)
            share = slot.column.unit == "%" and "beyond" not in slot.flags
            most = SHARES[1] if share else LARGEST.get(slot.column.name or "", inf)
            return None if most < inf and values and max(values) > most else values
        return None

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def __repr__(self) -> str:
        from awrlens.model.notebook import call

        names = [column.name or column.heading for column in self.columns]
        return call("Table", self.name or self.title, rows=len(self), columns=names)

    def _repr_html_(self) -> str:
        from awrlens.model.notebook import ROWS, table

        heads = [f"{n} [{unit}]" if unit != "text" else n for n, unit in self.units.items()]
        rows = self.printed()[1]
        return table(self.title, heads, rows[:ROWS], len(rows) - ROWS)

    def __bool__(self) -> bool:
        """True: an existing table has been printed; testing it must not decode its rows."""
        return True

    def row(self, key: str) -> Row | None:
        """The row named ``key``: see ``Printed.row``."""
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

    @property
    def is_cut(self) -> bool:
        """Whether its last page is missing, as far as the report shows."""
        return getattr(self._tables[-1].raw, "is_cut", False)

    @property
    def names(self) -> list[str]:
        """The keys of the rows that are known without decoding them."""
        return [key for printed in self._tables for key in printed.keys or ()]

    def never_has(self, key: str) -> bool:
        """Whether this kind of report never prints such a row, so that it cannot have been lost."""
        return self._only is not None and key not in self._only

    def begins(self, starts: tuple[str, ...]) -> list[Row]:
        """Rows whose key, perhaps cut, begins with one of some texts, each key once."""
        rows: dict[str, Row] = {}
        for printed in self._tables:
            if printed.keys is None:
                for row in self.rows:
                    if is_begun(row.key, starts):
                        rows.setdefault(row.key, row)
                break
            for key, raw in printed.begins(starts):
                rows.setdefault(key, Row(self, printed.slots, printed.by_name, raw))
        return list(rows.values())

    def _slow_row(self, key: str) -> _Made | None:
        keys = [words_of(text) for text in self.texts(self.key)] if self.key else []
        number = keys.index(key) if key in keys else -1
        for slots, by_name, rows in self._assembled if number >= 0 else ():
            if number < len(rows):
                return slots, by_name, rows[number]
            number -= len(rows)
        return None

    def unread(self, starts: tuple[str, ...]) -> bool:
        """Whether a line that begins with one of some keys could not be read as a row."""
        return any(printed.unread(starts) for printed in self._tables)

    @lazy
    def disputes(self) -> frozenset[str]:
        """Keys of rows that are printed again with other figures and the same names."""
        keys = self.texts(self.key) if self.key else ()
        if len({*keys}) == len(keys):
            return frozenset()
        counts = Counter(keys)
        figures: dict[tuple[tuple[str, ...], ...], list[list[str]]] = {}
        for row in self.rows:
            if counts[row.key] > 1:
                names, printed = row.names_and_figures
                # a table with other headings counts something else
                figures.setdefault((row.headings, (row.key, *names)), []).append(printed)
        return frozenset(
            names[0] for (_, names), rows in figures.items() for row in rows
            if any(a and b and a != b for a, b in zip(rows[0], row, strict=True))
        )  # fmt: skip

    def keys(self) -> list[str]:
        """The keys of all rows as printed."""
        return [*self.texts(self.key)] if self.key else [""] * len(self)

    def note(self, name: str) -> Cell | None:
        """A figure in a remark (``-> Total Physical Writes: 109,925``), by its canonical name."""
        for spec in self.spec.notes if self.spec else ():
            for note in self._notes() if spec.name == name else ():
                labelled = remark(note.text, spec.headings, blanks_group=self._convert is not None)
                if labelled is not None:
                    label, text = labelled
                    bare = text.removesuffix("%") if spec.unit == "%" else text
                    value = self.number_of(bare, spec.unit)
                    value = value if (value or 0) <= LARGEST.get(name, inf) else None
                    place = RawRow([text], note.at), 0
                    return Cell(self.title, "", label, text, value, spec.unit, place)
        return None

    @property
    def frame(self) -> pd.DataFrame:
        """A pandas frame with one typed column for each column; blanks are missing values.

        A column of whole numbers becomes Float64 if the report prints decimals in it or a number
        beyond 64 bits. ``attrs["rounded"]`` names the columns whose large numbers are not exact (in
        JSON and CSV they are). ``attrs["units"]`` has the unit of each column,
        ``attrs["row_units"]`` that of rows with another.
        """
        import pandas as pd

        rows = [row.values() for row in self.rows]
        columns: dict[str, Any] = {}
        rounded: dict[str, str] = {}
        for column in self.columns:
            name = column.name or column.heading
            values = [row.get(name) for row in rows]
            dtype = _DTYPES[column.type]
            if dtype == "Int64" and any(isinstance(v, float) for v in values):
                dtype = "Float64"
            if dtype == "Int64" and any(isinstance(v, int) and v.bit_length() > 63 for v in values):  # noqa: PLR2004
                dtype = "Float64"
                rounded[name] = (
                    "the column has a number beyond 64 bits: numbers above 2^53 are rounded"
                )
            if dtype == "Float64":
                values = [float(v) if isinstance(v, int) else v for v in values]
            columns[name] = pd.Series(values, dtype=dtype)
        frame = pd.DataFrame(columns)
        frame.attrs["units"] = self.units
        if self.row_units:
            frame.attrs["row_units"] = self.row_units
        frame.attrs["title"] = self.title
        if rounded:
            frame.attrs["rounded"] = rounded
        return frame

    def to_dict(self) -> dict[str, Any]:
        """Name, title, columns, rows and line, as CONTRACT section 4 lists them."""
        return {
            "name": self.name,
            "title": self.title,
            "columns": [c._asdict() for c in self.columns],
            "rows": [row.values() for row in self.rows],
            "line": self.line,
        }
