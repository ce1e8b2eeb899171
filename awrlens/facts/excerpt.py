"""What an excerpt holds: the rows of its tables in words, where little can be judged.

The figures of "Write Accelerator" pasted alone have one table each.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.facts import tablespaces
from awrlens.facts.waits import busy_rows
from awrlens.model import base_of_shares
from awrlens.oracle import host
from awrlens.policy import Policy
from awrlens.units import UNIT_SIGNS, listed, plain

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from awrlens.facts.figures import Figures
    from awrlens.model import Fact
    from awrlens.report.table import Row, Table

#: The tables whose rows are shown, in this order.
_TABLES: Final = (
    "tablespace_io", "file_io", "io_timing", "enqueues", "undo_summary", "undo_stats", "host_cpu",
    "instance_cpu", "top_events", "foreground_events", "wait_events", "background_events",
    "service_waits", "sql_by_elapsed",
)  # fmt: skip
#: Those that are shown if there are no others.
_ELSE: Final = ("load_profile", "instance_activity")
#: Lists of waits, from the one that says most of sessions.
_WAITS: Final = ("foreground_events", "wait_events", "top_events", "background_events")
#: Maximum number of rows of a table, the largest first.
_MOST_ROWS: Final = 20
#: Units at the end of a column's name, which its figure has, too.
_UNITS: Final = ("ms", "s", "pct", "min")
#: Words of columns' names as they are shown.
_WORDS: Final = {"cpu": "CPU", "io": "I/O", "db": "DB"}
#: Columns that other columns give, with more digits.
_RATES: Final = ("_per_s", "_per_txn", "_per_exec_s")
#: Times that follow the number of reads and writes.
_AFTER: Final = ("read_ms", "write_ms")
#: Columns by which rows are ordered: reads and writes, or else the time waited.
_SIZES: Final = (("reads", "writes"), ("total_wait_s",), ("waits",), ("undo_blocks",))
#: Waits that a verdict on each part needs.
_NEEDED: Final = {
    "redo": ("log file sync", "log file parallel write"),
    "temp": ("direct path read temp", "direct path write temp"),
    "undo": ("db file sequential read",),
}
#: Enqueues that "Write Accelerator" looks at.
_ENQUEUES: Final = {"KO": "object checkpoints", "US": "undo segments"}


def read(f: Figures) -> tuple[str, ...]:
    """Rows of the tables of an excerpt, what they mean, and what is missing for a verdict."""
    from awrlens.facts.registry import Facts

    facts = Facts(f)
    kinds = {space.name: "temp" for space in tablespaces.temporary(f)}
    kinds |= {space.name: "undo" for space in tablespaces.undo(f)}
    base = base_of_shares(facts)
    lines: list[str] = []
    for name in (*_TABLES, *_ELSE):
        if (table := f.tables.get(name)) is not None and (name in _TABLES or not lines):
            lines += (line.replace("DB time", base) for line in _rows(f, table, kinds, facts))
    return (*lines, *_meaning(f, facts, base), *_missing(f)) if lines else ()


def _missing(f: Figures) -> Iterator[str]:
    """What to add for a verdict: header and waits, as far as they are not there."""
    whole = f.db_time.value and f.elapsed.value
    header = "" if whole else "the header (DB time, elapsed time)"
    lists = [table for name in _WAITS if (table := f.tables.get(name)) is not None]
    absent = {
        part: [f"`{event}`" for event in events if not any(t.begins((event,)) for t in lists)]
        for part, events in _NEEDED.items()
    }
    events = [f"{listed(names)} for {part}" for part, names in absent.items() if names]
    waits = f"the {'other ' if lists else ''}wait events: {', '.join(events)}" if events else ""
    if header or waits:
        yield f"For a verdict, add {listed([*filter(None, (header, waits))])}."


def _rows(
    f: Figures, table: Table, kinds: dict[str, str], facts: Mapping[str, Fact]
) -> Iterator[str]:
    owners = table.texts("tablespace") or ()
    if table.name in tablespaces.BY_FILE:  # TEMP101 and TEMP102 are files of TEMP
        owners = tuple(owner if owner in kinds else owner.rstrip("0123456789")
                       for owner in tablespaces.owners(f, table))  # fmt: skip
    sizes = next((names for names in _SIZES if set(names) <= {c.name for c in table.columns}), ())
    rows = sorted(
        enumerate(table.rows), key=lambda pair: -sum(pair[1].number(name) or 0 for name in sizes)
    )
    if table.name == "instance_activity":
        used = [x.row for fact in facts.values() for x in fact.evidence if x.section == table.title]
        rows = sorted((pair for pair in rows if pair[1].key in used),
                      key=lambda pair: used.index(pair[1].key))  # fmt: skip
    for number, row in rows[:_MOST_ROWS]:
        kind = kinds.get(owners[number], "") if owners else ""
        name = row.text("sql_id") or row.key.rstrip(":") or " ".join(table.title.split())
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
        if value is None or name in _AFTER or name.endswith(_RATES):
            continue
        if not value and (name.startswith("buffer_") or table.name == "undo_stats"):
            continue
        words, _, last = name.removeprefix("pct_").rpartition("_")
        words = (words if last in _UNITS else name.removeprefix("pct_")).replace("_", " ")
        if words.startswith("per "):
            yield f"{plain(value, 3)} {words.replace('txn', 'transaction')}"
            continue
        if words in ("total", "value"):  # of a statement, `% Total` is of DB time
            words = "DB time" if column.unit == "%" and words == "total" else ""
        words = "".join(f"{_WORDS.get(word, word)} " for word in words.split())
        time = row.number(f"{name.removesuffix('s')}_ms") if name in ("reads", "writes") else None
        at = "" if time is None else f" at {plain(time, 3)} ms"
        unit = UNIT_SIGNS.get(column.unit, column.unit)
        yield f"{words}{plain(value, 3)}{f' {unit}' if unit else ''}{at}"


def _ms(value: float) -> str:
    """A time; 0 is printed for what is shorter than the digits of the column."""
    return f"{plain(value, 3)} ms" if value else "less than 0.1 ms"


def _meaning(f: Figures, facts: Mapping[str, Fact], base: str) -> Iterator[str]:
    """What the tables mean: the latency of temp and undo, which no session may wait for, first."""
    for kind in ("temp", "undo"):
        read_ms, write_ms = (facts[f"{kind}.{io}_ms"].number for io in ("read", "write"))
        latencies = [f"{name} take {_ms(value)}" for name, value in
                     (("reads", read_ms), ("writes", write_ms)) if value is not None]  # fmt: skip
        if latencies:
            yield (
                f"{kind.capitalize()}: {' and '.join(latencies)} on average; whether sessions wait "
                "for them is not in this excerpt."
            )
    yield from _places(f, facts)
    yield from _of_undo(f, facts)
    yield from _of_host(facts)
    yield from _of_waits(f, base)
    yield from _of_others(f)


def _places(f: Figures, facts: Mapping[str, Fact]) -> Iterator[str]:
    """The places of temp and undo among the tablespaces: by number of I/Os, and by read time."""
    for kind, count in (("temp", "reads and writes"), ("undo", "writes")):
        rank, spent = facts[f"{kind}.io_rank"], tablespaces.read_times(f)
        name, _, many = rank.note.partition(", among ")
        if rank.number is None or name not in spent:
            continue
        longer = sum(time.ms > spent[name].ms for time in spent.values())
        of = f"({spent[name].ms / 1000:,.0f} of {sum(e.ms for e in spent.values()) / 1000:,.0f} s)"
        yield (
            f"{name} is number {rank.number:.0f} of {many} by {count}, number {longer + 1} by read "
            f"time {of}."
        )


def _of_undo(f: Figures, facts: Mapping[str, Fact]) -> Iterator[str]:
    """Undo's share of the writes, what rollbacks apply, and whether undo is kept long enough."""
    share, rolled, records, query = (
        facts[f"undo.{name}"].number for name in
        ("block_write_pct", "rollbacks_per_1000_executes", "records_per_rollback", "max_query_s")
    )  # fmt: skip
    each_s = {name: facts[f"load.{name}_per_s"].number for name in ("rollbacks", "executes")}
    if rolled is None and each_s["rollbacks"] is not None and each_s["executes"]:
        rolled = each_s["rollbacks"] * 1000 / each_s["executes"]
    said = [] if share is None else [f"{plain(share)} % of the blocks that DBWR writes"]
    if rolled is not None:
        of = "" if records is None else f", each of {plain(records)} records"
        said.append(f"{plain(rolled)} rollbacks per 1,000 executions{of}")
    if said:
        yield f"Undo: {'; '.join(said)}."
    kept = [row.number("max_tuned_retention_min") for row in f.tables.get("undo_summary") or ()]
    if query is not None and kept and kept[0] is not None:
        old, full = (facts[f"undo.{name}"].number for name in ("snapshot_too_old", "out_of_space"))
        enough = "; no query found its undo overwritten, and undo had space"
        yield (
            f"Undo: kept for up to {plain(kept[0])} min, the longest query took "
            f"{plain(query / 60)} min{enough if old == full == 0 else ''}."
        )


