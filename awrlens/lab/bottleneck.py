"""The bottleneck of a recovery that took too long, in a report of the same load.

Source: Fast-Start Checkpointing Best Practices, "If MTTR is too High".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.lazy import NamedTuple
from awrlens.model import ALARMS
from awrlens.policy import Threshold

if TYPE_CHECKING:
    from collections.abc import Iterable

    from awrlens.lab.documents import BottleneckDocument
    from awrlens.model import Analysis
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


def bottleneck(report: Side, without: Side | None = None) -> BottleneckDocument:
    """Where the bottleneck is; ``without``: a report without fast-start checkpointing."""
    named = "; ".join(f"{title} ({rule})" for rule, title, _ in report.findings[:_SHOWN])
    more = "" if report.busy_pct is None else f" DBWR is {report.busy_pct:.0f} % busy."
    extra_pct, writes_per_s = None, without and without.writes_per_s
    if (
        without
        and without.io_per_s
        and writes_per_s is not None
        and report.writes_per_s is not None
    ):
        extra_pct = 100 * (report.writes_per_s - writes_per_s) / without.io_per_s
        more += f" The additional writes are {extra_pct:.0f} % of all I/O without fast-start "
        more += "checkpointing."
    document: BottleneckDocument = {
        "verdict": "none",
        "text": "The report shows no significant bottleneck, so it is not the I/O of the load. See "
        f"the longest part of the recovery.{more}",
        "findings": [
            {"id": rule, "title": title, "pct_db_time": pct} for rule, title, pct in report.findings
        ],
        "dbwr_busy_pct": report.busy_pct,
        "dbwr_busy_pct_without": without and without.busy_pct,
        "extra_io_pct": extra_pct,
    }
    if without is not None and report.at_capacity and not without.at_capacity:
        document["verdict"] = "capacity"
        document["text"] = (
            "Fast-start checkpointing exceeds the I/O capacity: the report without it has no such "
            f"bottleneck. Increase the target or the capacity.{more}"
        )
    elif report.findings or report.at_capacity:
        document["verdict"] = "report"
        document["text"] = f"The report shows it: {named or 'DBWR has no capacity left'}.{more}"
    return document


def find(analyses: Iterable[Analysis], policy: Policy) -> BottleneckDocument:
    """The bottleneck in a report, compared with one without fast-start checkpointing, if given."""
    return bottleneck(*(_side(each, policy) for each in analyses))


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
