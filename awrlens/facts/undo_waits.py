"""Waits for undo segments: enqueues, headers and blocks, growth, parallel rollback.

Source: "Write Accelerator", "Undo Tablespace Writes", figures 20 and 21 and the text about them.
The text says that figure 20 shows the US enqueue, but it does not: its enqueues are CF, JS, KO and
PV with 17 waits in all, 11 + 4 + 1 + 1, as in figure 15.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.fact_table import fact
from awrlens.facts.formula import (
    Figure,
    Missing,
    add,
    derive,
    measured,
    readable,
    summed,
    text_fact,
    unavailable,
)
from awrlens.facts.numbers import average, column, waited
from awrlens.facts.sections import FG, PARAMETERS
from awrlens.units import parse_number

if TYPE_CHECKING:
    from collections.abc import Callable

    from awrlens.facts.numbers import Figures
    from awrlens.model import Fact

_CLASSES: Final = "buffer_waits"
_ENQUEUES: Final = f"{FG}|enqueues"
_SEGMENTS: Final = "rollback_stats"

#: Oracle's default if the parameter is not set (Oracle Database Reference).
_PER_SEGMENT: Final = 5
#: Undo segments at the start of automatic undo; # Write Accelerator, "Undo Tablespace Writes"
_FIRST_SEGMENTS: Final = 10


def _has_enqueue_events(f: Figures) -> bool:
    """Whether enqueues are events by type (10g and later); before, all are one event."""
    return f.tables.get("time_model") is not None or any(
        (table := f.tables.get(name)) is not None and table.begins(("enq: ",))
        for name in ("foreground_events", "wait_events")
    )


def enqueue_wait_s(kind: str) -> Callable[[Figures], Fact]:
    """Seconds that sessions waited for enqueues of a type."""

    def fact(f: Figures) -> Fact:
        if f.once(_has_enqueue_events):
            return waited(f, f"enq: {kind} -")
        return _activity(f, kind)

    fact.__doc__ = f"Seconds that sessions waited for {kind} enqueues."
    return fact


fact("undo.us_enqueue_wait_s", "s", _ENQUEUES, kind="total", better="lower")(enqueue_wait_s("US"))
fact("undo.ko_enqueue_wait_s", "s", _ENQUEUES, kind="total", better="lower")(enqueue_wait_s("KO"))
fact("undo.ci_enqueue_wait_s", "s", _ENQUEUES, kind="total", better="lower")(enqueue_wait_s("CI"))
fact("undo.tx_enqueue_wait_s", "s", _ENQUEUES, kind="total", better="lower")(enqueue_wait_s("TX"))
fact("undo.hw_enqueue_wait_s", "s", _ENQUEUES, kind="total", better="lower")(enqueue_wait_s("HW"))


def _activity(f: Figures, kind: str) -> Fact:
    """Enqueue Activity, for releases that have one event for all enqueues."""
    table = f.tables.get("enqueues")
    if table is None:
        return unavailable(f.missing("enqueues"))
    absent = Missing("Enqueue Activity has no time waited", ("enqueues",))
    figures: list[Figure] = []
    for row in table.rows:
        if row.key == kind or row.key.startswith(f"{kind}-"):
            found = f.figure(row.cell("total_wait_s"), "s", absent)
            if isinstance(found, Missing):
                return unavailable(found)
            figures.append(found)
    if not figures and table.unread((kind,)):
        return unavailable(Missing(f"a line of {kind} enqueues cannot be read", ("enqueues",)))
    if not figures and not f.complete:
        return unavailable(Missing(f"the excerpt has no {kind} enqueue", ("enqueues",)))
    note = "" if figures else f"no {kind} enqueue is in the list of enqueues with waits"
    return summed(add(figures, "s"), note)


def class_wait_s(name: str) -> Callable[[Figures], Fact]:
    """Seconds waited for buffers of a class of undo blocks."""

    def fact(f: Figures) -> Fact:
        return measured(_class(f, name, "total_wait_s", "s"))

    fact.__doc__ = f"Seconds that sessions waited for buffers of class `{name}`."
    return fact


fact("undo.file_header_wait_s", "s", _CLASSES, kind="total", better="lower")(
    class_wait_s("file header block")
)
fact("undo.header_wait_s", "s", _CLASSES, kind="total", better="lower")(class_wait_s("undo header"))
fact("undo.block_wait_s", "s", _CLASSES, kind="total", better="lower")(class_wait_s("undo block"))


def class_wait_ms(name: str) -> Callable[[Figures], Fact]:
    """Average wait for a buffer of a class of undo blocks."""

    def fact(f: Figures) -> Fact:
        return derive(
            "total * 1000 / waits",
            total=_class(f, name, "total_wait_s", "s"),
            waits=_class(f, name, "waits", "waits"),
        )

    fact.__doc__ = f"Average wait for a buffer of class `{name}`: total / waits."
    return fact


fact("undo.file_header_wait_ms", "ms", _CLASSES, kind="level", better="lower")(
    class_wait_ms("file header block")
)
fact("undo.header_wait_ms", "ms", _CLASSES, kind="level", better="lower")(
    class_wait_ms("undo header")
)
fact("undo.block_wait_ms", "ms", _CLASSES, kind="level", better="lower")(
    class_wait_ms("undo block")
)


def _class(f: Figures, name: str, column: str, label: str) -> Figure | Missing:
    """A cell of Buffer Wait Statistics, which lists the classes that were waited for."""
    table = f.tables.get("buffer_waits")
    listed = table is not None and (table.row(name) is not None or table.unread((name,)))
    if table is not None and f.complete and not listed:
        return Figure(0, label)
    return f.row_figure("buffer_waits", name, column, label)


def enqueue_wait_ms(kind: str) -> Callable[[Figures], Fact]:
    """Average wait of sessions for enqueues of a type (10g and later)."""

    def fact(f: Figures) -> Fact:
        return average(f, f"enq: {kind} -")

    fact.__doc__ = f"Average wait for {kind} enqueues in ms."
    return fact


fact("undo.us_enqueue_wait_ms", "ms", FG, kind="level", better="lower")(enqueue_wait_ms("US"))
fact("undo.ci_enqueue_wait_ms", "ms", FG, kind="level", better="lower")(enqueue_wait_ms("CI"))


#: The part of the dictionary cache that rollback segments are looked up in.
_SEGMENT_CACHE: Final = "dc_rollback_segments"


@fact(
    "undo.row_cache_wait_s",
    "s",
    FG,
    "dictionary_cache|compared_dictionary_cache",
    kind="total",
    better="lower",
)
def row_cache_wait_s(f: Figures) -> Fact:
    """Seconds waited for the dictionary cache, if most of its gets are for undo segments.

    Frequent onlining and offlining of undo segments searches `dc_rollback_segments`; then
    `row cache lock` is a wait for undo segments, otherwise it is not counted here.
    """
    found = waited(f, "row cache lock")
    if not found.number:
        return found
    for name in ("dictionary_cache", "compared_dictionary_cache"):
        table = f.tables.get(name)
        row = table.row(_SEGMENT_CACHE) if table is not None else None
        gets = None if row is None else row.number("gets")
        if table is None or gets is None:
            continue
        whole = table.total("gets")
        if whole is None:
            return unavailable(Missing(f"{table.title} shows `####` for gets", (name,)))
        share = gets * 100 / max(whole, 1)
        if share >= 50:  # noqa: PLR2004 - the majority
            note = f"{share:.0f} % of the dictionary cache's gets are for {_SEGMENT_CACHE}"
            return found._replace(note=note)
        return found._replace(value=0, note=f"most gets are not for {_SEGMENT_CACHE}", formula="")
    return unavailable(f.missing("dictionary_cache"))


@fact("undo.segment_growth_wait_s", "s", FG, kind="total", better="lower")
def growth_wait_s(f: Figures) -> Fact:
    """Seconds that sessions waited while an undo segment was added, extended or shrunk."""
    return waited(f, "undo segment ")


@fact("undo.parallel_rollback_wait_s", "s", FG, kind="total", better="lower")
def parallel_rollback_wait_s(f: Figures) -> Fact:
    """Seconds that parallel rollback processes of a dead transaction waited for each other."""
    return waited(f, "wait for a undo record", "wait for stopper event")


@fact("undo.management", "name", "parameters|rollback_stats", kind="setting", better="neither")
def management(f: Figures) -> Fact:
    """Whether undo is managed by the instance (``auto``) or as rollback segments (``manual``)."""
    printed = f.parameter("undo_management")
    if printed and printed[0]:
        return text_fact(printed[0].lower(), (printed[1],), "measured")
    named = f.parameter("undo_tablespace")
    if named and named[0]:
        return text_fact("auto", (named[1],), "derived", "undo_tablespace is set")
    if f.tables.get("undo_summary") is not None or f.tables.get("time_model") is not None:
        return unavailable(Missing("`undo_management` is not in the report", ("parameters",)))
    segments = f.tables.get("rollback_stats")
    cell = segments.rows[0].cell("segment") if segments is not None and segments.rows else None
    if cell is None:
        return unavailable(f.missing("parameters", "rollback_stats"))
    note = "the report has rollback segments, but no parameter or section of automatic undo"
    return text_fact("manual", (f.evidence(cell),), "estimated", note)


@fact("undo.parallel_rollback", "name", PARAMETERS, kind="setting", better="neither")
def parallel_rollback(f: Figures) -> Fact:
    """Initialization parameter fast_start_parallel_rollback: degree of parallel rollback."""
    printed = f.parameter("fast_start_parallel_rollback")
    if not printed or not printed[0]:
        why = "`fast_start_parallel_rollback` is not listed (non-default parameters only)"
        return unavailable(Missing(why, ("parameters",)))
    return text_fact(printed[0].upper(), (printed[1],), "measured")


@fact("undo.expected_segments", "count", PARAMETERS, kind="setting", better="neither")
def expected_segments(f: Figures) -> Fact:
    """Undo segments that Oracle brings online: trunc(processes / transactions per segment).

    At least ten ("Write Accelerator"). `transactions_per_rollback_segment` is 5 if it is not
    listed. With manual undo, Oracle's Reference divides `transactions` instead of `processes`.
    """
    processes = _number(f, "processes")
    if isinstance(processes, Missing):
        return unavailable(processes)
    each = _number(f, "transactions_per_rollback_segment")
    divisor = each if isinstance(each, Figure) and each.value > 0 else Figure(_PER_SEGMENT, "")
    count = max(_FIRST_SEGMENTS, int(processes.value // divisor.value))
    note = f"trunc({processes.digits} / {divisor.digits}), at least {_FIRST_SEGMENTS}"
    return text_fact(count, (*processes.evidence, *divisor.evidence), "estimated", note)


def _number(f: Figures, name: str) -> Figure | Missing:
    printed = f.parameter(name)
    number = parse_number(printed[0]) if printed else None
    if printed is None or number is None:
        return Missing(f"`{name}` is not in the report", ("parameters",))
    return Figure(number, "", (printed[1],))


def _segments(f: Figures, name: str) -> list[Figure] | Missing:
    """A column of Rollback Segment Stats, without segment 0, which is SYSTEM's."""
    table = f.tables.get("rollback_stats")
    if table is None:
        return f.missing("rollback_stats")
    absent = Missing("Rollback Segment Stats has no such column", ("rollback_stats",))
    rows = [row for row in table.rows if row.key != "0"]
    return readable(column(f, table, rows, name, "")) or absent


