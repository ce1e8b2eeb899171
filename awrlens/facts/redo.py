"""Redo: what a write costs, what a commit waits for, how much is written.

Source: document 3, "Redo Log Writes" (time per write from `redo write time` and `redo writes`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from awrlens.facts.figures import waited
from awrlens.facts.formula import Figure, Missing, derive, measured

if TYPE_CHECKING:
    from awrlens.facts.figures import Event, Figures
    from awrlens.model import Fact

#: Bytes of a redo block's header; the rest holds redo and wastage.
_BLOCK_HEADER = 16
_BLOCK_SIZES = (512, 1024, 2048, 4096)
#: A block size counts as told when the bytes for each block are this near to it.
_NEAR = 0.05
#: Printed totals are whole seconds; below this many the printed average says more.
_COARSE_TOTAL_S = 1


def write_ms(f: Figures) -> Fact:
    """Milliseconds per redo write by LGWR's own counters (centiseconds)."""
    return derive(
        "write_time * 10 / writes",
        write_time=f.stat("redo write time", "cs"),
        writes=f.stat("redo writes", "writes"),
    )


def _average(event: Event) -> Fact:
    """Total wait over waits; the printed average where the total is printed as 0."""
    total = event.total_s
    if (
        isinstance(total, Figure)
        and total.value < _COARSE_TOTAL_S
        and isinstance(event.average_ms, Figure)
        and event.average_ms.value > 0
    ):
        return measured(event.average_ms, f"printed average; the total of {total.shown} is rounded")
    return derive("total * 1000 / waits", total=total, waits=event.waits)


def parallel_write_ms(f: Figures) -> Fact:
    """Average of `log file parallel write`: the write of LGWR to all members of a group."""
    return _average(f.background("log file parallel write"))


def sync_ms(f: Figures) -> Fact:
    """Average of `log file sync`: what a session waits at commit."""
    return _average(f.foreground("log file sync"))


def sync_to_write_ratio(f: Figures) -> Fact:
    """Commit wait over log write: near 1 the device is the wait, far above it something else."""
    sync, write = sync_ms(f), parallel_write_ms(f)
    return derive(
        "sync / write",
        sync=_again(sync, "ms per sync"),
        write=_again(write, "ms per write"),
    )


def _again(fact: Fact, label: str) -> Figure | Missing:
    """A fact as the input of another."""
    if fact.number is None:
        return Missing(fact.note, fact.sections)
    return Figure(fact.number, label, fact.evidence, "", fact.status)


def writes_per_s(f: Figures) -> Fact:
    """Redo writes per second."""
    return derive("writes / elapsed", writes=f.stat("redo writes", "writes"), elapsed=f.elapsed)


def bytes_per_s(f: Figures) -> Fact:
    """Redo generated per second; wastage and multiplexed members are not in `redo size`."""
    size = f.stat("redo size", "B")
    if isinstance(size, Missing):
        printed = f.row_figure("load_profile", "redo_size", "per_second", "B/s")
        if isinstance(printed, Figure):
            return measured(printed, f"{size.why}: as Load Profile prints it")
    return derive("size / elapsed", size=size, elapsed=f.elapsed)


def bytes_written_per_s(f: Figures) -> Fact:
    """Redo written to one member per second: blocks written × redo block size."""
    size, note = block_size(f)
    return derive(
        f"blocks * {size} / elapsed",
        note,
        blocks=f.stat("redo blocks written", "blocks"),
        elapsed=f.elapsed,
    )


def block_size(f: Figures) -> tuple[int, str]:
    """Redo block size in bytes: what fits a block, plus its header, tells it.

    `redo size` + `redo wastage` fill the blocks written but for 16 bytes each.
    """
    size, wastage = f.stat("redo size", "B"), f.stat("redo wastage", "B")
    blocks = f.stat("redo blocks written", "blocks")
    if isinstance(size, Missing) or isinstance(wastage, Missing) or isinstance(blocks, Missing):
        return _BLOCK_SIZES[0], "redo block size 512 bytes"
    filled = (size.value + wastage.value) / max(blocks.value, 1) + _BLOCK_HEADER
    near = min(_BLOCK_SIZES, key=lambda b: abs(b - filled))
    if near == _BLOCK_SIZES[0] or abs(near - filled) > near * _NEAR:
        return _BLOCK_SIZES[0], "redo block size 512 bytes"
    return near, f"redo blocks hold {filled:.0f} bytes: block size {near}"


def bytes_per_write(f: Figures) -> Fact:
    """Bytes of redo and wastage per write."""
    return derive(
        "(size + wastage) / writes",
        size=f.stat("redo size", "B"),
        wastage=f.stat("redo wastage", "B wastage"),
        writes=f.stat("redo writes", "writes"),
    )


def wastage_per_write(f: Figures) -> Fact:
    """Bytes of wastage per write."""
    return derive(
        "wastage / writes",
        wastage=f.stat("redo wastage", "B"),
        writes=f.stat("redo writes", "writes"),
    )


def wastage_pct(f: Figures) -> Fact:
    """Wastage in all redo written."""
    wastage = f.stat("redo wastage", "B wastage")
    return derive(
        "wastage * 100 / (size + wastage)", size=f.stat("redo size", "B"), wastage=wastage
    )


def commits_per_s(f: Figures) -> Fact:
    """User commits per second."""
    return derive("commits / elapsed", commits=f.stat("user commits", "commits"), elapsed=f.elapsed)


def log_switches_per_hour(f: Figures) -> Fact:
    """Log switches per hour of this thread."""
    return derive(
        "switches * 3600 / elapsed",
        switches=f.row_figure(
            "instance_activity_thread", "log switches (derived)", "total", "switches"
        ),
        elapsed=f.elapsed,
    )


def space_wait_s(f: Figures) -> Fact:
    """Seconds sessions waited for space in the redo log or its buffer."""
    return derive("wait / 100", wait=f.stat("redo log space wait time", "cs"))


def space_requests(f: Figures) -> Fact:
    """How often a session found no space in the current log file."""
    return measured(f.stat("redo log space requests", "requests"))


def log_switch_wait_s(f: Figures) -> Fact:
    """Seconds that sessions waited for log switches, whatever their cause."""
    return waited(f, "log file switch")


def sync_pct_db_time(f: Figures) -> Fact:
    """Commit waits in all DB time."""
    return derive(
        "sync * 100 / db_time", sync=f.foreground("log file sync").total_s, db_time=f.db_time
    )


def write_count(f: Figures) -> Fact:
    """Number of redo writes."""
    return measured(f.stat("redo writes", "writes"))


def parallel_write_wait_s(f: Figures) -> Fact:
    """Seconds LGWR waited for its writes."""
    return measured(f.background("log file parallel write").total_s)


def sync_wait_s(f: Figures) -> Fact:
    """Seconds that sessions waited at commit; 0 where a printed list lacks the event."""
    return waited(f, "log file sync")


def sync_count(f: Figures) -> Fact:
    """How often a session waited at commit."""
    return measured(f.foreground("log file sync").waits)


def buffer_wait_s(f: Figures) -> Fact:
    """Seconds waited for space in the log buffer."""
    return waited(f, "log buffer space")


def archive_wait_s(f: Figures) -> Fact:
    """Seconds waited because a log was not archived yet."""
    return waited(f, "log file switch (archiving")
