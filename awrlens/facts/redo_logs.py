"""Log switches: waits and their causes, time between switches, size of redo logs.

Sources: "Fast-Start Checkpointing Best Practices", "Upper Bound on MTTR" (redo behind the
checkpoint; later releases: awrlens.logsize); "Write Accelerator", figures 4 and 5; Oracle Database
Reference, the `log file switch` events.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.fact_table import fact
from awrlens.facts.checkpoint import parameter
from awrlens.facts.formula import Figure, Missing, as_input, derive, measured, unavailable
from awrlens.facts.numbers import waited
from awrlens.facts.redo import block_size, bytes_per_write
from awrlens.facts.redo_waits import log_switches
from awrlens.facts.sections import (
    BLOCK_SIZE,
    ELAPSED,
    FG,
    PARAMETERS,
    RECOVERY,
    STATS,
    THREAD,
)
from awrlens.logsize import ALL_BUT_ONE_11G, Limit, limit_of

if TYPE_CHECKING:
    from awrlens.facts.numbers import Figures
    from awrlens.model import Fact

_SECTION: Final = ("instance_recovery",)
#: Tables of I/O by function, which have the writes of LGWR.
_LGWR: Final = ("io_by_function", "io_by_function_filetype")
#: LGWR also writes headers of redo logs and data files, and MB are rounded: the quotient may be
#: off by this part of a member. Fewer bytes are not enough; more members are implausible.
#: # awrlens: an assumption; real reports of 11.2 to 19c are off by 0.05 at most from 20 MB on
_OFF: Final = 0.15
_LEAST_B: Final = 10 * 2**20
_MOST_MEMBERS: Final = 4


#: LGWR writes by itself at this size or at a third of the buffer. # Write Accelerator, "Redo Log
#: Writes"
_FULL_B: Final = 2**20
_PART_OF_BUFFER: Final = 3


@fact("redo.write_fill_pct", "%", STATS, BLOCK_SIZE, kind="level", better="neither")
def write_fill_pct(f: Figures) -> Fact:
    """Bytes per redo write as a share of the size at which LGWR writes by itself.

    That is a third of the log buffer, at most 1 MB. A small share means that commits and other
    processes, not a full buffer, make LGWR write.
    """
    buffer = f.row_figure("cache_sizes", "log_buffer", "value", "B")
    if isinstance(buffer, Missing):
        return unavailable(buffer)
    third = buffer.value / _PART_OF_BUFFER
    what = "B, a third of the log buffer" if third < _FULL_B else "B"
    limit = Figure(min(third, _FULL_B), what, buffer.evidence)
    return derive(
        "written * 100 / limit", written=as_input(bytes_per_write(f), "B per write"), limit=limit
    )


@fact(
    "redo.log_buffer_mb",
    "MB",
    "cache_sizes|cache_sizes_by_instance",
    kind="setting",
    better="neither",
)
def log_buffer_mb(f: Figures) -> Fact:
    """Size of the log buffer; its redo strands need space in a redo log at the switch.

    AWR prints the memory that was allocated, Statspack and comparisons the parameter LOG_BUFFER.
    """
    buffer = f.row_figure("cache_sizes", "log_buffer", "value", "B")
    if isinstance(buffer, Missing) and not buffer.lost:
        return measured(f.of_instance("cache_sizes_by_instance", "log_buffer_mb", "MB", buffer))
    return derive("buffer / 1024 / 1024", buffer=buffer)


@fact("redo.switch_strand_wait_s", "s", FG, kind="total", better="lower")
def switch_strand_wait_s(f: Figures) -> Fact:
    """Seconds that sessions waited at log switches for the flush of private strands."""
    return waited(f, "log file switch (private strand")


@fact("redo.switch_completion_wait_s", "s", FG, kind="total", better="lower")
def switch_completion_wait_s(f: Figures) -> Fact:
    """Seconds that sessions waited for the log switch itself, or for a redo log to be cleared."""
    return waited(f, "log file switch completion", "log file switch (clearing")


@fact("redo.minutes_per_switch", "min", THREAD, ELAPSED, kind="level", better="higher over time")
def minutes_per_switch(f: Figures) -> Fact:
    """Average time between log switches of a thread in minutes."""
    switches, note = f.once(log_switches)
    if f.is_of_one:
        return derive("elapsed / 60 / switches", note, elapsed=f.elapsed, switches=switches)
    return derive(
        "elapsed * instances / 60 / switches", note,
        elapsed=f.elapsed, instances=f.instances, switches=switches,
    )  # fmt: skip


fact("redo.archive_lag_target_s", "s", PARAMETERS, kind="setting", better="neither")(
    parameter("archive_lag_target", "s", since=(9, 0))
)


@fact("redo.lag_share_pct", "%", THREAD, ELAPSED, PARAMETERS, kind="level", better="neither")
def lag_share_pct(f: Figures) -> Fact:
    """Time between log switches as a share of ARCHIVE_LAG_TARGET, which forces a switch after it.

    Near 100 %, redo logs switch because of it, whatever their size.
    """
    target = parameter("archive_lag_target", "s")(f)
    if not target.number:
        return unavailable(Missing("archive_lag_target is not set", ("parameters",)))
    between = minutes_per_switch(f)
    return derive(
        "between * 60 * 100 / target",
        between=as_input(between, "min"), target=as_input(target, "s"),
    )  # fmt: skip


@fact("redo.mb_per_switch", "MB", THREAD, STATS, kind="level", better="neither")
def mb_per_switch(f: Figures) -> Fact:
    """Redo written to one member between two log switches: the content of a redo log at the switch.

    It is below the size of the redo log if `archive_lag_target` or a backup forces switches.
    """
    size, note = block_size(f)
    blocks = f.stat("redo blocks written", "blocks")
    switches, counted = f.once(log_switches)
    notes = "; ".join(filter(None, (note, counted)))
    return derive(
        f"blocks * {size} / 1024 / 1024 / switches", notes, blocks=blocks, switches=switches
    )


@fact("redo.log_mb", "MB", RECOVERY, kind="level", better="neither")
def log_mb(f: Figures) -> Fact:
    """Size of the smallest redo log, from the limit that it sets for checkpoints (up to 9.2)."""
    rule = _rule(f)
    if rule is not None and rule.of_all_but_one and isinstance(_limit(f), Figure):
        why = (
            "from 10g on, the limit in Instance Recovery Stats is for all redo logs but one "
            "(redo.other_logs_mb): the size of one is not in the report"
        )
        return unavailable(Missing(why, _SECTION))
    return _size_by_limit(f, rule)


@fact("redo.other_logs_mb", "MB", RECOVERY, kind="level", better="neither")
def other_logs_mb(f: Figures) -> Fact:
    """Size of all redo logs but one: room before a checkpoint must be complete (10g and later)."""
    rule = _rule(f)
    if rule is not None and not rule.of_all_but_one and isinstance(_limit(f), Figure):
        why = "up to 9.2, the limit in Instance Recovery Stats is for one redo log (redo.log_mb)"
        return unavailable(Missing(why, _SECTION))
    fact = _size_by_limit(f, rule)
    if fact.number is None or rule is None:
        return fact
    note = f"the limit is {rule.share * 100:.0f} % of them, as in reports of 10.1 to 19c"
    return fact._replace(status="estimated", note=note)


def _limit(f: Figures) -> Figure | Missing:
    blocks = f.row_figure("instance_recovery", "E", "log_size_redo_blocks", "redo blocks")
    if isinstance(blocks, Figure) and blocks.value <= 0:
        return Missing("Instance Recovery Stats has no log size limit", _SECTION)
    return blocks


def _rule(f: Figures) -> Limit | None:
    """The meaning of the release's limit; without a release, 11g and later by their columns."""
    table = f.tables.get("instance_recovery")
    found = limit_of(f.header.release)
    if found is None and table is not None:
        since_11g = any(column.name == "optimal_log_mb" for column in table.columns)
        return ALL_BUT_ONE_11G if since_11g else None
    return found


