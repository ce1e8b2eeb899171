"""How much a wait matters: how many sessions wait, and how slow each wait is for its size.

The share of DB time alone is misleading in two ways. Slow commits hold locks longer, so DB time
grows faster than the commit wait, and the share shrinks as the database gets worse. On a nearly
idle instance, very few waits are a large share. So severity needs two numbers, and the share
supports the first:

* how many: waited seconds / (elapsed seconds × instances) = sessions waiting on average;
* how slow: milliseconds per wait, minus the time that its size explains.

Rules and storage verdicts use the same weighing, so every change that a verdict recommends has a
finding that explains it. A wrong clock, a very long interval or no load make a report show little.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.lazy import NamedTuple, lazy
from awrlens.model import SEVERITIES, Impact, Severity, Weight, base_of_shares
from awrlens.policy import Policy
from awrlens.units import io_size, ms_words, plain

if TYPE_CHECKING:
    from collections.abc import Mapping

    from awrlens.model import Fact


#: Intervals from this number of hours on are shown in days.
_DAYS_H: Final = 48
_HOUR_S: Final = 3600


def clock_doubt(facts: Mapping[str, Fact], policy: Policy) -> str:
    """Why the times of a report are not reliable; empty if it does not show that.

    PMON sleeps all the time. If its waits are a part of the interval, TIMED_STATISTICS was off for
    the rest; if they are several times the interval, the clock of the waits is wrong.
    """
    timed = _number(facts, "load.timed_pct")
    if is_undertimed(facts, policy):
        return f"waits were timed for only {timed:.0f} % of the interval"
    if timed is None or timed <= policy["impact.overtimed_pct"]:
        return ""
    return f"`pmon timer` waits {timed / 100:.1f} times the interval, so all waits seem too long"


def is_undertimed(facts: Mapping[str, Fact], policy: Policy) -> bool:
    """Whether TIMED_STATISTICS was off for most of the interval: waits are longer than printed."""
    timed = _number(facts, "load.timed_pct")
    return timed is not None and timed < policy["impact.timed_pct"]


def _number(facts: Mapping[str, Fact], name: str) -> float | None:
    fact = facts.get(name)
    return None if fact is None else fact.number


def long_interval(facts: Mapping[str, Fact], policy: Policy) -> str:
    """The length of an interval whose averages hide peaks, in words; empty if it is shorter."""
    elapsed, peak = facts["load.elapsed_s"].number, facts.get("load.addm_peak")
    low = peak is not None and peak.about == "low peak"  # nothing is hidden
    if elapsed is None or elapsed <= policy["confidence.long_interval_s"] or low:
        return ""
    hours = elapsed / _HOUR_S
    return f"{plain(hours)} h" if hours < _DAYS_H else f"{plain(hours / 24)} days"


def idle(facts: Mapping[str, Fact], policy: Policy) -> str:
    """The average active sessions of an almost idle interval, in words; empty if it has a load.

    A DB time of 0 is a column without figures.
    """
    sessions = facts["load.average_active_sessions"].number
    if not sessions or sessions >= policy["confidence.idle_sessions"]:
        return ""
    return f"{plain(sessions, 3)} average active sessions"


#: Thresholds of the levels 1 to 3: of sessions, of their share of DB time, of the time of a wait;
#: and of the sessions from which on their share counts.
_LEVELS: Final = (
    ("impact.waiting_sessions", "impact.several_sessions", "impact.many_sessions"),
    ("impact.info_pct", "impact.warning_pct", "impact.critical_pct"),
    ("impact.slow_ms", "impact.slower_ms", "impact.slowest_ms"), ("impact.share_sessions",),
)  # fmt: skip
#: Severity by number of waiting sessions (row) and slowness of each wait (column), 0 to 3 each.
_TABLE: Final[tuple[tuple[Severity, ...], ...]] = (
    ("ok", "ok", "ok", "ok"),
    ("ok", "ok", "info", "info"),
    ("ok", "info", "warning", "warning"),
    ("info", "warning", "critical", "critical"),
)
#: Level of slowness from which a wait is slow; one whose time is not in the report counts as slow.
SLOW: Final = 2
#: Average over median from which a few long waits make it slow; the median is the upper bound of
#: its bucket, which is up to twice as long. # awrlens: an assumption
_STALL_RATIO: Final = 2
_MB: Final = 10**6
#: Waits behind a slow commit or log switch: a row lock is released, and a block is shipped to
#: another instance, only after the redo is on disk.
BEHIND: Final = {
    "load.row_lock_wait_s": "`enq: TX`",
    "load.gc_busy_wait_s": "`gc … busy`",
    "load.buffer_busy_wait_s": "`buffer busy waits`",
}
_FROM_SHARES: Final = ": it follows from the shares of the top events"
_FROM_TOP: Final = ", so shares are % of CPU + waits from Top Timed Events"


class Weighed(NamedTuple):
    """One weighed wait: its numbers, both levels (0 to 3), and the severity."""

    weight: Weight
    #: 0: users do not notice; 1: some sessions wait; 2: several on average; 3: many.
    many: int
    #: 0: fast for its size; 1: not fast; 2: slow; 3: very slow.
    slow: int
    severity: Severity
    #: Share of DB time divided by that of the first period, if it raises the severity.
    escalated: float | None = None

    @property
    def matters(self) -> bool:
        """Whether there is something to report."""
        return self.severity != "ok"

    @property
    def at_most_a_warning(self) -> Weighed:
        """The same, but never critical."""
        return self._replace(severity="warning") if self.severity == "critical" else self


class Scale:
    """Weighs waits against the DB time and the interval of one report.

    ``before`` are the facts of the first period of a compare-period report.
    """

    def __init__(
        self, facts: Mapping[str, Fact], policy: Policy, before: Mapping[str, Fact] | None = None
    ) -> None:
        self._facts = facts
        self._policy = policy
        self._before = before

    @lazy
    def _whole(self) -> Fact:
        return self._facts["load.response_s"]

    @lazy
    def session_s(self) -> float | None:
        """Elapsed time × instances: the seconds of one session that is active all the time."""
        elapsed = _number(self._facts, "load.elapsed_s")
        return elapsed * self.instances if elapsed else None

    @lazy
    def instances(self) -> int:
        """Number of instances that the facts add up."""
        return round(_number(self._facts, "load.instances") or 1)

    @lazy
    def has_time(self) -> bool:
        """Whether the report has a time to compare waits with."""
        return bool(self.session_s or self._whole.number)

    @lazy
    def base(self) -> str:
        """What shares are percentages of: see ``base_of_shares``."""
        return base_of_shares(self._facts)

    @lazy
    def mistimed(self) -> str:
        """Why the times of the report are not reliable; empty if it does not show that."""
        return clock_doubt(self._facts, self._policy)

    @lazy
    def undertimed(self) -> bool:
        """Whether most waits of the interval have no time, so that a short one may be long."""
        return is_undertimed(self._facts, self._policy)

    @lazy
    def timed_share(self) -> float:
        """The share of the interval whose waits have times: 1 unless that is less than half."""
        timed = _number(self._facts, "load.timed_pct")
        return (timed or 0.0) / 100 if self.undertimed else 1.0

    @lazy
    def overtimed(self) -> float:
        """How many times too long waits seem to be; 0 where nothing shows that."""
        timed = _number(self._facts, "load.timed_pct") or 0.0
        return timed / 100 if self.mistimed and not self.undertimed else 0.0

    def share(self, seconds: float | None) -> float | None:
        """Seconds in percent of DB time (of CPU and waits before 10g)."""
        whole = self._whole.number
        return None if seconds is None or not whole else seconds * 100 / whole

    def _sure(self, seconds: float | None) -> float | None:
        """The share that is shown: none of a DB time that another clock contradicts."""
        return None if self._whole.about == "two clocks" else self.share(seconds)

    def sessions(self, seconds: float | None) -> float | None:
        """Sessions waiting on average; waits that were timed in part are scaled up."""
        whole = (self.session_s or 0.0) * self.timed_share
        return None if seconds is None or not whole else seconds / whole

    def weigh(
        self,
        seconds: float | None,
        each_ms: float | None = None,
        *,
        size_bytes: float | None = None,
        busy_pct: float | None = None,
        of: tuple[str, ...] = (),
    ) -> Weighed:
        """Severity of a wait by how many sessions wait and how slow each wait is for its size.

        ``busy_pct``: how busy the process is for which all of them wait. ``of``: the facts that
        add up to the seconds; a compare-period report compares them with its first period.
        """
        many, slow = self.how_many(seconds, busy_pct), self.how_slow(each_ms, size_bytes)
        severity = _TABLE[many][slow]
        factor = self._escalated(seconds, of)
        if factor is not None:
            severity = SEVERITIES[min(SEVERITIES.index(severity) + 1, len(SEVERITIES) - 1)]
        if self.mistimed and severity != "ok":
            severity = "info"
        weight = Weight(
            self.sessions(seconds), self._sure(seconds), each_ms, size_bytes, base=self.base,
            instances=self.instances, estimate=self._estimate(seconds or 0.0),
        )  # fmt: skip
        return Weighed(weight, many, slow, severity, factor)

    def _estimate(self, seconds: float) -> str:
        """From which part of the interval sessions are estimated, and the formula; or nothing."""
        part, whole_s = self.timed_share * 100, self.session_s
        formula = f": {seconds:,.0f} s / ({whole_s:,.0f} s × {plain(part)} %)" if whole_s else ""
        return f"estimated from the {part:.0f} % timed{formula}" if self.undertimed else ""

    def how_many(self, seconds: float | None, busy_pct: float | None = None) -> int:
        """0 to 3: how many sessions wait on average; the share of DB time supports it."""
        of_sessions, of_share, _, (enough,) = self._limits
        sessions = self.sessions(seconds)
        level = 0 if sessions is None else _level(sessions, of_sessions)
        if (sessions is None or sessions >= enough) and level < len(of_sessions):
            share, captured = self.share(seconds), _number(self._facts, "load.captured_pct")
            if share is not None:  # in the part of DB time that waits and CPU account for
                share = share * 100 / captured if captured and captured < 100 else share  # noqa: PLR2004
                level = max(level, _level(share, of_share))
        busy = busy_pct is not None and busy_pct >= self._policy["impact.busy_pct"]
        return max(level, 2) if busy else level

    @lazy
    def _limits(self) -> tuple[tuple[float, ...], ...]:
        """The thresholds of ``_LEVELS`` in force."""
        return tuple(tuple(map(self._policy.__getitem__, names)) for names in _LEVELS)

    def how_slow(self, each_ms: float | None, size_bytes: float | None = None) -> int:
        """0 to 3: how slow a wait is for its size; a wait of unknown length counts as slow."""
        if each_ms is None:
            return SLOW
        explained = self.explained_ms(size_bytes)
        return sum(each_ms >= limit + explained for limit in self._limits[2])

    def stalls(
        self, each_ms: float | None, half_ms: float | None, size_bytes: float | None = None
    ) -> bool:
        """Whether a few long waits make an average slow: half of the waits are not.

        A device is judged by the median; stalls are of the CPU, the memory or a log switch.
        """
        slower_ms = self._policy["impact.slower_ms"]
        return _stalls(each_ms, half_ms, slower_ms + self.explained_ms(size_bytes))

    def explained_ms(self, size_bytes: float | None) -> float:
        """The part of the time of a write or read that its size explains."""
        return (size_bytes or 0.0) * 1000 / (self._policy["impact.size_mb_s"] * _MB)

    def calm_words(self, weight: Weight, reads: float | None = None) -> str:
        """Why a wait is not urgent: few of the active sessions wait, or each waits shortly.

        Sessions that wait for reads of the same slow storage come after it.
        """
        sessions = weight.waiting_sessions
        also = f", and {plain(reads, 2)} for reads" if reads else ""
        active = _number(self._facts, "load.average_active_sessions")
        short = self.how_slow(weight.each_ms, weight.size_bytes) < SLOW
        if short and (weight.share_pct or 0.0) >= self._policy["impact.warning_pct"]:
            return f", but each wait is short{also}"
        if sessions is None:
            return ""
        least = f"fewer than {SHOWN_SESSIONS}"
        number = f"only {plain(round(sessions, 2))}" if sessions >= SHOWN_SESSIONS else least
        of = f" of {plain(active, 3)} active" if active and active >= sessions and not also else ""
        one = number == "only 1" and not of
        waits = f"session{' waits' if one else 's wait'}{' for commits' * (weight.per == 'commit')}"
        return f", but {number}{of} {waits} on average{also}"

    def significant(self, seconds: float | None) -> bool:
        """Whether the waits are significant, however long each is."""
        return self.how_many(seconds) > 0

    def unnoticed(self, seconds: float) -> bool:
        """Whether no weighing of the waits can matter: of two periods, they are weighed."""
        return self._before is None and self.how_many(seconds) == 0

    def _escalated(self, seconds: float | None, of: tuple[str, ...]) -> float | None:
        """The factor by which the share of DB time has grown, if it raises the severity."""
        share = self.share(seconds)
        enough = share is not None and share >= self._policy["impact.info_pct"]
        if self._before is None or share is None or not (of and enough):
            return None
        parts = {name: self._before[name].number for name in of}
        lost = any(part is None and _number(self._facts, name) for name, part in parts.items())
        if lost or all(part is None for part in parts.values()):
            return None  # the wait may have been as large in the first period, but is not shown
        first = Scale(self._before, self._policy).share(sum(part or 0.0 for part in parts.values()))
        if not first:
            return float("inf") if first is not None and self.significant(seconds) else None
        factor = share / first
        return factor if factor >= self._policy["impact.escalated"] else None

    def impact(self, seconds: float | None, basis: str) -> Impact:
        """Seconds, their share and number of sessions, with the basis of the share.

        None is known by a clock that is not reliable.
        """
        if self.mistimed:
            return Impact(None, None, f"not quantified: {self.mistimed}")
        if seconds is not None and self._whole.status == "estimated":
            from_shares = any("DB time" in item.column for item in self._whole.evidence)
            basis += f"; the report has no DB time{_FROM_SHARES if from_shares else _FROM_TOP}"
        return Impact(
            seconds, self._sure(seconds), basis, self.sessions(seconds), base=self.base,
            instances=self.instances,
        )  # fmt: skip


def _level(value: float, limits: tuple[float, ...]) -> int:
    return sum([value >= limit for limit in limits])


#: Sentences on a weight say the same whatever the policy.
_USUAL: Final = Policy()


def by_share(weight: Weight) -> bool:
    """Whether waits are a warning by their share of DB time, not by the number of sessions."""
    few = (weight.waiting_sessions or 0.0) < _USUAL["impact.several_sessions"]
    return few and (weight.share_pct or 0.0) >= _USUAL["impact.warning_pct"]


def in_words(weight: Weight, title: str = "") -> str:
    """A weight in one clause: how many sessions wait, how long each, and their share of DB time.

    How long each waits is left out if ``title``, which it follows, says it.
    """
    parts = []
    sessions, share, size = weight.waiting_sessions, weight.share_pct, weight.size_bytes
    of = f" {weight.of}" if weight.of else " for LGWR" * (weight.per == "commit")
    if sessions is not None:
        least = f"less than {SHOWN_SESSIONS}"
        number = plain(round(sessions, 2)) if sessions >= SHOWN_SESSIONS else least
        many, per_instance = "" if number == "1" else "s", of_each(weight.instances)
        about, how = ("about ", f" ({weight.estimate})") if weight.estimate else ("", "")
        parts.append(f"{about}{number} session{many}{per_instance} waiting on average{of}{how}")
    if weight.each_ms is not None:
        sized = ", {} per redo log write" if weight.per == "commit" else " for {}"
        carried = sized.format(io_size(size)) if size and size >= _LARGE else ""
        took = ms_words(weight.each_ms)
        if carried or weight.spread or f" {took}" not in title:
            parts += filter(None, (f"{took} per {weight.per}{carried}", weight.spread))
    if share is not None and share >= SHOWN_PCT:
        # what decides is first; else it is next to what it is of
        at = 0 if by_share(weight) else 1 if sessions is not None and of else len(parts)
        parts.insert(at, f"{share:.1f} % of {weight.base}")
    return ", ".join(parts)


def _stalls(each_ms: float | None, half_ms: float | None, slow_ms: float) -> bool:
    if not each_ms or not half_ms:
        return False
    return half_ms <= slow_ms <= each_ms and each_ms >= _STALL_RATIO * half_ms


def spread(
    slower_ms: float, each_ms: float | None, half_ms: float | None, late_pct: float | None = None
) -> str:
    """Median and tail where a few long waits make an average slow; empty otherwise.

    ``slower_ms``: impact.slower_ms in force; ``late_pct``: the share of waits longer than 16 ms.
    """
    rest = f", {plain(100 - late_pct, 3)} % within 16 ms" if late_pct else ""
    return f"half within {half_ms:g} ms{rest}" if _stalls(each_ms, half_ms, slower_ms) else ""


def of_each(instances: int) -> str:
    """What a number of sessions is the mean of, if not of one instance."""
    return " per instance" if instances > 1 else ""


#: Minimum number of sessions and percentage that a sentence shows.
SHOWN_SESSIONS: Final = 0.01
SHOWN_PCT: Final = 0.1
#: Minimum size of a write in bytes that a sentence shows with its time.
_LARGE: Final = 65_536
