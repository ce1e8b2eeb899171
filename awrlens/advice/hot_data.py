"""The tablespaces that sessions wait for, and hot segments: what to consider after the write path.

Source: Write Accelerator, Summary (storage after tuning; "hot indexes and tables" last).

A wait for a read is as long as the read: tablespaces are ranked by reads × Av Rd(ms). Segments by
Physical Reads counts blocks, whatever their reads took, and includes direct path reads.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.advice import features
from awrlens.advice.case import AFTER, advice
from awrlens.advice.devices import speed
from awrlens.lazy import NamedTuple
from awrlens.model import Recommendation
from awrlens.units import listed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from awrlens.advice.case import Case
    from awrlens.advice.storage import Segment


class _Hot(NamedTuple):
    """What segments are hot by, the fact with their names, and the waits that it causes."""

    by: str
    segments: str
    waits: str
    waited_for: str


_BUSY: Final = "load.buffer_busy_wait_s"
_READS: Final = _Hot(
    "physical reads", "io.read_segments", "load.data_read_wait_s", "reads of data files"
)
_HOT: Final = (
    _READS,
    _Hot("physical writes", "io.write_segments", "checkpoint.buffer_wait_s", "DBWR"),
    _Hot("buffer busy waits", "io.busy_segments", _BUSY, "busy buffers"),
)

_MOVE: Final = (
    "ALTER TABLE MOVE locks the table and makes its indexes unusable, except with ONLINE (12.2 and "
    "later)."
)
_MOVE_SEGMENTS: Final = (
    "ALTER TABLE <table> MOVE TABLESPACE <low-latency tablespace>;",
    "ALTER INDEX <index> REBUILD TABLESPACE <low-latency tablespace>;",
)
_MOVE_FILE: Final = "ALTER DATABASE MOVE DATAFILE '<file>' TO '<low-latency path>';"
_MOVE_OFFLINE: Final = (
    "ALTER TABLESPACE <tablespace> OFFLINE;",
    "-- copy its files",
    "ALTER TABLESPACE <tablespace> RENAME DATAFILE '<file>' TO '<low-latency path>';",
    "ALTER TABLESPACE <tablespace> ONLINE;",
)
_OFFLINE: Final = (
    "The tablespace is offline while its files are copied; SYSTEM and undo cannot be taken offline."
)


@advice("hot-segments", "storage", "medium", short="faster storage for hot data")
def consider(case: Case, before: Sequence[Segment]) -> Recommendation | None:
    """Consider hot tablespaces and segments after redo, temp and undo."""
    if contention := _contention(case):
        return Recommendation("Faster storage for the hot blocks", contention, "no-benefit")
    found = [hot for hot in _HOT if _is_hot(case, hot)]
    if not found:
        return None
    after = f", after {listed(before)}," if before else ""
    spaces = _READS in found and case.value("io.read_tablespaces") is not None
    segments = any(_has_segments(case, hot) for hot in found)
    what = " and ".join(["tablespaces"] * spaces + ["segments"] * (segments or not spaces))
    moved = "these tablespaces" if what == "tablespaces" else "their tablespaces"
    is_online = features.has(case.facts, "move datafile") is not False
    of_files = ((_MOVE_FILE,) if is_online else _MOVE_OFFLINE) if spaces else ()
    first, few = _first(case)
    then = f"Tune first: {listed(first)}{few}; then{after} move {moved} to low-latency storage."
    short = ""
    if found[0].waits == _BUSY:  # the blocks are in memory
        hottest = case.facts[found[0].segments].note.partition(";")[0]
        first, short = (), f"contention for {hottest.replace(': ', ' (')} of {found[0].by})"
        then = "Spread their blocks first: hash partitions, larger sequence caches, fewer writers."
    return Recommendation(
        f"Then consider the hot {what}" if before else f"Consider the hot {what}",
        f"{' '.join(_named(case, hot) for hot in found)} {then}",
        "tune-first",
        commands=(*of_files, *(_MOVE_SEGMENTS if segments else ())),
        rollback=("Move them back in the same way.",),
        benefit=case.scale.impact(None, "not quantified: it depends on the SQL"),
        prerequisites=(f"the steps for {listed(before)}",) if before else (),
        risks=(*((_OFFLINE,) if of_files == _MOVE_OFFLINE else ()),
               *((_MOVE,) if segments else ())),
        validate=(f"sessions wait less for the {what}", AFTER),
        short=short,
        first=first,
    )  # fmt: skip


def _first(case: Case) -> tuple[tuple[str, ...], str]:
    """What to tune before storage, with its share or gain and line; that a cache gains little."""
    sql, cache = case.facts["io.leading_sql"], case.facts["io.cache_saves_pct"]
    first = [f"{sql.value} ({sql.note}, line {sql.evidence[0].line})"] if sql.value else []
    lean = str(sql.value).startswith("fewer")  # of SQL that wastes nothing, the cache comes first
    (size, _, gain), few = cache.note.partition(": "), ""
    if (cache.number or 0.0) >= case.policy["storage.cache_saves_pct"]:
        first.insert(not lean, f"{size} ({gain}, line {cache.evidence[-1].line})")
    elif cache.number or cache.note.startswith("a larger"):
        few = f"; {size} saves too little ({gain})" if gain else f"; {cache.note}"
    elif lean:
        sizes = [case.get(each) for each in ("load.buffer_cache_mb", "pga.host_memory_mb")]
        now = " of the host's ".join(f"{mb:,.0f} MB" for mb in sizes if mb)
        first.insert(0, f"a larger buffer cache{f' (now {now})' if sizes[0] else ''}")
    spaces = case.value("io.read_tablespaces")
    of = spaces[0] if isinstance(spaces, tuple) else "most"
    return tuple(first) or (f"the SQL that reads {of}",), few


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


def _has_segments(case: Case, hot: _Hot) -> bool:
    """Whether segments can be named: by reads, only if few of the blocks are direct path reads."""
    direct_pct = case.get("io.direct_read_pct") if hot == _READS else None
    few = direct_pct is None or direct_pct < case.policy["storage.direct_reads_pct"]
    return few and case.value(hot.segments) is not None


def _is_hot(case: Case, hot: _Hot) -> bool:
    """Whether the waits are a large part of DB time, and reads slower than those of the device."""
    share, sessions = (of(case.get(hot.waits)) for of in (case.scale.share, case.scale.sessions))
    if share is None or share < case.policy["storage.hot_reads_pct"] or case.scale.mistimed:
        return False
    if sessions is not None and sessions < case.policy["storage.worth_sessions"]:
        return False
    if hot != _READS:
        return _has_segments(case, hot)
    if case.value("io.read_tablespaces") is None and not _has_segments(case, hot):
        return False
    now_ms, block_b = case.get("io.data_read_ms"), case.get("load.block_b")
    few = sessions is not None and sessions < case.policy["impact.many_sessions"]
    if few and now_ms is not None and not case.scale.how_slow(now_ms, block_b):
        return False  # quick reads of a few sessions, whatever their share
    device_ms = speed(case.policy, "undo").read(block_b)
    return now_ms is None or now_ms > case.policy["storage.quick_ratio"] * device_ms


def _named(case: Case, hot: _Hot) -> str:
    """The waits, and the tablespaces or segments, in sentences."""
    waited = case.get(hot.waits) or 0.0
    share = f"{case.share(waited):.1f} % of {case.base}"
    parts = [f"Sessions waited {waited:,.0f} s, {share}, for {hot.waited_for}."]
    spaces = case.facts["io.read_tablespaces"]
    if hot == _READS and spaces.value is not None:
        first, *rest = spaces.note.split("; ")
        parts.append(f"Tablespaces by read time (reads × Av Rd(ms)): {first}.")
        parts += [f"{each}." for each in rest]
    if _has_segments(case, hot):
        shares = case.facts[hot.segments].note.replace("; ", ", ")
        parts.append(f"Hot segments by {hot.by}: {shares}.")
    return " ".join(parts)
