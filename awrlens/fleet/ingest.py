"""An ingest: inputs to rows to batches, until every input is in the store as it is now."""

from __future__ import annotations

import hashlib
import os
import secrets
import shutil
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from awrlens.fleet import folder, index
from awrlens.fleet.folder import TABLES, Batch, Manifest, Place, Table
from awrlens.fleet.index import Store
from awrlens.fleet.rows import Piece, kept, stamps
from awrlens.fleet.sources import InputFile, KnownInput

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import duckdb
    import pyarrow.parquet as pq

    from awrlens.fleet.rows import Job
    from awrlens.fleet.sources import Row


#: A batch with fewer reports is small; so many small ones in a row are joined.
SMALL: Final = 500
_MANY: Final = 20
#: Rows that are written at once, and inputs that are looked up together.
_ROWS: Final = 10_000


def merge(target: Place, others: Sequence[Place]) -> int:
    """Add the batches of other stores; returns their number. A batch is added once.

    The caller holds the lock of the target.
    """
    manifests = [(other, other.manifest()) for other in others]
    manifest = target.create()
    target.tidy(manifest)
    added = 0
    for other, theirs in manifests:
        for batch in other.whole(theirs, theirs.names).batches:
            if batch.name in target.whole(manifest).names:
                continue
            staged = target.staging / secrets.token_hex(8)
            with target.writing():
                shutil.copytree(other.batches / batch.name, staged)
            manifest = target.put(manifest._replace(facts=(*manifest.facts, *theirs.facts)))
            manifest = target.commit(manifest, staged, batch)
            added += 1
    index.refresh(target, manifest)
    return added


def compact(place: Place, manifest: Manifest) -> Manifest:
    """Join small batches that follow each other; rows that a later one replaces are dropped."""
    small = [batch.name for batch in manifest.batches if batch.reports < SMALL]
    for run in _runs(manifest.batches, 2, place.lost(manifest, small)):
        names = tuple(batch.name for batch in run)
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
        name = hashlib.sha256("\n".join(names).encode()).hexdigest()[: len(names[0])]
        joined = Batch(name, files, reports)
        at = manifest.batches.index(run[0])
        rest = tuple(batch for batch in manifest.batches if batch not in run)
        manifest = place.add(manifest, staged, joined, (*rest[:at], joined, *rest[at:]))
    return manifest


def _runs(batches: Sequence[Batch], many: int, lost: Sequence[Batch] = ()) -> list[list[Batch]]:
    runs: list[list[Batch]] = [[]]
    for batch in batches:
        if batch.reports < SMALL and batch not in lost:
            runs[-1].append(batch)
        elif runs[-1]:
            runs.append([])
    return [run for run in runs if len(run) >= many]


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
            path, count = staged / f"{table.name}.parquet", 0
            with pq.ParquetWriter(path, table.arrow(), compression="zstd") as writer:
                for rows in database.sql(query).to_arrow_reader(_ROWS):
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
        #: What decides the name of the batch.
        self._named_by: list[tuple[object, ...]] = []
        self._paths: set[str] = set()
        self._keys: set[str] = set()
        self._reports = self._inputs = self._held = 0

    def add(self, piece: Piece) -> None:
        """Add rows; commits a batch when there are enough."""
        piece = self._once(piece)
        for name, rows in piece.rows.items():
            self._rows[name] += rows
        for row in piece.rows.get("files", ()):
            self._named_by.append(("file", row[0], row[1], *row[-_VERSIONS:]))
            self._inputs += 1
        for row in piece.rows.get("reports", ()):
            self._named_by.append(("report", row[0], *row[-_VERSIONS:]))
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
        for first, tables, seen in (
            ("files", folder.OF_FILES, self._paths),
            ("reports", (*folder.OF_REPORTS, folder.DOCUMENTS), self._keys),
        ):  # fmt: skip
            keys = {row[0] for row in rows.get(first, ())}
            if keys & seen:
                for table in tables:
                    rows[table.name] = [r for r in rows.get(table.name, ()) if r[0] not in seen]
            seen.update(keys)
        return Piece(rows)

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
        named_by = sorted("\0".join(map(str, parts)) for parts in self._named_by)
        content = "\n".join(named_by).encode("utf-8", "replace")
        name = hashlib.sha256(content).hexdigest()[:24]
        batch = Batch(name, self._inputs, self._reports)
        self.manifest = self._place.commit(self.manifest, staged, batch)
        self._reset()

    def abandon(self) -> None:
        """Remove what was not committed."""
        for file in self._files.values():
            with suppress(Exception):  # it is removed in any case
                file.close()
        if self._staged is not None:
            shutil.rmtree(self._staged, ignore_errors=True)

    def _flush(self) -> None:
        with self._place.writing():
            if self._staged is None:
                self._staged = self._place.staging / secrets.token_hex(8)
                self._staged.mkdir(parents=True)
            for table in TABLES:
                rows = self._rows[table.name]
                if rows:
                    # one document is found without reading many
                    size = 25 if table.name == "documents" else None
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
def opened(rows: Mapping[str, list[tuple[Any, ...]]], memory_mb: int) -> Iterator[Store]:
    """A store with some rows by table, for reading; it writes no file."""
    manifest = Manifest(facts=folder.catalogue())
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
        yield Store(Place(Path("memory")), manifest, database)


