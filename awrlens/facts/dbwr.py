"""Why DBWR writes, how much it writes, and how long sessions wait for it.

Sources: Checkpoint Activity (V$INSTANCE_RECOVERY.WRITES_* in Oracle's Reference, in AWR since
11.2), instance statistics in all other reports, and the wait events that DBWR causes.

Statistics cannot replace the columns: in one interval, `DBWR thread checkpoint buffers written`
was the sum of Thread Ckpt Writes and Log Size Writes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.fact_table import fact
from awrlens.facts.formula import (
    Figure,
    Missing,
    add,
    derive,
    measured,
    readable,
    text_fact,
    unavailable,
)
from awrlens.facts.numbers import waited
from awrlens.facts.sections import BG, BLOCK_SIZE, ELAPSED, FG, STATS
from awrlens.facts.temp_waits import block_size

if TYPE_CHECKING:
    from collections.abc import Callable

    from awrlens.facts.numbers import Figures
    from awrlens.model import Fact

_CHECKPOINTS: Final = "checkpoint_activity"

#: Columns of Checkpoint Activity and the cause that each counts, in words.
CAUSES: Final = {
    "mttr_writes": "the recovery target",
    "log_size_writes": "the size of the redo logs",
    "log_ckpt_writes": "LOG_CHECKPOINT_INTERVAL or LOG_CHECKPOINT_TIMEOUT",
    "other_settings_writes": "other settings (FAST_START_IO_TARGET)",
    "autotune_writes": "automatic checkpoint tuning",
    "thread_writes": "thread checkpoints (log switches, ALTER SYSTEM CHECKPOINT)",
}
_ABSENT: Final = Missing("Checkpoint Activity has no such column", ("checkpoint_activity",))
_NOT_PRINTED: Final = "(no Checkpoint Activity section)"
_BUFFERS: Final = "DBWR checkpoint buffers written"
_WHOLE_PCT: Final = 100.0
#: The release that introduced the statistic `physical writes from cache`.
_CACHE_WRITES_SINCE: Final = (10, 0)
_ABOVE_ALL: Final = "above 100 %: Oracle counts the two separately, so they need not agree"


def _caused(f: Figures, column: str) -> Figure | Missing:
    """Blocks of Checkpoint Activity written for one cause."""
    row = f.only("checkpoint_activity")
    if isinstance(row, Missing):
        return row
    return f.figure(row.cell(column), column.replace("_", " "), _ABSENT)


def _all_caused(f: Figures) -> Figure | Missing:
    """Blocks of Checkpoint Activity written for all causes."""
    figures = [f.once(_caused, column) for column in CAUSES]
    present = readable(figures)
    if isinstance(present, Missing):
        return present
    if not present:
        return figures[0] if isinstance(figures[0], Missing) else _ABSENT
    return add(present, "checkpoint writes")


def written(f: Figures) -> Figure | Missing:
    """Blocks that DBWR wrote; if the statistics are cut off, an estimate.

    Checkpoint Activity has the total of all physical writes, direct ones included.
    """
    cache = from_cache(f)
    if isinstance(cache, Figure) or cache.lost:
        return cache
    table = f.tables.get("checkpoint_activity")
    note = table.note("total_physical_writes") if table is not None and table.rows else None
    found = _not_direct(f) if note is None else f.figure(note, "physical writes", _ABSENT)
    return found if isinstance(found, Missing) else found._replace(status="estimated")


def from_cache(f: Figures) -> Figure | Missing:
    """Blocks written from the cache: counted since 10g, before it all that are not direct."""
    cache = f.stat("physical writes from cache", "writes from cache")
    later = f.release is not None and f.release >= _CACHE_WRITES_SINCE
    return cache if isinstance(cache, Figure) or cache.lost or later else _not_direct(f)


def _not_direct(f: Figures) -> Figure | Missing:
    """Physical writes without direct writes, which sessions do themselves.

    # Oracle Database Reference, "physical writes": direct ones and those of the buffer cache
    """
    writes = f.stat("physical writes", "physical writes")
    direct = f.stat("physical writes direct", "direct writes")
    if isinstance(writes, Missing):
        return writes
    if isinstance(direct, Missing):
        return direct if direct.lost else writes
    return add([writes], "writes from cache", less=[direct]) if direct.value else writes


def share_of_written(f: Figures, part: Figure | Missing, note: str = "") -> Fact:
    """Share of some blocks in all that DBWR wrote; a note explains more than 100 %."""
    fact = derive("part * 100 / writes", note, part=part, writes=f.once(written))
    if fact.number is None or fact.number <= _WHOLE_PCT:
        return fact
    return fact._replace(note="; ".join(filter(None, (note, _ABOVE_ALL))))


@fact(
    "checkpoint.write_pct",
    "%",
    "checkpoint_activity|instance_activity",
    kind="level",
    better="lower over time",
    title="Checkpoints in DBWR's writes",
)
def write_pct(f: Figures) -> Fact:
    """Share of checkpoint writes in all that DBWR wrote from the cache (before 10g: all writes).

    They are in Checkpoint Activity, otherwise in DBWR's count of checkpoint buffers. Without
    either, they are all physical writes except `physical writes non checkpoint`.
    """
    caused = f.once(_all_caused)
    if isinstance(caused, Figure) or caused.lost:
        return share_of_written(f, caused)
    buffers = f.stat(_BUFFERS, "checkpoint buffers")
    if isinstance(buffers, Figure):
        return share_of_written(f, buffers, f"DBWR's own count {_NOT_PRINTED}")
    writes, direct = (f.stat(name, name) for name in ("physical writes", "physical writes direct"))
    if (
        isinstance(direct, Figure)
        and isinstance(writes, Figure)
        and (0 < writes.value <= direct.value)
    ):
        why = "the report has no writes of DBWR: those for a pluggable database are not its own"
        return unavailable(Missing(why, ("instance_activity",)))
    fact = derive(
        "(writes - other) * 100 / writes",
        f"estimated from `physical writes non checkpoint` {_NOT_PRINTED}",
        writes=writes,
        other=f.stat("physical writes non checkpoint", "non checkpoint"),
    )
    return fact if fact.number is None else fact._replace(status="estimated")


def cause_pct(column: str) -> Callable[[Figures], Fact]:
    """Share of one column of Checkpoint Activity in all that DBWR wrote from the cache."""

    def fact(f: Figures) -> Fact:
        return share_of_written(f, f.once(_caused, column))

    fact.__doc__ = f"Share of DBWR's block writes caused by {CAUSES[column]}."
    return fact


fact("checkpoint.mttr_write_pct", "%", _CHECKPOINTS, kind="level", better="neither")(
    cause_pct("mttr_writes")
)
fact("checkpoint.log_size_write_pct", "%", _CHECKPOINTS, kind="level", better="neither")(
    cause_pct("log_size_writes")
)
fact("checkpoint.log_ckpt_write_pct", "%", _CHECKPOINTS, kind="level", better="neither")(
    cause_pct("log_ckpt_writes")
)
fact("checkpoint.other_settings_write_pct", "%", _CHECKPOINTS, kind="level", better="neither")(
    cause_pct("other_settings_writes")
)
fact("checkpoint.autotune_write_pct", "%", _CHECKPOINTS, kind="level", better="neither")(
    cause_pct("autotune_writes")
)
fact("checkpoint.thread_write_pct", "%", _CHECKPOINTS, kind="level", better="neither")(
    cause_pct("thread_writes")
)


@fact("checkpoint.main_cause", "name", _CHECKPOINTS, kind="level", better="neither")
def main_cause(f: Figures) -> Fact:
    """The cause of most checkpoint writes: the largest column of Checkpoint Activity."""
    figures = {column: f.once(_caused, column) for column in CAUSES}
    present = {name: each for name, each in figures.items() if isinstance(each, Figure)}
    if isinstance(lost := readable(figures.values()), Missing):
        return unavailable(lost)
    if not present:
        return unavailable(f.missing("checkpoint_activity"))
    name = max(present, key=lambda each: present[each].value)
    total = sum(each.value for each in present.values())
    if not total:
        return text_fact("none", present[name].evidence, "derived", "checkpoints wrote no blocks")
    share = present[name].value * 100 / total
    note = f"{share:.0f} % of all checkpoint writes are for {CAUSES[name]}"
    return text_fact(name.removesuffix("_writes"), present[name].evidence, "derived", note)


@fact(
    "checkpoint.writes_per_s",
    "1/s",
    "checkpoint_activity|instance_activity",
    ELAPSED,
    kind="rate",
    better="neither",
)
def writes_per_s(f: Figures) -> Fact:
    """Blocks that checkpoints wrote per second (otherwise DBWR's count of checkpoint buffers)."""
    caused = f.once(_all_caused)
    if isinstance(caused, Figure) or caused.lost:
        return derive("caused / elapsed", caused=caused, elapsed=f.elapsed)
    return derive(
        "caused / elapsed",
        f"DBWR's own count {_NOT_PRINTED}",
        caused=f.stat(_BUFFERS, "checkpoint buffers"),
        elapsed=f.elapsed,
    )


@fact("checkpoint.cache_writes_per_s", "1/s", STATS, ELAPSED, kind="rate", better="neither")
def cache_writes_per_s(f: Figures) -> Fact:
    """Blocks that DBWR wrote from the buffer cache per second."""
    return derive(
        "writes / elapsed",
        writes=f.once(from_cache),
        elapsed=f.elapsed,
    )


def statistic(name: str) -> Callable[[Figures], Fact]:
    """An instance statistic over the interval."""

    def fact(f: Figures) -> Fact:
        return measured(f.stat(name, ""))

    fact.__doc__ = f"Statistic `{name}`."
    return fact


fact("checkpoint.thread_buffers", "count", STATS, kind="total", better="neither")(
    statistic("DBWR thread checkpoint buffers written")
)
fact("checkpoint.started", "count", STATS, kind="total", better="neither")(
    statistic("background checkpoints started")
)
fact("checkpoint.completed", "count", STATS, kind="total", better="neither")(
    statistic("background checkpoints completed")
)


@fact(
    "checkpoint.data_write_ms",
    "ms",
    BG,
    kind="level",
    better="lower",
    title="db file parallel write",
)
def data_write_ms(f: Figures) -> Fact:
    """Average time of DBWR's write batches: event `db file parallel write`."""
    return f.background("db file parallel write").each_ms


@fact("checkpoint.data_write_wait_s", "s", BG, kind="total", better="lower")
def data_write_wait_s(f: Figures) -> Fact:
    """Seconds that DBWR waited for its write batches: event `db file parallel write`."""
    return measured(f.background("db file parallel write").total_s)


def background_ms(event: str) -> Callable[[Figures], Fact]:
    """Average wait of background processes for an event."""

    def fact(f: Figures) -> Fact:
        return f.background(event).each_ms

    fact.__doc__ = f"Average wait of background processes for `{event}`."
    return fact


fact("checkpoint.async_submit_ms", "ms", BG, kind="level", better="lower")(
    background_ms("db file async I/O submit")
)
fact("io.control_write_ms", "ms", BG, kind="level", better="lower")(
    background_ms("control file parallel write")
)


@fact("checkpoint.async_submit_wait_s", "s", BG, kind="total", better="lower")
def async_submit_wait_s(f: Figures) -> Fact:
    """Seconds that DBWR waited to submit writes; it blocks there under full load (from 11.2)."""
    return measured(f.background("db file async I/O submit").total_s)


@fact("checkpoint.submitted_write_ms", "ms", BG, STATS, kind="level", better="lower")
def submitted_write_ms(f: Figures) -> Fact:
    """Time of `db file async I/O submit` per block that DBWR wrote: a submit has many writes."""
    return derive(
        "waited * 1000 / writes",
        waited=f.background("db file async I/O submit").total_s, writes=f.once(from_cache),
    )  # fmt: skip


@fact("io.direct_write_ms", "ms", FG, kind="level", better="lower")
def direct_write_ms(f: Figures) -> Fact:
    """Average wait of sessions for `direct path write`."""
    return f.foreground("direct path write").each_ms


@fact("io.direct_write_wait_s", "s", FG, kind="total", better="lower")
def direct_write_wait_s(f: Figures) -> Fact:
    """Seconds that sessions waited for direct path writes to data files (not to tempfiles)."""
    total = f.foreground("direct path write").total_s
    if isinstance(total, Figure):
        return measured(total)
    if f.lacks("direct path write"):
        return measured(Figure(0, "s"), "`direct path write` is not in the list of waits")
    return unavailable(total)


@fact("io.direct_write_b", "B", STATS, FG, BLOCK_SIZE, kind="level", better="neither")
def direct_write_b(f: Figures) -> Fact:
    """Average bytes per direct path write to data files: blocks written directly over waits."""
    return derive(
        "(blocks - temp) * block / waits",
        blocks=f.stat("physical writes direct", "blocks"),
        temp=f.stat("physical writes direct temporary tablespace", "temp blocks"),
        block=block_size(f),
        waits=f.foreground("direct path write").waits,
    )


def symptom(event: str) -> Callable[[Figures], Fact]:
    """Seconds that sessions waited for an event that DBWR causes."""

    def fact(f: Figures) -> Fact:
        return waited(f, event)

    fact.__doc__ = f"Seconds that sessions waited for `{event}`."
    return fact


fact("checkpoint.free_buffer_wait_s", "s", FG, kind="total", better="lower")(
    symptom("free buffer waits")
)
fact("checkpoint.write_complete_wait_s", "s", FG, kind="total", better="lower")(
    symptom("write complete waits")
)
