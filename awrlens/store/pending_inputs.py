"""Which inputs must be analyzed: those that the store does not have as they are now."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Final

from awrlens.records import NamedTuple
from awrlens.store import index
from awrlens.store.rows import Piece
from awrlens.store.schema import ANALYZER

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import duckdb

    from awrlens.store.folder import Place
    from awrlens.store.rows import Job, Row
    from awrlens.store.sources import Found

#: Inputs that are looked up together.
_TOGETHER: Final = 10_000


class Moved(NamedTuple):
    """An input that the store has under another path, or with another time: rows without work."""

    piece: Piece


class _Row(NamedTuple):
    """What the store knows about an input."""

    file_hash: str | None
    size: int | None
    stamp: str | None
    outcome: str
    reason: str | None
    line: int | None
    reports: int
    analyzer: str
    policy: str


class Known:
    """The inputs of a store."""

    def __init__(self, place: Place, job: Job, *, again: bool = False) -> None:
        self._place = place
        self._job = job
        self._again = again
        self.unchanged = 0

    def new(self, found: Iterable[Found]) -> Iterator[Found | Moved]:
        """The inputs that must be analyzed; those that only moved, with their rows."""
        waiting = iter(found)
        if self._again or not self._place.index.exists():
            yield from waiting
            return
        with index.opened(self._place.index, read_only=True) as database:
            while some := list(islice(waiting, _TOGETHER)):
                rows = self._by_path(database, [each.path for each in some])
                left = [each for each in some if not self._is_unchanged(each, rows)]
                self.unchanged += len(some) - len(left)
                yield from self._unmoved(database, left)
                if len(some) < _TOGETHER:
                    return

    def _by_path(self, database: duckdb.DuckDBPyConnection, paths: list[str]) -> dict[str, _Row]:
        import pyarrow as pa

        database.register("asked", pa.table({"path": pa.array(paths, pa.string())}))
        names = ", ".join(_Row._fields)
        rows = database.execute(f"SELECT path, {names} FROM files SEMI JOIN asked USING (path)")
        return {row[0]: _Row(*row[1:]) for row in rows.fetchall()}

    def _is_current(self, row: _Row, each: Found) -> bool:
        """Whether the store has the result of this version and policy."""
        return row.analyzer == ANALYZER and row.policy == self._job.policy(each.config_path)

    def _is_unchanged(self, each: Found, rows: dict[str, _Row]) -> bool:
        """By size and time alone; what could not be opened is tried again."""
        row = rows.get(each.path)
        return (
            row is not None
            and row.file_hash is not None
            and each.stamp is not None
            and (row.size, row.stamp) == (each.size, each.stamp)
            and self._is_current(row, each)
        )

    def _unmoved(
        self, database: duckdb.DuckDBPyConnection, found: list[Found]
    ) -> Iterator[Found | Moved]:
        """The inputs whose content is new; a content is hashed only if one of its size is known."""
        import pyarrow as pa

        sizes = sorted({each.size for each in found if each.size is not None})
        database.register("asked", pa.table({"size": pa.array(sizes, pa.int64())}))
        query = (
            "SELECT path, size, file_hash FROM files SEMI JOIN asked USING (size) "
            "WHERE file_hash IS NOT NULL AND outcome = 'read'"
        )
        known = {(size, hashed): path for path, size, hashed in database.execute(query).fetchall()}
        possible = {size for size, _ in known}
        for each in found:
            hashed = each.hash() if each.size in possible else None
            path = known.get((each.size or 0, hashed or ""))
            row = self._by_path(database, [path]).get(path) if path else None
            if path is not None and row is not None and self._is_current(row, each):
                yield Moved(self._moved(database, each, path, row))
            else:
                yield each

    def _moved(
        self, database: duckdb.DuckDBPyConnection, each: Found, path: str, row: _Row
    ) -> Piece:
        """The rows of an input whose content the store has under another path."""

        def renamed(source: str) -> str:
            return each.path + source.removeprefix(path) if source.startswith(path) else source

        held = database.execute(
            "SELECT report, source FROM sources WHERE path = ? AND file_hash = ?",
            [path, row.file_hash],
        ).fetchall()
        lost = database.execute(
            "SELECT source, reason, line, skipped FROM problems WHERE path = ?", [path]
        ).fetchall()
        sources: list[Row] = [(each.path, row.file_hash, r, renamed(s)) for r, s in held]
        problems: list[Row] = [
            (each.path, row.file_hash, renamed(s), *others) for s, *others in lost
        ]
        file: Row = (
            each.path, row.file_hash, each.size, each.stamp, row.outcome, row.reason, row.line,
            row.reports, row.analyzer, row.policy,
        )  # fmt: skip
        return Piece({"files": [file], "sources": sources, "problems": problems})