def _of_host(facts: Mapping[str, Fact]) -> Iterator[str]:
    """Whether processes wait for CPU."""
    idle, iowait = (facts[f"host.{name}_pct"].number for name in ("idle", "iowait"))
    if idle is not None and iowait is not None:
        why = host.waits_for_cpu(lambda name: facts[name].number, Policy().__getitem__)
        cpu = f"processes wait for CPU: {why}" if why else "there is no shortage of CPU"
        yield f"Host: {plain(idle)} % of CPU is idle, {plain(iowait)} % waits for I/O; {cpu}."


def _of_waits(f: Figures, base: str) -> Iterator[str]:
    """The event with most time, its share of what is listed, and of DB time."""
    name = next((section for section in _WAITS if f.tables.get(section) is not None), "")
    rows = [row for row in busy_rows(f, name) if row.number("total_wait_s") and row.number("waits")]
    if not rows:
        return
    most = max(rows, key=lambda row: row.number("total_wait_s") or 0.0)
    seconds, waits = most.number("total_wait_s") or 0.0, most.number("waits") or 1.0
    whole = sum(row.number("total_wait_s") or 0.0 for row in rows)
    shares = [share for row in rows if (share := row.number("pct_db_time")) is not None]
    all_of = f"; the events listed are {plain(sum(shares))} % of {base}" if shares else ""
    yield (
        f"Waits: `{most.key}` has the most time, {seconds:,.0f} of the {whole:,.0f} s listed, "
        f"{_ms(seconds * 1000 / waits)} each{all_of}."
    )


