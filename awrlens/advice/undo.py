"""Undo: its disks, size, rollbacks, and waits for undo segments, all of which come before storage.

Source: Write Accelerator, "Undo Tablespace Writes" and its summary (storage "after undo segments
have been properly tuned"); Fast-Start Checkpointing Best Practices for what FAST_START_MTTR_TARGET
includes.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from awrlens.advice import features
from awrlens.advice.case import AFTER, REDO_LOG_MEMBERS, advice, archived, mb_in_words
from awrlens.advice.queries import query, texts
from awrlens.model import Impact, Recommendation

if TYPE_CHECKING:
    from awrlens.advice.case import Case

#: A rollback segment is used only while it is online; the parameter brings it online at a start.
_NEW_SEGMENT: Final = texts("add a rollback segment")
_NO_SEGMENT: Final = texts("drop a rollback segment")
_IN_CONTAINER: Final = texts("undo of a container")[0]


def _is_manual(case: Case) -> bool:
    """Whether undo is in rollback segments, as in every database before 9i."""
    has_undo_tablespaces = features.has(case.facts, "undo tablespace")
    return case.value("undo.management") == "manual" or has_undo_tablespaces is False


def moved(case: Case, path: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Commands that move undo to files in another place, and commands for the rollback."""
    if _is_manual(case):
        return (
            f"CREATE TABLESPACE <tablespace> DATAFILE '<{path}>' SIZE <size>;",
            *_NEW_SEGMENT,
            "ALTER ROLLBACK SEGMENT <old segment> OFFLINE;",
            features.change(case.facts, "rollback_segments", "(<new segments>)"),
        ), (
            "ALTER ROLLBACK SEGMENT <old segment> ONLINE;",
            _NO_SEGMENT[0],
            features.change(case.facts, "rollback_segments", "(<old segments>)"),
        )
    # every instance of a cluster has its own undo tablespace
    own = " SID='<instance>'" if case.request.rac or case.threads > 1 else ""
    return (
        f"CREATE UNDO TABLESPACE <new undo> DATAFILE '<{path}>' SIZE <size>;",
        features.change(case.facts, "undo_tablespace", "<new undo>", everywhere=own),
    ), (features.change(case.facts, "undo_tablespace", "<old undo>", everywhere=own),)


def _has_local_undo(case: Case) -> bool:
    """Whether pluggable databases may have undo tablespaces of their own."""
    is_cdb = str(case.value("database.cdb") or "").upper() == "YES"
    return is_cdb and features.has(case.facts, "local undo") is not False


def of_containers(case: Case) -> tuple[str, ...]:
    """The query that shows which container has which undo tablespace."""
    return (query("undo_of_containers"),) if _has_local_undo(case) else ()


def in_container(case: Case) -> tuple[str, ...]:
    """Where to run the commands: the report does not show whose undo tablespace it is."""
    if not _has_local_undo(case):
        return ()
    names = case.value("undo.tablespaces")
    shown = "no undo tablespace"
    if isinstance(names, tuple) and names:
        shown = f"{', '.join(names)}, but not in which container"
    return (_IN_CONTAINER.format(shown=shown),)


@advice("isolate-undo", "online", "low", answers=("UNDO010",))
def isolate_undo(case: Case) -> Recommendation:
    """Move undo to disks that no data file uses."""
    places = case.value("undo.shared_places")
    what, them = "an undo tablespace", "it"
    if _is_manual(case):
        what, them = "a tablespace with rollback segments", "them"
    commands, rollback = moved(case, "path on other disks")
    where = f" ({', '.join(places)})" if isinstance(places, tuple) else ""
    return Recommendation(
        "Move undo to separate disks",
        f"Undo shares disks{where} with data files, whose reads queue behind undo "
        f"writes. Create {what} on other disks{archived(case)}, and switch to "
        f"{them}.",
        commands=(*of_containers(case), REDO_LOG_MEMBERS, *commands),
        rollback=rollback,
        benefit=case.impact("UNDO010"),
        prerequisites=("disks that no data file uses", *in_container(case)),
        risks=("Keep the old tablespace until its transactions have ended.",),
        validate=("`Av Rd(ms)` of the data files decreases", AFTER),
    )


