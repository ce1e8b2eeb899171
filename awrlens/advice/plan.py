"""One ordered plan out of findings, storage verdicts and the recovery target.

Order: what costs nothing and is wrong in any case (parameters), then sizes and memory, then
storage; document 3's summary and document 1's advice.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from awrlens.advice import integrity, lgwr, logs, mttr, obstacles, recovery, storage
from awrlens.model import Finding, Impact, Recommendation, Verdict, Verdicts, worst

if TYPE_CHECKING:
    from collections.abc import Mapping

    from awrlens.model import Fact
    from awrlens.policy import Policy

THRESHOLDS: Final = (*logs.THRESHOLDS, *storage.THRESHOLDS)

_UNDO_NEED: Final = (
    "SELECT MAX(undoblks/((end_time-begin_time)*86400)) undo_blocks_per_s, MAX(maxquerylen) "
    "FROM v$undostat;"
)
_WHO_ROLLS_BACK: Final = (
    "SELECT s.module, SUM(t.value) FROM v$sesstat t JOIN v$statname n USING (statistic#) "
    "JOIN v$session s ON s.sid = t.sid WHERE n.name = 'user rollbacks' "
    "GROUP BY s.module ORDER BY 2 DESC;"
)
_PGA_ADVICE: Final = (
    "SELECT ROUND(pga_target_for_estimate/1048576) mb, ROUND(estd_extra_bytes_rw/1048576) "
    "extra_mb, estd_overalloc_count FROM v$pga_target_advice ORDER BY 1;"
)
_AFTER: Final = "`awrlens analyze` on a report of the same load after the change"


class Advice(NamedTuple):
    """Recommendations in the order in which they are to be done, and the answers in short."""

    recommendations: tuple[Recommendation, ...]
    verdicts: Verdicts


def advise(
    facts: Mapping[str, Fact],
    findings: tuple[Finding, ...],
    policy: Policy,
    request: mttr.Request,
    threads: int = 1,
) -> Advice:
    """Make the plan for one report; ``request`` holds what the caller says of recovery time.

    ``threads`` is the number of redo threads that the facts add up: a cluster's instances.
    """
    answer = recovery.advise(facts, findings, request)
    everywhere = " SID='*'" if request.rac else ""
    items = [
        *obstacles.remove(facts, findings, everywhere, _AFTER),
        *_logs(facts, findings, policy, threads),
        *_cpu(facts, findings),
        *_commits(facts, findings),
        *_undo_first(facts, findings),
        *_memory(facts, findings),
        *integrity.recommendations(facts, findings),
    ]
    # what saves most comes first; storage comes after all that is to be tuned
    items.sort(key=lambda item: -(item.benefit.seconds or 0.0))
    items += answer.items
    verdicts = {
        "redo": storage.redo(facts, findings, policy),
        "temp": storage.temp(facts, findings, policy),
        "undo": storage.undo(facts, findings, policy),
    }
    items += [_storage(name, verdict) for name, verdict in verdicts.items()]
    return Advice(
        tuple(items),
        Verdicts(
            write_path=worst([finding.severity for finding in findings]),
            redo_storage=verdicts["redo"].status,
            temp_storage=verdicts["temp"].status,
            undo_storage=verdicts["undo"].status,
            fast_start_mttr_target_s=answer.target_s,
            fast_start_mttr_lowest_s=answer.lowest_s,
            fast_start_mttr_highest_s=answer.highest_s,
        ),
    )


def _ids(findings: tuple[Finding, ...], *wanted: str) -> tuple[str, ...]:
    return tuple(f.id for f in findings if f.id in wanted and f.severity != "ok")


def _impact(findings: tuple[Finding, ...], *wanted: str) -> Impact:
    """The largest impact among findings that overlap: they are never added."""
    found = [f.impact for f in findings if f.id in wanted and f.impact.seconds is not None]
    return max(found, key=lambda i: i.seconds or 0.0, default=Impact(None, None, "not quantified"))


def _logs(
    facts: Mapping[str, Fact], findings: tuple[Finding, ...], policy: Policy, threads: int
) -> list[Recommendation]:
    found = _ids(findings, "REDO004", "REDO005", "REDO007", "CKPT001", "CKPT006")
    if not set(found) - {"CKPT006"}:
        return []
    benefit = _impact(findings, "REDO004", "REDO005", "CKPT001")
    return [logs.enlarge(facts, policy, threads, benefit, found, _AFTER)]


def _cpu(facts: Mapping[str, Fact], findings: tuple[Finding, ...]) -> list[Recommendation]:
    found = _ids(findings, "REDO002", "REDO003")
    if not found:
        return []
    return [lgwr.free(facts, findings, found, _AFTER)]


def _commits(facts: Mapping[str, Fact], findings: tuple[Finding, ...]) -> list[Recommendation]:
    found = _ids(findings, "REDO006", "REDO008")
    if "REDO006" not in found:
        return []
    rate = facts["redo.commits_per_s"].number or 0.0
    return [
        Recommendation(
            id="commit-less-often",
            title="Commit once per unit of work",
            action=f"{rate:,.0f} commits per second wait for the log; join them in the "
            "application before buying storage.",
            status="apply",
            benefit=_impact(findings, "REDO006"),
            risks=("Locks are held longer.",),
            validate=("`user commits` falls at the same executions", _AFTER),
            findings=found,
        )
    ]


def _undo_first(facts: Mapping[str, Fact], findings: tuple[Finding, ...]) -> list[Recommendation]:
    items = []
    if _ids(findings, "UNDO004"):
        longest = facts["undo.max_query_s"].number
        items.append(
            Recommendation(
                id="size-undo",
                title="Give undo the space that the longest query needs",
                action="Size the undo tablespace for undo_retention × undo blocks per second × "
                "block size" + (f"; the longest query ran {longest:,.0f} s." if longest else "."),
                status="apply",
                commands=(_UNDO_NEED,),
                validate=("Snapshot Too Old and Out of Space are 0", _AFTER),
                findings=_ids(findings, "UNDO004"),
            )
        )
    if _ids(findings, "UNDO002"):
        items.append(
            Recommendation(
                id="roll-back-less",
                title="Find what rolls back",
                action="Rollbacks do work twice; find the module that makes them before moving "
                "undo to other storage.",
                status="apply",
                commands=(_WHO_ROLLS_BACK,),
                validate=("`rollback changes - undo records applied` falls", _AFTER),
                findings=_ids(findings, "UNDO002"),
            )
        )
    return items


def _memory(facts: Mapping[str, Fact], findings: tuple[Finding, ...]) -> list[Recommendation]:
    found = _ids(findings, "TEMP001", "TEMP003")
    gain = facts["pga.advisory_gain_pct"].number
    if "TEMP003" not in found and not (found and gain):
        return []
    more = f" The largest advised target ends {gain:.0f} % of it." if gain is not None else ""
    return [
        Recommendation(
            id="more-work-area-memory",
            title="Give work areas more memory",
            action="Raise PGA_AGGREGATE_TARGET to the row of PGA Memory Advisory where the extra "
            f"MB read and written stop falling.{more}",
            status="apply",
            commands=(
                _PGA_ADVICE,
                "ALTER SYSTEM SET pga_aggregate_target=<bytes> SCOPE=BOTH;",
            ),
            rollback=("ALTER SYSTEM SET pga_aggregate_target=<value before> SCOPE=BOTH;",),
            benefit=_impact(findings, "TEMP001", "TEMP003"),
            prerequisites=("free memory on the host",),
            risks=("Paging, if the host has not that much memory.",),
            validate=("one-pass and multi-pass executions of the PGA histogram fall", _AFTER),
            findings=found,
        )
    ]


_TITLES: Final[dict[Verdict, str]] = {
    "apply": "belongs on low-latency storage",
    "tune-first": "on low-latency storage: tune first",
    "no-benefit": "on low-latency storage: no benefit",
    "need-data": "on low-latency storage: not decided",
}


def _storage(name: str, verdict: storage.StorageVerdict) -> Recommendation:
    what = {"redo": "Redo", "temp": "Temp", "undo": "Undo"}[name]
    doing = verdict.status == "apply"
    return Recommendation(
        id=f"{name}-storage",
        title=f"{what} {_TITLES[verdict.status]}",
        action=verdict.reason,
        status=verdict.status,
        commands=_STORAGE_COMMANDS[name] if doing else (),
        rollback=("Move it back the same way.",) if doing else (),
        benefit=verdict.saving,
        prerequisites=("mirrored low-latency storage", "what is to be tuned first is tuned")
        if doing
        else (),
        risks=("Single devices have outliers: look at the histogram of the event afterwards.",)
        if doing
        else (),
        validate=(_AFTER,) if doing else (),
        findings=verdict.findings,
    )


_STORAGE_COMMANDS: Final = {
    "redo": (
        "ALTER DATABASE ADD LOGFILE THREAD <thread> GROUP <new> '<low-latency path>' SIZE <size>;",
        "ALTER SYSTEM SWITCH LOGFILE;",
        "ALTER DATABASE DROP LOGFILE GROUP <old group>;",
    ),
    "temp": (
        "ALTER TABLESPACE <temp> ADD TEMPFILE '<low-latency path>' SIZE <size>;",
        "ALTER TABLESPACE <temp> DROP TEMPFILE '<old file>';",
    ),
    "undo": (
        "CREATE UNDO TABLESPACE <new undo> DATAFILE '<low-latency path>' SIZE <size>;",
        "ALTER SYSTEM SET undo_tablespace=<new undo> SCOPE=BOTH;",
    ),
}