def _size_by_limit(f: Figures, rule: Limit | None) -> Fact:
    limit = _limit(f)
    if isinstance(limit, Missing):
        return unavailable(limit)
    if rule is None:
        why = "the release is unknown, so it is unclear for which redo logs the limit is"
        return unavailable(Missing(why, _SECTION))
    size, note = block_size(f)
    fact = derive(f"limit * {size} / {rule.share} / 1024 / 1024", note, limit=limit)
    least = _least_mb(f)
    if fact.number is None or least is None or fact.number >= least:
        return fact
    why = (
        f"the limit of {limit.shown} implies {fact.number:,.0f} MB, but redo logs held at least "
        f"{least:,.0f} MB at a switch: the limit has another meaning"
    )
    return unavailable(Missing(why, _SECTION))


def _least_mb(f: Figures) -> float | None:
    """Minimum redo in an average redo log: n switches leave redo in n + 1 redo logs."""
    switches, written = f.once(log_switches)[0], mb_per_switch(f).number
    if isinstance(switches, Missing) or written is None:
        return None
    return written * switches.value / (switches.value + 1)


@fact(
    "redo.members",
    "count",
    "io_by_function|io_by_function_filetype",
    STATS,
    kind="setting",
    better="neither",
)
def members(f: Figures) -> Fact:
    """Members per redo log group: writes of LGWR over writes to one member, a whole number."""
    size, note = block_size(f)
    one = f.stat("redo blocks written", "blocks")
    every = [f.row_figure(section, "LGWR", "write_data_b", "B by LGWR") for section in _LGWR]
    written = next((each for each in every if isinstance(each, Figure)), every[0])
    fact = derive(f"written / (blocks * {size})", note, written=written, blocks=one)
    if fact.number is None or isinstance(written, Missing):
        return fact
    found = round(fact.number)
    if written.value < _LEAST_B:
        why = f"LGWR wrote {written.digits} B: too little to compute the number of members"
    elif not 1 <= found <= _MOST_MEMBERS or abs(fact.number - found) > _OFF:
        why = f"LGWR wrote {fact.number:.2f} times the redo of one member: not a whole number"
    else:
        shown = f"{fact.formula} = {fact.number:.2f}; {note}"
        return fact._replace(value=found, formula="", note=shown)
    return unavailable(Missing(why, (_LGWR[0], "instance_activity")))
