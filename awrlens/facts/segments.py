"""Hot tables and indexes: segments with most reads, writes and waits, tablespaces by read time.

Source: "Write Accelerator", Summary: after redo, temporary and undo writes, "hot indexes and
tables" are next. Statspack collects segment statistics from snapshot level 7 on. Physical reads of
segments are blocks, those of direct path reads included.
"""

from __future__ import annotations

import re
from math import inf
from typing import TYPE_CHECKING, Final

from awrlens.facts import host, temp
from awrlens.facts import tablespaces as ts
from awrlens.facts.answers import Answer, needed, text_fact
from awrlens.facts.counters import SINCE_10G, kept
from awrlens.facts.figures import Figures, several
from awrlens.facts.formula import Figure, Missing, add, is_lost, readable
from awrlens.facts.sections import BLOCK_SIZE, CPU, ELAPSED, FG, RESPONSE, STATS, TABLESPACES
from awrlens.facts.waits import column
from awrlens.lazy import NamedTuple, regex
from awrlens.model.fact_table import fact
from awrlens.units import is_overflow, plain

if TYPE_CHECKING:
    from collections.abc import Callable

    from awrlens.facts.formula import Number
    from awrlens.model import Fact
    from awrlens.model.comparison import Statement
    from awrlens.report.table import Row, Table

#: Number of segments that are named.
_NAMED: Final = 3
#: A segment below this share is not hot. # awrlens: a tenth
_HOT_PCT: Final = 10.0
_NOT_MOVED: Final = "those of SYS and SYSTEM, which are not moved"
_READS: Final = "segments_by_physical_reads"
_WRITES: Final = "segments_by_physical_writes"
_BUSY: Final = "segments_by_buffer_busy_waits"
_LOCKED: Final = "segments_by_row_lock_waits"


@several("names", _READS)
def hot_segments(
    f: Figures, section: str, column: str, what: str, _not: str = _NOT_MOVED
) -> Answer:
    """Segments with 10 % or more of the {what}, at most 3; not {_not}."""
    table = f.table(section)
    named = [(_name(row), row) for row in table.rows]
    rows = dict(named)
    different = {(name, row.number(column)) for name, row in named}
    if len(rows) < len(different) or not all(_is_whole(row, column) for row in rows.values()):
        return Missing(f"a row of {table.title} cannot be read, or one is there twice", lost=True)
    ranked = sorted(rows.values(), key=lambda row: -(row.number(column) or 0))
    # neither of Oracle's dictionary nor without a name (`** UNAVAILABLE **`)
    own = [row for row in ranked if row.text("owner").upper() not in _ORACLES]
    own = [row for row in own if not row.text("owner").startswith("**")]
    hot = [row for row in own[:_NAMED] if (row.number("total_pct") or 0) >= _HOT_PCT]
    if not hot:
        besides = " besides those of SYS and SYSTEM" if len(own) < len(ranked) else ""
        return Missing(f"no segment has {_HOT_PCT:g} % of the {what} in {table.title}{besides}")
    proof = f.proof(*(row.cell(name) for row in hot for name in ("object_name", column)))
    shares = "; ".join(f"{_name(row)}: {row.text('total_pct')} %" for row in hot)
    return text_fact(tuple(map(_name, hot)), proof, "measured", shares)


#: Owners of Oracle's dictionary.
_ORACLES: Final = ("SYS", "SYSTEM")


def _is_whole(row: Row, column: str) -> bool:
    numbers = (row.number(column), row.number("total_pct"))
    return bool(row.text("owner") and _name(row)) and None not in numbers


def _name(row: Row) -> str:
    parts = [row.text(column) for column in ("owner", "object_name", "subobject_name")]
    return ".".join(filter(None, parts)) if parts[1] else ""


hot_segments("io.read_segments", _READS, "physical_reads", "physical reads")
hot_segments.but(_WRITES)("io.write_segments", _WRITES, "physical_writes", "physical writes")
hot_segments.but(_BUSY)("io.busy_segments", _BUSY, "buffer_busy_waits", "buffer busy waits")
hot_segments.but(_LOCKED)("load.locked_segments", _LOCKED, "row_lock_waits", "row lock waits")


@fact("redo.source", "name", STATS, "segments_by_block_changes", "segments_by_direct_writes")
def redo_source(f: Figures) -> Answer:
    """What generates most of the redo: direct writes (LOBs, loads), or the changes of a segment."""
    direct = f.stat("redo size for direct writes", "B") * 100 / f.stat("redo size", "B redo")
    if (direct.value or 0.0) >= _HALF_PCT:
        row = _first(f, "segments_by_direct_writes", "direct_writes")
        said = f"{direct.value:.0f} % of the redo is of direct writes (LOBs, loads)"
        said += f", the most to {_name(row)}{_written_by(f)}" if row else ""
        proof = f.proof(row.cell("direct_writes")) if row else ()
        return text_fact(said, (*direct.evidence, *proof), "derived")
    row = _first(f, "segments_by_block_changes", "block_changes")
    if row is None or not _HALF_PCT <= (share := row.number("total_pct") or 0.0) <= 100:  # noqa: PLR2004 - all
        return Missing("neither direct writes nor one segment generates most of the redo")
    said = f"{_name(row)} has {share:.0f} % of the block changes, and probably most of the redo"
    return text_fact(said, f.proof(row.cell("total_pct")), "estimated")


