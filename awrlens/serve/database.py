"""SQL on SQLite or PostgreSQL: the same statements, in transactions, outside the event loop.

Statements use ``?`` for values. Times are seconds since 1970.
"""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from abc import ABC, abstractmethod
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar, TypeVarTuple

from awrlens.errors import UsageError
from awrlens.serve.problems import busy

if TYPE_CHECKING:
    from collections.abc import Callable


#: The tables, by version: each script is applied once, in order, and never changed afterwards.
MIGRATIONS: Final = sorted(Path(__file__).with_name("migrations").glob("*.sql"))


T = TypeVar("T")
Ts = TypeVarTuple("Ts")
Row = dict[str, Any]

#: Threads, and so connections, of a PostgreSQL node or of SQLite readers.
_THREADS: Final = 4
#: How often an emptying of the journal is tried, 20 times a second; reading takes milliseconds,
#: but a busy machine may let readers follow each other for long.
_TRIES: Final = 1_200


class ConflictError(Exception):
    """A row with this key exists already."""


class Session:
    """A transaction, of SQLite."""

    _conflict: type[Exception] = sqlite3.IntegrityError

    def __init__(self, connection: Any) -> None:  # noqa: ANN401 - of one of two packages
        self._connection = connection

    def _run(self, sql: str, values: tuple[object, ...]) -> Any:  # noqa: ANN401
        return self._connection.execute(sql, values)

    def all(self, sql: str, *values: object) -> list[Row]:
        """All rows."""
        return [dict(row) for row in self._run(sql, values)]

    def one(self, sql: str, *values: object) -> Row | None:
        """The first row; None without any."""
        row = self._run(sql, values).fetchone()
        return dict(row) if row is not None else None

    def value(self, sql: str, *values: object) -> Any:  # noqa: ANN401 - of any type
        """The first value of the first row; None without any."""
        row = self.one(sql, *values)
        return next(iter(row.values())) if row is not None else None

    def do(self, sql: str, *values: object) -> int:
        """Change rows; returns their number."""
        try:
            return int(self._run(sql, values).rowcount)
        except self._conflict as problem:
            raise ConflictError(str(problem)) from None

    def insert(self, table: str, row: Row) -> None:
        """Add a row."""
        columns, values = ", ".join(row), ", ".join("?" * len(row))
        self.do(f"INSERT INTO {table} ({columns}) VALUES ({values})", *row.values())  # noqa: S608

    def lock(self, name: str) -> None:
        """Wait until no other transaction has locked this name; SQLite has one writer at a time."""


class _PostgresSession(Session):
    def __init__(self, connection: Any) -> None:  # noqa: ANN401
        import psycopg

        super().__init__(connection)
        self._conflict = psycopg.errors.UniqueViolation

    def _run(self, sql: str, values: tuple[object, ...]) -> Any:  # noqa: ANN401
        return self._connection.execute(sql.replace("?", "%s"), values or None)

    def lock(self, name: str) -> None:
        self._run("SELECT pg_advisory_xact_lock(hashtextextended(?, 0))", (name,))


class Database(ABC):
    """Runs functions in transactions: each gets a session, and the arguments given with it."""

    shared: bool

    def __init__(self, writers: ThreadPoolExecutor, readers: ThreadPoolExecutor) -> None:
        self._writers, self._readers = writers, readers
        self._local = threading.local()
        self._open: list[Any] = []
        writers.submit(self._migrate).result()

    async def write(self, function: Callable[[Session, *Ts], T], *args: *Ts) -> T:
        """Run a function in a transaction that is durable when this returns."""
        return await asyncio.wrap_future(self._submitted(function, *args))

    async def read(self, function: Callable[[Session, *Ts], T], *args: *Ts) -> T:
        """Run a function that changes nothing."""
        call = self._readers.submit(self._reading, lambda session: function(session, *args))
        return await asyncio.wrap_future(call)

    def now(self, function: Callable[[Session, *Ts], T], *args: *Ts) -> T:
        """Run a function in a transaction; for programs without an event loop."""
        return self._submitted(function, *args).result()

    def _submitted(self, function: Callable[[Session, *Ts], T], *args: *Ts) -> Future[T]:
        return self._writers.submit(self._transaction, lambda session: function(session, *args))

    async def forget(self) -> None:  # noqa: B027 - not every database has such a journal
        """Remove what was deleted from the journal."""

    def close(self) -> None:
        """End all connections."""
        self._writers.shutdown()
        self._readers.shutdown()
        for connection in self._open:
            connection.close()

    def _connection(self) -> Any:  # noqa: ANN401
        held = getattr(self._local, "connection", None)
        if held is None or getattr(held, "closed", False):
            held = self._local.connection = self._connect()
            self._open.append(held)
        return held

    @abstractmethod
    def _connect(self) -> Any: ...  # noqa: ANN401

    @abstractmethod
    def _migrate(self) -> None: ...

    @abstractmethod
    def _transaction(self, function: Callable[[Session], T]) -> T: ...

    def _reading(self, function: Callable[[Session], T]) -> T:
        return self._transaction(function)


