"""Everything that follows from the model: totals, rates, shares, I/O by file type."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import astuple, dataclass, field, fields, replace
from operator import attrgetter
from typing import TYPE_CHECKING, TypeVar

from .figures import percent, ratio
from .model import DataFile, Event, OtherIo, Workload
from .records import Records

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

RECORDS = Records("releases")

T = TypeVar("T")

CS_US = 10_000
"""Microseconds in a centisecond."""

#: Statistics of some releases only.
FIRST_RELEASE = RECORDS.totals("first release of statistics")
LAST_RELEASE = RECORDS.totals("last release of statistics")


@dataclass(frozen=True)
class Release:
    """The release whose layout is written, and what a report of it says of itself."""

    number: str
    elapsed_s: Callable[[Workload], float]
    like: int | None = None
    """The release whose layout this one prints: 19 for 12.2 to 23ai."""

    @property
    def major(self) -> int:
        """The layout: 8, 9, 10, 11 or 19."""
        return self.like or int(self.number.split(".")[0])

    def pick(self, of_11: T, *, since_19: T | None = None, until_10: T | None = None) -> T:
        """What the release prints where 11.2 prints this; a layout not given is that of 11.2."""
        other = since_19 if self.major >= 19 else until_10 if self.major <= 10 else None
        return of_11 if other is None else other

    def prints(self, statistic: str) -> bool:
        """Whether the release has this statistic."""
        first, last = FIRST_RELEASE.get(statistic, 0), LAST_RELEASE.get(statistic, self.major)
        return first <= self.major <= last


@dataclass(frozen=True)
class IoTotals:
    """Requests and bytes, with the waits for them."""

    read_requests: int = 0
    read_bytes: int = 0
    write_requests: int = 0
    write_bytes: int = 0
    waits: int = 0
    wait_us: int = 0
    read_us: int = 0

    def __add__(self, other: IoTotals) -> IoTotals:
        both = zip(astuple(self), astuple(other), strict=True)
        return IoTotals(*(one + two for one, two in both))

    @property
    def volume(self) -> int:
        """Bytes read and written."""
        return self.read_bytes + self.write_bytes


def add_up(parts: Iterable[IoTotals]) -> IoTotals:
    """Sum I/O."""
    return sum(parts, IoTotals())


@dataclass
class Derived:
    """A workload, seen through one release."""

    workload: Workload
    release: Release
    elapsed_s: float = field(init=False)
    statistics: dict[str, int] = field(init=False)

    def __post_init__(self) -> None:
        self.elapsed_s = self.release.elapsed_s(self.workload)
        self.statistics = instance_statistics(self.workload)

    def __getitem__(self, statistic: str) -> int:
        return self.statistics[statistic]

    @property
    def transactions(self) -> int:
        """Commits and rollbacks."""
        return self["user commits"] + self["user rollbacks"]

    @property
    def db_time_s(self) -> float:
        """DB time."""
        return self.workload.time.db_time_us / 1e6

    @property
    def db_cpu_s(self) -> float:
        """CPU time of foreground processes."""
        return self.workload.time.db_cpu_us / 1e6

    def per_second(self, total: float) -> float:
        """Total a second of the interval."""
        return total / self.elapsed_s

    def per_transaction(self, total: float) -> float:
        """Total a transaction."""
        return ratio(total, self.transactions)

    def printed_statistics(self) -> list[tuple[str, int]]:
        """Instance activity in the release's order and with its statistics only."""
        names = sorted(name for name in self.statistics if self.release.prints(name))
        return [(name, self.statistics[name]) for name in names]

    @property
    def log_switches_per_hour(self) -> float:
        """Log switches an hour."""
        return self.workload.log_switches * 3600 / self.elapsed_s

    @property
    def undo_blocks(self) -> int:
        """Undo blocks used."""
        return sum(row.blocks for row in self.workload.undo)


