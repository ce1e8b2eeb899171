"""The host's CPUs and the load of the instance."""

from __future__ import annotations

from functools import reduce
from itertools import count as steps
from operator import add as add_up
from typing import TYPE_CHECKING, Final

from awrlens.facts.answers import Answer, needed, summed, text_fact
from awrlens.facts.counters import BEYOND
from awrlens.facts.figures import Figures, formula, several
from awrlens.facts.formula import Figure, Missing, Number, add, joined, readable, value_of
from awrlens.facts.sections import BG, ELAPSED, HOST_CPU, PARAMETERS
from awrlens.facts.waits import column
from awrlens.model.fact_table import CONTRADICTS, fact
from awrlens.units import half_step

if TYPE_CHECKING:
    from collections.abc import Sequence

DATABASE: Final = "database|database_summary"

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


def cpus(f: Figures) -> Number:
    """Logical CPUs of the host."""
    printed = f.single("host_cpu", "cpus", "CPUs")
    if isinstance(printed, Figure) and printed.value > 0:
        return printed
    if f.header.cpus:
        hosts = f.tables.get("host") or ()
        cell = next((row.cell("cpus") for row in hosts), None)
        own = cell is not None and cell.value == f.header.cpus
        return Figure(f.header.cpus, "CPUs", f.proof(cell) if own else ())
    count = f.setting("cpu_count", "CPUs")
    if count and count.value and f.release is not None and f.release < _CAGED:
        return count
    return Missing("the number of CPUs is not in the report")


@fact("host.cpu_count", "count", PARAMETERS, kind="setting")
def cpu_count(f: Figures) -> Number:
    """CPU_COUNT, which may be fewer than the CPUs of the host (11.2 and later)."""
    why = "not listed" if f.parameter("cpu_count") is None else "no number of CPUs"
    return f.setting("cpu_count", "CPUs") or Missing(f"CPU_COUNT is {why}")


@several("ratio", HOST_CPU, "host", better="lower over time")
def load_per_cpu(f: Figures, when: str) -> Answer:
    """Load average per logical CPU at the {when} of the interval."""
    return _load(f, when)


def _load(f: Figures, when: str) -> Number:
    load = f.single("host_cpu", f"load_{when}", "load")
    compared = f.row_figure("compared_hosts", f"load_{when}", "value", "load")
    return load.otherwise(compared).otherwise(load) / cpus(f)


load_per_cpu("host.load_per_cpu_begin", "begin")
load_per_cpu.but(title="Load per CPU")("host.load_per_cpu_end", "end")


@several("%", HOST_CPU, "host", better="lower over time")
def share_pct(f: Figures, kind: str, _how: str) -> Answer:
    """Share of CPU time that was {_how}."""
    return cpu_share(f, kind)


def cpu_share(f: Figures, kind: str) -> Number:
    """Share of the host's CPU time of a kind, in per cent, printed or from its counters."""
    printed = f.single("host_cpu", f"{kind}_pct", "%")
    if isinstance(printed, Figure):
        return printed
    if kind == "idle":  # a RAC report has only the times of all instances
        all_s = f.single("host_cpu", "total_s", "s")
        counted = f.single("host_cpu", "idle_s", "s idle") * 100 / all_s
        if isinstance(counted, Figure):
            return counted
    if f.tables.get("os_statistics") is None:
        return f.missing("host_cpu", "os_statistics")
    part = _os(f, f"{kind}_time", kind).labelled(f"cs {kind}")  # a figure of its own, as idle is
    return part * 100 / (_os(f, "busy_time", "busy") + _os(f, "idle_time", "idle"))


share_pct.but(title="CPU waiting for I/O")("host.iowait_pct", "iowait",
    "idle while I/O was outstanding")  # fmt: skip
share_pct.but(better="higher over time", title="Idle CPU")("host.idle_pct", "idle", "idle")


@fact("host.queue_s", "s", HOST_CPU, "host", ELAPSED, kind="none")
def queue_s(f: Figures) -> Answer:
    """Seconds in the run queue at most: load average less busy CPUs, times the elapsed time.

    The higher one of both snapshots counts; between them, it may be higher still.
    """
    loads = needed(readable(_load(f, when) for when in ("begin", "end")))
    load = max(loads, key=value_of, default=_load(f, "end"))
    waiting = load + cpu_share(f, "idle") / 100 - Figure(1.0, "busy")
    if isinstance(waiting, Figure) and waiting.value <= 0:
        return Missing("the load average is below the busy CPUs")
    return waiting * cpus(f) * f.elapsed


def _os(f: Figures, statistic: str, label: str) -> Number:
    return f.row_figure("os_statistics", statistic, "value", f"cs {label}")


