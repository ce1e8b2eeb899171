"""One report: its kind, its sections, and its tables by canonical name.

Inputs become reports here: every report of a path, an archive or standard input, or an error. Only
the reader of the kind is imported. A text that cannot be read reliably (language, width, tables) is
refused; what else its reader must know (a restart, a lost end, an excerpt) is a note.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final, TypeVar, cast

from awrlens.errors import (
    AwrlensError,
    NotAReportError,
    OtherReportError,
    UnknownInputError,
    UnknownTableError,
    UnreadableError,
)
from awrlens.grammar import catalogue
from awrlens.grammar.catalogue import norm_heading
from awrlens.lazy import lazy, regex
from awrlens.model import Note
from awrlens.report.columns import Column
from awrlens.report.contents import Contents, Tables
from awrlens.report.identity import ROOT, identify
from awrlens.source import copied_text, kind, parts
from awrlens.source import open as opener
from awrlens.units import listed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    from awrlens.grammar.catalogue import Catalogue
    from awrlens.model.analysis import Identity
    from awrlens.model.chart_data import Printed
    from awrlens.report.columns import Slot
    from awrlens.report.contents import View
    from awrlens.report.contradictions import Contradictions
    from awrlens.report.reader_result import RawRow, RawSection, RawTable, Reader
    from awrlens.report.table import Table
    from awrlens.report.text_reader import Lines, TextSection
    from awrlens.report.titles import Named
    from awrlens.source.kind import Kind
    from awrlens.source.open import Source


#: Other sections of a page have fewer tables than its first one.
_FEW_TABLES: Final = 3


def _has_strayed(section: RawSection, catalogue_: Catalogue) -> bool:
    """Whether a page's section has tables that are not under their own title."""
    own: list[RawTable] = getattr(section, "own", [])
    names = catalogue_.by_title(section.title) or catalogue_.by_title(section.parent)
    if not names or len(own) <= _FEW_TABLES:
        return bool(own) and not names
    headings = frozenset().union(*map(catalogue_.headings, names))
    shares = ([norm_heading(heading) in headings for heading in raw.headings] for raw in own)
    return any(sum(share) * 2 < len(share) for share in shares)


def reader_of(kind: Kind, text: str, catalogue_: Catalogue) -> Reader:
    """The reader of a text of some kind."""
    page: HtmlReader | None = None
    markup = text if kind.html else ""
    if not kind.html and not kind.excerpt:
        from awrlens.report.damaged_text import as_page, is_copied

        markup = as_page(text, catalogue_) if is_copied(text, kind.at) else ""
    if markup:
        from awrlens.report.html_reader import HtmlReader

        page = HtmlReader(markup)
    if kind.excerpt or (page and any(_has_strayed(s, catalogue_) for s in page.sections)):
        from awrlens.report.excerpt import ExcerptReader

        return ExcerptReader(text, catalogue_, page)
    if page is not None:
        return page
    from awrlens.report.text_reader import TextReader

    return TextReader(text)


