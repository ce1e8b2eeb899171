"""Facts that a budget names in Oracle's terms, and data for charts.

``event("log file sync").avg_ms``, ``stat("physical reads").per_s``, ``parameter("db_block_size")``,
``sql("g1dppfmhtxs00").elapsed_per_exec_ms``.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from awrlens.facts import tablespaces
from awrlens.facts.answers import Answer, answering, text_fact
from awrlens.facts.formula import Missing, Number, twice
from awrlens.facts.histograms import histogram
from awrlens.facts.redo import SYNC, WRITE, percentile_ms
from awrlens.lazy import NamedTuple, regex
from awrlens.model.chart_data import Bucket, Latencies, TablespaceIO, UndoSlice

if TYPE_CHECKING:
    from collections.abc import Callable

    from awrlens.facts.figures import Figures
    from awrlens.model import Fact


#: The syntax of such a name; the text in quotes is Oracle's name.
WRITTEN: Final = (
    r'(?i:(event|stat|parameter|sql)[ \t]*\([ \t]*("(?:[^"\\\n]|\\.)*")[ \t]*\)'
    r"(?:[ \t]*\.[ \t]*(\w+))?)"
)
_WRITTEN: Final = regex(WRITTEN)
_PERCENTILE: Final = regex(r"p([1-9]\d?)_ms")


class _Field(NamedTuple):
    """A field: its unit, the figures that it is computed from, and how; by default it is one."""

    unit: str
    figures: tuple[str, ...] = ()
    compute: Callable[..., Number] = lambda figure: figure


#: The fields of each kind; a parameter alone is a text.
FIELDS: Final = {
    "event": {
        "avg_ms": _Field("ms"),
        "waits": _Field("count", ("waits",)),
        "total_s": _Field("s", ("total",)),
        "waits_per_s": _Field("1/s", ("waits", "elapsed"), lambda waits, elapsed: waits / elapsed),
        "pct_db_time": _Field("%", ("total", "whole"), lambda total, whole: total * 100 / whole),
        "timeout_pct": _Field("%", ("timeouts",)),
    },
    "stat": {
        "total": _Field("count", ("total",)),
        "per_s": _Field("1/s", ("total", "elapsed"), lambda total, elapsed: total / elapsed),
        "per_txn": _Field(
            "1/txn",
            ("total", "commits", "rollbacks"),
            lambda total, commits, rollbacks: total / (commits + rollbacks),
        ),
    },
    "parameter": {"": _Field("text"), "value": _Field("count")},
    "sql": {
        "elapsed_s": _Field("s", ("elapsed_s",)),
        "elapsed_per_exec_ms": _Field("ms", ("elapsed_s", "executions"), lambda s, n: s * 1000 / n),
        "cpu_s": _Field("s", ("cpu_s",)),
        "cpu_per_exec_ms": _Field("ms", ("cpu_s", "executions"), lambda s, n: s * 1000 / n),
        "executions": _Field("count", ("executions",)),
        "gets_per_exec": _Field("ratio", ("buffer_gets", "executions"), lambda gets, n: gets / n),
        "reads_per_exec": _Field(
            "ratio", ("physical_reads", "executions"), lambda reads, n: reads / n
        ),
        "pct_db_time": _Field("%", ("elapsed_s", "whole"), lambda s, whole: s * 100 / whole),
    },
}
#: Lists of SQL, the most useful ones first.
_STATEMENTS: Final = (
    "sql_by_elapsed", "sql_by_cpu", "sql_by_user_io", "sql_by_gets", "sql_by_reads",
    "sql_by_executions", "sql_by_cluster_wait",
)  # fmt: skip
#: The columns of these lists that formulas use.
_LABELS: Final = {
    "elapsed_s": "s", "cpu_s": "s", "executions": "executions", "buffer_gets": "gets",
    "physical_reads": "reads",
}  # fmt: skip


class Printed(NamedTuple):
    """A reference to a field of an event, statistic, parameter or SQL statement."""

    kind: str
    name: str
    field: str

    @property
    def unit(self) -> str | None:
        """The unit of the field; None if there is no such field."""
        if self.kind == "event" and _PERCENTILE.fullmatch(self.field):
            return "ms"
        field = FIELDS[self.kind].get(self.field)
        return None if field is None else field.unit

    @property
    def written(self) -> str:
        """In canonical form."""
        text = self.name.replace("\\", "\\\\").replace('"', '\\"')
        return f'{self.kind}("{text}"){f".{self.field}" if self.field else ""}'

    @property
    def fields(self) -> str:
        """The fields of this kind, in words."""
        names = [f".{field}" for field in FIELDS[self.kind] if field]
        if self.kind == "event":
            names.append(".p99_ms (or another percentile)")
        return ", ".join(names)

    def fact(self, f: Figures) -> Fact:
        """The fact of a report, without its name."""
        of_kind = {"event": _event, "stat": _statistic, "sql": _statement, "parameter": _parameter}
        return answering(of_kind[self.kind])(f, self).fact()


def split(name: str) -> Printed | None:
    """The parts of such a name; None for any other text."""
    match = _WRITTEN.fullmatch(name.strip())
    if match is None:
        return None
    text = re.sub(r"\\(.)", r"\1", match[2][1:-1]).strip()
    return Printed(match[1].lower(), text, (match[3] or "").lower())


def _computed(asked: Printed, f: Figures, **own: Number) -> Number:
    """The figure of a field, or what it is computed from."""
    field = FIELDS[asked.kind][asked.field]
    inputs = {**own, "elapsed": f.elapsed, "whole": f.response}
    return field.compute(*(inputs[name] for name in field.figures))


def _event(f: Figures, asked: Printed) -> Answer:
    """A figure of a wait event: of sessions, otherwise of background processes."""
    if (percentile := _PERCENTILE.fullmatch(asked.field)) is not None:
        return percentile_ms.function(f, asked.name, int(percentile[1]))
    for event in (f.foreground(asked.name), f.background(asked.name)):
        if event.total_s.evidence or event.waits.evidence:
            break
    else:
        # it may have no waits or another name: neither means 0
        why = f"`{asked.name}` is not in any list of wait events"
        return Missing(why, ("foreground_events", "background_events"))
    if asked.field == "avg_ms":
        return event.each_ms
    figures = {"waits": event.waits, "total": event.total_s, "timeouts": event.timeout_pct}
    return _computed(asked, f, **figures)


def _statistic(f: Figures, asked: Printed) -> Number:
    total, commits, rollbacks = (
        f.stat(name, "") for name in (asked.name, "user commits", "user rollbacks")
    )
    return _computed(asked, f, total=total, commits=commits, rollbacks=rollbacks)


def _parameter(f: Figures, asked: Printed) -> Answer:
    """An initialization parameter at the end of the interval; ``value``: as a number."""
    printed = f.parameter(asked.name)
    if printed is None:
        why = "is not in the report, which lists only parameters that are set"
        return Missing(f"parameter `{asked.name}` {why}", ("parameters",))
    text, evidence = printed
    if asked.field != "value":
        return text_fact(text, (evidence,), "measured")
    why = f"parameter `{asked.name}` is `{text}`, not a number"
    return f.setting(asked.name) or Missing(why, ("parameters",))


def _statement(f: Figures, asked: Printed) -> Answer:
    """A figure of an SQL statement by SQL ID; if there is none, by hash value."""
    columns = [column for column in FIELDS["sql"][asked.field].figures if column in _LABELS]
    why = f"SQL `{asked.name}` is not in the report, which lists only the top SQL"
    lacking = Missing(why, _STATEMENTS[:1])
    for section in _STATEMENTS:
        if (table := f.tables.get(section)) is None:
            continue
        rows = [row for row in table if row.text("sql_id").casefold() == asked.name.casefold()]
        rows = rows or [row for row in table if row.text("hash_value") == asked.name]
        if not rows:
            continue
        if len(rows) > 1 or rows[0].key in table.disputes:  # of several databases or plans
            lacking = twice(table, rows[0].key)
            continue
        absent = Missing(f"{table.title} does not have it", (section,))
        numbers = {name: f.figure(rows[0].cell(name), _LABELS[name], absent) for name in columns}
        bad = [number for number in numbers.values() if isinstance(number, Missing)]
        if not bad:
            return _computed(asked, f, **numbers)
        lacking = bad[0]
    return lacking


#: Events whose waits are shown by duration.
EVENTS: Final = (
    WRITE, SYNC, "direct path read temp", "direct path write temp", "db file sequential read",
    "cell single block physical read", "db file parallel write",
    "log file switch (checkpoint incomplete)",
)  # fmt: skip


def latencies(f: Figures) -> tuple[Latencies, ...]:
    """Waits of the write path's events by duration, for those in the report."""
    waits = []
    for event in EVENTS:
        if isinstance(shares := f.once(histogram, event), Missing):
            continue
        bounds: list[float | None] = [0.0, *shares.edges, None]
        above = [100.0, *(edge.above_pct for edge in shares.edges.values()), 0.0]
        pairs = zip(pairwise(bounds), pairwise(above), strict=True)
        buckets = [Bucket(begin or 0.0, end, more - less) for (begin, end), (more, less) in pairs]
        if not buckets[-1].pct:
            del buckets[-1]
        proof = next((edge.bucket for edge in shares.edges.values() if edge.bucket), None)
        waits.append(Latencies(event, tuple(buckets), f.evidence(proof).line if proof else None))
    return tuple(waits)