@fact("load.built_index", "name", "segments_by_direct_writes", BLOCK_SIZE)
def built_index(f: Figures) -> Answer:
    """The index with the most direct writes of all segments: it was built or rebuilt.

    No other work writes an index directly, but for a direct load, which writes more to its table.
    """
    row = _first(f, "segments_by_direct_writes", "direct_writes")
    share = 0.0 if row is None else row.number("total_pct") or 0.0
    if row is None or "INDEX" not in row.text("object_type") or share < _HOT_PCT:
        return Missing(f"no index has the most direct writes and {_HOT_PCT:g} %")
    written = f.figure(row.cell("direct_writes"), "blocks", Missing("")) * temp.block_size(f)
    mb = needed(written / 1024 / 1024)
    built = f"index {_name(row)} of {plain(mb.value)} MB was built"
    return text_fact(_name(row), mb.evidence, "estimated", built)


def _written_by(f: Figures) -> str:
    """The SQL with most DB time, if it writes and does not just wait (AWR 11.2.0.4.0 01)."""
    ids, note = (leading := f.once(leading_sql)).value, leading.note
    row = f.tables.row(_STATEMENTS, ids[0]) if isinstance(ids, tuple) else None
    writes = row and _CHANGES.match(_text(f, row))
    waits = row is None or (row.number("cpu_pct") or 0.0) < _CPU_PCT
    by = f", probably by {note.replace(' takes ', ' (')} of DB time)"
    return by if writes and not waits else ""


@fact("redo.writing_sql", "names", "sql_by_elapsed", RESPONSE)
def writing_sql(f: Figures) -> Answer:
    """The SQL that changes data with most DB time, if it has 10 % or more."""
    for share, row in _shares(f, f.table(_STATEMENTS), "elapsed_s", f.response):
        if _HOT_PCT <= share <= _ALL_PCT and (verb := _CHANGES.match(_text(f, row))):
            note = f"SQL {_id(row)} ({verb[1].upper()}) takes {min(share, 100):.0f} %"
            return text_fact((_id(row),), f.proof(row.cell("elapsed_s")), "derived", note)
    return Missing(f"no SQL that changes data has {_HOT_PCT:g} % of DB time")


def _text(f: Figures, row: Row) -> str:
    return (f.tables.row("sql_text", _id(row)) or row).text("sql_text")


_CHANGES: Final = regex(r"\W*(insert|update|delete|merge)\b", re.I)
#: SQL that has less CPU than this waits, as for row locks. # awrlens: a tenth
_CPU_PCT: Final = 10.0


def _first(f: Figures, section: str, column: str) -> Row | None:
    """The segment with most of something, if it is not one of Oracle's dictionary."""
    table = f.tables.get(section)
    row = max(table or (), key=lambda segment: segment.number(column) or 0.0, default=None)
    if row is None or row.text("owner").upper() in _ORACLES:
        return None
    return row if _is_whole(row, column) else None


_STATEMENTS: Final = "sql_by_elapsed"
#: The same of a compare-period report, as shares.
_COMPARED: Final = "compared_sql_by_elapsed"
_HALF_PCT: Final = 50.0
#: SQL is named from this share of DB time on. # awrlens: three tenths; it can be the cause
_LEADING_PCT: Final = 30.0
#: Elapsed times of statements, which end in the interval, may be a little more than DB time.
_ALL_PCT: Final = 110.0
_PLSQL: Final = regex(r"\W*(?:begin|declare|call)\b", re.I)


def is_block(row: Row) -> bool:
    """Whether it is a PL/SQL block, which contains the SQL that it calls."""
    return bool(_PLSQL.match(row.text("sql_text")))


def _shares(f: Figures, table: Table, column: str, whole: Number) -> list[tuple[float, Row]]:
    """Statements by their share of a whole, the largest first."""
    of = needed(whole).value
    needed(f.doubt(table))
    # one that cannot be read may be the largest
    absent = (row.text(column) for row in table.rows if row.number(column) is None)
    # a compare-period report has SQL of one period only
    lost = any(is_lost(text) or not (text or table.name == _COMPARED) for text in absent)
    needed(Missing(f"{table.title} has an amount that cannot be read", lost=True) if lost else None)
    shares = [(amount * 100 / of, row) for row in table.rows
              if of and (amount := row.number(column)) and _id(row)]  # fmt: skip
    if len({_id(row) for _, row in shares}) < len(shares):
        needed(Missing(f"{table.title} has SQL twice", lost=True))
    return sorted(shares, key=lambda share: -share[0])


_WITH_SQL: Final = " (PL/SQL with its SQL)"


def _own(shares: list[tuple[float, Row]]) -> list[tuple[float, Row]]:
    """Without PL/SQL blocks, which contain others, where there are others."""
    return [share for share in shares if not is_block(share[1])] or shares


@kept
def _leading(f: Figures) -> tuple[float, Row, str] | Missing:
    """The SQL with 30 % of DB time or more, its share, and the column of its time."""
    table, column, whole = f.tables.get(_COMPARED), "elapsed_pct", Figure(100, "%")
    if table is None:
        has_db_time = f.complete and (f.release or SINCE_10G) >= SINCE_10G
        whole = needed(f.db_time if has_db_time else f.response)
        table, column = f.table(_STATEMENTS), "elapsed_s"
    shares = [share for share in _shares(f, table, column, whole) if share[0] >= _LEADING_PCT]
    if not shares:
        return Missing(f"no statement has {_LEADING_PCT:g} % of DB time")
    if shares[0][0] > _ALL_PCT:
        return Missing("a statement took longer than DB time")
    return *_own(shares)[0], column