#: Oracle marks a report that spans a restart, and one without reliable times.
_INVALID, _UNTIMED = parts.MARKS
#: Markup around titles in pasted sections.
_BLANKS = " \t\n\r\v\f"
_MARKUP_BEFORE = "#*_" + _BLANKS
_MARKUP_BEHIND = "*_:" + _BLANKS
_LONGEST_TITLE = 70
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
        #: The text that it was read from, and the kind of the report.
        self.made_of = (source, kind)
        self._text = source.text
        #: The text before the banner and just after it.
        self.head = source.text[: kind.at + _HEAD]
        self.catalogue = catalogue_ or catalogue.load()
        #: The whole report that this is a part of, and which part.
        self._of = of
        self.view = view
        #: Whether it is a report of its own, no part of one.
        self.is_whole = of is None
        #: Whether it is a few sections without a report's header.
        self.is_excerpt = kind.excerpt
        #: Whether Oracle marks that it spans a restart.
        self.is_marked_invalid = _INVALID in self.head
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
        self.line = self._contents.line
        self.excerpt = self._contents.excerpt
        self.names_of = self._contents.names_of
        self.described = self._contents.described
        self.owners = self._contents.owners
        self.why_missing = self._contents.why_missing
        self.untyped = self._contents.untyped

    @lazy
    def periods(self) -> tuple[Report, ...]:
        """Both periods of a compare-period report, each as a report; empty for other reports."""
        if self._of or not self.kind.startswith("awr-diff"):
            return ()
        from awrlens.report.parts import Period

        return tuple(self._part(Period(label)) for label in ("1", "2"))

    @lazy
    def instances(self) -> tuple[Report, ...]:
        """Every instance of a RAC report, at most as many as a cluster can have, as a report."""
        if self._of or not self.kind.startswith("awr-rac"):
            return ()
        from awrlens.report.parts import Instance

        return tuple(
            self._part(Instance(label)) for label in self.listed_instances[:_MOST_INSTANCES]
        )

    @lazy
    def listed_instances(self) -> list[str]:
        """Numbers of all instances that a RAC report lists."""
        rows = self.tables.get("database_instances") or ()
        return list(dict.fromkeys(filter(None, (row.text("instance_number") for row in rows))))

    @property
    def whole(self) -> Report:
        """The report that this is a part of, or itself."""
        return self._of or self

    @property
    def cluster(self) -> Report:
        """The cluster-wide part of a RAC report; any other report is its own."""
        return self._cluster if self.kind.startswith("awr-rac") and not self._of else self

    @lazy
    def _cluster(self) -> Report:
        from awrlens.report.parts import Instance

        only = self.listed_instances
        return self._part(Instance("*", only[0] if len(only) == 1 else ""))

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
        return Report(*self.made_of, self.catalogue, of=self, view=view)

    def __getitem__(self, name: str) -> Table:
        """A table by canonical name or by its title as printed."""
        if name in self.catalogue.names:
            return self.tables[name]
        return self.untyped(name)

    def __repr__(self) -> str:
        from awrlens.model.notebook import call

        who = self.identity
        return call(
            "Report", self.source, kind=self.kind, database=who.db_name, instance=who.instance,
            part=self.view.label if self.view else None, begin=who.begin_time, end=who.end_time,
        )  # fmt: skip

    def _repr_html_(self) -> str:
        from awrlens.model.notebook import table

        rows = [(k, v) for k, v in self.identity.to_dict().items() if v not in (None, "")]
        return table("Report", ("field", "value"), rows)

    @lazy
    def identity(self) -> Identity:
        """Database, instance, release, snapshots and interval."""
        if self.kind.startswith("awr-diff"):
            from awrlens.report.parts import identify_period

            return identify_period(self.tables, self._text, self.kind, self.source, self.view)
        if self.kind.startswith("awr-rac"):
            from awrlens.report.parts import identify_instance

            whole = (self._of or self).tables
            return identify_instance(whole, self.kind, self.source, self.view)
        return identify(self.tables, self._text, self.head, self.kind, self.source)

    @property
    def writes_points(self) -> bool:
        """Whether figures have another format than ``1,234.5``."""
        return self._contents.figures is not None

    @lazy
    def valid(self) -> bool:
        """Whether the interval is free of restarts, as far as Oracle and the header show."""
        who = self.identity
        started, begin = who.startup_time, who.begin_time
        if self.is_marked_invalid or not started or not begin:
            return not self.is_marked_invalid
        # AWR HTML up to 19c prints the month of a start for its minutes: only the hour counts
        if started[14:16] == started[5:7] and begin[:13] >= started[:13]:
            return True
        return not begin < started <= (who.end_time or started)

    @lazy
    def warnings(self) -> tuple[Note, ...]:
        """Problems of the input."""
        return tuple(input_notes(self))

    @lazy
    def has_two_clocks(self) -> bool:
        """Whether `DB CPU` exceeds DB time, or the time of the calls that used it."""
        from awrlens.report.plausible import two_clocks

        return next(two_clocks(self.tables), None) is not None

    @lazy
    def contradictions(self) -> Contradictions:
        """Rows that contradict themselves or the interval; a comparison's are in its periods."""
        from awrlens.report.contradictions import Contradictions

        return Contradictions(self.tables, self.identity, len(self.listed_instances) or 1)

    def is_title(self, line: str) -> bool:
        """Whether a line is exactly the title of a described section."""
        text = line.lstrip(_MARKUP_BEFORE).rstrip(_MARKUP_BEHIND)
        return 0 < len(text) <= _LONGEST_TITLE and self.catalogue.is_title(text)

    @lazy
    def complete(self) -> bool:
        """Whether its lists are complete, so that an event that is not listed did not occur."""
        if self.is_excerpt or self.unrecognised is not None:
            return False
        return not (self.breaks_off and parts.is_torn(self._text, html=self.made_of[1].html))

    @lazy
    def unrecognised(self) -> Note | None:
        """That most tables of a page have neither a known title nor known columns."""
        if self._of is not None:
            return self._of.unrecognised
        if self.is_excerpt:
            return None
        # a page that is read by columns, or one that has its titles
        recognised, every = getattr(self._reader, "recognised", (0, 0))
        if recognised * 2 >= every:
            if not self.kind.startswith(("awr-diff", "awr-rac")):
                recognised, every = self._recognised(_OF_EVERY_REPORT)
            if recognised * 2 >= every:
                return None
            recognised, every = self._recognised(self.catalogue.names)
        return Note(
            f"{every - recognised} of {every} tables were not recognised by their titles or "
            "columns: missing figures are not zero. Give the page as Oracle wrote it.",
            unrecognised=True,
        )

    def _recognised(self, names: Iterable[str]) -> tuple[int, int]:
        """How many sections with these titles have columns that are known, and how many rows."""
        index = self._contents.index
        sections = {id(s): s for name in names for s in index.get(name, ())}.values()
        if all(map(self._contents.assigned, sections)):  # no rows need to be read
            return 0, 0
        with_rows = [s for s in sections if any(raw.rows() for raw in s.tables("table"))]
        return sum(bool(self._contents.assigned(s)) for s in with_rows), len(with_rows)

    @lazy
    def breaks_off(self) -> bool:
        """Whether it ends before its last line."""
        return not self.is_excerpt and parts.breaks_off(self._text, self.kind)

    @property
    def lines(self) -> Lines | None:
        """The lines of a text report; None for a page, and for a page copied as text."""
        return getattr(self._reader, "lines", None)

    def parameters(self) -> dict[str, str]:
        """Initialization parameters in the report, with their values at the end."""
        rows = self.tables.get("parameters") or ()
        return {r.key: r.text("end_value") or r.text("begin_value") for r in rows if r.key}

    @property
    def sections(self) -> list[RawSection]:
        """Every section in the report's order, described or not."""
        return self._reader.sections

    def _tables_in_order(self) -> Iterator[tuple[RawSection, list[str], list[Table]]]:
        """Every section in order, the names of its tables, and those that no section before has."""
        seen: set[str] = set()
        for section in self.sections:
            names = self.owners(section)
            tables = ((name, self.tables.get(name)) for name in names if name not in seen)
            by_name = {name: table for name, table in tables if table is not None}
            seen.update(by_name)
            yield section, names, [*by_name.values()]

    def printed(self) -> Iterator[Printed]:
        """Tables in the report's order: described ones in full, others as printed."""
        from awrlens.model.chart_data import Printed

        for section, names, tables in self._tables_in_order():
            for table in tables:
                headings, rows = table.printed()
                yield Printed(table.title, table.name, table.line, headings, rows)
            for raw in [] if names or not section.title else section.tables("table"):
                if cells := [row.cells for row in raw.rows()]:
                    line = self.line(raw.at)
                    yield Printed(section.title, None, line, list(raw.headings), cells)

    def listing(self) -> list[dict[str, Any]]:
        """Every section in order: canonical name (None when undescribed), title, rows, line."""
        entries: list[tuple[str | None, str, Sequence[Column], int | None, int]] = []
        for section, names, tables in self._tables_in_order():
            entries += [(t.name, t.title, t.columns, len(t), t.line) for t in tables]
            if not names and section.title:
                raws = [] if self.names_of(section) else section.tables("table")[:1]
                columns = [Column(None, h) for raw in raws for h in raw.headings if h]
                rows = len(raws[0].rows()) if raws else None
                entries.append((None, section.title, columns, rows, self.line(section.at)))
        return [
            {"name": name, "title": title, "columns": [c._asdict() for c in columns], "rows": rows,
             "line": line}
            for name, title, columns, rows, line in entries
        ]  # fmt: skip


