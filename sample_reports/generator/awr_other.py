"""AWR: latches, segments, dictionary and library cache, SGA, queues, servers, parameters."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from . import awr_cluster
from .figures import MIB, percent, ratio
from .layout import Group, Layout, Row, Section, Tables

if TYPE_CHECKING:
    from collections.abc import Callable

    from .derived import Derived
    from .model import Segment

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
    measure: Callable[[Segment], int]
    heading: str
    """The heading lines of the measured column, separated by ``|``."""
    total: str = ""
    """Statistic that the shares are of; without one, they are of what was captured."""
    captured_as: str = ""
    new_page: bool = False
    all_captured: str = "total "
    """What a note says before the measure's name."""


SEGMENT_ORDERS = (
    SegmentOrder(
        "Logical Reads", 4000, lambda s: s.logical_reads, "Logical|Reads",
        "session logical reads", new_page=True,
    ),
    SegmentOrder(
        "Physical Reads", 4100, lambda s: s.physical_reads, "Physical|Reads",
        "physical reads",
    ),
    SegmentOrder(
        "Physical Read Requests", 4104, lambda s: s.read_requests, "Phys Read|Requests",
        "physical read IO requests",
    ),
    SegmentOrder(
        "UnOptimized Reads", 4108, lambda s: s.read_requests, "UnOptimized|Reads",
        "physical read IO requests", "UnOptimized Read Requests",
    ),
    SegmentOrder("Optimized Reads", 4106, lambda _: 0, "Optimized|Reads"),
    SegmentOrder(
        "Direct Physical Reads", 4110, lambda s: s.direct_reads, "Direct|Reads",
        "physical reads direct",
    ),
    SegmentOrder(
        "Physical Writes", 4120, lambda s: s.physical_writes, "Physical|Writes",
        "physical writes",
    ),
    SegmentOrder(
        "Physical Write Requests", 4124, lambda s: s.write_requests, "Phys Write|Requests",
        "physical write IO requests",
    ),
    SegmentOrder(
        "Direct Physical Writes", 4130, lambda s: s.direct_writes, "Direct|Writes",
        "physical writes direct",
    ),
    SegmentOrder(
        "Table Scans", 4140, lambda s: s.table_scans, "Table|Scans",
        "table scans (long tables)",
    ),
    SegmentOrder(
        "DB Blocks Changes", 4150, lambda s: s.block_changes, "DB Block|Changes",
        captured_as="DB Block Changes",
    ),
    SegmentOrder("Row Lock Waits", 4200, lambda _: 0, "Row|Lock|Waits", new_page=True),
    SegmentOrder("ITL Waits", 4300, lambda _: 0, "ITL|Waits"),
    SegmentOrder(
        "Buffer Busy Waits", 4400, lambda s: s.buffer_busy_waits, "Buffer|Busy|Waits",
        captured_as="Buffer Busy Waits",
    ),
)  # fmt: skip
#: In a cluster.
CLUSTER_ORDERS = (
    SegmentOrder(
        "Global Cache Buffer Busy", 4450, lambda s: s.gc_buffer_busy, "GC|Buffer|Busy",
        captured_as="GC Buffer Busy", all_captured="",
    ),
    SegmentOrder(
        "CR Blocks Received", 4500, lambda s: s.cr_blocks_received, "CR|Blocks|Received",
        "gc cr blocks received",
    ),
    SegmentOrder(
        "Current Blocks Received", 4600, lambda s: s.current_blocks_received,
        "Current|Blocks|Received", "gc current blocks received",
    ),
)  # fmt: skip
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
    *above, top, bottom = order.heading.split("|")
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
    column = order.heading.replace("|", " ")
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
    segments = [segment for segment in d.workload.segments if order.measure(segment)]
    captured = sum(map(order.measure, segments))
    whole = d[order.total] if order.total else captured
    rows: list[Row] = []
    for segment in sorted(segments, key=order.measure, reverse=True)[:5]:
        numbers = (segment.object_id, segment.object_id) if is_19 else ()
        rows.append(
            (
                segment.owner, segment.tablespace, segment.name, None, segment.kind, *numbers,
                order.measure(segment), percent(order.measure(segment), whole),
            )
        )  # fmt: skip
    name = order.captured_as or order.title
    notes: tuple[str, ...] = (
        (
            f"Total {name}: {whole:15,d}",
            f"Captured Segments account for {percent(captured, whole):6.1f}% of Total",
        )
        if order.total
        else (
            f"% of Capture shows % of {name} for each top segment compared",
            f"with {order.all_captured}{name} for all segments captured by the Snapshot",
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
            Section(
                breakdown,
                TABLES.SGA_BREAKDOWN,
                sga_breakdown(d),
                (
                    "ordered by Pool, Name",
                    (
                        "N/A value for Begin MB or End MB indicates the size of that Pool/Name "
                        "was\ninsignificant, or zero in that snapshot"
                    ),
                ),
                6100,
            ),
        ),
    )


