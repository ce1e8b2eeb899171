"""Temporary I/O: memory first, then the statements, then a place of its own for the files.

The order is document 3's: "once you optimally tune" the sizes of work areas "or find a proper
setting for the pga_aggregate_target parameter and you are still beating the temporary tablespace
to death, then it is time" for storage.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.advice.parts import AFTER, ids, impact
from awrlens.model import Finding, Impact, Recommendation
from awrlens.policy import Policy, Threshold

if TYPE_CHECKING:
    from collections.abc import Mapping

    from awrlens.model import Fact

HOST_MEMORY_PCT: Final = Threshold(
    "memory.host_share_pct", 80.0, "%",
    "share of the host's memory that SGA and PGA target may take together",
    "Oracle Database Performance Tuning Guide, sizing the PGA: 20 % for the operating system",
)  # fmt: skip
WORTH_PCT: Final = Threshold(
    "memory.worth_pct", 10.0, "%",
    "share of the temporary I/O that a larger PGA target must end to be worth setting",
    "awrlens: less is within what one load differs from the next",
)  # fmt: skip

THRESHOLDS: Final = (HOST_MEMORY_PCT, WORTH_PCT)
#: Less than half is not the main part.
_MAJORITY_PCT: Final = 50.0
_SIZES: Final = (
    "sort_area_size", "hash_area_size", "bitmap_merge_area_size", "create_bitmap_area_size",
)  # fmt: skip
_PGA_ADVICE: Final = (
    "SELECT ROUND(pga_target_for_estimate/1048576) mb, ROUND(estd_extra_bytes_rw/1048576) "
    "extra_mb, estd_overalloc_count FROM v$pga_target_advice ORDER BY 1;"
)
_SET_TARGET: Final = "ALTER SYSTEM SET pga_aggregate_target={:.0f}M SCOPE=BOTH;"
_WORK_AREAS: Final = (
    "SELECT sql_id, operation_type, onepass_executions, multipasses_executions, "
    "ROUND(last_tempseg_size/1048576) temp_mb FROM v$sql_workarea WHERE {which} "
    "ORDER BY last_tempseg_size DESC NULLS LAST;"
)
_SPILLS_NOW: Final = (
    "SELECT s.module, u.sql_id, u.segtype, SUM(u.blocks) blocks FROM v$tempseg_usage u "
    "JOIN v$session s ON s.saddr = u.session_addr GROUP BY s.module, u.sql_id, u.segtype "
    "ORDER BY 4 DESC;"
)
_SPILLS_9I: Final = (
    "SELECT s.module, u.sqlhash, u.segtype, SUM(u.blocks) blocks FROM v$sort_usage u "
    "JOIN v$session s ON s.saddr = u.session_addr GROUP BY s.module, u.sqlhash, u.segtype "
    "ORDER BY 4 DESC;"
)


def memory(
    facts: Mapping[str, Fact], findings: tuple[Finding, ...], policy: Policy
) -> list[Recommendation]:
    """What to do about temporary I/O before storage, in document 3's order."""
    if facts["pga.work_area_policy"].value == "manual":
        first = _by_hand(facts, findings)
    else:
        first = _target(facts, findings, policy)
    return [*first, *_statements(facts, findings), *_isolation(facts, findings, first)]


def _target(
    facts: Mapping[str, Fact], findings: tuple[Finding, ...], policy: Policy
) -> list[Recommendation]:
    """A larger PGA target, to the advisory's row at which the gain flattens."""
    found = ids(findings, "TEMP001", "TEMP003", "TEMP005")
    ends = facts["pga.recommended_ends_pct"].number
    target, now = facts["pga.recommended_target_mb"].number, facts["pga.target_mb"].number
    if not found or target is None or now is None:
        return _unadvised(findings) if "TEMP003" in found else []
    if target <= now or ends is None or _part(facts, ends) * 100 < policy[WORTH_PCT]:
        return []  # the advisory sees no gain: the statements come next
    host = facts["pga.recommended_host_pct"].number
    fits = host is None or host <= policy[HOST_MEMORY_PCT]
    room = "" if host is None else f"; with the SGA that is {host:.0f} % of the host's memory"
    most = f"SGA and PGA target may take {policy[HOST_MEMORY_PCT]:g} % of it: find the memory first"
    return [
        Recommendation(
            id="more-work-area-memory",
            title="Give work areas more memory"
            if fits
            else "Work areas want more memory than the host has free",
            action=f"{'Raise' if fits else 'Do not yet raise'} PGA_AGGREGATE_TARGET from "
            f"{now:,.0f} to {target:,.0f} MB, the smallest advised target at which the gain has "
            f"flattened{room}. {_gain(facts, ends)}",
            status="apply" if fits else "tune-first",
            commands=(_PGA_ADVICE, _SET_TARGET.format(target)) if fits else (_PGA_ADVICE,),
            rollback=(_SET_TARGET.format(now),) if fits else (),
            benefit=_benefit(facts, findings, ends),
            prerequisites=("free memory on the host",) if fits else (f"{most}.",),
            risks=(
                "The host will page if it does not have this memory free.",
                "The advisory replays the work since the instance started.",
                *filter(None, (facts["pga.recommended_target_mb"].note,)),
            ),
            validate=("one-pass and multi-pass executions of the PGA histogram fall", AFTER),
            findings=found,
        )
    ]