#: Gives the rows of inputs, each with its input, from worker processes or other hosts.
Runner = Callable[[Iterator[InputFile], "Job"], Iterator[tuple[InputFile, Iterable[Piece]]]]


@dataclass
class Summary:
    """What an ingest did."""

    analyzed: int = 0
    unchanged: int = 0
    moved: int = 0
    #: Inputs whose reports were judged again, without reading them.
    judged: int = 0
    #: Inputs that must be read to be judged, and were not.
    left: int = 0
    reports: int = 0
    #: Inputs of folders and archives that are not reports.
    skipped: int = 0
    unreadable: int = 0
    #: The first of the unreadable inputs, each with its reason.
    problems: list[tuple[str, str]] = field(default_factory=list)
    seconds: float = 0.0
    #: The sources that the store had, and whose batch is missing or damaged.
    lost: tuple[str, ...] = ()

    @property
    def inputs(self) -> int:
        """All inputs."""
        return self.analyzed + self.unchanged + self.moved + self.judged + self.left

    def take(self, piece: Piece, *, again: bool) -> None:
        """Count rows; ``again``: of reports that the store has."""
        self.reports += 0 if again else piece.reports
        for _, _, source, reason, _, skipped in piece.rows.get("problems", ()):
            self.skipped += skipped
            self.unreadable += not skipped
            if not skipped and len(self.problems) < 1_000:  # noqa: PLR2004 - are named
                self.problems.append((source, reason))


