"""The facts of a SQL Server log: number, duration and writes of checkpoints; events near them.

The same functions apply to a whole log and to one database. Facts do not use thresholds.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from datetime import timedelta
from functools import partial
from heapq import nlargest
from math import ceil
from typing import TYPE_CHECKING, Final

from awrlens.facts.answers import Answer, text_fact
from awrlens.facts.formula import Figure, Missing
from awrlens.lazy import NamedTuple
from awrlens.model import Evidence, Excerpt
from awrlens.model.fact_table import FactTable
from awrlens.sqlserver.events import covered_s, overlap_s

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from awrlens.model import Fact
    from awrlens.sqlserver.events import Catchup, Checkpoint, Freeze, IoWarning, Log, Number


#: The facts of SQL Server logs.
SQL_SERVER_FACTS: Final = FactTable()
fact: Final = SQL_SERVER_FACTS.declare

#: Sources of facts, as named in the `needs` of a skipped rule.
FLUSH: Final = "flushcache_messages"
XEVENTS: Final = "checkpoint_events"
LOG: Final = "errorlog"
_NO_SPAN: Final = Missing("the time that the log covers is not known", (LOG,))
#: Maximum number of lines shown for a fact, the largest first.
SHOWN: Final = 5
#: First release that logs long checkpoints without trace flag 3504 (Microsoft, "How It Works:
#: When is the FlushCache message added to SQL Server Error Log?").
_LOGGED_SINCE: Final = 11
_PRINTED: Final = {
    "ms": "ms", "bufs": "bufs", "writes": "writes", "avoided": "new dirty bufs",
    "saturation": "I/O saturation", "switches": "context switches",
    "target": "last target outstanding", "latency": "avgWriteLatency",
}  # fmt: skip


class Seen(NamedTuple):
    """The input of facts: a log, and the database if it is only one."""

    log: Log
    database: str | None
    #: All checkpoints in the log, and those that no snapshot explains.
    checkpoints: tuple[Checkpoint, ...]
    unfrozen: tuple[Checkpoint, ...]
    io_warnings: tuple[IoWarning, ...]
    #: Snapshots; not known for a database without a name in the log.
    freezes: tuple[Freeze, ...]
    catchups: tuple[Catchup, ...]

    @property
    def is_errorlog(self) -> bool:
        """Whether it is an error log rather than Extended Events."""
        return self.log.kind == "sqlserver-errorlog"

    def missing(self) -> Missing | None:
        """Why nothing is known about checkpoints; None if something is."""
        if self.log.checkpoints or not self.is_errorlog:
            return None
        release = self.log.server.release
        if release is None:
            return Missing(
                "no FlushCache message is in the log, and its first line with the release is "
                "missing",
                (FLUSH, "banner"),
            )
        if int(release.partition(".")[0]) < _LOGGED_SINCE:
            return Missing(
                "before SQL Server 2012, only trace flag 3504 logs checkpoints", (FLUSH,)
            )
        return None


def seen_of(log: Log, database: str | None = None) -> Seen:
    """The whole log, or its events of one database."""
    own, warnings, freezes, forced = log.checkpoints, log.io_warnings, log.freezes, log.catchups
    if database is not None:
        name = log.name(database)
        own = tuple(each for each in own if each.database == database)
        warnings = tuple(each for each in warnings if each.database == database)
        freezes = tuple(each for each in freezes if each.name == name)
        forced = tuple(each for each in forced if each.database == database)
    unfrozen = tuple(each for each in own if not each.frozen)
    return Seen(log, database, own, unfrozen, warnings, freezes, forced)


def place(number: Number) -> Excerpt:
    """The line of a number and the position in it."""
    if number.at < 0:  # the difference of two times is not in the log
        return Excerpt((), number.printed, 0, 0)
    return Excerpt((), number.printed, number.at, number.at + len(number.text))


def evidence(checkpoint: Checkpoint, field: str) -> Evidence:
    """A logged number of a checkpoint."""
    row = f"db {checkpoint.database}" + (f":{checkpoint.unit}" if checkpoint.unit else "")
    section = "FlushCache" if "bufs" in checkpoint.numbers else "checkpoint_begin, checkpoint_end"
    return of_number(section, row, _PRINTED[field], checkpoint.numbers[field])


def of_number(section: str, row: str, column: str, number: Number) -> Evidence:
    """A number of a line as evidence."""
    value = int(number.value) if number.value.is_integer() else number.value
    return Evidence(
        section, row, column, number.text, value,
        partial(line_of, number.line), partial(place, number),
    )  # fmt: skip


def line_of(line: int) -> int:
    """The line itself; evidence calls this when it is shown."""
    return line


def weightiest(checkpoints: Iterable[Checkpoint], field: str) -> tuple[Evidence, ...]:
    """The evidence of the checkpoints with the largest numbers, in the order of the log."""
    having = [each for each in checkpoints if field in each.numbers]
    most = nlargest(SHOWN, having, key=lambda each: each.numbers[field].value)
    return tuple(evidence(c, field) for c in sorted(most, key=lambda c: c.line))


def of_line(section: str, row: str, line: int, printed: str) -> Evidence:
    """A whole line as evidence without a number."""
    return Evidence(
        section, row, "", printed.strip(), None, partial(line_of, line),
        partial(Excerpt, (), printed, 0, 0),
    )  # fmt: skip


def without(checkpoints: tuple[Checkpoint, ...]) -> Missing | None:
    """Why there is no value without checkpoints."""
    return None if checkpoints else Missing("no such checkpoint is in the log", (FLUSH, XEVENTS))


def sum_of(
    s: Seen, field: str, checkpoints: tuple[Checkpoint, ...] | None = None
) -> Figure | Missing:
    """The sum of a logged number over checkpoints; missing if no checkpoint has it."""
    chosen = s.checkpoints if checkpoints is None else checkpoints
    having = [each for each in chosen if field in each.numbers]
    if not s.is_errorlog and field != "ms":
        return Missing("not in checkpoint events", (FLUSH,))
    if not having:
        return (
            s.missing()
            or without(chosen)
            or Missing(f"no checkpoint in the log has `{_PRINTED[field]}`", (FLUSH,))
        )
    total = sum(each.numbers[field].value for each in having)
    return Figure(total, _PRINTED[field], weightiest(having, field))


def count_of(s: Seen, checkpoints: tuple[Checkpoint, ...], label: str) -> Figure | Missing:
    """The number of checkpoints; missing if it cannot be known from the log."""
    missing = s.missing()
    if missing is not None:
        return missing
    return Figure(len(checkpoints), label, weightiest(checkpoints, "ms"))


@fact("load.elapsed_s", "s", kind="none", better="neither")
def elapsed_s(s: Seen) -> Answer:
    """Time from the first to the last line or event with a time stamp."""
    if s.log.elapsed_s is None:
        return Missing("all time stamps in the log are equal or missing", (LOG,))
    return Figure(s.log.elapsed_s, "s")


@fact("load.response_s", "s", kind="total", better="lower")
def response_s(_: Seen) -> Answer:
    """DB time, which a SQL Server log does not have."""
    return Missing("a SQL Server log has no DB time", ("time_model",))


@fact("sqlserver.databases", "names", kind="level", better="neither")
def databases(s: Seen) -> Answer:
    """Databases with checkpoints or warnings in the log, ordered by checkpoint time."""
    wanted = s.log.databases if s.database is None else (s.database,)
    if not wanted:
        why = "no database with checkpoints or warnings is in the log"
        return s.missing() or Missing(why, (FLUSH, XEVENTS))
    return text_fact(tuple(s.log.label(each) for each in wanted), (), "measured")


@fact("sqlserver.checkpoints", "count", kind="total", better="neither")
def checkpoints(s: Seen) -> Answer:
    """Checkpoints in the log."""
    return count_of(s, s.checkpoints, "checkpoints")


@fact("sqlserver.snapshot_checkpoints", "count", kind="total", better="neither")
def snapshot_checkpoints(s: Seen) -> Answer:
    """Checkpoints that ended during a snapshot's freeze, or were frozen for half their time."""
    frozen = tuple(each for each in s.checkpoints if each.frozen)
    if not s.is_errorlog:
        return Missing("snapshots are not in checkpoint events", (LOG,))
    return count_of(s, frozen, "checkpoints")


