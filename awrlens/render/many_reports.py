"""Many reports as a list in a terminal: the worst first, two lines each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from awrlens.records import NamedTuple
from awrlens.render import first_screen, present
from awrlens.render.lines import ICONS, Span
from awrlens.render.quantity import short

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from awrlens.model import Analysis
    from awrlens.render.lines import Line


class Row(NamedTuple):
    """A report in two lines."""

    severity: str
    name: str
    when: str
    sessions: str
    source: str
    headline: str


def row(analysis: Analysis) -> Row:
    """The row of a report in a list of many."""
    report, overview = analysis.report, analysis.overview
    names = (report["db_name"], report["instance"], report["container"])
    sessions = None if overview is None else overview.active_sessions
    return Row(
        first_screen.severity(analysis),
        present.safe("/".join(filter(None, names)) or "unknown database"),
        present.safe(str(report["begin_time"] or "").replace("T", " ")[:16]),
        "" if sessions is None else short(sessions),
        present.safe(str(report["source"]).rpartition("/")[2]),
        present.headline(analysis),
    )


def page(rows: Iterable[Row], width: int, unread: Sequence[str] = ()) -> Iterator[Line]:
    """Reports that could not be read; then all others, the worst first, with file and headline.

    Each line is truncated to the width.
    """
    found = sorted(rows, key=lambda each: first_screen.ORDER.index(each.severity))
    yield (Span(f"{len(found)} reports, worst first", "title"),)
    for problem in unread:
        yield (Span(present.cut(f"{ICONS['unknown']} not read: {present.safe(problem)}", width)),)
    wide = min(max((len(each.name) for each in found), default=0), width // 2)
    for each in found:
        sessions = f"{each.sessions} active sessions" if each.sessions else ""
        yield (
            Span(f"{ICONS[each.severity]} {present.cut(each.name, wide):<{wide}}  ", each.severity),
            Span(f"{each.when:<16}  {sessions}".rstrip()),
        )
        yield (Span(present.cut(f"  {each.source}: {each.headline}", width), "dim"),)
    yield (Span("One report in full: awrlens analyze FILE; all reports: --verbose", "dim"),)
