"""Wording of a SQL Server log: its server, its databases, its states."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from awrlens.model import Analysis

#: States with their rules, and the fact without which the state is unknown.
_STATES: Final = (
    ("checkpoints", ("SQLS001", "SQLS006"), "sqlserver.checkpoints"),
    ("storage", ("SQLS002", "SQLS003", "SQLS005"), "sqlserver.io_warnings"),
    ("snapshots", ("SQLS004",), "sqlserver.freezes"),
    ("memory", ("SQLS007",), "sqlserver.paged_out"),
)


def who(analysis: Analysis) -> str:
    """The server that wrote the log."""
    report = analysis.report
    name = report["instance"] or "unknown server"
    return f"{name} · {report['release'] or 'unknown release'}"


def database(part: Analysis) -> str:
    """The name of a database of the log."""
    name, number = part.report["db_name"], part.report["db_id"]
    return f"{name} (database {number})" if name else f"database {number}"


def strip(analysis: Analysis) -> list[tuple[str, str, str]]:
    """The states: name, severity and rule; ``unknown`` is never ``ok``."""
    found: list[tuple[str, str, str]] = []
    for name, rules, key in _STATES:
        own = [finding for finding in analysis.findings if finding.id in rules]
        unknown = analysis.facts[key].value is None
        severity = own[0].severity if own else "unknown" if unknown else "ok"
        found.append((name, severity, own[0].id if own else ""))
    return found
