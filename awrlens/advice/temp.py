"""Temporary I/O: memory first, then SQL, then separate disks for the tempfiles.

The order is that of Write Accelerator: "once you optimally tune" the sizes of work areas "or find a
proper setting for the pga_aggregate_target parameter and you are still beating the temporary
tablespace to death, then it is time" for storage.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from awrlens.advice import case as address_space
from awrlens.advice import features
from awrlens.advice.case import (
    AFTER,
    NOT_QUANTIFIED,
    REDO_LOG_MEMBERS,
    advice,
    archived,
    mb_in_words,
)
from awrlens.advice.queries import query, texts
from awrlens.model import Impact, Recommendation, Sign
from awrlens.units import first_of, plain

if TYPE_CHECKING:
    from awrlens.advice.case import Case


#: The waits that memory, tuning of SQL and storage reduce.
WAITS: Final = ("temp.direct_wait_s",)
_SIZES: Final = (
    "sort_area_size", "hash_area_size", "bitmap_merge_area_size", "create_bitmap_area_size",
)  # fmt: skip
_TEMP_SPACE: Final = "ALTER TABLESPACE <temporary tablespace>"
_FREE_MEMORY: Final = "free memory on the host"
_SWAP: Final = "The host will swap if it does not have this memory free."
_FEWER_PASSES: Final = "one-pass and multi-pass executions in the PGA histogram decrease"


def is_manual(case: Case) -> bool:
    """Whether work areas have sizes by parameters, as in every database before 9i."""
    has_target = features.has(case.facts, "pga_aggregate_target")
    return case.value("pga.work_area_policy") == "manual" or has_target is False


@advice(
    "more-work-area-memory", "online", "medium",
    answers=("TEMP001", "TEMP003", "TEMP005", "TEMP008"), ends=WAITS,
    sign=Sign("pga.target_mb", "MB of PGA target", rises=True),
)  # fmt: skip
def more_work_area_memory(case: Case) -> Recommendation | None:
    """Increase PGA_AGGREGATE_TARGET."""
    if is_manual(case):
        return None
    ends = case.get("pga.recommended_ends_pct")
    target, now = case.get("pga.recommended_target_mb"), case.get("pga.target_mb")
    still = case.get("pga.recommended_over_allocations")
    if target is None or now is None or (still and target < case.or_zero("pga.allocated_mb")):
        # only multi-pass executions or memory above the target show that memory is short
        return _without_advisory(case) if case.fired("TEMP003") else None
    host, most = case.get("pga.recommended_host_pct"), case.policy["memory.host_share_pct"]
    whole_mb, fitting = case.or_zero("pga.host_memory_mb"), case.get("pga.fitting_target_mb")
    more = case.facts["pga.recommended_target_mb"].note or "larger targets gain little more"
    if host is not None and host > most and fitting is not None:
        more = (
            f"{_typed(target)} avoids {ends:.0f} %, but takes {host:.0f} % of the host's memory "
            "with the SGA"
        )
        host -= (target - fitting) * 100 / whole_mb
        target, ends = fitting, case.get("pga.fitting_ends_pct")
    share = case.get("pga.temp_share_pct")  # memory avoids only the work areas' part
    part = (ends or 0.0) / 100 * (1.0 if share is None else min(share / 100, 1.0))
    if target <= now or ends is None or part * 100 < case.policy["memory.worth_pct"]:
        return None  # the advisory shows no gain: SQL comes next
    # the share of the target that a work area gets falls with the target, if it changes
    bound, smallest = (case.get(f"pga.{name}_mb") for name in ("work_area_bound", "smallest_spill"))
    still_mb = smallest if bound and smallest and bound * target / now < smallest else None
    if still_mb and not case.fired("TEMP003"):
        return None  # each work area still goes to disk, and once is not less
    free, wanted = case.get("pga.host_free_mb"), _typed(target)
    # above the target, the instance has the memory already
    need = max(0.0, target - max(now, case.or_zero("pga.allocated_mb")))
    short = free is not None and need > free
    exceeds = address_space.exceeds(case, target)
    fits = not exceeds and not short and (host is None or host <= most)
    title = first_of(
        (exceeds, f"Use 64-bit Oracle, or a smaller SGA, for a PGA_AGGREGATE_TARGET of {wanted}"),
        (fits, f"Increase PGA_AGGREGATE_TARGET to {wanted}"),
        (True, f"Free host memory for a PGA_AGGREGATE_TARGET of {wanted}"),
    )
    prerequisite = first_of(
        (exceeds, "addresses for it in the process of Oracle"),
        (short, "memory that the host has free (`free`, `vmstat`): free or add memory first"),
        (not fits,
         (f"SGA and PGA target should take at most {most:g} % of host memory: free or add "
          "memory first.")),
        (free is not None, f"{mb_in_words(free or 0)} free on the host at the snapshots"),
        (host is not None,
         (f"everything else on the host fits in {mb_in_words((1 - (host or 0) / 100) * whole_mb)}: "
          f"the SGA and this target take {host or 0:.0f} % of its {mb_in_words(whole_mb)}")),
        (True, _FREE_MEMORY),
    )  # fmt: skip
    room = "" if host is None else f" With the SGA, {wanted} takes {host:.0f} % of host memory."
    if short:
        room += f" It takes {need:,.0f} MB more, but the host has {free:,.0f} MB free."
    whole = case.impact(*more_work_area_memory.declared.answers)
    return Recommendation(
        title,
        f"{'Increase' if fits else 'Do not yet increase'} PGA_AGGREGATE_TARGET from "
        f"{_typed(now)} to {wanted}. In the PGA Memory Advisory, {more}.{room} "
        f"{_still(still_mb, (bound or 0) * target / now) if still_mb else _gain(case, ends)}",
        "apply" if fits else "tune-first",
        commands=case.that_run(
            query("pga_advice"), *((_target(case, f"{target:.0f}M"),) if fits else ())
        ),
        rollback=(_target(case, f"{now:.0f}M"),) if fits else (),
        benefit=_part_of(whole, part, 0.0 if is_doubtful(case) else None)
        if fits and not still_mb
        else NOT_QUANTIFIED,
        prerequisites=(prerequisite,),
        risks=(
            _SWAP,
            *address_space.bound(case),
            "The advisory is based on the work since instance start-up.",
        ),
        validate=(_FEWER_PASSES, AFTER),
    )


def _part_of(whole: Impact, part: float, least_pct: float | None = None) -> Impact:
    seconds, pct = (value and value * part for value in (whole.seconds, whole.pct_db_time))
    return Impact(seconds, pct, f"{part * 100:.0f} % of {whole.basis}", least_pct_db_time=least_pct)


def _without_advisory(case: Case) -> Recommendation:
    """Memory is short, but no advisory in the report shows how much is needed."""
    held, target = case.get("pga.allocated_mb"), case.get("pga.target_mb")
    bound, title, more = case.get("pga.work_area_bound_mb"), "Increase PGA_AGGREGATE_TARGET", ""
    if held is not None and target is not None and bound is not None and held > target:
        title += f" from {_typed(target)} to more than the {mb_in_words(held)} in use"
        of = f" ({note})" if (note := case.facts["pga.allocated_mb"].note) else ""
        more = f" At the end snapshot, {mb_in_words(held)} was in use{of}, and a work area was "
        more += f"limited to {plain(bound, 2)} MB."
    why, advised = "the advisory is not in this report", case.get("pga.recommended_target_mb")
    if advised is not None:
        why = f"the advisory ends at {_typed(advised)}, where PGA memory is still over-allocated"
    return Recommendation(
        title,
        "Increase PGA_AGGREGATE_TARGET to the row of the PGA Memory Advisory where the "
        f"extra MB read and written stop decreasing; {why}.{more}",
        commands=case.that_run(query("pga_advice"), _target(case, "<bytes>")),
        rollback=(_target(case, "<value before>"),),
        benefit=Impact(None, None, f"not quantified: {why}"),
        prerequisites=(_FREE_MEMORY,),
        risks=(_SWAP, *address_space.bound(case)),
        validate=(_FEWER_PASSES, AFTER),
        findings=case.fired("TEMP001", "TEMP003"),
    )


def _target(case: Case, value: str) -> str:
    return features.change(case.facts, "pga_aggregate_target", value)


def _typed(mb: float) -> str:
    """A target as one would type it: GB if it is a multiple of 256 MB, else MB."""
    return f"{mb / 1024:g} GB" if mb >= 1024 and mb % 256 == 0 else f"{mb:,.0f} MB"  # noqa: PLR2004


def is_doubtful(case: Case) -> bool:
    """Whether the advisory expects less I/O of work areas than the interval had."""
    return case.get("pga.extra_mb") is not None and case.get("pga.remaining_extra_mb") is None


def _still(smallest_mb: float, bound_mb: float) -> str:
    """What a target does not save: work areas that are larger than it lets one be."""
    return (
        f"The work areas that went to disk needed at least {mb_in_words(smallest_mb)}, and one may "
        f"then have about {mb_in_words(bound_mb)}: they go to disk in fewer passes, but still do."
    )


def _gain(case: Case, ends: float) -> str:
    """What the target saves of the work areas' I/O, what remains, and what memory cannot save."""
    left, extra = case.get("pga.remaining_extra_mb"), case.get("pga.extra_mb")
    share = case.get("pga.temp_share_pct")
    largest, bound = case.get("pga.largest_spill_mb"), case.get("pga.work_area_bound_mb")
    text = f"It avoids {ends:.0f} % of the extra I/O of work areas"
    if is_doubtful(case):
        why = case.lacking("pga.remaining_extra_mb")
        text = f"At most, it avoids {ends:.0f} % of the extra I/O of work areas: {why}"
    if left is not None and extra:
        left = extra * (1 - ends / 100)
        text += f": {mb_in_words(left)} of {mb_in_words(extra)} in the interval would remain"
    if share is not None and share < 100:  # noqa: PLR2004 - the whole
        text += (
            f". Work areas cause {share:.0f} % of the temporary I/O; PGA memory does not reduce "
            "the rest"
        )
    if largest and bound and largest > bound:
        text += (
            f". At the end snapshot, a work area was limited to {mb_in_words(bound)}; the largest "
            f"on disk needed up to {mb_in_words(largest)}"
        )
    return f"{text}."