#: A report with this number of sections, and at most this share of them known, is not in English.
_FOREIGN_SECTIONS: Final = 5
_FOREIGN_SHARE: Final = 0.1
#: Minimum number of known headings or labels of a table in an excerpt.
_LEAST_KNOWN: Final = 3


def says_something(report: Report) -> bool:
    """Whether a table is known by several of its headings or labels."""
    for table in report.tables.values():
        if table.spec and table.spec.layout == "labels":
            labels = table.spec.labels
            recognised = sum(norm_heading(row.key) in labels for row in table)
        else:
            recognised = sum(column.name is not None for column in table.columns)
        if recognised >= _LEAST_KNOWN and len(table):
            return True
    return False


def check_language(report: Report) -> None:
    """Raise OtherReportError when the titles of its sections are not in English."""
    below = [section for section in report.sections[1:] if section.title]
    english = sum(bool(report.catalogue.by_title(section.title)) for section in below)
    if len(below) < _FOREIGN_SECTIONS or english > len(below) * _FOREIGN_SHARE:
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
    from awrlens.report.damaged_text import cut_at, cut_with_tabs

    specs = report.catalogue

    def headings(section: RawSection) -> tuple[frozenset[str], ...]:
        """The headings of each table that a section may have."""
        names = report.names_of(section)
        return tuple(specs.headings(n) for n in names if specs.section(n).layout != "labels")

    width = cut_with_tabs(report.made_of[0].text) or cut_at(
        lines, cast("list[TextSection]", report.sections), headings
    )
    if width is not None:
        raise UnreadableError(
            f"This report was cut off at column {width}, but its tables are wider: "
            "a figure that was cut looks like another figure.",
            source=report.source,
            hint="Give the complete file as Oracle wrote it.",
        )


