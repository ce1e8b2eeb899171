"""LGWR: what to see to where commits wait for anything but the local log write.

Source: document 3, "Redo Log Writes" (run queue and priority come before storage).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.model import Impact, Recommendation
from awrlens.weigh import Scale

if TYPE_CHECKING:
    from collections.abc import Mapping

    from awrlens.model import Fact
    from awrlens.policy import Policy

_DESTINATIONS: Final = (
    "SELECT dest_id, transmit_mode, affirm, destination FROM v$archive_dest WHERE status = 'VALID';"
)
_ONE_WRITER: Final = (
    "LGWR's workers: where they wait for each other more than they write, one process writes "
    "better (`_use_single_log_writer`, through Oracle Support)"
)
#: What each group of waits that LGWR's reports list asks for, in the order of how telling it is.
_LISTED: Final = {
    "redo.standby_wait_s": (
        "the synchronous standby: its network, its standby redo logs, or asynchronous transport",
        _DESTINATIONS,
    ),
    "redo.lgwr_worker_wait_s": (
        _ONE_WRITER,
        "SELECT name, value FROM v$sysstat WHERE name LIKE 'redo write%';",
    ),
}


def free(
    facts: Mapping[str, Fact],
    policy: Policy,
    found: tuple[str, ...],
    after: str,
) -> Recommendation:
    """Free LGWR of what the report shows it waiting for, processors first."""
    listed = _LISTED if "REDO003" in found else {}
    seen = [each for name, each in listed.items() if facts[name].number]
    steps = ["the run queue and LGWR's priority", *(step for step, _ in seen)]
    return Recommendation(
        id="free-lgwr",
        title="Free LGWR: processor, priority, standby",
        action="Most of the commit wait is not the local log write. Look at "
        + "; at ".join(steps)
        + ".",
        status="apply",
        commands=("ps -eo pri,ni,comm,args | grep ora_lgwr", *(command for _, command in seen)),
        benefit=Scale(facts, policy).impact(
            sum(facts[f"redo.commit_{part}_s"].number or 0.0 for part in _OUTSIDE),
            "`log file sync` less its log writes",
        ),
        risks=("A higher priority for LGWR takes the processor from others.",),
        validate=("`log file sync` comes near `log file parallel write`", after),
        findings=found,
    )


def other_instances(
    facts: Mapping[str, Fact], found: tuple[str, ...], after: str
) -> Recommendation:
    """Look at what acknowledges commits: interconnect, LMS, the other nodes, polling."""
    polling = facts["redo.polling_pct"].number or 0.0
    polls = f" {polling:.0f} % of the commits poll: ask Oracle Support about " if polling else ""
    polls += "`_use_adaptive_log_file_sync`=FALSE." if polling else ""
    return Recommendation(
        id="speed-up-acknowledgement",
        title="Look at the interconnect, LMS and the other nodes",
        action="A commit in RAC ends when the other instances have acknowledged it. Look at the "
        f"interconnect, at the number and priority of LMS, and at CPU on the other nodes.{polls}",
        status="apply",
        commands=(
            "ps -eo pri,ni,cls,comm,args | grep ora_lms",
            _ACKNOWLEDGED,
        ),
        benefit=Impact(None, None, "not quantified"),
        risks=("None: these are readings.",),
        validate=("`log file sync` comes near `log file parallel write`", after),
        findings=found,
    )


_ACKNOWLEDGED: Final = (
    "SELECT inst_id, name, value FROM gv$sysstat WHERE name LIKE 'redo write broadcast%' "
    "OR name LIKE 'redo synch%';"
)
#: Parts of the commit wait that are not the log write.
_OUTSIDE: Final = ("lgwr", "scheduling", "unexplained")
