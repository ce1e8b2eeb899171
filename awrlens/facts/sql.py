"""SQL: what uses most of DB time, CPU, buffer gets and reads, and what tuning can change of it.

A PL/SQL block contains the SQL that it calls, which is named instead if it has as much. SQL that
differs only in literals is one statement. Source: Oracle Database SQL Tuning Guide, "SQL
Performance Fundamentals"; the lists of SQL that a report prints are of SQL over their thresholds.
"""

from __future__ import annotations

import re
from collections import Counter
from math import inf
from typing import TYPE_CHECKING, Final

from awrlens.facts import host, temp
from awrlens.facts.answers import Answer, needed, text_fact
from awrlens.facts.counters import SINCE_10G, kept
from awrlens.facts.figures import Figures, several
from awrlens.facts.formula import Figure, Missing, add, is_lost, readable, value_of
from awrlens.facts.sections import BLOCK_SIZE, CPU, ELAPSED, FG, RESPONSE, STATS, TABLESPACES
from awrlens.facts.segments import HOT_PCT, NAMED, READS, first, name_of
from awrlens.facts.waits import column
from awrlens.lazy import NamedTuple, regex
from awrlens.model.fact_table import fact
from awrlens.oracle.statements import DIFFERS
from awrlens.units import plain

if TYPE_CHECKING:
    from collections.abc import Callable

    from awrlens.facts.formula import Number
    from awrlens.model import Evidence, Fact
    from awrlens.model.comparison import Statement
    from awrlens.model.fact import Status
    from awrlens.report.table import Row, Table

_STATEMENTS: Final = "sql_by_elapsed"
#: The same of a compare-period report, as shares.
_COMPARED: Final = "compared_sql_by_elapsed"
_CPU_COMPARED: Final = "compared_sql_by_cpu"
_OF_PERIODS: Final = "compared_"
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
    blank = str(table.name).startswith(_OF_PERIODS)
    lost = any(is_lost(text) or not (text or blank) for text in absent)
    needed(Missing(f"{table.title} has an amount that cannot be read", lost=True) if lost else None)
    shares = [(amount * 100 / of, row) for row in table.rows
              if of and (amount := row.number(column)) and _id(row)]  # fmt: skip
    if len({_id(row) for _, row in shares}) < len(shares):
        needed(Missing(f"{table.title} has SQL twice", lost=True))
    return sorted(shares, key=lambda share: -share[0])


_WITH_SQL: Final = " (PL/SQL with its SQL)"


class _Sql(NamedTuple):
    """A statement with its share; ``alike`` are the rows that differ from it only in literals."""

    pct: float
    row: Row
    alike: tuple[Row, ...] = ()

    @property
    def words(self) -> str:
        """Its name, and how many others are counted with it."""
        others = f" with {len(self.alike)} that differ only in literals" if self.alike else ""
        return f"SQL {_id(self.row)}{_WITH_SQL * is_block(self.row)}{others}"


#: Smaller statements are not added up with others. # awrlens: a fiftieth
_ADDED_PCT: Final = 2.0
#: Texts of which so much is equal are compared.
_BEGIN: Final = 24


def _own(f: Figures, shares: list[tuple[float, Row]], least: float) -> list[_Sql]:
    """Statements with this share or more, those that differ only in literals as one.

    PL/SQL blocks, which contain others, only where there are no others. Statspack 8.1.7.4.1_01: one
    query three times has 27 % of the buffer gets.
    """
    large = [share for share in shares if share[0] >= _ADDED_PCT]
    begins = [row.text("sql_text")[:_BEGIN] for _, row in large]
    alike = Counter(begins)
    texts = [_text(f, row)[:_COMPARED_CHARS].lower() if alike[begin] > 1 else ""
             for begin, (_, row) in zip(begins, large, strict=True)]  # fmt: skip
    groups: dict[str, list[tuple[float, Row]]] = {}
    for text, share in zip(texts, large, strict=True):
        # the rest of equal texts, which are cut, is not known
        whole = text and texts.count(text) == 1 and not is_block(share[1])
        same = DIFFERS.sub("", text) if whole else ""
        groups.setdefault(same or _id(share[1]), []).append(share)
    added = [
        _Sql(sum(pct for pct, _ in group), group[0][1], tuple(row for _, row in group[1:]))
        for group in groups.values()
    ]
    own = sorted((sql for sql in added if sql.pct >= least), key=lambda sql: -sql.pct)
    return [sql for sql in own if not is_block(sql.row)] or own


