"""Which temporary and undo files share disks with data files, and how the neighbours fare.

Source: document 3, "Temporary Tablespace Writes and Reads" (temporary files belong in an area of
their own) and "Undo Tablespace Writes", figures 17 and 18 (the "poisoning" of reads by undo).

A place is an ASM disk group, a drive of Windows, or a directory. Two directories may be one
device all the same: what shares a place certainly shares disks, the rest is not known.

Figure 17 prints 4,076 and 4,042 ms for reads of two DATA files beside undo in +DATA2; figure 18
has the same file numbers at 28.6 and 31.9 ms in +DATA, without the load and with a twentieth of
the reads. Its two conditions differ in more than undo.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from awrlens.facts import tablespaces as ts
from awrlens.facts.formula import Figure, Missing, derive, text_fact, unavailable

if TYPE_CHECKING:
    from collections.abc import Callable

    from awrlens.facts.figures import Figures
    from awrlens.model import Fact

#: Oracle-managed files of one destination stand in folders by kind.
_KIND_FOLDER = re.compile(r"[/\\](?:datafile|tempfile)$", re.I)
_DRIVE = re.compile(r"[A-Za-z]:")


class _Disks(NamedTuple):
    """What files of one kind do on the places that they share, and data files elsewhere."""

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


def place(filename: str) -> str:
    """The disk group, drive or directory of a file; empty where the name has none."""
    name = filename.strip()
    if name.startswith("+"):
        return re.split(r"[/\\]", name, maxsplit=1)[0].upper()
    if _DRIVE.match(name):
        return name[:2].upper()
    folder = re.sub(r"[/\\]+[^/\\]*$", "", name)
    return "" if folder == name else _KIND_FOLDER.sub("", folder)


def _disks_of_temp(f: Figures) -> _Disks | Missing:
    return _disks(f, ts.temporary(f), "temporary")


def _disks_of_undo(f: Figures) -> _Disks | Missing:
    return _disks(f, ts.undo(f), "undo")


def _disks(f: Figures, found: list[ts.Found], what: str) -> _Disks | Missing:
    table = f.tables.get("file_io")
    if table is None:
        return f.missing("file_io")
    own = {each.name for each in found}
    others = own | {each.name for each in (*ts.temporary(f), *ts.undo(f))}
    owners, places = table.texts("tablespace"), [place(n) for n in table.texts("filename")]
    columns = [table.numbers(c) for c in ("reads", "writes", "read_ms")]
    # `N/A` is no time of 0 ms: such files do not weigh in an average
    timed = [any(c.isdigit() for c in text) for text in table.texts("read_ms")]
    ours = {where for name, where in zip(owners, places, strict=True) if name in own and where}
    if not ours:
        return Missing(f"no file of a {what} tablespace is recognised in {table.title}",
                       ("file_io",))  # fmt: skip
    shared = {w for name, w in zip(owners, places, strict=True) if name not in others and w in ours}
    seen: dict[tuple[str, bool], int] = {}
    sums = dict.fromkeys(_Disks._fields[2:], 0.0)
    for number, (name, where, reads, writes, ms, known) in enumerate(
        zip(owners, places, *columns, timed, strict=True)
    ):
        if where in shared:
            sums["reads"] += reads
            sums["writes"] += writes
            if name in own:
                sums["own_reads"] += reads
                sums["own_writes"] += writes
            if name in own or name not in others:
                seen.setdefault((where, name in own), number)
        if name not in others and known:
            side = "neighbour" if where in shared else "elsewhere"
            sums[f"{side}_reads"] += reads
            sums[f"{side}_read_ms"] += reads * ms
    return _Disks(tuple(sorted(shared)), tuple(sorted(seen.values())), **sums)


_SIDES: dict[str, Callable[[Figures], _Disks | Missing]] = {
    "temp": _disks_of_temp,
    "undo": _disks_of_undo,
}


def shared_places(kind: str) -> Callable[[Figures], Fact]:
    """Places that files of a kind share with data files."""

    def fact(f: Figures) -> Fact:
        disks = f.once(_SIDES[kind])
        if isinstance(disks, Missing):
            return unavailable(disks)
        table = f.tables.get("file_io")
        cells = [table.rows[n].cell("filename") for n in disks.witnesses] if table else []
        proof = tuple(f.evidence(cell) for cell in cells if cell is not None)
        note = "" if disks.names else f"no data file in a directory or disk group of {kind} files"
        return text_fact(disks.names, proof, "derived", note)

    fact.__doc__ = f"Disk groups, drives or directories that {kind} files share with data files."
    return fact


def _shared(f: Figures, kind: str) -> _Disks | Missing:
    disks = f.once(_SIDES[kind])
    if isinstance(disks, _Disks) and not disks.names:
        return Missing(f"no data file is seen beside {kind} files", ("file_io",))
    return disks


def temp_share_pct(f: Figures) -> Fact:
    """Temporary I/O in all I/O of the places that temporary files share with data files."""
    disks = _shared(f, "temp")
    if isinstance(disks, Missing):
        return unavailable(disks)
    return derive(
        "temp * 100 / all",
        temp=Figure(disks.own_reads + disks.own_writes, "temporary I/Os"),
        all=Figure(disks.reads + disks.writes, "I/Os there"),
    )


def undo_write_share_pct(f: Figures) -> Fact:
    """Undo writes in all writes to the places that undo files share with data files."""
    disks = _shared(f, "undo")
    if isinstance(disks, Missing):
        return unavailable(disks)
    return derive(
        "undo * 100 / all",
        undo=Figure(disks.own_writes, "undo writes"),
        all=Figure(disks.writes, "writes there"),
    )


def neighbour_read_ms(kind: str) -> Callable[[Figures], Fact]:
    """Read latency of data files beside files of a kind, weighted by reads."""

    def fact(f: Figures) -> Fact:
        disks = _shared(f, kind)
        if isinstance(disks, Missing):
            return unavailable(disks)
        return derive(
            "time / reads",
            time=Figure(disks.neighbour_read_ms, "ms"),
            reads=Figure(disks.neighbour_reads, "reads"),
        )

    fact.__doc__ = f"Read latency of data files on the places that {kind} files share with them."
    return fact


def undo_elsewhere_read_ms(f: Figures) -> Fact:
    """Read latency of data files on other places than undo files."""
    disks = _shared(f, "undo")
    if isinstance(disks, Missing):
        return unavailable(disks)
    if not disks.elsewhere_reads:
        return unavailable(Missing("no data files are read on other places", ("file_io",)))
    return derive(
        "time / reads",
        time=Figure(disks.elsewhere_read_ms, "ms"),
        reads=Figure(disks.elsewhere_reads, "reads"),
    )


def undo_neighbour_wait_s(f: Figures) -> Fact:
    """Seconds that sessions waited for data reads, in the share of those beside undo files."""
    disks = _shared(f, "undo")
    if isinstance(disks, Missing):
        return unavailable(disks)
    events = ("db file sequential read", "db file scattered read", "db file parallel read")
    fact = derive(
        "waited * beside / (beside + elsewhere)",
        waited=f.foreground_sum(events),
        beside=Figure(disks.neighbour_reads, "reads beside undo"),
        elsewhere=Figure(disks.elsewhere_reads, "elsewhere"),
    )
    return fact._replace(status="estimated") if fact.number is not None else fact
