"""How much a wait matters: its share of DB time, how many sessions wait at a time, how severe.

Rules and storage verdicts weigh alike, so that no verdict asks for a change that no finding
explains.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.model import Impact, Severity
from awrlens.policy import Policy, Threshold

if TYPE_CHECKING:
    from collections.abc import Mapping

    from awrlens.model import Fact

INFO_PCT: Final = Threshold(
    "impact.info_pct", 1.0, "%",
    "share of DB time from which a wait is mentioned; below it nobody waits for the thing",
    "awrlens: ADDM leaves smaller shares out as well; document 3's figures run down to 0.7 %",
)  # fmt: skip
WARNING_PCT: Final = Threshold(
    "impact.warning_pct", 5.0, "%",
    "share of DB time from which a wait is a warning",
    "awrlens, with the field's rule of thumb for `log file sync` (5 % of DB time)",
)  # fmt: skip
CRITICAL_PCT: Final = Threshold(
    "impact.critical_pct", 20.0, "%",
    "share of DB time from which a wait is critical",
    "awrlens; document 3, figure 1 (34.86 % of time in `log file sync`) is such a case",
)  # fmt: skip
WAITING_SESSIONS: Final = Threshold(
    "impact.waiting_sessions", 0.01, "ratio",
    "sessions that wait at a time, on average, below which the system is idle in this respect",
    "awrlens: 36 seconds in an hour; document 3, figure 4, has 0.05",
)  # fmt: skip

LEAST_WRITE_MS: Final = Threshold(
    "redo.least_write_ms", 0.02, "ms",
    "a `log file parallel write` below this does not hold the write; the counter is taken for it",
    "awrlens: no device keeps a write safe so soon (0.104 ms in document 3, figure 5); a "
    "report of 10.2 prints 0.01 ms where `redo write time` has 13 ms a write",
)  # fmt: skip
#: Thresholds that decide for all families whether a wait matters.
THRESHOLDS: Final = (INFO_PCT, WARNING_PCT, CRITICAL_PCT, WAITING_SESSIONS)


class Scale:
    """Weighs seconds against the DB time and the interval of one report."""

    def __init__(self, facts: Mapping[str, Fact], policy: Policy) -> None:
        self._whole = facts["load.response_s"]
        self._elapsed_s = facts["load.elapsed_s"].number
        self._policy = policy

    @property
    def known(self) -> bool:
        """Whether the report says what shares are of."""
        return bool(self._whole.number)

    def share(self, seconds: float | None) -> float | None:
        """Seconds in per cent of DB time (of CPU and waits before 10g)."""
        whole = self._whole.number
        return None if seconds is None or not whole else seconds * 100 / whole

    def felt(self, seconds: float | None) -> bool:
        """Whether anybody waits: a share worth a look, and not on an idle system."""
        share = self.share(seconds)
        if share is None or seconds is None or share < self._policy[INFO_PCT]:
            return False
        if not self._elapsed_s:
            return True
        return seconds / self._elapsed_s >= self._policy[WAITING_SESSIONS]

    def severity(self, seconds: float | None) -> Severity:
        """Severity by share of DB time."""
        if not self.felt(seconds):
            return "ok"
        share = self.share(seconds) or 0.0
        if share >= self._policy[CRITICAL_PCT]:
            return "critical"
        return "warning" if share >= self._policy[WARNING_PCT] else "info"

    def impact(self, seconds: float | None, basis: str) -> Impact:
        """Seconds and their share, with what the share is of."""
        if seconds is not None and self._whole.status == "estimated":
            basis += "; no DB time is printed: shares are of CPU and waits as in its top events"
        return Impact(seconds, self.share(seconds), basis)
