"""Temporary and undo tablespaces: how they are recognised, sums and averages of their I/O, ranks.

Evidence before names: a tempfile's path, the parameter `undo_tablespace`, the I/O of the file
type; a name is the last resort, and the fact says so. No parameter names a temporary tablespace.
"""

from __future__ import annotations

import re
from collections import Counter
from math import inf
from typing import TYPE_CHECKING, Final

from awrlens.facts.answers import Answer, answering, needed, text_fact
from awrlens.facts.counters import kept
from awrlens.facts.formula import Figure, Missing, Number, add, is_lost, twice
from awrlens.lazy import NamedTuple, regex
from awrlens.units import is_overflow

if TYPE_CHECKING:
    from awrlens.facts.figures import Figures
    from awrlens.model import Evidence, Status
    from awrlens.report.table import Row, Table


#: The tablespace in the name of a file: ASM (`undotbs1.258.660755929`), Oracle-managed
#: (`o1_mf_undotbs1_hx2k3l4m_.dbf`), and by custom (`temp02_004.dbf`).
_FILE_NAMES = (
    regex(r"(.{1,255}?)\.\d{1,12}\.\d{1,12}$"),
    regex(r"o1_mf_(.{1,255}?)_\w{8}_\.\w{3}$", re.I),
)
_FILE_SUFFIX = regex(r"(?:_\d{1,9})?(?:\.\w{3})?$")
#: Sections with a row per file, in order of preference.
BY_FILE = ("file_io", "io_timing")
#: Columns that every row has a figure in.
COUNTS = ("reads", "writes")
#: A row whose name has nothing else has lost its name, and its cells are in other columns.
_FIGURE = "0123456789.,"


def files(f: Figures) -> Table | None:
    """I/O by file: of the report, else V$FILESTAT and V$TEMPSTAT between two times."""
    return next((table for name in BY_FILE if (table := f.tables.get(name)) is not None), None)


def by_tablespace(f: Figures) -> Table | None:
    """I/O by tablespace, else by file."""
    spaces = f.tables.get("tablespace_io")
    by_file = files(f) if spaces is None or torn(f, "tablespace_io") else None
    return spaces if by_file is None else by_file


@kept
def torn(f: Figures, name: str) -> Missing | None:
    """Why a list of tablespaces or files lacks some: its end is missing, or the other has more."""
    table = f.tables.get(name)
    spaces, by_file = f.tables.get("tablespace_io"), f.tables.get("file_io")
    if table is None or not f.complete:
        return None
    lacks = table.is_cut
    if spaces is not None and by_file is not None and not lacks:
        width = by_file.width("tablespace")
        listed, filed = (
            {space[:width] for space in other.texts("tablespace")} for other in (spaces, by_file)
        )
        lacks = bool(filed - listed if table is spaces else listed - filed)
    why = f"{table.title} is torn: it lacks {'files' if table is by_file else 'tablespaces'}"
    return Missing(why, lost=True) if lacks else None


#: Sums of files and tablespaces may differ by this share (files added within the interval).
_DISAGREE = 0.05


@kept
def table_for(f: Figures, column: str) -> Table | None:
    """The table to sum a column from: Tablespace IO Stats, unless its files contradict it.

    Some releases show figures of that section under the wrong headings; the files of most
    tablespaces then add up to something else, and are used, because the section is their sum.
    """
    spaces, by_file = f.tables.get("tablespace_io"), f.tables.get("file_io")
    if spaces is None or by_file is None or torn(f, "tablespace_io"):
        return by_tablespace(f)
    if unfit(f, by_file, column):
        return spaces
    whole, parts = sum(spaces.numbers(column)), sum(by_file.numbers(column))
    if abs(whole - parts) <= _DISAGREE * max(whole, parts):
        return spaces
    width = by_file.width("tablespace")
    amounts: dict[str, list[float]] = {}
    for side, table in enumerate((spaces, by_file)):
        names = table.texts("tablespace")
        for name, amount in zip(names, table.numbers(column), strict=True):
            amounts.setdefault(name[:width], [0.0, 0.0])[side] += amount
    apart = [abs(a - b) > _DISAGREE * max(a, b) for a, b in amounts.values() if a or b]
    return by_file if sum(apart) * 2 > len(apart) else spaces