def _of_others(f: Figures) -> Iterator[str]:
    """Enqueues, the statement with most time, and user I/O of services."""
    spent = {row.key: (row.number("waits") or 0.0) * (row.number("avg_wait_ms") or 0.0) / 1000
             for row in f.tables.get("enqueues") or ()}  # fmt: skip
    if spent:
        kinds = [
            f"{kind} ({what}) {f'{plain(sum(own))} s' if own else 'is not listed'}"
            for kind, what in _ENQUEUES.items()
            for own in [[wait_s for key, wait_s in spent.items() if key.startswith(f"{kind}-")]]
        ]
        yield f"Enqueues: waits of {plain(sum(spent.values()))} s in total; {', '.join(kinds)}."
    for name, what, of, time in (
        ("sql_by_elapsed", "executions", "executions", "elapsed_s"),
        ("service_waits", "user_io_waits", "waits for user I/O", "user_io_wait_s"),
    ):
        rows = f.tables.get(name) or ()
        most = max(rows, key=lambda row: row.number(time) or 0.0, default=None)
        count, seconds = (most.number(what), most.number(time)) if most else (None, None)
        if most is not None and count and seconds is not None:
            key = most.text("sql_id") or most.key
            times = f"{count:,.0f} {of}, {_ms(seconds * 1000 / count)} each" if count > 1 else "one"
            yield f"{key}: {seconds:,.0f} s in {times}."
