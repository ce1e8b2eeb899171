"""Every fact: its name, unit, function and sections, in one table.

The order is the order in which facts are shown.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Final, NamedTuple

from awrlens.blockchecks import CHECKING_MEDIUM, CHECKSUM_FULL
from awrlens.facts import (
    checkpoint,
    dbwr,
    everyday,
    integrity,
    pga,
    placement,
    recovery,
    redo,
    redo_commit,
    redo_logs,
    redo_tail,
    spills,
    system,
    temp,
    undo,
    undo_space,
    undo_waits,
    work_areas,
)
from awrlens.facts.formula import finished
from awrlens.model import Fact

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from awrlens.facts.figures import Figures


class FactSpec(NamedTuple):
    """A fact's public name, its unit, the function that makes it, and its sections."""

    name: str
    unit: str
    function: Callable[[Figures], Fact]
    #: Sections it is read from; alternatives are separated by a bar.
    sections: tuple[str, ...]

    @property
    def definition(self) -> str:
        """The first sentence of the function's documentation."""
        return (self.function.__doc__ or "").strip().split("\n")[0]


_STATS = ("instance_activity",)
_STATS_TIME = ("instance_activity", "snapshots")
_FG = "foreground_events|wait_events|top_events"
_BG = "background_events|wait_events_fg_bg|wait_events|top_events"
_TBS = ("tablespace_io|file_io", "parameters")
_TEMP = ("tablespace_io|file_io|io_by_filetype",)
_UNDO_WAITS = ("tablespace_io|file_io|buffer_waits", "parameters")
_PGA = ("instance_activity|pga_histogram",)
_PGA_ADVISORY = ("pga_advisory",)
_FILES = ("file_io",)
_ASH = ("top_sql_events|top_sql_row_sources",)
_PARAMETERS = ("parameters",)
_ENQUEUES = (f"{_FG}|enqueues",)
_CLASSES = ("buffer_waits",)
_SEGMENTS = ("rollback_stats",)
_UNDO_SUMMARY = ("undo_summary",)
_IRS = ("instance_recovery",)
_CPU = "time_model|top_events|instance_activity"
_MIX = ("sql_by_elapsed", _CPU, "snapshots|time_model|top_events")
_ADVISORY = ("mttr_advisory",)
_WRITES = ("checkpoint_activity|instance_activity", "snapshots")
_DATABASE = ("database|database_summary",)
_LOAD = ("load_profile|instance_activity", "snapshots")
_ACTIVITY = ("instance_activity|load_profile", "snapshots")
_HOST = ("host_cpu|os_statistics", "host")
_SWITCHES = ("instance_activity_thread|instance_activity", "snapshots")
_HISTOGRAM = ("event_histogram|event_histogram_counts",)


def _irs(name: str, column: str, unit: str = "count") -> FactSpec:
    return FactSpec(f"checkpoint.{name}", unit, checkpoint.recovery(column), _IRS)


def _percentile(name: str, event: str, percent: int) -> FactSpec:
    function = redo_tail.percentile_ms(event, percent)
    return FactSpec(f"redo.{name}_p{percent}_ms", "ms", function, _HISTOGRAM)


def _slower(name: str, event: str, bound_ms: int) -> FactSpec:
    function = redo_tail.slower_pct(event, bound_ms)
    return FactSpec(f"redo.{name}_slower_{bound_ms}ms_pct", "%", function, _HISTOGRAM)


def _parameter(name: str, parameter: str, unit: str, since: tuple[int, int] = (0, 0)) -> FactSpec:
    function = checkpoint.parameter(parameter, unit, since)
    return FactSpec(f"checkpoint.{name}", unit, function, ("parameters",))


def _cause(column: str) -> FactSpec:
    name = f"checkpoint.{column.removesuffix('_writes')}_write_pct"
    return FactSpec(name, "%", dbwr.cause_pct(column), ("checkpoint_activity",))


def _dbwr(name: str, statistic: str) -> FactSpec:
    return FactSpec(f"checkpoint.{name}", "count", dbwr.statistic(statistic), _STATS)


