"""Where a report prints names and where words of Oracle's, told by the descriptions of sections."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from awrlens.grammar.catalogue import norm_heading
from awrlens.redact.words import CHOICES, NAMING, RELEASES, WORD
from awrlens.report.dates import parse_datetime

if TYPE_CHECKING:
    from collections.abc import Iterator

    from awrlens.grammar.catalogue import SectionSpec
    from awrlens.report.raw import RawRow, RawTable
    from awrlens.report.report import Report
    from awrlens.report.slots import Slot

#: Parameters and their values stand in sections of such names.
_PARAMETERS: Final = "parameters"
_VALUES: Final = ("begin_value", "end_value")
#: A statement's heading, in sections without a description, too.
_STATEMENT: Final = re.compile(r"sql ?text|statement", re.I)
#: Figures of fewer digits are not looked for elsewhere: they may be anything.
_LONG: Final = 8
#: A value that wraps takes so many lines at most.
_MOST_LINES: Final = 60


class Cell(NamedTuple):
    """A cell that holds names (or a statement), where it stands, and how many lines it may take."""

    at: int
    text: str
    kind: str
    lines: int = 1


class Places(NamedTuple):
    """Cells of a report that hold names, Oracle's words in it, statements of a text report."""

    cells: list[Cell]
    oracles: frozenset[str]
    numbers: frozenset[str]
    statements: list[list[int]]


def find(report: Report) -> Places:
    """Look through every section.

    Most tables of a compare-period report are described as those of its periods.
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
    statements: list[list[int]] = []
    for section in report.sections:
        known: set[int] = set()
        for spec, raw, slots in report.described(section):
            known.add(raw.at)
            oracles.update(_printed_by_oracle(spec, raw, slots))
            below = getattr(raw, "statements", [])
            statements += below
            cells += _cells(spec, raw, slots, elsewhere=bool(below))
        cells += _undescribed(section.tables("table"), known)
    return Places(cells, frozenset(oracles), frozenset(), statements)


def _cells(
    spec: SectionSpec, raw: RawTable, slots: list[Slot], *, elsewhere: bool
) -> Iterator[Cell]:
    """Cells that hold names; ``elsewhere``: modules and statements stand on lines of their own."""
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
    """Words of headings and labels that the description knows, of columns that hold such, of dates.

    Months are printed in any language.
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
    """Whether a parameter's value says a choice."""
    return word.lower() in CHOICES


def _with_lines(raw: RawTable) -> Iterator[tuple[RawRow, int]]:
    """Rows, and how many lines it is to the next."""
    rows = raw.rows()
    for number, row in enumerate(rows):
        after = rows[number + 1].at if number + 1 < len(rows) else row.at + 1
        yield row, max(1, min(after - row.at, _MOST_LINES))


def _undescribed(tables: list[RawTable], known: set[int]) -> Iterator[Cell]:
    """Statements in tables that no description knows; other words there are sifted."""
    for raw in tables:
        columns = [n for n, heading in enumerate(raw.headings) if _STATEMENT.search(heading)]
        if raw.at in known or not columns:
            continue
        for row in raw.rows():
            for number in columns:
                if number < len(row.cells) and row.cells[number]:
                    yield Cell(row.place(number), row.cells[number], "sql")
