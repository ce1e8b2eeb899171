"""What limits checkpoints besides the recovery target: other parameters, and the redo limit.

Rules report these limits, and the advice removes them: both must mean the same.

The redo limit is the maximum redo between the checkpoint and the end of redo, by redo log size and
release: V$INSTANCE_RECOVERY.LOG_FILE_SIZE_REDO_BLKS, "Log Sz RedoBlks" of Instance Recovery Stats.
Fast-Start Checkpointing Best Practices, "Upper Bound on MTTR", states it for 9i: 90 % of the
smallest redo log. Later releases show more than one redo log holds, and Oracle does not document
those limits. In every real report of 10.1 to 19c they correspond to a whole number of redo logs of
usual sizes: 90 % of all redo logs of the thread except one up to 10.2, then 81 % of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.lazy import NamedTuple
from awrlens.units import io_size, plain, release_of

if TYPE_CHECKING:
    from collections.abc import Callable


class Limit(NamedTuple):
    """The share of a size that recovery may have to read, and the size."""

    share: float
    #: Whether the size is all redo logs of the thread except one, rather than the smallest one.
    of_all_but_one: bool

    @property
    def words(self) -> str:
        """The limit in words, for a sentence."""
        if self.of_all_but_one:
            return f"{self.share * 100:.0f} % of all redo logs of the thread except one"
        return f"{self.share * 100:.0f} % of the smallest redo log"


SMALLEST: Final = Limit(0.9, of_all_but_one=False)
ALL_BUT_ONE: Final = Limit(0.9, of_all_but_one=True)
ALL_BUT_ONE_11G: Final = Limit(0.81, of_all_but_one=True)
#: First release of each limit, the latest first.
_SINCE: Final = ((11, ALL_BUT_ONE_11G), (10, ALL_BUT_ONE), (0, SMALLEST))


def limit_of(release: str | None) -> Limit | None:
    """The limit of a release (``11.2.0.4.0``); None if the release is not known."""
    version = release_of(release)
    return next((limit for since, limit in _SINCE if version and version[0] >= since), None)


#: Start-up and opening of the files in fewer seconds are none. In real reports, an idle instance
#: has an estimate of 8 s or more, unless Oracle leaves both out, as in RAC: then of 0 to 2 s.
LEAST_START_S: Final = 5.0

#: `checkpoint.target_set` if FAST_START_MTTR_TARGET is set to 0 and so automatic tuning is off.
OFF: Final = "off"

#: Why there is no estimate if Instance Recovery Stats shows 0 for it.
NOT_ESTIMATED: Final = "Oracle did not estimate the recovery time (0 in the report)"

#: Why none of two estimates is judged: nothing explains the higher one.
CONTRADICT: Final = "Oracle's estimates contradict each other"

#: Oracle does not aim at fewer dirty blocks.
#: # Fast-Start Checkpointing Best Practices, "Lower Bound on MTTR"
LEAST_DIRTY_BLOCKS: Final = 1000

#: Instance Recovery Stats and LOG_CHECKPOINT_INTERVAL count redo blocks of this size.
REDO_BLOCK_B: Final = 512
MB: Final = 2**20
#: Sizes below it are shown with two digits.
_FEW_MB: Final = 10
#: Parameters that conflict with fast-start checkpointing, and their facts.
#: # Fast-Start Checkpointing Best Practices, "Fast-Start Checkpointing"
PARAMETERS: Final = {
    "LOG_CHECKPOINT_INTERVAL": "checkpoint.log_checkpoint_interval",
    "LOG_CHECKPOINT_TIMEOUT": "checkpoint.log_checkpoint_timeout_s",
    "FAST_START_IO_TARGET": "checkpoint.fast_start_io_target",
    "DB_BLOCK_MAX_DIRTY_TARGET": "checkpoint.db_block_max_dirty_target",
}


def conflicting(
    number: Callable[[str], float | None], limit: object, default_timeout_s: float
) -> list[str]:
    """The parameters that are set, by the numbers of their facts.

    The default of LOG_CHECKPOINT_TIMEOUT counts only if ``limit``, which drives checkpoints, is the
    timeout.
    """
    names = [name for name, fact in PARAMETERS.items() if (number(fact) or 0) > 0]
    timeout = number(PARAMETERS["LOG_CHECKPOINT_TIMEOUT"])
    if timeout == default_timeout_s and limit != "timeout":
        names.remove("LOG_CHECKPOINT_TIMEOUT")
    return names


def lag_pct(get: Callable[[str], float | None]) -> float | None:
    """The redo after the checkpoint as a share of its limit, at the end snapshot."""
    actual, limit = get("checkpoint.actual_redo_blocks"), get("checkpoint.target_redo_blocks")
    return None if actual is None or not limit else 100 * actual / limit


class RedoLimit(NamedTuple):
    """A parameter that limits the redo after the checkpoint: as it is set, and the redo."""

    setting: str
    mb: float
    #: The redo of the timeout is that at a redo rate.
    at: str = ""

    @property
    def size(self) -> str:
        """The redo that it allows."""
        if self.mb < 1:
            return io_size(self.mb * MB)
        return f"{plain(self.mb, 2) if self.mb < _FEW_MB else f'{self.mb:,.0f}'} MB"

    @property
    def words(self) -> str:
        """The setting and its redo."""
        return f"{self.setting} ({self.size} of redo{self.at})"


def redo_limits(get: Callable[[str], float | None]) -> list[RedoLimit]:
    """The parameters in the report that limit the redo after the checkpoint, the lowest first."""
    interval = get(PARAMETERS["LOG_CHECKPOINT_INTERVAL"])
    timeout_s, rate = get(PARAMETERS["LOG_CHECKPOINT_TIMEOUT"]), get("redo.bytes_per_s")
    limits = []
    if interval and interval > 0:
        limits.append(
            RedoLimit(f"LOG_CHECKPOINT_INTERVAL={interval:.0f}", interval * REDO_BLOCK_B / MB)
        )
    if timeout_s and timeout_s > 0 and rate:
        setting = f"LOG_CHECKPOINT_TIMEOUT={timeout_s:.0f}"
        limits.append(RedoLimit(setting, timeout_s * rate / MB, " at the average redo rate"))
    elif timeout_s is None and (blocks := get("checkpoint.timeout_redo_blocks")):
        setting, at = "the default of LOG_CHECKPOINT_TIMEOUT", " at the rate of the end snapshot"
        limits.append(RedoLimit(setting, blocks * REDO_BLOCK_B / MB, at))
    return sorted(limits, key=lambda limit: limit.mb)
