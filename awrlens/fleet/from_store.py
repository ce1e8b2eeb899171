"""Reports of a store for ``--store`` of trend, compare, check and html (``awrlens.cli.stored``)."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, Final

import click

from awrlens import fleet
from awrlens.cli import gate
from awrlens.cli.console import complain
from awrlens.cli.stored import NAMED
from awrlens.errors import EXIT_UNREADABLE, UsageError, hint
from awrlens.facts.registry import FACTS
from awrlens.fleet import index
from awrlens.fleet.document import Document, of_json, parts, texts
from awrlens.fleet.folder import column, place
from awrlens.fleet.records import WHO
from awrlens.model.check_run import Unread
from awrlens.model.trend import LeftOut, Mention, Reading, Window
from awrlens.model.who import Who
from awrlens.render.wording import count

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from awrlens.model import Fact, Status
    from awrlens.model.comparison import Reading as Side


require = fleet.require
#: The columns of reports by the fields of an interval.
_FIELDS: Final = {
    "kind": "kind", "begin_snap": "begin_snap", "end_snap": "end_snap", "begin": "begin_time",
    "end": "end_time", "startup": "startup_time", "elapsed_s": "elapsed_s",
    "verdict": "severity", "valid": "valid", "headline": "headline",
}  # fmt: skip
#: What says which interval of a store it is.
WHOSE: Final = ("db_name", "instance", "begin_snap", "end_snap", "begin_time", "end_time")
#: Documents that are read together.
_TOGETHER: Final = 50


@contextmanager
def opened(store_file: str) -> Iterator[index.Store]:
    """An open store, with what a reader must know on standard error."""
    with index.opened_store(store_file) as store:
        if store.note:
            click.echo(f"awrlens: {store.note}", err=True)
        say_lost(store.lost)
        yield store


def say_lost(lost: Sequence[str]) -> None:
    """Say what a store has lost: the command does its work, and fails if it succeeds otherwise."""
    if not lost:
        return

    def fail() -> None:
        if sys.exc_info()[0] is None:
            raise click.exceptions.Exit(EXIT_UNREADABLE)

    complain(index.loss(lost))
    click.get_current_context().call_on_close(fail)


def windows(
    store_file: str, names: Sequence[str], since: datetime | None, until: datetime | None,
    db: str | None,
) -> tuple[list[Window], list[LeftOut]]:  # fmt: skip
    """The intervals of a store for a trend, which selects them exactly, and what was not read."""
    with opened(store_file) as store:
        unread = _unread(store)
        if unread:
            inputs = count(len(unread), "input")
            click.echo(f"awrlens: {inputs} could not be read: `awrlens fleet`", err=True)
        values = ", ".join(f'facts."{column(name)}"' for name in names)
        header = ", ".join(f"reports.{name}" for name in (*WHO.split(", "), *_FIELDS.values()))
        rows = store.rows(
            f"""WITH said AS (
                SELECT report,
                    list((finding, title, severity, seconds, parts, waiting_sessions)
                        ORDER BY rowid) AS found
                FROM findings WHERE part_of IS NULL GROUP BY report
            ), placed AS (SELECT report, min(source) AS source FROM sources GROUP BY report)
            SELECT {header}, placed.source, said.found, hash(measured), hash(estimated), {values}
            FROM reports JOIN facts USING (report) LEFT JOIN said USING (report)
            LEFT JOIN placed USING (report)
            WHERE ($1 IS NULL OR begin_time IS NULL OR begin_time >= $1)
            AND ($2 IS NULL OR end_time IS NULL OR end_time <= $2)
            AND ($3 IS NULL OR lower($3) IN (lower(db_name), lower(db_id), lower(container)))
            ORDER BY reports.rowid""",
            [since, until + timedelta(days=1) if until else None, db],
        )
        lists: list[dict[Any, frozenset[str]]] = [
            {key: frozenset(facts or ()) for key, facts in store.rows(
                f"SELECT hash({status}), any_value({status}) FROM facts GROUP BY 1"
            )}
            for status in ("measured", "estimated")
        ]  # fmt: skip
        return [_window(row, names, *lists) for row in rows], unread


def _window(
    row: tuple[Any, ...], names: Sequence[str], measured: Mapping[Any, frozenset[str]],
    estimated: Mapping[Any, frozenset[str]],
) -> Window:  # fmt: skip
    who, row = row[:6], row[6:]
    about = dict(zip(_FIELDS, row, strict=False))
    source, findings, with_measured, with_estimated, *values = row[len(_FIELDS) :]
    are_measured, are_estimated = measured[with_measured], estimated[with_estimated]

    def status(name: str, value: object) -> Status:
        if value is None:
            return "unavailable"
        if name in are_measured:
            return "measured"
        return "estimated" if name in are_estimated else "derived"

    return Window(
        who=Who(*who),
        facts={
            name: Reading(value, status(name, value))
            for name, value in zip(names, values, strict=True)
        },
        findings=tuple(Mention(*said)._replace(parts=tuple(on or ()), waiting_sessions=sessions)
            for *said, on, sessions in findings or ()),
        source=source or "", **about,
    )  # fmt: skip


def _unread(store: index.Store) -> list[LeftOut]:
    return [
        LeftOut(source, None, None, reason)
        for source, reason in store.rows("SELECT source, reason FROM unreadable")
    ]


def sides(store_file: str, said: Sequence[str]) -> tuple[list[Side], list[Side]]:
    """Both sides of a comparison."""
    if len(said) == 1:
        raise UsageError("A comparison needs two sides.", hint=f"Name each as {NAMED}.")
    with opened(store_file) as store:
        before, after = (
            [doc.reading() for doc in _documents(store, _selected(store, side))] for side in said
        )
    return before, after


def checked(store_file: str, said: Sequence[str], asked: gate.Asked) -> list[gate.Checked | Unread]:
    """Stored reports as a check takes them; without a name, the latest of every instance.

    Then what could not be read is part of the result; it fails if the check is strict.
    """
    with opened(store_file) as store:
        wanted = _wanted(store, said)
        unread: list[gate.Checked | Unread] = []
        if not said:
            unread += (
                Unread(left.source, left.reason, fails=asked.said.strict) for left in _unread(store)
            )
        return [
            *unread,
            *(gate.stored(
                doc.analysis, asked,
                breaks_off=doc.breaks_off, excerpt=doc.excerpt, valid=doc.valid,
            ) for doc in _documents(store, wanted)),
        ]  # fmt: skip


def pages(store_file: str, said: Sequence[str]) -> list[dict[str, Any]]:
    """The parts of an HTML page; without charts of the report's lists and without its sections."""
    from awrlens.model.chart_data import Exhibits
    from awrlens.render.html import page

    with opened(store_file) as store:
        return [page(doc.analysis, Exhibits()) for doc in _documents(store, _wanted(store, said))]


