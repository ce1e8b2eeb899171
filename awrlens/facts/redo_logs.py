"""Log switches: who waits for them and why, how long a log lasts, how large it is.

Sources: document 1, "Upper Bound on MTTR" (recovery reads at most 90 % of the smallest log);
document 3, figures 4 and 5; Oracle Database Reference, the `log file switch` events.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.facts.figures import waited
from awrlens.facts.formula import Figure, Missing, derive, unavailable
from awrlens.facts.redo import block_size

if TYPE_CHECKING:
    from awrlens.facts.figures import Figures
    from awrlens.model import Fact

#: Share of the smallest log that may lie behind the checkpoint; # document 1
_BEHIND: Final = 0.9
#: From 11g on the limit is this share of all logs of the thread but one. Not documented: the
#: limits of real reports of 11.2 to 19c are that share of whole numbers of logs of usual sizes,
#: and 90 % of the smallest log would be less than was written between two of their switches.
_BEHIND_11G: Final = 0.81


def switch_strand_wait_s(f: Figures) -> Fact:
    """Seconds waited at log switches for sessions' private redo to be written."""
    return waited(f, "log file switch (private strand")


def switch_completion_wait_s(f: Figures) -> Fact:
    """Seconds waited for the log switch itself, or for a log that is cleared."""
    return waited(f, "log file switch completion", "log file switch (clearing")


def _switches(f: Figures) -> Figure | Missing:
    row = "log switches (derived)"
    return f.row_figure("instance_activity_thread", row, "total", "switches")


def minutes_per_switch(f: Figures) -> Fact:
    """Minutes from one log switch to the next, on average."""
    return derive("elapsed / 60 / switches", elapsed=f.elapsed, switches=_switches(f))


def mb_per_switch(f: Figures) -> Fact:
    """Redo written to one member between two switches: what a log holds when it is left.

    Below the size of the log where switches are forced, by `archive_lag_target` or a backup.
    """
    size, note = block_size(f)
    blocks = f.stat("redo blocks written", "blocks")
    return derive(f"blocks * {size} / 1024 / 1024 / switches", note, blocks=blocks,
                  switches=_switches(f))  # fmt: skip


def log_mb(f: Figures) -> Fact:
    """Size of the smallest redo log, told by the limit that it sets to checkpoints (to 10.2)."""
    limit = _limit(f)
    if isinstance(limit, Figure) and _limit_is_of_all_logs(f):
        why = (
            "from 11g on the limit of Instance Recovery Stats is that of all logs but one "
            "(redo.other_logs_mb): the size of one is not printed"
        )
        return unavailable(Missing(why, ("instance_recovery",)))
    return _size_by_limit(f, limit, _BEHIND)


def other_logs_mb(f: Figures) -> Fact:
    """What the thread's logs but one hold: room before a checkpoint must be complete (11g on)."""
    limit = _limit(f)
    if isinstance(limit, Figure) and not _limit_is_of_all_logs(f):
        why = "up to 10.2 the limit of Instance Recovery Stats is that of one log (redo.log_mb)"
        return unavailable(Missing(why, ("instance_recovery",)))
    fact = _size_by_limit(f, limit, _BEHIND_11G)
    if fact.number is None:
        return fact
    return fact._replace(status="estimated", note="81 % of them, as seen in reports of 11.2 to 19c")


def _limit(f: Figures) -> Figure | Missing:
    blocks = f.row_figure("instance_recovery", "E", "log_size_redo_blocks", "redo blocks")
    if isinstance(blocks, Figure) and blocks.value <= 0:
        return Missing("Instance Recovery Stats prints no log size limit", ("instance_recovery",))
    return blocks


def _limit_is_of_all_logs(f: Figures) -> bool:
    """Whether the section is as 11g and later print it: with the optimal log size."""
    table = f.tables.get("instance_recovery")
    return table is not None and any(col.name == "optimal_log_mb" for col in table.columns)


def _size_by_limit(f: Figures, limit: Figure | Missing, share: float) -> Fact:
    size, note = block_size(f)
    return derive(f"limit * {size} / {share} / 1024 / 1024", note, limit=limit)
