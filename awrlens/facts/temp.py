"""Temporary tablespaces: their I/O, its latency and the waits for it.

Source: "Write Accelerator", "Temporary Tablespace Writes and Reads": the I/O of the temporary
tablespaces is the only reliable sign; `sorts (disk)` may be 0 while they are the busiest.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.fact_table import fact
from awrlens.facts import tablespace_sums, tablespace_tables
from awrlens.facts import tablespaces as ts
from awrlens.facts.formula import Figure, Missing, derive, measured, summed, text_fact, unavailable
from awrlens.facts.sections import ELAPSED, FG, PARAMETERS, STATS, TABLESPACES

if TYPE_CHECKING:
    from collections.abc import Callable

    from awrlens.facts.numbers import Figures
    from awrlens.model import Fact

_TEMP_IO: Final = f"{TABLESPACES}|io_by_filetype"

KIND = "temporary"
#: Events have whole seconds.
ROUNDED_S: Final = 1.0


@fact("temp.tablespaces", "names", TABLESPACES, PARAMETERS, kind="level", better="neither")
def tablespace_names(f: Figures) -> Fact:
    """Temporary tablespaces and how each was recognised."""
    return ts.names_fact(f, ts.temporary(f), KIND)


@fact("temp.reads", "count", _TEMP_IO, kind="total", better="neither")
def reads(f: Figures) -> Fact:
    """Reads from temporary tablespaces."""
    return _summed(f, "reads")


@fact("temp.writes", "count", _TEMP_IO, kind="total", better="neither")
def writes(f: Figures) -> Fact:
    """Writes to temporary tablespaces."""
    return _summed(f, "writes")


def _listed(f: Figures) -> bool:
    """Whether the list of tablespaces has the temporary ones.

    Since 12.2 the list of a container database lacks those of its pluggable databases.
    """
    return f.once(_is_listed)


def _is_listed(f: Figures) -> bool:
    if not tablespace_tables.has_data(f):
        return False
    for column in ("reads", "writes"):
        listed = tablespace_sums.total(f, ts.temporary(f), KIND, (column,), column)
        rate = f.row_figure("io_by_filetype", "Temp File", _requests(column), "requests/s")
        if isinstance(rate, Missing) or isinstance(f.elapsed, Missing):
            continue
        if isinstance(listed, Missing):
            return listed.lost or not rate.value
        count, known = listed.value, (rate.value - _RATE_STEP) * f.elapsed.value
        if known > count * _MOST_OFF:
            return False
    return True


#: The rates by file type have two decimals, and are printed for the same interval as the list:
#: a list with half of their requests lacks tablespaces.
_RATE_STEP: Final = 0.01
_MOST_OFF: Final = 2.0


def _requests(column: str) -> str:
    return f"{column.removesuffix('s')}_requests_per_s"


def per_second(column: str) -> Callable[[Figures], Fact]:
    """Reads or writes of temporary tablespaces over the elapsed time."""

    def fact(f: Figures) -> Fact:
        if not _listed(f):
            return _estimated(measured(_by_filetype(f, _requests(column)), _instead(f)))
        count = tablespace_sums.total(f, ts.temporary(f), KIND, (column,), column)
        return derive("count / elapsed", tablespace_sums.source_note(f, (column,)), count=count,
                      elapsed=f.elapsed)  # fmt: skip

    fact.__doc__ = f"{column.capitalize()} of temporary tablespaces per second."
    return fact


fact(
    "temp.reads_per_s", "1/s", _TEMP_IO, ELAPSED, kind="rate", better="neither", title="Temp reads"
)(per_second("reads"))
fact("temp.writes_per_s", "1/s", _TEMP_IO, ELAPSED, kind="rate", better="neither")(
    per_second("writes")
)


def _by_filetype(f: Figures, column: str) -> Figure | Missing:
    """Requests per second of file type Temp File; for reports without I/O by tablespace."""
    found = f.row_figure("io_by_filetype", "Temp File", column, "requests/s")
    return found if isinstance(found, Figure) else f.missing("tablespace_io", "io_by_filetype")


def _estimated(fact: Fact) -> Fact:
    return fact._replace(status="estimated") if fact.value is not None else fact


_LACKING: Final = "Tablespace IO Stats lacks temporary tablespaces, as those of pluggable databases"


def lacking(f: Figures) -> Missing | None:
    """Why a figure of temporary tablespaces is unknown although some are listed."""
    if tablespace_tables.has_data(f) and not _listed(f):
        return Missing(_LACKING, ("tablespace_io",))
    return None


def _instead(f: Figures) -> str:
    """The source of a figure if the list of tablespaces has none."""
    what = (
        f"{_LACKING}: estimated from " if tablespace_tables.has_data(f) else tablespace_sums.INSTEAD
    )
    return f"{what}IOStat by Filetype"


def _summed(f: Figures, column: str) -> Fact:
    if not _listed(f):
        rate = _by_filetype(f, _requests(column))
        return _estimated(derive("rate * elapsed", _instead(f), rate=rate, elapsed=f.elapsed))
    figure = tablespace_sums.total(f, ts.temporary(f), KIND, (column,), column)
    return summed(figure, tablespace_sums.source_note(f, (column,)))


@fact(
    "temp.io_share_pct",
    "%",
    _TEMP_IO,
    kind="level",
    better="lower over time",
    title="Temp in all I/O",
)
def io_share_pct(f: Figures) -> Fact:
    """Share of temporary reads and writes in those of all tablespaces."""
    columns = ("reads", "writes")
    if not _listed(f):
        return _estimated(
            derive(
                "(r + w) * 100 / (r + w + dr + dw)",
                f"{_instead(f)}: share of Temp File in Temp File and Data File",
                r=_by_filetype(f, "read_requests_per_s"),
                w=_by_filetype(f, "write_requests_per_s"),
                dr=f.row_figure("io_by_filetype", "Data File", "read_requests_per_s", "/s"),
                dw=f.row_figure("io_by_filetype", "Data File", "write_requests_per_s", "/s"),
            )
        )
    return derive(
        "temp * 100 / all",
        tablespace_sums.source_note(f, columns),
        temp=tablespace_sums.total(f, ts.temporary(f), KIND, columns, "temp I/Os"),
        all=tablespace_sums.every(f, columns, "I/Os of all tablespaces"),
    )


@fact("temp.block_write_pct", "%", STATS, kind="level", better="lower over time")
def block_write_pct(f: Figures) -> Fact:
    """Share of direct temporary writes in all blocks written (10g and later).

    One request writes up to 1 MB, so that few requests may be most of the blocks.
    """
    return derive(
        "temp * 100 / all",
        temp=f.stat("physical writes direct temporary tablespace", "temp blocks"),
        all=f.stat("physical writes", "blocks"),
    )


@fact("temp.read_ms", "ms", _TEMP_IO, kind="level", better="lower", title="Temp read time")
def read_ms(f: Figures) -> Fact:
    """Read latency of temporary tablespaces, weighted by reads; 0 ms in the report means untimed.

    They are read by direct I/O, which several releases and platforms do not time.
    """
    if not _listed(f):
        reads_ms = _by_filetype(f, "small_read_ms")
        return _estimated(measured(reads_ms, f"{_instead(f)}, small reads"))
    return tablespace_sums.weighted_fact(f, ts.temporary(f), KIND, "read_ms", "reads", timed=False)


@fact("temp.timed", "name", TABLESPACES, FG, kind="level", better="neither")
def timed(f: Figures) -> Fact:
    """Whether the report has times of temporary I/O: without, requests and blocks are all it has.

    All reads with 0 ms, and waits that took no time at all, are reads that were not timed: an
    estimate, as the list of waits has only the events that it can show.
    """
    count = tablespace_sums.total(f, ts.temporary(f), KIND, ("reads",), "reads")
    if isinstance(count, Missing):
        return unavailable(count)
    if not count.value:
        return unavailable(Missing("no temporary tablespace was read", ("tablespace_io",)))
    lost, reads = tablespace_sums.reads_without_time(f, ts.temporary(f))
    waited_s = direct_wait_s(f)
    if lost < reads or waited_s.number:
        return text_fact("yes", count.evidence, "derived")
    return waited_s if waited_s.value is None else text_fact("no", count.evidence, "estimated")


@fact("temp.direct_wait_s", "s", FG, kind="total", better="lower")
def direct_wait_s(f: Figures) -> Fact:
    """Seconds waited for direct temporary I/O; 9i and earlier have only all direct I/O."""
    if f.tables.get("foreground_events") is None and has_old_events(f):
        fact = summed(
            f.foreground_sum(("direct path read", "direct path write")),
            "this release counts direct I/O of temporary and other segments together",
        )
        return fact._replace(status="estimated") if fact.number is not None else fact
    return summed(f.foreground_sum(("direct path read temp", "direct path write temp")))


def has_old_events(f: Figures) -> bool:
    """Whether the list is from before 10g: it has the plain events and no `temp` ones."""
    return f.once(_has_old_events)


def _has_old_events(f: Figures) -> bool:
    table = f.tables.get("wait_events")
    plain = ("direct path read", "direct path write")
    keys = [row.key for row in table.begins(plain)] if table else []
    modern = any(key.startswith(tuple(f"{name} temp" for name in plain)) for key in keys)
    return any(key in plain for key in keys) and not modern and f.tables.get("time_model") is None


@fact("temp.sorts_disk", "count", STATS, kind="total", better="lower over time")
def sorts_disk(f: Figures) -> Fact:
    """Sorts that went to disk."""
    return measured(f.stat("sorts (disk)", "sorts"))


@fact("temp.sorts_disk_pct", "%", STATS, kind="level", better="lower over time")
def sorts_disk_pct(f: Figures) -> Fact:
    """Share of sorts that went to disk."""
    return derive(
        "disk * 100 / (disk + memory)",
        disk=f.stat("sorts (disk)", "sorts on disk"),
        memory=f.stat("sorts (memory)", "in memory"),
    )


@fact("temp.io_rank", "count", TABLESPACES, kind="none", better="neither")
def io_rank(f: Figures) -> Fact:
    """Rank of the busiest temporary tablespace among all by reads and writes; 1 is the busiest."""
    if missing := lacking(f):
        return unavailable(missing)
    return tablespace_sums.rank_fact(f, ts.temporary(f), KIND, ("reads", "writes"))


@fact("temp.read_time_share_pct", "%", TABLESPACES, kind="level", better="lower over time")
def read_time_share_pct(f: Figures) -> Fact:
    """Share of temporary tablespaces in the read time of all tablespaces.

    In figure 6 of "Write Accelerator" the temporary tablespace is third by number of I/Os, with
    6 % of those shown, and first by time: 648 s of 2,224 s. Not available if sessions waited longer
    for direct path reads than all tablespaces' reads took: those then lack direct reads.
    """
    if missing := lacking(f):
        return unavailable(missing)
    lost, reads = tablespace_sums.reads_without_time(f, ts.temporary(f))
    note = tablespace_sums.untimed(lost, "reads") if lost else ""
    if lost and lost == reads:
        return unavailable(Missing(note, ("tablespace_io",)))
    whole = tablespace_sums.read_time(f, None, "ms of all reads")
    direct = f.foreground_sum(("direct path read",))
    if isinstance(whole, Figure) and isinstance(direct, Figure):
        whole_s = whole.value / 1000
        if direct.value > whole_s + ROUNDED_S:
            why = (
                f"sessions waited {direct.value:,.0f} s for direct path reads, but the reads of "
                f"all tablespaces took {whole_s:,.0f} s: they lack direct reads"
            )
            return unavailable(Missing(why, ("tablespace_io",)))
    return derive(
        "temp * 100 / all",
        "; ".join(filter(None, (note, tablespace_sums.source_note(f, ("reads",))))),
        temp=tablespace_sums.read_time(f, ts.temporary(f), "ms of temporary reads"),
        all=whole,
    )