def instance_statistics(w: Workload) -> dict[str, int]:
    """Totals of all statistics: those of the model and those that follow from it."""
    block = w.database.block_bytes
    reads, writes = file_reads(w.files), file_writes(w.files)
    temp = [file for file in w.files if file.temporary]
    temp_read = sum(file.blocks_read for file in temp)
    temp_written = sum(file.blocks_written for file in temp)
    direct_read = temp_read + sum(file.direct_blocks_read for file in w.files)
    direct_written = temp_written + sum(file.direct_blocks_written for file in w.files)
    logical_reads = w.statistics["consistent gets"] + w.statistics["db block gets"]
    undo_written = sum(f.blocks_written for f in w.files if f.tablespace.startswith("UNDO"))
    other_io = (w.control_file_io, w.log_file_io)
    total_read = reads[1] * block + sum(io.read_bytes for io in other_io)
    total_written = writes[1] * block + sum(io.write_bytes for io in other_io)
    cpu_cs = w.time.db_cpu_us // CS_US
    synch_us = w.statistics["redo synch time"] * CS_US
    write_us = w.statistics["redo write time"] * CS_US
    computed = {
        "CPU used by this session": cpu_cs,
        "CPU used when call started": cpu_cs,
        "DB time": w.time.db_time_us // CS_US,
        "DBWR checkpoint buffers written": w.checkpoint.writes,
        "DBWR checkpoints": w.log_switches,
        "DBWR thread checkpoint buffers written": w.checkpoint.thread_writes,
        "DBWR undo block writes": undo_written,
        "Requests to/from client": w.statistics["SQL*Net roundtrips to/from client"],
        "application wait time": waited_cs(w.events, "Application"),
        "background checkpoints completed": w.log_switches,
        "background checkpoints started": w.log_switches,
        "cell physical IO interconnect bytes": total_read + total_written,
        "concurrency wait time": waited_cs(w.events, "Concurrency"),
        "consistent gets direct": direct_read - temp_read,
        "consistent gets from cache": w.statistics["consistent gets"] - direct_read + temp_read,
        "db block gets direct": direct_written - temp_written,
        "db block gets from cache": w.statistics["db block gets"] - direct_written + temp_written,
        "enqueue releases": sum(enqueue.gets for enqueue in w.enqueues),
        "enqueue requests": sum(enqueue.requests for enqueue in w.enqueues),
        "enqueue timeouts": sum(enqueue.requests - enqueue.gets for enqueue in w.enqueues),
        "enqueue waits": sum(enqueue.waits for enqueue in w.enqueues),
        "logical read bytes from cache": (logical_reads - direct_read + temp_read) * block,
        "non-idle wait count": sum(e.waits for e in w.events if not e.idle),
        "non-idle wait time": sum(e.time_us for e in w.events if not e.idle) // CS_US,
        "parse time elapsed": w.time.parse_us // CS_US,
        "physical read IO requests": reads[0],
        "physical read bytes": reads[1] * block,
        "physical read total IO requests": reads[0] + sum(io.read_requests for io in other_io),
        "physical read total bytes": total_read,
        "physical read total multi block requests": sum(f.direct_reads for f in w.files),
        "physical reads": reads[1],
        "physical reads cache": reads[1] - direct_read,
        "physical reads cache prefetch": reads[1] - direct_read - cached_reads(w.files),
        "physical reads direct": direct_read,
        "physical reads direct temporary tablespace": temp_read,
        "physical write IO requests": writes[0],
        "physical write bytes": writes[1] * block,
        "physical write total IO requests": writes[0] + sum(io.write_requests for io in other_io),
        "physical write total bytes": total_written,
        "physical write total multi block requests": w.statistics["redo writes"] // 3,
        "physical writes": writes[1],
        "physical writes direct": direct_written,
        "physical writes direct (lob)": direct_written - temp_written,
        "physical writes direct temporary tablespace": temp_written,
        "physical writes from cache": writes[1] - direct_written,
        "physical writes non checkpoint": writes[1] - w.checkpoint.writes,
        "redo blocks written (group 0)": w.statistics["redo blocks written"],
        "redo synch time (usec)": synch_us,
        "redo write time (usec)": write_us,
        "redo write total time": write_us,
        "redo write finish time": write_us,
        "redo write info find": w.statistics["redo synch writes"],
        "session logical reads": logical_reads,
        "user I/O wait time": waited_cs(w.events, "User I/O"),
        "workarea executions - multipass": sum(area.multipass for area in w.work_areas),
        "workarea executions - onepass": sum(area.onepass for area in w.work_areas),
        "workarea executions - optimal": sum(area.optimal for area in w.work_areas),
    }
    if w.cluster:
        computed["cluster wait time"] = waited_cs(w.events, "Cluster")
    return {**w.statistics, **computed}


