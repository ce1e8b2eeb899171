"""One report: its kind, its sections, and its tables by canonical name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from awrlens.errors import (
    OtherReportError,
    UnknownTableError,
    UnreadableError,
)
from awrlens.grammar import catalogue
from awrlens.grammar.catalogue import norm_heading, norm_title
from awrlens.lazy import lazy
from awrlens.model import Note
from awrlens.report.column_match import Column
from awrlens.report.contents import Contents, Tables
from awrlens.report.identity import Identity, identify

if TYPE_CHECKING:
    from collections.abc import Iterator

    from awrlens.grammar.catalogue import Catalogue, SectionSpec
    from awrlens.model import Excerpt
    from awrlens.report.column_match import Slot
    from awrlens.report.part_views import View
    from awrlens.report.reader_result import RawSection, RawTable, Reader
    from awrlens.report.table import Table
    from awrlens.report.table_rows import Cell
    from awrlens.source.kind import Kind
    from awrlens.source.open import Source

#: Oracle marks a report that spans a restart; its differences are meaningless.
_INVALID = "Snapshots chosen span an instance shutdown"
_UNTIMED = "TIMINGS ARE INVALID"
#: Markup around titles in pasted sections.
_BLANKS = " \t\n\r\v\f"
_MARKUP_BEFORE = "#*_" + _BLANKS
_MARKUP_BEHIND = "*_:" + _BLANKS
#: Maximum length of a title.
_TITLE = 70
#: How much after the banner is part of the first page.
_HEAD = 4096
#: A report with this number of sections, and at most this share of them known, is not in English.
_FOREIGN_SECTIONS = 5
_FOREIGN_SHARE = 0.1
#: A cluster has 100 instances at most (Oracle Database documentation, RAC limits).
_MOST_INSTANCES = 100
#: Minimum number of known headings or labels of a table in an excerpt.
_LEAST_KNOWN = 3


class Report:
    """A report, indexed; its tables are decoded on demand."""

    def __init__(
        self,
        source: Source,
        kind: Kind,
        catalogue_: Catalogue | None = None,
        *,
        of: Report | None = None,
        view: View | None = None,
    ) -> None:
        self.source = source.name
        self.kind = kind.name
        self._made_of = (source, kind)
        self._text = source.text
        #: The text before the banner and just after it.
        self._head = source.text[: kind.at + _HEAD]
        self._catalogue = catalogue_ or catalogue.load()
        #: The whole report that this is a part of, and which part.
        self._of = of
        self.view = view
        self._reader: Reader = (
            of._reader if of else _reader(kind, source.text, self._catalogue)  # noqa: SLF001
        )
        self._contents: Contents = Contents(
            (source, kind),
            self._catalogue,
            self._reader,
            view,
            of._contents if of else None,  # noqa: SLF001
        )
        self.tables = Tables(self._contents)

    @lazy
    def periods(self) -> tuple[Report, ...]:
        """Both periods of a compare-period report, each as a report; empty for other reports."""
        if self._of or not self.kind.startswith("awr-diff"):
            return ()
        from awrlens.report.part_views import Period  # noqa: PLC0415 - only this kind needs it

        return tuple(self._part(Period(label)) for label in ("1", "2"))

    @lazy
    def instances(self) -> tuple[Report, ...]:
        """Every instance of a RAC report, each as a report; empty for other reports.

        At most as many as a cluster can have.
        """
        if self._of or not self.kind.startswith("awr-rac"):
            return ()
        from awrlens.report.part_views import Instance  # noqa: PLC0415 - only this kind needs it

        return tuple(self._part(Instance(label)) for label in self._listed[:_MOST_INSTANCES])

    @lazy
    def _listed(self) -> list[str]:
        """Numbers of all instances that a RAC report lists."""
        from awrlens.report.part_identity import instance_numbers  # noqa: PLC0415 - likewise

        return instance_numbers(self.tables)

    @property
    def cluster(self) -> Report:
        """The cluster-wide part of a RAC report; any other report is its own."""
        return self._cluster if self.kind.startswith("awr-rac") and not self._of else self

    @lazy
    def _cluster(self) -> Report:
        from awrlens.report.part_views import Instance  # noqa: PLC0415 - only this kind needs it

        return self._part(Instance("*"))

    def part(self, label: str) -> Report:
        """The period or instance of that number; UnknownTableError when there is none."""
        parts = {p.view.label: p for p in (*self.periods, *self.instances) if p.view}
        if label not in parts:
            have = f"only {', '.join(parts)}" if parts else "no separate periods or instances"
            raise UnknownTableError(
                f"The report has no part {label}.", source=self.source, hint=f"It has {have}."
            )
        return parts[label]

    def _part(self, view: View) -> Report:
        return Report(*self._made_of, self._catalogue, of=self, view=view)

    def __getitem__(self, name: str) -> Table:
        """A table by canonical name or by its title as printed."""
        if name in self._catalogue.names:
            return self.tables[name]
        return self.untyped(name)

    def __repr__(self) -> str:
        from awrlens.notebook import call  # noqa: PLC0415 - in a session only

        who = self.identity
        return call(
            "Report", self.source, kind=self.kind, database=who.db_name, instance=who.instance,
            part=self.view.label if self.view else None, begin=who.begin_time, end=who.end_time,
        )  # fmt: skip

    def _repr_html_(self) -> str:
        """The identity as a table of a notebook."""
        from awrlens.notebook import table  # noqa: PLC0415 - in a notebook only

        rows = [(k, v) for k, v in self.identity.to_dict().items() if v not in (None, "")]
        return table("Report", ("field", "value"), rows)

    def line(self, at: int) -> int:
        """1-based line in the file of a position."""
        return self._contents.line(at)

    def excerpt(self, cell: Cell) -> Excerpt:
        """The text around a cell, as printed."""
        return self._contents.excerpt(cell)

    @lazy
    def identity(self) -> Identity:
        """Database, instance, release, snapshots and interval."""
        if self.kind.startswith("awr-diff"):
            from awrlens.report.part_identity import identify_period  # noqa: PLC0415 - likewise

            return identify_period(self.tables, self._text, self.kind, self.source, self.view)
        if self.kind.startswith("awr-rac"):
            from awrlens.report.part_identity import identify_instance  # noqa: PLC0415 - likewise

            whole = (self._of or self).tables
            return identify_instance(whole, self.kind, self.source, self.view)
        return identify(self.tables, self._text, self._head, self.kind, self.source)

    @property
    def writes_points(self) -> bool:
        """Whether figures have another format than ``1,234.5``."""
        return self._contents.figures is not None

    @lazy
    def valid(self) -> bool:
        """Whether the interval is free of restarts, as far as the report shows."""
        return _INVALID not in self._head and not self._restarted

    @property
    def _restarted(self) -> bool:
        """Whether the instance was started within the interval, even if Oracle did not mark it.

        AWR HTML up to 19c prints the month of a start instead of its minutes (27-Jun 17:06 for a
        start at 17:23), so only the hour of such a time counts.
        """
        who = self.identity
        started, begin = who.startup_time, who.begin_time
        if not started or not begin:
            return False
        if started[14:16] == started[5:7] and begin[:13] >= started[:13]:
            return False
        return begin < started <= (who.end_time or started)

    @lazy
    def warnings(self) -> tuple[Note, ...]:
        """Problems of the input."""
        found = list(self._marked())
        if not self.kind.startswith(("awr-diff", "awr-rac")):
            from awrlens.report.plausible import doubts  # noqa: PLC0415 - warnings only

            found += doubts(self.tables, self.identity, self._catalogue.since)
        elif self.kind.startswith("awr-rac") and self._of is None:
            from awrlens.report.plausible import doubts_of_cluster  # noqa: PLC0415 - likewise

            found += doubts_of_cluster(self.tables)
        if self.breaks_off:
            found.append(self._broken_off())
        if self.instances and len(self._listed) > _MOST_INSTANCES:
            found.append(
                Note(
                    f"The report lists {len(self._listed):,} instances, more than a cluster can "
                    f"have: only the first {_MOST_INSTANCES} are read."
                )
            )
        if self.periods and self._made_of[1].html != self._reads_page:
            found.append(
                Note(
                    "This is a page copied as text: headings over several columns have lost "
                    "their place, so most figures cannot be assigned to one of the periods. "
                    "Give the page itself."
                )
            )
        if self._made_of[1].excerpt:
            found.append(
                Note(
                    "This is an excerpt without a report header: its database, instance and "
                    "interval are unknown, and missing figures are not zero."
                )
            )
        elif self.identity.elapsed_s is None and not self.periods:
            found.append(Note("The header has no elapsed time: rates are unavailable."))
        return tuple(found)

    def _marked(self) -> Iterator[Note]:
        """What Oracle or the header says against the figures of the report."""
        if _INVALID in self._head:
            yield self._note_at(
                _INVALID,
                "Oracle marks this report invalid: the snapshots span an instance shutdown, "
                "so differences and rates are meaningless.",
            )
        elif self._restarted:
            yield Note(
                f"The instance was started at {self.identity.startup_time}, after the first "
                "snapshot: differences and rates are meaningless."
            )
        if _UNTIMED in self._head and self._of is None:
            yield self._note_at(
                _UNTIMED,
                "Oracle marks the times of this report invalid: TIMED_STATISTICS changed between "
                "the snapshots. No time in it is reliable.",
            )

    def _note_at(self, words: str, message: str) -> Note:
        """A note on the line of the header with some words."""
        before = self._head.count("\n", 0, self._head.find(words))
        return Note(message, self._made_of[0].line(before + 1))

    @property
    def is_excerpt(self) -> bool:
        """Whether it is a few sections without a report's header."""
        return self._made_of[1].excerpt

    @property
    def names_by_line(self) -> bool:
        """Whether every section title names a database, always the same one."""
        of_one = not self.kind.startswith(("awr-diff", "awr-rac"))
        return of_one and not self._made_of[1].html and self._of is None

    def is_title(self, line: str) -> bool:
        """Whether a line is exactly the title of a described section."""
        text = line.lstrip(_MARKUP_BEFORE).rstrip(_MARKUP_BEHIND)
        return 0 < len(text) <= _TITLE and any(
            norm_title(title) == norm_title(text)
            for name in self._catalogue.by_title(text)
            for title in self._catalogue.section(name).titles
        )

    @property
    def complete(self) -> bool:
        """Whether its lists are complete, so that an event that is not listed did not occur."""
        return not self._made_of[1].excerpt and not self._torn

    @lazy
    def breaks_off(self) -> bool:
        """Whether it ends before its last line."""
        from awrlens.source.parts import breaks_off  # noqa: PLC0415 - a room to the left

        if self._of is not None:
            return self._of.breaks_off
        return not self._made_of[1].excerpt and breaks_off(self._text, self.kind)

    @lazy
    def _torn(self) -> bool:
        """Whether it ends within a table."""
        from awrlens.source.parts import is_torn  # noqa: PLC0415 - a room to the left

        if self._of is not None:
            return self._of._torn  # noqa: SLF001
        return self.breaks_off and is_torn(self._text, html=self._made_of[1].html)

    @property
    def _reads_page(self) -> bool:
        """Whether its tables are read as a page's tables; those of a copied page are, too."""
        return hasattr(self._reader, "text")

    def _broken_off(self) -> Note:
        last = next((each.title for each in reversed(self.sections) if each.title), "")
        within = f" in section {last}" if last else ""
        return Note(
            f"The report ends{within}, before its last line (`End of Report`): missing figures "
            "are not zero. Copy it again if the original is longer.",
            self._made_of[0].line(self._text.rstrip().count("\n") + 1),
        )

    @property
    def says_something(self) -> bool:
        """Whether a table is known by several of its headings or labels."""
        for table in self.tables.values():
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

    def check_language(self) -> None:
        """Raise OtherReportError when the titles of its sections are not in English."""
        below = [section for section in self._reader.sections[1:] if section.title]
        known = sum(bool(self._catalogue.by_title(section.title)) for section in below)
        if len(below) < _FOREIGN_SECTIONS or known > len(below) * _FOREIGN_SHARE:
            return
        raise OtherReportError(
            f"Hardly any section title is known (the first is `{below[0].title}`): awrlens reads "
            "only reports with English titles.",
            source=self.source,
            line=self.line(below[0].at),
            hint="Generate the report with NLS_LANG=AMERICAN.",
        )

    def check_width(self) -> None:
        """Raise UnreadableError when the right part of a text report is missing."""
        lines = getattr(self._reader, "lines", None)
        if not lines or self._reads_page:
            return
        from awrlens.report.cut_right import cut_at  # noqa: PLC0415 - text reports only

        width = cut_at(lines, self._reader.sections, self._known_headings)
        if width is not None:
            raise UnreadableError(
                f"This report was cut off at column {width}, but its tables are wider: "
                "a figure that was cut looks like another figure.",
                source=self.source,
                hint="Give the complete file as Oracle wrote it.",
            )

    def _known_headings(self, section: RawSection) -> list[frozenset[str]]:
        """The headings of each table that a section may have."""
        names = self.names_of(section)
        return [
            self._catalogue.headings(name)
            for name in names
            if self._catalogue.section(name).layout != "labels"
        ]

    def parameters(self) -> dict[str, str]:
        """Initialization parameters in the report, with their values at the end."""
        rows = self.tables.get("parameters") or ()
        return {r.key: r.text("end_value") or r.text("begin_value") for r in rows if r.key}

    @property
    def sections(self) -> list[RawSection]:
        """Every section in the report's order, described or not."""
        return self._reader.sections

    @property
    def made_of(self) -> tuple[Source, Kind]:
        """The text that it was read from, and the kind of the report."""
        return self._made_of

    def names_of(self, section: RawSection) -> tuple[str, ...]:
        """Canonical names that a section's title may mean."""
        return self._contents.names_of(section)

    def described(self, section: RawSection) -> list[tuple[SectionSpec, RawTable, list[Slot]]]:
        """Each printed table of a described section, with the cells of its columns."""
        return self._contents.described(section)

    def owners(self, section: RawSection) -> list[str]:
        """Canonical names of a section's tables."""
        return self._contents.owners(section)

    @property
    def section_names(self) -> tuple[str, ...]:
        """Canonical names of the sections whose titles the report prints."""
        return self._contents.section_names

    def why_missing(self, name: str) -> str:
        """Why a table is missing, in words."""
        return self._contents.why_missing(name)

    def untyped(self, title: str) -> Table:
        """A section by its title, as a table of text; UnknownTableError when it is not there."""
        return self._contents.untyped(title)

    def listing(self) -> list[dict[str, Any]]:
        """Every section in order: canonical name (None when undescribed), title, rows, line.

        A described section is listed once per table; an undescribed one is listed by its title, for
        `untyped`.
        """
        found: list[dict[str, Any]] = []
        seen: set[str] = set()
        for section in self._reader.sections:
            names = self.owners(section)
            for name in names:
                table = self.tables.get(name)
                if table is not None and name not in seen:
                    seen.add(name)
                    found.append(_listed(table, name, len(table)))
            if not names and section.title:
                found.append(self._listed_untyped(section))
        return found

    def _listed_untyped(self, section: RawSection) -> dict[str, Any]:
        names = self.names_of(section)
        tables = [] if names else section.tables("table")
        rows = len(tables[0].rows()) if tables else None
        headings = tables[0].headings if tables else ()
        return {
            "name": None,
            "title": section.title,
            "columns": [
                Column(None, heading, "text", "text")._asdict() for heading in headings if heading
            ],
            "rows": rows,
            "line": self.line(section.at),
        }


def _reader(kind: Kind, text: str, catalogue_: Catalogue) -> Reader:
    """The reader for a kind of report; only the one that is needed is imported."""
    page: Reader | None = None
    if kind.html:
        from awrlens.report.html_reader import HtmlReader  # noqa: PLC0415

        page = HtmlReader(text)
    if kind.excerpt:
        from awrlens.report.excerpt import ExcerptReader  # noqa: PLC0415

        return ExcerptReader(text, catalogue_, page)
    if page is not None:
        return page
    from awrlens.report.copied_pages import as_page, is_copied  # noqa: PLC0415

    if is_copied(text, kind.at):
        from awrlens.report.html_reader import HtmlReader  # noqa: PLC0415

        return HtmlReader(as_page(text, catalogue_))
    from awrlens.report.text_reader import TextReader  # noqa: PLC0415

    return TextReader(text)


def _listed(table: Table, name: str, rows: int) -> dict[str, Any]:
    return {
        "name": name,
        "title": table.title,
        "columns": [column._asdict() for column in table.columns],
        "rows": rows,
        "line": table.line,
    }
