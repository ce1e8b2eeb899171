"""Matches the printed tables of a report to the described ones: by title, then by headings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from awrlens.errors import UnknownTableError, hint
from awrlens.grammar.catalogue import norm_heading, norm_title
from awrlens.lazy import lazy, regex
from awrlens.report.columns import Column, Slot, label_slots, match_columns, texts_of
from awrlens.report.locale import reader_of
from awrlens.report.reader_result import column_of
from awrlens.report.table import Table
from awrlens.units import parse_number

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Protocol

    from awrlens.grammar.catalogue import Catalogue, SectionSpec
    from awrlens.model import Excerpt
    from awrlens.report.reader_result import RawSection, RawTable, Reader
    from awrlens.report.table import Cell, Row
    from awrlens.source.kind import Kind
    from awrlens.source.open import Source

    #: A printed table, the name of the section that it is read as, and the places of its columns.
    Assigned = tuple[str, RawTable, list[Slot]]

    class View(Protocol):
        """One part of a report: a period, an instance."""

        @property
        def label(self) -> str:
            """Its name."""

        def tables(self, section: RawSection, layout: str) -> list[RawTable]:
            """The tables of a section that belong to it."""

        def narrow(self, assigned: Assigned, catalogue: Catalogue) -> list[Assigned]:
            """What of a table belongs to it."""


#: Minimum share of a table's headings that a section must know to match the table.
_KNOWN_SHARE: Final = 0.5
#: How much of a text has the dates of its snapshots.
_HEAD: Final = 2**13
#: A date whose day is above 12, in either place.
_DECIDED = regex(
    r"(?<![\d/])(?:(?P<first>0?[1-9]|1[0-2])/(?:1[3-9]|2\d|3[01])|(?:1[3-9]|2\d|3[01])/(?:0?[1-9]|1[0-2]))"
    r"/(?:\d{4}|\d{2})\b"
)
#: By how much two rates that are printed as whole numbers are apart by rounding.
_ROUNDED: Final = 1
_TYPES_OF_FIGURES: Final = frozenset(("int", "float"))


class Contents:
    """The sections of a report or a part, and their tables, without a reference to the report."""

    def __init__(
        self,
        made_of: tuple[Source, Kind],
        catalogue: Catalogue,
        reader: Reader,
        view: View | None,
        whole: Contents | None,
    ) -> None:
        self.made_of = made_of
        self.source = made_of[0].name
        self.reader = reader
        self.view = view
        self._catalogue = catalogue
        self._whole = whole
        self._assignments: dict[int, list[tuple[str, RawTable, list[Slot]]]] = {}

    def line(self, at: int) -> int:
        """1-based line in the file of a position."""
        return self.made_of[0].line(self.reader.line(at))

    def excerpt(self, cell: Cell) -> Excerpt:
        """The text around a cell, as printed."""
        return self.reader.excerpt(cell.at, cell.text, cell.column)

    @lazy
    def figures(self) -> Callable[[str], str] | None:
        """How the file's figures are read: see ``locale.reader_of``."""
        return self._whole.figures if self._whole else reader_of(self._printed_figures())

    @lazy
    def _month_first(self) -> bool | None:
        """Whether the month is before the day in dates at the report's beginning, if one shows."""
        source, kind = self.made_of
        match = _DECIDED.search(source.text[kind.at : kind.at + _HEAD])
        return None if match is None else match["first"] is not None

    def _printed_figures(self) -> Iterator[str]:
        for section in self.reader.sections:
            for _, raw, slots in self.assigned(section):
                wanted = [n for n, s in enumerate(slots) if s.column.type in _TYPES_OF_FIGURES]
                rows = raw.rows() if wanted else ()
                for number in wanted:
                    yield from texts_of(slots, number, rows)

    @lazy
    def index(self) -> dict[str, list[RawSection]]:
        """Sections that may contain each canonical table, by their titles."""
        index: dict[str, list[RawSection]] = {}
        for section in self.reader.sections:
            names = self.names_of(section)
            if self.view:
                turns = [self._catalogue.section(name).turns for name in names]
                names = tuple(dict.fromkeys([*names, *(turn[0] for turn in turns if turn)]))
            for name in names:
                index.setdefault(name, []).append(section)
        return index

    def names_of(self, section: RawSection) -> tuple[str, ...]:
        """Canonical names that a section's title may mean."""
        names = self._catalogue.by_title(section.title) if section.title else ()
        return names or (self._catalogue.by_title(section.parent) if section.parent else ())

    def described(self, section: RawSection) -> list[tuple[SectionSpec, RawTable, list[Slot]]]:
        """Each printed table of a described section, with the cells of its columns."""
        tables = self.assigned(section)
        return [(self._catalogue.section(name), raw, slots) for name, raw, slots in tables]

    def owners(self, section: RawSection) -> list[str]:
        """Canonical names of a section's tables."""
        return list(dict.fromkeys(owner for owner, _, _ in self.assigned(section)))

    def why_missing(self, name: str) -> str:
        """Why a table is missing, in words."""
        if name not in self._catalogue.names:
            return "awrlens knows no section of that name"
        title = self._catalogue.section(name).titles[0]
        sections = self.index.get(name, ())
        owned = [owner for section in sections for owner, _, _ in self.assigned(section)]
        if not sections or owned:  # the title is that of another section
            return f"section {title} is not in the report"
        return f"section {title} is in the report, but has no data"

    def make_table(self, name: str) -> Table | None:
        """Build a typed table; None when the report has no data for it."""
        # what turns into rows of it is printed with fewer digits
        own = sorted(self.index.get(name, ()), key=lambda s: name not in self.names_of(s))
        parts = [
            (section, (raw, slots))
            for section in own
            for owner, raw, slots in self.assigned(section)
            if owner == name
        ]
        if not parts:
            return None
        spec, home = self._catalogue.section(name), parts[0][0]
        only: frozenset[str] | None = None
        if name not in self.names_of(home):  # a section with a column for each row of it
            specs = [self._catalogue.section(other) for other in self.names_of(home)]
            turned = [spec for spec in specs if spec.turns is not None and spec.turns[0] == name]
            only = frozenset(column.row for spec in turned for column in spec.columns if column.row)
        title = home.title if self._catalogue.by_title(home.title) else spec.titles[0]
        return Table(
            spec, title, [printed for _, printed in parts], home.notes, self.line, self.figures,
            by_line=self.reader.by_line, month_first=lambda: self._month_first, only=only,
        )  # fmt: skip

    def assigned(self, section: RawSection) -> list[tuple[str, RawTable, list[Slot]]]:
        """Each printed table of a section, with the description that matches its headings best."""
        cached = self._assignments.get(id(section))
        if cached is not None:
            return cached
        placed: list[tuple[str, RawTable, list[Slot]]] = []
        specs = [self._catalogue.section(name) for name in self.names_of(section)]
        taken: set[int] = set()
        names: set[str] = set()
        # labels last: every table can be read as labels
        for layout in sorted({spec.layout for spec in specs}, key="labels".__eq__):
            tables = self.view.tables(section, layout) if self.view else section.tables(layout)
            for raw in tables:
                if raw.at in taken:
                    continue
                best = self._best(raw, [s for s in specs if s.layout == layout], len(specs))
                if best is None:
                    continue
                if getattr(raw, "behind_end", False) and best[0].name in names:
                    continue  # its own title is missing
                names.add(best[0].name)
                taken.add(raw.at)
                assigned = (best[0].name, raw, best[1])
                placed += self.view.narrow(assigned, self._catalogue) if self.view else [assigned]
        self._assignments[id(section)] = placed
        return placed

    def _best(
        self, raw: RawTable, specs: list[SectionSpec], rivals: int
    ) -> tuple[SectionSpec, list[Slot]] | None:
        if specs[0].layout == "labels":
            return self._best_labels(raw, specs, rivals)
        best: tuple[SectionSpec, list[Slot]] | None = None
        score = (0.0, 0.0)
        for spec in specs:
            headings = raw.headings
            # a group over the headings matters if the headings alone do not identify the columns
            ambiguous = self.view is not None or len(set(headings)) < len(headings)
            groups = raw.groups if ambiguous else ()
            text = getattr(raw, "heading_text", "")
            slots, matched = self._match(spec, headings, groups)
            if spec.orders and not text:
                other = self._match(spec, headings, groups, orders=True)
                if _beyond(spec, other[0], raw) < _beyond(spec, slots, raw):
                    slots, matched = other
            if matched * 2 < len(headings) and text:
                recovered = _segment(norm_heading(text), spec, len(headings))
                if recovered:
                    slots, matched = self._match(spec, recovered)
            share = matched / len(headings) if headings else 0.0
            # if two sections know all headings, the one with more matching columns is correct
            merit = (share, matched / len(spec.columns))
            if matched and share >= _KNOWN_SHARE and merit > score:
                best, score = (spec, slots), merit
        return best

    def _best_labels(
        self, raw: RawTable, specs: list[SectionSpec], rivals: int
    ) -> tuple[SectionSpec, list[Slot]] | None:
        printed = column_of(raw.rows(), 0)
        if not printed:
            return None
        best = specs[0]
        if rivals > 1:
            keys = [norm_heading(k) for k in printed]
            scores = [sum(k in spec.labels for k in keys) for spec in specs]
            if not any(scores):
                return None
            best = specs[scores.index(max(scores))]
        key = (best.name, best.layout, raw.headings, ())
        return best, self._catalogue.kept(key, lambda: label_slots(best, raw.headings))

    def _match(
        self,
        spec: SectionSpec,
        headings: tuple[str, ...],
        groups: tuple[str, ...] = (),
        *,
        orders: bool = False,
    ) -> tuple[list[Slot], int]:
        key = (f"{spec.name} in cells" if orders else spec.name, spec.layout, headings, groups)
        return self._catalogue.kept(
            key, lambda: match_columns(spec, headings, groups, orders=orders)
        )

    def untyped(self, title: str) -> Table:
        """A section by its title, as a table of text; UnknownTableError when it is not there."""
        wanted = norm_title(title)
        for section in self.reader.sections:
            if norm_title(section.title) != wanted:
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
            hint=hint(title, self.index, "`awrlens tables REPORT` lists its tables."),
        )


