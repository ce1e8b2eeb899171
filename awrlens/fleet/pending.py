"""Which inputs must be analyzed: those that the store does not have as they are now."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Final

from awrlens.fleet import index
from awrlens.fleet.rows import Kept, KnownInput, Piece, kept, stamps
from awrlens.fleet.sources import Found
from awrlens.records import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import duckdb

    from awrlens.fleet.folder import Place
    from awrlens.fleet.rows import Job, Row


#: Inputs that are looked up together.
_TOGETHER: Final = 10_000


class Moved(NamedTuple):
    """An input that the store has under another path, or with another time: rows without work."""

    piece: Piece


class Known:
    """The inputs of a store."""

    def __init__(self, place: Place, job: Job, *, again: bool = False) -> None:
        self._place = place
        self._job = job
        self._again = again
        self.unchanged = 0

    def new(self, found: Iterable[Found]) -> Iterator[Found | Moved | Kept]:
        """The inputs that must be read; those that only moved; those that are judged again."""
        waiting = iter(found)
        if self._again or not self._place.index.exists():
            yield from waiting
            return
        with index.opened(self._place.index, read_only=True) as database:
            while some := list(islice(waiting, _TOGETHER)):
                yield from self._of(database, some)

    def stored(self) -> Iterator[Kept | Found]:
        """All inputs of the store that another code or policy judged, as the store knows them."""
        if not self._place.index.exists():
            return
        with index.opened(self._place.index, read_only=True) as database:
            names = ", ".join(KnownInput._fields)
            found = database.cursor().execute(f"SELECT {names} FROM files ORDER BY path")
            while rows := [KnownInput(*row) for row in found.fetchmany(_TOGETHER)]:
                pairs = [(Found(each.path, each.size, each.stamp, named=False), each)
                         for each in rows]  # fmt: skip
                old = [(each, row) for each, row in pairs if not self._is_current(row, each)]
                self.unchanged += len(rows) - len(old)
                yield from (each for each, row in old if not self._can_judge(row, each))
                fit = [(each, row) for each, row in old if self._can_judge(row, each)]
                yield from kept(database, self._place, fit)

    def _of(
        self, database: duckdb.DuckDBPyConnection, some: list[Found]
    ) -> Iterator[Found | Moved | Kept]:
        rows = self._by_path(database, [each.path for each in some])
        left: list[Found] = []
        stale: list[tuple[Found, KnownInput]] = []
        for each in some:
            row = rows.get(each.path)
            if row is None or not _is_same(each, row):
                left.append(each)
            elif self._is_current(row, each):
                self.unchanged += 1
            elif self._can_judge(row, each):
                stale.append((each, row))
            else:
                left.append(each)
        for each, row in self._unmoved(database, left):
            if row is None:
                yield each
            elif self._is_current(row, each):
                yield Moved(self._moved(database, each, row))
            else:
                stale.append((each, row))
        yield from kept(database, self._place, stale)

    def _by_path(
        self, database: duckdb.DuckDBPyConnection, paths: list[str]
    ) -> dict[str, KnownInput]:
        import pyarrow as pa

        database.register("asked", pa.table({"path": pa.array(paths, pa.string())}))
        names = ", ".join(KnownInput._fields)
        rows = database.execute(f"SELECT {names} FROM files SEMI JOIN asked USING (path)")
        return {row[0]: KnownInput(*row) for row in rows.fetchall()}

    def _is_current(self, row: KnownInput, each: Found) -> bool:
        """Whether the store has the result of this code and policy."""
        return (row.reading, row.judging, row.policy) == (
            *stamps(), self._job.policy(each.config_path),
        )  # fmt: skip

    def _can_judge(self, row: KnownInput, each: Found) -> bool:
        """Whether this code would read the same, so that what is stored can be judged again."""
        return (
            row.reading == stamps().reading
            and row.outcome in ("read", "skipped")
            and self._job.can_judge(each.config_path)
        )

    def _unmoved(
        self, database: duckdb.DuckDBPyConnection, found: list[Found]
    ) -> Iterator[tuple[Found, KnownInput | None]]:
        """Each input with that of the same content, if it is of use.

        A content is hashed only if one of its size is known.
        """
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
            if row and not self._is_current(row, each) and not self._can_judge(row, each):
                row = None
            yield each, row

    def _moved(self, database: duckdb.DuckDBPyConnection, each: Found, row: KnownInput) -> Piece:
        """The rows of an input whose content the store has under another path."""
        held = database.execute(
            "SELECT report, source FROM sources WHERE path = ? AND file_hash = ?",
            [row.path, row.file_hash],
        ).fetchall()
        lost = database.execute(
            "SELECT source, reason, line, skipped FROM problems WHERE path = ?", [row.path]
        ).fetchall()
        sources: list[Row] = [
            (each.path, row.file_hash, r, row.renamed(s, each.path)) for r, s in held
        ]
        problems: list[Row] = [
            (each.path, row.file_hash, row.renamed(s, each.path), *others) for s, *others in lost
        ]
        file: Row = (
            each.path, row.file_hash, each.size, each.stamp, row.outcome, row.reason, row.line,
            row.reports, row.analyzer, row.policy, row.reading, row.judging,
        )  # fmt: skip
        return Piece({"files": [file], "sources": sources, "problems": problems})


def _is_same(each: Found, row: KnownInput) -> bool:
    """By size and time alone; what could not be opened is tried again."""
    return (
        row.file_hash is not None
        and each.stamp is not None
        and (row.size, row.stamp) == (each.size, each.stamp)
    )
