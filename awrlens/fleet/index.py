"""The DuckDB index of a store, made of its batches, and SQL on it that cannot change anything.

Losing the index loses nothing. It is never changed in place: a copy is completed and renamed, so
that readers are not disturbed, and a full disk or a crash leaves the previous index.
"""

from __future__ import annotations

import secrets
import shutil
import tomllib
from contextlib import ExitStack, contextmanager, suppress
from typing import TYPE_CHECKING, Any, Final

from awrlens.errors import UnreadableError, UsageError
from awrlens.fleet.folder import DOCUMENTS, OF_FILES, OF_REPORTS, StoredFact, Table, place
from awrlens.fleet.records import WHO
from awrlens.lazy import NamedTuple, beside

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    import duckdb

    from awrlens.fleet.folder import Manifest, Place


_TYPES: Final = {
    "text": "VARCHAR", "whole": "BIGINT", "number": "DOUBLE", "yes/no": "BOOLEAN",
    "time": "TIMESTAMP", "texts": "VARCHAR[]",
}  # fmt: skip
_NAMED: Final = 10
_INDEXED: Final = (*OF_FILES, *OF_REPORTS)
#: Rows of a group; a fact has a column, so a group of DuckDB's default size takes hundreds of MB.
_GROUP: Final = 2048

#: Each interval of an instance once, HTML before text; ``who`` numbers the instances, the latest
#: interval is the first.
_UNIQUE: Final = f"""SELECT report, who,
    row_number() OVER (PARTITION BY who ORDER BY end_time DESC, report) AS nth
FROM (
    SELECT report, end_time, dense_rank() OVER (ORDER BY {WHO}) AS who,
        row_number() OVER (
            PARTITION BY {WHO}, begin_time, end_time
            ORDER BY part = '' DESC, kind LIKE '%html' DESC, report
        ) AS of_interval
    FROM reports WHERE valid AND begin_time IS NOT NULL AND end_time IS NOT NULL
) WHERE of_interval = 1"""
#: Views for the usual questions: what a row is, and SQL.
VIEWS: Final[dict[str, dict[str, str]]] = tomllib.loads(
    beside(__file__, "views.toml").replace("{WHO}", WHO)
)


def refresh(place: Place, manifest: Manifest, *, anew: bool = False) -> None:
    """Complete the index by the batches that it lacks, or make it anew."""
    import duckdb

    manifest = place.whole(manifest)
    lacking = None if anew else missing(place, manifest)
    if lacking == 0:
        return
    names = manifest.names[-lacking if lacking else 0 :]
    if changed := place.lost(manifest, names):
        place.move_aside(batch.name for batch in changed)
        refresh(place, manifest, anew=True)
        return
    part = place.index.parent / f".{place.index.name}-{secrets.token_hex(4)}"
    try:
        if lacking is not None:
            shutil.copyfile(place.index, part)
        _complete(part, place, manifest, names)
        part.replace(place.index)
    except (OSError, duckdb.Error) as problem:
        if isinstance(problem, duckdb.Error) and place.set_aside(names):
            part.unlink(missing_ok=True)
            refresh(place, manifest, anew=True)
            return
        reason = getattr(problem, "strerror", None) or str(problem).split("\n")[0]
        raise UsageError(
            f"The index {place.index} cannot be written: {reason.rstrip('.')}.",
            hint="`awrlens store rebuild` rebuilds it.",
        ) from None
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)


def lost(database: duckdb.DuckDBPyConnection, place: Place, manifest: Manifest) -> tuple[str, ...]:
    """The sources that the store had and that it has in no other batch."""
    sources: list[str] = []
    for batch in place.lost(manifest):
        file = place.lists / f"{batch.name}.parquet"
        if file.exists():
            query = f"""SELECT DISTINCT source FROM {_parquet([str(file)])} AS had
                ANTI JOIN files ON files.path = had.path AND files.file_hash IS NOT NULL
                ANTI JOIN reports ON reports.report = had.report ORDER BY source"""
            sources += (source for (source,) in database.execute(query).fetchall())
        elif batch.reports:
            sources.append(f"{batch.reports:,} reports of batch {batch.name}")
    return tuple(sources)


def loss(lost: Sequence[str]) -> UnreadableError:
    """The error for a store that lacks what it had."""
    more = f" and {len(lost) - _NAMED:,} more" if len(lost) > _NAMED else ""
    return UnreadableError(
        f"The store has lost {', '.join(lost[:_NAMED])}{more}: files of batches are missing or "
        "damaged.",
        hint="Ingest them again; `awrlens store rebuild --forget` gives them up.",
    )


def _complete(part: Path, place: Place, manifest: Manifest, names: tuple[str, ...]) -> None:
    """Load what a file lacks; it is closed now and then, which gives all memory back."""
    anew = not part.exists()
    with written(part) as database:
        if anew:
            create(database, manifest)
        else:
            _tell_facts(database, manifest)
        if not names:
            finish(database)
    for name in names:
        with written(part) as database:
            add(database, place, name)
            if name == names[-1]:
                finish(database)


