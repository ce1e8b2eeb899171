"""What happened between two snapshots: the facts that every layout prints.

Only base quantities are kept (counts, totals, sizes). Everything derived from them is computed
in :mod:`derived` or by the writers.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

HISTOGRAM_BUCKETS = 36
"""Bucket k counts waits of less than 2**k microseconds that are in no smaller bucket."""


@dataclass(frozen=True)
class Database:
    """Identity of the database, its instance and its host."""

    name: str
    db_id: int
    instance: str
    instance_number: int
    startup: datetime
    host: str
    platform: str
    cpus: int
    cores: int
    sockets: int
    memory_bytes: int
    block_bytes: int = 8192


@dataclass(frozen=True)
class Snapshot:
    """One end of the interval."""

    snap_id: int
    taken: datetime
    sessions: int
    cursors: int
    load_average: float
    pga_bytes: int
    shared_pool_used_pct: float
    sql_reused_pct: float
    sql_reused_memory_pct: float

    @property
    def cursors_per_session(self) -> float:
        """Open cursors a session."""
        return self.cursors / self.sessions


@dataclass(frozen=True)
class Memory:
    """Sizes of the SGA and of the PGA target."""

    buffer_cache_bytes: int
    shared_pool_bytes: int
    large_pool_bytes: int
    java_pool_bytes: int
    fixed_bytes: int
    log_buffer_bytes: int
    redo_buffers_bytes: int
    pga_target_bytes: int
    pga_auto_target_bytes: int
    pga_bound_bytes: int

    @property
    def variable_bytes(self) -> int:
        """The SGA's variable part: its pools."""
        return self.shared_pool_bytes + self.large_pool_bytes + self.java_pool_bytes

    @property
    def sga_bytes(self) -> int:
        """The whole SGA."""
        return (
            self.buffer_cache_bytes
            + self.fixed_bytes
            + self.redo_buffers_bytes
            + self.variable_bytes
        )


@dataclass(frozen=True)
class Host:
    """CPU time of the host in centiseconds, summed over its CPUs."""

    user_cs: int
    system_cs: int
    nice_cs: int
    iowait_cs: int
    idle_cs: int

    @property
    def busy_cs(self) -> int:
        """Time not idle."""
        return self.user_cs + self.system_cs + self.nice_cs

    @property
    def total_cs(self) -> int:
        """Time of all CPUs over the interval."""
        return self.busy_cs + self.idle_cs


@dataclass(frozen=True)
class TimeModel:
    """Time model statistics, in microseconds."""

    db_time_us: int
    db_cpu_us: int
    sql_execute_us: int
    plsql_execute_us: int
    parse_us: int
    hard_parse_us: int
    connection_us: int
    repeated_bind_us: int
    background_us: int
    background_cpu_us: int


def spread(waits: int, mean_us: float, sigma: float) -> tuple[int, ...]:
    """Spread waits log-normally around their mean over buckets of powers of two."""
    if waits == 0:
        return (0,) * HISTOGRAM_BUCKETS
    centre = math.log(max(mean_us, 0.5)) - sigma * sigma / 2

    def below(bucket: int) -> float:
        return 0.5 * (1 + math.erf((bucket * math.log(2) - centre) / (sigma * math.sqrt(2))))

    counts = []
    counted = 0
    for bucket in range(HISTOGRAM_BUCKETS - 1):
        until_here = math.floor(waits * below(bucket) + 0.5)
        counts.append(until_here - counted)
        counted = until_here
    return (*counts, waits - counted)


@dataclass(frozen=True)
class Event:
    """Waits of one kind, by foreground or by background processes."""

    name: str
    wait_class: str
    waits: int
    time_us: int
    timeouts: int = 0
    background: bool = False
    sigma: float = 0.7
    """Width of the wait times' distribution."""

    @property
    def idle(self) -> bool:
        """Waiting for work."""
        return self.wait_class == "Idle"

    @property
    def average_us(self) -> float:
        """Average wait."""
        return self.time_us / self.waits

    @cached_property
    def histogram(self) -> tuple[int, ...]:
        """Waits by duration, in buckets of powers of two of a microsecond."""
        return spread(self.waits, self.average_us, self.sigma)