@fact("sqlserver.unfrozen_checkpoints", "count", kind="total", better="neither")
def unfrozen_checkpoints(s: Seen) -> Answer:
    """Checkpoints that no snapshot explains."""
    return count_of(s, s.unfrozen, "checkpoints")


@fact("sqlserver.checkpoints_per_hour", "1/h", kind="rate", better="neither")
def per_hour(s: Seen) -> Answer:
    """Checkpoints in the log per hour; not known from one event, which has no interval."""
    elapsed = s.log.elapsed_s
    if not s.is_errorlog and len(s.checkpoints) < 2:  # noqa: PLR2004 - an interval has two ends
        why = "fewer than two checkpoints have no rate"
        return without(s.checkpoints) or Missing(why, (XEVENTS,))
    log_s = Figure(elapsed, "s") if elapsed else _NO_SPAN
    return count_of(s, s.checkpoints, "checkpoints") / (log_s / 3600)


def _rank(s: Seen, share: float, *, frozen: bool = True) -> Answer:
    """A percentile of checkpoint durations (nearest rank)."""
    chosen = s.checkpoints if frozen else s.unfrozen
    missing = s.missing() or without(chosen)
    if missing is not None:
        return missing
    ordered = sorted(chosen, key=lambda each: (each.seconds, each.line))
    one = ordered[max(0, ceil(share * len(ordered)) - 1)]
    return Figure(one.numbers["ms"].value, "ms", (evidence(one, "ms"),)) / 1000


