"""Whether a text is a report that awrlens can read: its language, its width, its tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast

from awrlens.errors import OtherReportError, UnreadableError
from awrlens.grammar.catalogue import norm_heading

if TYPE_CHECKING:
    from awrlens.report.reader_result import RawSection
    from awrlens.report.report import Report
    from awrlens.report.text_reader import TextSection

#: A report with this number of sections, and at most this share of them known, is not in English.
_FOREIGN_SECTIONS: Final = 5
_FOREIGN_SHARE: Final = 0.1
#: Minimum number of known headings or labels of a table in an excerpt.
_LEAST_KNOWN: Final = 3


def says_something(report: Report) -> bool:
    """Whether a table is known by several of its headings or labels."""
    for table in report.tables.values():
        if table.spec is None:
            continue
        if table.spec.layout == "labels":
            labels = table.spec.labels
            known = sum(norm_heading(row.key) in labels for row in table)
        else:
            known = sum(column.name is not None for column in table.columns)
        if known >= _LEAST_KNOWN and len(table):
            return True
    return False


def check_language(report: Report) -> None:
    """Raise OtherReportError when the titles of its sections are not in English."""
    below = [section for section in report.sections[1:] if section.title]
    known = sum(bool(report.catalogue.by_title(section.title)) for section in below)
    if len(below) < _FOREIGN_SECTIONS or known > len(below) * _FOREIGN_SHARE:
        return
    raise OtherReportError(
        f"Hardly any section title is known (the first is `{below[0].title}`): awrlens reads "
        "only reports with English titles.",
        source=report.source,
        line=report.line(below[0].at),
        hint="Generate the report with NLS_LANG=AMERICAN.",
    )


def check_width(report: Report) -> None:
    """Raise UnreadableError when the right part of a text report is missing."""
    lines = report.lines
    if not lines:
        return
    from awrlens.report.cut_right import cut_at  # noqa: PLC0415 - text reports only

    known = report.catalogue

    def headings(section: RawSection) -> tuple[frozenset[str], ...]:
        """The headings of each table that a section may have."""
        names = report.names_of(section)
        return tuple(known.headings(n) for n in names if known.section(n).layout != "labels")

    width = cut_at(lines, cast("list[TextSection]", report.sections), headings)
    if width is not None:
        raise UnreadableError(
            f"This report was cut off at column {width}, but its tables are wider: "
            "a figure that was cut looks like another figure.",
            source=report.source,
            hint="Give the complete file as Oracle wrote it.",
        )
