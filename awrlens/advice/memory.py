"""Temporary I/O: memory first, then SQL, then separate disks for the tempfiles.

The order is that of Write Accelerator: "once you optimally tune" the sizes of work areas "or find a
proper setting for the pga_aggregate_target parameter and you are still beating the temporary
tablespace to death, then it is time" for storage.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.advice.parts import AFTER, ids, impact
from awrlens.model import Finding, Impact, Recommendation
from awrlens.policy import Policy, Threshold
from awrlens.units import plain

if TYPE_CHECKING:
    from collections.abc import Mapping

    from awrlens.model import Fact

HOST_MEMORY_PCT: Final = Threshold(
    "memory.host_share_pct", 80.0, "%",
    "maximum share of the host's memory for SGA and PGA target together",
    "Oracle Database Performance Tuning Guide, sizing the PGA: 20 % for the operating system",
)  # fmt: skip
WORTH_PCT: Final = Threshold(
    "memory.worth_pct", 10.0, "%",
    "minimum share of the temporary I/O that a larger PGA target has to avoid",
    "awrlens: less is within the variation of the load",
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
    """What to do about temporary I/O before storage, in the order of Write Accelerator."""
    if facts["pga.work_area_policy"].value == "manual":
        first = _manual(facts, findings)
    else:
        first = _target(facts, findings, policy)
    return [*first, *_statements(facts, findings), *_isolation(facts, findings, first)]


def _target(
    facts: Mapping[str, Fact], findings: tuple[Finding, ...], policy: Policy
) -> list[Recommendation]:
    """A larger PGA target: the row of the advisory above which the gain levels off."""
    found = ids(findings, "TEMP001", "TEMP003", "TEMP005")
    ends = facts["pga.recommended_ends_pct"].number
    target, now = facts["pga.recommended_target_mb"].number, facts["pga.target_mb"].number
    if not found or target is None or now is None:
        return _unadvised(findings) if "TEMP003" in found else []
    if target <= now or ends is None or _part(facts, ends) * 100 < policy[WORTH_PCT]:
        return []  # the advisory shows no gain: SQL comes next
    host = facts["pga.recommended_host_pct"].number
    fits = host is None or host <= policy[HOST_MEMORY_PCT]
    room = "" if host is None else f" Together with the SGA, it takes {host:.0f} % of host memory."
    most = (
        f"SGA and PGA target should take at most {policy[HOST_MEMORY_PCT]:g} % of host memory: "
        "free or add memory first"
    )
    wanted = _typed(target)
    return [
        Recommendation(
            id="more-work-area-memory",
            title=f"Increase PGA_AGGREGATE_TARGET to {wanted}"
            if fits
            else f"Free host memory for a PGA_AGGREGATE_TARGET of {wanted}",
            action=f"{'Increase' if fits else 'Do not yet increase'} PGA_AGGREGATE_TARGET from "
            f"{_typed(now)} to {wanted}. In the PGA Memory Advisory, larger targets gain little "
            f"more.{room} {_gain(facts, ends)}",
            status="apply" if fits else "tune-first",
            commands=(_PGA_ADVICE, _SET_TARGET.format(target)) if fits else (_PGA_ADVICE,),
            rollback=(_SET_TARGET.format(now),) if fits else (),
            benefit=_benefit(facts, findings, ends),
            prerequisites=("free memory on the host",) if fits else (f"{most}.",),
            risks=(
                "The host will swap if it does not have this memory free.",
                "The advisory is based on the work since instance start-up.",
                *filter(None, (facts["pga.recommended_target_mb"].note,)),
            ),
            validate=("one-pass and multi-pass executions in the PGA histogram decrease", AFTER),
            findings=found,
        )
    ]


def _typed(mb: float) -> str:
    """A target as one would type it: GB if it is a multiple of 256 MB, else MB."""
    return f"{mb / 1024:g} GB" if mb >= 1024 and mb % 256 == 0 else f"{mb:,.0f} MB"  # noqa: PLR2004


def _size(mb: float) -> str:
    """An amount: MB below 1 GB, else GB."""
    return f"{mb:,.0f} MB" if mb < 1024 else f"{plain(mb / 1024, 3)} GB"  # noqa: PLR2004


def _gain(facts: Mapping[str, Fact], ends: float) -> str:
    """What the target saves of the work areas' I/O, what remains, and what memory cannot save."""
    left = facts["pga.remaining_extra_mb"].number
    extra = facts["pga.extra_mb"].number
    text = f"It avoids {ends:.0f} % of the extra I/O of work areas"
    if left is not None and extra:
        text += f": {_size(left)} of {_size(extra)} in the interval would remain"
    share = facts["pga.temp_share_pct"].number
    if share is not None and share < 100:  # noqa: PLR2004 - the whole
        text += (
            f". Work areas cause {share:.0f} % of the temporary I/O; PGA memory does not reduce "
            "the rest"
        )
    largest, bound = facts["pga.largest_spill_mb"].number, facts["pga.work_area_bound_mb"].number
    if largest and bound and largest > bound:
        text += (
            f". At the end snapshot, a work area was limited to {_size(bound)}; the largest on "
            f"disk needed up to {_size(largest)}"
        )
    return f"{text}."


