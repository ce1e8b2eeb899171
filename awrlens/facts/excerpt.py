"""What an excerpt holds: the rows of its tables in words, where little can be judged.

The figures of "Write Accelerator" pasted alone have one table each.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.facts import tablespaces
from awrlens.units import UNIT_SIGNS, plain

if TYPE_CHECKING:
    from collections.abc import Iterator

    from awrlens.facts.figures import Figures
    from awrlens.report.table import Row, Table

#: The tables whose rows are shown, in this order.
_TABLES: Final = (
    "tablespace_io", "file_io", "io_timing", "enqueues", "undo_summary", "undo_stats", "host_cpu",
    "instance_cpu", "top_events", "foreground_events", "wait_events", "background_events",
)  # fmt: skip
#: Maximum number of rows of a table, the largest first.
_MOST_ROWS: Final = 12
#: Units at the end of a column's name, which its figure has, too.
_UNITS: Final = ("ms", "s", "pct", "min")
#: Times that follow the number of reads and writes.
_AFTER: Final = ("read_ms", "write_ms")
#: Columns by which rows are ordered: reads and writes, or else the time waited.
_SIZES: Final = (("reads", "writes"), ("total_wait_s",), ("waits",), ("undo_blocks",))
#: What a verdict on each part needs, which no list of I/O has.
_NEEDED: Final = (
    "For a verdict, add the header (DB time, elapsed time) and the wait events: `log file sync` "
    "and `log file parallel write` for redo, `direct path read temp` and `direct path write temp` "
    "for temp, `db file sequential read` for undo."
)


def read(f: Figures) -> tuple[str, ...]:
    """Rows of the tables of an excerpt, what they say of temp and undo, and what is missing."""
    kinds = {each.name: "temp" for each in tablespaces.temporary(f)}
    kinds |= {each.name: "undo" for each in tablespaces.undo(f)}
    found = [line for name in _TABLES if (table := f.tables.get(name)) is not None
             for line in _rows(f, table, kinds)]  # fmt: skip
    return (*found, *_meaning(f), _NEEDED) if found else ()


def _rows(f: Figures, table: Table, kinds: dict[str, str]) -> Iterator[str]:
    owners = table.texts("tablespace") or ()
    if table.name in tablespaces.BY_FILE:
        owners = tablespaces.owners(f, table)
    sizes = next((each for each in _SIZES if set(each) <= {c.name for c in table.columns}), ())
    rows = sorted(
        enumerate(table.rows), key=lambda each: -sum(each[1].number(name) or 0 for name in sizes)
    )
    for number, row in rows[:_MOST_ROWS]:
        kind = kinds.get(owners[number], "") if owners else ""
        name = row.key or " ".join(table.title.split())
        if table.name == "undo_summary":
            name = f"Undo tablespace {name}"
        yield f"{name}{f' ({kind})' if kind else ''}: {', '.join(_figures(row, table))}"
    if len(rows) > _MOST_ROWS:
        yield f"… and {len(rows) - _MOST_ROWS} more rows of {table.title or table.name}"


def _figures(row: Row, table: Table) -> Iterator[str]:
    """The figures of a row; the time of a read or write follows their number."""
    for column in table.columns:
        name = column.name or ""
        value = row.number(name) if name else None
        if value is None or name in _AFTER or name.endswith(("_per_s", "_per_txn")):
            continue
        if not value and (name.startswith("buffer_") or table.name == "undo_stats"):
            continue
        words, _, last = name.removeprefix("pct_").rpartition("_")
        words = (words if last in _UNITS else name.removeprefix("pct_")).replace("_", " ")
        words = f"{words.replace('db time', 'DB time')} ".removeprefix("value ")
        time = row.number(f"{name.removesuffix('s')}_ms") if name in ("reads", "writes") else None
        at = "" if time is None else f" at {plain(time, 3)} ms"
        unit = UNIT_SIGNS.get(column.unit, column.unit)
        yield f"{words}{plain(value, 3)}{f' {unit}' if unit else ''}{at}"


def _ms(value: float) -> str:
    """A time; 0 is printed for what is shorter than the digits of the column."""
    return f"{plain(value, 3)} ms" if value else "less than 0.1 ms"


def _meaning(f: Figures) -> Iterator[str]:
    """The latency of temp and undo, which no session may wait for."""
    from awrlens.facts.registry import Facts

    facts = Facts(f)
    for kind in ("temp", "undo"):
        read_ms, write_ms = (facts[f"{kind}.{each}_ms"].number for each in ("read", "write"))
        known = [f"{name} take {_ms(value)}" for name, value in
                 (("reads", read_ms), ("writes", write_ms)) if value is not None]  # fmt: skip
        if known:
            yield (
                f"{kind.capitalize()}: {' and '.join(known)} on average; whether sessions wait "
                "for them is not in this excerpt."
            )