def _apply(connection: Any, done: int, version: str) -> None:  # noqa: ANN401
    """Apply what is new since a migration; ``version`` stores the number of each."""
    if done > len(MIGRATIONS):
        raise UsageError(
            "The database was written by a newer version of awrlens.", hint="Update awrlens."
        )
    for number, script in enumerate(MIGRATIONS[done:], start=done + 1):
        for statement in script.read_text(encoding="utf-8").split(";\n")[:-1]:
            connection.execute(statement)
        connection.execute(version.format(number))


class SqliteDatabase(Database):
    """One file; one thread writes, several read."""

    shared = False

    def __init__(self, file: Path) -> None:
        self._file = file
        super().__init__(
            ThreadPoolExecutor(1, thread_name_prefix="awrlens-sqlite-writer"),
            ThreadPoolExecutor(_THREADS, thread_name_prefix="awrlens-sqlite-reader"),
        )

    def _connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(
            self._file, isolation_level=None, check_same_thread=False,
            timeout=20.0,  # for another process, such as `awrlens serve token`
        )  # fmt: skip
        connection.row_factory = sqlite3.Row
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")  # an acknowledged upload is on the disk
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("PRAGMA secure_delete = ON")  # what is deleted is overwritten
        return connection

    def _migrate(self) -> None:
        connection = self._connection()
        connection.execute("BEGIN IMMEDIATE")
        done = connection.execute("PRAGMA user_version").fetchone()[0]
        _apply(connection, done, "PRAGMA user_version = {}")
        connection.execute("COMMIT")

    def _transaction(self, function: Callable[[Session], T], begin: str = "BEGIN IMMEDIATE") -> T:
        connection = self._connection()
        try:
            connection.execute(begin)
            try:
                result = function(Session(connection))
                connection.execute("COMMIT")
            except BaseException:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise
        except sqlite3.OperationalError as problem:
            full = "full" in str(problem)
            raise busy(
                "The disk of the server is full." if full else "The database is not available."
            ) from problem
        return result

    def _reading(self, function: Callable[[Session], T]) -> T:
        return self._transaction(function, "BEGIN")

    async def forget(self) -> None:
        """Empty the journal, which has the pages of a deleted upload as they were.

        It cannot be emptied while another transaction reads, so this is tried for a while.
        """
        loop = asyncio.get_running_loop()
        for _ in range(_TRIES):
            if not await loop.run_in_executor(self._writers, self._empty):
                return
            await asyncio.sleep(0.05)

    def _empty(self) -> int:
        busy: int = self._connection().execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
        return busy


class PostgresDatabase(Database):
    """A PostgreSQL server, which several nodes may share."""

    shared = True

    def __init__(self, url: str) -> None:
        self._url = url
        threads = ThreadPoolExecutor(_THREADS, thread_name_prefix="awrlens-postgres")
        super().__init__(threads, threads)

    def _connect(self) -> Any:  # noqa: ANN401
        import psycopg
        from psycopg.rows import dict_row

        return psycopg.connect(
            self._url, autocommit=True, row_factory=dict_row, connect_timeout=5,
            keepalives_idle=10, keepalives_interval=5, keepalives_count=3,
        )  # fmt: skip

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
            _apply(connection, row["done"] or 0, "INSERT INTO version VALUES ({})")

    def _transaction(self, function: Callable[[Session], T]) -> T:
        import psycopg

        try:
            connection = self._connection()
            with connection.transaction():
                return function(_PostgresSession(connection))
        except psycopg.errors.SerializationFailure as problem:
            raise busy("The database is busy.") from problem
        except psycopg.OperationalError as problem:
            self._local.connection = None
            raise busy("The database is not available.") from problem


def opened(url: str, file: Path) -> Database:
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