@kept
def _leading(f: Figures) -> tuple[_Sql, str] | Missing:
    """The SQL with 30 % of DB time or more, and the column of its time."""
    table, column, whole = f.tables.get(_COMPARED), "elapsed_pct", Figure(100, "%")
    if table is None:
        has_db_time = f.complete and (f.release or SINCE_10G) >= SINCE_10G
        whole = needed(f.db_time if has_db_time else f.response)
        if f.two_clocks():  # of the two, the smaller: AWR 11.2.0.2.0_02, 5,660 and 2,694 s
            whole = min(whole, needed(f.stat("DB time", "cs") / 100), key=value_of)
        table, column = f.table(_STATEMENTS), "elapsed_s"
    shares = _shares(f, table, column, whole)
    if shares and shares[0][0] > _ALL_PCT:
        return Missing("a statement took longer than DB time")
    own = _own(f, shares, _LEADING_PCT)
    return (own[0], column) if own else Missing(f"no statement has {_LEADING_PCT:g} % of DB time")


@fact("load.leading_sql", "names", f"{_COMPARED}|{_STATEMENTS}", RESPONSE)
def leading_sql(f: Figures) -> Answer:
    """The SQL with 30 % of DB time or more; a PL/SQL block only if none of its SQL has that."""
    sql, column = needed(_leading(f))
    row, text = sql.row, _text(f, sql.row).lower()
    of_awr = " (it creates AWR reports: nothing to tune)" * ("awr_report" in text)
    took = f"{min(sql.pct, 100):.0f} %"
    if f.two_clocks():  # shares are not reliable
        took = f"{sum(same.number(column) or 0.0 for same in (row, *sql.alike)):,.0f} s"
    note = f"{sql.words}{of_awr} takes {took}"
    about = "AWR" if "awr_report" in text else "block" * is_block(row)
    each = statements(f).get(_id(row)) if f.is_compared else None
    if each and not about and (each.cpu_ms or 0.0) * 100 < _CPU_PCT * (each.each_ms or 0.0):
        about = "waits"
    return text_fact((_id(row),), _proof(f, column, sql), "derived", note, about)


def _proof(f: Figures, column: str, *of: _Sql) -> tuple[Evidence, ...]:
    return f.proof(*(row.cell(column) for sql in of for row in (sql.row, *sql.alike)))


@fact("load.leading_sql_pct", "%", f"{_COMPARED}|{_STATEMENTS}", RESPONSE)
def leading_sql_pct(f: Figures) -> Answer:
    """Share of DB time of `load.leading_sql`."""
    sql, column = needed(_leading(f))
    pct = sql.pct
    if f.two_clocks():  # the larger DB time is the base of all shares
        pct = sum(row.number(column) or 0.0 for row in (sql.row, *sql.alike)) * 100
        pct /= needed(f.response).value
    return text_fact(min(pct, 100.0), _proof(f, column, sql), "derived")


#: So many child cursors are searched at each parse. # awrlens: a hundred
_MANY_CURSORS: Final = 100


@fact("load.leading_sql_versions", "count", "sql_by_version_count", _STATEMENTS, RESPONSE)
def leading_sql_versions(f: Figures) -> Answer:
    """Child cursors of `load.leading_sql`, if many: AWR 11.2.0.2.0_02 has 4,056."""
    sql, _ = needed(_leading(f))
    row = f.tables.row("sql_by_version_count", _id(sql.row))
    if row is None or (row.number("versions") or 0) < _MANY_CURSORS:
        return Missing("the SQL with most DB time does not have many child cursors")
    return f.figure(row.cell("versions"), "child cursors", Missing(""))


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
        counted = row
        if f.is_compared:  # 10.2 prints executions in other lists
            counted = _row_with(f, row.key, _EXECUTIONS, "executions") or row
        seconds, number = row.number("elapsed_s"), counted.number("executions")
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
#: Lists of a compare-period report with numbers of executions.
_EXECUTIONS: Final = (_COMPARED, "compared_sql_by_gets", "compared_sql_by_reads")


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


