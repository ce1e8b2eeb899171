"""Redo logs: how large, at which rates, and what larger ones cost.

Sources: Oracle Database Performance Tuning Guide (a switch at most each 20 minutes; the optimal
size of V$INSTANCE_RECOVERY is a least size); document 1, "Upper Bound on MTTR" (recovery reads
at most 90 % of the smallest log; later releases: awrlens.logsize); document 3 (very large logs
against many small writes).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from awrlens.advice import applies
from awrlens.logsize import limit_of
from awrlens.model import Impact, Recommendation
from awrlens.policy import Policy, Threshold
from awrlens.units import plain

if TYPE_CHECKING:
    from collections.abc import Mapping

    from awrlens.model import Fact

MINUTES_PER_SWITCH: Final = Threshold(
    "logs.minutes_per_switch", 20.0, "min",
    "minutes that a redo log of the recommended size lasts at the report's redo rate",
    "Oracle Database Performance Tuning Guide: log files switch at most once each 20 minutes",
)  # fmt: skip
PEAK_FACTOR: Final = Threshold(
    "logs.peak_factor", 3.0, "ratio",
    "redo rate at its peak over that of the report; an assumption, as reports print no peak",
    "awrlens: an assumption; V$LOG_HISTORY tells the switches of each hour",
)  # fmt: skip
BEHIND_CHECKPOINT: Final = Threshold(
    "logs.behind_checkpoint", 0.9, "ratio",
    "share of the smallest log that recovery has to read at most (to 9.2)",
    'document 1, "Upper Bound on MTTR" (`limited to 90% of the smallest redo log file`)',
)  # fmt: skip
#: Oracle Data Guard Concepts and Administration, "Configuring Standby Redo Logs".
_STANDBY_LOGS: Final = (
    "standby redo logs of the same size, one group more than online logs in each thread, here and "
    "at the standby, before the online logs: a smaller one cannot be used, and redo comes late"
)
THRESHOLDS: Final = (MINUTES_PER_SWITCH, PEAK_FACTOR, BEHIND_CHECKPOINT)

_SWITCHES_BY_HOUR: Final = (
    "SELECT TRUNC(first_time, 'HH') hour, thread#, COUNT(*) switches FROM v$log_history "
    "GROUP BY TRUNC(first_time, 'HH'), thread# ORDER BY 3 DESC;"
)


class _Size(NamedTuple):
    """A log's size in MB, where it comes from, and what is said of it."""

    mb: float
    why: str
    peak: str
    #: What a log holds now, where the report tells; 0 where it does not.
    now_mb: float

    @property
    def larger(self) -> bool:
        """Whether that is more than now."""
        return self.mb > self.now_mb


def enlarge(
    facts: Mapping[str, Fact],
    policy: Policy,
    threads: int,
    benefit: Impact,
    found: tuple[str, ...],
    after: str,
) -> Recommendation:
    """More or larger logs, of which size and why; ``threads`` is what the rate is divided by."""
    size = _size(facts, policy, threads)
    if size is None:
        groups, mb = "Add log groups", "<larger than now>"
    elif size.larger:
        groups, mb = f"Add log groups of {size.mb:,.0f} MB ({size.why})", f"{size.mb:.0f}M"
    else:
        groups = (
            f"Add log groups of the size that they have ({size.now_mb:,.0f} MB; {size.mb:,.0f} MB "
            f"would do for {size.why})"
        )
        mb = f"{size.now_mb:.0f}M"
    peak = size.peak if size is not None and size.larger else ""
    files, multiplexed = _members(facts)
    has_standby = facts["integrity.standby"].value not in (None, "none")
    add = f"LOGFILE THREAD <thread> GROUP <new group> {files} SIZE {mb};"
    return Recommendation(
        id="enlarge-redo-logs",
        title="Give redo more or larger logs",
        action=f"{groups}, so that checkpoint and archiving are complete before a group "
        f"is used again.{_archiving(facts)}{peak}",
        status="apply",
        commands=(
            "SELECT group#, thread#, bytes/1048576 mb, members, status FROM v$log;",
            _SWITCHES_BY_HOUR,
            f"ALTER DATABASE ADD {add}",
            *([f"ALTER DATABASE ADD STANDBY {add}"] if has_standby else []),
        ),
        rollback=("ALTER DATABASE DROP LOGFILE GROUP <new group>;",),
        benefit=benefit,
        prerequisites=(
            "space for the new logs, on the same kind of storage",
            multiplexed,
            *([_STANDBY_LOGS] if has_standby else []),
        ),
        risks=_risks(facts, policy, size),
        validate=("no `log file switch (…)` among the foreground events", after),
        findings=found,
    )