@kept
def owners(f: Figures, table: Table) -> tuple[str, ...]:
    """The tablespace of every row of a table.

    Text reports cut long names in File IO Stats (to 24 letters), but not in Tablespace IO Stats:
    they are completed if exactly one name begins so and no tablespace can be missing.
    """
    spaces = f.tables.get("tablespace_io")
    if "tablespace" not in {column.name for column in table.columns}:
        return tuple(map(_owner_by_name, table.texts("filename")))
    printed, width = table.texts("tablespace"), table.width("tablespace")
    if spaces is None or spaces is table or width is None or not f.complete:
        return printed
    names = spaces.texts("tablespace")
    cut = {start for start in printed if len(start) == width}.difference(names)
    begun = {start: [name for name in names if name.startswith(start)] for start in cut}
    whole = {start: full[0] for start, full in begun.items() if len(full) == 1}
    return tuple(whole.get(name, name) for name in printed) if whole else printed


def _owner_by_name(filename: str) -> str:
    """The tablespace that a file is probably of."""
    base = re.split(r"[/\\+ ]", filename.strip())[-1]
    match = next(filter(None, (kind.match(base) for kind in _FILE_NAMES)), None)
    suffix = _FILE_SUFFIX.search(base, 1)
    return (match[1] if match else base[: suffix.start()] if suffix else base).upper()


@kept
def files_lost(f: Figures) -> Missing | None:
    """Why files cannot be added up: one appears twice, or the list may lack some."""
    table = f.table("file_io")
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
    if not why and (lacking := torn(f, "file_io")):
        return lacking
    return Missing(why, lost=True) if why else None


@kept
def named_twice(f: Figures) -> frozenset[str]:
    """Tablespaces with two rows, of the same container: with other figures, or with a blank."""
    table = f.table("tablespace_io")
    names = Counter(zip(table.texts("tablespace"), table.texts("pdb_name"), strict=True))
    return table.disputes | {name for (name, _), count in names.items() if count > 1}


def unfit(f: Figures, table: Table, *columns: str) -> Missing | None:
    """Why columns have no sum: rows are missing, or a figure cannot be read, or two differ."""
    if lacking := torn(f, str(table.name)):
        return lacking
    if table.name == "tablespace_io" and (again := named_twice(f)):
        return twice(table, min(again))
    return next(filter(None, (_unfit(f, table, column) for column in columns)), None)


@kept
def _unfit(f: Figures, table: Table, column: str) -> Missing | None:
    # a file's row is named by its file; a tablespace's name is filled in
    names = table.texts("filename" if table.name in BY_FILE else "tablespace")
    nameless = [at for at, name in enumerate(names) if not name.strip(_FIGURE)]
    if nameless and any(map(table.numbers(column).__getitem__, nameless)):
        return Missing(f"{table.title} has a row of figures without a name", lost=True)
    if why_not := f.doubt(table):
        return why_not
    if table.is_plain(column):
        return None
    texts = set(table.texts(column))
    if any("#" in text and is_overflow(text) for text in texts):
        return Missing(f"{table.title} shows `####` for {column}")
    if column in COUNTS and not all(is_number(table, text) for text in texts):
        return Missing(f"{table.title} has no figure for {column} in a row", lost=True)
    return None


def is_number(table: Table, text: str) -> bool:
    """Whether a cell has a number."""
    return text[:1] not in ("", "-") and table.number_of(text, "count") is not None


def has_data(f: Figures) -> bool:
    """Whether the report has I/O by tablespace or file at all (many 19c reports do not)."""
    return by_tablespace(f) is not None


