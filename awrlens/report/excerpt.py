"""Excerpts: a few sections pasted into a mail, a wiki or a document, without a report's header.

Bars, tabs, wide gaps or single blanks separate their columns, and titles may be missing. The
headings alone identify a table; an ambiguous table is left out.
"""

from __future__ import annotations

from bisect import bisect_right
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from awrlens.grammar.catalogue import norm_heading
from awrlens.lazy import NamedTuple, lazy, regex
from awrlens.report import loose_tables, ruler
from awrlens.report.columns import match_columns
from awrlens.report.damaged_text import without_marks
from awrlens.report.html_tables import labels_of
from awrlens.report.loose_tables import (
    LEAST,
    RULE,
    Grid,
    by_bars,
    by_tabs,
    grids,
    undecorated,
)
from awrlens.report.reader_result import RawRow, RowTable
from awrlens.report.text_reader import TextReader, TextSection
from awrlens.report.text_rows import cells_of, label_cells

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from awrlens.grammar.catalogue import Catalogue, SectionSpec
    from awrlens.model import Excerpt
    from awrlens.report.reader_result import RawNote, RawSection, RawTable, Reader


_ELAPSED = regex(r"\s{0,99}Elapsed:\s{1,99}[\d.,]{1,20} \(mins?\)")
#: What a report prints once, in this order, also between bars and marks of a title.
_IN_ORDER: Final = (
    regex(r"[\s|#*]{0,99}DB Name[\s|*]{1,99}DB Id\b"),
    regex(r"[\s|#*]{0,99}Begin Snap:[\s|]"),
    regex(r"[\s|#*]{0,99}Elapsed:[\s|*]{1,99}[\d.,]{1,20} \(mins?\)"),
    regex(r"[\s|#*]{0,99}(?:Top \d{1,2} (?:\w{1,20} ){0,3}Events\b|Database Summary$)"),
)
#: Of these, lines with figures: equal ones are of one interval.
_NUMBERS: Final = (1, 2)
#: A title above the title of its table is at most this far from it.
_NEAR: Final = 3
_LABEL = regex(r"\s{0,99}(?:Begin Snap|End Snap|Elapsed|DB [Tt]ime):\s")


def begins(lines: Sequence[str]) -> list[int]:
    """The lines where an excerpt of another report begins: what a report has before is below."""
    starts: list[int] = []
    last, above, seen = -1, -_NEAR, dict.fromkeys(_NUMBERS, "")
    for at, line in enumerate(lines):
        rank = next((rank for rank, pattern in enumerate(_IN_ORDER) if pattern.match(line)), None)
        if rank is None or line == seen.get(rank):
            continue
        if rank < last or (rank == last and at - above > _NEAR):
            begin = at
            while begin and lines[begin - 1].strip():  # headings
                begin -= 1
            starts.append(begin)
        last, above = rank, at
        if rank in seen:
            seen[rank] = line
    return starts


def interval(lines: Sequence[str]) -> list[RawSection]:
    """The interval's lines as a section, if the text has them."""
    elapsed = [at for at, line in enumerate(lines) if _ELAPSED.match(line)]
    if not elapsed:
        return []
    at = end = elapsed[0]
    while at and _LABEL.match(lines[at - 1]):
        at -= 1
    while end < len(lines) and _LABEL.match(lines[end]):
        end += 1
    columns: ruler.Columns = []
    headings: tuple[str, ...] = ("",)
    if at > 1 and ruler.RULER.match(lines[at - 1]):
        columns = ruler.spans(lines[at - 1])
        headings = ("", *cells_of(lines[at - 2], columns))
    rows = [RawRow(c, n) for n in range(at, end) for c in label_cells(lines[n], columns)]
    return [FoundSection("Snapshot", at, labels=RowTable(headings, at, rows))]


