"""Verdict on a recovery: in time, at the lower bound, or a bottleneck.

Source: Fast-Start Checkpointing Best Practices, "Determine the MTTR Achieved" and "If MTTR is too
High".
"""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING, Final

from awrlens.policy import Threshold
from awrlens.records import NamedTuple

if TYPE_CHECKING:
    from awrlens.model.recovery_document import Judgement
    from awrlens.policy import Policy
    from awrlens.recovery.alertlog import Event
    from awrlens.recovery.bottleneck import Bottleneck
    from awrlens.recovery.episodes import Episodes, Recovery
    from awrlens.recovery.same_database import Owner

FEW_SECONDS = Threshold(
    "recovery.few_seconds", 5.0, "s",
    "a recovery that exceeds the desired time by at most this is in time",
    'awrlens: Fast-Start Checkpointing Best Practices says "within a few seconds"; start and end '
    "are exact to a second",
)  # fmt: skip
THRESHOLDS: Final = (FEW_SECONDS,)


class Wanted(NamedTuple):
    """The caller's input: the desired recovery time, the target, two numbers of a report."""

    desired_s: float | None = None
    target_s: float | None = None
    #: ESTIMATED_MTTR and TARGET_MTTR of V$INSTANCE_RECOVERY, as in a report.
    estimated_mttr_s: float | None = None
    kept_target_s: float | None = None
    #: The database of that report.
    owner: Owner | None = None
    #: What limits recovery in that report.
    bottleneck: Bottleneck | None = None
    #: All logs that the runs of a crash test are in, if there are several.
    logs: tuple[Episodes, ...] = ()


class Offsets(NamedTuple):
    """Start-up and opening, medians of all starts; None is not known.

    A surviving instance does neither.
    """

    #: From the start until the data files are opened; corresponds to INIT_TIME_AVG.
    init_s: float | None
    #: Opening without recovery: FOPEN_TIME_AVG per file, and other work of opening.
    open_s: float | None

    @property
    def total_s(self) -> float:
        """Both, as far as known."""
        return (self.init_s or 0.0) + (self.open_s or 0.0)


class Judged(NamedTuple):
    """One recovery: achieved and desired time, and the verdict."""

    achieved_s: float | None
    desired_s: float | None
    verdict: Judgement
    why: str


def offsets(episodes: Episodes) -> Offsets:
    """INIT and FOPEN of the starts in a log.

    # Fast-Start Checkpointing Best Practices, "Determining FAST_START_MTTR_TARGET in a RAC
    # Environment"
    The median, because a manual start may pause between its steps.
    """
    numbers = range(len(episodes.starts))
    inits = [s for n in numbers if (s := init_s(n, episodes)) is not None]
    opens = [s for n in numbers if (s := open_s(n, episodes)) is not None]
    return Offsets(median(inits) if inits else None, median(opens) if opens else None)


def init_s(number: int, episodes: Episodes) -> float | None:
    """Seconds from the start until the database is mounted."""
    start = episodes.starts[number]
    startup, mount = start.startup.seconds, start.mount.seconds
    return None if startup is None or mount is None else startup + mount


def open_s(number: int, episodes: Episodes) -> float | None:
    """Seconds to open the database, without recovery."""
    start = episodes.starts[number]
    if start.open.seconds is None:
        return None
    if start.recovery is None:
        return start.open.seconds
    spent = episodes.recoveries[start.recovery].whole.seconds
    return None if spent is None else max(0.0, start.open.seconds - spent)


def judge(
    recovery: Recovery, episodes: Episodes, wanted: Wanted, known: Offsets, policy: Policy
) -> Judged:
    """Whether one recovery was in time, and if not, why not."""
    achieved = achieved_s(recovery, episodes)
    if achieved is None:
        return Judged(None, None, "not-judged", "the end of this recovery is not in the log")
    desired, basis = _desired(recovery, wanted, known)
    if desired is None:
        return Judged(achieved, None, "not-judged", basis)
    over = achieved - desired
    if over <= policy[FEW_SECONDS]:
        margin = f"{-over:.0f} s less than" if over <= 0 else f"{over:.0f} s more than"
        exact = "exactly" if over == 0 else margin
        return Judged(achieved, desired, "within", f"{exact} {basis}")
    much = f"{over:.0f} s more than {basis}"
    bound = lower_bound(recovery, episodes, wanted, known)
    if bound is not None and bound.lowest_s > desired:
        beyond = achieved - bound.lowest_s
        if beyond <= policy[FEW_SECONDS]:
            return Judged(
                achieved, desired, "lower-bound", f"{much}; the lower bound is reached: {bound.why}"
            )
        said = f"; {bound.why}, and even this is exceeded by {beyond:.0f} s: there is a bottleneck"
    elif bound is not None:
        said = f"; {bound.why}, which does not explain it: there is a bottleneck"
    else:
        said = ", and `out of the valid MTTR range` is not in the log: there is a bottleneck"
    why = f"{much}{said}{_longest(recovery, episodes)}"
    return Judged(achieved, desired, "bottleneck", why)