def _gain(facts: Mapping[str, Fact], ends: float) -> str:
    """What the target ends of the work areas' I/O, what remains, and what is none of theirs."""
    left = facts["pga.remaining_extra_mb"].number
    extra = facts["pga.extra_mb"].number
    text = f"It ends {ends:.0f} % of the extra I/O of work areas"
    if left is not None and extra:
        text += f": of {extra:,.0f} MB in the interval {left:,.0f} would remain"
    share = facts["pga.temp_share_pct"].number
    if share is not None and share < 100:  # noqa: PLR2004 - the whole
        text += f". Work areas are {share:.0f} % of the temporary I/O; no PGA memory ends the rest"
    largest, bound = facts["pga.largest_spill_mb"].number, facts["pga.work_area_bound_mb"].number
    if largest and bound and largest > bound:
        text += (
            f". At the end one work area got {bound:,.0f} MB at most; the largest on disk "
            f"wanted up to {largest:,.0f} MB"
        )
    return f"{text}."


def _part(facts: Mapping[str, Fact], ends: float) -> float:
    """The part of the temporary I/O that ends with the work areas' extra I/O."""
    share = facts["pga.temp_share_pct"].number
    return ends / 100 * (1.0 if share is None else min(share / 100, 1.0))


def _benefit(facts: Mapping[str, Fact], findings: tuple[Finding, ...], ends: float) -> Impact:
    """The share of the waits that the target ends: work areas' part of the temporary I/O."""
    whole, part = impact(findings, "TEMP001", "TEMP003", "TEMP005"), _part(facts, ends)
    return Impact(
        None if whole.seconds is None else whole.seconds * part,
        None if whole.pct_db_time is None else whole.pct_db_time * part,
        f"{part * 100:.0f} % of {whole.basis}",
    )


def _unadvised(findings: tuple[Finding, ...]) -> list[Recommendation]:
    """Several passes, and no advisory in the report that says how much memory ends them."""
    return [
        Recommendation(
            id="more-work-area-memory",
            title="Give work areas more memory",
            action="Raise PGA_AGGREGATE_TARGET to the row of PGA Memory Advisory where the extra "
            "MB read and written stop falling; this report does not print it.",
            status="apply",
            commands=(_PGA_ADVICE, "ALTER SYSTEM SET pga_aggregate_target=<bytes> SCOPE=BOTH;"),
            rollback=("ALTER SYSTEM SET pga_aggregate_target=<value before> SCOPE=BOTH;",),
            benefit=impact(findings, "TEMP003"),
            prerequisites=("free memory on the host",),
            risks=("The host will page if it does not have this memory free.",),
            validate=("one-pass and multi-pass executions of the PGA histogram fall", AFTER),
            findings=ids(findings, "TEMP001", "TEMP003"),
        )
    ]