#: Oracle-managed files are in a folder of their type (Oracle ASM and OMF file names).
_TEMPFILE, _DATAFILE = "/tempfile/", "/datafile/"
_TEMP: Final = ("TEMP", "TMP")
#: Whether a name, in capitals and without its number, is that of a temporary tablespace; one is
#: asked only if the one before has no match: TEMP, TEMP2, TEMPORARY02; TEMP_SALES; PSAPTEMP. Others
#: that hold TEMP or TMP (SALES_TMP_DATA, SYSTEMPARTS) contain tables and indexes.
_TEMP_NAMES: Final = (
    lambda name: name.removesuffix("_").removesuffix("ORARY") in _TEMP,
    lambda name: name.startswith(_TEMP),
    lambda name: name.endswith(_TEMP),
)
#: A longer text is no name. # Oracle SQL Language Reference, "Database Object Names"
_LONGEST_NAME = 128
#: 8i keeps undo in rollback segments, by custom in tablespaces RBS, RLB or ROLLBACK.
_UNDO_NAME = regex(r"UNDO|ROLLBACK|(?:^|_)R(?:BS|LB)|R(?:BS|LB)\d*$", re.I)
_AUTO_NAME = regex(r"UNDO", re.I)
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


@kept
def temporary(f: Figures) -> list[Found]:
    """Temporary tablespaces among those with I/O in the report."""
    recognised = _by_tempfile(f)
    if not recognised and (counted := _by_filetype(f)):
        return [counted]
    by_file, data = files(f), set()
    if by_file is not None:  # in folders that Oracle keeps for data files
        pairs = zip(owners(f, by_file), by_file.texts("filename"), strict=True)
        data = {name for name, path in pairs if _DATAFILE in path.lower().replace("\\", "/")}
    others = [
        (name, number) for name, number in _names(f).items()
        if name not in recognised and name not in data and not _UNDO_NAME.search(name)
    ]  # fmt: skip
    for kind in _TEMP_NAMES:
        named = ((name, number) for name, number in others if kind(name.upper().rstrip(_FIGURE)))
        recognised |= {name: Found(name, BY_NAME, _proof(f, number)) for name, number in named}
        if recognised:
            break
    return list(recognised.values())


def _by_filetype(f: Figures) -> Found | None:
    """The one tablespace whose reads and writes are those of file type Temp File."""
    seconds = f.elapsed
    rates = [
        f.row_figure("io_by_filetype", "Temp File", f"{kind}_requests_per_s", "requests/s")
        for kind in ("read", "write")
    ]
    if isinstance(seconds, Missing) or not seconds.value or not f.complete:
        return None
    figures = [rate for rate in rates if isinstance(rate, Figure)]
    if len(figures) < len(rates) or sum(rate.value for rate in figures) < _LEAST_PER_S:
        return None
    sums = [amounts(f, column) for column in ("reads", "writes")]
    same = [
        name
        for name in sums[0]
        if not _UNDO_NAME.search(name)
        and all(
            abs(counts.get(name, 0.0) / seconds.value - rate.value)
            <= _ROUNDED_PER_S + _AGREE * rate.value
            for counts, rate in zip(sums, figures, strict=True)
        )
    ]
    if len(same) != 1:
        return None
    return Found(same[0], "filetype", tuple(item for rate in figures for item in rate.evidence))


def amounts(f: Figures, *columns: str) -> dict[str, float]:
    """Columns summed per tablespace."""
    sums: dict[str, float] = {}
    for column in columns:
        if (table := table_for(f, column)) is not None:
            for name, amount in zip(owners(f, table), table.numbers(column), strict=True):
                sums[name] = sums.get(name, 0) + amount
    return sums


