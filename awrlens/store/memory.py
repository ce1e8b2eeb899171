"""A store in memory, of rows that are kept elsewhere."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from awrlens.store import index
from awrlens.store.folder import Manifest, Place
from awrlens.store.query import Store
from awrlens.store.schema import TABLES, catalogue
from awrlens.store.writer import arrow

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path


@contextmanager
def opened(
    rows: Mapping[str, list[tuple[Any, ...]]], nowhere: Path, memory_mb: int
) -> Iterator[Store]:
    """A store with some rows by table, for reading; it writes no file."""
    manifest = Manifest(facts=catalogue())
    with index.opened(None) as database:
        database.execute(f"SET memory_limit = '{memory_mb}MB'")
        for setting in ("threads = 1", "temp_directory = ''", "enable_external_access = false"):
            database.execute(f"SET {setting}")
        index.create(database, manifest)
        for table in TABLES:
            if table.indexed and rows.get(table.name):
                database.register("added", arrow(table, rows[table.name]))
                database.execute(f"INSERT INTO {table.name} BY NAME FROM added")
                database.unregister("added")
        index.number(database)
        yield Store(Place(nowhere), manifest, database)
