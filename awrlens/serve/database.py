"""SQL on SQLite or PostgreSQL: the same statements, in transactions, outside the event loop.

Statements use ``?`` for values. Times are seconds since 1970. The tables are migrations: each is
applied once, in order, and never changed afterwards.
"""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeVar

from awrlens.errors import UsageError
from awrlens.serve.problems import busy

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


#: Statements that SQLite and PostgreSQL both understand.
MIGRATIONS: Final[tuple[tuple[str, ...], ...]] = (
    (
        # status: waiting, running, done, failed, deleted; a deleted id is never used again
        """CREATE TABLE upload (
            id TEXT PRIMARY KEY, project TEXT NOT NULL, name TEXT NOT NULL, hash TEXT NOT NULL,
            size BIGINT NOT NULL, status TEXT NOT NULL, reason TEXT NOT NULL DEFAULT '',
            redacted INTEGER NOT NULL DEFAULT 0, shared INTEGER NOT NULL DEFAULT 0,
            delete_hash TEXT NOT NULL, password TEXT NOT NULL DEFAULT '',
            uploader TEXT NOT NULL DEFAULT '', retry_key TEXT,
            created DOUBLE PRECISION NOT NULL, finished DOUBLE PRECISION,
            expires DOUBLE PRECISION, accepted DOUBLE PRECISION,
            attempts INTEGER NOT NULL DEFAULT 0, node TEXT NOT NULL DEFAULT '',
            lease DOUBLE PRECISION NOT NULL DEFAULT 0,
            UNIQUE (project, retry_key)
        )""",
        "CREATE INDEX upload_status ON upload (status, created)",
        "CREATE INDEX upload_project ON upload (project, created)",
        "CREATE INDEX upload_hash ON upload (hash)",
        "CREATE INDEX upload_expires ON upload (expires)",
        """CREATE TABLE part (
            upload TEXT NOT NULL REFERENCES upload (id), number INTEGER NOT NULL,
            source TEXT NOT NULL, kind TEXT NOT NULL, database TEXT NOT NULL,
            instance TEXT NOT NULL, begin_time TEXT NOT NULL, end_time TEXT NOT NULL,
            severity TEXT NOT NULL, headline TEXT NOT NULL, label TEXT NOT NULL,
            reason TEXT NOT NULL, search TEXT NOT NULL,
            PRIMARY KEY (upload, number)
        )""",
        """CREATE TABLE token (
            id TEXT PRIMARY KEY, name TEXT NOT NULL, hash TEXT NOT NULL, scopes TEXT NOT NULL,
            project TEXT NOT NULL, created DOUBLE PRECISION NOT NULL,
            expires DOUBLE PRECISION, revoked DOUBLE PRECISION
        )""",
        """CREATE TABLE session (
            hash TEXT PRIMARY KEY, token TEXT NOT NULL REFERENCES token (id),
            expires DOUBLE PRECISION NOT NULL
        )""",
        """CREATE TABLE audit (
            time DOUBLE PRECISION NOT NULL, actor TEXT NOT NULL, address TEXT NOT NULL,
            project TEXT NOT NULL, action TEXT NOT NULL, object TEXT NOT NULL
        )""",
        "CREATE INDEX audit_time ON audit (time)",
        "CREATE TABLE secret (name TEXT PRIMARY KEY, value TEXT NOT NULL)",
    ),
    (
        # edition: what analyzed it; rows of its intervals are those of the tables of a store
        "ALTER TABLE upload ADD COLUMN edition TEXT NOT NULL DEFAULT ''",
        """CREATE TABLE reported (
            upload TEXT NOT NULL REFERENCES upload (id), report TEXT NOT NULL, who TEXT NOT NULL,
            ended TEXT NOT NULL, content TEXT NOT NULL, PRIMARY KEY (upload, report)
        )""",
    ),
    (
        """CREATE TABLE user_session (
            hash TEXT PRIMARY KEY, subject TEXT NOT NULL, rights TEXT NOT NULL,
            expires DOUBLE PRECISION NOT NULL
        )""",
    ),
    (
        """CREATE TABLE project (
            name TEXT PRIMARY KEY, budgets TEXT NOT NULL, changed DOUBLE PRECISION NOT NULL
        )""",
    ),
)


T = TypeVar("T")
Row = dict[str, Any]

