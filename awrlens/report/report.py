"""One report: what it is, its sections, and its tables by canonical name."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

from awrlens.errors import (
    AwrlensError,
    NotAReportError,
    UnknownInputError,
    UnknownTableError,
    UnreadableError,
)
from awrlens.grammar import catalogue
from awrlens.grammar.catalogue import norm_heading
from awrlens.model import Note
from awrlens.report.identity import Identity, identify
from awrlens.report.locale import reader_of
from awrlens.report.part_identity import identify_instance, identify_period, instance_numbers
from awrlens.report.table import Column, Table, _Slot, label_slots, match_columns

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from awrlens.grammar.catalogue import Catalogue, SectionSpec
    from awrlens.model import Excerpt
    from awrlens.report.raw import RawSection, RawTable, Reader
    from awrlens.report.table import Cell
    from awrlens.report.views import View
    from awrlens.source.kind import Kind
    from awrlens.source.open import Source

#: A report marked so by Oracle covers a restart: its differences mean nothing.
_INVALID = "Snapshots chosen span an instance shutdown"
#: A report's first line, as a section's title.
_BANNER = re.compile(r"STATSPACK report for|WORKLOAD REPOSITORY\b", re.I)
#: How much behind the banner belongs to the first page.
_HEAD = 4096
#: A report with so many sections, of which no larger share is known, is in another language.
_FOREIGN_SECTIONS = 5
_FOREIGN_SHARE = 0.1
#: An excerpt is one if so many headings or labels of a table are known; a longer text is none.
_LEAST_KNOWN = 3
_MOST_EXCERPT = 2 * 2**20
#: What a caller makes of a text that is no report.
Other = TypeVar("Other")
#: Least share of a table's headings that a section must know to claim the table.
_KNOWN_SHARE = 0.5


class Tables(Mapping[str, Table]):
    """The tables of a report by canonical name, decoded when they are asked for."""

    def __init__(self, report: Report) -> None:
        self._report = report
        self._made: dict[str, Table | None] = {}

    def get(self, name: str, default: None = None) -> Table | None:  # type: ignore[override]  # noqa: ARG002
        """The table, or None when the report does not print it or prints no data for it."""
        if name not in self._made:
            self._made[name] = self._report.make_table(name)
        return self._made[name]

    def __getitem__(self, name: str) -> Table:
        """The table; UnknownTableError when the report has none of that name."""
        table = self.get(name)
        if table is None:
            raise UnknownTableError(
                f"The report has no table `{name}`: {self._report.why_missing(name)}.",
                source=self._report.source,
                hint="`awrlens tables REPORT` lists what it has.",
            )
        return table

    def __contains__(self, name: object) -> bool:
        """Whether the report has data for this table."""
        return isinstance(name, str) and self.get(name) is not None

    def __iter__(self) -> Iterator[str]:
        """Canonical names of the tables that the report has, in its order."""
        return (name for name in self._report.section_names if self.get(name) is not None)

    def __len__(self) -> int:
        """Number of tables that the catalogue describes and the report has."""
        return sum(1 for _ in self)


class Report:
    """A report, indexed; nothing is decoded until it is asked for."""

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
        #: What stands before the banner and just after it.
        self._head = source.text[: kind.at + _HEAD]
        self._catalogue = catalogue_ or catalogue.load()
        #: The whole report that this is a part of, and which part.
        self._of = of
        self.view = view
        self._reader: Reader = (
            of._reader if of else _reader(kind, source.text, self._catalogue)  # noqa: SLF001
        )
        self.tables = Tables(self)

    @cached_property
    def periods(self) -> tuple[Report, ...]:
        """Both periods of a compare-period report, each as a report; else none."""
        if self._of or not self.kind.startswith("awr-diff"):
            return ()
        from awrlens.report.views import Period  # noqa: PLC0415 - only this kind needs it

        return tuple(self._part(Period(label)) for label in ("1", "2"))

    @cached_property
    def instances(self) -> tuple[Report, ...]:
        """Every instance of a RAC report, each as a report; else none."""
        if self._of or not self.kind.startswith("awr-rac"):
            return ()
        from awrlens.report.views import Instance  # noqa: PLC0415 - only this kind needs it

        return tuple(self._part(Instance(label)) for label in instance_numbers(self.tables))

    @cached_property
    def cluster(self) -> Report:
        """What a RAC report prints for the cluster as a whole; any other report is itself."""
        if self._of or not self.kind.startswith("awr-rac"):
            return self
        from awrlens.report.views import Instance  # noqa: PLC0415 - only this kind needs it

        return self._part(Instance("*"))

    def part(self, label: str) -> Report:
        """The period or instance of that number; UnknownTableError when there is none."""
        parts = {p.view.label: p for p in (*self.periods, *self.instances) if p.view}
        if label not in parts:
            have = f"only {', '.join(parts)}" if parts else "no periods and no instances apart"
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

    def line(self, at: int) -> int:
        """1-based line in the file of a position."""
        return self._reader.line(at) + self._made_of[0].lines_before

    def excerpt(self, cell: Cell) -> Excerpt:
        """What the report prints around a cell."""
        return self._reader.excerpt(cell.at, cell.text, cell.column)

    @cached_property
    def identity(self) -> Identity:
        """Database, instance, release, snapshots and interval."""
        if self.kind.startswith("awr-diff"):
            return identify_period(self.tables, self._text, self.kind, self.source, self.view)
        if self.kind.startswith("awr-rac"):
            whole = (self._of or self).tables
            return identify_instance(whole, self.kind, self.source, self.view)
        return identify(self.tables, self._text, self._head, self.kind, self.source)

    @cached_property
    def _figures(self) -> Callable[[str], str] | None:
        """How the file's figures are read: see ``locale.reader_of``."""
        return self._of._figures if self._of else reader_of(self._text, self._made_of[1].at)  # noqa: SLF001

    @property
    def writes_points(self) -> bool:
        """Whether figures are written otherwise than ``1,234.5``."""
        return self._figures is not None

    @cached_property
    def valid(self) -> bool:
        """Whether the interval is free of restarts, as far as the report tells."""
        return _INVALID not in self._head and not self._restarted

    @property
    def _restarted(self) -> bool:
        """Whether the instance was started within the interval, marked by Oracle or not.

        AWR HTML up to 19c prints a start's month in the place of its minutes (27-Jun 17:06 for a
        start at 17:23), so that of such a time only the hour counts.
        """
        who = self.identity
        started, begin = who.startup_time, who.begin_time
        if not started or not begin:
            return False
        if started[14:16] == started[5:7] and begin[:13] >= started[:13]:
            return False
        return begin < started <= (who.end_time or started)

    @cached_property
    def warnings(self) -> tuple[Note, ...]:
        """What is doubtful about the input."""
        found: list[Note] = []
        invalid = self._head.find(_INVALID)
        if invalid >= 0:
            found.append(
                Note(
                    "Oracle marks this report invalid: the snapshots span an instance shutdown, "
                    "so differences and rates mean nothing.",
                    self._head.count("\n", 0, invalid) + 1 + self._made_of[0].lines_before,
                )
            )
        elif self._restarted:
            found.append(
                Note(
                    f"The instance was started at {self.identity.startup_time}, after the first "
                    "snapshot: differences and rates mean nothing."
                )
            )
        if not self.complete:
            found.append(
                Note(
                    "This is an excerpt without a report's head: which database, instance and "
                    "interval it is of is not said, and what it lacks is not zero."
                )
            )
        elif self.identity.elapsed_s is None and not self.periods:
            found.append(Note("The header has no elapsed time: rates are unavailable."))
        return tuple(found)

    @property
    def banners(self) -> int:
        """How many reports' first lines there are in the text."""
        return sum(_BANNER.match(section.title) is not None for section in self._reader.sections)

    @property
    def complete(self) -> bool:
        """Whether its lists are whole, so that what they lack has not happened."""
        return not self._made_of[1].excerpt

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
        """Raise NotAReportError when its sections have titles that are not English."""
        below = [section for section in self._reader.sections[1:] if section.title]
        known = sum(bool(self._catalogue.by_title(section.title)) for section in below)
        if len(below) < _FOREIGN_SECTIONS or known > len(below) * _FOREIGN_SHARE:
            return
        raise NotAReportError(
            f"Hardly any section's title is known (the first is `{below[0].title}`): awrlens reads "
            "reports with English titles.",
            source=self.source,
            line=self.line(below[0].at),
            hint="Generate the report with NLS_LANG=AMERICAN.",
        )

    def parameters(self) -> dict[str, str]:
        """Initialization parameters that are printed, with their values at the end."""
        rows = self.tables.get("parameters") or ()
        return {r.key: r.text("end_value") or r.text("begin_value") for r in rows if r.key}

    @property
    def sections(self) -> list[RawSection]:
        """Every section in the report's order, described or not."""
        return self._reader.sections

    @cached_property
    def _index(self) -> dict[str, list[RawSection]]:
        """Sections that may hold each canonical table, by their titles."""
        index: dict[str, list[RawSection]] = {}
        for section in self._reader.sections:
            names = self.names_of(section)
            turns = [self._catalogue.section(name).turns for name in names] if self.view else []
            for name in dict.fromkeys([*names, *(turn[0] for turn in turns if turn)]):
                index.setdefault(name, []).append(section)
        return index

    def names_of(self, section: RawSection) -> tuple[str, ...]:
        """Canonical names that the title of a section may stand for."""
        names = self._catalogue.by_title(section.title) if section.title else ()
        return names or (self._catalogue.by_title(section.parent) if section.parent else ())

    def described(self, section: RawSection) -> list[tuple[SectionSpec, RawTable, list[_Slot]]]:
        """Each printed table of a section that is described, with the cells of its columns."""
        found = self._assigned(section)
        return [(self._catalogue.section(name), raw, slots) for name, raw, slots in found]

    @property
    def made_of(self) -> tuple[Source, Kind]:
        """The text that it was read from, and what kind of report that is."""
        return self._made_of

    def owners(self, section: RawSection) -> list[str]:
        """Canonical names of the tables that a section holds."""
        return list(dict.fromkeys(owner for owner, _, _ in self._assigned(section)))

    @property
    def section_names(self) -> tuple[str, ...]:
        """Canonical names of the sections whose titles the report prints."""
        return tuple(self._index)

    def why_missing(self, name: str) -> str:
        """Why a table is not there, in words."""
        if name not in self._catalogue.names:
            return "no section of that name is described"
        title = self._catalogue.section(name).titles[0]
        sections = self._index.get(name, ())
        owned = [owner for section in sections for owner, _, _ in self._assigned(section)]
        if not sections or owned:  # the title is there, but for another section of that title
            return f"section {title} is not in the report"
        return f"section {title} is in the report, but has no data"

    def make_table(self, name: str) -> Table | None:
        """Build a typed table; None when the report has no data for it."""
        found: list[tuple[RawTable, list[_Slot]]] = []
        home: RawSection | None = None
        for section in self._index.get(name, ()):
            for owner, raw, slots in self._assigned(section):
                if owner == name:
                    found.append((raw, slots))
                    home = home or section
        if not found or home is None:
            return None
        spec = self._catalogue.section(name)
        title = home.title if self._catalogue.by_title(home.title) else spec.titles[0]
        name_ = title or spec.titles[0]
        return Table(spec, name_, found, home.notes, self.line, self._figures)

    def _assigned(self, section: RawSection) -> list[tuple[str, RawTable, list[_Slot]]]:
        """Each printed table of a section with the description that fits its headings best."""
        cached = self._assignments.get(id(section))
        if cached is not None:
            return cached
        found: list[tuple[str, RawTable, list[_Slot]]] = []
        specs = [self._catalogue.section(name) for name in self.names_of(section)]
        taken: set[int] = set()
        # labels last: they can be read out of any table
        for layout in sorted({spec.layout for spec in specs}, key="labels".__eq__):
            tables = self.view.tables(section, layout) if self.view else section.tables(layout)
            for raw in tables:
                if raw.at in taken:
                    continue
                best = self._best(raw, [s for s in specs if s.layout == layout], len(specs))
                if best is None:
                    continue
                taken.add(raw.at)
                assigned = (best[0].name, raw, best[1])
                found += self.view.narrow(assigned, self._catalogue) if self.view else [assigned]
        self._assignments[id(section)] = found
        return found

    @cached_property
    def _assignments(self) -> dict[int, list[tuple[str, RawTable, list[_Slot]]]]:
        return {}

    def _best(
        self, raw: RawTable, specs: list[SectionSpec], rivals: int
    ) -> tuple[SectionSpec, list[_Slot]] | None:
        if specs[0].layout == "labels":
            return self._best_labels(raw, specs, rivals)
        best: tuple[SectionSpec, list[_Slot]] | None = None
        score = (0.0, 0.0)
        for spec in specs:
            headings = raw.headings
            # a group over the headings matters where these alone do not tell columns apart
            ambiguous = self.view is not None or len(set(headings)) < len(headings)
            groups = raw.groups if ambiguous else ()
            slots, known = self._match(spec, headings, groups)
            text = getattr(raw, "heading_text", "")
            if known * 2 < len(headings) and text:
                recovered = _segment(norm_heading(text), spec, len(headings))
                if recovered:
                    slots, known = self._match(spec, recovered)
            share = known / len(headings) if headings else 0.0
            # of two sections that know all headings, the one they fill better is meant
            merit = (share, known / len(spec.columns))
            if known and share >= _KNOWN_SHARE and merit > score:
                best, score = (spec, slots), merit
        return best

    def _best_labels(
        self, raw: RawTable, specs: list[SectionSpec], rivals: int
    ) -> tuple[SectionSpec, list[_Slot]] | None:
        keys = [norm_heading(k) for k in raw.keys() or ()]
        if not keys:
            return None
        if rivals == 1:
            return specs[0], label_slots(specs[0], raw)
        scores = [sum(k in spec.labels for k in keys) for spec in specs]
        best = max(range(len(specs)), key=scores.__getitem__)
        return (specs[best], label_slots(specs[best], raw)) if scores[best] else None

    def _match(
        self, spec: SectionSpec, headings: tuple[str, ...], groups: tuple[str, ...] = ()
    ) -> tuple[list[_Slot], int]:
        key = (spec.name, headings, groups)
        cached = self._catalogue.matches.get(key)
        if cached is None:
            cached = self._catalogue.matches[key] = match_columns(spec, headings, groups)
        return cached

    def listing(self) -> list[dict[str, Any]]:
        """Every section in order: canonical name (None when undescribed), title, rows, line.

        A described section is listed once for each table that it holds; an undescribed one by
        its title, for `untyped`.
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

    def untyped(self, title: str) -> Table:
        """A section by its title, as a table of text; UnknownTableError when it is not there."""
        wanted = catalogue.norm_title(title)
        for section in self._reader.sections:
            if catalogue.norm_title(section.title) != wanted:
                continue
            tables = section.tables("table")
            if tables:
                first = tables[0].headings
                same = [t for t in tables if t.headings == first] if first else tables[:1]
                return Table(
                    None,
                    section.title,
                    [(t, _text_slots(t)) for t in same],
                    section.notes,
                    self.line,
                )
        raise UnknownTableError(
            f"The report has no section `{title}` with a table.",
            source=self.source,
            hint="`awrlens tables REPORT` lists what it has.",
        )


def _reader(kind: Kind, text: str, catalogue_: Catalogue) -> Reader:
    """The reader for a kind of report; only the one that is needed is imported."""
    page: Reader | None = None
    if kind.html:
        from awrlens.report.html import HtmlReader  # noqa: PLC0415

        page = HtmlReader(text)
    if kind.excerpt:
        from awrlens.report.excerpt import ExcerptReader  # noqa: PLC0415

        return ExcerptReader(text, catalogue_, page)
    if page is not None:
        return page
    from awrlens.report.text import TextReader  # noqa: PLC0415

    return TextReader(text)


def _listed(table: Table, name: str, rows: int) -> dict[str, Any]:
    return {
        "name": name,
        "title": table.title,
        "columns": [column._asdict() for column in table.columns],
        "rows": rows,
        "line": table.line,
    }


def _segment(text: str, spec: SectionSpec, count: int) -> tuple[str, ...]:
    """Headings out of a heading that SQL*Plus wrapped, when the section's own words fill it."""
    known = sorted({h for c in spec.columns for h in c.headings if h}, key=len, reverse=True)
    found: list[str] = []
    while text:
        heading = next((h for h in known if text.startswith(h)), None)
        if heading is None:
            return ()
        found.append(heading)
        text = text[len(heading) :]
    return tuple(found) if len(found) == count else ()


