"""What must hold of every mutated report."""

from __future__ import annotations

import html
import re
import resource
import signal
from contextlib import contextmanager
from math import isclose
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from awrlens import api
from awrlens.errors import AwrlensError
from awrlens.redact.names import Names
from awrlens.redact.rewrite import without_names
from awrlens.render.html import page as lay_out
from awrlens.render.json import document
from awrlens.render.layout import page
from awrlens.render.markdown import render as markdown
from awrlens.report.report import Report

if TYPE_CHECKING:
    from collections.abc import Container, Iterator, Mapping
    from types import FrameType

    from awrlens.model import Evidence, Fact
    from fuzzing.document import Doc

#: A run may take so many seconds of processor time, and so many for each MB.
FLOOR_S: Final = 1.0
S_PER_MB: Final = 1.0
#: A run may add so much to the memory of the process.
FLOOR_KB: Final = 150_000
KB_PER_KB: Final = 100
#: Figures that stand in two places of a report differ by rounding, and by what each counts.
NEAR: Final = 0.25
#: An average of a few milliseconds is rounded, and so is a total that is estimated by it.
NEAR_ESTIMATE: Final = 0.5
NEAR_BY_UNIT: Final = {"s": 3.0, "ms": 1.0, "%": 2.0, "count": 1.0, "min": 1.0, "ratio": 0.2}
#: Exit status of what is no report, or cannot be read.
REFUSED: Final = 3


class Finding(NamedTuple):
    """What does not hold; findings of one ``kind`` and ``what`` are one."""

    kind: str
    what: str
    detail: str


class Read(NamedTuple):
    """What was read of an input."""

    reports: tuple[Report, ...]
    refusals: tuple[AwrlensError, ...]
    facts: Mapping[str, Fact]
    identity: Mapping[str, Any]


class TooLong(BaseException):
    """A run takes longer than it may; nothing that awrlens catches."""


def _stop(_: int, __: FrameType | None) -> None:
    raise TooLong


