"""What costs more than the write path: the first step against it, and no more.

Source: Oracle Database SQL Tuning Guide, "Improving Real-World Performance Through Cursor Sharing".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.advice import hot_data
from awrlens.advice.case import AFTER, NOT_QUANTIFIED, Case, advice, starved
from awrlens.advice.queries import query, texts
from awrlens.model import Recommendation
from awrlens.units import listed, ms_words, pair, plain

if TYPE_CHECKING:
    from awrlens.model.analysis import Risen


@advice("share-cursors", "application", "medium")
def share_cursors(case: Case) -> Recommendation | None:
    """Parse less: bind variables instead of literals, or cursors that can be shared."""
    cause, share = case.facts["load.hard_parse_cause"], case.or_zero("load.hard_parse_pct")
    few = _sessions(case, share) < case.policy["impact.several_sessions"]
    if few or share < case.policy["headline.unnamed_pct"] or cause.value is None:
        return None
    title, action, command = texts(f"hard parses: {cause.value}")
    parsing, seconds = ("hard parses take", share), case.or_zero("load.response_s") * share / 100
    benefit = NOT_QUANTIFIED
    if cause.value == "literals":  # without them, hardly any parse is left
        parsing = ("parsing takes", case.or_zero("load.parse_pct") or share)
        benefit = case.scale.impact(seconds, "hard parses, at most")
        benefit = benefit._replace(least_pct_db_time=0.0, upper_bound=True)
    return Recommendation(
        f"{title} ({parsing[0]} {parsing[1]:.0f} % of {case.base})",
        f"{action}{f' {cause.note}.' if cause.note else ''}",
        benefit=benefit,
        commands=case.that_run(query(command)) or (query(f"{command} before 11.2"),),
        validate=("fewer `parse count (hard)` at the same load", AFTER),
        reach_s=seconds,
    )


@advice("find-failed-parses", "application", "low")
def find_failed_parses(case: Case) -> Recommendation | None:
    """Find SQL with an error, if its parses keep sessions busy.

    A few that take long are victims: AWR 19.0.0.0.0-rac_03, 55 in an hour, 17 s each.
    """
    share, often = case.or_zero("load.failed_parse_pct"), case.get("load.failed_parses_per_s")
    few = _sessions(case, share) < case.policy["impact.several_sessions"]
    if few or (often is not None and often < _OFTEN_PER_S):
        return None
    title, action, *commands = texts("failed parses")
    return Recommendation(
        f"{title} (failed parses take {plain(share, 2)} % of {case.base})",
        action,
        commands=tuple(commands),
        rollback=("ALTER SYSTEM SET EVENTS '10035 trace name context off';",),
        validate=("`parse count (failures)` decreases at the same load", AFTER),
    )


#: Fewer parses a second are not what an application repeats. # awrlens: one
_OFTEN_PER_S: Final = 1.0


@advice("cache-sequences", "online", "low")
def cache_sequences(case: Case) -> Recommendation | None:
    """Increase the cache of sequences."""
    share = case.or_zero("load.sequence_pct")
    few = _sessions(case, share) < case.policy["impact.several_sessions"]
    if few or share < case.policy["impact.warning_pct"]:
        return None
    title, action, find, change, rollback, risk = texts("sequences")
    (was, now), (was_ms, now_ms) = (
        [(side[name].number if side else None) or 0.0 for side in (case.before, case.facts)]
        for name in ("load.sequence_updates_per_s", "load.sequence_update_ms")
    )
    slowed = now < case.policy["compare.load_ratio"] * was and (
        now_ms >= case.policy["compare.much_worse_ratio"] * was_ms > 0
    )
    if slowed:  # as many as before that take longer are a victim
        took = f"{ms_words(now_ms)} instead of {ms_words(was_ms)}"
        why = f"`update seq$` runs as often as before, but takes {took}"
        action = f"{why}: first remove what makes it slower. {action}"
    named = case.value("load.sequences")
    of = listed(named) if isinstance(named, tuple) else "sequences"
    return Recommendation(
        f"{title} of {of} ({plain(share, 2)} % of {case.base})",
        action,
        commands=(find, change),
        rollback=(rollback,),
        risks=(risk,),
        validate=("`sequence load elapsed time` decreases at the same load", AFTER),
        reach_s=None if slowed else case.or_zero("load.response_s") * share / 100,
    )


@advice("check-interconnect", "host", "low")
def check_interconnect(case: Case) -> Recommendation | None:
    """Check the interconnect, if sessions wait for blocks that it lost and nothing is critical."""
    lost_s, critical = case.get("load.gc_lost_wait_s"), case.at_least("critical", *case.by_rule)
    if critical or not case.scale.significant(lost_s) or lost_s is None:
        return None
    title, action, *commands = texts("lost blocks")
    title = f"{title} (`gc … lost` {lost_s:,.0f} s)"
    return Recommendation(title, action, commands=tuple(commands), validate=(AFTER,))


@advice("free-sessions", "application", "low")
def free_sessions(case: Case) -> Recommendation | None:
    """Free sessions before the limit of processes or sessions refuses new ones."""
    full = case.facts["load.reached_limits"]
    if full.about not in _FULL:
        return None
    error = "ORA-00020" if "processes" in str(full.value) else "ORA-00018"
    title, *held, action = texts("limits in use")
    shown = f"Line {full.evidence[0].line} shows {full.evidence[0].text} at the end snapshot."
    return Recommendation(
        f"{title}{_FULL[full.about]} ({error}): {full.note[0].lower()}{full.note[1:]}",
        " ".join((shown, *held[: _are_held(case)], action)),
        commands=(query("sessions_by_client"),),
        validate=("fewer sessions at the same load", AFTER),
    )


#: Why sessions are freed, by what is known of their limit.
_FULL: Final = {"in use": " before logins fail", "refused": ", as logins have probably failed"}


def _are_held(case: Case) -> bool:
    """Whether sessions were added that wait for what most of DB time is: they end with it."""
    most_pct = max(map(case.or_zero, ("load.parse_pct", "load.largest_consumer_pct")))
    is_one = most_pct >= case.policy["headline.majority_pct"]
    return is_one and case.get("load.held_sessions") is not None


def _sessions(case: Case, pct: float) -> float:
    """Average sessions of a share of DB time."""
    return case.scale.sessions(case.or_zero("load.response_s") * pct / 100) or 0.0


@advice("find-other-processes", "host", "low")
def find_other_processes(case: Case) -> Recommendation | None:
    """Find what else uses the host's CPUs, if it is much more than before and nothing is urgent."""
    name = "host.other_cpu_pct"
    was, now = case.before[name].number if case.before else None, case.get(name)
    if was is None or now is None or now - was < case.policy["compare.other_cpu_points"]:
        return None
    idle = case.or_zero("host.idle_pct") >= case.policy["storage.unlikely_idle_pct"]
    if idle or case.at_least("warning", *case.by_rule):
        return None
    return Recommendation(
        "Find what else uses the host's CPU ({} → {})".format(*pair(was, now, "%")),
        texts("other processes")[0],
        commands=("ps -eo pcpu,time,user,args | sort -rn | head -20",),
        validate=(AFTER,),
    )


