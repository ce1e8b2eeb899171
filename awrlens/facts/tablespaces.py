"""Temporary and undo tablespaces, and their I/O.

Evidence before names: a tempfile's path, the parameter `undo_tablespace`, the I/O of the file
type; a name is the last resort, and the fact says so. No parameter names a temporary tablespace.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from awrlens.facts.cells import twice
from awrlens.facts.formula import Figure, Missing, text_fact, unavailable
from awrlens.facts.tablespace_tables import (
    by_tablespace,
    files,
    files_lost,
    named_twice,
    owners,
    table_for,
)
from awrlens.lazy import regex
from awrlens.records import NamedTuple

if TYPE_CHECKING:
    from awrlens.facts.numbers import Figures
    from awrlens.model import Evidence, Fact, Status
    from awrlens.report.table_rows import Row

#: Oracle-managed files are in a folder of their type (Oracle ASM and OMF file names).
_TEMPFILE = regex(r"[/\\]tempfile[/\\]", re.I)
_DATAFILE = regex(r"[/\\]datafile[/\\]", re.I)
#: Names of temporary tablespaces; a pattern is used only if the one before has no match:
#: TEMP, TEMP2, TEMPORARY02; TEMP_SALES; PSAPTEMP. Others that hold TEMP or TMP (SALES_TMP_DATA,
#: SYSTEMPARTS) contain tables and indexes.
_TEMP_NAMES = (
    re.compile(r"^(?:TEMP|TMP)(?:ORARY)?_?\d*$", re.I),
    re.compile(r"^(?:TEMP|TMP)", re.I),
    re.compile(r"(?:TEMP|TMP)\d*$", re.I),
)
#: A longer text is no name. # Oracle SQL Language Reference, "Database Object Names"
_LONGEST_NAME = 128
#: 8i keeps undo in rollback segments, by custom in tablespaces RBS, RLB or ROLLBACK.
_UNDO_NAME = regex(r"UNDO|ROLLBACK|(?:^|_)R(?:BS|LB)|R(?:BS|LB)\d*$", re.I)
#: A tablespace is the one of file type Temp File if reads and writes agree this well: they have
#: two decimals in HTML and one in text. # awrlens: an assumption
_AGREE, _ROUNDED_PER_S = 0.01, 0.06
#: Fewer requests per second than this agree by chance. # awrlens: an assumption
_LEAST_PER_S = 1.0


#: How a tablespace was recognised by its name.
BY_NAME: Final = "name"


class Found(NamedTuple):
    """A tablespace, how it was recognised, and the evidence."""

    name: str
    how: str
    evidence: tuple[Evidence, ...]


def temporary(f: Figures) -> list[Found]:
    """Temporary tablespaces among those with I/O in the report."""
    return f.once(_temporary)


def _temporary(f: Figures) -> list[Found]:
    found = _by_tempfile(f)
    if not found and (counted := _by_filetype(f)):
        return [counted]
    data = _in_datafiles(f)
    names = f.once(_names)
    for kind in _TEMP_NAMES:
        for name, number in names.items():
            if (
                kind.search(name)
                and name not in found
                and name not in data
                and (not _UNDO_NAME.search(name))
            ):
                found[name] = Found(name, "name", _proof(f, number))
        if found:
            break
    return list(found.values())


def _by_filetype(f: Figures) -> Found | None:
    """The one tablespace whose reads and writes are those of file type Temp File."""
    seconds = f.elapsed
    rates = [
        f.row_figure("io_by_filetype", "Temp File", f"{kind}_requests_per_s", "requests/s")
        for kind in ("read", "write")
    ]
    if isinstance(seconds, Missing) or not seconds.value or not f.complete:
        return None
    known = [rate for rate in rates if isinstance(rate, Figure)]
    if len(known) < len(rates) or sum(rate.value for rate in known) < _LEAST_PER_S:
        return None
    amounts = [_amounts(f, column) for column in ("reads", "writes")]
    same = [
        name
        for name in amounts[0]
        if not _UNDO_NAME.search(name)
        and all(
            abs(each.get(name, 0.0) / seconds.value - rate.value)
            <= _ROUNDED_PER_S + _AGREE * rate.value
            for each, rate in zip(amounts, known, strict=True)
        )
    ]
    if len(same) != 1:
        return None
    return Found(same[0], "filetype", tuple(item for rate in known for item in rate.evidence))


def _amounts(f: Figures, column: str) -> dict[str, float]:
    """A column summed per tablespace."""
    table = table_for(f, column)
    found: dict[str, float] = {}
    if table is not None:
        for name, amount in zip(owners(f, table), table.numbers(column), strict=True):
            found[name] = found.get(name, 0.0) + amount
    return found


def _in_datafiles(f: Figures) -> set[str]:
    """Tablespaces with a file in a folder that Oracle keeps for data files."""
    table = files(f)
    if table is None:
        return set()
    pairs = zip(owners(f, table), table.texts("filename"), strict=True)
    return {name for name, filename in pairs if _DATAFILE.search(filename)}


def undo(f: Figures) -> list[Found]:
    """Undo tablespaces: the instance's own by parameter, those of others by name."""
    return f.once(_undo)