#: In the banner of a compare-period report, which names no container.
_OF_CONTAINER: Final = "COMPARE PERIOD REPORT (PDB snapshots)"
#: A report of an instance has at least one of these.
_OF_EVERY_REPORT: Final = (
    "top_events", "foreground_events", "wait_events", "instance_activity", "load_profile",
)  # fmt: skip


def input_notes(report: Report) -> Iterator[Note]:
    """Problems of the input, in the order in which they are shown."""
    if report.unrecognised is not None:
        yield report.unrecognised
    yield from _marked(report)
    yield from _dates(report)
    if not report.kind.startswith(("awr-diff", "awr-rac")):
        from awrlens.report.plausible import doubts

        yield from doubts(report.tables, report.identity, report.catalogue.since)
    elif report.kind.startswith("awr-rac") and report.is_whole:
        from awrlens.report.plausible import doubts_of_cluster

        yield from doubts_of_cluster(report.tables)
    yield from dict.fromkeys(conflict.note for conflict in report.contradictions.listed.values())
    if report.breaks_off:
        last = next((section.title for section in reversed(report.sections) if section.title), "")
        within = f" in section {last}" if last else ""
        source = report.made_of[0]
        yield Note(
            f"The report ends{within}, before its last line (`End of Report`): missing figures "
            "are not zero. Copy it again if the original is longer.",
            source.line(source.text.rstrip().count("\n") + 1),
        )
    if report.instances and len(report.instances) < len(report.listed_instances):
        yield Note(
            f"The report lists {len(report.listed_instances):,} instances, more than a cluster can "
            f"have: only the first {len(report.instances)} are read."
        )
    if report.periods and report.made_of[1].html != (report.lines is None):
        yield Note(
            "This is a page copied as text: headings over several columns have lost "
            "their place, so most figures cannot be assigned to one of the periods. "
            "Give the page itself."
        )
    container = report.identity.container
    # without the waits of background processes
    of_one = container not in (None, ROOT) and "background_events" not in report.tables
    if of_one or (report.periods and _OF_CONTAINER in report.head):
        named = f" ({container})" if container else ""
        yield Note(
            f"This report is of one pluggable database{named}. LGWR and "
            "DBWR write for the whole container database, and their waits are not in it: take a "
            f"report of the root ({ROOT}) for the same interval{'s' if report.periods else ''}."
        )
    yield from _incomplete(report)


