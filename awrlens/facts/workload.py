"""Common figures of a database: parses, calls, requests, CPU, blocks from other instances.

Source: Oracle Database Reference, "Statistics Descriptions" (`parse count (hard)`, `user calls`,
`physical read total IO requests`, `physical read total bytes`, `gc cr block receive time`) and
V$SYS_TIME_MODEL (`DB CPU`). The statistic, if it is in the report, has more digits than the Load
Profile's rate, which is rounded to one or two decimals and is `0.0` for rare events.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.fact_table import fact
from awrlens.facts.cpu import STATISTIC, of_sessions
from awrlens.facts.formula import Figure, Missing, derive, measured, unavailable
from awrlens.facts.sections import CPU, ELAPSED, STATS

if TYPE_CHECKING:
    from collections.abc import Callable

    from awrlens.facts.numbers import Figures
    from awrlens.model import Fact

_ACTIVITY: Final = "instance_activity|load_profile"

#: Receive time and number of blocks received: names since 10g, and those of 9i.
_RECEIVED: Final = {
    "cr": (("gc cr block receive time", "gc cr blocks received"),
           ("global cache cr block receive time", "global cache cr blocks received")),
    "current": (("gc current block receive time", "gc current blocks received"),
                ("global cache current block receive time",
                 "global cache current blocks received")),
}  # fmt: skip


def rate(statistic: str, label: str, said: str) -> Callable[[Figures], Fact]:
    """A statistic per second; otherwise the same rate from the Load Profile, if it has one."""

    def fact(f: Figures) -> Fact:
        total = f.stat(statistic, label)
        if isinstance(total, Figure) or not said:
            return derive("total / elapsed", total=total, elapsed=f.elapsed)
        printed = f.row_figure("load_profile", said, "per_second", "per second")
        if isinstance(printed, Figure) and not printed.value:
            why = f"Load Profile shows {printed.digits} per second, which is rounded"
            return unavailable(total, Missing(why, ("load_profile",)))
        return measured(printed) if isinstance(printed, Figure) else unavailable(total, printed)

    fact.__doc__ = f"Statistic `{statistic}` per second."
    return fact


fact("load.user_calls_per_s", "1/s", _ACTIVITY, ELAPSED, kind="rate", better="neither")(
    rate("user calls", "calls", "user_calls")
)
fact("load.hard_parses_per_s", "1/s", _ACTIVITY, ELAPSED, kind="rate", better="neither")(
    rate("parse count (hard)", "hard parses", "hard_parses")
)
fact("io.read_requests_per_s", "1/s", STATS, ELAPSED, kind="rate", better="neither")(
    rate("physical read total IO requests", "requests", "")
)
fact("io.write_requests_per_s", "1/s", STATS, ELAPSED, kind="rate", better="neither")(
    rate("physical write total IO requests", "requests", "")
)


def mb_per_s(statistic: str) -> Callable[[Figures], Fact]:
    """A statistic of bytes as megabytes per second."""

    def fact(f: Figures) -> Fact:
        total = f.stat(statistic, "B")
        return derive("total / 1024 / 1024 / elapsed", total=total, elapsed=f.elapsed)

    fact.__doc__ = f"Statistic `{statistic}` in MB per second: all file types, including redo logs."
    return fact


fact("io.read_mb_per_s", "MB/s", STATS, ELAPSED, kind="rate", better="neither")(
    mb_per_s("physical read total bytes")
)
fact("io.write_mb_per_s", "MB/s", STATS, ELAPSED, kind="rate", better="neither")(
    mb_per_s("physical write total bytes")
)


@fact("load.db_cpu_s", "s", CPU, kind="total", better="neither")
def db_cpu_s(f: Figures) -> Fact:
    """CPU seconds of sessions: `DB CPU`, before 10g `CPU used by this session`."""
    found = f.once(of_sessions)
    fact = measured(found.seconds, found.note)
    if fact.evidence and fact.evidence[0].row == STATISTIC:
        return fact._replace(status="derived", formula=f"{fact.evidence[0].text} cs / 100")
    return fact


def receive_ms(block: str) -> Callable[[Figures], Fact]:
    """Average time in ms to receive a block from another instance."""

    def fact(f: Figures) -> Fact:
        lacking: list[Missing] = []
        for time, count in _RECEIVED[block]:
            spent, blocks = f.stat(time, "cs"), f.stat(count, "blocks")
            if isinstance(spent, Figure):
                return derive("spent * 10 / blocks", spent=spent, blocks=blocks)
            lacking.append(spent)
        return unavailable(lacking[0])

    fact.__doc__ = f"Average time in ms to receive a {block} block from another instance."
    return fact


fact("gc.cr_receive_ms", "ms", STATS, kind="level", better="lower")(receive_ms("cr"))
fact("gc.current_receive_ms", "ms", STATS, kind="level", better="lower")(receive_ms("current"))
