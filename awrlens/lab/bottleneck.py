"""The bottleneck of a recovery that took too long, in a report of the same load.

Source: Fast-Start Checkpointing Best Practices, "If MTTR is too High".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

from awrlens.lazy import NamedTuple
from awrlens.model import ALARMS
from awrlens.policy import Threshold

if TYPE_CHECKING:
    from collections.abc import Iterable

    from awrlens.model import Analysis
    from awrlens.model.documents import BottleneckDocument
from awrlens.policy import Policy

#: Maximum number of findings that are named.
_SHOWN: Final = 3
#: Findings on DBWR and its waits: the I/O that fast-start checkpointing adds.
_OF_DBWR: Final = frozenset({"CKPT005", "CKPT008"})


DBWR_BUSY_PCT = Threshold(
    "recovery.dbwr_busy_pct", 70.0, "%",
    "share of its capacity above which DBWR has little left for peaks",
    "awrlens: in a queue with one server, requests take 3.3 times as long at 70 % and 10 times as "
    "long at 90 % (M/M/1)",
)  # fmt: skip


class Side(NamedTuple):
    """What one report says of its I/O."""

    findings: tuple[tuple[str, str, float | None], ...]
    busy_pct: float | None
    io_per_s: float | None
    writes_per_s: float | None
    at_capacity: bool


class Bottleneck(NamedTuple):
    """The findings of the report, and a report without fast-start checkpointing, if given."""

    report: Side
    without: Side | None

    @property
    def verdict(self) -> Literal["capacity", "report", "none"]:
        """`capacity`: exceeded by fast-start checkpointing; `report`: in it; `none`: not in it."""
        if self.without is not None and self.report.at_capacity and not self.without.at_capacity:
            return "capacity"
        return "report" if self.report.findings or self.report.at_capacity else "none"

    @property
    def extra_io_pct(self) -> float | None:
        """Additional writes in all physical I/O of the report without fast-start checkpointing."""
        report, without = self.report, self.without
        if without is None or not without.io_per_s:
            return None
        if report.writes_per_s is None or without.writes_per_s is None:
            return None
        return 100 * (report.writes_per_s - without.writes_per_s) / without.io_per_s

    @property
    def text(self) -> str:
        """Where the bottleneck is, in sentences."""
        named = "; ".join(f"{title} ({rule})" for rule, title, _ in self.report.findings[:_SHOWN])
        busy_pct, extra_pct = self.report.busy_pct, self.extra_io_pct
        more = "" if busy_pct is None else f" DBWR is {busy_pct:.0f} % busy."
        if extra_pct is not None:
            more += f" The additional writes are {extra_pct:.0f} % of all I/O without fast-start "
            more += "checkpointing."
        if self.verdict == "capacity":
            return (
                f"Fast-start checkpointing exceeds the I/O capacity: the report without it has no "
                f"such bottleneck. Increase the target or the capacity.{more}"
            )
        if self.verdict == "report":
            return f"The report shows it: {named or 'DBWR has no capacity left'}.{more}"
        return (
            "The report shows no significant bottleneck, so it is not the I/O of the load. See the "
            f"longest part of the recovery.{more}"
        )

    def to_dict(self) -> BottleneckDocument:
        """Plain data."""
        return {
            "verdict": self.verdict,
            "text": self.text,
            "findings": [
                {"id": rule, "title": title, "pct_db_time": pct}
                for rule, title, pct in self.report.findings
            ],
            "dbwr_busy_pct": self.report.busy_pct,
            "dbwr_busy_pct_without": self.without and self.without.busy_pct,
            "extra_io_pct": self.extra_io_pct,
        }


def find(analyses: Iterable[Analysis], policy: Policy) -> Bottleneck:
    """The bottleneck in a report, compared with one without fast-start checkpointing, if given."""
    sides = [_side(each, policy) for each in analyses]
    return Bottleneck(sides[0], sides[1] if len(sides) > 1 else None)


def _side(analysis: Analysis, policy: Policy) -> Side:
    facts = analysis.facts
    busy = facts["checkpoint.dbwr_busy_pct"].number
    significant = [
        each for each in analysis.findings if each.severity in ALARMS and each.impact.seconds
    ]
    significant.sort(key=lambda each: -(each.impact.pct_db_time or 0.0))
    reads, writes = (facts[f"load.physical_{which}_per_s"].number for which in ("reads", "writes"))
    return Side(
        tuple((each.id, each.title, each.impact.pct_db_time) for each in significant), busy,
        None if reads is None or writes is None else reads + writes, writes,
        (busy or 0.0) > policy[DBWR_BUSY_PCT] or any(each.id in _OF_DBWR for each in significant),
    )  # fmt: skip