@fact("load.leading_sql", "names", f"{_COMPARED}|{_STATEMENTS}", RESPONSE)
def leading_sql(f: Figures) -> Answer:
    """The SQL with 30 % of DB time or more; a PL/SQL block only if none of its SQL has that."""
    share, row, column = needed(_leading(f))
    text = _text(f, row).lower()
    of_awr = _WITH_SQL * is_block(row)
    of_awr += " (it creates AWR reports: nothing to tune)" * ("awr_report" in text)
    note = f"SQL {_id(row)}{of_awr} takes {min(share, 100):.0f} %"
    about = "AWR" if "awr_report" in text else "block" * is_block(row)
    sql = statements(f).get(_id(row)) if f.is_compared else None
    if sql and not about and (sql.cpu_ms or 0.0) * 100 < _CPU_PCT * (sql.each_ms or 0.0):
        about = "waits"
    return text_fact((_id(row),), f.proof(row.cell(column)), "derived", note, about)


@fact("load.leading_sql_pct", "%", f"{_COMPARED}|{_STATEMENTS}", RESPONSE)
def leading_sql_pct(f: Figures) -> Answer:
    """Share of DB time of `load.leading_sql`."""
    share, row, column = needed(_leading(f))
    return text_fact(min(share, 100.0), f.proof(row.cell(column)), "derived")


#: A few whole milliseconds of an execution are not exact enough to compare.
_FEW_MS: Final = 10
_SHARE_AND_RATE: Final = ("elapsed_pct", "execs_per_db_second")


def statements(f: Figures) -> dict[str, Statement]:
    """The SQL with most DB time."""
    from awrlens.model.comparison import Statement

    table = f.tables.get(_COMPARED) or f.tables.get(_STATEMENTS)
    gets = f.tables.get("compared_sql_by_gets") or f.tables.get("sql_by_gets")
    whole, by_id = f.response.value or 0.0, dict[str, Statement]()
    for row in table or ():
        took, cpu = (
            row.number(f"{of}_per_exec_ms") or (row.number(f"{of}_per_exec_s") or 0.0) * 1000
            for of in ("elapsed", "cpu")
        )
        seconds, number = row.number("elapsed_s"), row.number("executions")
        share = seconds * 100 / whole if seconds and whole else row.number("elapsed_pct")
        if not row.key or share is None:
            continue
        rate = row.number("execs_per_db_second") or 0.0
        printed = f.figure(row.cell("elapsed_per_exec_ms"), "ms", Missing(""))
        shares = [f.figure(row.cell(n), "", Missing("")).rounding for n in _SHARE_AND_RATE]
        if sum(shares) < printed.rounding and rate >= 0.1:  # noqa: PLR2004 - two digits
            took = share * 10 / rate
        by_time = share * whole * 10 / took if took else 0.0
        number = number or (rate * whole if rate >= 0.1 else by_time)  # noqa: PLR2004 - two digits
        if number and cpu < _FEW_MS:
            spent_s = row.number("cpu_s") or _cpu_by_share(f, row.key)
            cpu = spent_s * 1000 / number or cpu
        by_gets = None if gets is None else gets.row(row.key)
        by_id[row.key] = Statement(
            share, took or None, by_gets.number("gets_per_exec") if by_gets else None, cpu or None,
            number / f.elapsed.value if number and f.elapsed.value else None, is_block(row),
            row.number("rows_per_exec"), _like(f, row),
        )  # fmt: skip
    return by_id


_SQL: Final = f"{_COMPARED}|{_STATEMENTS}"


def _of_sequences(f: Figures, column: str, of: str) -> Answer:
    rows = f.tables.get(_COMPARED) or f.tables.get(_STATEMENTS) or ()
    for row in rows:
        if row.text("sql_text").startswith("update seq$ ") and row.key in statements(f):
            number = getattr(statements(f)[row.key], of)
            return text_fact(number, f.proof(row.cell(column)), "derived")
    return Missing("no list of SQL has `update seq$`")


@fact("load.sequence_updates_per_s", "1/s", _SQL, ELAPSED)
def sequence_updates_per_s(f: Figures) -> Answer:
    """Executions of `update seq$`, which takes the next numbers of a sequence, per second."""
    return _of_sequences(f, "execs_per_db_second" if f.is_compared else "executions", "per_s")


@fact("load.sequence_update_ms", "ms", _SQL, RESPONSE)
def sequence_update_ms(f: Figures) -> Answer:
    """Average time of `update seq$`, which takes the next numbers of a sequence."""
    return _of_sequences(f, "elapsed_pct" if f.is_compared else "elapsed_s", "each_ms")


#: Kinds of work, the lists of a compare-period report, and their columns with shares of all.
_WORK: Final = {
    "executions": ("compared_sql_by_executions", ""),
    "parses": ("compared_sql_by_parses", "parses_pct"),
    "gets": ("compared_sql_by_gets", "gets_pct"),
    "physical reads": ("compared_sql_by_reads", "reads_pct"),
}  # fmt: skip


def work(f: Figures) -> dict[str, dict[str, float]]:
    """SQL by its share of a kind of work; a PL/SQL block contains the SQL that it calls."""
    number, whole = f.stat("execute count", "executions").value, f.response.value or 0.0
    shares: dict[str, dict[str, float]] = {}
    for kind, (section, name) in _WORK.items():
        for row in f.tables.get(section) or ():
            times = row.number("executions") or (row.number("execs_per_db_second") or 0.0) * whole
            share = row.number(name) if name else times * 100 / number if number else None
            if share and row.key and not is_block(row):
                shares.setdefault(kind, {})[row.key] = share
    return shares


