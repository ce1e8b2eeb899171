"""Whether processes wait for CPU, by idle time, the run queue and the wait for CPU of the host."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.policy import Threshold
from awrlens.units import plain

if TYPE_CHECKING:
    from collections.abc import Mapping

    from awrlens.advice.case import Case
    from awrlens.model import Fact
    from awrlens.policy import Policy

IDLE_PCT: Final = Threshold(
    "storage.idle_pct", 10.0, "%",
    "idle CPU below which CPU comes before storage",
    "awrlens: LGWR and the sessions it posts wait for CPU",
)  # fmt: skip
RUN_QUEUE: Final = Threshold(
    "storage.run_queue_per_cpu", 2.0, "ratio",
    "run queue per CPU above which CPU comes before storage",
    "Write Accelerator (`what are the run queue numbers for the time period in question?`)",
)  # fmt: skip
CPU_WAIT_PCT: Final = Threshold(
    "storage.cpu_wait_pct", 50.0, "%",
    "OS_CPU_WAIT_TIME as a share of BUSY_TIME above which CPU comes before storage",
    "awrlens: one process waits for every two that run",
)  # fmt: skip
UNLIKELY_IDLE_PCT: Final = Threshold(
    "storage.unlikely_idle_pct", 50.0, "%",
    "idle CPU over the interval above which a long run queue or CPU wait is ignored",
    "awrlens: the majority; on Linux, the run queue includes disk waits",
)  # fmt: skip

THRESHOLDS: Final = (IDLE_PCT, RUN_QUEUE, CPU_WAIT_PCT, UNLIKELY_IDLE_PCT)


def starved(case: Case) -> str:
    """The evidence that processes wait for CPU; empty without any."""
    return starved_by(case.facts, case.policy)


def starved_by(facts: Mapping[str, Fact], policy: Policy) -> str:
    """The same by the facts of a report."""
    idle = facts["host.idle_pct"].number
    waited = facts["host.cpu_wait_pct"].number or 0.0
    queued = f"the wait for CPU is {waited:.0f} % of the busy CPU time"
    if idle is not None and idle < policy[IDLE_PCT]:
        also = f" ({queued})" if waited > policy[CPU_WAIT_PCT] else ""
        return f"{f'only {plain(idle, 2)} % of' if idle else 'no'} CPU was idle{also}"
    if idle is not None and idle >= policy[UNLIKELY_IDLE_PCT]:
        return ""
    loads = (facts[f"host.load_per_cpu_{when}"].number or 0.0 for when in ("begin", "end"))
    if (load := max(loads)) > policy[RUN_QUEUE]:
        return f"the run queue is {load:.1f} per CPU"
    return queued if waited > policy[CPU_WAIT_PCT] else ""