@contextmanager
def opened(path: Path | None, *, read_only: bool = False) -> Iterator[duckdb.DuckDBPyConnection]:
    """A connection to a database file, or to one in memory."""
    import duckdb

    database = duckdb.connect(str(path) if path else ":memory:", read_only=read_only)
    try:
        yield database
    finally:
        database.close()


@contextmanager
def written(path: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """A connection that writes a database file and needs the same memory for any number of rows."""
    log, spilled = (path.with_name(f"{path.name}{end}") for end in (".wal", ".tmp"))
    with opened(None) as database:
        try:
            settings = {"memory_limit": "256MB", "threads": 1, "temp_directory": spilled}
            for name, value in settings.items():
                database.execute(f"SET {name} = {_quoted(str(value))}")
            # a checkpoint rewrites the last group of rows of every table, and holds it in memory
            database.execute(f"ATTACH {_quoted(str(path))} AS store (ROW_GROUP_SIZE {_GROUP})")
            database.execute("USE store")
            yield database
            database.execute("USE memory")
            database.execute("DETACH store")
        finally:
            log.unlink(missing_ok=True)
            shutil.rmtree(spilled, ignore_errors=True)


def missing(place: Place, manifest: Manifest) -> int | None:
    """The number of batches that the index lacks; None if it cannot be used.

    It cannot be used if it is missing or damaged, lacks columns of this version, or has batches
    that the store does not have in this order.
    """
    import duckdb

    if not place.index.exists():
        return None
    try:
        with opened(place.index, read_only=True) as database:
            rows = database.execute("SELECT name FROM batches ORDER BY nth").fetchall()
            columns = database.execute("SELECT table_name, column_name FROM duckdb_columns()")
            present = set(columns.fetchall())
    except duckdb.Error:
        return None
    names = tuple(name for (name,) in rows)
    wanted = {(t.name, column) for t in _INDEXED for column, _ in _columns(t, manifest)}
    fits = wanted <= present and names == manifest.names[: len(names)]
    return len(manifest.batches) - len(names) if names and fits else None


def _columns(table: Table, manifest: Manifest) -> tuple[tuple[str, str], ...]:
    """The columns of a table, with those of facts that only an earlier version had."""
    if table.name != "facts":
        return table.columns
    names = set(table.names)
    more = ((fact.column, fact.type) for fact in manifest.facts if fact.column not in names)
    return (*table.columns, *more)


def create(database: duckdb.DuckDBPyConnection, manifest: Manifest) -> None:
    """Create the tables and views."""
    database.execute("BEGIN")
    for table in _INDEXED:
        columns = ", ".join(f'"{n}" {_TYPES[kind]}' for n, kind in _columns(table, manifest))
        database.execute(f"CREATE TABLE {table.name} ({columns})")
    database.execute(f"CREATE TABLE {DOCUMENTS.name} (document VARCHAR, batch VARCHAR)")
    database.execute("CREATE TABLE batches (nth BIGINT, name VARCHAR)")
    database.execute("CREATE TABLE unique_reports (report VARCHAR, who BIGINT, nth BIGINT)")
    _tell_facts(database, manifest)
    for name, view in VIEWS.items():
        database.execute(f"CREATE VIEW {name} AS {view['sql']}")
    database.execute("COMMIT")


def _tell_facts(database: duckdb.DuckDBPyConnection, manifest: Manifest) -> None:
    import pyarrow as pa

    facts = pa.Table.from_pylist(
        [fact._asdict() for fact in manifest.facts],
        pa.schema([(name, pa.string()) for name in StoredFact._fields]),
    )
    database.register("known", facts)
    database.execute("CREATE OR REPLACE TABLE facts_catalogue AS FROM known")
    database.unregister("known")


def number(database: duckdb.DuckDBPyConnection) -> None:
    """Number the intervals of every instance."""
    # a table that is replaced gives its space back, deleted rows do not
    database.execute(f"CREATE OR REPLACE TABLE unique_reports AS {_UNIQUE}")


def finish(database: duckdb.DuckDBPyConnection) -> None:
    """Delete the reports of an earlier content of an input, and number the intervals."""
    gone = "SELECT report FROM reports ANTI JOIN sources USING (report)"
    if _one(database, f"SELECT count(*) FROM ({gone})"):
        database.execute(f"CREATE TEMP TABLE gone AS {gone}")
        for table in OF_REPORTS:
            database.execute(f"DELETE FROM {table.name} WHERE report IN (SELECT report FROM gone)")
        database.execute("DROP TABLE gone")
    number(database)


def latest_documents(files: list[str]) -> str:
    """A query for the documents of some Parquet files, each once: that of the last file."""
    nth = "list_position([" + ", ".join(_quoted(file) for file in files) + "], filename)"
    return (
        f"SELECT document, content FROM {_parquet(files)} "
        f"QUALIFY row_number() OVER (PARTITION BY document ORDER BY {nth} DESC) = 1"
    )


def add(database: duckdb.DuckDBPyConnection, place: Place, name: str) -> None:
    """Load a batch, whose rows replace earlier ones: inputs by path, reports by key."""
    if files := place.files("files", (name,)):
        new = f"(SELECT path, file_hash FROM {_parquet(files)}) AS new"
        for table in ("files", "problems"):
            database.execute(f"DELETE FROM {table} USING {new} WHERE {table}.path = new.path")
        # an input that cannot be read now keeps its reports
        database.execute(
            f"DELETE FROM sources USING {new} WHERE sources.path = new.path "
            "AND new.file_hash IS NOT NULL AND sources.file_hash IS DISTINCT FROM new.file_hash"
        )
    if files := place.files("sources", (name,)):
        new = f"(SELECT path, report FROM {_parquet(files)}) AS new"
        database.execute(
            f"DELETE FROM sources USING {new} WHERE sources.path = new.path "
            "AND sources.report = new.report"
        )
    if files := place.files("reports", (name,)):
        for own in OF_REPORTS:
            database.execute(
                f"DELETE FROM {own.name} WHERE report IN (SELECT report FROM {_parquet(files)})"
            )
    for indexed in _INDEXED:
        if files := place.files(indexed.name, (name,)):
            rows = f"SELECT * EXCLUDE (filename) FROM {_parquet(files)}"
            database.execute(f"INSERT INTO {indexed.name} BY NAME {rows}")
    if files := place.files("documents", (name,)):
        new = f"SELECT document, ? FROM {_parquet(files)}"
        database.execute(
            f"DELETE FROM documents WHERE document IN (SELECT document FROM {_parquet(files)})"
        )
        database.execute(f"INSERT INTO documents {new}", (name,))
    database.execute("INSERT INTO batches SELECT 1 + count(*), ? FROM batches", (name,))


def _parquet(files: list[str]) -> str:
    listed = ", ".join(map(_quoted, files))
    return f"read_parquet([{listed}], union_by_name = true, filename = true)"


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _one(database: duckdb.DuckDBPyConnection, query: str) -> Any:  # noqa: ANN401 - any value
    row = database.execute(query).fetchone()
    return row[0] if row else None


class Store(NamedTuple):
    """An open store."""

    place: Place
    manifest: Manifest
    database: duckdb.DuckDBPyConnection
    #: What a reader must know: batches that the index lacks.
    note: str = ""
    #: The sources that the store had, and whose batch is missing or damaged.
    lost: tuple[str, ...] = ()

    def rows(self, query: str, values: list[Any] | None = None) -> list[tuple[Any, ...]]:
        """The rows of a query of our own."""
        with readable(self.place):
            return self.database.execute(query, values or []).fetchall()


class Answer(NamedTuple):
    """The result of a query."""

    columns: tuple[str, ...]
    rows: list[tuple[Any, ...]]


@contextmanager
def opened_store(store: str) -> Iterator[Store]:
    """A store for reading; UsageError if there is none.

    The index is completed first. If that is not possible (another run writes, the path is
    read-only), the one that exists is used, or one in memory.
    """
    here = place(store)
    committed = here.manifest()
    manifest = here.whole(committed)
    lacking = missing(here, manifest)
    if lacking != 0:
        with suppress(UsageError), here.lock(0.0):
            refresh(here, manifest)
            manifest, lacking = here.whole(manifest), 0
    note = ""
    if lacking:
        note = f"The index lacks the newest {lacking} batches: `awrlens store rebuild`."
    with ExitStack() as stack:
        with readable(here):
            path = None if lacking is None else here.index
            db = stack.enter_context(opened(path, read_only=lacking is not None))
            if lacking is None:
                create(db, manifest)
                for name in manifest.names:
                    add(db, here, name)
                finish(db)
            gone = lost(db, here, committed)
        yield Store(here, manifest, db, note, gone)


@contextmanager
def readable(place: Place) -> Iterator[None]:
    """Reports a damaged store in a sentence: around what reads it, not around other work."""
    import duckdb

    try:
        yield
    except duckdb.Error as problem:
        reason = str(problem).split("\n")[0].rstrip(".")
        raise UnreadableError(
            f"The store {place.index} cannot be read: {reason}.",
            hint="`awrlens ingest` repairs it.",
        ) from None


def ask(store: Store, sql: str) -> Answer:
    """Run SQL of a user, which can read the tables of the store and nothing else."""
    import duckdb

    database = store.database
    database.execute("SET enable_external_access = false")
    try:
        result = database.execute(sql)
        columns = tuple(column[0] for column in result.description or ())
        return Answer(columns, result.fetchall())
    except duckdb.Error as problem:
        text = " ".join(str(problem).split("\n\n")[0].split())
        raise UsageError(f"The query failed: {text.rstrip('.')}.") from None