def _by_hand(facts: Mapping[str, Fact], findings: tuple[Finding, ...]) -> list[Recommendation]:
    """Sizes of manual work areas, as printed; a PGA target from 9i on."""
    found = ids(findings, "TEMP001", "TEMP003", "TEMP007")
    if not found:
        return []
    printed = {name: facts[f"pga.{name}_b"].number for name in _SIZES}
    known = [f"{name.upper()} is {size:,.0f} bytes" for name, size in printed.items() if size]
    unknown = [name.upper() for name, size in printed.items() if not size]
    said = "; ".join(known) if known else "Their sizes are not printed"
    rest = f"; not printed: {', '.join(unknown)}" if known and unknown else ""
    can_target = facts["pga.work_area_policy"].status != "estimated"  # 8i has no such parameter
    commands = ["ALTER SESSION SET sort_area_size=<bytes>;"]
    if can_target:
        commands = [
            "ALTER SYSTEM SET pga_aggregate_target=<bytes> SCOPE=BOTH;",
            "ALTER SYSTEM SET workarea_size_policy=AUTO SCOPE=BOTH;",
        ]
    return [
        Recommendation(
            id="size-work-areas",
            title="Size the work areas",
            action=(
                "Let PGA_AGGREGATE_TARGET size work areas, or enlarge them for the sessions that "
                if can_target
                else "Enlarge the work areas of the sessions that "
            )
            + f"sort and join, before any storage. {said}{rest}.",
            status="apply",
            commands=tuple(commands),
            rollback=tuple(
                f"ALTER SESSION SET {name}={size:.0f};" for name, size in printed.items() if size
            ),
            benefit=impact(findings, *found),
            prerequisites=("free memory on the host",),
            risks=("Every session may take that much, several times in one statement.",),
            validate=("`sorts (disk)` and the temporary tablespace's I/O fall", AFTER),
            findings=found,
        )
    ]


def _statements(facts: Mapping[str, Fact], findings: tuple[Finding, ...]) -> list[Recommendation]:
    """The statements that spill, by name where the report has them."""
    found = ids(findings, "TEMP001", "TEMP003", "TEMP005", "TEMP006", "TEMP008")
    if not found:
        return []
    names = facts["temp.spilling_sql"].value
    named = names if isinstance(names, tuple) else ()
    share = facts["pga.temp_share_pct"].number
    tables = share is not None and share < _MAJORITY_PCT
    return [
        Recommendation(
            id="tune-spilling-statements",
            title=f"Tune what spills: {', '.join(named)}" if named else "Find the SQL that spills",
            action=_who(facts, named, tables=tables),
            status="apply",
            commands=_queries(facts, named, tables=tables),
            benefit=Impact(None, None, "not quantified: part of the waits for temporary I/O"),
            validate=("its temporary space falls", AFTER),
            findings=found,
        )
    ]


def _who(facts: Mapping[str, Fact], named: tuple[str, ...], *, tables: bool) -> str:
    """What the report tells of the statements, and what kind of thing to look for."""
    text = (
        f"{facts['temp.spilling_sql'].note}."
        if named
        else "The report does not tell which statements use temporary space: the queries do while "
        "they run."
    )
    if tables:
        text += (
            f" Work areas make {facts['pga.temp_share_pct'].number:.0f} % of the temporary I/O: "
            "look for temporary tables and LOBs (SEGTYPE DATA, INDEX, LOB_DATA)."
        )
    elif facts["pga.spilled_classes"].value:
        text += f" Work areas by the memory they wanted: {facts['pga.spilled_classes'].note}."
    return text


def _queries(facts: Mapping[str, Fact], named: tuple[str, ...], *, tables: bool) -> tuple[str, ...]:
    """Who uses temporary space now, and which work areas went there."""
    if facts["temp.direct_wait_s"].status == "estimated":  # before 10g
        return (_SPILLS_9I,)
    which = "last_tempseg_size > 0"
    if named:
        which = f"sql_id IN ({', '.join(repr(name) for name in named)})"
    return (_SPILLS_NOW,) if tables else (_WORK_AREAS.format(which=which), _SPILLS_NOW)


def _isolation(
    facts: Mapping[str, Fact], findings: tuple[Finding, ...], first: list[Recommendation]
) -> list[Recommendation]:
    """Temporary files away from data files, after what memory there is to give."""
    found = ids(findings, "TEMP004")
    places = facts["temp.shared_places"].value
    if not found or not isinstance(places, tuple):
        return []
    return [
        Recommendation(
            id="isolate-temp",
            title="Set temporary files apart from data files",
            action=f"Temporary and data files are together on {', '.join(places)}. Give the "
            "temporary tablespace disks of its own, of whatever kind"
            + ("; after memory, which may leave little to move." if first else "."),
            status="tune-first" if first else "apply",
            commands=(
                "ALTER TABLESPACE <temp> ADD TEMPFILE '<own disks>' SIZE <size>;",
                "ALTER TABLESPACE <temp> DROP TEMPFILE '<old file>';",
            ),
            rollback=("Move it back the same way.",),
            benefit=Impact(None, None, "not quantified: it depends on the disks"),
            validate=("`Av Rd(ms)` of the data files falls", AFTER),
            findings=found,
        )
    ]
