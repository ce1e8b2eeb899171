"""The host's CPUs and the load of the instance."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.facts.formula import (
    Figure,
    Missing,
    add,
    derive,
    measured,
    readable,
    summed,
    unavailable,
)
from awrlens.facts.sections import BG, ELAPSED, HOST_CPU
from awrlens.facts.waits import column
from awrlens.model.fact_table import fact
from awrlens.units import parse_number

if TYPE_CHECKING:
    from collections.abc import Callable

    from awrlens.facts.figures import Figures
    from awrlens.model import Fact


DATABASE: Final = "database|database_summary"
_LOAD: Final = "load_profile|instance_activity"

#: From here on, the parameter cpu_count may be fewer than the host has (instance caging).
#: # Oracle Database Administrator's Guide 11g Release 2
_CAGED: Final = (11, 2)
#: From here on, CLMN and other processes wait for PMON's timer, too: 200 % in real reports.
_SEVERAL_SLEEP: Final = (12, 2)
_WHOLE_PCT: Final = 100

#: Reads of data files that sessions wait for. Exadata has other names (Exadata System
#: Software User's Guide, "Monitoring Cell Disk I/O Using Database Statistics and Wait Events").
DATA_READS: Final = (
    "db file sequential read", "db file scattered read", "db file parallel read",
    "cell single block physical read", "cell multiblock physical read",
    "cell list of blocks physical read",
)  # fmt: skip


def _host(f: Figures, column: str, label: str) -> Figure | Missing:
    row = f.only("host_cpu")
    if isinstance(row, Missing):
        return row
    absent = Missing("Host CPU has no such column", ("host_cpu",))
    return f.figure(row.cell(column), label, absent)


def _cpus(f: Figures) -> Figure | Missing:
    found = _host(f, "cpus", "CPUs")
    if isinstance(found, Figure) and found.value > 0:
        return found
    if f.header.cpus:
        host = f.tables.get("host")
        cell = host.rows[0].cell("cpus") if host is not None and host.rows else None
        own = cell is not None and cell.value == f.header.cpus
        return Figure(f.header.cpus, "CPUs", (f.evidence(cell),) if cell and own else ())
    listed = f.parameter("cpu_count")
    count = parse_number(listed[0]) if listed else None
    if listed is not None and count and f.release is not None and f.release < _CAGED:
        return Figure(float(count), "CPUs", (listed[1],))
    return Missing("the number of CPUs is not in the report", ("host", "os_statistics"))


def load_per_cpu(when: str) -> Callable[[Figures], Fact]:
    """Load average per logical CPU, at the begin or end of the interval."""

    def fact(f: Figures) -> Fact:
        load = _host(f, f"load_{when}", "load")
        if isinstance(load, Missing):
            compared = f.row_figure("compared_hosts", f"load_{when}", "value", "load")
            load = compared if isinstance(compared, Figure) else load
        if isinstance(load, Missing) and when == "end" and f.is_compared:
            risen = f.row_figure("os_statistics", "LOAD", "value", "load more than at the begin")
            if isinstance(risen, Figure) and risen.value > 0:
                load = risen._replace(status="estimated")
        return derive("load / cpus", load=load, cpus=_cpus(f))

    fact.__doc__ = (
        f"Load average per logical CPU at the {when} of the interval. A report may have only its "
        "rise: then it is at least that at the end."
    )
    return fact


fact("host.load_per_cpu_begin", "ratio", HOST_CPU, "host", kind="level", better="lower over time")(
    load_per_cpu("begin")
)
fact(
    "host.load_per_cpu_end",
    "ratio",
    HOST_CPU,
    "host",
    kind="level",
    better="lower over time",
    title="Load per CPU",
)(load_per_cpu("end"))


@fact(
    "host.iowait_pct",
    "%",
    HOST_CPU,
    "host",
    kind="level",
    better="lower over time",
    title="CPU waiting for I/O",
)
def iowait_pct(f: Figures) -> Fact:
    """Share of CPU time that was idle while I/O was outstanding."""
    return _share(f, "iowait_pct", "iowait_time")


@fact(
    "host.idle_pct",
    "%",
    HOST_CPU,
    "host",
    kind="level",
    better="higher over time",
    title="Idle CPU",
)
def idle_pct(f: Figures) -> Fact:
    """Share of CPU time that was idle."""
    return _share(f, "idle_pct", "idle_time")


def _share(f: Figures, column: str, statistic: str) -> Fact:
    printed = _host(f, column, "%")
    if isinstance(printed, Figure):
        return measured(printed)
    label = f"cs {statistic.removesuffix('_time')}"
    part = f.row_figure("os_statistics", statistic, "value", label)
    if isinstance(part, Missing) and f.tables.get("os_statistics") is None:
        return unavailable(f.missing("host_cpu", "os_statistics"))
    return derive(
        "part * 100 / (busy + idle)",
        part=part,
        busy=f.row_figure("os_statistics", "busy_time", "value", "cs busy"),
        idle=f.row_figure("os_statistics", "idle_time", "value", "cs idle"),
    )


def profile(label: str, *statistics: str) -> Callable[[Figures], Fact]:
    """A row of the Load Profile per second; otherwise its statistics over the elapsed time."""

    def fact(f: Figures) -> Fact:
        printed = f.row_figure("load_profile", label, "per_second", "per second")
        if isinstance(printed, Figure):
            return measured(printed)
        names = " + ".join(f"s{n}" for n in range(len(statistics)))
        figures = {f"s{n}": f.stat(name, name) for n, name in enumerate(statistics)}
        if any(isinstance(each, Missing) for each in figures.values()):
            return unavailable(printed, *(x for x in figures.values() if isinstance(x, Missing)))
        return derive(f"({names}) / elapsed", "", elapsed=f.elapsed, **figures)

    fact.__doc__ = f"Load Profile, per second: {label}."
    return fact


fact(
    "load.executes_per_s", "1/s", _LOAD, ELAPSED, kind="rate", better="neither", title="Executions"
)(profile("executes", "execute count"))
fact(
    "load.physical_writes_per_s",
    "1/s",
    _LOAD,
    ELAPSED,
    kind="rate",
    better="neither",
    title="Physical writes",
)(profile("physical_writes", "physical writes"))
fact(
    "load.physical_reads_per_s",
    "1/s",
    _LOAD,
    ELAPSED,
    kind="rate",
    better="neither",
    title="Physical reads",
)(profile("physical_reads", "physical reads"))
fact("load.rollbacks_per_s", "1/s", _LOAD, ELAPSED, kind="rate", better="lower over time")(
    profile("rollbacks", "user rollbacks")
)
fact(
    "load.transactions_per_s",
    "1/s",
    _LOAD,
    ELAPSED,
    kind="rate",
    better="neither",
    title="Transactions",
)(profile("transactions", "user commits", "user rollbacks"))


@fact("host.cpu_wait_pct", "%", "os_statistics", kind="level", better="neither")
def cpu_wait_pct(f: Figures) -> Fact:
    """Time that runnable processes waited for CPU, in % of the time that CPUs were busy.

    OS statistics OS_CPU_WAIT_TIME and BUSY_TIME; above 100 more processes waited than ran.
    """
    return derive(
        "waited * 100 / busy",
        waited=f.row_figure("os_statistics", "os_cpu_wait_time", "value", "cs waited for a CPU"),
        busy=f.row_figure("os_statistics", "busy_time", "value", "cs busy"),
    )


@fact("host.available_memory_pct", "%", "os_statistics", kind="level", better="higher over time")
def available_memory_pct(f: Figures) -> Fact:
    """Free memory, inactive memory and free swap of the host, in % of its physical memory.

    At the snapshot that has less of it (OS statistics; the report prints the values of the end if
    they differ). Near 0, the host has to end processes or to wait for memory.
    """
    begin, end = (_memory(f, column) for column in ("value", "end_value"))
    if begin.number is None:
        return begin
    return end if end.number is None or end.number < begin.number else begin


def memory_of_host(f: Figures, statistic: str, column: str) -> Figure | Missing:
    """Bytes of an OS statistic on memory at the begin (``value``) or end (``end_value``)."""
    label = f"B {statistic.removesuffix('_bytes').replace('_', ' ')}"
    found = f.row_figure("os_statistics", statistic, column, label)
    if isinstance(found, Missing) and not found.lost:  # the same at both snapshots
        found = f.row_figure("os_statistics", statistic, "value", label)
    return found


def _memory(f: Figures, column: str) -> Fact:
    return derive(
        "(free + inactive + swap) * 100 / physical",
        free=memory_of_host(f, "free_memory_bytes", column),
        inactive=memory_of_host(f, "inactive_memory_bytes", column),
        swap=memory_of_host(f, "swap_free_bytes", column),
        physical=memory_of_host(f, "physical_memory_bytes", column),
    )


@fact("load.instances", "count", "database_summary", kind="level", better="neither")
def instances(f: Figures) -> Fact:
    """Number of instances in the figures: those of a cluster report, otherwise 1."""
    return measured(f.instances)


@fact(
    "load.captured_pct", "%", "wait_classes|foreground_events|wait_classes_summary", kind="level",
    better="neither",
)  # fmt: skip
def captured_pct(f: Figures) -> Fact:
    """Share of DB time that waits and CPU account for (`Captured Time`, 11.2 and later).

    On a first page alone, it is the sum over the wait classes, which include waits of background
    processes.
    """
    for name in ("wait_classes", "foreground_events"):
        table = f.tables.get(name)
        note = table.note("captured_pct") if table is not None else None
        if note is not None:
            return measured(f.figure(note, "%", Missing("", (name,))))
    classes = f.tables.get("wait_classes_summary")
    if classes is None or f.session_list is not None or not f.is_of_one:
        return unavailable(f.missing("wait_classes"))
    parts = readable(column(f, classes, classes, "pct_db_time", "%"))
    if isinstance(parts, Missing):
        return unavailable(parts)
    whole = add(parts, "%")
    if whole.value > _WHOLE_PCT:
        return unavailable(f.missing("wait_classes"))
    return summed(whole._replace(status="estimated"), "at most: with waits of background processes")


@fact("load.timed_pct", "%", BG, ELAPSED, kind="level", better="neither")
def timed_pct(f: Figures) -> Fact:
    """Share of the interval in which waits were timed, by PMON's timer.

    PMON sleeps all the time, so its waits should add up to the interval. If TIMED_STATISTICS
    was off for a part of it, they do not, and no other time is reliable. If they add up to more,
    the clock of the waits is too fast; since 12.2, it may also be that other processes wait for the
    timer, too.
    """
    slept = f.background("pmon timer").total_s
    if not f.is_of_one:
        return unavailable(Missing("the figures are those of several instances"))
    found = derive("slept * 100 / elapsed", slept=slept, elapsed=f.elapsed)
    alone = f.release is not None and f.release < _SEVERAL_SLEEP
    if found.number is not None and found.number > _WHOLE_PCT and not alone:
        return unavailable(Missing("several processes wait for `pmon timer` in this release"))
    return found