def _cpu_by_share(f: Figures, sql: str) -> float:
    """CPU seconds of SQL of a compare-period report, whose shares are of DB time or of its CPU."""
    table = f.tables.get("compared_sql_by_cpu")
    if table is None or (row := table.row(sql)) is None:
        return 0.0
    shares = (("db_cpu_pct", f.cpu), ("cpu_pct", f.response))  # of 11.2, of 10.2
    return max((row.number(name) or 0.0) * (whole.value or 0.0) / 100 for name, whole in shares)


#: Of a text, so much is compared; what differs in SQL that is the same.
_COMPARED_CHARS: Final = 2_000
_DIFFERS = regex(r"/\*.*?(?:\*/|\Z)|'[^']*'|\b\d+\b|\s+", re.S)


def _like(f: Figures, row: Row) -> str:
    """A digest of the complete text without what makes another SQL ID of the same SQL."""
    import hashlib  # loads OpenSSL

    whole = f.tables.row("sql_text", _id(row))
    text = whole.text("sql_text")[:_COMPARED_CHARS].lower() if whole else ""
    same = _DIFFERS.sub("", text)
    return hashlib.blake2b(same.encode(), digest_size=8).hexdigest() if same else ""


#: What SQL that searches has at least. Fewer executions may run at another time; an execution of so
#: many gets for each row searches. # awrlens: an assumption; an index finds a row with ten
_SEARCHES: Final = {"executions": 100, "gets_per_exec": 1000}
_AGGREGATE = regex(r"\W*select\s+(/\*.*?\*/\s*)?(count|sum|min|max|avg)\s*\(", re.I | re.S)
_LISTS: Final = (_STATEMENTS, "sql_by_gets", "sql_by_executions")


def _row_with(f: Figures, id_: str, lists: tuple[str, ...], name: str) -> Row | None:
    """The first row of a statement with a figure in a column; no more lists are read."""
    tables = (t for t in map(f.tables.get, lists) if t is not None and name in t.units)
    rows = (row for table in tables for row in table if _id(row) == id_)
    return next((row for row in rows if row.number(name) is not None), None)


#: The first release whose reports list SQL by CPU.
_LIST_BY_CPU: Final = (10, 2)


@kept
def _computing(f: Figures) -> tuple[Table, str, list[tuple[float, Row]]] | Missing:
    """The list of SQL by CPU, or by buffer gets, its column, and the SQL by its share of them."""
    table = f.tables.get("sql_by_cpu")
    if table is None:  # later reports that lack the list lost it
        earlier = (f.release or (0, 0)) < _LIST_BY_CPU
        table = (f.tables.get("sql_by_gets") if earlier else None) or f.table("sql_by_cpu")
    by_gets = table.name == "sql_by_gets" and not any(row.number("cpu_s") for row in table)
    column, least = ("total_pct", 2 * _HOT_PCT) if by_gets else ("cpu_s", _HOT_PCT)
    shares = _shares(f, table, column, Figure(100, "%") if by_gets else f.cpu)
    hot = _own([share for share in shares if share[0] >= least])  # no other texts are read
    own = hot or shares[:1]
    none = not hot and not by_gets and table.name == "sql_by_gets"  # another may have more CPU
    if none or not own or own[0][0] > _ALL_PCT:
        return Missing("no statement has a share of the CPU")
    return table, column, own[:_NAMED]


@fact("load.cpu_sql", "names", "sql_by_cpu|sql_by_gets", CPU)
def cpu_sql(f: Figures) -> Answer:
    """The SQL with 10 % or more of the CPU of sessions, at most 3; the note has the shares.

    A PL/SQL block contains the SQL that it calls, which is named instead if it has as much. If the
    report has no CPU of SQL, the SQL with 20 % or more of the buffer gets, which take most CPU.
    """
    table, column, own = needed(_computing(f))
    by_gets = column == "total_pct"
    of = " of the buffer gets" * by_gets
    proof = f.proof(*(row.cell(column) for _, row in own))
    if own[0][0] < _HOT_PCT * (1 + by_gets):
        note = f"no SQL takes more than {plain(own[0][0], 2)} %{of}"
        captured = table.note("captured_pct")
        if captured is not None and isinstance(pct := captured.value, float) and pct < _HALF_PCT:
            note += f", and all captured SQL {pct:.0f} %"
            proof += f.proof(captured)
        return text_fact((), proof, "derived", note, "gets" * by_gets)
    shares = ((f"SQL {_id(row)}{_WITH_SQL * is_block(row)}", pct) for pct, row in own)
    note = "; ".join(f"{sql} takes {plain(pct, 2)} %" for sql, pct in shares) + of
    ids = tuple(_id(row) for _, row in own)
    about = "gets" * by_gets or "block" * is_block(own[0][1])
    return text_fact(ids, proof, "derived", note, about)


@fact("load.cpu_sql_pct", "%", "sql_by_cpu|sql_by_gets", CPU)
def cpu_sql_pct(f: Figures) -> Answer:
    """Share of the CPU of sessions that the first of `load.cpu_sql` has; in 8i, of buffer gets."""
    _, column, ((pct, row), *_) = needed(_computing(f))
    if column == "cpu_s" and (f.release or SINCE_10G) >= SINCE_10G:
        for section in ("time_model", "instance_activity"):  # one may contradict the other
            f.table(section)
    proof = f.proof(row.cell(column))
    return text_fact(min(pct, 100.0), proof, "estimated" if column == "total_pct" else "derived")


#: Hints that choose how rows are read.
_HINTS = regex(r"/\*\+[^*]*\b(?:index|full|rule|ordered|leading|use_nl|use_hash)\b", re.I)
#: Segments of LOBs and of their indexes.
_LOBS: Final = ("SYS_LOB", "SYS_IL")