class StoredInputs:
    """The inputs of a store.

    The rows of an input that it has under another path or with another time need no work: a Piece.
    """

    def __init__(self, place: Place, job: Job, counts: Summary, *, again: bool = False) -> None:
        self._place = place
        self._job = job
        self._counts = counts
        self._again = again

    def new(self, inputs: Iterable[InputFile]) -> Iterator[InputFile | Piece]:
        """The inputs that must be read; those that only moved; those that are judged again."""
        waiting = iter(inputs)
        if self._again or not self._place.index.exists():
            yield from waiting
            return
        with index.opened(self._place.index, read_only=True) as database:
            while some := list(islice(waiting, _ROWS)):
                yield from self._of(database, some)

    def stored(self) -> Iterator[InputFile]:
        """All inputs of the store that another code or policy judged, as the store knows them."""
        if not self._place.index.exists():
            return
        with index.opened(self._place.index, read_only=True) as database:
            names = ", ".join(KnownInput._fields)
            cursor = database.cursor().execute(f"SELECT {names} FROM files ORDER BY path")
            while rows := [KnownInput(*row) for row in cursor.fetchmany(_ROWS)]:
                old: list[tuple[InputFile, KnownInput]] = []
                for row in rows:
                    file = InputFile(row.path, row.size, row.stamp, named=False)
                    if self._is_current(row, file):
                        self._counts.unchanged += 1
                    elif self._can_judge(row, file):
                        old.append((file, row))
                    else:
                        yield file
                yield from kept(database, self._place, old)

    def _of(
        self, database: duckdb.DuckDBPyConnection, some: list[InputFile]
    ) -> Iterator[InputFile | Piece]:
        rows = self._by_path(database, [file.path for file in some])
        left: list[InputFile] = []
        stale: list[tuple[InputFile, KnownInput]] = []
        for file in some:
            row = rows.get(file.path)
            # the same by size and time alone; what could not be opened is tried again
            now = (file.size, file.stamp)
            if not row or not row.file_hash or not file.stamp or (row.size, row.stamp) != now:
                left.append(file)
            elif self._is_current(row, file):
                self._counts.unchanged += 1
            elif self._can_judge(row, file):
                stale.append((file, row))
            else:
                left.append(file)
        for file, row in self._unmoved(database, left):
            if row is not None and self._is_current(row, file):
                yield self._moved(database, file, row)
            elif row is not None and self._can_judge(row, file):
                stale.append((file, row))
            else:
                yield file
        yield from kept(database, self._place, stale)

    def _by_path(
        self, database: duckdb.DuckDBPyConnection, paths: list[str]
    ) -> dict[str, KnownInput]:
        import pyarrow as pa

        database.register("asked", pa.table({"path": pa.array(paths, pa.string())}))
        names = ", ".join(KnownInput._fields)
        rows = database.execute(f"SELECT {names} FROM files SEMI JOIN asked USING (path)")
        return {row[0]: KnownInput(*row) for row in rows.fetchall()}

    def _is_current(self, row: KnownInput, file: InputFile) -> bool:
        """Whether the store has the result of this code and policy."""
        now = (*stamps(), self._job.version(file.config_path)[0])
        return (row.reading, row.judging, row.policy) == now

    def _can_judge(self, row: KnownInput, file: InputFile) -> bool:
        """Whether this code would read the same, so that what is stored can be judged again."""
        return (
            row.reading == stamps().reading
            and row.outcome in ("read", "skipped")
            and not self._job.version(file.config_path)[1]
        )

    def _unmoved(
        self, database: duckdb.DuckDBPyConnection, inputs: list[InputFile]
    ) -> Iterator[tuple[InputFile, KnownInput | None]]:
        """Each input with that of the same content, if it is of use."""
        import pyarrow as pa

        sizes = sorted({file.size for file in inputs if file.size is not None})
        database.register("asked", pa.table({"size": pa.array(sizes, pa.int64())}))
        query = (
            "SELECT path, size, file_hash FROM files SEMI JOIN asked USING (size) "
            "WHERE file_hash IS NOT NULL AND outcome = 'read'"
        )
        paths = {(size, hashed): path for path, size, hashed in database.execute(query).fetchall()}
        possible = {size for size, _ in paths}
        for file in inputs:
            hashed = file.open().hash if file.size in possible else ""
            path = paths.get((file.size or 0, hashed))
            yield file, self._by_path(database, [path]).get(path) if path else None

    def _moved(
        self, database: duckdb.DuckDBPyConnection, file: InputFile, row: KnownInput
    ) -> Piece:
        held = database.execute(
            "SELECT report, source FROM sources WHERE path = ? AND file_hash = ?",
            [row.path, row.file_hash],
        ).fetchall()
        lost = database.execute(
            "SELECT source, reason, line, skipped FROM problems WHERE path = ?", [row.path]
        ).fetchall()
        path, hash_ = file.path, row.file_hash
        return Piece({
            "files": [(path, hash_, file.size, file.stamp, *row[4:])],
            "sources": [(path, hash_, r, row.renamed(s, path)) for r, s in held],
            "problems": [(path, hash_, row.renamed(s, path), *others) for s, *others in lost],
        })  # fmt: skip


def ingest(
    place: Place, inputs: Iterable[InputFile] | None, job: Job, run: Runner, batch: int = BATCH,
    again: bool = False, progress: Callable[[int, int], None] | None = None,  # noqa: FBT001, FBT002
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
    counts = Summary()
    store = StoredInputs(place, job, counts, again=again)
    writer = Writer(place, manifest, batch)

    def todo() -> Iterator[InputFile]:
        for entry in store.stored() if inputs is None else store.new(inputs):
            if isinstance(entry, Piece):
                counts.moved += 1
                writer.add(entry)
            elif inputs is None and entry.kept is None:
                counts.left += 1
            else:
                yield entry

    try:
        for file, pieces in run(todo(), job):
            is_kept = file.kept is not None
            for piece in pieces:
                counts.take(piece, again=is_kept)
                writer.add(piece)
            counts.judged += file.kept is not None and file.kept.last
            counts.analyzed += not is_kept
            if progress is not None:
                progress(counts.inputs, counts.reports)
        writer.commit()
    finally:
        writer.abandon()
    counts.lost = _finish(place, writer.manifest, changed=writer.manifest is not manifest)
    counts.seconds = time.monotonic() - begun
    return counts


def _finish(place: Place, manifest: Manifest, *, changed: bool) -> tuple[str, ...]:
    """Join batches, complete the index; what is lost and was not written again."""
    if changed:
        if _runs(manifest.batches, _MANY):  # so many small ones slow the index
            manifest = compact(place, manifest)
        index.refresh(place, manifest)
    if not place.lost(manifest):
        return ()
    with index.opened(place.index, read_only=True) as database:
        lost = index.lost(database, place, manifest)
    if not lost:
        place.put(place.whole(manifest))
    return lost