_NEXT = regex(r"([\w$#]+(?:\.[\w$#]+)?)\.nextval\b", re.I)


@fact("load.sequences", "names", _SQL)
def sequences(f: Figures) -> Answer:
    """The sequences that the SQL with most DB time takes numbers from, at most 2."""
    rows = f.tables.get(_COMPARED) or f.tables.get(_STATEMENTS) or ()
    own = ((_NEXT.search(_text(f, row)), row) for row in rows if row.key and not is_block(row))
    taken = [*{name[1]: row for name, row in own if name}.items()][:2]
    needed(None if taken else Missing("no SQL in the list takes numbers of a sequence"))
    column = "elapsed_pct" if f.is_compared else "elapsed_s"
    proof = f.proof(*(row.cell(column) for _, row in taken))
    return text_fact(tuple(name for name, _ in taken), proof, "measured")


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
            times, rate = row.number("executions"), row.number("execs_per_db_second")
            times = rate * whole if times is None and rate is not None else times
            share = row.number(name) if name else times * 100 / number if number and times else None
            # 0.00 of a period is a little of it, and not none
            if share is not None and row.key and not is_block(row):
                shares.setdefault(kind, {})[row.key] = share
    return shares


def _cpu_by_share(f: Figures, sql: str) -> float:
    """CPU seconds of SQL of a compare-period report, whose shares are of DB time or of its CPU."""
    table = f.tables.get("compared_sql_by_cpu")
    if table is None or (row := table.row(sql)) is None:
        return 0.0
    shares = (("db_cpu_pct", f.cpu), ("cpu_pct", f.response))  # of 11.2, of 10.2
    return max((row.number(name) or 0.0) * (whole.value or 0.0) / 100 for name, whole in shares)


#: Of a text, so much is compared.
_COMPARED_CHARS: Final = 2_000


def _like(f: Figures, row: Row) -> str:
    """A digest of the complete text without what makes another SQL ID of the same SQL."""
    import hashlib  # loads OpenSSL

    whole = f.tables.row("sql_text", _id(row))
    text = whole.text("sql_text")[:_COMPARED_CHARS].lower() if whole else ""
    same = DIFFERS.sub("", text)
    return hashlib.blake2b(same.encode(), digest_size=8).hexdigest() if same else ""


#: What SQL that searches has at least. Fewer executions may run at another time; so many gets are
#: not of indexes alone. # awrlens: an assumption; an index finds a row with ten
_SEARCHES: Final = {"executions": 100, "gets_per_exec": 1000}
_AGGREGATE = regex(r"\W*select\s+(/\*.*?\*/\s*)?(count|sum|min|max|avg)\s*\(", re.I | re.S)
_LISTS: Final = (_STATEMENTS, "sql_by_gets", "sql_by_executions",
    _COMPARED, "compared_sql_by_gets", _CPU_COMPARED)  # fmt: skip


def _row_with(f: Figures, id_: str, lists: tuple[str, ...], name: str) -> Row | None:
    """The first row of a statement with a figure in a column; no more lists are read."""
    for table in map(f.tables.get, lists):
        if table is not None and name in table.units:
            # Statspack names SQL by its hash value, which is not the key
            row = table.row(id_) or next((row for row in table if _id(row) == id_), None)
            if row is not None and row.number(name) is not None:
                return row
    return None


#: The first release whose reports list SQL by CPU.
_LIST_BY_CPU: Final = (10, 2)


def _by_cpu(f: Figures) -> tuple[Table, str, Number]:
    """The list of SQL by CPU, or by buffer gets, its column of amounts, and what they are of."""
    if f.is_compared:  # of 11.2, of 10.2
        table = f.table(_CPU_COMPARED)
        of_cpu = any(row.number("db_cpu_pct") is not None for row in table)
        whole = Figure(100, "%") if of_cpu else f.cpu * 100 / f.response
        return table, "db_cpu_pct" if of_cpu else "cpu_pct", whole
    by_cpu = f.tables.get("sql_by_cpu")
    if by_cpu is None and (f.release or (0, 0)) < _LIST_BY_CPU:  # later reports lost it
        by_cpu = f.tables.get("sql_by_gets")
    table = by_cpu or f.table("sql_by_cpu")
    if table.name == "sql_by_gets" and not any(row.number("cpu_s") for row in table):
        return table, _BY_GETS, Figure(100, "%")
    return table, "cpu_s", f.cpu