@several("name", *_LISTS, "top_sql_row_sources", "segments_by_logical_reads")
def searching(f: Figures, sql: Callable[[Figures], Fact], _which: str) -> Answer:
    """What {_which} gets if it runs often, and gets many blocks for few rows.

    Rows are not in every list. Of SQL that writes LOBs, no plan reduces the gets.
    """
    leading = sql(f)
    if not isinstance(leading.value, tuple) or not leading.value:
        return Missing(leading.note)
    by_column: dict[str, Row] = {}
    id_ = leading.value[0]
    seldom = Missing(f"{id_} runs seldom, gets few blocks for each row, or is in few lists")
    for name, least in _SEARCHES.items():
        row = _row_with(f, id_, _LISTS, name)
        if row is None or (row.number(name) or 0) < least:
            return seldom
        by_column[name] = row
    times, gets = (row.number(name) or 0.0 for name, row in by_column.items())
    row = _row_with(f, id_, _LISTS, "rows_per_exec")
    rows = None if row is None else row.number("rows_per_exec")
    needed(seldom if gets < _SEARCHES["gets_per_exec"] * max(rows or 0.0, 1.0) else None)
    text = _text(f, _row_with(f, id_, _LISTS, "gets_per_exec") or by_column["executions"])
    sampled = f.tables.get("top_sql_row_sources") or ()
    full = next((row.text("row_source") for row in sampled if row.text("sql_id") == id_), "")
    hints = ", with hints" * bool(_HINTS.search(text))
    by = f" ({full})" if full.endswith("FULL") else hints
    few = " for 1 row" if rows == 1 else "" if rows is None else f" for {plain(rows, 2)} rows"
    few *= not _AGGREGATE.match(text)  # an aggregate has one row of however many it reads
    proof = f.proof(*(row.cell(name) for name, row in by_column.items()))
    said = f"with {gets:,.0f} gets{few} per execution{by}"
    segments = f.tables.get("segments_by_logical_reads") or ()
    of_lobs = sum(row.number("logical_reads") or 0.0 for row in segments
                  if row.text("object_name").startswith(_LOBS)) * 100 / (times * gets)  # fmt: skip
    if of_lobs >= _HALF_PCT and _CHANGES.match(text):
        said += f", probably {min(of_lobs, 100):.0f} % of them of LOBs"
        return text_fact(said, proof, "estimated", f"{times:,.0f} times", "LOBs")
    return text_fact(said, proof, "measured", f"{times:,.0f} times")


searching("load.searching_sql", leading_sql, "the leading SQL")
searching("load.searching_cpu_sql", cpu_sql, "the first of `load.cpu_sql`")


@fact("load.cpu_sql_time_pct", "%", "sql_by_cpu", RESPONSE, kind="none")
def cpu_sql_time_pct(f: Figures) -> Answer:
    """Share of DB time of the first of `load.cpu_sql`."""
    _, _, ((_, row), *_) = needed(_computing(f))
    return f.figure(row.cell("elapsed_s"), "s", Missing("no elapsed time")) * 100 / f.db_time


@fact("io.scan_mb_per_s", "MB/s", "sql_by_reads", STATS, BLOCK_SIZE, ELAPSED)
def scan_mb_per_s(f: Figures) -> Answer:
    """What the SQL reads that has half of all blocks read, or more; the note names it."""
    shares = _own(
        _shares(f, f.table("sql_by_reads"), "physical_reads", f.stat("physical reads", ""))
    )
    if not shares or not _HALF_PCT <= shares[0][0] <= _ALL_PCT:
        return Missing("no statement has half of the blocks read")
    share, row = shares[0]
    read = f.figure(row.cell("physical_reads"), "blocks", Missing(""))
    most = _first(f, _READS, "physical_reads")
    of = f", {_name(most)}" if most and (most.number("total_pct") or 0) >= _HALF_PCT else ""
    note = f"SQL {_id(row)} ({min(share, 100):.0f} % of all blocks{of})"
    return (read * temp.block_size(f) / 1024 / 1024 / f.elapsed).noted(note)


#: So much of the interval is all of it. # awrlens: snapshots take seconds
_ALL_THE_TIME: Final = 0.95


@fact("load.computing_sessions", "count", "sql_by_cpu", ELAPSED)
def computing_sessions(f: Figures) -> Answer:
    """Sessions that computed all the time: CPU of SQL of which no execution ended, over the time.

    AWR 12.1.0.2.0_02 has 14, and no statement with a third of the CPU.
    """
    table, least = f.table("sql_by_cpu"), _ALL_THE_TIME * needed(f.elapsed).value
    rows = [row for row in table if row.number("executions") == 0 and not is_block(row)
            and (row.number("cpu_s") or 0.0) >= least]  # fmt: skip
    spent = add(needed(readable(column(f, table, rows, "cpu_s", "s CPU"))), "s CPU")
    return spent / f.elapsed


def _spilling(f: Figures) -> tuple[Figure, list[tuple[Row, float, float]]]:
    """The reads that are not of temp; SQL with more, its reads, and their least part of temp."""
    every = needed(f.stat("physical reads", "blocks read"))
    other = needed(every - temp.blocks_read(f))
    most = every.value * _ALL_PCT / 100  # one above is a counter that went wrong
    none = Missing("the reads of no SQL show that it reads temp")
    # not even one that has all reads: the list is not needed
    needed(none if other.value * 100 > most * (100 - _HOT_PCT) else None)
    spilling = [
        (row, reads, 100 - other.value * 100 / reads) for row in f.table("sql_by_reads").rows
        if other.value < (reads := row.number("physical_reads") or 0) <= most
        and other.value < every.value and _id(row) and not is_block(row)
    ]  # fmt: skip
    spilling = [spill for spill in spilling[:_NAMED] if spill[2] >= _HOT_PCT]
    needed(none if not spilling else None)
    return other, spilling