@kept
def undo(f: Figures) -> list[Found]:
    """Undo tablespaces: the instance's own by parameter, those of others by name."""
    recognised: dict[str, Found] = {}
    parameter = f.parameter("undo_tablespace")
    names = _names(f)
    if parameter and parameter[0]:
        wanted = parameter[0].upper()
        printed = next((n for n in names if n.upper() == wanted), wanted)
        recognised[printed] = Found(printed, "init parameter undo_tablespace", (parameter[1],))
    # with automatic undo, RBS and ROLLBACK hold rollback segments that no transaction uses
    manual = (f.parameter("undo_management") or ("",))[0].upper() == "MANUAL"
    mark = _AUTO_NAME if recognised and not manual else _UNDO_NAME
    for name, number in names.items():
        if name not in recognised and mark.search(name):
            recognised[name] = Found(name, BY_NAME, _proof(f, number))
    return list(recognised.values())


def _by_tempfile(f: Figures) -> dict[str, Found]:
    table = files(f)
    recognised: dict[str, Found] = {}
    names = () if table is None else table.texts("filename")
    if table is None or "tempfile" not in "\n".join(names).lower():
        return recognised
    for number, (name, filename) in enumerate(zip(owners(f, table), names, strict=True)):
        if name and name not in recognised and _TEMPFILE in filename.lower().replace("\\", "/"):
            cell = table.rows[number].cell("filename")
            recognised[name] = Found(name, "tempfile", f.proof(cell))
    return recognised


@kept
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
    return f.proof(row.cell("tablespace") or row.cell("filename"))


def of_kind(f: Figures, what: str) -> list[Found]:
    """The tablespaces of a kind, ``temporary`` or ``undo``."""
    return temporary(f) if what == "temporary" else undo(f)


def names_fact(f: Figures, what: str) -> Answer:
    """Names as a fact, with how each was recognised in the note."""
    recognised = of_kind(f, what)
    if not recognised:
        rows_of(f, what, "reads")
        return f.missing("tablespace_io")
    note = "; ".join(f"{space.name}: {space.how}" for space in recognised)
    ways = {space.how for space in recognised}
    evidence = tuple(item for space in recognised for item in space.evidence)
    status: Status = "estimated" if BY_NAME in ways else "measured"
    status = "derived" if "filetype" in ways else status
    return text_fact(tuple(space.name for space in recognised), evidence, status, note)


def table_of(f: Figures, column: str) -> Table:
    """``table_for`` of a fact that cannot do without it."""
    return needed(table_for(f, column) or f.missing("tablespace_io"))


def rows_of(f: Figures, what: str, column: str, given: list[Found] | None = None) -> list[Row]:
    """Rows of the tablespaces of a kind, or ``given``, from the table that is reliable."""
    table = table_of(f, column)
    names = {space.name for space in (of_kind(f, what) if given is None else given)}
    rows = [table.rows[number] for number, name in enumerate(owners(f, table)) if name in names]
    spaces = rows if table.name == "tablespace_io" else ()
    again = named_twice(f) if spaces else ()
    disputed = next((row for row in spaces if row.key in again), None)
    lost = twice(table, disputed.key) if disputed is not None else None
    lost = lost or (files_lost(f) if table.name == "file_io" else torn(f, str(table.name)))
    lost = lost or f.doubt(table)
    return needed(lost or rows or Missing(f"no {what} tablespace is recognised in {table.title}"))


#: An average omits rows whose time cannot be read if they are at most this share of it.
_LEFT_OUT = 0.05


class Average(NamedTuple):
    """A weighted average in milliseconds of a count, its evidence, its formula, what it lacks."""

    ms: float
    amount: float
    evidence: tuple[Evidence, ...]
    formula: str
    note: str


@answering
def total(
    f: Figures, what: str, columns: tuple[str, ...], label: str, given: list[Found] | None = None
) -> Number:
    """Sum of some columns over the tablespaces of a kind, or over ``given``."""
    if (table := table_for(f, columns[0])) and table.name == "io_timing":
        return Missing(f"{table.title} is not of the whole interval")
    figures = [
        needed(f.figure(row.cell(column), label, Missing(f"{column} is not in the section")))
        for column in columns
        for row in rows_of(f, what, column, given)
    ]
    return add(figures, label)


