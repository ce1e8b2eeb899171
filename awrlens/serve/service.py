"""One server process: its parts, and what both the API and the pages do with them."""

from __future__ import annotations

import asyncio
import hashlib
import os
import pickle
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

from awrlens import config
from awrlens.errors import UsageError
from awrlens.fleet.folder import locked
from awrlens.lazy import NamedTuple
from awrlens.serve import access, database, intake, metrics, oidc, uploads, work
from awrlens.serve.jobs import DiedError, Jobs, Pool, RefusedError, WorkError
from awrlens.serve.metrics import Metrics
from awrlens.serve.problems import Problem, busy, missing
from awrlens.serve.settings import DAY_S
from awrlens.serve.work import Upload

if TYPE_CHECKING:
    from awrlens.serve.access import Who
    from awrlens.serve.database import Row
    from awrlens.serve.settings import Settings

SESSION: Final = "awrlens_session"
#: Characters of shown analyses that are kept in memory.
_SHOWN: Final = 32 * 2**20
#: Classes of errors of an input that could not be read.
_UNREADABLE: Final = (
    "UnreadableError", "NotAReportError", "OtherReportError", "FailedJobError", "UnknownInputError",
    "UnpackedError",
)  # fmt: skip


class Sent(NamedTuple):
    """An upload as it was received."""

    data: bytes
    name: str
    project: str
    #: Key for pseudonyms; None: not redacted.
    redact_key: bytes | None = None
    #: Whether the client sent that key.
    own_key: bool = False
    retry_key: str | None = None
    password: str = ""

    def signature(self, secret: str) -> str:
        """What the same request has again."""
        key = "" if self.redact_key is None else self.redact_key.hex() if self.own_key else "any"
        parts = hashlib.sha256(self.data).hexdigest(), self.name, key, self.password
        return access.signed(secret, "request", *parts)


class Stored(NamedTuple):
    """An acknowledged upload: what its answer has."""

    id: str
    #: Empty for a repeated request.
    delete_key: str
    status: str
    redacted: bool
    names: tuple[tuple[str, str], ...] = ()
    dropped: tuple[str, ...] = ()


