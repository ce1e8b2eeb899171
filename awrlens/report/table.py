"""Typed tables: canonical columns with units over rows as printed, decoded on demand."""

from __future__ import annotations

from collections import Counter
from itertools import chain
from typing import TYPE_CHECKING, Any, TypeAlias

from awrlens.lazy import lazy
from awrlens.report.column_match import Column, Slot, slot_text, texts_of
from awrlens.report.dates import parse_datetime
from awrlens.report.locale import is_fragment
from awrlens.report.printed_table import Printed, is_begun
from awrlens.report.reader_result import RawRow, words_of
from awrlens.report.remarks import remark
from awrlens.report.repeated_rows import assembled, disputed, once, without_repetition
from awrlens.report.table_rows import Cell, Row, Rows, Value
from awrlens.units import is_overflow, parse_number, plain_column

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import pandas as pd

    from awrlens.grammar.catalogue import SectionSpec
    from awrlens.report.reader_result import RawNote, RawTable


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
        return {key: unit for key in self.keys() if (unit := self.spec.unit_of(key))}

    @property
    def undescribed(self) -> list[str]:
        """Headings that are not in the catalogue."""
        return [c.heading for c in self.columns if c.name is None and c.heading]

    @lazy
    def _assembled(self) -> list[tuple[list[Slot], dict[str, int], Sequence[RawRow]]]:
        """Columns and rows of every printed table, wrapped lines joined, keys filled in."""
        found = []
        for printed in self._tables:
            key = printed.by_name.get(self.key) if self.key else None
            rows = assembled(printed.raw, printed.slots, key)
            if key is not None and "once" in printed.slots[key].flags:
                rows = once(rows, printed.slots[key].cell)
            found.append((printed.slots, printed.by_name, rows))
        if self.key and (len(found) > 1 or len(getattr(self._tables[0].raw, "pages", "")) > 1):
            return without_repetition(found)
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

        heads = [f"{n} [{unit}]" if unit != "text" else n for n, unit in self.units.items()]
        rows = self.printed()[1]
        return table(self.title, heads, rows[:ROWS], len(rows) - ROWS)

    def __bool__(self) -> bool:
        """True: an existing table has been printed; testing it must not decode its rows."""
        return True

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
        return bool(disputed([Row(self, p.slots, p.by_name, raw) for p, raw in each if raw]))

    @lazy
    def disputes(self) -> frozenset[str]:
        """Keys of rows that are printed again with other figures: which ones are right is unknown.

        Rows that differ in other names as well (a file, a container) are different rows.
        """
        suspects = self._repeated
        return disputed([row for row in self.rows if row.key in suspects] if suspects else [])

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
        """A figure in a remark (``-> Total Physical Writes: 109,925``), by its canonical name."""
        for spec in self.spec.notes if self.spec else ():
            for note in self._notes() if spec.name == name else ():
                found = remark(note.text, spec.headings, blanks_group=self._convert is not None)
                if found is not None:
                    bare = found.text.removesuffix("%") if spec.unit == "%" else found.text
                    value = self.number_of(bare, spec.unit)
                    place = RawRow([found.text], note.at), 0
                    return Cell(self.title, "", found.label, found.text, value, spec.unit, place)
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
