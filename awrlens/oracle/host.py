"""What explains DB time that is neither CPU nor waits: CPU queues, lack of memory, direct reads.

A process that waits for a CPU or for memory is in no wait event of its own, but ends events late:
the time is in DB time and in waits such as `log file sync`. Direct reads are asynchronous, and
timed only in part. Headline, rules and advice ask here, so that all of them name the same cause.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.units import plain

if TYPE_CHECKING:
    from collections.abc import Callable

    Get = Callable[[str], float | None]
    Limit = Callable[[str], float]


#: The facts that show it.
FACTS: Final = (
    "host.idle_pct", "host.cpu_wait_pct", "host.cpu_wait_s", "host.load_per_cpu_begin",
    "host.load_per_cpu_end", "host.available_memory_pct", "host.demand_per_cpu",
    "host.free_memory_pct", "host.inactive_memory_pct", "host.free_swap_pct",
)  # fmt: skip


def waits_for_cpu(get: Get, limit: Limit) -> str:
    """The evidence that processes wait for CPU; empty without any.

    Idle time disproves a run queue, which on Linux has processes that wait for a disk, but not the
    wait for CPU: CPUs that a partition does not get, and threads of busy cores, count as idle.
    """
    idle, waited, seconds = map(get, FACTS[:3])
    queued = ""
    if waited is not None and seconds is not None and waited > limit("storage.cpu_wait_pct"):
        many = f"{plain(waited / 100, 2)} times" if waited >= _TWICE_PCT else f"{waited:.0f} % of"
        busy = f"the {seconds * 100 / waited:,.0f} s in which CPUs were busy"
        queued = f"{_QUEUED} {seconds:,.0f} s for CPU, {many} {busy}"
    if idle is not None and idle < limit("storage.idle_pct"):
        also = f" ({queued})" if queued else ""
        return f"{f'only {plain(idle, 2)} % of' if idle else 'no'} CPU was idle{also}"
    is_idle = idle is not None and idle >= limit("storage.unlikely_idle_pct")
    if queued and is_idle:
        return f"{queued}, although {idle:.0f} % was idle"
    load, when = max((get(f"host.load_per_cpu_{at}") or 0.0, at) for at in ("begin", "end"))
    if not queued and not is_idle and load > limit("storage.run_queue_per_cpu"):
        return f"the run queue was {load:.1f} per CPU at the {when}"
    demand = get("host.demand_per_cpu") or 0.0
    if not queued and idle is not None and not is_idle and demand > limit("storage.demand_per_cpu"):
        return f"sessions needed {demand:.1f} times the CPUs, which were {100 - idle:.0f} % busy"
    return queued


#: The facts of ``suspect``.
WITHOUT_HOST: Final = ("host.idle_pct", "load.cpus_used", "load.latch_sleep_ms")


def suspect(get: Get, limit: Limit) -> str:
    """A sentence on why CPU or paging may slow down what seems to be slow storage, or nothing.

    Without the host's CPU: Statspack 8.1.7 reports 08 (latches) and 11 (6.3 CPUs, latches 33 ms).
    """
    used, sleep = (get(name) or 0.0 for name in WITHOUT_HOST[1:])
    many, long = used >= limit("storage.cpus_used"), sleep >= limit("storage.latch_sleep_ms")
    if get(WITHOUT_HOST[0]) is not None or not (many or long):
        return ""
    said = [f"the instance uses {plain(used, 3)} CPUs"] * many
    if sleep >= limit("storage.latch_also_ms"):  # it supports the other
        said.append(f"a sleep on a latch, 10 ms without a disk, takes {plain(sleep, 2)} ms")
    return f" The report does not have the run queue, but {' and '.join(said)}: check it first."


def short_of_memory(get: Get, limit: Limit) -> str:
    """The evidence that the host is out of memory; empty without any."""
    left = get("host.available_memory_pct")
    if left is None or left >= limit("storage.least_memory_pct"):
        return ""
    free, *more = (
        "" if (pct := get(name)) is None else words.format(plain(pct, 2)) if pct else none
        for name, (words, none) in _MEMORY.items()
    )
    free = free or f"{plain(left, 2)} % of the host's memory and swap is available"
    return ", ".join(filter(None, (free, *more)))


def in_no_event(
    get: Get, limit: Limit, largest: str, lost_pct: float, *, peaks: bool = False
) -> str:
    """A sentence on what explains DB time that is neither CPU nor waits, or on what does not.

    ``largest``: the event that takes most of DB time; ``lost_pct``: the share of that time, 0 if
    it is little; ``peaks``: averages may hide busy times.
    """
    if memory := short_of_memory(get, limit):
        return f"{_NO_MEMORY}: {memory}"
    out = get("host.paged_out_pct") or 0.0
    pages = out >= limit("storage.paged_out_pct")
    paged = f". The host paged out {plain(out, 2)} % of its memory" if pages else ""
    about = limit("headline.about_ratio")
    running = _running(get, lost_pct * (1 - about))
    if cpu := waits_for_cpu(get, limit):
        cpu = cpu[:1].upper() + cpu[1:] if cpu.startswith(_QUEUED) else f"{_SHORT} ({cpu})"
        return f"{cpu}{_bound(get, lost_pct, running)}{paged}"
    if running:
        return f"{running}{paged}"
    idle, iowait, plsql = map(get, ("host.idle_pct", "host.iowait_pct", "load.plsql_pct"))
    if plsql and lost_pct * (1 - about) <= plsql <= lost_pct * (1 + about):
        return f"PL/SQL itself takes about as much ({plsql:.0f} %): probably this time{paged}"
    said = []
    if largest.startswith(_DIRECT):
        read, at_once = get("io.read_mb_per_s"), get("io.reads_per_session") or 0.0
        how = _ASYNCHRONOUS
        if _ALL_TIME[0] <= at_once <= _ALL_TIME[1]:
            many = f"{plain(at_once, 3)} of them run at a time for every active session"
            how = f"Direct reads explain it: they are asynchronous, and {many}"
        said = [how + (f" (the instance reads {read:,.0f} MB/s)" if read else "")]
    if idle is not None:
        io = f", {plain(iowait * 100 / idle, 2)} % of it waiting for I/O" if said and iowait else ""
        unlikely = idle >= limit("storage.unlikely_idle_pct") and not peaks
        how = "hardly explains it:" if unlikely else "can explain it only at peaks: on average,"
        said.append(f"Waiting for CPU {how} {plain(idle, 3)} % of CPU was idle{io}")
    return (". ".join(said) or "The report does not show whether the host lacked CPU") + paged


def _running(get: Get, least_pct: float) -> str:
    """That calls which did not end in the interval explain it: a call adds a statistic at its end.

    AWR 11.2.0.3.0 RAC 01: 149,688 of 827,108 s. # Oracle Database Reference, `DB time`
    """
    ended_s, whole_s = get("load.ended_calls_s"), get("load.response_s")
    if ended_s is None or not whole_s or not 0 < least_pct <= 100 * (1 - ended_s / whole_s):
        return ""
    counted = f"the statistic `DB time`, added when a call ends, has {ended_s:,.0f} of"
    return f"Most of it is in calls that still ran: {counted} {whole_s:,.0f} s"


def _bound(get: Get, lost_pct: float, running: str) -> str:
    """How much of that time the queue for CPU can be at most, where it is less than all of it."""
    waited, queue, whole = map(get, ("host.cpu_wait_s", "host.queue_s", "load.response_s"))
    most_s, lost_s = queue if waited is None else waited, lost_pct * (whole or 0.0) / 100
    if most_s is None or most_s >= lost_s:
        return ""
    part = f"{most_s * 100 / lost_s:.0f} % of what is neither CPU nor waits"
    return ". ".join(filter(None, (f". {AT_MOST} {most_s:,.0f} s, {part}", running)))


#: How a sentence begins whose share is too small for the cause of the whole.
AT_MOST: Final = "This explains at most"
_SHORT: Final = "Processes waited for CPU"
_NO_MEMORY: Final = "The host lacks memory"
#: How a sentence begins, after a blank, that names the cause.
CAUSES: Final = (" Processes waited", f" {_NO_MEMORY}")
#: What the host has left of its memory, and what is said if it has nothing of it.
_MEMORY: Final = {
    "host.free_memory_pct": ("{} % of the host's memory is free", "no memory of the host is free"),
    "host.inactive_memory_pct": ("{} % more is inactive", ""),
    "host.free_swap_pct": ("free swap is {} % of it", "no swap is free"),
}
#: Where most of a shared resource is waited for, it is said as a multiple.
_TWICE_PCT: Final = 200.0
_ASYNCHRONOUS: Final = (
    "Direct reads probably explain it: they are asynchronous, and timed only in part"
)
#: So many reads in flight fill all DB time of a session. # awrlens: it starts a few in advance
_ALL_TIME: Final = (1, 4)
_QUEUED: Final = "processes waited"
#: Reads that sessions start, and for which they wait only where they are late.
#: # Oracle Database Reference, `direct path read`
_DIRECT: Final = ("direct path read", "cell smart table scan")
