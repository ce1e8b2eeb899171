"""AWR: latches, segments, dictionary and library cache, SGA, queues, servers, parameters."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from . import awr_cluster
from .figures import MIB, percent, ratio
from .layout import Group, Layout, Row, Section, Tables
from .records import Records

if TYPE_CHECKING:
    from .derived import Derived
    from .model import Segment

RECORDS = Records("awr_other")

TABLES = Tables("awr_other")


def latch_group(d: Derived) -> Group:
    """Latch Statistics."""
    return Group(
        "Latch Statistics",
        29,
        (
            TABLES.section("Latch Activity", latch_rows(d)),
            TABLES.section("Latch Sleep Breakdown", latch_sleeps(d)),
            TABLES.section("Latch Miss Sources", latch_misses(d)),
            TABLES.section("Mutex Sleep Summary", MUTEX_SLEEPS),
            TABLES.section("Parent Latch Statistics"),
            TABLES.section("Child Latch Statistics"),
        ),
    )


MUTEX_SLEEPS: list[Row] = [
    ("Cursor Pin", "kksLockDelete [KKSCHLPIN6]", 41, 2),
    ("Library Cache", "kglpin1   4", 12, 0),
    ("Cursor Pin", "kksfbc [KKSCHLPIN1]", 7, 0),
]


def latch_rows(d: Derived) -> list[Row]:
    """All latches, by name."""
    return [
        (
            latch.name,
            latch.gets,
            percent(latch.misses, latch.gets),
            ratio(latch.sleeps, latch.misses) if latch.misses else None,
            latch.wait_us / 1e6,
            latch.nowait_gets,
            percent(latch.nowait_misses, latch.nowait_gets) if latch.nowait_gets else None,
        )
        for latch in d.workload.latches
    ]


def latch_sleeps(d: Derived) -> list[Row]:
    """Latches with sleeps, by misses."""
    slept = [latch for latch in d.workload.latches if latch.sleeps]
    return [
        (latch.name, latch.gets, latch.misses, latch.sleeps, latch.misses - latch.sleeps)
        for latch in sorted(slept, key=lambda latch: -latch.misses)
    ]


def latch_misses(d: Derived) -> list[Row]:
    """Where the sleeps were."""
    return [
        (latch.name, latch.where, 0, latch.sleeps, latch.sleeps)
        for latch in d.workload.latches
        if latch.sleeps
    ]


@dataclass(frozen=True)
class SegmentOrder:
    """One "Segments by ..." section."""

    title: str
    anchor: int
    measure: str
    """The field of a segment; without one, no segment has any."""
    heading: str
    """The heading lines of the measured column, separated by ``/``."""
    total: str = ""
    """Statistic that the shares are of; without one, they are of what was captured."""
    captured_as: str = ""
    new_page: bool = False
    all_captured: bool = False
    """A note speaks of the total."""

    def amount(self, segment: Segment) -> int:
        """What the section orders by."""
        return int(getattr(segment, self.measure)) if self.measure else 0


SEGMENT_ORDERS = RECORDS.rows(SegmentOrder, "segments by")
#: In a cluster.
CLUSTER_ORDERS = RECORDS.rows(SegmentOrder, "segments by, in a cluster")
MISSING_NOTE = "When ** MISSING ** occurs, some of the object attributes may not be available"


def segment_group(d: Derived) -> Group:
    """Segment Statistics."""
    orders = (*SEGMENT_ORDERS, *CLUSTER_ORDERS) if d.workload.cluster else SEGMENT_ORDERS
    sections = tuple(segment_section(d, order) for order in orders)
    return Group("Segment Statistics", 30, sections)


SEGMENT_NAMES = (
    "           Tablespace                      Subobject  Obj. ",
    "Owner         Name    Object Name            Name     Type ",
    "---------- ---------- -------------------- ---------- ----- ------------ -------",
)
SEGMENT_OWNERS_19 = (
    "                     Tablespace",
    "Owner                   Name",
    "-------------------- ----------",
)
SEGMENT_NAMES_19 = (
    "                     Subobject  Obj.                       ",
    "Object Name            Name     Type        Obj#   Dataobj#",
    "-------------------- ---------- ----- ---------- ---------- ------------ -------",
)


def segment_layout(order: SegmentOrder, *, is_19: bool) -> Layout:
    """Columns of a segment section; 12.2 and later add the object's numbers."""
    *above, top, bottom = order.heading.split("/")
    share_top, share = ("", "%Total") if order.total else ("% of", "Capture")
    over, names_of, ruler = SEGMENT_NAMES_19 if is_19 else SEGMENT_NAMES
    heading = "\n".join(
        (
            *(SEGMENT_OWNERS_19 if is_19 else ()),
            *(f"{line:>72}" for line in above),
            f"{over} {top:>12} {share_top:>7}".rstrip(),
            f"{names_of} {bottom:>12} {share:>7}",
            ruler,
        )
    )
    column = order.heading.replace("/", " ")
    names = ["Owner", "Tablespace    Name", "Object Name", "Subobject   Name", "Obj. Type"]
    formats = "s s s s s i p2"
    if is_19:
        names += ["Obj#", "Dataobj#"]
        formats = "s s s s s n n i p2"
    names += [column, f"{share_top} {share}".strip()]
    summary = (
        f"This table displays top segments by {order.title.lower()}. Owner, tablespace name, "
        f"object type, {column.lower()}, etc. are displayed for each segment"
    )
    return Layout(heading, formats, "|".join(names), summary, scope_column=2)