_MARKUP = regex(r"[#*_\s]*+")
_NAMES_BEHIND = regex(r"(?<!\s)\s++(?:for DB:|DB/Inst:)")
_ALL_WAITS: Final = "Wait Events"
_SESSION_WAITS: Final = "Foreground Wait Events"
_OF_SESSIONS: Final = frozenset({norm_heading("% DB time")})
#: A section matches a table if it knows this share of its headings, and at least this number.
_SHARE: Final = 0.6
#: A section matches a table of labels if it knows this share of them.
_MOST: Final = 0.3
#: Of sections with the same headings, these can contain any rows.
_GENERAL: Final = ("instance_activity", "wait_events", "top_events", "tablespace_io")
#: Maximum distance of a title above its table, and maximum number of other lines between them.
_ABOVE: Final = 20
_OTHERS: Final = 5
_LONGEST_TITLE: Final = 70


#: A section of a page with more tables is a report's first page; in others headings were lost.
_MOST_TABLES: Final = 3


class FoundSection(NamedTuple):
    """A table under the title above it or meant by its headings; the ``section`` around it."""

    title: str
    at: int
    table: RawTable | None = None
    labels: RawTable | None = None
    section: RawSection | None = None
    parent: str = ""

    def tables(self, layout: str) -> list[RawTable]:
        """The table, or its labels with the cells that follow them."""
        wanted = self.labels if layout == "labels" else self.table
        return [] if wanted is None else [wanted]

    def notes(self) -> list[RawNote]:
        """The remarks of the section around it."""
        return self.section.notes() if self.section else []


class Without:
    """A page's section without the tables that are not its own."""

    def __init__(self, section: RawSection, strayed: list[RawTable]) -> None:
        self._strayed = frozenset(raw.at for raw in strayed)
        self._section: RawSection = section
        self.title: str = section.title
        self.parent: str = section.parent
        self.at: int = section.at

    def notes(self) -> list[RawNote]:
        """Its remarks."""
        return self._section.notes()

    def tables(self, layout: str) -> list[RawTable]:
        """Its own tables."""
        return [raw for raw in self._section.tables(layout) if raw.at not in self._strayed]


def _two_lists(title: str, grid: Grid) -> list[tuple[str, Grid]]:
    """A table; a list of all waits without those of background processes, if these are below it.

    The title between them is lost ("Write Accelerator", figure 5): events are printed again.
    """
    rows = list(grid.rows()) if title == _ALL_WAITS else []
    names = [row.cells[0] for row in rows]
    first = next((n for n, name in enumerate(names) if names.index(name) < n), 0)
    if not first or not {*names[first:]} <= {*names[:first]}:
        return [(title, grid)]
    parts = (_ALL_WAITS, rows[:first]), ("Background Wait Events", rows[first:])
    return [(name, Grid(grid.headings, part, part[0].at)) for name, part in parts]


def _told_apart(sections: list[RawSection]) -> list[RawSection]:
    """The sections without tables that have the columns of one, and rows of the same names."""
    rows: dict[str, list[set[str]]] = {}
    for section in sections:
        if isinstance(section, FoundSection):
            tables = (*section.tables("table"), *section.tables("labels"))
            keys = {row.cells[0] for raw in tables for row in raw.rows() if row.cells}
            rows.setdefault(section.title, []).append(keys)
    unclear = {
        title for title, sets in rows.items() if len(set().union(*sets)) < sum(map(len, sets))
    }
    return [
        section for section in sections
        if not (isinstance(section, FoundSection) and section.title in unclear)
    ]  # fmt: skip