@advice("check-cpu-limit", "host", "low")
def check_cpu_limit(case: Case) -> Recommendation | None:
    """Check the CPU limit of the partition, if processes waited for CPU although it was idle.

    AWR 12.1.0.2.0_01: 30,878 s of waiting, 7,515 s of busy CPUs, and 84 % idle.
    """
    waited_pct, idle = case.or_zero("host.cpu_wait_pct"), case.or_zero("host.idle_pct")
    few = waited_pct <= case.policy["storage.cpu_wait_pct"]
    if few or idle < case.policy["storage.unlikely_idle_pct"]:
        return None
    waited_s, title = case.or_zero("host.cpu_wait_s"), texts("cpu limit")[0]
    return Recommendation(
        f"{title} (processes waited {waited_s:,.0f} s for CPU, {idle:.0f} % was idle)",
        texts("cpu limit")[1],
        validate=("`OS_CPU_WAIT_TIME` is less than `BUSY_TIME` at the same load", AFTER),
    )


@advice("tune-leading-sql", "application", "medium")
def tune_leading_sql(case: Case, named: str) -> Recommendation | None:
    """Tune the SQL with most of DB time or CPU, if it keeps sessions busy.

    Behind waits of the write path, it is not their cause; nor is SQL that waits for a lock. SQL
    that is ``named`` has a step already. At a busy CPU, that with most CPU comes first: elapsed
    times of SQL are waits for it, too. No plan reduces the gets of LOBs.
    """
    consumer, share = case.value("load.largest_consumer"), case.or_zero("load.largest_consumer_pct")
    sql, pct, of = case.facts["load.leading_sql"], case.or_zero("load.leading_sql_pct"), case.base
    gets, led = case.facts["load.searching_sql"], sql.value
    cpu_pct = share if consumer == "CPU" else case.share(case.or_zero("load.db_cpu_s"))
    # where most of DB time is neither CPU nor waits, CPU is held against the rest of it
    known_pct = min(case.get("load.captured_pct") or _ALL_PCT, _ALL_PCT)
    much = cpu_pct * _ALL_PCT >= case.policy["headline.largest_pct"] * known_pct
    cpu = case.facts["load.cpu_sql"] if much else sql
    done = not isinstance(led, tuple) or led[0] in named
    if isinstance(cpu.value, tuple) and cpu.value[:1] != led and (done or starved(case)):
        sql, pct, of = cpu, case.or_zero("load.cpu_sql_pct") * cpu_pct / 100, "the CPU"
        gets = case.facts["load.searching_cpu_sql"]
    path_pct = sum(finding.weight.share_pct or 0.0 for finding in case.findings)
    # more than all waits for locks: it does not just wait for one, and costs more
    beyond_locks = find_blocking_sessions(case) is not None and (
        pct * case.or_zero("load.response_s") / 100 > case.or_zero("load.lock_wait_s")
    )
    few = _sessions(case, pct) < case.policy["storage.freed_sessions"]
    if (
        not isinstance(sql.value, tuple)
        or not sql.value
        or sql.value[0] in named
        or (few and not beyond_locks)
        or (str(consumer).startswith("enq: ") and not beyond_locks)
        or share < path_pct
        or sql.about == "AWR"
    ):
        return None
    two = sql.note.removesuffix(" of the buffer gets").replace("; SQL ", "; ").split("; ")[:2]
    if not two[-1].endswith(" s"):
        two[-1] += f" of {'the buffer gets' if sql.about == 'gets' else of}"
    what = listed([f"{statement.replace(' takes ', ' (')})" for statement in two])
    many, words = 0, str(gets.value or "")
    if of == "the CPU":
        many = round(case.or_zero("load.computing_sessions"))
        time_pct = f"{plain(case.or_zero('load.cpu_sql_time_pct'), 2)} % of"
        if len(sql.value) == 1:
            is_new = time_pct != "0 % of" and f"({time_pct}" not in what
            more = (f"{time_pct} {case.base}" * is_new, words.removeprefix("with "))
            what = f"{', '.join(filter(None, (what.removesuffix(')'), *more)))})"
    cursors, shared = case.get("load.leading_sql_versions") if sql.value == led else None, ""
    if cursors is not None:
        what = f"{what.removesuffix(')')}, {cursors:,.0f} child cursors)"
        shared = f" {texts('child cursors')[0]}"
    # its work takes little CPU as before, and its waits are new: there may be nothing to tune in it
    was = case.before["load.largest_consumer"].value if case.before else consumer
    reads = {cell.row.strip("* ") for cell in case.facts["load.data_read_wait_s"].evidence}
    do = f"Tune {what}"
    if sql.about == "waits" and consumer not in (was, "CPU", *reads):
        do = f"Find why {what} waits (`{consumer}`)"
    if gets.about == "LOBs":
        do = f"Write smaller or fewer LOBs with {what}"
    reaches = consumer == "CPU" and sql.about != "block"
    return Recommendation(
        f"Check or cancel the SQL of {many} sessions that did not end: {what}" if many > 1 else do,
        f"Line {sql.evidence[0].line}{f', {words}' if words else ''}.{shared}",
        validate=(AFTER,),
        # what SQL waits for does not end with fewer blocks, and a block is all that it calls
        reach_s=case.or_zero("load.response_s") * pct / 100 if reaches else None,
    )