def _text_slots(raw: RawTable) -> list[_Slot]:
    headings: Mapping[int, str] = dict(enumerate(raw.headings))
    count = max([len(headings), *(len(row.cells) for row in raw.rows())], default=0)
    seen: dict[str, int] = {}
    slots = []
    for number in range(count):
        heading = headings.get(number) or f"column {number + 1}"
        seen[heading] = seen.get(heading, 0) + 1
        if seen[heading] > 1:
            heading = f"{heading} ({seen[heading]})"
        slots.append(_Slot(Column(None, heading, "text", "text"), number, None, None, 0, ()))
    return slots


def _unknown(_: Source) -> AwrlensError | None:
    """Nothing more is known of a text that is no report."""


def open_report(
    path_or_bytes: str | Path | bytes,
    name: str | None = None,
    refuse: Callable[[Source], AwrlensError | None] = _unknown,
) -> Report:
    """Read the first report of a path, ``-`` or bytes.

    Raises UnreadableError or NotAReportError with one sentence when that cannot be done.
    """
    problem: AwrlensError | None = None
    for found in open_inputs(path_or_bytes, name, refuse):
        if isinstance(found, Report):
            return found
        problem = problem or found
    raise problem or UnreadableError("There is nothing to read.", source=name)


def open_reports(
    path_or_bytes: str | Path | bytes, name: str | None = None
) -> Iterator[Report | AwrlensError]:
    """Every report of an input, as ``open_inputs``; anything else is an error."""
    return open_inputs(path_or_bytes, name, _unknown)


