"""Tempfiles and undo files that share disks with data files, and the latency of those data files.

Source: "Write Accelerator", "Temporary Tablespace Writes and Reads" (tempfiles need an area of
their own) and "Undo Tablespace Writes", figures 17 and 18 (the "poisoning" of reads by undo; the
two differ in more than undo). A place is an ASM disk group, a drive of Windows, or a directory: of
files in different places, it is not known whether they share disks.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING

from awrlens.facts import tablespaces as ts
from awrlens.facts.answers import Answer, needed, text_fact
from awrlens.facts.counters import kept
from awrlens.facts.figures import Figures, several
from awrlens.facts.formula import Figure, Missing, Number, is_lost
from awrlens.facts.host import DATA_READS
from awrlens.facts.sections import ELAPSED, FG, FILES, PARAMETERS
from awrlens.lazy import NamedTuple, regex
from awrlens.model.fact_table import fact
from awrlens.units import listed, ms_words, plain

if TYPE_CHECKING:
    from awrlens.model import Evidence

#: Oracle-managed files of one destination are in folders by type.
_KIND_FOLDER = regex(r"[/\\](?:datafile|tempfile)$", re.I)


#: Reads whose time is lost are omitted if they are at most this share.
_LEFT_OUT = 0.05
_NO_TIME = Missing("File IO Stats shows `####` for read times of data files")


class _Disks(NamedTuple):
    """I/O of files of one kind in the places that they share, and of data files elsewhere."""

    names: tuple[str, ...]
    #: Rows of File IO Stats: the first file of the kind, the first neighbour, place by place.
    witnesses: tuple[int, ...]
    own_reads: float
    own_writes: float
    reads: float
    writes: float
    neighbour_reads: float
    neighbour_read_ms: float
    elsewhere_reads: float
    elsewhere_read_ms: float
    #: Reads whose time did not fit its column.
    neighbour_lost: float
    elsewhere_lost: float


def place(filename: str) -> str:
    """The disk group, drive or directory of a file; empty where the name has none."""
    name = filename.strip()
    cut = max(name.rfind("/"), name.rfind("\\")) if "\\" in name else name.rfind("/")
    return _place(name[: cut + 1] or name)


def is_on_drive(filename: str) -> bool:
    """Whether the name of a file begins with a drive of Windows."""
    return filename[1:2] == ":" and filename[:1].isalpha()


@lru_cache(maxsize=1024)
def _place(name: str) -> str:
    if name.startswith("+"):
        return name.replace("\\", "/").partition("/")[0].upper()
    if is_on_drive(name):
        return name[:2].upper()
    cut = max(name.rfind("/"), name.rfind("\\"))
    folder = name[:cut].rstrip("/\\") if cut >= 0 else ""
    return _KIND_FOLDER.sub("", folder) if folder.lower().endswith("file") else folder


@kept
def _files(f: Figures) -> list[tuple[str, str, float, float, float, bool, bool]] | Missing:
    """Tablespace, place, reads, writes and read time in ms of every file.

    Then whether there is a time (`N/A` does not mean 0 ms), and whether it is ``####``, blank or
    damaged.
    """
    if (table := ts.files(f)) is None:
        return f.missing("file_io")
    needed(ts.unfit(f, table, "reads", "writes"))
    times = table.texts("read_ms")
    plain, printed = table.is_plain("read_ms"), any(times)
    timed = {text: plain or ts.is_number(table, text) for text in set(times)}
    unread = {text: not timed[text] and (is_lost(text) if text else printed) for text in timed}
    return list(zip(
        ts.owners(f, table), map(place, table.texts("filename")),
        *map(table.numbers, ("reads", "writes", "read_ms")),
        map(timed.__getitem__, times), map(unread.__getitem__, times), strict=True,
    ))  # fmt: skip


@kept
def _disks(f: Figures, kind: str) -> _Disks | Missing:
    files = needed(_files(f))
    what = "temporary" if kind == "temp" else kind
    own = {space.name for space in ts.of_kind(f, what)}
    without_data = {space.name for space in (*ts.temporary(f), *ts.undo(f))}
    ours = {where for name, where, *_ in files if name in own and where}
    if not ours:
        return Missing(f"no file of {what} tablespaces is recognised in File IO Stats")
    shared = {where for name, where, *_ in files if where in ours and name not in without_data}
    seen: dict[tuple[str, bool], int] = {}
    sums = dict.fromkeys(_Disks._fields[2:], 0.0)
    for number, (name, where, reads, writes, ms, timed, lost) in enumerate(files):
        data = name not in without_data
        if where in shared:
            sums["reads"] += reads
            sums["writes"] += writes
            if name in own:
                sums["own_reads"] += reads
                sums["own_writes"] += writes
            if data or name in own:
                seen.setdefault((where, name in own), number)
        side = "neighbour" if where in shared else "elsewhere"
        if data and lost:
            sums[f"{side}_lost"] += reads
        if data and timed:
            sums[f"{side}_reads"] += reads
            sums[f"{side}_read_ms"] += reads * ms
    return _Disks(tuple(sorted(shared)), tuple(sorted(seen.values())), **sums)


#: Reads of a place that show something; milliseconds of a slow read; how much slower it is than
#: the rest, which is at least a fifth of the reads; and what share of the time it explains.
#: # awrlens: as confidence.few_waits and writes.slow_read_ms; three times; the majority
_FEW_READS, _SLOW_MS, _SLOWER, _REST, _EXPLAINED = 100, 15.0, 3.0, 0.2, 0.5
#: Slow places with a smaller share of the slow reads are not named. # awrlens: a twentieth
_NAMED = 0.05


def _by_place(f: Figures, without: set[str]) -> dict[str, list[float]]:
    """Timed reads, their time in ms and the first file by place, ``without`` some tablespaces."""
    by_place = dict[str, list[float]]()
    for number, (name, where, reads, _, ms, timed, lost) in enumerate(needed(_files(f))):
        if name not in without and where:
            needed(_NO_TIME if lost and reads >= _FEW_READS else None)
            had = by_place.setdefault(where, [0.0, 0.0, number])
            had[:2] = had[0] + reads * timed, had[1] + reads * ms * timed
    return by_place


@fact("io.slow_places", "name", FILES)
def slow_places(f: Figures) -> Answer:
    """Drives, directories or disk groups that make reads of data files slow; others are fast."""
    by_place = _by_place(f, {space.name for space in ts.temporary(f)})
    ranked = sorted((ms / reads, reads, where) for where, (reads, ms, _) in by_place.items()
                    if reads >= _FEW_READS)  # fmt: skip
    # between the two places that are furthest apart
    gaps = [(slow[0] / max(quick[0], 0.1), place) for place, (quick, slow)
            in enumerate(pairwise(ranked), start=1)]  # fmt: skip
    at = max(gaps, default=(0, 0))[1]
    sums = [[sum(spot[0] * spot[1] for spot in part), sum(spot[1] for spot in part)]
            for part in (ranked[:at], ranked[at:])]  # fmt: skip
    (rest_s, rest), (hot_s, hot) = sums
    is_part = at and rest >= _REST * (rest + hot) and hot_s >= _EXPLAINED * (rest_s + hot_s)
    if not is_part or hot_s / hot < max(_SLOW_MS, _SLOWER * rest_s / rest):
        return Missing("no part of the storage explains why reads are slow")
    table = needed(ts.files(f) or f.missing("file_io"))
    slow = sorted(where for _, reads, where in ranked[at:] if reads >= _NAMED * hot)
    cells = (table.rows[int(by_place[where][2])].cell("read_ms") for where in slow)
    value = f"{ms_words(hot_s / hot)} on {listed(slow)}, {ms_words(rest_s / rest)} on all others"
    return text_fact(value, f.proof(*cells), "derived")


@several("names", FILES)
def shared_places(f: Figures, kind: str) -> Answer:
    """Disk groups, drives or directories that {kind} files share with data files."""
    disks = needed(_disks(f, kind))
    none = f"no data file shares a directory or disk group with {kind} files"
    return text_fact(disks.names, _proof(f, disks), "derived", "" if disks.names else none)


shared_places("temp.shared_places", "temp")
shared_places("undo.shared_places", "undo")


#: A local archive destination in LOG_ARCHIVE_DEST_n; LOG_ARCHIVE_DEST is a path only.
#: # Oracle Database Reference
_LOCATION = regex(r"""location\s*=\s*["']?([^"',\s]+)""", re.I)
_OLD_DESTINATIONS = ("log_archive_dest", "log_archive_duplex_dest")
#: Letters of a value in compare-period reports of 10.2, which cut longer ones.
_CUT_AT = 32
_RECOVERY_AREA = "USE_DB_RECOVERY_FILE_DEST"


@fact("redo.archive_destinations", "names", PARAMETERS)
def archive_destinations(f: Figures) -> Answer:
    """Where this host writes archived redo logs, by the parameters."""
    destinations: dict[str, Evidence] = {}
    for row in f.table("parameters").begins(_OLD_DESTINATIONS):
        printed = f.parameter(row.key)
        if printed is None:
            continue
        location = _LOCATION.match(printed[0].strip())
        name = location[1] if location else ""
        if row.key.lower() in _OLD_DESTINATIONS:
            name = printed[0].strip()
        if name.upper() == _RECOVERY_AREA and (area := f.parameter("db_recovery_file_dest")):
            name = area[0].strip()
        if f.is_compared and len(printed[0].strip()) == _CUT_AT:
            name += "…"
        if name:
            destinations.setdefault(name, printed[1])
    if not destinations:
        return Missing("no local archive destination is listed")
    return text_fact(tuple(destinations), tuple(destinations.values()), "measured")


def _proof(f: Figures, disks: _Disks) -> tuple[Evidence, ...]:
    """A file of each kind in every shared place; the sums cover more files than can be shown."""
    table = ts.files(f)
    return f.proof(*(table.rows[n].cell("filename") for n in disks.witnesses)) if table else ()


def _shared(f: Figures, kind: str) -> _Disks:
    disks = needed(_disks(f, kind))
    none = Missing(f"no data file shares a place with {kind} files")
    return disks if disks.names else needed(none)


# these two are of their own sum
@fact("temp.shared_place_io_pct", "%", FILES, beyond=True)
def temp_share_pct(f: Figures) -> Answer:
    """Share of temporary I/O in all I/O of the places that tempfiles share with data files."""
    disks = _shared(f, "temp")
    temp = Figure(disks.own_reads + disks.own_writes, "temporary I/Os", _proof(f, disks))
    return temp * 100 / Figure(disks.reads + disks.writes, "I/Os there")


@fact("undo.shared_place_write_pct", "%", FILES, beyond=True)
def undo_write_share_pct(f: Figures) -> Answer:
    """Share of undo writes in all writes to the places that undo files share with data files."""
    disks = _shared(f, "undo")
    undo = Figure(disks.own_writes, "undo writes", _proof(f, disks))
    return undo * 100 / Figure(disks.writes, "writes there")


@several("ms", FILES)
def neighbour_ms(f: Figures, kind: str) -> Answer:
    """Read latency of data files in the places that they share with {kind} files."""
    disks = _shared(f, kind)
    time = Figure(disks.neighbour_read_ms, "ms", _proof(f, disks))
    return _NO_TIME if disks.neighbour_lost else time / Figure(disks.neighbour_reads, "reads")


@several("ms", FILES)
def elsewhere_ms(f: Figures, kind: str) -> Answer:
    """Read latency of data files in places without {kind} files."""
    disks = _shared(f, kind)
    lost = disks.elsewhere_lost
    if lost > _LEFT_OUT * (disks.elsewhere_reads + lost):
        return _NO_TIME
    if not disks.elsewhere_reads:
        return Missing("no data files in other places were read")
    note = f"`####`: {lost:,.0f} reads whose time is lost are omitted" if lost else ""
    time = Figure(disks.elsewhere_read_ms, "ms")
    return (time / Figure(disks.elsewhere_reads, "reads")).noted(note)


neighbour_ms("temp.neighbour_read_ms", "temp")
neighbour_ms("undo.neighbour_read_ms", "undo")
elsewhere_ms("temp.elsewhere_read_ms", "temp")
elsewhere_ms("undo.elsewhere_read_ms", "undo")


@fact("undo.neighbour_wait_s", "s", FILES, FG)
def undo_neighbour_wait_s(f: Figures) -> Number:
    """Seconds that sessions waited for reads of data files next to undo files, by reads."""
    disks = _shared(f, "undo")
    nearby = Figure(disks.neighbour_reads + disks.neighbour_lost, "reads next to undo")
    elsewhere = Figure(disks.elsewhere_reads + disks.elsewhere_lost, "elsewhere")
    return (f.of_sessions("s", *DATA_READS) * nearby / (nearby + elsewhere)).estimated()


#: Reads of data files and tempfiles that sessions wait for. # Oracle Database Reference
_READS = (*DATA_READS, "direct path read")
#: Those of temporary tablespaces alone, since 10g.
_TEMP_READ = "direct path read temp"
#: Read times are not what sessions waited if these are at most this part of them, and if a read
#: takes this long. # awrlens: figure 16 of "Write Accelerator" has 3,800 ms, of which sessions
#: waited 0.3 %; 8i on slow disks has up to 350 ms, all of it waited for
_WAITED_PCT, _FAR_MS = 10.0, 500.0
#: Blocks of a large read. # awrlens: 128 KB
_LARGE_BLOCKS = 16
#: Fewer waiting sessions are few. # awrlens: as storage.worth_sessions
_FEW_SESSIONS = 0.1


@fact("redo.raised_processes", "name", PARAMETERS, kind="setting")
def raised_processes(f: Figures) -> Answer:
    """Processes with a higher priority, if `_high_priority_processes` is set."""
    printed = f.parameter("_high_priority_processes")
    missing = Missing("`_high_priority_processes` is not in the report")
    return text_fact(printed[0], (printed[1],), "measured") if printed else missing


@fact("redo.created_in", "name", PARAMETERS, kind="setting")
def created_in(f: Figures) -> Answer:
    """DB_CREATE_FILE_DEST: Oracle creates data files there, and redo logs without another place."""
    printed = f.parameter("db_create_file_dest")
    if printed is None or not printed[0] or f.parameter("db_create_online_log_dest_1"):
        return Missing("DB_CREATE_FILE_DEST is not in the report, or redo logs have another place")
    return text_fact(printed[0], (printed[1],), "measured")


@fact("io.unwaited_reads", "name", FILES, FG)
def unwaited_reads(f: Figures) -> Answer:
    """The tablespace with most read time, if sessions waited for little of it; the note explains.

    Source: "Write Accelerator", figures 13, 16 and 17.
    """
    table = ts.table_of(f, "read_ms")
    needed(f.doubt(table))
    if not (times := ts.read_times(f)):
        return Missing("no tablespace has reads with a time")
    name, (reads, ms, blocks) = max(times.items(), key=lambda item: item[1].ms)
    each_ms, waited = ms / max(reads, 1.0), f.of_sessions("s", *_READS)
    size = f" ({plain(blocks / reads, 3)} blocks each)" if blocks else ""
    time = ms_words(float(f"{each_ms:.3g}"))
    said, probably = f"reads take {time} on average{size}", "probably large "
    if f.complete and isinstance(waited, Figure):
        bound, own = "at most", f.of_sessions("s", _TEMP_READ)
        if isinstance(own, Figure) and own.value and name in {e.name for e in ts.temporary(f)}:
            bound = "about"
        else:
            own = waited
        pct = own.value * 100_000 / ms if ms else 100.0
        said += f", but sessions waited for {bound} {plain(pct, 2)} % of this time"
        probably = "large " if blocks >= _LARGE_BLOCKS * reads else ""
        few = f.elapsed.value and waited.value < f.elapsed.value * _FEW_SESSIONS
        end = "; few sessions wait" if few else ""
    else:
        pct, end = 0.0, ", for which few sessions wait"
        said += ", longer than a device takes for one"
    if each_ms < _FAR_MS or pct > _WAITED_PCT:
        return Missing("sessions may have waited for the read times of tablespaces")
    owners = zip(table.rows, ts.owners(f, table), strict=True)
    proof = f.proof(*(row.cell("read_ms") for row, owner in owners if owner == name))
    note = f"{said}: {probably}asynchronous reads{end}"
    ends = f.row_figure(ELAPSED, "end_snap", "sessions", "sessions")
    many = ms / 1000 / f.elapsed.value if f.elapsed.value else 0.0
    if isinstance(ends, Figure) and many > ends.value > 0:
        seen = f"{many:,.0f} reads at any moment by {ends.value:,.0f} sessions"
        note = f"{said}, and it would be {seen}: the read times of the files are wrong"
    return text_fact(name, proof, "estimated" if "probably" in note else "derived", note)
