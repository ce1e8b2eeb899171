"""Idle wait events: a process waits for work, not for a resource."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

    from awrlens.facts.numbers import Figures
    from awrlens.report.table import Row, Table

#: The wait class of background processes, in a list of all waits.
OF_PROCESSES: Final = "System I/O"
#: Prefixes of idle events. From 10g on, V$EVENT_NAME.WAIT_CLASS is "Idle" for them, but no list
#: in a report has a class for every event; Statspack lists them after the others.
_IDLE: Final = (
    "wait for unread message", "virtual circuit next request", "SQL*Net message from client",
    "SQL*Net more data from client", "SQL*Net vector data from", "rdbms ipc message",
    "pmon timer", "smon timer", "PX Idle", "PX Deq: Execut", "PX Deq: Table Q",
    "PX Deq: Msg Fragment", "PX Deq: Parse Reply", "PX Deq: Join ACK", "PX Deq: Signal ACK",
    "PX Deque wait", "Streams AQ", "jobq slave wait", "wakeup time manager",
    "virtual circuit status", "queue messages", "Queue Monitor", "pipe get", "dispatcher timer",
    "lock manager wait for remote", "gcs remote message", "ges remote message",
    "DIAG idle wait", "PL/SQL lock timer", "Space Manager: slave idle", "VKTM Logical Idle",
    "VKRM Idle", "class slave wait", "EMON slave idle", "shared server idle", "LNS ASYNC",
    "ASM background timer", "null event", "watchdog main loop", "i/o slave wait",
    "job scheduler coordinator", "single-task message", "HS message to agent",
    "parallel query dequeue", "parallel recovery slave", "LogMiner", "PING", "GCR sleep",
    "heartbeat redo informer", "heartbeat monitor sleep", "REPL Capture/Apply", "lreg timer",
    "AQPC idle", "pman timer", "OFS idle", "Data Guard: Timer", "Data Guard: Gap",
    "Sync ASM rebalance", "ASM cluster membership", "MRP redo arrival", "knlqdeq",
    "Emon coordinator main loop", "Space Manager: slave", "iowp", "cell worker idle",
    "recovery receiver idle", "merge coordinator idle", "Recovery Server",
)  # fmt: skip
#: Names of this length may be cut to the width of a text column.
CUT: Final = 20


@lru_cache(maxsize=4096)
def idle(name: str) -> bool:
    """Whether an event is an idle wait; every report of a batch has the same few hundred events."""
    cut = len(name) >= CUT and any(idle_.startswith(name) for idle_ in _IDLE)
    return cut or name.startswith(_IDLE) or name.endswith((" idle", " timer"))


#: Columns with an event's share of all waits that are not idle.
_SHARES: Final = ("pct_db_time", "pct_bg_time")


#: Wait classes that do not say that a process waits for a resource.
_UNDECIDED: Final = frozenset({"", "Idle"})
#: More than all DB time is no part of it: `dispatcher listen timer` is of class Network in 19c.
_ALL_PCT: Final = 100.0


def is_idle(f: Figures, name: str) -> bool:
    """Whether an event is an idle wait: by its wait class in the report, otherwise by its name."""
    return idle(name) and name not in f.once(_of_other_classes)


def _of_other_classes(f: Figures) -> frozenset[str]:
    """Events that the list of top events has in the wait class of a resource, as part of DB time.

    `SQL*Net more data from client` is idle in 9i, and of class Network since 10g.
    """
    table = f.tables.get("top_events")
    rows = table.rows if table is not None else ()
    return frozenset(
        row.key.strip()
        for row in rows
        if row.text("wait_class") not in _UNDECIDED
        and (share := row.number("pct_db_time")) is not None
        and share <= _ALL_PCT
    )


def busy_rows(f: Figures, section: str) -> Iterator[Row]:
    """The rows of a list of waits without idle events, whatever their names are in the release."""
    table = f.tables.get(section)
    end = 0 if table is None else _busy_end(table)
    for number, row in enumerate(table.rows if table is not None else ()):
        if number >= end:
            return
        if (name := row.key.strip()) and not is_idle(f, name):
            yield row


def _busy_end(table: Table) -> int:
    """The row from which all events are idle: lists have them last.

    Their share is blank. In a list without shares, the descending times begin anew with them.
    # headings of the lists in spreport.sql and awrrpt.sql: "idle events last"
    """
    for column in _SHARES:
        if any(shares := table.texts(column)):
            return max(number for number, share in enumerate(shares, start=1) if share)
    names, times = table.keys(), table.numbers("total_wait_s")
    end = next((n for n in range(1, len(times)) if times[n] > times[n - 1]), len(times))
    known = sum(idle(name.strip()) for name in names[end:])
    # else the list has another order, or a damaged time
    return end if known * 2 >= len(names) - end else len(times)