class ExcerptReader:
    """The sections that can be identified in an excerpt."""

    def __init__(self, text: str, catalogue: Catalogue, page: Reader | None = None) -> None:
        self._catalogue = catalogue
        self._page = page
        self.by_line = page is None
        self.lines = [] if page else undecorated(text)

    def line(self, at: int) -> int:
        """1-based line number of a line index, or of a place in a page."""
        return self._page.line(at) if self._page else at + 1

    def excerpt(self, at: int, cell: str, column: str) -> Excerpt:
        """The line as pasted, or the cells of a page's row."""
        if self._page:
            return self._page.excerpt(at, cell, column)
        from awrlens.report.frames import of_lines

        return of_lines(self.lines, at, cell, column)

    @lazy
    def sections(self) -> list[RawSection]:
        """Tables separated by bars, tabs and gaps, and sections that are printed as in a report."""
        if self._page:
            named = [part for section in self._page.sections for part in self._named(section)]
            return _told_apart(named)
        sections: list[RawSection] = []
        taken: set[int] = set()
        title = ""
        for grid in grids(self.lines):
            if not grid.goes_on:
                title = self._title_of(grid)
            if title:
                parts = _two_lists(title, grid)
                sections += (FoundSection(name, g.at, g, labels_of(g)) for name, g in parts)
                taken.update(range(grid.at, grid.end + 1))
        rest = ["" if at in taken else line for at, line in enumerate(self.lines)]
        for read in (self._loose, self._stacked, self._collapsed):
            for title, grid in read(rest):
                sections.append(FoundSection(title, grid.at, grid, labels_of(grid)))
                end = grid.end
                rest = ["" if grid.at <= at <= end else s for at, s in enumerate(rest)]
        sections += self._printed(rest)
        titles = (self._catalogue.by_title(section.title) for section in sections)
        if not any("snapshots" in names for names in titles):
            sections += interval(self.lines)
        return sorted(sections, key=lambda section: section.at)

    def _title_of(self, grid: Grid) -> str:
        above = self._title_above(grid.at)
        if above and (self._knows(above, grid.headings) or self._has_labels(above, grid)):
            return above
        if above:  # if the table does not match its title, no other section is tried
            title = self._labelled(grid)
            names = self._catalogue.by_title
            return title if set(names(title)) & set(names(above)) else ""
        meant = self._meant_by(grid.headings)
        if meant and all(grid.headings) and self._knows(meant, grid.headings, len(grid.headings)):
            return meant  # statistics, whose names may be labels in other sections
        title = self._labelled(grid) or meant
        return title if title != meant or self._knows(meant, grid.headings) else ""

    def _has_labels(self, title: str, grid: Grid) -> bool:
        labels = {norm_heading(row.cells[0]) for row in labels_of(grid).rows()}
        specs = self._catalogue.of_title(title)
        return any(spec.layout == "labels" and labels & spec.labels.keys() for spec in specs)

    @property
    def recognised(self) -> tuple[int, int]:
        """How many tables of a page are recognised, and how many it has."""
        pages = self._page.sections if self._page else []
        every = sum(len(section.tables("table")) for section in pages)
        return sum(len(section.tables("table")) for section in self.sections), every

    def _strayed(self, section: RawSection) -> list[RawTable]:
        """The tables of a page's section that its title does not know."""
        title = section.title if self._catalogue.by_title(section.title) else section.parent
        names = set(self._catalogue.by_title(title))
        if names and len(getattr(section, "own", ())) <= _MOST_TABLES:
            return []
        return [
            raw for raw in section.tables("table")
            if not names or not self._is_own(title, raw)
        ]  # fmt: skip

    def _is_own(self, title: str, raw: RawTable) -> bool:
        """Whether a title knows a table best, by its headings or its labels."""
        meant = self._meant_by(raw.headings)
        own, best = (self._most_known(name, raw.headings) for name in (title, meant))
        if own >= min(LEAST, len(raw.headings)) and own >= best:
            return True
        labelled = self._catalogue.by_title(self._labelled(raw))
        return bool({*labelled}.intersection(self._catalogue.by_title(title)))

    def _named(self, section: RawSection) -> list[RawSection]:
        """A page's section, and its tables under the titles that their columns indicate."""
        names = self._catalogue.by_title(section.title) or self._catalogue.by_title(section.parent)
        strayed = self._strayed(section)
        sections: list[RawSection] = [Without(section, strayed) if strayed else section]
        for raw in strayed:
            summary = getattr(raw, "summary", "")
            # Oracle's words for some tables are those of others: the columns decide
            title = summary if summary and self._knows(summary, raw.headings) else ""
            title = title or self._meant_by(raw.headings)
            label = "" if title else self._labelled(raw)
            if title or label:
                labels = labels_of(raw) if label else None
                sections.append(FoundSection(title or label, raw.at, raw, labels, section))
        return sections if names else sections[1:]

    def _printed(self, lines: list[str]) -> list[RawSection]:
        """Sections as a report prints them; their titles may lack the database."""
        reader = TextReader("\n".join(lines))
        starts = self._starts(lines, reader)
        begins = [*sorted(starts), len(reader.lines)]
        sections = [
            TextSection(reader.lines, starts[at], [(at, end)], reader.pdbs)
            for at, end in pairwise(begins)
        ]
        return [self._as_meant(s) for s in sections if self._catalogue.by_title(s.title)]

    def _as_meant(self, section: TextSection) -> RawSection:
        """A section, or its only table under the title of its headings: its own may be lost."""
        tables = section.tables("table")
        headings = tables[0].headings if len(tables) == 1 else ()
        meant = self._meant_by(headings) if headings else ""
        if not meant or self._knows(section.title, headings, len(headings)):
            return section
        whole = self._knows(meant, headings, len(headings))
        return FoundSection(meant, section.at, tables[0], None, section) if whole else section

    def _starts(self, lines: list[str], reader: TextReader) -> dict[int, str]:
        starts = {section.at: section.title for section in reader.sections}
        titles = self._catalogue.titles
        for at, line in enumerate(lines):
            title = without_marks(line, _MARKUP)
            name = title.partition("(")[0].rstrip() if line.endswith(")") else title
            if 0 < len(title) <= _LONGEST_TITLE and norm_heading(name) in titles:
                starts.setdefault(at, title)
        return starts

    def _loose(self, lines: list[str]) -> Iterator[tuple[str, Grid]]:
        """Tables without a usable ruler below their titles."""
        starts = self._starts(lines, TextReader("\n".join(lines)))
        cuts = iter(range(loose_tables.MOST_CUTS))
        for at, end in pairwise([*sorted(starts), len(lines)]):
            of_title = self._catalogue.of_title(starts[at])
            specs = [spec for spec in of_title if spec.layout in ("table", "above")]
            grid = loose_tables.unruled(lines, at, end, specs, cuts)
            grid = grid or loose_tables.scattered(lines, at, end, of_title)
            if grid is not None:
                yield starts[at], grid

    def _stacked(self, lines: list[str]) -> Iterator[tuple[str, Grid]]:
        """Tables below a rule of one group, whose headings have lost their places."""
        specs = [self._catalogue.section(name) for name in self._catalogue.names]
        specs = [spec for spec in specs if spec.layout in ("table", "sql")]
        cuts = iter(range(loose_tables.MOST_CUTS))
        for at, line in enumerate(lines):
            rule = line.strip() and RULE.match(line) and len(line.split()) == 1
            grid = loose_tables.stacked(lines, at, specs, cuts) if rule else None
            if grid is not None and (title := self._meant_by(grid.headings)):
                yield title, grid

    def _collapsed(self, lines: list[str]) -> Iterator[tuple[str, Grid]]:
        """Tables with single blanks between their columns, with and without titles."""
        starts = self._starts(lines, TextReader("\n".join(lines)))
        ends = [*sorted(starts), len(lines)]
        until = 0
        cuts = iter(range(loose_tables.MOST_CUTS))
        for at in range(len(lines)):
            if at < until:
                continue
            end = ends[bisect_right(ends, at)]
            if at in starts:
                title = starts[at]
                specs = [s for s in self._catalogue.of_title(title) if s.layout == "table"]
                grid = loose_tables.collapsed(lines, at, end, specs, cuts)
            else:
                title, grid = self._untitled(lines, at, end, cuts)
            if grid is not None:
                until = grid.end + 1
                yield title, grid

    def _untitled(
        self, lines: list[str], at: int, end: int, cuts: Iterator[int]
    ) -> tuple[str, Grid | None]:
        """A table without a title whose headings belong to one section only."""
        first = norm_heading(lines[at].split(" ", 1)[0])
        for spec in self._by_key.get(first, ()):
            headings = loose_tables.cut(spec, lines[at], cuts)
            if headings and (title := self._meant_by(headings)):
                specs = self._catalogue.of_title(title)
                return title, loose_tables.under(lines, at, end, specs, cuts)
        return "", None

    @lazy
    def _by_key(self) -> dict[str, list[SectionSpec]]:
        sections: dict[str, list[SectionSpec]] = {}
        for spec in map(self._catalogue.section, self._catalogue.names):
            keys = (c for c in spec.columns if c.name == spec.key and spec.layout == "table")
            for heading in {heading for column in keys for heading in column.headings}:
                sections.setdefault(heading, []).append(spec)
        return sections

    def _title_above(self, at: int) -> str:
        """The title above a table, with only remarks, names and a few other lines between them."""
        others = 0
        for line in reversed(self.lines[max(0, at - _ABOVE) : at]):
            text = without_marks(line, _MARKUP)
            if not text or RULE.match(line) or text.startswith(("->", "DB/Inst:")):
                continue
            if by_bars(line) or by_tabs(line) or others == _OTHERS:
                break
            text = _NAMES_BEHIND.split(text)[0]
            if norm_heading(text) in self._catalogue.titles or (
                not others and self._catalogue.by_title(text)
            ):
                return text
            others += 1
        return ""

    def _meant_by(self, headings: tuple[str, ...]) -> str:
        """Title of the section with these headings; empty if there is none or more than one."""
        best, title = (0, 0.0, 0.0, 0), ""
        norms = [norm_heading(heading) for heading in headings]
        able = self._catalogue.knowing(norms, LEAST)
        # the first column of SQL statements is the one by which they are ordered
        first = {*headings[0].lower().split()} if headings else set()
        for name in self._catalogue.names if able else ():
            if name not in able:
                continue
            spec = self._catalogue.section(name)
            matched = self._known(spec, headings)
            shared = len(first.intersection(spec.titles[0].lower().split()))
            merit = (matched, float(name in _GENERAL), matched / len(spec.columns), shared)
            if matched >= max(LEAST, _SHARE * len(headings)) and merit > best:
                best, title = merit, spec.titles[0]
        # a list of all waits has no shares of DB time
        if title == _ALL_WAITS and _OF_SESSIONS & {*norms}:
            return _SESSION_WAITS
        return title

    def _labelled(self, grid: RawTable) -> str:
        """Title of the section whose labels begin the rows; empty if most labels are unknown."""
        printed = [row.cells[0] for row in labels_of(grid).rows()]
        # labels begin with a capital or a sign; some names of statistics also match
        labels = [
            norm_heading(label) for label in printed if "_" in label or not label[:1].islower()
        ]
        if len(labels) * 2 < len(printed):
            return ""
        counts = self._catalogue.knowing_labels(labels)
        least = max(min(LEAST, len(labels)), _MOST * len(printed), 2)
        able = [name for name in self._catalogue.names if counts.get(name, 0) >= least]
        best = max(able, key=counts.__getitem__, default="")
        return self._catalogue.section(best).titles[0] if best else ""

    def _knows(self, title: str, headings: tuple[str, ...], least: int = LEAST) -> bool:
        return self._most_known(title, headings) >= min(least, len(headings))

    def _most_known(self, title: str, headings: tuple[str, ...]) -> int:
        specs = self._catalogue.of_title(title)
        return max((self._known(spec, headings) for spec in specs), default=0)

    def _known(self, spec: SectionSpec, headings: tuple[str, ...]) -> int:
        if spec.layout == "labels":
            return 0
        slots, matched = match_columns(spec, headings)
        # the first column must be the one that identifies the rows, unless all are known
        named = bool(slots) and (spec.key is None or slots[0].column.name == spec.key)
        whole = matched == len(headings) and any(slot.column.name == spec.key for slot in slots)
        return matched if named or whole else 0
