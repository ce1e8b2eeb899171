"""Temporary I/O: memory first, then SQL, then separate disks for the tempfiles.

The order is that of Write Accelerator: "once you optimally tune" the sizes of work areas "or find a
proper setting for the pga_aggregate_target parameter and you are still beating the temporary
tablespace to death, then it is time" for storage.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.advice.case import AFTER
from awrlens.model import Impact, Recommendation
from awrlens.policy import Threshold
from awrlens.units import plain

if TYPE_CHECKING:
    from awrlens.advice.case import Case

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
#: 8i has no JOIN in SQL.
_SPILLS_9I: Final = (
    "SELECT s.module, u.sqlhash, u.segtype, SUM(u.blocks) blocks FROM v$sort_usage u, v$session s "
    "WHERE s.saddr = u.session_addr GROUP BY s.module, u.sqlhash, u.segtype ORDER BY 4 DESC;"
)


def _is_manual(case: Case) -> bool:
    return case.value("pga.work_area_policy") == "manual"


def more_work_area_memory(case: Case) -> Recommendation | None:
    """A larger PGA target: the row of the advisory above which the gain levels off."""
    if _is_manual(case):
        return None
    ends = case.get("pga.recommended_ends_pct")
    target, now = case.get("pga.recommended_target_mb"), case.get("pga.target_mb")
    if target is None or now is None:
        return _without_advisory(case) if case.found("TEMP003") else None
    if target <= now or ends is None or _part(case, ends) * 100 < case.policy[WORTH_PCT]:
        return None  # the advisory shows no gain: SQL comes next
    host, most = case.get("pga.recommended_host_pct"), case.policy[HOST_MEMORY_PCT]
    free = case.get("pga.host_free_mb")
    short = free is not None and target - now > free
    fits = not short and (host is None or host <= most)
    room = "" if host is None else f" Together with the SGA, it takes {host:.0f} % of host memory."
    wanted = _typed(target)
    if short:
        room += f" It takes {target - now:,.0f} MB more, but the host has {free:,.0f} MB free."
    title = f"Increase PGA_AGGREGATE_TARGET to {wanted}"
    prerequisite = _FREE_MEMORY
    if not fits:
        title = f"Free host memory for a PGA_AGGREGATE_TARGET of {wanted}"
        prerequisite = (
            "memory that the host has free (`free`, `vmstat`): free or add memory first"
            if short
            else f"SGA and PGA target should take at most {most:g} % of host memory: free or add "
            "memory first."
        )
    whole, part = case.impact("TEMP001", "TEMP003", "TEMP005"), _part(case, ends)
    return Recommendation(
        "more-work-area-memory",
        title,
        f"{'Increase' if fits else 'Do not yet increase'} PGA_AGGREGATE_TARGET from "
        f"{_typed(now)} to {wanted}. In the PGA Memory Advisory, larger targets gain little "
        f"more.{room} {_gain(case, ends)}",
        "apply" if fits else "tune-first",
        commands=(_PGA_ADVICE, _SET_TARGET.format(target)) if fits else (_PGA_ADVICE,),
        rollback=(_SET_TARGET.format(now),) if fits else (),
        benefit=Impact(
            None if whole.seconds is None else whole.seconds * part,
            None if whole.pct_db_time is None else whole.pct_db_time * part,
            f"{part * 100:.0f} % of {whole.basis}",
        ),
        prerequisites=(prerequisite,),
        risks=(
            _SWAP,
            "The advisory is based on the work since instance start-up.",
            *filter(None, (case.facts["pga.recommended_target_mb"].note,)),
        ),
        validate=(_FEWER_PASSES, AFTER),
    )


_FREE_MEMORY: Final = "free memory on the host"
_SWAP: Final = "The host will swap if it does not have this memory free."
_FEWER_PASSES: Final = "one-pass and multi-pass executions in the PGA histogram decrease"


def _without_advisory(case: Case) -> Recommendation:
    """Multi-pass executions, but no advisory in the report that shows the memory needed."""
    return Recommendation(
        "more-work-area-memory",
        "Increase PGA_AGGREGATE_TARGET",
        "Increase PGA_AGGREGATE_TARGET to the row of the PGA Memory Advisory where the "
        "extra MB read and written stop decreasing. The advisory is not in this report.",
        "apply",
        commands=(_PGA_ADVICE, "ALTER SYSTEM SET pga_aggregate_target=<bytes> SCOPE=BOTH;"),
        rollback=("ALTER SYSTEM SET pga_aggregate_target=<value before> SCOPE=BOTH;",),
        benefit=case.impact("TEMP003"),
        prerequisites=(_FREE_MEMORY,),
        risks=(_SWAP,),
        validate=(_FEWER_PASSES, AFTER),
        findings=case.found("TEMP001", "TEMP003"),
    )


def _typed(mb: float) -> str:
    """A target as one would type it: GB if it is a multiple of 256 MB, else MB."""
    return f"{mb / 1024:g} GB" if mb >= 1024 and mb % 256 == 0 else f"{mb:,.0f} MB"  # noqa: PLR2004


def _size(mb: float) -> str:
    """An amount: MB below 1 GB, else GB."""
    return f"{mb:,.0f} MB" if mb < 1024 else f"{plain(mb / 1024, 3)} GB"  # noqa: PLR2004


def _gain(case: Case, ends: float) -> str:
    """What the target saves of the work areas' I/O, what remains, and what memory cannot save."""
    left, extra = case.get("pga.remaining_extra_mb"), case.get("pga.extra_mb")
    text = f"It avoids {ends:.0f} % of the extra I/O of work areas"
    if left is not None and extra:
        text += f": {_size(left)} of {_size(extra)} in the interval would remain"
    share = case.get("pga.temp_share_pct")
    if share is not None and share < 100:  # noqa: PLR2004 - the whole
        text += (
            f". Work areas cause {share:.0f} % of the temporary I/O; PGA memory does not reduce "
            "the rest"
        )
    largest, bound = case.get("pga.largest_spill_mb"), case.get("pga.work_area_bound_mb")
    if largest and bound and largest > bound:
        text += (
            f". At the end snapshot, a work area was limited to {_size(bound)}; the largest on "
            f"disk needed up to {_size(largest)}"
        )
    return f"{text}."


