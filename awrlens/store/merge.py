"""Stores joined into one, and many small batches joined into a large one."""

from __future__ import annotations

import hashlib
import secrets
import shutil
from typing import TYPE_CHECKING, Final

from awrlens.store import folder as places
from awrlens.store import index
from awrlens.store.schema import TABLES

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import duckdb

    from awrlens.store.folder import Batch, Manifest, Place

#: A batch with fewer reports is small; so many small ones in a row are joined.
SMALL: Final = 500
_MANY: Final = 20
#: Rows that are written at once.
_ROWS: Final = 10_000


def merge(target: Place, others: Sequence[Place]) -> int:
    """Add the batches of other stores; returns their number. A batch is added once.

    The caller holds the lock of the target.
    """
    found = [(each, each.manifest()) for each in others]
    manifest = target.create()
    target.tidy(manifest)
    added = 0
    for other, theirs in found:
        for batch in theirs.batches:
            if batch.name in manifest.names:
                continue
            staged = target.staging / secrets.token_hex(8)
            with target.writing():
                shutil.copytree(other.batches / batch.name, staged)
            manifest = target.put(manifest._replace(facts=(*manifest.facts, *theirs.facts)))
            manifest = target.commit(manifest, staged, batch)
            added += 1
    index.refresh(target, manifest)
    return added


def compact(place: Place, manifest: Manifest, *, small: int = SMALL, many: int = 2) -> Manifest:
    """Join small batches that follow each other; rows that a later one replaces are dropped."""
    for run in _runs(manifest.batches, small, many):
        names = tuple(each.name for each in run)
        staged = place.staging / secrets.token_hex(8)
        with place.writing():
            staged.mkdir(parents=True)
        scratch = staged.with_suffix(".duckdb")
        with index.written(scratch) as database:
            index.create(database, manifest)
            for name in names:
                index.add(database, place, name)
            files, reports = _copied(database, place, staged, names)
        scratch.unlink()
        joined = places.batch(_name(names), files, reports)
        at = manifest.batches.index(run[0])
        rest = tuple(each for each in manifest.batches if each not in run)
        with place.writing():
            target = place.batches / joined.name
            shutil.rmtree(target, ignore_errors=True)
            staged.replace(target)
        manifest = place.put(manifest._replace(batches=(*rest[:at], joined, *rest[at:])))
    return manifest


def is_needed(manifest: Manifest) -> bool:
    """Whether there are so many small batches that they slow the index."""
    return bool(_runs(manifest.batches, SMALL, _MANY))


def _runs(batches: Sequence[Batch], small: int, many: int) -> list[list[Batch]]:
    runs: list[list[Batch]] = [[]]
    for each in batches:
        if each.reports < small:
            runs[-1].append(each)
        elif runs[-1]:
            runs.append([])
    return [each for each in runs if len(each) >= many]


def _name(names: Sequence[str]) -> str:
    return hashlib.sha256("\n".join(names).encode()).hexdigest()[: len(names[0])]


def _copied(
    database: duckdb.DuckDBPyConnection, place: Place, staged: Path, names: tuple[str, ...]
) -> tuple[int, int]:
    """Write the tables of a database to Parquet; the number of inputs and of reports."""
    import pyarrow.parquet as pq

    counts = {}
    with place.writing():
        for table in TABLES:
            query = f"SELECT {', '.join(table.names)} FROM {table.name}"
            if not table.indexed:
                files = place.files(table.name, names)
                if not files:
                    continue
                query = index.latest_documents(files)
            found = database.sql(query)
            path, count = staged / f"{table.name}.parquet", 0
            with pq.ParquetWriter(path, table.arrow(), compression="zstd") as writer:
                for rows in found.to_arrow_reader(_ROWS):
                    count += rows.num_rows
                    writer.write_batch(rows.cast(table.arrow()))
            counts[table.name] = count
            if not count:
                path.unlink()
    return counts.get("files", 0), counts.get("reports", 0)