def tablespace_io(f: Figures) -> tuple[TablespaceIO, ...]:
    """Reads and writes of every tablespace, the busiest first; none if a figure cannot be read."""
    for column in ("reads", "writes"):
        table = tablespaces.table_for(f, column)
        if table is None or tablespaces.unfit(f, table, column):
            return ()
    reads, writes = tablespaces.amounts(f, "reads"), tablespaces.amounts(f, "writes")
    spaces = f.tables.get("tablespace_io")
    times = {row.key: row.number("read_ms") for row in spaces.rows} if spaces is not None else {}
    kinds = {space.name: "temp" for space in tablespaces.temporary(f)}
    kinds |= {space.name: "undo" for space in tablespaces.undo(f)}
    ios = [
        TablespaceIO(
            name, reads.get(name, 0), writes.get(name, 0), times.get(name), kinds.get(name, "")
        )
        for name in dict.fromkeys([*reads, *writes])
        if name
    ]
    return tuple(sorted(ios, key=lambda io: -(io.reads + io.writes)))


def undo_slices(f: Figures) -> tuple[UndoSlice, ...]:
    """Undo over time, the earliest first (in the report, the latest is first)."""
    table = f.tables.get("undo_stats")
    slices = [
        UndoSlice(row.text("end_time"), blocks, row.number("transactions"),
                  row.number("max_query_s"))
        for row in (table.rows if table is not None else ())
        if (blocks := row.number("undo_blocks")) is not None
    ]  # fmt: skip
    return tuple(reversed(slices))