@several("%", "sql_by_reads", STATS, TABLESPACES)
def spilling_sql_pct(f: Figures, least: bool, _most: str) -> Number:  # noqa: FBT001 - declared so
    """Share of the reads of temp that is {_most} of `temp.reading_sql`."""
    other, spilling = _spilling(f)
    rows = [row for row, _, _ in spilling]
    cells = column(f, f.table("sql_by_reads"), rows, "physical_reads", "reads")
    own = needed(add(needed(readable(cells)), "reads"))
    return (own - other if least else own) * 100 / temp.blocks_read(f)


spilling_sql_pct("temp.reading_sql_pct", True, "at least")  # noqa: FBT003 - declared so
spilling_sql_pct("temp.reading_sql_most_pct", False, "at most, if below 100 %,")  # noqa: FBT003


@fact("temp.reading_sql", "names", "sql_by_reads", STATS, TABLESPACES)
def spilling_sql(f: Figures) -> Answer:
    """SQL that must read temp, because the other reads of the instance are fewer than its own.

    At most 3; a PL/SQL block contains the SQL that it calls, which is named instead.
    """
    _, spilling = _spilling(f)
    proof = f.proof(*(row.cell("physical_reads") for row, _, _ in spilling))
    note = "; ".join(
        f"SQL {_id(row)}: at least {pct:.0f} % of its {reads:,.0f} reads (line {cell.line}) are of "
        f"temp{_of_views(f, row)}" for (row, reads, pct), cell in zip(spilling, proof, strict=True)
    )  # fmt: skip
    return text_fact(tuple(_id(row) for row, _, _ in spilling), proof, "derived", note)


#: How SQL of DBMS_STATS is named. # compare-period report 10.2.0.4.0-rac_08
_STATISTICS: Final = "statistics job, SQL"
#: Views of Oracle on memory structures.
_VIEWS = regex(r"\b(?:g?v|x)\$\w+", re.I)


def _of_views(f: Figures, row: Row) -> str:
    """That a statement reads Oracle's own views, whose statistics are gathered apart."""
    text = _text(f, row)
    if (view := _VIEWS.search(text)) is None:
        return ""
    return f" (it reads {view[0].upper()}: gather statistics of fixed objects)"


#: Lists that rank SQL by its reads: the first that is printed decides. What a share is of.
_READERS: Final = {
    "compared_sql_by_reads": ("reads_pct", "physical reads"),
    "sql_by_user_io": ("total_pct", "User I/O wait time"),
    "sql_by_reads": ("total_pct", "physical reads"),
}


#: What an execution takes at most for a row, or for none, where tuning gains nothing; the first
#: that is printed decides. # awrlens: three levels of each index of an insert; an index and a table
_LEAN: Final = (("gets_per_exec", 20.0), ("reads_per_exec", 2.0))


#: SQL that wastes reads comes before SQL with more that wastes none, from this part of its share.
#: # awrlens: a third; compare-period report 10.2.0.4.0-rac_07 has 11 and 61 %
_MUCH_OF_LARGEST: Final = 1 / 3


def _is_lean(f: Figures, id_: str) -> bool:
    """Whether a statement has much of the reads only because it runs often."""
    lists = (*_READERS, *_LISTS, _COMPARED, "compared_sql_by_gets")
    for name, most in _LEAN:
        if (row := _row_with(f, id_, lists, name)) is not None:
            blocks = row.number(name) or 0.0
            other = _row_with(f, id_, lists, "rows_per_exec") if blocks > most else None
            rows = None if other is None else other.number("rows_per_exec")
            return blocks <= most * max(rows or 0.0, 1.0)
    return False


def besides_cpu(row: Row) -> float | None:
    """Elapsed seconds of a statement without its CPU."""
    spent_s, cpu_s, pct = map(row.number, ("elapsed_s", "cpu_s", "cpu_pct"))
    if spent_s is None or (cpu_s is None and pct is None):
        return None
    return spent_s - (spent_s * (pct or 0.0) / 100 if cpu_s is None else cpu_s)


def _read_times(f: Figures, table: Table) -> list[tuple[float, float, Row]]:
    """SQL by what its reads take on average, in per cent of the read time, with the upper bound.

    Elapsed time without CPU and cluster waits can be reads. Empty if the list has no such times, or
    one of them cannot be read: it may be the longest.
    """
    compared = table.name == "compared_sql_by_reads"
    if f.session_list is None or not (compared or table.name == "sql_by_reads"):
        return []
    times = [time_s for row in table.rows if (time_s := besides_cpu(row)) is not None]
    of_all, column = 1.0, "physical_reads"
    if compared:
        times, column = _compared_times(f, table), "reads_pct"
        of_all = (f.stat("physical reads", "blocks read").value or 0.0) / 100
    reads = [(row.number(column) or 0.0) * of_all for row in table.rows]
    if not times or len(times) < len(table.rows):
        return []
    whole, waits = (
        needed(f.of_sessions(label, *host.DATA_READS)).value for label in ("s", "waits")
    )
    shares = []
    for besides_s, blocks, row in (
        zip(times, reads, table.rows, strict=True) if whole and waits else ()
    ):
        of_cluster = f.tables.row("sql_by_cluster_wait", row.key)
        cluster_s = of_cluster.number("cluster_wait_s") or 0.0 if of_cluster else 0.0
        most = (besides_s - cluster_s) * 100 / whole
        usual = blocks * 100 / waits
        shares.append((min(most, usual), min(most, 100.0), row))
    return shares