#: Tablespaces of an excerpt that show their order.
LEAST_LISTED: Final = 3
MAY_LACK: Final = Missing("an excerpt may lack tablespaces")


@answering
def every(f: Figures, columns: tuple[str, ...], label: str) -> Number:
    """Sum of some columns over all tablespaces, without a page of evidence."""
    if not f.complete:
        return MAY_LACK
    return Figure(sum(needed(_sum_of(f, column)) for column in columns), label)


@kept
def _sum_of(f: Figures, column: str) -> float | Missing:
    table = table_of(f, column)
    return unfit(f, table, column) or float(sum(table.numbers(column)))


@answering
def read_time(f: Figures, label: str) -> Number:
    """Reads × their average, over all tablespaces, without a page of evidence."""
    table = table_of(f, "reads")
    if not f.complete:
        return MAY_LACK
    needed(unfit(f, table, "reads", "read_ms"))
    columns = table.numbers("reads"), table.numbers("read_ms")
    if any(reads and not ms and not is_number(table, text)
           for reads, ms, text in zip(*columns, table.texts("read_ms"), strict=True)):  # fmt: skip
        return Missing(f"{table.title} has no figure for read_ms in a row with reads", lost=True)
    return Figure(sum(reads * ms for reads, ms in zip(*columns, strict=True)), label)


def rank_fact(f: Figures, what: str, columns: tuple[str, ...]) -> Answer:
    """Rank of the busiest of some tablespaces among all, by the sum of some columns."""
    tables = [table_of(f, column) for column in columns]
    for table, column in zip(tables, columns, strict=True):
        needed(unfit(f, table, column))
    counts = amounts(f, *columns)
    # of a list with the most I/O first, an excerpt lacks those with less
    ordered = len(counts) >= LEAST_LISTED and [*counts.values()] == sorted(
        counts.values(), reverse=True
    )
    if not f.complete and not ordered:
        return MAY_LACK
    rows_of(f, what, columns[0])
    ours = (space.name for space in of_kind(f, what) if space.name in counts)
    busiest = max(ours, key=lambda name: counts[name])
    if not counts[busiest]:
        return Missing(f"no {' or '.join(columns)} are counted there")
    place = 1 + sum(amount > counts[busiest] for amount in counts.values())
    first = next(table for table in tables if busiest in owners(f, table))
    row = first.rows[owners(f, first).index(busiest)]
    listed = "" if f.complete else " listed"
    proof = f.proof(*map(row.cell, columns))
    return text_fact(place, proof, "derived", f"{busiest}, among {len(counts)}{listed}")


class ReadTime(NamedTuple):
    """Reads of a tablespace, their time, and the blocks that they read."""

    reads: float
    ms: float
    blocks: float


def read_times(f: Figures) -> dict[str, ReadTime]:
    """Reads with their time by tablespace; empty without such a table."""
    times: dict[str, ReadTime] = {}
    if (table := table_for(f, "read_ms")) is None:
        return times
    columns = map(table.numbers, ("reads", "read_ms", "blocks_per_read"))
    for name, reads, ms, blocks in zip(owners(f, table), *columns, strict=True):
        had = times.get(name, (0.0, 0.0, 0.0))
        times[name] = ReadTime(had[0] + reads, had[1] + reads * ms, had[2] + reads * blocks)
    return times


def source_note(f: Figures, columns: tuple[str, ...]) -> str:
    """The note if File IO Stats replaces Tablespace IO Stats."""
    by_file = files(f)
    doubted = [c for c in columns if table_for(f, c) is by_file]
    if by_file is None or not doubted:
        return ""
    if f.tables.get("tablespace_io") is None:
        return f"summed over {by_file.title}"
    return (
        f"{' and '.join(doubted)} in Tablespace IO Stats differ from the sum of its files; "
        "summed over File IO Stats"
    )


