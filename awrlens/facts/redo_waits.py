"""Log switches, and the waits of sessions for redo."""

from __future__ import annotations

from typing import TYPE_CHECKING

from awrlens.fact_table import fact
from awrlens.facts.formula import (
    Figure,
    Missing,
    derive,
    measured,
)
from awrlens.facts.histograms import slower_than
from awrlens.facts.numbers import average, counted, per_instance, waited
from awrlens.facts.sections import BG, DB_TIME, ELAPSED, FG, STATS, THREAD

if TYPE_CHECKING:
    from awrlens.facts.numbers import Figures
    from awrlens.model import Fact
from awrlens.facts.redo import sync_waits


def log_switches(f: Figures) -> tuple[Figure | Missing, str]:
    """Log switches of this thread, and a note if another count replaces them.

    Without `log switches (derived)`, the checkpoints that log switches start are counted.
    """
    row = "log switches (derived)"
    printed = f.row_figure("instance_activity_thread", row, "total", "switches")
    if isinstance(printed, Figure) or f.tables.get("instance_activity_thread") is not None:
        return printed, ""
    started = f.stat("background checkpoints started", "switches")
    if isinstance(started, Missing):
        return printed, ""
    note = "no log switches in the report: `background checkpoints started`, one per switch"
    return started._replace(status="estimated"), note


@fact(
    "redo.log_switches_per_hour",
    "1/h",
    THREAD,
    ELAPSED,
    kind="level",
    better="lower",
    title="Log switches",
)
def log_switches_per_hour(f: Figures) -> Fact:
    """Log switches per hour of a thread; a cluster report adds up those of all instances."""
    switches, note = f.once(log_switches)
    return per_instance(f, "switches * 3600 / elapsed", note, switches=switches, elapsed=f.elapsed)


@fact("redo.space_wait_s", "s", STATS, kind="total", better="lower")
def space_wait_s(f: Figures) -> Fact:
    """Seconds that sessions waited for space in the redo log or the log buffer."""
    return derive("wait / 100", wait=f.stat("redo log space wait time", "cs"))


@fact("redo.space_requests", "count", STATS, kind="total", better="lower over time")
def space_requests(f: Figures) -> Fact:
    """Number of requests that found no space in the current redo log."""
    return measured(f.stat("redo log space requests", "requests"))


@fact("redo.log_switch_waits", "count", FG, kind="total", better="neither")
def log_switch_waits(f: Figures) -> Fact:
    """Number of waits of sessions for a log switch, whatever the cause."""
    return counted(f, "log file switch")


@fact("redo.log_switch_stalls", "count", "event_histogram", kind="total", better="neither")
def log_switch_stalls(f: Figures) -> Fact:
    """Waits for log switches that took longer than 32 ms, from their histograms."""
    return slower_than(f, ("log file switch",), 32)


@fact("redo.log_switch_wait_ms", "ms", FG, kind="level", better="lower")
def log_switch_wait_ms(f: Figures) -> Fact:
    """Average wait for a log switch in ms."""
    return average(f, "log file switch")


@fact("redo.log_switch_wait_s", "s", FG, kind="total", better="lower")
def log_switch_wait_s(f: Figures) -> Fact:
    """Seconds that sessions waited for log switches, whatever their cause."""
    return waited(f, "log file switch")


@fact(
    "redo.sync_pct_db_time",
    "%",
    FG,
    DB_TIME,
    kind="level",
    better="lower",
    title="Commit waits in DB time",
)
def sync_pct_db_time(f: Figures) -> Fact:
    """Share of commit waits in DB time."""
    return derive(
        "sync * 100 / db_time", sync=f.foreground("log file sync").total_s, db_time=f.db_time
    )


@fact("redo.write_count", "count", STATS, kind="total", better="neither")
def write_count(f: Figures) -> Fact:
    """Number of redo writes."""
    return measured(f.stat("redo writes", "writes"))


@fact("redo.parallel_write_wait_s", "s", BG, kind="total", better="lower")
def parallel_write_wait_s(f: Figures) -> Fact:
    """Seconds that LGWR waited for its writes."""
    return measured(f.background("log file parallel write").total_s)


@fact("redo.sync_wait_s", "s", FG, kind="total", better="lower")
def sync_wait_s(f: Figures) -> Fact:
    """Seconds that sessions waited at commit; 0 if a complete list lacks the event."""
    return waited(f, "log file sync")


@fact("redo.sync_count", "count", FG, kind="total", better="neither")
def sync_count(f: Figures) -> Fact:
    """Number of waits of sessions at commit."""
    return sync_waits(f)


@fact("redo.buffer_wait_s", "s", FG, kind="total", better="lower")
def buffer_wait_s(f: Figures) -> Fact:
    """Seconds that sessions waited for space in the log buffer."""
    return waited(f, "log buffer space")


@fact("redo.buffer_wait_ms", "ms", FG, kind="level", better="lower")
def buffer_wait_ms(f: Figures) -> Fact:
    """Average wait for space in the log buffer in ms."""
    return average(f, "log buffer space")


@fact("redo.archive_wait_s", "s", FG, kind="total", better="lower")
def archive_wait_s(f: Figures) -> Fact:
    """Seconds that sessions waited because a redo log was not archived yet."""
    return waited(f, "log file switch (archiving")