def _wanted(store: index.Store, said: Sequence[str]) -> list[str]:
    if not said:
        rows = store.rows(
            "SELECT DISTINCT document, db_name, db_id FROM latest ORDER BY db_name, db_id, document"
        )
        return [row[0] for row in rows]
    return list(dict.fromkeys(key for name in said for key in _selected(store, name)))


def _selected(store: index.Store, said: str) -> list[str]:
    """The documents of a name as in ``NAMED``, of a file, or of a report's key.

    Without a time, the latest; a day selects all its intervals, a time the interval around it.
    """
    by_name = (
        "SELECT DISTINCT document FROM reports JOIN sources USING (report) "
        "WHERE report = $1 OR document = $1 OR source = $1 OR path = $1"
    )
    matches = store.rows(by_name, [said])
    if not matches:
        who, _, when = said.partition("@")
        database, _, instance = who.partition("/")
        begin, end = _moments(when, said) if when else (None, None)
        rows = store.rows(
            """SELECT document, end_time FROM reports SEMI JOIN unique_reports USING (report)
            WHERE part = '' AND lower($1) IN (lower(db_name), lower(db_id), lower(container))
            AND ($2 = '' OR lower($2) IN (lower(instance), instance_number)
                OR (cluster AND $2 = 'cluster'))
            AND ($3 IS NULL OR (begin_time < $4 AND end_time > $3)) ORDER BY end_time""",
            [database, instance, begin, end],
        )
        matches = rows if when else rows[-1:]
    if not matches:
        raise UsageError(
            f"The store has no report of {said}.",
            hint=f"Name {NAMED}; `awrlens fleet` lists its databases.",
        )
    return [row[0] for row in matches]


def _moments(text: str, said: str) -> tuple[datetime, datetime]:
    try:
        begin = datetime.fromisoformat(text)
    except ValueError:
        raise UsageError(
            f"Invalid time in {said!r}.", hint="Use DB@2026-03-02 or DB@2026-03-02T10:30."
        ) from None
    day = len(text) <= len("2026-03-02")
    return begin, begin + (timedelta(days=1) if day else timedelta(microseconds=1))


def _documents(store: index.Store, wanted: Sequence[str]) -> Iterator[Document]:
    """Stored reports in the given order; UsageError for one that was stored without document."""
    for at in range(0, len(wanted), _TOGETHER):
        some = list(wanted[at : at + _TOGETHER])
        contents = dict(texts(store.database, store.place, some))
        for key in some:
            if key not in contents:
                raise UsageError(
                    f"The store has only the tables of report {key}, not its analysis.",
                    hint="Ingest it without --no-documents.",
                )
            yield of_json(contents[key])


def newest(
    store_file: str, facts: Sequence[str], database: str | None, most: int
) -> tuple[list[tuple[tuple[Any, ...], str, Mapping[str, Fact]]], int]:
    """The newest intervals of a store, and the number of all; UsageError without its index.

    Of each: `WHOSE` and the values of the facts, the name of its report, and the facts of its
    document, which have lines; none if it was stored without.
    """
    require()
    names = [fact.name for fact in FACTS]
    if wrong := next((name for name in facts if name not in names), ""):
        raise UsageError("A fact has another name.", hint=hint(wrong, names))
    here = place(store_file)
    if index.missing(here, here.manifest()) != 0:
        raise UsageError("The index of the store is old.", hint="Run `awrlens store rebuild`.")
    columns = ", ".join((*WHOSE, *map(column, facts)))
    with index.readable(here), index.opened(here.index, read_only=True) as base:
        rows = base.execute(
            f"""WITH placed AS (SELECT report, min(source) AS source FROM sources GROUP BY report)
            SELECT count(*) OVER (), report, document, source, {columns}
            FROM intervals LEFT JOIN placed USING (report) WHERE $1 IS NULL OR db_name = $1
            ORDER BY end_time DESC NULLS LAST LIMIT $2""",
            [database, most],
        ).fetchall()
        stored = [of_json(text) for _, text in texts(base, here, [row[2] for row in rows])]
    lines = {
        key: part.facts
        for doc in stored
        for key, (_, part) in zip(doc.keys, parts(doc.analysis), strict=False)
    }
    intervals = [(row[4:], row[3] or "", lines.get(row[1], {})) for row in rows]
    return intervals, rows[0][0] if rows else 0
