"""Parts of one report that are read as separate reports: periods and instances.

A compare-period report prints every figure for two periods, in columns (``1st``, ``2nd``) or in
rows (``B1``, ``E2``); a RAC report prints one row per instance under ``I#``. A view restricts each
printed table to one of them, with the places of its cells in the file.
"""

from __future__ import annotations

import re
from datetime import datetime
from typing import TYPE_CHECKING, Final

from awrlens.grammar.catalogue import norm_heading
from awrlens.lazy import NamedTuple, lazy, regex
from awrlens.report.columns import Column, Slot
from awrlens.report.identity import db_time_of, identity_of, release_of, seconds_of
from awrlens.report.reader_result import RawRow, RowTable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from awrlens.grammar.catalogue import Catalogue, SectionSpec
    from awrlens.model.analysis import Identity
    from awrlens.report.contents import Assigned, Tables, View
    from awrlens.report.reader_result import RawSection, RawTable
    from awrlens.report.table import Row


_NOT_SET: Final = "(DEFAULT)"
#: Rows with the total of all instances.
_ALL: Final = ("*", "Sum")
#: ``1st`` anywhere, ``First`` as a complete heading (``per Second`` is a rate); ``1st/2nd/Both``
#: belongs to neither.
_ORDINAL = regex(r"\b(?:1st|2nd)\b(?!\s*/)(?<!/2nd)|^(?:First|Second)$", re.I)
_IF_DIFFERENT = regex(r"\(if different\)", re.I)
_DIFFERENCE = regex(r"\b(?:Total )?Diff?\b|%D(?:i|if)?$", re.I)
_ROW_OF = regex(r"(?:First \(|Second \()?(?P<n>1st|2nd)\)?(?P<rest>\s.*|$)", re.I)
_SNAPSHOT_OF = regex(r"(?P<rest>[BE])(?P<n>[12])$")


class PickedTable(RowTable):
    """Some columns and rows of a printed table."""

    def __init__(
        self,
        raw: RawTable,
        cells: Sequence[int],
        headings: tuple[str, ...],
        pick: Callable[[RawRow], RawRow | None],
        number: int | None = None,
    ) -> None:
        super().__init__(headings, raw.at, [])
        self._raw = raw
        self._cells = cells
        self._pick = pick
        #: The cell with the instance's number, if that decides which rows are picked.
        self._number = number
        #: Places where the first period's cell replaces a blank cell of the second.
        self.before: dict[int, int] = {}
        self.widths = tuple(raw.widths[n] for n in cells if n < len(raw.widths))

    @lazy
    def _picked(self) -> list[RawRow]:
        picked = (self._pick(row) for row in self._raw.rows())
        return [_cells_of(row, self._cells) for row in picked if row is not None]

    def carried(self, columns: Iterable[int]) -> PickedTable:
        """The same with the first period's value if the second's is blank."""
        wanted = [self._cells[n] for n in columns if n < len(self._cells)]

        def fill(row: RawRow) -> RawRow | None:
            kept = self._pick(row)
            if kept is None:
                return None
            cells = [*kept.cells]
            places = [kept.place(n) for n in range(len(cells))]
            for cell, earlier in self.before.items():
                if max(cell, earlier) < len(cells) and not cells[cell]:
                    cells[cell], places[cell] = cells[earlier], places[earlier]
            for cell in wanted:
                if cell < len(cells) and cells[cell].strip() == _NOT_SET:
                    cells[cell] = ""
            # no row of this period, unless none has a value: parameters that are not set
            empty = not any(cells[cell].strip() for cell in wanted if cell < len(cells))
            if empty and sum(bool(cell.strip()) for cell in kept.cells) > 1:
                return None
            return RawRow(cells, kept.at, places.__getitem__)

        return PickedTable(self._raw, self._cells, self.headings, fill)

    @property
    def pages(self) -> Sequence[object]:
        """The pages of the whole table: a part is printed on the same pages."""
        return getattr(self._raw, "pages", ())

    def rows(self) -> list[RawRow]:
        """The rows of this part."""
        return self._picked

    def unread_lines(self) -> list[str]:
        """Lines that are not rows, and rows without their instance's number: of unknown parts."""
        lines: list[str] = getattr(self._raw, "unread_lines", list)()
        if self._number is None:
            return lines
        lost = [row.cells for row in self._raw.rows() if not row.text(self._number).strip("#")]
        return [
            *lines,
            *(" ".join(cells[: self._number] + cells[self._number + 1 :]) for cells in lost),
        ]


def _cells_of(row: RawRow, cells: Sequence[int]) -> RawRow:
    own = row.cells
    count = len(own)
    return RawRow(
        [own[n] if n < count else "" for n in cells],
        row.at,
        lambda cell: row.place(cells[cell]) if cells[cell] < count else row.at,
    )