#: The dates of a header: section, row and column.
_DATES: Final = (
    ("snapshots", "begin_snap", "snap_time"), ("snapshots", "end_snap", "snap_time"),
    ("snapshot_interval", None, "begin_time"), ("snapshot_interval", None, "end_time"),
    ("database", None, "startup_time"), ("instance", None, "startup_time"),
)  # fmt: skip
_SLASHED = regex(r"\d{1,2}/\d{1,2}/\d{2,4}\b")
_NAMED = regex(r"\d{1,2}[-./ ]?[^\W\d_]|\d+[-./]\d+[-./]\d")


def _dates(report: Report) -> Iterator[Note]:
    """The first date of the header that was not read."""
    cells = (report.tables.cell(*place) for place in _DATES)
    lost = [c for c in cells if c is not None and c.value is None and _NAMED.match(c.text)]
    if lost:
        why = "its month is not in a language that awrlens reads"
        if _SLASHED.match(lost[0].text):
            why = "no date in the report shows whether the day or the month is first"
        yield Note(f"The date {lost[0].text} is not read: {why}.", report.tables.line_of(lost[0]))


def _incomplete(report: Report) -> Iterator[Note]:
    """That a header, or nearly all sections, are missing."""
    if report.is_excerpt:
        # the titles of its sections may have names
        who = report.identity
        named = {"database": who.db_name, "instance": who.instance, "interval": who.elapsed_s}
        unknown = [what for what, value in named.items() if value is None]
        are = "are" if len(unknown) > 1 else "is"
        lost = f"its {listed(unknown)} {are} not named, and " if unknown else ""
        yield Note(
            f"This is an excerpt without a report header: {lost}missing figures are not zero."
        )
    elif report.identity.elapsed_s is None and not report.periods:
        yield Note("The header has no elapsed time: rates are unavailable.")
    elif report.is_whole and not any(name in report.tables for name in _OF_EVERY_REPORT):
        who = report.identity
        yield Note(
            "This report has neither wait events nor statistics: it was saved in part. Write the "
            f"whole report of the snapshots {who.begin_snap}-{who.end_snap}."
        )


def _marked(report: Report) -> Iterator[Note]:
    if report.is_marked_invalid:
        yield _note_at(
            report,
            _INVALID,
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
        )._replace(about="untimed")
    # the instance measures no times, so another report would have none either
    row = report.tables.row("parameters", "timed_statistics") if not report.periods else None
    cell = row.cell("end_value" if row.text("end_value") else "begin_value") if row else None
    if cell is not None and cell.text.upper() == "FALSE":
        yield Note(
            "TIMED_STATISTICS is FALSE, so Oracle measures no wait times: set it to TRUE (ALTER "
            "SYSTEM SET timed_statistics=TRUE), and take new snapshots.",
            report.tables.line_of(cell),
            about="untimed",
        )


def _note_at(report: Report, words: str, message: str) -> Note:
    before = report.head.count("\n", 0, report.head.find(words))
    return Note(message, report.made_of[0].line(before + 1))


_LONGEST_EXCERPT: Final = 2 * 2**20
#: Kinds of reports in which every section's title names the database, always the same one.
_TITLES_NAME_IT: Final = ("statspack-text", "awr-text")
_MOST_SHOWN: Final = 3
#: The caller's result for a text that is not a report.
Other = TypeVar("Other")


def first_report(reports: Iterable[Report | AwrlensError], name: str | None) -> Report:
    """The first report of an input; its first error, or UnreadableError, if it has none."""
    problem: AwrlensError | None = None
    for report in reports:
        if isinstance(report, Report):
            return report
        problem = problem or report
    raise problem or UnreadableError("There is nothing to read.", source=name)


def open_inputs(
    path_or_bytes: str | Path | bytes, name: str | None, other: Callable[[Source], Other | None]
) -> Iterator[Report | Other | AwrlensError]:
    """Every report of a path, ``-`` or bytes, or an error; ``other`` takes texts that are none."""
    for source in opener.read_all(path_or_bytes, name):
        if isinstance(source, AwrlensError):
            yield source
            continue
        result = _one(source, other)
        if isinstance(result, Report) and result.kind in _TITLES_NAME_IT:
            yield from _apart(result, source)
        else:
            yield _once(result) if isinstance(result, Report) and result.is_excerpt else result


