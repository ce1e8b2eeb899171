"""Rows to Parquet batches: written aside as they arrive, committed when there are enough."""

from __future__ import annotations

import hashlib
import os
import secrets
import shutil
from typing import TYPE_CHECKING, Any, Final

from awrlens.store import folder as places
from awrlens.store.rows import Piece
from awrlens.store.schema import DOCUMENTS, OF_FILES, OF_REPORTS, TABLES, Table

if TYPE_CHECKING:
    from pathlib import Path

    import pyarrow.parquet as pq

    from awrlens.store.folder import Manifest, Place
    from awrlens.store.rows import Row

#: Reports of a batch, and inputs of a batch without so many.
BATCH: Final = 1_000
_MOST_FILES: Final = 20_000
#: Reports whose rows are kept in memory.
_ROWS: Final = 100
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
        if self._held >= _ROWS:
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