def _members(facts: Mapping[str, Fact]) -> tuple[str, str]:
    """Files of a new group, as many as the groups have, and what to see to."""
    members = facts["redo.members"].number
    if not members:
        return "('<file 1>', …)", (
            "as many members in each new group as the groups have (V$LOG.MEMBERS), on the disks "
            "that V$LOGFILE shows: with one member less a lost disk loses the log"
        )
    number = round(members)
    files = ", ".join(f"'<file {n + 1}>'" for n in range(number))
    if number == 1:
        return (
            f"({files})",
            "one member in each new group, as LGWR writes now (check V$LOG.MEMBERS)",
        )
    return f"({files})", (
        f"{number} members in each new group, as LGWR writes now (check V$LOG.MEMBERS), on the "
        "disks that V$LOGFILE shows"
    )


def _size(facts: Mapping[str, Fact], policy: Policy, threads: int) -> _Size | None:
    """The larger of Oracle's optimal size (a least size) and what the redo rate asks for."""
    optimal = facts["checkpoint.optimal_log_mb"].number or 0.0
    rate = (facts["redo.bytes_written_per_s"].number or 0.0) / threads
    minutes, factor = policy[MINUTES_PER_SWITCH], policy[PEAK_FACTOR]
    by_rate = -(-rate * minutes * 60 // 2**20)
    if not optimal and not by_rate:
        return None
    now = facts["redo.log_mb"].number or facts["redo.mb_per_switch"].number or 0.0
    if optimal >= by_rate:
        mb, why = optimal, "Oracle's optimal log size"
    else:
        mb, why = (
            by_rate,
            f"a switch every {minutes:.0f} minutes at {plain(rate / 2**20, 3)} MB/s written",
        )
        why += f" in each of {threads} threads" if threads > 1 else ""
        why += f"; Oracle asks for {optimal:,.0f} MB at least" if optimal else ""
    why += _now(facts)
    at_peak = -(-rate * factor * minutes * 60 // 2**20)
    peak = ""
    if at_peak > mb:
        lasts = mb * 2**20 / (rate * factor * 60)
        peak = (
            f" At a peak of {factor:g} times this rate (an assumption: the report prints no peak) "
            f"they last {lasts:.0f} minutes; {at_peak:,.0f} MB would last {minutes:.0f}."
        )
    return _Size(mb, why, peak, now)


def _now(facts: Mapping[str, Fact]) -> str:
    """How much a log holds when it switches now, and how soon."""
    filled = facts["redo.mb_per_switch"].number
    minutes = facts["redo.minutes_per_switch"].number
    if not filled or not minutes:
        return ""
    return f"; now {filled:,.0f} MB every {plain(minutes, 2)} minutes"


def _archiving(facts: Mapping[str, Fact]) -> str:
    """Larger logs only put off a wait for the archiver."""
    archive = facts["redo.archive_wait_s"].number or 0.0
    if not archive or archive * 2 < (facts["redo.log_switch_wait_s"].number or 0.0):
        return ""
    return (
        f" First the archiver: {archive:,.0f} s were waited for it; more processes "
        "(LOG_ARCHIVE_MAX_PROCESSES) or faster archive storage end them, larger logs put them off."
    )


def _to_read(facts: Mapping[str, Fact], policy: Policy, mb: float) -> str:
    """Redo that a crash recovery may have to read with logs of a size."""
    release, others = facts["database.release"].value, facts["redo.other_logs_mb"].number
    rule = limit_of(release if isinstance(release, str) else None)
    if not others and (rule is None or not rule.of_all_but_one):
        return f": up to {mb * policy[BEHIND_CHECKPOINT]:,.0f} MB of redo to read"
    share = f"{rule.share * 100:.0f} % of " if rule else ""
    now = f" (now {others:,.0f} MB)" if others else ""
    return f": it may read {share}all logs but one, {mb:,.0f} MB each{now}"


def _risks(facts: Mapping[str, Fact], policy: Policy, size: _Size | None) -> tuple[str, ...]:
    """Recovery after a crash, what is lost with a log, and when the archive has it."""
    target = facts["checkpoint.fast_start_mttr_target_s"].number
    target = target or facts["checkpoint.target_mttr_s"].number
    kept = f"FAST_START_MTTR_TARGET {f'({target:,.0f} s) bounds it' if target else 'is set'}"
    if applies.has(facts, "mttr_target") is False:
        kept = "LOG_CHECKPOINT_INTERVAL or LOG_CHECKPOINT_TIMEOUT bounds it"
    read = _to_read(facts, policy, size.mb) if size is not None and size.larger else ""
    archived = "A log is archived, and a standby fed by archives gets it, only when it is full"
    if applies.has(facts, "archive_lag_target") is False:
        archived += ": a job that runs ALTER SYSTEM ARCHIVE LOG CURRENT bounds that."
    else:
        archived += "; ARCHIVE_LAG_TARGET bounds that."
    return (f"Larger logs lengthen crash recovery{read}, unless {kept}.", archived)