def file_reads(files: Iterable[DataFile]) -> tuple[int, int]:
    """Read requests and blocks."""
    files = tuple(files)
    return sum(f.reads for f in files), sum(f.blocks_read for f in files)


def file_writes(files: Iterable[DataFile]) -> tuple[int, int]:
    """Write requests and blocks."""
    files = tuple(files)
    return sum(f.writes for f in files), sum(f.blocks_written for f in files)


def cached_reads(files: Iterable[DataFile]) -> int:
    """Return requests of reads into the buffer cache."""
    return sum(f.reads - f.direct_reads for f in files if not f.temporary)


def waited_cs(events: Iterable[Event], wait_class: str) -> int:
    """Time waited in a class, in centiseconds."""
    return sum(event.time_us for event in events if event.wait_class == wait_class) // CS_US


def tablespaces(files: Iterable[DataFile]) -> list[DataFile]:
    """Return sums of the files of each tablespace, by I/O descending."""
    by_name: dict[str, list[DataFile]] = defaultdict(list)
    for file in files:
        by_name[file.tablespace].append(file)
    counts = [each.name for each in fields(DataFile) if each.type == "int"]
    sums = [
        replace(group[0], name="", **{each: sum(map(attrgetter(each), group)) for each in counts})
        for group in by_name.values()
    ]
    return sorted(sums, key=lambda total: (-(total.reads + total.writes), total.tablespace))


def combined(events: Iterable[Event]) -> list[Event]:
    """Foreground and background waits of the same name in one event."""
    by_name: dict[str, Event] = {}
    for event in events:
        seen = by_name.get(event.name)
        by_name[event.name] = event if seen is None else together(seen, event)
    return list(by_name.values())


def together(one: Event, other: Event) -> Event:
    """Add up the waits of two events of one name."""
    return Event(
        one.name,
        one.wait_class,
        one.waits + other.waits,
        one.time_us + other.time_us,
        one.timeouts + other.timeouts,
        background=one.background and other.background,
        sigma=one.sigma,
    )


def by_time(events: Iterable[Event]) -> list[Event]:
    """Order by time and waits descending, idle events last."""
    return sorted(events, key=lambda e: (e.idle, -e.time_us, -e.waits, e.name))


def by_class(events: Iterable[Event]) -> list[Event]:
    """Sum non-idle events by wait class, by time descending."""
    waited = [event for event in events if not event.idle]
    by_name = {
        event.wait_class: [e for e in waited if e.wait_class == event.wait_class]
        for event in waited
    }
    return by_time(
        Event(
            name,
            name,
            sum(event.waits for event in members),
            sum(event.time_us for event in members),
            sum(event.timeouts for event in members),
        )
        for name, members in by_name.items()
    )


def function_io(w: Workload) -> list[tuple[str, list[tuple[str, IoTotals]]]]:
    """I/O by function and, within it, by file type; by volume descending."""
    block = w.database.block_bytes
    waits = {event.name: event for event in combined(w.events)}

    def waited(*names: str) -> tuple[int, int]:
        found = [waits[name] for name in names if name in waits]
        return sum(event.waits for event in found), sum(event.time_us for event in found)

    data = [file for file in w.files if not file.temporary]
    temp = [file for file in w.files if file.temporary]
    direct_blocks = sum(file.direct_blocks_read for file in data)
    direct_written = sum(file.direct_blocks_written for file in data)
    direct_writes = sum(file.direct_writes for file in data)
    cache_blocks = file_reads(data)[1] - direct_blocks
    control, log = w.control_file_io, w.log_file_io
    lgwr_control = control.write_requests // 4
    lgwr_bytes = control.write_bytes // 4

    def reads(requests: int, size_bytes: int, *names: str) -> IoTotals:
        return IoTotals(requests, size_bytes, 0, 0, *waited(*names))

    def writes(requests: int, size_bytes: int, *names: str) -> IoTotals:
        return IoTotals(0, 0, requests, size_bytes, *waited(*names))

    def both(io: OtherIo, *names: str) -> IoTotals:
        counts = (io.read_requests, io.read_bytes, io.write_requests, io.write_bytes)
        return IoTotals(*counts, *waited(*names))

    of_temp, of_data = file_reads(temp)[1] * block, direct_blocks * block
    to_temp, to_data = file_writes(temp)[1] * block, direct_written * block
    data_writes, data_blocks = file_writes(data)
    others = replace(
        control,
        write_requests=control.write_requests - lgwr_control,
        write_bytes=control.write_bytes - lgwr_bytes,
    )
    direct_reads = sum(file.direct_reads for file in data)
    cached = ("db file sequential read", "db file scattered read")
    found: dict[str, list[tuple[str, IoTotals]]] = {
        "Buffer Cache Reads": [
            ("Data File", reads(cached_reads(data), cache_blocks * block, *cached))
        ],
        "Direct Reads": [
            ("Data File", reads(direct_reads, of_data, "direct path read")),
            ("Temp File", reads(file_reads(temp)[0], of_temp, "direct path read temp")),
        ],
        "DBWR": [("Data File", writes(data_writes - direct_writes, data_blocks * block - to_data))],
        "Direct Writes": [
            ("Temp File", writes(file_writes(temp)[0], to_temp, "direct path write temp")),
            ("Data File", writes(direct_writes, to_data, "direct path write")),
        ],
        "LGWR": [
            ("Log File", both(log, "log file sequential read")),
            ("Control File", writes(lgwr_control, lgwr_bytes)),
        ],
        "Others": [("Control File", both(others, "control file sequential read"))],
    }
    return sorted(found.items(), key=lambda item: -add_up(part for _, part in item[1]).volume)