@several("1/s", "load_profile|instance_activity", ELAPSED)
def profile(f: Figures, label: str, *statistics: str) -> Answer:
    """Load Profile, per second: {label}."""
    printed = f.row_figure("load_profile", label, "per_second", "per second")
    total = reduce(add_up, (f.stat(name, name) for name in statistics))
    own = total / f.elapsed
    if isinstance(printed, Figure):
        step = half_step(printed.evidence[0].text, printed.value) * 2  # it may be cut off
        wide = step + (BEYOND - 1) * (own.value or 0.0)
        if isinstance(total, Figure) and abs((own.value or 0.0) - printed.value) > wide:
            why = f"Load Profile has {printed.shown} for {total.shown}: {CONTRADICTS}"
            f.impossible[why] = printed.evidence[0].line
            return Missing(why, ("load_profile",), lost=True)
        return printed
    return joined(printed, total) if isinstance(total, Missing) else own.citing(f.elapsed)


profile.but(title="Executions")("load.executes_per_s", "executes", "execute count")
profile.but(title="Physical writes")("load.physical_writes_per_s", "physical_writes",
    "physical writes")  # fmt: skip
profile.but(title="Physical reads")("load.physical_reads_per_s", "physical_reads", "physical reads")
profile.but(better="lower over time")("load.rollbacks_per_s", "rollbacks", "user rollbacks")
profile.but(title="Transactions")("load.transactions_per_s", "transactions", "user commits",
    "user rollbacks")  # fmt: skip


formula("host.cpu_wait_pct", "%", "os_statistics",
    "Time that runnable processes waited for CPU, in % of the time that CPUs were busy.",
    lambda f: _os(f, "os_cpu_wait_time", "waited for a CPU") * 100 / _os(f, "busy_time", "busy"),
    beyond=True)  # fmt: skip


formula("host.cpu_wait_s", "s", "os_statistics",
    "Seconds that runnable processes waited for CPU (OS statistic OS_CPU_WAIT_TIME).",
    lambda f: _os(f, "os_cpu_wait_time", "waited for a CPU") / 100)  # fmt: skip


@fact("host.available_memory_pct", "%", "os_statistics", better="higher over time", beyond=True)
def available_memory_pct(f: Figures) -> Answer:
    """Free memory, inactive memory and free swap of the host, in % of its physical memory.

    At the snapshot that has less of it (OS statistics; the report prints the values of the end if
    they differ). Near 0, the host has to end processes or to wait for memory.
    """
    return _left(f, *_LEFT)


def _left(f: Figures, *names: str) -> Number:
    """Some kinds of memory in % of all, at the snapshot that has less of all kinds."""
    begin, end = (_memory_pct(f, column, _LEFT) for column in ("value", "end_value"))
    if isinstance(end, Missing):
        return end
    worse = isinstance(begin, Figure) and end.value < begin.value
    return _memory_pct(f, "end_value" if worse else "value", names)


_LEFT: Final = ("free_memory", "inactive_memory", "swap_free")


@several("%", "os_statistics", better="higher over time")
def left_pct(f: Figures, name: str, _what: str) -> Answer:
    """{_what} of the host, in % of its memory, at the snapshot of host.available_memory_pct."""
    return _left(f, name)


left_pct("host.free_memory_pct", "free_memory", "Free memory")
left_pct.but(better=None)("host.inactive_memory_pct", "inactive_memory", "Inactive memory")
left_pct.but(beyond=True)("host.free_swap_pct", "swap_free", "Free swap")


@fact("host.paged_out_pct", "%", "os_statistics", better="lower", beyond=True)
def paged_out_pct(f: Figures) -> Answer:
    """Memory that the host paged out in the interval (VM_OUT_BYTES), in % of its memory."""
    out = memory_of_host(f, "vm_out_bytes", "value")
    return out * 100 / memory_of_host(f, "physical_memory_bytes", "value")


def memory_of_host(f: Figures, statistic: str, column: str) -> Number:
    """Bytes of an OS statistic on memory at the begin (``value``) or end (``end_value``)."""
    label = f"B {statistic.removesuffix('_bytes').replace('_', ' ')}"
    size = f.row_figure("os_statistics", statistic, column, label)
    if isinstance(size, Missing) and not size.lost:  # the same at both snapshots
        size = f.row_figure("os_statistics", statistic, "value", label)
    return size


def _memory_pct(f: Figures, column: str, names: Sequence[str]) -> Number:
    parts = (memory_of_host(f, f"{name}_bytes", column) for name in names)
    return reduce(add_up, parts) * 100 / memory_of_host(f, "physical_memory_bytes", column)


formula("load.instances", "count", "database_summary",
    "Number of instances in the figures: those of a cluster report, otherwise 1.",
    lambda f: f.instances)  # fmt: skip