@advice(
    "tune-spilling-statements", "application", "medium",
    answers=("TEMP001", "TEMP003", "TEMP005", "TEMP006", "TEMP008"), ends=WAITS,
)  # fmt: skip
def tune_spilling_statements(case: Case) -> Recommendation | None:
    """Tune the SQL that spills to temp.

    If only work areas spill and few sessions wait, memory is the cheaper answer.
    """
    spilled = case.fired(*tune_spilling_statements.declared.answers)
    if spilled == ("TEMP003",) and not case.at_least("warning", "TEMP003"):
        return None
    was_mb = case.before["temp.direct_mb"].number if case.before else None
    is_mb = case.get("temp.direct_mb")
    if case.fired("REDO014") and was_mb is not None and is_mb is not None and is_mb < was_mb:
        return None  # less temporary I/O, which takes longer with all other
    facts = [case.facts[f"temp.{by}_sql"] for by in ("spilling", "reading")]
    fact, share = facts[0] if facts[0].value else facts[1], case.get("pga.temp_share_pct")
    spills = case.get("pga.onepass") != 0 or case.get("pga.multipass") != 0
    title, which = "Find the SQL that spills to temp", "last_tempseg_size > 0"
    action = texts("SQL of temporary space")[0]
    if isinstance(fact.value, tuple) and fact.value:
        title = f"Tune the SQL that spills to temp: {', '.join(fact.value)}"
        action = f"{fact.note}."
        least, most = (case.get(f"temp.reading_sql_{of}pct") for of in ("", "most_"))
        # most may be of other SQL (Statspack 8.1.7 report 05)
        if fact is facts[1] and (least or 0.0) < 50 and most is not None and most < 100:  # noqa: PLR2004
            title = f"Tune SQL {', '.join(fact.value)} (at most {most:.0f} % of the temp reads), "
            title += "and find the other SQL that spills"
            action += f" At least {100 - most:.0f} % are of other SQL."
        elif not fact.value[0].isdigit():  # a hash value of Statspack
            which = f"sql_id IN ({', '.join(map(repr, fact.value))})"
    queries: tuple[str, ...] = (query("work_areas").format(which=which), query("spills"))
    if not spills:
        title = title.replace("spills to temp", "uses temporary tables or temporary LOBs")
        if (changed := case.or_zero("temp.with_pct")) >= 50:  # noqa: PLR2004 - the majority
            title = f"Find the SQL with a materialized WITH subquery (SYS_TEMP_…: {changed:.0f} %"
            title += " of block changes)"
    if not spills or (share is not None and share < 50):  # noqa: PLR2004 - not the main part
        areas = f"cause only {share:.0f} % of the temporary I/O" if spills else "never spilled"
        action += (
            f" Work areas {areas}: look for temporary tables, materialized WITH subqueries "
            "and LOBs (SEGTYPE DATA, INDEX, LOB_DATA)."
        )
        queries = (query("spills"),)
    elif case.value("pga.spilled_classes"):
        note, mb = case.facts["pga.spilled_classes"].note, case.or_zero("pga.work_area_bound_mb")
        action += f" Spilled work areas by optimal size: {note}."
        action += f" A work area was limited to {mb_in_words(mb)} at the end snapshot." * (mb > 0)
    return Recommendation(
        title,
        action,
        commands=case.that_run(*queries) or (query("spills_8i"),),
        benefit=Impact(None, None, "not quantified: part of the waits for temporary I/O"),
        validate=("temporary space of this SQL decreases", AFTER),
    )