@advice("size-undo", "online", "low", answers=("UNDO004", "UNDO008"))
def size_undo(case: Case) -> Recommendation:
    """Size the undo tablespace for the retention."""
    longest, need = case.get("undo.max_query_s"), case.get("undo.needed_mb")
    rate = case.get("undo.peak_blocks_per_s")
    at_least = "at least " * case.facts["undo.peak_blocks_per_s"].note.startswith("at least")
    title = "Size the undo tablespace for the longest query"
    action = "Size the undo tablespace for undo_retention × undo blocks per second × block size"
    if need is not None and rate is not None:
        action += (
            f": {at_least}{need:,.0f} MB at {rate:,.1f} blocks per second, the rate of the busiest "
            "ten minutes"
        )
        action += " that the report lists, which lacks most of the interval" * bool(at_least)
    if longest:
        action += f". The longest query ran {longest:,.0f} s"
    if need:
        title = f"Size the undo tablespace for {at_least}{mb_in_words(need)} of undo"
    kept = case.get("undo.retention_s")
    raised: list[str] = []
    if longest and kept and kept < longest and case.get("undo.min_tuned_retention_s") is None:
        # before 10g, Oracle does not tune the retention
        title += f", and increase UNDO_RETENTION from {kept:,.0f} to {longest:,.0f} s"
        action += f", but undo is kept for {kept:,.0f} s"
        command = f"ALTER SYSTEM SET undo_retention={{:.0f}}{case.everywhere};"
        raised = [command.format(seconds) for seconds in (longest, kept)]
    return Recommendation(
        title,
        f"{action}.",
        commands=case.that_run(
            *of_containers(case),
            query("undo_need"),
            "ALTER TABLESPACE <undo> ADD DATAFILE '<path>' SIZE <what it lacks>;",
            *raised[:1],
        ),
        rollback=tuple(raised[1:]),
        prerequisites=in_container(case),
        validate=("Snapshot Too Old, Out of Space, uS, uR and uU are 0", AFTER),
    )


@advice("roll-back-less", "application", "medium", answers=("UNDO002",), first=True)
def roll_back_less(case: Case) -> Recommendation:
    """Find the modules that roll back."""
    records, setting = case.get("undo.records_per_rollback"), case.value("undo.parallel_rollback")
    much = "" if records is None else f" ({records:,.0f} undo records per rollback)"
    state = f"is {setting}" if setting else "is not in the report (default LOW)"
    after_a_crash = (
        "After a crash, such transactions are rolled back when the database is open again. "
        "FAST_START_MTTR_TARGET does not include this time. FAST_START_PARALLEL_ROLLBACK "
        f"{state}."
    )
    return Recommendation(
        "Find the modules that roll back",
        f"A rollback does the work a second time{much}. Find the modules that roll back "
        "before moving undo to other storage.",
        commands=(query("statistic_by_module").format("user rollbacks"),),
        risks=(after_a_crash,),
        validate=("`rollback changes - undo records applied` decreases", AFTER),
    )


@advice("relieve-undo-space", "online", "low", answers=("UNDO014",), also=("UNDO005", "UNDO012"))
def relieve_undo_space(case: Case) -> Recommendation:
    """Add undo space that ran short."""
    title, *action, size, rollback = texts("undo space")
    return Recommendation(
        title,
        " ".join(action).format(now=_now(case)),
        commands=(*of_containers(case), query("undo_space"), size),
        rollback=(rollback,),
        benefit=case.impact("UNDO005", "UNDO012"),
        prerequisites=in_container(case),
        validate=("`tune down retentions in space pressure` no longer increases", AFTER),
    )


def _now(case: Case) -> str:
    """The retention that is set."""
    kept = case.get("undo.retention_s")
    return "" if kept is None else f" (now {kept:,.0f} s)"


@advice(
    "more-undo-segments", "online", "low", answers=("UNDO005", "UNDO006"),
    ends=("undo.us_enqueue_wait_s", "undo.header_wait_s"),
)  # fmt: skip
def more_undo_segments(case: Case) -> Recommendation | None:
    """Keep enough undo segments online."""
    if case.fired("UNDO014"):  # a longer retention would need more space
        return None
    manual, expected = _is_manual(case), case.get("undo.expected_segments")
    title, action = texts("more rollback segments" if manual else "more undo segments")
    change = partial(features.change, case.facts)
    commands: tuple[str, ...] = (change("undo_retention", "<seconds>"),)
    rollback: tuple[str, ...] = (change("undo_retention", "<seconds as before>"),)
    if manual:
        commands = (*_NEW_SEGMENT, change("rollback_segments", "(<old and new segments>)"))
        rollback = (*_NO_SEGMENT, change("rollback_segments", "(<old segments>)"))
    if expected is not None:
        action += (
            f" With the present PROCESSES, Oracle brings about {expected:,.0f} segments online "
            "(PROCESSES / TRANSACTIONS_PER_ROLLBACK_SEGMENT)."
        )
    return Recommendation(
        title,
        action.format(now=_now(case)),
        commands=(*of_containers(case), query("rollback_segments"), *commands),
        rollback=rollback,
        benefit=case.impact(*case.fired("UNDO005", "UNDO006")),
        prerequisites=in_container(case),
        risks=("Undo takes more space.",),
        validate=("US enqueues, `undo segment` events and header waits decrease", AFTER),
    )