def segment_section(d: Derived, order: SegmentOrder) -> Section:
    """Segments by one measure, descending."""
    is_19 = d.release.major >= 19
    segments = [segment for segment in d.workload.segments if order.amount(segment)]
    captured = sum(map(order.amount, segments))
    whole = d[order.total] if order.total else captured
    rows: list[Row] = []
    for segment in sorted(segments, key=order.amount, reverse=True)[:5]:
        numbers = (segment.object_id, segment.object_id) if is_19 else ()
        rows.append(
            (
                segment.owner, segment.tablespace, segment.name, None, segment.kind, *numbers,
                order.amount(segment), percent(order.amount(segment), whole),
            )
        )  # fmt: skip
    name = order.captured_as or order.title
    total = "total " if order.all_captured else ""
    notes: tuple[str, ...] = (
        (
            f"Total {name}: {whole:15,d}",
            f"Captured Segments account for {percent(captured, whole):6.1f}% of Total",
        )
        if order.total
        else (
            f"% of Capture shows % of {name} for each top segment compared",
            f"with {total}{name} for all segments captured by the Snapshot",
        )
    )
    if is_19:
        notes = (*notes, MISSING_NOTE)
    layout = segment_layout(order, is_19=is_19)
    title = f"Segments by {order.title}"
    return Section(title, layout, rows, notes, order.anchor, new_page=order.new_page)


def cache_groups(d: Derived) -> tuple[Group, ...]:
    """Build Dictionary and library cache, each a section of the main list."""
    dictionary = TABLES.section("Dictionary Cache Stats", dictionary_rows(d))
    library = TABLES.section("Library Cache Activity", library_rows(d))
    if d.workload.cluster:
        of_rows, of_library = awr_cluster.rac_dictionary_cache(d), awr_cluster.rac_library_cache(d)
        return (
            Group("Dictionary Cache Statistics", 31, (dictionary, of_rows)),
            Group("Library Cache Statistics", 32, (library, of_library)),
        )
    return (
        Group("Dictionary Cache Statistics", 4700, (dictionary,), flat=True),
        Group("Library Cache Statistics", 4900, (library,), flat=True),
    )


def dictionary_rows(d: Derived) -> list[Row]:
    """Row caches by name; none is scanned."""
    return [
        (c.name, c.gets, percent(c.misses, c.gets), 0, None, c.modifications, c.usage)
        for c in d.workload.dictionary_cache
    ]


def library_rows(d: Derived) -> list[Row]:
    """Library cache by namespace."""
    return [
        (
            c.name,
            c.gets,
            percent(c.get_misses, c.gets),
            c.pins,
            percent(c.pin_misses, c.pins) if c.pins else None,
            c.reloads,
            c.invalidations,
        )
        for c in d.workload.lib_cache
    ]


