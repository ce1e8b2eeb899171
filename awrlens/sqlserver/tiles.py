"""The states of a SQL Server on the first screen: each with its figures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.render.first_screen import Tile, figure
from awrlens.render.wording import state

if TYPE_CHECKING:
    from awrlens.model import Analysis

#: By state: rules, facts, and the words of the first fact; without it, the state is unknown.
_STATES: Final = {
    "checkpoints": (
        ("SQLS001", "SQLS006"), ("sqlserver.unfrozen_checkpoints", "sqlserver.unfrozen_max_s"),
        "logged: {}",
    ),
    "storage": (
        ("SQLS002", "SQLS003", "SQLS005"), ("sqlserver.io_warnings", "sqlserver.longest_io_s"),
        "warnings of I/O: {}",
    ),
    "snapshots": (("SQLS004",), ("sqlserver.freezes", "sqlserver.longest_freeze_s"), "freezes: {}"),
    "memory": (("SQLS007",), ("sqlserver.paged_out", ""), "paged out: {}"),
}  # fmt: skip


def tiles(analysis: Analysis) -> list[Tile]:
    """The states of a log with their numbers."""
    states = []
    for name, (rules, (many, longest), words) in _STATES.items():
        own = next((finding for finding in analysis.findings if finding.id in rules), None)
        figures = ((many, words), (longest, "the longest {}"))
        counted, more = (figure(analysis.facts, *pair) for pair in figures)
        level = own.severity if own else "ok" if counted else "unknown"
        shown = tuple(filter(None, (counted, more))) or (state(level),)
        states.append(Tile(name, level, shown, own.id if own else ""))
    return states