_ALL_PCT: Final = 100.0


@advice("tune-costly-sql", "application", "medium")
def tune_costly_sql(case: Case, named: str) -> Recommendation | None:
    """Tune SQL that gets many blocks for few rows and is not the leading SQL."""
    costly, pct = case.facts["load.costly_sql"], case.or_zero("load.costly_sql_pct")
    ids = costly.value if isinstance(costly.value, tuple) else ()
    words = costly.note.split("; ") if ids else []
    shown = [sql for id_, sql in zip(ids, words, strict=True) if id_ not in named]
    if not shown or _sessions(case, pct) < case.policy["storage.freed_sessions"]:
        return None
    shown[0] = shown[0].replace(" %,", f" % of {case.base},", 1)
    return Recommendation(
        f"Tune {listed(shown)}",
        f"Lines {listed([str(cell.line) for cell in costly.evidence])}. An index or another plan "
        "needs fewer blocks for each row.",
        validate=(AFTER,),
    )


@advice("scan-in-large-reads", "restart", "medium")
def scan_in_large_reads(case: Case) -> Recommendation | None:
    """Let full scans read 1 MB at a time, where direct reads lead and a setting cuts them.

    RAC report 12.2.0.1.0_01: 501 MB/s in reads of 64 KB, for DB_FILE_MULTIBLOCK_READ_COUNT=8.
    """
    pct, size_b = case.or_zero("load.largest_consumer_pct"), case.or_zero("io.scan_read_b")
    small = 0 < size_b <= _SMALL_B and case.get("load.db_time_s") is not None  # 10g and later
    few = _sessions(case, pct) < case.policy["storage.freed_sessions"]
    of_scans = case.value("load.largest_consumer") == "direct path read"
    if few or not small or not of_scans or pct < case.policy["headline.largest_pct"]:
        return None
    title, action, change, rollback, risk = texts("multiblock reads")
    return Recommendation(
        f"{title} ({size_b / 1024:,.0f} KB; `direct path read` {pct:.0f} % of {case.base})",
        f"Line {case.facts['io.scan_read_b'].evidence[0].line}. {action}",
        commands=(change,),
        rollback=(rollback,),
        risks=(risk,),
        validate=("fewer `physical read total multi block requests` for as many bytes", AFTER),
    )