def _longest(recovery: Recovery, episodes: Episodes) -> str:
    """The longest part of a recovery, in words; empty if it is not in the log."""
    parts = {"the first pass": recovery.scan.seconds, "the second pass": recovery.apply.seconds}
    if recovery.start is not None and recovery.start < len(episodes.starts):
        parts["start-up and mounting"] = init_s(recovery.start, episodes)
        parts["opening"] = open_s(recovery.start, episodes)
    known = {name: seconds for name, seconds in parts.items() if seconds}
    if not known:
        return ""
    name = max(known, key=lambda each: known[each])
    return f"; {name} took {known[name]:.0f} s of this"


def achieved_s(recovery: Recovery, episodes: Episodes) -> float | None:
    """Crash recovery: from the start of the instance to its opening. Instance recovery: itself.

    If start or opening is not in the log, the recovery itself.
    """
    if recovery.start is not None and recovery.start < len(episodes.starts):
        whole = episodes.starts[recovery.start].whole.seconds
        if whole is not None:
            return whole
    return recovery.whole.seconds


def _desired(recovery: Recovery, wanted: Wanted, known: Offsets) -> tuple[float | None, str]:
    """The desired time, and its meaning."""
    if wanted.desired_s is not None:
        return wanted.desired_s, f"the desired MTTR of {wanted.desired_s:.0f} s"
    target = wanted.target_s if wanted.target_s is not None else recovery.target_s
    if target is None:
        return None, "no desired recovery time is given, and the target is not in the log"
    if target == 0:
        return None, "FAST_START_MTTR_TARGET was not set, and no desired recovery time is given"
    if recovery.kind == "crash":
        return float(target), f"the target of {target:.0f} s"
    # Fast-Start Checkpointing Best Practices, "Monitoring MTTR in a RAC Environment": a surviving
    # instance neither starts nor opens files
    if known.init_s is None and known.open_s is None:
        whole = f"the target of {target:.0f} s, which includes start-up and opening of the files"
        return float(target), f"{whole} (not in the log)"
    rest_s = max(0.0, target - known.total_s)
    return rest_s, f"the target minus start-up and opening of {rest_s:.0f} s"


def bound_before(recovery: Recovery, episodes: Episodes) -> Event | None:
    """The last `out of the valid MTTR range` in the log before a recovery."""
    begin = recovery.begin
    events = episodes.log.events
    last = events.index(begin) if begin in events else len(events)
    return next((e for e in reversed(events[:last]) if e.kind == "target_range"), None)


class Bound(NamedTuple):
    """The lowest recovery time that Oracle can keep, by a target that it named."""

    lowest_s: float
    target_s: float
    why: str


def lower_bound(
    recovery: Recovery, episodes: Episodes, wanted: Wanted, known: Offsets
) -> Bound | None:
    """The lowest achievable time, by the log or a report; None if neither has it.

    A surviving instance neither starts nor opens files: its bound is lower by this time.
    """
    said = bound_before(recovery, episodes)
    if said is not None and said.number("used"):
        target_s, place = said.number("used") or 0.0, f"line {said.line}"
    elif wanted.kept_target_s is not None:
        target_s, place = wanted.kept_target_s, "the report's TARGET_MTTR"
    else:
        return None
    text = f"by {place}, {target_s:.0f} s is the lowest achievable target"
    extra = known.total_s if recovery.kind == "instance" else 0.0
    if not extra:
        return Bound(target_s, target_s, text)
    lowest_s = max(0.0, target_s - extra)
    return Bound(lowest_s, target_s, f"{text}, {lowest_s:.0f} s without start-up and opening")
