"""Tables of I/O by tablespace or file: which one has a figure, whose rows they are, what fits."""

from __future__ import annotations

import re
from collections import Counter
from math import inf
from typing import TYPE_CHECKING

from awrlens.facts.formula import Missing
from awrlens.lazy import regex
from awrlens.units import is_overflow

if TYPE_CHECKING:
    from collections.abc import Iterable

    from awrlens.facts.numbers import Figures
    from awrlens.report.table import Table

#: The tablespace in the name of a file: ASM (`undotbs1.258.660755929`), Oracle-managed
#: (`o1_mf_undotbs1_hx2k3l4m_.dbf`), and by custom (`temp02_004.dbf`).
_FILE_NAMES = (
    regex(r"(.{1,255}?)\.\d{1,12}\.\d{1,12}$"),
    regex(r"o1_mf_(.{1,255}?)_\w{8}_\.\w{3}$", re.I),
)
_FILE_SUFFIX = regex(r"(?:_\d{1,9})?(?:\.\w{3})?$")
#: Sections with a row per file, in order of preference.
BY_FILE = ("file_io", "io_timing")
#: Sums of files and tablespaces may differ by this share (files added within the interval).
_DISAGREE = 0.05
#: Columns that every row has a figure in.
COUNTS = ("reads", "writes")
#: A row whose name has nothing else has lost its name, and its cells are in other columns.
_FIGURE = "0123456789.,"
_NAMELESS = regex(r"^[0-9.,]*$", re.M)


def files(f: Figures) -> Table | None:
    """I/O by file: of the report, else V$FILESTAT and V$TEMPSTAT between two times."""
    return next((table for name in BY_FILE if (table := f.tables.get(name)) is not None), None)


def by_tablespace(f: Figures) -> Table | None:
    """I/O by tablespace, else by file."""
    spaces = f.tables.get("tablespace_io")
    return spaces if spaces is not None else files(f)


def table_for(f: Figures, column: str) -> Table | None:
    """The table to sum a column from: Tablespace IO Stats, unless its files contradict it.

    Some releases show figures of that section under the wrong headings; the files of a tablespace
    then add up to something else, and are used, because the section is their sum.
    """
    return f.once(_table_for, column)


def _table_for(f: Figures, column: str) -> Table | None:
    spaces, by_file = f.tables.get("tablespace_io"), f.tables.get("file_io")
    if spaces is None or by_file is None:
        return by_tablespace(f)
    names = set(spaces.texts("tablespace"))
    of_files = owners(f, by_file)
    width = by_file.width("tablespace")
    known = {each for each in set(of_files) if each in names or _cut_from(each, names, width)}
    if unfit(f, by_file, column):
        return spaces
    whole = sum(spaces.numbers(column))
    amounts = zip(of_files, by_file.numbers(column), strict=True)
    parts = sum(amount for name, amount in amounts if name in known)
    return by_file if known and abs(whole - parts) > _DISAGREE * max(whole, parts) else spaces


def owners(f: Figures, table: Table) -> tuple[str, ...]:
    """The tablespace of every row of a table.

    Text reports cut long names in File IO Stats (to 24 letters), but not in Tablespace IO Stats:
    they are completed if exactly one name begins so and no tablespace can be missing.
    """
    return f.once(_owners, str(table.name))


def _owners(f: Figures, name: str) -> tuple[str, ...]:
    table, spaces = f.tables.get(name), f.tables.get("tablespace_io")
    if table is None:
        return ()
    if "tablespace" not in {column.name for column in table.columns}:
        return tuple(map(_owner_by_name, table.texts("filename")))
    printed, width = table.texts("tablespace"), table.width("tablespace")
    if spaces is None or spaces is table or width is None or not f.complete:
        return printed
    names = spaces.texts("tablespace")
    begun = {each: _cut_from(each, names, width) for each in set(printed).difference(names)}
    whole = {each: full[0] for each, full in begun.items() if len(full) == 1}
    return tuple(whole.get(each, each) for each in printed) if whole else printed