def _part(case: Case, ends: float) -> float:
    """The part of the temporary I/O that the larger target avoids: the work areas' part of it."""
    share = case.get("pga.temp_share_pct")
    return ends / 100 * (1.0 if share is None else min(share / 100, 1.0))


def size_work_areas(case: Case) -> Recommendation | None:
    """Work area sizes with manual PGA, as reported; a PGA target since 9i."""
    if not _is_manual(case):
        return None
    sizes = {name: case.get(f"pga.{name}_b") for name in _SIZES}
    known = [f"{name.upper()} is {size:,.0f} bytes" for name, size in sizes.items() if size]
    unknown = [name.upper() for name, size in sizes.items() if not size]
    shown = "; ".join(known) if known else "Their sizes are not in the report"
    if known and unknown:
        shown += f"; not in the report: {', '.join(unknown)}"
    title, first = "Increase SORT_AREA_SIZE and HASH_AREA_SIZE", "increase the work area sizes of"
    commands: tuple[str, ...] = ("ALTER SESSION SET sort_area_size=<bytes>;",)
    if case.facts["pga.work_area_policy"].status != "estimated":  # 8i has no PGA target
        title = "Replace manual PGA with PGA_AGGREGATE_TARGET"
        first = "set PGA_AGGREGATE_TARGET, or increase the work area sizes of"
        commands = (
            "ALTER SYSTEM SET pga_aggregate_target=<bytes> SCOPE=BOTH;",
            "ALTER SYSTEM SET workarea_size_policy=AUTO SCOPE=BOTH;",
        )
    return Recommendation(
        "size-work-areas",
        title,
        f"Before changing storage, {first} the sessions that sort and join. {shown}.",
        "apply",
        commands=commands,
        rollback=tuple(
            f"ALTER SESSION SET {name}={size:.0f};" for name, size in sizes.items() if size
        ),
        benefit=case.impact(*case.found("TEMP001", "TEMP003", "TEMP007")),
        prerequisites=(_FREE_MEMORY,),
        risks=("Every session may allocate this size, and several times per SQL statement.",),
        validate=("`sorts (disk)` and the temporary tablespace's I/O decrease", AFTER),
    )


def tune_spilling_statements(case: Case) -> Recommendation:
    """The SQL that spills to temp, with SQL IDs if the report has them."""
    fact, share = case.facts["temp.spilling_sql"], case.get("pga.temp_share_pct")
    named = fact.value if isinstance(fact.value, tuple) else ()
    title = "Find the SQL that spills to temp"
    action = (
        "The report does not show which SQL uses temporary space. The queries show it while the "
        "SQL runs."
    )
    which = "last_tempseg_size > 0"
    if named:
        title = f"Tune the SQL that spills to temp: {', '.join(named)}"
        action = f"{fact.note}."
        which = f"sql_id IN ({', '.join(repr(name) for name in named)})"
    queries: tuple[str, ...] = (_WORK_AREAS.format(which=which), _SPILLS_NOW)
    if share is not None and share < _MAJORITY_PCT:
        action += (
            f" Work areas cause only {share:.0f} % of the temporary I/O: look for temporary tables "
            "and LOBs (SEGTYPE DATA, INDEX, LOB_DATA)."
        )
        queries = (_SPILLS_NOW,)
    elif case.value("pga.spilled_classes"):
        note = case.facts["pga.spilled_classes"].note
        action += f" Spilled work areas by optimal size: {note}."
    if case.facts["temp.direct_wait_s"].status == "estimated":  # before 10g
        queries = (_SPILLS_9I,)
    return Recommendation(
        "tune-spilling-statements",
        title,
        action,
        "apply",
        commands=queries,
        benefit=Impact(None, None, "not quantified: part of the waits for temporary I/O"),
        validate=("temporary space of this SQL decreases", AFTER),
    )


#: What comes before disks: memory, with automatic or manual PGA.
_MEMORY: Final = {
    "more-work-area-memory": more_work_area_memory, "size-work-areas": size_work_areas,
}  # fmt: skip


def isolate_temp(case: Case) -> Recommendation | None:
    """Tempfiles separate from data files, after memory."""
    places = case.value("temp.shared_places")
    if not isinstance(places, tuple):
        return None
    memory = any(case.answers(name) and make(case) for name, make in _MEMORY.items())
    return Recommendation(
        "isolate-temp",
        "Move the tempfiles to separate disks",
        f"Tempfiles and data files share {', '.join(places)}. Put the temporary "
        "tablespace on its own disks, of any kind."
        + (" First add memory; it may leave little to move." if memory else ""),
        "tune-first" if memory else "apply",
        commands=(
            "ALTER TABLESPACE <temp> ADD TEMPFILE '<own disks>' SIZE <size>;",
            "ALTER DATABASE TEMPFILE '<old file>' DROP;",
        ),
        rollback=("Move the files back in the same way.",),
        benefit=Impact(None, None, "not quantified: it depends on the disks"),
        validate=("`Av Rd(ms)` of the data files decreases", AFTER),
    )