#: SQL with a smaller share of the buffer gets is not named. # awrlens: gets are not all of the CPU
_GETS_PCT: Final = 15.0
#: The column of shares of the buffer gets.
_BY_GETS: Final = "total_pct"


@kept
def _computing(f: Figures) -> tuple[Table, str, list[_Sql]] | Missing:
    """The list of SQL by CPU, or by buffer gets, its column, and the SQL by its share of them."""
    table, column, whole = _by_cpu(f)
    shares = _shares(f, table, column, whole)
    hot = _own(f, shares, _GETS_PCT if column == _BY_GETS else HOT_PCT)
    own = hot or [_Sql(*share) for share in shares[:1]]
    # another may have more CPU
    none = not hot and table.name == "sql_by_gets" and column != _BY_GETS
    if none or not own or own[0].pct > _ALL_PCT:
        return Missing("no statement has a share of the CPU")
    return table, column, own[:NAMED]


_CPU_LISTS: Final = f"{_CPU_COMPARED}|sql_by_cpu|sql_by_gets"


@fact("load.cpu_sql", "names", _CPU_LISTS, CPU)
def cpu_sql(f: Figures) -> Answer:
    """The SQL with 10 % or more of the CPU of sessions, at most 3; the note has the shares.

    A PL/SQL block contains the SQL that it calls, which is named instead if it has as much. If the
    report has no CPU of SQL, the SQL with 15 % or more of the buffer gets, which take most CPU.
    """
    table, column, own = needed(_computing(f))
    by_gets = column == _BY_GETS
    of = " of the buffer gets" * by_gets
    proof = _proof(f, column, *own)
    if own[0].pct < (_GETS_PCT if by_gets else HOT_PCT):
        note = f"no SQL takes more than {plain(own[0].pct, 2)} %{of}"
        captured = table.note("captured_pct")
        if captured is not None and isinstance(pct := captured.value, float) and pct < _HALF_PCT:
            note += f", and all captured SQL {pct:.0f} %"
            proof += f.proof(captured)
        return text_fact((), proof, "derived", note, "gets" * by_gets)
    note = "; ".join(f"{sql.words} takes {plain(sql.pct, 2)} %" for sql in own) + of
    ids = tuple(_id(sql.row) for sql in own)
    about = "gets" * by_gets or "block" * is_block(own[0].row)
    return text_fact(ids, proof, "derived", note, about)


@fact("load.cpu_sql_pct", "%", _CPU_LISTS, CPU)
def cpu_sql_pct(f: Figures) -> Answer:
    """Share of the CPU of sessions that the first of `load.cpu_sql` has; in 8i, of buffer gets."""
    _, column, (sql, *_) = needed(_computing(f))
    if column == "cpu_s" and (f.release or SINCE_10G) >= SINCE_10G:
        for section in ("time_model", "instance_activity"):  # one may contradict the other
            f.table(section)
    status: Status = "estimated" if column == _BY_GETS else "derived"
    return text_fact(min(sql.pct, 100.0), _proof(f, column, sql), status)


#: Hints that choose how rows are read.
_HINTS = regex(r"/\*\+[^*]*\b(?:index|full|rule|ordered|leading|use_nl|use_hash)\b", re.I)
#: Segments of LOBs and of their indexes.
_LOBS: Final = ("SYS_LOB", "SYS_IL")


