"""What costs more than the write path: the first step against it, and no more.

Source: Oracle Database SQL Tuning Guide, "Improving Real-World Performance Through Cursor Sharing".
"""

from __future__ import annotations

from typing import Final

from awrlens.advice import hot_data
from awrlens.advice.case import AFTER, Case, advice
from awrlens.advice.queries import query
from awrlens.model import Recommendation
from awrlens.units import pair


@advice("share-cursors", "application", "medium")
def share_cursors(case: Case) -> Recommendation | None:
    """Parse less: bind variables instead of literals, or cursors that can be shared."""
    cause, share = str(case.value("load.hard_parse_cause")), case.or_zero("load.hard_parse_pct")
    much = share >= _MUCH_PCT and _sessions(case, share) >= case.policy["impact.several_sessions"]
    if not much or cause not in _CAUSES:
        return None
    title, action, command = _CAUSES[cause]
    return Recommendation(
        f"{title} (hard parses take {share:.0f} % of {case.base})",
        action,
        commands=(query(command),),
        validate=("fewer `parse count (hard)` at the same load", AFTER),
    )


def _sessions(case: Case, pct: float) -> float:
    """Average sessions of a share of DB time."""
    return case.scale.sessions(case.or_zero("load.response_s") * pct / 100) or 0.0


#: Hard parses are named from this share of DB time on. # awrlens: a tenth
_MUCH_PCT: Final = 10.0
_CAUSES: Final = {
    "sharing": (
        "Find why cursors are not shared",
        "Most of their time is in those of cursors that exist, but cannot be shared.",
        "unshared_cursors",
    ),
    "literals": (
        "Use bind variables where SQL differs only in literals",
        "Where the application cannot be changed: CURSOR_SHARING=FORCE, with other plans for some.",
        "literals",
    ),
}


@advice("find-other-processes", "host", "low")
def find_other_processes(case: Case) -> Recommendation | None:
    """Find what else uses the host's CPUs, if it is much more than before and nothing is urgent."""
    name = "host.other_cpu_pct"
    was, now = case.before[name].number if case.before else None, case.get(name)
    if was is None or now is None or now - was < case.policy["compare.other_cpu_points"]:
        return None
    if case.at_least("warning", *case.by_rule):
        return None
    return Recommendation(
        "Find what else uses the host's CPU ({} → {})".format(*pair(was, now, "%")),
        "Processes of other instances or programs took this CPU time: what this instance used is "
        "in its time model, and the host was busier by more.",
        commands=("ps -eo pcpu,time,user,args --sort=-time",),
        validate=(AFTER,),
    )


@advice("tune-leading-sql", "application", "medium")
def tune_leading_sql(case: Case) -> Recommendation | None:
    """Tune the SQL with most of DB time, if it keeps sessions busy and does not wait for locks.

    Behind waits of the write path, it is not their cause.
    """
    sql, pct = case.facts["load.leading_sql"], case.or_zero("load.leading_sql_pct")
    consumer, share = case.value("load.largest_consumer"), case.or_zero("load.largest_consumer_pct")
    path_pct = sum(each.weight.share_pct or 0.0 for each in case.findings)
    if (
        not isinstance(sql.value, tuple)
        or _sessions(case, pct) < case.policy["storage.freed_sessions"]
        or str(consumer).startswith("enq: ")
        or share < path_pct
        or "nothing to tune" in sql.note
    ):
        return None
    gets = case.value("load.searching_sql")
    return Recommendation(
        f"Tune SQL {sql.note.replace(' takes ', ' (')} of {case.base})",
        f"SQL {sql.note} of {case.base} (line {sql.evidence[0].line})"
        f"{f', {gets}' if gets else ''}.",
        validate=(AFTER,),
    )


def steps(case: Case, others: list[Recommendation]) -> list[Recommendation]:
    """The steps for a report; SQL that another recommendation names is named once."""
    found = [
        find_other_processes(case), share_cursors(case), *hot_data.relieve_reads(case),
    ]  # fmt: skip
    sql, named = case.value("load.leading_sql"), " ".join(e.title for e in (*found, *others) if e)
    if isinstance(sql, tuple) and sql[0] not in named:
        found.insert(0, tune_leading_sql(case))
    return [each for each in found if each is not None]


#: All of them.
STEPS: Final = (
    tune_leading_sql, find_other_processes, share_cursors, hot_data.enlarge_cache,
    hot_data.tune_reads,
)  # fmt: skip
