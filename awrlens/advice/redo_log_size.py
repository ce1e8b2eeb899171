"""The size of redo logs that the redo rate, Oracle's advice and the log buffer need.

Sources: Oracle Database Performance Tuning Guide (at most one log switch every 20 minutes;
OPTIMAL_LOGFILE_SIZE in V$INSTANCE_RECOVERY is a minimum).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.checkpoints import LAG_SHARE_PCT
from awrlens.policy import Threshold
from awrlens.records import NamedTuple
from awrlens.units import plain

if TYPE_CHECKING:
    from collections.abc import Callable

    from awrlens.advice.case import Case

MINUTES_PER_SWITCH: Final = Threshold(
    "logs.minutes_per_switch", 20.0, "min",
    "minutes that a redo log of the recommended size lasts at the report's redo rate",
    "Oracle Database Performance Tuning Guide: at most one log switch every 20 minutes",
)  # fmt: skip
PEAK_FACTOR: Final = Threshold(
    "logs.peak_factor", 3.0, "ratio",
    "peak redo rate as a multiple of the report's rate; an assumption, since reports have no peak",
    "awrlens: an assumption; V$LOG_HISTORY has the log switches of every hour",
)  # fmt: skip
LARGEST_MB: Final = Threshold(
    "logs.largest_mb", 32_768.0, "MB",
    "largest redo log that the rate of one interval suggests; Oracle's optimal size may be larger",
    "awrlens: a load test of minutes may suggest hundreds of GB; larger redo logs are archived and "
    "recovered late",
)  # fmt: skip
LOG_BUFFERS: Final = Threshold(
    "logs.log_buffers", 4.0, "ratio",
    "smallest advised redo log as a multiple of the log buffer",
    "awrlens: LGWR switches while the redo strands of the log buffer still need space in the redo "
    "log; a quarter of it at most",
)  # fmt: skip
#: Most threads have at most five groups.
_USUAL_OTHERS: Final = 4
#: Steps of sizes that one would type, in MB.
_STEP_MB: Final = 256
_GB_MB: Final = 1024


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
    step = _STEP_MB if mb <= 4 * _GB_MB else _GB_MB
    return -(-mb // step) * step


def in_words(mb: float) -> str:
    """A redo log size: MB below 1 GB, else GB."""
    return f"{mb:,.0f} MB" if mb < _GB_MB else f"{plain(mb / _GB_MB, 3)} GB"


def typed(mb: float) -> str:
    """The same size in SQL."""
    return f"{mb / _GB_MB:.0f}G" if mb % _GB_MB == 0 else f"{mb:.0f}M"


def switches_per_hour(get: Callable[[str], float | None], size_mb: float) -> tuple[float, bool]:
    """Log switches with redo logs of a size, and whether ARCHIVE_LAG_TARGET forces them."""
    by_size = (get("redo.bytes_written_per_s") or 0.0) * 3600 / (size_mb * 2**20)
    lag = get("redo.archive_lag_target_s")
    forced = 3600 / lag if lag else 0.0
    return max(by_size, forced), forced > by_size


def size_of(case: Case) -> LogSize | None:
    """The larger of Oracle's optimal size (a minimum) and the size that the redo rate needs."""
    optimal = case.or_zero("checkpoint.optimal_log_mb")
    rate = case.or_zero("redo.bytes_written_per_s") / case.threads
    minutes, factor = case.policy[MINUTES_PER_SWITCH], case.policy[PEAK_FACTOR]
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
    most = case.policy[LARGEST_MB]
    buffer, times = case.or_zero("redo.log_buffer_mb"), case.policy[LOG_BUFFERS]
    enough = max(optimal, min(by_rate, most))
    mb = rounded(max(enough, buffer * times))
    if optimal >= by_rate:
        why = f"Oracle's optimal redo log size is {optimal:,.0f} MB{_now(case, 'a log switch ')}."
    else:
        why = f"At {plain(rate / 2**20, 3)} MB/s of redo"
        why += f" per thread ({case.threads} threads)" if case.threads > 1 else ""
        if mb < by_rate:
            why += (
                f", {in_words(rounded(by_rate))} would last {minutes:.0f} min. {in_words(mb)} is "
                f"the largest size to take from one interval; it lasts {_lasts(mb, rate)}"
            )
        elif mb > now:
            why += f", a log switch then occurs every {_lasts(mb, rate)}"
        else:
            why += f", {in_words(mb)} is enough for a log switch every {minutes:.0f} min"
        why += f"{_now(case, '')}."
        why += f" Oracle's optimal size is at least {optimal:,.0f} MB." if optimal else ""
        elapsed_min = case.or_zero("load.elapsed_s") / 60
        if mb > now and 0 < elapsed_min < minutes:
            why += (
                f" The interval has only {plain(elapsed_min, 2)} min: first check with "
                "V$LOG_HISTORY how much redo other hours have."
            )
    if mb > rounded(enough):
        why += f" {in_words(mb)} is at least {times:g} times the log buffer ({in_words(buffer)})."
    why += _forced(case)
    at_peak = -(-rate * factor * minutes * 60 // 2**20)
    peak = ""
    if mb < at_peak <= most:
        larger = rounded(at_peak)
        peak = (
            f" At a peak of {factor:g} times this rate (an assumption: the report has no peak "
            f"rate), it occurs every {_lasts(mb, rate * factor)}; {in_words(larger)} would last "
            f"{_lasts(larger, rate * factor)}."
        )
    return LogSize(mb, why, peak, now)


def _lasts(mb: float, rate: float) -> str:
    """How long a redo log lasts at a redo rate in bytes per second."""
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
    if case.or_zero("redo.lag_share_pct") >= case.policy[LAG_SHARE_PCT]:
        lag = case.or_zero("redo.archive_lag_target_s")
        return f" But ARCHIVE_LAG_TARGET={lag:.0f} forces the switches: larger redo logs keep them."
    if not filled or not others or filled >= others / _USUAL_OTHERS:
        return ""
    known = case.get("redo.archive_lag_target_s") is not None
    what = "job or a backup" if known else "job, a backup or ARCHIVE_LAG_TARGET"
    text = (
        f" All redo logs but one have {others:,.0f} MB together, so unless there are many, they "
        "switch before they are full. Compare V$LOG.BYTES with V$ARCHIVED_LOG (BLOCKS × "
        f"BLOCK_SIZE). If a {what} forces the switches, larger redo logs alone do not help."
    )
    buffer, times = case.get("redo.log_buffer_mb"), case.policy[LOG_BUFFERS]
    if buffer is None:
        return (
            f"{text} If the redo strands of a large LOG_BUFFER do, redo logs must be at least "
            f"{times:g} times as large as it."
        )
    if buffer * times <= others / _USUAL_OTHERS:
        return text
    return (
        f"{text} The log buffer ({in_words(buffer)}) probably does: its redo strands need space in "
        f"a redo log, which must be at least {times:g} times as large."
    )