FACTS: tuple[FactSpec, ...] = (
    FactSpec("redo.write_ms", "ms", redo.write_ms, _STATS),
    FactSpec("redo.parallel_write_ms", "ms", redo.parallel_write_ms, (_BG,)),
    FactSpec("redo.sync_ms", "ms", redo.sync_ms, (_FG,)),
    FactSpec("redo.sync_to_write_ratio", "ratio", redo.sync_to_write_ratio, (_FG, _BG)),
    FactSpec("redo.writes_per_s", "1/s", redo.writes_per_s, _STATS_TIME),
    FactSpec("redo.bytes_per_s", "B/s", redo.bytes_per_s, _STATS_TIME),
    FactSpec("redo.bytes_written_per_s", "B/s", redo.bytes_written_per_s, _STATS_TIME),
    FactSpec("redo.bytes_per_write", "B", redo.bytes_per_write, _STATS),
    FactSpec("redo.wastage_per_write", "B", redo.wastage_per_write, _STATS),
    FactSpec("redo.wastage_pct", "%", redo.wastage_pct, _STATS),
    FactSpec("redo.commits_per_s", "1/s", redo.commits_per_s, _STATS_TIME),
    FactSpec("redo.log_switches_per_hour", "1/h", redo.log_switches_per_hour, _SWITCHES),
    FactSpec("redo.space_wait_s", "s", redo.space_wait_s, _STATS),
    FactSpec("redo.space_requests", "count", redo.space_requests, _STATS),
    FactSpec("redo.log_switch_wait_s", "s", redo.log_switch_wait_s, (_FG,)),
    FactSpec("redo.sync_pct_db_time", "%", redo.sync_pct_db_time,
             (_FG, "snapshots|time_model")),
    FactSpec("redo.write_count", "count", redo.write_count, _STATS),
    FactSpec("redo.parallel_write_wait_s", "s", redo.parallel_write_wait_s, (_BG,)),
    FactSpec("redo.sync_wait_s", "s", redo.sync_wait_s, (_FG,)),
    FactSpec("redo.sync_count", "count", redo.sync_count, (_FG,)),
    FactSpec("redo.buffer_wait_s", "s", redo.buffer_wait_s, (_FG,)),
    FactSpec("redo.buffer_wait_ms", "ms", redo.buffer_wait_ms, (_FG,)),
    FactSpec("redo.archive_wait_s", "s", redo.archive_wait_s, (_FG,)),
    FactSpec("redo.local_write_ms", "ms", redo.local_write_ms, (_BG, *_STATS)),
    FactSpec("redo.commit_ms", "ms", redo.commit_ms, (_FG, *_STATS)),
    FactSpec("redo.commit_waits", "count", redo.commit_waits, (_FG, *_STATS)),
    FactSpec("redo.parallel_write_timeout_pct", "%", redo.parallel_write_timeout_pct, (_BG,)),
    FactSpec("redo.sync_timeout_pct", "%", redo.sync_timeout_pct, (_FG,)),
    FactSpec("redo.log_switch_waits", "count", redo.log_switch_waits, (_FG,)),
    FactSpec("redo.log_switch_stalls", "count", redo.log_switch_stalls, ("event_histogram",)),
    FactSpec("redo.log_switch_wait_ms", "ms", redo.log_switch_wait_ms, (_FG,)),
    FactSpec("redo.broadcast_ack_s", "s", redo_commit.broadcast_ack_s, _STATS),
    FactSpec("redo.scn_ack_wait_s", "s", redo_commit.scn_ack_wait_s, (_BG,)),
    FactSpec("redo.polling_pct", "%", redo_commit.polling_pct, _STATS),
    FactSpec("redo.flashback_wait_s", "s", redo_commit.flashback_wait_s, (_FG,)),
    FactSpec("redo.flashback_wait_ms", "ms", redo_commit.flashback_wait_ms, (_FG,)),
    FactSpec("redo.commit_storage_s", "s", redo_commit.commit_storage_s, (_FG, _BG)),
    FactSpec("redo.commit_lgwr_s", "s", redo_commit.commit_lgwr_s, (_FG, _BG, *_STATS)),
    FactSpec("redo.commit_scheduling_s", "s", redo_commit.commit_scheduling_s,
             (_FG, _BG, *_HOST)),
    FactSpec("redo.commit_unexplained_s", "s", redo_commit.commit_unexplained_s, (_FG, _BG)),
    FactSpec("redo.lgwr_outside_ms", "ms", redo_commit.lgwr_outside_ms, (*_STATS, _BG)),
    FactSpec("redo.lgwr_busy_pct", "%", redo_commit.lgwr_busy_pct, (_BG, "snapshots")),
    FactSpec("redo.standby_wait_s", "s", redo_commit.standby_wait_s, (_BG,)),
    FactSpec("redo.lgwr_worker_wait_s", "s", redo_commit.lgwr_worker_wait_s, (_BG,)),
    FactSpec("redo.lgwr_copy_wait_s", "s", redo_commit.lgwr_copy_wait_s, (_BG,)),
    FactSpec("redo.bytes_per_commit", "B", redo_commit.bytes_per_commit, _STATS),
    FactSpec("redo.commits_per_write", "ratio", redo_commit.commits_per_write, _STATS),
    FactSpec("redo.syncs_per_commit", "ratio", redo_commit.syncs_per_commit, (_FG, *_STATS)),
    *(_percentile("write", redo_tail.WRITE, percent) for percent in (50, 95, 99)),
    *(_slower("write", redo_tail.WRITE, bound) for bound in (4, 16, 64)),
    *(_percentile("sync", redo_tail.SYNC, percent) for percent in (50, 95, 99)),
    *(_slower("sync", redo_tail.SYNC, bound) for bound in (4, 16, 64)),
    FactSpec("redo.switch_strand_wait_s", "s", redo_logs.switch_strand_wait_s, (_FG,)),
    FactSpec("redo.switch_completion_wait_s", "s", redo_logs.switch_completion_wait_s, (_FG,)),
    FactSpec("redo.minutes_per_switch", "min", redo_logs.minutes_per_switch, _SWITCHES),
    FactSpec("redo.mb_per_switch", "MB", redo_logs.mb_per_switch,
             ("instance_activity_thread|instance_activity", *_STATS)),
    FactSpec("redo.log_mb", "MB", redo_logs.log_mb, _IRS),
    FactSpec("redo.other_logs_mb", "MB", redo_logs.other_logs_mb, _IRS),
    FactSpec("redo.members", "count", redo_logs.members,
             ("io_by_function|io_by_function_filetype", *_STATS)),
    FactSpec("temp.tablespaces", "names", temp.tablespace_names, _TBS),
    FactSpec("temp.reads", "count", temp.reads, _TEMP),
    FactSpec("temp.writes", "count", temp.writes, _TEMP),
    FactSpec("temp.io_share_pct", "%", temp.io_share_pct, _TEMP),
    FactSpec("temp.read_ms", "ms", temp.read_ms, _TEMP),
    FactSpec("temp.direct_wait_s", "s", temp.direct_wait_s, (_FG,)),
    FactSpec("temp.sorts_disk", "count", temp.sorts_disk, _STATS),
    FactSpec("temp.reads_per_s", "1/s", temp.per_second("reads"), (*_TEMP, "snapshots")),
    FactSpec("temp.writes_per_s", "1/s", temp.per_second("writes"), (*_TEMP, "snapshots")),
    FactSpec("temp.io_rank", "count", temp.io_rank, ("tablespace_io|file_io",)),
    FactSpec("temp.read_time_share_pct", "%", temp.read_time_share_pct,
             ("tablespace_io|file_io",)),
    FactSpec("temp.write_ms", "ms", temp.write_ms, ("tablespace_io|file_io",)),
    FactSpec("temp.direct_read_wait_s", "s", temp.event_wait_s("direct path read temp"), (_FG,)),
    FactSpec("temp.direct_write_wait_s", "s", temp.event_wait_s("direct path write temp"), (_FG,)),
    FactSpec("temp.direct_read_ms", "ms", temp.event_ms("direct path read temp"), (_FG,)),
    FactSpec("temp.direct_write_ms", "ms", temp.event_ms("direct path write temp"), (_FG,)),
    FactSpec("temp.direct_ms", "ms", temp.direct_ms, (_FG,)),
    FactSpec("temp.direct_b", "B", temp.direct_b, (*_STATS, _FG, "cache_sizes|parameters")),
    FactSpec("temp.direct_write_b", "B", temp.direct_write_b,
             (*_STATS, _FG, "cache_sizes|parameters")),
    FactSpec("temp.direct_mb", "MB", temp.direct_mb,
             ("instance_activity", "cache_sizes|parameters")),
    FactSpec("temp.sorts_disk_pct", "%", temp.sorts_disk_pct, _STATS),
    FactSpec("temp.shared_places", "names", placement.shared_places("temp"), _FILES),
    FactSpec("temp.shared_place_io_pct", "%", placement.temp_share_pct, _FILES),
    FactSpec("temp.neighbour_read_ms", "ms", placement.neighbour_read_ms("temp"), _FILES),
    FactSpec("temp.spilling_sql", "names", spills.statements, _ASH),
    FactSpec("temp.spilling_sql_pct", "%", spills.statements_pct, _ASH),
    FactSpec("pga.optimal_pct", "%", work_areas.optimal_pct, _PGA),
    FactSpec("pga.onepass", "count", work_areas.onepass, _PGA),
    FactSpec("pga.multipass", "count", work_areas.multipass, _PGA),
    FactSpec("pga.spilled_classes", "names", work_areas.spilled_classes, ("pga_histogram",)),
    FactSpec("pga.largest_spill_mb", "MB", work_areas.largest_spill_mb, ("pga_histogram",)),
    FactSpec("pga.over_allocations", "count", pga.over_allocations, _PGA_ADVISORY),
    FactSpec("pga.advisory_gain_pct", "%", pga.advisory_gain_pct, _PGA_ADVISORY),
    FactSpec("pga.target_mb", "MB", pga.target_mb, ("pga_target|pga_advisory",)),
    FactSpec("pga.recommended_target_mb", "MB", pga.recommended_target_mb, _PGA_ADVISORY),
    FactSpec("pga.recommended_ends_pct", "%", pga.recommended_ends_pct, _PGA_ADVISORY),
    FactSpec("pga.recommended_host_pct", "%", pga.recommended_host_pct,
             ("pga_advisory", "memory_statistics")),
    FactSpec("pga.extra_mb", "MB", pga.extra_mb, ("pga_summary",)),
    FactSpec("pga.temp_share_pct", "%", pga.temp_share_pct, ("pga_summary", *_STATS)),
    FactSpec("pga.remaining_extra_mb", "MB", pga.remaining_extra_mb,
             ("pga_summary", "pga_advisory")),
    FactSpec("pga.allocated_mb", "MB", pga.allocated_mb, ("pga_target",)),
    FactSpec("pga.work_area_bound_mb", "MB", pga.work_area_bound_mb, ("pga_target",)),
    FactSpec("pga.work_area_bound_begin_mb", "MB", pga.work_area_bound_begin_mb, ("pga_target",)),
    FactSpec("pga.work_area_policy", "name", work_areas.policy, ("parameters|pga_target",)),
    FactSpec("pga.host_memory_mb", "MB", pga.host_memory_mb, ("memory_statistics|host",)),
    FactSpec("pga.sort_area_size_b", "B", work_areas.area_size("sort_area_size"), _PARAMETERS),
    FactSpec("pga.hash_area_size_b", "B", work_areas.area_size("hash_area_size"), _PARAMETERS),
    FactSpec("pga.bitmap_merge_area_size_b", "B", work_areas.area_size("bitmap_merge_area_size"),
             _PARAMETERS),
    FactSpec("pga.create_bitmap_area_size_b", "B", work_areas.area_size("create_bitmap_area_size"),
             _PARAMETERS),
    FactSpec("undo.block_write_pct", "%", undo.block_write_pct, _STATS),
    FactSpec("undo.tablespaces", "names", undo.tablespace_names, _TBS),
    FactSpec("undo.tablespace_writes", "count", undo.tablespace_writes, _TBS),
    FactSpec("undo.tablespace_write_pct", "%", undo.tablespace_write_pct, _TBS),
    FactSpec("undo.read_ms", "ms", undo.read_ms, _TBS),
    FactSpec("undo.buffer_wait_ms", "ms", undo.buffer_wait_ms, _UNDO_WAITS),
    FactSpec("undo.buffer_wait_s", "s", undo.buffer_wait_s, _UNDO_WAITS),
    FactSpec("undo.read_wait_s", "s", undo.read_wait_s, _TBS),
    FactSpec("undo.rollbacks_per_1000_executes", "ratio", undo.rollbacks_per_1000_executes,
             _STATS),
    FactSpec("undo.rollback_records_applied", "count", undo.rollback_records_applied, _STATS),
    FactSpec("undo.vector_bytes_per_s", "B/s", undo.vector_bytes_per_s, _STATS_TIME),
    FactSpec("undo.records_per_rollback", "count", undo.records_per_rollback, _STATS),
    FactSpec("undo.rollback_pct", "%", undo.rollback_pct, _STATS),
    FactSpec("undo.consistent_read_records_applied", "count",
             undo.consistent_read_records_applied, _STATS),
    FactSpec("undo.transaction_table_records_applied", "count",
             undo.transaction_table_records_applied, _STATS),
    FactSpec("undo.io_rank", "count", undo.io_rank, _TBS),
    FactSpec("undo.write_ms", "ms", undo.write_ms, _TBS),
    FactSpec("undo.blocks_per_write", "ratio", undo.blocks_per_write, (*_STATS, *_TBS)),
    FactSpec("undo.shared_places", "names", placement.shared_places("undo"), _FILES),
    FactSpec("undo.shared_place_write_pct", "%", placement.undo_write_share_pct, _FILES),
    FactSpec("undo.neighbour_read_ms", "ms", placement.neighbour_read_ms("undo"), _FILES),
    FactSpec("undo.elsewhere_read_ms", "ms", placement.undo_elsewhere_read_ms, _FILES),
    FactSpec("undo.neighbour_wait_s", "s", placement.undo_neighbour_wait_s, (*_FILES, _FG)),
    FactSpec("undo.us_enqueue_wait_s", "s", undo_waits.enqueue_wait_s("US"), _ENQUEUES),
    FactSpec("undo.ko_enqueue_wait_s", "s", undo_waits.enqueue_wait_s("KO"), _ENQUEUES),
    FactSpec("undo.ci_enqueue_wait_s", "s", undo_waits.enqueue_wait_s("CI"), _ENQUEUES),
    FactSpec("undo.tx_enqueue_wait_s", "s", undo_waits.enqueue_wait_s("TX"), _ENQUEUES),
    FactSpec("undo.row_cache_wait_s", "s", undo_waits.row_cache_wait_s,
             (_FG, "dictionary_cache|compared_dictionary_cache")),
    FactSpec("undo.us_enqueue_wait_ms", "ms", undo_waits.enqueue_wait_ms("US"), (_FG,)),
    FactSpec("undo.ci_enqueue_wait_ms", "ms", undo_waits.enqueue_wait_ms("CI"), (_FG,)),
    FactSpec("undo.hw_enqueue_wait_s", "s", undo_waits.enqueue_wait_s("HW"), _ENQUEUES),
    FactSpec("undo.file_header_wait_s", "s", undo_waits.class_wait_s("file header block"),
             _CLASSES),
    FactSpec("undo.file_header_wait_ms", "ms", undo_waits.class_wait_ms("file header block"),
             _CLASSES),
    FactSpec("undo.header_wait_s", "s", undo_waits.class_wait_s("undo header"), _CLASSES),
    FactSpec("undo.header_wait_ms", "ms", undo_waits.class_wait_ms("undo header"), _CLASSES),
    FactSpec("undo.block_wait_s", "s", undo_waits.class_wait_s("undo block"), _CLASSES),
    FactSpec("undo.block_wait_ms", "ms", undo_waits.class_wait_ms("undo block"), _CLASSES),
    FactSpec("undo.segment_growth_wait_s", "s", undo_waits.growth_wait_s, (_FG,)),
    FactSpec("undo.parallel_rollback_wait_s", "s", undo_waits.parallel_rollback_wait_s, (_FG,)),
    FactSpec("undo.parallel_rollback", "name", undo_waits.parallel_rollback, _PARAMETERS),
    FactSpec("undo.management", "name", undo_waits.management, ("parameters|rollback_stats",)),
    FactSpec("undo.expected_segments", "count", undo_waits.expected_segments, _PARAMETERS),
    FactSpec("undo.rollback_segments", "count", undo_waits.segments, _SEGMENTS),
    FactSpec("undo.rollback_segment_wait_pct", "%", undo_waits.segment_wait_pct, _SEGMENTS),
    FactSpec("undo.rollback_segment_extends", "count", undo_waits.segment_changes("extends"),
             _SEGMENTS),
    FactSpec("undo.rollback_segment_shrinks", "count", undo_waits.segment_changes("shrinks"),
             _SEGMENTS),
    FactSpec("undo.max_query_s", "s", undo_space.max_query_s, _UNDO_SUMMARY),
    FactSpec("undo.snapshot_too_old", "count", undo_space.snapshot_too_old, _UNDO_SUMMARY),
    FactSpec("undo.out_of_space", "count", undo_space.out_of_space, _UNDO_SUMMARY),
    FactSpec("undo.unexpired_steals", "count", undo_space.unexpired_steals, _UNDO_SUMMARY),
    FactSpec("undo.expired_steals", "count", undo_space.expired_steals, _UNDO_SUMMARY),
    FactSpec("undo.retention_s", "s", undo_space.retention_s, _PARAMETERS),
    FactSpec("undo.min_tuned_retention_s", "s", undo_space.min_tuned_retention_s,
             _UNDO_SUMMARY),
    FactSpec("undo.peak_blocks_per_s", "1/s", undo_space.peak_blocks_per_s, ("undo_stats",)),
    FactSpec("undo.needed_mb", "MB", undo_space.needed_mb,
             ("undo_stats", "undo_summary", "parameters", "cache_sizes|parameters")),
    FactSpec("checkpoint.target_mttr_s", "s", checkpoint.target_mttr_s, _IRS),
    _irs("estimated_mttr_s", "estimated_mttr_s", "s"),
    _irs("estimated_ios", "estimated_ios"),
    _irs("actual_redo_blocks", "actual_redo_blocks"),
    _irs("target_redo_blocks", "target_redo_blocks"),
    _irs("log_size_redo_blocks", "log_size_redo_blocks"),
    _irs("timeout_redo_blocks", "timeout_redo_blocks"),
    _irs("interval_redo_blocks", "interval_redo_blocks"),
    FactSpec("checkpoint.binding_limit", "name", checkpoint.binding_limit, _IRS),
    _irs("optimal_log_mb", "optimal_log_mb", "MB"),
    _irs("rac_available_s", "rac_available_s", "s"),
    FactSpec("checkpoint.write_pct", "%", dbwr.write_pct,
             ("checkpoint_activity|instance_activity",)),
    FactSpec("checkpoint.incomplete_wait_s", "s", checkpoint.incomplete_wait_s, (_FG,)),
    FactSpec("checkpoint.incomplete_waits", "count", checkpoint.incomplete_waits, (_FG,)),
    FactSpec("checkpoint.incomplete_wait_ms", "ms", checkpoint.incomplete_wait_ms, (_FG,)),
    FactSpec("checkpoint.target_set", "name", checkpoint.target_set, _PARAMETERS),
    _parameter("fast_start_mttr_target_s", "fast_start_mttr_target", "s", since=(9, 0)),
    _parameter("log_checkpoint_timeout_s", "log_checkpoint_timeout", "s"),
    _parameter("log_checkpoint_interval", "log_checkpoint_interval", "count"),
    _parameter("fast_start_io_target", "fast_start_io_target", "count"),
    FactSpec("checkpoint.buffer_wait_s", "s", checkpoint.buffer_wait_s, (_FG,)),
    FactSpec("checkpoint.buffer_wait_ms", "ms", checkpoint.buffer_wait_ms, (_FG,)),
    FactSpec("checkpoint.lowest_mttr_s", "s", recovery.lowest_mttr_s, _ADVISORY),
    FactSpec("checkpoint.datafiles", "count", checkpoint.datafiles, ("file_io",)),
    _parameter("db_block_max_dirty_target", "db_block_max_dirty_target", "count"),
    *(_cause(column) for column in dbwr.CAUSES),
    FactSpec("checkpoint.main_cause", "name", dbwr.main_cause, ("checkpoint_activity",)),
    FactSpec("checkpoint.writes_per_s", "1/s", dbwr.writes_per_s, _WRITES),
    FactSpec("checkpoint.cache_writes_per_s", "1/s", dbwr.cache_writes_per_s, _STATS_TIME),
    _dbwr("thread_buffers", "DBWR thread checkpoint buffers written"),
    _dbwr("started", "background checkpoints started"),
    _dbwr("completed", "background checkpoints completed"),
    FactSpec("checkpoint.data_write_ms", "ms", dbwr.data_write_ms, (_BG,)),
    FactSpec("checkpoint.free_buffer_wait_s", "s", dbwr.symptom("free buffer waits"), (_FG,)),
    FactSpec("checkpoint.write_complete_wait_s", "s", dbwr.symptom("write complete waits"),
             (_FG,)),
    FactSpec("checkpoint.object_wait_s", "s", checkpoint.object_wait_s, (_FG,)),
    FactSpec("checkpoint.object_wait_ms", "ms", checkpoint.object_wait_ms, (_FG,)),
    FactSpec("checkpoint.async_submit_wait_s", "s", dbwr.async_submit_wait_s, (_BG,)),
    FactSpec("checkpoint.async_submit_ms", "ms",
             dbwr.background_ms("db file async I/O submit"), (_BG,)),
    FactSpec("checkpoint.disk_asynch_io", "name", checkpoint.setting("disk_asynch_io", "TRUE"),
             _PARAMETERS),
    FactSpec("checkpoint.filesystemio_options", "name",
             checkpoint.setting("filesystemio_options", "DEFAULT"), _PARAMETERS),
    FactSpec("checkpoint.asm", "name", checkpoint.asm, ("file_io|parameters",)),
    FactSpec("io.control_write_ms", "ms", dbwr.background_ms("control file parallel write"),
             (_BG,)),
    FactSpec("io.direct_write_ms", "ms", dbwr.direct_write_ms, (_FG,)),
    FactSpec("io.direct_write_b", "B", dbwr.direct_write_b,
             (*_STATS, _FG, "cache_sizes|parameters")),
    FactSpec("io.direct_write_wait_s", "s", dbwr.direct_write_wait_s, (_FG,)),
    FactSpec("io.data_read_ms", "ms", system.data_read_ms, (_FG,)),
    FactSpec("checkpoint.estimated_mttr_low_s", "s", recovery.estimate(min, "minimum"), _IRS),
    FactSpec("checkpoint.estimated_mttr_high_s", "s", recovery.estimate(max, "maximum"), _IRS),
    FactSpec("checkpoint.fixed_mttr_s", "s", recovery.fixed_mttr_s, _ADVISORY),
    FactSpec("checkpoint.advised_writes", "names", recovery.advised_writes, _ADVISORY),
    FactSpec("checkpoint.advised_now_s", "s", recovery.advised_now_s, _ADVISORY),
    FactSpec("database.release", "name", system.release, _DATABASE),
    FactSpec("database.role", "name", system.of_database("role"), _DATABASE),
    FactSpec("database.edition", "name", system.of_database("edition"), _DATABASE),
    FactSpec("host.load_per_cpu_begin", "ratio", system.load_per_cpu("begin"), _HOST),
    FactSpec("host.load_per_cpu_end", "ratio", system.load_per_cpu("end"), _HOST),
    FactSpec("host.iowait_pct", "%", system.iowait_pct, _HOST),
    FactSpec("host.idle_pct", "%", system.idle_pct, _HOST),
    FactSpec("host.cpu_wait_pct", "%", system.cpu_wait_pct, ("os_statistics",)),
    FactSpec("load.executes_per_s", "1/s", system.profile("executes", "execute count"), _LOAD),
    FactSpec("load.physical_writes_per_s", "1/s",
             system.profile("physical_writes", "physical writes"), _LOAD),
    FactSpec("load.physical_reads_per_s", "1/s",
             system.profile("physical_reads", "physical reads"), _LOAD),
    FactSpec("load.rollbacks_per_s", "1/s", system.profile("rollbacks", "user rollbacks"), _LOAD),
    FactSpec("load.transactions_per_s", "1/s",
             system.profile("transactions", "user commits", "user rollbacks"), _LOAD),
    FactSpec("load.block_b", "B", system.block_b, ("cache_sizes|parameters",)),
    FactSpec("load.buffer_cache_mb", "MB", system.buffer_cache_mb, ("cache_sizes",)),
    FactSpec("integrity.db_block_checking", "name", integrity.block_checking, _PARAMETERS),
    FactSpec("integrity.db_block_checksum", "name", integrity.block_checksum, _PARAMETERS),
    FactSpec("integrity.db_lost_write_protect", "name", integrity.lost_write_protect,
             _PARAMETERS),
    FactSpec("integrity.standby", "name", integrity.standby, _PARAMETERS),
    *(FactSpec(f"integrity.{verb}_pct", "%", integrity.share_pct(verb), ("sql_by_elapsed",))
      for verb in integrity.VERBS),
    FactSpec("integrity.block_changes_per_s", "1/s", integrity.block_changes_per_s, _STATS_TIME),
    FactSpec("integrity.cpu_pct", "%", integrity.cpu_pct,
             (_CPU, "snapshots|time_model|top_events")),
    FactSpec("integrity.checking_medium_pct", "%",
             integrity.overhead_pct(CHECKING_MEDIUM, "DB_BLOCK_CHECKING=MEDIUM"), _MIX),
    FactSpec("integrity.checksum_full_pct", "%",
             integrity.overhead_pct(CHECKSUM_FULL, "DB_BLOCK_CHECKSUM=FULL"), _MIX),
    FactSpec("load.data_read_wait_s", "s", system.data_read_wait_s, (_FG,)),
    FactSpec("load.gc_busy_wait_s", "s",
             system.waited_for("gc buffer busy", "gc current block busy", "gc cr block busy"),
             (_FG,)),
    FactSpec("load.row_lock_wait_s", "s", system.waited_for("enq: TX"), (_FG,)),
    FactSpec("load.buffer_busy_wait_s", "s", system.waited_for("buffer busy waits"), (_FG,)),
    FactSpec("load.largest_consumer", "name", system.largest_consumer, ("top_events",)),
    FactSpec("load.largest_consumer_pct", "%", system.largest_consumer_pct,
             ("top_events", "snapshots|time_model|top_events")),
    FactSpec("load.captured_pct", "%", system.captured_pct, ("wait_classes|foreground_events",)),
    FactSpec("load.timed_pct", "%", system.timed_pct, (_BG, "snapshots")),
    FactSpec("load.instances", "count", system.instances, ("database_summary",)),
    FactSpec("load.sessions", "count", system.sessions, ("snapshots",)),
    FactSpec("load.elapsed_s", "s", system.elapsed_s, ("snapshots",)),
    FactSpec("load.db_time_s", "s", system.db_time_s, ("snapshots|time_model",)),
    FactSpec("load.response_s", "s", system.response_s, ("snapshots|time_model|top_events",)),
    FactSpec("load.average_active_sessions", "ratio", system.average_active_sessions,
             ("snapshots|time_model", "snapshots")),
    FactSpec("load.db_cpu_s", "s", everyday.db_cpu_s, (_CPU,)),
    FactSpec("load.user_calls_per_s", "1/s",
             everyday.rate("user calls", "calls", "user_calls"), _ACTIVITY),
    FactSpec("load.hard_parses_per_s", "1/s",
             everyday.rate("parse count (hard)", "hard parses", "hard_parses"), _ACTIVITY),
    FactSpec("io.read_requests_per_s", "1/s",
             everyday.rate("physical read total IO requests", "requests", ""), _STATS_TIME),
    FactSpec("io.write_requests_per_s", "1/s",
             everyday.rate("physical write total IO requests", "requests", ""), _STATS_TIME),
    FactSpec("io.read_mb_per_s", "MB/s", everyday.mb_per_s("physical read total bytes"),
             _STATS_TIME),
    FactSpec("io.write_mb_per_s", "MB/s", everyday.mb_per_s("physical write total bytes"),
             _STATS_TIME),
    FactSpec("gc.cr_receive_ms", "ms", everyday.receive_ms("cr"), _STATS),
    FactSpec("gc.current_receive_ms", "ms", everyday.receive_ms("current"), _STATS),
)  # fmt: skip