@answering
def weighted_ms(
    f: Figures, what: str, column: str, weight: str, *, timed: bool = True
) -> Average | Missing:
    """Average of a time column weighted by a count column, over rows that count something.

    If not all of its I/O is ``timed``, a time of 0 means untimed, and its row is omitted.
    """
    rows = _with_column(f, what, column, _counted(rows_of(f, what, weight), weight))
    parts: list[str] = []
    proof: list[Evidence] = []
    unread: list[str] = []
    total_count = total_ms = left_out = without_time = 0.0
    for row in rows:
        time, count = row.cell(column), row.cell(weight)
        amount = row.number(weight)
        if time is None or count is None or amount is None or amount <= 0:
            continue
        proof += [f.evidence(time), f.evidence(count)]
        if not timed and time.value == 0:
            without_time += amount
            continue
        longest_ms = (f.elapsed.value or inf) * 1000
        if not isinstance(time.value, int | float) or time.value > longest_ms:
            left_out += amount
            unread.append(f"{time.column} of {row.key} is `{time.text}`")
            continue
        total_ms += time.value * amount
        total_count += amount
        parts.append(f"{time.text} ms × {count.text}")
    if left_out > _LEFT_OUT * (total_count + left_out):
        return Missing(unread[0])
    if not total_count and without_time:
        return Missing(untimed(without_time, weight))
    if not total_count:
        return Missing(f"no {weight.replace('_', ' ')} are counted there")
    shown = " + ".join(parts)
    formula = f"({shown}) / {total_count:,.0f} {weight}" if len(parts) > 1 else ""
    notes = [f"{unread[0]}: its {left_out:,.0f} {weight} are omitted"] if unread else []
    notes += [untimed(without_time, weight)] if without_time else []
    mean = total_ms / total_count
    return Average(mean, total_count, tuple(proof), formula, "; ".join(notes))


def _with_column(f: Figures, what: str, column: str, rows: list[Row]) -> list[Row]:
    """The rows if their section has a column, else those of a separate table of I/O times."""
    if any(row.cell(column) is not None for row in rows):
        return rows
    ours: list[Row] = []
    if (table := f.tables.get("io_timing")) is not None:
        names = {space.name for space in of_kind(f, what)}
        # files are numbered (TEMP101, TEMP102) where only their names tell the tablespace
        pairs = zip(owners(f, table), table.rows, strict=True)
        ours = [row for name, row in pairs if row.cell(column) is not None
                and (name in names or name.rstrip("0123456789") in names)]  # fmt: skip
    old = " (reports before 12.2 have no write times)" if column == "write_ms" else ""
    return needed(ours or Missing(f"{column} is not in the section{old}"))


def _counted(rows: list[Row], column: str) -> list[Row]:
    """The rows, unless one of them cannot be weighted: its count is not a number."""
    for row in rows:
        if row.number(column) is None and (column in COUNTS or is_lost(row.text(column))):
            needed(Missing(f"{column} of {row.key} is `{row.text(column)}`"))
    return rows


def untimed(count: float, weight: str) -> str:
    """The note for I/O that is counted with a time of 0."""
    what = f"1 {weight.removesuffix('s')} is" if count == 1 else f"{count:,.0f} {weight} are"
    return f"{what} shown with 0 ms: direct I/O that is not timed"


def weighted_fact(f: Figures, what: str, column: str, weight: str, *, timed: bool = True) -> Answer:
    """``weighted_ms`` as a fact: measured for one row, derived for several."""
    result = needed(weighted_ms(f, what, column, weight, timed=timed))
    notes = (result.note, source_note(f, (weight,)))
    fact = text_fact(result.ms, result.evidence, "derived" if result.formula else "measured")
    return fact._replace(formula=result.formula, note="; ".join(filter(None, notes)))