def _part(facts: Mapping[str, Fact], ends: float) -> float:
    """The part of the temporary I/O that the larger target avoids."""
    share = facts["pga.temp_share_pct"].number
    return ends / 100 * (1.0 if share is None else min(share / 100, 1.0))


def _benefit(facts: Mapping[str, Fact], findings: tuple[Finding, ...], ends: float) -> Impact:
    """The share of the waits that the target avoids: the work areas' part of temporary I/O."""
    whole, part = impact(findings, "TEMP001", "TEMP003", "TEMP005"), _part(facts, ends)
    return Impact(
        None if whole.seconds is None else whole.seconds * part,
        None if whole.pct_db_time is None else whole.pct_db_time * part,
        f"{part * 100:.0f} % of {whole.basis}",
    )


def _unadvised(findings: tuple[Finding, ...]) -> list[Recommendation]:
    """Multi-pass executions, but no advisory in the report that shows the memory needed."""
    return [
        Recommendation(
            id="more-work-area-memory",
            title="Increase PGA_AGGREGATE_TARGET",
            action="Increase PGA_AGGREGATE_TARGET to the row of the PGA Memory Advisory where the "
            "extra MB read and written stop decreasing. The advisory is not in this report.",
            status="apply",
            commands=(_PGA_ADVICE, "ALTER SYSTEM SET pga_aggregate_target=<bytes> SCOPE=BOTH;"),
            rollback=("ALTER SYSTEM SET pga_aggregate_target=<value before> SCOPE=BOTH;",),
            benefit=impact(findings, "TEMP003"),
            prerequisites=("free memory on the host",),
            risks=("The host will swap if it does not have this memory free.",),
            validate=("one-pass and multi-pass executions in the PGA histogram decrease", AFTER),
            findings=ids(findings, "TEMP001", "TEMP003"),
        )
    ]


