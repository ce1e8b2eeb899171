"""Names for further values of a report: events, statistics, parameters and SQL.

``event("log file sync").avg_ms``, ``stat("physical reads").per_s``, ``parameter("db_block_size")``,
``sql("g1dppfmhtxs00").elapsed_per_exec_ms``.
"""

from __future__ import annotations

import re
from typing import Final

from awrlens.lazy import regex
from awrlens.records import NamedTuple

#: The syntax of such a name; the text in quotes is Oracle's name.
WRITTEN: Final = (
    r'(?:event|stat|parameter|sql)[ \t]*\([ \t]*"(?:[^"\\\n]|\\.)*"[ \t]*\)(?:[ \t]*\.[ \t]*\w+)?'
)
_PARTS: Final = regex(r'(\w+)[ \t]*\([ \t]*("(?:[^"\\\n]|\\.)*")[ \t]*\)[ \t.]*(\w*)', re.I)
_PERCENTILE: Final = regex(r"p([1-9]\d?)_ms")

#: The fields of each kind with their units; a parameter alone is a text.
FIELDS: Final = {
    "event": {
        "avg_ms": "ms", "waits": "count", "total_s": "s", "waits_per_s": "1/s",
        "pct_db_time": "%", "timeout_pct": "%",
    },
    "stat": {"total": "count", "per_s": "1/s", "per_txn": "1/txn"},
    "parameter": {"": "text", "value": "count"},
    "sql": {
        "elapsed_s": "s", "elapsed_per_exec_ms": "ms", "cpu_s": "s", "cpu_per_exec_ms": "ms",
        "executions": "count", "gets_per_exec": "ratio", "reads_per_exec": "ratio",
        "pct_db_time": "%",
    },
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
        return FIELDS[self.kind].get(self.field)

    @property
    def percent(self) -> int | None:
        """The 99 of ``p99_ms``."""
        found = _PERCENTILE.fullmatch(self.field)
        return int(found[1]) if found else None

    @property
    def written(self) -> str:
        """In canonical form."""
        text = self.name.replace("\\", "\\\\").replace('"', '\\"')
        return f'{self.kind}("{text}"){f".{self.field}" if self.field else ""}'


def split(name: str) -> Printed | None:
    """The parts of such a name; None for any other text."""
    found = _PARTS.fullmatch(name.strip())
    if found is None or found[1].lower() not in FIELDS:
        return None
    text = re.sub(r"\\(.)", r"\1", found[2][1:-1]).strip()
    return Printed(found[1].lower(), text, found[3].lower())


def fields(kind: str) -> str:
    """The fields of an event, statistic, parameter or SQL statement, in words."""
    names = [f".{each}" for each in FIELDS[kind] if each]
    if kind == "event":
        names.append(".p99_ms (or another percentile)")
    return ", ".join(names)
