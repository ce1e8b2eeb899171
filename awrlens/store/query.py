"""Reading a store: an up-to-date index, and SQL that cannot change anything."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from awrlens.errors import UsageError
from awrlens.records import NamedTuple
from awrlens.store import index
from awrlens.store.folder import place

if TYPE_CHECKING:
    from collections.abc import Iterator

    import duckdb

    from awrlens.store.folder import Manifest, Place


class Store(NamedTuple):
    """An open store."""

    place: Place
    manifest: Manifest
    database: duckdb.DuckDBPyConnection
    #: What a reader must know: batches that the index lacks.
    note: str = ""

    def rows(self, query: str, values: list[Any] | None = None) -> list[tuple[Any, ...]]:
        """The rows of a query of our own."""
        return self.database.execute(query, values or []).fetchall()

    def records(self, query: str, values: list[Any] | None = None) -> list[dict[str, Any]]:
        """The rows of a query of our own, by column."""
        found = self.database.execute(query, values or [])
        names = [each[0] for each in found.description]
        return [dict(zip(names, row, strict=True)) for row in found.fetchall()]


class Answer(NamedTuple):
    """The result of a query."""

    columns: tuple[str, ...]
    rows: list[tuple[Any, ...]]


@contextmanager
def opened(store: str) -> Iterator[Store]:
    """A store for reading; UsageError if there is none.

    The index is completed first. If that is not possible (another run writes, the path is
    read-only), the one that exists is used, or one in memory.
    """
    here = place(store)
    manifest = here.manifest()
    lacking = index.missing(here, manifest)
    if lacking != 0:
        try:
            with here.lock(0.0):
                index.refresh(here, manifest)
            lacking = 0
        except UsageError:
            pass
    note = ""
    if lacking:
        note = f"The index lacks the newest {lacking} batches: `awrlens store rebuild`."
    with index.opened(None if lacking is None else here.index, read_only=lacking is not None) as db:
        if lacking is None:
            index.create(db, manifest)
            index.load(db, here, manifest.names)
        yield Store(here, manifest, db, note)


def ask(store: Store, sql: str) -> Answer:
    """Run SQL of a user, which can read the tables of the store and nothing else."""
    import duckdb

    database = store.database
    database.execute("SET enable_external_access = false")
    try:
        found = database.execute(sql)
        columns = tuple(each[0] for each in found.description or ())
        return Answer(columns, found.fetchall())
    except duckdb.Error as problem:
        text = " ".join(str(problem).split("\n\n")[0].split())
        raise UsageError(f"The query failed: {text.rstrip('.')}.") from None
