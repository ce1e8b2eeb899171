"""Log switches: who waits for them and why, how long a log lasts, how large it is.

Sources: document 1, "Upper Bound on MTTR" (redo behind the checkpoint; later releases:
awrlens.logsize); document 3, figures 4 and 5; Oracle Database Reference, the `log file switch`
events.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.facts.figures import waited
from awrlens.facts.formula import Figure, Missing, derive, unavailable
from awrlens.facts.redo import block_size, log_switches
from awrlens.logsize import ALL_BUT_ONE_11G, Limit, limit_of

if TYPE_CHECKING:
    from awrlens.facts.figures import Figures
    from awrlens.model import Fact

_SECTION: Final = ("instance_recovery",)
#: What LGWR writes, as tables of I/O by function print it.
_LGWR: Final = ("io_by_function", "io_by_function_filetype")
#: LGWR writes blocks of log and data file headers, too, and MB are rounded: the quotient may be
#: off by so much of a member; less than so many bytes say nothing, more members nobody has.
#: # awrlens: an assumption; real reports of 11.2 to 19c are off by 0.05 at most from 20 MB on
_OFF: Final = 0.15
_LEAST_B: Final = 10 * 2**20
_MOST_MEMBERS: Final = 4


def switch_strand_wait_s(f: Figures) -> Fact:
    """Seconds waited at log switches for sessions' private redo to be written."""
    return waited(f, "log file switch (private strand")


def switch_completion_wait_s(f: Figures) -> Fact:
    """Seconds waited for the log switch itself, or for a log that is cleared."""
    return waited(f, "log file switch completion", "log file switch (clearing")


def minutes_per_switch(f: Figures) -> Fact:
    """Minutes from one log switch to the next, on average."""
    switches, note = f.once(log_switches)
    return derive("elapsed / 60 / switches", note, elapsed=f.elapsed, switches=switches)


def mb_per_switch(f: Figures) -> Fact:
    """Redo written to one member between two switches: what a log holds when it switches.

    Below the size of the log where switches are forced, by `archive_lag_target` or a backup.
    """
    size, note = block_size(f)
    blocks = f.stat("redo blocks written", "blocks")
    switches, counted = f.once(log_switches)
    notes = "; ".join(filter(None, (note, counted)))
    return derive(
        f"blocks * {size} / 1024 / 1024 / switches", notes, blocks=blocks, switches=switches
    )


def log_mb(f: Figures) -> Fact:
    """Size of the smallest redo log, told by the limit that it sets to checkpoints (to 9.2)."""
    rule = _rule(f)
    if rule is not None and rule.of_all_but_one and isinstance(_limit(f), Figure):
        why = (
            "from 10g on the limit of Instance Recovery Stats is that of all logs but one "
            "(redo.other_logs_mb): the size of one is not printed"
        )
        return unavailable(Missing(why, _SECTION))
    return _size_by_limit(f, rule)


def other_logs_mb(f: Figures) -> Fact:
    """What the thread's logs but one hold: room before a checkpoint must be complete (10g on)."""
    rule = _rule(f)
    if rule is not None and not rule.of_all_but_one and isinstance(_limit(f), Figure):
        why = "up to 9.2 the limit of Instance Recovery Stats is that of one log (redo.log_mb)"
        return unavailable(Missing(why, _SECTION))
    fact = _size_by_limit(f, rule)
    if fact.number is None or rule is None:
        return fact
    note = f"the limit is {rule.share * 100:.0f} % of them, as seen in reports of 10.1 to 19c"
    return fact._replace(status="estimated", note=note)


def _limit(f: Figures) -> Figure | Missing:
    blocks = f.row_figure("instance_recovery", "E", "log_size_redo_blocks", "redo blocks")
    if isinstance(blocks, Figure) and blocks.value <= 0:
        return Missing("Instance Recovery Stats prints no log size limit", _SECTION)
    return blocks


def _rule(f: Figures) -> Limit | None:
    """What the release's limit is of; without a release, the section as 11g and later print it."""
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
        why = "without the release it is not known of which logs the limit is"
        return unavailable(Missing(why, _SECTION))
    size, note = block_size(f)
    fact = derive(f"limit * {size} / {rule.share} / 1024 / 1024", note, limit=limit)
    least = _least_mb(f)
    if fact.number is None or least is None or fact.number >= least:
        return fact
    why = (
        f"the limit of {limit.shown} would make {fact.number:,.0f} MB, and logs were left with "
        f"{least:,.0f} MB of redo at least: it is not what the limit is of"
    )
    return unavailable(Missing(why, _SECTION))


def _least_mb(f: Figures) -> float | None:
    """What an average log holds at least: so many switches leave redo in one log more."""
    switches, written = f.once(log_switches)[0], mb_per_switch(f).number
    if isinstance(switches, Missing) or written is None:
        return None
    return written * switches.value / (switches.value + 1)


def members(f: Figures) -> Fact:
    """Members of each log group: what LGWR wrote over what one member got, a whole number."""
    size, note = block_size(f)
    one = f.stat("redo blocks written", "blocks")
    every = [f.row_figure(section, "LGWR", "write_data_b", "B by LGWR") for section in _LGWR]
    written = next((each for each in every if isinstance(each, Figure)), every[0])
    fact = derive(f"written / (blocks * {size})", note, written=written, blocks=one)
    if fact.number is None or isinstance(written, Missing):
        return fact
    found = round(fact.number)
    if written.value < _LEAST_B:
        why = f"LGWR wrote {written.digits} B: too little to tell members by"
    elif not 1 <= found <= _MOST_MEMBERS or abs(fact.number - found) > _OFF:
        why = f"LGWR wrote {fact.number:.2f} times what one member got: no whole number"
    else:
        shown = f"{fact.formula} = {fact.number:.2f}; {note}"
        return fact._replace(value=found, formula="", note=shown)
    return unavailable(Missing(why, (_LGWR[0], "instance_activity")))
