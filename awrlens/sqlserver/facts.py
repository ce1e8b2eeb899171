"""The facts of a SQL Server log or of one database: its checkpoints, and events near them."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from datetime import timedelta
from heapq import nlargest
from itertools import accumulate
from math import ceil
from typing import TYPE_CHECKING, Final

from awrlens.facts.answers import Answer, text_fact
from awrlens.facts.formula import Figure, Missing
from awrlens.model import Evidence, Excerpt
from awrlens.model.fact_table import FactTable
from awrlens.sqlserver.events import covered_s

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from datetime import datetime

    from awrlens.model import Fact
    from awrlens.model.fact_table import Better, FactSpec, Kind
    from awrlens.sqlserver.events import Checkpoint, Freeze, IoWarning, Log, Number


SQL_SERVER_FACTS: Final = FactTable()
fact: Final[Callable[[str, str, Kind, Better, str, Callable[[Seen], Answer]], FactSpec]] = (
    SQL_SERVER_FACTS.add
)

#: Sources of facts, as named in the `needs` of a skipped rule.
FLUSH: Final = "flushcache_messages"
XEVENTS: Final = "checkpoint_events"
LOG: Final = "errorlog"
_NO_SPAN: Final = Missing("the time that the log covers is not known", (LOG,))
_NO_TIMES: Final = Missing("all time stamps in the log are equal or missing", (LOG,))
_NO_EVENT: Final = Missing("not in checkpoint events", (LOG,))
_NO_NODES: Final = Missing("the log does not have the NUMA nodes", (LOG,))
_NO_SNAPSHOTS: Final = Missing("snapshots are not in checkpoint events", (LOG,))
_NO_CHECKPOINT: Final = Missing("no such checkpoint is in the log", (FLUSH, XEVENTS))
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


class Seen:
    """The input of facts: a log, or its events of one database."""

    def __init__(self, log: Log, database: str | None = None) -> None:
        own, warnings, freezes, forced = log.checkpoints, log.io_warnings, log.freezes, log.catchups
        if database is not None:
            own = tuple(checkpoint for checkpoint in own if checkpoint.database == database)
            warnings = tuple(warning for warning in warnings if warning.database == database)
            freezes = tuple(freeze for freeze in freezes if freeze.name == log.names.get(database))
            forced = tuple(catchup for catchup in forced if catchup.about == database)
        self.log, self.database = log, database
        self.io_warnings, self.freezes, self.catchups = warnings, freezes, forced
        #: All checkpoints, and those that a snapshot explains, or none.
        self.checkpoints, self.frozen = own, tuple(c for c in own if c.frozen)
        self.unfrozen = tuple(c for c in own if not c.frozen)
        self.is_errorlog = log.kind == "sqlserver-errorlog"

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

    def without(self, checkpoints: tuple[Checkpoint, ...]) -> Missing | None:
        """Why nothing is known about these checkpoints; None if something is."""
        return self.missing() or (None if checkpoints else _NO_CHECKPOINT)


def _evidence(checkpoint: Checkpoint, field: str) -> Evidence:
    row = f"db {checkpoint.database}" + (f":{checkpoint.unit}" if checkpoint.unit else "")
    section = "FlushCache" if "bufs" in checkpoint.numbers else "checkpoint_begin, checkpoint_end"
    return _of_number(section, row, _PRINTED[field], checkpoint.numbers[field])


def _of_number(section: str, row: str, column: str, number: Number) -> Evidence:
    value = int(number.value) if number.value.is_integer() else number.value
    # the difference of two times is not in the log
    place = (0, 0) if number.at < 0 else (number.at, number.at + len(number.text))
    return Evidence(
        section, row, column, number.text, value, lambda: number.line,
        lambda: Excerpt((), number.printed, *place),
    )  # fmt: skip


def _of_line(section: str, row: str, line: int, printed: str) -> Evidence:
    """A whole line as evidence without a number."""
    return Evidence(
        section, row, "", printed.strip(), None, lambda: line, lambda: Excerpt((), printed, 0, 0)
    )


def _weightiest(checkpoints: Iterable[Checkpoint], field: str) -> tuple[Evidence, ...]:
    """The evidence of the checkpoints with the largest numbers, in the order of the log."""
    having = [checkpoint for checkpoint in checkpoints if field in checkpoint.numbers]
    most = nlargest(SHOWN, having, key=lambda checkpoint: checkpoint.numbers[field].value)
    return tuple(_evidence(c, field) for c in sorted(most, key=lambda c: c.line))


def _sum(
    s: Seen, field: str, checkpoints: tuple[Checkpoint, ...] | None = None
) -> Figure | Missing:
    """The sum of a logged number over checkpoints; missing if no checkpoint has it."""
    chosen = s.checkpoints if checkpoints is None else checkpoints
    having = [checkpoint for checkpoint in chosen if field in checkpoint.numbers]
    if not s.is_errorlog and field != "ms":
        return Missing("not in checkpoint events", (FLUSH,))
    if not having:
        why = f"no checkpoint in the log has `{_PRINTED[field]}`"
        return s.without(chosen) or Missing(why, (FLUSH,))
    total = sum(checkpoint.numbers[field].value for checkpoint in having)
    return Figure(total, _PRINTED[field], _weightiest(having, field))


def _count(s: Seen, checkpoints: tuple[Checkpoint, ...]) -> Figure | Missing:
    return s.missing() or Figure(len(checkpoints), "checkpoints", _weightiest(checkpoints, "ms"))


def _databases(s: Seen) -> Answer:
    wanted = s.log.databases if s.database is None else (s.database,)
    if not wanted:
        why = "no database with checkpoints or warnings is in the log"
        return s.missing() or Missing(why, (FLUSH, XEVENTS))
    return text_fact(tuple(s.log.label(database) for database in wanted), (), "measured")


def _hourly(s: Seen) -> Answer:
    elapsed = s.log.elapsed_s
    if not s.is_errorlog and len(s.checkpoints) < 2:  # noqa: PLR2004 - an interval has two ends
        why = "fewer than two checkpoints have no rate"
        return s.without(s.checkpoints) or Missing(why, (XEVENTS,))
    log_s = Figure(elapsed, "s") if elapsed else _NO_SPAN
    return _count(s, s.checkpoints) / (log_s / 3600)


def _ms(checkpoint: Checkpoint) -> Figure:
    return Figure(checkpoint.numbers["ms"].value, "ms", (_evidence(checkpoint, "ms"),))


def _by_length(checkpoints: tuple[Checkpoint, ...]) -> list[Checkpoint]:
    return sorted(checkpoints, key=lambda checkpoint: (checkpoint.seconds, checkpoint.line))


def _rank(s: Seen, share: float, chosen: tuple[Checkpoint, ...]) -> Answer:
    """A percentile of checkpoint durations (nearest rank)."""
    if missing := s.without(chosen):
        return missing
    return _ms(_by_length(chosen)[max(0, ceil(share * len(chosen)) - 1)]) / 1000


def _median(s: Seen) -> Answer:
    if missing := s.without(s.checkpoints):
        return missing
    ordered = _by_length(s.checkpoints)
    low, high = ordered[(len(ordered) - 1) // 2], ordered[len(ordered) // 2]
    return (_ms(low) if low is high else (_ms(low) + _ms(high)) / 2) / 1000


def _worst(s: Seen) -> Answer:
    if missing := s.without(s.unfrozen):
        return missing
    total: Counter[str] = Counter()
    for checkpoint in s.unfrozen:
        total[checkpoint.database] += round(checkpoint.numbers["ms"].value)
    database, ms = total.most_common(1)[0]
    own = (checkpoint for checkpoint in s.unfrozen if checkpoint.database == database)
    note = f"{ms / 1000:,.0f} s of checkpoints"
    return text_fact(s.log.label(database), _weightiest(own, "ms"), "derived", note)


def _unfrozen_pct(s: Seen) -> Answer:
    if missing := s.missing():
        return missing
    if not s.log.elapsed_s:
        return _NO_SPAN
    covered = round(covered_s(s.unfrozen, s.log.begin), 3)
    running = Figure(covered, "s during checkpoints", _weightiest(s.unfrozen, "ms"))
    return running * 100 / Figure(s.log.elapsed_s, "s")


def _by_hour(s: Seen) -> Answer:
    if missing := s.without(s.checkpoints):
        return missing
    hours = Counter(c.end.hour for c in s.checkpoints if c.end is not None)
    if not hours:
        return Missing("the checkpoints have no time stamps", (LOG,))
    return text_fact(tuple(f"{hour:02} h: {hours[hour]}" for hour in sorted(hours)), (), "derived")


def _saturations(s: Seen) -> Answer:
    own = tuple(checkpoint for checkpoint in s.unfrozen if "saturation" in checkpoint.numbers)
    return _sum(s, "saturation", own) / _sum(s, "writes", own)


def _last_target(s: Seen) -> Answer:
    having = [checkpoint for checkpoint in s.unfrozen if "target" in checkpoint.numbers]
    if not having:
        return _sum(s, "target", ())
    one = min(having, key=lambda checkpoint: checkpoint.numbers["target"].value)
    return Figure(one.numbers["target"].value, "writes", (_evidence(one, "target"),))


def _latency(s: Seen) -> Answer:
    own = tuple(checkpoint for checkpoint in s.unfrozen if "latency" in checkpoint.numbers)
    amount, count = _sum(s, "latency", own), _sum(s, "writes", own)
    if isinstance(amount, Missing) or isinstance(count, Missing):
        return amount / count
    weighed = sum(e.numbers["latency"].value * e.numbers["writes"].value for e in own)
    return Figure(weighed, "ms of writing", amount.evidence) / count


#: A warning belongs to a checkpoint up to this time after its end: a warning is written some time
#: after the request, at most once per file in five minutes (message 833).
_BESIDE: Final = timedelta(seconds=300)


def _of_errorlog(s: Seen, number: float, unit: str, proof: Iterable[Evidence]) -> Answer:
    return Figure(number, unit, tuple(proof)) if s.is_errorlog else _NO_EVENT


def _catchups(s: Seen) -> Answer:
    shown = (("DirtyPageMgr", f"db {c.about}" if c.about else "", c.line, c.printed)
             for c in s.catchups[:SHOWN])  # fmt: skip
    return _of_errorlog(s, len(s.catchups), "messages", (_of_line(*parts) for parts in shown))


def _warned(s: Seen, warnings: Sequence[IoWarning], *, requests: bool = False) -> Answer:
    proof = (
        _of_number("I/O longer than 15 s", f"db {warning.database}", "occurrences",
                   warning.requests)
        for warning in warnings[:SHOWN]
    )  # fmt: skip
    if requests:
        return _of_errorlog(s, sum(io.requests.value for io in warnings), "requests", proof)
    return _of_errorlog(s, len(warnings), "warnings", proof)


def _beside(s: Seen) -> Answer:
    spans: dict[str, list[tuple[datetime, datetime]]] = {}
    for checkpoint in s.unfrozen:
        if checkpoint.begin is not None and checkpoint.end is not None:
            spans.setdefault(checkpoint.database, []).append((checkpoint.end, checkpoint.begin))
    earliest = {}
    for database, own in spans.items():
        own.sort()
        # the earliest begin of every checkpoint and all that end later
        earliest[database] = [*accumulate((begin for _, begin in reversed(own)), min)][::-1]

    def is_beside(warning: IoWarning) -> bool:
        own, at = spans.get(warning.database, []), warning.at
        place = 0 if at is None else bisect_left(own, (at - _BESIDE,))
        return at is not None and place < len(own) and earliest[warning.database][place] <= at

    return _warned(s, [*filter(is_beside, s.io_warnings)])


def _longest_io(s: Seen) -> Answer:
    longest = [w.longest_ms for w in s.io_warnings if w.longest_ms is not None]
    if not longest:
        return Missing("no warning has the duration of the request", (LOG,))
    one = max(longest, key=lambda number: number.value)
    proof = _of_number("I/O longer than 15 s", "", "duration", one)
    return Figure(one.value, "ms", (proof,)) / 1000


def _memory(s: Seen) -> Answer:
    memory = s.log.server.memory
    if memory is None:
        return Missing("the log does not have the memory of the machine", (LOG,))
    proof = _of_number("start of the instance", "", "MB of RAM", memory)
    return Figure(memory.value, "MB", (proof,))


def _short_of_memory(s: Seen, about: str) -> Answer:
    warnings = [warning for warning in s.log.memory_warnings if warning.about == about]
    proof = (_of_line("memory", "", warning.line, warning.printed) for warning in warnings[:SHOWN])
    return _of_errorlog(s, len(warnings), "messages", proof)


def _froze(freezes: Sequence[Freeze]) -> tuple[Evidence, ...]:
    longest = sorted(freezes, key=lambda freeze: freeze.seconds, reverse=True)[:SHOWN]
    return tuple(_of_line("I/O is frozen", f.name, f.line, f.printed) for f in longest)


def _freezes(s: Seen) -> Answer:
    return Figure(len(s.freezes), "freezes", _froze(s.freezes)) if s.is_errorlog else _NO_SNAPSHOTS


def _longest_freeze(s: Seen) -> Answer:
    ended = [freeze for freeze in s.freezes if freeze.begin is not None and freeze.end is not None]
    if not ended:
        return Missing("the log has no complete freeze", (LOG,))
    one = max(ended, key=lambda freeze: freeze.seconds)
    return Figure(round(one.seconds, 3), "s", _froze([one]))


#: All of them: name, unit, kind, what is better, definition, formula.
FACTS: Final = (
    fact("load.elapsed_s", "s", "none", "neither",
         "Time from the first to the last line or event with a time stamp.",
         lambda s: _NO_TIMES if s.log.elapsed_s is None else Figure(s.log.elapsed_s, "s")),
    fact("load.response_s", "s", "total", "lower",
         "DB time, which a SQL Server log does not have.",
         lambda _: Missing("a SQL Server log has no DB time", ("time_model",))),
    fact("sqlserver.databases", "names", "level", "neither",
         "Databases with checkpoints or warnings in the log, ordered by checkpoint time.",
         _databases),
    fact("sqlserver.checkpoints", "count", "total", "neither", "Checkpoints in the log.",
         lambda s: _count(s, s.checkpoints)),
    fact("sqlserver.snapshot_checkpoints", "count", "total", "neither",
         "Checkpoints that ended during a snapshot's freeze, or were frozen for half their time.",
         lambda s: _count(s, s.frozen) if s.is_errorlog else _NO_SNAPSHOTS),
    fact("sqlserver.unfrozen_checkpoints", "count", "total", "neither",
         "Checkpoints that no snapshot explains.", lambda s: _count(s, s.unfrozen)),
    fact("sqlserver.checkpoints_per_hour", "1/h", "rate", "neither",
         "Checkpoints in the log per hour; not known from one event, which has no interval.",
         _hourly),
    fact("sqlserver.checkpoint_min_s", "s", "level", "lower", "The shortest checkpoint.",
         lambda s: _rank(s, 0.0, s.checkpoints)),
    fact("sqlserver.checkpoint_median_s", "s", "level", "lower",
         "The median duration of a checkpoint.", _median),
    fact("sqlserver.checkpoint_mean_s", "s", "level", "lower",
         "The average duration of a checkpoint.",
         lambda s: _sum(s, "ms") / 1000 / _count(s, s.checkpoints)),
    fact("sqlserver.checkpoint_p95_s", "s", "level", "lower",
         "The 95th percentile of checkpoint durations.", lambda s: _rank(s, 0.95, s.checkpoints)),
    fact("sqlserver.checkpoint_max_s", "s", "level", "lower", "The longest checkpoint.",
         lambda s: _rank(s, 1.0, s.checkpoints)),
    fact("sqlserver.checkpoint_total_s", "s", "total", "lower",
         "The sum of all checkpoint durations; concurrent checkpoints are added.",
         lambda s: _sum(s, "ms") / 1000),
    fact("sqlserver.worst_database", "name", "level", "neither",
         "The database with the most checkpoint time that no snapshot explains.", _worst),
    fact("sqlserver.unfrozen_max_s", "s", "level", "lower",
         "The longest checkpoint that no snapshot explains.", lambda s: _rank(s, 1.0, s.unfrozen)),
    fact("sqlserver.unfrozen_time_pct", "%", "level", "lower",
         "Share of the log's time during checkpoints that no snapshot explains.", _unfrozen_pct),
    fact("sqlserver.checkpoints_by_hour", "names", "level", "neither",
         "Checkpoints by the hour of the day of their end; hours without checkpoints are omitted.",
         _by_hour),
    fact("sqlserver.buffers", "count", "total", "neither",
         "Buffers of 8 KB that checkpoints wrote.", lambda s: _sum(s, "bufs")),
    fact("sqlserver.writes", "count", "total", "neither", "Writes of checkpoints.",
         lambda s: _sum(s, "writes")),
    fact("sqlserver.buffers_per_write", "ratio", "level", "neither",
         "Buffers per write; low if dirty pages are scattered.",
         lambda s: _sum(s, "bufs") / _sum(s, "writes")),
    fact("sqlserver.writes_per_s", "1/s", "rate", "neither",
         "Writes per second of checkpoint time.",
         lambda s: _sum(s, "writes") / (_sum(s, "ms") / 1000)),
    fact("sqlserver.mb_per_s", "MB/s", "rate", "neither",
         "Megabytes per second of checkpoint time, calculated from the number of buffers.",
         lambda s: _sum(s, "bufs") * 8 / 1024 / (_sum(s, "ms") / 1000)),
    fact("sqlserver.avoided_buffers", "count", "total", "neither",
         "Buffers that became dirty during the checkpoint and were not written.",
         lambda s: _sum(s, "avoided")),
    fact("sqlserver.saturations_per_write", "ratio", "level", "lower",
         "How often per write the target of outstanding writes was reached, outside snapshots.",
         _saturations),
    fact("sqlserver.last_target_outstanding", "count", "level", "neither",
         "The lowest last target of outstanding writes, outside snapshots.", _last_target),
    fact("sqlserver.write_latency_ms", "ms", "level", "lower",
         "Logged latency of checkpoint writes outside snapshots, weighted by writes.", _latency),
    fact("sqlserver.forced_catchups", "count", "total", "lower",
         "Forced indirect checkpoints (`DirtyPageMgr::ForceCatchupOrFlushCache`).", _catchups),
    fact("sqlserver.io_warnings", "count", "total", "lower",
         "Warnings about I/O requests over 15 seconds (message 833).",
         lambda s: _warned(s, s.io_warnings)),
    fact("sqlserver.io_warning_requests", "count", "total", "lower",
         "I/O requests over 15 seconds, as counted in these warnings.",
         lambda s: _warned(s, s.io_warnings, requests=True)),
    fact("sqlserver.io_warnings_beside", "count", "total", "lower",
         "Such warnings during a checkpoint of the same database or up to 5 minutes after it.",
         _beside),
    fact("sqlserver.longest_io_s", "s", "level", "lower",
         "The longest I/O request in these warnings.", _longest_io),
    fact("sqlserver.memory_mb", "MB", "level", "neither",
         "Memory of the machine, which automatic checkpoints search for dirty pages.", _memory),
    fact("sqlserver.numa_nodes", "count", "level", "neither",
         "NUMA nodes; each has one lazy writer.",
         lambda s: Figure(n, "nodes") if (n := s.log.server.nodes) else _NO_NODES),
    fact("sqlserver.lazy_writer_warnings", "count", "total", "lower",
         "How often the lazy writer found no free buffer (`LazyWriter: warning`).",
         lambda s: _short_of_memory(s, "")),
    fact("sqlserver.paged_out", "count", "total", "lower",
         "How often Windows paged out a significant part of SQL Server's memory (message 17890).",
         lambda s: _short_of_memory(s, "paged")),
    fact("sqlserver.freezes", "count", "total", "neither",
         "How often a snapshot froze a database's I/O.", _freezes),
    fact("sqlserver.longest_freeze_s", "s", "level", "lower",
         "The longest time that a snapshot froze a database's I/O.", _longest_freeze),
)  # fmt: skip


def facts_of(log: Log, database: str | None = None) -> dict[str, Fact]:
    """All facts of a log or of one database, available or not."""
    seen = Seen(log, database)
    facts = ((spec, spec.function(seen)) for spec in FACTS)
    return {s.name: fact.named(s.name, s.unit, fact.sections or (LOG,)) for s, fact in facts}
