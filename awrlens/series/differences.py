"""Names that differ: parameters, and facts that are not numbers."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from awrlens.model import Change
from awrlens.model.comparison import ChangedParameter

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from awrlens.model import Fact
    from awrlens.model.comparison import About, Reading


#: Parameters of the write path, by the beginnings of their names (Oracle Database Reference).
_WRITE_PATH: Final = (
    "archive_lag_target", "bitmap_merge_area_size", "commit_", "create_bitmap_area_size",
    "db_block_checking", "db_block_checksum", "db_block_max_dirty_target", "db_cache_size",
    "db_flashback_retention_target", "db_lost_write_protect", "db_writer_processes",
    "dbwr_io_slaves", "disk_asynch_io", "fast_start_", "filesystemio_options", "hash_area_size",
    "log_archive_max_processes", "log_buffer", "log_checkpoint_",
    "memory_target", "pga_aggregate_", "rollback_segments", "sga_target", "sort_area_",
    "temp_undo_enabled", "transactions_per_rollback_segment", "undo_management", "undo_retention",
    "workarea_size_policy", "_log_parallelism", "_use_adaptive_log_file_sync",
    "_use_single_log_writer", "_max_outstanding_log_writes",
)  # fmt: skip
#: Names, addresses and paths, by the beginnings of their names: they have no effect on the load.
_NAMES: Final = (
    "cluster_database_instances", "cluster_interconnects", "control_files", "db_domain", "db_name",
    "db_unique_name", "dg_broker_config_file", "dispatchers", "fal_", "ifile", "instance_n",
    "listener_networks", "local_listener", "log_archive_config", "log_archive_format",
    "remote_listener", "remote_login_passwordfile", "service_names", "smtp_out_server", "spfile",
    "standby_file_management", "thread", "undo_tablespace", "utl_file_dir",
)  # fmt: skip
#: Endings of names of paths.
_PATHS: Final = ("_dest", "_file_name_convert")
#: Archive destinations: a path, unless the value sends redo to another database.
_DESTINATION: Final = "log_archive_dest"
_REMOTE: Final = "service="
_ORDER: Final[tuple[About, ...]] = ("write-path", "other", "name")


def parameters(before: Sequence[Reading], after: Sequence[Reading]) -> tuple[ChangedParameter, ...]:
    """Parameters that differ between the last reports of both sides, the write path first.

    A parameter that is missing on one side has its default there, if that side lists parameters.
    """
    first, second = before[-1].parameters, after[-1].parameters
    if not (first and second):
        return ()
    found = [ChangedParameter(*each, about(*each)) for each in changed(first, second)]
    return tuple(sorted(found, key=lambda each: _ORDER.index(each.about)))


def about(name: str, first: str, second: str) -> About:
    """Whether a parameter is one of the write path, or a name or path without effect on it."""
    plain = name.lower()
    if plain.startswith(_DESTINATION):
        remote = any(_REMOTE in "".join(value.lower().split()) for value in (first, second))
        return "write-path" if remote else "name"
    if plain.startswith(_NAMES) or plain.endswith(_PATHS):
        return "name"
    return "write-path" if plain.startswith(_WRITE_PATH) else "other"


def changed(before: Mapping[str, str], after: Mapping[str, str]) -> tuple[Change, ...]:
    """Names with a different value on the second side; empty if a side does not have it.

    Spaces do not count: long values are wrapped, and some releases add spaces.
    """
    return tuple(
        Change(name, before.get(name, ""), after.get(name, ""))
        for name in dict.fromkeys([*before, *after])
        if not _alike(before.get(name, ""), after.get(name, ""))
    )


#: Minimum column width to which text reports truncate values.
_CUT: Final = 30


def _alike(first: str, second: str) -> bool:
    """Whether two values are equal apart from spaces, or one is the other truncated to a column."""
    short, long = sorted(("".join(first.split()), "".join(second.split())), key=len)
    return short == long or (len(short) >= _CUT and long.startswith(short))


def names(before: Sequence[Reading], after: Sequence[Reading]) -> tuple[Change, ...]:
    """Facts that are names and differ; a fact that is missing on one side is not a difference."""
    found = []
    for name in before[-1].facts:
        first, second = (_usual([r.facts[name] for r in side]) for side in (before, after))
        if first and second and first != second:
            found.append(Change(name, first, second))
    return tuple(found)


def _usual(facts: Sequence[Fact]) -> str:
    """The most frequent value."""
    texts = [_text(fact) for fact in facts]
    known = [text for text in texts if text]
    return Counter(known).most_common(1)[0][0] if known else ""


def _text(fact: Fact) -> str:
    if isinstance(fact.value, tuple):
        return ", ".join(sorted(fact.value))  # sorted by I/O in the report
    return fact.value if isinstance(fact.value, str) else ""