def filetype_io(w: Workload) -> list[tuple[str, IoTotals]]:
    """I/O by file type, by volume descending; the sums are those of :func:`function_io`."""
    sums: dict[str, IoTotals] = defaultdict(IoTotals)
    for _, parts in function_io(w):
        for filetype, io in parts:
            sums[filetype] += io
    data_us = sum(file.read_us for file in w.files if not file.temporary)
    temp_us = sum(file.read_us for file in w.files if file.temporary)
    sums["Data File"] += IoTotals(read_us=data_us)
    sums["Temp File"] += IoTotals(read_us=temp_us)
    for name in ("Log File", "Control File"):
        sums[name] += IoTotals(read_us=sums[name].wait_us)
    return sorted(sums.items(), key=lambda item: -item[1].volume)


@dataclass(frozen=True)
class Efficiency:
    """Instance efficiency percentages."""

    buffer_nowait: float
    redo_nowait: float
    buffer_hit: float
    in_memory_sort: float
    optimal_work_area: float
    lib_hit: float
    soft_parse: float
    execute_to_parse: float
    latch_hit: float
    parse_cpu_to_elapsed: float
    non_parse_cpu: float


def efficiency(d: Derived) -> Efficiency:
    """Compute the instance efficiency percentages."""
    w = d.workload
    logical = d["session logical reads"]
    sorts = d["sorts (memory)"] + d["sorts (disk)"]
    pins = sum(cache.pins for cache in w.lib_cache)
    pin_misses = sum(cache.pin_misses for cache in w.lib_cache)
    gets = sum(latch.gets for latch in w.latches)
    misses = sum(latch.misses for latch in w.latches)
    waits = sum(count for count, _ in w.buffer_waits.values())
    executions = sum(area.executions for area in w.work_areas)
    disk_reads = d["physical reads"] - d["physical reads direct"]
    return Efficiency(
        buffer_nowait=100 - percent(waits, logical),
        redo_nowait=100 - percent(d["redo log space requests"], d["redo entries"]),
        buffer_hit=100 - percent(disk_reads, logical),
        in_memory_sort=percent(d["sorts (memory)"], sorts),
        optimal_work_area=percent(d["workarea executions - optimal"], executions),
        lib_hit=100 - percent(pin_misses, pins),
        soft_parse=100 - percent(d["parse count (hard)"], d["parse count (total)"]),
        execute_to_parse=100 - percent(d["parse count (total)"], d["execute count"]),
        latch_hit=100 - percent(misses, gets),
        parse_cpu_to_elapsed=percent(d["parse time cpu"], d["parse time elapsed"]),
        non_parse_cpu=100 - percent(d["parse time cpu"], d["CPU used by this session"]),
    )


SIZE_FACTORS = (0.125, 0.25, 0.5, 0.75, 1.0, 1.2, 1.4, 1.6, 2.0)


def read_factor(size_factor: float, steepness: float = 0.3) -> float:
    """Estimated physical reads of a cache of another size, relative to the present one."""
    return float(size_factor**-steepness)
