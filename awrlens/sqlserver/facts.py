"""All facts of a SQL Server log: name, unit and function, in display order.

The same functions apply to a whole log and to one database. Facts do not use thresholds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from awrlens.facts.formula import finished
from awrlens.sqlserver import amounts, beside, lengths
from awrlens.sqlserver.seen import LOG, seen_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from awrlens.model import Fact
    from awrlens.sqlserver.events import Log
    from awrlens.sqlserver.seen import Seen


class LogFact(NamedTuple):
    """A fact's public name, its unit and its function."""

    name: str
    unit: str
    function: Callable[[Seen], Fact]

    @property
    def definition(self) -> str:
        """The first sentence of the function's documentation."""
        return (self.function.__doc__ or "").strip().split("\n")[0]


FACTS: Final = (
    LogFact("load.elapsed_s", "s", lengths.elapsed_s),
    LogFact("load.response_s", "s", lengths.response_s),
    LogFact("sqlserver.databases", "names", lengths.databases),
    LogFact("sqlserver.checkpoints", "count", lengths.checkpoints),
    LogFact("sqlserver.snapshot_checkpoints", "count", lengths.snapshot_checkpoints),
    LogFact("sqlserver.unfrozen_checkpoints", "count", lengths.unfrozen_checkpoints),
    LogFact("sqlserver.checkpoints_per_hour", "1/h", lengths.per_hour),
    LogFact("sqlserver.checkpoint_min_s", "s", lengths.min_s),
    LogFact("sqlserver.checkpoint_median_s", "s", lengths.median_s),
    LogFact("sqlserver.checkpoint_mean_s", "s", lengths.mean_s),
    LogFact("sqlserver.checkpoint_p95_s", "s", lengths.p95_s),
    LogFact("sqlserver.checkpoint_max_s", "s", lengths.max_s),
    LogFact("sqlserver.checkpoint_total_s", "s", lengths.total_s),
    LogFact("sqlserver.worst_database", "name", lengths.worst_database),
    LogFact("sqlserver.unfrozen_max_s", "s", lengths.unfrozen_max_s),
    LogFact("sqlserver.unfrozen_time_pct", "%", lengths.unfrozen_time_pct),
    LogFact("sqlserver.checkpoints_by_hour", "names", lengths.by_hour),
    LogFact("sqlserver.buffers", "count", amounts.buffers),
    LogFact("sqlserver.writes", "count", amounts.writes),
    LogFact("sqlserver.buffers_per_write", "ratio", amounts.buffers_per_write),
    LogFact("sqlserver.writes_per_s", "1/s", amounts.writes_per_s),
    LogFact("sqlserver.mb_per_s", "MB/s", amounts.mb_per_s),
    LogFact("sqlserver.avoided_buffers", "count", amounts.avoided_buffers),
    LogFact("sqlserver.saturations_per_write", "ratio", amounts.saturations_per_write),
    LogFact("sqlserver.last_target_outstanding", "count", amounts.last_target),
    LogFact("sqlserver.write_latency_ms", "ms", amounts.write_latency_ms),
    LogFact("sqlserver.forced_catchups", "count", beside.forced_catchups),
    LogFact("sqlserver.io_warnings", "count", beside.io_warnings),
    LogFact("sqlserver.io_warning_requests", "count", beside.io_warning_requests),
    LogFact("sqlserver.io_warnings_beside", "count", beside.io_warnings_beside),
    LogFact("sqlserver.longest_io_s", "s", beside.longest_io_s),
    LogFact("sqlserver.freezes", "count", beside.freezes),
    LogFact("sqlserver.longest_freeze_s", "s", beside.longest_freeze_s),
)


def facts_of(log: Log, database: str | None = None) -> dict[str, Fact]:
    """All facts of a log or of one database, available or not."""
    seen = seen_of(log, database)
    return {spec.name: _finished(spec, spec.function(seen)) for spec in FACTS}


def _finished(spec: LogFact, fact: Fact) -> Fact:
    return finished(fact, spec.name, spec.unit, fact.sections or (LOG,))