class Period(NamedTuple):
    """One of the two periods of a compare-period report."""

    label: str

    def tables(self, section: RawSection, layout: str) -> list[RawTable]:
        """The columns printed for this period, or else its rows, under their plain headings."""
        return [self._table(raw) for raw in section.tables(layout)]

    def _table(self, raw: RawTable) -> RawTable:
        groups = raw.groups
        whole = [
            f"{groups[n]} {leaf}".strip() if n < len(groups) else leaf
            for n, leaf in enumerate(raw.headings)
        ]
        periods = [_period_of(heading) for heading in whole]
        if not any(periods):
            rows = raw.rows()
            everything = range(max([len(whole), *(len(row.cells) for row in rows)]))
            labelled = any(_labelled(row) for row in rows)
            own = self._own_row if labelled else _any_row
            return PickedTable(raw, everything, raw.headings, own)
        cells = [
            n
            for n, heading in enumerate(whole)
            if periods[n] == self.label or (not periods[n] and not _DIFFERENCE.search(heading))
        ]
        headings = tuple(_plain(whole[n]) for n in cells)
        # only `1st` and `2nd` are above the figures: their order identifies them
        picked = PickedTable(raw, cells, headings if any(headings) else (), _any_row)
        if self.label == "2":
            first = {_plain(whole[n]): n for n in range(len(whole)) if periods[n] == "1"}
            picked.before = {
                n: first[h] for n, h in zip(cells, headings, strict=True) if h in first
            }
        return picked

    def _own_row(self, row: RawRow) -> RawRow | None:
        """The row, if it belongs to this period, without the words that mark the period."""
        match = _labelled(row)
        if match is None or match["n"][0] != self.label:
            return None
        return row._replace(cells=[match["rest"].strip() or row.cells[0], *row.cells[1:]])

    def narrow(self, assigned: Assigned, catalogue: Catalogue) -> list[Assigned]:  # noqa: ARG002
        """The table, narrowed before its section was known; blanks (`as before`) are filled in."""
        name, raw, slots = assigned
        carried = [slot.cell for slot in slots if "carried" in slot.flags]
        if isinstance(raw, PickedTable) and carried:
            return [(name, raw.carried(carried), slots)]
        return [assigned]


def _labelled(row: RawRow) -> re.Match[str] | None:
    first = row.text(0)
    return _SNAPSHOT_OF.match(first) or _ROW_OF.match(first)


def _any_row(row: RawRow) -> RawRow:
    return row


def _period_of(heading: str) -> str:
    match = _ORDINAL.search(heading)
    return ("1" if match[0].lower() in ("1st", "first") else "2") if match else ""


def _plain(heading: str) -> str:
    return " ".join(_IF_DIFFERENT.sub("", _ORDINAL.sub("", heading)).split())


class Instance(NamedTuple):
    """One instance of a RAC report; ``*`` is what is printed for the cluster.

    ``only``: the cluster's only instance in the report; what is printed of it alone is the whole
    (RAC reports 11.2.0.3.0-rac_01 and 12.2.0.1.0-rac_01).
    """

    label: str
    only: str = ""

    def tables(self, section: RawSection, layout: str) -> list[RawTable]:
        """The section's tables, unchanged."""
        return section.tables(layout)

    def narrow(self, assigned: Assigned, catalogue: Catalogue) -> list[Assigned]:
        """The rows of this instance; tables without ``I#`` belong to the cluster."""
        name, raw, slots = assigned
        number = next((n for n, h in enumerate(raw.headings) if norm_heading(h) == "i#"), None)
        if number is None:
            return [assigned] if self.label == "*" else []
        wanted = {self.label} if self.label != "*" else set(_ALL)
        if self.only and wanted.isdisjoint(row.text(number) for row in raw.rows()):
            wanted = {self.only}
        if any(slot.cell == number and "shared" in slot.flags for slot in slots):
            wanted.add("*")
        spec = catalogue.section(name)
        if spec.turns is not None:
            row = next((r for r in raw.rows() if r.text(number) in wanted), None)
            return [assigned] if row is None else _turned(spec, raw, slots, row, catalogue)
        cells = [n for n in range(len(raw.headings)) if n != number]
        picked = PickedTable(
            raw,
            cells,
            tuple(raw.headings[n] for n in cells),
            lambda row: row if row.text(number) in wanted else None,
            number,
        )
        moved = [
            slot._replace(cell=slot.cell - (slot.cell > number))
            for slot in slots
            if slot.cell != number
        ]
        return [(name, picked, moved)] if picked.rows() else []