def open_inputs(
    path_or_bytes: str | Path | bytes, name: str | None, other: Callable[[Source], Other | None]
) -> Iterator[Report | Other | AwrlensError]:
    """Every report of a path, ``-`` or bytes, one after the other; or why one cannot be read.

    A file holds several where a session spooled them one after the other; an archive holds one
    in each member. ``other`` is asked what a text is that has no report's first line.
    """
    from awrlens.source import open as opener  # noqa: PLC0415 - a room to the left

    for source in opener.read_all(path_or_bytes, name):
        if isinstance(source, AwrlensError):
            yield source
            continue
        found = _one(source, other)
        if not isinstance(found, Report) or found.banners < 2:  # noqa: PLR2004
            yield found
            continue
        for part in opener.apart(source):
            yield _one(part, other)


def _one(source: Source, other: Callable[[Source], Other | None]) -> Report | Other | AwrlensError:
    from awrlens.source import kind  # noqa: PLC0415 - a room to the left

    try:
        if kind.may_be_other(source.text) and (found := other(source)) is not None:
            return found
        report = Report(source, kind.tell(source.text, source.name))
        report.check_language()
    except UnknownInputError as problem:
        found = other(source)
        if found is not None:
            return found
        problem.text = source.text
        if len(source.text) > _MOST_EXCERPT:
            return problem
        excerpt = Report(source, kind.of_excerpt(source.text))
        return excerpt if excerpt.says_something else problem
    except AwrlensError as problem:
        return problem
    return report