@fact("load.captured_pct", "%", "wait_classes|foreground_events|wait_classes_summary", beyond=True)
def captured_pct(f: Figures) -> Answer:
    """Share of DB time that waits and CPU account for (`Captured Time`, 11.2 and later).

    On a first page alone, it is the sum over the wait classes, which include waits of background
    processes.
    """
    for name in ("wait_classes", "foreground_events"):
        table = f.tables.get(name)
        note = table.note("captured_pct") if table is not None else None
        if note is not None:
            return f.figure(note, "%", Missing(""))
    classes = f.tables.get("wait_classes_summary")
    if classes is None or f.session_list is not None or not f.is_of_one:
        return f.missing("wait_classes")
    whole = add(needed(readable(column(f, classes, classes, "pct_db_time", "%"))), "%")
    if whole.value > _WHOLE_PCT:
        return f.missing("wait_classes")
    return summed(whole.estimated(), "at most: with waits of background processes")


@fact("load.timed_statistics", "name", PARAMETERS, kind="setting")
def timed_statistics(f: Figures) -> Answer:
    """TIMED_STATISTICS at the end of the interval."""
    value = f.parameter("timed_statistics")
    return text_fact(value[0].upper(), (value[1],), "measured") if value else f.missing(PARAMETERS)


#: Averages need times of at least this share of the interval. # awrlens: an assumption
TIMED_PCT: Final = 50.0


@fact("load.timed_pct", "%", BG, ELAPSED, beyond=True)
def timed_pct(f: Figures) -> Answer:
    """Share of the interval in which waits were timed, by PMON's timer.

    PMON sleeps all the time, so its waits should add up to the interval. If TIMED_STATISTICS
    was off for a part of it, they do not, and no other time is reliable. If they add up to more,
    the clock of the waits is too fast; since 12.2, it may also be that other processes wait for the
    timer, too.
    """
    if not f.is_of_one:
        return Missing("the figures are those of several instances")
    slept_pct = f.background("pmon timer").total_s * 100 / f.elapsed
    alone = f.release is not None and f.release < _SEVERAL_SLEEP
    if not alone and slept_pct.value is not None and slept_pct.value > _WHOLE_PCT:
        return Missing("several processes wait for `pmon timer` in this release")
    if isinstance(slept_pct, Missing) or slept_pct.value >= TIMED_PCT:
        return slept_pct
    return slept_pct.noted(f"only {slept_pct.value:.0f} % of the interval was timed")


# a share as printed, which is at most 100 %
#: Colons of a time with seconds.
_SECONDS: Final = 2


@fact("host.busy_max_pct", "%", "os_statistics_detail", better="lower over time", beyond=True)
def busy_max_pct(f: Figures) -> Answer:
    """The highest share of CPU time that was busy between two snapshots of the interval."""
    table = f.table("os_statistics_detail")
    # the first row is the begin, with no interval before it
    rows = [row for at, row in enumerate(table) if at or row.text("busy_pct")]
    figures = needed(readable(column(f, table, rows, "busy_pct", "% busy")))
    most = max(figures, key=value_of, default=f.missing("os_statistics_detail"))
    if len(rows) <= 1 or isinstance(most, Missing) or len(rows) == len(table):
        return most
    at = figures.index(most) + 1  # the row of the begin is not among them
    # awrlens: intervals next to it that are as busy, within a fiftieth, are one peak
    near = [n for n, figure in enumerate(figures, 1) if figure.value >= 0.98 * most.value]
    first, last = (next(n for n in steps(at, to) if n + to not in near) for to in (-1, 1))
    ends = (table.rows[n].key for n in (first - 1, last))
    begin, end = (time.rpartition(":")[0] if time.count(":") == _SECONDS else time for time in ends)
    rest, idle = other_cpu_pct(f).number, cpu_share(f, "idle").value
    of = ""
    if rest and idle is not None and idle < 100:  # noqa: PLR2004 - all
        of = f"; on average, others use {100 * rest / (100 - idle):.0f} % of busy CPU"
    return most.noted(
        f"from {begin} to {end.rpartition(' ')[2]} (load {table.rows[at].text('load')}){of}"
    )


@fact("host.other_cpu_pct", "%", "os_statistics", "time_model", better="lower over time")
def other_cpu_pct(f: Figures) -> Answer:
    """Share of the host's CPU time that processes outside this instance used.

    BUSY_TIME less `DB CPU` and `background cpu time`, in % of BUSY_TIME and IDLE_TIME.
    """
    if not f.is_of_one or f.header.container not in (None, "CDB$ROOT"):
        return Missing("the figures are not those of a whole instance")
    busy = _os(f, "busy_time", "busy")
    names = ("DB CPU", "background cpu time")
    sessions, others = (f.row_figure("time_model", name, "time_s", f"s {name}") for name in names)
    rest = busy / 100 - sessions - others
    if isinstance(rest, Figure) and rest.value < 0:
        return Missing("the instance used more CPU than the host was busy")
    return rest * 10_000 / (busy + _os(f, "idle_time", "idle"))