def _manual(facts: Mapping[str, Fact], findings: tuple[Finding, ...]) -> list[Recommendation]:
    """Work area sizes with manual PGA, as reported; a PGA target since 9i."""
    found = ids(findings, "TEMP001", "TEMP003", "TEMP007")
    if not found:
        return []
    printed = {name: facts[f"pga.{name}_b"].number for name in _SIZES}
    known = [f"{name.upper()} is {size:,.0f} bytes" for name, size in printed.items() if size]
    unknown = [name.upper() for name, size in printed.items() if not size]
    said = "; ".join(known) if known else "Their sizes are not in the report"
    rest = f"; not in the report: {', '.join(unknown)}" if known and unknown else ""
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
            title="Replace manual PGA with PGA_AGGREGATE_TARGET"
            if can_target
            else "Increase SORT_AREA_SIZE and HASH_AREA_SIZE",
            action=(
                "Before changing storage, set PGA_AGGREGATE_TARGET, or increase the work area "
                "sizes of "
                if can_target
                else "Before changing storage, increase the work area sizes of "
            )
            + f"the sessions that sort and join. {said}{rest}.",
            status="apply",
            commands=tuple(commands),
            rollback=tuple(
                f"ALTER SESSION SET {name}={size:.0f};" for name, size in printed.items() if size
            ),
            benefit=impact(findings, *found),
            prerequisites=("free memory on the host",),
            risks=("Every session may allocate this size, and several times per SQL statement.",),
            validate=("`sorts (disk)` and the temporary tablespace's I/O decrease", AFTER),
            findings=found,
        )
    ]


def _statements(facts: Mapping[str, Fact], findings: tuple[Finding, ...]) -> list[Recommendation]:
    """The SQL that spills to temp, with SQL IDs if the report has them."""
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
            title=f"Tune the SQL that spills to temp: {', '.join(named)}"
            if named
            else "Find the SQL that spills to temp",
            action=_who(facts, named, tables=tables),
            status="apply",
            commands=_queries(facts, named, tables=tables),
            benefit=Impact(None, None, "not quantified: part of the waits for temporary I/O"),
            validate=("temporary space of this SQL decreases", AFTER),
            findings=found,
        )
    ]


def _who(facts: Mapping[str, Fact], named: tuple[str, ...], *, tables: bool) -> str:
    """What the report shows about the SQL, and which kinds of segments to look for."""
    text = (
        f"{facts['temp.spilling_sql'].note}."
        if named
        else "The report does not show which SQL uses temporary space. The queries show it while "
        "the SQL runs."
    )
    if tables:
        text += (
            f" Work areas cause only {facts['pga.temp_share_pct'].number:.0f} % of the temporary "
            "I/O: look for temporary tables and LOBs (SEGTYPE DATA, INDEX, LOB_DATA)."
        )
    elif facts["pga.spilled_classes"].value:
        text += f" Spilled work areas by optimal size: {facts['pga.spilled_classes'].note}."
    return text


def _queries(facts: Mapping[str, Fact], named: tuple[str, ...], *, tables: bool) -> tuple[str, ...]:
    """Queries for the sessions that use temporary space now and the work areas on disk."""
    if facts["temp.direct_wait_s"].status == "estimated":  # before 10g
        return (_SPILLS_9I,)
    which = "last_tempseg_size > 0"
    if named:
        which = f"sql_id IN ({', '.join(repr(name) for name in named)})"
    return (_SPILLS_NOW,) if tables else (_WORK_AREAS.format(which=which), _SPILLS_NOW)


def _isolation(
    facts: Mapping[str, Fact], findings: tuple[Finding, ...], first: list[Recommendation]
) -> list[Recommendation]:
    """Tempfiles separate from data files, after memory."""
    found = ids(findings, "TEMP004")
    places = facts["temp.shared_places"].value
    if not found or not isinstance(places, tuple):
        return []
    return [
        Recommendation(
            id="isolate-temp",
            title="Move the tempfiles to separate disks",
            action=f"Tempfiles and data files share {', '.join(places)}. Put the temporary "
            "tablespace on its own disks, of any kind."
            + (" First add memory; it may leave little to move." if first else ""),
            status="tune-first" if first else "apply",
            commands=(
                "ALTER TABLESPACE <temp> ADD TEMPFILE '<own disks>' SIZE <size>;",
                "ALTER TABLESPACE <temp> DROP TEMPFILE '<old file>';",
            ),
            rollback=("Move the files back in the same way.",),
            benefit=Impact(None, None, "not quantified: it depends on the disks"),
            validate=("`Av Rd(ms)` of the data files decreases", AFTER),
            findings=found,
        )
    ]