def _compared_times(f: Figures, table: Table) -> list[float]:
    """Seconds without CPU of the SQL of a compare-period report; at most those of the last listed.

    Report 10.2.0.4.0-rac_07: SQL with most reads, of many blocks each, waits a tenth of the time.
    """
    listed = statements(f)
    shares = {
        id_: sql.share_pct * (1 - (sql.cpu_ms or 0.0) / sql.each_ms if sql.each_ms else 1)
        for id_, sql in listed.items()
    }
    least = min((sql.share_pct for sql in listed.values()), default=100.0)
    seconds = [shares.get(row.key, least) * (f.response.value or 0.0) / 100 for row in table.rows]
    # such reports have no cluster waits of SQL: what takes longer than all reads waits otherwise
    most_s = needed(f.of_sessions("s", *host.DATA_READS)).value
    return [time_s if time_s <= most_s else 0.0 for time_s in seconds]


@fact("io.leading_sql", "name", "|".join(_READERS), STATS, TABLESPACES, FG)
def reading_sql(f: Figures) -> Answer:
    """The SQL that waits most for reads, if 10 % or more; not one that reads temp.

    By its waits for I/O, or its elapsed time without CPU and cluster waits; by its reads only if no
    times are in the report, and more than those of temp, which may all be its own: a share above
    100 % is a counter that went wrong. Of a PL/SQL block,
    the SQL that it calls. One that needs few blocks for each row is named only if no other has a
    third of its share: fewer executions help.
    """
    name = next((section for section in _READERS if f.tables.get(section)), "sql_by_reads")
    (column, of), table = _READERS[name], f.table(name)
    if any(row.number(column) is None and is_lost(row.text(column)) for row in table.rows):
        return Missing(f"a share of {of} cannot be read", lost=True)
    if times := _read_times(f, table):
        column, of = ("elapsed_s" if name == "sql_by_reads" else column), "read time"
    blocks = [(part, part, row) for row in table.rows if (part := row.number(column))]
    ranked = [sql for sql in times or blocks
              if _HOT_PCT <= sql[0] <= (inf if times else _ALL_PCT) and _id(sql[2])]  # fmt: skip
    own = [sql for sql in ranked if not is_block(sql[2])] or ranked
    spilling = spilling_sql(f).value
    own = [sql for sql in own if not isinstance(spilling, tuple) or _id(sql[2]) not in spilling]
    if of == "physical reads":
        in_temp = temp.blocks_read(f) * 100 / f.stat("physical reads", "blocks read")
        own = [sql for sql in own if sql[0] > (in_temp.value or 0.0)]
    if not own:
        return Missing(f"no statement has {_HOT_PCT:g} % of {of}, or these may be of temp")
    # random reads of one take longer than the average of all: its own time decides
    largest = max(sql[1] for sql in own)
    much = [sql for sql in own if sql[1] >= largest * _MUCH_OF_LARGEST]
    wasteful = [sql for sql in much if not _is_lean(f, _id(sql[2]))]
    pct, most, row = max(wasteful or own, key=lambda sql: sql[1])
    bound = f"{pct:.0f} to " if round(pct) < round(most) else "up to "
    share = f"{bound if times else ''}{most:.0f} % of {of}"
    text = _text(f, row).lower()
    kind = _STATISTICS if "dbms_stats" in text else "PL/SQL" if is_block(row) else "SQL"
    sql = f"{'' if wasteful else 'fewer executions of '}{kind} {_id(row)}"
    return text_fact(sql, f.proof(row.cell(column)), "derived" if times else "measured", share)


#: So many statements are one consumer where one program runs them. # awrlens: an assumption
_MANY: Final = 3


@fact("io.leading_module", "name", "|".join(_READERS))
def reading_module(f: Figures) -> Answer:
    """The module whose SQL together waits most for reads, if 20 % or more, and no statement leads.

    By the list of `io.leading_sql`; a share above 100 % is a counter that went wrong, and a PL/SQL
    block contains the SQL that it calls.
    """
    needed(Missing("one statement leads (`io.leading_sql`)") if f.once(reading_sql).value else None)
    name = next((section for section in _READERS if f.tables.get(section)), "sql_by_reads")
    column, of = _READERS[name]
    shares: dict[str, list[tuple[float, Row]]] = {}
    for row in f.table(name).rows:
        if 0 < (share := row.number(column) or 0.0) <= 100 and not is_block(row):  # noqa: PLR2004 - all
            shares.setdefault(row.text("module"), []).append((share, row))
    shares.pop("", None)
    sums = ((sum(share for share, _ in own), module) for module, own in shares.items())
    pct, module = max(sums, default=(0.0, ""))
    if not 2 * _HOT_PCT <= pct <= _ALL_PCT or len(own := shares[module]) < _MANY:
        return Missing(f"no module has {2 * _HOT_PCT:g} % of {of} in many statements")
    most, row = max(own, key=lambda sql: sql[0])
    note = f"{len(own)} statements have {pct:.0f} % of {of}, the largest, {_id(row)}, {most:.1f} %"
    return text_fact(module, f.proof(*(sql.cell(column) for _, sql in own)), "derived", note)


def _id(row: Row) -> str:
    return row.key or row.text("hash_value")


#: Maximum share of reads without a time at which the others are still ranked by their times.
_UNTIMED: Final = 0.5
#: The same for reads whose time does not fit its column.
_OVERFLOWING: Final = 0.05


class _Reads(NamedTuple):
    """The read times of one tablespace, in its rows."""

    rows: list[int]
    seconds: float
    #: Reads that are counted with 0 ms or without a time.
    untimed: float
    #: Reads whose time does not fit its column.
    overflowing: float