#: Sections that show a state at a snapshot, not a difference between two.
_STATES = frozenset(
    {"instance_recovery", "parameters", "mttr_advisory", "database", "database_summary"}
)


class Facts(Mapping[str, Fact]):
    """Every fact of a report, available or not, each computed on first use.

    If Oracle marks a report as invalid (``valid`` False: the snapshots span a restart), only
    states are facts; differences between the snapshots have no meaning.
    """

    def __init__(self, figures: Figures, *, valid: bool = True) -> None:
        self._figures = figures
        self._valid = valid
        self._known: dict[str, Fact] = {}

    def __getitem__(self, name: str) -> Fact:
        """One fact; KeyError if there is none with that name."""
        fact = self._known.get(name)
        if fact is None:
            fact = self._known[name] = self._compute(_BY_NAME[name])
        return fact

    def __iter__(self) -> Iterator[str]:
        """The names of all facts, in the order in which they are shown."""
        return iter(_BY_NAME)

    def __len__(self) -> int:
        """Number of facts."""
        return len(_BY_NAME)

    def _compute(self, spec: FactSpec) -> Fact:
        sections = _names_of(spec.sections)
        if self._valid or _STATES.issuperset(sections):
            return finished(self._figures.once(spec.function), spec.name, spec.unit, sections)
        note = "the snapshots span an instance shutdown: differences between them have no meaning"
        return Fact(spec.name, None, spec.unit, "unavailable", note=note, sections=sections)


@cache
def _names_of(sections: tuple[str, ...]) -> tuple[str, ...]:
    """Sections and their alternatives."""
    return tuple(name for each in sections for name in each.split("|"))


_BY_NAME: Final = {spec.name: spec for spec in FACTS}


def units() -> dict[str, str]:
    """The unit of every fact."""
    return {spec.name: spec.unit for spec in FACTS}
