"""Redo logs: the size that the redo rate needs, and what larger redo logs cost.

Sources: Oracle Database Performance Tuning Guide (at most one log switch every 20 minutes;
OPTIMAL_LOGFILE_SIZE in V$INSTANCE_RECOVERY is a minimum); Fast-Start Checkpointing Best Practices,
"Upper Bound on MTTR" (recovery reads at most 90 % of the smallest redo log; later releases:
awrlens.oracle.checkpoints); Write Accelerator (very large redo logs for many small writes).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.advice import features
from awrlens.advice.case import AFTER, advice, backup_alone, mb_in_words, starved
from awrlens.advice.queries import query, texts
from awrlens.advice.undo import by_temporary_tables
from awrlens.lazy import NamedTuple
from awrlens.model import Impact, Recommendation, Sign
from awrlens.oracle.checkpoints import MB, PARAMETERS, REDO_BLOCK_B, limit_of, redo_limits
from awrlens.units import plain

if TYPE_CHECKING:
    from collections.abc import Callable

    from awrlens.advice.case import Case


#: Most threads have at most five groups.
_USUAL_OTHERS: Final = 4
#: Oracle Data Guard Concepts and Administration, "Configuring Standby Redo Logs".
_STANDBY_LOGS: Final = texts("standby redo logs")[0]
_TIMEOUT: Final = "LOG_CHECKPOINT_TIMEOUT"
_ROLLBACK: Final = texts("back to the old redo logs")
_DROP_NEW: Final = "ALTER DATABASE DROP LOGFILE GROUP <new>;"


class LogSize(NamedTuple):
    """A redo log size in MB as one would type it, the reason, and how long it lasts at peak."""

    mb: float
    why: str
    peak: str
    #: The present size, or the redo per log switch; 0 if neither is in the report.
    now_mb: float

    @property
    def larger(self) -> bool:
        """Whether the size is larger than the present one."""
        return self.mb > self.now_mb


def rounded(mb: float) -> float:
    """A size that one would type: the next 256 MB up to 4 GB, above that the next GB."""
    step_mb = 256 if mb <= 4 * 1024 else 1024
    return -(-mb // step_mb) * step_mb


def switches_per_hour(get: Callable[[str], float | None], size_mb: float) -> tuple[float, bool]:
    """Log switches with redo logs of a size, and whether ARCHIVE_LAG_TARGET forces them."""
    by_size = (get("redo.bytes_written_per_s") or 0.0) * 3600 / (size_mb * 2**20)
    lag = get("redo.archive_lag_target_s")
    forced = 3600 / lag if lag else 0.0
    return max(by_size, forced), forced > by_size


def size_of(case: Case) -> LogSize | None:
    """The size for the interval; of two periods, for that which needs the larger redo logs."""
    size = _size(case)
    first = None if case.before is None else _size(case._replace(facts=case.before))
    if size is None or first is None or first.mb <= size.mb or not size.larger:
        return size
    why = first.why.replace("(now ", "(there ")
    return first._replace(why=f"The first period needs more: {why}", now_mb=size.now_mb)


def _size(case: Case) -> LogSize | None:
    """The larger of Oracle's optimal size (a minimum) and the size that the redo rate needs."""
    optimal = case.or_zero("checkpoint.optimal_log_mb")
    rate = case.or_zero("redo.bytes_written_per_s") / case.threads
    minutes, factor = case.policy["logs.minutes_per_switch"], case.policy["logs.peak_factor"]
    by_rate = -(-rate * minutes * 60 // 2**20)
    if not optimal and not by_rate:
        return None
    now = case.get("redo.log_mb") or case.or_zero("redo.mb_per_switch")
    between = case.or_zero("redo.minutes_per_switch")
    if now and between >= minutes and optimal <= now:
        why = (
            f"Redo logs switch only every {plain(between, 2)} min, after {now:,.0f} MB: more "
            "groups, not larger ones, give the checkpoint and the archiver more time."
        )
        return LogSize(now, why, "", now)
    most, times = case.policy["logs.largest_mb"], case.policy["logs.log_buffers"]
    buffer = case.or_zero("redo.log_buffer_mb")
    enough = max(optimal, min(by_rate, most))
    mb = rounded(max(enough, buffer * times))
    if optimal >= by_rate:
        why = f"Oracle's optimal redo log size is {optimal:,.0f} MB{_now(case, 'a log switch ')}."
    else:
        per_thread = f" per thread ({case.threads} threads)" if case.threads > 1 else ""
        then = f"{mb_in_words(mb)} is enough for a log switch every {minutes:.0f} min"
        if mb < by_rate:
            then = (
                f"{mb_in_words(rounded(by_rate))} would last {minutes:.0f} min. {mb_in_words(mb)} "
                f"is the largest size to take from one interval; it lasts {_lasts(mb, rate)}"
            )
        elif mb > now:
            then = f"a log switch then occurs every {_lasts(mb, rate)}"
        why = f"At {plain(rate / 2**20, 3)} MB/s of redo{per_thread}, {then}{_now(case, '')}."
        why += f" Oracle's optimal size is at least {optimal:,.0f} MB." if optimal else ""
        elapsed_min = case.or_zero("load.elapsed_s") / 60
        if mb > now and 0 < elapsed_min < minutes:
            why += (
                f" The interval has only {plain(elapsed_min, 2)} min: first check with "
                "V$LOG_HISTORY how much redo other hours have."
            )
    if mb > rounded(enough):
        size = mb_in_words(mb)
        why += f" {size} is at least {times:g} times the log buffer ({mb_in_words(buffer)})."
    at_peak = -(-rate * factor * minutes * 60 // 2**20)
    peak, larger = "", rounded(at_peak)
    if mb < at_peak <= most:
        peak = (
            f" At a peak of {factor:g} times this rate (an assumption: the report has no peak "
            f"rate), it occurs every {_lasts(mb, rate * factor)}; {mb_in_words(larger)} would last "
            f"{_lasts(larger, rate * factor)}."
        )
    return LogSize(mb, f"{why}{_forced(case)}", peak, now)


def _lasts(mb: float, rate: float) -> str:
    return f"{mb * 2**20 / (rate * 60):.0f} min"


def _now(case: Case, event: str) -> str:
    """How often the redo logs switch now, and after how much redo."""
    filled, minutes = case.get("redo.mb_per_switch"), case.get("redo.minutes_per_switch")
    if not filled or not minutes:
        return ""
    often = f"{minutes * 60:.0f} s" if minutes < 2 else f"{plain(minutes, 2)} min"  # noqa: PLR2004
    return f" (now {event}every {often}, after {filled:,.0f} MB)"


def _forced(case: Case) -> str:
    """Redo logs that switch before they are full; larger ones then do not help."""
    filled, others = case.get("redo.mb_per_switch"), case.get("redo.other_logs_mb")
    if case.or_zero("redo.lag_share_pct") >= case.policy["redo.lag_share_pct"]:
        lag = case.or_zero("redo.archive_lag_target_s")
        return f" But ARCHIVE_LAG_TARGET={lag:.0f} forces the switches: larger redo logs keep them."
    if not filled or not others or filled >= others / _USUAL_OTHERS:
        return ""
    has_lag_target = case.get("redo.archive_lag_target_s") is not None
    what = "job or a backup" if has_lag_target else "job, a backup or ARCHIVE_LAG_TARGET"
    text = (
        f" All redo logs but one have {others:,.0f} MB together, so unless there are many, they "
        "switch before they are full. Compare V$LOG.BYTES with V$ARCHIVED_LOG (BLOCKS × "
        f"BLOCK_SIZE). If a {what} forces the switches, larger redo logs alone do not help."
    )
    buffer, times = case.get("redo.log_buffer_mb"), case.policy["logs.log_buffers"]
    if buffer is None:
        does = "If the redo strands of a large LOG_BUFFER do"
    elif buffer * times > others / _USUAL_OTHERS:
        does = f"The redo strands of the log buffer ({mb_in_words(buffer)}) probably do"
    else:
        return text
    return f"{text} {does}: redo logs must be at least {times:g} times as large as it."


@advice(
    "enlarge-redo-logs", "online", "low", answers=("REDO004", "REDO005", "REDO007", "CKPT001"),
    also=("CKPT006",), ends=("redo.log_switch_wait_s",),
    sign=Sign("redo.mb_per_switch", "MB of redo per log switch", rises=True),
    short="larger redo logs",
)  # fmt: skip
def enlarge_redo_logs(case: Case) -> Recommendation | None:
    """Add redo log groups, larger ones if the redo rate needs them.

    None if only switches are slow, and larger ones would not make them rarer, or few sessions wait
    for them and the whole storage is slow.
    """
    size = size_of(case)
    larger, benefit = size is None or size.larger, _benefit(case, size)
    storage = case.fired("REDO014") and not case.at_least("warning", "REDO004")
    is_timed = case.get("checkpoint.incomplete_wait_s") is not None
    if is_timed and (storage or not larger) and not case.fired("REDO005", "REDO007", "CKPT001"):
        return None
    urgent = case.at_least("warning", *enlarge_redo_logs.declared.answers)
    saved, waited_s = benefit.pct_db_time, case.get("redo.log_switch_wait_s")
    if saved is None and waited_s is not None and not starved(case):
        saved = case.scale.share(waited_s)  # at most
    little = saved is not None and saved < case.policy["logs.worth_pct"] and not urgent
    if little and not case.fired("REDO007"):  # rare switches
        title, why = "Larger redo logs: no benefit", "Sessions hardly wait for log switches."
        return Recommendation(title, why, "no-benefit", benefit=benefit)
    done = "so that the checkpoint and archiving finish before a group is reused"
    heads = any(finding.id == "CKPT001" for finding in case.findings[:1])
    if larger and not heads and case.or_zero("redo.log_switch_wait_s") > 2 * _until_reused_s(case):
        done = "so that log switches, and the waits at each of them, are rarer"
    if size is None:
        title, in_sql = "Enlarge the redo logs", "<larger than now>"
        action = f"Add larger redo log groups, {done}."
    else:
        mb = max(size.mb, size.now_mb)
        title = f"Add redo log groups of {mb_in_words(mb)}"
        in_sql = f"{mb / 1024:.0f}G" if mb % 1024 == 0 else f"{mb:.0f}M"
        same = "" if size.larger else ", the present size"
        if not size.larger and case.get("redo.log_mb") is None:
            # the redo of a switch may be less than the size of the log
            title, in_sql, same = "Add redo log groups of the present size", "<present size>", ""
        action = f"{title}{same}, at least {_LEAST_GROUPS} per thread, {done}. {size.why}"
    archive_s = case.or_zero("redo.archive_wait_s")
    if archive_s and archive_s * 2 >= case.or_zero("redo.log_switch_wait_s"):
        action += (
            f" First speed up archiving: sessions waited {archive_s:,.0f} s for the archiver. More "
            "processes (LOG_ARCHIVE_MAX_PROCESSES) or faster archive storage fixes this; larger "
            "redo logs only postpone it."
        )
    (area, room), (files, multiplexed) = _room(case, size), _members(case)
    has_standby = case.value("integrity.standby") not in (None, "none")
    has_standby &= features.has(case.facts, "standby logfile") is not False
    # every thread of a cluster has to switch
    one = case.threads == 1 and not case.request.rac
    add = f"LOGFILE {'' if one else 'THREAD <thread> '}GROUP <new> {files} SIZE {in_sql};"
    commands = ["SELECT group#, thread#, bytes/1048576 mb, members, status FROM v$log;",
                query("switches_by_hour"), f"ALTER DATABASE ADD {add}"]  # fmt: skip
    commands += [f"ALTER DATABASE ADD STANDBY {add}"] if has_standby else []
    if larger:
        action += (
            f"{size.peak if size else ''} Then switch redo logs, and drop each old group when "
            "V$LOG shows it as INACTIVE and archived: as long as the small groups are in use, they "
            "switch as often as now."
        )
        commands += [
            f"ALTER SYSTEM {'SWITCH LOGFILE' if one else 'ARCHIVE LOG CURRENT'};",
            "ALTER SYSTEM CHECKPOINT;",
            "SELECT group#, thread#, status, archived FROM v$log;",
            "ALTER DATABASE DROP LOGFILE GROUP <old group>;",
        ]
        commands += ["ALTER DATABASE DROP STANDBY LOGFILE GROUP <old group>;"] * has_standby
    asked = tuple(f"{text} {_with_less_redo(case, size)}" for text in at_source(case))
    limit = next(iter(redo_limits(case.get)), None)
    default = case.get(PARAMETERS[_TIMEOUT]) in (None, case.policy["checkpoint.default_timeout_s"])
    if limit and size and limit.mb < size.mb and size.larger and not (limit.at and default):
        # Statspack 8.1.7 reports 01 and 04 switch after 6 and 8 MB, their interval is 49 MB
        beyond = f"Redo logs beyond {limit.size}{limit.at} save switches only"
        asked = (*asked, f"{beyond} ({limit.setting}).")
    seconds = round(benefit.seconds or 0.0)
    only = f" (saves {f'only {seconds:,} s' if seconds else 'no time'})" if little else ""
    return Recommendation(
        f"{title}{area}{only}",
        action, commands=tuple(commands), rollback=_ROLLBACK if larger else (_DROP_NEW,),
        benefit=benefit, risks=_risks(case, size),
        prerequisites=("space for the new redo logs, on the same kind of storage",
                       *room, multiplexed, *([_STANDBY_LOGS] if has_standby else [])),
        validate=("no `log file switch (…)` among the foreground events", AFTER),
        asked=asked,
    )  # fmt: skip


def _with_less_redo(case: Case, size: LogSize | None) -> str:
    """That smaller redo logs are enough then, down to what the log buffer needs.

    AWR 19.0.0.0.0-rac_01: logs of 162 MB, and a log buffer of 483 MB.
    """
    least_mb = case.or_zero("redo.log_buffer_mb") * case.policy["logs.log_buffers"]
    near = size is not None and 2 * least_mb > size.mb
    floor = f" ({mb_in_words(least_mb)} or more)" if near else ""
    return f"With less redo, smaller logs{floor} are enough."


def at_source(case: Case) -> tuple[str, ...]:
    """What generates most of the redo, which can be reduced before larger or faster devices."""
    source = case.value("redo.source")
    said = f"{source}: reduce it at the source first." if source else by_temporary_tables(case)
    return (said,) if said else ()


def _until_reused_s(case: Case) -> float:
    """Seconds that sessions waited because the next group was not free; more groups reduce them."""
    return case.or_zero("checkpoint.incomplete_wait_s") + case.or_zero("redo.archive_wait_s")


def _benefit(case: Case, size: LogSize | None) -> Impact:
    """The waits that the change removes: more groups do not shorten the switch itself."""
    if not case.fired("REDO004", "CKPT001"):
        return case.impact("REDO005")
    if backup_alone(case) or (starved(case) and not case.fired("CKPT001")):
        return Impact(None, None, "not quantified: a backup, or waits for CPU, slows all waits")
    larger = size is None or size.larger
    switch, now = case.get("redo.log_switch_wait_s"), case.get("redo.log_switches_per_hour")
    causes = ("checkpoint.incomplete_wait_s", "redo.archive_wait_s")
    if switch and larger and size is not None and now:
        left = min(switches_per_hour(case.get, size.mb)[0] / now, 1.0)
        return case.scale.impact(
            switch * (1 - left),
            "foreground `log file switch` events, in proportion to the log switches: "
            f"{plain(left * 100, 2)} % of them remain",
        )
    if switch and (larger or all(case.get(cause) is None for cause in causes)):
        return case.scale.impact(switch, "all foreground `log file switch` events")
    return case.scale.impact(
        _until_reused_s(case), "`log file switch` for incomplete checkpoints and for archiving"
    )


#: A thread needs at least as many groups for a checkpoint to end before one is reused.
_LEAST_GROUPS: Final = 3


def _room(case: Case, size: LogSize | None) -> tuple[str, tuple[str, ...]]:
    """The fast recovery area if it is too small for the groups: by default, it has one member."""
    area_mb = case.or_zero("redo.recovery_area_b") / 2**20
    groups_mb = 0.0 if size is None else _LEAST_GROUPS * max(size.mb, size.now_mb)
    if not 0 < area_mb < groups_mb:
        return "", ()
    area = mb_in_words(area_mb)
    need = (
        f"if members are in the fast recovery area: {_LEAST_GROUPS} groups take "
        f"{mb_in_words(groups_mb)}, but DB_RECOVERY_FILE_DEST_SIZE is {area}; enlarge it, or add "
        "smaller groups"
    )
    return f" (enlarge the recovery area of {area} if they are in it)", (need,)


_ALONE: Final = "; the redo logs seem not multiplexed: add a second unless the disks are mirrored"


def _members(case: Case) -> tuple[str, str]:
    """The members of a new group, as many as the present groups have, and a note on them."""
    members = case.get("redo.members")
    if not members:
        return "(<files>)", texts("members of new redo logs")[0]
    number = round(members)
    files = ", ".join(f"'<file {n + 1}>'" for n in range(number))
    many = "one member" if number == 1 else f"{number} members"
    disks = ", on the disks in V$LOGFILE" if number > 1 else _ALONE
    return f"({files})", (
        f"{many} in every new group, as LGWR writes now (check V$LOG.MEMBERS){disks}"
    )


def _risks(case: Case, size: LogSize | None) -> tuple[str, ...]:
    """What the redo logs cost: a longer crash recovery, and of larger ones later archiving."""
    target = case.get("checkpoint.fast_start_mttr_target_s") or case.get("checkpoint.target_mttr_s")
    kept = f"FAST_START_MTTR_TARGET {f'({target:,.0f} s) limits it' if target else 'is set'}"
    limit, rule = next(iter(redo_limits(case.get)), None), limit_of(case.release)
    if features.has(case.facts, "fast_start_mttr_target") is False:
        lower = "a lower " if limit else ""
        kept = f"{lower}LOG_CHECKPOINT_INTERVAL or LOG_CHECKPOINT_TIMEOUT limits it"
    others = case.get("redo.other_logs_mb")
    # up to 9.2, one redo log limits the recovery
    of_one = not others and (rule is None or not rule.of_all_but_one)
    share = f"{rule.share * 100:.0f} % of " if rule else ""
    if size is not None and not size.larger:
        if of_one:
            return ("None: groups of the present size only need disk space.",)
        read = f"{share}all redo logs except one"
        return (
            f"More redo log groups lengthen crash recovery, which may read {read}, unless {kept}.",
        )
    read = ""
    if size is not None and of_one:
        behind_mb = size.mb * case.policy["logs.behind_checkpoint"]
        read = f": up to {mb_in_words(behind_mb)} of redo to read"
    elif size is not None:
        now = f" (now {mb_in_words(others)} in total)" if others else ""
        read = f": it may read {share}all redo logs except one, {mb_in_words(size.mb)} each{now}"
    longer = f"Larger redo logs lengthen crash recovery{read}, unless {kept}."
    if limit and size and rule and limit.mb < rule.share * size.mb * (1 if of_one else 2):
        longer = (
            f"Larger redo logs lengthen crash recovery to {limit.size} of redo to read{limit.at}, "
            f"if DBWR keeps up: {limit.setting} limits it"
        )
        actual_mb = case.or_zero("checkpoint.actual_redo_blocks") * REDO_BLOCK_B / MB
        longer += ", FAST_START_MTTR_TARGET may limit it more" * kept.startswith("FAST")
        kept_up = actual_mb <= limit.mb or limit.at
        longer += "." if kept_up else f" (at the end snapshot, it is {actual_mb:,.0f} MB)."
    high = case.get("checkpoint.estimated_mttr_high_s")
    if high is not None and not target and case.value("checkpoint.binding_limit") == "log_size":
        longer += f" Their size limits it to about {high:,.0f} s now."
    delay = "ARCHIVE_LAG_TARGET"
    if features.has(case.facts, "archive_lag_target") is False:
        delay = "a job that runs ALTER SYSTEM ARCHIVE LOG CURRENT"
    return longer, (
        "A redo log is archived, and shipped to a standby that applies archived logs, only when "
        f"it is full; {delay} limits the delay."
    )