def manual_sizes(case: Case) -> str:
    """The parameters of manual work areas that may keep the temporary I/O in memory."""
    joins = "HASH_AREA_SIZE and BITMAP_MERGE_AREA_SIZE"
    return joins if case.get("temp.sorts_disk") == 0 else f"SORT_AREA_SIZE, {joins}"


@advice(
    "size-work-areas", "online", "medium", answers=("TEMP001", "TEMP003", "TEMP007"),
    after=(tune_spilling_statements,), ends=WAITS, short="larger work areas",
)  # fmt: skip
def size_work_areas(case: Case) -> Recommendation | None:
    """Replace or enlarge the work areas of manual PGA."""
    if not is_manual(case):
        return None
    sizes = {name: case.get(f"pga.{name}_b") for name in _SIZES}
    settings = [f"{name.upper()} is {size:,.0f} bytes" for name, size in sizes.items() if size]
    shown = "; ".join(settings) or "Their sizes are not in the report"
    sorts, each_mb = case.get("temp.sorts_disk"), case.get("temp.disk_sort_mb")
    addresses = address_space.addresses(case)
    left_mb = addresses[1] if addresses else None
    fits = each_mb is not None and left_mb is not None and each_mb <= left_mb
    few_mb = left_mb if sorts and each_mb is not None and not fits else None
    has_target = features.has(case.facts, "pga_aggregate_target") is not False
    # Statspack 8i prints one number of sessions for both snapshots: it does not carry a size
    sql_first = few_mb is not None or bool(sorts and not has_target)
    cause = ""
    if sorts == 0:
        cause = (
            "`sorts (disk)` is 0: no sort spills, so begin with HASH_AREA_SIZE. Hash joins, bitmap "
            "operations or temporary tables spill; no size helps temporary tables. "
        )
    elif sorts:
        cause = (
            f"`sorts (disk)` is {sorts:,.0f}; the report does not count hash joins on disk, which "
            "need HASH_AREA_SIZE. V$SORT_USAGE.SEGTYPE (SORT, HASH) shows which of them spill. "
        )
    if sorts and each_mb is not None:
        cause += f"A disk sort writes at most {mb_in_words(each_mb)} on average"
        if few_mb is not None:
            cause += (
                f", and at most {plain(few_mb, 2)} MB is left for each session: only smaller "
                "sorts will fit, or those of a few sessions"
            )
        cause += ". "
    if sql_first and few_mb is None:
        cause += (
            "First tune the SQL: the number of sessions during the interval is not known. "
            "Increase the sizes only in the sessions that need it. "
        )
    if has_target:
        title = "Replace manual PGA with PGA_AGGREGATE_TARGET"
        first = "set PGA_AGGREGATE_TARGET, or increase the work area sizes of"
        policy = partial(features.change, case.facts, "workarea_size_policy")
        commands, rollback = [_target(case, "<bytes>"), policy("AUTO")], [policy("MANUAL")]
    else:
        # sessions cannot change the sizes of bitmap operations
        changed = _SIZES[1:2] if sorts == 0 else _SIZES[:2]
        title = f"Increase {' and '.join(map(str.upper, changed))}"
        first = "increase the work area sizes of"
        set_ = "ALTER SESSION SET {}={};".format
        now = {name: f"{size:.0f}" for name, size in sizes.items() if size}
        commands = [set_(name, "<bytes>") for name in changed]
        rollback = [set_(name, now.get(name, "<bytes before>")) for name in changed]
    return Recommendation(
        title,
        f"Before changing storage, {first} the sessions that sort and join. {cause}{shown}.",
        "tune-first" if sql_first else "apply",
        commands=tuple(commands),
        rollback=tuple(rollback),
        benefit=case.impact(*case.fired("TEMP001", "TEMP003", "TEMP007"))
        if fits and not sql_first
        else Impact(None, None, "not quantified: the spills that fit in memory are not known"),
        prerequisites=(_FREE_MEMORY,),
        risks=(
            "Every session may allocate this size, and several times per SQL statement.",
            *address_space.bound(case),
        ),
        validate=("the temporary tablespace's I/O decreases", AFTER),
        first=("tuning the SQL that spills",) * sql_first,
    )