#: Reads of such a size need many requests for a scan. # awrlens: a quarter of 1 MB
_SMALL_B: Final = 256 * 1024.0


@advice("relieve-risen-sql", "application", "medium")
def relieve_risen_sql(sql: Risen, named: str, *, alone: bool) -> Recommendation | None:
    """Look at the SQL that has much of a rise of DB time.

    SQL that only takes longer may be a victim: its step is ``alone`` or not given.
    """
    name, how, cause = sql
    if name in named or (cause == "latency" and not alone):
        return None
    do = {"latency": f"Find why SQL {name} takes longer", "none": f"Tune SQL {name}"}
    often = f"Run SQL {name} less often, or cache its result"
    return Recommendation(
        f"{do.get(cause, often)} ({how})",
        "DB time rose from the first period to the second, and this SQL has much of the rise.",
        validate=(AFTER,),
    )


@advice("find-blocking-sessions", "application", "low")
def find_blocking_sessions(case: Case) -> Recommendation | None:
    """Find the sessions that hold a lock, unless something urgent costs more than its waits."""
    lock = case.facts["load.lock_wait_s"]
    sessions = case.scale.sessions(lock.number)
    if lock.number is None or sessions is None:
        return None
    urgent = case.findings[0] if case.at_least("warning", *case.by_rule) else None
    if urgent is not None and lock.number <= (urgent.impact.seconds or 0.0):
        return None
    few = sessions < case.policy["impact.share_sessions"]
    small = case.share(lock.number) < case.policy["headline.lock_pct"]
    if few or (small and sessions < case.policy["impact.many_sessions"]):
        return None
    waited = f"{plain(sessions, 2)} sessions waited on average, {lock.number:,.0f} s."
    index = case.facts["load.built_index"]
    if index.value and "enq: TM" in lock.note:  # it has ended: no session is found
        return Recommendation(
            f"Build indexes ONLINE or at a quiet time (`{lock.note}`; {index.note})",
            f"{waited} DDL holds a table lock (TM), probably here: {index.note} (line "
            f"{index.evidence[0].line}).",
            validate=(AFTER,),
        )
    held = next((f" {how}" for name, (how,) in _HELD.items() if name in lock.note), "")
    return Recommendation(
        f"Find the sessions that block others (`{lock.note}`)",
        f"{waited}{held}",
        commands=case.that_run(query("lock_holders_now")) or (query("lock_holders_8i"),),
        validate=(AFTER,),
    )