class Tables(Mapping[str, Table]):
    """The tables of a report by canonical name, decoded on demand."""

    def __init__(self, contents: Contents) -> None:
        self._contents = contents
        self._made: dict[str, Table | None] = {}
        #: Those that were asked for, by their titles.
        self.by_title: dict[str, list[Table]] = {}

    def get(self, name: str, default: None = None) -> Table | None:  # type: ignore[override]  # noqa: ARG002
        """The table, or None when the report has no such table or no data in it."""
        try:
            return self._made[name]
        except KeyError:
            made = self._made[name] = self._contents.make_table(name)
            if made is not None:
                self.by_title.setdefault(made.title, []).append(made)
        return made

    def row(self, name: str, key: str | None = None) -> Row | None:
        """The row of a table that is named ``key``, else its first row; None if there is none."""
        table = self.get(name)
        if table is None:
            return None
        return next(iter(table), None) if key is None else table.row(key)

    def cell(self, name: str, key: str | None, column: str) -> Cell | None:
        """A cell of such a row; None if the report has no such row or column."""
        row = self.row(name, key)
        return row.cell(column) if row is not None else None

    def line_of(self, cell: Cell) -> int:
        """1-based line of a cell."""
        return self._contents.line(cell.at)

    def __getitem__(self, name: str) -> Table:
        """The table; UnknownTableError when the report has no table of that name."""
        table = self.get(name)
        if table is None:
            raise UnknownTableError(
                f"The report has no table `{name}`: {self._contents.why_missing(name)}.",
                source=self._contents.source,
                hint="`awrlens tables REPORT` lists its tables.",
            )
        return table

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and self.get(name) is not None

    def __iter__(self) -> Iterator[str]:
        return (name for name in self._contents.index if self.get(name) is not None)

    def __len__(self) -> int:
        return sum(1 for _ in self)