def moved(case: Case, path: str) -> tuple[str, ...]:
    """Commands that move a temporary tablespace to files in another place."""
    in_tempfiles = (
        f"ALTER TABLESPACE <temp> ADD TEMPFILE '<{path}>' SIZE <size>;",
        "ALTER DATABASE TEMPFILE '<old file>' DROP;",
    )
    if features.has(case.facts, "default temporary tablespace") is not False:
        return in_tempfiles
    return (
        "SELECT tablespace_name, file_name FROM dba_temp_files;",
        *in_tempfiles,
        "-- if the query does not list the tablespace, it has data files, which cannot be dropped:",
        f"CREATE TEMPORARY TABLESPACE <new temp> TEMPFILE '<{path}>' SIZE <size>;",
        "ALTER USER <user> TEMPORARY TABLESPACE <new temp>;",
    )


@advice("isolate-temp", "online", "low", answers=("TEMP004",))
def isolate_temp(case: Case) -> Recommendation | None:
    """Move the tempfiles to disks that no data file uses."""
    places = case.value("temp.shared_places")
    if not isinstance(places, tuple):
        return None
    # with automatic or manual PGA
    of_memory = (more_work_area_memory, size_work_areas)
    memory = any(step.answered(case) and step(case) for step in of_memory)
    return Recommendation(
        "Move the tempfiles to separate disks",
        f"Tempfiles and data files share {', '.join(places)}. Put the temporary "
        f"tablespace on its own disks, of any kind{archived(case)}."
        + (" First add memory; it may leave little to move." if memory else ""),
        "tune-first" if memory else "apply",
        commands=(REDO_LOG_MEMBERS, *moved(case, "own disks")),
        rollback=("Move the files back in the same way.",),
        benefit=Impact(None, None, "not quantified: it depends on the disks"),
        validate=("`Av Rd(ms)` of the data files decreases", AFTER),
    )