#: Who holds a lock. # Oracle Database Reference, "Oracle Enqueue Names"; Concepts, "Table Locks"
_HELD: Final = {name: texts(f"who holds {name}") for name in ("enq: TM", "enq: UL")}


def steps(case: Case, others: list[Recommendation]) -> list[Recommendation]:
    """The steps for a report; SQL and locks that another recommendation names are named once."""
    looked_for = any(item.id == "find-lock-holders" for item in others)
    lock = None if looked_for else find_blocking_sessions(case)
    reads = hot_data.relieve_reads(case)
    costs, read_s = [*reads, find_failed_parses(case)], 0.0
    if lock and reads:
        part = float(case.facts["io.leading_sql"].about or 1)
        read_s = case.or_zero("load.data_read_wait_s") * part
    # Statspack 8.1.7.4.1_03: 807 s for locks, 242 s for the reads of the SQL with most
    last = [lock, *costs] if case.or_zero("load.lock_wait_s") > read_s else [*costs, lock]
    causes = [share_cursors(case), check_cpu_limit(case)]
    if case.share(case.or_zero("host.cpu_wait_s")) > case.or_zero("load.parse_pct"):
        causes.reverse()
    items = [
        # lost blocks are looked for where nothing keeps far more sessions
        cache_sequences(case) or check_interconnect(case),
        find_other_processes(case), *causes, *last,
    ]  # fmt: skip
    named = " ".join(item.title for item in (*items, *others) if item)
    tuned, led = tune_leading_sql(case, named), case.value("load.leading_sql")
    by_cpu = tuned is not None and not (isinstance(led, tuple) and led[0] in tuned.title)
    if by_cpu and hot_data.is_lean(case):  # nobody runs it less often if other SQL can be tuned
        items = [item for item in items if item and item.id != hot_data.tune_reads.declared.id]
    # where reads lead, what saves them comes before the SQL with most CPU
    reads_first = by_cpu and case.value("load.largest_consumer") != "CPU"
    ordered = (*items, tuned) if reads_first else (tuned, *items)
    plan = [item for item in ordered if item is not None]
    if costly := tune_costly_sql(case, " ".join(item.title for item in (*plan, *others))):
        # no index helps SQL that writes LOBs
        plan.insert(case.facts["load.searching_sql"].about != "LOBs" and tuned in plan, costly)
    if scan := scan_in_large_reads(case):
        plan.insert(0, scan)
    if full := free_sessions(case):
        plan.insert(_are_held(case), full)
    return plan


#: All of them.
STEPS: Final = (
    tune_leading_sql, tune_costly_sql, find_other_processes, share_cursors, find_failed_parses,
    check_interconnect, check_cpu_limit, cache_sequences, free_sessions,
    hot_data.enlarge_cache, hot_data.size_cache,
    hot_data.tune_reads, hot_data.spread_reads, find_blocking_sessions, scan_in_large_reads,
    relieve_risen_sql,
)  # fmt: skip