def memory_group(d: Derived) -> Group:
    """Memory Statistics."""
    is_19 = d.release.major >= 19
    breakdown = "SGA breakdown difference" + (" by Pool and Name" if is_19 else "")
    process_notes = (
        "B: Begin Snap   E: End Snap",
        "All rows below contain absolute values (i.e. not diffed over the interval)",
        "Max Alloc is Maximum PGA Allocation size at snapshot time",
        "Hist Max Alloc is the Historical Max Allocation for still-connected processes",
        "ordered by Begin/End snapshot, Alloc (MB) desc",
        *(("Top 10 containers by Alloc (MB) at end snapshot time are displayed",) * is_19),
    )
    return Group(
        "Memory Statistics",
        33,
        (
            TABLES.section(
                "Memory Dynamic Components",
                [(name, mb, mb, mb, mb, 0, "STA/") for name, mb in components(d).items()],
            ),
            TABLES.section("Memory Resize Operations Summary"),
            TABLES.section("Memory Resize Ops"),
            TABLES.section("Process Memory Summary", process_memory(d), notes=process_notes),
            TABLES.section(
                "SGA Memory Summary",
                sga_regions(d),
                footer=(" " * 31 + "-" * 19, f"sum{d.workload.memory.sga_bytes:47,d}"),
            ),
            TABLES.section(breakdown, sga_breakdown(d)),
        ),
    )


def components(d: Derived) -> dict[str, float]:
    """Sizes of the SGA's components in megabytes."""
    memory = d.workload.memory
    sizes = {
        "DEFAULT buffer cache": memory.buffer_cache_bytes,
        "PGA Target": memory.pga_target_bytes,
        "java pool": memory.java_pool_bytes,
        "large pool": memory.large_pool_bytes,
        "shared pool": memory.shared_pool_bytes,
    }
    return {name: sizes.get(name, 0) / MIB for name in RECORDS.names("memory components")}


@dataclass(frozen=True)
class ProcessMemory:
    """A category of PGA: shares of the whole, megabytes of a process, shares of the processes."""

    category: str
    allocated: float
    used: float | None
    average: float
    deviation_mb: float
    most_mb: int
    history_mb: int | None
    processes: float
    allocations: float


def process_memory(d: Derived) -> list[Row]:
    """PGA by category at both snapshots."""
    return [
        (
            label, c.category, pga_mb * c.allocated, None if c.used is None else pga_mb * c.used,
            pga_mb * c.average / processes, c.deviation_mb, c.most_mb, c.history_mb,
            int(processes * c.processes), int(processes * c.allocations),
        )
        for label, snapshot in (("B", d.workload.begin), ("E", d.workload.end))
        for pga_mb, processes in ((snapshot.pga_bytes / MIB, snapshot.sessions),)
        for c in RECORDS.rows(ProcessMemory, "process memory")
    ]  # fmt: skip


def sga_regions(d: Derived) -> list[Row]:
    """Parts of the SGA."""
    memory = d.workload.memory
    return [
        ("Database Buffers", memory.buffer_cache_bytes, None),
        ("Fixed Size", memory.fixed_bytes, None),
        ("Redo Buffers", memory.redo_buffers_bytes, None),
        ("Variable Size", memory.variable_bytes, None),
    ]


def sga_breakdown(d: Derived) -> list[Row]:
    """Largest parts of the pools; what is free follows from the snapshot's usage."""
    memory = d.workload.memory
    shared_mb = memory.shared_pool_bytes / MIB
    free = [
        shared_mb * (100 - snapshot.shared_pool_used_pct) / 100
        for snapshot in (d.workload.begin, d.workload.end)
    ]
    java_mb, large_mb = memory.java_pool_bytes / MIB, memory.large_pool_bytes / MIB
    return [
        ("java", "free memory", java_mb, java_mb, 0),
        ("large", "PX msg pool", large_mb * 0.24, large_mb * 0.24, 0),
        ("large", "free memory", large_mb * 0.76, large_mb * 0.76, 0),
        ("shared", "ASH buffers", 4, 4, 0),
        ("shared", "KGLH0", shared_mb * 0.06, shared_mb * 0.06, 0),
        ("shared", "SQLA", shared_mb * 0.11, shared_mb * 0.12, 9.09),
        ("shared", "db_block_hash_buckets", 22.5, 22.5, 0),
        ("shared", "free memory", *free, percent(free[1] - free[0], free[0])),
        ("shared", "private strands", 9.8, 9.8, 0),
        ("shared", "row cache", 7.2, 7.2, 0),
        ("", "buffer_cache", *[memory.buffer_cache_bytes / MIB] * 2, 0),
        ("", "fixed_sga", *[memory.fixed_bytes / MIB] * 2, 0),
        ("", "log_buffer", *[memory.redo_buffers_bytes / MIB] * 2, 0),
    ]


