"""Finds names and Oracle's own words in a report, using the section descriptions."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from awrlens.grammar.catalogue import norm_heading
from awrlens.lazy import regex
from awrlens.records import NamedTuple
from awrlens.redact.words import CHOICES, NAMING, RELEASES, WORD
from awrlens.report.identity import parse_datetime

if TYPE_CHECKING:
    from collections.abc import Iterator

    from awrlens.grammar.catalogue import SectionSpec
    from awrlens.report.reader_result import RawRow, RawTable
    from awrlens.report.report import Report
    from awrlens.report.table import Slot

#: Prefix of the sections with parameters and their values.
_PARAMETERS: Final = "parameters"
_VALUES: Final = ("begin_value", "end_value")
#: Headings of SQL statements, including sections without a description.
_STATEMENT: Final = regex(r"sql ?text|statement", re.I)
#: Numbers with fewer digits are not searched elsewhere: they may be anything.
_LONG: Final = 8
#: Maximum number of lines of a wrapped value.
_MOST_LINES: Final = 60


class Cell(NamedTuple):
    """A cell with names or an SQL statement: location, text and maximum number of lines."""

    at: int
    text: str
    kind: str
    lines: int = 1


class Places(NamedTuple):
    """Cells of a report with names, Oracle's words in it, SQL statements of a text report."""

    cells: list[Cell]
    oracles: frozenset[str]
    numbers: frozenset[str]
    statements: list[list[int]]


def find(report: Report) -> Places:
    """Search all sections.

    Most tables of a compare-period report use the descriptions of single reports.
    """
    found = [_in(part) for part in (report, *report.periods)]
    cells = [cell for each in found for cell in each.cells]
    numbers = {
        word
        for cell in cells
        if cell.kind == "name"
        for word in WORD.findall(cell.text)
        if word.isdecimal() and len(word) >= _LONG
    }
    statements = {tuple(lines): lines for each in found for lines in each.statements}
    oracles = frozenset(word for each in found for word in each.oracles)
    return Places(list(dict.fromkeys(cells)), oracles, frozenset(numbers), [*statements.values()])


def _in(report: Report) -> Places:
    cells: list[Cell] = []
    oracles: set[str] = set()
    labels: dict[int, tuple[str, ...]] = {}
    statements: list[list[int]] = []
    for section in report.sections:
        known: set[int] = set()
        for spec, raw, slots in report.described(section):
            known.add(raw.at)
            oracles.update(_printed_by_oracle(spec, raw, slots))
            for row in raw.rows() if spec.labels else ():
                label = norm_heading(row.cells[0])
                if label in spec.labels:
                    labels[row.at] = (*labels.get(row.at, ()), label)
            below = getattr(raw, "statements", [])
            statements += below
            cells += _cells(spec, raw, slots, elsewhere=bool(below))
        cells += _undescribed(section.tables("table"), known)
    # below a table without an end, a label and its figures are in its first column, too
    cells = [each for each in cells
             if not norm_heading(each.text).startswith(labels.get(each.at, ()))]  # fmt: skip
    return Places(cells, frozenset(oracles), frozenset(), statements)


def _cells(
    spec: SectionSpec, raw: RawTable, slots: list[Slot], *, elsewhere: bool
) -> Iterator[Cell]:
    """Cells with names; ``elsewhere``: modules and SQL statements are on separate lines."""
    parameter = next((s.cell for s in slots if s.column.name == "parameter"), None)
    named = [s for s in slots if "private" in s.flags]
    if elsewhere:
        named = [s for s in named if s.column.name not in ("module", "sql_text")]
    for row, lines in _with_lines(raw):
        for slot in named:
            text = _text(row, slot)
            kind = "sql" if slot.column.name == "sql_text" else "name"
            if spec.name.startswith(_PARAMETERS) and slot.column.name in _VALUES:
                kind = _kind_of_value("" if parameter is None else row.cells[parameter])
            if text:
                yield Cell(row.place(slot.cell), text, kind, lines)


def _text(row: RawRow, slot: Slot) -> str:
    return row.cells[slot.cell] if slot.cell < len(row.cells) else ""


def _printed_by_oracle(spec: SectionSpec, raw: RawTable, slots: list[Slot]) -> list[str]:
    """Words of described headings and labels, of public columns, and of dates.

    Dates may have month names in any language.
    """
    texts = [slot.column.heading for slot in slots if slot.column.name]
    if spec.labels:
        texts += [key for key in raw.keys() or () if norm_heading(key) in spec.labels]
    marked = [slot for slot in slots if "public" in slot.flags]
    dates = [slot for slot in slots if slot.column.type == "datetime"]
    for row in raw.rows() if marked or dates else ():
        texts += [_text(row, slot) for slot in marked]
        texts += [text for slot in dates if parse_datetime(text := _text(row, slot))]
    return [word for text in texts for word in WORD.findall(text)]


def _kind_of_value(parameter: str) -> str:
    if parameter.startswith("log_archive_dest_state"):
        return "value"
    if parameter.startswith("log_archive_dest"):
        return "destination"
    if parameter in RELEASES:
        return "release"
    return "name" if not parameter or NAMING.search(parameter) else "value"


def is_choice(word: str) -> bool:
    """Whether the value of a parameter is a keyword such as TRUE or AUTO."""
    return word.lower() in CHOICES


def _with_lines(raw: RawTable) -> Iterator[tuple[RawRow, int]]:
    """Rows, with the number of lines up to the next row."""
    rows = raw.rows()
    for number, row in enumerate(rows):
        after = rows[number + 1].at if number + 1 < len(rows) else row.at + 1
        yield row, max(1, min(after - row.at, _MOST_LINES))


def _undescribed(tables: list[RawTable], known: set[int]) -> Iterator[Cell]:
    """SQL statements in tables without a description; other words there are checked one by one."""
    for raw in tables:
        columns = [n for n, heading in enumerate(raw.headings) if _STATEMENT.search(heading)]
        if raw.at in known or not columns:
            continue
        for row in raw.rows():
            for number in columns:
                if number < len(row.cells) and row.cells[number]:
                    yield Cell(row.place(number), row.cells[number], "sql")