@fact("io.read_tablespaces", "names", TABLESPACES)
def read_tablespaces(f: Figures) -> Answer:
    """Tablespaces with 10 % or more of the read time (reads × Av Rd(ms)), at most 3."""
    table = needed(_with_times(f))
    spaces = _by_tablespace(f, table)
    whole_s = sum(space.seconds for space in spaces.values())
    reads, lost_reads = sum(table.numbers("reads")), sum(space.untimed for space in spaces.values())
    if not whole_s or lost_reads > _UNTIMED * reads:
        why = ts.untimed(lost_reads, "reads") if lost_reads else "no reads are counted there"
        return Missing(why)
    overflowing = sum(space.overflowing for space in spaces.values())
    if overflowing > _OVERFLOWING * reads:  # long times: these tablespaces may be the hottest
        why = f"{table.title} shows `####` for the time of {overflowing:,.0f} reads"
        return Missing(why, lost=True)
    ranked = sorted(spaces, key=lambda name: -spaces[name].seconds)
    hot = [name for name in ranked[:_NAMED] if spaces[name].seconds * 100 >= _HOT_PCT * whole_s]
    if not hot:
        return Missing(f"no tablespace has {_HOT_PCT:g} % of the read time in {table.title}")
    proof = f.proof(*(
        table.rows[number].cell(column)
        for name in hot for number in spaces[name].rows for column in ("reads", "read_ms")
    ))  # fmt: skip
    times = ((name, spaces[name].seconds) for name in hot)
    notes = [", ".join(f"{name}: {s:,.0f} s ({s * 100 / whole_s:.0f} %)" for name, s in times)]
    if overflowing:
        notes.append(f"`####`: the time of {overflowing:,.0f} other reads does not fit its column")
    if lost_reads >= _HOT_PCT / 100 * reads:
        notes.append(ts.untimed(lost_reads, "reads"))
    return text_fact(tuple(hot), proof, "derived", "; ".join(notes))


def _with_times(f: Figures) -> Table | Missing:
    """The table of reads and their times, if no figure in it is lost."""
    table = ts.table_of(f, "reads")
    if not f.complete:
        return ts.MAY_LACK
    if table.name == "io_timing":
        return Missing(f"{table.title} is not of the whole interval")
    if not any(table.texts("read_ms")):
        return Missing("read_ms is not in the section")
    needed(ts.unfit(f, table, "reads"))
    width = table.width("tablespace") if table.name == "file_io" else None
    lengths = {len(name) for name in table.texts("tablespace")}
    if f.tables.get("tablespace_io") is None and width in lengths:
        return Missing(f"{table.title} cuts names of tablespaces")
    unread = f"{table.title} has no figure for read_ms in a row with reads"
    for row in () if table.is_plain("read_ms") else table.rows:
        text = row.text("read_ms")
        is_timed = row.value("read_ms") is not None or is_overflow(text)  # `####` is a long time
        if row.number("reads") and not is_timed and (not text or is_lost(text)):
            return Missing(unread, lost=True)
    return table


def _by_tablespace(f: Figures, table: Table) -> dict[str, _Reads]:
    """The read times of every tablespace that is not temporary."""
    temporary = {space.name for space in ts.temporary(f)}
    names = ts.owners(f, table)
    spaces: dict[str, _Reads] = {}
    columns = table.numbers("reads"), table.numbers("read_ms"), table.texts("read_ms")
    for number, (name, reads, ms, text) in enumerate(zip(names, *columns, strict=True)):
        if not reads or name in temporary:
            continue
        # pluggable databases may have tablespaces of one name
        container = table.rows[number].text("pdb_name")
        shown = f"{name} of {container}" if container else name
        had = spaces.get(shown, _Reads([], 0.0, 0.0, 0.0))
        overflows = is_overflow(text)
        spaces[shown] = _Reads(
            [*had.rows, number], had.seconds + reads * ms / 1000,
            had.untimed + (0.0 if ms or overflows else reads),
            had.overflowing + (reads if overflows else 0.0),
        )  # fmt: skip
    return spaces


@fact("io.direct_read_pct", "%", STATS)
def direct_read_pct(f: Figures) -> Answer:
    """Share of direct path reads in the blocks read, without those of temporary segments."""
    direct = f.stat("physical reads direct", "blocks read directly")
    every = f.stat("physical reads", "blocks read")
    temp = f.stat("physical reads direct temporary tablespace", "temporary")
    if temp.lost:
        return temp
    if isinstance(temp, Missing):
        return (direct * 100 / every).estimated("with those of temporary segments")
    if direct.value is not None and direct.value < temp.value:
        return Missing("fewer blocks are read directly than from temporary segments")
    return ((direct - temp) * 100 / (every - temp)).citing(direct, every)


#: AWR lists so many segments, or all; shares are rounded.
_MOST_LISTED: Final = 5
_WHOLE_PCT: Final = 99


@fact("temp.with_pct", "%", "segments_by_block_changes")
def with_pct(f: Figures) -> Answer:
    """Share of materialized WITH subqueries (`SYS_TEMP_…`) in the block changes of segments."""
    table = f.table("segments_by_block_changes")
    if f.complete and len(table) < _MOST_LISTED and sum(table.numbers("total_pct")) < _WHOLE_PCT:
        return Missing(f"{table.title} is torn: it lacks segments", lost=True)
    rows = [row for row in table if row.text("object_name").startswith("SYS_TEMP_")]
    return add(needed(readable(column(f, table, rows, "total_pct", "% SYS_TEMP_…"))), "%")
