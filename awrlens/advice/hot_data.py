"""The tablespaces that sessions wait for, and hot segments: what to consider after the write path.

Source: Write Accelerator, Summary (storage after tuning; "hot indexes and tables" last).

A wait for a read is as long as the read: tablespaces are ranked by reads × Av Rd(ms). Segments by
Physical Reads counts blocks, whatever their reads took, and includes direct path reads.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.advice import features
from awrlens.advice.case import AFTER, advice, bound
from awrlens.advice.commit_waits import reads_too, relieve_log_device
from awrlens.advice.data_writes import repair_write_path
from awrlens.advice.devices import speed
from awrlens.advice.queries import query, texts
from awrlens.model import Impact, Recommendation
from awrlens.units import listed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from awrlens.advice.case import Case
    from awrlens.advice.storage import Segment


_MOVE: Final = texts("moved tables")[0]
_MOVE_SEGMENTS: Final = texts("move segments")
_MOVE_FILE: Final = "ALTER DATABASE MOVE DATAFILE '<file>' TO '<low-latency path>';"
_MOVE_OFFLINE: Final = texts("move files offline")
_OFFLINE: Final = texts("offline files")[0]


@advice("enlarge-cache", "restart", "low", ends=("load.data_read_wait_s",))
def enlarge_cache(case: Case) -> Recommendation | None:
    """Increase the SGA or the buffer cache, if the advisory says that it saves many reads.

    Not where a 32-bit Oracle could not address it: report 9.2.0.4.0_01, on Windows.
    """
    cache, size_mb = case.facts["io.cache_saves_pct"], case.or_zero("io.cache_mb")
    saved_pct = cache.number or 0.0
    if saved_pct < case.policy["storage.cache_saves_pct"]:
        return None
    name, _, gain = cache.note.partition(": ")
    more_mb = size_mb - case.or_zero("load.buffer_cache_mb") * (name != "SGA_TARGET")
    if (
        bound(case)
        and case.or_zero("database.sga_mb") * (name != "SGA_TARGET") + more_mb > _LEAST_MB
    ):
        return None
    memory = (
        "The report does not show the memory of the host: check that enough is free"
        if case.get("pga.host_memory_mb") is None
        else "The host's memory suffices, with the rest of the SGA and the PGA target"
    )
    set_ = f"ALTER SYSTEM SET {name.lower()}="
    return Recommendation(
        f"Increase {name} to {size_mb:,.0f} MB ({gain})",
        f"The advisory (line {cache.evidence[-1].line}) is of the time since startup. {memory}.",
        commands=(f"{set_}{size_mb:.0f}M SCOPE=SPFILE{case.everywhere}; -- and SGA_MAX_SIZE",),
        rollback=(f"{set_}<present size> SCOPE=SPFILE{case.everywhere};",),
        benefit=_saving(case, saved_pct),
        risks=bound(case),
        validate=("fewer physical reads into the cache at the same load", AFTER),
    )


@advice("size-cache", "restart", "low")
def size_cache(case: Case) -> Recommendation | None:
    """Size the buffer cache by Oracle's advisory, which no compare-period report has.

    Where the SQL that reads most needs few blocks for each row, no plan saves its reads.
    """
    if case.before is None or not is_lean(case):
        return None
    size_mb, title = case.get("load.buffer_cache_mb"), texts("cache advisory")
    now = "" if size_mb is None else f" ({size_mb:,.0f} MB now)"
    return Recommendation(
        f"{title[0]}{now}",
        f"{_named(case)} {title[1]}",
        commands=(query("cache_advice"),),
        risks=bound(case),
        validate=("fewer physical reads into the cache at the same load", AFTER),
    )


def _saving(case: Case, reads_pct: float) -> Impact:
    """What a larger cache saves: by the advisory, or in proportion to the reads that it saves."""
    time_pct = case.get("io.cache_saves_time_pct")
    if time_pct is not None:
        seconds = case.or_zero("load.response_s") * time_pct / 100
        return case.scale.impact(seconds, "DB time that the advisory saves")
    return case.scale.impact(
        case.or_zero("load.data_read_wait_s") * reads_pct / 100,
        "waits for reads of data files, in proportion to the reads that the advisory saves",
    )


#: MB of addresses that every 32-bit Oracle has.
_LEAST_MB: Final = 2048


@advice("tune-reads", "application", "medium")
def tune_reads(case: Case) -> Recommendation | None:
    """Tune the SQL that waits most for reads, or find it, unless all of the storage is slow."""
    sql, spaces = case.facts["io.leading_sql"], case.value("io.read_tablespaces")
    if sql.value is None and reads_too(case):
        return None
    program = case.facts["io.leading_module"]
    if sql.value is None:
        title = f"Find the SQL that reads {spaces[0] if isinstance(spaces, tuple) else 'most'}"
        who = f"The lists of SQL do not show it: {case.lacking('io.leading_sql')}."
        if program.value:
            title = f"Tune the SQL of {program.value} ({program.note.partition(', the')[0]})"
            who = f"In module {program.value}, {program.note} (line {program.evidence[0].line})."
        return Recommendation(title, f"{_named(case)} {who}", validate=(AFTER,))
    name = str(sql.value)
    if name.startswith("statistics job"):
        return Recommendation(
            f"Move the {name.replace(', ', ' (')})",
            f"{_named(case)} DBMS_STATS has {sql.note} (line {sql.evidence[0].line}): gather "
            "statistics at a quiet time.",
            validate=(AFTER,),
        )
    lean = name.startswith(_LEAN)
    return Recommendation(
        f"Run {name.removeprefix(_LEAN)} less often ({sql.note})"
        if lean
        else f"Tune {name} ({sql.note})",
        f"{_named(case)} {name.removeprefix(_LEAN)} has {sql.note} (line "
        f"{sql.evidence[0].line}){_NO_WASTE * lean}.",
        validate=(AFTER,),
    )


@advice("spread-reads", "online", "medium")
def spread_reads(case: Case) -> Recommendation | None:
    """Move busy files off disks that are slower than the others."""
    places = case.facts["io.slow_places"]
    if places.value is None:
        return None
    is_online = features.has(case.facts, "move datafile") is not False
    return Recommendation(
        f"Move busy files to the faster disks ({places.value})",
        f"{_named(case)} Some disks take much longer for a read than the others (line "
        f"{places.evidence[0].line}).",
        commands=(_MOVE_FILE,) if is_online else _MOVE_OFFLINE,
        rollback=("Move them back in the same way.",),
        effort=None if is_online else "application",
        risks=() if is_online else (_OFFLINE,),
        validate=("reads take as long on all disks", AFTER),
    )


def relieve_reads(case: Case) -> list[Recommendation]:
    """What to do about reads that sessions wait for.

    SQL comes before a larger cache, unless it wastes nothing.
    """
    if not _is_hot(case):
        return []
    sql, cache = tune_reads(case), enlarge_cache(case) or size_cache(case)
    steps = (cache, sql) if is_lean(case) else (sql, cache)
    return [step for step in (*steps, spread_reads(case)) if step is not None]


def is_lean(case: Case) -> bool:
    """Whether the SQL that reads most needs few blocks for each row."""
    return str(case.value("io.leading_sql")).startswith(_LEAN)


#: How SQL is named that needs few blocks for each row.
_LEAN: Final = "fewer executions of "
_NO_WASTE: Final = "; it needs few blocks for each row, so that only fewer executions help"


@advice(
    "hot-segments", "storage", "medium",
    after=(relieve_log_device, repair_write_path, enlarge_cache, tune_reads, spread_reads),
    short="faster storage for hot data",
)  # fmt: skip
def consider(case: Case, before: Sequence[Segment]) -> Recommendation | None:
    """Consider hot tablespaces and segments after redo, temp and undo."""
    if contention := _contention(case):
        return Recommendation("Faster storage for the hot blocks", contention, "no-benefit")
    if not _is_hot(case):
        return None
    after = f", after {listed(before)}," if before else ""
    spaces, segments = case.value("io.read_tablespaces") is not None, _has_segments(case)
    what = " and ".join(["tablespaces"] * spaces + ["segments"] * segments)
    moved = "their tablespaces" if segments else "these tablespaces"
    is_online = features.has(case.facts, "move datafile") is not False
    of_files = ((_MOVE_FILE,) if is_online else _MOVE_OFFLINE) if spaces else ()
    return Recommendation(
        f"Then consider the hot {what}" if before else f"Consider the hot {what}",
        f"{_named(case)} Then{after} move {moved} to low-latency storage.",
        "tune-first",
        commands=(*of_files, *(_MOVE_SEGMENTS if segments else ())),
        rollback=("Move them back in the same way.",),
        benefit=case.scale.impact(None, "not quantified: it depends on the SQL"),
        prerequisites=(f"the steps for {listed(before)}",) if before else (),
        risks=(*((_OFFLINE,) if of_files == _MOVE_OFFLINE else ()),
               *((_MOVE,) if segments else ())),
        validate=(f"sessions wait less for the {what}", AFTER),
    )  # fmt: skip


def _contention(case: Case) -> str:
    """Waits for blocks that are in memory, with their segments and what helps; empty if few."""
    busy, index = (case.share(case.or_zero(f"load.{e}_wait_s")) for e in ("buffer_busy", "index"))
    read_s = case.get("load.data_read_wait_s")
    names = case.value("io.busy_segments") or case.value("load.locked_segments")
    few = busy + index < case.policy["storage.hot_reads_pct"]
    if (
        few
        or (index < 1 and (read_s is None or case.share(read_s) >= 1))
        or not isinstance(names, tuple)
        or case.scale.mistimed
    ):
        return ""
    also = f" and `enq: TX - index contention` {index:.0f} %" if index >= 1 else ""
    indexes = "reverse keys or " if also else ""
    return (
        f"Sessions contend for blocks in memory, most of them of {listed(names)}: `buffer busy "
        f"waits` {busy:.0f} %{also}. Use hash partitions, {indexes}larger sequence caches."
    )


def _has_segments(case: Case) -> bool:
    """Whether segments can be named: only if few of the blocks are direct path reads."""
    direct_pct = case.get("io.direct_read_pct")
    few = direct_pct is None or direct_pct < case.policy["storage.direct_reads_pct"]
    return few and case.value("io.read_segments") is not None


def _is_hot(case: Case) -> bool:
    """Whether reads are a large part of DB time, and slower than those of a fast device."""
    read_s = case.get("load.data_read_wait_s")
    share, sessions = case.scale.share(read_s), case.scale.sessions(read_s)
    if share is None or share < case.policy["storage.hot_reads_pct"] or case.scale.mistimed:
        return False
    if sessions is not None and sessions < case.policy["storage.worth_sessions"]:
        return False
    if case.value("io.read_tablespaces") is None and not _has_segments(case):
        return False
    now_ms, block_b = case.get("io.data_read_ms"), case.get("load.block_b")
    few = sessions is not None and sessions < case.policy["impact.many_sessions"]
    if few and now_ms is not None and not case.scale.how_slow(now_ms, block_b):
        return False  # quick reads of a few sessions, whatever their share
    device_ms = speed(case.policy, "undo").read(block_b)
    return now_ms is None or now_ms > case.policy["storage.quick_ratio"] * device_ms


def _named(case: Case) -> str:
    """The waits for reads, and the tablespaces or segments, in sentences."""
    waited_s = case.or_zero("load.data_read_wait_s")
    share = f"{case.share(waited_s):.1f} % of {case.base}"
    parts = [f"Sessions waited {waited_s:,.0f} s, {share}, for reads of data files."]
    spaces = case.facts["io.read_tablespaces"]
    if spaces.value is not None:
        first, *rest = spaces.note.split("; ")
        parts.append(f"Tablespaces by read time (reads × Av Rd(ms)): {first}.")
        parts += [f"{space}." for space in rest]
    if _has_segments(case):
        shares = case.facts["io.read_segments"].note.replace("; ", ", ")
        parts.append(f"Hot segments by physical reads: {shares}.")
    return " ".join(parts)
