"""LGWR: what to see to where commits wait for anything but the local log write.

Source: document 3, "Redo Log Writes" (run queue and priority come before storage).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.model import Impact, Recommendation

if TYPE_CHECKING:
    from collections.abc import Mapping

    from awrlens.model import Fact, Finding

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
    findings: tuple[Finding, ...],
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
        benefit=_benefit(findings, found),
        risks=("A higher priority for LGWR takes the processor from others.",),
        validate=("`log file sync` comes near `log file parallel write`", after),
        findings=found,
    )


def _benefit(findings: tuple[Finding, ...], found: tuple[str, ...]) -> Impact:
    """The findings' seconds together: they are separate parts of the commit wait."""
    impacts = [each.impact for each in findings if each.id in found]
    seconds = [impact.seconds for impact in impacts if impact.seconds is not None]
    shares = [impact.pct_db_time for impact in impacts if impact.pct_db_time is not None]
    return Impact(
        sum(seconds) if seconds else None,
        sum(shares) if shares else None,
        "; and ".join(impact.basis for impact in impacts),
    )