def _searches(f: Figures, id_: str) -> Fact | Missing:
    """What a statement gets if it runs often, and gets many blocks for few rows.

    Rows are not in every list. Of SQL that writes LOBs, no plan reduces the gets.
    """
    seldom = Missing(f"{id_} runs seldom, gets few blocks for each row, or is in few lists")
    often, name, factor = _row_with(f, id_, _LISTS, "executions"), "executions", 1.0
    if often is None:  # a compare-period report of 10.2
        name, factor = "execs_per_db_second", f.response.value or 0.0
        often = _row_with(f, id_, _LISTS, name)
    each = _row_with(f, id_, _LISTS, "gets_per_exec")
    if often is None or each is None:
        return seldom
    times, gets = (often.number(name) or 0.0) * factor, each.number("gets_per_exec") or 0.0
    if times < _SEARCHES["executions"] or gets < _SEARCHES["gets_per_exec"]:
        return seldom
    row = _row_with(f, id_, _LISTS, "rows_per_exec")
    rows = None if row is None else row.number("rows_per_exec")
    if gets <= _LEAN["gets_per_exec"] * max(rows or 0.0, 1.0):
        return seldom
    text = _text(f, each)
    sampled = f.tables.get("top_sql_row_sources") or ()
    full = next((row.text("row_source") for row in sampled if row.text("sql_id") == id_), "")
    hints = ", with hints" * bool(_HINTS.search(text))
    by = f" ({full})" if full.endswith("FULL") else hints
    few = " for 1 row" if rows == 1 else "" if rows is None else f" for {plain(rows, 2)} rows"
    few *= not _AGGREGATE.match(text)  # an aggregate has one row of however many it reads
    proof = f.proof(often.cell(name), each.cell("gets_per_exec"))
    said = f"with {gets:,.0f} gets{few} per execution{by}"
    segments = f.tables.get("segments_by_logical_reads") or ()
    of_lobs = sum(row.number("logical_reads") or 0.0 for row in segments
                  if row.text("object_name").startswith(_LOBS)) * 100 / (times * gets)  # fmt: skip
    if of_lobs >= _HALF_PCT and _CHANGES.match(text):
        said += f", probably {min(of_lobs, 100):.0f} % of them of LOBs"
        return text_fact(said, proof, "estimated", f"{times:,.0f} times", "LOBs")
    return text_fact(said, proof, "measured", f"{times:,.0f} times")


@several("name", *_LISTS, "top_sql_row_sources", "segments_by_logical_reads")
def searching(f: Figures, sql: Callable[[Figures], Fact], _which: str) -> Answer:
    """What {_which} gets if it runs often, and gets many blocks for few rows."""
    leading = sql(f)
    if not isinstance(leading.value, tuple) or not leading.value:
        return Missing(leading.note)
    return _searches(f, leading.value[0])


searching("load.searching_sql", leading_sql, "the leading SQL")
searching("load.searching_cpu_sql", cpu_sql, "the first of `load.cpu_sql`")


#: SQL of this share of DB time is named although its gets are few or not known, if it computes: AWR
#: 10.2.0.4.0-rac_02, XML functions with 26 %. # awrlens: as of gets
_LARGE_PCT: Final = 15.0


@kept
def _costly(f: Figures) -> list[tuple[float, Row, str]] | Missing:
    """SQL, not the leading one, with 10 % of DB time that searches, or 15 % of it; at most 3."""
    leading = f.once(leading_sql).note
    costly: list[tuple[float, Row, str]] = []
    for share, row in _shares(f, f.table(_STATEMENTS), "elapsed_s", f.response):
        if share < HOT_PCT or len(costly) == NAMED:
            break
        for name in _LISTS[1:3]:
            f.table(name)  # without one of them, any SQL may need few gets
        if share > _ALL_PCT or is_block(row) or f"SQL {_id(row)}" in leading:
            continue
        search, spent_s = _searches(f, _id(row)), row.number("elapsed_s") or 0.0
        waited_s, times = besides_cpu(row), row.number("executions") or 0.0
        computes = waited_s is not None and spent_s - waited_s >= spent_s * HOT_PCT / 100
        if not isinstance(search, Missing):
            costly += [(share, row, str(search.value).removeprefix("with "))] * (not search.about)
        elif share >= _LARGE_PCT and computes and not _is_lean(f, _id(row), ("gets_per_exec",)):
            each = f"{plain(spent_s / times, 3)} s each" if times else "no execution ended"
            costly.append((share, row, each))
    none = Missing(f"no other SQL with {HOT_PCT:g} % of DB time runs often and gets many blocks")
    return costly or none