@fact("sqlserver.checkpoint_min_s", "s", kind="level", better="lower")
def min_s(s: Seen) -> Answer:
    """The shortest checkpoint."""
    return _rank(s, 0.0)


@fact("sqlserver.checkpoint_median_s", "s", kind="level", better="lower")
def median_s(s: Seen) -> Answer:
    """The median duration of a checkpoint."""
    missing = s.missing() or without(s.checkpoints)
    if missing is not None:
        return missing
    ordered = sorted(s.checkpoints, key=lambda each: (each.seconds, each.line))
    low, high = ordered[(len(ordered) - 1) // 2], ordered[len(ordered) // 2]
    if low is high:
        return _rank(s, 0.5)
    first, second = (Figure(c.numbers["ms"].value, "ms", (evidence(c, "ms"),)) for c in (low, high))
    return (first + second) / 2 / 1000


@fact("sqlserver.checkpoint_mean_s", "s", kind="level", better="lower")
def mean_s(s: Seen) -> Answer:
    """The average duration of a checkpoint."""
    return sum_of(s, "ms") / 1000 / count_of(s, s.checkpoints, "checkpoints")


@fact("sqlserver.checkpoint_p95_s", "s", kind="level", better="lower")
def p95_s(s: Seen) -> Answer:
    """The 95th percentile of checkpoint durations."""
    return _rank(s, 0.95)


@fact("sqlserver.checkpoint_max_s", "s", kind="level", better="lower")
def max_s(s: Seen) -> Answer:
    """The longest checkpoint."""
    return _rank(s, 1.0)


@fact("sqlserver.checkpoint_total_s", "s", kind="total", better="lower")
def total_s(s: Seen) -> Answer:
    """The sum of all checkpoint durations; concurrent checkpoints are added."""
    return sum_of(s, "ms") / 1000


@fact("sqlserver.worst_database", "name", kind="level", better="neither")
def worst_database(s: Seen) -> Answer:
    """The database with the most checkpoint time that no snapshot explains."""
    total: Counter[str] = Counter()
    for each in s.unfrozen:
        total[each.database] += round(each.numbers["ms"].value)
    missing = s.missing() or without(s.unfrozen)
    if missing is not None:
        return missing
    database, ms = total.most_common(1)[0]
    own = tuple(each for each in s.unfrozen if each.database == database)
    note = f"{ms / 1000:,.0f} s of checkpoints"
    return text_fact(s.log.label(database), weightiest(own, "ms"), "derived", note)


@fact("sqlserver.unfrozen_max_s", "s", kind="level", better="lower")
def unfrozen_max_s(s: Seen) -> Answer:
    """The longest checkpoint that no snapshot explains."""
    return _rank(s, 1.0, frozen=False)


@fact("sqlserver.unfrozen_time_pct", "%", kind="level", better="lower")
def unfrozen_time_pct(s: Seen) -> Answer:
    """Share of the log's time during checkpoints that no snapshot explains."""
    missing = s.missing()
    if missing is not None:
        return missing
    if not s.log.elapsed_s:
        return _NO_SPAN
    running = Figure(
        round(covered_s(s.unfrozen, s.log.begin), 3),
        "s during checkpoints",
        weightiest(s.unfrozen, "ms"),
    )
    return running * 100 / Figure(s.log.elapsed_s, "s")


@fact("sqlserver.checkpoints_by_hour", "names", kind="level", better="neither")
def by_hour(s: Seen) -> Answer:
    """Checkpoints by the hour of the day of their end; hours without checkpoints are omitted."""
    missing = s.missing() or without(s.checkpoints)
    hours = Counter(each.end.hour for each in s.checkpoints if each.end is not None)
    if missing is None and not hours:
        missing = Missing("the checkpoints have no time stamps", (LOG,))
    if missing is not None:
        return missing
    return text_fact(tuple(f"{hour:02} h: {hours[hour]}" for hour in sorted(hours)), (), "derived")


@fact("sqlserver.buffers", "count", kind="total", better="neither")
def buffers(s: Seen) -> Answer:
    """Buffers of 8 KB that checkpoints wrote."""
    return sum_of(s, "bufs")


@fact("sqlserver.writes", "count", kind="total", better="neither")
def writes(s: Seen) -> Answer:
    """Writes of checkpoints."""
    return sum_of(s, "writes")


@fact("sqlserver.buffers_per_write", "ratio", kind="level", better="neither")
def buffers_per_write(s: Seen) -> Answer:
    """Buffers per write; low if dirty pages are scattered."""
    return sum_of(s, "bufs") / sum_of(s, "writes")


@fact("sqlserver.writes_per_s", "1/s", kind="rate", better="neither")
def writes_per_s(s: Seen) -> Answer:
    """Writes per second of checkpoint time."""
    return sum_of(s, "writes") / (sum_of(s, "ms") / 1000)


@fact("sqlserver.mb_per_s", "MB/s", kind="rate", better="neither")
def mb_per_s(s: Seen) -> Answer:
    """Megabytes per second of checkpoint time, calculated from the number of buffers."""
    return sum_of(s, "bufs") * 8 / 1024 / (sum_of(s, "ms") / 1000)


@fact("sqlserver.avoided_buffers", "count", kind="total", better="neither")
def avoided_buffers(s: Seen) -> Answer:
    """Buffers that became dirty during the checkpoint and were not written."""
    return sum_of(s, "avoided")


@fact("sqlserver.saturations_per_write", "ratio", kind="level", better="lower")
def saturations_per_write(s: Seen) -> Answer:
    """How often per write the target of outstanding writes was reached, outside snapshots."""
    own = tuple(each for each in s.unfrozen if "saturation" in each.numbers)
    return sum_of(s, "saturation", own) / sum_of(s, "writes", own)


@fact("sqlserver.last_target_outstanding", "count", kind="level", better="neither")
def last_target(s: Seen) -> Answer:
    """The lowest last target of outstanding writes, outside snapshots."""
    having = [each for each in s.unfrozen if "target" in each.numbers]
    if not having:
        return sum_of(s, "target", ())
    one = min(having, key=lambda each: each.numbers["target"].value)
    return Figure(one.numbers["target"].value, "writes", (evidence(one, "target"),))


@fact("sqlserver.write_latency_ms", "ms", kind="level", better="lower")
def write_latency_ms(s: Seen) -> Answer:
    """Logged latency of checkpoint writes outside snapshots, weighted by writes."""
    own = tuple(each for each in s.unfrozen if "latency" in each.numbers)
    amount = sum_of(s, "latency", own)
    count = sum_of(s, "writes", own)
    if isinstance(amount, Missing) or isinstance(count, Missing):
        return amount / count
    weighed = sum(e.numbers["latency"].value * e.numbers["writes"].value for e in own)
    return Figure(weighed, "ms of writing", amount.evidence) / count


#: A warning belongs to a checkpoint up to this time after its end: a warning is written some time
#: after the request, at most once per file in five minutes (message 833).
_BESIDE: Final = timedelta(seconds=300)


@fact("sqlserver.forced_catchups", "count", kind="total", better="lower")
def forced_catchups(s: Seen) -> Answer:
    """Forced indirect checkpoints (`DirtyPageMgr::ForceCatchupOrFlushCache`)."""
    proof = tuple(of_line("DirtyPageMgr", f"db {c.database}" if c.database else "", c.line,
                          c.printed) for c in s.catchups[:SHOWN])  # fmt: skip
    return _of_errorlog(s, len(s.catchups), "messages", proof)


def _of_errorlog(s: Seen, number: float, unit: str, proof: tuple[Evidence, ...]) -> Answer:
    if not s.is_errorlog:
        return Missing("not in checkpoint events", (LOG,))
    return Figure(number, unit, proof)


def _warned(s: Seen, warnings: Iterable[IoWarning], *, requests: bool) -> Answer:
    shown = list(warnings)
    proof = tuple(
        of_number("I/O longer than 15 s", f"db {warning.database}", "occurrences", warning.requests)
        for warning in shown[:SHOWN]
    )
    total = sum(warning.requests.value for warning in shown) if requests else len(shown)
    return _of_errorlog(s, total, "requests" if requests else "warnings", proof)


@fact("sqlserver.io_warnings", "count", kind="total", better="lower")
def io_warnings(s: Seen) -> Answer:
    """Warnings about I/O requests over 15 seconds (message 833)."""
    return _warned(s, s.io_warnings, requests=False)


@fact("sqlserver.io_warning_requests", "count", kind="total", better="lower")
def io_warning_requests(s: Seen) -> Answer:
    """I/O requests over 15 seconds, as counted in these warnings."""
    return _warned(s, s.io_warnings, requests=True)


@fact("sqlserver.io_warnings_beside", "count", kind="total", better="lower")
def io_warnings_beside(s: Seen) -> Answer:
    """Such warnings during a checkpoint of the same database or up to 5 minutes after it."""
    spans: dict[str, list[tuple[datetime, datetime]]] = {}
    for each in s.unfrozen:
        if each.begin is not None and each.end is not None:
            spans.setdefault(each.database, []).append((each.end, each.begin))
    known = {database: _Spans(own) for database, own in spans.items()}
    return _warned(
        s,
        (
            each for each in s.io_warnings
            if each.at is not None and each.database in known
            and known[each.database].are_beside(each.at)
        ),
        requests=False,
    )  # fmt: skip


class _Spans:
    """Checkpoints of a database in the order of their ends."""

    def __init__(self, spans: list[tuple[datetime, datetime]]) -> None:
        spans.sort()
        self._ends = [end for end, _ in spans]
        #: The earliest begin of this checkpoint and all that end later.
        self._begins = [begin for _, begin in spans]
        for number in range(len(spans) - 2, -1, -1):
            self._begins[number] = min(self._begins[number], self._begins[number + 1])

    def are_beside(self, at: datetime) -> bool:
        number = bisect_left(self._ends, at - _BESIDE)
        return number < len(self._ends) and self._begins[number] <= at


@fact("sqlserver.longest_io_s", "s", kind="level", better="lower")
def longest_io_s(s: Seen) -> Answer:
    """The longest I/O request in these warnings."""
    longest = [w.longest_ms for w in s.io_warnings if w.longest_ms is not None]
    if not longest:
        return Missing("no warning has the duration of the request", (LOG,))
    one = max(longest, key=lambda number: number.value)
    proof = of_number("I/O longer than 15 s", "", "duration", one)
    return Figure(one.value, "ms", (proof,)) / 1000


@fact("sqlserver.memory_mb", "MB", kind="level", better="neither")
def memory_mb(s: Seen) -> Answer:
    """Memory of the machine, which automatic checkpoints search for dirty pages."""
    memory = s.log.server.memory
    if memory is None:
        return Missing("the log does not have the memory of the machine", (LOG,))
    proof = of_number("start of the instance", "", "MB of RAM", memory)
    return Figure(memory.value, "MB", (proof,))


@fact("sqlserver.numa_nodes", "count", kind="level", better="neither")
def numa_nodes(s: Seen) -> Answer:
    """NUMA nodes; each has one lazy writer."""
    if s.log.server.nodes is None:
        return Missing("the log does not have the NUMA nodes", (LOG,))
    return Figure(s.log.server.nodes, "nodes")


def _short_of_memory(s: Seen, *, paged: bool) -> Answer:
    warnings = [warning for warning in s.log.memory_warnings if warning.paged is paged]
    proof = tuple(of_line("memory", "", each.line, each.printed) for each in warnings[:SHOWN])
    return _of_errorlog(s, len(warnings), "messages", proof)


@fact("sqlserver.lazy_writer_warnings", "count", kind="total", better="lower")
def lazy_writer_warnings(s: Seen) -> Answer:
    """How often the lazy writer found no free buffer (`LazyWriter: warning`)."""
    return _short_of_memory(s, paged=False)


@fact("sqlserver.paged_out", "count", kind="total", better="lower")
def paged_out(s: Seen) -> Answer:
    """How often Windows paged out a significant part of SQL Server's memory (message 17890)."""
    return _short_of_memory(s, paged=True)


def _frozen_s(freeze: Freeze) -> float:
    return overlap_s(freeze.begin, freeze.end, freeze.begin, freeze.end)


@fact("sqlserver.freezes", "count", kind="total", better="neither")
def freezes(s: Seen) -> Answer:
    """How often a snapshot froze a database's I/O."""
    if not s.is_errorlog:
        return Missing("snapshots are not in checkpoint events", (LOG,))
    longest = sorted(s.freezes, key=_frozen_s, reverse=True)[:SHOWN]
    proof = tuple(of_line("I/O is frozen", f.name, f.line, f.printed) for f in longest)
    return Figure(len(s.freezes), "freezes", proof)


@fact("sqlserver.longest_freeze_s", "s", kind="level", better="lower")
def longest_freeze_s(s: Seen) -> Answer:
    """The longest time that a snapshot froze a database's I/O."""
    ended = [each for each in s.freezes if each.begin is not None and each.end is not None]
    if not ended:
        return Missing("the log has no complete freeze", (LOG,))
    one = max(ended, key=_frozen_s)
    proof = (of_line("I/O is frozen", one.name, one.line, one.printed),)
    return Figure(round(_frozen_s(one), 3), "s", proof)


FACTS: Final = tuple(SQL_SERVER_FACTS.values())


def facts_of(log: Log, database: str | None = None) -> dict[str, Fact]:
    """All facts of a log or of one database, available or not."""
    seen = seen_of(log, database)
    facts = ((spec, spec.function(seen)) for spec in FACTS)
    return {s.name: fact.named(s.name, s.unit, fact.sections or (LOG,)) for s, fact in facts}