@advice("find-pga-users", "application", "medium", answers=("TEMP009",), first=True)
def find_pga_users(case: Case) -> Recommendation:
    """Find what uses PGA memory up to its limit."""
    return Recommendation(
        "Find what uses PGA memory up to its limit",
        texts("sessions with most PGA")[0],
        commands=(query("pga_users"),),
        benefit=case.impact("TEMP009"),
        validate=("`acknowledge over PGA limit` disappears from the foreground events", AFTER),
    )


@advice("enlarge-temp", "online", "low", answers=("TEMP010",))
def enlarge_temp(case: Case) -> Recommendation:
    """Enlarge the temporary tablespace."""
    return Recommendation(
        "Enlarge the temporary tablespace",
        texts("extents of sort segments")[0],
        commands=(
            query("sort_segments"),
            query("tempfiles"),
            f"{_TEMP_SPACE} ADD TEMPFILE <'file'> SIZE <size>;",
        ),
        prerequisites=("space for the tempfiles; first find out whether one statement fills it",),
        rollback=case.that_run(f"{_TEMP_SPACE} DROP TEMPFILE <'file'>;"),
        benefit=case.impact("TEMP010"),
        validate=("`enq: SS - contention` disappears from the foreground events", AFTER),
    )


#: What answers findings, in the order of a plan.
ANSWERS: Final = (
    more_work_area_memory, size_work_areas, tune_spilling_statements,
    find_pga_users, enlarge_temp, isolate_temp,
)  # fmt: skip
