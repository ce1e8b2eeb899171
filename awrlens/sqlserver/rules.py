"""SQL Server's checkpoints: how long they take, what limits them, when they fall behind.

Source of the reasoning: Indirect Checkpoints. A log has no waits of sessions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.policy import declared
from awrlens.rules.base import Diagnosis, rule
from awrlens.units import ms_words, plain

if TYPE_CHECKING:
    from awrlens.model import Impact, Severity
    from awrlens.rules.base import Facts, Shown, Some


_KNOWN: Final = declared(__file__)
LONG_S: Final = _KNOWN["sqlserver.long_checkpoint_s"]
MANY: Final = _KNOWN["sqlserver.many"]
TIME_PCT: Final = _KNOWN["sqlserver.checkpoint_time_pct"]
MOST_TIME_PCT: Final = _KNOWN["sqlserver.most_time_pct"]
AT_TARGET: Final = _KNOWN["sqlserver.saturations_per_write"]
SLOW_MS: Final = _KNOWN["sqlserver.slow_write_ms"]


def no_seconds(f: Facts) -> Impact:
    """An impact without seconds."""
    return f.impact(None, "recovery time and writes, not waits: the log has no waits")


def few(f: Facts, count: float) -> str:
    """The doubt about a conclusion from few events."""
    events = times(count, "event was", "events were")
    return f"only {events} counted" if count < f.limit(MANY) else ""


def times(count: float, singular: str, plural: str) -> str:
    """A number with its noun."""
    return f"{count:,.0f} {singular if count == 1 else plural}"


@rule("SQLS001", "long-checkpoints", engine="sqlserver")
def long_checkpoints(
    f: Facts, sqlserver_unfrozen_checkpoints: Some, sqlserver_unfrozen_max_s: float,
    _sqlserver_checkpoint_median_s: Shown, sqlserver_unfrozen_time_pct: float | None,
    sqlserver_memory_mb: float | None,
    *, sqlserver_worst_database: str | None, sqlserver_io_warnings_beside: float | None,
    sqlserver_saturations_per_write: float | None, sqlserver_write_latency_ms: float | None,
    sqlserver_numa_nodes: float | None,
) -> Diagnosis | None:  # fmt: skip
    """Checkpoints take long."""
    count, longest = sqlserver_unfrozen_checkpoints, sqlserver_unfrozen_max_s
    share, worst = sqlserver_unfrozen_time_pct or 0.0, sqlserver_worst_database
    if longest < f.limit(LONG_S):
        return None
    many = count >= f.limit(MANY)
    severity: Severity = "warning" if many or share >= f.limit(TIME_PCT) else "info"
    if many and share >= f.limit(MOST_TIME_PCT):
        severity = "critical"
    # how much memory is searched, and how many lazy writers may hold the search up
    memory, nodes, searched = sqlserver_memory_mb, sqlserver_numa_nodes, ""
    if memory is not None:
        writers = "" if nodes is None else f", with {times(nodes, 'lazy writer', 'lazy writers')}"
        searched = f": the machine has {plain(memory / 1024)} GB of memory{writers}"
    at_storage = (  # what SQLS002, SQLS003 and SQLS005 report
        (sqlserver_saturations_per_write or 0.0) >= f.limit(AT_TARGET)
        or (sqlserver_write_latency_ms or 0.0) >= f.limit(SLOW_MS)
        or sqlserver_io_warnings_beside != 0
    )
    return Diagnosis(
        f"{times(count, 'checkpoint', 'checkpoints')}, the longest {longest:.0f} s"
        if count > 1
        else f"A checkpoint took {longest:.0f} s",
        severity,
        no_seconds(f),
        (f"Checkpoints run {plain(share)} % of the time. " if share else "")
        + (f"Most of this time is in {worst}. " if worst else "")
        + ("Crash recovery takes correspondingly long." if at_storage
           else "No I/O over 15 s was logged, so the time probably goes to scanning the buffer "
           f"pool for dirty pages rather than to storage{searched}."),
        doubt=few(f, count),
        related=("SQLS003",),
    )  # fmt: skip


@rule(
    "SQLS002",
    "checkpoints-at-write-target",
    needs=("sqlserver.unfrozen_checkpoints", "sqlserver.unfrozen_max_s"),
    engine="sqlserver",
)
def checkpoints_at_write_target(
    f: Facts, sqlserver_saturations_per_write: float,
    sqlserver_last_target_outstanding: float | None, _sqlserver_write_latency_ms: Shown,
    *, sqlserver_unfrozen_checkpoints: Some, sqlserver_unfrozen_max_s: float,
) -> Diagnosis | None:  # fmt: skip
    """Long checkpoints are limited by their own target of outstanding writes."""
    ratio, target = sqlserver_saturations_per_write, sqlserver_last_target_outstanding
    if sqlserver_unfrozen_max_s < f.limit(LONG_S) or ratio < f.limit(AT_TARGET):
        return None
    return Diagnosis(
        "Checkpoints wait for their own writes: they reach the target of outstanding writes "
        f"{plain(ratio)} times per write",
        "warning",
        no_seconds(f),
        "The storage of the data files determines their length."
        + ("" if target is None else f" The target fell to {target:,.0f} outstanding writes."),
        doubt=few(f, sqlserver_unfrozen_checkpoints),
        related=("SQLS003",),
    )


@rule(
    "SQLS003",
    "slow-checkpoint-writes",
    needs=("sqlserver.unfrozen_checkpoints", "sqlserver.unfrozen_max_s"),
    engine="sqlserver",
)
def slow_checkpoint_writes(
    f: Facts, sqlserver_write_latency_ms: float, sqlserver_mb_per_s: float | None,
    *, sqlserver_unfrozen_checkpoints: Some, sqlserver_unfrozen_max_s: float,
) -> Diagnosis | None:  # fmt: skip
    """Writes of long checkpoints are slow."""
    latency, rate = sqlserver_write_latency_ms, sqlserver_mb_per_s
    if sqlserver_unfrozen_max_s < f.limit(LONG_S) or latency < f.limit(SLOW_MS):
        return None
    return Diagnosis(
        f"Checkpoint writes take {ms_words(latency)}",
        "warning",
        no_seconds(f),
        "SQL Server throttles checkpoints at this latency."
        + ("" if rate is None else f" They write {plain(rate)} MB/s."),
        doubt=few(f, sqlserver_unfrozen_checkpoints),
        related=("SQLS002", "SQLS005"),
    )


@rule("SQLS006", "indirect-checkpoint-falls-behind", engine="sqlserver")
def indirect_checkpoint_falls_behind(f: Facts, sqlserver_forced_catchups: Some) -> Diagnosis | None:
    """An indirect checkpoint falls behind its target."""
    count = sqlserver_forced_catchups
    if not count:
        return None
    return Diagnosis(
        f"SQL Server forced an indirect checkpoint to catch up {times(count, 'time', 'times')}",
        "warning" if count >= f.limit(MANY) else "info",
        no_seconds(f),
        "Dirty pages grew faster than the background writer wrote them.",
        doubt=few(f, count),
        related=("SQLS003",),
    )


FREEZE_S: Final = _KNOWN["sqlserver.long_freeze_s"]
SLEPT_S: Final = _KNOWN["sqlserver.slept_s"]


@rule("SQLS004", "checkpoints-under-snapshots", engine="sqlserver")
def checkpoints_under_snapshots(
    f: Facts, sqlserver_snapshot_checkpoints: Some, sqlserver_longest_freeze_s: float | None
) -> Diagnosis | None:
    """Long checkpoints are due to a snapshot, not to the storage."""
    count, freeze = sqlserver_snapshot_checkpoints, sqlserver_longest_freeze_s
    if not count:
        return None
    lasting = freeze is not None and freeze >= f.limit(FREEZE_S)
    ran = f"{times(count, 'checkpoint', 'checkpoints')} ran while a snapshot froze I/O"
    return Diagnosis(
        f"{ran}, for up to {plain(freeze)} s"
        if freeze is not None and lasting
        else f"{ran}: not a storage problem",
        "warning" if lasting else "info",
        no_seconds(f),
        "Other rules exclude such checkpoints."
        + (" Sessions cannot write while I/O is frozen." if lasting else ""),
    )


@rule("SQLS005", "io-warnings-beside-checkpoints", engine="sqlserver")
def io_warnings_beside_checkpoints(
    f: Facts, sqlserver_io_warning_requests: Some, sqlserver_io_warnings_beside: float,
    sqlserver_longest_io_s: float | None,
) -> Diagnosis | None:  # fmt: skip
    """I/O requests took longer than 15 seconds."""
    requests, near = sqlserver_io_warning_requests, sqlserver_io_warnings_beside
    if not requests:
        return None
    longest = sqlserver_longest_io_s or 0.0
    slept = longest >= f.limit(SLEPT_S)
    severity: Severity = "warning" if near else "info"
    if near >= f.limit(MANY) and not slept:
        severity = "critical"
    took = f"{times(requests, 'I/O request', 'I/O requests')} took longer than 15 s"
    return Diagnosis(
        f"{took}; {times(near, 'warning is', 'warnings are')} near checkpoints"
        if near
        else f"{took}, none of them near a checkpoint",
        severity,
        no_seconds(f),
        (f"The longest took {longest:,.0f} s. " if longest else "")
        + ("Checkpoints and other I/O slow each other down." if near
           else "Checkpoints are not the reason; the storage or the machine is."),
        doubt=f"a request of {longest / 3600:,.0f} h: the machine was suspended or moved"
        if slept else "",
        related=("SQLS003",),
    )  # fmt: skip


@rule("SQLS007", "buffer-pool-without-free-buffers", engine="sqlserver")
def no_free_buffers(
    f: Facts, sqlserver_lazy_writer_warnings: float, sqlserver_paged_out: float,
    sqlserver_memory_mb: float | None, _sqlserver_numa_nodes: Shown,
) -> Diagnosis | None:  # fmt: skip
    """The lazy writer found no free buffers, or memory was paged out."""
    starved, paged = sqlserver_lazy_writer_warnings, sqlserver_paged_out
    if not starved and not paged:
        return None
    parts = (
        f"the lazy writer found no free buffers {times(starved, 'time', 'times')}"
        if starved
        else "",
        f"Windows paged out memory of SQL Server {times(paged, 'time', 'times')}" if paged else "",
    )
    title, memory = "; ".join(filter(None, parts)), sqlserver_memory_mb
    return Diagnosis(
        f"{title[0].upper()}{title[1:]}",
        "warning" if starved + paged >= f.limit(MANY) else "info",
        no_seconds(f),
        "Dirty pages must be written before their buffers can be used again."
        + ("" if memory is None else f" The machine has {plain(memory / 1024)} GB of memory."),
        doubt=few(f, starved + paged),
        related=("SQLS001", "SQLS003"),
    )
