"""The caller's numbers, which replace those of a preset or a report."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.records import NamedTuple
from awrlens.simulate.load import power_law

if TYPE_CHECKING:
    from awrlens.simulate.presets import Preset

_MB: Final = 2**20
#: Age of a dirty block to which given writes refer. # awrlens: five minutes, as in the help
WRITTEN_AT_S: Final = 300.0


class Given(NamedTuple):
    """Numbers of one instance; None keeps the number of the preset or the report."""

    redo_rate: float | None = None
    block_changes: float | None = None
    writes: float | None = None
    cache_size: float | None = None
    log_size: float | None = None
    scan_rate: float | None = None
    apply_rate: float | None = None
    write_capacity: float | None = None
    #: Percent of the blocks that all instances change.
    shared: float | None = None
    #: Size of the database, GB.
    database_size: float | None = None


def with_given(preset: Preset, given: Given) -> Preset:
    """A preset with the caller's numbers; sizes and rates in MB and MB/s."""
    load, rates = preset.load, preset.rates
    if given.block_changes is not None or given.writes is not None:
        writes = given.writes or load.block_writes_per_s(WRITTEN_AT_S)
        changes = given.block_changes or load.changes_per_s
        kinds, new_blocks = power_law(writes, WRITTEN_AT_S, changes)
        load = load._replace(kinds=kinds, new_blocks_per_s=new_blocks)
    if given.redo_rate is not None:
        load = load._replace(redo_bytes_per_s=given.redo_rate * _MB)
    if given.cache_size is not None:
        load = load._replace(cache_blocks=round(given.cache_size * _MB / load.block_bytes))
    if given.log_size is not None:
        size = given.log_size * _MB
        limit = load.limit_bytes and load.limit_bytes * size / load.log_bytes
        load = load._replace(log_bytes=size, limit_bytes=limit)
    if given.shared is not None:
        load = load._replace(shared=given.shared / 100)
    if given.database_size is not None:
        preset = preset._replace(database_bytes=given.database_size * 1024 * _MB)
    if given.scan_rate is not None:
        rates = rates._replace(scan_bytes_per_s=given.scan_rate * _MB)
    if given.apply_rate is not None:
        rates = rates._replace(apply_bytes_per_s=given.apply_rate * _MB)
    if given.write_capacity is not None:
        rates = rates._replace(writes_per_s=given.write_capacity)
    facts_of_the_load = given._replace(database_size=None)
    changed = [value for value in facts_of_the_load if value is not None]
    title = f"{preset.title}, changed" if changed else preset.title
    return preset._replace(title=title, load=load, rates=rates)