@dataclass(frozen=True)
class DataFile:
    """I/O on one data file or temp file."""

    tablespace: str
    name: str
    reads: int
    blocks_read: int
    read_us: int
    writes: int
    blocks_written: int
    buffer_waits: int = 0
    buffer_wait_us: int = 0
    temporary: bool = False
    direct_reads: int = 0
    """Reads past the buffer cache; on a temp file all reads and writes are."""
    direct_blocks_read: int = 0
    direct_writes: int = 0
    direct_blocks_written: int = 0

    @property
    def single_block_reads(self) -> int:
        """Reads of one block: what is left when prefetched blocks came seven at a time."""
        reads = self.reads - self.direct_reads
        prefetched = self.blocks_read - self.direct_blocks_read - reads
        return 0 if self.temporary else max(0, reads - prefetched // 7)


@dataclass(frozen=True)
class OtherIo:
    """Requests and bytes on files that are not data files."""

    read_requests: int
    read_bytes: int
    write_requests: int
    write_bytes: int


@dataclass(frozen=True)
class Sql:
    """One statement's work in the interval."""

    sql_id: str
    hash_value: int
    text: str
    module: str
    executions: int
    elapsed_us: int
    cpu_us: int
    io_us: int
    gets: int
    reads: int
    read_requests: int
    rows: int
    parses: int
    sharable_bytes: int
    plsql: bool = False
    cluster_us: int = 0


@dataclass(frozen=True)
class UndoInterval:
    """Ten minutes of undo."""

    ends: datetime
    blocks: int
    transactions: int
    max_query_s: int
    max_concurrency: int
    retention_min: int


@dataclass(frozen=True)
class RollbackSegment:
    """One undo segment, for the rollback sections of 9.2."""

    number: int
    gets: int
    waits: int
    bytes_written: int
    wraps: int
    shrinks: int
    extends: int
    size_bytes: int
    active_bytes: int
    high_water_bytes: int


@dataclass(frozen=True)
class Recovery:
    """Instance Recovery Stats at one snapshot."""

    label: str
    target_mttr_s: int
    estimated_mttr_s: int
    estimated_ios: int
    actual_redo_blocks: int
    target_redo_blocks: int
    log_size_redo_blocks: int
    timeout_redo_blocks: int
    optimal_log_mb: int | None
    rac_available_s: int | None = None


@dataclass(frozen=True)
class MttrAdvice:
    """One row of the MTTR advisory."""

    target_s: int
    dirty_limit: int
    cache_writes: int
    cache_writes_factor: float


@dataclass(frozen=True)
class Checkpoint:
    """Blocks written for checkpoints, by what asked for them."""

    mttr_writes: int
    log_size_writes: int
    log_setting_writes: int
    other_setting_writes: int
    autotune_writes: int
    thread_writes: int

    @property
    def writes(self) -> int:
        """All blocks written for checkpoints."""
        return (
            self.mttr_writes
            + self.log_size_writes
            + self.log_setting_writes
            + self.other_setting_writes
            + self.autotune_writes
            + self.thread_writes
        )


@dataclass(frozen=True)
class WorkAreas:
    """Executions of work areas of one size."""

    low: str
    high: str
    optimal: int
    onepass: int = 0
    multipass: int = 0

    @property
    def executions(self) -> int:
        """All executions."""
        return self.optimal + self.onepass + self.multipass


@dataclass(frozen=True)
class Latch:
    """One latch's gets."""

    name: str
    gets: int
    misses: int = 0
    sleeps: int = 0
    wait_us: int = 0
    nowait_gets: int = 0
    nowait_misses: int = 0
    where: str = ""
    """Code location of the sleeps."""


@dataclass(frozen=True)
class Enqueue:
    """One enqueue's requests."""

    kind: str
    description: str
    requests: int
    gets: int
    waits: int
    wait_us: int


@dataclass(frozen=True)
class Segment:
    """One segment's activity."""

    owner: str
    tablespace: str
    name: str
    kind: str
    object_id: int
    logical_reads: int = 0
    physical_reads: int = 0
    read_requests: int = 0
    direct_reads: int = 0
    physical_writes: int = 0
    write_requests: int = 0
    direct_writes: int = 0
    table_scans: int = 0
    block_changes: int = 0
    buffer_busy_waits: int = 0
    gc_buffer_busy: int = 0
    cr_blocks_received: int = 0
    current_blocks_received: int = 0


@dataclass(frozen=True)
class DictionaryCache:
    """One row cache."""

    name: str
    gets: int
    misses: int
    modifications: int
    usage: int


@dataclass(frozen=True)
class LibraryCache:
    """One library cache namespace."""

    name: str
    gets: int
    get_misses: int
    pins: int
    pin_misses: int
    reloads: int
    invalidations: int


@dataclass(frozen=True)
class Received:
    """Blocks of one class that came from another instance."""

    block_class: str
    cr: int
    current: int
    cr_busy: int
    """Of them, those that waited for the other instance."""
    current_busy: int


@dataclass(frozen=True)
class Cluster:
    """What an instance of a cluster does with the other instance."""

    instances: int
    peer: int
    interface: str
    address: str
    received: tuple[Received, ...]
    messaging: Mapping[str, int]
    """Global messaging statistics."""
    cr_served: Mapping[str, int]
    current_served: Mapping[str, tuple[int, ...]]
    """Operations by duration: under 1 ms, 10 ms, 100 ms, 1 s, 10 s."""


@dataclass(frozen=True)
class Workload:
    """Everything a report of one interval prints."""

    slug: str
    database: Database
    begin: Snapshot
    end: Snapshot
    memory: Memory
    host: Host
    time: TimeModel
    statistics: Mapping[str, int]
    """Totals of statistics that follow from nothing else in the model."""
    log_switches: int
    log_members: int
    events: tuple[Event, ...]
    files: tuple[DataFile, ...]
    control_file_io: OtherIo
    log_file_io: OtherIo
    statements: tuple[Sql, ...]
    undo_tablespace_number: int
    undo: tuple[UndoInterval, ...]
    rollback_segments: tuple[RollbackSegment, ...]
    recovery: tuple[Recovery, ...]
    mttr_advice: tuple[MttrAdvice, ...]
    checkpoint: Checkpoint
    work_areas: tuple[WorkAreas, ...]
    work_area_bytes: int
    work_area_extra_bytes: int
    buffer_waits: Mapping[str, tuple[int, int]]
    """Waits and microseconds by block class."""
    latches: tuple[Latch, ...]
    enqueues: tuple[Enqueue, ...]
    segments: tuple[Segment, ...]
    dictionary_cache: tuple[DictionaryCache, ...]
    lib_cache: tuple[LibraryCache, ...]
    parameters: Mapping[str, str]
    """Parameters that all releases know; each writer adds those of its release."""
    cluster: Cluster | None = None
    undo_steals: str = "0/0/0/0/0/0"
    """Undo blocks stolen, released and reused: unexpired, then expired."""
    undo_retention: str = ""
    """Least and most tuned retention, if they are not those of the rows."""

    @property
    def elapsed_s(self) -> float:
        """Interval as AWR measures it, with fractions of a second."""
        return (self.end.taken - self.begin.taken).total_seconds()

    @property
    def elapsed_whole_s(self) -> float:
        """Interval as Statspack measures it, between times in whole seconds."""
        whole = (moment.taken.replace(microsecond=0) for moment in (self.begin, self.end))
        begin, end = whole
        return (end - begin).total_seconds()

    @property
    def foreground(self) -> tuple[Event, ...]:
        """Waits of foreground processes."""
        return tuple(event for event in self.events if not event.background)

    @property
    def background(self) -> tuple[Event, ...]:
        """Waits of background processes."""
        return tuple(event for event in self.events if event.background)