def _of_list(f: Figures, fact: Fact) -> Fact:
    """A fact from all segments: an estimate if the list may lack some."""
    if f.complete:
        return fact
    return fact._replace(status="estimated", note="the excerpt may lack segments")


@fact("undo.rollback_segments", "count", _SEGMENTS, kind="level", better="neither")
def segments(f: Figures) -> Fact:
    """Rollback segments online, without SYSTEM's."""
    table = f.tables.get("rollback_stats")
    if table is None:
        return unavailable(f.missing("rollback_stats"))
    rows = [row for row in table.rows if row.key != "0"]
    cell = rows[0].cell(table.key or "") if rows else None
    if cell is None:
        return unavailable(Missing("Rollback Segment Stats has no segment", ("rollback_stats",)))
    count = len({row.key for row in rows})
    return _of_list(f, text_fact(count, (f.evidence(cell),), "derived"))


@fact("undo.rollback_segment_wait_pct", "%", _SEGMENTS, kind="level", better="neither")
def segment_wait_pct(f: Figures) -> Fact:
    """Highest share of waits in the gets of a rollback segment's header."""
    found = _segments(f, "waits_pct")
    if isinstance(found, Missing):
        return unavailable(found)
    return _of_list(f, measured(max(found, key=lambda x: x.value)._replace(label="%")))


def segment_changes(name: str) -> Callable[[Figures], Fact]:
    """Number of times that rollback segments grew or shrank."""

    def fact(f: Figures) -> Fact:
        found = _segments(f, name)
        if isinstance(found, Missing):
            return unavailable(found)
        part = [each for each in found if each.value] or found[:1]
        return _of_list(f, summed(add(part, "")))

    fact.__doc__ = f"Rollback Segment Stats: {name} of all segments but SYSTEM's."
    return fact


fact("undo.rollback_segment_extends", "count", _SEGMENTS, kind="total", better="neither")(
    segment_changes("extends")
)
fact("undo.rollback_segment_shrinks", "count", _SEGMENTS, kind="total", better="neither")(
    segment_changes("shrinks")
)