@advice("watch-parallel-rollback", "online", "low", answers=("UNDO011",))
def watch_parallel_rollback(case: Case) -> Recommendation:
    """Monitor the rollback of a dead transaction."""
    before = case.value("undo.parallel_rollback") or "LOW"
    return Recommendation(
        "Check that the rollback of the dead transaction has ended",
        texts("parallel rollback")[0],
        # the change is no step of its own: it begins with its condition
        commands=(
            query("recovering_transactions"),
            "-- only if it does not progress: ALTER SYSTEM SET fast_start_parallel_rollback=FALSE;",
        ),
        rollback=(f"ALTER SYSTEM SET fast_start_parallel_rollback={before};",),
        benefit=Impact(None, None, "not quantified: these are waits of the parallel slaves"),
        risks=("The change restarts the parallel slaves of the rollback.",),
        validate=("V$FAST_START_TRANSACTIONS has no row in state RECOVERING", AFTER),
    )


#: A query that is shorter does not meet many changes because it runs long.
_SHORT_QUERY_S: Final = 10.0


@advice("apply-less-undo", "application", "medium", answers=("UNDO013",))
def apply_less_undo(case: Case) -> Recommendation | None:
    """Shorten queries of changing data, and transactions."""
    by_queries = case.or_zero("undo.consistent_read_records_applied")
    if case.or_zero("undo.rollback_records_applied") > by_queries:
        return None
    longest = case.get("undo.max_query_s")
    ran = f" (the longest ran {longest:,.0f} s)" if longest else ""
    title = "Shorten long queries of changing data, and commit sooner"
    do = (
        f"Run their long queries{ran} when few changes are made, close cursors that stay open, and "
        "commit the changes of these tables sooner."
    )
    if longest is not None and longest < _SHORT_QUERY_S:
        title = "Commit sooner where many sessions change the same table"
        do = (
            f"Queries are short (the longest ran {longest:,.0f} s): they rebuild blocks with many "
            "changes that are not committed. Commit these sooner, or let fewer sessions change the "
            "same table at a time."
        )
    sql, gets = (case.facts[f"load.{kind}_sql"] for kind in ("leading", "searching"))
    begin = f": {sql.note} of {case.base}" if sql.value else ""
    begin = f"Find the sessions that apply most undo{begin}."
    if gets.value:
        title = f"Tune or index {' '.join(sql.note.split()[:2])}"
        foreign = case.or_zero("undo.foreign_buffer_wait_pct") >= case.policy["undo.foreign_pct"]
        title += ", or run it on the instance that changes its data" * foreign
        begin = f"{sql.note} of {case.base}, {gets.value}, {gets.note}."
        also = ", and wait less for blocks of other instances" * case.request.rac
        do = f"Fewer gets rebuild fewer blocks{also}."
        do += " A service on the instance whose undo is read avoids waits for its blocks." * foreign
    return Recommendation(
        title,
        f"{begin} {do} Rebuilding blocks takes CPU, so faster disks do not help.",
        commands=(
            query("statistic_by_module").format(
                "data blocks consistent reads - undo records applied"
            ),
        ),
        benefit=Impact(None, None, "not quantified: a part of the CPU time for undo"),
        validate=("`data blocks consistent reads - undo records applied` decreases", AFTER),
    )


#: What answers findings, in the order of a plan.
ANSWERS: Final = (
    isolate_undo, size_undo, roll_back_less, relieve_undo_space, more_undo_segments,
    watch_parallel_rollback, apply_less_undo,
)  # fmt: skip


def by_temporary_tables(case: Case) -> str:
    """That most redo is undo of temporary tables, and how to have less; empty if it is not."""
    share, of_redo = case.or_zero("undo.block_write_pct"), case.or_zero("undo.redo_pct")
    little = of_redo < case.policy["storage.temporary_redo_pct"]
    if little or share < case.policy["storage.temporary_write_pct"]:
        return ""
    if case.fired("UNDO002"):  # rollbacks explain it
        return ""
    said = (
        f"Undo is {of_redo:.0f} % of the redo and {share:.0f} % of DBWR's writes: probably changes "
        "of temporary tables."
    )
    if features.has(case.facts, "temp_undo_enabled") is False:
        return f"{said} Use ON COMMIT DELETE ROWS instead of DELETE, not TRUNCATE, which commits."
    return f"{said} TEMP_UNDO_ENABLED=TRUE (since 12.1) writes such undo to temp, without redo."
