"""Many logs in one table: version, databases, the longest checkpoint, what to change.

# Indirect Checkpoints: first the number of databases and the version of every instance
"""

from __future__ import annotations

import csv
import io
from itertools import chain
from typing import TYPE_CHECKING, Any, Final

from awrlens.lazy import NamedTuple, regex
from awrlens.model import SCHEMA_VERSION, SEVERITIES
from awrlens.sqlserver.analysis import TARGET, changes, has_target, since
from awrlens.sqlserver.facts import facts_of
from awrlens.units import parse_number

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from awrlens.model import Analysis, Finding
    from awrlens.redact.names import Names
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
    #: Why it has its severity.
    why: str = ""
    #: Databases with automatic checkpoints; None for a log.
    automatic: int | None = None


def rows(analyses: Sequence[tuple[Log, Analysis]], listed: Iterable[Row] = ()) -> tuple[Row, ...]:
    """A row per log, by server, the worst first; durations are those since a change."""
    with_events = [
        *((_row(log, analysis), _events(analysis)) for log, analysis in analyses),
        *((row, 0.0) for row in listed),
    ]
    ranked = sorted(
        (-SEVERITIES.index(row.severity), -(row.longest_s or 0.0), -events, row.source, row)
        for row, events in with_events
    )
    servers: dict[str, list[Row]] = {}
    for *_, row in ranked:
        servers.setdefault(row.server or row.source, []).append(row)
    return tuple(chain.from_iterable(servers.values()))


def _leading(analysis: Analysis) -> Finding | None:
    """The finding that gives a log its severity."""
    of = analysis.verdicts.write_path
    return next((finding for finding in analysis.findings if finding.severity == of), None)


def _events(analysis: Analysis) -> float:
    """How often the log has what its leading finding is about."""
    finding = _leading(analysis)
    facts = finding.facts if finding else ()
    return sum(fact.number or 0.0 for fact in facts if fact.unit == "count")


#: Columns that `awrlens sql checkpoint-inventory` has on every instance; a query window of a
#: Central Management Server puts the name of the server before them.
_COUNTED: Final = {"database_count", "automatic", "version"}
_VERSION: Final = regex(r"\b\d{1,2}\.\d{1,2}\.\d{1,5}(?:\.\d{1,5})?\b")


def inventory(
    text: str, source: str, names: Names | None = None
) -> tuple[list[Row], list[str]] | None:
    """The instances in a result of the inventory, saved as CSV, and which of them it lacks.

    # Indirect Checkpoints: 1,590 databases on 102 instances
    """
    head = text[:200].partition("\n")[0].lower()
    if not all(name in head for name in _COUNTED):
        return None
    delimiter = max("\t;,", key=head.count)
    source = names.file(source) if names else source
    instances: list[Row] = []
    skipped: list[str] = []
    for record in csv.DictReader(io.StringIO(text), delimiter=delimiter):
        row = {str(name or "").strip().lower(): str(value or "") for name, value in record.items()}
        server = row.get("server name") or row.get("server") or None
        server = names.of(server) if names and server else server
        databases, automatic = (parse_number(row.get(name, ""))
                                for name in ("database_count", "automatic"))  # fmt: skip
        if databases == 0:
            automatic = databases  # a SUM over no database is NULL
        if databases is None or automatic is None:
            lacking = "database_count" if databases is None else "automatic"
            skipped.append(f"{source}: {server or 'an instance'}: {lacking} is not a number")
            continue
        count, old = int(databases), int(automatic)
        version = _VERSION.search(row.get("version", ""))
        release = version[0] if version else None
        memory = parse_number(row.get("memory_gb", ""))
        why = f"{old:,} of {count:,} databases use automatic checkpoints"
        possible = has_target(release) and not row.get("note", "").strip()
        instances.append(Row(
            server, release, source,
            "info" if old and possible else "ok", count, 0, None, None, None,
            None if memory is None else float(memory), None,
            "need-data" if possible and old else "no-benefit" if possible else "not-applicable",
            why, (), why, old,
        ))  # fmt: skip
    return instances, skipped


def _row(log: Log, analysis: Analysis) -> Row:
    facts = facts_of(since(log, changes(log)))
    target = next(item for item in analysis.recommendations if item.id == TARGET)
    memory = analysis.facts["sqlserver.memory_mb"].number
    doing = target.status in ("apply", "tune-first")
    verdict: str = target.status
    if not has_target(log.server.release):
        verdict = "not-applicable"
    elif verdict == "no-benefit" and not facts["sqlserver.checkpoints"].number:
        verdict = "need-data"  # without checkpoints, nothing is known of the benefit
    return Row(
        analysis.report["instance"], analysis.report["release"], analysis.report["source"],
        analysis.verdicts.write_path, len(analysis.databases),
        sum(any(f.id == "SQLS001" for f in part.findings) for part in analysis.databases),
        facts["sqlserver.checkpoints"].number, facts["sqlserver.unfrozen_max_s"].number,
        facts["sqlserver.unfrozen_time_pct"].number, memory and memory / 1024,
        analysis.facts["sqlserver.io_warning_requests"].number,
        verdict, target.title, target.commands if doing else (),
        leading.title if (leading := _leading(analysis)) else "",
    )  # fmt: skip


def to_dict(fleet: tuple[Row, ...], skipped: Sequence[str] = ()) -> dict[str, Any]:
    """Plain data, as `sqlserver fleet --format json` prints it."""
    listed = [row for row in fleet if row.automatic is not None]
    logs = [row for row in fleet if row.automatic is None]
    return {
        "schema_version": SCHEMA_VERSION,
        "logs": len(logs),
        "databases": sum(row.databases for row in logs),
        "instances": len(listed),
        "instance_databases": sum(row.databases for row in listed),
        "automatic": sum(row.automatic or 0 for row in listed),
        "long_databases": sum(row.long_databases for row in fleet),
        "commands": sum(len(row.commands) for row in fleet),
        "rows": [{**row._asdict(), "commands": list(row.commands)} for row in fleet],
        "skipped": list(skipped),
    }
