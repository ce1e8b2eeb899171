"""Problems of a report that its reader must know of: a restart, a lost end, an excerpt."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.model import Note
from awrlens.report.report import INVALID
from awrlens.units import listed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from awrlens.report.report import Report

#: The container that reports of a whole container database name.
_ROOT: Final = "CDB$ROOT"
#: In the banner of a compare-period report, which names no container.
_OF_CONTAINER: Final = "COMPARE PERIOD REPORT (PDB snapshots)"
_UNTIMED: Final = "TIMINGS ARE INVALID"


def input_notes(report: Report) -> Iterator[Note]:
    """Problems of the input, in the order in which they are shown."""
    yield from _marked(report)
    if not report.kind.startswith(("awr-diff", "awr-rac")):
        from awrlens.report.plausible import doubts  # noqa: PLC0415 - of these kinds only

        yield from doubts(report.tables, report.identity, report.catalogue.since)
    elif report.kind.startswith("awr-rac") and report.is_whole:
        from awrlens.report.plausible import doubts_of_cluster  # noqa: PLC0415 - likewise

        yield from doubts_of_cluster(report.tables)
    if report.breaks_off:
        yield _broken_off(report)
    if report.instances and len(report.instances) < len(report.listed_instances):
        yield Note(
            f"The report lists {len(report.listed_instances):,} instances, more than a cluster can "
            f"have: only the first {len(report.instances)} are read."
        )
    if report.periods and report.made_of[1].html != report.reads_page:
        yield Note(
            "This is a page copied as text: headings over several columns have lost "
            "their place, so most figures cannot be assigned to one of the periods. "
            "Give the page itself."
        )
    if _is_of_a_container(report):
        named = report.identity.container
        yield Note(
            f"This report is of one pluggable database{f' ({named})' if named else ''}. LGWR and "
            "DBWR write for the whole container database, and their waits are not in it: take a "
            f"report of the root ({_ROOT}) for the same interval{'s' if report.periods else ''}."
        )
    if report.is_excerpt:
        yield _excerpt(report)
        yield from _several(report)
    elif report.identity.elapsed_s is None and not report.periods:
        yield Note("The header has no elapsed time: rates are unavailable.")


def _is_of_a_container(report: Report) -> bool:
    """Whether it is of a pluggable database, without the waits of background processes."""
    if report.periods and _OF_CONTAINER in report.head:
        return True
    container = report.identity.container
    return container not in (None, _ROOT) and "background_events" not in report.tables


def _excerpt(report: Report) -> Note:
    """What is not known of an excerpt; the titles of its sections may have names."""
    who = report.identity
    found = {"database": who.db_name, "instance": who.instance, "interval": who.elapsed_s}
    unknown = [what for what, known in found.items() if known is None]
    are = "are" if len(unknown) > 1 else "is"
    lost = f"its {listed(unknown)} {are} not named, and " if unknown else ""
    return Note(f"This is an excerpt without a report header: {lost}missing figures are not zero.")


def _several(report: Report) -> Iterator[Note]:
    """That the figures of an excerpt may be of several intervals."""
    from awrlens.report.excerpt_interval import intervals  # noqa: PLC0415 - for excerpts

    number = intervals(report.lines or ())
    if number > 1:
        yield Note(
            f"The text has the snapshots of {number} intervals, so each figure may be of any of "
            "them. Give the sections of one interval at a time."
        )


def _marked(report: Report) -> Iterator[Note]:
    """What Oracle or the header says against the figures of the report."""
    if report.is_marked_invalid:
        yield _note_at(
            report,
            INVALID,
            "Oracle marks this report invalid: the snapshots span an instance shutdown, "
            "so differences and rates are meaningless.",
        )
    elif not report.valid:
        yield Note(
            f"The instance was started at {report.identity.startup_time}, after the first "
            "snapshot: differences and rates are meaningless."
        )
    if _UNTIMED in report.head and report.is_whole:
        yield _note_at(
            report,
            _UNTIMED,
            "Oracle marks the times of this report invalid: TIMED_STATISTICS changed between "
            "the snapshots. No time in it is reliable.",
        )
    if not report.periods:
        yield from _untimed(report)


def _untimed(report: Report) -> Iterator[Note]:
    """That the instance measures no times, so that another report would have none either."""
    table = report.tables.get("parameters")
    row = table.row("timed_statistics") if table is not None else None
    if table is None or row is None:
        return
    cell = row.cell("end_value" if row.text("end_value") else "begin_value")
    if cell is not None and cell.text.upper() == "FALSE":
        yield Note(
            "TIMED_STATISTICS is FALSE, so Oracle measures no wait times: set it to TRUE (ALTER "
            "SYSTEM SET timed_statistics=TRUE), and take new snapshots.",
            table.line_of(cell),
        )


def _note_at(report: Report, words: str, message: str) -> Note:
    """A note on the line of the header with some words."""
    before = report.head.count("\n", 0, report.head.find(words))
    return Note(message, report.made_of[0].line(before + 1))


def _broken_off(report: Report) -> Note:
    last = next((each.title for each in reversed(report.sections) if each.title), "")
    within = f" in section {last}" if last else ""
    source = report.made_of[0]
    return Note(
        f"The report ends{within}, before its last line (`End of Report`): missing figures "
        "are not zero. Copy it again if the original is longer.",
        source.line(source.text.rstrip().count("\n") + 1),
    )