def _named(who: Identity) -> Named:
    from awrlens.report.titles import Named

    begin, end = (None if snap is None else str(snap) for snap in (who.begin_snap, who.end_snap))
    return Named(0, who.db_name or "", who.instance, begin, end, cut=False, open=False)


def _apart(report: Report, source: Source) -> Iterator[Report | AwrlensError]:
    """A report, and those to which other sections in its text belong, by their titles."""
    from awrlens.report import titles

    try:
        pieces = titles.apart(
            source, report.head, lambda: None if report.is_excerpt else _named(report.identity),
            report.is_title,
        )  # fmt: skip
    except UnreadableError as problem:
        yield problem
        return
    if not pieces and report.is_excerpt:
        yield from map(_once, _excerpts(report, source))
    elif not pieces:
        yield report
    for number, piece in enumerate(pieces, start=1):
        part = source._replace(name=f"{source.name}#{number}", text=piece.text)
        excerpt = Report(part, kind.of_excerpt(piece.text))
        if piece.own:
            try:
                yield Report(part, kind.tell(piece.text, part.name))
                continue
            except NotAReportError:  # its first line is in the part without a database name
                pass
            except AwrlensError as problem:
                yield problem
                continue
        if says_something(excerpt):
            yield _once(excerpt) if piece.named else _unnamed(excerpt, part)


def _excerpts(report: Report, source: Source) -> Iterator[Report]:
    """An excerpt, or each of those in its text: every report has a header and top events once."""
    from awrlens.report.excerpt import begins

    lines = source.text.split("\n")
    places = [0, *begins(report.lines or ()), len(lines)]
    parts = []
    for number, (begin, end) in enumerate(pairwise(places), start=1):
        text = "\n" * begin + "\n".join(lines[begin:end])
        part = source._replace(name=f"{source.name}#{number}", text=text)
        parts.append(Report(part, kind.of_excerpt(text)))
    excerpts = [part for part in parts if says_something(part)]
    yield from excerpts if len(excerpts) > 1 else [report]


def _once(report: Report) -> Report | AwrlensError:
    return next(_twice(report), report)


def _twice(report: Report) -> Iterator[UnreadableError]:
    """The error for every section that is in a report twice, with different figures."""
    sections: dict[str, list[RawSection]] = {}
    # many headings of a page have no table of their own
    for section in (s for s in report.sections if getattr(s, "own", True)):
        sections.setdefault(section.title, []).append(section)
    if report.kind in _TITLES_NAME_IT:
        yield from _labels_twice(report)
    for title, several in sections.items():
        tables: dict[str, list[tuple[RawTable, list[Slot], RawSection]]] = {}
        pages = [page for section in several for page in getattr(section, "pages", (section,))]
        for section in several if title and len(pages) > 1 else ():
            for spec, raw, slots in report.described(section):
                if not spec.repeats:
                    tables.setdefault(spec.name, []).append((raw, slots, section))
        for (before, columns, _), *others in tables.values():
            earlier = _by_first_cell(before, columns) if others else {}
            for other, slots, section in others:
                rows = _by_first_cell(other, slots)
                both = [key for key in rows if key and key in earlier]
                # other texts in the columns of both; one row may be damaged, or printed twice
                other_texts = [rows[k] | earlier[k] != earlier[k] | rows[k] for k in both]
                differ = sum(other_texts) * 2 > len(both)
                apart = earlier and rows and not both
                if differ or (apart and _is_another(before, other, slots, section, report)):
                    lines = report.line(before.at), report.line(other.at)
                    yield _of_two_reports(f"Section {title}", lines, report)
                earlier |= rows
                before = other  # noqa: PLW2901


def _is_another(
    before: RawTable, other: RawTable, slots: list[Slot], section: RawSection, report: Report
) -> bool:
    """Whether a table with other rows than the one before it is not the rest of that one."""
    by_columns = getattr(section, "table", None) is not None  # and not by a heading of the page
    if section.title in report.made_of[0].text and (report.lines or not by_columns):
        ended = report.is_excerpt and getattr(before, "is_ended", False)
        return ended or not report.lines or before.headings != other.headings
    # without titles, statistics of several sections look alike, but no lists of shares
    shares = any(slot.column.unit == "%" for slot in slots)
    return report.is_excerpt and shares and not getattr(other, "goes_on", False)