class Service:
    """The parts of a server process."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        settings.data.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._lock = None if settings.database else _alone(settings)
        config.load("report", settings.options)  # fails early if the configuration is invalid
        self.database = database.opened(settings.database, settings.data / "awrlens.sqlite")
        self.blobs = uploads.opened(settings.reports, settings.data / "reports")
        self.metrics = Metrics()
        #: What was shown: of an upload, or of several (empty); in a format; which of its reports,
        #: or a digest of what it was made of.
        self.shown: dict[tuple[str, str, int | str | None], str] = {}
        self.pool = Pool(settings)
        self.tracing = metrics.opened(settings.traces)
        self.jobs = Jobs(settings, self.database, self.blobs, self.pool, self.metrics, self.tracing)
        self.room = intake.Room(settings.limits)
        limits = settings.limits
        self.requests = intake.Buckets(
            limits.requests_per_minute / 60, max(limits.requests_per_minute / 4, 1)
        )
        self.bytes = intake.Buckets(limits.bytes_per_hour / 3600, limits.bytes_per_hour / 4)
        self.guesses = intake.Buckets(10 / 60, 10)
        self.provider = oidc.Provider(settings.oidc) if settings.oidc is not None else None
        self.secret = self.database.now(uploads.secret, "signatures")
        self.ready = False
        #: Whether a token is required, once for good, and when that was looked up.
        self._tokens = (self.provider is not None, 0.0)

    async def start(self) -> None:
        """Start workers and jobs."""
        await self.pool.start()
        await self.jobs.start()
        self.ready = True

    async def close(self) -> None:
        """Finish or return the jobs, then end everything."""
        self.ready = False
        await self.jobs.close()
        await self.pool.close()
        self.database.close()
        await asyncio.to_thread(self.tracing.close)
        if self.provider is not None:
            self.provider.close()
        if self._lock is not None:
            os.close(self._lock)

    async def who(self, authorization: str, cookie: str) -> Who:
        """The client of a request."""
        required, looked = self._tokens
        if not required and time.monotonic() - looked > 2.0:  # noqa: PLR2004 - seconds
            required = await self.database.read(access.any_token)
            self._tokens = required, time.monotonic()
        if not required:
            return access.LOCAL
        who = None
        if authorization:
            scheme, _, text = authorization.partition(" ")
            if scheme.lower() == "bearer":
                who = await self.database.read(access.by_token, text)
            if who is None:
                raise Problem(401, "The token is not valid.", {"WWW-Authenticate": "Bearer"})
        elif cookie:
            who = await self.database.read(access.by_session, cookie)
        return who or access.NOBODY

    async def store(self, sent: Sent, who: Who, address: str) -> Stored:
        """Store an upload and queue its analysis; with a key, without names."""
        if sent.retry_key is not None:
            earlier = await self.database.read(uploads.repeated, sent.project, sent.retry_key)
            if earlier is not None:
                if earlier["request"] not in ("", sent.signature(self.secret)):
                    raise Problem(422, "This Idempotency-Key was sent with another upload.")
                return Stored(earlier["id"], "", earlier["status"], bool(earlier["redacted"]))
        redacted = sent.redact_key is not None
        with self.tracing.span("upload", bytes=len(sent.data), redacted=redacted):
            return await self._store(sent, who, address)

    async def _store(self, sent: Sent, who: Who, address: str) -> Stored:
        password = ""
        if sent.password:
            password = await asyncio.to_thread(access.of_password, sent.password)
        await self._admit(sent.project)
        stored = work.Redacted(sent.name, sent.data)
        if sent.redact_key is not None:
            with self.tracing.span("redact", bytes=len(sent.data)):
                stored = await self.call("redact", Upload(*stored[:2]), sent.redact_key)
        days = self.settings.retention_days
        key = uploads.new_key()
        redacted, hash_ = sent.redact_key is not None, hashlib.sha256(stored.data).hexdigest()
        new = {
            "project": sent.project, "name": stored.name, "hash": hash_, "size": len(stored.data),
            "delete_hash": uploads.hashed(key), "redacted": int(redacted), "uploader": who.id,
            "expires": time.time() + days * DAY_S if days else None, "retry_key": sent.retry_key,
            "password": password, "request": sent.signature(self.secret),
        }  # fmt: skip

        def insert(session: database.Session) -> str | None:
            id_ = uploads.insert(session, new, self.blobs)
            if id_ is not None:
                uploads.record(session, who.id, address, sent.project, "upload", id_)
            return id_

        for _ in range(3):  # the bytes may be deleted at the same time
            with self.tracing.span("store bytes", bytes=len(stored.data)):
                await asyncio.to_thread(self.blobs.put, hash_, stored.data)
            try:
                with self.tracing.span("store row"):
                    id_ = await self.database.write(insert)
            except database.ConflictError:  # the same request twice at the same time
                return await self.store(sent, who, address)
            except Problem:  # nothing of an upload is kept that is not acknowledged
                with suppress(Problem):
                    await self.database.write(uploads.drop, hash_, self.blobs)
                raise
            if id_ is not None:
                self.metrics.bytes.inc(len(sent.data))
                self.jobs.notice()
                return Stored(id_, key, "waiting", redacted, stored.names, stored.dropped)
        raise busy("The report is being deleted by another request.")

    async def _admit(self, project: str) -> None:
        limits = self.settings.limits
        waiting = await self.database.read(uploads.waiting)
        stored = await self.database.read(uploads.count, project)
        self.metrics.waiting.set(waiting)
        if waiting >= limits.waiting:
            raise busy("Too many uploads wait for their analysis.", 5)
        if stored >= limits.uploads:
            raise Problem(409, f"The project has {stored:,} uploads, which is its limit.")

    async def call(self, name: str, *args: Any) -> Any:  # noqa: ANN401 - any result
        """A call to a worker, with its failures as answers."""
        try:
            try:
                return await self.pool.call(name, *args)
            except DiedError:  # once more, in another process
                return await self.pool.call(name, *args)
        except RefusedError as problem:
            status = 415 if problem.kind in _UNREADABLE else 400
            raise Problem(status, str(problem)) from None
        except WorkError as problem:
            raise Problem(422, str(problem)) from None

    async def upload(self, row: Row, number: int | None = None) -> Upload:
        """The bytes of an analyzed upload."""
        data = None
        if row["status"] != "deleted":
            data = await asyncio.to_thread(self.blobs.get, row["hash"])
        if data is None:
            raise missing()
        return Upload(row["name"], data, number)

    async def show(self, row: Row, format_: str, number: int | None) -> str:
        """The analysis of an upload in a format."""
        key = row["id"], format_, number
        if key in self.shown:
            return self._shown(key, self.shown.pop(key))
        upload = await self.upload(row, number)
        return self._shown(key, await self.call("show", upload, self.settings.options, format_))

    async def together(self, what: str, format_: str, *args: Any) -> str:  # noqa: ANN401 - any input
        """A comparison, a trend or a fleet, which are the same for the same input."""
        key = "", f"{what} {format_}", hashlib.sha256(pickle.dumps(args)).hexdigest()
        if key in self.shown:
            return self._shown(key, self.shown.pop(key))
        return self._shown(key, await self.call(what, *args, self.settings.options, format_))

    def _shown(self, key: tuple[str, str, int | str | None], text: str) -> str:
        self.shown[key] = text  # the last one used is the last one dropped
        while sum(map(len, self.shown.values())) > _SHOWN:
            del self.shown[next(iter(self.shown))]
        return text

    def forget(self, id_: str) -> None:
        """Drop what was shown of a deleted upload, alone or with others."""
        kept = {key: text for key, text in self.shown.items() if key[0] not in ("", id_)}
        self.shown = kept


def _alone(settings: Settings) -> int:
    """A lock on the data folder, which only one server may use with SQLite."""
    handle = os.open(settings.data / "server.lock", os.O_RDWR | os.O_CREAT, 0o600)
    if not locked(handle):
        os.close(handle)
        raise UsageError(
            f"Another server uses {settings.data}.", hint="Set another folder with --data, or let "
            "several servers share a PostgreSQL database with --database.",
        )  # fmt: skip
    return handle
