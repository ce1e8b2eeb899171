"""Facts on events next to checkpoints: slow requests, freezes, forced checkpoints."""

from __future__ import annotations

from bisect import bisect_left
from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING, Final

from awrlens.facts.formula import Figure, Missing, derive, measured, unavailable
from awrlens.model import Evidence
from awrlens.sqlserver.events import overlap_s
from awrlens.sqlserver.fact_input import LOG, SHOWN, fact, line_of, of_line, place

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from awrlens.model import Fact
    from awrlens.sqlserver.events import Freeze, IoWarning
    from awrlens.sqlserver.fact_input import Seen

#: A warning belongs to a checkpoint up to this time after its end: a warning is written some time
#: after the request, at most once per file in five minutes (message 833).
_BESIDE: Final = timedelta(seconds=300)


@fact("sqlserver.forced_catchups", "count", kind="total", better="lower")
def forced_catchups(s: Seen) -> Fact:
    """Forced indirect checkpoints (`DirtyPageMgr::ForceCatchupOrFlushCache`)."""
    if not s.is_errorlog:
        return unavailable(Missing("not in checkpoint events", (LOG,)))
    found = s.catchups
    proof = tuple(of_line("DirtyPageMgr", f"db {c.database}" if c.database else "", c.line,
                           c.printed) for c in found[:SHOWN])  # fmt: skip
    return measured(Figure(len(found), "messages", proof))


def _warned(s: Seen, warnings: Iterable[IoWarning], *, requests: bool) -> Fact:
    if not s.is_errorlog:
        return unavailable(Missing("not in checkpoint events", (LOG,)))
    found = list(warnings)
    proof = tuple(
        Evidence("I/O longer than 15 s", f"db {w.database}", "occurrences", w.requests.text,
                 int(w.requests.value), partial(line_of, w.line),
                 partial(place, w.requests))
        for w in found[:SHOWN]
    )  # fmt: skip
    total = sum(w.requests.value for w in found) if requests else len(found)
    return measured(Figure(total, "requests" if requests else "warnings", proof))


@fact("sqlserver.io_warnings", "count", kind="total", better="lower")
def io_warnings(s: Seen) -> Fact:
    """Warnings about I/O requests over 15 seconds (message 833)."""
    return _warned(s, s.io_warnings, requests=False)


@fact("sqlserver.io_warning_requests", "count", kind="total", better="lower")
def io_warning_requests(s: Seen) -> Fact:
    """I/O requests over 15 seconds, as counted in these warnings."""
    return _warned(s, s.io_warnings, requests=True)


@fact("sqlserver.io_warnings_beside", "count", kind="total", better="lower")
def io_warnings_beside(s: Seen) -> Fact:
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
def longest_io_s(s: Seen) -> Fact:
    """The longest I/O request in these warnings."""
    longest = [w.longest_ms for w in s.io_warnings if w.longest_ms is not None]
    if not longest:
        return unavailable(Missing("no warning has the duration of the request", (LOG,)))
    one = max(longest, key=lambda number: number.value)
    proof = Evidence("I/O longer than 15 s", "", "duration", one.text, int(one.value),
                     partial(line_of, one.line), partial(place, one))  # fmt: skip
    return derive("ms / 1000", ms=Figure(one.value, "ms", (proof,)))


@fact("sqlserver.memory_mb", "MB", kind="level", better="neither")
def memory_mb(s: Seen) -> Fact:
    """Memory of the machine, which automatic checkpoints search for dirty pages."""
    memory = s.log.server.memory
    if memory is None:
        return unavailable(Missing("the log does not have the memory of the machine", (LOG,)))
    proof = Evidence("start of the instance", "", "MB of RAM", memory.text, int(memory.value),
                     partial(line_of, memory.line), partial(place, memory))  # fmt: skip
    return measured(Figure(memory.value, "MB", (proof,)))


@fact("sqlserver.numa_nodes", "count", kind="level", better="neither")
def numa_nodes(s: Seen) -> Fact:
    """NUMA nodes; each has one lazy writer."""
    if s.log.server.nodes is None:
        return unavailable(Missing("the log does not have the NUMA nodes", (LOG,)))
    return measured(Figure(s.log.server.nodes, "nodes"))


def _short_of_memory(s: Seen, *, paged: bool) -> Fact:
    if not s.is_errorlog:
        return unavailable(Missing("not in checkpoint events", (LOG,)))
    found = [each for each in s.log.memory_warnings if each.paged is paged]
    proof = tuple(of_line("memory", "", each.line, each.printed) for each in found[:SHOWN])
    return measured(Figure(len(found), "messages", proof))


@fact("sqlserver.lazy_writer_warnings", "count", kind="total", better="lower")
def lazy_writer_warnings(s: Seen) -> Fact:
    """How often the lazy writer found no free buffer (`LazyWriter: warning`)."""
    return _short_of_memory(s, paged=False)


@fact("sqlserver.paged_out", "count", kind="total", better="lower")
def paged_out(s: Seen) -> Fact:
    """How often Windows paged out a significant part of SQL Server's memory (message 17890)."""
    return _short_of_memory(s, paged=True)


def _frozen_s(freeze: Freeze) -> float:
    return overlap_s(freeze.begin, freeze.end, freeze.begin, freeze.end)


@fact("sqlserver.freezes", "count", kind="total", better="neither")
def freezes(s: Seen) -> Fact:
    """How often a snapshot froze a database's I/O."""
    if not s.is_errorlog:
        return unavailable(Missing("snapshots are not in checkpoint events", (LOG,)))
    longest = sorted(s.freezes, key=_frozen_s, reverse=True)[:SHOWN]
    proof = tuple(of_line("I/O is frozen", f.name, f.line, f.printed) for f in longest)
    return measured(Figure(len(s.freezes), "freezes", proof))


@fact("sqlserver.longest_freeze_s", "s", kind="level", better="lower")
def longest_freeze_s(s: Seen) -> Fact:
    """The longest time that a snapshot froze a database's I/O."""
    ended = [each for each in s.freezes if each.begin is not None and each.end is not None]
    if not ended:
        return unavailable(Missing("the log has no complete freeze", (LOG,)))
    one = max(ended, key=_frozen_s)
    proof = (of_line("I/O is frozen", one.name, one.line, one.printed),)
    return measured(Figure(round(_frozen_s(one), 3), "s", proof))