def _of_two_reports(what: str, lines: tuple[int, int], report: Report) -> UnreadableError:
    return UnreadableError(
        f"{what} is in the text twice with different figures (lines {lines[0]} and {lines[1]}): it "
        "has sections of two reports.",
        source=report.source, line=lines[1], hint="Give the sections of one report at a time.",
    )  # fmt: skip


#: Lines of a header, of which a report has one.
_HEADER_TIMES: Final = ("Elapsed", "DB Time")
#: Labels of a section that two sections in one have with different figures.
_LEAST_TWICE: Final = 3


def _labels_twice(report: Report) -> Iterator[UnreadableError]:
    """The same for the header's times, and for most labels of a section."""
    text = report.made_of[0].text
    times: dict[str, tuple[str, int]] = {}
    at = text.find("(min")
    while at >= 0:
        begin = text.rfind("\n", 0, at) + 1
        label, time = (part.strip() for part in text[begin:at].partition(":")[::2])
        if label in _HEADER_TIMES and time and not time.strip("0123456789.,"):
            line = report.made_of[0].line(text.count("\n", 0, begin) + 1)
            value, first = times.setdefault(label, (time, line))
            if value != time:
                yield _of_two_reports(f"`{label}` of the header", (first, line), report)
        at = text.find("(min", at + 1)
    for section in report.sections:
        names = report.names_of(section)
        once = bool(names) and report.catalogue.labelled.issuperset(names)
        if not once or text.count(section.title) == 1:
            continue
        specs = map(report.catalogue.section, names)
        labels = frozenset().union(*(spec.labels for spec in specs))
        rows: dict[str, RawRow] = {}
        pairs = [
            (rows[label], row)
            for raw in section.tables("labels") for row in raw.rows()
            if row.cells and (label := norm_heading(row.cells[0])) in labels
            and rows.setdefault(label, row) is not row
        ]  # fmt: skip
        other = [pair for pair in pairs if pair[0].cells != pair[1].cells]
        if len(other) >= _LEAST_TWICE and 2 * len(other) > len(pairs):
            lines = report.line(other[0][0].at), report.line(other[0][1].at)
            yield _of_two_reports(f"Section {section.title}", lines, report)


def _by_first_cell(table: RawTable, slots: list[Slot]) -> dict[str, dict[str, str]]:
    """The rows of a table by their first cell, each by the names of its columns."""
    return {
        row.cells[0]: {s.column.name: row.text(s.cell) for s in slots if s.column.name}
        for row in table.rows() if row.cells
    }  # fmt: skip


def _unnamed(excerpt: Report, source: Source) -> NotAReportError:
    """The error for sections that may be from any of several databases."""
    sections = [(excerpt.line(s.at), s.title) for s in excerpt.sections if s.title]
    lines = ", ".join(f"{title} (line {line})" for line, title in sections[:_MOST_SHOWN])
    more = f" and {len(sections) - _MOST_SHOWN} more" if len(sections) > _MOST_SHOWN else ""
    return NotAReportError(
        f"The text has sections of several databases or intervals; these sections do not say which "
        f"they belong to and are skipped: {lines}{more}.",
        source=source.name,
        hint="Give the sections of one database and interval at a time.",
    )


def _one(source: Source, other: Callable[[Source], Other | None]) -> Report | Other | AwrlensError:
    try:
        if kind.may_be_other(source.text) and (other_input := other(source)) is not None:
            return other_input
        told = kind.tell(source.text, source.name)
        if parts.breaks_off(source.text, told.name):
            source = source._replace(text=parts.without_torn_row(source.text, html=told.html))
        if not told.html:
            from awrlens.report.damaged_text import is_copied

            if not is_copied(source.text, told.at):
                copied_text.check(source.text, told.at, source.name)
        report = Report(source, told)
        check_language(report)
        check_width(report)
        return _once(report)
    except UnknownInputError as problem:
        other_input = other(source)
        if other_input is not None:
            return other_input
        problem.text = source.text
        if len(source.text) > _LONGEST_EXCERPT:
            return problem
        excerpt = Report(source, kind.of_excerpt(source.text))
        if says_something(excerpt):
            return excerpt
        return kind.job_error(source.text, source.name) or problem
    except AwrlensError as problem:
        return problem