def _owner_by_name(filename: str) -> str:
    """The tablespace that a file is probably of."""
    base = re.split(r"[/\\+ ]", filename.strip())[-1]
    found = next(filter(None, (kind.match(base) for kind in _FILE_NAMES)), None)
    suffix = _FILE_SUFFIX.search(base, 1)
    return (found[1] if found else base[: suffix.start()] if suffix else base).upper()


def _cut_from(name: str, names: Iterable[str], width: int | None) -> list[str]:
    """The names that a name may be cut from, if it fills the width of its column."""
    return [each for each in names if each.startswith(name)] if len(name) == width else []


def files_lost(f: Figures) -> Missing | None:
    """Why files cannot be added up: one appears twice, or the list may lack some."""
    table = f.tables.get("file_io")
    if table is None:
        return None
    why, names, width = "", table.texts("filename"), table.width("filename") or inf
    amounts = zip(table.numbers("reads"), table.numbers("writes"), strict=True)
    seen: set[tuple[str, str]] = set()
    # names of files are cut to their column, so that several look alike
    for owner, name, amount in zip(table.texts("tablespace"), names, amounts, strict=True):
        if not name.strip(_FIGURE) and any(amount):
            why = f"{table.title} has a row of figures without a file"
        elif name and len(name) + 1 < width and (owner, name) in seen:
            why = f"{table.title} has `{name}` twice"
        seen.add((owner, name))
    if not why and not f.complete:
        why = f"{table.title} may lack files"
    return Missing(why, ("file_io",), lost=True) if why else None


def named_twice(f: Figures) -> frozenset[str]:
    """Tablespaces with two rows, of the same container: with other figures, or with a blank."""
    table = f.tables.get("tablespace_io")
    if table is None:
        return frozenset()
    names = Counter(zip(table.texts("tablespace"), table.texts("pdb_name"), strict=True))
    return table.disputes | {name for (name, _), count in names.items() if count > 1}


def unfit(f: Figures, table: Table, *columns: str) -> Missing | None:
    """Why columns have no sum: a figure cannot be read, or a row has two different figures."""
    if table.name == "tablespace_io" and (again := f.once(named_twice)):
        return Missing(
            f"{table.title} has `{min(again)}` twice, with different figures",
            (str(table.name),), lost=True,
        )  # fmt: skip
    found = (f.once(_unfit, str(table.name), column) for column in columns)
    return next(filter(None, found), None)


def _nameless(f: Figures, name: str) -> list[int]:
    """The rows of a table that have lost their name: a file's, or a tablespace's."""
    table = f.tables.get(name)
    # a file's row is named by its file; a tablespace's name is filled in
    column = "filename" if name in BY_FILE else "tablespace"
    names = () if table is None else table.texts(column)
    if not _NAMELESS.search("\n".join(names)):
        return []
    return [number for number, each in enumerate(names) if not each.strip(_FIGURE)]


def _unfit(f: Figures, name: str, column: str) -> Missing | None:
    table = f.tables.get(name)
    if table is None:
        return None
    nameless = f.once(_nameless, name)
    if nameless and any(table.numbers(column)[number] for number in nameless):
        why = f"{table.title} has a row of figures without a name"
        return Missing(why, (name,), lost=True)
    if table.is_plain(column):
        return None
    texts = set(table.texts(column))
    if any("#" in text and is_overflow(text) for text in texts):
        return Missing(f"{table.title} shows `####` for {column}", (name,))
    if column in COUNTS and not all(is_number(table, text) for text in texts):
        why = f"{table.title} has no figure for {column} in a row"
        return Missing(why, (name,), lost=True)
    return None


def is_number(table: Table, text: str) -> bool:
    """Whether a cell has a number."""
    return text.isdigit() or (bool(text) and table.number_of(text, "count") is not None)


def has_data(f: Figures) -> bool:
    """Whether the report has I/O by tablespace or file at all (many 19c reports do not)."""
    return by_tablespace(f) is not None
