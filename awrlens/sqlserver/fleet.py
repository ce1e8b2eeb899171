"""Many logs in one table: version, databases, the longest checkpoint, what to change.

# Indirect Checkpoints: first the number of databases and the version of every instance
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from awrlens.lazy import NamedTuple
from awrlens.model import SCHEMA_VERSION, SEVERITIES
from awrlens.sqlserver.analysis import TARGET, changes, has_target, since
from awrlens.sqlserver.facts import facts_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from awrlens.model import Analysis
    from awrlens.sqlserver.events import Log


class Row(NamedTuple):
    """One log of a fleet; None is not in the log."""

    server: str | None
    release: str | None
    source: str
    severity: str
    databases: int
    long_databases: int
    checkpoints: float | None
    longest_s: float | None
    time_pct: float | None
    memory_gb: float | None
    slow_requests: float | None
    #: The verdict on TARGET_RECOVERY_TIME, or `not-applicable` where the release does not have it.
    verdict: str
    title: str
    commands: tuple[str, ...]


def rows(analyses: Sequence[tuple[Log, Analysis]]) -> tuple[Row, ...]:
    """A row per log, the worst first; durations are those since a change within the log."""
    ordered = sorted(
        (_row(log, analysis) for log, analysis in analyses),
        key=lambda row: (-SEVERITIES.index(row.severity), -(row.longest_s or 0.0), row.source),
    )
    return tuple(ordered)


def _row(log: Log, analysis: Analysis) -> Row:
    facts = facts_of(since(log, changes(log)))
    target = next(item for item in analysis.recommendations if item.id == TARGET)
    memory = analysis.facts["sqlserver.memory_mb"].number
    doing = target.status in ("apply", "tune-first")
    return Row(
        analysis.report["instance"], analysis.report["release"], analysis.report["source"],
        analysis.verdicts.write_path, len(analysis.databases),
        sum(any(f.id == "SQLS001" for f in part.findings) for part in analysis.databases),
        facts["sqlserver.checkpoints"].number, facts["sqlserver.unfrozen_max_s"].number,
        facts["sqlserver.unfrozen_time_pct"].number, memory and memory / 1024,
        analysis.facts["sqlserver.io_warning_requests"].number,
        _verdict(log, target.status, facts["sqlserver.checkpoints"].number), target.title,
        target.commands if doing else (),
    )  # fmt: skip


def _verdict(log: Log, status: str, checkpoints: float | None) -> str:
    """Without checkpoints in a log, nothing is known of the benefit."""
    if not has_target(log.server.release):
        return "not-applicable"
    return "need-data" if status == "no-benefit" and not checkpoints else status


def to_dict(fleet: tuple[Row, ...], skipped: Sequence[str] = ()) -> dict[str, Any]:
    """Plain data, as `sqlserver fleet --format json` prints it."""
    return {
        "schema_version": SCHEMA_VERSION,
        "logs": len(fleet),
        "databases": sum(row.databases for row in fleet),
        "long_databases": sum(row.long_databases for row in fleet),
        "commands": sum(len(row.commands) for row in fleet),
        "rows": [{**row._asdict(), "commands": list(row.commands)} for row in fleet],
        "skipped": list(skipped),
    }