@fact("load.costly_sql", "names", *_LISTS, RESPONSE)
def costly_sql(f: Figures) -> Answer:
    """SQL, not the leading one, with 10 % of DB time that searches, or 15 % of it; at most 3.

    The note has shares and gets: AWR 11.2.0.4.0_01, 24 and 21 %, and an UPDATE of LOBs.
    """
    costly = needed(_costly(f))
    proof = f.proof(*(row.cell("elapsed_s") for _, row, _ in costly))
    note = "; ".join(f"SQL {_id(row)} ({share:.0f} %, {gets})" for share, row, gets in costly)
    return text_fact(tuple(_id(row) for _, row, _ in costly), proof, "derived", note)


@fact("load.costly_sql_pct", "%", *_LISTS, RESPONSE)
def costly_sql_pct(f: Figures) -> Answer:
    """Share of DB time of `load.costly_sql`."""
    costly = needed(_costly(f))
    proof = f.proof(*(row.cell("elapsed_s") for _, row, _ in costly))
    return text_fact(min(sum(share for share, _, _ in costly), 100.0), proof, "derived")


@fact("load.cpu_sql_time_pct", "%", f"{_CPU_COMPARED}|sql_by_cpu", RESPONSE, kind="none")
def cpu_sql_time_pct(f: Figures) -> Answer:
    """Share of DB time of the first of `load.cpu_sql`."""
    _, _, (sql, *_) = needed(_computing(f))
    if f.is_compared:
        row = needed(f.tables.row(_COMPARED, sql.row.key) or Missing("no elapsed time"))
        return f.figure(row.cell("elapsed_pct"), "%", Missing("no elapsed time"))
    none = Missing("no elapsed time", lost=True)
    spent = [f.figure(row.cell("elapsed_s"), "s", none) for row in (sql.row, *sql.alike)]
    return add(needed(readable(spent)), "s") * 100 / f.db_time


@fact("io.scan_mb_per_s", "MB/s", "sql_by_reads", STATS, BLOCK_SIZE, ELAPSED)
def scan_mb_per_s(f: Figures) -> Answer:
    """What the SQL reads that has half of all blocks read, or more; the note names it."""
    every = f.stat("physical reads", "")
    own = _own(f, _shares(f, f.table("sql_by_reads"), "physical_reads", every), _HALF_PCT)
    if not own or own[0].pct > _ALL_PCT:
        return Missing("no statement has half of the blocks read")
    cells = [row.cell("physical_reads") for row in (own[0].row, *own[0].alike)]
    read = add([needed(f.figure(cell, "blocks", Missing(""))) for cell in cells], "blocks")
    most = first(f, READS, "physical_reads")
    of = f", {name_of(most)}" if most and (most.number("total_pct") or 0) >= _HALF_PCT else ""
    note = f"{own[0].words} ({min(own[0].pct, 100):.0f} % of all blocks{of})"
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
    needed(none if other.value * 100 > most * (100 - HOT_PCT) else None)
    spilling = [
        (row, reads, 100 - other.value * 100 / reads) for row in f.table("sql_by_reads").rows
        if other.value < (reads := row.number("physical_reads") or 0) <= most
        and other.value < every.value and _id(row) and not is_block(row)
    ]  # fmt: skip
    spilling = [spill for spill in spilling[:NAMED] if spill[2] >= HOT_PCT]
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
_LEAN: Final = {"gets_per_exec": 20.0, "reads_per_exec": 2.0}


#: SQL that wastes reads comes before SQL with more that wastes none, from this part of its share.
#: # awrlens: a third; compare-period report 10.2.0.4.0-rac_07 has 11 and 61 %
_MUCH_OF_LARGEST: Final = 1 / 3