#: Threads, and so connections, of a PostgreSQL node or of SQLite readers.
_THREADS: Final = 4
#: Seconds that SQLite waits for another process, such as `awrlens serve token`.
_BUSY_S: Final = 20.0


class ConflictError(Exception):
    """A row with this key exists already."""


class Session(Protocol):
    """A transaction."""

    def all(self, sql: str, *values: object) -> list[Row]:
        """All rows."""

    def one(self, sql: str, *values: object) -> Row | None:
        """The first row; None without any."""

    def do(self, sql: str, *values: object) -> int:
        """Change rows; returns their number."""

    def lock(self, name: str) -> None:
        """Wait until no other transaction has locked this name."""


class _Sqlite:
    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def all(self, sql: str, *values: object) -> list[Row]:
        return [dict(row) for row in self._connection.execute(sql, values)]

    def one(self, sql: str, *values: object) -> Row | None:
        row = self._connection.execute(sql, values).fetchone()
        return dict(row) if row is not None else None

    def do(self, sql: str, *values: object) -> int:
        try:
            return self._connection.execute(sql, values).rowcount
        except sqlite3.IntegrityError as problem:
            raise ConflictError(str(problem)) from None

    def lock(self, name: str) -> None:
        """SQLite has one writer at a time."""


class Database(Protocol):
    """Runs functions in transactions."""

    #: Whether several server processes may share it.
    shared: bool

    async def write(self, function: Callable[[Session], T]) -> T:
        """Run a function in a transaction that is durable when this returns."""

    async def read(self, function: Callable[[Session], T]) -> T:
        """Run a function that changes nothing."""

    def close(self) -> None:
        """End all connections."""


