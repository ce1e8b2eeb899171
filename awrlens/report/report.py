"""One report: its kind, its sections, and its tables by canonical name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from awrlens.errors import UnknownTableError
from awrlens.grammar import catalogue
from awrlens.grammar.catalogue import norm_title
from awrlens.lazy import lazy
from awrlens.report.contents import Contents, Tables
from awrlens.report.identity import Identity, identify
from awrlens.report.reader import reader_of

if TYPE_CHECKING:
    from awrlens.grammar.catalogue import Catalogue, SectionSpec
    from awrlens.model import Excerpt, Note
    from awrlens.report.column_match import Slot
    from awrlens.report.lines import Lines
    from awrlens.report.part_views import View
    from awrlens.report.reader_result import RawSection, RawTable, Reader
    from awrlens.report.table import Table
    from awrlens.report.table_rows import Cell
    from awrlens.source.kind import Kind
    from awrlens.source.open import Source

#: Oracle marks a report that spans a restart; its differences are meaningless.
INVALID = "Snapshots chosen span an instance shutdown"
#: Markup around titles in pasted sections.
_BLANKS = " \t\n\r\v\f"
_MARKUP_BEFORE = "#*_" + _BLANKS
_MARKUP_BEHIND = "*_:" + _BLANKS
#: Maximum length of a title.
_TITLE = 70
#: How much after the banner is part of the first page.
_HEAD = 4096
#: A cluster has 100 instances at most (Oracle Database documentation, RAC limits).
_MOST_INSTANCES = 100


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
        self.head = source.text[: kind.at + _HEAD]
        self.catalogue = catalogue_ or catalogue.load()
        #: The whole report that this is a part of, and which part.
        self._of = of
        self.view = view
        self._reader: Reader = (
            of._reader if of else reader_of(kind, source.text, self.catalogue)  # noqa: SLF001
        )
        self._contents: Contents = Contents(
            (source, kind),
            self.catalogue,
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

        return tuple(
            self._part(Instance(label)) for label in self.listed_instances[:_MOST_INSTANCES]
        )

    @lazy
    def listed_instances(self) -> list[str]:
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
        return Report(*self._made_of, self.catalogue, of=self, view=view)

    def __getitem__(self, name: str) -> Table:
        """A table by canonical name or by its title as printed."""
        if name in self.catalogue.names:
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
        return identify(self.tables, self._text, self.head, self.kind, self.source)

    @property
    def writes_points(self) -> bool:
        """Whether figures have another format than ``1,234.5``."""
        return self._contents.figures is not None

    @lazy
    def valid(self) -> bool:
        """Whether the interval is free of restarts, as far as the report shows."""
        return not self.is_marked_invalid and not self._restarted

    @property
    def is_marked_invalid(self) -> bool:
        """Whether Oracle marks that it spans a restart."""
        return INVALID in self.head

    @property
    def is_whole(self) -> bool:
        """Whether it is a report of its own, no part of one."""
        return self._of is None

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
        from awrlens.report.input_notes import input_notes  # noqa: PLC0415 - it reads reports

        return tuple(input_notes(self))

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
            for name in self.catalogue.by_title(text)
            for title in self.catalogue.section(name).titles
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
    def reads_page(self) -> bool:
        """Whether its tables are read as a page's tables; those of a copied page are, too."""
        return hasattr(self._reader, "text")

    @property
    def lines(self) -> Lines | None:
        """The lines of a text report; None for a page, and for a page copied as text."""
        return None if self.reads_page else getattr(self._reader, "lines", None)

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
        """Every section in order: canonical name (None when undescribed), title, rows, line."""
        from awrlens.report.all_sections import listing  # noqa: PLC0415 - few ask

        return listing(self)