def components(d: Derived) -> dict[str, float]:
    """Sizes of the SGA's components in megabytes."""
    memory = d.workload.memory
    names = {
        "ASM Buffer Cache": 0,
        "DEFAULT 16K buffer cache": 0,
        "DEFAULT 2K buffer cache": 0,
        "DEFAULT 32K buffer cache": 0,
        "DEFAULT 4K buffer cache": 0,
        "DEFAULT 8K buffer cache": 0,
        "DEFAULT buffer cache": memory.buffer_cache_bytes,
        "KEEP buffer cache": 0,
        "PGA Target": memory.pga_target_bytes,
        "RECYCLE buffer cache": 0,
        "SGA Target": 0,
        "Shared IO Pool": 0,
        "java pool": memory.java_pool_bytes,
        "large pool": memory.large_pool_bytes,
        "shared pool": memory.shared_pool_bytes,
        "streams pool": 0,
    }
    return {name: size_bytes / MIB for name, size_bytes in names.items()}


def process_memory(d: Derived) -> list[Row]:
    """PGA by category at both snapshots."""
    rows: list[Row] = []
    for label, snapshot in (("B", d.workload.begin), ("E", d.workload.end)):
        pga_mb, processes = snapshot.pga_bytes / MIB, snapshot.sessions
        rows += [
            (
                label,
                "Other",
                pga_mb * 0.86,
                None,
                pga_mb * 0.86 / processes,
                2.4,
                14,
                24,
                processes,
                processes,
            ),
            (
                label,
                "Freeable",
                pga_mb * 0.12,
                0,
                pga_mb * 0.24 / processes,
                0.6,
                3,
                None,
                processes // 2,
                processes // 2,
            ),
            (
                label,
                "PL/SQL",
                pga_mb * 0.01,
                pga_mb * 0.008,
                pga_mb * 0.01 / processes,
                0.1,
                1,
                1,
                processes,
                processes,
            ),
            (
                label,
                "SQL",
                pga_mb * 0.01,
                pga_mb * 0.002,
                pga_mb * 0.01 / processes,
                0.1,
                0,
                12,
                processes * 2 // 3,
                processes // 2,
            ),
        ]
    return rows


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
    queues = (
        ("Buffered Queues", 6400),
        ("Buffered Queue Subscribers", 6500),
        ("Rule Set", 6600),
        ("Persistent Queues", 7600),
        ("Persistent Queues Rate", 7610),
        ("Persistent Queue Subscribers", 7700),
    )
    streams = (
        ("Streams CPU/IO Usage", 6150),
        ("Streams Capture", 6200),
        ("Streams Capture Rate", 6210),
        ("Streams Apply", 6300),
        ("Streams Apply Rate", 6310),
    )
    limits = TABLES.section("Resource Limit Stats")
    limit_group = Group("Resource Limit Statistics", 6700, (limits,), flat=True)
    if d.release.major < 19:
        sections = empty((*streams, *queues))
        first = replace(sections[0], new_page=True)
        return Group("Streams Statistics", 34, (first, *sections[1:])), limit_group
    return (
        Group("Replication Statistics (GoldenGate, XStream)", 39, empty(REPLICATION)),
        Group("Advanced Queuing", 34, empty((("Advanced Queue CPU/IO Usage", 6150), *queues))),
        limit_group,
    )