@contextmanager
def limited(seconds: float) -> Iterator[None]:
    """Raises TooLong when that much processor time is used."""
    before = signal.signal(signal.SIGVTALRM, _stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def allowed_s(size: int) -> float:
    """Processor time that a file of a size may take."""
    return FLOOR_S + S_PER_MB * size / 1e6


def peak_kb() -> int:
    """The most memory that the process had."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def read(data: bytes, names: Container[str] | None = None) -> Read:
    """Reads an input as awrlens does, and computes every fact, or those of some names."""
    found = list(api.load_all(data, "fuzzed"))
    reports = tuple(each for each in found if isinstance(each, Report))
    refusals = tuple(each for each in found if isinstance(each, AwrlensError))
    facts: dict[str, Fact] = {}
    identity: dict[str, Any] = {}
    for number, report in enumerate(reports):
        own = [report]
        if report.kind.startswith(("awr-diff", "awr-rac")):
            own += [*report.periods, *report.instances]
        for each in own:
            part = each.view.label if each.view else ""
            for name, fact in api.facts_of(each).items() if names is None else _some(each, names):
                if number == 0:
                    facts[f"{part}:{name}" if part else name] = fact
            if number == 0:
                identity.update({f"{part}:{k}": v for k, v in each.identity.to_dict().items()})
    return Read(reports, refusals, facts, identity)


def _some(report: Report, names: Container[str]) -> Iterator[tuple[str, Fact]]:
    found = api.facts_of(report)
    return ((name, found[name]) for name in found if name in names)


# Evidence.


def cited(facts: Mapping[str, Fact]) -> Iterator[tuple[str, Evidence]]:
    """Every cell that a fact rests on."""
    for name, fact in facts.items():
        for item in fact.evidence:
            yield name, item


_ENDS: Final = re.compile(r"\r\n|\r|\n")
_UNSEEN: Final = re.compile(r"[^!-~]+")
#: As in the HTML standard: other text after `<` is no tag.
_TAG: Final = re.compile(r"<!--.*?-->|<[/!?]?[a-zA-Z][^<>]*>|<[/!?][^<>]*>", re.S)
#: What a terminal obeys and does not show; a backspace takes the character before it.
_OBEYED: Final = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]|[^\n\b]\x08|\x08")
#: What quotes and numbers lines.
FRAME: Final = re.compile(r"\A(?:\d+:|>>? |\| )")


def squeezed(text: str) -> str:
    """A text without blanks and whatever an encoding may change."""
    return _UNSEEN.sub("", text)


def evidence(facts: Mapping[str, Fact], text: str, *, page_: bool) -> Iterator[Finding]:
    """Each cited cell stands in the line that the evidence names, with that text."""
    # a lone carriage return ends a line for some programs and not for others
    counted = [_ENDS.split(text)]
    if "\r" in text:
        counted.append(text.split("\n"))
    found = [list(_not_there(facts, lines, page_=page_)) for lines in counted]
    yield from min(found, key=len)


def _not_there(facts: Mapping[str, Fact], lines: list[str], *, page_: bool) -> Iterator[Finding]:
    for name, item in cited(facts):
        line, text = item.line, squeezed(item.text)
        if line is None or not text:
            continue
        if not 1 <= line <= len(lines):
            yield Finding("evidence", "a line that is not there", f"{name}: line {line}")
            continue
        last = line if isinstance(item.value, int | float) and not page_ else line + 3
        # names and values of parameters go on in as many lines below as they need
        rest = len(text) - len(squeezed("".join(lines[line:last])))
        while line < last < len(lines) and rest > 0:
            rest -= len(squeezed(lines[last]))
            last += 1
        printed = "\n".join(
            [lines[line - 1], *(FRAME.sub("", each, 1) for each in lines[line:last])]
        )
        if text in squeezed(printed) or text in squeezed(_OBEYED.sub("", printed)):
            continue
        if page_ and text in squeezed(html.unescape(_TAG.sub("", printed))):
            continue
        yield Finding("evidence", f"{item.section}", f"{name}: {item.text!r} not in line {line}")


def excerpts(facts: Mapping[str, Fact]) -> Iterator[Finding]:
    """What is shown around a cell has the cell where it says."""
    for name, item in cited(facts):
        shown = item.excerpt
        if shown.begin < shown.end:
            piece = shown.line[shown.begin : shown.end]
            piece, text = squeezed(piece), squeezed(item.text)
            if piece not in text and text not in piece:
                yield Finding("excerpt", item.section, f"{name}: {piece!r} for {item.text!r}")


# Facts.


def is_near(before: object, after: object, unit: str, share: float = NEAR) -> bool:
    """Whether two figures may be one that is printed twice, rounded otherwise."""
    if before is None:
        before = 0
    if isinstance(before, tuple) and isinstance(after, tuple):
        return set(after) <= set(before)
    if not isinstance(before, int | float) or not isinstance(after, int | float):
        return before == after
    if isclose(before, after):  # added up in another order
        return True
    apart = abs(before - after)
    return apart <= share * max(abs(before), abs(after)) or apart <= NEAR_BY_UNIT.get(unit, 0.0)


class Told(NamedTuple):
    """What a fact says: its value, and the lines of the base that it cites."""

    value: object
    unit: str
    status: str
    origins: frozenset[int]


def told(facts: Mapping[str, Fact], origins: list[int] | None) -> dict[str, Told]:
    """Each fact with the base's lines that it cites; of the base itself these are its own."""
    found = {}
    for name, fact in facts.items():
        lines = {item.line for item in fact.evidence} - {None}
        own = {
            origins[line - 1] if origins else line
            for line in lines
            if line and (origins is None or line <= len(origins))
        }
        found[name] = Told(fact.value, fact.unit, fact.status, frozenset(own))
    return found


#: Facts that are the greatest, first or only one of several rows: another row takes the place of
#: one that is changed, lost or unreadable, and it alone is cited.
OF_SEVERAL: Final = {
    "undo.peak_blocks_per_s": "the next greatest of the intervals",
    "undo.needed_mb": "the same",
    "undo.io_rank": "a place among all tablespaces",
    "temp.io_rank": "a place among all tablespaces",
    "io.unwaited_reads": "the tablespace with most read time",
    "load.response_s": "reckoned from the first of the top events with a share",
    "load.largest_consumer": "the first of the top events",
    "load.largest_consumer_pct": "the same",
    "temp.spilling_sql": "the statements that are listed",
    "checkpoint.main_cause": "the greatest of several causes",
    "checkpoint.binding_limit": "the least of several limits",
    "checkpoint.advised_writes": "in those of the row that is nearest to the target in force",
    "pga.recommended_target_mb": "a row of the advisory",
    "pga.recommended_ends_pct": "the same",
    "pga.recommended_host_pct": "the same",
    "pga.remaining_extra_mb": "the same",
}


#: Facts that are reckoned from every row of a table and cite the rows that they are of alone.
OF_ALL: Final = {
    "temp.io_share_pct": "the whole is the sum over all tablespaces",
    "temp.read_time_share_pct": "the same",
    "temp.shared_place_io_pct": "the same, of files",
    "temp.shared_places": "files beside others",
    "temp.neighbour_read_ms": "the mean over all other files there",
    "undo.tablespace_write_pct": "the whole is the sum over all tablespaces",
    "undo.shared_place_write_pct": "the same, of files",
    "undo.shared_places": "files beside others",
    "undo.neighbour_read_ms": "the mean over all other files there",
    "undo.neighbour_wait_s": "by the reads of all other files",
    "undo.elsewhere_read_ms": "the mean over all files elsewhere",
    "undo.rollback_segments": "the number of rows",
    "checkpoint.datafiles": "the number of rows",
    "integrity.select_pct": "the whole is the sum over all statements",
    "integrity.insert_pct": "the same",
    "integrity.update_pct": "the same",
    "integrity.delete_pct": "the same",
    "integrity.insert_cpu_pct": "the sum over all statements, too",
    "integrity.update_cpu_pct": "the same",
    "integrity.delete_cpu_pct": "the same",
    "integrity.checking_medium_pct": "reckoned from these shares",
    "integrity.checksum_full_pct": "reckoned from these shares",
}
#: Oracle leaves buckets without waits blank, so that a blank one says as much.
_BUCKETS: Final = re.compile(
    r"redo\.(?:write|sync)_(?:p\d+_ms|slower_\d+ms_pct)|redo\.log_switch_stalls"
)


def facts(
    doc: Doc, mutators: tuple[str, ...], before: Mapping[str, Told], after: Mapping[str, Told]
) -> Iterator[Finding]:
    """A fact that changed cites what was changed, is near what it was, or is unavailable."""
    for name, old in before.items():
        new = after.get(name)
        if new is None or new.value == old.value or _same(new.value, old.value):
            continue
        if not doc.equal and _is_rounded(old.value, new.value):
            continue  # two sections print one figure with more or fewer digits
        detail = f"{name}: {old.value!r} -> {new.value!r}"
        if doc.equal:
            yield Finding("unequal", name, detail)
        elif new.value is not None and not _follows(doc, mutators, name, old, new):
            yield Finding("wrong", name, detail)


def _same(one: object, other: object) -> bool:
    """Whether two figures differ by the order in which they were added up."""
    if not isinstance(one, int | float) or not isinstance(other, int | float):
        return False
    return isclose(one, other, rel_tol=1e-12)


def _is_rounded(old: object, new: object) -> bool:
    """Whether one of two figures is the other with fewer digits; none is rounded to a new 0."""
    if not isinstance(old, int | float) or not isinstance(new, int | float):
        return False
    digits = [len(repr(float(each)).partition(".")[2]) for each in (old, new)]
    return round(new, digits[0]) == old or (new != 0 and round(old, digits[1]) == new)


def _follows(doc: Doc, mutators: tuple[str, ...], name: str, old: Told, new: Told) -> bool:
    """Whether another value of a fact follows from what was done."""
    name = name.rpartition(":")[2]
    lines = old.origins | new.origins
    if lines & doc.changed or (name in OF_ALL and doc.changed):
        return True
    if name in OF_SEVERAL and not new.origins & doc.spoilt:
        return True
    if "blank" in mutators and _BUCKETS.fullmatch(name):
        return True
    if isinstance(new.value, str) and any(
        new.value in line
        for line, origin in zip(doc.lines, doc.origins, strict=True)
        if origin in doc.spoilt
    ):
        return True  # a word that is printed so
    lost = doc.lost or doc.renamed
    if lost and (new.status == "estimated" or (old.value is None and new.origins)):
        return True  # it says so, or another section tells
    touched = lost or bool(lines & doc.spoilt) or (name in OF_ALL and bool(doc.spoilt))
    return touched and is_near(
        old.value, new.value, old.unit, NEAR_ESTIMATE if new.status == "estimated" else NEAR
    )


def shown(found: Read, number: int) -> Iterator[Finding]:
    """Every report is analysed and written in one of the formats, or redacted."""
    for report in found.reports[:3]:
        if number % 5 == 0:
            yield from _redacted(report, found)
            continue
        analysis = api.analyze(report)
        if number % 5 == 1:
            document(analysis.to_dict())
        elif number % 5 == 2:
            list(page(analysis, 100))
        elif number % 5 == 3:
            markdown(analysis)
        else:
            lay_out(analysis, api.exhibits(report, analysis))


def _redacted(report: Report, found: Read) -> Iterator[Finding]:
    """Redaction changes no figure, and hides none."""
    hidden = without_names(report, Names(key=b"k" * 32))
    if isinstance(hidden, Report) and report is found.reports[0]:
        facts_ = {} if hidden.periods else dict(api.facts_of(hidden))
        for name, fact in facts_.items():
            value = found.facts[name].value if name in found.facts else None
            if isinstance(value, int | float) and fact.value != value:
                kind = "hidden" if fact.value is None else "redacted"
                yield Finding(kind, name, f"{name}: {value!r} -> {fact.value!r}")