def queue_groups(d: Derived) -> tuple[Group, ...]:
    """Streams, or replication and queues: the sections exist and are empty."""
    limits = TABLES.section("Resource Limit Stats")
    limit_group = Group("Resource Limit Statistics", 6700, (limits,), flat=True)
    if d.release.major < 19:
        sections = empty("Streams", "Queues")
        first = replace(sections[0], new_page=True)
        return Group("Streams Statistics", 34, (first, *sections[1:])), limit_group
    return (
        Group("Replication Statistics (GoldenGate, XStream)", 39, empty("Replication")),
        Group("Advanced Queuing", 34, empty("Advanced Queuing", "Queues")),
        limit_group,
    )


def empty(*lists: str) -> tuple[Section, ...]:
    """Sections without data."""
    return tuple(
        Section(title, anchor=anchor)
        for each in lists
        for title, anchor in RECORDS.totals(each).items()
    )


def server_group() -> Group:
    """Shared Server Statistics: no shared servers are configured."""
    return Group(
        "Shared Server Statistics",
        37,
        (
            TABLES.section("Shared Servers Activity", [(0,) * 6]),
            TABLES.section("Shared Servers Rates", [(0,) * 8]),
            *empty("Shared Servers"),
        ),
    )


def parameters(d: Derived) -> dict[str, str]:
    """Parameters that differ from the defaults of the release."""
    w = d.workload
    name = w.database.name.lower()
    base = "/u01/app/oracle"
    until_10 = {
        "background_dump_dest": f"{base}/admin/{name}/bdump",
        "core_dump_dest": f"{base}/admin/{name}/cdump",
        "user_dump_dest": f"{base}/admin/{name}/udump",
    }
    until_9 = until_10 | {
        "large_pool_size": str(w.memory.large_pool_bytes),
        "timed_statistics": "TRUE",
    }
    by_release = {
        8: until_9
        | {
            "compatible": "8.1.7",
            "db_block_buffers": str(w.memory.buffer_cache_bytes // w.database.block_bytes),
            "log_checkpoint_interval": "0",
            "sort_area_size": "1048576",
        },
        9: until_9 | {"compatible": "9.2.0", "log_checkpoint_interval": "0"},
        10: until_10 | {"compatible": "10.2.0.3.0"},
        11: {"compatible": "11.2.0.0.0", "diagnostic_dest": base},
        19: {"compatible": "19.0.0", "diagnostic_dest": base},
    }
    known = {
        name: value
        for name, value in w.parameters.items()
        if PARAMETER_SINCE.get(name, 0) <= d.release.major <= PARAMETER_UNTIL.get(name, 99)
    }
    return dict(sorted((known | by_release[d.release.major]).items()))


#: Parameters of the model that are not of all releases, or not printed because they are defaults.
PARAMETER_SINCE = RECORDS.totals("first release of parameters")
PARAMETER_UNTIL = RECORDS.totals("last release of parameters")


def parameter_group(d: Derived) -> Group:
    """Build Initialization parameters."""
    is_19 = d.release.major >= 19
    values = parameters(d)
    several: list[Row] = [
        (name if at == 0 else None, part, None)
        for name, value in values.items()
        if ", " in value
        for at, part in enumerate(value.split(", "))
    ]
    title, kind = ("Initialization Parameters", "Modified") if is_19 else (
        "init.ora Parameters", "init.ora"
    )  # fmt: skip
    one: list[Row] = [(name, value, None) for name, value in values.items()]
    sections = (
        TABLES.section(f"{kind} Parameters", one),
        TABLES.section(f"{kind} Multi-Valued Parameters", several),
    )
    return Group(title, 36, sections)


def history_group() -> Group:
    """Active Session History of 12.2 and later: nothing was sampled for the test."""
    return Group("Active Session History (ASH) Report", 42, empty("Active Session History"))