def _turned(
    spec: SectionSpec, raw: RawTable, slots: list[Slot], row: RawRow, catalogue: Catalogue
) -> list[Assigned]:
    """A row with many columns as rows of another section: each column gives a row its name."""
    target, value = spec.turns or ("", "")
    into = catalogue.section(target)
    rows = {column.name: column.row for column in spec.columns if column.row}
    tables: list[Assigned] = []
    for slot in slots:
        name = rows.get(slot.column.name or "")
        if not name:
            continue
        place = row.place(slot.cell) if slot.cell < len(row.cells) else row.at
        turned = RawRow([name, row.text(slot.cell)], row.at, [row.at, place].__getitem__)
        figure = slot.column._replace(name=value)
        one = RowTable((), raw.at, [turned])
        picked = PickedTable(one, range(2), ("", figure.heading), _any_row)
        both = [Slot(Column(into.key or "", ""), 0), slot._replace(column=figure, cell=1)]
        tables.append((target, picked, both))
    return tables


#: Maximum rounding error in seconds of minutes that are printed with one decimal.
_COARSE_S = 4
_YES_NO = {"YES": True, "NO": False}


def identify_period(
    tables: Tables, text: str, kind: str, source: str, view: View | None
) -> Identity:
    """A period of a compare-period report; for the whole report, what both periods share."""
    # text reports print the database only in titles
    words = "Second DB/Inst:" if view and view.label == "2" else "First DB/Inst:"
    name = text.partition(words)[2][:40].strip().partition("/")[0]
    database = tables.row("compared_databases")
    interval = tables.row("compared_snapshots") if view else None
    elapsed = seconds_of(interval, "elapsed_min")
    begin, end = _text(interval, "begin_time"), _text(interval, "end_time")
    if elapsed[1] is not None and begin and end:
        between = (datetime.fromisoformat(end) - datetime.fromisoformat(begin)).total_seconds()
        # minutes with one decimal are less precise than two times with seconds
        if abs(between - (elapsed[0] or 0)) <= _COARSE_S:
            elapsed = between, elapsed[1]
    db_time = db_time_of(tables) if view else (None, None)
    hosts = (tables.row("compared_hosts", name) if view else None for name in ("cpus", "cores"))
    return identity_of(
        elapsed,
        seconds_of(interval, "db_time_min") if db_time[0] is None else db_time,
        kind=kind,
        source=source,
        db_name=_text(database, "db_name") or name or None,
        **_texts(database, "db_id", "instance", "instance_number", "host"),
        release=release_of(_text(database, "release")),
        rac=_YES_NO.get((_text(database, "cluster") or "").upper()),
        **dict(zip(("cpus", "cores"), (_whole(row, "value") for row in hosts), strict=True)),
        **_wholes(interval, "begin_snap", "end_snap"),
        begin_time=begin,
        end_time=end,
        block_size=_whole(database, "block_size"),
    )


def identify_instance(tables: Tables, kind: str, source: str, view: View | None) -> Identity:
    """An instance of a RAC report, or the cluster, by the tables of the whole report."""
    summary = tables.row("database_summary")
    label = view.label if view else "*"
    instances = list(tables.get("database_instances") or ())
    row = next((member for member in instances if member.text("instance_number") == label), None)
    own = row if row is not None else summary
    numbers = [member.text("instance_number") for member in instances] if label == "*" else [label]
    of = {host.text("instance"): host for host in tables.get("host_cpu") or ()}
    sizes = {name: [_whole(of.get(n), name) for n in numbers] for name in ("cpus", "cores")}
    # of instances that share a host, and of one without a number, the sum would be wrong
    apart = label != "*" or (_whole(summary, "hosts") or len(numbers)) >= len(numbers)
    shared = ("release", "platform", "begin_time", "end_time")
    common = {name: _text(row, name) or _common(instances, name) for name in shared}
    return identity_of(
        seconds_of(own, "elapsed_min"),
        seconds_of(own, "db_time_min"),
        kind=kind,
        source=source,
        **_texts(summary, "db_name", "db_id"),
        **_texts(row, "instance", "instance_number", "host", "startup_time"),
        # awrgrpt made the report; a database with one instance may still print NO
        rac=_YES_NO.get((_text(summary, "rac") or "YES").upper()),
        **{
            name: sum(filter(None, counts)) if apart and all(counts) else None
            for name, counts in sizes.items()
        },
        **_wholes(summary, "begin_snap", "end_snap", "block_size"),
        **(common | {"release": release_of(common["release"])}),
    )


def _common(rows: Iterable[Row], column: str) -> str | None:
    values = {_text(row, column) for row in rows}
    return values.pop() if len(values) == 1 else None


def _text(row: Row | None, column: str) -> str | None:
    value = row.value(column) if row is not None else None
    return str(value) if value is not None and value != "" else None


def _texts(row: Row | None, *columns: str) -> dict[str, str | None]:
    return {column: _text(row, column) for column in columns}


def _whole(row: Row | None, column: str) -> int | None:
    value = row.number(column) if row is not None else None
    return int(value) if value is not None else None


def _wholes(row: Row | None, *columns: str) -> dict[str, int | None]:
    return {column: _whole(row, column) for column in columns}