class SqliteDatabase(Database):
    """One file; one thread writes, several read."""

    shared = False

    def __init__(self, file: Path) -> None:
        self._file = file
        self._writer = ThreadPoolExecutor(1, thread_name_prefix="awrlens-sqlite-writer")
        self._readers = ThreadPoolExecutor(_THREADS, thread_name_prefix="awrlens-sqlite-reader")
        self._local = threading.local()
        self._open: list[sqlite3.Connection] = []
        self._writer.submit(self._migrate).result()

    def _connection(self) -> sqlite3.Connection:
        found: sqlite3.Connection | None = getattr(self._local, "connection", None)
        if found is None:
            found = sqlite3.connect(
                self._file, timeout=_BUSY_S, isolation_level=None, check_same_thread=False
            )
            found.row_factory = sqlite3.Row
            found.execute("PRAGMA journal_mode = WAL")
            found.execute("PRAGMA synchronous = FULL")  # an acknowledged upload is on the disk
            found.execute("PRAGMA foreign_keys = ON")
            found.execute("PRAGMA secure_delete = ON")  # what is deleted is overwritten
            self._local.connection = found
            self._open.append(found)
        return found

    def _migrate(self) -> None:
        connection = self._connection()
        connection.execute("BEGIN IMMEDIATE")
        done = connection.execute("PRAGMA user_version").fetchone()[0]
        _check_version(done)
        for number, script in enumerate(MIGRATIONS[done:], start=done + 1):
            for statement in script:
                connection.execute(statement)
            connection.execute(f"PRAGMA user_version = {number}")
        connection.execute("COMMIT")

    def _transaction(self, begin: str, function: Callable[[Session], T]) -> T:
        connection = self._connection()
        try:
            connection.execute(begin)
            try:
                found = function(_Sqlite(connection))
                connection.execute("COMMIT")
            except BaseException:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise
        except sqlite3.OperationalError as problem:
            raise busy(_reason(problem)) from problem
        return found

    async def write(self, function: Callable[[Session], T]) -> T:
        """Run a function in a transaction."""
        loop = asyncio.get_running_loop()
        run = self._transaction
        return await loop.run_in_executor(self._writer, run, "BEGIN IMMEDIATE", function)

    async def read(self, function: Callable[[Session], T]) -> T:
        """Run a function that changes nothing."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._readers, self._transaction, "BEGIN", function)

    def now(self, function: Callable[[Session], T]) -> T:
        """Run a function in a transaction; for programs without an event loop."""
        return self._writer.submit(self._transaction, "BEGIN IMMEDIATE", function).result()

    def close(self) -> None:
        """End all connections."""
        self._writer.shutdown()
        self._readers.shutdown()
        for each in self._open:
            each.close()


def _reason(problem: sqlite3.OperationalError) -> str:
    full = "full" in str(problem)
    return "The disk of the server is full." if full else "The database is not available."


def _check_version(done: int) -> None:
    if done > len(MIGRATIONS):
        raise UsageError(
            "The database was written by a newer version of awrlens.", hint="Update awrlens."
        )


class _Postgres:
    def __init__(self, connection: Any) -> None:  # noqa: ANN401 - psycopg is imported only for it
        self._connection = connection

    def _run(self, sql: str, values: tuple[object, ...]) -> Any:  # noqa: ANN401
        return self._connection.execute(sql.replace("?", "%s"), values or None)

    def all(self, sql: str, *values: object) -> list[Row]:
        found: list[Row] = self._run(sql, values).fetchall()
        return found

    def one(self, sql: str, *values: object) -> Row | None:
        found: Row | None = self._run(sql, values).fetchone()
        return found

    def do(self, sql: str, *values: object) -> int:
        import psycopg

        try:
            count: int = self._run(sql, values).rowcount
        except psycopg.errors.UniqueViolation as problem:
            raise ConflictError(str(problem)) from None
        return count

    def lock(self, name: str) -> None:
        self._run("SELECT pg_advisory_xact_lock(hashtextextended(?, 0))", (name,))


class PostgresDatabase(Database):
    """A PostgreSQL server, which several nodes may share."""

    shared = True

    def __init__(self, url: str) -> None:
        self._url = url
        self._threads = ThreadPoolExecutor(_THREADS, thread_name_prefix="awrlens-postgres")
        self._local = threading.local()
        self._open: list[Any] = []
        self._threads.submit(self._migrate).result()

    def _connection(self) -> Any:  # noqa: ANN401
        import psycopg
        from psycopg.rows import dict_row

        found = getattr(self._local, "connection", None)
        if found is None or found.closed:
            found = psycopg.connect(
                self._url, autocommit=True, row_factory=dict_row, connect_timeout=5,
                keepalives_idle=10, keepalives_interval=5, keepalives_count=3,
            )  # fmt: skip
            self._local.connection = found
            self._open.append(found)
        return found

    def _migrate(self) -> None:
        import psycopg

        try:
            connection = self._connection()
        except psycopg.OperationalError:
            raise UsageError(
                "The database cannot be reached.", hint="Check --database and the server."
            ) from None
        with connection.transaction():
            connection.execute("SELECT pg_advisory_xact_lock(727301)")
            connection.execute("CREATE TABLE IF NOT EXISTS version (number INTEGER NOT NULL)")
            row = connection.execute("SELECT max(number) AS done FROM version").fetchone()
            done = row["done"] or 0
            _check_version(done)
            for number, script in enumerate(MIGRATIONS[done:], start=done + 1):
                for statement in script:
                    connection.execute(statement)
                connection.execute("INSERT INTO version VALUES (%s)", (number,))

    def _transaction(self, function: Callable[[Session], T]) -> T:
        import psycopg

        try:
            connection = self._connection()
            with connection.transaction():
                return function(_Postgres(connection))
        except psycopg.errors.SerializationFailure as problem:
            raise busy("The database is busy.") from problem
        except psycopg.OperationalError as problem:
            self._local.connection = None
            raise busy("The database is not available.") from problem

    async def write(self, function: Callable[[Session], T]) -> T:
        """Run a function in a transaction."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._threads, self._transaction, function)

    async def read(self, function: Callable[[Session], T]) -> T:
        """Run a function that changes nothing."""
        return await self.write(function)

    def now(self, function: Callable[[Session], T]) -> T:
        """Run a function in a transaction; for programs without an event loop."""
        return self._threads.submit(self._transaction, function).result()

    def close(self) -> None:
        """End all connections."""
        self._threads.shutdown()
        for each in self._open:
            each.close()


def opened(url: str, file: Path) -> SqliteDatabase | PostgresDatabase:
    """The database of a URL, or SQLite in a file without a URL."""
    if not url:
        return SqliteDatabase(file)
    if not url.startswith(("postgresql://", "postgres://")):
        raise UsageError(
            "The database is not a PostgreSQL URL.",
            hint="For example postgresql://user@host/awrlens.",
        )
    return PostgresDatabase(url)


def like(text: str) -> str:
    """A pattern for LIKE with ESCAPE '!' that finds a text anywhere, in lower case."""
    plain = text.lower()
    for sign in "!%_":
        plain = plain.replace(sign, f"!{sign}")
    return f"%{plain}%"