def _beyond(spec: SectionSpec, slots: list[Slot], raw: RawTable) -> int:
    """In how many rows a rate is above that of which it is a part, if these are its columns."""
    above = 0
    for _, _, limit in spec.orders:
        both = [
            [parse_number(text) or 0 for text in texts_of(slots, place, raw.rows())]
            for name in limit
            for place, slot in enumerate(slots)
            if slot.column.name == name
        ]
        if len(both) < len(limit):
            continue
        above += sum(part - whole > _ROUNDED for part, whole in zip(*both, strict=True))
    return above


def _segment(text: str, spec: SectionSpec, count: int) -> tuple[str, ...]:
    """Headings from a heading that SQL*Plus wrapped, if the section's own headings complete it."""
    described = sorted({h for c in spec.columns for h in c.headings if h}, key=len, reverse=True)
    headings: list[str] = []
    while text:
        heading = next((h for h in described if text.startswith(h)), None)
        if heading is None:
            return ()
        headings.append(heading)
        text = text[len(heading) :]
    return tuple(headings) if len(headings) == count else ()


def _text_slots(raw: RawTable) -> list[Slot]:
    headings: Mapping[int, str] = dict(enumerate(raw.headings))
    count = max([len(headings), *(len(row.cells) for row in raw.rows())], default=0)
    seen: dict[str, int] = {}
    slots = []
    for number in range(count):
        heading = headings.get(number) or f"column {number + 1}"
        seen[heading] = seen.get(heading, 0) + 1
        if seen[heading] > 1:
            heading = f"{heading} ({seen[heading]})"
        slots.append(Slot(Column(None, heading), number))
    return slots
