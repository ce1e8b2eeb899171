"""An ingest: inputs to rows to batches, until every input is in the store as it is now.

Batches are written aside as rows arrive and committed when there are enough. Stores are joined into
one, small batches into a large one; a store can be in memory, of rows that are kept elsewhere.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import shutil
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

from awrlens.fleet import folder as places
from awrlens.fleet import index
from awrlens.fleet.folder import (
    DOCUMENTS,
    OF_FILES,
    OF_REPORTS,
    TABLES,
    Manifest,
    Place,
    Table,
    catalogue,
)
from awrlens.fleet.index import Store
from awrlens.fleet.pending import Known, Moved
from awrlens.fleet.rows import Kept, Piece
from awrlens.fleet.sources import Found
from awrlens.records import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    import duckdb
    import pyarrow.parquet as pq

    from awrlens.fleet.folder import Batch
    from awrlens.fleet.rows import Job, Row


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


#: Reports of a batch, and inputs of a batch without so many.
BATCH: Final = 1_000
_MOST_FILES: Final = 20_000
#: Reports whose rows are kept in memory.
_HELD_ROWS: Final = 100
#: Documents of a row group: one is found without reading many.
_GROUP: Final = 25
#: Hexadecimal digits of a batch's name.
_NAME: Final = 24
#: The last columns of an input and of a report: its awrlens, thresholds and stamps.
_VERSIONS: Final = 4


class Writer:
    """Writes batches one after the other; only what is committed counts."""

    def __init__(self, place: Place, manifest: Manifest, batch: int = BATCH) -> None:
        self._place = place
        self.manifest = manifest
        self._batch = batch
        self._reset()

    def _reset(self) -> None:
        self._rows: dict[str, list[Row]] = {table.name: [] for table in TABLES}
        self._files: dict[str, pq.ParquetWriter] = {}
        self._staged: Path | None = None
        self._named_by: list[str] = []
        self._paths: set[str] = set()
        self._keys: set[str] = set()
        self._reports = self._inputs = self._held = 0

    def add(self, piece: Piece) -> None:
        """Add rows; commits a batch when there are enough."""
        piece = self._once(piece)
        for name, rows in piece.rows.items():
            self._rows[name] += rows
        for row in piece.rows.get("files", ()):
            self._name_by("file", row[0], row[1], *row[-_VERSIONS:])
            self._inputs += 1
        for row in piece.rows.get("reports", ()):
            self._name_by("report", row[0], *row[-_VERSIONS:])
        self._reports += piece.reports
        self._held += piece.reports
        if self._held >= _HELD_ROWS:
            self._flush()
        # between two inputs, so that batches do not depend on how the rows arrive; a very large
        # archive has several batches
        between = bool(piece.rows.get("files")) and self._reports >= self._batch
        if between or self._reports >= 2 * self._batch or self._inputs >= _MOST_FILES:
            self.commit()

    def _once(self, piece: Piece) -> Piece:
        """Without what the batch has: the same report of another file, the same file again."""
        rows = dict(piece.rows)
        paths = {row[0] for row in rows.get("files", ())}
        if paths & self._paths:
            for table in OF_FILES:
                rows[table.name] = [e for e in rows.get(table.name, ()) if e[0] not in self._paths]
        self._paths |= paths
        keys = {row[0] for row in rows.get("reports", ())}
        if keys & self._keys:
            for table in (*OF_REPORTS, DOCUMENTS):
                rows[table.name] = [e for e in rows.get(table.name, ()) if e[0] not in self._keys]
        self._keys |= keys
        return Piece(rows)

    def _name_by(self, *parts: object) -> None:
        self._named_by.append("\0".join(map(str, parts)))

    def commit(self) -> None:
        """Commit what was added, under a name that its content decides."""
        if not self._inputs and not self._reports:
            return
        self._flush()
        staged = self._staged
        assert staged is not None  # noqa: S101 - rows were written
        with self._place.writing():
            for file in self._files.values():
                file.close()
            for path in staged.iterdir():
                with path.open("rb") as written:
                    os.fsync(written.fileno())
        content = "\n".join(sorted(self._named_by)).encode("utf-8", "replace")
        name = hashlib.sha256(content).hexdigest()[:_NAME]
        batch = places.batch(name, self._inputs, self._reports)
        self.manifest = self._place.commit(self.manifest, staged, batch)
        self._reset()

    def abandon(self) -> None:
        """Remove what was not committed."""
        for file in self._files.values():
            try:
                file.close()
            except Exception:  # noqa: BLE001, S112 - it is removed in any case
                continue
        if self._staged is not None:
            shutil.rmtree(self._staged, ignore_errors=True)

    def _flush(self) -> None:
        """Write the rows that are in memory."""
        with self._place.writing():
            if self._staged is None:
                self._staged = self._place.staging / secrets.token_hex(8)
                self._staged.mkdir(parents=True)
            for table in TABLES:
                rows = self._rows[table.name]
                if rows:
                    size = _GROUP if table.name == "documents" else None
                    self._file(table).write_table(arrow(table, rows), row_group_size=size)
                    rows.clear()
        self._held = 0

    def _file(self, table: Table) -> pq.ParquetWriter:
        import pyarrow.parquet as pq

        if table.name not in self._files:
            assert self._staged is not None  # noqa: S101 - made before
            self._files[table.name] = pq.ParquetWriter(
                self._staged / f"{table.name}.parquet", table.arrow(), compression="zstd"
            )
        return self._files[table.name]


def arrow(table: Table, rows: list[Row]) -> Any:  # noqa: ANN401 - pyarrow is not typed
    """Rows of a table for DuckDB and Parquet."""
    import pyarrow as pa

    schema = table.arrow()
    by_column = zip(schema, zip(*rows, strict=True), strict=True)
    columns = [pa.array(values, type=field.type) for field, values in by_column]
    return pa.Table.from_arrays(columns, schema=schema)


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


#: Gives the rows of inputs, each with its input, from worker processes or other hosts.
Runner = Callable[[Iterator[Found | Kept], "Job"], Iterator[tuple[Found | Kept, Iterable[Piece]]]]
#: Problems that a summary names.
_NAMED: int = 1_000


class Asked(NamedTuple):
    """What a caller asks for."""

    batch: int = BATCH
    again: bool = False


class Summary(NamedTuple):
    """What an ingest did."""

    analyzed: int
    unchanged: int
    moved: int
    #: Inputs whose reports were judged again, without reading them.
    judged: int
    #: Inputs that must be read to be judged, and were not.
    left: int
    reports: int
    #: Inputs of folders and archives that are not reports.
    skipped: int
    unreadable: int
    #: The first of the unreadable inputs, each with its reason.
    problems: tuple[tuple[str, str], ...]
    seconds: float

    @property
    def inputs(self) -> int:
        """All inputs."""
        return self.analyzed + self.unchanged + self.moved + self.judged + self.left


class _Counts:
    """The summary while it is made."""

    def __init__(self) -> None:
        self.analyzed = self.moved = self.judged = self.left = 0
        self.reports = self.skipped = self.unreadable = 0
        self.problems: list[tuple[str, str]] = []

    def take(self, piece: Piece, *, again: bool) -> None:
        self.reports += 0 if again else piece.reports
        for source, reason, skipped in (
            (row[2], row[3], row[5]) for row in piece.rows.get("problems", ())
        ):
            self.skipped += skipped
            self.unreadable += not skipped
            if not skipped and len(self.problems) < _NAMED:
                self.problems.append((source, reason))


def ingest(
    place: Place, found: Iterable[Found] | None, job: Job, run: Runner, asked: Asked = Asked(),  # noqa: B008
    progress: Callable[[int, int], None] | None = None,
) -> Summary:  # fmt: skip
    """Bring a store up to date; ``progress`` gets the inputs done and the reports written.

    Without inputs, what the store has is judged again, as far as that needs no file.
    The caller holds the lock. Ended at any moment, the store has all batches committed so far, and
    the next ingest continues.
    """
    begun = time.monotonic()
    manifest = place.create()
    place.tidy(manifest)
    if manifest.batches:
        index.refresh(place, manifest)
    known, counts = Known(place, job, again=asked.again), _Counts()
    writer = Writer(place, manifest, asked.batch)

    def todo() -> Iterator[Found | Kept]:
        for each in known.stored() if found is None else known.new(found):
            if isinstance(each, Moved):
                counts.moved += 1
                writer.add(each.piece)
            elif found is None and isinstance(each, Found):
                counts.left += 1
            else:
                yield each

    try:
        for each, pieces in run(todo(), job):
            again = each if isinstance(each, Kept) else None
            for piece in pieces:
                counts.take(piece, again=again is not None)
                writer.add(piece)
            counts.judged += again is not None and again.last
            counts.analyzed += again is None
            if progress is not None:
                done = counts.analyzed + counts.moved + counts.judged + counts.left
                progress(done + known.unchanged, counts.reports)
        writer.commit()
    finally:
        writer.abandon()
    if writer.manifest is not manifest:
        _finish(place, writer.manifest)
    return Summary(
        counts.analyzed, known.unchanged, counts.moved, counts.judged, counts.left, counts.reports,
        counts.skipped, counts.unreadable, tuple(counts.problems), time.monotonic() - begun,
    )  # fmt: skip


def _finish(place: Place, manifest: Manifest) -> None:
    if is_needed(manifest):
        manifest = compact(place, manifest)
    index.refresh(place, manifest)