REPLICATION = (
    ("Replication System Resource Usage", 9000),
    ("Replication SGA Usage", 9010),
    ("GoldenGate Capture", 9020),
    ("GoldenGate Capture Rate", 9030),
    ("GoldenGate Apply Reader", 9040),
    ("GoldenGate Apply Coordinator", 9041),
    ("GoldenGate Apply Server", 9042),
    ("GoldenGate Apply Coordinator Rate", 9051),
    ("GoldenGate Apply Reader and Server Rate", 9050),
    ("XStream Capture", 9060),
    ("XStream Capture Rate", 9070),
    ("XStream Apply Reader", 9080),
    ("XStream Apply Coordinator", 9081),
    ("XStream Apply Server", 9082),
    ("XStream Apply Coordinator Rate", 9091),
    ("XStream Apply Reader and Server Rate", 9090),
    ("Table Statistics by DML Operations", 9100),
    ("Table Statistics by Conflict Resolutions", 9110),
    ("Replication Large Transaction Statistics", 9120),
    ("Replication Long Running Transaction Statistics", 9130),
)


def empty(titles: tuple[tuple[str, int], ...]) -> tuple[Section, ...]:
    """Sections without data."""
    return tuple(Section(title, anchor=anchor) for title, anchor in titles)


def server_group() -> Group:
    """Shared Server Statistics: no shared servers are configured."""
    return Group(
        "Shared Server Statistics",
        37,
        (
            TABLES.section("Shared Servers Activity", [(0,) * 6]),
            TABLES.section("Shared Servers Rates", [(0,) * 8]),
            *empty(
                (
                    ("Shared Servers Utilization", 8730),
                    ("Shared Servers Common Queue", 8740),
                    ("Shared Servers Dispatchers", 8750),
                )
            ),
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
PARAMETER_SINCE = {
    "audit_file_dest": 10,
    "db_cache_size": 9,
    "fast_start_mttr_target": 9,
    "pga_aggregate_target": 9,
    "undo_management": 9,
    "undo_retention": 9,
    "undo_tablespace": 9,
}
PARAMETER_UNTIL = {"undo_management": 10}


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
    value_notes: tuple[str, ...] = ()
    title, several_title = "init.ora Parameters", "init.ora Multi-Valued Parameters"
    several_notes: tuple[str, ...] = (
        "This section only displays parameters that have more one value",
        "'(NULL)' indicates a missing parameter value",
        "A blank in the End Snapshot indicates the same value as the BeginSnapshot",
    )
    layout = TABLES.PARAMETERS
    if is_19:
        several_notes = (
            "This section only displays parameters that have more than one value",
            several_notes[1],
            "A blank in the 'End Snapshot' indicates the same value as the 'Begin Snapshot'",
        )
        title, several_title = "Modified Parameters", "Modified Multi-Valued Parameters"
        layout = replace(
            TABLES.PARAMETERS,
            summary="This table displays name and value of the modified initialization parameters",
        )
        value_notes = (
            (
                "This section shows all the modified initialization parameters that\n"
                "were in effect during the entire snapshot interval"
            ),
            (
                "End Value is displayed only if the parameter value was modified within the "
                "snapshot interval"
            ),
        )
    return Group(
        "Initialization Parameters" if is_19 else "init.ora Parameters",
        36,
        (
            Section(
                title,
                layout,
                [(name, value, None) for name, value in values.items()],
                value_notes,
                6800,
                new_page=True,
            ),
            Section(
                several_title,
                replace(
                    TABLES.PARAMETERS,
                    summary="This table displays name and value of multi-valued "
                    + ("parameters" if is_19 else "init.ora parameters"),
                ),
                several,
                several_notes,
                6850,
                new_page=True,
            ),
        ),
    )


def history_group() -> Group:
    """Active Session History of 12.2 and later: nothing was sampled for the test."""
    titles = (
        ("Top SQL with Top Events", 9990),
        ("Top SQL with Top Row Sources", 9989),
        ("Top Sessions", 9993),
        ("Top Blocking Sessions", 9992),
        ("Top PL/SQL Procedures", 9991),
        ("Top Events", 9988),
        ("Top Event P1/P2/P3 Values", 9994),
        ("Top DB Objects", 9987),
        ("Activity Over Time", 9986),
    )
    return Group("Active Session History (ASH) Report", 42, empty(titles))