def _undo(f: Figures) -> list[Found]:
    found: dict[str, Found] = {}
    parameter = f.parameter("undo_tablespace")
    names = f.once(_names)
    if parameter and parameter[0]:
        wanted = parameter[0].upper()
        printed = next((n for n in names if n.upper() == wanted), wanted)
        found[printed] = Found(printed, "init parameter undo_tablespace", (parameter[1],))
    for name, number in names.items():
        if name not in found and _UNDO_NAME.search(name):
            found[name] = Found(name, BY_NAME, _proof(f, number))
    return list(found.values())


def _by_tempfile(f: Figures) -> dict[str, Found]:
    table = files(f)
    found: dict[str, Found] = {}
    names = () if table is None else table.texts("filename")
    if table is None or "tempfile" not in "\n".join(names).lower():
        return found
    for number, filename in enumerate(names):
        if _TEMPFILE.search(filename):
            row = table.rows[number]
            name = owners(f, table)[number]
            if name:
                cell = row.cell("filename")
                proof = (f.evidence(cell),) if cell else ()
                found.setdefault(name, Found(name, "tempfile", proof))
    return found


def _names(f: Figures) -> dict[str, int]:
    """Names of tablespaces, each with the number of its last row."""
    table = by_tablespace(f)
    if table is None:
        return {}
    names = owners(f, table) if table.name == "io_timing" else table.texts("tablespace")
    return {name: n for n, name in enumerate(names) if name and not name[_LONGEST_NAME:]}


def _proof(f: Figures, number: int) -> tuple[Evidence, ...]:
    table = by_tablespace(f)
    if table is None:
        return ()
    row = table.rows[number]
    cell = row.cell("tablespace") or row.cell("filename")
    return (f.evidence(cell),) if cell else ()


def names_fact(f: Figures, found: list[Found], what: str) -> Fact:
    """Names as a fact, with how each was recognised in the note."""
    if found:
        note = "; ".join(f"{each.name}: {each.how}" for each in found)
        ways = {each.how for each in found}
        evidence = tuple(item for each in found for item in each.evidence)
        status: Status = "estimated" if BY_NAME in ways else "measured"
        status = "derived" if "filetype" in ways else status
        return text_fact(tuple(each.name for each in found), evidence, status, note)
    missing = rows_of(f, found, what, "reads")
    return unavailable(missing if isinstance(missing, Missing) else f.missing("tablespace_io"))


def rows_of(f: Figures, found: list[Found], what: str, column: str) -> list[Row] | Missing:
    """Rows of some tablespaces, from the table that is reliable for a column."""
    table = table_for(f, column)
    if table is None:
        return f.missing("tablespace_io")
    names = {each.name for each in found}
    rows = [table.rows[number] for number, name in enumerate(owners(f, table)) if name in names]
    spaces = rows if table.name == "tablespace_io" else ()
    again = f.once(named_twice) if spaces else ()
    disputed = next((row for row in spaces if row.key in again), None)
    if disputed is not None:
        return twice(table, disputed)
    if table.name == "file_io" and (lost := f.once(files_lost)):
        return lost
    if not rows:
        return Missing(f"no {what} tablespace is recognised in {table.title}", ("tablespace_io",))
    return rows
