"""When a report shows little: a wrong clock, a very long interval, or no load."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.policy import Policy, Threshold
from awrlens.units import plain

if TYPE_CHECKING:
    from collections.abc import Mapping

    from awrlens.model import Fact

TIMED_PCT: Final = Threshold(
    "impact.timed_pct", 50.0, "%",
    "share of the interval with timed statistics below which times support no more than info",
    "awrlens: reports of 8.1.7 with TIMED_STATISTICS on for 8 % of the interval",
)  # fmt: skip
OVERTIMED_PCT: Final = Threshold(
    "impact.overtimed_pct", 300.0, "%",
    "waits of PMON's timer in percent of the interval above which all waits are timed too long",
    "awrlens: 100 % is right; a Windows host of 9.2 has 429 %",
)  # fmt: skip
LONG_INTERVAL_S: Final = Threshold(
    "confidence.long_interval_s", 21_600.0, "s",
    "length of an interval above which averages hide its peaks",
    "awrlens: a quarter of a day, longer than a usual peak; AWR's own default interval is an hour",
)  # fmt: skip
IDLE_SESSIONS: Final = Threshold(
    "confidence.idle_sessions", 0.1, "count",
    "average active sessions below which an interval shows nothing of the database under load",
    "awrlens: one session that works for six minutes of an hour",
)  # fmt: skip
THRESHOLDS: Final = (LONG_INTERVAL_S, TIMED_PCT, OVERTIMED_PCT, IDLE_SESSIONS)

#: Intervals from this number of hours on are told in days.
_DAYS_H: Final = 48
_HOUR_S: Final = 3600


def mistimed(facts: Mapping[str, Fact], policy: Policy) -> str:
    """Why the times of a report are not reliable; empty if it does not show that.

    PMON sleeps all the time. If its waits are a part of the interval, TIMED_STATISTICS was off for
    the rest; if they are several times the interval, the clock of the waits is wrong.
    """
    timed = _timed_pct(facts)
    if undertimed(facts, policy):
        return f"timed statistics were on for only {timed:.0f} % of the interval"
    if timed is None or timed <= policy[OVERTIMED_PCT]:
        return ""
    return f"`pmon timer` waits {timed / 100:.1f} times the interval, so all waits seem too long"


def undertimed(facts: Mapping[str, Fact], policy: Policy) -> bool:
    """Whether TIMED_STATISTICS was off for most of the interval: waits are longer than printed."""
    timed = _timed_pct(facts)
    return timed is not None and timed < policy[TIMED_PCT]


def _timed_pct(facts: Mapping[str, Fact]) -> float | None:
    fact = facts.get("load.timed_pct")
    return None if fact is None else fact.number


def long_interval(facts: Mapping[str, Fact], policy: Policy) -> str:
    """The length of an interval whose averages hide peaks, in words; empty if it is shorter."""
    elapsed = facts["load.elapsed_s"].number
    if elapsed is None or elapsed <= policy[LONG_INTERVAL_S]:
        return ""
    hours = elapsed / _HOUR_S
    return f"{plain(hours)} h" if hours < _DAYS_H else f"{plain(hours / 24)} days"


def idle(facts: Mapping[str, Fact], policy: Policy) -> str:
    """The average active sessions of an almost idle interval, in words; empty if it has a load.

    A DB time of 0 is a column without figures.
    """
    sessions = facts["load.average_active_sessions"].number
    if not sessions or sessions >= policy[IDLE_SESSIONS]:
        return ""
    return f"{plain(sessions, 2)} average active sessions"
