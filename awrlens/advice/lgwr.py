"""LGWR: what to check if commits wait for something other than the local log write.

Source: Write Accelerator, "Redo Log Writes" (run queue and priority come before storage).
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
    "LGWR's workers: if they coordinate longer than they write, test single log writer mode "
    "(`_use_single_log_writer=TRUE`, with Oracle Support)"
)
#: What to check for each group of LGWR's waits in a report, the most specific first.
_LISTED: Final = {
    "redo.standby_wait_s": (
        "the synchronous standby: its network and its standby redo logs, or asynchronous transport",
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
    """Check what the report shows LGWR waiting for, CPU first."""
    listed = _LISTED if "REDO003" in found else {}
    names = [name for name in listed if facts[name].number]
    seen = [listed[name] for name in names]
    causes = ["CPU", "priority", *(_SHORT[name] for name in names)]
    steps = ["the run queue and LGWR's priority", *(step for step, _ in seen)]
    return Recommendation(
        id="free-lgwr",
        title=f"Check LGWR's {', '.join(causes[:-1])} and {causes[-1]}",
        action=f"Most of the commit wait is not the local log write. Check {'; '.join(steps)}.",
        status="apply",
        commands=("ps -eo pri,ni,comm,args | grep ora_lgwr", *(command for _, command in seen)),
        benefit=Scale(facts, policy).impact(
            sum(facts[f"redo.commit_{part}_s"].number or 0.0 for part in _OUTSIDE),
            "`log file sync` minus its log writes",
        ),
        risks=("A higher priority for LGWR takes CPU from other processes.",),
        validate=("`log file sync` approaches `log file parallel write`", after),
        findings=found,
    )


def other_instances(
    facts: Mapping[str, Fact], found: tuple[str, ...], after: str
) -> Recommendation:
    """Check what acknowledges commits: interconnect, LMS, the other nodes, polling."""
    polling = facts["redo.polling_pct"].number or 0.0
    polls = f" {polling:.0f} % of the commits poll; ask Oracle Support about " if polling else ""
    polls += "`_use_adaptive_log_file_sync`=FALSE." if polling else ""
    return Recommendation(
        id="speed-up-acknowledgement",
        title="Check the interconnect, LMS and the other nodes",
        action="A commit in RAC ends when the other instances have acknowledged it. Check the "
        "interconnect, the number and priority of LMS processes, and the CPU of the other nodes."
        f"{polls}",
        status="apply",
        commands=(
            "ps -eo pri,ni,cls,comm,args | grep ora_lms",
            _ACKNOWLEDGED,
        ),
        benefit=Impact(None, None, "not quantified"),
        risks=("None: read-only checks.",),
        validate=("`log file sync` approaches `log file parallel write`", after),
        findings=found,
    )


_ACKNOWLEDGED: Final = (
    "SELECT inst_id, name, value FROM gv$sysstat WHERE name LIKE 'redo write broadcast%' "
    "OR name LIKE 'redo synch%';"
)
#: The same in titles.
_SHORT: Final = {"redo.standby_wait_s": "standby", "redo.lgwr_worker_wait_s": "workers"}
#: Parts of the commit wait that are not the log write.
_OUTSIDE: Final = ("lgwr", "scheduling", "unexplained")
