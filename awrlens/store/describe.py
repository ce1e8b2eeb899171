"""What a store has, as a page: unreadable inputs first, then databases and versions."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from awrlens.render.blocks import Column, Heading, Item, Items, KeyValues, Page, Row, Table
from awrlens.render.quantity import size
from awrlens.store.index import VIEWS
from awrlens.store.schema import OF_FILES, OF_REPORTS
from awrlens.store.stamps import stamps

if TYPE_CHECKING:
    from collections.abc import Iterator

    from awrlens.render.blocks import Block
    from awrlens.store.query import Store

#: Databases and unreadable inputs that are listed.
_MOST = 20


def page(store: Store) -> Page:
    """The page of a store."""
    (files, unreadable) = store.rows(
        "SELECT count(*), count(*) FILTER (outcome = 'unreadable') FROM files"
    )[0]
    (reports,) = store.rows("SELECT count(*) FROM reports")[0]
    headline = f"{reports:,} rows of reports from {files:,} inputs"
    if unreadable:
        headline += f"; {unreadable:,} inputs could not be read"
    return Page(
        str(store.place.index), (), f"{headline}.", "warning" if unreadable else "ok",
        tuple(_blocks(store)),
    )  # fmt: skip


def _blocks(store: Store) -> Iterator[Block]:
    unreadable = store.rows(f"SELECT source, reason FROM unreadable LIMIT {_MOST}")
    if unreadable:
        yield Heading("Could not be read")
        yield Items(tuple(Item(reason, source, "warning") for source, reason in unreadable))
    manifest = store.manifest
    now = stamps()
    (unread, unjudged) = store.rows(
        """SELECT count(*) FILTER (reading IS DISTINCT FROM $1),
        count(*) FILTER (reading = $1 AND judging <> $2) FROM files""",
        [*now],
    )[0]
    data = sum(each.stat().st_size for each in store.place.batches.glob("*/*.parquet"))
    indexed = store.place.index.stat().st_size if store.place.index.exists() else 0
    yield KeyValues(
        "Store",
        (
            ("batches", f"{len(manifest.batches):,}"),
            ("data", f"{size(data)} in {store.place.folder}"),
            ("index", size(indexed)),
            ("schema", ".".join(map(str, manifest.schema))),
            ("read by another awrlens", f"{unread:,}; the next ingest reads them again"),
            ("judged by another one", f"{unjudged:,}; the next ingest judges them again"),
        ),
    )
    yield Heading("Databases")
    rows = store.rows(
        f"""SELECT db_name, container, count(DISTINCT (instance, instance_number)), count(*),
            min(begin_time), max(end_time)
        FROM reports SEMI JOIN unique_reports USING (report)
        GROUP BY db_name, db_id, container ORDER BY 4 DESC LIMIT {_MOST}"""
    )
    yield Table(
        "Databases",
        (
            Column("database"), Column("container"), Column("instances", "number"),
            Column("intervals", "number"), Column("first"), Column("last"),
        ),
        tuple(Row(tuple(_cell(value) for value in row)) for row in rows),
    )  # fmt: skip
    yield Heading("Tables and views")
    tables = [(each.name, each.about) for each in (*OF_REPORTS, *OF_FILES)]
    tables += [(name, about) for name, about, _ in VIEWS]
    yield KeyValues("Tables", tuple(tables))


def _cell(value: object) -> str:
    if isinstance(value, datetime):
        return f"{value:%Y-%m-%d %H:%M}"
    return "" if value is None else str(value)