def _is_lean(f: Figures, id_: str, by: tuple[str, ...] = tuple(_LEAN)) -> bool:
    """Whether a statement has much of the reads only because it runs often."""
    lists = (*_READERS, *_LISTS)
    for name in by:
        most = _LEAN[name]
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
    100 % is a counter that went wrong. Of a PL/SQL block, the SQL that it calls. One that needs few
    blocks for each row is named only if no other has a third of its share: fewer executions help.
    ``about`` is its largest part of the reads, up to 1.
    """
    name = next((section for section in _READERS if f.tables.get(section)), "sql_by_reads")
    (column, of), table = _READERS[name], f.table(name)
    if any(row.number(column) is None and is_lost(row.text(column)) for row in table.rows):
        return Missing(f"a share of {of} cannot be read", lost=True)
    if times := _read_times(f, table):
        column, of = ("elapsed_s" if name == "sql_by_reads" else column), "read time"
    blocks = [(part, part, row) for row in table.rows if (part := row.number(column))]
    ranked = [sql for sql in times or blocks
              if HOT_PCT <= sql[0] <= (inf if times else _ALL_PCT) and _id(sql[2])]  # fmt: skip
    own = [sql for sql in ranked if not is_block(sql[2])] or ranked
    spilling = spilling_sql(f).value
    own = [sql for sql in own if not isinstance(spilling, tuple) or _id(sql[2]) not in spilling]
    if of == "physical reads":
        in_temp = temp.blocks_read(f) * 100 / f.stat("physical reads", "blocks read")
        own = [sql for sql in own if sql[0] > (in_temp.value or 0.0)]
    if not own:
        return Missing(f"no statement has {HOT_PCT:g} % of {of}, or these may be of temp")
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
    status: Status = "derived" if times else "measured"
    proof = f.proof(row.cell(column))
    return text_fact(sql, proof, status, share, f"{min(most, 100) / 100:.3f}")


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
    if not 2 * HOT_PCT <= pct <= _ALL_PCT or len(own := shares[module]) < _MANY:
        return Missing(f"no module has {2 * HOT_PCT:g} % of {of} in many statements")
    most, row = max(own, key=lambda sql: sql[0])
    note = f"{len(own)} statements have {pct:.0f} % of {of}, the largest, {_id(row)}, {most:.1f} %"
    return text_fact(module, f.proof(*(sql.cell(column) for _, sql in own)), "derived", note)


def _id(row: Row) -> str:
    return row.key or row.text("hash_value")


@fact("redo.source", "name", STATS, "segments_by_block_changes", "segments_by_direct_writes")
def redo_source(f: Figures) -> Answer:
    """What generates most of the redo: direct writes (LOBs, loads), or the changes of a segment."""
    direct = f.stat("redo size for direct writes", "B") * 100 / f.stat("redo size", "B redo")
    if (direct.value or 0.0) >= _HALF_PCT:
        row = first(f, "segments_by_direct_writes", "direct_writes")
        said = f"{direct.value:.0f} % of the redo is of direct writes (LOBs, loads)"
        said += f", the most to {name_of(row)}{_written_by(f)}" if row else ""
        proof = f.proof(row.cell("direct_writes")) if row else ()
        return text_fact(said, (*direct.evidence, *proof), "derived")
    row = first(f, "segments_by_block_changes", "block_changes")
    if row is None or not _HALF_PCT <= (share := row.number("total_pct") or 0.0) <= 100:  # noqa: PLR2004 - all
        return Missing("neither direct writes nor one segment generates most of the redo")
    said = f"{name_of(row)} has {share:.0f} % of the block changes, and probably most of the redo"
    return text_fact(said, f.proof(row.cell("total_pct")), "estimated")


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
        if HOT_PCT <= share <= _ALL_PCT and (verb := _CHANGES.match(_text(f, row))):
            note = f"SQL {_id(row)} ({verb[1].upper()}) takes {min(share, 100):.0f} %"
            return text_fact((_id(row),), f.proof(row.cell("elapsed_s")), "derived", note)
    return Missing(f"no SQL that changes data has {HOT_PCT:g} % of DB time")


def _text(f: Figures, row: Row) -> str:
    return (f.tables.row("sql_text", _id(row)) or row).text("sql_text")


_CHANGES: Final = regex(r"\W*(insert|update|delete|merge)\b", re.I)
#: SQL that has less CPU than this waits, as for row locks. # awrlens: a tenth
_CPU_PCT: Final = 10.0
